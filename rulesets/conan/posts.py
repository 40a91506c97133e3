"""What the posts of a Conan game show: the table of roles, the abilities in words, the public side of a phase (CON-GEN-03)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from engine.events import Event
from engine.posts import Language, Posts
from engine.state import State
from rulesets.conan.actions import actions
from rulesets.conan.cast import Group, Role, roles
from rulesets.conan.orders import shown


@cache
def wording() -> Mapping[str, Mapping[str, str]]:
    """The words of `words.toml`: of ids, of deeds, of crimes, and of the reasons why an order is not entered (CON-GEN-13)."""
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


@cache
def abilities() -> Mapping[str, Mapping[str, Any]]:
    """Each ability and status by its word in the table of roles: name, text, and how it is ordered."""
    rows = tomllib.loads((Path(__file__).parent / "abilities.toml").read_text(encoding="utf-8"))
    return {
        word: {**row, "write": [shown(actions()[id_].phrases[0]) for id_ in row["write"]]} for word, row in rows.items()
    }  # fmt: skip


@cache
def sheets() -> Mapping[str, Mapping[str, Any]]:
    """The table of roles as posts show it."""
    return {role.id: _sheet(role) for role in roles().values()}


def _sheet(role: Role) -> Mapping[str, Any]:
    kinds = {kind: [_alternatives(group) for group in role.sheet[kind]] for kind in ("prep", "night", "day")}
    told = [ability.word for groups in role.sheet.values() for group in groups for one in group for ability in one]
    return {
        "name": role.name, "title": role.title, "side": role.side, "group": role.group, **kinds, "passive": list(role.passive),
        "status": role.status if role.status in abilities() else "", "interrogation": role.interrogation,
        "items": list(role.items), "notes": role.notes,
        "abilities": [word for word in dict.fromkeys((*told, *role.passive)) if word in abilities()],
    }  # fmt: skip


def _alternatives(group: Group) -> str:
    """`Investigate (3) or Steal`, `Erase and Sabotage or Discombobulate`."""
    named = [
        " and ".join(abilities()[one.word]["name"] + (f" ({one.count})" if one.count > 1 else "") for one in together)
        for together in group
    ]
    return " or ".join(named)


class ConanPosts(Posts):
    """What the templates of the Conan game are given."""

    votes_in_report = True

    def facts(self, state: State) -> Mapping[str, Any]:
        """The table of roles and the abilities: all of it stands in the rules for everyone to read."""
        words = wording()
        told = {"does": words["does"], "crime_words": words["crimes"], "reasons": words["reasons"]}
        return {"sheets": sheets(), "abilities": abilities(), **told}

    def living(self, state: State) -> tuple[str, ...] | None:
        """The living by the names their seats go by now (CON-INACT-03)."""
        return tuple(map(state.called, state.living()))

    def words(self, state: State, language: Language) -> Mapping[str, str]:
        """The names of roles and abilities, and what else has a word of its own."""
        own = {word: row["name"] for word, row in abilities().items()}
        return {**{role.id: role.name for role in roles().values()}, **own, **wording()["words"]}

    def report(self, events: Sequence[Event]) -> Mapping[str, Any]:
        """The lynched apart from the other dead, and the votes as they are shown.  CON-VOTE-04 -06 -12, CON-GEN-15"""
        lynch = next((event for event in reversed(events) if event.kind == "lynch"), None)
        lynched = None if lynch is None else lynch["player"]
        tally = next((event for event in reversed(events) if event.kind == "tally"), None)
        return {
            "voted": lynch is not None,
            "lynched": lynched,
            "shown_votes": None if tally is None else {"published": tally["published"], "votes": tally["votes"]},
            "lynch_death": next((event for event in events if event.kind == "death" and event["player"] == lynched), None),
            "deaths": [event for event in events if event.kind == "death" and event["player"] != lynched],
        }
