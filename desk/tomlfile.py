"""A TOML text read in spite of mistakes: every line that cannot be read is named, and the rest is still looked at."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from desk.places import Mistake

_PLACE = re.compile(r"\(at (?:line (\d+), column \d+|end of document)\)")
_BEGINS = re.compile(r"\s*(?:[^#\[\]{}=,]+=|\[)")
"""How a line begins that is a key with its value, or a table's name."""
_TEXTS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*")
_HINTS = {
    "Invalid value": "texts stand in quotes (\"…\"), lists in [ ], yes and no are true and false",
    "Cannot overwrite": "this key is written twice; each is written once",
    "Expected '='": "a line is `key = value`, a [table], or a # remark; a name of several words stands in quotes",
    "Expected newline": "something stands behind the value; only a remark that begins with # may",
    "Illegal character": "a text in quotes ends on its own line: the closing quote is missing",
    "Unescaped": "write \\\\ for a backslash in a text in quotes",
    "Invalid initial character": "a name with other letters than a-z stands in quotes: \"Zoë\" = …",
    "Cannot declare": "this [table] is written twice; put its keys together",
    "Unclosed": "the closing bracket is missing",
    "Unterminated string": "the closing quote is missing",
    "Expected ']'": "a table's name stands in [ ]",
}
_DEFAULT = "texts stand in quotes, lists in [ ], and each key is written once"
_OWN_LINE = (
    "Invalid value", "Cannot overwrite", "Expected '='", "Expected newline", "Illegal character", "Unescaped",
    "Invalid initial character",
)  # fmt: skip
"""The mistakes that concern one line only, so that the lines after it can be trusted."""
_MOST = 25


def read_toml(name: str, text: str) -> tuple[dict[str, Any], list[Mistake]]:
    """The values of a TOML text, those left out whose line is wrong, and the mistakes. `name` is the file's, for the GM.

    After a mistake that may reach beyond its line, such as a bracket never closed, the rest is not looked at: no value is given.
    """
    lines = text.split("\n")
    mistakes: list[Mistake] = []
    while True:
        try:
            return tomllib.loads("\n".join(lines)), mistakes
        except tomllib.TOMLDecodeError as error:
            message = str(error)
        found = _PLACE.search(message)
        number = int(found[1]) if found and found[1] else len(lines) + 1
        here = lines[number - 1] if 0 < number <= len(lines) else ""
        opened = _opened(lines, number)
        what = "Unclosed bracket" if opened else _PLACE.sub("", message).strip()
        hint = next((hint for start, hint in _HINTS.items() if what.startswith(start)), _DEFAULT)
        mistakes.append(Mistake(name, opened or min(number, len(lines)), f"{what}; {hint}"))
        alone = opened is None and message.startswith(_OWN_LINE) and bool(here.strip()) and not here.lstrip().startswith("[")
        if not alone or len(mistakes) >= _MOST:
            return {}, mistakes
        lines[number - 1] = ""


def _opened(lines: list[str], number: int) -> int | None:
    """The line above line `number`, where that begins something new or there is none, on which a bracket was opened for good."""
    if number <= len(lines) and lines[number - 1].strip() and not _BEGINS.match(lines[number - 1]):
        return None
    open_ones = 0
    for place in range(min(number - 1, len(lines)), 0, -1):
        bare = _TEXTS.sub("", lines[place - 1])
        open_ones += bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
        if _BEGINS.match(lines[place - 1]):
            return place if open_ones > 0 else None
    return None
