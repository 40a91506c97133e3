"""Topic pages of FluxBB 1.4 and 1.5 (and PunBB 1.2 and 1.3, from which it comes), in any language.

A post is `div#p<ID>.blockpost`, its words `div.postmsg`, its date the link in its heading, its number `span.conr`. The note
of the last edit stands inside the body, and the signature has the body's class too. Posts run by id.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from lxml import etree

from scraper.boxes import drop
from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    apart,
    base_of,
    decode,
    language_of,
    number_in,
    numbers_in,
    one_line,
    page_reader,
    parse,
    refuse,
    title_of,
    visible,
)
from scraper.whole import whole
from scraper.writer import Markup

KIND = "fluxbb"
NAME = "FluxBB"
STYLE = "one of the forum's own styles"

_POSTS = etree.XPath(
    "//div[contains(concat(' ', @class, ' '), ' blockpost ')][starts-with(@id, 'p') and number(substring(@id, 2)) > 0]"
)
_LOOKS = re.compile(r"""<div id=["']pun\w+["'] class=["']pun["']|fluxbb\.org/""")
_USER = re.compile(r"profile\.php\?(?:[^#]*&)?id=(\d+)")
_TOPIC = re.compile(r"viewtopic\.php\?(?:[^#]*&)?id=(\d+)|post\.php\?(?:[^#]*&)?tid=(\d+)")
_OWN = re.compile(r"""<li id="navprofile"[^>]*><a href="profile\.php\?id=(\d+)""")
_SMILIES = {
    "smile": ":)", "neutral": ":|", "sad": ":(", "big_smile": ":D", "yikes": ":o", "wink": ";)", "hmm": ":/", "tongue": ":P",
    "lol": ":lol:", "mad": ":mad:", "roll": ":rolleyes:", "cool": ":cool:",
}  # fmt: skip
"""What is typed for a smiley, by the name that the page gives it."""


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from FluxBB, be it a topic or not."""
    text = decode(page)
    return 'id="pun' in text and _LOOKS.search(text) is not None


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic; how many posts it holds is the reader's own choice."""
    return f"{base}viewtopic.php?id={topic_id}" + (f"&p={page}" if page > 1 else "")


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; see `ReadPage` for what it raises."""
    tree = parse(decode(page), NAME)
    found = [post for post in _POSTS(tree) if post.get("id")[1:].isdecimal()]
    apart(found)
    if not found or tree.find(".//div[@id='punviewtopic']") is None:
        raise refuse(tree, NAME, said=notice_of(tree))
    base = base_of(tree, base_url, ())
    parts = [_parts(post) for post in found]
    names = [_author(part.author) for part in parts]
    authors = {name for name, _ in names}
    posts = tuple(_post(part, name, base, authors) for part, name in zip(parts, names, strict=True))
    number, pages = _place(tree)
    draft = DraftPage(
        forum=KIND, topic_id=_topic_id(tree), title=_title(tree), page=number, pages=pages, posts=posts,
        per_page=len(posts) if number < pages else None, signed_in=tree.find(".//li[@id='navlogout']") is not None,
        locked=_locked(tree), language=language_of(tree), one_offset=True,
    )  # fmt: skip
    return whole(draft, STYLE, wordless=[part.id for part in parts if part.body is None])


read_page = page_reader(draft_page)
"""See `ReadPage`."""


def notice_of(tree: Element) -> str:
    """What a page says that holds nothing but a notice, on one line; empty for all other pages."""
    box = tree.find(".//div[@id='msg']")
    paragraph = box.find(".//p") if box is not None else None
    return "".join(letter for letter in visible(paragraph) if letter.isprintable())[:300]


def account_of(tree: Element) -> str | None:
    """Whose page this is, as its head says; None for a guest."""
    if tree.find(".//li[@id='navlogout']") is None:
        return None
    return visible(next(iter(tree.xpath("//*[@id='brdwelcome']//strong")), None))


def account_in(text: str) -> str:
    """The number of the account whose page this is, of a page not yet parsed; empty for a guest's."""
    told = _OWN.search(text)
    return told[1] if told else ""


class _Parts(NamedTuple):
    """The elements of one post that tell something."""

    id: str
    number: int | None
    date: Element | None
    author: Element | None
    body: Element | None


