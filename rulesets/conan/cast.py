"""Roles, their abilities by phase, and what a game of the Conan ruleset keeps on record (CON-ROLE, CON-COND, Glossary)."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from engine.events import Event
from engine.state import Deed, Label, State
from rulesets.conan.names import renamed

HERE = Path(__file__).parent
DISGUISERS = ("vermouth", "kaitou_kid")
COSTUMED = ("yukiko", "irish")
NEVER_SONOKO = ("arrest", "detain", "house_search", "face_pinch", "steal", "vengeance")
"""What Sonoko has not whoever her friend is (CON-FRIEND-04, CON-BEFRIEND-14)."""
EXPIRING = ("injured", "suspended", "abroad", "asleep", "frightened")


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability in a role's row: its word, and how often it may be used in one phase."""

    word: str
    count: int = 1
    among: str = ""
    """The side of whoever it may name, where the row says it: Gin's two slanders."""


Group = tuple[tuple[Ability, ...], ...]
"""Alternatives of which one is used in a phase; each joins abilities that go together (CON-GEN-12)."""


@dataclass(frozen=True, slots=True)
class Role:
    """A role as the table has it."""

    id: str
    name: str
    title: str
    side: str
    group: str
    sheet: Mapping[str, tuple[Group, ...]]
    """Kind of phase → groups of alternatives."""
    passive: tuple[str, ...]
    status: str
    interrogation: str
    scent: bool
    may_be_worn: bool
    items: tuple[str, ...]
    gender: str
    age: str
    notes: str

    def words(self, *kinds: str) -> set[str]:
        """The words of its abilities in these kinds of phase."""
        return {one.word for kind in kinds for group in self.sheet[kind] for alternative in group for one in alternative}


@cache
def roles() -> Mapping[str, Role]:
    """All roles, by id (CON-ROLE-01)."""
    with (HERE / "roles.csv").open(encoding="utf-8", newline="") as file:
        return {row["id"]: _role(row) for row in csv.DictReader(file)}


def _role(row: Mapping[str, str]) -> Role:
    side, _, group = row["side"].partition("/")
    sheet = {kind: _sheet(row[f"{kind}_actions"]) for kind in ("night", "day", "prep")}
    return Role(
        row["id"], row["name"], row["title"], side, group or side, sheet, tuple(_words(row["passive"])), row["status"],
        row["interrogation"].split("|")[0], row["scent"] == "yes", row["disguise"] == "yes", tuple(_words(row["items"])),
        row["observe_gender"].split("|")[0], row["observe_age"].split("|")[0], row["notes"],
    )  # fmt: skip


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(";") if word.strip() and not word.strip().startswith("+")]


def _sheet(text: str) -> tuple[Group, ...]:
    groups = []
    for part in _words(text):
        alternatives = []
        for alternative in part.split("|"):
            abilities = [_ability(word.strip()) for word in alternative.split("+")]
            alternatives.append(tuple(abilities))
        groups.append(tuple(alternatives))
    return tuple(groups)


def _ability(text: str) -> Ability:
    word, _, rest = text.partition(" ")
    return Ability(word, int(rest)) if rest.isdecimal() else Ability(word, among=rest)


@cache
def facts() -> Mapping[str, Any]:
    """What `ruleset.toml` says."""
    return tomllib.loads((HERE / "ruleset.toml").read_text(encoding="utf-8"))


def index(label: str) -> int:
    """The place of a phase in the game: prep 0, night 1 1, day 1 2, night 2 3, …"""
    kind, _, number = label.partition(" ")
    return 0 if kind == "prep" else 2 * int(number) - (kind == "night")


def label_at(place: int) -> str:
    """The phase at that place."""
    return "prep" if place <= 0 else f"{'night' if place % 2 else 'day'} {(place + 1) // 2}"


