"""Notes to the GM, each said once, and spans of time in words; sentences put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def ended(text: str) -> str:
    """The text with a full stop, where it does not end a sentence already."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


class SaidOnce:
    """Drops what has been said: a note that comes again as a whole, and a later note's sentences that stood in an earlier one."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, note: str) -> str | None:
        """What of the note is new; None where nothing is."""
        sentences = _SENTENCE_END.split(note.strip())
        fresh = [one for one in sentences if one not in self._said]
        self._said.update(fresh)
        return " ".join(fresh) or None


def said_once(notes: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Notes with their times, oldest first: each as it was last said, without what an earlier one says already."""
    last = {text: at for at, text in notes}
    said = SaidOnce()
    for text, at in sorted(last.items(), key=lambda one: one[1]):
        if fresh := said(text):
            yield at, fresh


def lasting(seconds: float) -> str:
    """A span of time in the two largest units that say something: `16 days 10 hours`, `2 hours 5 minutes`, `1 day`."""
    minutes = int(abs(seconds) // 60)
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [(days, "day"), (hours, "hour")] if days else [(hours, "hour"), (rest, "minute")]
    return " ".join(f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in parts if number) or "less than a minute"
