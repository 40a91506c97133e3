"""The set-up of a Persian game: what it says is in force, and whatever is wrong in it is refused in a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import SetupRefused
from rulesets.persian.cast import PerState, facts
from tests.persian_games import RULES

PLAYERS: dict[str, Any] = {
    "Ali": "godfather", "Sara": "hunter", "Reza": "fugitive", "Mina": "sheriff", "Omid": "police", "Nima": "public_prosecutor",
    "Laleh": "bulletproof_monk", "Kian": "plunderer", "Dara": "executioner", "Pari": "lawyer", "Babak": "innocent",
}  # fmt: skip
NONSENSE: list[Any] = [
    None, 3, -1, True, "so", ["Ali"], [3], [["Ali"]], {"Ali": None}, {"Ali": "so"}, {"Ali": ["Sara", 7]}, {"Ali": {"right": "two"}},
    {"Ali": {"none such": 1}}, {"Nobody": 1}, {"mafia": 3}, {"mafia": ["Nobody"]}, {"police": 1}, {"Ali": -2}, {"Ali": {"last": 5}},
    {"Sara": {"caught": {"Ali": 1}}}, {3: 3}, {"Ali": [{}]},
]  # fmt: skip


def begun(players: dict[str, Any] = PLAYERS, options: dict[str, Any] | None = None, start: str = "night 3", **setup: Any) -> PerState:
    state = RULES.begin(RULES.game(players, options=options, setup=setup, start=start))
    assert isinstance(state, PerState)
    return state


@pytest.mark.parametrize("key", facts()["setup"])
def test_nonsense_is_refused_and_never_breaks(key: str) -> None:
    refused = []
    for value in NONSENSE:
        try:
            begun(**{key: value})
        except SetupRefused as mistake:
            refused.append(mistake)
    assert len(refused) >= len(NONSENSE) - 5
    assert all(mistake.path[:2] == ("setup", key) and str(mistake) for mistake in refused)


def test_what_the_set_up_says_is_in_force() -> None:
    state = begun(
        conditions={"Laleh": "plain", "Ali": ["infected", "trapped"]}, dead={"Babak": "guard"}, executions=2, votes_received={"Omid": 2},
        forecasts={"Dara": {"right": 1}}, wrong_guesses={"mafia": 2}, traps={"Sara": {"successful": 1, "targets": ["Ali"], "caught": ["Ali"]}},
        hides={"Reza": {"failed": 1, "last": "not_hidden"}}, symbolic_votes={"Mina": ["Ali"]}, ward_hits={"Ali": 1}, identified={"Omid": ["Ali"]},
        past_targets={"Sara": ["Omid"]}, plunder_hits={"Kian": 2}, successful_kills=1, clothed_kills=1, prosecutor_side="guilty",
    )  # fmt: skip
    assert state.role("Laleh") == "innocent"
    assert state.has("Ali", "trapped")
    assert state.first_marks == {"Ali": "psychopath"}
    assert not state.alive("Babak")
    assert "Babak" in state.publicly_gone
    assert state.shown["Babak"] == "guard"
    assert state.targets["Sara", "trap"] == ["Ali", "Omid"]
    assert state.identified == {"Omid": {"Ali": 2}}
    assert state.side("Nima") == "guilty"
    assert (state.executions, state.killers_successes, state.clothed_kills) == (2, 1, 1)
    assert state.forecast("Dara", "right") == 1
    assert state.last_shelter == {"Reza": False}


@pytest.mark.parametrize(
    ("nights_first", "start", "night"), [(False, "night 3", 2), (False, "day 3", 2), (True, "night 3", 2), (True, "day 3", 3)]
)
def test_the_last_night_before_the_start(nights_first: bool, start: str, night: int) -> None:
    state = begun(options={"first_phase": "night" if nights_first else "day"}, start=start, identified={"Omid": ["Ali"]})
    assert state.identified == {"Omid": {"Ali": night}}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"Ali": "godfathr"}, "did you mean `godfather`"),
        ({"Ali": "پدر خوانده"}, "did you mean `godfather`"),
        ({"Ali": "جن گير"}, "did you mean `exorcist`"),
        ({"Ali": "bulletproof monk"}, "did you mean `bulletproof_monk`"),
        ({"Ali": {"role": "godfather", "side": "guilty"}}, "PER-PROS-01"),
        ({"Nima": {"role": "public_prosecutor", "side": "guilti"}}, "did you mean `guilty`"),
        ({"Ali": {"role": "godfather", "colour": "red"}}, "unknown key `colour`"),
        ({"Ali": "godfather", "Sara": "godfather"}, "PER-INFIL-13"),
    ],
)
def test_players_that_cannot_be(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(SetupRefused, match=says):
        begun({**PLAYERS, **changed})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"false_counts": [1, 2]}, "three numbers"),
        ({"false_counts": [0, 1, 2]}, "three numbers"),
        ({"statements_per_text": 2}, "largest of `false_counts`, 3 .PER-REPORT-24"),
        ({"report_roles": ["gard"]}, "did you mean `guard`"),
        ({"gm_leave_roles": ["princ"]}, "did you mean `prince`"),
        ({"action_order": [1, 2, 3, 4, 5, 6, 7, 9]}, "PER-ORDER-15"),
        ({"godfather_kills": -1}, "whole number"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SetupRefused, match=says):
        begun(options=options)


def test_a_shelter_that_is_neither_is_told_as_written() -> None:
    with pytest.raises(SetupRefused, match="hidden or not_hidden, not `maybe`"):
        begun(hides={"Reza": {"failed": 1, "last": "maybe"}})


@pytest.mark.parametrize("start", ["night 7", "defence 1", "day 0", "noon", "day"])
def test_no_game_starts_there(start: str) -> None:
    with pytest.raises(SetupRefused):
        begun(start=start)
