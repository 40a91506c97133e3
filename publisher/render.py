"""Events to posts, through the templates. Public posts are given public events only, a player's message that player's own.

Nothing here knows a ruleset: what is one's own in its posts is in `Ruleset.posts`, and in its folder of templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.choices import cast_die
from engine.events import Event
from engine.posts import Language
from engine.ruleset import Ruleset, load
from publisher.markup import clean, dialect_of
from publisher.page import thread_page as thread_page
from publisher.times import left, moment
from publisher.wording import bounded, explained, filled, markup_in, word


@dataclass(frozen=True, slots=True)
class Context:
    """What the templates may know besides the events. All of it is public, and `seed` is None until the game is over.

    `now` and `deadline` are aware; `timezone` is the IANA name of the zone in which times are shown. `links` has the address
    of each post by its id as in the tally's `posts`. `living` is None where it may not be told who lives. `facts` is what the
    ruleset adds, `words` its words for ids in each language by the language's code. `templates` is the folder with the GM's own
    wording, where there is one.
    """

    title: str
    ruleset: str
    dialect: str
    now: datetime
    deadline: datetime | None
    timezone: str
    thread_url: str | None
    links: Mapping[str, str]
    options: Mapping[str, Any]
    players: tuple[str, ...]
    living: tuple[str, ...] | None
    commitment: str
    seed: str | None
    templates: Path | None
    facts: Mapping[str, Any]
    words: Mapping[str, Mapping[str, str]]
    languages: tuple[Language, ...] = (Language(),)


_HIDDEN = ("templates", "facts", "words", "languages")


@dataclass(frozen=True, slots=True)
class Rendered:
    """A post or message ready for the outbox. `error` says what is wrong with the GM's template, and the built-in text stands."""

    kind: str
    title: str
    body: str
    error: str | None


def phase_post(events: Iterable[Event], label: str, context: Context) -> Rendered:
    """The post that closes the phase `label` and opens the next: deaths, announcements, or the end of the game.

    Only public events are looked at, without their secret fields.
    """
    public = [seen for event in events if (seen := event.for_public()) is not None]
    return _render("report", "phase.j2", context, label=label, **_sorted(public), **load(context.ruleset).posts.report(public))


