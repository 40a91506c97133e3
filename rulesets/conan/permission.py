"""What may be entered, and why not: the sender's state, the ability, what is used up, the target (CON-GEN-13, CON-ACT-06)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from rulesets.conan.actions import DISGUISE, Action, actions
from rulesets.conan.cast import NEVER_SONOKO, facts, index, roles
from rulesets.conan.deeds import UNDATED
from rulesets.conan.draft import Draft
from rulesets.conan.work import Act, Scene

SNIPERS = ("chianti", "korn")
NIGHT_CRIMES = (
    "kill", "bribe", "disguise", "slander", "discombobulate", "abduct", "erase", "sabotage", "frighten", "steal", "frame",
)  # fmt: skip
WHILE_INJURED = ("kill", "bribe", "order_kill", "order_bribe", "override", "aptx", "black_suitcase", "lovey_dovey")
WHILE_SUSPENDED = ("bribe", "order_kill", "order_bribe", "override", "black_suitcase")
THINGS = ("bowtie", "watch", "fake", "suitcase_slander", "frame")
EVERYBODY = ("vote", "abstain", "no_action", "will", "token")
WHILE_ASLEEP = ("arrest", "travel", "bribe")
ANY_TARGET = (
    "investigate", "special_investigate", "follow_up", "lawsuit", "bribe", "cover", "order_kill", "order_bribe", "frame",
    "friendship", "amor",
)  # fmt: skip
"""Actions whose targets have rules of their own."""
PASSES_ON = ("black_org", "leader")
"""What is nobody's by role and yet goes to whoever has an inactive player's actions: kill and APTX, the leader's orders."""


def named_for_rejection(act: Act) -> str:
    """The same for an order that was entered and is dropped."""
    if act.via in ("bowtie", "fake", "cover", "backup"):
        return act.via
    told_as = str(act.more.get("told_as", act.id))
    return {"suitcase_slander": "slander", "snipe": "kill"}.get(act.id, told_as)


def as_meant(scene: Scene, draft: Draft) -> Draft:
    """A sniper's `snipe X` is the kill that `kill X` is; a fake keyword is its first ability.  CON-SNIPE-01, CON-BS-15"""
    if draft.action.id == "snipe" and (found := actor_of(scene, draft)) is not None and scene.kind == "night":
        doer = found[0] if found[0] != draft.sender else None
        return replace(draft, action=actions()["kill"], stands_in=doer is not None, doer=doer)
    if draft.action.id == "fake" and draft.inner is not None and draft.inner.action.id == "observe":
        return draft.holding(replace(draft.inner, action=actions()["observe_age"]))
    return draft


def why_not(scene: Scene, draft: Draft) -> str | list[Act]:
    """The reason why the order is not entered, or the acts it comes to."""
    return _state_of_sender(scene, draft) or _wrong(scene, draft) or list(_made(scene, draft))


def _state_of_sender(scene: Scene, draft: Draft) -> str | None:
    state, player, id_ = scene.state, draft.sender, draft.action.id
    if player not in scene.present:
        return "dead"
    if id_ in ("will", "no_action", "override"):
        return None
    if player in scene.in_jail:
        return "arrested" if state.has(player, "arrested") else "detained"
    return None


def condition_bars(scene: Scene, player: str, id_: str, *, thing: bool = False) -> str | None:
    """Whether a condition keeps the player from that: injured, suspended, abroad, asleep.  CON-COND-05 -09 -13, CON-PILL-01"""
    state = scene.state
    if id_ in EVERYBODY:
        return "abroad" if id_ in ("vote", "token") and state.has(player, "abroad") else None
    may_kill = id_ in ("kill", "aptx") and state.option("suspended_bo_may_kill")
    if state.has(player, "injured") and not thing and id_ not in WHILE_INJURED:
        return "injured"
    if state.has(player, "suspended") and not thing and id_ not in WHILE_SUSPENDED and not may_kill:
        return "suspended"
    if state.has(player, "abroad"):
        return "abroad"
    if scene.kind == "night" and state.has(player, "asleep") and id_ not in WHILE_ASLEEP:
        return "asleep"
    return None


