"""`game.toml`: what it makes, and that every mistake is named with its line."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, time
from pathlib import Path

import pytest

from desk.deck import CannotDeal, deal
from desk.new import Answers, make, written
from desk.places import toml_line
from desk.settings import Clock, Settings, SettingsRefused, load_settings, read_settings

GOOD = """\
ruleset = "danganronpa"
title = "A small school"
host = "Monokuma"
seed = "s3cret"

[thread]
url = "https://forum.example/viewtopic.php?t=5"

[clock]
timezone = "Europe/Berlin"
opens = 2026-12-01T20:00:00
at = "20:00"

[players]
Ann = "ultimate_detective"
Boris = { role = "ultimate_nurse", black = "black_slasher", aliases = ["Bo"], account = "boris_77" }
Cleo = "ultimate_journalist"

[options]
trial_hours = 72
"""


def mistakes(text: str, folder: Path = Path(".")) -> list[str]:
    with pytest.raises(SettingsRefused) as refused:
        read_settings(text, folder)
    return [str(one) for one in refused.value.mistakes]


def good(text: str = GOOD) -> Settings:
    return read_settings(text, Path("."))


def test_a_good_file_makes_a_game() -> None:
    settings = good()
    assert settings.game.names == ("Ann", "Boris", "Cleo")
    assert settings.hours("trial") == 72
    assert settings.clock.opens == datetime(2026, 12, 1, 19, tzinfo=UTC)
    assert settings.seat_of("BORIS_77") == "Boris"
    assert settings.seat_of("Boris") is None
    assert settings.publish["tally"] == "auto"
    assert settings.publish["report"] == "review"


def test_every_mistake_is_named_at_once_with_its_line() -> None:
    text = GOOD.replace("Monokuma\"", "Monokuma\"\ntitel = \"x\"")
    text = text.replace("trial_hours = 72", "trail_hours = 72\nno_votes = \"all\"")
    text = text.replace("ultimate_journalist", "ultimate_jurnalist").replace("Europe/Berlin", "Europe/Berlim")
    told = mistakes(text)
    assert any(one.startswith("game.toml:4: ") and "`title`" in one for one in told)
    assert any(one.startswith("game.toml:11: ") and "Europe/Berlin`" in one for one in told)
    assert any(one.startswith("game.toml:18: ") and "`ultimate_journalist`" in one for one in told)
    assert any(one.startswith("game.toml:21: ") and "`trial_hours`" in one for one in told)
    assert any(one.startswith("game.toml:22: ") and "monokuma" in one for one in told)
    assert len(told) == 5


@pytest.mark.parametrize("key", ["password", "token", "api_key", "forum_password"])
def test_a_secret_is_refused_with_the_advice_where_to_put_it(key: str) -> None:
    (told,) = mistakes(GOOD.replace("[thread]", f'[thread]\n{key} = "hunter2"'))
    assert told.startswith("game.toml:7: ")
    assert "NIGHTPOST_PASSWORD" in told
    assert "hunter2" not in told


def test_a_file_that_is_no_toml_names_the_line() -> None:
    (told,) = mistakes(GOOD.replace('title = "A small school"', "title = A small school"))
    assert told.startswith("game.toml:2: ")


def test_a_misspelt_key_does_not_hide_what_is_wrong_below_it() -> None:
    text = GOOD.replace("[clock]", "[clokc]").replace("Europe/Berlin", "Europe/Berlim").replace("opens =", "opnes =")
    text = text.replace("2026-12-01T20:00:00", "2026-12-01").replace("[options]", "[optoins]").replace("= 72", "= -5")
    told = mistakes(text.replace('"danganronpa"', '"danganropa"').replace("ultimate_journalist", "ultimate_jurnalist"))
    for line, word in [
        (1, "`danganronpa`"), (9, "`clock`"), (10, "Europe/Berlin`"), (11, "`opens`?"), (11, "time of day"),
        (17, "`ultimate_journalist`"), (19, "`options`"), (20, "a number above 0"),
    ]:  # fmt: skip
        assert any(one.startswith(f"game.toml:{line}: ") and word in one for one in told), (line, word, told)
    assert len(told) == 8


def test_lines_that_are_no_toml_do_not_hide_the_others() -> None:
    text = GOOD.replace('title = "A small school"', "title = A small school").replace('"Monokuma"', '"Monokuma')
    told = mistakes(text.replace("Cleo =", "Cleo Smith =").replace("trial_hours", "trail_hours"))
    assert [one.split(": ")[0] for one in told] == ["game.toml:2", "game.toml:3", "game.toml:17", "game.toml:20"]
    told = mistakes(GOOD.replace('aliases = ["Bo"]', 'aliases = ["Bo"') + "deadchat = 3\n")
    assert [one.split(": ")[0] for one in told] == ["game.toml:16", "game.toml:21"]
    told = mistakes(GOOD.replace("Cleo =", 'role = [\n"a",\nCleo ='))
    assert "bracket" in told[0]


def test_mistakes_in_the_set_up_do_not_hide_each_other() -> None:
    text = GOOD.replace("ultimate_journalist", "ultimate_baker") + '''
[setup]
dead = ["Zoe", "Ann", "Bors"]
hangouts = { Ann = "gim" }
[[setup.talents]]
id = "ultimate_cook"
colour = "white"
abilities = [{id = "feed", does = "protect"}]
[[setup.talents]]
id = "ultimate_baker"
colour = "whit"
[[setup.talents]]
id = "ultimate_smith"
colour = "blak"
'''
    told = mistakes(text)
    for line, word in [(23, "`Zoe`"), (23, "did you mean `Boris`"), (24, "did you mean `gym`"), (31, "`white`"), (34, "`black`")]:
        assert any(one.startswith(f"game.toml:{line}: ") and word in one for one in told), (line, word, told)
    assert len(told) == 5


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"boris_77"', '"monokuma"', "the `host`"),
        ('["Bo"]', '["cleo"]', "both called `Cleo`"),
        ("https://forum.example/viewtopic.php?t=5", "https://", "starts with https://"),
        ("[options]", '[tally]\nmode = "new"\n[options]', "every_posts"),
        ("opens = 2026-12-01T20:00:00", 'opens = "2026-12-01"', "the time of day is missing"),
        ("[options]", '[mail]\nforum_from = ["The Forum"]\n[options]', "`The Forum` is no mail address"),
        ("opens = 2026-12-01T20:00:00", "early = 1", 'true, false or "all"'),
        ('Cleo = "ultimate_journalist"', 'Cleo = {}\n[deal]\nrole = ["ultimate_lawyer"]\nblak = []', "unknown key `blak` in [deal] (did"),
    ],
)
def test_what_cannot_work_is_refused(old: str, new: str, said: str) -> None:
    (told,) = mistakes(GOOD.replace(old, new))
    assert said in told


def test_two_players_with_mistakes_are_both_named() -> None:
    told = mistakes(GOOD.replace("ultimate_detective", "x").replace("ultimate_journalist", "y"))
    assert [one.split(": ")[0] for one in told] == ["game.toml:15", "game.toml:17"]


def test_talents_of_a_file_in_the_folder_and_a_mistake_in_them(tmp_path: Path) -> None:
    text = GOOD.replace("ultimate_journalist", "ultimate_baker") + '\n[setup]\ntalents = "talents.yaml"\n'
    file = tmp_path / "talents.yaml"
    file.write_text("talents:\n  - id: ultimate_baker\n    colour: white\n    abilities: [{id: feed, does: protect}]\n")
    assert read_settings(text, tmp_path).game.setup["talents"][0]["id"] == "ultimate_baker"
    file.write_text("talents:\n  - id: ultimate_baker\n    colour: whit\n    abilities: [{id: feed, does: protect}]\n")
    (told,) = mistakes(text, tmp_path)
    assert told.startswith("talents.yaml:3: ")


def test_deadlines_keep_their_hour_over_daylight_saving() -> None:
    clock = Clock("Europe/Berlin", at=time(20))
    begins = datetime(2026, 10, 24, 18, 0, tzinfo=UTC)
    assert clock.deadline(begins, 24) == datetime(2026, 10, 25, 19, 0, tzinfo=UTC)
    assert Clock().deadline(begins, 24) == datetime(2026, 10, 25, 18, 0, tzinfo=UTC)
    assert Clock("Europe/Berlin").deadline(begins, 36) == datetime(2026, 10, 26, 7, 0, tzinfo=UTC)  # 08:00, as it is 36 hours after 20:00
    assert Clock("Europe/Berlin").deadline(datetime(2026, 10, 25, 0, 40, tzinfo=UTC), 0.5) == datetime(2026, 10, 25, 1, 10, tzinfo=UTC)
    late = datetime(2026, 11, 2, 20, 15, tzinfo=UTC)
    assert clock.deadline(late, 24) == datetime(2026, 11, 3, 19, 0, tzinfo=UTC)


@pytest.mark.parametrize("name", [" ", "\u2060", "\u200b\u200c"])
def test_a_name_that_nobody_can_see_is_a_mistake(name: str, tmp_path: Path) -> None:
    told = mistakes(GOOD.replace('Ann = "', f'"{name}" = "'), tmp_path)
    assert any("is a name that nobody can see" in one for one in told)


def test_a_moment_that_clocks_leave_out_is_a_mistake(tmp_path: Path) -> None:
    (told,) = mistakes(GOOD.replace("2026-12-01T20:00:00", "2027-03-28T02:30:00"), tmp_path)
    assert "there is no 02:30 on 2027-03-28 in Europe/Berlin: clocks go forward then, to 03:30" in told


def test_a_deal_depends_on_the_seed_alone_and_gives_each_card_once() -> None:
    deck = {"role": ["a", "b", "c", "d"], "black": ["x"], "grey": ["y"]}
    hands = deal(["Ann", "Bo", "Cy"], deck, "1")
    assert hands == deal(["Ann", "Bo", "Cy"], deck, "1")
    assert len({hand["role"] for hand in hands.values()}) == 3
    assert sorted(card for hand in hands.values() for key, card in hand.items() if key != "role") == ["x", "y"]
    assert not any("black" in hand and "grey" in hand for hand in hands.values())
    assert any(deal(["Ann", "Bo", "Cy"], deck, str(seed)) != hands for seed in range(2, 9))
    with pytest.raises(CannotDeal):
        deal(["Ann", "Bo"], {"role": ["a"]}, "1")


def test_a_new_folder_can_be_played_and_keeps_its_seed_to_itself(tmp_path: Path) -> None:
    answers = Answers(
        "danganronpa", 'Say "hi" \\ \n[x]', "Monokuma", None, "saved", None, "Asia/Tehran", None,
        ("Ann", "Bo = ultimate_nurse, black = black_slasher", 'A "b"', "Dé"), True, None,
    )  # fmt: skip
    file = make(tmp_path / "game", answers)
    settings = load_settings(tmp_path / "game")
    assert settings.title == answers.title.strip()
    assert settings.mail.timezone == settings.thread.timezone == settings.clock.timezone == "Asia/Tehran"
    assert settings.game.seats[1].given == {"role": "ultimate_nurse", "black": "black_slasher"}
    assert all("role" in seat.given for seat in settings.game.seats)
    assert len(settings.seed) == 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("talents:\n  - id: !!int x", 1), ("talents:\n  - id: !!timestamp x", 1), ("talents:\n\n  - id: \x00", 3),
        ("talents: " + "[" * 20_000, None), ("talents: &a [*a]", 1), ("a: 1\nb: [", 2),
    ],
)  # fmt: skip
def test_a_yaml_file_that_cannot_be_read_is_told_of_and_breaks_nothing(tmp_path: Path, written: str, line: int | None) -> None:
    (tmp_path / "talents.yaml").write_text(written, "utf-8")
    (tmp_path / "game.toml").write_text(GOOD + '\n[setup]\ntalents = "talents.yaml"\n', "utf-8")
    with pytest.raises(SettingsRefused) as refused:
        load_settings(tmp_path)
    assert [(one.file, one.line) for one in refused.value.mistakes] == [("talents.yaml", line)]


def test_lines_of_keys_in_tables_and_arrays_of_tables() -> None:
    text = 'a = 1\n["x y"]\nb.c = 2\n[[t]]\nq = 1\n[[t]]\nq = 2\n'
    assert toml_line(text, ("x y", "b", "c")) == 3
    assert toml_line(text, ("t", 1, "q")) == 7
    assert toml_line(text, ("nowhere",)) is None
    dotted = 'x = 1\nplayer.Ann.role = "y"\nplayer.Bo = "z"\n"\\u00e9 \\"a\\"" = 2\n[[option]]\ny = 1\n'
    assert toml_line(dotted, ("player",)) == 2
    assert toml_line(dotted, ("player", "Bo")) == 3
    assert toml_line(dotted, ('é "a"',)) == 4
    assert toml_line(dotted, ("option",)) == 5


def test_what_a_player_was_given_is_not_dealt_again() -> None:
    deck = '\n[deal]\nrole = ["ultimate_detective", "ultimate_nurse", "ultimate_lawyer"]\n'
    text = GOOD.replace('Cleo = "ultimate_journalist"', "Cleo = {}") + deck
    for seed in range(12):
        cleo = good(text.replace("s3cret", str(seed))).game.seats[2]
        assert cleo.given["role"] == "ultimate_lawyer"



@pytest.mark.parametrize(
    ("ruleset", "given"),
    [
        ("danganronpa", ["A=ultimate_nurse,black=black_slasher", "B=ultimate_detective,black=black_forger"]),
        ("persian", ["A=godfather", "B=innocent"]),
        ("conan", ["A=gin", "B=satou"]),
    ],
)
def test_half_of_the_roles_may_be_given_by_hand(ruleset: str, given: list[str]) -> None:
    answers = Answers(ruleset, "t", "GM", None, "saved", None, "UTC", None, (*given, *"CDEFGHIJ"), True, None)
    seats = read_settings(written(answers, "1"), Path()).game.seats
    assert len({seat.given["role"] for seat in seats}) >= 7
    assert sum("black" in seat.given for seat in seats) == (2 if ruleset == "danganronpa" else 0)


@pytest.mark.parametrize("name", ["gm", "thread"])
def test_nobody_is_called_by_a_word_of_our_own(name: str) -> None:
    """What is told to `thread` is posted for everybody to read, a role message too."""
    (told,) = mistakes(GOOD.replace("Cleo =", f"{name} ="))
    assert f"a player cannot be called `{name}`" in told
    assert f'account = "{name}"' in told
    good(GOOD.replace('Cleo = "ultimate_journalist"', f'{name.capitalize()} = {{ role = "ultimate_journalist", account = "{name}" }}'))
