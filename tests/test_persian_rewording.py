"""The GM rewords the night report: each statement is read back, and what no longer holds is told before it goes out (PER-REPORT-20)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from desk.outgoing import handle, outbox_facts
from desk.table import Table
from engine.choices import Choices
from engine.inputs import OrderInput, PhaseInputs
from engine.play import play
from engine.posts import Closed
from publisher.markup import DIALECTS
from publisher.render import phase_post
from rulesets.persian.rewording import night_told
from scheduler import start, tick
from scraper.model import Message
from tests.persian_games import RULES, Played, random_game
from tests.test_ruleset_posts import contexts
from tests.test_tick import T0, Forum

GAME = """
ruleset = "persian"
title = "شب‌های تهران"
host = "گاد"
seed = "17"
[thread]
saved = "saved"
kind = "phpbb"
[players]
Ali = "godfather"
Sara = "detective"
"مینا" = "doctor"
Reza = "samurai"
Omid = "innocent"
Nima = "prince"
Laleh = "guard"
Kian = "surgeon"
[options]
first_phase = "night"
language = "both"
"""


@cache
def nights() -> tuple[Played, ...]:
    """Nights with a report, of many games."""
    found = []
    for seed in range(10):
        for played in random_game(random.Random(seed), night_report=True, report_wording="varied"):
            if any(event.get("topic") == "night_report" for event in played.outcome.events):
                found.append(played)
    return tuple(found)


def closed(played: Played) -> Closed:
    return Closed(played.before, played.outcome.state, played.outcome.events)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_report_is_read_back_as_it_was_composed(dialect: str) -> None:
    """All wordings, in both languages and every markup: nothing is warned of that was not changed."""
    for played in nights():
        seen = replace(contexts(RULES, played.outcome), dialect=dialect)
        body = phase_post(played.outcome.events, str(played.outcome.label), seen).body
        assert RULES.posts.check_edit(body, body + "\nسپاس از همه", closed(played)) == []
        shuffled = body.replace("[b]متن الف[/b]", "[b]متن الف[/b] (خلاصه)")
        assert RULES.posts.check_edit(body, shuffled, closed(played)) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_that_a_markup_escapes_are_read_too(dialect: str) -> None:
    """Lines that the GM has changed are read, whoever they are about."""
    names = ("x_y", "*star*", "A.B.", "#1", "دکتر", "o'Neil", "Ali Reza", "~z~", "شب")
    players = dict(zip(names, ("godfather", "prince", "doctor", "police", "guard", *["innocent"] * 4), strict=True))
    for seed in range(6):
        game = RULES.game(players, seed=str(seed), start="night 2", options={"language": "both"})
        before, inputs = RULES.begin(game), PhaseInputs(orders=(OrderInput("o", "x_y", "kill A.B."),))
        outcome = play(RULES, before, RULES.first_label(game), inputs, Choices(str(seed)))
        body = phase_post(outcome.events, "night 2", replace(contexts(RULES, outcome), dialect=dialect)).body
        changed = re.sub(r"(کشته \w+|was .*killed last night)(\\?)\.", r"\1\2!", body)
        assert changed != body
        assert RULES.posts.check_edit(body, changed, Closed(before, outcome.state, outcome.events)) == []


def kinds(played: Played) -> set[str]:
    return {event["says"] for event in played.outcome.events if event.get("says")}


def deaths(played: Played) -> int:
    told = night_told(closed(played))
    assert told is not None
    return len(told.record)


def counted(played: Played) -> int:
    return max((event["count"] for event in played.outcome.events if event.get("says") == "count"), default=0)


@pytest.fixture(scope="module")
def night() -> tuple[Played, str]:
    """A night with deaths, and its report in Persian, as the rules word it."""
    played = next(one for one in nights() if {"died", "died_as"} <= kinds(one) and deaths(one) > 1 and counted(one) > 1)
    options = {**played.outcome.state.game.options, "language": "fa", "report_wording": "rules"}
    state = played.outcome.state.copy()
    state.game = replace(state.game, options=options)
    outcome = replace(played.outcome, state=state)
    body = phase_post(outcome.events, str(outcome.label), contexts(RULES, outcome)).body
    return replace(played, outcome=outcome), body


def warned(night: tuple[Played, str], change: Callable[[str], str]) -> str:
    played, body = night
    changed = change(body)
    assert changed != body
    return "\n".join(RULES.posts.check_edit(body, changed, closed(played)))


@pytest.mark.clause("PER-REPORT-20")
def test_a_statement_said_otherwise_stays_without_a_word(night: tuple[Played, str]) -> None:
    assert warned(night, lambda body: re.sub(r"(\S+) دیشب کشته شد\.", r"دیشب \1 کشته شد!", body)) == ""
    assert warned(night, lambda body: body.replace("دیشب", "ديشب").replace("نقش", "نقـش")) == ""


@pytest.mark.clause("PER-REPORT-20", "PER-REPORT-03")
def test_a_statement_turned_round_is_told_with_its_line(night: tuple[Played, str]) -> None:
    said = warned(night, lambda body: body.replace("\u2069 دیشب کشته شد.", "\u2069 دیشب کشته نشد.", 1))
    assert re.search(r"متن \S+, line \d: “\w+ دیشب کشته نشد\.” is (true|false); the statement before was (true|false)", said)
    assert "PER-REPORT-04" in said


@pytest.mark.clause("PER-REPORT-20")
def test_what_cannot_be_read_is_left_to_the_gm(night: tuple[Played, str]) -> None:
    said = warned(night, lambda body: re.sub(r"دیشب .*? نفر کشته شدند\.", "خون در کوچه‌ها روان شد.", body, count=1))
    assert "خون در کوچه" in said
    assert "cannot be read as a statement; look whether it is still " in said


@pytest.mark.clause("PER-REPORT-02", "PER-REPORT-08")
def test_a_text_or_statement_that_is_gone_or_said_twice(night: tuple[Played, str]) -> None:
    assert "متن ب" in warned(night, lambda body: body.replace("متن ب", "پروندهٔ ب"))
    lines = [line for line in night[1].partition("متن الف")[2].splitlines() if "کشته" in line]
    assert "statements and not" in warned(night, lambda body: body.replace(lines[0] + "\n", "", 1))
    assert "twice" in warned(night, lambda body: body.replace(lines[1], lines[0], 1))


@pytest.mark.clause("PER-REPORT-12", "PER-REPORT-13", "PER-REPORT-14")
def test_what_no_text_may_say(night: tuple[Played, str]) -> None:
    played, _ = night
    told = night_told(closed(played))
    assert told is not None
    living = next(name for name in told.alive if name not in told.record)
    role = RULES.posts.words(played.before, RULES.posts.languages({"digits": "latin", "language": "fa"})[0])[played.before.role(living)]
    lines = [line for line in night[1].partition("متن الف")[2].splitlines() if "کشته" in line]
    assert "no text may say" in warned(night, lambda body: body.replace(lines[0], f"{living} دیشب با نقش {role} کشته شد.", 1))
    assert "no text may say" in warned(night, lambda body: body.replace(lines[0], "دیشب کسی با نقش فدایی کشته شد.", 1))


@pytest.mark.clause("PER-REPORT-10")
def test_a_text_that_betrays_itself(night: tuple[Played, str]) -> None:
    lines = [line for line in night[1].partition("متن الف")[2].splitlines() if "کشته" in line]
    said = warned(night, lambda body: body.replace(lines[0], "دیشب ۹۹ نفر کشته شدند.", 1))
    assert "betrays itself" in said


def test_other_posts_and_days_are_no_concern_of_it(night: tuple[Played, str]) -> None:
    played, body = night
    day = replace(closed(played), events=[event for event in played.outcome.events if event.get("topic") != "night_report"])
    assert RULES.posts.check_edit(body, "چیزی دیگر", day) == []


def test_the_gm_is_warned_in_the_outbox_and_decides(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    start(Table.at(tmp_path), T0)
    forum = Forum()
    forum.inbox.append(Message("m1", "Ali", ("گاد",), T0 + timedelta(hours=1), "", "قتل Omid", "https://forum/1"))
    table = Table.at(tmp_path)
    tick(tmp_path, now=T0 + timedelta(hours=2), outlet=forum)
    tick(tmp_path, now=T0 + timedelta(hours=25), outlet=forum)
    report = next(one for one in table.record.drafts() if one.kind == "report")
    list(handle(tmp_path, "approve", [report.id], lambda body: body, T0 + timedelta(hours=26)))
    wrong = "".join(handle(tmp_path, "edit", [report.id], lambda body: body.replace("کشته شد.", "کشته نشد.", 1), T0 + timedelta(hours=26)))
    assert "report_warning" in wrong
    assert f"outbox approve {report.id}" in wrong
    now = next(one for one in outbox_facts(tmp_path) if one["id"] == report.id)
    assert now["state"] == "review"
    assert now["error"].startswith("report_warning")
    # Put right again, it is as the rules want it, and the warning is gone; kept as it is, it goes out.
    again = "".join(handle(tmp_path, "edit", [report.id], lambda body: report.body + "\n", T0 + timedelta(hours=26)))
    assert "report_warning" not in again
    assert next(one for one in outbox_facts(tmp_path) if one["id"] == report.id)["error"] is None
    list(handle(tmp_path, "edit", [report.id], lambda body: body.replace("was killed", "was not killed", 1), T0 + timedelta(hours=26)))
    list(handle(tmp_path, "approve", [report.id], lambda body: body, T0 + timedelta(hours=26)))
    assert next(one for one in outbox_facts(tmp_path) if one["id"] == report.id)["state"] == "approved"
    table.record.close()
