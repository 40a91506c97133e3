"""The practice forum: it must be as awkward as the real thing, or what is tested on it proves nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests
from lxml import html

from demo.bbcode import render
from demo.practice import FAULTS, PracticeForum
from scraper import phpbb
from scraper.model import NotTheTopic, Page
from tests.practice_kit import Clock


class Browser:
    """A client that does only what it is told, without any of our own manners."""

    def __init__(self, forum: PracticeForum, clock: Clock) -> None:
        self.forum, self.clock, self.http = forum, clock, requests.Session()

    def get(self, path: str, **how: object) -> requests.Response:
        return self.http.get(urljoin(self.forum.url, path), timeout=1, **how)  # type: ignore[arg-type]

    def form(self, path: str, name: str) -> tuple[str, dict[str, str]]:
        answer = self.get(path)
        form = next(form for form in html.fromstring(answer.text).forms if form.get("id") == name)
        return urljoin(answer.url, form.get("action")), dict(form.form_values())

    def send(self, action: str, fields: dict[str, str], **given: str) -> requests.Response:
        return self.http.post(action, data=fields | given, timeout=1)

    def login(self, name: str = "Host", password: str = "secret") -> requests.Response:
        action, fields = self.form("ucp.php?mode=login", "login")
        self.clock.sleep(1)
        return self.send(action, fields, username=name, password=password, login="Login")

    def reply(self, text: str, topic: int = 3) -> requests.Response:
        action, fields = self.form(f"posting.php?mode=reply&t={topic}", "postform")
        self.clock.sleep(1)
        return self.send(action, fields, message=text, post="Submit")

    def page(self, path: str) -> Page:
        return phpbb.read_page(self.get(path).text, timezone=UTC, now=self.clock.now(), base_url=self.forum.url)


@pytest.fixture
def browser() -> Iterator[Browser]:
    clock = Clock()
    with PracticeForum(clock=clock.now) as forum:
        for name in ("Host", "Anna"):
            forum.add_user(name)
        forum.add_topic("The <Lighthouse> & co", "Host", "Hello")
        yield Browser(forum, clock)


def error(answer: requests.Response) -> str:
    found = html.fromstring(answer.text).xpath("//p[@class='error'] | //div[@class='error'] | //div[@id='message']//p")
    return str(found[0].text_content()) if found else ""


def test_login_gives_three_cookies_and_a_redirect(browser: Browser) -> None:
    answer = browser.login()
    assert [hop.status_code for hop in answer.history] == [302]
    assert "index.php?sid=" in answer.url
    assert set(browser.http.cookies.keys()) == {"practice_u", "practice_k", "practice_sid"}
    assert "mode=logout" in answer.text


def test_wrong_passwords_end_in_a_captcha(browser: Browser) -> None:
    for _ in range(3):
        assert "incorrect password" in error(browser.login(password="no"))
    answer = browser.login()
    assert "CAPTCHA" in error(answer)
    assert "confirm_code" in answer.text


def test_a_form_holds_from_one_second_to_two_hours(browser: Browser) -> None:
    browser.login()
    for seconds, fine in ((0, False), (1, True), (7200, True), (7201, False)):
        browser.clock.sleep(60)
        action, fields = browser.form("posting.php?mode=reply&t=3", "postform")
        for _ in range(4):  # the session must not end meanwhile
            browser.clock.sleep(seconds / 4)
            browser.get("index.php")
        before = len(browser.forum.posts(3))
        answer = browser.send(action, fields, message=f"after {seconds}", post="Submit")
        assert (len(browser.forum.posts(3)) - before == 1) is fine
        assert fine or "form was invalid" in error(answer)
        browser.login()


def test_a_form_of_another_session_is_refused(browser: Browser) -> None:
    browser.login()
    action, fields = browser.form("posting.php?mode=reply&t=3", "postform")
    other = Browser(browser.forum, browser.clock)
    other.login("Anna")
    assert "form was invalid" in error(other.send(action, fields, message="x", post="Submit"))


def test_a_session_ends_after_an_idle_hour_unless_remembered(browser: Browser) -> None:
    browser.login()
    browser.clock.sleep(3601)
    assert "mode=logout" not in browser.get("index.php").text


def test_flood_control(browser: Browser) -> None:
    browser.login()
    browser.reply("one")
    assert "so soon after your last" in error(browser.reply("two"))
    browser.clock.sleep(15)
    browser.reply("three")
    assert [post.text for post in browser.forum.posts(3)] == ["Hello", "one", "three"]


def test_somebody_posted_meanwhile(browser: Browser) -> None:
    browser.login()
    action, fields = browser.form("posting.php?mode=reply&t=3", "postform")
    browser.forum.post(3, "Anna", "first")
    browser.clock.sleep(1)
    answer = browser.send(action, fields, message="mine", post="Submit")
    assert "Somebody was quicker" in answer.text
    assert "mine" in answer.text
    assert len(browser.forum.posts(3)) == 2


def test_the_newest_post_is_edited_without_a_note_and_others_with_one(browser: Browser) -> None:
    last = browser.forum.post(3, "Anna", "a")
    browser.forum.edit(last, "b")
    browser.forum.edit(3, "c")
    assert [(post.text, post.edited) for post in browser.page("viewtopic.php?t=3").posts] == [("c", True), ("b", False)]


def test_pages_orders_and_ends(browser: Browser) -> None:
    for number in range(24):
        browser.forum.post(3, "Anna", str(number))
    assert browser.page("viewtopic.php?t=3&start=13").posts[0].text == "12"
    assert browser.page("viewtopic.php?t=3&start=999").page == 3
    assert browser.page("viewtopic.php?p=15").page == 2
    falling = browser.page("viewtopic.php?t=3&st=0&sk=t&sd=d")
    assert [post.number for post in falling.posts[:2]] == [25, 24]


def test_a_locked_topic_shows_it_and_takes_nothing(browser: Browser) -> None:
    browser.login()
    browser.forum.lock(3)
    assert browser.page("viewtopic.php?t=3").locked
    assert "locked" in error(browser.get("posting.php?mode=reply&t=3"))


@pytest.mark.parametrize("shown", [True, False])
def test_held_posts_are_seen_by_nobody_but_their_author_until_approved(browser: Browser, shown: bool) -> None:
    browser.forum.moderate("Host", shown=shown)
    browser.login()
    assert "approved" in error(browser.reply("held"))
    assert [post.deleted for post in browser.page("viewtopic.php?t=3").posts] == [False, True][: 1 + shown]
    guest = Browser(browser.forum, browser.clock)
    assert len(guest.page("viewtopic.php?t=3").posts) == 1
    browser.forum.approve(3)
    assert [post.deleted for post in guest.page("viewtopic.php?t=3").posts] == [False, False]


def test_marks_only_where_wanted(browser: Browser) -> None:
    assert "ETag" not in browser.get("viewtopic.php?t=3").headers
    with PracticeForum(clock=browser.clock.now, marks=True) as forum:
        forum.add_user("Host")
        forum.add_topic("T", "Host", "x")
        reader = Browser(forum, browser.clock)
        reader.get("index.php")
        mark = reader.get("viewtopic.php?t=3").headers["ETag"]
        assert reader.get("viewtopic.php?t=3", headers={"If-None-Match": mark}).status_code == 304
        forum.post(3, "Host", "y")
        assert reader.get("viewtopic.php?t=3", headers={"If-None-Match": mark}).status_code == 200


def test_a_private_message_is_for_its_two_ends(browser: Browser) -> None:
    browser.forum.send_pm("Host", "Anna", "psst", "You are the thief")
    browser.forum.add_user("Eve")
    browser.login("Eve")
    assert "thief" not in browser.get("ucp.php?i=pm&mode=view&f=0&p=1").text
    assert "psst" not in browser.get("ucp.php?i=pm&folder=inbox").text


@pytest.mark.parametrize("kind", sorted(FAULTS))
def test_every_fault_happens_once_and_is_no_topic(browser: Browser, kind: str) -> None:
    browser.forum.add_topic("Another", "Anna", "elsewhere")
    browser.forum.fault(kind, path="viewtopic")
    try:
        answer = browser.get("viewtopic.php?t=3", allow_redirects=False)
    except requests.RequestException:
        assert kind in ("no_answer", "hang_up", "lost_answer", "late_answer", "broken_page")
    else:
        if kind not in ("expired", "form_again"):
            try:
                page = phpbb.read_page(answer.text, timezone=UTC, now=browser.clock.now(), base_url=browser.forum.url)
            except NotTheTopic:
                pass
            else:
                assert page.topic_id == "4"
    assert browser.page("viewtopic.php?t=3").topic_id == "3"


def test_an_unknown_fault_is_a_mistake(browser: Browser) -> None:
    with pytest.raises(ValueError, match="no fault"):
        browser.forum.fault("lost_anwser")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[b][color=red]Vote: PT[/color][/b]", '<strong class="text-strong"><span style="color:red">Vote: PT</span></strong>'),
        ("[b][color=red]x[/b][/color] y", '<strong class="text-strong"><span style="color:red">x</span></strong> y'),
        ("[b]open", '<strong class="text-strong">open</strong>'),
        ("[code][b]x[/b][/code]", '<div class="codebox"><p>Code: <a href="#">Select all</a></p><pre><code>[b]x[/b]</code></pre></div>'),
        ("[vote]Anna[/vote] [/b]", "[vote]Anna[/vote] [/b]"),
        ("<script>alert(1)</script> &amp;", "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;"),
        ('[color=red" onmouseover="x]a[/color]', '[color=red" onmouseover="x]a[/color]'),
        ("[url=javascript:alert(1)]a[/url]", "[url=javascript:alert(1)]a[/url]"),
        ("a\nb", "a<br>\nb"),
        ("[quote]x[/quote]\ny", '<blockquote class="uncited"><div>x</div></blockquote>\ny'),
        ("[list][*]a\n[*]b[/list]", "<ul><li>a</li>\n<li>b</li></ul>"),
        ("x\0<b>\0y", "x&lt;b&gt;y"),
    ],
)  # fmt: skip
def test_bbcode_becomes_what_phpbb_makes_of_it(text: str, shown: str) -> None:
    assert render(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "[b][color=red]Vote: PT[/color][/b] then [s]no[/s] :)",
        '[quote="O\'Brien & Sons" post_id=10 time=1794511576 user_id=65][quote=Host]in[/quote][b]a[/b][/quote]\nNo.',
        "[code][b]Vote: PT[/b][/code]\nafter",
        "[list=1][*]a[*][i]b[/i][/list]",
        "[size=150]big[/size] [url=http://x.example/a?b=1]there[/url] مریم 👍",
        "[spoiler][u]x[/u][/spoiler] y",
    ],
)
def test_what_is_typed_is_read_back(browser: Browser, text: str) -> None:
    browser.forum.post(3, "Anna", text)
    (_, post) = browser.page("viewtopic.php?t=3").posts

    def plain(bbcode: str) -> str:
        return "".join(bbcode.replace(" post_id=10 time=1794511576 user_id=65", "").split()).replace('"', "")

    assert plain(post.bbcode) == plain(text)


def test_names_and_titles_inject_nothing(browser: Browser) -> None:
    name = "<img src=x onerror=alert(1)>"
    browser.forum.add_user(name)
    browser.forum.add_topic("{{ 7*7 }}</title><script>", name, "x")
    page = browser.get("viewtopic.php?t=4").text
    assert "<img src=x" not in page
    assert "<script" not in page
    assert "{{ 7*7 }}" in page
    read = browser.page("viewtopic.php?t=4")
    assert (read.title, read.posts[0].author) == ("{{ 7*7 }}</title><script>", name)


def test_time_is_the_one_given(browser: Browser) -> None:
    browser.clock.moment += timedelta(days=40)
    browser.forum.post(3, "Anna", "later")
    assert browser.page("viewtopic.php?t=3").posts[-1].posted_at == browser.clock.now()


def test_as_a_process_of_its_own() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "demo.practice", "--user", "Host:pw", "--topic", "A game"],
        stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    try:
        assert process.stdout is not None
        site, topic = process.stdout.readline().strip(), process.stdout.readline().strip()
        assert topic.startswith(site)
        assert "A game" in requests.get(topic, timeout=5).text
    finally:
        process.terminate()
        process.wait()


def test_a_form_may_come_back_and_a_post_stand_behind_an_error(browser: Browser) -> None:
    browser.login()
    browser.forum.fault("form_again", path="posting.php", method="POST")
    assert "postform" in browser.reply("lost").text
    browser.forum.fault("error_after", path="posting.php", method="POST")
    assert browser.reply("there").status_code == 502
    assert [post.text for post in browser.forum.posts(3)] == ["Hello", "there"]
