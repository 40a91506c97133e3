"""The state as the first phase opens: the deal, and what the set-up says of the time before (Glossary, "setup keys")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from engine.game import Game, SetupRefused, nearest
from engine.state import Deed, Label
from rulesets.conan.actions import actions
from rulesets.conan.cast import COSTUMED, DISGUISERS, ConState, facts, index, label_at, roles

Path = tuple[str | int, ...]
TRAVELLERS = ("hakuba", "sherry")
"""Besides them whoever may come to wear their face has tickets, counted from the game's start (CON-TRAVEL-14)."""


def begin(game: Game, first: Label) -> ConState:
    """The state as `first` opens. Raises SetupRefused (CON-ROLE-02, -18 to -24)."""
    state = ConState(game, aptx=int(game.options["aptx_count"]), first_played=str(first))
    for seat in game.seats:
        path = ("players", seat.name)
        role = _role(seat.given["role"], (*path, "role") if len(seat.given) > 1 else path)
        state.role_of[seat.name] = role
        for word in seat.given:
            if word not in ("role", "town_role") or (word == "town_role" and role != "anokata"):
                raise SetupRefused(f"{seat.name}: unknown key `{word}`", (*path, word), nearest(word, ["role", "town_role"]))
        if role == "anokata":
            if "town_role" not in seat.given:
                raise SetupRefused(f"{seat.name}: Anokata is dealt on a town role: add `town_role` (CON-ROLE-02)", path)
            state.town_role[seat.name] = _role(seat.given["town_role"], (*path, "town_role"))
    refuse_deal(state)
    for name in game.names:
        state.items[name] = [*roles()[state.role_of[name]].items]
        if name in state.town_role:
            state.items[name] += roles()[state.town_role[name]].items
        if {*TRAVELLERS, *DISGUISERS, *COSTUMED} & {state.role_of[name], state.town_role.get(name)}:
            state.tickets[name] = int(game.options["travel_tickets"])
    state.begun.update(night=first.number, day=first.number)
    for key, value in game.setup.items():
        _SETUP[key](state, value, ("setup", key))
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
    try:
        least, most = (Fraction(str(part)) for part in given)
    except (TypeError, ValueError, ZeroDivisionError):
        least, most = Fraction(1, 4), Fraction(1, 3)
    return least - Fraction(1, 1000), most + Fraction(1, 1000)


def _role(given: object, path: Path) -> str:
    if given not in roles():
        raise SetupRefused(f"unknown role `{given}`", path, nearest(given, list(roles())))
    return str(given)


def _player(state: ConState, name: object, path: Path) -> str:
    if name not in state.role_of:
        raise SetupRefused(f"unknown player `{name}`", path, nearest(name, list(state.role_of)))
    return str(name)


def _map(state: ConState, given: Any, path: Path) -> Iterable[tuple[str, Any]]:
    if not isinstance(given, Mapping):
        raise SetupRefused(f"`{path[-1]}` maps players to values", path)
    return [(_player(state, name, (*path, str(name))), value) for name, value in given.items()]


def _roles(given: Any, path: Path) -> list[str]:
    return [_role(one, (*path, number)) for number, one in enumerate(given if isinstance(given, list) else [given])]


def _lovers(state: ConState, given: Any, path: Path) -> None:
    for number, pair in enumerate(given):
        names = [_player(state, name, (*path, number, place)) for place, name in enumerate(pair)]
        if len(set(names)) != 2:
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
    for name, friend in _map(state, given, path):
        other = _player(state, friend, (*path, name))
        if state.role_of[name] != "sonoko" or not may_befriend(state, other):
            raise SetupRefused(f"{name} cannot befriend {other} (CON-BEFRIEND-03)", (*path, name))
        state.friend[name] = other


def may_be_disguise(state: ConState, role: str) -> bool:
    """Whether Vermouth or Kid may be given that disguise.  CON-DISG-02 -03 -04"""
    return roles()[role].side == "town" and roles()[role].may_be_worn and not state.in_game(role)


def _disguise(state: ConState, given: Any, path: Path) -> None:
    for name, worn in _map(state, given, path):
        role = _role(worn, (*path, name))
        own = state.role_of[name]
        if own not in (*DISGUISERS, *COSTUMED) or (own in DISGUISERS and not may_be_disguise(state, role)):
            raise SetupRefused(f"{name} cannot be disguised as {roles()[role].name} (CON-DISG-03)", (*path, name))
        state.to_wear[name] = role


def _costumes(state: ConState, given: Any, path: Path) -> None:
    for name, listed in _map(state, given, path):
        state.costumes[name] = _roles(listed, (*path, name))


def _offered(state: ConState, given: Any, path: Path) -> None:
    for name, listed in _map(state, given, path):
        state.offered[name] = _roles(listed, (*path, name))


def _thing(thing: str) -> Callable[[ConState, Any, Path], None]:
    def take(state: ConState, given: Any, path: Path) -> None:
        state.lent_next[thing] = _player(state, given, path)

    return take


