"""The day's order of action (CON-ORDER-02): arrests, travel, detentions, pinches, charm, APTX, the lynching, all else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesets.conan import disguises, record
from rulesets.conan.jail import arrests, detentions, pinches
from rulesets.conan.killing import die, lovey_dovey_lost
from rulesets.conan.lynch import STOPS, lynch, refuse_accusations
from rulesets.conan.night import travels
from rulesets.conan.results import SETTLED, travel
from rulesets.conan.work import Act, Scene

Step = Callable[[Scene], None]
BOYS = ("ayumi", "mitsuhiko", "genta")


def poisonings(scene: Scene) -> None:
    """APTX: by name and role; charm and Lovey-Dovey save.  CON-APTX-01 to -19, CON-CHARM-01 -02 -05 -06"""
    from rulesets.conan.orders import reject

    state = scene.state
    tried = [act for act in scene.of("aptx") if _makes(scene, act)]
    for act in scene.of("aptx"):
        if act not in tried:
            act.failed = True
    ranked = sorted(tried, key=lambda act: state.rank(act.actor))
    for act in ranked[state.aptx :]:
        act.failed, act.value = True, "rejected"
        reject(scene, act.to, "aptx", "used_up", act.source)
    made = ranked[: state.aptx]
    hits = {act.target for act in made if _right(scene, act)}
    charmed = charm_holder(scene, hits)
    lost = 0
    killed: list[Act] = []
    for act in made:
        if not _right(scene, act):
            act.value, lost = "failed", lost + 1
        elif act.target == charmed:
            act.value, lost = "failed", lost + 1
            _charm_used(scene)
        elif (saved := loved(scene, act.target or "", hits)) is not None:
            act.value = "failed"
            lost += not state.option("lovey_dovey_saves_capsule")
            saved.early, saved.value = True, "saved"
            lovey_dovey_lost(scene, saved)
        else:
            act.value = "success"
            killed.append(act)
    left = state.aptx - lost
    if lost:
        scene.record("capsules", "CON-APTX-04", left=left)
    for act in killed:
        if act.target is not None:
            scene.abroad_now.discard(act.target)
            die(scene, act.target, "aptx", "CON-APTX-03", by=act.actor)
    for act in scene.of("aptx"):
        if act.value != "rejected":
            act.value = act.value or "failed"
            scene.tell(act, act.value, "CON-APTX-04", left=left)


def _makes(scene: Scene, act: Act) -> bool:
    """Whether an attempt is made: neither poisoner nor target in jail or pinched.  CON-APTX-11 -15"""
    out = (*scene.jailed_now, *scene.stripped)
    suspended = act.to in scene.suspended_now and not scene.state.option("suspended_bo_may_kill")
    return act.to not in out and act.target not in out and not suspended


def _right(scene: Scene, act: Act) -> bool:
    """Whether the role named is the target's own.  CON-APTX-05 -06"""
    assert act.target is not None
    return act.role in (scene.state.role_of[act.target], scene.state.town_role.get(act.target))


def charm_holder(scene: Scene, hits: set[str | None]) -> str | None:
    """Who holds the charm today: the last one it was given to by a Kazuha who can give it.  CON-CHARM-04 -06 -07"""
    for act in reversed(scene.of("charm")):
        if scene.author_hindered(act) or scene.target_hindered(act):
            continue
        if act.to in hits and act.target != act.to:
            return None
        return act.target
    return None


def _charm_used(scene: Scene) -> None:
    if scene.state.charm_used:
        return
    scene.record("charm_used", "CON-CHARM-02")
    kazuha = next((act.to for act in scene.of("charm")), None)
    if kazuha is not None:
        scene.notice(kazuha, "charm_used", "CON-CHARM-02")


def loved(scene: Scene, target: str, hits: set[str | None]) -> Act | None:
    """The Lovey-Dovey that saves from poison.  CON-APTX-14, CON-LD-02"""
    for act in scene.of("lovey_dovey"):
        if act.target == target and not scene.author_hindered(act) and act.actor not in hits:
            return act
    return None


