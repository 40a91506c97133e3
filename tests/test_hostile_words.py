"""Strangers' words in everything that is shown again: no command's output steers the terminal, breaks JSON or stops a tick."""

from __future__ import annotations

import json
import re
import xml.dom.minidom
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from apscheduler.schedulers.blocking import BlockingScheduler
from click.testing import CliRunner
from lxml.html import fromstring

import nightpost
import scheduler
from desk.table import Table
from desk.telling import Watch
from nightpost import cli, say
from scheduler import Report, start, tick
from scraper.markup import read_markup
from scraper.model import Message, Post
from tests.test_tick import GAME, T0, Forum, red

WORDS = (
    "\x1b]0;pwn\x07", "\x1b[31mred", "\x9b31m", "\u202eevil\u2066", "line1\r\nline2\u2028line3\u2029line4\x85line5", "\x00nul",
    "[b]bold[/b][url=http://evil.example]x[/url]", "<script>alert(1)</script>", "{{ 7*7 }}{% raw %}", '=HYPERLINK("http://evil.example")',
    "'; drop table posts; --", "**md** [x](http://evil.example) `code`", "| a | b |", "a" * 3000, "%s%n %(x)s", '[quote="Anna"]',
    "[/code][/quote]", "&lt;b&gt; &amp; &#27;", "[img]http://evil.example/x.png[/img]", "half \ud83d of a sign",
)  # fmt: skip
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def after(hours: float, minutes: float = 0) -> datetime:
    return T0 + timedelta(hours=hours, minutes=minutes)


@pytest.fixture
def forum(tmp_path: Path) -> Forum:
    """A game in `tmp_path` and a forum full of such words, by players and strangers, in posts, messages and names."""
    players = GAME.replace("Elena = {", '"El<i>e</i> [b]na[/b]" = { aliases = ["{{ 3*3 }}"],')
    text = players.replace("A School Trip", r"T <b>x</b> [b]y[/b] {{ 1 }} \u001b[31m").replace("[publish]", "[mail]\nreceipts = true\n[publish]")
    (tmp_path / "game.toml").write_text(text, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    table.record.close()
    forum = Forum()
    for number, words in enumerate(WORDS):
        forum.post("Anna", red(words), after(1, number))
        forum.post(f"Stranger {words}", red(words), after(2, number))
        for id_, sender, text in ((f"m{number}", "Cleo", f"stake out {words}"), (f"s{number}", f"X {words}", f"murder {words}")):
            forum.inbox.append(Message(id_, sender, ("Monokuma", words), after(3, number), words, text, "inbox"))
    forum.post("Boris", red("{{ 3*3 }}"), after(4))
    forum.post("Anna", red("Boris"), after(5))
    return forum


ASKED: tuple[tuple[str, ...], ...] = (
    ("status",), ("tally",), ("tally", "--history"), ("review",), ("log",), ("why", "Anna"), ("outbox",), ("preview",), ("verify",),
    ("check", "--offline"), *(
        one for words in WORDS[:4] for one in (
            ("preview", "--order", f"Cleo: stake out {words}"), ("why", words), ("gm", f"vote {words} for Anna"), ("gm", words),
            ("review", "answer", words, "x"), ("review", "teach", words, "x"), ("gm", f"replace Cleo with {words}"), ("gm", "undo"),
            ("tally", "--at", words), ("outbox", "approve", words),
        )
    ),
)  # fmt: skip


def test_no_output_steers_a_terminal_and_each_line_of_json_is_one(
    tmp_path: Path, forum: Forum, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def asked(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["nightpost", *words, str(tmp_path)])
        try:
            status = nightpost._run(loud=False)
        except SystemExit as end:
            status = int(end.code or 0)
        shown = capsys.readouterr()
        assert STEERING.search(shown.out + shown.err) is None, words
        return status, shown.out, shown.err

    for hours in (6, 49):
        assert not tick(tmp_path, now=after(hours), outlet=forum).trouble
        monkeypatch.setattr("nightpost._now", lambda hours=hours: after(hours))
        for words in ASKED:
            for how in (words, (*words, "--json")):
                status, out, err = asked(*how)
                assert out or err or status in (0, 1), how
                assert "Nightpost failed" not in err, how
                if how != words and status == 0:
                    assert all(json.loads(line) for line in out.splitlines()), how


@pytest.mark.parametrize("number", ["²", "٣", "1e3", "-1", "½", "99999999999999999999999", "9-1", ""])
def test_odd_numbers_are_refused_in_a_sentence(
    tmp_path: Path, forum: Forum, number: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.toml"
    file.write_text(file.read_text("utf-8").replace('waive = ["regulation", "name", "tie"]', "waive = []"), "utf-8")
    monkeypatch.setattr("nightpost._now", lambda: after(49))
    tick(tmp_path, now=after(49), outlet=forum)
    for words in (("review", "answer", number, "x"), ("why", number), ("outbox", "approve", number), ("tally", "--at", number)):
        monkeypatch.setattr("sys.argv", ["nightpost", *words, str(tmp_path)])
        with suppress(SystemExit):
            nightpost._run(loud=False)
        assert "Nightpost failed" not in capsys.readouterr().err, words


def test_a_weight_that_is_no_number_makes_nothing_bold() -> None:
    tree = fromstring('<div><span style="font-weight: ²">a</span> <span style="font-weight: 700">b</span></div>')
    assert read_markup(tree).bbcode.replace("\n", "") == "a [b]b[/b]"


def test_a_picture_of_the_count_is_xml_and_runs_nothing(tmp_path: Path, forum: Forum, monkeypatch: pytest.MonkeyPatch) -> None:
    tick(tmp_path, now=after(6), outlet=forum)
    monkeypatch.setattr("nightpost._now", lambda: after(6))
    CliRunner().invoke(cli, ["tally", "--chart", str(tmp_path / "count.svg"), str(tmp_path)], catch_exceptions=False)
    drawn = xml.dom.minidom.parse(str(tmp_path / "count.svg"))
    assert "El<i>e</i>" in (tmp_path / "count.svg").read_text("utf-8").replace("&lt;", "<").replace("&gt;", ">")
    assert not drawn.getElementsByTagName("i")


def test_what_no_file_can_hold_stops_no_tick_and_is_kept_once(tmp_path: Path, forum: Forum) -> None:
    half = "half \ud83d"
    forum.thread.append(Post("900", 900, half, half, after(5, 1), None, f"http://forum/{half}", red(half), half))
    tick(tmp_path, now=after(6), outlet=forum)
    assert tick(tmp_path, now=after(7), outlet=forum).posts == 0
    table = Table.at(tmp_path)
    table.record.notice(after(7), f"The forum says: {half}")
    assert table.record.notices()[-1][1] == "The forum says: half ?"
    table.record.close()


def test_run_prints_nothing_that_steers_and_one_games_trouble_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ticked(folder: Path, **_: Any) -> Report:
        if folder.name == "bad":
            raise ValueError("\x1b[31m odd")
        return Report(trouble=["The forum says: \x1b]0;pwn\x07"])

    monkeypatch.setattr(scheduler, "tick", ticked)
    monkeypatch.setattr(BlockingScheduler, "start", lambda self: None)
    scheduler.run([tmp_path / "bad", tmp_path / "good"], every=timedelta(minutes=1), told=Watch(), say=say)
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("bad: the tick failed: ValueError: [31m odd. What was read is kept.")
    assert second.endswith("good: The forum says: ]0;pwn")
