"""The record of a game in its SQLite file: what was read, said, resolved and told. It only ever grows."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from sqlite_utils import Database

from engine.choices import Question
from engine.events import Event
from engine.state import Label
from scraper.model import BadInput, Message, Post
from store.records import Closing, Entry, Notice, OpenQuestion, PhaseRow, Taken, Upto, instant, moment, stamp
from store.schema import migrations
from store.trouble import guarded

FILE = "game.db"
PATIENCE = 10.0
"""Seconds to wait for another command that is writing."""


class Store:
    """A game's file. Every method raises StoreTrouble, in a GM's words, where the file cannot be used."""

    def __init__(self, path: Path, db: Database) -> None:
        self.path, self.db = path, db

    @classmethod
    def create(cls, path: Path, *, now: datetime) -> Self:
        """Make a new file that only its owner can read. Raises BadInput where there is one already."""
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError as error:
            raise BadInput(f"{path} is there already: this game has been started") from error
        store = cls(path, _connect(path))
        with guarded(path):
            migrations.apply(store.db)
        with store.writing():
            store.execute("INSERT INTO meta VALUES ('created', ?)", (stamp(now),))
        return store

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a game's file; an older one is brought up to date after a copy of it was made beside it.

        Raises BadInput where there is none.
        """
        if not path.exists() or path.stat().st_size == 0:
            raise BadInput(f"{path} is not there: the game has not been started (`nightpost start`)")
        store = cls(path, _connect(path))
        with guarded(path):
            pending = migrations.pending(store.db)
            if pending:
                store.copy_to(path.with_name(f"{path.name}.before-{pending[0].name}"))
                migrations.apply(store.db)
        return store

    @classmethod
    def copy_in_memory(cls, other: Store) -> Self:
        """The same record in memory: whatever is done to it is gone afterwards."""
        connection = sqlite3.connect(":memory:")
        with guarded(other.path):
            other.db.conn.backup(connection)
        connection.row_factory = sqlite3.Row
        return cls(other.path, Database(connection, execute_plugins=False))

    def copy_to(self, path: Path) -> None:
        """Write a whole copy of the file to `path`, readable by its owner only; an older copy there is replaced."""
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        target = sqlite3.connect(path)
        try:
            with guarded(path):
                self.db.conn.backup(target)
        finally:
            target.close()

    def close(self) -> None:
        """Let go of the file."""
        self.db.conn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # One transaction, and plain queries

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing. Within another one it is part of that."""
        with guarded(self.path):
            nested = self.db.conn.in_transaction
            with self.db.atomic():
                if not nested:
                    self.db.execute("UPDATE lease SET id = id")  # takes the write lock at once, not half-way
                yield

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run one statement; the id of the row it added is returned."""
        with guarded(self.path):
            return int(self.db.execute(sql, tuple(values)).lastrowid or 0)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows that a query finds."""
        with guarded(self.path):
            return list(self.db.execute(sql, tuple(values)).fetchall())

    def one(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Row | None:
        """The first row that a query finds."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def check(self) -> list[str]:
        """What SQLite finds wrong with the file; empty where it is sound."""
        found = [str(row[0]) for row in self.rows("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    # Facts and bookmarks

    def meta(self, key: str) -> str | None:
        """A fact of the game, such as when it was created."""
        row = self.one("SELECT value FROM meta WHERE key = ?", (key,))
        return row["value"] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Note a fact once; a second value for it is refused by the file."""
        with self.writing():
            self.execute("INSERT INTO meta VALUES (?, ?)", (key, value))

    def bookmark(self, source: str) -> Any:
        """Where reading `source` goes on, as `set_bookmark` noted it; None where it was never read."""
        row = self.one("SELECT value FROM bookmarks WHERE source = ?", (source,))
        return json.loads(row["value"]) if row else None

    def set_bookmark(self, source: str, value: Any, at: datetime) -> None:
        """Note where reading `source` goes on; to be called in the transaction that keeps what was read."""
        with self.writing():
            self.execute("INSERT OR REPLACE INTO bookmarks VALUES (?, ?, ?)", (source, json.dumps(value), stamp(at)))

    # What was read

    def take_page(self, posts: Sequence[Post], seen_at: datetime, *, source: str = "thread", bookmark: Any = None) -> Taken:
        """Keep one page: its new posts, new contents of known ones, and known posts that stood between them and are gone.

        One transaction, together with the bookmark. A content equal to the last one seen adds nothing.
        """
        closed_until = self.closed_until()
        new: list[str] = []
        changed: list[str] = []
        late: list[str] = []
        with self.writing():
            vanished = self._vanished(posts, seen_at)
            for post in posts:
                last = self.one("SELECT * FROM versions WHERE post = ? ORDER BY seq DESC LIMIT 1", (post.id,))
                if last is None:
                    counts_at = post.posted_at or seen_at
                    self.execute(
                        "INSERT INTO posts (id, number, author, author_id, posted_at, url, seen_at, counts_at) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        (
                            post.id, post.number, post.author, post.author_id, post.posted_at and stamp(post.posted_at),
                            post.url, stamp(seen_at), stamp(counts_at),
                        ),
                    )  # fmt: skip
                    new.append(post.id)
                    if closed_until and counts_at <= closed_until:
                        late.append(post.id)
                elif post.deleted == bool(last["deleted"]) and (post.deleted or post.bbcode == last["bbcode"]):
                    continue
                else:
                    changed.append(post.id)
                self._version(post, seen_at)
            if bookmark is not None:
                self.set_bookmark(source, bookmark, seen_at)
        return Taken(tuple(new), tuple(changed), tuple(vanished), tuple(late))

    def _version(self, post: Post, seen_at: datetime) -> None:
        self.execute(
            "INSERT INTO versions (post, bbcode, text, edited_at, deleted, seen_at) VALUES (?, ?, ?, ?, ?, ?)",
            (post.id, post.bbcode, post.text, post.edited_at and stamp(post.edited_at), post.deleted, stamp(seen_at)),
        )

    def _vanished(self, posts: Sequence[Post], seen_at: datetime) -> list[str]:
        """Known posts that a page should show, standing between two that it does show, and doesn't: deleted or moved away."""
        if not posts:
            return []
        shown = {post.id for post in posts}
        marks = ", ".join("?" * len(shown))
        span = self.one(f"SELECT min(seq) AS low, max(seq) AS high FROM posts WHERE id IN ({marks})", tuple(shown))
        if span is None or span["low"] is None:
            return []
        known = self.rows("SELECT id FROM posts WHERE seq BETWEEN ? AND ?", (span["low"], span["high"]))
        gone = []
        for row in known:
            if row["id"] in shown:
                continue
            last = self.one("SELECT * FROM versions WHERE post = ? ORDER BY seq DESC LIMIT 1", (row["id"],))
            if last is not None and not last["deleted"]:
                self.execute(
                    "INSERT INTO versions (post, bbcode, text, edited_at, deleted, seen_at) VALUES (?, ?, ?, NULL, 1, ?)",
                    (row["id"], last["bbcode"], last["text"], stamp(seen_at)),
                )
                gone.append(str(row["id"]))
        return gone

    def take_messages(self, messages: Iterable[Message], seen_at: datetime, *, source: str, bookmark: Any = None) -> Taken:
        """Keep private messages, each once however often and from wherever it comes; one transaction with the bookmark."""
        closed_until = self.closed_until()
        new: list[str] = []
        late: list[str] = []
        with self.writing():
            for message in messages:
                digest = _digest(message)
                if self.one("SELECT 1 FROM messages WHERE digest = ?", (digest,)):
                    continue
                counts_at = message.sent_at or seen_at
                self.execute(
                    "INSERT INTO messages (id, digest, sender, recipients, sent_at, subject, body, source, seen_at, counts_at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        message.id, digest, message.sender, json.dumps(message.recipients),
                        message.sent_at and stamp(message.sent_at), message.subject, message.body, message.source,
                        stamp(seen_at), stamp(counts_at),
                    ),
                )  # fmt: skip
                new.append(message.id)
                if closed_until and counts_at <= closed_until:
                    late.append(message.id)
            if bookmark is not None:
                self.set_bookmark(source, bookmark, seen_at)
        return Taken(tuple(new), late=tuple(late))

    # What the GM said

    def add_entry(
        self, kind: str, text: str, at: datetime, *, question: str | None = None, undoes: int | None = None
    ) -> Entry:
        """Add a `command`, `answer` or `undo` to the open phase."""
        phase = self.open_phase()
        with self.writing():
            seq = self.execute(
                "INSERT INTO entries (phase, kind, text, question, undoes, at) VALUES (?, ?, ?, ?, ?, ?)",
                (phase.seq if phase else None, kind, text, question, undoes, stamp(at)),
            )
        return Entry(seq, phase.seq if phase else None, kind, text, question, undoes, at)

    def entries(self, *, phase: int | None = None, upto: int | None = None) -> list[Entry]:
        """What the GM said and has not undone, in order: in one phase, or in the whole game."""
        limit = upto if upto is not None else self.upto().entries
        rows = self.rows("SELECT * FROM entries WHERE seq <= ? ORDER BY seq", (limit,))
        undone = {row["undoes"] for row in rows if row["kind"] == "undo"}
        return [
            _entry(row)
            for row in rows
            if row["kind"] != "undo" and row["seq"] not in undone and (phase is None or row["phase"] == phase)
        ]

    def all_entries(self) -> list[Entry]:
        """Everything the GM ever said, undone or not, in order."""
        return [_entry(row) for row in self.rows("SELECT * FROM entries ORDER BY seq")]

    # Phases

    def open_next(
        self, label: Label, opened_at: datetime, deadline: datetime | None, at: datetime, *, after: int | None = None
    ) -> PhaseRow:
        """Open a phase. `opened_at` is the moment after which posts and orders belong to it; `after` the closing it follows."""
        with self.writing():
            seq = self.execute(
                "INSERT INTO phases (kind, number, word, opened_at, deadline, after, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    label.kind, label.number, label.word, stamp(opened_at), deadline and stamp(deadline), after, stamp(at),
                ),  # fmt: skip
            )
        return PhaseRow(seq, label, opened_at, deadline)

    def open_phase(self) -> PhaseRow | None:
        """The phase in course; None before the start and after the end."""
        row = self.one(
            "SELECT * FROM phases WHERE after IS "
            "(SELECT max(seq) FROM closings WHERE seq NOT IN (SELECT closing FROM reopenings)) ORDER BY seq DESC LIMIT 1",
        )
        return self._phase(row) if row else None

    def phase(self, seq: int) -> PhaseRow:
        """The phase with that number of row."""
        row = self.one("SELECT * FROM phases WHERE seq = ?", (seq,))
        assert row is not None
        return self._phase(row)

    def _phase(self, row: sqlite3.Row) -> PhaseRow:
        reopened = self.one(
            "SELECT 1 FROM closings c JOIN reopenings r ON r.closing = c.seq WHERE c.phase = ? "
            "AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.phase = c.phase AND e.kind = 'command' "
            "AND e.text LIKE 'extend %' AND e.at >= r.at)",
            (row["seq"],),
        )
        label = Label(row["kind"], row["number"], row["word"])
        return PhaseRow(row["seq"], label, instant(row["opened_at"]), moment(row["deadline"]), reopened is not None)

    def closings(self) -> list[Closing]:
        """The closed phases in order; what was opened again is left out."""
        rows = self.rows("SELECT * FROM closings WHERE seq NOT IN (SELECT closing FROM reopenings) ORDER BY seq")
        return [self._closing(row) for row in rows]

    def _closing(self, row: sqlite3.Row) -> Closing:
        upto = Upto(row["posts"], row["versions"], row["messages"], row["entries"])
        return Closing(
            row["seq"], self.phase(row["phase"]), instant(row["ends"]), instant(row["at"]), upto,
            json.loads(row["game"]), json.loads(row["accounts"]), tuple(json.loads(row["waived"])),
        )  # fmt: skip

    def closed_until(self) -> datetime | None:
        """The end of the last closed phase."""
        row = self.one("SELECT max(ends) AS ends FROM closings WHERE seq NOT IN (SELECT closing FROM reopenings)")
        return moment(row["ends"]) if row else None

    def close_phase(
        self,
        phase: PhaseRow,
        events: Sequence[Event],
        *,
        ends: datetime,
        at: datetime,
        upto: Upto,
        game: Mapping[str, Any],
        accounts: Mapping[str, Any],
        waived: Iterable[str],
    ) -> int:
        """Close a phase with its events; to be called in the transaction that opens the next one and drafts the posts."""
        with self.writing():
            closing = self.execute(
                "INSERT INTO closings (phase, ends, at, posts, versions, messages, entries, game, accounts, waived) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    phase.seq, stamp(ends), stamp(at), upto.posts, upto.versions, upto.messages, upto.entries,
                    json.dumps(game), json.dumps(accounts), json.dumps(sorted(waived)),
                ),
            )  # fmt: skip
            for event in events:
                self.execute("INSERT INTO events (closing, record) VALUES (?, ?)", (closing, record_text(event)))
        return closing

    def reopen(self, closing: Closing, at: datetime) -> None:
        """Take a closing back: its phase is open again, what it opened never was. The rows stay in the record."""
        with self.writing():
            self.execute("INSERT INTO reopenings VALUES (?, ?)", (closing.seq, stamp(at)))

    def events(self, closing: int | None = None) -> list[Event]:
        """The events of one closing, or of all that stand, in order."""
        if closing is not None:
            rows = self.rows("SELECT record FROM events WHERE closing = ? ORDER BY seq", (closing,))
        else:
            rows = self.rows(
                "SELECT record FROM events WHERE closing NOT IN (SELECT closing FROM reopenings) ORDER BY seq",
            )
        return [Event.from_record(json.loads(row["record"])) for row in rows]

    def upto(self) -> Upto:
        """How far the record goes now."""
        last = [
            int((self.one(f"SELECT coalesce(max(seq), 0) AS last FROM {table}") or {"last": 0})["last"])
            for table in ("posts", "versions", "messages", "entries")
        ]
        return Upto(*last)

    # Questions, notices, and what has been told

    def ask(self, phase: int, question: Question, at: datetime) -> bool:
        """Note a question to the GM; False where it was noted already."""
        with self.writing():
            if self.one("SELECT 1 FROM questions WHERE phase = ? AND key = ?", (phase, question.key)):
                return False
            self.execute(
                "INSERT INTO questions (phase, key, question, choices, proposed, about, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    phase, question.key, question.question, json.dumps(question.choices), question.default,
                    json.dumps(dict(question.about), default=str), stamp(at),
                ),
            )  # fmt: skip
        return True

    def open_questions(self) -> list[OpenQuestion]:
        """The questions of the open phase that have no answer."""
        phase = self.open_phase()
        if phase is None:
            return []
        answered = {entry.question for entry in self.entries(phase=phase.seq) if entry.kind == "answer"}
        rows = self.rows("SELECT * FROM questions WHERE phase = ? ORDER BY seq", (phase.seq,))
        return [
            OpenQuestion(
                row["phase"], row["key"], row["question"], tuple(json.loads(row["choices"])), row["proposed"],
                json.loads(row["about"]), instant(row["at"]),
            )
            for row in rows
            if row["key"] not in answered
        ]  # fmt: skip

    def notify(self, key: str, topic: str, text: str, at: datetime) -> bool:
        """Tell the GM something, once for each key; False where it was told before."""
        with self.writing():
            if self.one("SELECT 1 FROM notices WHERE key = ?", (key,)):
                return False
            self.execute("INSERT INTO notices (key, topic, text, at) VALUES (?, ?, ?, ?)", (key, topic, text, stamp(at)))
        return True

    def notices(self, after: int = 0) -> list[Notice]:
        """What the GM has been told, in order, from the row after `after`."""
        rows = self.rows("SELECT * FROM notices WHERE seq > ? ORDER BY seq", (after,))
        return [Notice(row["seq"], row["topic"], row["text"], instant(row["at"])) for row in rows]

    def tell_once(self, key: str, at: datetime) -> bool:
        """Whether `key` is told for the first time now; to be called in the transaction that drafts the telling."""
        with self.writing():
            if self.one("SELECT 1 FROM told WHERE key = ?", (key,)):
                return False
            self.execute("INSERT INTO told VALUES (?, ?)", (key, stamp(at)))
        return True


def record_text(event: Event) -> str:
    """An event as the record keeps it, the same text for the same event always."""
    return json.dumps(event.to_record(), sort_keys=True, ensure_ascii=False)


def _connect(path: Path) -> Database:
    with guarded(path):
        connection = sqlite3.connect(path, timeout=PATIENCE)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        return Database(connection, execute_plugins=False)


def _digest(message: Message) -> str:
    """What makes a message itself, wherever it was exported from."""
    sent = stamp(message.sent_at) if message.sent_at else message.id
    parts = (message.sender, sent, message.subject, " ".join(message.body.split()))
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def _entry(row: sqlite3.Row) -> Entry:
    return Entry(
        row["seq"], row["phase"], row["kind"], row["text"], row["question"], row["undoes"], instant(row["at"])
    )
