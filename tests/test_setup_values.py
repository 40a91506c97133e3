"""Set-up values of every wrong kind, in every ruleset: refused in a sentence with its place, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import SetupRefused
from engine.ruleset import RULESETS, load

PLAYERS: dict[str, dict[str, Any]] = {
    "conan": {"Ann": "gin", "Bo": "vermouth", "Cid": "sonoko", "Dee": "hakuba", "Eve": "yukiko", "Flo": "agasa", "Gus": "satou"},
    "persian": {"Ann": "godfather", "Bo": "hunter", "Cid": "fugitive", "Dee": "sheriff", "Eve": "police", "Flo": "innocent"},
    "danganronpa": {"Ann": "ultimate_detective", "Bo": {"role": "ultimate_nurse", "black": "black_slasher"}, "Cid": "ultimate_journalist"},
}
WORDS = (
    "Ann", "Bo", "Cid", "Nobody", "gin", "ran", "police", "dead", "injured", "by", "action", "target", "phase", "via", "condition",
    "until", "slander", "travel", "disguise", "detain", "night 1", "nigth 1", "day 1", "prep", "frame", "role", "id", "colour", "abilities",
    "successful", "targets", "last", "right", "mafia", "trap", "gun", "",
)  # fmt: skip
KEYS = st.sampled_from(WORDS)
LEAVES = st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=True) | KEYS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8)
ROWS = st.lists(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("by", "action", "target", "phase", "via"), KEYS | VALUES)
    ), max_size=3,
)  # fmt: skip


def kinds() -> list[tuple[str, str]]:
    return [(ruleset, key) for ruleset in RULESETS if ruleset in PLAYERS for key in load(ruleset).facts["setup"]]


@pytest.mark.parametrize(("ruleset", "key"), kinds())
@settings(max_examples=60, deadline=None)
@given(value=VALUES | ROWS)
def test_odd_values_are_refused_and_never_break(ruleset: str, key: str, value: Any) -> None:
    rules = load(ruleset)
    refused = None
    try:
        rules.begin(rules.game(PLAYERS[ruleset], setup={key: value}))
    except SetupRefused as mistake:
        refused = mistake
    assert refused is None or (refused.path[:2] == ("setup", key) and str(refused))


def options() -> list[tuple[str, str]]:
    return [(ruleset, name) for ruleset in RULESETS if ruleset in PLAYERS for name in load(ruleset).options]


@pytest.mark.parametrize(("ruleset", "name"), options())
@settings(max_examples=25, deadline=None)
@given(value=VALUES | st.lists(VALUES, min_size=8, max_size=8) | st.lists(st.integers(-1, 9), max_size=8))
def test_odd_options_are_refused_and_never_break(ruleset: str, name: str, value: Any) -> None:
    rules = load(ruleset)
    refused = None
    try:
        game = rules.game(PLAYERS[ruleset], options={name: value})
        rules.begin(game)
        rules.warnings(game)
    except SetupRefused as mistake:
        refused = mistake
    assert refused is None or (refused.path[:1] == ("options",) and str(refused))


@pytest.mark.parametrize("steps", [[str(step) for step in range(1, 9)], [float(step) for step in range(1, 9)], [True, *range(2, 9)]])
def test_steps_of_the_night_are_numbers(steps: list[Any]) -> None:
    with pytest.raises(SetupRefused, match="lists the steps 1 to 8"):
        load("persian").begin(load("persian").game(PLAYERS["persian"], options={"action_order": steps}))


@pytest.mark.parametrize("ruleset", PLAYERS)
@settings(max_examples=90, deadline=None)
@given(value=VALUES | st.fixed_dictionaries({}, optional=dict.fromkeys(("role", "black", "grey", "town_role", "side", "aliases"), VALUES | KEYS)))
def test_odd_players_are_refused_and_never_break(ruleset: str, value: Any) -> None:
    rules = load(ruleset)
    refused = None
    try:
        rules.begin(rules.game({**PLAYERS[ruleset], "Zed": value}))
    except SetupRefused as mistake:
        refused = mistake
    assert refused is None or (refused.path[:1] == ("players",) and str(refused))
