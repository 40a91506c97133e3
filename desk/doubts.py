"""What `nightpost review` shows besides questions: what could not be read for sure, or may have been meant to count."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from desk.notes import ended
from desk.sentences import noticed
from desk.table import Table
from desk.watch import changed_in_the_last_minute, in_the_last_minute, said_in
from engine.game import nearest as near
from engine.inputs import PhaseInputs
from engine.play import Outcome, play
from parser.declarations import candidates, colour_alone, nearly_red, stretches
from parser.message import has_words
from parser.names import Found, Person, Roster
from parser.normal import key, look_alike
from parser.votelines import near_votes, settle, vote_lines
from scraper.trust import UNPROVEN
from store.record import PhaseRow, moment

_OF_A_STRANGER = 5  # messages that are shown


_CALLED = re.compile(r"vote\s*[:=]", re.IGNORECASE)


def doubts(table: Table, phase: PhaseRow, now: datetime) -> list[dict[str, Any]]:
    """What could not be read for sure and may still change something, each once, with the address of its post."""
    inputs = table.inputs(phase, now)
    outcome = play(table.settings.ruleset(), table.state(), phase.label, inputs, table.choices(phase, waive=True))
    standing = table.play(until=now, close=False)
    replaced = _replaced(standing, inputs)
    found = [
        {**event.data, "from": event.source} for event in outcome.events
        if event.kind == "notice" and event.get("to") == "gm" and event.source is not None
        and (event.source, event.get("text")) not in replaced
        and (event.get("topic") in ("refused", "unreadable") or not str(event.source).startswith("command "))
    ]  # fmt: skip
    found += _half_votes(table, standing, inputs)
    found += [*_strangers(table, inputs), *_unread_messages(table, phase, inputs.ends), *_at_the_deadline(table, phase, inputs)]
    found += [doubt for doubt in _look_alikes(table, inputs) if (doubt["from"], doubt["text"]) not in replaced]
    links = {post.id: post.link for post in inputs.posts} | {order.id: order.link for order in inputs.orders}
    once = {json.dumps(doubt, sort_keys=True, default=str): doubt for doubt in found}
    return [{**doubt, "url": links.get(str(doubt["from"]))} for doubt in once.values()]


def _replaced(outcome: Outcome, inputs: PhaseInputs) -> set[tuple[str | None, str]]:
    """What was declared, post and text, before a vote of the same player and kind that counts now."""
    tally: Mapping[str, Any] = outcome.tally or {}
    counted = {by: str(source) for by, source in tally.get("posts", {}).items()}
    gone: set[tuple[str | None, str]] = set()
    order = [post.id for post in inputs.posts_in_order(outcome.state.game.names)]
    kinds = {post.id: {one.kind for one in said_in(post.text)} for post in inputs.posts}
    for post in inputs.posts:
        last = counted.get(post.by)
        if last in order and post.id in order and order.index(post.id) < order.index(last):
            gone |= {(post.id, one.text) for one in said_in(post.text) if one.kind in kinds[last]}
    return gone


def _strangers(table: Table, inputs: PhaseInputs) -> Iterator[dict[str, Any]]:
    """Posts with declarations by names that are nobody's account: an account that game.toml does not know, perhaps."""
    accounts = [account for player in table.settings.players for account in player.accounts]
    spoke = {account.casefold() for account in table.seats().accounts()}
    for post in inputs.posts:
        author = post.by.removeprefix("stranger ")
        if post.by == author or author.casefold() == table.settings.host.casefold() or not said_in(post.text):
            continue
        text = said_in(post.text)[-1].text
        if author.casefold() in spoke:
            yield {"topic": "replaced", "player": author, "text": text, "nearest": None, "from": post.id}
            continue
        like = near(author.casefold(), [account.casefold() for account in accounts])
        yield {"topic": "stranger", "player": author, "text": text, "nearest": like, "from": post.id}


def _unread_messages(table: Table, phase: PhaseRow, ends: datetime | None) -> Iterator[dict[str, Any]]:
    """Private messages of this phase by nobody's account, by a replaced player, or without words: an order, perhaps, that counts
    nowhere. Of a stranger the last ones are shown, the first of them with how many `more` there were before.
    """
    strangers: dict[str, list[dict[str, Any]]] = {}
    seats, accounts = table.seats(phase), table.seats(phase).accounts()
    for row in table.record.messages(phase.opened_at, ends, phase.last_message):
        sender, seat = row["sender"], seats.seat_of(row["sender"], moment(row["at"]))
        if seat is not None and not has_words(row["body"]):
            yield {"topic": "wordless", "player": seat, "text": row["subject"], "nearest": None, "from": f"message {row['seq']}"}
        if seat is None and sender.casefold() != table.settings.host.casefold():
            text = " ".join(row["body"].split())[:100]
            first, _, address = sender.partition(" ")
            if sender.casefold() in map(str.casefold, accounts):
                yield {"topic": "replaced", "player": sender, "text": text, "nearest": None, "from": f"message {row['seq']}"}
                continue
            at = f"message {row['seq']}"
            if first == UNPROVEN:
                yield {"topic": "unproven", "player": address or "no address", "text": text, "nearest": None, "from": at}
                continue
            by = sender or at  # those that name no author may be anybody's
            strangers.setdefault(by, []).append({"topic": "stranger", "player": sender, "text": text, "from": at})
    for told in strangers.values():
        last, nearest = told[-_OF_A_STRANGER:], near(told[0]["player"], accounts)
        for number, doubt in enumerate(last):
            yield doubt | {"nearest": nearest, "more": 0 if number else len(told) - len(last)}


