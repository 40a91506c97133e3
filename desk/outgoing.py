"""The outbox as the GM handles it: look, approve, edit, drop."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from desk.announcing import counted_from_now
from desk.reading import PUBLISHED
from desk.records import opened
from desk.settings import load_settings
from desk.table import Table
from engine.game import nearest
from engine.posts import Closed, Posts
from publisher.delivery import THREAD, was_refused, went_to
from publisher.pager import tell_again
from scraper.model import BadInput
from store.record import Draft, Record

ACTIONS = ("approve", "edit", "drop")
_PART = re.compile(r" part \d+$")
_PICKED = re.compile(r"all|\d+|\d+-\d+|" + "|".join(PUBLISHED))


def outbox_facts(folder: Path) -> list[dict[str, Any]]:
    """All drafts and posts in the order made."""
    return [
        {
            "id": one.id, "kind": one.kind, "audience": one.audience, "title": one.title, "state": one.state,
            "link": one.link, "error": one.error, "body": one.body,
        }
        for one in opened(folder).drafts()
    ]  # fmt: skip


def outbox_lines(facts: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The same to read: what waits for the GM with its whole text, the rest in a line."""
    for one in facts:
        yield f"{one['id']:>4} {one['state']:<8} {one['kind']} to {one['audience']}: {one['title']} {one['link'] or ''}".rstrip()
        if one["error"]:
            yield f"       {one['error']}"
        if one["state"] == "review":
            yield from (f"       | {line}" for line in one["body"].splitlines())
    if not facts:
        yield "The outbox is empty."
    elif any(one["state"] == "review" for one in facts):
        yield "Go on with: nightpost outbox approve ID, nightpost outbox edit ID, nightpost outbox drop ID"
        yield "Several at once: nightpost outbox approve 3-9 12, or all that wait of a kind: approve role, or: approve all"


def means_drafts(word: str) -> bool:
    """Whether a word on the command line means drafts: a number, a range `3-9`, a kind of post, `all`."""
    return _PICKED.fullmatch(word) is not None


def no_drafts(word: str) -> str:
    """That a word means no drafts and no folder, with the nearest that means some."""
    hint = f" (did you mean `{near}`?)" if (near := nearest(word, ("all", *PUBLISHED))) else ""
    return f"`{word}` is no draft's number, no range such as 3-9, no kind of post{hint} and no folder; nothing was changed"


def picked(folder: Path, action: str, words: Sequence[str]) -> list[int]:
    """The numbers of the drafts that the words mean, in order, each once. A range, a kind and `all` mean those that wait.

    Raises BadInput where a word means none, and for an `edit` of more than numbers.
    """
    waiting = opened(folder).drafts("review")
    found: dict[int, None] = {}
    for word in words:
        if word.isdecimal():
            found[int(word)] = None
            continue
        if action == "edit":
            raise BadInput(f"`edit` takes the numbers of drafts, not `{word}`; nothing was changed")
        first, dash, last = word.partition("-")
        meant = [
            one.id for one in waiting
            if word == "all" or one.kind == word or (dash and int(first) <= one.id <= int(last))
        ]  # fmt: skip
        if not meant:
            of = "" if word == "all" else f" from {first} to {last}" if dash else f" of the kind `{word}`"
            raise BadInput(f"no draft{of} waits for you; nothing was changed (`nightpost outbox` lists them)")
        found |= dict.fromkeys(meant)
    return list(found)


def handle(folder: Path, action: str, ids: Sequence[int], edited: Callable[[str], str | None], now: datetime) -> Iterator[str]:
    """Approve, edit or drop drafts. `edited` shows a text to the GM and returns the new one, None where it stays.

    Where a phase's hours count from the report that opens it, they do so from now. Raises BadInput where there is no such draft
    or it has gone out already; then none of them is touched.
    """
    opened(folder).close()
    table = Table.at(folder)
    if action == "edit":
        for draft in [_may_be_handled(table.record, id_) for id_ in ids]:
            text = edited(draft.body)  # an editor may be open for long: the record is not held meanwhile
            yield from _edit(folder, table.record, draft, text)
        return
    with table.record.together():  # no tick sends one of them meanwhile
        drafts = [_may_be_handled(table.record, id_, taken_back=action == "approve") for id_ in ids]
        for draft in drafts if action == "approve" else ():
            table.record.change_draft(draft.id, state="approved")
        told = [_decided(table, action, draft, now) for draft in drafts]
        decided = [one.id for one in drafts if one.state != "approved"]
        told += counted_from_now(table, decided, table.by_forum(now))
    yield from told


def _decided(table: Table, action: str, draft: Draft, now: datetime) -> str:
    record = table.record
    if action == "drop":
        record.change_draft(draft.id, state="dropped", error=None)  # an error says that it was not dropped by hand
        to = f" to {account}" if (account := went_to(record, draft.id)) else ""
        sent = f". It was sent{to}, and no answer came: look whether it stands there, for it may have gone out."
        return f"{draft.id} dropped: {_addressed(table, draft)}{sent if draft.state == 'sending' else ''}"
    tell_again(record, draft.id)
    anew = ", anew unless a moderator has let it through by then" if was_refused(record, draft.id) else ""
    more = _in_parts(table, draft, now)
    parts = f", in {1 + more} parts" if more else ""
    return f"{draft.id} approved: {_addressed(table, draft)}. The next tick posts it{anew}{parts}."


