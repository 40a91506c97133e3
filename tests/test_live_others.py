"""SMF and MyBB live: addresses, page sizes, logins; on pages of our own writing, and on real ones where they are at hand."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
import requests
import responses

from scraper.forum import LIVE, Containing, LoginFailed, NotYet, TopicAddress, from_url, open_forum
from scraper.live_mybb import LiveMybb
from scraper.live_smf import LiveSmf
from scraper.model import BadInput, NotTheTopic
from scraper.thread import follow
from tests.practice_kit import Clock

SITE = "https://forum.example/f/"
CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures"))


@pytest.fixture
def web() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


class Smf:
    """An SMF of one topic, number 7, that answers topic pages and logins."""

    def __init__(self, count: int, *, size: int = 15, falling: bool = False) -> None:
        self.count, self.size, self.falling, self.user, self.asked = count, size, falling, "", 0

    def __call__(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        self.asked += 1
        query = dict(pair.split("=", 1) for pair in re.split("[;&]", (request.url or "").partition("?")[2]) if "=" in pair)
        if query.get("action") == "login":
            return 200, {}, self.page(
                '<form id="frmLogin" action="' + SITE + 'index.php?PHPSESSID=99aa;action=login2" method="post">'
                '<input name="user"><input type="password" name="passwrd"><select name="cookielength"><option value="60">1</option>'
                '</select><input type="submit" value="Log in"><input type="hidden" name="b2a91f3" value="6f55"></form>'
            )  # fmt: skip
        if query.get("action") == "login2":
            sent = dict(parse_qsl(str(request.body)))
            if sent.get("passwrd") == "secret" and sent.get("b2a91f3") == "6f55" and sent.get("cookielength") == "3153600":
                self.user = "The Host"
                return 302, {"Location": SITE + "index.php"}, ""
            return 200, {}, self.page('<div class="errorbox">Password incorrect</div><input type="password">')
        if "topic" in query or "msg" in query:
            return 200, {}, self.topic(query.get("topic", f"7.msg{query.get('msg')}"))
        return 200, {}, self.page("")

    def topic(self, asked: str) -> str:
        order = [*range(1, self.count + 1)]
        order = order[::-1] if self.falling else order
        place = asked.partition(".")[2]
        at = order.index(int(place[3:]) - 100) if place.startswith("msg") else int(place)
        start = min(at, self.count - 1) // self.size * self.size
        pages = range((self.count - 1) // self.size + 1)
        links = " ".join(
            f'<span class="current_page">{n + 1}</span>' if n == start // self.size
            else f'<a class="nav_page" href="{SITE}index.php?topic=7.{n * self.size}">{n + 1}</a>' for n in pages
        )  # fmt: skip
        rows = "".join(
            f'<div class="windowbg" id="msg{100 + n}"><div class="poster"><h4><a href="{SITE}index.php?action=profile;u=3">Anna</a>'
            f'</h4></div><div class="postarea"><div class="keyinfo"><div class="postinfo"><span class="page_number">#{n if self.falling else n - 1}</span>'
            f'<a href="{SITE}index.php?msg={100 + n}" class="smalltext">Nov 12, 2026, 06:{n % 60:02} PM</a></div></div>'
            f'<div class="post"><div class="inner" id="msg_{100 + n}">words {n}</div></div></div></div>'
            for n in order[start : start + self.size]
        )
        return self.page(f'<div class="pagelinks">{links}</div><div id="forumposts"><form id="quickModForm">{rows}</form></div>')

    def page(self, body: str) -> str:
        known = (
            f'<a id="profile_menu_top" href="{SITE}index.php?action=profile"><span class="textmenu">{self.user}</span></a>'
            f'<a href="{SITE}index.php?action=logout;aa=bb">Log out</a>' if self.user else ""
        )  # fmt: skip
        return (
            f'<html lang="en"><head><title>T</title><link rel="canonical" href="{SITE}index.php?topic=7.0"><script>'
            f'var smf_scripturl = "{SITE}index.php";</script></head><body>{known}{body}</body></html>'
        )


@pytest.fixture
def smf(web: responses.RequestsMock) -> tuple[Smf, LiveSmf]:
    forum = Smf(40)
    for method in ("GET", "POST"):
        web.add_callback(method, re.compile(re.escape(SITE)), callback=forum)
    return forum, LiveSmf(SITE, Clock().session(), now=Clock().now)


def test_smf_pages_go_by_the_readers_own_step(smf: tuple[Smf, LiveSmf]) -> None:
    forum, live = smf
    assert [live.page("7", where).page for where in (3, 1, "last", Containing("118"))] == [3, 1, 3, 2]
    forum.size = 6
    fresh = LiveSmf(SITE, Clock().session(), now=Clock().now)
    assert [post.id for post in fresh.page("7", 3).posts] == [str(number) for number in range(113, 119)]


def test_smf_newest_first(smf: tuple[Smf, LiveSmf]) -> None:
    forum, live = smf
    forum.falling = True
    assert live.page("7", "last").posts[0].id == "140"
    seen = follow(live, "7")
    assert [post.number for post in seen.new] == list(range(1, 41))
    forum.count, forum.asked = 42, 0
    again = follow(live, "7", seen.bookmark)
    assert ([post.id for post in again.new], forum.asked) == (["141", "142"], 1)


def test_smf_login_sends_the_fields_whose_names_change(smf: tuple[Smf, LiveSmf]) -> None:
    forum, live = smf
    live.log_in("host", "secret")
    assert live.who_am_i() == "The Host"
    assert live.page("7").signed_in
    forum.user = ""
    assert live.page("7").signed_in  # the session had ended
    forum.user = ""
    with pytest.raises(LoginFailed, match="Password incorrect"):
        live.log_in("host", "wrong")


class Mybb:
    """A MyBB of one thread, number 2, ten posts a page."""

    def __init__(self, count: int) -> None:
        self.count, self.user, self.asked = count, "", 0

    def __call__(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        self.asked += 1
        path, _, query_string = (request.url or "").partition("#")[0].partition("?")
        query = dict(parse_qsl(query_string))
        if path.endswith("member.php") and request.method == "GET":
            return 200, {}, self.page(
                '<form action="member.php"><input name="quick_username"><input type="password" name="quick_password"></form>'
                '<form action="member.php" method="post"><input name="username"><input type="password" name="password">'
                '<input type="checkbox" name="remember" checked="checked" value="yes"><input type="hidden" name="action" '
                'value="do_login"><input name="my_post_key" type="hidden" value="k1"></form>'
            )  # fmt: skip
        if path.endswith("member.php"):
            sent = dict(parse_qsl(str(request.body)))
            if (sent.get("password"), sent.get("my_post_key"), sent.get("action")) == ("secret", "k1", "do_login"):
                self.user = "Host"
                return 200, {}, '<html><head><meta http-equiv="refresh" content="2;URL=index.php"></head><body>ok</body></html>'
            return 200, {}, self.page('<div class="error"><p>Please correct the following errors</p></div>')
        if path.endswith("showthread.php"):
            if query.get("action") == "lastpost":
                return 302, {"Location": f"showthread.php?tid=2&pid={self.count}#pid{self.count}"}, ""
            return 200, {}, self.thread(query)
        return 200, {}, self.page("")

    def thread(self, query: dict[str, str]) -> str:
        pages = (self.count - 1) // 10 + 1
        number = (int(query["pid"]) - 1) // 10 + 1 if "pid" in query else int(query.get("page", "1"))
        number = number if number <= pages else 1
        links = "".join(
            f'<span class="pagination_current">{n}</span>' if n == number
            else f'<a href="showthread.php?tid=2&amp;page={n}" class="pagination_page">{n}</a>' for n in range(1, pages + 1)
        )  # fmt: skip
        rows = "".join(
            f'<div class="post" id="post_{n}"><div class="author_information"><span class="largetext">'
            f'<a href="{SITE}member.php?action=profile&amp;uid=3">Anna</a></span></div><div class="post_head"><strong>'
            f'<a href="showthread.php?tid=2&amp;pid={n}#pid{n}">#{n}</a></strong><span class="post_date">11-12-2026, 06:{n % 60:02} PM'
            f'</span></div><div class="post_body" id="pid_{n}">words {n}</div></div>'
            for n in range(number * 10 - 9, min(number * 10, self.count) + 1)
        )
        return self.page(
            f'<div class="pagination">{links}</div><div id="posts">{rows}</div><a href="newreply.php?tid=2">Reply</a>'
        )

    def page(self, body: str) -> str:
        known = (
            f'<span class="welcome"><strong>Welcome back, <a href="{SITE}member.php?action=profile&amp;uid=2">{self.user}</a></strong>'
            f'<a href="{SITE}member.php?action=logout&amp;logoutkey=aa">Log Out</a></span>' if self.user else ""
        )  # fmt: skip
        return f'<html lang="en"><head><script src="jscripts/general.js"></script></head><body>{known}{body}<a href="https://mybb.com">MyBB</a></body></html>'


@pytest.fixture
def mybb(web: responses.RequestsMock) -> tuple[Mybb, LiveMybb]:
    forum = Mybb(34)
    for method in ("GET", "POST"):
        web.add_callback(method, re.compile(re.escape(SITE)), callback=forum)
    return forum, LiveMybb(SITE, Clock().session(), now=Clock().now)


def test_mybb_pages_go_by_number(mybb: tuple[Mybb, LiveMybb]) -> None:
    _, live = mybb
    assert [live.page("2", where).page for where in (3, 1, "last", Containing("18"))] == [3, 1, 4, 2]
    assert live.page("2", 9).page == 4  # past the end MyBB shows the first


def test_mybb_is_followed_page_by_page(mybb: tuple[Mybb, LiveMybb]) -> None:
    forum, live = mybb
    seen = follow(live, "2")
    assert (len(seen.new), forum.asked) == (34, 4)
    forum.asked = 0
    assert (follow(live, "2", seen.bookmark).new, forum.asked) == ((), 1)
    forum.count, forum.asked = 12, 0
    again = follow(live, "2", seen.bookmark)
    assert again.gone == tuple(str(number) for number in range(13, 35))


def test_mybb_login_takes_the_right_form(mybb: tuple[Mybb, LiveMybb]) -> None:
    _, live = mybb
    live.log_in("Host", "secret")
    assert live.who_am_i() == "Host"
    with pytest.raises(LoginFailed, match="Please correct"):
        live.log_in("Host", "wrong")


# ---------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("url", "kind", "base", "topic", "post"),
    [
        ("https://f.example/viewtopic.php?t=3", "phpbb", "https://f.example/", "3", None),
        ("http://f.example:81/b/viewtopic.php?f=2&t=3&start=20&sid=aa#p9", "phpbb", "http://f.example:81/b/", "3", "9"),
        ("https://f.example/b/viewtopic.php?p=77#p77", "phpbb", "https://f.example/b/", None, "77"),
        ("f.example/b/viewtopic.php?t=3", "phpbb", "https://f.example/b/", "3", None),
        ("https://f.example/mafia-f5/night-games-t12-20.html", "phpbb", "https://f.example/", "12", None),
        ("https://f.example/b/topic12.html", "phpbb", "https://f.example/b/", "12", None),
        ("https://f.example/index.php?topic=3.0", "smf", "https://f.example/", "3", None),
        ("https://f.example/f/index.php?PHPSESSID=x&topic=3.msg55;topicseen#msg55", "smf", "https://f.example/f/", "3", "55"),
        ("https://f.example/index.php?msg=55", "smf", "https://f.example/", None, "55"),
        ("https://f.example/?topic=3.new#new", "smf", "https://f.example/", "3", None),
        ("https://f.example/f/index.php/topic,3.15.html", "smf", "https://f.example/f/", "3", None),
        ("https://f.example/f/index.php?topic,3.msg9.html#msg9", "smf", "https://f.example/f/", "3", "9"),
        ("https://f.example/showthread.php?tid=2&page=3", "mybb", "https://f.example/", "2", None),
        ("https://f.example/m/showthread.php?tid=2&pid=61#pid61", "mybb", "https://f.example/m/", "2", "61"),
        ("https://f.example/showthread.php?pid=61", "mybb", "https://f.example/", None, "61"),
        ("https://f.example/m/thread-2.html", "mybb", "https://f.example/m/", "2", None),
        ("https://f.example/thread-2-page-4.html", "mybb", "https://f.example/", "2", None),
        ("https://f.example/thread-2-post-61.html#pid61", "mybb", "https://f.example/", "2", "61"),
        ("https://f.example/archive/index.php?thread-2.html", "mybb", "https://f.example/", "2", None),
        ("https://f.example/viewtopic.php?id=3", "fluxbb", "https://f.example/", "3", None),
        ("https://f.example/showthread.php?t=3", "vbulletin", "https://f.example/", "3", None),
        ("https://f.example/t/night-games/55/12", "discourse", "https://f.example/", "55", None),
        ("https://f.example/threads/night-games.55/page-2", "xenforo", "https://f.example/", "55", None),
        ("https://f.example/some/where", None, "https://f.example/some/", None, None),
        ("https://user:pw@f.example/viewtopic.php?t=3", "phpbb", "https://f.example/", "3", None),
        ("https://f.example/viewtopic.php?t=3%0d%0aX", "phpbb", "https://f.example/", "3", None),
    ],
)  # fmt: skip
def test_addresses(url: str, kind: str | None, base: str, topic: str | None, post: str | None) -> None:
    assert from_url(url) == TopicAddress(kind, base, topic, post)


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "javascript://x/%0aalert(1)", "https://", "http://[::bad", "https://a b/c"]
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(BadInput):
        from_url(url)


def test_opens_by_address_alone(web: responses.RequestsMock) -> None:
    forum, topic = open_forum("https://f.example/index.php?topic=3.0", Clock().session())
    assert (forum.kind, forum.base_url, topic) == ("smf", "https://f.example/", "3")
    assert len(web.calls) == 0


def test_opens_by_asking(smf: tuple[Smf, LiveSmf]) -> None:
    forum, topic = open_forum(SITE + "index.php?msg=118", Clock().session(), now=Clock().now)
    assert (forum.kind, topic) == ("smf", "7")


def test_opens_what_only_the_page_tells(web: responses.RequestsMock) -> None:
    web.get("https://forum.example/games/the-lighthouse", body=Smf(3).topic("7.0"))
    forum, topic = open_forum("https://forum.example/games/the-lighthouse", Clock().session(), now=Clock().now)
    assert (forum.kind, forum.base_url, topic) == ("smf", SITE, "7")


def test_says_what_it_cannot_open(web: responses.RequestsMock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(LIVE, "discourse")
    with pytest.raises(NotYet, match="discourse"):
        open_forum("https://f.example/t/x/5", Clock().session())
    web.get("https://f.example/news", body="<html><body>news</body></html>")
    with pytest.raises(NotTheTopic):
        open_forum("https://f.example/news", Clock().session())


# ---------------------------------------------------------------------- real pages


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured pages here")
@pytest.mark.parametrize(
    ("folder", "kind", "topic", "pages"), [("smf-2.1.5", LiveSmf, "3", 5), ("mybb-1.8.37", LiveMybb, "2", 7)]
)
def test_real_topics_are_followed(
    web: responses.RequestsMock, folder: str, kind: type[LiveSmf | LiveMybb], topic: str, pages: int
) -> None:
    for number in range(1, pages + 1):
        body = (CAPTURES / folder / f"topic-0{number}.html").read_bytes()
        at = f"index.php?topic={topic}.{(number - 1) * 15}" if kind is LiveSmf else f"showthread.php?tid={topic}&mode=linear"
        if kind is LiveMybb and number > 1:
            at += f"&page={number}"
        web.get(SITE + at, body=body)
    live = kind(SITE, Clock().session(), now=Clock().now)
    seen = follow(live, topic)
    assert len(web.calls) == pages
    assert len(seen.new) == len({post.id for post in seen.new}) >= 60
    numbers = [post.number for post in seen.new if post.number is not None]  # MyBB counts a deleted post's placeholder
    assert numbers == sorted(set(numbers))
    again = follow(kind(SITE, Clock().session(), now=Clock().now), topic, seen.bookmark)
    assert (again.new, again.changed, again.gone, len(web.calls)) == ((), (), (), pages + 1)


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured pages here")
@pytest.mark.parametrize(("folder", "kind"), [("smf-2.1.5", LiveSmf), ("mybb-1.8.37", LiveMybb)])
def test_real_pages_name_the_account(web: responses.RequestsMock, folder: str, kind: type[LiveSmf | LiveMybb]) -> None:
    web.get(SITE + "index.php", body=(CAPTURES / folder / "index.html").read_bytes())
    assert kind(SITE, Clock().session()).who_am_i() == "Game Master"
    web.replace("GET", SITE + "index.php", body=(CAPTURES / folder / "index-guest.html").read_bytes())
    assert kind(SITE, Clock().session()).who_am_i() is None
