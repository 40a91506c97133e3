"""A night report that the GM has reworded, read back: does each statement say what it said, do the rules hold (PER-REPORT-20)?

The texts are found by their titles, the statements by the wordings of `words.toml`, in both languages. What cannot be read
so is shown to the GM, who alone can say whether it is true.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from engine.posts import Closed
from parser.markup import runs
from parser.normal import fold
from rulesets.persian.cast import PerState, roles
from rulesets.persian.statements import DEATHS, Night, Statement, possible
from rulesets.persian.work import last_night

_PERSIAN_NUMBERS = ("صفر", "یک", "دو", "سه", "چهار", "پنج", "شش", "هفت", "هشت", "نه", "ده")
_ENGLISH_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MARKS = re.compile("[\u200f\u2060\u2066-\u2069\ufe0e]")
_ESCAPED = re.compile(r"\\(?=[^\w\s]|_)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text: as it stands there, and the statement it makes, None where it can't be read as one."""

    text: str
    statement: Statement | None


Texts = dict[tuple[str, str], list[Line]]
"""(Language, letter) → the lines of that text, in order."""


def check(before: str, after: str, closed: Closed, words: Mapping[str, Any]) -> list[str]:
    """What the GM should look at after changing `before` to `after`, a sentence each; nothing where there is no night report."""
    night = night_told(closed)
    if night is None:
        return []
    composed = _composed(closed)
    names, size = closed.before.game.names, max(map(len, composed.values()), default=0)
    old, new = (_texts(before, body, names, size, words) for body in (before, after))
    assert isinstance(closed.after, PerState)
    codes = {"fa": ("fa",), "en": ("en",), "both": ("fa", "en")}[closed.after.option("language")]
    as_made: Texts = {(code, letter): lines for code in codes for letter, lines in composed.items()}
    known = set(_broken(night, as_made, closed))
    found = [*_changed(night, as_made, old, new, words), *(one for one in _broken(night, new, closed) if one not in known)]
    return list(dict.fromkeys(found))


def _composed(closed: Closed) -> dict[str, list[Line]]:
    """The texts as they were composed, by letter."""
    found: dict[str, list[Line]] = {}
    for event in closed.events:
        if event.get("topic") == "night_report" and "says" in event.data:
            one = Statement(event["says"], event.get("player"), event.get("role"), event.get("count"))
            found.setdefault(event["text"], []).append(Line("", one))
    return found


def night_told(closed: Closed) -> Night | None:
    """The night as its report must take it, from what the GM knows; None where the phase had no report.  PER-REPORT-07"""
    if not any(event.get("topic") == "night_report" for event in closed.events):
        return None
    before, after = closed.before, closed.after
    assert isinstance(before, PerState)
    assert isinstance(after, PerState)
    alive = tuple(before.present())
    dead = [event for event in closed.events if event.kind == "notice" and event.get("topic") == "death_record"]
    record = {event["player"]: event["role"] for event in dead}
    hidden = {event["player"]: event["true_role"] for event in dead if event["true_role"] != event["role"]}
    listed = after.option("report_roles") or list(roles())
    known = {
        name: {
            before.role(name), after.role(name), *after.dressed.get(name, {}).values(), *after.played.get(name, ())[:1],
            *({after.taken[name]} if name in after.taken else ()),
        }
        for name in alive
    }  # fmt: skip
    for name in alive:
        known[name] |= {"innocent"} if before.role(name) == "devotee" else set()
    ends = closed.events[0].phase == f"night {last_night()}" if closed.events else False
    leaving = {name for name in alive if ends and before.semi_minor(name) and name not in record}
    return Night(
        alive, record, tuple(role for role in listed if role != "devotee"), hidden, known, frozenset(leaving),
        minimum=int(after.option("report_true_minimum")),
        forbidden_roles=frozenset(role for role in hidden.values() if role not in record.values()),
    )  # fmt: skip


# Reading the texts back


