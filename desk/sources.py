"""`read`, `mail` and `check`: what the GM names, found and handed to the readers."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from desk.notes import SaidOnce
from desk.patience import REFUSED
from desk.places import local
from desk.reading import no_zone
from desk.settings import Settings
from desk.watch import said_in
from engine.game import nearest
from scraper.mail import read_mail
from scraper.model import BadInput, Post, SourceError
from scraper.saved import SavedThread, read_saved
from store.record import Record
from store.seats import Seats

if TYPE_CHECKING:
    from scraper.imap import Place

_MOST_STRANGERS = 20
"""So many names that are nobody's account are told one by one: a whole mailbox holds hundreds."""


def saved_posts(sources: Sequence[str], *, forum: str | None, timezone: str, now: str | None) -> SavedThread:
    """The posts of the topic whose saved pages `sources` are; a folder stands for the HTML files in it.

    `now` is ISO 8601, in `timezone` where it has no offset; without it each file's own time counts. Raises BadInput, and
    SourceError for a page that is not of the topic.
    """
    zone = zone_called(timezone)
    pages = [page for source in sources for page in _pages(source)]
    if now:
        return read_saved(pages, forum=forum, timezone=zone, now=_moment(now, zone))
    return read_saved(pages, forum=forum, timezone=zone, now=_written(pages), dated=True)


def is_address(source: str) -> bool:
    """Whether `source` is a topic's address and no file."""
    return source.startswith(("https://", "http://"))


def live_posts(url: str, *, timezone: str, forum: str | None = None) -> Iterator[Post]:
    """The posts of the topic at `url`, page by page as they are read, each once.

    Signed in as NIGHTPOST_USER where NIGHTPOST_PASSWORD is set, or NIGHTPOST_API_KEY for a forum that takes one; else as a guest.
    Raises BadInput and SourceError, whose advice speaks of no tick: here is none.
    """
    try:
        yield from _live_posts(url, forum, timezone)
    except SourceError as error:
        if "tick" in error.advice:
            error.advice = "Is the address right, as your browser shows it? Otherwise call `nightpost read` again later."
        raise


def _live_posts(url: str, kind: str | None, timezone: str) -> Iterator[Post]:
    from scraper.forum import open_forum
    from scraper.session import Session

    forum, topic = open_forum(url, Session(), kind=kind, timezone=zone_called(timezone))
    user, password, key = (os.environ.get(f"NIGHTPOST_{name}") for name in ("USER", "PASSWORD", "API_KEY"))
    if user and key and forum.takes_key:
        forum.use_key(user, key)
    elif user and password:
        forum.log_in(user, password)
    number, per_page, seen = 1, None, set[str]()
    while True:
        page = forum.page(topic, number, per_page=per_page)
        for post in page.posts:
            if post.id not in seen and not post.deleted:
                seen.add(post.id)
                yield post
        if page.page >= page.pages or page.page < number:
            return
        number, per_page = page.page + 1, page.per_page or per_page


@dataclass(slots=True)
class Look:
    """What `check` saw of a game's sources, in sentences; those that begin with "!" are for the GM to mend."""

    told: list[str] = field(default_factory=list)
    unreachable: bool = False
    """Whether a source could not be reached, or could not be read as it is."""

    def trouble(self, error: Exception) -> None:
        """Note why a source could not be looked at; the others still are."""
        self.told.append(f"! {error} {getattr(error, 'advice', '')}".rstrip())
        self.unreachable |= isinstance(error, SourceError)


def reached(settings: Settings, now: datetime) -> Look:
    """Every source of the game tried once: the thread, the forum's messages, the mail folders. One that fails hides no other."""
    look = Look()
    seats = _seats(settings)
    try:
        look.told += _saved_seen(settings, seats) if settings.thread.url is None else _forum_seen(settings, now)
    except (BadInput, SourceError) as error:
        look.trouble(error)
    said = SaidOnce()
    for path in settings.mail.paths:
        _mail_seen(settings, seats, path, now, look, said)
    for place in settings.mail.servers:
        _server_seen(settings, place, now, look)
    return look


def _seats(settings: Settings) -> Seats:
    """Who speaks for whom, also in a game in which seats have been taken over."""
    if not settings.database.exists():
        return Seats.of(settings.players, ())
    record = Record(settings.database)
    entries = record.entries()
    record.close()
    return Seats.of(settings.players, entries)


