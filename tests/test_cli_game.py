"""A whole game's beginning over the command line, from saved pages: every command a GM uses on the way."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_cli import ROOT, new_game, run

LOGIN_PAGE = "<html><body><form>Log in</form></body></html>"


def ids(folder: Path, state: str) -> list[str]:
    rows = [json.loads(line) for line in run("outbox", folder, "--json").stdout.splitlines()]
    return [str(row["id"]) for row in rows if row["state"] == state]


def test_from_start_to_verify(tmp_path: Path) -> None:
    game = tmp_path / "game"
    assert new_game(game, "--player", "Cy=ultimate_lawyer").returncode == 0
    assert "has not begun" in run("tick", game).stderr
    assert run("status", game).returncode == 2
    started = run("start", game)
    assert started.returncode == 0, started.stderr
    assert run("start", game).returncode == 2
    drafts = ids(game, "review")
    assert len(drafts) == 5  # the rules, the opening, three role messages
    assert run("outbox", "approve", *drafts, game).returncode == 0
    ticked = run("tick", game, "--json")
    assert ticked.returncode == 0, ticked.stderr
    assert len(json.loads(ticked.stdout)["sent"]) >= 5
    opening = next((game / "posted").glob("*-opening.txt")).read_text("utf-8")
    seed = next(line for line in (game / "game.toml").read_text("utf-8").splitlines() if line.startswith("seed"))
    assert seed.split('"')[1] not in opening
    facts = json.loads(run("status", game, "--json").stdout)
    assert facts["phase"] == "trial 1"
    assert facts["alive"] == ["Ann", "Cy", "Bo"]
    assert run("gm", "vote Cy for Bo", game).returncode == 0
    assert json.loads(run("tally", game, "--json").stdout)["counts"][0]["target"] == "Bo"
    chart = tmp_path / "votes.svg"
    assert run("tally", game, "--chart", chart).returncode == 0
    assert chart.read_text("utf-8").startswith("<svg")
    assert run("preview", game).returncode == 0
    assert run("review", game).returncode in (0, 1)
    resolved = run("resolve", game)
    if resolved.returncode == 1:  # the GM is asked for a regulation
        assert run("review", "answer", "1", "No running.", game).returncode == 0
        resolved = run("resolve", game)
    assert resolved.returncode == 0, resolved.stdout + resolved.stderr
    assert "lynch" in run("why", "Bo", game).stdout
    assert run("why", "Nobody", game).returncode == 2
    assert "lynch" in run("log", game, "--json").stdout
    verified = run("verify", game)
    assert verified.returncode == 0, verified.stdout


@pytest.mark.parametrize(("said", "phase"), [("n", "daily life 1"), ("y", "daily life 2")])
def test_a_terminal_is_asked_before_a_phase_is_closed_that_has_only_just_begun(said: str, phase: str, tmp_path: Path) -> None:
    game = tmp_path / "game"
    new_game(game, "--player", "Cy=ultimate_lawyer,black=black_slasher", "--player", "Di=ultimate_electrician")
    settings = (game / "game.toml").read_text("utf-8")
    (game / "game.toml").write_text(settings.replace('waive = []', 'waive = "all"'), encoding="utf-8")
    run("start", game)
    first = run("resolve", game)
    assert first.returncode == 0, first.stderr
    near, far = pty.openpty()
    os.write(near, f"{said}\n".encode())
    told = subprocess.run(
        [sys.executable, "-m", "nightpost", "resolve", game, "--json"], cwd=ROOT, capture_output=True, text=True, stdin=far, timeout=60, check=False,
    )  # fmt: skip
    os.close(near)
    os.close(far)
    assert "trial 1 is closed already, and daily life 1 has only just begun. Close it too?" in told.stderr
    assert told.stdout == "" if said == "n" else json.loads(told.stdout)["closed"]
    assert json.loads(run("status", game, "--json").stdout)["phase"] == phase


def test_what_holds_a_tick_up_is_told_with_the_times_of_the_gms_zone(tmp_path: Path) -> None:
    game = tmp_path / "game"
    new_game(game, "--timezone", "Asia/Tehran", "--opens", "2024-01-01T20:00:00")
    assert run("start", game).returncode == 0
    ticked = run("tick", game)
    assert "trial 1 ended at 2024-01-03 20:00 Asia/Tehran, and the saved pages are older" in ticked.stderr
    assert ticked.returncode == 1


def test_a_login_page_is_never_an_empty_thread(tmp_path: Path) -> None:
    game = tmp_path / "game"
    new_game(game)
    assert run("start", game).returncode == 0
    (game / "saved" / "page.html").write_text(LOGIN_PAGE, "utf-8")
    ticked = run("tick", game)
    assert ticked.returncode in (2, 3)
    assert "Traceback" not in ticked.stderr
    assert ticked.stderr.strip()
