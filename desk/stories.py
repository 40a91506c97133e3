"""What happened, told from the events: the whole log, and the chain that led to one player's fate or to one event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desk.sentences import told_of
from engine.events import Event
from engine.inputs import CommandInput, OrderInput, PostInput

Source = PostInput | OrderInput | CommandInput


def log_facts(events: Sequence[Event], sources: Mapping[str, Source]) -> list[dict[str, Any]]:
    """Every event in order, with what of it only the GM may see, and the post, order or command it came from."""
    return [
        {"event": number, **event.as_json(), "secret": list(event.secret), "source": _source(event, sources)}
        for number, event in enumerate(events, 1)
    ]  # fmt: skip


def why_facts(events: Sequence[Event], asked: str, sources: Mapping[str, Source]) -> list[dict[str, Any]]:
    """The events that bear on `asked`: a player's name (regardless of case), or the number of an event in the log.

    For an event those of its phase that share a player, a source or a draw with it, up to the event itself; for a player all
    that name the player. Empty where nothing does.
    """
    facts = log_facts(events, sources)
    if asked.isdecimal() and 0 < int(asked) <= len(events):
        place = int(asked) - 1
        wanted = _named(events[place])
        return [
            row for row, event in zip(facts[: place + 1], events[: place + 1], strict=True)
            if event.phase == events[place].phase and (_named(event) & wanted or row["event"] == place + 1)
        ]  # fmt: skip
    name = asked.casefold()
    return [row for row, event in zip(facts, events, strict=True) if any(name == word.casefold() for word in _named(event))]


def story_lines(facts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The same to read: a heading for each phase, a line for each event, and what was written to bring it about."""
    phase = None
    for row in facts:
        if row["phase"] != phase:
            phase = row["phase"]
            yield f"{phase}, so far (provisional: the phase is open)" if row.get("provisional") else str(phase)
        told = {key: value for key, value in row.items() if key not in NOT_FIELDS}
        yield f"  {row['event']:>4} {told_of(told, row['secret'])}"
        if source := row["source"]:
            yield f"       from {source['url'] or source['id']}, {source['by']}: {' '.join(source['text'].split())[:200]}"


def _source(event: Event, sources: Mapping[str, Source]) -> dict[str, Any] | None:
    found = sources.get(event.source or "")
    if found is None:
        return None
    kind = {PostInput: "post", OrderInput: "order", CommandInput: "command"}[type(found)]
    by, url = getattr(found, "by", "GM"), getattr(found, "link", None)
    return {"kind": kind, "id": found.id, "by": by, "url": url, "text": found.text}


def _named(event: Event) -> set[str]:
    """Every word in the event's fields that could be a name."""
    return {word for key, value in event.data.items() if key not in _NO_NAMES for word in _words(value)}


def _words(value: Any) -> set[str]:
    """Every text in a field, at any depth, keys of maps included."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, Mapping):
        return {word for key, inner in value.items() for word in ({str(key)} | _words(inner))}
    if isinstance(value, (list, tuple)):
        return {word for inner in value for word in _words(inner)}
    return set()


NOT_FIELDS = ("event", "source", "secret", "provisional")
_NO_NAMES = (
    "kind", "topic", "action", "group", "fate", "value", "cause", "reason", "condition", "question", "default", "text", "team",
)  # fmt: skip
