"""Killed between any two steps of a tick, and whatever becomes of an answer: all is sent once, and nothing is lost.

The steps are every request to the forum, every transaction of the record, every writing of a file. The game is played on the
practice forum over HTTP (quality.md, "Bad days", the first row).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from http.cookiejar import MozillaCookieJar
from pathlib import Path
from typing import Any

import pytest
import requests

from demo.practice import PracticeForum
from desk.outgoing import handle
from publisher.forum import COOKIES
from scheduler import replay
from store.record import Record
from tests.live_game import LiveGame
from tests.practice_kit import Clock


class Killed(BaseException):
    """The process dies here."""


class Steps:
    """Counts what reaches the outside, before and after each; dies at the step `doomed`."""

    def __init__(self) -> None:
        self.taken = 0
        self.doomed: int | None = None
        self.told: list[str] = []
        self.writing = False

    def step(self, what: str) -> None:
        self.told.append(what)
        self.taken += 1
        if self.taken - 1 == self.doomed:
            raise Killed(what)

    def around(self, what: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*given: Any, **more: Any) -> Any:
            assert not self.writing, "nobody waits for the forum with the record in hand"
            self.step(f"before {what}")
            answer = method(*given, **more)
            self.step(f"after {what}")
            return answer

        return inner


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    counted = Steps()
    together = Record.together

    @contextmanager
    def watched(record: Record) -> Iterator[None]:
        if record.db.conn.in_transaction:  # one within another is written with it
            with together(record):
                yield
            return
        with together(record):
            counted.writing = True
            try:
                yield
            finally:
                counted.writing = False
            counted.step("before it is written")
        counted.step("after it is written")

    monkeypatch.setattr(Record, "together", watched)
    monkeypatch.setattr(requests.Session, "request", counted.around("a request", requests.Session.request))
    monkeypatch.setattr(MozillaCookieJar, "save", counted.around("the cookies", MozillaCookieJar.save))
    monkeypatch.setattr(Path, "replace", counted.around("a file in place", Path.replace))
    return counted


@pytest.fixture(scope="module")
def forum() -> Iterator[PracticeForum]:
    clock = Clock()
    with PracticeForum(clock=clock.now) as served:
        served.clock = clock  # type: ignore[attr-defined]
        yield served


def due(folder: Path, forum: PracticeForum) -> LiveGame:
    """A game with a standing tally whose next tick has everything to do: votes and an order to read, a phase to close, a
    tally to edit, posts to make, messages to send, and to sign in first."""
    game = LiveGame(folder, forum, forum.clock).begin()  # type: ignore[attr-defined]
    table = game.record()
    for draft in table.record.drafts():
        wanted = draft.kind == "role" and draft.audience in ("Anna", "Cleo")
        table.record.change_draft(draft.id, state="review" if wanted else "dropped")
    table.record.close()
    game.vote("Anna", "Dmitri", 1)
    game.at(3).tick()
    table = game.record()
    for draft in table.record.drafts("review"):
        table.record.change_draft(draft.id, state="approved")
    table.record.close()
    game.vote("Elena", "Dmitri", 20)
    game.vote("Dmitri", "Boris", 21)
    game.vote("Cleo", "Boris", 49)
    game.order("Cleo", "stake out Anna", 22)
    (folder / COOKIES).unlink()
    forum.expire()
    return game.at(49.9)


class Start:
    """A game, its forum and its clock as they were, to play on from as often as needed."""

    def __init__(self, game: LiveGame) -> None:
        self.game, self.memory, self.moment = game, game.forum.memory(), game.clock.moment

    def again(self, folder: Path) -> LiveGame:
        shutil.copytree(self.game.folder, folder)
        self.game.forum.recall(self.memory)
        self.game.clock.moment = self.moment
        return replace(self.game, folder=folder)


def came_of(game: LiveGame) -> dict[str, object]:
    """All that players and GM can see of it; how long is left depends on when one looks."""
    seen = {"thread": game.thread(), "letters": game.letters(), **game.kept()}
    return {name: re.sub(r"\d+ (?:day|hour|minute)s?", "some time", repr(value)) for name, value in seen.items()}


def test_killed_between_any_two_steps(forum: PracticeForum, tmp_path: Path, steps: Steps) -> None:
    start = Start(due(tmp_path / "start", forum))
    calm = start.again(tmp_path / "calm")
    steps.taken, steps.told = 0, []
    report = calm.tick()
    expected, number, told = came_of(calm), steps.taken, list(steps.told)
    assert (report.closed, report.trouble) == (["trial 1"], [])
    assert len(calm.own()) == 3  # the first post, the tally, the report
    assert [len(letters) for letters in calm.letters().values()] == [1, 0, 2, 0, 0]
    assert told.count("before a request") > 15
    assert told.count("before it is written") > 15
    assert told.count("before the cookies") >= 2
    # Before a step the world is as it was after the one before it: one of the two tells.
    for doomed in [0, *(at for at in range(number) if told[at].startswith("after"))]:
        cut = start.again(tmp_path / str(doomed))
        steps.taken, steps.doomed = 0, doomed
        with pytest.raises(Killed):
            cut.tick()
        steps.doomed = None
        assert not cut.at(49.95).tick().trouble, told[doomed]
        assert came_of(cut) == expected, f"killed at step {doomed}, {told[doomed]}"
        if doomed % 16 == 0:
            assert replay(cut.folder) == []


@pytest.fixture(scope="module")
def begun(forum: PracticeForum, tmp_path_factory: pytest.TempPathFactory) -> tuple[Start, dict[str, str]]:
    """The game about to have everything to do, and what comes of it when nothing goes wrong."""
    start = Start(due(tmp_path_factory.mktemp("begun") / "start", forum))
    calm = start.again(tmp_path_factory.mktemp("begun") / "calm")
    assert not calm.tick().trouble
    return start, came_of(calm)


PLACES = {
    "reply": {"path": "mode=reply", "method": "POST"},
    "edit": {"path": "mode=edit", "method": "POST"},
    "message": {"path": "mode=compose", "method": "POST", "spare": 1},  # the first one only looks up the name
    "first form": {"path": "mode=reply", "method": "GET"},
}
ANSWERS = (
    "lost_answer", "late_answer", "error_after", "hang_up", "no_answer", "error", "too_many", "maintenance", "form_again",
    "login_page", "empty", "half_page", "challenge", "elsewhere",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ANSWERS)
def test_whatever_is_answered(begun: tuple[Start, dict[str, str]], tmp_path: Path, place: str, kind: str) -> None:
    """The forum may take what is sent or not, and answer in time or not: it is sent once in the end."""
    start, expected = begun
    game = start.again(tmp_path / "game")
    game.session = {"timeout": 0.15}
    game.forum.fault(kind, **PLACES[place])  # type: ignore[arg-type]
    game.tick()
    game.forum.clear_faults()
    assert not game.at(49.95).tick().trouble
    assert came_of(game) == expected


@pytest.mark.parametrize("kind", ["lost_answer", "late_answer", "error_after", "hang_up"])
def test_every_answer_is_lost(begun: tuple[Start, dict[str, str]], tmp_path: Path, kind: str) -> None:
    """Nothing that is sent is ever heard of; each tick settles one post or message more."""
    start, expected = begun
    game = start.again(tmp_path / "game")
    game.session = {"timeout": 0.15}
    for _ in range(6):
        game.forum.fault(kind, 99, path="posting.php", method="POST")
        game.forum.fault(kind, 99, path="mode=compose", method="POST", spare=1)
        game.tick()
        game.forum.clear_faults()
        game.clock.sleep(60)
        if kind == "hang_up":
            break
    assert not game.tick().trouble
    assert came_of(game) == expected


@pytest.mark.parametrize("shown", [False, True])
def test_held_for_a_moderator(begun: tuple[Start, dict[str, str]], tmp_path: Path, shown: bool) -> None:
    start, expected = begun
    game = start.again(tmp_path / "game")
    game.forum.moderate("Monokuma", shown=shown)
    report = game.tick()
    assert "moderator" in report.trouble[0]
    for _ in range(3):
        game.clock.sleep(60)
        assert not game.tick().trouble, "said once"
    everything = game.forum.board.topics[game.topic].posts
    assert sum(not post.approved for post in everything) == 1, "not sent again"
    game.forum.moderate("Monokuma", False)
    game.forum.approve(game.topic)
    game.tick()
    assert came_of(game) == expected


def test_a_tally_that_changed_before_its_post_was_heard_of_is_edited(
    begun: tuple[Start, dict[str, str]], tmp_path: Path
) -> None:
    start, _ = begun
    game = LiveGame(tmp_path / "game", start.game.forum, start.game.clock).begin()
    table = game.record()
    for draft in table.record.drafts():
        table.record.change_draft(draft.id, state="dropped")
    table.record.close()
    game.vote("Anna", "Boris", 1)
    game.forum.fault("lost_answer", path="mode=reply", method="POST")
    assert game.at(3).tick().trouble
    game.vote("Cleo", "Boris", 4)
    assert not game.at(5).tick().trouble
    assert not game.at(5.1).tick().trouble
    (_, tally) = game.own()
    assert "Cleo[/url]" in tally.partition("Not voting")[0]


def test_words_changed_by_hand_after_they_went_out_unheard(begun: tuple[Start, dict[str, str]], tmp_path: Path) -> None:
    start, _ = begun
    game = start.again(tmp_path / "game")
    game.forum.fault("lost_answer", path="mode=reply", method="POST")
    game.tick()
    table = game.record()
    (draft,) = (one for one in table.record.drafts("sending") if one.kind == "report")
    table.record.change_draft(draft.id, body="In other words.")
    table.record.close()
    game.tick()
    assert len(game.own()) == 3
    assert game.own()[-1] == "In other words."


def test_what_is_done_with_a_message_that_went_out_unheard_changes_it_no_more_and_the_gm_is_told(
    begun: tuple[Start, dict[str, str]], tmp_path: Path
) -> None:
    start, _ = begun
    game = start.again(tmp_path / "game")
    game.tick()
    table = game.record()
    for player in ("Anna", "Elena"):
        table.record.add_draft(
            f"to {player}", "private", player, "News", f"News for {player}.", "approved", game.clock.now(), None
        )
    for player, action in (("Anna", "edit"), ("Elena", "drop")):
        game.clock.sleep(60)
        game.forum.fault("lost_answer", path="mode=compose", method="POST", spare=1)
        assert game.tick().trouble
        (draft,) = (one for one in table.record.drafts() if one.key == f"to {player}")
        told = list(handle(game.folder, action, [draft.id], lambda body: "Other news.", game.clock.now()))
        assert ("may have gone out" in told[0]) == (action == "drop")
    assert not game.tick().trouble
    anna, _ = (one for one in table.record.drafts() if one.key.startswith("to "))
    assert (anna.state, anna.body) == ("posted", "News for Anna.")
    assert "has gone out as it was" in str(anna.error)
    assert [game.letters()[player][-1][1] for player in ("Anna", "Elena")] == ["News for Anna.", "News for Elena."]
    table.record.close()


@pytest.mark.parametrize("titles", [("Again", "Again"), ("Night 1", "Night 2")])
def test_the_same_message_twice_is_sent_twice(
    begun: tuple[Start, dict[str, str]], tmp_path: Path, titles: tuple[str, str]
) -> None:
    """Two messages with the same words, the second cut off before it left: the first is not taken for it."""
    start, _ = begun
    game = start.again(tmp_path / "game")
    game.tick()
    table = game.record()
    for number, title in enumerate(titles):
        table.record.add_draft(f"more {number}", "private", "Elena", title, "The same words.", "approved", game.clock.now(), None)
    table.record.close()
    game.clock.sleep(60)
    game.forum.fault("hang_up", path="mode=compose", method="POST", spare=3)
    assert game.tick().trouble
    assert len(game.letters()["Elena"]) == 1
    assert not game.tick().trouble
    assert len(game.letters()["Elena"]) == 2


@pytest.mark.parametrize("place", ["reply", "message"])
@pytest.mark.parametrize("kind", ["login_page", "error", "challenge", "half_page", "expired"])
def test_not_being_able_to_look_is_no_leave_to_send_again(
    begun: tuple[Start, dict[str, str]], tmp_path: Path, place: str, kind: str
) -> None:
    start, expected = begun
    game = start.again(tmp_path / "game")
    game.forum.fault("lost_answer", **PLACES[place])  # type: ignore[arg-type]
    assert game.tick().trouble
    host = game.forum.board.user("Monokuma")
    host.password = "changed" if kind == "expired" else host.password
    for path in ("viewtopic", "folder=sentbox", "index.php"):
        game.forum.fault(kind, 99, path=path)
    assert game.tick().trouble
    game.forum.clear_faults()
    host.password, host.wrong = "secret", 0
    game.clock.moment += timedelta(minutes=20 if kind == "expired" else 0)  # a refused log-in is not tried again at once
    assert not game.tick().trouble
    assert came_of(game) == expected
