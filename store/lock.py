"""One worker at a time on a game: a file lock on this machine, a lease in the database across machines."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from store.records import instant, stamp
from store.trouble import Busy

if TYPE_CHECKING:
    from store.log import Store

LEASE = timedelta(minutes=30)
"""How long another machine's work is waited for before it is taken for dead."""


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the game's folder on this machine. Raises Busy at once where another process holds it.

    The system lets go of the lock when its process ends, however it ends.
    """
    import fcntl

    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Busy("another tick of this game is running on this machine") from error
        yield
    finally:
        os.close(handle)


@contextmanager
def leased(store: Store, now: datetime, machine: str | None = None) -> Iterator[None]:
    """Hold the game across machines that share the folder, from `now` for half an hour at most. Raises Busy.

    A lease of this same machine is taken over: the file lock has already told that its holder is gone.
    """
    owner = machine or platform.node()
    with store.writing():
        held = store.one("SELECT owner, until FROM lease WHERE id = 1")
        if held and held["owner"] != owner and instant(held["until"]) > now:
            raise Busy(f"a tick of this game is running on `{held['owner']}`")
        store.execute("INSERT OR REPLACE INTO lease VALUES (1, ?, ?)", (owner, stamp(now + LEASE)))
    try:
        yield
    finally:
        with store.writing():
            store.execute("DELETE FROM lease WHERE owner = ?", (owner,))
