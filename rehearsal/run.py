"""A scenario played through the real engine, phase by phase, and checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.choices import Choices, UnknownChoice
from engine.commands import sort_out
from engine.events import Event
from engine.game import Game, SetupRefused
from engine.inputs import CommandInput, OrderInput, PhaseInputs, PostInput
from engine.play import Outcome, play
from engine.ruleset import Ruleset, load, told_apart
from engine.state import Label, State
from rehearsal.expect import check
from rehearsal.loader import Scenario, Script, read


@dataclass(frozen=True, slots=True)
class Failed:
    """An expectation that did not hold, or a set-up that was not refused. `phase` is None for the latter."""

    phase: str | None
    line: int
    message: str

    def __str__(self) -> str:
        phase = f"phase {self.phase}: " if self.phase else ""
        return f"{phase}{self.message} (line {self.line})"


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A scenario played: its phases as they came out, what did not hold, and what the GM should look at besides."""

    scenario: Scenario
    phases: tuple[Outcome, ...]
    failures: tuple[Failed, ...]
    warnings: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether all that was expected came."""
        return not self.failures

    def as_json(self) -> dict[str, Any]:
        """The object that `simulate --json` prints for a file that was played."""
        return {
            "file": self.scenario.file,
            "ruleset": self.scenario.ruleset.id,
            "passed": self.passed,
            "failures": list(map(str, self.failures)),
            "phases": [
                {
                    "phase": str(outcome.label),
                    "events": [event.as_json() for event in outcome.events],
                    "conditions": outcome.conditions,
                    "winner": outcome.state.winner,
                }
                for outcome in self.phases
            ],
        }


def rehearse(path: Path, find: Callable[[str], Ruleset] = load) -> Rehearsal:
    """Play the scenario in a file. Raises BadInput where it cannot be played: a wrong key, set-up, label, draw or pin."""
    scenario = read(path, find)
    top = dict(scenario.tree.entries())
    try:
        game, state, label = _begin(scenario)
    except SetupRefused as error:
        if scenario.refused is None:
            raise scenario.tree.at(error.path).wrong(str(error)) from None
        place = ".".join(map(str, error.path))
        if scenario.refused.casefold() in f"{error} {place}".casefold():
            return Rehearsal(scenario, (), (), ())
        message = f"expected the set-up to be refused with `{scenario.refused}`, but it was refused with: {error}"
        return Rehearsal(scenario, (), (Failed(None, top["refused"].line, message),), ())
    if scenario.refused is not None:
        message = f"expected the set-up to be refused with `{scenario.refused}`, but it was not refused"
        return Rehearsal(scenario, (), (Failed(None, top["refused"].line, message),), ())
    outcomes: list[Outcome] = []
    failures: list[Failed] = []
    warnings: list[str] = []
    following: Label | None = label
    for number, script in enumerate(scenario.phases):
        following = _expected_label(scenario, script, following, outcomes)
        outcome = _play(scenario, game, state, following, number)
        failures += [Failed(str(following), one.line, one.message) for one in check(script.expect, outcome)]
        warnings += _warnings(scenario, script, outcome)
        outcomes.append(outcome)
        state, following = outcome.state, outcome.following
    return Rehearsal(scenario, tuple(outcomes), tuple(failures), tuple(warnings))


def _begin(scenario: Scenario) -> tuple[Game, State, Label]:
    ruleset = scenario.ruleset
    game = ruleset.game(
        scenario.players, options=scenario.options, setup=scenario.setup, seed=str(scenario.seed), start=scenario.start
    )
    told_apart(game.seats)
    return game, ruleset.begin(game), ruleset.first_label(game)


def _expected_label(scenario: Scenario, script: Script, following: Label | None, before: list[Outcome]) -> Label:
    tree = scenario.tree
    if following is None:
        raise tree.at(("phases", len(before))).wrong(f"the game was over after {before[-1].label}; no phase follows it")
    given = " ".join((script.label or str(following)).replace("_", " ").casefold().split())
    if given != str(following).casefold():
        raise tree.at(("phases", len(before), "phase")).wrong(
            f"`{script.label}` does not come next: the phase that comes here is `{following}`", str(following)
        )
    return following


def _play(scenario: Scenario, game: Game, state: State, label: Label, number: int) -> Outcome:
    script = scenario.phases[number]
    pins = {_of_seat(scenario, name): _seated(scenario, value) for name, value in script.pins.items()}
    for name in script.pins:
        near = scenario.ruleset.check_draw(game, _of_seat(scenario, name))
        if near is not None:
            raise scenario.tree.at(("phases", number, "pins", name)).wrong(f"unknown draw `{name}`", near or None)
    inputs, picks = sort_out(_with_later_names(scenario, game), inputs_of(scenario, script), scenario.ruleset.vote_post)
    choices = Choices(seed=game.seed, pins=pins, picks=picks)
    try:
        return play(scenario.ruleset, state, label, inputs, choices)
    except UnknownChoice as error:
        raise scenario.tree.at(("phases", number, "pins", error.name)).wrong(str(error)) from None


def _with_later_names(scenario: Scenario, game: Game) -> Game:
    """The game with its seats called by the names, too, of those who take them over in the file."""
    names = {seat: [name for name, one in scenario.later_names.items() if one == seat] for seat in game.names}
    return replace(game, seats=tuple(replace(seat, aliases=(*seat.aliases, *names[seat.name])) for seat in game.seats))


def _seated(scenario: Scenario, value: Any) -> Any:
    """A pin's value with each later name as that of its seat."""
    if isinstance(value, list):
        return [_seated(scenario, one) for one in value]
    if isinstance(value, dict):
        return {key: _seated(scenario, one) for key, one in value.items()}
    return scenario.later_names.get(value, value) if isinstance(value, str) else value


