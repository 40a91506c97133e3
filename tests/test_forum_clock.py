"""A forum's clock that is off by minutes: what is seen, said and resolved goes by its times (quality.md, bad days: clocks)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from desk.commands import command
from desk.patience import held_back, hold_back
from desk.table import Table
from desk.views import answer, previewed, status_facts, tally_at
from scheduler import LEASE, replay, resolve_now, start, tick
from scraper.model import Message, Post
from store.record import Draft, Record
from tests.test_tick import GAME, T0, Forum, red

OFF = timedelta(minutes=10)


class Apart(Forum):
    """A forum whose clock is ahead of this machine's; all times in it are by its own."""

    def __init__(self, ahead: timedelta) -> None:
        super().__init__()
        self.ahead = ahead

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        yield from super().posts(record, now)
        record.set_bookmark("clock", round(self.ahead.total_seconds()))


def begun(folder: Path, more: str = "") -> Path:
    (folder / "game.toml").write_text(GAME + more, encoding="utf-8")
    table = Table.at(folder)
    start(table, T0)
    table.record.close()
    return folder


def after(hours: float) -> datetime:
    return T0 + timedelta(hours=hours)


def votes(folder: Path) -> dict[str, int]:
    table = Table.at(folder)
    published = next(event["published"] for event in table.record.events() if event.kind == "tally")
    table.record.close()
    return {name: count for name, count in published.items() if count}


@pytest.mark.parametrize("ahead", [OFF, -OFF])
def test_what_is_written_just_after_the_start_counts(tmp_path: Path, ahead: timedelta) -> None:
    folder, forum = begun(tmp_path), Apart(ahead)
    soon = T0 + ahead + timedelta(minutes=1)
    forum.post("Anna", red("Boris"), soon)
    forum.post("Cleo", red("Elena"), T0 + ahead - timedelta(minutes=1))
    tick(folder, now=T0 + timedelta(minutes=2), outlet=forum)
    resolve_now(folder, now=after(2), outlet=forum)
    assert votes(folder) == {"Boris": 1}
    assert replay(folder) == []


def test_what_is_written_in_the_minutes_after_the_start_counts_from_the_first_on(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path), Forum()
    forum.post("Cleo", red("Elena"), T0 + timedelta(seconds=20))
    forum.post("Anna", red("Boris"), T0 + timedelta(minutes=1))
    tick(folder, now=T0 + timedelta(minutes=2), outlet=forum)
    resolve_now(folder, now=after(2), outlet=forum)
    assert votes(folder) == {"Boris": 1, "Elena": 1}


@pytest.mark.parametrize("seconds", [True, False], ids=["times with seconds", "times without"])
@pytest.mark.parametrize("early", [True, False], ids=["all have voted", "the GM resolves"])
def test_what_is_written_after_an_early_end_is_of_the_next_phase_though_the_forum_is_behind(
    tmp_path: Path, early: bool, seconds: bool
) -> None:
    folder, forum = begun(tmp_path, "[clock]\nearly = true\n" if early else ""), Forum()
    end = after(2) + timedelta(seconds=30)

    def ago(seconds_: int) -> datetime:
        return (end - timedelta(seconds=seconds_)).replace(**({} if seconds else {"second": 0}))

    for by in ("Anna", "Boris", "Cleo", "Dmitri", "Elena"):
        forum.post(by, red("Anna" if by == "Elena" else "Elena"), ago(119))
    closed = tick(folder, now=end, outlet=forum) if early else resolve_now(folder, now=end, outlet=forum)
    assert closed.closed == ["trial 1"]
    forum.post("Anna", red("gym").replace("red", "green"), ago(115))
    forum.inbox.append(Message("m1", "Cleo", ("Monokuma",), ago(110), "", "stake out Anna", "inbox"))
    tick(folder, now=end + timedelta(minutes=1), outlet=forum)
    table = Table.at(folder)
    first, second = (table.inputs(phase, phase.closed_at) for phase in table.record.phases())
    assert (len(first.posts), len(first.orders)) == (5, 0)
    assert [one.id for one in second.posts if not one.by.startswith("stranger")] == ["post 6"]
    assert [one.id for one in second.orders] == ["message 1"]
    assert not [text for _, text in table.record.notices() if "counts nowhere" in text]
    table.record.close()
    assert replay(folder) == []


