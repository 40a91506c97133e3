"""MyBB's export of private messages: CSV, HTML and TXT, in the language and date format of the account that made it.

Nothing is told by words of a language where the form tells it. Times are local to the account and have no seconds. The
CSV has an apostrophe put before signs that a spreadsheet would calculate with (`O'Brien '+ Sons`); it is taken out again.
Drafts were never sent and are left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from typing import Any, BinaryIO

from scraper.dates import DateReader, DateText
from scraper.mailboxes.records import Reading, message, whole
from scraper.model import Message, SourceError

_HASHES, _DASHES = "#" * 71, "-" * 72
_UNCALCULATED = re.compile(r"(\A|[,;:|^\n\t ])'(?=[=+\-@])|\A'(?=[,;:|^\n\t ])")
_LABEL = re.compile(r"[^:：\n]{0,60}[:：] ?")
_TXT_MESSAGE = re.compile(
    rf"^(?P<subject>[^\n]*)\n(?P<person>[^\n]*)\n(?P<sent>[^\n]*)\n{_DASHES}\n(?P<body>.*?)\n{_DASHES}\n"
    rf"(?=\s*\Z|\n+{_HASHES}\n|\n+[^\n]*\n[^\n]*\n[^\n]*\n{_DASHES}\n)",
    re.DOTALL | re.MULTILINE,
)
_TXT_START = re.compile(rf"[^\n]*\n\([^\n]*\)\n\n{_HASHES}\n")
_HTML_FOLDER = re.compile(
    r'<td class="tcat"[^>]{0,80}><strong>[^<]{0,400}</strong></td>\s{0,9}</tr>\s{0,9}<tr>\s{0,9}<td class="trow1"><strong>'
)
_OWNER = re.compile(r"Private Messages for (.+)")
# "From:" and "To:" as MyBB's language packs have them; in another language the CSV and HTML exports still tell
_FROM, _TO = (
    frozenset(words.split())
    for words in (
        "from von de da van от från fra od z afsender avsender odesílatel feladó gönderen kimden από из від la از من "
        "lähettäjä 发件人 寄件者 差出人",
        "to an à para a al per aan naar кому till til do pre címzett alıcı kime προς către za به إلى "
        "vastaanottaja 收件人 收件者 宛先",
    )
)
_AGAIN = "Export the messages again."
_FAR = datetime(2999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Row:
    """One message as it stands in a file, its date still as text."""

    subject: str
    sender: str
    recipient: str
    date: str
    body: str


def looks_like_csv(head: str) -> bool:
    """Whether the file begins with a heading of six bare words and a row of a bare date and five quoted fields."""
    return _delimiter(head) is not None or re.match(r'[^"\n,]+(?:,[^"\n,]+){5}\r?\n[^"\n]{1,80},"', head) is not None


def looks_like_txt(head: str) -> bool:
    """Whether the file begins with a title, a line in brackets and the frame around a folder's name."""
    return _TXT_START.match(head.replace("\r\n", "\n")) is not None


def looks_like_html(head: str) -> bool:
    """Whether a page has the frame of the export's messages, whatever the forum's colours."""
    return _HTML_FOLDER.search(head) is not None


def _delimiter(head: str) -> str | None:
    """The delimiter of a file with MyBB's English heading, as a spreadsheet may have saved it again."""
    told = re.match(r'"?Date"?([,;\t])"?Folder"?\1"?Subject"?\1"?To"?\1"?From"?\1"?Message"?\s', head)
    return told[1] if told else None


