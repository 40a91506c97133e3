"""The deadlines of a game as a calendar file (.ics), to subscribe to or to hand out."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from engine.posts import Language
from publisher.times import moment

if TYPE_CHECKING:
    from scheduler import Table


def calendar_of(table: Table, now: datetime) -> str:
    """One event for each phase so far: from its opening to its deadline, in UTC, with the reminders as alarms.

    The description tells the end on the GM's clock, with the hour in UTC beside it.

    Nothing in it is more than the thread says: names of phases, times, and the topic's address.
    """
    from icalendar import Alarm, Calendar, Event

    settings = table.settings
    calendar = Calendar()
    calendar.add("prodid", "-//Nightpost//deadlines//EN")
    calendar.add("version", "2.0")
    title = " ".join(settings.title.split())
    calendar.add("x-wr-calname", title)
    for phase in table.record.phases():
        ends = phase.deadline or phase.closed_at
        if ends is None:
            continue
        entry = Event()
        key = f"{settings.title}\0{settings.thread.url}\0{phase.seq}"
        entry.add("uid", f"{hashlib.sha256(key.encode()).hexdigest()[:24]}@nightpost")
        entry.add("dtstamp", now)
        entry.add("dtstart", min(phase.opened_at, ends))
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
