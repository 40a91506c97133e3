"""Saved pages of one topic: any order, overlapping, missing, foreign, broken; and no crash on anything."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scheduler
from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from desk.settings import load_settings
from desk.table import Table
from publisher.delivery import Folders
from scheduler import start, tick
from scraper import mybb, phpbb, smf
from scraper.model import BadInput, NotTheTopic
from scraper.saved import detect, read_saved
from store.record import Record
from tests.test_tick import GAME, T0

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
HERE = Path(__file__).parent
SAVED_AT = datetime.fromtimestamp(1_800_000_000, UTC)
MAKERS = {"phpbb": forumpages.phpbb, "smf": forumpages.smf, "mybb": forumpages.mybb}
READERS = {"phpbb": phpbb, "smf": smf, "mybb": mybb}


def shown(moment: datetime) -> str:
    return moment.strftime("%d-%m-%Y, %H:%M")


def posts(count: int = 25) -> list[Sample]:
    first = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)
    return [
        Sample(100 + n, "Anna" if n % 2 else "Bert", n % 2 + 2, first + timedelta(hours=5 * n), f"post {n}") for n in range(count)
    ]


def sheet(page: int, everything: list[Sample], **more: object) -> Sheet:
    part = everything[(page - 1) * 10 : page * 10]
    return Sheet(part, shown, page=page, pages=-(-len(everything) // 10), total=len(everything), **more)  # type: ignore[arg-type]


def save(folder: Path, name: str, page: str, *, age: int = 0) -> Path:
    path = folder / name
    path.write_text(page, encoding="utf-8")
    os.utime(path, (SAVED_AT.timestamp() - age, SAVED_AT.timestamp() - age))
    return path


@pytest.mark.parametrize("forum", sorted(MAKERS))
def test_pages_in_any_order_are_one_thread(forum: str, tmp_path: Path) -> None:
    everything = posts()
    paths = [save(tmp_path, f"{page}.html", MAKERS[forum](sheet(page, everything))) for page in (3, 1, 2)]
    thread = read_saved([*paths, paths[0]], forum=None, timezone=UTC, now=NOW)
    assert (thread.forum, thread.topic_id, thread.title, thread.notes) == (forum, "7", "Night 7: the pier", ())
    assert [post.id for post in thread.posts] == [str(post.id) for post in everything]
    assert [post.number for post in thread.posts] == list(range(1, 26))
    assert [post.posted_at for post in thread.posts] == [post.posted for post in everything]


def test_a_theme_in_another_forums_looks_is_read_as_what_it_is(tmp_path: Path) -> None:
    page = forumpages.mybb(sheet(1, posts(3))).replace("<body>", '<body><div id="punwrap"><div id="punviewtopic" class="pun"></div></div>')
    assert detect(page) == "fluxbb"
    thread = read_saved([save(tmp_path, "1.html", page)], forum=None, timezone=UTC, now=NOW)
    assert (thread.forum, len(thread.posts)) == ("mybb", 3)
    broken = save(tmp_path, "2.html", page.replace('id="pid_', 'id="said_'))
    with pytest.raises(NotTheTopic, match=r"2\.html: This"):
        read_saved([broken], forum=None, timezone=UTC, now=NOW)


@pytest.mark.parametrize("forum", sorted(MAKERS))
def test_a_missing_page_is_told(forum: str, tmp_path: Path) -> None:
    paths = [save(tmp_path, f"{page}.html", MAKERS[forum](sheet(page, posts()))) for page in (3, 1)]
    thread = read_saved(paths, forum=forum, timezone=UTC, now=NOW)
    assert len(thread.posts) == 15
    assert any("11-20" in note for note in thread.notes)
    thread = read_saved(paths[1:], forum=forum, timezone=UTC, now=NOW)
    assert any("2-3" in note for note in thread.notes)


@pytest.mark.parametrize("forum", sorted(MAKERS))
def test_a_thread_is_known_until_its_last_page_was_saved(forum: str, tmp_path: Path) -> None:
    made = posts()
    paths = [save(tmp_path, f"{page}.html", MAKERS[forum](sheet(page, made)), age=1000 * page) for page in (1, 2, 3)]
    assert read_saved(paths, forum=forum, timezone=UTC, now=NOW).until == SAVED_AT - timedelta(seconds=3000)
    assert read_saved(paths[:2], forum=forum, timezone=UTC, now=NOW).until == made[19].posted
    only = save(tmp_path, "only.html", MAKERS[forum](sheet(1, made[:10])), age=500)  # when there was no second page yet
    assert read_saved([only, paths[1]], forum=forum, timezone=UTC, now=NOW).until == SAVED_AT - timedelta(seconds=500)


@pytest.mark.parametrize("forum", ["phpbb", "smf"])
def test_with_the_newest_on_top_it_is_known_until_the_first_page_was_saved(forum: str, tmp_path: Path) -> None:
    made = posts()[::-1]
    paths = [
        save(tmp_path, f"{page}.html", MAKERS[forum](sheet(page, made, falling=True)), age=9000 - 1000 * page)
        for page in (1, 2, 3)
    ]
    assert read_saved(paths, forum=forum, timezone=UTC, now=NOW).until == SAVED_AT - timedelta(seconds=8000)
    assert read_saved(paths[1:], forum=forum, timezone=UTC, now=NOW).until == made[10].posted


def test_no_phase_is_closed_while_the_page_that_ends_the_thread_is_missing_or_older(tmp_path: Path) -> None:
    made, folder = posts(), tmp_path / "saved"
    ends = made[-1].posted + timedelta(hours=2)
    game = (
        'ruleset = "danganronpa"\ntitle = "It"\nhost = "Host"\nseed = "x"\nwaive = "all"\n[thread]\nsaved = "saved"\n[clock]\n'
        f"opens = {made[0].posted:%Y-%m-%dT%H:%M:%S}\nends = {ends:%Y-%m-%dT%H:%M:%S}\n[players]\n"
    )
    (tmp_path / "game.toml").write_text(game + "".join(f'P{n} = "ultimate_{what}"\n' for n, what in enumerate(ROLES)), "utf-8")
    folder.mkdir()
    table = Table.at(tmp_path)
    scheduler.start(table, made[0].posted)
    table.record.close()

    def tick_after(hours: float, *pages: int) -> scheduler.Report:
        """The tick after these pages were saved so many hours after the deadline."""
        at = ends + timedelta(hours=hours)
        for page in pages:
            path = save(folder, f"{page}.html", forumpages.mybb(sheet(page, made)))
            os.utime(path, (at.timestamp(), at.timestamp()))
        return scheduler.tick(tmp_path, now=ends + timedelta(hours=9))

    for report in (tick_after(1, 1, 2), tick_after(-1, 3), tick_after(2, 1)):
        assert (report.status, report.closed) == (1, [])
        assert "save the topic's last pages once more" in report.held[0]
    assert tick_after(0.5, 3).closed == ["trial 1"]


def test_the_page_saved_later_holds(tmp_path: Path) -> None:
    before, after = posts(5), posts(5)
    after[2] = Sample(102, "Bert", 2, after[2].posted, "post 2, changed", edited=after[2].posted + timedelta(minutes=9))
    old = save(tmp_path, "old.html", forumpages.phpbb(sheet(1, before)), age=500)
    new = save(tmp_path, "new.html", forumpages.phpbb(sheet(1, after)))
    for order in ([old, new], [new, old]):
        thread = read_saved(order, forum=None, timezone=UTC, now=NOW)
        assert [post.text for post in thread.posts][1:4] == ["post 1", "post 2, changed", "post 3"]


def test_a_deleted_post_stays_known(tmp_path: Path) -> None:
    before, after = posts(5), posts(5)
    after[2] = Sample(102, "Bert", 2, after[2].posted, "", deleted=True)
    old = save(tmp_path, "old.html", forumpages.mybb(sheet(1, before)), age=500)
    new = save(tmp_path, "new.html", forumpages.mybb(sheet(1, after)))
    thread = read_saved([new, old], forum=None, timezone=UTC, now=NOW)
    assert [post.id for post in thread.posts] == ["100", "101", "103", "104"]
    assert [(post.id, post.text) for post in thread.deleted] == [("102", "post 2")]
    assert thread.notes == ()


def test_order_of_the_thread_where_clocks_jumped(tmp_path: Path) -> None:
    everything = posts(3)
    everything[1] = Sample(101, "Anna", 3, everything[2].posted + timedelta(minutes=1), "late")
    for forum, order in (("phpbb", ["100", "102", "101"]), ("mybb", ["100", "102", "101"]), ("smf", ["100", "101", "102"])):
        path = save(tmp_path, f"{forum}.html", MAKERS[forum](sheet(1, everything)))
        assert [post.id for post in read_saved([path], forum=None, timezone=UTC, now=NOW).posts] == order


@pytest.mark.parametrize("forum", sorted(MAKERS))
def test_a_page_of_another_topic_stops_everything(forum: str, tmp_path: Path) -> None:
    mine = save(tmp_path, "mine.html", MAKERS[forum](sheet(1, posts())))
    other = save(tmp_path, "other.html", MAKERS[forum](sheet(2, posts(), topic=8)))
    with pytest.raises(NotTheTopic, match=r"other\.html"):
        read_saved([mine, other], forum=None, timezone=UTC, now=NOW)


LOGIN = (
    '<html><head><title>Log in</title></head><body id="phpbb" class="section-ucp"><form><input type="password" name="password">'
    "</form></body></html>"
)
NO_TOPIC = {
    "login": LOGIN,
    "maintenance": "<html><head><title>Back soon</title></head><body><h1>We are doing maintenance</h1></body></html>",
    "challenge": "<html><head><title>Just a moment...</title><script>x()</script></head><body>Checking</body></html>",
    "empty": "",
    "not HTML": '{"error": 503}',
}


@pytest.mark.parametrize("what", sorted(NO_TOPIC))
@pytest.mark.parametrize("forum", sorted(MAKERS))
def test_what_is_no_topic_is_never_no_posts(forum: str, what: str, tmp_path: Path) -> None:
    path = save(tmp_path, "page.html", NO_TOPIC[what])
    good = save(tmp_path, "good.html", MAKERS[forum](sheet(1, posts())))
    with pytest.raises(NotTheTopic, match=r"page\.html"):
        read_saved([good, path], forum=forum, timezone=UTC, now=NOW)
    with pytest.raises(NotTheTopic):
        READERS[forum].read_page(NO_TOPIC[what], timezone=UTC, now=NOW)


@pytest.mark.parametrize("forum", sorted(MAKERS))
def test_half_a_page_is_refused(forum: str) -> None:
    page = MAKERS[forum](sheet(1, posts()))
    for length in (len(page) // 3, len(page) // 2, len(page) - 10):
        with pytest.raises(NotTheTopic, match="breaks off"):
            READERS[forum].read_page(page[:length], timezone=UTC, now=NOW)


def test_private_messages_and_previews_are_no_posts() -> None:
    pm = forumpages.phpbb(sheet(1, posts(1))).replace('id="p100" class="post', 'id="post-100" class="post pm')
    preview = forumpages.mybb(sheet(1, posts(1))).replace('id="post_100"', 'id="post_0"')
    folder = (
        forumpages.smf(sheet(1, posts(1)))
        .replace('id="forumposts"', 'id="personal_messages"')
        .replace("quickModForm", "pmFolder")
    )
    for module, page in ((phpbb, pm), (mybb, preview), (smf, folder)):
        with pytest.raises(NotTheTopic):
            module.read_page(page, timezone=UTC, now=NOW)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nowhere"):
        read_saved([tmp_path / "nowhere.html"], forum=None, timezone=UTC, now=NOW)
    with pytest.raises(BadInput, match="phpbb, smf, mybb"):
        read_saved([tmp_path], forum="usenet", timezone=UTC, now=NOW)


def test_a_zone_that_the_pages_contradict_is_told(tmp_path: Path) -> None:
    path = save(tmp_path, "page.html", forumpages.smf(sheet(1, posts(5))))
    thread = read_saved([path], forum=None, timezone=ZoneInfo("Asia/Tehran"), now=NOW)
    assert any("time zone" in note for note in thread.notes)


def test_threaded_mode_is_told(tmp_path: Path) -> None:
    page = forumpages.mybb(sheet(1, posts(1))).replace("</body>", '<a href="showthread.php?mode=linear&amp;tid=7">x</a></body>')
    thread = read_saved([save(tmp_path, "page.html", page)], forum=None, timezone=UTC, now=NOW)
    assert thread.posts[0].number is None
    assert any("threaded" in note for note in thread.notes)


def test_a_page_of_phpbb_3_0() -> None:
    page = phpbb.read_page((HERE / "pages" / "phpbb-3.0.html").read_bytes(), timezone=ZoneInfo("Europe/Berlin"), now=NOW)
    assert (page.topic_id, page.title, page.page, page.pages, page.per_page) == ("7", "Die Mole", 2, 102, 10)
    assert page.signed_in
    assert not page.locked
    anna, guest = page.posts
    assert (anna.id, anna.number, anna.author, anna.author_id) == ("51", 11, "Anna", "3")
    assert anna.posted_at == datetime(2026, 11, 12, 17, 58, tzinfo=UTC)
    assert anna.edited_at == datetime(2026, 11, 13, 0, 2, tzinfo=UTC)
    assert anna.bbcode == "[b][color=#FF0000]Vote: Bert[/color][/b]\n[code][b]nein[/b]\n  ja[/code]Ende"
    assert (guest.number, guest.author, guest.author_id) == (12, "Ein Gast", None)
    assert guest.posted_at == datetime(2026, 11, 28, 11, 30, tzinfo=UTC)
    assert guest.bbcode == "[quote=Anna][b]Vote: Bert[/b][/quote]\nnein"
    assert guest.text == "nein"


@pytest.mark.parametrize("forum", sorted(MAKERS))
def test_other_charsets(forum: str) -> None:
    one = [Sample(100, "Zoë", 2, NOW - timedelta(days=9), "naïve café")]
    page = (
        MAKERS[forum](sheet(1, one))
        .replace('charset="utf-8"', 'charset="iso-8859-1"')
        .replace('charset="UTF-8"', 'charset="iso-8859-1"')
    )
    read = READERS[forum].read_page(page.encode("cp1252"), timezone=UTC, now=NOW)
    assert (read.posts[0].author, read.posts[0].text) == ("Zoë", "naïve café")


@pytest.mark.parametrize("forum", sorted(MAKERS))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_mangled_pages_never_crash(forum: str, data: st.DataObject) -> None:
    page = MAKERS[forum](sheet(1, posts(3)))
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(page)))
        end = min(len(page), start + data.draw(st.integers(0, 40)))
        page = (
            page[:start] + data.draw(st.text(st.sampled_from("<>/\"'=&;#[]{}ab0 9\x00\ud800divspan-"), max_size=12)) + page[end:]
        )
    try:
        read = READERS[forum].read_page(page, timezone=UTC, now=NOW)
    except NotTheTopic:
        return
    assert all(post.id.isdigit() for post in read.posts)
    assert detect(page) in (None, *MAKERS)


def test_a_link_that_is_no_address_is_none() -> None:
    from scraper.addresses import join, split

    assert join("http://[broken/", "./") is None
    assert split("http://[broken").netloc == ""
    assert join("http://a.example/b/", "c") == "http://a.example/b/c"


def test_today_on_a_saved_page_of_a_game_is_the_day_on_which_it_was_saved(tmp_path: Path) -> None:
    """The tick that reads it may come a day later."""
    saved_at = datetime(2026, 11, 29, 8, 5, tzinfo=UTC)
    sample = Sample(100, "Anna", 2, saved_at - timedelta(minutes=5), "[b]hello[/b]")
    game = 'ruleset = "danganronpa"\ntitle = "It"\nhost = "Host"\nseed = "x"\n[thread]\nsaved = "saved"\n[players]\n'
    (tmp_path / "game.toml").write_text(game + "".join(f'P{n} = "ultimate_{what}"\n' for n, what in enumerate(ROLES)), "utf-8")
    (tmp_path / "saved").mkdir()
    page = forumpages.mybb(Sheet([sample], lambda moment: f"Today, {moment:%H:%M}"))
    path = save(tmp_path / "saved", "1.html", page)
    os.utime(path, (saved_at.timestamp(), saved_at.timestamp()))
    record = Record(tmp_path / "other.db")
    (post,) = Folders(load_settings(tmp_path)).posts(record, saved_at + timedelta(hours=25))
    assert post.posted_at == sample.posted
    record.close()


def test_today_on_each_saved_page_is_the_day_on_which_that_page_was_saved(tmp_path: Path) -> None:
    """Anna's later vote must not be dated before her earlier one, which stands on a page saved two days ago."""
    early, late = Sample(100, "Anna", 2, NOW - timedelta(days=2, hours=1), "Bert"), Sample(101, "Anna", 2, NOW - timedelta(hours=9), "Zo")
    for number, post in enumerate((early, late), 1):
        page = forumpages.mybb(Sheet([post], lambda moment: f"Today, {moment:%H:%M}", page=number, pages=2, per_page=1))
        saved_on(save(tmp_path, f"{number}.html", page), post.posted + timedelta(minutes=9))
    paths = sorted(tmp_path.iterdir())
    read = read_saved(paths, forum="mybb", timezone=UTC, now=NOW, dated=True)
    assert [post.posted_at for post in read.posts] == [early.posted, late.posted]
    assert read.until == late.posted + timedelta(minutes=9)


