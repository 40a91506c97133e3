"""Scenario files read into records; every mistake is an error with its file, its line and the nearest right spelling.

The form is that of the document on scenario files. Players' names are taken as written, whatever YAML would make of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from engine.game import SetupRefused
from engine.inputs import Edit
from engine.ruleset import Ruleset, load
from rehearsal.expect import Expect, Known, read_expect
from rehearsal.tree import Item, grow

TOP_KEYS = ("ruleset", "title", "covers", "options", "seed", "players", "setup", "start", "refused", "phases")
PHASE_KEYS = ("phase", "ends", "posts", "votes", "orders", "gm", "pins", "expect")
POST_KEYS = ("by", "text", "at", "edited", "deleted")
_REPLACE = re.compile(r"replace (.+?) (?:by|with) (.+)", re.IGNORECASE)
_CLAUSE = re.compile(r"`([A-Z]{3}(?:-[A-Z0-9]+)+-\d+[a-z]?)`")


@dataclass(frozen=True, slots=True)
class Written:
    """A post, vote or order of a scenario. `at` is in UTC; None where the file names no time."""

    by: str
    text: str
    line: int
    at: datetime | None = None
    edit: Edit | None = None
    deleted: datetime | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """One phase of a scenario: what comes in, and what must come of it."""

    label: str | None
    line: int
    ends: datetime | None
    posts: tuple[Written, ...]
    votes: tuple[Written, ...]
    orders: tuple[Written, ...]
    commands: tuple[str, ...]
    pins: Mapping[str, Any]
    expect: Expect


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario file. `tree` knows the lines; `refused` is the text with which the set-up must be refused, if it must."""

    file: str
    ruleset: Ruleset
    title: str
    covers: tuple[str, ...]
    options: Mapping[str, Any]
    seed: int
    players: Mapping[str, Any]
    later_names: Mapping[str, str]
    """The name of each player who takes over a seat in the course of it → the seat's first name."""
    setup: Mapping[str, Any]
    start: str | None
    refused: str | None
    phases: tuple[Script, ...]
    tree: Item


def read(path: Path, find: Callable[[str], Ruleset] = load) -> Scenario:
    """The scenario in the file. Raises BadInput for anything that is wrong with it.

    What only the ruleset can judge (roles, options, set-up) is left to it: see `rehearsal.run`.
    """
    tree = grow(path)
    top = tree.fields(TOP_KEYS, needed=("ruleset", "players"))
    try:
        ruleset = find(top["ruleset"].text())
    except SetupRefused as error:
        raise top["ruleset"].wrong(str(error)) from None
    players = {name: _player(item) for name, item in top["players"].entries()}
    later = _later_names(top.get("phases"), players) if "replace" in ruleset.facts.get("commands", {}) else {}
    refused = top["refused"].text() if "refused" in top else None
    if (refused is None) == ("phases" not in top):
        raise tree.wrong("a scenario needs either `phases`, or `refused` where the set-up itself must be refused")
    return Scenario(
        file=str(path),
        ruleset=ruleset,
        title=top["title"].text() if "title" in top else "",
        covers=_covers(top.get("covers"), ruleset),
        options=_plain_map(top.get("options"), ()),
        seed=top["seed"].number() if "seed" in top else 0,
        players=players,
        later_names=later,
        setup=_plain_map(top.get("setup"), players),
        start=top["start"].text() if "start" in top else None,
        refused=refused,
        phases=tuple(_scripts(top["phases"], (*players, *later), ruleset)) if "phases" in top else (),
        tree=tree,
    )


def _later_names(phases: Item | None, players: Collection[str]) -> dict[str, str]:
    """Who takes over whose seat by a `replace` command of the file."""
    seats = {name.casefold(): name for name in players}
    later: dict[str, str] = {}
    for phase in _listed(phases):
        for command in [] if phase.is_null else _listed(phase.fields(PHASE_KEYS).get("gm")):
            found = _REPLACE.fullmatch(" ".join(_command(command).split()))
            if found is not None and (seat := seats.get(found[1].casefold())) is not None:
                later[found[2]] = seats[found[2].casefold()] = seat
    return {name: seat for name, seat in later.items() if name not in players}


def _player(item: Item) -> Any:
    if not item.is_map:
        return item.text()
    return {key: _about_player(key, value) for key, value in item.entries()}


