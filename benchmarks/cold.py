"""Commands from cold, each in a process of its own: `--help`, and a `tick` with nothing new (quality.md, "Speed")."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table as Grid

from benchmarks.idle import idle_game

ROUNDS = 5


def cpu_seconds(*words: str) -> float:
    """The CPU time of the quickest of some runs of the command, its start and end included."""
    taken = []
    for _ in range(ROUNDS):
        before = os.times()
        subprocess.run([sys.executable, "-m", "nightpost", *words], stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        taken.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(taken)


def main() -> None:
    """Print a row for each command."""
    grid = Grid("command", "CPU s", "must", title="Commands from cold")
    with TemporaryDirectory() as name:
        game = idle_game(Path(name) / "game", datetime.now(UTC))
        cpu_seconds("tick", str(game))  # the first one reads the saved page
        grid.add_row("--help", f"{cpu_seconds('--help'):.2f}", "< 0.15")
        grid.add_row("tick", f"{cpu_seconds('tick', str(game)):.2f}", "< 0.4")
    Console().print(grid)


if __name__ == "__main__":
    main()
