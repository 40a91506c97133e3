"""The GM gives a command while a tick is at work: both do as they say, and nothing of either is lost (quality.md, bad days)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import desk.outgoing
import desk.table
import scheduler
from desk.commands import command
from desk.outgoing import handle
from desk.table import Table
from publisher.delivery import deliver
from scheduler import Report, replay, start, tick
from scraper.model import BadInput
from store.record import Draft, Record
from tests.test_tick import GAME, T0, Forum, red


def after(hours: float) -> datetime:
    return T0 + timedelta(hours=hours)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    table.record.close()
    return tmp_path


class Aside:
    """Somebody else's process: does its one thing while the other holds the record, and tells whether it had to wait."""

    def __init__(self, thing: Callable[[], object]) -> None:
        self.failed: Exception | None = None

        def run() -> None:
            try:
                thing()
            except Exception as error:
                self.failed = error

        self.thread = threading.Thread(target=run)
        self.thread.start()
        self.thread.join(0.3)
        self.waited = self.thread.is_alive()

    def ended(self) -> Aside:
        self.thread.join(20)
        assert not self.thread.is_alive()
        return self


def test_what_has_been_read_can_still_be_written_though_another_process_writes_meanwhile(folder: Path) -> None:
    record = Record(folder / "game.db")

    def other() -> None:
        second = Record(folder / "game.db")
        second.notice(T0, "from another process")
        second.close()

    with record.together():
        record.extent()
        aside = Aside(other)
        record.notice(T0, "from this one")
    assert aside.ended().failed is None
    assert [text for _, text in record.notices()][-2:] == ["from this one", "from another process"]
    record.close()


@pytest.mark.parametrize("said", ["vote Anna for Cleo", "modkill Cleo"])
def test_a_command_given_while_the_phase_closes_is_in_no_phase_that_was_resolved_without_it(
    folder: Path, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forum = Forum()
    forum.post("Anna", red("Boris"), after(1))
    asides: list[Aside] = []
    played = desk.table.play

    def slow(*given: Any) -> Any:
        outcome = played(*given)
        if not asides:
            asides.append(Aside(lambda: command(folder, said, after(48.1))))
        return outcome

    monkeypatch.setattr(desk.table, "play", slow)
    tick(folder, now=after(48.1), outlet=forum)
    monkeypatch.undo()
    assert asides[0].waited
    assert isinstance(asides[0].ended().failed, BadInput) or said.startswith("modkill")
    assert replay(folder) == []


def test_a_phase_prolonged_as_it_is_about_to_close_stays_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = scheduler.waits_for_its_report

    def slow(table: Table) -> bool:
        command(folder, "extend 6h", after(48.1))
        return asked(table)

    monkeypatch.setattr(scheduler, "waits_for_its_report", slow)
    assert tick(folder, now=after(48.1), outlet=Forum()).closed == []
    monkeypatch.undo()
    assert tick(folder, now=after(53), outlet=Forum()).closed == []
    assert tick(folder, now=after(54.1), outlet=Forum()).closed == ["trial 1"]


def test_two_starts_at_once_begin_one_game(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    first, second = Table.at(tmp_path), Table.at(tmp_path)
    assert not second.started()
    start(first, T0)
    with pytest.raises(BadInput, match="has begun already"):
        start(second, T0)
    assert len(first.record.phases()) == 1


class Slow(Forum):
    """A forum that takes its time over each post: what the GM does meanwhile is `meanwhile`, once."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = meanwhile

    def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
        found = super().send(draft, standing)
        if self.meanwhile is not None:
            do, self.meanwhile = self.meanwhile, None
            do()
        return found


def outbox(folder: Path, *audiences: str) -> Record:
    """A record with nothing in the outbox but one approved draft to each."""
    record = Record(folder / "game.db")
    for draft in record.drafts():
        record.change_draft(draft.id, state="dropped")
    for number, audience in enumerate(audiences):
        record.add_draft(f"k{number}", "private", audience, f"Title {number}", f"Words {number}.", "approved", T0, None)
    return record


def gm(folder: Path, action: str, draft: int, text: str = "") -> list[str]:
    return list(handle(folder, action, [draft], lambda body: text or None, after(1)))


def test_a_draft_dropped_while_others_go_out_does_not_go_out(folder: Path) -> None:
    record = outbox(folder, "thread", "Anna", "thread")
    last = record.drafts()[-1].id
    forum = Slow(lambda: (gm(folder, "drop", last - 1), gm(folder, "drop", last)))
    deliver(record, forum, Report(), T0)
    assert [body for _, _, body in forum.sent] == ["Words 0."]
    assert [one.state for one in record.drafts()[-3:]] == ["posted", "dropped", "dropped"]


def test_a_draft_changed_while_others_go_out_goes_out_as_changed(folder: Path) -> None:
    record = outbox(folder, "thread", "Anna")
    last = record.drafts()[-1].id
    forum = Slow(lambda: gm(folder, "edit", last, "Other words."))
    deliver(record, forum, Report(), T0)
    assert forum.sent[-1] == ("Anna", "Title 1", "Other words.")


def test_a_post_changed_on_its_way_is_edited(folder: Path) -> None:
    record = outbox(folder, "thread")
    number = record.drafts()[-1].id
    forum = Slow(lambda: gm(folder, "edit", number, "Other words."))
    deliver(record, forum, Report(), T0)
    deliver(record, forum, Report(), T0)
    assert [body for _, _, body in forum.sent] == ["Other words."]
    assert record.draft(number).state == "posted"


@pytest.mark.parametrize(("action", "audience"), [("drop", "thread"), ("drop", "Anna"), ("edit", "Anna")])
def test_what_came_too_late_for_a_draft_on_its_way_is_said(folder: Path, action: str, audience: str) -> None:
    record = outbox(folder, audience)
    number = record.drafts()[-1].id
    forum = Slow(lambda: gm(folder, action, number, "Other words."))
    deliver(record, forum, Report(), T0)
    deliver(record, forum, Report(), T0)
    assert [body for _, _, body in forum.sent] == ["Words 0."]
    draft = record.draft(number)
    assert (draft.state, draft.body) == ("posted", "Words 0.")
    assert "on its way when you" in str(draft.error)


def test_the_text_of_an_editor_is_given_back_where_the_draft_has_gone_out(folder: Path) -> None:
    record = outbox(folder, "Anna")
    number = record.drafts()[-1].id

    def typed(body: str) -> str:
        deliver(record, Forum(), Report(), T0)
        return "Much typed."

    with pytest.raises(BadInput, match=r"posted already[\s\S]*Much typed\."):
        list(handle(folder, "edit", [number], typed, after(1)))


def test_a_report_is_approved_with_its_deadline_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    file.write_text(file.read_text("utf-8") + '[clock]\ncounts_from = "announcement"\n', "utf-8")
    tick(folder, now=after(49), outlet=Forum())
    table = Table.at(folder)
    (report,) = [one for one in table.record.drafts("review") if one.kind == "report"]

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(desk.outgoing, "counted_from_now", killed)
    with pytest.raises(KeyboardInterrupt):
        gm(folder, "approve", report.id)
    assert table.record.draft(report.id).state == "review"
