"""What a night comes to: who is saved, who dies, what everybody is told, and what lasts (PER-SAVE, PER-NIGHT-13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rulesets.persian import night, report
from rulesets.persian.actions import actions
from rulesets.persian.answers import detective, police
from rulesets.persian.cast import MARKS, roles
from rulesets.persian.disguise import announced_at_night
from rulesets.persian.disguise import shown as as_shown
from rulesets.persian.endings import dead_of_the_phase, exposed_magic, offices
from rulesets.persian.reach import unhindered
from rulesets.persian.strikes import MEDICS, NOBODY, SURGEON, add, blessed, immune, strike
from rulesets.persian.work import Act, Strike, Town, last_night, unnoticed

DEADLY = ("kill", "cult_kill", "infect", "stab", "poison", "stage", "overdose", "blast", "shoot")
WAYS = ("double_attack", "stab", "overdose")
_GUESSED_OUT = {"mafia": "PER-GUESS-04", "cult": "PER-GUESS-06", "killers": "PER-GUESS-07"}


def resolve(town: Town) -> None:
    """The whole night: the steps in the order of the game, then what they come to."""
    night.play(town)
    shelters(town)
    delayed_deaths(town)
    night.prices(town)
    answers(town, of_killers=False)
    unsheltered(town)
    blessings(town)
    answers(town, of_killers=True)
    unsheltered(town)
    blessings(town)
    tell(town)
    lasting(town)
    deaths(town)
    afterwards(town)


def delayed_deaths(town: Town) -> None:
    """What falls due tonight: an overdose, a die-hard's wound, the prince's poison, three wrong forecasts.

    Before the savers where one may still help, otherwise at the end.  PER-ORDER-14
    """
    state = town.state
    before_savers, at_the_end = list(map(int, state.option("action_order"))).index(8) + 0.5, 9.0
    for player, (condition, cause) in town.due.items():
        both = state.option("die_hard_cure") == "both_nights"
        lifts = SURGEON if condition == "overdosed" else (MEDICS if both else NOBODY)
        town.place = before_savers if lifts else at_the_end
        add(town, player, cause, None, "PER-KILL-05" if condition == "overdosed" else "PER-HARD-01", lifts)
    town.place = before_savers
    if town.number == last_night():
        poisoned = {player for player in state.present() if state.has(player, "prince_poisoned") and _mortal(town, player)}
        poisoned |= {player for player, act in town.imprisoned.items() if act.id == "prince_poison" and _mortal(town, player)}
        for player in state.in_seat_order(poisoned):
            add(town, player, "prince_poison", None, "PER-PRINCE-04", MEDICS)
    town.place = at_the_end
    for player in state.with_role("executioner"):
        if state.forecast(player, "wrong") >= 3:
            add(town, player, "wrong_forecasts", None, "PER-EXEC-04", NOBODY)


def _mortal(town: Town, player: str) -> bool:
    """Whether the prince's poison can kill that prisoner.  PER-PRINCE-06"""
    return town.state.role(player) not in ("lawyer", "executioner", "invulnerable", "samurai", "sorcerer", "exorcist")


def shelters(town: Town) -> None:
    """Whether each fugitive is hidden: his host has no target, and nothing blocks him.  PER-FUG-01, PER-ORDER-14"""
    for act in town.acts("hide"):
        act.blocked = not town.able(act)
        hidden = not act.blocked and unhindered(town, act) and not town.has_target(act.target or "")
        act.value = "hidden" if hidden else "not_hidden"
        if hidden:
            town.condition(act.actor, "hidden", "PER-FUG-01")
    for player in town.state.with_role("fugitive"):
        hidden = town.state.has(player, "hidden")
        if not hidden and town.state.last_shelter.get(player) is False:
            add(town, player, "no_shelter", None, "PER-FUG-04", NOBODY)
        town.record("shelter", "PER-FUG-04", player=player, hidden=hidden)


def unsheltered(town: Town) -> None:
    """A fugitive dies who found no shelter three times, or whose host somebody tried to kill.  PER-FUG-02 -04 -08"""
    state = town.state
    for player in state.with_role("fugitive"):
        act = town.orders.get(player, {}).get("hide")
        sought = act is not None and act.stands and attacked(town, act.target or "")
        again = any(one.cause == "no_shelter" and one.victim == player for one in town.strikes)
        if not state.has(player, "hidden") and not again and (sought or state.unsheltered[player] >= 3):
            add(town, player, "no_shelter", None, "PER-FUG-02" if sought else "PER-FUG-04", NOBODY)


