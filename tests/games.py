"""Random Danganronpa games played by random legal orders: the ground of the property tests."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.choices import Choices
from engine.inputs import CommandInput, OrderInput, PhaseInputs, PostInput
from engine.play import Outcome, play
from engine.ruleset import load
from engine.state import State
from rulesets.danganronpa.orders import legal_orders
from rulesets.danganronpa.talents import starter_talents

RULES = load("danganronpa")
_COLOURED = {
    colour: [talent.id for talent in starter_talents().values() if talent.colour == colour] for colour in ("white", "black", "grey")
}
_NAMES = ("Ann", "Boris", "Cleo", "Dmitri", "Elena", "Farid", "Gita", "Hugo", "Ida", "Jon", "Kim", "Lev", "Mona", "Nils", "Olga")


def random_game(rng: random.Random) -> Iterator[tuple[State, Outcome]]:
    """One whole game, phase by phase: the state before each phase and what came of it."""
    size = rng.randint(5, len(_NAMES))
    white, black = rng.sample(_COLOURED["white"], size), rng.sample(_COLOURED["black"], max(1, size // 4))
    players: dict[str, dict[str, str]] = {}
    for number, name in enumerate(_NAMES[:size]):
        players[name] = {"role": white[number]}
        if number < len(black):
            players[name]["black"] = black[number]
        elif number == len(black):
            players[name]["grey"] = rng.choice(_COLOURED["grey"])
    options = {
        name: rng.choice([option.default, *option.others]) for name, option in RULES.options.items() if option.others is not None
    }
    game = RULES.game(players, seed=str(rng.random()), options=options)
    state, label = RULES.begin(game), RULES.first_label(game)
    for _ in range(40):
        inputs = _inputs(rng, state, label)
        outcome = play(RULES, state, label, inputs, Choices(game.seed))
        yield state, outcome
        if outcome.following is None:
            return
        state, label = outcome.state, outcome.following


def _inputs(rng: random.Random, state: State, label: object) -> PhaseInputs:
    names = state.game.names
    words = [*names, "gym", "lounge", "cafeteria", "sulking", "unvote", "cancel", "Ultimate Nurse", "nobody at all"]
    posts = [
        PostInput(f"post of {name}", name, f"[b][color={rng.choice(('red', 'green', 'blue'))}]{rng.choice(words)}[/color][/b]")
        for name in names
        for _ in range(rng.randint(0, 2))
    ]
    phase = RULES.new_phase(label, state.copy(), PhaseInputs(), Choices())  # type: ignore[arg-type]
    orders = []
    for name in names:
        legal = legal_orders(phase, name)
        if legal and rng.random() < 0.8:
            orders.append(OrderInput(f"order of {name}", name, rng.choice(legal)))
        if rng.random() < 0.2:
            orders.append(OrderInput(f"second order of {name}", name, rng.choice(("disrupt", "murder Ann", "nonsense", ""))))
    said = (f"violation {rng.choice(names)} 1", f"punish {rng.choice(names)}", f"modkill {rng.choice(names)}", "regulation No hats.")
    commands = [CommandInput(f"command {number}", text) for number, text in enumerate(said) if rng.random() < 0.15]
    return PhaseInputs(tuple(posts), tuple(orders), tuple(commands))
