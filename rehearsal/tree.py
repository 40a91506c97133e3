"""A YAML file as a tree that knows its lines, so that every mistake can be shown where it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from engine.game import nearest
from scraper.model import BadInput

LARGEST = 2_000_000
"""Characters that a scenario file may have; a longer one is no scenario."""
MOST_ITEMS = 200_000
"""Values that a file may hold with its aliases written out, so that a few lines cannot stand for millions."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_QUOTES = "a text with [ ] { } : # or quotes in it must stand in quotes"


@dataclass(frozen=True, slots=True)
class Word:
    """A scalar of the file: the text as written, and the value that YAML makes of it (`On` is also true)."""

    text: str
    value: Any


Value = Word | tuple["Value", ...] | Mapping[str, "Value"]
"""What stands in a file, with its scalars as written."""


@dataclass(frozen=True, slots=True)
class Item:
    """One value of the file. `line` counts from 1; `what` names it in messages."""

    node: yaml.Node
    file: str
    line: int
    what: str

    def wrong(self, message: str, near: str | None = None) -> BadInput:
        """The error that says what is wrong here, with the nearest right spelling where there is one."""
        hint = f" (did you mean `{near}`?)" if near else ""
        return BadInput(f"{self.file}:{self.line}: {message}{hint}")

    def unknown(self, kind: str, word: str, known: Collection[str]) -> BadInput:
        """The error for a word that is none of the known ones."""
        return self.wrong(f"unknown {kind} `{word}`", closest(word, known))

    @property
    def is_map(self) -> bool:
        """Whether it is a map."""
        return isinstance(self.node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.node, yaml.SequenceNode)

    @property
    def is_null(self) -> bool:
        """Whether it is empty, or one of YAML's words for nothing."""
        return isinstance(self.node, yaml.ScalarNode) and self.node.tag == f"{_TAG}null"

    def entries(self) -> Iterator[tuple[str, Item]]:
        """The entries of a map in order, keys as written. Raises BadInput for a key that comes twice."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.wrong(f"{self.what} must be a map (`key: value`)")
        seen: dict[str, int] = {}
        for key, value in self.node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise BadInput(f"{self.file}:{line}: a key in {self.what} must be a word; {_QUOTES}")
            if key.value in seen:
                raise BadInput(f"{self.file}:{line}: `{key.value}` stands twice in {self.what}, first in line {seen[key.value]}")
            seen[key.value] = line
            yield key.value, Item(value, self.file, line, f"`{key.value}`")

    def fields(self, known: Sequence[str], needed: Sequence[str] = ()) -> dict[str, Item]:
        """The entries of a map whose keys are among `known`. Raises BadInput for another, or where a needed one is missing."""
        found: dict[str, Item] = {}
        for key, value in self.entries():
            if key not in known:
                raise value.wrong(f"unknown key `{key}` in {self.what}", closest(key, known))
            found[key] = value
        for key in needed:
            if key not in found:
                raise self.wrong(f"{self.what} needs `{key}`")
        return found

    def items(self) -> list[Item]:
        """The members of a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.wrong(f"{self.what} must be a list")
        return [
            Item(node, self.file, node.start_mark.line + 1, f"item {number} of {self.what}")
            for number, node in enumerate(self.node.value, 1)
        ]

    def one_or_more(self) -> list[Item]:
        """The members of a list, or the value itself where it is none."""
        return self.items() if self.is_list else [self]

    def text(self) -> str:
        """The text as written, whatever YAML would make of it: a player called `No` stays `No`."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise self.wrong(f"{self.what} must be a text; {_QUOTES}")
        if self.is_null and not self.node.value:
            raise self.wrong(f"{self.what} is empty")
        return str(self.node.value)

    def number(self) -> int:
        """A whole number."""
        value = self.word().value
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(f"{self.what} must be a whole number, not `{self.text()}`")
        return value

    def moment(self) -> datetime:
        """An ISO time as an aware one in UTC; one without a zone is in UTC."""
        try:
            found = datetime.fromisoformat(self.text())
            return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        except (ValueError, OverflowError):
            raise self.wrong(f"{self.what} must be a time such as 2026-03-01T20:00:00Z, not `{self.text()}`") from None

    def word(self) -> Word:
        """A scalar, both as written and as YAML reads it."""
        node = self.node
        if not isinstance(node, yaml.ScalarNode):
            raise self.wrong(f"{self.what} must be one word or number")
        if node.tag not in {_TAG + kind for kind in ("int", "float", "bool", "null")}:
            return Word(node.value, node.value)
        try:
            return Word(node.value, SafeConstructor().construct_object(node))
        except (ValueError, yaml.YAMLError):
            return Word(node.value, node.value)

    def value(self) -> Value:
        """All of it, scalars as written."""
        if self.is_map:
            return {key: item.value() for key, item in self.entries()}
        if self.is_list:
            return tuple(item.value() for item in self.items())
        return self.word()

    def plain(self, names: Collection[str] = ()) -> Any:
        """All of it as plain values. Keys are texts, and so is a member of a list that is written like one of `names`."""
        if self.is_map:
            return {key: item.plain(names) for key, item in self.entries()}
        if self.is_list:
            return [item.text() if item._written_like(names) else item.plain(names) for item in self.items()]
        return self.word().value

    def _written_like(self, names: Collection[str]) -> bool:
        return isinstance(self.node, yaml.ScalarNode) and self.node.value in names

    def at(self, path: Sequence[str | int]) -> Item:
        """What stands at the end of `path`, or the nearest thing above it that there is."""
        here = self
        for step in path:
            if here.is_map:
                below = dict(here.entries()).get(str(step))
            elif here.is_list and isinstance(step, int) and 0 <= step < len(here.items()):
                below = here.items()[step]
            else:
                below = None
            if below is None:
                break
            here = below
        return here


def closest(word: str, known: Collection[str]) -> str | None:
    """The known spelling that `word` most looks like, regardless of case; None where none does."""
    spelt = {name.lower(): name for name in known}
    near = nearest(word, list(spelt))
    return spelt[near] if near is not None else None


def grow(path: Path) -> Item:
    """The file as a tree. Raises BadInput where it cannot be read, with the line where there is one."""
    file = str(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}: is not UTF-8 text (byte {error.start})") from None
    if len(text) > LARGEST:
        raise BadInput(f"{file}: is too long for a scenario ({len(text):,} characters, at most {LARGEST:,})")
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise BadInput(f"{file}:{line}: is not YAML here: {error.problem or error.context}; {_QUOTES}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise BadInput(f"{file}: is not YAML: {error}") from None
    if root is None:
        raise BadInput(f"{file}: is empty")
    _count(root, file)
    return Item(root, file, root.start_mark.line + 1, "the file")


def _count(root: yaml.Node, file: str) -> None:
    waiting, count = [root], 0
    while waiting:
        node = waiting.pop()
        count += 1
        if count > MOST_ITEMS:
            raise BadInput(f"{file}: holds too much once its aliases (`*name`) are written out")
        if isinstance(node, yaml.MappingNode):
            waiting.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)
