"""A forum that lets only so many messages out an hour: the rest waits, and the thread does not wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.practice import PracticeForum
from scraper.forum import FloodLimit
from scraper.live_phpbb import LivePhpbb
from tests.live_game import PLAYERS, LiveGame
from tests.practice_kit import Clock


@pytest.fixture
def game(tmp_path: Path) -> Iterator[LiveGame]:
    clock = Clock()
    with PracticeForum(clock=clock.now) as forum:
        yield LiveGame(tmp_path / "game", forum, clock).begin()


def test_messages_wait_for_the_next_hour_and_the_thread_goes_on(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    send = LivePhpbb.send_message
    left = [2]

    def limited(live: LivePhpbb, to: str, subject: str, bbcode: str) -> None:
        if not left[0]:
            raise FloodLimit("The forum says: two an hour.", wait=3600)
        left[0] -= 1
        send(live, to, subject, bbcode)

    monkeypatch.setattr(LivePhpbb, "send_message", limited)
    table = game.record()
    for draft in table.record.drafts("review"):
        table.record.change_draft(draft.id, state="approved")
    table.record.close()
    report = game.tick()
    assert [len(letters) for letters in game.letters().values()] == [1, 1, 0, 0, 0]
    assert len(report.trouble) == 1
    assert len(game.own()) == 4  # the topic, the rules, the opening and the first tally
    for hour, written in ((1, 4), (2, 5)):
        left[0] = 2
        game.at(hour).tick()
        assert sum(len(letters) for letters in game.letters().values()) == written
    assert all(len(game.letters_of(name)) == 1 for name in PLAYERS)
