"""A game's record, opened for a command that looks at it."""

from __future__ import annotations

from pathlib import Path

from desk.settings import must_be_game
from desk.stories import Source
from engine.inputs import CommandInput, OrderInput, PostInput
from scraper.model import BadInput
from store.record import Record


def opened(folder: Path) -> Record:
    """The record of the game in `folder`. Raises BadInput where the game has not been started."""
    database = folder / "game.db"
    if not database.exists():
        must_be_game(folder)
    record = Record(database) if database.exists() else None
    if record is None or not record.phases():
        raise BadInput(f"the game in {folder} has not begun: `nightpost start {folder}` begins it")
    return record


def sources_of(record: Record) -> dict[str, Source]:
    """Whatever an event may have come from, by the id that events carry: posts as first seen, messages, commands."""
    found: dict[str, Source] = {}
    for versions in record.posts(None, None):
        first = versions[0]
        id_ = f"post {first['post']}"
        found[id_] = PostInput(id_, first["author"], first["bbcode"], link=first["url"])
    for row in record.messages(None, None):
        id_ = f"message {row['seq']}"
        found[id_] = OrderInput(id_, row["sender"], row["body"])
    for entry in record.entries():
        id_ = f"command {entry.seq}"
        found[id_] = CommandInput(id_, entry.text, entry.at)
    return found
