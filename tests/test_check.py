"""What `check` finds before a game: mistakes in the GM's own templates, and places for messages that are not there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

import nightpost
import templates
from publisher.proofreading import template_mistakes
from scraper.mail import read_mail

BUILT_IN = Path(templates.__file__).parent
GAME = """
ruleset = "danganronpa"
title = "A trip"
host = "Host"
seed = "1"
[thread]
saved = "saved"
[mail]
paths = ["mail", "posteingang"]
[players]
Ann = { role = "ultimate_detective", black = "black_slasher" }
Bo = "ultimate_nurse"
"""


def written(folder: Path, **texts: str) -> list[str]:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.j2").write_text(text, encoding="utf-8")
    return template_mistakes("danganronpa", "phpbb", folder)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("opening", "one\n{{ tittle }}", "opening.j2:2: `tittle` is not known here (did you mean `title`?)"),
        ("opening", "{% if players %}\n\n{{ dead_line }}{% endif %}", "opening.j2:3: `dead_line` is not known here"),
        ("tally", "{{ awaited }}", "tally.j2:1: `awaited` is not known here"),  # the reminder has it, the tally has not
        ("tally", "{{ blod('x') }}", "tally.j2:1: `blod` is not known here (did you mean `bold`?)"),
        ("tally", "x\n{% include 'tallly.j2' %}", "tally.j2:2: `tallly.j2`: there is no such template (did you mean `tally.j2`?)"),
        ("tally", "{{ title.__class__ }}", "tally.j2:1: `__class__` may not be used in a template"),
        ("tally", "{{ title['__class__'] }}", "tally.j2:1: `__class__` may not be used in a template"),
        ("tally", "{{ options.vote_hourz }}", "tally.j2:1: `options.vote_hourz`: danganronpa has no option of this name"),
        ("tally", "x\n{{ colour('x', 'red') }}", "tally.j2:2: `red` is red"),
        ("tally", "{{ colour('x', 'purpel') }}", "tally.j2:1: `purpel` is no colour"),
        ("rules", "my rules", "rules.j2: this text is always the built-in one"),
        ("tally", "{{ title|uper }}", "tally.j2:1: No filter named 'uper'. (did you mean `upper`?)"),
        ("tally", "x\n{% for a in votes %}", "tally.j2:2: Unexpected end of template"),
        ("tally", "{% for a in range(9999) %}\n{% for b in range(9999) %}\n{% set c = a %}\n{% endfor %}{% endfor %}", "tally.j2:"),
        ("tally", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "tally.j2:1: it calls itself without end"),
        ("tally", "{% include 'tally.j2' %}", "tally.j2:1: it calls itself without end"),
        ("tally", "{{ 'x' * 9999999 }}", "tally.j2:1: `*` is for small whole numbers here"),
        ("tally", "{{ range(10**9) }}", "tally.j2:1: `**` is for small whole numbers here"),
    ],
)
def test_a_mistake_in_a_template_has_its_line_and_the_nearest_right_spelling(tmp_path: Path, name: str, text: str, told: str) -> None:
    (mistake,) = written(tmp_path / "templates", **{name: text})
    assert mistake.startswith(f"templates/{told}")


def test_several_mistakes_are_told_at_once(tmp_path: Path) -> None:
    found = written(tmp_path / "t", tally="{{ a_b_c }}\n{{ x_y_z }}", opening="{{ q_q_q }}", reminder="{{ label }}")
    assert [one.split(" ")[0] for one in found] == ["templates/opening.j2:1:", "templates/tally.j2:1:", "templates/tally.j2:2:"]


@pytest.mark.parametrize("ruleset", ["danganronpa", "conan", "persian"])
def test_the_built_in_wording_taken_over_as_it_is_has_no_mistake(tmp_path: Path, ruleset: str) -> None:
    for room in ("common", ruleset):
        for file in (BUILT_IN / room).rglob("*.j2"):
            if file.name in ("rules.j2", "glossary.j2"):  # always the built-in ones
                continue
            copy = tmp_path / file.relative_to(BUILT_IN / room)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(file.read_text("utf-8"), encoding="utf-8")
    assert template_mistakes(ruleset, "phpbb", tmp_path) == []


def test_what_a_template_makes_itself_is_known(tmp_path: Path) -> None:
    text = (
        "{% set mine = 1 %}{{ mine }}{% macro say(x) %}{{ x }}{% endmacro %}{{ say(title) }}{% for p in players %}{{ loop.index }}"
        "{{ p }}{% endfor %}{% pick about title %}a{% or %}b{% endpick %}{% include 'built-in/tally.j2' %}"
        "{% include 'perhaps.j2' ignore missing %}{{ options.items()|list|length }}{% for e in not_voting %}{{ e.x.y|join(', ') }}{% endfor %}"
    )
    assert written(tmp_path / "t", tally=text) == []


def test_the_file_of_a_player_in_the_folder_here_has_no_stray_slash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Anna.txt").write_text("Night 1:\nkill Bo\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (message,) = read_mail([Path()], timezone=UTC, notes=[], players=["Anna"])
    assert message.source.startswith("Anna.txt:line ")


Called = Callable[..., tuple[int, str]]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Called:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")

    def called(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["nightpost", "check", str(tmp_path), "--offline", *words])
        with pytest.raises(SystemExit) as stop:
            nightpost.main()
        return int(stop.value.code or 0), capsys.readouterr().out

    return called


def test_a_template_with_a_mistake_is_status_2(tmp_path: Path, check: Called) -> None:
    assert check()[0] == 0
    written(tmp_path / "templates", tally="{{ laebl }}")
    status, said = check()
    assert (status, "! templates/tally.j2:1: `laebl` is not known here (did you mean `label`?)" in said) == (2, True)
    status, said = check("--json")
    assert (status, json.loads(said)["ok"]) == (2, False)


def test_a_folder_of_messages_that_is_named_and_not_there_is_told(tmp_path: Path, check: Called) -> None:
    _, said = check()
    assert f"[mail] paths: {tmp_path / 'posteingang'} does not exist" in said
    assert f"{tmp_path / 'mail'} " not in said
    (tmp_path / "posteingang").mkdir()
    assert "does not exist" not in check()[1]


def test_an_account_that_is_another_players_name_is_told() -> None:
    from datetime import datetime

    from desk.settings import read_settings
    from desk.sources import may_not_work

    now = datetime(2026, 12, 1, tzinfo=UTC)
    told = may_not_work(read_settings(GAME.replace('Bo = "ultimate_nurse"', 'Bo = { role = "ultimate_nurse", account = "ann" }')
                                      .replace("Ann = { ", 'Ann = { account = "Robert", '), Path("/nowhere")), now)  # fmt: skip
    assert any("Bo's account `ann` is what another player is called" in one for one in told)
    assert not any("is what another player is called" in one for one in may_not_work(read_settings(GAME, Path("/nowhere")), now))
