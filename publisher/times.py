"""Moments and spans of time in words, in the languages of the posts. English stands in for a language that is not here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from engine.posts import Language


@dataclass(frozen=True, slots=True)
class _Words:
    """How a language writes a moment. `units` are days, hours and minutes, each for one and for several."""

    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    moment: str
    units: tuple[tuple[str, str], ...]
    between: str


_ENGLISH = _Words(
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"),
    "{weekday} {day} {month} {year}, {time} {zone}",
    (("day", "days"), ("hour", "hours"), ("minute", "minutes")),
    " ",
)
_PERSIAN = _Words(
    ("دوشنبه", "سه‌شنبه", "چهارشنبه", "پنج‌شنبه", "جمعه", "شنبه", "یک‌شنبه"),
    ("ژانویه", "فوریه", "مارس", "آوریل", "مه", "ژوئن", "ژوئیه", "اوت", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"),
    "{weekday} {day} {month} {year}، ساعت {time} به وقت {zone}",
    (("روز", "روز"), ("ساعت", "ساعت"), ("دقیقه", "دقیقه")),
    " و ",
)
_WORDS = {"en": _ENGLISH, "fa": _PERSIAN}


def moment(at: datetime, zone: str, language: Language) -> str:
    """The moment `at` on the clock of `zone` (an IANA name), with the hour in UTC beside it where that is another zone."""
    words = _WORDS.get(language.code, _ENGLISH)
    local = at.astimezone(ZoneInfo(zone))
    text = words.moment.format(
        weekday=words.weekdays[local.weekday()], day=local.day, month=words.months[local.month - 1], year=local.year,
        time=f"{local:%H:%M}", zone=zone,
    )  # fmt: skip
    if zone != "UTC":
        utc = at.astimezone(UTC)
        day = "" if utc.date() == local.date() else f"{words.weekdays[utc.weekday()]} "
        text = f"{text} ({day}{utc:%H:%M} UTC)"
    return in_digits(text, language)


def left(span: timedelta, language: Language) -> str | None:
    """Days and hours, or hours and minutes; None where less than a minute is left."""
    words = _WORDS.get(language.code, _ENGLISH)
    minutes = int(span.total_seconds() // 60)
    if minutes < 1:
        return None
    numbers = (minutes // 1440, minutes // 60 % 24, minutes % 60)
    first = 0 if numbers[0] else 1
    parts = list(zip(numbers, words.units, strict=True))[first : first + 2]
    spoken = (f"{number} {one if number == 1 else several}" for number, (one, several) in parts if number)
    return in_digits(words.between.join(spoken), language)


def in_digits(text: str, language: Language) -> str:
    """The text with its numbers in the language's own digits."""
    return text.translate(str.maketrans("0123456789", language.digits))
