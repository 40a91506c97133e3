"""A Danganronpa phase at work: the acts of the phase, and what the students declared in the thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from engine.phase import Phase
from rulesets.danganronpa.cast import DanState
from rulesets.danganronpa.talents import Ability

Sent = tuple[bool, float, int, int]
"""When an act counts as sent: by its time; those without one first, by the order of players, then as listed (DAN-TAL-14)."""


@dataclass(eq=False, slots=True)
class Act:
    """One action of a student in this phase: of a talent, a vote, a hangout plan, an investigation or a disruption.

    `targets` are as ordered, `final` as they are after redirection (DAN-EFF-04). `sent` sorts the acts of the phase
    in the order in which they count as sent.
    """

    actor: str
    action: str
    group: str
    targets: tuple[str, ...]
    sent: Sent
    source: str | None
    ability: Ability | None = None
    final: list[str] = field(default_factory=list)
    cancelled: bool = False
    blocked: bool = False

    def __post_init__(self) -> None:
        self.final = list(self.targets)

    @property
    def stands(self) -> bool:
        """Whether it takes effect: neither cancelled nor blocked."""
        return not self.cancelled and not self.blocked

    @property
    def aim(self) -> str | None:
        """Its final target, the first of two (DAN-EFF-20); None for an action without target."""
        return self.final[0] if self.final else None

    @property
    def spot(self) -> str | None:
        """Where the effect falls: the final target, or the actor for an ability with `targets: 0` (DAN-FMT-05)."""
        return self.aim or (self.actor if self.ability is not None and self.ability.targets == 0 else None)

    def does(self, primitive: str) -> bool:
        """Whether its ability does that."""
        return self.ability is not None and self.ability.does == primitive

    def ignores(self, flag: str, granted: frozenset[str]) -> bool:
        """Whether it is flagged so, by its ability or by a passive's `grants` (DAN-EFF-15, DAN-FMT-03)."""
        return flag in granted or (self.ability is not None and flag in self.ability.flags)

    @property
    def fate(self) -> str:
        """The one fate of the act, in a word."""
        return "cancelled" if self.cancelled else "blocked" if self.blocked else "done"


@dataclass(slots=True)
class School(Phase[DanState]):
    """A phase with its standing orders, its acts, and what Monokuma has commanded."""

    orders: dict[str, list[Act]] = field(default_factory=dict)
    """Standing orders: player → acts in the order sent, disruptions among them."""
    acts: list[Act] = field(default_factory=list)
    cast_votes: dict[str, Act] = field(default_factory=dict)
    """The votes as cast: voter → act, in the order in which they voted (DAN-VOTE-19)."""
    removed: list[str] = field(default_factory=list)
    """Removed by modkill in this phase (DAN-PHASE-13)."""
    punished: list[str] = field(default_factory=list)
    cut_short: str | None = None
    """The team to which Monokuma has given the game (DAN-WIN-09)."""
    present: frozenset[str] = frozenset()
    """Who was alive when the phase opened."""
    drawn_places: dict[str, str] = field(default_factory=dict)
    counter: int = 0

    @property
    def kind(self) -> str:
        """`trial`, `daily_life` or `deadly_life`."""
        return self.label.kind

    def sent(self, player: str, at: datetime | None) -> Sent:
        """The place, in the order of sending, of what `player` sent at `at`."""
        self.counter += 1
        if at is not None:
            return (True, at.timestamp(), 0, self.counter)
        return (False, 0.0, self.state.game.names.index(player), self.counter)

    def acting(self, player: str) -> bool:
        """Whether what `player` does in this phase counts: alive as it opened, and not removed since (DAN-TAL-12)."""
        return player in self.present and player not in self.removed

    def of_group(self, group: str) -> list[Act]:
        """The acts of that kind, in the order sent."""
        return [act for act in self.acts if act.group == group]

    def standing(self, primitive: str) -> list[Act]:
        """The acts of that primitive that take effect, in the order sent."""
        return [act for act in self.acts if act.stands and act.does(primitive)]

    def passives(self, primitive: str, trigger: str) -> list[tuple[str, Ability]]:
        """The passives that do that in this phase and have uses left, with their holders (DAN-TAL-05, DAN-TAL-12)."""
        return [
            (name, ability)
            for name in self.state.game.names
            if self.acting(name)
            for ability in self.state.cast.students[name].abilities()
            if ability.passive and ability.does == primitive and ability.trigger == trigger
            if self.kind in ability.phases and self.uses_left(name, ability) != 0
        ]

    def always(self, primitive: str) -> list[tuple[str, Ability]]:
        """The passives of that primitive that work without being aimed at, each spending a use where it has a number."""
        found = self.passives(primitive, "always")
        for holder, ability in found:
            if ability.uses is not None:
                self.emit("spend", "gm", "DAN-FMT-12", player=holder, ability=ability.id)
        return found

    def uses_left(self, player: str, ability: Ability) -> int | None:
        """How often `player` may still use it; None for ever (DAN-FMT-06)."""
        return None if ability.uses is None else max(0, ability.uses - self.state.uses[player, ability.id])

    def granted(self, player: str) -> frozenset[str]:
        """The flags that a passive of the player gives to all their actions in this phase (DAN-FMT-03)."""
        return frozenset(
            flag
            for ability in self.state.cast.students[player].abilities()
            if ability.passive and self.kind in ability.phases and self.uses_left(player, ability) != 0
            for flag in ability.grants
        )