def attacked(town: Town, host: str) -> bool:
    """Whether a death-dealing act or a first attack of the killers has reached the host, successful or not.  PER-FUG-08"""
    acts = [act for act in town.acts(*DEADLY) if act.aim == host and not act.blocked and act.stopped in (None, "immune")]
    return bool(acts) or any(one.victim == host and one.act is not None and one.cause != "guess" for one in town.strikes)


def settle(town: Town) -> None:
    """Which of the pending deaths are lifted; a blessing lifts those of this night alone.

    PER-SAVE-01 -05 -06 -08, PER-DEV-03, PER-FUG-03
    """
    for one in town.strikes:
        saved = set(town.saved.get(one.victim, ()))
        if one.delayed and one.cause != "overdose" and town.state.option("die_hard_cure") == "never":
            saved = set()
        hidden = town.state.has(one.victim, "hidden") and one.act is not None and one.cause != "guess"
        spared = (one.victim == town.blessed and one.cause != "guess") or blessed(town, one.victim, one.cause)
        one.lifted = bool(saved & one.lifts) or hidden or (spared and not one.delayed)


def killed_tonight(town: Town) -> dict[str, Strike]:
    """Whoever dies tonight as things stand, and of what: the first death that is not lifted, in the order of steps."""
    settle(town)
    killed: dict[str, Strike] = {}
    for one in sorted(town.strikes, key=lambda one: one.place):
        if not one.lifted and not one.delayed and one.victim not in town.removed:
            killed.setdefault(one.victim, one)
    return killed


def answers(town: Town, *, of_killers: bool) -> None:
    """What detective and police hear, and the detective's shot; of the killers it hangs on how the night ends otherwise.

    PER-DET-01 -02, PER-KILL-20, PER-POL-01
    """
    success = of_killers and any(_by_killers(town, one) for one in killed_tonight(town).values())
    for act in town.acts("question", "question_shoot"):
        assert act.target is not None
        if (town.state.side(act.target) == "killers") != of_killers:
            continue
        if not act.stands:
            act.value = "innocent"
        elif act.id == "question" and "police" in town.state.abilities(act.actor):
            act.value = police(town, act.target)
        else:
            act.value = detective(town, act.target, success=success)
        shoots = act.id == "question_shoot" and act.value == "guilty" and act.target not in town.removed
        if shoots and not immune(town, act.target, "shot", act.actor):
            strike(town, act.target, "shot", act.actor, "PER-DET-01", lifts=MEDICS, act=act)


def _by_killers(town: Town, one: Strike) -> bool:
    """Whether a death is a kill of the killers' by way 1, 2 or 3; one turned back on its author is none.  PER-KILL-20"""
    by_killer = one.by is None or "killers" in (town.state.side(one.by), roles()[town.state.role(one.by)].side)
    return one.cause in WAYS and by_killer and town.state.side(one.victim) != "killers"


def blessings(town: Town) -> None:
    """A devotee killed last night saves one of the innocents who would die.  PER-DEV-01 -02 -06"""
    state = town.state
    if state.blessing == "one" and town.blessed is None:
        guessed = {one.victim for one in town.strikes if one.cause == "guess"}
        dying = killed_tonight(town)
        doomed = [name for name in state.present() if state.innocent(name) and name in dying and name not in guessed]
        if doomed:
            town.blessed = town.draw("devotee_save", doomed, "PER-DEV-02")


# What everybody is told


def tell(town: Town) -> None:
    """Each act ends in one fate, and its author hears what the table of results has for it."""
    killed = killed_tonight(town)
    for act in sorted((act for own in town.orders.values() for act in own.values()), key=lambda act: act.sent):
        _value(town, act, killed)
        with town.about(act.source or ""):
            _result(town, act)
            deed(town, act, spent=not (act.keeps_quota or act.value in ("kept", "void")))
    for act in town.guesses:
        with town.about(act.source or ""):
            if act.value is not None:
                town.result(act.actor, "guess", act.value, "PER-GUESS-01", target=act.target)
            elif act.stopped == "no_uses":
                town.result(act.actor, "guess", "invalid", "PER-GUESS-03", target=act.target, reason="no_uses")
            deed(town, act, team=town.state.side(act.actor), spent=False)
    _lawyers(town)


