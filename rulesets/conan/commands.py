"""What the GM may command (Glossary, "GM commands"); carried out before the phase's orders are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from engine.commands import COLON, WITH, parted, player_called
from engine.game import nearest
from engine.inputs import CommandInput
from parser.names import Ambiguous, Found, Unknown
from rulesets.conan import inactivity
from rulesets.conan.cast import facts
from rulesets.conan.endings import release
from rulesets.conan.orders import roster_of
from rulesets.conan.work import Scene

SIDES = ("black_org", "town", "lovers")
_FORMS = {
    "modkill": re.compile(r"modkill\s+(.+)", re.IGNORECASE),
    "inactive": re.compile(r"inactive\s+(.+?)(?:\s+actions\s+to\s+(.+?))?(?:\s+votes?\s+to\s+(.+))?", re.IGNORECASE),
    "replace": re.compile(rf"replace\s+(.+{WITH}.+)", re.IGNORECASE),
    "excuse": re.compile(r"excuse\s+(.+)", re.IGNORECASE),
    "censor": re.compile(rf"censor\s+will\s+(.+{COLON}.+)", re.IGNORECASE | re.DOTALL),
    "drop": re.compile(r"drop\s+will\s+(.+)", re.IGNORECASE),
    "end": re.compile(r"end\s+game\s*:?\s*(\w+)", re.IGNORECASE),
    "continue": re.compile(r"continue\s+game", re.IGNORECASE),
    "answer": re.compile(r"answer\s+(.+)\s*:\s*(\w+)", re.IGNORECASE),
    "release": re.compile(r"release\s+(.+)", re.IGNORECASE),
}


def command(scene: Scene, given: CommandInput) -> None:
    """Carry out one command, or refuse it with the reason: then it changes nothing."""
    text = given.text.strip()
    for name, form in _FORMS.items():
        if (found := form.fullmatch(text)) is not None:
            reason = _DO[name](scene, [part or "" for part in found.groups()])
            break
    else:
        reason = _unwritten(text)
    if reason is not None:
        scene.refuse(text, "CON-GEN-16", reason=reason)


def _unwritten(text: str) -> str:
    """Why what is no command as it stands is none: the word, with the nearest known, or the form."""
    usages: Mapping[str, str] = facts()["commands"]
    words = " ".join(text.split())
    usage = next((usages[known] for known in usages if f"{words} ".casefold().startswith(f"{known} ")), None)
    if usage is not None:
        form, _, meaning = usage.rpartition(": ")
        return f"write it as `{form}` ({meaning})"
    length = {known: len(known.split()) for known in usages}
    near = next((known for known in usages if nearest(" ".join(words.split()[: length[known]]), [known])), None)
    hint = f"did you mean `{near}`?" if near else f"there are {', '.join(usages)}"
    return f"there is no command `{words.partition(' ')[0]}` ({hint})"


def _called(scene: Scene, text: str) -> str | None:
    """The seat that is called so: by its first name, an alias, or the name of somebody who has taken it over."""
    wanted = " ".join(text.split())
    later = (seat for seat, names in scene.state.renamed.items() if wanted.casefold() in map(str.casefold, names))
    return player_called(scene.state.game, wanted) or next(later, None)


def _parted(scene: Scene, words: str, separator: str) -> tuple[str, str]:
    """The player named before `separator` and what stands behind it; where that is nobody, as it stands first."""
    ways = list(parted(words, separator))
    return next((way for way in ways if _called(scene, way[0]) is not None), ways[0])


def _nobody(scene: Scene, text: str) -> str:
    """Why a name is nobody's, with the nearest one."""
    match roster_of(scene).match(text):
        case Found(name) | Unknown(str(name)):
            hint = f"did you mean {name}?"
        case Ambiguous(names):
            hint = f"it fits {' and '.join(names)}: write the whole name"
        case _:
            hint = f"the players are {', '.join(map(scene.state.called, scene.state.game.names))}"
    return f"nobody is called `{' '.join(text.split())}` ({hint})"


def _lives(scene: Scene, text: str) -> str | None:
    """Why what is meant for a living player cannot be carried out on that one: nobody's name, or dead."""
    player = _called(scene, text)
    if player is None:
        return _nobody(scene, text)
    return None if scene.state.alive(player) and not scene.gone(player) else f"{player} is dead"


def _modkill(scene: Scene, parts: list[str]) -> str | None:
    from rulesets.conan.killing import die

    player = _called(scene, parts[0])
    wrong = _lives(scene, parts[0])
    if wrong is not None or player is None:
        return wrong
    die(scene, player, "modkill", "CON-COND-21")
    scene.present = tuple(name for name in scene.present if not scene.gone(name))
    return None


