"""phpBB's export of a folder of private messages: XML, "CSV (Excel)", and CSV with signs of the user's choice.

phpBB writes its CSV without a heading, without doubling the enclosing sign inside a field, and leaves HTML's entities in.
So `csv` cannot read it: fields are counted instead. A record is subject, sender, time with offset, recipients, text, blind
recipients. phpBB shortens each record by one sign, the last delimiter.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple
from xml.etree.ElementTree import ParseError

from scraper.mailboxes.records import Reading, iso_moment, message, whole
from scraper.mailboxes.xmlstream import elements
from scraper.model import Message, SourceError

_MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[+-]\d\d:?\d\d|Z)"
_AROUND = re.compile(rf"(&(?:quot|lt|gt|amp|#039);|[^\w\s]|\t| )({_MOMENT})\1")
_ENCLOSURES = ('"', "&quot;", "'", "&#039;", "|", "~", "`", "$", "%", "^", "*", "#")


class _Unfit(Exception):
    """The text is no CSV in the way just tried."""


class _Record(NamedTuple):
    subject: str
    sender: str
    moment: str
    to: str
    text: str
    bcc: str


def looks_like_csv(head: str) -> bool:
    """Whether `head`, the first part of a file, holds a time between two equal signs, with two fields before it."""
    around = _AROUND.search(head)
    return around is not None and around[1] in head[: around.start()]


def read_xml(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of an XML export. Raises SourceError at damage, after the whole messages before it."""
    number = 0
    try:
        for entry in elements(stream, name, "privmsg"):
            number += 1
            sent = iso_moment(entry.findtext("date") or "")
            if sent is None:
                reading.note(f"{name}:message {number}: no time of sending that could be read.")
            yield message(
                "phpbb",
                f"{name}:message {number}",
                sender=entry.findtext("sender") or "",
                recipients=tuple(told.text or "" for told in entry.iterfind("recipient")),
                sent_at=sent,
                subject=entry.findtext("subject") or "",
                body=entry.findtext("message") or "",
            )
    except ParseError as problem:
        line = problem.position[0] if hasattr(problem, "position") else "?"
        raise SourceError(
            f"{name}, line {line}: the XML is cut off or damaged; {number} messages before it were read.",
            advice="Export the folder again.",
        ) from None


