"""What the Persian mafia's posts are written from: two languages, the glossary's words, the four texts (PER-TEXT)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from engine.events import Event
from engine.posts import Closed, Language, Posts
from engine.state import State
from rulesets.persian.actions import Action, actions, called, wording
from rulesets.persian.cast import GUILTY, HERE, PerState, facts, roles
from rulesets.persian.rewording import check

PERSIAN_DIGITS = "۰۱۲۳۴۵۶۷۸۹"
_SLOT = re.compile(r"(\{\w+\})")


@cache
def statement_forms() -> Mapping[str, Mapping[str, Sequence[Sequence[str]]]]:
    """Language → kind of statement → its wordings, each in pieces: text, and slots such as `{player}`.  PER-TEXT-03 -04"""
    return {
        code: {kind: [[piece for piece in _SLOT.split(form) if piece] for form in forms] for kind, forms in kinds.items()}
        for code, kinds in wording()["statements"].items()
    }


@cache
def interplay() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Role → the roles whose rules name it (`by_name`), or speak of a group it belongs to (`by_group`).  PER-NIGHT-08"""
    told = tomllib.loads((HERE / "named.toml").read_text(encoding="utf-8"))
    named = {role: [*names, *(("psychopath", "poisoner") if "killers" in names else ())] for role, names in told["roles"].items()}
    found = {}
    for role in roles().values():
        groups = {role.side, "guilty"} if role.side in GUILTY else {role.side}
        by_name = [other for other in roles() if role.id in named.get(other, ()) and other != role.id]
        by_group = [
            other for other in roles()
            if groups & set(told["groups"].get(other, ())) and other != role.id and other not in by_name
        ]  # fmt: skip
        found[role.id] = {"by_name": by_name, "by_group": by_group}
    return found


@cache
def order_book() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Role → the orders it may give: how each is written in both languages, and in which phases."""
    found: dict[str, list[Mapping[str, Any]]] = {role: [] for role in roles()}
    for action in actions().values():
        written = {code: _shown(action, code) for code in ("fa", "en")}
        # An infiltrator guesses roles for the cult only after joining it, and is told so then.
        teams = (role.id for role in roles().values() if role.side in action.teams and role.id != "infiltrator")
        owners = action.roles or tuple(teams)
        for owner in owners:
            when = [action.only[owner]] if owner in action.only else list(action.when)
            found[owner].append({"action": action.id, "written": written, "when": when})
    return found


_SEVERAL = {
    "fa": {"forecast": "X، Y", "accuse": "X، Y، Z", "protect": "X و خودم"},
    "en": {"forecast": "X, Y", "accuse": "X, Y, Z", "protect": "X and myself"},
}
"""How several players stand in an example of an order."""


def _shown(action: Action, code: str) -> str:
    """How an action is ordered, as an example in that language: `kill X`, «قتل X», `dress X as R`."""
    phrase = next(one for one in action.phrases if one.isascii() == (code == "en") and "{text}" not in one)
    several = _SEVERAL[code].get(action.id, "X")
    return phrase.replace("{player...}", several).replace("{player}", "X").replace("{role}", "R")


class PersianPosts(Posts):
    """What the Persian mafia's templates are given."""

    def languages(self, options: Mapping[str, Any]) -> tuple[Language, ...]:
        """Persian, English or both, the Persian first, with the digits chosen.  PER-TEXT-01 -02"""
        persian = Language("fa", PERSIAN_DIGITS) if options["digits"] == "persian" else Language("fa")
        return {"fa": (persian,), "en": (Language(),), "both": (persian, Language())}[options["language"]]

    def words(self, state: State, language: Language) -> Mapping[str, str]:
        """Roles, sides and kinds of phase as the glossary has them."""
        return names_of(language.code)

    def facts(self, state: State) -> Mapping[str, Any]:
        """The words that go with ids, who interacts with whom, and the semi-minor roles by name.  PER-SEMI-01, PER-NIGHT-08"""
        introduced = [
            {"player": seat.name, "role": str(seat.given["role"])}
            for seat in state.game.seats if roles()[str(seat.given["role"])].semi_minor
        ]  # fmt: skip
        return {**_always(), "introduced": introduced}

    def book(self, language: Language) -> Mapping[str, Any]:
        """The roles and their orders, for the rules post."""
        return {**_always(), "_words": names_of(language.code), "roles_told": list(roles())}

    def living(self, state: State) -> tuple[str, ...] | None:
        """Nobody is listed as living while the dead of the night stand in the four texts only.  PER-REPORT-23"""
        assert isinstance(state, PerState)
        if state.option("night_report") and state.option("night_deaths") == "statements":
            return None
        return tuple(name for name in state.game.names if name not in state.publicly_gone)

    def report(self, events: Sequence[Event]) -> Mapping[str, Any]:
        """The night report by the letters of its texts, and the side that goes with each role announced.  PER-REPORT-18"""
        told = [event for event in events if event.get("topic") == "night_report"]
        said = [event for event in told if "says" in event.data]
        letters = sorted({event["text"] for event in said})
        return {
            "head": next((event for event in told if "texts" in event.data), None),
            "texts": {letter: [event for event in said if event["text"] == letter] for letter in letters},
            "false_in": {event["text"]: event["false_statements"] for event in told if "false_statements" in event.data},
            "given_sides": {
                event["player"]: event["reveal"]["side"] for event in events if event.kind == "death" and event.get("reveal")
            },
        }

    def check_edit(self, before: str, after: str, closed: Closed) -> list[str]:
        """What no longer holds of the night report after the GM has reworded it.  PER-REPORT-20"""
        return check(before, after, closed, wording())


@cache
def names_of(code: str) -> Mapping[str, str]:
    """Ids of roles, sides and kinds of phase → their names in a language."""
    sides: Mapping[str, str] = wording()["sides"][code]
    if code == "fa":
        phases = {row["word"]: row["persian"] for row in facts()["phases"].values()}
        return {**{role.id: role.persian for role in roles().values()}, **sides, **phases}
    return {**{role.id: role.english for role in roles().values()}, **sides}


@cache
def _always() -> Mapping[str, Any]:
    """What holds in every game."""
    words = wording()
    return {
        "side_words": words["of_side"], "side_of": {role.id: role.side for role in roles().values()},
        "action_words": words["actions"], "action_names": called(), "reason_words": words["reasons"],
        "option_words": words["options"], "value_words": words["values"],
        "text_titles": words["texts"], "statement_forms": statement_forms(), "interplay": interplay(), "order_book": order_book(),
    }  # fmt: skip
