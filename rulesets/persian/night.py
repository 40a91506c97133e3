"""The night's order of action, step by step (PER-ORDER-01), up to the savers; what comes of it all is in `dawn.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.interference import stopped
from rulesets.persian.cast import facts
from rulesets.persian.reach import caught_by_trap, guilty_act, in_vain, reaches, struck_by_shield, unhindered
from rulesets.persian.strikes import MEDICS, NOBODY, SURGEON, add, immune, strike
from rulesets.persian.work import SAVERS, Act, Town

Step = Callable[[Town], None]


# Step 1: questions and shots


def questions(town: Town) -> None:
    """Detective and police ask first; what they hear is known when the night has been resolved.  PER-ORDER-02, PER-PLUN-08 -09"""
    for act in town.now("question", "question_shoot"):
        reaches(town, act)


def shots(town: Town) -> None:
    """The police shoots whom it has identified.  PER-POL-06 -08 -10"""
    for act in town.now("shoot"):
        if reaches(town, act) and act.aim is not None and not immune(town, act.aim, "shot", act.actor):
            strike(town, act.aim, "shot", act.actor, "PER-POL-01", lifts=MEDICS, act=act)


# Step 2: negating roles, then tailor and actor


def negations(town: Town) -> None:
    """Prince, guard and exorcist: who blocks whom.  PER-ORDER-03 -04, PER-PRINCE, PER-GUARD, PER-EXOR"""
    prisons = [act for act in town.now("imprison", "prince_poison") if town.act_on(act)]
    guards = [act for act in town.now("guard") if town.act_on(act)]
    stops = {
        act: [] if in_vain(town, act)  # what comes to nothing blocks nobody
        else [other for other in guards if other.actor == act.target] if act in prisons
        else [other for other in prisons if other.target == act.target]
        for act in (*prisons, *guards)
    }  # fmt: skip
    down = stopped(stops)
    for act in guards:
        act.blocked = act in down
        if reaches(town, act) and act.target is not None:
            town.guarded.setdefault(act.target, []).append(act)
    for act in prisons:
        if act in down:
            act.stopped = "guard"
        if reaches(town, act) and act.target is not None and town.state.role(act.target) not in ("sorcerer", "exorcist"):
            town.imprisoned[act.target] = act
    for act in town.now("possess"):
        _possess(town, act)


def _possess(town: Town, act: Act) -> None:
    act.value = "not_infiltrator"
    if not reaches(town, act):
        return
    state, target = town.state, act.target
    assert target is not None
    if state.role(target) in ("samurai", "tailor", "poisoner") and not state.has(target, "powerless"):
        town.condition(act.actor, "powerless", "PER-EXOR-06")
    elif state.side(target) != "mafia":
        town.possessed[target] = act
        act.value = "infiltrator" if state.role(target) == "infiltrator" else "not_infiltrator"


def disguises(town: Town) -> None:
    """The tailor's clothes, and the role the actor plays.  PER-TAILOR-02 -04 -06, PER-ACTOR-01 -02"""
    for act in town.now("dress", "special_dress"):
        if reaches(town, act) and act.target is not None and act.role is not None:
            if town.state.role(act.target) in facts()["no_clothes"]:
                act.stopped = "immune"
            else:
                kind = "special" if act.id == "special_dress" else "ordinary"
                town.clothes.setdefault(act.target, {})[kind] = act
    for act in town.now("play", "cast"):
        if reaches(town, act):
            act.extra["phases"] = phases_of_role(town, 2 if act.id == "play" else 1)


def phases_of_role(town: Town, count: int) -> list[str]:
    """The phases in which a role that is played shows, from this one on.  PER-ACTOR-04"""
    days = [f"{kind} {town.number + step + _later(town)}" for step in range(count) for kind in ("day", "defence")]
    first = town.number + (1 if town.kind == "day" and town.state.game.options["first_phase"] == "night" else 0)
    nights = [f"night {first + step}" for step in range(count)]
    return [*days, *nights]


def _later(town: Town) -> int:
    """Whether the day that goes with a night is the next one (PER-NIGHT-02)."""
    return 1 if town.kind == "night" and town.state.game.options["first_phase"] == "day" else 0


# Step 3: innocents' roles


def tricks(town: Town) -> None:
    """The magician turns back what is aimed at him from now on.  PER-MAGI-01 -06"""
    for act in town.now("conjure"):
        if town.act_on(act):
            town.conjuring.add(act.actor)


