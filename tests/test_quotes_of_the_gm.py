"""A post that repeats what the GM told a player in private is shown to the GM (CON-CONDUCT-03)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from desk.table import Table
from scheduler import start, tick
from tests.test_tick import T0, Forum

GAME = """
ruleset = "conan"
title = "T"
host = "Aoyama"
seed = "17"
waive = "all"
[thread]
saved = "saved"
kind = "phpbb"
[players]
Ann = "megure"
Boris = "gin"
Cleo = "ran"
Dora = "vodka"
[publish]
rules = "auto"
opening = "auto"
role = "auto"
"""


@pytest.mark.clause("CON-CONDUCT-03")
def test_a_post_that_repeats_a_message_of_the_gm_is_flagged(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    start(table := Table.at(tmp_path), T0)
    table.record.close()
    forum = Forum()
    tick(tmp_path, now=T0 + timedelta(hours=1), outlet=forum)
    table = Table.at(tmp_path)
    role, rules = (next(one for one in table.record.drafts("posted") if one.kind == kind) for kind in ("role", "rules"))
    table.record.close()
    telling = next(line for line in role.body.splitlines() if "you are" in line)
    shared = max(role.body.splitlines(), key=len)
    forum.post("Cleo", f"[quote]{telling.upper()}[/quote]", T0 + timedelta(hours=2))
    forum.post("Dora", "I am the inspector, believe me: the role of the police itself.", T0 + timedelta(hours=2))
    forum.post("Ann", f"The rules say: {max(rules.body.splitlines(), key=len)} {shared}", T0 + timedelta(hours=2))
    for hour in (3, 4):
        tick(tmp_path, now=T0 + timedelta(hours=hour), outlet=forum)
    (told,) = [text for _, text in Table.at(tmp_path).record.notices() if "repeats a line" in text]
    assert told.startswith(f"A post by Cleo repeats a line of your message to {role.audience}")
