"""The record of a game that is over, for its players."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import html

from desk.exporting import export
from engine.choices import commitment
from scheduler import tick
from scraper.model import BadInput, Message
from tests.test_tick import T0, Forum, folder, red

__all__ = ["folder"]


def test_a_game_that_is_over_is_told_whole_and_one_that_goes_on_is_not(folder: Path) -> None:
    forum = Forum()
    for voter in ("Anna", "Cleo", "Dmitri"):
        forum.post(voter, red("Boris") + " \u202e<script>alert(1)</script>", T0 + timedelta(hours=1))
    tick(folder, now=T0 + timedelta(hours=2), outlet=forum)
    with pytest.raises(BadInput, match="is not over"):
        export(folder)
    assert not (folder / "export").exists()
    tick(folder, now=T0 + timedelta(hours=49), outlet=forum)
    facts, page = (path.read_text(encoding="utf-8") for path in export(folder))
    told = json.loads(facts)
    assert (told["seed"], told["commitment"]) == ("17", commitment("17"))
    assert told["players"]["Boris"] == {"role": "ultimate_nurse", "black": "black_slasher"}
    (phase,) = told["phases"]
    assert phase["phase"] == "trial 1"
    assert {"lynch", "death", "win"} <= {row["kind"] for row in phase["events"]}
    assert any(row["source"] and row["source"]["by"] == "Anna" for row in phase["events"])
    assert "<script>" not in page
    assert "\u202e" not in page
    tree = html.fromstring(page)
    assert tree.find(".//script") is None
    assert "Boris is executed (votes)." in tree.text_content()
    assert "<script>alert(1)</script>" in tree.text_content()
    export(folder)


def test_a_mail_address_is_told_to_nobody(folder: Path) -> None:
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace("Professor", "elena@home.example"), "utf-8")
    forum = Forum()
    forum.inbox.append(Message("m1", "elena@home.example", ("Monokuma",), T0 + timedelta(hours=1), "", "kill Nobody\n-- \nelena@work.example", "mail:1"))
    for voter in ("Anna", "Cleo", "Dmitri"):
        forum.post(voter, red("Boris"), T0 + timedelta(hours=1))
    tick(folder, now=T0 + timedelta(hours=49), outlet=forum)
    facts, page = (path.read_text(encoding="utf-8") for path in export(folder))
    sources = [row["source"] for phase in json.loads(facts)["phases"] for row in phase["events"] if row["source"]]
    assert [one["by"] for one in sources if one["text"] == "kill Nobody"] == ["Elena"]
    assert "elena@" not in facts + page
