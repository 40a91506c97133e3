"""What `simulate` shows: each phase for people to read, or one JSON object for each file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from engine.events import Event
from engine.play import Outcome
from rehearsal.run import Rehearsal, rehearse
from scraper.model import BadInput

PASSED, FAILED, UNPLAYABLE = 0, 1, 2
"""Exit statuses: all as expected; an expectation failed; a file could not be played."""

Say = Callable[[str], None]


def simulate(paths: Sequence[Path], *, as_json: bool, out: Say, err: Say, told: Callable[[Event], str]) -> int:
    """Play each scenario file, folders with all the files below them, and show what comes of it; the exit status is returned.

    `out` and `err` print a line each: data and the view of the phases go to `out`, errors and warnings to `err`. `told` is an
    event in words. A file that cannot be played stops no other.
    """
    status = PASSED
    for path in _files(paths):
        try:
            if path.is_dir():
                raise BadInput(f"{path}: there is no scenario file (*.yaml) in this folder")
            rehearsal = rehearse(path)
        except BadInput as error:
            if as_json:
                out(json.dumps({"file": str(path), "error": str(error)}, ensure_ascii=False))
            err(clean(str(error)))
            status = UNPLAYABLE
            continue
        for warning in rehearsal.warnings:
            err(clean(warning))
        if as_json:
            out(json.dumps(rehearsal.as_json(), ensure_ascii=False))
        else:
            for line in _told(path, rehearsal, told):
                out(clean(line))
        if not rehearsal.passed:
            status = max(status, FAILED)
    return status


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files named, and all scenario files below the folders named; a folder without any stands for itself, to be refused."""
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.suffix in (".yaml", ".yml")) or [path]
        else:
            yield path


def clean(text: str) -> str:
    """`text` without what could steer a terminal: strangers' words are shown as they are, and do nothing."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _told(path: Path, rehearsal: Rehearsal, told: Callable[[Event], str]) -> Iterator[str]:
    yield f"{path}: {rehearsal.scenario.title}"
    for outcome in rehearsal.phases:
        yield from _phase(outcome, told)
    for failure in rehearsal.failures:
        yield f"  FAILED {failure}"
    refused = "" if rehearsal.phases or rehearsal.failures else ": the set-up is refused, as expected"
    yield f"  passed{refused}" if rehearsal.passed else f"  failed: {len(rehearsal.failures)}"


def _phase(outcome: Outcome, told: Callable[[Event], str]) -> Iterator[str]:
    yield f"  {outcome.label}"
    for event in outcome.events:
        yield f"    {told(event)}"
    if outcome.state.winner is not None:
        yield f"    The game is over. Winner: {', '.join(outcome.state.winner) or 'nobody'}"
