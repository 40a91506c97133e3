"""Phases played by the engine and put into posts: what the thread is told, and what it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.choices import Choices
from engine.inputs import OrderInput, PhaseInputs, PostInput
from engine.play import Outcome, play
from engine.posts import Language
from engine.ruleset import load
from publisher.render import Context, phase_post, player_message, tally_post
from tests.test_sandbox import context

RULESET = load("danganronpa")
PLAYERS = {
    "Ann": "ultimate_stagehand", "Bo": {"role": "ultimate_hypnotist", "black": "black_slasher"}, "Cy": "ultimate_nurse",
    "Di": "ultimate_detective", "Eve": "ultimate_lawyer",
}  # fmt: skip


def played(start: str, posts: list[tuple[str, str]], orders: list[tuple[str, str]], **setup: object) -> tuple[Outcome, Context]:
    game = RULESET.game(PLAYERS, start=start, setup=setup)
    state = RULESET.begin(game)
    inputs = PhaseInputs(
        posts=tuple(PostInput(f"p{number}", by, text) for number, (by, text) in enumerate(posts)),
        orders=tuple(OrderInput(f"o{number}", by, text) for number, (by, text) in enumerate(orders)),
    )
    outcome = play(RULESET, state, RULESET.first_label(game), inputs, Choices())
    after = outcome.state
    facts, words = RULESET.posts.facts(after), {"en": RULESET.posts.words(after, Language())}
    seen = replace(context(None), players=game.names, living=tuple(after.living()), facts=facts, words=words)
    return outcome, seen


def red(name: str) -> str:
    return f"[b][color=red]{name}[/color][/b]"


@pytest.mark.clause("DAN-VOTE-12", "DAN-VOTE-17", "DAN-VOTE-06", "DAN-TEAM-08")
def test_a_trial_hides_what_a_talent_hides_and_reveals_the_executed() -> None:
    votes = [("Ann", red("Bo")), ("Cy", red("Bo")), ("Bo", red("Di")), ("Eve", red("Bo"))]
    outcome, seen = played("trial 1", votes, [("Ann", "hide Bo")])
    count = next(event for event in outcome.events if event.kind == "tally").for_public()
    assert count is not None
    tally = tally_post(count.data, "trial 1", seen).body
    assert "Di – 1 – Bo" in tally
    assert "Bo – 3" not in tally
    assert "Ann" not in tally
    assert "Not voting (1 player): Di" in tally
    report = phase_post(outcome.events, "trial 1", seen).body
    assert "Bo is executed" in report
    assert "Black team" in report
    assert "Ultimate Hypnotist" in report
    assert "Black Slasher" in report


@pytest.mark.clause("DAN-HANG-16", "DAN-REG-06")
def test_groups_and_regulations_open_the_daily_life() -> None:
    green = [(name, "[b][color=green]gym[/color][/b]") for name in ("Ann", "Bo")]
    outcome, seen = played("trial 1", green, [])
    report = phase_post(outcome.events, "trial 1", seen).body
    assert "Gym – Ann and Bo" in report
    assert "Sulking – Cy, Di and Eve" in report
    assert "3. Damaging school property is forbidden." in report


@pytest.mark.clause("DAN-INV-08", "DAN-INV-25", "DAN-TAL-13")
def test_results_are_private_and_a_disrupted_one_reads_like_any_other() -> None:
    blue = [(name, "[b][color=blue]lounge[/color][/b]") for name in ("Ann", "Cy")]
    messages = []
    for orders in ([], [("Cy", "disrupt")]):
        outcome, seen = played("deadly life 1", blue, orders, hangouts=dict.fromkeys(PLAYERS, "gym"))
        report = phase_post(outcome.events, "deadly life 1", seen).body
        assert "investigation" not in report.lower()
        assert "lounge" not in report
        message = player_message("Ann", outcome.events, seen)
        assert message is not None
        messages.append(message.body)
        assert "brought nothing to light" in message.body
        disrupter = player_message("Cy", outcome.events, seen)
        assert (disrupter is None) == bool(orders)
    assert messages[0] == messages[1]


@pytest.mark.clause("DAN-PHASE-07", "DAN-TAL-13")
def test_the_dead_of_a_daily_life_are_named_and_nothing_more() -> None:
    together = dict.fromkeys(PLAYERS, "gym")
    outcome, seen = played("daily life 1", [], [("Bo", "murder Di"), ("Bo", "hypnotise Cy to Eve")], hangouts=together)
    report = phase_post(outcome.events, "daily life 1", seen).body
    assert "Di is dead" in report
    for secret in ("murder", "Slasher", "Detective", "White", "Bo killed", "hypnotis"):
        assert secret not in report
    assert player_message("Cy", outcome.events, seen) is None
