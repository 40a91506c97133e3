"""What comes by mail: exports in folders and folders on mail servers, and for whom a mail may speak.

A mail that does not vouch for its sender (docs/mail.md, "Who a mail is from") is kept under the address it came from, which is
nobody's account, and the GM is told how to count it. So it can be read and is never lost, but declares nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from scraper.model import BadInput, Message, SourceError
from scraper.trust import UNPROVEN, standing
from store.record import Record

if TYPE_CHECKING:
    from scraper.imap import Place

_SHOWN = 200  # letters of an order that a notice shows


@dataclass(frozen=True, slots=True)
class MailSource:
    """Where mail comes from and what is believed of it: `[mail]` in `game.toml`.

    `seats` are the accounts and mail addresses of the players, each with its player, newest last; `names` what else the GM calls
    them, under which text files may be saved. `trust` and `forum_addresses` as in `scraper.trust`.
    """

    paths: tuple[Path, ...]
    places: tuple[Place, ...]
    timezone: str
    seats: Mapping[str, str]
    trust: str = "review"
    forum_addresses: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def account_for(self, name: str) -> str:
        """The account of the player whom a file's name means: the name itself where it is one, else the newest main account."""
        accounts = {account.casefold() for account in self.seats}
        player = {each.casefold(): player for each, player in self.names.items()}.get(name.casefold())
        own = [account for account, holder in self.seats.items() if holder == player and "@" not in account]
        return own[-1] if name.casefold() not in accounts and own else name


def from_servers(source: MailSource, record: Record, now: datetime) -> Iterable[Message]:
    """What is new in the folders on mail servers. They are asked before this returns. Raises SourceError."""
    since = begun(record, now)
    found: list[Message] = []
    notes: list[str] = []
    marks: dict[str, dict[str, int]] = {}
    if source.places:
        from scraper.imap import ImapFolder, password_for
    for place in source.places:
        folder = ImapFolder(place, password_for(place))
        zone = ZoneInfo(source.timezone)
        names = {*source.seats, *source.names}
        found += folder.messages(record.bookmark(place.name), timezone=zone, note=notes.append, since=since, players=names)
        marks[place.name] = folder.bookmark
    return _kept(source, found, notes, marks, record, now)


def begun(record: Record, now: datetime) -> datetime:
    """Since when messages are the game's: `opens` may be days after it was begun, and players write before."""
    phases, started = record.phases(), record.fact("started")
    opened = phases[0].opened_at if phases else now
    return min(opened, datetime.fromisoformat(started)) if started is not None else opened


def _kept(
    source: MailSource, found: list[Message], notes: list[str], marks: Mapping[str, dict[str, int]], record: Record, now: datetime
) -> Iterator[Message]:
    yield from believed(source, found, record, now)
    for note in notes:
        record.notice(now, note)
    for name, mark in marks.items():
        if mark != record.bookmark(name):
            record.set_bookmark(name, mark)  # together with the messages, or not at all


def from_files(source: MailSource, record: Record, now: datetime) -> Iterator[Message]:
    """All messages of the exports in the mail folders, where one has changed since they were last read."""
    paths = [path for path in source.paths if path.exists()]
    files = sorted(file for path in paths for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
    mark = [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
    if not files or mark == record.bookmark("mail"):
        return
    from scraper.mail import read_mail

    notes: list[str] = []
    names = {*source.seats, *source.names}
    trouble = ""
    try:
        read = read_mail(paths, timezone=ZoneInfo(source.timezone), notes=notes, now=now, players=names)
        yield from believed(source, _of_the_game(source, read, record, now), record, now)
    except (SourceError, BadInput) as error:
        advice = f" {error.advice}" if isinstance(error, SourceError) and error.advice else ""
        trouble = f"{error}{advice} The other exports were read."  # one damaged file stops neither the rest nor the game
    stamps = {_shown(file, paths): f"{size} {changed}" for file, (_, size, changed) in zip(files, mark, strict=True)}
    phase = len(record.phases())
    for note in notes:
        # A mailbox is read again whenever a mail is added to it: what was said of one of its mails holds; what is said of the
        # whole file may be of new orders, and in a later phase both may be.
        about = max((one for one in stamps if note.startswith((f"{one} ", f"{one}: ", f"{one}/"))), key=len, default="")
        if not record.was_told(key := f"mail {phase} {stamps.get(about, '')} {note}"):
            record.tell(key)
            record.notice(now, note)
    if trouble:
        record.notice(now, trouble)
    record.set_bookmark("mail", mark)  # together with the messages, or not at all


def _shown(file: Path, paths: Iterable[Path]) -> str:
    """What notes call a file of the mail folders: by its name, and that of the folder it is in."""
    folder = next((path for path in paths if path in file.parents), file)
    return file.name if folder == file else str(folder.name / file.relative_to(folder))


def _of_the_game(source: MailSource, messages: Iterable[Message], record: Record, now: datetime) -> Iterator[Message]:
    """The messages without those of strangers that are older than the game: a mailbox may hold ten years of them."""
    since = begun(record, now) - timedelta(days=1) if record.phases() else None
    for message in messages:
        old = since is not None and message.sent_at is not None and message.sent_at < since
        if not old or standing(message, source.seats).player is not None:
            yield message


def believed(source: MailSource, messages: Iterable[Message], record: Record, now: datetime) -> Iterator[Message]:
    """The messages under the account for which each may speak; the GM is told of new ones that may not for whom they claim to."""
    kept = record.message_ids()
    accounts = {account.casefold() for account in source.seats}
    for message in messages:
        if message.origin == "file":
            yield replace(message, sender=source.account_for(message.sender))
            continue
        found = standing(message, source.seats, trust=source.trust, forum_addresses=source.forum_addresses)
        address = message.origin.partition(" ")[2]
        if found.sure:
            # a mail that shows another name than any account's counts for its address
            known = message.sender.casefold() in accounts or address.casefold() not in accounts
            yield message if known else replace(message, sender=address)
            continue
        if message.id not in kept:
            said = " ".join(message.body.split())[:_SHOWN]
            record.notice(
                now,
                f"A message that calls itself {found.player}'s does not count. {found.why} It says: “{said}” ({message.source}). "
                f'If it is {found.player}\'s, count it with: nightpost gm "order {found.player}: …"',
            )
        yield replace(message, sender=f"{UNPROVEN} {address}".rstrip())
