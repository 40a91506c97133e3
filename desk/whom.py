"""Whom the GM may have meant by a name that is nobody's."""

from __future__ import annotations

from engine.game import Game
from parser.names import Ambiguous, Found, Person, Roster


def nobody(game: Game, text: str) -> str:
    """A sentence for a name that fits no player as it stands, with the nearest name, or all of them where none is near."""
    people = [Person(seat.name, seat.aliases) for seat in game.seats]
    roster = Roster(people)
    match roster.match(text):
        case Found(name):
            hint = f"did you mean {name}?"
        case Ambiguous(names):
            hint = f"it fits {' and '.join(names)}: write the whole name"
        case _:
            near = roster.nearest(text)
            hint = f"did you mean {near}?" if near else f"the players are {', '.join(game.names)}"
    return f"nobody is called `{text}` ({hint})"
