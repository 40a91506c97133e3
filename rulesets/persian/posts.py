"""What the Persian mafia's posts are written from: two languages, the glossary's words, the four texts (PER-TEXT)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.events import Event
from engine.posts import Language, Posts
from engine.state import State
from rulesets.persian.cast import PerState, facts, roles

PERSIAN_DIGITS = "۰۱۲۳۴۵۶۷۸۹"
_SIDES = {"mafia": "مافیا", "cult": "فرقهٔ جادوگری", "killers": "قاتلان", "innocents": "بی‌گناهان", "guilty": "گناهکاران"}
_OF_SIDE = {
    "fa": {"mafia": "مافیا", "cult": "فرقه", "killers": "قاتل", "innocents": "بی‌گناه", "minor": "نقش فرعی", "guilty": "گناهکار"},
    "en": {"mafia": "mafia", "cult": "cult", "killers": "killer", "innocents": "innocent", "minor": "minor", "guilty": "guilty"},
}
"""The side as it stands before a role (PER-DISG-07)."""


class PersianPosts(Posts):
    """What the Persian mafia's templates are given."""

    def languages(self, options: Mapping[str, Any]) -> tuple[Language, ...]:
        """Persian, English or both, the Persian first, with the digits chosen.  PER-TEXT-01 -02"""
        persian = Language("fa", PERSIAN_DIGITS) if options["digits"] == "persian" else Language("fa")
        return {"fa": (persian,), "en": (Language(),), "both": (persian, Language())}[options["language"]]

    def words(self, state: State, language: Language) -> Mapping[str, str]:
        """Roles, sides and kinds of phase as the glossary has them."""
        if language.code == "fa":
            phases = {row["word"]: row["persian"] for row in facts()["phases"].values()}
            return {role.id: role.persian for role in roles().values()} | _SIDES | phases
        return {role.id: role.english for role in roles().values()}

    def facts(self, state: State) -> Mapping[str, Any]:
        """The side of each role as it is announced with it."""
        return {"side_words": _OF_SIDE, "side_of": {role.id: role.side for role in roles().values()}}

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
