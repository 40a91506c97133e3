"""Private orders, read through phrases that a ruleset lists as data (reading.md, "A private order").

A phrase such as `hypnotise {player} to {player}` is at once the way to write the order, the help text and the pattern that
reads it. What a slot may hold is told by the caller. Nothing is guessed: what does not fit as a whole is unreadable, and comes
back with the nearest phrase, where one is near.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TypeGuard

from rapidfuzz import fuzz

from parser.message import Piece, orders
from parser.names import Ambiguous, Found, Match, Unknown
from parser.normal import fold

__all__ = [
    "AmbiguousOrder", "Language", "Phrase", "Piece", "ReadOrder", "Reading", "Slot", "UnreadableOrder", "orders",
]  # fmt: skip

Slot = Callable[[str], Match]


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to write an order: its id, and words with `{slots}` among them.

    Words in round brackets may be left out: `give (the) suitcase to {player}`. `{player...}` is a list, parted by commas or
    "and": its values follow one another. Words may be written with blanks, hyphens or underscores between them. Of two
    phrases that read the same, the one listed first counts.
    """

    id: str
    pattern: str


@dataclass(frozen=True, slots=True)
class ReadOrder:
    """An order read for sure: the phrase's id, and what its slots hold, in the order of the pattern."""

    id: str
    values: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class AmbiguousOrder:
    """An order whose slot fits several, or that can be read in two ways: `text` as written, and the candidates."""

    text: str
    slot: str
    candidates: tuple[str, ...]
    nearest: str | None = None


@dataclass(frozen=True, slots=True)
class UnreadableOrder:
    """A text that is no order for sure. `reason` is `phrase` (no known act), `name` (a known act, nobody known) or `chatter`.

    `nearest` is the phrase most like it, with what could be read filled in; None where none is near.
    """

    text: str
    reason: str
    nearest: str | None


Reading = ReadOrder | AmbiguousOrder | UnreadableOrder

_TEXT = "text"
"""A slot of this name takes the rest of the line as it was written, and asks nobody what it is."""
_DOUBTFUL = frozenset(("part", "look-alike", "typing error", "initials"))
_SLOT = re.compile(r"\{(\w+)(\.\.\.)?\}")
_BETWEEN = re.compile(r"[\s_\u200c-]+")
_ARABIC = re.compile(r"[\u0600-\u06ff]")
_FIRST = re.compile(r"[\s_:,=-]+")
"""What ends the first word of a phrase and of a text."""
_LONGEST = 4000
"""A longer text is no order; nobody writes one, and patterns would be slow on it."""
_NEAR = 65
"""How like a phrase a text must be to have it proposed, out of 100: `shadw` is 91 like `shadow`, `protect` 62 like `object`."""
_SHORT = 3
"""A word of so few letters is like too many others."""
_INSIDE = 70
"""What a phrase counts whose only word stands somewhere in the text."""
_NEGATION = re.compile(r"(?<![^\W_])(?:not|never|no|won'?t|don'?t|can'?t|cannot|didn'?t)(?![^\W_])")
_POLITE = """
please|pls|plz|kindly|hi|hello|hey|ok|okay|thanks|thank you|thx|@?gm|dear gm|dear|tonight|today|now|and|then|also|so|finally
|my (?:night |day )?(?:action|order|move)s?(?: for)?(?: tonight| today| this phase)?(?: is| are)?(?: to)?
|(?:night |day )?(?:action|order)s?
|i'?d like to|i would like to|i want to|i wanna|i wish to|i will|i'?ll|i am going to|i'?m going to|i'?m gonna|i choose to
|actually|no wait|wait|oops|sorry|jk|edit|update|correction|scratch that|never ?mind|nvm|on second thoughts?|if possible
|(?:i |i'?ve )?changed? my mind|new (?:order|action)s?(?=\\s*[:–-])|good (?:morning|evening|afternoon|day|night)|host|i'?m|i am
|can i|could i|may i|can you|could you|would you|will you|let me|let'?s|for tonight|for today|we|i
|(?:night|day|trial|daily life|deadly life|phase|prep) ?\\d*(?=\\s*[:–-])|[nd]\\d+(?=[\\s:–-])|\\[[nd]\\d+\\]
|لطفا|خواهشا|بی ?زحمت|سلام|درود|@?گاد(?: (?:عزیز|جان|گرامی))?|(?:برای )?(?:امشب|امروز)|من|می ?خواهم|می ?خوام|می ?خواستم
|(?:دستور|اقدام)(?: من)?(?: (?:برای )?(?:امشب|امروز))?|(?:شب|روز) ?(?:\\d*|اول|دوم|سوم|چهارم|پنجم|ششم)(?=\\s*[:–-])
"""
_POLITE_HEAD = re.compile(r"(?:" + _POLITE.replace("\n", "") + r")(?![^\W_])[\s,،؛:!.–-]*")
_ENDINGS = """
please|pls|plz|thanks|thank you|thx|ty|cheers|tonight|today|now|if possible|if i may|this phase|this night|for tonight
|for today|instead|:\\)|لطفا|(?:برای )?(?:امشب|امروز)|ممنونم?|مرسی|متشکرم|(?:با )?تشکر|سپاس|گاد(?: (?:عزیز|جان|گرامی))?
"""
_POLITE_TAIL = re.compile(r"(?:(?<![^\W_])|(?=:))(?:" + _ENDINGS.replace("\n", "") + r")$")
_END_SIGNS = " .!?;,:…،؛؟"


