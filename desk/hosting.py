"""What the host says to Nightpost in the thread: lines such as `##deadline 24h`, and that a floating deadline is over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from desk.announcing import is_announced, move_deadline
from desk.places import local
from desk.table import BY_THE_HOST
from engine.commands import span
from parser.own import OwnText
from store.order import follows, made_after, place_of

if TYPE_CHECKING:
    from desk.table import Table
    from store.record import PhaseRow

READ = "host"
"""The bookmark that tells up to which version of a post the host's own posts were heeded."""
HEEDED = "host heeded"
"""The bookmark that tells when the host said what set a deadline last."""
_LINE = re.compile(r"##\s*deadline\b(.*)", re.IGNORECASE)
_SHOWN = 60
"""How many letters of a line that was not read the GM is shown."""


def heed_the_host(table: Table, now: datetime) -> None:
    """Carry out what the host's own posts say of the open phase's deadline, each once, and tell the GM.

    `##deadline 24` lets the phase end 24 hours after the post; `##deadline now` ends one whose deadline floats. A line that an
    edit puts in counts from the edit: what was sent before it has come in under the deadline that stood. A post that comes after
    the deadline belongs to the phase that is still to open: it is heeded then. What is new is heeded in the order in which it was
    said: an edit of an earlier page is read behind what was posted since.
    """
    phase = table.current()
    if phase is None:
        return
    read = table.record.bookmark(READ) or 0
    version, part, *heeded = read if isinstance(read, list) else (read, 0)
    waits = False
    rows = [
        (row, [row["seq"], place_of(row["post"])[1]]) for row in table.record.said_by(table.settings.host, version - bool(part))
    ]
    fresh = [(row, place) for row, place in rows if place > [version, part] and place not in heeded]
    for row, place in sorted(fresh, key=lambda one: (_at(one[0]), one[1])):
        at, ends = _at(row), table.ends(phase)
        opener, closer = (None, None) if _is_edit(row) else table.closing_posts(phase)
        if ends is not None and (at > ends or follows(row, closer, ends)):
            waits = True
            continue
        heeded.append(place)
        with table.record.together():
            table.record.set_bookmark(READ, [version, part, *heeded])
            said = _said(row["bbcode"])
            if said is not None and said != _said(row["before"]):
                if (why := _passed_over(table, phase, said, row, opener)) is None:
                    _carry_out(table, phase, said, row, now)
                elif at >= table.record.phases()[0].opened_at:
                    where = row["url"] or f"#{row['post']}"
                    line = f"`##deadline {said[:_SHOWN]}`"
                    table.record.notice(now, f"{line} in your post changed nothing: it was read {why}. {where}")
        phase = table.current() or phase
    read = table.record.extent()[0]
    if not waits and table.record.bookmark(READ) != read:
        table.record.set_bookmark(READ, read)


def _at(row: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(row["said_at"])


def _is_edit(row: dict[str, Any]) -> bool:
    return row["before"] is not None


def _passed_over(table: Table, phase: PhaseRow, said: str, row: dict[str, Any], opener: str | None) -> str | None:
    """Why what the host said is not heeded: it is of a phase that is over, or older than what was heeded last, or ends a phase of
    which the players do not know yet (it was said twice, since it seemed to have done nothing).
    """
    begins = table.begins(phase)
    begun = made_after(row["said_at"], row["seq"], begins.at, begins.post, begins.apart) or follows(row, opener, phase.opened_at)
    if not begun:
        return f"only when {phase.label} had begun"
    if said == "now" and len(table.record.phases()) > 1 and not is_announced(table):
        return f"before {phase.label} was opened in the thread (its report is in the outbox; drop it if you post your own)"
    last = table.record.bookmark(HEEDED)
    return "only after what you wrote later" if last is not None and _at(row) < datetime.fromisoformat(last) else None


def _said(bbcode: str | None) -> str | None:
    """What stands behind the last `##deadline` that has a line or a bold stretch to itself; a number alone is hours."""
    own = OwnText(bbcode or "")
    found: dict[int, str] = {}
    for line in (*own.lines(lambda run: True), *own.lines(lambda run: run.bold or None)):
        if (said := _LINE.fullmatch(line.text)) is None:
            continue
        lasts = said[1].lstrip(" \t\u00a0:=").rstrip(" \t\u00a0.!")
        if lasts or line.at not in found:
            found[line.at] = lasts.casefold()  # of a line and a bold stretch that begins it, the stretch
    return re.sub(r"^\d+$", r"\g<0>h", found[max(found)]) if found else None


def _carry_out(table: Table, phase: PhaseRow, said: str, row: dict[str, Any], now: datetime) -> None:
    at, lasts = datetime.fromisoformat(row["said_at"]), span(said)
    where = row["url"] or f"#{row['post']}"
    place = f"{'an edit of ' if _is_edit(row) else ''}post {row['post']}"
    if said == "now" and table.floats(phase):
        table.record.set_bookmark(HEEDED, row["said_at"])
        table.close_the_float(phase, at, f"{BY_THE_HOST}{place}", now)
        table.record.notice(now, f"You wrote that {phase.label} is over: what was sent until then counts. {where}")
    elif said == "now":
        table.record.notice(
            now, f"`##deadline now` in your post changed nothing: it ends a phase only with `floating = true` in [clock]. "
            f"`nightpost resolve` closes {phase.label}. {where}",
        )  # fmt: skip
    elif lasts is None:
        table.record.notice(
            now, f"`##deadline {said[:_SHOWN]}` in your post was not read: write how long after the post {phase.label} is to "
            f"end, e.g. `##deadline 24h`. Nothing was changed. {where}",
        )  # fmt: skip
    else:
        deadline = table.settings.clock.later(at, lasts)
        table.record.set_bookmark(HEEDED, row["said_at"])
        table.record.add_entry("deadline", f"##deadline {said}, in {place}", now, key=_kept(phase.deadline))
        move_deadline(table, phase, deadline)
        until = local(deadline, table.settings.clock.timezone)
        table.record.notice(now, f"{phase.label} ends at {until}: you wrote `##deadline {said}` in the thread. {where}")


def _kept(deadline: datetime | None) -> str:
    return deadline.isoformat() if deadline is not None else ""
