"""What a ruleset must say, and how one is found by its id."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from engine.choices import Choices
from engine.game import Game, Seat, SetupRefused, nearest
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.phase import Phase
from engine.state import Label, State

RULESETS = ("danganronpa",)
"""The rulesets that can be played."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a ruleset: its default, the other values allowed (None: any of the default's type) and its meaning."""

    default: Any
    others: tuple[Any, ...] | None
    meaning: str

    def accepts(self, value: Any) -> bool:
        """Whether `value` may be given."""
        if self.others is None:
            wanted = (
                (int, float)
                if isinstance(self.default, (int, float)) and not isinstance(self.default, bool)
                else (type(self.default),)
            )
            return isinstance(value, wanted) and not (isinstance(value, bool) and bool not in wanted)
        return value in (self.default, *self.others) and type(value) in {type(v) for v in (self.default, *self.others)}


class Ruleset(ABC):
    """One game's rules: facts from its `ruleset.toml`, mechanics in its modules, in steps that `close` runs in order."""

    id: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        with (folder / "ruleset.toml").open("rb") as file:
            self.facts: Mapping[str, Any] = tomllib.load(file)
        self.folder = folder
        self.options = {
            name: Option(row["default"], tuple(row["others"]) if "others" in row else None, row["meaning"])
            for name, row in self.facts["options"].items()
        }

    def game(
        self,
        players: Mapping[str, Any],
        *,
        options: Mapping[str, Any] | None = None,
        setup: Mapping[str, Any] | None = None,
        seed: str = "0",
        start: str | None = None,
    ) -> Game:
        """The game that these answers make, every option filled in. Raises SetupRefused with the path of a mistake.

        `players` maps each name to a role id, or to a map with `role`, `aliases` and what the ruleset needs besides.
        """
        given = dict(options or {})
        for name, value in given.items():
            if name not in self.options:
                raise SetupRefused(f"unknown option `{name}`", ("options", name), nearest(name, self.options))
            if not self.options[name].accepts(value):
                allowed = ", ".join(map(_word, (self.options[name].default, *(self.options[name].others or ()))))
                raise SetupRefused(f"option `{name}` cannot be `{_word(value)}`; it may be {allowed}", ("options", name))
        known = self.facts["setup"]
        for key in setup or {}:
            if key not in known:
                raise SetupRefused(f"unknown setup key `{key}`", ("setup", key), nearest(key, list(known)))
        if not players:
            raise SetupRefused("a game needs players", ("players",))
        seats = tuple(self._seat(str(name), what) for name, what in players.items())
        filled = {name: given.get(name, option.default) for name, option in self.options.items()}
        return Game(self.id, seats, filled, dict(setup or {}), seed, start)

    def _seat(self, name: str, what: Any) -> Seat:
        if isinstance(what, str):
            return Seat(name, {"role": what})
        if not isinstance(what, Mapping) or "role" not in what:
            raise SetupRefused(f"{name} needs a role: a role id, or a map with `role`", ("players", name))
        aliases = what.get("aliases", [])
        if not isinstance(aliases, list):
            raise SetupRefused(f"the aliases of {name} must be a list", ("players", name, "aliases"))
        return Seat(name, {key: value for key, value in what.items() if key != "aliases"}, tuple(map(str, aliases)))

    @abstractmethod
    def begin(self, game: Game) -> State:
        """The state before the first phase. Raises SetupRefused where the set-up cannot be played."""

    @abstractmethod
    def first_label(self, game: Game) -> Label:
        """The first phase played: the game's `start`, or the ruleset's. Raises SetupRefused for a label that is none."""

    @abstractmethod
    def next_label(self, state: State, closed: Label) -> Label:
        """The phase that follows the one just closed."""

    def new_phase(self, label: Label, state: State, inputs: PhaseInputs, choices: Choices) -> Phase[Any]:
        """The phase that the ruleset's steps work on; a ruleset may add to it."""
        return Phase(label, state, inputs, choices)

    @abstractmethod
    def vote_post(self, target: str) -> str:
        """The ordinary way to vote for `target`, as the text of a post."""

    @abstractmethod
    def open(self, phase: Phase[Any]) -> None:
        """The opening of a phase: what belongs to its events before anything comes in."""

    @abstractmethod
    def arrive(self, phase: Phase[Any], order: OrderInput) -> None:
        """A private message arrives: read it, refuse what may not be given, keep the rest for the close."""

    @abstractmethod
    def command(self, phase: Phase[Any], command: CommandInput) -> None:
        """A GM command of the ruleset's own. What is not allowed is refused and changes nothing."""

    @abstractmethod
    def close(self, phase: Phase[Any]) -> None:
        """Resolve the phase: the order of action, deaths, victory, and what opens the next one."""

    @abstractmethod
    def tally(self, phase: Phase[Any]) -> Mapping[str, Any] | None:
        """The count as it would be published now: `published` and `votes` of a `tally` event; None where nothing is voted on."""

    @abstractmethod
    def check_draw(self, game: Game, name: str) -> str | None:
        """None where `name` is a draw of this ruleset, else the nearest right name (or an empty string)."""


def _word(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


@cache
def load(ruleset: str) -> Ruleset:
    """The ruleset with that id. Raises SetupRefused, with the nearest one, where there is none."""
    if ruleset not in RULESETS:
        raise SetupRefused(f"unknown ruleset `{ruleset}`", ("ruleset",), nearest(ruleset, RULESETS))
    module = import_module(f"rulesets.{ruleset}")
    loaded = module.RULESET
    assert isinstance(loaded, Ruleset)
    return loaded