STEPS: list[Step] = [arrests, travels, detentions, pinches, poisonings, refuse_accusations, lynch]


def resolve(scene: Scene) -> None:
    """The whole day up to the releases."""
    for step in STEPS:
        step(scene)
    others(scene)


def others(scene: Scene) -> None:
    """All else of the day, then the record, then the answers that rest on it."""
    for act in scene.of("arrest"):
        scene.tell(act, act.value, "CON-ARREST-05 CON-ARREST-06")
    identify(scene)
    for act in scene.acts:
        if act.id in (*SETTLED, "identify", "choose_costumes", "temporary_disguise") or act.failed:
            continue
        act.failed = _fails(scene, act)
        if act.failed:
            scene.fail(act, "CON-GEN-13")
    suitcase(scene)
    lendings(scene)
    for act in [act for act in scene.acts if not act.failed and act.id not in (*SETTLED, "identify")]:
        if act.id in _DAY:
            _DAY[act.id](scene, act)
    disguises.choose(scene)
    disguises.put_on(scene)
    sabotages(scene)
    record.enter(scene)
    record.questions(scene)
    interviews(scene)


def _fails(scene: Scene, act: Act) -> bool:
    """Whether an act of the last step fails, unless it has taken effect before.  CON-COND-28, CON-JUDO-04, CON-FAIL-01"""
    if act.id == "black_suitcase":
        return False
    if act.id == "travel":
        return act.to not in scene.abroad_now or act.to in scene.dead_now
    if act.id == "charm" and act.early:
        return False  # its step is over before the lynching
    if act.early and act.value is None:
        unneeded = act.id in STOPS and bool({act.to, act.actor} & scene.dead_now.keys())
        return unneeded or act.to in scene.judoed
    return not act.early and scene.hindered(act)


def _done(scene: Scene, act: Act) -> None:
    scene.tell(act, act.value or "success", "CON-DISC-11")


def accompany(scene: Scene, act: Act) -> None:
    """CON-ACCOMP-04"""
    scene.tell(act, "success", "CON-ACCOMP-01")
    if act.target is not None and not scene.gone(act.target):
        scene.followed(act.target, "CON-ACCOMP-04")


def charm(scene: Scene, act: Act) -> None:
    """CON-CHARM-04"""
    scene.tell(act, "success", "CON-CHARM-01")
    if act.target is not None and not scene.gone(act.target):
        scene.notice(act.target, "charm", "CON-CHARM-04", **{"from": "kazuha"})


def follow(scene: Scene, act: Act) -> None:
    """CON-FOLLOW-01 -02 -04"""
    assert act.target is not None
    state = scene.state
    scent = state.own_role(act.target)
    from rulesets.conan.cast import roles

    scene.tell(act, "scent" if roles()[scent].scent else "no_scent", "CON-FOLLOW-01")
    if not scene.gone(act.target):
        scene.followed(act.target, "CON-FOLLOW-02")


def stalk(scene: Scene, act: Act) -> None:
    """CON-STALK-01"""
    assert act.target is not None
    kind = scene.draw(f"stalk.{act.actor}", ["gender", "age"], "CON-STALK-01")
    value = record.gender(scene, act.target) if kind == "gender" else scene.state.face(act.target).age
    scene.tell(act, value, "CON-STALK-01")


def sleeping_pill(scene: Scene, act: Act) -> None:
    """CON-PILL-01 -03 -05"""
    assert act.target is not None
    if scene.gone(act.target) or act.target in scene.jailed_now:
        scene.fail(act, "CON-PILL-05")
        return
    scene.tell(act, "success", "CON-PILL-01")
    scene.notice(act.target, "asleep", "CON-PILL-03")


