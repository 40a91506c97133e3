"""Writing a post's BBCode and its plain text side by side, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

INERT = (
    "b|i|u|s|strong|em|strike|del|color|colour|size|font|quote|code|php|html|noparse|nobbc|url|iurl|email|img|list|ulist|olist|li|"
    r"\*|hr|center|left|right|align|justify|sub|sup|table|tr|td|move|glow|shadow|tt|pre|highlight|attachment|media|video|flash|youtube"
)
_LITERAL = re.compile(rf"(?:\[/?(?:{INERT})(?:[ =:][^\[\]]*)?\])+", re.IGNORECASE)
_NOPARSE_END = re.compile(r"\[/(noparse|nobbc)\]", re.IGNORECASE)
_CODE_END = re.compile(r"\[/code\]", re.IGNORECASE)
BLANKS = {0xA0: " ", 0xAD: None, 0x0: None, ord("\r"): None}
_NEWLINE = re.compile(r"[ \t]*\n[ \t\n]*")


class Markup(NamedTuple):
    """A post's own words twice: as BBCode, and as a reader sees them without the quotes."""

    bbcode: str
    text: str


class Span(NamedTuple):
    """How one element is written: tags around it, and what kind of thing it is on the page."""

    opening: str = ""
    closing: str = ""
    kind: str = "inline"  # inline, box (quote, spoiler, list), line (a div: a line of its own), item, cell, quote


@dataclass(slots=True)
class _Sink:
    """Text growing line by line: knows whether it stands at the start of a line and what was written last."""

    parts: list[str] = field(default_factory=list)
    fresh: bool = True  # at the start of a line, or right behind the opening of a box
    boxed: bool = False  # a box has just ended: what follows begins a line
    soft: bool = False  # a raw newline in the HTML that is a blank, or a line's end before a box

    def settle(self) -> None:
        if self.boxed:
            self.boxed = False
            if not self.fresh:
                self.newline()
        if self.soft:
            self.soft = False
            if not self.fresh:
                self.parts.append(" ")

    def newline(self) -> None:
        self.parts.append("\n")
        self.fresh, self.soft = True, False

    def line(self) -> None:
        if not self.fresh:
            self.newline()


class Writer:
    """Writes BBCode and plain text side by side."""

    def __init__(self, breaks_told: bool) -> None:
        self._told = breaks_told
        self._code, self._seen = _Sink(), _Sink()
        self._run: list[str] = []  # words of the BBCode not yet looked through for literal tags
        self._quotes = 0
        self._last = "box"  # what came last: "text", "br", "box" (either end of one)
        self.quoted = ""  # the name in a quote heading that stands before its quote

    def text(self, words: str | None) -> None:
        if not words:
            return
        if "\n" not in words:
            self._words(words.translate(BLANKS) if "\xa0" in words or "\xad" in words else words)
            return
        if self._last == "br" and words.rfind("\n") == 0:
            self._last = "text"
            words = words.translate(BLANKS).lstrip(" \t\n")
            if words:
                self._words(words)
            return
        first = True
        for piece in _NEWLINE.split(words.translate(BLANKS)):
            if not first:
                self._raw_newline()
            first = False
            if piece:
                self._words(piece)

    def _words(self, words: str) -> None:
        blank = words.isspace()
        if blank and self._last == "box" and not self._told:
            return
        if not blank or self._code.soft:
            self._settle()
        self._run.append(words)
        self._code.fresh = False
        if not self._quotes:
            self._seen.settle()
            self._seen.parts.append(words)
            self._seen.fresh = self._seen.fresh and blank
        self._last = "text"

    def _settle(self) -> None:
        if self._code.boxed or self._code.soft:
            self._flush()
            self._code.settle()

    def _raw_newline(self) -> None:
        """A newline in the HTML itself: nothing behind `<br>`, a line's end beside a box where the page tells, else a blank."""
        if self._last == "br":
            self._last = "text"
        elif self._last == "box":
            if self._told or self._code.boxed:
                self._flush()
                if self._code.boxed:
                    self._code.line()
                else:
                    self._code.newline()
                self._code.boxed = False
                self._last = "text"
        else:
            self._code.soft = self._seen.soft = True

    def line_break(self) -> None:
        self._code.soft = self._seen.soft = False
        self._settle()
        self._run.append("\n")
        self._code.fresh = True
        if not self._quotes:
            self._seen.settle()
            self._seen.newline()
        self._last = "br"

    def tag(self, tag: str) -> None:
        self._settle()
        self._flush()
        self._code.parts.append(tag)
        self._code.fresh = False
        self._last = "text"

    def words_only(self, words: str) -> None:
        if not self._quotes:
            self._seen.settle()
            self._seen.parts.append(words)
            self._seen.fresh = False

    def open(self, span: Span) -> None:
        kind = span.kind
        if kind == "inline":
            if span.opening:
                self.tag(span.opening)
        elif kind == "cell":
            self._words(" ")
        else:
            self._open_block(span)

    def _open_block(self, span: Span) -> None:
        self._flush()
        sink = self._code
        ends_line = sink.soft or sink.boxed or not self._told or span.kind in ("line", "item")
        sink.soft = sink.boxed = False
        if ends_line:
            sink.line()
        if not self._quotes:
            self._seen.soft = self._seen.boxed = False
            self._seen.line()
        sink.parts.append(span.opening)
        sink.fresh = True
        self._quotes += span.kind == "quote"
        self._last = "box"

    def close(self, span: Span) -> None:
        kind = span.kind
        if kind == "inline":
            if span.closing:
                self._flush()
                self._code.parts.append(span.closing)
                self._code.fresh = False
            return
        if kind == "cell":
            return
        self._flush()
        sink = self._code
        if kind == "list" or (sink.soft and self._told and span.closing):
            sink.line()
        sink.parts.append(span.closing)
        sink.soft = False
        sink.fresh = sink.fresh and not span.closing
        sink.boxed = kind in ("line", "item") or not self._told
        self._quotes -= kind == "quote"
        if not self._quotes:
            self._seen.boxed, self._seen.soft = True, False
        self._last = "box"

    def code(self, content: str, *, tagged: bool) -> None:
        opening, closing = ("[code]", "[/code]") if tagged else ("", "")
        self.open(Span(opening, closing, "box"))
        if tagged:
            escaped = _CODE_END.sub(lambda end: f"[/code][noparse][[/noparse]{end.group()[1:]}[code]", content)
            self._code.parts.append(escaped)
        else:
            self._run.append(content)
        self._code.fresh = False
        self.words_only(content)
        self.close(Span(opening, closing, "box"))

    def _flush(self) -> None:
        if self._run:
            words = "".join(self._run)
            self._run.clear()
            self._code.parts.append(inert(words) if "[" in words else words)

    def result(self) -> Markup:
        self._flush()
        return Markup("".join(self._code.parts).strip(" \t\n"), "".join(self._seen.parts).strip(" \t\n"))


def inert(words: str) -> str:
    """`words` with tags that a forum would have carried out wrapped in `[noparse]`; everything else untouched."""

    def wrap(match: re.Match[str]) -> str:
        ends = _NOPARSE_END.sub(lambda end: f"[[/noparse]{end.group()[1:]}[noparse]", match.group())
        return f"[noparse]{ends}[/noparse]".replace("[noparse][/noparse]", "")

    return _LITERAL.sub(wrap, words)
