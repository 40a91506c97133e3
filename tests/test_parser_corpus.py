"""The corpus: each file of tests/posts is a post, a name or a message, and what must be read of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from parser.declarations import stretches
from parser.names import Ambiguous, Found, Match, Person, Roster
from parser.orders import AmbiguousOrder, Language, Phrase, Reading, ReadOrder
from parser.votelines import VoteLine, settle, vote_lines

POSTS = sorted((Path(__file__).parent / "posts").glob("*.yaml"))
PLAYERS = ["Anna", "Bert", "Cleo", "Devoted"]
PHRASES = [
    Phrase("murder", "murder {player}"), Phrase("shadow", "shadow {player}"), Phrase("care", "care {player}"),
    Phrase("put_down", "put_down {player}"), Phrase("bolt_door", "bolt_door"),
    Phrase("hypnotise", "hypnotise {player} to {player}"),
    Phrase("suitcase", "give (the) suitcase to {player}, else {player}"), Phrase("pass", "pass {player...}"),
    Phrase("will", "will: {text}"), Phrase("shoot", "شلیک به {player}"), Phrase("withdraw", "withdraw {act}"),
    Phrase("first", "stab {player}"), Phrase("second", "stab {player}"),
]  # fmt: skip


def roster(case: dict[str, Any]) -> Roster:
    aliases = case.get("aliases", {})
    dead = case.get("dead", [])
    return Roster(Person(name, tuple(aliases.get(name, ())), name not in dead) for name in case.get("players", PLAYERS))


def named(match: Match) -> str:
    match match:
        case Found(name):
            return name
        case Ambiguous(candidates):
            return "ask " + ", ".join(candidates)
    return "nobody"


def voted(line: VoteLine, known: Roster) -> str:
    settled = settle(line, known)
    kind = "ask" if settled.kind == "ambiguous" else settled.kind
    return " ".join(filter(None, ["spoiler" if line.spoiler else "", kind, settled.name, *settled.candidates]))


def votes(case: dict[str, Any], **how: bool) -> list[str]:
    read = [voted(line, roster(case)) for line in vote_lines(case["post"], **how)]
    return [one for one in read if one != "nothing"]


def ordered(reading: Reading) -> str:
    match reading:
        case ReadOrder(id_, values):
            return " ".join([id_, *values])
        case AmbiguousOrder(_, _, candidates):
            return " ".join(["ask", *candidates])
    return f"unreadable {reading.reason}: {reading.text if reading.reason == 'chatter' else reading.nearest}"


@pytest.mark.parametrize("path", POSTS, ids=lambda path: path.stem)
def test_reads_as_the_file_says(path: Path) -> None:
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    known = roster(case)
    checked = 0
    for key, how in (("votes", {}), ("alone", {"bold_name_alone": True}), ("loud", {"loud": True})):
        if key in case:
            assert votes(case, **how) == case[key], key
            checked += 1
    if "declared" in case:
        read = [f"{'spoiler ' if one.spoiler else ''}{one.colour} {one.text}" for one in stretches(case["post"])]
        assert read == case["declared"]
        checked += 1
    for text, who in case.get("names", {}).items():
        assert named(known.match(text, prefer=case.get("prefer"))) == who, text
        checked += 1
    if "orders" in case:
        slots = {"player": known.match, "act": lambda text: Found(text)}
        names = case.get("players", PLAYERS)
        read = [ordered(one) for one in Language(PHRASES).message(case["message"], slots, names=names)]
        wanted = case["orders"]
        assert len(read) == len(wanted), read
        for one, want in zip(read, wanted, strict=True):
            assert one == want or (want.startswith("unreadable") and one.startswith(want))
        checked += 1
    assert checked


def test_corpus_is_there() -> None:
    assert len(POSTS) >= 80