def _value(town: Town, act: Act, killed: Mapping[str, Strike]) -> None:
    own = [one for one in town.strikes if one.act is act]
    if act.action.forecast:
        act.value = "kept"  # PER-NIGHT-06
    elif act.id == "execute":
        act.value = "void"
    elif act.blocked:
        act.value = act.action.blocked
        if act.id == "probe":
            act.extra |= {"has_target": False, "deadly": False}
    elif act in town.marks:
        act.value = "success" if _marked(town, act) and not act.turned else "failed"
    elif act.id in ("kill", "cult_kill", "infect", "stab", "poison", "stage", "overdose", "shoot"):
        act.value = _of_strikes(act, own)
    elif act.id == "recruit" or act.id == "yakuza_recruit":
        act.value = act.value or ("delayed" if any(one.delayed and not one.lifted for one in own) else "failed")
    elif act.id == "trap":
        act.value = "success" if town.caught.get(act.actor) else "failed"
    if act.id == "stage":
        act.keeps_quota = not any(_staged(town, one) for one in killed.values() if one.act is act)
    if act.action.office is not None and town.state.holder(act.action.office) != act.actor:
        act.keeps_quota = True


def _of_strikes(act: Act, own: list[Strike]) -> str:
    hits = [one for one in own if one.victim == act.target and not one.lifted]
    if any(not one.delayed or one.cause == "overdose" for one in hits):
        return "success"
    return "delayed" if hits else "failed"


def _marked(town: Town, act: Act) -> bool:
    """A first attack leaves a mark unless its victim is treated that night, or hidden.  PER-KILL-17"""
    helped = set(town.saved.get(act.aim or "", ())) & MEDICS
    return not helped and not town.state.has(act.aim or "", "hidden")


def _result(town: Town, act: Act) -> None:
    if act.value is None or act.action.blocked is None:
        return
    more: dict[str, Any] = {key: act.extra[key] for key in ("has_target", "deadly") if key in act.extra}
    if act.id == "trap" and town.state.option("hunter_learns_caught"):
        more["caught"] = town.caught.get(act.actor, [])
    action = "question" if act.id == "question_shoot" else act.id
    town.result(act.actor, action, act.value, _WHY.get(act.id, "PER-NIGHT-03"), target=act.target, **more)


_WHY = {
    "question": "PER-DET-03 PER-POL-02", "question_shoot": "PER-DET-03", "possess": "PER-EXOR-01",
    "find_sorcerer": "PER-INFIL-02",
    "probe": "PER-POIS-01", "trap": "PER-HUNT-06", "hide": "PER-FUG-01",
    "recruit": "PER-SORC-01", "infect": "PER-KILL-15",
    "poison": "PER-KILL-15", "stage": "PER-KILL-15", "stab": "PER-KILL-15", "overdose": "PER-KILL-15",
}  # fmt: skip


def deed(town: Town, act: Act, *, spent: bool | None = None, **more: Any) -> None:
    """The one entry of an act in the record of the game."""
    act.told = True
    town.emit(
        "deed", "gm", "PER-NIGHT-05", actor=act.actor, action=act.id, group=act.action.family, targets=list(act.targets),
        final=[act.actor] if act.turned else list(act.targets), fate=act.fate,
        spent=not act.keeps_quota if spent is None else spent, role=act.role, warded=act.warded,
        plundered=act.plundered, phases=act.extra.get("phases", []), about=act.about, **more,
    )  # fmt: skip


def void(town: Town) -> None:
    """What has come to nothing, and is not used up, is on record too.  PER-NIGHT-17, PER-EXEC-09"""
    orders = [act for own in town.orders.values() for act in own.values()]
    for act in [act for act in (*orders, *town.guesses) if not act.told]:
        act.value = "void"
        deed(town, act, spent=False)


def _lawyers(town: Town) -> None:
    """The lawyer learns who targets him, blocked or not.  PER-LAW-02 -03"""
    state = town.state
    for lawyer in state.with_role("lawyer"):
        if state.has(lawyer, "powerless"):
            continue
        given = [act for own in town.orders.values() for act in own.values() if not unnoticed(act.action)]
        acts = [act for act in given if lawyer in act.targets]
        for player in dict.fromkeys(act.actor for act in sorted(acts, key=lambda act: act.sent)):
            named = {"player": player} if state.option("lawyer_learns") == "name_and_role" else {}
            town.notice(lawyer, "targeted_by", "PER-LAW-02", role=state.role(player), **named)


# What lasts


