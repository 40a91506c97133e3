"""Topic pages of Invision Community 4, in any language.

A post is `article.ipsComment` with the id `elComment_<ID>`, its words `[data-role=commentContent]`, its time `time[datetime]`.
The edit note stands among the words. Numbers come from the place on the page. What moderators hid has a class of its own.
Written from what other people's readers look for, not tried on a forum.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from scraper.boxes import as_quote, as_spoiler, as_words, drop, has, innermost_first, of_class
from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    apart,
    decode,
    language_of,
    number_in,
    one_line,
    page_reader,
    parse,
    refuse,
    title_of,
    utc,
    visible,
)
from scraper.whole import whole
from scraper.writer import Markup

KIND = "invision"
NAME = "Invision Community 4"
STYLE = "the forum's default theme"

_TOPIC = re.compile(r"^(https?://.*?/)(?:index\.php\?/)?topic/(\d+)(?:-|/|$)")
_POST = re.compile(r"elComment_(\d+)")
_MEMBER = re.compile(r"/profile/(\d+)")


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from Invision Community, be it a topic or not."""
    text = decode(page)
    return "ipsSettings" in text or "ipsLayout_" in text


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page before its dates are finished; see `ReadPage` for what it raises."""
    text = decode(page)
    tree = parse(text, NAME)
    found = [e for e in tree.iter("article") if has(e, "ipsComment") and _POST.fullmatch(e.get("id") or "")]
    apart(found)
    links = [link.get("href") or "" for link in tree.iter("link") if link.get("rel") == "canonical"]
    links += [meta.get("content") or "" for meta in tree.iter("meta") if meta.get("property") == "og:url"]
    home = next((told for told in map(_TOPIC.match, links) if told), None)
    if not found or home is None:
        raise refuse(tree, NAME)
    base = (base_url if base_url is None or base_url.endswith("/") else base_url + "/") or home[1]
    number, pages, size = _place(tree)
    size = size or (len(found) if number < pages else None)
    before = 0 if number == 1 else None if size is None else (number - 1) * size
    authors = {_author(post)[0] for post in found}
    worded = {post.get("id").removeprefix("elComment_") for post in found if _body(post) is not None}
    posts = tuple(
        _post(post, f"{base}topic/{home[2]}/", None if before is None else before + place, authors)
        for place, post in enumerate(found, 1)
    )
    draft = DraftPage(
        forum=KIND, topic_id=home[2], title=_title(tree), page=number, pages=pages, posts=posts, per_page=size,
        signed_in=any("/logout/" in (a.get("href") or "") for a in tree.iter("a")), locked=_locked(tree),
        language=language_of(tree),
    )  # fmt: skip
    return whole(draft, STYLE, wordless=[post.id for post in posts if not (post.deleted or post.id in worded)])


read_page = page_reader(draft_page)
"""See `ReadPage`. `timezone` does not matter: times are exact."""


def _place(tree: Element) -> tuple[int, int, int | None]:
    """Which page this is, how many there are, and how many posts each has."""
    bar = next(iter(of_class(tree, "ipsPagination")), None)
    if bar is None:
        return 1, 1, None
    here = next((number_in(e.get("data-page") or visible(e)) for e in _active(bar)), None) or 1
    pages = number_in(bar.get("data-pages") or bar.get("data-ipspagination-pages") or "") or 1
    listed = [number_in(a.get("data-page") or "") or 1 for a in bar.iter("a")]
    return here, max([here, pages, *listed]), number_in(bar.get("data-ipspagination-perpage") or "")


def _active(bar: Element) -> list[Element]:
    return [next(e.iter("a"), e) for e in of_class(bar, "ipsPagination_active")]


def _author(post: Element) -> tuple[str, str | None]:
    """The author's name and the number in the profile link (None for guests)."""
    for pane in of_class(post, "ipsComment_author", "cAuthorPane"):
        named = next((e for e in pane.iter("h3") if visible(e)), None)
        if named is not None:
            link = next((found for found in (_MEMBER.search(a.get("href") or "") for a in named.iter("a")) if found), None)
            return visible(named), link[1] if link else None
    return "", None


def _post(post: Element, topic: str, number: int | None, authors: Collection[str]) -> DraftPost:
    id_ = post.get("id").removeprefix("elComment_")
    author, author_id = _author(post)
    body = _body(post)
    note = None if body is None else next((e for e in body.iter("span", "div", "p") if "data-excludequote" in e.attrib), None)
    beside = [*of_class(post, "ipsComment_author", "cAuthorPane"), *([] if body is None else [body])]  # other dates
    times = [time for time in post.iter("time") if not any(above in beside for above in time.iterancestors())]
    edited = None if note is None else _date(next(note.iter("time"), None), visible(note))
    if note is not None:
        drop(note)
    markup = markup_of(body, authors) if body is not None else Markup("", "")
    return DraftPost(
        id=id_, number=number, author=one_line(author), author_id=author_id, posted=_date(times[0] if times else None, ""),
        edited=edited, url=f"{topic}?do=findComment&comment={id_}", bbcode=markup.bbcode, text=markup.text,
        deleted=any(has(e, "ipsModerated") for e in (post, *of_class(post, "ipsComment_content"))),
    )  # fmt: skip


def _body(post: Element) -> Element | None:
    """The element with a post's own words."""
    return next((e for e in post.iter("div") if e.get("data-role") == "commentContent"), None)


def _date(time: Element | None, words: str) -> DateText:
    return DateText(words) if time is None else DateText(visible(time), time.get("title") or "", utc(time.get("datetime")))


def markup_of(body: Element, authors: Collection[str] = ()) -> Markup:
    """What a post's HTML says, as BBCode and as text. Changes the tree."""
    shape(body)
    return read_markup(body, authors=authors)


def shape(body: Element) -> None:
    """Bring Invision's boxes into the shape that `read_markup` knows."""
    for element in innermost_first([e for e in body.iter() if isinstance(e.tag, str) and e is not body]):
        if element.getparent() is None:
            continue  # in a box that has gone
        if element.tag == "blockquote" and (has(element, "ipsQuote") or "data-ipsquote" in element.attrib):
            for part in of_class(element, "ipsQuote_citation"):
                drop(part)
            as_quote(element, element.get("data-ipsquote-username") or element.get("data-cite") or "")
        elif has(element, "ipsSpoiler"):
            as_spoiler(element, next(iter(of_class(element, "ipsSpoiler_contents")), None))
        elif element.tag == "pre":
            element.tag = "code"
        elif element.tag == "a" and "data-mentionid" in element.attrib:
            as_words(element)
        elif element.tag == "img" and "data-emoticon" in element.attrib:
            element.set("class", "emoticon")
        elif has(element, "ipsEmbedded") or has(element, "ipsEmbeddedOther"):
            drop(element)


def _title(tree: Element) -> str:
    for heading in tree.iter("h1"):
        if has(heading, "ipsType_pageTitle"):
            for badge in of_class(heading, "ipsBadge"):
                if badge.getparent() is not None:
                    drop(badge)
            return visible(heading)
    return title_of(tree)


def _locked(tree: Element) -> bool:
    """Whether nobody may reply: in any language there is a lock among the topic's buttons and no field to write in."""
    return any(has(e, "fa-lock") for place in of_class(tree, "cTopicPostArea", "ipsButton_locked") for e in place.iter("i"))
