"""XenForo's REST API (since 2.1), for an account whose forum's owner has given out a key.

Errors come as `{"errors": [{"code", "message"}]}`; times as seconds since 1970. A key of a single user is that user; one for all
users must be told for whom it acts. Written from the published description of the API, not tried on a forum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from lxml import etree

from scraper import xenforo
from scraper.forum import Containing, FloodLimit, LoginFailed, NeedsApproval, NotAllowed, PostRef, Refused, TopicLocked, Where
from scraper.live import moved
from scraper.model import Message, NotTheTopic, Page, Post, SourceError
from scraper.session import Answer, Session, TryAgain, Uncertain
from scraper.talks import Talk, backwards
from scraper.topicpage import one_line
from scraper.writer import Markup

Told = dict[str, Any]
TRIES = 3
_RIGHTS = "Check the account's rights on the forum, and the key's. Nothing was posted."


class Api:
    """One account's use of the API. What is asked of it raises SourceErrors with words for the GM, as `Forum` says."""

    def __init__(self, base_url: str, session: Session, name: str, key: str) -> None:
        if not key.isprintable():
            raise LoginFailed("The API key holds signs that none has.", advice="Check NIGHTPOST_API_KEY.")
        self.base, self.session, self.account = f"{base_url}api/", session, name
        session.sign({"XF-Api-Key": key})
        self._known = False

    def name(self) -> str:
        """Who the key acts as. A key for all users is told first to act as the account."""
        me = self._me()
        if me is None:
            user = self._user(self.account)
            self.session.sign({"XF-Api-User": str(user)})
            me = self._me()
        if me is None:
            raise LoginFailed(
                f"The API key does not act as {self.account}.", advice="Check NIGHTPOST_API_KEY: a guest's key can only read."
            )
        self._known = True
        return me

    def _me(self) -> str | None:
        answer = self.session.get(f"{self.base}me/")
        told = _parsed(answer)
        if answer.status in (401, 403) and _code(told).startswith("api_key"):
            raise LoginFailed(f"The forum does not accept the API key: {_said(told)}", advice="Check NIGHTPOST_API_KEY.")
        if told is None:
            raise TryAgain(f"The forum's API gives no answer ({answer.status}).", advice="It is there since XenForo 2.1.")
        me = told.get("me")
        return str(me["username"]) if isinstance(me, dict) and me.get("user_id") and me.get("username") else None

    def _user(self, name: str) -> int:
        """The number of the account of exactly this name."""
        found = self._get(f"users/find-name?username={quote(name, safe='')}").get("exact") if name.strip() else None
        if not isinstance(found, dict) or not isinstance(found.get("user_id"), int):
            raise NotAllowed(
                f"The forum knows nobody called “{name}” to whom this account may write.",
                advice="Check the spelling in game.toml. Nothing was sent.",
            )
        return int(found["user_id"])

    # ------------------------------------------------------------------ topics

    def page(self, topic: str, where: Where) -> Page:
        """One page of a topic."""
        self._as_account()
        if isinstance(where, Containing):
            post = self._get(f"posts/{where.post_id}/", topic=topic).get("post")
            if not isinstance(post, dict) or str(post.get("thread_id")) != topic:
                raise NotTheTopic(f"Post {where.post_id} is not in topic {topic} any more.", advice="It was moved or deleted.")
            first = self._page(topic, 1)
            number = int(post.get("position") or 0) // (first.per_page or 20) + 1
            return first if number == 1 else self._page(topic, min(number, first.pages))
        page = self._page(topic, 1 if where == "last" else int(where))
        return self._page(topic, page.pages) if where == "last" and page.page < page.pages else page

    def _page(self, topic: str, number: int) -> Page:
        try:
            told = self._get(f"threads/{topic}/?with_posts=1&page={number}", topic=topic)
        except NotTheTopic:
            first = self._page(topic, 1) if number > 1 else None
            if first is None or first.pages >= number:
                raise
            return first if first.pages == 1 else self._page(topic, first.pages)  # the topic has shrunk
        thread, posts, place = told.get("thread"), told.get("posts"), told.get("pagination")
        if not isinstance(thread, dict) or not isinstance(posts, list) or str(thread.get("thread_id")) != topic:
            raise NotTheTopic(f"The forum's API shows no posts of topic {topic}.", advice="Look at it in a browser.")
        place = place if isinstance(place, dict) else {}
        here, pages = _number(place.get("current_page")) or 1, _number(place.get("last_page")) or 1
        shown = [post for post in posts if isinstance(post, dict) and _number(post.get("post_id"))]
        authors = {str(post.get("username") or "") for post in shown}
        locked = thread.get("discussion_open") is False and thread.get("can_reply") is not True
        return Page(
            forum=xenforo.KIND, topic_id=topic, title=one_line(str(thread.get("title") or "")), page=here, pages=max(here, pages),
            posts=tuple(self._post(post, authors) for post in shown), per_page=_number(place.get("per_page")), signed_in=True,
            locked=locked,
        )  # fmt: skip

    def _post(self, post: Told, authors: set[str]) -> Post:
        markup = _markup(post, authors)
        user, position, edited = (_number(post.get(key)) for key in ("user_id", "position", "last_edit_date"))
        return Post(
            id=str(post["post_id"]), number=None if position is None else position + 1,
            author=one_line(str(post.get("username") or "")), author_id=str(user) if user else None,
            posted_at=_moment(post.get("post_date")), edited_at=_moment(edited) if edited else None,
            url=str(post.get("view_url") or "") or None, bbcode=markup.bbcode, text=markup.text, edited=bool(edited),
            deleted=post.get("message_state") in ("deleted", "moderated"),
        )  # fmt: skip

    def reply(self, topic: str, bbcode: str) -> PostRef:
        """Post a reply."""
        told = self._post_to("posts/", [("thread_id", topic), ("message", bbcode)], topic)
        return self._taken(told)

    def edit(self, post_id: str, bbcode: str) -> PostRef:
        """Replace the text of a post."""
        self._post_to(f"posts/{post_id}/", [("message", bbcode)], None, harmless=True)
        return PostRef(post_id, None)

    def _taken(self, told: Told) -> PostRef:
        post = told.get("post")
        if not isinstance(post, dict) or not _number(post.get("post_id")):
            return PostRef(None, None)
        if post.get("message_state") == "moderated":
            raise NeedsApproval
        return PostRef(str(post["post_id"]), str(post.get("view_url") or "") or None)

    # ------------------------------------------------------------------ conversations

    def send(self, to: str, subject: str, bbcode: str) -> None:
        """Begin a conversation with the account of this name."""
        self._as_account()
        fields = [("recipient_ids[]", str(self._user(to))), ("title", subject), ("message", bbcode)]
        self._post_to("conversations/", fields, None)

    def talks(self) -> Iterator[list[Talk]]:
        """The account's conversations, page by page, the newest first."""
        self._as_account()
        number, pages = 1, 1
        while number <= pages:
            told = self._get(f"conversations/?page={number}")
            rows, place = told.get("conversations"), told.get("pagination")
            if not isinstance(rows, list):
                raise TryAgain("The forum's API shows no mailbox.")
            pages = (_number(place.get("last_page")) or 1) if isinstance(place, dict) else 1
            yield [_talk(row) for row in rows if isinstance(row, dict) and _number(row.get("conversation_id"))]
            number += 1

    def messages(self, talk: Talk, since: datetime | None) -> list[Message]:
        """The messages of a conversation, all those at or after `since` among them."""

        def part(told: Told) -> list[Message]:
            rows = [row for row in told.get("messages") or () if isinstance(row, dict) and _number(row.get("message_id"))]
            return [_message(row, talk) for row in rows]

        def page(number: int) -> list[Message]:
            return part(self._get(f"conversations/{talk.id}/messages?page={number}"))

        told = self._get(f"conversations/{talk.id}/messages?page=1")
        place = told.get("pagination")
        pages = (_number(place.get("last_page")) or 1) if isinstance(place, dict) else 1
        return list(backwards(pages, part(told), page, since))

    # ------------------------------------------------------------------ asking

    def _as_account(self) -> None:
        if not self._known:
            self.name()

    def _get(self, path: str, *, topic: str | None = None) -> Told:
        answer = self.session.get(self.base + path)
        told = _parsed(answer)
        if told is not None and answer.status == 200 and "errors" not in told:
            return told
        said = _said(told) or f"error {answer.status}"
        if topic is not None and told is not None:
            asks = "It may have been moved or deleted. What was read of it stays."
            raise NotTheTopic(f"The forum does not show topic {topic}: {said}", advice=asks)
        if told is None:
            raise TryAgain(f"The forum's API gives no answer ({answer.status}).")
        raise NotAllowed(f"The forum says: {said}", advice=_RIGHTS)

    def _post_to(self, path: str, fields: list[tuple[str, str]], topic: str | None, *, harmless: bool = False) -> Told:
        self._as_account()
        told: Told | None = None
        for _ in range(TRIES):
            answer = self.session.post(self.base + path, fields, harmless=harmless, follow=False)
            told = _parsed(answer)
            if answer.hops:
                raise moved(answer)
            if told is None:
                looked = "It is looked for before anything is sent again."
                raise Uncertain("The forum answered what was sent with some page.", advice=looked)
            if answer.status == 200 and "errors" not in told:
                return told
            wait = xenforo.wait_told(_said(told))
            if not 0 < wait <= xenforo.MOST_WAIT:
                break
            self.session.sleep(wait)
        if wait:
            raise FloodLimit(f"The forum still says that it is too soon: {_said(told)}", wait=wait)
        raise self._refusal(answer.status, told or {}, topic)

    def _refusal(self, status: int, told: Told, topic: str | None) -> SourceError:
        said = _said(told) or f"error {status}"
        try:
            if topic is not None and self._page(topic, 1).locked:
                asks = "Ask a moderator to open it. Nothing was posted, the draft stays."
                return TopicLocked(f"The topic is closed. The forum says: {said}", advice=asks)
        except NotTheTopic as gone:
            return NotAllowed(str(gone), advice=_RIGHTS)
        if status in (401, 403, 404):
            return NotAllowed(f"The forum says: {said}", advice=_RIGHTS)
        return Refused(f"The forum refused the text: {said}", advice="Change the draft (`nightpost outbox edit`).")


