"""What must hold in every game, whatever is played (quality.md; architecture.md, ideas 1 to 4)."""

from __future__ import annotations

import random

import pytest

from engine.choices import cast_die
from engine.interference import stopped
from engine.play import Outcome
from engine.state import State
from tests.games import RULES, random_game

SEEDS = range(60)


@pytest.fixture(scope="module")
def games() -> list[list[tuple[State, Outcome]]]:
    return [list(random_game(random.Random(seed))) for seed in SEEDS]


def test_the_state_is_a_fold_over_the_events(games: list[list[tuple[State, Outcome]]]) -> None:
    for game in games:
        for before, outcome in game:
            folded = before.copy()
            folded.begun[outcome.label.kind] = outcome.label.number
            for event in outcome.events:
                folded.apply(type(event).from_record(event.to_record()))
            for field in type(folded).__dataclass_fields__:
                assert getattr(folded, field) == getattr(outcome.state, field), (str(outcome.label), field)


def test_no_public_or_foreign_event_tells_what_is_secret(games: list[list[tuple[State, Outcome]]]) -> None:
    for game in games:
        for _, outcome in game:
            for event in outcome.events:
                shown = event.for_public()
                if shown is not None:
                    assert "by" not in shown.data
                    assert "final" not in shown.data
                if event.kind in ("result", "notice") and event.visibility == "private":
                    assert shown is None
                    assert [name for name in outcome.conditions if event.for_player(name)] == [event["to"]]
                if event.kind in ("deed", "spend", "draw", "ask"):
                    assert event.visibility == "gm"


def test_every_event_names_clauses_that_exist(games: list[list[tuple[State, Outcome]]]) -> None:
    clauses = (RULES.folder / "clauses.md").read_text(encoding="utf-8")
    cited = {clause for game in games for _, outcome in game for event in outcome.events for clause in event.why}
    assert cited
    assert [clause for clause in sorted(cited) if f"- `{clause}` [" not in clauses] == []


def test_nobody_dies_twice_and_the_dead_do_nothing(games: list[list[tuple[State, Outcome]]]) -> None:
    for game in games:
        for before, outcome in game:
            deaths = [event["player"] for event in outcome.events if event.kind == "death"]
            assert len(deaths) == len(set(deaths))
            assert all(before.alive(player) for player in deaths)
            assert all(before.alive(event["actor"]) for event in outcome.events if event.kind == "deed")


@pytest.mark.parametrize(
    ("stops", "down"),
    [
        ({"a": "b", "b": "c"}, "b"),
        ({"a": "b", "b": "a"}, "ab"),
        ({"a": "b", "b": "c", "c": "a"}, "abc"),
        ({"a": "b", "b": "a", "c": "d"}, "abd"),
        ({"a": "b", "b": ["a", "x"], "x": "y"}, "aby"),
        ({"o": "a", "a": "b", "b": "a"}, "a"),
    ],
    ids=["chain", "pair", "ring of three", "ring and chain", "a ring stops nobody outside", "a ring broken from outside"],
)
def test_chains_and_rings(stops: dict[str, str], down: str) -> None:
    assert stopped(stops) == set(down)
    assert stopped(dict(reversed(stops.items()))) == stopped(stops)


def test_one_more_draw_changes_no_other() -> None:
    assert cast_die("7", "trial 1", "tie", 5) == cast_die("7", "trial 1", "tie", 5)
    assert len({cast_die("7", "trial 1", f"draw {number}", 1000) for number in range(50)}) > 40
