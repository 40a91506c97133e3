"""What a game has to say, put into the outbox: each post and message once, under a key that names it for good."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from engine.choices import Unanswered, commitment
from engine.events import Event
from engine.play import Outcome
from engine.posts import Language
from parser.markup import runs
from parser.normal import fold
from publisher.delivery import THREAD
from publisher.splitting import LONGEST, split
from scraper.model import iso

if TYPE_CHECKING:
    from desk.settings import Settings
    from desk.table import Table
    from publisher.render import Context, Rendered
    from store.record import PhaseRow


def context_of(table: Table, state: Any, now: datetime) -> Context:
    """What the templates may know besides the events: nothing that is not public, but for the seed once the game is over."""
    from publisher.render import Context

    settings = table.settings
    phase = table.current()
    phases = table.record.phases()
    over = bool(phases) and phase is None
    posts = settings.ruleset().posts
    languages = _languages(settings, state.options)
    since = phases[-2].opened_at if len(phases) > 1 else None
    return Context(
        title=settings.title,
        ruleset=settings.game.ruleset,
        dialect=program_of(settings),
        now=now,
        deadline=None if phase is None else phase.deadline,
        timezone=settings.clock.timezone,
        thread_url=settings.thread.url,
        links={f"post {post}": url for post, url in table.record.links(since).items()},
        options=state.options,
        players=tuple(map(state.called, settings.game.names)),
        living=posts.living(state),
        commitment=commitment(settings.seed),
        seed=settings.seed if over else None,
        templates=settings.templates if settings.templates.is_dir() else None,
        facts=posts.facts(state),
        words={language.code: posts.words(state, language) for language in languages},
        languages=languages,
    )


def _languages(settings: Settings, options: Mapping[str, Any]) -> tuple[Language, ...]:
    return tuple(replace(one, calendar=settings.clock.dates) for one in settings.ruleset().posts.languages(options))


def with_deadline(settings: Settings, options: Mapping[str, Any], body: str, old: datetime, new: datetime) -> str:
    """A post's text that names the deadline `new` wherever it named `old`, in each language."""
    from publisher.times import moment
    from publisher.wording import markup_in

    for language in _languages(settings, options):
        markup, zone = markup_in(program_of(settings), language), settings.clock.timezone
        body = body.replace(markup.safe(moment(old, zone, language)), markup.safe(moment(new, zone, language)))
    return body


def program_of(settings: Settings) -> str:
    """The forum program that will show the posts: as given, else as the topic's address tells, else phpBB."""
    if settings.thread.kind or settings.thread.url is None:
        return settings.thread.kind or "phpbb"
    from scraper.forum import from_url

    return from_url(settings.thread.url).kind or "phpbb"


def draft_start(table: Table, now: datetime) -> None:
    """The rules post, the opening post, and every role message."""
    from publisher.render import opening_post, rules_draft

    phase = table.current()
    assert phase is not None
    outcome = table.play(close=False)
    context = context_of(table, outcome.state, now)
    with table.record.together():
        _draft(table, "rules", "rules", THREAD, rules_draft(table.settings.ruleset(), context), now)
        _draft(table, "opening", "opening", THREAD, opening_post(context, str(phase.label)), now)
        _messages(table, outcome.events, "role", context, now, prefix=f"phase {phase.seq}")


def draft_standing(table: Table, now: datetime) -> bool:
    """What the open phase has to say before it closes: answers to orders as they arrived, and the standing tally.

    False where the tally must be drafted once more: an earlier one may be on its way out, and is to be settled first.
    """
    from publisher.render import tally_post

    phase = table.current()
    assert phase is not None
    outcome = table.play(until=table.until(phase, now), close=False)
    context = context_of(table, outcome.state, now)
    with table.record.together():
        _receipts(table, outcome.events, now, prefix=f"phase {phase.seq}")
        answers = [event for event in outcome.events if event.source is not None]
        _messages(table, answers, "private", context, now, prefix=f"phase {phase.seq}")
        if outcome.tally is None:
            return True
        post = tally_post(outcome.tally, str(phase.label), context)
        return _tally(table, phase.seq, outcome.tally, post, context, now)