def _of_seat(scenario: Scenario, draw: str) -> str:
    """The draw's name with a later name in it as that of its seat: `steal.New` is `steal.Old`."""
    what, dot, whose = draw.partition(".")
    return what + dot + scenario.later_names.get(whose, whose)


def inputs_of(scenario: Scenario, script: Script) -> PhaseInputs:
    """What the phase of the file brings in: posts, then the votes as posts, orders, commands; each linked to its line."""
    seat = scenario.later_names
    posts = [
        PostInput(
            id=f"post {number}",
            by=seat.get(post.by, post.by),
            text=post.text,
            at=post.at,
            edits=(post.edit,) if post.edit else (),
            deleted=post.deleted is not None and (script.ends is None or post.deleted <= script.ends),
            link=f"{scenario.file}:{post.line}",
        )
        for number, post in enumerate(script.posts, 1)
    ]
    posts += [
        PostInput(
            id=f"vote {number}",
            by=seat.get(vote.by, vote.by),
            text=scenario.ruleset.vote_post(vote.text),
            link=f"{scenario.file}:{vote.line}",
        )
        for number, vote in enumerate(script.votes, 1)
    ]
    orders = [
        OrderInput(f"order {number}", seat.get(order.by, order.by), order.text, order.at, f"{scenario.file}:{order.line}")
        for number, order in enumerate(script.orders, 1)
    ]
    commands = [CommandInput(f"gm {number}", text) for number, text in enumerate(script.commands, 1)]
    return PhaseInputs(tuple(posts), tuple(orders), tuple(commands), script.ends)


def _warnings(scenario: Scenario, script: Script, outcome: Outcome) -> list[str]:
    lines = _lines(script)
    found = []
    for event in outcome.events:
        if event.kind == "notice" and event.get("topic") == "unreadable":
            line = lines.get(event.source or "", script.line)
            found.append(f"{scenario.file}:{line}: warning: phase {outcome.label}: {_unreadable(event)}")
    drawn = {_of_seat(scenario, event["name"]) for event in outcome.events if event.kind == "draw"}
    for name in script.pins:
        if _of_seat(scenario, name) not in drawn:
            place = f"{scenario.file}:{script.line}: warning: phase {outcome.label}"
            found.append(f"{place}: the draw `{name}` is pinned but was not made")
    return found


def _lines(script: Script) -> dict[str, int]:
    """Input id → line, by the ids that `inputs_of` gives."""
    return {
        f"{kind} {number}": one.line
        for kind, written in (("post", script.posts), ("vote", script.votes), ("order", script.orders))
        for number, one in enumerate(written, 1)
    }


def _unreadable(event: Event) -> str:
    near, why = event.get("nearest"), event.get("reason")
    hint = f" ({str(why).replace('_', ' ')}: {near})" if why else f" (nearest: {near})" if near else ""
    return f"could not be read: {event.get('player', 'somebody')}: {event.get('text', '')!r}{hint}"
