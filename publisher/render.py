"""Events to posts, through the templates. Public posts are given public events only, a player's message that player's own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any
from zoneinfo import ZoneInfo

import jinja2

import templates
from engine.events import Event
from engine.game import nearest
from engine.ruleset import Ruleset
from publisher.markup import DIALECTS, Dialect, clean
from publisher.page import thread_page as thread_page
from publisher.sandbox import Sandbox
from rulesets.danganronpa.talents import Talent

_BUILT_IN = Path(templates.__file__).parent
_LINES = 200_000
"""How many lines a template may run through before it counts as going round in circles."""


@dataclass(frozen=True, slots=True)
class Context:
    """What the templates may know besides the events. All of it is public, and `seed` is None until the game is over.

    `now` and `deadline` are aware; `timezone` is the IANA name of the zone in which times are shown. `links` has the address
    of each post by its id as in the tally's `posts`. `templates` is the folder with the GM's own wording, where there is one.
    """

    title: str
    ruleset: str
    dialect: str
    now: datetime
    deadline: datetime | None
    timezone: str
    thread_url: str | None
    links: Mapping[str, str]
    talents: Mapping[str, Talent]
    regulations: Mapping[int, str]
    options: Mapping[str, Any]
    players: tuple[str, ...]
    living: tuple[str, ...]
    commitment: str
    seed: str | None
    templates: Path | None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A post or message ready for the outbox. `error` says what is wrong with the GM's template, and the built-in text stands."""

    kind: str
    title: str
    body: str
    error: str | None


def phase_post(events: Iterable[Event], label: str, context: Context) -> Rendered:
    """The post that closes the phase `label` and opens the next: deaths, reveals, regulations, groups, or the end of the game.

    Only public events are looked at, without their secret fields. DAN-PHASE-06 -07, DAN-REG-06, DAN-WIN-12, DAN-PUN-06
    """
    public = [seen for event in events if (seen := event.for_public()) is not None]
    return _render("report", "phase.j2", f"{context.title}: {label}", context, label=label, events=public, **_sorted(public))


def _sorted(events: list[Event]) -> dict[str, Any]:
    """The public events of a phase by what they say."""

    def announced(topic: str) -> list[Event]:
        return [event for event in events if event.kind == "announce" and event["topic"] == topic]

    def last(kind: str) -> Event | None:
        return next((event for event in reversed(events) if event.kind == kind), None)

    lynch = last("lynch")
    executed = None if lynch is None else lynch["player"]
    reveals = announced("reveal")
    deaths = [event for event in events if event.kind == "death" and event["player"] != executed]
    return {
        "vote_held": lynch is not None,
        "executed": executed,
        "execution_reveal": next((event for event in reveals if event["player"] == executed), None),
        "removed": [event["player"] for event in deaths if event.get("cause") == "modkill"],
        "deaths": [event["player"] for event in deaths if event.get("cause") != "modkill"],
        "reveals": [event for event in reveals if event["player"] != executed],
        "revived": [event["player"] for event in announced("revived")],
        "new_regulations": announced("regulation"),
        "hangouts": announced("hangout"),
        "sulking": [name for event in announced("sulking") for name in event["players"]],
        "following": next((event["label"] for event in announced("next_phase")), None),
        "win": last("win"),
    }


def tally_post(count: Mapping[str, Any], label: str, context: Context) -> Rendered:
    """The votes as published, with the voters in order and a link to each vote, and who has not voted. DAN-VOTE-06 -07 -19

    Only the published count is handed to the template, whatever else `count` holds.
    """
    posts = count.get("posts") or {}
    links = {voter: context.links.get(str(post)) for voter, post in posts.items()}
    shown: dict[str, Any] = {
        key: count.get(key) or empty for key, empty in (("published", {}), ("votes", {}), ("not_voting", []), ("unclear", []))
    }
    return _render("tally", "tally.j2", f"{context.title}: votes in {label}", context, label=label, vote_links=links, **shown)


