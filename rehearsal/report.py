"""The `simulate` command: what each phase brought, and which expectations failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from engine.events import Event
from rehearsal.run import Rehearsal, rehearse, scenario_files
from scraper.model import BadInput

_HIDDEN = ("key",)


def simulate(paths: list[Path], *, as_json: bool, out: Callable[[str], None], err: Callable[[str], None]) -> int:
    """Play and check every scenario in `paths`; `out` and `err` print lines.

    Returns the exit status: 0 all hold, 1 an expectation failed, 2 a file cannot be played.
    """
    status = 0
    for file in scenario_files(paths):
        try:
            rehearsal = rehearse(file)
        except BadInput as error:
            status = 2
            if as_json:
                out(json.dumps({"file": str(file), "error": str(error)}, ensure_ascii=False))
            err(str(error))
            continue
        for warning in rehearsal.warnings:
            err(warning)
        if as_json:
            out(json.dumps(rehearsal.as_json(), ensure_ascii=False))
        else:
            _show(rehearsal, out)
        if rehearsal.failures:
            status = max(status, 1)
    return status


def _show(rehearsal: Rehearsal, out: Callable[[str], None]) -> None:
    out(f"{rehearsal.file}: {rehearsal.scenario.title}")
    if rehearsal.scenario.refusal is not None:
        out(f"  the set-up is refused: {rehearsal.scenario.refusal}")
    for outcome in rehearsal.outcomes:
        out(f"  {outcome.label}")
        for event in outcome.events:
            if event.kind != "condition":
                out(f"    {line(event)}")
    for failure in rehearsal.failures:
        out(f"  FAILED {failure}")
    out("  passed" if not rehearsal.failures else f"  {len(rehearsal.failures)} failed")


def line(event: Event) -> str:
    """An event in one line: who sees it, what it is, and the clauses behind it."""
    seen = {"public": "everyone", "gm": "GM", "private": str(event.reader)}[event.visibility]
    fields = ", ".join(f"{key}: {value}" for key, value in event.data.items() if key not in _HIDDEN)
    return f"[{seen}] {event.kind} {fields}" + (f"  ({', '.join(event.why)})" if event.why else "")
