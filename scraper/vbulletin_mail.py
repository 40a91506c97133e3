"""A vBulletin mailbox: its lists of messages, and their texts from the forum's own download or, failing that, page by page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

from scraper.addresses import join
from scraper.dates import DateReader, DateText
from scraper.mailboxes.records import Reading, one_line
from scraper.mailboxes.vb_export import looks_like_xml, read_xml
from scraper.markup import read_markup
from scraper.model import Message, SourceError
from scraper.session import TryAgain
from scraper.topicpage import language_of, visible
from scraper.vbulletin import notice_of
from scraper.vbulletin_boxes import words_of_post

Tree = Any  # lxml's elements; it has no types of its own

INBOX, SENT = "0", "-1"  # vBulletin's numbers of its folders
MOST_PAGES = 40  # of a list: more messages than any mailbox holds

_ROW = re.compile(r"(?:m|pm_)(\d+)")
_SHOWN = re.compile(r"private\.php\?(?:[^#]*&)?do=showpm(?:&[^#]*)?&pmid=(\d+)")
_QUOTED = re.compile(r"\s*\[QUOTE=[^\n]*?\](.*)\[/QUOTE\]\s*", re.IGNORECASE | re.DOTALL)
_MINUTE = timedelta(minutes=1)  # as fine as the forum tells times
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a folder: `people` are the sender of a received, the recipients of a sent message."""

    id: str
    subject: str
    people: tuple[str, ...]
    when: DateText


class Mailbox:
    """The messages of the account that `fetch` signs in with.

    `fetch` gives a page's tree, `download` the forum's export of all messages as XML, `zone` that of a page's times, `me` our
    name, `now` the present moment.
    """

    def __init__(
        self,
        base_url: str,
        fetch: Callable[[str], Tree],
        download: Callable[[], str],
        zone: Callable[[Tree], tzinfo],
        me: Callable[[], str],
        now: Callable[[], datetime],
    ) -> None:
        self.base_url, self.fetch, self.download, self.zone, self.me, self.now = base_url, fetch, download, zone, me, now

    def messages(self, folder: str, since: datetime | None, known: Collection[str]) -> list[Message]:
        """Messages of a folder at or after `since` whose ids are not in `known`, oldest first."""
        rows, times, zone = self._listed(folder, since, known)
        exported = self._exported(folder, zone) if rows else []
        read = [self._message(row, times[row.id], since, folder, exported) for row in rows]
        fresh = [one for one in read if since is None or one.sent_at is None or one.sent_at + _MINUTE > since]
        return sorted(fresh, key=lambda message: int(message.id))

    def _listed(
        self, folder: str, since: datetime | None, known: Collection[str]
    ) -> tuple[list[_Row], dict[str, list[datetime]], tzinfo]:
        """The rows that may be new, newest first, when each may have been sent by what the list tells, and the list's zone."""
        url: str | None = f"{self.base_url}private.php?folderid={folder}&sort=date"
        rows: dict[str, _Row] = {}
        times: dict[str, list[datetime]] = {}
        seen: set[str] = set()
        for _ in range(MOST_PAGES):
            tree = self.fetch(url or "")
            if tree.find(".//form[@name='vbform']") is None and not tree.xpath("boolean(//a[contains(@href, 'private.php')])"):
                raise TryAgain(f"The forum shows no mailbox. It says: {notice_of(tree) or visible(tree.find('.//title'))[:100]}")
            zone = self.zone(tree)
            found = [row for row in _rows(tree) if row.id not in seen]
            seen |= {row.id for row in found}
            dates = DateReader(timezone=zone, now=self.now(), languages=(language_of(tree),))
            dates.learn([row.when for row in reversed(found)])
            times |= {row.id: self._moments(row.when, dates, zone) for row in found}
            new = {row.id: row for row in found if row.id not in known and not _older(times[row.id], since)}
            rows |= new
            following = next((str(a.get("href")) for a in tree.iter("a") if a.get("rel") == "next"), None)
            url = join(url or "", following) if following and found and len(new) == len(found) else None
            if url is None:
                break
        return list(rows.values()), times, zone

    def _moments(self, when: DateText, dates: DateReader, zone: tzinfo) -> list[datetime]:
        """What a date in a list may mean, as `dates` reads it first: no page tells whether 2-11 is in February or in November."""
        others = [DateReader(timezone=zone, now=self.now(), languages=order) for order in (("en",), ("en-gb", "en"))]
        found = dict.fromkeys(moment for one in (dates, *others) if (moment := one.read(when)) is not None)
        return [moment for moment in found if moment <= self.now() + _DAY] or list(found)

    def _exported(self, folder: str, zone: tzinfo) -> list[Message]:
        text = re.sub(r"^\s*<\?xml[^>]*\?>", "", self.download())
        if not looks_like_xml(text[:4000]):
            return []
        try:
            read = list(read_xml(io.BytesIO(text.encode()), "download", Reading(zone, self.now(), lambda _: None)))
        except SourceError:
            return []
        me = self.me().casefold()
        return [one for one in read if (one.sender.casefold() == me) == (folder == SENT)]

    def _message(
        self, row: _Row, listed: list[datetime], since: datetime | None, folder: str, exported: list[Message]
    ) -> Message:
        """The message of a row: as exported where exactly one fits, else from its page, which marks it as read."""
        fits = [one for one in exported if _fits(one, row, listed, folder)]
        url = f"{self.base_url}private.php?do=showpm&pmid={row.id}"
        if len(fits) == 1:
            body, sent_at, subject = fits[0].body, fits[0].sent_at, fits[0].subject
            people = fits[0].recipients if folder == SENT else (fits[0].sender,)
        else:
            sent_at = next((moment for moment in listed if not _older([moment], since)), None)
            body, subject, people = _opened(self.fetch(url), row), row.subject, row.people or ("",)
        sender, to = (self.me(), people) if folder == SENT else (people[0], (self.me(),))
        return Message(row.id, sender, to, sent_at, subject, body, url)


