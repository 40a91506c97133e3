"""The record of deeds, and every question answered from it (CON-INV, CON-SI, CON-STAKE, CON-FU, CON-RES, CON-BETRAY …)."""

from __future__ import annotations

from typing import Any

from engine.state import Deed
from rulesets.conan.actions import actions
from rulesets.conan.cast import Role
from rulesets.conan.deeds import Question
from rulesets.conan.killing import scene_watch
from rulesets.conan.work import Act, Scene, asked

DATED = ("special_investigate", "follow_up")
LAST = ("investigate", "special_investigate", "stake_out", "research", "follow_up", "betrayal")
"""Answered on what the night has come to (CON-ORDER-12)."""
NEVER_ASKED = (
    "amor", "frame", "lawsuit", "abduct", "betrayal", "sabotage", "research", "black_suitcase", "lend_bowtie", "lend_watch",
    "follow", "follow_up", "accompany", "charm", "stalk", "identify", "voice_of_reason", "vote", "aptx", "drug", "befriend",
    "choose_costumes",
)  # fmt: skip
"""What Investigate always answers with `false` (CON-INV-15)."""
ONLY_SPECIAL = ("befriend", "choose_costumes")


def enter(scene: Scene) -> None:
    """Each act of the phase into the record, once, with its one fate."""
    for act in scene.acts:
        if act.id not in ("vote", "abstain", "no_action", "will", "override", "watch", "choose_costumes", "temporary_disguise"):
            deed(scene, act)
    _watched(scene)


def deed(scene: Scene, act: Act) -> None:
    """The entry of an act."""
    action = act.action
    keyword = action.keyword or ("drug" if action.id == "sleeping_pill" else action.id)
    carried_out = not act.failed
    attack = scene.kill
    more: dict[str, Any] = {"crime": action.crime if act.real else None, "via": act.via, "role": act.role}
    name = "slander" if action.id == "suitcase_slander" else act.more.get("as", action.id)
    if attack is not None and act is attack.act:
        carried_out = attack.happened
        more["also"] = [attack.died] if attack.died not in (None, attack.victim) else []
        more["crime"] = "bribe" if attack.how == "bribe" else "kill"
    if act.question is not None and action.aim == "question":
        more["question"] = act.question.written()
    if act.id == "abduct":
        more["role"] = act.value if carried_out else None
    if act.id == "steal":
        more["item"] = act.more.get("item")
    if act.id == "travel":
        more["ticket"] = act.more.get("ticket")
    if act.via == "bowtie":
        more["gadget"] = act.via
    if act.to != act.actor:
        more["by"] = act.to
    targets = [act.target] if act.target is not None else []
    with scene.about(act.source or ""):
        scene.emit(
            "deed", "gm", "CON-ACT-05", actor=act.actor, action=name, group=keyword, targets=targets, final=targets,
            fate="done" if carried_out else "failed", spent=False, value=act.value, **more,
        )  # fmt: skip
    if act.id == "frame" and carried_out:
        _framed(scene, act)


def _framed(scene: Scene, act: Act) -> None:
    """The framed deed, in the record of the framed.  CON-FRAME-02 -03"""
    charge, framed = act.question, act.target
    assert charge is not None
    assert framed is not None
    thing = charge.object if isinstance(charge.object, str) else None
    role = thing if charge.deed == "disguise" else None
    targets = [thing] if thing is not None and role is None else []
    keyword = "kill" if charge.deed == "bribe" else charge.deed
    scene.emit(
        "deed", "gm", "CON-FRAME-02", actor=framed, action=charge.deed, group=keyword, targets=targets, final=targets,
        fate="failed" if framed in scene.dead_now else "done", spent=False, crime=charge.deed, via="frame", role=role,
    )  # fmt: skip


def _watched(scene: Scene) -> None:
    """Holding the watch reads as protection of oneself.  CON-KEY-04, CON-GADGET-09"""
    if scene.kind != "night":
        return
    holders = {scene.state.lent["watch"]} if "watch" in scene.state.lent else set()
    for player in scene.state.in_seat_order(holders | scene_watch(scene)):
        if not scene.gone(player) and scene.state.alive(player):
            scene.emit(
                "deed", "gm", "CON-GADGET-09", actor=player, action="watch", group="protect", targets=[player], final=[player],
                fate="done", spent=False, crime=None, via="watch", role=None, gadget="watch",
            )  # fmt: skip


# Answers


def answer(scene: Scene, question: Question, when: str, *, special: bool) -> bool:
    """Whether that deed was done in that phase.  CON-INV-03 to -14, CON-SI-03 -04"""
    if question.deed in NEVER_ASKED and not (special and question.deed in ONLY_SPECIAL):
        return False
    state = scene.state
    if question.deed == "disguise" and when.startswith("night") and state.town_role.get(question.doer or "") == question.object:
        return True  # CON-ROLE-07
    return any(one.phase == when and _same(one, question) for _, one in state.done(actor=question.doer, keyword=question.deed))


def _same(deed: Deed, question: Question) -> bool:
    if question.deed in ("disguise", "detect"):
        return deed.more.get("role") == question.object
    if question.object is None:
        return True
    return question.object in (*deed.targets, *deed.more.get("also", ()))


