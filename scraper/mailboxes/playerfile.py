"""Plain text that the GM saved under a player's name: `Ann.txt`, `Kaitou Kid - night 2.txt`, `Ann/night 1.txt`.

The one kind that is told by its name, since a text itself does not say whose it is. Orders in one file are parted by lines
of `---` or by headings that are a date. A heading with day and hour is when the order was sent. Without one that is when the
file was last saved, which a note says; inside a zip not even that is known.

An order keeps its id when others are added to its file, so it is never taken for a new one.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import BinaryIO

from scraper.dates import DateReader, DateText
from scraper.mailboxes.records import Reading, in_utc, message, one_line, unmarked_utf16, whole
from scraper.mailboxes.replies import fields_begin, marked
from scraper.model import Message

_RULE = re.compile(r"\s*(?:-{3,}|={3,}|_{3,}|\*{3,}|#{3,}|~{3,}|[—–─]{2,})\s*")
_DECORATION = " \t-=#*_~[]()<>|:—–─"
_ISO = r"\d{4}-\d\d-\d\d[T ]\d{1,2}:\d\d(?::\d\d)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?"
_MAIL = r"(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UTC)"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY_MONTH = r"(?:\d{1,2}(?:st|nd|rd|th|\.)?\s+[^\W\d_]{3,12}|[^\W\d_]{3,12}\s+\d{1,2}(?:st|nd|rd|th)?)"
_WORDED = rf"(?:[^\W\d_]{{2,12}}\.?,?\s+)?{_DAY_MONTH}\.?,?\s+\d{{4}}"
_NUMBERS = r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{4}[./-]\d{1,2}[./-]\d{1,2})"
_DATED = re.compile(
    rf"(?:(?P<label>[^\W\d_]{{1,12}}\.?\s?\d{{0,3}})\s*[-–—:,(]\s*)?"
    rf"(?:(?P<iso>{_ISO})|(?P<mail>{_MAIL})|(?P<other>(?:{_WORDED}|{_NUMBERS})(?:[,،]|\s+at|\s+ساعت)?\s+{_CLOCK})|(?P<day>{_WORDED}|{_NUMBERS}))"
)
_NOT_A_NAME = re.compile(
    r"(?:nights?|days?|phases?|n|d|orders?|actions?|pms?|messages?|msg|mail|inbox|notes?|new|text|nacht|tag|شب|روز)?[\s_.#-]*\d*"
    r"|\d{4}-\d\d-\d\d.*", re.IGNORECASE,
)  # fmt: skip
_BEHIND = re.compile(
    r"\s+[-–—]+\s+.*|\s+[(\[{][^)\]}]*[)\]}]?\s*$|\s+(?:nights?|days?|phases?|orders?|actions?|pms?)\s*\d+\s*$", re.IGNORECASE
)
_STRANGE = bytes((*range(9), *range(14, 32)))
_MOST = 2000
_FAR = datetime(2999, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Order:
    """One stretch of a file, its heading and time, and the line it begins on."""

    line: int
    heading: str = ""
    sent_at: datetime | None = None
    lines: list[str] = field(default_factory=list)

    @property
    def body(self) -> str:
        """The text; a mail that is answered below its first line is a quote."""
        head, *rest = "\n".join(self.lines).lstrip("\n").split("\n", 1)
        return "\n".join([head, *map(marked, rest)])

    @property
    def empty(self) -> bool:
        return not any(map(str.strip, self.lines))


def looks_like_text(head: bytes, name: str) -> bool:
    """Whether a file called `name` is one of these, by its ending and as it holds text."""
    if not name.lower().endswith(".txt"):
        return False
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or unmarked_utf16(head):
        return True
    strange = len(head) - len(head.translate(None, _STRANGE))
    return b"\0" not in head and strange * 50 <= len(head)


def whose(name: str, players: Collection[str] = ()) -> tuple[str, str]:
    """The player and the rest of a file's path in words. Of `players` (names and accounts) where given, the longest that fits.

    The player is empty where `players` are given and none fits: then the file is nobody's.
    """
    *folders, file = unicodedata.normalize("NFC", name).split("/")  # as files made on a Mac may not have it
    stem = file[: -len(".txt")].strip()
    if players:
        for part, rest in ((stem, ""), (folders[-1] if folders else "", stem)):
            fitting = [player for player in players if _begins(part, player)]
            if fitting:
                player = max(fitting, key=len)
                return player, one_line(rest or part[len(player) :].strip(_DECORATION))
        return "", stem
    if folders and _NOT_A_NAME.fullmatch(stem):
        return one_line(folders[-1]), one_line(stem)
    player = one_line(_BEHIND.sub("", stem)) or one_line(stem)
    return player, one_line(stem[len(player) :].strip(_DECORATION))


def _begins(part: str, player: str) -> bool:
    """Whether a part of a path begins with a player's name, regardless of case, and no letter or digit follows."""
    player = unicodedata.normalize("NFC", player)
    return part[: len(player)].casefold() == player.casefold() and not part[len(player) :][:1].isalnum()


