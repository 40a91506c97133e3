"""Declarations in posts: stretches that are bold and coloured (DAN-POST-01 to -08), and the texts to try them as (-09)."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import NamedTuple, cast

from parser.colour import Family, family, reddish
from parser.markup import Run
from parser.names import NO_SMILEY
from parser.normal import fold
from parser.own import OwnText

_COLOURING = re.compile(r"colou?r|\[(?:red|green|blue)", re.IGNORECASE)
"""What every way to colour text holds: a post without it, as most are, declares nothing and need not be read."""


class Stretch(NamedTuple):
    """One line of a stretch that is bold and of one colour. `start` and `end` are its place in the post's source."""

    colour: Family
    text: str
    start: int
    end: int
    spoiler: bool


def stretches(bbcode: str) -> list[Stretch]:
    """The declarations of a post, in order: what is both bold and red, green or blue, one for each line.

    Quoted, struck and coded text never counts (DAN-POST-05 to -07); struck text doesn't part what stands on both sides of it
    in one colour. Those in spoiler boxes are marked, and left to the caller (DAN-POST-18).
    """
    if not _COLOURING.search(bbcode):
        return []
    return [
        Stretch(cast(Family, line.group), " ".join(line.text.split()), line.start, line.end, line.spoiler)
        for line in OwnText(bbcode).lines(_declared)
        if (line.text.isascii() and line.text.isprintable()) or fold(line.text)
    ]


def _declared(run: Run) -> Hashable | None:
    return family(run.colour) if run.bold and run.colour else None


def colour_alone(bbcode: str, colour: Family) -> list[str]:
    """The lines of a post that have that colour and are not bold: no declarations, and perhaps meant as such (DAN-POST-04)."""
    if not _COLOURING.search(bbcode):
        return []
    lines = OwnText(bbcode).lines(lambda run: (not run.bold and run.colour and family(run.colour) == colour) or None)
    return [" ".join(line.text.split()) for line in lines if not line.spoiler]


def nearly_red(bbcode: str) -> list[str]:
    """The lines of a post that are bold and of a colour which looks like red and is none (DAN-POST-03)."""
    if not _COLOURING.search(bbcode):
        return []
    lines = OwnText(bbcode).lines(lambda run: (run.bold and run.colour and reddish(run.colour)) or None)
    return [" ".join(line.text.split()) for line in lines if not line.spoiler]


_LEADING = re.compile(
    r"(?:(?:i\s+)?(?:vote|voting)(?:\s+for)?|execute|(?:i\s+)?hang(?:ing)?\s*out|investigat(?:e|ing)|the|at|in|with)(?![^\W_])"
    rf"(?:{NO_SMILEY}[\W_])*",
    re.IGNORECASE,
)
_LONGEST = 300
"""A longer line is a sentence and names nothing."""
_HEAD = re.compile(rf"(?:{NO_SMILEY}[\W_])+")


def candidates(text: str) -> list[str]:
    """The texts that a declaration may be, in the order to try them: as it stands, then with the leading words dropped.

    DAN-POST-09: leading words one after another, a leading `@`, and punctuation at the ends. As it stands comes first, so
    that a player called "The Doctor" or "Vote" is still reached by the whole name.
    """
    found = [text.strip()]
    if len(text) > _LONGEST:
        return found
    head = _HEAD.match(text)
    rest = _bare(text[head.end() :] if head else text)
    found.append(rest)
    while (leading := _LEADING.match(rest)) and leading.end() < len(rest):
        rest = rest[leading.end() :]
        found.append(rest)
    return [one for one in dict.fromkeys(found) if one]


def _bare(text: str) -> str:
    end = len(text)
    while end and not (text[end - 1].isalnum()):
        end -= 1
    return text[:end]
