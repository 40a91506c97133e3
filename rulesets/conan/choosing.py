"""Which of the orders entered are played: alternatives, numbers, the suitcase's one action, the night's one kill (CON-GEN-08)."""

from __future__ import annotations

from collections.abc import Iterator

from rulesets.conan.actions import actions
from rulesets.conan.cast import ConState, Group, roles
from rulesets.conan.orders import reject
from rulesets.conan.permission import SNIPERS, named_for_rejection
from rulesets.conan.work import Act, Kill, Scene

MANY = ("investigate", "special_investigate")
BOWTIE = {"investigate": 5, "interrogate": 1}
NOT_WITH_TRAVEL = ("will", "no_action", "abstain", "override")


def choose(scene: Scene) -> None:
    """Drop what cannot be played together; what is left are the acts of the phase, in the order sent."""
    scene.override = {act.actor for entered in scene.entered.values() for act in entered if act.id == "override"}
    travelling = _travelling(scene)
    for sender, entered in scene.entered.items():
        own = sorted(entered, key=lambda act: act.sent)
        own = _without_journey(scene, sender, own, travelling) if travelling else own
        own = _alternatives(scene, sender, own)
        own = _one_gadget(scene, sender, _bowties(scene, sender, _copied(own)))
        scene.acts += last_sent(scene, own)
    _lovers(scene)
    _friends(scene)
    scene.acts.sort(key=lambda act: act.sent)
    if scene.kind == "night":
        _kills(scene)
        _suitcases(scene)
        _erasures(scene)


def _drop(scene: Scene, sender: str, act: Act) -> None:
    """Tell the sender that an order is not played; of a Cover that is told once."""
    if act.via != "cover":
        reject(scene, sender, named_for_rejection(act), "incompatible", act.source)


def _sender(act: Act) -> str:
    return str(act.more.get("sent_by") or act.to)


def _travelling(scene: Scene) -> set[str]:
    """Whoever is to travel by any order of the phase, and who would go along."""
    journeys = [(sender, act) for sender, acts in scene.entered.items() for act in acts if act.id == "travel"]
    return {name for sender, act in journeys for player in _doers(sender, act) for name in _together(scene.state, player)}


def _without_journey(scene: Scene, sender: str, acts: list[Act], travelling: set[str]) -> list[Act]:
    """Travel and anything else: the last one sent counts, for Sonoko and her friend together, and for a leader's order and the
    member it names.  CON-TRAVEL-07, CON-BEFRIEND-18, CON-HIER-08 -09
    """
    kept = []
    for act in acts:
        stays = act.id in NOT_WITH_TRAVEL or all(
            player not in travelling or _travels(scene, player) in (None, act.id == "travel") for player in _doers(sender, act)
        )
        if stays:
            kept.append(act)
        else:
            _drop(scene, sender, act)
    journeys = {act.actor: act for act in kept if act.id == "travel"}
    return [act for act in kept if act.id != "travel" or act is journeys[act.actor]]


def _doers(sender: str, act: Act) -> tuple[str, ...]:
    """Whose phase an order takes up: the sender's and that of the member he names, or the inactive player's alone."""
    return (act.actor,) if act.actor != act.to else tuple(dict.fromkeys((act.more.get("by_leader", sender), act.to)))


def _travels(scene: Scene, player: str) -> bool | None:
    """Whether the last order for a player and whoever travels along is a journey; None where none of them is."""
    together = _together(scene.state, player)
    orders = sorted(
        (
            act for sender, entered in scene.entered.items() for act in entered
            if act.id not in NOT_WITH_TRAVEL and set(together) & set(_doers(sender, act))
        ),
        key=lambda act: act.sent,
    )  # fmt: skip
    return orders[-1].id == "travel" if any(act.id == "travel" for act in orders) else None


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
    if act.via in ("fake", "suitcase", "bowtie") or act.action.open is not None:
        return None
    if (owner if owner in scene.state.inactive else None) != (act.actor if act.actor != act.to else None):
        return None
    words = {act.via if act.via in ("cover", "backup") else act.action.ability}
    if act.id == "choose_costumes":
        words.add("rechoose_costumes")
    for place, alternative in enumerate(group):
        if words & {ability.word for ability in alternative}:
            return place
    return None


def _copied(acts: list[Act]) -> list[Act]:
    """One ability of one ally, or of one role, a night: the last one.  CON-BACKUP-04, CON-COVER-01 -11"""
    kept = acts
    for way in ("cover", "backup"):
        same = [act for act in acts if act.via == way]
        kept = [act for act in kept if act.via != way or _what(act) == _what(same[-1])]
    return kept


def _what(act: Act) -> tuple[str, object]:
    return act.action.ability, act.more.get("ally", act.more.get("backed_up"))


def _bowties(scene: Scene, sender: str, acts: list[Act]) -> list[Act]:
    """The bow-tie investigates or interrogates; the last order decides.  CON-GADGET-03"""
    used = [act for act in acts if act.via == "bowtie"]
    dropped = [act for act in used if act.id != used[-1].id]
    for act in dropped:
        _drop(scene, sender, act)
    return [act for act in acts if act not in dropped]


