"""A small Discourse for tests: topics, private messages, sessions and keys, answered in JSON as its documentation describes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qsl, unquote

import requests
from markdown_it import MarkdownIt

from tests.practice_kit import Clock

SITE = "https://talk.example/d/"
KEY = "k3y" * 8
Reply = tuple[int, dict[str, str], str]
_COOK = MarkdownIt("js-default", {"breaks": True, "html": False})


@dataclass
class Item:
    """A post. `kind` is 1 for one by a member, 3 for the forum's own note, 4 for a whisper."""

    id: int
    number: int
    by: str
    raw: str
    at: datetime
    cooked: str = ""
    edited: datetime | None = None
    version: int = 1
    kind: int = 1
    marks: dict[str, Any] = field(default_factory=dict)


@dataclass
class Topic:
    """A topic, or a private message where `people` are named."""

    id: int
    title: str
    posts: list[Item] = field(default_factory=list)
    people: tuple[str, ...] = ()
    closed: bool = False


@dataclass
class Board:
    """How it behaves. `user` is who is signed in by cookies; `lose` decides whether an answer gets lost on its way."""

    clock: Clock = field(default_factory=Clock)
    topics: dict[int, Topic] = field(default_factory=dict)
    users: tuple[str, ...] = ("Host", "Anna", "Bert")
    called_now: dict[str, str] = field(default_factory=dict)
    user: str = ""
    token: int = 0
    chunk: int = 20
    flood: int = 0
    daily: bool = False
    held: bool = False
    sso: bool = False
    second_factor: bool = False
    late: bool = False
    tells_members: bool = True
    members_only: bool = False
    raw_told: bool = True
    asked: list[str] = field(default_factory=list)
    heads: list[Any] = field(default_factory=list)
    lose: Callable[[str], bool] = lambda _: False
    broken: str = ""
    ids: int = 500
    last: datetime | None = None

    def __post_init__(self) -> None:
        self.topics[55] = Topic(55, "The Lighthouse")

    # what tests do by hand

    def say(self, by: str, raw: str, topic: int = 55, **given: Any) -> Item:
        """Somebody posts."""
        self.ids += 1
        posts = self.topics[topic].posts
        item = Item(self.ids, (posts[-1].number if posts else 0) + 1, by, raw, self.clock.now(), **given)
        posts.append(item)
        return item

    def talk(self, people: tuple[str, ...], title: str, raw: str) -> Topic:
        """The first of `people` writes to the others."""
        topic = Topic(900 + len(self.topics), title, people=people)
        self.topics[topic.id] = topic
        self.say(people[0], raw, topic.id)
        return topic

    # answers

    def __call__(self, request: requests.PreparedRequest) -> Reply:
        path, _, query = (request.url or "").removeprefix(SITE).partition("?")
        asked = dict(parse_qsl(query))
        body = request.body.decode() if isinstance(request.body, bytes) else str(request.body or "")
        sent = dict(parse_qsl(body, keep_blank_values=True))
        method = str(request.method)
        self.asked.append(f"{method} {unquote(path)}")
        self.heads.append(dict(request.headers))
        status, told = self.answer(method, unquote(path), asked, sent, request.headers)
        if method != "GET" and self.lose(path):
            raise requests.exceptions.ReadTimeout
        text = told if isinstance(told, str) else json.dumps(told)
        return status, {"Date": format_datetime(self.clock.now(), usegmt=True), "Content-Type": "application/json"}, text

    def answer(self, method: str, path: str, asked: dict[str, str], sent: dict[str, str], heads: Any) -> tuple[int, Any]:
        if self.broken:
            return 200, self.broken
        me, by_key = self.user, False
        if "Api-Key" in heads:
            by_key = True
            if heads["Api-Key"] != KEY:
                return 403, wrong("Key and name do not go together.", "invalid_access")
            me = heads["Api-Username"]
        if path == "session/csrf.json":
            self.token += 1
            return 200, {"csrf": f"t{self.token}"}
        if method != "GET" and not by_key and heads.get("X-CSRF-Token") != f"t{self.token}":
            return 403, '["BAD CSRF"]'
        if path == "session.json":
            return self.login(sent)
        if path == "session/current.json":
            return (200, {"current_user": {"id": 2, "username": me}}) if me else (404, {})
        if not me and self.members_only:
            return 403, wrong("Only for those logged in.", "not_logged_in")
        if found := re.fullmatch(r"t/(\d+)\.json", path):
            return self.topic(int(found[1]), int(asked.get("page", "1")), me, asked)
        if found := re.fullmatch(r"u/(.+)\.json", path):
            asked_for = self.called_now.get(found[1], found[1]).casefold()
            known = next((name for name in self.users if name.casefold() == asked_for), None)
            return (200, {"user": {"username": known, "can_send_private_message_to_user": known != "Bert"}}) if known else (404, missing())
        if not me:
            return 403, wrong("Only for those logged in.", "not_logged_in")
        if found := re.fullmatch(r"topics/private-messages(-sent)?/(.+)\.json", path):
            return self.mailbox(bool(found[1]), found[2], int(asked.get("page", "0")), me)
        if path == "posts.json" and method == "POST":
            return self.create(sent, me)
        if found := re.fullmatch(r"posts/(\d+)\.json", path):
            return self.one(int(found[1]), sent, me, method)
        return 404, missing()

    def login(self, sent: dict[str, str]) -> tuple[int, Any]:
        if self.sso:
            return 403, wrong("This is not permitted.", "invalid_access")
        if sent["password"] != "secret":
            return 200, {"error": "Incorrect username, email or password"}
        if self.second_factor:
            return 200, {"failed": "FAILED", "ok": False, "error": "Invalid authentication code", "reason": "invalid_second_factor", "totp_enabled": True}
        self.user, self.token = sent["login"].capitalize(), self.token + 1
        return 200, {"user": {"id": 2, "username": self.user}}

    def topic(self, id_: int, page: int, me: str, asked: dict[str, str]) -> tuple[int, Any]:
        topic = self.topics.get(id_)
        if topic is None:
            return 404, missing()
        if topic.people and me not in topic.people:
            return 403, wrong("This is not permitted.", "invalid_access")
        shown = topic.posts[(page - 1) * self.chunk : page * self.chunk]
        if not shown:
            return 404, missing()
        details: dict[str, Any] = {"allowed_users": [{"id": 1, "username": name} for name in topic.people]}
        if me and not topic.closed:
            details["can_create_post"] = True
        told = {
            "id": id_, "title": topic.title, "slug": "the-lighthouse", "posts_count": len(topic.posts), "chunk_size": self.chunk,
            "closed": topic.closed, "archived": False, "details": details,
            "draft_sequence": 0 if me and self.tells_members else None,
            "post_stream": {"posts": [self.post(item, id_, me, asked) for item in shown], "stream": [item.id for item in topic.posts]},
        }  # fmt: skip
        return 200, told

    def post(self, item: Item, topic: int, me: str, asked: dict[str, str]) -> dict[str, Any]:
        told = {
            "id": item.id, "post_number": item.number, "post_type": item.kind, "topic_id": topic, "username": item.by, "name": "",
            "user_id": len(item.by), "cooked": item.cooked or _COOK.render(item.raw), "created_at": stamp(item.at),
            "updated_at": stamp(item.edited or item.at), "version": item.version, "yours": item.by == me, **item.marks,
        }  # fmt: skip
        return told | ({"raw": item.raw} if "include_raw" in asked and self.raw_told else {})

    def limited(self) -> dict[str, Any] | None:
        left = self.flood - int((self.clock.now() - self.last).total_seconds()) if self.last else 0
        left = 40_000 if self.daily else left
        if left <= 0:
            return None
        return wrong("Too often; wait.", "rate_limit") | {"extras": {"wait_seconds": left, "time_left": "a while"}}

    def create(self, sent: dict[str, str], me: str) -> tuple[int, Any]:
        if limit := self.limited():
            return 429, limit
        raw = sent["raw"].strip()
        if len(raw) < 5:
            return 422, {"action": "create_post", "errors": ["Body is too short (minimum is 5 characters)"]}
        if sent.get("archetype") == "private_message":
            topic = self.talk((me, sent["target_recipients"]), sent["title"], raw)
        else:
            topic = self.topics.get(int(sent["topic_id"])) or Topic(0, "")
            if not topic.id:
                return 403, wrong("This is not permitted.", "invalid_access")
            if topic.closed:
                return 422, {"action": "create_post", "errors": ["The topic is closed."]}
            if self.held:
                return 200, {"action": "enqueued", "success": True, "pending_count": 1, "pending_post": {"id": 3, "raw": raw}}
            self.say(me, raw, topic.id)
        self.last = self.clock.now()
        return 200, self.post(topic.posts[-1], topic.id, me, {})

    def one(self, id_: int, sent: dict[str, str], me: str, method: str) -> tuple[int, Any]:
        found = next(((topic, item) for topic in self.topics.values() for item in topic.posts if item.id == id_), None)
        if found is None:
            return 404, missing()
        topic, item = found
        if method == "GET":
            return 200, self.post(item, topic.id, me, {"include_raw": "1"}) | {"can_edit": item.by == me and not self.late}
        if item.by != me:
            return 403, wrong("This is not permitted.", "invalid_access")
        if self.late:
            return 422, {"errors": ["You can only edit for a while."]}
        if len(sent["post[raw]"]) < 5:
            return 422, {"errors": ["Body is too short"]}
        item.raw, item.cooked, item.edited, item.version = sent["post[raw]"], "", self.clock.now(), item.version + 1
        return 200, {"post": self.post(item, topic.id, me, {})}

    def mailbox(self, sent: bool, name: str, page: int, me: str) -> tuple[int, Any]:
        if name != me:
            return 404, missing()
        talks = [topic for topic in self.topics.values() if me in topic.people and (not sent or any(item.by == me for item in topic.posts))]
        talks.sort(key=lambda topic: topic.posts[-1].at, reverse=True)
        rows = [
            {"id": talk.id, "title": talk.title, "posts_count": len(talk.posts), "highest_post_number": talk.posts[-1].number,
             "last_posted_at": stamp(talk.posts[-1].at), "bumped_at": stamp(talk.posts[-1].at)}
            for talk in talks[page * 5 : page * 5 + 5]
        ]  # fmt: skip
        more = {"more_topics_url": "/d/next"} if len(talks) > page * 5 + 5 else {}
        return 200, {"topic_list": {"topics": rows, **more}}


def stamp(moment: datetime) -> str:
    """A moment as Discourse writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def wrong(words: str, kind: str) -> dict[str, Any]:
    """An error."""
    return {"errors": [words], "error_type": kind}


def missing() -> dict[str, Any]:
    """What is not there."""
    return wrong("Nothing is here.", "not_found")
