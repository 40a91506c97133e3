"""Dealing by the rules of Conan: who may be in one game, the BO's share, and what is drawn where prep is not played."""

from __future__ import annotations

import random
import tomllib
from fractions import Fraction
from itertools import combinations, zip_longest
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desk.new import Answers, written
from desk.settings import SettingsRefused, read_settings
from engine.choices import Choices
from engine.events import Event
from engine.game import SetupRefused
from engine.inputs import PhaseInputs
from engine.play import play
from engine.ruleset import load
from rulesets.conan.cast import facts, roles
from rulesets.conan.dealing import clash, deal

EVERYTHING = {"role": list(roles())}
SHARE = {"bo_share": [0.25, 1 / 3]}
GAME = """\
ruleset = "conan"
title = "Test"
host = "GM"
seed = "{seed}"
{start}
[thread]
saved = "saved"
[players]
{players}
[deal]
role = ["yumi", "sonoko", "gin", "vodka", "heiji", "shinichi", "conan", "haibara", "ran", "eri", "kujou", "satou"]
"""


def table(players: int) -> list[str]:
    return [f"P{number}" for number in range(players)]


@pytest.mark.clause("CON-ROLE-02", "CON-ROLE-18", "CON-ROLE-19", "CON-ROLE-20", "CON-ROLE-21", "CON-ROLE-22", "CON-ROLE-24")
@given(st.integers(6, 24), st.text(max_size=8))
@settings(max_examples=60, deadline=None)
def test_a_deal_of_all_roles_has_no_pair_that_may_not_be_in_one_game(players: int, seed: str) -> None:
    hands = deal(table(players), EVERYTHING, {}, SHARE, seed)
    dealt = [role for hand in hands.values() for role in hand.values()]
    assert all(clash(one, [other]) is None for one, other in combinations(dealt, 2))
    assert list(hands) == table(players)
    for hand in hands.values():
        assert ("town_role" in hand) == (hand["role"] == "anokata")
        assert hand.get("town_role") not in facts()["not_for_anokata"]
    load("conan").begin(load("conan").game(hands))


@pytest.mark.clause("CON-GEN-02")
@given(st.integers(6, 24), st.text(max_size=8))
@settings(max_examples=60, deadline=None)
def test_the_share_of_the_bo_is_kept(players: int, seed: str) -> None:
    hands = deal(table(players), EVERYTHING, {}, SHARE, seed)
    members = sum(roles()[hand["role"]].side == "black_org" for hand in hands.values())
    assert Fraction(1, 4) <= Fraction(members, players) <= Fraction(1, 3)


def test_what_somebody_holds_already_counts() -> None:
    held = {"Ann": {"role": "rye"}, "Bo": {"role": "anokata", "town_role": "haibara"}}
    for seed in range(40):
        hands = deal(table(6), EVERYTHING, held, SHARE, str(seed))
        dealt = {role for hand in hands.values() for role in hand.values()}
        assert not dealt & {"rye", "akai", "okiya", "haibara", "sherry", "anokata"}
        assert sum(roles()[role].side == "black_org" for role in dealt) == 0  # two of eight are members already


def test_a_deck_of_the_right_size_is_dealt_whole() -> None:
    deck = {"role": ["gin", "vodka", "pisco", "ran", "eri"]}
    hands = deal(table(5), deck, {}, SHARE, "1")
    assert sorted(hand["role"] for hand in hands.values()) == sorted(deck["role"])
    assert any(deal(table(5), deck, {}, SHARE, str(seed)) != hands for seed in range(2, 9))


def test_an_anokata_is_dealt_on_what_the_gm_lists() -> None:
    deck = {"role": ["anokata", "ran", "eri", "kujou"], "town_role": ["heiji"]}
    hands = deal(table(4), deck, {}, SHARE, "1")
    assert {"role": "anokata", "town_role": "heiji"} in hands.values()


