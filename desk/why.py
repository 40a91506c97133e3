"""`nightpost why`: what led to a player's fate or to an event, and what is so far known of the open phase."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from desk.records import opened, sources_of
from desk.stories import Source, why_facts
from desk.table import Table
from desk.watch import said_in
from desk.whom import nobody
from engine.events import Event, Visibility
from engine.inputs import PhaseInputs
from engine.play import Outcome
from scraper.model import BadInput


def why(folder: Path, asked: str, now: datetime) -> list[dict[str, Any]]:
    """The events that bear on a player or on the event of that number, each with `provisional`: whether its phase is still open.

    Provisional are what has come of the open phase so far, the votes as they stand, and what has been ordered and declared in it;
    its numbers change when it closes. Raises BadInput for a name that is nobody's and a number that is no event's.
    """
    opened(folder).close()
    table = Table.at(folder)
    closed = table.record.events()
    so_far, sources = _open_events(table, now), sources_of(table.record)
    events = [*closed, *so_far]
    meant = _meant(table, asked.strip(), events, sources)
    return [{**row, "provisional": row["event"] > len(closed)} for row in why_facts(events, meant, sources)]


def _meant(table: Table, asked: str, events: list[Event], sources: dict[str, Source]) -> str:
    player = table.seats().called(asked)
    if player is not None:
        return player
    if asked.isdecimal():
        if 0 < int(asked) <= len(events):
            return asked
        raise BadInput(f"there is no event {asked}; the log has {len(events)}, the open phase's included")
    if asked and why_facts(events, asked, sources):
        return asked  # a place, a talent or an ability
    raise BadInput(f"{nobody(table.game(), asked)}; give a player's name, or an event's number in the log")


def _open_events(table: Table, now: datetime) -> list[Event]:
    phase = table.current()
    if phase is None:
        return []
    now = table.by_forum(now)
    outcome = table.play(until=now, close=False)
    seen: Visibility = "public" if table.settings.ruleset().votes_in_thread else "gm"
    return [*outcome.events, *_standing(outcome, table.inputs(phase, now), seen)]


def _standing(outcome: Outcome, inputs: PhaseInputs, seen: Visibility) -> Iterator[Event]:
    """The votes that stand and what was written, as events that no phase has had yet."""
    label = str(outcome.label)
    for order in inputs.orders:
        yield Event("order", label, "gm", (), {"player": order.by, "text": order.text}, source=order.id)
    for post in inputs.posts:
        if said := [one.text for one in said_in(post.text)]:
            yield Event("declared", label, "public", (), {"player": post.by, "text": " / ".join(said)}, source=post.id)
    tally = outcome.count or {"votes": {}}
    for target, voters in tally["votes"].items():
        for voter in voters:
            source = tally.get("posts", {}).get(voter)
            yield Event("vote", label, seen, (), {"player": voter, "target": target}, source=source)
