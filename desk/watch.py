"""What a reading brings that counts nowhere, told to the GM: strangers, what is older than the game, what came too late."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from parser.declarations import stretches
from parser.markup import runs
from parser.message import has_words
from parser.normal import fold
from parser.votelines import vote_lines
from publisher.delivery import GOING_OUT, THREAD
from scraper.model import Message, Post, iso
from scraper.trust import UNPROVEN
from scraper.words import same_words
from store.order import minute_of
from store.record import moment
from store.seats import Seats

if TYPE_CHECKING:
    from desk.table import Table
    from engine.inputs import OrderInput, PhaseInputs, PostInput
    from store.record import PhaseRow

_TELLING = 24
"""From so many signs on a line is not written twice by chance."""


def tell_of_strangers(
    table: Table, posts: Collection[Post], messages: Iterable[Message], told: set[tuple[str, str]], now: datetime
) -> None:
    """A notice for what is declared or sent by nobody's account: a player may have another name on the forum now.

    In `told` is kept of whose messages the GM has been told in this reading.
    """
    seats, host = table.seats(), table.settings.host.casefold()
    _tell_of_names_taken(table, posts, seats, now)
    for what, by, at, where, id_ in (
        *(
            ("post", one.author, one.posted_at, one.url or f"#{one.id}", one.author_id)
            for one in posts
            if said_in(one.bbcode)
        ),
        *(("message", one.sender, one.sent_at, one.source, None) for one in messages),
    ):
        if not by:
            named = "post that declares something" if what == "post" else "message"
            table.record.notice(now, f"A {named} names no author, and counts for nothing. {where}")
            continue
        if by.casefold() == host or by.partition(" ")[0] == UNPROVEN or seats.seat_of(by, at) is not None:
            continue
        if any(one.account.casefold() == by.casefold() for one in seats.tenures):
            continue  # a player who was replaced
        if (what, by) in told:
            continue  # a folder of sent mails holds hundreds by one
        if what == "message":
            told.add((what, by))
        same = [name for name in table.record.names_of(id_) if name != by and seats.seat_of(name, at)] if id_ else []
        hint = f" It is the account that was called {same[0]}." if same else ""
        line = _with_a_new_name(table, seats.seat_of(same[0], at), by, same[0]) if same else ""
        add = f"write {line}: messages go to the first" if same else "add the name to `account`"
        table.record.notice(
            now, f"A {what} by {by}, which is nobody's account, counts for nothing.{hint} If it is a player, {add} in game.toml. "
            f"{where}",
        )  # fmt: skip


def _with_a_new_name(table: Table, player: str | None, name: str, before: str) -> str:
    """How a player's line in `game.toml` tells that the account called `before` is called `name` now."""
    listed = next(one.accounts for one in table.settings.players if one.name == player)
    known = listed if before.casefold() in map(str.casefold, listed) else (before, *listed)  # else somebody who took over
    return f"`account = {json.dumps([name, *known], ensure_ascii=False)}`"


def tell_of_wordless(table: Table, messages: Iterable[Message], now: datetime) -> None:
    """A notice for each message of a player's in which there is nothing to read, though it may hold an order all the same."""
    seats = table.seats()
    for one in messages:
        player = seats.seat_of(one.sender, one.sent_at)
        if player is not None and not has_words(one.body):
            subject = f" (“{one.subject}”)" if one.subject else ""
            table.record.notice(
                now, f"A message by {one.sender}{subject} has no words of the sender's own: it is empty, a quote, an automatic "
                f"answer, encrypted, or an attachment, and counts for nothing. Look at it; if it is an order, count it with: "
                f'nightpost gm "order {player}: …". {one.source}',
            )  # fmt: skip


def _tell_of_names_taken(table: Table, posts: Collection[Post], seats: Seats, now: datetime) -> None:
    """A notice, once, where a player's name is another account's than before: names on a forum can be changed, and taken."""
    told = table.record.bookmark("names taken") or []
    for post in posts:
        seat, id_ = seats.seat_of(post.author, post.posted_at), post.author_id
        if seat is None or id_ is None or [post.author, id_] in told:
            continue
        before = table.record.ids_of(post.author)[0]
        if before == id_:
            continue
        told.append([post.author, id_])
        table.record.set_bookmark("names taken", told)
        called = [name for name in table.record.names_of(id_) if name != post.author]
        once = f", which was called {called[0]} before" if called else ""
        text = (
            f"{post.author} is another account on the forum than before (its number is {id_}, and was {before}){once}. What it "
            f"writes counts as {seat}'s, and {seat}'s messages go to it: if that is somebody else, give {seat}'s name of today "
            f"under `account` in game.toml, and look at its votes. {post.url or ''}"
        )
        table.record.notice(now, text.rstrip())


