"""A small game on Discourse and on XenForo, from the rules to a death, each answer lost once on the way: nothing is said twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import responses

from desk.settings import load_settings
from desk.table import Table
from publisher.forum import ForumOutlet
from scheduler import start, tick
from scraper.forum import Forum
from scraper.live_discourse import LiveDiscourse
from scraper.live_xenforo import LiveXenforo
from tests import discourse_kit, xenforo_kit
from tests.live_game import PLAYERS, T0
from tests.practice_kit import Clock
from tests.test_tick import GAME, red


class Elsewhere:
    """A game in `folder` on one of the forums, reached in one of two ways."""

    def __init__(self, folder: Path, kind: str, key: bool) -> None:
        self.folder, self.kind, self.key, self.lost = folder, kind, key, 0
        self.clock = Clock()
        self.clock.moment = T0
        people = ("Monokuma", *PLAYERS, "Professor")
        self.discourse = discourse_kit.Board(clock=self.clock, users=people)
        self.xenforo = xenforo_kit.Board(clock=self.clock, users=people, title="A School Trip", me="Monokuma")
        self.say("Monokuma", "It begins.", "It begins.")
        folder.mkdir()
        url = f"{discourse_kit.SITE}t/a-school-trip/55" if kind == "discourse" else f"{xenforo_kit.SITE}threads/a-school-trip.55/"
        (folder / "game.toml").write_text(GAME.replace('saved = "saved"\nkind = "phpbb"', f'url = "{url}"\nkind = "{kind}"'), "utf-8")
        table = Table.at(folder)
        start(table, T0)
        table.record.close()

    def say(self, by: str, raw: str, cooked: str) -> None:
        if self.kind == "discourse":
            self.discourse.say(by, raw, cooked=f"<p>{cooked}</p>")
        else:
            self.xenforo.say(by, raw)

    def vote(self, by: str, target: str, hours: float) -> None:
        now, self.clock.moment = self.clock.moment, T0 + timedelta(hours=hours)
        self.say(by, red(target), f'<strong><span style="color:red">{target}</span></strong>')
        self.clock.moment = now

    def tick(self, hours: float) -> None:
        self.clock.moment = max(self.clock.moment, T0 + timedelta(hours=hours))
        session = self.clock.session()
        live: Forum
        if self.kind == "discourse":
            live = LiveDiscourse(discourse_kit.SITE, session, now=self.clock.now)
        else:
            live = LiveXenforo(xenforo_kit.SITE, session, now=self.clock.now)
        if self.key:
            live.use_key("Monokuma", discourse_kit.KEY if self.kind == "discourse" else xenforo_kit.KEY)
        else:
            live.use_account("Monokuma", "secret")
        tick(self.folder, now=self.clock.now(), outlet=ForumOutlet(load_settings(self.folder), live, "55", member=True))

    def lose(self, path: str) -> bool:
        """Every second answer to what was sent is lost."""
        if "session" in path or "login" in path or not re.search(r"posts|reply|/edit|add|conversations", path):
            return False
        self.lost += 1
        return self.lost % 2 == 0

    def own(self) -> list[str]:
        if self.kind == "discourse":
            return [item.raw for item in self.discourse.topics[55].posts if item.by == "Monokuma"]
        return [item.text for item in self.xenforo.posts if item.by == "Monokuma"]

    def letters(self) -> list[tuple[str, str]]:
        """To whom the host wrote first, and what."""
        if self.kind == "discourse":
            return [(topic.people[1], topic.posts[0].raw) for topic in self.discourse.topics.values() if topic.people]
        return [(talk.people[1], talk.items[0].text) for talk in self.xenforo.talks]


@pytest.fixture(params=[("discourse", False), ("discourse", True), ("xenforo", False), ("xenforo", True)], ids=lambda way: f"{way[0]}-{'key' if way[1] else 'password'}")
def game(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Elsewhere]:
    made = Elsewhere(tmp_path / "game", *request.param)
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        for method in ("GET", "POST", "PUT"):
            web.add_callback(method, re.compile(re.escape(discourse_kit.SITE)), callback=made.discourse)
            web.add_callback(method, re.compile(re.escape(xenforo_kit.SITE)), callback=made.xenforo)
        yield made


def test_a_game_is_played(game: Elsewhere) -> None:
    game.discourse.lose = game.xenforo.lose = game.lose
    for step in range(16):  # enough for what was lost to be found again
        game.tick(0.1 + step / 10)
    letters = game.letters()
    assert sorted(name for name, _ in letters) == sorted(PLAYERS)
    assert game.lost > 5
    for by in ("Anna", "Cleo", "Dmitri"):
        game.vote(by, "Boris", 2)
    game.vote("Boris", "Cleo", 3)
    for hours in (4, 5, 6):
        game.tick(hours)
    tallies = [text for text in game.own() if "Votes in trial" in text]
    assert len(tallies) == 1
    assert ("| Boris | 3 |" if game.kind == "discourse" else "[td]Boris[/td][td]3[/td]") in tallies[0]
    for step in range(12):
        game.tick(48.1 + step / 10)
    own = game.own()
    assert len(own) == len(set(own))
    assert len([text for text in own if "Votes in trial" in text]) == 1
    assert any("Boris" in text and "executed" in text.lower() for text in own), own[-3:]
    assert any("[size=6][b]" in text for text in own) == (game.kind == "xenforo")
    assert any(text.startswith("## ") for text in own) == (game.kind == "discourse")
    for name in PLAYERS:
        sent = [text for to, text in game.letters() if to == name]
        assert len(sent) == len(set(sent))
