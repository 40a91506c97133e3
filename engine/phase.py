"""A phase at work: what the steps of a ruleset ask and say. No clock, no network, no wording."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from engine.choices import Choices, Question
from engine.events import Event, Visibility
from engine.inputs import PhaseInputs
from engine.state import Label, State

S = TypeVar("S", bound=State)


@dataclass(slots=True)
class Phase(Generic[S]):
    """One phase being resolved: the state it works on, what came in, the answers, and the events so far.

    Every method that makes an event takes `why`, the clauses it carries out, as one string of ids. Each event is folded
    into the state at once, so that the steps after it see it.
    """

    label: Label
    state: S
    inputs: PhaseInputs
    choices: Choices
    events: list[Event] = field(default_factory=list)
    doomed: dict[str, list[tuple[str, str | None, str]]] = field(default_factory=dict)
    """Deaths decided and not yet carried out: player → (cause, killer, why)."""
    source: str | None = None
    name: str = field(init=False)
    """The label in words, as events carry it."""

    def __post_init__(self) -> None:
        self.name = str(self.label)

    @contextmanager
    def about(self, source: str) -> Iterator[None]:
        """While inside, events are marked as coming from the post, order or command `source`."""
        before, self.source = self.source, source
        try:
            yield
        finally:
            self.source = before

    def emit(self, kind: str, visibility: Visibility, why: str, *, secret: tuple[str, ...] = (), **data: Any) -> Event:
        """Say that something happened, and fold it into the state."""
        event = Event(kind, self.name, visibility, tuple(why.split()), data, secret, self.source)
        self.events.append(event)
        self.state.apply(event)
        return event

    def result(self, to: str, action: str, value: str, why: str, **more: Any) -> None:
        """Tell a player the outcome of something they did."""
        self.emit("result", "private", why, to=to, action=action, value=value, **more)

    def notice(self, to: str, topic: str, why: str, **more: Any) -> None:
        """Tell a player, or the GM (`gm`), something they did not act for."""
        self.emit("notice", "gm" if to == "gm" else "private", why, to=to, topic=topic, **more)

    def announce(self, topic: str, why: str, **more: Any) -> None:
        """Tell everyone."""
        self.emit("announce", "public", why, topic=topic, **more)

    def condition(self, player: str, condition: str, why: str, *, on: bool = True, seen: Visibility = "gm") -> None:
        """Put a condition in force, or lift it; nothing happens where it already is so."""
        if self.state.has(player, condition) != on:
            self.emit("condition", seen, why, player=player, condition=condition, on=on)

    def refuse(self, text: str, why: str, **more: Any) -> None:
        """A GM command that is not allowed: it changes nothing, the GM is told, play goes on."""
        self.notice("gm", "refused", why, text=text, **more)

    def draw(self, name: str, among: Sequence[Any], why: str) -> Any:
        """Use the dice. Every use is an event, also when only one value is possible.

        Raises UnknownChoice where a pin is not among the values.
        """
        chosen = self.choices.draw(self.name, name, among)
        self.emit("draw", "gm", why, name=name, among=list(among), chosen=chosen)
        return chosen

    def ask(self, question: Question, why: str) -> str | None:
        """Ask the GM. Raises Unanswered where the phase must wait for the answer."""
        answer, refused = self.choices.answer(question)
        for pick in refused:
            self.refuse(f"pick {pick}", why)
        self.emit(
            "ask", "gm", why, question=question.question, choices=list(question.choices), default=question.default,
            answer=answer, key=question.key, **question.about,
        )  # fmt: skip
        return answer

    def doom(self, player: str, cause: str, why: str, by: str | None = None) -> None:
        """Decide a death; it is carried out later, together with the others of the phase."""
        self.doomed.setdefault(player, []).append((cause, by, why))

    def carry_out_deaths(
        self, reveal: Callable[[str], Any], secret: tuple[str, ...] = ("by",), seen: Visibility = "public",
        more: Callable[[str], Mapping[str, Any]] = lambda player: {},
    ) -> list[str]:  # fmt: skip
        """Carry out every death decided, in the order of seats, each player once with all causes; who died is returned.

        `more` are the ruleset's own fields of a death, besides what `reveal` shows.
        """
        dead = self.state.in_seat_order(list(self.doomed))
        for player in dead:
            marks = self.doomed[player]
            causes = [cause for cause, _, _ in marks]
            killers = [by for _, by, _ in marks if by]
            why = " ".join(dict.fromkeys(" ".join(mark[2] for mark in marks).split()))
            self.emit(
                "death", seen, why, secret=secret, player=player,
                cause=causes[0] if len(causes) == 1 else causes, by=killers, reveal=reveal(player),
                **more(player),
            )  # fmt: skip
        self.doomed.clear()
        return dead
