"""SMF's XML feed of one's own private messages (`action=.xml;sa=personal_messages;type=smf`): ids, times in UTC, BBCode."""

from __future__ import annotations

import html
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO, cast
from xml.etree.ElementTree import Element, ParseError

from scraper.mailboxes.records import Reading, iso_moment, message
from scraper.mailboxes.xmlstream import elements
from scraper.model import Message, SourceError
from scraper.smf_mail import typed

_LONGEST_HEAD = 65536


def read_feed(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of a saved feed, with the forum's ids. Raises SourceError at damage, after the whole messages before it."""
    number = 0
    try:
        for entry in elements(cast(BinaryIO, _Mended(stream)), name, "personal_message"):
            number += 1
            sent = entry.find("sent_date")
            moment = iso_moment(sent.get("UTC", "")) if sent is not None else None
            if moment is None:
                reading.note(f"{name}:message {number}: no time of sending that could be read.")
            told = _text(entry, "id")
            yield message(
                "smf",
                f"{name}:message {number}",
                sender=_text(entry, "sender/name"),
                recipients=tuple(html.unescape(each.text or "") for each in entry.iterfind("recipient/name")),
                sent_at=moment,
                subject=_text(entry, "subject"),
                body=typed(entry.findtext("body") or ""),
                id=f"smf-{told}" if told.isdecimal() else "",
            )
    except ParseError as problem:
        raise SourceError(
            f"{name}: the XML is cut off or damaged ({problem}); {number} messages before it were read.",
            advice="Save the feed again.",
        ) from None


class _Mended:
    """A feed with a plain head: SMF puts the forum's name into it as it is, and with an `&` in it the head is no XML."""

    def __init__(self, stream: BinaryIO) -> None:
        start = stream.read(_LONGEST_HEAD)
        head = start.find(b"<smf:xml-feed ")
        ends = [end for mark in (b"<personal_message ", b"</smf:xml-feed>") if (end := start.find(mark, head)) >= 0]
        if head >= 0 and ends:
            start = start[:head] + b'<smf:xml-feed xmlns:smf="smf">' + start[min(ends) :]
        self._start, self._rest = BytesIO(start), stream

    def read(self, size: int = -1) -> bytes:
        return self._start.read(size) or self._rest.read(size)


def _text(entry: Element, path: str) -> str:
    """A field's text. Entities stand in it twice over: once for XML, and once as the forum stores its texts."""
    return html.unescape(entry.findtext(path) or "").strip()
