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
_NEUTRAL = """
u i em ins size font center centre left right justify align indent sup sub url email img list ul ol li * table
tr td th thead tbody hr anchor highlight mark style div p span small big tt br cite summary abbr user member me
attachment heading h1 h2 h3 h4 h5 h6 float glow shadow move flash ltr rtl bdo a
"""
_TRANSPARENT = frozenset(_NEUTRAL.split())
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


class _Styles:
    """The tags now open. Whatever the order of opening and closing, each step takes constant time."""

    def __init__(self) -> None:
        self.open: dict[str, list[tuple[int, str]]] = {}
        self.count: dict[str, int] = {}
        self.colours: dict[int, str] = {}
        self.number = 0

    def step(self, name: str, closing: bool, rest: str, html: bool) -> None:
        """A styling tag is met: it opens, or closes the latest of its name; a closing tag without one is nothing."""
        if closing:
            if waiting := self.open.get(name):
                number, style = waiting.pop()
                self.count[style] -= 1
                self.colours.pop(number, None)
            return
        style = "struck" if name == "span" and "line-through" in rest else _STYLED[name]
        self.number += 1
        self.open.setdefault(name, []).append((self.number, style))
        self.count[style] = self.count.get(style, 0) + 1
        if style == "colour" and (colour := _colour(name, rest, html)):
            self.colours[self.number] = colour

    def run(self, text: str, start: int, end: int) -> Run:
        """`text` under the styles now open; of nested colours the innermost counts."""
        on = {style: number > 0 for style, number in self.count.items()}
        colour = self.colours[next(reversed(self.colours))] if self.colours else None
        return Run(
            text, start, end, on.get("bold", False), colour, on.get("struck", False), on.get("quoted", False),
            False, on.get("spoiler", False),
        )  # fmt: skip


def runs(bbcode: str) -> tuple[Run, ...]:
    """The runs of a post, in order. Never raises, whatever the text; the time it takes grows with the text alone."""
    found: list[Run] = []
    styles = _Styles()
    ends = _last_ends(bbcode)
    place = 0

    def text_until(end: int) -> None:
        if end > place:
            found.append(styles.run(bbcode[place:end], place, end))

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
            styles.step(name, closing, rest, html)
        elif name in _TRANSPARENT or (name in _CODE and closing):
            text_until(tag.start())
            place = at
            if name in ("br", "hr", "li", "*", "p", "div", "td", "tr") and not closing:
                found.append(Run("\n", tag.start(), tag.start()))
    text_until(len(bbcode))
    return tuple(found)


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
