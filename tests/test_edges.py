"""The edge between two phases: what lies there counts in one of them, and the GM is told of what counts in none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from desk.commands import command
from desk.table import Table
from desk.views import answer, status_facts, status_lines
from scheduler import replay, resolve_now, tick
from scraper.model import Message, Post, SourceError
from store.record import Record
from tests.test_clock import PLAYERS, after, game
from tests.test_forum_clock import Apart, votes
from tests.test_hosting import FLOATING, deadline, green, told
from tests.test_tick import Forum, Killed, red


class Busy(Forum):
    """A forum on which something happens between the first and the second look of a tick."""

    def __init__(self, meanwhile: Callable[[Busy], object]) -> None:
        super().__init__()
        self.meanwhile, self.looks = meanwhile, 0

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        self.looks += 1
        if self.looks == 2:
            self.meanwhile(self)
        return super().posts(record, now)


def edited(forum: Forum, number: int, bbcode: str, at: datetime | None) -> None:
    forum.thread[number - 1] = replace(forum.thread[number - 1], bbcode=bbcode, edited_at=at)


@pytest.mark.parametrize("said", [red("Boris"), red("Boris") + " (a slip of the pen)"])
def test_a_post_that_counted_and_is_edited_later_is_not_told_to_count_nowhere(tmp_path: Path, said: str) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(1))
    forum.post("Cleo", red("Boris"), after(1))
    tick(folder, now=after(48.1), outlet=forum)
    edited(forum, 2, said, after(49))
    tick(folder, now=after(49.1), outlet=forum)
    assert "post" not in told(folder)
    edited(forum, 2, green("gym") + said, after(50))
    tick(folder, now=after(50.1), outlet=forum)
    assert "An edit of a post by Cleo of 2026-11-02T21:00:00Z was read only after trial 1 had been resolved" in told(folder)
    assert told(folder).count("http://forum/2") == 1


def test_a_post_of_the_last_minutes_before_an_early_end_that_is_edited_later_is_told(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(5))
    assert resolve_now(folder, now=after(5) + timedelta(seconds=50), outlet=forum).closed == ["trial 1"]
    edited(forum, 1, red("Elena") + green("gym"), after(6))
    tick(folder, now=after(6.1), outlet=forum)
    assert told(folder).count("An edit of a post by Anna") == 1


def test_what_stands_behind_the_closing_post_and_is_read_later_counts_without_a_warning(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING), Forum()
    forum.post("Anna", red("Elena"), after(52))
    forum.post("Monokuma", "##deadline now", after(53))
    assert tick(folder, now=after(53) + timedelta(minutes=2), outlet=forum).closed == ["trial 1"]
    forum.post("Boris", green("gym"), after(53))
    tick(folder, now=after(53.1), outlet=forum)
    table = Table.at(folder)
    assert [post.id for post in table.inputs(table.record.phases()[1]).posts] == ["post 3"]
    assert "counts nowhere" not in told(folder)


def test_what_is_dated_before_the_hosts_word_and_read_after_it_is_not_of_the_next_phase(tmp_path: Path) -> None:
    """The forum is ahead: the word was heeded in the very second in which it stands, and the phase was closed in its time."""
    folder, forum = game(tmp_path, FLOATING), Forum()
    word = after(53) + timedelta(seconds=100)
    forum.post("Monokuma", "##deadline now", word)
    tick(folder, now=after(53), outlet=forum)
    assert tick(folder, now=word + timedelta(minutes=2), outlet=forum).closed == ["trial 1"]
    forum.post("Boris", green("gym"), word - timedelta(seconds=60))
    tick(folder, now=after(53.2), outlet=forum)
    table = Table.at(folder)
    assert not [post.id for post in table.inputs(table.record.phases()[1]).posts if post.by == "Boris"]
    assert "counts nowhere" in told(folder)


def test_an_edit_that_was_read_counts_when_the_gm_resolves_though_the_forum_is_seconds_ahead(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(1))
    tick(folder, now=after(2), outlet=forum)
    edited(forum, 1, red("Boris"), after(3) + timedelta(seconds=100))
    resolve_now(folder, now=after(3), outlet=forum)
    assert votes(folder) == {"Boris": 1}
    assert replay(folder) == []


@pytest.mark.parametrize("said", [red("Boris"), red("Elena") + " I am sure."])
def test_a_vote_changed_in_the_minute_of_the_deadline_is_told(tmp_path: Path, said: str) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(1))
    tick(folder, now=after(2), outlet=forum)
    edited(forum, 1, said, after(48))
    assert tick(folder, now=after(48.1), outlet=forum).closed == ["trial 1"]
    assert ("Anna changed a post in the very minute in which trial 1 ended" in told(folder)) == ("Boris" in said)


def test_a_post_first_read_after_an_edit_in_the_minute_of_the_deadline_is_asked_about(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(47))
    edited(forum, 1, red("Boris"), after(48))
    assert [one.question for one in tick(folder, now=after(48.1), outlet=forum).questions] == ["edited_late"]


def test_a_post_that_was_edited_in_the_minute_in_which_it_is_read_counts_at_once(tmp_path: Path) -> None:
    """MyBB marks a post as edited that it has put a second one behind; times have no seconds."""
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(3))
    edited(forum, 1, red("Boris"), after(3))
    tick(folder, now=after(3) + timedelta(seconds=40), outlet=forum)
    outcome = Table.at(folder).play(until=after(3) + timedelta(seconds=41), close=False)
    assert outcome.tally is not None
    assert outcome.tally["votes"] == {"Boris": ["Anna"]}


def test_a_post_first_read_after_an_edit_counts_when_the_phase_is_ended_in_that_minute(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(5))
    edited(forum, 1, red("Boris"), after(5))
    assert resolve_now(folder, now=after(5), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Boris": 1}
    assert replay(folder) == []


def test_a_post_that_was_read_before_the_closing_post_was_written_in_its_minute_is_not_asked_about(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING), Forum()
    forum.post("Anna", red("Elena"), after(53))
    edited(forum, 1, red("Boris"), after(53))
    tick(folder, now=after(53) + timedelta(seconds=20), outlet=forum)
    forum.post("Monokuma", "##deadline now", after(53))
    assert tick(folder, now=after(53) + timedelta(minutes=2), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Boris": 1}
    assert replay(folder) == []


def test_a_floating_phase_is_not_ended_before_it_was_opened_in_the_thread(tmp_path: Path) -> None:
    """The host says it twice, for the first time seemed to have done nothing: that ends one phase, not two."""
    folder, forum = game(tmp_path, FLOATING), Forum()
    forum.post("Monokuma", "##deadline now", after(50))
    forum.post("Monokuma", "##deadline now!", after(50.1))
    assert tick(folder, now=after(50.2), outlet=forum).closed == ["trial 1"]
    assert tick(folder, now=after(50.3), outlet=forum).closed == []
    assert "`##deadline now` in your post changed nothing: it was read before daily life 1 was opened in the thread" in told(folder)
    forum.post("Monokuma", "##deadline now", after(60))
    assert tick(folder, now=after(60.1), outlet=forum).closed == ["daily life 1"]


def test_what_the_host_writes_between_the_two_looks_before_an_early_end_is_heeded(tmp_path: Path) -> None:
    def meanwhile(forum: Busy) -> None:
        forum.post("Monokuma", "##deadline now", after(2))
        forum.post("Anna", red("Dmitri"), after(2))

    folder, forum = game(tmp_path, FLOATING + "early = true\n"), Busy(meanwhile)
    for by in PLAYERS:
        forum.post(by, red("Anna" if by == "Elena" else "Elena"), after(1))
    tick(folder, now=after(2), outlet=forum)
    assert tick(folder, now=after(2.1), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Elena": 4, "Anna": 1}


def test_a_line_that_was_written_in_time_is_heeded_though_the_host_wrote_again_after_the_deadline(tmp_path: Path) -> None:
    """An edit on an earlier page is seen only by the look before the close, behind what was written since."""
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Monokuma", "The trial begins.", after(1))
    tick(folder, now=after(2), outlet=forum)
    forum.post("Monokuma", "##deadline 10h", after(48.01))
    tick(folder, now=after(48.02), outlet=forum)
    edited(forum, 1, "The trial begins.\n##deadline 60h", after(47))
    assert tick(folder, now=after(48.1), outlet=forum).closed == []
    assert deadline(folder) == after(58.01)  # of both the one that was written last
    for hours in (48.2, 48.3):
        tick(folder, now=after(hours), outlet=forum)
    assert deadline(folder) == after(58.01)
    assert [told(folder).count(line) for line in ("##deadline 60h", "##deadline 10h")] == [1, 1]


def test_an_older_line_that_is_read_later_changes_nothing_and_the_gm_is_told(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Monokuma", "The trial begins.", after(1))
    forum.post("Monokuma", "##deadline 24h", after(20))
    tick(folder, now=after(21), outlet=forum)
    edited(forum, 1, "The trial begins.\n##deadline 60h", after(10))
    assert tick(folder, now=after(44.1), outlet=forum).closed == ["trial 1"]
    assert "`##deadline 60h` in your post changed nothing: it was read only after what you wrote later" in told(folder)


def test_a_line_of_a_phase_that_is_over_by_then_is_told(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    tick(folder, now=after(48.1), outlet=forum)
    before = deadline(folder)
    forum.post("Monokuma", "##deadline 24h", after(47))
    tick(folder, now=after(49), outlet=forum)
    assert deadline(folder) == before
    assert "`##deadline 24h` in your post changed nothing: it was read only when daily life 1 had begun" in told(folder)


@pytest.mark.parametrize("ahead", [timedelta(minutes=20), -timedelta(minutes=20)])
def test_on_a_forum_whose_clock_is_off_nothing_is_taken_for_yet_to_come(tmp_path: Path, ahead: timedelta) -> None:
    folder, forum = game(tmp_path, ""), Apart(ahead)
    for hours in (1, 2):
        forum.post("Anna", red("Elena"), after(hours) + ahead)
        tick(folder, now=after(hours), outlet=forum)
    assert "yet to come" not in told(folder)


def test_what_a_forum_put_behind_an_earlier_post_is_told_though_its_clock_is_off(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Apart(timedelta(minutes=10))
    table = Table.at(folder)
    table.record.set_fact("forum", "mybb")
    table.record.close()
    forum.post("Anna", red("Elena"), after(1))
    forum.post("Cleo", red("Elena"), after(1.9))
    tick(folder, now=after(2), outlet=forum)
    edited(forum, 1, f"{red('Elena')}\n[hr]\n{red('Boris')}", after(1.5))
    tick(folder, now=after(3), outlet=forum)
    assert told(folder).count("Anna wrote again") == 1
    assert "was read only now" not in told(folder)  # it was not moved here


def gone(forum: Forum, number: int) -> None:
    forum.thread[number - 1] = replace(forum.thread[number - 1], bbcode="", text="", deleted=True)


def gone_as_saved(forum: Forum, number: int) -> None:
    forum.thread[number - 1] = replace(forum.thread[number - 1], deleted=True)


def changed_before_the_closing_post(folder: Path, change: Callable[[Forum, int], None], read: timedelta) -> Forum:
    """A vote for Elena, changed or deleted, and that read so long after 53 hours, as of which a post ends the floating phase."""
    forum = Forum()
    forum.post("Anna", red("Elena"), after(52))
    tick(folder, now=after(52.1), outlet=forum)
    change(forum, 1)
    tick(folder, now=after(53) + read, outlet=forum)
    forum.post("Monokuma", "##deadline now", after(53))
    return forum


@pytest.mark.parametrize("change", [gone, lambda forum, number: edited(forum, number, red("Boris"), None)], ids=["deleted", "edited"])
def test_a_change_that_was_read_before_the_closing_post_was_written_in_its_minute_is_not_asked_about(
    tmp_path: Path, change: Callable[[Forum, int], None]
) -> None:
    folder = game(tmp_path, FLOATING)
    forum = changed_before_the_closing_post(folder, change, timedelta(seconds=20))
    assert tick(folder, now=after(53) + timedelta(minutes=2), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == ({} if change is gone else {"Boris": 1})
    assert replay(folder) == []


@pytest.mark.parametrize("change", [gone, gone_as_saved, lambda forum, number: edited(forum, number, red("Boris"), None)])
def test_a_change_that_was_read_long_before_the_closing_post_was_is_asked_about(
    tmp_path: Path, change: Callable[[Forum, int], None]
) -> None:
    """A page with the host's post may be saved, or the post approved, only after others were read."""
    folder = game(tmp_path, FLOATING)
    forum = changed_before_the_closing_post(folder, change, timedelta(hours=0.6))
    report = tick(folder, now=after(53.7), outlet=forum)
    assert [one.question for one in report.questions] == ["changed_late"]
    assert not report.closed


