"""Names on live pages keep the joiners that belong to them: without its own, “مهدی‌یار” would be somebody else."""

from __future__ import annotations

import pytest
from lxml import html

from scraper.live import LiveForum
from scraper.live_mybb import LiveMybb
from scraper.live_mybb import _rows as mybb_rows
from scraper.live_phpbb import LivePhpbb
from scraper.live_phpbb import _rows as phpbb_rows
from scraper.live_smf import LiveSmf
from scraper.live_vbulletin import LiveVbulletin
from scraper.live_xenforo import LiveXenforo
from scraper.session import Session

NAMES = ("مهدی\u200cیار", "👨\u200d👩\u200d👧 Joy", "क\u094d\u200dष")
HEADS: tuple[tuple[type[LiveForum], str], ...] = (
    (LivePhpbb, '<li id="username_logged_in"><a href="./ucp.php"><span class="username">{}</span></a></li>'),
    (LivePhpbb, '<a href="./ucp.php?mode=logout">Logout [ {} ]</a>'),
    (LiveSmf, '<a id="profile_menu_top" href="?action=profile"><span>{}</span></a>'),
    (LiveSmf, '<ul><li class="greeting">Hello <span>{}</span></li></ul>'),
    (LiveMybb, '<span class="welcome">Back, <a href="member.php?action=profile&amp;uid=3">{}</a></span>'),
    (LiveVbulletin, '<li class="welcomelink">Welcome, <a href="member.php?3">{}</a></li>'),
    (LiveVbulletin, '<strong>Welcome, <a href="member.php?u=3">{}</a></strong>'),
    (LiveXenforo, '<a class="p-navgroup-link--user"><span class="p-navgroup-linkText">{}</span></a><a href="/logout/">out</a>'),
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("kind", "head"), HEADS)
def test_whose_page_it_is(kind: type[LiveForum], head: str, name: str) -> None:
    page = f'<html data-logged-in="true"><head></head><body>{head.format(name)}</body></html>'
    forum = kind("http://forum.example/", Session())
    assert forum._name_on(html.document_fromstring(page)) == name


@pytest.mark.parametrize("name", NAMES)
def test_who_wrote_a_message(name: str) -> None:
    phpbb = (
        '<dl class="row-item pm_read"><dt><a href="./ucp.php?i=pm&amp;mode=view&amp;p=3" class="topictitle">order</a><br> by '
        f'<a class="username">{name}</a> » Thu Nov 12, 2026 5:00 pm</dt></dl>'
    )
    (row,) = phpbb_rows(html.fromstring(f"<div>{phpbb}</div>"), "http://forum.example/")
    assert (row.people, row.when) == ((name,), "Thu Nov 12, 2026 5:00 pm")
    cells = f'<td>icon</td><td><a href="private.php?action=read&amp;pmid=3">order</a></td><td><a href="#">{name}</a></td>'
    mybb = f"<table><tr>{cells}<td><span>12-11-2026, 17:00</span></td><td><input></td></tr></table>"
    assert [one.person for one in mybb_rows(html.fromstring(mybb), "http://forum.example/")] == [name]
