"""Names of players, matched as reading.md ("A name") and DAN-POST-10 say. What fits two is never guessed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from parser.normal import fold, key, look_alike, without_emoji


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can be named: the name shown, what else they are called (former names included), whether alive."""

    name: str
    aliases: tuple[str, ...] = ()
    alive: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """The text is this one. `how` is the step that decided: name, part, look-alike, typing error or initials."""

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
_NOBODY_KEYS = """
me op theop theguyabove theguyaboveme theoneabove theoneaboveme thepersonabove thepersonaboveme above aboveme
nobody noone none nolynch nokill novote
"""
_NOBODY = frozenset(_NOBODY_KEYS.split())
_SMILEY = r"(?>:[a-z0-9_+-]{2,24}:|[:;=8x][-o^']?[dpos3)(\]\[/|\\*@$]+|<3+|\^[_.-]?\^|xd+|o[_.]o)"
NO_SMILEY = r"(?!(?<!\S)[:;=]['-]?[DPOp)(3/|](?!\w))"
"""Not before what stands apart and is a smiley: punctuation before a name is nothing, but `:D` is no player called D."""
_SMILEYS = re.compile(rf"^\s*(?:{_SMILEY}\s+)++|(?:\s+{_SMILEY})++\s*$", re.IGNORECASE)
_ONLY_SMILEYS = re.compile(rf"\s*(?:{_SMILEY}\s*)++", re.IGNORECASE)
_LONGEST = 200
"""No name is longer than this many letters; longer texts are nobody."""
_WORDS = 4
"""Names of so many words are looked for in a text that is no name."""
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class _Spelling:
    name: str
    exact: str
    key: str
    shape: str
    words: frozenset[str]
    initials: frozenset[str]


