"""The tables of a game's file, and how an older file is brought up to date."""

from __future__ import annotations

from typing import Any

from sqlite_utils import Database, Migrations

migrations = Migrations("nightpost")


@migrations()
def first_tables(db: Database) -> None:
    """The log (posts, messages, entries, phases, events) is only ever added to; outbox and bookmarks change."""
    tables: dict[str, dict[str, Any]] = {
        "posts": {
            "seq": int, "post": str, "number": int, "author": str, "author_id": str, "posted_at": str, "edited_at": str,
            "url": str, "bbcode": str, "text": str, "deleted": int, "seen_at": str,
        },
        "messages": {
            "seq": int, "message": str, "sender": str, "recipients": str, "sent_at": str, "subject": str, "body": str,
            "source": str, "seen_at": str,
        },
        "entries": {"seq": int, "kind": str, "key": str, "text": str, "at": str},
        "phases": {
            "seq": int, "kind": str, "number": int, "word": str, "opened_at": str, "deadline": str, "closed_at": str,
            "last_post": int, "last_message": int,
        },
        "events": {"seq": int, "phase": int, "record": str},
        "told": {"seq": int, "key": str},
        "outbox": {
            "id": int, "key": str, "kind": str, "audience": str, "title": str, "body": str, "state": str, "post": str,
            "link": str, "attempts": int, "error": str, "made_at": str,
        },
        "notices": {"seq": int, "at": str, "text": str},
        "bookmarks": {"source": str, "value": str},
        "meta": {"key": str, "value": str},
    }  # fmt: skip
    keys = {"outbox": "id", "bookmarks": "source", "meta": "key"}
    for name, columns in tables.items():
        db.table(name).create(columns, pk=keys.get(name, "seq"))
    db.table("posts").create_index(["post"])
    db.table("posts").create_index(["posted_at"])
    db.table("messages").create_index(["message"], unique=True)
    db.table("events").create_index(["phase"])
    db.table("told").create_index(["key"], unique=True)
    db.table("outbox").create_index(["key"], unique=True)


@migrations()
def last_entry_of_a_phase(db: Database) -> None:
    """What the GM says belongs to the phase that is open then, also when its deadline has passed."""
    db.table("phases").add_column("last_entry", int)


@migrations()
def what_a_phase_was_read_with(db: Database) -> None:
    """Accounts, aliases and waived questions of a closed phase, so that its replay does not depend on today's `game.toml`."""
    db.table("phases").add_column("read_with", str)


@migrations()
def one_message_from_two_sources(db: Database) -> None:
    """What a message says and who sent it when, whatever program tells of it."""
    db.table("messages").add_column("print", str)
    db.table("messages").create_index(["print"])


@migrations()
def newest_edit(db: Database) -> None:
    """The newest edit is found without looking at every post."""
    db.table("posts").create_index(["edited_at"])


@migrations()
def who_has_had_what(db: Database) -> None:
    """The accounts that a message has reached, and those that a replacement took a seat from, whatever `game.toml` says later."""
    db.table("outbox").add_column("had", str)
    db.table("entries").add_column("held", str)
