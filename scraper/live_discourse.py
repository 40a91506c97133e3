"""A live Discourse: topics, posts, edits and private messages through its JSON, with an API key or a name and a password.

A page is twenty posts of a topic. What is posted is Markdown. A private message is a topic to which a few are invited.
Written from the public source and documentation of Discourse, not tried on a forum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from datetime import datetime
from types import ModuleType
from typing import Any, ClassVar
from urllib.parse import quote

from scraper import discourse
from scraper.forum import Containing, FloodLimit, LoginFailed, NeedsApproval, NotAllowed, PostRef, Refused, TopicLocked, Where
from scraper.live import LiveForum, Tree, moved
from scraper.model import Message, NotTheTopic, Page, Post, SourceError
from scraper.session import Answer, TryAgain, Uncertain
from scraper.talks import Talk, Talks, backwards
from scraper.topicpage import utc
from scraper.words import same_words

TRIES = 3  # of sending one thing: once more after a new token, once more after a new login
_NAME = re.compile(r"[\w.-]{1,60}")  # a comma would name two, an @ invite somebody by mail
_UNSURE = "It is looked for before anything is sent again."
_LOOK = "Look at it in a browser. Nothing was posted."

Told = dict[str, Any]


class LiveDiscourse(LiveForum):
    """See Forum. Texts are Markdown. `use_key` spares the login and the forum's check for forged forms."""

    reader: ClassVar[ModuleType] = discourse
    takes_key: ClassVar[bool] = True
    _needs_page_size: ClassVar[bool] = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._key = False
        self._token: str | None = None
        self._typed: dict[str, str] = {}  # what was typed, of our own posts
        self._talks = Talks()

    # ------------------------------------------------------------------ signing in

    def use_key(self, name: str, key: str, shown: str | None = None) -> None:
        """See Forum.use_key. A key for all users acts as `name`; one for a single user must be that one's."""
        self._key, self._shown = True, shown or name
        self.session.sign({"Api-Key": key, "Api-Username": _ascii(name)})

    def _name_on(self, tree: Tree) -> str | None:
        return None  # there are no pages

    def _front_name(self) -> str | None:
        answer = self.session.get(f"{self.base_url}session/current.json")
        told = _parsed(answer)
        user = told.get("current_user") if told else None
        if isinstance(user, dict) and user.get("username"):
            return str(user["username"])
        if self._key and answer.status in (401, 403, 404):
            raise LoginFailed(
                "The forum does not accept the API key for this account" + _says(told),
                advice="Check NIGHTPOST_API_KEY and NIGHTPOST_USER. A key for a single user serves only that user.",
            )
        if told is None and answer.status != 404:
            raise TryAgain(f"The forum sent something that is no answer of Discourse ({answer.status}).")
        return None

    def _log_in(self, name: str, password: str) -> str:
        self._token = None
        fields = [("login", name), ("password", password)]
        self._fresh_token()
        answer = self.session.post(f"{self.base_url}session.json", fields, harmless=True)
        told = _parsed(answer) or {}
        self._token = None  # a login makes the old one void
        user = told.get("user")
        if answer.status == 200 and isinstance(user, dict) and user.get("username"):
            return str(user["username"])
        reason = str(told.get("reason") or "")
        advice = "Check the name and the password."
        if "second_factor" in reason or told.get("totp_enabled") or told.get("security_key_enabled"):
            advice = "The account asks for a second factor, which Nightpost cannot give: use an API key (NIGHTPOST_API_KEY)."
        elif answer.status in (403, 404, 500):
            advice = "The forum may let nobody in by password, only through another site: use an API key (NIGHTPOST_API_KEY)."
        raise LoginFailed(f"The forum did not accept the login of {name}" + _says(told), advice=advice)

    def _fresh_token(self) -> None:
        told = _parsed(self.session.get(f"{self.base_url}session/csrf.json")) or {}
        if not isinstance(told.get("csrf"), str):
            raise TryAgain("The forum gave no token for what is to be sent.")
        self._token = told["csrf"]
        self.session.sign({"X-CSRF-Token": _ascii(self._token), "X-Requested-With": "XMLHttpRequest"})

    # ------------------------------------------------------------------ reading topics

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        number = 1
        if isinstance(where, Containing):
            number = self._page_of(topic, where.post_id)
        elif where != "last":  # that one is known only once a page has told how many there are
            number = int(where)
        return f"{self.base_url}t/{topic}.json?include_raw=1" + (f"&page={number}" if number > 1 else "")

    def _page_of(self, topic: str, post_id: str) -> int:
        answer = self.session.get(f"{self.base_url}t/{topic}.json?include_raw=1")
        told = discourse.topic_in(answer.text)
        stream = [str(each) for each in told["post_stream"].get("stream") or ()]
        if post_id not in stream:
            raise NotTheTopic(f"Post {post_id} is not in topic {topic} any more.", advice="It was moved or deleted.")
        return stream.index(post_id) // (told.get("chunk_size") or discourse.CHUNK) + 1

    def _as_account(self, topic: str, address: str) -> Page:
        try:
            page = self._page(topic, address)
            if page.signed_in or self._account is None or self._signed_in():
                return page
        except NotTheTopic:
            if self._account is None or self._signed_in():
                raise
        self._again_signed_in()
        return self._page(topic, address)

    def _page(self, topic: str, address: str) -> Page:
        answer = self.session.get(address)
        beyond = re.search(r"&page=\d+$", address)
        if answer.status == 404 and beyond:  # the topic has shrunk: its last page is what there is
            first = self._page(topic, address[: beyond.start()])
            return first if first.pages == 1 else self._page(topic, f"{address[: beyond.start()]}&page={first.pages}")
        if answer.status in (401, 403, 410):
            if self._key:
                self._front_name()  # says so where it is the key
            raise NotTheTopic(
                f"The forum does not show topic {topic}" + _says(_parsed(answer)),
                advice="It may be for members only, or have been deleted. What was read of it stays.",
            )
        page = self._page_in(topic, answer)
        self._typed |= _typed(_parsed(answer) or {}, self._me)
        return page

    def find_own_post(self, topic: str, bbcode: str, after: str | None = None) -> Post | None:
        """See Forum.find_own_post. What was typed is compared, where the forum tells it."""
        for post in reversed(self.own_posts(topic, after)):
            typed = self._typed.get(post.id)
            if same_words(post.bbcode, bbcode) or (typed is not None and typed.split() == bbcode.split()):
                return post
        return None

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. A reply has no subject."""
        told = self._send([("topic_id", topic), ("raw", bbcode)], topic)
        return self._posted(told)

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit."""
        fields = [("post[raw]", bbcode)] + ([("title", subject)] if subject else [])
        try:
            told = self._send(fields, None, put=f"posts/{post_id}.json")
        except Refused as refused:  # too late, or the text: only the post tells
            if self._asked(f"{self.base_url}posts/{post_id}.json").get("can_edit") is not False:
                raise
            raise NotAllowed(str(refused), advice="The forum lets nobody edit after some time.") from None
        post = told.get("post")
        return self._posted(post) if isinstance(post, dict) else PostRef(post_id, None)

    def _posted(self, post: Told) -> PostRef:
        if post.get("action") == "enqueued":
            raise NeedsApproval
        id_, topic, number = post.get("id"), post.get("topic_id"), post.get("post_number")
        if not isinstance(id_, int):
            raise Uncertain("The forum does not say that it took what was sent.", advice=_UNSURE)
        return PostRef(str(id_), f"{self.base_url}t/{topic}/{number}" if topic and number else None)

    def _send(self, fields: list[tuple[str, str]], topic: str | None, *, put: str = "") -> Told:
        """Send something and hand back what the forum says to it. Raises what Forum.reply does."""
        for _ in range(TRIES):
            if not self._key and self._token is None:
                self.who_am_i()
                self._fresh_token()
            answer = self._submitted(fields, put)
            told = _parsed(answer)
            if answer.hops:
                raise moved(answer)
            if told is None and answer.status == 200:
                raise Uncertain("The forum answered what was sent with some page.", advice=_UNSURE)
            if answer.status == 200 and told is not None and not told.get("errors"):
                return told
            if "BAD CSRF" in answer.text and not self._key:
                self._token = None
                continue
            if told and told.get("error_type") == "not_logged_in" and not self._key:
                self._again_signed_in()
                continue
            raise self._refusal(answer.status, told or {}, topic)
        raise TryAgain("The forum takes what is sent for forged again and again.")

    def _submitted(self, fields: list[tuple[str, str]], put: str) -> Answer:
        try:
            if put:
                return self.session.put(f"{self.base_url}{put}", fields)
            return self.session.post(f"{self.base_url}posts.json", fields, follow=False)
        except TryAgain as busy:
            if busy.wait is None:
                raise
            raise FloodLimit(f"{busy}", wait=busy.wait) from None

    def _refusal(self, status: int, told: Told, topic: str | None) -> SourceError:
        said = discourse.words_in(told) or f"error {status}"
        if status == 409:
            return TryAgain(f"The forum says: {said}")
        if topic is not None and status != 413 and self._is_locked(topic):
            return TopicLocked(
                f"The topic is closed. The forum says: {said}",
                advice="Ask a moderator to open it. Nothing was posted, the draft stays.",
            )
        if status in (401, 403, 404, 410):
            if self._key:
                self._front_name()  # says so where it is the key
            return NotAllowed(f"The forum says: {said}", advice="Check the account's rights on the forum. Nothing was posted.")
        return Refused(f"The forum refused the text: {said}", advice="Change the draft (`nightpost outbox edit`).")

    def _is_locked(self, topic: str) -> bool:
        try:
            return discourse.is_locked(discourse.topic_in(self.session.get(f"{self.base_url}t/{topic}.json").text))
        except NotTheTopic:
            return False

    # ------------------------------------------------------------------ private messages

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """See Forum.send_message. The name is looked up first: a group of that name would have it read by all its members."""
        user = self._user(to) if _NAME.fullmatch(to) else {}
        named = str(user.get("username") or "").casefold()
        if not named or named != to.casefold() or user.get("can_send_private_message_to_user") is False:
            raise NotAllowed(
                f"The forum knows nobody called “{to}” to whom this account may write.",
                advice="Check the spelling in game.toml, and that the player accepts private messages. Nothing was sent.",
            )
        fields = [("title", subject), ("raw", bbcode), ("archetype", "private_message"), ("target_recipients", to)]
        self._posted(self._send(fields, None))

    def _user(self, name: str) -> Told:
        """What the forum tells of an account; nothing where there is none."""
        answer = self.session.get(f"{self.base_url}u/{quote(name, safe='')}.json")
        user = (_parsed(answer) or {}).get("user")
        if not isinstance(user, dict) and answer.status != 404:
            raise TryAgain(f"The forum tells nothing of “{name}”" + _says(_parsed(answer)))
        return user if isinstance(user, dict) else {}

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """See Forum.messages. One request where there is nothing new; messages stay unread on the forum."""
        me = self._me_or_fail()
        found = self._talks.messages(self._lists("private-messages", me), self._read, since)
        return (message for message in found if message.sender != me and message.id not in known)

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """See Forum.sent_messages."""
        me = self._me_or_fail()
        found = self._talks.messages(self._lists("private-messages-sent", me), self._read, since)
        return (message for message in found if message.sender == me)

    def _me_or_fail(self) -> str:
        me = self.who_am_i()
        if me is None:
            self._again_signed_in()
        return me or self._me or ""

    def _lists(self, folder: str, me: str) -> Iterator[list[Talk]]:
        number = 0
        while True:
            url = f"{self.base_url}topics/{folder}/{quote(me, safe='')}.json" + (f"?page={number}" if number else "")
            told = self._asked(url).get("topic_list")
            topics = told.get("topics") if isinstance(told, dict) else None
            if not isinstance(topics, list):
                raise TryAgain("The forum shows no mailbox.")
            yield [self._talk(topic) for topic in topics if isinstance(topic, dict) and isinstance(topic.get("id"), int)]
            if not topics or not (isinstance(told, dict) and told.get("more_topics_url")):
                return
            number += 1

    def _talk(self, topic: Told) -> Talk:
        told = [_moment(topic.get(key)) for key in ("last_posted_at", "bumped_at")]
        latest = max((moment for moment in told if moment is not None), default=None)
        state = f"{topic.get('highest_post_number')} {topic.get('posts_count')} {topic.get('last_posted_at')}"
        return Talk(str(topic["id"]), str(topic.get("title") or ""), f"{self.base_url}t/{topic['id']}", latest, state)

    def _read(self, talk: Talk, since: datetime | None) -> list[Message]:
        me = self._me
        told = self._asked(f"{talk.url}.json?include_raw=1")
        details = told.get("details") if isinstance(told.get("details"), dict) else {}
        assert isinstance(details, dict)
        users = [user for user in details.get("allowed_users") or () if isinstance(user, dict)]
        people = [str(user["username"]) for user in users if user.get("username")]

        def part(told: Told) -> list[Message]:
            typed = _typed(told, me)  # our own as we wrote them: they are looked for by their words
            return [
                Message(
                    post.id, post.author, tuple(name for name in people if name != post.author), post.posted.exact, talk.title,
                    typed.get(post.id, post.bbcode), post.url or talk.url,
                )
                for post in discourse.draft_of(discourse.topic_of(told), self.base_url).posts if not post.deleted
            ]  # fmt: skip

        def page(number: int) -> list[Message]:
            return part(self._asked(f"{talk.url}.json?include_raw=1&page={number}"))

        pages = discourse.draft_of(discourse.topic_of(told), None).pages
        return list(backwards(pages, part(told), page, since))

    def _asked(self, url: str) -> Told:
        """What the forum tells members at `url`; signs in again once where it asks for that."""
        for attempt in range(2):
            answer = self.session.get(url)
            told = _parsed(answer)
            if told is not None and answer.status == 200:
                return told
            if answer.status in (401, 403, 404) and attempt == 0 and not self._key and not self._signed_in():
                self._again_signed_in()
                continue
            if told is None:
                raise TryAgain(f"The forum sent something that is no answer of Discourse ({answer.status}).")
            raise NotAllowed(f"The forum says: {discourse.words_in(told) or answer.status}", advice=_LOOK)
        raise LoginFailed("The forum asks for a login again and again.", advice=_LOOK)


def _parsed(answer: Answer) -> Told | None:
    try:
        told = json.loads(answer.text)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _says(told: Told | None) -> str:
    said = discourse.words_in(told)
    return f": {said}" if said else "."


def _typed(told: Told, me: str | None) -> dict[str, str]:
    """What was typed in each of our own posts, where the forum tells it."""
    stream = told.get("post_stream")
    posts = stream.get("posts") if isinstance(stream, dict) else None
    return {
        str(post["id"]): post["raw"]
        for post in posts or ()
        if isinstance(post, dict) and isinstance(post.get("raw"), str) and (post.get("yours") or post.get("username") == me)
    }


def _moment(value: object) -> datetime | None:
    return utc(value) if isinstance(value, str) else None


def _ascii(value: str) -> str:
    """A value as it may stand in a head of HTTP: no line can be added with it."""
    if not value.isprintable():
        raise LoginFailed("The name or the API key holds signs that none has.", advice="Check both in the environment.")
    return value
