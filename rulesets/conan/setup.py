"""The state as the first phase opens: the deal, and what the set-up says of the time before (Glossary, "setup keys")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from engine.game import Game, SetupRefused, nearest
from engine.state import Label
from rulesets.conan.cast import COSTUMED, DISGUISERS, ConState, facts, index, label_at, roles
from rulesets.conan.given import (
    Path,
    listed,
    map_given,
    number_given,
    phase_given,
    player_given,
    role_given,
    roles_given,
    row_of,
)
from rulesets.conan.past import deed_of_history, history

TRAVELLERS = ("hakuba", "sherry")
"""Besides them whoever may come to wear their face has tickets, counted from the game's start (CON-TRAVEL-14)."""


def begin(game: Game, first: Label) -> ConState:
    """The state as `first` opens. Raises SetupRefused (CON-ROLE-02, -18 to -24)."""
    state = ConState(game, aptx=int(game.options["aptx_count"]), first_played=str(first))
    for seat in game.seats:
        path = ("players", seat.name)
        role = role_given(seat.given["role"], (*path, "role") if len(seat.given) > 1 else path)
        state.role_of[seat.name] = role
        for word in seat.given:
            where = ("players", seat.name, str(word))
            if word not in ("role", "town_role"):
                known = ["role", "town_role", "aliases"]
                raise SetupRefused(f"{seat.name}: unknown key `{word}`", where, nearest(word, known))
            if word == "town_role" and role != "anokata":
                raise SetupRefused(f"{seat.name}: only Anokata has a `town_role` (CON-ROLE-02)", where)
        if role == "anokata":
            if "town_role" not in seat.given:
                raise SetupRefused(f"{seat.name}: Anokata is dealt on a town role: add `town_role` (CON-ROLE-02)", path)
            state.town_role[seat.name] = role_given(seat.given["town_role"], (*path, "town_role"))
    refuse_deal(state)
    for name in game.names:
        state.items[name] = [*roles()[state.role_of[name]].items]
        if name in state.town_role:
            state.items[name] += roles()[state.town_role[name]].items
        if {*TRAVELLERS, *DISGUISERS, *COSTUMED} & {state.role_of[name], state.town_role.get(name)}:
            state.tickets[name] = int(game.options["travel_tickets"])
    state.begun.update(night=first.number, day=first.number)
    for key, take in _SETUP.items():
        if key in game.setup:
            take(state, game.setup[key], ("setup", key))
    before(state, first)
    return state


def before(state: ConState, first: Label) -> None:
    """What was done before the first phase played, as the set-up has it: prep's choices, and disguises already worn."""
    place, setup = index(str(first)), state.game.setup
    for sonoko, friend in state.friend.items():
        state.deeds.append(deed_of_history(sonoko, "friendship", (friend,), None, "prep", None))  # CON-BEFRIEND-06
    for owner in setup.get("costumes", {}):
        state.deeds.append(deed_of_history(owner, "choose_costumes", (), None, "prep", None))  # CON-COST-06
    for owner in [name for name in state.offered if place > 0 and name not in state.costumes]:
        state.costumes[owner] = state.offered[owner][: int(state.option("costumes_chosen"))]  # CON-COST-04
    if place > 0:
        state.offered.clear()
    for player, role in state.to_wear.items():
        # A disguise dates from night 1 (CON-DISG-11); a costume worn on night 1 was put on in prep (CON-TDISG-06).
        worn = range(1, place, 2) if state.role_of[player] in DISGUISERS else range(int(place <= 1))
        state.deeds += [deed_of_history(player, "disguise", (), role, label_at(phase), None) for phase in worn]


def refuse_deal(state: ConState) -> None:
    """The pairs that may not be in one game, each role once, and whom Anokata can be.  CON-ROLE-23 -24"""
    dealt = [*state.role_of.values(), *state.town_role.values()]
    for player, town in state.town_role.items():
        if roles()[town].side == "black_org" or town in facts()["not_for_anokata"]:
            raise SetupRefused(f"Anokata cannot be {roles()[town].name} (CON-ROLE-02)", ("players", player, "town_role"))
    for role in dealt:
        if dealt.count(role) > 1:
            raise SetupRefused(f"{roles()[role].name} is dealt twice (CON-ROLE-24)", ("players",))
    for clash in facts()["clashes"]:
        found = [role for role in clash["roles"] if role in dealt]
        if len(found) > 1:
            names = " and ".join(roles()[role].name for role in found[:2])
            raise SetupRefused(f"{names} cannot be in one game ({clash['clause']})", ("players",))