def read_csv(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of a CSV export, as phpBB wrote it or as a spreadsheet saved it again. Raises SourceError at damage."""
    text = whole(stream, name)
    around = _AROUND.search(text)
    records = None if around is None or not text.endswith("\n") else _records(text, around[1]) or _saved_again(text, around[1])
    if not records:
        raise SourceError(
            f"{name} is cut off, or not as phpBB writes it; nothing was read from it.",
            advice="Export the folder again, best as XML.",
        )
    if records.loose:
        reading.note(
            f"{name}: in this kind of CSV a player's text can pass for another message. Better export as XML or as CSV (Excel)."
        )
    for number, record in enumerate(records.rows, start=1):
        yield message(
            "phpbb",
            f"{name}:message {number}",
            sender=html.unescape(record.sender),
            recipients=tuple(html.unescape(each) for each in f"{record.to},{record.bcc}".split(",")),
            sent_at=iso_moment(record.moment),
            subject=html.unescape(record.subject),
            body=html.unescape(record.text),
        )


@dataclass(frozen=True, slots=True)
class _Records:
    """What a file holds. `loose`: fields are enclosed by a sign that may stand in a text as well."""

    rows: tuple[_Record, ...]
    loose: bool = False


def _records(text: str, delimiter: str) -> _Records | None:
    """The records of a file as phpBB writes it; None if no enclosing sign makes sense of all of it.

    Several signs may. Then it is the one by which no field with line ends stands unenclosed: phpBB encloses those, but for
    the Excel kind, where lines end otherwise than records.
    """
    fitting: list[tuple[int, str, tuple[_Record, ...]]] = []
    for enclosure in _ENCLOSURES:
        if enclosure == delimiter or (enclosure != '"' and enclosure not in text):
            continue
        try:
            rows, bare = _Scanner(text, delimiter, enclosure).rows()
        except _Unfit:
            continue
        fitting.append((bare, enclosure, rows))
        if bare == 0 or (enclosure == '"' and delimiter == "," and "\r\n" in text):
            break
    if not fitting:
        return None
    bare, enclosure, rows = min(fitting, key=lambda each: each[0])
    return _Records(rows, enclosure != '"' and enclosure in text)


class _Scanner:
    """Counts off fields. An enclosed one ends where its sign stands right before a delimiter (or what ends the record)."""

    def __init__(self, text: str, delimiter: str, enclosure: str) -> None:
        self._text, self._delimiter, self._enclosure = text, delimiter, enclosure
        self._at, self._end = 0, len(text.rstrip())
        self._bare = 0  # fields with line ends that are not enclosed
        sign, between = re.escape(enclosure), re.escape(delimiter)
        moment = rf"(?:{sign})?{_MOMENT}(?:{sign})?"
        # what stands behind the text: blind recipients, what is left of the delimiter, and the end or another record
        self._tail = re.compile(
            rf"((?:(?!{sign}|{between})[^\r\n])*?|{sign}[^\r\n]*?{sign}){re.escape(delimiter[:-1])}"
            rf"(?:\s*\Z|\r?\n(?=[^\n]{{0,1000}}?{between}{moment}{between}))"
        )

    def rows(self) -> tuple[tuple[_Record, ...], int]:
        """All records, and how many fields with line ends stand unenclosed. Raises _Unfit."""
        rows: list[_Record] = []
        while self._at < self._end:
            subject, sender, moment, to = self._field(), self._field(), self._field(), self._field()
            text, bcc = self._text_and_tail()
            record = _Record(subject, sender, moment, to, text, bcc)
            if not re.fullmatch(_MOMENT, record.moment) or not record.sender or "\n" in record.sender:
                raise _Unfit
            if self._enclosure == '"' and any('"' in field for field in record):
                raise _Unfit  # phpBB stores that sign as an entity: another program wrote this
            rows.append(record)
        return tuple(rows), self._bare

    def _field(self) -> str:
        if self._text.startswith(self._enclosure, self._at):
            start = self._at + len(self._enclosure)
            end = self._text.find(self._enclosure + self._delimiter, start)
            if end < 0:
                raise _Unfit
            self._at = end + len(self._enclosure) + len(self._delimiter)
            return self._text[start:end]
        end = self._text.find(self._delimiter, self._at)
        if end < 0:
            raise _Unfit
        field = self._text[self._at : end]
        self._bare += "\n" in field
        self._at = end + len(self._delimiter)
        return field

    def _text_and_tail(self) -> tuple[str, str]:
        """The message's own text, and the last field. An enclosing sign inside the text is told by what does not follow it."""
        enclosed = self._text.startswith(self._enclosure, self._at)
        start = self._at + len(self._enclosure) if enclosed else self._at
        mark = self._enclosure + self._delimiter if enclosed else self._delimiter
        end = self._text.find(mark, start)
        while end >= 0:
            tail = self._tail.match(self._text, end + len(mark))
            if tail is not None:
                self._at = tail.end()
                self._bare += not enclosed and "\n" in self._text[start:end]
                return self._text[start:end], tail[1].removeprefix(self._enclosure).removesuffix(self._enclosure)
            end = self._text.find(mark, end + 1) if enclosed else -1
        raise _Unfit


def _saved_again(text: str, delimiter: str) -> _Records | None:
    """The records of a file that a spreadsheet has opened and saved: proper CSV, with all fields, their texts unchanged."""
    try:
        rows = [
            row for row in csv.reader(io.StringIO(text, newline=""), delimiter=html.unescape(delimiter), strict=True) if any(row)
        ]
    except (csv.Error, TypeError, ValueError):
        return None
    columns = {len(row) for row in rows}
    if columns not in ({5}, {6}) or not all(re.fullmatch(_MOMENT, row[2]) for row in rows):
        return None
    if columns == {5} and len(rows) == 1:
        return None  # looks just like the beginning of a file that is cut off
    return _Records(tuple(_Record(*row, *([""] * (6 - len(row)))) for row in rows))
