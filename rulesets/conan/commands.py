"""What the GM may command (Glossary, "GM commands"); carried out before the phase's orders are read."""

from __future__ import annotations

import re

from engine.commands import player_called
from engine.inputs import CommandInput
from rulesets.conan import inactivity
from rulesets.conan.cast import facts
from rulesets.conan.endings import release
from rulesets.conan.work import Scene

SIDES = ("black_org", "town", "lovers")
_FORMS = {
    "modkill": re.compile(r"modkill\s+(.+)", re.IGNORECASE),
    "inactive": re.compile(r"inactive\s+(.+?)(?:\s+actions\s+to\s+(.+?))?(?:\s+votes?\s+to\s+(.+))?", re.IGNORECASE),
    "replace": re.compile(r"replace\s+(.+?)\s+(?:by|with)\s+(.+)", re.IGNORECASE),
    "excuse": re.compile(r"excuse\s+(.+)", re.IGNORECASE),
    "censor": re.compile(r"censor\s+will\s+(.+?)\s*:\s*(.+)", re.IGNORECASE | re.DOTALL),
    "drop": re.compile(r"drop\s+will\s+(.+)", re.IGNORECASE),
    "end": re.compile(r"end\s+game\s*:?\s*(\w+)", re.IGNORECASE),
    "continue": re.compile(r"continue\s+game", re.IGNORECASE),
    "answer": re.compile(r"answer\s+(.+)\s*:\s*(\w+)", re.IGNORECASE),
    "release": re.compile(r"release\s+(.+)", re.IGNORECASE),
}


def command(scene: Scene, given: CommandInput) -> None:
    """Carry out one command, or refuse it."""
    text = given.text.strip()
    for name, form in _FORMS.items():
        if (found := form.fullmatch(text)) is not None:
            if not _DO[name](scene, [part or "" for part in found.groups()]):
                scene.refuse(text, "CON-GEN-16")
            return
    scene.refuse(text, "CON-GEN-16")


def _called(scene: Scene, text: str) -> str | None:
    """The seat that is called so: by its first name, an alias, or the name of somebody who has taken it over."""
    wanted = " ".join(text.split())
    later = (seat for seat, names in scene.state.renamed.items() if wanted.casefold() in map(str.casefold, names))
    return player_called(scene.state.game, wanted) or next(later, None)


def _modkill(scene: Scene, parts: list[str]) -> bool:
    from rulesets.conan.killing import die

    player = _called(scene, parts[0])
    if player is None or not scene.state.alive(player) or scene.gone(player):
        return False
    die(scene, player, "modkill", "CON-COND-21")
    scene.present = tuple(name for name in scene.present if not scene.gone(name))
    return True


def _inactive(scene: Scene, parts: list[str]) -> bool:
    player = _called(scene, parts[0])
    receivers = [_called(scene, part) if part else None for part in parts[1:]]
    wrong = any(part and (name is None or not scene.state.free(name)) for part, name in zip(parts[1:], receivers, strict=True))
    if player is None or not scene.state.alive(player) or player in scene.state.inactive or wrong:
        return False
    inactivity.split(scene, player, *receivers)
    inactivity.pass_on(scene)
    return True


def _replace(scene: Scene, parts: list[str]) -> bool:
    """Somebody new takes the seat over, and is the same role in every respect.  CON-INACT-03 -04"""
    player, name = _called(scene, parts[0]), " ".join(parts[1].split())
    if player is None or not scene.state.alive(player) or _called(scene, name) not in (None, player):
        return False
    if name == scene.state.called(player):
        return False
    if player in scene.state.inactive:
        inactivity.give_back(scene, player, "CON-INACT-03")
    scene.announce("replacement", "CON-INACT-04", player=scene.state.called(player), by=name)
    scene.record("renamed", "CON-INACT-03", player=player, name=name)
    return True


def _excuse(scene: Scene, parts: list[str]) -> bool:
    player = _called(scene, parts[0])
    if player is None:
        return False
    scene.excused.add(player)
    return True


def _censor(scene: Scene, parts: list[str]) -> bool:
    player = _called(scene, parts[0])
    if player is None:
        return False
    scene.dropped_wills[player] = parts[1].strip()
    return True


def _drop(scene: Scene, parts: list[str]) -> bool:
    player = _called(scene, parts[0])
    if player is None:
        return False
    scene.dropped_wills[player] = None
    return True


def _end(scene: Scene, parts: list[str]) -> bool:
    if parts[0].lower() not in SIDES:
        return False
    scene.ended = parts[0].lower()
    return True


def _continue(scene: Scene, parts: list[str]) -> bool:
    scene.ended = "continue"
    return True


def _answer(scene: Scene, parts: list[str]) -> bool:
    question = parts[0].strip()
    if question.partition(":")[0] not in facts()["asks"]:
        return False
    scene.answered[question] = parts[1].lower()
    return True


def _release(scene: Scene, parts: list[str]) -> bool:
    player = _called(scene, parts[0])
    if player is None or not scene.state.jailed(player):
        return False
    release(scene, player, "CON-LAWSUIT-02")
    scene.in_jail -= {player}
    return True


_DO = {
    "modkill": _modkill, "inactive": _inactive, "replace": _replace, "excuse": _excuse, "censor": _censor, "drop": _drop,
    "end": _end, "continue": _continue, "answer": _answer, "release": _release,
}  # fmt: skip