@dataclass(slots=True)
class ConState(State):
    """The state of a game: besides the core's, what each rule has to remember. All of it is a fold over the events."""

    role_of: dict[str, str] = field(default_factory=dict)
    town_role: dict[str, str] = field(default_factory=dict)
    """Anokata → the town role he is dealt on (CON-ROLE-02)."""
    renamed: dict[str, list[str]] = field(default_factory=dict)
    """The seat's first name → what it has been called since, the newest last (CON-INACT-03)."""
    until: dict[tuple[str, str], int] = field(default_factory=dict)
    """(player, condition) → the place of the last phase it covers; none for the rest of the game."""
    worn: dict[str, str] = field(default_factory=dict)
    """Who wears a disguise → its role."""
    worn_until: dict[str, int] = field(default_factory=dict)
    """Who wears a costume → the last phase of it (CON-TDISG-03)."""
    to_wear: dict[str, str] = field(default_factory=dict)
    """A costume or disguise put on as the next night opens."""
    offered: dict[str, list[str]] = field(default_factory=dict)
    costumes: dict[str, list[str]] = field(default_factory=dict)
    """Costumes chosen and not yet used."""
    used_costumes: dict[str, list[str]] = field(default_factory=dict)
    lovers: list[tuple[str, str]] = field(default_factory=list)
    friend: dict[str, str] = field(default_factory=dict)
    items: dict[str, list[str]] = field(default_factory=dict)
    lent: dict[str, str] = field(default_factory=dict)
    """Bow-tie, watch, suitcase → who holds it this night."""
    lent_next: dict[str, str] = field(default_factory=dict)
    watch_broken: bool = False
    charm_used: bool = False
    aptx: int = 0
    bribe_used: bool = False
    cycle: int = 1
    killed_in_cycle: set[str] = field(default_factory=set)
    erased_in_cycle: set[str] = field(default_factory=set)
    tickets: dict[str, int] = field(default_factory=dict)
    erased_deeds: set[int] = field(default_factory=set)
    """Crimes wiped out by a lawsuit: places in the list of deeds (CON-LAWSUIT-04)."""
    answered_for: set[int] = field(default_factory=set)
    """Crimes somebody has been arrested for (CON-ARREST-11)."""
    held_for: dict[str, list[int]] = field(default_factory=dict)
    """Who is in jail → the crimes that brought him there."""
    pinched: set[str] = field(default_factory=set)
    """Who was pinched out of a disguise and is not free yet (CON-PINCH-07)."""
    pinched_off: dict[str, str] = field(default_factory=dict)
    detained_by: dict[str, str] = field(default_factory=dict)
    last_detained: dict[str, str] = field(default_factory=dict)
    no_more: set[tuple[str, str]] = field(default_factory=set)
    """(player, ability): lost or used up for the game."""
    backed_up: set[str] = field(default_factory=set)
    lovey_lost: dict[frozenset[str], int] = field(default_factory=dict)
    sabotaged: list[str] = field(default_factory=list)
    """Whom a Sabotage of last night concerns today."""
    told_roles: dict[str, list[str]] = field(default_factory=dict)
    """Who abducted → the roles told (CON-ABDUCT-05)."""
    wills: dict[str, str] = field(default_factory=dict)
    censored: dict[str, str | None] = field(default_factory=dict)
    """What the GM has put in the place of a will; None where it is not to be read (CON-GEN-06)."""
    missed: Counter[str] = field(default_factory=Counter)
    missed_in: dict[str, list[str]] = field(default_factory=dict)
    inactive: dict[str, dict[str, str]] = field(default_factory=dict)
    """Inactive player → `actions` and `votes` → who has them."""
    unnamed_dead: set[str] = field(default_factory=set)
    """Whose death only the GM and the eraser know of (CON-ERASE-05)."""
    first_played: str = ""

    def option(self, name: str) -> Any:
        """An option's value."""
        return self.game.options[name]

    # What they are called

    def called(self, player: str) -> str:
        """The name under which the seat goes now: the newest player's on it.  CON-INACT-03"""
        later = self.renamed.get(player)
        return later[-1] if later else player

    def seat_of(self, name: str) -> str:
        """The seat that goes or went under that name."""
        return next((seat for seat, names in self.renamed.items() if name in names), name)

    def later_names(self, player: str) -> tuple[str, ...]:
        """What the seat has been called besides its first name."""
        return tuple(self.renamed.get(player, ()))

    def hears(self, player: str) -> str | None:
        """Who gets a player's results: whoever has an inactive one's actions, if anybody.  CON-INACT-14"""
        return self.inactive[player].get("actions") if player in self.inactive else player

    # Who is what

    def rank(self, player: str) -> int:
        """The place of a BO member's role in the hierarchy (CON-HIER-06, -10)."""
        given, table = self.option("bo_hierarchy"), facts()["hierarchy"]
        order = [*given, *(role for role in table if role not in given)] if isinstance(given, list) else table
        return int(order.index(self.role_of[player]))

    def bo(self, player: str) -> bool:
        """Whether `player` belongs to the Black Organization."""
        return roles()[self.role_of[player]].side == "black_org"

    def free(self, player: str) -> bool:
        """Alive and not in jail."""
        return self.alive(player) and not self.jailed(player)

    def at_work(self, player: str) -> bool:
        """At large, and somebody at large acts for him: himself, or whoever has an inactive one's actions.  CON-INACT-05"""
        hearer = self.hears(player)
        own = hearer == player
        return self.free(player) and hearer is not None and (own or (self.free(hearer) and hearer not in self.inactive))

    def jailed(self, player: str) -> bool:
        """Arrested or detained."""
        return bool({"arrested", "detained"} & self.conditions[player])

    def members(self) -> list[str]:
        """The BO members, highest rank first."""
        return sorted((name for name in self.game.names if self.bo(name)), key=self.rank)

    def with_role(self, role: str) -> str | None:
        """The player dealt that role, an Anokata's town role included."""
        return next((name for name in self.game.names if role in (self.role_of[name], self.town_role.get(name))), None)

    def own_role(self, player: str) -> str:
        """The role whose face a player has undisguised: an Anokata's town role."""
        return self.town_role.get(player, self.role_of[player])

    def face(self, player: str) -> Role:
        """The role a player looks like: the disguise's, an Anokata's town role, else the own."""
        return roles()[self.worn.get(player) or self.own_role(player)]

    def in_game(self, role: str) -> bool:
        """Whether that role is dealt, to whomever and whatever became of him (CON-DETECT-04 -06)."""
        return self.with_role(role) is not None

    def answers(self, player: str) -> str:
        """What an interrogation hears.  CON-INT-01 -06, CON-ROLE-34"""
        return self.face(player).interrogation

    def lover_of(self, player: str) -> str | None:
        """The other of a pair."""
        return next((b if a == player else a for a, b in self.lovers if player in (a, b)), None)

    def cross_pairs(self) -> list[tuple[str, str]]:
        """Pairs of a BO member and a town player (CON-LOVER-06)."""
        return [pair for pair in self.lovers if self.bo(pair[0]) != self.bo(pair[1])]

    def sheets(self, player: str) -> list[tuple[Role, str | None]]:
        """The rows whose abilities a player has: own, town role, disguise, friend; and by what way (`via`)."""
        own = self.role_of[player]
        found: list[tuple[Role, str | None]] = [(roles()[own], None)]
        if player in self.town_role:
            found.append((roles()[self.town_role[player]], None))
        if player in self.worn:
            found.append((roles()[self.worn[player]], "disguise"))
        if player in self.friend:
            friend = self.friend[player]
            found += [(role, "friendship") for role, _ in self.sheets(friend)]
        return found

    def has_passive(self, player: str, word: str) -> bool:
        """Whether a passive ability is among the player's; an injury takes it away, and Sonoko never has Vengeance."""
        if "injured" in self.conditions[player]:
            return False
        return any(
            word in role.passive and not (via == "friendship" and word in NEVER_SONOKO) for role, via in self.sheets(player)
        )  # fmt: skip

    def status(self, player: str, word: str) -> bool:
        """Whether a status is the player's, by role, town role, or a disguise that is no costume; or a friend's so.

        CON-DISG-17, CON-BEFRIEND-13
        """
        own = [roles()[self.role_of[player]], roles()[self.own_role(player)]]
        if player in self.worn and self.role_of[player] in DISGUISERS:
            own.append(roles()[self.worn[player]])
        return any(role.status == word for role in own) or (player in self.friend and self.status(self.friend[player], word))

    def side(self, player: str) -> str:
        """`black_org`, `town`, or `lovers` for a cross pair."""
        if any(player in pair for pair in self.cross_pairs()):
            return "lovers"
        return "black_org" if self.bo(player) else "town"

    # Costumes

    def wardrobes(self) -> list[str]:
        """Those who have costumes: Yukiko and Irish."""
        return [player for player in self.game.names if self.role_of[player] in COSTUMED]

    def dresser(self, owner: str) -> str:
        """Who chooses and uses somebody's costumes: after a befriended Yukiko's death Sonoko.  CON-BEFRIEND-21"""
        heir = next((sonoko for sonoko, friend in self.friend.items() if friend == owner), None)
        return heir if heir is not None and not self.alive(owner) else owner

    def wardrobe_of(self, player: str) -> str | None:
        """Whose costumes `player` chooses and uses; None for nobody's."""
        return next((owner for owner in self.wardrobes() if self.dresser(owner) == player), None)

    # Deeds

    def done(self, *, actor: str | None = None, action: str | None = None, keyword: str | None = None) -> list[tuple[int, Deed]]:
        """Deeds that were carried out and not erased by a lawsuit, with their places."""
        return [
            (place, deed)
            for place, deed in enumerate(self.deeds)
            if deed.fate == "done" and place not in self.erased_deeds
            and (actor is None or deed.actor == actor)
            and (action is None or deed.action == action)
            and (keyword is None or deed.group == keyword)
        ]  # fmt: skip

    def crimes(self, player: str, before: int, *, framed: bool = False) -> list[tuple[int, Deed]]:
        """The crimes of a player in phases before that place.  CON-CRIME-01 to -08"""
        return [
            (place, deed)
            for place, deed in self.done(actor=player)
            if deed.more.get("crime") and index(deed.phase) < before
            and deed.more.get("via") != "fake" and (framed or deed.more.get("via") != "frame")
        ]  # fmt: skip

    def used_in_pair(self, players: tuple[str, ...], action: str, place: int) -> bool:
        """Whether one of `players` has used `action` in the night and day of one number to which `place` belongs, fakes apart."""
        return any(
            deed.action == action and deed.actor in players and deed.more.get("via") != "fake"
            and (index(deed.phase) + 1) // 2 == (place + 1) // 2
            for deed in self.deeds
        )  # fmt: skip

    # The fold

    def apply(self, event: Event) -> None:
        """Fold one event in."""
        if self.renamed:
            event = replace(event, data=renamed(event.kind, event.data, self.seat_of))
        State.apply(self, event)
        data = event.data
        if event.kind == "death" and event.visibility == "gm":
            self.unnamed_dead.add(data["player"])
        elif event.kind == "condition":
            self._condition(data)
        elif event.kind == "record":
            self._record(data)
        elif event.kind == "deed":
            self._deed(data)
        elif event.kind == "win":
            self.winner = list(data["sides"])  # its players win with their side, none for himself

    def _condition(self, data: Mapping[str, Any]) -> None:
        player, condition = data["player"], data["condition"]
        key = (player, condition)
        if not data["on"]:
            self.until.pop(key, None)
        elif data.get("until") is not None:
            self.until[key] = index(data["until"])
        else:
            self.until.pop(key, None)

    def _deed(self, data: Mapping[str, Any]) -> None:
        if data["fate"] != "done":
            return
        actor, action = data["actor"], data["action"]
        if action == "steal" and data.get("item") in self.items.get(data["targets"][0], ()):
            self.items[data["targets"][0]].remove(data["item"])
        elif action == "detain":
            self.detained_by[data["targets"][0]] = actor
            self.last_detained[actor] = data["targets"][0]
        elif action == "abduct":
            self.told_roles.setdefault(actor, []).append(data["role"])
        elif action == "travel" and data.get("ticket"):
            self.tickets[data["ticket"]] -= 1

    def _record(self, data: Mapping[str, Any]) -> None:
        """Facts that only the GM sees and that no act tells by itself."""
        what, player = data["what"], data.get("player", "")
        simple = _SIMPLE.get(what)
        if simple is not None:
            simple(self, player, data)


