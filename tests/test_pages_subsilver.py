"""phpBB 3 in its second style, subsilver2, which puts each post into a table of its own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scraper import phpbb
from scraper.model import NotTheTopic

NOW = datetime(2013, 11, 29, 20, 15, tzinfo=UTC)
SIGNED = '<div class="postbody"><br />_________________<br />Vote: nobody</div>'
BY_ANN = '<br /><br /><span class="gensmall">Sist endret av <a href="./memberlist.php?mode=viewprofile&amp;u=9">Mod</a> '
BY_ANN += "on Mon Nov 04, 2013 10:15 am, endret 1 gang.</span>"


def post(number: int, author: str, body: str, *, account: int = 0, after: str = "", foot: str = "") -> str:
    profile = f'<a href="./memberlist.php?mode=viewprofile&amp;u={account}&amp;sid=5"><img src="x.gif" alt="P"></a>' if account else ""
    own = f'<a href="./viewtopic.php?p={number}&amp;sid=5#p{number}"><img src="t.gif" alt="Post"></a>'
    return (
        f'<table class="tablebg" width="100%"><tr class="row1"><td><a name="p{number}"></a>'
        f'<b class="postauthor" style="color: #AA0000">{author}</b></td><td><table><tr><td class="gensmall">'
        f'<div style="float: left;">&nbsp;<b>Emne:</b> Re: 12:30 it</div><div style="float: right;">{own}<b>Skrevet:</b> '
        f"Mon Nov 04, 2013 9:{number % 60:02} am&nbsp;</div></td></tr></table></td></tr>"
        f'<tr class="row1"><td class="profile"><span class="postdetails"><br /><b>Innlegg:</b> 12</span></td><td><table><tr><td>'
        f'<div class="postbody">{body}</div>{after}<br clear="all" /><table><tr><td class="gensmall"></td></tr></table></td></tr></table>'
        f'</td></tr><tr class="row1"><td class="profile"><a href="#wrapheader">Topp</a></td><td>{profile}{foot}</td></tr></table>'
    )


def page(*posts: str, place: tuple[int, int] = (1, 1), links: str = "", head: str = "", start: int = 0) -> str:
    return (
        '<html dir="ltr" lang="nb"><head><title>Board &bull; It</title><link href="./styles/subsilver2/theme/stylesheet.css"></head>'
        f'<body class="ltr"><div id="wrapheader">{head}</div><div id="wrapcentre"><div id="pageheader"><h2><a class="titles" '
        f'href="./viewtopic.php?f=2&amp;t=7&amp;start={start}&amp;sid=5">The pier</a></h2></div><table><tr>'
        f'<td class="nav">&nbsp;Side <strong>{place[0]}</strong> av <strong>{place[1]}</strong><br /></td><td class="gensmall">'
        f'&nbsp;[ 25 innlegg ]&nbsp;</td><td class="gensmall"><b>{links}</b></td></tr></table>{"".join(posts)}</div>'
        'Powered by <a href="http://www.phpbb.com/">phpBB</a></body></html>'
    )


def test_posts_of_subsilver() -> None:
    quote = '<div class="quotetitle">Bo wrote:</div><div class="quotecontent">Vote: Cy</div>'
    code = '<div class="codetitle"><b>Kode:</b></div><div class="codecontent">Vote: Di</div>'
    bold = '<span style="font-weight: bold"><span style="color: #FF0000">Vote: Ed</span></span>'
    found = phpbb.read_page(
        page(
            post(101, "Ann", f"{quote}<br />{bold}<br />{code}", account=3, after=SIGNED + BY_ANN),
            post(102, "A guest", "hello"),
            post(103, "Bo", "not yet", account=4, foot='<a href="./mcp.php?i=queue&amp;mode=approve_details&amp;p=103">!</a>'),
        ),
        timezone=UTC, now=NOW,
    )  # fmt: skip
    assert (found.topic_id, found.title, found.page, found.pages) == ("7", "The pier", 1, 1)
    ann, guest, held = found.posts
    assert (ann.id, ann.author, ann.author_id, ann.number) == ("101", "Ann", "3", 1)
    assert ann.posted_at == datetime(2013, 11, 4, 9, 41, tzinfo=UTC)
    assert ann.edited_at == datetime(2013, 11, 4, 10, 15, tzinfo=UTC)
    assert ann.bbcode == "[quote=Bo]Vote: Cy[/quote]\n[b][color=#FF0000]Vote: Ed[/color][/b]\n[code]Vote: Di[/code]"
    assert (guest.author, guest.author_id, guest.bbcode, guest.edited) == ("A guest", None, "hello", False)
    assert held.deleted


@pytest.mark.parametrize("place", [1, 2, 3])
def test_where_a_page_of_subsilver_stands(place: int) -> None:
    links = ", ".join(
        f"<strong>{n}</strong>" if n == place else f'<a href="./viewtopic.php?f=2&amp;t=7&amp;sid=5&amp;start={10 * n - 10}">{n}</a>'
        for n in (1, 2, 3)
    )
    found = phpbb.read_page(page(post(140, "Ann", "x"), place=(place, 3), links=links, start=10 * place - 10), timezone=UTC, now=NOW)
    assert (found.page, found.pages, found.per_page) == (place, 3, 10)
    assert found.posts[0].number == 10 * place - 9


@pytest.mark.parametrize(("button", "locked"), [("button_topic_locked", True), ("button_topic_reply", False)])
def test_a_locked_topic_of_subsilver(button: str, locked: bool) -> None:
    foot = f'<a href="./posting.php?mode=reply&amp;f=2&amp;t=7"><img src="./styles/subsilver2/imageset/nb/{button}.gif"></a>'
    assert phpbb.read_page(page(post(101, "Ann", "x") + foot), timezone=UTC, now=NOW).locked is locked


def test_the_last_of_two_pages_of_subsilver_tells_how_many_stood_before_it() -> None:
    links = '<a href="./viewtopic.php?f=2&amp;t=7&amp;start=0">1</a>, <strong>2</strong>'
    found = phpbb.read_page(page(post(140, "Ann", "x"), place=(2, 2), links=links, start=20), timezone=UTC, now=NOW)
    assert (found.page, found.pages, found.per_page, found.posts[0].number) == (2, 2, 20, 21)


def test_a_topic_is_told_by_its_own_title_and_not_by_a_link_above() -> None:
    text = page(post(101, "Ann", "x", account=3), head='<a href="./viewtopic.php?f=1&amp;t=99">Rules</a>')
    assert phpbb.read_page(text, timezone=UTC, now=NOW).topic_id == "7"


def test_an_ignored_author_of_subsilver_is_not_left_out() -> None:
    hidden = '<table class="tablebg"><tr class="row2"><td class="gensmall" colspan="2"><a name="p102"></a>Bo: ignorert.</td></tr></table>'
    with pytest.raises(NotTheTopic):
        phpbb.read_page(page(post(101, "Ann", "x"), hidden), timezone=UTC, now=NOW)


def test_a_style_with_all_posts_in_one_table_is_refused() -> None:
    text = page(post(101, "Ann", "x"), post(102, "Bo", "y")).replace('</table><table class="tablebg" width="100%">', "")
    with pytest.raises(NotTheTopic, match="style that cannot be read"):
        phpbb.read_page(text, timezone=UTC, now=NOW)
