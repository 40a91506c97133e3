"""Markup to runs of styled text: which letters of a post are bold, coloured, struck, quoted, code or in a spoiler box.

One scan, no recursion, so no depth is too deep. Crossed tags style what both cover; an unclosed tag ends with its post; a
tag inside code opens nothing; tags that are none of ours stay text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE = ("code", "noparse", "nobbc", "pre", "icode", "plain", "nfo", "php", "html")
_STRUCK = ("s", "strike", "del")
_SPOILER = ("spoiler", "spoil", "hide", "details", "ispoiler", "spoilers", "collapse")
_QUOTE = ("quote", "blockquote")
_SHORT_COLOURS = ("red", "green", "blue", "black", "white")
_STYLED = {"b": "bold", "strong": "bold"} | dict.fromkeys(_STRUCK, "struck") | dict.fromkeys(_SPOILER, "spoiler")
_STYLED |= dict.fromkeys(_QUOTE, "quoted") | dict.fromkeys(("color", "colour", "font", "span", *_SHORT_COLOURS), "colour")
_TRANSPARENT = frozenset(
    "u i em ins size font center centre left right justify align indent sup sub url email img list ul ol li * table tr td th "
    "thead tbody hr anchor highlight mark style div p span small big tt br cite summary abbr user member me attachment heading "
    "h1 h2 h3 h4 h5 h6 float glow shadow move flash ltr rtl bdo a".split()
)
_TAG = re.compile(
    r"\[(?P<close>/?)(?P<name>[a-z][a-z0-9]*|\*)(?P<rest>(?:[\s=:](?:\"[^\"\n]*\"|'[^'\n]*'|[^\]\n])*?)?)\s*\]"
    r"|<(?P<hclose>/?)(?P<hname>[a-z][a-z0-9]*)(?P<hrest>(?:\s(?:\"[^\"\n]*\"|'[^'\n]*'|[^<>\n])*?)?)/?>",
    re.IGNORECASE,
)
_HTML_ONLY = ("span", "div", "p", "br", "em", "ins", "details", "summary", "a", "blockquote", "strong", "del")
_STYLE_COLOUR = re.compile(r"(?:^|[;\"'\s])color\s*:\s*([^;\"']+)", re.IGNORECASE)
_COLOUR_ATTRIBUTE = re.compile(r"colou?r\s*=\s*[\"']?([^\"'>\]]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text under one styling. `start` and `end` are its place in the source; `colour` is as written."""

    text: str
    start: int
    end: int
    bold: bool = False
    colour: str | None = None
    struck: bool = False
    quoted: bool = False
    code: bool = False
    spoiler: bool = False


@dataclass(slots=True)
class _Open:
    tag: str
    style: str
    colour: str | None = None


def runs(bbcode: str) -> tuple[Run, ...]:
    """The runs of a post, in order. Never raises, whatever the text; the time it takes grows with the text alone."""
    found: list[Run] = []
    open_: list[_Open] = []
    count: dict[str, int] = {}
    ends = _last_ends(bbcode)
    place = 0

    def text_until(end: int) -> None:
        if end > place:
            colour = next((one.colour for one in reversed(open_) if one.style == "colour" and one.colour), None)
            found.append(
                Run(
                    bbcode[place:end], place, end, bool(count.get("bold")), colour, bool(count.get("struck")),
                    bool(count.get("quoted")), False, bool(count.get("spoiler")),
                )  # fmt: skip
            )

    at = 0
    while (tag := _TAG.search(bbcode, at)) is not None:
        at = tag.end()
        name = (tag["name"] or tag["hname"]).lower()
        closing = bool(tag["close"] or tag["hclose"])
        rest = tag["rest"] or tag["hrest"] or ""
        html = tag["hname"] is not None
        if name in _CODE and not closing:
            text_until(tag.start())
            end, after = _code_end(bbcode, name, html, at, ends)
            if end > at:
                found.append(Run(bbcode[at:end], at, end, code=True))
            place = at = after
        elif name in _STYLED and (html or name not in _HTML_ONLY or name in ("strong", "del", "span", "blockquote", "details")):
            text_until(tag.start())
            place = at
            _step(open_, count, name, closing, rest, html)
        elif name in _TRANSPARENT or (name in _CODE and closing):
            text_until(tag.start())
            place = at
            if name in ("br", "hr", "li", "*", "p", "div", "td", "tr") and not closing:
                found.append(Run("\n", tag.start(), tag.start()))
    text_until(len(bbcode))
    return tuple(found)


def _step(open_: list[_Open], count: dict[str, int], name: str, closing: bool, rest: str, html: bool) -> None:
    if not closing:
        style = _STYLED[name]
        colour = _colour(name, rest, html) if style == "colour" else None
        if name == "span" and "line-through" in rest:
            style = "struck"
        open_.append(_Open(name, style, colour))
        count[style] = count.get(style, 0) + 1
        return
    if not count.get("open " + name, 1):
        return
    for number in range(len(open_) - 1, max(-1, len(open_) - 400), -1):
        if open_[number].tag == name:
            count[open_.pop(number).style] -= 1
            return


def _colour(name: str, rest: str, html: bool) -> str | None:
    if name in _SHORT_COLOURS:
        return name
    if html or name in ("span", "font"):
        found = _STYLE_COLOUR.search(rest) or _COLOUR_ATTRIBUTE.search(rest)
        return found[1].strip() if found else None
    return rest.strip().lstrip("=").strip().strip("\"'").strip() or None


def _last_ends(bbcode: str) -> dict[str, int]:
    lowered = bbcode.lower()
    return {mark: lowered.rfind(mark) for name in _CODE for mark in (f"[/{name}]", f"</{name}>")}


def _code_end(bbcode: str, name: str, html: bool, at: int, ends: dict[str, int]) -> tuple[int, int]:
    mark = f"</{name}>" if html else f"[/{name}]"
    if ends[mark] < at:
        return len(bbcode), len(bbcode)
    found = re.compile(re.escape(mark), re.IGNORECASE).search(bbcode, at)
    assert found is not None
    return found.start(), found.end()
