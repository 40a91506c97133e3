"""Dealing: roles that may be in one game, the BO's share of them, and where prep is not played lovers and a friend (CON-ROLE-23).

All of it is decided by the game's seed. Disguises and costumes are drawn as the first phase opens (CON-DISG-01, CON-COST-01).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from engine.choices import cast_die
from engine.game import SetupRefused, nearest
from rulesets.conan.cast import ConState, facts, roles
from rulesets.conan.prep import draw_pairs
from rulesets.conan.setup import may_befriend, may_love, share_of

Hands = dict[str, dict[str, str]]
"""Player → field → what was dealt."""
TRIES = 200
"""How many shuffles are tried before a deck is given up: a clash may leave a shuffle short of roles where another is not."""


@dataclass(slots=True)
class Dice:
    """The dice of one deal: each throw has a name of its own, so that everybody can check it with the seed."""

    seed: str
    thrown: int = 0

    def number(self, sides: int) -> int:
        """A number below `sides`."""
        self.thrown += 1
        return cast_die(self.seed, "deal", f"roles:{self.thrown}", sides)

    def pick(self, among: Sequence[str]) -> str:
        """One of several."""
        return among[self.number(len(among))]

    def shuffled(self, cards: Sequence[str]) -> list[str]:
        """The cards in a new order."""
        left, found = list(cards), []
        while left:
            found.append(self.pick(left))
            left.remove(found[-1])
        return found


@dataclass(slots=True)
class Dealt:
    """The roles dealt so far, an Anokata's town role included (CON-ROLE-23)."""

    roles: list[str] = field(default_factory=list)

    def take(self, cards: Sequence[str], count: int) -> list[str]:
        """The first so many of the cards that clash with nothing dealt; fewer where no more fit."""
        taken: list[str] = []
        for card in cards:
            if len(taken) < count and clash(card, self.roles) is None:
                taken.append(card)
                self.roles.append(card)
        return taken


def clash(card: str, held: Sequence[str]) -> str | None:
    """The role among those held that keeps `card` out of the game: itself, or one of a pair.  CON-ROLE-18 to -22 -24"""
    if card in held:
        return card
    rivals = {role for group in facts()["clashes"] if card in group["roles"] for role in group["roles"]}
    return next((role for role in held if role in rivals), None)


def _held(held: Mapping[str, Mapping[str, Any]]) -> Dealt:
    return Dealt([str(given[word]) for given in held.values() for word in ("role", "town_role") if word in given])


def _members(held: Sequence[str]) -> int:
    """How many of the roles are of the BO."""
    return sum(role in roles() and roles()[role].side == "black_org" for role in held)


