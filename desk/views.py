"""What the GM asks of a running game: where it stands, what waits, what would come of it. Facts first, then lines of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from desk.announcing import waits_for_its_report
from desk.doubts import doubt_line, doubts
from desk.notes import SaidOnce, ended, folded, in_zone, lasting
from desk.places import local
from desk.questions import choices_of, question_facts, question_lines
from desk.sentences import told
from desk.table import Table
from desk.tallies import Count, history, tally_facts, tally_lines
from desk.whom import nobody
from engine.choices import Question, Unanswered
from engine.events import Event
from engine.game import nearest as near
from engine.inputs import OrderInput, PhaseInputs
from engine.play import Outcome, play
from parser.declarations import stretches
from publisher.receipts import refusal
from scheduler import preview
from scraper.model import BadInput, iso
from store.record import PhaseRow

NOTICES = 5
"""How many kinds of notices `status` shows, the last ones."""


JUST_NOW = timedelta(minutes=15)
"""How long after a phase has begun the GM is asked whether it is this one that is to be closed."""


def open_phase(table: Table) -> PhaseRow:
    """The phase being played. Raises BadInput before the start and after the end."""
    phase = table.current()
    if phase is None:
        folder = table.settings.folder
        over = f"the game in {folder} is over; no phase is open"
        raise BadInput(over if table.started() else f"the game in {folder} has not begun: `nightpost start {folder}` begins it")
    return phase


def must_be_open(folder: Path) -> None:
    """Raises BadInput where `folder` is no game, or no phase of it is open."""
    table = Table.at(folder)
    try:
        open_phase(table)
    finally:
        table.record.close()


def just_begun(folder: Path, now: datetime) -> str | None:
    """That the open phase has only just begun as another closed, which the GM may mean; None where it has not.

    Raises BadInput where `folder` is no game, or no phase of it is open.
    """
    table = Table.at(folder)
    try:
        phase = open_phase(table)
        before = next((one for one in table.record.phases() if one.seq == phase.seq - 1), None)
        if before is None or now - phase.opened_at > JUST_NOW:
            return None
        return f"{before.label} is closed already, and {phase.label} has only just begun."
    finally:
        table.record.close()


def status_facts(folder: Path, now: datetime) -> dict[str, Any]:
    """Where the game stands at `now`. Raises BadInput for a folder that is no game or one that has not begun."""
    table = Table.at(folder)
    record, now = table.record, table.by_forum(now)
    waiting = {state: [_draft(one) for one in record.drafts(state)] for state in ("review", "approved", "sending")}
    facts: dict[str, Any] = {
        "title": table.settings.title, "timezone": table.settings.clock.timezone, "phase": None,
        "opened_at": None, "deadline": None, "seconds_left": None, "floats": False, "report_waits": False,
        "alive": [], "tally": None, "not_ordered": [], "questions": [], "review": waiting["review"],
        "to_post": waiting["approved"], "unconfirmed": waiting["sending"], "winner": None,
        "notices": _notices(table), "doubts": 0,
    }  # fmt: skip
    if table.started() and table.current() is None:
        return facts | {"winner": table.state().winner}
    phase = open_phase(table)
    outcome = table.play(until=now, close=False)
    inputs = table.inputs(phase, now)
    living = outcome.state.living()
    return facts | {
        "phase": str(phase.label), "opened_at": iso(phase.opened_at), "deadline": iso(phase.deadline),
        "seconds_left": round((phase.deadline - now).total_seconds()) if phase.deadline else None, "floats": table.floats(phase),
        "report_waits": waits_for_its_report(table),
        "alive": list(map(outcome.state.called, living)),
        "tally": tally_facts(outcome.count, inputs.posts) if outcome.count is not None else None,
        "not_ordered": list(map(outcome.state.called, _silent(outcome))),
        "questions": question_rows(table, now), "doubts": len(doubts(table, phase, now)),
    }  # fmt: skip


def _silent(outcome: Outcome) -> list[str]:
    """Who has sent no order where the phase waits for one."""
    return [name for name, what in outcome.awaited.items() if what != "vote"]


def _notices(table: Table) -> list[dict[str, Any]]:
    """The last things that the GM was told, those of a kind as one; what an earlier one of them says is not said again."""
    kinds, said = folded(table.record.notices(), table.settings.game.names)[-NOTICES:], SaidOnce()
    return [{"at": one.at, "text": text, "more": one.more} for one in kinds if (text := said(one.text))]


def status_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same to read."""
    yield facts["title"]
    if facts["phase"] is None:
        yield f"The game is over. Winner: {', '.join(facts['winner'] or []) or 'nobody'}"
    else:
        yield from _when(facts)
        yield f"Alive: {', '.join(facts['alive']) or 'nobody'}"
        if facts["tally"] is not None:
            yield from tally_lines(facts["tally"])
        if facts["not_ordered"]:
            yield f"No order yet: {', '.join(facts['not_ordered'])}"
    if facts["questions"]:
        yield f"Questions that wait for you: {len(facts['questions'])}. See nightpost review"
    if facts["doubts"]:
        yield f"Not read for sure: {facts['doubts']}. See nightpost review"
    if facts["review"] or facts["to_post"]:
        yield f"Outbox: {len(facts['review'])} to look over, {len(facts['to_post'])} to be posted. See nightpost outbox"
    if facts["unconfirmed"]:
        yield f"Sent, and not known to stand in the forum: {len(facts['unconfirmed'])}. See nightpost outbox"
    for one in (*facts["to_post"], *facts["unconfirmed"]):
        if one["error"]:
            yield f"Not out yet: {one['title']} (to {one['audience']}). {in_zone(one['error'], facts['timezone'])}"
    for notice in facts["notices"]:
        more = f" (and {notice['more']} more of the kind)" if notice["more"] else ""
        at, text = local(datetime.fromisoformat(notice["at"]), facts["timezone"]), in_zone(notice["text"], facts["timezone"])
        yield f"{at}: {text}{more}"


