"""SMF live, in a language that nobody here knows: every answer it may give, and what comes of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import responses
from lxml import html

from scraper.dates import DateReader
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
from scraper.live_smf import LiveSmf
from scraper.mail import read_mail
from scraper.model import NotTheTopic
from scraper.smf_mail import read_feed, read_folder
from scraper.thread import follow
from tests.board_kit import answering, talk
from tests.practice_kit import Clock
from tests.smf_kit import INDEX, SITE, TOPIC, Board

CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures")) / "smf-2.1.5"
TALLY = "[b]Vote count[/b]\n[color=red]O'Brien & Sons[/color] (2): <Anna> :) مریم"


@pytest.fixture
def board() -> Iterator[Board]:
    yield from answering(Board(), SITE)


@pytest.fixture
def host(board: Board) -> LiveSmf:
    live = LiveSmf(SITE, board.clock.session(), now=board.clock.now)
    live.log_in("host", "secret")
    board.asked.clear()
    return live


def texts(board: Board) -> list[str]:
    return [post.text for post in board.posts]


# ---------------------------------------------------------------------- signing in


def test_signs_in_by_one_name_and_is_shown_by_another(board: Board) -> None:
    live = LiveSmf(SITE, board.clock.session(), now=board.clock.now)
    assert live.who_am_i() is None
    live.use_account("host", "secret")
    assert live.who_am_i() == "The Host"


def test_a_wrong_password_is_tried_once(board: Board) -> None:
    live = LiveSmf(SITE, board.clock.session())
    with pytest.raises(LoginFailed, match="login of host: Abc def") as caught:
        live.log_in("host", "hunter2")
    assert "hunter2" not in str(caught.value) + caught.value.advice
    assert board.asked.count("POST login2") == 1


@pytest.mark.parametrize("named", [True, False])
def test_waits_where_somebody_has_just_tried_to_log_in(board: Board, named: bool) -> None:
    board.wait_login, board.named_errors = 1, named
    live = LiveSmf(SITE, board.clock.session())
    live.log_in("host", "secret")
    assert (live.who_am_i(), board.clock.slept.count(3.0)) == ("The Host", 1)
    board.wait_login, board.user = 99, ""
    with pytest.raises(LoginFailed, match="Hij 2 klm"):
        live.log_in("host", "secret")


def test_a_second_proof_is_told(board: Board) -> None:
    board.second_proof = True
    with pytest.raises(LoginFailed, match="second proof"):
        LiveSmf(SITE, board.clock.session()).log_in("host", "secret")


# ---------------------------------------------------------------------- reading


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("count", [1, 5, 6, 30, 31])
def test_the_last_page_holds_the_newest_post_however_full_it_is(board: Board, host: LiveSmf, count: int, falling: bool) -> None:
    board.size, board.falling = 5, falling
    talk(board, count - 1)
    page = host.page(TOPIC, "last")
    assert (len(board.posts), str(board.posts[-1].id) in {post.id for post in page.posts}) == (count, True)
    assert [post.id for post in follow(host, TOPIC).new] == [str(post.id) for post in board.posts]


def test_a_topic_that_has_lost_its_last_page_is_read_on(board: Board, host: LiveSmf) -> None:
    talk(board, 30)
    seen = follow(host, TOPIC)
    lost = board.posts.pop()
    again = follow(host, TOPIC, seen.bookmark)
    assert (again.gone, again.new, again.page.page) == ((str(lost.id),), (), 2)


def test_what_is_no_page_of_the_topic_is_no_empty_page(board: Board, host: LiveSmf) -> None:
    with pytest.raises(NotTheTopic):
        host.page("99", 3, per_page=15)
    with pytest.raises(NotTheTopic):
        host.page(TOPIC, Containing("9"))


@pytest.mark.parametrize("zone", [-8, 0, 3.5, 14])
def test_the_page_tells_the_zone_of_the_account(board: Board, host: LiveSmf, zone: float) -> None:
    board.zone = zone
    assert host.page(TOPIC).posts[0].posted_at == datetime(2026, 11, 12, 18, tzinfo=UTC)
    host.timezone = ZoneInfo("Europe/Berlin")
    assert host.page(TOPIC).posts[0].posted_at == datetime(2026, 11, 12, 18, tzinfo=UTC)


@pytest.mark.parametrize("zone", [-8, 0, 1, 3.5, 13])
def test_the_head_of_a_page_of_2_0_tells_the_zone_of_the_account(board: Board, host: LiveSmf, zone: float) -> None:
    board.has_clock, board.greets, board.zone = False, True, zone
    host.timezone = ZoneInfo("Europe/Berlin")
    assert host.page(TOPIC).posts[0].posted_at == datetime(2026, 11, 12, 18, tzinfo=UTC)


def test_a_page_without_a_clock_is_in_the_zone_given(board: Board, host: LiveSmf) -> None:
    board.has_clock, board.zone = False, 1
    host.timezone = ZoneInfo("Europe/Berlin")
    assert host.page(TOPIC).posts[0].posted_at == datetime(2026, 11, 12, 18, tzinfo=UTC)


def test_a_link_in_a_post_does_not_sign_anybody_in(board: Board) -> None:
    board.posts[0].text = f'[url]{INDEX}?action=logout;aa=bb[/url]'
    live = LiveSmf(SITE, board.clock.session(), now=board.clock.now)
    page = live.page(TOPIC)
    assert (page.signed_in, page.locked) == (False, False)
    live.use_account("host", "secret")
    assert live.page(TOPIC).signed_in


@pytest.mark.parametrize(("account", "shown", "logins"), [("The Host", None, 1), ("host", "The Host", 1), ("host", None, 3)])
def test_cookies_from_before_spare_the_login_where_the_shown_name_is_known(
    board: Board, tmp_path: Path, account: str, shown: str | None, logins: int
) -> None:
    board.people["The Host"] = account.lower()
    for _ in range(3):
        live = LiveSmf(SITE, board.clock.session(cookie_file=tmp_path / "cookies"), now=board.clock.now)
        live.use_account(account, "secret", shown)
        assert live.who_am_i() == "The Host"
    assert board.asked.count("POST login2") == logins
    board.user = "Anna"
    assert live.page(TOPIC).signed_in
    live.reply(TOPIC, "x")
    assert board.posts[-1].by == "The Host"


# ---------------------------------------------------------------------- posting


@pytest.mark.parametrize("falling", [False, True])
def test_posts_and_finds_out_the_id(board: Board, host: LiveSmf, falling: bool) -> None:
    board.falling, board.size = falling, 5
    talk(board, 9)
    ref = host.reply(TOPIC, TALLY)
    post = board.posts[-1]
    assert (ref.id, ref.url) == (str(post.id), f"{INDEX}?topic={TOPIC}.msg{post.id}#msg{post.id}")
    assert (post.text, post.subject, post.by) == (TALLY, "Re: The Lamp", "The Host")
    board.clock.sleep(9)
    assert host.reply(TOPIC, TALLY, subject="Day 2").id == str(board.posts[-1].id)  # the same words, and not the earlier post
    assert board.posts[-1].subject == "Day 2"


def test_a_post_whose_words_the_forum_changed_is_the_only_new_one(board: Board, host: LiveSmf) -> None:
    host.reply(TOPIC, "old")
    board.clock.sleep(9)

    def censor(_: str) -> None:
        board.posts[-1].text = "d*rn"

    board.lose = censor
    assert host.reply(TOPIC, "darn").id == str(board.posts[-1].id)


def test_somebody_posts_meanwhile_and_once_more(board: Board, host: LiveSmf) -> None:
    crowd = iter(["first!", "second!"])
    board.before = lambda _: (said := next(crowd, "")) and board.say("Anna", said)
    ref = host.reply(TOPIC, "mine")
    assert texts(board)[1:] == ["first!", "second!", "mine"]
    assert ref.id == str(board.posts[-1].id)
    board.before = lambda _: board.say("Anna", "!")
    with pytest.raises(TryAgain):
        host.reply(TOPIC, "mine too")
    assert "mine too" not in texts(board)


def test_waits_out_flood_control_with_a_new_form(board: Board, host: LiveSmf) -> None:
    host.reply(TOPIC, "one")
    board.last["post"] = board.clock.now() + timedelta(seconds=3)  # somebody else at this address
    host.reply(TOPIC, "two")
    assert (texts(board)[1:], board.clock.slept.count(6.0)) == (["one", "two"], 1)


def test_flood_control_without_end_is_told(board: Board, host: LiveSmf) -> None:
    board.before = lambda _: board.last.update(post=board.clock.now())
    with pytest.raises(FloodLimit) as caught:
        host.reply(TOPIC, "one")
    assert (caught.value.wait, texts(board)) == (6.0, ["It begins."])
    board.flood = 600
    with pytest.raises(FloodLimit) as caught:
        host.reply(TOPIC, "one")
    assert (caught.value.wait, 601.0 in board.clock.slept) == (601.0, False)


@pytest.fixture
def old(board: Board, host: LiveSmf) -> LiveSmf:
    """On a forum of 2.0, as the public record has it: its errors have no names, and there is no feed of messages."""
    board.named_errors = board.feed = board.has_clock = False
    return host


def test_an_older_forum_signs_in_for_ever(board: Board, old: LiveSmf) -> None:
    board.user = ""
    old.log_in("host", "secret")
    assert board.user == "The Host"
    board.user = ""
    with pytest.raises(LoginFailed, match="Abc def"):
        old.log_in("host", "wrong")


def test_an_older_forum_whose_errors_have_no_names(board: Board, old: LiveSmf) -> None:
    board.last["post"] = board.clock.now() + timedelta(seconds=4)
    old.reply(TOPIC, "one")
    assert texts(board)[1:] == ["one"]
    send = old.session.post
    old.session.post = lambda *a, **k: (send(*a, **k), send(*a, **k))[1]  # type: ignore[method-assign]
    board.clock.sleep(9)
    with pytest.raises(Uncertain):
        old.reply(TOPIC, "two")
    assert texts(board)[1:] == ["one", "two"]
    board.locked = True
    with pytest.raises(NotAllowed, match="Xyz tuv"):
        old.reply(TOPIC, "three")


def test_an_older_forum_without_utf_8_is_sent_references(board: Board, old: LiveSmf) -> None:
    board.charset = "ISO-8859-1"
    old.reply(TOPIC, "grüße مریم & x")
    assert board.posts[-1].text == "gr&#252;&#223;e &#1605;&#1585;&#1740;&#1605; & x"


def test_messages_of_an_older_forum() -> None:
    page = html.document_fromstring(
        '<div class="pagelinks"><strong>1</strong> <a class="navPages" href="index.php?action=pm;f=inbox;sort=date;desc;start=15">2</a>'
        '</div><a href="index.php?action=pm;pmid=8;kstart;f=inbox;start=0;sort=date;desc#msg8">other</a><div class="windowbg clear">'
        '<div class="poster"><a id="msg9"></a><h4><img src="on.gif" alt="on"> <a href="index.php?action=profile;u=3">Anna</a></h4>'
        '<ul class="reset smalltext" id="msg_9_extra_info"><li>x</li></ul></div><div class="postarea"><div class="flow_hidden"><div '
        'class="keyinfo"><h5 id="subject_9">Night 1</h5><span class="smalltext">« <strong> Na:</strong> '
        '<a href="index.php?action=profile;u=2">Host</a> <strong> nz:</strong> November 12, 2026, 05:04:03 PM »</span></div></div>'
        '<div class="post"><div class="inner" id="msg_9">kill <strong>Boris</strong></div></div></div></div>'
    )
    folder = read_folder(page, DateReader(timezone=UTC, now=datetime(2026, 11, 12, 18, tzinfo=UTC), languages=("en",)), 0)
    (letter,) = folder.letters
    assert (folder.ids, folder.following) == (("9", "8"), 15)
    assert (letter.sender, letter.sender_id, letter.people, letter.subject) == ("Anna", "3", (("2", "Host"),), "Night 1")
    assert (letter.body, letter.sent_at) == ("kill [b]Boris[/b]", datetime(2026, 11, 12, 17, 4, 3, tzinfo=UTC))


def test_a_locked_topic_is_told_before_and_after_writing(board: Board, host: LiveSmf) -> None:
    board.before = lambda _: setattr(board, "locked", True)
    with pytest.raises(TopicLocked, match="Xyz tuv"):
        host.reply(TOPIC, "one")
    with pytest.raises(TopicLocked):
        host.reply(TOPIC, "one")
    assert host.page(TOPIC).locked
    assert texts(board) == ["It begins."]


def test_a_post_that_waits_for_a_moderator_is_found_and_not_sent_again(board: Board, host: LiveSmf) -> None:
    board.held = True
    with pytest.raises(NeedsApproval):
        host.reply(TOPIC, "one")
    found = host.find_own_post(TOPIC, "one")
    assert found is not None
    assert found.id == str(board.posts[-1].id)


def test_what_the_forum_refuses_is_told_in_its_words(board: Board, host: LiveSmf) -> None:
    with pytest.raises(Refused, match="Uvw"):
        host.reply(TOPIC, " ")
    with pytest.raises(NotAllowed, match="Xyz qrs"):
        host.reply("99", "x")
    board.captcha = True
    with pytest.raises(NotAllowed, match="CAPTCHA"):
        host.reply(TOPIC, "x")
    assert texts(board) == ["It begins."]


def test_edits_its_own_post(board: Board, host: LiveSmf) -> None:
    ref = host.reply(TOPIC, "tally 1")
    talk(board, 20)
    fresh = LiveSmf(SITE, board.clock.session(), now=board.clock.now)
    fresh.use_account("host", "secret")
    assert fresh.edit(ref.id or "", "tally 2") == ref
    assert texts(board)[1] == "tally 2"
    assert board.posts[1].subject == "Re: The Lamp"


def test_anothers_and_a_missing_post_cannot_be_edited(board: Board, host: LiveSmf) -> None:
    with pytest.raises(NotAllowed, match="Xyz vwx"):
        host.edit("101", "x")
    with pytest.raises(NotAllowed, match="Xyz qrs"):
        host.edit("999", "x")
    assert texts(board) == ["It begins."]


# ---------------------------------------------------------------------- exactly once


def test_a_lost_answer_is_uncertain_and_the_post_is_found(board: Board, host: LiveSmf) -> None:
    before = str(board.posts[-1].id)
    board.lose = lambda action: action == "post2"
    with pytest.raises(Uncertain):
        host.reply(TOPIC, TALLY)
    found = host.find_own_post(TOPIC, TALLY, before)
    assert found is not None
    assert texts(board).count(TALLY) == 1


def test_a_form_that_arrived_twice_is_uncertain_and_found(board: Board, host: LiveSmf) -> None:
    send = host.session.post
    host.session.post = lambda *a, **k: (send(*a, **k), send(*a, **k))[1]  # type: ignore[method-assign]
    with pytest.raises(Uncertain, match="Xyz yza"):
        host.reply(TOPIC, TALLY)
    assert texts(board).count(TALLY) == 1
    assert host.find_own_post(TOPIC, TALLY) is not None


def test_some_other_page_after_sending_is_uncertain(board: Board, host: LiveSmf) -> None:
    for answer in ((200, {}, board.page("news")), (200, {}, "<html><body>half"), (302, {"Location": SITE + "portal"}, "")):
        board.take = lambda *_, answer=answer: answer  # type: ignore[method-assign]
        with pytest.raises(Uncertain):
            host.reply(TOPIC, "x")


def test_a_post_that_does_not_show_yet_has_no_id(board: Board, host: LiveSmf) -> None:
    board.lose = lambda _: not board.posts.pop()
    assert host.reply(TOPIC, "x").id is None


# ---------------------------------------------------------------------- sessions that end


def test_a_session_that_ends_between_form_and_sending_is_renewed(board: Board, host: LiveSmf) -> None:
    ends = iter([True])
    board.before = lambda action: setattr(board, "user", "") if action == "post2" and next(ends, False) else None
    host.reply(TOPIC, "mine")
    assert [(post.by, post.text) for post in board.posts][1:] == [("The Host", "mine")]


def test_a_new_session_of_the_same_account_needs_no_login(board: Board, host: LiveSmf) -> None:
    fresh = iter([("a1b2c3d4e5", "ab" * 16)])
    board.before = lambda _: setattr(board, "token", next(fresh, board.token))
    host.reply(TOPIC, "mine")
    assert (texts(board)[1:], "POST login2" in board.asked) == (["mine"], False)


def test_a_session_that_ended_is_renewed_whatever_is_done(board: Board, host: LiveSmf) -> None:
    ref = host.reply(TOPIC, "one")
    board.write("Anna", "The Host", "Night 1", "kill")
    for act in (
        lambda: host.page(TOPIC).signed_in,
        lambda: host.edit(ref.id or "", "two"),
        lambda: host.send_message("Anna", "x", "y"),
        lambda: [message.subject for message in host.messages()] == ["Night 1"],
        lambda: [message.subject for message in host.sent_messages()] == ["x"],
    ):
        board.user = ""
        act()
        assert board.user == "The Host"
    assert (texts(board)[-1], len(board.mail)) == ("two", 2)
    board.user = ""
    assert [message.subject for message in host.messages()] == ["Night 1"]


def test_nothing_is_posted_as_somebody_else(board: Board, host: LiveSmf) -> None:
    board.user = "Anna"
    board.write("The Host", "Anna", "secret", "role")
    host.reply(TOPIC, "from the host")
    assert board.posts[-1].by == "The Host"
    board.user = "Anna"
    assert list(host.messages()) == []


def test_nobody_signed_in_cannot_post(board: Board) -> None:
    with pytest.raises(LoginFailed):
        LiveSmf(SITE, board.clock.session()).reply(TOPIC, "x")


# ---------------------------------------------------------------------- private messages


@pytest.mark.parametrize("name", ["Anna", "O'Brien & Sons", 'Zoë "Z", <x>', "Tom &amp; Jo"])
def test_sends_a_message_to_the_member_of_this_name(board: Board, host: LiveSmf, name: str) -> None:
    board.people |= {"Annabel": "annabel", 'Zoë "Z", <x>': "zoe", "Tom &amp; Jo": "tom"}
    host.send_message(name, "Your <role>", TALLY)
    assert [(item.to, item.subject, item.text) for item in board.mail] == [(name, "Your <role>", TALLY)]
    (sent,) = host.sent_messages()
    assert (sent.recipients, sent.subject, sent.body, sent.sent_at) == ((name,), "Your <role>", TALLY, board.mail[0].at)


def test_a_message_to_nobody_is_told_and_not_sent(board: Board, host: LiveSmf) -> None:
    for name in ("Ana", "Ann", "host", "*"):
        with pytest.raises(NotAllowed, match="nobody called"):
            host.send_message(name, "x", "y")
    assert not board.mail


def test_where_the_forum_does_not_look_names_up_the_name_itself_is_sent(board: Board, host: LiveSmf) -> None:
    board.suggests = False
    host.send_message("Anna", "x", "y")
    assert board.mail[0].to == "Anna"
    with pytest.raises(NotAllowed, match="Xyz"):
        host.send_message("Ana", "x", "y")
    assert len(board.mail) == 1


def test_who_takes_no_messages_is_told(board: Board, host: LiveSmf) -> None:
    board.deaf = ("Anna",)
    with pytest.raises(NotAllowed, match="Oybpxrq"):
        host.send_message("Anna", "x", "y")


def test_limits_of_messages(board: Board, host: LiveSmf) -> None:
    board.an_hour = 3
    for number in range(3):
        host.send_message("Anna", f"No {number}", "text")
    assert board.clock.slept.count(6.0) == 2
    with pytest.raises(FloodLimit) as caught:
        host.send_message("Anna", "No 3", "text")
    assert (caught.value.wait, len(board.mail)) == (3600, 3)
    board.captcha = True
    with pytest.raises(NotAllowed, match="CAPTCHA") as refused:
        host.send_message("Anna", "No 4", "text")
    assert "five posts" in refused.value.advice


def test_a_message_without_an_answer_is_uncertain_and_found(board: Board, host: LiveSmf) -> None:
    board.lose = lambda action: action == "pm"
    with pytest.raises(Uncertain):
        host.send_message("Anna", "x", TALLY)
    assert [message.body for message in host.sent_messages()] == [TALLY]


@pytest.mark.parametrize(("feed", "view"), [(True, 0), (False, 0), (False, 1), (False, 2)])
def test_reads_messages_from_the_feed_or_the_pages(board: Board, host: LiveSmf, feed: bool, view: int) -> None:
    board.feed, board.view, board.zone = feed, view, 3.5
    text = 'kill [b]Anna[/b] & <nobody>\nguard "PT"'
    board.write("O'Brien & Sons", "The Host", "Night <1>", text, board.clock.now() - timedelta(days=2))
    board.clock.sleep(61)
    board.write("The Host", "Anna", "Re: x", "no order of mine")
    board.write("Anna", "The Host", "Night 2", "none")
    first, second = host.messages()
    assert (first.id, first.sender, first.recipients, first.subject, first.body) == (
        "1", "O'Brien & Sons", ("The Host",), "Night <1>", text,
    )  # fmt: skip
    assert [message.sent_at for message in (first, second)] == [board.mail[0].at, board.mail[2].at]
    assert second.source == f"{INDEX}?action=pm;f=inbox;pmsg=3"
    assert [message.id for message in host.messages(known=["1"])] == ["3"]
    assert [message.id for message in host.messages(board.clock.now() - timedelta(hours=1))] == ["3"]
    assert [message.id for message in host.sent_messages()] == ["2"]


def test_a_name_after_an_at_reads_as_typed(board: Board, host: LiveSmf) -> None:
    board.write("Anna", "The Host", "x", "kill @Anna\n  please")
    assert [message.body for message in host.messages()] == ["kill @Anna\n  please"]


def test_nothing_new_in_the_mailbox_costs_one_request(board: Board, host: LiveSmf) -> None:
    board.write("Anna", "The Host", "x", "y")
    known = [message.id for message in host.messages()]
    board.asked.clear()
    assert (list(host.messages(known=known)), board.asked) == ([], ["GET .xml personal_messages"])


@pytest.mark.parametrize("count", [60, 300])
def test_many_new_messages_are_all_read(board: Board, host: LiveSmf, count: int) -> None:
    for number in range(count):
        board.write("Anna", "The Host", f"No {number}", "x")
    assert [message.id for message in host.messages()] == [str(number + 1) for number in range(count)]


@pytest.mark.parametrize("text", ["", "<html></html>", "<?xml version='1.0'?><rss></rss>", '<smf:xml-feed xmlns:smf="x/recent">'])
def test_what_is_no_feed_of_messages_is_not_taken_for_an_empty_one(text: str) -> None:
    assert read_feed(text) is None


def test_a_hostile_feed_is_no_feed() -> None:
    head = '<smf:xml-feed xmlns:smf="http://www.simplemachines.org/xml/personal_messages">'
    assert read_feed(f"{head}</smf:xml-feed>") == []
    assert read_feed(f"{head}<personal_message label=''><id>&nbsp;</id></personal_message></smf:xml-feed>") is None
    assert read_feed(f"{head}<personal_message ><id>x</id></personal_message></smf:xml-feed>") == []


def test_a_saved_feed_is_read_though_the_name_of_the_forum_is_no_xml(board: Board, host: LiveSmf, tmp_path: Path) -> None:
    board.write("O'Brien & Sons", "The Host", "Night 1", "kill @Anna\n& <nobody>")
    board.write("Anna", "The Host", "Night 1", "x" * 100_000)
    (tmp_path / "feed.xml").write_text(board.feed_page({"sa": "personal_messages", "u": "2"}), encoding="utf-8")
    saved = sorted(read_mail([tmp_path / "feed.xml"], timezone=UTC, notes=[], now=board.clock.now()), key=lambda one: one.id)
    told = [(one.sender, one.sent_at, one.body) for one in saved]
    assert told == [(one.sender, one.sent_at, one.body) for one in host.messages()]
    assert len(told) == 2


# ---------------------------------------------------------------------- real pages


def _captured(name: str) -> str:
    return (CAPTURES / name).read_text(encoding="utf-8")


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured pages here")
def test_real_messages() -> None:
    clock = Clock()
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        web.get(re.compile(r".*action=pm;f=inbox;.*"), body=_captured("pm-inbox.html"))
        web.get(re.compile(r".*action=\.xml.*"), body=_captured("pm-feed.xml"))
        live = LiveSmf(SITE, clock.session(), now=clock.now)
        received, sent = list(live.messages()), list(live.sent_messages())
    assert (len(received), [message.recipients for message in sent]) == (13, [("Abs.",)])
    assert {message.recipients for message in received} == {("Game Master",)}
    assert received[-1].sent_at == datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured pages here")
@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("error-flood.html", FloodLimit),
        ("error-double-submit.html", Uncertain),
        ("error-locked-reply.html", TopicLocked),
        ("error-empty-message.html", Refused),
        ("posting-new-reply-meanwhile.html", TryAgain),
        ("error-session-expired.html", LoginFailed),
        ("index.html", Uncertain),
    ],
)
def test_real_answers_to_a_reply(answer: str, problem: type[Exception]) -> None:
    clock = Clock()
    page = _captured(answer)
    form = _captured("reply-form.html")
    number = iter(range(1000))
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        web.get(re.compile(r".*action=post;topic.*"), body=form)
        web.add_callback("POST", re.compile(".*"), callback=lambda _: (
            200, {}, re.sub(r'(name="last_msg" value=")\d+', rf"\g<1>{900 + next(number)}", page)
            if "meanwhile" in answer else page
        ))  # fmt: skip
        with pytest.raises(problem):
            LiveSmf(SITE, clock.session(), now=clock.now).reply("6", "in")


# ---------------------------------------------------------------------- seconds


@pytest.mark.parametrize("feed", [True, False])
def test_the_feed_tells_the_seconds_that_pages_leave_out(board: Board, host: LiveSmf, feed: bool) -> None:
    board.feed = feed
    for second in (10, 50):
        board.clock.moment = datetime(2026, 11, 12, 18, 0, second, tzinfo=UTC)
        board.say("Anna", "words")
    new = [replace(post, posted_at=datetime(2026, 11, 12, 18, 0, tzinfo=UTC)) for post in follow(host, TOPIC).new[-2:]]
    times = host.exact_times(TOPIC, new)
    assert [times[post.id].second for post in new if feed] == [10, 50][: 2 * feed]
    assert all(time.year == 2026 for time in times.values())
    before = len(board.asked)
    assert host.exact_times(TOPIC, [replace(post, posted_at=board.clock.now()) for post in new]) == {}
    assert len(board.asked) == before


def test_a_forum_without_feeds_is_read_as_before(board: Board, host: LiveSmf) -> None:
    board.say("Anna", "words")
    new = follow(host, TOPIC).new
    board.lose = lambda _: True
    responses.reset()
    assert host.exact_times(TOPIC, new) == {}
