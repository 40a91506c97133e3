"""A phase at work: the orders that are entered, what hinders them, and what each comes to (CON-FAIL, CON-ACT, CON-COND)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engine.choices import Question as Asked
from engine.events import Event, Visibility
from engine.phase import Phase
from parser.names import Roster
from rulesets.conan.actions import Action, actions
from rulesets.conan.cast import ConState, Role, index, label_at
from rulesets.conan.deeds import Question
from rulesets.conan.names import renamed

Sent = tuple[bool, float, int, int]
ALWAYS_STANDS = ("arrest", "aptx", "black_suitcase", "vote", "abstain", "token", "will", "no_action")
"""What an injury of the same phase leaves (CON-COND-11), with what is done through things received."""


@dataclass(eq=False, slots=True)
class Act:
    """One order entered. `actor` is whose deed it is, `to` who hears of it (another where the actor is inactive).

    `via` is the way by which the ability is had: cover, backup, bowtie, fake, friendship, disguise, inactive, suitcase.
    """

    actor: str
    to: str
    action: Action
    targets: tuple[str, ...]
    sent: Sent
    source: str | None
    role: str | None = None
    question: Question | None = None
    via: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    failed: bool = False
    value: Any = None
    """What the result says; None until it is settled."""
    early: bool = False
    """Whether it took effect at an earlier step, so that nothing later undoes it (CON-COND-28, CON-ORDER-03)."""
    through: Act | None = None
    """The Cover through which it is done."""

    @property
    def id(self) -> str:
        """The action's id."""
        return self.action.id

    @property
    def target(self) -> str | None:
        """The first player named; the doer asked about in a question."""
        if self.question is not None and self.action.aim == "question":
            return self.question.doer
        return self.targets[0] if self.targets else None

    @property
    def real(self) -> bool:
        """Whether it does something: a fake does not."""
        return self.via != "fake"


@dataclass(eq=False, slots=True)
class Kill:
    """The night's kill that is played: who kills whom, how, and by which act."""

    killer: str
    victim: str
    how: str
    act: Act
    played: bool = True
    """Whether it is played at all: not where the killer was taken out at the step of arrests (CON-DISC-15)."""
    happened: bool = False
    """Whether anybody was attacked (CON-CRIME-06)."""
    face: Role | None = None
    """As whom the killer was seen, though the mask be pinched off later (CON-STAKE-09)."""
    saved_by: Act | str | None = None
    died: str | None = None
    """Who died of it: the victim, or a protector in the victim's place."""


