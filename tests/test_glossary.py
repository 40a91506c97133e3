"""The glossary of a ruleset: complete, and in the markup asked for."""

from __future__ import annotations

import re

import pytest
from lxml import html

from desk.glossary import glossary_facts, glossary_text
from engine.ruleset import load
from tests.test_cli import run

RULES = load("danganronpa")
WORDS = (
    "hypnotise X to Y", "stake_out X", "withdraw", "disrupt", "ultimate_nurse", "black_slasher", "at_cafeteria", "modkill X",
    "trial_hours", "48", "punishments_per_phase", "at_reveal", "hangouts", "investigate_target:PLAYER", "no_votes", "sulk",
    "deadly life N", "lynch",
)  # fmt: skip


@pytest.mark.parametrize("dialect", ["phpbb", "markdown", "html"])
def test_it_lists_ids_phrases_options_and_draws(dialect: str) -> None:
    text = glossary_text(RULES, dialect)
    plain = html.fromstring(f"<div>{text}</div>").text_content() if dialect == "html" else text
    plain = plain.replace("\u2060", "").replace("\\", "")
    for word in WORDS:
        assert word in plain, word


def test_each_format_is_only_itself() -> None:
    bbcode, markdown, page = (glossary_text(RULES, dialect) for dialect in ("phpbb", "markdown", "html"))
    assert "| --- |" in markdown
    assert "| --- |" not in bbcode + page
    assert "[b]" in bbcode
    assert not re.search(r"\[b\]|\[size", markdown + page)
    assert "<table>" in page
    assert not re.search(r"^#+ |`", bbcode + page, re.MULTILINE)


def test_the_options_have_their_defaults() -> None:
    rows = {row["id"]: row for row in glossary_facts(RULES)["options"]}
    assert set(rows) == set(RULES.options)
    assert rows["edits"]["default"] == "last"
    assert rows["edits"]["allowed"] == '"last", "first" or "void"'


def test_the_command_prints_it_in_the_format_asked() -> None:
    told = run("rules", "danganronpa", "--glossary", "--format", "html")
    assert told.returncode == 0
    assert "## " not in told.stdout
    assert "|" not in told.stdout
    assert "<td>hypnotise X to Y</td>" in told.stdout
    wrong = run("rules", "danganropa", "--glossary")
    assert wrong.returncode == 2
    assert "danganronpa" in wrong.stderr
