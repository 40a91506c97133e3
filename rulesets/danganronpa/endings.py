"""What a phase leads to: murders, traces, deaths and revivals, victory, and what opens next (DAN-EFF, DAN-WIN, DAN-PHASE)."""

from __future__ import annotations

from typing import Any

from engine.state import Deed
from rulesets.danganronpa.cast import SULKING
from rulesets.danganronpa.effects import targeted
from rulesets.danganronpa.talents import Ability
from rulesets.danganronpa.work import Act, School


def murders(school: School) -> None:
    """A murder that stands kills its final target, whoever led it there.  DAN-EFF-14 -17"""
    for act in school.standing("murder"):
        if act.spot is not None and school.acting(act.spot):
            school.doom(act.spot, act.action, "DAN-EFF-17", by=act.actor)
    for holder, ability, act in targeted(school, "murder", "unblockable", _reaching):
        if school.acting(act.actor):
            school.doom(act.actor, ability.id, "DAN-FMT-12", by=holder)


def _reaching(ability: Ability, act: Act) -> bool:
    return ability.reaches(act.group)


def blackenings(school: School) -> None:
    """Whoever is newly blackened is told at once, once.  DAN-TEAM-04 -05 -06"""
    struck = [act.spot for act in school.standing("blacken")]
    struck += [act.actor for _, _, act in targeted(school, "blacken", "unblockable", _reaching)]
    for player in school.state.in_seat_order([name for name in struck if name is not None]):
        if player not in school.removed and not school.state.has(player, "blackened"):
            school.condition(player, "blackened", "DAN-TEAM-04")
            school.notice(player, "blackened", "DAN-TEAM-04")


def record(school: School) -> None:
    """Every act ends in exactly one fate, which the GM's record keeps; a cancelled one uses up nothing.  DAN-EFF-03"""
    for act in sorted(school.acts, key=lambda act: act.sent):
        with school.about(act.source or ""):
            school.emit(
                "deed", "gm", "DAN-EFF-03", actor=act.actor, action=act.action, group=act.group, targets=list(act.targets),
                final=list(act.final), fate=act.fate, place=school.state.place(act.actor),
                spent=act.ability is not None and not act.cancelled,
            )  # fmt: skip


def learning(school: School) -> None:
    """Facts about the target itself, true at the end of the phase.  DAN-FMT-09, DAN-EFF-06 -21"""
    for act in [act for act in school.acts if act.does("learn") and not act.cancelled]:
        assert act.ability is not None
        _learn(school, act.actor, act.ability, act.spot if act.stands else None, act.targets[0] if act.targets else act.actor)
    for holder, ability, act in targeted(school, "learn", "unblockable", _reaching):
        _learn(school, holder, ability, act.actor, act.actor)


def _learn(school: School, to: str, ability: Ability, about: str | None, named: str) -> None:
    student = None if about in school.removed else school.state.cast.students.get(about or "")
    if student is None:
        school.result(to, ability.id, "nothing", "DAN-EFF-06", target=named)
        return
    facts: dict[str, dict[str, Any]] = {
        "team": {"team": student.team},
        "talent": {"talents": [student.told_talent]},
        "blackened": {"blackened": school.state.has(student.name, "blackened")},
    }
    for kind in ability.learns:
        school.result(to, ability.id, kind, "DAN-FMT-09", target=named, **facts[kind])


def tracing(school: School) -> None:
    """What actions took place, after all else is settled.  DAN-EFF-05 -06 -07 -08 -21, DAN-FMT-08"""
    for act in [act for act in school.acts if act.does("trace") and not act.cancelled]:
        assert act.ability is not None
        deeds = _traced(school, act.actor, act.ability, act.spot, act) if act.stands else []
        _tell_trace(school, act.actor, act.ability, act.targets[0] if act.targets else act.actor, deeds)
    for holder, ability, act in targeted(school, "trace", "unblockable", _reaching):
        _tell_trace(school, holder, ability, act.actor, [d for d in _this_phase(school) if d is _deed_of(school, act)])


def _this_phase(school: School) -> list[Deed]:
    return [deed for deed in school.state.deeds if deed.phase == school.name]


def _deed_of(school: School, act: Act) -> Deed | None:
    acts = sorted(school.acts, key=lambda one: one.sent)
    return dict(zip(acts, _this_phase(school), strict=True)).get(act)


def _traced(school: School, tracer: str, ability: Ability, about: str | None, own: Act) -> list[Deed]:
    phase = school.name if ability.from_ == "this_phase" else school.state.last_phase
    tracing_deed = _deed_of(school, own)
    if about in school.removed:
        return []  # DAN-PHASE-13: what is aimed at the removed has no effect
    found = []
    for deed in school.state.deeds:
        if deed.phase != phase or deed.fate == "cancelled" or not ability.reaches(deed.group) or deed is tracing_deed:
            continue
        if (ability.of == "actor" and deed.actor == about) or (
            ability.of == "target" and deed.final and deed.final[0] == about and deed.actor != tracer
        ):
            found.append(deed)
    return found


