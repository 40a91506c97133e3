"""Declarations in posts: stretches that are bold and coloured (DAN-POST-01 to -08), and the texts to try them as (-09)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from parser.colour import Family, family
from parser.markup import Run, runs
from parser.normal import fold


@dataclass(frozen=True, slots=True)
class Stretch:
    """One line of a stretch that is bold and of one colour. `start` and `end` are its place in the post's source."""

    colour: Family
    text: str
    start: int
    end: int
    spoiler: bool


def stretches(bbcode: str) -> list[Stretch]:
    """The declarations of a post, in order: what is both bold and red, green or blue, one for each line.

    Quoted, struck and coded text is as if it weren't there (DAN-POST-05 to -07), so it neither counts nor parts what stands
    on both sides of it in one colour. Those in spoiler boxes are marked, and left to the caller (DAN-POST-18).
    """
    found: list[Stretch] = []
    parts: list[Run] = []

    def close() -> None:
        if parts:
            found.extend(_lines(parts))
            parts.clear()

    for run in runs(bbcode):
        if run.quoted or run.code:
            if run.text.strip():
                close()
            continue
        if run.struck:
            continue
        if not run.text.strip() and not (run.bold and run.colour) and parts and "\n" not in run.text and not run.end - run.start:
            continue
        tint = family(run.colour) if run.bold and run.colour else None
        if tint is None:
            if run.end > run.start or parts:
                close()
            continue
        if parts and (family(parts[0].colour or "") != tint or parts[0].spoiler != run.spoiler):
            close()
        parts.append(run)
    close()
    return found


def _lines(parts: list[Run]) -> list[Stretch]:
    colour = family(parts[0].colour or "")
    assert colour is not None
    lines: list[Stretch] = []
    text, start, end = "", parts[0].start, parts[0].start

    def put() -> None:
        if fold(text):
            lines.append(Stretch(colour, " ".join(text.split()), start, end, parts[0].spoiler))

    for run in parts:
        offset = run.start
        for number, line in enumerate(run.text.split("\n")):
            if number:
                put()
                text, start = "", offset
            if not text.strip():
                start = offset
            text += line
            end = offset + len(line)
            offset += len(line) + 1
    put()
    return lines


_LEADING = re.compile(
    r"(?:votes?\s+for|votes?|i\s+votes?\s+for|i\s+votes?|voting\s+for|voting|execute|i\s+hang\s+out\s+(?:with|in|at)|i\s+hang\s+out"
    r"|hanging\s+out\s+with|hanging\s+out|hang\s+out\s+with|hang\s+out|hangout|investigating|investigate|i\s+investigate"
    r"|the|at|in|with)(?![^\W_])\s*[:=]?\s*",
    re.IGNORECASE,
)
_EDGES = " \t\r\n.,;:!?\"'“”„‘’«»‹›()[]{}<>…-–—*_~|/\\#=+،؛؟"


def candidates(text: str) -> list[str]:
    """The texts that a declaration may be, in the order to try them: as it stands, then with the leading words dropped.

    DAN-POST-09: leading words one after another, a leading `@`, and punctuation at the ends. As it stands comes first, so
    that a player called "The Doctor" or "Vote" is still reached by the whole name.
    """
    found = [text.strip(), text.strip(_EDGES + "@")]
    rest = found[-1]
    while (leading := _LEADING.match(rest)) and leading.end() < len(rest):
        rest = rest[leading.end() :].lstrip(_EDGES + "@").strip(_EDGES)
        found.append(rest)
    return [one for one in dict.fromkeys(found) if one]
