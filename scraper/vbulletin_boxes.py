"""The quotes, code boxes and smilies in a vBulletin post, made into the plain elements that other forums use.

vBulletin 3 builds a quote of a heading and a table of one cell, 4 of nested boxes with classes. Both become `blockquote` with a
`cite`, and code becomes `pre` with `code`, so that one reader of markup does for all forums.
"""

from __future__ import annotations

import re

from lxml import etree

from scraper.markup import Element

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_QUOTED = re.compile(r"#post\d+$")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_NAMED = "?viewprofile"  # a link that the reader of markup takes for a profile's: its text is the whole name


def words_of_post(body: Element) -> Element:
    """The element with a post's words, changed in place: `body` (lxml) itself in 3, the block inside it in 4."""
    inner = next((part for part in body.iterchildren("blockquote") if _has(part, "postcontent")), body)
    for indented in list(body.iter("blockquote")):
        indented.tag = "section"  # what is indented is no quote
    _plain_boxes(inner)
    _quotes_by_their_links(inner)
    return inner


def _quotes_by_their_links(body: Element) -> None:
    """Quotes in whatever box a skin makes: the heading ends with the name and a picture that leads to the post quoted."""
    for link in reversed(list(body.iter("a"))):
        name, heading = link.getprevious(), link.getparent()
        pictured = len(link) > 0 and not (link.text or "").strip()
        if name is None or name.tag != "strong" or not pictured or not _QUOTED.search(link.get("href", "")):
            continue
        if link.getnext() is not None or (link.tail or "").strip() or not f"{heading.text or ''}{name.tail or ''}".strip():
            continue  # not all that a heading is: a player's own words
        content = heading.getnext() if heading is not body else None
        if content is not None:
            _replace(content, _quote(content, name))
            _drop(heading)


def _plain_boxes(body: Element) -> None:
    """Inner boxes first, so that a quote's own heading is the only one left in it."""
    for box in reversed(list(body.iter("div"))):
        if _has(box, "bbcode_container"):
            _new_box(box)
        else:
            _old_box(box)
    for image in body.iter("img"):
        if _has(image, "inlineimg"):
            image.set("class", "smilie")
            image.set("alt", _text(image.get("alt") or image.get("title")))


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _new_box(box: Element) -> None:
    """A box of vBulletin 4."""
    quote = next((e for e in box.iter("div") if _has(e, "bbcode_quote")), None)
    if quote is None:
        code = next((e for e in box.iter("pre", "div", "code") if _has(e, "bbcode_code")), None)
        if code is not None:
            _replace(box, _code(code))
        return
    heading = next((e for e in quote.iter("div") if _has(e, "bbcode_postedby")), None)
    name = heading.find(".//strong") if heading is not None else None
    content = next((e for e in quote.iter("div") if _has(e, "message")), None)
    if content is None:
        content = next((e for e in quote.iter("div") if _has(e, "quote_container")), quote)
        for part in list(content):
            if _has(part, "bbcode_quote_container") or _has(part, "bbcode_postedby"):
                _drop(part)
    _replace(box, _quote(content, name))


def _old_box(box: Element) -> None:
    """A box of vBulletin 3, which has no classes: a small heading and, behind it, a table of one cell, a panel or a `pre`."""
    parts = [part for part in box if isinstance(part.tag, str)]
    if len(parts) < 2 or parts[0].tag != "div" or not (_has(parts[0], "smallfont") or _label(parts[0])):
        return
    content = parts[1]
    if next(parts[0].iter("input", "button"), None) is not None:
        _drop(parts[0])  # the lid of a spoiler, as boards of 3 build one: what it hides has a style that says so
    elif len(parts) > 2:
        if _names_somebody(parts[1:]) is not None:
            _replace(box, _quote(parts[2], _names_somebody(parts[1:])))
    elif content.tag == "pre" or (content.tag == "div" and next(content.iter("code"), None) is not None):
        _replace(box, _code(content))
    else:
        cell = next(content.iter("td"), None) if content.tag == "table" else content if _is_panel(content) else None
        if cell is not None:
            inside = [part for part in cell if isinstance(part.tag, str)]
            name = None if (cell.text or "").strip() else _names_somebody(inside)
            _replace(box, _quote(cell if name is None else inside[1], name))


def _names_somebody(parts: list[Element]) -> Element | None:
    """The name in the first of two parts, where it stands behind some words as whose words the second holds."""
    if len(parts) != 2 or any(part.tag != "div" for part in parts) or not (parts[0].text or "").strip():
        return None
    name: Element | None = parts[0].find("strong")
    return name


def _is_panel(content: Element) -> bool:
    """Whether a box holds what is quoted, as skins without tables write it, and not what a spoiler hides."""
    inside = [content, *(content if len(content) == 1 and not (content.text or "").strip() else ())]
    if "spoil" in content.get("class", "") or any(_HIDDEN.search(part.get("style", "")) for part in inside):
        return False
    return content.tag == "div" and any(name == "alt2" or "quote" in name for name in content.get("class", "").split())


def _label(heading: Element) -> bool:
    """Whether a heading is nothing but a `label`, as newer skins of vBulletin 3 write it."""
    return [part.tag for part in heading] == ["label"] and not (heading.text or "").strip()


def _quote(content: Element, name: Element | None) -> Element:
    quote = etree.Element("blockquote")
    if name is not None:
        cite = etree.SubElement(quote, "cite")
        etree.SubElement(cite, "a", href=_NAMED).text = _text("".join(name.itertext()))
    words = etree.SubElement(quote, "div")
    words.text = _text(content.text)
    for part in list(content):
        words.append(part)
    return quote


def _code(content: Element) -> Element:
    box = etree.Element("pre")
    inner = etree.SubElement(box, "code")
    inner.text = _text(content.text)
    for part in list(content):
        inner.append(part)
    return box


def _text(words: str | None) -> str:
    """Words without the control signs that a page may hold and a tree takes from no one but its parser."""
    return _CONTROLS.sub("", words or "")


def _replace(old: Element, new: Element) -> None:
    new.tail = _text(old.tail)
    parent = old.getparent()
    if parent is not None:
        parent.replace(old, new)


def _drop(element: Element) -> None:
    """Take an element out; the words behind it stay."""
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        before.tail = _text(before.tail) + _text(element.tail)
    else:
        parent.text = _text(parent.text) + _text(element.tail)
    parent.remove(element)