def tally_is_due(table: Table, now: datetime) -> bool:
    """Whether so many hours have passed since the last tally that a changed count goes out, though nothing new was read."""
    due = table.record.bookmark(TALLY_DUE)
    return due is not None and datetime.fromisoformat(due) <= now


def _receipts(table: Table, events: Iterable[Event], now: datetime, *, prefix: str) -> None:
    """A receipt for each new message, where the GM wants them; a refusal that it tells of is not told again by itself."""
    from publisher.receipts import receipts, refusal

    for key, player, post in receipts(table, now):
        _draft(table, key, "receipt", player, post, now)
        table.record.tell(key)
        told = key.partition("message ")[2]
        for event in events:
            if event.source == f"message {told}" and event.reader == player and refusal(event):
                table.record.tell(f"{prefix} {_digest([event])}")


def draft_outcome(table: Table, outcome: Outcome, now: datetime) -> None:
    """What a phase brought: the post that closes it and opens the next, and one message to each player told something."""
    from publisher.render import phase_post

    closed = [phase for phase in table.record.phases() if phase.closed_at is not None][-1]
    context = context_of(table, outcome.state, now)
    told = [event for event in outcome.events if not _told(table, f"phase {closed.seq}", event)]
    count = next((seen for event in outcome.events if event.kind == "tally" and (seen := event.for_public())), None)
    if count is not None and not table.settings.ruleset().posts.votes_in_report:
        from publisher.render import tally_post

        ended = replace(context, deadline=None)  # the deadline is that of the next phase already
        _tally(table, closed.seq, count.data, tally_post(count.data, str(closed.label), ended), ended, now, final=True)
    _draft(table, f"report {closed.seq}", "report", THREAD, phase_post(outcome.events, str(closed.label), context), now)
    _messages(table, told, "private", context, now, prefix=f"phase {closed.seq}")


def draft_reminders(table: Table, now: datetime) -> None:
    """What `[clock] reminders` asks for: a post so many hours before the deadline, and a message to each who has not acted.

    Each is made once for a phase and its deadline; of several that are due at once, only the last. One that waits for the GM
    is dropped when it comes too late, or when the player has acted.
    """
    if not table.settings.clock.reminders:
        return
    from publisher.render import nudge, reminder_post

    phase = table.current()
    due, passed = _due_reminders(table, phase, now)
    waiting = [one for one in table.record.drafts("review", "approved") if one.kind == "reminder" and one.post is None]
    fresh = due is not None and not table.record.was_told(due)
    if not fresh and not waiting:
        return
    outcome = None if due is None else table.play(until=now, close=False)
    awaited = {} if outcome is None else outcome.awaited
    with table.record.together():
        for one in waiting:
            timely = due is not None and (one.key == due or one.key.startswith(f"{due} "))
            if not timely or one.audience not in (THREAD, *awaited):
                table.record.change_draft(one.id, state="dropped", error="no longer needed; it was not sent")
        if fresh and phase is not None and due is not None and outcome is not None:
            context, label = context_of(table, outcome.state, now), str(phase.label)
            _draft(table, due, "reminder", THREAD, reminder_post(label, context), now)
            for player, what in awaited.items():
                shown = outcome.state.called(player)
                _draft(table, f"{due} to {player}", "reminder", player, nudge(shown, what, label, context), now)
            for key in passed:
                table.record.tell(key)


def _due_reminders(table: Table, phase: PhaseRow | None, now: datetime) -> tuple[str | None, list[str]]:
    """The keys of the reminders of the open phase whose hour has come: the last of them, and all of them."""
    if phase is None or phase.deadline is None or now >= phase.deadline:
        return None, []
    deadline = phase.deadline
    hours = [
        one for one in table.settings.clock.reminders if phase.opened_at < deadline - timedelta(hours=one) <= now
    ]  # fmt: skip
    keys = [f"reminder {phase.seq} {deadline.isoformat()} {one:g}h" for one in sorted(hours)]
    return (keys[0] if keys else None), keys


