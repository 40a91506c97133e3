"""A log-in that was refused: the forum is left alone for a while, longer each time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desk.table import Table

REFUSED = "login refused"
"""The bookmark that tells how often a log-in was refused in a row, and until when the forum is left alone."""
WAIT, LONGEST = timedelta(minutes=15), timedelta(hours=6)


def hold_back(table: Table, now: datetime) -> None:
    """After a log-in that was refused, wait longer each time: a forum asks for a puzzle after a few, and locks the account."""
    times = (table.record.bookmark(REFUSED) or {"times": 0})["times"]
    until = now + min(WAIT * 2 ** min(times, 10), LONGEST)  # for weeks on end, perhaps
    table.record.set_bookmark(REFUSED, {"times": times + 1, "until": until.isoformat()})


def held_back(table: Table, now: datetime) -> str | None:
    """Why the forum is left alone for now, where a log-in was refused a short while ago."""
    kept = table.record.bookmark(REFUSED)
    if kept is None or now >= datetime.fromisoformat(kept["until"]):
        return None
    return (
        f"The forum refused the log-in, so it is left alone until {kept['until'][:16].replace('T', ' ')} UTC. Mend the password "
        "and run `nightpost check`: then the next tick goes on at once. Nothing was lost."
    )


def let_in(table: Table) -> None:
    """The forum has taken the log-in, or asked for none."""
    if table.record.bookmark(REFUSED) is not None:
        table.record.set_bookmark(REFUSED, None)
