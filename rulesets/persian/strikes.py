"""Deaths in the making: who is immune, what a strike at a samurai, terrorist, monk, detective or die-hard leads to (PER-SAVE)."""

from __future__ import annotations

from rulesets.persian.work import SAVERS, Act, Strike, Town

MEDICS = frozenset(("doctor", "surgeon"))
SURGEON = frozenset(("surgeon",))
NOBODY: frozenset[str] = frozenset()
SINGLE_HANDED = ("stab", "overdose")
ESCAPABLE = ("kill", "double_attack", "stab", "overdose")
"""What the detective at work escapes (PER-DET-09)."""


def immune(town: Town, victim: str, cause: str, by: str) -> bool:
    """Whether a strike of that kind does nothing to the victim.  PER-GODF-02 -04 -05, PER-SORC-05, PER-INV-01, PER-LAW-04"""
    state = town.state
    if state.has(victim, "powerless"):
        return cause != "blast" and state.role(victim) == "exorcist" and state.guilty(by)
    match state.role(victim):
        case "invulnerable" | "lawyer" | "godfather" | "sorcerer":
            return True
        case "exorcist":
            return state.guilty(by) and cause != "blast"  # PER-EXOR-05
        case "psychopath" | "poisoner":
            return cause == "kill" and state.side(victim) == "killers" and not together(town)
        case "executioner":
            return state.guilty(by) or cause == "kill"
    return False


def together(town: Town) -> bool:
    """Whether both killers attack tonight, be it in vain; an attack that falls away with its dead killer is none.

    PER-KILL-07 -21
    """
    attackers = {
        act.actor for act in town.acts("infect", "stab", "poison", "stage", "overdose")
        if not (act.fell if act.begun else act.actor in town.dead_already)
    }  # fmt: skip
    return len(attackers) > 1


def strike(
    town: Town, victim: str, cause: str, by: str, why: str, *, lifts: frozenset[str] = SAVERS, act: Act | None = None
) -> None:
    """A deadly act reaches `victim`: what the victim's role makes of it. The caller has asked `immune` already."""
    state = town.state
    role = "" if state.has(victim, "powerless") else state.role(victim)
    if role == "samurai" and cause != "blast":
        _samurai(town, victim, cause, by, why, lifts, act)
    elif role == "terrorist":
        _terrorist(town, victim, cause, by, why, lifts, act)
    elif role == "detective" and cause in ESCAPABLE and _escapes(town, victim):
        return
    elif role == "bulletproof_monk" and victim not in town.unvested:
        town.unvested.add(victim)  # PER-MONK-01 -03 -04
    else:
        delayed = role == "die_hard" or cause == "overdose"  # PER-HARD-01 -04, PER-KILL-05
        add(town, victim, cause, by, why, lifts, act, delayed=delayed)


def add(
    town: Town, victim: str, cause: str, by: str | None, why: str, lifts: frozenset[str], act: Act | None = None, *,
    delayed: bool = False,
) -> None:  # fmt: skip
    """A death is pending; a sure one is in force at once: its victim does nothing more tonight (PER-SAVE-03)."""
    place = act.place if act is not None else town.place
    town.strikes.append(Strike(victim, cause, by, why, lifts, act, delayed, place=place))
    if not lifts and not delayed and not blessed(town, victim, cause):
        town.dead_already.add(victim)


def blessed(town: Town, victim: str, cause: str) -> bool:
    """Whether a devotee executed by day keeps that player alive: no innocent is killed, but by a guess.  PER-DEV-03 -06"""
    return town.state.blessing == "all" and town.state.innocent(victim) and cause != "guess"


def _escapes(town: Town, detective: str) -> bool:
    """Once, while at work, the detective escapes; a second strike of that night finds him.  PER-DET-07 -08 -09"""
    if detective in town.escaped or town.state.has(detective, "escaped") or not town.has_target(detective):
        return False
    town.escaped.add(detective)
    return True


def _samurai(town: Town, samurai: str, cause: str, by: str, why: str, lifts: frozenset[str], act: Act | None) -> None:
    """The first strike weakens, the second kills; the sword strikes the attacker.  PER-SAM-01 to -09, PER-KILL-09 to -11"""
    weak = town.state.has(samurai, "weakened") or samurai in town.struck_samurai
    attacker: str | None = by
    if cause == "double_attack":
        first = town.state.first_marks.get(samurai)
        attacker = next((name for name in town.state.with_role(first or "") if name not in town.dead_already), None)
    if cause in SINGLE_HANDED:
        add(town, samurai, cause, by, "PER-KILL-09 PER-SAM-06 PER-SAM-07", SURGEON, act, delayed=cause == "overdose")
    else:
        town.struck_samurai.add(samurai)
        if weak:
            add(town, samurai, cause, by, f"{why} PER-SAM-04", lifts & MEDICS if lifts else SURGEON, act)
    if attacker is not None and cause in ("kill", "cult_kill", "recruit", "double_attack", *SINGLE_HANDED):
        sword(town, attacker)


def sword(town: Town, attacker: str) -> None:
    """No role is immune to the samurai's sword, and nothing lifts it.  PER-SAM-02 -03"""
    town.swords.add(attacker)
    add(town, attacker, "sword", None, "PER-SAM-02", NOBODY)


def _terrorist(town: Town, victim: str, cause: str, by: str, why: str, lifts: frozenset[str], act: Act | None) -> None:
    """Whoever targets the terrorist to kill him dies with him.  PER-TERR-04 -09 -10 -13, PER-KILL-12 -13"""
    alone = cause in SINGLE_HANDED
    add(town, victim, cause, by, f"{why} PER-TERR-04", NOBODY if alone else lifts, act)
    avenged = cause in ("kill", "cult_kill", "double_attack", *SINGLE_HANDED) or (
        cause == "shot" and town.state.role(by) != "detective"
    )
    if avenged:
        add(town, by, "terrorist", victim, "PER-TERR-04", NOBODY if alone else SAVERS)
