"""`nightpost start`: the roles are dealt or taken, the first phase opens, and everything that begins a game is drafted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from desk.places import local
from scheduler import Table, start


def begin(folder: Path, now: datetime) -> Iterator[str]:
    """Begin the game in `folder`: rules, opening post and role messages are drafted. What was done is told line by line.

    The roles are those of `game.toml`, dealt where it says so. Raises BadInput for wrong settings or a game that has begun;
    then nothing was written.
    """
    table = Table.at(folder)
    with table.record.together():
        start(table, now.replace(microsecond=0))
        table.record.set_fact("fingerprint", table.settings.fingerprint)
    phase = table.current()
    assert phase is not None
    until = f", until {local(phase.deadline, table.settings.clock.timezone)}" if phase.deadline else ""
    yield f"{table.settings.title} has begun: {phase.label}{until}."
    for state, what in (("review", "wait for you: nightpost outbox"), ("approved", "go out with the next tick")):
        if drafts := table.record.drafts(state):
            yield f"{len(drafts)} drafts {what}"
