"""The table of roles, held against the lists that the rules give besides it: items, answers, looks, groups, who does what."""

from __future__ import annotations

import pytest

from rulesets.conan.actions import actions
from rulesets.conan.cast import Ability, facts, roles

BO = {"anokata", "vermouth", "gin", "pisco", "vodka", "tequila", "rye", "bourbon", "kir", "chianti", "korn", "calvados", "sherry", "irish", "akemi"}  # fmt: skip
POLICE = {"megure", "shiratori", "satou", "takagi", "chiba", "yamamura", "nakamori", "yumi", "yamato", "uehara", "tome"}
FBI = {"james", "akai", "jodie", "camel", "mizunashi_rena"}
ITEMS = {
    "gun": BO - {"okiya"} | POLICE | FBI | {"kaitou_kid", "amuro"},
    "car_keys": BO - {"sherry", "anokata"} | POLICE | FBI
    | {"yuusaku", "okiya", "agasa", "araide", "kobayashi", "eri", "yukiko", "kujou", "yoko", "amuro", "kogorou"},
    "school_book": {
        "shinichi", "conan", "heiji", "hakuba", "haibara", "kazuha", "kobayashi", "makoto", "ran", "sonoko", "eisuke", "ayumi",
        "mitsuhiko", "genta", "kaitou_kid", "sera",
    },
    "glasses": {
        "vodka", "calvados", "korn", "tome", "james", "jodie", "conan", "yuusaku", "okiya", "agasa", "makoto", "araide", "kobayashi",
        "eri", "eisuke", "kaitou_kid",
    },
    "headgear": {
        "gin", "bourbon", "vodka", "calvados", "korn", "tequila", "kir", "rye", "megure", "yumi", "tome", "akai", "mizunashi_rena",
        "heiji", "kazuha", "eri", "sonoko", "ayumi", "kaitou_kid", "sera",
    },
    "panties": {
        "vermouth", "chianti", "akemi", "kir", "satou", "yumi", "jodie", "mizunashi_rena", "kazuha", "ran", "kobayashi", "eri", "sonoko",
        "yoko", "yukiko", "kujou", "sera", "uehara", "sherry",
    },
    "alcohol": BO - {"akemi"}
    | {"shiratori", "yumi", "james", "akai", "jodie", "mizunashi_rena", "heiji", "okiya", "haibara", "yamato", "amuro", "kogorou"},
    "notepad": {"yamamura", "takagi", "bourbon", "amuro", "sherry", "uehara"},
}  # fmt: skip
HOLDERS = {
    "arrest": POLICE - {"tome"}, "house_search": {"megure", "shiratori"}, "detain": {"satou"}, "face_pinch": {"nakamori"},
    "stake_out": {"takagi", "chiba", "uehara", "jodie", "camel", "chianti", "korn"},
    "follow_up": {"takagi", "chiba", "uehara", "jodie", "camel", "chianti", "korn"},
    "observe": {"jodie", "camel", "chianti", "korn", "amuro"}, "protect": {"ran", "makoto", "sera"},
    "stalk": {"ran", "makoto", "sera"}, "heal": {"araide", "kobayashi"}, "first_aid": {"yamato"}, "judo": {"kogorou"},
    "discombobulate": {"eisuke", "yoko", "vodka", "pisco"}, "frighten": {"tequila", "vodka", "rye", "amuro"},
    "steal": {"kaitou_kid", "akemi", "gin"}, "detect": {"bourbon", "akemi", "okiya", "yuusaku"}, "slander": {"gin"},
    "abduct": {"tequila", "vodka"}, "erase": {"pisco", "tequila"}, "sabotage": {"pisco", "tequila"}, "snipe": {"chianti", "korn"},
    "snipe_guard": {"akai"}, "interrogate": {"shinichi", "conan", "heiji", "hakuba"}, "cross_examine": {"eri", "kujou"},
    "lawsuit": {"eri"}, "research": {"sherry", "agasa"}, "travel": {"hakuba", "sherry"}, "clumsy": {"yamamura"},
    "cover": {"calvados"}, "backup": {"calvados"}, "charm": {"kazuha"}, "accompany": {"kazuha"}, "follow": {"haibara"},
    "identify": {"ayumi", "mitsuhiko", "genta"}, "sleeping_pill": {"sherry", "araide"}, "interview": {"kir"},
    "voice_of_reason": {"eri", "kobayashi"}, "voice_of_accusation": {"kujou"}, "lend_bowtie": {"agasa"}, "lend_watch": {"agasa"},
    "temporary_disguise": {"yukiko", "irish"}, "choose_costumes": {"yukiko", "irish"}, "friendship": {"sonoko"}, "amor": {"yumi"},
}  # fmt: skip
COUNTS = {
    "investigate": {
        5: {"shinichi", "conan", "heiji"}, 3: {"gin", "bourbon", "rye", "megure", "satou", "shiratori", "akai"},
        2: {"yumi", "yamato", "nakamori"}, 1: {"kir", "james", "mizunashi_rena"},
    },
    "special_investigate": {
        1: {"bourbon", "akemi", "kir", "james", "mizunashi_rena", "okiya", "yuusaku", "amuro"}, 2: {"tome"},
    },
}  # fmt: skip