class Roster:
    """All who can be named, with every spelling made comparable once. Answers are remembered."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.people = tuple(people)
        self.spelled = tuple(text for person in self.people for text in (person.name, *person.aliases))
        self._spellings = [_spelling(person.name, text) for person in self.people for text in (person.name, *person.aliases)]
        self._alive = frozenset(person.name for person in self.people if person.alive)
        self._long = [spelling for spelling in self._spellings if len(spelling.key) >= 5]
        self._by_key: dict[str, set[str]] = {}
        for spelling in self._spellings:
            if spelling.key:
                self._by_key.setdefault(spelling.key, set()).add(spelling.name)
        self._by_shape: dict[str, set[str]] = {}
        for spelling in self._spellings:
            if spelling.shape:
                self._by_shape.setdefault(spelling.shape, set()).add(spelling.name)
        self._known: dict[tuple[tuple[str, ...], frozenset[str] | None], Match] = {}

    def match(self, text: str, *, prefer: Collection[str] | None = None) -> Match:
        """Whom `text` names: the first step that fits anybody decides.

        `prefer` takes the place of the living, who are preferred to the dead at every step but the first; where it is given
        it is preferred at the first step too (DAN-POST-10, blue declarations).
        """
        return self.first((text,), prefer=prefer)

    def first(self, texts: Sequence[str], *, prefer: Collection[str] | None = None) -> Match:
        """Whom one of several readings of a text names: a whole name in any of them, else what the first that fits says."""
        asked = (tuple(texts), None if prefer is None else frozenset(prefer))
        if (known := self._known.get(asked)) is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[asked] = self._first(*asked)
        return known

    def whole(self, text: str) -> bool:
        """Whether `text` is somebody's whole name or alias, regardless of case, accents, blanks and punctuation."""
        return len(text) <= _LONGEST and bool(self._whole(text, key(text)))

    def nearest(self, text: str) -> str | None:
        """The first name that stands whole in `text`, else the name most like it; None where none is."""
        wanted = key(text[:_LONGEST])
        if not wanted:
            return None
        words = [word for word in map(key, re.split(r"[\W_]+", text[:_LONGEST])) if word]
        runs = ("".join(words[at : at + count]) for at in range(len(words)) for count in range(_WORDS, 0, -1))
        inside = next((run for run in runs if len(run) > 2 and run in self._by_key), None)
        if inside is not None:
            return min(self._by_key[inside])
        found = process.extractOne(wanted, [s.key for s in self._spellings], scorer=fuzz.ratio, score_cutoff=50)
        return None if found is None else self._spellings[found[2]].name

    def _first(self, texts: tuple[str, ...], prefer: frozenset[str] | None) -> Match:
        for text in texts:
            if len(texts) > 1 and self.whole(text):
                return self._match(text, prefer)
        found = [self._match(text, prefer) for text in texts]
        fits = [match for match in found if not isinstance(match, Unknown)]
        return next(iter(fits or reversed(found)), Unknown())

    def _match(self, text: str, prefer: frozenset[str] | None) -> Match:
        if len(text) > _LONGEST:
            return Unknown()
        preferred = self._alive if prefer is None else prefer
        wanted, bare = key(text), key(_SMILEYS.sub("", without_emoji(text)))
        bare = "" if _ONLY_SMILEYS.fullmatch(text) else bare
        named = self._whole(text, wanted) or self._by_key.get(bare, set())
        if named:
            return self._decide(named if prefer is None else named & preferred or named, "name")
        if not bare or bare in _NOBODY or bare.isdecimal():
            return Unknown()
        for how in ("part", "look-alike", "typing error", "initials"):
            found = self._fits(how, text, wanted) or (self._fits(how, text, bare) if bare != wanted else set())
            if found:
                return self._decide(found & preferred or found, how)
        return Unknown(self.nearest(text))

    def _whole(self, text: str, wanted: str) -> set[str]:
        only_smileys = bool(_ONLY_SMILEYS.fullmatch(text))  # ":D" is nobody called D
        named = self._by_key.get(wanted, set()) if wanted and not only_smileys else set()
        if len(named) == 1:
            return named
        exact = fold(text)
        return {s.name for s in self._spellings if s.exact == exact and exact} or named

    def _fits(self, how: str, text: str, wanted: str) -> set[str]:
        if how == "part":
            found = self._part(wanted)
            # "MR" may be Mr Wright or MoonRay: two letters are too few to tell.
            return found | self._initials(wanted) if found and len(wanted) < 3 else found
        if how == "look-alike":
            shape = look_alike(text)
            begins = {s.name for s in self._spellings if len(shape) >= 3 and s.shape.startswith(shape)}
            return self._by_shape.get(shape) or begins
        if how == "typing error":
            return {s.name for s in self._long if OSA.distance(s.key, wanted, score_cutoff=1) <= 1}
        return self._initials(wanted) or self._run_together(text)

    def _part(self, wanted: str) -> set[str]:
        begins = len(wanted) >= 3
        return {s.name for s in self._spellings if (begins and s.key.startswith(wanted)) or wanted in s.words}

    def _initials(self, wanted: str) -> set[str]:
        return {s.name for s in self._spellings if wanted in s.initials} if len(wanted) > 1 else set()

    def _run_together(self, text: str) -> set[str]:
        """`TMHS` for themanhimself: four capitals or more that stand in this order in a name of one word."""
        typed = text.strip()
        if len(typed) < 4 or not (typed.isalpha() and typed.isupper()):
            return set()
        letters = key(typed)
        return {s.name for s in self._spellings if s.key[:1] == letters[0] and _in_order(letters, s.key)}

    def _decide(self, names: set[str], how: str) -> Match:
        if len(names) == 1:
            return Found(next(iter(names)), how)
        return Ambiguous(tuple(person.name for person in self.people if person.name in names), how)


def _in_order(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _spelling(name: str, text: str) -> _Spelling:
    plain = without_emoji(text)
    parts = [key(word) for word in re.split(r"[\W_]+", unicodedata.normalize("NFKC", plain)) if key(word)]
    parts = parts if len(parts) > 1 else []
    # Apostrophes and dots stand inside a word as well as between words: O'Brien is one word and "Brien" another.
    words = {*parts, *(key(word) for word in plain.split()), key(plain)} - {"", key(text)}
    capitals = key("".join(sign for sign in text if sign.isupper()))
    short = {"".join(word[0] for word in parts), "".join(word[0] for word in map(key, plain.split()) if word), capitals}
    return _Spelling(
        name, fold(text), key(text), look_alike(text), frozenset(words), frozenset(one for one in short if len(one) > 1)
    )