def _at_the_deadline(table: Table, phase: PhaseRow, inputs: PhaseInputs) -> Iterator[dict[str, Any]]:
    """What came in the very minute of the deadline, where pages tell no seconds: counted, and the GM should look."""
    for one in in_the_last_minute(table, phase, inputs):
        text = "written in the minute of the deadline; counted as in time"
        yield {"topic": "deadline_minute", "player": one.by, "text": text, "nearest": None, "from": one.id}
    for post in changed_in_the_last_minute(table, phase, inputs):
        text = "changed in the minute of the deadline; counted as in time"
        yield {"topic": "deadline_minute", "player": post.by, "text": text, "nearest": None, "from": post.id}


def _look_alikes(table: Table, inputs: PhaseInputs) -> Iterator[dict[str, Any]]:
    """Declarations in which a name is written with letters of another script that look like its own: counted, and marked."""
    seats = table.settings.game.seats
    spelled = [(seat.name, key(one), look_alike(one)) for seat in seats for one in (seat.name, *seat.aliases)]
    for post in inputs.posts:
        for said in said_in(post.text) if not (post.text.isascii() or post.by.startswith("stranger ")) else ():
            plain, shape = key(said.text), look_alike(said.text)
            meant = [name for name, letters, form in spelled if form and form in shape and letters not in plain]
            if plain != shape and meant:
                yield {"topic": "look_alike", "player": post.by, "text": said.text, "nearest": meant[0], "from": post.id}


def _half_votes(table: Table, outcome: Outcome, inputs: PhaseInputs) -> Iterator[dict[str, Any]]:
    """What may have been meant as a vote, or as its withdrawal, and is not written as the rules want it, behind the vote that
    counts: with only one of bold and colour where votes have both, in a colour that only looks like red, not bold, or with the
    vote word bent or behind others.
    """
    example = table.settings.ruleset().vote_post("X")
    coloured = bool(stretches(example))
    if outcome.tally is None or not (coloured or vote_lines(example)):
        return
    state, counted = table.state(), outcome.tally.get("posts", {})
    roster = Roster([Person(seat.name, aliases=seat.aliases, alive=state.alive(seat.name)) for seat in state.game.seats])
    posts = [post for post in inputs.posts_in_order(state.game.names) if post.by in state.living()]
    order = {post.id: place for place, post in enumerate(posts)}
    topic = "half_vote" if coloured else "near_vote"
    for post in posts:
        if order[post.id] <= order.get(str(counted.get(post.by)), -1):
            continue
        declared = stretches(post.text)
        written = [line for line in vote_lines(post.text) if coloured and line.worded and line.kind in ("vote", "unvote")]
        plain = [line for line in written if not any(one.start <= line.start < one.end for one in declared)]
        near = [(line, settle(line, roster)) for line in near_votes(post.text)]
        lines = [*((line.text, settle(line, roster)) for line in plain), *((line.text, settled) for line, settled in near)]
        half = [*colour_alone(post.text, "red"), *nearly_red(post.text)] if coloured else []
        alone = [(text, roster.first(candidates(text))) for text in half]
        named = [(text, settled.name) for text, settled in lines if settled.kind == "vote"]
        named += [(text, found.name) for text, found in alone if isinstance(found, Found)]
        for text, name in named:
            if name is not None and name != post.by and state.alive(name):
                yield {"topic": topic, "player": post.by, "text": text, "nearest": name, "from": post.id}
        unread = [
            line.text for line, settled in near
            if line.kind == "vote" and settled.kind in ("unreadable", "ambiguous") and _CALLED.search(line.text)
        ]  # fmt: skip
        taken_back = [text for text, settled in lines if settled.kind == "unvote" and post.by in counted]
        for text, meant in [*((text, "one") for text in unread), *((text, "a withdrawal") for text in taken_back)]:
            yield {"topic": topic, "player": post.by, "text": text, "nearest": None, "from": post.id, "meant": meant}


def doubt_line(doubt: Mapping[str, Any]) -> str:
    """A doubt as a sentence, with where it stands."""
    who, text = doubt.get("player") or "somebody", doubt.get("text")
    hint = f" Nearest: {doubt['nearest']}." if doubt.get("nearest") else ""
    meant = f"one for {doubt['nearest']}" if doubt.get("nearest") else doubt.get("meant")
    more = f" It had written {doubt['more']} before." if doubt.get("more") else ""
    said = {
        "stranger": f'{who}, who is nobody\'s account in game.toml, writes "{text}".{more}{hint}',
        "replaced": f'{who}, who has been replaced or is not in the game yet, writes "{text}"; it counts for nothing.',
        "unproven": f'It is not proven who sent the mail from {who}: it counts for nothing. It says "{text}".',
        "wordless": f'A message by {who} ("{text}") has no words of the sender\'s own, and counts for nothing; look at it.',
        "half_vote": f'"{text}" by {who} is not both bold and red, and so no vote; was {meant} meant?',
        "near_vote": f'"{text}" by {who} is not bold with the vote word first, and so no vote; was {meant} meant?',
        "deadline_minute": f"{who}: {text}.",
        "look_alike": f'"{text}" by {who} has letters of another script in it that look like those of {doubt.get("nearest")}.',
    }.get(str(doubt.get("topic"))) or ended(noticed({**doubt, "to": "gm"}))
    where = ", ".join(str(doubt[key]) for key in ("from", "url") if doubt.get(key))
    return f"{said} ({where})" if where else said
