"""A game's record, opened for a command that looks at it."""

from __future__ import annotations

from pathlib import Path

from desk.settings import NAME
from desk.stories import Source
from engine.inputs import CommandInput, OrderInput, PostInput
from scraper.model import BadInput
from store.record import Record


def opened(folder: Path) -> Record:
    """The record of the game in `folder`. Raises BadInput where the game has not been started."""
    database = folder / "game.db"
    if not database.exists():
        if not (folder / NAME).exists():
            raise BadInput(f"there is no game in {folder}. `nightpost new {folder}` makes one.")
        raise BadInput(f"the game in {folder} has not been started yet: `nightpost start {folder}` begins it.")
    return Record(database)


def sources_of(record: Record) -> dict[str, Source]:
    """Whatever an event may have come from, by id: posts as first seen, messages, commands."""
    found: dict[str, Source] = {}
    for versions in record.posts(None, None):
        first = versions[0]
        found[first["post"]] = PostInput(first["post"], first["author"], first["bbcode"], link=first["url"])
    for row in record.messages(None, None):
        found[row["message"]] = OrderInput(row["message"], row["sender"], row["body"])
    for entry in record.entries():
        found[f"entry {entry.seq}"] = CommandInput(f"entry {entry.seq}", entry.text, entry.at)
    return found