def _plain(body: str) -> Iterator[tuple[str, str]]:
    """The lines of a draft without markup and invisible marks: folded for comparing, and as they stand there."""
    shown = "".join(run.text for run in runs(re.sub(r"</?[a-z][^<>]*>", "", body)))
    for line in html.unescape(shown).splitlines():
        text = _MARKS.sub("", _ESCAPED.sub("", line).replace("**", "")).strip()
        yield fold(text), text


def _texts(draft: str, body: str, names: Sequence[str], size: int, words: Mapping[str, Any]) -> Texts:
    """The lines under each title of a text, up to what else stood in the `draft`, whose texts had `size` statements each."""
    titles = {fold(title): (code, letter) for code, row in words["texts"].items() for letter, title in row.items()}

    def title_of(line: str) -> tuple[str, str] | None:
        return next((key for title, key in titles.items() if line == title or line.startswith(f"{title} (")), None)

    around = _around([line for line, _ in _plain(draft) if line], title_of, size)
    patterns = _patterns(tuple(names), _frozen(words["statements"]))
    found: Texts = {}
    at: tuple[str, str] | None = None
    for line, shown in _plain(body):
        if (title := title_of(line)) is not None:
            at = title
            found[at] = []
        elif line in around:
            at = None
        elif at is not None and line:
            found[at].append(Line(shown, _read(line, patterns)))
    return found


def _around(lines: Sequence[str], title_of: Callable[[str], tuple[str, str] | None], size: int) -> set[str]:
    """The lines of a draft that belong to none of its texts: those before the first title, and behind so many statements."""
    found: set[str] = set()
    seen = size
    for line in lines:
        seen = 0 if title_of(line) is not None else seen + 1
        if seen > size:
            found.add(line)
    return found


@dataclass(frozen=True, slots=True)
class Patterns:
    """How statements read: each wording with its kind, and players and roles by how they read when folded."""

    forms: tuple[tuple[str, re.Pattern[str]], ...]
    players: Mapping[str, str]
    roles: Mapping[str, str]


def _frozen(statements: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[tuple[str, str], ...]:
    return tuple((kind, form) for kinds in statements.values() for kind, forms in kinds.items() for form in forms)


@cache
def _patterns(names: tuple[str, ...], forms: tuple[tuple[str, str], ...]) -> Patterns:
    """The wordings as patterns, for these players."""
    players = {fold(name): name for name in names}
    shown = {fold(word): role.id for role in roles().values() for word in (role.persian, role.english)}
    numbers = "|".join((r"\d+", *_PERSIAN_NUMBERS, *_ENGLISH_NUMBERS))

    def any_of(words: Mapping[str, str]) -> str:
        return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))

    slots = {"player": f"(?P<player>{any_of(players)})", "role": f"(?P<role>{any_of(shown)})", "count": f"(?P<count>{numbers})"}
    made = []
    for kind, form in forms:
        pieces = re.split(r"\{(\w+)\}", form.rstrip("."))
        text = "".join(slots[piece] if at % 2 else _spaced(piece) for at, piece in enumerate(pieces))
        made.append((kind, re.compile(rf"\W*{text}\s*[.!]?\W*")))
    return Patterns(tuple(made), players, shown)


def _spaced(piece: str) -> str:
    """Fixed words of a wording, folded; the blanks at its ends stay."""
    inner = re.escape(fold(piece))
    return (" " if piece[:1] == " " else "") + inner + (" " if piece[-1:] == " " and piece.strip() else "")


def _read(line: str, patterns: Patterns) -> Statement | None:
    """The statement that a line makes by one of the wordings."""
    for kind, pattern in patterns.forms:
        if found := pattern.fullmatch(line):
            given = found.groupdict()
            player, role = patterns.players.get(given.get("player") or ""), patterns.roles.get(given.get("role") or "")
            if kind.startswith("count"):
                return Statement("count", count=_number(given.get("count")) if kind == "count_many" else int(kind == "count_one"))
            return Statement(kind, player, role)
    return None


def _number(text: str | None) -> int | None:
    for words in (_PERSIAN_NUMBERS, _ENGLISH_NUMBERS):
        if text in words:
            return words.index(text)
    return int(text) if text and text.isdecimal() else None


