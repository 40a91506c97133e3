"""A live forum as an outlet: the thread read page by page, only where something may be new; posts and messages sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

from publisher.delivery import FORUM_HOST, LOOKED, THREAD, Attempt, Folders, accounts_of, forum_host, number_of
from publisher.mailing import begun
from scraper.forum import Forum, LoginFailed, NeedsApproval, NotYet, same_words
from scraper.model import BadInput, Message, Post, SourceError, iso
from scraper.thread import Bookmark, Followed, follow
from store.record import SHIFT, Record
from store.seats import is_one_of

if TYPE_CHECKING:
    from desk.settings import Settings

OVERLAP = timedelta(hours=12)
"""How far back messages are listed again: one that was on its way when we last looked is not missed."""
AT_ONCE = 50
"""How many pages are read before they are kept."""
CLOCK = "clock"
"""The bookmark that holds how many seconds the forum's clock is ahead of this machine's, where that is much."""
LOCKED = "The topic is locked: nothing can be posted until a moderator opens it."
COOKIES = ".cookies"
"""The file in the game's folder that keeps us signed in between ticks: for its owner's eyes only."""


class ForumOutlet:
    """A game's thread and private messages on its forum. `member` says that there is an account to read messages with."""

    def __init__(self, settings: Settings, forum: Forum, topic: str, *, member: bool = False) -> None:
        self.settings, self.forum, self.topic, self.member = settings, forum, topic, member
        self.record: Record | None = None

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        """What is new, changed or gone since last time: one request where nothing is, however long the topic; where the phase is
        to be closed (`LOOKED` is None) one for each page of it.

        The forum is asked before this returns, so that nobody waits for it with the record in hand. Of a long stretch all but
        the end is put into the record on the way: what has been read once is not asked for again.
        """
        self.record = record
        self._same_topic(record, now)
        since = self._begin_again(record)
        while True:
            kept = record.bookmark(THREAD)
            known = Bookmark.from_json(kept) if kept else None
            followed = follow(self.forum, self.topic, known, since=since, most=AT_ONCE)
            followed = self._timed(followed, record.time_of(known.last_post) if known and known.last_post else None)
            page, before = followed.page, kept["page"] if kept else 0
            if page.page >= page.pages or page.page <= before or followed.bookmark.falling:
                return self._taken(followed, record, now)
            record.add_posts(self._taken(followed, record, now), now)

    def _timed(self, followed: Followed, before: datetime | None) -> Followed:
        """The same with the times of new posts to the second, where the forum tells them better elsewhere.

        A post of which only the minute is known is not put before the one above it, of which the second is (`before` is that of
        the newest post known).
        """
        times = self.forum.exact_times(self.topic, followed.new) if followed.new else {}
        new: list[Post] = []
        for post in followed.new:
            at = times.get(post.id, post.posted_at)
            if at is not None and before is not None and at == before.replace(second=0, microsecond=0):
                at = before
            new.append(replace(post, posted_at=at))
            before = at or before
        return replace(followed, new=tuple(new))

    def _begin_again(self, record: Record) -> str | None:
        """The first post of the open phase, where all of it is to be read again: an edit or a deletion on an earlier page shows
        nowhere else.
        """
        phases = record.phases()
        if record.bookmark(LOOKED) is not None or not phases or not self.settings.ruleset().votes_in_thread:
            return None
        return record.first_post(phases[-1].opened_at)

    def _same_topic(self, record: Record, now: datetime) -> None:
        """A topic that `game.toml` names anew is read from its first post; what was read of the old one is kept."""
        kept = record.bookmark(THREAD)
        if kept is not None and str(kept["topic"]) != self.topic:
            record.set_bookmark(THREAD, None)
            text = "game.toml names another topic than before: it is read from its first post, and posted to from now on."
            record.notice(now, text)

    def _taken(self, followed: Followed, record: Record, now: datetime) -> Iterator[Post]:
        """The posts, and with them in one go how far the thread is read and what the GM should know of it."""
        authors = record.authors(followed.gone)
        yield from (*followed.changed, *followed.new)
        for post in followed.gone:
            yield Post(post, None, authors.get(post, ""), None, None, None, None, "", "", deleted=True)
        record.set_bookmark(THREAD, followed.bookmark.as_json())
        if record.bookmark(LOOKED) is None:
            record.set_bookmark(LOOKED, iso(now))
        record.set_fact("forum", self.forum.kind)  # MyBB makes one post of several
        record.set_fact(FORUM_HOST, forum_host(self.settings))
        for note in (*_moved(followed), *_undated(followed), *self._changed(followed, record)):
            record.notice(now, note)

    def _changed(self, followed: Followed, record: Record) -> Iterator[str]:
        """What is otherwise than at the last look, in sentences: whether the topic is locked, its pages, the forum's clock."""
        locked = followed.page.locked
        if locked != bool(record.bookmark("locked")):
            record.set_bookmark("locked", locked)
            yield LOCKED if locked else "The topic is open again."
        notes = list(followed.page.notes)
        if notes != (record.bookmark("page notes") or []):
            record.set_bookmark("page notes", notes)
            yield from notes
        shift = self.forum.clock_shift()
        seconds = round(shift.total_seconds()) if shift is not None and abs(shift) > SHIFT else 0
        if shift is not None and abs(seconds - (record.bookmark(CLOCK) or 0)) >= 60:
            record.set_bookmark(CLOCK, seconds)
            yield _clock_words(round(seconds / 60))

    def known_until(self, now: datetime) -> datetime:
        """The thread has just been read."""
        return now

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        """Private messages not yet kept, and those of the mail folders. The forum is asked before this returns."""
        return chain(self._forum_messages(record, now), Folders(self.settings).messages(record, now))

    def _forum_messages(self, record: Record, now: datetime) -> Iterable[Message]:
        if not self.settings.mail.forum:
            return ()
        last = record.bookmark("messages")
        began = begun(record, now).replace(second=0, microsecond=0)  # pages may tell no seconds
        since = max(began, datetime.fromisoformat(last) - OVERLAP) if last else began
        try:
            found = list(self.forum.messages(since, record.message_ids()))
        except NotYet as error:
            if self.member and not record.was_told("no messages"):
                record.tell("no messages")
                record.notice(now, f"{error} {error.advice}")
            return ()
        except LoginFailed as error:
            raise error if self.member else _no_password() from error
        times = [message.sent_at.isoformat() for message in found if message.sent_at is not None]
        return self._kept(found, record, last, max([last or "", *times]))

    def _kept(self, found: list[Message], record: Record, last: str | None, newest: str) -> Iterator[Message]:
        yield from found
        if newest and newest != last:
            record.set_bookmark("messages", newest)  # together with the messages, or not at all

    def find(self, attempt: Attempt) -> tuple[str, str] | None:
        """What was sent, where it stands: among our own posts above those known then, or among the messages sent since."""
        if attempt.audience == THREAD:
            post = self.forum.find_own_post(self.topic, attempt.body, attempt.after)
            if post is None or (post.deleted and attempt.refused):
                return None
            if post.deleted:
                raise NeedsApproval
            return post.id, post.url or ""
        since = None if attempt.since is None else attempt.since - OVERLAP
        found = [
            message.id
            for message in self.forum.sent_messages(since)
            if is_one_of(message.recipients, attempt.to) and same_words(message.body, attempt.body)
        ]
        above = [id_ for id_ in found if attempt.after is None or number_of(id_) > number_of(attempt.after)]
        return (max(above, key=number_of), "") if above else None

    def send(self, draft: Attempt, standing: str | None) -> tuple[str, str]:
        """Reply, edit or message; no id where the forum does not tell it. Raises SourceError."""
        if draft.audience != THREAD:
            self.forum.send_message(draft.to[0], draft.title, draft.body)
            return "", ""
        sent = self.forum.edit(standing, draft.body) if standing else self.forum.reply(self.topic, draft.body)
        return sent.id or "", sent.url or ""

    def accounts(self, player: str) -> tuple[str, ...]:
        """Those in `game.toml`, or of who has taken over since."""
        return accounts_of(self.settings, self.record, player)


