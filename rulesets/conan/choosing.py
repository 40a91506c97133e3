"""Which of the orders entered are played: alternatives, numbers, the suitcase's one action, the night's one kill (CON-GEN-08)."""

from __future__ import annotations

from collections.abc import Iterator

from rulesets.conan.actions import Action
from rulesets.conan.cast import ConState, Group, roles
from rulesets.conan.orders import reject
from rulesets.conan.permission import SNIPERS, named_for_rejection
from rulesets.conan.work import Act, Kill, Scene

SUITCASE = ("fake", "suitcase", "bribe")
MANY = {"investigate": 5, "special_investigate": 2}
BOWTIE = {"investigate": 5, "interrogate": 1}
COPIED = {"cover": 1, "backup": 1}
NOT_WITH_TRAVEL = ("will", "no_action", "abstain", "override")


def choose(scene: Scene) -> None:
    """Drop what cannot be played together; what is left are the acts of the phase, in the order sent."""
    scene.override = {sender for sender, entered in scene.entered.items() if any(act.id == "override" for act in entered)}
    for sender, entered in scene.entered.items():
        own = _without_journey(scene, sender, sorted(entered, key=lambda act: act.sent))
        own = _alternatives(scene, sender, own)
        own = _suitcase(scene, sender, own)
        scene.acts += _numbers(scene, own)
    _lovers(scene)
    if scene.kind == "night":
        _kills(scene)
    scene.acts.sort(key=lambda act: act.sent)


def _drop(scene: Scene, sender: str, act: Act) -> None:
    reject(scene, sender, named_for_rejection(act), "incompatible", act.source)


def _without_journey(scene: Scene, sender: str, acts: list[Act]) -> list[Act]:
    """Travel and anything else: the last one sent counts, for Sonoko and her friend together.  CON-TRAVEL-07, CON-BEFRIEND-18"""
    together = [act for name in _together(scene.state, sender) for act in scene.entered.get(name, [])]
    counted = sorted((act for act in together if act.id not in NOT_WITH_TRAVEL), key=lambda act: act.sent)
    if not any(act.id == "travel" for act in counted):
        return acts
    travels = counted[-1].id == "travel"
    kept = []
    for act in acts:
        if act.id in NOT_WITH_TRAVEL or (act.id == "travel") == travels:
            kept.append(act)
        elif act.more.get("by_leader") is None:
            _drop(scene, sender, act)
    journeys = [act for act in kept if act.id == "travel"]
    return [act for act in kept if act.id != "travel" or act is journeys[-1]]


def _together(state: ConState, player: str) -> list[str]:
    """Who travels together: Sonoko and a friend who can travel."""
    pairs = [(sonoko, friend) for sonoko, friend in state.friend.items() if player in (sonoko, friend)]
    for sonoko, friend in pairs:
        if friend in state.tickets and state.free(friend):
            return [sonoko, friend]
    return [player]


def _alternatives(scene: Scene, sender: str, acts: list[Act]) -> list[Act]:
    """Of alternatives in a row of the table the one of the last order is played; the others are rejected.  CON-GEN-08"""
    dropped: set[int] = set()
    for owner, group in _groups(scene, sender):
        places = [(act, place) for act in acts if (place := _alternative(scene, act, owner, group)) is not None]
        if len({place for _, place in places}) > 1:
            last = places[-1][1]
            for act, place in places:
                if place != last and id(act) not in dropped:
                    dropped.add(id(act))
                    _drop(scene, sender, act)
    return [act for act in acts if id(act) not in dropped]


def _groups(scene: Scene, sender: str) -> Iterator[tuple[str | None, Group]]:
    sheets = [(via, group) for role, via in scene.state.sheets(sender) for group in role.sheet[scene.kind]]
    yield from sheets
    for inactive, split in scene.state.inactive.items():
        if split.get("actions") == sender:
            yield from ((inactive, group) for role, _ in scene.state.sheets(inactive) for group in role.sheet[scene.kind])


def _alternative(scene: Scene, act: Act, owner: str | None, group: Group) -> int | None:
    """Which alternative of a group an order uses; None where it is of no group: a thing held, a kill, a status."""
    if act.via in ("fake", "suitcase", "bowtie", "cover", "backup") or act.action.open is not None:
        return None
    if (owner if owner in scene.state.inactive else None) != (act.actor if act.actor != act.to else None):
        return None
    words = {act.action.ability, "rechoose_costumes"} if act.id == "choose_costumes" else {act.action.ability}
    for place, alternative in enumerate(group):
        if words & {ability.word for ability in alternative}:
            return place
    return None


