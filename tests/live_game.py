"""What the tests of a game on a forum share: a practice forum over HTTP, a game played on it, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from demo.practice import PracticeForum
from desk.settings import load_settings
from desk.table import Table
from publisher.forum import COOKIES, ForumOutlet
from scheduler import Report, start, tick
from scraper.live_phpbb import LivePhpbb
from tests.practice_kit import Clock
from tests.test_tick import GAME, red

T0 = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)
PLAYERS = ("Anna", "Boris", "Cleo", "Dmitri", "Elena")
TRIAL = 48
"""Hours until the deadline of the first phase."""


@dataclass
class LiveGame:
    """A game in `folder` on a practice forum; time stands still but for waiting, `at` and `later`."""

    folder: Path
    forum: PracticeForum
    clock: Clock
    more: str = ""
    password: str = "secret"
    topic: int = 0
    session: dict[str, object] = field(default_factory=dict)

    def begin(self) -> LiveGame:
        """Fill the forum with the players and the topic, and start the game."""
        self.forum.clear()
        self.clock.moment = T0
        self.forum.add_user("Monokuma", self.password)
        for name in (*PLAYERS, "A stranger"):
            self.forum.add_user(name)
        self.topic = self.forum.add_topic("A School Trip", "Monokuma", "It begins.")
        self.folder.mkdir(exist_ok=True)
        text = GAME.replace('saved = "saved"', f'url = "{self.forum.url}viewtopic.php?t={self.topic}"')
        (self.folder / "game.toml").write_text(text + self.more, encoding="utf-8")
        table = Table.at(self.folder)
        start(table, T0)
        table.record.close()
        return self

    def at(self, hours: float) -> LiveGame:
        """It is so many hours after the start."""
        self.clock.moment = T0 + timedelta(hours=hours)
        return self

    def vote(self, by: str, target: str, hours: float) -> int:
        """A vote in the thread."""
        return self.forum.post(self.topic, by, f"I say {red(target)}", T0 + timedelta(hours=hours))

    def order(self, by: str, text: str, hours: float) -> int:
        """A private message to the host."""
        return self.forum.send_pm(by, "Monokuma", "order", text, T0 + timedelta(hours=hours))

    def outlet(self) -> ForumOutlet:
        """The game's forum, as a fresh process would open it: with the cookies of the last one."""
        settings = load_settings(self.folder)
        session = self.clock.session(cookie_file=self.folder / COOKIES, **self.session)
        live = LivePhpbb(self.forum.url, session, now=self.clock.now)
        live.use_account("Monokuma", self.password)
        return ForumOutlet(settings, live, str(self.topic), member=True)

    def tick(self) -> Report:
        """One run of the worker now."""
        return tick(self.folder, now=self.clock.now(), outlet=self.outlet())

    def thread(self) -> list[tuple[str, str]]:
        """Who posted what, in the thread's order."""
        return [(post.author.name, post.text) for post in self.forum.posts(self.topic)]

    def own(self) -> list[str]:
        """The host's posts."""
        return [text for name, text in self.thread() if name == "Monokuma"]

    def letters(self) -> dict[str, list[tuple[str, str]]]:
        """What each player got from the host, in the order sent."""
        return {name: self.letters_of(name) for name in PLAYERS}

    def letters_of(self, player: str) -> list[tuple[str, str]]:
        """What one player got."""
        return [(one.subject, one.text) for one in reversed(self.forum.messages(player))]

    def record(self) -> Table:
        """The game's table; whoever asks closes it."""
        return Table.at(self.folder)

    def kept(self) -> dict[str, object]:
        """What the record holds, without moments of work."""
        table = self.record()
        try:
            rows = table.record.db
            return {
                "events": [str(event.to_record()) for event in table.record.events()],
                "outbox": [(one.key, one.state, one.body, one.audience) for one in table.record.drafts()],
                "posts": [
                    (row["post"], row["bbcode"], row["deleted"])
                    for row in rows.query("select * from posts order by seq")
                    if row["author"] != "Monokuma"
                ],
                "messages": [(r["message"], r["body"]) for r in rows.query("select * from messages order by seq")],
                "phases": [(str(p.label), p.opened_at, p.closed_at) for p in table.record.phases()],
                "open": table.record.bookmark("attempts") or {},
            }
        finally:
            table.record.close()
