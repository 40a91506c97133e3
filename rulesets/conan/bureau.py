"""The FBI Leader's report: one result of one subordinate after each night (CON-FBI)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.choices import UnknownChoice, cast_die
from engine.events import Event
from rulesets.conan.actions import actions
from rulesets.conan.cast import DISGUISERS, facts, roles
from rulesets.conan.work import Scene

LIMITED = {"akai": ("investigate",)}


def report(scene: Scene) -> None:
    """Everybody with the status gets the same result, if there is any.  CON-FBI-05 to -12, CON-BEFRIEND-13"""
    state = scene.state
    leaders = [
        name for name in state.game.names
        if state.alive(name) and name in scene.present and state.status(name, "fbi_leader")
        and not state.jailed(name) and not state.has(name, "injured") and name not in scene.in_jail
    ]  # fmt: skip
    found = results_of_subordinates(scene)
    if not leaders or not found:
        return
    chosen = _draw(scene, found)
    told = {key: value for key, value in chosen.data.items() if key not in ("to", "via")}
    for player in leaders:
        hearer = state.hears(player)
        if hearer is not None:
            scene.notice(hearer, "fbi_result", "CON-FBI-05 CON-FBI-11", **told)


def results_of_subordinates(scene: Scene) -> dict[str, list[Event]]:
    """Subordinate → results of this night that came to something.  CON-FBI-07 -08 -10"""
    state, found = scene.state, dict[str, list[Event]]()
    for player in state.game.names:
        faces = {state.own_role(player)}
        if state.role_of[player] in DISGUISERS and player in state.worn:
            faces.add(state.worn[player])
        held = next((role for role in facts()["subordinates"] if role in faces), None)
        if held is None:
            continue
        own = [
            event for event in scene.events
            if event.kind == "result" and state.seat_of(event["to"]) == state.hears(player) and event["value"] != "failed"
            and event.get("via") in ((None, "disguise") if player not in state.inactive else ("inactive",))
            and event["action"] in reported(held)
        ]  # fmt: skip
        if own:
            found[player] = own
    return found


def reported(role: str) -> set[str]:
    """What of a subordinate's results may be reported: those of the role's own abilities, of Akai the investigations."""
    row = roles()[role]
    words = {*row.passive, *(ability.word for group in row.sheet["night"] for one in group for ability in one)}
    found = {action.id for action in actions().values() if action.ability in words}
    return found & set(LIMITED[role]) if role in LIMITED else found


def _draw(scene: Scene, found: dict[str, list[Event]]) -> Event:
    """Each subordinate equally likely, then each of the results; a pin names the player, or player and action.  CON-FBI-10"""
    values = [_value(found, player, event["action"]) for player, events in found.items() for event in events]
    among = [value for place, value in enumerate(values) if value not in values[:place]]
    pin = scene.choices.pins.get("fbi_result")
    if pin is None:
        drawn = list(found)[cast_die(scene.choices.seed, scene.name, "fbi_result", len(found))]
        event = found[drawn][cast_die(scene.choices.seed, scene.name, "fbi_result:which", len(found[drawn]))]
        pin = _value(found, drawn, event["action"])
    else:
        player, action = (pin.get("player"), pin.get("action")) if isinstance(pin, Mapping) else (pin, None)
        fitting = [one for one in found.get(str(player), []) if action in (None, one["action"])]
        if not fitting:
            raise UnknownChoice("fbi_result", pin, among)
        event = fitting[0]
    scene.emit("draw", "gm", "CON-FBI-10", name="fbi_result", among=among, chosen=pin)
    return event


def _value(found: dict[str, list[Event]], player: str, action: str) -> Any:
    """How a result is called in the draw: by its player, and by the action where there is more than one."""
    return player if len(found[player]) == 1 else {"player": player, "action": action}
