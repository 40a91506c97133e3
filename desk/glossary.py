"""`nightpost rules RULESET --glossary`: ids, order phrases, options and draws, from the ruleset's own data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.ruleset import Ruleset
from publisher.markup import DIALECTS, Dialect, Html, Markdown, Safe

_IDS = {"sides": "Sides", "places": "Places", "conditions": "Conditions", "causes": "Causes of death"}


def glossary_facts(ruleset: Ruleset) -> dict[str, Any]:
    """Every id and phrase of a ruleset, and its options with their defaults."""
    facts = ruleset.facts
    phases = facts.get("phases", {})
    return {
        "ruleset": ruleset.id,
        "phases": [
            {
                "id": kind, "label": row["word"] if row.get("once") else f"{row['word']} N",
                "hours": ruleset.options[row["hours"]].default, "option": row["hours"],
            }
            for kind, row in phases.items()
        ],
        **{key: list(facts[key]) for key in _IDS if key in facts},
        "roles": [{"id": id_, "kind": kind} for id_, kind in ruleset.role_ids()],
        "declarations": [
            {"id": row["action"], "written": f"bold {colour}", "phases": _words(phases, row["phases"]), "cancel": row["cancel"]}
            for colour, row in facts.get("declarations", {}).items()
        ],
        "orders": [{"phrase": phrase, "phases": when, "who": who} for phrase, when, who in ruleset.order_phrases()],
        "commands": [
            {"command": form, "does": meaning} for form, meaning in map(usage, _values(facts, "commands"))
        ],
        "options": [
            {"id": name, "default": option.default, "allowed": option.allowed, "meaning": option.meaning}
            for name, option in ruleset.options.items()
        ],
        "setup": [{"id": name, "meaning": meaning} for name, meaning in facts.get("setup", {}).items()],
        "draws": [re.sub(r"<(\w+)>", lambda found: found[1].upper(), draw) for draw in facts.get("draws", ())],
        "asks": list(facts.get("asks", ())),
    }


def usage(how: str) -> tuple[str, str]:
    """How a command is written, and what it does, of a line of the ruleset's `[commands]`: `censor will X: NEW TEXT: …`."""
    form, _, meaning = how.rpartition(": ")
    return form, meaning


def _values(facts: Mapping[str, Any], key: str) -> list[str]:
    return [str(value) for value in facts.get(key, {}).values()]


def _words(phases: Mapping[str, Any], kinds: Sequence[str]) -> list[str]:
    return [str(phases[kind]["word"]) if kind in phases else kind for kind in kinds]


def glossary_text(ruleset: Ruleset, dialect: str) -> str:
    """The same as a post in the markup asked for."""
    markup = DIALECTS[dialect]
    facts = glossary_facts(ruleset)
    return markup.finish("\n\n".join(_sections(facts, markup)))


def _sections(facts: Mapping[str, Any], markup: Dialect) -> Iterator[str]:
    def section(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
        if rows:
            shown = [[_words_of(cell, markup) for cell in row] for row in rows]
            yield f"{markup.heading(title)}\n{markup.table(header, shown)}"

    def of(key: str, *fields: str) -> list[list[object]]:
        return [[row[field] for field in fields] for row in facts[key]]

    phases = [[row["id"], row["label"], f"{row['hours']} h", row["option"]] for row in facts["phases"]]
    yield from section("Phases", ["Id", "Label", "Lasts", "Option"], phases)
    yield from section("Ids", ["What", "Ids"], [[title, facts[key]] for key, title in _IDS.items() if key in facts])
    roles: dict[str, list[str]] = {}
    for row in facts["roles"]:
        roles.setdefault(row["kind"], []).append(row["id"])
    yield from section("Roles", ["Kind", "Ids"], list(roles.items()))
    header = ["Action", "How it is written", "In", "Taken back with"]
    yield from section("In the thread", header, of("declarations", "id", "written", "phases", "cancel"))
    yield from section("Private orders", ["Phrase", "In", "Who"], of("orders", "phrase", "phases", "who"))
    yield from section("The GM's commands", ["Command", "Does"], of("commands", "command", "does"))
    options = [[row["id"], written(row["default"]), row["allowed"], row["meaning"]] for row in facts["options"]]
    yield from section("Options", ["Option", "Default", "May be", "Meaning"], options)
    yield from section("Set-up", ["Key", "Meaning"], of("setup", "id", "meaning"))
    asked = [["Draws", facts["draws"]], ["Questions to the GM", facts["asks"]]]
    yield from section("Draws and questions", ["What", "Names"], asked)


def _words_of(cell: object, markup: Dialect) -> object:
    """A cell of a table: several words in a row; an id so that it can be copied as it stands."""
    if isinstance(cell, list):
        return Safe(", ".join(str(markup.safe(_words_of(one, markup))) for one in cell))
    text = str(cell)
    if not re.fullmatch(r"\w+_\w+(?:[: ][\w ]+)?", text):
        return text
    if isinstance(markup, Markdown):
        return Safe(f"`{text}`")
    return Safe(f"<code>{text}</code>") if isinstance(markup, Html) else text


def written(value: object) -> str:
    """A default as it is written in `game.toml`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
