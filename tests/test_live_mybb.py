"""MyBB live, in a language that nobody here knows: every answer it may give, and what comes of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
import responses
from lxml import html

from scraper.forum import (
    Containing,
    FloodLimit,
    LoginFailed,
    NeedsApproval,
    NotAllowed,
    Refused,
    TopicLocked,
    TryAgain,
    Uncertain,
)
from scraper.live import Tree
from scraper.live_mybb import LiveMybb, _errors, _find_form, _post_key, _rows
from scraper.model import NotTheTopic, SourceError
from scraper.mybb import notice_of
from scraper.topicpage import numbers_in
from tests.board_kit import answering, hosted, later, talk
from tests.mybb_kit import SITE, Board, Reply

CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures")) / "mybb-1.8.37"
ROLE = "[b]KILL[/b]: Anna\n- \"x\", é\n=1 +2 :D"


@pytest.fixture
def board() -> Iterator[Board]:
    yield from answering(Board(), SITE)


@pytest.fixture
def host(board: Board) -> LiveMybb:
    return hosted(LiveMybb, SITE, board)


# ---------------------------------------------------------------------- signing in


@pytest.mark.parametrize("moving", [True, False])
def test_logs_in_by_pages_that_move_on_or_by_redirects(board: Board, host: LiveMybb, moving: bool) -> None:
    board.pages_that_move_on = moving
    assert host.who_am_i() == "Host"
    assert board.asked.count("POST member.php do_login") == 1


def test_a_wrong_password_is_tried_once_and_told(board: Board, host: LiveMybb) -> None:
    for wanted in ("Falsches Kennwort", "Falsches Kennwort", "Falsches Kennwort", "Falsches Kennwort", "CAPTCHA"):
        with pytest.raises(LoginFailed, match=wanted) as caught:
            host.log_in("Host", "hunter2")
        assert "hunter2" not in str(caught.value) + caught.value.advice
    board.tries = 10
    with pytest.raises(LoginFailed, match="0h 14m 57s"):
        host.log_in("Host", "secret")


# ---------------------------------------------------------------------- reading


def test_the_last_page_also_of_an_account_set_to_threads(board: Board, host: LiveMybb) -> None:
    talk(board, 24)
    board.threads = True
    assert [len(host.page("7", where).posts) for where in ("last", 1, Containing("65"), Containing("85/2"))] == [5, 10, 10, 5]
    assert host.page("7", 9).page == 3
    assert host.page("7", "last").signed_in


def test_a_single_post_on_the_last_page_is_no_threaded_mode(board: Board, host: LiveMybb) -> None:
    talk(board, 20)
    board.threads = True
    page = host.page("7", "last")
    assert [post.number for post in page.posts] == [21]
    assert not page.notes


@pytest.mark.parametrize("zone", [0, 1, -8, 5.75, 13])
@pytest.mark.parametrize("date", ["%m-%d-%Y", "%d.%m.%Y", "%Y-%m-%d"])
def test_times_go_by_the_clock_on_the_page(board: Board, host: LiveMybb, zone: float, date: str) -> None:
    board.zone, board.date = zone, date
    talk(board, 3)
    later(board, hours=30)
    board.say("Boris", "late")
    for post, told in zip(host.page("7").posts, board.posts, strict=True):
        assert post.posted_at == told.at


def test_a_forum_whose_clock_is_wrong_does_not_shift_the_zone(board: Board, host: LiveMybb) -> None:
    ahead = LiveMybb(SITE, board.clock.session(), now=lambda: board.clock.now() - timedelta(minutes=20))
    ahead.session._now = ahead.now
    assert ahead.page("7").posts[0].posted_at == board.posts[0].at


def test_a_session_that_ends_is_renewed_everywhere(board: Board, host: LiveMybb) -> None:
    board.send("Anna", "Host", "order", "pass")
    acts: list[Callable[[], object]] = [
        lambda: host.page("7").signed_in, lambda: host.reply("7", "some words"), lambda: host.edit("64", "other words"),
        lambda: list(host.messages()), lambda: host.send_message("Anna", "s", "text"), host.who_am_i,
    ]  # fmt: skip
    for act in acts:
        board.user, host._me = "", None
        assert act() not in (False, [])
    assert all(post.by for post in board.posts)


def test_a_session_that_ends_while_writing(board: Board, host: LiveMybb) -> None:
    host.who_am_i()
    tree = host._member_page(f"{SITE}newreply.php?tid=7")
    board.user = ""
    assert "#pid" in host._submit(f"{SITE}newreply.php?tid=7", {"message": "written before"}, "submit", tree)
    assert board.posts[-1].by == "Host"


# ---------------------------------------------------------------------- posting


@pytest.mark.parametrize("moving", [True, False])
def test_posts_and_edits(board: Board, host: LiveMybb, moving: bool) -> None:
    board.pages_that_move_on = moving
    sent = host.reply("7", "Who did [b]it[/b]?\nNight:Dmitri & <Co>")
    assert (sent.id, sent.url) == ("62", f"{SITE}showthread.php?tid=7&pid=62#pid62")
    assert not board.posts[-1].smilies
    assert host.edit("62", "He did.").id == "62"
    assert board.posts[-1].text == "He did."


def test_two_texts_made_one_are_told_apart(board: Board, host: LiveMybb) -> None:
    ids = [host.reply("7", text).id for text in ("The opening.", "The tally:\n[hr]\nnone", "The rules.")]
    assert ids == ["62", "62/2", "62/3"]
    host.edit("62/2", "The tally:\n[hr]\nAnna 2")
    host.edit("62", "The opening, mended.")
    assert board.posts[-1].text == "The opening, mended.\n[hr]\nThe tally:\n[hr] \nAnna 2\n[hr]\nThe rules."
    board.posts[-1].text = "All gone."
    with pytest.raises(NotAllowed, match="part 3"):
        host.edit("62/3", "The rules, mended.")
    assert board.posts[-1].text == "All gone."


def test_a_separator_of_the_boards_own_is_replaced(board: Board, host: LiveMybb) -> None:
    board.separator = "\n[b]Added:[/b]\n"
    assert [host.reply("7", text).id for text in ("The opening.", "The tally: none")] == ["62", "62/2"]
    host.edit("62/2", "The tally: Anna 2")
    assert board.posts[-1].text == "The opening.\n[hr]\nThe tally: Anna 2"


@pytest.mark.parametrize("merged", [False, True])
def test_what_may_not_be_edited_is_found_too(board: Board, host: LiveMybb, merged: bool) -> None:
    board.edits_end = True
    if merged:
        host.reply("7", "The opening.")
    host.reply("7", "The tally: none")
    found = host.find_own_post("7", "The tally: none")
    assert found is not None
    assert found.id == ("62/2" if merged else "62")


@pytest.mark.parametrize("merged", [False, True])
def test_what_was_sent_without_an_answer_is_found(board: Board, host: LiveMybb, merged: bool) -> None:
    if merged:
        host.reply("7", "The opening :D")
    board.lose = lambda action: action == "do_newreply"
    with pytest.raises(Uncertain):
        host.reply("7", "The tally: none :D")
    board.lose = lambda _: False
    board.posts[-1].smilies = True
    found = host.find_own_post("7", "The tally: none :D", after="62" if merged else "61")
    assert found is not None
    assert found.id == ("62/2" if merged else "62")
    assert host.find_own_post("7", "The tally: one :D") is None
    assert not merged or host.find_own_post("7", "The opening :D", after="62") is None


@pytest.mark.parametrize("merged", [False, True])
def test_what_was_sent_without_an_answer_is_found_many_pages_later(board: Board, host: LiveMybb, merged: bool) -> None:
    talk(board, 12)
    if merged:
        host.reply("7", "The opening.")
    newest = str(board.posts[-1].id)
    board.lose = lambda action: action == "do_newreply"
    with pytest.raises(Uncertain):
        host.reply("7", "The tally: none")
    board.lose = lambda _: False
    stands = str(board.posts[-1].id)
    talk(board, 52)
    found = host.find_own_post("7", "The tally: none", after=newest)
    assert found is not None
    assert found.id == (f"{stands}/2" if merged else stands)


def test_what_was_taken_is_not_for_sending_again_though_it_cannot_be_looked_at(board: Board, host: LiveMybb) -> None:
    taking = board.reply

    def take(asked: dict[str, str], sent: dict[str, str]) -> Reply:
        answer = taking(asked, sent)
        if sent:
            board.user, board.tries = "", 10
        return answer

    board.reply = take  # type: ignore[method-assign]
    assert host.reply("7", "The tally: none").id is None
    assert board.posts[-1].text == "The tally: none"


def test_a_board_that_leads_on_to_https_gets_what_is_sent(board: Board) -> None:
    """A form that is led on arrives empty, and was taken for sent: roles that nobody ever got."""

    def led_on(request: requests.PreparedRequest) -> Reply:
        return 301, {"Location": str(request.url).replace("http://", "https://")}, "<html><body>Moved.</body></html>"

    old = SITE.replace("https://", "http://")
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        for method in ("GET", "POST"):
            web.add_callback(method, re.compile(re.escape(SITE)), callback=board)
            web.add_callback(method, re.compile(re.escape(old)), callback=led_on)
        host = hosted(LiveMybb, old, board)
        host.send_message("Anna", "Your role", "Secret.")
        assert host.reply("7", "The tally: none").id == str(board.posts[-1].id)
        host.edit(str(board.posts[-1].id), "The tally: Anna 2")
    assert [one.text for one in board.mail if one.owner == "Anna"] == ["Secret."]
    assert board.posts[-1].text == "The tally: Anna 2"


def test_a_message_that_leads_to_some_other_page_is_uncertain(board: Board, host: LiveMybb) -> None:
    board.do_send = lambda sent: board.onward("misc.php?action=wait")  # type: ignore[method-assign]
    with pytest.raises(Uncertain):
        host.send_message("Anna", "Your role", "Secret.")


def test_the_newest_of_two_with_the_same_words_is_found(board: Board, host: LiveMybb) -> None:
    host.reply("7", "The tally: none.")
    board.say("Anna", "hm")
    later(board, minutes=5)
    board.say("Host", "The tally: none!")
    found = host.find_own_post("7", "The tally: none.")
    assert found is not None
    assert found.id == str(board.posts[-1].id)


def test_the_same_text_again_is_looked_for(board: Board, host: LiveMybb) -> None:
    host.reply("7", "The tally: none")
    board.say("Anna", "hm")
    with pytest.raises(Uncertain, match="Schon gesendet"):
        host.reply("7", "The tally: none")
    assert sum(post.text == "The tally: none" for post in board.posts) == 1


def test_flood_control_is_waited_out(board: Board, host: LiveMybb) -> None:
    host.reply("7", "some words")
    later(board, seconds=20)
    board.say("Anna", "hm")
    board.clock.slept.clear()
    host.reply("7", "more words")
    assert [pause for pause in board.clock.slept if pause > 5] == pytest.approx([41], abs=4)
    board.flood = 600
    board.say("Anna", "hm")
    with pytest.raises(FloodLimit) as caught:
        host.reply("7", "even more words")
    assert caught.value.wait > 500


def test_a_refused_text_is_told_in_the_forums_words(board: Board, host: LiveMybb) -> None:
    with pytest.raises(Refused, match="Mindestens 5 Zeichen"):
        host.reply("7", "abc")
    assert len(board.posts) == 1


@pytest.mark.parametrize("post", [None, "62"])
def test_a_closed_topic_is_told_by_its_page(board: Board, host: LiveMybb, post: str | None) -> None:
    host.reply("7", "some words")
    board.locked = True
    with pytest.raises(TopicLocked, match=r"Geschlossen|Geht nicht"):
        host.edit(post, "other words") if post else host.reply("7", "other words")


def test_what_may_not_be_written(board: Board, host: LiveMybb) -> None:
    with pytest.raises(NotAllowed, match="Kein Thema"):
        host.reply("9", "some words")
    with pytest.raises(NotAllowed, match="Geht nicht"):
        host.edit("61", "not ours")
    with pytest.raises(NotTheTopic, match="Kein Thema"):
        host.page("9")


def test_a_board_that_is_closed_to_all_is_tried_again(board: Board, host: LiveMybb) -> None:
    host.reply("7", "some words")
    board.answer = lambda path, asked, sent: board.notice("Wartung")  # type: ignore[method-assign]
    acts: list[Callable[[], object]] = [
        lambda: host.reply("7", "other words"), lambda: host.edit("62", "other words"),
        lambda: host.send_message("Anna", "s", "text"), host.messages, host.sent_messages,
    ]  # fmt: skip
    for act in acts:
        with pytest.raises(TryAgain, match="Wartung"):
            act()
    with pytest.raises(NotTheTopic, match="Wartung"):
        host.page("7")


def test_a_post_that_waits_for_a_moderator(board: Board, host: LiveMybb) -> None:
    board.held = True
    with pytest.raises(NeedsApproval):
        host.reply("7", "some words")
    assert board.asked.count("POST newreply.php do_newreply") == 1


def test_an_outdated_form_is_filled_in_again(board: Board, host: LiveMybb) -> None:
    host.who_am_i()
    tree = host._member_page(f"{SITE}newreply.php?tid=7")
    board.key = "key2"
    assert "#pid" in host._submit(f"{SITE}newreply.php?tid=7", {"message": "some words"}, "submit", tree)


def test_an_answer_that_is_half_a_page_is_uncertain(board: Board, host: LiveMybb) -> None:
    host.who_am_i()
    board.onward = lambda url: (200, {}, "<html><body>half")  # type: ignore[method-assign]
    with pytest.raises(Uncertain):
        host.reply("7", "some words")


# ---------------------------------------------------------------------- messages


def test_reads_messages_by_their_source_and_leaves_them_unread(board: Board, host: LiveMybb) -> None:
    board.zone, board.date = -8, "%d-%m-%Y"
    board.send("Anna", "Host", "=order", ROLE)
    later(board, minutes=3)
    board.send("Jörg O'Brien", "Host", "order", "pass")
    read = list(host.messages())
    assert [(one.sender, one.recipients, one.subject, one.body) for one in read] == [
        ("Anna", ("Host",), "=order", ROLE), ("Jörg O'Brien", ("Host",), "order", "pass"),
    ]  # fmt: skip
    assert [one.sent_at for one in read] == [datetime(2026, 11, 12, 18, 0, tzinfo=UTC), datetime(2026, 11, 12, 18, 3, tzinfo=UTC)]
    assert not any("read" in asked for asked in board.asked)
    assert "pmid=62" in read[0].source


def test_nothing_new_costs_one_request(board: Board, host: LiveMybb) -> None:
    board.send("Anna", "Host", "order", "pass")
    known = {one.id for one in host.messages()}
    board.asked.clear()
    assert list(host.messages(board.clock.now() - timedelta(hours=1), known)) == []
    assert len(board.asked) == 1


def test_messages_in_folders_of_ones_own_are_read(board: Board, host: LiveMybb) -> None:
    for text, folder in (("kill Anna", "5"), ("kill Boris", ""), ("kill Cleo", "17"), ("thrown away", "4")):
        board.send("Anna", "Host", "order", text)
        board.mail[-2].folder = folder
        later(board, minutes=1)
    assert [(one.sender, one.body) for one in host.messages()] == [
        ("Anna", "kill Anna"), ("Anna", "kill Boris"), ("Anna", "kill Cleo"),
    ]  # fmt: skip


def test_two_messages_alike_keep_their_order(board: Board, host: LiveMybb) -> None:
    for text in ("kill Anna", "kill Boris", "kill Cleo"):
        board.send("Anna", "Host", "order", text)
        later(board, minutes=1)
    ids = {one.body: one.id for one in host.messages()}
    assert [int(ids[text]) for text in ("kill Anna", "kill Boris", "kill Cleo")] == [62, 64, 66]
    assert [one.body for one in host.messages(None, {ids["kill Cleo"], ids["kill Anna"]})] == ["kill Boris"]


def test_a_long_mailbox_is_read_as_far_as_it_may_be_new(board: Board, host: LiveMybb) -> None:
    for number in range(50):
        board.send("Anna", "Host", f"order {number}", f"text {number}")
        later(board, minutes=1)
    assert [one.body for one in host.messages()] == [f"text {number}" for number in range(50)]
    board.asked.clear()
    since = board.clock.now() - timedelta(minutes=5)
    assert [one.body for one in host.messages(since)][-5:] == [f"text {number}" for number in range(45, 50)]
    assert len(board.asked) == 2


def test_without_an_export_messages_are_opened(board: Board, host: LiveMybb) -> None:
    board.exports = False
    board.send("Anna", "Host", "order", "kill <Boris> & co")
    assert [one.body for one in host.messages()] == ["kill <Boris> & co"]


def test_sends_messages_and_waits(board: Board, host: LiveMybb) -> None:
    host.send_message("Anna", "Your role", "You are the [b]Nurse[/b].")
    later(board, seconds=10)
    board.clock.slept.clear()
    host.send_message("Jörg O'Brien", "Your role", "You are the [b]Cook[/b].")
    assert max(board.clock.slept) > 45
    assert [(one.recipients, one.body) for one in host.sent_messages()] == [
        (("Anna",), "You are the [b]Nurse[/b]."), (("Jörg O'Brien",), "You are the [b]Cook[/b]."),
    ]  # fmt: skip


def test_a_message_nobody_may_get(board: Board, host: LiveMybb) -> None:
    with pytest.raises(NotAllowed, match="Unbekannt: Cleo"):
        host.send_message("Cleo", "Your role", "Secret.")
    with pytest.raises(NotAllowed, match="several"):
        host.send_message("Anna, Boris", "Your role", "Secret.")
    for name in ("Cleo1999", "Cleo 30", "12345"):  # a name's number is no time to wait, and holds up nobody else
        with pytest.raises(NotAllowed, match=f"Unbekannt: {name}"):
            host.send_message(name, "Your role", "Secret.")
    assert not board.mail
    assert max(board.clock.slept, default=0) < 3


def test_a_message_sent_without_an_answer_goes_out_once(board: Board, host: LiveMybb) -> None:
    board.lose = lambda action: action == "do_send"
    with pytest.raises(Uncertain):
        host.send_message("Anna", "Your role", "Secret.")
    board.lose = lambda _: False
    with pytest.raises(Uncertain, match="Schon gesendet"):
        host.send_message("Anna", "Your role", "Secret.")
    assert [one.body for one in host.sent_messages()] == ["Secret."]


def test_no_mailbox_for_this_account(board: Board, host: LiveMybb) -> None:
    board.private = lambda asked, sent: board.notice("Keine Nachrichten")  # type: ignore[method-assign]
    with pytest.raises(SourceError, match="Keine Nachrichten"):
        list(host.messages())


def test_nothing_is_written_under_no_name(board: Board, host: LiveMybb) -> None:
    host.who_am_i()
    board.user, board.guests_write = "", True
    host.reply("7", "some words")
    assert board.posts[-1].by == "Host"


def test_looking_for_words_changes_nothing(board: Board, host: LiveMybb) -> None:
    host.reply("7", "The tally:\nnone")
    before = board.posts[-1].text
    assert host.find_own_post("7", "none") is None
    assert board.posts[-1].text == before
    assert board.posts[-1].edited is None


# ---------------------------------------------------------------------- real pages


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured pages here")
def test_real_forms_lists_and_notices() -> None:
    def tree(name: str) -> Tree:
        return html.document_fromstring((CAPTURES / f"{name}.html").read_bytes())

    for name in ("reply-form", "edit-form", "pm-compose", "error-flood", "error-too-short", "pm-error-flood"):
        assert dict(_find_form(tree(name)).form_values())["my_post_key"], name
    for name in ("error-locked-reply", "error-invalid-token", "edit-form-not-own", "login-too-many", "error-no-permission"):
        assert _find_form(tree(name)) is None
        assert len(notice_of(tree(name))) > 20, name
    assert [len(numbers_in("; ".join(_errors(tree(name))))) for name in ("error-flood", "pm-error-flood")] == [1, 1]
    rows = _rows(tree("pm-inbox"), SITE)
    assert len(rows) > 5
    assert all(row.id.isdigit() and row.subject and row.person and row.when.text for row in rows)
    assert _rows(tree("pm-sent"), SITE)
    assert _post_key(tree("pm-inbox"))