def player_message(player: str, events: Iterable[Event], context: Context) -> Rendered | None:
    """The message to `player` about what these events tell that player; None where they tell nothing. DAN-FMT-15, DAN-CHAT-02"""
    own = [seen for event in events if (seen := event.for_player(player)) is not None]
    told = [event for event in own if event.kind in ("result", "notice")]
    if not told:
        return None
    role = next((event for event in told if event.kind == "notice" and event["topic"] == "talent"), None)
    notices = [event for event in told if event.kind == "notice" and event is not role]
    results = [event for event in told if event.kind == "result"]
    kind = "private" if role is None else "role"
    title = f"{context.title}: {'your talents' if role else told[-1].phase}"
    return _render(
        kind, "message.j2", title, context, player=player, phase=told[-1].phase, role=role, notices=notices, results=results
    )


def opening_post(context: Context) -> Rendered:
    """The post that opens the game: who plays, the regulations, the deadline, and what the dice are pledged to."""
    return _render("opening", "opening.j2", f"{context.title}: the game begins", context)


def reminder_post(label: str, context: Context) -> Rendered:
    """The post that reminds of the deadline of the phase `label`."""
    return _render("reminder", "reminder.j2", f"{context.title}: {label} ends soon", context, label=label)


def rules_post(ruleset: Ruleset, options: Mapping[str, Any], dialect: str) -> str:
    """The rules as played with these options. DAN-POST-16, DAN-CHAT-01 -02 -03, DAN-REG-06"""
    return _built_in("rules.j2", ruleset.id, dialect, facts=ruleset.facts, options=options)


def glossary(ruleset: Ruleset, dialect: str) -> str:
    """The words of the game, and what each means."""
    return _built_in("glossary.j2", ruleset.id, dialect, facts=ruleset.facts)


def _render(kind: str, template: str, title: str, context: Context, /, **values: Any) -> Rendered:
    """The GM's wording where there is one that works, else the built-in one with what is wrong."""
    values |= {field.name: getattr(context, field.name) for field in fields(context) if field.name != "templates"}
    values |= _times(context) | _shown(context)
    title = clean(title).strip()
    error = None
    if context.templates is not None:
        environment = _environment(context.ruleset, context.dialect, context.templates)
        try:
            with _bounded():
                body = _filled(environment, template, values)
            return Rendered(kind, title, body, None)
        except Exception as problem:  # whatever a GM's template does, the game goes on
            error = _explained(problem, context.templates, template)
    return Rendered(kind, title, _built_in(template, context.ruleset, context.dialect, **values), error)


def _built_in(template: str, ruleset: str, dialect: str, /, **values: Any) -> str:
    return _filled(_built_in_environment(ruleset, dialect), template, values)


def _filled(environment: jinja2.Environment, template: str, values: Mapping[str, Any]) -> str:
    body = environment.get_template(template).render(values)
    return _dialect(environment.globals["dialect_name"]).finish(body)


def _dialect(name: object) -> Dialect:
    return DIALECTS.get(str(name), DIALECTS["phpbb"])


@lru_cache(maxsize=32)
def _built_in_environment(ruleset: str, dialect: str) -> jinja2.Environment:
    return _environment(ruleset, dialect, None)