@dataclass(frozen=True, slots=True)
class _Shape:
    """A phrase made into a pattern; `head` is what it begins with, `slots` their names and whether each is a list.

    `first` is the word that whatever it reads begins with; None where it may begin with anything. `own` are the head's words.
    """

    phrase: Phrase
    head: str
    first: str | None
    pattern: str
    slots: tuple[tuple[str, bool], ...]
    own: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Fit:
    """One way in which a phrase fits a text: the texts of its slots, and what the caller says of each."""

    shape: _Shape
    matches: tuple[Match, ...]

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(match.name for match in self.matches if isinstance(match, Found))

    @property
    def read(self) -> bool:
        return all(isinstance(match, Found) for match in self.matches)

    @property
    def doubt(self) -> int:
        """How many of the names are not written out whole."""
        return sum(isinstance(match, Found) and match.how in _DOUBTFUL for match in self.matches)


@dataclass(frozen=True)
class Language:
    """The phrases of a game, made into patterns once."""

    phrases: Sequence[Phrase]

    @cached_property
    def _shapes(self) -> tuple[_Shape, ...]:
        return tuple(_shape(phrase) for phrase in self.phrases)

    @cached_property
    def _by_first(self) -> Mapping[str | None, tuple[_Shape, ...]]:
        """First word → the phrases that begin with it, in the order listed; None: those that may begin with anything."""
        firsts = {shape.first for shape in self._shapes} | {None}
        return {first: tuple(one for one in self._shapes if one.first == first) for first in firsts}

    def _fits(self, wanted: str, text: str, slots: Mapping[str, Slot]) -> list[_Fit]:
        """How phrases fit. One that may begin with anything counts only where none fits that begins with the text's own word."""
        own = self._by_first.get(_FIRST.split(wanted, maxsplit=1)[0], ())
        found = [fit for shape in own for fit in _fit(shape, wanted, text, slots)]
        if any(fit.read for fit in found):
            return found
        rest = [fit for shape in self._by_first[None] for fit in _fit(shape, wanted, text, slots)]
        return [*found, *(fit for fit in rest if fit.read or fit.shape.head)]  # a slot alone fits anything, and says nothing

    def read(self, text: str, slots: Mapping[str, Slot]) -> Reading:
        """What `text` orders. Case, blanks and politeness around it do not matter; the rest must fit as a whole."""
        reading = self._read(text, slots)
        return replace(reading, nearest=self.nearest(text)) if _is_talk(reading) else reading

    def _read(self, text: str, slots: Mapping[str, Slot]) -> Reading:
        """The same, without the phrase that is nearest to mere talk."""
        fits: list[_Fit] = []
        order = self._order(text, slots, fits)
        if order is not None:
            return order
        for fit in fits:
            for match in fit.matches:
                if isinstance(match, Ambiguous):
                    return AmbiguousOrder(text, fit.shape.phrase.id, match.candidates, _filled(fit))
        if fits:
            # The phrase with most words of its own has understood most of the text.
            return UnreadableOrder(text, "name", _filled(max(fits, key=lambda fit: len(fit.shape.head))))
        talk = not self.mentions(text)
        return UnreadableOrder(text, "chatter" if talk else "phrase", None if talk else self.nearest(text))

    def order(self, text: str, slots: Mapping[str, Slot]) -> Reading | None:
        """The same; None where it is no order, without a word on why."""
        return self._order(text, slots, [])

    def _order(self, text: str, slots: Mapping[str, Slot], fits: list[_Fit]) -> Reading | None:
        """The order that all of a text is; in `fits` is collected how far phrases fit."""
        for wanted in _tries(text):
            fits.extend(self._fits(wanted, text, slots))
            if any(fit.read for fit in fits):
                return _decided(text, [fit for fit in fits if fit.read])
        return None

    def message(self, body: str, slots: Mapping[str, Slot], *, names: Iterable[str] = ()) -> list[Reading]:
        """Everything a message orders, in order. What is mere talk comes back once, joined, as unreadable: nothing is lost.

        A text (`will:`) goes on with the lines right below it that order nothing; what could be an order comes back besides.
        """
        found: list[Reading] = []
        talk: list[UnreadableOrder] = []
        told: tuple[int, int] | None = None  # the place of a text such as a will, and the last line of it
        read = orders(body, names=tuple(names), whole=self.text_heads)
        for number, pieces in itertools.groupby(read, lambda piece: piece.line):
            line = list(pieces)
            readings = [reading for piece in line for reading in self._of_piece(piece.text, slots)]
            if told is not None and number == told[1] + 1 and not any(self._orders(one) for one in readings):
                found[told[0]] = self._longer(found[told[0]], line[0].of)
                found += [one for one in readings if not _is_talk(one) and not isinstance(one, ReadOrder)]
                told = (told[0], number)
                continue
            found += [one for one in readings if not _is_talk(one)]
            talk += filter(_is_talk, readings)
            told = (len(found) - 1, number) if found and not _is_talk(readings[-1]) and self._open_text(found[-1]) else None
        if talk:
            found.append(UnreadableOrder(" / ".join(one.text for one in talk), "chatter", self.nearest(talk[0].text)))
        return found

    def _of_piece(self, text: str, slots: Mapping[str, Slot]) -> list[Reading]:
        reading = self._read(text, slots)
        # A sentence may end with a name that ends in a dot: "murder Abs. bolt door".
        pieces = [] if isinstance(reading, ReadOrder) else [part.text for part in orders(text)]
        if pieces in ([], [text]):
            return [reading]
        parts = [self._read(piece, slots) for piece in pieces]
        return parts if any(map(self._orders, parts)) else [reading]

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """What begins an order that is nothing but a text → its phrase's id: `will:`."""
        return {shape.head: shape.phrase.id for shape in self._shapes if shape.slots == ((_TEXT, False),)}

    def _orders(self, reading: Reading) -> bool:
        """Whether that orders something by itself: a slot alone goes on with what stands before it."""
        alone = {shape.phrase.id for shape in self._shapes if not shape.head.strip()}
        return isinstance(reading, ReadOrder) and reading.id not in alone

    def _open_text(self, reading: Reading) -> bool:
        """Whether an order is a text that goes on with the lines right below it, or begins there."""
        if not isinstance(reading, ReadOrder):
            return False
        return reading.id in self._texts.values() or (not reading.values and fold(reading.text).strip() in self._texts)

    def _longer(self, reading: Reading, line: str) -> ReadOrder:
        """A text with one more line."""
        assert isinstance(reading, ReadOrder)
        id_ = self._texts.get(fold(reading.text).strip(), reading.id)
        return ReadOrder(id_, ("\n".join((*reading.values, line)),), f"{reading.text}\n{line}")

    @cached_property
    def text_heads(self) -> tuple[str, ...]:
        """What the phrases begin with whose last slot, `{text}`, takes the rest of the line, such as `will:`."""
        return tuple(shape.head for shape in self._shapes if shape.slots and shape.slots[-1][0] == _TEXT)

    @cached_property
    def _verbs(self) -> frozenset[str]:
        return frozenset(re.split(r"\W+", shape.head)[0] for shape in self._shapes) - {""}

    @cached_property
    def _heads(self) -> tuple[_Shape, ...]:
        """The phrases, of several that begin alike the first."""
        heads: dict[str, _Shape] = {}
        for shape in self._shapes:
            heads.setdefault(shape.head, shape)
        return tuple(heads.values())

    def mentions(self, text: str) -> bool:
        """Whether the first word of any phrase stands in `text`, or something a typing error away from it."""
        words, verbs = re.findall(r"\w+", fold(text[:_LONGEST])), self._verbs
        return any(word in verbs for word in words) or bool(
            words and any(fuzz.ratio(word, verb) >= 75 for word in words[:12] for verb in verbs if len(verb) > 3)
        )

    def nearest(self, text: str) -> str | None:
        """The phrase whose beginning is most like that of `text`; None where none is near."""
        *_, wanted = "", *_tries(text[:200])
        words = re.findall(r"\w+", wanted)
        negated = bool(_NEGATION.search(wanted))

        @cache
        def stands(word: str) -> bool:
            return word in words or (len(word) > _SHORT and any(fuzz.ratio(word, one) >= 75 for one in words))

        def likeness(shape: _Shape) -> tuple[float, bool]:
            head, own = shape.head, shape.own
            short = len(head) <= _SHORT
            begins = fuzz.ratio(wanted[: len(head) + 1].strip(), head)
            begins = 100.0 * (begins == 100) if short else begins
            begins = max(begins, 90) if len(wanted) > _SHORT and head.startswith(wanted) else begins
            if len(own) > 1:  # "bolt the door", "put Ann down": all the words of the phrase, with others between
                return (max(begins, fuzz.token_set_ratio(wanted, head)) if all(map(stands, own)) else begins), begins == 100
            inside = own and own[0] in (words[:-1] if shape.slots else words) and not (short or negated)
            return (max(begins, _INSIDE) if inside else begins), begins == 100

        best = max(self._heads, key=likeness, default=None)
        return None if best is None or likeness(best)[0] < _NEAR else _shown(best.phrase.pattern)