def _talk(row: Told) -> Talk:
    recipients = row.get("recipients")
    people = list(recipients.values()) if isinstance(recipients, dict) else recipients if isinstance(recipients, list) else []
    names = [str(each.get("username") or "") if isinstance(each, dict) else str(each) for each in people]
    everybody = dict.fromkeys(name for name in (str(row.get("username") or ""), *names) if name)
    latest = _moment(row.get("last_message_date"))
    state = f"{row.get('last_message_id')} {row.get('reply_count')}"
    url = str(row.get("view_url") or row["conversation_id"])
    return Talk(str(row["conversation_id"]), one_line(str(row.get("title") or "")), url, latest, state, tuple(everybody))


def _message(row: Told, talk: Talk) -> Message:
    sender = one_line(str(row.get("username") or ""))
    to = tuple(name for name in talk.people if name != sender)
    body = _markup(row, set()).bbcode
    url = str(row.get("view_url") or talk.url)
    return Message(str(row["message_id"]), sender, to, _moment(row.get("message_date")), talk.title, body, url)


def _markup(told: Told, authors: set[str]) -> Markup:
    """A text by its HTML, which is read as a page's is; by its BBCode where there is no HTML."""
    parsed = told.get("message_parsed")
    if not isinstance(parsed, str) or not parsed.strip():
        raw = str(told.get("message") or "")
        return Markup(raw, re.sub(r"\[/?[A-Za-z*]+(?:=[^\[\]]*)?\]", "", raw))
    body = etree.fromstring(
        f"<html><body><div>{parsed}</div></body></html>".replace("\0", "").encode("utf-8", "replace"),
        etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True),
    ).find("body")
    return Markup("", "") if body is None else xenforo.markup_of(body, authors)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _moment(value: object) -> datetime | None:
    seconds = _number(value)
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None and seconds < 10**11 else None


def _parsed(answer: Answer) -> Told | None:
    try:
        told = json.loads(answer.text)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _errors(told: Told | None) -> list[Told]:
    errors = told.get("errors") if told else None
    return [each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else []


def _said(told: Told | None) -> str:
    said = one_line(" ".join(str(each.get("message") or "") for each in _errors(told)))
    return "".join(sign for sign in said if sign.isprintable())[:300]


def _code(told: Told | None) -> str:
    return next((str(each.get("code") or "") for each in _errors(told)), "")
