"""Each row of quality.md's table "Bad days", on the practice forum over HTTP.

Row 1, the process killed at any point, has files of its own: test_exactly_once.py and test_crash.py.
"""

from __future__ import annotations

import errno
import fcntl
import sqlite3
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import nightpost
from demo.practice import PracticeForum
from desk.commands import command
from desk.outgoing import handle
from publisher.forum import ForumOutlet
from publisher.pager import page
from scheduler import LEASE, Report, replay, resolve_now, tick
from scraper.model import BadInput
from store.record import Draft, Record, StoreError
from tests.live_game import T0, TRIAL, LiveGame
from tests.practice_kit import Clock
from tests.test_clock import into
from tests.test_tick import red


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[PracticeForum, Clock]]:
    clock = Clock()
    with PracticeForum(clock=clock.now) as forum:
        yield forum, clock


@pytest.fixture
def game(served: tuple[PracticeForum, Clock], tmp_path: Path) -> LiveGame:
    """A game with a vote that has been read and a tally that stands."""
    forum, clock = served
    forum.board.flood_seconds = 15
    made = LiveGame(tmp_path / "game", forum, clock).begin()
    quiet(made)
    made.vote("Anna", "Dmitri", 1)
    assert not made.at(2).tick().trouble
    forum.requests.clear()
    clock.slept.clear()
    return made


def quiet(game: LiveGame) -> None:
    """Leave out what is posted at the start."""
    table = game.record()
    for draft in table.record.drafts():
        table.record.change_draft(draft.id, state="dropped")
    table.record.close()


def notices(game: LiveGame) -> str:
    table = game.record()
    told = "\n".join(text for _, text in table.record.notices())
    table.record.close()
    return told


def counted(game: LiveGame, phase: int = 1) -> dict[str, int]:
    """The votes that a closed trial was resolved with."""
    table = game.record()
    votes = next(event for event in table.record.events(phase) if event.kind == "tally")["published"]
    table.record.close()
    return dict(votes)


def states(game: LiveGame) -> dict[str, tuple[str, str | None]]:
    table = game.record()
    found = {one.key: (one.state, one.error) for one in table.record.drafts() if one.state != "dropped"}
    table.record.close()
    return found


def versions(game: LiveGame, post: int) -> list[tuple[str, bool]]:
    table = game.record()
    rows = table.record.db.query("select bbcode, deleted from posts where post = ? order by seq", [str(post)])
    found = [(row["bbcode"], bool(row["deleted"])) for row in rows]
    table.record.close()
    return found


# ---------------------------------------------------------------------- two ticks at once