def _is_talk(reading: Reading) -> TypeGuard[UnreadableOrder]:
    return isinstance(reading, UnreadableOrder) and reading.reason == "chatter"


@cache
def _shape(phrase: Phrase) -> _Shape:
    """Made once for each phrase: a game may list the same phrases in several orders."""
    slots = tuple((name, bool(many)) for name, many in _SLOT.findall(phrase.pattern))
    words = _SLOT.sub("\0", phrase.pattern).split("\0")
    head = fold(re.sub(r"\([^()]*\)", "", words[0])) or fold(" ".join(words))
    pattern = "(.+?)".join(_words(one) for one in words)
    # "shadow: X" is "shadow X": the first slot may be set off by a colon.
    pattern = re.sub(r"\[\\s_-\]\+\(\.\+\?\)", r"(?:[\\s_-]+|\\s*:\\s*)(.+?)", pattern, count=1)
    return _Shape(phrase, head, _first_word(words[0], len(words) == 1), pattern + "$", slots, tuple(re.findall(r"\w+", head)))


def _first_word(begins: str, alone: bool) -> str | None:
    """The first word of a phrase that begins so; None where it may be missing, or a slot goes on with it."""
    if not begins.strip() or begins.startswith(("(", " ")):
        return None
    if _ARABIC.match(begins) and len(_BETWEEN.split(begins.strip())) > 1:
        return None  # the second word may stand at the first one without a blank
    first, *rest = _FIRST.split(fold(begins), maxsplit=1)
    return first if first and (rest or alone or begins[-1:].isspace()) else None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Made when first tried: a game has many phrases, and a message tries few."""
    return re.compile(pattern, re.DOTALL)


def _words(words: str) -> str:
    """The pattern of the words between slots; those in brackets may be missing."""
    made = ""
    for part in re.split(r"(\([^()]*\)\s?)", words):
        optional = part.startswith("(")
        made += rf"(?:{_literal(part.strip()[1:-1])}[\s_-]+)?" if optional else _literal(part)
    return made


def _literal(words: str) -> str:
    """Words with blanks, hyphens or underscores between them; a colon, comma or equals sign with or without blanks around.

    Persian words may stand with a blank, a half-space or nothing between them (PER-TEXT-08).
    """
    parts = [fold(word) for word in _BETWEEN.split(words)]
    joined = re.escape(parts[0])
    for before, after in itertools.pairwise(parts):
        near = bool(_ARABIC.fullmatch(before[-1:]) and _ARABIC.fullmatch(after[:1]))
        joined += (r"[\s_-]*" if near else r"[\s_-]+") + re.escape(after)
    return re.sub(r"(?:\[\\s_-\]\+)?([:=,])(?:\[\\s_-\]\+)?", r"\\s*\1\\s*", joined)


def _fit(shape: _Shape, wanted: str, written: str, slots: Mapping[str, Slot]) -> Iterator[_Fit]:
    for texts in _shares(shape, wanted):
        matches: list[Match] = []
        for (name, many), text in zip(shape.slots, texts, strict=True):
            if name == _TEXT:
                matches.append(Found(_as_written(written, text.strip()), _TEXT))
            else:
                matches.extend(_listed(text, slots[name]) if many else [slots[name](text.strip())])
        yield _Fit(shape, tuple(matches))


def _shares(shape: _Shape, text: str) -> Iterator[tuple[str, ...]]:
    """Every way in which the first two slots can share the text: a name may hold the words that stand between them."""
    found = _compiled(shape.pattern).match(text)
    if found is None:
        return
    yield found.groups()
    if len(shape.slots) < 2:
        return
    middle = text[found.end(1) : found.start(2)]
    at = text.find(middle, found.end(1) + 1) if middle else -1
    tried = 0
    while at != -1 and tried < 5:
        if text[at + len(middle) : found.end(2)]:
            yield text[found.start(1) : at], text[at + len(middle) : found.end(2)], *found.groups()[2:]
        at = text.find(middle, at + 1)
        tried += 1


def _as_written(text: str, folded: str) -> str:
    """The end of `text` that was folded into `folded`, as its writer wrote it."""
    for found in itertools.islice(re.finditer(r"[:\s]+", text), 20):
        if fold(text[found.end() :]) == folded:
            return text[found.end() :].strip()
    return folded


def _listed(text: str, slot: Slot) -> list[Match]:
    """The things of a list: parted by commas, then by "and" where a part is nobody as it stands."""
    found: list[Match] = []
    for part in re.split(r"\s*[,،/&+]\s*(?:and\s+|و\s+)?", text.strip(" ,،")):
        match = slot(part)
        pieces = re.split(r"(\s+(?:and|و)\s+)", part)
        found.extend(_parted(pieces, slot) if isinstance(match, Unknown) and len(pieces) > 1 else [match])
    return found


def _parted(pieces: Sequence[str], slot: Slot) -> list[Match]:
    """Names with "and" between them, where "and" may stand in a name: the longest name that is read comes first."""
    for end in range(len(pieces) if len(pieces) < 12 else 1, 0, -2):
        match = slot("".join(pieces[:end]))
        if isinstance(match, Found) and (match.how not in _DOUBTFUL or end == 1):
            return [match, *(_parted(pieces[end + 1 :], slot) if end < len(pieces) else [])]
    return [slot(pieces[0]), *(_parted(pieces[2:], slot) if len(pieces) > 2 else [])]


def _decided(text: str, fits: list[_Fit]) -> Reading:
    """The reading with least doubt; two that say different things are one too many."""
    least = min(fit.doubt for fit in fits)
    best = [fit for fit in fits if fit.doubt == least]
    phrase = best[0].shape.phrase
    same = [fit for fit in best if fit.shape.phrase.pattern == phrase.pattern]
    values = list(dict.fromkeys(fit.values for fit in same))
    if len(values) > 1:
        return AmbiguousOrder(text, phrase.id, tuple(" / ".join(one) for one in values), _shown(phrase.pattern))
    return ReadOrder(phrase.id, best[0].values, text)


def _filled(fit: _Fit) -> str:
    """The phrase with the names that were read, or that come nearest, in its slots."""
    matches = iter(fit.matches)

    def fill(found: re.Match[str]) -> str:
        match = next(matches, None)
        if isinstance(match, Found):
            return match.name if match.name.isprintable() else found[0]  # what is read in parts is not for people
        return match.nearest if isinstance(match, Unknown) and match.nearest else found[0]

    return _shown(_SLOT.sub(fill, fit.shape.phrase.pattern))


def _shown(pattern: str) -> str:
    """A phrase as the GM is shown it: what may be left out is left out."""
    return " ".join(re.sub(r"\([^()]*\)", "", pattern).split())


def _tries(text: str) -> Iterator[str]:
    """The text to fit: as it stands, then without politeness, then without the signs at its end."""
    plain = fold(text[: _LONGEST + 1])
    if not plain or len(plain) > _LONGEST:
        return
    yield plain
    head = plain
    while (found := _POLITE_HEAD.match(head)) and found.end():
        head = head[found.end() :]
    others = (head, plain.rstrip(_END_SIGNS), _without_tail(plain), _without_tail(head))
    yield from (one for one in dict.fromkeys(others) if one and one != plain)


def _without_tail(text: str) -> str:
    """The text without thanks and signs at its end."""
    bare = text.rstrip(_END_SIGNS)
    while found := _POLITE_TAIL.search(bare, max(0, len(bare) - 20)):
        bare = bare[: found.start()].rstrip(_END_SIGNS)
    return bare

