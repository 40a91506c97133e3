"""What the scraper hands on: posts of a thread and messages of a mailbox, in one form for every source."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any


def iso(moment: datetime | None) -> str | None:
    """`moment` as ISO 8601 in UTC with a `Z`; None stays None. Seconds always, fractions only where there are some."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Post:
    """One post of a thread as a page showed it. Ids are strings; what the source does not tell is None.

    `number` is the post's place in the thread where the page tells it. Times are aware, in UTC, as fine as the page gives
    them. `edited_at` is the time of the last edit where the page names one; `edited` says that there was an edit mark at
    all. `bbcode` is the post's own markup brought back to plain BBCode; `text` is what a reader sees, without quotes.
    `deleted` marks a placeholder that a forum leaves where a post was.
    """

    id: str
    number: int | None
    author: str
    author_id: str | None
    posted_at: datetime | None
    edited_at: datetime | None
    url: str | None
    bbcode: str
    text: str
    edited: bool = False
    deleted: bool = False

    def as_json(self) -> dict[str, Any]:
        """The object that `read` prints, with the keys that product documentation promises."""
        return {
            "id": self.id, "number": self.number, "author": self.author, "author_id": self.author_id,
            "posted_at": iso(self.posted_at), "edited_at": iso(self.edited_at), "url": self.url,
            "bbcode": self.bbcode, "text": self.text,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a topic: what it is a page of, where it stands, and its posts in the order shown.

    `page` counts from 1; `pages` is how many the topic has as far as this page tells; `per_page` what the page itself shows
    of the step between pages, None where it cannot be known. `signed_in` is whether the reader was logged in. `locked` says
    that the topic takes no replies from the reader. `notes` says what the GM should know about this page.
    """

    forum: str
    topic_id: str | None
    title: str
    page: int
    pages: int
    posts: tuple[Post, ...]
    per_page: int | None = None
    signed_in: bool = False
    locked: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One private message of a mailbox or export. `source` says where it stood: file and place within it.

    `origin` says who vouches for the sender: empty for the forum itself and its exports, `file` for a text the GM saved under a
    name, `notice ADDRESS` and `mail ADDRESS` for what only a mail's From line tells, with `doubted-` before it where that line
    itself is in doubt (`scraper.trust` judges it).

    `sent_at` is aware, in UTC. `body` is the whole text as BBCode or plain text, still with quotes and signatures: what of
    it is the sender's own is the parser's to say.
    """

    id: str
    sender: str
    recipients: tuple[str, ...]
    sent_at: datetime | None
    subject: str
    body: str
    source: str
    origin: str = ""

    def as_json(self) -> dict[str, Any]:
        """The object that `mail` prints, with the keys that product documentation promises."""
        return {
            "id": self.id, "sender": self.sender, "recipients": list(self.recipients), "sent_at": iso(self.sent_at),
            "subject": self.subject, "body": self.body, "source": self.source,
        }  # fmt: skip


class SourceError(Exception):
    """A forum or mailbox could not be read: nothing was taken from it and nothing is lost (exit status 3).

    `advice` says what the GM can do about it.
    """

    def __init__(self, message: str, *, advice: str = "") -> None:
        super().__init__(message if not advice or message.endswith((".", "!", "?", "…")) else f"{message}.")
        self.advice = advice


class NotTheTopic(SourceError):
    """The page is not the topic asked for: a login, error, maintenance or challenge page, half a page, or another topic."""


class BadInput(Exception):
    """What was given cannot be used as it is (exit status 2): names the place and the nearest right thing."""
