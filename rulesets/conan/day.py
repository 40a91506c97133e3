"""The day's order of action (CON-ORDER-02): arrests, travel, detentions, pinches, charm, APTX, the lynching, all else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.state import Deed
from rulesets.conan import disguises, record
from rulesets.conan.cast import roles
from rulesets.conan.jail import arrests, detentions, officers_told, pinches
from rulesets.conan.killing import die, lovey_dovey_lost
from rulesets.conan.lynch import STOPS, lynch, refuse_accusations
from rulesets.conan.night import sink, travels
from rulesets.conan.orders import reject
from rulesets.conan.results import SETTLED, travel
from rulesets.conan.work import Act, Scene

Step = Callable[[Scene], None]
BOYS = ("ayumi", "mitsuhiko", "genta")


def one_giver(scene: Scene) -> None:
    """There is one bow-tie, watch and charm: of friends, or two with one face, the later order counts.  CON-BEFRIEND-11"""
    for thing in ("charm", "lend_bowtie", "lend_watch"):
        for act in scene.of(thing)[:-1]:
            scene.acts.remove(act)
            reject(scene, act.to, thing, "incompatible", act.source)


def poisonings(scene: Scene) -> None:
    """APTX: by name and role; charm and Lovey-Dovey save.  CON-APTX-01 to -19, CON-CHARM-01 -02 -05 -06"""
    state = scene.state
    made = attempts(scene)
    hits = {act.target for act in made if _right(scene, act)}
    charmed = charm_holder(scene, hits)
    lost, killed = 0, list[Act]()
    for act in made:
        act.value = "failed"
        if not _right(scene, act):
            lost += 1
        elif act.target == charmed:
            lost += 1
            charm_spent(scene)
        elif (saved := loved(scene, act.target, hits - {charmed})) is not None:
            lost += not state.option("lovey_dovey_saves_capsule")
            if saved.value != "saved":
                scene.notice(str(act.target), "saved", "CON-LD-02")
            saved.early, saved.value = True, "saved"
            lovey_dovey_lost(scene, saved)
        else:
            act.value = "success"
            killed.append(act)
    left = state.aptx - lost
    if lost:
        scene.record("capsules", "CON-APTX-04", left=left)
    die_of_poison(scene, killed)
    for act in scene.of("aptx"):
        if act.value != "rejected":
            scene.tell(act, act.value or "failed", "CON-APTX-04", left=left)
    poisoned_travellers(scene)


def die_of_poison(scene: Scene, killed: list[Act]) -> None:
    """All the poisoned die together; then lovers follow.  CON-APTX-03 -19, CON-LOVER-04 -10"""
    for act in killed:
        assert act.target is not None
        if not scene.gone(act.target):
            scene.dead_now[act.target] = "aptx"
            scene.doom(act.target, "aptx", "CON-APTX-03", by=act.actor)
    for act in killed:
        lover = scene.state.lover_of(act.target or "")
        if lover is not None and scene.state.alive(lover):
            die(scene, lover, "suicide", "CON-LOVER-04")


def attempts(scene: Scene) -> list[Act]:
    """The attempts that are made, the highest-ranked members' first while there are capsules.  CON-APTX-08 -11 -15"""
    state = scene.state
    for act in scene.of("aptx"):
        act.failed = not _makes(scene, act)
    ranked = sorted((act for act in scene.of("aptx") if not act.failed), key=lambda act: state.rank(act.actor))
    for act in ranked[state.aptx :]:
        act.failed, act.value = True, "rejected"
        reject(scene, act.to, "aptx", "used_up", act.source)
    return ranked[: state.aptx]


def _makes(scene: Scene, act: Act) -> bool:
    """Whether an attempt is made: neither poisoner nor target in jail or pinched.  CON-APTX-11 -15, CON-COND-15"""
    suspended = act.to in scene.suspended_now and not scene.state.option("suspended_bo_may_kill")
    return not suspended and not {act.to, act.actor, act.target} & (scene.jailed_now.keys() | scene.stripped)


def _right(scene: Scene, act: Act) -> bool:
    """Whether the role named is the target's own.  CON-APTX-05 -06"""
    assert act.target is not None
    return act.role in (scene.state.role_of[act.target], scene.state.town_role.get(act.target))


def charm_holder(scene: Scene, hits: set[str | None]) -> str | None:
    """Who holds the charm today: whoever a Kazuha gave it who can give it.  CON-CHARM-04 -06 -07"""
    act = next((act for act in scene.of("charm") if not scene.hindered(act)), None)
    if act is None:
        return None
    poisoned = act.to in hits and act.target != act.to and loved(scene, act.to, hits) is None
    act.early = not poisoned  # its step comes before the poison, and before what that leads to (CON-ORDER-02, CON-CHARM-10)
    return act.target if act.early else None


