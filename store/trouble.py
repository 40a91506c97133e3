"""What can go wrong with the game's file, said so that a GM knows what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class StoreTrouble(Exception):
    """The database cannot be used now. Nothing was half-written: the last whole step stands. `advice` says what to do."""

    def __init__(self, message: str, *, advice: str) -> None:
        super().__init__(f"{message}. {advice}")
        self.advice = advice


class Busy(Exception):
    """Somebody else is at work on this game right now: not an error, there is just nothing to do here."""


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn SQLite's words about `path` into a GM's. Raises StoreTrouble."""
    try:
        yield
    except sqlite3.Error as error:
        raise _told(path, error) from error


def _told(path: Path, error: sqlite3.Error) -> StoreTrouble:
    text = str(error).lower()
    if "full" in text:
        return StoreTrouble(f"the disk is full: {path} was not changed", advice="Make room, then run the command again")
    if "locked" in text or "busy" in text:
        advice = "Wait for the other command to end, then run this one again; nothing was lost"
        return StoreTrouble(f"{path} is locked by another program", advice=advice)
    if "readonly" in text or "unable to open" in text or "permission" in text:
        advice = "Check that the folder and the file belong to you and may be written"
        return StoreTrouble(f"{path} cannot be opened for writing ({error})", advice=advice)
    if "malformed" in text or "not a database" in text or "encrypted" in text or "disk i/o" in text:
        advice = (
            "Keep the file, and put back the newest copy (game.db.before-… beside it, or your own backup); "
            "the next tick reads the thread again from there"
        )
        return StoreTrouble(f"{path} is damaged ({error})", advice=advice)
    return StoreTrouble(f"{path} cannot be used ({error})", advice="Nothing was written; run the command again")
