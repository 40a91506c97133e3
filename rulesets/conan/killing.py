"""The night's kill: whether it happens, who is saved by what, and who dies of it (CON-KILL, CON-PRIO, CON-SNIPE, CON-BRIBE)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulesets.conan.work import Act, Kill, Scene

ORDER = ("lovey_dovey", "snipe_guard", "watch", "protect", "judo", "heal", "first_aid")
HEALING = ("judo", "heal", "first_aid")
HELPS = ("lovey_dovey", "snipe_guard", "protect", "judo", "heal", "first_aid")


def called_off(scene: Scene) -> None:
    """A killer taken out at the step of arrests does not set out at all.  CON-DISC-15, CON-COND-11 -15"""
    attack = scene.kill
    if attack is None:
        return
    sender = attack.act.to  # another than the killer where that one is inactive (CON-INACT-08 -15)
    barred = sender in scene.suspended_now and not scene.state.option("suspended_bo_may_kill")
    jailed = not {attack.killer, sender}.isdisjoint(scene.jailed_now)
    attack.played = not (barred or jailed or sender in scene.injured_now)


def kill(scene: Scene) -> None:
    """Work out the night's kill, once.  CON-ACT-02"""
    attack = scene.kill
    if attack is None:
        return
    if not _happens(scene, attack):
        attack.act.failed = True
        return
    attack.happened = True
    attack.face = scene.state.face(attack.killer)
    _tripped_up(scene, attack)
    if attack.how == "bribe":
        scene.record("bribe_used", "CON-BRIBE-10")
        _die(scene, attack, attack.victim)
        return
    saviour = _saviour(scene, attack)
    if saviour is None:
        _die(scene, attack, attack.victim)
    else:
        _saved(scene, attack, saviour)


def _happens(scene: Scene, attack: Kill) -> bool:
    """Whether anybody is attacked: killer free, not tricked, target not abroad or in jail.  CON-DISC-05, CON-COND-04 -06 -17"""
    if attack.how == "bribe":
        return True
    killers, victim = {attack.killer, attack.act.to}, attack.victim
    if not attack.played or attack.act.failed or killers & (scene.tricked | scene.sunk):
        return False
    if victim in scene.in_jail or victim in scene.jailed_now:
        return False
    return attack.act.through is None or not scene.hindered(attack.act.through)


def _tripped_up(scene: Scene, attack: Kill) -> None:
    """What Clumsy kept from saving the victim or stopping the killer fails, though Yamamura dies of it.  CON-CLUMSY-09"""
    for act in scene.of(*HELPS, "discombobulate"):
        aimed = attack.killer if act.id == "discombobulate" else attack.victim
        if act.target == aimed and aimed in scene.tripped and act.actor != aimed:
            act.failed = True


def helps(scene: Scene, attack: Kill) -> list[Act]:
    """The healings and protections on the victim that were not hindered before."""
    return [act for act in scene.of(*HELPS) if act.target == attack.victim and not act.failed and not scene.hindered(act)]


def helps_settled(scene: Scene) -> None:
    """What healings and protections came to: saved, not needed, failed.  CON-PRIO-03 -12, CON-BRIBE-04, CON-INV-08"""
    for act in scene.of(*HELPS):
        if act.value != "saved":
            act.failed = act.failed or _in_vain(scene, act) or scene.hindered(act)


def _in_vain(scene: Scene, act: Act) -> bool:
    """Against a bribe, or by a killer for the lover whom he attacks.  CON-BRIBE-04, CON-HIER-11"""
    attack = scene.kill
    if attack is None or attack.victim != act.target:
        return False
    return attack.how == "bribe" or (act.id == "lovey_dovey" and attack.killer == act.actor)


def _saviour(scene: Scene, attack: Kill) -> Act | str | None:
    """The highest in the order of healing that works against this attack.  CON-PRIO-01 -02 -10 to -12, CON-HIER-11"""
    standing = helps(scene, attack)
    sniped = attack.how == "snipe"
    for kind in ORDER:
        if (kind in HEALING and sniped) or (kind == "snipe_guard" and not sniped):
            continue
        if kind == "watch":
            if scene.state.lent.get("watch") == attack.victim or attack.victim in scene_watch(scene):
                return "watch"
            continue
        rank = [act for act in standing if act.id == kind and not (kind == "lovey_dovey" and act.actor == attack.killer)]
        if rank:
            return _drawn(scene, attack, rank)
    return None


def scene_watch(scene: Scene) -> set[str]:
    """Agasa's own use of the watch on night 1.  CON-ROLE-31"""
    return {act.actor for act in scene.acts if act.id == "watch"}