@pytest.mark.parametrize("given", ["before", "after"])
@pytest.mark.parametrize(
    "change", [gone, gone_as_saved, lambda forum, number: edited(forum, number, red("Boris"), None)], ids=["deleted", "saved", "edited"]
)
def test_what_was_changed_at_a_time_that_nothing_tells_is_the_gms_to_judge(
    tmp_path: Path, change: Callable[[Forum, int], None], given: str
) -> None:
    """Between the last look before the deadline and the first one after it, without a mark."""
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Anna", red("Elena"), after(1))
    forum.post("Cleo", red("Boris"), after(47))
    tick(folder, now=after(47.5), outlet=forum)
    change(forum, 1)
    change(forum, 2)  # it declares the same as before, or nothing any more
    report = tick(folder, now=after(48.1), outlet=forum)
    deleted = change in (gone, gone_as_saved)
    asked = 2 if deleted else 1
    assert (report.closed, {one.question for one in report.questions}) == ([], {"changed_late"})
    for _ in range(asked):
        answer(folder, "1", given, after(49))
    assert tick(folder, now=after(49.1), outlet=forum).closed == ["trial 1"]
    expected = {"before": {"Elena": 1, "Boris": 1}, "after": {} if deleted else {"Boris": 2}}
    assert votes(folder) == expected[given]
    assert replay(folder) == []


