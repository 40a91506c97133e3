"""`nightpost gm "…"`: a command of the GM's is tried out first, and kept only where it does what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from desk.announcing import is_announced, move_deadline
from desk.glossary import usage
from desk.notes import ended
from desk.places import local
from desk.replacing import know_who_was_told, replaced, take_back
from desk.table import Table
from desk.views import open_phase, open_questions, order_refused
from desk.whom import nobody
from engine.commands import COLON, FOR, parted, player_called, sort_out, span
from engine.events import Event
from engine.game import nearest
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.play import Outcome, play, so_far
from scraper.model import BadInput
from store.record import Entry, PhaseRow

COMMON = {
    "vote": "vote X for Y: X's vote, given by you",
    "unvote": "unvote X: takes X's vote back",
    "order": "order X: …: a private order of X's, given by you",
    "replace": "replace X with Y: another account takes over X's seat",
    "extend": "extend 24h: the phase ends later (also 1d 12h, 30m)",
    "undo": "undo: takes back what you said last in this phase",
}
"""The commands of every ruleset, and how they are written."""
PLAYERS = ("M", "X", "Y", "Z")
"""The slots of a command's form in which a player's name stands."""
NOTHING = "Nothing was changed."


def command(folder: Path, text: str, now: datetime) -> str:
    """Log a GM command and say what it does; `undo` takes the last entry back.

    Raises BadInput, with the reason and the nearest right thing, for a command that cannot be carried out; nothing is kept of it.
    """
    table = Table.at(folder)
    with table.record.together():  # no tick closes the phase between the trial and the entry
        return _said(table, " ".join(text.split()), table.by_forum(now))


def _said(table: Table, words: str, now: datetime) -> str:
    phase = open_phase(table)
    if not words:
        raise BadInput(f"give the command in quotes, e.g. nightpost gm \"modkill Ann\". {_known(table)}")
    match words.split()[0].casefold():
        case "undo":
            return _undone(table, words, now)
        case "extend":
            return _extended(table, phase, words, now)
        case "replace":
            return replaced(table, words, now)
    trial = _Trial(table, phase, words, now, _usages(table, words))
    if (answering := {"pick": trial.picked, "answer": trial.answered}.get(words.split()[0].casefold())) is not None:
        return answering()
    said = trial.said()
    table.record.add_entry("command", words, now)
    return f"Noted: {ended(said)} The next tick goes by it."


def _usages(table: Table, words: str) -> list[str]:
    """How the command that `words` begin with is written, in every form. Raises BadInput, with the nearest one, for none."""
    known = {**COMMON, **{name: str(how) for name, how in table.settings.ruleset().facts.get("commands", {}).items()}}
    given = words.casefold().split()
    for length in (2, 1):  # `report order` before `report`
        if found := [how for name, how in known.items() if name.split()[:length] == given[:length]]:
            return found
    near = nearest(given[0], {name.split()[0]: name for name in known})
    meant = _forms([how for name, how in known.items() if name.split()[0] == near])
    hint = f"Did you mean `{near}`? Write {meant}." if near else _known(table)
    raise BadInput(f"there is no command `{given[0]}`. {hint} {NOTHING}")


def _forms(usages: Sequence[str]) -> str:
    """The forms with what they do, to read."""
    return " or ".join(f"`{form}` ({meaning})" for form, meaning in map(usage, usages))


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
    usages: Sequence[str]

    def said(self) -> str:
        """What the command does, in words. Raises BadInput where it does nothing."""
        match self.words.split()[0].casefold():
            case "vote":
                return self._vote(*self._of_a_player(r"vote (.+)", FOR))
            case "unvote":
                return self._unvote(*self._parts(r"unvote (.+)"))
            case "order":
                return self._order(*self._of_a_player(r"order (.+)", COLON))
        self._must_be_asked()
        outcome, id_ = self._played()
        refused = next((event for event in outcome.events if event.source == id_ and event.get("topic") == "refused"), None)
        if refused is not None:
            raise self._refused(str(refused.get("reason") or self._diagnosis()))
        return self.words

    def _refused(self, why: str) -> BadInput:
        return BadInput(f"`{self.words}` cannot be done: {ended(why)} {NOTHING}")

    def _diagnosis(self) -> str:
        """Why a command does nothing of which the ruleset says no more than that: the form, a name, or the moment."""
        written = [(form, found) for form in forms_of(self.usages) if (found := filled(form, self.words)) is not None]
        if not written:
            return f"write it as {_forms(self.usages)}"
        named = [found for form, found in written if not re.search(r"\b[MXYZ] [MXYZ]\b", form)]
        for slots in named:
            for slot, text in slots.items():
                if slot in PLAYERS and self.table.seats().called(text) is None and player_called(self.table.game(), text) is None:
                    return nobody(self.table.game(), text)
        return f"it is written as it should be, but does nothing in {self.phase.label} as things stand: {_forms(self.usages)}"

    def _must_be_asked(self) -> None:
        """A command that answers one question is refused where that question is not asked."""
        answering: Mapping[str, str] = self.table.settings.ruleset().facts.get("answering", {})
        asked = answering.get(self.words.casefold())
        if asked is not None and asked not in (event["question"] for event in self._asked()):
            raise self._not_open(asked)

    def _not_open(self, question: str) -> BadInput:
        return self._refused(f"the question `{question}` is not open now (`nightpost review` lists the open ones)")

    def _asked(self) -> list[Event]:
        """The questions that arise if the phase closes now, those that are answered already too."""
        inputs = self.table.inputs(self.phase)
        choices = self.table.choices(self.phase, waive=True)
        outcome = play(self.table.settings.ruleset(), self.table.state(), self.phase.label, inputs, choices)
        return [event for event in outcome.events if event.kind == "ask"]

    def _parts(self, form: str) -> Sequence[str]:
        found = re.fullmatch(form, self.words, re.IGNORECASE)
        if found is None:
            raise self._refused(f"write it as {_forms(self.usages)}")
        return found.groups()

    def _of_a_player(self, form: str, separator: str) -> tuple[str, str]:
        """The player named before `separator` and what stands behind it; where that is nobody, as it stands first."""
        (words,) = self._parts(form)
        ways = list(parted(words, separator))
        if not ways:
            raise self._refused(f"write it as {_forms(self.usages)}")
        return next((way for way in ways if player_called(self.table.game(), way[0]) is not None), ways[0])

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
        if outcome.count is None:
            raise self._refused(f"nothing is voted on in {self.phase.label}")
        own = [event for event in self._played(play)[0].events if event.source == id_]  # posts are read at the close
        asked = next((event for event in own if event.kind == "ask"), None)
        if asked is not None and not asked.get("answer"):
            raise self._refused(f"`{target}` fits {' and '.join(asked['choices'])}: write the whole name")
        meant = player_called(self.table.game(), target)
        if any(event.get("topic") == "unreadable" for event in own):
            why = nobody(self.table.game(), target) if meant is None else f"{meant} cannot be voted for by {player} now"
            raise self._refused(why)
        voted = next((one for one, voters in outcome.count["votes"].items() if player in voters), None)
        if voted is not None and voted == meant and outcome.count.get("posts", {}).get(player, id_) != id_:
            raise self._refused(f"{player} votes for {voted} already")
        if voted is None or outcome.count.get("posts", {player: id_}).get(player) != id_:
            raise self._refused(f"{player} does not vote in {self.phase.label}")
        return f"{player} votes for {voted}"

    def _unvote(self, name: str) -> str:
        player = self._player(name)
        before = self.table.play(close=False)
        if before.count is None or not any(player in voters for voters in before.count["votes"].values()):
            raise self._refused(f"{player} has no vote that stands")
        return f"{player}'s vote is taken back"

    def _order(self, name: str, text: str) -> str:
        player = self._player(name)
        outcome, id_ = self._played()
        why = order_refused(self.table, self.phase, OrderInput(id_, player, text), outcome)
        if why is not None:
            raise self._refused(why)
        return f"{player} orders: {text}"

    def picked(self) -> str:
        """Keep `pick X` as the answer to the first question that is open: it is none to another one that arises later."""
        (text,) = self._parts(r"pick (.+)")
        asked = [one for one in open_questions(self.table, self.now) if one.choices]
        if not asked:
            raise self._refused("no question with choices is open (`nightpost review` lists the open ones)")
        return self._kept(asked[0].question, asked[0].key, self._chosen(text, asked[0].choices))

    def answered(self) -> str:
        """Keep `answer QUESTION: CHOICE` as the answer to that question, called by its kind or its key, or how that begins.

        Of several of a kind it is the first that has no answer yet; those that arise later are not meant.
        """
        name, text = self._parts(r"answer (.+) ?: ?(.+)")
        asked = [event for event in self._asked() if f"{event['key']}:".startswith(f"{name.strip()}:")]
        if not asked:
            raise self._not_open(name.strip())
        still_open = {one.key for one in open_questions(self.table, self.now)}
        meant = next((event for event in asked if event["key"] in still_open), asked[0])
        return self._kept(meant["question"], meant["key"], self._chosen(text, meant["choices"]))

    def _kept(self, question: str, key: str, chosen: str) -> str:
        self.table.record.add_entry("answer", chosen, self.now, key=key)
        return f"Noted: {chosen} is the answer to `{question}`. The next tick goes by it."

    def _chosen(self, text: str, among: Sequence[str]) -> str:
        choices = {one.casefold(): one for one in among}
        if text.strip().casefold() not in choices:
            near = nearest(text, tuple(among))
            hint = f" (did you mean {near}?)" if near else ""
            raise self._refused(f"the choices are {', '.join(among)}{hint}")
        return choices[text.strip().casefold()]


def forms_of(usages: Sequence[str]) -> list[str]:
    """Every form that the lines of `[commands]` name: `inactive X, or inactive X actions to Y votes to Z` are two."""
    forms = []
    for form, _ in map(usage, usages):
        word = form.split()[0]
        forms += re.split(rf",\s*(?:or\s+)?(?={word}\b)", form)
    return forms


def filled(form: str, words: str) -> dict[str, str] | None:
    """What stands in the slots of a form (its words in capitals), None where `words` are not written so."""
    pattern = re.escape(form).replace(r"\ ", " ")
    pattern = re.sub(r"\\\[.*?\\\]", r"\\[?[\\d,\\s]+\\]?", pattern)
    pattern = re.sub(r"\b([A-Z]+(?: [A-Z]+)*)\b", lambda found: rf"(?P<{found[1].replace(' ', '_')}>.+?)", pattern)
    found = re.fullmatch(pattern, words, re.IGNORECASE)
    return None if found is None else found.groupdict()


def _undone(table: Table, words: str, now: datetime) -> str:
    phase = open_phase(table)
    entries = table.said(phase)
    if not entries:
        raise BadInput("there is nothing to undo: nothing was said in this phase, and what is resolved stands")
    last = entries[-1]
    if words.casefold() != "undo":
        raise BadInput(f"`undo` takes back what you said last, {_entry(last)}, and nothing else: write `undo` alone. {NOTHING}")
    with table.record.together():
        if last.kind == "replace":
            know_who_was_told(table, last.key)
        table.record.add_entry("undo", last.text, now, key=str(last.seq))
        if last.kind in ("extend", "deadline", "over"):
            move_deadline(table, phase, _deadline_before(table, phase, last))
        handed = take_back(table, last) if last.kind == "replace" else ""
    return f"Taken back: {ended(_entry(last))}{handed}"


def _deadline_before(table: Table, phase: PhaseRow, moved: Entry) -> datetime | None:
    """The deadline without that entry. What `extend` added is taken off again: the report may have been approved since."""
    before = datetime.fromisoformat(moved.key) if moved.key else None
    by = span(moved.text.partition(" ")[2]) if moved.kind == "extend" else None
    if before is None or by is None or phase.deadline is None:
        return before
    return phase.deadline - (table.settings.clock.later(before, by) - before)


def _entry(entry: Entry) -> str:
    """What the GM said, as it was said."""
    match entry.kind:
        case "replace":
            return f"replace {entry.key} with {entry.text}"
        case "answer":
            return f"the answer to {entry.key}: {entry.text or 'none of them'}"
    return entry.text


def _extended(table: Table, phase: PhaseRow, words: str, now: datetime) -> str:
    by = span(words.partition(" ")[2])
    if phase.deadline is None:
        raise BadInput(f"{phase.label} has no deadline: it ends with `nightpost resolve`. {NOTHING}")
    if by is None:
        raise BadInput(f"write how much longer, e.g. `extend 24h` or `extend 1d 12h`, not `{words}`. {NOTHING}")
    ends = table.settings.clock.later(phase.deadline, by)
    with table.record.together():
        table.record.add_entry("extend", words, now, key=phase.deadline.isoformat())
        move_deadline(table, phase, ends)
    past = "" if ends > now else " That is past already: extend it further if more is still to count."
    stands = f" The post that opened {phase.label} names the old end still: tell your players." if is_announced(table) else ""
    return f"{phase.label} now ends at {local(ends, table.settings.clock.timezone)}.{past}{stands}"
