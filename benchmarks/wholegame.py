"""A whole game: rehearsed from a scenario file, and verified from its record (quality.md, "Speed").

The game that is verified is one of Detective Conan with thirty players over ten days and nights, all of whom vote and send
orders for as long as they live; nobody is lynched, since no two vote for the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.conannight import NIGHT
from desk.table import Table
from publisher.delivery import Attempt
from rehearsal.run import rehearse
from scheduler import replay, start, tick
from scraper.model import Message, Post
from store.record import Draft, Record

START = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)
DAYS = 10
NAMES = [role.title() for role in NIGHT]
HEAD = """
ruleset = "conan"
title = "Long"
host = "Host"
seed = "1"
waive = ["inactive_route", "bo_win", "friend_route", "lovers_route", "will"]
[thread]
saved = "saved"
kind = "phpbb"
[players]
"""


class Memory:
    """A thread and a mailbox in memory, from which the game is read; what is posted is forgotten."""

    def __init__(self) -> None:
        self.thread: list[Post] = []
        self.inbox: list[Message] = []

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        """What was posted since the last time."""
        fresh, self.thread = self.thread, []
        return fresh

    def known_until(self, now: datetime) -> datetime:
        """All of the thread is known."""
        return now

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        """What was written since the last time."""
        fresh, self.inbox = self.inbox, []
        return fresh

    def accounts(self, player: str) -> tuple[str, ...]:
        """Each player writes from an account of that name."""
        return (player,)

    def find(self, attempt: Attempt) -> tuple[str, str] | None:
        """Nothing was ever left half sent."""
        return None

    def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
        """Taken."""
        return "1", ""


def played(folder: Path) -> tuple[int, int]:
    """A game played through in `folder`: how many phases were closed, and how many posts and messages came in."""
    (folder / "saved").mkdir()
    lines = "".join(f'{name} = "{name.lower()}"\n' for name in NAMES)
    (folder / "game.toml").write_text(HEAD + lines, encoding="utf-8")
    table = Table.at(folder)
    start(table, START)
    outlet, came = Memory(), 0
    for number in range(2 * DAYS):
        phase = table.current()
        if phase is None or phase.deadline is None:
            break
        at = phase.opened_at + timedelta(hours=1)
        for place, name in enumerate(table.state().living()):
            came += 1
            if phase.label.kind == "day":
                text, id_ = f"Well.\n[b]vote {NAMES[(place + 1) % len(NAMES)]}[/b]", str(came)
                outlet.thread.append(Post(id_, came, name, None, at, None, f"http://forum.example/{id_}", text, text))
            else:
                targets = [NAMES[(place * 7 + step * 3 + number) % len(NAMES)] for step in range(7)]
                outlet.inbox.append(Message(str(came), name, ("Host",), at, "", NIGHT[name.lower()].format(*targets), "pm"))
        report = tick(folder, now=phase.deadline + timedelta(minutes=5), outlet=outlet)
        assert not report.trouble, report.trouble
        if not report.closed:
            break
    closed = sum(phase.closed_at is not None for phase in table.record.phases())
    table.record.close()
    return closed, came


def main() -> None:
    """Print a row for each."""
    grid = Grid("work", "CPU ms", "must", title="A whole game")
    files = sorted((Path(__file__).parent.parent / "tests" / "scenarios").rglob("*.yaml"))
    rehearse(files[0])
    begun = time.process_time()
    for file in files:
        rehearse(file)
    grid.add_row(f"a scenario file (mean of {len(files)})", f"{(time.process_time() - begun) / len(files) * 1000:.1f}", "< 50")
    with TemporaryDirectory() as name:
        closed, came = played(Path(name))
        begun = time.process_time()
        assert replay(Path(name)) == []
        work = f"verify: {len(NAMES)} players, {closed} phases, {came} posts and messages"
        grid.add_row(work, f"{(time.process_time() - begun) * 1000:.0f}", "< 2000")
    Console(width=120).print(grid)


if __name__ == "__main__":
    main()
