"""The state of a game: a fold over its events. Nothing else changes it, so replaying the log gives the same game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from engine.events import Event
from engine.game import Game


@dataclass(frozen=True, slots=True)
class Label:
    """A phase's name: its kind and its number, counted for each kind on its own (`trial 2`).

    A phase that comes only once has the number 0 and is called by its word alone (`prep`).
    """

    kind: str
    number: int
    word: str

    def __str__(self) -> str:
        return f"{self.word} {self.number}" if self.number else self.word


@dataclass(frozen=True, slots=True)
class Death:
    """One death, and what only the GM knows of it: `causes` as the death event names them, `by` the killers."""

    player: str
    causes: tuple[str, ...]
    by: tuple[str, ...]
    phase: str


@dataclass(frozen=True, slots=True)
class Deed:
    """One act and what became of it: the record that later questions ("who did what to whom") are queries on.

    `targets` are as ordered, `final` as they were in the end. `fate` is one word, `reason` why where there is one.
    """

    actor: str
    action: str
    group: str
    targets: tuple[str, ...]
    final: tuple[str, ...]
    fate: str
    phase: str
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """Who is what at a moment of the game. Rulesets add their own facts by subclassing and extending `apply`."""

    game: Game
    begun: Counter[str] = field(default_factory=Counter)
    """How many phases of each kind have begun."""
    conditions: dict[str, set[str]] = field(default_factory=dict)
    deaths: list[Death] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    uses: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each player has spent each ability."""
    winner: list[str] | None = None

    def __post_init__(self) -> None:
        for name in self.game.names:
            self.conditions.setdefault(name, {"alive"})

    @property
    def options(self) -> Mapping[str, Any]:
        """The options in force: those that the game began with, unless the ruleset lets the GM change some later."""
        return self.game.options

    def has(self, player: str, condition: str) -> bool:
        """Whether `condition` is in force for `player`."""
        return condition in self.conditions[player]

    def living(self) -> list[str]:
        """The living players, in the order of seats."""
        return [name for name in self.game.names if "alive" in self.conditions[name]]

    def alive(self, player: str) -> bool:
        """Whether `player` is alive; a stranger's name is not."""
        return "alive" in self.conditions.get(player, ())

    def called(self, player: str) -> str:
        """The name under which a seat goes in events: its own, unless the ruleset knows of another since."""
        return player

    def seat_of(self, name: str) -> str:
        """The seat that goes, or went, under that name in events; the name itself where there is no other."""
        return name

    def in_seat_order(self, players: set[str] | frozenset[str] | list[str]) -> list[str]:
        """`players` in the order of seats, each once."""
        wanted = set(players)
        return [name for name in self.game.names if name in wanted]

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        data = event.data
        if event.kind == "condition":
            change = self.conditions[data["player"]]
            (change.add if data["on"] else change.discard)(data["condition"])
        elif event.kind == "death":
            own = self.conditions[data["player"]]
            own.discard("alive")
            own.add("dead")
            self.deaths.append(Death(data["player"], as_tuple(data["cause"]), as_tuple(data.get("by")), event.phase))
        elif event.kind == "deed":
            self.deeds.append(
                Deed(
                    data["actor"],
                    data["action"],
                    data["group"],
                    tuple(data["targets"]),
                    tuple(data["final"]),
                    data["fate"],
                    event.phase,
                    data,
                ),
            )
            if data["spent"]:
                self.uses[data["actor"], data["action"]] += 1
        elif event.kind == "spend":
            self.uses[data["player"], data["ability"]] += 1
        elif event.kind == "win":
            self.winner = [*data["sides"], *data["players"]]

    def copy(self) -> Self:
        """A state of its own that can go its own way: the game is shared, all that changes is copied."""
        twin = type(self)(self.game)
        for name in self.__dataclass_fields_names():
            if name != "game":
                setattr(twin, name, _copied(getattr(self, name)))
        return twin

    def __dataclass_fields_names(self) -> list[str]:
        return list(type(self).__dataclass_fields__)


def as_tuple(value: Any) -> tuple[str, ...]:
    """One word or a list of them, as a tuple; None as an empty one."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _copied(value: Any) -> Any:
    if isinstance(value, Counter):
        return Counter(value)
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(value)
    if isinstance(value, set):
        return set(value)
    return value