def _one_gadget(scene: Scene, sender: str, acts: list[Act]) -> list[Act]:
    """Agasa on night 1: both gadgets himself, or Research and one of them.  CON-ROLE-31"""
    if scene.name != "night 1" or "agasa" not in (scene.state.own_role(sender), scene.state.worn.get(sender)):
        return acts
    kinds = {act.via if act.via == "bowtie" else act.id: act.sent for act in acts}
    used = sorted((kind for kind in ("research", "bowtie", "watch") if kind in kinds), key=lambda kind: kinds[kind])
    if len(used) < 3:
        return acts
    dropped = [act for act in acts if used[0] in (act.via, act.id)]
    for act in dropped:
        _drop(scene, sender, act)
    return [act for act in acts if act not in dropped]


def _suitcases(scene: Scene) -> None:
    """One action with the suitcase a night, the last one; an earlier one of another kind is rejected.  CON-BS-17"""
    for holder in dict.fromkeys(act.actor for act in scene.acts if _with_suitcase(act)):
        used = [act for act in scene.acts if act.actor == holder and _with_suitcase(act)]
        last = used[-1]
        for act in used[:-1]:
            if _kind(act) != _kind(last):
                _drop(scene, _sender(act), act)
            elif act.id == last.id and act.id in MANY:
                continue
            if act.id == "bribe":
                act.action = actions()["kill"]
                _stand(scene, act)
            else:
                scene.acts.remove(act)


def _with_suitcase(act: Act) -> bool:
    return act.via in ("fake", "suitcase") or act.id == "bribe"


def _kind(act: Act) -> str:
    return "fake" if act.via == "fake" else act.id


def last_sent(scene: Scene, acts: list[Act]) -> list[Act]:
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


def _friends(scene: Scene) -> None:
    """Sonoko and her friend have one Lawsuit, or Voice of Reason, between them; the later order counts.  CON-BEFRIEND-09"""
    for pair in scene.state.friend.items():
        used = [act for act in scene.of("lawsuit", "voice_of_reason") if act.actor in pair]
        for act in sorted(used, key=lambda act: act.sent)[:-1]:
            scene.acts.remove(act)
            _drop(scene, act.to, act)


# The night's kill


def _kills(scene: Scene) -> None:
    """Which kill order stands.  CON-KILL-01 -12"""
    state = scene.state
    orders = [act for act in scene.acts if act.real and (act.id in ("kill", "snipe", "bribe"))]
    of_leader = [act for act in orders if act.more.get("by_leader", act.actor) == scene.leader]
    own = [act for act in orders if act not in of_leader]
    firm = [act for act in own if act.actor not in scene.override]
    if firm:
        chosen = max(firm, key=lambda act: (-state.rank(act.actor), act.sent))
    elif of_leader:
        chosen = max(of_leader, key=lambda act: act.sent)
    elif own:
        chosen = max(own, key=lambda act: (-state.rank(act.actor), act.sent))
    else:
        return
    sent_by_leader = [act for act in of_leader if act is not chosen]
    replaced = sent_by_leader if chosen in of_leader else sent_by_leader[:-1]
    for act in orders:
        if act is not chosen:
            _not_played(scene, act, told=act not in replaced)
    _stand(scene, chosen)


def _not_played(scene: Scene, act: Act, *, told: bool) -> None:
    """A kill order that another takes the place of; a Cover goes with it.  CON-KILL-12, CON-BACKUP-07"""
    scene.acts.remove(act)
    if act.via == "cover":
        act = next(cover for cover in scene.of("cover") if cover.to == act.to)
        scene.acts.remove(act)
    if told:
        _drop(scene, _sender(act), act)


def _stand(scene: Scene, act: Act) -> None:
    """This is the night's kill: a bribe, a snipe by whoever is able to snipe, or a plain one.  CON-SNIPE-01 -10, CON-ACT-04"""
    state = scene.state
    able = any(role.id in SNIPERS for role, _ in state.sheets(act.actor)) and not state.has(act.actor, "injured")
    how = "bribe" if act.id == "bribe" else "snipe" if able or act.id == "snipe" else "kill"
    assert act.target is not None
    act.more["as"] = how
    scene.kill = Kill(act.actor, act.target, how, act)


def _erasures(scene: Scene) -> None:
    """The victim of another's kill once per cycle; a backed-up erasure once, whoever killed.  CON-ERASE-02, CON-BACKUP-08"""
    for act in scene.of("erase"):
        own = scene.kill is not None and scene.kill.killer == act.actor
        if once_a_cycle(act, own=own) and act.actor in scene.state.erased_in_cycle:
            scene.acts.remove(act)
            reject(scene, act.to, named_for_rejection(act), "used_up", act.source)


def once_a_cycle(act: Act, *, own: bool) -> bool:
    """Whether an erasure is one of those made once per cycle; what is covered is always his own victim's (CON-COVER-08)."""
    return act.via == "backup" or (not own and act.via != "cover")
