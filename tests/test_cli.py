"""The command line as a GM meets it: real processes, exit statuses, no traceback, nothing that steers the terminal."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import nightpost

ROOT = Path(__file__).parent.parent
SCENARIO = ROOT / "tests" / "scenarios" / "danganronpa" / "01-phase-order.yaml"


def run(*words: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nightpost", *map(str, words)], cwd=cwd, capture_output=True, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, stdin=subprocess.DEVNULL, timeout=60, check=False,
    )  # fmt: skip


def new_game(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return run(
        "new", folder, "--title", "Sch\u00f6n", "--host", "Monokuma", "--saved", "saved", "--player", "Ann=ultimate_nurse", *more,
        "--player", "Bo=ultimate_detective",
    )  # fmt: skip


Here = Callable[..., tuple[int, str]]


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The command line without a process of its own: the exit status, and all that was printed."""

    def called(*words: str | Path) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["nightpost", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        with pytest.raises(SystemExit) as stop:
            nightpost.main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out + printed.err

    return called


def test_a_new_folder_passes_the_check(tmp_path: Path) -> None:
    assert new_game(tmp_path / "game").returncode == 0
    checked = run("check", tmp_path / "game", "--json", "--offline")
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["players"] == ["Ann", "Bo"]
    again = new_game(tmp_path / "game")
    assert again.returncode == 2
    assert "it was left as it is" in again.stderr


def test_answers_that_make_no_game_write_nothing(tmp_path: Path) -> None:
    refused = new_game(tmp_path / "game", "--player", "Cy=ultimate_nurse")
    assert refused.returncode == 2
    assert "both hold" in refused.stderr
    assert not (tmp_path / "game").exists()


def test_mistakes_exit_2_with_file_and_line_and_no_traceback(tmp_path: Path) -> None:
    new_game(tmp_path)
    file = tmp_path / "game.toml"
    file.write_text(file.read_text("utf-8").replace("[thread]", 'pasword = 1\n[thread]\nkynd = "phpbb"'), "utf-8")
    told = run("check", tmp_path)
    assert told.returncode == 2
    assert "kynd" in told.stderr
    assert "`kind`" in told.stderr
    assert "Traceback" not in told.stderr
    as_json = json.loads(run("check", tmp_path, "--json").stdout)
    assert len(as_json["mistakes"]) == 2
    assert all(row["line"] for row in as_json["mistakes"])


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"], ["check", "--nonsense"], ["simulate"], ["run"],
        *([command, "no/such/folder"] for command in ("check", "start", "tick", "run", "status", "tally", "review", "preview")),
        *([command, "no/such/folder"] for command in ("resolve", "outbox", "log", "verify")),
        ["gm", "undo", "no/such/folder"], ["why", "Ann", "no/such/folder"],
    ],
)  # fmt: skip
def test_wrong_use_exits_2(words: list[str], here: Here) -> None:
    status, told = here(*words)
    assert status == 2
    assert told.strip()
    assert "Traceback" not in told


def test_a_game_file_stands_for_its_folder(tmp_path: Path, here: Here) -> None:
    new_game(tmp_path)
    assert here("check", tmp_path / "game.toml", "--offline")[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["outbox", "aprove", "3"], "`approve`"), (["review", "anser", "1", "x"], "`answer`"), (["review", "a", "b"], "too many"),
        (["review", "teach", "Anne", "x"], "did you mean Ann"), (["outbox", "approve"], "number of a draft"),
        (["outbox", "approve", "3", "rolle", "."], "`role`"), (["read", "x.html", "--timezone", "Berlin"], "`Europe/Berlin`?"),
        (["rules", "nothing"], "danganronpa"), (["statsu"], "status"), (["tally", "--history", "--at", "3"], "--at"),
    ],
)  # fmt: skip
def test_what_was_meant_is_proposed(
    tmp_path: Path, words: list[str], said: str, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here("new", tmp_path, "--host", "M", "--saved", "saved", "--player", "Ann=ultimate_nurse")[0] == 0
    monkeypatch.chdir(tmp_path)
    status, told = here(*words)
    assert status == 2
    assert said in told


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--player", "Bo=ultimate_detectiv"], "`ultimate_detective`"), (["--player", "Bo"], "has no role"),
        (["--player", "Bo=ultimate_nurse,black"], "black=talent"), (["--timezone", "Europe/Berlim"], "`Europe/Berlin`"),
        (["--opens", "tomorrow"], "2026-12-01T20:00"), (["--ruleset", "danganropa"], "`danganronpa`"), (["--kind", "phbb"], "phpbb"),
    ],
)  # fmt: skip
def test_answers_are_refused_with_what_is_right(tmp_path: Path, more: list[str], said: str, here: Here) -> None:
    status, told = here("new", tmp_path / "game", "--host", "M", "--saved", "saved", "--player", "Ann=ultimate_nurse", *more)
    assert status == 2
    assert said in told
    assert "game.toml:" not in told
    assert not (tmp_path / "game").exists()


