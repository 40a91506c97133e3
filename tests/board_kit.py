"""What the tests of every small forum do: put it behind its address, sign the host in, let time go by, let players talk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Protocol, TypeVar

import responses

from tests.practice_kit import Clock


class Board(Protocol):
    """A small forum: its clock, what one says there, and its answer to each request."""

    clock: Clock

    def say(self, by: str, text: str, /) -> Any: ...

    def __call__(self, request: Any, /) -> Any: ...


B = TypeVar("B", bound=Board)
L = TypeVar("L", bound=Any)


def answering(board: B, site: str, *methods: str) -> Iterator[B]:
    """The board behind `site`, with the topic's first post in it."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        for method in ("GET", "POST", *methods):
            web.add_callback(method, re.compile(re.escape(site)), callback=board)
        board.say("Anna", "It begins.")
        yield board


def hosted(live: Callable[..., L], site: str, board: Board) -> L:
    """The adapter with the host's account, which signs in when it must."""
    made = live(site, board.clock.session(), now=board.clock.now)
    made.use_account("Host", "secret")
    return made


def later(board: Board, **by: float) -> None:
    """Time goes by."""
    board.clock.moment += timedelta(**by)


def talk(board: Board, count: int) -> None:
    """So many posts by two players in turn, two minutes apart."""
    for number in range(count):
        later(board, minutes=2)
        board.say(("Boris", "Anna")[number % 2], f"words {number}")
