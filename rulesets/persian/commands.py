"""What the GM may command (Glossary, "GM commands"). What cannot be done is refused and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.commands import player_called
from engine.game import SetupRefused
from engine.inputs import CommandInput
from engine.ruleset import Option
from rulesets.persian.setup import check_options
from rulesets.persian.work import Town

_MODKILL = re.compile(r"modkill\s+(.+)", re.IGNORECASE)
_LAST = re.compile(r"(allow|refuse)\s+last\s+guess", re.IGNORECASE)
_REJECT = re.compile(r"reject\s+guess\s+(.+)", re.IGNORECASE)
_ORDER = re.compile(r"report\s+order\s+\[?([\d,\s]+)\]?", re.IGNORECASE)
_OMIT = re.compile(r"report\s+omit\s+(.+)", re.IGNORECASE)
_OPTION = re.compile(r"option\s+(\w+)\s+(.+)", re.IGNORECASE)


def command(town: Town, given: CommandInput, options: Mapping[str, Option]) -> None:
    """Carry out one command, or refuse it."""
    text = " ".join(given.text.split())
    done = _modkill(town, text) or _last_guess(town, text) or _reject(town, text) or _report(town, text)
    if not done and not _option(town, text, options):
        town.refuse(text, "PER-NIGHT-09")


def _modkill(town: Town, text: str) -> bool:
    found = _MODKILL.fullmatch(text)
    player = player_called(town.state.game, found[1]) if found else None
    if player is None or player not in town.present or player in town.removed:
        return False
    town.removed.append(player)
    town.orders.pop(player, None)
    town.guesses = [act for act in town.guesses if act.actor != player]
    return True


def _last_guess(town: Town, text: str) -> bool:
    found = _LAST.fullmatch(text)
    if found is None or town.kind == "night":
        return False
    town.allowed = found[1].lower()
    return True


def _reject(town: Town, text: str) -> bool:
    """`reject guess <member> X`, where both are names that may hold blanks.  PER-GUESS-05"""
    found = _REJECT.fullmatch(text)
    words = found[1].split() if found else []
    for cut in range(1, len(words)):
        member, target = (player_called(town.state.game, " ".join(part)) for part in (words[:cut], words[cut:]))
        if member and target and any(act.actor == member and act.target == target for act in town.guesses):
            town.rejected.append((member, target))
            return True
    return False


def _report(town: Town, text: str) -> bool:
    """Which text is the true one, and what it keeps silent about.  PER-REPORT-20"""
    if town.kind != "night":
        return False
    if found := _ORDER.fullmatch(text):
        counts = [int(one) for one in re.findall(r"\d+", found[1])]
        if sorted(counts) != sorted([0, *town.state.option("false_counts")]):
            return False
        town.report_order = counts
        return True
    found = _OMIT.fullmatch(text)
    player = player_called(town.state.game, found[1]) if found else None
    if player is None:
        return False
    town.omitted.append(player)
    return True


def _option(town: Town, text: str, options: Mapping[str, Option]) -> bool:
    """Until the first phase ends the GM may still change options; it is announced.  PER-NIGHT-09"""
    found = _OPTION.fullmatch(text)
    if found is None or town.name != town.state.first_played or found[1] not in options:
        return False
    name, value = found[1], _value(found[2].strip(), options[found[1]])
    if name in ("first_phase", "action_order") or not options[name].accepts(value):
        return False
    try:
        check_options({**town.state.options, name: value})
    except SetupRefused:
        return False
    town.announce("options_changed", "PER-NIGHT-09", option=name, value=value)
    return True


def _value(text: str, option: Option) -> Any:
    """A value as it is written in game.toml: a number, yes or no, a list, a word with or without quotes."""
    if isinstance(option.default, list):
        items = [one.strip().strip("\"'") for one in text.strip("[]").split(",") if one.strip()]
        return [int(one) if one.isdecimal() else one for one in items]
    if isinstance(option.default, bool):
        return {"true": True, "false": False}.get(text.lower(), text)
    return int(text) if text.isdecimal() else text.strip("\"'")
