"""Playing a phase: the one way that rehearsal, preview, replay and the real thing take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.choices import Choices
from engine.events import Event
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.phase import Phase
from engine.ruleset import Ruleset
from engine.state import Label, State


@dataclass(frozen=True, slots=True)
class Outcome:
    """A phase played: its events in order, the state after it, and the phase that follows (None when the game is over)."""

    label: Label
    events: tuple[Event, ...]
    state: State
    following: Label | None
    tally: Mapping[str, Any] | None = None
    """The standing count, where the phase was played only up to now."""
    awaited: Mapping[str, str] = field(default_factory=dict)
    """Who has not yet done what the phase waits for, and what that is, where it was played only up to now."""
    standing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The private orders that stand for each player, as the rules would write them, where it was played only up to now."""
    count: Mapping[str, Any] | None = None
    """The standing count as the GM may see it: the public one, or that of votes which are secret until the phase ends."""

    @property
    def conditions(self) -> dict[str, list[str]]:
        """Every player's conditions at the end of the phase, sorted."""
        return {self.state.called(name): sorted(held) for name, held in self.state.conditions.items()}


def play(ruleset: Ruleset, before: State, label: Label, inputs: PhaseInputs, choices: Choices) -> Outcome:
    """Play a whole phase and close it. `before` is left as it was.

    Raises Unanswered where a question has no answer yet, UnknownChoice where a pin cannot be.
    """
    phase = _arrivals(ruleset, before, label, inputs, choices)
    ruleset.close(phase)
    for pick in choices.picks:
        phase.refuse(f"pick {pick}", "")
    over = phase.state.winner is not None
    following = None if over else ruleset.next_label(phase.state, label)
    return Outcome(label, tuple(phase.events), phase.state, following)


def so_far(ruleset: Ruleset, before: State, label: Label, inputs: PhaseInputs, choices: Choices) -> Outcome:
    """Play what has come in without closing the phase: what arrives is answered at once, and the count stands as of now."""
    phase = _arrivals(ruleset, before, label, inputs, choices)
    events = tuple(phase.events)
    tally = ruleset.tally(phase)
    standing = {name: tuple(ruleset.standing(phase, name)) for name in phase.state.game.names}
    count = tally if tally is not None else ruleset.secret_count(phase)
    return Outcome(label, events, phase.state, label, tally, ruleset.awaited(phase, tally), standing, count)


def _arrivals(ruleset: Ruleset, before: State, label: Label, inputs: PhaseInputs, choices: Choices) -> Phase[Any]:
    state = before.copy()
    state.begun[label.kind] = label.number
    phase = ruleset.new_phase(label, state, inputs, choices)
    ruleset.open(phase)
    arrivals: list[OrderInput | CommandInput] = [*inputs.orders_in_order(state.game.names), *inputs.commands]
    # Commands without a time come after all orders (scenarios.md); with times, everything counts as it was sent.
    arrivals.sort(key=lambda one: one.at.timestamp() if one.at else float("-inf" if isinstance(one, OrderInput) else "inf"))
    for one in arrivals:
        with phase.about(one.id):
            if isinstance(one, OrderInput):
                ruleset.arrive(phase, one)
            else:
                ruleset.command(phase, one)
    return phase