def _inactive(scene: Scene, parts: list[str]) -> str | None:
    """Split a player's actions and vote, between the receivers named or drawn.  CON-INACT-05 -19"""
    player = _called(scene, parts[0])
    wrong = _lives(scene, parts[0])
    if wrong is not None or player is None:
        return wrong
    if player in scene.state.inactive:
        return f"{player} is inactive already"
    wrong = next((why for part in parts[1:] if part and (why := _cannot_receive(scene, player, part)) is not None), None)
    if wrong is None and not inactivity.fellows(scene, player):
        wrong = f"nobody else on the side of {player} is at large, so that nobody can be given anything"
    if wrong is not None:
        return wrong
    inactivity.split(scene, player, *(_called(scene, part) if part else None for part in parts[1:]))
    inactivity.pass_on(scene)
    return None


def _cannot_receive(scene: Scene, player: str, text: str) -> str | None:
    """Why that one cannot be given an inactive player's actions or vote.  CON-INACT-05 -19"""
    state, receiver = scene.state, _called(scene, text)
    wrong = _lives(scene, text)
    if wrong is not None or receiver is None:
        return wrong
    if receiver == player:
        return f"{player} cannot be given the own actions or vote"
    if receiver in state.inactive:
        return f"{receiver} is inactive too"
    if state.jailed(receiver):
        return f"{receiver} is in jail"
    return None if state.side(receiver) == state.side(player) else f"{receiver} is not on the side of {player}"


def _replace(scene: Scene, parts: list[str]) -> str | None:
    """Somebody new takes the seat over, and is the same role in every respect.  CON-INACT-03 -04"""
    old, new = _parted(scene, parts[0], WITH)
    player, name = _called(scene, old), " ".join(new.split())
    wrong = _lives(scene, old)
    if wrong is not None or player is None:
        return wrong
    if _called(scene, name) not in (None, player):
        return f"{name} is in the game already"
    if name == scene.state.called(player):
        return f"the seat is called {name} already"
    if player in scene.state.inactive:
        inactivity.give_back(scene, player, "CON-INACT-03")
    scene.announce("replacement", "CON-INACT-04", player=scene.state.called(player), by=name)
    scene.record("renamed", "CON-INACT-03", player=player, name=name)
    return None


def _excuse(scene: Scene, parts: list[str]) -> str | None:
    player = _called(scene, parts[0])
    if player is None:
        return _nobody(scene, parts[0])
    scene.excused.add(player)
    return None


def _censor(scene: Scene, parts: list[str]) -> str | None:
    name, text = _parted(scene, parts[0], COLON)
    player = _called(scene, name)
    if player is None:
        return _nobody(scene, name)
    scene.dropped_wills[player] = text
    return None


def _drop(scene: Scene, parts: list[str]) -> str | None:
    player = _called(scene, parts[0])
    if player is None:
        return _nobody(scene, parts[0])
    scene.dropped_wills[player] = None
    return None


def _end(scene: Scene, parts: list[str]) -> str | None:
    if parts[0].lower() not in SIDES:
        return f"`{parts[0]}` is no side ({_hint(parts[0], SIDES)})"
    scene.ended = parts[0].lower()
    return None


def _continue(scene: Scene, parts: list[str]) -> str | None:
    scene.ended = "continue"
    return None


def _answer(scene: Scene, parts: list[str]) -> str | None:
    question = parts[0].strip()
    word = question.partition(":")[0]
    if word not in facts()["asks"]:
        return f"there is no question `{word}` ({_hint(word, facts()['asks'])})"
    scene.answered[question] = parts[1].lower()
    return None


def unasked(scene: Scene) -> None:
    """An answer to what was not asked in this phase: the GM is told, or would believe it done."""
    for question in [one for one in scene.answered if one not in scene.asked]:
        reason = f"there was no question `{question}` in this phase; one of an earlier phase has had its default"
        scene.refuse(f"answer {question}: {scene.answered[question]}", "CON-GEN-16", reason=reason)


def _hint(word: str, known: Sequence[str]) -> str:
    near = nearest(word, tuple(known))
    return f"did you mean `{near}`?" if near else f"there are {', '.join(known)}"


def _release(scene: Scene, parts: list[str]) -> str | None:
    player = _called(scene, parts[0])
    if player is None:
        return _nobody(scene, parts[0])
    if not scene.state.jailed(player):
        return f"{player} is not in jail"
    release(scene, player, "CON-LAWSUIT-02")
    scene.in_jail -= {player}
    return None


_DO = {
    "modkill": _modkill, "inactive": _inactive, "replace": _replace, "excuse": _excuse, "censor": _censor, "drop": _drop,
    "end": _end, "continue": _continue, "answer": _answer, "release": _release,
}  # fmt: skip
