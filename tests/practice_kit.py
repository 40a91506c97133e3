"""What the tests of forums share: a clock that moves when somebody waits, and a forum with a few people."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from demo.practice import PracticeForum
from scraper.live_phpbb import LivePhpbb
from scraper.session import Session


class Clock:
    """Time for forum and reader alike: stands still but for `sleep`."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 12, 18, 0, 0, tzinfo=UTC)
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.moment

    def seconds(self) -> float:
        return self.moment.timestamp()

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += timedelta(seconds=seconds)

    def session(self, **given: object) -> Session:
        settings: dict[str, object] = {"timeout": 0.4, "retries": 2, "contact": "https://example.org/np"}
        return Session(
            clock=self.seconds, sleep=self.sleep, chance=lambda: 0.5, now=self.now, **(settings | given)  # type: ignore[arg-type]
        )  # fmt: skip


class Table:
    """A practice forum with a host signed in through a live adapter, two players, and a topic."""

    def __init__(self, **given: object) -> None:
        self.clock = Clock()
        self.forum = PracticeForum(clock=self.clock.now, **given)  # type: ignore[arg-type]
        for name in ("Host", "Anna", "O'Brien & Sons"):
            self.forum.add_user(name)
        self.topic = self.forum.add_topic("The Lighthouse", "Host", "The [b]lamp[/b] is out.")
        self.forum.start()
        self.live = LivePhpbb(self.forum.url, self.clock.session(), now=self.clock.now)

    @property
    def t(self) -> str:
        return str(self.topic)

    def talk(self, count: int) -> list[str]:
        """Anna posts `count` times, a minute apart."""
        ids = []
        for number in range(count):
            self.clock.moment += timedelta(minutes=1)
            ids.append(str(self.forum.post(self.topic, "Anna", f"words number {number}")))
        return ids

    def texts(self) -> list[str]:
        return [post.text for post in self.forum.posts(self.topic)]