def digest(table: Table, now: datetime) -> Rendered:
    """For the GM alone: what came in, who has not acted, what waits in review, what goes out next. In plain text."""
    from publisher.render import digest_text

    phase, begun = table.current(), table.started()
    drafts = {state: table.record.drafts(state) for state in ("review", "approved")}
    facts: dict[str, Any] = {"begun": begun, "came_in": {}, "not_acted": {}, "question": None}
    facts["in_review"], facts["goes_out"] = (
        [f"{one.id}: {one.title}" + ("" if one.audience == THREAD else f" ({one.audience})") for one in drafts[state]]
        for state in ("review", "approved")
    )
    if phase is None:
        return digest_text(None, facts, context_of(table, table.state(), now))
    outcome = table.play(until=now, close=False)
    for player, what in outcome.awaited.items():
        facts["not_acted"].setdefault(what, []).append(player)
    ends = table.until(phase, now)
    facts["came_in"] = {
        "posts": len(table.record.posts(phase.opened_at, ends)), "messages": len(table.record.messages(phase.opened_at, ends)),
    }  # fmt: skip
    try:
        table.play(until=now, close=True)
    except Unanswered as stop:
        facts["question"] = stop.question.question
    return digest_text(str(phase.label), facts, context_of(table, outcome.state, now))


TALLY_DUE = "tally due"
"""The bookmark that holds when a count that has changed goes out though nothing more is posted."""
_UNNEEDED = "the tally is short enough without it"


def _tally(
    table: Table, phase: int, count: Mapping[str, Any], post: Rendered, context: Context, now: datetime, *, final: bool = False
) -> bool:
    """Draft the tally: over the standing post of this phase where count or deadline have changed, or as a new one when due.

    The `final` one of a phase is always posted, if it is not posted already. False where it could not be drafted yet.
    """
    digest = hashlib.sha256(json.dumps(count, sort_keys=True, default=str).encode()).hexdigest()[:16]
    extent = table.record.extent()[0]
    read_before = max((one.last_post or 0 for one in table.record.phases() if one.seq < phase), default=0)
    last = table.record.bookmark(f"tally {phase}") or {"digest": None, "number": 0, "posts": read_before, "at": None}
    mode, until = table.settings.tally.mode, iso(context.deadline)
    if mode == "edit" and last["digest"] == digest and (final or last.get("until") == until):
        return True
    if mode != "edit" and not (last["digest"] != digest if final else _due(table, last, digest, now)):
        table.record.set_bookmark(TALLY_DUE, None if final else _due_by_hours(table, last, digest))
        return True
    number = 1 if mode == "edit" else last["number"] + 1
    key = f"tally {phase}" if number == 1 else f"tally {phase} {number}"
    if not _written_over(table, key, post, context, now):
        if not final:
            return False
        _draft(table, f"{key} final", post.kind, THREAD, post, now)  # there is no later tick for it
    mark = {"digest": digest, "until": until, "number": number, "posts": extent, "at": now.isoformat()}
    table.record.set_bookmark(f"tally {phase}", mark)
    table.record.set_bookmark(TALLY_DUE, None)
    return True


def _written_over(table: Table, key: str, post: Rendered, context: Context, now: datetime) -> bool:
    """Put the post over what stands under `key`, in as many parts as it takes. A part that is left over says so, or stays away.

    False where one of them may be on its way out (the tick before broke off): its text is what it will be found by, so it
    stays as it is until that is settled.
    """
    standing = {one.key: one for one in table.record.parts_of(key)}
    if any(one.state == "sending" and one.post is None for one in standing.values()):
        return False
    if key in standing and standing[key].state == "dropped":
        return True  # the GM wants none
    parts = _parts(table, key, post)
    for name, title, body in parts:
        old = standing.pop(name, None)
        if old is None:
            table.record.add_draft(name, post.kind, THREAD, title, body, _state(table, post.kind, post), now, post.error)
        elif old.state != "dropped" or old.error == _UNNEEDED:
            # What waited only for a mended template, or was not needed for a while, goes its usual way again.
            anew = post.error or old.state == "dropped" or (old.state == "review" and old.error)
            kept = "review" if old.state == "review" else "approved"
            state = _state(table, post.kind, post) if anew else kept
            table.record.change_draft(old.id, title=title, body=body, state=state, error=post.error)
    for old in standing.values():
        if old.post is None and old.state != "dropped":
            table.record.change_draft(old.id, state="dropped", error=_UNNEEDED)
        elif old.post is not None:
            from publisher.render import emptied_post

            empty = emptied_post(context)
            if old.body != empty.body:
                table.record.change_draft(old.id, body=empty.body, state="approved", error=empty.error)
    return True


