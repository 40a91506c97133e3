"""Pages of our own writing in each forum's shape: versions, layouts, languages, zones, formats, orders."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from scraper import mybb, phpbb, smf
from scraper.model import Page

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
TEHRAN = ZoneInfo("Asia/Tehran")
FARSI = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
MONTHS = {
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "de": ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"],
    "fr": [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    "ru": ["Января", "Февраля", "Марта", "Апреля", "Мая", "Июня", "Июля", "Августа", "Сентября", "Октября", "Ноября", "Декабря"],
    "fa": ["ژانویه", "فوریه", "مارس", "آوریل", "می", "ژوئن", "جولای", "آگوست", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"],
    "tr": ["Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık"],
    "pl": [
        "stycznia",
        "lutego",
        "marca",
        "kwietnia",
        "maja",
        "czerwca",
        "lipca",
        "sierpnia",
        "września",
        "października",
        "listopada",
        "grudnia",
    ],
}


def samples(count: int = 5, *, first: datetime = datetime(2026, 11, 12, 17, 58, tzinfo=UTC)) -> list[Sample]:
    return [
        Sample(
            id=40 + number, author=("Anna", "[Ghost]", "O'Brien & Sons", "مریم")[number % 4], author_id=number % 4 + 2,
            posted=first + timedelta(hours=5 * number), body=f"<b>post</b> {number}",
            edited=first + timedelta(hours=5 * number + 2) if number == 1 else None,
        )
        for number in range(count)
    ]  # fmt: skip


def worded(language: str, zone: ZoneInfo, pattern: str) -> Callable[[datetime], str]:
    def shown(moment: datetime) -> str:
        local = moment.astimezone(zone)
        name = MONTHS[language][local.month - 1]
        text = local.strftime(pattern.replace("%B", "@@").replace("%b", "@"))
        return text.replace("@@", name).replace("@", name[:3])

    return shown


def check(page: Page, posts: list[Sample], *, first_number: int | None = 1) -> None:
    assert [post.id for post in page.posts] == [str(post.id) for post in posts]
    assert [post.author for post in page.posts] == [post.author for post in posts]
    assert [post.author_id for post in page.posts] == [str(post.author_id) if post.author_id else None for post in posts]
    assert [post.posted_at for post in page.posts] == [post.posted.replace(second=0) for post in posts]
    assert [post.edited_at for post in page.posts] == [post.edited and post.edited.replace(second=0) for post in posts]
    assert [post.edited for post in page.posts] == [post.edited is not None for post in posts]
    assert [post.text for post in page.posts] == [f"post {post.id - 40}" for post in posts]
    assert not any("nobody" in post.bbcode for post in page.posts)
    if first_number is not None:
        assert [post.number for post in page.posts] == [first_number + place for place in range(len(posts))]


FORMATS = [
    ("en", "%b %d, %Y, %I:%M %p"),
    ("en", "%B %d, %Y, %I:%M %p"),
    ("de", "%d. %B %Y, %H:%M"),
    ("fr", "%d %B %Y à %H:%M"),
    ("ru", "%d %B %Y, %H:%M"),
    ("tr", "%B %d, %Y, %H:%M"),
    ("pl", "%d %B %Y, %H:%M"),
    ("fa", "%d %B %Y، %H:%M"),
    ("en", "%d-%m-%Y, %H:%M"),
    ("en", "%m-%d-%Y, %I:%M %p"),
    ("de", "%d.%m.%y %H:%M"),
    ("de", "%H:%M %d/%m/%Y"),
    ("en", "%Y-%m-%d %H:%M"),
]


@pytest.mark.parametrize(("language", "pattern"), FORMATS)
@pytest.mark.parametrize("zone", [BERLIN, TEHRAN], ids=["Berlin", "Tehran"])
def test_dates_of_every_language_and_format(language: str, pattern: str, zone: ZoneInfo) -> None:
    posts = samples()
    sheet = Sheet(posts, worded(language, zone, pattern), language=language)
    check(smf.read_page(forumpages.smf(sheet), timezone=zone, now=NOW), posts)
    check(smf.read_page(forumpages.smf(sheet, version="2.0"), timezone=zone, now=NOW), posts)
    check(mybb.read_page(forumpages.mybb(sheet), timezone=zone, now=NOW), posts)
    check(mybb.read_page(forumpages.mybb(sheet, classic=True), timezone=zone, now=NOW), posts)
    check(phpbb.read_page(forumpages.phpbb(sheet), timezone=zone, now=NOW), posts)
    check(phpbb.read_page(forumpages.phpbb(sheet, exact_times=False), timezone=zone, now=NOW), posts)


def test_persian_digits_and_the_solar_calendar() -> None:
    posts = samples(3)
    days = {12: "۲۱ آبان ۱۴۰۵", 13: "۲۲ آبان ۱۴۰۵"}

    def shown(moment: datetime) -> str:
        local = moment.astimezone(TEHRAN)
        return f"{days.get(local.day, '۸ آذر ۱۴۰۵')}، {local:%H:%M}".translate(FARSI)

    check(smf.read_page(forumpages.smf(Sheet(posts, shown, language="fa")), timezone=TEHRAN, now=NOW), posts)


def near_words(today: str, yesterday: str) -> Callable[[datetime], str]:
    def shown(moment: datetime) -> str:
        local, now = moment.astimezone(BERLIN), NOW.astimezone(BERLIN)
        days = (now.date() - local.date()).days
        return f"{local:%d.%m.%Y}, {local:%H:%M}" if days > 1 else f"{(today, yesterday)[days]}, {local:%H:%M}"

    return shown


@pytest.mark.parametrize(
    "words",
    [
        ("Today", "Yesterday"),
        ("Heute", "Gestern"),
        ("Aujourd'hui", "Hier"),
        ("Сегодня", "Вчера"),
        ("امروز", "دیروز"),
        ("今日は", "昨日は"),
        ("Blor", "Sblor"),
    ],
)
def test_today_and_yesterday_in_any_language(words: tuple[str, str]) -> None:
    """The last pair is of no language: the later of the two words in the thread is today."""
    posts = samples(9, first=datetime(2026, 11, 28, 3, 1, tzinfo=UTC))
    sheet = Sheet(posts, near_words(*words), language="xx")
    check(smf.read_page(forumpages.smf(sheet), timezone=BERLIN, now=NOW), posts)
    check(smf.read_page(forumpages.smf(sheet, version="2.0"), timezone=BERLIN, now=NOW), posts)
    check(phpbb.read_page(forumpages.phpbb(sheet, exact_times=False), timezone=BERLIN, now=NOW), posts)


@pytest.mark.parametrize("pattern", ["%m-%d-%Y", "%d.%m.%y", "%Y-%m-%d"])
def test_mybb_tooltips_hold_the_date_of_near_posts(pattern: str) -> None:
    posts = samples(9, first=datetime(2026, 11, 28, 3, 1, tzinfo=UTC))

    def near(moment: datetime) -> str:
        local, now = moment.astimezone(BERLIN), NOW.astimezone(BERLIN)
        if timedelta(0) <= NOW - moment < timedelta(hours=12):
            return f'<span title="{local.strftime(pattern)}, {local:%H:%M}">{(NOW - moment).seconds // 3600} bli</span>'
        days = (now.date() - local.date()).days
        day = local.strftime(pattern)
        return f'<span title="{day}">{("Blor", "Sblor")[days]}</span>, {local:%H:%M}' if days < 2 else f"{day}, {local:%H:%M}"

    sheet = Sheet(posts, lambda moment: moment.astimezone(BERLIN).strftime(f"{pattern}, %H:%M"))
    check(mybb.read_page(forumpages.mybb(sheet, near=near), timezone=BERLIN, now=NOW), posts)


@pytest.mark.parametrize(
    ("text", "minutes"), [("54 minutes ago", 54), ("il y a 3 minutes", 3), ("less than a minute ago", 0), ("vor 1 Stunde", 60)]
)
def test_minutes_ago(text: str, minutes: int) -> None:
    posts = samples(1)
    page = phpbb.read_page(forumpages.phpbb(Sheet(posts, lambda _: text), exact_times=False), timezone=BERLIN, now=NOW)
    assert page.posts[0].posted_at == NOW - timedelta(minutes=minutes)


def test_a_single_day_tells_its_order_by_the_pages_own_clock() -> None:
    posts = samples(2, first=datetime(2026, 11, 9, 12, 0, tzinfo=UTC))
    now = datetime(2026, 11, 10, 12, 0, tzinfo=UTC)
    for pattern in ("%d-%m-%Y, %H:%M", "%m-%d-%Y, %H:%M"):
        sheet = Sheet(posts, worded("en", BERLIN, pattern), now=now)
        assert [p.posted_at for p in mybb.read_page(forumpages.mybb(sheet), timezone=BERLIN, now=now).posts] == [
            p.posted for p in posts
        ]


def test_the_hour_that_comes_back_in_autumn_keeps_posts_in_order() -> None:
    first = datetime(2026, 10, 25, 0, 40, tzinfo=UTC)  # 02:40 summer time; an hour later it is 02:40 again
    posts = [Sample(40 + n, "Anna", 2, first + timedelta(minutes=30 * n), f"<b>post</b> {n}") for n in range(4)]
    sheet = Sheet(posts, worded("en", BERLIN, "%d %B %Y, %H:%M"))
    check(smf.read_page(forumpages.smf(sheet), timezone=BERLIN, now=NOW), posts)


@pytest.mark.parametrize("falling", [False, True])
@pytest.mark.parametrize("per_page", [5, 7])
def test_numbers_and_places_in_either_order(falling: bool, per_page: int) -> None:
    everything = samples(17)
    shown = worded("en", BERLIN, "%b %d, %Y, %I:%M %p")
    pages = -(-17 // per_page)
    for page in range(1, pages + 1):
        row = list(reversed(everything)) if falling else everything
        part = row[(page - 1) * per_page : page * per_page]
        sheet = Sheet(part, shown, page=page, pages=pages, per_page=per_page, total=17, falling=falling)
        expected = [post.id - 39 for post in part]
        for read, made in (
            (phpbb.read_page, forumpages.phpbb(sheet)),
            (smf.read_page, forumpages.smf(sheet)),
            (smf.read_page, forumpages.smf(sheet, version="2.0")),
        ):
            found = read(made, timezone=BERLIN, now=NOW)
            assert [post.number for post in found.posts] == expected
            assert (found.page, found.pages, found.per_page, found.topic_id) == (page, pages, per_page, "7")
            assert found.title == "Night 7: the pier"
            assert found.signed_in
            assert not found.locked


def test_guests_and_placeholders() -> None:
    posts = [
        Sample(40, "A guest", None, NOW - timedelta(days=3), "<b>post</b> 0"),
        Sample(41, "Anna", 2, NOW - timedelta(days=2), "<b>post</b> 1", deleted=True),
        Sample(42, "Bert", 3, NOW - timedelta(days=2), "<b>post</b> 2"),
    ]
    sheet = Sheet(posts, worded("en", BERLIN, "%d %B %Y, %H:%M"))
    for page in (
        phpbb.read_page(forumpages.phpbb(sheet), timezone=BERLIN, now=NOW),
        mybb.read_page(forumpages.mybb(sheet), timezone=BERLIN, now=NOW),
    ):
        assert [(post.author, post.author_id, post.deleted) for post in page.posts] == [
            ("A guest", None, False),
            ("Anna", "2", True),
            ("Bert", "3", False),
        ]
    guest = smf.read_page(forumpages.smf(sheet), timezone=BERLIN, now=NOW).posts[0]
    assert (guest.author, guest.author_id) == ("A guest", None)


def test_a_topic_that_was_bumped_is_no_edit() -> None:
    page = forumpages.phpbb(Sheet(samples(2), worded("en", BERLIN, "%d %B %Y, %H:%M")))
    who = '<a href="./memberlist.php?mode=viewprofile&amp;u=3" class="username">Bert</a>'
    bump = f'<div class="notice"><br /><br />Zuf ga {who} bo 29 November 2026, 10:00.</div>'
    note = f'<div class="notice">Wug {who} bo 28 November 2026, 10:00, 2 ka.</div>'
    for added, edited in ((bump, None), (note + bump, datetime(2026, 11, 28, 9, 0, tzinfo=UTC))):
        post = re.sub(r'(<div class="content">.*?</div>)', lambda found, added=added: found[1] + added, page, count=1, flags=re.S)
        read = phpbb.read_page(post, timezone=BERLIN, now=NOW).posts[0]
        assert (read.edited, read.edited_at) == (edited is not None, edited)


def test_links_to_posts_are_whole_and_without_session() -> None:
    sheet = Sheet(samples(1), worded("en", BERLIN, "%d %B %Y, %H:%M"))
    assert (
        phpbb.read_page(forumpages.phpbb(sheet), timezone=BERLIN, now=NOW).posts[0].url
        == "https://forum.example/viewtopic.php?p=40#p40"
    )
    assert smf.read_page(forumpages.smf(sheet), timezone=BERLIN, now=NOW).posts[0].url == "https://forum.example/index.php?msg=40"
    with_session = forumpages.smf(sheet).replace("index.php?msg", "index.php?PHPSESSID=0a1b&amp;msg")
    assert smf.read_page(with_session, timezone=BERLIN, now=NOW).posts[0].url == "https://forum.example/index.php?msg=40"
    assert (
        mybb.read_page(forumpages.mybb(sheet), timezone=BERLIN, now=NOW).posts[0].url
        == "https://forum.example/showthread.php?tid=7&pid=40#pid40"
    )