def voice_of_reason(scene: Scene, act: Act) -> None:
    """CON-VOR-01 -07"""
    scene.record("no_more", "CON-VOR-01", player=act.actor, ability="voice_of_reason")
    scene.tell(act, "success", "CON-VOR-01")


def suitcase(scene: Scene) -> None:
    """Handed to the first who can receive it.  CON-BS-01 to -04, CON-LEADER-04"""
    for act in scene.of("black_suitcase")[-1:]:
        receiver = next((name for name in act.targets if can_receive(scene, name)), None)
        if act.to in scene.abroad_now or receiver is None:
            scene.fail(act, "CON-BS-02")
            continue
        scene.record("lend", "CON-BS-01", player=receiver, thing="suitcase")
        scene.tell(act, "success", "CON-BS-01", receiver=receiver)
        scene.notice(receiver, "suitcase", "CON-BS-01")


def can_receive(scene: Scene, player: str) -> bool:
    """Whether something can be handed to a player: neither dead nor in jail.  CON-ACT-03, CON-GADGET-02"""
    return scene.state.alive(player) and not scene.gone(player) and player not in scene.jailed_now and player not in scene.in_jail


def lendings(scene: Scene) -> None:
    """Bow-tie and watch for the next night; one only after a Research.  CON-GADGET-01 -02 -10, CON-ROLE-30, CON-BEFRIEND-11"""
    from rulesets.conan.orders import reject

    last_night = f"night {scene.label.number}"
    given = [act for act in scene.of("lend_bowtie", "lend_watch") if not act.failed]
    state = scene.state
    for act in list(given):
        researched = any(deed.phase == last_night for _, deed in state.done(actor=act.actor, action="research"))
        own_one = scene.name == "day 1" and any(
            deed.phase == "night 1" and deed.more.get("gadget") for _, deed in state.done(actor=act.actor)
        )  # fmt: skip
        later = [other for other in given if other.actor == act.actor and other.sent > act.sent and other.id != act.id]
        if researched and later and not own_one:
            given.remove(act)
            act.failed, act.value = True, "rejected"
            reject(scene, act.to, act.id, "incompatible", act.source)
    for thing in ("lend_bowtie", "lend_watch"):
        for act in [one for one in given if one.id == thing][-1:]:
            receiver = next((name for name in act.targets if can_receive(scene, name) and name not in scene.abroad_now), None)
            if receiver is None:
                scene.fail(act, "CON-GADGET-02")
                continue
            name = thing.removeprefix("lend_")
            scene.record("lend", "CON-GADGET-01", player=receiver, thing=name)
            scene.tell(act, "success", "CON-GADGET-01")
            scene.notice(receiver, name, "CON-GADGET-10", **{"from": "agasa"})


def identify(scene: Scene) -> None:
    """The Detective Boys' one question; the highest-ranked sender's counts.  CON-IDENT-01 to -10, CON-FRIGHT-08 -14"""
    state = scene.state
    sent = scene.of("identify")
    if not sent:
        return
    last = {act.to: act for act in sent}
    ranked = sorted(last.values(), key=lambda act: _boy_rank(scene, act.actor))
    out = [act for act in ranked if _taken(scene, act.to)]
    left = [act for act in ranked if act not in out]
    held = [
        act
        for act in left
        if act.to in scene.frightened or act.to in scene.injured_now or scene.dead_now.get(act.to) == "vengeance"
    ]
    free = [act for act in left if act not in held]
    counts: Act | None = free[0] if free else None
    if held and free:
        boys = [name for name in scene.present if _boy_rank(scene, name) < 9 and name not in scene.in_jail]
        among = ["frightened", "free"] if len(boys) < 3 or len(left) < 3 else ["frightened", "frightened", "free"]
        chosen = _identify_draw(scene, among)
        counts = free[0] if chosen == "free" else None
    for act in ranked:
        act.failed = counts is None or act in out
    receivers = [name for name in scene.present if _boy_rank(scene, name) < 9 and not scene.gone(name)]
    if counts is None:
        for act in left:
            if not scene.gone(act.to):
                scene.fail(act, "CON-IDENT-04")
        return
    assert counts.target is not None
    right = counts.role in (state.role_of[counts.target], state.town_role.get(counts.target))
    for name in dict.fromkeys((*receivers, counts.to)):
        scene.result(name, "identify", "true" if right else "false", "CON-IDENT-01", target=counts.target, role=counts.role)
    counts.value = "true" if right else "false"


