"""What the night report is made of: statements, what is true of the night, and what one text may hold (PER-REPORT-04 to -16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

DEATHS = ("died", "died_as", "role_died")
TELLS = {"died": ("player",), "died_as": ("player", "role"), "role_died": ("role",), "count": ("count",), "survived": ("player",)}
"""The kinds of statement → what each tells of (PER-REPORT-06)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a text, of one of five kinds (PER-REPORT-06)."""

    says: str
    player: str | None = None
    role: str | None = None
    count: int | None = None

    def fields(self) -> dict[str, Any]:
        """What the event of the statement tells."""
        found = {"player": self.player, "role": self.role, "count": self.count}
        return {"says": self.says, **{key: value for key, value in found.items() if value is not None}}

    def true_of(self, record: Mapping[str, str]) -> bool:
        """Whether it is so in a night in which these died, each announced with that role (PER-REPORT-07)."""
        match self.says:
            case "died":
                return self.player in record
            case "died_as":
                return self.player is not None and record.get(self.player, "") == self.role
            case "role_died":
                return self.role in record.values()
            case "count":
                return self.count == len(record)
        return self.player not in record


def stated(row: Any) -> Statement | None:
    """The statement written as these fields; None where it is none of the five kinds, or tells more or less than its kind."""
    kind = str(row.get("says")) if isinstance(row, Mapping) else None
    if kind not in TELLS or set(row) != {"says", *TELLS[kind]}:
        return None
    right = all(type(value) is (int if key == "count" else str) for key, value in row.items())
    return Statement(**row) if right else None


@dataclass(frozen=True)
class Night:
    """What the report is about: who was alive, who died and as what, and what no text may say."""

    alive: tuple[str, ...]
    record: dict[str, str]
    roles: tuple[str, ...]
    hidden: dict[str, str]
    """The dead whose true role is hidden tonight (PER-REPORT-11)."""
    known: dict[str, set[str]]
    """The living → the roles no statement may join them with (PER-REPORT-12)."""
    leaving: frozenset[str]
    omitted: frozenset[str] = frozenset()
    minimum: int = 1
    forbidden_roles: frozenset[str] = field(default_factory=frozenset)
    introduced: Mapping[str, str] = field(default_factory=dict)
    """The players whose role everybody knows from the start → that role (PER-SEMI-01)."""
    likely: Mapping[str, float] = field(default_factory=dict)
    """The roles that lies may name → how often, as deaths with them are likely by what everybody knows."""

    def true(self, one: Statement) -> bool:
        """Whether it is so by the night's record (PER-REPORT-07)."""
        return one.true_of(self.record)

    def allowed(self, one: Statement) -> bool:
        """Whether any text may say it (PER-REPORT-11 to -14, -16)."""
        if one.role is not None and one.role not in self.roles:
            return False
        if one.player is not None and one.player not in self.alive:
            return False
        match one.says:
            case "died":
                return one.player not in self.leaving
            case "died_as":
                if one.player in self.record:
                    return self.hidden.get(one.player) != one.role
                return one.player not in self.leaving and one.role not in self.known[one.player or ""]
            case "role_died":
                return one.role not in self.forbidden_roles
        return True

    def kept_silent(self, one: Statement) -> bool:
        """Whether the true text may not say it, since the GM leaves that death out (PER-REPORT-20)."""
        if one.player in self.omitted:
            return True
        others = {role for name, role in self.record.items() if name not in self.omitted}
        return bool(self.omitted) and one.says == "role_died" and one.role not in others

    def truths(self, record: Mapping[str, str] | None = None) -> list[Statement]:
        """All that may be said truly; of another night than this, if `record` is that of another."""
        record = self.record if record is None else record
        found = [Statement("count", count=len(record))]
        found += [Statement("survived", name) for name in self.alive if name not in record]
        for name, role in record.items():
            found += [Statement("died", name), Statement("died_as", name, role), Statement("role_died", role=role)]
        return [one for one in dict.fromkeys(found) if self.allowed(one)]


def least_deaths(text: Sequence[Statement]) -> int:
    """How many players must have died for all of a text to be true."""
    named = {one.player: False for one in text if one.says in ("died", "died_as")}
    named |= {one.player: True for one in text if one.says == "died_as"}
    told = {one.role for one in text if one.says == "died_as"}
    more = {one.role for one in text if one.says == "role_died"} - told
    return len(named) + max(0, len(more) - sum(not with_role for with_role in named.values()))


def possible(text: Sequence[Statement], alive: int) -> bool:
    """Whether some night would make all of it true (PER-REPORT-10)."""
    named: dict[str, str | None] = {}
    survivors, counts = set(), set()
    for one in text:
        if one.says == "survived":
            survivors.add(one.player)
        elif one.says == "count":
            counts.add(one.count)
        elif one.player is not None:
            before = named.get(one.player)
            if before is not None and one.role is not None and before != one.role:
                return False
            named[one.player] = one.role or before
    if survivors & set(named) or len(counts) > 1:
        return False
    least = least_deaths(text)
    most = alive - len(survivors)
    return least <= most and all(count is not None and least <= count <= most for count in counts)


def fits(
    night: Night, text: Sequence[Statement], size: int, false: int, before: Sequence[tuple[Statement, ...]]
) -> bool:  # fmt: skip
    """Whether a text keeps PER-REPORT-04 and -08 to -16."""
    if len(set(text)) != size or len(text) != size or not all(map(night.allowed, text)):
        return False
    if sum(not night.true(one) for one in text) != false or any(set(text) == set(other) for other in before):
        return False
    if false == 0:
        deaths = sum(one.says in DEATHS for one in text)
        there = sum(one.says in DEATHS and not night.kept_silent(one) for one in night.truths())
        if any(map(night.kept_silent, text)) or deaths < min(night.minimum, there, size):
            return False
    return possible(text, len(night.alive))
