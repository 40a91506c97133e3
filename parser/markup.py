"""Markup to runs of styled text: which letters of a post are bold, coloured, struck, quoted, code or in a spoiler box.

Two passes over the tags, no recursion, so no depth is too deep. Crossed tags style what both cover. An unclosed tag ends with
its post, and one that was quoted along with somebody else's post ends with the quote. A tag inside code opens nothing; tags
that are none of ours stay text (reading.md, "The text that is looked at").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from parser.colour import is_colour

_CODE = frozenset(("code", "noparse", "nobbc", "pre", "icode", "plain", "nfo", "php", "html"))
_IMAGE = frozenset(("img", "media", "video", "youtube", "attachment"))
"""What stands in these is an address, no text."""
_FLAGS = {
    "b": "bold", "strong": "bold", "s": "struck", "strike": "struck", "del": "struck", "quote": "quoted", "blockquote": "quoted",
}  # fmt: skip
_FLAGS |= dict.fromkeys(("spoiler", "spoilers", "spoil", "ispoiler", "hide", "details", "collapse"), "spoiler")
_COLOUR_TAGS = frozenset(("color", "colour"))
_SHORT_COLOURS = frozenset(("red", "green", "blue", "black", "white"))
_ATTRIBUTED = frozenset(("span", "font", "style", "div", "p", "size", "big"))
"""Tags whose attributes may colour, embolden, strike or enlarge."""
_STYLING = _ATTRIBUTED | _COLOUR_TAGS | _SHORT_COLOURS | _FLAGS.keys()
_BREAKS = frozenset(("br", "hr", "li", "*", "p", "div", "td", "th", "tr", "summary"))
_TRANSPARENT_NAMES = """
u i em ins size font center centre left right justify align indent sup sub url email list ul ol li * table tr td th thead tbody
hr anchor highlight mark style div p span small big tt br cite summary abbr user member me heading h1 h2 h3 h4 h5 h6 float glow
shadow move ltr rtl bdo a bgcolor background sarcasm mention profile
"""
_TRANSPARENT = frozenset(_TRANSPARENT_NAMES.split())
_HTML_NAMES = """
b strong s strike del code pre blockquote details summary span font u i em ins a p div br hr big small ul ol li table tr td th
"""
_HTML = frozenset(_HTML_NAMES.split())
_TAG = re.compile(
    r"""
    \[(/?)(quote)(          # a quote's name may hold quote marks and brackets
        [ \t]*=[ \t]*(?:"[^"\n]{0,300}"|'[^'\n]{0,300}')[^\[\]\n]{0,300}
      | [ ]author=[^\n]{0,200}?[ ](?:link|date)=[^\[\]\n]{0,200}
      | [ \t=](?:[^\[\]\n]|\[[^\[\]\n/][^\[\]\n]{0,80}\]){0,300}+
      | [ \t=][^\]\n]{0,300}
    )?\]
  | \[(/?)([a-z][a-z0-9]{0,15}|\*)(
        [ \t]*=[ \t]*(?:"[^"\n]{0,300}"|'[^'\n]{0,300}')[^\[\]\n]{0,300}
      | [ \t=][^\[\]\n]{0,400}
    )?\]
  | <(/?)([a-z][a-z0-9]{0,15})((?>\s(?>[^'"<>\n]{1,300}|"[^"\n]{0,300}"|'[^'\n]{0,300}'){0,40}+)?)/?>
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Groups, three times over, for quotes, other tags and HTML: whether it closes, its name, its attributes.
_STYLE_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*([^;\"'!]+)", re.IGNORECASE)
_COLOUR_ATTRIBUTE = re.compile(r"(?<![\w-])colou?r\s*=\s*[\"']?([^\"'>\]\s]+)", re.IGNORECASE)
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_SIZE = re.compile(r"(\d{1,4})\s*(pt|px|%|em)?|(x{0,3}-?larger?)\b", re.IGNORECASE)


class Run(NamedTuple):
    """A stretch of text under one styling. `start` and `end` are its place in the source, and `text` is what stands there.

    A tag that begins a new line gives a run of no length whose text is a line end. `colour` is the innermost one, as written.
    """

    text: str
    start: int
    end: int
    bold: bool = False
    colour: str | None = None
    struck: bool = False
    quoted: bool = False
    code: bool = False
    spoiler: bool = False
    large: bool = False


@dataclass(frozen=True, slots=True)
class _Tag:
    """What a tag means by its own letters. `pair` is what its opening and its closing have in common.

    For code and images `pair` is the closing tag itself.
    """

    kind: Literal["opens", "closes", "nothing", "code", "image"]
    pair: str = ""
    flags: tuple[str, ...] = ()
    colour: str | None = None
    line: bool = False


_NOTHING = _Tag("nothing")


@dataclass(slots=True, eq=False)
class _Opened:
    """An opening tag in its place: the quote it stands within, where its closing tag begins, whether it is over by now."""

    tag: _Tag
    start: int
    within: _Opened | None
    closed: int | None = None
    over: bool = False


class _Style:
    """The styling at one place of a post: how many open tags give each of its flags, and which give a colour."""

    __slots__ = ("_colours", "_count")

    def __init__(self) -> None:
        self._count = {"bold": 0, "struck": 0, "quoted": 0, "spoiler": 0, "large": 0}
        self._colours: list[_Opened] = []

    def begin(self, opened: _Opened) -> None:
        for flag in opened.tag.flags:
            self._count[flag] += 1
        if opened.tag.colour is not None:
            self._colours.append(opened)

    def end(self, opened: _Opened) -> None:
        opened.over = True
        for flag in opened.tag.flags:
            self._count[flag] -= 1
        while self._colours and self._colours[-1].over:
            self._colours.pop()

    def run(self, text: str, start: int, end: int) -> Run:
        count, colours = self._count, self._colours
        return Run(
            text, start, end, count["bold"] > 0, colours[-1].tag.colour if colours else None, count["struck"] > 0,
            count["quoted"] > 0, False, count["spoiler"] > 0, count["large"] > 0,
        )  # fmt: skip


def runs(bbcode: str) -> tuple[Run, ...]:
    """The runs of a post, in order. Never raises, whatever the text; the time it takes grows with the text alone."""
    if "[" not in bbcode and "<" not in bbcode:
        return (Run(bbcode, 0, len(bbcode)),) if bbcode else ()
    opened: list[_Opened] = []
    found = _walk(bbcode, opened, {})
    left = _left_in_quotes(opened)
    return tuple(_walk(bbcode, [], left) if left else found)


def _walk(bbcode: str, opened: list[_Opened], left: Mapping[int, Sequence[int]]) -> list[Run]:
    """The runs, with the opening tags put into `opened`. `left` says which of them end with the closing tag that begins there."""
    found: list[Run] = []
    style = _Style()
    waiting: dict[str, list[_Opened]] = {}
    quotes: list[_Opened] = []
    unclosed: set[str] = set()
    place = at = 0
    while (match := _TAG.search(bbcode, at)) is not None:
        start, at = match.span()
        if (tag := _meaning(match[0])) is None:
            continue
        if start > place:
            found.append(style.run(bbcode[place:start], place, start))
        if tag.kind == "opens":
            while quotes and quotes[-1].closed is not None:
                quotes.pop()
            one = _Opened(tag, start, quotes[-1] if quotes else None)
            opened.append(one)
            waiting.setdefault(tag.pair, []).append(one)
            style.begin(one)
            if "quoted" in tag.flags:
                quotes.append(one)
        elif tag.kind == "closes":
            if ones := waiting.get(tag.pair):
                one = ones.pop()
                one.closed = start
                style.end(one)
                for number in left.get(start, ()):
                    style.end(opened[number])
        elif tag.kind != "nothing":
            end, at = _skipped(bbcode, at, tag, unclosed)
            if end > match.end():
                found.append(Run(bbcode[match.end() : end], match.end(), end, code=True))
        if tag.line:
            found.append(style.run("\n", start, start))
        place = at
    if place < len(bbcode):
        found.append(style.run(bbcode[place:], place, len(bbcode)))
    return found


def _left_in_quotes(opened: list[_Opened]) -> dict[int, list[int]]:
    """The tags left open in a quote, by the place of the closing tag that ends the quote and them."""
    left: dict[int, list[int]] = {}
    for number, one in enumerate(opened):
        if one.within is None or one.closed is not None:
            continue
        if one.within.closed is None:
            one.within = one.within.within  # a quote left open in a quote, which has been here before
        if one.within is not None and one.within.closed is not None and one.within.closed > one.start:
            left.setdefault(one.within.closed, []).append(number)
    return left


@lru_cache(maxsize=4096)
def _meaning(written: str) -> _Tag | None:
    """What a tag as `_TAG` finds it means; None for one that stays text. Posts write the same few tags again and again."""
    found = _TAG.match(written)
    assert found is not None
    close, name, rest, close2, name2, rest2, close3, name3, rest3 = found.groups()
    html = name3 is not None
    name = (name or name2 or name3).lower()
    closing = bool(close or close2 or close3)
    if html and name not in _HTML:
        return None
    if name in _CODE or name in _IMAGE:
        kind: Literal["code", "image"] = "code" if name in _CODE else "image"
        return _NOTHING if closing else _Tag(kind, f"</{name}>" if html else f"[/{name}]")
    pair = f"<{name}" if html else name
    line = name in _BREAKS and not closing
    if name in _STYLING:
        return _Tag("closes", pair) if closing else _opening(name, rest or rest2 or rest3 or "", pair, line)
    if name in _TRANSPARENT:
        return _Tag("nothing", line=line)
    return None


def _opening(name: str, rest: str, pair: str, line: bool) -> _Tag:
    """What an opening tag does."""
    if name in _FLAGS:
        return _Tag("opens", pair, (_FLAGS[name],), line=line)
    if name in _SHORT_COLOURS:
        return _Tag("opens", pair, colour=name)
    if name in _COLOUR_TAGS:
        colour = rest.strip().lstrip("=").strip().strip("\"'").strip()
        return _Tag("opens", pair, colour=colour if is_colour(colour) else None)
    flags = []
    if "line-through" in rest.lower():
        flags.append("struck")
    if _BOLD_STYLE.search(rest):
        flags.append("bold")
    if name == "big" or ("size" in (name + rest).lower() and _large(rest)):
        flags.append("large")
    written = _STYLE_COLOUR.search(rest) or _COLOUR_ATTRIBUTE.search(rest)
    colour = written[1].strip() if written else ""
    return _Tag("opens", pair, tuple(flags), colour if is_colour(colour) else None, line)


def _large(rest: str) -> bool:
    """Whether a size is above the usual: more than 3 of 7, 12 pt, 16 px, 100 %, or a word that says so."""
    found = _SIZE.search(rest)
    if found is None:
        return False
    if found[3]:
        return True
    number, unit = int(found[1]), (found[2] or "").lower()
    usual = {"pt": 12, "px": 16, "%": 100, "em": 1}.get(unit, 3 if number <= 7 else 14 if number < 50 else 100)
    return number > usual


def _skipped(bbcode: str, at: int, tag: _Tag, unclosed: set[str]) -> tuple[int, int]:
    """Where code that begins at `at` ends, and its closing tag; an address likewise, which is no text and ends at once."""
    # One search that fails answers for all later ones, so that many unclosed tags cost no more than one.
    last = None if tag.pair in unclosed else re.compile(re.escape(tag.pair), re.IGNORECASE).search(bbcode, at)
    if last is None:
        unclosed.add(tag.pair)
        return (at, at) if tag.kind == "image" else (len(bbcode), len(bbcode))
    return (at, last.end()) if tag.kind == "image" else last.span()
