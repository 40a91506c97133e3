"""`nightpost start`: the roles are dealt or taken, the first phase opens, and everything that begins a game is drafted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from desk.places import local
from desk.table import Table
from scheduler import start
from scraper.model import iso
from store.record import Draft


def begin(folder: Path, now: datetime) -> dict[str, Any]:
    """Begin the game in `folder`: rules, opening post and role messages are drafted. What was done is told.

    The roles are those of `game.toml`, dealt where it says so. `failed` are the drafts whose template of the GM's failed: the
    built-in text waits in its place. Raises BadInput for wrong settings or a game that has begun; then nothing was written.
    """
    table = Table.at(folder)
    with table.record.together():
        start(table, now.replace(microsecond=0))
        table.record.set_fact("began with", json.dumps(table.settings.parts))
    phase = table.current()
    assert phase is not None
    drafts = table.record.drafts()
    errors = dict.fromkeys(draft.error for draft in drafts if draft.error)
    return {
        "title": table.settings.title, "phase": str(phase.label), "timezone": table.settings.clock.timezone,
        "opened_at": iso(phase.opened_at), "deadline": iso(phase.deadline),
        "review": sum(draft.state == "review" for draft in drafts),
        "to_post": sum(draft.state == "approved" for draft in drafts),
        "failed": [_failed(error, [draft for draft in drafts if draft.error == error]) for error in errors],
    }  # fmt: skip


def _failed(error: str, drafts: list[Draft]) -> str:
    """What is wrong with a template, and which drafts it concerns."""
    numbers = ", ".join(str(draft.id) for draft in drafts)
    return f"{error} It concerns draft {numbers} (nightpost outbox)."


def begun_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same to read, but for what failed."""
    until = f", until {local(datetime.fromisoformat(facts['deadline']), facts['timezone'])}" if facts["deadline"] else ""
    yield f"{facts['title']} has begun: {facts['phase']}{until}."
    for key, what in (("review", "wait for you: nightpost outbox"), ("to_post", "go out with the next tick")):
        if facts[key]:
            yield f"{facts[key]} drafts {what}"
