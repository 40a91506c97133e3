"""Who plays what, and the state of a Danganronpa game (DAN-TEAM, DAN-TAL-01 -02, DAN-PHASE-12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from engine.events import Event
from engine.game import Game, SetupRefused, nearest
from engine.state import Label, State, as_tuple
from parser.normal import key
from parser.orders import Phrase
from rulesets.danganronpa.talents import Ability, Talent, declare, starter_talents

PLACES = ("cafeteria", "lounge", "gym")
SULKING = "sulking"
_starter = cache(starter_talents)


@dataclass(frozen=True, slots=True)
class Student:
    """A player's team and talents: the Ultimate one first, then the Black or Grey one."""

    name: str
    team: str
    talents: tuple[Talent, ...]

    @property
    def told_talent(self) -> str:
        """The talent that investigations and traces name: the Black or Grey one if there is one (DAN-INV-10)."""
        return self.talents[-1].id

    def abilities(self) -> Iterator[Ability]:
        """All abilities of all their talents (DAN-TAL-03)."""
        for talent in self.talents:
            yield from talent.abilities

    def ability(self, id_: str) -> Ability | None:
        """Their ability with that id, actions only."""
        return next((one for one in self.abilities() if one.id == id_ and not one.passive), None)


@dataclass(frozen=True)
class Cast:
    """All students, and every talent that can be named in this game."""

    students: Mapping[str, Student] = field(default_factory=dict)
    talents: Mapping[str, Talent] = field(default_factory=dict)

    def holder(self, talent: str) -> str | None:
        """Who holds that talent; None where nobody does."""
        return next((s.name for s in self.students.values() if any(t.id == talent for t in s.talents)), None)

    @cached_property
    def talent_names(self) -> dict[str, str]:
        """Every way to write a talent → its id: name or id, with or without "Ultimate", "Black" or "Grey" (DAN-INV-05)."""
        names: dict[str, str] = {}
        for talent in self.talents.values():
            for name in (talent.name, talent.id):
                names[key(name)] = talent.id
                for colour in ("ultimate", "black", "grey"):
                    names.setdefault(key(name).removeprefix(colour), talent.id)
        return names

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """How orders are written in this game, one phrase a known ability (Glossary, "Talent orders").

        Help texts, reading and random legal orders all come from these.
        """
        known = [Phrase("disrupt", "disrupt"), Phrase("withdraw:disrupt", "withdraw disrupt")]
        shapes = {0: "{id}", 1: "{id} {thing}", 2: "{id} {thing} to {thing}"}
        abilities = [ability for talent in self.talents.values() for ability in talent.abilities if not ability.passive]
        for id_, targets in sorted({(ability.id, ability.targets) for ability in abilities}):
            for words in dict.fromkeys((id_.replace("_", " "), id_)):
                known.append(Phrase(id_, shapes[targets].replace("{id}", words)))
                known.append(Phrase(f"withdraw:{id_}", f"withdraw {words}"))
        return tuple(dict.fromkeys(known))


def cast_of(game: Game) -> Cast:
    """The cast of a game. Raises SetupRefused where two hold one talent or a talent is of the wrong colour."""
    talents = {**_starter(), **declare(game.setup.get("talents", []), ("setup", "talents"))}
    students: dict[str, Student] = {}
    taken: dict[str, str] = {}
    for seat in game.seats:
        path = ("players", seat.name)
        for word in seat.given:
            if word not in ("role", "black", "grey", "account"):
                raise SetupRefused(
                    f"{seat.name}: unknown key `{word}`", (*path, word), nearest(word, ["role", "black", "grey", "aliases"])
                )
        if "black" in seat.given and "grey" in seat.given:
            raise SetupRefused(f"{seat.name} cannot have both a black and a grey talent (DAN-TAL-02)", path)
        held = []
        for part, colour in (("role", "white"), ("black", "black"), ("grey", "grey")):
            if part not in seat.given:
                continue
            id_ = str(seat.given[part])
            where = (*path, part) if len(seat.given) > 1 else path
            if id_ not in talents:
                raise SetupRefused(f"{seat.name}: unknown role `{id_}`", where, nearest(id_, list(talents)))
            if talents[id_].colour != colour:
                raise SetupRefused(
                    f"{seat.name}: `{part}` must be a {colour} talent, and `{id_}` is {talents[id_].colour} (DAN-TAL-02)", where
                )
            if id_ in taken:
                raise SetupRefused(f"{taken[id_]} and {seat.name} both hold `{id_}`; talents are unique (DAN-TAL-01)", where)
            taken[id_] = seat.name
            held.append(talents[id_])
        team = "black" if "black" in seat.given else "grey" if "grey" in seat.given else "white"
        student = Student(seat.name, team, tuple(held))
        ids = [ability.id for ability in student.abilities() if not ability.passive]
        twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
        if twice is not None:
            raise SetupRefused(f"two talents of {seat.name} have an ability `{twice}`: an order could mean either", path)
        students[seat.name] = student
    return Cast(students, talents)


