"""Reading one table of `game.toml` key by key: each method takes a key, checks it and notes what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from engine.game import nearest

PUBLISHED = {
    "rules": ("review", "the rules of the game, before it starts"),
    "opening": ("review", "the opening post, with the commitment to the dice"),
    "role": ("review", "each player's role message"),
    "tally": ("auto", "the vote count"),
    "report": ("review", "what a phase brought: deaths, announcements, what comes next"),
    "private": ("review", "results and notices to one player"),
    "receipt": ("auto", "how a message with orders was read, where `[mail] receipts` is true"),
    "reminder": ("review", "before a deadline: one post, and a message to each player who has not acted"),
}
"""Kind of post → whether it is posted without asking where the GM says nothing, and what it is."""
TALLY_MODES = ("edit", "new", "request")
_SECRET = re.compile(r"pass(word|wd|phrase)?|pwd|token|cookie|api_?key|secret|credentials?|login", re.IGNORECASE)
_SECRET_ADVICE = (
    "secrets do not belong in game.toml: take it out, and set NIGHTPOST_USER and NIGHTPOST_PASSWORD in the environment "
    "or store them in the system keyring (docs/forums.md)"
)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The rest of a sentence that names the nearest right word, or all of them where none is near and they are few."""
    listed = list(known)
    if close := nearest(word, listed):
        return f" (did you mean `{close}`?)"
    return f" (known: {', '.join(listed)})" if 0 < len(listed) <= 10 else ""


def no_zone(name: str) -> str:
    """That no time zone is called so, with the nearest that is."""
    hint = nearest(name.split("/")[-1], {zone.split("/")[-1].lower(): "" for zone in available_timezones()})
    full = next((zone for zone in sorted(available_timezones()) if hint and zone.lower().endswith(hint)), None)
    meant = f" (did you mean `{full}`?)" if full else ""
    return f"no time zone is called `{name}`; write it as in Europe/Berlin{meant}"


class Table:
    """A table of `game.toml`, with where it stands, whom to tell of mistakes, and whom to ask about keys spelt wrong."""

    def __init__(
        self, data: dict[str, Any], path: tuple[str, ...], wrong: Callable[[tuple[str | int, ...], str], None],
        misspelling: Callable[[tuple[str, ...], Iterable[str]], bool],
    ) -> None:  # fmt: skip
        self.data, self.path, self._wrong, self._misspelling = data, path, wrong, misspelling
        self.seen: set[str] = set()

    def wrong(self, key: str, message: str) -> None:
        """Note a mistake at `key`."""
        self._wrong((*self.path, key), message)

    def text(self, key: str, *, needed: str | None = None) -> str | None:
        """A text; None where there is none. `needed` says what it is for where it must be there."""
        self.seen.add(key)
        value = self.data.get(key)
        if value is None:
            if needed:
                self.wrong(key, f"`{key}` is missing: {needed}")
            return None
        if not isinstance(value, str) or not value.strip():
            self.wrong(key, f'`{key}` is a text in quotes, e.g. {key} = "…"')
            return None
        return value.strip()

    def texts(self, key: str) -> list[str]:
        """A list of texts, empty where there is none."""
        self.seen.add(key)
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            self.wrong(key, f'`{key}` is a list of texts, e.g. {key} = ["…", "…"]')
            return []
        return [one.strip() for one in value]

    def flag(self, key: str, default: bool) -> bool:
        """Yes or no."""
        self.seen.add(key)
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            self.wrong(key, f"`{key}` is true or false, without quotes")
            return default
        return value

    def number(self, key: str, *, whole: bool = False) -> float | None:
        """A number above 0; None where there is none."""
        self.seen.add(key)
        value = self.data.get(key)
        if value is None:
            return None
        right = int if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, right) or value <= 0:
            self.wrong(key, f"`{key}` is a {'whole ' if whole else ''}number above 0, without quotes")
            return None
        return value

    def numbers(self, key: str) -> list[float]:
        """A list of numbers above 0, empty where there is none."""
        self.seen.add(key)
        value = self.data.get(key, [])
        if not isinstance(value, list) or any(
            isinstance(one, bool) or not isinstance(one, (int, float)) or one <= 0 for one in value
        ):
            self.wrong(key, f"`{key}` is a list of numbers above 0, e.g. {key} = [24, 3]")
            return []
        return value

    def choice(self, key: str, among: tuple[str, ...]) -> str | None:
        """One of a few words; None where there is none."""
        value = self.text(key)
        if value is not None and value not in among:
            hint = f" (did you mean `{close}`?)" if (close := nearest(value, among)) else ""
            self.wrong(key, f"`{key}` cannot be `{value}`; it may be {', '.join(among)}{hint}")
            return None
        return value

    def zone(self, key: str) -> str:
        """A time zone's name, UTC where there is none."""
        value = self.text(key) or "UTC"
        try:
            ZoneInfo(value)
        except (KeyError, OSError, ValueError):
            self.wrong(key, no_zone(value))
            return "UTC"
        return value

    def moment(self, key: str, zone: str) -> datetime | None:
        """A date and time, in `zone` where it has no offset of its own; in UTC afterwards. None where there is none."""
        self.seen.add(key)
        value = self.data.get(key)
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value) if len(value.strip()) > len("2026-12-01") else date.fromisoformat(value)
            except ValueError:
                value = "unreadable"
        if value is None:
            return None
        if not isinstance(value, datetime):
            without = " (the time of day is missing)" if isinstance(value, date) else ""
            self.wrong(key, f"`{key}` is a date and time, e.g. {key} = 2026-12-01T20:00:00{without}")
            return None
        if value.tzinfo:
            return value.astimezone(UTC)
        moment = value.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        if (shown := moment.astimezone(ZoneInfo(zone))).replace(tzinfo=None) != value:
            self.wrong(key, f"there is no {value:%H:%M} on {value:%Y-%m-%d} in {zone}: clocks go forward then, to {shown:%H:%M}")
        return moment

    def hour(self, key: str) -> time | None:
        """A time of day; None where there is none."""
        self.seen.add(key)
        value = self.data.get(key)
        if isinstance(value, str):
            try:
                value = time.fromisoformat(value)
            except ValueError:
                value = "unreadable"
        if value is None or (isinstance(value, time) and value.tzinfo is None):
            return value
        self.wrong(key, f"`{key}` is an hour of the day, e.g. {key} = \"20:00\"")
        return None

    def refuse_secret(self, key: str) -> bool:
        """Whether `key` names a secret, which is then refused with the advice where to put it."""
        if _SECRET.fullmatch(key) or _SECRET.search(key.rsplit("_", 1)[-1]):
            self.wrong(key, f"`{key}`: {_SECRET_ADVICE}")
            return True
        return False

    def close(self) -> None:
        """Refuse every key that nobody asked for."""
        for key in self.data:
            if key in self.seen or self.refuse_secret(key):
                continue
            if not self._misspelling((*self.path, key), sorted(self.seen)):
                where = f" in [{'.'.join(self.path)}]" if self.path else ""
                self.wrong(key, f"unknown key `{key}`{where}{did_you_mean(key, sorted(self.seen))}")