def _wrong(scene: Scene, draft: Draft) -> str | None:
    """The first of: no such ability, wrong phase, a condition, used up, a bad target."""
    id_ = draft.action.id
    checks: list[Callable[[], str | None]] = [
        lambda: _ability(scene, draft),
        lambda: None if {*draft.roles, *draft.innermost.roles} <= set(roles()) else "bad_target",  # CON-DETECT-02
        lambda: _out_of_place(draft),
        lambda: condition_bars(scene, draft.sender, id_, thing=id_ in THINGS),
        lambda: _inactive_bars(scene, draft),
        lambda: _RULES.get(id_, _free)(scene, draft),
        lambda: _targets(scene, draft),
    ]
    return next((reason for check in checks if (reason := check()) is not None), None)


def _out_of_place(draft: Draft) -> str | None:
    """A word that is an order only within another kind of order: `observe X` within a fake, `betrayal` within a Cover."""
    inner = draft.inner
    wrong = draft.action.only or (inner is not None and inner.action.only not in ("", draft.action.id))
    return "bad_target" if wrong else None


def _inactive_bars(scene: Scene, draft: Draft) -> str | None:
    """What keeps an inactive player from an order sent for him: jail and absence, not his own injury.  CON-INACT-09 -15"""
    actor, _ = actor_of(scene, draft) or (draft.sender, None)
    if actor == draft.sender:
        return None
    if actor in scene.in_jail:
        return "arrested" if scene.state.has(actor, "arrested") else "detained"
    reason = condition_bars(scene, actor, draft.action.id)
    return None if reason == "injured" else reason


def barred(scene: Scene, draft: Draft) -> str | None:
    """The reason that lies with the sender, whatever the order names: dead or in jail, no such ability, a condition."""
    id_ = draft.action.id
    in_state = _state_of_sender(scene, draft) or _ability(scene, draft)
    return in_state or condition_bars(scene, draft.sender, id_, thing=id_ in THINGS) or _inactive_bars(scene, draft)


# Whose ability it is


def ways(scene: Scene, player: str, word: str, kind: str) -> list[str | None]:
    """By what ways `player` has an ability in that kind of phase: None for the own role."""
    found: list[str | None] = []
    for role, via in scene.state.sheets(player):
        if via == "friendship" and word in NEVER_SONOKO:
            continue
        if word in role.words(kind):
            found.append(via)
    return found


def word_of(action: Action, kind: str) -> str:
    """The word of an action in the table of roles: a choice of costumes by day is a further one."""
    return called_by_phase(action.ability, kind)


def called_by_phase(word: str, kind: str) -> str:
    """A choice of costumes by day is another ability than that of prep.  CON-COST-08"""
    return "rechoose_costumes" if word == "choose_costumes" and kind == "day" else word


def holds(scene: Scene, player: str, thing: str) -> bool:
    """Whether `player` has the suitcase, bow-tie or watch this night; Agasa his own two on night 1 (CON-ROLE-31)."""
    state = scene.state
    if state.lent.get(thing) == player:
        return True
    own = thing != "suitcase" and scene.name == "night 1" and thing not in state.lent
    return own and "agasa" in (state.own_role(player), state.worn.get(player)) and not (thing == "watch" and state.watch_broken)


def actor_of(scene: Scene, draft: Draft) -> tuple[str, str | None] | None:
    """Whose deed it would be and by what way: the sender's own, or that of an inactive player whose actions he has."""
    player, action = draft.sender, draft.action
    if draft.doer is not None:
        return draft.doer, None
    own = _ways(scene, player, action)
    if own and not draft.stands_in:
        return player, own[0]
    theirs = [inactive for inactive in stood_in_for(scene, player) if _ways(scene, inactive, action)]
    if action.id == "kill":  # of several inactive members one whose turn it is
        theirs.sort(key=lambda inactive: may_kill(scene, inactive) is not None)
    return (theirs[0], None) if theirs else None


