"""GM commands that every ruleset has: votes and orders given by hand, and picks. They become ordinary inputs of the phase.

`vote X for Y`, `unvote X` and `order X: text` count like a post or message of X sent after all others, so that X's next
real one takes their place. `pick X` answers the question now open; `extend 12h` has the phase end later. All else is the
ruleset's to judge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from engine.game import Game
from engine.inputs import CommandInput, OrderInput, PhaseInputs, PostInput

_PICK = re.compile(r"\s*pick\s+(.+?)\s*", re.IGNORECASE | re.DOTALL)
_VOTE = re.compile(r"\s*vote\s+(.+?)\s*", re.IGNORECASE | re.DOTALL)
_UNVOTE = re.compile(r"\s*unvote\s+(.+?)\s*", re.IGNORECASE | re.DOTALL)
_ORDER = re.compile(r"\s*order\s+(.+?)\s*", re.IGNORECASE | re.DOTALL)
FOR, COLON, WITH = r"\s+for\s+", r"\s*:\s*", r"\s+(?:with|by)\s+"
"""What parts the player from the rest in `vote X for Y`, `order X: …` and `replace X with Y`."""
_EXTEND = re.compile(r"\s*extend\s+(.+?)\s*", re.IGNORECASE)
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
_SPAN = re.compile(r"(?:\d{1,5}\s*(?:d|days?|h|hours?|m|min|minutes?)(?![a-z])[\s,]*)+")
_LONGEST = timedelta(days=365)
_START = datetime(1970, 1, 1, tzinfo=UTC)
"""A time for what comes after inputs that have none: those count as sent before anything that has one."""


def span(text: str) -> timedelta | None:
    """How long `24h`, `1d 12h` or `30 minutes` is. None for nothing, no time, or over a year."""
    asked = text.strip().casefold()
    parts = re.findall(r"(\d+)\s*([dhm])", asked) if _SPAN.fullmatch(asked) else []
    found = sum((timedelta(**{_UNITS[unit]: int(count)}) for count, unit in parts), timedelta())
    return found if timedelta() < found <= _LONGEST else None


def sort_out(game: Game, inputs: PhaseInputs, vote_post: Callable[[str], str]) -> tuple[PhaseInputs, list[str]]:
    """The inputs with the common commands turned into posts and orders, and the picks among the commands, in order.

    `vote_post` writes a vote the ruleset's ordinary way. A command about a player whom nobody is called stays a command,
    for the ruleset to refuse.
    """
    longer = {command: by for command in inputs.commands if (by := _extension(command)) is not None}
    if inputs.ends is not None:
        inputs = replace(inputs, ends=sum(longer.values(), timedelta()) + inputs.ends)
    posts, orders, commands, picks = list(inputs.posts), list(inputs.orders), [], []
    last = inputs.ends or _latest(inputs)
    for command in inputs.commands:
        if command in longer:
            continue
        at = command.at or last
        if pick := _PICK.fullmatch(command.text):
            picks.append(pick[1])
        elif vote := _by_hand(game, command, _VOTE, FOR):
            posts.append(PostInput(command.id, vote[0], vote_post(vote[1]), at))
        elif unvote := _by_hand(game, command, _UNVOTE):
            posts.append(PostInput(command.id, unvote[0], vote_post("unvote"), at))
        elif order := _by_hand(game, command, _ORDER, COLON):
            orders.append(OrderInput(command.id, order[0], order[1], at))
        else:
            commands.append(command)
    return replace(inputs, posts=tuple(posts), orders=tuple(orders), commands=tuple(commands)), picks


def _extension(command: CommandInput) -> timedelta | None:
    found = _EXTEND.fullmatch(command.text)
    return span(found[1]) if found else None


def _latest(inputs: PhaseInputs) -> datetime:
    times = [*(post.at for post in inputs.posts), *(order.at for order in inputs.orders)]
    return max((at for at in times if at is not None), default=_START)


def _by_hand(game: Game, command: CommandInput, form: re.Pattern[str], separator: str | None = None) -> tuple[str, str] | None:
    """The player meant and the rest of the command, where it has that form and somebody is called so."""
    found = form.fullmatch(command.text)
    ways = [] if found is None else parted(found[1], separator) if separator else [(found[1], "")]
    return next(((player, rest) for name, rest in ways if (player := player_called(game, name)) is not None), None)


def parted(words: str, separator: str) -> Iterator[tuple[str, str]]:
    """What stands before and after `separator`, wherever it stands: names may hold it too (Waiting for Godot)."""
    for found in re.finditer(separator, words, re.IGNORECASE):
        name, rest = words[: found.start()].strip(), words[found.end() :].strip()
        if name and rest:
            yield name, rest


def player_called(game: Game, text: str) -> str | None:
    """The player with that name or, where nobody has it, that alias, exactly or regardless of case; None where it is nobody's or
    two players'.
    """
    for same in (str.__str__, str.casefold):
        wanted = same(text.strip())
        named = {seat.name for seat in game.seats if wanted == same(seat.name)}
        found = named or {seat.name for seat in game.seats if wanted in map(same, seat.aliases)}
        if found:
            return found.pop() if len(found) == 1 else None
    return None
