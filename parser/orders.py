"""Private orders, read through phrases that a ruleset lists as data (reading.md, "A private order").

A phrase such as `hypnotise {thing} to {thing}` is at once the way to write the order, the help text and the pattern that reads
it. What a slot may hold is told by the caller. Nothing is guessed: what does not fit as a whole is unreadable, and comes back
with the nearest phrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import fuzz, process

from parser.markup import runs
from parser.names import Ambiguous, Found, Match
from parser.normal import fold

Slot = Callable[[str], Match]


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to write an order: its id, and words with `{slots}` among them."""

    id: str
    pattern: str


@dataclass(frozen=True, slots=True)
class ReadOrder:
    """An order read for sure: the phrase's id, and what its slots hold, in the order of the pattern."""

    id: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AmbiguousOrder:
    """An order whose slot fits several: `text` as written, and the candidates."""

    text: str
    slot: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnreadableOrder:
    """A text that is no order for sure. `nearest` is the phrase most like it."""

    text: str
    reason: str
    nearest: str | None


Reading = ReadOrder | AmbiguousOrder | UnreadableOrder


@dataclass(frozen=True, slots=True)
class Piece:
    """One order's worth of a message, as written, and the line it stands on, from 1."""

    text: str
    line: int


_POLITE = re.compile(
    r"^(?:(?:please|pls|hi|hello|hey|ok|okay|thanks|thank you|gm|dear gm|monokuma|tonight|today|and|then|also"
    r"|my (?:action|order) is|action|order|i'?d like to|i would like to|i want to|i wanna|i will|i'?ll|i am going to|i'?m going to|can i|could i|may i"
    r"|let me|we|i|لطفا|لطفاً)(?![^\W_])[\s,:!.-]*)+",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"[\s,.;!?-]*(?<![^\W_])(?:please|pls|thanks|thank you|thx|tonight|today|if possible|this phase|لطفا)[\s.!]*$", re.IGNORECASE
)
_END_SIGNS = re.compile(r"[\s.!?;,:]+$")


@dataclass(frozen=True)
class Language:
    """The phrases of a game, made into patterns once."""

    phrases: Sequence[Phrase]

    @cached_property
    def _patterns(self) -> list[tuple[Phrase, tuple[str, ...], re.Pattern[str]]]:
        ready = []
        for phrase in self.phrases:
            slots = tuple(re.findall(r"\{(\w+)\}", phrase.pattern))
            parts = re.split(r"\{\w+\}", fold(phrase.pattern))
            ready.append((phrase, slots, re.compile("(.+?)".join(re.escape(part) for part in parts) + "$")))
        return ready

    def read(self, text: str, slots: Mapping[str, Slot]) -> Reading:
        """What `text` orders. Case, blanks and politeness around it do not matter; the rest must fit as a whole."""
        ambiguous: AmbiguousOrder | None = None
        unknown = None
        for wanted in _tries(text):
            for phrase, names, pattern in self._patterns:
                for values in _fits(pattern, wanted):
                    matches = [slots[name](value) for name, value in zip(names, values, strict=True)]
                    if all(isinstance(match, Found) for match in matches):
                        return ReadOrder(phrase.id, tuple(match.name for match in matches if isinstance(match, Found)))
                    unclear = next((match for match in matches if isinstance(match, Ambiguous)), None)
                    if unclear is not None:
                        ambiguous = ambiguous or AmbiguousOrder(text, phrase.id, unclear.candidates)
                    unknown = unknown or phrase
        if ambiguous is not None:
            return ambiguous
        if unknown is not None:
            return UnreadableOrder(text, "name", unknown.pattern)
        return UnreadableOrder(text, "phrase", self.nearest(text))

    def nearest(self, text: str) -> str | None:
        """The phrase most like `text`."""
        patterns = [phrase.pattern for phrase in self.phrases]
        found = process.extractOne(fold(text), patterns, scorer=fuzz.WRatio)
        return None if found is None else found[0]


def _tries(text: str) -> list[str]:
    """The text to fit: as it stands, then without politeness, then without the signs at its end."""
    plain = fold(text)
    polite = _POLITE.sub("", plain)
    while (shorter := _POLITE_END.sub("", polite)) != polite:
        polite = shorter
    every = (plain, polite, _END_SIGNS.sub("", plain), _END_SIGNS.sub("", polite))
    return [one for one in dict.fromkeys(every) if one]


def _fits(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, ...]]:
    """Every way in which the pattern's slots can share the text: a name may hold the words that stand between slots."""
    found = pattern.match(text)
    if found is None:
        return
    yield found.groups()
    if found.re.groups == 2:
        middle = text[found.end(1) : found.start(2)]
        at = text.find(middle, found.end(1) + 1)
        while middle and at != -1:
            if text[at + len(middle) :]:
                yield text[found.start(1) : at], text[at + len(middle) :]
            at = text.find(middle, at + 1)


_REPLY_HEADING = re.compile(
    r"^\s*(?:-{2,}\s*(?:original message|forwarded message|reply above)|on .{4,120} wrote:\s*$|am .{4,120} schrieb.*:\s*$"
    r"|le .{4,120} a écrit\s*:\s*$|el .{4,120} escribió:\s*$|from: .+@|_{10,}$|begin forwarded message)",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"^-- ?$")


def own_lines(body: str) -> Iterator[tuple[int, str]]:
    """The sender's own lines with their numbers: no quotes, no struck or coded text, no signature, no reply below a heading."""
    shown = (
        run.text if not (run.quoted or run.struck or run.code) else "\n" * run.text.count("\n")
        for run in runs(body.replace("\r", ""))
    )
    kept = "".join(shown)
    for number, line in enumerate(kept.split("\n"), 1):
        if _SIGNATURE.match(line) or _REPLY_HEADING.match(line):
            return
        if line.strip() and not line.lstrip().startswith((">", "&gt;")):
            yield number, line.strip()


_BREAK = re.compile(r";|[.!?](?=\s)|\n")
_GREETING = re.compile(
    r"^(?:hi|hello|hey|dear|thanks|thank you|thx|cheers|good (?:morning|evening|night|luck)|please|ok|okay|lol|ty|bye)"
    r"(?![^\W_])[^;]{0,40}$",
    re.IGNORECASE,
)


def orders(body: str, *, names: Iterable[str] = ()) -> list[Piece]:
    """The orders of a message, one a line, sentence or `;`. A sign inside a player's name (`Abs.`) parts nothing.

    Greetings and thanks that stand alone are no orders.
    """
    dotted = [name for name in names if _BREAK.search(name + " ")]
    found: list[Piece] = []
    for number, line in own_lines(body):
        hidden = line
        for name in sorted(dotted, key=len, reverse=True):
            hidden = re.sub(re.escape(name), lambda match: "\x00" * len(match[0]), hidden, flags=re.IGNORECASE)
        start = 0
        for cut in [*(match.start() for match in _BREAK.finditer(hidden)), len(line)]:
            text = line[start:cut].strip(" ;,")
            start = cut + 1
            if any(sign.isalnum() for sign in text) and not _GREETING.match(text):
                found.append(Piece(text, number))
    return found
