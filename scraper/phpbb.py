"""Topic pages of phpBB 3.0 to 3.3: prosilver and styles built on it, in any language.

A post is `div#p<ID>.post`, its words `div.content`, its time `time[datetime]` (3.2 and later) or the text behind the
author's name. Numbers come from the place on the page where posts run by time.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, tzinfo
from urllib.parse import urljoin

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
    numbers_in,
    one_line,
    parse,
    query,
    reader_for,
    refuse,
    utc,
    visible,
)

KIND = "phpbb"
NAME = "phpBB"

_POSTS = etree.XPath(
    "//div[starts-with(@id, 'p') and number(substring(@id, 2)) > 0 and contains(concat(' ', @class, ' '), ' post ')"
    " and not(contains(concat(' ', @class, ' '), ' pm '))]"
)
_LINKS = etree.XPath("//a[contains(@href, 't=')]/@href | //link[@rel='canonical']/@href | //input[@data-base-url]/@data-base-url")
_PAGINATION = etree.XPath("//*[contains(concat(' ', @class, ' '), ' pagination ')]")
_LOCKED = etree.XPath(
    "boolean(//a[contains(@href, 'mode=reply')]"
    "[contains(concat(' ', @class, ' '), 'locked-icon') or .//i[contains(@class, 'fa-lock')]]"
    " | //*[contains(concat(' ', @class, ' '), ' locked-icon ')]"
    " | //div[contains(@class, 'buttons')]//a[contains(@class, 'locked')])"
)
_SECTION = re.compile(r"section-(\w+)")


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from phpBB, be it a topic or not."""
    text = decode(page)
    return 'id="phpbb"' in text or ("phpbb.com/" in text and ("viewtopic.php" in text or "viewforum.php" in text))


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic, oldest posts first whatever the reader has set."""
    start = f"&start={(page - 1) * per_page}" if page > 1 else ""
    return f"{base}viewtopic.php?t={topic_id}{start}&st=0&sk=t&sd=a"


def read_page(page: bytes | str, *, timezone: tzinfo, now: datetime, base_url: str | None = None) -> Page:
    """The posts of one topic page as an account in `timezone` saw it at `now` (aware).

    Raises NotTheTopic for anything else that a phpBB forum, or something before it, may send.
    """
    draft = draft_page(page, base_url=base_url)
    return finish(draft, reader_for([draft], timezone=timezone, now=now))


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; raises NotTheTopic as `read_page` does."""
    tree = parse(page, NAME)
    found = _POSTS(tree)
    body = tree.find("body")
    section = _SECTION.search(body.get("class", "")) if body is not None else None
    if not found or (section and section.group(1) != "viewtopic"):
        raise refuse(tree, NAME)
    canonical = next((link.get("href") for link in tree.iter("link") if link.get("rel") == "canonical"), None)
    feed = next((link.get("href") for link in tree.iter("link") if link.get("rel") == "alternate"), None)
    base = base_of(tree, base_url, (canonical, feed, _home(tree)))
    if base and "/app.php/" in base:
        base = base.partition("app.php/")[0]
    shape = _shape(tree, canonical)
    authors: set[str] = set()
    rows = [(post, *_author(post)) for post in found]
    authors.update(name for _, name, _ in rows)
    numbers = _numbers(tree, found, shape)
    posts = tuple(_post(post, name, number, base, authors, uid) for (post, name, uid), number in zip(rows, numbers, strict=True))
    return DraftPage(
        forum=KIND, topic_id=shape.topic_id, title=_title(tree), page=shape.page, pages=shape.pages, posts=posts,
        per_page=shape.per_page, signed_in=bool(tree.xpath("boolean(//a[contains(@href, 'mode=logout')])")),
        locked=bool(_LOCKED(tree)), language=language_of(tree),
    )  # fmt: skip


class _Shape:
    """Where the page stands in its topic."""

    __slots__ = ("page", "pages", "per_page", "start", "topic_id", "total")

    def __init__(
        self, topic_id: str | None, page: int, pages: int, per_page: int | None, start: int | None, total: int | None
    ) -> None:
        self.topic_id, self.page, self.pages, self.per_page, self.start, self.total = (
            topic_id,
            page,
            pages,
            per_page,
            start,
            total,
        )


def _shape(tree: Element, canonical: str | None) -> _Shape:
    links = [str(link) for link in _LINKS(tree)]
    topic_id = _topic_id(canonical, links)
    bar = next(iter(_PAGINATION(tree)), None)
    page = pages = 1
    total = per_page = None
    if bar is not None:
        strong = [number for number in (number_in(visible(e)) for e in bar.iter("strong", "span")) if number]
        bold = [number for number in (number_in(visible(e)) for e in bar.iter("strong")) if number]
        if len(bold) >= 2:
            page, pages = bold[0], bold[1]
        elif strong:
            page = bold[0] if bold else 1
        active = next((e for e in bar.iter("li") if "active" in e.get("class", "").split()), None)
        if active is not None:
            page = number_in(visible(active)) or page
        listed = [number_in(visible(e)) or 0 for e in bar.iter("a", "strong", "span")]
        pages = max([pages, page, *[number for number in listed if number < 100000 and len(bold) < 2]])
        counted = numbers_in(
            " ".join([bar.text or "", *[e.tail or "" for e in bar.iter("a", "span", "ul") if e.getparent() is bar]])
        )
        total = counted[0] if counted else None
    step = tree.find(".//input[@data-per-page]")
    if step is not None:
        per_page = number_in(step.get("data-per-page", ""))
    starts = sorted(
        {int(value) for link in links if query(link).get("t") == topic_id and (value := query(link).get("start", "")).isdigit()}
    )
    if per_page is None and bar is not None:
        inside = [query(a.get("href", "")).get("start", "") for a in bar.iter("a")]
        steps = sorted({int(value) for value in inside if value.isdigit() and int(value) > 0})
        per_page = steps[0] if steps else None
    start: int | None = None
    if canonical and query(canonical).get("t"):
        start = number_in(query(canonical).get("start", "0"))
    elif page == 1:
        start = 0
    elif per_page:
        start = (page - 1) * per_page
    elif starts:
        start = None
    if pages == 1:
        per_page = per_page if per_page else None
    return _Shape(topic_id, page, pages, per_page, start, total)


