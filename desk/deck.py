"""Dealing the roles: which player gets what, decided by the game's seed alone, so that players can check it afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.choices import cast_die


class CannotDeal(Exception):
    """The deck does not fit the players. `field` is the list in `[deal]` that is too short or too long."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def deal(seats: Sequence[str], deck: Mapping[str, Sequence[str]], seed: str) -> dict[str, dict[str, str]]:
    """What each of `seats` gets: a map of field → what was drawn.

    `deck["role"]` holds at least one for every seat, and what is left over is not in play. Every other list is given out
    whole, one to a seat, and nobody gets from two of them. Raises CannotDeal.
    """
    hands: dict[str, dict[str, str]] = {seat: {} for seat in seats}
    roles = list(deck.get("role", ()))
    if len(roles) < len(seats):
        raise CannotDeal(f"{len(seats)} players are to be dealt a role and `role` lists only {len(roles)}", "role")
    for seat in seats:
        hands[seat]["role"] = roles.pop(cast_die(seed, "deal", f"role:{seat}", len(roles)))
    free = list(seats)
    for field, cards in deck.items():
        if field == "role":
            continue
        for number, card in enumerate(cards):
            if not free:
                raise CannotDeal(f"`{field}` has more entries than there are players left to get one", field)
            hands[free.pop(cast_die(seed, "deal", f"{field}:{number}", len(free)))][field] = card
    return hands