def _ways(scene: Scene, player: str, action: Action) -> list[str | None]:
    """By what ways a player has an action: on the sheet, or what every BO member or the leader has.  CON-GEN-12, CON-INACT-05"""
    if action.open in PASSES_ON:
        return [None] if _OPEN[action.open](scene, player) else []
    return ways(scene, player, word_of(action, scene.kind), scene.kind)


def stood_in_for(scene: Scene, player: str) -> list[str]:
    """The inactive players whose actions a player has."""
    return [inactive for inactive, split in scene.state.inactive.items() if split.get("actions") == player]


def _ability(scene: Scene, draft: Draft) -> str | None:
    """`no_ability`, or `wrong_phase` for one that is the sender's in another kind of phase.  CON-PHASE-03"""
    player, action = draft.sender, draft.action
    if action.only and action.aim == "none":
        return None  # a passive one, which `_out_of_place` refuses
    inactive = stood_in_for(scene, player)
    if draft.stands_in and (action.open not in (None, *PASSES_ON) or not inactive):
        return "no_ability"
    if action.open in PASSES_ON:
        owned = actor_of(scene, draft) is not None
    elif action.open is not None:
        owned = _OPEN[action.open](scene, player)
    else:
        elsewhere = any(ways(scene, player, word_of(action, kind), kind) for kind in ("night", "day", "prep"))
        owned = elsewhere or any(ways(scene, name, action.ability, kind) for name in inactive for kind in ("night", "day"))
        if owned and scene.kind in action.when and actor_of(scene, draft) is None:
            return "wrong_phase"
    if action.id == "snipe" and not ways(scene, player, "snipe", "night"):
        return "no_ability"
    if not owned:
        return "no_ability"
    return None if scene.kind in action.when else "wrong_phase"


_OPEN: Mapping[str, Callable[[Scene, str], bool]] = {
    "everybody": lambda scene, player: True,
    "black_org": lambda scene, player: scene.state.bo(player),
    "leader": lambda scene, player: scene.leader == player,
    "lover": lambda scene, player: scene.state.lover_of(player) is not None,
    "suitcase": lambda scene, player: holds(scene, player, "suitcase") or scene.kind != "night",
    "bowtie": lambda scene, player: holds(scene, player, "bowtie"),
    "watch": lambda scene, player: holds(scene, player, "watch"),
    "stand_in": lambda scene, player: bool(stood_in_for(scene, player)),
    "token": lambda scene, player: any(split.get("votes") == player for split in scene.state.inactive.values()),
}


# Targets


def dead_or_jailed(scene: Scene, player: str) -> bool:
    """Whether `player` was dead or in jail as the phase opened."""
    return player not in scene.present or player in scene.in_jail


def _targets(scene: Scene, draft: Draft) -> str | None:
    if draft.action.id in ANY_TARGET or draft.action.aim in ("question", "order"):
        return None
    return "bad_target" if any(dead_or_jailed(scene, target) for target in draft.targets) else None


def _free(scene: Scene, draft: Draft) -> str | None:
    return None


def _not_self(scene: Scene, draft: Draft) -> str | None:
    return "bad_target" if _owner(scene, draft) in draft.targets else None


# Rules of single actions


def may_kill(scene: Scene, member: str, *, bribe: bool = False) -> str | None:
    """Why a member cannot kill tonight.  CON-KILL-06, CON-HIER-08, CON-COND-15"""
    state = scene.state
    if member not in scene.present:
        return "dead"
    if member in scene.in_jail:
        return "arrested" if state.has(member, "arrested") else "detained"
    barred = condition_bars(scene, member, "bribe" if bribe else "kill", thing=bribe)
    return barred or ("kill_cycle" if member in state.killed_in_cycle else None)


