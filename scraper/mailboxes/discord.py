"""Channels and direct messages saved by DiscordChatExporter as JSON, read as a stream.

The sender is the account name, not the nickname, which anybody can change at any time. Messages of bots and of Discord
itself are left out. Markdown stays as it was typed; only a quote to the end of the message (`>>> `) is written line by line.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, BinaryIO

from scraper.mailboxes.records import Reading, iso_moment, message, quoted_lines
from scraper.model import Message, SourceError

_CHUNK = 256 * 1024
_LARGEST_ENTRY = 8 * 1024 * 1024
_WRITTEN = frozenset({"Default", "Reply"})
_DECODER = JSONDecoder()
_BLANK = " \t\r\n"
_OTHER_FORMAT = re.compile(
    r"\s*={20,}\s*\n(?:Guild|Server): .*\n(?:Category|Channel): "
    r"|AuthorID,Author,Date,Content,|<(?s:.*?)\sclass=[\"']?chatlog[_\"' ]"
)


def in_another_format(text: str) -> bool:
    """Whether a file that begins with `text` was saved by DiscordChatExporter, but not as JSON.

    Its text holds what everybody wrote: in a file named after a player it is not what that player ordered.
    """
    return _OTHER_FORMAT.match(text) is not None


class _Cut(Exception):
    """The file ends before its end, or is no JSON from here on."""


def read_json(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of an export in the order of the file. Raises SourceError at damage, after the whole messages before it."""
    number = 0
    try:
        text = _Text(stream)
        channel = text.head()
        for entry in text.entries():
            number += 1
            found = _message(entry, channel, f"{name}:message {number}", reading)
            if found is not None:
                yield found
    except (_Cut, RecursionError):
        raise SourceError(
            f"{name} is cut off or damaged; the {number} messages before that place were read.",
            advice="Export the channel again.",
        ) from None


class _Text:
    """The file's text as far as it is needed."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._text, self._at = "", 0

    def head(self) -> dict[str, Any]:
        """What stands before the messages: the `channel`, as an object. Leaves off at the first message."""
        self._sign("{")
        channel: dict[str, Any] = {}
        while True:
            key = self._value()
            self._sign(":")
            if key == "messages":
                self._sign("[")
                return channel
            value = self._value()
            if key == "channel" and isinstance(value, dict):
                channel = value
            self._sign(",")

    def entries(self) -> Iterator[dict[str, Any]]:
        """The messages, one after the other. Raises _Cut if the list does not end."""
        if self._peek() == "]":
            return
        while True:
            entry = self._value()
            if isinstance(entry, dict):
                yield entry
            if self._peek() == "]":
                return
            self._sign(",")

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        data = self._stream.read(max(_CHUNK, len(self._text) - self._at))
        if not data:
            return False
        self._text, self._at = self._text[self._at :] + self._decode(data), 0
        return True

    def _peek(self) -> str:
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANK:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                raise _Cut

    def _sign(self, sign: str) -> None:
        if self._peek() != sign:
            raise _Cut
        self._at += 1

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except (JSONDecodeError, ValueError):
                if len(self._text) - self._at > _LARGEST_ENTRY or not self._more():
                    raise _Cut from None
                continue
            if end == len(self._text) and self._more():
                continue  # a number may go on
            self._at = end
            return value


def _message(entry: dict[str, Any], channel: dict[str, Any], place: str, reading: Reading) -> Message | None:
    author = entry.get("author")
    if not isinstance(author, dict) or author.get("isBot") or entry.get("type", "Default") not in _WRITTEN:
        return None
    sent_at = iso_moment(_text(entry, "timestamp"))
    if sent_at is None:
        reading.note(f"{place}: no time of sending that could be read.")
    if entry.get("timestampEdited"):
        edited = iso_moment(_text(entry, "timestampEdited"))
        when = f" at {edited:%Y-%m-%d %H:%M} UTC" if edited else ""
        reading.note(f"{place} by {_text(author, 'name')!r} was edited{when}; what it said before is not known.")
    told = _text(entry, "id")
    return message(
        "discord",
        place,
        sender=_text(author, "name"),
        recipients=_recipients(channel, author),
        sent_at=sent_at,
        subject="",
        body=_body(entry),
        id=f"discord-{told}" if told.isdecimal() else "",
    )


def _recipients(channel: dict[str, Any], author: dict[str, Any]) -> tuple[str, ...]:
    """Who reads it, as far as told: a channel by its name; in direct messages the other one, when it is not he who writes."""
    name = _text(channel, "name")
    if not _text(channel, "type").startswith("Direct"):
        return (f"#{name}",) if name else ()
    return () if name in (_text(author, "name"), _text(author, "nickname")) else (name,)


def _body(entry: dict[str, Any]) -> str:
    """What the author typed; what he passed on from elsewhere follows as a quote."""
    body = _text(entry, "content")
    before, mark, quoted = (f"\n{body}").partition("\n>>> ")
    if mark:
        body = f"{before}\n{quoted_lines(quoted)}".removeprefix("\n")
    passed_on = entry.get("forwardedMessage")
    if isinstance(passed_on, dict):
        body = f"{body}\n{quoted_lines(_text(passed_on, 'content'))}"
    return body


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""