def test_what_is_known_to_have_been_changed_in_time_or_late_is_not_asked_about(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    for by, hours in (("Anna", 1), ("Boris", 2), ("Cleo", 3)):
        forum.post(by, red("Elena"), after(hours))
    tick(folder, now=after(47), outlet=forum)
    gone(forum, 1)
    tick(folder, now=after(47.5), outlet=forum)
    edited(forum, 2, red("Dmitri"), after(47.9))
    edited(forum, 3, red("Dmitri"), after(48.05))
    assert tick(folder, now=after(48.1), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Dmitri": 1, "Elena": 1}


def test_where_the_first_words_count_no_change_is_asked_about(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, '[options]\nedits = "first"\n'), Forum()
    forum.post("Anna", red("Elena"), after(1))
    tick(folder, now=after(47), outlet=forum)
    gone(forum, 1)
    assert tick(folder, now=after(48.1), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Elena": 1}


@pytest.mark.parametrize("killed", [True, False])
def test_what_posts_bring_is_told_though_the_mailbox_fails_or_the_worker_is_killed_before_it_is_read(tmp_path: Path, killed: bool) -> None:
    class Halting(Forum):
        halts = False

        def messages(self, record: Record, now: datetime) -> Iterable[Message]:
            if self.halts:
                raise Killed if killed else SourceError("the mailbox is down", advice="wait")
            return super().messages(record, now)

    folder, forum = game(tmp_path, ""), Halting()
    tick(folder, now=after(48.1), outlet=forum)
    forum.post("Anna", red("Elena"), after(47))
    forum.post("A stranger", red("Elena"), after(48.2))
    forum.halts = True
    with suppress(Killed):
        tick(folder, now=after(48.3), outlet=forum)
    forum.halts = False
    tick(folder, now=after(48.4), outlet=forum)
    assert [told(folder).count(where) for where in ("http://forum/1", "http://forum/2")] == [1, 1]


def test_what_the_gm_adds_after_the_deadline_is_not_told_as_late(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    command(folder, "vote Anna for Elena", after(48.01))
    assert tick(folder, now=after(48.1), outlet=forum).closed == ["trial 1"]
    assert votes(folder) == {"Elena": 1}
    assert "very minute" not in told(folder)


def test_status_of_a_phase_whose_report_waits_says_so(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, '[clock]\ncounts_from = "announcement"\n'), Forum()
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    tick(folder, now=after(49), outlet=forum)
    said = "\n".join(status_lines(status_facts(folder, after(80))))
    assert "The report that opens it waits for you, and its hours count from that: see nightpost outbox" in said
    assert "closes it" not in said


def test_a_vote_changed_and_changed_back_in_the_minute_of_the_closing_post_is_told(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING), Forum()
    forum.post("Anna", red("Elena"), after(52))
    tick(folder, now=after(52.1), outlet=forum)
    edited(forum, 1, red("Boris"), after(53))
    tick(folder, now=after(53) + timedelta(seconds=20), outlet=forum)
    forum.post("Monokuma", "##deadline now", after(53))
    edited(forum, 1, red("Elena"), after(53))
    assert tick(folder, now=after(53) + timedelta(minutes=2), outlet=forum).closed == ["trial 1"]
    assert "Anna changed a post in the very minute" in told(folder)
