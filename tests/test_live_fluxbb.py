"""FluxBB live, in a language that nobody here knows: every answer it may give, and what comes of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from lxml import html

from desk.table import Table
from publisher.forum import ForumOutlet
from publisher.markup import DIALECTS
from scraper.forum import (
    Containing,
    FloodLimit,
    LoginFailed,
    NotAllowed,
    NotYet,
    Refused,
    TopicLocked,
    TryAgain,
    Uncertain,
    from_url,
    open_forum,
)
from scraper.live import onward, signed_in
from scraper.live_fluxbb import LiveFluxbb, _complaint, _errors, _form
from scraper.model import NotTheTopic, SourceError
from scraper.session import Answer
from scraper.thread import follow
from tests.board_kit import answering, hosted, later, talk
from tests.fluxbb_kit import SITE, Board
from tests.test_tick import GAME, T0

CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures")) / "fluxbb-1.5.11"


@pytest.fixture
def board() -> Iterator[Board]:
    yield from answering(Board(), SITE)


@pytest.fixture
def host(board: Board) -> LiveFluxbb:
    return hosted(LiveFluxbb, SITE, board)


# ---------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    "address", [f"{SITE}viewtopic.php?id=7", f"{SITE}viewtopic.php?id=7&p=3", f"{SITE}viewtopic.php?id=7&action=new"]
)
def test_an_address_is_enough_to_open_it(board: Board, address: str) -> None:
    forum, topic = open_forum(address, board.clock.session(), now=board.clock.now)
    assert (forum.kind, forum.base_url, topic, board.asked) == ("fluxbb", SITE, "7", [])


def test_an_address_of_a_post_is_looked_up(board: Board) -> None:
    forum, topic = open_forum(f"{SITE}viewtopic.php?pid=61#p61", board.clock.session(), now=board.clock.now)
    assert (forum.kind, forum.base_url, topic) == ("fluxbb", SITE, "7")
    assert from_url(f"{SITE}viewtopic.php?t=7").kind == "phpbb"


# ---------------------------------------------------------------------- signing in


@pytest.mark.parametrize("moving", [True, False])
def test_logs_in_by_pages_that_move_on_or_by_redirects(board: Board, host: LiveFluxbb, moving: bool) -> None:
    board.pages_that_move_on = moving
    assert host.who_am_i() == "Host"
    assert board.asked.count("POST login.php") == 1


def test_a_wrong_password_is_tried_once_and_told(board: Board, host: LiveFluxbb) -> None:
    with pytest.raises(LoginFailed, match="Falsch") as caught:
        host.log_in("Host", "hunter2")
    assert "hunter2" not in str(caught.value) + caught.value.advice
    assert board.asked.count("POST login.php") == 1


def test_cookies_that_do_not_hold_are_told(board: Board, host: LiveFluxbb) -> None:
    tell = board.answer

    def forgetful(path: str, asked: dict[str, str], sent: dict[str, str]) -> tuple[int, dict[str, str], str]:
        answer = tell(path, asked, sent)
        board.user = ""
        return answer

    board.answer = forgetful  # type: ignore[method-assign]
    with pytest.raises(LoginFailed, match="forgets it on the next page"):
        host.who_am_i()


# ---------------------------------------------------------------------- reading


def test_pages_whatever_the_account_has_set(board: Board, host: LiveFluxbb) -> None:
    talk(board, 24)
    for size in (10, 7, 50):
        board.size = size
        pages = -(-25 // size)
        last = host.page("7", "last")
        assert (last.page, last.pages, last.posts[-1].id) == (pages, pages, "85")
        assert host.page("7", 9).page == pages
        assert "72" in {post.id for post in host.page("7", Containing("72")).posts}
        seen = follow(LiveFluxbb(SITE, board.clock.session(), now=board.clock.now), "7")
        assert [post.number for post in seen.new] == list(range(1, 26))


def test_nothing_new_costs_one_request(board: Board, host: LiveFluxbb) -> None:
    talk(board, 24)
    host.who_am_i()
    seen = follow(host, "7")
    board.asked.clear()
    assert follow(host, "7", seen.bookmark).new == ()
    assert board.asked == ["GET viewtopic.php"]
    board.posts.pop()
    assert follow(host, "7", seen.bookmark).gone == ("85",)


def test_a_topic_that_shrank_by_a_page_is_found_again(board: Board, host: LiveFluxbb) -> None:
    talk(board, 20)
    seen = follow(host, "7")
    del board.posts[18:]
    again = follow(host, "7", seen.bookmark)
    assert (again.gone, again.bookmark.page) == (("79", "80", "81"), 2)


@pytest.mark.parametrize("zone", [0, 1, -8, 3.5, 13])
@pytest.mark.parametrize("dst", [False, True])
@pytest.mark.parametrize("date", ["%Y-%m-%d %H:%M:%S", "%d.%m.%Y %I:%M:%S %p", "%m/%d/%y %H:%M:%S"])
def test_times_go_by_the_accounts_own_zone(board: Board, host: LiveFluxbb, zone: float, dst: bool, date: str) -> None:
    board.zone, board.dst, board.date, board.near = zone, dst, date, True
    talk(board, 3)
    later(board, hours=30)
    board.say("Boris", "late")
    later(board, hours=14)
    host.who_am_i()
    for post, told in zip(host.page("7").posts, board.posts, strict=True):
        assert post.posted_at == told.at
    host.page("7")
    assert board.asked.count("GET profile.php") == 1


def test_a_guest_is_shown_the_times_of_the_game_file(board: Board) -> None:
    board.zone = 1
    guest = LiveFluxbb(SITE, board.clock.session(), timezone=ZoneInfo("Europe/Berlin"), now=board.clock.now)
    assert guest.page("7").posts[0].posted_at == board.posts[0].at


def test_a_session_that_ends_is_renewed_everywhere(board: Board, host: LiveFluxbb) -> None:
    acts: list[Callable[[], object]] = [
        lambda: host.page("7").signed_in, lambda: host.reply("7", "some words"), lambda: host.edit("62", "other words"), host.who_am_i,
    ]  # fmt: skip
    for guests in (False, True):
        board.guests_write = guests
        for act in acts:
            board.user, host._me = "", None
            assert act()
    assert all(post.by for post in board.posts)


def test_a_session_that_ends_while_writing(board: Board, host: LiveFluxbb) -> None:
    host.who_am_i()
    tell, asked = board.reply, list[str]()

    def ending(at: dict[str, str], sent: dict[str, str]) -> tuple[int, dict[str, str], str]:
        asked.append("")
        board.user = "" if len(asked) == 2 else board.user
        return tell(at, sent)

    board.reply = ending  # type: ignore[method-assign]
    assert host.reply("7", "written before").id == "62"
    assert [post.by for post in board.posts] == ["Anna", "Host"]


def test_what_is_not_there(board: Board, host: LiveFluxbb) -> None:
    with pytest.raises(NotTheTopic):
        host.page("8")
    with pytest.raises(NotAllowed, match="Falsche Adresse") as caught:
        host.reply("8", "x")
    assert caught.value.advice


def test_a_forum_closed_for_all_is_asked_again_later(board: Board, host: LiveFluxbb) -> None:
    host.who_am_i()
    board.closed = True
    with pytest.raises(TryAgain, match="Wartung"):
        host.reply("7", "x")
    with pytest.raises(SourceError, match="Wartung"):
        host.page("7")


# ---------------------------------------------------------------------- posting


@pytest.mark.parametrize("moving", [True, False])
def test_posts_and_edits(board: Board, host: LiveFluxbb, moving: bool) -> None:
    board.pages_that_move_on = moving
    sent = host.reply("7", "Who did [b]it[/b]?\nNight:Dmitri & <Co>", "a title")
    assert (sent.id, sent.url) == ("62", f"{SITE}viewtopic.php?pid=62#p62")
    assert board.sent == {
        "form_sent": "1", "subscribe": "1", "req_message": "Who did [b]it[/b]?\nNight:Dmitri & <Co>", "hide_smilies": "1", "submit": "Submit",
    }  # fmt: skip
    assert host.edit("62", "He did.").id == "62"
    assert (board.posts[-1].text, board.posts[-1].smilies) == ("He did.", False)


def test_the_first_post_keeps_the_topics_title_unless_another_is_given(board: Board, host: LiveFluxbb) -> None:
    board.posts[0].by = "Host"
    host.edit("61", "It begins again.")
    assert board.sent["req_subject"] == "The Lamp"
    host.edit("61", "It begins again.", "The Lamp is out")
    assert board.sent["req_subject"] == "The Lamp is out"


@pytest.mark.parametrize("words", ["Mindestens {0} Sekunden, noch {1}.", "Noch {1} von {0} Sekunden.", "Es müssen {0} Sekunden vergehen."])
def test_waits_as_long_as_the_forum_says(board: Board, host: LiveFluxbb, words: str) -> None:
    board.flood_words = words
    host.reply("7", "one")
    later(board, seconds=12)
    host.reply("7", "two")
    assert [post.text for post in board.posts[1:]] == ["one", "two"]
    waited = (board.posts[-1].at - board.posts[-2].at).total_seconds()
    assert 30 <= waited <= (60 if "{1}" not in words else 36)


def test_a_wait_that_is_too_long_is_left_to_the_next_tick(board: Board, host: LiveFluxbb) -> None:
    board.flood = 900
    host.reply("7", "one")
    with pytest.raises(FloodLimit) as caught:
        host.reply("7", "two")
    assert 890 < caught.value.wait <= 901
    assert len(board.posts) == 2


@pytest.mark.parametrize("words", ["[b] bei 12 ohne Ende.", "Höchstens 65.535 Bytes.", "Leer."])
def test_a_refused_text_is_told_at_once(board: Board, host: LiveFluxbb, words: str) -> None:
    board.refuse, board.posts[0].by = words, "Host"
    for act in (lambda: host.reply("7", "[b]x"), lambda: host.edit("61", "[b]x")):
        with pytest.raises(Refused, match=re.escape(words)):
            act()
    assert len(board.posts) == 1
    assert sum(board.clock.slept) < 20  # the session's own pauses


def test_a_closed_topic(board: Board, host: LiveFluxbb) -> None:
    host.reply("7", "before")
    board.locked = True
    assert host.page("7").locked
    for act in (lambda: host.reply("7", "after"), lambda: host.edit("62", "after")):
        with pytest.raises(TopicLocked, match="Kein Zutritt"):
            act()
    board.locked = False
    with pytest.raises(NotAllowed):
        host.edit("61", "not mine")


def test_a_topic_closed_while_writing(board: Board, host: LiveFluxbb) -> None:
    host.who_am_i()
    tell, asked = board.reply, list[str]()

    def closing(at: dict[str, str], sent: dict[str, str]) -> tuple[int, dict[str, str], str]:
        asked.append("")
        board.locked = len(asked) > 1
        return tell(at, sent)

    board.reply = closing  # type: ignore[method-assign]
    with pytest.raises(TopicLocked):
        host.reply("7", "too late")


@pytest.mark.parametrize("how", ["lose", "half"])
def test_what_was_sent_without_an_answer_is_found(board: Board, host: LiveFluxbb, how: str) -> None:
    text = "The tally: مریم می‌رود 🎲 — 3 :D"
    setattr(board, how, lambda path: path == "post.php")
    with pytest.raises(Uncertain):
        host.reply("7", text)
    setattr(board, how, lambda _: False)
    found = host.find_own_post("7", text, after="61")
    assert found is not None
    assert found.id == "62"
    assert host.find_own_post("7", "The tally: 4") is None
    assert host.find_own_post("7", text, after="62") is None


def test_a_heading_of_our_own_is_found_again(board: Board, host: LiveFluxbb) -> None:
    markup = DIALECTS["fluxbb"]
    text = f"{markup.heading('Votes')}\n{markup.bullets(['Ann', '[b]'])}"
    host.reply("7", text)
    found = host.find_own_post("7", text)
    assert found is not None


def test_hostile_names_and_words(board: Board, host: LiveFluxbb) -> None:
    name = '"><script>alert(1)</script>[b]'
    board.user = name
    host._shown = name
    host._account = (name, "secret")
    assert host.who_am_i() == name
    board.say("O'Brien & [Ghost]", '</div><div id="p99" class="blockpost">')
    assert [post.author for post in host.page("7").posts] == ["Anna", "O'Brien & [Ghost]"]


def _advice(act: Callable[[], object]) -> str:
    with pytest.raises(NotYet) as caught:
        act()
    return caught.value.advice


def test_there_are_no_private_messages(host: LiveFluxbb) -> None:
    acts: list[Callable[[], object]] = [
        lambda: host.send_message("Anna", "s", "text"), host.messages, host.sent_messages,
    ]  # fmt: skip
    for act in acts:
        with pytest.raises(NotYet, match="no private messages") as caught:
            act()
        assert ("mail/" in caught.value.advice) == (act is not acts[0])
    assert "outbox drop" in _advice(lambda: host.send_message("Anna", "s", "text"))


# ---------------------------------------------------------------------- real pages


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured pages here")
def test_real_forms_and_refusals() -> None:
    def page(name: str) -> html.HtmlElement:
        return html.document_fromstring((CAPTURES / name).read_bytes())

    assert _form(page("reply-form.html")) is not None
    assert _form(page("edit-form.html")) is not None
    assert _form(page("error-locked-reply.html")) is None
    assert signed_in(page("reply-form.html"))
    assert not signed_in(page("error-session-expired.html"))
    flood = _complaint(_errors(page("error-flood.html")))
    assert isinstance(flood, FloodLimit)
    assert 0 < flood.wait <= 31
    assert isinstance(_complaint(_errors(page("error-bbcode.html"))), Refused)
    assert _errors(page("login-wrong-password.html")) == ["Wrong username and/or password."]
    answer = Answer(SITE, 200, (CAPTURES / "after-posting.html").read_text("utf-8"), {})
    assert onward(answer).endswith("viewtopic.php?pid=65#p65")


def test_that_there_are_no_messages_is_told_once(board: Board, host: LiveFluxbb, tmp_path: Path) -> None:
    """Not with each tick, where a phase that waits for the GM is told of in between."""
    (tmp_path / "game.toml").write_text(GAME.replace('saved = "saved"', f'url = "{SITE}viewtopic.php?id=7"'), encoding="utf-8")
    table = Table.at(tmp_path)
    outlet = ForumOutlet(table.settings, host, "7", member=True)
    for _ in range(3):
        assert list(outlet.messages(table.record, T0)) == []
        table.record.notice(T0, "The phase is not closed.")
    told = [text for _, text in table.record.notices()]
    table.record.close()
    assert sum("no private messages" in text for text in told) == 1