def _when(facts: Mapping[str, Any]) -> Iterator[str]:
    """The phase and how long it still lasts; where its deadline has passed since when, and what to do."""
    if facts["deadline"] is None:
        yield f"{facts['phase']}, without a deadline: `nightpost resolve` closes it"
        return
    until, left = local(datetime.fromisoformat(facts["deadline"]), facts["timezone"]), facts["seconds_left"]
    if left >= 0:
        yield f"{facts['phase']}, until {until} ({lasting(left)} left)"
        return
    if facts["floats"]:
        yield f"{facts['phase']}, past its deadline {until} ({lasting(left)} ago), which floats: what is sent still counts"
        yield "`##deadline now` in the thread ends it as of that post, `nightpost resolve` as of now."
        return
    if facts["report_waits"]:
        yield f"{facts['phase']}, not closed though {until} has passed ({lasting(left)} ago)"
        yield "The report that opens it waits for you, and its hours count from that: see nightpost outbox."
        return
    yield f"{facts['phase']}, over since {until} ({lasting(left)} ago)"
    if facts["questions"]:
        yield "It waits for your answer: see `nightpost review`; the next tick then closes it. What is posted now counts no more."
    else:
        yield (
            "The first `nightpost tick` from two minutes after that closes it, where the topic could be read to its end. "
            "If none has come by itself, look whether cron still calls it."
        )


def tally_at(folder: Path, at: str | None, now: datetime) -> dict[str, Any]:
    """The count of the open phase, at a time (ISO 8601) or as of a post (its id), with a link to each counted post."""
    table = Table.at(folder)
    phase, now = open_phase(table), table.by_forum(now)
    until = _moment(table, phase, at, now) if at else now
    outcome = table.play(until=until, close=False)
    if outcome.count is None:
        raise BadInput(f"nothing is voted on in {phase.label}")
    return {"phase": str(phase.label), "at": iso(until), **tally_facts(outcome.count, table.inputs(phase, until).posts)}


