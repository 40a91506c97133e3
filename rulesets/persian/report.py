"""The night report in four texts, of which exactly one is true (PER-REPORT).

Nothing may betray the true text (PER-REPORT-21), so the four are drawn to one plan, by which each is as likely to be true. In a
quiet night the true text must tell of no death, and of the statements of each other text exactly the false ones do, or tell
their number. A night with deaths is told in the same forms: one misleading text says that nobody died, and the other three
tell as much of deaths as the three misleading texts of a quiet night would, the true one in each of these parts equally often.
A misleading text lies about victims of its own, as many as there are real ones, and speaks of them as a true text would: it names
one player twice as often, and the number it gives fits as well. What the rules make impossible by itself (PER-REPORT-10) is drawn
again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, permutations
from random import Random
from typing import Any

from engine.choices import UnknownChoice
from rulesets.persian.cast import roles
from rulesets.persian.work import Town, last_night

LETTERS = "ABCD"
DEATHS = ("died", "died_as", "role_died")
PLANS, TRIES = 8, 40
"""How often a text's kinds are drawn, and how often its statements for each of them."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a text, of one of five kinds (PER-REPORT-06)."""

    says: str
    player: str | None = None
    role: str | None = None
    count: int | None = None

    def fields(self) -> dict[str, Any]:
        """What the event of the statement tells."""
        found = {"player": self.player, "role": self.role, "count": self.count}
        return {"says": self.says, **{key: value for key, value in found.items() if value is not None}}


@dataclass(frozen=True)
class Night:
    """What the report is about: who was alive, who died and as what, and what no text may say."""

    alive: tuple[str, ...]
    record: dict[str, str]
    roles: tuple[str, ...]
    hidden: dict[str, str]
    """The dead whose true role is hidden tonight (PER-REPORT-11)."""
    known: dict[str, set[str]]
    """The living → the roles no statement may join them with (PER-REPORT-12)."""
    leaving: frozenset[str]
    omitted: frozenset[str] = frozenset()
    minimum: int = 1
    forbidden_roles: frozenset[str] = field(default_factory=frozenset)

    def true(self, one: Statement) -> bool:
        """Whether it is so by the night's record (PER-REPORT-07)."""
        match one.says:
            case "died":
                return one.player in self.record
            case "died_as":
                return one.player in self.record and self.record[one.player] == one.role
            case "role_died":
                return one.role in self.record.values()
            case "count":
                return one.count == len(self.record)
        return one.player in self.alive and one.player not in self.record

    def allowed(self, one: Statement) -> bool:
        """Whether any text may say it (PER-REPORT-11 to -14, -16)."""
        if one.role is not None and one.role not in self.roles:
            return False
        if one.player is not None and one.player not in self.alive:
            return False
        match one.says:
            case "died":
                return one.player not in self.leaving
            case "died_as":
                if one.player in self.record:
                    return self.hidden.get(one.player) != one.role
                return one.player not in self.leaving and one.role not in self.known[one.player or ""]
            case "role_died":
                return one.role not in self.forbidden_roles
        return True

    def kept_silent(self, one: Statement) -> bool:
        """Whether the true text may not say it, since the GM leaves that death out (PER-REPORT-20)."""
        if one.player in self.omitted:
            return True
        others = {role for name, role in self.record.items() if name not in self.omitted}
        return bool(self.omitted) and one.says == "role_died" and one.role not in others

    def truths(self) -> list[Statement]:
        """All true statements that may be made."""
        found = [Statement("count", count=len(self.record))]
        found += [Statement("survived", name) for name in self.alive if name not in self.record]
        for name, role in self.record.items():
            found += [Statement("died", name), Statement("died_as", name, role), Statement("role_died", role=role)]
        return [one for one in dict.fromkeys(found) if self.allowed(one)]


Pools = dict[tuple[bool, str], list[Statement]]
"""What may be said tonight, by its truth and its kind."""


