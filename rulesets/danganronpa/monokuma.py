"""Monokuma's commands and regulations (DAN-REG, DAN-PUN, DAN-WIN-09, DAN-PHASE-13, DAN-TAL-15)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.choices import Question
from engine.inputs import CommandInput
from parser.names import Found
from rulesets.danganronpa.cast import unused_text
from rulesets.danganronpa.reading import roster_of
from rulesets.danganronpa.work import School


def command(school: School, order: CommandInput) -> None:
    """Carry out one command, or refuse it: then it changes nothing and play goes on.  DAN-TAL-15"""
    text = " ".join(order.text.split())
    word, _, rest = text.partition(" ")
    done = False
    if school.cut_short is None:
        match word.casefold():
            case "violation":
                done = _violation(school, rest)
            case "punish":
                done = _punish(school, rest)
            case "regulation":
                done = _regulation(school, rest)
            case "modkill":
                done = _modkill(school, rest)
            case "end":
                done = _end_game(school, rest)
    if not done:
        school.refuse(order.text, "DAN-TAL-15")


def _student(school: School, text: str) -> str | None:
    found = roster_of(school.state).match(text)
    return found.name if isinstance(found, Found) else None


def _violation(school: School, rest: str) -> bool:
    """X has broken regulation N in this phase; it must be in force now, and stays on record.  DAN-REG-05, DAN-PUN-02"""
    wanted = re.fullmatch(r"(.+) (\d{1,6})", rest)
    if wanted is None or int(wanted[2]) not in school.state.regulations:
        return False
    player = _student(school, wanted[1])
    if player is None:
        return False
    school.condition(player, "violator", "DAN-PUN-02")
    return True


def _punish(school: School, rest: str) -> bool:
    """Murder a violator, in a daily life, which nothing can stop.  DAN-PUN-01 -03 -05"""
    player = _student(school, rest)
    if player is None or school.kind != "daily_life" or not school.acting(player) or player in school.punished:
        return False
    if not school.state.has(player, "violator"):
        return False
    if len(school.punished) >= school.state.game.options["punishments_per_phase"]:
        return False
    school.punished.append(player)
    school.doom(player, "punish", "DAN-PUN-01")
    return True


def _regulation(school: School, rest: str) -> bool:
    """The text of the next regulation.  DAN-REG-03"""
    if not rest:
        return False
    school.notice("gm", "regulation_noted", "DAN-REG-03", text=rest)
    return True


def _modkill(school: School, rest: str) -> bool:
    """X leaves at once, with this cause and no other; nothing X did in the phase counts.  DAN-PHASE-13"""
    player = _student(school, rest)
    if player is None or not school.state.alive(player):
        return False
    school.doomed.pop(player, None)
    school.removed.append(player)
    school.emit("death", "public", "DAN-PHASE-13", secret=("by",), player=player, cause="modkill", by=[], reveal=None)
    return True


def _end_game(school: School, rest: str) -> bool:
    """Cut the game short.  DAN-WIN-09"""
    words = rest.casefold().split()
    if len(words) != 2 or words[0] != "game" or words[1] not in ("white", "black"):
        return False
    school.cut_short = words[1]
    return True


def new_regulation(school: School, setup: Sequence[str], defaults: Sequence[str]) -> None:
    """One more regulation comes into force as a daily life opens.  DAN-REG-02 -03 -04"""
    state = school.state
    number = max(state.regulations) + 1
    own = setup[number - 3] if number - 3 < len(setup) else None
    text = state.next_regulation or own
    if text is None:
        default = unused_text(state.regulations, defaults)
        question = Question(f"regulation:{number}", "regulation", (), default, {"number": number})
        text = school.ask(question, "DAN-REG-03")
    school.announce("regulation", "DAN-REG-02", number=number, text=text)
