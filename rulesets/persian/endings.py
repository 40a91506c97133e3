"""Deaths and what follows from them, offices that pass on, and who wins (PER-GODF, PER-WIN, PER-EXEC, PER-LAW)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.choices import Question
from rulesets.persian.cast import OFFICES, roles
from rulesets.persian.disguise import shown as as_shown
from rulesets.persian.work import Town


def dead_of_the_phase(town: Town, shown: Mapping[str, str]) -> list[str]:
    """Carry out the deaths decided: known to the GM and the dead; to all by day, or as `night_deaths` says.  PER-REPORT-17"""
    state = town.state
    by_night = town.kind == "night"
    told = state.option("night_deaths") if by_night and not town.cut_short else "full"
    told = "full" if told == "statements" and not state.option("night_report") else told
    true_roles = {name: state.role(name) for name in town.doomed}
    executed = {name for name, deaths in town.doomed.items() if any(cause == "lynch" for cause, _, _ in deaths)}

    def reveal(player: str) -> dict[str, str]:
        role = shown.get(player, as_shown(state.role(player)))
        return {"role": role, "side": side_shown(town, player, role)}

    dead = town.carry_out_deaths(reveal, seen="public" if told == "full" else "gm")
    for player in dead:
        role = state.shown[player]
        town.notice(player, "killed", "PER-REPORT-17")
        town.notice("gm", "death_record", "PER-REPORT-17", player=player, role=role, true_role=true_roles[player])
        if told == "full":
            town.announce("reveal", _why_shown(town, player in executed), player=player, role=role)
        _legacy(town, player)
    if told == "names" and dead:
        town.announce("night_deaths", "PER-REPORT-17", players=dead)
    return dead


def _why_shown(town: Town, executed: bool) -> str:
    """The clause on what is announced: at an execution, at a death in the night, at another one."""
    if executed:
        return "PER-DISG-01"
    return "PER-DISG-02" if town.kind == "night" and not town.cut_short else "PER-DISG-04"


def side_shown(town: Town, player: str, role: str) -> str:
    """The side that goes with the role announced: that of the clothes, or a prosecutor's own.  PER-DISG-07"""
    if role == town.state.role(player) and player in town.state.side_given:
        return town.state.side_given[player]
    return roles()[role].side


def _legacy(town: Town, player: str) -> None:
    """What a devotee killed by night leaves behind.  PER-DEV-01 -07 -08"""
    if town.kind == "night" and town.state.role(player) == "devotee" and not town.state.has(player, "powerless"):
        town.record("blessing", "PER-DEV-01", saves="one")


def exposed_magic(town: Town) -> None:
    """With the sorcerer's death his magic comes to light.  PER-SORC-13"""
    state = town.state
    gone = any(state.role(name) == "sorcerer" and not state.alive(name) for name in state.game.names)
    if state.bewitched is not None and gone:
        player = state.bewitched
        town.announce("magic_exposed", "PER-SORC-13", player=player, role=as_shown(state.role(player)))
        town.record("exposed", "PER-SORC-13")


def offices(town: Town) -> None:
    """The kill and the recruiting pass on, and the new holder is told.  PER-GODF-06 -08 -10, PER-SORC-06 -07"""
    state = town.state
    for side in OFFICES:
        holder = state.holder(side)
        if holder is not None and holder != state.holders.get(side):
            town.record("holder", "PER-GODF-08", side=side, player=holder)
            town.notice(holder, "deputy", "PER-GODF-10" if side == "mafia" else "PER-SORC-07", action=OFFICES[side][0])


# Victory


def victory(town: Town) -> bool:
    """Who wins, examined when all deaths of the phase are done.  PER-WIN-01, PER-EXEC-08 -09 -15"""
    state = town.state
    executioners = state.with_role("executioner")
    if executioners:
        counted = state.counted()
        if len(counted) < 3:
            return _won_with(town, executioners[0], counted)
        chooses = executioners[0] if len(counted) == 3 else None
        if chooses != state.choosing:
            town.record("choosing", "PER-EXEC-09", player=chooses)
        return False
    if state.choosing is not None:
        town.record("choosing", "PER-EXEC-09", player=None)
    side = winning_side(town)
    if side is None or (side == "innocents" and state.last_guess is not None):
        return False  # PER-GUESS-12
    if side == "lawyer":
        _win(town, [], state.with_role("lawyer"), "PER-LAW-08")
    else:
        _win(town, [side], [], "PER-WIN-02 PER-WIN-03")
    return True


def _won_with(town: Town, executioner: str, counted: list[str]) -> bool:
    """Fewer than three are left: he wins with the other's side.  PER-EXEC-15"""
    others = [name for name in counted if name != executioner]
    group = [side for name in others if (side := side_of_victory(town, name))]
    alone = [] if group else others
    _win(town, group, [executioner, *alone], "PER-EXEC-15")
    return True


