"""The record of a game: what was read, said, decided and posted, in one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from engine.events import Event
from engine.state import Label
from scraper.fingerprint import fingerprint
from scraper.model import BadInput, Message, Post, iso
from store.merged import SEPARATOR, texts_of
from store.order import follows, made_after, minute_of, place_of, since_text, time_of_text, until_text
from store.schema import migrations
from store.whole import storable, whole


class StoreError(BadInput):
    """The game's file cannot be used: it is damaged, locked, or the disk is full. Nothing was half-written."""


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """A phase of the game. Times are UTC; `closed_at` is None while it is open."""

    seq: int
    label: Label
    opened_at: datetime
    deadline: datetime | None
    closed_at: datetime | None
    last_post: int | None = None
    """The last version of a post, the last message and the last entry that were known when it was resolved."""
    last_message: int | None = None
    last_entry: int | None = None
    read_with: Mapping[str, Any] | None = None
    """The accounts, aliases and waived questions it was resolved with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the GM said: a command, an answer to a question (`key`), an undo, or who takes over from a player (`key`): from the
    accounts that `held` the seat.
    """

    seq: int
    kind: str
    key: str
    text: str
    at: datetime
    held: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the GM is told, and when (ISO 8601, UTC)."""

    seq: int
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """One post or message on its way out. `audience` is `thread`, or the player who gets it.

    `had` are the accounts that a message has reached, as JSON: a seat may change hands.
    """

    id: int
    key: str
    kind: str
    audience: str
    title: str
    body: str
    state: str
    post: str | None
    link: str | None
    attempts: int
    error: str | None
    had: str | None = None

    def reached(self) -> list[str]:
        """The accounts that have had it, in order."""
        return list(json.loads(self.had or "[]"))


WAIT = 30.0
"""Seconds that another process at work on the file is waited for."""
_KNOWN = {"post": "posts", "message": "messages", "entry": "entries"}
"""What a closed phase was resolved from: the last row of each."""


def moment(text: str | None) -> datetime | None:
    """A stored time."""
    return None if text is None else datetime.fromisoformat(text)


SHIFT = timedelta(minutes=2)
"""How far the forum's clock may be off before the GM is told."""