def abilities(role: str) -> list[Ability]:
    return [one for groups in roles()[role].sheet.values() for group in groups for alternative in group for one in alternative]


def those(**wanted: object) -> set[str]:
    return {id_ for id_, role in roles().items() if all(getattr(role, key) == value for key, value in wanted.items())}


@pytest.mark.clause("CON-ROLE-01", "CON-GEN-01", "CON-ROLE-37", "CON-ROLE-39")
def test_sides_and_groups() -> None:
    assert len(roles()) == 57
    assert those(side="black_org") == BO
    assert those(group="police") == POLICE
    assert those(group="fbi") == FBI
    assert len(those(group="civilian")) == 57 - len(BO | POLICE | FBI)


@pytest.mark.clause("CON-ITEM-01", "CON-ITEM-03", "CON-ITEM-04", "CON-ITEM-05", "CON-ITEM-06")
@pytest.mark.parametrize("item", ITEMS)
def test_items_are_those_of_the_lists_but_where_a_row_says_otherwise(item: str) -> None:
    assert {id_ for id_, role in roles().items() if item in role.items} == ITEMS[item]


@pytest.mark.clause("CON-ROLE-34", "CON-ROLE-35", "CON-DISG-03", "CON-DISG-04")
def test_answers_scents_and_what_can_be_worn() -> None:
    assert those(interrogation="bo") == {
        "mizunashi_rena", "amuro", "gin", "pisco", "vodka", "tequila", "kir", "chianti", "korn", "calvados",
    }  # fmt: skip
    assert those(scent=True) == BO - {"anokata", "kir", "sherry", "akemi"} | {"akai", "okiya", "amuro"}
    assert those(may_be_worn=False) == BO | {
        "conan", "haibara", "ayumi", "genta", "mitsuhiko", "sonoko", "yumi", "kaitou_kid", "yukiko",
    }  # fmt: skip


@pytest.mark.clause("CON-ROLE-01", "CON-ROLE-33", "CON-ROLE-38")
def test_looks() -> None:
    assert those(age="child") == {"conan", "haibara", "ayumi", "mitsuhiko", "genta"}
    assert those(age="teen") == {
        "shinichi", "heiji", "ran", "sonoko", "kazuha", "eisuke", "sera", "hakuba", "makoto", "kaitou_kid", "sherry",
    }  # fmt: skip
    assert those(gender="random") == {"sera"}
    assert those(gender="female") == {
        "vermouth", "kir", "chianti", "sherry", "akemi", "satou", "yumi", "uehara", "jodie", "mizunashi_rena", "ran", "haibara",
        "sonoko", "kazuha", "eri", "kujou", "kobayashi", "yoko", "ayumi", "yukiko",
    }  # fmt: skip


@pytest.mark.clause("CON-ROLE-01", "CON-ROLE-40", "CON-FU-09")
@pytest.mark.parametrize("ability", HOLDERS)
def test_who_can_do_what(ability: str) -> None:
    assert {id_ for id_ in roles() if any(one.word == ability for one in abilities(id_))} == HOLDERS[ability]


@pytest.mark.clause("CON-INV-01", "CON-SI-01")
@pytest.mark.parametrize("ability", COUNTS)
def test_how_often(ability: str) -> None:
    found: dict[int, set[str]] = {}
    for id_ in roles():
        for one in abilities(id_):
            if one.word == ability:
                found.setdefault(one.count, set()).add(id_)
    assert found == COUNTS[ability]


def test_every_ability_of_a_row_can_be_ordered() -> None:
    known = {action.ability for action in actions().values()} | {"rechoose_costumes"}
    silent = {"interview", "disguise", "friend", "town_role", "vote"}
    assert {one.word.removeprefix("+") for id_ in roles() for one in abilities(id_)} - known - silent == set()


