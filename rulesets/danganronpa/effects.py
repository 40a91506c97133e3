"""Cancel, redirect, block and protect: what actions do to actions, in this order (DAN-EFF, DAN-TAL-09)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.interference import rings, stopped
from rulesets.danganronpa.talents import Ability
from rulesets.danganronpa.work import Act, School


def reached(school: School, act: Act, flag: str) -> list[Act]:
    """The actions that a cancel, block or redirect of that act reaches: all those of its target that it may touch.

    DAN-FMT-07, DAN-EFF-15. The act itself is never among them, nor is what has been cancelled (DAN-EFF-01).
    """
    assert act.ability is not None
    return [
        other
        for other in school.acts
        if other.actor == act.spot and other is not act and not other.cancelled
        if act.ability.reaches(other.group) and not other.ignores(flag, school.granted(other.actor))
    ]


def targeted(
    school: School,
    primitive: str,
    flag: str,
    fits: Callable[[Ability, Act], bool] = lambda ability, act: True,
    triggers: Sequence[str] = ("targeted",),
) -> Iterator[tuple[str, Ability, Act]]:
    """What passives act on that are triggered by being targeted: each matching action that stands, while uses last.

    DAN-FMT-12. In the order sent. The caller changes the act; the use is spent when it asks for the next one.
    """
    for holder, ability in [one for trigger in triggers for one in school.passives(primitive, trigger)]:
        for act in sorted(school.acts, key=lambda act: act.sent):
            if school.uses_left(holder, ability) == 0:
                break
            if act.stands and act.aim == holder and (act.actor != holder or act.does("murder")) and fits(ability, act):
                if act.ignores(flag, school.granted(act.actor)):
                    continue
                yield holder, ability, act
                if ability.uses is not None:
                    school.emit("spend", "gm", "DAN-FMT-12", player=holder, ability=ability.id)


def reaching(ability: Ability, act: Act) -> bool:
    """Whether a passive reaches that kind of action (DAN-FMT-07); a redirect has acted by then (DAN-EFF-10)."""
    return ability.reaches(act.group) and not act.does("redirect")


def cancels(school: School) -> None:
    """Cancelled actions do not occur, and their players are told.  DAN-EFF-01 -02 -09"""
    stops = {act: reached(school, act, "uncancellable") for act in school.acts if act.does("cancel")}
    by_passive: set[Act] = set()

    def still_stands(ability: Ability, act: Act) -> bool:
        return ability.reaches(act.group) and act not in by_passive and act not in stopped(stops)

    for _, _, act in targeted(school, "cancel", "uncancellable", still_stands):
        by_passive.add(act)
        stops.pop(act, None)
    down = (stopped(stops) | by_passive) & set(school.acts)
    for act in school.acts:
        if act in down:
            cancel(school, act, "DAN-EFF-02")


def cancel(school: School, act: Act, why: str) -> None:
    """One action does not occur; whoever meant it is told which.  DAN-EFF-01 -02"""
    act.cancelled = True
    school.notice(act.actor, "action_cancelled", why, action=act.action)


def redirects(school: School) -> None:
    """Redirects change targets, the outermost of a chain first; those in a ring act as written.  DAN-EFF-04 -10 -11"""
    waiting = [act for act in school.acts if act.stands and act.does("redirect")]
    changes: dict[Act, Act] = {}

    def touches(act: Act) -> list[Act]:
        return [other for other in reached(school, act, "unredirectable") if other.final]

    def carry_out(acts: list[Act]) -> None:
        for act in acts:
            waiting.remove(act)
        for act in acts:
            for other in touches(act):
                if other in acts or (other.does("redirect") and other not in waiting):
                    continue
                if other not in changes or changes[other].sent < act.sent:
                    changes[other] = act
                    other.final[0] = act.final[1]

    while waiting:
        over = {act: [other for other in touches(act) if other in waiting] for act in waiting}
        under = {other for targets in over.values() for other in targets}
        outermost = [act for act in waiting if act not in under]
        carry_out(outermost or sorted(rings(over), key=lambda act: act.sent))
    for holder, ability, act in targeted(school, "redirect", "unredirectable", reaching):
        act.final[0] = act.actor if ability.to == "actor" else holder


def blocks(school: School) -> None:
    """Blocked actions have no effect but can be traced; a redirect is past being blocked.  DAN-EFF-05 -10 -12"""
    stops = {
        act: [other for other in reached(school, act, "unblockable") if not other.does("redirect")]
        for act in school.acts
        if act.stands and act.does("block")
    }
    for act in stopped(stops) & set(school.acts):
        act.blocked = not act.cancelled
    for _, _, act in targeted(school, "block", "unblockable", reaching):
        act.blocked = True


def protections(school: School) -> None:
    """Protection blocks every murder that finally aims at the protected.  DAN-EFF-16, DAN-SET-03"""
    safe = {act.spot for act in school.standing("protect")}
    for murder in school.standing("murder"):
        if murder.spot in safe and not murder.ignores("unblockable", school.granted(murder.actor)):
            murder.blocked = True
    for _, _, act in targeted(school, "protect", "unblockable", _murder, ("targeted", "always")):
        act.blocked = True


def _murder(ability: Ability, act: Act) -> bool:
    return act.does("murder")
