"""A scenario played through the real engine, phase by phase, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.choices import Choices, UnknownChoice
from engine.game import nearest
from engine.inputs import CommandInput, PhaseInputs
from engine.play import Outcome, play
from rehearsal.expect import failures
from rehearsal.loader import Scenario, ScenarioPhase, read_scenario
from scraper.model import BadInput


@dataclass(slots=True)
class Rehearsal:
    """What came of a scenario: each phase's outcome, and what did not hold."""

    file: Path
    scenario: Scenario
    outcomes: list[Outcome] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The object that `simulate --json` prints for a file (scenarios.md, "What comes out")."""
        return {
            "file": str(self.file),
            "ruleset": self.scenario.ruleset.id,
            "passed": not self.failures,
            "failures": self.failures,
            "phases": [
                {
                    "phase": str(outcome.label),
                    "events": [event.as_json() for event in outcome.events],
                    "conditions": outcome.conditions,
                    "winner": outcome.state.winner,
                }
                for outcome in self.outcomes
            ],
        }


def rehearse(file: Path) -> Rehearsal:
    """Play the scenario in `file`. Raises BadInput where it cannot be played."""
    scenario = read_scenario(file)
    rehearsal = Rehearsal(file, scenario)
    if scenario.refused is not None:
        if scenario.refusal is None:
            rehearsal.failures.append(f"expected the set-up to be refused with: {scenario.refused}")
        elif scenario.refused.casefold() not in scenario.refusal.casefold():
            rehearsal.failures.append(f"expected the set-up to be refused with: {scenario.refused}; it says: {scenario.refusal}")
        return rehearsal
    assert scenario.game is not None
    ruleset = scenario.ruleset
    state = ruleset.begin(scenario.game)
    label = ruleset.first_label(scenario.game)
    for number, phase in enumerate(scenario.phases):
        _check_names(scenario, phase)
        if phase.label is not None and " ".join(phase.label.split()) != str(label):
            raise scenario.wrong(
                (*phase.path, "phase"), f"`{phase.label}` does not come next; the next phase is `{label}`", str(label)
            )
        outcome = _play(scenario, phase, state, label)
        rehearsal.outcomes.append(outcome)
        rehearsal.failures += [f"phase {label}: {failure}" for failure in failures(phase.expect, outcome)]
        rehearsal.warnings += [
            f"{file}: phase {label}: order of {event['player']} not read: {event['text']!r}; nearest: {event['nearest']}"
            for event in outcome.events
            if event.kind == "notice" and event["topic"] == "unreadable"
        ]
        if outcome.following is None:
            if number + 1 < len(scenario.phases):
                raise scenario.wrong(scenario.phases[number + 1].path, f"no phase follows: the game was over after `{label}`")
            break
        state, label = outcome.state, outcome.following
    return rehearsal


def _play(scenario: Scenario, phase: ScenarioPhase, state: Any, label: Any) -> Outcome:
    picks, commands = [], []
    for number, text in enumerate(phase.commands):
        word, _, rest = " ".join(text.split()).partition(" ")
        if word.casefold() == "pick" and rest:
            picks.append(rest)
        else:
            commands.append(CommandInput(f"command {number + 1}", text))
    inputs = PhaseInputs(phase.posts, phase.orders, tuple(commands), phase.ends)
    assert scenario.game is not None
    try:
        return play(scenario.ruleset, state, label, inputs, Choices(scenario.game.seed, pins=phase.pins, picks=picks))
    except UnknownChoice as error:
        near = nearest(error.value, [str(one) for one in error.among])
        raise scenario.wrong((*phase.path, "pins", error.name), str(error), near) from error


def _check_names(scenario: Scenario, phase: ScenarioPhase) -> None:
    """Players named in `expect` must be players, so that a slip of the pen is no failed or passed check."""
    assert scenario.game is not None
    names = scenario.game.names

    def check(given: Any, path: tuple[str | int, ...]) -> None:
        for name in given if isinstance(given, (list, Mapping)) else [given]:
            if name is not None and name not in names:
                raise scenario.wrong(path, f"unknown player `{name}` in `expect`", nearest(name, names))

    for key in ("deaths", "causes", "conditions", "not_conditions", "lynched"):
        if key in phase.expect and phase.expect[key] is not None:
            check(phase.expect[key], (*phase.path, "expect", key))
    known = set(scenario.ruleset.facts["conditions"])
    for key in ("conditions", "not_conditions"):
        for player, conditions in (phase.expect.get(key) or {}).items():
            for condition in conditions if isinstance(conditions, list) else [conditions]:
                if condition not in known:
                    path = (*phase.path, "expect", key, player)
                    raise scenario.wrong(path, f"unknown condition `{condition}`", nearest(condition, known))


def scenario_files(paths: list[Path]) -> list[Path]:
    """The scenario files named, and those in the folders named. Raises BadInput for a path that is not there."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted([*path.rglob("*.yaml"), *path.rglob("*.yml")])
        elif path.exists():
            found.append(path)
        else:
            raise BadInput(f"{path}: there is no such file")
    return found
