"""A tick against the length of the topic: with nothing new, and with twenty new posts (quality.md, "Speed")."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table as Grid

from desk.settings import load_settings
from publisher.forum import ForumOutlet
from scheduler import Table, start, tick
from scraper.forum import Forum, PostRef, Where
from scraper.model import Message, Page, Post

START = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)
NAMES = [f"Player {number}" for number in range(6)]
TALENTS = ["detective", "journalist", "archivist", "nurse", "surgeon", "electrician"]
PLAYERS = "".join(f'"{name}" = "ultimate_{talent}"\n' for name, talent in zip(NAMES[1:], TALENTS[1:], strict=True))
GAME = f"""
ruleset = "danganronpa"
title = "Long"
host = "Host"
seed = "1"
[thread]
url = "http://127.0.0.1/viewtopic.php?t=1"
kind = "phpbb"
[publish]
tally = "review"
[players]
"{NAMES[0]}" = {{ role = "ultimate_{TALENTS[0]}", black = "black_slasher" }}
{PLAYERS}"""


class LongTopic(Forum):
    """A topic of any length in memory, ten posts a page, that counts the pages asked for."""

    kind, base_url = "phpbb", "http://127.0.0.1/"

    def __init__(self, length: int) -> None:
        self.length, self.asked = length, 0

    def page(self, topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        self.asked += 1
        pages = max(1, -(-self.length // 10))
        number = pages if where == "last" else min(int(str(where)), pages)
        posts = tuple(self._post(place) for place in range(number * 10 - 9, min(number * 10, self.length) + 1))
        return Page("phpbb", topic, "Long", number, pages, posts, 10, signed_in=True)

    def _post(self, place: int) -> Post:
        vote = f"[b][color=red]{NAMES[place % 5]}[/color][/b]"
        at = START + timedelta(seconds=place)
        return Post(str(place), place, NAMES[place % 6], None, at, None, f"http://127.0.0.1/?p={place}", f"words {vote}", "words")

    def use_account(self, name: str, password: str) -> None:
        """Nobody signs in."""

    def log_in(self, name: str, password: str) -> None:
        """Nobody signs in."""

    def who_am_i(self) -> str | None:
        return None

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        return PostRef("1", None)

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        return PostRef(post_id, None)

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """Nothing is sent."""

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        return iter(())

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        return iter(())


def main() -> None:
    """Print one row for each length: pages asked for and CPU time of a tick."""
    grid = Grid(
        "posts", "nothing new: pages", "CPU ms", "20 new posts: pages", "CPU ms", title="A tick, by the length of the topic"
    )
    for length in (100, 1_000, 10_000):
        with TemporaryDirectory() as name:
            grid.add_row(f"{length:,}", *_measured(Path(name), length))
    Console().print(grid)


def _measured(folder: Path, length: int) -> list[str]:
    (folder / "game.toml").write_text(GAME, encoding="utf-8")
    table = Table.at(folder)
    start(table, START)
    table.record.close()
    topic = LongTopic(length)
    outlet = ForumOutlet(load_settings(folder), topic, "1")
    now = START + timedelta(hours=20)
    tick(folder, now=now, outlet=outlet)
    cells = []
    for more in (0, 20):
        topic.length += more
        topic.asked = 0
        began = time.process_time()
        tick(folder, now=now, outlet=outlet)
        cells += [str(topic.asked), f"{(time.process_time() - began) * 1000:.1f}"]
    return cells


if __name__ == "__main__":
    main()