def _kill(scene: Scene, draft: Draft) -> str | None:
    return may_kill(scene, _owner(scene, draft)) or _not_self(scene, draft)


def _bribe(scene: Scene, draft: Draft) -> str | None:
    if not scene.state.bo(draft.sender):
        return "no_ability"
    if scene.state.bribe_used:
        return "used_up"
    dead = any(target not in scene.present for target in draft.targets)
    return may_kill(scene, draft.sender, bribe=True) or _not_self(scene, draft) or ("bad_target" if dead else None)


def _order_kill(scene: Scene, draft: Draft) -> str | None:
    """The leader's order names a member and a victim.  CON-HIER-02 -08, CON-KILL-14"""
    member, victim = draft.targets
    if not scene.state.bo(member) or member == victim:
        return "bad_target"
    bribe = draft.action.id == "order_bribe"
    if bribe and scene.state.bribe_used:
        return "used_up"
    if bribe and not holds(scene, member, "suitcase"):
        return "no_ability"
    dead = victim not in scene.present or (victim in scene.in_jail and not bribe)
    return may_kill(scene, member, bribe=bribe) or ("bad_target" if dead else None)


def _order_other(scene: Scene, draft: Draft) -> str | None:
    return "no_ability"  # CON-HIER-05, CON-ERASE-06


def _charge(scene: Scene, draft: Draft) -> str | None:
    charge = draft.question
    assert charge is not None
    undated = charge.when is None and charge.deed not in UNDATED
    if draft.sender in draft.targets or undated or draft.targets[0] in scene.in_jail:
        return "bad_target"  # CON-COND-24
    return "bad_target" if draft.targets[0] not in scene.present else None


def _house_search(scene: Scene, draft: Draft) -> str | None:
    return "used_up" if (draft.sender, "house_search") in scene.state.no_more else None


def _detain(scene: Scene, draft: Draft) -> str | None:
    state, officer = scene.state, _owner(scene, draft)
    if any(by == officer and state.alive(name) and state.has(name, "detained") for name, by in state.detained_by.items()):
        return "used_up"  # CON-DETAIN-03
    if officer in draft.targets or state.last_detained.get(officer) in draft.targets:
        return "bad_target"
    return None


def _pinch(scene: Scene, draft: Draft) -> str | None:
    """Once in each night and day of one number.  CON-PINCH-01 -10"""
    used = scene.state.used_in_pair((_owner(scene, draft),), "face_pinch", scene.place)
    return "used_up" if used else _not_self(scene, draft)


def _lovey_dovey(scene: Scene, draft: Draft) -> str | None:
    state, lover = scene.state, scene.state.lover_of(draft.sender)
    if lover is None or (draft.targets and draft.targets[0] != lover):
        return "bad_target"
    pair = frozenset((draft.sender, lover))
    used = state.used_in_pair((draft.sender, lover), "lovey_dovey", scene.place)
    if used or state.lovey_lost.get(pair, 0) >= scene.place:
        return "used_up"  # CON-LD-05 -06
    return "bad_target" if dead_or_jailed(scene, lover) else None


def _lawsuit(scene: Scene, draft: Draft) -> str | None:
    if used_up_together(scene, _owner(scene, draft), "lawsuit"):
        return "used_up"
    return None if draft.targets[0] in scene.in_jail and draft.targets[0] in scene.present else "bad_target"


def used_up_together(scene: Scene, player: str, ability: str) -> bool:
    """A once-only ability is used up for both friends.  CON-BEFRIEND-09"""
    state = scene.state
    both = {player, *(one for pair in state.friend.items() if player in pair for one in pair)}
    return any((one, ability) in state.no_more for one in both)


def _voice_of_reason(scene: Scene, draft: Draft) -> str | None:
    return "used_up" if used_up_together(scene, _owner(scene, draft), "voice_of_reason") else None


