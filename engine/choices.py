"""Named choices: random draws and questions to the GM. Every one has a name, an answer and a record.

A draw is answered by the dice or by a pin; a question by the GM, a default or a pick. The dice are keyed by the game's seed,
the phase and the draw's name, so one more draw never changes another, and whoever knows the seed can check each of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class UnknownChoice(Exception):
    """A pin names a value that the draw cannot yield (`scenarios.md`: an error of the file).

    `name` is the draw, `value` the pin, `among` what it could have been.
    """

    def __init__(self, name: str, value: Any, among: Sequence[Any]) -> None:
        super().__init__(f"the draw `{name}` cannot yield {value!r}; it is among: {', '.join(map(str, among))}")
        self.name, self.value, self.among = name, value, tuple(among)


class Unanswered(Exception):
    """A question to the GM that has no answer yet: it stops the phase, and nothing of the phase takes place."""

    def __init__(self, question: Question) -> None:
        super().__init__(f"the question `{question.key}` waits for an answer")
        self.question = question


@dataclass(frozen=True, slots=True)
class Question:
    """A decision the rules leave to the GM. `key` names it for good, `about` holds what the GM must see to decide.

    `choices` is empty for a free text, which `pick` never answers.
    """

    key: str
    question: str
    choices: tuple[str, ...]
    default: str | None
    about: Mapping[str, Any] = field(default_factory=dict)


def commitment(seed: str) -> str:
    """The hash of the seed that is published when the game starts, so that players can check the dice when it ends."""
    return hashlib.sha256(f"nightpost:{seed}".encode()).hexdigest()


def cast_die(seed: str, phase: str, name: str, sides: int) -> int:
    """A number from 0 to `sides` - 1, decided by seed, phase and name alone."""
    digest = hashlib.sha256(f"{seed}\x00{phase}\x00{name}".encode()).digest()
    return int.from_bytes(digest, "big") % sides


@dataclass(slots=True)
class Choices:
    """The answers that one phase is resolved with.

    `pins` force draws. `answers` are the GM's, by the question's key; an empty one says "none of them". `picks` answer, in
    order, whatever questions with choices arise (DAN-TAL-15). What has no answer takes its default if `waived` says so for that
    kind of question, otherwise it stops the phase with `Unanswered`.
    """

    seed: str = "0"
    pins: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    picks: list[str] = field(default_factory=list)
    waived: frozenset[str] | None = None
    """The kinds of question whose default holds unasked; None for all of them, as in a rehearsal."""

    def draw(self, phase: str, name: str, among: Sequence[Any]) -> Any:
        """The value of the draw `name`. Raises UnknownChoice where a pin is not among the values."""
        if name in self.pins:
            pinned = self.pins[name]
            if pinned not in among:
                raise UnknownChoice(name, pinned, among)
            return pinned
        return among[cast_die(self.seed, phase, name, len(among))]

    def answer(self, question: Question) -> tuple[str | None, list[str]]:
        """The answer, and those that were refused on the way because they are not among the choices.

        An answer may have been given when the votes stood otherwise: what is no choice any more answers nothing. Raises
        Unanswered where neither the GM nor a default answers.
        """
        refused: list[str] = []
        if question.key in self.answers:
            said = self.answers[question.key] or None
            if not question.choices or said in (None, question.default, *question.choices):
                return said, refused
            refused.append(str(said))
        if question.choices:
            wanted = {choice.casefold(): choice for choice in question.choices}
            while self.picks:
                pick = self.picks.pop(0)
                if pick.casefold() in wanted:
                    return wanted[pick.casefold()], refused
                refused.append(pick)
        if self.waived is None or question.question in self.waived:
            return question.default, refused
        raise Unanswered(question)
