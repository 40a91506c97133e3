"""A game before anything happened: who sits where, under which ruleset and options, with what set-up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any


class SetupRefused(Exception):
    """The set-up of a game cannot be played. `path` leads to the mistake, e.g. `("setup", "talents", 0, "colour")`.

    `nearest` is the nearest right spelling, where there is one.
    """

    def __init__(self, message: str, path: tuple[str | int, ...] = (), nearest: str | None = None) -> None:
        super().__init__(message + (f" (did you mean `{nearest}`?)" if nearest else ""))
        self.path, self.nearest = path, nearest


def nearest(word: object, known: Mapping[str, Any] | set[str] | frozenset[str] | list[str] | tuple[str, ...]) -> str | None:
    """The known word that `word` most looks like, regardless of case, or None."""
    plain = {one.casefold(): one for one in known}
    found = get_close_matches(str(word).casefold(), list(plain), n=1, cutoff=0.6)
    return plain[found[0]] if found else None


OWN_WORDS = {"gm": "the GM", "thread": "everybody"}
"""Names that no player can have, and whom they stand for where it is said to whom something is told."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place in the game. `name` stays for the whole game; `given` is what the players map says of it."""

    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Game:
    """What a game starts from. `options` has a value for every option of the ruleset; `seed` keys the dice."""

    ruleset: str
    seats: tuple[Seat, ...]
    options: Mapping[str, Any]
    setup: Mapping[str, Any] = field(default_factory=dict)
    seed: str = "0"
    start: str | None = None
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """The players' names, in the order of seats."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(seat.name for seat in self.seats))