@dataclass(frozen=True, slots=True)
class Part:
    """A text's part in the plan.

    `told` is how many of its statements are on deaths and their number: with 0 it says that nobody died, None leaves it open.
    `victims` is how many players it speaks of as dead, `pools` what it may say.
    """

    told: int | None
    victims: int
    pools: Pools


def least_deaths(text: Sequence[Statement]) -> int:
    """How many players must have died for all of a text to be true."""
    named = {one.player: False for one in text if one.says in ("died", "died_as")}
    named |= {one.player: True for one in text if one.says == "died_as"}
    told = {one.role for one in text if one.says == "died_as"}
    more = {one.role for one in text if one.says == "role_died"} - told
    return len(named) + max(0, len(more) - sum(not with_role for with_role in named.values()))


def possible(text: Sequence[Statement], alive: int) -> bool:
    """Whether some night would make all of it true (PER-REPORT-10)."""
    named: dict[str, str | None] = {}
    survivors, counts = set(), set()
    for one in text:
        if one.says == "survived":
            survivors.add(one.player)
        elif one.says == "count":
            counts.add(one.count)
        elif one.player is not None:
            before = named.get(one.player)
            if before is not None and one.role is not None and before != one.role:
                return False
            named[one.player] = one.role or before
    if survivors & set(named) or len(counts) > 1:
        return False
    least = least_deaths(text)
    most = alive - len(survivors)
    return least <= most and all(count is not None and least <= count <= most for count in counts)


def night_of(town: Town) -> Night:
    """The night that has just been resolved."""
    state = town.state
    died = [death.player for death in state.deaths if death.phase == town.name]
    record = {name: state.shown[name] for name in state.game.names if name in died}
    true_roles = {event["player"]: event["true_role"] for event in town.events if event.get("topic") == "death_record"}
    hidden = {name: role for name, role in true_roles.items() if role != record.get(name)}
    listed = state.option("report_roles") or [role for role in roles() if role != "devotee"]
    known, dealt = {}, {seat.name: str(seat.given["role"]) for seat in state.game.seats}
    for name in town.present:
        worn = {act.role for act in town.clothes.get(name, {}).values()} | set(state.dressed.get(name, {}).values())
        known[name] = {state.role(name), dealt[name], *worn, *(state.played[name][:1] if name in state.played else ())}
        known[name] |= {"innocent"} if state.role(name) == "devotee" else set()
        known[name] |= {state.taken[name]} if name in state.taken else set()
    leaving = {name for name in town.present if town.number == last_night() and state.semi_minor(name) and name not in record}
    return Night(
        town.present, record, tuple(role for role in listed if role != "devotee"), hidden, known, frozenset(leaving),
        frozenset(name for name in town.omitted if name in record), int(state.option("report_true_minimum")),
        frozenset(role for role in hidden.values() if role not in record.values()),
    )  # fmt: skip


def compose(town: Town) -> None:
    """Write the four texts of the night.  PER-REPORT-02 to -04 -18 -19 -22"""
    state, night = town.state, night_of(town)
    wrong = list(state.option("false_counts"))
    orders = sorted(set(permutations([0, *wrong])))
    counts = town.report_order or list(_order(town, [list(one) for one in orders]))
    size = _size(night, int(state.option("statements_per_text")), max(wrong))
    head: dict[str, Any] = {"night": town.number, "texts": 4, "true_texts": 1}
    if state.option("false_counts_published") != "none":
        head["false_counts"] = sorted(counts)
    town.announce("night_report", "PER-REPORT-02 PER-REPORT-18", **head)
    texts: list[tuple[Statement, ...]] = []
    parts = _parts(_dice(town, "night_report_statements"), night, counts, size)
    for letter, false in zip(LETTERS, counts, strict=True):
        texts.append(_text(town, night, parts[letter], letter, size, false, texts))
    for letter, false, text in zip(LETTERS, counts, texts, strict=True):
        if state.option("false_counts_published") == "per_text":
            town.announce("night_report", "PER-REPORT-05", text=letter, false_statements=false)
        for number, one in enumerate(text, 1):
            town.announce("night_report", "PER-REPORT-18", text=letter, number=number, **one.fields())
        came = sum(not night.true(one) for one in text)
        town.notice(
            "gm", "report_key", "PER-REPORT-19", text=letter, false_statements=came, true_statements=len(text) - came
        )  # fmt: skip
    for broken in violations(night, texts, counts, size):
        town.notice("gm", "report_warning", "PER-REPORT-20", text=broken)


