"""Events: what resolving produced. One list of them serves the thread, the players' messages, the GM's log and the tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Visibility = Literal["public", "private", "gm"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a phase, decided where it is made and never changed afterwards.

    `data` holds the fields that the kind has (`to`, `player`, `topic`, …), JSON values only. `visibility` says who sees it:
    everyone, the player in `to` (or `player` where there is no `to`), or the GM alone. `secret` names the fields of a public
    or private event that only the GM may see, such as the killer in a `death`. `why` lists the clauses that produced it;
    `source` is the id of the post, order or command that it came from, where there is one.
    """

    kind: str
    phase: str
    visibility: Visibility
    why: tuple[str, ...]
    data: Mapping[str, Any] = field(default_factory=dict)
    secret: tuple[str, ...] = ()
    source: str | None = None

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The field `key`, or `default` where the event has none."""
        return self.data.get(key, default)

    @property
    def reader(self) -> str | None:
        """The player to whom a private event belongs; None for a public one and for the GM's."""
        return self.data.get("to", self.data.get("player")) if self.visibility == "private" else None

    def as_json(self) -> dict[str, Any]:
        """The object that `simulate --json` prints: everything, as the GM sees it."""
        return {
            "kind": self.kind, **self.data,
            "phase": self.phase, "visibility": self.visibility, "why": list(self.why),
        }  # fmt: skip

    def for_public(self) -> Self | None:
        """The event as everybody may see it, secret fields left out; None where it is not public."""
        return self._without_secrets() if self.visibility == "public" else None

    def for_player(self, name: str) -> Self | None:
        """The event as the player `name` may see it privately; None where it is not addressed to that player."""
        return self._without_secrets() if self.reader == name else None

    def _without_secrets(self) -> Self:
        shown = {key: value for key, value in self.data.items() if key not in self.secret}
        return type(self)(self.kind, self.phase, self.visibility, self.why, shown)

    def to_record(self) -> dict[str, Any]:
        """All of the event as JSON values, for the log."""
        return {
            "kind": self.kind, "phase": self.phase, "visibility": self.visibility, "why": list(self.why),
            "data": dict(self.data), "secret": list(self.secret), "source": self.source,
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The event that `to_record` wrote."""
        return cls(
            record["kind"], record["phase"], record["visibility"], tuple(record["why"]), record["data"],
            tuple(record["secret"]), record["source"],
        )  # fmt: skip