@dataclass(slots=True)
class DanState(State):
    """The state of a Danganronpa game: besides the core's, what the school keeps on record."""

    cast: Cast = field(default_factory=Cast)
    regulations: dict[int, str] = field(default_factory=dict)
    """The regulations in force, by number (DAN-REG)."""
    next_regulation: str | None = None
    """The text Monokuma has given for the next one (DAN-REG-03)."""
    bodies: list[str] = field(default_factory=list)
    """The dead of the last daily life: what a deadly life investigates."""
    unrevealed: list[str] = field(default_factory=list)
    """The dead whose team and talents are not yet published (DAN-PHASE-08)."""
    executed: list[str] = field(default_factory=list)
    """Everybody ever executed by vote."""
    not_revivable: set[str] = field(default_factory=set)
    deadchat: set[str] = field(default_factory=set)
    last_phase: str | None = None
    last_daily_life: str | None = None
    fell_in: dict[str, str] = field(default_factory=dict)
    """Where each of the dead died last: player → phase."""

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        State.apply(self, event)
        data = event.data
        if event.kind == "death":
            player, causes = data["player"], as_tuple(data["cause"])
            self.fell_in[player] = event.phase
            if "lynch" in causes:
                self.executed.append(player)
            if player not in self.unrevealed:
                self.unrevealed.append(player)
            killers = as_tuple(data.get("by"))
            kind = event.phase.rpartition(" ")[0].replace(" ", "_")
            flagged = any(self._no_revival(killer, cause, kind) for killer in killers for cause in causes)
            if "punish" in causes or flagged:
                self.not_revivable.add(player)
            if "lynch" in causes and not self.game.options["revive_executed"]:
                self.not_revivable.add(player)
        elif event.kind == "announce":
            self._announced(event)
        elif event.kind == "notice" and data["topic"] == "regulation_noted":
            self.next_regulation = data["text"]
        elif event.kind == "notice" and data["topic"] == "deadchat":
            self.deadchat.add(data["to"])

    def _announced(self, event: Event) -> None:
        data = event.data
        if data["topic"] == "regulation":
            self.regulations[data["number"]] = data["text"]
            self.next_regulation = None
        elif data["topic"] == "reveal":
            self.unrevealed = [name for name in self.unrevealed if name != data["player"]]
        elif data["topic"] == "revived":
            self.conditions[data["player"]].discard("dead")
            self.conditions[data["player"]].add("alive")
            self.unrevealed = [name for name in self.unrevealed if name != data["player"]]
            self.deadchat.discard(data["player"])
        elif data["topic"] == "next_phase":
            self.last_phase = event.phase
            if event.phase.startswith("daily life"):
                self.last_daily_life = event.phase
                self.bodies = [name for name, phase in self.fell_in.items() if phase == event.phase]

    def _no_revival(self, killer: str, cause: str, kind: str) -> bool:
        """Whether that killer's ability is flagged so, by itself or by what a passive grants in that kind of phase."""
        abilities = list(self.cast.students[killer].abilities())
        own = any(one.id == cause and "no_revival" in one.flags for one in abilities)
        granted = any("no_revival" in one.grants and kind in one.phases for one in abilities)
        return own or (granted and any(one.id == cause for one in abilities))

    def place(self, player: str) -> str | None:
        """Where `player` hung out in the last daily life: a place, `sulking`, or None for nothing on record (DAN-HANG-20)."""
        held = self.conditions[player]
        if SULKING in held:
            return SULKING
        return next((place for place in PLACES if f"at_{place}" in held), None)

    def may_target(self, actor: str, target: str) -> bool:
        """Whether the hangout groups let a restricted action of `actor` aim at `target` (DAN-HANG-17 to -19)."""
        if actor == target:
            return True
        here, there = self.place(actor), self.place(target)
        if not self.alive(target) or here != there or here is None:
            return False
        return here != SULKING or self.game.options["sulkers"] == "group"

    def team(self, player: str) -> str:
        """`white`, `black` or `grey`."""
        return self.cast.students[player].team

    def reveal(self, player: str) -> dict[str, Any]:
        """What is published of a player: team and all Ultimate talents (DAN-PHASE-08)."""
        student = self.cast.students[player]
        return {"team": student.team, "talents": [talent.id for talent in student.talents]}


