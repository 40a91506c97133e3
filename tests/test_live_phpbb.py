"""phpBB live, against the practice forum: every answer it may give, and what comes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from scraper.forum import (
    Containing,
    FloodLimit,
    LoginFailed,
    NeedsApproval,
    NotAllowed,
    Refused,
    TopicLocked,
    Uncertain,
    same_words,
)
from scraper.live_phpbb import LivePhpbb
from scraper.model import NotTheTopic, SourceError
from tests.practice_kit import Table


@pytest.fixture
def table() -> Iterator[Table]:
    laid = Table()
    yield laid
    laid.forum.stop()


@pytest.fixture
def host(table: Table) -> Table:
    table.live.log_in("Host", "secret")
    return table


# ---------------------------------------------------------------------- signing in


def test_logs_in_and_knows_itself(table: Table) -> None:
    assert table.live.who_am_i() is None
    table.live.log_in("host", "secret")
    assert table.live.who_am_i() == "Host"


@pytest.mark.parametrize(("name", "password"), [("Host", "hunter2"), ("Nobody", "hunter2")])
def test_a_wrong_login_is_tried_once_and_told(table: Table, name: str, password: str) -> None:
    with pytest.raises(LoginFailed) as caught:
        table.live.log_in(name, password)
    assert name in str(caught.value)
    assert password not in str(caught.value) + caught.value.advice
    assert table.forum.asked("mode=login", "POST") == 1


def test_a_captcha_is_named(table: Table) -> None:
    for _ in range(3):
        with pytest.raises(LoginFailed):
            table.live.log_in("Host", "wrong")
    with pytest.raises(LoginFailed, match="CAPTCHA"):
        table.live.log_in("Host", "secret")


def test_cookies_from_before_spare_the_login(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "cookies"
    first = LivePhpbb(table.forum.url, table.clock.session(cookie_file=path), now=table.clock.now)
    first.log_in("Host", "secret")
    for hours in (0, 30):  # after thirty the session is over, the remembered login is not
        table.clock.moment += timedelta(hours=hours)
        later = LivePhpbb(table.forum.url, table.clock.session(cookie_file=path), now=table.clock.now)
        assert later.who_am_i() == "Host"
    assert table.forum.asked("mode=login", "POST") == 1


def test_an_account_signs_in_only_when_it_must(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "cookies"
    for run, logins in ((1, 1), (2, 1), (3, 1)):
        live = LivePhpbb(table.forum.url, table.clock.session(cookie_file=path), now=table.clock.now)
        live.use_account("Host", "secret")
        before = len(table.forum.requests)
        assert live.page(table.t).signed_in
        assert table.forum.asked("mode=login", "POST") == logins
        assert run == 1 or len(table.forum.requests) - before == 1
    assert live.who_am_i() == "Host"


def test_cookies_of_somebody_else_are_not_posted_with(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "cookies"
    LivePhpbb(table.forum.url, table.clock.session(cookie_file=path)).log_in("Anna", "secret")
    live = LivePhpbb(table.forum.url, table.clock.session(cookie_file=path))
    live.use_account("Host", "secret")
    live.reply(table.t, "from the host")
    assert table.forum.posts(table.topic)[-1].author.name == "Host"


# ---------------------------------------------------------------------- reading


def test_reads_pages_by_number_last_and_post(host: Table) -> None:
    posted = host.talk(24)
    assert [host.live.page(host.t, where).page for where in (1, 2, 3, "last", Containing(posted[10]))] == [1, 2, 3, 3, 2]
    page = host.live.page(host.t, 1)
    assert (page.pages, page.per_page, page.signed_in, page.locked, page.topic_id) == (3, 10, True, False, host.t)


def test_page_size_is_read_and_not_assumed(table: Table) -> None:
    table.forum.board.per_page = 7
    posted = table.talk(20)
    assert table.live.page(table.t, 3).posts[0].id == posted[13]


def test_a_guest_reads_without_logging_in(table: Table) -> None:
    assert table.live.page(table.t).posts[0].author == "Host"
    assert table.forum.asked("mode=login") == 0


def test_reads_oldest_first_whatever_the_account_prefers(table: Table) -> None:
    table.forum.newest_first("Host")
    table.live.log_in("Host", "secret")
    table.talk(3)
    assert [post.number for post in table.live.page(table.t).posts] == [1, 2, 3, 4]


def test_a_session_that_ends_is_renewed_while_reading(host: Table) -> None:
    host.forum.expire()
    assert host.live.page(host.t).signed_in
    host.forum.fault("expired", path="viewtopic")
    assert host.live.page(host.t).signed_in


def test_a_login_page_for_the_topic_leads_to_a_login(host: Table) -> None:
    host.forum.expire()
    host.forum.fault("login_page", path="viewtopic")
    assert host.live.page(host.t).signed_in


def test_a_missing_topic_is_named(host: Table) -> None:
    with pytest.raises(NotTheTopic, match="no topic 999"):
        host.live.page("999")


def test_signed_in_reader_is_not_sent_elsewhere(host: Table) -> None:
    host.forum.fault("elsewhere", path="viewtopic")
    with pytest.raises(SourceError, match="not followed"):
        host.live.page(host.t)


# ---------------------------------------------------------------------- posting


def test_posts_and_says_where(host: Table) -> None:
    ref = host.live.reply(host.t, "[b]Vote count[/b]\n[color=red]Anna[/color] (2): ‮x & <b> مریم")
    post = host.forum.posts(host.topic)[-1]
    assert (ref.id, ref.url) == (str(post.id), f"{host.forum.url}viewtopic.php?p={post.id}#p{post.id}")
    assert post.text == "[b]Vote count[/b]\n[color=red]Anna[/color] (2): ‮x & <b> مریم"
    assert post.subject == "Re: The Lighthouse"
    host.clock.sleep(20)
    host.live.reply(host.t, "x", subject="Day 2")
    assert host.forum.posts(host.topic)[-1].subject == "Day 2"


def test_waits_out_flood_control(host: Table) -> None:
    host.live.reply(host.t, "one")
    host.live.reply(host.t, "two")
    assert host.texts()[-2:] == ["one", "two"]
    assert 15.0 in host.clock.slept


def test_flood_control_longer_than_patience_is_told(host: Table) -> None:
    host.forum.board.flood_seconds = 600
    host.live.reply(host.t, "one")
    with pytest.raises(FloodLimit) as caught:
        host.live.reply(host.t, "two")
    assert caught.value.wait == 15
    assert host.texts()[-1] == "one"


def test_somebody_posts_meanwhile(host: Table) -> None:
    send = host.live.session.post

    def slow(url: str, fields: list[tuple[str, str]], **how: bool) -> object:
        if host.texts()[-1] != "first!":
            host.forum.post(host.topic, "Anna", "first!")
        return send(url, fields, **how)

    host.live.session.post = slow  # type: ignore[method-assign,assignment]
    host.live.reply(host.t, "mine")
    assert host.texts()[-2:] == ["first!", "mine"]
    assert host.forum.asked("mode=reply", "POST") == 2


def test_a_form_sent_too_soon_is_sent_again(host: Table) -> None:
    stand_still = host.clock.sleep
    host.live.session.sleep = lambda seconds: stand_still(seconds if len(host.clock.slept) > 6 else 0)
    host.live.reply(host.t, "mine")
    assert host.texts()[-1] == "mine"


def test_a_form_gone_stale_is_sent_again(host: Table) -> None:
    move_on = host.clock.sleep
    slept = iter([7300.0])
    host.live.session.sleep = lambda seconds: move_on(next(slept, seconds))
    host.live.session.seconds_between = 0
    host.live.reply(host.t, "mine")
    assert host.texts()[-1] == "mine"


def test_a_session_that_ends_while_writing_is_renewed(host: Table) -> None:
    host.forum.fault("expired", path="mode=reply", method="POST")
    host.live.reply(host.t, "mine")
    assert host.texts()[-1] == "mine"
    host.clock.sleep(20)
    host.forum.expire()
    host.live.reply(host.t, "mine too")
    assert [text for text in host.texts() if text.startswith("mine")] == ["mine", "mine too"]


def test_a_locked_topic_is_told(host: Table) -> None:
    host.forum.lock(host.topic)
    with pytest.raises(TopicLocked):
        host.live.reply(host.t, "x")
    assert host.live.page(host.t).locked


def test_a_post_that_waits_for_approval_is_not_sent_again(host: Table) -> None:
    host.forum.moderate("Host")
    with pytest.raises(NeedsApproval):
        host.live.reply(host.t, "x")
    assert host.forum.asked("mode=reply", "POST") == 1


def test_a_text_the_forum_refuses_is_told_in_its_words(host: Table) -> None:
    with pytest.raises(Refused, match="too few characters"):
        host.live.reply(host.t, " ")


def test_a_missing_topic_and_anothers_post_are_told(host: Table) -> None:
    with pytest.raises(NotAllowed, match="does not exist"):
        host.live.reply("999", "x")
    anna = host.talk(1)[0]
    with pytest.raises(NotAllowed, match="cannot edit"):
        host.live.edit(anna, "x")
    assert host.texts()[-1] == "words number 0"


def test_nobody_signed_in_cannot_post(table: Table) -> None:
    with pytest.raises(LoginFailed):
        table.live.reply(table.t, "x")


def test_edits_its_own_post(host: Table) -> None:
    ref = host.live.reply(host.t, "tally 1")
    host.talk(1)
    assert host.live.edit(ref.id or "", "tally 2") == ref
    assert host.texts()[1] == "tally 2"
    assert host.forum.posts(host.topic)[1].subject == "Re: The Lighthouse"


# ---------------------------------------------------------------------- exactly once


@pytest.mark.parametrize("kind", ["lost_answer", "late_answer"])
def test_posted_but_no_answer_is_found_and_not_posted_twice(host: Table, kind: str) -> None:
    before = host.talk(1)[-1]
    host.forum.fault(kind, path="mode=reply", method="POST")
    with pytest.raises(Uncertain):
        host.live.reply(host.t, "[b]Day 2[/b] :) see http://x.example/a?b=1")
    found = host.live.find_own_post(host.t, "[b]Day 2[/b] :) see http://x.example/a?b=1", before)
    assert found is not None
    assert found.id == str(host.forum.posts(host.topic)[-1].id)
    assert host.forum.asked("mode=reply", "POST") == 1


@pytest.mark.parametrize("kind", ["no_answer", "hang_up", "error", "busy", "maintenance"])
def test_not_posted_and_no_answer_is_uncertain_and_not_found(host: Table, kind: str) -> None:
    before = host.talk(1)[-1]
    host.forum.fault(kind, path="mode=reply", method="POST")
    with pytest.raises(Uncertain):
        host.live.reply(host.t, "Day 2")
    assert host.live.find_own_post(host.t, "Day 2", before) is None


def test_half_an_answer_to_a_form_is_uncertain(host: Table) -> None:
    host.forum.moderate("Host")
    host.forum.fault("half_page", path="mode=reply", method="POST")
    with pytest.raises(Uncertain):
        host.live.reply(host.t, "Day 2")


def test_too_many_requests_is_no_uncertainty(host: Table) -> None:
    host.forum.fault("too_many", path="mode=reply", method="POST")
    host.live.reply(host.t, "once")
    assert host.texts().count("once") == 1
    assert 3.0 in host.clock.slept


def test_the_page_behind_the_answer_is_not_needed(host: Table) -> None:
    host.forum.fault("error", times=9, path="viewtopic.php?p=")
    assert host.live.reply(host.t, "once").id == str(host.forum.posts(host.topic)[-1].id)


def test_own_posts_are_looked_for_over_several_pages(host: Table) -> None:
    mark = host.talk(5)[-1]
    ref = host.live.reply(host.t, "mine")
    host.talk(14)
    assert [post.id for post in host.live.own_posts(host.t, mark)] == [ref.id]
    assert host.live.find_own_post(host.t, "mine", ref.id) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("[b]Anna[/b] (2)", "[B]Anna[/B]  (2)", True),
        ("see http://a.example/very/long", "see [url=http://a.example/very/long]http://a.exa[/url]", True),
        ("Anna (2)", "Anna (3)", False),
        ("[color=red]x[/color]", "x", True),
        ("[Ghost] died", "died", False),
    ],
)
def test_same_words(one: str, other: str, same: bool) -> None:
    assert same_words(one, other) is same


# ---------------------------------------------------------------------- private messages


def test_sends_a_message_and_finds_it_again(host: Table) -> None:
    host.live.send_message("O'Brien & Sons", "Your <role>", "You are the [b]Thief[/b].\nKeep it & smile :)")
    (got,) = host.forum.messages("O'Brien & Sons")
    assert (got.subject, got.text) == ("Your <role>", "You are the [b]Thief[/b].\nKeep it & smile :)")
    (sent,) = host.live.sent_messages()
    assert (sent.id, sent.sender, sent.recipients, sent.body) == (str(got.id), "Host", ("O'Brien & Sons",), got.text)
    assert sent.sent_at == got.at
    got.read_by.add(got.recipients[0].id)
    assert [message.id for message in host.live.sent_messages()] == [str(got.id)]


def test_several_messages_wait_out_flood_control(host: Table) -> None:
    for number in range(3):
        host.live.send_message("Anna", f"No {number}", "text")
    assert [message.subject for message in host.forum.messages("Anna")] == ["No 2", "No 1", "No 0"]


def test_a_message_to_nobody_is_told_and_not_sent(host: Table) -> None:
    with pytest.raises(NotAllowed, match="Ana"):
        host.live.send_message("Ana", "x", "y")
    assert not list(host.live.sent_messages())


def test_a_name_of_two_lines_reaches_nobody(host: Table) -> None:
    with pytest.raises(NotAllowed):
        host.live.send_message("Anna\nO'Brien & Sons", "x", "y")
    assert host.forum.messages("Anna") == []


def test_a_message_without_an_answer_is_uncertain_and_found(host: Table) -> None:
    _after_the_first(host, lambda: host.forum.fault("lost_answer", path="action=post", method="POST"))
    with pytest.raises(Uncertain):
        host.live.send_message("Anna", "x", "y")
    assert [message.subject for message in host.live.sent_messages()] == ["x"]


def test_naming_the_addressee_is_asked_again_without_harm(host: Table) -> None:
    host.forum.fault("lost_answer", path="action=post", method="POST")
    host.live.send_message("Anna", "x", "y")
    assert len(host.forum.messages("Anna")) == 1


def _after_the_first(host: Table, act: Callable[[], None]) -> None:
    """Do something after the next form has been answered."""
    send = host.live.session.post

    def once(url: str, fields: list[tuple[str, str]], **how: bool) -> object:
        answer = send(url, fields, **how)
        host.live.session.post = send  # type: ignore[method-assign]
        act()
        return answer

    host.live.session.post = once  # type: ignore[method-assign,assignment]


def test_reads_what_is_new_with_exact_times_and_the_text_as_typed(host: Table) -> None:
    host.forum.send_pm("Anna", "Host", "Night 1", "kill [b]Host[/b] & <3")
    host.clock.sleep(61.0)
    host.forum.send_pm("O'Brien & Sons", ["Host", "Anna"], "O'Brien & <order>", '[quote]a[/quote]\nguard "PT"')
    first, second = host.live.messages()
    assert (first.sender, first.recipients, first.subject, first.body) == (
        "Anna", ("Host",), "Night 1", "kill [b]Host[/b] & <3",
    )  # fmt: skip
    assert second.subject == "O'Brien & <order>"
    assert second.body == '[quote]a[/quote]\nguard "PT"'
    assert second.sent_at == host.forum.messages("Host")[0].at
    assert re.fullmatch(r"http://.*/ucp\.php\?i=pm&mode=view&p=2", second.source)


def test_nothing_new_in_the_mailbox_costs_one_request(host: Table) -> None:
    for number in range(30):
        host.forum.send_pm("Anna", "Host", f"No {number}", "x")
    known = [message.id for message in host.live.messages()]
    assert known == [str(number) for number in range(1, 31)]
    before = len(host.forum.requests)
    assert list(host.live.messages(known=known)) == []
    assert len(host.forum.requests) - before == 1


def test_messages_from_before_the_game_are_left_alone(host: Table) -> None:
    host.forum.send_pm("Anna", "Host", "private", "love letter", at=host.clock.moment - timedelta(days=3))
    host.forum.send_pm("Anna", "Host", "evening before", "x", at=host.clock.moment - timedelta(hours=3))
    host.forum.send_pm("Anna", "Host", "order", "kill")
    assert [message.subject for message in host.live.messages(host.clock.moment - timedelta(hours=1))] == ["order"]


def test_without_the_export_messages_are_opened(host: Table) -> None:
    host.forum.send_pm("Anna", "Host", "Night 1", "kill [b]Host[/b]")
    host.forum.fault("login_page", path="action=view_folder", method="POST")
    (message,) = host.live.messages()
    assert (message.sender, message.body) == ("Anna", "kill [b]Host[/b]")
    assert message.sent_at == host.forum.messages("Host")[0].at.replace(second=0)  # the list tells minutes


def test_without_the_export_a_message_is_dated_in_the_zone_of_the_page(host: Table) -> None:
    host.live.timezone = ZoneInfo("America/New_York")  # what game.toml says; the page says UTC
    host.forum.send_pm("Anna", "Host", "Night 1", "kill Host")
    host.forum.fault("login_page", path="action=view_folder", method="POST")
    (message,) = host.live.messages()
    assert message.sent_at == host.forum.messages("Host")[0].at.replace(second=0)


def test_a_message_that_comes_while_the_folder_is_read_is_not_mixed_up(host: Table) -> None:
    host.forum.send_pm("Anna", "Host", "Night 1", "first")
    send = host.live.session.post

    def slow(url: str, fields: list[tuple[str, str]], **how: bool) -> object:
        host.forum.send_pm("O'Brien & Sons", "Host", "Night 1", "second")
        return send(url, fields, **how)

    host.live.session.post = slow  # type: ignore[method-assign,assignment]
    (message,) = host.live.messages()
    assert (message.sender, message.body) == ("Anna", "first")


def test_the_mailbox_of_a_session_that_ended(host: Table) -> None:
    host.forum.send_pm("Anna", "Host", "Night 1", "first")
    host.forum.expire()
    assert [message.body for message in host.live.messages()] == ["first"]


def test_a_number_in_a_subject_is_no_date(table: Table) -> None:
    table.live.log_in("Host", "secret")
    table.clock.moment += timedelta(days=3)
    table.live.send_message("Anna", "Trial 1", "You may not.")
    table.forum.send_pm("Anna", "Host", "Order for 1 November 2020", "stake out Boris")
    since = table.clock.now() - timedelta(hours=1)
    assert [message.subject for message in table.live.sent_messages(since)] == ["Trial 1"]
    assert [message.subject for message in table.live.messages(since)] == ["Order for 1 November 2020"]
