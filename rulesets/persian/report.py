"""The night report in four texts, of which exactly one is true: what the GM may set of it, and its events (PER-REPORT)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from random import Random
from typing import Any

from engine.choices import UnknownChoice
from rulesets.persian.cast import PerState, facts, roles
from rulesets.persian.statements import Night, Statement, fits, stated
from rulesets.persian.stories import four_texts
from rulesets.persian.work import Town, last_night

LETTERS = "ABCD"


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
        {name: role for name, role in dealt.items() if roles()[role].semi_minor},
        _likely(state, listed),
    )  # fmt: skip


def _likely(state: PerState, listed: Sequence[str]) -> dict[str, float]:
    """How likely a death with each role is by what everybody knows: the rules, the deck, whom the days have shown.

    What roles were dealt has no part in it, or the lies of many nights would tell. The semi-minor ones are known by name.
    """
    deck = Counter(facts()["deck"][: len(state.game.names)])
    shown = {role for name, role in state.shown.items() if name in state.publicly_gone}
    found = {}
    for role in listed:
        if not roles()[role].semi_minor:
            rare = role in facts()["hard_to_kill"] or (role in shown and deck[role] < 2)
            found[role] = (deck[role] or 0.5) * (0.2 if rare else 1)
    return found


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
    given = _pinned(town, night, size, counts)
    texts = four_texts(_dice(town), night, counts, size, given)
    for letter, text in zip(LETTERS, texts, strict=True):
        shown = [one.fields() for one in text]
        town.emit("draw", "gm", "PER-REPORT-21", name=f"night_report_statements:{letter}", among=[shown], chosen=shown)
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


def _dice(town: Town) -> Random:
    return Random(hashlib.sha256(f"{town.choices.seed}\0{town.name}\0night_report_statements".encode()).digest())


def _size(night: Night, wanted: int, largest: int) -> int:
    """How many statements each text has: fewer in a night with few truths.  PER-REPORT-08"""
    truths = [one for one in night.truths() if not night.kept_silent(one)]
    return max(min(wanted, len(truths) - 1), largest)


def _pinned(town: Town, night: Night, size: int, counts: Sequence[int]) -> dict[int, tuple[Statement, ...]]:
    """The texts that were given beforehand, by their places.  PER-REPORT-24"""
    found: dict[int, tuple[Statement, ...]] = {}
    for place, letter in enumerate(LETTERS):
        name = f"night_report_statements:{letter}"
        if name not in town.choices.pins:
            continue
        given = town.choices.pins[name]
        read = [stated(row) for row in given] if isinstance(given, list | tuple) else [None]
        text = tuple(one for one in read if one is not None)
        if len(text) != len(read):
            raise UnknownChoice(name, given, ["a list of statements such as {says: died, player: Ali}"])
        if not fits(night, text, size, counts[place], list(found.values())):
            raise UnknownChoice(
                name, given, [f"{size} different statements of which {counts[place]} are false and that may be made together"]
            )
        found[place] = text
    return found


def violations(night: Night, texts: Sequence[tuple[Statement, ...]], counts: Sequence[int], size: int) -> list[str]:
    """What of PER-REPORT-02 to -16 does not hold, in words for the GM."""
    found = []
    for number, (letter, text, false) in enumerate(zip(LETTERS, texts, counts, strict=True)):
        if not fits(night, text, size, false, texts[:number]):
            found.append(f"text {letter} does not keep the rules of the night report: look it over before it goes out")
    return found
