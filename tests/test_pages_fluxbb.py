"""FluxBB's pages: real ones where they are at hand, every post as typed and at its second; and some of our own writing."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scraper import fluxbb
from scraper.model import NotTheTopic
from scraper.saved import detect, read_saved

CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures")) / "fluxbb-1.5.11"
captured = pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captured pages here")
PAGES = sorted(path.name for path in CAPTURES.glob("topic-*.html"))
OTHERS = sorted({path.name for path in CAPTURES.glob("*.html")} - set(PAGES))
NOW = datetime(2026, 11, 17, 21, 30, tzinfo=UTC)


@cache
def truth() -> dict[str, Any]:
    told: dict[str, Any] = json.loads((CAPTURES / "truth.json").read_text(encoding="utf-8"))
    return told


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def simplified(source: str) -> str:
    """A source without what no page shows: the kind of a list, headings, how a quote's name is written, the ends of items."""
    source = re.sub(r'\[quote="(.*?)"\]', r"[quote=\1]", source)
    source = re.sub(r"\[/?h\]|\[/\*\]|\[/?noparse\]", "", source).replace("[list=*]", "[list]")
    source = re.sub(r"\[url=https?://(.*?)\]\1\[/url\]", r"[url]\1[/url]", source)
    return re.sub(r"\s+", "", source)


@captured
@pytest.mark.parametrize("page", PAGES)
def test_every_post_of_a_real_page(page: str) -> None:
    told = truth()
    raw = (CAPTURES / page).read_bytes()
    assert detect(raw) == "fluxbb"
    read = fluxbb.read_page(raw, timezone=UTC, now=moment(told["captured_at"]), base_url="https://forum.example/")
    known = {str(post["post_id"]): post for post in told["posts"]}
    if page == "topic-locked.html":
        assert (read.topic_id, read.title, read.locked) == (told["thread"]["other_topic_id"], "Sign-ups for the next game", True)
        return
    assert (read.topic_id, read.title, read.locked) == (told["thread"]["topic_id"], told["thread"]["title"], False)
    assert read.signed_in == ("guest" not in page)
    assert (read.pages, read.per_page) == (3, 25 if read.page < 3 else None)
    assert [post.number for post in read.posts] == [known[post.id]["n"] for post in read.posts]
    for post in read.posts:
        wanted = known[post.id]
        assert (post.author, post.author_id) == (wanted["author"], told["accounts"][wanted["author"]]["user_id"])
        assert post.posted_at == moment(wanted["posted_at"])
        assert post.url == f"https://forum.example/viewtopic.php?pid={post.id}#p{post.id}"
        assert post.edited_at == (moment(wanted["edited_at"]) if post.edited else None)
        assert simplified(post.bbcode) == simplified(wanted["edit_form_source"])


@captured
def test_the_whole_real_thread() -> None:
    told = truth()
    thread = read_saved(sorted(CAPTURES.glob("topic-0*.html"), reverse=True), forum=None, timezone=UTC, now=moment(told["captured_at"]))
    assert [post.id for post in thread.posts] == [str(post["post_id"]) for post in told["posts"]]
    edited = {post.id for post in thread.posts if post.edited}
    assert edited <= {str(post["post_id"]) for post in told["posts"] if post["edited"]}
    assert len(edited) == 5
    assert thread.notes == ()


@captured
@pytest.mark.parametrize("page", OTHERS)
def test_no_other_real_page_is_a_topic(page: str) -> None:
    with pytest.raises(NotTheTopic):
        fluxbb.read_page((CAPTURES / page).read_bytes(), timezone=UTC, now=NOW)


# ---------------------------------------------------------------------- pages of our own writing


def post(number: int, body: str, *, date: str = "2026-11-12 18:00:00", author: str = '<a href="profile.php?id=4">Ann</a>') -> str:
    return (
        f'<div id="p{number + 10}" class="blockpost roweven"><h2><span><span class="conr">#{number}</span> '
        f'<a href="viewtopic.php?pid={number + 10}#p{number + 10}">{date}</a></span></h2><div class="box"><dl><dt><strong>{author}'
        f'</strong></dt><dd class="usertitle"><strong>Member</strong></dd></dl><div class="postright"><h3>Re: T</h3>'
        f'<div class="postmsg">{body}</div><div class="postsignature postmsg"><hr /><p>sig <strong><span style="color: red">Vote: Bo'
        "</span></strong></p></div></div></div></div>"
    )


def topic(*posts: str, bar: str = '<strong class="item1">1</strong>', link: str = '<a href="post.php?tid=7">Antwort</a>', head: str = "") -> str:
    crumbs = '<ol class="crumbs"><li><a href="index.php">I</a></li><li><strong><a href="viewtopic.php?id=7">The Lamp</a></strong></li></ol>'
    return (
        '<html lang="de"><head><title>The Lamp / B</title></head><body><div id="punviewtopic" class="pun">'
        f'{head}{crumbs}<p class="pagelink conl"><span class="pages-label">Seiten: </span>{bar}</p><p class="postlink conr">{link}</p>'
        f"{''.join(posts)}</div></body></html>"
    )


def read(*posts: str, **given: str) -> Any:
    return fluxbb.read_page(topic(*posts, **given), timezone=timezone(timedelta(hours=2)), now=NOW)


