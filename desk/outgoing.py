"""The outbox as the GM handles it: look, approve, edit, drop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from desk.records import opened
from scraper.model import BadInput
from store.record import Draft

ACTIONS = ("approve", "edit", "drop")


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


def handle(folder: Path, action: str, ids: Sequence[int], edited: Callable[[str], str | None]) -> Iterator[str]:
    """Approve, edit or drop drafts. `edited` shows a text to the GM and returns the new one, None where it stays.

    Raises BadInput where there is no such draft or it has gone out already; then none of them is touched.
    """
    record = opened(folder)
    drafts = {one.id: one for one in record.drafts()}
    for id_ in ids:
        _may_be_handled(drafts.get(id_), id_)
    for id_ in ids:
        draft = drafts[id_]
        if action == "approve":
            record.change_draft(id_, state="approved")
            yield f"{id_} approved: {draft.title}. The next tick posts it."
        elif action == "drop":
            record.change_draft(id_, state="dropped")
            yield f"{id_} dropped: {draft.title}"
        else:
            text = edited(draft.body)
            if text is None or text == draft.body:
                yield f"{id_} left as it was: {draft.title}"
            else:
                record.change_draft(id_, body=text)
                yield f"{id_} changed: {draft.title}"


def _may_be_handled(draft: Draft | None, id_: int) -> None:
    if draft is None:
        raise BadInput(f"there is no draft {id_}; `nightpost outbox` lists them")
    if draft.state not in ("review", "approved", "sending"):
        raise BadInput(f"draft {id_} is {draft.state} already; nothing was changed")
