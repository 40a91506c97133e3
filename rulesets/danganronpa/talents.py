"""Talents: what a GM declares, checked and filled in (DAN-FMT-01 to -15). A new talent made of these words needs no code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine.game import SetupRefused, nearest

PHASES = ("trial", "daily_life", "deadly_life")
VOTE_PRIMITIVES = ("add_votes", "remove_votes", "multiply_vote", "redirect_vote", "cancel_vote", "hide_votes")
PRIMITIVES = ("cancel", "block", "redirect", "trace", "learn", "murder", "protect", "revive", "blacken", *VOTE_PRIMITIVES)
FLAGS = ("uncancellable", "unblockable", "unredirectable", "no_revival")
KINDS_OF_ACTION = ("talent", "vote", "hangout", "investigation")
TRACE_LEARNS = ("targets", "actors", "action", "location", "talent")
FACTS_LEARNT = ("team", "talent", "blackened")
VICTORIES = ("survive", "dead", "executed", "blackened", "with_white", "with_black")
RESERVED = ("disrupt", "withdraw", "vote", "hangout", "investigate", "lynch", "punish", "modkill")
"""Ids that no ability may have: the regular actions, and the causes of death that are no ability's."""
ALWAYS_PASSIVES = ("protect", "multiply_vote", "add_votes", "remove_votes", "cancel_vote", "hide_votes")
"""What a passive can do without being aimed at: for the rest `trigger: targeted` must be written (DAN-FMT-12)."""


@dataclass(frozen=True, slots=True)
class Ability:
    """One ability of a talent, every default filled in (DAN-FMT-03 to -12)."""

    id: str
    talent: str
    kind: str
    does: str | None
    grants: tuple[str, ...]
    phases: tuple[str, ...]
    restricted: bool
    self_target: bool
    dead: bool
    targets: int
    uses: int | None
    per_phase: int
    affects: tuple[str, ...]
    of: str
    from_: str
    learns: tuple[str, ...]
    amount: int
    factor: int
    flags: frozenset[str]
    trigger: str
    to: str
    text: str | None

    @property
    def passive(self) -> bool:
        """Whether it works by itself, with no order (DAN-TAL-05)."""
        return self.kind == "passive"

    def reaches(self, group: str) -> bool:
        """Whether a cancel, block, redirect or trace of this ability reaches actions of that kind (DAN-FMT-07)."""
        return group in self.affects or "any" in self.affects


@dataclass(frozen=True, slots=True)
class Talent:
    """A talent as declared. `blackened` is true for every Black talent (DAN-FMT-02)."""

    id: str
    name: str
    colour: str
    blackened: bool
    abilities: tuple[Ability, ...]
    victory: tuple[str, ...]
    ends_game: bool


def starter_talents() -> dict[str, Talent]:
    """The starter set, by id (DAN-SET-01)."""
    rows = yaml.safe_load((Path(__file__).parent / "talents.yaml").read_text(encoding="utf-8"))
    return declare(rows, ())


def declare(rows: Any, path: tuple[str | int, ...]) -> dict[str, Talent]:
    """The talents declared in `rows`, by id. Raises SetupRefused with the place of the mistake (DAN-FMT-14)."""
    if not isinstance(rows, list):
        raise SetupRefused("`talents` must be a list of talents", path)
    talents: dict[str, Talent] = {}
    for number, row in enumerate(rows):
        talent = _talent(row, (*path, number))
        if talent.id in talents:
            raise SetupRefused(f"the talent `{talent.id}` is declared twice", (*path, number, "id"))
        talents[talent.id] = talent
    return talents


