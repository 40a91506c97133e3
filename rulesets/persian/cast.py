"""Who plays what, and what a game of the Persian ruleset keeps on record (PER-SIDE, Glossary)."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from engine.events import Event
from engine.state import State

HERE = Path(__file__).parent
GUILTY = ("mafia", "cult", "killers")
MARKS = {"psychopath": "infected", "poisoner": "poisoned"}
"""Killer → the condition of whoever was attacked in the ordinary way."""
OFFICES = {"mafia": ("kill", "godfather"), "cult": ("recruit", "sorcerer")}
"""Side → the action that passes to a deputy, and the role it belongs to."""


@dataclass(frozen=True, slots=True)
class Role:
    """A role as the rules' table has it."""

    id: str
    side: str
    persian: str
    english: str
    semi_minor: bool


@cache
def roles() -> Mapping[str, Role]:
    """All roles of the document, by id."""
    with (HERE / "roles.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["id"]: Role(row["id"], row["side"], row["persian"], row["english"], row["semi_minor"] == "yes") for row in rows}


@cache
def facts() -> Mapping[str, Any]:
    """What `ruleset.toml` says."""
    return tomllib.loads((HERE / "ruleset.toml").read_text(encoding="utf-8"))


@dataclass(slots=True)
class PerState(State):
    """The state of a game: besides the core's, what each rule has to remember. All of it is a fold over the events."""

    role_of: dict[str, str] = field(default_factory=dict)
    """The role of each player as it now is: a monk without vest is `innocent` (PER-SIDE-08)."""
    side_given: dict[str, str] = field(default_factory=dict)
    """The side of a prosecutor, who may be `guilty` (PER-PROS-01)."""
    taken: dict[str, str] = field(default_factory=dict)
    """Poisoner → the role taken over (PER-POIS-02)."""
    left_at_taking: dict[tuple[str, str], int | None] = field(default_factory=dict)
    first_marks: dict[str, str] = field(default_factory=dict)
    """Marked player → the role of the killer who marked first (PER-KILL-03)."""
    targets: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """(player, action) → earlier targets, each time."""
    burnt: set[tuple[str, str, int]] = field(default_factory=set)
    """(player, action, night): uses that a trap has burned (PER-HUNT-04)."""
    ward_hits: Counter[str] = field(default_factory=Counter)
    plunder_hits: Counter[str] = field(default_factory=Counter)
    guessed_sorcerer: set[str] = field(default_factory=set)
    """Infiltrators who have joined by their own guess before the start, and so have a kill (PER-INFIL-02)."""
    wrong_guesses: Counter[str] = field(default_factory=Counter)
    kills_lost: int = 0
    """Kills of the mafia gone with an executed godfather (PER-GODF-07)."""
    dressed: dict[str, dict[str, str]] = field(default_factory=dict)
    """Player → `ordinary` and `special` → the role of the clothes put on last night (PER-TAILOR-13)."""
    played: dict[str, tuple[str, tuple[str, ...], bool]] = field(default_factory=dict)
    """Player → the role shown, the phases in which, and whether it is the actor's own (PER-ACTOR-04)."""
    kept: dict[tuple[str, str], tuple[int, tuple[str, ...], str | None]] = field(default_factory=dict)
    """(player, action) → the day whose execution an order waits for, its names and its role (PER-NIGHT-06, PER-VOTE-05)."""
    publicly_gone: set[str] = field(default_factory=set)
    """The dead and departed of whom the thread has been told (PER-REPORT-23)."""
    delayed: dict[str, str] = field(default_factory=dict)
    """Die-hard hit, or player overdosed → the cause of the death to come (PER-HARD-01)."""
    bewitched: str | None = None
    """Whom the sorcerer's magic has shown as `sorcerer` (PER-SORC-13)."""
    disguised: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    """The dead → the role announced."""
    executions: int = 0
    votes_received: Counter[str] = field(default_factory=Counter)
    forecasts: dict[str, Counter[str]] = field(default_factory=dict)
    trap_successes: Counter[str] = field(default_factory=Counter)
    caught: dict[str, list[str]] = field(default_factory=dict)
    unsheltered: Counter[str] = field(default_factory=Counter)
    last_shelter: dict[str, bool] = field(default_factory=dict)
    symbolic: dict[str, list[str]] = field(default_factory=dict)
    identified: dict[str, dict[str, int]] = field(default_factory=dict)
    """Police → player found → the night (PER-POL-07)."""
    killers_successes: int = 0
    clothed_kills: int = 0
    blessing: str | None = None
    """What a dead devotee has left for the coming night: `one` innocent is saved, or `all` (PER-DEV)."""
    trick: set[str] = field(default_factory=set)
    """Lawyers whose frame succeeded (PER-LAW-07)."""
    personal: list[str] = field(default_factory=list)
    """Who has won alone along the way, in the order of winning (PER-WIN-09)."""
    lost: set[str] = field(default_factory=set)
    holders: dict[str, str] = field(default_factory=dict)
    """Side → who has been told to hold the kill or the recruiting (PER-GODF-10)."""
    last_guess: str | None = None
    """Who may guess for the mafia after his removal, in the next phase (PER-GUESS-12)."""
    choosing: str | None = None
    """The executioner who chooses in the next phase (PER-EXEC-09)."""
    defendants: list[str] = field(default_factory=list)
    first_played: str = ""
    options_changed: dict[str, Any] = field(default_factory=dict)

    # Words of the rules

    @property
    def options(self) -> Mapping[str, Any]:
        """The options in force, changed ones included (PER-NIGHT-09)."""
        return {**self.game.options, **self.options_changed}

    def option(self, name: str) -> Any:
        """An option's value, as in `options`."""
        return self.options_changed.get(name, self.game.options[name])

    def role(self, player: str) -> str:
        """The role a player truly has now."""
        return self.role_of[player]

    def side(self, player: str) -> str:
        """The side a player truly belongs to: a recruit's is the mafia (PER-YAK-06)."""
        if "recruited" in self.conditions[player]:
            return "mafia"
        return self.side_given.get(player) or roles()[self.role_of[player]].side

    def guilty(self, player: str) -> bool:
        """Mafia, cult or killers (PER-SIDE-03)."""
        return self.side(player) in GUILTY

    def innocent(self, player: str) -> bool:
        """One of the innocents, semi-minor ones included (PER-SIDE-09)."""
        return self.side(player) == "innocents"

    def citizen(self, player: str) -> bool:
        """Everybody but the mafia and the cult; an infiltrator until he joins (PER-SIDE-02)."""
        if self.role(player) == "infiltrator" and self.side(player) == "cult":
            return "joined" not in self.conditions[player]
        return self.side(player) not in ("mafia", "cult")

    def semi_minor(self, player: str) -> bool:
        """Whether the role is publicly named and counts in no vote (PER-SEMI-02)."""
        return roles()[self.role(player)].semi_minor

    def here(self, player: str) -> bool:
        """Alive and in the game."""
        return self.alive(player) and "left_game" not in self.conditions[player]

    def present(self) -> list[str]:
        """Those alive and in the game, in the order of seats."""
        return [name for name in self.game.names if self.here(name)]

    def counted(self) -> list[str]:
        """The remaining players in every condition of victory (PER-SEMI-05)."""
        return [name for name in self.present() if not self.semi_minor(name)]

    def with_role(self, role: str) -> list[str]:
        """Those in the game who now have that role."""
        return [name for name in self.present() if self.role(name) == role]

    def team(self, side: str) -> list[str]:
        """Those in the game of that side; of the cult, who knows of it: no infiltrator before he joins (PER-SIDE-06)."""
        return [name for name in self.present() if self.side(name) == side and self.in_team(name)]

    def in_team(self, player: str) -> bool:
        """Whether a player knows the own side: an infiltrator not before he joins (PER-SIDE-06)."""
        return self.side(player) != "cult" or not self.citizen(player)

    def holder(self, side: str) -> str | None:
        """Who holds the mafia's kill or the cult's recruiting: its own role, else the deputy.  PER-GODF-08 -09, PER-SORC-07"""
        head = OFFICES[side][1]
        if head not in self.role_of.values():
            return None
        team = self.team(side)
        able = [name for name in team if "powerless" not in self.conditions[name]]
        if heads := [name for name in able if self.role(name) == head]:
            return heads[0]
        if side == "cult":  # a powerless exorcist holds it in vain (PER-SORC-07)
            return next((name for name in team if self.role(name) == "exorcist"), None)
        named = self.game.setup.get("deputies", {}).get("mafia", [])
        order = facts()["deputies"]

        def place(name: str) -> tuple[int, int]:
            if name in named:
                return (0, named.index(name))
            own = self.role(name) in order and "recruited" not in self.conditions[name]
            return (1, order.index(self.role(name)) if own else 99)

        return min(able, key=place, default=None)

    def abilities(self, player: str) -> list[str]:
        """The roles whose orders a player may give: the own and one taken over (PER-POIS-04)."""
        own = self.role(player)
        if "recruited" in self.conditions[player] and self.option("yakuza_recruit_ability") == "lost":
            return []
        return [own, self.taken[player]] if player in self.taken else [own]

    def forecast(self, player: str, word: str) -> int:
        """How many of a player's forecasts were `right` or `wrong`."""
        return self.forecasts[player][word] if player in self.forecasts else 0

    # The fold

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        State.apply(self, event)
        data = event.data
        if event.kind == "condition":
            if data["condition"] == "plain" and data["on"]:
                self.role_of[data["player"]] = "innocent"
            elif data["condition"] in ("dying", "overdosed") and not data["on"]:
                self.delayed.pop(data["player"], None)
        elif event.kind == "death":
            self.shown[data["player"]] = data["reveal"]["role"]
            if event.visibility == "public":
                self.publicly_gone.add(data["player"])
        elif event.kind == "lynch" and data["player"]:
            self.executions += 1
        elif event.kind == "deed":
            self._deed(event)
        elif event.kind == "record":
            self._record(data)
        elif event.kind == "announce":
            self._announced(data)

    def _announced(self, data: Mapping[str, Any]) -> None:
        if data["topic"] == "personal_win" and data["player"] not in self.personal:
            self.personal.append(data["player"])
        elif data["topic"] == "personal_loss":
            self.lost.add(data["player"])
        elif data["topic"] == "left_game":
            self.conditions[data["player"]].add("left_game")
            self.publicly_gone.add(data["player"])
        elif data["topic"] == "night_deaths":
            self.publicly_gone.update(data["players"])
        elif data["topic"] == "options_changed":
            self.options_changed[data["option"]] = data["value"]

    def _deed(self, event: Event) -> None:
        data = event.data
        actor, action = data["actor"], data["action"]
        if data["fate"] == "kept":
            self.kept[actor, action] = (data["about"], tuple(data["targets"]), data["role"])
            return
        self.kept.pop((actor, action), None)
        if data["targets"]:
            self.targets.setdefault((actor, action), []).extend(data["targets"])
        if data.get("warded"):
            self.ward_hits[actor] += 1
        if data.get("plundered"):
            self.plunder_hits[data["plundered"]] += 1
        if action == "guess" and data["fate"] == "wrong":
            self.wrong_guesses[data["team"]] += 1
        if action == "forecast" and data["fate"] in ("right", "wrong"):
            self.forecasts.setdefault(actor, Counter())[data["fate"]] += 1
        if action in ("play", "cast") and data["fate"] == "done":
            whom = data["targets"][0] if action == "cast" else actor
            self.played[whom] = (data["role"], tuple(data["phases"]), action == "play")

    def _record(self, data: Mapping[str, Any]) -> None:
        """Facts that only the GM sees and that no act tells by itself."""
        match data["what"]:
            case "clothes":
                self.dressed = {player: dict(worn) for player, worn in data["worn"].items()}
            case "clothed_kill":
                self.clothed_kills += 1
            case "first_mark":
                self.first_marks[data["player"]] = data["role"]
            case "taken":
                self.taken[data["player"]] = data["role"]
                for action, left in data["left"].items():
                    self.left_at_taking[data["player"], action] = left
            case "burnt":
                self.burnt.add((data["player"], data["action"], data["night"]))
            case "kill_lost":
                self.kills_lost += 1
            case "bewitched":
                self.bewitched = data["player"]
            case "exposed":
                self.bewitched = None
            case "disguised":
                self.disguised[data["player"]] = data["role"]
            case "trap":
                self.trap_successes[data["hunter"]] += 1
                self.caught.setdefault(data["hunter"], []).extend(data["caught"])
            case "shelter":
                self.last_shelter[data["player"]] = data["hidden"]
                self.unsheltered[data["player"]] += not data["hidden"]
            case "symbolic":
                self.symbolic.setdefault(data["player"], []).append(data["target"])
            case "identified":
                self.identified.setdefault(data["player"], {})[data["target"]] = data["night"]
            case "success":
                self.killers_successes += 1
            case "blessing":
                self.blessing = data["saves"]
            case "trick":
                self.trick.add(data["player"])
            case "withdrawn":
                self.kept.pop((data["player"], data["action"]), None)
            case "delayed":
                self.delayed.setdefault(data["player"], data["cause"])
            case "holder":
                self.holders[data["side"]] = data["player"]
            case "votes_received":
                self.votes_received.update(data["votes"])
            case "last_guess":
                self.last_guess = data["player"]
            case "choosing":
                self.choosing = data["player"]
            case "defendants":
                self.defendants = list(data["players"])
