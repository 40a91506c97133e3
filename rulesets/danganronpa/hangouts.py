"""Hangout plans and the groups they make (DAN-HANG)."""

from __future__ import annotations

from rulesets.danganronpa.cast import PLACES, SULKING
from rulesets.danganronpa.reading import INVALID
from rulesets.danganronpa.work import School

Plan = str | None
"""A place, a player to follow, `sulking`, `invalid`, or None where nothing was declared."""


def plans(school: School, declared: dict[str, str]) -> dict[str, Plan]:
    """What each living student means to do. A plan that was cancelled or blocked is as if not made; a redirected one leads on."""
    made: dict[str, Plan] = {name: declared.get(name) for name in school.state.living()}
    for act in school.of_group("hangout"):
        if act.actor in made:
            made[act.actor] = None if not act.stands else act.final[0] if act.final else made[act.actor]
    return made


def groups(school: School, declared: dict[str, str]) -> None:
    """Form and publish the groups of the daily life that opens next.  DAN-HANG-05 to -16 -20 -21"""
    state = school.state
    made = plans(school, declared)
    where: dict[str, str] = {name: _leads_to(school, made, name) for name in made}
    for place in PLACES:
        there = [name for name, spot in where.items() if spot == place]
        if len(there) == 1:
            where[there[0]] = SULKING  # DAN-HANG-11: alone in their place
    for name in state.game.names:
        for word in (*(f"at_{place}" for place in PLACES), SULKING):
            wanted = name in where and word == (SULKING if where[name] == SULKING else f"at_{where[name]}")
            school.condition(name, word, "DAN-HANG-20", on=wanted, seen="public")
    for place in PLACES:
        there = state.in_seat_order([name for name, spot in where.items() if spot == place])
        if there:
            school.announce("hangout", "DAN-HANG-16", location=place, players=there)
    sulking = state.in_seat_order([name for name, spot in where.items() if spot == SULKING])
    if sulking:
        school.announce("sulking", "DAN-HANG-16", players=sulking)


def _leads_to(school: School, made: dict[str, Plan], name: str) -> str:
    """Where a student ends up: through a chain of followings to a place, to sulking, or round a ring.  DAN-HANG-05 -06 -14 -15"""
    path: list[str] = []
    current = name
    while True:
        if current in path:
            if school.state.game.options["following_cycle"] == "previous":
                return _previous(school, name if name in path[path.index(current) :] else current)
            return SULKING
        path.append(current)
        plan = made.get(current, INVALID)  # DAN-HANG-10: one who is dead when the groups are formed
        if plan is None:
            return _previous(school, current)
        if plan in (SULKING, INVALID):
            return SULKING
        if plan in PLACES:
            return plan
        current = plan


def _previous(school: School, name: str) -> str:
    """The place of the last daily life, else sulking or a place drawn.  DAN-HANG-07 -08"""
    place = school.state.place(name)
    if place in PLACES:
        return str(place)
    if school.state.game.options["no_previous_hangout"] == "random":
        if name not in school.drawn_places:
            school.drawn_places[name] = str(school.draw(f"place:{name}", list(PLACES), "DAN-HANG-08"))
        return school.drawn_places[name]
    return SULKING
