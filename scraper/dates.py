"""Dates as forums write them: in the reader's language, zone and format, near ones as words.

A `DateReader` is made for one account's view of a forum. It first looks at all dates of the pages (`learn`), because a
single "11-12-2026" does not say which number is the month but sixty of them do; then it reads each.

Times come out aware and in UTC, with seconds 0 where the page shows minutes. The clock of the machine is never looked
at: `now` says when the page was saved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from itertools import pairwise

from scraper.datewords import COMMON, DAY_WORD, JALALI, ago_minutes, halves, month_in, numbered_month, plain

_CLOCK = re.compile(r"(?<![\d.])(\d{1,2})\s?(?:[:h時时시点點])\s?(\d{2})(?:\s?[:分분m]\s?(\d{2}))?(?:\s?[秒초分분])?(?!\d)")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{2})(?:\.(\d{2}))?(?![\d.]*\d)")
_LABELLED = re.compile(r"(\d{2,4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일号號]?")
_NUMBER = re.compile(r"\d+")
_HALF_BEHIND = re.compile(r"\s*[^\d,;:()\[\]]{0,14}")  # room for "p.m." in any language
SLACK = timedelta(minutes=10)
"""A page can be a little younger than the `now` it was said to be saved at."""


@dataclass(frozen=True, slots=True)
class DateText:
    """A date as a page carries it: what is shown, what a tooltip adds, and the exact moment where a machine can read it."""

    text: str
    title: str = ""
    exact: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Scan:
    """What a text says, before it is known in which order its numbers stand."""

    numbers: tuple[tuple[int, int], ...] = ()  # value and how many digits
    month: int = 0
    before_month: int = 0  # how many of the numbers stand before the month's name
    clock: time | None = None
    day: int | None = None  # 0 today, -1 yesterday, 1 tomorrow
    words: str = ""

    @property
    def dated(self) -> bool:
        return bool(self.month and self.numbers) or len(self.numbers) >= 2


class DateReader:
    """Reads the dates of pages that one account saved.

    `timezone` is the account's zone, `now` (aware) when the pages were saved, `languages` what the pages call their
    language, most likely first.
    """

    def __init__(self, *, timezone: tzinfo, now: datetime, languages: Sequence[str] = ()) -> None:
        self.timezone = timezone
        self.now = now
        self._languages = [language.lower() for language in languages if language] or ["en"]
        self._order = "MDY" if self._languages[0] in ("en", "en-us", "en_us") else "DMY"
        self.doubtful: date | None = None  # a day as it was read, where all could be read with day and month exchanged
        self._alike: list[str] = []
        self._shapes: list[re.Pattern[str]] | None = None  # made from `_alike` when first needed
        self._unknown: dict[str, int] = {}
        self._scans: dict[str, _Scan] = {}

    # -- learning -----------------------------------------------------------------------------------------------------

    def learn(self, samples: Iterable[DateText], clocks: Iterable[tuple[str, datetime]] = ()) -> None:
        """Look at all dates of the pages, in thread order: settles language, order of the numbers, words for days.

        `clocks` are texts that are known to mean a moment, such as a page's own "current time".
        """
        texts = [part for sample in samples for part in (sample.title, sample.text) if part]
        clocks = list(clocks)
        self._settle_language(texts)
        scans = [self._scan(text) for text in texts]
        self._settle_order(scans, [(self._scan(text), moment) for text, moment in clocks])
        self._settle_words(scans)
        timed = [(text, scan) for text, scan in zip(texts, scans, strict=True) if scan.clock]
        self._alike = [text for text, scan in timed if scan.dated] + [text for text, scan in timed if not scan.dated]
        self._shapes = None

    def _settle_language(self, texts: Sequence[str]) -> None:
        nameless = [text for text in dict.fromkeys(texts) if self._undated(self._scan(text))][:40]
        if not nameless:
            return
        best, most = self._languages[0], 0
        for language in [*self._languages[1:], *COMMON]:
            found = sum(month_in(plain(text), language) is not None for text in nameless)
            if found > most:
                best, most = language, found
        if most:
            self._languages.insert(0, best)
            self._scans.clear()

    @staticmethod
    def _undated(scan: _Scan) -> bool:
        return not scan.month and scan.day is None and 1 <= len(scan.numbers) <= 2 and scan.clock is not None and bool(scan.words)

    def _settle_order(self, scans: Sequence[_Scan], clocks: Sequence[tuple[_Scan, datetime]]) -> None:
        """Choose the order of day, month and year: all dates possible, none future, the thread rising, the span short."""
        numeric = [scan for scan in scans if not scan.month and len(scan.numbers) >= 2]
        known = [(scan, moment) for scan, moment in clocks if not scan.month and len(scan.numbers) >= 2]
        if not numeric and not known:
            return
        likely = ("MDY", "DMY", "YMD") if self._order == "MDY" else ("DMY", "MDY", "YMD")
        latest = self.now.astimezone(self.timezone).date() + timedelta(days=1)

        def cost(order: str) -> tuple[int, int, int, int, int]:
            dates = [self._date(scan, order) for scan in numeric]
            whole = [day for day in dates if day is not None]
            wrong = len(dates) - len(whole)
            future = sum(day > latest for day in whole)
            astray = sum(self._off(scan, order, moment) for scan, moment in known)
            falls = sum(later < earlier for earlier, later in pairwise(whole))
            span = (max(whole) - min(whole)).days if whole else 0
            return wrong, astray, future, falls, span

        english = self._order == "MDY"  # elsewhere the day comes first
        self._order = min(likely, key=cost)
        if english and self._order in ("MDY", "DMY") and cost("MDY") == cost("DMY"):
            differ = (scan for scan in numeric if self._date(scan, "MDY") != self._date(scan, "DMY"))
            self.doubtful = next((self._date(scan, self._order) for scan in differ), None)

    def _off(self, scan: _Scan, order: str, moment: datetime) -> bool:
        day = self._date(scan, order)
        return day is None or abs((day - moment.astimezone(self.timezone).date()).days) > 1

    def _settle_words(self, scans: Sequence[_Scan]) -> None:
        """Unknown words where a date should stand: the later one in the thread is today, the earlier yesterday."""
        seen = dict.fromkeys(
            scan.words for scan in scans if scan.clock and not scan.dated and scan.day is None and not scan.numbers
        )
        words = list(seen)
        if len(words) == 1:
            late = any(scan.words == words[0] and self._on(0, scan) > self.now + SLACK for scan in scans if scan.clock)
            self._unknown = {words[0]: -1 if late else 0}
        elif words:
            self._unknown = {words[0]: -1, words[-1]: 0}

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, date_text: DateText, *, after: datetime | None = None, now: datetime | None = None) -> datetime | None:
        """The moment that `date_text` means, in UTC; None if it cannot be read.

        `after` is the moment of the post before: where the clock showed a time twice (the hour that comes back in
        autumn), the one that keeps the posts in order is taken. `now` overrides the reader's own for this page.
        """
        if date_text.exact is not None:
            return date_text.exact.astimezone(UTC)
        moment = now or self.now
        local = self._local(date_text, moment)
        if local is None or local.tzinfo is not None:
            return local
        return _in_zone(local, self.timezone, after, moment)

    def find(self, sentence: DateText, *, after: datetime | None = None, now: datetime | None = None) -> datetime | None:
        """Like `read`, for a date inside a sentence in any language ("Last edited by ... on ..., 2 times in total")."""
        if sentence.title or sentence.exact is not None:
            return self.read(sentence, after=after, now=now)
        text = plain(sentence.text)
        for shape in self._forms():
            match = shape.search(text)
            moment = self.read(DateText(match.group()), after=after, now=now) if match else None
            if moment is not None:
                return moment
        word, clock = DAY_WORD.search(text), _CLOCK.search(text)
        if word and clock:
            start, end = min(word.start(), clock.start()), max(word.end(), clock.end())
            return self.read(DateText(text[start:end] + _half_behind(text, end)), after=after, now=now)
        if clock:
            return self.read(DateText(text[: clock.end()] + _half_behind(text, clock.end())), after=after, now=now)
        number = _NUMBER.search(text)
        if number is None:
            return None
        rest = _NUMBER.search(text, number.end())
        return self.read(DateText(text[: rest.start()] if rest else text), after=after, now=now)

    def _forms(self) -> list[re.Pattern[str]]:
        if self._shapes is None:
            self._shapes = _shapes(self._alike)
        return self._shapes

    def at_one_offset(self, clock: DateText) -> DateReader:
        """The same reader for a page that shows all times as far from UTC as its zone is at `clock`, else at `now`."""
        moment = (self.read(clock) if clock.text else None) or self.now
        self._forms()  # once, and not again for each page
        other = copy(self)
        other.timezone = timezone(moment.astimezone(self.timezone).utcoffset() or timedelta(0))
        return other

    def off_by(self, text: str, moment: datetime) -> float | None:
        """By how many hours (to the quarter) `text` disagrees with `moment`, which it is known to mean; None if it is no date."""
        read = self.read(DateText(text), now=moment)
        return None if read is None else round((read - moment).total_seconds() / 900) / 4

    def _local(self, date_text: DateText, now: datetime) -> datetime | None:
        """The reader's wall clock (naive); an aware moment where the text counts back from now."""
        shown = self._scan(date_text.text)
        if date_text.title:
            titled = self._scan(date_text.title)
            day = self._date(titled, self._order)
            clock = titled.clock or shown.clock
            if day is not None and clock is not None:
                return datetime.combine(day, clock)
        if shown.dated and shown.clock is not None:
            day = self._date(shown, self._order)
            return None if day is None else datetime.combine(day, shown.clock)
        if shown.clock is not None:
            offset = shown.day if shown.day is not None else self._unknown.get(shown.words)
            return None if offset is None else self._on(offset, shown, now).replace(tzinfo=None)
        minutes = ago_minutes(plain(date_text.text), self._languages[0]) if shown.words else None
        return None if minutes is None else (now.astimezone(UTC) - timedelta(minutes=minutes)).replace(second=0, microsecond=0)

    def _on(self, offset: int, scan: _Scan, now: datetime | None = None) -> datetime:
        """The moment `offset` days from today at the scan's clock; never in the future unless it says so."""
        now = now or self.now
        local = datetime.combine(now.astimezone(self.timezone).date() + timedelta(days=offset), scan.clock or time())
        moment = local.replace(tzinfo=self.timezone)
        if scan.day is not None and offset <= 0 and moment > now + SLACK:
            return moment - timedelta(days=1)
        return moment

    def _date(self, scan: _Scan, order: str) -> date | None:
        numbers = scan.numbers
        if scan.month:
            return self._named_date(scan)
        if len(numbers) == 2:
            day, month = (numbers[1], numbers[0]) if order == "MDY" else (numbers[0], numbers[1])
            return self._yearless(month[0], day[0])
        if len(numbers) < 3:
            return None
        if numbers[0][1] == 4:
            order = "YMD"
        elif numbers[2][1] == 4 and order == "YMD":
            order = "DMY"
        placed = dict(zip(order, numbers[:3], strict=True))
        return _calendar(_full_year(*placed["Y"]), placed["M"][0], placed["D"][0])

    def _named_date(self, scan: _Scan) -> date | None:
        numbers = list(scan.numbers[:3])
        if not numbers:
            return None
        if len(numbers) == 1:
            return None if numbers[0][1] == 4 else self._yearless(scan.month, numbers[0][0])
        years = [number for number in numbers if number[1] == 4]
        if years:
            year = years[0]
            days = [number for number in numbers if number is not year and number[0] <= 31]
            return _calendar(year[0], scan.month, days[0][0]) if days else None
        first, second = numbers[:2]
        if scan.before_month == 1 and self._order == "YMD":
            first, second = second, first
        year_value = 1400 + second[0] if scan.month > JALALI else _full_year(*second)
        return _calendar(year_value, scan.month, first[0])

    def _yearless(self, month: int, day: int) -> date | None:
        """A date without its year: the latest one that is not in the future."""
        today = self.now.astimezone(self.timezone).date()
        for year in range(today.year + 1, today.year - 4, -1):
            found = _calendar(year - 621 if month > JALALI else year, month, day)
            if found is not None and found <= today + timedelta(days=1):
                return found
        return None

    def _scan(self, text: str) -> _Scan:
        known = self._scans.get(text)
        if known is None:
            known = self._scans[text] = _scan(plain(text), self._languages[0])
        return known