def warn_of_evident_truth(town: Town) -> None:
    """With a number at each text the true one is evident; the GM is told when the game is set up.  PER-REPORT-05"""
    if town.state.option("night_report") and town.state.option("false_counts_published") == "per_text":
        town.notice(
            "gm", "report_warning", "PER-REPORT-05", text="false_counts_published = per_text shows which text is the true one"
        )


def _order(town: Town, orders: list[list[int]]) -> list[int]:
    chosen: list[int] = town.draw("night_report_order", orders, "PER-REPORT-04")
    return chosen


def _dice(town: Town, name: str) -> Random:
    return Random(hashlib.sha256(f"{town.choices.seed}\0{town.name}\0{name}".encode()).digest())


def _parts(dice: Random, night: Night, counts: Sequence[int], size: int) -> dict[str, Part]:
    """The part of each text, and whom its lies are about."""
    told = _told_by(dice, night, dict(zip(LETTERS, counts, strict=True)), size)
    victims = len(night.record) or dice.choice((1, 1, 2))
    others = sorted(name for name in night.alive if name not in night.record and name not in night.leaving)
    dice.shuffle(others)
    chosen = {letter: others[place::4][:victims] for place, letter in enumerate(LETTERS)}
    pools = _pools(night, {*night.record, *chain(*chosen.values())})
    spoken_of = [one for one in pools[True, "survived"] if any(one.player in names for names in chosen.values())]
    often = len(pools[True, "survived"]) // max(1, len(spoken_of))
    pools[True, "survived"] += spoken_of * often  # whom another text calls dead is called alive as often as a real victim is
    return {
        letter: Part(told.get(letter), victims, _about(dice, night, pools, chosen[letter]) if false else _told(night, pools))
        for letter, false in zip(LETTERS, counts, strict=True)
    }


def _told_by(dice: Random, night: Night, false: Mapping[str, int], size: int) -> Mapping[str, int]:
    """Text → how many of its statements are on deaths; of the texts that can be so only, else empty."""
    if not night.record:
        return {letter: min(number, size) for letter, number in false.items()}
    dead, wrong = len(night.record), [number for number in false.values() if number]
    true = next(letter for letter, number in false.items() if not number)

    def can(letter: str, told: int) -> bool:
        if letter == true:
            return told >= min(max(1, night.minimum), 3, size)
        return false[letter] <= told + min(size - told, dead)

    plans = []
    for nobody in false:
        if nobody != true and can(nobody, 1):
            rest = [letter for letter in false if letter != nobody]
            for order in sorted(set(permutations(min(number, size) for number in wrong))):
                plan = dict(zip(rest, order, strict=True))
                if all(can(letter, told) for letter, told in plan.items()):
                    plans.append({nobody: 0, **plan})
    places = [number for number in wrong if any(plan[true] == min(number, size) for plan in plans)]
    if not places:
        return {}
    place = min(dice.choice(places), size)
    return dice.choice([plan for plan in plans if plan[true] == place])


def _about(dice: Random, night: Night, pools: Pools, victims: Sequence[str]) -> Pools:
    """The same with lies about these players only, each with one role, and about these roles."""
    roles_of: dict[str, str | None] = {}
    for player in victims:
        free = [one.role for one in pools[False, "died_as"] if one.player == player and one.role not in roles_of.values()]
        roles_of[player] = dice.choice(free) if free else None
    given = set(roles_of.values())
    kept = {
        "died": [one for one in pools[False, "died"] if one.player in roles_of],
        "died_as": [
            one for one in pools[False, "died_as"]
            if one.role in given and (one.player in night.record or roles_of.get(one.player or "") == one.role)
        ],
        "role_died": [one for one in pools[False, "role_died"] if one.role in given],
    }  # fmt: skip
    return {**pools, **{(False, kind): said for kind, said in kept.items() if said}}


