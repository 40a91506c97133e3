"""`nightpost new`: a commented `game.toml` from a few answers."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from desk.reading import PUBLISHED
from desk.settings import NAME, SettingsRefused, read_settings
from engine.ruleset import Ruleset, load
from scraper.model import BadInput


@dataclass(frozen=True, slots=True)
class Answers:
    """What the GM was asked. `players` are `Name`, `Name=role` or `Name=role,key=value`; with `deal` those without a
    role are dealt one.

    `opens` is a local time in `timezone` as ISO 8601, None for a game that begins when it is started.
    """

    ruleset: str
    title: str
    host: str
    url: str | None
    saved: str | None
    kind: str | None
    timezone: str
    opens: str | None
    players: tuple[str, ...]
    deal: bool
    contact: str | None


def make(folder: Path, answers: Answers) -> Path:
    """Make the game folder with its `game.toml`, which only its owner may read. Returns the file.

    Raises BadInput for answers that make no game, and then has written nothing.
    """
    file = folder / NAME
    must_be_free(folder)
    text = written(answers, secrets.token_hex(16))
    try:
        read_settings(text, folder)
    except SettingsRefused as refused:
        told = dict.fromkeys(hinted(one.message, answers.players) for one in refused.mistakes)
        raise BadInput("\n".join((*told, "Nothing was written."))) from None
    try:
        for inside in ("mail", "saved"):
            (folder / inside).mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise BadInput(f"{file} cannot be written: {error.strerror}") from None
    return file


def hinted(message: str, players: Sequence[str]) -> str:
    """What is wrong with a player, with the place where a key that is missing is written in an answer."""
    if undealt := re.match(r"(.+?) has no role", message):
        return f"{undealt[0]}: write it as {undealt[1]}=ROLE, or give --deal to have roles dealt"
    missing = re.match(r"(.+?): .*\badd `(\w+)`", message)
    line = next((one for one in players if missing and one.partition("=")[0].strip() == missing[1]), None)
    return message if missing is None or line is None else f"{message}. Write it as {line},{missing[2]}=ROLE"


def must_be_free(folder: Path) -> None:
    """Raises BadInput where the folder holds a game already."""
    file = folder / NAME
    if file.exists():
        raise BadInput(f"there is already a {file}; it was left as it is")


def written(answers: Answers, seed: str) -> str:
    """The text of `game.toml` for these answers."""
    ruleset = load(answers.ruleset)
    parts = [_head(answers, seed), _thread(answers), _clock(answers), _players(answers)]
    if answers.deal:
        parts.append(_deal(answers, ruleset))
    parts += [_options(ruleset), _publish(), _TALLY, _mail(answers)]
    return "\n".join(parts)


def _head(answers: Answers, seed: str) -> str:
    contact = f"contact = {_text(answers.contact)}" if answers.contact else '# contact = "you@example.org"'
    return f"""\
# What Nightpost needs to know of this game. `nightpost check` names every mistake. All keys: docs/game-file.md.
# No passwords here: they come from NIGHTPOST_USER and NIGHTPOST_PASSWORD or the system keyring.

ruleset = {_text(answers.ruleset)}
title = {_text(answers.title)}
host = {_text(answers.host)}    # the forum account that posts for you
{contact}    # told to the forum's owner with each request

# Keys the dice. Keep it to yourself until the game is over; its hash is in the opening post.
seed = {_text(seed)}

# Questions whose default holds without asking you, e.g. ["tie"]
waive = []
{_start(answers)}"""


def _start(answers: Answers) -> str:
    """The first phase, where a game of one's own begins with another than a game taken over does."""
    first = load(answers.ruleset).facts.get("begins")
    if first is None:
        return ""
    return f"\n# The first phase. Without it the game begins after that, with what [setup] says of it.\nstart = {_text(first)}\n"


def _thread(answers: Answers) -> str:
    lines = ["[thread]"]
    lines.append(f"url = {_text(answers.url)}" if answers.url else '# url = "https://…"    # the topic of the game')
    lines.append(f"kind = {_text(answers.kind)}" if answers.kind else '# kind = "phpbb"    # found out where left away')
    lines.append(f"saved = {_text(answers.saved)}" if answers.saved else '# saved = "saved"    # a folder of saved pages instead')
    lines.append(f"timezone = {_text(answers.timezone)}    # in which the forum shows times to your account")
    return "\n".join(lines) + "\n"