def _scan(text: str, language: str) -> _Scan:
    labelled = _LABELLED.search(text)
    if labelled:
        text = f"{text[: labelled.start()]}{int(labelled[1]):04d}-{labelled[2]}-{labelled[3]} {text[labelled.end() :]}"
    clock, text = _take_clock(text, language)
    counted = numbered_month(text)
    if counted:
        text = counted[1]
    named = (counted[0], 99) if counted else month_in(text, language) if re.search(r"\d", text) else None
    numbers = [
        (int(match.group()), len(match.group()), match.start()) for match in _NUMBER.finditer(text) if len(match.group()) <= 4
    ]
    month, at = named or (0, 0)
    day: int | None = None
    if not numbers:
        word = DAY_WORD.search(text)
        day = {"today": 0, "yesterday": -1, "tomorrow": 1}[word.lastgroup or "today"] if word else None
    words = " ".join(re.findall(r"[^\W\d_]+", text))
    before = sum(position < at for _, _, position in numbers)
    return _Scan(tuple((value, digits) for value, digits, _ in numbers), month, before, clock, day, words)


def _take_clock(text: str, language: str) -> tuple[time | None, str]:
    """The time of day in `text`, and the text without it."""
    match = _CLOCK.search(text)
    if match is None:
        dotted = [found for found in _DOTTED.finditer(text) if int(found[1]) < 24 and int(found[2]) < 60]
        if not dotted:
            return None, text
        match = next((found for found in reversed(dotted) if found[3] is None), dotted[-1])
        rest = text[: match.start()] + text[match.end() :]
        if not (DAY_WORD.search(rest) or len(_NUMBER.findall(rest)) >= 2 or month_in(rest, language)):
            return None, text
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    before, behind = text[: match.start()], text[match.end() :]
    after_mark, before_mark = halves(language)
    half = after_mark.match(behind)
    if half:
        behind = behind[half.end() :]
    else:
        half = before_mark.search(before)
        if half:
            before = before[: half.start()]
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.lastgroup == "pm" else 0)
    if hour == 24:
        hour = 0
    if hour > 23 or minute > 59 or second > 59:
        return None, text
    return time(hour, minute, second), f"{before} {behind}"


