"""What stands between an act and its target: guard, trap, protector, trick, plunderer, executioner (PER-NIGHT-15)."""

from __future__ import annotations

from rulesets.persian.strikes import add
from rulesets.persian.work import SAVERS, Act, Town

EXEMPT_FROM_TRAPS = ("lecter_save", "cast")
CLOTHES = ("dress", "special_dress")
"""What no trick turns back on the tailor (PER-MAGI-04)."""
NO_GUILTY_ACT = ("guard", "trap", "shield", "guess", "find_sorcerer")
SENSELESS = (
    "yakuza_recruit", "recruit", "possess", "imprison", "prince_poison", "question", "question_shoot", "cast", "probe", "hide",
)  # fmt: skip
"""What makes no sense on oneself and comes to nothing when turned back (PER-MAGI-05)."""


def guilty_act(town: Town, act: Act) -> bool:
    """A night order of mafia, cult or killers that guard, trap and protector stand against.  PER-GUARD-08"""
    return town.state.guilty(act.actor) and act.id not in (*NO_GUILTY_ACT, "recruit") and not act.action.forecast


def reaches(town: Town, act: Act) -> bool:
    """Whether an act reaches its target; what stops it takes note of it."""
    return town.act_on(act) and unhindered(town, act)


def unhindered(town: Town, act: Act) -> bool:
    """Whether nothing stands between an act and its target. Traps, shields and tricks are there from step 3 on (PER-ORDER-02)."""
    target = act.target
    if target is None:
        return True
    if target in town.removed and act.id not in ("question", "question_shoot"):
        act.stopped = "removed"  # whom the GM has removed is out at once
        return False
    if guilty_act(town, act):
        _warded(town, act)
        _trapped(town, act)
        _shielded(town, act)
    if act.stopped is None and target in town.conjuring and target != act.actor and act.id not in CLOTHES:
        _turned(town, act)
    if act.stopped is None:
        _plundered(town, act)
    if act.stopped is None and act.aim is not None and _left_alone(town, act, act.aim):
        act.stopped = "executioner"
    return act.stands


def in_vain(town: Town, act: Act) -> bool:
    """Whether the role of its target alone makes an act of step 2 come to nothing.  PER-PLUN-01 -06, PER-EXEC-11"""
    return act.aim is not None and (_plunders(town, act.aim) or _left_alone(town, act, act.aim))


def _plunders(town: Town, target: str) -> bool:
    return town.state.role(target) == "plunderer" and not town.state.has(target, "powerless")


def _left_alone(town: Town, act: Act, target: str) -> bool:
    """Nothing happens when a guilty role targets the executioner.  PER-EXEC-11"""
    alone = town.state.role(target) == "executioner" and not town.state.has(target, "powerless")
    return alone and town.state.guilty(act.actor)


def _warded(town: Town, act: Act) -> None:
    if act.target in town.guarded:
        act.warded = True  # PER-GUARD-01 -03
        act.stopped = "guard"


def _trapped(town: Town, act: Act) -> None:
    """A trap catches the guilty; of one that the godfather meets the mafia hears, be his kill void or not.  PER-HUNT-02"""
    if act.target not in town.trapped or act.id in EXEMPT_FROM_TRAPS:
        return
    if act.id != "kill":
        caught_by_trap(town, act)
        return
    if town.state.option("nothing_happens") == "void":
        act.stopped = act.stopped or "trap"
    for name in town.state.team("mafia"):
        town.notice(name, "trap", "PER-HUNT-02", target=act.target)


def caught_by_trap(town: Town, act: Act) -> bool:
    """A guilty act at an innocent in a trap fails, and one more of its author's quota burns.  PER-HUNT-03 -06"""
    target = act.target or ""
    if not town.state.innocent(target) or town.state.role(act.actor) in ("godfather", "sorcerer"):
        return False
    act.stopped = act.stopped or "trap"
    for trap in town.trapped[target]:
        caught = town.caught.setdefault(trap.actor, [])
        if act.actor not in caught:
            caught.append(act.actor)
    burn_one_more(town, act)
    return True


def burn_one_more(town: Town, act: Act) -> None:
    """One more of the attacker's quota burns; without a number, the use of the next night.  PER-HUNT-03 -04"""
    if town.left(act.actor, act.action) is None:
        town.record("burnt", "PER-HUNT-04", player=act.actor, action=act.action.family, night=town.number + 1)
    else:
        town.emit("spend", "gm", "PER-HUNT-03", player=act.actor, ability=act.id)


def _shielded(town: Town, act: Act) -> None:
    """Every guilty player who targets the ward dies, and the act fails.  PER-PROT-01 -02 -03"""
    if act.target not in town.shielded or act.id in EXEMPT_FROM_TRAPS:
        return
    if town.state.option("protector_shields"):
        act.stopped = act.stopped or "shield"
    struck_by_shield(town, act, town.shielded[act.target][0])


def struck_by_shield(town: Town, act: Act, shield: Act) -> None:
    """The attacker dies, unless he cannot be killed."""
    struck = any(one.victim == act.actor and one.cause == "shield" for one in town.strikes)
    spared = town.state.role(act.actor) in ("godfather", "sorcerer") and not town.state.has(act.actor, "powerless")
    if not spared and not struck:
        add(town, act.actor, "shield", shield.actor, "PER-PROT-01", SAVERS)


def _turned(town: Town, act: Act) -> None:
    """A conjuring magician turns the act back on its author; the godfather and the sorcerer find nothing.  PER-MAGI-03 -05 -07"""
    if act.id in ("kill", *SENSELESS):
        act.stopped = "trick"
    else:
        act.turned = True


def _plundered(town: Town, act: Act) -> None:
    """Nothing happens, and the actor's orders of the next night come to nothing.  PER-PLUN-01 -02 -08"""
    state, target = town.state, act.aim
    if target is None or not _plunders(town, target) or target == act.actor:
        return
    if act.id == "kill":
        act.stopped = "plunderer"
        town.to_plain.append(target)
        for name in state.team("mafia"):
            town.notice(name, "plunderer_exposed", "PER-PLUN-02", player=target)
    elif act.id not in ("question_shoot",) and not (act.id == "question" and "detective" in state.abilities(act.actor)):
        act.stopped = "plunderer"
        act.plundered = target
