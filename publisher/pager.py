"""Notices to the GM, wherever the GM wants them: mail, phone or chat, through `apprise`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from publisher.delivery import waiting_for_the_gm

if TYPE_CHECKING:
    from desk.table import Table
    from scheduler import Report
    from store.record import Record

VARIABLE = "NIGHTPOST_NOTIFY"
"""Where the addresses stand, parted by blanks: they hold passwords, so never in game.toml."""

KEPT = 200
"""How many of the things told are remembered besides the drafts that still wait."""

UNSENT = "notices unsent"
"""The bookmark that says that the last try to tell the GM something failed."""
NOT_ARRIVED = (
    f"What you were to be told did not arrive at any address of {VARIABLE}. It is tried again with each tick; look whether the "
    "addresses are right, and the passwords in them."
)

Send = Callable[[str, str], bool]


def page(table: Table, report: Report, now: datetime, send: Send | None = None) -> None:
    """Tell the GM what is new since last time: trouble, questions, drafts to look over or stuck, phases resolved. Once each.

    Nothing is sent where no address is set. What cannot be sent is tried again with the next tick, and stops nothing.
    """
    send = send or _apprise()
    if send is None:
        return
    told = table.record.bookmark("paged") or {"notice": 0, "said": []}
    waiting = {f"draft {one.id}" for one in table.record.drafts("review")}
    waiting |= {f"stuck {one.id}" for one in waiting_for_the_gm(table.record)}
    out = {key for key in told["said"] if key.startswith(("draft ", "stuck "))} - waiting
    if out:  # what was approved or has gone out may be in trouble once more, and that is news
        told |= {"said": [key for key in told["said"] if key not in out]}
        table.record.set_bookmark("paged", told)
    lines = list(_news(table, report, told))
    notices = table.record.notices_after(told["notice"])
    text = [*(line for _, line in lines), *(one.text for one in notices)]
    if not text:
        return
    arrived = send(f"{table.settings.title}: {len(text)} to look at", "\n".join(text))
    if arrived == bool(table.record.bookmark(UNSENT)):  # else it is as it was last time
        table.record.set_bookmark(UNSENT, not arrived)
        if not arrived:
            table.record.notice(now, NOT_ARRIVED)
    if arrived:
        said = [*told["said"], *(key for key, _ in lines)]
        said = [key for key in said[:-KEPT] if key in waiting] + said[-KEPT:]
        last = notices[-1].seq if notices else told["notice"]
        table.record.set_bookmark("paged", {"notice": last, "said": said})


def tell_again(record: Record, id_: int) -> None:
    """Of a draft that the GM has approved: where it comes back to be looked over, that is news."""
    told = record.bookmark("paged")
    if told is not None:
        record.set_bookmark("paged", told | {"said": [key for key in told["said"] if key != f"draft {id_}"]})


def _news(table: Table, report: Report, told: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """What has not been told: a key for each, and the sentence."""
    asks = table.settings.ruleset().facts.get("questions", {})
    found = [
        (f"question {one.key}", f"A question waits: {asks.get(one.question, one.question)} (nightpost review)")
        for one in report.questions
    ]
    found += [(f"closed {label}", f"Resolved: {label}") for label in report.closed]
    found += [
        (f"draft {one.id}", f"To look over: {one.title}, to {one.audience} (nightpost outbox)")
        for one in table.record.drafts("review")
    ]
    found += [
        (f"stuck {one.id}", f"Not out yet: {one.title}, to {one.audience}. {one.error} (nightpost outbox)")
        for one in waiting_for_the_gm(table.record)
    ]
    return ((key, line) for key, line in found if key not in told["said"])


def unusable() -> list[int]:
    """Which of the addresses, counted from 1, cannot be sent to. The addresses themselves are secrets."""
    addresses = os.environ.get(VARIABLE, "").split()
    if not addresses:
        return []
    import apprise

    return [place for place, address in enumerate(addresses, 1) if not apprise.Apprise().add(address)]


def _apprise() -> Send | None:
    addresses = os.environ.get(VARIABLE, "").split()
    if not addresses:
        return None
    import apprise

    boxes = [apprise.Apprise(address) for address in addresses]

    def send(title: str, body: str) -> bool:
        """To all; it has arrived where one of them took it: the others are not made up for by telling this one again."""
        arrived = [bool(box.notify(title=title, body=body, body_format=apprise.NotifyFormat.TEXT)) for box in boxes]
        return any(arrived)

    return send