def _clock(answers: Answers) -> str:
    example = "# opens = 2026-12-01T20:00:00    # when the first phase begins"
    opens = f"opens = {_local(answers.opens)}" if answers.opens else example
    return f"""\
[clock]
timezone = {_text(answers.timezone)}
{opens}
# ends = 2026-12-03T20:00:00    # its deadline, where it is not as long as the options say
# at = "20:00"    # every deadline at this hour
# reminders = [24, 3]    # so many hours before a deadline
# early = true    # end a phase once all have voted; "all": every phase, once all have acted
# counts_from = "announcement"    # a phase's hours count from its opening report
# floating = true    # a deadline ends nothing until you write ##deadline now in the thread
# calendar = "deadlines.ics"    # keep a calendar file of the deadlines
# dates = "solar_hijri"    # the calendar in which posts give the day
"""


def _local(text: str) -> str:
    """A local time as TOML writes it. Raises BadInput for what is none."""
    try:
        date.fromisoformat(text)
    except ValueError:
        pass
    else:
        raise BadInput(f"`{text}` has no time of day: write it as in {text}T20:00; nothing was written.")
    try:
        return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=None).isoformat()
    except ValueError:
        raise BadInput(f"`{text}` is not a time such as 2026-12-01T20:00, in your own time zone; nothing was written.") from None


def _players(answers: Answers) -> str:
    lines = ["# Name = \"role\", or a table: { role = \"…\", aliases = [\"Nick\"], account = \"forum name\" }", "[players]"]
    for name, fields in map(_player, answers.players):
        table = "{ " + ", ".join(f"{key} = {_text(value)}" for key, value in fields.items()) + " }" if fields else "{}"
        lines.append(f"{_text(name)} = {_text(fields['role']) if list(fields) == ['role'] else table}")
    return "\n".join(lines) + "\n"


def _player(answer: str) -> tuple[str, dict[str, str]]:
    """A player's name, and the fields of `game.toml` that were answered. Raises BadInput for what is no player."""
    name, _, given = answer.partition("=")
    role, *more = (part.strip() for part in given.split(","))
    fields = {"role": role} if role else {}
    for part in more:
        key, equals, value = part.partition("=")
        if not equals or not re.fullmatch(r"[\w-]+", key.strip()):
            raise BadInput(f"`{answer}` is no player: write Name=role, or Name=role,black=talent. Nothing was written.")
        fields[key.strip()] = value.strip()
    return name.strip(), fields


def _deal(answers: Answers, ruleset: Ruleset) -> str:
    """The deck that the ruleset offers for so many players."""
    remark = "# One `role` for every player without one above; each entry of other lists goes to one of them besides."
    held = {name: fields for name, fields in map(_player, answers.players) if "role" in fields}
    lines = [f"{field} = {_list(list(cards))}" for field, cards in ruleset.deck(len(answers.players), held).items()]
    return "\n".join((remark, "[deal]", *lines, ""))


def _options(ruleset: Ruleset) -> str:
    lines = ["# The ruleset's own options, as they are when left away.", "[options]"]
    for name, option in ruleset.options.items():
        others = f" (or {', '.join(map(json.dumps, option.others))})" if option.others else ""
        lines.append(f"# {name} = {json.dumps(option.default)}    # {option.meaning}{others}")
    return "\n".join(lines) + "\n"


def _publish() -> str:
    lines = ["# `auto`: posted without asking you. `review`: waits in `nightpost outbox`.", "[publish]"]
    lines += [f'{kind} = "{default}"    # {meaning}' for kind, (default, meaning) in PUBLISHED.items()]
    return "\n".join(lines) + "\n"


_TALLY = """\
[tally]
mode = "edit"    # one post kept current; "new": one every_posts or every_hours; "request": when a player asks
# every_posts = 30
# every_hours = 12
"""


def _mail(answers: Answers) -> str:
    return f"""\
[mail]
forum = true    # read private messages on the forum
paths = ["mail"]    # exports dropped here are read too
timezone = {_text(answers.timezone)}    # of times in them that name no zone
# receipts = true    # answer each message with orders with how it was read
"""


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: list[str]) -> str:
    return "[\n" + "".join(f"  {_text(value)},\n" for value in values) + "]"
