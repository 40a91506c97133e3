"""What all readers of mailboxes share: what they are told, how bytes become text, and how a message without an id gets one."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import BinaryIO

from scraper.model import Message, SourceError, iso

LARGEST_EXPORT = 16 * 1024 * 1024
"""Bytes of the largest export that is read as a whole (CSV, HTML, TXT); streamed kinds have no such limit."""

_UNSHOWN = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127, 0xFEFF])
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_TAG = re.compile(
    r"\[/?(?:b|i|u|s|color|size|font|align|quote|code|php|list|url|email|img|hr|noparse|\*)(?:[ =][^\[\]]{0,500})?\]", re.I
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What every reader is told.

    `timezone` is that of the account an export was made with, for formats that write local times. `now` is when it was
    made, where known. `note` takes a sentence for the GM about what was left out or doubtful. `players` are their names and
    accounts, under which text files may be saved; empty where they are not known.
    """

    timezone: tzinfo
    now: datetime | None
    note: Callable[[str], None]
    players: tuple[str, ...] = ()

    def note_of(self, *senders: str) -> Callable[[str], None]:
        """What takes a sentence about a message of theirs: in a mailbox with all sorts of mail only players' are worth a word."""
        known = {name.casefold() for name in self.players}
        return self.note if not known or any(name.casefold() in known | {""} for name in senders) else lambda _: None


def tidy(text: str) -> str:
    """`text` with plain line ends and without control characters and halves of characters, which nothing can write out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNSHOWN)
    return text.encode("utf-8", "replace").decode("utf-8")


def one_line(text: str) -> str:
    """`text` as a name or subject: blanks and line ends become single blanks."""
    return " ".join(tidy(text).split())


def message(
    kind: str,
    place: str,
    *,
    sender: str,
    recipients: tuple[str, ...],
    sent_at: datetime | None,
    subject: str,
    body: str,
    id: str = "",
    origin: str = "",
) -> Message:
    """A message with its texts tidied. Without an `id` it gets one from its content, the same in every format of `kind`."""
    sender, subject, body = one_line(sender), one_line(subject), tidy(body).strip("\n")
    names = tuple(dict.fromkeys(name for name in map(one_line, recipients) if name))
    return Message(id or stable_id(kind, sender, sent_at, subject, body), sender, names, sent_at, subject, body, place, origin)


def stable_id(kind: str, sender: str, sent_at: datetime | None, subject: str, body: str) -> str:
    """An id from the content. Markup and blanks do not count, since one forum's formats differ in those."""
    words = "".join(_TAG.sub("", body).split())
    content = "\0".join((kind, sender, iso(sent_at) or "", "".join(subject.split()), words))
    return f"{kind}-{hashlib.sha256(content.encode()).hexdigest()[:24]}"


def in_utc(moment: datetime) -> datetime | None:
    """`moment` in UTC, taken for UTC where it names no zone; None where that leads out of the calendar."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def iso_moment(text: str) -> datetime | None:
    """An ISO 8601 time in UTC; None if it is none."""
    try:
        return in_utc(datetime.fromisoformat(text.strip()))
    except ValueError:
        return None


def decoded(data: bytes) -> str:
    """The text of an export: by its byte order mark, else UTF-8, else the likeliest set of Windows, as spreadsheets save."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if wide := unmarked_utf16(data):
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_windows(data), "replace")


def unmarked_utf16(data: bytes) -> str:
    """Which UTF-16 it is that some programs write without a byte order mark; empty for anything else.

    Blanks, line ends and Latin letters then have a zero byte, always on the same side.
    """
    first, second = data[:2000:2].count(b"\0"), data[1:2000:2].count(b"\0")
    if max(first, second) * 20 < len(data[:2000]) or (first and second):
        return ""
    return "utf-16-be" if first else "utf-16-le" if second else ""


def _windows(data: bytes) -> str:
    """The set of Windows in which a text is likeliest written: Arabic, Cyrillic or Latin.

    Where the letters are mostly eight-bit it is not Latin. Cyrillic read as Arabic shows accented Latin letters in the midst
    of words, which Arabic does not have.
    """
    text = data[:100_000].decode("cp1256", "replace")
    letters = [sign for sign in text if sign.isalpha()]
    foreign = [sign for sign in letters if sign > "\x7f"]
    if len(foreign) * 2 < len(letters):
        return "cp1252"
    return "cp1256" if sum(sign < "\u0600" for sign in foreign) * 20 < len(foreign) else "cp1251"


def whole(stream: BinaryIO, name: str) -> str:
    """All text of a small export. Raises SourceError where it is larger than any export gets."""
    data = stream.read(LARGEST_EXPORT + 1)
    if len(data) > LARGEST_EXPORT:
        raise SourceError(
            f"{name} is larger than {LARGEST_EXPORT // 2**20} MB; nothing was read from it.",
            advice="Export fewer messages at a time, for example only those of the last weeks.",
        )
    return decoded(data)


def quoted_lines(text: str) -> str:
    """`text` as a quote in a mail: what somebody other than the sender wrote."""
    return "\n".join(f"> {line}" for line in tidy(text).strip("\n").split("\n"))
