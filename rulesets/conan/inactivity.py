"""Missed phases, and what becomes of an inactive player's vote and actions (CON-INACT)."""

from __future__ import annotations

from typing import Any

from engine.choices import Question
from rulesets.conan.actions import actions
from rulesets.conan.work import Scene

WHAT = {"actions": "actions", "votes": "vote"}
"""What is split → as the receivers are told (CON-INACT-18)."""


def close(scene: Scene) -> None:
    """The end of a phase: who missed it, and what passes on."""
    count_missed(scene)
    pass_on(scene)


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
    """The GM is asked which way to go; `replace` and `wait` leave the rest to his commands.  CON-INACT-02 -03 -05"""
    given = scene.state.option("inactive_route")
    if given == "ask":
        question = Question(
            f"inactive_route:{player}", "inactive_route", ("replace", "split", "wait"), "wait", {"player": player}
        )  # fmt: skip
        given = scene.ask(question, "CON-INACT-02")
    if given == "split":
        split(scene, player)


def split(scene: Scene, player: str, actions: str | None = None, votes: str | None = None) -> None:
    """Vote and actions go to players of the same side, two where there are two.  CON-INACT-05 -10 -17 -18 -19"""
    actions = actions or _receiver(scene, player, "actions", (votes,) if votes else ())
    votes = votes or _receiver(scene, player, "votes", (actions,) if actions else ())
    scene.record("split", "CON-INACT-05", player=player, actions=actions, votes=votes)
    scene.notice(player, "inactive", "CON-INACT-17", phases=scene.state.missed_in.get(player, []))
    for what, receiver in (("actions", actions), ("votes", votes)):
        if receiver is not None:
            _tell(scene, player, what, receiver, "CON-INACT-18")


def _tell(scene: Scene, player: str, what: str, receiver: str, why: str) -> None:
    """What a receiver may now do and when; neither player nor role is named.  CON-INACT-18"""
    told: dict[str, Any] = {}
    if what == "actions":
        sheets = [role for role, _ in scene.state.sheets(player)]
        for kind in ("night", "day"):
            words = [
                ability.word for role in sheets for group in role.sheet[kind] for alternative in group for ability in alternative
            ]
            told[kind] = list(dict.fromkeys([*words, *_of_the_side(scene, player, kind)]))
        told["passive"] = ["betrayal"] if any("betrayal" in role.passive for role in sheets) else []
    scene.notice(receiver, "inactive_actions", why, what=WHAT[what], **told)


def _of_the_side(scene: Scene, player: str, kind: str) -> list[str]:
    """What is his as a member of the BO, and as its leader, in that kind of phase.  CON-GEN-12, CON-HIER-02, CON-LEADER-01"""
    ranks = {"black_org": scene.state.bo(player), "leader": scene.leader == player}
    return [id_ for id_ in ("kill", "aptx", "order_kill", "black_suitcase") if _passes(id_, kind, ranks)]


def _passes(id_: str, kind: str, ranks: dict[str, bool]) -> bool:
    action = actions()[id_]
    return kind in action.when and ranks[str(action.open)]


def fellows(scene: Scene, player: str) -> list[str]:
    """Who may receive anything of an inactive player's: the active of the same side who are at large.  CON-INACT-05 -19"""
    state = scene.state
    return [
        name for name in state.game.names
        if name != player and state.free(name) and not scene.gone(name) and name not in state.inactive
        and state.side(name) == state.side(player)
    ]  # fmt: skip


def _receiver(scene: Scene, player: str, what: str, taken: tuple[str, ...]) -> str | None:
    """Drawn among the living of the same faction who are at large."""
    fitting = fellows(scene, player)
    among = [name for name in fitting if name not in taken] or fitting
    return str(scene.draw(f"inactive.{what}", among, "CON-INACT-05")) if among else None


def pass_on(scene: Scene) -> None:
    """When a receiver drops out, or there was none, it passes on; when the inactive player dies it ends.  CON-INACT-08 -09"""
    state = scene.state
    for player, held in list(state.inactive.items()):
        if not state.alive(player):
            give_back(scene, player, "CON-INACT-09")
            continue
        for what in WHAT:
            receiver = held.get(what)
            if receiver is not None and state.free(receiver) and receiver not in state.inactive:
                continue
            other = tuple(name for key, name in held.items() if key != what and name != receiver)
            heir = _receiver(scene, player, what, other)
            if heir is not None:
                scene.record("split", "CON-INACT-08", player=player, **{what: heir})
                _tell(scene, player, what, heir, "CON-INACT-08")


def give_back(scene: Scene, player: str, why: str) -> None:
    """The abilities are nobody else's any more: the inactive player is dead, or somebody new sits there."""
    for receiver in dict.fromkeys(scene.state.inactive[player].values()):
        if scene.state.alive(receiver):
            scene.notice(receiver, "inactive_lost", why)
    scene.record("returned", why, player=player)
