"""What a ruleset must say, and how one is found by its id."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

from engine.choices import Choices
from engine.game import OWN_WORDS, Game, Seat, SetupRefused, nearest
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.phase import Phase
from engine.posts import Posts
from engine.state import Label, State
from parser.normal import fold

RULESETS = ("conan", "danganronpa", "persian")
"""The rulesets that can be played."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a ruleset: its default, the other values allowed (None: a number or text like the default) and its meaning.

    A number lies above `above` or is at least `least`, where one of them is given, and is at most `most`; a `whole` one has no
    fraction.
    """

    default: Any
    others: tuple[Any, ...] | None
    meaning: str
    above: float | None = None
    least: float | None = None
    most: float | None = None
    whole: bool = False

    def accepts(self, value: Any) -> bool:
        """Whether `value` may be given."""
        if self.others is not None:
            return value in self.values and type(value) in {type(one) for one in self.values}
        if not self.numeric:
            return isinstance(value, type(self.default))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            return False
        high = (self.above is None or value > self.above) and (self.least is None or value >= self.least)
        return high and (self.most is None or value <= self.most) and not (self.whole and value != int(value))

    @property
    def values(self) -> tuple[Any, ...]:
        """The values there are to choose from, the default first; empty where any number or text will do."""
        return () if self.others is None else (self.default, *self.others)

    @property
    def numeric(self) -> bool:
        """Whether any number of some kind may be given."""
        return self.others is None and isinstance(self.default, (int, float)) and not isinstance(self.default, bool)

    @property
    def allowed(self) -> str:
        """What may be given, in words."""
        if self.others is not None:
            words = list(map(_word, self.values))
            return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
        if not self.numeric:
            return "a list" if isinstance(self.default, list) else "a text"
        bounds = (("above", self.above), ("from", self.least), ("up to", self.most))
        said = [f"{word} {bound:g}" for word, bound in bounds if bound is not None]
        return " ".join(("a whole number" if self.whole else "a number", *said))


class Ruleset(ABC):
    """One game's rules: facts from its `ruleset.toml`, mechanics in its modules, in steps that `close` runs in order."""

    id: ClassVar[str]
    posts: ClassVar[Posts] = Posts()
    votes_in_thread: ClassVar[bool] = True
    """Whether what is posted counts; otherwise a phase can close without the thread having been read."""
    """What is the ruleset's own in its posts."""

    def __init__(self, folder: Path) -> None:
        with (folder / "ruleset.toml").open("rb") as file:
            self.facts: Mapping[str, Any] = tomllib.load(file)
        self.folder = folder
        self.options = {
            name: Option(**{**row, "others": tuple(row["others"]) if "others" in row else None})
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
            self.check_option(name, value)
        known = self.facts["setup"]
        for key in setup or {}:
            if key not in known:
                raise SetupRefused(f"unknown setup key `{key}`", ("setup", key), nearest(key, list(known)))
        if not players:
            raise SetupRefused("a game needs players", ("players",))
        seats = tuple(self._seat(str(name), what) for name, what in players.items())
        filled = {name: given.get(name, option.default) for name, option in self.options.items()}
        return Game(self.id, seats, filled, dict(setup or {}), seed, start)

    def check_option(self, name: str, value: Any) -> None:
        """Raises SetupRefused, with the nearest right word, where there is no such option or it cannot have that value."""
        path, option = ("options", name), self.options.get(name)
        if option is None:
            raise SetupRefused(f"unknown option `{name}`", path, nearest(name, self.options))
        if option.accepts(value):
            return
        # A word or number of the right meaning in quotes, or a yes or no written as a word.
        bare = any(option.accepts(one) for one in _unquoted(value))
        hint = f"; write it without quotes: {name} = {value.strip().lower()}" if bare else ""
        words = [one for one in option.values if isinstance(one, str)]
        near = nearest(value, words) if isinstance(value, str) and words else None
        raise SetupRefused(f"option `{name}` cannot be {_word(value)}; it may be {option.allowed}{hint}", path, near)

    def warnings(self, game: Game) -> list[str]:
        """What a GM should look at before the game begins, a sentence each: a set-up that can be played and makes no game."""
        return []

    def role_ids(self) -> list[tuple[str, str]]:
        """What `role` and its like may be in the players map, for the glossary: the id, and what kind of role it is."""
        return []

    def deck(self, players: int, held: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Sequence[str]]:
        """What `new` offers to deal to so many players, of whom those in `held` have theirs already.

        By default the first roles of the ruleset's own list `deck`; what is held is not dealt again.
        """
        listed = [str(role) for role in self.facts.get("deck", ())]
        return {"role": [*listed, *listed[-1:] * players][:players]}

    def deal(
        self, seats: Sequence[str], deck: Mapping[str, Sequence[str]], held: Mapping[str, Mapping[str, Any]],
        options: Mapping[str, Any], seed: str,
    ) -> Mapping[str, Mapping[str, str]] | None:  # fmt: skip
        """What each of `seats` is dealt, as fields of the players map; None where any card may go to anybody.

        `deck` is the GM's, `held` what the other players were given by hand, `options` as the GM wrote them. Raises SetupRefused.
        """
        return None

    def drawn(self, game: Game) -> Mapping[str, Any]:
        """What of the set-up is drawn with a deal, by key, where `game` does not say it."""
        return {}

    def order_phrases(self) -> list[tuple[str, str, str]]:
        """How private orders are written, for the glossary: the phrase, in which phases it may be sent, and who may."""
        return []

    def _seat(self, name: str, what: Any) -> Seat:
        if name in OWN_WORDS:
            raise SetupRefused(
                f"a player cannot be called `{name}`, which means {OWN_WORDS[name]} here: call the player otherwise, e.g. "
                f"`{name.capitalize()}`, and give the name on the forum as `account = \"{name}\"`", ("players", name),
            )  # fmt: skip
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

    def secret_count(self, phase: Phase[Any]) -> Mapping[str, Any] | None:
        """The count of votes that only the GM may see before the phase ends, as `tally` has it; None where there are none."""
        return None

    def awaited(self, phase: Phase[Any], tally: Mapping[str, Any] | None) -> Mapping[str, str]:
        """Who has not yet done what the open phase waits for: player → `vote`, `order` or the ruleset's own word for it.

        Only the GM and that player may learn of it. By default the living who have not voted, as `tally` has it.
        """
        shown = tally or {}
        unclear = {one["player"] for one in shown.get("unclear", ())}  # these wait for the GM, not for the voter
        return {name: "vote" for name in shown.get("not_voting", ()) if name not in unclear and phase.state.alive(name)}

    def standing(self, phase: Phase[Any], player: str) -> Sequence[str]:
        """The private orders of `player` that stand now, as the rules would write them."""
        return ()

    @abstractmethod
    def check_draw(self, game: Game, name: str) -> str | None:
        """None where `name` is a draw of this ruleset, else the nearest right name (or an empty string)."""


_BOTH = "{} and {} are both called `{}`: nobody could tell whom a vote for it means"


def told_apart(seats: Sequence[Seat]) -> None:
    """No name is another player's name or alias, whatever its case: whoever wrote it would name both.

    Raises SetupRefused (reading.md, "A name").
    """
    taken: dict[str, str] = {}
    for seat in seats:
        if (other := taken.setdefault(fold(seat.name), seat.name)) != seat.name:
            raise SetupRefused(_BOTH.format(other, seat.name, other), ("players", seat.name))
    for seat in seats:
        for number, alias in enumerate(seat.aliases):
            if (other := taken.get(fold(alias), seat.name)) != seat.name:
                raise SetupRefused(_BOTH.format(seat.name, other, other), ("players", seat.name, "aliases", number))


def _unquoted(value: Any) -> list[Any]:
    """What a text in quotes would be without them: a number, or yes or no."""
    if not isinstance(value, str):
        return []
    word = value.strip().lower()
    if word in ("true", "false"):
        return [word == "true"]
    try:
        return [float(word)]
    except ValueError:
        return []


def _word(value: Any) -> str:
    """A value as it is written in a file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


@cache
def load(ruleset: str) -> Ruleset:
    """The ruleset with that id. Raises SetupRefused, with the nearest one, where there is none."""
    if ruleset not in RULESETS:
        near = nearest(ruleset, RULESETS)
        known = "" if near else f"; there is {', '.join(RULESETS)}"
        raise SetupRefused(f"unknown ruleset `{ruleset}`{known}", ("ruleset",), near)
    module = import_module(f"rulesets.{ruleset}")
    loaded = module.RULESET
    assert isinstance(loaded, Ruleset)
    return loaded
