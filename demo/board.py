"""What the practice forum holds: users, topics, posts, private messages, sessions. All in memory, all times in UTC."""

from __future__ import annotations

import copy
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

SESSION_IDLE = timedelta(hours=1)
FORM_AGE = 7200


@dataclass(slots=True)
class User:
    """An account. `wrong` counts wrong passwords since the last right one; `newest_first` is the reader's own preference.

    Whose posts are `moderated` is shown those that wait, where the forum `shows_held` to their author.
    """

    id: int
    name: str
    password: str
    signature: str = ""
    moderated: bool = False
    shows_held: bool = False
    newest_first: bool = False
    wrong: int = 0
    last_post: datetime | None = None
    last_message: datetime | None = None


@dataclass(slots=True)
class BoardPost:
    """A post as its author wrote it. An edit leaves a note (`edits` above 0) unless the post was then the newest."""

    id: int
    topic: int
    author: User
    subject: str
    text: str
    at: datetime
    approved: bool = True
    edits: int = 0
    edited_at: datetime | None = None

    def seen_by(self, user: User | None) -> bool:
        """Whether it is shown to `user`, None for anybody."""
        return self.approved or (user is self.author and self.author.shows_held)


@dataclass(slots=True)
class Topic:
    """A topic with its posts, oldest first."""

    id: int
    title: str
    locked: bool = False
    posts: list[BoardPost] = field(default_factory=list)

    def shown(self, to: User | None = None) -> list[BoardPost]:
        """The posts that players see, or `to`, by time and then by id."""
        return sorted((post for post in self.posts if post.seen_by(to)), key=lambda post: (post.at, post.id))


@dataclass(slots=True)
class BoardMessage:
    """A private message. It lies in its sender's outbox until the first of its recipients has opened it."""

    id: int
    sender: User
    recipients: tuple[User, ...]
    subject: str
    text: str
    at: datetime
    read_by: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Visit:
    """A reader's session; `user` is None for a guest."""

    sid: str
    user: User | None
    seen: datetime


_HELD = ("users", "topics", "messages", "visits", "keys", "last")


class Board:
    """The forum's memory, and the rules that are about its contents rather than about pages."""

    def __init__(self, clock: Callable[[], datetime], *, flood_seconds: float, per_page: int) -> None:
        self.clock, self.flood_seconds, self.per_page = clock, flood_seconds, per_page
        self.clear()

    def clear(self) -> None:
        """Hold nothing and number from the start."""
        self.users: dict[int, User] = {}
        self.topics: dict[int, Topic] = {}
        self.messages: dict[int, BoardMessage] = {}
        self.visits: dict[str, Visit] = {}
        self.keys: dict[str, User] = {}
        self._secret = secrets.token_hex(8)
        self.last = {"user": 59, "topic": 3, "post": 3, "message": 1}

    def memory(self) -> dict[str, Any]:
        """All that is held now, to be put back with `recall`."""
        return copy.deepcopy({name: getattr(self, name) for name in _HELD})

    def recall(self, memory: dict[str, Any]) -> None:
        """Hold what was held when `memory` gave this."""
        for name, value in copy.deepcopy(memory).items():
            setattr(self, name, value)

    def number(self, kind: str) -> int:
        """The next id of its kind; ids are never used twice."""
        self.last[kind] += 1
        return self.last[kind] - 1

    def user(self, name: str) -> User:
        """The user of this name, whatever the case. KeyError where there is none."""
        for user in self.users.values():
            if user.name.casefold() == name.casefold():
                return user
        raise KeyError(name)

    def add_user(self, name: str, password: str, signature: str) -> User:
        """Register an account."""
        user = User(self.number("user"), name, password, signature)
        self.users[user.id] = user
        return user

    def add_topic(self, title: str) -> Topic:
        """An empty topic."""
        topic = Topic(self.number("topic"), title)
        self.topics[topic.id] = topic
        return topic

    def find_post(self, post_id: int) -> BoardPost:
        """The post with this id, seen or not. KeyError where there is none."""
        for topic in self.topics.values():
            for post in topic.posts:
                if post.id == post_id:
                    return post
        raise KeyError(post_id)

    def add_post(self, topic: Topic, author: User, subject: str, text: str, at: datetime) -> BoardPost:
        """Append a post by `author`; held back for approval if that is how the author's posts are treated."""
        post = BoardPost(self.number("post"), topic.id, author, subject, text, at, approved=not author.moderated)
        topic.posts.append(post)
        return post

    def change_post(self, post: BoardPost, text: str, at: datetime, subject: str | None = None) -> None:
        """Edit: noted on the page unless the post is the newest of its topic."""
        newest = self.topics[post.topic].shown()[-1:] == [post]
        post.text = text
        post.subject = subject or post.subject
        if not newest:
            post.edits += 1
            post.edited_at = at

    def add_message(self, sender: User, recipients: tuple[User, ...], subject: str, text: str, at: datetime) -> BoardMessage:
        """Deliver a private message."""
        message = BoardMessage(self.number("message"), sender, recipients, subject, text, at)
        self.messages[message.id] = message
        return message

    def folder(self, user: User, name: str) -> list[BoardMessage]:
        """The messages of `inbox`, `outbox` (not yet opened by anybody) or `sentbox`, newest first."""
        if name == "inbox":
            mine = [message for message in self.messages.values() if user in message.recipients]
        else:
            mine = [m for m in self.messages.values() if m.sender is user and bool(m.read_by) == (name == "sentbox")]
        return sorted(mine, key=lambda message: (message.at, message.id), reverse=True)

    # ------------------------------------------------------------------ sessions and forms

    def visit(self, sid: str, key: str) -> Visit:
        """The session behind a request's cookies; a new guest's where there is none, or the key's owner's."""
        now = self.clock()
        visit = self.visits.get(sid)
        if visit is None or now - visit.seen > SESSION_IDLE:
            visit = self.open(self.keys.get(key))
        visit.seen = now
        return visit

    def open(self, user: User | None) -> Visit:
        """A fresh session."""
        visit = Visit(secrets.token_hex(16), user, self.clock())
        self.visits[visit.sid] = visit
        return visit

    def token(self, visit: Visit, form: str, created: int) -> str:
        """The token that goes with a form shown to this session at `created` (Unix seconds)."""
        who = visit.user.id if visit.user else 1
        return hashlib.sha1(f"{created} {who} {form} {visit.sid} {self._secret}".encode()).hexdigest()

    def form_holds(self, visit: Visit, form: str, created: str, token: str) -> bool:
        """Whether a form may be taken: our token, not from the very second it was shown, not older than two hours."""
        if not created.isdecimal():
            return False
        age = int(self.clock().timestamp()) - int(created)
        return 0 < age <= FORM_AGE and token == self.token(visit, form, int(created))

    def too_soon(self, last: datetime | None) -> bool:
        """Whether flood control refuses somebody whose last post or message was at `last`."""
        return last is not None and self.clock() - last < timedelta(seconds=self.flood_seconds)


def now_utc() -> datetime:
    """The time, for a forum whose clock is nobody's to set."""
    return datetime.now(UTC)
