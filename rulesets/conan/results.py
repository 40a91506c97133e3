"""The last step of the night: every act that is left is hindered or carried out, and its author hears of it (CON-DISC-10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesets.conan import calvados, disguises, record
from rulesets.conan.cast import roles
from rulesets.conan.choosing import once_a_cycle
from rulesets.conan.jail import same_disguise
from rulesets.conan.killing import HELPS
from rulesets.conan.work import Act, Scene

SETTLED = (
    "vote",
    "abstain",
    "token",
    "no_action",
    "will",
    "override",
    "watch",
    "house_search",
    "detain",
    "face_pinch",
    "kill",
    "snipe",
    "bribe",
    "arrest",
    "aptx",
)
"""What has its result from an earlier step."""


def night(scene: Scene) -> None:
    """All else of the night: results, the record, then the answers that rest on it."""
    _killers(scene)
    _officers(scene)
    slanders(scene)
    for act in scene.acts:
        if not _settled(act) and not act.failed:
            _hinder(scene, act)
    rivals(scene)
    for act in scene.acts:
        if act.failed and act.value is None and not _settled(act):
            scene.fail(act, "CON-DISC-10")
    for act in [act for act in scene.acts if not act.failed and not _settled(act)]:
        _NIGHT.get(act.id, _done)(scene, act) if act.real else _done(scene, act)
    calvados.backups(scene)
    disguises.deeds_of_disguise(scene)
    record.enter(scene)
    lawsuits(scene)
    record.questions(scene)
    record.stake_outs(scene)
    record.researches(scene)
    record.betrayals(scene)


def _settled(act: Act) -> bool:
    """Whether an earlier step has settled it; of a fake none does."""
    return act.real and act.id in SETTLED


def _hinder(scene: Scene, act: Act) -> None:
    """What became of an act: settled at an earlier step, or hindered by what the night has come to.  CON-ORDER-03 -09"""
    if act.real and act.id in HELPS:
        return
    if act.real and act.id in ("discombobulate", "clumsy"):
        act.failed = not act.early or _on_a_bribe(scene, act)
    elif act.id == "travel":
        act.failed = act.actor not in scene.abroad_now or scene.gone(act.actor)
    else:
        act.failed = scene.hindered(act)


def _on_a_bribe(scene: Scene, act: Act) -> bool:
    """A trick on a bribed killer stops all else he does, and its author hears that it failed.  CON-BRIBE-05, CON-DISC-13"""
    kill = scene.kill
    return act.id == "discombobulate" and kill is not None and kill.how == "bribe" and act.target == kill.killer


def _done(scene: Scene, act: Act) -> None:
    if act.id not in record.LAST or not act.real:
        scene.tell(act, act.value or "success", "CON-DISC-11")


def _killers(scene: Scene) -> None:
    """What the killer hears; who has killed in the cycle.  CON-KILL-07, CON-PRIO-09"""
    kill = scene.kill
    if kill is None:
        return
    act = kill.act
    died = kill.died is not None
    scene.tell(act, "success" if died and kill.died == kill.victim else "saved" if kill.happened else "failed", "CON-PRIO-09")
    if died:
        scene.record("killed", "CON-KILL-07", player=kill.killer)


def _officers(scene: Scene) -> None:
    """What officers hear of their arrests.  CON-FAIL-02"""
    for act in scene.of("arrest"):
        scene.tell(act, act.value, "CON-ARREST-05 CON-ARREST-06")


def slanders(scene: Scene) -> None:
    """With Gin the BO slanders one BO member a night at most.  CON-SLANDER-05"""
    state = scene.state
    gin = state.with_role("gin")
    ours = [
        act
        for act in scene.of("slander", "suitcase_slander")
        if act.target is not None and state.bo(act.target) and state.bo(act.actor)
    ]
    ours = [act for act in ours if not act.failed and not scene.hindered(act)]
    if gin is None or len(ours) < 2:
        return
    first = min(ours, key=lambda act: (act.id != "slander" or act.actor != gin, state.rank(act.actor)))
    for act in ours:
        act.failed = act is not first


def rivals(scene: Scene) -> None:
    """Only one BO member's Frighten works in a night.  CON-FRIGHT-11"""
    ours = [act for act in scene.of("frighten") if not act.failed and scene.state.bo(act.actor)]
    for act in sorted(ours, key=lambda act: scene.state.rank(act.actor))[1:]:
        act.failed = True


def slandered(scene: Scene, player: str) -> bool:
    """Whether a slander of tonight inverts what is heard of `player`.  CON-SLANDER-01 -07"""
    return any(act.target == player and not act.failed for act in scene.of("slander", "suitcase_slander"))


def interrogate(scene: Scene, act: Act) -> None:
    """CON-INT-01 -02"""
    assert act.target is not None
    heard = scene.state.answers(act.target)
    if slandered(scene, act.target):
        heard = "not_bo" if heard == "bo" else "bo"
    scene.tell(act, heard, "CON-INT-01")


def cross_examine(scene: Scene, act: Act) -> None:
    """CON-CE-01 -04 -08"""
    assert act.target is not None
    framed = bool(scene.state.option("framed_counts_as_crime"))
    guilty = bool(scene.state.crimes(act.target, scene.place, framed=framed))
    if scene.state.option("slander_affects_cross_examine") and slandered(scene, act.target):
        guilty = not guilty
    scene.tell(act, "guilty" if guilty else "not_guilty", "CON-CE-01")


def observe(scene: Scene, act: Act) -> None:
    """CON-OBS-01 -02 -04"""
    assert act.target is not None
    value = scene.state.face(act.target).age if act.id == "observe_age" else record.gender(scene, scene.state.face(act.target))
    scene.tell(act, value, "CON-OBS-02")


