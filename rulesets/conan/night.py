"""The night's order of action (CON-ORDER-01): arrests, travel, clumsy, tricks, the kill, searches, pinches, all else."""

from __future__ import annotations

from collections.abc import Callable

from engine.interference import stopped
from rulesets.conan import calvados, killing
from rulesets.conan.jail import arrests, officers_told, pinches, searches_and_detentions
from rulesets.conan.work import Act, Scene

Step = Callable[[Scene], None]


def travels(scene: Scene) -> None:
    """Abroad for this phase, unless arrested.  CON-TRAVEL-01 -03, CON-BEFRIEND-17, CON-COND-02"""
    scene.abroad_now.update(name for name in scene.present if scene.state.has(name, "abroad"))
    for act in scene.of("travel"):
        if act.actor in scene.jailed_now:
            continue
        scene.abroad_now.update(_companions(scene, act))
    sink(scene)


def _companions(scene: Scene, act: Act) -> set[str]:
    """Who goes along: Sonoko with her friend, and he with her."""
    state = scene.state
    found = {act.actor}
    for sonoko, friend in state.friend.items():
        if act.actor in (sonoko, friend) and friend in state.tickets:
            found |= {name for name in (sonoko, friend) if state.free(name) and name not in scene.jailed_now}
    return found


def sink(scene: Scene) -> None:
    """Whoever aims at somebody abroad has all actions of the phase fail.  CON-COND-06 -26"""
    exempt = ("arrest", "aptx", "bribe", "vote", "token")
    for act in scene.acts:
        if act.id not in exempt and act.target in scene.abroad_now:
            scene.sunk.add(act.to)


def clumsiness(scene: Scene) -> None:
    """All that is done to the tripped player below this step fails, kills excepted.  CON-CLUMSY-01 to -03"""
    for act in scene.of("clumsy"):
        act.early = not act.failed and not scene.hindered(act)
    _trip(scene)


def _trip(scene: Scene) -> None:
    scene.tripped = {act.target for act in scene.of("clumsy") if act.early and act.target is not None}


def tricks(scene: Scene) -> None:
    """Who is discombobulated: settled from tricksters on whom no working trick can lie.  CON-DISC-15 to -17, CON-CLUMSY-07"""
    discombobulate(scene)
    undone = [act for act in scene.of("clumsy") if act.early and act.to in scene.tricked]
    if undone and scene.state.option("clumsy_can_be_tricked"):
        for act in undone:
            act.early = False
        _trip(scene)
        discombobulate(scene)


def discombobulate(scene: Scene) -> None:
    """Tricks as they stand now; what is left over in rings fails all round, with the other actions of those in it."""
    scene.tricked = set()
    acts = [act for act in scene.of("discombobulate") if _stands(scene, act)]
    stops = {act: [other for other in acts if other.to == act.target] for act in acts}
    down = stopped(stops)
    for act in scene.of("discombobulate"):
        act.early = act in acts and act not in down
    # Whoever is down without a working trick on him is one of a ring.
    scene.tricked = {act.target for act in acts if act.early and act.target is not None} | {act.to for act in down}


def _stands(scene: Scene, act: Act) -> bool:
    """Whether a trick is not hindered by an earlier step, nor by the attack on its author.  CON-DISC-15, CON-FAIL-06"""
    kill = scene.kill
    on_own_killer = kill is not None and act.target == kill.killer
    if act.failed or scene.author_hindered(act, despite_death=on_own_killer) or scene.target_hindered(act):
        return False
    return kill is None or kill.victim not in (act.actor, act.to) or not kill.played or on_own_killer


def after_the_kill(scene: Scene) -> None:
    """Tricks and trips of those who died, were injured or thrown fail with their other actions; the kill stands as it is.

    Settled with them is what healings and protections come to.  CON-ORDER-03 -09, CON-COND-28, CON-ACT-02
    """
    for act in scene.of("clumsy"):
        act.early = act.early and not scene.hindered(act)
    _trip(scene)
    discombobulate(scene)
    killing.helps_settled(scene)


STEPS: list[Step] = [
    arrests, travels, killing.called_off, calvados.covers, clumsiness, tricks, killing.kill, after_the_kill,
    searches_and_detentions, pinches, officers_told,
]  # fmt: skip
"""The steps in order; what is below them is in `results.py`."""


def play(scene: Scene) -> None:
    """The night up to the last step."""
    for step in STEPS:
        step(scene)