def offered(players: int, held: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A deck of the right size for the players who hold no role yet: the first of the ruleset's list that clash with nothing
    held, so many of the BO as were among the first for so many players.
    """
    listed = facts()["deck"]
    table, seats = _held(held), players - len(held)
    cards = list(dict.fromkeys((*listed, *roles())))
    bo = [card for card in cards if roles()[card].side == "black_org"]
    town = [card for card in cards if card not in bo]
    wanted = _members(listed[:players]) - _members(table.roles)
    taken = table.take(bo, min(max(wanted, 0), seats))
    taken += table.take(town, seats - len(taken))
    return [card for card in cards if card in taken]


def deal(
    seats: Sequence[str], deck: Mapping[str, Sequence[str]], held: Mapping[str, Mapping[str, Any]], options: Mapping[str, Any],
    seed: str,
) -> Hands:  # fmt: skip
    """What each of `seats` is dealt: its role, and an Anokata's town role. `held` are the players who have theirs already.

    `deck["role"]` is what may be dealt, `deck["town_role"]` what an Anokata may be dealt on, without it any role; one that is
    not in the deck is preferred. Raises SetupRefused, with the place of the deck that is wrong.
    """
    cards = list(dict.fromkeys(deck.get("role", ())))
    for field_, card in [(name, card) for name in deck for card in deck[name]]:
        if field_ not in ("role", "town_role"):
            raise SetupRefused(f"[deal] has `role` and `town_role`, not `{field_}`", ("deal", field_))
        if card not in roles():
            raise SetupRefused(f"unknown role `{card}`", ("deal", field_), nearest(card, list(roles())))
    dice = Dice(seed)
    for _ in range(TRIES):
        hands = _tried(seats, cards, deck.get("town_role"), held, options, dice)
        if hands is not None:
            return hands
    raise SetupRefused(why_short(len(seats), cards), ("deal", "role"))


def _tried(
    seats: Sequence[str], cards: Sequence[str], town_roles: Sequence[str] | None, held: Mapping[str, Mapping[str, Any]],
    options: Mapping[str, Any], dice: Dice,
) -> Hands | None:  # fmt: skip
    """One attempt: the BO's roles first, then the town's; None where the cards that fit are too few."""
    table = _held(held)
    order = dice.shuffled(cards)
    bo = [card for card in order if roles()[card].side == "black_org"]
    town = [card for card in order if card not in bo]
    wanted = bo_members(len(seats) + len(held), options, dice) - _members(table.roles)
    dealt = table.take(bo, min(max(wanted, len(seats) - len(town), 0), len(seats)))
    hands = {card: {"role": card} for card in order}
    if "anokata" in dealt:
        fitting = [card for card in town_roles or roles() if may_be_town_role(card, table.roles)]
        spare = [card for card in fitting if card not in cards] or fitting
        if not spare:
            return None
        hands["anokata"]["town_role"] = dice.pick(spare)
        table.roles.append(hands["anokata"]["town_role"])
    dealt += table.take(town, len(seats) - len(dealt))
    if len(dealt) < len(seats):
        return None
    return {seat: hands[card] for seat, card in zip(seats, dice.shuffled(dealt), strict=True)}


def may_be_town_role(card: str, held: Sequence[str]) -> bool:
    """Whether an Anokata may be dealt on that role.  CON-ROLE-02"""
    return roles()[card].side == "town" and card not in facts()["not_for_anokata"] and clash(card, held) is None


def bo_members(players: int, options: Mapping[str, Any], dice: Dice) -> int:
    """How many of so many players are of the BO: drawn within the share that the GM set.  CON-GEN-02"""
    least, most = share_of(options.get("bo_share"))
    fitting = [number for number in range(1, players) if least <= Fraction(number, players) <= most]
    if fitting:
        return int(dice.pick([str(number) for number in fitting]))
    return max(1, round(players * (least + most) / 2))


def why_short(seats: int, cards: Sequence[str]) -> str:
    """Why a deck does not do."""
    if len(cards) < seats:
        return f"{seats} players are to be dealt a role and `role` lists only {len(cards)}"
    rivals = [
        f"{roles()[one].name} and {roles()[other].name}" for one, other in combinations(cards, 2) if clash(one, [other])
    ]  # fmt: skip
    pairs = f": {', '.join(rivals)} keep each other out (CON-ROLE-18 to -22)" if rivals else ""
    return f"`role` has too few roles that may be in one game for {seats} players{pairs}"


def drawn(state: ConState) -> dict[str, Any]:
    """Where prep is not played: Sonoko's friend, then the lovers, as set-up keys.  CON-BEFRIEND-04 -05, CON-AMOR-01 -05"""
    dice, found = Dice(state.game.seed), dict[str, Any]()
    sonoko, yumi = state.with_role("sonoko"), state.with_role("yumi")
    friends = [name for name in state.game.names if may_befriend(state, name)]
    if sonoko is not None and not state.friend and friends:
        state.friend[sonoko] = dice.pick(friends)
        found["friend"] = dict(state.friend)
    if yumi is not None and not state.lovers:
        among = [name for name in state.game.names if may_love(state, name)]
        pairs = draw_pairs(state, among, dice.number)
        found |= {"lovers": pairs} if pairs else {}
    return found
