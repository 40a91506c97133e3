"""`nightpost gm "…"`: a command of the GM's is tried out first, and kept only where it does what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from desk.places import local
from desk.replacing import replaced
from desk.views import open_phase, open_questions, order_refused
from desk.whom import nobody
from engine.commands import player_called, sort_out
from engine.game import nearest
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.play import Outcome, play, so_far
from scheduler import Table
from scraper.model import BadInput
from store.record import PhaseRow

COMMON = {
    "vote": "vote X for Y: X's vote, given by you",
    "unvote": "unvote X: takes X's vote back",
    "order": "order X: …: a private order of X's, given by you",
    "replace": "replace X with Y: another account takes over X's seat",
    "extend": "extend 24h: the phase ends later (also 1d 12h, 30m)",
    "undo": "undo: takes back what you said last in this phase",
}
"""The commands of every ruleset, and how they are written."""
NOTHING = "Nothing was changed."
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}
_SPAN = re.compile(r"(?:\d{1,5}\s*(?:d|days?|h|hours?|m|min|minutes?)\b[\s,]*)+")


def command(folder: Path, text: str, now: datetime) -> str:
    """Log a GM command and say what it does; `undo` takes the last entry back.

    Raises BadInput, with the reason and the nearest right thing, for a command that cannot be carried out; nothing is kept of it.
    """
    table = Table.at(folder)
    phase = open_phase(table)
    words = " ".join(text.split())
    if not words:
        raise BadInput(f"give the command in quotes, e.g. nightpost gm \"modkill Ann\". {_known(table)}")
    word = words.split()[0].casefold()
    match word:
        case "undo":
            return _undone(table, now)
        case "extend":
            return _extended(table, phase, words, now)
        case "replace":
            return replaced(table, words, now)
    usage = _usage(table, word)
    said = _Trial(table, phase, words, now, usage).said()
    table.record.add_entry("command", words, now)
    return f"Noted: {said}. The next tick goes by it."


def _usage(table: Table, word: str) -> str:
    """How the command that begins with `word` is written. Raises BadInput, with the nearest one, where there is none."""
    own = {name.split()[0]: str(how) for name, how in table.settings.ruleset().facts.get("commands", {}).items()}
    known = own | COMMON
    if word not in known:
        near = nearest(word, known)
        hint = f"Did you mean `{near}`? Write {_form(known[near])}." if near else _known(table)
        raise BadInput(f"there is no command `{word}`. {hint} {NOTHING}")
    return _form(known[word])


def _form(usage: str) -> str:
    form, _, meaning = usage.rpartition(": ")
    return f"`{form}` ({meaning})"


def _known(table: Table) -> str:
    names = dict.fromkeys((*table.settings.ruleset().facts.get("commands", {}), *COMMON))
    return f"The commands are: {', '.join(names)}."


@dataclass(frozen=True, slots=True)
class _Trial:
    """A command tried out on a copy of the open phase."""

    table: Table
    phase: PhaseRow
    words: str
    now: datetime
    usage: str

    def said(self) -> str:
        """What the command does, in words. Raises BadInput where it does nothing."""
        match self.words.split()[0].casefold():
            case "vote":
                return self._vote(*self._parts(r"vote (.+?) for (.+)"))
            case "unvote":
                return self._unvote(*self._parts(r"unvote (.+)"))
            case "order":
                return self._order(*self._parts(r"order (.+?) ?: ?(.+)"))
            case "pick":
                return self._pick(*self._parts(r"pick (.+)"))
        outcome, id_ = self._played()
        refused = next((event for event in outcome.events if event.source == id_ and event.get("topic") == "refused"), None)
        if refused is not None:
            raise self._refused(str(refused.get("reason") or f"it is not allowed now, or not written as {self.usage}"))
        return self.words

    def _refused(self, why: str) -> BadInput:
        return BadInput(f"`{self.words}` cannot be done: {why}. {NOTHING}")

    def _parts(self, form: str) -> Sequence[str]:
        found = re.fullmatch(form, self.words, re.IGNORECASE)
        if found is None:
            raise self._refused(f"write it as {self.usage}")
        return found.groups()

    def _player(self, text: str) -> str:
        player = player_called(self.table.game(), text)
        if player is None:
            raise self._refused(nobody(self.table.game(), text))
        return player

    def _played(self, how: Callable[..., Outcome] = so_far) -> tuple[Outcome, str]:
        """What comes of the phase with the command in it, and the id under which the command came in."""
        table, phase = self.table, self.phase
        inputs = table.inputs(phase)
        at = min(self.now, inputs.ends) if inputs.ends else self.now
        extra = CommandInput("the command", self.words, at)
        ruleset = table.settings.ruleset()
        more, _ = sort_out(table.game(), PhaseInputs(commands=(extra,), ends=inputs.ends), ruleset.vote_post)
        both = replace(
            inputs, posts=(*inputs.posts, *more.posts), orders=(*inputs.orders, *more.orders),
            commands=(*inputs.commands, *more.commands),
        )  # fmt: skip
        return how(ruleset, table.state(), phase.label, both, table.choices(phase, waive=True)), extra.id

    def _vote(self, name: str, target: str) -> str:
        player = self._player(name)
        outcome, id_ = self._played()
        if outcome.tally is None:
            raise self._refused(f"nothing is voted on in {self.phase.label}")
        own = [event for event in self._played(play)[0].events if event.source == id_]  # posts are read at the close
        asked = next((event for event in own if event.kind == "ask"), None)
        if asked is not None and not asked.get("answer"):
            raise self._refused(f"`{target}` fits {' and '.join(asked['choices'])}: write the whole name")
        meant = player_called(self.table.game(), target)
        if any(event.get("topic") == "unreadable" for event in own):
            why = nobody(self.table.game(), target) if meant is None else f"{meant} cannot be voted for by {player} now"
            raise self._refused(why)
        voted = next((one for one, voters in outcome.tally["votes"].items() if player in voters), None)
        if voted is None or outcome.tally.get("posts", {player: id_}).get(player) != id_:
            raise self._refused(f"{player} does not vote in {self.phase.label}")
        return f"{player} votes for {voted}"

    def _unvote(self, name: str) -> str:
        player = self._player(name)
        before = self.table.play(close=False)
        if before.tally is None or not any(player in voters for voters in before.tally["votes"].values()):
            raise self._refused(f"{player} has no vote that stands")
        return f"{player}'s vote is taken back"

    def _order(self, name: str, text: str) -> str:
        player = self._player(name)
        outcome, id_ = self._played()
        why = order_refused(self.table, self.phase, OrderInput(id_, player, text), outcome)
        if why is not None:
            raise self._refused(why)
        return f"{player} orders: {text}"

    def _pick(self, text: str) -> str:
        asked = [one for one in open_questions(self.table, self.now) if one.choices]
        if not asked:
            raise self._refused("no question with choices is open (`nightpost review` lists the open ones)")
        choices = {one.casefold(): one for one in asked[0].choices}
        if text.casefold() not in choices:
            near = nearest(text, asked[0].choices)
            hint = f" (did you mean {near}?)" if near else ""
            raise self._refused(f"the choices are {', '.join(asked[0].choices)}{hint}")
        return f"{choices[text.casefold()]} is the answer to `{asked[0].question}`"


def _undone(table: Table, now: datetime) -> str:
    phase = open_phase(table)
    entries = table.said(phase)
    if not entries:
        raise BadInput("there is nothing to undo: nothing was said in this phase, and what is resolved stands")
    last = entries[-1]
    with table.record.together():
        table.record.add_entry("undo", last.text, now, key=str(last.seq))
        if last.kind == "extend":
            table.record.move_deadline(phase.seq, datetime.fromisoformat(last.key))
    return f"Taken back: {last.text}"


def _extended(table: Table, phase: PhaseRow, words: str, now: datetime) -> str:
    asked = words.partition(" ")[2].casefold()
    parts = re.findall(r"(\d+)\s*([dhm])", asked) if _SPAN.fullmatch(asked) else []
    by = sum((timedelta(**{_UNITS[unit]: int(count)}) for count, unit in parts), timedelta())
    if phase.deadline is None:
        raise BadInput(f"{phase.label} has no deadline: it ends with `nightpost resolve`. {NOTHING}")
    if not by or by > timedelta(days=365):
        raise BadInput(f"write how much longer, e.g. `extend 24h` or `extend 1d 12h`, not `{words}`. {NOTHING}")
    with table.record.together():
        table.record.add_entry("extend", words, now, key=phase.deadline.isoformat())
        table.record.move_deadline(phase.seq, phase.deadline + by)
    return f"{phase.label} now ends at {local(phase.deadline + by, table.settings.clock.timezone)}."