def _number(given: Any, path: Path) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise SetupRefused(f"`{path[-1]}` is a whole number, not `{given}`", path)
    return given


def _aptx(state: ConState, given: Any, path: Path) -> None:
    state.aptx = _number(given, path)


def _flag(name: str) -> Callable[[ConState, Any, Path], None]:
    def take(state: ConState, given: Any, path: Path) -> None:
        if not isinstance(given, bool):
            raise SetupRefused(f"`{path[-1]}` is true or false", path)
        setattr(state, name, given)

    return take


def _killed_in_cycle(state: ConState, given: Any, path: Path) -> None:
    for number, name in enumerate(given):
        state.killed_in_cycle.add(_player(state, name, (*path, number)))


def _history(state: ConState, given: Any, path: Path) -> None:
    for number, row in enumerate(given):
        where = (*path, number)
        known = ("by", "action", "target", "phase", "via", "role")
        for word in row:
            if word not in known:
                raise SetupRefused(f"unknown key `{word}`", (*where, word), nearest(word, known))
        state.deeds.append(_past(state, row, where))
        _once_only(state, state.deeds[-1])


def _past(state: ConState, row: Mapping[str, Any], path: Path) -> Deed:
    action = str(row.get("action"))
    id_ = {"disguise": "temporary_disguise"}.get(action, action)
    if id_ not in actions():
        raise SetupRefused(f"unknown action `{action}`", (*path, "action"), nearest(action, [*actions(), "disguise"]))
    by, target = _player(state, row.get("by"), (*path, "by")), row.get("target")
    phase = " ".join(str(row.get("phase")).lower().split())
    role = target if action in ("disguise", "detect") else None
    targets = () if target is None or role is not None else (_player(state, target, (*path, "target")),)
    return deed_of_history(by, action, targets, str(role) if role else None, phase, row.get("via"))


def deed_of_history(by: str, action: str, targets: tuple[str, ...], role: str | None, phase: str, via: Any) -> Deed:
    """A past action as a deed in the record."""
    declared = actions()["temporary_disguise" if action == "disguise" else action]
    unlike = {"disguise": "disguise", "sleeping_pill": "drug", "friendship": "befriend"}
    keyword = unlike.get(action) or declared.keyword or action
    crime = "disguise" if action == "disguise" else declared.crime
    more = {"crime": None if via == "fake" else crime, "via": via, "role": role}
    return Deed(by, action, keyword, targets, targets, "done", phase, more)


def _once_only(state: ConState, deed: Deed) -> None:
    """What a past action has used up."""
    if deed.action in ("lawsuit", "voice_of_reason"):
        state.no_more.add((deed.actor, deed.action))
    elif deed.action == "bribe":
        state.bribe_used = True
    elif deed.action == "detain":
        state.last_detained[deed.actor] = deed.targets[0]


def _conditions(state: ConState, given: Any, path: Path) -> None:
    for name, listed in _map(state, given, path):
        for one in listed if isinstance(listed, list) else [listed]:
            condition, until = (one["condition"], one.get("until")) if isinstance(one, Mapping) else (one, None)
            if condition not in facts()["conditions"]:
                known = list(facts()["conditions"])
                raise SetupRefused(f"unknown condition `{condition}`", (*path, name), nearest(condition, known))
            state.conditions[name].add(condition)
            if until is not None:
                state.until[name, condition] = index(" ".join(str(until).lower().split()))
            elif condition in ("asleep", "frightened", "abroad"):
                state.until[name, condition] = index(state.first_played)
            if condition == "dead":
                state.conditions[name].discard("alive")
            elif condition == "detained" and (by := state.with_role("satou")) is not None:
                state.detained_by[name] = by
                state.until.setdefault((name, condition), index(state.first_played))


def _tickets(state: ConState, given: Any, path: Path) -> None:
    for name, number in _map(state, given, path):
        state.tickets[name] = _number(number, (*path, name))


def _items(state: ConState, given: Any, path: Path) -> None:
    for name, listed in _map(state, given, path):
        for number, item in enumerate(listed):
            if item not in facts()["items"]:
                raise SetupRefused(f"unknown item `{item}`", (*path, name, number), nearest(item, facts()["items"]))
        state.items[name] = [str(item) for item in listed]


def _wills(state: ConState, given: Any, path: Path) -> None:
    for name, text in _map(state, given, path):
        state.wills[name] = str(text)


_SETUP: Mapping[str, Callable[[ConState, Any, Path], None]] = {
    "lovers": _lovers, "friend": _friend, "disguise": _disguise, "costumes": _costumes, "costumes_offered": _offered,
    "suitcase": _thing("suitcase"), "bowtie": _thing("bowtie"), "watch": _thing("watch"), "watch_broken": _flag("watch_broken"),
    "aptx": _aptx, "bribe_used": _flag("bribe_used"), "killed_in_cycle": _killed_in_cycle, "history": _history,
    "conditions": _conditions, "tickets": _tickets, "items": _items, "wills": _wills,
}  # fmt: skip
