"""A phase at work: the orders that stand, and in a night the acts, what blocks and stops them, and the pending deaths."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.phase import Phase
from parser.names import Roster
from rulesets.persian.actions import Action, actions
from rulesets.persian.cast import OFFICES, PerState, facts

Sent = tuple[bool, float, int, int]


@dataclass(eq=False, slots=True)
class Act:
    """One order at work. `targets` are as ordered; `aim` is where it falls, its own author where a trick turns it back."""

    actor: str
    action: Action
    targets: tuple[str, ...]
    sent: Sent
    source: str | None
    role: str | None = None
    blocked: bool = False
    stopped: str | None = None
    """What kept it from its target: guard, trap, shield, plunderer, executioner, trick, immune, or removed (by the GM)."""
    turned: bool = False
    warded: bool = False
    plundered: str | None = None
    value: str | None = None
    """What came of it, in the word of the table of results."""
    keeps_quota: bool = False
    about: int | None = None
    """Of a forecast: the day it is about (PER-NIGHT-06)."""
    place: float = 0
    """The place of its step in the order of action."""
    begun: bool = False
    fell: bool = False
    """Whether it fell away since its author was surely dead by then."""
    told: bool = False
    """Whether its fate is on record."""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The action's id."""
        return self.action.id

    @property
    def target(self) -> str | None:
        """The first target as ordered."""
        return self.targets[0] if self.targets else None

    @property
    def aim(self) -> str | None:
        """Where it falls."""
        return self.actor if self.turned else self.target

    @property
    def stands(self) -> bool:
        """Whether it reaches its target."""
        return not self.blocked and self.stopped is None

    @property
    def fate(self) -> str:
        """The one fate of the act, in a word."""
        return "blocked" if self.blocked else self.stopped or self.value or "done"


@dataclass(eq=False, slots=True)
class Strike:
    """A death that is pending (PER-SAVE-01). `lifts` are the savers who can lift it; a sure one has none (PER-SAVE-03)."""

    victim: str
    cause: str
    by: str | None
    why: str
    lifts: frozenset[str]
    act: Act | None = None
    delayed: bool = False
    lifted: bool = False
    place: float = 0
    """The place of its step in the order of action (PER-SAVE-05)."""


SAVERS = frozenset(("doctor", "surgeon", "lecter"))