def _no_password() -> SourceError:
    """A guest reads the thread and no order: a phase must not be closed on that."""
    return SourceError(
        "There is no password for the host's account, so private messages cannot be read.",
        advice="Set NIGHTPOST_USER and NIGHTPOST_PASSWORD where Nightpost is started; cron knows only what its own table says. "
        "Where no orders come by private message, write `forum = false` under [mail] in game.toml. Nothing was counted, and "
        "nothing is lost.",
    )


def _moved(followed: Followed) -> Iterator[str]:
    """What moderators did to posts that were read before, in sentences."""
    if followed.shifted:
        yield f"Posts moved by {followed.shifted} places: a moderator split, merged or deleted. Nothing was lost."
    if followed.gone:
        yield f"{len(followed.gone)} posts that were read stand no more: deleted or moved. The record keeps them."


def _undated(followed: Followed) -> Iterator[str]:
    """What was taken without a time of its own, in a sentence."""
    posts = [post for post in (*followed.new, *followed.changed) if post.posted_at is None and not post.deleted]
    if posts:
        shown = ", ".join(post.url or f"#{post.id}" for post in posts[:3])
        more = f" and {len(posts) - 3} more" if len(posts) > 3 else ""
        yield f"No time could be read of {shown}{more}: what is new there counts as made when it was first seen."


