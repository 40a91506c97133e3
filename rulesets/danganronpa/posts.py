"""What Danganronpa's posts show: the dead, the executed and the revealed of a phase, and the names of talents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.events import Event
from engine.posts import Language, Posts
from engine.state import State
from rulesets.danganronpa.cast import PLACES, DanState


class DanganronpaPosts(Posts):
    """What Danganronpa's templates are given."""

    role_topics = frozenset(("talent",))

    def facts(self, state: State) -> Mapping[str, Any]:
        """The talents as declared, the regulations in force, and the places (DAN-FMT-15, DAN-REG-06)."""
        assert isinstance(state, DanState)
        return {"talents": state.cast.talents, "regulations": dict(state.regulations), "places": PLACES}

    def words(self, state: State, language: Language) -> Mapping[str, str]:
        """The names of the talents."""
        assert isinstance(state, DanState)
        return {id_: talent.name for id_, talent in state.cast.talents.items()}

    def report(self, events: Sequence[Event]) -> Mapping[str, Any]:
        """The executed apart from the other dead, and those the host removed apart from both.  DAN-PHASE-06 -07, DAN-PUN-06"""

        def announced(topic: str) -> list[Event]:
            return [event for event in events if event.kind == "announce" and event["topic"] == topic]

        lynch = next((event for event in reversed(events) if event.kind == "lynch"), None)
        executed = None if lynch is None else lynch["player"]
        reveals = announced("reveal")
        deaths = [event for event in events if event.kind == "death" and event["player"] != executed]
        return {
            "vote_held": lynch is not None,
            "executed": executed,
            "execution_reveal": next((event for event in reveals if event["player"] == executed), None),
            "removed": [event["player"] for event in deaths if event.get("cause") == "modkill"],
            "deaths": [event["player"] for event in deaths if event.get("cause") != "modkill"],
            "reveals": [event for event in reveals if event["player"] != executed],
            "revived": [event["player"] for event in announced("revived")],
            "new_regulations": announced("regulation"),
            "hangouts": announced("hangout"),
            "sulking": [name for event in announced("sulking") for name in event["players"]],
        }
