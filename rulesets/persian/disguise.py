"""Which role is announced (PER-DISG)."""

from __future__ import annotations

from rulesets.persian.work import Town


def shown(role: str) -> str:
    """A devotee is announced as a plain innocent, whatever put the word there.  PER-DISG-03 -08"""
    return "innocent" if role == "devotee" else role


def played(town: Town, player: str, *, own_only: bool) -> str | None:
    """The role that the actor has given the player for this phase.  PER-ACTOR-01 -02"""
    kept = town.state.played.get(player)
    if kept is None or str(town.label) not in kept[1] or (own_only and not kept[2]):
        return None
    return kept[0]


def announced_at_night(town: Town, victim: str, cause: str, staged: bool) -> str:
    """Staging, the prince's poison, a role taken over, the actor's own, clothes of that night, the truth.  PER-DISG-02"""
    state = town.state
    clothes = town.clothes.get(victim, {}).get("ordinary")
    return shown(
        (staged and "poisoner")
        or (cause == "prince_poison" and "prince")
        or state.taken.get(victim)
        or played(town, victim, own_only=True)
        or (clothes and clothes.role)
        or state.role(victim)
    )


def announced_at_execution(town: Town, player: str, magic: bool, swapped: bool, disguised: str | None) -> str:
    """Magic, swap or own disguise, a role taken over, the actor's, clothes of last night, the truth.  PER-DISG-01"""
    state = town.state
    worn = state.dressed.get(player, {})
    return shown(
        (magic and "sorcerer")
        or (swapped and "psychopath")
        or disguised
        or state.taken.get(player)
        or played(town, player, own_only=False)
        or worn.get("special")
        or worn.get("ordinary")
        or state.role(player)
    )
