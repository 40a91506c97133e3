"""`nightpost new` at a keyboard: each answer is looked at when it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from desk.asking import Asking, answers
from desk.new import Answers, make
from desk.settings import load_settings
from scraper.model import BadInput

NOTHING: Mapping[str, Any] = {
    **dict.fromkeys(("ruleset", "title", "host", "url", "saved", "kind", "timezone", "opens", "contact")), "players": (), "deal": False,
}  # fmt: skip


def dialogue(folder: Path, typed: Sequence[str], **given: Any) -> tuple[Answers, list[str]]:
    """What comes of these lines typed one after the other, and what was said; all of them must be used."""
    lines, said = iter(typed), list[str]()
    found = answers(folder, {**NOTHING, **given}, Asking(lambda question, default: next(lines) or default or "", said.append))
    assert list(lines) == []
    return found, said


def test_the_right_answers_are_taken_without_a_word(tmp_path: Path) -> None:
    typed = ["", "", "Monokuma", "", "Ann", "Bo", "Cy=ultimate_nurse", "", "https://forum.example/t/5"]
    found, said = dialogue(tmp_path / "my-game", typed)
    assert (found.ruleset, found.title, found.timezone, found.url) == ("danganronpa", "my-game", "UTC", "https://forum.example/t/5")
    assert found.players == ("Ann", "Bo", "Cy=ultimate_nurse")
    assert found.deal
    assert len(said) == 1
    assert load_settings(make(tmp_path / "my-game", found).parent).title == "my-game"


@pytest.mark.parametrize(
    ("typed", "given", "word"),
    [
        (["conann", "conan"], {"title": "t", "host": "H", "timezone": "UTC", "players": ("Ann",), "saved": "s"}, "did you mean `conan`"),
        (["Berlin", "Europe/Berlin"], {"ruleset": "conan", "title": "t", "host": "H", "players": ("Ann",), "saved": "s"}, "Europe/Berlin"),
        (["", "H"], {"ruleset": "conan", "title": "t", "timezone": "UTC", "players": ("Ann",), "saved": "s"}, "needed here"),
        (
            ["forum.example", "-"],
            {"ruleset": "conan", "title": "t", "host": "H", "timezone": "UTC", "players": ("Ann",)},
            "begins with https://",
        ),
    ],
)
def test_a_wrong_answer_is_told_and_asked_again(tmp_path: Path, typed: list[str], given: dict[str, Any], word: str) -> None:
    _, said = dialogue(tmp_path, typed, **given)
    assert word in said[0]


@pytest.mark.parametrize(
    ("ruleset", "first", "wrong", "right", "word"),
    [
        ("danganronpa", "Ann", "Bo=ultimate_nurs", "Bo=ultimate_nurse", "did you mean `ultimate_nurse`"),
        ("danganronpa", "Ann", "Bo=ultimate_nurse,black=slasher", "Bo=ultimate_nurse,black=black_slasher", "`black_slasher`"),
        ("danganronpa", "Ann=ultimate_nurse", "Bo=ultimate_nurse", "Bo", "talents are unique"),
        ("conan", "Ann=takagi", "Bo=takagi", "Bo=megure", "dealt twice"),
        ("conan", "Ann=gin", "Bo=anokata", "Bo=anokata,town_role=takagi", "Write it as Bo=anokata,town_role=ROLE"),
        ("persian", "Ann=doctor", "Bo=doctr", "Bo=detective", "did you mean `doctor`"),
        ("persian", "Ann=doctor", "ann=detective", "Bo=detective", "in the list already"),
        ("persian", "Ann", "=detective", "Bo=detective", "needs a name"),
        ("persian", "Ann", "Bo=detective,x", "Bo=detective", "is no player"),
    ],
)
def test_a_wrong_player_is_told_at_once(tmp_path: Path, ruleset: str, first: str, wrong: str, right: str, word: str) -> None:
    given = {"ruleset": ruleset, "title": "t", "host": "H", "timezone": "UTC", "saved": "saved"}
    found, said = dialogue(tmp_path, [first, wrong, right, ""], **given)
    assert found.players == (first, right)
    assert len(said) == 2
    assert word in said[1]


def test_a_game_needs_players(tmp_path: Path) -> None:
    given = {"ruleset": "persian", "title": "t", "host": "H", "timezone": "UTC", "saved": "saved"}
    found, said = dialogue(tmp_path, ["", "Ann", ""], **given)
    assert found.players == ("Ann",)
    assert "needs players" in said[1]


def test_nobody_at_the_keyboard_is_told_which_option_to_give(tmp_path: Path) -> None:
    nobody = Asking(None, lambda text: None)
    with pytest.raises(BadInput, match="give --host"):
        answers(tmp_path, NOTHING, nobody)
    with pytest.raises(BadInput, match="give --player"):
        answers(tmp_path, {**NOTHING, "host": "H"}, nobody)
    found = answers(tmp_path, {**NOTHING, "host": "H", "players": ("Ann",)}, nobody)
    assert (found.ruleset, found.timezone, found.saved, found.deal) == ("danganronpa", "UTC", "saved", False)


def test_an_option_that_lacks_a_key_is_told_where_to_write_it(tmp_path: Path) -> None:
    found = answers(tmp_path, {**NOTHING, "ruleset": "conan", "host": "H", "players": ("Ann=anokata", "Bo=megure")}, Asking(None, print))
    with pytest.raises(BadInput, match="Write it as Ann=anokata,town_role=ROLE"):
        make(tmp_path / "game", found)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"opens": "2026-12-01", "players": ("Ann=ultimate_nurse",)}, "2026-12-01T20:00"),
        ({"players": ("Ann",)}, "write it as Ann=ROLE, or give --deal"),
    ],
)
def test_options_that_make_no_game_are_refused_with_what_to_write(tmp_path: Path, given: dict[str, Any], word: str) -> None:
    nobody = Asking(None, print)
    with pytest.raises(BadInput, match=word):
        make(tmp_path / "g", answers(tmp_path / "g", {**NOTHING, "host": "Monokuma", "saved": "saved", **given}, nobody))
    assert not (tmp_path / "g").exists()
