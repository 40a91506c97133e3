"""`nightpost new` asks what was not given, and looks at each answer as soon as it has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from desk.new import Answers, hinted, written
from desk.places import toml_line
from desk.settings import SettingsRefused, read_settings
from desk.sources import is_address, zone_called
from engine.game import SetupRefused
from engine.ruleset import RULESETS, load
from scraper.model import BadInput

PLAYERS = "Players, one a line, as Name (dealt a role), Name=role or Name=role,key=value; an empty line ends the list."


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is at the keyboard: `ask` puts a question, with its default, and `say` prints a line. Without `ask` it is nobody."""

    ask: Callable[[str, str | None], str] | None
    say: Callable[[str], None]

    def answer(self, question: str, default: str | None, check: Callable[[str], object], *, flag: str = "") -> str:
        """An answer that passes `check`; what is wrong with one is said, and it is asked again.

        Raises BadInput where nobody is there and there is no default.
        """
        if self.ask is None:
            if default is None:
                raise BadInput(f"give {flag}: the {question[0].lower()}{question[1:]} (nobody is at the keyboard to be asked)")
            return default
        while True:
            text = self.ask(question, default).strip()
            try:
                check(text)
            except (BadInput, SetupRefused) as wrong:
                self.say(f"{wrong}.".replace("..", ".") + " Once more:")
                continue
            return text


def answers(folder: Path, given: Mapping[str, Any], asking: Asking) -> Answers:
    """What was given as options, and what the GM answers to the rest. Raises BadInput where nobody can be asked."""
    ruleset = given["ruleset"] or asking.answer(f"Rules ({', '.join(RULESETS)})", "danganronpa", load)
    title = given["title"] or asking.answer("Title", folder.resolve().name, _something)
    host = given["host"] or asking.answer("Forum account that posts for you", None, _something, flag="--host")
    zone = given["timezone"] or asking.answer("Your time zone, as in Europe/Berlin", "UTC", zone_called)
    kind, opens, contact = given["kind"], given["opens"], given["contact"]
    so_far = Answers(ruleset, title, host, given["url"], given["saved"], kind, zone, opens, (), given["deal"], contact)
    players = given["players"] or _players(so_far, asking)
    url, saved = given["url"], given["saved"]
    if not url and not saved:
        url = asking.answer("Address of the topic, or - for saved pages", "-", _address)
        url, saved = (None, "saved") if url == "-" else (url, None)
    unfilled = any("=" not in player for player in players)
    deal = given["deal"] or (unfilled and asking.ask is not None)
    return replace(so_far, players=tuple(players), url=url, saved=saved, deal=deal)


def _players(so_far: Answers, asking: Asking) -> tuple[str, ...]:
    if asking.ask is None:
        raise BadInput('give --player "Name" or --player "Name=role" once for each player')
    asking.say(f"{PLAYERS} The roles: nightpost rules {so_far.ruleset} --glossary")
    names: tuple[str, ...] = ()
    while line := asking.answer(f"Player {len(names) + 1}", "", partial(_fits, so_far, names)):
        names = (*names, line)
    return names


def _fits(so_far: Answers, names: tuple[str, ...], line: str) -> None:
    """Raises BadInput for what is no player in this game, as far as it is known by now."""
    if not line:
        if not names:
            raise BadInput("a game needs players")
        return
    name = line.partition("=")[0].strip()
    if not name:
        raise BadInput("a player needs a name")
    if name.casefold() in (one.partition("=")[0].strip().casefold() for one in names):
        raise BadInput(f"{name} is in the list already")
    before, now = _wrong(so_far, names), _wrong(so_far, (*names, line))
    if fresh := [one for one in now if one not in before]:
        raise BadInput("\n".join(fresh))


def _wrong(so_far: Answers, players: tuple[str, ...]) -> list[str]:
    """What is wrong with a game of these players, each once; not what its deck lacks, for that is made when all are known."""
    unfilled = any("=" not in player for player in players)
    text = written(replace(so_far, saved="saved", url=None, players=players, deal=unfilled), "seed")
    try:
        read_settings(text, Path("."))
    except SettingsRefused as refused:
        deck = toml_line(text, ("deal",))
        wrong = [one.message for one in refused.mistakes if deck is None or one.line is None or one.line < deck]
        return list(dict.fromkeys(hinted(message, players) for message in wrong))
    return []


def _something(text: str) -> None:
    if not text:
        raise BadInput("an answer is needed here")


def _address(text: str) -> None:
    if text != "-" and not is_address(text):
        raise BadInput(f"`{text}` is no address: it begins with https://, as your browser shows it")
