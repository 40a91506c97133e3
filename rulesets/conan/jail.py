"""Arrests, house searches, detentions and pinched faces: who goes to jail, and what it costs the officer (CON-ARREST …)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.events import Visibility
from engine.state import Deed
from rulesets.conan.cast import index
from rulesets.conan.work import Act, Scene

AVENGERS = ("revenge", "vengeance")


def arrests(scene: Scene) -> None:
    """All arrests of a phase take place at once.  CON-ARREST-01 to -18, CON-FAIL-02 -05"""
    right: list[tuple[Act, list[int]]] = []
    for act in scene.of("arrest"):
        found = charged(scene, act)
        if found:
            right.append((act, found))
        else:
            wrong_arrest(scene, act)
    targets = {act.target for act, _ in right}
    avenging = {name for name in targets if name is not None and _avenger(scene, name)}
    for act, found in right:
        assert act.target is not None
        act.value = "success"
        scene.jailed_first.add(act.target)
        imprison(scene, act.target, found, "CON-ARREST-02")
    for act, _ in right:
        if act.target in avenging:
            injure_officer(scene, act.to)


def _avenger(scene: Scene, player: str) -> bool:
    """Whether the arrested has Revenge or Vengeance unhindered.  CON-REVENGE-02 -05, CON-VENG-05 -06, CON-COND-06"""
    return scene.avenges(player, *AVENGERS)


def injure_officer(scene: Scene, officer: str) -> None:
    """Two phases.  CON-REVENGE-02, CON-VENG-06"""
    scene.injure(officer, 2, "CON-REVENGE-02 CON-VENG-06")
    scene.officers["officer_injured"] += 1


def suspend_officer(scene: Scene, officer: str, why: str) -> None:
    """For a wrong arrest, or a search that found nothing.  CON-ARREST-05, CON-HOUSE-04"""
    scene.suspend(officer, why)
    scene.officers["officer_suspended"] += 1


def officers_told(scene: Scene) -> None:
    """The public hears how many officers were suspended or injured, no names.  CON-ARREST-06 -12, CON-HOUSE-04, CON-REVENGE-03"""
    for topic, count in scene.officers.items():
        scene.announce(topic, "CON-ARREST-06 CON-ARREST-12", count=count)


def charged(scene: Scene, act: Act) -> list[int]:
    """The crimes that a charge names and its player has committed, as places in the record.  CON-ARREST-02 -03 -09 to -11 -17"""
    state, charge, player = scene.state, act.question, act.target
    assert charge is not None
    if charge.when is None or index(charge.when) >= scene.place:
        return []  # being of the BO, or helping, is no crime, and one of this phase not yet one
    found = []
    for place, deed in state.done(actor=player):
        if place in state.answered_for or not deed.more.get("crime") or deed.more.get("via") == "fake":
            continue
        if deed.more.get("via") == "frame" and not may_arrest_framed(scene, act.to):
            continue
        if deed.phase == charge.when and _is_crime(deed, charge.deed) and _on(deed, charge.object):
            found.append(place)
    return found


def may_arrest_framed(scene: Scene, officer: str) -> bool:
    """No BO member, and no lover of one, can arrest for a framed deed.  CON-FRAME-06 -07"""
    lover = scene.state.lover_of(officer)
    return not scene.state.bo(officer) and not (lover is not None and scene.state.bo(lover))


def _is_crime(deed: Deed, crime: str) -> bool:
    """The kind of a kill need not be named; by day it is APTX.  CON-ARREST-17"""
    own = str(deed.more["crime"])
    return own == crime or (crime in ("kill", "bribe") and own in ("kill", "bribe", "aptx"))


def _on(deed: Deed, thing: str | tuple[str, ...] | None) -> bool:
    if deed.more.get("role") is not None and deed.group == "disguise":
        return str(deed.more["role"]) == thing
    return thing in (*deed.targets, *deed.more.get("also", ())) if deed.targets else thing is None


def same_disguise(scene: Scene, places: Iterable[int]) -> list[int]:
    """A disguise worn without a break is one crime, whatever phase of it is named.  CON-CRIME-08"""
    state, found = scene.state, set(places)
    for place in list(found):
        deed = state.deeds[place]
        if deed.more.get("crime") != "disguise":
            continue
        worn = {
            index(other.phase): number for number, other in state.done(actor=deed.actor)
            if other.more.get("crime") == "disguise" and other.more.get("role") == deed.more.get("role")
        }  # fmt: skip
        for step in (-1, 1):
            at = index(deed.phase)
            while (following := next((at + step * gap for gap in (1, 2) if at + step * gap in worn), None)) is not None:
                found.add(worn[following])
                at = following
    return sorted(found)


def wrong_arrest(scene: Scene, act: Act) -> None:
    """The officer is suspended.  CON-ARREST-05"""
    act.failed = True
    act.value = "failed"
    suspend_officer(scene, act.to, "CON-ARREST-05")


def imprison(scene: Scene, player: str, crimes: Iterable[int], why: str) -> None:
    """To jail, publicly, with the crimes that are answered for.  CON-COND-16 to -20"""
    crimes = same_disguise(scene, crimes)
    if player not in scene.jailed_now or scene.jailed_now[player] == "detained":
        scene.condition(player, "detained", why, on=False, seen=detention_seen(scene))
        scene.condition(player, "arrested", why, seen="public")
        scene.announce("arrested", why, player=player)
        scene.notice(player, "arrested", why)
    scene.jailed_now[player] = "arrested"
    scene.abroad_now.discard(player)
    scene.condition(player, "abroad", "CON-TRAVEL-11", on=False)
    scene.record("answered", why, player=player, deeds=list(crimes))


def searches_and_detentions(scene: Scene) -> None:
    """One step, so that neither hinders the other's officer; what a search makes of its target comes first.  CON-ORDER-01 -03"""
    ready = _standing(scene, "house_search", "detain")
    searches(scene, ready)
    detentions(scene, ready)