def test_a_vote_changed_between_the_two_looks_before_an_early_end_counts(tmp_path: Path) -> None:
    class Busy(Forum):
        def posts(self, record: Record, now: datetime) -> Iterable[Post]:
            if self.looks == 1:
                self.post("Anna", red("Dmitri"), after(2) + timedelta(seconds=20))
            self.looks += 1
            return super().posts(record, now)

        looks = 0

    folder, forum = begun(tmp_path, "[clock]\nearly = true\n"), Busy()
    for by in ("Anna", "Boris", "Cleo", "Dmitri", "Elena"):
        forum.post(by, red("Anna" if by == "Elena" else "Elena"), after(1))
    assert tick(folder, now=after(2), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Elena": 3, "Anna": 1, "Dmitri": 1}
    assert replay(folder) == []


def test_what_is_read_only_after_a_phase_was_closed_at_its_deadline_stays_late(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path), Forum()
    tick(folder, now=after(48.1), outlet=forum)
    forum.post("Anna", red("Boris"), after(48) - timedelta(seconds=30))
    tick(folder, now=after(48.2), outlet=forum)
    table = Table.at(folder)
    assert not table.inputs(table.record.phases()[1]).posts
    assert [text for _, text in table.record.notices() if "counts nowhere" in text]
    table.record.close()


def test_a_message_dated_ahead_by_its_sender_closes_no_phase_before_the_thread_had_its_time(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path), Forum()
    forum.inbox.append(Message("m1", "Cleo", ("Monokuma",), after(48) + timedelta(seconds=125), "", "hello", "mail/box:1"))
    now = after(48) + timedelta(seconds=10)
    report = tick(folder, now=now, outlet=forum)
    assert report.closed == []
    assert report.due == after(48) + timedelta(minutes=2)


def test_what_was_read_counts_when_the_gm_resolves_though_the_forum_is_seconds_ahead(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path), Forum()
    forum.post("Anna", red("Boris"), after(2) + timedelta(seconds=30))
    forum.post("Cleo", red("Elena"), after(2) + timedelta(minutes=30))
    resolve_now(folder, now=after(2), outlet=forum)
    assert votes(folder) == {"Boris": 1}
    assert replay(folder) == []


def test_a_first_phase_whose_opening_the_gm_has_set_stays_as_set(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path, f"[clock]\nopens = {T0:%Y-%m-%dT%H:%M:%S}\n"), Apart(-OFF)
    tick(folder, now=after(1), outlet=forum)
    table = Table.at(folder)
    assert table.record.phases()[0].opened_at == T0
    table.record.close()


def test_a_vote_that_the_gm_sees_in_the_thread_counts_when_he_resolves_or_looks(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path), Apart(OFF)
    tick(folder, now=after(1), outlet=forum)
    forum.post("Anna", red("Boris"), after(2) + OFF - timedelta(minutes=1))
    tick(folder, now=after(2), outlet=forum)
    assert [one["target"] for one in tally_at(folder, None, after(2))["counts"]] == ["Boris"]
    assert status_facts(folder, after(2))["seconds_left"] == 46 * 3600 - 600
    assert any(event.kind == "death" and event["player"] == "Boris" for event in previewed(folder, [], after(2))[0].events)
    resolve_now(folder, now=after(2), outlet=forum)
    assert votes(folder) == {"Boris": 1}
    assert replay(folder) == []


def test_the_gm_has_the_last_word(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path), Apart(OFF)
    forum.post("Anna", red("Boris"), after(2) + OFF)
    tick(folder, now=after(2) + timedelta(seconds=1), outlet=forum)
    command(folder, "vote Anna for Elena", after(2) + timedelta(minutes=5))
    assert [one["target"] for one in tally_at(folder, None, after(3))["counts"]] == ["Elena"]


def test_what_is_first_seen_after_the_deadline_is_late(tmp_path: Path) -> None:
    """Our clock is behind: by it the deadline is still to come."""
    folder, forum = begun(tmp_path), Apart(OFF)
    forum.post("Anna", red("Boris"), after(1))
    tick(folder, now=after(2), outlet=forum)
    forum.thread[0] = Post("1", 1, "Anna", None, after(1), None, "http://forum/1", red("Cleo"), "")  # edited without a mark
    forum.inbox.append(Message("m1", "Dmitri", ("Monokuma",), None, "", "short_circuit Anna", "inbox"))
    tick(folder, now=after(48) - OFF + timedelta(minutes=1), outlet=forum)
    asked = tick(folder, now=after(48) - OFF + timedelta(minutes=3), outlet=forum).questions
    assert [one.question for one in asked] == ["changed_late"]  # it may have been edited before
    answer(folder, "1", "before", after(48))
    assert tick(folder, now=after(48.1), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Boris": 1}
    table = Table.at(folder)
    first, *_ = table.record.phases()
    assert not table.inputs(first, first.closed_at).orders
    table.record.close()


def test_a_log_in_refused_for_weeks_is_tried_on(tmp_path: Path) -> None:
    table = Table.at(begun(tmp_path))
    for _ in range(99):
        hold_back(table, T0)
    held = held_back(table, after(5))
    assert held is not None
    assert "until 2026-11-03 02:00 UTC" in held
    assert held_back(table, after(6)) is None
    table.record.close()


@pytest.mark.parametrize(("second", "counts"), [(0, True), (3, False), (7, True), (8, True)])
def test_a_vote_of_the_minute_in_which_the_game_began(tmp_path: Path, second: int, counts: bool) -> None:
    """The game is begun at 7 seconds past the minute; a forum that tells minutes only gives every post of it as of :00."""
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0 + timedelta(seconds=7.4))
    table.record.close()
    forum.post("Anna", red("Boris"), T0 + timedelta(seconds=second))
    tick(tmp_path, now=T0 + timedelta(minutes=2), outlet=forum)
    resolve_now(tmp_path, now=after(2), outlet=forum)
    assert votes(tmp_path) == ({"Boris": 1} if counts else {})


def test_the_lease_against_another_machine_goes_by_this_machines_clock(tmp_path: Path) -> None:
    folder, forum = begun(tmp_path), Apart(-timedelta(hours=5))
    table = Table.at(folder)
    table.record.add_draft("more", "report", "thread", "More", "And more.", "approved", T0, None)
    table.record.close()
    held: list[str] = []
    send = forum.send

    def looking(draft: Draft, standing: str | None) -> tuple[str, str]:
        table = Table.at(folder)
        held.append(table.record.bookmark("lease")[1])
        table.record.close()
        return send(draft, standing)

    forum.send = looking  # type: ignore[method-assign]
    now = after(6)
    tick(folder, now=now, outlet=forum)
    assert held
    assert min(map(datetime.fromisoformat, held)) >= now + LEASE