KEYWORDS = {
    "kill": {"kill", "snipe", "bribe"}, "erase": {"erase"}, "slander": {"slander", "suitcase_slander"},
    "discombobulate": {"discombobulate"}, "frighten": {"frighten"}, "detect": {"detect"}, "steal": {"steal"},
    "observe": {"observe", "observe_age", "observe_gender", "stake_out", "clumsy"},
    "investigate": {"investigate", "special_investigate"}, "interrogate": {"interrogate", "cross_examine"},
    "arrest": {"arrest", "house_search", "detain"}, "pinch": {"face_pinch"}, "travel": {"travel"},
    "protect": {"protect", "lovey_dovey", "snipe_guard", "cover"}, "heal": {"heal", "first_aid", "judo"},
}  # fmt: skip
CRIMES = {
    "kill": {"kill", "snipe"}, "bribe": {"bribe"}, "aptx": {"aptx"}, "disguise": {"temporary_disguise"},
    "slander": {"slander", "suitcase_slander"}, "discombobulate": {"discombobulate"}, "abduct": {"abduct"}, "erase": {"erase"},
    "sabotage": {"sabotage"}, "frighten": {"frighten"}, "steal": {"steal"}, "drug": {"sleeping_pill"}, "frame": {"frame"},
}  # fmt: skip
COVERED = {
    "snipe", "erase", "slander", "discombobulate", "detect", "steal", "observe_age", "observe_gender", "stake_out", "clumsy",
    "investigate", "special_investigate", "interrogate", "cross_examine", "face_pinch", "snipe_guard", "protect", "heal", "first_aid",
    "judo", "research", "betrayal",
}  # fmt: skip
BY_NIGHT_AND_DAY = {"detain", "face_pinch", "judo", "lovey_dovey", "protect"}
STOPPED = {
    "d": BY_NIGHT_AND_DAY | {
        "kill", "snipe", "erase", "slander", "suitcase_slander", "discombobulate", "frighten", "abduct", "sabotage", "detect", "steal",
        "observe", "observe_age", "observe_gender", "stake_out", "investigate", "special_investigate", "interrogate", "cross_examine",
        "house_search", "snipe_guard", "heal", "first_aid", "lawsuit", "research", "betrayal", "cover", "backup", "bowtie", "fake", "frame",
    },
    "f": BY_NIGHT_AND_DAY | {
        "lend_bowtie", "lend_watch", "charm", "accompany", "follow", "stalk", "follow_up", "identify", "sleeping_pill",
        "voice_of_reason", "voice_of_accusation",
    },
}  # fmt: skip


@pytest.mark.clause("CON-KEY-01", "CON-KEY-02")
def test_what_each_action_is_investigated_as() -> None:
    for word, ids in KEYWORDS.items():
        assert {one.id for one in actions().values() if one.keyword == word} == ids
    assert {one.keyword for one in actions().values()} == {*KEYWORDS, None}


@pytest.mark.clause("CON-CRIME-02", "CON-CRIME-03", "CON-CRIME-04", "CON-COST-05", "CON-FRAME-08")
def test_which_actions_are_crimes() -> None:
    for word, ids in CRIMES.items():
        assert {one.id for one in actions().values() if one.crime == word} == ids
    assert {one.crime for one in actions().values()} == {*CRIMES, None}


@pytest.mark.clause("CON-COVER-10", "CON-ARREST-19", "CON-FRIGHT-02", "CON-LD-09")
def test_what_can_be_covered() -> None:
    assert {one.id for one in actions().values() if one.cover} == COVERED


@pytest.mark.clause("CON-FRIGHT-09", "CON-FRIGHT-12", "CON-TRAVEL-03", "CON-TDISG-07")
@pytest.mark.parametrize("letter", STOPPED)
def test_what_is_stopped_by_discombobulation_and_by_fright(letter: str) -> None:
    assert {one.id for one in actions().values() if letter in one.stop} == STOPPED[letter]


@pytest.mark.clause("CON-HIER-06", "CON-BEFRIEND-03", "CON-FBI-01", "CON-ROLE-02")
def test_ranks_children_and_subordinates() -> None:
    assert facts()["hierarchy"] == [
        "anokata", "vermouth", "gin", "pisco", "vodka", "tequila", "rye", "bourbon", "kir", "chianti", "korn", "calvados", "sherry",
        "irish", "akemi",
    ]  # fmt: skip
    assert set(facts()["boys"]) == {"ayumi", "mitsuhiko", "genta"}
    assert set(facts()["children"]) == {"ayumi", "mitsuhiko", "genta", "conan", "haibara"}
    assert set(facts()["subordinates"]) == {"akai", "jodie", "camel", "mizunashi_rena"}
    assert set(facts()["not_for_anokata"]) == {"ayumi", "mitsuhiko", "genta", "sonoko", "yumi", "kaitou_kid", "yukiko"}


@pytest.mark.clause("CON-GROUP-01", "CON-NOC-01", "CON-FBI-12", "CON-FRIEND-01", "CON-REVENGE-01", "CON-VENG-01")
def test_statuses_and_passive_abilities() -> None:
    assert {id_: role.status for id_, role in roles().items() if role.status and "+" not in role.status} == {
        "james": "fbi_leader", "mizunashi_rena": "noc", "sonoko": "friends", "ayumi": "group", "mitsuhiko": "group", "genta": "group",
    }  # fmt: skip
    assert {id_: role.passive for id_, role in roles().items() if role.passive} == {
        "rye": ("revenge",), "chianti": ("revenge",), "korn": ("revenge",), "akai": ("vengeance",), "mizunashi_rena": ("betrayal",),
    }  # fmt: skip