def _saved_seen(settings: Settings, seats: Seats) -> Iterator[str]:
    saved = settings.thread.saved
    assert saved is not None
    if not saved.is_dir() or not any(saved.iterdir()):
        yield f"! There are no saved pages in {saved} yet."
        return
    thread = saved_posts([str(saved)], forum=settings.thread.kind, timezone=settings.thread.timezone, now=None)
    yield f"Saved pages: {thread.title}, {len(thread.posts)} posts."
    yield from (f"! {note}" for note in thread.notes)
    declared = [post.author for post in thread.posts if said_in(post.bbcode)]
    yield from _strangers(settings, seats, declared, "declares in the thread")


def _forgive_log_in(settings: Settings) -> None:
    """The log-in works: a tick need not hold back any more after one that was refused."""
    if settings.database.exists():
        record = Record(settings.database)
        record.set_bookmark(REFUSED, None)
        record.close()


def _forum_seen(settings: Settings, now: datetime) -> Iterator[str]:
    from publisher.forum import open_outlet

    outlet = open_outlet(settings)
    page = outlet.forum.page(outlet.topic)
    me = outlet.forum.who_am_i()
    yield f"Thread: {page.title}, {page.pages} {'page' if page.pages == 1 else 'pages'}."
    if me is None:
        yield "! Not signed in: set NIGHTPOST_USER and NIGHTPOST_PASSWORD, so that posts can be made and messages read."
    elif me.casefold() != settings.host.casefold():
        yield f"! Signed in as {me}, but `host` in game.toml is {settings.host}."
    if page.locked:
        yield "! The topic is locked for this account."
    if me is not None:
        _forgive_log_in(settings)
    if me is not None and settings.mail.forum:
        next(iter(outlet.forum.messages(now)), None)  # the list is looked at, no message is opened
        yield "Private messages: can be read."


def _mail_seen(settings: Settings, seats: Seats, path: Path, now: datetime, look: Look, said: SaidOnce) -> None:
    if not path.exists():
        if path == settings.folder / "mail":  # `may_not_work` has told of any other
            look.told.append(f"Mail: {path} is not there yet; exports dropped there will be read.")
        return
    if path.is_dir() and not any(path.iterdir()):
        look.told.append(f"Mail: {path} is empty; exports dropped there will be read.")
        return
    notes: list[str] = []
    senders: list[str] = []
    called: dict[str, str] = {}
    failed: Exception | None = None
    zone, count = ZoneInfo(settings.mail.timezone), 0
    names = {name for player, others in seats.names().items() for name in (player, *others)}
    try:
        for message in read_mail([path], timezone=zone, notes=notes, now=now, players=names):
            if message.origin != "file":  # those are called by names that the GM chose
                kind, _, address = message.origin.partition(" ")
                by_address = kind.endswith("mail") and "@" in address and settings.mail.trust == "review"
                senders.append(address if by_address else message.sender)  # a mail's name speaks for nobody
                called[senders[-1]] = message.sender
            count += 1
    except (BadInput, SourceError) as error:
        failed = error
    look.told.append(f"Mail: {path}, {count} messages.")
    look.told += [f"! {fresh}" for note in notes if (fresh := said(note))]
    if failed is not None:
        look.trouble(failed)
    look.told += _strangers(settings, seats, senders, "writes messages", called)


def _server_seen(settings: Settings, place: Place, now: datetime, look: Look) -> None:
    from scraper.imap import ImapFolder, password_for

    try:
        folder = ImapFolder(place, password_for(place))
        today = sum(1 for _ in folder.messages(None, timezone=ZoneInfo(settings.mail.timezone), note=look.told.append, since=now))
    except (BadInput, SourceError) as error:
        look.trouble(error)
        return
    look.told.append(f"Mail: {place.name} can be read; {today} mails since yesterday.")


