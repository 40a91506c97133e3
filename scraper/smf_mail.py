"""Private messages of SMF: the feed of 2.1 with times in UTC and the text as typed, and the folder pages of 2.0 and 2.1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from scraper.boxes import drop
from scraper.dates import DateReader, DateText
from scraper.markup import read_markup
from scraper.topicpage import one_line, query, visible

_BREAK = re.compile(r"<br\s*/?>\n?", re.IGNORECASE)
_MENTION = re.compile(r"\[member=\d+\](.*?)\[/member\]", re.DOTALL)
_HEAD = re.compile(r"""<smf:xml-feed\b[^>]*xmlns:smf="[^"]*/personal_messages\"""")
_PLACE = re.compile(r"msg[1-9]\d*")
_NUMBER = re.compile(r"[,&;?](?:pmsg|pmid)=(\d+)")


@dataclass(frozen=True, slots=True)
class Letter:
    """A message as the forum lists it. `people` are its recipients with their member numbers; `sender_id` is None or "0" for
    a guest or an account that is gone. `sent_at` is aware, in UTC."""

    id: str
    sender: str
    sender_id: str | None
    people: tuple[tuple[str | None, str], ...]
    sent_at: datetime | None
    subject: str
    body: str


def read_feed(text: str) -> list[Letter] | None:
    """The messages of an answer to `sa=personal_messages;type=smf`, newest first as they come; None for any other answer."""
    head = _HEAD.search(text)
    end = text.rfind("</smf:xml-feed>")
    if head is None or end < 0:
        return None
    first = text.find("<personal_message ", head.end(), end)
    try:  # the head's own attributes are not always XML: an & in the forum's name stays as it is
        root = fromstring(f"<feed>{text[first:end] if first >= 0 else ''}</feed>".encode(), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return None
    letters = [_letter(entry) for entry in root.iter("personal_message")]
    return [letter for letter in letters if letter is not None]


def _letter(entry: Any) -> Letter | None:
    number = (entry.findtext("id") or "").strip()
    if not number.isdecimal():
        return None
    sent = entry.find("sent_date")
    try:
        sent_at = datetime.fromisoformat(str(sent.get("UTC", ""))).replace(tzinfo=UTC) if sent is not None else None
    except ValueError:
        sent_at = None
    people = tuple(
        ((one.findtext("id") or "").strip() or None, _plain(one.findtext("name") or "")) for one in entry.iter("recipient")
    )
    return Letter(
        number, _plain(entry.findtext("sender/name") or ""), (entry.findtext("sender/id") or "").strip() or None, people,
        sent_at, _plain(entry.findtext("subject") or ""), typed(entry.findtext("body") or ""),
    )  # fmt: skip


def _plain(text: str) -> str:
    return one_line(unescape(text))


def typed(stored: str) -> str:
    """A message as its author typed it: the forum keeps line ends and signs as HTML, and names after an @ as a tag."""
    typed = unescape(_BREAK.sub("\n", stored)).replace("\xa0", " ")
    return _MENTION.sub(r"@\1", typed)


# ---------------------------------------------------------------------- folder pages


@dataclass(frozen=True, slots=True)
class Folder:
    """One page of a folder: all ids on it, the messages that stand there whole, and where the next page starts."""

    ids: tuple[str, ...]
    letters: tuple[Letter, ...]
    following: int | None


def read_folder(tree: Any, dates: DateReader, start: int, clocks: Sequence[tuple[str, datetime]] = ()) -> Folder:
    """A page of a message folder in any of its three views. `start` is the place that was asked for, `clocks` the page's own."""
    told = list(_letters(tree))
    dates.learn([DateText(text) for _, text in sorted(told, key=lambda one: int(one[0].id)) if text], clocks)
    letters = tuple(replace(letter, sent_at=dates.find(DateText(text)) if text else None) for letter, text in told)
    linked = [found[1] for a in tree.iter("a") for found in [_NUMBER.search(a.get("href") or "")] if found]
    named = [e.get("id")[3:] for e in tree.iter("div", "a") if _PLACE.fullmatch(e.get("id") or "")]
    ids = dict.fromkeys([*(letter.id for letter in letters), *linked, *named])
    bars = [bar for bar in tree.iter("div", "td") if "pagelinks" in (bar.get("class") or "").split()]
    links = [a for bar in bars for a in bar.iter("a")]
    links = links or [a for a in tree.iter("a") if "navPages" in (a.get("class") or "").split()]  # in 2.0
    starts = [int(at) for a in links if (at := query(a.get("href") or "").get("start", "")).isdecimal()]
    return Folder(tuple(ids), letters, min((one for one in starts if one > start), default=None))


def _letters(tree: Any) -> Iterator[tuple[Letter, str]]:
    """The messages of a page, each with its date as the page shows it."""
    for body in tree.iter("div"):
        number = _letter_of(body)
        if number is None:
            continue
        block = next((above for above in body.iterancestors("div") if above.find(".//h4") is not None), None)
        if block is None:
            continue
        heading = block.find(".//h4")
        sender = next((a for a in heading.iter("a") if "action=profile" in (a.get("href") or "")), heading)
        subject = next((e for e in block.iter() if e.get("id") == f"subject_{number}"), None)
        subject = next((e for e in block.iter("h5")), None) if subject is None else subject
        line = _line(block)
        people = [a for a in line.iter("a") if "action=profile" in (a.get("href") or "")] if line is not None else []
        told = _date(line, people[-1] if people else None) if line is not None else ""
        if len(body) and body[0].tag == "hr" and "hrcolor" in (body[0].get("class") or "").split():
            drop(body[0])  # the theme's own line above the words
        yield Letter(
            number, visible(sender), _member(sender), tuple((_member(a), visible(a)) for a in people), None, visible(subject),
            read_markup(body, authors=(), breaks_told=False).bbcode,
        ), told  # fmt: skip


def _letter_of(body: Any) -> str | None:
    """The number of the message whose words an element holds; None for all others. In 2.0 only a box around it may have one."""
    names = (body.get("class") or "").split()
    number = (body.get("id") or "").removeprefix("msg_") if "inner" in names else ""
    if "personalmessage" in names:
        around = ((above.get("id") or "").removeprefix("msg") for above in body.iterancestors("div"))
        number = next((each for each in around if each.isdecimal()), "")
    return number if number.isdecimal() else None


def _line(block: Any) -> Any:
    """The line that tells recipients and date: in `.postinfo` (2.1) or next to the subject (2.0)."""
    parts = [e for e in block.iter("div", "span") if "postinfo" in (e.get("class") or "").split()]
    parts += [e for e in block.iter("div") if "keyinfo" in (e.get("class") or "").split()]
    for part in parts:
        small = next((e for e in part.iter("span", "div") if "smalltext" in (e.get("class") or "").split()), None)
        if small is not None:
            return small
    return None


def _date(line: Any, last: Any) -> str:
    """What stands after the recipients' names and the bold word that follows them; today and yesterday are bold once more."""
    pieces = list(line)
    at = pieces.index(last) if last is not None and last in pieces else -1
    label = next((i for i, piece in enumerate(pieces) if i > at and piece.tag in ("strong", "b")), None)
    if label is None:
        return one_line(last.tail or "" if last is not None else "".join(line.itertext())).strip("«» ")
    words = [pieces[label].tail or ""]
    for piece in pieces[label + 1 :]:
        words.append("".join(piece.itertext()) + (piece.tail or ""))
    return one_line("".join(words)).strip("«» ")


def _member(link: Any) -> str | None:
    number = query(link.get("href") or "").get("u", "")
    return number if number.isdecimal() else None
