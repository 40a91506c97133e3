"""The kinds of files that are read, and how one is told: from its first bytes, and only for plain text from its name."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from scraper.mailboxes import discord, discourse, mybb_export, phpbb_export, playerfile, rfc822, smf_feed, vb_export
from scraper.mailboxes.records import Reading
from scraper.model import Message, SourceError

HEAD = 256 * 1024
"""How many bytes of a file are looked at. MyBB's HTML export begins with some forty thousand of style sheet."""

WHAT_IS_READ = (
    "What is read: mbox files, Maildir folders, .eml files; private messages exported from phpBB (XML, CSV), MyBB (CSV, HTML, "
    "TXT) and vBulletin 3 and 4 (XML, CSV, TXT), SMF's XML feed and Discourse's JSON of them; DiscordChatExporter's JSON; text "
    "files named after a player (Ann.txt); zips and folders of these."
)
_MAIL_LINES = re.compile(
    rb"^(?:from|to|date|subject|message-id|received|return-path|delivered-to|mime-version)[ \t]*:", re.IGNORECASE | re.MULTILINE
)
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7z", b"Rar!": "rar"}

Reader = Callable[[BinaryIO, str, Reading], Iterator[Message]]


def _refuse_xml(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    raise SourceError(
        f"{name} is XML that declares a document type or entities of its own, as no forum's export does; reading it was refused.",
        advice="Export the folder again from the forum itself.",
    )


READERS: Mapping[str, Reader] = {
    "mbox": rfc822.read_mbox,
    "eml": rfc822.read_eml,
    "phpbb-xml": phpbb_export.read_xml,
    "phpbb-csv": phpbb_export.read_csv,
    "mybb-csv": mybb_export.read_csv,
    "mybb-html": mybb_export.read_html,
    "mybb-txt": mybb_export.read_txt,
    "smf-xml": smf_feed.read_feed,
    "vbulletin-xml": vb_export.read_xml,
    "vbulletin-csv": vb_export.read_csv,
    "vbulletin-txt": vb_export.read_txt,
    "discord-json": discord.read_json,
    "discourse-topic": discourse.read_topic,
    "discourse-list": discourse.read_list,
    "text": playerfile.read_text,
    "unsafe-xml": _refuse_xml,
}
"""For each kind what reads it; `zip` is no kind of its own but a folder of others."""


def kind_of(head: bytes, name: str = "") -> str | None:
    """The kind of the file that begins with `head`: a key of READERS or `zip`; None for a file of no known kind.

    `name` counts where the content tells nothing: a text file may be what the player of that name ordered.
    """
    told = _told(head)
    if told is None and discord.in_another_format(_text(head)):
        return None
    return "text" if told is None and head and playerfile.looks_like_text(head, name) else told


def _told(head: bytes) -> str | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    bare = head.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    if bare.startswith(b"From ") and _is_mbox(bare):
        return "mbox"
    if _is_mail(bare):
        return "eml"
    text = _text(head)
    start = text.lstrip()
    if start.startswith("<"):
        return _marked_up(start)
    if start.startswith("{"):
        return _json(text)
    return None if re.match(r"\[\s*\{", start) else _plain(text)


def _is_mbox(bare: bytes) -> bool:
    first, _, rest = bare.partition(b"\n")
    return rfc822.SEPARATOR.match(first) is not None or rfc822.HEADER.match(rest) is not None


def _is_mail(bare: bytes) -> bool:
    """Whether the first lines are a mail's: the first a header line, and one among them of those that every mail has."""
    if not rfc822.HEADER.match(bare):
        return False
    if phpbb_export.looks_like_csv(_text(bare.partition(b"\n")[0])):  # the first subject of an export may be `Re: …`
        return False
    top = re.split(rb"\r?\n\r?\n", bare, maxsplit=1)[0]
    return _MAIL_LINES.search(top) is not None


def _text(head: bytes) -> str:
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if head.startswith(mark):
            return head[2:].decode(encoding, "replace")
    return head.decode("utf-8-sig", "replace")


def _marked_up(start: str) -> str | None:
    if mybb_export.looks_like_html(start):
        return "mybb-html"
    if re.match(r"(?:<\?xml|<!DOCTYPE(?!\s+html\b)|<!ENTITY)", start, re.IGNORECASE) and re.search(r"<!ENTITY", start):
        return "unsafe-xml"
    if re.search(r"<phpbb\b", start):
        return "phpbb-xml"
    if "<smf:xml-feed" in start and "/xml/personal_messages" in start:
        return "smf-xml"
    return "vbulletin-xml" if vb_export.looks_like_xml(start) else None


def _json(text: str) -> str | None:
    if discourse.looks_like_topic(text):
        return "discourse-topic"
    if discourse.looks_like_list(text):
        return "discourse-list"
    return "discord-json" if '"channel"' in text and '"messages"' in text else None


def _plain(text: str) -> str | None:
    if discord.in_another_format(text):
        return None
    if vb_export.looks_like_txt(text):
        return "vbulletin-txt"
    if vb_export.looks_like_csv(text):
        return "vbulletin-csv"
    if mybb_export.looks_like_txt(text):
        return "mybb-txt"
    if phpbb_export.looks_like_csv(text):
        return "phpbb-csv"
    return "mybb-csv" if mybb_export.looks_like_csv(text) else None


def unknown(head: bytes) -> str:
    """Why a file of no known kind is not read, and the nearest thing that would be."""
    for mark, name in _PACKED.items():
        if head.startswith(mark):
            return f"it is packed with {name}; unpack it, or pack it as zip. {WHAT_IS_READ}"
    text = _text(head).lstrip()
    if discord.in_another_format(text):
        return f"DiscordChatExporter writes it as text, CSV or a web page; export the channel as JSON. {WHAT_IS_READ}"
    if re.match(r"<!doctype html|<html", text, re.IGNORECASE):
        return f"it is a web page, not an export of messages; saved topic pages are read by `nightpost read`. {WHAT_IS_READ}"
    if text.startswith("<"):
        return f"it is XML, but not of private messages. {WHAT_IS_READ}"
    if text.startswith(("{", "[")):
        return f"it is JSON, but not as DiscordChatExporter or Discourse writes it. {WHAT_IS_READ}"
    return f"it is no mailbox or export of a known kind. {WHAT_IS_READ}"
