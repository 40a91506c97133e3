"""What a scenario expects of a phase: read from the file, and checked against what came.

A check that fails says what was expected and what came instead. Lists compare as sets; `true` and `false` are the words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.events import Event
from engine.play import Outcome
from engine.ruleset import Ruleset, load
from engine.state import as_tuple
from rehearsal.tree import Item, Value, Word, closest

KINDS = ("result", "notice", "announce", "death", "condition", "tally", "lynch", "draw", "ask", "win", "deed", "spend")
PATTERNS = {"results": "result", "notices": "notice", "announces": "announce", "asks": "ask", "events": None}
"""The keys that hold patterns each of which must match, and the kind of event that each is about."""
KEYS = (
    "deaths", "causes", "conditions", "not_conditions", "lynched", "tally", "final_tally", *PATTERNS, "absent",
    "one_of", "winner",
)  # fmt: skip
USUAL = frozenset(("kind", "to", "player", "action", "target", "value", "topic", "question", "phase", "visibility", "why"))
"""Keys that events have, whichever came."""
NEAREST = 3
"""How many events that nearly match a failed pattern are shown."""

Pattern = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Known:
    """The words that expectations may use; an empty collection means that the ruleset does not list them."""

    players: Collection[str]
    readers: Collection[str]
    """Whoever may stand in `to` and `player` of a pattern: players, `gm`, sides, and people who post without playing."""
    sides: Collection[str] = ()
    conditions: Collection[str] = ()
    topics: Collection[str] = ()

    @classmethod
    def of(cls, ruleset: Ruleset, players: Collection[str], writers: Collection[str]) -> Known:
        """The words of a ruleset's facts, and the people of a scenario."""
        facts = ruleset.facts
        sides = tuple(facts.get("sides", ()))
        return cls(
            players=tuple(players),
            readers=(*players, "gm", *sides, *writers),
            sides=sides,
            conditions=tuple(facts.get("conditions", ())),
            topics=tuple(facts.get("topics", ())),
        )


@dataclass(frozen=True, slots=True)
class Check:
    """One expectation: its key, what is wanted (in the form that its key has), and the line where it stands."""

    key: str
    wanted: Any
    line: int


Expect = tuple[Check, ...]


# --- reading ---


def read_expect(item: Item | None, known: Known) -> Expect:
    """The expectations of a phase. Raises BadInput for an unknown key, player, condition, topic or kind."""
    if item is None or item.is_null:
        return ()
    return tuple(Check(key, _READERS[key](value, known), value.line) for key, value in item.fields(KEYS).items())


def _player(name: str, item: Item, known: Known) -> str:
    if name not in known.players:
        raise item.unknown("player", name, known.players)
    return name


def _players(item: Item, known: Known) -> tuple[str, ...]:
    return tuple(_player(one.text(), one, known) for one in item.items())


def _executed(item: Item, known: Known) -> tuple[str, ...]:
    if item.is_null and item.word().text not in known.players:
        return ()
    return tuple(_player(one.text(), one, known) for one in item.one_or_more())


def _words(item: Item, known: Known) -> dict[str, tuple[str, ...]]:
    return {_player(name, value, known): tuple(one.text() for one in value.one_or_more()) for name, value in item.entries()}


def _conditions(item: Item, known: Known) -> dict[str, tuple[str, ...]]:
    for _, value in item.entries():
        for one in value.one_or_more():
            if known.conditions and one.text() not in known.conditions:
                raise one.unknown("condition", one.text(), known.conditions)
    return _words(item, known)


def _count(item: Item, known: Known) -> dict[str, Any]:
    count = {}
    for name, value in item.entries():
        number = value.word().value
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise value.wrong(f"the votes for {name} must be a number")
        count[_player(name, value, known)] = number
    return count


def _patterns(item: Item, known: Known) -> tuple[Pattern, ...]:
    return tuple(_pattern(one, known) for one in item.items())


def _pattern(item: Item, known: Known) -> Pattern:
    entries = dict(item.entries())
    if not entries:
        raise item.wrong("an empty pattern would match everything")
    allowed = {"kind": KINDS, "topic": known.topics, "to": known.readers, "player": known.readers}
    for key, words in allowed.items():
        if key in entries and words and not entries[key].is_map:
            for one in entries[key].one_or_more():
                if not (one.is_null or one.text() in words):
                    raise one.unknown("player" if key in ("to", "player") else key, one.text(), words)
    return {key: value.value() for key, value in entries.items()}


