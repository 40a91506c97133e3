"""`review teach`: a name that players use becomes an alias in `game.toml`, with every remark of the GM's left in place."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from desk.notes import ended
from desk.places import toml_line
from desk.settings import NAME, SettingsRefused, load_settings, read_settings
from desk.whom import nobody
from scraper.model import BadInput

_PLAIN = re.compile(r"""^(\s*[^=]+?\s*=\s*)("[^"\\]*"|'[^']*')(.*)$""")
_ALIASES = re.compile(r"(\baliases\s*=\s*\[)")
_OPENED = re.compile(r"^([^={]+=\s*\{)\s*")


def teach(folder: Path, player: str, alias: str) -> str:
    """Make `alias` another name of `player`. The file is replaced as a whole or not at all.

    Raises BadInput where nobody is called `player`, somebody already is called `alias`, or the line has a form that only the GM
    can change.
    """
    settings = load_settings(folder)
    name = settings.called(player)
    if name is None:
        raise BadInput(f"{nobody(settings.game, player)}; nothing was changed")
    if other := settings.called(alias):
        raise BadInput(f"`{alias}` already means {other}; nothing was changed")
    file = folder / NAME
    text = file.read_text(encoding="utf-8-sig")
    lines = text.splitlines(keepends=True)
    number = toml_line(text, ("players", name))
    by_hand = f"write it yourself: under [players], {name} = {{ …, aliases = [{json.dumps(alias, ensure_ascii=False)}] }}"
    if number is None:
        raise BadInput(by_hand)
    lines[number - 1] = _with_alias(lines[number - 1], json.dumps(alias, ensure_ascii=False))
    changed = "".join(lines)
    try:
        taught = read_settings(changed, folder).called(alias) == name
    except SettingsRefused:
        taught = False
    if not taught:
        raise BadInput(by_hand)
    beside = file.with_suffix(".part")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        out.write(changed)
    beside.replace(file)
    return ended(f"`{alias}` now means {name}")


def _with_alias(line: str, alias: str) -> str:
    if plain := _PLAIN.match(line.rstrip("\n")):
        return f"{plain[1]}{{ role = {plain[2]}, aliases = [{alias}] }}{plain[3]}\n"
    if _ALIASES.search(line):
        return _ALIASES.sub(lambda found: f"{found[1]}{alias}, ", line, count=1)
    empty = re.match(r"^[^={]+=\s*\{\s*\}", line)
    return _OPENED.sub(lambda found: f"{found[1]} aliases = [{alias}]{' ' if empty else ', '}", line, count=1)