def side_of_victory(town: Town, player: str) -> str | None:
    """The group a player wins with; None for one who wins by name."""
    side = town.state.side(player)
    return side if side in ("mafia", "cult", "killers", "innocents") else None


def winning_side(town: Town) -> str | None:
    """The first in the order of PER-WIN-06 whose condition holds."""
    state = town.state
    counted = state.counted()
    sides = [state.side(name) for name in counted]
    total = len(counted)
    for lawyer in state.with_role("lawyer"):
        no_innocents = not any(state.innocent(name) for name in counted)
        if no_innocents or [name for name in counted if name != lawyer][1:] == []:
            return "lawyer"
    if 0 < total <= 4 and "killers" in sides:
        return "killers"
    if total == 3 and sides.count("cult") == 1 and sides.count("innocents") == 2:
        return "cult"
    for side in ("mafia", "cult"):
        if total and 2 * sides.count(side) >= total:
            return side
    if not any(side in ("mafia", "cult", "killers") for side in sides):
        return "innocents"
    return None


def _win(town: Town, sides: list[str], players: list[str], why: str) -> None:
    """The game ends; with the side win those who win along with it, and who has won before.  PER-WIN-08 -09"""
    state = town.state
    along = [name for name in state.game.names if any(_along(town, name, side) for side in sides)]
    named = set(state.personal) | set(players) | set(along) | set(_sheriffs(town))
    town.emit("win", "public", why, sides=sides, players=state.in_seat_order(named))


def _along(town: Town, player: str, side: str) -> bool:
    """Single players who win along with a side.  PER-LAW-07 -09 -10 -11, PER-MARK-04, PER-FUG-06, PER-PROS-04"""
    state = town.state
    guilty = side in ("mafia", "cult", "killers")
    match state.role(player):
        case "lawyer":
            return guilty and (player in state.trick or (state.here(player) and not _too_strong(town, side)))
        case "marksman" | "fugitive":
            return side == "innocents"
        case "public_prosecutor":
            return guilty if state.side(player) == "guilty" else side == "innocents"
    return False


def _too_strong(town: Town, side: str) -> bool:
    """Whether the winners were so many that the lawyer loses: three, or the killers as 2 of 4.  PER-LAW-10 -11"""
    counted = town.state.counted()
    members = sum(town.state.side(name) == side for name in counted)
    return members >= 2 and len(counted) == 4 if side == "killers" else members >= 3


def _sheriffs(town: Town) -> list[str]:
    """Who voted for at least 3 guilty players and at most 1 innocent.  PER-SHER-04 -05"""
    found = []
    for name in town.state.game.names:
        voted = set(town.state.symbolic.get(name, ()))
        guilty = sum(town.state.guilty(one) for one in voted)
        if town.state.role(name) == "sheriff" and guilty >= 3 and sum(town.state.innocent(one) for one in voted) <= 1:
            found.append(name)
    return found


# The executioner among the last three


def executioner_chooses(town: Town) -> bool:
    """He executes one of the two others and wins with the remaining one; all else in the phase is void.  PER-EXEC-07 -09 -10"""
    state = town.state
    executioner = state.choosing
    if executioner is None or executioner not in town.present or executioner in town.removed:
        return False
    others = [name for name in state.counted() if name != executioner]
    act = town.orders.get(executioner, {}).get("execute")
    chosen = act.target if act is not None else None
    if chosen is None:
        question = Question(f"execute:{', '.join(others)}", "execute", tuple(others), None, {"player": executioner})
        chosen = town.ask(question, "PER-EXEC-09")
    if chosen is None:
        return False
    town.cut_short = True
    town.doom(chosen, "execute", "PER-EXEC-07", by=executioner)
    dead_of_the_phase(town, {})
    remaining = [name for name in others if name != chosen]
    group = [side for name in remaining if (side := side_of_victory(town, name))]
    _win(town, group, [executioner, *([] if group else remaining)], "PER-EXEC-07")
    return True


# The mafia's last guess


def last_guess(town: Town, guessing: str | None) -> bool:
    """He who was allowed names every remaining citizen, and all rightly: the mafia wins.  PER-GUESS-11 -12, PER-WIN-07"""
    state = town.state
    if guessing is None:
        return False
    wanted = {name: state.role(name) for name in state.present() if state.citizen(name) and not state.semi_minor(name)}
    named = {act.target: act.role for act in town.guesses if act.actor == guessing}
    town.record("last_guess", "PER-GUESS-12", player=None)
    if wanted and not state.with_role("executioner") and all(named.get(name) == role for name, role in wanted.items()):
        _win(town, ["mafia"], [], "PER-GUESS-11")
        return True
    return False