def tell_of_lost_accounts(table: Table, now: datetime) -> None:
    """A notice where an account that spoke for somebody is in `game.toml` no more: what it said in this phase counts nowhere."""
    held, phase = set(table.seats().accounts()), table.current()
    before = set(table.record.bookmark("accounts") or ())
    lost = before - held
    if lost and phase is not None:
        said = Counter(text[-1]["author"] for text in table.record.posts(phase.opened_at, None))
        said += Counter(row["sender"] for row in table.record.messages(phase.opened_at, None, of=lost))
        for account in sorted(lost & said.keys()):
            table.record.notice(
                now, f"{account} is nobody's account in game.toml any more: {said[account]} of its posts and messages in "
                f"{phase.label} count for nothing now. If the player has a further account, list both: account = [\"{account}\", "
                "\"…\"]; if somebody else plays on, use nightpost gm \"replace X with Y\".",
            )  # fmt: skip
    if before != held:
        table.record.set_bookmark("accounts", sorted(held))


AHEAD = timedelta(minutes=15)
"""By how much clocks may differ."""

BEHIND = timedelta(minutes=2)
"""A post so much older than one that was read before it did not stand there then."""


class _Brought(NamedTuple):
    """What a reading brought: a post or a message; with `edit` what an edit has put into a post that was known before."""

    what: str
    id: str
    by: str
    at: datetime | None
    where: str
    edit: bool = False


def tell_of_odd_times(table: Table, posts: Iterable[Post], messages: Iterable[Message], known: int, now: datetime) -> None:
    """A notice for each post or message that counts nowhere, its phase being resolved, or not yet, being dated ahead of now; and
    for each post that counts and came to stand among those read before.

    `known` is the last version of a post that was kept before this reading.
    """
    phases = table.record.phases()
    closed = [phase for phase in phases if phase.closed_at is not None]
    begun, seats, current = phases[0].opened_at, table.seats(), table.current()
    held: Collection[str] | None = None
    for what, id_, by, at, where, edit in (
        *(text for one in posts if said_in(one.bbcode) for text in _told_now(table, one, known, now)),
        *(_Brought("message", one.id, one.sender, one.sent_at, one.source or "") for one in messages),
    ):
        if at is None or seats.seat_of(by, at) is None:
            continue
        if at > now + AHEAD:
            text = f"A {what} by {by} is dated {iso(at)}, which is yet to come: it counts from then on. Is the time zone right?"
            table.record.notice(now, f"{text} {where}")
            continue
        if current is not None:
            if at > current.opened_at:
                added = edit or "/" in id_  # what the forum has put behind an earlier text is told of already
                if what == "post" and not added and table.record.posts(at + BEHIND, now + AHEAD, known):
                    table.record.notice(
                        now, f"A post by {by} of {iso(at)} was read only now, though later ones had been read: it was moved "
                        f"here, a moderator has approved it, or its page was not there. It is taken as made then. {where}",
                    )  # fmt: skip
                continue
            held = table.holds(current) if held is None else held
            if f"{what} {id_}" in held:
                continue
        if at < begun:
            text = f"A {what} by {by} of {iso(at)} is older than the game: it is kept and counts nowhere. {where}"
            table.record.notice(now, text)
        elif closed:
            phase = next((one for one in reversed(closed) if one.opened_at <= at), closed[0])
            late, it = ("An edit of a", "what the post says now") if edit else ("A", "it is kept and")
            table.record.notice(
                now, f"{late} {what} by {by} of {iso(at)} was read only after {phase.label} had been resolved: {it} counts "
                f"nowhere. {where}",
            )  # fmt: skip


def _told_now(table: Table, post: Post, known: int, now: datetime) -> Iterator[_Brought]:
    """What this reading brought of a post that declares something; the GM is told of what was put behind an earlier one."""
    where = post.url or f"#{post.id}"
    for number, text in enumerate(table.record.texts(post.id)):
        before = [version for version in text if version["seq"] <= known]
        said = said_in(text[-1]["bbcode"])
        if text[-1]["seq"] <= known or not said or (before and said == said_in(before[-1]["bbcode"])):
            continue
        at = text[0]["posted_at"]
        yield _Brought("post", text[0]["post"], post.author, moment(at), where, bool(before))
        if number and not before:
            table.record.notice(
                now, f"{post.author} wrote again, and the forum put it behind an earlier post: it counts from {at}. {where}"
            )


