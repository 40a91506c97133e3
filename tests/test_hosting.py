"""The host's own lines in the thread: `##deadline`, and deadlines that float until the host is back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from desk.commands import command
from desk.table import Table
from desk.views import answer, review_facts, status_facts, status_lines
from engine.commands import span
from scheduler import replay, resolve_now, start, tick
from tests.test_clock import PLAYERS, after, game
from tests.test_tick import GAME, T0, Forum, red

FLOATING = "[clock]\nfloating = true\n"


def deadline(folder: Path) -> datetime | None:
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    table.record.close()
    return phase.deadline


def told(folder: Path) -> str:
    return "\n".join(str(one) for one in Table.at(folder).record.notices())


def review_facts_after(folder: Path, forum: Forum, hours: float) -> dict[str, Any]:
    """What the review shows after a tick."""
    tick(folder, now=after(hours), outlet=forum)
    return review_facts(folder, after(hours))


def green(text: str) -> str:
    return red(text).replace("red", "green")


@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("##deadline 24", 24), ("[b]##deadline: 1d 12h[/b]", 36), ("Sorry, all!\n## Deadline 30 m.", 0.5),
        ("##deadline 5\n##deadline 6h", 6), ("[quote]##deadline 24[/quote]", None), ("I will set ##deadline 24 soon", None),
        ("[s]##deadline 24[/s]", None), ("##deadline tomorrow", None), ("##deadline 0", None), ("##deadline now", None),
        ("##deadlines 24", None),
        (f"##deadline {' ' * 40_000}x", None), (f"##deadline 24{'.' * 40_000}!x", None), ("##deadline\u00a0= 24 h !", 24),
        ("[b]##deadline 24h[/b] for all", 24), ("[b]##deadline[/b] 24h", 24), ("##deadline 5\nYes, [b]##deadline 6h[/b] it is", 6),
    ],
)  # fmt: skip
def test_the_hosts_line_sets_the_deadline_so_long_after_the_post(tmp_path: Path, line: str, hours: float | None) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("monokuma", line, after(10))
    tick(folder, now=after(10.1), outlet=forum)
    assert deadline(folder) == (after(48) if hours is None else after(10 + hours))


@pytest.mark.parametrize("line", ["##deadline 24", "##deadline now"])
def test_nobody_else_sets_it(tmp_path: Path, line: str) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    for by in ("Anna", "Stranger", "Monokuma2"):
        forum.post(by, line, after(1))
    tick(folder, now=after(2), outlet=forum)
    assert deadline(folder) == after(48)


def test_the_gm_is_told_and_can_take_it_back_and_an_edit_elsewhere_does_not_say_it_again(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, '[clock]\ntimezone = "Europe/Berlin"\n'), Forum()
    forum.post("Monokuma", "##deadline 60", after(1))
    forum.post("Monokuma", "##deadline soon", after(2))
    tick(folder, now=after(3), outlet=forum)
    assert "trial 1 ends at 2026-11-05 10:00 Europe/Berlin" in told(folder)
    assert "`##deadline soon` in your post was not read" in told(folder)
    assert "##deadline 60h, in post 1" in command(folder, "undo", after(4))
    assert deadline(folder) == after(48)
    forum.thread[0] = replace(forum.thread[0], bbcode="##deadline 60\nBye!", edited_at=after(4.5))
    tick(folder, now=after(5), outlet=forum)
    assert deadline(folder) == after(48)


def test_now_ends_no_phase_whose_deadline_stands_and_the_gm_hears_what_does(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Monokuma", "##deadline now", after(1))
    tick(folder, now=after(2), outlet=forum)
    assert "`nightpost resolve` closes trial 1" in told(folder)


def test_a_line_for_the_phase_that_opens_later_waits_for_it(tmp_path: Path) -> None:
    """The machine was off over the deadline of trial 1: what the host wrote afterwards is about the phase after it."""
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Monokuma", "##deadline 12", after(50))
    assert tick(folder, now=after(51), outlet=forum).closed == ["trial 1"]
    assert deadline(folder) == after(62)


def test_a_floating_deadline_ends_with_the_hosts_word_and_all_votes_until_then_count(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING), Forum()
    for voter in PLAYERS[:2]:
        forum.post(voter, red("Vote: Elena"), after(1))
    for voter in PLAYERS[2:4]:
        forum.post(voter, red("Vote: Anna"), after(50))
    forum.post("Boris", red("Vote: Anna"), after(51))
    held = tick(folder, now=after(52), outlet=forum)
    assert held.closed == []
    assert "the deadline floats" in held.held[0]
    facts = status_facts(folder, after(52))
    assert {row["target"]: row["votes"] for row in facts["tally"]["counts"]} == {"Anna": 3, "Elena": 1}
    assert any("which floats" in line for line in status_lines(facts))
    forum.post("Monokuma", "I'm back. [b]##deadline now[/b]\nGood night!", after(53))
    forum.post("Cleo", red("Vote: Elena"), after(53.5))
    assert tick(folder, now=after(54), outlet=forum).closed == ["trial 1"]
    table = Table.at(folder)
    assert [event["player"] for event in table.record.events() if event.kind == "lynch"] == ["Anna"]
    assert replay(folder) == []


def test_what_stands_behind_the_closing_post_in_its_minute_is_of_the_next_phase(tmp_path: Path) -> None:
    """Pages that tell minutes only: the order in the thread tells what came before the host's word, and what after it."""
    folder, forum = game(tmp_path, FLOATING), Forum()
    forum.post("Anna", red("Vote: Elena"), after(53))
    forum.post("Monokuma", "##deadline now", after(53))
    forum.post("Boris", red("Vote: Anna") + green("gym"), after(53))
    forum.post("Cleo", red("Vote: Anna"), after(53))
    forum.post("Monokuma", "##deadline 30", after(53))
    before = review_facts_after(folder, forum, 53.01)
    assert not [doubt for doubt in before["doubts"] if doubt["topic"] == "deadline_minute"]
    assert tick(folder, now=after(53.1), outlet=forum).closed == ["trial 1"]
    assert deadline(folder) == after(83)
    table = Table.at(folder)
    assert [event["player"] for event in table.record.events() if event.kind == "lynch"] == ["Elena"]
    phase = table.current()
    assert phase is not None
    assert [post.id for post in table.inputs(phase).posts if not post.by.startswith("stranger")] == ["post 3", "post 4"]
    tick(folder, now=after(53.2), outlet=forum)
    assert [told(folder).count(one) for one in ("You wrote that trial 1 is over", "##deadline 30h")] == [1, 1]
    assert replay(folder) == []


