"""`nightpost gm` and `review answer`: what cannot be done is refused with its reason, and nothing is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import scheduler
from desk import views
from desk.commands import command, filled, forms_of
from desk.glossary import glossary_facts
from desk.replacing import replaced
from desk.table import Table
from desk.teaching import teach
from engine.ruleset import RULESETS, load
from scraper.model import BadInput

OPENS = datetime(2026, 12, 1, 20, tzinfo=UTC)
HEAD = """\
title = "A game"
host = "Gamemaster"
seed = "s3cret"
[thread]
saved = "saved"
[clock]
opens = 2026-12-01T20:00:00
"""
CASTS = {
    "danganronpa": """[players]
Ann = "ultimate_detective"
Boris = { role = "ultimate_nurse", black = "black_slasher" }
Cleo = "ultimate_journalist"
"Dr. K." = "ultimate_lawyer"
[options]
first_phase = "daily_life"
""",
    "conan": """[players]
Ann = "gin"
Bo = "vodka"
Cy = "megure"
Di = "heiji"
Ed = "ran"
Fay = "shinichi"
""",
    "persian": """[players]
Ali = "godfather"
Sara = "detective"
Reza = "doctor"
Mina = "innocent"
Omid = "innocent"
""",
}


def game(folder: Path, ruleset: str) -> Table:
    start = 'start = "night 1"\n' if ruleset == "conan" else ""
    (folder / "game.toml").write_text(f'ruleset = "{ruleset}"\n{start}{HEAD}{CASTS[ruleset]}', "utf-8")
    table = Table.at(folder)
    scheduler.start(table, OPENS)
    return table


@pytest.fixture
def school(tmp_path: Path) -> Iterator[Table]:
    table = game(tmp_path, "danganronpa")
    yield table
    table.record.close()


def after(hours: float) -> datetime:
    return OPENS + timedelta(hours=hours)


def refused(table: Table, text: str) -> str:
    """Why the command is refused; nothing may have been kept of it."""
    before = table.record.entries()
    with pytest.raises(BadInput) as error:
        command(table.settings.folder, text, after(1))
    assert table.record.entries() == before
    return str(error.value)


def test_none_takes_the_default_of_a_question_with_free_text(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(f'ruleset = "danganronpa"\n{HEAD}{CASTS["danganronpa"].partition("[options]")[0]}', "utf-8")
    table = Table.at(tmp_path)
    scheduler.start(table, OPENS)
    (question,) = [one for one in views.open_questions(table, after(1)) if one.question == "regulation"]
    number = str(views.open_questions(table, after(1)).index(question) + 1)
    said = views.answer(tmp_path, number, "None", after(1))
    assert ".." not in said
    assert question.default
    assert question.default.rstrip(".") in said
    report = scheduler.resolve_now(tmp_path, now=after(2))
    assert report.closed
    (text,) = [event["text"] for event in table.record.events(1) if event.get("topic") == "regulation"]
    assert text == question.default
    table.record.close()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_question_of_a_ruleset_has_a_sentence(ruleset: str) -> None:
    facts = load(ruleset).facts
    assert set(facts["questions"]) == set(facts["asks"])
    assert all(one.endswith("?") for one in facts["questions"].values())
    for form, question in facts.get("answering", {}).items():
        assert question in facts["asks"]
        assert form in facts["commands"]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_command_has_its_whole_form_and_a_meaning(ruleset: str) -> None:
    for row in glossary_facts(load(ruleset))["commands"]:
        assert row["does"], row
    forms = [form for how in load(ruleset).facts["commands"].values() for form in forms_of([how])]
    assert all(filled(form, form) is not None or "[" in form for form in forms)


def test_an_order_that_is_rejected_at_once_is_refused(tmp_path: Path) -> None:
    table = game(tmp_path, "conan")
    assert "no ability" in refused(table, "order Ed: give suitcase to Bo")
    assert "Ann orders: kill Cy" in command(tmp_path, "order Ann: kill Cy", after(1))
    table.record.close()


def test_an_answer_to_no_question_is_refused(tmp_path: Path) -> None:
    (tmp_path / "conan").mkdir()
    (tmp_path / "persian").mkdir()
    table = game(tmp_path / "conan", "conan")
    for text in ("continue game", "answer bo_win: win"):
        assert "`bo_win` is not open now" in refused(table, text)
    table.record.close()
    table = game(tmp_path / "persian", "persian")
    for text in ("allow last guess", "refuse last guess"):
        assert "`last_mafia_guess` is not open now" in refused(table, text)
    table.record.close()


def test_an_answer_to_an_open_question_is_taken(tmp_path: Path) -> None:
    text = f'ruleset = "conan"\nstart = "night 1"\n{HEAD}{CASTS["conan"]}Gus = "korn"\n'
    cast = text.replace('"heiji"', '"chianti"').replace('"shinichi"', '"tequila"')
    (tmp_path / "game.toml").write_text(f'{cast}[options]\nbo_win = "ask"\n', "utf-8")
    table = Table.at(tmp_path)
    scheduler.start(table, OPENS)
    assert "the choices are win, continue" in refused(table, "answer bo_win: perhaps")
    assert "win is the answer to `bo_win`" in command(tmp_path, "answer bo_win: Win", after(1))
    command(tmp_path, "undo", after(1))
    assert "Noted: continue game." in command(tmp_path, "continue game", after(1))
    table.record.close()


def test_a_refusal_says_which_of_form_name_and_moment_is_wrong(tmp_path: Path) -> None:
    table = game(tmp_path, "conan")
    assert "write it as `censor will X: NEW TEXT` (the words" in refused(table, "censor will Ann")
    assert "nobody is called `Annn` (did you mean Ann?)" in refused(table, "excuse Annn")
    assert "Ann is not in jail" in refused(table, "release Ann")
    assert "`inactive X, or inactive X actions to Y votes to Z`" in refused(table, "inactive")
    table.record.close()


@pytest.mark.clause("CON-BRIBE-10")
def test_a_bribe_that_counts_as_a_kill_may_be_ordered_for_a_player_too(tmp_path: Path) -> None:
    table = game(tmp_path, "conan")
    assert "Ann orders: bribe: kill Cy" in command(tmp_path, "order Ann: bribe: kill Cy", after(1))
    assert "may not order" in refused(table, "order Ed: bribe: kill Ann")
    table.record.close()


def test_of_two_commands_that_begin_alike_the_one_meant_is_shown(tmp_path: Path) -> None:
    table = game(tmp_path, "persian")
    told = refused(table, "report order one two")
    assert "`report order [a, b, c, d]`" in told
    assert "omit" not in told
    both = refused(table, "report Ann")
    assert "`report order [a, b, c, d]`" in both
    assert "`report omit X`" in both
    table.record.close()


def test_undo_takes_back_the_last_entry_and_says_it_as_it_was_said(school: Table) -> None:
    folder = school.settings.folder
    assert command(folder, "regulation No ties.", after(1)) == "Noted: regulation No ties. The next tick goes by it."
    command(folder, "replace Cleo with Maryam2", after(1))
    assert "replace Cleo with Maryam2" in refused(school, "undo 3")
    assert command(folder, "undo", after(2)) == "Taken back: replace Cleo with Maryam2."
    assert command(folder, "undo", after(2)) == "Taken back: regulation No ties."


def test_names_that_end_with_a_dot_get_no_second_one(school: Table) -> None:
    assert teach(school.settings.folder, "Dr. K.", "Kay") == "`Kay` now means Dr. K."
    assert replaced(school, "replace Cleo with Newcomer", after(1)) == "Newcomer now plays Cleo, who had no message of yours so far."


def test_who_extends_is_told_that_the_post_in_the_thread_names_the_old_end(tmp_path: Path) -> None:
    """As long as the post waits in the outbox it gets the new one; one that is out the players have read."""
    (tmp_path / "game.toml").write_text('ruleset = "danganronpa"\n' + HEAD + CASTS["danganronpa"], "utf-8")
    table = Table.at(tmp_path)
    scheduler.start(table, OPENS)
    assert "tell your players" not in command(tmp_path, "extend 2h", OPENS)
    table.record.change_draft(next(one.id for one in table.record.drafts() if one.kind == "opening"), state="posted")
    assert "The post that opened daily life 1 names the old end still: tell your players." in command(tmp_path, "extend 2h", OPENS)
    table.record.close()


ODD = ("Waiting for Godot", "Dr: Who", "Man with hat, by day")
ROLES = {
    "danganronpa": ("ultimate_detective", "ultimate_nurse,black_slasher", "ultimate_journalist"),
    "conan": ("gin", "megure", "heiji"),
    "persian": ("godfather", "detective", "doctor"),
}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_name_that_holds_the_word_that_parts_a_command_is_found(tmp_path: Path, ruleset: str) -> None:
    start = 'start = "night 1"\n' if ruleset == "conan" else ""
    cast = "".join(
        f'"{name}" = {{ role = "{role.partition(",")[0]}"' + (f', black = "{role.partition(",")[2]}"' if "," in role else "") + " }\n"
        for name, role in zip(ODD, ROLES[ruleset], strict=True)
    )
    (tmp_path / "game.toml").write_text(f'ruleset = "{ruleset}"\n{start}{HEAD}[players]\n{cast}', "utf-8")
    table = Table.at(tmp_path)
    scheduler.start(table, OPENS)
    if ruleset != "conan":  # it begins with a vote
        assert "Waiting for Godot votes for Dr: Who" in command(tmp_path, "vote waiting for godot for dr: who", after(1))
        assert "Dr: Who votes for Waiting for Godot" in command(tmp_path, "vote Dr: Who for Waiting for Godot", after(1))
    if ruleset == "persian":  # where a vote given again stays where it was
        assert "Waiting for Godot votes for Dr: Who already" in refused(table, "vote Waiting for Godot for Dr: Who")
    assert "nobody is called" not in refused(table, "order Dr: Who: dance: now")
    assert "nobody is called `Nemo`" in refused(table, "order Nemo: dance: now")
    said = replaced(table, "replace Man with hat, by day with Newcomer with dog", after(1))
    assert said.startswith("Newcomer with dog now plays Man with hat, by day")
    if ruleset == "conan":
        assert "Noted" in command(tmp_path, "censor will Dr: Who: he said: nothing", after(1))
        assert table.play(close=False).state.called(ODD[2]) == "Newcomer with dog"
    table.record.close()
