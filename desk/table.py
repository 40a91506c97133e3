"""An open game at the table: its settings, its record, and what they say of the phase that is open."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from desk.settings import Settings, load_settings
from desk.watch import said_in
from engine.choices import Choices, Question, Unanswered
from engine.commands import sort_out
from engine.game import Game
from engine.inputs import CommandInput, Edit, OrderInput, PhaseInputs, PostInput
from engine.play import Outcome, play, so_far
from engine.state import State
from parser.message import has_words
from scraper.model import BadInput
from store.order import minute_of
from store.record import SHIFT, Entry, PhaseRow, Record, StoreError, moment
from store.seats import Seats

BY_THE_HOST = "##deadline now, in "
"""How the entry begins that tells of a phase which a post of the host's has ended."""
_CLOSED_BY = re.compile(BY_THE_HOST + r"post (\d+(?:/\d+)?)")


_SHOWN = 200
"""How many letters of a post the GM is shown in a question about it."""


class Beginning(NamedTuple):
    """What belongs to a phase: what was made after `at`, and what may have been and was read later than `post` or `message`, the
    last version of a post and the last message that were read before the phase opened. The clock of what was read may be
    behind that of `at` by as much as `apart`.
    """

    at: datetime
    post: int | None
    message: int | None
    apart: timedelta = timedelta(0)


