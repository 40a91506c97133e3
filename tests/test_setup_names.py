"""Names of players that nobody could tell apart are refused in every ruleset (reading.md, "A name", step 1)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import SetupRefused
from engine.ruleset import RULESETS, load, told_apart


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize(
    ("players", "path", "says"),
    [
        ({"Ver": "x", "ver": "x"}, ("players", "ver"), "Ver and ver are both called `Ver`"),
        ({"Ver": "x", "Ran": {"role": "x", "aliases": ["R", "VER"]}}, ("players", "Ran", "aliases", 1), "Ran and Ver are both called `Ver`"),
        ({"Ran": {"role": "x", "aliases": ["Ver"]}, "Ver": "x"}, ("players", "Ran", "aliases", 0), "both called `Ver`"),
    ],
)
def test_two_players_of_one_name_are_refused(ruleset: str, players: dict[str, Any], path: tuple[Any, ...], says: str) -> None:
    with pytest.raises(SetupRefused) as refused:
        told_apart(load(ruleset).game(players).seats)
    assert refused.value.path == path
    assert says in str(refused.value)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_names_that_differ_and_an_alias_of_ones_own_are_taken(ruleset: str) -> None:
    players = {"Ann_B": {"role": "x", "aliases": ["ann_b", "A"]}, "AnnB": {"role": "x", "aliases": ["A"]}, "***": "x", "---": "x"}
    told_apart(load(ruleset).game(players).seats)