def _due(table: Table, last: Mapping[str, Any], digest: str, now: datetime) -> bool:
    """Whether a further tally post is due: so many posts or hours since the last, or because a player asked."""
    settings = table.settings.tally
    if settings.mode == "request":
        return any(_asks(row) for row in table.record.posts_since(last["posts"]))
    if last["at"] is None:
        return True
    by_posts = settings.every_posts is not None and (
        table.record.new_since(last["posts"], but_of=table.settings.host) >= settings.every_posts
    )
    due = _due_by_hours(table, last, digest)
    return by_posts or (due is not None and datetime.fromisoformat(due) <= now)


def _due_by_hours(table: Table, last: Mapping[str, Any], digest: str) -> str | None:
    """When a count that has changed is due by the hours since the last tally; None where hours make none due."""
    hours = table.settings.tally.every_hours
    if hours is None or last["at"] is None or last["digest"] == digest:
        return None
    return (datetime.fromisoformat(last["at"]) + timedelta(hours=hours)).isoformat()


def _asks(bbcode: str) -> bool:
    """Whether a post asks for the count: `votecount` in bold, as a line of its own or a stretch."""
    return any(
        run.bold and not run.quoted and fold(run.text).strip(" .!?:") in ("votecount", "vote count") for run in runs(bbcode)
    )


def _messages(table: Table, events: Iterable[Event], kind: str, context: Context, now: datetime, *, prefix: str) -> None:
    """One message to each player with something to read in these events, told or in the outbox only once."""
    from publisher.render import player_message

    fresh = [event for event in events if event.reader is not None and not _told(table, prefix, event)]
    for player in dict.fromkeys(event.reader for event in fresh if event.reader is not None):
        own = [event for event in fresh if event.reader == player]
        message = player_message(player, own, context)
        if message is not None:
            _draft(table, f"{prefix} {_digest(own)}", kind, table.seats().called(player) or player, message, now)
        for event in own:
            table.record.tell(f"{prefix} {_digest([event])}")


def _told(table: Table, prefix: str, event: Event) -> bool:
    return table.record.was_told(f"{prefix} {_digest([event])}")


def _digest(events: Iterable[Event]) -> str:
    records = [event.to_record() for event in events]
    return hashlib.sha256(json.dumps(records, sort_keys=True).encode()).hexdigest()[:24]


def _draft(table: Table, key: str, kind: str, audience: str, post: Rendered, now: datetime) -> None:
    """Put it in the outbox: approved where the GM lets that kind go out by itself and the template did not fail.

    What is longer than a forum takes becomes several, in order.
    """
    for name, title, body in _parts(table, key, post):
        table.record.add_draft(name, kind, audience, title, body, _state(table, kind, post), now, post.error)


def _state(table: Table, kind: str, post: Rendered) -> str:
    return "approved" if table.settings.publish[kind] == "auto" and post.error is None else "review"


def _parts(table: Table, key: str, post: Rendered) -> list[tuple[str, str, str]]:
    """Key, title and text of each part of the post that the forum takes."""
    return in_parts(table.settings, key, post.title, post.body)


def in_parts(settings: Settings, key: str, title: str, body: str) -> list[tuple[str, str, str]]:
    """Key, title and text of each part that the forum takes of what has that key, title and text."""
    dialect = program_of(settings)
    texts = split(body, settings.thread.longest or LONGEST.get(dialect, LONGEST["phpbb"]), dialect)
    return [
        (key, title, text) if number == 1 else (f"{key} part {number}", f"{title} ({number}/{len(texts)})", text)
        for number, text in enumerate(texts, 1)
    ]
