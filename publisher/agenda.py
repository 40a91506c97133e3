"""The deadlines of a game as a calendar file (.ics), to subscribe to or to hand out."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from engine.choices import commitment
from engine.posts import Language
from publisher.times import moment
from scraper.model import iso

if TYPE_CHECKING:
    from desk.table import Table


def calendar_of(table: Table, now: datetime) -> str:
    """One event for each phase so far: from its opening to its end, in UTC, with the reminders of the open one as alarms.

    An event keeps its UID for good, and its SEQUENCE rises when its end is moved. The description tells the end on the GM's
    clock, with the hour in UTC beside it.

    Nothing in it is more than the thread says: names of phases, times, and the topic's address.
    """
    from icalendar import Alarm, Calendar, Event

    settings = table.settings
    calendar = Calendar()
    calendar.add("prodid", "-//Nightpost//deadlines//EN")
    calendar.add("version", "2.0")
    title = _printable(settings.title)
    calendar.add("x-wr-calname", title)
    for phase in table.record.phases():
        ends = phase.closed_at or phase.deadline
        if ends is None:
            continue
        entry = Event()
        key = f"{commitment(settings.seed)} {phase.seq}"  # title and address may change
        entry.add("uid", f"{hashlib.sha256(key.encode()).hexdigest()[:24]}@nightpost")
        entry.add("sequence", table.record.moves(phase.seq) + (ends != phase.deadline))
        entry.add("dtstamp", now)
        entry.add("dtstart", min(phase.opened_at, ends))
        if ends > phase.opened_at:
            entry.add("dtend", ends)
        entry.add("summary", f"{title}: {phase.label}")
        entry.add("description", f"{phase.label} ends at {moment(ends, settings.clock.timezone, Language())}")
        if settings.thread.url:
            entry.add("url", settings.thread.url)
        for hours in settings.clock.reminders if phase.closed_at is None else ():
            alarm = Alarm()
            alarm.add("action", "DISPLAY")
            alarm.add("description", f"{phase.label} ends in {hours:g} h")
            alarm.add("trigger", timedelta(hours=-hours), parameters={"RELATED": "END"})
            entry.add_component(alarm)
        calendar.add_component(entry)
    return str(calendar.to_ical().decode())


def _printable(text: str) -> str:
    """The text on one line, without signs that a calendar file may not hold."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


def keep_calendar(table: Table, now: datetime) -> None:
    """Write the calendar file anew where a deadline has changed."""
    file = table.settings.clock.calendar
    deadlines = [[phase.seq, iso(phase.deadline), iso(phase.closed_at)] for phase in table.record.phases()]
    if file is None or (file.exists() and table.record.bookmark("calendar") == deadlines):
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_name(file.name + ".part")
        beside.write_text(calendar_of(table, now), encoding="utf-8", newline="")
        beside.replace(file)
    except OSError as error:
        table.record.notice(now, f"The calendar file {file} cannot be written: {error.strerror}. The game goes on without it.")
        return
    table.record.set_bookmark("calendar", deadlines)
