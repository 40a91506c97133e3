"""vBulletin live, 3 and 4, in a language that nobody here knows: every answer it may give, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from publisher.markup import DIALECTS
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
    from_url,
    open_forum,
)
from scraper.live_vbulletin import LiveVbulletin
from scraper.model import NotTheTopic, SourceError
from scraper.thread import follow
from tests.board_kit import answering, hosted, later, talk
from tests.vbulletin_kit import SITE, Board

ROLE = "[b]KILL[/b]: Anna\n- \"x\", é — مریم می‌رود\n=1 +2 :D"


@pytest.fixture(params=[3, 4], ids=["vb3", "vb4"])
def board(request: pytest.FixtureRequest) -> Iterator[Board]:
    yield from answering(Board(version=request.param), SITE)


@pytest.fixture
def host(board: Board) -> LiveVbulletin:
    return hosted(LiveVbulletin, SITE, board)


# ---------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("address", "topic", "post"),
    [
        ("https://a.org/f/showthread.php?t=7&page=2", "7", None),
        ("https://a.org/f/showthread.php?p=61#post61", None, "61"),
        ("https://a.org/f/showthread.php?7-The-Lamp/page2", "7", None),
        ("https://a.org/f/showthread.php?7-The-Lamp", "7", None),
        ("https://a.org/f/showthread.php/7-The-Lamp/page2?p=61", "7", "61"),
        ("https://a.org/f/threads/7-The-Lamp", "7", None),
        ("https://a.org/f/threads/7-The-Lamp/page2", "7", None),
        ("https://a.org/f/threads/7", "7", None),
        ("https://a.org/f/threads/7/page3", "7", None),
        ("https://a.org/f/threads/7?p=61&viewfull=1#post61", "7", "61"),
        ("https://a.org/f/threads/7-The-Lamp?p=61&viewfull=1#post61", "7", "61"),
    ],
)
def test_addresses(address: str, topic: str | None, post: str | None) -> None:
    told = from_url(address)
    assert (told.kind, told.base_url, told.topic_id, told.post_id) == ("vbulletin", "https://a.org/f/", topic, post)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("https://a.org/showthread.php?tid=7", "mybb"), ("https://a.org/threads/the-lamp.7/", "xenforo"),
        ("https://a.org/threads/2026-games.7/page-2", "xenforo"), ("https://a.org/threads/7/", "xenforo"),
        ("https://a.org/threads/7/page-3", "xenforo"),
        ("https://a.org/viewtopic.php?t=7", "phpbb"),
    ],
)  # fmt: skip
def test_addresses_of_others_are_left_to_them(address: str, kind: str) -> None:
    assert from_url(address).kind == kind


def test_the_kind_that_the_gm_names_goes_before_what_the_address_looks_like(board: Board) -> None:
    for address in ("threads/the-lamp.7/", "threads/7/"):
        forum, topic = open_forum(SITE + address, board.clock.session(), kind="vbulletin", now=board.clock.now)
        assert (forum.kind, forum.base_url, topic) == ("vbulletin", SITE, "7")


def test_it_is_opened(board: Board) -> None:
    for address in ("showthread.php?t=7", "showthread.php?7-The-Lamp/page3", "threads/7-The-Lamp", "showthread.php?p=61"):
        forum, topic = open_forum(SITE + address, board.clock.session(), now=board.clock.now)
        assert (forum.kind, forum.base_url, topic) == ("vbulletin", SITE, "7")


# ---------------------------------------------------------------------- signing in


@pytest.mark.parametrize("redirects", [True, False])
@pytest.mark.parametrize("password", ["secret", "gehäim"])
def test_logs_in_with_a_password_that_does_not_leave_as_it_is(board: Board, host: LiveVbulletin, redirects: bool, password: str) -> None:
    board.redirects = redirects
    host.log_in("Host", password)
    assert host.who_am_i() == "Host"
    assert password not in board.sent.values()
    assert board.asked.count("POST login.php login") == 1


def test_a_wrong_password_is_tried_once_and_told(board: Board, host: LiveVbulletin) -> None:
    with pytest.raises(LoginFailed, match="1 von 5") as caught:
        host.log_in("Host", "hunter2")
    assert "hunter2" not in str(caught.value) + caught.value.advice
    assert board.asked.count("POST login.php login") == 1


@pytest.mark.parametrize("greets", [True, False])
def test_cookies_kept_from_before_spare_the_login(board: Board, host: LiveVbulletin, greets: bool) -> None:
    board.user, board.greets = "Host", greets
    assert host.who_am_i() == "Host"
    assert host.reply("7", "words").id == "62"
    assert "POST login.php login" not in board.asked


def test_cookies_of_somebody_else_are_dropped(board: Board, host: LiveVbulletin) -> None:
    board.user = "Anna"
    assert host.who_am_i() == "Host"
    assert board.asked.count("POST login.php login") == 1
    assert LiveVbulletin(SITE, board.clock.session()).who_am_i() == "Host"


def test_the_greeting_is_told_from_other_names_by_the_cookies(board: Board, host: LiveVbulletin) -> None:
    board.version, board.user = 3, "Host"
    tell = board.page
    board.page = lambda body, head="": (  # type: ignore[method-assign]
        200, {"Set-Cookie": "bb_userid=2; path=/"},
        tell(body, head)[2].replace("<body>", '<body><strong><a href="member.php?u=9">Anna</a></strong>'),
    )  # fmt: skip
    host.session.get(f"{SITE}usercp.php")
    assert host.who_am_i() == "Host"
    assert "POST login.php login" not in board.asked


# ---------------------------------------------------------------------- reading


def test_pages_whatever_the_account_has_set(board: Board, host: LiveVbulletin) -> None:
    talk(board, 24)
    for size in (10, 7, 50):
        board.size = size
        pages = -(-25 // size)
        last = host.page("7", "last")
        assert (last.page, last.pages, last.posts[-1].id) == (pages, pages, "85")
        assert host.page("7", 9).page == pages
        assert "72" in {post.id for post in host.page("7", Containing("72")).posts}
        seen = follow(LiveVbulletin(SITE, board.clock.session(), now=board.clock.now), "7")
        assert [post.number for post in seen.new] == list(range(1, 26))


def test_an_account_set_to_threads_reads_whole_pages(board: Board, host: LiveVbulletin) -> None:
    board.threads = True
    talk(board, 24)
    assert [post.number for post in follow(host, "7").new] == list(range(1, 26))
    assert len(host.page("7", Containing("72")).posts) == 10


def test_newest_first(board: Board, host: LiveVbulletin) -> None:
    talk(board, 24)
    board.falling = True
    host.who_am_i()
    assert host.page("7", "last").posts[0].id == "85"
    seen = follow(host, "7")
    assert [post.number for post in seen.new] == list(range(1, 26))
    board.asked.clear()
    board.say("Anna", "late")
    assert [post.id for post in follow(host, "7", seen.bookmark).new] == ["86"]
    assert len(board.asked) == 1


def test_nothing_new_costs_one_request_and_what_goes_is_noticed(board: Board, host: LiveVbulletin) -> None:
    talk(board, 24)
    host.who_am_i()
    seen = follow(host, "7")
    board.asked.clear()
    assert follow(host, "7", seen.bookmark).new == ()
    assert len(board.asked) == 1
    board.posts[-1].state, board.posts[-2].text = "deleted", "other words"
    again = follow(host, "7", seen.bookmark)
    assert (again.gone, [post.id for post in again.changed]) == (("85",), ["84"])


@pytest.mark.parametrize("zone", [0, 1, -8, 3.5, 5.75, 13, -11])
@pytest.mark.parametrize("date", ["%m-%d-%Y, %I:%M %p", "%d.%m.%Y, %H:%M", "%Y-%m-%d, %H:%M"])
def test_times_go_by_the_clock_at_the_foot_of_the_page(board: Board, zone: float, date: str) -> None:
    given = {13: "Pacific/Auckland", -11: "Pacific/Pago_Pago"}.get(zone, "UTC")
    host = LiveVbulletin(SITE, board.clock.session(), timezone=ZoneInfo(given), now=board.clock.now)
    board.zone, board.date, board.near = zone, date, True
    talk(board, 3)
    later(board, hours=30)
    board.say("Boris", "late. All times are GMT. The time now is 03:00.")
    later(board, hours=14)
    for post, told in zip(host.page("7").posts, board.posts, strict=True):
        assert post.posted_at == told.at


def test_a_session_that_ends_is_renewed_everywhere(board: Board, host: LiveVbulletin) -> None:
    board.send("Anna", "Host", "order", "pass")
    acts: list[Callable[[], object]] = [
        lambda: host.page("7").signed_in, lambda: host.reply("7", "some words"), lambda: host.edit("64", "other words"),
        lambda: list(host.messages()), lambda: host.send_message("Anna", "s", "text"), host.who_am_i,
    ]  # fmt: skip
    for act in acts:
        board.user, host._me = "", None
        assert act() not in (False, [])
    assert all(post.by for post in board.posts)


def test_a_token_that_ran_out_while_writing(board: Board, host: LiveVbulletin) -> None:
    host.who_am_i()
    board.dead_token = True
    assert host.reply("7", "words").id == "62"
    tell = board.reply

    def ending(at: dict[str, str], sent: dict[str, str]) -> tuple[int, dict[str, str], str]:
        answer = tell(at, sent)
        board.user, board.reply = "", tell  # type: ignore[method-assign]
        return answer

    board.reply = ending  # type: ignore[method-assign]
    later(board, minutes=1)
    assert host.reply("7", "other words").id == "63"
    assert [post.by for post in board.posts] == ["Anna", "Host", "Host"]


def test_what_is_not_there(board: Board, host: LiveVbulletin) -> None:
    with pytest.raises(NotTheTopic, match="Kein solches Thema"):
        host.page("8")
    with pytest.raises(NotAllowed, match="Kein solches Thema") as caught:
        host.reply("8", "x")
    assert caught.value.advice
    board.closed = True
    with pytest.raises(TryAgain, match="Wartung"):
        host.reply("7", "x")
    with pytest.raises(SourceError, match="Wartung"):
        host.page("7")


# ---------------------------------------------------------------------- posting


@pytest.mark.parametrize("redirects", [True, False])
def test_posts_and_edits(board: Board, host: LiveVbulletin, redirects: bool) -> None:
    board.redirects = redirects
    text = "Who did [b]it[/b]?\nNight:Dmitri & <Co>"
    sent = host.reply("7", text, "Tally")
    assert (sent.id, sent.url) == ("62", f"{SITE}showthread.php?p=62#post62")
    assert (board.sent["wysiwyg"], board.sent["disablesmilies"], board.sent["parseurl"]) == ("0", "1", "0")
    assert (board.sent["title"], board.sent["loggedinuser"], board.sent["posthash"]) == ("Tally", "2", "h")
    assert board.sent.get("message_backup", text) == text
    assert "preview" not in board.sent
    assert host.edit("62", "He did.").id == "62"
    assert (board.posts[-1].text, board.posts[-1].smilies) == ("He did.", False)


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "windows-1256"])
def test_every_letter_gets_there_and_back_whatever_the_boards_letters(board: Board, host: LiveVbulletin, charset: str) -> None:
    board.charset = charset
    host.reply("7", ROLE)
    assert board.posts[-1].text == ROLE
    found = host.find_own_post("7", ROLE)
    assert found is not None
    assert "مریم" in found.text
    host.send_message("Jörg O'Brien", "Rôle", ROLE)
    assert (board.mail[-1].to, board.mail[-1].subject, board.mail[-1].text) == ("Jörg O'Brien", "Rôle", ROLE)
    assert [one.body for one in host.sent_messages()] == [ROLE]


@pytest.mark.parametrize("passed", [0, 12, 29, 30])
def test_waits_as_long_as_the_forum_says(board: Board, host: LiveVbulletin, passed: int) -> None:
    host.reply("7", "one")
    later(board, seconds=passed)
    host.reply("7", "two")
    assert [post.text for post in board.posts[1:]] == ["one", "two"]
    assert (board.posts[-1].at - board.posts[-2].at).total_seconds() <= max(36, passed + 6)


def test_a_wait_that_is_too_long_is_left_to_the_next_tick(board: Board, host: LiveVbulletin) -> None:
    board.flood = 900
    host.reply("7", "one")
    with pytest.raises(FloodLimit) as caught:
        host.reply("7", "two")
    assert 880 < caught.value.wait <= 901
    assert len(board.posts) == 2


@pytest.mark.parametrize(
    "words", ["Mindestens 10 Zeichen.", "18 Bilder, und nur 8 sind erlaubt.", "15000 Zeichen, und nur 10000 sind erlaubt.", "Nein."]
)
def test_a_refused_text_is_told(board: Board, host: LiveVbulletin, words: str) -> None:
    board.refuse = words
    with pytest.raises(Refused, match=re.escape(words)):
        host.reply("7", "x")
    assert len(board.posts) == 1
    assert sum(board.clock.slept) < 30


def test_a_closed_topic(board: Board, host: LiveVbulletin) -> None:
    host.reply("7", "before")
    board.locked = True
    assert host.page("7").locked
    for act in (lambda: host.reply("7", "after"), lambda: host.edit("62", "after")):
        with pytest.raises(TopicLocked):
            act()
    board.locked = False
    with pytest.raises(NotAllowed, match="Das geht nicht"):
        host.edit("61", "not mine")


def test_a_topic_closed_while_writing(board: Board, host: LiveVbulletin) -> None:
    host.who_am_i()
    tell = board.reply

    def closing(at: dict[str, str], sent: dict[str, str]) -> tuple[int, dict[str, str], str]:
        answer = tell(at, sent)
        board.locked = True
        return answer

    board.reply = closing  # type: ignore[method-assign]
    with pytest.raises(TopicLocked):
        host.reply("7", "too late")
    assert len(board.posts) == 1


@pytest.mark.parametrize(
    "target", ["threads/7-T?p=62#post62", "the-lamp-7-post62.html#post62", "showthread.php?p=62", "threads/7-T?p=62"]
)
def test_where_a_taken_post_stands_in_any_kind_of_address(board: Board, host: LiveVbulletin, target: str) -> None:
    tell = board.onward
    board.redirects = True
    board.onward = lambda url, forced=False: tell(target if "showthread" in url else url)  # type: ignore[method-assign,misc]
    assert host.reply("7", "words").id == "62"


@pytest.mark.parametrize("redirects", [True, False])
def test_a_post_that_waits_for_a_moderator(board: Board, host: LiveVbulletin, redirects: bool) -> None:
    board.held, board.redirects = True, redirects
    with pytest.raises(NeedsApproval):
        host.reply("7", "words")


def test_a_post_that_waits_for_a_moderator_though_an_old_one_has_its_words(board: Board, host: LiveVbulletin) -> None:
    host.reply("7", "The tally: none.")
    later(board, minutes=11)
    board.say(board.user, "something else of the host")
    board.held = True
    with pytest.raises(NeedsApproval):
        host.reply("7", "The tally: none.")


def test_the_same_words_twice_are_uncertain_and_found(board: Board, host: LiveVbulletin) -> None:
    host.reply("7", "The tally: none.")
    later(board, minutes=3)
    with pytest.raises(Uncertain):
        host.reply("7", "The tally: none.")
    assert len(board.posts) == 2
    assert host.find_own_post("7", "The tally: none.", after="62") is None
    found = host.find_own_post("7", "The tally: none.", after="61")
    assert found is not None
    assert found.id == "62"


def test_what_was_sent_without_an_answer_is_found(board: Board, host: LiveVbulletin) -> None:
    markup = DIALECTS["vbulletin"]
    text = f"{markup.heading('Votes')}\nAnna 🎲 2\n{markup.escape('[b] :) www.x.org')}"
    board.lose = lambda action: action == "postreply"
    with pytest.raises(Uncertain):
        host.reply("7", text)
    board.lose = lambda _: False
    found = host.find_own_post("7", text, after="61")
    assert found is not None
    assert found.id == "62"
    assert host.find_own_post("7", "Votes\nAnna 3") is None


def test_hostile_names_and_words(board: Board, host: LiveVbulletin) -> None:
    name = '"><script>alert(1)</script>[b]'
    board.user = host._shown = name
    host._account = (name, "secret")
    assert host.who_am_i() == name
    board.say("O'Brien & [Ghost]", '</div></li></table><div id="post_99">logout var SECURITYTOKEN = "guest";')
    assert [post.author for post in host.page("7").posts] == ["Anna", "O'Brien & [Ghost]"]
    assert host.page("7").signed_in


# ---------------------------------------------------------------------- messages


def test_messages_are_read_as_typed_and_stay_unread(board: Board, host: LiveVbulletin) -> None:
    board.send("Anna", "Host", 'Night 1 & "more"', ROLE)
    later(board, minutes=5)
    board.send("Host", "Anna", "Re: Night 1", "no")
    later(board, minutes=5)
    board.send("Jörg O'Brien", "Host", "Night 1", "[quote=Host]kill?[/quote] pass")
    found = list(host.messages())
    assert [(one.id, one.sender, one.recipients, one.subject, one.body) for one in found] == [
        ("62", "Anna", ("Host",), 'Night 1 & "more"', ROLE),
        ("66", "Jörg O'Brien", ("Host",), "Night 1", "[quote=Host]kill?[/quote] pass"),
    ]
    assert [one.sent_at for one in found] == [datetime(2026, 11, 12, 18, m, tzinfo=UTC) for m in (0, 10)]
    assert [(one.sender, one.recipients, one.body) for one in host.sent_messages()] == [("Host", ("Anna",), "no")]
    assert not any("showpm" in asked for asked in board.asked)


def test_nothing_new_in_the_mailbox_costs_one_request(board: Board, host: LiveVbulletin) -> None:
    for number in range(45):
        later(board, minutes=7)
        board.send("Anna", "Host", f"order {number}", f"pass {number}")
    host.who_am_i()
    known = {one.id for one in host.messages()}
    assert len(known) == 45
    board.asked.clear()
    assert list(host.messages(known=known)) == []
    assert len(board.asked) == 1
    later(board, minutes=7)
    board.send("Boris", "Host", "late", "kill")
    assert [one.body for one in host.messages(known=known)] == ["kill"]


def test_only_messages_since_then(board: Board, host: LiveVbulletin) -> None:
    for number in range(30):
        later(board, hours=5)
        board.send("Anna", "Host", "order", f"pass {number}")
    since = board.clock.now() - timedelta(hours=11)
    host.who_am_i()
    board.asked.clear()
    assert [one.body for one in host.messages(since)] == ["pass 27", "pass 28", "pass 29"]
    assert board.asked == ["GET private.php", "GET private.php downloadpm"]


@pytest.mark.parametrize("zone", [0, -8, 5.75])
@pytest.mark.parametrize("near", [False, True])
def test_messages_go_by_the_accounts_zone(board: Board, host: LiveVbulletin, zone: float, near: bool) -> None:
    board.zone, board.near = zone, near
    for _ in range(3):
        later(board, hours=17)
        board.send("Anna", "Host", "order", "pass")
    wanted = [one.at.replace(second=0) for one in board.mail if one.owner == "Host"]
    assert [one.sent_at for one in host.messages()] == wanted


@pytest.mark.parametrize("exports", [True, False])
@pytest.mark.parametrize("date", ["%m-%d-%Y, %H:%M", "%d-%m-%Y, %H:%M", "%Y-%m-%d, %H:%M"])
@pytest.mark.parametrize("language", ["de", "en", "en-GB"])
def test_no_message_is_taken_for_an_old_one_by_the_order_of_its_numbers(
    board: Board, host: LiveVbulletin, language: str, date: str, exports: bool
) -> None:
    """In a board's English 2-11 may be in February or in November: an order was never read, and what had been sent, sent again."""
    board.date, board.exports, show = date, exports, board.page
    board.page = lambda body, head="": (200, {}, show(body, head)[2].replace('lang="de"', f'lang="{language}"'))  # type: ignore[method-assign]
    later(board, days=-240)  # the 17th of March
    board.send("Anna", "Host", "order", "an old one")
    later(board, days=230)  # the 2nd of November
    since = board.clock.now() - timedelta(hours=1)
    board.send("Anna", "Host", "order", "kill Boris")
    host.send_message("Anna", "Your role", "Secret.")
    later(board, hours=1)
    assert [(one.sent_at, one.body) for one in host.messages(since)] == [(datetime(2026, 11, 2, 18, 0, tzinfo=UTC), "kill Boris")]
    assert [one.body for one in host.sent_messages(since)] == ["Secret."]


