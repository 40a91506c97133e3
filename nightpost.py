"""The command line: arguments in, text or JSON out. Everything heavy is imported where it is used, so that help is quick."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from datetime import datetime

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMATS = click.Choice(["bbcode", "markdown", "html"])


class GameFolder(click.Path):
    """A game's folder; its game.toml stands for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The folder as a path."""
        path = Path(value)
        inside = path.name == "game.toml" and path.is_file()
        return super().convert(path.parent if inside else path, param, ctx)


HERE = GameFolder(path_type=Path, file_okay=False)


verbose = click.option("-v", "--verbose", is_flag=True, expose_value=False, help="Show where an error comes from.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print the facts as JSON.")
folder_argument = click.argument("folder", type=HERE, default=Path("."))


def say(text: str, *, err: bool = False) -> None:
    """Print a line in which strangers' names cannot steer the terminal."""
    click.echo(_CONTROL.sub("", text), err=err)


def say_json(value: Any) -> None:
    """Print one JSON object on a line of its own: letters of all scripts as they are, what could steer a terminal escaped."""
    text = json.dumps(value, ensure_ascii=False)
    click.echo(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


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
@click.option("--player", "players", multiple=True, help='A player: "Name", "Name=role", "Name=role,black=…"; once for each.')
@click.option("--deal", is_flag=True, help="Have the roles of players without one dealt.")
@click.option("--contact", help="Mail or web address told to the forum's owner with each request.")
@verbose
def new(folder: Path, **given: Any) -> None:
    """Make a game folder: asks what was not given as an option, and writes a commented game.toml."""
    from desk.asking import Asking, answers
    from desk.new import make, must_be_free

    def ask(question: str, default: str | None) -> str:
        return str(click.prompt(question, default=default, show_default=bool(default)))

    must_be_free(folder)
    file = make(folder, answers(folder, given, Asking(ask if sys.stdin.isatty() else None, say)))
    say(f"{file} is written. Look it over in a text editor, then: nightpost check {folder}")


@cli.command()
@folder_argument
@click.option("--offline", is_flag=True, help="Look at game.toml alone, not at the thread and the mailbox.")
@json_option
@verbose
def check(folder: Path, offline: bool, as_json: bool) -> None:
    """Check game.toml, log in, and look at the thread and the mailbox; every mistake is named with its line and its fix."""
    from desk.settings import SettingsRefused, load_settings

    try:
        settings = load_settings(folder)
    except SettingsRefused as refused:
        if as_json:
            rows = [{"file": one.file, "line": one.line, "message": one.message} for one in refused.mistakes]
            say_json({"ok": False, "mistakes": rows})
            raise SystemExit(2) from None
        raise
    if not as_json:
        say(f"game.toml is in order: {settings.title}, {settings.game.ruleset}, {len(settings.game.names)} players.")
    from desk.sources import Look, changed_since_start, may_not_work, reached, template_faults

    broken = template_faults(settings)
    look = Look() if offline else reached(settings, _now())
    warnings = may_not_work(settings, _now())
    told = [*changed_since_start(settings), *(f"! {one}" for one in broken), *look.told]
    to_mend = [line for line in told if line.startswith("!")]
    if as_json:
        facts = {"title": settings.title, "ruleset": settings.game.ruleset, "players": list(settings.game.names)}
        say_json({"ok": not to_mend, **facts, "warnings": warnings, "told": told})
    for line in (*(f"Warning: {one}" for one in warnings), *told) if not as_json else ():
        say(line)
    raise SystemExit(2 if broken else 3 if look.unreachable else 1 if to_mend else 0)


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@verbose
def simulate(files: tuple[Path, ...], as_json: bool) -> None:
    """Rehearse scenario FILES: play each, show the phases, and check what they expect."""
    from desk.sentences import told
    from rehearsal.report import simulate as rehearse

    raise SystemExit(rehearse(files, as_json=as_json, out=click.echo, err=lambda text: click.echo(text, err=True), told=told))


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option("--forum", help="The forum program; found out when not given.")
@click.option("--timezone", default="UTC", show_default=True, help="Time zone of the account that saved the pages.")
@click.option("--now", help='When the pages were saved, for "Today, 7:05"; default: when each file was written.')
@verbose
def read(sources: tuple[str, ...], forum: str | None, timezone: str, now: str | None) -> None:
    """Print the posts of one topic as JSON Lines. SOURCE is its address, or saved pages in any order, or folders of them."""
    from desk.sources import is_address, live_posts, saved_posts

    if any(is_address(source) for source in sources):
        if len(sources) > 1:
            raise click.UsageError("give one address, or saved pages; not several at once")
        for post in live_posts(sources[0], forum=forum, timezone=timezone):
            say_json(post.as_json())
        return
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
    from desk.notes import SaidOnce
    from desk.sources import zone_called
    from scraper.mail import read_mail

    said = SaidOnce()

    def note(text: str) -> None:
        if fresh := said(text):
            say(fresh, err=True)

    for message in read_mail(paths, timezone=zone_called(timezone), notes=note):
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
    facts = log_facts(record.events(), sources_of(record))
    if not facts:
        say("No phase is closed yet. Of the open one tell nightpost status and nightpost why PLAYER.", err=True)
    _tell_story(facts, as_json)


@cli.command("export")
@folder_argument
@verbose
def export_record(folder: Path) -> None:
    """Write the record of a game that is over, for its players: orders, results, draws and seed, as HTML and JSON."""
    from desk.exporting import export

    for path in export(folder):
        say(f"{path} is written.")


@cli.command()
@click.argument("asked", metavar="PLAYER|EVENT")
@folder_argument
@json_option
@verbose
def why(asked: str, folder: Path, as_json: bool) -> None:
    """Show what led to a PLAYER's fate, or to the EVENT of that number in the log: posts, orders, draws and clauses.

    Of the open phase it shows what is known so far; that is provisional.
    """
    from desk.why import why as told

    facts = told(folder, asked, _now())
    if not facts:
        say(f"Nothing is known of {asked} yet: no event, order or vote names that player.", err=True)
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


@cli.command()
@folder_argument
@json_option
@verbose
def start(folder: Path, as_json: bool) -> None:
    """Begin the game: check everything, deal or take the roles, open the first phase, draft rules, opening and role messages."""
    from desk.dealing import begin, begun_lines

    facts = begin(folder, _now())
    _show(facts, begun_lines, as_json)
    for text in facts["failed"]:
        say(text, err=True)
    raise SystemExit(1 if facts["failed"] else 0)


@cli.command()
@folder_argument
@json_option
@verbose
def tick(folder: Path, as_json: bool) -> None:
    """One run of the worker, for cron: read what is new, count, close what is due, post what may be posted."""
    import scheduler
    from desk.settings import must_be_game

    must_be_game(folder)
    _told(folder, scheduler.tick(folder, now=_now()), as_json)


@cli.command()
@folder_argument
@click.option("--offline", is_flag=True, help="Go by what is known, without reading thread and mail first.")
@json_option
@verbose
def resolve(folder: Path, offline: bool, as_json: bool) -> None:
    """Close the open phase now, whatever its deadline."""
    import scheduler
    from desk.views import just_begun

    if (begun := just_begun(folder, _now())) is not None and sys.stdin.isatty():
        click.confirm(f"{begun} Close it too?", abort=True, err=True)
    _told(folder, scheduler.resolve_now(folder, now=_now(), offline=offline), as_json)


def _told(folder: Path, report: Any, as_json: bool) -> None:
    from desk.notes import in_zone
    from desk.settings import load_settings
    from desk.telling import tick_facts, tick_lines

    _show(tick_facts(folder, report), tick_lines, as_json)
    for text in (*report.held, *report.trouble):
        say(in_zone(text, load_settings(folder).clock.timezone), err=True)
    raise SystemExit(report.status)


@cli.command()
@click.argument("folders", nargs=-1, required=True, type=HERE, metavar="DIR…")
@click.option("--every", default=60.0, show_default=True, help="Seconds between two runs of a game.")
@verbose
def run(folders: tuple[Path, ...], every: float) -> None:
    """Tick any number of games again and again, until told to stop."""
    from datetime import timedelta

    import scheduler
    from desk.telling import Watch, watched

    if every < 1:
        raise click.UsageError("--every is at least one second")
    for line in [watched(folder, _now()) for folder in folders]:
        say(line)
    say(f"Each game is looked at every {every:g} s; Ctrl+C stops, and nothing is lost.")
    scheduler.run(folders, every=timedelta(seconds=every), told=Watch(), say=say)


@cli.command()
@folder_argument
@verbose
def calendar(folder: Path) -> None:
    """Print the deadlines of the game as a calendar file (.ics)."""
    from desk.table import Table
    from publisher.agenda import calendar_of

    click.echo(calendar_of(Table.at(folder), _now()), nl=False)


@cli.command()
@folder_argument
@json_option
@verbose
def status(folder: Path, as_json: bool) -> None:
    """Show the phase, the time left, the tally, who has not voted or ordered, and what waits for you."""
    from desk.views import status_facts, status_lines

    _show(status_facts(folder, _now()), status_lines, as_json)


@cli.command()
@folder_argument
@click.option("--at", metavar="TIME|POST", help="The count as of a time, or as of the post with that id.")
@click.option("--history", "changes", is_flag=True, help="Every change of the count.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Write votes over time to this SVG file.")
@json_option
@verbose
def tally(folder: Path, at: str | None, changes: bool, chart: Path | None, as_json: bool) -> None:
    """Show the count, with the address of each counted post."""
    from desk.tallies import chart as drawn
    from desk.tallies import history_facts, history_lines, tally_lines
    from desk.views import tally_at, tally_history

    if not changes and chart is None:
        _show(tally_at(folder, at, _now()), tally_lines, as_json)
        return
    if at is not None:
        raise click.UsageError("--at is the count at one time; --history and --chart show the whole phase: give one of them")
    label, counts, zone = tally_history(folder, _now())
    if chart is not None:
        try:
            chart.write_text(drawn(counts, label), encoding="utf-8")
        except OSError as error:
            raise click.UsageError(f"{chart} cannot be written: {error.strerror}") from None
        say(f"{chart} is written.", err=True)
    if changes and as_json:
        for row in history_facts(counts):
            say_json(row)
    elif changes:
        for line in history_lines(counts, zone):
            say(line)


@cli.command()
@click.argument("words", nargs=-1, metavar="[answer NUMBER CHOICE | teach PLAYER ALIAS] [DIR]")
@json_option
@verbose
def review(words: tuple[str, ...], as_json: bool) -> None:
    """Show what waits for your decision and what could not be read for sure; answer a question, or teach an alias."""
    from desk import views
    from desk.teaching import teach

    if words[:1] in (("answer",), ("teach",)):
        if len(words) not in (3, 4):
            how = "nightpost review answer NUMBER CHOICE, or: nightpost review teach PLAYER ALIAS"
            raise click.UsageError(f"write: {how}. What has several words stands in quotes.")
        folder = _folder(words[3:])
        say(views.answer(folder, words[1], words[2], _now()) if words[0] == "answer" else teach(folder, words[1], words[2]))
        return
    facts = views.review_facts(_folder(words, ("answer", "teach")), _now())
    _show(facts, views.review_lines, as_json)
    raise SystemExit(1 if facts["questions"] else 0)


@cli.command()
@click.argument("text")
@folder_argument
@json_option
@verbose
def gm(text: str, folder: Path, as_json: bool) -> None:
    """Give a GM command, in quotes: "modkill X", "vote X for Y", "order X: murder Y", "pick X", "undo", …"""
    from desk.commands import command

    said = command(folder, text, _now())
    if as_json:
        say_json({"command": text, "done": said})
    else:
        say(said)


@cli.command()
@folder_argument
@click.option("--order", "orders", multiple=True, metavar='"X: …"', help="An order given late: what would differ is shown.")
@click.option("--read", "readings", multiple=True, metavar='"POST: …"', help="A post read otherwise: what would differ is shown.")
@json_option
@verbose
def preview(folder: Path, orders: tuple[str, ...], readings: tuple[str, ...], as_json: bool) -> None:
    """Show what would come of the open phase if it closed now, each post as it would look; nothing is written.

    With --order or --read only what would differ: `-` is no more, `+` is new.
    """
    from desk.views import preview_facts, preview_lines

    facts = preview_facts(folder, _now(), orders, readings)
    if as_json:
        for change, event in facts["events"]:
            say_json(event.as_json() | ({"change": change} if change else {}))
        return
    for line in preview_lines(facts):
        say(line)


@cli.command()
@click.argument("words", nargs=-1, metavar="[approve|edit|drop ID|FROM-TO|KIND|all …] [DIR]")
@click.option("--text", help="With edit: the new text; without it your editor opens.")
@json_option
@verbose
def outbox(words: tuple[str, ...], text: str | None, as_json: bool) -> None:
    """Show drafts and what has been posted; approve, edit or drop drafts by number, range (3-9), kind (role) or all."""
    from desk import outgoing

    if words and words[0] in outgoing.ACTIONS:
        meant = [word for word in words[1:] if outgoing.means_drafts(word)]
        rest = tuple(word for word in words[1:] if not outgoing.means_drafts(word))
        for word in rest:
            if not Path(word).exists():
                raise click.UsageError(outgoing.no_drafts(word))
        folder = _folder(rest)
        if not meant:
            how = "ID, the number of a draft, or 3-9, or a kind such as role, or all"
            raise click.UsageError(f"say which: nightpost outbox {words[0]} {how}")
        ids = outgoing.picked(folder, words[0], meant)
        for line in outgoing.handle(folder, words[0], ids, lambda body: text if text is not None else click.edit(body), _now()):
            say(line)
        return
    facts = outgoing.outbox_facts(_folder(words, outgoing.ACTIONS))
    if as_json:
        for row in facts:
            say_json(row)
        return
    for line in outgoing.outbox_lines(facts):
        say(line)


@cli.command()
@folder_argument
@json_option
@verbose
def verify(folder: Path, as_json: bool) -> None:
    """Play the whole game again from the raw posts, and check that every outcome and draw comes out the same."""
    import scheduler
    from desk.records import opened

    opened(folder).close()
    differences = scheduler.replay(folder)
    if as_json:
        say_json({"ok": not differences, "differences": differences})
    else:
        for line in differences or ["Every phase comes out as it was."]:
            say(line)
    raise SystemExit(1 if differences else 0)


def _now() -> datetime:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _folder(words: tuple[str, ...], actions: tuple[str, ...] = ()) -> Path:
    """The game's folder, where nothing else is left among the words; `actions` are the words that could have stood first."""
    if words and actions and not Path(words[0]).exists():
        from engine.game import nearest

        if near := nearest(words[0], actions):
            raise click.UsageError(f"`{words[0]}` is neither a folder nor anything to do (did you mean `{near}`?)")
    if len(words) > 1:
        raise click.UsageError(f"too many words: {' '.join(words)}. What has several words stands in quotes.")
    return Path(HERE.convert(words[0], None, None)) if words else Path(".")


def _show(facts: Any, lines: Callable[[Any], Iterable[str]], as_json: bool) -> None:
    if as_json:
        say_json(facts)
    else:
        for line in lines(facts):
            say(line)


@cli.command()
@click.argument("ruleset")
@click.option("--glossary", is_flag=True, help="Ids, order phrases, options and draws instead.")
@click.option("--format", "form", type=FORMATS, default="bbcode", show_default=True, help="The markup of the text.")
@click.option("--json", "as_json", is_flag=True, help="Print the ids, phrases, options and draws as JSON.")
@verbose
def rules(ruleset: str, glossary: bool, form: str, as_json: bool) -> None:
    """Print the rules of RULESET as a post."""
    from desk.glossary import glossary_facts, glossary_text
    from engine.ruleset import load
    from publisher import render

    loaded = load(ruleset)
    dialect = "phpbb" if form == "bbcode" else form
    if as_json:
        say_json(glossary_facts(loaded))
    elif glossary:
        say(f"{render.glossary(loaded, dialect).rstrip()}\n\n{glossary_text(loaded, dialect)}")
    else:
        say(render.rules_post(loaded, {name: option.default for name, option in loaded.options.items()}, dialect))


@cli.command()
@verbose
def demo() -> None:
    """Play a whole small game on a practice forum on this machine."""
    from demo.play import main as play

    raise SystemExit(play(say=say))


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
        shown = io.StringIO()  # it may repeat what was typed, or pasted
        error.show(shown)
        say(shown.getvalue().rstrip("\n"), err=True)
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
    import sqlite3

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
    if isinstance(error, sqlite3.Error):
        say(f"The game's record, game.db, cannot be read: {error}. Nothing was half-written; go on from a copy of it.", err=True)
        return 2
    say(f"Nightpost failed: {type(error).__name__}: {error}. What was recorded is kept. (-v shows where.)", err=True)
    return 1


if __name__ == "__main__":
    main()