@dataclass(slots=True)
class Table:
    """An open game: its settings, its record, and the state as the open phase began."""

    settings: Settings
    record: Record

    @classmethod
    def at(cls, folder: Path) -> Table:
        """The game in `folder`. Raises BadInput where it is not one."""
        settings = load_settings(folder)
        table = cls(settings, Record(settings.database))
        try:
            table._must_be_the_game()
        except sqlite3.Error as error:
            raise StoreError(damaged(settings, error)) from error
        return table

    def _must_be_the_game(self) -> None:
        """Raise BadInput where roles, options, set-up or seed are no longer those that the game began with, naming them."""
        kept = self.record.fact("began with")
        changed = self.settings.changed_since(json.loads(kept)) if kept else []
        if not changed:
            return
        raise BadInput(
            f"in {self.settings.folder / 'game.toml'} this is no longer as the game began: {', '.join(changed)}. Set it back. "
            "Nothing was read or counted; the record is as it was."
        )

    def started(self) -> bool:
        """Whether the game has begun."""
        return bool(self.record.phases())

    def by_forum(self, now: datetime) -> datetime:
        """The moment `now` of this machine as the forum's clock shows it, and no earlier than what has been read."""
        return self.record.newest(self.on_the_forum(now))

    def on_the_forum(self, moment: datetime) -> datetime:
        """Any moment of this machine as the forum's clock shows it: as far off as that was at the last look."""
        return moment + timedelta(seconds=self.record.bookmark("clock") or 0)

    def current(self) -> PhaseRow | None:
        """The open phase, None before the start and after the end."""
        phases = self.record.phases()
        return phases[-1] if phases and phases[-1].closed_at is None else None

    def seats(self, phase: PhaseRow | None = None) -> Seats:
        """Who sits where now; or, for a closed phase, as it was when it was resolved, whatever `game.toml` says since."""
        if phase is not None and phase.read_with is not None:
            return Seats.from_json(phase.read_with)
        return Seats.of(self.settings.players, self.record.entries(phase.last_entry if phase else None))

    def game(self, phase: PhaseRow | None = None) -> Game:
        """The game with its seats called by every name they have now, or had in that phase."""
        return self.seats(phase).seated(self.settings.game)

    def state(self) -> State:
        """The state as the open phase began: a fold over the events of the closed ones."""
        state = self.settings.ruleset().begin(self.game())
        for phase in self.record.phases():
            if phase.closed_at is not None:
                state.begun[phase.label.kind] = phase.label.number
                for event in self.record.events(phase.seq):
                    state.apply(event)
        return state

    def floats(self, phase: PhaseRow) -> bool:
        """Whether what is sent after its deadline counts too, until the GM says that it is over (`[clock] floating`)."""
        floating = self.settings.clock.floating and phase.deadline is not None and phase.closed_at is None
        return floating and not self._said(phase, "over")

    def close_the_float(self, phase: PhaseRow, at: datetime, words: str, now: datetime) -> None:
        """The GM has said that a phase whose deadline floats is over as of `at`."""
        with self.record.together():
            self.record.add_entry("over", words, now, key=phase.deadline.isoformat() if phase.deadline else "")
            self.record.move_deadline(phase.seq, at)

    def ends(self, phase: PhaseRow) -> datetime | None:
        """Up to when what is sent counts: to the deadline; None where there is none, or it floats."""
        return None if self.floats(phase) else phase.deadline

    def until(self, phase: PhaseRow, now: datetime) -> datetime:
        """Up to when what was sent counts as of now: late posts never do."""
        ends = self.ends(phase)
        return now if ends is None else min(now, ends)

    def inputs(self, phase: PhaseRow, until: datetime | None = None) -> PhaseInputs:
        """What came in during `phase`, up to its deadline or `until`: by the forum's own times, late posts never."""
        ends = min((moment for moment in (until, self.ends(phase)) if moment is not None), default=None)
        seats = self.seats(phase)
        begins = self.begins(phase)
        found = self._posts(phase, begins, ends)
        answers = {entry.key: entry.text for entry in self._said(phase, "answer")}
        posts = tuple(
            self._post(_settled(versions, ends, answers), ends, seats)
            for versions in found
            if not _edited_late(versions, self.ends(phase)) or answers.get(_late_key(versions)) == "counts"
        )
        orders = tuple(self._orders(phase, begins, ends, seats))
        commands = tuple(
            # What the GM adds while a phase waits beyond its deadline still belongs to it.
            CommandInput(f"command {entry.seq}", text, min(entry.at, ends) if ends else entry.at)
            for entry, text in self._commands(phase)
        )
        inputs = PhaseInputs(posts, orders, commands, ends, phase.opened_at)
        return sort_out(seats.seated(self.settings.game), inputs, self.settings.ruleset().vote_post)[0]

    def _posts(self, phase: PhaseRow, begins: Beginning, ends: datetime | None) -> list[list[dict[str, Any]]]:
        behind, closing = self.closing_posts(phase)
        found = self.record.posts(begins.at, ends, phase.last_post, begins.post, begins.apart, behind=behind, closing=closing)
        last = self._closing_text(phase)
        return found if last is None else [_read_before(versions, phase.deadline, _time(last["seen_at"])) for versions in found]

    def holds(self, phase: PhaseRow) -> set[str]:
        """The posts and messages that belong to the open `phase` or to one after it, as `post 7` and `message m7`."""
        begins = self.begins(phase)
        of = self.seats(phase).accounts()
        messages = self.record.messages(begins.at, None, phase.last_message, begins.message, begins.apart, of)
        posts = {f"post {versions[0]['post']}" for versions in self._posts(phase, begins, None)}
        return posts | {f"message {row['message']}" for row in messages}

    def closing_posts(self, phase: PhaseRow) -> tuple[str | None, str | None]:
        """The posts of the host's that ended the phase before `phase` and `phase` itself, where `##deadline now` did."""
        before = next((one for one in reversed(self.record.phases()) if one.seq < phase.seq), None)
        return (self._closing_post(before) if before is not None else None), self._closing_post(phase)

    def _closing_post(self, phase: PhaseRow) -> str | None:
        closing = self._closing_text(phase)
        return str(closing["post"]) if closing is not None else None

    def _closing_text(self, phase: PhaseRow) -> Mapping[str, Any] | None:
        said = next((_CLOSED_BY.fullmatch(entry.text) for entry in reversed(self._said(phase, "over"))), None)
        if said is None:
            return None
        texts = self.record.texts(said[1].partition("/")[0])
        first = next((text[0] for text in texts if text[0]["post"] == said[1]), None)
        # The GM may have prolonged the phase since.
        return first if first is not None and moment(first["posted_at"]) == phase.deadline else None

    def begins(self, phase: PhaseRow) -> Beginning:
        """From when on what is sent belongs to `phase`.

        Nothing precedes the first phase: what was sent in the very moment it opened belongs to it. Where the phase before was
        ended before its time, with all that had been read, what is read after that belongs to this one.
        """
        before = next((one for one in reversed(self.record.phases()) if one.seq < phase.seq), None)
        if before is not None:
            apart = SHIFT if self._was_ended(before) else timedelta(0)
            return Beginning(phase.opened_at, before.last_post, before.last_message, apart)
        full = phase.opened_at == phase.opened_at.replace(second=0, microsecond=0)
        at = _just_before(phase.opened_at) if full else phase.opened_at
        return Beginning(at, None if full else 0, None if full else 0)

    def _was_ended(self, phase: PhaseRow) -> bool:
        """Whether a closed phase ended as it was read, because all had acted or the GM said so, and not at its deadline."""
        if phase.closed_at != phase.deadline:
            return True
        over = self._said(phase, "over")
        return any(entry.at == phase.closed_at and not entry.text.startswith(BY_THE_HOST) for entry in over)

    def _commands(self, phase: PhaseRow) -> Iterator[tuple[Entry, str]]:
        """The GM's commands of the phase; a replacement among them where the ruleset has something to say of it."""
        own = self.settings.ruleset().facts.get("commands", {})
        for entry in self.said(phase):
            if entry.kind == "command":
                yield entry, entry.text
            elif entry.kind == "replace" and "replace" in own:
                yield entry, f"replace {entry.key} by {entry.text}"

    def choices(self, phase: PhaseRow, *, waive: bool = False) -> Choices:
        """The answers the GM has given so far."""
        answers = {entry.key: entry.text for entry in self._said(phase, "answer")}
        waived = self.settings.waived if phase.read_with is None else frozenset(phase.read_with["waived"])
        return Choices(self.settings.seed, answers=answers, waived=None if waive else waived)

    def late_edits(self, phase: PhaseRow) -> list[Question]:
        """Questions about posts made in time that may say something else since the deadline: what stood in them when the phase
        ended cannot be known (DAN-POST-14, -15), so the GM decides.

        One that was first read after it had been edited, after the deadline, counts or does not. Of one that was deleted, or
        changed without a word of the forum's when, between the last look before the deadline and the first one after it,
        counts what stood before or after that.
        """
        ends = self.ends(phase)
        if ends is None:
            return []
        seats, answers, waived = self.seats(phase), {entry.key for entry in self._said(phase, "answer")}, self.settings.waived
        declared = [
            versions for versions in self._posts(phase, self.begins(phase), ends)
            if seats.seat_of(versions[0]["author"], moment(versions[0]["posted_at"]))
        ]  # fmt: skip
        asked = [
            _asked(versions, _late_key(versions), "edited_late", ("counts", "void"), "void", edited=versions[0]["edited_at"])
            for versions in declared
            if "edited_late" not in waived and _edited_late(versions, ends) and said_in(versions[0]["bbcode"])
        ]
        if "changed_late" not in waived and self.settings.game.options.get("edits", "first") != "first":
            asked += [
                _asked(
                    versions, _changed_key(one), "changed_late", ("before", "after"), "before",
                    now="deleted" if one["deleted"] else one["text"][:_SHOWN],
                )
                for versions in declared
                if (one := _changed_unseen(versions, ends)) is not None
            ]  # fmt: skip
        return [question for question in asked if question.key not in answers]

    def play(self, *, until: datetime | None = None, close: bool, waive: bool = False) -> Outcome:
        """Play the open phase, closed or so far. Raises Unanswered where a question stops it."""
        phase = self.current()
        if phase is None:
            raise BadInput("no phase is open: the game has not begun, or it is over")
        if close and (doubtful := self.late_edits(phase)):
            raise Unanswered(doubtful[0])
        run = play if close else so_far
        inputs = self.inputs(phase, until)
        return run(self.settings.ruleset(), self.state(), phase.label, inputs, self.choices(phase, waive=waive or not close))

    def said(self, phase: PhaseRow) -> list[Entry]:
        """What the GM said while `phase` was open: by the order of the log, for an answer comes after the deadline."""
        before = max((one.last_entry or 0 for one in self.record.phases() if one.seq < phase.seq), default=0)
        return [entry for entry in self.record.entries(phase.last_entry) if entry.seq > before]

    def _said(self, phase: PhaseRow, kind: str) -> list[Entry]:
        return [entry for entry in self.said(phase) if entry.kind == kind]

    def _post(self, versions: Sequence[dict[str, Any]], ends: datetime | None, seats: Seats) -> PostInput:
        first = versions[0]
        seat = seats.seat_of(first["author"], moment(first["posted_at"]))
        edits = tuple(
            edit for edit in (Edit(one["bbcode"], _changed(one)) for one in versions[1:] if not one["deleted"])
            # A replaced player changes nothing any more, in old posts neither.
            if seats.seat_of(first["author"], edit.at) == seat
        )  # fmt: skip
        by = seat or f"stranger {first['author']}"
        in_time = [one for one in versions if ends is None or _time(one["seen_at"]) <= ends]
        gone = bool(in_time) and bool(in_time[-1]["deleted"])
        return PostInput(f"post {first['post']}", by, first["bbcode"], moment(first["posted_at"]), edits, gone, first["url"])

    def _orders(self, phase: PhaseRow, begins: Beginning, ends: datetime | None, seats: Seats) -> Iterator[OrderInput]:
        of = seats.accounts()
        for row in self.record.messages(begins.at, ends, phase.last_message, begins.message, begins.apart, of):
            seat = seats.seat_of(row["sender"], moment(row["at"]))
            if seat is not None and has_words(row["body"]):
                yield OrderInput(f"message {row['seq']}", seat, row["body"], moment(row["at"]), row["source"])