# What does not hold


def _changed(night: Night, composed: Texts, old: Texts, new: Texts, words: Mapping[str, Any]) -> Iterator[str]:
    """Texts that are gone, lines that cannot be read, and statements that are not as true as the one composed in their place."""
    for (code, letter), lines in composed.items():
        title = words["texts"][code][letter]
        if (code, letter) not in new:
            yield f"no text with the title “{title}” was found, so its statements could not be read (PER-REPORT-02)"
            continue
        now, seen = new[code, letter], {line.text for line in old.get((code, letter), ())}
        if len(now) != len(lines):
            yield f"{title}: it has {len(now)} statements and not {len(lines)} (PER-REPORT-08)"
        same = {line.statement for line in now} == {line.statement for line in lines}  # in another order, perhaps
        for number, is_ in enumerate(now, 1):
            line, had = f"{title}, line {number}: “{is_.text}”", lines[number - 1] if number <= len(lines) else None
            if is_.statement is None:
                if is_.text not in seen:
                    yield f"{line} cannot be read as a statement; " + (
                        f"look whether it is still {_truth(night, had)}" if had else "it is one too many"
                    )
            elif had is not None and not same and _truth(night, is_) != _truth(night, had):
                yield f"{line} is {_truth(night, is_)}; the statement before was {_truth(night, had)}"


def _truth(night: Night, line: Line) -> str:
    assert line.statement is not None
    return "true" if night.true(line.statement) else "false"


def _broken(night: Night, texts: Texts, closed: Closed) -> Iterator[str]:
    """The rules of the report that the texts do not keep, as far as they could be read."""
    wanted = {event["text"]: event["false_statements"] for event in closed.events if event.get("topic") == "report_key"}
    for code in dict.fromkeys(code for code, _ in texts):
        read = {
            letter: [line.statement for line in lines if line.statement is not None]
            for (in_, letter), lines in texts.items() if in_ == code
        }  # fmt: skip
        whole = {letter for (in_, letter), lines in texts.items() if in_ == code and all(line.statement for line in lines)}
        for letter, said in read.items():
            yield from (f"text {letter}: {what}" for what in _of_text(night, said, wanted.get(letter), whole=letter in whole))
        for one, other in combinations(sorted(whole), 2):
            if set(read[one]) == set(read[other]):
                yield f"texts {one} and {other} say the same (PER-REPORT-08)"
    for letter in dict.fromkeys(letter for _, letter in texts):
        said_in = [[line.statement for line in texts[code, letter]] for code in ("fa", "en") if (code, letter) in texts]
        if len(said_in) == 2 and None not in (*said_in[0], *said_in[1]) and said_in[0] != said_in[1]:
            yield f"text {letter} does not say the same in both languages"


def _of_text(night: Night, said: Sequence[Statement], wanted: int | None, *, whole: bool) -> Iterator[str]:
    """What one text does not keep of PER-REPORT-03 to -16."""
    if len(set(said)) != len(said):
        yield "it says something twice (PER-REPORT-08)"
    for one in dict.fromkeys(said):
        if not night.allowed(one):
            yield f"it says what no text may say: {_told(one)} (PER-REPORT-11 to -16)"
    if not possible(said, len(night.alive)):
        yield "its statements cannot all be true together, so it betrays itself (PER-REPORT-10)"
    false = sum(not night.true(one) for one in said)
    if whole and wanted is not None and false != wanted:
        kind = "the true text" if wanted == 0 else "a misleading text"
        yield f"it is {kind} with {wanted} false statements and now has {false} (PER-REPORT-03, PER-REPORT-04)"
    if whole and wanted == 0:
        there = sum(one.says in DEATHS for one in night.truths())
        if sum(one.says in DEATHS for one in said) < min(night.minimum, there, len(said)):
            yield "the true text tells too few deaths (PER-REPORT-09)"


def _told(one: Statement) -> str:
    """A statement in short, for the GM."""
    facts = " ".join(str(fact) for fact in (one.player, one.role, one.count) if fact is not None)
    return f"{one.says} {facts}"
