"""A page tells who wrote, when and what of every post, or it is refused: no style, theme or setting loses a post in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from parser.votelines import vote_lines
from scraper import fluxbb, invision, mybb, phpbb, smf, vbulletin, xenforo
from scraper.model import NotTheTopic
from scraper.saved import read_saved
from tests import fluxbb_kit, xenforo_kit
from tests.vbulletin_kit import Board

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
HERE = Path(__file__).parent / "pages"
TWO = [Sample(100 + n, name, 2 + n, NOW - timedelta(days=9, hours=-n), f"<b>Vote: {n}</b>") for n, name in enumerate(("Anna", "Bert"))]
SHEET = Sheet(TWO, lambda moment: moment.strftime("%d-%m-%Y, %H:%M"), total=2)


def vb(version: int) -> str:
    board = Board(version=version)
    for name in ("Anna", "Bert"):
        board.say(name, "words")
    return str(board.topic({"t": "7"})[2])


def flux() -> str:
    board = fluxbb_kit.Board()
    for name in ("Anna", "Bert"):
        board.say(name, "words")
    return str(board.topic({"id": "7"})[2])


def xen() -> str:
    board = xenforo_kit.Board()
    for name in ("Anna", "Bert"):
        board.say(name, "words")
    return str(board.topic(board.thread, 1)[2])


def test_a_style_of_phpbb_that_puts_posts_elsewhere_is_refused() -> None:
    page = forumpages.phpbb(SHEET)
    for part, other in (("content", "bubble"), ("author", "post-time")):
        with pytest.raises(NotTheTopic, match="style that cannot be read") as told:
            phpbb.read_page(page.replace(f'class="{part}"', f'class="{other}"').replace("postprofile", "p"), timezone=UTC, now=NOW)
        assert "prosilver" in told.value.advice


def test_the_second_style_of_phpbb_3_0_is_told_from_a_page_that_is_no_topic() -> None:
    page = '<html><head><title>B - It</title></head><body><a href="http://www.phpbb.com/">phpBB</a><table><tr><td><a name="p100"></a>'
    page += '<b class="postauthor">Anna</b></td><td><a href="./viewtopic.php?p=100#p100"></a><div class="postbody">Vote: Bert</div></td>'
    with pytest.raises(NotTheTopic, match="style that cannot be read"):
        phpbb.read_page(page + "</tr></table></body></html>", timezone=UTC, now=NOW)
    with pytest.raises(NotTheTopic, match="not a topic page"):
        phpbb.read_page(page.replace('name="p100"', 'name="top"') + "</tr></table></body></html>", timezone=UTC, now=NOW)


def test_a_notice_in_place_of_the_topic_is_told_in_the_forums_own_words() -> None:
    notice = '<body id="phpbb" class="section-viewtopic"><div class="panel" id="message"><h2>Blorp</h2><p>Off limits.</p></div>'
    error = '<div id="fatal_error"><h3>Blorp</h3><div class="windowbg"><div id="topic_gone" class="padding">Off limits.</div></div></div>'
    for reader, page in ((phpbb, notice), (smf, error)):
        with pytest.raises(NotTheTopic, match="says: Off limits"):
            reader.read_page(f"<html><head><title>Blorp</title></head>{page}</body></html>", timezone=UTC, now=NOW)


def test_an_ignored_author_of_phpbb_3_0_stops_the_reading(tmp_path: Path) -> None:
    old = (HERE / "phpbb-3.0.html").read_text(encoding="utf-8")
    begins, ends = old.index('<div class="postbody"'), old.index('<dl class="postprofile" id="profile51"')
    hidden = f'{old[:begins]}<div class="ignore">Von <strong>Anna</strong>, ignoriert.</div>{old[ends:]}'
    file = tmp_path / "page.html"
    file.write_text(hidden, encoding="utf-8")
    with pytest.raises(NotTheTopic, match=r"page\.html: The posts of Anna are hidden") as told:
        read_saved([file], forum="phpbb", timezone=UTC, now=NOW)
    assert "foes" in told.value.advice


@pytest.mark.parametrize("version", [3, 4])
def test_an_ignored_author_of_vbulletin_stops_the_reading(version: int) -> None:
    board = Board(version=version)
    board.say("Anna", "words").state = "ignored"
    board.say("Bert", "words")
    with pytest.raises(NotTheTopic, match="The posts of Anna are hidden"):
        vbulletin.read_page(board.topic({"t": "7"})[2], timezone=UTC, now=NOW)


@pytest.mark.parametrize(
    ("reader", "page", "part", "other"),
    [
        (mybb, forumpages.mybb(SHEET), 'id="pid_', 'id="said_'),
        (mybb, forumpages.mybb(SHEET), '<div class="post ', '<article class="post '),
        (mybb, forumpages.mybb(SHEET), "largetext", "huge"),
        (smf, forumpages.smf(SHEET), 'class="inner"', 'class="said"'),
        (smf, forumpages.smf(SHEET), 'class="poster"', 'class="who"'),
        (smf, forumpages.smf(SHEET), "postinfo", "when"),
        (vbulletin, vb(3), "post_message_", "words_"),
        (vbulletin, vb(4), "post_message_", "words_"),
        (vbulletin, vb(4), 'class="date"', 'class="when"'),
        (fluxbb, flux(), 'class="postmsg"', 'class="said"'),
        (xenforo, xen(), "message-body", "message-said"),
        (invision, (HERE / "invision-4.html").read_text(encoding="utf-8"), "commentContent", "content"),
    ],
)
def test_a_theme_that_puts_posts_elsewhere_is_refused(reader: ModuleType, page: str, part: str, other: str) -> None:
    changed = page.replace(part, other)
    assert changed != page
    reader.read_page(page, timezone=UTC, now=NOW)
    with pytest.raises(NotTheTopic, match="style that cannot be read") as told:
        reader.read_page(changed.replace("smalltext", "small").replace("uid=", "x="), timezone=UTC, now=NOW)
    assert "Nothing was read" in told.value.advice


@pytest.mark.parametrize(
    ("reader", "page", "mark", "held"),
    [
        (mybb, forumpages.mybb(SHEET), '<div class="post ', '<div class="post unapproved_post '),
        (smf, forumpages.smf(SHEET), '<div class="windowbg"', '<div class="approvebg"'),
        (smf, forumpages.smf(SHEET, version="2.0"), '<div class="windowbg2"', '<div class="approvebg2"'),
    ],
)
def test_what_waits_for_approval_counts_as_gone_for_moderators_too(reader: ModuleType, page: str, mark: str, held: str) -> None:
    posts = reader.read_page(page.replace(mark, held, 1), timezone=UTC, now=NOW).posts
    assert [post.deleted for post in posts] == [True, False]


def test_themes_of_smf_that_build_a_post_another_way() -> None:
    old, shown = forumpages.smf(SHEET, version="2.0"), SHEET.shown(TWO[0].posted)
    buttons = '<div class="postarea"><div class="smalltext reportlinks"><a href="x">Zuf ga</a></div>'
    bare = forumpages.smf(SHEET).replace('class="postinfo"', 'class="when"').replace('class="smalltext"', 'class="small"')
    for post in TWO:
        bare = bare.replace(f">{SHEET.shown(post.posted)}</a>", f"></a><time>{SHEET.shown(post.posted)}</time>")
    assert shown in bare
    pane = old.replace("</h4>", '</h4><ul class="reset smalltext"><li><img src="off.gif" alt="Ge"><span class="smalltext"> Ge 5</span></li></ul>')
    assert "Ge 5" in pane
    for page in (old.replace('<div class="postarea">', buttons), bare, pane):
        read = smf.read_page(page, timezone=UTC, now=NOW).posts
        assert [(post.author, post.posted_at) for post in read] == [(post.author, post.posted) for post in TWO]


def test_a_post_of_smf_whose_link_is_of_another_shape_is_not_dated_by_its_edit_note() -> None:
    posts = [replace(post, edited=post.posted + timedelta(hours=3)) for post in TWO]
    page = forumpages.smf(replace(SHEET, posts=posts)).replace("index.php?msg=", "night-games/")
    assert "night-games/" in page
    page = re.sub(r"(modified_\d+[^>]*>.*?: )(.*?)( b| z|</)", r"\1<strong>\2</strong>\3", page)
    assert "<strong>" in page
    read = smf.read_page(page, timezone=UTC, now=NOW).posts
    assert [(post.author, post.posted_at) for post in read] == [(post.author, post.posted) for post in TWO]


@pytest.mark.parametrize("make", [forumpages.phpbb, forumpages.mybb, forumpages.smf])
def test_a_counter_in_the_window_is_no_part_of_the_title(make: Callable[[Sheet], str]) -> None:
    reader = {"phpbb": phpbb, "mybb": mybb, "smf": smf}[make.__name__]
    page = make(SHEET).replace("topic-title", "x").replace("<h2", "<h6").replace('class="active"', "").replace("top_subject", "x")
    page = page.replace("<title>(3) ", "<title>").replace("<title>", "<title>(12) ")
    assert reader.read_page(page, timezone=UTC, now=NOW).title.startswith("Night 7: the pier")


def test_a_board_of_phpbb_that_numbers_its_posts_and_has_a_tag_for_votes() -> None:
    said = '<span class="bbvote" title="Ga.">VOTE: Bert</span><br><span class="noboldsig">Unvote;<br>Vote: Carl</span>'
    page = forumpages.phpbb(replace(SHEET, posts=[replace(post, body=said) for post in TWO]), exact_times=False)
    for number, post in enumerate(TWO):
        page = page.replace(
            f'<span>zo <strong><a href="./memberlist.php?mode=viewprofile&amp;u={post.author_id}" class="username">{post.author}</a></strong>',
            f'<a href="./viewtopic.php?p={post.id}#p{post.id}">Wug&nbsp;<strong>#{number}</strong></a>&nbsp;(Ga)&nbsp;<span>', 1,
        ).replace(' class="username"', "")  # fmt: skip
    read = phpbb.read_page(page, timezone=UTC, now=NOW).posts
    assert [(post.author, post.author_id, post.posted_at) for post in read] == [("Anna", "2", TWO[0].posted), ("Bert", "3", TWO[1].posted)]
    assert [line.kind for line in vote_lines(read[0].bbcode)] == ["vote", "unvote", "vote"]


def test_a_style_of_phpbb_that_tells_the_date_alone_above_a_post() -> None:
    page = forumpages.phpbb(SHEET, exact_times=False)
    for post in TWO:
        begins = page.index(f'<p class="author"><a href="./viewtopic.php?p={post.id}#')
        ends = page.index("</p>", begins)
        own = f'<p class="author"><a href="./viewtopic.php?p={post.id}#p{post.id}">{SHEET.shown(post.posted)}</a> '
        page = page[:begins] + own + page[ends:]
    read = phpbb.read_page(page, timezone=UTC, now=NOW).posts
    assert [(post.author, post.author_id, post.posted_at) for post in read] == [("Anna", "2", TWO[0].posted), ("Bert", "3", TWO[1].posted)]


def test_a_style_of_xenforo_that_builds_only_some_posts_as_the_default_one_is_refused() -> None:
    page = xen()
    with pytest.raises(NotTheTopic, match="style that cannot be read: posts were not found"):
        xenforo.read_page(page.replace('class="message message--post js-post', 'class="card js-post', 1), timezone=UTC, now=NOW)


def test_a_style_of_xenforo_without_its_marks_for_scripts() -> None:
    page = re.sub(r' data-(?:author|user-id)="[^"]*"', "", xen())
    read, whole = (xenforo.read_page(each, timezone=UTC, now=NOW).posts for each in (page, xen()))
    assert [(post.author, post.author_id) for post in read] == [(post.author, post.author_id) for post in whole]
    assert [post.author for post in read] == ["Anna", "Bert"]


def test_an_edit_of_xenforo_never_dates_the_post() -> None:
    board = xenforo_kit.Board()
    for name in ("Anna", "Bert"):
        board.say(name, "words")
    first, last = board.posts[-2:]
    last.edited = last.at + timedelta(hours=5)
    page = str(board.topic(board.thread, 1)[2])
    link = f'href="{board.link(f"threads/lighthouse.{board.thread}/post-{last.id}")}"'
    assert f"<a {link} class=" in page
    bare = re.sub(rf'<a {re.escape(link)} class="u-concealed">.*?</a>', f"<a {link}>5 Wug</a>", page, flags=re.DOTALL)
    read = xenforo.read_page(bare, timezone=UTC, now=NOW).posts
    assert [(post.posted_at, post.edited_at) for post in read[-2:]] == [(first.at, None), (None, last.edited)]
    marked = bare.replace("5 Wug</a>", f'5 Wug</a><meta itemprop="datePublished" content="{last.at.isoformat()}">')
    assert xenforo.read_page(marked, timezone=UTC, now=NOW).posts[-1].posted_at == last.at


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_a_member_called_by_a_number_is_no_page_of_the_topic(version: str) -> None:
    posts = [replace(post, author="12345") for post in TWO]
    told = replace(SHEET, posts=posts, per_page=2, pages=2, total=4)
    page = forumpages.smf(told, version=version).replace("pagelinks", "middletext").replace("post_wrapper", "wrapper")
    read = smf.read_page(page, timezone=UTC, now=NOW)
    assert (read.posts[0].author, read.page, read.pages) == ("12345", 1, 2)
    page = forumpages.phpbb(told).replace('class="pagination"', 'class="of-pages"')
    read = phpbb.read_page(page, timezone=UTC, now=NOW)
    assert (read.posts[0].author, read.page, read.pages) == ("12345", 1, 2)


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_of_two_pages_only_the_other_one_is_linked(version: str) -> None:
    told = replace(SHEET, per_page=2, page=2, pages=2, total=4)
    page = forumpages.smf(told, version=version).replace("pagelinks", "middletext")
    page = re.sub(r'<a class="nav_page[^>]*>1</a>', r'<span class="of-one">\g<0></span>', page)
    assert "of-one" in page
    read = smf.read_page(page, timezone=UTC, now=NOW)
    assert (read.page, read.pages) == (2, 2)
    page = forumpages.phpbb(told).replace('class="pagination"', 'class="of-pages"')
    bar = page[page.index('<div class="of-pages">') : page.index("</ul></div>") + len("</ul></div>")]
    read = phpbb.read_page(page.replace("</body>", f"{bar}</body>"), timezone=UTC, now=NOW)
    assert (read.page, read.pages) == (2, 2)


@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_an_element_beside_an_author_of_smf_that_is_never_closed_takes_nothing_of_the_post(version: str) -> None:
    page = forumpages.smf(SHEET, version=version)
    broken = re.sub(r'<div class="poster">.*?<ul[^>]*>', r'\g<0><li><div class="badge">Rank</li>', page, count=1, flags=re.DOTALL)
    assert broken != page
    read, whole = (smf.read_page(each, timezone=UTC, now=NOW).posts for each in (broken, page))
    assert [(post.posted_at, post.url, post.number) for post in read] == [(post.posted_at, post.url, post.number) for post in whole]
    assert None not in [post.posted_at for post in read]


def test_a_style_of_phpbb_with_nothing_but_a_date_above_a_post() -> None:
    page = re.sub(r'<p class="author">.*?</span>(.*?)</p>', r'<p class="author">\1</p>', forumpages.phpbb(SHEET, exact_times=False))
    read = phpbb.read_page(page, timezone=UTC, now=NOW).posts
    assert [(post.author, post.posted_at) for post in read] == [(post.author, post.posted) for post in TWO]


def test_a_style_of_phpbb_with_a_link_without_a_date_above_a_post_is_refused() -> None:
    for words in ("Wug", "#12"):
        line = rf'<p class="author"><a href="./viewtopic.php?p=\1#p\1">{words}</a></p>'
        page = re.sub(r'<p class="author"><a href="\./viewtopic\.php\?p=(\d+)#.*?</p>', line, forumpages.phpbb(SHEET))
        with pytest.raises(NotTheTopic, match="when a post was written was not found"):
            phpbb.read_page(page, timezone=UTC, now=NOW)


def test_what_styles_of_xenforo_put_beside_the_number_and_the_date_of_a_post() -> None:
    page = xen().replace(">Anna<", ">Agent #47<").replace('"Anna"', '"Agent #47"')
    named = re.sub(r'<h4 class="message-name">(.*?)</h4>(<header class="message-attribution">)', r"\2\1", page)
    in_one = re.sub(r">Today</time></a>.*?>(#\d)</a>", r">Nov 12, 2026</time> \1</a>", page)
    above = re.sub(r'(<h4 class="message-name">.*?)(<ul class="message-attribution-main listInline">.*?</ul>)', r"\2\1", page)
    whole = xenforo.read_page(xen(), timezone=UTC, now=NOW).posts
    for each in (named, in_one, above):
        assert each != page
        read = xenforo.read_page(each, timezone=UTC, now=NOW).posts
        assert [post.author for post in read] == ["Agent #47", "Bert"]
        assert [post.posted_at for post in read] == [post.posted_at for post in whole]
        assert [post.number for post in read] == [1, 2]


def test_a_theme_of_mybb_that_names_the_author_elsewhere_in_the_pane() -> None:
    page = forumpages.mybb(SHEET)
    moved = re.sub(r'<div class="author_information">(.*?)</div>', lambda found: _moved(found[1]), page, flags=re.DOTALL)
    assert "author_information" in moved
    read = mybb.read_page(moved, timezone=UTC, now=NOW).posts
    assert [(post.author, post.author_id) for post in read] == [("Anna", "2"), ("Bert", "3")]
    guest = re.sub(r'<a href="[^"]*uid=3"[^>]*>Bert</a>', "Bert", moved)
    assert guest != moved
    with pytest.raises(NotTheTopic, match="who wrote a post was not found"):
        mybb.read_page(guest, timezone=UTC, now=NOW)


def _moved(told: str) -> str:
    """What stands in the place of the author, with the name in front of it and not in it."""
    link = re.search(r"<a href=.*?</a>", told)
    assert link is not None
    return f'<div class="big">{link[0]}</div><div class="author_information">{told.replace(link[0], "").replace("largetext", "small")}</div>'


@pytest.mark.parametrize("names", [("Ann (x2)", "Bert 12"), ("30 Nov", "#7")])
def test_numbers_in_the_name_of_an_author_of_phpbb_are_no_part_of_the_date(names: tuple[str, str]) -> None:
    posts = [replace(post, author=name) for post, name in zip(TWO, names, strict=True)]
    page = forumpages.phpbb(replace(SHEET, posts=posts), exact_times=False).replace("&raquo; </span>", "ti </span>")
    page = page.replace('<i class="icon"></i></a>', '<i class="icon"></i>Wug</a>')
    assert "&raquo;" not in page
    read = phpbb.read_page(page, timezone=UTC, now=NOW).posts
    assert [(post.author, post.posted_at) for post in read] == [(post.author, post.posted) for post in posts]