def _just_before(moment: datetime) -> datetime:
    return moment - timedelta(microseconds=1)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _read_before(versions: Sequence[dict[str, Any]], ends: datetime | None, closed: datetime) -> list[dict[str, Any]]:
    """The versions; one that was read when the post that ended the phase, read at `closed`, was not there yet came before it,
    though in its minute.
    """
    if ends is None:
        return list(versions)
    before, read_by = _just_before(ends).isoformat(), min(closed, ends + timedelta(minutes=1))
    return [{**one, "seen_at": before} if ends < _time(one["seen_at"]) < read_by else one for one in versions]


def _edited_late(versions: Sequence[Mapping[str, Any]], ends: datetime | None) -> bool:
    """Whether a post was first read when it had been edited already, and that after `ends`, or perhaps in its minute.

    What had been read by then was edited before.
    """
    first = versions[0]
    edited = first["edited_at"] and _time(first["edited_at"])
    if ends is None or edited is None:
        return False
    return bool(edited > ends or (edited == minute_of(ends) and _time(first["seen_at"]) > ends))


def _changed_unseen(versions: Sequence[Mapping[str, Any]], ends: datetime | None) -> Mapping[str, Any] | None:
    """The first version read after the deadline, where it declares something else than the last one before and came about at a
    time that the forum does not tell: it deleted the post, or has no mark of an edit.
    """
    before = [one for one in versions if ends is not None and _time(one["seen_at"]) <= ends]
    if not before or len(before) == len(versions):
        return None
    first = versions[len(before)]
    told = first["edited_at"] is not None and not first["deleted"]
    said = [[] if one["deleted"] else said_in(one["bbcode"]) for one in (before[-1], first)]  # saved pages tell what was deleted
    return None if told or said[0] == said[1] else first


