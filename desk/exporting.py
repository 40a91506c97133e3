"""`nightpost export`: the record of a game that is over, for its players: orders, results, draws, and the seed of the dice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from desk.records import opened, sources_of
from desk.sentences import told_of
from desk.stories import NOT_FIELDS, Source, log_facts
from desk.table import Table
from engine.choices import commitment
from engine.inputs import OrderInput
from parser.message import own_lines
from publisher.markup import Html
from scraper.model import BadInput, iso

FOLDER = "export"
escape = Html().escape
_STYLE = "body{max-width:60em;margin:auto;padding:1em;font-family:sans-serif}q{color:#555;unicode-bidi:isolate}li{margin:.3em 0}"


def export(folder: Path) -> list[Path]:
    """Write the record as HTML and as JSON into the game's folder `export`. Raises BadInput while the game goes on."""
    opened(folder).close()
    table = Table.at(folder)
    try:
        if table.current() is not None:
            raise BadInput(f"the game in {folder} is not over, and its record tells every secret. Nothing was written.")
        facts = _facts(table)
    finally:
        table.record.close()
    out = folder / FOLDER
    written = {out / "record.json": json.dumps(facts, ensure_ascii=False, indent=1), out / "record.html": "\n".join(_page(facts))}
    try:
        out.mkdir(exist_ok=True)
        for path, text in written.items():
            path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{error.filename} cannot be written: {error.strerror}.") from error
    return list(written)


def _facts(table: Table) -> dict[str, Any]:
    settings, record = table.settings, table.record
    game = settings.game
    events = log_facts(record.events(), _sources(table))
    phases = [
        {
            "phase": str(phase.label), "opened_at": iso(phase.opened_at), "deadline": iso(phase.deadline),
            "closed_at": iso(phase.closed_at),
        }
        for phase in record.phases()
    ]  # fmt: skip
    return {
        "title": settings.title, "ruleset": game.ruleset, "seed": settings.seed, "commitment": commitment(settings.seed),
        "options": dict(game.options), "players": {seat.name: dict(seat.given) for seat in game.seats},
        "phases": [{**phase, "events": [row for row in events if row["phase"] == phase["phase"]]} for phase in phases],
    }  # fmt: skip


def _sources(table: Table) -> dict[str, Source]:
    """Where events came from. Of a message the player and the player's own words: accounts, quotes and signatures of mails hold
    addresses.
    """
    held = (tenure for phase in table.record.phases() for tenure in table.seats(phase).tenures)
    players = {tenure.account.casefold(): tenure.player for tenure in held}
    sources = sources_of(table.record)
    for id_, source in sources.items():
        if isinstance(source, OrderInput):
            said = "\n".join(line for _, line in own_lines(source.text))
            sources[id_] = replace(source, by=players.get(source.by.casefold(), ""), text=said)
    return sources


def _page(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same as a page. What players wrote is text and nothing else."""
    title = escape(facts["title"])
    yield f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>'
    yield f"<body><h1>{title}</h1>\n<p>Rules: {escape(facts['ruleset'])}.</p>"
    yield f"<p>The dice were cast from this seed: <code>{escape(facts['seed'])}</code></p>"
    yield f"<p>The pledge made at the beginning, the SHA-256 of “nightpost:” and the seed: <code>{facts['commitment']}</code></p>"
    yield "<h2>Players</h2>\n<ul>"
    for name, given in facts["players"].items():
        yield f"<li><bdi>{escape(name)}</bdi>: {escape(', '.join(str(value) for value in given.values()))}</li>"
    yield "</ul>"
    for phase in facts["phases"]:
        yield f"<h2>{escape(phase['phase'])}</h2>\n<ol>"
        for row in phase["events"]:
            shown = {key: value for key, value in row.items() if key not in NOT_FIELDS}
            yield f'<li value="{row["event"]}">{escape(told_of(shown, row["secret"]))}{_origin(row["source"])}</li>'
        yield "</ol>"
    yield "</body></html>"


def _origin(source: Mapping[str, Any] | None) -> str:
    if source is None:
        return ""
    where = escape(source["url"] or source["id"])
    named = f'<a rel="nofollow" href="{where}">{where}</a>' if str(source["url"]).startswith(("http://", "https://")) else where
    return f"<br>from {named}, <bdi>{escape(source['by'])}</bdi>: <q>{escape(' '.join(source['text'].split()))}</q>"
