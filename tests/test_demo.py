"""The demo plays a whole game to its winner."""

from __future__ import annotations

from pathlib import Path

from demo.play import main


def test_the_demo_ends_with_a_winner_and_a_page_to_look_at(tmp_path: Path) -> None:
    said: list[str] = []
    assert main(say=said.append, page=tmp_path / "thread.html") == 0
    assert any("The winner: white" in line for line in said)
    assert any("The GM" in line or "GM" in line for line in said)
    page = (tmp_path / "thread.html").read_text(encoding="utf-8")
    assert "A School Trip" in page