@dataclass(slots=True)
class Town(Phase[PerState]):
    """A phase with its standing orders and, in a night, all that the steps of the order of action hand on to each other."""

    orders: dict[str, dict[str, Act]] = field(default_factory=dict)
    """Standing orders: player → family of actions → the last one sent (PER-NIGHT-07)."""
    guesses: list[Act] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    """Guesses that the GM has rejected: member and target (PER-GUESS-05)."""
    allowed: str | None = None
    """What the GM has said of the last guess: `allow` or `refuse`."""
    report_order: list[int] | None = None
    roster: tuple[int, Roster] | None = None
    """The names to be read, and how many players were known to be gone when it was made."""
    omitted: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    counter: int = 0

    present: tuple[str, ...] = ()
    """Who was alive and in the game as the phase opened."""
    lost_tonight: frozenset[str] = frozenset()
    """Players whose orders come to nothing since they plundered themselves last night (PER-PLUN-10)."""
    due: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Deaths that fall due at the end of this phase: player → (condition, cause)."""
    imprisoned: dict[str, Act] = field(default_factory=dict)
    possessed: dict[str, Act] = field(default_factory=dict)
    clothes: dict[str, dict[str, Act]] = field(default_factory=dict)
    guarded: dict[str, list[Act]] = field(default_factory=dict)
    trapped: dict[str, list[Act]] = field(default_factory=dict)
    shielded: dict[str, list[Act]] = field(default_factory=dict)
    conjuring: set[str] = field(default_factory=set)
    guessed_out: list[str] = field(default_factory=list)
    """Sides that have made their last wrong guess tonight (PER-GUESS-04 -06 -07)."""
    dead_already: set[str] = field(default_factory=set)
    """Victims of sure deaths: their orders in later steps are void (PER-SAVE-03)."""
    strikes: list[Strike] = field(default_factory=list)
    saved: dict[str, dict[str, list[Act]]] = field(default_factory=dict)
    """Whom savers help tonight: player → saver's kind → the acts."""
    marks: list[Act] = field(default_factory=list)
    """First attacks of the killers that took effect."""
    caught: dict[str, list[str]] = field(default_factory=dict)
    """Hunter → the guilty caught in the trap tonight."""
    swords: set[str] = field(default_factory=set)
    """Those whom the samurai's sword has struck tonight."""
    struck_samurai: set[str] = field(default_factory=set)
    escaped: set[str] = field(default_factory=set)
    unvested: set[str] = field(default_factory=set)
    to_plain: list[str] = field(default_factory=list)
    cut_short: bool = False
    """Whether the executioner's choice has ended the phase and the game (PER-EXEC-09)."""
    on_leave: str | None = None
    """The role that acts now by the GM's leave."""
    place: float = 0
    """The place, in the order of action, of the step being played."""
    blessed: str | None = None
    """Whom the blessing of a dead devotee has saved tonight."""

    @property
    def kind(self) -> str:
        """`day`, `defence` or `night`."""
        return self.label.kind

    @property
    def number(self) -> int:
        """Which day, defence or night it is."""
        return self.label.number

    def sent(self, player: str, at: datetime | None) -> Sent:
        """The place, in the order of sending, of what `player` sent at `at`."""
        self.counter += 1
        seat = self.state.game.names.index(player) if at is None else 0
        return (at is not None, at.timestamp() if at else 0.0, seat, self.counter)

    def acts(self, *ids: str) -> list[Act]:
        """The standing orders of these actions, action by action as listed, each in the order sent."""
        found = [act for own in self.orders.values() for act in own.values() if act.id in ids]
        return sorted(found, key=lambda act: (ids.index(act.id), act.sent))

    def now(self, *ids: str) -> list[Act]:
        """Those of them that act in this step: roles with the GM's leave act by themselves, last (PER-ORDER-16)."""
        leave = self.state.option("gm_leave_roles")

        def role_of(act: Act) -> str:
            if act.action.office is not None:
                return OFFICES[act.action.office][1]
            return next((role for role in act.action.roles if role in self.state.abilities(act.actor)), "")

        if self.on_leave is not None:
            return [act for act in self.acts(*ids) if role_of(act) == self.on_leave]
        return [act for act in self.acts(*ids) if role_of(act) not in leave]

    def record(self, what: str, why: str, **more: Any) -> None:
        """Keep a fact that only the GM sees and that later phases need."""
        self.emit("record", "gm", why, what=what, **more)

    # How often an action may still be used

    def left(self, player: str, action: Action) -> int | None:
        """How often `player` may still use `action`; None for ever (PER-NIGHT-04)."""
        state = self.state
        if action.office is not None:
            return self._left_in_office(action)
        if (player, action.id) in state.left_at_taking:
            given = state.left_at_taking[player, action.id]
            return None if given is None else max(0, given - state.uses[player, action.id])
        given = self._given(player, action)
        if given is None:
            return None
        shared = [one.id for one in actions().values() if one.counter == action.counter and one.id != action.id]
        used = state.uses[player, action.id]
        if action.counter == action.id or action.counts_as == "play":
            used += sum(state.uses[player, one] for one in shared)
        return max(0, given - used)

    def _given(self, player: str, action: Action) -> int | None:
        quotas = self.state.game.setup.get("quotas", {}).get(player, {})
        if action.id in quotas:
            return int(quotas[action.id])
        role = next((role for role in self.state.abilities(player) if role in action.uses_of), None)
        uses = action.uses_of[role] if role is not None else action.uses
        return int(self.state.option(uses)) if isinstance(uses, str) else uses

    def _left_in_office(self, action: Action) -> int:
        """The kills or recruitings of a side, whoever holds them (PER-GODF-07 -08, PER-SORC-07 -09)."""
        state = self.state
        quotas = state.game.setup.get("quotas", {})
        set_up = [row[action.id] for row in quotas.values() if action.id in row]
        assert isinstance(action.uses, str)
        given = int(set_up[0]) if set_up else int(state.option(action.uses))
        used = sum(count for (_, used), count in state.uses.items() if used == action.id)
        return max(0, given - used - (state.kills_lost if action.id == "kill" else 0))

    # Whose action it is

    def may(self, player: str, action: Action) -> bool:
        """Whether it is an order of the player's own role, of one taken over, of an office held, or of the team."""
        state = self.state
        if action.teams:
            return state.side(player) in action.teams and state.in_team(player)
        if action.office is not None:
            if state.side(player) != action.office:
                return False
            # Who has lost the office with the feature of the role is not told: the order is given, and in vain (PER-INV-04).
            former = state.role(player) == OFFICES[action.office][1] and state.has(player, "powerless")
            return state.holder(action.office) == player or former
        return bool(set(action.roles) & set(state.abilities(player)))

    def of_office(self, act: Act) -> bool:
        """Whether the act is given in an office and not in the own role: a deputy's (PER-GODF-10)."""
        return act.action.office is not None and self.state.role(act.actor) != OFFICES[act.action.office][1]

    def save(self, player: str, kind: str, act: Act) -> None:
        """A saver helps `player` tonight."""
        self.saved.setdefault(player, {}).setdefault(kind, []).append(act)

    # Interference

    def able(self, act: Act) -> bool:
        """Whether nothing keeps its author from the own role tonight (PER-NIGHT-13, PER-ORDER-13)."""
        state, actor = self.state, act.actor
        return not (
            actor in self.imprisoned
            or actor in self.possessed
            or actor in self.lost_tonight
            or state.has(actor, "powerless")
            or (actor, act.action.family, self.number) in state.burnt
        )

    def act_on(self, act: Act) -> bool:
        """Whether its author can act at all now; otherwise the act is blocked. A sure death blocks too (PER-SAVE-03)."""
        if not act.begun:
            act.begun, act.place = True, self.place
            act.fell = act.actor in self.dead_already
        act.blocked = act.blocked or act.actor in self.dead_already or not self.able(act)
        return not act.blocked

    def has_target(self, player: str) -> bool:
        """Whether a valid order of the player's is aimed at somebody tonight (PER-NIGHT-12)."""
        return any(act.targets and not unnoticed(act.action) for act in self.orders.get(player, {}).values())


def unnoticed(action: Action) -> bool:
    """Naming a player in a guess or a forecast is no act on that player (PER-NIGHT-16)."""
    return action.forecast or action.id in ("guess", "find_sorcerer")


def night_follows(town: Town) -> bool:
    """Whether a night still comes after this phase (PER-NIGHT-01 -02)."""
    later = town.kind == "night" or town.state.game.options["first_phase"] == "night"
    return town.number + later <= last_night()


def last_night() -> int:
    """The night after which only days follow (PER-NIGHT-01)."""
    return int(facts()["last_night"])
