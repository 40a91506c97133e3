"""Topic pages of MyBB 1.8: both post layouts, in any language.

A post is `div#post_<ID>`, its words `div.post_body#pid_<ID>`, its date `span.post_date` (near dates carry the whole date
in a tooltip), its number the text of its own link. A deleted post can leave a placeholder with its author's name.
In threaded mode a page shows one post only, and its number there means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, tzinfo

from lxml import etree

from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.model import Page
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    address,
    base_of,
    decode,
    finish,
    language_of,
    number_in,
    one_line,
    parse,
    query,
    reader_for,
    refuse,
    visible,
)

KIND = "mybb"
NAME = "MyBB"

_POSTS = etree.XPath(
    "//div[starts-with(@id, 'post_') and number(substring(@id, 6)) > 0 and contains(concat(' ', @class, ' '), ' post ')]"
)
_TID = re.compile(r"[?&;]tid=(\d+)|thread-(\d+)")
_FORUM_LINK = re.compile(r"https?://[^?#]*/(?:member|showthread|forumdisplay|index|syndication)\.php")


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from MyBB, be it a topic or not."""
    text = decode(page)
    return "mybb.com" in text or "my_post_key" in text or ("jscripts/general.js" in text and "showthread" in text)


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic, not threaded whatever the reader has set."""
    return f"{base}showthread.php?tid={topic_id}&mode=linear" + (f"&page={page}" if page > 1 else "")


def read_page(page: bytes | str, *, timezone: tzinfo, now: datetime, base_url: str | None = None) -> Page:
    """The posts of one topic page as an account in `timezone` saw it at `now` (aware).

    Raises NotTheTopic for anything else that a MyBB forum, or something before it, may send.
    """
    draft = draft_page(page, base_url=base_url)
    return finish(draft, reader_for([draft], timezone=timezone, now=now))


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; raises NotTheTopic as `read_page` does."""
    tree = parse(page, NAME)
    found = [post for post in _POSTS(tree) if post.get("id")[5:].isdigit()]
    topic_id = _topic_id(tree, found)
    if not found or (tree.find(".//*[@id='posts']") is None and topic_id is None):
        raise refuse(tree, NAME)
    links = [a.get("href", "") for a in tree.iter("a", "link")]
    base = base_of(tree, base_url, [link for link in links if _FORUM_LINK.match(link)])
    threaded = _threaded(tree, found)
    rows = [(post, *_author(post)) for post in found]
    authors = {name for _, name, _ in rows}
    posts = tuple(_post(post, name, uid, base, authors, threaded) for post, name, uid in rows)
    number, pages = _place(tree)
    signed_in = bool(tree.xpath("boolean(//a[contains(@href, 'action=logout')])"))
    notes = ("the page is in threaded mode, which shows one post only: choose linear mode and save it again",) if threaded else ()
    clock = tree.find(".//*[@id='current_time']")
    return DraftPage(
        forum=KIND, topic_id=topic_id, title=_title(tree), page=number, pages=pages, posts=posts,
        per_page=len(posts) if number < pages else None, signed_in=signed_in,
        locked=bool(tree.xpath("boolean(//a[contains(concat(' ', @class, ' '), ' closed_button ')])")),
        language=language_of(tree), clock=_clock(clock), notes=notes,
    )  # fmt: skip


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _clock(element: Element | None) -> str:
    if element is None:
        return ""
    label = element.find("strong")
    return (
        visible(element)
        if label is None
        else one_line("".join([label.tail or "", *["".join(e.itertext()) for e in label.itersiblings()]]))
    )


def _threaded(tree: Element, found: list[Element]) -> bool:
    """Threaded mode shows one post and links to the linear mode."""
    return len(found) == 1 and any("mode=linear" in a.get("href", "") for a in tree.iter("a"))


