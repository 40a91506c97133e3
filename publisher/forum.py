"""A live forum as an outlet: the thread read page by page, only where something may be new; posts and messages sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

from publisher.delivery import THREAD, Folders
from scraper.forum import Forum, same_words
from scraper.model import Message, Post, SourceError
from scraper.thread import Bookmark, follow
from store.record import Draft, Record

if TYPE_CHECKING:
    from desk.settings import Settings

OVERLAP = timedelta(hours=12)
"""How far back messages are listed again: one that was on its way when we last looked is not missed."""


class ForumOutlet:
    """A game's thread and private messages on its forum."""

    def __init__(self, settings: Settings, forum: Forum, topic: str) -> None:
        self.settings, self.forum, self.topic = settings, forum, topic

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        """What is new, changed or gone since last time: one request where nothing is, however long the topic."""
        kept = record.bookmark("thread")
        followed = follow(self.forum, self.topic, Bookmark.from_json(kept) if kept else None)
        if followed.shifted:
            record.notice(
                now, f"Posts moved by {followed.shifted} places: a moderator split, merged or deleted. Nothing was lost."
            )
        if followed.page.locked:
            record.notice(now, "The topic is locked: nothing can be posted until a moderator opens it.")
        authors = record.authors(followed.gone)
        yield from (*followed.changed, *followed.new)
        for post in followed.gone:
            yield Post(post, None, authors.get(post, ""), None, None, None, None, "", "", deleted=True)
        record.set_bookmark("thread", followed.bookmark.as_json())

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        """Private messages not yet kept, and those of the mail folders."""
        return chain(self._forum_messages(record), Folders(self.settings).messages(record, now))

    def _forum_messages(self, record: Record) -> Iterator[Message]:
        if not self.settings.mail.forum or self.forum.who_am_i() is None:
            return
        last = record.bookmark("messages")
        since = datetime.fromisoformat(last) - OVERLAP if last else None
        newest = last
        for message in self.forum.messages(since, record.message_ids()):
            yield message
            if message.sent_at is not None:
                newest = max(newest or "", message.sent_at.isoformat())
        if newest != last:
            record.set_bookmark("messages", newest)

    def find(self, draft: Draft) -> tuple[str, str] | None:
        """This draft where it already stands: in the thread's newest pages, or among the messages sent."""
        if draft.audience == THREAD:
            post = self.forum.find_own_post(self.topic, draft.body)
            return None if post is None else (post.id, post.url or "")
        to = self._account(draft.audience)
        for message in self.forum.sent_messages():
            if to in message.recipients and message.subject == draft.title and same_words(message.body, draft.body):
                return message.id, ""
        return None

    def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
        """Reply, edit or message. Raises SourceError; what may have arrived all the same is looked for next time."""
        if draft.audience != THREAD:
            self.forum.send_message(self._account(draft.audience), draft.title, draft.body)
            return "", ""
        sent = self.forum.edit(standing, draft.body) if standing else self.forum.reply(self.topic, draft.body)
        if sent.id is not None:
            return sent.id, sent.url or ""
        found = self.find(draft)
        if found is None:
            raise SourceError("The forum took a post and does not show it yet.", advice="The next tick looks for it again.")
        return found

    def _account(self, player: str) -> str:
        return next(one.accounts[0] for one in self.settings.players if one.name == player)


def open_outlet(settings: Settings) -> ForumOutlet:
    """The forum named in a game's settings, read and written as the host where environment or keyring have an account for it.

    NIGHTPOST_USER and NIGHTPOST_PASSWORD, else the system keyring under `nightpost`. Raises SourceError.
    """
    from zoneinfo import ZoneInfo

    from scraper.forum import open_forum
    from scraper.session import Session

    assert settings.thread.url is not None
    forum, topic = open_forum(
        settings.thread.url, Session(contact=settings.contact or ""), timezone=ZoneInfo(settings.thread.timezone)
    )
    user = os.environ.get("NIGHTPOST_USER", settings.host)
    password = os.environ.get("NIGHTPOST_PASSWORD") or _keyring(user)
    if password:
        forum.use_account(user, password)
    return ForumOutlet(settings, forum, topic)


def _keyring(user: str) -> str | None:
    import keyring
    import keyring.errors

    try:
        return keyring.get_password("nightpost", user)
    except keyring.errors.KeyringError:
        return None
