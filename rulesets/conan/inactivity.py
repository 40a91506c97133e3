"""Missed phases, and what becomes of an inactive player's vote and actions (CON-INACT)."""

from __future__ import annotations

from engine.choices import Question
from rulesets.conan.work import Scene


def count_missed(scene: Scene) -> None:
    """Whoever sent nothing in a phase from night 1 on, without warning beforehand.  CON-INACT-01 -02 -19 -20"""
    state = scene.state
    limit = int(state.option("inactive_limit"))
    if limit == 0 or scene.kind == "prep":
        return
    for player in scene.present:
        away = player in scene.in_jail or player in scene.spoken or player in scene.excused or player in state.inactive
        if away or not state.alive(player) or state.jailed(player):
            continue
        scene.record("missed", "CON-INACT-02", player=player, phase_missed=scene.name)
        count = state.missed[player]
        scene.notice("gm", "inactive_warning", "CON-INACT-20", player=player, count=count)
        scene.notice(player, "inactive_warning", "CON-INACT-20", count=count)
        if count >= limit:
            route(scene, player)


def route(scene: Scene, player: str) -> None:
    """The GM is asked which way to go.  CON-INACT-02 -03 -05"""
    given = scene.state.option("inactive_route")
    if given == "ask":
        question = Question(
            f"inactive_route:{player}", "inactive_route", ("replace", "split", "wait"), "wait", {"player": player}
        )  # fmt: skip
        given = scene.ask(question, "CON-INACT-02")
    if given == "split":
        split(scene, player)


def split(scene: Scene, player: str, actions: str | None = None, votes: str | None = None) -> None:
    """Vote and actions go to players of the same side, two where there are two.  CON-INACT-05 -17 -18 -19"""
    actions = actions or _receiver(scene, player, "actions", ())
    votes = votes or _receiver(scene, player, "votes", (actions,) if actions else ())
    scene.record("split", "CON-INACT-05", player=player, actions=actions, votes=votes)
    scene.notice(player, "inactive", "CON-INACT-17", phases=scene.state.missed_in.get(player, []))
    if actions is not None:
        scene.notice(actions, "inactive_actions", "CON-INACT-18", what="actions")
    if votes is not None:
        scene.notice(votes, "inactive_actions", "CON-INACT-18", what="vote")


def _receiver(scene: Scene, player: str, what: str, taken: tuple[str, ...]) -> str | None:
    """Drawn among the living of the same faction who are at large."""
    state = scene.state
    fellows = [
        name for name in state.game.names
        if name != player and state.free(name) and not scene.gone(name) and name not in state.inactive
        and state.side(name) == state.side(player)
    ]  # fmt: skip
    among = [name for name in fellows if name not in taken] or fellows
    return str(scene.draw(f"inactive.{what}", among, "CON-INACT-05")) if among else None


def pass_on(scene: Scene) -> None:
    """When a receiver drops out it passes on; when the inactive player dies it ends.  CON-INACT-08 -09"""
    state = scene.state
    for player, held in list(state.inactive.items()):
        if not state.alive(player):
            for receiver in dict.fromkeys(held.values()):
                if state.alive(receiver):
                    scene.notice(receiver, "inactive_lost", "CON-INACT-09")
            scene.record("returned", "CON-INACT-09", player=player)
            continue
        for what, receiver in list(held.items()):
            if state.free(receiver):
                continue
            other = tuple(name for key, name in held.items() if key != what)
            heir = _receiver(scene, player, what, other)
            scene.record("split", "CON-INACT-08", player=player, **{what: heir})
            if heir is not None:
                scene.notice(heir, "inactive_actions", "CON-INACT-08", what="actions" if what == "actions" else "vote")