def tally_history(folder: Path, now: datetime) -> tuple[str, list[Count], str]:
    """The open phase's name, every change of its count so far, and the GM's time zone. Raises BadInput where there is no vote."""
    table = Table.at(folder)
    phase, now = open_phase(table), table.by_forum(now)
    if table.play(until=now, close=False).count is None:
        raise BadInput(f"nothing is voted on in {phase.label}")
    inputs = table.inputs(phase, now)
    counts = history(table.settings.ruleset(), table.state(), phase.label, inputs, table.choices(phase, waive=True))
    return str(phase.label), counts, table.settings.clock.timezone


def _moment(table: Table, phase: PhaseRow, at: str, now: datetime) -> datetime:
    for post in table.inputs(phase, now).posts:
        if post.at is not None and (post.id.removeprefix("post ") == at.removeprefix("post ").lstrip("#p") or at == post.link):
            return post.at
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        raise BadInput(f"--at is a time such as 2026-12-01T20:00, or the number of a post of {phase.label}, not `{at}`") from None
    from zoneinfo import ZoneInfo

    return moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(table.settings.clock.timezone))


def open_questions(table: Table, now: datetime) -> list[Question]:
    """The questions that would stop the open phase if it closed at `now`, each later one as if the earlier had its default.

    A question about a post that a later one has replaced for sure is none: no answer would change anything.
    """
    phase = open_phase(table)
    choices, found = table.choices(phase), {one.key: one for one in table.late_edits(phase)}
    while True:
        try:
            play(table.settings.ruleset(), table.state(), phase.label, table.inputs(phase, now), choices)
        except Unanswered as stop:
            question = stop.question
            if question.key in found:
                return list(found.values())
            found[question.key] = question
            stand_in = question.default if question.default is not None else next(iter(question.choices), "")
            choices = replace(choices, answers={**choices.answers, question.key: stand_in})
            continue
        return list(found.values())


def question_rows(table: Table, now: datetime) -> list[dict[str, Any]]:
    """The open questions with their sentences, in the order in which `review answer` numbers them."""
    return [question_facts(table.settings.ruleset(), one) for one in open_questions(table, now)]


def review_facts(folder: Path, now: datetime) -> dict[str, Any]:
    """What waits for the GM: questions that stop the phase, and what could not be read for sure."""
    table = Table.at(folder)
    phase, now = open_phase(table), table.by_forum(now)
    questions = question_rows(table, now)
    early = phase.deadline is not None and now < phase.deadline
    return {"phase": str(phase.label), "early": early, "questions": questions, "doubts": doubts(table, phase, now)}


