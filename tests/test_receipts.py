"""Each message with orders can be answered with how it was read."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from desk.table import Table
from scheduler import start, tick
from scraper.model import Message
from tests.test_tick import GAME, T0, Forum


def played(folder: Path, *bodies: str, receipts: bool = True) -> list[str]:
    """The receipts and answers that Anna got for these messages, one an hour."""
    return [body for _, body in titled(folder, *bodies, receipts=receipts)]


def titled(folder: Path, *bodies: str, receipts: bool = True) -> list[tuple[str, str]]:
    """The same with their titles."""
    more = '[options]\nfirst_phase = "daily_life"\nsulkers = "group"\n' + ("[mail]\nreceipts = true\n" if receipts else "")
    (folder / "game.toml").write_text(GAME.replace("ultimate_detective", "ultimate_hypnotist") + more, encoding="utf-8")
    start(Table.at(folder), T0)
    forum = Forum()
    for number, body in enumerate(bodies, 1):
        at = T0 + timedelta(hours=number)
        forum.inbox.append(Message(f"m{number}", "Anna", ("Monokuma",), at, "", body, f"https://forum/{number}"))
        tick(folder, now=at + timedelta(minutes=5), outlet=forum)
    return [(title, body) for to, title, body in forum.sent if to == "Anna"][1:]


def test_a_receipt_says_what_was_read_and_what_it_replaces(tmp_path: Path) -> None:
    first, second, third = played(tmp_path, "hypnotise Boris to Cleo", "hypnotise Dmitri to Cleo", "withdraw hypnotise")
    assert "hypnotise Boris to Cleo" in first
    assert "no longer stands" not in first
    assert second.index("hypnotise Dmitri to Cleo") < second.index("no longer stands") < second.index("hypnotise Boris to Cleo")
    assert "No order of yours stands now" in third


def test_what_does_not_count_is_said_once_with_the_reason(tmp_path: Path) -> None:
    (only,) = played(tmp_path, "hypnotise Boris to Cleo; care Cleo; gronk the flumm")
    assert "not yours" in only
    assert "gronk the flumm" in only
    assert "hypnotise Boris to Cleo" in only


def test_without_the_option_only_refusals_are_answered(tmp_path: Path) -> None:
    told = played(tmp_path, "hypnotise Boris to Cleo", "care Cleo", receipts=False)
    assert not any("was read as" in body for body in told)


def test_two_receipts_in_the_same_words_are_two_messages(tmp_path: Path) -> None:
    told = titled(tmp_path, "hypnotise Boris to Cleo", "withdraw hypnotise", "hypnotise Boris to Cleo", "withdraw hypnotise")
    assert told[0][1] == told[2][1]
    assert len(set(told)) == 4
    assert told[2][0] == f"{told[0][0]} (2)"