@dataclass(slots=True)
class Scene(Phase[ConState]):
    """A phase with its orders, and in it who was taken out at which step."""

    entered: dict[str, list[Act]] = field(default_factory=dict)
    """Sender → orders entered, in the order sent."""
    acts: list[Act] = field(default_factory=list)
    """The orders that are played, once incompatible ones are dropped."""
    present: tuple[str, ...] = ()
    leader: str | None = None
    in_jail: frozenset[str] = frozenset()
    """Who was in jail as the phase opened."""
    jailed_now: dict[str, str] = field(default_factory=dict)
    """Who was jailed in this phase → arrested or detained."""
    jailed_first: set[str] = field(default_factory=set)
    """Those jailed by an arrest proper, at the first step."""
    abroad_now: set[str] = field(default_factory=set)
    sunk: set[str] = field(default_factory=set)
    """Who aimed at somebody abroad: all their actions fail (CON-COND-06)."""
    tripped: set[str] = field(default_factory=set)
    tricked: set[str] = field(default_factory=set)
    frightened: frozenset[str] = frozenset()
    injured_now: set[str] = field(default_factory=set)
    suspended_now: set[str] = field(default_factory=set)
    judoed: set[str] = field(default_factory=set)
    """Saved by Judo: their own actions fail (CON-JUDO-04)."""
    dead_now: dict[str, str] = field(default_factory=dict)
    """Who died in this phase → of what."""
    kill: Kill | None = None
    erased: str | None = None
    stripped: set[str] = field(default_factory=set)
    spoken: set[str] = field(default_factory=set)
    """Who sent the GM anything this phase (CON-INACT-01)."""
    excused: set[str] = field(default_factory=set)
    told_followed: set[str] = field(default_factory=set)
    officers: Counter[str] = field(default_factory=Counter)
    """How many officers were suspended, and injured by whom they arrested: the public hears the numbers (CON-ARREST-06 -12)."""
    answered: dict[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    """The questions that came up, by kind and by whole key."""
    """What the GM's commands answer: question → choice."""
    ended: str | None = None
    """The side to which the GM has given the game, or `continue`."""
    dropped_wills: dict[str, str | None] = field(default_factory=dict)
    override: set[str] = field(default_factory=set)
    """Members who let the leader change their kill (CON-HIER-04)."""
    roster: Roster | None = None
    """Who can be named in this phase, once somebody has been."""
    counter: int = 0

    @property
    def kind(self) -> str:
        """`prep`, `night` or `day`."""
        return self.label.kind

    @property
    def place(self) -> int:
        """The place of the phase in the game."""
        return index(self.name)

    def after(self, phases: int) -> str:
        """The label of the phase so many after this one."""
        return label_at(self.place + phases)

    def sent(self, player: str, at: datetime | None) -> Sent:
        """The place, in the order of sending, of what `player` sent at `at`."""
        self.counter += 1
        seat = self.state.game.names.index(player) if at is None else 0
        return (at is not None, at.timestamp() if at else 0.0, seat, self.counter)

    def of(self, *ids: str) -> list[Act]:
        """The acts of these actions that do something, in the order sent."""
        return [act for act in self.acts if act.id in ids and act.real]

    def emit(self, kind: str, visibility: Visibility, why: str, *, secret: tuple[str, ...] = (), **data: Any) -> Event:
        """Say that something happened; a replaced player's seat goes by the newest name.  CON-INACT-03"""
        if self.state.renamed:
            data = renamed(kind, data, self.state.called)
        return Phase.emit(self, kind, visibility, why, secret=secret, **data)

    def result(self, to: str, action: str, value: str, why: str, **more: Any) -> None:
        """The outcome of something done; an inactive player's is told to whoever has his actions.  CON-INACT-10 -14"""
        hearer = self.state.hears(to)
        if hearer is not None:
            Phase.result(self, hearer, action, value, why, **(more | ({"via": "inactive"} if hearer != to else {})))

    def record(self, what: str, why: str, **more: Any) -> None:
        """Keep a fact that only the GM sees and that later phases need."""
        self.emit("record", "gm", why, what=what, **more)

    def gone(self, player: str) -> bool:
        """Whether `player` died in this phase."""
        return player in self.dead_now

    def ask(self, question: Asked, why: str) -> str | None:
        """Ask the GM, unless a command of this phase has answered: `answer will: drop`, `answer will:Ann: drop`, or whole."""
        called = (question.key, ":".join(question.key.split(":")[:2]), question.question)
        self.asked |= set(called)
        given = next((self.answered[name] for name in called if name in self.answered), None)
        if given is not None and given in question.choices:
            self.choices.answers = {**self.choices.answers, question.key: given}
        elif given is not None:
            self.refuse(f"answer {question.question}: {given}", why, reason=f"the choices are {', '.join(question.choices)}")
        return Phase.ask(self, question, why)

    # What hinders an act

    def hindered(self, act: Act) -> bool:
        """Whether an act of the steps behind the killing fails.  CON-FAIL-01, CON-COND, CON-DISC, CON-FRIGHT, CON-CLUMSY"""
        return self.author_hindered(act) or self.target_hindered(act)

    def author_hindered(self, act: Act, *, despite_death: bool = False) -> bool:
        """Whether its author was taken out; `despite_death` for a trick on the killer of its author (CON-FAIL-06)."""
        actors = {act.actor, act.to}
        if any(one in self.jailed_now or one in self.sunk for one in actors):
            return True
        if not despite_death and any(map(self.gone, actors)):
            return True
        if act.to in self.stripped or (act.through is not None and self.hindered(act.through)):
            return True
        thing = act.via in ("bowtie", "fake", "suitcase") or act.id in ALWAYS_STANDS
        if not thing and (act.to in self.injured_now or act.to in self.suspended_now):
            return True
        if act.to in self.judoed and act.id not in ALWAYS_STANDS:
            return True
        if self.kind == "night":  # a fake is stopped as a use of the suitcase is, whatever it fakes (CON-BS-08)
            stop = (actions()["fake"] if act.via == "fake" else act.action).stop
            return "d" in stop and bool(actors & self.tricked)
        return "f" in act.action.stop and bool(actors & self.frightened)

    def target_hindered(self, act: Act) -> bool:
        """Whether its target is out of reach: in jail, abroad, or tripped over."""
        target = act.target
        if target is None:
            return False
        if act.id == "cover" and self.gone(target):
            return True  # CON-COVER-05
        if target in self.jailed_now and act.id not in ("lawsuit", "cover"):
            return True
        if target in self.abroad_now:
            return True
        return self.kind == "night" and target in self.tripped and target != act.actor and act.id != "clumsy"

    def avenges(self, player: str, *words: str) -> bool:
        """Whether Vengeance or Revenge is the player's and nothing stops it.  CON-VENG-05, CON-COND-06"""
        stopped = player in self.frightened or player in self.tricked or player in self.sunk
        return not stopped and any(self.state.has_passive(player, word) for word in words)

    # Conditions

    def injure(self, player: str, phases: int, why: str, *, first: int = 1, public: bool = False) -> None:
        """Injure a player until so many phases have passed, `first` being the first counted (0: this one); 0 phases: for good.

        A new injury runs to the later of two ends (CON-COND-25).
        """
        until = None if phases == 0 else self.place + first + phases - 1
        if self.state.has(player, "injured"):
            before = self.state.until.get((player, "injured"))
            until = None if before is None or until is None else max(before, until)
        self.injured_now.add(player)
        self._lasting(player, "injured", until, why)
        self.notice(player, "injured", why, until=None if until is None else label_at(until))
        if public:
            self.announce("injured", why, player=player)

    def suspend(self, player: str, why: str) -> None:
        """Suspend an officer for the two phases after this one.  CON-COND-12"""
        until = self.place + 2
        self.suspended_now.add(player)
        self._lasting(player, "suspended", max(until, self.state.until.get((player, "suspended"), 0)), why)
        self.notice(player, "suspended", why, until=label_at(until))

    def _lasting(self, player: str, condition: str, until: int | None, why: str) -> None:
        label = None if until is None else label_at(until)
        self.emit("condition", "gm", why, player=player, condition=condition, on=True, until=label)

    def followed(self, player: str, why: str) -> None:
        """Tell a player, once a day, that somebody followed him."""
        if player not in self.told_followed:
            self.told_followed.add(player)
            self.notice(player, "followed", why)

    # Results

    def tell(self, act: Act, value: Any, why: str, **more: Any) -> None:
        """The result of an act; `via` where its ability is not its author's own."""
        act.value = value
        if act.via in ("cover", "backup", "bowtie", "friendship", "disguise") or act.to != act.actor:
            more["via"] = "inactive" if act.to != act.actor else act.via
        if act.target is not None:
            more.setdefault("target", act.target)
        if act.via == "fake":
            more["faked"] = act.id
        with self.about(act.source or ""):
            self.result(act.to, act.more.get("told_as", act.more.get("as", act.id)), value, why, **more)

    def fail(self, act: Act, why: str) -> None:
        """An act that was entered and came to nothing.  CON-GEN-13"""
        act.failed = True
        if act.question is not None and act.action.aim == "question":
            self.tell(act, "failed", why, **asked(act.question))
        else:
            self.tell(act, "failed", why)


def asked(question: Question) -> dict[str, Any]:
    """What a result repeats of the question."""
    found: dict[str, Any] = {"target": question.doer, "deed": question.deed}
    if question.object is not None:
        found["object"] = list(question.object) if isinstance(question.object, tuple) else question.object
    if question.when is not None:
        found["when"] = question.when
    return found