def charm_spent(scene: Scene) -> None:
    """Gone for the game; Kazuha, and a Sonoko who gave it, are told.  CON-CHARM-02"""
    if scene.state.charm_used:
        return
    scene.record("charm_used", "CON-CHARM-02")
    givers = [act.to for act in scene.of("charm")]
    for player in scene.state.in_seat_order([*givers, *filter(None, [scene.state.with_role("kazuha")])]):
        if scene.state.alive(player):
            scene.notice(player, "charm_used", "CON-CHARM-02")


def loved(scene: Scene, target: str | None, dying: set[str | None]) -> Act | None:
    """The Lovey-Dovey that saves from poison, by a lover who is not himself dying of it.  CON-APTX-14, CON-LD-02"""
    for act in scene.of("lovey_dovey"):
        if act.target == target and not scene.hindered(act) and act.to not in dying:
            return act
    return None


def poisoned_travellers(scene: Scene) -> None:
    """A poisoned traveller does not travel, so that nothing aimed at him fails for it.  CON-ORDER-02, CON-TRAVEL-03"""
    scene.abroad_now -= {player for player, cause in scene.dead_now.items() if cause == "aptx"}
    scene.sunk.clear()
    sink(scene)


STEPS: list[Step] = [one_giver, arrests, travels, detentions, pinches, officers_told, poisonings, refuse_accusations, lynch]


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
        if act.id in (*SETTLED, "identify", "choose_costumes", "temporary_disguise"):
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
        return act.target in scene.abroad_now or act.to in scene.sunk  # CON-COND-03 -06; nothing else hinders the leader
    if act.id in ("lend_bowtie", "lend_watch"):
        return act.target in scene.abroad_now or scene.author_hindered(act)  # one in jail is passed over
    if act.id == "travel":
        return act.actor not in scene.abroad_now or act.actor in scene.dead_now
    if act.id == "charm" and act.early:
        return False  # its step is over before the lynching
    if act.early and act.value is None:
        unneeded = act.id in STOPS and bool({act.to, act.actor} & scene.dead_now.keys())
        return unneeded or act.to in scene.judoed
    return not act.early and scene.hindered(act)


def _done(scene: Scene, act: Act) -> None:
    scene.tell(act, act.value or "success", "CON-DISC-11")


def accompany(scene: Scene, act: Act) -> None:
    """The target hears of it in the words of Follow, lynched or not.  CON-ACCOMP-04"""
    assert act.target is not None
    scene.tell(act, "success", "CON-ACCOMP-01")
    scene.followed(act.target, "CON-ACCOMP-04")


def charm(scene: Scene, act: Act) -> None:
    """CON-CHARM-04"""
    assert act.target is not None
    scene.tell(act, "success", "CON-CHARM-01")
    scene.notice(act.target, "charm", "CON-CHARM-04", **{"from": "kazuha"})


def follow(scene: Scene, act: Act) -> None:
    """By the scent of the own role, an Anokata's town role.  CON-FOLLOW-01 -02 -04"""
    assert act.target is not None
    smells = roles()[scene.state.own_role(act.target)].scent
    scene.tell(act, "scent" if smells else "no_scent", "CON-FOLLOW-01")
    scene.followed(act.target, "CON-FOLLOW-02")


def stalk(scene: Scene, act: Act) -> None:
    """CON-STALK-01"""
    assert act.target is not None
    kind = scene.draw(f"stalk.{act.actor}", ["gender", "age"], "CON-STALK-01")
    value = record.gender(scene, scene.state.face(act.target)) if kind == "gender" else scene.state.face(act.target).age
    scene.tell(act, value, "CON-STALK-01")


def sleeping_pill(scene: Scene, act: Act) -> None:
    """CON-PILL-01 -03 -05"""
    assert act.target is not None
    if scene.gone(act.target):
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
    for act in [act for act in scene.of("black_suitcase") if not act.failed]:
        receiver = next((name for name in act.targets if can_receive(scene, name)), None)
        if receiver is None or receiver in scene.abroad_now:
            scene.fail(act, "CON-BS-02 CON-COND-03")
            continue
        scene.record("lend", "CON-BS-01", player=receiver, thing="suitcase")
        scene.tell(act, "success", "CON-BS-01", receiver=receiver)
        scene.notice(receiver, "suitcase", "CON-BS-01")


def can_receive(scene: Scene, player: str) -> bool:
    """Whether something can be handed to a player: neither dead nor taken that day.  CON-ACT-03, CON-BS-02, CON-GADGET-02"""
    return not scene.gone(player) and player not in scene.jailed_now