def _parts(post: Element) -> _Parts:
    heading = next(post.iter("h2"), None)
    date = next(heading.iter("a"), None) if heading is not None else None
    place = next((e for e in heading.iter("span") if _has(e, "conr")), None) if heading is not None else None
    body = next((e for e in post.iter("div") if _has(e, "postmsg") and not _has(e, "postsignature")), None)
    return _Parts(post.get("id")[1:], number_in(visible(place)), date, next(post.iter("dt"), None), body)


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _author(line: Element | None) -> tuple[str, str | None]:
    """The author's name and the number in the profile link (None for guests, deleted accounts, and where profiles are closed)."""
    if line is None:
        return "", None
    link = next(line.iter("a"), None)
    told = _USER.search(link.get("href", "")) if link is not None else None
    return visible(line), told[1] if told else None


def _post(part: _Parts, author: tuple[str, str | None], base: str | None, authors: Collection[str]) -> DraftPost:
    edited = _take_note(part.body) if part.body is not None else None
    markup = Markup("", "")
    if part.body is not None:
        _name_smilies(part.body)
        _as_newer_boxes(part.body)
        markup = read_markup(part.body, authors=authors)
    return DraftPost(
        id=part.id, number=part.number, author=author[0], author_id=author[1], posted=DateText(visible(part.date)), edited=edited,
        url=f"{base}viewtopic.php?pid={part.id}#p{part.id}" if base else None, bbcode=markup.bbcode, text=markup.text,
    )  # fmt: skip


def _take_note(body: Element) -> DateText | None:
    """Take the note of the last edit out of the body: its date stands in the last brackets, behind a name of any form."""
    note = next((e for e in body.iterchildren("p") if _has(e, "postedit")), None)
    if note is None:
        return None
    words = visible(note)
    body.remove(note)
    return DateText(words.rpartition("(")[2].rstrip(") ") if "(" in words else words)


def _name_smilies(body: Element) -> None:
    for image in body.iter("img"):
        if "/img/smilies/" in (image.get("src") or "") and image.get("alt") in _SMILIES:
            image.set("alt", _SMILIES[image.get("alt")])


def _as_newer_boxes(body: Element) -> None:
    """PunBB's boxes, which FluxBB has grown from, as FluxBB's: a heading in front of what is quoted, code marked as code."""
    for box in [e for e in body.iter("div") if _has(e, "incqbox")]:
        above = box.getparent()
        coded = above is not None and _has(above, "codebox")
        for heading in box.findall("h4"):
            heading.tag = "cite"
            if coded:
                drop(heading)
        for inner in box.iter("pre") if coded else ():
            inner.tag = "code"


def _place(tree: Element) -> tuple[int, int]:
    """Which page this is and how many there are. Numbers may be grouped; words for next and previous are skipped."""
    bar = next((e for e in tree.iter("p") if _has(e, "pagelink")), None)
    if bar is None:
        return 1, 1
    current = next(bar.iter("strong"), None)
    page = number_in(visible(current)) or 1
    listed = [numbers_in(visible(a)) for a in bar.iter("a") if a.get("rel") not in ("next", "prev")]
    return page, max([page, *[numbers[0] for numbers in listed if len(numbers) == 1]])


def _locked(tree: Element) -> bool:
    """Whether the place of the reply button has words and no link."""
    place = next((e for e in tree.iter("p") if _has(e, "postlink")), None)
    return place is not None and bool(visible(place)) and next(place.iter("a"), None) is None


def _topic_id(tree: Element) -> str | None:
    """From the page's own head and its list of pages, before any link in a post."""
    heads = [link.get("href", "") for link in tree.iter("link") if link.get("rel") == "canonical"]
    for crumbs in (e for e in tree.iter("ol", "ul", "p") if _has(e, "crumbs") or _has(e, "postlink")):
        heads += [a.get("href", "") for a in crumbs.iter("a")]
    told = next((found for found in map(_TOPIC.search, heads) if found), None)
    return (told[1] or told[2]) if told else None


def _title(tree: Element) -> str:
    crumb = next((e for e in tree.iter("ol", "ul") if _has(e, "crumbs")), None)
    links = [] if crumb is None else [a for a in crumb.iter("a") if "viewtopic.php" in a.get("href", "")]
    return one_line(visible(links[-1])) if links else title_of(tree)