def given_by_hand(players: int, count: int, dice: random.Random) -> list[str]:
    """`Name=role` for the first so many players, of roles that may be in one game; the names alone of the others."""
    held: list[str] = []
    for role in dice.sample(list(roles()), len(roles())):
        if len(held) < count and role != "anokata" and clash(role, held) is None:
            held.append(role)
    return [f"{name}={role}" if role else name for name, role in zip_longest(table(players), held)]


@given(st.integers(5, 30), st.integers(0, 30), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_new_makes_a_deck_for_whoever_was_given_no_role(players: int, count: int, dice: random.Random) -> None:
    answers = Answers(
        "conan", "t", "GM", None, "saved", None, "UTC", None, tuple(given_by_hand(players, min(count, players), dice)), True, None
    )
    text = written(answers, str(count))
    deck = tomllib.loads(text)["deal"]["role"]
    assert len(deck) == sum("=" not in player for player in answers.players)
    dealt = [seat.given["role"] for seat in read_settings(text, Path()).game.seats]
    assert all(clash(one, [other]) is None for one, other in combinations(dealt, 2))


def test_few_players_left_get_no_more_roles_than_they_are() -> None:
    town = [*facts()["boys"], *facts()["subordinates"], "ran", "eri", "tome"]
    held = {name: {"role": role} for name, role in zip(table(10), town, strict=True)}
    assert len(deal(["Ann", "Bo"], EVERYTHING, held, SHARE, "1")) == 2


@pytest.mark.clause("CON-ROLE-23")
def test_a_deck_that_makes_no_game_is_refused_with_the_reason() -> None:
    with pytest.raises(SetupRefused, match="Rye and Okiya keep each other out"):
        deal(table(2), {"role": ["rye", "okiya"]}, {}, SHARE, "1")
    with pytest.raises(SetupRefused, match="3 players are to be dealt a role and `role` lists only 2"):
        deal(table(3), {"role": ["rye", "ran"]}, {}, SHARE, "1")
    with pytest.raises(SetupRefused, match=r"unknown role `heji`.*heiji"):
        deal(table(1), {"role": ["heji"]}, {}, SHARE, "1")


def dealt_game(seed: int, start: str = "", players: int = 10, more: str = "") -> tuple[dict[str, str], dict[str, object]]:
    seats = "\n".join(f"{name} = {{}}" for name in table(players))
    game = read_settings(GAME.format(seed=seed, start=start, players=seats) + more, Path()).game
    return {seat.given["role"]: seat.name for seat in game.seats}, dict(game.setup)


@pytest.mark.clause("CON-BEFRIEND-04", "CON-AMOR-01", "CON-AMOR-03")
def test_where_prep_is_not_played_a_friend_and_lovers_are_drawn_with_the_roles() -> None:
    seen = set()
    for seed in range(12):
        dealt, setup = dealt_game(seed)
        friend = {dealt["sonoko"]} | set(setup["friend"].values()) if "sonoko" in dealt else set()  # type: ignore[attr-defined]
        lovers = {name for pair in setup.get("lovers", []) for name in pair}  # type: ignore[attr-defined]
        assert ("lovers" in setup) == ("yumi" in dealt)
        assert len(setup.get("lovers", [[]])) == 1  # type: ignore[arg-type]
        assert not lovers & (friend | {dealt.get("haibara"), dealt.get("conan")})
        seen |= set(setup)
    assert seen == {"friend", "lovers"}


@pytest.mark.clause("CON-AMOR-02")
def test_there_are_no_more_pairs_than_players_for_them() -> None:
    for seed in range(12):
        pairs = dealt_game(seed, more="[options]\nlover_pairs = 9\n")[1].get("lovers", [])
        names = [name for pair in pairs for name in pair]  # type: ignore[attr-defined]
        assert len(names) == len(set(names))


def test_where_prep_is_played_they_are_left_to_sonoko_and_yumi() -> None:
    assert all(dealt_game(seed, 'start = "prep"')[1] == {} for seed in range(6))


def test_roles_given_by_hand_that_clash_are_refused_when_the_game_is_checked() -> None:
    text = GAME.format(seed=1, start="", players='Ann = "rye"\nBo = "okiya"\nCy = {}')
    with pytest.raises(SettingsRefused, match=r"Rye and Okiya cannot be in one game \(CON-ROLE-18\)"):
        read_settings(text, Path())


def drawn_at_first(start: str | None) -> dict[str, Event]:
    """The draws by name, as the first phase of a game with disguisers opens."""
    rules = load("conan")
    players = {
        "Ver": "vermouth", "Kid": "kaitou_kid", "Yuk": "yukiko", "Iri": "irish", "Ano": {"role": "anokata", "town_role": "heiji"},
        "Ran": "ran", "Ida": "araide", "Tom": "tome",
    }  # fmt: skip
    game = rules.game(players, start=start)
    outcome = play(rules, rules.begin(game), rules.first_label(game), PhaseInputs(), Choices())
    return {event["name"]: event for event in outcome.events if event.kind == "draw"}


NEVER_WORN = {"conan", "haibara", "ayumi", "genta", "mitsuhiko", "sonoko", "yumi", "kaitou_kid", "yukiko"}
TOWN = {id_ for id_, role in roles().items() if role.side == "town"}


@pytest.mark.clause("CON-DISG-02", "CON-DISG-03", "CON-DISG-04", "CON-DISG-05", "CON-ROLE-04", "CON-ROLE-10")
@pytest.mark.parametrize("start", [None, "prep", "day 1"])
def test_a_disguise_is_a_town_role_that_nobody_plays_and_may_be_worn(start: str | None) -> None:
    found = drawn_at_first(start)
    assert set(found["disguise.Ver"]["among"]) == TOWN - NEVER_WORN - {"heiji", "ran", "araide", "tome"}
    assert found["disguise.Kid"]["among"] == found["disguise.Ver"]["among"]


@pytest.mark.clause("CON-COST-01", "CON-COST-02", "CON-COST-03")
@pytest.mark.parametrize("start", [None, "prep"])
def test_a_costume_may_be_of_a_role_that_somebody_plays(start: str | None) -> None:
    found = drawn_at_first(start)
    assert set(found["costumes.Yuk"]["among"]) == set(found["costumes.Iri"]["among"]) == TOWN - NEVER_WORN
    assert len(found["costumes.Yuk"]["chosen"]) == len(set(found["costumes.Yuk"]["chosen"])) == 5


@pytest.mark.clause("CON-PHASE-02")
def test_a_phase_lasts_a_day_or_as_long_as_the_gm_says() -> None:
    text = GAME.format(seed=1, start="", players="\n".join(f"{name} = {{}}" for name in table(6)))
    assert [read_settings(text, Path()).hours(kind) for kind in ("prep", "night", "day")] == [24, 24, 24]
    shorter = read_settings(text + "[options]\nphase_hours = 12\n", Path())
    assert [shorter.hours(kind) for kind in ("prep", "night", "day")] == [12, 12, 12]


@pytest.mark.clause("CON-HIER-06")
def test_an_order_of_rank_names_roles_of_the_bo() -> None:
    rules = load("conan")
    rules.check_option("bo_hierarchy", ["vodka", "gin"])
    with pytest.raises(SetupRefused, match=r"`vodkaa` is no role of the Black Organization .*`vodka`"):
        rules.check_option("bo_hierarchy", ["vodkaa"])
    with pytest.raises(SetupRefused, match="cannot be"):
        rules.check_option("bo_hierarchy", "by age")


@pytest.mark.clause("CON-GEN-02")
def test_a_share_of_the_bo_is_a_pair() -> None:
    rules = load("conan")
    for right in ([0.2, 0.4], ["1/4", "1/3"]):
        rules.check_option("bo_share", right)
    for wrong in ([0.25], [0.5, 0.25], ["a", "b"], [1, 2], 0.3, "1/4"):
        with pytest.raises(SetupRefused, match="the least and the greatest share"):
            rules.check_option("bo_share", wrong)
