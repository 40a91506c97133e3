"""Moments and spans of time in words, in the languages of the posts. English stands in for a language that is not here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from engine.posts import Language


@dataclass(frozen=True, slots=True)
class _Words:
    """How a language writes a moment. `units` are days, hours and minutes, each for one and for several."""

    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    units: tuple[tuple[str, str], ...]
    moment: str = "{weekday} {day} {month} {year}, {time} {zone}"
    other_clock: str = "{text} ({utc} UTC)"
    between: str = " "


# English has its words here, so that a tick in which nothing is new need not load Babel.
_ENGLISH = _Words(
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"),
    (("day", "days"), ("hour", "hours"), ("minute", "minutes")),
)


def moment(at: datetime, zone: str, language: Language) -> str:
    """The moment `at` on the clock of `zone` (an IANA name), with the hour in UTC beside it where that is another zone.

    The day is given in the calendar that `language` names.
    """
    words, local = _words(language.code), at.astimezone(ZoneInfo(zone))
    year, month, day = _day(local.date(), language, words)
    text = words.moment.format(
        weekday=words.weekdays[local.weekday()], day=day, month=month, year=year, time=f"{local:%H:%M}",
        zone=_zone(zone, language.code),
    )  # fmt: skip
    if zone != "UTC":
        utc = at.astimezone(UTC)
        other_day = "" if utc.date() == local.date() else f"{words.weekdays[utc.weekday()]} "
        text = words.other_clock.format(text=text, utc=f"{other_day}{utc:%H:%M}")
    return in_digits(text, language)


def _day(day: date, language: Language, words: _Words) -> tuple[int, str, int]:
    """Year, name of the month and day, in the language's calendar."""
    if language.calendar != "solar_hijri":
        return day.year, words.months[day.month - 1], day.day
    from persiantools.jdatetime import MONTH_NAMES_EN, MONTH_NAMES_FA, JalaliDate

    solar = JalaliDate(day)  # type: ignore[no-untyped-call]
    names = MONTH_NAMES_FA if language.code == "fa" else MONTH_NAMES_EN
    return solar.year, str(names[solar.month]), solar.day


@cache
def _zone(zone: str, code: str) -> str:
    """A zone as readers of the language know it: by its city in Persian, in English as it is."""
    if code != "fa":
        return zone
    if zone == "UTC":
        return "هماهنگ جهانی"
    from babel.dates import get_timezone_location

    return get_timezone_location(zone, locale=code, return_city=True)


def left(span: timedelta, language: Language) -> str | None:
    """Days and hours, or hours and minutes; None where less than a minute is left."""
    words = _words(language.code)
    minutes = int(span.total_seconds() // 60)
    if minutes < 1:
        return None
    numbers = (minutes // 1440, minutes // 60 % 24, minutes % 60)
    first = 0 if numbers[0] else 1
    parts = list(zip(numbers, words.units, strict=True))[first : first + 2]
    spoken = (f"{number} {one if number == 1 else several}" for number, (one, several) in parts if number)
    return in_digits(words.between.join(spoken), language)


@cache
def _words(code: str) -> _Words:
    if code != "fa":
        return _ENGLISH
    from babel import Locale
    from babel.units import format_unit

    locale = Locale(code)
    one, several = (
        [format_unit(number, unit, locale=locale).partition(" ")[2] for unit in ("day", "hour", "minute")] for number in (1, 2)
    )
    days, months = locale.days["format"]["wide"], locale.months["stand-alone"]["wide"]
    return _Words(
        tuple(days[number] for number in range(7)), tuple(months[number] for number in range(1, 13)),
        tuple(zip(one, several, strict=True)),
        "{weekday} {day} {month} {year}، ساعت {time} به وقت {zone}", "{text} ({utc} به وقت هماهنگ جهانی)", " و ",
    )  # fmt: skip


def in_digits(text: str, language: Language) -> str:
    """The text with its numbers in the language's own digits."""
    return text.translate(str.maketrans("0123456789", language.digits))
