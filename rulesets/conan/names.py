"""The names of replaced players in events: the state keeps each seat's first name, events tell the newest (CON-INACT-03)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

FIELDS = frozenset((
    "to", "player", "players", "target", "targets", "final", "actor", "by", "receiver", "victim", "friend", "pair", "pairs",
    "also", "actions", "votes", "published", "held", "ticket", "owner", "officer", "doer", "leader",
))  # fmt: skip
"""The fields that hold players, at any depth."""
OF_ROLES = ("disguise", "detect", "research")
"""Deeds whose object is a role or an ability."""
DRAWN = ("friend", "lovers", "fbi_result", "protector", "inactive")
"""Draws of players."""
Renaming = Callable[[str], str]


def renamed(kind: str, data: Mapping[str, Any], name: Renaming) -> dict[str, Any]:
    """The fields of an event with every player in them called otherwise."""
    changed = {key: _anywhere(value, name) if key in FIELDS else value for key, value in data.items()}
    if "object" in data and data.get("deed") not in OF_ROLES:
        changed["object"] = _anywhere(data["object"], name)
    if "cast" in data:
        changed["cast"] = [{**one, "player": name(one["player"])} for one in data["cast"]]
    if kind == "draw":
        draw, dot, whose = str(data["name"]).partition(".")
        changed["name"] = draw + dot + (name(whose) if whose else "")
        if draw in DRAWN:
            changed |= {key: _anywhere(data[key], name) for key in ("among", "chosen")}
    elif kind == "ask" and ":" in str(data.get("key", "")):
        asked, _, whose = data["key"].partition(":")
        changed["key"] = f"{asked}:{name(whose)}"
    elif kind == "deed" and "question" in data:
        changed["question"] = "\x1f".join(
            "\x1e".join(map(name, part.split("\x1e"))) if place in (0, 2) else part
            for place, part in enumerate(data["question"].split("\x1f"))
        )
    return changed


def _anywhere(value: Any, name: Renaming) -> Any:
    if isinstance(value, str):
        return name(value)
    if isinstance(value, Mapping):
        return {_anywhere(key, name): _anywhere(inner, name) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_anywhere(inner, name) for inner in value]
    return value
