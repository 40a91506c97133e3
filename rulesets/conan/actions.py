"""What may be ordered: the declarations of `actions.toml`, each the source of permission, reading and help text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from parser.orders import Language, Phrase


@dataclass(frozen=True, slots=True)
class Action:
    """One action. See the head of `actions.toml` for what each key means."""

    id: str
    phrases: tuple[str, ...]
    when: tuple[str, ...]
    row: str = ""
    open: str | None = None
    keyword: str | None = None
    crime: str | None = None
    cover: bool = False
    stop: str = ""
    aim: str = "player"
    only: str = ""

    @property
    def ability(self) -> str:
        """Its word in the table of roles."""
        return self.row or self.id


@cache
def actions() -> Mapping[str, Action]:
    """All actions, by id."""
    rows = tomllib.loads((Path(__file__).parent / "actions.toml").read_text(encoding="utf-8"))
    return {id_: Action(id=id_, **{key: _frozen(value) for key, value in row.items()}) for id_, row in rows.items()}


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


DISGUISE = "disguise"
"""What nobody orders for a night but wears in it: it can be investigated (CON-KEY-04), and so researched."""
_SLOT = re.compile(r"\{([\w.]+)\}")
_ELSE = ", else {player}"
_OR_ELSE = (" (or) else {player}", ", or else {player}", ", otherwise {player}", " otherwise {player}")
"""Other ways to say it; they come behind all phrases, so that a name with such words in it is still read whole."""


@cache
def language() -> Language:
    """All phrases, and how an order is withdrawn. A phrase's id is its action and what its slots hold."""
    phrases = [
        Phrase(" ".join((action.id, *re.findall(r"\{(\w+)", pattern))), pattern)
        for action in actions().values()
        for pattern in action.phrases
    ]
    phrases += [
        Phrase(one.id, one.pattern.removesuffix(_ELSE) + way)
        for one in phrases if one.pattern.endswith(_ELSE) for way in _OR_ELSE
    ]  # fmt: skip
    aimed = [(words, id_) for words, id_ in _heads() if any(_SLOT.findall(one) == ["player"] for one in actions()[id_].phrases)]
    phrases += [Phrase(f"{id_} player", f"use (my) {words} on {{player}}") for words, id_ in aimed]
    phrases += [Phrase(f"{id_} player", f"{words} on {{player}}") for words, id_ in aimed]
    silent = ("no_action", "abstain")  # of these only the plain word: `cancel no vote` says nothing
    taken_back = [(words, id_) for words, id_ in _heads() if id_ not in silent or words == actions()[id_].phrases[0]]
    phrases += [Phrase(f"cancel {id_}", f"{verb} (my) {words}") for words, id_ in taken_back for verb in ("cancel", "withdraw")]
    return Language((*phrases, Phrase("more question", "{question}"), Phrase("more past", "{past}")))


def _heads() -> list[tuple[str, str]]:
    """What the phrases of each action begin with, and its id: `kill`, `stake out`, `voice of reason`."""
    found = {action.id: action.id for action in actions().values()}
    for action in actions().values():
        for pattern in action.phrases:
            words = re.sub(r"\([^()]*\)\s?", "", pattern).partition("{")[0].strip(" :(")
            found.setdefault(re.sub(r" (?:to|for|from|on|of|as)$", "", words), action.id)
    return [(words, id_) for words, id_ in found.items() if words]


@cache
def abilities_by_word() -> Mapping[str, str]:
    """Every way to name an ability → its id: `heal`, `first aid`, `stake-out` (CON-RES-02)."""
    words = {re.sub(r"[\W_]+", "", id_): id_ for id_ in actions()}
    own = {"observe": "observe_age", "trick": "discombobulate", "pinch": "face_pinch", "stakeout": "stake_out"}
    return {**words, **own, DISGUISE: DISGUISE}