def _size(night: Night, wanted: int, largest: int) -> int:
    """How many statements each text has: fewer in a night with few truths.  PER-REPORT-08"""
    truths = [one for one in night.truths() if not night.kept_silent(one)]
    return max(min(wanted, len(truths) - 1), largest)


def _text(
    town: Town, night: Night, part: Part, letter: str, size: int, false: int, before: Sequence[tuple[Statement, ...]]
) -> tuple[Statement, ...]:  # fmt: skip
    """A text with that many false statements, by the dice that its letter names.  PER-REPORT-21"""
    name = f"night_report_statements:{letter}"
    if name in town.choices.pins:
        text = _pinned(town, night, name, size, false, before)
    else:
        text = draw_text(_dice(town, name), night, part, size, false, before)
    shown = [one.fields() for one in text]
    town.emit("draw", "gm", "PER-REPORT-21", name=name, among=[shown], chosen=shown)
    return text


def _pinned(
    town: Town, night: Night, name: str, size: int, false: int, before: Sequence[tuple[Statement, ...]]
) -> tuple[Statement, ...]:
    given = town.choices.pins[name]
    try:
        text = tuple(Statement(**row) for row in given)
    except TypeError:
        raise UnknownChoice(name, given, ["a list of statements such as {says: died, player: Ali}"]) from None
    if not fits(night, text, size, false, before):
        raise UnknownChoice(
            name, given, [f"{size} different statements of which {false} are false and that may be made together"]
        )
    return text


def fits(
    night: Night, text: Sequence[Statement], size: int, false: int, before: Sequence[tuple[Statement, ...]]
) -> bool:  # fmt: skip
    """Whether a text keeps PER-REPORT-04 and -08 to -16."""
    if len(set(text)) != size or len(text) != size or not all(map(night.allowed, text)):
        return False
    if sum(not night.true(one) for one in text) != false or any(set(text) == set(other) for other in before):
        return False
    if false == 0:
        deaths = sum(one.says in DEATHS for one in text)
        there = sum(one.says in DEATHS and not night.kept_silent(one) for one in night.truths())
        if any(map(night.kept_silent, text)) or deaths < min(night.minimum, there, size):
            return False
    return possible(text, len(night.alive))


def draw_text(
    dice: Random, night: Night, part: Part, size: int, false: int, before: Sequence[tuple[Statement, ...]]
) -> tuple[Statement, ...]:  # fmt: skip
    """A text by these dice: its shape, what a true text of that shape is like, which statements are false, what they say."""
    shapes, pools, spare = _shapes(night, part.told, size, false), part.pools, None
    if part.told is not None:
        for key in [key for key in pools if key[1] == "count"]:
            pools = {**pools, key: [one for one in pools[key] if (one.count == 0) == (part.told == 0)]}
    for _ in range(PLANS if shapes else 0):
        kinds = _kinds(dice, dice.choice(shapes))
        wanted = _likeness(_imagined(dice, kinds, part.victims if part.told != 0 else 0))
        for _ in range(TRIES):
            text = _filled(dice, kinds, pools, false)
            if text is not None and fits(night, text, size, false, before):
                if _likeness(text) == wanted:
                    dice.shuffle(text)
                    return tuple(text)
                spare = spare or text
    if spare is not None:
        dice.shuffle(spare)
        return tuple(spare)
    return _any_text(dice, night, _pools(night, night.alive) if false else part.pools, size, false, before)


def _shapes(night: Night, told: int | None, size: int, false: int) -> list[tuple[int, int, int]]:
    """How many statements on deaths, on the count and on survivors a text may have, all equally likely.

    By the plan a number stands beside two deaths or more only: with one, and right about it, no text could be false three times.
    """
    if told == 0:
        return [(0, 1, size - 1)]
    least = 1 if false or not night.record else min(max(1, night.minimum), 3, size)
    return [
        (deaths, count, size - deaths - count)
        for deaths in range(least, min(3, size) + 1) for count in (0, 1)
        if size >= deaths + count and (told is None or (told == deaths + count and count < deaths))
    ]  # fmt: skip


