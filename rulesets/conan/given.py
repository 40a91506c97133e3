"""The values of a set-up, read one by one; whatever is wrong is refused with its place and the nearest right spelling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.game import SetupRefused, nearest
from rulesets.conan.cast import ConState, roles

Path = tuple[str | int, ...]
_PHASE = re.compile(r"prep|(?:night|day) [1-9]\d{0,3}")


def role_given(given: object, path: Path) -> str:
    """A role's id."""
    if not isinstance(given, str) or given not in roles():
        raise SetupRefused(f"unknown role `{given}`", path, nearest(given, list(roles())))
    return given


def roles_given(given: Any, path: Path) -> list[str]:
    """A role's id, or a list of them."""
    return [role_given(one, (*path, number)) for number, one in enumerate(given if isinstance(given, list) else [given])]


def player_given(state: ConState, name: object, path: Path) -> str:
    """A player's name; one that is a number may stand without quotes."""
    if isinstance(name, (list, Mapping)):
        raise SetupRefused(f"`{path[-1]}` names one player, not `{name}`", path)
    if str(name) not in state.role_of:
        raise SetupRefused(f"unknown player `{name}`", path, nearest(name, list(state.role_of)))
    return str(name)


def map_given(state: ConState, given: Any, path: Path) -> list[tuple[str, Any]]:
    """What a map says of each player."""
    if not isinstance(given, Mapping):
        raise SetupRefused(f"`{path[-1]}` maps players to values", path)
    return [(player_given(state, name, (*path, str(name))), value) for name, value in given.items()]


def row_of(given: Any, path: Path, known: tuple[str, ...], needed: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """A map with keys of `known`, the needed ones among them."""
    if not isinstance(given, Mapping):
        raise SetupRefused(f"a map with {', '.join(known)} is needed here, not `{given}`", path)
    for word in given:
        if word not in known:
            raise SetupRefused(f"unknown key `{word}`", (*path, str(word)), nearest(word, known))
    for word in needed:
        if given.get(word) is None:
            raise SetupRefused(f"`{word}` is missing", path)
    return given


def listed(given: Any, path: Path) -> list[Any]:
    """A list."""
    if not isinstance(given, list):
        raise SetupRefused(f"`{path[-1]}` is a list", path)
    return given


def number_given(given: Any, path: Path) -> int:
    """A whole number from 0."""
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise SetupRefused(f"`{path[-1]}` is a whole number, not `{given}`", path)
    return given


def phase_given(given: Any, path: Path) -> str:
    """A phase's label, as the game writes it."""
    label = " ".join(str(given).lower().split())
    if not _PHASE.fullmatch(label):
        number = next(iter(re.findall(r"[1-9]\d{0,3}", label)), "1")
        known = ["prep", f"night {number}", f"day {number}"]
        raise SetupRefused(f"unknown phase `{given}`; phases are called prep, night 1, day 1", path, nearest(label, known))
    return label
