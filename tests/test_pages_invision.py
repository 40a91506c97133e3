"""Invision Community 4: pages of our own writing in the shape of its own, saved and live."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
import responses
from lxml import html

from scraper import invision
from scraper.forum import Containing, NotYet, TopicAddress, TryAgain, from_url, open_forum
from scraper.live_invision import LiveInvision
from scraper.model import NotTheTopic
from scraper.saved import detect, read_saved
from scraper.thread import follow
from tests.practice_kit import Clock

FILE = Path(__file__).parent / "pages" / "invision-4.html"
NOW = datetime(2026, 11, 12, 19, tzinfo=UTC)
SITE = "https://forum.example/c/"


def test_a_page() -> None:
    page = invision.read_page(FILE.read_bytes(), timezone=UTC, now=NOW)
    assert (page.forum, page.topic_id, page.title, page.page, page.pages, page.per_page) == ("invision", "55", "Der Leuchtturm", 2, 3, 25)
    assert (page.signed_in, page.locked) == (False, False)
    anna, guest = page.posts
    assert (anna.id, anna.number, anna.author, anna.author_id) == ("901", 26, "Anna", "3")
    assert (anna.posted_at, anna.edited_at) == (datetime(2026, 11, 12, 18, tzinfo=UTC), datetime(2026, 11, 12, 18, 20, tzinfo=UTC))
    assert anna.url == f"{SITE}topic/55/?do=findComment&comment=901"
    assert anna.bbcode == (
        "[quote='Bert: \"B\" schrieb'][b]Vote: Alt[/b][/quote]\n[b][color=#ff0000]Vote: Bert[/color][/b] @Carl :)\n"
        "[spoiler]geheim[/spoiler]"
    )
    assert anna.text == "Vote: Bert @Carl :)\ngeheim"
    assert (guest.author, guest.author_id, guest.deleted, guest.edited) == ("Gast <b>", None, True, False)


def test_saved(tmp_path: Path) -> None:
    assert detect(FILE.read_bytes()) == "invision"
    thread = read_saved([FILE], forum=None, timezone=UTC, now=NOW)
    assert ([post.id for post in thread.posts], [post.id for post in thread.deleted]) == (["901"], ["902"])
    assert any("missing" in note for note in thread.notes)


def test_code_is_code() -> None:
    body = html.fromstring('<div><p>a</p><pre class="ipsCode prettyprint">##vote Anna</pre></div>')
    assert invision.markup_of(body).bbcode == "a\n[code]##vote Anna[/code]"


@pytest.mark.parametrize(
    "page",
    ["", "{}", "<html><body>half", '<html><body><script>var ipsSettings={}</script><form><input type="password"></form></body></html>',
     '<html><head><link rel="canonical" href="https://f.example/topic/5-x/"></head><body>no posts</body></html>'],
)  # fmt: skip
def test_what_is_no_topic(page: str) -> None:
    with pytest.raises(NotTheTopic):
        invision.read_page(page, timezone=UTC, now=NOW)


@pytest.mark.parametrize(
    ("url", "base", "topic", "post"),
    [
        ("https://f.example/topic/55-night-games/", "https://f.example/", "55", None),
        ("https://f.example/c/topic/55-night-games/page/3/#comment-9", "https://f.example/c/", "55", None),
        ("https://f.example/topic/55-night/?do=findComment&comment=901", "https://f.example/", "55", "901"),
        ("https://f.example/index.php?/topic/55-night/", "https://f.example/", "55", None),
    ],
)
def test_addresses(url: str, base: str, topic: str, post: str | None) -> None:
    assert from_url(url) == TopicAddress("invision", base, topic, post)


# ---------------------------------------------------------------------- live


class Board:
    """A topic of 60 posts, 25 a page. `old` counts pages by `?page=`; `stuck` always shows the first."""

    def __init__(self) -> None:
        self.count, self.old, self.stuck = 60, False, False
        self.asked: list[str] = []

    def __call__(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        path = (request.url or "").partition("#")[0].removeprefix(SITE)
        self.asked.append(path)
        if request.method != "GET":
            return 500, {}, ""
        if path.startswith("index.php?/topic/55-t/"):
            if found := re.search(r"comment=(\d+)", path):
                return 301, {"Location": f"{SITE}topic/55-der-leuchtturm/{self.name((int(found[1]) - 101) // 25 + 1)}#findComment-{found[1]}"}, ""
            return 301, {"Location": f"{SITE}topic/55-der-leuchtturm/"}, ""
        found = re.fullmatch(r"topic/55-der-leuchtturm/(?:page/(\d+)/|\?page=(\d+))?", path)
        if found is None:
            return 404, {}, "<html><body>none</body></html>"
        asked = found[2] if self.old else found[1] or found[2]
        return 200, {}, self.page(1 if self.stuck else int(asked or 1))

    def name(self, number: int) -> str:
        return f"?page={number}" if self.old else f"page/{number}/"

    def page(self, number: int) -> str:
        pages = -(-self.count // 25)
        rows = "".join(
            f'<article id="elComment_{100 + n}" class="ipsComment"><aside class="ipsComment_author cAuthorPane"><h3><a href="/profile/3-a/">Anna</a></h3></aside>'
            f'<div class="ipsComment_content"><time datetime="2026-11-12T18:{n % 60:02}:00Z">x</time><div data-role="commentContent"><p>words {n}</p></div></div></article>'
            for n in range(number * 25 - 24, min(number * 25, self.count) + 1)
        )
        return (
            f'<html lang="en"><head><link rel="canonical" href="{SITE}topic/55-der-leuchtturm/"><script>var ipsSettings = {{}};</script></head><body>'
            f'<ul class="ipsPagination" data-pages="{pages}" data-ipspagination-perpage="25"><li class="ipsPagination_page ipsPagination_active">'
            f'<a data-page="{number}">{number}</a></li></ul>{rows}</body></html>'
        )


@pytest.fixture
def board() -> Iterator[Board]:
    laid = Board()
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        for method in ("GET", "POST"):
            web.add_callback(method, re.compile(re.escape(SITE)), callback=laid)
        yield laid


@pytest.mark.parametrize("old", [False, True])
def test_pages_live(board: Board, old: bool) -> None:
    board.old = old
    live = LiveInvision(SITE, Clock().session(), now=Clock().now)
    live.use_account("Host", "secret")
    live.log_in("Host", "secret")
    assert live.who_am_i() is None
    assert [live.page("55", where).page for where in (1, 3, "last", 2, Containing("130"))] == [1, 3, 3, 2, 2]
    seen = follow(live, "55")
    assert [post.number for post in seen.new] == list(range(1, 61))
    board.count = 63
    assert [post.text for post in follow(live, "55", seen.bookmark).new] == ["words 61", "words 62", "words 63"]


def test_a_page_that_is_not_the_one_asked_for(board: Board) -> None:
    board.stuck = True
    live = LiveInvision(SITE, Clock().session(), now=Clock().now)
    with pytest.raises(TryAgain, match="page 1"):
        live.page("55", 2)


def test_posting_goes_by_hand(board: Board) -> None:
    forum, topic = open_forum(f"{SITE}topic/55-der-leuchtturm/page/2/", Clock().session(), now=Clock().now)
    assert (forum.kind, topic, forum.takes_key) == ("invision", "55", False)
    for act in (
        lambda: forum.reply(topic, "x"), lambda: forum.edit("101", "x"), lambda: forum.send_message("Anna", "t", "x"),
        lambda: list(forum.messages()), lambda: list(forum.sent_messages()), lambda: forum.use_key("Host", "k"),
    ):  # fmt: skip
        with pytest.raises(NotYet) as refused:
            act()
        assert refused.value.advice
    assert board.asked == []
