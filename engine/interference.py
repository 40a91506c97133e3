"""What acts do to acts: which of them stand when some stop others.

One rule for chains and rings, used wherever a ruleset says "the outermost counts first": an act that nobody stops stands
and stops its targets; what is stopped stops nobody; acts that stop each other in a ring are all stopped.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def stopped(stops: Mapping[Thing, Iterable[Thing]]) -> set[Thing]:
    """The things that end up stopped, given which things each would stop.

    A chain is settled from its outer end: if A stops B and B stops C, then B is stopped and C stands. What is left when
    nothing can be settled any more are rings and what hangs on them. The members of a ring are all stopped, and being
    stopped they stop nobody outside it. Does not depend on the order in which anything was entered.
    """
    stoppers: dict[Thing, set[Thing]] = {thing: set() for thing in stops}
    for thing, targets in stops.items():
        for target in targets:
            stoppers.setdefault(target, set()).add(thing)
    standing: set[Thing] = set()
    down: set[Thing] = set()

    def settle() -> None:
        moved = True
        while moved:
            moved = False
            for thing, by in stoppers.items():
                if thing in standing or thing in down:
                    continue
                if by & standing:
                    down.add(thing)
                elif by <= down:
                    standing.add(thing)
                else:
                    continue
                moved = True

    settle()
    while undecided := {thing for thing in stoppers if thing not in standing and thing not in down}:
        down |= rings({thing: [t for t in stops.get(thing, ()) if t in undecided] for thing in undecided})
        settle()
    return down


def rings(stops: Mapping[Thing, Iterable[Thing]]) -> set[Thing]:
    """The things that stand in the outermost rings: those that reach each other in a circle and that nothing else reaches."""
    above: dict[Thing, set[Thing]] = {thing: set() for thing in stops}
    for thing, targets in stops.items():
        for target in targets:
            above.setdefault(target, set()).add(thing)

    def upstream(thing: Thing) -> frozenset[Thing]:
        seen: set[Thing] = set()
        waiting = [thing]
        while waiting:
            for by in above[waiting.pop()]:
                if by not in seen:
                    seen.add(by)
                    waiting.append(by)
        return frozenset(seen)

    reach = {thing: upstream(thing) for thing in above}
    return {thing for thing in above if thing in reach[thing] and all(thing in reach[by] for by in reach[thing])}
