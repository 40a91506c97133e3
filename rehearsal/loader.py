"""Scenario files: read, checked word by word, with the line of every mistake (the format: docs/scenarios.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml
from dateutil.parser import isoparse

from engine.game import Game, SetupRefused, nearest
from engine.inputs import Edit, OrderInput, PostInput
from engine.ruleset import Ruleset, load
from scraper.model import BadInput

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

TOP_KEYS = ("ruleset", "title", "covers", "options", "seed", "players", "setup", "start", "refused", "phases")
PHASE_KEYS = ("phase", "ends", "posts", "votes", "orders", "gm", "pins", "expect")
EXPECT_KEYS = (
    "deaths", "causes", "conditions", "not_conditions", "lynched", "tally", "final_tally", "results", "notices", "announces",
    "asks", "events", "absent", "one_of", "winner",
)  # fmt: skip
_CLAUSE = re.compile(r"^- `([A-Z]+(?:-[A-Z0-9]+)+-\d+[a-z]?)`", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScenarioPhase:
    """One entry of `phases`. `label` and `expect` are as written; `path` leads to it in the file."""

    label: str | None
    ends: datetime | None
    posts: tuple[PostInput, ...]
    orders: tuple[OrderInput, ...]
    commands: tuple[str, ...]
    pins: Mapping[str, Any]
    expect: Mapping[str, Any]
    path: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario ready to be played. Where the set-up is refused, `game` is None and `refusal` says why."""

    file: Path
    ruleset: Ruleset
    title: str
    game: Game | None
    phases: tuple[ScenarioPhase, ...]
    refused: str | None = None
    refusal: str | None = None
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict)

    def wrong(self, path: tuple[str | int, ...], message: str, near: str | None = None) -> BadInput:
        """The error for a mistake at `path`: file, line, what is wrong, the nearest right spelling."""
        return _wrong(self.file, self.lines, path, message, near)


def _wrong(
    file: Path, lines: Mapping[tuple[str | int, ...], int], path: tuple[str | int, ...], message: str, near: str | None = None
) -> BadInput:
    while path and path not in lines:
        path = path[:-1]
    hint = f" (did you mean `{near}`?)" if near else ""
    return BadInput(f"{file}:{lines.get(path, 1)}: {message}{hint}")