def read_text(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The orders in one file, in their order. Raises SourceError where it is larger than any such file."""
    player, rest = whose(name, reading.players)
    if not player:
        reading.note(f"{name} was left out: its name begins with no player's name.")
        return
    saved = _saved_at(stream)
    met: Counter[str] = Counter()
    orders = list(_orders(whole(stream, name), player, reading))
    untold = sum(order.sent_at is None for order in orders)
    if untold:
        when = f"the file was last saved, {saved:%Y-%m-%d %H:%M} UTC" if saved else "it is first read; the file does not tell"
        what = "the order" if len(orders) == 1 else f"{untold} of {len(orders)} orders"
        reading.note(f"{name}: {what} of {player} without day and hour; taken as sent when {when}.")
    for number, order in enumerate(orders, start=1):
        words = "".join(order.body.split())
        met[words] += 1
        told = "\0".join((player.casefold(), name, order.sent_at.isoformat() if order.sent_at else "", str(met[words]), words))
        yield message(
            "file",
            f"{name}:line {order.line}",
            sender=player,
            recipients=(),
            sent_at=order.sent_at or saved,
            subject=order.heading or rest,
            body=order.body,
            id=f"file-{hashlib.sha256(told.encode()).hexdigest()[:24]}",
            origin="file",
        )
        if number == _MOST:
            reading.note(f"{name}: more than {_MOST} orders; the rest was not read.")
            return


def _orders(text: str, player: str, reading: Reading) -> Iterator[_Order]:
    """What stands between rules and dates. The date in the head of a mail by another, below an order, is that of a quote."""
    dates = DateReader(timezone=reading.timezone, now=reading.now or _FAR, languages=("und",))
    order, quoted = _Order(1), False
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        quoted |= not order.empty and player.casefold() not in line.casefold() and fields_begin(lines, number - 1)
        dated = None if len(line) > 90 else _DATED.fullmatch(_in_digits(line.strip(_DECORATION)))
        dated = None if dated and quoted and dated["label"] else dated
        if dated is None and not _RULE.fullmatch(line):
            order.lines.append(line)
            continue
        if not order.empty:
            yield order
            order = _Order(number + 1)
        quoted = False
        if dated is not None:
            order = _Order(number, one_line(line.strip(_DECORATION)), _moment(dated, dates, reading))
    if not order.empty:
        yield order


def _in_digits(line: str) -> str:
    """A line with the digits of every script as 0 to 9."""
    return "".join(str(unicodedata.decimal(sign, sign)) for sign in line)


def _moment(dated: re.Match[str], dates: DateReader, reading: Reading) -> datetime | None:
    """When a heading says that it was, in UTC; None where it names no hour."""
    try:
        if dated["iso"]:
            text = re.sub(r"\s?(?:Z|UTC)$", "+00:00", dated["iso"]).replace(" +", "+").replace(" -", "-")
            text = re.sub(r"[T ](\d):", r"T0\1:", text)
            moment = datetime.fromisoformat(text)
            return in_utc(moment if moment.tzinfo else moment.replace(tzinfo=reading.timezone))
        if dated["mail"]:
            return in_utc(parsedate_to_datetime(dated["mail"]))
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return dates.read(DateText(dated["other"])) if dated["other"] else None


def _saved_at(stream: BinaryIO) -> datetime | None:
    """When a file was last written, to the second; None inside a zip."""
    try:
        return datetime.fromtimestamp(int(os.fstat(stream.fileno()).st_mtime), UTC)
    except (OSError, ValueError, OverflowError, io.UnsupportedOperation, AttributeError):
        return None
