"""Every worked example must come out as it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from rehearsal.run import rehearse

FILES = sorted((Path(__file__).parent / "scenarios").rglob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_scenario_holds(file: Path) -> None:
    assert list(map(str, rehearse(file).failures)) == []
