"""The command line: arguments in, text or JSON out. Everything heavy is imported where it is used, so that help is quick."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
HERE = click.Path(path_type=Path, file_okay=False)


verbose = click.option("-v", "--verbose", is_flag=True, expose_value=False, help="Show where an error comes from.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print the facts as JSON.")
folder_argument = click.argument("folder", type=HERE, default=Path("."))


def say(text: str, *, err: bool = False) -> None:
    """Print a line in which strangers' names cannot steer the terminal."""
    click.echo(_CONTROL.sub("", text), err=err)


def say_json(value: Any) -> None:
    """Print one JSON object on a line of its own, letters of all scripts as they are."""
    click.echo(json.dumps(value, ensure_ascii=False))


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="nightpost", prog_name="nightpost")
@verbose
def cli() -> None:
    """The Game Master's chores in a forum mafia game: reads, counts, resolves and posts.

    A game is a folder with a game.toml in it; most commands take that folder and use the current one when none is given.
    Exit status: 0 done, 1 something to look at, 2 wrong use or bad input, 3 forum or mailbox not reached (nothing is lost).
    """


@cli.command()
@click.argument("folder", type=HERE)
@click.option("--ruleset", help="Which rules are played.")
@click.option("--title", help="The game's title.")
@click.option("--host", help="The forum account that posts for you.")
@click.option("--url", help="The address of the game's topic.")
@click.option("--saved", help="A folder of saved pages, for a forum that cannot be reached.")
@click.option("--kind", help="The forum program, where it shall not be found out.")
@click.option("--timezone", help="Your time zone, e.g. Europe/Berlin.")
@click.option("--opens", help="When the first phase begins, in your time, e.g. 2026-12-01T20:00:00.")
@click.option("--player", "players", multiple=True, help='A player, "Name" or "Name=role"; once for each.')
@click.option("--deal", is_flag=True, help="Have the roles of players without one dealt.")
@click.option("--contact", help="Mail or web address told to the forum's owner with each request.")
@verbose
def new(folder: Path, **given: Any) -> None:
    """Make a game folder: asks what was not given as an option, and writes a commented game.toml."""
    from desk.new import Answers, make

    asking = sys.stdin.isatty()
    answers: dict[str, Any] = {
        "ruleset": _asked(given["ruleset"], "Ruleset", "danganronpa", asking),
        "title": _asked(given["title"], "Title", folder.resolve().name, asking),
        "host": _asked(given["host"], "Forum account that posts for you", None, asking, "--host"),
        "timezone": _asked(given["timezone"], "Your time zone", "UTC", asking),
        "players": given["players"] or _players_asked(asking),
        **{key: given[key] for key in ("url", "saved", "kind", "opens", "contact")},
    }
    if not answers["url"] and not answers["saved"]:
        answers["url"] = _asked(None, "Address of the topic (or `-` for saved pages)", "-", asking)
        if answers["url"] == "-":
            answers["url"], answers["saved"] = None, "saved"
    unfilled = any("=" not in player for player in answers["players"])
    answers["deal"] = given["deal"] or (unfilled and asking)
    file = make(folder, Answers(**answers))
    say(f"{file} is written. Look it over in a text editor, then: nightpost check {folder}")


def _asked(given: str | None, question: str, default: str | None, asking: bool, flag: str = "") -> str:
    if given:
        return given
    if asking:
        return str(click.prompt(question, default=default))
    if default is None:
        raise click.UsageError(f"give {flag}: {question.lower()} (nobody is at the keyboard to be asked)")
    return default


def _players_asked(asking: bool) -> tuple[str, ...]:
    if not asking:
        raise click.UsageError('give --player "Name" or --player "Name=role" once for each player')
    say("Players, one a line, as Name or Name=role; an empty line ends the list.")
    names: list[str] = []
    while line := str(click.prompt(f"Player {len(names) + 1}", default="", show_default=False)).strip():
        names.append(line)
    return tuple(names)


