"""Investigations of bodies, places and talents, and their disruption (DAN-INV)."""

from __future__ import annotations

from collections.abc import Hashable

from engine.state import Deed, as_tuple
from rulesets.danganronpa.cast import PLACES, SULKING
from rulesets.danganronpa.work import Act, School


def disrupted(school: School) -> None:
    """Disrupters learn nothing and block all investigations of the target they declared.  DAN-INV-06 -07"""
    by_player = {act.actor: act for act in school.of_group("investigation") if act.action == "investigate"}
    for player, orders in school.orders.items():
        if not school.acting(player):
            continue
        for order in [order for order in orders if order.action == "disrupt"]:
            declared = by_player.get(player)
            if declared is None:
                with school.about(order.source or ""):
                    school.result(player, "disrupt", "invalid", "DAN-INV-07", reason="not_declared")
                continue
            school.acts.remove(declared)
            school.acts.append(
                Act(player, "disrupt", "investigation", declared.targets, order.sent, order.source)
            )  # DAN-INV-23: a disrupter is not among the investigators


def block_disrupted(school: School) -> None:
    """What is disrupted is blocked.  DAN-INV-06 -08"""
    targets = {act.aim for act in school.acts if act.action == "disrupt" and act.stands}
    for act in school.acts:
        if act.action == "investigate" and act.aim in targets and act.stands:
            act.blocked = not act.ignores("unblockable", school.granted(act.actor))


def investigate(school: School) -> None:
    """Each investigator gets one private result; the same investigation tells different things.  DAN-INV-21 -25 -26"""
    given: dict[str, Given] = {}
    for act in sorted(school.of_group("investigation"), key=lambda act: act.sent):
        if act.action != "investigate" or act.cancelled:
            continue
        with school.about(act.source or ""):
            target = act.aim or ""
            found = _find(school, act, target, given.setdefault(target, Given())) if act.stands else None
            value, more = found or ("nothing", {})
            school.result(act.actor, "investigate", value, "DAN-INV-25", target=act.targets[0], **more)


class Given:
    """The pieces of one investigation that are given out; when all are, it begins again (DAN-INV-21)."""

    def __init__(self) -> None:
        self.pieces: list[Hashable] = []

    def left(self, pieces: list[Hashable]) -> list[Hashable]:
        """The pieces not yet given out, of all there are."""
        rest = [piece for piece in pieces if piece not in self.pieces]
        if not rest:
            self.pieces.clear()
        return rest or pieces


Finding = tuple[str, dict[str, object]] | None


def _find(school: School, act: Act, target: str, given: Given) -> Finding:
    if target in school.state.bodies:
        return _body(school, act, target, given)
    if target in PLACES:
        return _place(school, act, target, given)
    return _talent(school, act, target, given)


def _body(school: School, act: Act, target: str, given: Given) -> Finding:
    """The place or the talent of the killer; nothing for several causes or none.  DAN-INV-09 -10 -11 -12 -24, DAN-PUN-07"""
    death = next(death for death in reversed(school.state.deaths) if death.player == target)
    if len(as_tuple(death.causes)) != 1 or len(death.by) != 1:
        return None
    killer = death.by[0]
    piece = school.draw(f"investigate:{act.actor}", given.left(["location", "talent"]), "DAN-INV-09 DAN-INV-21")
    given.pieces.append(piece)
    if piece == "talent":
        return "talent", {"talent": school.state.cast.students[killer].told_talent}
    place = school.state.place(killer)
    return None if place in (SULKING, None) else ("location", {"location": place})


def _deeds(school: School, player: str) -> list[Deed]:
    """The talent actions of the preceding daily life, blocked ones too, cancelled ones not.  DAN-INV-16"""
    return [
        deed
        for deed in school.state.deeds
        if deed.phase == school.state.last_daily_life and deed.actor == player
        if deed.group == "talent" and deed.fate != "cancelled"
    ]


def _targets(deeds: list[Deed]) -> set[str]:
    return {deed.final[0] for deed in deeds if deed.final}


def _place(school: School, act: Act, target: str, given: Given) -> Finding:
    """The actions of one who hung out there.  DAN-INV-13 -14 -15 -22"""
    there: list[Hashable] = [name for name in school.state.game.names if school.state.place(name) == target]
    if not there:
        return None
    player = str(school.draw(f"investigate:{act.actor}", given.left(there), "DAN-INV-13 DAN-INV-21"))
    given.pieces.append(player)
    deeds = _deeds(school, player)
    if not deeds:
        return None
    return "traced", {"player": player, "targets": school.state.in_seat_order(_targets(deeds))}


def _talent(school: School, act: Act, target: str, given: Given) -> Finding:
    """The holder's place, or the name of a target.  DAN-INV-17 -18 -19 -20 -21"""
    state = school.state
    holder = state.cast.holder(target)
    if holder is None:
        return None
    deeds = _deeds(school, holder)
    if state.game.options["talent_trace_scope"] == "talent":
        own = {ability.id for ability in state.cast.talents[target].abilities}
        deeds = [deed for deed in deeds if deed.action in own]
    place = state.place(holder)
    if not deeds or place in (SULKING, None):
        return None
    targets = state.in_seat_order(_targets(deeds))
    left = given.left([("location", place), *(("target", name) for name in targets)])
    kinds = list(dict.fromkeys(str(piece[0]) for piece in left if isinstance(piece, tuple)))
    kind = school.draw(f"investigate:{act.actor}", kinds, "DAN-INV-17 DAN-INV-20")
    if kind == "location":
        given.pieces.append(("location", place))
        return "location", {"location": place}
    names = [str(piece[1]) for piece in left if isinstance(piece, tuple) and piece[0] == "target"]
    name = names[0]
    if len(targets) > 1:
        name = str(school.draw(f"investigate_target:{act.actor}", names, "DAN-INV-20"))
    given.pieces.append(("target", name))
    return "target", {"player": name}