def detect(scene: Scene, act: Act) -> None:
    """CON-DETECT-01 -03 to -06"""
    assert act.role is not None
    found = "true" if scene.state.in_game(act.role) else "false"
    scene.tell(act, found, "CON-DETECT-01", target=act.role, role=act.role)


def abduct(scene: Scene, act: Act) -> None:
    """One town role that nobody plays, none twice while others are left.  CON-ABDUCT-01 -02 -05"""
    state = scene.state
    left = [role.id for role in roles().values() if role.side == "town" and not state.in_game(role.id)]
    fresh = [role for role in left if role not in state.told_roles.get(act.actor, [])] or left
    if not fresh:
        scene.fail(act, "CON-ABDUCT-01")
        return
    scene.tell(act, str(scene.draw(f"abduct.{act.actor}", fresh, "CON-ABDUCT-01")), "CON-ABDUCT-01")


def steal(scene: Scene, act: Act) -> None:
    """One item of the victim's; all thieves of one victim get the same.  CON-STEAL-01 to -11"""
    if act.value is not None:
        return
    victim = act.target
    assert victim is not None
    thieves = [other for other in scene.of("steal") if other.target == victim and not other.failed]
    held = scene.state.items.get(victim, [])
    if not held:
        for thief in thieves:
            scene.tell(thief, "nothing", "CON-STEAL-11")
        return
    named = [other.more.get("text") for other in thieves if other.more.get("text") in held]
    choose = scene.state.option("steal_choice") == "thief" and named
    item = str(named[0]) if choose else _item(scene, victim, held)
    for number, thief in enumerate(thieves):
        thief.more["item"] = item if number == 0 else None
        scene.tell(thief, item, "CON-STEAL-08", rivals=len(thieves) - 1)
    scene.notice(victim, "stolen", "CON-STEAL-07 CON-STEAL-09", item=item, rivals=len(thieves) - 1)


def _item(scene: Scene, victim: str, held: list[str]) -> str:
    """A draw in which an item held twice is twice as likely, and each value is listed once (CON-GEN-17)."""
    from engine.choices import UnknownChoice, cast_die

    name, among = f"steal.{victim}", list(dict.fromkeys(held))
    if name in scene.choices.pins:
        chosen = str(scene.choices.pins[name])
        if chosen not in among:
            raise UnknownChoice(name, chosen, among)
    else:
        chosen = held[cast_die(scene.choices.seed, scene.name, name, len(held))]
    scene.emit("draw", "gm", "CON-STEAL-02", name=name, among=among, chosen=chosen)
    return chosen


def erase(scene: Scene, act: Act) -> None:
    """The body of the night's victim: the eraser alone learns role and will.  CON-ERASE-01 to -09"""
    state, kill = scene.state, scene.kill
    at_large = [name for name in state.members() if name in scene.present and name not in scene.in_jail]
    own = kill is not None and kill.killer == act.actor
    if kill is None or not act.target == kill.victim == kill.died or (len(at_large) <= 2 and not own):
        scene.fail(act, "CON-ERASE-03 CON-ERASE-08")
        return
    if once_a_cycle(act, own=own):
        scene.record("erased", "CON-ERASE-02 CON-BACKUP-08", player=act.actor)
    scene.erased = kill.victim
    learnt = {"victim": kill.victim, "role": state.role_of[kill.victim], "will": will_of(scene, kill.victim)}
    scene.tell(act, "success", "CON-ERASE-04", **learnt)


def will_of(scene: Scene, player: str) -> str | None:
    """The will that stands: the last one lodged, that of this phase included.  CON-GEN-05 -07"""
    return scene.state.censored.get(player, scene.state.wills.get(player, "")) or None


def sabotage(scene: Scene, act: Act) -> None:
    """Marks a player for the day.  CON-SAB-01 -08"""
    scene.tell(act, "success", "CON-SAB-08")


def travel(scene: Scene, act: Act) -> None:
    """Abroad; a ticket is spent, one for a joint journey.  CON-TRAVEL-10 -12, CON-BEFRIEND-17"""
    state = scene.state
    owner = act.actor if act.actor in state.tickets else state.friend.get(act.actor, act.actor)
    spent = {other.more.get("ticket") for other in scene.of("travel")}
    act.more["ticket"] = None if owner in spent else owner
    scene.tell(act, "success", "CON-TRAVEL-01")


def lovey_dovey(scene: Scene, act: Act) -> None:
    """CON-LD-01 -06"""
    scene.tell(act, act.value or "success", "CON-LD-01")


def lawsuits(scene: Scene) -> None:
    """Out of prison, the crime erased, a disguise's with every night up to now.  CON-LAWSUIT-01 to -06, CON-ORDER-10"""
    from rulesets.conan.endings import release

    state = scene.state
    for act in scene.of("lawsuit"):
        if not act.failed and act.target is not None:
            scene.record("no_more", "CON-LAWSUIT-01", player=act.actor, ability="lawsuit")
            held = same_disguise(scene, state.held_for.get(act.target, ()))
            scene.record("answered", "CON-LAWSUIT-06", player=act.target, deeds=held)
            release(scene, act.target, "CON-LAWSUIT-02", erase=state.has(act.target, "arrested"))


_NIGHT: Mapping[str, Callable[[Scene, Act], None]] = {
    "interrogate": interrogate, "cross_examine": cross_examine, "observe_age": observe, "observe_gender": observe,
    "detect": detect, "abduct": abduct, "steal": steal, "erase": erase, "sabotage": sabotage, "travel": travel,
    "lovey_dovey": lovey_dovey,
}  # fmt: skip
