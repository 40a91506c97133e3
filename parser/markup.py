"""Markup to runs of styled text: which letters of a post are bold, coloured, struck, quoted, code or in a spoiler box.

Two passes over the tags, no recursion, so no depth is too deep. Crossed tags style what both cover. An unclosed tag ends with
its post, and one that was quoted along with somebody else's post ends with the quote. A tag inside code opens nothing; tags
that are none of ours stay text (reading.md, "The text that is looked at").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

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
_START = re.compile(r"[\[<](?=[/a-z*])", re.IGNORECASE)
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


@dataclass(slots=True)
class _Tag:
    """One styling tag that opens: what it does, the quote it stands in, and whether it is closed in the end."""

    flags: tuple[str, ...]
    colour: str | None
    within: int | None
    closed: bool = False


@dataclass(slots=True)
class _Event:
    """A place where text stops: a tag that opens or closes, code, or a new line."""

    start: int
    end: int
    opens: int | None = None
    closes: tuple[int, ...] = ()
    code: tuple[int, int] | None = None
    line: bool = False


def runs(bbcode: str) -> tuple[Run, ...]:
    """The runs of a post, in order. Never raises, whatever the text; the time it takes grows with the text alone."""
    tags: list[_Tag] = []
    events = list(_events(bbcode, tags))
    _end_with_quotes(tags, events)
    return tuple(_styled(bbcode, tags, events))


def _events(bbcode: str, tags: list[_Tag]) -> Iterator[_Event]:
    waiting: dict[str, list[int]] = {}
    quotes: list[int] = []
    unclosed: set[str] = set()
    at = 0
    while (start := _START.search(bbcode, at)) is not None:
        at = start.end()
        if (found := _TAG.match(bbcode, start.start())) is None:
            continue
        at = found.end()
        close, name, rest, close2, name2, rest2, close3, name3, rest3 = found.groups()
        html = name3 is not None
        name = (name or name2 or name3).lower()
        closing = bool(close or close2 or close3)
        if html and name not in _HTML:
            continue
        if name in _CODE or name in _IMAGE:
            event = _verbatim(bbcode, found, name, closing, html, unclosed)
            at = event.end
            yield event
        elif closing:
            if numbers := waiting.get(f"<{name}" if html else name):
                number = numbers.pop()
                tags[number].closed = True
                yield _Event(found.start(), at, closes=(number,))
            elif name in _TRANSPARENT or name in _FLAGS or name in _COLOUR_TAGS or name in _SHORT_COLOURS:
                yield _Event(found.start(), at)
        elif (tag := _opened(name, rest or rest2 or rest3 or "")) is not None:
            while quotes and tags[quotes[-1]].closed:
                quotes.pop()
            tag.within = quotes[-1] if quotes else None
            number = len(tags)
            tags.append(tag)
            waiting.setdefault(f"<{name}" if html else name, []).append(number)
            if "quoted" in tag.flags:
                quotes.append(number)
            yield _Event(found.start(), at, opens=number, line=name in _BREAKS)
        elif name in _TRANSPARENT:
            yield _Event(found.start(), at, line=name in _BREAKS)


def _opened(name: str, rest: str) -> _Tag | None:
    """What an opening tag does; None for one that styles nothing."""
    if name in _FLAGS:
        return _Tag((_FLAGS[name],), None, None)
    if name in _SHORT_COLOURS:
        return _Tag((), name, None)
    if name in _COLOUR_TAGS:
        colour = rest.strip().lstrip("=").strip().strip("\"'").strip()
        return _Tag((), colour if is_colour(colour) else None, None)
    if name not in _ATTRIBUTED:
        return None
    flags = []
    if "line-through" in rest.lower():
        flags.append("struck")
    if _BOLD_STYLE.search(rest):
        flags.append("bold")
    if name == "big" or ("size" in (name + rest).lower() and _large(rest)):
        flags.append("large")
    written = _STYLE_COLOUR.search(rest) or _COLOUR_ATTRIBUTE.search(rest)
    colour = written[1].strip() if written else ""
    return _Tag(tuple(flags), colour if is_colour(colour) else None, None)


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


def _verbatim(bbcode: str, found: re.Match[str], name: str, closing: bool, html: bool, unclosed: set[str]) -> _Event:
    """Code up to its closing tag, or to the end of the post; an address likewise, which is no text at all."""
    at = found.end()
    if closing:
        return _Event(found.start(), at)
    mark = f"</{name}>" if html else f"[/{name}]"
    # One search that fails answers for all later ones, so that many unclosed tags cost no more than one.
    last = None if mark in unclosed else re.compile(re.escape(mark), re.IGNORECASE).search(bbcode, at)
    if last is None:
        unclosed.add(mark)
        if name in _IMAGE:
            return _Event(found.start(), at)
    end, after = (len(bbcode), len(bbcode)) if last is None else (last.start(), last.end())
    return _Event(found.start(), after, code=None if name in _IMAGE else (at, end))


def _end_with_quotes(tags: list[_Tag], events: list[_Event]) -> None:
    left: dict[int, list[int]] = {}
    for number, tag in enumerate(tags):
        if not tag.closed and tag.within is not None and tags[tag.within].closed:
            left.setdefault(tag.within, []).append(number)
    if left:
        for event in events:
            event.closes += tuple(number for quote in event.closes for number in left.get(quote, ()))


def _styled(bbcode: str, tags: list[_Tag], events: list[_Event]) -> Iterator[Run]:
    count = dict.fromkeys(("bold", "struck", "quoted", "spoiler", "large"), 0)
    colours: list[int] = []
    ended: set[int] = set()

    def run(text: str, start: int, end: int) -> Run:
        while colours and colours[-1] in ended:
            colours.pop()
        return Run(
            text, start, end, count["bold"] > 0, tags[colours[-1]].colour if colours else None, count["struck"] > 0,
            count["quoted"] > 0, False, count["spoiler"] > 0, count["large"] > 0,
        )  # fmt: skip

    place = 0
    for event in events:
        if event.start > place:
            yield run(bbcode[place : event.start], place, event.start)
        place = event.end
        if event.code is not None and event.code[1] > event.code[0]:
            yield Run(bbcode[event.code[0] : event.code[1]], *event.code, code=True)
        for number in event.closes:
            ended.add(number)
            for flag in tags[number].flags:
                count[flag] -= 1
        if event.opens is not None:
            for flag in tags[event.opens].flags:
                count[flag] += 1
            if tags[event.opens].colour is not None:
                colours.append(event.opens)
        if event.line:
            yield run("\n", event.start, event.start)
    if place < len(bbcode):
        yield run(bbcode[place:], place, len(bbcode))
