"""Notes to the GM, each said once, and spans of time in words; sentences put together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from desk.places import local
from engine.events import Event

_MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d)?(?:Z| UTC)(?!\w)")
_VARIES = re.compile(r"^[^:]{1,120}\.\w{2,4}(?=: )|https?://\S+|\d+(?:[-T:. ]+\d+)*Z?")
"""What differs between notes of a kind: the file that one begins with, addresses, numbers and times."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def ended(text: str) -> str:
    """The text with a full stop, where it does not end a sentence already."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


class SaidOnce:
    """Drops what has been said: a note that comes again as a whole, and of a later note the sentences that stood in an
    earlier one, but for its first, which says what it is about.
    """

    def __init__(self) -> None:
        self._said: set[str] = set()

    def __call__(self, note: str) -> str | None:
        """What of the note is new; None where nothing is."""
        sentences = _SENTENCE_END.split(note.strip())
        if self._said.issuperset(sentences):
            return None
        fresh = [one for place, one in enumerate(sentences) if place == 0 or one not in self._said]
        self._said.update(fresh)
        return " ".join(fresh)


@dataclass(frozen=True, slots=True)
class Told:
    """Something that the GM was told: when last (UTC), how it was put then, and how many more of its kind there were."""

    at: str
    text: str
    more: int = 0


def folded(notes: Iterable[tuple[str, str]], names: Iterable[str] = ()) -> list[Told]:
    """Notes with their times, each as it was last said and those of a kind as one, in the order of their last. Of a kind are
    those that differ only in a file's name, numbers, addresses, or which of the players `names` they are about.
    """
    players = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in sorted(names, key=len, reverse=True)) or r"(?!)")
    found: dict[str, Told] = {}
    last = {text: at for at, text in notes}
    for text, at in sorted(last.items(), key=lambda one: one[1]):
        kind = _VARIES.sub("#", players.sub("#", text))
        earlier = found.pop(kind, None)
        found[kind] = Told(at, text, 0 if earlier is None else earlier.more + 1)
    return list(found.values())


def in_zone(text: str, zone: str) -> str:
    """A text with the times in it, which are kept in UTC, as the GM's clock shows them."""

    def shown(found: re.Match[str]) -> str:
        return local(datetime.fromisoformat(f"{found[1]}T{found[2]}+00:00"), zone)

    return _MOMENT.sub(shown, text)


def lasting(seconds: float) -> str:
    """A span of time in the two largest units that say something: `16 days 10 hours`, `2 hours 5 minutes`, `1 day`."""
    minutes = int(abs(seconds) // 60)
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [(days, "day"), (hours, "hour")] if days else [(hours, "hour"), (rest, "minute")]
    return " ".join(f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in parts if number) or "less than a minute"


def for_the_gm(event: Event) -> str:
    """What a phase brought for the GM alone, in a sentence: the key of a night report, a missed phase."""
    if event["topic"] == "inactive_warning":
        return f"{event['player']} sent nothing in {event.phase}: phases missed so far: {event['count']}"
    told = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in event.data.items() if key not in ("to", "topic"))
    return f"{event.phase}, {str(event['topic']).replace('_', ' ')}: {told}"