def _standing(scene: Scene, *ids: str) -> list[Act]:
    """The acts of a step that no earlier one hindered; whom the night's kill took is out of reach.  CON-ACT-03, CON-HOUSE-08"""
    return [act for act in scene.of(*ids) if not (act.failed or scene.hindered(act) or scene.gone(act.target or ""))]


def searches(scene: Scene, ready: list[Act]) -> None:
    """A house search finds every earlier crime, or costs the officer.  CON-HOUSE-01 to -10"""
    found = {act: _crimes_to_find(scene, act) for act in scene.of("house_search")}
    for act in scene.of("house_search"):
        target = act.target
        assert target is not None
        if act not in ready:
            scene.fail(act, "CON-HOUSE-08")
            continue
        if not found[act]:
            scene.tell(act, "not_guilty", "CON-HOUSE-04")
            suspend_officer(scene, act.to, "CON-HOUSE-04")
            scene.record("no_more", "CON-HOUSE-05", player=act.to, ability="house_search")
            continue
        crimes = [
            {"crime": crime, "phase": phase}
            for crime, phase in dict.fromkeys((str(deed.more["crime"]), deed.phase) for _, deed in found[act])
        ]
        scene.tell(act, "guilty", "CON-HOUSE-01", crimes=crimes)
        avenging = _avenger(scene, target)
        imprison(scene, target, [place for place, _ in found[act]], "CON-HOUSE-03")
        if avenging:
            injure_officer(scene, act.to)


def _crimes_to_find(scene: Scene, act: Act) -> list[tuple[int, Deed]]:
    """Crimes of earlier phases that nobody has been arrested for.  CON-HOUSE-06, CON-ARREST-11"""
    assert act.target is not None
    framed = bool(scene.state.option("framed_counts_as_crime"))
    crimes = scene.state.crimes(act.target, scene.place, framed=framed)
    return [(place, deed) for place, deed in crimes if place not in scene.state.answered_for]


def detentions(scene: Scene, ready: list[Act] | None = None) -> None:
    """In jail for three phases, without a crime.  CON-DETAIN-01 -02 -08 -10 -12 -13 -15"""
    ready = _standing(scene, "detain") if ready is None else ready
    for act in scene.of("detain"):
        target = act.target
        assert target is not None
        if act not in ready or scene.jailed_now.get(target) == "arrested":
            scene.fail(act, "CON-DETAIN-13")
            continue
        until = scene.after(int(scene.state.option("detain_phases")) - 1)
        scene.jailed_now[target] = "detained"
        seen = detention_seen(scene)
        scene.emit("condition", seen, "CON-DETAIN-01 CON-DETAIN-12", player=target, condition="detained", on=True, until=until)
        if scene.state.option("detain_public"):
            scene.announce("detained", "CON-DETAIN-12", player=target)
        scene.notice(target, "detained", "CON-DETAIN-01", until=until)
        scene.tell(act, "success", "CON-DETAIN-01")


def detention_seen(scene: Scene) -> Visibility:
    """Who sees that somebody is in detention, or no longer: everybody, or by option the GM.  CON-DETAIN-12"""
    return "public" if scene.state.option("detain_public") else "gm"


def pinches(scene: Scene) -> None:
    """A disguised face comes off and its wearer goes to jail.  CON-PINCH-02 to -12"""
    ready = _standing(scene, "face_pinch")
    faces = {act: scene.state.worn.get(act.target or "") for act in ready}
    avenging = {act for act in ready if act.target is not None and _avenger(scene, act.target)}
    for act in scene.of("face_pinch"):
        target = act.target
        assert target is not None
        if act not in ready:
            scene.fail(act, "CON-PINCH-08")
            continue
        scene.notice(target, "pinched", "CON-PINCH-04")
        worn = faces[act]
        if worn is None:
            scene.tell(act, "false", "CON-PINCH-02")
            continue
        scene.tell(act, "true", "CON-PINCH-03", disguise=worn)
        if target in scene.state.worn:
            _unmask(scene, target, worn)
        if act in avenging:
            injure_officer(scene, act.to)


def _unmask(scene: Scene, player: str, worn: str) -> None:
    """To jail for that disguise, which was worn tonight too, and off it comes.  CON-PINCH-03, CON-CRIME-08"""
    from rulesets.conan.disguises import disguise_deed

    if scene.kind == "night":
        disguise_deed(scene, player, worn)
    crimes = [
        place for place, deed in scene.state.done(actor=player)
        if deed.more.get("crime") == "disguise" and deed.more.get("role") == worn and place not in scene.state.answered_for
    ]  # fmt: skip
    scene.record("pinched", "CON-PINCH-03", player=player, role=worn)
    scene.stripped.add(player)
    imprison(scene, player, crimes, "CON-PINCH-03")
    take_off(scene, player, "CON-PINCH-03")


def take_off(scene: Scene, player: str, why: str) -> None:
    """The disguise is off, and its items with it (CON-ITEM-02)."""
    from rulesets.conan.disguises import items_of_disguise

    worn = scene.state.worn[player]
    scene.record("unwear", why, player=player, items=items_of_disguise(scene.state, player, worn))
    scene.condition(player, "disguised", why, on=False)
