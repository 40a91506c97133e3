"""What an account or a board can choose: pages that show less than the whole topic, one offset for all times, notes in other orders."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from scraper import fluxbb, mybb, phpbb, smf, vbulletin
from scraper.saved import read_saved
from tests.test_pages_fluxbb import post as fluxbb_post
from tests.test_pages_fluxbb import topic as fluxbb_topic
from tests.vbulletin_kit import Board

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
SUMMER = datetime(2026, 10, 20, 18, 30, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
TWO = [Sample(40, "Anna", 2, SUMMER, "one"), Sample(41, "Bert", 3, NOW - timedelta(days=2), "two")]


def at(hours: int, pattern: str = "%d-%m-%Y, %H:%M") -> Callable[[datetime], str]:
    return lambda moment: (moment + timedelta(hours=hours)).strftime(pattern)


# ---------------------------------------------------------------------- one offset for all times


@pytest.mark.parametrize(("hours", "saved"), [(1, NOW), (2, SUMMER + timedelta(hours=1))])
def test_a_page_of_mybb_shows_times_before_the_clocks_changed_at_its_own_offset(hours: int, saved: datetime, tmp_path: Path) -> None:
    posts = [post for post in TWO if post.posted < saved]
    page = tmp_path / "page.html"
    page.write_text(forumpages.mybb(Sheet(posts, at(hours), now=saved)), encoding="utf-8")
    thread = read_saved([page], forum=None, timezone=BERLIN, now=NOW)
    assert [post.posted_at for post in thread.posts] == [post.posted for post in posts]


def test_a_page_of_fluxbb_shows_times_before_the_clocks_changed_at_its_own_offset() -> None:
    text = fluxbb_topic(fluxbb_post(1, "<p>x</p>", date="2026-10-20 19:30:00"))
    assert fluxbb.read_page(text, timezone=BERLIN, now=NOW).posts[0].posted_at == SUMMER


def test_a_page_of_vbulletin_shows_times_before_the_clocks_changed_at_its_own_offset() -> None:
    board = Board(version=4, user="Host", zone=1, date="%d-%m-%Y, %H:%M")
    board.clock.moment = SUMMER
    board.say("Anna", "x")
    read = vbulletin.read_page(board.topic({"t": "7"})[2], timezone=BERLIN, now=NOW)
    assert read.posts[0].posted_at == SUMMER


@pytest.mark.parametrize(
    ("foot", "hours"), [("Al zim ta UTC + 1 zuf", 1), ("Al zim ta UTC + 1 zuf [ <abbr>SZ</abbr> ]", 1), ('<span title="x">UTC+01:00</span>', 2)]
)
def test_phpbb_3_0_shows_all_times_at_one_offset_and_later_ones_at_that_of_the_day(foot: str, hours: int) -> None:
    page = forumpages.phpbb(Sheet(TWO[:1], at(hours)), exact_times=False)
    page = page.replace("</body>", f"<div>{foot} </div></body>")
    assert phpbb.read_page(page, timezone=BERLIN, now=NOW).posts[0].posted_at == SUMMER


CURVE = '<ul class="reset"><li class="greeting">Zu <span>Anna</span></li><li><a href="x">x</a></li><li>{}</li></ul>'
CORE = '<ul id="greeting_section"><li id="time" class="smalltext floatright">\n{}\n<img src="x.gif"></li></ul>'


@pytest.mark.parametrize("head", [CURVE, CORE])
def test_the_clock_of_smf_2_0_tells_its_offset_and_the_order_of_the_numbers(head: str) -> None:
    shown = at(1, "%d.%m.%y %H:%M")
    posts = [Sample(40, "Anna", 2, datetime(2026, 10, 3, 9, 30, tzinfo=UTC), "one")]  # may be the tenth of March by itself
    page = forumpages.smf(Sheet(posts, shown), version="2.0")
    page = page.replace("<body>", f"<body>{head.format(shown(NOW))}")
    assert smf.read_page(page, timezone=BERLIN, now=NOW).posts[0].posted_at == posts[0].posted


@pytest.mark.parametrize(
    ("language", "day", "told"), [("en", 3, True), ("en", 13, False), ("en", 10, False), ("de", 3, False)]
)
def test_a_page_of_days_that_could_be_months_is_told(language: str, day: int, told: bool, tmp_path: Path) -> None:
    posts = [Sample(40, "Anna", 2, datetime(2026, 10, day, 9, 30, tzinfo=UTC), "one")]
    page = tmp_path / "page.html"
    page.write_text(forumpages.phpbb(Sheet(posts, at(0), language=language), exact_times=False), encoding="utf-8")
    notes = read_saved([page], forum=None, timezone=UTC, now=NOW).notes
    assert any("month comes first" in note for note in notes) is told


def test_a_date_that_cannot_be_read_is_told_too_where_days_could_be_months(tmp_path: Path) -> None:
    posts = [Sample(40, "Anna", 2, datetime(2026, 10, 3, 9, 30, tzinfo=UTC), "one"), Sample(41, "Bert", 3, NOW, "two")]
    page = tmp_path / "page.html"
    shown = lambda moment: "zuf" if moment == NOW else at(0)(moment)  # noqa: E731
    page.write_text(forumpages.phpbb(Sheet(posts, shown), exact_times=False), encoding="utf-8")
    notes = read_saved([page], forum=None, timezone=UTC, now=NOW).notes
    assert [note for note in notes if "month comes first" in note]
    assert [note for note in notes if "(41)" in note]


# ---------------------------------------------------------------------- less than the whole topic


@pytest.mark.parametrize(("days", "told"), [("0", False), ("7", True), ("365", False)])
def test_posts_of_the_last_days_alone_are_told(days: str, told: bool) -> None:
    chosen = "".join(f'<option value="{n}"{" selected" if n == days else ""}>x</option>' for n in ("0", "7", "365"))
    page = forumpages.phpbb(Sheet(TWO, at(0))).replace("</body>", f'<select name="st">{chosen}</select></body>')
    assert bool([note for note in phpbb.read_page(page, timezone=UTC, now=NOW).notes if f"last {days} days" in note]) is told


def test_threaded_mode_with_its_tree_of_posts_is_told() -> None:
    tree = "".join(f'<div><a href="showthread.php?tid=7&amp;pid={n}&amp;mode=threaded">x</a></div>' for n in (41, 42))
    other = '<a href="showthread.php?mode=linear&amp;tid=7&amp;pid=40#pid40">x</a>'
    page = forumpages.mybb(Sheet(TWO[:1], at(0))).replace("</body>", f"{other}{tree}</body>")
    read = mybb.read_page(page, timezone=UTC, now=NOW)
    assert any("threaded" in note for note in read.notes)
    assert read.posts[0].number is None


def test_a_linear_page_with_one_post_is_not_threaded() -> None:
    links = '<a href="showthread.php?mode=threaded&amp;tid=7&amp;pid=40#pid40">x</a><a href="showthread.php?tid=7&amp;mode=linear">1</a>'
    page = forumpages.mybb(Sheet(TWO[:1], at(0))).replace("</body>", f"{links}</body>")
    assert mybb.read_page(page, timezone=UTC, now=NOW).notes == ()


# ---------------------------------------------------------------------- the rest of a page


def test_an_edit_note_with_its_date_in_front_of_the_name() -> None:
    who = '<a href="./memberlist.php?mode=viewprofile&amp;u=3" class="username">Bert</a>'
    note = f'<div class="notice">Zul zu 28 lis 2026, 10:00 po {who}, ga 1 raz.</div>'
    page = forumpages.phpbb(Sheet(TWO, at(0, "%d lis %Y, %H:%M")))
    page = re.sub(r'(<div class="content">.*?</div>)', lambda found: found[1] + note, page, count=1, flags=re.DOTALL)
    read = phpbb.read_page(page.replace('lang="en"', 'lang="pl"'), timezone=UTC, now=NOW).posts[0]
    assert (read.edited, read.edited_at) == (True, datetime(2026, 11, 28, 10, 0, tzinfo=UTC))


@pytest.mark.parametrize("moderator", [False, True])
def test_a_topic_that_a_moderator_may_still_reply_to_is_not_locked_for_them(moderator: bool) -> None:
    lock = '<a href="./posting.php?mode=reply&amp;t=7" class="button"><i class="icon fa-lock fa-fw"></i></a>'
    page = forumpages.phpbb(Sheet(TWO, at(0))).replace('<div id="wrap">', f'<div id="wrap">{lock}')
    if not moderator:
        page = re.sub(r'<ul class="post-buttons">.*?</ul>', "", page)
    assert phpbb.read_page(page, timezone=UTC, now=NOW).locked is not moderator
