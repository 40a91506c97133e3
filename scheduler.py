"""The tick: read → parse → record → resolve → render → publish, once. And APScheduler around it."""

from __future__ import annotations

import fcntl
import platform
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from desk.announcing import begin_by_forum, waits_for_its_report
from desk.hosting import heed_the_host
from desk.notes import for_the_gm
from desk.patience import held_back, hold_back, let_in
from desk.table import Table, damaged
from desk.watch import (
    tell_of_doubles,
    tell_of_lost_accounts,
    tell_of_odd_times,
    tell_of_quotes,
    tell_of_strangers,
    tell_of_the_last_minute,
    tell_of_wordless,
)
from engine.choices import Question, Unanswered
from engine.inputs import OrderInput, PhaseInputs
from engine.play import Outcome, play
from scraper.model import BadInput, SourceError
from store.record import PhaseRow, StoreError

if TYPE_CHECKING:
    from publisher.delivery import Outlet
    from scraper.model import Post

LATE = timedelta(minutes=2)
"""How long after a deadline the thread is read once more before a phase is resolved: posts take a moment to be shown."""

SLOWEST_POST = timedelta(minutes=2)
"""How long one post or message may take: a forum may want a minute between two."""

AT_ONCE = 2_000
"""How many messages are held at once while a mailbox is read, which may have any size."""

LEASE = timedelta(minutes=10)
"""How long another machine that shares the folder is waited for before its tick is taken for dead."""


