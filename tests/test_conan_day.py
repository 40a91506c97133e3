"""What no single scenario can show of a Conan day: how often a draw falls so, and what it is not among."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.choices import Choices, UnknownChoice
from engine.inputs import OrderInput, PhaseInputs
from engine.play import play
from engine.ruleset import load
from rehearsal.run import rehearse

PLAYERS = {
    "Ayu": "ayumi", "Mit": "mitsuhiko", "Gen": "genta", "Bo": "gin", "Teq": "tequila", "Sat": "satou", "Tak": "takagi",
    "Kob": "kobayashi", "Eri": "eri",
}  # fmt: skip


def spoilt(seed: int, senders: tuple[str, ...], conditions: dict[str, str]) -> bool:
    """Whether the question of these Boys comes to nothing."""
    rules = load("conan")
    game = rules.game(PLAYERS, setup={"conditions": conditions}, seed=str(seed), start="day 1")
    orders = tuple(OrderInput(f"order {name}", name, "identify Sat as Satou") for name in senders)
    outcome = play(rules, rules.begin(game), rules.first_label(game), PhaseInputs(orders=orders), Choices(str(seed)))
    answers = {event["value"] for event in outcome.events if event.kind == "result" and event["action"] == "identify"}
    assert len(answers) == 1
    return answers == {"failed"}


@pytest.mark.clause("CON-FRIGHT-08", "CON-FRIGHT-14", "CON-IDENT-04")
@pytest.mark.parametrize(
    ("senders", "conditions", "least", "most"),
    [
        (("Ayu", "Mit", "Gen"), {"Ayu": "frightened"}, 0.57, 0.76),
        (("Ayu", "Mit"), {"Ayu": "frightened"}, 0.41, 0.59),
        (("Ayu", "Mit"), {"Ayu": "frightened", "Gen": "arrested"}, 0.41, 0.59),
        (("Ayu", "Mit"), {"Gen": "frightened"}, 0.0, 0.0),
        (("Ayu",), {"Ayu": "frightened"}, 1.0, 1.0),
    ],
)
def test_how_often_a_frightened_boy_spoils_the_question(
    senders: tuple[str, ...], conditions: dict[str, str], least: float, most: float
) -> None:
    games = 200
    assert least <= sum(spoilt(seed, senders, conditions) for seed in range(games)) / games <= most


@pytest.mark.clause("CON-PINCH-07")
def test_the_new_face_is_another_than_the_one_pinched_off() -> None:
    played = rehearse(Path(__file__).parent / "scenarios" / "conan" / "day-pinch-akai.yaml")
    (draw,) = [event for outcome in played.phases for event in outcome.events if event.get("name") == "disguise.Kid"]
    assert "akai" not in draw["among"]
    assert "shinichi" in draw["among"]


@pytest.mark.clause("CON-GEN-17")
@pytest.mark.parametrize(
    ("start", "pins"),
    [
        ("prep", {"costumes.Yu": ["gin", "ran", "heiji", "eri", "takagi"]}),
        ("prep", {"costumes.Yu": ["ran", "ran", "heiji", "eri", "takagi"]}),
        ("prep", {"lovers": [["Ayu", "Sat"]]}),
        ("prep", {"lovers": [["Sat", "Tak"], ["Sat", "Kob"]]}),
        ("day 1", {"identify": "sometimes"}),
    ],
)
def test_what_a_draw_cannot_yield_is_no_pin(start: str, pins: dict[str, Any]) -> None:
    rules = load("conan")
    setup = {"conditions": {"Ayu": "frightened"}} if start == "day 1" else {}
    game = rules.game({**PLAYERS, "Yu": "yukiko", "Yum": "yumi"}, setup=setup, seed="1", start=start)
    orders = tuple(OrderInput(f"order {name}", name, "identify Sat as Satou") for name in ("Ayu", "Mit"))
    orders += (OrderInput("order Yum", "Yum", "lovers: Ayu, Sat, Tak, Kob, Eri, Bo"),)
    with pytest.raises(UnknownChoice):
        play(rules, rules.begin(game), rules.first_label(game), PhaseInputs(orders=orders), Choices("1", pins))
