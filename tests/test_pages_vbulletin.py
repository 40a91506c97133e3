"""vBulletin's pages, 3 and 4, as the public record has them: posts, quotes, dates, places, and what is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from scraper import vbulletin
from scraper.model import NotTheTopic
from scraper.saved import detect, read_saved
from tests.vbulletin_kit import SITE, Board

BOTH = pytest.mark.parametrize("version", [3, 4])
NOW = datetime(2026, 11, 17, 21, 30, tzinfo=UTC)

QUOTE_3 = (
    '<div style="margin:20px; margin-top:5px; "><div class="smallfont" style="margin-bottom:2px">Zitat:</div><table width="100%"><tr>'
    '<td class="alt2" style="border:1px inset"><div>Zitat von <strong>{name}</strong> <a href="showthread.php?p=9#post9" rel="nofollow">'
    '<img class="inlineimg" src="images/buttons/viewpost.gif" border="0" alt="Beitrag" /></a></div><div style="font-style:italic">{text}'
    "</div></td></tr></table></div>"
)
PANEL_3 = (
    '<div style="margin:1rem"><div><label>Zitat:</label></div><div class="panel alt2" style="border:1px inset"><div>Zitat von <strong>{name}'
    '</strong> <a href="x.html#post9"><i class="fa-arrow"></i></a></div><div style="font-style:italic">{text}</div></div></div>'
)
QUOTE_4 = (
    '<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div class="bbcode_quote_container"></div>'
    '<div class="bbcode_postedby"><img src="images/misc/quote_icon.png" alt="Zitat" /> Zitat von <strong>{name}</strong> '
    '<a href="showthread.php?p=9#post9" rel="nofollow"><img class="inlineimg" src="v.png" alt="Beitrag" /></a></div>'
    '<div class="message">{text}</div></div></div></div>'
)
BARE_3 = (
    '<div style="margin:20px"><div class="smallfont">Zitat:</div><table><tr><td class="bbcodeblock">{text}</td></tr></table></div>'
)
BARE_4 = (
    '<div class="bbcode_container"><div class="bbcode_quote"><div class="quote_container"><div class="bbcode_quote_container"></div>'
    "{text}</div></div></div>"
)
CODE_3 = '<div style="margin:20px"><div class="smallfont">Code:</div><pre class="alt2" dir="ltr">{text}</pre></div>'
CODE_4 = '<div class="bbcode_container"><div class="bbcode_description">Code:</div><pre class="bbcode_code" style="height:3em;">{text}</pre></div>'


def shown(version: int, body: str) -> tuple[str, str]:
    """The BBCode and the text of a post whose HTML is `body`."""
    board = Board(version=version)
    board.say("Anna", "HERE")
    page = board.topic({"t": "7"})[2].replace("HERE", body)
    post = vbulletin.read_page(page, timezone=UTC, now=NOW).posts[0]
    return post.bbcode, post.text


def read(board: Board, **given: Any) -> Any:
    return vbulletin.read_page(board.topic({"t": "7"})[2], timezone=UTC, now=board.clock.now(), **given)


@BOTH
@pytest.mark.parametrize("name", ["Abs.", "O&#8217;Brien &amp; Sons", "[Ghost]", "schrieb: 12.10.2020", "a &quot;b&quot; c"])
def test_quotes_tell_whom_they_quote_and_are_not_the_posts_words(version: int, name: str) -> None:
    quote = QUOTE_3 if version == 3 else QUOTE_4
    vote = '<b><font color="red">Vote: Bo</font></b>'
    bbcode, text = shown(version, quote.format(name=name, text=vote) + f"No. {vote}")
    plain = name.replace("&#8217;", "’").replace("&amp;", "&").replace("&quot;", '"')
    assert text == "No. Vote: Bo"
    assert bbcode.endswith("[b][color=red]Vote: Bo[/color][/b][/quote]\nNo. [b][color=red]Vote: Bo[/color][/b]")
    assert plain in bbcode.partition("]")[0] + bbcode[:60]


@BOTH
def test_quotes_in_quotes_and_quotes_of_nobody(version: int) -> None:
    quote, bare = (QUOTE_3, BARE_3) if version == 3 else (QUOTE_4, BARE_4)
    inner = quote.format(name="Bo", text="deep")
    bbcode, text = shown(version, quote.format(name="Ann", text=f"{inner}less deep") + bare.format(text=f"{inner}nobody") + "own")
    assert bbcode == "[quote=Ann][quote=Bo]deep[/quote]\nless deep[/quote]\n[quote][quote=Bo]deep[/quote]\nnobody[/quote]\nown"
    assert text == "own"


def test_quotes_of_a_newer_skin_of_3_are_not_the_posts_words() -> None:
    vote = '<b><font color="red">Vote: Bo</font></b>'
    inner = PANEL_3.format(name="Bo", text=vote)
    bbcode, text = shown(3, PANEL_3.format(name="Ann", text=f"{inner}less deep") + "own")
    assert bbcode == "[quote=Ann][quote=Bo][b][color=red]Vote: Bo[/color][/b][/quote]\nless deep[/quote]\nown"
    assert text == "own"
    bare = '<div style="margin:1rem"><div><label>Zitat:</label></div><div class="panel alt2">Vote: Bo</div></div>own'
    assert shown(3, bare) == ("[quote]Vote: Bo[/quote]\nown", "own")
    loose = (
        '<div style="margin:20px"><div class="smallfont">Zitat:</div> <div>Zitat von <strong>Ann</strong> <a href="x-post9.html#post9"><span'
        f' class="sprite inlineimg">Zum Beitrag</span></a></div> <div class="postquote" style="font-style:italic">{inner}less</div> </div>own'
    )
    assert shown(3, loose) == ("[quote=Ann][quote=Bo][b][color=red]Vote: Bo[/color][/b][/quote]\nless[/quote]\nown", "own")


@BOTH
def test_quotes_in_boxes_of_any_skin_are_known_by_the_link_to_the_post(version: int) -> None:
    box = (
        '<section><header>Zitat von <strong>{name}</strong> <a href="x.html#post9" rel="nofollow"><svg></svg></a></header>'
        "<div>{text}</div></section>"
    )
    inner = box.format(name="Bo", text="Vote: Bo")
    bbcode, text = shown(version, f"a{box.format(name='Ann', text='Vote: Cy')}b{box.format(name='Ann', text=f'<div>{inner}x</div>')}c")
    assert text == "a\nb\nc"
    assert bbcode.count("[quote=Ann]") == 2
    assert "[quote=Bo]Vote: Bo[/quote]" in bbcode
    own = 'Wie <strong>Bo</strong> <a href="x.html#post9">hier</a> sagt<p>Vote: Bo</p>'
    assert shown(version, own)[1].endswith("Vote: Bo")
    picture = '<strong>Bo</strong> <a href="x.html#post9"><img src="it.png" alt=""></a>'
    for words in (f"<li>{picture}</li>", f"<li>See {picture} there</li>"):
        assert shown(version, f"<ul>{words}<li>Vote: Bo</li></ul>")[1].endswith("Vote: Bo")


@BOTH
def test_what_is_indented_is_no_quote(version: int) -> None:
    bbcode, text = shown(version, 'x<blockquote><b><font color="red">Vote: Bo</font></b></blockquote>y')
    assert (bbcode, text) == ("x\n[b][color=red]Vote: Bo[/color][/b]\ny", "x\nVote: Bo\ny")


@BOTH
def test_a_control_sign_in_a_quote_stops_nothing(version: int) -> None:
    quote = QUOTE_3 if version == 3 else QUOTE_4
    assert shown(version, quote.format(name="A\x1fnn", text="a\x0bb\x1f") + "\x01own")[0].startswith("[quote=Ann]ab[/quote]")


def test_a_quote_of_nobody_that_holds_two_boxes_names_nobody() -> None:
    boxes = '<div align="center">one <b>two</b></div><div align="right">three</div>'
    assert shown(3, f"{BARE_3.format(text=boxes)}own") == ("[quote]one [b]two[/b]\nthree[/quote]\nown", "own")
    assert shown(4, f"{BARE_4.format(text=f'before{boxes}')}own")[0].startswith("[quote]before")


@BOTH
def test_code_and_colours_and_smilies(version: int) -> None:
    code = (CODE_3 if version == 3 else CODE_4).format(text="[b]Vote: Bo[/b]\n  x &lt; y")
    smile = '<img src="images/smilies/g.gif" border="0" alt="" title="Big Grin" class="inlineimg" />'
    bbcode, _ = shown(version, f'{code}<font size="4"><font color="#FF0000"><b>Hm</b></font></font> {smile}<br />\n<i>i</i> <u>u</u>')
    assert bbcode == "[code][b]Vote: Bo[/b]\n  x < y[/code]\n[size=4][color=#FF0000][b]Hm[/b][/color][/size] Big Grin\n[i]i[/i] [u]u[/u]"


def test_a_spoiler_as_boards_of_3_build_one() -> None:
    lid = '<div class="smallfont"><b>Spoiler</b>: <input type="button" value="Show" /></div>'
    box = f'<div style="margin:20px">{lid}<div class="alt2"><div style="display: none;"><b>Vote: Bo</b></div></div></div>'
    assert shown(3, f"x{box}y")[0].split("\n")[1:] == ["[spoiler][b]Vote: Bo[/b][/spoiler]", "y"]
    opened_by_a_link = box.replace('<input type="button" value="Show" />', '<a href="#" onclick="x()">Show</a>')
    direct = opened_by_a_link.replace('"alt2"><div style="display: none;">', '"alt2" style="display:none"><div>')
    for each in (opened_by_a_link, direct):
        assert "[spoiler][b]Vote: Bo[/b][/spoiler]" in shown(3, f"x{each}y")[0].replace("\n", "")
        assert "quote" not in shown(3, f"x{each}y")[0]


@BOTH
def test_everything_about_a_post(version: int) -> None:
    board = Board(version=version, user="Host")
    board.say("O'Brien & [Ghost]", "It <begins>.")
    board.clock.moment += timedelta(hours=2)
    board.posts[0].edited, board.posts[0].reason = board.clock.now(), "Gestern 07:00 12-12-2020"
    page = read(board, base_url=SITE)
    post = page.posts[0]
    assert (page.topic_id, page.title, page.page, page.pages, page.signed_in, page.locked) == ("7", "The Lamp", 1, 1, True, False)
    assert (post.id, post.number, post.author, post.author_id) == ("61", 1, "O'Brien & [Ghost]", "4")
    assert (post.bbcode, post.edited, post.deleted) == ("It <begins>.", True, False)
    assert post.posted_at == datetime(2026, 11, 12, 18, 0, tzinfo=UTC)
    assert post.edited_at == datetime(2026, 11, 12, 20, 0, tzinfo=UTC)
    assert post.url == f"{SITE}showthread.php?p=61#post61"


@BOTH
@pytest.mark.parametrize("falling", [False, True])
def test_pages_in_either_order(version: int, falling: bool) -> None:
    board = Board(version=version, falling=falling, size=4)
    for number in range(10):
        board.say("Anna", f"words {number}")
    pages = [
        vbulletin.read_page(board.topic({"t": "7", "page": str(n)})[2], timezone=UTC, now=NOW) for n in (1, 2, 3)
    ]  # fmt: skip
    assert [(page.page, page.pages, page.per_page) for page in pages] == [(1, 3, 4), (2, 3, 4), (3, 3, 4)]
    numbers = [post.number for page in pages for post in page.posts]
    assert numbers == list(range(10, 0, -1) if falling else range(1, 11))


@BOTH
def test_saved_pages_in_any_order_make_the_thread(version: int, tmp_path: Path) -> None:
    board = Board(version=version, zone=2, date="%d.%m.%Y, %H:%M")
    for number in range(25):
        board.clock.moment += timedelta(hours=3)
        board.say(("Anna", "Boris")[number % 2], f"words {number}")
    files = []
    for n in (3, 1, 2):
        files.append(tmp_path / f"{n}.html")
        files[-1].write_text(board.topic({"t": "7", "page": str(n)})[2])
    thread = read_saved(files, forum=None, timezone=timezone(timedelta(hours=2)), now=board.clock.now())
    assert (thread.forum, thread.topic_id, thread.notes) == ("vbulletin", "7", ())
    assert [(post.number, post.posted_at) for post in thread.posts] == [(n, post.at) for n, post in enumerate(board.posts, 1)]


@BOTH
def test_posts_that_were_deleted(version: int) -> None:
    board = Board(version=version)
    for state in ("", "deleted"):
        board.say("Anna", "words").state = state
    posts = read(board).posts
    assert [(post.deleted, post.bbcode, post.author) for post in posts] == [(False, "words", "Anna"), (True, "", "Anna")]


@BOTH
@pytest.mark.parametrize(
    ("date", "wanted"),
    [
        ("Today, 07:05 PM", datetime(2026, 11, 17, 19, 5, tzinfo=UTC)),
        ("Yesterday, 07:05 PM", datetime(2026, 11, 16, 19, 5, tzinfo=UTC)),
        ("05 Minutes Ago", datetime(2026, 11, 17, 21, 25, tzinfo=UTC)),
        ("2 Days Ago", None),
        ("3 Weeks Ago", None),
    ],
)
def test_near_dates_are_read_and_vague_ones_are_not_guessed(version: int, date: str, wanted: datetime | None) -> None:
    board = Board(version=version)
    board.shown = lambda at: date  # type: ignore[method-assign]
    board.say("Anna", "words")
    page = board.topic({"t": "7"})[2].replace('lang="de"', 'lang="en"')
    assert vbulletin.read_page(page, timezone=UTC, now=NOW).posts[0].posted_at == wanted
    assert bool(vbulletin.draft_page(page).notes) == (wanted is None)


@BOTH
def test_strangers_words_build_no_page(version: int) -> None:
    board = Board(version=version)
    board.say("Anna", '</div></td></table><div id="post99"> SECURITYTOKEN = "x" phpbb.com/ viewtopic.php my_post_key mybb.com')
    board.say('"><b>x</b>', '[url]printthread.php?t=99[/url]')
    page = board.topic({"t": "7"})[2].replace("[url]printthread.php?t=99[/url]", '<a href="printthread.php?t=99">x</a>')
    told = vbulletin.read_page(page, timezone=UTC, now=NOW)
    assert detect(page) == "vbulletin"
    assert (told.topic_id, told.signed_in, [post.author for post in told.posts]) == ("7", False, ["Anna", '"><b>x</b>'])
    assert told.posts[0].bbcode.startswith("</div></td></table>")


@BOTH
def test_what_is_no_topic_is_told(version: int) -> None:
    board = Board(version=version)
    with pytest.raises(NotTheTopic, match="Kein solches Thema") as caught:
        vbulletin.read_page(board.topic({"t": "8"})[2], timezone=UTC, now=NOW)
    assert "Name" not in str(caught.value)
    board.say("Anna", "words")
    alone = board.topic({"t": "7"})[2].replace('id="posts"', "")  # a post shown by itself, or found by a search
    for page in (alone, "", "<html><body>", board.page("")[2], board.form("x", {"message": ""}, ["no"])[2]):
        with pytest.raises(NotTheTopic):
            vbulletin.read_page(page, timezone=UTC, now=NOW)


@BOTH
def test_a_closed_topic(version: int) -> None:
    board = Board(version=version, user="Host", locked=True)
    board.say("Anna", "words")
    assert read(board).locked
    board.locked = False
    assert not read(board).locked


@BOTH
def test_guests_posts(version: int) -> None:
    board = Board(version=version)
    board.say("Visitor", "words")
    page = board.topic({"t": "7"})[2]
    page = page.replace('<a class="bigusername" href="member.php?u=4">Visitor</a>', "Visitor")
    page = page.replace('<a rel="nofollow" class="username offline popupctrl" href="member.php?4-X" title="x"><strong>Visitor</strong></a>',
                        '<span class="username guest"><b>Visitor</b></span>')  # fmt: skip
    post = vbulletin.read_page(page, timezone=UTC, now=NOW).posts[0]
    assert (post.author, post.author_id) == ("Visitor", None)
