"""A post's own text: what its author says, without quotes, code and struck text, and where in the source it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator
from itertools import islice
from typing import NamedTuple

from parser.markup import Run, runs

_MARKS = "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""Marks that show as nothing. The half-space and the joiner of emoji stay: they are part of how a name is written."""
_INVISIBLE = re.compile(f"[{_MARKS}]")
_SEEN = re.compile(f"[^{_MARKS}]+")
_LINE_END = re.compile(r"[\n\r\v\f\x85\u2028\u2029]")


class Line(NamedTuple):
    """One line of a stretch of like text. `at` and `until` are places in the own text, `start` and `end` in the source."""

    text: str
    at: int
    until: int
    start: int
    end: int
    group: Hashable
    spoiler: bool


def _visible(run: Run) -> Iterator[Run]:
    """The run without zero-width and direction marks, in pieces, so that each letter keeps its place in the source."""
    if not _INVISIBLE.search(run.text):
        yield run
        return
    for found in _SEEN.finditer(run.text):
        yield run._replace(text=found[0], start=run.start + found.start(), end=run.start + found.end())


class OwnText:
    """The own text of a post in one string, with the run that each piece of it comes from.

    Struck text is as if it weren't there; a quote, code and the edge of a spoiler box end the line, as they do on the page
    (DAN-POST-05 to -07, DAN-POST-18).
    """

    def __init__(self, bbcode: str) -> None:
        self.pieces: list[tuple[int, Run]] = []
        parts: list[str] = []
        length = 0
        spoiler = False
        invisible = not bbcode.isascii() and _INVISIBLE.search(bbcode) is not None
        for run in runs(bbcode):
            if run.struck:
                continue
            apart = run.quoted or run.code
            if (apart or run.spoiler != spoiler) and parts and parts[-1] != "\n":
                parts.append("\n")
                length += 1
            if apart:
                continue
            spoiler = run.spoiler
            for piece in _visible(run) if invisible else (run,):
                self.pieces.append((length, piece))
                parts.append(piece.text)
                length += len(piece.text)
        self.text = "".join(parts)
        self._starts = [at for at, _ in self.pieces]

    def run(self, at: int) -> Run | None:
        """The run that the letter at `at` of the own text comes from; None for a line end between runs."""
        number = bisect_right(self._starts, at) - 1
        if number < 0:
            return None
        start, run = self.pieces[number]
        return run if at < start + len(run.text) else None

    def pieces_from(self, at: int) -> Iterator[tuple[int, Run]]:
        """The pieces that begin after `at`, with their places."""
        return islice(self.pieces, bisect_right(self._starts, at), None)

    def source(self, at: int) -> int:
        """The place in the source of the letter at `at` of the own text."""
        number = bisect_right(self._starts, at) - 1
        if number < 0:
            return 0
        start, run = self.pieces[number]
        return min(run.start + at - start, run.end)

    def lines(self, group: Callable[[Run], Hashable | None]) -> Iterator[Line]:
        """The lines of each stretch whose runs fall into one group; None is no group. Blank ones are left out."""
        place, stretch, now = 0, 0, None
        for start, run in self.pieces:
            kind = group(run)
            if kind != now or start != place:
                if now is not None:
                    yield from self._split(stretch, place, now)
                stretch, now = start, kind
            place = start + len(run.text)
        if now is not None:
            yield from self._split(stretch, place, now)

    def _split(self, start: int, end: int, group: Hashable) -> Iterator[Line]:
        for line in _LINE_END.split(self.text[start:end]):
            text = line.strip()
            if text:
                at = start + line.index(text)
                until = at + len(text)
                begun, run = self.pieces[bisect_right(self._starts, at) - 1]
                source = run.start + at - begun
                last = source + len(text) if until <= begun + len(run.text) else self.source(until - 1) + 1
                yield Line(text, at, until, source, last, group, run.spoiler)
            start += len(line) + 1
