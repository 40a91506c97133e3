"""The words of the game (`words.toml`), and orders, questions and charges written out in them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from rulesets.conan.cast import roles
from rulesets.conan.deeds import CHARGES, NO_CRIMES, VERBS, Question
from rulesets.conan.work import Act

_SLOT = re.compile(r"\{(\w+)(?:\.\.\.)?\}")
_MAY_BE_MISSING = re.compile(r"\([^()]*\)\s?")
ASKED, CHARGED = ("question", "past", "last"), ("charge", "blame")
"""The slots of a phrase that hold a question, and those that hold a charge."""
_THROUGH = {
    "cover": "cover {ally}: {order}", "backup": "backup {role}: {order}", "bowtie": "bow-tie {order}", "fake": "fake {order}",
}  # fmt: skip


@cache
def wording() -> Mapping[str, Mapping[str, str]]:
    """The words of `words.toml`: of ids, of deeds, of crimes, and of the reasons why an order is not entered (CON-GEN-13)."""
    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))


def asked(question: Question) -> str:
    """A question as it is put: `Jd- heals Parkur`, `Jd- healed Parkur on night 1`."""
    verb = wording()["does" if question.when is None else "did"][question.deed]
    return " ".join(part for part in (question.doer, verb, _object(question, VERBS), dated(question.when)) if part)


def charged(question: Question) -> str:
    """A charge as it is brought: `killing Y on night 1`, `disguising as Megure on night 3`."""
    gerund = wording()["charges"][question.deed]
    return " ".join(part for part in (gerund, _object(question, CHARGES | NO_CRIMES), dated(question.when)) if part)


def dated(phase: str | None) -> str:
    """`on night 1`, `in prep`; nothing for no phase."""
    return "" if not phase else f"in {phase}" if phase == "prep" else f"on {phase}"


def _object(question: Question, kinds: Mapping[str, tuple[str, str]]) -> str:
    if isinstance(question.object, tuple):
        return " and ".join(question.object)
    kind, thing = kinds[question.deed][0], question.object or ""
    if kind in ("role", "identity") and thing in roles():
        return roles()[thing].name
    if kind == "identity":
        return thing or "a BO member"
    return thing.replace("_", " ") if kind == "ability" else thing


def written(act: Act) -> str:
    """An order as its sender might have put it: read again, it is the same order."""
    said = _filled(act)
    if act.via in _THROUGH:
        backed_up = roles()[act.more["backed_up"]].name if act.via == "backup" else ""
        return _THROUGH[act.via].format(ally=act.more.get("ally"), role=backed_up, order=said)
    if "by_leader" in act.more:
        return f"order {act.actor} to {said}"
    return said if act.actor == act.to else f"for the inactive player: {said}"


def _filled(act: Act) -> str:
    """The first of the action's phrases that has a slot for everything named, with that in its slots."""
    held = dict(_named(act))
    for phrase in act.action.phrases:
        slots = _SLOT.findall(phrase)
        if "..." in phrase or {slot: slots.count(slot) for slot in slots} == {slot: len(named) for slot, named in held.items()}:
            break
    left = {slot: iter(named) for slot, named in held.items()}
    return _SLOT.sub(
        lambda slot: ", ".join(left[slot[1]]) if "..." in slot[0] else next(left[slot[1]], ""), _MAY_BE_MISSING.sub("", phrase)
    ).strip()


def _named(act: Act) -> Iterator[tuple[str, list[str]]]:
    """Slot → what the order names for it."""
    if act.targets:
        yield "player", list(act.targets)
    if act.role:
        yield "role", [roles()[role].name for role in act.more.get("roles", [act.role])]
    if act.question is not None:
        slot = next(slot for slot in _SLOT.findall(act.action.phrases[0]) if slot in ASKED + CHARGED)
        yield slot, [(charged if slot in CHARGED else asked)(act.question)]
    if "text" in act.more:
        slot = "item" if act.targets else _SLOT.findall(act.action.phrases[0])[0]
        yield slot, [act.more["text"] if slot == "text" else act.more["text"].replace("_", " ")]
