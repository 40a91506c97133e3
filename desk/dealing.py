"""`nightpost start`: the first phase opens, and the opening post with the commitment to the dice is drafted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from engine.choices import commitment
from scheduler import Table, start


def begin(folder: Path, now: datetime) -> Iterator[str]:
    """Begin the game in `folder`; what was done is told line by line.

    The roles are those of `game.toml`, dealt where it says so. Raises BadInput where the settings are wrong or the game has begun.
    """
    table = Table.at(folder)
    settings, record = table.settings, table.record
    state = "approved" if settings.publish["opening"] == "auto" else "review"
    with record.together():
        start(table, now)
        record.set_fact("commitment", commitment(settings.seed))
        record.add_draft("opening", "opening", "thread", settings.title, opening(table), state, now, None)
    phase = table.current()
    assert phase is not None
    yield f"{settings.title} has begun: {phase.label}, until {phase.deadline}."
    yield "The opening post waits in the outbox: nightpost outbox" if state == "review" else "The next tick posts the opening."


def opening(table: Table) -> str:
    """The opening post: what is played, until when, and the hash of the seed by which the dice can be checked at the end."""
    settings, phase = table.settings, table.current()
    assert phase is not None
    zone = settings.clock.timezone
    until = phase.deadline.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M") if phase.deadline else None
    ends = f"It ends on {until} ({zone})." if until else "It ends when I say so."
    return (
        f"[b]{settings.title}[/b]\n\n{str(phase.label).capitalize()} has begun. {ends}\n\n"
        "Every random draw is decided by a secret seed that is published when the game is over. This is its hash, so that you can check it:\n"
        f"[code]{commitment(settings.seed)}[/code]\n(SHA-256 of \"nightpost:\" followed by the seed)"
    )
