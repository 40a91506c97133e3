"""What a ruleset says about its posts. The publisher asks nothing else, so it knows no ruleset by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from engine.events import Event
from engine.state import State


@dataclass(frozen=True, slots=True)
class Language:
    """A language posts are written in. `code` (`en`, `fa`) names the folder of its templates, `digits` are its ten digits.

    `calendar` is the one in which its dates are given, `gregorian` or `solar_hijri`.
    """

    code: str = "en"
    digits: str = "0123456789"
    calendar: str = "gregorian"

    @property
    def right_to_left(self) -> bool:
        """Whether it is written from right to left."""
        return self.code in ("ar", "fa", "he", "ur")

    @property
    def comma(self) -> str:
        """What stands between words in a row."""
        return "، " if self.code in ("ar", "fa", "ur") else ", "


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed phase, for looking over its report: the state before and after it, and all its events, the GM's own too."""

    before: State
    after: State
    events: Sequence[Event]


class Posts:
    """What is a ruleset's own in its posts. Each answer has a default, so a ruleset says only what differs.

    All of it reaches public templates, so nothing here may tell a secret: `report` is given public events without their
    secret fields, and `facts`, `words` and `book` hold what every player may know.
    """

    role_topics: ClassVar[frozenset[str]] = frozenset(("role",))
    """The notice topics that make a message a role message."""
    votes_in_report: ClassVar[bool] = False
    """Whether the report of a phase shows its votes itself, so that they need no post of their own."""

    def languages(self, options: Mapping[str, Any]) -> tuple[Language, ...]:
        """The languages of every post, in the order in which they stand in it."""
        return (Language(),)

    def facts(self, state: State) -> Mapping[str, Any]:
        """What the templates may name besides what all templates know: facts of the set-up, things in force."""
        return {}

    def living(self, state: State) -> tuple[str, ...] | None:
        """Who may be named as living where everybody reads it; None where that would tell of a death not yet announced."""
        return tuple(state.living())

    def words(self, state: State, language: Language) -> Mapping[str, str]:
        """Ids → how they are shown in this language; an id without a word is shown with blanks for its underscores."""
        return {}

    def report(self, events: Sequence[Event]) -> Mapping[str, Any]:
        """The public events of a phase sorted for the ruleset's `phase.j2`, by the names that it uses."""
        return {}

    def book(self, language: Language) -> Mapping[str, Any]:
        """What the rules post and the glossary name besides the options: facts of the rules, in this language."""
        return {}

    def check_edit(self, before: str, after: str, closed: Closed) -> list[str]:
        """What the GM should know of a report reworded by hand from `before` to `after`, a sentence each. None where all is well.

        Only the GM reads it, so it may be told what is secret.
        """
        return []
