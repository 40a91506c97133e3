"""A phase of twenty players with fifteen orders, in each ruleset (quality.md, "Speed"): resolved from the orders as written."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.conannight import NIGHT
from engine.choices import Choices
from engine.inputs import OrderInput, PhaseInputs
from engine.play import play
from engine.ruleset import load

PLAYERS, ORDERS, ROUNDS = 20, 15, 60
NAMES = [f"{first} {last}" for first in ("Anna", "Bert", "Cleo", "Dmitri", "Elena") for last in ("Lake", "Moor", "Reed", "Hill")]
DANGANRONPA: list[tuple[Any, str]] = [
    ("ultimate_detective", "shadow {0}"), ("ultimate_journalist", "stake_out {0}"), ("ultimate_nurse", "care {0}"),
    ("ultimate_surgeon", "resuscitate {0}"), ("ultimate_electrician", "short_circuit {0}"), ("ultimate_diplomat", "dissuade {0}"),
    ("ultimate_hypnotist", "hypnotise {0} to {1}"), ("ultimate_fortune_teller", "read {0}"),
    ({"role": "ultimate_archivist", "black": "black_slasher"}, "murder {0}"),
    ({"role": "ultimate_lawyer", "black": "black_poisoner"}, "poison {0}"),
    ({"role": "ultimate_pollster", "black": "black_executioner"}, "murder {0}"),
    ({"role": "ultimate_lobbyist", "black": "black_corruptor"}, "corrupt {0}"), ("guest_0", "peer {0}"), ("guest_1", "peer {0}"),
    ("guest_2", "peer {0}"), *((f"guest_{number}", "") for number in range(3, 8)),
]  # fmt: skip
PEERING = {"id": "peer", "does": "trace", "phases": ["daily_life"], "learns": ["targets"], "restricted": False}
GUESTS = [{"id": f"guest_{number}", "colour": "white", "abilities": [PEERING] if number < 3 else []} for number in range(8)]
PERSIAN: list[tuple[Any, str]] = [
    ("prince", "imprison {0}"), ("godfather", "kill {0}"), ("tailor", "dress {0} as doctor"), ("doctor_lecter", "save {0}"),
    ("sorcerer", "recruit {0}"), ("exorcist", "possess {0}"), ("psychopath", "infect {0}"), ("poisoner", "poison {0}"),
    ("surgeon", "rescue {0}"), ("doctor", "protect {0}"), ("detective", "question {0}"), ("police", "question {0}"),
    ("hunter", "trap {0}"), ("guard", "guard {0}"), ("executioner", "forecast {0}"),
]  # fmt: skip
CASTS: dict[str, tuple[str, Any, list[tuple[Any, str]], dict[str, Any]]] = {
    "danganronpa": ("daily life 1", "", DANGANRONPA, {"hangouts": dict.fromkeys(NAMES, "gym"), "talents": GUESTS}),
    "persian": ("day 2", "innocent", PERSIAN, {}),
    "conan": ("night 2", "", [(role, NIGHT[role]) for role in list(NIGHT)[-PLAYERS:]], {}),
}
"""For each ruleset the phase, the role of those who send nothing, the others' roles and orders, and the set-up."""


def night(ruleset: str) -> tuple[float, float, float, int, int]:
    """Milliseconds of CPU for the first time, the quickest with messages read for the first time (each round has others) and
    the quickest with messages known from before; how many orders were read, and how many events came of them."""
    start, idle, cast, setup = CASTS[ruleset]
    rules = load(ruleset)
    roles = [role for role, _ in cast] + [idle] * (PLAYERS - len(cast))
    state = rules.begin(rules.game(dict(zip(NAMES, roles, strict=True)), start=start, setup=setup))
    label, taken = rules.first_label(state.game), []
    if label.kind == "day":  # the first phase tells everybody the role, which is no part of an ordinary night
        opening = play(rules, state, label, PhaseInputs(), Choices("1"))
        assert opening.following is not None
        state, label = opening.state, opening.following
    for number in [*range(ROUNDS), *[ROUNDS - 1] * ROUNDS]:
        orders = _orders(cast, number)
        begun = time.process_time()
        outcome = play(rules, state, label, PhaseInputs(orders=orders), Choices("1"))
        taken.append((time.process_time() - begun) * 1000)
    unread = sum(event.kind == "notice" and "unreadable" in str(event["topic"]) for event in outcome.events)
    return taken[0], min(taken[1:ROUNDS]), min(taken[ROUNDS:]), len(orders) - unread, len(outcome.events)


def _orders(cast: list[tuple[Any, str]], number: int) -> tuple[OrderInput, ...]:
    """The orders of that round, each round with other targets."""
    targets = [[NAMES[(place * 7 + step * 3 + 1 + number) % PLAYERS] for step in range(7)] for place in range(ORDERS)]
    return tuple(
        OrderInput(f"message {place}", NAMES[place], cast[place][1].format(*targets[place]) + "!" * (number // PLAYERS))
        for place in range(ORDERS)
    )


def main() -> None:
    """Print a row for each ruleset."""
    title = f"A phase of {PLAYERS} players, {ORDERS} orders"
    grid = Grid("ruleset", "orders read", "events", "cold, ms", "messages new, ms", "known, ms (< 2)", title=title)
    for ruleset in CASTS:
        cold, new, known, read, events = night(ruleset)
        grid.add_row(ruleset, str(read), str(events), f"{cold:.1f}", f"{new:.2f}", f"{known:.2f}")
    Console().print(grid)


if __name__ == "__main__":
    main()
