"""What comes into a phase: posts, private orders and GM commands, as they were written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Edit:
    """A later content of a post. `at` is when it was edited (UTC), None where that is not known."""

    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PostInput:
    """A public post in the game thread, in BBCode. `by` is the seat's name, or the name of whoever else wrote it.

    `text` is the first content seen, `edits` what it became, in order. A deleted post keeps its text: the record keeps what
    was seen. `at` is the forum's post time (UTC); None counts as sent before anything that has a time.
    """

    id: str
    by: str
    text: str
    at: datetime | None = None
    edits: tuple[Edit, ...] = ()
    deleted: bool = False
    link: str | None = None


@dataclass(frozen=True, slots=True)
class OrderInput:
    """A private message to the GM, as written. `by` is the seat's name. `at` is when it was sent (UTC)."""

    id: str
    by: str
    text: str
    at: datetime | None = None
    link: str | None = None


@dataclass(frozen=True, slots=True)
class CommandInput:
    """A GM command, as the `gm` command takes it."""

    id: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PhaseInputs:
    """Everything that came in during one phase. `ends` is the deadline (UTC): what was sent later does not count.

    A post or order sent exactly at the deadline still counts (DAN-POST-15: later ones don't). `begins` is when the phase
    opened (UTC), None where that is not known.
    """

    posts: tuple[PostInput, ...] = ()
    orders: tuple[OrderInput, ...] = ()
    commands: tuple[CommandInput, ...] = ()
    ends: datetime | None = None
    begins: datetime | None = None

    def in_time(self, at: datetime | None) -> bool:
        """Whether something sent at `at` still belongs to this phase."""
        return at is None or self.ends is None or at <= self.ends

    def posts_in_order(self, seats: Sequence[str]) -> list[PostInput]:
        """The posts that are in time, in the order in which they count as sent: by time, then as `seats`, then as listed.

        `scenarios.md`: what has no time counts as sent in the order of players, then of the lists.
        """
        place = {name: number for number, name in enumerate(seats)}
        timely = [post for post in self.posts if self.in_time(post.at)]
        return sorted(timely, key=lambda post: _sent(post.at, place.get(post.by, len(place))))

    def posts_as_listed(self) -> list[PostInput]:
        """The posts that are in time, by time; those without one first, as listed (PER-VOTE-06)."""
        return sorted((post for post in self.posts if self.in_time(post.at)), key=lambda post: _sent(post.at, 0))

    def orders_in_order(self, seats: Sequence[str]) -> list[OrderInput]:
        """The orders that are in time, in the order in which they count as sent, as for posts."""
        place = {name: number for number, name in enumerate(seats)}
        timely = [order for order in self.orders if self.in_time(order.at)]
        return sorted(timely, key=lambda order: _sent(order.at, place.get(order.by, len(place))))


def _sent(at: datetime | None, seat: int) -> tuple[bool, float, int]:
    return (at is not None, at.timestamp() if at else 0.0, seat if at is None else 0)