def review_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same to read."""
    if facts["questions"] and facts["early"]:
        yield f"{facts['phase']} is still open. As things stand it would ask you this at its end; what comes in may settle it."
    yield from question_lines(facts["questions"])
    for doubt in facts["doubts"]:
        yield f"- {doubt_line(doubt)}"
    if not facts["questions"] and not facts["doubts"]:
        yield "Nothing waits for you."


def answer(folder: Path, number: str, choice: str, now: datetime) -> str:
    """Log the GM's answer to the question of that number in the review, and ask the others under their new numbers.

    Raises BadInput where there is no such question, or it cannot be answered so.
    """
    table = Table.at(folder)
    with table.record.together():  # no tick closes the phase between the question and its answer
        said = _answered(table, number, choice, table.by_forum(now))
        others = question_rows(table, table.by_forum(now))
    return "\n".join([said, *(["Still open, each with its number from now on:", *question_lines(others)] if others else [])])


def _answered(table: Table, number: str, choice: str, now: datetime) -> str:
    questions = open_questions(table, now)
    if not number.isdecimal() or not 0 < int(number) <= len(questions):
        raise BadInput(f"there is no question {number}; open questions: {len(questions)} (`nightpost review` lists them)")
    question = questions[int(number) - 1]
    known = {one.casefold(): one for one in question.choices}
    if not choice.strip():
        raise BadInput("the answer is empty; nothing was changed")
    wanted = choice.strip().casefold()
    if wanted == "none" and wanted not in known:  # none of them: as it is where nobody answers
        table.record.add_entry("answer", question.default or "", now, key=question.key)
        taken = f"its default, {question.default}" if question.default else "none of them"
        return f"{_named(question)}: {ended(taken)} {_goes_on(table, now)}"
    if known and wanted not in known:
        close = near(wanted, [*known, "none"])
        hint = f" (did you mean {known.get(close, close)}?)" if close else ""
        raise BadInput(f"`{choice}` is no answer to that; the choices are: {', '.join(choices_of(question))}{hint}")
    chosen = known.get(wanted, choice.strip())
    table.record.add_entry("answer", chosen, now, key=question.key)
    return f"{_named(question)}: {ended(chosen)} {_goes_on(table, now)}"


def _named(question: Question) -> str:
    """The kind of a question and whom it is about, by which the GM sees whether the one meant was answered."""
    about = [str(question.about[what])[:60] for what in ("player", "text") if question.about.get(what)]
    return f"{question.question} ({', '.join(about)})" if about else question.question


def _goes_on(table: Table, now: datetime) -> str:
    phase = open_phase(table)
    if phase.deadline is None or now < phase.deadline or table.floats(phase):
        early = "" if table.settings.clock.early is None else ", until all have done their part"
        return f"The next tick goes by it; {phase.label} stays open until it is due{early}, or until `nightpost resolve`."
    return "The next tick goes on with it."


@dataclass(frozen=True, slots=True)
class Difference:
    """What would come out otherwise: the events there would be no more, and the new ones."""

    gone: tuple[Event, ...] = ()
    new: tuple[Event, ...] = ()


def previewed(
    folder: Path, orders: Sequence[str], now: datetime, readings: Sequence[str] = ()
) -> tuple[Outcome, Difference]:  # fmt: skip
    """What would come of the open phase if it closed now; and, with late orders or other readings given, what they change.

    An order is written `Player: order`, a reading `POST: text` or `message N: text`, with the place as `review` tells it. Raises
    BadInput for a player, post or message that is none, and for an order that cannot be read.
    """
    must_be_open(folder)
    plain = preview(folder, now=now)
    if not orders and not readings:
        return plain, Difference()
    table = Table.at(folder)
    phase, now = open_phase(table), table.by_forum(now)
    inputs = table.inputs(phase, table.until(phase, now))
    late = [_order(number, text, table, inputs.ends or now) for number, text in enumerate(orders, 1)]
    for text in readings:
        inputs = _read_as(inputs, text, table)
    inputs = replace(inputs, orders=(*inputs.orders, *late))
    ruleset = table.settings.ruleset()
    other = play(ruleset, table.state(), phase.label, inputs, table.choices(phase, waive=True))
    for order in late:
        why = order_refused(table, phase, order, other)
        if why is not None and "could not be read" in why:
            raise BadInput(f"--order: {why}. Nothing was changed.")
    return other, Difference(_without(plain.events, other.events), _without(other.events, plain.events))


def _without(events: Sequence[Event], others: Sequence[Event]) -> tuple[Event, ...]:
    """The events that are not among the others, each of those taken once."""
    left = Counter(json.dumps(event.as_json(), sort_keys=True, default=str) for event in others)
    found = []
    for event in events:
        key = json.dumps(event.as_json(), sort_keys=True, default=str)
        left[key] -= 1
        if left[key] < 0:
            found.append(event)
    return tuple(found)


def _read_as(inputs: PhaseInputs, text: str, table: Table) -> PhaseInputs:
    """The inputs with one post or message read as if it said something else."""
    place, colon, meaning = text.partition(":")
    place, meaning = place.strip().casefold().lstrip("#"), meaning.strip()
    if not colon or not meaning:
        raise BadInput(f'--read is written "POST: text" or "message N: text", with the place as `review` tells it, not `{text}`')
    for order in inputs.orders:
        if place == order.id:
            changed = tuple(replace(one, text=meaning) if one is order else one for one in inputs.orders)
            return replace(inputs, orders=changed)
    for post in inputs.posts:
        if place in (post.id, post.id.removeprefix("post ")):
            said = post.edits[-1].text if post.edits else post.text
            again = replace(post, text=_declaring(said, meaning, table), edits=())
            return replace(inputs, posts=tuple(again if one is post else one for one in inputs.posts))
    raise BadInput(f"there is no post or message `{place}` in this phase; `nightpost review` tells where each doubt stands")


def _declaring(text: str, meaning: str, table: Table) -> str:
    """A post's text with its last declaration saying `meaning`; a vote where it declares nothing."""
    found = stretches(text)
    if not found:
        return table.settings.ruleset().vote_post(meaning)
    return text[: found[-1].start] + meaning + text[found[-1].end :]


