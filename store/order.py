"""When what is kept was made, and what was made after what: some pages tell fractions of a second, some only minutes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from scraper.model import iso


def time_of_text(text: str) -> datetime:
    """A stored time, in UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def minute_of(moment: datetime | None) -> datetime | None:
    """The minute in which that moment lies."""
    return None if moment is None else moment.replace(second=0, microsecond=0)


def since_text(moment: datetime | None) -> str | None:
    """What the stored times since that moment do not stand before, as texts: some have fractions of a second, most have none."""
    text = iso(moment and moment.replace(microsecond=0))
    return text and text.removesuffix("Z")


def until_text(moment: datetime | None) -> str | None:
    """What no stored time up to that moment stands behind, nor any other of its second."""
    second = since_text(moment)
    return second and second + "~"


def made_after(at: str, seq: int, after: datetime | None, unread: int | None, apart: timedelta = timedelta(0)) -> bool:
    """Whether what is said to be of `at` was made after `after`; what may have been, only where read later than `unread`."""
    if after is None or time_of_text(at) > after:
        return True
    return unread is not None and seq > unread and may_be_after(time_of_text(at), after, apart)


def may_be_after(at: datetime, after: datetime, apart: timedelta = timedelta(0)) -> bool:
    """Whether what is said to be of `at` may have been made after `after`, when a phase was closed: in the same second, or in the
    same minute where `at` tells no seconds. A phase that is closed on a full minute has that minute's beginning to itself.

    `apart` is by how much the clock of `at` may be behind that of `after`.
    """
    after -= apart
    minute = minute_of(after)
    return at > after or (minute != after and at in (minute, after.replace(microsecond=0)))


def follows(row: Mapping[str, Any], post: str | None, at: datetime | None) -> bool:
    """Whether a post of the minute of `at` stands behind `post` in the thread, so that it was made later."""
    same = post is not None and at is not None and minute_of(time_of_text(row["posted_at"])) == minute_of(at)
    return same and place_of(row["post"]) > place_of(post or "")


def place_of(post: str) -> tuple[int, int]:
    """Where a post stands among all, by its id, and by its part where the forum has made it of several (`61/2`).

    A forum adds to the last post of a thread only: whatever stands behind that post was made later than all its parts.
    """
    number, _, part = post.partition("/")
    return int(number), int(part or 1)
