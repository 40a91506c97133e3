"""How much a tick asks of the forum: what is new, and nothing twice (quality.md, "Speed")."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from demo.practice import PracticeForum
from tests.live_game import T0, LiveGame
from tests.practice_kit import Clock


@pytest.fixture(params=[45, 205])
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LiveGame]:
    """A game in a topic of that many posts, read and posted in already."""
    clock = Clock()
    with PracticeForum(clock=clock.now, per_page=10) as forum:
        made = LiveGame(tmp_path / "game", forum, clock).begin()
        talk(made, request.param)
        made.at(1).tick()
        pages = -(-(request.param + 1) // 10)
        assert forum.asked("viewtopic", "GET") <= pages + 1, "each page once, and one more for signing in"
        made.at(1.1).tick()
        forum.requests.clear()
        yield made.at(1.2)


def talk(game: LiveGame, count: int) -> None:
    for number in range(count):
        game.forum.post(game.topic, "Anna", f"words {number}", T0 + timedelta(minutes=30, seconds=number))


def test_nothing_new_is_one_request_for_the_thread_and_one_for_the_inbox(game: LiveGame) -> None:
    game.tick()
    assert (game.forum.asked("viewtopic"), game.forum.asked("folder=inbox"), len(game.forum.requests)) == (1, 1, 2)


@pytest.mark.parametrize("new", [1, 10, 35])
def test_new_posts_cost_their_pages(game: LiveGame, new: int) -> None:
    for number in range(new):
        game.forum.post(game.topic, "Cleo", f"more words {number}")
    report = game.tick()
    assert report.posts == new
    assert game.forum.asked("viewtopic") <= 2 + new // 10


def test_a_message_costs_a_look_at_the_folder(game: LiveGame) -> None:
    game.order("Cleo", "thank you", 1.15)
    report = game.tick()
    assert report.messages == 1
    assert game.forum.asked("ucp.php") <= 2


def test_the_first_look_at_the_inbox_ends_where_the_game_began(tmp_path: Path) -> None:
    clock = Clock()
    with PracticeForum(clock=clock.now) as forum:
        game = LiveGame(tmp_path / "game", forum, clock).begin()
        for day in range(120):
            game.order("Anna", f"an old game, day {day}", -24 * day - 1)
        game.order("Anna", "shadow Boris", 1)
        assert game.at(2).tick().messages == 1
        assert forum.asked("folder=inbox") == 1


def test_a_long_topic_is_read_once_however_often_the_forum_falters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("publisher.forum.AT_ONCE", 10)
    clock = Clock()
    with PracticeForum(clock=clock.now, per_page=2) as forum:
        game = LiveGame(tmp_path / "game", forum, clock).begin()
        talk(game, 119)
        for spare in (30, 25):
            forum.fault("error", 3, path="viewtopic", spare=spare)
            assert game.at(1).tick().trouble
            forum.clear_faults()
        assert forum.asked("viewtopic") < 30 + 25 + 10
        assert not game.at(1.1).tick().trouble
        assert forum.asked("viewtopic") < 60 + 3 * 11 + 10, "60 pages, and what was not yet kept"
        assert len(game.kept()["posts"]) == 119  # type: ignore[arg-type]