def _alternatives(item: Item, known: Known) -> tuple[Expect, ...]:
    return tuple(read_expect(one, known) for one in item.items())


def _winner(item: Item, known: Known) -> tuple[str, ...] | None:
    words = (*known.sides, *known.players)
    if item.is_null and item.word().text not in words:
        return None
    for one in item.one_or_more():
        if known.sides and one.text() not in words:
            raise one.unknown("side or player", one.text(), words)
    return tuple(one.text() for one in item.one_or_more())


_READERS: Mapping[str, Callable[[Item, Known], Any]] = {
    "deaths": _players, "causes": _words, "conditions": _conditions, "not_conditions": _conditions, "lynched": _executed,
    "tally": _count, "final_tally": _count, **dict.fromkeys(PATTERNS, _patterns), "absent": _patterns,
    "one_of": _alternatives, "winner": _winner,
}  # fmt: skip


# --- checking ---


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that does not hold: where it stands, and in words what was expected and what came."""

    line: int
    message: str


def check(expect: Expect, outcome: Outcome) -> list[Failure]:
    """The expectations of a phase that do not hold."""
    return [Failure(one.line, message) for one in expect for message in _CHECKERS[one.key](one, outcome)]


def matches(pattern: Pattern, event: Event, kind: str | None = None) -> bool:
    """Whether the event has each key of the pattern with the same value, and is of that kind where one is given."""
    fields = event.as_json()
    if kind is not None and event.kind != kind:
        return False
    return all(key in fields and same(value, fields[key]) for key, value in pattern.items())


def same(wanted: Value, came: Any) -> bool:
    """Whether a value of the file says the same as one of an event: lists as sets, `true` and `false` also as words."""
    if isinstance(wanted, Word):
        if isinstance(came, bool) or isinstance(wanted.value, bool):
            return shown(came).lower() == shown(wanted.value).lower() or came == wanted.text
        return bool(came == wanted.value) or came == wanted.text
    if isinstance(wanted, Mapping):
        return isinstance(came, Mapping) and wanted.keys() == came.keys() and all(same(wanted[key], came[key]) for key in wanted)
    return (
        isinstance(came, (list, tuple))
        and all(any(same(one, other) for other in came) for one in wanted)
        and all(any(same(one, other) for one in wanted) for other in came)
    )


def shown(value: Any) -> str:
    """A value as a scenario file would have it, on one line."""
    if isinstance(value, Word):
        return value.text
    if isinstance(value, Event):
        return shown({key: inner for key, inner in value.as_json().items() if key not in ("phase", "visibility", "why")})
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {shown(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple, set)):
        return "[" + ", ".join(map(shown, value)) + "]"
    return {None: "null", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else str(value)


def _found(outcome: Outcome, kind: str) -> list[Event]:
    return [event for event in outcome.events if event.kind == kind]


def _seats(outcome: Outcome, names: Iterable[str]) -> set[str]:
    """The seats of the players named, by whatever name each goes or went."""
    return {outcome.state.seat_of(name) for name in names}


def _unequal(key: str, wanted: Any, came: Any) -> list[str]:
    return [f"expected {key} {shown(wanted)}, but {key} came out as {shown(came)}"]


def _check_deaths(one: Check, outcome: Outcome) -> list[str]:
    came = list(dict.fromkeys(event["player"] for event in _found(outcome, "death")))
    return [] if _seats(outcome, came) == _seats(outcome, one.wanted) else _unequal("deaths", one.wanted, came)


def _check_causes(one: Check, outcome: Outcome) -> list[str]:
    failures = []
    for player, causes in one.wanted.items():
        seat = outcome.state.seat_of
        deaths = [event for event in _found(outcome, "death") if seat(event["player"]) == seat(player)]
        came = [cause for event in deaths for cause in as_tuple(event["cause"])]
        if set(came) != set(causes):
            died = f"died of {', '.join(came)}" if came else "did not die"
            failures.append(f"expected {player} to die of {', '.join(causes)}, but {player} {died}")
    return failures


def _check_conditions(one: Check, outcome: Outcome) -> list[str]:
    wanted = one.key == "conditions"
    failures = []
    for player, conditions in one.wanted.items():
        held = outcome.conditions.get(outcome.state.called(outcome.state.seat_of(player)), [])
        for condition in conditions:
            if (condition in held) != wanted:
                verb = "to be" if wanted else "not to be"
                failures.append(f"expected {player} {verb} `{condition}`, but {player} is {', '.join(held) or 'nothing'}")
    return failures


def _check_lynched(one: Check, outcome: Outcome) -> list[str]:
    came = [event["player"] for event in _found(outcome, "lynch") if event["player"] is not None]
    equal = _seats(outcome, came) == _seats(outcome, one.wanted)
    return [] if equal else _unequal("lynched", one.wanted or None, came or None)


def _check_tally(one: Check, outcome: Outcome) -> list[str]:
    field = "published" if one.key == "tally" else "final"
    counts = [event.get(field) or {} for event in _found(outcome, "tally")]
    came = counts[-1] if counts else {}
    equal = {outcome.state.seat_of(name): votes for name, votes in came.items()} == {
        outcome.state.seat_of(name): votes for name, votes in one.wanted.items()
    }
    return [] if equal else _unequal(one.key, one.wanted, came)


def _check_patterns(one: Check, outcome: Outcome) -> list[str]:
    kind = PATTERNS[one.key]
    failures = []
    for pattern in one.wanted:
        if not any(matches(pattern, event, kind) for event in outcome.events):
            near = nearest_events(pattern, outcome.events, kind)
            came = "; nearest: " + "; ".join(map(shown, near)) if near else "; no such event came"
            failures.append(f"expected {kind or 'an event'} {shown(pattern)}{came}{_misspelt(pattern, outcome, kind)}")
    return failures


def _misspelt(pattern: Pattern, outcome: Outcome, kind: str | None) -> str:
    """A hint where a key of the pattern is in no event of the phase, or no question goes by that name, and one is near."""
    keys = {key for event in outcome.events if kind in (None, event.kind) for key in event.as_json()} | USUAL
    pairs = [(key, closest(key, keys)) for key in pattern if key not in keys]
    question, asks = pattern.get("question"), load(outcome.state.game.ruleset).facts.get("asks", ())
    if kind == "ask" and isinstance(question, Word) and question.text not in asks:
        pairs.append((question.text, closest(question.text, asks)))
    return "".join(f"; did you mean `{near}` instead of `{word}`?" for word, near in pairs if near is not None)


def nearest_events(pattern: Pattern, events: Sequence[Event], kind: str | None) -> list[Event]:
    """The events of that kind that agree with the pattern in most keys, best first; none that agrees in nothing."""

    def agreeing(event: Event) -> int:
        fields = event.as_json()
        return sum(key in fields and same(value, fields[key]) for key, value in pattern.items())

    of_kind = [event for event in events if kind is None or event.kind == kind]
    return sorted((event for event in of_kind if agreeing(event)), key=agreeing, reverse=True)[:NEAREST]


def _check_absent(one: Check, outcome: Outcome) -> list[str]:
    return [
        f"expected no event {shown(pattern)}, but there is {shown(event)}"
        for pattern in one.wanted
        for event in outcome.events
        if matches(pattern, event)
    ]


def _check_one_of(one: Check, outcome: Outcome) -> list[str]:
    tried = [check(alternative, outcome) for alternative in one.wanted]
    if not all(tried):
        return []
    return ["expected one of several, but none holds: " + " / ".join(_sentence(failures) for failures in tried)]


def _sentence(failures: Iterable[Failure]) -> str:
    return "; ".join(failure.message for failure in failures)


def _check_winner(one: Check, outcome: Outcome) -> list[str]:
    came = outcome.state.winner
    if came is None or one.wanted is None:
        return [] if came is one.wanted else _unequal("winner", one.wanted, came)
    equal = _seats(outcome, came) == _seats(outcome, one.wanted)
    return [] if equal else _unequal("winner", one.wanted, came)


_CHECKERS: Mapping[str, Callable[[Check, Outcome], list[str]]] = {
    "deaths": _check_deaths, "causes": _check_causes, "conditions": _check_conditions, "not_conditions": _check_conditions,
    "lynched": _check_lynched, "tally": _check_tally, "final_tally": _check_tally,
    **dict.fromkeys(PATTERNS, _check_patterns), "absent": _check_absent, "one_of": _check_one_of, "winner": _check_winner,
}  # fmt: skip
