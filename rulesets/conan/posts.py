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
from rulesets.conan.cast import COSTUMED, DISGUISERS, NEVER_SONOKO, Ability, ConState, Group, Role, roles
from rulesets.conan.orders import shown
from rulesets.conan.wording import wording


@cache
def abilities() -> Mapping[str, Mapping[str, Any]]:
    """Each ability and status by its word in the table of roles: name, text, and how it is ordered."""
    rows = tomllib.loads((Path(__file__).parent / "abilities.toml").read_text(encoding="utf-8"))
    return {
        word: {**row, "write": [shown(actions()[id_].phrases[0]) for id_ in row["write"]]} for word, row in rows.items()
    }  # fmt: skip


@cache
def sheets(without: Sequence[str] = ()) -> Mapping[str, Mapping[str, Any]]:
    """The table of roles as posts show it, without some of the abilities."""
    return {role.id: _sheet(role, without) for role in roles().values()}


def _sheet(role: Role, without: Sequence[str]) -> Mapping[str, Any]:
    kinds = {kind: [_alternatives(group) for group in _left(role.sheet[kind], without)] for kind in ("prep", "night", "day")}
    words = {
        kind: [ability.word for group in _left(groups, without) for one in group for ability in one]
        for kind, groups in role.sheet.items()
    }  # fmt: skip
    told = [word for own in words.values() for word in own]
    passive = [word for word in role.passive if word not in without]
    return {
        "name": role.name, "title": role.title, "side": role.side, "group": role.group, **kinds, "passive": passive,
        "status": [word for word in role.status.split(";") if word in abilities()], "interrogation": role.interrogation,
        "scent": role.scent, "gender": role.gender, "age": role.age, "masked": role.id in (*DISGUISERS, *COSTUMED),
        "items": list(role.items), "notes": role.notes, "words": words,
        "abilities": [word for word in dict.fromkeys((*told, *passive)) if word in abilities()],
    }  # fmt: skip


def _left(groups: Sequence[Group], without: Sequence[str]) -> list[Group]:
    """What is left of a sheet without these abilities."""
    left = [tuple(one for one in group if not any(ability.word in without for ability in one)) for group in groups]
    return [group for group in left if group]


def _alternatives(group: Group) -> str:
    """`Investigate (3) or Steal`, `Erase and Sabotage, or Discombobulate`."""
    named = [" and ".join(_named(one) for one in together) for together in group]
    return (", or " if any(len(together) > 1 for together in group) else " or ").join(named)


def _named(ability: Ability) -> str:
    limit = str(ability.count) if ability.count > 1 else wording()["words"].get(ability.among, "")
    name = wording()["words"].get(ability.word) or str(abilities()[ability.word]["name"])
    return f"{name} ({limit})" if limit else name


class ConanPosts(Posts):
    """What the templates of the Conan game are given."""

    votes_in_report = True

    def facts(self, state: State) -> Mapping[str, Any]:
        """The table of roles and the abilities: all of it stands in the rules for everyone to read."""
        words = wording()
        told = {word: words[word] for word in ("does", "did", "done_to", "reasons")} | {"crime_words": words["crimes"]}
        texts = {word: {**row, "text": row["text"].format(**state.game.options)} for word, row in abilities().items()}
        return {"sheets": sheets(), "friend_sheets": sheets(NEVER_SONOKO), "abilities": texts, **told}

    def living(self, state: State) -> tuple[str, ...] | None:
        """The living by the names their seats go by now, unless that told whose body was erased.  CON-INACT-03, CON-ERASE-05"""
        assert isinstance(state, ConState)
        if state.unnamed_dead:
            return None
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