def _topic_id(canonical: str | None, links: list[str]) -> str | None:
    for link in [canonical or "", *links]:
        if "viewtopic" in link or "mode=reply" in link or canonical == link:
            found = query(link).get("t", "")
            if found.isdigit():
                return found
    seo = re.search(r"[-/]t(\d+)(?:-\d+)?(?:\.html|/|$)", canonical or "")
    return seo.group(1) if seo else None


def _home(tree: Element) -> str | None:
    return next(
        (
            a.get("href")
            for a in tree.iter("a")
            if re.match(r"https?://[^?#]*/(?:viewtopic|memberlist|ucp|index)\.php", a.get("href", ""))
        ),
        None,
    )


def _title(tree: Element) -> str:
    heading = tree.xpath(
        "//h2[contains(@class, 'topic-title')] | //div[@id='page-body']//h2[a] | //h2/a[contains(@href, 'viewtopic')]"
    )
    return visible(heading[0]) if heading else visible(tree.find(".//title"))


def _numbers(tree: Element, found: list[Element], shape: _Shape) -> list[int | None]:
    """Each post's place in the thread, where the page shows all posts by time."""
    chosen = {name: _chosen(tree, name) for name in ("st", "sk", "sd")}
    ids = [int(post.get("id")[1:]) for post in found]
    by_time = chosen["sk"] in (None, "t") and chosen["st"] in (None, "0")
    if not by_time or shape.start is None:
        return [None] * len(found)
    falling = chosen["sd"] == "d" if chosen["sd"] else len(ids) > 1 and ids[0] > ids[-1]
    if not falling:
        return [shape.start + place + 1 for place in range(len(found))]
    if shape.total is None:
        return [None] * len(found)
    return [shape.total - shape.start - place for place in range(len(found))]


def _chosen(tree: Element, name: str) -> str | None:
    option = tree.find(f".//select[@name='{name}']/option[@selected]")
    return None if option is None else option.get("value")


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _line_of_author(post: Element) -> Element | None:
    return next((p for p in post.iter("p") if _has(p, "author")), None)


def _author(post: Element) -> tuple[str, str | None]:
    """The author's name and the number in the profile link (None for guests and deleted accounts)."""
    line = _line_of_author(post)
    places = [] if line is None else [line]
    places += [dt for dt in post.iter("dt") if dt.getparent() is not None and _has(dt.getparent(), "postprofile")]
    for place in places:
        named = next((e for e in place.iter("a", "span") if "username" in e.get("class", "") and visible(e)), None)
        if named is None:
            strong = next((e for e in place.iter("strong") if visible(e)), None)
            links = [a for a in place.iter("a") if "viewprofile" in a.get("href", "") and visible(a)]
            named = strong if strong is not None else next(iter(links), None)
        if named is not None:
            link = named if named.tag == "a" else next(named.iter("a"), None)
            uid = query(link.get("href", "")).get("u") if link is not None else None
            return visible(named), uid
        if place is not line and visible(place):
            return visible(place), None
    return "", None


def _post(post: Element, name: str, number: int | None, base: str | None, authors: Collection[str], uid: str | None) -> DraftPost:
    post_id = post.get("id")[1:]
    content = next((div for div in post.iter("div") if _has(div, "content")), None)
    markup = read_markup(content, authors=authors, breaks_told=True) if content is not None else None
    edited, deleted = _notices(post)
    link = f"viewtopic.php?p={post_id}#p{post_id}"
    return DraftPost(
        id=post_id, number=number, author=name, author_id=uid, posted=_posted(post), edited=edited,
        url=address(urljoin(base, link), None) if base else None, bbcode=markup.bbcode if markup else "",
        text=markup.text if markup else "", deleted=deleted or _has(post, "deleted"),
    )  # fmt: skip


def _posted(post: Element) -> DateText:
    line = _line_of_author(post)
    if line is None:
        return DateText("")
    marked = next(line.iter("time"), None)
    if marked is not None:
        exact = utc(marked.get("datetime"))
        return DateText(visible(marked), exact=exact)
    words = visible(line)
    name = next((visible(e) for e in line.iter("strong", "a", "span") if visible(e)), "")
    return DateText(
        re.split("[»«]", words)[-1].strip(" •|-") if re.search("[»«]", words) else words.rpartition(name)[2].strip(" •|-")
    )


def _notices(post: Element) -> tuple[DateText | None, bool]:
    """The edit note's sentence up to the reason, and whether the post is marked as deleted."""
    deleted = False
    for notice in post.iter("div"):
        if not _has(notice, "notice"):
            continue
        if any("deleted" in name for name in notice.get("class", "").split()):
            deleted = True
            continue
        link = next(
            (e for e in notice.iter("a", "span") if "viewprofile" in e.get("href", "") or "username" in e.get("class", "")), None
        )
        words: list[str] = [] if link is not None else [notice.text or ""]
        started = link is None
        for part in notice:
            if part.tag in ("br", "strong", "em") and (words or started):
                break
            if part is link or (link is not None and link in part.iter()):
                started = True
            if started:
                words.append(part.tail or "")
        sentence = one_line("".join(words)) or one_line(notice.text or "")
        return DateText(sentence or visible(notice)), deleted
    return None, deleted
