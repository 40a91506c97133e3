"""Random Persian games, in which players send orders of their own roles, of others', and nonsense."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.choices import Choices
from engine.inputs import CommandInput, OrderInput, PhaseInputs, PostInput
from engine.play import Outcome, _arrivals
from engine.ruleset import load
from engine.state import Label
from rulesets.persian.actions import actions
from rulesets.persian.cast import PerState, facts, roles
from rulesets.persian.work import Town

RULES = load("persian")
NAMES = (
    "Ali", "Sara", "Reza", "Mina", "Omid", "Nima", "Laleh", "Kian", "Dara", "Pari", "Babak", "Roya", "Hamid", "Farid", "Ziba",
    "Arash", "نیلوفر", "Yas", "Taha", "Golnar", "Shirin", "Behrouz",
)  # fmt: skip
SHOWN = {"{player...}": "{player}", " because {text}": ' because "so"', " چون {text}": " چون «نوشت»"}


@dataclass(frozen=True)
class Played:
    """One phase of a game: the state before, the town as it stood at its close, what came of it, and what came in."""

    before: PerState
    town: Town
    outcome: Outcome
    inputs: PhaseInputs
    choices: Choices


def random_game(rng: random.Random, *, phases: int = 7, **options: object) -> Iterator[Played]:
    """One game, phase by phase."""
    dealt = deal(rng, rng.choice((7, 9, 11, 13, len(NAMES))))
    chosen = {
        name: rng.choice([option.default, *option.others])
        for name, option in RULES.options.items() if option.others is not None and rng.random() < 0.3
    }  # fmt: skip
    if rng.random() < 0.15:
        chosen["action_order"] = rng.sample(range(1, 9), 8)
    if rng.random() < 0.15:
        chosen["gm_leave_roles"] = rng.sample(list(roles()), 3)
    game = RULES.game(dealt, seed=str(rng.random()), options={**chosen, **options}, start=rng.choice((None, "night 3", "day 6")))
    state, label = RULES.begin(game), RULES.first_label(game)
    for _ in range(phases):
        assert isinstance(state, PerState)
        inputs, choices = _inputs(rng, state, label), Choices(game.seed)
        played = close(state, label, inputs, choices)
        yield played
        if played.outcome.following is None:
            return
        state, label = played.outcome.state, played.outcome.following


def close(before: PerState, label: Label, inputs: PhaseInputs, choices: Choices) -> Played:
    """What `engine.play.play` does, and the town besides."""
    town = _arrivals(RULES, before, label, inputs, choices)
    assert isinstance(town, Town)
    RULES.close(town)
    following = None if town.state.winner is not None else RULES.next_label(town.state, label)
    return Played(before, town, Outcome(label, tuple(town.events), town.state, following), inputs, choices)


def deal(rng: random.Random, size: int) -> dict[str, str]:
    """Roles for so many players, most of them different; never two where one is the most."""
    pool = rng.sample(list(roles()), min(size, len(roles())))
    while len(pool) < size:
        pool.append(rng.choice(("innocent", "doctor", "samurai", "infiltrator")))
    pool = [rng.choice((role, "innocent")) if pool.index(role) % 5 == 0 else role for role in pool]
    counts: Counter[str] = Counter()
    dealt = {}
    for name, role in zip(NAMES, pool, strict=False):
        counts[role] += 1
        most = 1 if role in facts()["unique"] else 2 if role == "infiltrator" else 99
        dealt[name] = role if counts[role] <= most else "innocent"
    return dealt


def _inputs(rng: random.Random, state: PerState, label: Label) -> PhaseInputs:
    phase = RULES.new_phase(label, state.copy(), PhaseInputs(), Choices())
    assert isinstance(phase, Town)
    names = state.game.names
    orders = [
        OrderInput(f"order {number} of {name}", name, text)
        for name in names for number, text in enumerate(_orders(rng, phase, name))
    ]  # fmt: skip
    posts = []
    if label.kind != "night":
        favourite = rng.choice(names)
        for name in names:
            for number in range(rng.randint(0, 2)):
                word = rng.choice(("vote", "رای"))
                text = f"[b]{word}: {rng.choice((favourite, favourite, rng.choice(names), 'nobody I know'))}[/b]"
                posts.append(PostInput(f"post {number} of {name}", name, rng.choice((text, text, "[b]unvote[/b]"))))
    rng.shuffle(posts)
    said = (f"modkill {rng.choice(names)}", "allow last guess", f"reject guess {names[0]} {names[1]}", f"report omit {rng.choice(names)}")
    commands = [CommandInput(f"command {number}", text) for number, text in enumerate(said) if rng.random() < 0.05]
    return PhaseInputs(tuple(posts), tuple(orders), tuple(commands))


def _orders(rng: random.Random, town: Town, player: str) -> Iterator[str]:
    state = town.state
    known = [action for action in actions().values() if town.may(player, action) and town.kind in action.when]
    for _ in range(rng.choice((0, 1, 1, 2, 3)) if known else 0):
        action = rng.choice(known if rng.random() < 0.95 else list(actions().values()))
        text = rng.choice(action.phrases)
        for pattern, shown in SHOWN.items():
            text = text.replace(pattern, shown)
        target = rng.choice(list(town.present if rng.random() < 0.9 else state.game.names))
        right = rng.random() < 0.3
        role = state.role(target) if right else rng.choice(list(roles()))
        text = text.replace("{player}", target).replace("{role}", rng.choice((role, roles()[role].persian)))
        yield text
        if rng.random() < 0.05:
            yield rng.choice(("nonsense", "withdraw " + action.id, "kill", "لطفا " + text))