def _voice_of_accusation(scene: Scene, draft: Draft) -> str | None:
    return "used_up" if used_up_together(scene, _owner(scene, draft), "voice_of_accusation") else None


def _research(scene: Scene, draft: Draft) -> str | None:
    """What can be investigated, a disguise that is worn included.  CON-RES-03, CON-KEY-04"""
    ability = actions().get(draft.text or "")
    return None if draft.text == DISGUISE or (ability is not None and ability.keyword is not None) else "bad_target"


def _abduct(scene: Scene, draft: Draft) -> str | None:
    many = len(scene.state.role_of) > scene.state.option("abduct_every_night_up_to")
    return "used_up" if many and scene.label.number % 2 == 0 else None


def _observe(scene: Scene, draft: Draft) -> str | None:
    """One observer never uses both types on one target, unless on another night by option.  CON-OBS-03"""
    other = "observe_gender" if draft.action.id == "observe_age" else "observe_age"
    looked = any(
        draft.targets[0] in deed.targets and deed.more.get("via") != "fake"
        for _, deed in scene.state.done(actor=_owner(scene, draft), action=other)
    )  # fmt: skip
    return "bad_target" if looked and scene.state.option("observe_both_types") == "never" else None


def _question(scene: Scene, draft: Draft) -> str | None:
    """Investigate: about this same night.  CON-INV-02 -21"""
    question = draft.question
    assert question is not None
    assert question.doer is not None
    if question.when is not None and question.when != scene.name:
        return "wrong_phase"
    return "bad_target" if dead_or_jailed(scene, question.doer) else None


def _past_question(scene: Scene, draft: Draft) -> str | None:
    """Special Investigate: about a past night or prep, the phase named.  CON-SI-01 -02 -05"""
    question = draft.question
    assert question is not None
    assert question.doer is not None
    if question.when is None:
        return "bad_target"
    if question.when.startswith("day") or index(question.when) >= scene.place:
        return "wrong_phase"
    return "bad_target" if dead_or_jailed(scene, question.doer) else None


def _follow_up(scene: Scene, draft: Draft) -> str | None:
    """About a deed done to the player staked out last night.  CON-FU-01 -02 -06 -07"""
    question, last = draft.question, f"night {scene.label.number}"
    assert question is not None
    assert question.doer is not None
    watched = {
        deed.targets[0] for _, deed in scene.state.done(actor=_owner(scene, draft), action="stake_out")
        if deed.phase == last and deed.more.get("via") != "fake"
    }  # fmt: skip
    if question.object not in watched or dead_or_jailed(scene, question.doer):
        return "bad_target"
    return "wrong_phase" if question.when not in (None, last) else None


def _aptx(scene: Scene, draft: Draft) -> str | None:
    if draft.role is None:
        return "bad_target"  # CON-APTX-04
    return "used_up" if scene.state.aptx == 0 else _not_self(scene, draft)


def _give_suitcase(scene: Scene, draft: Draft) -> str | None:
    if scene.state.option("suitcase_receivers") == "black_org" and not all(map(scene.state.bo, draft.targets)):
        return "bad_target"
    return None


def _lend(scene: Scene, draft: Draft) -> str | None:
    state, thing = scene.state, draft.action.id.removeprefix("lend_")
    if thing == "watch" and state.watch_broken:
        return "used_up"
    researched = any(deed.phase == "night 1" for _, deed in state.done(actor=draft.sender, action="research"))
    used = any(
        deed.actor == draft.sender and deed.more.get("gadget") == thing and deed.phase == "night 1" for deed in state.deeds
    )
    if scene.name == "day 1" and researched and used:
        return "used_up"  # CON-ROLE-31
    return _not_self(scene, draft)


def _charm(scene: Scene, draft: Draft) -> str | None:
    return "used_up" if scene.state.charm_used else None