def begin(game: Game, first: Label, default_texts: list[str], first_texts: list[str]) -> DanState:
    """The state as the first phase opens (DAN-TEAM-02, DAN-REG-01, DAN-PHASE-12). Raises SetupRefused."""
    state = DanState(game, cast=cast_of(game))
    setup = game.setup
    _begun(state, first)
    regulations = _texts(setup.get("regulations", []))
    in_force = first.number + (1 if first.kind == "trial" else 2)
    state.regulations = dict(enumerate(first_texts, 1))
    for number in range(3, in_force + 1):
        own = regulations[number - 3] if number - 3 < len(regulations) else None
        state.regulations[number] = own or unused_text(state.regulations, default_texts)
    for student in state.cast.students.values():
        if student.team == "black" or any(talent.blackened for talent in student.talents):
            state.conditions[student.name].add("blackened")
    for name in _players(game, "blackened"):
        state.conditions[name].add("blackened")
    for name in _players(game, "dead"):
        state.conditions[name].discard("alive")
        state.conditions[name].add("dead")
    _hangouts(state, first)
    return state


def unused_text(in_force: Mapping[int, str], defaults: Sequence[str]) -> str:
    """The first text of the list that is not in force yet; when all are, the list begins again (DAN-REG-03)."""
    used = set(in_force.values())
    return next((text for text in defaults if text not in used), defaults[len(in_force) % len(defaults)])


def _begun(state: DanState, first: Label) -> None:
    """How many phases count as played before the first one (DAN-PHASE-12)."""
    played = first.number - 1
    if first.kind == "trial":
        state.begun.update(trial=played, daily_life=played, deadly_life=played)
    elif first.kind == "deadly_life":
        state.begun.update(trial=first.number, daily_life=first.number, deadly_life=played)
    else:
        trials = 1 if state.game.options["first_phase"] == "trial" or played else 0
        state.begun.update(trial=trials, daily_life=played)
    if state.begun["daily_life"]:
        state.last_daily_life = f"daily life {state.begun['daily_life']}"


def _hangouts(state: DanState, first: Label) -> None:
    given = state.game.setup.get("hangouts")
    if given is None and first.kind != "daily_life" and not state.begun["daily_life"]:
        return
    if not isinstance(given or {}, Mapping):
        raise SetupRefused("`hangouts` maps players to places", ("setup", "hangouts"))
    for name, place in (given or {}).items():
        path = ("setup", "hangouts", str(name))
        if name not in state.conditions:
            raise SetupRefused(f"unknown player `{name}`", path, nearest(name, list(state.conditions)))
        if place not in (*PLACES, SULKING):
            raise SetupRefused(f"unknown place `{place}`", path, nearest(place, [*PLACES, SULKING]))
    for name in state.game.names:
        place = (given or {}).get(name, SULKING)
        state.conditions[name].add(SULKING if place == SULKING else f"at_{place}")


def _players(game: Game, key: str) -> list[str]:
    given = game.setup.get(key, [])
    if not isinstance(given, list):
        raise SetupRefused(f"`{key}` is a list of players", ("setup", key))
    for number, name in enumerate(given):
        if name not in game.names:
            raise SetupRefused(f"unknown player `{name}`", ("setup", key, number), nearest(name, game.names))
    return [str(name) for name in given]


def _texts(given: Any) -> list[str]:
    if not isinstance(given, list):
        raise SetupRefused("`regulations` is a list of texts", ("setup", "regulations"))
    return [str(text) for text in given]