@pytest.mark.parametrize("own", [True, False])
def test_a_line_that_mybb_puts_behind_an_earlier_post_of_the_hosts_is_heeded_as_of_then(tmp_path: Path, own: bool) -> None:
    """Nightpost posts as the host: what the host writes by hand soon after its tally becomes a part of that post."""
    folder, forum = game(tmp_path, FLOATING), Forum()
    table = Table.at(folder)
    table.record.set_fact("forum", "mybb")
    forum.post("Monokuma", "Votes: none", after(1))
    forum.post("Anna", red("Vote: Elena"), after(1))
    tick(folder, now=after(1.1), outlet=forum)
    if own:
        draft = next(row["id"] for row in table.record.db.query("select id from outbox where audience = 'thread'"))
        table.record.db.table("outbox").update(draft, {"post": "1"})
    forum.thread[0] = replace(forum.thread[0], bbcode="Votes: none\n[hr]\n##deadline now\n[hr]\n##deadline 30", edited_at=after(53))
    forum.post("Cleo", red("Vote: Anna"), after(53))
    for hours in (53.01, 53.1, 53.2):
        tick(folder, now=after(hours), outlet=forum)
    assert [event["player"] for event in table.record.events() if event.kind == "lynch"] == ["Elena"]
    assert deadline(folder) == after(83)
    assert [told(folder).count(one) for one in ("You wrote that trial 1 is over", "##deadline 30h")] == [1, 1]


def lynched(folder: Path) -> list[str]:
    return [event["player"] for event in Table.at(folder).record.events() if event.kind == "lynch"]


def test_a_word_that_an_edit_puts_into_an_old_post_counts_from_the_edit(tmp_path: Path) -> None:
    """The host edits the phase's first post, as hosts do: nothing that was sent since that post is cut off."""
    folder, forum = game(tmp_path, FLOATING), Forum()
    forum.post("Anna", red("Vote: Elena"), after(1))
    forum.post("Monokuma", "The trial begins.", after(10))
    for voter in ("Boris", "Cleo"):
        forum.post(voter, red("Vote: Anna"), after(20))
    tick(folder, now=after(50), outlet=forum)
    forum.thread[1] = replace(forum.thread[1], bbcode="The trial begins.\n##deadline 6h", edited_at=after(51))
    tick(folder, now=after(51.1), outlet=forum)
    assert deadline(folder) == after(57)
    forum.thread[1] = replace(forum.thread[1], bbcode="The trial is over.\n##deadline now", edited_at=after(53))
    assert tick(folder, now=after(53.1), outlet=forum).closed == ["trial 1"]
    assert lynched(folder) == ["Anna"]
    assert Table.at(folder).record.phases()[0].closed_at == after(53)
    assert replay(folder) == []


