"""What detective and police are told (PER-DET, PER-POL, PER-KILL-18 to -21, PER-TAILOR-10 -11, PER-ACTOR-05)."""

from __future__ import annotations

from rulesets.persian.cast import roles
from rulesets.persian.strikes import together
from rulesets.persian.work import Town

UNKNOWN_TO_POLICE = ("godfather", "prince", "tailor")
IMMUNE_TO_QUESTIONS = ("godfather", "sorcerer")
"""By an ability of theirs, which they lose with the feature of the role (PER-GODF-01, PER-SORC-16, PER-SIDE-07)."""


def detective(town: Town, target: str, *, success: bool) -> str:
    """The truth, but for godfather and sorcerer, and the killers' special cases. `success`: they kill somebody tonight."""
    state = town.state
    role, side = state.role(target), state.side(target)
    if state.has(target, "recruited"):
        return "guilty"  # PER-YAK-08
    if role in IMMUNE_TO_QUESTIONS and not state.has(target, "powerless"):
        return "innocent"
    if side == "killers":
        before = state.killers_successes > 0 or state.option("killers_question_first_kill") == "guilty"
        return "guilty" if success and before else "innocent"
    return "guilty" if side in ("mafia", "cult", "guilty") else "innocent"


def police(town: Town, target: str) -> str:
    """What the police hears: a role that is played, then special clothes, then the role itself."""
    state = town.state
    played = state.played.get(target)
    if played is not None and str(town.label) in played[1]:
        return _as(played[0])
    tonight = next((act for act in town.acts("play", "cast") if act.stands and target in (act.targets or (act.actor,))), None)
    if tonight is not None and tonight.role is not None:
        return _as(tonight.role)  # PER-ACTOR-08
    worn = town.clothes.get(target, {}).get("special")
    if worn is not None and worn.role is not None and roles()[worn.role].side not in ("mafia", "cult", "killers"):
        return "executioner" if worn.role == "executioner" else "innocent"  # PER-TAILOR-11 -14
    if state.has(target, "recruited"):
        return "guilty"
    role, side = state.role(target), state.side(target)
    if role in IMMUNE_TO_QUESTIONS:
        return "guilty" if state.has(target, "powerless") else "innocent"
    if side == "killers":
        return "guilty" if together(town) else "innocent"
    return "guilty" if side == "guilty" else _as(role)


def _as(role: str) -> str:
    """What a role by itself gives.  PER-POL-02 -03 -05"""
    if role in ("executioner", "joker"):
        return role
    mafia = roles()[role].side == "mafia" and role not in UNKNOWN_TO_POLICE
    return "guilty" if mafia or role == "infiltrator" else "innocent"