def test_simulate_passes_fails_and_refuses(tmp_path: Path) -> None:
    passed = run("simulate", SCENARIO, "--json")
    assert passed.returncode == 0
    assert json.loads(passed.stdout)["passed"] is True
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(SCENARIO.read_text("utf-8").replace("deaths: [Cleo]", "deaths: [Ann]"), "utf-8")
    assert run("simulate", wrong).returncode == 1
    wrong.write_text("ruleset: danganronpo\n", "utf-8")
    assert run("simulate", wrong).returncode == 2


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    new_game(tmp_path)
    told = run("check", tmp_path, "--json", "--offline", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert json.loads(told.stdout)["title"] == "Sch\u00f6n"
    assert "Sch\u00f6n" in told.stdout


def test_a_title_cannot_steer_the_terminal(tmp_path: Path) -> None:
    new_game(tmp_path)
    file = tmp_path / "game.toml"
    file.write_text(file.read_text("utf-8").replace('"Sch\u00f6n"', '"a\\u001b[2Jb\\u202ec"'), "utf-8")
    told = run("check", tmp_path, "--offline")
    assert told.returncode == 0
    assert "\x1b" not in told.stdout
    assert "\u202e" not in told.stdout
    as_json = run("check", tmp_path, "--offline", "--json").stdout
    assert "\u202e" not in as_json
    assert json.loads(as_json)["title"] == "a\x1b[2Jb\u202ec"


def test_a_reader_who_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} -m nightpost simulate tests/scenarios/danganronpa --json | head -n 1 >/dev/null"
    told = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert all(": warning: " in line for line in told.stderr.splitlines()), told.stderr


def test_read_refuses_what_is_no_topic_page(tmp_path: Path) -> None:
    page = tmp_path / "login.html"
    page.write_text("<html><body><form>Log in</form></body></html>", "utf-8")
    assert run("read", page).returncode in (2, 3)
    assert run("read", page, "--timezone", "Nowhere").returncode == 2
    assert run("read", tmp_path / "none.html").returncode == 2
    assert "Traceback" not in run("read", page).stderr


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, nightpost; sys.argv = ['nightpost', '--help']\ntry: nightpost.main()\nexcept SystemExit: pass\n"
    heavy = ("lxml", "yaml", "jinja2", "sqlite_utils", "requests", "rich", "engine", "scheduler")
    code += f"print([m for m in {heavy} if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.splitlines()[-1] == "[]"


def test_mail_prints_one_message_a_line_and_keeps_quiet_about_nothing(tmp_path: Path) -> None:
    box = tmp_path / "one.eml"
    box.write_text(
        "From: Ann <ann@example.org>\nTo: gm@example.org\nSubject: n\u00e4chste Nacht\nDate: Tue, 01 Dec 2026 20:00:00 +0100\n"
        "Message-ID: <1@example.org>\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\nmurder Bo\n",
        "utf-8",
    )
    told = run("mail", box, box)
    (line,) = told.stdout.splitlines()
    assert json.loads(line)["sent_at"] == "2026-12-01T19:00:00Z"
    assert "murder Bo" in json.loads(line)["body"]
    assert run("mail", tmp_path / "none.eml").returncode == 2
