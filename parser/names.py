"""Names of players, matched as reading.md ("A name") and DAN-POST-10 say. What fits two is never guessed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import OSA

from parser.normal import fold, key, look_alike


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can be named: the name shown, what else they are called (former names included), whether alive."""

    name: str
    aliases: tuple[str, ...] = ()
    alive: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """The text is this one. `how` is the step that decided."""

    name: str
    how: str = "name"


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The text fits several; the GM decides."""

    candidates: tuple[str, ...]
    how: str = "name"


@dataclass(frozen=True, slots=True)
class Unknown:
    """The text fits nobody; `nearest` is the name most like it, or None."""

    nearest: str | None = None


Match = Found | Ambiguous | Unknown
_NOBODY = frozenset({"me", "op", "theguyabove", "theguyaboveme", "theoneabove", "theoneaboveme", "theop"})


@dataclass(frozen=True, slots=True)
class _Spelling:
    name: str
    exact: str
    key: str
    words: tuple[str, ...]
    initials: str
    capitals: str


class Roster:
    """All who can be named, with every spelling made comparable once."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = tuple(people)
        self._spellings = [_spelling(person.name, text) for person in self.people for text in (person.name, *person.aliases)]
        self._alive = {person.name for person in self.people if person.alive}
        self._by_key: dict[str, set[str]] = {}
        for spelling in self._spellings:
            self._by_key.setdefault(spelling.key, set()).add(spelling.name)

    def match(self, text: str, *, prefer: Collection[str] | None = None) -> Match:
        """Whom `text` names: the first step that fits anybody decides.

        `prefer` takes the place of the living, who are preferred to the dead at every step but the first; where it is given
        it is preferred at the first step too (DAN-POST-10, blue declarations).
        """
        wanted = key(text)
        exact = fold(text)
        preferred = self._alive if prefer is None else set(prefer)
        named = {s.name for s in self._spellings if s.exact == exact} if not wanted else self._by_key.get(wanted, set())
        if named:
            return self._decide(named if prefer is None else named & preferred or named, "name")
        if not wanted or wanted in _NOBODY or wanted.isdigit():
            return Unknown()
        for how, fits in (
            ("part", lambda: self._part(wanted)),
            ("look-alike", lambda: {s.name for s in self._spellings if look_alike(s.key) == look_alike(text) and s.key}),
            ("typing error", lambda: self._slip(wanted)),
            ("initials", lambda: self._initials(wanted)),
        ):
            found = fits()
            if found and how == "part" and len(wanted) < 3:
                found |= self._initials(wanted)  # "MR" may be Mr Wright or MoonRay: too short to tell
            if found:
                return self._decide(found & preferred or found, how)
        return Unknown(self.nearest(text))

    def nearest(self, text: str) -> str | None:
        """The name most like `text`, or None where none is."""
        if not key(text):
            return None
        found = process.extractOne(key(text), [s.key for s in self._spellings], score_cutoff=50)
        return None if found is None else self._spellings[found[2]].name

    def _decide(self, names: set[str], how: str) -> Match:
        if len(names) == 1:
            return Found(next(iter(names)), how)
        return Ambiguous(tuple(person.name for person in self.people if person.name in names), how)

    def _part(self, wanted: str) -> set[str]:
        return {
            s.name
            for s in self._spellings
            if (len(wanted) >= 3 and s.key.startswith(wanted)) or (len(s.words) > 1 and wanted in s.words)
        }

    def _slip(self, wanted: str) -> set[str]:
        return {s.name for s in self._spellings if len(s.key) >= 5 and OSA.distance(s.key, wanted, score_cutoff=1) <= 1}

    def _initials(self, wanted: str) -> set[str]:
        if len(wanted) < 2:
            return set()
        return {s.name for s in self._spellings if wanted in (s.initials, s.capitals)}


def _spelling(name: str, text: str) -> _Spelling:
    words = tuple(key(word) for word in re.split(r"[\s._\-–—/,]+|(?<=[^\W\d_])(?=\()", text) if key(word))
    initials = "".join(word[0] for word in words) if len(words) > 1 else ""
    capitals = "".join(sign for sign in text if unicodedata.category(sign) == "Lu")
    return _Spelling(name, fold(text), key(text), words, initials, key(capitals) if len(capitals) > 1 else "")