@dataclass(slots=True)
class Report:
    """What a tick did: new posts and messages, phases closed, what waits for the GM, and why it stopped, if it did."""

    posts: int = 0
    messages: int = 0
    closed: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    waiting: int = 0
    due: datetime | None = None
    """When the open phase is resolved, where that is still to come."""
    sent: list[str] = field(default_factory=list)
    trouble: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    """Why a phase whose deadline has passed is not resolved yet: the GM must do something."""
    busy: bool = False
    read: list[Post] = field(default_factory=list)
    """The posts that were new or changed."""

    @property
    def status(self) -> int:
        """The exit status: 0 done, 1 the GM must look, 3 a source could not be reached."""
        return 3 if self.trouble else 1 if self.questions or self.held else 0


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Hold the game's lock; False where another tick holds it. It goes with the process, however that ends.

    Raises BadInput where the folder lies on a disk that knows no locks: two ticks at once would post everything twice.
    """
    with (folder / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError as error:
            raise BadInput(
                f"{file.name} cannot be locked: {error.strerror}. Keep the game in a folder on a disk of this machine. Nothing "
                "was read or posted."
            ) from error
        yield True


def start(table: Table, now: datetime) -> None:
    """Open the first phase. Raises BadInput where the game has begun."""
    settings = table.settings
    label = settings.ruleset().first_label(settings.game)
    opened = settings.clock.opens or now
    deadline = settings.clock.ends or settings.clock.deadline(opened, settings.hours(label.kind))
    from publisher.drafts import draft_start

    with table.record.together():
        if table.started():
            raise BadInput(f"the game in {settings.folder} has begun already")
        table.record.open_phase(label, opened, deadline)
        table.record.set_fact("started", now.isoformat())
        draft_start(table, now)


def tick(folder: Path, *, now: datetime, outlet: Outlet | None = None) -> Report:
    """One run of the worker. Another one at work on the same game is left alone (`busy`).

    Raises BadInput for a folder that is no game, or one whose game has not begun.
    """
    from publisher.pager import page

    with alone(folder) as free:
        if not free:
            return Report(busy=True)
        table = Table.at(folder)
        try:
            if not table.started():
                raise BadInput(f"the game in {folder} has not begun: `nightpost start {folder}` begins it")
            machine = platform.node()
            if not table.record.lease(machine, now, now + LEASE):
                return Report(busy=True)
            report = _tick(table, now, outlet)
            page(table, report, now)
            table.record.release(machine)
            return report
        except sqlite3.Error as error:
            raise StoreError(damaged(table.settings, error)) from error
        finally:
            table.record.close()


def _tick(table: Table, now: datetime, outlet: Outlet | None) -> Report:
    from publisher.agenda import keep_calendar
    from publisher.delivery import deliver
    from publisher.drafts import draft_reminders, draft_standing, tally_is_due

    report = Report()
    if (held := held_back(table, now)) is not None:
        report.trouble.append(held)
        return report
    try:
        outlet = _outlet(table, outlet)
    except SourceError as error:
        _trouble(table, now, error, report)
        return report
    read = _read(table, now, outlet, report)
    by_machine, now = now, table.by_forum(now)  # deadlines go by the forum's clock
    if read:
        heed_the_host(table, now)
        while _close_if_due(table, now, by_machine, outlet, report) or _close_early(table, now, by_machine, outlet, report):
            heed_the_host(table, now)
    known = [*table.record.extent(), table.seats().as_json()]  # a name that the GM has taught counts too
    counts = table.current() is not None and not report.trouble
    fresh = counts and (table.record.bookmark("counted") != known or tally_is_due(table, now))
    if fresh and draft_standing(table, now) and not table.record.reaches_beyond(now):
        table.record.set_bookmark("counted", known)
    draft_reminders(table, now)
    going_out = len(table.record.drafts("approved", "sending"))
    table.record.lease(platform.node(), by_machine, by_machine + LEASE + going_out * SLOWEST_POST)
    if held_back(table, by_machine) is None:  # else to post something the password would be tried once more
        deliver(table.record, outlet, report, now)
    tell_of_doubles(table, report.read, now)
    report.waiting = len(table.record.drafts("review"))
    keep_calendar(table, now)
    phase = table.current()
    clock = table.on_the_forum(by_machine)
    if phase is not None and phase.deadline is not None and phase.deadline + LATE > clock:
        report.due = phase.deadline + LATE - (clock - by_machine)
    return report


def _read(table: Table, now: datetime, outlet: Outlet, report: Report) -> bool:
    """Read what is new. False where a source could not be reached: then nothing is counted, and nothing is lost.

    What is kept and what the GM is told of it go together: what was kept once is new no more.
    """
    try:
        seen, known = table.by_forum(now), table.record.extent()[0]
        fetched = outlet.posts(table.record, seen)
        told: set[tuple[str, str]] = set()
        with table.record.together():
            posts = table.record.add_posts(fetched, seen)
            begin_by_forum(table)
            tell_of_strangers(table, posts, (), told, now)
            tell_of_odd_times(table, posts, (), known, table.by_forum(now))
            tell_of_quotes(table, posts, now)
        report.posts += len(posts)
        report.read += posts
        seen = table.by_forum(now)
        sent, kept = iter(outlet.messages(table.record, seen)), 0
        with table.record.together():
            while part := list(islice(sent, AT_ONCE)):
                messages = table.record.add_messages(part, seen)
                tell_of_strangers(table, (), messages, told, now)
                tell_of_wordless(table, messages, now)
                tell_of_odd_times(table, (), messages, known, seen)
                kept += len(messages)
        report.messages += kept
    except SourceError as error:
        from scraper.forum import LoginFailed

        if isinstance(error, LoginFailed):
            hold_back(table, now)
        _trouble(table, now, error, report)
        return False
    let_in(table)
    tell_of_lost_accounts(table, now)
    return True


def _trouble(table: Table, now: datetime, error: SourceError, report: Report) -> None:
    text = f"{error} {error.advice}".strip()
    table.record.notice(now, text)
    report.trouble.append(text)


def _close_if_due(table: Table, now: datetime, by_machine: datetime, outlet: Outlet, report: Report) -> bool:
    """Close the open phase when its deadline has passed, once the thread has been read up to it."""
    phase = table.current()
    if phase is None or phase.deadline is None or table.on_the_forum(by_machine) < phase.deadline + LATE:
        return False
    if (held := _why_not_closed(table, phase, phase.deadline, outlet.known_until(now))) is not None:
        report.held.append(held)
        table.record.notice(now, held)
        return False
    if not _read_since(table, phase.deadline):
        if not _read_for(table, by_machine, outlet, report):
            return False
        heed_the_host(table, now)
    return close(table, phase, phase.deadline, now, report)


def _why_not_closed(table: Table, phase: PhaseRow, deadline: datetime, known: datetime | None) -> str | None:
    """Why a phase is not closed though its deadline has passed: what the GM must do first. The thread is known up to `known`."""
    if table.floats(phase):
        return (
            f"{phase.label} is past its deadline and goes on, for the deadline floats: what is sent counts until you write "
            "`##deadline now` in the thread or run `nightpost resolve`."
        )
    if waits_for_its_report(table):
        return f"{phase.label} is not closed: the report that opens it waits in the outbox, and its hours count from that."
    if table.settings.ruleset().votes_in_thread and (known is None or known < deadline):
        ends = f"{deadline:%Y-%m-%d %H:%M} UTC"
        return (
            f"{phase.label} ended at {ends}, and the saved pages are older, or one is missing: save the topic's last pages once "
            "more. `nightpost resolve` closes it by what is there."
        )
    return None


def _read_since(table: Table, ended: datetime) -> bool:
    """Whether all pages of the phase were read after it had ended; saved pages always are."""
    from publisher.delivery import LOOKED

    last = table.record.bookmark(LOOKED)
    return last is None or datetime.fromisoformat(last) >= ended


def _close_early(table: Table, now: datetime, by_machine: datetime, outlet: Outlet, report: Report) -> bool:
    """Close a phase that all have done their part in, once its pages have been read again: a vote may have been edited.

    One whose deadline has passed meanwhile ends as of that, in its time.
    """
    phase = table.current()
    if phase is None or table.until(phase, now) < now or not _all_have_acted(table, now):
        return False
    try:
        table.play(until=now, close=True)
    except Unanswered as stop:
        report.questions.append(stop.question)
        return False
    if not _read_for(table, by_machine, outlet, report):
        return False
    now = table.by_forum(by_machine)  # what was written meanwhile and has been read counts
    heed_the_host(table, now)
    return table.until(phase, now) == now and _all_have_acted(table, now) and close(table, phase, now, now, report)


def _all_have_acted(table: Table, now: datetime) -> bool:
    """Whether `[clock] early` ends the phase: all have voted or, where it is `all`, done what the phase waits for."""
    phase, early = table.current(), table.settings.clock.early
    if early is None or phase is None or phase.opened_at >= now or waits_for_its_report(table):
        return False
    so_far_ = table.play(until=now, close=False)
    if so_far_.awaited:
        return False
    if so_far_.tally is not None:
        return bool(so_far_.tally["published"])
    return early == "all" and bool(table.play(until=phase.opened_at, close=False).awaited)  # somebody had something to do


def close(table: Table, phase: PhaseRow, at: datetime, now: datetime, report: Report) -> bool:
    """Resolve the open `phase` as of `at`, log its events, open the next one, and draft every post, all in one transaction.

    What the GM says meanwhile waits for that transaction. False where `phase` is no longer as it was: it has been prolonged, or
    closed.
    """
    from publisher.drafts import draft_outcome

    settings = table.settings
    try:
        with table.record.together():
            if table.current() != phase:
                return False
            if table.floats(phase):
                table.close_the_float(phase, at, "everybody has acted", now)
            outcome = table.play(until=at, close=True)
            if at < now:
                tell_of_the_last_minute(table, phase, table.inputs(phase, at), now)
            read_with = {**table.seats().as_json(), "waived": sorted(settings.waived)}
            table.record.close_phase(phase.seq, at, outcome.events, read_with)
            if outcome.following is not None:
                begins = now if settings.clock.counts_from == "announcement" else at
                deadline = settings.clock.deadline(begins, settings.hours(outcome.following.kind, outcome.state.options))
                table.record.open_phase(outcome.following, at, deadline)
            draft_outcome(table, outcome, now)
            for event in outcome.events:
                if event.kind == "notice" and event.get("to") == "gm" and event.source is None:
                    table.record.notice(now, for_the_gm(event))
    except Unanswered as stop:
        report.questions.append(stop.question)
        return False
    report.closed.append(str(phase.label))
    return True


def resolve_now(folder: Path, *, now: datetime, outlet: Outlet | None = None, offline: bool = False) -> Report:
    """Close the open phase now: all that has been read counts, or what was sent until the deadline where that has passed. The
    forum's clock may be a little ahead.

    Thread and mail are read first; where they cannot be, nothing is closed, unless `offline` says to go by what is known.
    """
    with alone(folder) as free:
        report = Report(busy=not free)
        if free:
            table = Table.at(folder)
            phase = table.current()
            if phase is None:
                raise BadInput("no phase is open: the game has not begun, or it is over")
            if offline or _read_for(table, now, outlet, report):
                now = table.by_forum(now)
                heed_the_host(table, now)
                phase = table.current() or phase
                if table.floats(phase):
                    table.close_the_float(phase, now, "nightpost resolve", now)
                    phase = table.current() or phase
                close(table, phase, table.until(phase, now), now, report)
            table.record.close()
        return report


def _outlet(table: Table, given: Outlet | None) -> Outlet:
    """`given`, or the outlet that the settings name. Raises SourceError, for another forum than the game's too."""
    from publisher.delivery import outlet_of, stays_on_its_forum

    stays_on_its_forum(table.settings, table.record)
    return given or outlet_of(table.settings)