def _author(post: Element) -> tuple[str, str | None]:
    """The author's name and the number in the profile link (None for guests)."""
    holder = next((e for e in post.iter("div") if _has(e, "author_information") or _has(e, "deleted_post_author")), post)
    named = next((e for e in holder.iter("span") if _has(e, "largetext")), None)
    if named is None:
        named = next((a for a in holder.iter("a") if "uid=" in a.get("href", "") and visible(a)), None)
    if named is None:
        return "", None
    link = named if named.tag == "a" else next(named.iter("a"), None)
    target = link.get("href", "") if link is not None else ""
    uid = query(target).get("uid") or (re.findall(r"user-(\d+)", target) or [None])[0]
    return visible(named), uid if uid != "0" else None


def _post(post: Element, name: str, uid: str | None, base: str | None, authors: Collection[str], threaded: bool) -> DraftPost:
    post_id = post.get("id")[5:]
    head = next((e for e in post.iter("div") if _has(e, "post_head")), None)
    own = None if head is None else next((a for a in head.iter("a") if f"#pid{post_id}" in a.get("href", "")), None)
    date = next((e for e in post.iter("span") if _has(e, "post_date")), None)
    body = next((e for e in post.iter("div") if e.get("id") == f"pid_{post_id}"), None)
    markup = read_markup(body, authors=authors) if body is not None else None
    return DraftPost(
        id=post_id, number=None if own is None or threaded else number_in(visible(own)), author=name, author_id=uid,
        posted=_date(date, "post_edit") if date is not None else DateText(""), edited=_edited(post),
        url=address(own.get("href") if own is not None else None, base), bbcode=markup.bbcode if markup else "",
        text=markup.text if markup else "",
        deleted=any("deleted" in part for part in post.get("class", "").split()) or body is None,
    )  # fmt: skip


def _date(element: Element, until: str) -> DateText:
    """The date in `element`, up to a child of class `until` or a link, with the tooltip of a near date."""
    words, title = [element.text or ""], ""
    for part in element:
        if not isinstance(part.tag, str) or _has(part, until) or part.tag in ("a", "em"):
            break
        title = title or part.get("title", "")
        words.append("".join(part.itertext()) + (part.tail or ""))
    return DateText(one_line("".join(words)), title)


def _edited(post: Element) -> DateText | None:
    note = next((e for e in post.iter("span") if _has(e, "edited_post")), None)
    if note is None:
        holder = next((e for e in post.iter("span") if _has(e, "post_edit")), None)
        note = holder if holder is not None and visible(holder) else None
    return None if note is None else _date(note, "edited_by")


def _place(tree: Element) -> tuple[int, int]:
    """Which page this is and how many there are."""
    bar = next((e for e in tree.iter("div") if _has(e, "pagination")), None)
    if bar is None:
        return 1, 1
    current = next((e for e in bar.iter("span", "a") if _has(e, "pagination_current")), None)
    page = number_in(visible(current)) if current is not None else 1
    named = ("pagination_page", "pagination_last", "pagination_first")
    listed = [number_in(visible(a)) or 1 for a in bar.iter("a") if any(_has(a, name) for name in named)]
    return page or 1, max([page or 1, *listed])


def _topic_id(tree: Element, found: list[Element]) -> str | None:
    own = [
        a.get("href", "")
        for post in found[:3]
        for a in post.iter("a")
        if "#pid" in a.get("href", "") or "newreply" in a.get("href", "")
    ]
    links = own + [
        a.get("href", "") for a in tree.iter("a", "link") if "newreply" in a.get("href", "") or "printthread" in a.get("href", "")
    ]
    links += [a.get("href", "") for a in tree.iter("link") if a.get("rel") == "canonical"]
    for link in links:
        match = _TID.search(link)
        if match:
            return match.group(1) or match.group(2)
    hidden = tree.find(".//input[@name='tid']")
    return hidden.get("value") if hidden is not None else None


def _title(tree: Element) -> str:
    crumb = next(
        (e for e in tree.iter("span") if _has(e, "active") and e.getparent() is not None and _has(e.getparent(), "navigation")),
        None,
    )
    return visible(crumb) if crumb is not None else visible(tree.find(".//title"))
