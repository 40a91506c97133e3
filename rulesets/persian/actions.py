"""What may be ordered: the declarations of `actions.toml`, each the source of permission, reading and help text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
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
    roles: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    like: str = ""
    uses: int | str | None = None
    uses_of: Mapping[str, int | str] = field(default_factory=dict)
    only: Mapping[str, str] = field(default_factory=dict)
    counts_as: str = ""
    office: str | None = None
    forecast: bool = False
    blocked: str | None = None
    self: bool = False
    reasons: tuple[str, ...] = ()

    @property
    def ways(self) -> tuple[str, ...]:
        """Its phrases, and each of them with every word that a quotation from the text of the game may follow (PER-GUESS-05)."""
        plain = [phrase for phrase in self.phrases if self.reasons and "{text}" not in phrase]
        cited = [f"{phrase}{mark} {word} {{text}}" for phrase in plain for word in self.reasons for mark in ("", "،")]
        return tuple(dict.fromkeys((*self.phrases, *cited)))

    @property
    def family(self) -> str:
        """What is one action for "one order of each action" (PER-NIGHT-07)."""
        return self.like or self.id

    @property
    def counter(self) -> str:
        """The action that shares its number."""
        return self.counts_as or self.id


@cache
def actions() -> Mapping[str, Action]:
    """All actions, by id."""
    rows = tomllib.loads((Path(__file__).parent / "actions.toml").read_text(encoding="utf-8"))
    return {id_: Action(id=id_, **{key: _frozen(value) for key, value in row.items()}) for id_, row in rows.items()}


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@cache
def wording() -> Mapping[str, Any]:
    """What `words.toml` says."""
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


@cache
def called() -> Mapping[str, str]:
    """What each action is called in Persian where no name follows: «پرسش» of «پرسش از»."""
    words = wording()["actions"]["fa"]
    ezafe = {"جادوی": "جادو", "محاکمهٔ": "محاکمه"}
    return {id_: ezafe.get(name, re.sub(r"( به| از| برای| نزد|:)$", "", name)) for id_, name in words.items()}


@cache
def of_roles(*held: str) -> tuple[str, ...]:
    """The actions that belong to these roles: of two written alike, such as `kill X`, the own one is meant."""
    return tuple(action.id for action in actions().values() if set(action.roles) & set(held))


@cache
def language(*first: str) -> Language:
    """All phrases, those of the actions `first` before the others, and how each is withdrawn; made into patterns once.

    A phrase's id is its action and what its slots hold: `dress player role` and `dress role player` are written otherwise.
    """
    order = [*first, *(id_ for id_ in actions() if id_ not in first)]
    phrases = [
        Phrase(" ".join((id_, *re.findall(r"\{(\w+)", pattern))), pattern) for id_ in order for pattern in actions()[id_].ways
    ]
    for id_ in order:
        phrases += [Phrase(f"withdraw {id_}", back) for back in (f"withdraw {id_}", f"لغو {id_}", f"لغو {called()[id_]}")]
    return Language(tuple(phrases))
