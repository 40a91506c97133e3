"""A real process, killed for good between two steps of a tick: the next tick ends as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler import Table, replay, start, tick
from tests.test_tick import GAME, T0

NOW = T0 + timedelta(hours=49)
DOOMED = """
import os, signal, sys
from datetime import datetime
from pathlib import Path
from publisher.delivery import Folders
from scheduler import tick
from store.record import Record

left = int(sys.argv[2])

def deadly(method):
    def inner(*given, **more):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(*given, **more)
    return inner

for owner, names in ((Record, ("together", "close_phase", "open_phase", "add_draft", "change_draft")), (Folders, ("send",))):
    for name in names:
        setattr(owner, name, deadly(getattr(owner, name)))
tick(Path(sys.argv[1]), now=datetime.fromisoformat(sys.argv[3]))
"""


def begun(folder: Path) -> Path:
    folder.mkdir()
    (folder / "game.toml").write_text(GAME, encoding="utf-8")
    table = Table.at(folder)
    start(table, T0)
    table.record.close()
    return folder


def left_behind(folder: Path) -> tuple[list[str], dict[str, str]]:
    table = Table.at(folder)
    events = [str(event.to_record()) for event in table.record.events()]
    assert not table.record.drafts("sending", "approved")
    table.record.close()
    out = folder / "posted"
    return events, {str(path.relative_to(out)): path.read_text() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("steps", [1, 4, 9, 14, 20, 27, 40])
def test_killed_between_two_steps(tmp_path: Path, steps: int) -> None:
    whole = begun(tmp_path / "whole")
    tick(whole, now=NOW)
    cut = begun(tmp_path / "cut")
    repo = Path(__file__).resolve().parent.parent
    command = [sys.executable, "-c", DOOMED, str(cut), str(steps), NOW.isoformat()]
    ended = subprocess.run(command, cwd=repo, check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL, "the process was to be killed on its way"
    assert not tick(cut, now=NOW).busy
    assert left_behind(cut) == left_behind(whole)
    assert replay(cut) == []
