"""vBulletin 3 and 4: private messages downloaded as XML, CSV or text (`private.php?do=downloadpm`).

Written from the public record, not from a running forum. Times are `2026-03-02 19:05`, local to the account, without seconds.
Words of a language stand only in headings, which are not looked at: fields have a fixed order. The CSV and the text file do
not name their character set. Letters that the board's set lacks are stored as `&#1605;`.

vBulletin 3.0 encloses a CSV field only where it holds a comma or a quote mark, so a message may have bare line ends.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime
from typing import BinaryIO
from xml.etree.ElementTree import ParseError

from scraper.mailboxes.records import Reading, in_utc, message, whole
from scraper.mailboxes.xmlstream import elements
from scraper.model import Message, SourceError

_DATE = r"\d{4}-\d\d-\d\d \d\d:\d\d"
_FOLDER, _HEAD, _END = "#" * 80, "=" * 80, "-" * 80
_NUMBER = re.compile(r"&#\d{2,7};")
_CSV_START = re.compile(rf'[^"\n]{{1,400}}\r?\n"?{_DATE}"?(?P<sign>[,;\t])')
_CSV_RECORD = re.compile(rf'^(?="?{_DATE}"?[,;\t])', re.MULTILINE)
_CSV_CELL = {sign: re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{sign}]+|(?={sign})))(?:{sign}|\n?\Z)') for sign in ",;\t"}
_TXT_START = re.compile(rf"[^\n]*\n[^\n]*-->\s*\n\s*{_FOLDER}\n[^\n]*\n{_FOLDER}\n")
_TXT_HEAD = re.compile(
    rf"^{_HEAD}\n[^\n\t]*\t(?P<sender>[^\n]*)\n[^\n\t]*\t(?P<to>(?:[^\n\t]*\n){{1,60}}?)[^\n\t]*\t(?P<date>{_DATE})\n"
    rf"[^\n\t]*\t(?P<subject>[^\n]*)\n{_END}\n",
    re.MULTILINE,
)
_TXT_FOLDER = re.compile(rf"^{_FOLDER}\n[^\n]*\t[^\n]*\n{_FOLDER}\n", re.MULTILINE)
_AGAIN = "Download the messages again, best as XML."


def looks_like_xml(head: str) -> bool:
    """Whether the root and the elements are those of a download."""
    return re.search(r"<privatemessages\b[^>]*>", head) is not None


def looks_like_csv(head: str) -> bool:
    """Whether a heading of six words is followed by a row that begins with a time."""
    start = _CSV_START.match(head)
    return start is not None and head.partition("\n")[0].count(start["sign"]) == 5


def looks_like_txt(head: str) -> bool:
    """Whether the file begins with two lines of title and the frame around a folder's name."""
    return _TXT_START.match(head.replace("\r\n", "\n")) is not None


def read_xml(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of an XML download. Raises SourceError at damage, after the whole messages before it."""
    number = 0
    try:
        for entry in elements(stream, name, "privatemessage"):
            number += 1
            # Names and titles are stored with entities, so they may stand in it twice over.
            sender, to, title = (html.unescape(entry.findtext(key) or "") for key in ("fromuser", "touser", "title"))
            yield _message(f"{name}:message {number}", sender, to, entry.findtext("datestamp") or "", title,
                           entry.findtext("message") or "", reading)  # fmt: skip
    except ParseError as problem:
        raise SourceError(
            f"{name}, line {problem.position[0]}: the XML is cut off or damaged; {number} messages before it were read.",
            advice="Download the messages again.",
        ) from None


def read_csv(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of a CSV download. Raises SourceError if it is cut off or damaged; then nothing was read from it."""
    text = whole(stream, name).replace("\r\n", "\n")
    start = _CSV_START.match(text)
    if start is None or not text.endswith("\n"):
        raise SourceError(f"{name} is cut off; nothing was read from it.", advice=_AGAIN)
    records = list(_records(text.partition("\n")[2], start["sign"], name))
    if any('"' not in record for _, record in records):
        reading.note(
            f"{name}: in this kind of CSV a player's text can pass for another message, and one cut off for a whole one. "
            "Better download as XML."
        )
    for number, (cells, _) in enumerate(records, start=1):
        date, _, title, sender, to, body = cells
        place = f"{name}:message {number}"
        yield _message(place, html.unescape(sender), html.unescape(to), date, title, body, reading)


def _records(text: str, sign: str, name: str) -> Iterator[tuple[list[str], str]]:
    """The six cells of each record, and the record as it stands. A record without quote marks ends where a time begins a line."""
    starts = [found.start() for found in _CSV_RECORD.finditer(text)] + [len(text)]
    at = looked = marks = 0
    for end in starts[1:]:
        marks += text.count('"', looked, end)
        looked = end
        if marks % 2:
            continue  # a time that begins a line inside a message
        record = text[at:end]
        found = list(_CSV_CELL[sign].finditer(record))
        cells = [cell[1].replace('""', '"') if cell[1] is not None else cell[2] for cell in found]
        if sum(len(cell[0]) for cell in found) != len(record) or len(cells) != 6 or not re.fullmatch(_DATE, cells[0]):
            line = text.count("\n", 0, at) + 2
            raise SourceError(
                f"{name}, line {line}: cut off, or not as vBulletin writes it; nothing was read from it.", advice=_AGAIN
            )
        yield cells, record
        at = end
    if at != len(text):
        raise SourceError(f"{name} is cut off inside its last message; nothing was read from it.", advice=_AGAIN)


def read_txt(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of a text download. Raises SourceError if it is cut off; then nothing was read from it."""
    text = whole(stream, name).replace("\r\n", "\n")
    heads = list(_TXT_HEAD.finditer(text))
    if not heads or not text.endswith("\n\n") or text.count(f"\n{_HEAD}\n") > len(heads):
        raise SourceError(f"{name} is cut off, or not as vBulletin writes it; nothing was read from it.", advice=_AGAIN)
    reading.note(f"{name}: in a text download a player's text can pass for another message. Better download as XML.")
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for number, (head, end) in enumerate(zip(heads, ends, strict=True), start=1):
        body = text[head.end() : end]
        folder = list(_TXT_FOLDER.finditer(body))
        if folder and not body[folder[-1].end() :].strip():
            body = body[: folder[-1].start()]  # the title of the next folder
        sender, to = html.unescape(head["sender"]), html.unescape(head["to"])
        yield _message(f"{name}:message {number}", sender, to, head["date"], head["subject"], body, reading)


def _message(place: str, sender: str, to: str, date: str, title: str, body: str, reading: Reading) -> Message:
    sent_at = _moment(date.strip(), reading)
    if sent_at is None:
        reading.note(f"{place}: no time of sending that could be read.")
    body = _NUMBER.sub(lambda number: html.unescape(number[0]), body)
    title = _NUMBER.sub(lambda number: html.unescape(number[0]), title)
    return message(
        "vbulletin", place, sender=sender, recipients=tuple(to.splitlines()), sent_at=sent_at, subject=title, body=body.strip()
    )  # fmt: skip


def _moment(text: str, reading: Reading) -> datetime | None:
    try:
        return in_utc(datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=reading.timezone))
    except ValueError:
        return None
