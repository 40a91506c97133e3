"""Who sits where: the accounts that speak for each player, from when until when, and the names a seat is called by.

A replaced player's own posts and messages declare nothing after the replacement, and his name means the seat
(`design/reading.md`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, Self

from engine.game import Game
from scraper.model import iso
from store.order import may_be_after
from store.record import Entry, moment


class Player(Protocol):
    """A player as `game.toml` has one."""

    @property
    def name(self) -> str:
        """The seat's name."""

    @property
    def accounts(self) -> tuple[str, ...]:
        """The names under which the player posts and writes."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Further names by which others call the player."""


@dataclass(frozen=True, slots=True)
class Tenure:
    """An account that speaks for a player after `since` and up to `until` (UTC); None is the game's whole length."""

    player: str
    account: str
    since: datetime | None = None
    until: datetime | None = None

    def holds(self, at: datetime | None) -> bool:
        """Whether the account speaks for the player at that time. What has no time counts as sent before all else.

        Pages may tell minutes only: what a new player writes in the minute of the change is written after it.
        """
        if at is None:
            return self.since is None
        return (self.since is None or may_be_after(at, self.since)) and (self.until is None or at <= self.until)


@dataclass(frozen=True, slots=True)
class Seats:
    """All tenures, in the order begun, and the further names of each player."""

    tenures: tuple[Tenure, ...]
    aliases: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, players: Sequence[Player], entries: Iterable[Entry]) -> Self:
        """Those of `game.toml`, with the replacements the GM has ordered since.

        A replacement ends the tenure of the accounts it took the seat from. What `game.toml` has come to name since is another
        name of who has the seat now.
        """
        tenures = [Tenure(player.name, account) for player in players for account in player.accounts]
        begun: dict[str, datetime] = {}
        for entry in entries:
            if entry.kind == "replace":
                named = [one.account for one in tenures if one.player == entry.key]
                gone = [account for account in entry.held if not is_one_of([account], named)]
                tenures = [_after(one, entry) if one.player == entry.key and one.until is None else one for one in tenures]
                tenures += [Tenure(entry.key, account, begun.get(entry.key), entry.at) for account in gone]
                tenures.append(Tenure(entry.key, entry.text, since=entry.at))
                begun[entry.key] = entry.at
        return cls(tuple(tenures), {player.name: player.aliases for player in players})

    def seat_of(self, account: str, at: datetime | None) -> str | None:
        """The player for whom `account` (regardless of case) speaks at that time; None for a stranger."""
        wanted = account.casefold()
        held = (one.player for one in self.tenures if one.account.casefold() == wanted and one.holds(at))
        return next(held, None)

    def called(self, name: str) -> str | None:
        """The player whom the GM means by a player's name or, where nobody has it, by an alias or account, regardless of case."""
        wanted = name.strip().casefold()
        known = self.names()
        first = next((player for player in known if player.casefold() == wanted), None)
        return first or next((player for player, names in known.items() if wanted in map(str.casefold, names)), None)

    def account(self, player: str) -> str:
        """The account that gets the player's messages: the first of those who have the seat now."""
        return self.holding(player)[0]

    def holding(self, player: str) -> tuple[str, ...]:
        """The accounts of who has the seat now; the first gets its messages."""
        return tuple(dict.fromkeys(one.account for one in self.tenures if one.player == player and one.until is None))

    def accounts(self) -> list[str]:
        """Every account that speaks or once spoke for somebody."""
        return [one.account for one in self.tenures]

    def names(self) -> dict[str, tuple[str, ...]]:
        """Player → every further name: aliases, accounts, and the accounts of those who sat there before."""
        return {
            player: tuple(name for name in dict.fromkeys([*given, *self._accounts(player)]) if name != player)
            for player, given in self.aliases.items()
        }

    def _accounts(self, player: str) -> list[str]:
        return [one.account for one in self.tenures if one.player == player]

    def seated(self, game: Game) -> Game:
        """The game with its seats called by these names too."""
        names = self.names()
        return replace(game, seats=tuple(replace(seat, aliases=names.get(seat.name, seat.aliases)) for seat in game.seats))

    def as_json(self) -> dict[str, Any]:
        """What a closed phase keeps, so that its replay reads as it did."""
        rows = [[one.player, one.account, iso(one.since), iso(one.until)] for one in self.tenures]
        return {"tenures": rows, "aliases": {name: list(given) for name, given in self.aliases.items()}}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """The seats that `as_json` kept."""
        rows = (Tenure(player, account, moment(since), moment(until)) for player, account, since, until in kept["tenures"])
        return cls(tuple(rows), {name: tuple(given) for name, given in kept["aliases"].items()})


def _after(tenure: Tenure, taken_over: Entry) -> Tenure:
    """What becomes of a tenure when the seat is taken over. An older file does not tell from which accounts: from all."""
    if not taken_over.held or is_one_of([tenure.account], taken_over.held):
        return replace(tenure, until=taken_over.at)
    return replace(tenure, since=taken_over.at)


def is_one_of(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether an account is among both, regardless of case."""
    return not {one.casefold() for one in some}.isdisjoint(one.casefold() for one in others)
