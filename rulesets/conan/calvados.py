"""Cover and Backup: what Calvados does in the place of others (CON-COVER, CON-BACKUP)."""

from __future__ import annotations

from rulesets.conan.cast import ConState
from rulesets.conan.work import Act, Scene

OF_THE_KILLER = ("snipe", "erase")
"""What is covered only where Calvados does the kill; the ally need not be using it (CON-COVER-08)."""


def covers(scene: Scene) -> None:
    """A Cover of what the ally does not use fails, and what is done through it.  CON-COVER-03 -08 -10"""
    for act in scene.acts:
        if act.via != "cover":
            continue
        act.through = next(cover for cover in scene.of("cover") if cover.to == act.to)
        if not _used(scene, act.through.targets[0], act):
            act.through.failed = act.failed = True


def _used(scene: Scene, ally: str, act: Act) -> bool:
    """Whether the ally sent an order for that ability; having it is enough for the injured, or where only one can use it."""
    if act.id in OF_THE_KILLER:
        own = scene.kill is not None and scene.kill.killer == act.actor
        return own and has(scene.state, ally, act)
    if scene.state.has(ally, "injured") or act.id == "betrayal":
        return has(scene.state, ally, act)
    word = act.action.ability
    return any(
        one.actor == ally and one.action.ability == word and one.via in (None, "disguise", "friendship")
        for one in scene.acts
    )


def has(state: ConState, player: str, act: Act) -> bool:
    """Whether a night ability stands in one of the rows that a player has."""
    word = act.action.ability
    return any(
        word in role.passive or any(ability.word == word for group in role.sheet["night"] for one in group for ability in one)
        for role, _ in state.sheets(player)
    )


def backups(scene: Scene) -> None:
    """A role counts as backed up only when the action went through.  CON-BACKUP-03 -11"""
    for act in scene.acts:
        if act.via == "backup" and not act.failed and act.more["backed_up"] not in scene.state.backed_up:
            scene.record("backed_up", "CON-BACKUP-03", role=act.more["backed_up"])