class _Row:
    """One map of a declaration, read key by key; what is left over or wrong is refused with its place."""

    def __init__(self, row: Any, what: str, known: Sequence[str], path: tuple[str | int, ...]) -> None:
        if not isinstance(row, Mapping):
            raise SetupRefused(f"{what} must be a map with keys such as `id`", path)
        self.row, self.what, self.path = row, what, path
        for key in row:
            if key not in known:
                raise SetupRefused(f"{what}: unknown key `{key}`", (*path, str(key)), nearest(key, list(known)))

    def id(self) -> str:
        value = self.row.get("id")
        if not isinstance(value, str) or not value.isidentifier() or value != value.lower():
            raise SetupRefused(f"{self.what} needs an `id` in lower_snake", (*self.path, "id"))
        return value

    def text(self, key: str) -> str | None:
        return None if self.row.get(key) is None else str(self.row[key])

    def flag(self, key: str, default: bool) -> bool:
        value = self.row.get(key, default)
        if not isinstance(value, bool):
            raise SetupRefused(f"{self.what}: `{key}` is true or false", (*self.path, key))
        return value

    def number(self, key: str, default: int | None, least: int) -> Any:
        value = self.row.get(key, default)
        if value is None and default is None:
            return None
        if value is None or (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise SetupRefused(f"{self.what}: `{key}` is a whole number from {least}", (*self.path, key))
        return value

    def word(self, key: str, default: str | None, known: Sequence[str]) -> str | None:
        value = self.row.get(key, default)
        if value is not None and value not in known:
            message = f"{self.what}: unknown `{key}` `{value}`; it is one of {', '.join(known)}"
            raise SetupRefused(message, (*self.path, key), nearest(value, list(known)))
        return None if value is None else str(value)

    def words(self, key: str, default: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
        value = self.row.get(key, list(default))
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list):
            raise SetupRefused(f"{self.what}: `{key}` is a list", (*self.path, key))
        for number, word in enumerate(value):
            if word not in known:
                message = f"{self.what}: unknown word `{word}` in `{key}`; known are {', '.join(known)}"
                raise SetupRefused(message, (*self.path, key, number), nearest(word, list(known)))
        return tuple(value)


TALENT_KEYS = ("id", "name", "colour", "blackened", "abilities", "victory", "ends_game")
ABILITY_KEYS = (
    "id", "kind", "does", "grants", "phases", "restricted", "self", "dead", "targets", "uses", "per_phase", "affects",
    "of", "from", "learns", "amount", "factor", "trigger", "to", "text", *FLAGS,
)  # fmt: skip


def _talent(row: Any, path: tuple[str | int, ...]) -> Talent:
    read = _Row(row, f"talent `{row['id']}`" if isinstance(row, Mapping) and "id" in row else "a talent", TALENT_KEYS, path)
    id_ = read.id()
    colour = read.word("colour", None, ("white", "grey", "black"))
    if colour is None:
        raise SetupRefused(f"{read.what} needs a `colour`: white, grey or black", path)
    rows = row.get("abilities") or []
    if not isinstance(rows, list):
        raise SetupRefused(f"{read.what}: `abilities` is a list", (*path, "abilities"))
    abilities = tuple(_ability(one, id_, (*path, "abilities", number)) for number, one in enumerate(rows))
    seen: set[str] = set()
    for number, ability in enumerate(abilities):
        if ability.id in seen:
            raise SetupRefused(f"{read.what} has two abilities `{ability.id}`", (*path, "abilities", number, "id"))
        seen.add(ability.id)
    victory = read.words("victory", (), VICTORIES)
    if colour == "grey" and not victory:
        raise SetupRefused(f"{read.what} is grey and needs a `victory`: {', '.join(VICTORIES)}", path)
    if colour != "grey" and (victory or "ends_game" in row):
        raise SetupRefused(f"{read.what} is {colour}: only a grey talent has a victory of its own", path)
    name = read.text("name") or id_.replace("_", " ").title()
    blackened = read.flag("blackened", False) or colour == "black"
    return Talent(id_, name, colour, blackened, abilities, victory, read.flag("ends_game", False))


def _ability(row: Any, talent: str, path: tuple[str | int, ...]) -> Ability:
    what = f"ability `{row['id']}` of `{talent}`" if isinstance(row, Mapping) and "id" in row else f"an ability of `{talent}`"
    read = _Row(row, what, ABILITY_KEYS, path)
    id_ = read.id()
    if id_ in RESERVED:
        raise SetupRefused(f"{what}: the id `{id_}` means something else in this game already", (*path, "id"))
    kind = read.word("kind", "action", ("action", "passive")) or "action"
    does = read.word("does", None, PRIMITIVES)
    grants = read.words("grants", (), FLAGS)
    if kind == "passive" and (does is None) == (not grants):
        raise SetupRefused(f"{what} is passive and needs either `does` or `grants`", path)
    if kind == "action" and (does is None or grants):
        raise SetupRefused(f"{what} needs `does`, and `grants` belongs to passives only", path)
    trigger = read.word("trigger", "always", ("always", "targeted")) or "always"
    if kind == "passive" and does and trigger == "always" and does not in ALWAYS_PASSIVES:
        raise SetupRefused(f"{what}: a passive {does} needs `trigger: targeted`", path)
    if kind == "passive" and does == "revive":
        raise SetupRefused(f"{what}: a revival cannot be passive, since the passives of the dead stop", path)
    two = does in ("redirect", "redirect_vote")
    targets = read.number("targets", 2 if two else 1, 0)
    if kind == "action" and ((targets == 2) != two or targets > 2):
        allowed = "2, whose action and the new target" if two else "0 or 1"
        raise SetupRefused(f"{what}: `targets` of {does} is {allowed}", (*path, "targets"))
    votes = does in VOTE_PRIMITIVES
    phases = PHASES if kind == "passive" else ("trial",) if votes else ("daily_life",)
    learns = read.words("learns", (), FACTS_LEARNT if does == "learn" else TRACE_LEARNS)
    if does in ("trace", "learn") and not learns:
        raise SetupRefused(f"{what} must say what it `learns`", path)
    return Ability(
        id=id_, talent=talent, kind=kind, does=does, grants=grants, phases=read.words("phases", phases, PHASES),
        restricted=read.flag("restricted", True), self_target=read.flag("self", False),
        dead=read.flag("dead", does == "revive"), targets=targets,
        uses=read.number("uses", None, 0), per_phase=read.number("per_phase", 1, 1),
        affects=read.words("affects", ("talent",), (*KINDS_OF_ACTION, "any")),
        of=read.word("of", "actor", ("actor", "target")) or "actor",
        from_=read.word("from", "this_phase", ("this_phase", "previous_phase")) or "this_phase",
        learns=learns, amount=read.number("amount", 1, 0), factor=read.number("factor", 2, 0),
        flags=frozenset(flag for flag in FLAGS if read.flag(flag, False)), trigger=trigger,
        to=read.word("to", "actor", ("actor", "holder")) or "actor", text=read.text("text"),
    )  # fmt: skip