def _clock_words(minutes: int) -> str:
    if not minutes:
        return "The forum's clock and this machine's agree again."
    side = "ahead of" if minutes > 0 else "behind"
    return f"The forum's clock is {abs(minutes)} minutes {side} this machine's. Deadlines go by the forum's times."


def open_outlet(settings: Settings) -> ForumOutlet:
    """The forum named in a game's settings, read and written as the host where environment or keyring have an account for it.

    NIGHTPOST_USER and NIGHTPOST_PASSWORD, else the system keyring under `nightpost`. Where the forum takes an API key and one is
    there (NIGHTPOST_API_KEY, else the keyring under `nightpost-api`), that is used and no password. Raises SourceError, and
    BadInput where the account is a player's.
    """
    from zoneinfo import ZoneInfo

    from scraper.forum import open_forum
    from scraper.session import Session

    assert settings.thread.url is not None
    user = os.environ.get("NIGHTPOST_USER", settings.host)
    password, key = os.environ.get("NIGHTPOST_PASSWORD") or _keyring(user), os.environ.get("NIGHTPOST_API_KEY")
    session = Session(contact=settings.contact or "", cookie_file=settings.folder / COOKIES if password else None)
    zone, kind = ZoneInfo(settings.thread.timezone), settings.thread.kind
    forum, topic = open_forum(settings.thread.url, session, kind=kind, timezone=zone)
    if (seat := settings.seat_of(user)) is not None and forum.kind != "smf":  # whose log-ins are no shown names
        raise BadInput(
            f"NIGHTPOST_USER is {user}, the account of {seat}, who plays in this game: it must be that of the host, "
            f"{settings.host}. Nothing was read or posted."
        )
    if forum.takes_key and (key := key or _keyring(user, "nightpost-api")):
        forum.use_key(user, key, settings.host)
    elif password:
        forum.use_account(user, password, settings.host)
    return ForumOutlet(settings, forum, topic, member=bool(password or (key and forum.takes_key)))


def _keyring(user: str, service: str = "nightpost") -> str | None:
    import keyring
    import keyring.errors

    try:
        return keyring.get_password(service, user)
    except keyring.errors.KeyringError:
        return None