def lendings(scene: Scene) -> None:
    """Bow-tie and watch for the next night; one only after a Research.  CON-GADGET-01 -02 -10, CON-ROLE-30, CON-BEFRIEND-11"""
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
        for act in [one for one in given if one.id == thing]:
            receiver = next((name for name in act.targets if can_receive(scene, name)), None)
            if receiver is None or receiver in scene.abroad_now:
                scene.fail(act, "CON-GADGET-02 CON-COND-03")
                continue
            name = thing.removeprefix("lend_")
            scene.record("lend", "CON-GADGET-01", player=receiver, thing=name)
            scene.tell(act, "success", "CON-GADGET-01 CON-GADGET-02", receiver=receiver)
            scene.notice(receiver, name, "CON-GADGET-10", **{"from": "agasa"})


def identify(scene: Scene) -> None:
    """The Detective Boys' one question; the highest-ranked sender's counts, and every Boy left has the answer, be it that it
    failed (glossary).  CON-IDENT-01 to -10, CON-FRIGHT-08 -14
    """
    sent = sorted(scene.of("identify"), key=lambda act: _boy_rank(scene, act.actor))
    if not sent:
        return
    left = [act for act in sent if not _taken(scene, act)]
    counted = counted_order(scene, left)
    boys = [name for name in scene.present if _boy_rank(scene, name) < len(BOYS) and name not in scene.state.inactive]
    for act in sent:
        act.failed = act is not counted
    if counted is None or scene.target_hindered(counted):
        for act in sent:
            scene.fail(act, "CON-IDENT-04")
        for name in boys:
            if not scene.gone(name) and all(act.to != name for act in sent):
                scene.result(name, "identify", "failed", "CON-IDENT-04 CON-IDENT-09", target=sent[0].target)
        return
    state, target = scene.state, counted.target
    assert target is not None
    right = counted.role in (state.role_of[target], state.town_role.get(target))
    counted.value = "true" if right else "false"
    for name in dict.fromkeys((*boys, *(act.to for act in left))):
        if not scene.gone(name):
            scene.result(name, "identify", counted.value, "CON-IDENT-01 CON-IDENT-09", target=target, role=counted.role)


def counted_order(scene: Scene, left: list[Act]) -> Act | None:
    """The order that counts of those whose senders are left; a frightened one may spoil it.  CON-FRIGHT-08 -14, CON-IDENT-10"""
    free = [act for act in left if not _held(scene, act)]
    if not free or len(free) == len(left):
        return free[0] if free else None
    boys = [name for name in scene.present if _boy_rank(scene, name) < len(BOYS) and name not in scene.in_jail]
    among = ["frightened", "free"] if len(boys) < 3 or len(left) < 3 else ["frightened", "frightened", "free"]
    return free[0] if _identify_draw(scene, among) == "free" else None


def _held(scene: Scene, act: Act) -> bool:
    """Frightened, or taken by a power of Akai's or a sniper's on that day.  CON-IDENT-10"""
    avenged = {player for player, cause in scene.dead_now.items() if cause == "vengeance"}
    return bool({act.to, act.actor} & (scene.frightened | scene.injured_now | avenged))


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
    return BOYS.index(role) if role in BOYS else len(BOYS)


def _taken(scene: Scene, act: Act) -> bool:
    """Whether the sender was lynched, killed or arrested on that day, by no power of Akai's or a sniper's.  CON-IDENT-03 -10"""
    return any(
        one in scene.jailed_now or one in scene.sunk or scene.dead_now.get(one, "vengeance") != "vengeance"
        for one in (act.to, act.actor)
    )


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
    for player in scene.present:
        injured_before = state.has(player, "injured") and player not in scene.injured_now
        if state.role_of[player] != "kir" or player in scene.in_jail or injured_before:
            continue
        out = {*scene.frightened, *scene.dead_now, *scene.jailed_now, *scene.injured_now, *scene.judoed}
        if player in out:
            scene.result(player, "interview", "failed", "CON-INTERVIEW-04")
            continue
        found = sorted({INTERVIEWED[deed.action] for deed in interviewed(scene)})
        value = str(scene.draw(f"interview.{player}", found, "CON-INTERVIEW-01")) if found else "none"
        scene.result(player, "interview", value, "CON-INTERVIEW-01")


def interviewed(scene: Scene) -> list[Deed]:
    """The town's deeds that may come up.  CON-INTERVIEW-01 to -03"""
    state, phases = scene.state, {scene.name}
    if state.option("interview_window") == "day_and_night_before":
        phases.add(f"night {scene.label.number}")
    return [
        deed for _, deed in state.done()
        if deed.phase in phases and deed.action in INTERVIEWED and not state.bo(deed.actor)
        and deed.more.get("via") not in ("fake", "frame")
    ]  # fmt: skip


_DAY: Mapping[str, Callable[[Scene, Act], None]] = {
    "accompany": accompany, "charm": charm, "follow": follow, "stalk": stalk, "sleeping_pill": sleeping_pill, "travel": travel,
    "voice_of_reason": voice_of_reason, "voice_of_accusation": _done, "protect": _done, "judo": _done, "lovey_dovey": _done,
}  # fmt: skip
