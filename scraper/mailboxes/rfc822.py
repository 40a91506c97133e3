"""Electronic mail: mbox files of all dialects, and single mails (`.eml`, Maildir), read as a stream.

The sender is the display name, as that is what a player's account can be; the address where there is none. Neither is
proof of anything: whoever can write a mail can write any name into it. `origin` keeps the address, for `scraper.trust`.
`sent_at` is the `Date` line, when the mail was sent. The id is the `Message-ID`. In mails that a forum sends about a private
message, sender, subject and body are those of that message as far as the mail tells (see `notices`).
"""

from __future__ import annotations

import codecs
import email
import email.errors
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email import policy
from email.header import decode_header
from email.message import Message as Mail
from email.utils import getaddresses, parsedate_to_datetime
from typing import BinaryIO

from scraper.mailboxes.mailtext import NoText, charset_text, own_text
from scraper.mailboxes.notices import read_notice
from scraper.mailboxes.records import Reading, in_utc, message, one_line, quoted_lines
from scraper.mailboxes.replies import answers_below, marked
from scraper.model import Message, SourceError

LATE = timedelta(hours=1)
"""How much later than its date a mail may arrive without a word to the GM: anybody can write any date into a mail."""
AHEAD = timedelta(minutes=10)
"""How much later than its arrival a mail may say that it was sent: by so much clocks may differ."""
LARGEST_MAIL = 4 * 1024 * 1024
"""Bytes of one mail that are looked at. The text comes first; what lies beyond can only be attachments."""

SEPARATOR = re.compile(
    rb"From \S.*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\d{1,2} +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +"
    rb"(?:\d{1,2} +)?(?:\d{4} +)?\d{1,2}:\d\d(?::\d\d)?\b.*"
)
HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE)
_ENDLESS = re.compile(rb"^content-(?:type|disposition)[ \t]*:(?:[^\n]|\n[ \t]){4000}", re.IGNORECASE | re.MULTILINE)
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_FAILED = re.compile(r"\b(?:dmarc|dkim|spf)\s?=\s?(?:fail|hardfail|permerror)\b")
_PASSED = re.compile(r"\bdmarc\s?=\s?pass\b")
_TWICE = ":twice"  # no header line can be called so
_GAP = re.compile(rb"\r?\n\r?\n")
_LONGEST_LINE = 1024 * 1024
_BROKEN = (
    email.errors.MessageError, ValueError, LookupError, TypeError, AttributeError, AssertionError, OverflowError, RecursionError,
)  # fmt: skip  # what the library's mail parser is known to throw at hostile mails


@dataclass(slots=True)
class _Raw:
    """The bytes of one mail as they stood in the file.

    `long` where only the beginning was kept; `last` where nothing comes behind it in the file, so that it may be cut off;
    `marked` where its `From ` line stands behind the mark of an encoding, which no mail server keeps out of a mail's text.
    """

    data: bytes
    long: bool = False
    last: bool = False
    marked: bool = False