@cli.command()
@folder_argument
@json_option
@verbose
def check(folder: Path, as_json: bool) -> None:
    """Check game.toml, and name every mistake with its line and its fix."""
    from desk.settings import SettingsRefused, load_settings

    try:
        settings = load_settings(folder)
    except SettingsRefused as refused:
        if as_json:
            rows = [{"file": one.file, "line": one.line, "message": one.message} for one in refused.mistakes]
            say_json({"ok": False, "mistakes": rows})
            raise SystemExit(2) from None
        raise
    facts = {"ok": True, "title": settings.title, "ruleset": settings.game.ruleset, "players": list(settings.game.names)}
    if as_json:
        say_json(facts)
    else:
        say(f"game.toml is in order: {settings.title}, {settings.game.ruleset}, {len(settings.game.names)} players.")


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@verbose
def simulate(files: tuple[Path, ...], as_json: bool) -> None:
    """Rehearse scenario FILES: play each, show the phases, and check what they expect."""
    from rehearsal.report import simulate as rehearse

    raise SystemExit(rehearse(files, as_json=as_json, out=click.echo, err=lambda text: click.echo(text, err=True)))


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="PAGE…")
@click.option("--forum", help="The forum program; found out when not given.")
@click.option("--timezone", default="UTC", show_default=True, help="Time zone of the account that saved the pages.")
@click.option("--now", help='When the pages were saved, for "Today, 7:05"; default: when the newest file was written.')
@verbose
def read(sources: tuple[str, ...], forum: str | None, timezone: str, now: str | None) -> None:
    """Print the posts of one topic as JSON Lines: saved pages in any order, or folders of them."""
    from desk.sources import saved_posts

    thread = saved_posts(sources, forum=forum, timezone=timezone, now=now)
    for post in thread.posts:
        say_json(post.as_json())
    for note in thread.notes:
        say(note, err=True)


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--timezone", default="UTC", show_default=True, help="Time zone of the account whose exports these are.")
@verbose
def mail(paths: tuple[Path, ...], timezone: str) -> None:
    """Print the messages of mailboxes and exports as JSON Lines, each once; folders with all that is in them."""
    from desk.sources import zone_called
    from scraper.mail import read_mail

    for message in read_mail(paths, timezone=zone_called(timezone), notes=lambda note: say(note, err=True)):
        say_json(message.as_json())


@cli.command()
@folder_argument
@json_option
@verbose
def log(folder: Path, as_json: bool) -> None:
    """Show the whole game as it happened: every event of every closed phase, and what it came from."""
    from desk.records import opened, sources_of
    from desk.stories import log_facts

    record = opened(folder)
    _tell_story(log_facts(record.events(), sources_of(record)), as_json)


@cli.command()
@click.argument("asked", metavar="PLAYER|EVENT")
@folder_argument
@json_option
@verbose
def why(asked: str, folder: Path, as_json: bool) -> None:
    """Show what led to a PLAYER's fate, or to the EVENT of that number in the log: posts, orders, draws and clauses."""
    from desk.records import opened, sources_of
    from desk.stories import why_facts

    record = opened(folder)
    facts = why_facts(record.events(), asked, sources_of(record))
    if not facts:
        say(f"Nothing in the record speaks of {asked!r}. Give a player's name, or an event's number in the log.", err=True)
        raise SystemExit(1)
    _tell_story(facts, as_json)


def _tell_story(facts: list[dict[str, Any]], as_json: bool) -> None:
    from desk.stories import story_lines

    if as_json:
        for row in facts:
            say_json(row)
    else:
        for line in story_lines(facts):
            say(line)


def main() -> None:
    """Entry point of the `nightpost` command. Errors become sentences; `-v` shows where they come from."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    loud = any(one == "--verbose" or re.fullmatch(r"-[a-z]*v[a-z]*", one) for one in sys.argv[1:])
    sys.exit(_run(loud))


def _run(loud: bool) -> int:
    try:
        return int(cli.main(prog_name="nightpost", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        say("stopped; nothing was lost", err=True)
        return 130
    except BrokenPipeError:
        # Whoever read our output has gone; keep the interpreter from complaining about it on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _failed(error, loud)


def _failed(error: Exception, loud: bool) -> int:
    """Tell the GM what went wrong, and the exit status that belongs to it."""
    from engine.game import SetupRefused
    from scraper.model import BadInput, SourceError

    if loud:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, SourceError):
        say(f"{error}\n{error.advice}".rstrip(), err=True)
        return 3
    if isinstance(error, (BadInput, SetupRefused)):
        say(str(error), err=True)
        return 2
    hint = "" if loud else " Run it again with -v to see where."
    say(f"Nightpost failed: {type(error).__name__}: {error}. What was recorded is kept.{hint}", err=True)
    return 1


if __name__ == "__main__":
    main()