def _strangers(
    settings: Settings, seats: Seats, names: Iterable[str], what: str, called: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    """A sentence about each name that is and was no player's account, with the nearest player; those near to one come first.

    `called` is how those who are known by a mail address call themselves: addresses of one provider are all alike.
    """
    accounts = {one.account: one.player for one in seats.tenures}
    seated = {settings.host.casefold(), *map(str.casefold, accounts)}
    words = [account for account in accounts if "@" not in account]
    found = [
        (nearest(called.get(name, name).partition("@")[0], words), name, count) for name, count in Counter(names).items()
        if name.casefold() not in seated
    ]  # fmt: skip
    for near, name, count in sorted(found, key=lambda one: one[0] is None)[:_MOST_STRANGERS]:
        hint = f"; is it {accounts[near]}?" if near else "."
        player = next((one for one in settings.players if near and one.name == accounts[near]), None)
        known = json.dumps([*(player.accounts if player else ("PRESENT ACCOUNT",)), name], ensure_ascii=False)
        whose = f"{player.name}'s" if player else "the player's"
        advice = f"If it is a player's, put into the braces of {whose} line under [players]: account = {known}"
        yield f"! {name} {what} ({count}), and is nobody's account{hint} {advice}"
    if len(found) > _MOST_STRANGERS:
        yield f"! {len(found) - _MOST_STRANGERS} more are nobody's account."


def changed_since_start(settings: Settings) -> list[str]:
    """A sentence for the GM where what began as one game has become another in `game.toml`."""
    if not settings.database.exists():
        return []
    record = Record(settings.database)
    kept = record.fact("began with")
    record.close()
    changed = settings.changed_since(json.loads(kept)) if kept else []
    return [f"! No longer as the game began: {', '.join(changed)}. Set it back in game.toml."] if changed else []


def may_not_work(settings: Settings, now: datetime) -> list[str]:
    """What in a game that can be played makes no game: what the ruleset warns of, a first phase that is over already, places
    for messages that are not there (the folder `mail`, which nobody had to name, may be missing), and for notices that are none.
    """
    told = settings.ruleset().warnings(settings.game)
    if not settings.database.exists():
        first = settings.ruleset().first_label(settings.game)
        ends = settings.clock.ends or settings.clock.deadline(settings.clock.opens or now, settings.hours(first.kind))
        if ends <= now:
            moment = local(ends, settings.clock.timezone)
            told.append(f"{first} would end at {moment}, which is past: set `opens` (and `ends`) in [clock].")
    named = {one.name.casefold(): one.name for one in settings.players}
    told += [
        f"{one.name}'s account `{account}` is what another player is called: a vote for that name fits both, and waits for you."
        for one in settings.players
        for account in one.accounts
        if named.get(account.casefold(), one.name) != one.name
    ]
    told += [
        f"[mail] paths: {path} does not exist yet; messages are read from it once it does."
        for path in settings.mail.paths
        if path != settings.folder / "mail" and not path.exists()
    ]
    from publisher.pager import VARIABLE, unusable

    told += [f"{VARIABLE}: address {place} is none that apprise knows: nothing is sent there." for place in unusable()]
    return told


def template_faults(settings: Settings) -> list[str]:
    """What is wrong with the GM's own templates: file, line, what, and the nearest right spelling."""
    if not settings.templates.is_dir():
        return []
    from publisher.drafts import program_of
    from publisher.proofreading import template_mistakes

    ruleset = settings.ruleset()
    facts = ruleset.posts.facts(ruleset.begin(settings.game))
    return template_mistakes(settings.game.ruleset, program_of(settings), settings.templates, facts)


def zone_called(name: str) -> ZoneInfo:
    """The time zone of that name. Raises BadInput."""
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise BadInput(no_zone(name)) from None


def _pages(source: str) -> list[Path]:
    path = Path(source)
    if not path.is_dir():
        return [path]
    files = sorted(path.iterdir())
    found = [one for one in files if one.suffix.lower() in (".html", ".htm", ".xhtml", ".php")]
    found = found or [one for one in files if one.suffix.lower() == ".json"]  # Discourse is saved so
    if not found:
        raise BadInput(f"{source}: there are no saved pages (.html) in this folder")
    return found


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--now is a date and time such as 2026-11-29T20:15:00Z, not `{text}`") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _written(pages: Sequence[Path]) -> datetime:
    try:
        return datetime.fromtimestamp(max(page.stat().st_mtime for page in pages), UTC)
    except OSError as error:
        raise BadInput(f"{error.filename}: this file cannot be read ({error.strerror})") from None
