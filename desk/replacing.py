"""`gm "replace X with Y"`: another account takes over a player's seat, with everything the seat was told so far."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from engine.commands import WITH, parted
from engine.game import nearest
from scraper.model import BadInput

if TYPE_CHECKING:
    from desk.table import Table
    from store.record import Draft, Entry

_FORM = re.compile(r"replace\s+(.+)", re.IGNORECASE)
_HANDED = "handover "
"""How the keys of drafts begin that tell a seat once more what it was told."""


def replaced(table: Table, words: str, now: datetime) -> str:
    """Log the replacement and put every message the seat has had into the outbox once more, for the new account.

    The vote and the orders that stand are the seat's and stay. What the old account writes from now on declares nothing; its name
    still means the seat. Raises BadInput where the seat is nobody's or the account is taken.
    """
    form = _FORM.fullmatch(words)
    ways = list(parted(form[1], WITH)) if form else []
    if not ways:
        raise BadInput(f"write it as `replace Ann with New Name`, not `{words}`. Nothing was changed.")
    seats = table.seats()
    name, account = next((way for way in ways if seats.called(way[0]) is not None), ways[0])
    player = seats.called(name)
    if player is None:
        close = nearest(name.casefold(), {name.casefold(): "" for name in table.settings.game.names})
        like = next((f" (did you mean {name}?)" for name in table.settings.game.names if name.casefold() == close), "")
        raise BadInput(f"nobody is called `{name}`{like}. Nothing was changed.")
    held_by = next((one.player for one in seats.tenures if one.account.casefold() == account.casefold()), None)
    if account.casefold() == table.settings.host.casefold():
        raise BadInput(f"{account} is the host's account and cannot play. Nothing was changed.")
    if held_by is not None:
        raise BadInput(f"{account} is or was {held_by}'s account already. Nothing was changed.")
    if (named := next((one for one in table.settings.game.names if one.casefold() == account.casefold()), player)) != player:
        raise BadInput(f"{named} is another player's name: nobody could tell the two apart. Nothing was changed.")
    with table.record.together():
        for draft in _waiting(table, player):
            table.record.change_draft(draft.id, state="dropped", error=_taken_over(account))
        number = table.record.add_entry("replace", account, now, key=player)
        handed = _hand_over(table, player, number, now)
    if not handed:
        return f"{account} now plays {player}, who had no message of yours so far."
    return f"{account} now plays {player}. Put in the outbox for {account}, of what {player} was told before: {handed}."


def _hand_over(table: Table, player: str, number: int, now: datetime, *, but: Collection[int] = ()) -> int:
    """Put what the seat was told into the outbox for who has it by entry `number`, each once; `but` are drafts left out."""
    earlier = [
        draft for draft in table.record.drafts("posted")
        if draft.audience == player and not draft.key.startswith(_HANDED) and draft.id not in but
    ]  # fmt: skip
    for draft in earlier:
        auto = table.settings.publish[draft.kind] == "auto"
        key = f"{_HANDED}{number} {draft.id}"
        table.record.add_draft(
            key, draft.kind, player, draft.title, draft.body, "approved" if auto else "review", now, draft.error
        )  # fmt: skip
    return len(earlier)


def _waiting(table: Table, player: str) -> list[Draft]:
    """What was put into the outbox as the seat changed hands, and is not sent, or was sent and not heard of."""
    drafts = table.record.drafts("review", "approved", "sending")
    return [draft for draft in drafts if draft.audience == player and draft.key.startswith(_HANDED)]


def _taken_over(account: str) -> str:
    """Why what waited for the account before was not sent; no account takes over twice."""
    return f"{account} took over before it was sent"


def take_back(table: Table, replacement: Entry, undo: int, now: datetime) -> str:
    """Drop what a replacement put into the outbox and is not sent, and put into it what the account that has the seat again did
    not get, or only the other was told meanwhile; what there is to say of it, in words.
    """
    start = f"{_HANDED}{replacement.seq} "
    handed = [draft for draft in table.record.drafts() if draft.key.startswith(start)]
    for draft in _waiting(table, replacement.key):
        table.record.change_draft(draft.id, state="dropped", error="the replacement was taken back; it was not sent")
    for draft in table.record.drafts("dropped"):
        if draft.audience == replacement.key and draft.error == _taken_over(replacement.text):
            state = "approved" if table.settings.publish[draft.kind] == "auto" else "review"
            table.record.change_draft(draft.id, state=state, error=None)
    sent = len([draft for draft in handed if draft.state in ("sending", "posted")])
    known = {int(draft.key.removeprefix(start)) for draft in handed}
    back = _hand_over(table, replacement.key, undo, now, but=known)
    said = f" {replacement.text} has {_messages(sent + back)} of {replacement.key}'s already." if sent + back else ""
    return said + (f" Put in the outbox for {replacement.key}, who has not had them: {back}." if back else "")


def _messages(number: int) -> str:
    return f"{number} message{'s' * (number != 1)}"