class _Tree:
    """A YAML file as plain values, with the line of each, and keys kept as written (a player may be called `No`)."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lines: dict[tuple[str | int, ...], int] = {}
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{file}: cannot be read: {error}") from error
        try:
            self.loader = Loader(text)
            node = self.loader.get_single_node()
            self.value = self._value(node, ()) if node is not None else {}
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = f":{mark.line + 1}" if mark else ""
            raise BadInput(f"{file}{line}: this is not YAML: {getattr(error, 'problem', error)}") from error
        except RecursionError as error:
            raise BadInput(f"{file}: nested too deep") from error

    def _value(self, node: Any, path: tuple[str | int, ...]) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            found: dict[str, Any] = {}
            for key_node, value_node in node.value:
                if not isinstance(key_node, yaml.ScalarNode):
                    raise _wrong(self.file, self.lines, path, "a key must be a word")
                key = key_node.value
                self.lines[*path, key] = key_node.start_mark.line + 1
                if key in found:
                    raise _wrong(self.file, self.lines, (*path, key), f"the key `{key}` stands here twice")
                found[key] = self._value(value_node, (*path, key))
            return found
        if isinstance(node, yaml.SequenceNode):
            return [self._value(child, (*path, number)) for number, child in enumerate(node.value)]
        names = node.tag == "tag:yaml.org,2002:bool" and node.value.lower() not in ("true", "false")
        if names or (node.tag == "tag:yaml.org,2002:null" and node.value not in ("", "~", "null")):
            return node.value
        if isinstance(node.value, str) and node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
            plain = re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", node.value)
            return node.value if plain is None else (float(node.value) if plain[2] else int(node.value))
        try:
            return self.loader.construct_object(node)
        except (yaml.YAMLError, ValueError):
            return node.value

    def wrong(self, path: tuple[str | int, ...], message: str, near: str | None = None) -> BadInput:
        return _wrong(self.file, self.lines, path, message, near)

    def keys(self, given: Any, known: Sequence[str], path: tuple[str | int, ...], what: str) -> Mapping[str, Any]:
        """`given` as a map that has none but `known` keys."""
        if given is None:
            return {}
        if not isinstance(given, dict):
            raise self.wrong(path, f"{what} must be a map with keys such as {', '.join(known[:3])}")
        for key in given:
            if key not in known:
                raise self.wrong((*path, key), f"unknown key `{key}` in {what}", nearest(key, list(known)))
        return given

    def items(self, given: Any, path: tuple[str | int, ...], what: str) -> list[Any]:
        """`given` as a list; nothing is an empty one."""
        if given is None:
            return []
        if not isinstance(given, list):
            raise self.wrong(path, f"{what} must be a list")
        return given

    def time(self, given: Any, path: tuple[str | int, ...]) -> datetime | None:
        """An ISO time as UTC; one without a zone is UTC."""
        if given is None:
            return None
        if isinstance(given, date) and not isinstance(given, datetime):
            given = given.isoformat()
        try:
            moment = given if isinstance(given, datetime) else isoparse(str(given))
        except ValueError as error:
            raise self.wrong(path, f"`{given}` is not an ISO time such as 2026-11-29T20:00:00Z") from error
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def read_scenario(file: Path) -> Scenario:
    """The scenario in `file`. Raises BadInput with file, line and the nearest right spelling."""
    tree = _Tree(file)
    top = tree.keys(tree.value, TOP_KEYS, (), "the scenario")
    for needed in ("ruleset", "players"):
        if needed not in top:
            raise tree.wrong((), f"the scenario needs `{needed}`")
    try:
        ruleset = load(str(top["ruleset"]))
    except SetupRefused as error:
        raise tree.wrong(error.path, str(error)) from error
    _check_covers(tree, ruleset, top.get("covers"))
    if not isinstance(top["players"], dict):
        raise tree.wrong(("players",), "`players` maps each name to a role")
    seed = top.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise tree.wrong(("seed",), "`seed` is a whole number")
    refused = top.get("refused")
    game, refusal = None, None
    try:
        game = ruleset.game(
            top["players"], options=_map(tree, top, "options"), setup=_map(tree, top, "setup"),
            seed=str(seed), start=None if top.get("start") is None else str(top["start"]),
        )  # fmt: skip
        ruleset.first_label(game)
        ruleset.begin(game)
    except SetupRefused as error:
        if refused is None:
            raise tree.wrong(error.path, str(error)) from error
        game, refusal = None, str(error)
    phases = ()
    if game is not None:
        rows = tree.items(top.get("phases"), ("phases",), "`phases`")
        phases = tuple(_phase(tree, ruleset, game, row, ("phases", number)) for number, row in enumerate(rows))
    said = None if refused is None else str(refused)
    return Scenario(file, ruleset, str(top.get("title", file.stem)), game, phases, said, refusal, tree.lines)


def _map(tree: _Tree, top: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    given = top.get(key)
    if given is not None and not isinstance(given, dict):
        raise tree.wrong((key,), f"`{key}` must be a map")
    return given or {}


def _check_covers(tree: _Tree, ruleset: Ruleset, covers: Any) -> None:
    known = set(_CLAUSE.findall((ruleset.folder / "clauses.md").read_text(encoding="utf-8")))
    for number, clause in enumerate(tree.items(covers, ("covers",), "`covers`")):
        if clause not in known:
            near = next(iter(_close(str(clause), known)), None)
            raise tree.wrong(("covers", number), f"unknown clause `{clause}`", near)


def _close(word: str, known: set[str]) -> Iterator[str]:
    from difflib import get_close_matches

    yield from get_close_matches(word, list(known), n=1, cutoff=0.5)


def _phase(tree: _Tree, ruleset: Ruleset, game: Game, row: Any, path: tuple[str | int, ...]) -> ScenarioPhase:
    given = tree.keys(row, PHASE_KEYS, path, "a phase")
    expect = tree.keys(given.get("expect"), EXPECT_KEYS, (*path, "expect"), "`expect`")
    posts = [
        _post(tree, one, (*path, "posts", number))
        for number, one in enumerate(tree.items(given.get("posts"), (*path, "posts"), "`posts`"))
    ]
    for voter, targets in _by_player(tree, game, given.get("votes"), (*path, "votes")):
        for number, target in enumerate(targets):
            posts.append(PostInput(f"vote of {voter} {number + 1}", voter, ruleset.vote_post(str(target))))
    orders = [
        _order(tree, player, number, one, (*path, "orders", player))
        for player, written in _by_player(tree, game, given.get("orders"), (*path, "orders"))
        for number, one in enumerate(written)
    ]
    commands = tree.items(given.get("gm"), (*path, "gm"), "`gm`")
    pins = given.get("pins") or {}
    if not isinstance(pins, dict):
        raise tree.wrong((*path, "pins"), "`pins` maps draws to values")
    for name in pins:
        near = ruleset.check_draw(game, name)
        if near is not None:
            raise tree.wrong((*path, "pins", name), f"unknown draw `{name}`", near or None)
    ends = tree.time(given.get("ends"), (*path, "ends"))
    label = None if given.get("phase") is None else str(given["phase"])
    return ScenarioPhase(label, ends, tuple(posts), tuple(orders), tuple(map(str, commands)), pins, expect, path)


def _post(tree: _Tree, row: Any, path: tuple[str | int, ...]) -> PostInput:
    given = tree.keys(row, ("by", "text", "at", "edited", "deleted"), path, "a post")
    for needed in ("by", "text"):
        if needed not in given:
            raise tree.wrong(path, f"a post needs `{needed}`")
    edits: tuple[Edit, ...] = ()
    if given.get("edited") is not None:
        rows = given["edited"] if isinstance(given["edited"], list) else [given["edited"]]
        edits = tuple(_edit(tree, one, (*path, "edited")) for one in rows)
    deleted = given.get("deleted") not in (None, False)
    at = tree.time(given.get("at"), (*path, "at"))
    return PostInput(f"post {path[-1]}", str(given["by"]), str(given["text"]), at, edits, deleted)


def _edit(tree: _Tree, row: Any, path: tuple[str | int, ...]) -> Edit:
    given = tree.keys(row, ("at", "text"), path, "an edit")
    if "text" not in given:
        raise tree.wrong(path, "an edit needs `text`")
    return Edit(str(given["text"]), tree.time(given.get("at"), (*path, "at")))


def _order(tree: _Tree, player: str, number: int, row: Any, path: tuple[str | int, ...]) -> OrderInput:
    id_ = f"order of {player} {number + 1}"
    if not isinstance(row, dict):
        return OrderInput(id_, player, str(row))
    given = tree.keys(row, ("text", "at"), path, "an order")
    if "text" not in given:
        raise tree.wrong(path, "an order needs `text`")
    return OrderInput(id_, player, str(given["text"]), tree.time(given.get("at"), path))


def _by_player(tree: _Tree, game: Game, given: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str, list[Any]]]:
    if given is None:
        return
    if not isinstance(given, dict):
        raise tree.wrong(path, f"`{path[-1]}` maps players to what they send")
    for name, sent in given.items():
        if name not in game.names:
            raise tree.wrong((*path, name), f"unknown player `{name}`", nearest(name, game.names))
        yield name, sent if isinstance(sent, list) else [sent]
