"""Many games in which nothing happens, in one `run`: its memory, and its CPU time a tick (quality.md, "Speed").

A hundred games and then three hundred are run for a while; what a thousand would take at one tick a minute each is reckoned
from these. The games are read from saved pages: what a forum's answers take on top is in the table of ticks.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.forumpages import Sample, Sheet, phpbb
from desk.table import Table
from scheduler import start

FEW, MANY, WANTED = 100, 300, 1_000
EVERY, WATCHED = 5, 10
"""Seconds from tick to tick, and seconds for which a run is watched."""
GAME = """
ruleset = "danganronpa"
title = "Idle"
host = "Host"
seed = "1"
[thread]
saved = "saved"
kind = "phpbb"
[players]
Ann = { role = "ultimate_detective", black = "black_slasher" }
Bo = "ultimate_nurse"
Cy = "ultimate_journalist"
Di = "ultimate_surgeon"
"""


def idle_game(folder: Path, now: datetime) -> Path:
    """A game begun at `now` whose deadline is days away, with a page of its topic beside it."""
    (folder / "saved").mkdir(parents=True)
    (folder / "game.toml").write_text(GAME, encoding="utf-8")
    posts = [Sample(number, "Ann", 2, now, "Good evening.") for number in range(1, 11)]
    page = phpbb(Sheet(posts, lambda at: f"{at:%Y-%m-%d %H:%M}"))
    (folder / "saved" / "1.html").write_text(page, encoding="utf-8")
    table = Table.at(folder)
    start(table, now)
    table.record.close()
    return folder


def _spent(process: int) -> float:
    """Seconds of CPU that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(process: int) -> float:
    return int(Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024


def watched(games: int) -> tuple[float, float]:
    """Peak megabytes of a `run` of so many games, and the milliseconds of CPU that a tick takes in it."""
    with TemporaryDirectory() as name:
        now = datetime.now(UTC)
        folders = [str(idle_game(Path(name) / f"game{number}", now)) for number in range(games)]
        command = [sys.executable, "-m", "nightpost", "run", "--every", str(EVERY), *folders]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            time.sleep(games * 0.02 + EVERY)  # the first round, one game after another, is over
            before = _spent(run.pid)
            time.sleep(WATCHED)
            return _megabytes(run.pid), (_spent(run.pid) - before) / (games * WATCHED / EVERY) * 1000
        finally:
            run.terminate()
            run.wait()


def main() -> None:
    """Print what was measured, and what it comes to for a thousand."""
    if not Path("/proc/self/stat").exists():
        Console().print("Idle games: this system does not tell what a process takes (no /proc).")
        return
    grid = Grid("games", "peak MB (< 300)", "ms of CPU a tick", "% of a core, one a minute (< 10)", title="Idle games in one run")
    measured = {games: watched(games) for games in (FEW, MANY)}
    for games, (peak, each) in measured.items():
        grid.add_row(str(games), f"{peak:.0f}", f"{each:.1f}", f"{each * games / 600:.1f}")
    (few, _), (many, each) = measured.values()
    reckoned = many + (many - few) / (MANY - FEW) * (WANTED - MANY)
    grid.add_row(f"{WANTED:,} (reckoned)", f"{reckoned:.0f}", f"{each:.1f}", f"{each * WANTED / 600:.1f}")
    Console(width=120).print(grid)


if __name__ == "__main__":
    main()
