"""Private orders: talent orders and disruptions, checked when they arrive (DAN-TAL-10, -11)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.inputs import OrderInput
from parser.names import Ambiguous, Found, Unknown
from parser.normal import key
from parser.orders import AmbiguousOrder, Language, Phrase, ReadOrder, UnreadableOrder
from rulesets.danganronpa.cast import PLACES, DanState
from rulesets.danganronpa.reading import roster_of, ultimate_talent
from rulesets.danganronpa.talents import Ability
from rulesets.danganronpa.work import Act, School


@lru_cache(maxsize=64)
def _language(known: tuple[Phrase, ...]) -> Language:
    """The phrases made into patterns once, not once for each order."""
    return Language(known)


class Things:
    """What an order may name: a player, a place or a talent. Bodies are players."""

    def __init__(self, state: DanState) -> None:
        self.roster = roster_of(state)
        self.talents = state.cast.talent_names

    def __call__(self, text: str) -> Found | Ambiguous | Unknown:
        found = self.roster.match(text)
        if not isinstance(found, Unknown):
            return found
        word = key(text).removeprefix("the")
        for place in PLACES:
            if word == key(place):
                return Found(place, "place")
        named = ultimate_talent(text, self.talents)
        return found if named is None else Found(named, "talent")


def arrive(school: School, order: OrderInput) -> None:
    """A message arrives: each order in it is taken, refused with its reason, or shown to the GM as unreadable.  DAN-TAL-10 -11"""
    state = school.state
    things = Things(state)
    language = _language(state.cast.phrases)
    for reading in language.message(order.text, {"thing": things}, names=things.roster.spelled):
        match reading:
            case ReadOrder(id_, values):
                _take(school, order, id_, values)
            case AmbiguousOrder(text, _, candidates):
                _unreadable(school, order.by, text, " / ".join(candidates))
            case UnreadableOrder(text, _, nearest):
                _unreadable(school, order.by, text, written(state, nearest))


def written(state: DanState, phrase: str | None) -> str | None:
    """A phrase as the rules write it: `hypnotise X to Y`, `stake_out X`."""
    if phrase is None:
        return None
    for ability in {pattern.id for pattern in state.cast.phrases if "_" in pattern.id}:
        phrase = phrase.replace(ability.replace("_", " "), ability)
    return phrase.replace("{thing}", "X", 1).replace("{thing}", "Y", 1)


def _unreadable(school: School, player: str, text: str, nearest: str | None) -> None:
    school.notice("gm", "unreadable", "DAN-TAL-11", player=player, text=text, nearest=nearest)


def _take(school: School, order: OrderInput, id_: str, targets: tuple[str, ...]) -> None:
    withdraw = id_.startswith("withdraw:")
    id_ = id_.removeprefix("withdraw:")
    ability = None if id_ == "disrupt" else school.state.cast.students[order.by].ability(id_)
    reason = _why_not(school, order.by, id_, ability, () if withdraw else targets)
    if withdraw and reason in ("no_uses", None):
        reason = None
    if reason is not None:
        more: dict[str, Any] = {"target": targets[0]} if targets else {}
        school.result(order.by, id_, "invalid", "DAN-TAL-11", reason=reason, **more)
        return
    standing = school.orders.setdefault(order.by, [])
    of_this = [act for act in standing if act.action == id_]
    if withdraw:
        school.orders[order.by] = [act for act in standing if act not in of_this]
        return
    group = "investigation" if ability is None else "talent"
    standing.append(Act(order.by, id_, group, targets, school.sent(order.by, order.at), order.id, ability))
    most = 1 if ability is None else ability.per_phase
    left = None if ability is None else school.uses_left(order.by, ability)
    allowed = most if left is None else min(most, left)
    for replaced in of_this[: len(of_this) + 1 - allowed]:
        standing.remove(replaced)  # DAN-TAL-10: the last n orders stand


def _why_not(school: School, actor: str, id_: str, ability: Ability | None, targets: tuple[str, ...]) -> str | None:
    """The first reason why an order may not be given, in the order of DAN-TAL-11; None where it may."""
    if not school.acting(actor):
        return "dead_actor"
    if id_ == "disrupt":
        return None if school.kind == "deadly_life" else "wrong_phase"
    if ability is None:
        return "not_yours"
    if school.kind not in ability.phases:
        return "wrong_phase"
    if school.uses_left(actor, ability) == 0:
        return "no_uses"
    checks = [_first_target, _second_target]
    for check, target in zip(checks, targets, strict=False):
        reason = check(school, actor, ability, target)
        if reason is not None:
            return reason
    return None


def _first_target(school: School, actor: str, ability: Ability, target: str) -> str | None:
    state = school.state
    if target not in state.conditions:
        return "no_such_target"
    alive = school.acting(target)
    if not ability.dead and not alive:
        return "dead_target"
    if ability.dead and alive:
        return "living_target"
    if target == actor and not ability.self_target:
        return "self_target"
    return _group(school, actor, ability, target)


def _second_target(school: School, actor: str, ability: Ability, target: str) -> str | None:
    """Any living player; for a redirect of investigations any body, place or talent too.  DAN-EFF-20"""
    state = school.state
    investigable = ability.does == "redirect" and ability.reaches("investigation")
    if target not in state.conditions:
        return None if investigable else "no_such_target"
    if investigable and target in state.bodies:
        return None
    if investigable and not any(ability.reaches(group) for group in ("talent", "vote", "hangout")):
        return "no_such_target"
    if not school.acting(target):
        return "dead_target"
    return _group(school, actor, ability, target)


def _group(school: School, actor: str, ability: Ability, target: str) -> str | None:
    """The hangout restriction, on the targets chosen, in daily lives only.  DAN-HANG-17 -18 -19, DAN-EFF-13"""
    bound = ability.restricted and school.kind == "daily_life"
    return "not_in_group" if bound and not school.state.may_target(actor, target) else None


def may_order(school: School, player: str) -> bool:
    """Whether `player` has an ability that is used by order and can be used in this phase."""
    return any(
        not ability.passive and school.kind in ability.phases and school.uses_left(player, ability) != 0
        for ability in school.state.cast.students[player].abilities()
    )


def legal_orders(school: School, player: str) -> list[str]:
    """Every talent order that `player` may give now, as it would be written."""
    found = []
    things = [*school.state.game.names, *PLACES, *school.state.cast.talents]
    for ability in school.state.cast.students[player].abilities():
        if ability.passive:
            continue
        for targets in _choices(ability, things):
            if _why_not(school, player, ability.id, ability, targets) is None:
                found.append(" ".join((ability.id, " to ".join(targets))).strip())
    return found


def _choices(ability: Ability, things: list[str]) -> list[tuple[str, ...]]:
    if ability.targets == 0:
        return [()]
    if ability.targets == 1:
        return [(thing,) for thing in things]
    return [(first, second) for first in things for second in things]