def _addressed(table: Table, draft: Draft) -> str:
    """The title, and of a message whom it goes to: the seat, and the account that has it now."""
    if draft.audience == THREAD:
        return draft.title
    account = table.seats().account(draft.audience)
    return f"{draft.title} (to {draft.audience}{'' if account == draft.audience else f', account {account}'})"


def _in_parts(table: Table, draft: Draft, now: datetime) -> int:
    """Put what is longer than the forum takes into the outbox in parts: `longest` may have been given since it was made, or the
    GM has written more. Of a post in parts already, what follows moves on, so that all stays in order. How many parts it is more.
    """
    from publisher.drafts import in_parts

    if draft.post is not None or draft.state == "sending":
        return 0
    record, draft = table.record, table.record.draft(draft.id)
    first, *others = (text for _, _, text in in_parts(table.settings, draft.key, draft.title, draft.body))
    if not others:
        return 0
    parts, title = _parts(record, draft), re.sub(r" \(\d+/\d+\)$", "", draft.title)
    behind = [one for one in parts if one.id > draft.id and one.post is None and one.state in ("review", "approved")]
    texts = [first, *others, *(one.body for one in behind)]
    for one, text in zip((draft, *behind), texts, strict=False):
        record.change_draft(one.id, body=text)
    for number, text in enumerate(texts[1 + len(behind) :], len(parts) + 1):
        key, name = f"{parts[0].key} part {number}", f"{title} ({number}/{len(parts) + len(others)})"
        record.add_draft(key, draft.kind, draft.audience, name, text, (draft, *behind)[-1].state, now, None)
    return len(others)


def _parts(record: Record, draft: Draft) -> list[Draft]:
    """The post that a draft is, or is a part of, in order. A key may end in a player's name, and that in ` part 2`."""
    of_the_same = [one for one in record.drafts() if one.audience == draft.audience]
    whole = _PART.sub("", draft.key)
    if whole not in (one.key for one in of_the_same):
        whole = draft.key
    return [one for one in record.parts_of(whole) if one.audience == draft.audience]


def _edit(folder: Path, record: Record, draft: Draft, text: str | None) -> Iterator[str]:
    """Take the GM's own text for a draft. One that the ruleset warns of waits for the GM's word, whatever goes out by itself."""
    if text is None or text == draft.body:
        yield f"{draft.id} left as it was: {draft.title}"
        return
    warnings = _warnings(folder, record, draft, text)
    with record.together():
        try:
            _may_be_handled(record, draft.id)
        except BadInput as error:
            raise BadInput(f"{error}. Your text, which is not kept:\n\n{text}") from None
        if warnings:
            record.change_draft(draft.id, body=text, state="review", error=f"{_WARNING}: " + "; ".join(warnings))
        else:
            record.change_draft(draft.id, body=text, error=None if _warned(draft) else draft.error)
    if not warnings:
        yield f"{draft.id} changed: {draft.title}"
        return
    yield f"{draft.id} changed: {draft.title}. Look at this before it goes out:"
    yield from (f"  {_WARNING}: {one}" for one in warnings)
    yield f"Change it again with: nightpost outbox edit {draft.id}, or keep it with: nightpost outbox approve {draft.id}"


_WARNING = "report_warning"


def _warned(draft: Draft) -> bool:
    return draft.error is not None and draft.error.startswith(_WARNING)


def _warnings(folder: Path, record: Record, draft: Draft, text: str) -> list[str]:
    """What the ruleset has to say of a phase's report reworded by hand; of other posts nothing. A report in parts is one text."""
    parts = _parts(record, draft)
    kind, _, number = parts[0].key.partition(" ")
    if kind != "report" or not number.isdecimal():
        return []

    def read(changed: Draft | None) -> str:
        return "\n".join(text if changed is not None and one.id == changed.id else one.body for one in parts)

    posts, closed = _closed(folder, record, int(number))
    return posts.check_edit(read(None), read(draft), closed)


def _closed(folder: Path, record: Record, seq: int) -> tuple[Posts, Closed]:
    """The phase that a report tells of: a fold over the events up to it."""
    settings = load_settings(folder)
    state = settings.ruleset().begin(settings.game)
    before = state
    for phase in record.phases():
        if phase.seq <= seq:
            before = state.copy()
            state.begun[phase.label.kind] = phase.label.number
            for event in record.events(phase.seq):
                state.apply(event)
    return settings.ruleset().posts, Closed(before, state, record.events(seq))


def _may_be_handled(record: Record, id_: int, *, taken_back: bool = False) -> Draft:
    """The draft of that number; one that the GM has dropped may be `taken_back`.

    Raises BadInput where there is none, or nothing can be done about it any more.
    """
    draft = next((one for one in record.drafts() if one.id == id_), None)
    if draft is None:
        raise BadInput(f"there is no draft {id_}; `nightpost outbox` lists them")
    dropped_by_hand = draft.state == "dropped" and draft.error is None
    if draft.state not in ("review", "approved", "sending") and not (taken_back and dropped_by_hand):
        raise BadInput(f"draft {id_} is {draft.state} already; nothing was changed")
    return draft
