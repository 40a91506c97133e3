"""A post in which something is never closed does not take on what stands in those after it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import ModuleType

import pytest

from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from scraper import fluxbb, mybb, phpbb, smf, xenforo
from tests import fluxbb_kit, xenforo_kit

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
FIRST = Sample(100, "Anna", 2, NOW - timedelta(days=9), "one")
SECOND = Sample(101, "Bert", 3, NOW - timedelta(days=8), "two", edited=NOW - timedelta(days=7))
SHEET = Sheet([FIRST, SECOND], lambda moment: moment.strftime("%d-%m-%Y, %H:%M"), total=2)


def flux() -> str:
    board = fluxbb_kit.Board()
    board.say("Anna", "one")
    second = board.say("Bert", "two")
    second.edited = NOW
    return str(board.topic({"id": "7"})[2])


def xen() -> str:
    board = xenforo_kit.Board()
    board.say("Anna", "one")
    second = board.say("Bert", "two")
    second.edited = NOW
    return str(board.topic(board.thread, 1)[2])


@pytest.mark.parametrize(
    ("module", "make", "begins"),
    [
        (phpbb, lambda: forumpages.phpbb(SHEET), '<div id="p101"'),
        (mybb, lambda: forumpages.mybb(SHEET), 'id="post_101"'),
        (smf, lambda: forumpages.smf(SHEET), '<div class="windowbg" id="msg101"'),
        (fluxbb, flux, "blockpost"),
        (xenforo, xen, 'data-author="Bert"'),
    ],
)
def test_a_post_that_is_never_closed_keeps_to_itself(module: ModuleType, make: Callable[[], str], begins: str) -> None:
    page = make()
    at = page.rindex("<", 0, page.rindex(begins) + 1)
    end = page.rindex("</", 0, at)  # of the first post
    first, second = module.read_page(page[:end] + ("<article>" if module is xenforo else "<div>") + page[end:], timezone=UTC, now=NOW).posts
    assert (first.author, first.text, first.edited) == ("Anna", "one", False)
    assert (second.author, second.text, second.edited) == ("Bert", "two", True)


def test_a_table_that_is_never_closed_takes_no_smf_post_in() -> None:
    first, second = smf.read_page(forumpages.smf(SHEET).replace("one", "one<table><tr><td>", 1), timezone=UTC, now=NOW).posts
    assert (first.author, first.edited) == ("Anna", False)
    assert "two" not in first.bbcode
    assert (second.author, second.text, second.edited) == ("Bert", "two", True)
