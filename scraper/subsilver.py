"""Topic pages of phpBB 3 in subsilver2 and styles built on it (to 3.1), put into the shape that prosilver gives a topic.

Each post is a table `.tablebg` with an anchor `p<ID>`, the author `.postauthor`, the date behind the post's own link, and the
words in the first `div.postbody`; what follows in a second one is the signature.
"""

from __future__ import annotations

import re

from lxml import etree

from scraper.boxes import drop
from scraper.markup import Element
from scraper.topicpage import visible

_ANCHOR = re.compile(r"p([1-9]\d{0,11})")


def as_prosilver(tree: Element) -> None:
    """Turn each post of the page into a `div.post`, and what tells its pages into a `div.pagination`."""
    anchors = [(a, _ANCHOR.fullmatch(a.get("name") or a.get("id") or "")) for a in tree.iter("a")]
    posts = [(told[1], next((e for e in a.iterancestors("table") if _has(e, "tablebg")), None)) for a, told in anchors if told]
    boxes = [(post, box) for post, box in posts if box is not None]
    if not boxes or len({box for _, box in boxes}) != len(posts):
        return  # another style, where a table holds several posts
    _pages(tree, {box for _, box in boxes})
    for post, box in boxes:
        _post(box, post)


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _post(box: Element, post: str) -> None:
    author = next((e for e in box.iter() if isinstance(e.tag, str) and _has(e, "postauthor")), None)
    body = next((e for e in box.iter("div") if _has(e, "postbody")), None)
    cell = next((e for e in body.iterancestors("td") if _own_cell(e, box)), None) if body is not None else None
    inside = set() if cell is None else set(cell.iter())
    profile = next((a for a in box.iter("a") if "mode=viewprofile" in a.get("href", "") and a not in inside), None)
    own = next((a for a in box.iter("a") if a.get("href", "").endswith(f"#p{post}") and a not in inside), None)
    held = any("mode=approve" in a.get("href", "") or "mode=unapproved" in a.get("href", "") for a in box.iter("a"))
    note = next((e for e in cell.iter("span") if _has(e, "gensmall") and visible(e)), None) if cell is not None else None
    shaped = etree.Element("div", {"id": f"p{post}", "class": "post"})
    if author is not None:
        line = etree.SubElement(shaped, "p", {"class": "author"})
        named = etree.SubElement(line, "a", {"class": "username", "href": profile.get("href", "") if profile is not None else ""})
        named.text = visible(author)
        named.tail = f" » {_date(own)}"
    if held:
        etree.SubElement(shaped, "p", {"class": "unapproved"})
    if note is not None and body not in note.iterancestors():
        note.tag, note.tail = "div", None
        note.set("class", "notice")
        shaped.append(note)
    if body is not None:
        body.tail = None
        body.set("class", "content")
        _code(body)
        shaped.append(body)
    shaped.tail = box.tail
    parent = box.getparent()
    if parent is not None:
        parent.replace(box, shaped)


def _own_cell(cell: Element, box: Element) -> bool:
    """Whether a cell stands in the post's own table, and not in one within it."""
    return next(cell.iterancestors("table"), None) is box


def _date(own: Element | None) -> str:
    """What stands behind the post's own link, without the word in front of it."""
    words = [] if own is None else [own.tail or "", *[(e.text or "") + (e.tail or "") for e in own.itersiblings()]]
    sentence = "".join(words).strip("\xa0 ")
    label, _, date = sentence.partition(":")
    return sentence if re.search(r"\d", label) else date.strip()


def _code(body: Element) -> None:
    for box in list(body.iter("div")):
        if _has(box, "codetitle"):
            drop(box)
        elif _has(box, "codecontent"):
            box.tag = "code"


def _pages(tree: Element, boxes: set[Element]) -> None:
    """Set the line "page 2 of 3" and the numbered links to other pages together."""
    told = next((e for e in tree.iter("td") if _has(e, "nav") and len(e.findall("strong")) == 2), None)
    if told is None:
        return
    bar = etree.Element("div", {"class": "pagination"})
    for strong in told.findall("strong"):
        etree.SubElement(bar, "strong").text = visible(strong)
    for link in tree.iter("a"):
        if "start=" in link.get("href", "") and visible(link).isdecimal() and boxes.isdisjoint(link.iterancestors()):
            etree.SubElement(bar, "a", {"href": link.get("href", "")}).text = visible(link)
    told.append(bar)
