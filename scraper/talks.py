"""Private messages where they are kept as conversations: each a small topic of its own, listed by its newest message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from scraper.model import Message


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as a list shows it. `latest` is when its newest message was sent, `state` changes with each message.

    `url` is its address, `people` who takes part, as far as the list tells.
    """

    id: str
    title: str
    url: str
    latest: datetime | None
    state: str
    people: tuple[str, ...] = ()


Reader = Callable[[Talk, datetime | None], list[Message]]


class Talks:
    """Reads the conversations in which there is something new. What it has read it keeps, for as long as the process lives."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Talk, datetime | None, list[Message]]] = {}

    def messages(self, pages: Iterable[list[Talk]], read: Reader, since: datetime | None) -> list[Message]:
        """All messages sent at or after `since`, oldest first.

        `pages` are those of the list, newest conversation first: the list is turned over only as long as there is something
        new. `read` gives the messages of one conversation, all those at or after a moment among them.
        """
        found: dict[str, Message] = {}
        for page in pages:
            fresh = [talk for talk in page if since is None or talk.latest is None or talk.latest >= since]
            for talk in fresh:
                found.update({message.id: message for message in self._of(talk, read, since)})
            if not fresh:
                break
        news = [message for message in found.values() if since is None or message.sent_at is None or message.sent_at >= since]
        return sorted(news, key=lambda message: int(message.id))

    def _of(self, talk: Talk, read: Reader, since: datetime | None) -> list[Message]:
        kept = self._kept.get(talk.id)
        if kept is not None and kept[0] == talk and (kept[1] is None or (since is not None and since >= kept[1])):
            return kept[2]
        messages = read(talk, since)
        self._kept[talk.id] = talk, since, messages
        return messages


def backwards(
    pages: int, first: list[Message], page: Callable[[int], list[Message]], since: datetime | None
) -> Iterator[Message]:
    """The messages of a conversation of several pages, read from its end as far back as `since`. `first` is its first page."""
    yield from first
    for number in range(pages, 1, -1):
        messages = page(number)
        yield from messages
        if since is not None and messages and all(each.sent_at is not None and each.sent_at < since for each in messages):
            return