def share_warning(state: ConState) -> str | None:
    """What the GM is told of a deal outside `bo_share` (CON-GEN-02)."""
    least, most = share_of(state.game.options["bo_share"])
    if least <= Fraction(len(state.members()), len(state.role_of)) <= most:
        return None
    return (
        f"{len(state.members())} of {len(state.role_of)} players are in the Black Organization; it should be between 1/4 and 1/3"
    )


def warnings(state: ConState) -> list[str]:
    """What a GM should look at before the game begins: it can be played, but hardly as meant."""
    found = [warning for warning in [share_warning(state)] if warning is not None]
    if not state.members():
        found.append("nobody is in the Black Organization: the town wins at the end of the first night")
    return found


def share_of(given: Any) -> tuple[Fraction, Fraction]:
    """The least and the greatest share of the BO, a thousandth to either side allowed for; 1/4 and 1/3 where it is no pair."""
    least, most = shares(given) or (Fraction(1, 4), Fraction(1, 3))
    return least - Fraction(1, 1000), most + Fraction(1, 1000)


def shares(given: Any) -> tuple[Fraction, Fraction] | None:
    """`bo_share` as the GM wrote it; None for what is no pair of shares, the smaller first."""
    try:
        least, most = (Fraction(str(part)) for part in given)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return (least, most) if 0 <= least <= most <= 1 else None


def _lovers(state: ConState, given: Any, path: Path) -> None:
    for number, pair in enumerate(listed(given, path)):
        if not isinstance(pair, list):
            raise SetupRefused(f"lovers come in pairs such as [A, B], not `{pair}`", (*path, number))
        names = [player_given(state, name, (*path, number, place)) for place, name in enumerate(pair)]
        if len(names) != 2 or names[0] == names[1]:
            raise SetupRefused(f"lovers come in pairs of two players, not `{', '.join(names)}`", (*path, number))
        for name in names:
            if not may_love(state, name):
                raise SetupRefused(f"{name} cannot be a lover (CON-LOVER-03)", (*path, number))
            if state.lover_of(name) is not None:
                raise SetupRefused(f"{name} is in two pairs of lovers", (*path, number))
        state.lovers.append((names[0], names[1]))


def may_love(state: ConState, player: str) -> bool:
    """Whether `player` may be a lover: not Sonoko, nor her friend, nor a child.  CON-LOVER-03, CON-AMOR-03"""
    held = {state.role_of[player], state.town_role.get(player)}
    return not held & {*facts()["children"], "sonoko"} and player not in state.friend.values()


def may_befriend(state: ConState, player: str) -> bool:
    """Whether Sonoko may befriend `player`.  CON-BEFRIEND-03, CON-ROLE-05"""
    lover = any(player in pair for pair in state.lovers)
    return not state.bo(player) and state.role_of[player] not in (*facts()["boys"], "sonoko") and not lover


def _friend(state: ConState, given: Any, path: Path) -> None:
    for name, friend in map_given(state, given, path):
        other = player_given(state, friend, (*path, name))
        if state.role_of[name] != "sonoko" or not may_befriend(state, other):
            raise SetupRefused(f"{name} cannot befriend {other} (CON-BEFRIEND-03)", (*path, name))
        state.friend[name] = other


def may_be_disguise(state: ConState, role: str) -> bool:
    """Whether Vermouth or Kid may be given that disguise.  CON-DISG-02 -03 -04"""
    return roles()[role].side == "town" and roles()[role].may_be_worn and not state.in_game(role)


def _disguise(state: ConState, given: Any, path: Path) -> None:
    for name, worn in map_given(state, given, path):
        role = role_given(worn, (*path, name))
        own = state.role_of[name]
        if own not in (*DISGUISERS, *COSTUMED):
            raise SetupRefused(f"{name} cannot wear a disguise or costume (CON-DISG-01, CON-TDISG-01)", (*path, name))
        if own in DISGUISERS and not may_be_disguise(state, role):
            clause = "02" if role in state.role_of.values() and roles()[role].may_be_worn else "03"
            raise SetupRefused(f"{name} cannot be disguised as {roles()[role].name} (CON-DISG-{clause})", (*path, name))
        if own in COSTUMED:
            _town_costume(role, (*path, name))
        state.to_wear[name] = role


def _town_costume(role: str, path: Path) -> None:
    if roles()[role].side != "town":
        raise SetupRefused(f"{roles()[role].name} is no costume: costumes are town roles (CON-COST-02)", path)