def _sorted(events: list[Event]) -> dict[str, Any]:
    """The public events of a phase as every ruleset has them. `announced` holds those announced by topic, in order."""
    announced: dict[str, list[Event]] = {}
    for event in events:
        if event.kind == "announce":
            announced.setdefault(event["topic"], []).append(event)

    def last(kind: str) -> Event | None:
        return next((event for event in reversed(events) if event.kind == kind), None)

    following = announced.get("next_phase", ())
    return {
        "events": events,
        "announced": announced,
        "died": [event for event in events if event.kind == "death"],
        "lynch": last("lynch"),
        "final_count": last("tally"),
        "following": following[-1]["label"] if following else None,
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
    return _render("tally", "tally.j2", context, label=label, vote_links=links, **shown)


def player_message(player: str, events: Iterable[Event], context: Context) -> Rendered | None:
    """The message to `player` about what these events tell that player; None where they tell nothing. DAN-FMT-15, DAN-CHAT-02"""
    own = [seen for event in events if (seen := event.for_player(player)) is not None]
    told = [event for event in own if event.kind in ("result", "notice")]
    if not told:
        return None
    topics = load(context.ruleset).posts.role_topics
    role = next((event for event in told if event.kind == "notice" and event["topic"] in topics), None)
    notices = [event for event in told if event.kind == "notice" and event is not role]
    results = [event for event in told if event.kind == "result"]
    kind, phase = "private" if role is None else "role", told[-1].phase
    return _render(kind, "message.j2", context, player=player, phase=phase, role=role, notices=notices, results=results)


def opening_post(context: Context, label: str = "") -> Rendered:
    """The post that opens the game with the phase `label`: who plays, what is in force, the deadline, what pledges the dice."""
    return _render("opening", "opening.j2", context, label=label)


def reminder_post(label: str, context: Context) -> Rendered:
    """The post that reminds of the deadline of the phase `label`. It names nobody: who sent no order is nobody's business."""
    return _render("reminder", "reminder.j2", context, label=label, player=None, awaited=None)


def nudge(player: str, awaited: str, label: str, context: Context) -> Rendered:
    """The message that reminds one player of what the phase `label` waits for from that player: `vote`, `order`, …"""
    return _render("reminder", "nudge.j2", context, label=label, player=player, awaited=awaited)


def receipt(player: str, facts: Mapping[str, Any], context: Context) -> Rendered:
    """How a message with orders was read: `read`, `gone`, `stands`, `unread` are texts, `refused` has actions with reasons."""
    return _render("receipt", "receipt.j2", context, label="", player=player, **facts)


def digest_text(label: str | None, facts: Mapping[str, Any], context: Context) -> Rendered:
    """What the GM should know now, in plain text: what came in, who has not acted, what waits, what goes out next."""
    return _render("digest", "digest.j2", context, "plain", label=label, **facts)


def emptied_post(context: Context) -> Rendered:
    """What stands in a further part of the tally when the tally has become short enough to do without it."""
    return _render("tally", "emptied.j2", context, label="")


def rules_post(ruleset: Ruleset, options: Mapping[str, Any], dialect: str) -> str:
    """The rules as played with these options. DAN-POST-16, DAN-CHAT-01 -02 -03, DAN-REG-06"""
    return _of_the_ruleset("rules.j2", ruleset, options, dialect)


def glossary(ruleset: Ruleset, dialect: str) -> str:
    """The words of the game, and what each means."""
    defaults = {name: option.default for name, option in ruleset.options.items()}
    return _of_the_ruleset("glossary.j2", ruleset, defaults, dialect)


def rules_draft(ruleset: Ruleset, context: Context) -> Rendered:
    """The rules post ready for the outbox, under its title."""
    titled = _render("rules", "title.j2", context, label="")
    return replace(titled, body=rules_post(ruleset, context.options, context.dialect))


def _of_the_ruleset(template: str, ruleset: Ruleset, options: Mapping[str, Any], dialect: str) -> str:
    values = {"facts": ruleset.facts, "options": options, "ruleset": ruleset.id}

    def text(language: Language) -> str:
        told = {**values, **ruleset.posts.book(language), "language": language.code}
        return filled(ruleset.id, dialect, language, None, template, told)

    return _in_each(ruleset.posts.languages(options), dialect, text)


def _render(kind: str, template: str, context: Context, dialect: str | None = None, /, **values: Any) -> Rendered:
    """The GM's wording where there is one that works, else the built-in one with what is wrong."""
    values |= {field.name: getattr(context, field.name) for field in fields(context) if field.name not in _HIDDEN}
    values = dict(context.facts) | values | {"kind": kind}
    form = dialect or context.dialect
    error = None
    if context.templates is not None:
        try:
            with bounded():
                return Rendered(kind, *_written(template, context, form, values, context.templates), None)
        except Exception as problem:  # whatever a GM's template does, the game goes on
            error = explained(problem, context.templates, template)
    return Rendered(kind, *_written(template, context, form, values, None), error)


def _written(
    template: str, context: Context, dialect: str, values: Mapping[str, Any], own: Path | None
) -> tuple[str, str]:
    """The title of a post, in the first of the game's languages, and its text in all of them."""

    def text(language: Language, form: str, name: str) -> str:
        return filled(context.ruleset, form, language, own, name, {**values, **_spoken(context, form, language, values)})

    title = clean(text(context.languages[0], "plain", "title.j2")).strip()
    return title, _in_each(context.languages, dialect, lambda language: text(language, dialect, template))


def _in_each(languages: Sequence[Language], dialect: str, text: Callable[[Language], str]) -> str:
    markup = dialect_of(dialect)
    return "\n\n".join(markup.directed(text(language), language) for language in languages)


def _spoken(context: Context, dialect: str, language: Language, values: Mapping[str, Any]) -> dict[str, Any]:
    """What is worded otherwise in each language: names of things, times; and the draws between wordings."""
    markup, words = markup_in(dialect, language), context.words.get(language.code, {})
    phase = str(values.get("label") or values.get("phase") or values["kind"])

    def thing_name(thing: str) -> str:
        return markup.name(thing) if thing in context.players else word(thing, words)

    def things(ids: str | Iterable[str]) -> list[str]:
        return [markup.safe(thing_name(one)) for one in ([ids] if isinstance(ids, str) else ids)]

    def drawn(name: str, count: int, about: object) -> int:
        # The commitment stands for the seed: the wording of a post may hang on nothing that is still secret.
        return cast_die(context.commitment, phase, f"wording {name} {about}", count)

    deadline = context.deadline
    return {
        "name_list": lambda names: [markup.name(name) for name in names],
        "thing_name": thing_name,
        "things": things,
        "deadline_text": None if deadline is None else moment(deadline, context.timezone, language),
        "time_left": None if deadline is None else left(deadline - context.now, language),
        "language": language.code,
        "_words": words,
        "_drawn": drawn,
    }