def _settled(
    versions: Sequence[dict[str, Any]], ends: datetime | None, answers: Mapping[str, str]
) -> Sequence[dict[str, Any]]:
    """The versions, where the GM says that a change of which no time is told came before the deadline: then so it did."""
    changed = _changed_unseen(versions, ends)
    if changed is None or ends is None or answers.get(_changed_key(changed)) != "after":
        return versions
    return [{**one, "seen_at": _just_before(ends).isoformat()} if one is changed else one for one in versions]


def _asked(
    versions: Sequence[Mapping[str, Any]], key: str, question: str, choices: tuple[str, str], default: str, **more: Any
) -> Question:
    first = versions[0]
    about = {"player": first["author"], "text": first["text"][:_SHOWN], "post": f"post {first['post']}", **more}
    return Question(key, question, choices, default, {**about, "link": first["url"]})


def _changed_key(version: Mapping[str, Any]) -> str:
    return f"changed_late:{version['post']}"


def _late_key(versions: Sequence[Mapping[str, Any]]) -> str:
    return f"edited_late:{versions[0]['post']}"


def _changed(version: Mapping[str, Any]) -> datetime:
    """When a post came to say this, as far as is known."""
    return _time(version["edited_at"] or version["seen_at"])


def damaged(settings: Settings, error: sqlite3.Error) -> str:
    """That the record cannot be read, in words for the GM."""
    return f"{settings.database} cannot be read: {error}. Nothing was half-written; go on from a copy of it."