def _choose_costumes(scene: Scene, draft: Draft) -> str | None:
    """Three different roles of those offered.  CON-COST-04, CON-BEFRIEND-21"""
    owner = scene.state.wardrobe_of(_owner(scene, draft))
    if owner is None:
        return "no_ability"
    offered = scene.state.offered.get(owner, [])
    if not offered:
        return "used_up"
    right = len(set(draft.roles)) == len(draft.roles) == int(scene.state.option("costumes_chosen"))
    return None if right and set(draft.roles) <= set(offered) else "bad_target"


def _owner(scene: Scene, draft: Draft) -> str:
    """Whose deed the order would be: the sender's, or an inactive player's."""
    found = actor_of(scene, draft)
    return found[0] if found is not None else draft.sender


def _temporary_disguise(scene: Scene, draft: Draft) -> str | None:
    """One of the costumes chosen and not yet used.  CON-TDISG-01 -02"""
    state, owner = scene.state, scene.state.wardrobe_of(_owner(scene, draft))
    if owner is None:
        return "no_ability"
    chosen_now = [act for act in scene.entered.get(draft.sender, []) if act.id == "choose_costumes"]
    at_hand = chosen_now[-1].more["roles"] if chosen_now else state.costumes.get(owner, [])
    if draft.role in at_hand:
        return None
    return "used_up" if draft.role in state.used_costumes.get(owner, []) else "bad_target"


def _travel(scene: Scene, draft: Draft) -> str | None:
    state = scene.state
    traveller, _ = actor_of(scene, draft) or (draft.sender, None)
    owner = traveller if traveller in state.tickets else state.friend.get(traveller, traveller)
    return "used_up" if state.tickets.get(owner, 0) <= 0 else None


def _bowtie(scene: Scene, draft: Draft) -> str | None:
    inner = draft.inner
    assert inner is not None
    if inner.action.id not in ("investigate", "interrogate"):
        return "bad_target"
    return _RULES.get(inner.action.id, _free)(scene, inner) or _targets(scene, inner)


def _cover(scene: Scene, draft: Draft) -> str | None:
    """An ally, and a coverable ability.  CON-COVER-02 -05 -10"""
    inner, (ally, *_) = draft.inner, draft.targets
    assert inner is not None
    allied = scene.state.bo(ally) or scene.state.lover_of(draft.sender) == ally
    if ally == draft.sender or not allied or dead_or_jailed(scene, ally) or not inner.action.cover or inner.inner is not None:
        return "bad_target"
    if inner.action.id == "snipe":
        return may_kill(scene, draft.sender) or _not_self(scene, inner) or _targets(scene, inner)
    return _RULES.get(inner.action.id, _free)(scene, replace(inner, sender=draft.sender)) or _targets(scene, inner)


def _backup(scene: Scene, draft: Draft) -> str | None:
    """One night action of a BO role that is not in the game, each role once.  CON-BACKUP-01 to -04 -09"""
    inner, role = draft.inner, draft.role
    assert inner is not None
    assert role is not None
    if role in scene.state.backed_up:
        return "used_up"
    has = inner.action.ability in roles()[role].words("night") and inner.action.id != "travel" and inner.inner is None
    if roles()[role].side != "black_org" or scene.state.in_game(role) or not has:
        return "bad_target"
    if inner.action.id == "snipe":
        return may_kill(scene, draft.sender) or _not_self(scene, inner) or _targets(scene, inner)
    return _RULES.get(inner.action.id, _free)(scene, inner) or _targets(scene, inner)


def _fake(scene: Scene, draft: Draft) -> str | None:
    """Any feasible night action.  CON-BS-13 -15"""
    inner = draft.inner
    assert inner is not None
    listed = facts()["fakes"]
    never = ("arrest", "house_search", "detain", "travel", "kill", "snipe", "bribe", "lovey_dovey")
    if inner.action.keyword is None or inner.action.id in never or "night" not in inner.action.when or inner.inner is not None:
        return "bad_target"
    if scene.state.option("suitcase_fakes") == "listed" and inner.action.id not in listed.get(inner.action.keyword, []):
        return "bad_target"
    if inner.question is not None:
        return (_past_question if inner.action.id == "special_investigate" else _question)(scene, inner)
    return _targets(scene, inner)


