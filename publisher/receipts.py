"""A receipt for each message with orders: how it was read, what it replaces, what does not count and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from engine.events import Event
from engine.inputs import OrderInput, PhaseInputs
from engine.play import so_far

if TYPE_CHECKING:
    from desk.table import Table
    from publisher.render import Rendered


def receipts(table: Table, now: datetime) -> list[tuple[str, str, Rendered]]:
    """For each message of the open phase that has none yet: its key, the player, and the receipt. None where not wanted."""
    from publisher.drafts import context_of
    from publisher.render import receipt

    phase = table.current()
    if phase is None or not table.settings.mail.receipts:
        return []
    inputs = table.inputs(phase, now)
    made = []
    for order in inputs.orders:
        key = f"receipt {phase.seq} {order.id}"
        if order.id.startswith("message ") and not table.record.was_told(key):
            facts, state = _read(table, inputs, order)
            made.append((key, order.by, receipt(order.by, facts, context_of(table, state, now))))
    return made


def _read(table: Table, inputs: PhaseInputs, order: OrderInput) -> tuple[dict[str, Any], Any]:
    """What the message came to: the orders that stand with it and without it, and what was said of it."""
    phase = table.current()
    assert phase is not None
    names = table.settings.game.names
    in_order = inputs.orders_in_order(names)
    earlier = tuple(in_order[: in_order.index(order)]) if order in in_order else tuple(in_order)
    ruleset, state = table.settings.ruleset(), table.state()

    def outcome(orders: Sequence[OrderInput]) -> Any:
        given = replace(inputs, orders=tuple(orders))
        return so_far(ruleset, state, phase.label, given, table.choices(phase, waive=True))

    before, after = outcome(earlier), outcome((*earlier, order))
    had, has = list(before.standing.get(order.by, ())), list(after.standing.get(order.by, ()))
    own = [event for event in after.events if event.source == order.id]
    return {
        "read": [text for text in has if text not in had],
        "gone": [text for text in had if text not in has],
        "stands": has,
        "refused": [{"action": event["action"], "reason": event["reason"]} for event in own if refusal(event)],
        "unread": [str(event["text"]) for event in own if event.kind == "notice" and event.get("topic") == "unreadable"],
    }, after.state


def refusal(event: Event) -> bool:
    """Whether the event tells a player that an order may not be given."""
    rejected = event.kind == "notice" and event.get("topic") == "order_rejected"
    return rejected or (event.kind == "result" and event.get("value") == "invalid")
