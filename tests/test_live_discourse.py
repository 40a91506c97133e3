"""Discourse live and saved, on a forum of our own writing that answers as its documentation says."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path
from types import SimpleNamespace

import pytest
import responses

from desk.settings import Thread
from publisher.forum import open_outlet
from scraper import discourse
from scraper.forum import (
    Containing,
    FloodLimit,
    LoginFailed,
    NeedsApproval,
    NotAllowed,
    Refused,
    TopicAddress,
    TopicLocked,
    TryAgain,
    Uncertain,
    WrongHost,
    from_url,
    open_forum,
)
from scraper.live_discourse import LiveDiscourse
from scraper.model import NotTheTopic
from scraper.saved import detect, read_saved
from scraper.thread import follow
from tests.board_kit import answering, hosted, talk
from tests.discourse_kit import KEY, SITE, Board

ROLE = "**KILL**: Anna\n- \"x\", é\n\\*not bold\\* [Ghost] 8-) @Bert"


@pytest.fixture
def board() -> Iterator[Board]:
    yield from answering(Board(), SITE, "PUT")


@pytest.fixture
def host(board: Board) -> LiveDiscourse:
    return hosted(LiveDiscourse, SITE, board)


@pytest.fixture
def keyed(board: Board) -> LiveDiscourse:
    live = LiveDiscourse(SITE, board.clock.session(), now=board.clock.now)
    live.use_key("Host", KEY)
    return live


# ---------------------------------------------------------------------- signing in


def test_signs_in_with_a_token_and_knows_itself(board: Board, host: LiveDiscourse) -> None:
    assert host.who_am_i() == "Host"
    assert board.asked == ["GET session/current.json", "GET session/csrf.json", "POST session.json"]
    assert host.page("55").signed_in


def test_a_guest_reads(board: Board) -> None:
    guest = LiveDiscourse(SITE, board.clock.session(), now=board.clock.now)
    page = guest.page("55")
    assert (guest.who_am_i(), page.signed_in, [post.text for post in page.posts]) == (None, False, ["It begins."])
    with pytest.raises(LoginFailed, match="asks for a login"):
        guest.reply("55", "hello there")
    with pytest.raises(LoginFailed, match="asks for a login"):
        list(guest.messages())


def test_a_key_needs_no_session(board: Board, keyed: LiveDiscourse) -> None:
    assert keyed.who_am_i() == "Host"
    assert keyed.reply("55", ROLE).id == str(board.ids)
    assert {head.get("Api-Username") for head in board.heads} == {"Host"}
    assert "GET session/csrf.json" not in board.asked


def test_a_wrong_key_is_told_as_such(board: Board) -> None:
    live = LiveDiscourse(SITE, board.clock.session(), now=board.clock.now)
    live.use_key("Host", "other")
    for act in (live.who_am_i, lambda: live.page("55"), lambda: live.reply("55", "hello"), lambda: list(live.messages())):
        with pytest.raises(LoginFailed, match="API key"):
            act()
    with pytest.raises(LoginFailed, match="signs that none has"):
        live.use_key("Host\r\nX: y", KEY)


def test_the_key_goes_nowhere_else_and_into_no_log(board: Board, keyed: LiveDiscourse, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with responses.RequestsMock() as web:
        web.get(f"{SITE}t/55.json?include_raw=1", status=302, headers={"Location": "https://evil.example/t/55.json"})
        with pytest.raises(WrongHost) as refused:
            keyed.page("55")
        assert len(web.calls) == 1
    keyed.session.forget()  # a key stays a secret whatever else is dropped
    assert keyed.session.private
    assert KEY not in caplog.text + str(refused.value) + refused.value.advice


@pytest.mark.parametrize(
    ("what", "words"), [("password", "Check the name"), ("second_factor", "second factor"), ("sso", "through another site")]
)
def test_why_nobody_gets_in(board: Board, what: str, words: str) -> None:
    live = LiveDiscourse(SITE, board.clock.session(), now=board.clock.now)
    board.second_factor, board.sso = what == "second_factor", what == "sso"
    with pytest.raises(LoginFailed) as refused:
        live.log_in("Host", "wrong" if what == "password" else "secret")
    assert words in refused.value.advice


def test_a_session_that_ends_is_renewed(board: Board, host: LiveDiscourse) -> None:
    host.reply("55", "first words")
    board.user = ""
    assert host.page("55").signed_in
    board.user = ""
    host.reply("55", "second words")  # the token is void as well then
    board.user, board.token = "", board.token + 3
    host.reply("55", "third words")
    board.user = ""
    assert list(host.messages()) == []
    assert [post.raw for post in board.topics[55].posts[1:]] == ["first words", "second words", "third words"]


def test_does_not_sign_in_again_where_pages_do_not_tell(board: Board, host: LiveDiscourse) -> None:
    board.tells_members = False
    host.page("55")
    host.page("55")
    assert board.asked.count("POST session.json") == 1


def test_a_forum_for_members_only(board: Board, host: LiveDiscourse) -> None:
    board.members_only = True
    assert [post.author for post in host.page("55").posts] == ["Anna"]
    guest = LiveDiscourse(SITE, board.clock.session(), now=board.clock.now)
    board.user = ""
    with pytest.raises(NotTheTopic, match="logged in"):
        guest.page("55")


# ---------------------------------------------------------------------- reading


def test_pages_of_a_long_topic(board: Board, host: LiveDiscourse) -> None:
    talk(board, 64)
    ids = [str(item.id) for item in board.topics[55].posts]
    pages = [host.page("55", where) for where in (1, 2, "last", Containing(ids[45]))]
    assert [(page.page, page.pages, page.per_page) for page in pages] == [(1, 4, 20), (2, 4, 20), (4, 4, 20), (3, 4, 20)]
    assert [post.id for post in pages[2].posts] == ids[60:]
    assert [post.number for post in pages[1].posts] == list(range(21, 41))
    assert pages[1].posts[0].posted_at == board.topics[55].posts[20].at
    assert pages[1].posts[0].url == f"{SITE}t/the-lighthouse/55/21"
    assert host.page("55", 9).page == 4  # past the end


def test_is_followed_with_what_changes_and_goes(board: Board, keyed: LiveDiscourse) -> None:
    talk(board, 44)
    seen = follow(keyed, "55")
    assert len(seen.new) == 45
    board.asked.clear()
    assert follow(keyed, "55", seen.bookmark).new == ()
    assert len(board.asked) == 1
    posts = board.topics[55].posts
    posts[43].raw, posts[43].edited, posts[43].version = "changed", board.clock.now(), 2
    gone = posts.pop(42)
    board.say("Anna", "new words")
    after = follow(keyed, "55", seen.bookmark)
    assert ([post.text for post in after.new], [post.text for post in after.changed]) == (["new words"], ["changed"])
    assert (after.gone, after.shifted) == ((str(gone.id),), 0)
    assert after.changed[0].edited_at == posts[42].edited
    del posts[20:]  # two pages gone
    assert follow(keyed, "55", after.bookmark).page.page == 1


def test_an_edit_in_the_first_minutes_leaves_no_mark_but_is_seen(board: Board, keyed: LiveDiscourse) -> None:
    seen = follow(keyed, "55")
    board.topics[55].posts[0].raw = "It began."
    changed = follow(keyed, "55", seen.bookmark).changed
    assert [(post.text, post.edited, post.edited_at) for post in changed] == [("It began.", False, None)]


def test_what_is_no_post_of_a_player(board: Board, keyed: LiveDiscourse) -> None:
    board.say("Anna", "**Vote: Bert**", kind=4)
    board.say("Host", "", kind=3, cooked="<p>closed this topic</p>")
    board.say("Bert", "(post deleted by author)", marks={"user_deleted": True})
    board.say("Bert", "flagged", marks={"hidden": True, "cooked_hidden": True})
    board.say("Bert", "deleted by staff", marks={"deleted_at": "2026-11-12T18:00:00.000Z"})
    board.say("Bert", "**Vote: Anna**, flagged and shown to staff", marks={"hidden": True})
    posts = keyed.page("55").posts
    assert [post.deleted for post in posts] == [False, True, True, True, True, True, True]
    assert [post.bbcode for post in posts[1:3]] == ["", ""]
    assert [post.text for post in follow(keyed, "55").new] == ["It begins."]


def test_a_closed_topic_is_locked(board: Board, keyed: LiveDiscourse) -> None:
    assert not keyed.page("55").locked
    board.topics[55].closed = True
    assert keyed.page("55").locked


def test_a_topic_that_is_gone_moved_or_another(board: Board, host: LiveDiscourse) -> None:
    with pytest.raises(NotTheTopic, match="no topic 77"):
        host.page("77")
    board.talk(("Anna", "Bert"), "Secret", "not for the host")
    with pytest.raises(NotTheTopic, match="not permitted"):
        host.page(str(max(board.topics)))
    with pytest.raises(NotTheTopic, match="not in topic"):
        host.page("55", Containing("1"))
    board.topics[56] = board.topics[55]
    board.topics[55].id = 56
    assert host.page("56").topic_id == "56"
    with responses.RequestsMock() as web:
        web.get(re.compile("."), body=json.dumps(board.topic(56, 1, "Host", {})[1]))
        with pytest.raises(NotTheTopic, match="topic 56"):
            host._page("55", f"{SITE}t/55.json")


@pytest.mark.parametrize("broken", ["", "<html><body>maintenance</body></html>", '{"post_stream": {"po', "[]", '{"post_stream": 3}', "null"])
def test_what_is_no_answer_is_never_no_posts(board: Board, keyed: LiveDiscourse, broken: str) -> None:
    keyed.who_am_i()
    board.broken = broken or "\n"
    with pytest.raises((NotTheTopic, TryAgain)):
        keyed.page("55")
    with pytest.raises(TryAgain):
        list(keyed.messages())
    with pytest.raises(TryAgain):
        keyed.send_message("Anna", "t", "hello there")
    with pytest.raises(Uncertain):
        keyed.reply("55", "hello there")


# ---------------------------------------------------------------------- posting


def test_reply_and_edit(board: Board, host: LiveDiscourse) -> None:
    sent = host.reply("55", ROLE, "subject")
    item = board.topics[55].posts[-1]
    assert (sent.id, sent.url, item.raw) == (str(item.id), f"{SITE}t/55/2", ROLE)
    assert host.edit(sent.id or "", "other words").id == sent.id
    assert (item.raw, item.version) == ("other words", 2)
    host.edit(sent.id or "", "other words")
    assert host.find_own_post("55", "other words") is not None


@pytest.mark.parametrize("raw_told", [True, False])
def test_an_uncertain_reply_is_found_again(board: Board, host: LiveDiscourse, raw_told: bool) -> None:
    board.raw_told = raw_told
    talk(board, 30)
    after = str(board.topics[55].posts[-1].id)
    board.lose = lambda path: path == "posts.json"
    with pytest.raises(Uncertain):
        host.reply("55", ROLE)
    talk(board, 3)
    found = host.find_own_post("55", ROLE, after)
    assert found is not None
    assert found.author == "Host"
    assert host.find_own_post("55", ROLE, found.id) is None
    assert host.find_own_post("55", "Kill nobody", after) is None


def test_what_was_typed_is_compared_where_the_page_shows_it_otherwise(board: Board, keyed: LiveDiscourse) -> None:
    text = "Ann said: see http\\://x\\.example/a, then (c) :ghost:"
    keyed.reply("55", text)
    board.topics[55].posts[-1].cooked = '<p>Ann said: see <a href="http://x.example/a">http://x.example/a</a>, then © </p>'
    assert keyed.find_own_post("55", text) is not None
    assert keyed.find_own_post("55", f"{text} more") is None


def test_a_lost_answer_to_an_edit_is_asked_for_again(board: Board, host: LiveDiscourse) -> None:
    sent = host.reply("55", "first words")
    times = iter([True, False])
    board.lose = lambda path: path.startswith("posts/") and next(times)
    host.edit(sent.id or "", "other words")
    assert board.topics[55].posts[-1].raw == "other words"


def test_waits_as_long_as_it_is_told(board: Board, host: LiveDiscourse) -> None:
    board.flood = 47
    host.reply("55", "first words")
    board.clock.slept.clear()
    host.reply("55", "second words")
    assert sum(board.clock.slept) >= 45
    board.daily = True
    board.clock.slept.clear()
    with pytest.raises(FloodLimit) as limit:
        host.reply("55", "third words")
    assert (limit.value.wait, sum(board.clock.slept) < 10) == (40_000, True)
    assert len(board.topics[55].posts) == 3


def test_a_forum_that_has_moved_gets_nothing(board: Board, keyed: LiveDiscourse) -> None:
    keyed.who_am_i()
    with responses.RequestsMock() as web:
        web.post(f"{SITE}posts.json", status=301, headers={"Location": "https://new.example/posts.json?api_key=x"})
        with pytest.raises(NotAllowed, match="another address") as refused:
            keyed.reply("55", "hello there")
    assert "game.toml" in refused.value.advice
    assert "api_key=x" not in str(refused.value)


def test_approval(board: Board, host: LiveDiscourse) -> None:
    board.held = True
    with pytest.raises(NeedsApproval):
        host.reply("55", ROLE)


def test_refusals_told_apart(board: Board, host: LiveDiscourse) -> None:
    with pytest.raises(Refused, match="too short"):
        host.reply("55", "x")
    with pytest.raises(NotAllowed):
        host.reply("77", "hello there")
    sent = host.reply("55", "first words")
    board.topics[55].closed = True
    with pytest.raises(TopicLocked, match="closed"):
        host.reply("55", "hello there")
    with pytest.raises(NotAllowed):
        host.edit(str(board.topics[55].posts[0].id), "not mine")
    with pytest.raises(NotAllowed):
        host.edit("999", "not there")
    with pytest.raises(Refused, match="too short"):
        host.edit(sent.id or "", "x")
    board.late = True
    with pytest.raises(NotAllowed, match="for a while"):
        host.edit(sent.id or "", "too late now")


# ---------------------------------------------------------------------- private messages


def test_a_message_goes_to_one_member_only(board: Board, host: LiveDiscourse) -> None:
    host.send_message("anna", "Your role", ROLE)
    assert max(board.topics.values(), key=lambda topic: topic.id).people == ("Host", "anna")
    count = len(board.topics)
    board.called_now = {"Carl": "Anna"}  # a name whose account is another one's by now
    for name in ("Nobody", "Anna,Bert", "x@example.org", "../admin", "", "Bert", "Carl"):  # Bert takes none
        with pytest.raises(NotAllowed, match="nobody called"):
            host.send_message(name, "Your role", ROLE)
    assert not any("," in asked or "@" in asked or ".." in asked for asked in board.asked)
    with pytest.raises(Refused):
        host.send_message("Anna", "Your role", "x")
    assert len(board.topics) == count


def test_messages_are_read_once(board: Board, host: LiveDiscourse) -> None:
    began = board.clock.now()
    old = board.talk(("Anna", "Host"), "Old", "before the game")
    board.clock.moment += timedelta(days=1)
    board.talk(("Bert", "Host"), "Order", "**kill** Anna")
    board.say("Host", "noted", max(board.topics))
    board.say("Bert", "no: Carl", max(board.topics))
    found = list(host.messages(began + timedelta(hours=1)))
    assert [(one.sender, one.recipients, one.subject, one.body) for one in found] == [
        ("Bert", ("Host",), "Order", "[b]kill[/b] Anna"), ("Bert", ("Host",), "Order", "no: Carl"),
    ]  # fmt: skip
    assert found[0].source == f"{SITE}t/the-lighthouse/{max(board.topics)}/1"
    board.asked.clear()
    assert list(host.messages(began + timedelta(hours=1), {one.id for one in found})) == []
    assert len(board.asked) == 1
    board.clock.moment += timedelta(minutes=5)
    board.say("Anna", "late", old.id)
    board.say("Bert", "again", max(board.topics))
    assert [one.body for one in host.messages(began + timedelta(hours=1), {one.id for one in found})] == ["late", "again"]


def test_many_conversations_and_long_ones(board: Board, host: LiveDiscourse) -> None:
    began = board.clock.now()
    for number in range(12):
        board.clock.moment += timedelta(minutes=1)
        board.talk(("Anna", "Host"), f"t{number}", f"order {number}")
    for number in range(50):
        board.clock.moment += timedelta(minutes=1)
        board.say("Anna", f"more {number}", max(board.topics))
    assert [one.body for one in host.messages(began)] == [*(f"order {n}" for n in range(12)), *(f"more {n}" for n in range(50))]
    board.asked.clear()
    fresh = LiveDiscourse(SITE, board.clock.session(), now=board.clock.now)
    assert [one.body for one in fresh.messages(board.clock.now() - timedelta(minutes=2, seconds=30))] == ["more 47", "more 48", "more 49"]
    assert len(board.asked) <= 6


def test_what_went_out_is_found_among_the_sent(board: Board, host: LiveDiscourse) -> None:
    began = board.clock.now()
    board.lose = lambda path: path == "posts.json"
    with pytest.raises(Uncertain):
        host.send_message("Anna", "Your role", ROLE)
    sent = list(host.sent_messages(began))
    assert [(one.recipients, one.body) for one in sent] == [(("Anna",), ROLE)]
    assert list(host.messages(began)) == []


# ---------------------------------------------------------------------- what a post says

COOKED = {
    "<p><strong>Vote: Bert</strong></p>": "[b]Vote: Bert[/b]",
    '<p><span class="bbcode-b">Vote: Bert</span> <s>Carl</s> <del>D</del></p>': "[b]Vote: Bert[/b] [s]Carl[/s] [s]D[/s]",
    '<p><span style="color:red">Vote: Bert</span></p>': "[color=red]Vote: Bert[/color]",
    '<p>Vote: <a class="mention" href="/u/bert">@Bert</a></p>': "Vote: @Bert",
    '<p><img src="/e.png" title=":ghost:" class="emoji" alt=":ghost:"></p>': ":ghost:",
    '<div class="spoiler">\n<p>I am the <em>doctor</em></p>\n</div>': "[spoiler]I am the [i]doctor[/i]\n[/spoiler]",
    '<p>so <span class="spoiler">hidden</span></p>': "so [spoiler]hidden[/spoiler]",
    "<details>\n<summary>My notes</summary>\n<p>x</p>\n</details>": '[spoiler="My notes"]x\n[/spoiler]',
    '<aside class="onebox" data-onebox-src="https://x.example/a"><article>Vote: Zoe</article></aside>': "[url]https://x.example/a[/url]",
    '<p><a href="https://x.example/" class="inline-onebox">Vote: Zoe</a></p>': "[url]https://x.example/[/url]",
    '<div class="poll" data-poll-name="p"><ul><li>Vote: Zoe</li></ul></div><p>x</p>': "x",
    "<pre><code class=\"lang-auto\">**Vote: Zoe**\n</code></pre>": "[code]**Vote: Zoe**[/code]",
    "<p>[b]Vote: Bert[/b]</p>": "[noparse][b][/noparse]Vote: Bert[noparse][/b][/noparse]",
}


@pytest.mark.parametrize("cooked", COOKED)
def test_what_a_post_says(cooked: str) -> None:
    assert discourse.markup_of(cooked).bbcode == COOKED[cooked]


@pytest.mark.parametrize("name", ["Anna", "Kaitou Kid", "A: B wrote", "O'Brien & \"Sons\"", "<script>", "[/quote]", "Zoë:"])
def test_quotes_keep_their_words_and_names_apart(name: str) -> None:
    cooked = (
        f'<aside class="quote no-group" data-username="{escape(name)}" data-post="3" data-topic="55">\n<div class="title">\n<div class="quote-controls"></div>'
        f'<img alt="" class="avatar" src="/a.png"> {escape(name)}:</div>\n<blockquote>\n<p><strong>Vote: Old</strong></p>\n'
        '<aside class="quote" data-username="Deep"><div class="title">Deep:</div><blockquote><p>deeper</p></blockquote></aside>'
        "\n</blockquote>\n</aside>\n<p><strong>Vote: New</strong></p>"
    )
    told = discourse.markup_of(cooked)
    assert told.text == "Vote: New"
    assert told.bbcode.startswith("[quote=")
    assert "[quote=Deep]deeper[/quote]" in told.bbcode
    assert told.bbcode.endswith("[/quote]\n[b]Vote: New[/b]")


HOSTILE = ["<script>alert(1)</script>", "\0\x0b\ud800", "[/quote][b]x", "]]>", "é" * 300, "../../x", "\u202eevil", ""]


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_names_and_bodies(word: str) -> None:
    post = {"id": 1, "post_number": 1, "username": word, "cooked": f"<p>{word}<b>unclosed {word}", "created_at": word, "version": word, "user_id": word}
    told = {"id": 55, "title": word, "slug": word, "post_stream": {"posts": [post, {"id": None}, 3, word], "stream": ["x", None, 1]}}
    page = discourse.read_page(json.dumps(told), timezone=UTC, now=datetime(2026, 11, 12, tzinfo=UTC), base_url=SITE)
    assert page.posts[0].posted_at is None
    assert "<script" not in (page.posts[0].url or "")
    assert "../" not in (page.posts[0].url or "")
    assert discourse.markup_of("<div><p>" * 3000 + word).bbcode is not None


@pytest.mark.parametrize("told", ['{"post_stream": {"posts": 3}, "id": 5}', '{"post_stream": {"posts": {"a": 1}}, "id": 5}', '{"post_stream": {"posts": [{"id": true}]}, "id": "x"}', '{"post_stream": {"posts": [], "stream": 7}}'])  # fmt: skip
def test_json_of_another_shape_is_no_topic(told: str) -> None:
    with pytest.raises(NotTheTopic):
        discourse.read_page(told, timezone=UTC, now=datetime(2026, 11, 12, tzinfo=UTC))


# ---------------------------------------------------------------------- saved, and addresses


def saved(board: Board, page: int) -> str:
    return json.dumps(board.topic(55, page, "Host", {})[1])


def test_saved_json_and_pages(board: Board, tmp_path: Path) -> None:
    talk(board, 30)
    board.topics[55].posts.pop(5)  # its number is never given again
    (tmp_path / "one.json").write_text(saved(board, 1))
    inside = escape(json.dumps({"currentUser": "{}", "topic_55": saved(board, 2)}), quote=True)
    (tmp_path / "two.html").write_text(
        '<!DOCTYPE html><html lang="en"><head><meta name="generator" content="Discourse 3.2.0"><link rel="canonical" '
        f'href="{SITE}t/the-lighthouse/55"></head><body><div class="hidden" id="data-preloaded" data-preloaded="{inside}"></div></body></html>'
    )
    files = [tmp_path / "two.html", tmp_path / "one.json"]
    assert [detect(file.read_bytes()) for file in files] == ["discourse", "discourse"]
    thread = read_saved(files, forum=None, timezone=UTC, now=board.clock.now())
    assert (thread.forum, thread.topic_id, thread.title, len(thread.posts), thread.notes) == ("discourse", "55", "The Lighthouse", 30, ())
    assert thread.posts[-1].url == f"{SITE}t/the-lighthouse/55/31"
    alone = read_saved(files[1:], forum="discourse", timezone=UTC, now=board.clock.now())
    assert alone.notes == ("Of 2 pages, 2 was not among the files.",)
    assert alone.until == alone.posts[-1].posted_at
    assert thread.until == datetime.fromtimestamp(files[0].stat().st_mtime, UTC)


def test_a_page_without_posts_says_what_to_save(board: Board) -> None:
    shell = '<html><head><meta name="generator" content="Discourse 3.2.0"><title>x</title></head><body><noscript>x</noscript></body></html>'
    with pytest.raises(NotTheTopic) as refused:
        discourse.read_page(shell, timezone=UTC, now=board.clock.now())
    assert ".json" in refused.value.advice
    words = "<p>" + "What a post says. " * 40 + "</p>"
    form = '<form id="hidden-login-form"><input type="password"></form>'
    with pytest.raises(NotTheTopic, match="not a topic page of Discourse") as refused:  # a browser keeps what its script has built
        discourse.read_page(shell.replace("<noscript>", f"{words}{form}<noscript>"), timezone=UTC, now=board.clock.now())
    assert ".json" in refused.value.advice


@pytest.mark.parametrize(
    ("url", "base", "topic"),
    [
        ("https://t.example/t/night/55", "https://t.example/", "55"),
        ("https://t.example/t/55", "https://t.example/", "55"),
        ("https://t.example/t/55/3", "https://t.example/", "55"),
        ("https://t.example/d/t/night-9/55/12?u=host", "https://t.example/d/", "55"),
        ("https://t.example/t/55.json?page=2", "https://t.example/", "55"),
    ],
)
def test_addresses(url: str, base: str, topic: str) -> None:
    assert from_url(url) == TopicAddress("discourse", base, topic)


def test_opens_by_address(board: Board) -> None:
    forum, topic = open_forum(f"{SITE}t/the-lighthouse/55/3", board.clock.session(), now=board.clock.now)
    assert (forum.kind, forum.base_url, topic, forum.takes_key) == ("discourse", SITE, "55", True)
    assert forum.clock_shift() is None
    forum.page(topic)
    assert forum.clock_shift() == timedelta(0)


@pytest.mark.parametrize("source", ["environment", "keyring", "nowhere"])
def test_the_key_comes_from_the_environment_or_the_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: Board, source: str) -> None:
    for name in ("USER", "PASSWORD", "API_KEY"):
        monkeypatch.delenv(f"NIGHTPOST_{name}", raising=False)
    kept = {("nightpost-api", "Host"): KEY} if source == "keyring" else {}
    monkeypatch.setattr("keyring.get_password", lambda service, name: kept.get((service, name)))
    if source == "environment":
        monkeypatch.setenv("NIGHTPOST_API_KEY", KEY)
        monkeypatch.setenv("NIGHTPOST_PASSWORD", "never used")
    settings = SimpleNamespace(
        thread=Thread(url=f"{SITE}t/the-lighthouse/55"), host="Host", contact=None, folder=tmp_path, players=(), seat_of={}.get
    )
    outlet = open_outlet(settings)  # type: ignore[arg-type]
    outlet.forum.session.sleep = board.clock.sleep  # type: ignore[attr-defined]
    assert outlet.member == (source != "nowhere")
    assert outlet.forum.who_am_i() == (None if source == "nowhere" else "Host")
    assert not any("POST" in asked for asked in board.asked)
    assert not any(KEY in file.read_text() for file in tmp_path.iterdir())


def test_a_topic_too_long_for_a_list_of_its_posts_is_refused() -> None:
    post = {"id": 7, "post_number": 1, "username": "Anna", "created_at": "2026-11-12T18:00:00Z", "cooked": "<p>a</p>"}
    told = {"id": 55, "title": "It", "posts_count": 10_001, "post_stream": {"posts": [post], "isMegaTopic": True, "lastId": 99_999}}
    with pytest.raises(NotTheTopic, match="grown so long") as caught:
        discourse.read_page(json.dumps(told), timezone=UTC, now=datetime(2026, 11, 12, tzinfo=UTC))
    assert "new topic" in caught.value.advice


def test_what_a_tag_for_votes_makes_of_a_vote_is_one() -> None:
    cooked = '<p>I say <span class="vote">VOTE: <a class="mention" href="/u/bert">@Bert</a></span> and <span class="vote">UNVOTE</span></p>'
    assert discourse.markup_of(cooked).bbcode == "I say [b]VOTE: @Bert[/b] and [b]UNVOTE[/b]"