def read_csv(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of a CSV export. Raises SourceError if the file is cut off or damaged; then nothing was read from it."""
    text = whole(stream, name)
    if text.count('"') % 2 or not text.endswith("\n"):
        raise SourceError(f"{name} is cut off inside a message; nothing was read from it.", advice=_AGAIN)
    delimiter = _delimiter(text[:400]) or ","
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))  # for all that this process reads
    rows: list[_Row] = []
    try:
        for number, cells in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1):
            if number == 1 or not cells:
                continue
            if len(cells) < 6:
                raise SourceError(
                    f"{name}, row {number}: {len(cells)} fields instead of six; cut off or damaged. Nothing was read.",
                    advice=_AGAIN,
                )
            _, subject, recipient, sender, body = map(_plain, cells[-5:])
            rows.append(_Row(subject, sender, recipient, delimiter.join(cells[:-5]), body))
    except csv.Error as problem:
        raise SourceError(f"{name} is damaged ({problem}); nothing was read from it.", advice=_AGAIN) from None
    yield from _messages(rows, name, reading, english=_delimiter(text[:400]) is not None)


def _plain(cell: str) -> str:
    """A field without the apostrophes that keep a spreadsheet from calculating."""
    return _UNCALCULATED.sub(lambda told: told[1] or "", cell)


def read_txt(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of a text export. Raises SourceError where the form or the language leaves in doubt who wrote what."""
    text = whole(stream, name).replace("\r\n", "\n")
    title = text.partition("\n")[0].strip()
    told = _OWNER.fullmatch(title)
    owner = unescape(told[1]) if told else ""  # in the title alone it is as HTML has it
    rows: list[_Row] = []
    at = 0
    for found in _TXT_MESSAGE.finditer(text):
        _only_frame(text[at : found.start()], name)
        at = found.end()
        label, _, person = found["person"].partition(":") if ":" in found["person"] else found["person"].partition("：")
        person, body = person.strip(), found["body"]
        incoming = _incoming(label, name)
        sender, recipient = (person, owner) if incoming else (owner, person)
        rows.append(_Row(_unlabelled(found["subject"]), sender, recipient, _unlabelled(found["sent"]), body))
    _only_frame(text[at:], name)
    if rows:
        reading.note(f"{name}: in a text export a player's text can pass for another message. Better export as CSV.")
    yield from _messages(rows, name, reading, english=bool(told))


def _only_frame(rest: str, name: str) -> None:
    """Raises SourceError if anything but titles and folder names stands between two messages."""
    rest = re.sub(rf"{_HASHES}\n[^\n]*\n{_HASHES}\n", "", re.sub(r"\A[^\n]*\n\([^\n]*\)\n", "", rest))
    if rest.strip():
        raise SourceError(
            f"{name} is cut off, or not as MyBB writes it; nothing was read from it.",
            advice="Export the messages again, best as CSV.",
        )


def _incoming(label: str, name: str) -> bool:
    word = label.strip().casefold()
    if word in _FROM:
        return True
    if word in _TO:
        return False
    raise SourceError(
        f"{name}: whether {label.strip()!r} means the sender or the recipient is not known here; nothing was read from it.",
        advice="Export the messages as CSV: there the columns tell.",
    )


def read_html(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of an HTML export. Raises SourceError if the file is cut off; then nothing was read from it."""
    from lxml import etree, html

    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", whole(stream, name).replace("\0", ""))
    if not re.search(r"</body>\s*(?:</html>\s*)?\Z", source, re.IGNORECASE):
        raise SourceError(f"{name} is cut off; nothing was read from it.", advice=_AGAIN)
    try:
        tree = html.document_fromstring(source)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise SourceError(f"{name} is damaged; nothing was read from it.", advice=_AGAIN) from None
    english = bool(tree.xpath("//title[contains(., 'Private Messages for')]"))
    yield from _messages(list(_html_rows(tree)), name, reading, english=english)


def _html_rows(tree: Any) -> Iterator[_Row]:
    from scraper.markup import read_markup

    for head in tree.iter("td"):
        if head.get("class") != "trow1" or [part.tag for part in head] != ["strong", "br", "em"]:
            continue
        following = head.getparent().getnext()
        body = None if following is None else following.find("td[@class='trow2']")
        lines = _lines(head.find("em"))
        if body is None or len(lines) != 3:
            continue
        recipient, sender, sent = map(_unlabelled, lines)
        subject = _unlabelled(head.find("strong").text_content())
        yield _Row(subject, sender, recipient, sent, read_markup(body, authors=(recipient, sender)).bbcode)


def _lines(element: Any) -> list[str]:
    """The lines of an element, between its `<br>`."""
    lines = [element.text or ""]
    for part in element:
        if part.tag == "br":
            lines.append(part.tail or "")
        else:
            lines[-1] += part.text_content() + (part.tail or "")
    return lines


def _unlabelled(line: str) -> str:
    """What stands behind "Subject:", "To:" and the like."""
    return _LABEL.sub("", line, count=1).strip()


def _two_ways(date: str) -> bool:
    """Whether day and month can be taken for each other; also so where there is no date at all."""
    numbers = [int(number) for number in re.findall(r"\d{1,4}", date)[:2]]
    return len(numbers) < 2 or (
        max(numbers) <= 12 and numbers[0] != numbers[1] and re.search(r"\d\D{1,3}\d{1,2}\D{1,3}\d", date) is not None
    )


def _messages(rows: Iterable[_Row], name: str, reading: Reading, *, english: bool) -> Iterator[Message]:
    rows = list(rows)
    dates = DateReader(timezone=reading.timezone, now=reading.now or _FAR, languages=("en",) if english else ("und",))
    dates.learn([DateText(row.date) for row in reversed(rows)])  # an export has the newest first
    moments = ((dates.read(DateText(row.date)), row.date) for row in rows)
    newest = max(((moment, text) for moment, text in moments if moment is not None), default=None)
    if newest is not None:
        dates = dates.at_one_offset(DateText(newest[1]))  # MyBB's for all: as far from UTC as when the export was made
    if all(_two_ways(row.date) for row in rows) and rows:
        moment = dates.read(DateText(rows[0].date))
        if moment is not None:
            local = moment.astimezone(reading.timezone)
            reading.note(
                f"{name}: the date {rows[0].date!r} was taken for {local.day} {local:%B}; no date in the file tells for sure."
            )
    for number, row in enumerate(rows, start=1):
        place = f"{name}:message {number}"
        if not any(sign.isdecimal() for sign in row.date):
            reading.note(f"{place}: a draft that was never sent; left out.")
            continue
        sent_at = dates.read(DateText(row.date))
        if sent_at is None:
            reading.note(f"{place}: the date {row.date!r} could not be read.")
        yield message(
            "mybb", place, sender=row.sender, recipients=(row.recipient,), sent_at=sent_at, subject=row.subject, body=row.body
        )
