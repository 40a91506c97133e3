"""What a Conan set-up may not say: each mistake refused with its place and the nearest right spelling (Glossary, "setup keys")."""

from __future__ import annotations

from typing import Any

import pytest

from engine.game import SetupRefused
from rulesets.conan.cast import ConState
from tests.conan_games import RULES

PLAYERS: dict[str, Any] = {
    "Gin": "gin", "Ver": "vermouth", "Ran": "ran", "Ida": "eri", "Sat": "satou", "Hal": "hakuba", "Yuk": "yukiko", "Son": "sonoko",
    "Ano": {"role": "anokata", "town_role": "kazuha"},
}  # fmt: skip


def begun(start: str = "night 2", players: dict[str, Any] = PLAYERS, **setup: Any) -> ConState:
    state = RULES.begin(RULES.game(players, setup=setup, start=start))
    assert isinstance(state, ConState)
    return state


def past(action: str, phase: str = "night 1", by: str = "Gin", **more: Any) -> list[dict[str, Any]]:
    return [{"by": by, "action": action, "phase": phase, **more}]


@pytest.mark.parametrize(
    ("key", "value", "place", "says"),
    [
        ("history", past("slander", "nigth 1", target="Ran"), (0, "phase"), "did you mean `night 1`"),
        ("history", past("slander", "night 7", target="Ran"), (0, "phase"), "night 7 comes after night 2"),
        ("history", past("slander", target="Ran", via="frmae"), (0, "via"), "did you mean `frame`"),
        ("history", past("disguise", target="Ran"), (0, "target"), "unknown role `Ran` (did you mean `ran`?)"),
        ("history", past("disguise", target="Ida"), (0, "target"), "unknown role `Ida`"),
        ("history", past("slander"), (0,), "`slander` needs a `target`, a player"),
        ("history", past("detect"), (0,), "`detect` needs a `target`, a role"),
        ("history", past("aptx", target="Ran"), (0, "phase"), "`aptx` is no action of night 1, but of day"),
        ("history", past("kill", "day 1", target="Ran"), (0, "phase"), "`kill` is no action of day 1, but of night"),
        ("history", past("travel"), (0, "by"), "Gin cannot have travelled (CON-TRAVEL-14)"),
        ("history", past("slandr", target="Ran"), (0, "action"), "did you mean `slander`"),
        ("history", [{"by": "Gin", "action": "slander", "target": "Ran"}], (0,), "`phase` is missing"),
        ("conditions", {"Ran": {"condition": "injured", "until": "nite 3"}}, ("Ran", "until"), "did you mean `night 3`"),
        ("conditions", {"Ran": {"condition": "injured", "until": "day 1"}}, ("Ran", "until"), "day 1 is before night 2"),
        ("conditions", {"Ran": {"condition": "injured", "untl": "night 3"}}, ("Ran", "untl"), "did you mean `until`"),
        ("killed_in_cycle", ["Ran"], (0,), "Ran is not in the Black Organization"),
        ("tickets", {"Ran": 2}, ("Ran",), "Ran cannot travel and has no tickets (CON-TRAVEL-14)"),
        ("costumes", {"Gin": ["ran"]}, ("Gin",), "Gin has no costumes"),
        ("costumes", {"Yuk": ["gin"]}, ("Yuk", 0), "Gin is no costume"),
        ("costumes_offered", {"Gin": ["ran"]}, ("Gin",), "Gin has no costumes"),
        ("disguise", {"Yuk": "gin"}, ("Yuk",), "Gin is no costume"),
        ("disguise", {"Ver": "eri"}, ("Ver",), "Ver cannot be disguised as Eri (CON-DISG-02)"),
        ("disguise", {"Ver": "kazuha"}, ("Ver",), "Ver cannot be disguised as Kazuha (CON-DISG-03)"),
        ("disguise", {"Ver": "conan"}, ("Ver",), "CON-DISG-03"),
        ("wills", {"Ran": [1, 2]}, ("Ran",), "the will of Ran is a text"),
        ("bowtie", ["Ran", "Ida"], (), "`bowtie` names one player"),
        ("lovers", [["Ran", "Ida", "Ran"]], (0,), "lovers come in pairs"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_where_it_stands(key: str, value: Any, place: tuple[str | int, ...], says: str) -> None:
    with pytest.raises(SetupRefused) as refused:
        begun(**{key: value})
    assert refused.value.path == ("setup", key, *place)
    assert says in str(refused.value)


def test_only_anokata_has_a_town_role() -> None:
    with pytest.raises(SetupRefused, match="Gin: only Anokata has a `town_role`") as refused:
        begun(players={"Gin": {"role": "gin", "town_role": "ran"}, "Ida": "eri"})
    assert refused.value.path == ("players", "Gin", "town_role")


def test_what_could_have_been_is_taken() -> None:
    state = begun(
        history=[*past("slander", " Night  1", target="Ran", via="frame"), *past("travel", "day 1", "Hal"), *past("travel", "day 1", "Son"),
                 *past("disguise", "prep", "Yuk", target="haibara"), *past("aptx", "day 1", target="Ida")],
        friend={"Son": "Hal"}, tickets={"Hal": 1, "Ver": 0}, costumes={"Yuk": ["haibara", "eri"]}, killed_in_cycle=["Ano"],
        conditions={"Ran": [{"condition": "injured", "until": "night 2"}, "arrested"]}, wills={"Ran": 7},
    )  # fmt: skip
    assert [(deed.action, deed.phase) for deed in state.deeds if deed.action != "friendship"][:3] == [
        ("slander", "night 1"), ("travel", "day 1"), ("travel", "day 1"),
    ]  # fmt: skip
    assert state.tickets["Hal"] == 1
    assert state.until["Ran", "injured"] == 3
    assert state.wills == {"Ran": "7"}
