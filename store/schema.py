"""The tables of a game's file, and how older files come up to date.

Rows are added and never changed, but for bookmarks, the lease and the state of an outgoing text. Times are text in UTC, always
with microseconds, so that they sort as they follow each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlite_utils.migrations import Migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

migrations = Migrations("nightpost")

_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE bookmarks (source TEXT PRIMARY KEY, value TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, until TEXT NOT NULL);
CREATE TABLE posts (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, number INTEGER, author TEXT NOT NULL, author_id TEXT,
    posted_at TEXT, url TEXT, seen_at TEXT NOT NULL, counts_at TEXT NOT NULL
);
CREATE INDEX posts_by_time ON posts (counts_at);
CREATE TABLE versions (
    seq INTEGER PRIMARY KEY, post TEXT NOT NULL REFERENCES posts (id), bbcode TEXT NOT NULL, text TEXT NOT NULL,
    edited_at TEXT, deleted INTEGER NOT NULL, seen_at TEXT NOT NULL
);
CREATE INDEX versions_by_post ON versions (post);
CREATE TABLE messages (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, sender TEXT NOT NULL, recipients TEXT NOT NULL,
    sent_at TEXT, subject TEXT NOT NULL, body TEXT NOT NULL, source TEXT NOT NULL, seen_at TEXT NOT NULL,
    counts_at TEXT NOT NULL
);
CREATE INDEX messages_by_time ON messages (counts_at);
CREATE TABLE phases (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, number INTEGER NOT NULL, word TEXT NOT NULL, opened_at TEXT NOT NULL,
    deadline TEXT, after INTEGER, at TEXT NOT NULL
);
CREATE TABLE closings (
    seq INTEGER PRIMARY KEY, phase INTEGER NOT NULL REFERENCES phases (seq), ends TEXT NOT NULL, at TEXT NOT NULL,
    versions INTEGER NOT NULL, messages INTEGER NOT NULL, entries INTEGER NOT NULL, posts INTEGER NOT NULL,
    game TEXT NOT NULL, accounts TEXT NOT NULL, waived TEXT NOT NULL
);
CREATE TABLE reopenings (closing INTEGER PRIMARY KEY REFERENCES closings (seq), at TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, closing INTEGER NOT NULL REFERENCES closings (seq), record TEXT NOT NULL
);
CREATE INDEX events_by_closing ON events (closing);
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY, phase INTEGER REFERENCES phases (seq), kind TEXT NOT NULL, text TEXT NOT NULL, question TEXT,
    undoes INTEGER REFERENCES entries (seq), at TEXT NOT NULL
);
CREATE TABLE questions (
    seq INTEGER PRIMARY KEY, phase INTEGER NOT NULL REFERENCES phases (seq), key TEXT NOT NULL, question TEXT NOT NULL,
    choices TEXT NOT NULL, proposed TEXT, about TEXT NOT NULL, at TEXT NOT NULL, UNIQUE (phase, key)
);
CREATE TABLE told (key TEXT PRIMARY KEY, at TEXT NOT NULL);
CREATE TABLE notices (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, text TEXT NOT NULL, at TEXT NOT NULL
);
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, audience TEXT NOT NULL, player TEXT,
    phase INTEGER, title TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, at TEXT NOT NULL, forum_id TEXT, link TEXT,
    attempts INTEGER NOT NULL DEFAULT 0, error TEXT, fingerprint TEXT, sent_at TEXT, seen_before INTEGER, shown TEXT
);
CREATE INDEX outbox_by_state ON outbox (state);
CREATE TABLE texts (
    seq INTEGER PRIMARY KEY, outbox INTEGER NOT NULL REFERENCES outbox (id), title TEXT NOT NULL, body TEXT NOT NULL,
    by TEXT NOT NULL, at TEXT NOT NULL
);
"""


@migrations()
def first(db: Database) -> None:
    """Everything that was read, decided and posted."""
    for statement in _FIRST.split(";\n"):
        if statement.strip():
            db.execute(statement)
