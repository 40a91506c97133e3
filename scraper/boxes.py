"""The boxes of newer forum programs, brought into the shape that `read_markup` knows. What a box shows of its own goes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from scraper.markup import Element

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


def of_class(tree: Element, *names: str) -> list[Element]:
    """All elements in `tree` that have one of the classes, in the page's order; a list, so that they may be changed."""
    wanted = set(names)
    return [e for e in tree.iter(etree.Element) if not wanted.isdisjoint((e.get("class") or "").split())]


def has(element: Element, name: str) -> bool:
    """Whether `name` is one of the element's classes."""
    classes = element.get("class")
    return classes is not None and name in classes.split()


def drop(element: Element) -> None:
    """Take an element out with all that is in it; what stands behind it stays."""
    _keep_tail(element)
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def as_quote(box: Element, name: str) -> None:
    """Make `box` a quote of `name`, a name as the page gives it apart from any sentence; of nobody where it is empty.

    `read_markup` takes the name in a profile's link as it is, whatever stands in it.
    """
    box.tag = "blockquote"
    box.attrib.clear()
    if name.strip():
        cite = etree.Element("cite")
        etree.SubElement(cite, "a", href="action=profile").text = _whole(name)
        cite.tail, box.text = box.text, None
        box.insert(0, cite)


def as_spoiler(box: Element, content: Element | None, title: str = "") -> None:
    """Make `box` a spoiler that hides `content` alone, or all that is in it; `title` stands on its lid."""
    inside = [box.text or "", *box] if content is None else [content.text or "", *content]
    box.tag = "details"
    box.attrib.clear()
    for part in list(box):
        box.remove(part)
    box.text = None
    lid = etree.SubElement(box, "summary")
    lid.text = _whole(title)
    body = etree.SubElement(box, "div")
    body.text = inside[0]
    for part in inside[1:]:
        body.append(part)


def as_link(box: Element, address: str) -> None:
    """Leave of `box`, which previews another page, nothing but that page's address."""
    tail = box.tail
    box.clear()
    box.tag, box.tail = "div", tail
    link = etree.SubElement(box, "a", href=_whole(address))
    link.text = _whole(address)


def as_words(link: Element) -> None:
    """Leave of a link that the forum has made of a name nothing but its words."""
    link.set("class", "mention")


def innermost_first(boxes: list[Element]) -> Iterator[Element]:
    """Boxes in boxes, each before the one around it."""
    yield from reversed(boxes)


def _keep_tail(element: Element) -> None:
    parent = element.getparent()
    if element.tail and parent is not None:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    element.tail = None


def _whole(text: str) -> str:
    """`text` without what no XML may hold: lxml refuses control characters."""
    return _CONTROLS.sub("", text)