def tell_of_quotes(table: Table, posts: Collection[Post], now: datetime) -> None:
    """A notice for each post that repeats a line of a private message of the GM's, where the rules forbid it (CON-CONDUCT-03).

    A line has at least `_TELLING` signs, stands in no post of the GM's and was told to no more than half of the players; who
    says it in own words is not found.
    """
    clause = table.settings.ruleset().facts.get("no_quotes_of_the_gm")
    if clause is None or not posts:
        return
    told: dict[str, set[str]] = {}
    for draft in table.record.drafts("posted"):
        for line in map(_plain, draft.body.splitlines()):
            told.setdefault(line, set()).add(draft.audience)
    few = len(table.settings.players) / 2
    secret = {
        line: min(whom) for line, whom in told.items() if len(line) >= _TELLING and THREAD not in whom and len(whom) <= few
    }
    for post in posts:
        text = "\n".join(map(_plain, post.bbcode.splitlines()))
        found = next((line for line in secret if line in text), None)
        if found is not None and post.author.casefold() != table.settings.host.casefold():
            table.record.notice(
                now, f"A post by {post.author} repeats a line of your message to {secret[found]}, “{found}” ({clause}). "
                f"{post.url or '#' + post.id}",
            )  # fmt: skip


def tell_of_doubles(table: Table, posts: Iterable[Post], now: datetime) -> None:
    """A notice for each post of ours that says the same as another one and was not sent by us a second time, as far as we know:
    something on the way doubled it, or a moderator approved two where the answer to the first had been lost.
    """
    host = table.settings.host.casefold()
    own = [post for post in posts if post.author.casefold() == host and not post.deleted]
    drafts = [draft for draft in table.record.drafts() if draft.audience == THREAD] if own else []
    known = {draft.post for draft in drafts}
    for post in own:
        same = [draft for draft in drafts if same_words(post.bbcode, draft.body)] if post.id not in known else []
        if any(draft.post for draft in same) and not any(draft.state in GOING_OUT for draft in same):
            stands = next(draft.link or f"#{draft.post}" for draft in same if draft.post)
            text = f"“{same[0].title}” stands twice in the thread: delete the second one. {post.url or '#' + post.id} ({stands})"
            table.record.notice(now, text)


def _plain(line: str) -> str:
    """What a line says, without markup and in the letters that are compared."""
    return " ".join(fold("".join(run.text for run in runs(line) if not run.code)).split())


class Said(NamedTuple):
    """A declaration or vote as written: of which colour, or a vote line."""

    text: str
    kind: str


def in_the_last_minute(table: Table, phase: PhaseRow, inputs: PhaseInputs) -> list[PostInput | OrderInput]:
    """What was declared or sent in the minute in which `phase` ended and tells no seconds: it counts, and may have come too late.

    Where a post of the host's ended the phase, what stands before it in the thread came before it.
    """
    ends = table.ends(phase)
    if ends is None:
        return []
    posts = inputs.posts if table.closing_posts(phase)[1] is None else ()
    declared = (one for one in posts if said_in(one.text) and not one.by.startswith("stranger "))
    came: list[PostInput | OrderInput] = [*declared, *inputs.orders]
    return [one for one in came if one.at in (ends, minute_of(ends)) and not one.id.startswith("command ")]


def changed_in_the_last_minute(table: Table, phase: PhaseRow, inputs: PhaseInputs) -> list[PostInput]:
    """Posts whose declarations an edit changed in the minute in which `phase` ended: without seconds it counts likewise."""
    ends = table.ends(phase)
    if ends is None or table.settings.game.options.get("edits", "first") == "first":
        return []
    found = []
    for post in inputs.posts:
        late = [edit.text for edit in post.edits if edit.at in (ends, minute_of(ends))]
        before = [post.text, *(edit.text for edit in post.edits if edit.at is not None and edit.at < (minute_of(ends) or ends))]
        told = [said_in(text) for text in (before[-1], *late)] if late else []  # back and forth in that minute is a change too
        if any(said != told[0] for said in told) and not post.by.startswith("stranger "):
            found.append(post)
    return found


def tell_of_the_last_minute(table: Table, phase: PhaseRow, inputs: PhaseInputs, now: datetime) -> None:
    """A notice for each of what came in the last minute, as the phase is closed after its deadline."""
    came, changed = in_the_last_minute(table, phase, inputs), changed_in_the_last_minute(table, phase, inputs)
    for one in (*came, *(post for post in changed if post not in came)):
        did = "wrote" if one in came else "changed a post"
        table.record.notice(
            now, f"{one.by} {did} in the very minute in which {phase.label} ended. The forum tells no seconds, so it counted as "
            f"in time. {one.link or one.id}",
        )  # fmt: skip


def said_in(bbcode: str) -> list[Said]:
    """What a post declares or votes in any ruleset's way, in the order it stands."""
    coloured = stretches(bbcode)
    lines = [line for line in vote_lines(bbcode) if not any(one.start <= line.start < one.end for one in coloured)]
    found = [(one.start, Said(one.text, one.colour)) for one in coloured]
    return [said for _, said in sorted(found + [(line.start, Said(line.text, "vote line")) for line in lines])]