def _about_player(key: str, item: Item) -> Any:
    if key == "aliases" and item.is_list:
        return [alias.text() for alias in item.items()]
    return item.text() if key == "role" else item.plain()


def _plain_map(item: Item | None, names: Collection[str]) -> Mapping[str, Any]:
    if item is None or item.is_null:
        return {}
    return {key: value.plain(names) for key, value in item.entries()}


def _covers(item: Item | None, ruleset: Ruleset) -> tuple[str, ...]:
    if item is None:
        return ()
    known = _clauses(ruleset.folder)
    for one in item.items():
        if known and one.text() not in known:
            raise one.unknown("clause", one.text(), known)
    return tuple(one.text() for one in item.items())


@cache
def _clauses(folder: Path) -> frozenset[str]:
    """The ids of all clauses that the ruleset's own documents define."""
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("clauses*.md")]
    return frozenset(id_ for text in texts for id_ in _CLAUSE.findall(text))


def _scripts(item: Item, players: Collection[str], ruleset: Ruleset) -> list[Script]:
    parts = [(phase, phase.fields(PHASE_KEYS)) for phase in item.items() if not phase.is_null]
    writers = {
        post.fields(POST_KEYS)["by"].text()
        for _, keys in parts
        for post in _listed(keys.get("posts"))
        if "by" in post.fields(POST_KEYS)
    }
    known = Known.of(ruleset, players, writers)
    return [_script(phase, keys, players, known) for phase, keys in parts]


def _script(phase: Item, keys: Mapping[str, Item], players: Collection[str], known: Known) -> Script:
    return Script(
        label=keys["phase"].text() if "phase" in keys else None,
        line=keys["phase"].line if "phase" in keys else phase.line,
        ends=keys["ends"].moment() if "ends" in keys else None,
        posts=tuple(_post(post) for post in _listed(keys.get("posts"))),
        votes=tuple(_votes(keys.get("votes"), players)),
        orders=tuple(_orders(keys.get("orders"), players)),
        commands=tuple(_command(one) for one in _listed(keys.get("gm"))),
        pins={name: _pin(item, players) for name, item in _entries(keys.get("pins"))},
        expect=read_expect(keys.get("expect"), known),
    )


def _listed(item: Item | None) -> list[Item]:
    return [] if item is None or item.is_null else item.items()


def _entries(item: Item | None) -> list[tuple[str, Item]]:
    return [] if item is None or item.is_null else list(item.entries())


def _post(item: Item) -> Written:
    keys = item.fields(POST_KEYS, needed=("by", "text"))
    edit = None
    if "edited" in keys:
        edited = keys["edited"].fields(("at", "text"), needed=("text",))
        edit = Edit(edited["text"].text(), edited["at"].moment() if "at" in edited else None)
    return Written(
        by=keys["by"].text(),
        text=keys["text"].text(),
        line=item.line,
        at=keys["at"].moment() if "at" in keys else None,
        edit=edit,
        deleted=keys["deleted"].moment() if "deleted" in keys else None,
    )


def _votes(item: Item | None, players: Collection[str]) -> list[Written]:
    found = []
    for voter, targets in _entries(item):
        if voter not in players:
            raise targets.unknown("player", voter, players)
        found += [Written(voter, target.text(), target.line) for target in targets.one_or_more()]
    return found


def _orders(item: Item | None, players: Collection[str]) -> list[Written]:
    found = []
    for player, orders in _entries(item):
        if player not in players:
            raise orders.unknown("player", player, players)
        for order in orders.one_or_more():
            if not order.is_map:
                found.append(Written(player, order.text(), order.line))
                continue
            keys = order.fields(("text", "at"), needed=("text",))
            at = keys["at"].moment() if "at" in keys else None
            found.append(Written(player, keys["text"].text(), order.line, at))
    return found


def _command(item: Item) -> str:
    """A GM command. `order X: kill Y` without quotes is a map to YAML, and is taken as it was meant."""
    if not item.is_map:
        return item.text()
    entries = list(item.entries())
    if len(entries) != 1:
        raise item.wrong(f"{item.what} must be one command")
    return f"{entries[0][0]}: {entries[0][1].text()}"


def _pin(item: Item, players: Collection[str]) -> Any:
    """The value of a draw: a player, a word or number, or a list or map of such where that is what is drawn."""
    if item.is_list or item.is_map:
        return item.plain()
    word = item.word()
    if word.text in players:
        return word.text
    return word.text.lower() if isinstance(word.value, bool) else word.value


