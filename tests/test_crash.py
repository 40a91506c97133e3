"""A real process, killed for good between two steps of a tick: the next tick ends as if nothing had happened."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from demo.practice import PracticeForum
from desk.table import Table
from scheduler import replay, start, tick
from tests.live_game import LiveGame
from tests.practice_kit import Clock
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


WORKER = """
import sys
from datetime import datetime
from pathlib import Path
from desk.settings import load_settings
from publisher.forum import COOKIES, ForumOutlet
from scheduler import tick
from scraper.live_phpbb import LivePhpbb
from scraper.session import Session

folder, site, topic, now = Path(sys.argv[1]), sys.argv[2], sys.argv[3], datetime.fromisoformat(sys.argv[4])
session = Session(seconds_between=0, sleep=lambda seconds: None, cookie_file=folder / COOKIES)
live = LivePhpbb(site, session, now=lambda: now)
live.clock_shift = lambda: None  # the forum's time runs ahead with each look
live.use_account("Monokuma", "secret")
outlet = ForumOutlet(load_settings(folder), live, topic, member=True)
print("begins", flush=True)
report = tick(folder, now=now, outlet=outlet)
print(report.trouble or "done", flush=True)
"""


class Hasty(Clock):
    """A forum's time in which every look at the clock is a second later: nobody has to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def now(self) -> datetime:
        with self.lock:
            self.moment += timedelta(seconds=1)
            return self.moment


def worked(game: LiveGame, patience: float | None) -> str:
    """A process ticks; after `patience` seconds it is killed for good. What it said last."""
    repo = Path(__file__).resolve().parent.parent
    command = [sys.executable, "-c", WORKER, str(game.folder), game.forum.url, str(game.topic), NOW.isoformat()]
    process = subprocess.Popen(command, cwd=repo, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    if patience is not None:
        time.sleep(patience)
        process.kill()
    said = process.stdout.read().strip()
    process.wait(60)
    process.stdout.close()
    return said


def test_killed_at_any_moment_on_a_forum(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    kills = 0
    with PracticeForum(clock=Hasty().now, flood_seconds=0) as forum:
        seen = []
        for name in ("whole", "cut"):
            game = LiveGame(tmp_path / name, forum, Clock()).begin()
            game.vote("Anna", "Boris", 1)
            game.vote("Elena", "Dmitri", 20)
            game.order("Cleo", "stake out Anna", 22)
            said = ""
            while name == "cut" and kills < 4 and not said:
                said = worked(game, chance.uniform(0, 0.3))
                kills += not said
            assert said or worked(game, None) == "done", seed
            seen.append((game.thread(), game.letters(), game.kept()))
            assert replay(game.folder) == [], seed
        assert seen[0] == seen[1], f"seed {seed}, killed {kills} times"
