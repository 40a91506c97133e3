"""Dates as forums write them, in many languages and all formats."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from babel.dates import format_datetime
from hypothesis import given
from hypothesis import strategies as st

from scraper.dates import DateReader, DateText, jalali
from scraper.datewords import COMMON

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
TEHRAN = ZoneInfo("Asia/Tehran")


def reader(*samples: str, language: str = "en", zone: ZoneInfo | None = None, now: datetime = NOW) -> DateReader:
    made = DateReader(timezone=zone or UTC, now=now, languages=(language,))
    made.learn([DateText(sample) for sample in samples])
    return made


@pytest.mark.parametrize(
    ("text", "language", "moment"),
    [
        ("Nov 12, 2026, 05:58 PM", "en", "2026-11-12T17:58"),
        ("Thu Nov 12, 2026 12:05 am", "en", "2026-11-12T00:05"),
        ("Thursday, 12th November, 2026, 12:30 pm", "en", "2026-11-12T12:30"),
        ("am 12. November 2026, 12:30", "de", "2026-11-12T12:30"),
        ("Do 12. Mär 2026, 21:30 Uhr", "de", "2026-03-12T21:30"),
        ("mar. 10 mars 2026 21h30", "fr", "2026-03-10T21:30"),
        ("mar 10, 2026, 21:30", "es", "2026-03-10T21:30"),
        ("12 de noviembre de 2026, 17:58:01", "es", "2026-11-12T17:58:01"),
        ("12 ноя 2026, 17:58", "ru", "2026-11-12T17:58"),
        ("Čer 05, 2026, 17:58", "cs", "2026-06-05T17:58"),
        ("2026年11月12日, 17:58", "ja", "2026-11-12T17:58"),
        ("2026年11月12日 下午05:58", "zh", "2026-11-12T17:58"),
        ("2026-11-12 17:58:03", "en", "2026-11-12T17:58:03"),
        ("17 Nov '26, 05.58 pm", "en", "2026-11-17T17:58"),
        ("Nov 12, 05:58 PM", "en", "2026-11-12T17:58"),
        ("Dec 12, 05:58 PM", "en", "2025-12-12T17:58"),
        ("۲۲ آبان ۱۴۰۵، ۲۱:۰۰", "fa", "2026-11-13T21:00"),
        ("1405/08/22 21:00", "fa", "2026-11-13T21:00"),
        ("Today at 12:33 PM", "en", "2026-11-29T12:33"),
        ("Today, 7:05", "en", "2026-11-29T07:05"),
        ("gestern um 12:30 Uhr", "de", "2026-11-28T12:30"),
        ("Bugün, 09:30", "tr", "2026-11-29T09:30"),
        ("امروز در ۰۹:۳۰", "fa", "2026-11-29T09:30"),
        ("昨日 17:58", "ja", "2026-11-28T17:58"),
        ("54 minutes ago", "en", "2026-11-29T19:21"),
        ("1 час назад", "ru", "2026-11-29T19:15"),
        ("less than a minute ago", "en", "2026-11-29T20:15"),
    ],
)
def test_one_text(text: str, language: str, moment: str) -> None:
    assert reader(text, language=language).read(DateText(text)) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["5 days ago", "vor 3 Tagen", "il y a 2 jours", "2 weeks ago", "a month ago", "۳ روز پیش", "2 days, 4 hours ago", "yesterday", "Friday",
     "Reply", "Zuf ga", "12 November 2026", "Nov 17", "2026-11-12"],
)  # fmt: skip
def test_what_tells_no_hour_is_not_guessed(text: str) -> None:
    assert reader(text).read(DateText(text)) is None


@pytest.mark.parametrize("language", COMMON)
def test_months_in_sentences_of_every_language(language: str) -> None:
    for month in range(1, 13):
        shown = format_datetime(datetime(2025, month, 6, 17, 58), "d MMMM y, HH:mm", locale=language)
        found = reader(shown, language=language).find(DateText(f"Zuf ga Anna: {shown}, 2 ka"))
        assert found == datetime(2025, month, 6, 17, 58, tzinfo=UTC), shown


@pytest.mark.parametrize(
    ("text", "language", "ago"), [("5 λεπτά πριν", "el", 5), ("prieš 2 valandas", "lt", 120), ("duela 5 minutu", "eu", 5), ("5 mínútur", "is", 5)]
)
def test_units_of_the_pages_own_language(text: str, language: str, ago: int) -> None:
    assert reader(text, language=language).read(DateText(text)) == datetime(2026, 11, 29, 20, 15, tzinfo=UTC) - timedelta(minutes=ago)


@pytest.mark.parametrize("text", ["acum 5 minute", "hace 5 minutos", "5 dakika önce", "5 phút trước", "5 minuta më parë", "5 دقیقه پیش"])
def test_minutes_in_many_languages(text: str) -> None:
    assert reader(text).read(DateText(text)) == datetime(2026, 11, 29, 20, 10, tzinfo=UTC)


PATTERNS = [
    "d MMMM yyyy, HH:mm",
    "MMM dd, yyyy, hh:mm a",
    "EEEE, d. MMMM yyyy, HH:mm:ss",
    "dd.MM.yyyy HH:mm",
    "MM/dd/yy, hh:mm a",
    "HH:mm dd/MM/yyyy",
]
LANGUAGES = [
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "ru",
    "pl",
    "tr",
    "fa",
    "ar",
    "uk",
    "cs",
    "sv",
    "fi",
    "hu",
    "ro",
    "el",
    "he",
    "ja",
    "zh",
    "ko",
    "vi",
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_in_every_format(language: str) -> None:
    chance = random.Random(language)
    for pattern in PATTERNS:
        minutes = sorted(chance.sample(range(60 * 24 * 330), 12))
        moments = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute) for minute in minutes]
        texts = [format_datetime(moment.astimezone(TEHRAN), pattern, locale=language) for moment in moments]
        made = reader(*texts, language=language, zone=TEHRAN)
        assert [made.read(DateText(text)) for text in texts] == moments, pattern


def test_a_wrong_language_is_noticed() -> None:
    texts = ["12 listopada 2026, 17:58", "3 grudnia 2025, 08:00"]
    assert reader(*texts, language="en").read(DateText(texts[0])) == datetime(2026, 11, 12, 17, 58, tzinfo=UTC)


@pytest.mark.parametrize(
    ("texts", "second"),
    [
        (["11-12-2026, 10:00", "11-13-2026, 10:00"], date(2026, 11, 13)),  # no thirteenth month
        (["09-11-2026, 10:00", "10-11-2026, 10:00"], date(2026, 11, 10)),  # 11 October would come before 11 September: no
        (["01.02.26 10:00", "02.02.26 10:00"], date(2026, 2, 2)),
        (["26-11-09 10:00", "26-11-10 10:00"], date(2026, 11, 10)),
    ],
)
def test_which_number_is_the_month(texts: list[str], second: date) -> None:
    found = reader(*texts).read(DateText(texts[1]))
    assert found is not None
    assert found.date() == second


@pytest.mark.parametrize(
    ("sentence", "moment"),
    [
        ("Zul zo Mr. March on Nov 16, 2026, 02:20 PM, mo 3 ga kle.", "2026-11-16T14:20"),
        ("Last Edit: Yesterday at 02:20 PM by Anna 2", "2026-11-28T14:20"),
        ("(This post was last modified: Nov 16, 2026, 02:20 PM by", "2026-11-16T14:20"),
        ("Gestern 14:20, 12-mal", "2026-11-28T14:20"),
        ("5 minutes ago, edited 2 times in total", "2026-11-29T20:10"),
    ],
)
def test_a_date_in_a_sentence(sentence: str, moment: str) -> None:
    made = reader("Nov 12, 2026, 05:58 PM")
    assert made.find(DateText(sentence)) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


def test_today_is_never_tomorrow() -> None:
    just_after_midnight = datetime(2026, 11, 29, 0, 1, tzinfo=UTC)
    assert reader(now=just_after_midnight).read(DateText("Today at 23:58")) == datetime(2026, 11, 28, 23, 58, tzinfo=UTC)


def test_the_days_of_a_far_zone() -> None:
    zone = ZoneInfo("Pacific/Auckland")  # there it is already the 30th
    assert reader(zone=zone).read(DateText("Today, 07:05")) == datetime(2026, 11, 29, 18, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [((1300, 1, 1), date(1921, 3, 21)), ((1399, 12, 30), date(2021, 3, 20)), ((1403, 12, 30), date(2025, 3, 20)), ((1405, 1, 1), date(2026, 3, 21)),
     ((1405, 8, 22), date(2026, 11, 13)), ((1404, 12, 30), None), ((1405, 13, 1), None)],
)  # fmt: skip
def test_the_solar_calendar(text: tuple[int, int, int], day: date | None) -> None:
    assert jalali(*text) == day


@given(st.text(max_size=60), st.text(max_size=20))
def test_no_text_makes_it_fall(text: str, title: str) -> None:
    made = reader(text)
    for found in (made.read(DateText(text, title)), made.find(DateText(text, title))):
        assert found is None or found.tzinfo is not None


def test_a_shape_that_fits_half_a_word_is_not_the_last_word() -> None:
    made = reader("Hier à 23:06", "Aujourd'hui à 00:05", language="fr")
    assert made.find(DateText("Zuf: Aujourd'hui à 00:11 by Anna")) == datetime(2026, 11, 29, 0, 11, tzinfo=UTC)
