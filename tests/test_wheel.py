"""The package as others install it: a wheel, in an environment of its own, run from another folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEFT_OUT = shutil.ignore_patterns(".*", "*.egg-info", "__pycache__", "build", "dist", "tests")


@pytest.fixture(scope="module")
def nightpost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "source", ignore=LEFT_OUT)
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, folder / "source")
    venv.create(folder / "venv", with_pip=True)
    (wheel,) = folder.glob("*.whl")
    run(folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    return folder / "venv" / "bin" / "nightpost"


def run(*words: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_brings_all_it_needs(nightpost: Path, tmp_path: Path) -> None:
    scenario = ROOT / "tests" / "scenarios" / "danganronpa" / "01-phase-order.yaml"
    assert json.loads(run(nightpost, "simulate", scenario, "--json", cwd=tmp_path))["passed"]
    made = ["new", "game", "--host", "Host", "--saved", "saved", "--player", "Ann", "--player", "Bo", "--deal"]
    run(nightpost, *made, cwd=tmp_path)
    assert json.loads(run(nightpost, "check", "game", "--offline", "--json", cwd=tmp_path))["ok"]
    assert len(run(nightpost, "rules", "danganronpa", cwd=tmp_path)) > 1000
    run(nightpost, "start", "game", cwd=tmp_path)
    assert json.loads(run(nightpost, "tick", "game", "--json", cwd=tmp_path))["review"] > 0