def _older(listed: list[datetime], since: datetime | None) -> bool:
    """Whether the list's own date is well before `since`, a day, whatever order its numbers may have."""
    return since is not None and bool(listed) and max(listed) < since - _DAY


def _fits(one: Message, row: _Row, listed: list[datetime], folder: str) -> bool:
    names = {name.casefold() for name in (one.recipients if folder == SENT else (one.sender,))}
    if one_line(one.subject) != row.subject or not {name.casefold() for name in row.people} <= names:
        return False
    return not listed or one.sent_at is None or any(abs(one.sent_at - moment) <= _MINUTE for moment in listed)


def _opened(tree: Tree, row: _Row) -> str:
    """The source of a message from the answer that its page offers, which quotes it; else what the page shows."""
    source = next((area for area in tree.iter("textarea") if area.get("name") == "message"), None)
    quoted = _QUOTED.fullmatch("".join(source.itertext())) if source is not None else None
    if quoted:
        return quoted[1].replace("\r\n", "\n").strip()
    body = next((div for div in tree.iter("div") if (div.get("id") or "").startswith("post_message_")), None)
    if body is None:
        raise TryAgain(f"The message “{row.subject[:80]}” could not be opened. The forum says: {notice_of(tree) or 'nothing'}")
    return read_markup(words_of_post(body), authors=()).bbcode


def _rows(tree: Tree) -> list[_Row]:
    rows: dict[str, _Row] = {}
    for link in tree.iter("a"):
        told = _SHOWN.search(link.get("href") or "")
        if told is None or told[1] in rows or not visible(link):
            continue
        line = next((e for e in link.iterancestors("td", "li") if _ROW.fullmatch(e.get("id") or "")), None)
        if line is None:
            line = next(link.iterancestors("tr", "li"), link.getparent())
        rows[told[1]] = _Row(told[1], one_line(visible(link)), _people(line), _when(line))
    return list(rows.values())


def _people(line: Tree) -> tuple[str, ...]:
    """Whom a line names: in 4 by class, in 3 by what a click on the name opens."""
    named = [e for e in line.iter("a", "span") if "username" in (e.get("class") or "").split()]
    if not named:
        named = [e for e in line.iter("a", "span") if "member.php" in (e.get("onclick") or e.get("href") or "")]
    return tuple(dict.fromkeys(one_line(visible(e)) for e in named if visible(e)))


def _when(line: Tree) -> DateText:
    """The line's date and hour, which stand apart."""
    dates = [e for e in line.iter("span", "div") if "date" in (e.get("class") or "").split()]
    if dates:
        whole = visible(dates[0])
    else:
        marked = [e for e in line.iter("span") if {"smallfont", "time"} & set((e.get("class") or "").split())]
        whole = ", ".join(dict.fromkeys(visible(e) for e in marked if visible(e)))
    if not re.search(r"\d[:.h]\d\d", whole):
        hours = [visible(e) for e in line.iter("span") if "time" in (e.get("class") or "").split()]
        whole = f"{whole}, {hours[0]}" if hours else whole
    return DateText(whole)