def read_mbox(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of an mbox file in the order of the file.

    Raises SourceError after the last whole message if the file ends in the middle of a line: the message there is cut off.
    """
    for number, raw in enumerate(_split(stream, name), start=1):
        gap = _GAP.search(raw.data)
        if gap is not None:
            raw.data = raw.data[: gap.end()] + _ESCAPED.sub(rb"\1", raw.data[gap.end() :])
        found = _message(raw, f"{name}:message {number}", reading)
        if found is not None:
            yield found


def read_one(
    data: bytes, place: str, reading: Reading, *, long: bool = False, arrived: datetime | None = None
) -> Message | None:
    """The message in the bytes of a mail, `long` if only its beginning is given; None, with a note, where there is none.

    `arrived` (aware) is when a server got it: its time of sending where it names none that can be read, and else held
    against the one it names.
    """
    return _message(_Raw(data, long), place, reading, arrived)


def read_eml(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The one message of a file that holds a mail and nothing else. Raises SourceError if the mail is cut off in its text."""
    data = stream.read(LARGEST_MAIL)
    long = bool(stream.read(1))
    data = data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    found = _message(_Raw(data, long, last=True), f"{name}:message 1", reading)
    if found is not None:
        yield found


# -- taking an mbox apart ---------------------------------------------------------------------------------------------


def _split(stream: BinaryIO, name: str) -> Iterator[_Raw]:
    """The mails between the `From ` lines.

    Such a line counts at the start of the file and after an empty line, and only with a date in it. Where a mail says how
    long it is and that is borne out by what follows, `From ` lines inside it are text (the mboxcl dialects).
    """
    kept: list[bytes] = []
    size = 0
    started = in_head = long = marked = False
    fresh, blank, length = True, True, -1
    while line := stream.readline(_LONGEST_LINE):
        whole = line
        if fresh and blank:
            line = line.removeprefix(codecs.BOM_UTF8)  # an editor's, or that of a file which was put behind another
        if fresh and blank and line.startswith(b"From ") and (not started or SEPARATOR.match(line, 0, 400)):
            if started:
                yield _Raw(b"".join(kept), long, marked=marked)
            marked = started and line != whole
            kept, size, length = [], 0, -1
            started = in_head = True
            fresh, blank, long = line.endswith(b"\n"), False, False
            continue
        empty = fresh and line in (b"\n", b"\r\n")
        if started:
            size += len(line)
            if size <= LARGEST_MAIL:
                kept.append(line)
            else:
                long = True
        if in_head:
            told = _LENGTH.match(line)
            length = int(told[1]) if told else length
            if empty:
                in_head = False
                if length > 0 and _borne_out(stream, length):
                    kept.append(stream.read(min(length, LARGEST_MAIL)))
                    long = length > LARGEST_MAIL
                    stream.seek(max(0, length - LARGEST_MAIL), os.SEEK_CUR)
                    fresh = blank = True
                    continue
        fresh = line.endswith(b"\n")
        blank = empty if started else True
    if not started:
        return
    if fresh:
        yield _Raw(b"".join(kept), long, last=True, marked=marked)
        return
    raise SourceError(
        f"{name} ends in the middle of a line: its last message is cut off and was not read.",
        advice="Export or copy the mailbox again. If the file is whole, add an empty line at its end.",
    )


def _borne_out(stream: BinaryIO, length: int) -> bool:
    """Whether a mail that says it is `length` bytes long is followed by another one, or by the end of the file, just there.

    A false length in a stranger's mail must not swallow the mails behind it, nor end within a line of its text, behind the
    sign with which the server has kept a `From ` there from being one. Looks ahead in plain files only.
    """
    if not isinstance(stream, io.BufferedReader):
        return False
    here = stream.tell()
    end = stream.seek(0, os.SEEK_END)
    stream.seek(min(here + length, end) - 1)
    last, rest = stream.read(1), stream.read(512)
    behind = rest.lstrip(b"\r\n")
    stream.seek(here)
    if not behind:
        return 0 <= end - here - length <= 4
    return SEPARATOR.match(behind) is not None and (last == b"\n" or behind != rest)


# -- one mail ---------------------------------------------------------------------------------------------------------


def _message(raw: _Raw, place: str, reading: Reading, arrived: datetime | None = None) -> Message | None:
    """The message in `raw`; None, with a note, where there is none to be read."""
    if _ENDLESS.search(raw.data):  # the library takes minutes over such lines
        reading.note(f"{place}: a heading longer than any mail program writes. It was not read; look at it in your mail program.")
        return None
    try:
        mail = email.message_from_bytes(raw.data, policy=policy.compat32)
        heads = _heads(mail)
        text = own_text(mail, may_be_cut=raw.last)
    except NoText as problem:
        if not raw.data.endswith(b"\n"):
            raise SourceError(f"{place} is cut off in the middle of its text.", advice="Save the mail again.") from None
        reading.note(f"{place}: {problem}. It was not read; look at it in your mail program.")
        return None
    except _BROKEN as problem:
        reading.note(f"{place}: damaged ({type(problem).__name__}). It was not read; look at it in your mail program.")
        return None
    if not heads:
        reading.note(f"{place}: a mail without any heading; it was not read.")
        return None
    if raw.marked:
        heads[_TWICE] = "from"  # whoever wrote the mail before it may have written this one into it
    return _made(heads, text, place, reading, arrived or _received(heads), raw.long)


def _made(
    heads: dict[str, str], text: str, place: str, reading: Reading, arrived: datetime | None, long: bool
) -> Message:
    sent_at = _date(heads.get("date", ""))
    senders = _people(heads.get("from", "") or heads.get("sender", ""))
    sender = next((shown or address for shown, address in senders), "")
    subject = _words(heads.get("subject", ""))
    recipients = [shown or address for key in ("to", "cc", "bcc") for shown, address in _people(heads.get(key, ""))]
    notice = read_notice(heads, sender=sender, subject=subject, text=text)
    origin = _origin(heads, senders, "mail" if notice is None else "notice")
    note = reading.note_of(notice.sender if notice else sender, origin.rpartition(" ")[2])
    if long:
        note(f"{place}: larger than {LARGEST_MAIL // 2**20} MB; only its first part was looked at.")
    if sent_at is None:
        note(f"{place}: no time of sending that could be read{', so that of arrival counts' if arrived else ''}.")
    if arrived and sent_at and not -AHEAD < arrived - sent_at < LATE:
        told, came = f"{sent_at:%Y-%m-%d %H:%M}", f"{arrived:%Y-%m-%d %H:%M} UTC"
        before = arrived < sent_at  # then its clock is wrong: nothing is sent after it came
        note(f"{place} by {sender!r} says that it was sent on {told}, but came on {came}{', which counts' if before else ''}.")
        sent_at = arrived if before else sent_at
    sent_at = sent_at or arrived
    of = f"{place} by {sender!r}" + (f" of {sent_at:%Y-%m-%d %H:%M:%S} UTC" if sent_at else "")  # its place may change
    if notice is not None:
        sender, subject, text = notice.sender, notice.subject, notice.body
        if notice.cut:
            note(f"{of} holds a quote whose end the mail does not show; read it on the forum.")
    else:
        if answers_below(text):
            note(
                f"{of} has words below the mail that it answers: they count as quoted, as all there does. "
                "Where they are an order, count it by hand (nightpost gm)."
            )
        text = quoted_lines(text) if _automatic(heads) else marked(text)
    id = "".join(heads.get("message-id", "").split())[:1000]
    # Anybody can write any: what is no id of a mail's must not pass for that of a message on the forum.
    id = (id if id.startswith("<") else f"<{id}>") if id.strip("<>") else ""
    return message(
        "mail", place, sender=sender, recipients=tuple(recipients), sent_at=sent_at, subject=subject, body=text, id=one_line(id),
        origin=origin,
    )  # fmt: skip


def _automatic(heads: dict[str, str]) -> bool:
    """Whether a program answered in the sender's place (out of office, read, not delivered). Lists send by program too."""
    if heads.get("content-type", "").strip().lower().startswith("multipart/report"):
        return True
    told = heads.get("auto-submitted", "").strip().lower()
    answers = told.startswith("auto-replied") or (told.startswith("auto-") and not {"list-id", "list-unsubscribe"} & heads.keys())
    return answers or bool({"x-autoreply", "x-autorespond"} & heads.keys()) or "auto_reply" in heads.get("precedence", "").lower()


def _origin(heads: dict[str, str], senders: list[tuple[str, str]], kind: str) -> str:
    """Who the From line says has sent it, and whether that line is in doubt: forged as the mail server found, or of two minds."""
    results = heads.get("authentication-results", "").lower()
    failed = _PASSED.search(results) is None and _FAILED.search(results) is not None
    addresses = {address.lower() for _, address in senders if address}
    doubted = failed or len(addresses) > 1 or heads.get(_TWICE) == "from"
    return f"{'doubted-' if doubted else ''}{kind} {min(addresses, default='')}".rstrip()


def _heads(mail: Mail) -> dict[str, str]:
    """The header lines by lower-case name, unfolded, as written; of several of one name the first (`to` and `cc`: all)."""
    heads: dict[str, str] = {}
    for key, value in mail.raw_items():
        key, value = key.lower(), _unescaped(str(value)).replace("\r", "").replace("\n", "")[:65536]
        if key in ("to", "cc") and key in heads:
            heads[key] = f"{heads[key]}, {value}"
        if key == "from" and key in heads:
            heads[_TWICE] = key
        heads.setdefault(key, value)
    return heads


def _unescaped(value: str) -> str:
    """A header line in which eight-bit bytes stand unencoded, against the rules, as text."""
    if value.isascii():
        return value
    return charset_text(value.encode("ascii", "surrogateescape"), "")


def _words(value: str) -> str:
    """A header's text with its encoded words decoded."""
    if "=?" not in value:
        return one_line(value)
    try:
        parts = decode_header(value)
    except (email.errors.HeaderParseError, ValueError):
        return one_line(value)
    texts = [part if isinstance(part, str) else charset_text(part, charset or "") for part, charset in parts]
    return one_line("".join(texts))


def _people(value: str) -> list[tuple[str, str]]:
    """Display name and address of each person in an address line."""
    try:
        pairs = getaddresses([value])
    except (ValueError, IndexError, TypeError, AttributeError, RecursionError):
        pairs = []
    people = [(_words(name), one_line(address)) for name, address in pairs if name or address]
    return people or ([(_words(value), "")] if value.strip() else [])


def _received(heads: dict[str, str]) -> datetime | None:
    """When the GM's own mail server got a mail: it writes the first of these lines."""
    return _date(heads.get("received", "").rpartition(";")[2])


def _date(value: str) -> datetime | None:
    try:
        return in_utc(parsedate_to_datetime(value))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