def traps(town: Town) -> None:
    """The hunter's traps, which undo what was done in step 2.  PER-HUNT-01 -10"""
    for act in town.now("trap"):
        if reaches(town, act) and act.aim is not None:
            town.trapped.setdefault(act.aim, []).append(act)
    for early in _done_in_step_two(town):
        if early.target in town.trapped and caught_by_trap(town, early):
            _undo(town, early)


def _done_in_step_two(town: Town) -> list[Act]:
    """The guilty acts given before there was a trap or a shield, a guard's ward or not; what acts by leave hinders none."""
    early = town.acts("imprison", "prince_poison", "possess", "dress", "special_dress") if town.on_leave is None else []
    done = [act for act in early if act.begun and not act.blocked and act.stopped in (None, "immune", "guard", "trap")]
    return [act for act in done if guilty_act(town, act)]


def _undo(town: Town, act: Act) -> None:
    target = act.target or ""
    if town.imprisoned.get(target) is act:
        del town.imprisoned[target]
    elif town.possessed.get(target) is act:
        del town.possessed[target]
        act.value = "not_infiltrator"
    elif target in town.clothes:
        town.clothes[target] = {kind: worn for kind, worn in town.clothes[target].items() if worn is not act}


def shields(town: Town) -> None:
    """The protector's ward: acts of step 2 stay, though their authors are struck.  PER-PROT-01 -03"""
    for act in town.now("shield"):
        if reaches(town, act) and act.aim is not None:
            town.shielded.setdefault(act.aim, []).append(act)
    for early in _done_in_step_two(town):
        if early.target in town.shielded:
            struck_by_shield(town, early, town.shielded[early.target][0])


# Step 4: the infiltrators


def infiltrators(town: Town) -> None:
    """The guess of the sorcerer, then the kill for the cult.  PER-ORDER-06, PER-INFIL-02 -04 -12"""
    for act in town.now("find_sorcerer"):
        if town.act_on(act):
            act.value = "right" if act.target is not None and town.state.role(act.target) == "sorcerer" else "wrong"
    for act in town.now("cult_kill"):
        _kill(town, act, "cult_kill", "PER-INFIL-12")


def _kill(town: Town, act: Act, cause: str, why: str) -> None:
    if reaches(town, act) and act.aim is not None:
        if immune(town, act.aim, cause, act.actor):
            act.stopped = "immune"
        else:
            strike(town, act.aim, cause, act.actor, why, act=act)


# Team guesses


def guesses(town: Town, side: str) -> None:
    """A team names roles; a right one is a sure death, wrong ones run out.  PER-GUESS-01 to -15"""
    state = town.state
    most, wrong_tonight = (3 if side == "mafia" else 1), 0
    given = [act for act in town.guesses if state.side(act.actor) == side and state.alive(act.actor)]
    for act in sorted(given, key=lambda one: one.sent):
        act.place = town.place
        gone = act.actor in town.dead_already or act.actor in town.removed or act.target in town.removed
        if gone or (act.actor, act.target) in town.rejected:
            act.stopped = "rejected"
        elif wrong_tonight or state.wrong_guesses[side] + wrong_tonight >= most:
            act.stopped = "no_uses"
        elif right_guess(town, act, side):
            act.value = "right"
            assert act.target is not None
            add(town, act.target, "guess", act.actor, "PER-GUESS-01 PER-GUESS-02", NOBODY, act)
        else:
            act.value = "wrong"
            wrong_tonight += 1
            if state.wrong_guesses[side] + wrong_tonight >= most:
                town.guessed_out.append(side)


def cult_guesses(town: Town) -> None:
    """The cult's, behind its infiltrators.  PER-ORDER-06"""
    guesses(town, "cult")


def mafia_guesses(town: Town) -> None:
    """The mafia's, before its other acts.  PER-ORDER-07"""
    guesses(town, "mafia")


def killers_guesses(town: Town) -> None:
    """The killers', before their attacks.  PER-ORDER-08"""
    guesses(town, "killers")


def right_guess(town: Town, act: Act, side: str) -> bool:
    """Whether the role named is the citizen's current one.  PER-GUESS-08 -13"""
    return act.target is not None and town.state.citizen(act.target) and town.state.role(act.target) == act.role


# Step 5: the mafia


def mafia(town: Town) -> None:
    """The sacrifices of terrorist and yakuza, doctor Lecter.  PER-ORDER-07"""
    for act in town.now("blast"):
        _blast(town, act)
    for act in town.now("yakuza_recruit"):
        _yakuza(town, act)
    for act in town.now("lecter_save"):
        if reaches(town, act) and act.aim is not None and town.state.side(act.aim) == "mafia":
            town.save(act.aim, "lecter", act)


