"""A tick against the length of the topic, over HTTP on the practice forum: the first one, one with nothing new, and one with
a few new posts (quality.md, "Speed"). CPU time is the worker's own; the forum answers from other threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table as Grid

from demo.practice import PracticeForum
from desk.settings import load_settings
from desk.table import Table
from publisher.forum import COOKIES, ForumOutlet
from scheduler import start, tick
from scraper.live_phpbb import LivePhpbb
from scraper.session import Session

START = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)
NOW = START + timedelta(hours=20)
NAMES = [f"Player {number}" for number in range(6)]
TALENTS = ["detective", "journalist", "archivist", "nurse", "surgeon", "electrician"]
PLAYERS = "".join(f'"{name}" = "ultimate_{talent}"\n' for name, talent in zip(NAMES[1:], TALENTS[1:], strict=True))
GAME = f"""
ruleset = "danganronpa"
title = "Long"
host = "Host"
seed = "1"
[thread]
url = "ADDRESS"
kind = "phpbb"
[publish]
tally = "review"
[players]
"{NAMES[0]}" = {{ role = "ultimate_{TALENTS[0]}", black = "black_slasher" }}
{PLAYERS}"""
NEW_POSTS = (0, 20, 100)


class Hasty:
    """A time in which every look at the clock is a second later, so that nobody has to wait."""

    def __init__(self) -> None:
        self.moment = NOW
        self.lock = threading.Lock()

    def now(self) -> datetime:
        """The time."""
        with self.lock:
            self.moment += timedelta(seconds=1)
            return self.moment


def main() -> None:
    """Print one row for each length: pages asked for, and the worker's CPU time."""
    grid = Grid("posts", "first: pages", "CPU ms", title="A tick by the length of the topic, 25 posts a page, over HTTP")
    for more in NEW_POSTS:
        grid.add_column(f"{more or 'nothing'} new: pages")
        grid.add_column("all requests")
        grid.add_column("CPU ms")
    for length in (100, 1_000, 10_000):
        clock = Hasty().now
        with TemporaryDirectory() as name, PracticeForum(clock=clock, flood_seconds=0, per_page=25) as forum:
            grid.add_row(f"{length:,}", *_measured(Path(name), forum, length, clock))
    Console(width=150).print(grid)


def _measured(folder: Path, forum: PracticeForum, length: int, clock: Callable[[], datetime]) -> list[str]:
    for name in ("Host", *NAMES):
        forum.add_user(name)
    topic = forum.add_topic("Long", "Host", "It begins.", START)
    _talk(forum, topic, 1, length)
    (folder / "game.toml").write_text(GAME.replace("ADDRESS", f"{forum.url}viewtopic.php?t={topic}"), encoding="utf-8")
    table = Table.at(folder)
    start(table, START)
    table.record.close()
    pages, _, cpu = _ticked(folder, forum, topic, clock)
    cells = [pages, cpu]
    for more in NEW_POSTS:
        _talk(forum, topic, length, length + more)
        length += more
        cells += _ticked(folder, forum, topic, clock)
    return cells


def _talk(forum: PracticeForum, topic: int, begin: int, end: int) -> None:
    for place in range(begin, end):
        vote = f"[b][color=red]{NAMES[place % 5]}[/color][/b]"
        forum.post(topic, NAMES[place % 6], f"some words and then {vote}", START + timedelta(seconds=place))


def _ticked(folder: Path, forum: PracticeForum, topic: int, clock: Callable[[], datetime]) -> list[str]:
    forum.requests.clear()
    began = time.thread_time()
    session = Session(seconds_between=0, sleep=lambda seconds: None, now=clock, cookie_file=folder / COOKIES)
    live = LivePhpbb(forum.url, session, now=lambda: NOW)
    live.use_account("Host", "secret")
    report = tick(folder, now=NOW, outlet=ForumOutlet(load_settings(folder), live, str(topic), member=True))
    took = (time.thread_time() - began) * 1000
    assert not report.trouble, report.trouble
    table = Table.at(folder)
    assert table.record.bookmark("counted")[:-1] == list(table.record.extent()), "every quiet tick would count again"
    assert not table.record.bookmark("clock"), "the forum's clock and the worker's are the same here"
    table.record.close()
    return [str(forum.asked("viewtopic")), str(len(forum.requests)), f"{took:.1f}"]


if __name__ == "__main__":
    main()
