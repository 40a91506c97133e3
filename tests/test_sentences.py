"""Events as sentences: a GM can read aloud why somebody died, and nothing internal is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from desk.sentences import told, told_of
from engine.events import Event, Visibility
from rehearsal.run import rehearse

SCENARIOS = Path(__file__).parent / "scenarios"
FILES = sorted(file for folder in SCENARIOS.iterdir() for file in sorted(folder.rglob("*.yaml"))[::12])


def event(kind: str, visibility: Visibility = "public", why: str = "", secret: tuple[str, ...] = (), **data: Any) -> Event:
    return Event(kind, "night 1", visibility, tuple(why.split()), data, secret)


DEED: dict[str, Any] = {"actor": "PT", "action": "cross_examine", "group": "x", "targets": ["Bo"], "final": ["Bo"], "fate": "done", "spent": False}
SAID = [
    (event("deed", "gm", "A-1 A-2", **DEED, place=None), "[GM] PT used cross examine on Bo: done.  (A-1, A-2)"),
    (event("deed", "gm", **DEED | {"final": ["Cy"], "fate": "blocked"}), "[GM] PT used cross examine on Bo, which came to Cy in the end: blocked."),
    (event("deed", "gm", **DEED | {"action": "vote"}), "[GM] PT voted for Bo: done."),
    (event("deed", "gm", **DEED, question="Bo\x1fheal\x1fCy\x1f\x00"), "[GM] PT used cross examine on Bo: done (question: Bo heal Cy)."),
    (
        event("draw", "gm", name="night_order:Bo", among=[[0, 1], [1, 0]], chosen=[1, 0]),
        "[GM] The dice for night order (Bo) chose 1, 0, one of 2 possible.",
    ),
    (
        event("death", secret=("by",), player="boris_77", cause=["murder", "run_through"], by=["Bo"], reveal="ultimate_nurse"),
        "[everyone] boris_77 is dead: murder and run through, by Bo, and was ultimate nurse. Only you see this: by whom.",
    ),
    (event("death", player="Bo", cause="lynch", by=[], reveal=None), "[everyone] Bo is dead: lynch."),
    (event("condition", "gm", player="Bo", condition="at_gym", on=True, until="day 2"), "[GM] Bo is now: at gym, until day 2."),
    (event("condition", "gm", player="Bo", condition="at_gym", on=False), "[GM] Bo is no longer: at gym."),
    (event("result", "private", to="Bo", action="spy", value="invalid", reason="no_uses"), "[Bo] Bo's order spy does not count: no uses."),
    (event("result", "private", to="Bo", action="spy", value=[], target="Cy"), "[Bo] Bo learns of spy on Cy: none."),
    (
        event("notice", "private", to="Bo", topic="order_rejected", action="kill", reason="kill_cycle"),
        "[Bo] Bo's order kill is not entered: kill cycle.",
    ),
    (event("notice", "gm", to="gm", topic="refused", text="pick Ann"), "[GM] Your command `pick Ann` was refused: it is not allowed."),
    (
        event("notice", "gm", to="gm", topic="unreadable", player="Bo", text="Cy", nearest="Cy", reason="dead_target"),
        '[GM] "Cy" by Bo counts for nothing: Cy is dead.',
    ),
    (
        event("notice", "gm", to="gm", topic="unreadable", player="Bo", text="Cz", nearest="Cy", reason=None),
        '[GM] "Cz" by Bo could not be read and counts for nothing (nearest: Cy).',
    ),
    (event("announce", topic="next_phase", label="day 1"), "[everyone] Next comes day 1."),
    (event("announce", topic="regulation", number=3, text="No hats."), "[everyone] Regulation 3: No hats."),
    (
        event("tally", secret=("final",), published={"Bo": 2}, votes={"Bo": ["Cy", "Di"]}, final={"Bo": 1}),
        "[everyone] Votes: Bo 2 (Cy, Di); in truth: Bo 1. Only you see this: the count in truth.",
    ),
    (
        event("tally", secret=("final",), published={"Bo": 1}, votes={"Bo": ["Cy"]}, final={"Bo": 1}, not_voting=["Bo"]),
        "[everyone] Votes: Bo 1 (Cy); not voting: Bo.",
    ),
    (event("lynch", player=None, reason="no_votes"), "[everyone] Nobody is executed (no votes)."),
    (event("lynch", player=["Bo", "Cy"], reason="tie"), "[everyone] Bo and Cy are executed (tie)."),
    (event("win", sides=["black_org"], players=["Bo"], cast=[{"player": "Bo"}]), "[everyone] The game is won by black org and Bo."),
    (
        event("ask", "gm", question="no_votes", choices=["Bo"], default="Bo", answer="Bo", key="no_votes:day 1"),
        "[GM] You were asked: no votes; answer, as by default: Bo.",
    ),
    (event("earthquake", player="Bo", strength=7, who_knows=None), "[everyone] earthquake (player: Bo; strength: 7)."),
    (event("deed", "gm", actor="Bo"), "[GM] deed (actor: Bo)."),
]


@pytest.mark.parametrize(("one", "sentence"), SAID, ids=[f"{number} {one.kind}" for number, (one, _) in enumerate(SAID)])
def test_each_kind_has_its_sentence(one: Event, sentence: str) -> None:
    assert told(one) == sentence
    assert told_of(one.as_json(), one.secret) == sentence


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_nothing_internal_is_shown(file: Path) -> None:
    for outcome in rehearse(file).phases:
        for one in outcome.events:
            line = told(one)
            assert not re.search(r"[\x00-\x1f{}]|\bNone\b|\bTrue\b|\bFalse\b|\.\.", line), line
            assert len(line) < 600 or one.kind in ("tally", "draw", "record", "notice"), line
