"""Monokuma's commands and regulations (DAN-REG, DAN-PUN, DAN-WIN-09, DAN-PHASE-13, DAN-TAL-15)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from engine.choices import Question
from engine.commands import player_called
from engine.inputs import CommandInput
from parser.names import Ambiguous, Found, Unknown
from rulesets.danganronpa.cast import unused_text
from rulesets.danganronpa.reading import roster_of
from rulesets.danganronpa.work import School


def command(school: School, order: CommandInput) -> None:
    """Carry out one command, or refuse it with the reason: then it changes nothing and play goes on.  DAN-TAL-15"""
    text = " ".join(order.text.split())
    word, _, rest = text.partition(" ")
    known: dict[str, Callable[[School, str], str | None]] = {
        "violation": _violation, "punish": _punish, "regulation": _regulation, "modkill": _modkill, "end": _end_game,
    }  # fmt: skip
    carry_out = known.get(word.casefold())
    if carry_out is None:
        reason: str | None = f"there is no command `{word}`"
    elif school.cut_short is not None:
        reason = "the game is being cut short already"
    else:
        reason = carry_out(school, rest)
    if reason is not None:
        school.refuse(order.text, "DAN-TAL-15", reason=reason)


def _student(school: School, text: str) -> tuple[str | None, str]:
    """The student whom `text` names; and why there is none where it names nobody for sure."""
    if (called := player_called(school.state.game, text)) is not None:
        return called, ""
    match roster_of(school.state).match(text):
        case Found(name):
            return name, ""
        case Ambiguous(names):
            return None, f"`{text}` fits {' and '.join(names)}"
        case Unknown(nearest):
            hint = f" (did you mean {nearest}?)" if nearest else ""
            return None, f"nobody is called `{text}`{hint}" if text else "the name of a player is missing"


def _violation(school: School, rest: str) -> str | None:
    """X has broken regulation N in this phase; it must be in force now, and stays on record.  DAN-REG-05, DAN-PUN-02"""
    wanted = re.fullmatch(r"(.+) (\d{1,6})", rest)
    if wanted is None:
        return "write it as `violation X N`, with the number of a regulation"
    player, why_not = _student(school, wanted[1])
    if player is None:
        return why_not
    if int(wanted[2]) not in school.state.regulations:
        in_force = ", ".join(map(str, sorted(school.state.regulations)))
        return f"regulation {wanted[2]} is not in force; those in force are {in_force}"
    school.condition(player, "violator", "DAN-PUN-02")
    return None


def _punish(school: School, rest: str) -> str | None:
    """Murder a violator, in a daily life, which nothing can stop.  DAN-PUN-01 -03 -05"""
    player, why_not = _student(school, rest)
    if player is None:
        return why_not
    if school.kind != "daily_life":
        return f"punishments take place in a daily life, and this is {school.name}"
    if not school.acting(player) or player in school.punished:
        return f"{player} is dead, or punished already"
    if not school.state.has(player, "violator"):
        return f"{player} has broken no regulation; say which with `violation {player} N` first"
    most = school.state.game.options["punishments_per_phase"]
    if len(school.punished) >= most:
        return f"no more than {most} may be punished in one daily life (option `punishments_per_phase`)"
    school.punished.append(player)
    school.doom(player, "punish", "DAN-PUN-01")
    return None


def _regulation(school: School, rest: str) -> str | None:
    """The text of the next regulation.  DAN-REG-03"""
    if not rest:
        return "the text of the regulation is missing"
    school.notice("gm", "regulation_noted", "DAN-REG-03", text=rest)
    return None


def _modkill(school: School, rest: str) -> str | None:
    """X leaves at once, with this cause and no other; nothing X did in the phase counts.  DAN-PHASE-13"""
    player, why_not = _student(school, rest)
    if player is None:
        return why_not
    if not school.state.alive(player):
        return f"{player} is dead"
    school.doomed.pop(player, None)
    school.removed.append(player)
    school.emit("death", "public", "DAN-PHASE-13", secret=("by",), player=player, cause="modkill", by=[], reveal=None)
    return None


def _end_game(school: School, rest: str) -> str | None:
    """Cut the game short.  DAN-WIN-09"""
    words = rest.casefold().split()
    if len(words) != 2 or words[0] != "game" or words[1] not in ("white", "black"):
        return "write it as `end game white` or `end game black`"
    school.cut_short = words[1]
    return None


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
