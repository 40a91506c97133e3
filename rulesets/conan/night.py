"""The night's order of action (CON-ORDER-01): arrests, travel, clumsy, tricks, the kill, searches, pinches, all else."""

from __future__ import annotations

from collections.abc import Callable

from engine.interference import rings, stopped
from rulesets.conan import killing
from rulesets.conan.jail import arrests, detentions, pinches, searches
from rulesets.conan.work import Act, Scene

Step = Callable[[Scene], None]


def travels(scene: Scene) -> None:
    """Abroad for this phase, unless arrested.  CON-TRAVEL-01 -03, CON-BEFRIEND-17"""
    for act in scene.of("travel"):
        if act.actor in scene.jailed_now:
            continue
        scene.abroad_now.update(_companions(scene, act))
    sink(scene)


def _companions(scene: Scene, act: Act) -> set[str]:
    """Who goes along: Sonoko with her friend, and he with her."""
    state = scene.state
    found = {act.to}
    for sonoko, friend in state.friend.items():
        if act.to in (sonoko, friend) and friend in state.tickets:
            found |= {name for name in (sonoko, friend) if state.free(name) and name not in scene.jailed_now}
    return found


def sink(scene: Scene) -> None:
    """Whoever aims at somebody abroad has all actions of the phase fail.  CON-COND-06 -26"""
    exempt = ("arrest", "aptx", "bribe", "vote", "token")
    for act in scene.acts:
        if act.id not in exempt and act.target in scene.abroad_now and act.target != act.actor and act.id != "travel":
            scene.sunk.add(act.to)


def clumsiness(scene: Scene) -> None:
    """All that is done to the tripped player below this step fails, kills excepted.  CON-CLUMSY-01 to -03"""
    for act in scene.of("clumsy"):
        hindered = act.to in scene.jailed_now or act.to in scene.sunk or act.target in scene.jailed_now
        if not hindered and act.target not in scene.abroad_now and act.target is not None:
            act.early = True
            scene.tripped.add(act.target)


def tricks(scene: Scene) -> None:
    """Who is discombobulated: settled from tricksters on whom no working trick can lie.  CON-DISC-15 to -17"""
    if scene.state.option("clumsy_can_be_tricked"):
        _untrip(scene)
    scene.tricked = discombobulated(scene, [act for act in scene.of("discombobulate") if _tries(scene, act)])


def _tries(scene: Scene, act: Act) -> bool:
    """Whether a trick is not already hindered by an earlier step, or by being aimed at by the night's kill."""
    out = act.to in scene.jailed_now or act.to in scene.sunk or act.to in scene.stripped
    reached = act.target not in scene.jailed_now and act.target not in scene.abroad_now
    if out or not reached or (act.target in scene.tripped and act.target != act.actor):
        return False
    kill = scene.kill
    if kill is not None and kill.victim == act.to and killing.played(scene, kill):
        return act.target == kill.killer and kill.how != "bribe"
    return True


def discombobulated(scene: Scene, acts: list[Act]) -> set[str]:
    """The players whose night actions fail by these tricks; what is left over in rings fails all round."""
    stops = {act: [other for other in acts if other.to == act.target] for act in acts}
    down = stopped(stops)
    ring = rings({act: [other for other in targets if other in down] for act, targets in stops.items() if act in down})
    for act in acts:
        act.early = act not in down
    return {act.target for act in acts if act not in down and act.target is not None} | {act.to for act in ring}


def _untrip(scene: Scene) -> None:
    by_trick = {act.target for act in scene.of("discombobulate") if _tries(scene, act)}
    for act in scene.of("clumsy"):
        if act.to in by_trick and act.target is not None:
            act.early = False
            scene.tripped.discard(act.target)


def after_the_kill(scene: Scene) -> None:
    """Tricks and trips of the killed, and of those saved by First Aid or Judo, fail; the kill stands as it is.  CON-ORDER-03"""
    out = {*scene.dead_now, *scene.judoed, *scene.injured_now} - {scene.kill.killer if scene.kill else ""}
    kill = scene.kill
    keeps = {
        act for act in scene.of("discombobulate") if kill is not None and act.target == kill.killer and act.to == kill.victim
    }
    for act in (*scene.of("discombobulate"), *scene.of("clumsy")):
        if act.to in out and act not in keeps:
            act.early = False
            if act.id == "clumsy" and act.target is not None:
                scene.tripped.discard(act.target)
    standing = [act for act in scene.of("discombobulate") if _tries(scene, act) and (act.to not in out or act in keeps)]
    scene.tricked = discombobulated(scene, standing)


STEPS: list[Step] = [
    arrests, travels, clumsiness, tricks, killing.kill, after_the_kill, searches, detentions, pinches,
]  # fmt: skip
"""The steps in order; what is below them is in `results.py`."""


def play(scene: Scene) -> None:
    """The night up to the last step."""
    for step in STEPS:
        step(scene)
