"""What must hold in every Persian game, whatever is played (quality.md; architecture.md, ideas 1 to 4)."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from engine.choices import Choices
from engine.game import Game
from engine.inputs import OrderInput, PhaseInputs
from engine.play import play
from rulesets.persian.cast import roles
from rulesets.persian.orders import legal_orders
from tests.persian_games import NAMES, RULES, Played, close, random_game

SEEDS = range(160)
TOLD_BY_NIGHT = frozenset((
    "introduction", "night_report", "tailor_hint", "magic_exposed", "left_game", "personal_win", "personal_loss", "next_phase",
    "options_changed",
))  # fmt: skip


@pytest.fixture(scope="module")
def games() -> list[list[Played]]:
    return [list(random_game(random.Random(seed))) for seed in SEEDS]


def test_the_state_is_a_fold_over_the_events(games: list[list[Played]]) -> None:
    for game in games[::3]:
        for played in game:
            folded = played.before.copy()
            folded.begun[played.outcome.label.kind] = played.outcome.label.number
            for event in played.outcome.events:
                folded.apply(type(event).from_record(event.to_record()))
            for field in type(folded).__dataclass_fields__:
                assert getattr(folded, field) == getattr(played.outcome.state, field), (str(played.outcome.label), field)


def test_the_same_inputs_give_the_same_game(games: list[list[Played]]) -> None:
    for game in games[::6]:
        for played in game:
            again = play(RULES, played.before, played.outcome.label, played.inputs, Choices(played.choices.seed))
            assert again.events == played.outcome.events
            assert again.following == played.outcome.following


def test_every_act_has_exactly_one_fate(games: list[list[Played]]) -> None:
    for game in games:
        for played in game:
            standing = [act for own in played.town.orders.values() for act in own.values()] + played.town.guesses
            # One that waits for the next day leaves the one that came before to its own fate.
            waited = {(act.actor, act.id) for act in standing if act.about not in (None, played.town.number)} & set(played.before.kept)
            given = Counter((act.actor, act.id, act.targets) for act in standing if (act.actor, act.id) not in waited)
            told = Counter((deed["actor"], deed["action"], tuple(deed["targets"])) for deed in played.outcome.events if deed.kind == "deed")
            assert {act: told[act] for act in given} == dict(given), str(played.outcome.label)
            fates = [deed["fate"] for deed in played.outcome.events if deed.kind == "deed"]
            assert all(isinstance(fate, str) and fate for fate in fates)


def test_nobody_dies_twice_and_the_dead_do_nothing(games: list[list[Played]]) -> None:
    for game in games:
        for played in game:
            before, guesser = played.before, played.before.last_guess
            deaths = [event["player"] for event in played.outcome.events if event.kind == "death"]
            assert len(deaths) == len(set(deaths))
            assert all(before.here(player) for player in deaths)
            actors = {event["actor"] for event in played.outcome.events if event.kind == "deed"}
            assert all(before.here(actor) or actor == guesser for actor in actors)


def test_nothing_public_tells_a_night_death_or_a_secret(games: list[list[Played]]) -> None:
    """PER-REPORT-17, PER-REPORT-23: by night the thread hears of deaths in the four texts only."""
    for game in games:
        for played in game:
            state, by_night = played.outcome.state, played.outcome.label.kind == "night"
            quiet = state.game.options["night_deaths"] == "statements" and state.game.options["night_report"]
            for event in played.outcome.events:
                shown = event.for_public()
                if event.kind in ("deed", "spend", "draw", "ask", "record", "condition"):
                    assert event.visibility == "gm"
                if event.kind in ("result", "notice"):
                    assert shown is None
                    readers = [name for name in state.game.names if event.for_player(name)]
                    assert readers == ([] if event["to"] == "gm" else [event["to"]])
                if shown is not None:
                    assert "by" not in shown.data
                    if by_night and quiet and not played.town.cut_short:
                        assert event.kind in ("win", "announce")
                        assert event.kind == "win" or event["topic"] in TOLD_BY_NIGHT
                        assert "truth" not in shown.data


def test_every_event_names_clauses_that_exist(games: list[list[Played]]) -> None:
    clauses = (RULES.folder / "clauses.md").read_text(encoding="utf-8")
    cited = {clause for game in games for played in game for event in played.outcome.events for clause in event.why}
    assert cited
    assert [clause for clause in sorted(cited) if f"- `{clause}` [" not in clauses] == []


def test_a_game_does_not_hang_on_the_order_of_sets() -> None:
    code = (
        "import random; from hashlib import sha256; from tests.persian_games import random_game\n"
        "print(sha256(repr([e.to_record() for s in range(6) for p in random_game(random.Random(s)) for e in p.outcome.events])"
        ".encode()).hexdigest())"
    )
    root = Path(__file__).parent.parent
    found = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    records = [e.to_record() for s in range(6) for p in random_game(random.Random(s)) for e in p.outcome.events]
    assert found == {sha256(repr(records).encode()).hexdigest() + "\n"}


@pytest.mark.parametrize("start", ["night 2", "day 2", "day 8"])
def test_every_order_listed_as_legal_is_taken(start: str) -> None:
    game = everybody(start)
    state, label = RULES.begin(game), RULES.first_label(game)
    phase = RULES.new_phase(label, state.copy(), PhaseInputs(), Choices())
    rng = random.Random(5)
    listed = {name: legal_orders(phase, name) for name in game.names}  # type: ignore[arg-type]
    assert sum(map(len, listed.values())) > 30
    assert all(len(set(orders)) == len(orders) for orders in listed.values())
    for name, orders in listed.items():
        for text in rng.sample(orders, min(4, len(orders))):
            played = close(state, label, PhaseInputs(orders=(OrderInput("o", name, text),)), Choices())  # type: ignore[arg-type]
            assert not [e for e in played.outcome.events if e.get("value") == "invalid" or e.get("topic") == "unreadable"], text
            assert [e for e in played.outcome.events if e.kind == "deed"], text


def everybody(start: str, **options: object) -> Game:
    """A game with each role once, and two infiltrators."""
    dealt = [*roles(), "infiltrator"]
    return RULES.game({f"Player {chr(65 + n // 26)}{chr(65 + n % 26)}": role for n, role in enumerate(dealt)}, seed="7", start=start, options=options)


def test_a_night_of_thirty_is_soon_resolved() -> None:
    """Ten milliseconds is what it takes on an idle machine; the limit here leaves room for a busy one."""
    game = RULES.game(dict(zip((f"{name}{n}" for n in (1, 2) for name in NAMES), list(roles())[:30], strict=False)), seed="1", start="night 2")
    state, label = RULES.begin(game), RULES.first_label(game)
    phase = RULES.new_phase(label, state.copy(), PhaseInputs(), Choices())
    rng = random.Random(4)
    orders = [
        OrderInput(f"order of {name}", name, rng.choice(legal))
        for name in game.names if (legal := legal_orders(phase, name))  # type: ignore[arg-type]
    ]  # fmt: skip
    assert len(orders) > 18
    took = []
    for _ in range(12):
        begun = time.process_time()
        play(RULES, state, label, PhaseInputs(orders=tuple(orders)), Choices("1"))
        took.append(time.process_time() - begun)
    assert min(took) < 0.05