def test_a_post_that_is_gone_for_a_while_says_nothing_anew(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("Monokuma", "##deadline 60", after(1))
    tick(folder, now=after(2), outlet=forum)
    command(folder, "extend 10h", after(3))
    post = forum.thread[0]
    for hours, shown in ((4, replace(post, bbcode="", text="", deleted=True)), (5, post)):
        forum.thread[0] = shown
        tick(folder, now=after(hours), outlet=forum)
    assert deadline(folder) == after(71)


def test_a_phase_prolonged_after_the_hosts_word_lasts_to_its_last_second(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING), Forum()
    word = after(53) + timedelta(seconds=30)
    forum.post("Anna", red("Vote: Elena"), after(52))
    forum.post("Monokuma", "##deadline now", word)
    tick(folder, now=word, outlet=forum)
    command(folder, "extend 6h", word)
    for voter in ("Boris", "Cleo"):
        forum.post(voter, red("Vote: Anna"), after(59) + timedelta(seconds=10))
    assert tick(folder, now=after(59.1), outlet=forum).closed == ["trial 1"]
    assert lynched(folder) == ["Anna"]


def test_resolve_heeds_what_the_host_wrote_before(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING), Forum()
    forum.post("Anna", red("Vote: Elena"), after(49))
    tick(folder, now=after(50), outlet=forum)
    forum.post("Monokuma", "##deadline now", after(53))
    for voter in ("Boris", "Cleo"):
        forum.post(voter, red("Vote: Anna"), after(53.2))
    assert resolve_now(folder, now=after(53.5), outlet=forum).closed == ["trial 1"]
    assert lynched(folder) == ["Elena"]


def test_a_line_in_the_minute_in_which_the_phase_before_was_closed_is_heeded(tmp_path: Path) -> None:
    """Pages that tell minutes only: it was read after that, so it was written after it."""
    folder, forum = game(tmp_path, ""), Forum()
    resolve_now(folder, now=after(5) + timedelta(seconds=20), outlet=forum)
    forum.post("Monokuma", "##deadline 30", after(5))
    tick(folder, now=after(5.1), outlet=forum)
    assert deadline(folder) == after(35)


def test_a_line_that_waits_for_the_next_phase_is_not_skipped_where_a_post_turns_out_to_be_nightposts(tmp_path: Path) -> None:
    """A tally whose answer was lost is read as the host's post, and known to be Nightpost's only afterwards."""
    text = GAME.replace(', "tie"', "")
    (tmp_path / "game.toml").write_text(text, encoding="utf-8")
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0)
    forum.post("Anna", red("Vote: Elena"), after(1))
    forum.post("Boris", red("Vote: Anna"), after(1))
    forum.post("Monokuma", "Votes: Elena 1, Anna 1", after(47))
    forum.post("Monokuma", "##deadline 12", after(50))
    assert tick(tmp_path, now=after(51), outlet=forum).questions
    draft = next(row["id"] for row in table.record.db.query("select id from outbox where audience = 'thread'"))
    table.record.db.table("outbox").update(draft, {"post": "3"})
    answer(tmp_path, "1", "Anna", after(51.1))
    assert tick(tmp_path, now=after(51.2), outlet=forum).closed == ["trial 1"]
    assert deadline(tmp_path) == after(62)


def test_resolve_ends_a_floating_deadline_as_of_now(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING), Forum()
    for voter in PLAYERS[:3]:
        forum.post(voter, red("Vote: Elena"), after(50))
    tick(folder, now=after(52), outlet=forum)
    assert resolve_now(folder, now=after(53), outlet=forum).closed == ["trial 1"]
    assert [event["player"] for event in Table.at(folder).record.events() if event.kind == "lynch"] == ["Elena"]
    assert replay(folder) == []


@pytest.mark.parametrize(
    ("text", "hours"),
    [("24", None), ("24h", 24), ("1d 12h", 36), ("1h30m", 1.5), ("1d12h", 36), ("2hm", None), (" 90 minutes ", 1.5), ("0", None), ("", None), ("9999h", None), ("24x", None), ("-3", None)],
)
def test_a_span_of_time(text: str, hours: float | None) -> None:
    found = span(text)
    assert (None if found is None else found.total_seconds() / 3600) == hours


def test_a_floating_phase_that_ends_early_lasts_until_then(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, FLOATING + "early = true\n"), Forum()
    for voter in PLAYERS[:3]:
        forum.post(voter, red("Vote: Elena"), after(1))
    for voter in PLAYERS[:4]:
        forum.post(voter, red("Vote: Anna" if voter != "Anna" else "Vote: Elena"), after(50))
    forum.post("Elena", red("Vote: Anna"), after(51))
    assert tick(folder, now=after(52), outlet=forum).closed == ["trial 1"]
    assert lynched(folder) == ["Anna"]
    assert Table.at(folder).record.phases()[0].deadline == after(52)
    assert replay(folder) == []