def test_two_ticks_at_once_cron_overlaps(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    posts, other = ForumOutlet.posts, []

    def slow(outlet: ForumOutlet, record: Record, now: Any) -> Any:
        monkeypatch.setattr(ForumOutlet, "posts", posts)
        other.append(game.tick())
        return posts(outlet, record, now)

    monkeypatch.setattr(ForumOutlet, "posts", slow)
    game.vote("Cleo", "Dmitri", 3)
    report = game.at(4).tick()
    assert [(one.busy, one.status) for one in other] == [(True, 0)]
    assert not report.busy
    assert len(game.own()) == 2


def test_two_ticks_at_once_two_machines_on_one_folder(game: LiveGame) -> None:
    table = game.record()
    assert table.record.lease("elsewhere", game.clock.now(), game.clock.now() + LEASE)
    table.record.close()
    game.forum.requests.clear()
    report = game.tick()
    assert (report.busy, report.status, game.forum.requests) == (True, 0, [])


# ---------------------------------------------------------------------- the forum answers, but not with the page

AGAIN = ("no_answer", "hang_up", "broken_page", "error", "busy", "too_many", "maintenance", "challenge_503", "half_page", "empty")
"""What is worth asking again at once, a little later each time."""
NOT_AGAIN = ("login_page", "challenge", "other_topic", "elsewhere")


@pytest.mark.parametrize("place", ["viewtopic", "folder=inbox"])
@pytest.mark.parametrize("kind", [*AGAIN, *NOT_AGAIN])
def test_never_read_as_no_posts(game: LiveGame, kind: str, place: str) -> None:
    if kind == "other_topic":
        if place != "viewtopic":
            return
        game.forum.add_topic("Another", "Anna", red("Boris"))
    if kind == "no_answer":
        game.session = {"timeout": 0.2}
    game.vote("Cleo", "Boris", 20)
    game.vote("Elena", "Boris", 21)
    game.order("Elena", "withdraw consult", 22)
    game.forum.fault(kind, 99, path=place)
    report = game.at(50).tick()
    assert (report.status, report.closed, report.sent) == (3, [], [])
    assert report.trouble[0].endswith((".", ")"))
    assert report.trouble[0] in notices(game)
    if kind in AGAIN:
        assert game.forum.asked(place) == 3, "retried"
        waits = [wait for wait in game.clock.slept if wait != 1.0]
        assert waits, "with back-off"
    assert len(game.own()) == 2
    game.forum.clear_faults()
    report = game.at(50.2).tick()
    assert (report.status, report.closed) == (0, ["trial 1"])
    assert counted(game) == {"Boris": 2, "Dmitri": 1}


@pytest.mark.parametrize("kind", ["half_page", "empty"])
@pytest.mark.parametrize("place", ["viewtopic", "folder=inbox", "mode=edit"])
def test_a_page_that_breaks_off_once_is_asked_for_again_and_is_no_trouble(game: LiveGame, kind: str, place: str) -> None:
    game.vote("Cleo", "Boris", 3)
    game.order("Elena", "consult Anna", 3)
    game.forum.fault(kind, 1, path=place, method="GET")
    report = game.at(4).tick()
    assert (report.status, report.posts, report.messages) == (0, 2, 1)
    assert "Cleo[/url]" in game.own()[-1].partition("Not voting")[0]


# ---------------------------------------------------------------------- sessions, forms and rights


def test_session_expired_between_two_ticks(game: LiveGame) -> None:
    game.forum.expire()
    game.vote("Cleo", "Dmitri", 3)
    assert not game.at(4).tick().trouble
    assert "Cleo[/url]" in game.own()[-1].partition("Not voting")[0]


@pytest.mark.parametrize("place", ["viewtopic", "folder=inbox", "mode=edit", "mode=compose"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_session_expired_in_the_middle(game: LiveGame, place: str, method: str) -> None:
    game.vote("Cleo", "Dmitri", 3)
    game.order("Elena", "consult Anna", 3)
    game.forum.fault("expired", path=place, method=method)
    assert not game.at(4).tick().trouble
    assert "Cleo[/url]" in game.own()[-1].partition("Not voting")[0]
    assert len(game.letters()["Elena"]) == 1


def test_a_forum_that_is_away_is_told_of_once_though_posts_wait(game: LiveGame) -> None:
    two_letters(game)
    game.forum.fault("maintenance", 99)
    report = game.at(4).tick()
    assert (report.status, len(report.trouble)) == (3, 1)
    game.forum.clear_faults()
    assert len(game.at(5).tick().sent) == 2


def test_a_wrong_password_is_tried_once_and_told_once_though_posts_wait(game: LiveGame) -> None:
    two_letters(game)
    game.forum.expire()
    game.password = "wrong"
    report = game.at(4).tick()
    assert game.forum.asked("mode=login", "POST") == 1  # the third calls for a CAPTCHA
    assert len(report.trouble) == 1
    assert report.status == 3
    assert game.at(4.1).tick().status == 3
    assert game.forum.asked("mode=login", "POST") == 1


def test_cookies_spare_the_login(game: LiveGame) -> None:
    assert not game.at(3).tick().trouble
    assert game.forum.asked("mode=login") == 0
    assert [request.user for request in game.forum.requests] == ["Monokuma"] * 2


def test_form_token_stale(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody pulls the plug for three hours between the form and its sending."""
    sleep, naps = game.clock.sleep, [3 * 3600]
    monkeypatch.setattr(game.clock, "sleep", lambda seconds: sleep(naps.pop() if naps and seconds == 1.0 else seconds))
    game.vote("Cleo", "Dmitri", 3)
    assert not game.at(4).tick().trouble
    assert "Cleo[/url]" in game.own()[-1].partition("Not voting")[0]


def two_letters(game: LiveGame) -> None:
    table = game.record()
    for name in ("Anna", "Elena"):
        table.record.add_draft(name, "private", name, "Hush", f"For {name}.", "approved", game.clock.now(), None)
    table.record.close()


def test_flood_control_is_waited_out(game: LiveGame) -> None:
    two_letters(game)
    assert not game.at(4).tick().trouble
    assert 15.0 in game.clock.slept
    assert [len(game.letters()[name]) for name in ("Anna", "Elena")] == [1, 1]


def test_flood_control_without_end_keeps_the_draft(game: LiveGame) -> None:
    two_letters(game)
    game.forum.board.flood_seconds = 3600
    report = game.at(4).tick()
    assert "too soon" in report.trouble[0]
    assert states(game)["Elena"][0] == "approved"
    assert not game.at(6).tick().trouble
    assert [len(game.letters()[name]) for name in ("Anna", "Elena")] == [1, 1]


def test_topic_locked_keeps_the_draft_and_messages_go_out(game: LiveGame) -> None:
    game.forum.lock(game.topic)
    report = game.at(50).tick()
    assert "locked" in notices(game)
    assert any("Ask a moderator to open the topic" in text for text in report.trouble)
    assert states(game)["report 1"][0] == "approved"
    two_letters(game)
    game.at(50.1).tick()
    assert len(game.letters()["Anna"]) == 1
    game.forum.lock(game.topic, False)
    assert not game.at(50.2).tick().trouble
    assert {state for state, _ in states(game).values()} == {"posted"}
    assert notices(game).count("The topic is locked") == 1
    assert "open again" in notices(game)


def test_a_folder_on_a_disk_without_locks_is_told_and_not_taken_for_busy(
    game: LiveGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.raises(BadInput, match="cannot be locked: No locks available"):
        game.at(3).tick()


@pytest.fixture(params=[False, True], ids=["hidden", "shown"])
def shown(request: pytest.FixtureRequest) -> bool:
    """Whether the forum shows an author what of his waits for a moderator."""
    return bool(request.param)


def test_post_needs_approval_says_so_and_is_not_sent_again(game: LiveGame, shown: bool) -> None:
    game.forum.moderate("Monokuma", shown=shown)
    report = game.at(50).tick()
    assert any("Ask a moderator to approve it" in text for text in report.trouble)
    assert not game.at(50.1).tick().trouble
    assert sum(not post.approved for post in game.forum.board.topics[game.topic].posts) == 1
    game.forum.approve(game.topic)
    game.at(50.2).tick()
    assert states(game)["report 1"] == ("posted", None)


@pytest.mark.parametrize("let_through", [True, False])
def test_a_post_that_a_moderator_has_refused_is_sent_anew_where_the_gm_says_so(
    game: LiveGame, let_through: bool, shown: bool
) -> None:
    game.forum.moderate("Monokuma", shown=shown)
    assert "sent anew with: nightpost outbox approve" in game.at(50).tick().trouble[0]
    (held,) = (post for post in game.forum.board.topics[game.topic].posts if not post.approved)
    if not let_through:
        game.forum.delete(held.id)
    assert not game.at(50.1).tick().sent
    (draft,) = (one for one in game.record().record.drafts("sending"))
    assert "anew unless" in next(handle(game.folder, "approve", [draft.id], lambda text: None, game.clock.now()))
    if let_through:
        game.forum.approve(game.topic)
    for hours in (50.2, 50.3):
        game.at(hours).tick()
    waiting = [post for post in game.forum.board.topics[game.topic].posts if not post.approved]
    assert len(waiting) == (0 if let_through else 1)
    assert states(game)[draft.key][0] == ("posted" if let_through else "sending")


def test_what_waits_for_a_moderator_is_not_sent_again_though_no_answer_came(game: LiveGame, shown: bool) -> None:
    """One post is known to wait; the answer to the next one was lost: it may wait unseen as well."""
    game.forum.moderate("Monokuma", shown=shown)
    game.at(50).tick()
    table = game.record()
    table.record.add_draft("more", "report", "thread", "More", "And something more.", "approved", T0, None)
    table.record.close()
    game.forum.fault("lost_answer", path="mode=reply", method="POST")
    for hours in (50.1, 50.2, 50.3):
        game.at(hours).tick()
    assert sum(not post.approved for post in game.forum.board.topics[game.topic].posts) == 2
    game.forum.moderate("Monokuma", False)
    game.forum.approve(game.topic)
    assert not game.at(50.4).tick().trouble
    assert states(game)["more"] == ("posted", None)
    assert sum("And something more" in post for post in game.own()) == 1


def test_what_is_not_sent_again_beside_a_post_that_waits_is_told_and_goes_out_where_the_gm_says_so(game: LiveGame) -> None:
    """Nothing told of the second post, no tick sent it, and `outbox approve` said that the next one would."""
    game.forum.moderate("Monokuma")
    game.at(50).tick()
    table = game.record()
    table.record.add_draft("more", "report", "thread", "More", "And something more.", "approved", T0, None)
    table.record.close()
    game.forum.fault("hang_up", path="mode=reply", method="POST")
    told: list[str] = []
    for hours in range(51, 57):
        report = game.at(hours).tick()
        table = game.record()
        page(table, report, game.clock.now(), into(told))
        table.record.close()
    assert "\n".join(told).count("Not out yet: More, to thread. No answer came to it while another post") == 1
    (more,) = (one for one in game.record().record.drafts("sending") if one.key == "more")
    assert "anew unless" in next(handle(game.folder, "approve", [more.id], lambda text: None, game.clock.now()))
    game.at(57).tick()
    waiting = [post.text for post in game.forum.board.topics[game.topic].posts if not post.approved]
    assert sum("And something more" in text for text in waiting) == 1
    game.forum.moderate("Monokuma", False)
    game.forum.approve(game.topic)
    game.at(58).tick()
    assert {states(game)[key] for key in ("report 1", "more")} == {("posted", None)}


def test_the_first_post_that_waits_for_a_moderator_may_wait_twice(game: LiveGame) -> None:
    """Nothing says yet that posts are held, and the forum shows none of them: the GM is told before the moderator approves."""
    game.forum.moderate("Monokuma", shown=False)
    game.forum.fault("lost_answer", path="mode=reply", method="POST")
    assert any("Have only one approved" in text for hours in (50, 50.1, 50.2) for text in game.at(hours).tick().trouble)
    assert "Have only one approved" in str(states(game)["report 1"][1])
    game.forum.moderate("Monokuma", False)
    game.forum.approve(game.topic)
    game.at(50.3).tick()
    game.at(50.4).tick()
    assert notices(game).count("stands twice in the thread: delete the second one") == 1


@pytest.mark.parametrize("shown", [True, False])
def test_of_two_posts_with_the_same_words_the_second_waits_until_the_moderator_has_seen_the_first(tmp_path: Path, shown: bool) -> None:
    """Let through together they could not be told apart: one would wait for ever, and all posts that come later with it."""
    clock = Clock()
    with PracticeForum(clock=clock.now) as forum:
        game = LiveGame(tmp_path / "game", forum, clock, more='[tally]\nmode = "new"\nevery_posts = 2\n').begin()
        table = game.record()
        for draft in table.record.drafts():
            table.record.change_draft(draft.id, state="dropped")
        table.record.close()
        game.vote("Anna", "Boris", 1)
        forum.moderate("Monokuma", shown=shown)
        game.at(3).tick()
        for _ in range(2):
            forum.post(game.topic, "Cleo", "Just talk.", clock.now())
        game.at(5).tick()
        assert sum(not post.approved for post in forum.board.topics[game.topic].posts) == 1
        forum.moderate("Monokuma", False)
        forum.approve(game.topic)
        for hours in (6, 7, 8):
            game.at(hours).tick()
        table = game.record()
        tallies = [draft for draft in table.record.drafts() if draft.kind == "tally"]
        table.record.close()
        assert len(tallies) == 2
        assert len({draft.post for draft in tallies}) == 2
        assert {draft.state for draft in tallies} == {"posted"}


def test_a_post_of_which_no_answer_came_is_found_waiting_for_a_moderator(game: LiveGame) -> None:
    game.forum.moderate("Monokuma")
    game.forum.fault("lost_answer", path="mode=reply", method="POST")
    told = [text for hours in (50, 50.1, 50.2) for text in game.at(hours).tick().trouble]
    assert sum("waits for a moderator" in text for text in told) == 1
    assert states(game)["report 1"][0] == "sending"
    assert sum(not post.approved for post in game.forum.board.topics[game.topic].posts) == 1
    game.forum.approve(game.topic)
    game.at(50.3).tick()
    assert states(game)["report 1"] == ("posted", None)


def test_a_post_that_something_on_the_way_doubled_is_told(game: LiveGame) -> None:
    game.at(50).tick()
    twice = game.forum.post(game.topic, "Monokuma", game.own()[-1], T0 + timedelta(hours=50))
    game.at(50.1).tick()
    game.at(50.2).tick()
    assert notices(game).count("stands twice in the thread: delete the second one") == 1
    assert f"#p{twice}" in notices(game)


@pytest.mark.parametrize("sent", [1, 2])
def test_a_seat_that_changes_hands_while_messages_go_out(game: LiveGame, monkeypatch: pytest.MonkeyPatch, sent: int) -> None:
    """A tick that waits a minute between two messages takes long: the old account gets nothing more, the new one all."""
    game.forum.add_user("Zoe")
    table = game.record()
    for player in ("Anna", "Boris"):
        table.record.add_draft(f"to {player}", "private", player, "T", f"A secret of {player}.", "approved", T0, None)
    table.record.close()
    going_out, send = iter(range(1, 9)), ForumOutlet.send

    def replaced_meanwhile(outlet: ForumOutlet, draft: Draft, standing: str | None) -> tuple[str, str]:
        told = send(outlet, draft, standing)
        if next(going_out) == sent:
            command(game.folder, "replace Boris with Zoe", game.clock.now())
        return told

    monkeypatch.setattr(ForumOutlet, "send", replaced_meanwhile)
    for hours in (3, 3.1, 3.2):
        assert not game.at(hours).tick().trouble
    assert len(game.letters_of("Boris")) == sent - 1
    assert [one.text for one in game.forum.messages("Zoe")] == ["A secret of Boris."]


def test_what_was_handed_over_without_an_answer_is_not_sent_to_the_account_before(game: LiveGame) -> None:
    for name in ("Xena", "Yara", "Zoe"):
        game.forum.add_user(name)
    table = game.record()
    table.record.add_draft("to Boris", "role", "Boris", "T", "A secret of Boris.", "approved", T0, None)
    table.record.close()
    assert not game.at(3).tick().trouble
    for hours, name, words in ((4, "Zoe", "undo"), (5, "Xena", "replace Boris with Yara")):
        command(game.folder, f"replace Boris with {name}", game.at(hours).clock.now())
        table = game.record()
        for draft in table.record.drafts("review"):
            table.record.change_draft(draft.id, state="approved")
        table.record.close()
        game.forum.fault("lost_answer", path="mode=compose", method="POST", spare=1)
        assert game.at(hours + 0.1).tick().trouble
        command(game.folder, words, game.at(hours + 0.2).clock.now())
        assert not game.at(hours + 0.3).tick().trouble
    table = game.record()
    for draft in table.record.drafts("review"):
        table.record.change_draft(draft.id, state="approved")
    table.record.close()
    assert not game.at(7).tick().trouble
    assert len(game.letters_of("Boris")) == 1
    for name in ("Xena", "Yara", "Zoe"):
        assert [one.text for one in game.forum.messages(name)] == ["A secret of Boris."]


def test_a_player_who_takes_no_messages_stops_nobody_else(game: LiveGame) -> None:
    del game.forum.board.users[game.forum.board.user("Anna").id]
    two_letters(game)
    report = game.at(4).tick()
    assert "Anna" in report.trouble[0]
    assert len(game.letters_of("Elena")) == 1
    assert states(game)["Anna"][0] == "approved"


# ---------------------------------------------------------------------- what moderators do


def test_topic_split(game: LiveGame) -> None:
    early = [game.forum.post(game.topic, "Elena", "chatter", T0 + timedelta(minutes=5 + n)) for n in range(3)]
    vote = game.vote("Cleo", "Dmitri", 3)
    game.at(4).tick()
    game.forum.move([vote, *early], game.forum.add_topic("Chatter", "Anna", "x"))
    assert not game.at(5).tick().trouble
    assert "moved" in notices(game)
    assert versions(game, vote)[-1] == ("", True)
    assert "Cleo" in versions(game, vote)[0][0] or "Dmitri" in versions(game, vote)[0][0], "the record keeps what was seen"


def test_another_forum_gets_nothing_of_the_game(game: LiveGame) -> None:
    """An address of another forum in `game.toml`: a secret went to who has the player's name there, while the GM read that
    nothing had been posted.
    """
    two_letters(game)
    with PracticeForum(clock=game.clock.now) as other:
        for name in ("Monokuma", "Anna", "Elena"):
            other.add_user(name)
        elsewhere = replace(game, forum=other, topic=other.add_topic("Somewhere else", "Elena", "Hello."))
        file = game.folder / "game.toml"
        right = file.read_text("utf-8")
        file.write_text(right.replace(f"{game.forum.url}viewtopic.php?t={game.topic}", f"{other.url}viewtopic.php?t={elsewhere.topic}"))
        told = elsewhere.at(40).tick().trouble
        assert [other.messages("Anna"), other.messages("Elena"), elsewhere.own()] == [[], [], []]
        assert "Nothing was read or posted" in told[0]
        assert not other.requests
        file.write_text(right, "utf-8")
    assert not game.at(41).tick().trouble
    assert len(game.letters_of("Elena")) == 1


def test_an_address_that_was_wrong_at_first_is_set_right_and_one_with_www_is_the_same(
    served: tuple[PracticeForum, Clock], tmp_path: Path
) -> None:
    """A slip in the address, and the game was said to have been begun there: no tick could ever read the right one."""
    forum, clock = served
    game = LiveGame(tmp_path / "slip", forum, clock).begin()
    file = game.folder / "game.toml"
    right = file.read_text("utf-8")
    with PracticeForum(clock=clock.now) as other:
        file.write_text(right.replace(forum.url, other.url), "utf-8")
        assert replace(game, forum=other, topic=99).at(1).tick().trouble
    file.write_text(right, "utf-8")
    assert not game.at(2).tick().trouble
    file.write_text(right.replace("//127.0.0.1", "//www.127.0.0.1"), "utf-8")
    assert not game.at(3).tick().trouble


def test_a_forum_that_moves_in_mid_game_is_followed_once_the_gm_says_so(game: LiveGame) -> None:
    two_letters(game)
    assert not game.at(1).tick().trouble
    file = game.folder / "game.toml"
    old = urlsplit(game.forum.url).netloc
    moved = file.read_text("utf-8").replace("//127.0.0.1", "//localhost")
    file.write_text(moved, "utf-8")
    assert f'moved_from = "{old}"' in game.at(2).tick().trouble[0]
    file.write_text(moved.replace("[thread]\n", f'[thread]\nmoved_from = "{old}"\n'), "utf-8")
    vote = game.forum.post(game.topic, "Anna", red("Elena"), T0 + timedelta(hours=3))
    before = len(game.own())
    for hour in (3, 4):
        assert not game.at(hour).tick().trouble
    assert versions(game, vote), "it is read on"
    assert len(game.letters_of("Elena")) == 1
    assert len(game.own()) <= before + 1, "nothing stands twice"


def test_topic_merged(game: LiveGame) -> None:
    other = game.forum.add_topic("Somewhere else", "Elena", red("Dmitri"), T0 + timedelta(minutes=30))
    game.forum.move([post.id for post in game.forum.posts(other)], game.topic)
    game.at(3).tick()
    assert notices(game).count("moved here") == 1
    assert "A post by Elena" in notices(game)
    late = game.forum.add_topic("Yet another", "Cleo", red("Elena"), T0 + timedelta(hours=1))
    game.forum.move([post.id for post in game.forum.posts(late)], game.topic)
    game.forum.post(game.topic, "Anna", red("Elena"), T0 + timedelta(hours=4))
    game.at(5).tick()
    assert notices(game).count("moved here") == 2
    assert "A post by Cleo" in notices(game)
    assert not game.at(50).tick().trouble
    assert counted(game) == {"Elena": 2, "Dmitri": 1}


def test_beside_a_post_dated_days_ahead_the_others_are_not_said_to_have_come_late(game: LiveGame) -> None:
    """Once a forum's clock was wrong, each vote after that got the GM a false note."""
    game.forum.post(game.topic, "Elena", "Hello.", T0 + timedelta(days=9))
    game.at(1).tick()
    for hour in (2, 3):
        game.forum.post(game.topic, "Anna", red("Elena"), T0 + timedelta(hours=hour))
        game.at(hour + 0.5).tick()
    assert "read only now" not in notices(game)


def test_topic_gone(game: LiveGame) -> None:
    game.forum.move([post.id for post in game.forum.posts(game.topic)], game.forum.add_topic("New home", "Anna", "x"))
    del game.forum.board.topics[game.topic]
    report = game.at(50).tick()
    assert (report.status, report.closed) == (3, [])
    assert "moved, merged or deleted" in report.trouble[0]


def test_posts_deleted(game: LiveGame) -> None:
    vote = game.vote("Cleo", "Boris", 3)
    game.at(4).tick()
    game.forum.delete(vote)
    assert not game.at(5).tick().trouble
    assert "stand no more" in notices(game)
    assert [deleted for _, deleted in versions(game, vote)] == [False, True]
    game.at(50).tick()
    assert counted(game) == {"Dmitri": 1}


def test_posts_edited(game: LiveGame) -> None:
    vote = game.vote("Cleo", "Boris", 3)
    game.vote("Elena", "Boris", 3.5)
    game.at(4).tick()
    game.forum.edit(vote, red("Dmitri"))
    game.at(5).tick()
    assert len(versions(game, vote)) == 2
    game.at(50).tick()
    assert counted(game) == {"Boris": 1, "Dmitri": 2}


def long_thread(game: LiveGame) -> int:
    """A vote by Cleo that by now lies on the first page of four; its post."""
    vote = game.vote("Cleo", "Boris", 3)
    for minute in range(35):
        game.forum.post(game.topic, "A stranger", f"words {minute}", T0 + timedelta(hours=3.1, minutes=minute))
    game.at(4).tick()
    return vote


def test_posts_edited_on_an_earlier_page(game: LiveGame) -> None:
    vote = long_thread(game)
    game.forum.requests.clear()
    game.at(4.5).tick()
    assert game.forum.asked("viewtopic") == 1, "not each time"
    game.at(TRIAL - 0.1).tick()
    game.forum.edit(vote, red("Elena"), T0 + timedelta(hours=TRIAL - 0.05))
    game.forum.requests.clear()
    assert game.at(TRIAL + 0.05).tick().closed == ["trial 1"]
    assert game.forum.asked("viewtopic") < 12, "each page of the phase once more"
    assert len(versions(game, vote)) == 2
    assert counted(game) == {"Dmitri": 1, "Elena": 1}


def test_a_vote_edited_on_an_earlier_page_before_a_phase_is_closed_by_hand(game: LiveGame) -> None:
    vote = long_thread(game)
    now = game.clock.moment = T0 + timedelta(hours=4.2)
    game.forum.edit(vote, red("Dmitri"), now - timedelta(minutes=5))
    assert resolve_now(game.folder, now=now, outlet=game.outlet()).closed == ["trial 1"]
    assert counted(game) == {"Dmitri": 2}


def test_a_vote_taken_back_on_an_earlier_page_before_all_have_voted(game: LiveGame) -> None:
    with (game.folder / "game.toml").open("a", encoding="utf-8") as file:
        file.write("[clock]\nearly = true\n")
    vote = long_thread(game)
    game.forum.edit(vote, f"[s]{red('Boris')}[/s]", T0 + timedelta(hours=4.1))
    for name in ("Boris", "Dmitri", "Elena"):
        game.vote(name, "Anna", 4.2)
    assert not game.at(4.3).tick().closed, "Cleo's vote no longer stands"
    game.vote("Cleo", "Anna", 4.4)
    assert game.at(4.5).tick().closed == ["trial 1"]
    assert counted(game) == {"Anna": 4, "Dmitri": 1}


def test_posts_reordered(game: LiveGame) -> None:
    first, second = game.vote("Cleo", "Boris", 3), game.vote("Elena", "Dmitri", 3.5)
    game.at(4).tick()
    one, two = game.forum.board.find_post(first), game.forum.board.find_post(second)
    one.at, two.at = two.at, one.at
    assert not game.at(5).tick().trouble
    game.at(50).tick()
    assert counted(game) == {"Boris": 1, "Dmitri": 2}
    assert replay(game.folder) == []


def test_our_own_post_deleted_is_for_the_gm_to_post_anew(game: LiveGame) -> None:
    tally = game.forum.posts(game.topic)[-1]
    assert tally.author.name == "Monokuma"
    game.forum.delete(tally.id)
    game.vote("Cleo", "Dmitri", 3)
    report = game.at(4).tick()
    assert report.trouble
    state, error = states(game)["tally 1"]
    assert state == "review"
    assert "posted anew" in (error or "")
    table = game.record()
    (draft,) = table.record.drafts("review")
    table.record.change_draft(draft.id, state="approved")
    table.record.close()
    assert not game.at(5).tick().trouble
    assert "Cleo[/url]" in game.own()[-1].partition("Not voting")[0]


# ---------------------------------------------------------------------- time


def test_machine_off_over_several_deadlines(game: LiveGame) -> None:
    game.vote("Cleo", "Boris", TRIAL + 0.1)
    game.vote("Elena", "Boris", TRIAL + 0.2)
    game.order("Boris", "murder Cleo", 24 * 20)
    report = game.at(24 * 5 + 1).tick()
    assert report.closed[:3] == ["trial 1", "daily life 1", "daily life 2"]
    assert counted(game) == {"Dmitri": 1}, "late posts never count"
    assert replay(game.folder) == []


@pytest.mark.parametrize(("minutes", "words"), [(10, "10 minutes ahead of"), (-10, "10 minutes behind")])
def test_forum_clock_off_by_minutes(game: LiveGame, minutes: int, words: str) -> None:
    """Deadlines go by the forum's clock: nobody's vote is late because the machine's clock is wrong."""
    shift = timedelta(minutes=minutes)
    game.at(TRIAL - 1 / 60)  # by the forum
    game.vote("Cleo", "Boris", TRIAL - 1 / 60)

    def by_the_machine() -> Report:
        outlet = game.outlet()
        outlet.forum.session._now = lambda: game.clock.now() - shift  # type: ignore[attr-defined]
        return tick(game.folder, now=game.clock.now() - shift, outlet=outlet)

    assert by_the_machine().closed == []
    assert by_the_machine().closed == []
    assert notices(game).count(words) == 1, "said once"
    game.at(TRIAL - 0.5 / 60)
    game.vote("Elena", "Boris", TRIAL - 0.5 / 60)
    game.at(TRIAL + 3 / 60)
    assert by_the_machine().closed == ["trial 1"]
    assert counted(game) == {"Boris": 2, "Dmitri": 1}


# ---------------------------------------------------------------------- the record's file


def connected(monkeypatch: pytest.MonkeyPatch, *pragmas: str) -> None:
    connect = sqlite3.connect

    def impatient(path: Path, **_: Any) -> sqlite3.Connection:
        connection = connect(path, timeout=0.05)
        for pragma in pragmas:
            connection.execute(pragma)
        return connection

    monkeypatch.setattr(sqlite3, "connect", impatient)


def test_disk_full(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    before = game.kept()
    pages = sqlite3.connect(game.folder / "game.db").execute("pragma page_count").fetchone()[0]
    vote = game.forum.post(game.topic, "Cleo", red("Boris") + "word " * 20_000, T0 + timedelta(hours=3))
    with monkeypatch.context() as patched:
        connected(patched, f"pragma max_page_count = {pages + 1}")
        with pytest.raises(StoreError, match=r"disk is full.*[Nn]othing was half-written"):
            game.at(50).tick()
    assert game.kept() == before
    assert game.at(50.1).tick().closed == ["trial 1"]
    assert len(versions(game, vote)) == 1


def test_database_locked(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    game.vote("Cleo", "Boris", 3)
    other = sqlite3.connect(game.folder / "game.db")
    other.execute("begin immediate")
    with monkeypatch.context() as patched:
        connected(patched)
        with pytest.raises(StoreError, match="locked"):
            game.at(4).tick()
    other.rollback()
    other.close()
    assert game.at(5).tick().posts == 2  # the vote, and our tally


@pytest.mark.parametrize("where", [0, 3 * 4096, 0.5])
def test_database_damaged(game: LiveGame, where: float) -> None:
    path = game.folder / "game.db"
    with sqlite3.connect(path) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    data = bytearray(path.read_bytes())
    start = int(where) if where != 0.5 else len(data) // 2 // 4096 * 4096
    data[start : start + 8192] = b"\xaa" * 8192
    path.write_bytes(data)
    with pytest.raises(BadInput, match=r"game\.db"):
        game.at(50).tick()
    assert len(game.own()) == 2, "nothing was sent"


@pytest.mark.parametrize("words", [["log"], ["verify"], ["why", "Anna"], ["outbox"], ["status"], ["gm", "undo"]])
def test_commands_on_a_damaged_database_say_so(
    game: LiveGame, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game.at(50).tick()
    path = game.folder / "game.db"
    with sqlite3.connect(path) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        (schema,) = connection.execute("select count(*) from sqlite_master").fetchone()
    connection.close()
    assert schema
    data = path.read_bytes()
    path.write_bytes(data[: 4096 * 2] + b"\xaa" * (len(data) - 4096 * 2))
    monkeypatch.setattr("sys.argv", ["nightpost", *words, str(game.folder)])
    assert nightpost._run(loud=False) == 2
    told = capsys.readouterr().err
    assert "game.db" in told
    assert "go on from a copy" in told or "cannot be used" in told


# ---------------------------------------------------------------------- what the GM gives


def test_mail_export_that_is_a_bomb_is_refused_and_the_game_goes_on(game: LiveGame) -> None:
    (game.folder / "mail").mkdir()
    with zipfile.ZipFile(game.folder / "mail" / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("export.xml", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bb">]><phpbb>&b;</phpbb>')
    report = game.at(50).tick()
    assert (report.status, report.closed) == (0, ["trial 1"])
    assert "export.xml" in notices(game)


def test_game_toml_wrong_starts_nothing(game: LiveGame) -> None:
    path = game.folder / "game.toml"
    path.write_text(path.read_text().replace("ultimate_nurse", "ultimate_nruse"), encoding="utf-8")
    game.forum.requests.clear()
    with pytest.raises(BadInput, match=r"game\.toml:\d+: .*ultimate_nurse"):
        game.at(50).tick()
    assert game.forum.requests == []


@pytest.mark.parametrize("broken", ["{{ no_such_thing }}", "{% for a in range(999) %}{% for b in range(999) %}x{% endfor %}{% endfor %}"])
def test_a_template_that_fails_or_loops_waits_and_the_tick_goes_on(game: LiveGame, broken: str) -> None:
    (game.folder / "templates").mkdir()
    (game.folder / "templates" / "phase.j2").write_text(f"Hear!\n{broken}", encoding="utf-8")
    game.order("Cleo", "stake out Anna", 3)
    report = game.at(50).tick()
    assert report.closed == ["trial 1"]
    state, error = states(game)["report 1"]
    assert state == "review"
    assert "phase.j2:2" in str(error)
    assert len(game.letters()["Cleo"]) == 1
    table = game.record()
    (draft,) = table.record.drafts("review")
    assert "executed" in draft.body, "the built-in text stands by"
    table.record.close()


def test_a_template_that_fails_for_a_post_that_stands_waits_too(game: LiveGame) -> None:
    (game.folder / "templates").mkdir()
    (game.folder / "templates" / "tally.j2").write_text("{{ no_such_thing }}", encoding="utf-8")
    game.vote("Cleo", "Dmitri", 3)
    assert not game.at(4).tick().trouble
    state, error = states(game)["tally 1"]
    assert (state, "tally.j2:1" in str(error)) == ("review", True)
    assert "Cleo[/url]" not in game.own()[-1], "what stands stays until the GM has looked"


def test_a_post_without_a_time_counts_when_it_was_seen_and_the_gm_is_told_once(game: LiveGame) -> None:
    game.vote("Boris", "Dmitri", 3)
    outlet = game.at(4).outlet()
    whole = outlet.forum.page

    def dateless(*asked: Any, **more: Any) -> Any:
        page = whole(*asked, **more)
        last = replace(page.posts[-1], posted_at=None)
        return replace(page, posts=(*page.posts[:-1], last), notes=("Dates are scarce here.",))

    outlet.forum.page = dateless  # type: ignore[method-assign]
    for _ in range(2):
        tick(game.folder, now=game.clock.now(), outlet=outlet)
    assert notices(game).count("No time could be read of") == 1
    assert notices(game).count("Dates are scarce here.") == 1
    table = game.record()
    assert table.record.posts(T0, None)[-1][0]["posted_at"] == "2026-11-03T00:00:00Z"
    table.record.close()


def test_a_post_that_a_feed_shows_to_be_late_by_seconds_does_not_count(game: LiveGame) -> None:
    game.vote("Boris", "Cleo", TRIAL)
    outlet = game.at(TRIAL + 0.1).outlet()
    late = T0 + timedelta(hours=TRIAL, seconds=20)
    outlet.forum.exact_times = lambda topic, posts: {post.id: late for post in posts}  # type: ignore[method-assign]
    tick(game.folder, now=game.clock.now(), outlet=outlet)
    assert counted(game) == {"Dmitri": 1}


def test_a_post_whose_seconds_a_feed_leaves_out_stays_behind_the_one_above_it(game: LiveGame) -> None:
    minute = T0 + timedelta(hours=3)
    first = game.vote("Boris", "Cleo", 3)
    outlet = game.at(3.1).outlet()
    outlet.forum.exact_times = lambda topic, posts: {str(first): minute + timedelta(seconds=40)}  # type: ignore[method-assign]
    tick(game.folder, now=game.clock.now(), outlet=outlet)
    game.vote("Boris", "Elena", 3)
    tick(game.folder, now=game.clock.now(), outlet=outlet)
    table = game.record()
    votes = table.play(until=game.clock.now(), close=False).tally
    table.record.close()
    assert votes is not None
    assert votes["published"] == {"Dmitri": 1, "Elena": 1}


def test_a_post_read_again_without_its_seconds_is_as_late_as_it_was_and_its_edit_comes_last(game: LiveGame) -> None:
    voted, late = game.vote("Boris", "Cleo", 3), game.vote("Anna", "Elena", TRIAL)
    seconds = {str(voted): T0 + timedelta(hours=3, seconds=40), str(late): T0 + timedelta(hours=TRIAL, seconds=20)}
    outlet = game.at(TRIAL + 0.01).outlet()
    outlet.forum.exact_times = lambda topic, posts: seconds  # type: ignore[method-assign]
    tick(game.folder, now=game.clock.now(), outlet=outlet)
    game.forum.edit(voted, f"I say {red('Elena')}", T0 + timedelta(hours=4))
    game.forum.edit(late, f"I do say {red('Elena')}", T0 + timedelta(hours=TRIAL, seconds=30))
    game.at(TRIAL + 0.1).tick()
    assert counted(game) == {"Dmitri": 1, "Elena": 1}


def test_an_order_sent_before_the_first_phase_opens_is_told(served: tuple[PracticeForum, Clock], tmp_path: Path) -> None:
    made = LiveGame(tmp_path / "game", *served, more="\n[clock]\nopens = 2026-11-04T20:00:00\n").begin()
    made.order("Boris", "before the game was begun", -1)
    made.order("Cleo", "stake out Anna", 1)  # who has got the role asks no more
    told = [made.at(hours).tick().messages for hours in (2, 49)]
    table = made.record()
    notices = [text for _, text in table.record.notices()]
    table.record.close()
    assert told == [1, 0]
    assert sum("A message by Cleo" in text and "counts nowhere" in text for text in notices) == 1
    assert not any("message by Boris" in text for text in notices)
