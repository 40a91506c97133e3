"""Folders of private messages on SMF 2.0, whose pages are told otherwise than those of 2.1, and dates made of numbers alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from lxml import html

from scraper.dates import DateReader
from scraper.live_smf import LiveSmf
from scraper.model import SourceError
from scraper.smf_mail import read_folder
from tests.smf_kit import SITE, Board
from tests.test_live_smf import board

__all__ = ["board"]

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)


def letter(number: int, date: str) -> str:
    return (
        f'<div class="post_wrapper"><div class="poster"><h4><a href="x?action=profile;u=4">Ann</a></h4></div><div class="postarea">'
        f'<div class="keyinfo"><h5 id="subject_{number}">Order</h5><span class="smalltext">&#171; <strong>Zu:</strong> '
        f'<a href="x?action=profile;u=1">Gm</a> <strong>ki:</strong> {date} &#187;</span></div>'
        f'<div class="inner" id="msg_{number}">kill</div></div></div>'
    )


def reader() -> DateReader:
    return DateReader(timezone=UTC, now=NOW, languages=("en",))


def test_the_next_page_of_a_folder_of_2_0_is_found() -> None:
    sort = '<a href="x?action=pm;f=inbox;start=10;sort=subject">x</a>'
    pages = "".join(f'<a class="navPages" href="x?action=pm;f=inbox;sort=date;desc;start={n}">{n}</a> ' for n in (0, 20, 30))
    tree = html.fromstring(f'<html><body>{sort}<div class="pagesection"><div class="floatleft">{pages}</div></div></body></html>')
    assert read_folder(tree, reader(), 10).following == 20
    assert read_folder(tree, reader(), 30).following is None


@pytest.mark.parametrize(("days", "clocks"), [(("05.11.26", "24.11.26"), []), (("05.11.26",), [("29.11.26 20:15", NOW)])])
def test_the_order_of_day_and_month_is_learned_from_the_page(days: tuple[str, ...], clocks: list[tuple[str, datetime]]) -> None:
    letters = "".join(letter(n, f"{day} 10:30") for n, day in enumerate(days, start=7))
    page = read_folder(html.fromstring(f"<html><body>{letters}</body></html>"), reader(), 0, clocks)
    assert page.letters[0].sent_at == datetime(2026, 11, 5, 10, 30, tzinfo=UTC)


def test_messages_in_the_other_theme_of_2_0() -> None:
    page = html.fromstring(
        '<html><body><div class="bordercolor" id="msg9"><div class="clearfix"><div class="floatleft poster"><h4><a href="x?action=profile;u=3">Anna'
        '</a></h4><ul class="reset smalltext" id="msg_9_extra_info"><li>12 ga</li></ul></div><div class="postarea"><div class="flow_hidden"><div '
        'class="keyinfo"><h5><strong>Night 1</strong></h5><div class="smalltext">&#171; <strong> Zu:</strong> <a href="x?action=profile;u=2">Host'
        '</a> <strong> ki:</strong> November 12, 2026, 05:04:03 PM &#187;</div></div><ul class="reset"><li><a href="x?action=pm;sa=send;pmsg=9">R'
        '</a></li></ul></div><div class="personalmessage"><hr class="hrcolor">kill <b>Boris</b><hr>x</div></div></div></div></body></html>'
    )
    (told,) = read_folder(page, reader(), 0).letters
    assert (told.id, told.sender, told.sender_id, told.people, told.subject) == ("9", "Anna", "3", (("2", "Host"),), "Night 1")
    assert told.body.replace("\n", " ") == "kill [b]Boris[/b] [hr] x"
    assert told.sent_at == datetime(2026, 11, 12, 17, 4, 3, tzinfo=UTC)


def test_a_mailbox_in_a_theme_that_cannot_be_read_is_not_empty(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    board.named_errors = board.feed = board.has_clock = False
    live = LiveSmf(SITE, board.clock.session(), now=board.clock.now)
    live.log_in("host", "secret")
    assert list(live.messages()) == []
    board.write("Anna", "The Host", "x", "y")
    assert len(list(live.messages())) == 1
    shown = Board.letter
    monkeypatch.setattr(Board, "letter", lambda *told: shown(*told).replace('class="inner"', 'class="said"'))
    with pytest.raises(SourceError, match="style that cannot be read"):
        list(live.messages())


def test_nothing_new_in_the_mailbox_of_2_0_costs_one_request(board: Board) -> None:
    board.named_errors = board.feed = board.has_clock = False
    live = LiveSmf(SITE, board.clock.session(), now=board.clock.now)
    live.log_in("host", "secret")
    board.write("Anna", "The Host", "x", "y")
    known = [message.id for message in live.messages()]
    assert known
    board.asked.clear()
    assert (list(live.messages(known=known)), board.asked) == ([], ["GET pm"])
