"""Reminders: each once, before each deadline, and to those alone who have not acted. And what the GM is told of the game."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from desk.commands import command
from desk.table import Table
from publisher.delivery import THREAD
from publisher.drafts import digest, draft_reminders
from scheduler import start
from scraper.model import Message, Post
from store.record import Draft
from tests.test_tick import GAME, T0, red

REMINDED = GAME + 'reminder = "auto"\n[clock]\ntimezone = "Europe/Berlin"\nreminders = [24, 3]\n'
ENDS = T0 + timedelta(hours=48)


def game(folder: Path, text: str = REMINDED) -> Table:
    (folder / "game.toml").write_text(text, encoding="utf-8")
    table = Table.at(folder)
    start(table, T0)
    return table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return game(tmp_path)


def posted(table: Table, by: str, text: str, at: datetime) -> None:
    number = len(table.record.posts(None, None)) + 1
    table.record.add_posts([Post(str(number), number, by, None, at, None, f"http://forum/{number}", text, text)], at)


def reminders(table: Table, *states: str) -> list[Draft]:
    return [one for one in table.record.drafts(*states) if one.kind == "reminder"]


def test_each_reminder_goes_out_once_to_the_thread_and_to_those_who_have_not_voted(table: Table) -> None:
    draft_reminders(table, ENDS - timedelta(hours=24, minutes=1))
    assert reminders(table) == []
    posted(table, "Anna", red("Boris"), T0 + timedelta(hours=1))
    for minutes in (0, 5, 10):
        draft_reminders(table, ENDS - timedelta(hours=24) + timedelta(minutes=minutes))
    first = reminders(table)
    assert [one.audience for one in first] == [THREAD, "Boris", "Cleo", "Dmitri", "Elena"]
    assert {one.state for one in first} == {"approved"}
    assert "Wednesday 4 November 2026, 21:00 Europe/Berlin (20:00 UTC)" in first[0].body
    assert all("21:00 Europe/Berlin (20:00 UTC)" in one.body for one in first)
    assert "ends soon" in first[0].title
    posted(table, "Anna", red("unvote"), ENDS - timedelta(hours=23))
    draft_reminders(table, ENDS - timedelta(hours=22))
    assert len(reminders(table)) == 5
    posted(table, "Anna", red("Boris"), ENDS - timedelta(hours=21))
    posted(table, "Cleo", red("Boris"), ENDS - timedelta(hours=4))
    draft_reminders(table, ENDS - timedelta(hours=3))
    draft_reminders(table, ENDS - timedelta(hours=2))
    assert [one.audience for one in reminders(table)[5:]] == [THREAD, "Boris", "Dmitri", "Elena"]
    draft_reminders(table, ENDS)
    assert len(reminders(table)) == 9


def test_after_a_pause_only_the_last_of_those_due(table: Table) -> None:
    draft_reminders(table, ENDS - timedelta(hours=1))
    draft_reminders(table, ENDS - timedelta(minutes=30))
    assert [one.key.rpartition(" ")[2] for one in reminders(table) if one.audience == THREAD] == ["3h"]


def test_a_moved_deadline_is_reminded_of_anew(table: Table) -> None:
    draft_reminders(table, ENDS - timedelta(hours=24))
    command(table.settings.folder, "extend 48h", ENDS - timedelta(hours=23))
    draft_reminders(table, ENDS - timedelta(hours=22))
    assert len({one.key.split()[2] for one in reminders(table)}) == 1
    draft_reminders(table, ENDS + timedelta(hours=24))
    assert len({one.key.split()[2] for one in reminders(table)}) == 2


def test_no_phase_begins_with_a_reminder(tmp_path: Path) -> None:
    table = game(tmp_path, REMINDED.replace("[24, 3]", "[48, 60]"))
    for hours in (0, 1, 47):
        draft_reminders(table, T0 + timedelta(hours=hours))
    assert reminders(table) == []


def test_what_waits_too_long_or_is_no_longer_true_is_dropped(tmp_path: Path) -> None:
    table = game(tmp_path, REMINDED.replace('reminder = "auto"', 'reminder = "review"'))
    draft_reminders(table, ENDS - timedelta(hours=24))
    assert {one.state for one in reminders(table)} == {"review"}
    posted(table, "Anna", red("Boris"), ENDS - timedelta(hours=20))
    draft_reminders(table, ENDS - timedelta(hours=19))
    assert [one.audience for one in reminders(table, "dropped")] == ["Anna"]
    draft_reminders(table, ENDS - timedelta(hours=3))
    assert len(reminders(table, "dropped")) == 6
    assert len(reminders(table, "review")) == 5
    draft_reminders(table, ENDS)
    assert reminders(table, "review") == []


def test_none_where_none_are_asked_for(tmp_path: Path) -> None:
    table = game(tmp_path, GAME)
    draft_reminders(table, ENDS - timedelta(hours=1))
    assert reminders(table) == []


def test_the_public_reminder_is_the_same_whoever_has_acted(tmp_path: Path) -> None:
    """Who has an order to send is a secret: the thread is told of the deadline only."""
    text = REMINDED.replace('seed = "17"', 'seed = "17"\nstart = "daily life 1"')
    bodies = set()
    for orders in ([], ["stake out Anna"]):
        folder = tmp_path / str(len(orders))
        folder.mkdir()
        table = game(folder, text)
        at = T0 + timedelta(hours=1)
        table.record.add_messages([Message(f"m{text}", "Cleo", ("Monokuma",), at, "x", text, "inbox") for text in orders], at)
        phase = table.current()
        assert phase is not None
        assert phase.deadline is not None
        draft_reminders(table, phase.deadline - timedelta(hours=3))
        bodies.add(next(one.body for one in reminders(table) if one.audience == THREAD))
    assert len(bodies) == 1


def test_the_gm_is_told_what_came_in_who_is_waited_for_and_what_waits(tmp_path: Path) -> None:
    table = game(tmp_path, REMINDED.replace('role = "auto"', 'role = "review"').replace(', "tie"]', "]"))
    posted(table, "Anna", red("Boris"), T0 + timedelta(hours=1))
    told = digest(table, T0 + timedelta(hours=2))
    assert told.error is None
    assert told.kind == "digest"
    assert "trial 1" in told.body
    assert "20:00 UTC" in told.body
    assert "1 post, 0 private messages" in told.body
    assert "No vote yet (4): Boris, Cleo, Dmitri and Elena" in told.body
    assert "Waits for your approval (5):" in told.body
    assert "(Anna)" in told.body
    assert "Goes out with the next tick (2):" in told.body
    assert "[" not in told.body
    posted(table, "Boris", red("Anna"), T0 + timedelta(hours=3))
    assert "A question waits for your answer: tie" in digest(table, T0 + timedelta(hours=4)).body


def test_before_the_game_the_digest_says_so(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    assert "has not begun" in digest(Table.at(tmp_path), T0).body


def awaited(table: Table, hours: float) -> dict[str, str]:
    return dict(table.play(until=T0 + timedelta(hours=hours), close=False).awaited)


def test_in_a_daily_life_orders_of_those_who_have_an_ability_to_use(tmp_path: Path) -> None:
    text = REMINDED.replace('seed = "17"', 'seed = "17"\nstart = "daily life 1"').replace('Anna = "ultimate_detective"', 'Anna = "ultimate_stuntman"')
    table = game(tmp_path, text)
    assert awaited(table, 1) == {"Boris": "order", "Cleo": "order", "Dmitri": "order"}
    table.record.add_messages([Message("m", "Cleo", ("Monokuma",), T0 + timedelta(hours=1), "x", "stake out Anna", "inbox")], T0)
    assert awaited(table, 2) == {"Boris": "order", "Dmitri": "order"}
    table.record.add_messages([Message("n", "Cleo", ("Monokuma",), T0 + timedelta(hours=3), "x", "withdraw stake out", "inbox")], T0)
    assert awaited(table, 4) == {"Boris": "order", "Cleo": "order", "Dmitri": "order"}


def test_in_a_deadly_life_investigations_or_what_disrupts_them(tmp_path: Path) -> None:
    table = game(tmp_path, REMINDED.replace('seed = "17"', 'seed = "17"\nstart = "deadly life 1"'))
    assert set(awaited(table, 0).values()) == {"investigation"}
    posted(table, "Anna", "[b][color=blue]gym[/color][/b]", T0 + timedelta(hours=1))
    posted(table, "Boris", "[b][color=blue]no such thing[/color][/b]", T0 + timedelta(hours=1))
    assert sorted(awaited(table, 2)) == ["Boris", "Cleo", "Dmitri", "Elena"]


def test_a_vote_that_waits_for_the_gm_is_not_asked_of_its_voter(tmp_path: Path) -> None:
    table = game(tmp_path, REMINDED.replace('Cleo = "ultimate_journalist"', 'Cleo = "ultimate_journalist"\nClea = "ultimate_lawyer"'))
    posted(table, "Anna", red("Cle"), T0 + timedelta(hours=1))
    assert sorted(awaited(table, 2)) == ["Boris", "Clea", "Cleo", "Dmitri", "Elena"]
