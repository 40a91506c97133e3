"""What was done before the first phase played, as `setup.history` tells it (Glossary, "setup keys")."""

from __future__ import annotations

from typing import Any

from engine.game import SetupRefused, nearest
from engine.state import Deed
from rulesets.conan.actions import Action, actions
from rulesets.conan.cast import ConState, index
from rulesets.conan.given import Path, listed, phase_given, player_given, role_given, row_of

KEYS = ("by", "action", "target", "phase", "via")
WAYS = ("fake", "frame", "cover", "backup", "bowtie", "suitcase", "disguise", "friendship", "inactive")
"""What `via` may be: the deeds that did not really happen, and the ways to an ability that is not one's own."""
_OF_ROLES = ("disguise", "detect")
_DISGUISE = "temporary_disguise"


def history(state: ConState, given: Any, path: Path) -> None:
    """Each row as a deed in the record. Raises SetupRefused for whatever no game can have come to."""
    for number, row in enumerate(listed(given, path)):
        deed = _past(state, row, (*path, number))
        state.deeds.append(deed)
        _once_only(state, deed)
    state.erased_in_cycle |= _erasers_of_this_cycle(state)


def _past(state: ConState, given: Any, path: Path) -> Deed:
    row = row_of(given, path, KEYS, needed=("by", "action", "phase"))
    action = str(row["action"])
    declared = actions().get(_DISGUISE if action == "disguise" else action)
    if declared is None:
        raise SetupRefused(f"unknown action `{action}`", (*path, "action"), nearest(action, [*actions(), "disguise"]))
    by = player_given(state, row["by"], (*path, "by"))
    phase = phase_given(row["phase"], (*path, "phase"))
    if index(phase) > index(state.first_played):
        raise SetupRefused(f"{phase} comes after {state.first_played}, the first phase played", (*path, "phase"))
    if declared.id != _DISGUISE and phase.split()[0] not in declared.when:
        raise SetupRefused(f"`{action}` is no action of {phase}, but of {' or '.join(declared.when)}", (*path, "phase"))
    via = row.get("via")
    if via is not None and via not in WAYS:
        raise SetupRefused(f"unknown way `{via}`", (*path, "via"), nearest(via, WAYS))
    if action == "travel" and by not in state.tickets and by not in state.friend:
        raise SetupRefused(f"{by} cannot have travelled (CON-TRAVEL-14)", (*path, "by"))
    targets, role = _aim(state, action, declared, row.get("target"), path)
    return deed_of_history(by, action, targets, role, phase, via)


def _aim(state: ConState, action: str, declared: Action, target: Any, path: Path) -> tuple[tuple[str, ...], str | None]:
    """Who was the target, or which role was worn or looked for."""
    if target is None:
        if declared.aim in ("player", "role"):
            wanted = "a role" if action in _OF_ROLES else "a player"
            raise SetupRefused(f"`{action}` needs a `target`, {wanted}", path)
        return (), None
    if action in _OF_ROLES:
        return (), role_given(target, (*path, "target"))
    return (player_given(state, target, (*path, "target")),), None


def deed_of_history(by: str, action: str, targets: tuple[str, ...], role: str | None, phase: str, via: Any) -> Deed:
    """A past action as a deed in the record."""
    declared = actions()[_DISGUISE if action == "disguise" else action]
    unlike = {"disguise": "disguise", "sleeping_pill": "drug", "friendship": "befriend"}
    keyword = unlike.get(action) or declared.keyword or action
    crime = "disguise" if action == "disguise" else declared.crime
    more = {"crime": None if via == "fake" else crime, "via": via, "role": role}
    return Deed(by, action, keyword, targets, targets, "done", phase, more)


def _once_only(state: ConState, deed: Deed) -> None:
    """What a past action has used up."""
    if deed.action in ("lawsuit", "voice_of_reason"):
        state.no_more.add((deed.actor, deed.action))
    elif deed.action == "bribe":
        state.bribe_used = True
    elif deed.action == "detain":
        state.last_detained[deed.actor] = deed.targets[0]


def _erasers_of_this_cycle(state: ConState) -> set[str]:
    """Who has used up the cycle's erasure: of another member's victim, or any by backup.  CON-ERASE-02, CON-BACKUP-08"""
    kills = {(deed.phase, deed.targets): deed.actor for _, deed in state.done(keyword="kill")}
    erased = [(deed, kills.get((deed.phase, deed.targets))) for _, deed in state.done(action="erase")]
    return {
        deed.actor for deed, killer in erased
        if killer in state.killed_in_cycle and (killer != deed.actor or deed.more.get("via") == "backup")
    }  # fmt: skip