def preview_posts(folder: Path, outcome: Outcome, now: datetime) -> Iterator[tuple[str, str]]:
    """Each post and message as it would look if the phase closed so: who gets it, and its text. Nothing is kept.

    What players are told while the phase is open, such as their roles, is no part of it.
    """
    from publisher.drafts import context_of
    from publisher.render import phase_post, player_message

    table = Table.at(folder)
    now = table.by_forum(now)
    context = context_of(table, outcome.state, now)
    if outcome.following is not None and context.deadline is not None:
        following = table.settings.hours(outcome.following.kind, outcome.state.options)
        context = replace(context, deadline=table.settings.clock.deadline(min(context.deadline, now), following))
    post = phase_post(outcome.events, str(outcome.label), context)
    yield f"in the thread: {post.title}", post.body
    told = _without(outcome.events, table.play(until=now, close=False).events)
    for player in context.players:
        message = player_message(player, told, context)
        if message is not None:
            yield f"to {player}: {message.title}", message.body


def preview_facts(folder: Path, now: datetime, orders: Sequence[str], readings: Sequence[str]) -> dict[str, Any]:
    """What `previewed` gives: the events, and the posts as they would look; with late orders or readings what differs in both.

    `events` are pairs of how an event differs (`gone` or `new`, None where nothing is compared) and the event.
    """
    outcome, difference = previewed(folder, orders, now, readings)
    posts = dict(preview_posts(folder, outcome, now))
    if not orders and not readings:
        return {"compared": False, "events": [(None, event) for event in outcome.events], "posts": posts}
    before = dict(preview_posts(folder, preview(folder, now=now), now))
    events = [*(("gone", event) for event in difference.gone), *(("new", event) for event in difference.new)]
    changed = {title: body for title, body in posts.items() if before.get(title) != body}
    return {"compared": True, "events": events, "posts": changed, "dropped": [title for title in before if title not in posts]}


def preview_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same to read."""
    sign = {"gone": "- ", "new": "+ ", None: ""}
    if facts["compared"] and not facts["events"]:
        yield "Nothing would differ."
    for change, event in facts["events"]:
        yield sign[change] + told(event)
    for title in facts.get("dropped", ()):
        yield f"\n=== {title}\n\n(would not be sent)"
    for title, body in facts["posts"].items():
        yield f"\n=== {title}\n\n{body}"


def _order(number: int, text: str, table: Table, at: datetime) -> OrderInput:
    name, colon, order = text.partition(":")
    if not colon or not order.strip():
        raise BadInput(f'--order is written "Player: order", not `{text}`')
    player = table.seats().called(name)
    if player is None:
        raise BadInput(f"--order: {nobody(table.game(), name.strip())}")
    return OrderInput(f"late order {number}", player, order.strip(), at)


def order_refused(table: Table, phase: PhaseRow, order: OrderInput, outcome: Outcome) -> str | None:
    """Why that order does not stand: it could not be read, or is not allowed. None where it does, or counts as another."""
    own = [event for event in outcome.events if event.source == order.id]
    doubtful = next((event for event in own if event.get("topic") == "unreadable"), None)
    if doubtful is not None:
        near_one = doubtful.get("nearest")
        where = f"`nightpost rules {table.settings.game.ruleset} --glossary` lists what can be written"
        return f"`{doubtful.get('text')}` could not be read{f' (nearest: {near_one})' if near_one else f'; {where}'}"
    refused = next((event for event in own if refusal(event) and "played" not in event.data), None)
    if refused is None:
        return None
    reason = str(refused.get("reason") or "not allowed").replace("_", " ")
    return f"{order.by} may not order `{order.text}` in {phase.label}: {reason}"


def _draft(one: Any) -> dict[str, Any]:
    return {"id": one.id, "kind": one.kind, "audience": one.audience, "title": one.title, "error": one.error}