def _kinds(dice: Random, shape: tuple[int, int, int]) -> list[str]:
    deaths, count, survived = shape
    return [*dice.sample(DEATHS, deaths), *["count"] * count, *["survived"] * survived]


def _imagined(dice: Random, kinds: Sequence[str], victims: int) -> list[Statement]:
    """What a true text of these kinds could say in a night with so many victims."""
    found = []
    for kind in kinds:
        if kind == "count":
            found.append(Statement(kind, count=victims))
        elif kind in DEATHS:
            one = str(dice.randrange(victims))
            found.append(Statement(kind, None if kind == "role_died" else one, None if kind == "died" else one))
    return found


def _likeness(text: Sequence[Statement]) -> tuple[int, bool]:
    """What a reader could compare: how many dead a text needs, and whether it counts more than these."""
    least = least_deaths(text)
    return least, any(one.says == "count" and one.count is not None and one.count > least for one in text)


def _filled(dice: Random, kinds: Sequence[str], pools: Pools, false: int) -> list[Statement] | None:
    """Statements of these kinds, so many of them false; None where one cannot be made."""
    lies = set(dice.sample(range(len(kinds)), false))
    text: list[Statement] = []
    for place, kind in enumerate(kinds):
        left = [one for one in pools[place not in lies, kind] if one not in text]
        if not left:
            return None
        text.append(dice.choice(left))
    return text


def _pools(night: Night, dead: Collection[str]) -> Pools:
    """What may be said, by truth and kind; with which role somebody died only of these players."""
    pools: Pools = {(truth, kind): [] for truth in (True, False) for kind in (*DEATHS, "count", "survived")}
    for one in _everything(night, dead):
        if night.allowed(one):
            pools[night.true(one), one.says].append(one)
    return pools


def _told(night: Night, pools: Pools) -> Pools:
    """Without what the true text keeps silent about (PER-REPORT-20)."""
    return {key: [one for one in pool if not night.kept_silent(one)] for key, pool in pools.items() if key[0]}


def _everything(night: Night, dead: Collection[str]) -> Iterator[Statement]:
    for name in night.alive:
        yield Statement("died", name)
        yield Statement("survived", name)
        if name in dead:
            yield from (Statement("died_as", name, role) for role in night.roles)
    yield from (Statement("role_died", role=role) for role in night.roles)
    yield from (Statement("count", count=number) for number in range(min(len(night.alive), len(night.record) + 4) + 1))


def _any_text(
    dice: Random, night: Night, pools: Pools, size: int, false: int,
    before: Sequence[tuple[Statement, ...]],
) -> tuple[Statement, ...]:  # fmt: skip
    """The first text that fits in a search through all statements; where none does, the GM is warned of what does not hold."""
    truths = [one for (truth, _), pool in pools.items() if truth for one in pool]
    lies = [one for (truth, _), pool in pools.items() if not truth for one in pool]
    dice.shuffle(truths)
    dice.shuffle(lies)
    best: tuple[Statement, ...] = (*lies[:false], *truths[: size - false])
    for _ in range(2000):
        text = (*dice.sample(lies, min(false, len(lies))), *dice.sample(truths, min(size - false, len(truths))))
        if fits(night, text, size, false, before):
            return text
    return best


def violations(night: Night, texts: Sequence[tuple[Statement, ...]], counts: Sequence[int], size: int) -> list[str]:
    """What of PER-REPORT-02 to -16 does not hold, in words for the GM."""
    found = []
    for number, (letter, text, false) in enumerate(zip(LETTERS, texts, counts, strict=True)):
        if not fits(night, text, size, false, texts[:number]):
            found.append(f"text {letter} does not keep the rules of the night report: look it over before it goes out")
    return found
