"""Topic pages of MyBB 1.8: both post layouts, in any language.

A post is `div#post_<ID>`, its words `div.post_body#pid_<ID>`, its date `span.post_date` (near dates carry the whole date
in a tooltip), its number the text of its own link. A deleted post can leave a placeholder with its author's name.
In threaded mode a page shows one post only, and its number there means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from lxml import etree

from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    address,
    apart,
    base_of,
    decode,
    language_of,
    number_in,
    one_line,
    page_reader,
    parse,
    refuse,
    title_of,
    visible,
)
from scraper.whole import styled, whole
from scraper.writer import Markup

KIND = "mybb"
NAME = "MyBB"
STYLE = "the default theme of MyBB 1.8"

_POSTS = etree.XPath("//div[starts-with(@id, 'post_') and number(substring(@id, 6)) > 0]")
_POST_MARK = re.compile(r"""id=["']pid_?[1-9]\d*["']""")
"""What belongs to a post in whatever theme."""
_SIGNED_IN = re.compile(r"""href=["'][^"']*action=logout""")
_CLOSED = re.compile(r"""class=["'][^"']*\bclosed_button\b""")
_CLOCK = re.compile(r"""<span[^>]{0,200}\bid=["']current_time["'].{0,500}?</span>""", re.DOTALL)
_USER = re.compile(r"[?&;]uid=(\d+)|user-(\d+)")
_PROFILE = re.compile(r"action=profile&(?:amp;)?uid=\d|user-\d+\.html")
_TID = re.compile(r"[?&;]tid=(\d+)|thread-(\d+)")
_THREADED = re.compile(r"showthread\.php\?mode=linear&(?:amp;)?tid=|pid=\d+&(?:amp;)?mode=threaded")
"""In threaded mode a page offers the other one, and shows the topic's other posts as a tree."""
_FORUM_LINK = re.compile(r"""href=["'](https?://[^"'?#]*/)(?:member|showthread|forumdisplay|index|syndication)\.php""")


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from MyBB, be it a topic or not."""
    text = decode(page)
    return "mybb.com" in text or "my_post_key" in text or ("jscripts/general.js" in text and "showthread" in text)


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic, not threaded whatever the reader has set."""
    return f"{base}showthread.php?tid={topic_id}&mode=linear" + (f"&page={page}" if page > 1 else "")


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; see `ReadPage` for what it raises."""
    text = decode(page)
    tree = parse(text, NAME)
    found = [post for post in _POSTS(tree) if post.get("id")[5:].isdecimal() and _has(post, "post")]
    apart(found)
    parts = [_parts(post) for post in found]
    topic_id = _topic_id(tree, parts)
    if not found or ('id="posts"' not in text and topic_id is None):
        raise styled("posts were not found", STYLE) if _POST_MARK.search(text) else refuse(tree, NAME, said=notice_of(tree))
    base = base_of(tree, base_url, [found.group(1) for found in [_FORUM_LINK.search(text)] if found])
    threaded = len(found) == 1 and _THREADED.search(text) is not None
    names = [_author(part.author, part.pane) for part in parts]
    authors = {name for name, _ in names}
    posts = tuple(_post(post, part, name, base, authors, threaded) for post, part, name in zip(found, parts, names, strict=True))
    if not all(post.author or post.deleted for post in posts):
        raise styled("who wrote a post was not found", STYLE)
    number, pages = _place(tree)
    notes = ("the page is in threaded mode, which shows one post only: choose linear mode and save it again",) if threaded else ()
    draft = DraftPage(
        forum=KIND, topic_id=topic_id, title=_title(tree), page=number, pages=pages, posts=posts,
        per_page=len(posts) if number < pages else None, signed_in=_SIGNED_IN.search(text) is not None,
        locked="closed_button" in text and _CLOSED.search(text) is not None, language=language_of(tree), clock=clock_of(tree),
        one_offset=True, notes=notes,
    )  # fmt: skip
    bodiless = [post for post, part in zip(posts, parts, strict=True) if part.body is None]
    return whole(draft, STYLE, wordless=[post.id for post in bodiless if not post.deleted])


read_page = page_reader(draft_page)
"""See `ReadPage`."""


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def notice_of(tree: Element) -> str:
    """What a page says that holds nothing but a notice, on one line; empty for all other pages.

    Cells of forms are none: a guest's page has a login form in its head.
    """
    cells = [cell for cell in tree.iter("td") if _has(cell, "trow1") or _has(cell, "trow2")]
    cells = [cell for cell in cells if next(cell.iterancestors("form"), None) is None]
    return "".join(letter for letter in visible(cells[0]) if letter.isprintable())[:300] if len(cells) == 1 else ""


def clock_of(tree: Element) -> str:
    """The present moment as a page shows it to its reader; empty where it does not."""
    element = next((e for e in tree.iter("span") if e.get("id") == "current_time"), None)
    if element is None:
        return ""
    label = element.find("strong")
    return (
        visible(element)
        if label is None
        else one_line("".join([label.tail or "", *["".join(e.itertext()) for e in label.itersiblings()]]))
    )


def clock_in(text: str) -> str:
    """As `clock_of`, of a page not yet parsed."""
    found = _CLOCK.findall(text)  # it stands below the posts
    return clock_of(etree.HTML(f"<p>{found[-1]}</p>")) if found else ""


class _Parts(NamedTuple):
    """The elements of one post that tell something."""

    author: Element | None
    pane: Element | None  # all that is told of the author
    own_link: Element | None
    date: Element | None
    note: Element | None  # of the last edit
    body: Element | None


def _parts(post: Element) -> _Parts:
    post_id = post.get("id")[5:]
    body_id = f"pid_{post_id}"
    found: dict[str, Element] = {}
    for part in post.iter("div", "span"):
        ident, names = part.get("id"), part.get("class")
        if ident == body_id:
            found["body"] = part
        elif names and ("author" in names or "post_head" in names or "post_date" in names or "edit" in names):
            for name in names.split():
                found.setdefault(name, part)
    head, note = found.get("post_head"), found.get("edited_post", found.get("post_edit"))
    own = next((a for a in head.iter("a") if f"#pid{post_id}" in a.get("href", "")), None) if head is not None else None
    author = found.get("author_information", found.get("deleted_post_author", found.get("post_author")))
    return _Parts(author, found.get("post_author"), own, found.get("post_date"), note, found.get("body"))


def _author(holder: Element | None, pane: Element | None) -> tuple[str, str | None]:
    """The author's name and the number in the profile link (None for guests); some themes put the link elsewhere in the pane."""
    if holder is None:
        return "", None
    named = next((e for e in holder.iter("span") if _has(e, "largetext")), None)
    if named is None:
        named = next((a for a in holder.iter("a") if "uid=" in a.get("href", "") and visible(a)), None)
    if named is None and pane is not None:
        named = next((a for a in pane.iter("a") if _PROFILE.search(a.get("href", "")) and visible(a)), None)
    if named is None:
        return "", None
    link = named if named.tag == "a" else next(named.iter("a"), None)
    uid = _USER.search(link.get("href", "")) if link is not None else None
    number = (uid[1] or uid[2]) if uid else None
    return visible(named), number if number != "0" else None


def _post(
    post: Element, parts: _Parts, author: tuple[str, str | None], base: str | None, authors: Collection[str], threaded: bool
) -> DraftPost:
    own = parts.own_link
    markup = read_markup(parts.body, authors=authors) if parts.body is not None else Markup("", "")
    edited = parts.note is not None and bool(visible(parts.note))
    return DraftPost(
        id=post.get("id")[5:], number=None if own is None or threaded else number_in(visible(own)), author=author[0],
        author_id=author[1], posted=_date(parts.date, "post_edit") if parts.date is not None else DateText(""),
        edited=_date(parts.note, "edited_by") if edited else None,
        url=address(own.get("href"), base) if own is not None else None, bbcode=markup.bbcode, text=markup.text,
        deleted="deleted" in post.get("class") or "unapproved" in post.get("class"),
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


def _place(tree: Element) -> tuple[int, int]:
    """Which page this is and how many there are.

    Where the topic's forum has several pages of topics, a hidden list of those stands above, under the forum's name.
    """
    bar = next((e for e in tree.iter("div") if _has(e, "pagination") and not _has(e, "pagination_breadcrumb")), None)
    if bar is None:
        return 1, 1
    current = next((e for e in bar.iter("span", "a") if _has(e, "pagination_current")), None)
    page = number_in(visible(current)) if current is not None else 1
    named = ("pagination_page", "pagination_last", "pagination_first")
    listed = [number_in(visible(a)) or 1 for a in bar.iter("a") if any(_has(a, name) for name in named)]
    return page or 1, max([page or 1, *listed])


def _topic_id(tree: Element, parts: Sequence[_Parts]) -> str | None:
    for part in parts:
        told = _TID.search(part.own_link.get("href", "")) if part.own_link is not None else None
        if told:
            return told[1] or told[2]
    for link in tree.iter("a", "link"):
        target = link.get("href", "")
        told = _TID.search(target) if "newreply" in target or "printthread" in target or link.get("rel") == "canonical" else None
        if told:
            return told[1] or told[2]
    return None


def _title(tree: Element) -> str:
    crumb = next(
        (e for e in tree.iter("span") if _has(e, "active") and e.getparent() is not None and _has(e.getparent(), "navigation")),
        None,
    )
    return visible(crumb) if crumb is not None else title_of(tree)