def test_the_signature_is_not_the_post_and_the_edit_note_is_not_in_it() -> None:
    note = '<p class="postedit"><em>Zuletzt geändert von Kit (2020-01-01 10:00:00) (Gestern 23:30:15)</em></p>'
    told = read(post(1, f"<p>Some words.</p>{note}")).posts[0]
    assert (told.bbcode, told.text, told.edited) == ("Some words.", "Some words.", True)
    assert told.edited_at == datetime(2026, 11, 16, 21, 30, 15, tzinfo=UTC)
    assert told.posted_at == datetime(2026, 11, 12, 16, 0, 0, tzinfo=UTC)
    assert not read(post(1, "<p>Some words.</p>")).posts[0].edited


def test_who_shows_no_profile_is_known_by_name() -> None:
    told = read(post(1, "<p>x</p>", author="O&#039;Brien &amp; [Ghost]")).posts[0]
    assert (told.author, told.author_id) == ("O'Brien & [Ghost]", None)


def test_words_that_look_like_parts_of_a_page_stay_words() -> None:
    typed = "&lt;/div&gt;&lt;div id=&quot;p99&quot; class=&quot;blockpost&quot;&gt; [b]x[/b] id=\"phpbb\" phpbb.com/ viewtopic.php my_post_key"
    page = topic(post(1, f"<p>{typed}</p>"), post(2, '<p><a href="viewtopic.php?id=99" rel="nofollow">there</a></p>'))
    assert detect(page) == "fluxbb"
    told = fluxbb.read_page(page, timezone=UTC, now=NOW)
    assert (told.topic_id, len(told.posts)) == ("7", 2)
    assert told.posts[0].bbcode.startswith('</div><div id="p99" class="blockpost"> [noparse][b][/noparse]x[noparse][/b][/noparse]')


def test_smilies_come_back_as_typed_and_struck_words_as_struck() -> None:
    smile = '<img src="https://forum.example/img/smilies/big_smile.png" width="15" height="15" alt="big_smile" />'
    struck = '<strong><span class="bbs"><span style="color: red">Vote: Bo</span></span></strong> <span class="bbu">no</span>'
    told = read(post(1, f"<p>{smile} {struck}</p>")).posts[0]
    assert told.bbcode == ":D [b][s][color=red]Vote: Bo[/color][/s][/b] [u]no[/u]"


def test_quotes_and_code_as_punbb_boxes_them() -> None:
    quote = '<blockquote><div class="incqbox"><h4>Bo wrote:</h4><p>vote: Cy</p></div></blockquote>'
    code = '<div class="codebox"><div class="incqbox"><h4>Code:</h4><div class="scrollbox"><pre>vote: Di</pre></div></div></div>'
    told = read(post(1, f"<p>{quote}</p><p>vote: <strong>Ed</strong></p>{code}<p>end</p>")).posts[0]
    assert told.bbcode == "[quote=Bo]vote: Cy[/quote]\nvote: [b]Ed[/b]\n[code]vote: Di[/code]\nend"
    assert "Cy" not in told.text


def test_where_a_page_stands() -> None:
    far = (
        '<a rel="prev" class="item1" href="viewtopic.php?id=7&amp;p=2">Seite zurück</a> <a href="viewtopic.php?id=7">1</a> '
        '<strong>3</strong> <span class="spacer">…</span> <a href="viewtopic.php?id=7&amp;p=1204">1.204</a> '
        '<a rel="next" href="viewtopic.php?id=7&amp;p=4">Weiter</a>'
    )
    told = read(post(51, "<p>x</p>"), post(52, "<p>y</p>"), bar=far)
    assert (told.page, told.pages, told.per_page, [one.number for one in told.posts]) == (3, 1204, 2, [51, 52])
    assert read(post(1, "<p>x</p>")).per_page is None


@pytest.mark.parametrize(
    ("link", "locked"),
    [("Thema geschlossen", True), ('Thema geschlossen / <a href="post.php?tid=7">Antwort</a>', False), ("", False)],
)
def test_a_closed_topic_that_a_moderator_may_still_answer_is_not_locked(link: str, locked: bool) -> None:
    assert read(post(1, "<p>x</p>"), link=link).locked == locked


def test_who_is_signed_in_is_told_by_the_head_alone() -> None:
    assert not read(post(1, '<p><a href="login.php?action=out&amp;logout">x</a></p>')).signed_in
    assert read(post(1, "<p>x</p>"), head='<ul><li id="navlogout"><a href="login.php?action=out">Ab</a></li></ul>').signed_in


@pytest.mark.parametrize("broken", ["", "<html><body>", '<html><body><div id="pun" class="pun"></div></body></html>'])
def test_what_is_no_topic(broken: str) -> None:
    with pytest.raises(NotTheTopic):
        fluxbb.read_page(broken, timezone=UTC, now=NOW)


def test_a_notice_is_told() -> None:
    page = '<html><body><div id="punviewtopic" class="pun"><div id="msg"><p>Kein Zutritt.</p></div></div></body></html>'
    with pytest.raises(NotTheTopic, match="Kein Zutritt"):
        fluxbb.read_page(page, timezone=UTC, now=NOW)
