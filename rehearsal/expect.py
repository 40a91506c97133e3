"""What must hold once a phase has been resolved: the `expect` of a scenario, checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.play import Outcome

_PATTERNS = {"results": "result", "notices": "notice", "announces": "announce", "asks": "ask"}


def failures(expect: Mapping[str, Any], outcome: Outcome) -> list[str]:
    """What of `expect` does not hold, in sentences that say what was expected and what came instead."""
    events = [event.as_json() for event in outcome.events]
    return list(_failures(expect, events, outcome))


def _failures(expect: Mapping[str, Any], events: Sequence[Mapping[str, Any]], outcome: Outcome) -> Iterator[str]:
    deaths = {event["player"]: event["cause"] for event in events if event["kind"] == "death"}
    for key, wanted in expect.items():
        if key in ("conditions", "not_conditions"):
            yield from _conditions(key, wanted, outcome)
        elif key == "deaths":
            yield from _differs("deaths", wanted or [], list(deaths))
        elif key == "causes":
            for player, cause in wanted.items():
                yield from _differs(f"cause of {player}'s death", as_list(cause), as_list(deaths.get(player, [])))
        elif key == "lynched":
            lynched = [event["player"] for event in events if event["kind"] == "lynch" and event["player"] is not None]
            yield from _differs("lynched", as_list(wanted), lynched)
        elif key in ("tally", "final_tally"):
            field = "published" if key == "tally" else "final"
            counts = [event[field] for event in events if event["kind"] == "tally"]
            yield from _differs(key, wanted or {}, counts[-1] if counts else {})
        elif key == "winner":
            got = outcome.state.winner
            if (wanted is None) != (got is None) or not same(as_list(wanted), got or []):
                yield f"expected winner {_shown(wanted)}, got {_shown(got)}"
        elif key == "one_of":
            tried = [list(_failures(one, events, outcome)) for one in wanted]
            if all(tried):
                yield "none of `one_of` holds: " + "; or ".join(" and ".join(one) for one in tried)
        elif key == "absent":
            for pattern in wanted or []:
                if any(matches(event, pattern) for event in events):
                    yield f"expected no event {_shown(pattern)}, but there is one"
        else:
            yield from _present(key, wanted or [], events)


def _present(key: str, patterns: Sequence[Mapping[str, Any]], events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    kind = _PATTERNS.get(key)
    among = [event for event in events if kind is None or event["kind"] == kind]
    for pattern in patterns:
        if not any(matches(event, pattern) for event in among):
            near = [event for event in among if sum(same(event.get(k), v) for k, v in pattern.items()) * 2 >= len(pattern)]
            yield f"expected {kind or 'an event'} {_shown(pattern)}; nearest: " + ("; ".join(map(_shown, near[:3])) or "none")


def _conditions(key: str, wanted: Mapping[str, Any], outcome: Outcome) -> Iterator[str]:
    for player, conditions in wanted.items():
        for condition in as_list(conditions):
            held = outcome.conditions.get(player, [])
            if (condition in held) != (key == "conditions"):
                yield f"expected {player} {'to be' if key == 'conditions' else 'not to be'} {condition}; is {', '.join(held)}"


def _differs(what: str, wanted: Any, got: Any) -> Iterator[str]:
    if not same(wanted, got):
        yield f"expected {what} {_shown(wanted)}, got {_shown(got)}"


def matches(event: Mapping[str, Any], pattern: Mapping[str, Any]) -> bool:
    """Whether the event has each key of the pattern with the same value (scenarios.md)."""
    return all(key in event and same(event[key], value) for key, value in pattern.items())


def same(one: Any, other: Any) -> bool:
    """Equal, with lists as sets, and YAML's `true` and `false` as the words."""
    return bool(_plain(one) == _plain(other))


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return frozenset((str(key), _plain(inner)) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return ("set", frozenset(map(_plain, value)))
    return value


def as_list(value: Any) -> list[Any]:
    """One value or a list of them, as a list; None as an empty one."""
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        hidden = ("phase", "visibility", "why")
        return "{" + ", ".join(f"{key}: {_shown(inner)}" for key, inner in value.items() if key not in hidden) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