def _read_for(table: Table, now: datetime, outlet: Outlet | None, report: Report) -> bool:
    """Read what is new and all pages of the phase again, from `outlet` or the one that the settings name."""
    from publisher.delivery import LOOKED

    table.record.set_bookmark(LOOKED, None)
    try:
        return _read(table, now, _outlet(table, outlet), report)
    except SourceError as error:
        _trouble(table, now, error, report)
        return False


def preview(folder: Path, *, now: datetime, waive: bool = True, late: Sequence[OrderInput] = ()) -> Outcome:
    """Resolve on a copy: what would come of the open phase if it closed now. Nothing is written."""
    table = Table.at(folder)
    phase = table.current()
    if phase is None:
        raise BadInput("no phase is open: the game has not begun, or it is over")
    inputs = table.inputs(phase, table.until(phase, table.by_forum(now)))
    inputs = PhaseInputs(inputs.posts, (*inputs.orders, *late), inputs.commands, inputs.ends)
    choices = table.choices(phase, waive=waive)
    return play(table.settings.ruleset(), table.state(), phase.label, inputs, choices)


def replay(folder: Path) -> list[str]:
    """Play every closed phase again from the raw posts, messages and commands. What came out otherwise is returned."""
    table = Table.at(folder)
    ruleset = table.settings.ruleset()
    state = ruleset.begin(table.settings.game)
    differences = []
    for phase in table.record.phases():
        if phase.closed_at is None:
            break
        state.game = table.game(phase)
        logged = [event.to_record() for event in table.record.events(phase.seq)]
        outcome = play(ruleset, state, phase.label, table.inputs(phase, phase.closed_at), table.choices(phase))
        again = [event.to_record() for event in outcome.events]
        if again != logged:
            at = next(
                (n for n, pair in enumerate(zip(again, logged, strict=False)) if pair[0] != pair[1]), min(len(again), len(logged))
            )
            differences.append(f"{phase.label}: event {at + 1} comes out otherwise")
        state = outcome.state
    return differences