def _blast(town: Town, act: Act) -> None:
    """The terrorist dies, and his target with him unless something stands between.  PER-TERR-05 to -08"""
    if not town.act_on(act):
        return
    add(town, act.actor, "sacrifice", None, "PER-TERR-06", NOBODY)
    arrives = unhindered(town, act) and not act.turned
    assert act.target is not None
    spared = town.state.role(act.target) == "poisoner"  # the others whom he cannot kill are immune by their own roles
    if arrives and not spared and not immune(town, act.target, "blast", act.actor):
        strike(town, act.target, "blast", act.actor, "PER-TERR-05", lifts=MEDICS, act=act)
    elif act.stopped is None:
        act.stopped = "immune"


def _yakuza(town: Town, act: Act) -> None:
    """He dies of it, and a citizen is recruited.  PER-YAK-01 to -11"""
    if not town.act_on(act):
        return
    state, target = town.state, act.target
    assert target is not None
    add(town, act.actor, "sacrifice", None, "PER-YAK-02", NOBODY)
    arrives = unhindered(town, act)
    spared = (
        state.role(target) in ("invulnerable", "samurai", "detective")
        or state.side(target) in ("cult", "minor")
        or state.semi_minor(target)
        or (state.side(target) == "killers" and not state.option("yakuza_recruits_killers"))
    )
    if arrives and state.role(target) == "samurai" and not state.has(target, "powerless"):
        town.struck_samurai.add(target)  # PER-SAM-08
    if arrives and not spared:
        act.value = "success"
    elif act.stopped is None:
        act.stopped = "immune"


# Step 6: killers, then godfather


def killers(town: Town) -> None:
    """Psychopath, then poisoner.  PER-ORDER-08"""
    for act in town.now("infect", "stab", "probe", "poison", "stage", "overdose"):
        _KILLERS[act.id](town, act)


def _ordinary(town: Town, act: Act) -> None:
    """Way 1: the first attack marks, one by the other killer in a later night completes.  PER-KILL-02 -03 -08 -13"""
    if not reaches(town, act) or act.aim is None:
        return
    own = "infected" if act.id == "infect" else "poisoned"
    other = "poisoned" if own == "infected" else "infected"
    if immune(town, act.aim, "double_attack", act.actor):
        act.stopped = "immune"
    elif town.state.has(act.aim, other):  # put on in an earlier night
        act.extra["completes"] = True
        strike(town, act.aim, "double_attack", act.actor, "PER-KILL-02", act=act)
    else:
        act.extra["mark"] = own
        town.marks.append(act)


def _stab(town: Town, act: Act) -> None:
    """Way 2: many stabs, which only the surgeon of a samurai can mend.  PER-KILL-04 -06 -09 -12"""
    if reaches(town, act) and act.aim is not None:
        if immune(town, act.aim, "stab", act.actor):
            act.stopped = "immune"
        else:
            strike(town, act.aim, "stab", act.actor, "PER-KILL-04", lifts=NOBODY, act=act)


def _overdose(town: Town, act: Act) -> None:
    """Way 3: a great deal of poison, of which the target dies after the next night.  PER-KILL-05 -10 -12"""
    if reaches(town, act) and act.aim is not None:
        if immune(town, act.aim, "overdose", act.actor):
            act.stopped = "immune"
        else:
            strike(town, act.aim, "overdose", act.actor, "PER-KILL-05", lifts=SURGEON, act=act)


def _probe(town: Town, act: Act) -> None:
    """Whether the target has one tonight, and whether it is samurai or terrorist.  PER-POIS-01"""
    reached = reaches(town, act) and act.aim is not None
    act.value = "done"
    act.extra["has_target"] = bool(reached and town.has_target(act.aim or ""))
    act.extra["deadly"] = bool(reached and town.state.role(act.aim or "") in ("samurai", "terrorist"))


_KILLERS: Mapping[str, Callable[[Town, Act], None]] = {
    "infect": _ordinary, "poison": _ordinary, "stage": _ordinary, "stab": _stab, "overdose": _overdose, "probe": _probe,
}  # fmt: skip


def godfather(town: Town) -> None:
    """The mafia's kill, by the godfather or his deputy.  PER-GODF-03 to -06, PER-KILL-07"""
    for act in town.now("kill"):
        _kill(town, act, "kill", "PER-GODF-03")