def _suitcase(scene: Scene, sender: str, acts: list[Act]) -> list[Act]:
    """One action with the suitcase a night, the last one; an earlier one of another kind is rejected.  CON-BS-17"""
    used = [act for act in acts if act.via in SUITCASE or (act.id == "bribe" and not act.more.get("by_leader"))]
    if not used:
        return acts
    last = used[-1]
    kept = []
    for act in acts:
        same_kind = _kind(act) == _kind(last) and (_kind(act) != "fake" or act.id == last.id)
        if act not in used or act is last or (same_kind and act.id in MANY):
            kept.append(act)
        elif _kind(act) != _kind(last):
            _drop(scene, sender, act)
            if act.id == "bribe":
                act.action = _plain_kill()
                kept.append(act)
    return kept


def _plain_kill() -> Action:
    from rulesets.conan.actions import actions

    return actions()["kill"]


def _kind(act: Act) -> str:
    return "fake" if act.via == "fake" else act.id


def _numbers(scene: Scene, acts: list[Act]) -> list[Act]:
    """The last ones sent, up to the number that an ability allows.  CON-GEN-07 -11, CON-INV-16"""
    dropped: set[int] = set()
    kinds: dict[tuple[str, str, str | None], list[Act]] = {}
    for act in acts:
        kinds.setdefault((act.actor, _counted(scene, act), act.via), []).append(act)
    for (_, _, _), same in kinds.items():
        dropped.update(id(act) for act in same[: max(0, len(same) - allowed(scene, same[-1]))])
    return [act for act in acts if id(act) not in dropped]


def _counted(scene: Scene, act: Act) -> str:
    """What is one ability: both kinds of observation, a kill in any words; Gin's two slanders are of two sides."""
    if act.id == "slander" and act.via is None and act.target is not None:
        return "slander bo" if scene.state.bo(act.target) else "slander town"
    if act.id in ("kill", "snipe", "bribe"):
        return f"kill {act.more.get('by_leader', '')}"
    if act.id in ("abstain", "vote"):
        return "vote"
    return act.action.ability if act.via != "fake" else "fake"


def allowed(scene: Scene, act: Act) -> int:
    """How many of these orders may be played in one phase.  CON-INV-01, CON-COVER-16, CON-GADGET-03, CON-BS-15"""
    if act.via == "bowtie":
        return BOWTIE[act.id]
    if act.via == "fake":
        return 3 if act.id == "investigate" else 1
    if act.via in ("cover", "backup"):
        if act.id != "investigate":
            return 1
        ally = act.more.get("ally")
        sheets = scene.state.sheets(ally) if ally else [(roles()[act.more["backed_up"]], None)]
        return max((_count(group, "investigate") for role, _ in sheets for group in role.sheet["night"]), default=1)
    if act.id == "follow_up":
        return int(scene.state.option("follow_up_count"))
    counts = [_count(group, act.action.ability) for role, _ in scene.state.sheets(act.actor) for group in role.sheet[scene.kind]]
    return max([*counts, 1])


def _count(group: Group, word: str) -> int:
    return max((ability.count for alternative in group for ability in alternative if ability.word == word), default=0)


def _lovers(scene: Scene) -> None:
    """Only one of two lovers uses Lovey-Dovey in a phase; the later order counts.  CON-LD-04"""
    used = sorted((act for act in scene.acts if act.id == "lovey_dovey"), key=lambda act: act.sent)
    for act in used:
        later = [other for other in used if other.target == act.actor and other.sent > act.sent]
        if later:
            scene.acts.remove(act)
            _drop(scene, act.to, act)


# The night's kill


def _kills(scene: Scene) -> None:
    """Which kill order stands.  CON-KILL-01 -12"""
    state = scene.state
    orders = [act for act in scene.acts if act.real and (act.id in ("kill", "snipe", "bribe"))]
    own = [act for act in orders if act.more.get("by_leader") is None and (act.to != scene.leader)]
    firm = [act for act in own if act.to not in scene.override]
    of_leader = [
        act for act in orders if scene.leader in (act.more.get("by_leader"), act.to if not act.more.get("by_leader") else None)
    ]
    if firm:
        chosen = min(firm, key=lambda act: state.rank(act.to))
    elif of_leader:
        chosen = max(of_leader, key=lambda act: act.sent)
    elif own:
        chosen = min(own, key=lambda act: state.rank(act.to))
    else:
        return
    sent_by_leader = [act for act in of_leader if act is not chosen]
    replaced = sent_by_leader if chosen in of_leader else sent_by_leader[:-1]
    for act in orders:
        if act is not chosen:
            scene.acts.remove(act)
            if act not in replaced:
                _drop(scene, act.more.get("by_leader", act.to), act)
    sniper = chosen.id == "snipe" or (
        chosen.id != "bribe"
        and any(role.id in SNIPERS for role, _ in state.sheets(chosen.actor))
        and not state.has(chosen.actor, "injured")
    )
    assert chosen.target is not None
    how = "bribe" if chosen.id == "bribe" else "snipe" if sniper else "kill"
    chosen.more["as"] = how
    scene.kill = Kill(chosen.actor, chosen.target, how, chosen)
