"""What players are told of lost guesses and of a role taken over, and the clause that goes with a role announced."""

from __future__ import annotations

from typing import Any

import pytest

from engine.choices import Choices
from engine.events import Event
from engine.inputs import OrderInput, PhaseInputs, PostInput
from engine.play import play
from engine.ruleset import load
from tests.test_persian_posts import private, told

RULES = load("persian")
PLAYERS = {"Ali": "godfather", "Sara": "lawyer", "Mina": "executioner", **{f"P{number}": "innocent" for number in range(6)}}


def reveals(start: str, posts: dict[str, str], orders: dict[str, str], **more: Any) -> dict[str, tuple[str, ...]]:
    """Player → the clauses given for the role announced."""
    game = RULES.game(PLAYERS, start=start, **more)
    inputs = PhaseInputs(
        posts=tuple(PostInput(f"p{by}", by, f"[b]vote: {target}[/b]") for by, target in posts.items()),
        orders=tuple(OrderInput(f"o{by}", by, text) for by, text in orders.items()),
    )
    outcome = play(RULES, RULES.begin(game), RULES.first_label(game), inputs, Choices(waived="all"))
    return {event["player"]: event.why for event in outcome.events if event.get("topic") == "reveal"}


@pytest.mark.clause("PER-DISG-01", "PER-DISG-04")
def test_the_role_announced_at_an_execution_goes_by_its_own_clause() -> None:
    setup = {"votes_received": {"P0": 3}}
    shown = reveals("day 3", {"P0": "Sara", "P1": "Sara"}, {"Sara": "frame P0"}, setup=setup)
    assert shown == {"Sara": ("PER-DISG-01",), "P0": ("PER-DISG-04",)}


@pytest.mark.clause("PER-DISG-02", "PER-DISG-04")
def test_the_role_announced_at_a_death_in_the_night_goes_by_its_own_clause() -> None:
    assert reveals("night 3", {}, {"Ali": "kill P0"}, options={"night_deaths": "full"}) == {"P0": ("PER-DISG-02",)}
    dead = {f"P{number}": "innocent" for number in range(5)} | {"Sara": "lawyer"}
    assert reveals("night 3", {}, {"Mina": "execute P5"}, setup={"dead": dead}) == {"P5": ("PER-DISG-04",)}


@pytest.mark.clause("PER-GUESS-04", "PER-GUESS-06", "PER-GUESS-07")
def test_a_team_is_told_that_it_guesses_no_more() -> None:
    body = told([private("guess_lost")])
    assert "تیم شما دیگر نمی‌تواند نقش کسی را حدس بزند." in body
    assert "Your team can guess no more roles." in body


@pytest.mark.clause("PER-POIS-04", "PER-SIDE-08")
def test_a_role_taken_over_is_told_otherwise_than_one_that_has_changed() -> None:
    taken: list[Event] = [private("new_role", role="hunter", besides="poisoner")]
    body = told(taken)
    assert "در کنار نقش خود، نقش [b]شکارچی[/b] را هم" in body
    assert "the role [b]hunter[/b] besides your own" in body
    changed = told([private("new_role", role="innocent")])
    assert "besides" not in changed
    assert "در کنار" not in changed
