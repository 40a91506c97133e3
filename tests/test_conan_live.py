"""A Conan game in its folder: orders by message, who is waited for, a player replaced, and what the thread is told."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from desk.commands import command
from desk.replacing import replaced
from desk.table import Table
from desk.views import status_facts
from desk.why import why
from scheduler import replay, resolve_now, start, tick
from scraper.model import BadInput, Message
from tests.test_tick import T0, Forum

GAME = """
ruleset = "conan"
title = "The Black Ship"
host = "Gosho"
seed = "17"
waive = ["inactive_route", "bo_win", "friend_route", "lovers_route", "will"]
[options]
inactive_limit = 3
[thread]
saved = "saved"
kind = "phpbb"
[players]
Abs = "gin"
Pis = "pisco"
Kleene = "araide"
Bo = "heiji"
Cy = "satou"
Di = "eri"
[publish]
rules = "auto"
opening = "auto"
role = "auto"
report = "auto"
private = "auto"
"""


def after(hours: float) -> datetime:
    return T0 + timedelta(hours=hours)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    (tmp_path / "saved").mkdir()
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    start(Table.at(tmp_path), T0)
    return tmp_path


def write(forum: Forum, by: str, text: str, hours: float) -> None:
    forum.inbox.append(Message(f"m{len(forum.inbox)}", by, ("Gosho",), after(hours), "", text, "pm"))


@pytest.mark.clause("CON-INACT-03", "CON-INACT-04", "CON-GEN-03", "CON-KILL-02", "CON-INACT-01")
def test_a_night_by_message_with_a_replacement(game: Path) -> None:
    forum = Forum()
    tick(game, now=after(0.1), outlet=forum)
    roles = {player: body for player, _, body in forum.sent if player != "thread"}
    assert {"Abs", "Pis", "Kleene", "Bo", "Cy", "Di"} <= set(roles)
    assert "[b]Gin[/b]" in roles["Abs"]
    assert "Pis (Pisco)" in roles["Abs"]
    write(forum, "Abs", "Kill Di", 1)
    write(forum, "Kleene", "Heal Bo", 1)
    tick(game, now=after(2), outlet=forum)
    replaced(Table.at(game), "replace Kleene with pofa", after(3))
    assert Table.at(game).seats().account("Kleene") == "pofa"
    write(forum, "Kleene", "Heal Cy", 4)
    write(forum, "pofa", "Heal Di", 4)
    write(forum, "Bo", "interrogate Abs", 4)
    tick(game, now=after(5), outlet=forum)
    table = Table.at(game)
    assert not any(title.endswith(" (2)") for _, title, _ in forum.sent)  # another reader's
    assert table.play(until=after(5), close=False).awaited == {"Pis": "order", "Cy": "order", "Di": "order"}
    before = len(forum.sent)
    resolve_now(game, now=after(6))
    tick(game, now=after(6.1), outlet=forum)
    told = {player: body for player, _, body in forum.sent[before:]}
    report = next(body for body in told.values() if "is over" in body)
    assert "pofa takes the place of Kleene." in report
    assert "Still alive (6 players): Abs, Pis, pofa, Bo, Cy and Di" in report
    assert "and it saved that player" in told["Kleene"]
    assert told["Kleene"].startswith("pofa,")
    assert "healed or protected" in told["Abs"]
    assert "[b]Black Org[/b]" in told["Bo"]
    assert "missed phase" in told["Cy"]
    assert replay(game) == []


@pytest.mark.clause("CON-PHASE-02")
def test_a_phase_lasts_a_day_or_what_the_gm_says(game: Path) -> None:
    assert Table.at(game).record.phases()[-1].deadline == after(24)
    command(game, "extend 12h", after(1))
    assert Table.at(game).record.phases()[-1].deadline == after(36)


@pytest.mark.clause("CON-INACT-03")
def test_a_replacement_taken_back_leaves_the_name(game: Path) -> None:
    replaced(Table.at(game), "replace Kleene with pofa", after(1))
    assert Table.at(game).play(until=after(2), close=False).state.called("Kleene") == "pofa"
    command(game, "undo", after(2))
    assert Table.at(game).play(until=after(3), close=False).state.called("Kleene") == "Kleene"


@pytest.mark.clause("CON-GEN-06", "CON-GEN-16")
def test_commands_of_the_ruleset_are_tried_out_first(game: Path) -> None:
    assert "Noted" in command(game, "excuse Bo", after(1))
    assert "Noted" in command(game, "censor will Bo: nothing to see", after(1))
    with pytest.raises(BadInput, match="cannot be done"):
        command(game, "release Bo", after(1))
    with pytest.raises(BadInput, match="cannot be done"):
        command(game, "inactive Bo actions to Zed", after(1))


@pytest.mark.clause("CON-VOTE-04", "CON-INACT-11")
def test_a_day_shows_its_votes_in_the_report_alone(game: Path) -> None:
    forum = Forum()
    resolve_now(game, now=after(6))
    for name, vote in (("Abs", "vote Bo"), ("Cy", "vote Abs"), ("Di", "vote Abs"), ("Bo", "abstain")):
        write(forum, name, vote, 7)
    tick(game, now=after(8), outlet=forum)
    before = len(forum.sent)
    resolve_now(game, now=after(9))
    tick(game, now=after(9.1), outlet=forum)
    shown = [body for _, _, body in forum.sent[before:] if "Abs – 2 – Cy and Di" in body]
    assert len(shown) == 1
    assert "Bo – 1 – Abs" in shown[0]
    assert "Abs was [b]Gin[/b]" in shown[0]


def test_a_message_dated_ahead_is_told_of(game: Path) -> None:
    forum = Forum()
    write(forum, "Kleene", "Heal Bo", 3)
    write(forum, "Bo", "interrogate Abs", 1)
    tick(game, now=after(1), outlet=forum)
    told = [text for _, text in Table.at(game).record.notices() if "yet to come" in text]
    assert len(told) == 1
    assert "by Kleene" in told[0]


def test_who_sits_where_and_who_is_silent_is_told_by_the_names_of_now(game: Path) -> None:
    replaced(Table.at(game), "replace Kleene with pofa", after(1))
    tick(game, now=after(2), outlet=Forum())
    facts = status_facts(game, after(2))
    assert "pofa" in facts["alive"]
    assert "pofa" in facts["not_ordered"]
    assert "Kleene" not in facts["alive"]


def test_private_votes_are_the_gm_s_alone_in_why(game: Path) -> None:
    forum = Forum()
    resolve_now(game, now=after(1))
    write(forum, "Cy", "vote Abs", 2)
    tick(game, now=after(3), outlet=forum)
    assert [row["visibility"] for row in why(game, "Abs", after(3)) if row["kind"] == "vote"] == ["gm"]


def test_a_will_that_came_after_the_gms_word_on_an_earlier_one_is_asked_about(tmp_path: Path) -> None:
    text = GAME.replace(', "will"]', "]").replace("inactive_limit = 3", "inactive_limit = 0\nwills_need_approval = true")
    (tmp_path / "game.toml").write_text(text, encoding="utf-8")
    forum, table = Forum(), Table.at(tmp_path)
    start(table, T0)
    write(forum, "Abs", "kill Di", 1)
    write(forum, "Di", "will: All the best!", 1)
    tick(tmp_path, now=after(2), outlet=forum)
    assert command(tmp_path, "answer will: publish", after(3)).startswith("Noted: publish is the answer to `will`.")
    write(forum, "Di", "will: Abs is Gin.", 4)
    report = tick(tmp_path, now=after(24.1), outlet=forum)
    assert (report.closed, [one.about["text"] for one in report.questions]) == ([], ["Abs is Gin."])
    command(tmp_path, "answer will: drop", after(24.2))
    assert tick(tmp_path, now=after(24.3), outlet=forum).closed == ["night 1"]
    assert not any("Abs is Gin" in body for to, _, body in forum.sent if to == "thread")
    assert replay(tmp_path) == []


@pytest.mark.clause("CON-GEN-07", "CON-GEN-11")
def test_a_receipt_names_what_a_later_order_replaces(tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    (tmp_path / "game.toml").write_text(f"{GAME}[mail]\nreceipts = true\n", encoding="utf-8")
    start(Table.at(tmp_path), T0)
    forum = Forum()
    for hours, text in enumerate(("Kill Di", "kill Cy", "slander Bo; slander Pis", "slander Di"), 1):
        write(forum, "Abs", text, hours)
        tick(tmp_path, now=after(hours + 0.1), outlet=forum)
    first, second, third, fourth = (body for to, title, body in forum.sent if to == "Abs" and "message was read" in title)
    assert "no longer stands" not in first
    assert second.index("kill Cy") < second.index("This no longer stands") < second.index("kill Di") < second.rindex("kill Cy")
    assert second.count("kill Di") == 1
    assert "no longer stands" not in third  # one of each side
    assert fourth.index("This no longer stands") < fourth.index("slander Bo")
    assert fourth.rpartition("Your orders now stand")[2].split("[*]")[1:] == ["kill Cy\n", "slander Pis\n", "slander Di\n[/list]"]
