"""Random Conan games played by random legal orders: the ground of the property tests."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.choices import Choices
from engine.game import SetupRefused
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.play import Outcome, play
from engine.ruleset import load
from engine.state import Label, State
from rulesets.conan.cast import facts, roles
from rulesets.conan.legal import offers_of, open_actions
from rulesets.conan.work import Scene

RULES = load("conan")
NAMES = (
    "Abs", "Akonyl", "Conia", "Jd-", "Kleene", "Lynz", "Miaka", "PT", "PhoenixTears", "Parkur", "Yuriko", "pofa", "xpon", "Dr. K",
    "Ann and Bo", "O'Brien", "Mr. Mustard", "Zed", "Quill", "Uma", "Vic", "Wren", "Ines", "Tove", "Sol", "Rex", "Gus", "Fay", "Eli", "Dot",
)  # fmt: skip
CHATTER = ("no action", "I like this game", "kill nobody at all", "heal", "cancel kill", "vote for the moon", "abstain")


def deal(rng: random.Random, size: int) -> dict[str, dict[str, str]]:
    """Roles for that many players, a quarter to a third of them BO, as the rules allow."""
    bo = [role.id for role in roles().values() if role.side == "black_org" and role.id != "anokata"]
    town = [role.id for role in roles().values() if role.side == "town"]
    while True:
        few = max(1, round(size * rng.uniform(0.25, 0.33)))
        dealt: list[dict[str, str]] = [{"role": role} for role in rng.sample(bo, few)]
        dealt += [{"role": role} for role in rng.sample(town, size - few)]
        if rng.random() < 0.5:
            free = [role for role in town if role not in facts()["not_for_anokata"] and {"role": role} not in dealt]
            dealt[0] = {"role": "anokata", "town_role": rng.choice(free)}
        rng.shuffle(dealt)
        players = dict(zip(NAMES, dealt, strict=False))
        try:
            RULES.begin(RULES.game(players))
        except SetupRefused:
            continue
        return players


def random_game(rng: random.Random, *, size: int = 24, days: int = 10) -> Iterator[tuple[State, Outcome, PhaseInputs]]:
    """One game from prep on, phase by phase: the state before each, what came of it, and what came in."""
    options = {
        name: rng.choice([option.default, *option.others]) for name, option in RULES.options.items() if option.others is not None
    }
    options["lover_pairs"] = rng.choice((0, 1, 2))
    game = RULES.game(deal(rng, size), seed=str(rng.random()), options=options, start="prep")
    state, label = RULES.begin(game), RULES.first_label(game)
    for _ in range(2 * days + 1):
        inputs = random_inputs(rng, state, label)
        outcome = play(RULES, state, label, inputs, Choices(game.seed))
        yield state, outcome, inputs
        if outcome.following is None:
            return
        state, label = outcome.state, outcome.following


def opened(state: State, label: Label) -> Scene:
    """The phase as it opens, on a copy."""
    twin = state.copy()
    twin.begun[label.kind] = label.number
    scene = RULES.new_phase(label, twin, PhaseInputs(), Choices(state.game.seed))
    RULES.open(scene)
    assert isinstance(scene, Scene)
    return scene


def random_inputs(rng: random.Random, state: State, label: Label, *, chance: float = 0.85, commands: bool = True) -> PhaseInputs:
    """Legal orders of most players, a little chatter, and now and then a command."""
    scene = opened(state, label)
    orders = []
    for name in state.game.names:
        possible = open_actions(scene, name) if scene.state.alive(name) else []
        if possible and rng.random() < chance:
            chosen = [offers_of(scene, name, rng.choice(possible)) for _ in range(rng.randint(1, 5))]
            lines = [rng.choice(forms).one(rng) for forms in chosen if forms]
            if label.kind == "day" and rng.random() < 0.7:
                lines.append(f"vote {rng.choice(scene.state.living()[:3])}")
            orders.append(OrderInput(f"order of {name}", name, "\n".join(dict.fromkeys(lines))))
        if rng.random() < 0.1:
            orders.append(OrderInput(f"talk of {name}", name, rng.choice(CHATTER)))
    said = (
        f"modkill {rng.choice(NAMES)}", f"inactive {rng.choice(NAMES)}", f"release {rng.choice(NAMES)}",
        f"replace {rng.choice(NAMES)} by New {rng.randint(1, 99)}", f"excuse {rng.choice(NAMES)}", "continue game",
        f"drop will {rng.choice(NAMES)}",
    )  # fmt: skip
    given = [CommandInput(f"command {n}", text) for n, text in enumerate(said) if commands and rng.random() < 0.03]
    return PhaseInputs(orders=tuple(orders), commands=tuple(given))