def lasting(town: Town) -> None:
    """The conditions that the night puts on and takes off."""
    state = town.state
    for player in town.imprisoned:
        town.condition(player, "imprisoned", "PER-PRINCE-01")
        if town.imprisoned[player].id == "prince_poison" and _mortal(town, player):
            town.condition(player, "prince_poisoned", "PER-PRINCE-04")
    for player, act in town.possessed.items():
        town.condition(player, "possessed", "PER-EXOR-02")
        if act.value == "infiltrator" and not state.has(player, "joined"):
            town.condition(player, "found", "PER-EXOR-04")
    for act in town.marks:
        if _marked(town, act):
            _mark(town, act)
    _cures(town)
    for one in town.strikes:
        if one.delayed and not one.lifted:
            condition = "overdosed" if one.cause == "overdose" else "dying"
            if condition == "dying" and not state.has(one.victim, "dying"):
                town.notice(one.victim, "dying", "PER-HARD-02")
            town.condition(one.victim, condition, one.why)
            town.record("delayed", one.why, player=one.victim, cause=one.cause)
    for player in state.in_seat_order(town.struck_samurai):
        town.condition(player, "weakened", "PER-SAM-04")
    for player in state.in_seat_order(town.escaped):
        town.condition(player, "escaped", "PER-DET-07")
        town.condition(player, "powerless", "PER-DET-07")
        town.notice(player, "escaped", "PER-DET-09")
    for player in state.in_seat_order({*town.to_plain, *town.unvested}):
        become_plain(town, player)
    for hunter, caught in town.caught.items():
        if caught:
            town.record("trap", "PER-HUNT-06", hunter=hunter, caught=list(caught))
            for player in caught:
                town.condition(player, "trapped", "PER-HUNT-03")
    worn = {
        player: {kind: act.role for kind, act in kinds.items()} for player, kinds in town.clothes.items() if kinds
    }  # fmt: skip
    town.record("clothes", "PER-TAILOR-13", worn=worn)
    _identified(town)
    _plunderings(town)


def _mark(town: Town, act: Act) -> None:
    player, condition = act.aim or "", act.extra["mark"]
    if not any(town.state.has(player, mark) for mark in MARKS.values()):
        role = "psychopath" if condition == "infected" else "poisoner"
        town.record("first_mark", "PER-KILL-03", player=player, role=role)
    town.condition(player, condition, "PER-KILL-01")


def _cures(town: Town) -> None:
    """A protection also cures; only the surgeon takes away an overdose.  PER-SAVE-07"""
    for player, by in town.saved.items():
        if set(by) & MEDICS:
            for condition in (*MARKS.values(), "prince_poisoned"):
                town.condition(player, condition, "PER-SAVE-07", on=False)
        if "surgeon" in by:
            town.condition(player, "overdosed", "PER-SAVE-07", on=False)
    for player, (condition, _) in town.due.items():
        if player not in killed_tonight(town):  # a death that was due and is lifted is over
            town.condition(player, condition, "PER-SAVE-07 PER-HARD-03", on=False)


def become_plain(town: Town, player: str) -> None:
    """From now on a plain innocent, and told so.  PER-SIDE-08"""
    if not town.state.has(player, "plain"):
        town.condition(player, "plain", "PER-SIDE-08")
        town.notice(player, "new_role", "PER-SIDE-08", role="innocent")


def _identified(town: Town) -> None:
    for act in town.acts("question"):
        if "police" in town.state.abilities(act.actor) and act.value in ("guilty", "executioner", "joker"):
            town.record("identified", "PER-POL-01", player=act.actor, target=act.target, night=town.number)


def _plunderings(town: Town) -> None:
    """Whoever met the plunderer loses the orders of the next night; the third time makes a plain innocent.  PER-PLUN-07 -10"""
    state = town.state
    tonight = {act.actor for own in town.orders.values() for act in own.values() if act.plundered is not None}
    for player in state.present():
        if player in tonight:
            town.condition(player, "plundered", "PER-PLUN-01")
        elif player in town.lost_tonight:
            town.condition(player, "plundered", "PER-PLUN-10", on=False)
        if state.role(player) == "plunderer" and state.plunder_hits[player] >= 3:
            become_plain(town, player)


# Deaths


def deaths(town: Town) -> None:
    """The deaths of the night, all at once, each with the first cause that was not lifted.  PER-SAVE-01 -05"""
    state = town.state
    killed = killed_tonight(town)
    staged = {one.victim: one.act for one in killed.values() if one.act is not None and _staged(town, one)}
    for victim, one in killed.items():
        town.doom(victim, one.cause, one.why, by=one.by)
    if state.blessing is not None:
        town.record("blessing", "PER-DEV-01", saves=None)
    shown = {victim: announced_at_night(town, victim, cause_of(killed, victim), victim in staged) for victim in town.doomed}
    dead_of_the_phase(town, shown)
    for victim, act in staged.items():
        if act is not None:
            _take_over(town, act.actor, victim)
    for victim, one in killed.items():
        if _by_killers(town, one):
            town.record("success", "PER-KILL-20")
        if one.cause == "kill":
            _tailors_hint(town, victim, shown[victim])