@pytest.mark.parametrize(
    ("anew", "closed"), [((1,), False), ((3,), False), ((1, 2), False), ((2, 3), True), ((1, 2, 3), True)]
)  # fmt: skip
def test_a_phase_is_closed_when_its_last_page_was_saved_and_none_is_missing(tmp_path: Path, anew: tuple[int, ...], closed: bool) -> None:
    """A tick may come while the pages are being saved one by one."""
    game = tmp_path / "game"
    (game / "saved").mkdir(parents=True)
    (game / "game.toml").write_text(GAME, encoding="utf-8")
    start(Table.at(game), T0)
    made = [Sample(100 + n, "Anna", 2, T0 + timedelta(hours=5 * n + 1), f"post {n}") for n in range(9)]

    def pages(posts: list[Sample], numbers: tuple[int, ...], at: datetime) -> None:
        for number in numbers:
            few = posts[number * 3 - 3 : number * 3]
            page = Sheet(few, shown, page=number, pages=-(-len(posts) // 3), per_page=3, total=len(posts))
            saved_on(save(game / "saved", f"{number}.html", forumpages.phpbb(page)), at)

    pages(made[:4], (1, 2), T0 + timedelta(hours=20))
    assert tick(game, now=T0 + timedelta(hours=21)).posts == 4
    pages(made, anew, T0 + timedelta(hours=48.5))
    report = tick(game, now=T0 + timedelta(hours=49))
    assert (report.closed, bool(report.held)) == ((["trial 1"], False) if closed else ([], True))


def test_pages_taken_away_since_they_were_read_leave_no_hole(tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    start(Table.at(tmp_path), T0)
    made = [Sample(100 + n, "Anna", 2, T0 + timedelta(hours=5 * n + 1), f"post {n}") for n in range(9)]
    for number in (1, 2, 3):
        page = Sheet(made[number * 3 - 3 : number * 3], shown, page=number, pages=3, per_page=3, total=9)
        saved_on(save(tmp_path / "saved", f"{number}.html", forumpages.phpbb(page)), T0 + timedelta(hours=48.5))
    tick(tmp_path, now=T0 + timedelta(hours=47))
    (tmp_path / "saved" / "2.html").unlink()
    assert tick(tmp_path, now=T0 + timedelta(hours=49)).closed == ["trial 1"]


@pytest.mark.parametrize("kept", ["under another name", "read and taken away"])
def test_a_deleted_post_that_left_a_placeholder_is_no_missing_page(tmp_path: Path, kept: str) -> None:
    """MyBB gives it no number. An earlier copy of a page told one, from before a post further up was deleted."""
    (tmp_path / "saved").mkdir()
    (tmp_path / "game.toml").write_text(GAME.replace("phpbb", "mybb"), encoding="utf-8")
    start(Table.at(tmp_path), T0)
    made = [Sample(100 + n, "Anna", 2, T0 + timedelta(hours=5 * n + 1), f"post {n}") for n in range(9)]

    def pages(numbers: tuple[int, ...], name: str, at: datetime) -> None:
        for number in numbers:
            few = made[number * 3 - 3 : number * 3]
            page = Sheet(few, shown, page=number, pages=-(-len(made) // 3), per_page=3, total=len(made), now=at)
            saved_on(save(tmp_path / "saved", f"{name}{number}.html", forumpages.mybb(page)), at)

    if kept == "read and taken away":
        made[7] = replace(made[7], deleted=True)
    pages((1, 2, 3), "early ", T0 + timedelta(hours=46))
    tick(tmp_path, now=T0 + timedelta(hours=47))
    if kept == "under another name":
        made[7] = replace(made[7], deleted=True)
        del made[1]
        pages((1, 2, 3), "late ", T0 + timedelta(hours=48.5))
    else:
        (tmp_path / "saved" / "early 2.html").unlink()
        pages((3,), "early ", T0 + timedelta(hours=48.5))
    assert tick(tmp_path, now=T0 + timedelta(hours=49)).closed == ["trial 1"]


def saved_on(path: Path, moment: datetime) -> None:
    os.utime(path, (moment.timestamp(), moment.timestamp()))


ROLES = ("detective", "nurse", "journalist", "lawyer")
