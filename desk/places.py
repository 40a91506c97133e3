"""Where in a file something is written: `tomllib` and plain YAML values do not tell, and a GM must be shown the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

_TABLE = re.compile(r"^\s*(\[\[?)([^\[\]]+)\]")
_KEY = re.compile(r"""^\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r""""((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+)""")

Route = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong in a file of the GM's: the file as named to the GM, the line (from 1, None where none fits), and what."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


def toml_line(text: str, path: Route) -> int | None:
    """The line on which the value at `path` is written in a TOML text, or that of the nearest thing around it; None if none is.

    A path is keys and list places, e.g. `("players", "Ann", "role")` or `("setup", "talents", 0)`.
    """
    wanted = tuple(map(str, path))
    best, line_of_best, inside = 0, None, None
    table: tuple[str, ...] = ()
    counted: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                place = counted[table] = counted.get(table, -1) + 1
                table = (*table, str(place))
            here = table
        elif key := _KEY.match(line):
            here = (*table, *_parts(key[1]))
        else:
            continue
        if here == wanted[: len(here)] and len(here) > best:
            best, line_of_best = len(here), number
        elif inside is None and here[: len(wanted)] == wanted:
            inside = number  # `a.b = 1` is a line of `a`
    return line_of_best if best == len(wanted) or inside is None else inside


def yaml_line(text: str, path: Route) -> int | None:
    """The line on which the value at `path` is written in a YAML text, or that of the nearest thing around it."""
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    line = node.start_mark.line + 1 if node else None
    for step in path:
        inner = None
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            inner = node.value[step]
            line = inner.start_mark.line + 1
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(step):
                    inner, line = value, key.start_mark.line + 1
        if inner is None:
            break
        node = inner
    return line


def local(moment: datetime, zone: str) -> str:
    """A moment as the GM's clock shows it, with the zone's name."""
    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} {zone}"


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(_unescaped(double) or single or bare for double, single, bare in _PART.findall(dotted))


def _unescaped(quoted: str) -> str:
    if "\\" not in quoted:
        return quoted
    try:
        return str(tomllib.loads(f'key = "{quoted}"')["key"])
    except tomllib.TOMLDecodeError:
        return quoted