def _full_year(value: int, digits: int) -> int:
    if digits > 2:
        return value
    return 1900 + value if value >= 70 else 2000 + value


def _calendar(year: int, month: int, day: int) -> date | None:
    """A date of the civil or, by its year or month, of the Solar Hijri calendar; None if there is no such day."""
    if month > JALALI or 1300 <= year < 1500:
        return jalali(year, month - JALALI if month > JALALI else month, day)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def jalali(year: int, month: int, day: int) -> date | None:
    """A day of the Solar Hijri calendar as a civil date, by the 33-year cycle (right for the years 1300 to 1499)."""
    leap = (year * 8 + 29) % 33 < 8
    length = 31 if month <= 6 else 30 if month <= 11 or leap else 29
    if not (1300 <= year < 1500 and 1 <= month <= 12 and 1 <= day <= length):
        return None
    # 1 Farvardin 1300 was 21 March 1921
    leaps = sum((earlier * 8 + 29) % 33 < 8 for earlier in range(1300, year))
    days = (year - 1300) * 365 + leaps + (month - 1) * 30 + min(month - 1, 6) + day - 1
    return date(1921, 3, 21) + timedelta(days=days)


def _in_zone(local: datetime, zone: tzinfo, after: datetime | None, now: datetime) -> datetime | None:
    try:
        first = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
        second = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    if second > first and after is not None and first < after <= second + timedelta(hours=1) and second <= now + SLACK:
        return second
    return first


def _shapes(texts: Iterable[str]) -> list[re.Pattern[str]]:
    """Patterns in the form of the dates seen, to find others like them inside a sentence."""
    shapes: dict[str, None] = {}
    for text in texts:
        pattern = ""
        for token in re.findall(r"\d+|[^\W\d_]+|\s+|.", plain(text)):
            if token.isdecimal():
                pattern += r"(?<!\d)\d{1,4}(?!\d)"
            elif token.isspace():
                pattern += r"\s+"
            else:
                pattern += r"[^\W\d_]+" if token.isalpha() else re.escape(token)
        shapes[pattern] = None
        if len(shapes) >= 12:
            break
    return [re.compile(pattern) for pattern in shapes]


def _half_behind(text: str, at: int) -> str:
    match = _HALF_BEHIND.match(text, at)
    return match.group() if match else ""
