"""A night of Detective Conan with 30 players who all act, resolved from their messages (quality.md, "Speed")."""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table

from engine.choices import Choices
from engine.inputs import OrderInput, PhaseInputs
from engine.play import Outcome, play
from engine.ruleset import load
from engine.state import State

RULES = load("conan")
NIGHT = {
    "gin": "investigate {0} heals {1}; {2} kills {3}; {4} protects {5}\nslander {6}\nslander Gin 0",
    "pisco": "discombobulate {0}", "vodka": "frighten {0}. abduct", "tequila": "erase {3}; sabotage {1}",
    "bourbon": "detect Ran; SI {0} healed {1} on night 1", "chianti": "kill {3}\nstake out {0}",
    "kir": "SI {0} healed {1} on night 1; investigate {2} heals {3}", "calvados": "cover Gin 0: slander {2}",
    "megure": "house search {4}; investigate {0} heals {1}; {5} kills {6}",
    "shiratori": "arrest Gin 0 for killing {3} on night 1", "satou": "detain {5}; investigate {1} steals from {2}",
    "takagi": "stake out {3}", "chiba": "stake out {6}", "yamamura": "clumsy {2}",
    "nakamori": "pinch {1}; investigate {0} kills {3}", "tome": "special investigate {0} healed {1} on night 1",
    "james": "investigate {6} heals {3}", "akai": "snipe guard {3}", "jodie": "age-observe {0}",
    "camel": "gender-observe {1}",
    "shinichi": "investigate {0} heals {1}; {2} kills {3}; {4} protects {5}; {1} detects Ran; {2} disguised as Eri",
    "heiji": "interrogate {2}", "ran": "protect {3}", "agasa": "research heal", "eri": "cross-examine {0}",
    "kogorou": "judo {4}", "kujou": "cross-examine {5}", "kobayashi": "heal {3}", "eisuke": "trick {0}", "araide": "heal {6}",
}  # fmt: skip
"""What each of the thirty sends on night 2."""


def night() -> tuple[State, PhaseInputs]:
    """The game as night 2 opens, and the messages of that night."""
    names = {role: f"{role.title()} {number}" for number, role in enumerate(NIGHT)}
    players = list(names.values())
    state = RULES.begin(RULES.game({name: role for role, name in names.items()}, start="night 2"))
    orders = tuple(
        OrderInput(f"message {place}", names[role], text.format(*(players[(place * 7 + step * 3 + 1) % 30] for step in range(7))))
        for place, (role, text) in enumerate(NIGHT.items())
    )
    return state, PhaseInputs(orders=orders)


def resolved(state: State, inputs: PhaseInputs) -> Outcome:
    """The night played."""
    return play(RULES, state, RULES.first_label(state.game), inputs, Choices("1"))


def main() -> None:
    """The least processor time of many rounds, the first (cold) one apart."""
    state, inputs = night()
    taken = []
    for _ in range(40):
        begun = time.process_time()
        outcome = resolved(state, inputs)
        taken.append(time.process_time() - begun)
    table = Table(title="A night of 30 players, all of whom act")
    for head in ("orders", "events", "cold, ms", "warm, ms"):
        table.add_column(head, justify="right")
    sent = sum(order.text.count(";") + order.text.count("\n") + 1 for order in inputs.orders)
    table.add_row(str(sent), str(len(outcome.events)), f"{taken[0] * 1000:.1f}", f"{min(taken[1:]) * 1000:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