def run(
    folders: Sequence[Path], *, every: timedelta, told: Callable[[Path, Report], Iterable[str]], say: Callable[[str], None]
) -> None:  # fmt: skip
    """Tick every game at an interval, on APScheduler, until stopped (SIGINT or SIGTERM).

    `told` has the lines on each tick, `say` prints one.
    """
    import logging
    import signal
    from datetime import UTC

    from apscheduler.executors.pool import ThreadPoolExecutor
    from apscheduler.schedulers.blocking import BlockingScheduler

    logging.getLogger("apscheduler").setLevel(logging.ERROR)  # that a tick took longer than the interval is no news
    scheduler = BlockingScheduler(executors={"default": ThreadPoolExecutor(2)}, timezone="UTC")

    def one(folder: Path) -> None:
        try:
            report = tick(folder, now=datetime.now(UTC))
        except Exception as error:  # one game's trouble stops no other, whatever it is
            expected = isinstance(error, (BadInput, OSError))
            say(f"{folder}: {error if expected else f'the tick failed: {type(error).__name__}: {error}. What was read is kept.'}")
            return
        for text in told(folder, report):
            say(f"{folder}: {text}")
        if report.due is not None:
            scheduler.add_job(
                one, "date", [folder], run_date=report.due, id=f"deadline {folder}", replace_existing=True,
                misfire_grace_time=None,
            )  # fmt: skip

    for folder in folders:
        scheduler.add_job(
            one, "interval", [folder], seconds=every.total_seconds(), coalesce=True, max_instances=1, misfire_grace_time=None
        )
        one(folder)

    def stop(*_: object) -> None:
        if not scheduler.running:  # not yet, or no more
            raise SystemExit
        scheduler.shutdown(wait=False)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    scheduler.start()