def _wardrobe(state: ConState, given: Any, path: Path) -> dict[str, list[str]]:
    """Each owner's costumes.  CON-COST-01 -02"""
    found = {}
    for name, given_roles in map_given(state, given, path):
        if state.role_of[name] not in COSTUMED:
            raise SetupRefused(f"{name} has no costumes: Yukiko and Irish have (CON-COST-01)", (*path, name))
        found[name] = roles_given(given_roles, (*path, name))
        for number, role in enumerate(found[name]):
            _town_costume(role, (*path, name, number))
    return found


def _costumes(state: ConState, given: Any, path: Path) -> None:
    state.costumes |= _wardrobe(state, given, path)


def _offered(state: ConState, given: Any, path: Path) -> None:
    state.offered |= _wardrobe(state, given, path)


def _thing(thing: str) -> Callable[[ConState, Any, Path], None]:
    def take(state: ConState, given: Any, path: Path) -> None:
        state.lent_next[thing] = player_given(state, given, path)

    return take


def _aptx(state: ConState, given: Any, path: Path) -> None:
    state.aptx = number_given(given, path)


def _flag(name: str) -> Callable[[ConState, Any, Path], None]:
    def take(state: ConState, given: Any, path: Path) -> None:
        if not isinstance(given, bool):
            raise SetupRefused(f"`{path[-1]}` is true or false", path)
        setattr(state, name, given)

    return take


def _killed_in_cycle(state: ConState, given: Any, path: Path) -> None:
    for number, name in enumerate(listed(given, path)):
        player = player_given(state, name, (*path, number))
        if not state.bo(player):
            raise SetupRefused(f"{player} is not in the Black Organization and kills in no cycle", (*path, number))
        state.killed_in_cycle.add(player)


def _conditions(state: ConState, given: Any, path: Path) -> None:
    for name, several in map_given(state, given, path):
        for one in several if isinstance(several, list) else [several]:
            condition, until = _condition(state, one, (*path, name))
            state.conditions[name].add(condition)
            if until is not None:
                state.until[name, condition] = until
            elif condition in ("asleep", "frightened", "abroad"):
                state.until[name, condition] = index(state.first_played)
            if condition == "dead":
                state.conditions[name].discard("alive")
            elif condition == "detained" and (by := state.with_role("satou")) is not None:
                state.detained_by[name] = by


def _condition(state: ConState, given: Any, path: Path) -> tuple[str, int | None]:
    """A condition, and the place of the last phase it covers where that is said."""
    row = row_of(given, path, ("condition", "until"), needed=("condition",)) if isinstance(given, Mapping) else {}
    condition, until = str(row["condition"] if row else given), row.get("until")
    if condition not in facts()["conditions"]:
        raise SetupRefused(f"unknown condition `{condition}`", path, nearest(condition, list(facts()["conditions"])))
    if until is None:
        return condition, None
    last = phase_given(until, (*path, "until"))
    if index(last) < index(state.first_played):
        raise SetupRefused(f"{last} is before {state.first_played}, the first phase played", (*path, "until"))
    return condition, index(last)


def _tickets(state: ConState, given: Any, path: Path) -> None:
    for name, number in map_given(state, given, path):
        if name not in state.tickets:
            raise SetupRefused(f"{name} cannot travel and has no tickets (CON-TRAVEL-14)", (*path, name))
        state.tickets[name] = number_given(number, (*path, name))


def _items(state: ConState, given: Any, path: Path) -> None:
    for name, several in map_given(state, given, path):
        state.items[name] = [str(item) for item in listed(several, (*path, name))]
        for number, item in enumerate(state.items[name]):
            if item not in facts()["items"]:
                raise SetupRefused(f"unknown item `{item}`", (*path, name, number), nearest(item, facts()["items"]))


def _wills(state: ConState, given: Any, path: Path) -> None:
    for name, text in map_given(state, given, path):
        if not isinstance(text, (str, int, float)) or isinstance(text, bool):
            raise SetupRefused(f"the will of {name} is a text; write it in quotes", (*path, name))
        state.wills[name] = str(text)


_SETUP: Mapping[str, Callable[[ConState, Any, Path], None]] = {
    "lovers": _lovers, "friend": _friend, "disguise": _disguise, "costumes": _costumes, "costumes_offered": _offered,
    "suitcase": _thing("suitcase"), "bowtie": _thing("bowtie"), "watch": _thing("watch"), "watch_broken": _flag("watch_broken"),
    "aptx": _aptx, "bribe_used": _flag("bribe_used"), "killed_in_cycle": _killed_in_cycle, "history": history,
    "conditions": _conditions, "tickets": _tickets, "items": _items, "wills": _wills,
}  # fmt: skip
