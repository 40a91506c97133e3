"""XenForo 2 live and saved, by pages and by its API, on a forum of our own writing in the shape of its templates."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

import pytest
import responses
from lxml import etree

from scraper import xenforo
from scraper.forum import (
    Containing,
    FloodLimit,
    LoginFailed,
    NeedsApproval,
    NotAllowed,
    Refused,
    TopicAddress,
    TopicLocked,
    Uncertain,
    WrongHost,
    from_url,
    open_forum,
)
from scraper.live_xenforo import LiveXenforo
from scraper.model import NotTheTopic, SourceError
from scraper.saved import detect, read_saved
from scraper.thread import follow
from tests.board_kit import answering, hosted, talk
from tests.xenforo_kit import KEY, SITE, Board, uid

ROLE = "[b]KILL[/b]: Anna\n- \"x\", é\n=1 +2 :D [Ghost]"


@pytest.fixture
def board() -> Iterator[Board]:
    yield from answering(Board(), SITE)


@pytest.fixture(params=["2.3", "2.0", "index.php"])
def host(board: Board, request: pytest.FixtureRequest) -> LiveXenforo:
    """Signed in on a board of one or the other kind."""
    board.old, board.friendly = request.param == "2.0", request.param != "index.php"
    board.box = "direct-messages" if request.param == "2.3" else "conversations"
    return hosted(LiveXenforo, SITE, board)


@pytest.fixture(params=[False, True], ids=["user key", "super key"])
def keyed(board: Board, request: pytest.FixtureRequest) -> LiveXenforo:
    board.super_key = request.param
    live = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    live.use_key("Host", KEY)
    return live


@pytest.fixture(params=["pages", "API"])
def either(board: Board, request: pytest.FixtureRequest) -> LiveXenforo:
    """What must be the same whichever way is taken."""
    live = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    if request.param == "API":
        live.use_key("Host", KEY)
    else:
        live.use_account("Host", "secret")
    return live


# ---------------------------------------------------------------------- signing in


def test_signs_in_and_knows_itself(board: Board, host: LiveXenforo) -> None:
    assert host.who_am_i() == "Host"
    assert host.page("55").signed_in
    board.user = ""
    assert host.page("55").signed_in  # the session had ended


def test_a_guest_reads(board: Board) -> None:
    guest = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    page = guest.page("55")
    assert (guest.who_am_i(), page.signed_in, [post.text for post in page.posts]) == (None, False, ["It begins."])
    for act in (lambda: guest.reply("55", "hello"), lambda: list(guest.messages())):
        with pytest.raises(LoginFailed, match="asks for a login"):
            act()


@pytest.mark.parametrize(("what", "words"), [("password", "Check the name"), ("two_step", "API key"), ("captcha", "CAPTCHA")])
def test_why_nobody_gets_in(board: Board, what: str, words: str) -> None:
    live = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    board.two_step, board.captcha = what == "two_step", what == "captcha"
    with pytest.raises(LoginFailed) as refused:
        live.log_in("Host", "wrong" if what == "password" else "secret")
    assert words in refused.value.advice


def test_a_style_that_hides_the_name(board: Board, host: LiveXenforo) -> None:
    host.log_in("Host", "secret")
    real = board.page
    board.page = lambda *given, **named: (*real(*given, **named)[:2], real(*given, **named)[2].replace("p-navgroup-link--user", "x"))  # type: ignore[method-assign]
    host.reply("55", "hello there")
    assert board.posts[-1].by == "Host"


def test_a_key_acts_as_the_account(board: Board, keyed: LiveXenforo) -> None:
    assert keyed.who_am_i() == "Host"
    keyed.reply("55", ROLE)
    assert (board.posts[-1].by, board.posts[-1].text) == ("Host", ROLE)


def test_a_wrong_key_is_told_as_such(board: Board) -> None:
    live = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    live.use_key("Host", "other")
    for act in (live.who_am_i, lambda: live.page("55"), lambda: live.reply("55", "hello"), lambda: list(live.messages())):
        with pytest.raises(LoginFailed, match="API key"):
            act()
    with pytest.raises(LoginFailed, match="signs that none has"):
        live.use_key("Host", "x\r\nCookie: y")
    board.super_key = True
    live = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    live.use_key("Bert", KEY)  # the key acts for nobody of that number here
    with pytest.raises((LoginFailed, NotAllowed)):
        live.reply("55", "hello there")


def test_the_key_goes_nowhere_else_and_into_no_log(board: Board, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    live = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    live.use_key("Host", KEY)
    live.who_am_i()
    with responses.RequestsMock() as web:
        web.get(f"{SITE}api/threads/55/?with_posts=1&page=1", status=302, headers={"Location": "https://evil.example/"})
        with pytest.raises(WrongHost) as refused:
            live.page("55")
        assert len(web.calls) == 1
    assert KEY not in caplog.text + str(refused.value) + refused.value.advice


# ---------------------------------------------------------------------- reading


def test_pages_of_a_long_topic(board: Board, either: LiveXenforo) -> None:
    talk(board, 64)
    ids = [str(item.id) for item in board.posts]
    pages = [either.page("55", where) for where in (1, 2, "last", Containing(ids[45]))]
    assert [(page.page, page.pages) for page in pages] == [(1, 4), (2, 4), (4, 4), (3, 4)]
    assert [post.id for post in pages[2].posts] == ids[60:]
    assert [post.number for post in pages[1].posts] == list(range(21, 41))
    assert [(post.posted_at, post.author_id) for post in pages[1].posts[:1]] == [(board.posts[20].at, str(uid(board.posts[20].by)))]
    assert (pages[1].title, pages[1].topic_id) == ("The Lighthouse", "55")
    assert either.page("55", 9).page == 4  # past the end


def test_pages_of_other_boards(board: Board, host: LiveXenforo) -> None:
    talk(board, 30)
    assert [len(host.page("55", where).posts) for where in (1, "last", Containing(str(board.posts[25].id)))] == [20, 11, 11]
    board.asked.clear()
    host.page("55", 2)
    assert len(board.asked) == 1  # the board's own form of address is known by now


def test_is_followed_with_what_changes_and_goes(board: Board, either: LiveXenforo) -> None:
    talk(board, 44)
    seen = follow(either, "55")
    assert len(seen.new) == 45
    board.asked.clear()
    assert follow(either, "55", seen.bookmark).new == ()
    assert len(board.asked) == 1
    board.posts[43].text, board.posts[43].edited = "changed", board.clock.now()
    gone = board.posts.pop(42)
    board.say("Anna", "new words")
    after = follow(either, "55", seen.bookmark)
    assert ([post.text for post in after.new], [post.text for post in after.changed]) == (["new words"], ["changed"])
    assert after.gone == (str(gone.id),)
    assert after.changed[0].edited_at == board.posts[42].edited


def test_deleted_and_held_posts_that_staff_see(board: Board, either: LiveXenforo) -> None:
    board.seen_by_staff = True
    board.say("Anna", "deleted").state = "deleted"
    board.say("Anna", "held").state = "moderated"
    assert [post.deleted for post in either.page("55").posts] == [False, True, True]


def test_a_closed_topic_is_locked(board: Board, either: LiveXenforo) -> None:
    assert not either.page("55").locked
    board.locked = True
    assert either.page("55").locked


def test_a_topic_that_is_gone_or_moved(board: Board, either: LiveXenforo) -> None:
    with pytest.raises(NotTheTopic, match=r"no topic 77|could not be found"):
        either.page("77")
    with pytest.raises((NotTheTopic, NotAllowed)):
        either.page("55", Containing("1"))
    with pytest.raises(NotAllowed, match=r"not be found|no topic"):
        either.reply("77", "hello there")


def test_another_topic_is_never_taken_for_this_one(board: Board) -> None:
    guest = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    text = board.topic(55, 1)[2].replace("thread-55", "thread-56")
    with responses.RequestsMock() as web:
        web.get(re.compile("."), body=text)
        with pytest.raises(NotTheTopic, match="topic 56"):
            guest.page("55")


def test_a_topic_for_members_only(board: Board) -> None:
    board.guests_see = False
    live = LiveXenforo(SITE, board.clock.session(), now=board.clock.now)
    with pytest.raises(NotTheTopic, match="login page"):
        live.page("55")
    live.use_account("Host", "secret")
    assert live.page("55").signed_in


@pytest.mark.parametrize("broken", ["", "<html><body>maint", "<html id='XF'><body>x</body></html>", "<html><head><title>Just a moment</title><script>x</script></head><body></body></html>"])
def test_what_is_no_answer_is_never_no_posts(board: Board, either: LiveXenforo, broken: str) -> None:
    either.who_am_i()
    board.broken = broken or "\n"
    for act in (lambda: either.page("55"), lambda: list(either.messages()), lambda: either.send_message("Anna", "t", "hello there")):
        with pytest.raises(SourceError):
            act()
    assert len(board.posts) == 1


# ---------------------------------------------------------------------- posting


def test_reply_and_edit(board: Board, host: LiveXenforo) -> None:
    sent = host.reply("55", ROLE, "subject")
    item = board.posts[-1]
    assert (sent.id, item.by, item.text) == (str(item.id), "Host", ROLE)
    assert host.edit(sent.id or "", "other words").id == sent.id
    assert item.text == "other words"


def test_reply_and_edit_by_key(board: Board, keyed: LiveXenforo) -> None:
    sent = keyed.reply("55", ROLE)
    assert (sent.id, sent.url) == (str(board.posts[-1].id), f"{SITE}posts/{board.posts[-1].id}/")
    keyed.edit(sent.id or "", "other words")
    assert board.posts[-1].text == "other words"


def test_an_uncertain_reply_is_found_again(board: Board, either: LiveXenforo) -> None:
    talk(board, 30)
    after = str(board.posts[-1].id)
    board.lose = lambda path: "add-reply" in path or path == "api/posts/"
    with pytest.raises(Uncertain):
        either.reply("55", ROLE)
    talk(board, 3)
    found = either.find_own_post("55", ROLE, after)
    assert found is not None
    assert found.author == "Host"
    assert either.find_own_post("55", ROLE, found.id) is None


def test_waits_as_long_as_it_is_told(board: Board, either: LiveXenforo) -> None:
    board.flood = 30
    either.reply("55", "first words")
    board.clock.slept.clear()
    either.reply("55", "second words")
    assert 25 <= sum(board.clock.slept) <= 40
    board.flood = 4000
    with pytest.raises(FloodLimit) as limit:
        either.reply("55", "third words")
    assert limit.value.wait > 3900
    assert len(board.posts) == 3


def test_waits_in_a_language_nobody_here_knows(board: Board, host: LiveXenforo) -> None:
    board.language, board.flood = "fi-FI", 30
    host.reply("55", "first words")
    host.reply("55", "second words")
    assert len(board.posts) == 3
    with pytest.raises(NotAllowed, match="Cleo99"):  # a name's number is no time to wait
        host.send_message("Cleo99", "Role", "Secret.")


def test_a_void_form_is_fetched_anew(board: Board, host: LiveXenforo) -> None:
    board.stale = 1
    host.reply("55", "hello there")
    board.stale = 99
    with pytest.raises(Refused, match="Security error"):
        host.reply("55", "hello again")
    assert [post.text for post in board.posts] == ["It begins.", "hello there"]


@pytest.mark.parametrize("told", ["by a redirect", "by a page"])
def test_a_session_that_ends_while_writing(board: Board, host: LiveXenforo, told: str) -> None:
    host.who_am_i()
    board.user = ""
    host.reply("55", "first words")
    real, ends = board.reply, iter([False, True])

    def reply(sent: dict[str, str]) -> tuple[int, dict[str, str], str]:
        if sent and next(ends, False):
            board.user = ""
            return board.onward("login/?_xfRedirect=x") if told == "by a redirect" else board.answer("threads/55/reply", {})
        return real(sent)

    board.reply = reply  # type: ignore[method-assign]
    host.reply("55", "second words")
    host.reply("55", "third words")
    assert [post.text for post in board.posts[1:]] == ["first words", "second words", "third words"]


def test_approval(board: Board, either: LiveXenforo) -> None:
    board.held = True
    with pytest.raises(NeedsApproval):
        either.reply("55", ROLE)


def test_refusals_told_apart(board: Board, either: LiveXenforo) -> None:
    with pytest.raises(Refused, match="at least 5 characters"):
        either.reply("55", "x")
    sent = either.reply("55", "first words")
    board.locked = True
    with pytest.raises(TopicLocked):
        either.reply("55", "hello there")
    board.locked = False
    for post in (str(board.posts[0].id), "999"):
        with pytest.raises(NotAllowed):
            either.edit(post, "not mine")
    board.late = True
    assert sent.id


# ---------------------------------------------------------------------- private messages


def test_a_message_is_sent(board: Board, either: LiveXenforo) -> None:
    board.users = ("Host", "Annika", "Bartolomeus")
    either.send_message("annika", "Your role", ROLE)
    assert (board.talks[-1].people, board.talks[-1].title, board.talks[-1].items[0].text) == (("Host", "Annika"), "Your role", ROLE)
    for name in ("Nobody", "Annika,Bartolomeus", ""):
        with pytest.raises(NotAllowed, match="nobody called"):
            either.send_message(name, "Your role", ROLE)
    with pytest.raises(Refused, match="at least 5"):
        either.send_message("Annika", "Your role", "x")
    assert len(board.talks) == 1


def test_messages_are_read_once(board: Board, either: LiveXenforo) -> None:
    began = board.clock.now()
    old = board.write(("Anna", "Host"), "Old", "before the game")
    board.clock.moment += timedelta(days=1)
    order = board.write(("Bert", "Host"), "Order", "[b]kill[/b] Anna\n[quote=Host]kill Carl[/quote]")
    board.add(order, "Host", "noted")
    board.add(order, "Bert", "no: Carl")
    found = list(either.messages(began + timedelta(hours=1)))
    assert [(one.sender, one.recipients, one.subject, one.body) for one in found] == [
        ("Bert", ("Host",), "Order", "[b]kill[/b] Anna\n[quote=Host]kill Carl[/quote]"), ("Bert", ("Host",), "Order", "no: Carl"),
    ]  # fmt: skip
    assert found[0].sent_at == order.items[0].at
    board.asked.clear()
    assert list(either.messages(began + timedelta(hours=1), {one.id for one in found})) == []
    assert len([asked for asked in board.asked if asked != f"GET {SITE}"]) == 1
    board.clock.moment += timedelta(minutes=5)
    board.add(old, "Anna", "late")
    board.add(order, "Bert", "again")
    assert [one.body for one in either.messages(began + timedelta(hours=1), {one.id for one in found})] == ["late", "again"]


def test_messages_of_other_boards(board: Board, host: LiveXenforo) -> None:
    board.write(("Anna", "Host"), "Order", "kill Bert")
    assert [(one.sender, one.subject, one.body) for one in host.messages()] == [("Anna", "Order", "kill Bert")]
    host.send_message("Bert", "Role", ROLE)
    assert [(one.recipients, one.subject) for one in host.sent_messages()] == [(("Bert",), "Role")]
    assert list(LiveXenforo(SITE, board.clock.session(), now=board.clock.now).messages(board.clock.now() + timedelta(days=1))) == []


def test_many_conversations_and_long_ones(board: Board, either: LiveXenforo) -> None:
    began = board.clock.now()
    for each in range(12):
        board.clock.moment += timedelta(minutes=1)
        last = board.write(("Anna", "Host"), f"t{each}", f"order {each}")
    for each in range(50):
        board.clock.moment += timedelta(minutes=1)
        board.add(last, "Anna", f"more {each}")
    assert [one.body for one in either.messages(began)] == [*(f"order {n}" for n in range(12)), *(f"more {n}" for n in range(50))]
    assert [one.body for one in either.messages(last.items[-3].at)] == ["more 47", "more 48", "more 49"]


def test_what_went_out_is_found_among_the_sent(board: Board, either: LiveXenforo) -> None:
    began = board.clock.now()
    board.lose = lambda path: "conversations/" in path
    with pytest.raises(Uncertain):
        either.send_message("Anna", "Your role", ROLE)
    assert [(one.recipients, one.body) for one in either.sent_messages(began)] == [(("Anna",), ROLE)]
    assert list(either.messages(began)) == []


# ---------------------------------------------------------------------- what a post says

BODIES = {
    '<b><span style="color: rgb(184, 49, 47)">Vote: Bert</span></b>': "[b][color=rgb(184, 49, 47)]Vote: Bert[/color][/b]",
    '<span style="text-decoration: line-through">Vote: Bert</span>': "[s]Vote: Bert[/s]",
    '<div class="bbCodeSpoiler"><button type="button" class="button bbCodeSpoiler-button"><span class="button-text"><span>Spoiler: <span class="bbCodeSpoiler-button-title">My notes</span></span></span></button><div class="bbCodeSpoiler-content"><div class="bbCodeBlock bbCodeBlock--spoiler"><div class="bbCodeBlock-content">x</div></div></div></div>': '[spoiler="My notes"]x[/spoiler]',
    'so <span class="bbCodeInlineSpoiler">hidden</span>': "so [spoiler]hidden[/spoiler]",
    'Vote: <a href="/x/members/4/" class="username" data-user-id="4" data-username="@Bert">@Bert</a>': "Vote: @Bert",
    'gone <img src="data:x" class="smilie smilie--sprite" alt=":(">': "gone :(",
    '<div class="bbCodeBlock bbCodeBlock--unfurl js-unfurl" data-url="https://x.example/a"><h3>Vote: Zoe</h3></div>': "[url]https://x.example/a[/url]",
    '<div class="bbCodeBlock bbCodeBlock--screenLimited bbCodeBlock--code"><div class="bbCodeBlock-title">Code:</div><div class="bbCodeBlock-content"><pre class="bbCodeCode"><code>Vote: Zoe</code></pre></div></div>': "[code]Vote: Zoe[/code]",
}


@pytest.mark.parametrize("body", BODIES)
def test_what_a_post_says(body: str) -> None:
    tree = etree.fromstring(f'<div class="bbWrapper">{body}</div>', etree.HTMLParser()).find(".//div")
    assert xenforo.markup_of(tree).bbcode == BODIES[body]


NAMES = ["Anna", "Kaitou Kid", "A: B said", "O'Brien & \"Sons\"", "<script>", "[/quote]", "thread-9", "\u202eevil", ""]


@pytest.mark.parametrize("name", NAMES)
def test_quotes_and_names(board: Board, name: str) -> None:
    quote = (
        f'<blockquote data-attributes="member: 4" data-quote="{escape(name)}" data-source="post: 8" class="bbCodeBlock bbCodeBlock--expandable bbCodeBlock--quote js-expandWatch">'
        f'<div class="bbCodeBlock-title"><a href="/x/goto/post?id=8" class="bbCodeBlock-sourceJump">{escape(name)} said:</a></div><div class="bbCodeBlock-content">'
        '<div class="bbCodeBlock-expandContent js-expandContent "><b>Vote: Old</b></div><div class="bbCodeBlock-expandLink js-expandLink"><a role="button">Click to expand...</a></div></div></blockquote>'
    )
    board.posts[0].by = name or "Anna"
    page = board.topic(55, 1)[2].replace("It begins.", f"{quote}<b>Vote: New</b>")
    post = xenforo.read_page(page, timezone=UTC, now=board.clock.now()).posts[0]
    assert (post.author, post.text, post.number) == (name or "Anna", "Vote: New", 1)
    assert post.bbcode.startswith("[quote=" if name else "[quote]")
    assert post.bbcode.endswith("[b]Vote: Old[/b][/quote]\n[b]Vote: New[/b]")
    assert "Me" not in post.bbcode  # what stands in the signature is not said here


@pytest.mark.parametrize(
    "told",
    ['data-time="1794506400"', 'data-timestamp="1794506400" data-time="6:00 PM"', 'datetime="2026-11-12T20:00:00+0200" data-time="8:00 PM"'],
)
def test_times_of_every_version(told: str) -> None:
    element = etree.fromstring(f'<time class="u-dt" {told}>Today at 8:00 PM</time>')
    assert xenforo.moment_of(element).exact == datetime(2026, 11, 12, 18, tzinfo=UTC)


def test_a_pinned_first_post_is_no_post_of_each_page(board: Board) -> None:
    talk(board, 30)
    page = board.topic(55, 2)[2]
    pinned = board.post(board.posts[0], 1)
    doubled = page.replace("<article", f"{pinned}<article", 1)
    assert [post.number for post in xenforo.read_page(doubled, timezone=UTC, now=board.clock.now()).posts] == list(range(21, 32))


# ---------------------------------------------------------------------- saved, and addresses


def test_saved_pages(board: Board, tmp_path: Path) -> None:
    talk(board, 30)
    for page in ("1", "2"):
        (tmp_path / f"{page}.html").write_text(board.topic(55, int(page))[2])
    files = sorted(tmp_path.iterdir())
    assert {detect(file.read_bytes()) for file in files} == {"xenforo"}
    thread = read_saved(files, forum=None, timezone=UTC, now=board.clock.now())
    assert (thread.forum, thread.topic_id, thread.title, len(thread.posts), thread.notes) == ("xenforo", "55", "The Lighthouse", 31, ())
    assert thread.posts[0].url == f"{SITE}threads/lighthouse.55/post-{board.posts[0].id}"
    assert read_saved(files[:1], forum=None, timezone=UTC, now=board.clock.now()).notes == ("Of 2 pages, 2 was not among the files.",)
    for other in (board.error("No such thread.", 404)[2], board.form_page("login", "login/login", {"login": "", "password": ""})[2]):
        with pytest.raises(NotTheTopic):
            xenforo.read_page(other, timezone=UTC, now=board.clock.now())


@pytest.mark.parametrize(
    ("url", "base", "topic", "post"),
    [
        ("https://f.example/threads/night-games.55/", "https://f.example/", "55", None),
        ("https://f.example/x/threads/night.55/page-2#post-9", "https://f.example/x/", "55", None),
        ("https://f.example/x/threads/night.55/post-9", "https://f.example/x/", "55", "9"),
        ("https://f.example/x/index.php?threads/night.55/", "https://f.example/x/", "55", None),
        ("https://f.example/threads/55/", "https://f.example/", "55", None),
    ],
)
def test_addresses(url: str, base: str, topic: str, post: str | None) -> None:
    assert from_url(url) == TopicAddress("xenforo", base, topic, post)


def test_opens_by_address(board: Board) -> None:
    forum, topic = open_forum(f"{SITE}threads/lighthouse.55/page-3", board.clock.session(), now=board.clock.now)
    assert (forum.kind, forum.base_url, topic, forum.takes_key) == ("xenforo", SITE, "55", True)