def _identify_draw(scene: Scene, among: list[str]) -> str:
    from engine.choices import UnknownChoice, cast_die

    values = list(dict.fromkeys(among))
    if "identify" in scene.choices.pins:
        chosen = str(scene.choices.pins["identify"])
        if chosen not in values:
            raise UnknownChoice("identify", chosen, values)
    else:
        chosen = among[cast_die(scene.choices.seed, scene.name, "identify", len(among))]
    scene.emit("draw", "gm", "CON-FRIGHT-08", name="identify", among=values, chosen=chosen)
    return chosen


def _boy_rank(scene: Scene, player: str) -> int:
    role = scene.state.role_of[player]
    return BOYS.index(role) if role in BOYS else 9


def _taken(scene: Scene, player: str) -> bool:
    """Lynched, killed or arrested on that day, by no power of Akai's or a sniper's.  CON-IDENT-03 -10"""
    return player in scene.jailed_now or scene.dead_now.get(player, "vengeance") != "vengeance"


def sabotages(scene: Scene) -> None:
    """A sabotaged player who lives is told he was followed.  CON-SAB-05"""
    for player in dict.fromkeys(scene.state.sabotaged):
        if scene.state.alive(player) and not scene.gone(player):
            scene.followed(player, "CON-SAB-05")
    if scene.state.sabotaged:
        scene.record("sabotaged", "CON-SAB-01", players=[])


INTERVIEWED: Mapping[str, str] = {
    "lend_bowtie": "item", "lend_watch": "item", "sleeping_pill": "item", "charm": "item", "protect": "protect",
    "lovey_dovey": "protect", "stake_out": "observe", "observe_age": "observe", "observe_gender": "observe", "clumsy": "observe",
    "follow": "follow", "accompany": "follow", "stalk": "follow", "follow_up": "follow_up",
}  # fmt: skip


def interviews(scene: Scene) -> None:
    """Kir learns one town action of the day and the night before.  CON-INTERVIEW-01 to -05"""
    state = scene.state
    for player in state.game.names:
        kir = any(role.id == "kir" for role, _ in state.sheets(player))
        if (
            not kir
            or player not in scene.present
            or player in scene.in_jail
            or (state.has(player, "injured") and player not in scene.injured_now)
        ):
            continue
        if player in scene.frightened or scene.gone(player) or player in scene.jailed_now:
            scene.result(player, "interview", "failed", "CON-INTERVIEW-04")
            continue
        phases = {scene.name}
        if state.option("interview_window") == "day_and_night_before":
            phases.add(f"night {scene.label.number}")
        found = sorted({
            INTERVIEWED[deed.action] for _, deed in state.done()
            if deed.phase in phases and deed.action in INTERVIEWED and not state.bo(deed.actor)
            and deed.more.get("via") not in ("fake", "frame")
        })  # fmt: skip
        value = str(scene.draw(f"interview.{player}", found, "CON-INTERVIEW-01")) if found else "none"
        scene.result(player, "interview", value, "CON-INTERVIEW-01")


_DAY: Mapping[str, Callable[[Scene, Act], None]] = {
    "accompany": accompany, "charm": charm, "follow": follow, "stalk": stalk, "sleeping_pill": sleeping_pill, "travel": travel,
    "voice_of_reason": voice_of_reason, "voice_of_accusation": _done, "protect": _done, "judo": _done, "lovey_dovey": _done,
}  # fmt: skip
