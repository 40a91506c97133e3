"""`gm "replace X with Y"`: another account takes over a player's seat, with everything the seat was told so far."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING

from desk.whom import nobody
from engine.commands import WITH, parted
from scraper.model import BadInput
from store.seats import Seats, is_one_of

if TYPE_CHECKING:
    from desk.table import Table
    from store.record import Draft, Entry

_FORM = re.compile(r"replace\s+(.+)", re.IGNORECASE)
_COPIED = re.compile(r"handover (\d+) (\d+)")
"""The key of a draft that an earlier version made of another one, as an entry gave the seat to somebody."""


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
        raise BadInput(f"{nobody(table.game(), name)}. Nothing was changed.")
    holding = seats.holding(player)
    held_by = next((one.player for one in seats.tenures if one.account.casefold() == account.casefold()), None)
    if account.casefold() == table.settings.host.casefold():
        raise BadInput(f"{account} is the host's account and cannot play. Nothing was changed.")
    if held_by not in (None, player) or is_one_of([account], holding):
        raise BadInput(f"{account} is or was {held_by}'s account already. Nothing was changed.")
    if (named := next((one for one in table.settings.game.names if one.casefold() == account.casefold()), player)) != player:
        raise BadInput(f"{named} is another player's name: nobody could tell the two apart. Nothing was changed.")
    with table.record.together():
        know_who_was_told(table, player)
        table.record.add_entry("replace", account, now, key=player, held=holding)
        put = _hand_over(table, player)
    if put:
        return f"{account} now plays {player}. Put in the outbox for {account}, of what {player} was told before: {put}."
    told = any(one.audience == player for one in table.record.drafts("posted"))
    return f"{account} now plays {player}, who had {'all your messages already' if told else 'no message of yours so far'}."


def _hand_over(table: Table, player: str) -> int:
    """Put into the outbox again what the seat was told and who has it now was not, and take out what that account has had.

    How many of the former are in it now. A reminder is for the moment alone.
    """
    accounts, put = table.seats().holding(player), 0
    for draft in _of_the_seat(table, player):
        dropped_for_all = draft.state == "dropped" and not draft.had
        if draft.kind == "reminder" or dropped_for_all:
            continue
        done = draft.state in ("posted", "dropped")
        if is_one_of(draft.reached(), accounts):
            if draft.state != "posted":
                table.record.change_draft(draft.id, state="posted", error=None)
            continue
        put += done or draft.had is not None
        if done:
            state = "approved" if table.settings.publish[draft.kind] == "auto" else "review"
            table.record.change_draft(draft.id, state=state, post=None, link=None, error=None)
    return put


def _of_the_seat(table: Table, player: str) -> list[Draft]:
    return [one for one in table.record.drafts() if one.audience == player and not _COPIED.fullmatch(one.key)]


def know_who_was_told(table: Table, player: str) -> None:
    """Keep with each message of the seat which accounts it has reached, where an earlier version sent it and did not.

    That version copied what had gone out for whoever took the seat over: what was not copied went to who has the seat now. A copy
    that still waits goes out no more: the message itself does, where it is to.
    """
    record, copies = table.record, [one for one in table.record.drafts() if one.audience == player and _COPIED.fullmatch(one.key)]
    for draft in _of_the_seat(table, player):
        if draft.state != "posted" or draft.had is not None:
            continue
        own = [(int(found[1]), copy) for copy in copies if (found := _COPIED.fullmatch(copy.key)) and int(found[2]) == draft.id]
        holders = [own[0][0] - 1 if own else None, *(entry for entry, copy in own if copy.state == "posted")]
        had = [Seats.of(table.settings.players, record.entries(last)).account(player) for last in holders]
        record.change_draft(draft.id, had=json.dumps(list(dict.fromkeys(had))))
    for copy in copies:
        if copy.state not in ("posted", "dropped"):
            record.change_draft(copy.id, state="dropped", error="the seat has changed hands since")


def take_back(table: Table, replacement: Entry) -> str:
    """Who had the seat before has it again, and gets what only the other account was told; what there is to say of it."""
    put = _hand_over(table, replacement.key)
    had = [one for one in _of_the_seat(table, replacement.key) if is_one_of(one.reached(), [replacement.text])]
    said = f" {replacement.text} has {_messages(len(had))} of {replacement.key}'s already." if had else ""
    return said + (f" Put in the outbox for {replacement.key}, who has not had them: {put}." if put else "")


def _messages(number: int) -> str:
    return f"{number} message{'s' * (number != 1)}"