class Record:
    """The open file of one game. Every public method is one transaction, or joins the one `together` opens."""

    def __init__(self, path: Path) -> None:
        """Open the file at `path`, made if it is not there and brought up to date. Raises StoreError."""
        self.path = path
        try:
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self.db = Database(sqlite3.connect(path, timeout=WAIT))
            self.db.execute("pragma journal_mode=wal")
            if list(migrations.pending(self.db)):
                if self.db.table_names():
                    self._copy_to(path.with_name(path.name + ".before-update"))
                migrations.apply(self.db)
        except sqlite3.Error as error:
            raise StoreError(f"{path} cannot be used: {error}. Nothing was written; a copy may lie beside it.") from error

    def _copy_to(self, path: Path) -> None:
        """A whole copy of the file, what has not yet reached it included, for its owner only."""
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(path)) as copy:
            self.db.conn.backup(copy)

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written inside is written together or not at all, and nobody else writes meanwhile.

        Raises StoreError where it cannot be written.
        """
        try:
            if self.db.conn.in_transaction:
                with self.db.atomic():
                    yield
                return
            # At once for writing: what was only begun for reading could not go on where another process has written meanwhile.
            self.db.conn.execute("begin immediate")
            try:
                yield
                self.db.commit()
            except BaseException:
                self.db.rollback()
                raise
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} could not be written: {error}. Nothing was half-written; try again.") from error

    # Posts and messages

    def add_posts(self, posts: Iterable[Post], seen_at: datetime) -> list[Post]:
        """Keep every post that is new or has changed, as a further version; those are returned."""
        news = []
        with self.together():
            for post in map(storable, posts):
                last = self._row("select bbcode, posted_at, deleted from posts where post = ? order by seq desc limit 1", post.id)
                if last is not None and (last["bbcode"], bool(last["deleted"])) == (post.bbcode, post.deleted):
                    continue
                if last is not None and post.deleted and last["deleted"]:
                    continue
                news.append(post)
                self.db.table("posts").insert(
                    {
                        "post": post.id,
                        "number": post.number,
                        "author": post.author,
                        "author_id": post.author_id,
                        "posted_at": (last and last["posted_at"]) or iso(post.posted_at) or iso(seen_at),
                        "edited_at": iso(post.edited_at),
                        "url": post.url,
                        "bbcode": post.bbcode,
                        "text": post.text,
                        "deleted": int(post.deleted),
                        "seen_at": iso(seen_at),
                    }
                )
        return news

    def posts(
        self, after: datetime | None, until: datetime | None, last: int | None = None, unread: int | None = None,
        apart: timedelta = timedelta(0), *, behind: str | None = None, closing: str | None = None,
    ) -> list[list[dict[str, Any]]]:  # fmt: skip
        """All versions of each post made after `after` and not after `until`, post by post in the order of the thread.

        `last` leaves out what was read after that version. A forum's post that was made of several counts as so many posts. Where
        `after` lies within a minute, pages that tell minutes only do not tell on which side of it a post of that minute stands:
        what was read later than version `unread` was made after it; so it was where it is dated less than `apart` before. Where
        `after` or `until` is the time of a post, `behind` and `closing` name it: of the posts of that minute those that stand
        behind it in the thread were made after it.
        """
        grown = self.fact("forum") == "mybb"
        minute = minute_of(after and after - apart)
        sql = "select * from posts where (:until is null or posted_at <= :until) and (:last is null or seq <= :last)"
        sql += " and (:minute is null or posted_at >= :minute"
        sql += " or post in (select post from posts where instr(bbcode, :line) and seen_at > :minute)" if grown else ""
        sql += ") order by seq"
        values = {"until": until_text(until), "last": last, "minute": since_text(minute)} | ({"line": SEPARATOR} if grown else {})
        found: dict[str, list[dict[str, Any]]] = {}
        for row in self.db.query(sql, values):
            found.setdefault(row["post"], []).append(row)
        texts = [text for versions in found.values() for text in (texts_of(versions) if grown else [versions])]
        made = [
            text for text in texts
            if made_after(text[0]["posted_at"], text[0]["seq"], after, unread, apart) or follows(text[0], behind, after)
        ]  # fmt: skip
        in_time = [text for text in made if until is None or time_of_text(text[0]["posted_at"]) <= until]
        kept = [text for text in in_time if not follows(text[0], closing, until)]
        return sorted(kept, key=lambda text: (time_of_text(text[0]["posted_at"]), place_of(text[0]["post"])))

    def texts(self, post: str) -> list[list[dict[str, Any]]]:
        """The texts that a post was made of, each with its versions; only one on a forum that makes no posts of several."""
        rows = list(self.db.query("select * from posts where post = ? order by seq", [post]))
        return texts_of(rows) if rows and self.fact("forum") == "mybb" else [rows]

    def posts_since(self, seq: int) -> list[str]:
        """The contents of all posts read after that version."""
        return [row["bbcode"] for row in self.db.query("select bbcode from posts where seq > ?", [seq])]

    def said_by(self, author: str, seq: int) -> list[dict[str, Any]]:
        """Each version of a text by that account, read after version `seq`, as read, with what the text said `before`.

        `said_at` is when it came to say that: when it was posted, or else edited, as far as is known. What Nightpost has posted
        itself is left out, and what a forum has put behind that is not.
        """
        own = {row["post"] for row in self.db.query("select post from outbox where post is not null and audience = 'thread'")}
        sql = "select distinct post from posts where seq > ? and lower(author) = lower(?)"
        texts = [text for row in list(self.db.query(sql, [seq, author])) for text in self.texts(row["post"])]
        said = [one for text in texts if text[0]["post"] not in own for one in _sayings(text) if one["seq"] > seq]
        return sorted(said, key=lambda version: (version["seq"], place_of(version["post"])))

    def new_since(self, seq: int, *, but_of: str) -> int:
        """How many posts were first read after that version, those of one author left out."""
        sql = "select count(distinct post) as n from posts where seq > :seq and lower(author) != lower(:name)"
        sql += " and post not in (select post from posts where seq <= :seq)"
        return int(next(iter(self.db.query(sql, {"seq": seq, "name": but_of})))["n"])

    def links(self, after: datetime | None) -> dict[str, str]:
        """Post id → its address, of the posts made after `after`; of a post that was made of several, for each of them."""
        if self.fact("forum") == "mybb":
            return {text[0]["post"]: text[-1]["url"] for text in self.posts(after, None) if text[-1]["url"]}
        sql = "select post, url from posts where url is not null and (:after is null or posted_at >= :after)"
        return {row["post"]: row["url"] for row in self.db.query(sql, {"after": since_text(minute_of(after and after - SHIFT))})}

    def first_post(self, after: datetime) -> str | None:
        """The first post made since `after` or so shortly before that a clock may be as far behind."""
        rows = self.db.query("select post, posted_at from posts where posted_at >= ?", [since_text(minute_of(after - SHIFT))])
        first = min(rows, key=lambda row: (time_of_text(row["posted_at"]), place_of(row["post"])), default=None)
        return None if first is None else str(first["post"])

    def authors(self, posts: Iterable[str]) -> dict[str, str]:
        """Post id → author, of the posts named."""
        found = ((post, self._row("select author from posts where post = ? limit 1", post)) for post in posts)
        return {post: row["author"] for post, row in found if row is not None}

    def time_of(self, post: str) -> datetime | None:
        """When a post was made; None for one that is not kept."""
        row = self._row("select posted_at from posts where post = ? order by seq limit 1", post)
        return None if row is None else moment(row["posted_at"])

    def standing(self, posts: Iterable[str]) -> set[str]:
        """Those of the posts named that are kept and were not seen deleted since."""
        found = ((post, self._row("select deleted from posts where post = ? order by seq desc limit 1", post)) for post in posts)
        return {post for post, row in found if row is not None and not row["deleted"]}

    def names_of(self, author_id: str | None) -> list[str]:
        """The names under which that account of the forum has posted."""
        rows = self.db.query("select distinct author from posts where author_id = ? and author_id is not null", [author_id])
        return [row["author"] for row in rows]

    def ids_of(self, author: str) -> list[str]:
        """The numbers of the accounts that have posted under that name, in the order first seen."""
        sql = "select author_id from posts where author = ? and author_id is not null group by author_id order by min(seq)"
        return [row["author_id"] for row in self.db.query(sql, [author])]

    def message_ids(self) -> set[str]:
        """The ids of all messages kept."""
        return {row["message"] for row in self.db.query("select message from messages")}

    def add_messages(self, messages: Iterable[Message], seen_at: datetime) -> list[Message]:
        """Keep every message not yet kept, be it from this source or, in the same words, from another; those are returned."""
        news = []
        with self.together():
            for one in map(storable, messages):
                one = replace(one, id=self._id_of(one))
                print_ = fingerprint(one)
                if not self._is_kept(one, print_):
                    news.append(one)
                    self.db.table("messages").insert(
                        {
                            "message": one.id,
                            "sender": one.sender,
                            "recipients": json.dumps(list(one.recipients)),
                            "sent_at": iso(one.sent_at),
                            "subject": one.subject,
                            "body": one.body,
                            "source": one.source,
                            "seen_at": iso(seen_at),
                            "print": print_,
                        }
                    )
        return news

    def _id_of(self, one: Message) -> str:
        """The id under which a message is kept: where one Message-ID came with mails of two times, those are two."""
        row = self._row("select sent_at from messages where message = ?", one.id) if one.id.startswith("<") else None
        at = iso(one.sent_at)
        return one.id if row is None or None in (at, row["sent_at"]) or at == row["sent_at"] else f"{one.id} {at}"

    def _is_kept(self, one: Message, print_: str) -> bool:
        """Whether the message is kept: by its id, or told by another source (two of one source with the same words are two, and
        so are two mails with ids of their own, wherever they lie: in a Maildir each is a file).
        """
        if self._row("select 1 from messages where message = ?", one.id) is not None:
            return True
        own = one.id.startswith("<")
        if own and self._row("select 1 from messages where message = ? and print = ?", one.id.strip("<>"), print_) is not None:
            return True  # an earlier version kept an id without brackets as it stood
        told = self.db.query("select message, source from messages where print = ?", [print_])
        return any(_box(row["source"]) != _box(one.source) and not (own and row["message"].startswith("<")) for row in told)

    def messages(
        self, after: datetime | None, until: datetime | None, last: int | None = None, unread: int | None = None,
        apart: timedelta = timedelta(0), of: Iterable[str] | None = None,
    ) -> list[dict[str, Any]]:  # fmt: skip
        """The messages sent after `after` and not after `until`, in the order sent; one without a time when it was seen.

        `last` leaves out what was read after that message; `unread` and `apart` are as for posts. `of` are the accounts wanted,
        regardless of case: a mailbox may hold any number by strangers.
        """
        wanted = None if of is None else set(map(str.casefold, of))
        sql = (
            "select *, coalesce(sent_at, seen_at) as at from messages where (:minute is null or at >= :minute)"
            " and (:until is null or at <= :until) and (:last is null or seq <= :last)"
        )
        minute = since_text(minute_of(after and after - apart))
        rows = self.db.query(sql, {"minute": minute, "until": until_text(until), "last": last})
        of_them = (row for row in rows if wanted is None or row["sender"].casefold() in wanted)
        made = [row for row in of_them if made_after(row["at"], row["seq"], after, unread, apart)]
        in_time = [row for row in made if until is None or time_of_text(row["at"]) <= until]
        return sorted(in_time, key=lambda row: (time_of_text(row["at"]), row["seq"]))

    def reaches_beyond(self, now: datetime) -> bool:
        """Whether something kept was posted or sent after `now`, so that a count as of `now` leaves it out."""
        sql = "select max(at) as at from (select max(posted_at) as at from posts union all select max(sent_at) from messages)"
        row = self._row(sql)
        return row is not None and row["at"] is not None and time_of_text(row["at"]) > now

    def newest(self, now: datetime) -> datetime:
        """`now`, or the time of the newest post, edit or message kept that is ahead of it by no more than clocks may differ."""
        until = until_text(now + SHIFT)
        rows = (
            self._row("select max(posted_at) as at from posts where posted_at <= ?", until),
            self._row("select max(edited_at) as at from posts where edited_at <= ?", until),
            self._row("select max(sent_at) as at from messages where sent_at <= ?", until),
        )
        return max([now, *(time_of_text(row["at"]) for row in rows if row is not None and row["at"] is not None)])

    def extent(self) -> list[int]:
        """How much has been read and said so far: what has not grown needs no new count."""
        return [self._last(table) for table in ("posts", "messages", "entries", "phases")]

    # What the GM says

    def add_entry(self, kind: str, text: str, at: datetime, key: str = "", held: Sequence[str] = ()) -> int:
        """Log a command, answer, replacement or undo; its number is returned."""
        with self.together():
            row = {"kind": kind, "key": key, "text": text, "at": iso(at), "held": json.dumps(list(held))}
            table = self.db.table("entries").insert(row)
            return int(str(table.last_pk))

    def entries(self, last: int | None = None) -> list[Entry]:
        """All that was said and not undone; `last` leaves out what was said after that entry."""
        rows = [
            Entry(r["seq"], r["kind"], r["key"], r["text"], time_of_text(r["at"]), tuple(json.loads(r["held"] or "[]")))
            for r in self.db.query("select * from entries where :last is null or seq <= :last order by seq", {"last": last})
        ]
        undone = {int(entry.key) for entry in rows if entry.kind == "undo"}
        return [entry for entry in rows if entry.kind != "undo" and entry.seq not in undone]

    # Phases and events

    def phases(self) -> list[PhaseRow]:
        """All phases so far, the open one last."""
        return [
            PhaseRow(
                r["seq"],
                Label(r["kind"], r["number"], r["word"]),
                time_of_text(r["opened_at"]),
                moment(r["deadline"]),
                moment(r["closed_at"]),
                r["last_post"],
                r["last_message"],
                r["last_entry"],
                None if r["read_with"] is None else json.loads(r["read_with"]),
            )
            for r in self.db.query("select * from phases order by seq")
        ]

    def open_phase(self, label: Label, opened_at: datetime, deadline: datetime | None) -> None:
        """A phase begins."""
        with self.together():
            self.db.table("phases").insert(
                {
                    "kind": label.kind,
                    "number": label.number,
                    "word": label.word,
                    "opened_at": iso(opened_at),
                    "deadline": iso(deadline),
                    "closed_at": None,
                }
            )

    def move_opening(self, seq: int, opened_at: datetime) -> None:
        """The phase began at another time."""
        with self.together():
            self.db.table("phases").update(seq, {"opened_at": iso(opened_at)})

    def move_deadline(self, seq: int, deadline: datetime | None) -> None:
        """The deadline of the open phase becomes another."""
        with self.together():
            self.db.table("phases").update(seq, {"deadline": iso(deadline)})
            self.set_bookmark(f"moves {seq}", self.moves(seq) + 1)
            self.set_bookmark("counted", None)  # the standing tally names the deadline

    def moves(self, seq: int) -> int:
        """How often the deadline of that phase has been moved."""
        return int(self.bookmark(f"moves {seq}") or 0)

    def close_phase(self, seq: int, closed_at: datetime, events: Iterable[Event], read_with: Mapping[str, Any]) -> None:
        """A phase is resolved: its events are logged, in order, and with what it was read."""
        with self.together():
            last = {f"last_{one}": self._last(table) for one, table in _KNOWN.items()}
            kept = json.dumps(read_with, ensure_ascii=False)
            self.db.table("phases").update(seq, {"closed_at": iso(closed_at), "read_with": kept, **last})
            rows = [{"phase": seq, "record": json.dumps(event.to_record(), ensure_ascii=False)} for event in events]
            self.db.table("events").insert_all(rows)

    def events(self, seq: int | None = None) -> list[Event]:
        """The events of one phase, or of all."""
        rows = self.db.query("select record from events where :seq is null or phase = :seq order by seq", {"seq": seq})
        return [Event.from_record(json.loads(row["record"])) for row in rows]

    # Going out

    def add_draft(
        self, key: str, kind: str, audience: str, title: str, body: str, state: str, made_at: datetime, error: str | None
    ) -> None:
        """Put a post or message in the outbox, once for its `key`.

        A message with the words of an earlier one to the same player is numbered: MyBB takes none twice within five hours.
        """
        with self.together():
            if self._row("select 1 from outbox where key = ?", key) is None:
                if audience != "thread" and (like := self._told_before(audience, body)):
                    title = f"{title} ({like + 1})"
                self.db.table("outbox").insert(
                    {
                        "key": key,
                        "kind": kind,
                        "audience": audience,
                        "title": title,
                        "body": body,
                        "state": state,
                        "post": None,
                        "link": None,
                        "attempts": 0,
                        "error": error,
                        "made_at": iso(made_at),
                    }
                )

    def _told_before(self, player: str, body: str) -> int:
        """How many messages to whoever plays that seat now say the same."""
        since = "(select coalesce(max(at), '') from entries where kind = 'replace' and key = :player)"
        sql = f"select count(*) as n from outbox where audience = :player and body = :body and made_at >= {since}"
        return int(next(iter(self.db.query(sql, {"player": player, "body": body})))["n"])

    def change_draft(self, id_: int, **changes: Any) -> None:
        """Change a draft's state, text, or what is known of it in the forum."""
        with self.together():
            self.db.table("outbox").update(id_, changes)

    def drafts(self, *states: str) -> list[Draft]:
        """The outbox in the order made, all of it or those in `states`."""
        rows = self.db.query("select * from outbox order by id")
        names = Draft.__dataclass_fields__
        return [Draft(**{name: row[name] for name in names}) for row in rows if not states or row["state"] in states]

    def draft(self, id_: int) -> Draft:
        """The draft of that number, as it is now."""
        row = self._row("select * from outbox where id = ?", id_)
        assert row is not None, "drafts are never taken out of the outbox"
        return Draft(**{name: row[name] for name in Draft.__dataclass_fields__})

    def parts_of(self, key: str) -> list[Draft]:
        """The drafts that one post became, in order: one, or several parts where it is longer than the forum takes."""
        return [one for one in self.drafts() if one.key == key or one.key.startswith(f"{key} part ")]

    def was_told(self, key: str) -> bool:
        """Whether the event with that key has been put into a message already."""
        return self._row("select 1 from told where key = ?", key) is not None

    def tell(self, key: str) -> None:
        """Remember that the event with that key has been put into a message."""
        with self.together():
            self.db.table("told").insert({"key": key}, ignore=True)

    # Bookmarks, notices, facts

    def bookmark(self, source: str) -> Any:
        """How far `source` was read, None where it never was."""
        row = self._row("select value from bookmarks where source = ?", source)
        return None if row is None else json.loads(row["value"])

    def set_bookmark(self, source: str, value: Any) -> None:
        """Remember how far `source` was read."""
        with self.together():
            self.db.table("bookmarks").upsert({"source": source, "value": json.dumps(value)}, pk="source")

    def lease(self, owner: str, now: datetime, until: datetime) -> bool:
        """Hold the game until then for the machine `owner`; False where another one holds it now."""
        wanted = json.dumps([owner, iso(until)])
        with self.together():
            self.db.execute(
                "insert into bookmarks (source, value) values ('lease', :wanted) on conflict (source) do update"
                " set value = :wanted where json_extract(value, '$[0]') = :owner or json_extract(value, '$[1]') <= :now",
                {"wanted": wanted, "owner": owner, "now": iso(now)},
            )
        return bool(self.bookmark("lease") == json.loads(wanted))

    def release(self, owner: str) -> None:
        """Let go of the game."""
        with self.together():
            self.db.execute("delete from bookmarks where source = 'lease' and json_extract(value, '$[0]') = ?", [owner])

    def notice(self, at: datetime, text: str) -> None:
        """Tell the GM something, once in a row."""
        text = whole(text)
        last = self._row("select text from notices order by seq desc limit 1")
        if last is None or last["text"] != text:
            with self.together():
                self.db.table("notices").insert({"at": iso(at), "text": text})

    def notices(self) -> list[tuple[str, str]]:
        """When and what the GM was told."""
        return [(row["at"], row["text"]) for row in self.db.query("select at, text from notices order by seq")]

    def notices_after(self, seq: int) -> list[Notice]:
        """What the GM was told after that notice."""
        rows = self.db.query("select seq, at, text from notices where seq > ? order by seq", [seq])
        return [Notice(row["seq"], row["at"], row["text"]) for row in rows]

    def fact(self, key: str) -> str | None:
        """A fact about the game as a whole."""
        row = self._row("select value from meta where key = ?", key)
        return None if row is None else str(row["value"])

    def set_fact(self, key: str, value: str) -> None:
        """Keep a fact about the game as a whole."""
        with self.together():
            self.db.table("meta").upsert({"key": key, "value": value}, pk="key")

    def _last(self, table: str) -> int:
        row = self._row(f"select coalesce(max(seq), 0) as last from {table}")
        return 0 if row is None else int(row["last"])

    def _row(self, sql: str, *values: Any) -> Mapping[str, Any] | None:
        return next(iter(self.db.query(sql, list(values))), None)


def _sayings(versions: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The versions of a text in which it stood, with what it said `before` and when it came to say this."""
    last: Mapping[str, Any] | None = None
    for one in versions:
        if one["deleted"]:
            continue
        edited = None if last is None or one["edited_at"] == last["edited_at"] else one["edited_at"]
        said_at = one["posted_at"] if last is None else edited or one["seen_at"]
        yield {**one, "before": last and last["bbcode"], "said_at": said_at}
        last = one


def _box(source: str | None) -> str:
    """The mailbox that a message's source names: the file, or the live forum."""
    found = source or ""
    return "forum" if found.startswith(("http://", "https://")) else found.rpartition(":")[0]