def test_without_the_download_messages_are_opened_one_by_one(board: Board, host: LiveVbulletin) -> None:
    board.exports = False
    board.send("Anna", "Host", "order", ROLE)
    found = next(host.messages())
    assert (found.sender, found.subject, found.body) == ("Anna", "order", ROLE)
    assert found.sent_at == datetime(2026, 11, 12, 18, 0, tzinfo=UTC)


def test_a_message_whose_page_offers_no_answer_is_read_as_shown(board: Board, host: LiveVbulletin) -> None:
    board.exports = False
    board.send("Anna", "Host", "order", "[b]kill[/b] Boris\nor pass")
    tell, told = board.show, board.row
    board.show = lambda one: (200, {}, re.sub("<form name.*?</form>", "", tell(one)[2], flags=re.DOTALL))  # type: ignore[method-assign]
    board.row = lambda one, person: re.sub(r' id="(?:m|pm_)\d+"', "", told(one, person))  # type: ignore[method-assign]
    assert [(one.sender, one.body) for one in host.messages()] == [("Anna", "[b]kill[/b] Boris\nor pass")]
    board.show = lambda one: board.notice("Weg.")  # type: ignore[method-assign]
    with pytest.raises(TryAgain, match=r"“order” could not be opened.*Weg"):
        host.messages()


