"""What the worker tells the GM in a terminal: a tick's report, and what `run` watches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desk.notes import lasting
from desk.places import local
from desk.questions import question_facts, question_lines
from desk.settings import load_settings

if TYPE_CHECKING:
    from scheduler import Report


def tick_facts(folder: Path, report: Report) -> dict[str, Any]:
    """What a tick did, as data: `questions` are keys, `asked` the same with what they ask, `by_hand` where the GM posts them."""
    settings = load_settings(folder) if report.questions or report.sent else None
    ruleset = settings.ruleset() if settings and report.questions else None
    return {
        "busy": report.busy, "posts": report.posts, "messages": report.messages, "closed": report.closed, "sent": report.sent,
        "by_hand": settings is not None and settings.thread.url is None,
        "questions": [question.key for question in report.questions],
        "asked": [question_facts(ruleset, question) for question in report.questions] if ruleset else [],
        "review": report.waiting, "held": report.held, "trouble": report.trouble,
    }  # fmt: skip


def tick_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same to read, but for trouble."""
    if facts["busy"]:
        yield "Another run is at work on this game; it was left alone."
        return
    yield f"{facts['posts']} new posts, {facts['messages']} new messages."
    yield from (f"Closed: {label}" for label in facts["closed"])
    yield from (f"{_gone(facts)}: {title}" for title in facts["sent"])
    if facts["asked"]:
        yield "The phase waits for your answer:"
        yield from question_lines(facts["asked"])
    if facts["review"]:
        yield f"Drafts that wait for you: {facts['review']}. See nightpost outbox"


def _gone(facts: Mapping[str, Any]) -> str:
    return "Written to the folder `posted`, for you to post by hand" if facts["by_hand"] else "Posted"


def watched(folder: Path, now: datetime) -> str:
    """A line on a game as `run` begins to watch it: its phase and the next deadline. Raises BadInput where it is no game."""
    from desk.table import Table

    table = Table.at(folder)
    title, phase, started, now = table.settings.title, table.current(), table.started(), table.by_forum(now)
    table.record.close()
    if not started:
        return f"{folder}: {title} has not begun: `nightpost start {folder}` begins it"
    if phase is None:
        return f"{folder}: {title} is over"
    if phase.deadline is None:
        return f"{folder}: {title}, {phase.label}, without a deadline"
    until, left = local(phase.deadline, table.settings.clock.timezone), (phase.deadline - now).total_seconds()
    return f"{folder}: {title}, {phase.label}, until {until} ({lasting(left)} {'left' if left >= 0 else 'ago'})"


class Watch:
    """What `run` says of each game after a tick: all that is new, and what stays as it is once, until it changes."""

    def __init__(self) -> None:
        self._standing: dict[Path, tuple[str, ...]] = {}

    def __call__(self, folder: Path, report: Report) -> Iterator[str]:
        """The lines on one tick."""
        facts = tick_facts(folder, report)
        yield from (f"closed {label}" for label in report.closed)
        yield from (f"{_gone(facts).lower()}: {title}" for title in report.sent)
        waits = (f"waits for your answer: {one['asks']} (nightpost review {folder})" for one in facts["asked"])
        drafts = (f"drafts that wait for you: {report.waiting} (nightpost outbox {folder})",) if report.waiting else ()
        standing = (*report.trouble, *report.held, *waits, *drafts)
        yield from (line for line in standing if line not in self._standing.get(folder, ()))
        self._standing[folder] = standing