def _staged(town: Town, one: Strike) -> bool:
    staging = one.act is not None and one.act.id == "stage" and one.cause == "double_attack"
    return staging and town.state.role(one.victim) not in ("samurai", "terrorist")


def cause_of(killed: Mapping[str, Strike], victim: str) -> str:
    """What somebody dies of tonight; a player removed by the GM is struck by nothing."""
    return killed[victim].cause if victim in killed else "modkill"


def _take_over(town: Town, poisoner: str, victim: str) -> None:
    """The poisoner has the victim's ability from now on, with what was left of it.  PER-POIS-02 -04 -06"""
    role = town.state.role(victim)
    left = {action.id: town.left(victim, action) for action in actions().values() if role in action.roles and not action.office}
    town.record("taken", "PER-POIS-02", player=poisoner, role=role, left=left)
    if town.state.here(poisoner):
        town.notice(poisoner, "new_role", "PER-POIS-02 PER-POIS-04", role=as_shown(role), besides="poisoner")


def _tailors_hint(town: Town, victim: str, shown: str) -> None:
    """From the second kill in clothes on, a tailor is pointed to.  PER-TAILOR-08 -09"""
    worn = town.clothes.get(victim, {}).get("ordinary")
    if worn is None or shown != ("innocent" if worn.role == "devotee" else worn.role):
        return
    town.record("clothed_kill", "PER-TAILOR-08")
    if town.state.clothed_kills > 1:
        named = {"player": victim} if town.state.option("night_deaths") == "full" else {}
        town.announce("tailor_hint", "PER-TAILOR-08", **named)


# Afterwards


def afterwards(town: Town) -> None:
    """Joinings and recruits, powers lost, offices, and what the end of the nights brings."""
    state = town.state
    _joinings(town)
    for side in town.guessed_out:
        for player in state.team(side):
            town.notice(player, "guess_lost", _GUESSED_OUT[side])
    for player in state.present():
        if state.ward_hits[player] >= 2 and state.role(player) != "sorcerer":
            town.condition(player, "powerless", "PER-GUARD-03")
    offices(town)
    exposed_magic(town)
    if state.option("night_report"):
        report.compose(town)
    if town.number == last_night():
        _nights_are_over(town)


def _joinings(town: Town) -> None:
    state = town.state
    for act in (*town.acts("find_sorcerer"), *town.acts("recruit")):
        player = act.actor if act.id == "find_sorcerer" else (act.aim or "")
        if act.value in ("right", "success") and state.here(player):
            join(town, player)
    for act in town.acts("yakuza_recruit"):
        if act.value == "success" and act.target is not None and state.here(act.target):
            town.condition(act.target, "recruited", "PER-YAK-06")
            team = state.team("mafia")
            for name in team:
                town.notice(name, "recruited", "PER-YAK-06", player=act.target)
            town.notice(act.target, "team", "PER-YAK-06", players=[name for name in team if name != act.target])


def join(town: Town, infiltrator: str) -> None:
    """He and the cult are told of each other.  PER-INFIL-05"""
    state = town.state
    if state.has(infiltrator, "joined"):
        return
    town.condition(infiltrator, "found", "PER-INFIL-01", on=False)
    town.condition(infiltrator, "joined", "PER-INFIL-01")
    team = [name for name in state.team("cult") if name != infiltrator]
    for name in (*team, infiltrator):
        town.notice(name, "joined", "PER-INFIL-05", player=infiltrator)
    town.notice(infiltrator, "team", "PER-INFIL-05", players=team)


def _nights_are_over(town: Town) -> None:
    """After night 6 infiltrators are members, and semi-minor roles leave.  PER-INFIL-08, PER-SEMI-03, PER-FUG-05"""
    state = town.state
    for player in state.with_role("infiltrator"):
        join(town, player)
    for player in state.with_role("fugitive"):
        town.announce("personal_win", "PER-FUG-05", player=player, role="fugitive")
    for player in _leaving(town):
        town.announce("left_game", "PER-SEMI-03", player=player)


def _leaving(town: Town) -> Iterator[str]:
    return (name for name in town.state.present() if roles()[town.state.role(name)].semi_minor)
