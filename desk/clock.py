"""When phases begin and end: `[clock]` of `game.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from desk.reading import Table

DATES = ("gregorian", "solar_hijri")
"""The calendars in which posts can give a day, the usual one first."""
EARLY = ("votes", "all")
"""What can end a phase before its deadline: that everybody has voted, or that everybody has done what the phase waits for."""
COUNTS_FROM = ("deadline", "announcement")
"""From when a phase's hours count: the deadline of the one before, or the report that opens it."""
ON_THE_WALL = timedelta(hours=12)
"""What lasts so long or longer lasts as clocks show it; what is shorter is meant exactly."""


@dataclass(frozen=True, slots=True)
class Clock:
    """When phases begin and end. `opens` and `ends` are those of the first phase, aware and in UTC.

    `at` fixes the hour of every deadline, in the GM's time zone `timezone`. `reminders` are the hours before a deadline at which
    it is reminded of, longest first. `early` is one of `EARLY`, None where every phase lasts to its deadline. `calendar` is the
    file that is kept with all deadlines, `dates` the calendar in which posts give the day; `counts_from` is
    one of `COUNTS_FROM`. With `floating` what comes after a deadline counts too, until the GM ends the phase.
    """

    timezone: str = "UTC"
    opens: datetime | None = None
    ends: datetime | None = None
    at: time | None = None
    reminders: tuple[float, ...] = ()
    early: str | None = None
    calendar: Path | None = None
    dates: str = DATES[0]
    counts_from: str = COUNTS_FROM[0]
    floating: bool = False

    def deadline(self, begins: datetime, hours: float) -> datetime:
        """When a phase that begins at `begins` and lasts `hours` ends, in UTC; always after `begins`.

        The hours are those of `later`: where clocks change meanwhile, a phase of a day still ends at the hour at which it began.
        With `at` it is the moment nearest to that with this hour on the clock (the later of two equally
        near); so a phase also comes back to its hour after a deadline that was moved.
        """
        plain = self.later(begins, timedelta(hours=hours))
        if self.at is None:
            return plain
        zone = ZoneInfo(self.timezone)
        day = plain.astimezone(zone).date()
        near = [datetime.combine(day + timedelta(days=step), self.at, zone).astimezone(UTC) for step in (1, 0, -1, 2)]
        return min((moment for moment in near if moment > begins), key=lambda moment: abs(moment - plain))


    def later(self, moment: datetime, by: timedelta) -> datetime:
        """What is so much later than `moment`, in UTC: half a day and more on the wall's clock, less exactly."""
        # What is added to a zone's time is added to what its clocks show.
        return (moment.astimezone(ZoneInfo(self.timezone) if by >= ON_THE_WALL else UTC) + by).astimezone(UTC)


def read_clock(table: Table, folder: Path) -> Clock:
    """`[clock]`, its mistakes noted; files are in `folder`."""
    zone = table.zone("timezone")
    opens, ends, at = table.moment("opens", zone), table.moment("ends", zone), table.hour("at")
    reminders, calendar = table.numbers("reminders"), table.text("calendar")
    if isinstance(table.data.get("early"), str):
        early = table.choice("early", EARLY)
    elif "early" in table.data and not isinstance(table.data["early"], bool):
        table.seen.add("early")
        table.wrong("early", "`early` is true, false or \"all\"")
        early = None
    else:
        early = EARLY[0] if table.flag("early", False) else None
    dates = table.choice("dates", DATES) or DATES[0]
    counts_from = table.choice("counts_from", COUNTS_FROM) or COUNTS_FROM[0]
    floating = table.flag("floating", False)
    table.close()
    if opens and ends and ends <= opens:
        table.wrong("ends", "the first phase ends before it opens")
    if calendar and not calendar.lower().endswith(".ics"):
        table.wrong("calendar", f"`calendar` is a file that is written anew each time; its name ends in .ics, not {calendar!r}")
    file = folder / calendar if calendar else None
    return Clock(zone, opens, ends, at, tuple(sorted(set(reminders), reverse=True)), early, file, dates, counts_from, floating)
