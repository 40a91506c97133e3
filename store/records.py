"""Rows of the record as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from engine.state import Label


def stamp(moment: datetime) -> str:
    """`moment` (aware) as the record keeps it: UTC, always with microseconds, so that text sorts as time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str | None) -> datetime | None:
    """The time that `stamp` wrote."""
    return None if text is None else datetime.fromisoformat(text)


def instant(text: str) -> datetime:
    """The time that `stamp` wrote, where there is one for sure."""
    return datetime.fromisoformat(text)


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """A phase that has been opened. Times in UTC; `deadline` is the one set at the opening, None for none.

    What was sent after `opened_at` belongs to it. `held` says that it was closed, opened again by the GM's `undo`, and so
    waits for `resolve` or `extend`.
    """

    seq: int
    label: Label
    opened_at: datetime
    deadline: datetime | None
    held: bool = False


@dataclass(frozen=True, slots=True)
class Closing:
    """How a phase was closed: its end, how far the record went then, and the game as it was set up then."""

    seq: int
    phase: PhaseRow
    ends: datetime
    at: datetime
    upto: Upto
    game: Mapping[str, Any]
    accounts: Mapping[str, Any]
    waived: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Upto:
    """How far the record goes: the last row of each of its sources. What came in later was not known then."""

    posts: int
    versions: int
    messages: int
    entries: int


@dataclass(frozen=True, slots=True)
class Entry:
    """Something the GM said: a `command`, an `answer` to the question named, or an `undo` of an earlier entry."""

    seq: int
    phase: int | None
    kind: str
    text: str
    question: str | None
    undoes: int | None
    at: datetime

    @property
    def id(self) -> str:
        """The id under which inputs and events name this entry."""
        return f"gm-{self.seq}"


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question to the GM that waits for an answer. `choices` is empty for a free text."""

    phase: int
    key: str
    question: str
    choices: tuple[str, ...]
    default: str | None
    about: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the GM was told, once. `topic` is one word; `text` a sentence."""

    seq: int
    topic: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Taken:
    """What one page or mailbox added to the record: ids of new posts or messages, of changed and of vanished posts."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    """Those that came in only after the phase they were sent in had been closed."""

    def __add__(self, other: Taken) -> Taken:
        return Taken(
            self.new + other.new, self.changed + other.changed, self.vanished + other.vanished, self.late + other.late
        )