def _frame(scene: Scene, draft: Draft) -> str | None:
    """A crime that can be committed at night, of a player at large.  CON-FRAME-12 -13"""
    assert draft.question is not None
    if draft.question.when not in (None, scene.name):
        return "wrong_phase"
    wrong = draft.question.deed not in NIGHT_CRIMES or dead_or_jailed(scene, draft.targets[0])
    return "bad_target" if wrong else None


_RULES: Mapping[str, Callable[[Scene, Draft], str | None]] = {
    "kill": _kill, "bribe": _bribe, "order_kill": _order_kill, "order_bribe": _order_kill, "order_other": _order_other,
    "discombobulate": _not_self, "protect": _not_self, "judo": _not_self, "accompany": _not_self, "arrest": _charge,
    "house_search": _house_search, "detain": _detain, "face_pinch": _pinch, "lovey_dovey": _lovey_dovey, "lawsuit": _lawsuit,
    "voice_of_reason": _voice_of_reason, "voice_of_accusation": _voice_of_accusation, "research": _research, "abduct": _abduct,
    "observe_age": _observe, "observe_gender": _observe, "investigate": _question, "special_investigate": _past_question,
    "follow_up": _follow_up, "aptx": _aptx, "black_suitcase": _give_suitcase, "lend_bowtie": _lend, "lend_watch": _lend,
    "charm": _charm, "choose_costumes": _choose_costumes, "temporary_disguise": _temporary_disguise, "travel": _travel,
    "bowtie": _bowtie, "cover": _cover, "backup": _backup, "fake": _fake, "frame": _frame,
}  # fmt: skip


# What an order comes to


def _made(scene: Scene, draft: Draft) -> Iterator[Act]:
    """The acts that an order allowed is entered as."""
    state, player, action = scene.state, draft.sender, draft.action
    if action.id in ("bowtie", "fake"):
        assert draft.inner is not None
        inner = draft.inner
        yield _act(player, player, inner, via=action.id, **({"told_as": "fake"} if action.id == "fake" else {}))
    elif action.id == "cover":
        assert draft.inner is not None
        yield _act(player, player, draft, via=None)
        yield _act(player, player, draft.inner, via="cover", ally=draft.targets[0])
    elif action.id == "backup":
        assert draft.inner is not None
        yield _act(player, player, draft.inner, via="backup", backed_up=draft.role)
    elif action.id in ("order_kill", "order_bribe"):
        member, victim = draft.targets
        kind = actions()["bribe" if action.id == "order_bribe" else "kill"]
        leader = _owner(scene, draft)
        yield Act(member, member, kind, (victim,), (False, 0.0, 0, 0), None, more={"by_leader": leader, "sent_by": player})
    elif action.id == "suitcase_slander":
        yield _act(player, player, draft, via="suitcase", **{"as": "slander"})
    elif action.id == "frame":
        yield _act(player, player, draft, via="suitcase")
    elif action.open not in (None, *PASSES_ON):
        lover = state.lover_of(player) if action.id == "lovey_dovey" else None
        yield _act(player, player, draft.naming(lover) if lover is not None and not draft.targets else draft, via=None)
    else:
        found = actor_of(scene, draft)
        actor, via = found if found is not None else (player, None)
        called = called_by_phase(draft.named, scene.kind)
        yield _act(actor, player, draft, via=via, **({"told_as": called} if called != draft.named else {}))


def _act(actor: str, to: str, draft: Draft, *, via: str | None, **more: object) -> Act:
    extra = dict(more)
    if draft.roles:
        extra["roles"] = list(draft.roles)
    if draft.text is not None:
        extra["text"] = draft.text
    return Act(actor, to, draft.action, draft.targets, (False, 0.0, 0, 0), None, draft.role, draft.question, via, extra)
