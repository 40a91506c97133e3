"""What the worker and `review` tell the GM: questions as sentences, what `run` watches, repeated things once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import scheduler
from desk import sources, views
from desk.questions import question_facts, question_lines
from desk.table import Table
from desk.telling import Watch, tick_facts, tick_lines, watched
from engine.choices import Question
from engine.ruleset import load
from scheduler import Report
from scraper.model import BadInput, Post, SourceError

ROOT = Path(__file__).parent.parent
OPENS = datetime(2026, 12, 1, 20, tzinfo=UTC)
GAME = """\
ruleset = "danganronpa"
title = "A small school"
host = "Monokuma"
seed = "s3cret"
[thread]
saved = "saved"
[clock]
opens = 2026-12-01T20:00:00
timezone = "Europe/Berlin"
[players]
Ann = "ultimate_detective"
Boris = { role = "ultimate_nurse", black = "black_slasher" }
Cleo = "ultimate_journalist"
"""
REGULATION = Question("regulation:3", "regulation", (), "No hats.", {"number": 3})
ASKED = "1. A new school regulation comes into force with the next daily life. What is its text? [regulation]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game.toml").write_text(GAME, "utf-8")
    return tmp_path


def begin(folder: Path) -> None:
    table = Table.at(folder)
    scheduler.start(table, OPENS)
    table.record.close()


def test_review_asks_in_a_sentence_and_says_how_to_answer(folder: Path) -> None:
    begin(folder)
    facts = views.review_facts(folder, OPENS + timedelta(hours=1))
    lines = list(views.review_lines(facts))
    assert ASKED in lines
    assert any(line.startswith("   answer with any text; or none, the default: ") for line in lines)
    assert any('nightpost review answer 1 "your text"' in line for line in lines)
    assert any('waive = ["regulation"]' in line for line in lines)


@pytest.mark.parametrize(
    ("ruleset", "question", "line"),
    [
        ("danganronpa", Question("k", "tie", ("Ann", "Bo"), "Bo", {}), "   answer Ann, Bo; or none, the default: Bo"),
        ("danganronpa", Question("k", "name", ("Ann", "Bo"), None, {}), "   answer Ann, Bo; or none, which is none of these"),
        ("conan", Question("k", "friend_route", ("draw", "none"), "draw", {}), "   answer draw, none; the default is draw"),
    ],
)
def test_what_may_be_answered_is_told(ruleset: str, question: Question, line: str) -> None:
    assert line in list(question_lines([question_facts(load(ruleset), question)]))


def test_a_tick_shows_what_is_asked(folder: Path) -> None:
    facts = tick_facts(folder, Report(questions=[REGULATION], waiting=2))
    assert facts["questions"] == ["regulation:3"]
    lines = list(tick_lines(facts))
    assert ASKED in lines
    assert "Drafts that wait for you: 2. See nightpost outbox" in lines
    assert list(tick_lines(tick_facts(folder, Report(busy=True)))) == ["Another run is at work on this game; it was left alone."]


def test_a_game_without_its_forum_says_what_is_to_be_posted_by_hand(folder: Path) -> None:
    lines = list(tick_lines(tick_facts(folder, Report(sent=["The rules"]))))
    assert "Written to the folder `posted`, for you to post by hand: The rules" in lines
    settings = (folder / "game.toml").read_text("utf-8")
    (folder / "game.toml").write_text(
        settings.replace('saved = "saved"', 'url = "https://forum.example/viewtopic.php?t=5"'), "utf-8"
    )
    assert "Posted: The rules" in list(tick_lines(tick_facts(folder, Report(sent=["The rules"]))))


def test_run_says_what_stays_as_it_is_once(folder: Path) -> None:
    watch = Watch()
    waiting = Report(questions=[REGULATION], trouble=["The forum is down."], closed=["trial 1"])
    first = list(watch(folder, waiting))
    assert first[0] == "closed trial 1"
    assert any("waits for your answer: A new school regulation" in line for line in first)
    assert list(watch(folder, Report(questions=[REGULATION], trouble=["The forum is down."]))) == []
    assert list(watch(folder, Report())) == []
    assert "The forum is down." in list(watch(folder, waiting))


def test_what_run_watches_is_told_with_the_deadline(folder: Path) -> None:
    assert "has not begun" in watched(folder, OPENS)
    begin(folder)
    assert watched(folder, OPENS).endswith("A small school, trial 1, until 2026-12-03 20:00 Europe/Berlin (1 day 23 hours left)")
    with pytest.raises(BadInput, match="nightpost new"):
        watched(folder / "elsewhere", OPENS)


def test_read_speaks_of_no_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(url: str, kind: str | None, timezone: str) -> Iterator[Post]:
        raise SourceError("The forum could not be reached.", advice="Nothing is lost: the next tick goes on from here.")

    monkeypatch.setattr(sources, "_live_posts", down)
    with pytest.raises(SourceError) as error:
        list(sources.live_posts("https://forum.example/t/5", timezone="UTC"))
    assert "nightpost read" in error.value.advice
    assert "tick" not in error.value.advice


def test_run_begins_with_a_line_on_each_game(folder: Path) -> None:
    begin(folder)
    words = [sys.executable, str(ROOT / "nightpost.py"), "run", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={"PYTHONUNBUFFERED": "1"}) as running:
        assert running.stdout
        assert "A small school, trial 1, until" in running.stdout.readline()
        assert "Ctrl+C" in running.stdout.readline()
        running.terminate()
        running.wait(20)


def test_the_opening_post_names_the_phase_that_begins(folder: Path) -> None:
    begin(folder)
    table = Table.at(folder)
    (opening,) = [draft for draft in table.record.drafts() if draft.kind == "opening"]
    table.record.close()
    assert "Now: trial 1" in opening.body
    assert "It ends on" in opening.body