def questions(scene: Scene) -> None:
    """Investigate, Special Investigate, Follow-Up."""
    for act in scene.of("investigate", "special_investigate", "follow_up"):
        question = act.question
        assert question is not None
        if act.failed:
            continue
        when = question.when or (f"night {scene.label.number}" if act.id == "follow_up" else scene.name)
        told = asked(question)
        if act.id in DATED:
            told.setdefault("when", when)
        else:
            told.pop("when", None)
        value = answer(scene, question, when, special=act.id in DATED)
        scene.tell(act, "true" if value else "false", "CON-INV-01", **told)


def stake_outs(scene: Scene) -> None:
    """The keywords of all that went through on the target.  CON-STAKE-01 to -15"""
    for act in scene.of("stake_out"):
        if act.failed:
            continue
        target, more = act.target, {}
        found = {
            deed.group for _, deed in scene.state.done()
            if deed.phase == scene.name and target in (*deed.targets, *deed.more.get("also", ()))
            and deed.more.get("via") != "frame" and _shows(deed) and not _own(deed, act)
        }  # fmt: skip
        attack = scene.kill
        if attack is not None and attack.died == target:
            more["killer_gender"] = gender(scene, attack.face or scene.state.face(attack.killer))
        scene.tell(act, sorted(found), "CON-STAKE-01", **more)


def _shows(deed: Deed) -> bool:
    declared = actions().get(deed.action)
    return deed.action in ("watch", "bribe", "slander", "disguise") or (declared is not None and declared.keyword is not None)


def _own(deed: Deed, act: Act) -> bool:
    """One's own stake-out is not in the list.  CON-STAKE-06"""
    return deed.actor == act.actor and deed.action == "stake_out"


def gender(scene: Scene, face: Role) -> str:
    """What a look tells; Sera's is drawn for the night.  CON-OBS-05, CON-ROLE-33"""
    if face.gender != "random":
        return face.gender
    drawn = next((event["chosen"] for event in scene.events if event.kind == "draw" and event["name"] == "observe.sera"), None)
    return str(drawn or scene.draw("observe.sera", ["male", "female"], "CON-OBS-05"))


def researches(scene: Scene) -> None:
    """Whether a town member used that ability tonight.  CON-RES-01 to -08"""
    for act in scene.of("research"):
        if act.failed:
            continue
        ability = _ability(act.more["text"])
        used = any(
            deed.phase == scene.name and _ability(deed.action) == ability and deed.more.get("via") != "frame"
            and (deed.more.get("via") == "fake" or not scene.state.bo(deed.actor))
            for _, deed in scene.state.done()
        )  # fmt: skip
        scene.tell(act, "true" if used else "false", "CON-RES-01", ability=act.more["text"])


def _ability(action: str) -> str:
    """The ability of that action, as the table of roles has it: both kinds of Observe are one."""
    declared = actions().get(action)
    return declared.ability if declared is not None else action


BETRAYED = ("slander", "investigate", "erase", "detect", "discombobulate", "frighten", "steal", "observe", "abduct")


def betrayals(scene: Scene) -> None:
    """Rena learns one BO activity of the night; so does whoever shares it, and Calvados who covers it.  CON-BETRAY-01 to -07"""
    state = scene.state
    holders = [name for name in state.game.names if _betrays(scene, name)]
    learning = [name for name in holders if not _betrayal_fails(scene, name)]
    covering = [act for act in scene.of("betrayal") if not act.failed]
    for player in holders:
        if player not in learning:
            scene.result(player, "betrayal", "failed", "CON-BETRAY-05", **_by_way_of(scene, player))
    if not learning and not covering:
        return
    found = sorted({
        deed.group for _, deed in state.done()
        if deed.phase == scene.name and state.bo(deed.actor) and deed.group in BETRAYED
        and deed.more.get("via") in (None, "bowtie") and state.role_of[deed.actor] != "anokata"
    })  # fmt: skip
    rena = state.with_role("mizunashi_rena")
    drawn = rena if rena is not None and rena in learning else [*learning, *(str(act.more["ally"]) for act in covering)][0]
    value = str(scene.draw(f"betrayal.{drawn}", found, "CON-BETRAY-01")) if found else "none"
    for player in learning:
        scene.result(player, "betrayal", value, "CON-BETRAY-01", **_by_way_of(scene, player))
    for act in covering:
        scene.tell(act, value, "CON-BETRAY-05")


def _betrayal_fails(scene: Scene, player: str) -> bool:
    """Taken out in that night, as any action of hers would be.  CON-BETRAY-05, CON-DISC-18, CON-COND-11, CON-JUDO-04"""
    out = {*scene.tricked, *scene.sunk, *scene.jailed_now, *scene.injured_now, *scene.judoed}
    return player in out or scene.gone(player)


def _betrays(scene: Scene, player: str) -> bool:
    state = scene.state
    free = player in scene.present and player not in scene.in_jail
    injured_before = state.has(player, "injured") and player not in scene.injured_now
    shared = any("betrayal" in role.passive for role, _ in state.sheets(player))
    return free and shared and not injured_before and not state.has(player, "suspended")


def _by_way_of(scene: Scene, player: str) -> dict[str, str]:
    """How a player has the Betrayal that is not her own: `via`."""
    ways = [via for role, via in scene.state.sheets(player) if "betrayal" in role.passive]
    return {"via": ways[0]} if ways[0] is not None else {}
