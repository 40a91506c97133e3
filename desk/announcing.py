"""From when a phase's hours count: by the forum's clock, or from when the report that opens it may go out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from desk.places import local

if TYPE_CHECKING:
    from desk.table import Table
    from store.record import Draft, PhaseRow


def counted_from_now(table: Table, approved: Collection[int], now: datetime) -> Iterator[str]:
    """Move the deadline where the report that opens the current phase is among the drafts just `approved`, and say so.

    The report waited for the GM since it was made, so the phase lasts its hours from `now`; what the GM added to them is kept.
    Where the report names the deadline it names the new one.
    """
    phase, clock = table.current(), table.settings.clock
    parts = _report(table)
    if phase is None or phase.deadline is None or not any(one.id in approved for one in parts):
        return
    if phase.deadline > now and any(entry.kind == "deadline" for entry in table.said(phase)):
        return  # the host has told the players another one
    named = [phase.deadline, *(datetime.fromisoformat(entry.key) for entry in table.said(phase) if entry.kind == "extend")]
    given = phase.deadline - min(named)
    deadline = clock.deadline(now, table.settings.hours(phase.label.kind, table.state().options)) + given
    move_deadline(table, phase, deadline)
    yield f"{phase.label} ends at {local(deadline, clock.timezone)}: its hours count from this report."


def move_deadline(table: Table, phase: PhaseRow, deadline: datetime | None) -> None:
    """The open `phase` ends at another time: the post that opens it names that one, where it has not gone out yet."""
    from publisher.drafts import with_deadline

    options = table.state().options
    with table.record.together():
        table.record.move_deadline(phase.seq, deadline)
        if phase.deadline is None or deadline is None:
            return
        for one in _opening(table):
            if one.state in ("review", "approved"):
                body = with_deadline(table.settings, options, one.body, phase.deadline, deadline)
                table.record.change_draft(one.id, body=body)


def is_announced(table: Table) -> bool:
    """Whether the post that opens the current phase, and names its deadline, stands in the thread already: one that the GM has
    dropped may have been posted by hand.
    """
    return any(one.state in ("posted", "dropped") for one in _opening(table))


def begin_by_forum(table: Table) -> None:
    """The first phase was opened by this machine's clock: once the forum's is known, it counts as opened by that."""
    phases, known = table.record.phases(), table.record.fact("opened by the forum's clock")
    if known is not None or len(phases) != 1:
        return
    with table.record.together():
        table.record.set_fact("opened by the forum's clock", "yes")
        if table.settings.clock.opens is None:
            table.record.move_opening(phases[0].seq, table.on_the_forum(phases[0].opened_at))


def waits_for_its_report(table: Table) -> bool:
    """Whether the report that opens the current phase still waits for the GM, so that the phase has not begun for the players."""
    return any(one.state == "review" for one in _report(table))


def _report(table: Table) -> list[Draft]:
    """The parts of the report that opens the current phase, where its hours count from it."""
    from_it = table.settings.clock.counts_from == "announcement" and len(table.record.phases()) > 1
    return _opening(table) if from_it else []


def _opening(table: Table) -> list[Draft]:
    """The parts of the post that opens the current phase and names its deadline."""
    phases = table.record.phases()
    if not phases or phases[-1].closed_at is not None:
        return []
    return table.record.parts_of(f"report {phases[-2].seq}" if len(phases) > 1 else "opening")