def _wear(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.worn[player] = data["role"]
    if data.get("until") is not None:
        state.worn_until[player] = index(data["until"])
    state.to_wear.pop(player, None)
    if data.get("costume"):
        state.costumes[player] = [role for role in state.costumes.get(player, []) if role != data["role"]]
        state.used_costumes.setdefault(player, []).append(data["role"])
    if data.get("items"):
        state.items[player] = [*state.items[player], *data["items"]]


def _unwear(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.worn.pop(player, None)
    state.worn_until.pop(player, None)
    for item in data.get("items", ()):
        if item in state.items[player]:
            state.items[player].remove(item)


def _offered(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.offered[player] = list(data["roles"])


def _chosen(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.costumes[player] = list(data["roles"])
    state.used_costumes[player] = []
    state.offered.pop(player, None)


def _cycle(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.cycle += 1
    state.killed_in_cycle.clear()
    state.erased_in_cycle.clear()


def _lent(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.lent, state.lent_next = dict(data["held"]), {}


def _answered(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.answered_for.update(data["deeds"])
    state.held_for.setdefault(player, []).extend(data["deeds"])


def _freed(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    if data["erase"]:
        state.erased_deeds.update(state.held_for.get(player, ()))
    state.held_for.pop(player, None)
    state.detained_by.pop(player, None)


def _split(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.inactive.setdefault(player, {}).update({key: data[key] for key in ("actions", "votes") if data.get(key) is not None})


def _renamed(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    """Somebody else sits there: what the one before has missed does not count for the new player."""
    state.renamed.setdefault(player, []).append(data["name"])
    state.missed.pop(player, None)
    state.missed_in.pop(player, None)


def _will(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.wills[player] = data["text"]
    state.censored.pop(player, None)


def _missed(state: ConState, player: str, data: Mapping[str, Any]) -> None:
    state.missed[player] += 1
    state.missed_in.setdefault(player, []).append(data["phase_missed"])


_SIMPLE: Mapping[str, Any] = {
    "wear": _wear,
    "unwear": _unwear,
    "to_wear": lambda state, player, data: state.to_wear.update({player: data["role"]}),
    "offered": _offered,
    "chosen": _chosen,
    "lovers": lambda state, player, data: state.lovers.extend(tuple(pair) for pair in data["pairs"]),
    "friend": lambda state, player, data: state.friend.update({player: data["friend"]}),
    "cycle": _cycle,
    "killed": lambda state, player, data: state.killed_in_cycle.add(player),
    "erased": lambda state, player, data: state.erased_in_cycle.add(player),
    "bribe_used": lambda state, player, data: setattr(state, "bribe_used", True),
    "lend": lambda state, player, data: state.lent_next.update({data["thing"]: player}),
    "held": _lent,
    "watch_broken": lambda state, player, data: setattr(state, "watch_broken", True),
    "charm_used": lambda state, player, data: setattr(state, "charm_used", True),
    "capsules": lambda state, player, data: setattr(state, "aptx", data["left"]),
    "ticket": lambda state, player, data: state.tickets.update({player: state.tickets.get(player, 0) + 1}),
    "answered": _answered,
    "freed": _freed,
    "pinched": lambda state, player, data: (state.pinched.add(player), state.pinched_off.update({player: data["role"]})),
    "unpinched": lambda state, player, data: state.pinched.discard(player),
    "no_more": lambda state, player, data: state.no_more.add((player, data["ability"])),
    "backed_up": lambda state, player, data: state.backed_up.add(data["role"]),
    "lovey_lost": lambda state, player, data: state.lovey_lost.update({frozenset(data["pair"]): data["until"]}),
    "sabotaged": lambda state, player, data: setattr(state, "sabotaged", list(data["players"])),
    "will": _will,
    "censored": lambda state, player, data: state.censored.update({player: data["text"]}),
    "missed": _missed,
    "split": _split,
    "returned": lambda state, player, data: state.inactive.pop(player, None),
    "renamed": _renamed,
}


def seen(names: Sequence[str]) -> list[str]:
    """Each name once, in order."""
    return list(dict.fromkeys(names))


def label_of(text: str) -> Label:
    """The phase of that label."""
    kind, _, number = text.partition(" ")
    return Label(kind, int(number) if number else 1, kind)