def _tell_trace(school: School, to: str, ability: Ability, named: str, deeds: list[Deed]) -> None:
    if not deeds:
        school.result(to, ability.id, "nothing", "DAN-FMT-08 DAN-EFF-06", target=named)
        return
    state = school.state
    actors = state.in_seat_order([deed.actor for deed in deeds])
    aims = list(dict.fromkeys(deed.final[0] for deed in deeds if deed.final))
    players = state.in_seat_order(aims)
    places = list(dict.fromkeys(str(deed.more["place"]) for deed in deeds if deed.more["place"] not in (SULKING, None)))
    facts: dict[str, dict[str, Any] | None] = {
        "targets": {"targets": players + [aim for aim in aims if aim not in players]},
        "actors": {"actors": actors},
        "action": {"actions": list(dict.fromkeys(deed.action for deed in deeds))},
        "location": {"location": places[0] if len(places) == 1 else places} if places else None,
        "talent": {"talents": [state.cast.students[name].told_talent for name in actors]},
    }
    for kind in ability.learns:
        fact = facts[kind]
        if fact is None:
            school.result(to, ability.id, "nothing", "DAN-FMT-08", target=named)
        else:
            school.result(to, ability.id, kind, "DAN-FMT-08", target=named, **fact)


def deaths_and_revivals(school: School) -> None:
    """All deaths of the phase together, then the revivals.  DAN-PHASE-07 -09 -10 -11, DAN-EFF-18 -19, DAN-VOTE-12"""
    returning = []
    for act in school.standing("revive"):
        dead = act.spot is not None and act.spot in school.state.conditions and not school.state.alive(act.spot)
        if dead and act.spot not in school.state.not_revivable and act.spot not in returning:
            returning.append(act.spot)
    executed = next((name for name, marks in school.doomed.items() if any(cause == "lynch" for cause, _, _ in marks)), None)
    secret = ("by", "cause")
    rest = {name: marks for name, marks in school.doomed.items() if name != executed}
    if executed is not None:
        marks = school.doomed[executed]
        school.doomed = {executed: marks}
        school.carry_out_deaths(school.state.reveal, secret=("by",) if len(marks) == 1 else secret)
        school.announce("reveal", "DAN-VOTE-12", player=executed, **school.state.reveal(executed))
    school.doomed = rest
    school.carry_out_deaths(lambda player: None, secret=secret)
    for player in school.removed:
        school.announce("reveal", "DAN-PHASE-13", player=player, **school.state.reveal(player))
    for player in school.state.in_seat_order([name for name in returning if name is not None]):
        school.announce("revived", "DAN-EFF-18", player=player)


def victory(school: School) -> bool:
    """Judge the game once, after all that the phase brought; True where it is over.  DAN-WIN-01 to -12"""
    side = school.cut_short or _winning_team(school)
    greys = [student for student in school.state.cast.students.values() if student.team == "grey"]
    content = [student.name for student in greys if _grey_wins(school, student.name, side)]
    ends = any(student.talents[-1].ends_game and student.name in content for student in greys)
    if side is None and not ends:
        return False
    cast = [
        {"player": name, **school.state.reveal(name), "blackened": school.state.has(name, "blackened")}
        for name in school.state.game.names
    ]
    why = "DAN-WIN-08 DAN-WIN-09" if school.cut_short else "DAN-WIN-08 DAN-WIN-10"
    school.emit("win", "public", why, sides=[side] if side else [], players=content, cast=cast)
    return True


def _winning_team(school: School) -> str | None:
    """Black before White; shares are of the living.  DAN-WIN-01 to -07"""
    state = school.state
    living = state.living()
    black = [name for name in living if state.team(name) == "black"]
    blackened = [name for name in living if state.has(name, "blackened")]
    if living and (2 * len(black) >= len(living) or 3 * len(blackened) >= 2 * len(living)):
        return "black"
    return None if black else "white"


def _grey_wins(school: School, player: str, side: str | None) -> bool:
    """Whether all conditions of a Grey talent hold.  DAN-WIN-10, DAN-FMT-13, DAN-SET-09"""
    state = school.state
    holds = {
        "survive": state.alive(player),
        "dead": not state.alive(player),
        "executed": player in state.executed,
        "blackened": state.has(player, "blackened"),
        "with_white": side == "white",
        "with_black": side == "black",
    }
    return all(holds[condition] for condition in state.cast.students[player].talents[-1].victory)


def reveals(school: School) -> None:
    """As a trial opens, the dead not yet revealed are.  DAN-PHASE-06 -08 -11"""
    for player in school.state.in_seat_order(school.state.unrevealed):
        school.announce("reveal", "DAN-PHASE-08", player=player, **school.state.reveal(player))


def deadchat(school: School, *, over: bool) -> None:
    """Invite the dead, when the option says.  DAN-CHAT-01 -04"""
    when = school.state.game.options["deadchat"]
    dead = [name for name in school.state.game.names if school.state.has(name, "dead")]
    members = dead if over or when == "at_death" else [name for name in dead if name not in school.state.unrevealed]
    if when == "game_end" and not over:
        return
    for name in members:
        if name not in school.state.deadchat:
            school.notice(name, "deadchat", "DAN-CHAT-01 DAN-CHAT-04", players=members)
