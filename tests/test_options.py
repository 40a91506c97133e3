"""Options of a ruleset: what may be given, in `game.toml` and in scenarios alike, and set-ups that make no game."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import SetupRefused
from engine.ruleset import load

RULES = load("danganronpa")
CAST = {"Ann": "ultimate_nurse", "Bo": "ultimate_lawyer", "Cy": {"role": "ultimate_surgeon", "black": "black_slasher"}}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("trial_hours", -5, "a number above 0"),
        ("daily_life_hours", 0, "a number above 0"),
        ("deadly_life_hours", float("nan"), "a number above 0"),
        ("trial_hours", float("inf"), "a number above 0"),
        ("trial_hours", True, "a number above 0"),
        ("trial_hours", "72", "without quotes: trial_hours = 72"),
        ("punishments_per_phase", -1, "a whole number from 0"),
        ("punishments_per_phase", 1.5, "a whole number from 0"),
        ("edits", "frist", "did you mean `first`"),
        ("deadchat", "at_deth", "did you mean `at_death`"),
        ("revive_executed", "true", "without quotes: revive_executed = true"),
        ("trail_hours", 72, "did you mean `trial_hours`"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(name: str, value: Any, said: str) -> None:
    with pytest.raises(SetupRefused) as refused:
        RULES.game(CAST, options={name: value})
    assert said in str(refused.value)
    assert refused.value.path == ("options", name)


@pytest.mark.parametrize(("name", "value"), [("trial_hours", 0.5), ("punishments_per_phase", 0), ("edits", "void")])
def test_what_can_be_is_taken(name: str, value: Any) -> None:
    assert RULES.game(CAST, options={name: value}).options[name] == value


def test_a_cast_that_has_won_already_is_warned_of() -> None:
    assert RULES.warnings(RULES.game(CAST)) == []
    (told,) = RULES.warnings(RULES.game({"Ann": "ultimate_nurse", "Bo": "ultimate_lawyer"}))
    assert "White wins" in told
    (told,) = RULES.warnings(RULES.game({name: CAST[name] for name in ("Ann", "Cy")}))
    assert "Black wins" in told
    (told,) = RULES.warnings(RULES.game({**CAST, "Dee": "ultimate_stuntman"}, setup={"blackened": ["Ann", "Bo"]}))
    assert "blackened" in told


def test_a_player_called_like_a_word_that_takes_a_vote_back_is_warned_of() -> None:
    (told,) = RULES.warnings(RULES.game({**CAST, "Nobody": "ultimate_stuntman"}))
    assert "Nobody" in told


def test_every_order_phrase_can_be_read() -> None:
    phrases = {phrase: (phases, holders) for phrase, phases, holders in RULES.order_phrases()}
    assert phrases["hypnotise X to Y"] == ("daily life", "ultimate_hypnotist")
    assert phrases["disrupt"] == ("deadly life", "everybody")
    assert "bolt_door" in phrases