# Step 7: the sorcerer's recruiting


def recruiting(town: Town) -> None:
    """Infiltrators join; the mafia dies of it, and some take the sorcerer along.  PER-SORC-01 to -06 -17 to -19"""
    state = town.state
    for act in town.now("recruit"):
        if not reaches(town, act) or act.aim is None:
            continue
        target, role = act.aim, state.role(act.aim)
        if role == "infiltrator" and state.side(target) == "cult":
            act.value = "success"
        elif role == "samurai" and not state.has(target, "powerless"):
            strike(town, target, "recruit", act.actor, "PER-SAM-04 PER-SORC-06", act=act)
        elif state.side(target) == "mafia" and (role != "godfather" or state.has(target, "powerless")):
            delayed = role == "die_hard" and not state.has(target, "powerless")  # PER-HARD-04
            add(town, target, "recruit", act.actor, "PER-SORC-03", SAVERS, act, delayed=delayed)
            if role in ("prince", "terrorist"):
                add(town, act.actor, "backlash", target, "PER-SORC-04", SAVERS)


# Step 8: the savers


def savers(town: Town) -> None:
    """Doctor and surgeon, who treat and keep from death.  PER-SURG-01, PER-DOC-01"""
    for act in town.now("protect"):
        _protect(town, act)
    for act in town.now("rescue"):
        if reaches(town, act) and act.aim is not None:
            town.save(act.aim, "surgeon", act)


def prices(town: Town) -> None:
    """What savers pay for whom they may not help, whatever steps came behind theirs.  PER-SURG-03, PER-DOC-03 -06"""
    for player, by in town.saved.items():
        for act in by.get("doctor", []):
            if player != act.actor and (cause := _misplaced(town, player)):
                add(town, act.actor, cause, None, "PER-DOC-03 PER-DOC-06", NOBODY)
        for act in by.get("surgeon", []):
            for killer in _completing(town, player):
                add(town, killer, "surgery", act.actor, "PER-SURG-03", NOBODY)
                add(town, act.actor, "surgery", killer, "PER-SURG-03", NOBODY)


def _protect(town: Town, act: Act) -> None:
    others = [target for target in act.targets if target != act.actor]
    if not town.act_on(act):
        return
    helped = [act.actor] if act.actor in act.targets else []
    if others:
        aimed = Act(act.actor, act.action, tuple(others), act.sent, act.source, act.role)
        if reaches(town, aimed) and aimed.aim is not None:
            helped.append(aimed.aim)
        act.plundered, act.turned, act.warded = aimed.plundered, aimed.turned, aimed.warded
        act.stopped = aimed.stopped if not helped else None
    for player in helped:
        town.save(player, "doctor", act)


def _misplaced(town: Town, player: str) -> str | None:
    """Why a doctor dies of having protected `player`: at work as killer, sacrificing, or struck by the sword."""
    if player in town.swords:
        return "sword"
    killing = town.acts("kill", "infect", "stab", "poison", "stage", "overdose")
    at_work = [act for act in killing if act.actor == player and not act.blocked]
    sacrificed = any(one.victim == player and one.cause == "sacrifice" for one in town.strikes)
    if at_work or (sacrificed and town.state.role(player) == "terrorist"):
        return "protection"
    return None


def _completing(town: Town, target: str) -> list[str]:
    return [act.actor for act in town.acts("infect", "poison", "stage") if act.extra.get("completes") and act.aim == target]


STEPS: Mapping[int, list[Step]] = {
    1: [questions, shots],
    2: [negations, disguises],
    3: [tricks, traps, shields],
    4: [infiltrators, cult_guesses],
    5: [mafia_guesses, mafia],
    6: [killers_guesses, killers, godfather],
    7: [recruiting],
    8: [savers],
}
"""The eight steps of the night, by the numbers that `action_order` lists (PER-ORDER-01)."""

GUESSES = (cult_guesses, mafia_guesses, killers_guesses)


def play(town: Town) -> None:
    """The steps in the order of the game, then the roles that have the GM's leave to act last.  PER-ORDER-12 -15 -16"""
    for place, number in enumerate(map(int, town.state.option("action_order")), 1):
        town.place = place
        for step in STEPS[number]:
            step(town)
        if number == 8:
            for role in town.state.option("gm_leave_roles"):
                town.on_leave = role
                for step in (step for steps in STEPS.values() for step in steps if step not in GUESSES):
                    step(town)
            town.on_leave = None