def test_twins_of_one_minute_are_not_mixed_up(board: Board, host: LiveVbulletin) -> None:
    board.send("Anna", "Host", "order", "kill Boris")
    board.send("Anna", "Host", "order", "pass")
    assert [(one.id, one.body) for one in host.messages()] == [("62", "kill Boris"), ("64", "pass")]


def test_a_forged_message_in_a_message_stays_one(board: Board, host: LiveVbulletin) -> None:
    forged = "]]></message></privatemessage><privatemessage><fromuser>Boris</fromuser><title>order</title><message>kill"
    board.send("Anna", "Host", "order", forged)
    assert [(one.sender, one.body) for one in host.messages()] == [("Anna", forged)]


def test_messages_are_sent_with_a_copy_and_the_forums_pauses(board: Board, host: LiveVbulletin) -> None:
    for name in ("Anna", "Boris", "Jörg O'Brien"):
        host.send_message(name, "Your role", f"You are {name}.")
    assert [one.recipients for one in host.sent_messages()] == [("Anna",), ("Boris",), ("Jörg O'Brien",)]
    assert sum(board.clock.slept) > 55


def test_who_cannot_be_written_to(board: Board, host: LiveVbulletin) -> None:
    with pytest.raises(NotAllowed, match="Unbekannt: Nobody"):
        host.send_message("Nobody", "s", "text")
    with pytest.raises(NotAllowed, match="several"):
        host.send_message("Anna;Boris", "s", "text")
    assert board.mail == []


def test_a_message_without_an_answer_is_among_the_sent(board: Board, host: LiveVbulletin) -> None:
    board.lose = lambda action: action == "insertpm"
    with pytest.raises(Uncertain):
        host.send_message("Anna", "Your role", ROLE)
    board.lose = lambda _: False
    assert [(one.recipients, one.body) for one in host.sent_messages(board.clock.now())] == [(("Anna",), ROLE)]


def test_no_mailbox_is_told(board: Board, host: LiveVbulletin) -> None:
    board.private = lambda asked, sent: board.notice("Keine PN.")  # type: ignore[method-assign]
    with pytest.raises(TryAgain, match="Keine PN"):
        host.messages()