def _environment(ruleset: str, dialect: str, own: Path | None) -> jinja2.Environment:
    built_in = jinja2.FileSystemLoader([_BUILT_IN / ruleset, _BUILT_IN / "common"])
    loaders: list[jinja2.BaseLoader] = [built_in, jinja2.PrefixLoader({"built-in": built_in})]
    if own is not None:
        loaders.insert(0, jinja2.FileSystemLoader(own))
    markup = _dialect(dialect)
    environment = Sandbox(
        loader=jinja2.ChoiceLoader(loaders), undefined=jinja2.StrictUndefined, finalize=markup.safe,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    for helper in ("name", "names", "listed", "bold", "italic", "colour", "heading", "quote", "code", "link", "bullets", "table"):
        environment.globals[helper] = getattr(markup, helper)
    environment.globals["dialect_name"] = dialect
    environment.globals["count"] = _count
    environment.filters["words"] = _words
    return environment


def template_mistakes(ruleset: str, dialect: str, folder: Path) -> list[str]:
    """What is wrong with the GM's own templates as far as reading them tells: file, line, what, and the nearest right name."""
    if not folder.is_dir():
        return []
    environment = _environment(ruleset, dialect, folder)
    known = {path.name for room in ("common", ruleset) for path in (_BUILT_IN / room).glob("*.j2")}
    mistakes = []
    for path in sorted(folder.rglob("*.j2")):
        if path.name not in known:
            near = nearest(path.name, known)
            hint = f" (did you mean `{near}`?)" if near else ""
            mistakes.append(f"templates/{path.name}: no post is made from it{hint}")
            continue
        try:
            environment.parse(path.read_text(encoding="utf-8"))
        except jinja2.TemplateSyntaxError as error:
            mistakes.append(f"templates/{path.name}:{error.lineno}: {error.message}")
        except UnicodeDecodeError:
            mistakes.append(f"templates/{path.name}: is not UTF-8 text")
    return mistakes


def _words(id_: object) -> str:
    """An id as one says it: `deadly_life` is `deadly life`."""
    return str(id_).replace("_", " ")


def _count(number: int, thing: str, things: str | None = None) -> str:
    """A number with its noun: `1 vote`, `2 votes`."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def _shown(context: Context) -> dict[str, Callable[..., Any]]:
    """How players, talents and places are written."""
    markup = _dialect(context.dialect)

    def talent_name(id_: str) -> str:
        return context.talents[id_].name if id_ in context.talents else _words(id_).title()

    def thing_name(thing: str) -> str:
        if thing in context.players:
            return markup.name(thing)
        return talent_name(thing) if thing in context.talents else _words(thing)

    return {
        "name_list": lambda names: [markup.name(name) for name in names],
        "talent_names": lambda ids: [talent_name(id_) for id_ in ids],
        "thing_name": thing_name,
        "things": lambda things: [markup.safe(thing_name(thing)) for thing in things],
        "places": lambda places: [_words(place) for place in ([places] if isinstance(places, str) else places)],
    }


def _times(context: Context) -> dict[str, Any]:
    """The deadline and the time until then, in words. None where the phase has no deadline."""
    if context.deadline is None:
        return {"deadline_text": None, "time_left": None}
    return {"deadline_text": _moment(context.deadline, context.timezone), "time_left": _left(context.deadline - context.now)}


def _moment(moment: datetime, zone: str) -> str:
    local = moment.astimezone(ZoneInfo(zone))
    text = f"{local:%A} {local.day} {local:%B %Y}, {local:%H:%M} {zone}"
    return text if zone == "UTC" else f"{text} ({moment.astimezone(UTC):%H:%M} UTC)"


def _left(left: timedelta) -> str | None:
    """Days and hours, or hours and minutes; None where no time is left."""
    minutes = int(left.total_seconds() // 60)
    if minutes < 1:
        return None
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [(days, "day"), (hours, "hour")] if days else [(hours, "hour"), (rest, "minute")]
    return " ".join(_count(number, unit) for number, unit in parts if number)


@contextmanager
def _bounded() -> Iterator[None]:
    """Stop a template that goes round in circles, after so many lines of it, or ten times as many calls of anything.

    The lines of Jinja itself do not count: a template is compiled when it is first used.
    """
    lines, calls = 0, 0

    def line(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        nonlocal lines, calls
        own = frame.f_code.co_filename.endswith(".j2")
        lines += own
        calls += event == "call"
        if lines > _LINES or calls > 10 * _LINES:
            raise RuntimeError("it goes round in circles and was stopped")
        return line if own else None

    before = sys.gettrace()
    sys.settrace(line)
    try:
        yield
    finally:
        sys.settrace(before)


def _explained(problem: Exception, folder: Path, template: str) -> str:
    """What is wrong with the GM's template and where, for a GM who is no programmer."""
    where = template
    if isinstance(problem, jinja2.TemplateSyntaxError):
        where = f"{Path(problem.filename or problem.name or template).name}:{problem.lineno}"
    else:
        step = problem.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename.endswith(".j2"):
                where = f"{Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}"
            step = step.tb_next
    what = clean(str(problem) or type(problem).__name__)[:300].rstrip(".")
    return f"{folder.name}/{where}: {what}. The built-in text stands here instead; change the template, or let this text go out."