def _drawn(scene: Scene, attack: Kill, rank: list[Act]) -> Act:
    """Of several of one rank one succeeds.  CON-PRIO-10, CON-PROTECT-12, CON-SNIPE-04"""
    if len(rank) == 1:
        return rank[0]
    chosen = scene.draw(f"protector.{attack.victim}", [act.actor for act in rank], "CON-PRIO-10")
    return next(act for act in rank if act.actor == chosen)


def _saved(scene: Scene, attack: Kill, saviour: Act | str) -> None:
    """The victim lives, is told so, and whoever saved him bears what it costs.  CON-PRIO-05 to -09"""
    attack.saved_by = saviour
    if isinstance(saviour, Act):
        saviour.value = "saved"
        if saviour.id in _COSTS:
            _COSTS[saviour.id](scene, attack, saviour)
    else:
        scene.result(attack.victim, "watch", "saved", "CON-GADGET-06")
        if attack.how == "snipe":
            break_watch(scene, attack.victim)
    scene.notice(attack.victim, "saved", "CON-PRIO-09")


def protect(scene: Scene, attack: Kill, act: Act) -> None:
    """The protector is hurt; in a snipe he dies in the other's place.  CON-PROTECT-03 -06, CON-SNIPE-03"""
    if attack.how == "snipe":
        _die(scene, attack, act.actor)
    else:
        hurt(scene, act, "CON-PROTECT-03")


def hurt(scene: Scene, act: Act, why: str) -> None:
    """Who has saved somebody with Protect or Judo, by night or day, is injured for two phases.  CON-PROTECT-03, CON-JUDO-03"""
    scene.injure(act.to, 2, why)


def judo(scene: Scene, saved: str, act: Act) -> None:
    """Kogorou is hurt, and the one he saved, by night or day, gets nothing done.  CON-JUDO-03 -04"""
    hurt(scene, act, "CON-JUDO-03")
    scene.judoed.add(saved)


def first_aid(scene: Scene, attack: Kill, act: Act) -> None:
    """Injured for four phases, this one counted; only who bandages himself goes on acting.  CON-FAID-01 -02"""
    scene.injure(attack.victim, 4, "CON-FAID-01", first=0)
    if act.actor == attack.victim:
        scene.injured_now.discard(attack.victim)


def snipe_guard(scene: Scene, attack: Kill, act: Act) -> None:
    """The sniper is hurt.  CON-SGUARD-02 -08"""
    scene.injure(attack.killer, int(scene.state.option("snipe_guard_injury_phases")), "CON-SGUARD-02", first=0)


def lovey_dovey(scene: Scene, attack: Kill, act: Act) -> None:
    """It costs the pair their next two phases of it, and nobody an injury.  CON-LD-06 -10"""
    lovey_dovey_lost(scene, act)


_COSTS: Mapping[str, Callable[[Scene, Kill, Act], None]] = {
    "protect": protect, "judo": lambda scene, attack, act: judo(scene, attack.victim, act), "first_aid": first_aid,
    "snipe_guard": snipe_guard, "lovey_dovey": lovey_dovey,
}  # fmt: skip


def lovey_dovey_lost(scene: Scene, act: Act) -> None:
    """When it has prevented a death the lovers lose it for two phases.  CON-LD-06"""
    assert act.target is not None
    scene.record("lovey_lost", "CON-LD-06", pair=[act.actor, act.target], until=scene.place + 2)


def break_watch(scene: Scene, holder: str) -> None:
    """A sniped holder lives and the watch is gone for the game.  CON-GADGET-07"""
    scene.record("watch_broken", "CON-GADGET-07")
    agasa = scene.state.with_role("agasa")
    for player in dict.fromkeys(name for name in (holder, agasa) if name is not None):
        scene.notice(player, "watch_broken", "CON-GADGET-07")


def _die(scene: Scene, attack: Kill, player: str) -> None:
    attack.died = player
    die(scene, player, attack.how, "CON-KILL-01", by=attack.killer)
    if scene.avenges(player, "vengeance"):
        phases = int(scene.state.option("vengeance_injury_phases"))
        scene.injure(attack.killer, phases, "CON-VENG-02")


def die(scene: Scene, player: str, cause: str, why: str, by: str | None = None) -> None:
    """A death is decided, and at once the suicide of a lover.  CON-LOVER-04 -10"""
    if player in scene.dead_now:
        return
    scene.dead_now[player] = cause
    scene.doom(player, cause, why, by=by)
    lover = scene.state.lover_of(player)
    if lover is not None and scene.state.alive(lover):
        die(scene, lover, "suicide", "CON-LOVER-04")
