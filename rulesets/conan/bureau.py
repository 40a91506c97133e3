"""The FBI Leader's report: one result of one subordinate after each night (CON-FBI)."""

from __future__ import annotations

from typing import Any

from engine.choices import UnknownChoice
from engine.events import Event
from rulesets.conan.cast import DISGUISERS, facts
from rulesets.conan.work import Scene

NOT_REPORTED = ("bowtie",)
LIMITED = {"akai": ("investigate",), "mizunashi_rena": ("betrayal", "investigate", "special_investigate")}


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
        scene.notice(player, "fbi_result", "CON-FBI-05 CON-FBI-11", **told)


def results_of_subordinates(scene: Scene) -> dict[str, list[Event]]:
    """Subordinate → results of this night that came to something.  CON-FBI-07 -08 -10"""
    state, found = scene.state, dict[str, list[Event]]()
    for player in state.game.names:
        roles = {state.own_role(player)}
        if state.role_of[player] in DISGUISERS and player in state.worn:
            roles.add(state.worn[player])
        held = roles & set(facts()["subordinates"])
        if not held:
            continue
        actions = LIMITED.get(next(iter(held)))
        own = [
            event for event in scene.events
            if event.kind == "result" and event["to"] == player and event["value"] != "failed"
            and event.get("via") in (None, "disguise") and (actions is None or event["action"] in actions)
            and event["action"] not in ("kill", "snipe", "bribe", "lovey_dovey", "steal")
        ]  # fmt: skip
        if own:
            found[player] = own
    return found


def _draw(scene: Scene, found: dict[str, list[Event]]) -> Event:
    """Each subordinate equally likely, then each of the results; a pin names the player, or player and action."""
    names, pin = list(found), scene.choices.pins.get("fbi_result")
    if pin is None:
        player = str(scene.draw("fbi_result", names, "CON-FBI-10"))
        return found[player][_die(scene, len(found[player]))]
    wanted: Any = pin if isinstance(pin, dict) else {"player": pin}
    fitting = [
        event for event in found.get(str(wanted.get("player")), [])
        if wanted.get("action") in (None, event["action"])
    ]  # fmt: skip
    if not fitting:
        raise UnknownChoice("fbi_result", pin, names)
    scene.emit("draw", "gm", "CON-FBI-10", name="fbi_result", among=names, chosen=pin)
    return fitting[0]


def _die(scene: Scene, sides: int) -> int:
    from engine.choices import cast_die

    return cast_die(scene.choices.seed, scene.name, "fbi_result:which", sides)
