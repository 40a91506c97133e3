"""The outbox on its way out, exactly once whatever happens (product.md, "Posting")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scraper.model import BadInput, Message, Post, SourceError
from store.record import Draft, Record

if TYPE_CHECKING:
    from desk.settings import Settings
    from scheduler import Report

THREAD = "thread"
"""The audience of what everybody may read; any other audience is the player who gets a message."""


class Outlet(Protocol):
    """Where a game is read from and written to: a forum, or folders on this machine."""

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        """The posts that are new or changed. Raises SourceError where the thread cannot be read."""

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        """The messages that may be new. Raises SourceError where they cannot be read."""

    def find(self, draft: Draft) -> tuple[str, str] | None:
        """The id and address of this draft where it already stands: what settles a crash in mid-sending."""

    def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
        """Post, edit (`standing` is the post to edit) or message it; its id and address. Raises SourceError."""


class Folders:
    """An outlet on this machine: saved pages in, files out, for a forum that cannot be reached.

    A post becomes a file under `posted/`, written beside and then moved into place, so it stands whole or not at all.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.out = settings.folder / "posted"

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        """All posts of the saved pages, where they have changed since they were last read."""
        from zoneinfo import ZoneInfo

        from scraper.saved import read_saved

        saved = self.settings.thread.saved
        if saved is None or not saved.is_dir():
            return
        pages = sorted(path for path in saved.iterdir() if path.is_file() and not path.name.startswith("."))
        mark = [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in pages]
        if not pages or mark == record.bookmark("saved"):
            return
        zone = ZoneInfo(self.settings.thread.timezone)
        thread = read_saved(pages, forum=self.settings.thread.kind, timezone=zone, now=now)
        for note in thread.notes:
            record.notice(now, note)
        yield from thread.posts
        record.set_bookmark("saved", mark)  # together with the posts, or not at all

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        """All messages of the exports in the mail folders, where one has changed since they were last read."""
        from zoneinfo import ZoneInfo

        from scraper.mail import read_mail

        paths = [path for path in self.settings.mail.paths if path.exists()]
        files = sorted(file for path in paths for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())
        mark = [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
        if not files or mark == record.bookmark("mail"):
            return
        notes: list[str] = []
        try:
            yield from read_mail(paths, timezone=ZoneInfo(self.settings.mail.timezone), notes=notes, now=now)
        except (SourceError, BadInput) as error:
            notes.append(f"{error} The other exports were read.")  # one damaged file stops neither the rest nor the game
        for note in notes:
            record.notice(now, note)
        record.set_bookmark("mail", mark)  # together with the messages, or not at all

    def find(self, draft: Draft) -> tuple[str, str] | None:
        """The file of a draft that was written before a crash."""
        path = self._path(draft, None)
        return (path.name, str(path)) if path.exists() else None

    def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
        """Write the file; an edit replaces it."""
        path = self._path(draft, standing)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part")
        beside.write_text(f"{draft.title}\n\n{draft.body}\n", encoding="utf-8")
        beside.replace(path)
        return path.name, str(path)

    def _path(self, draft: Draft, standing: str | None) -> Path:
        where = self.out if draft.audience == THREAD else self.out / "private"
        return where / (standing or f"{draft.id:04d}-{draft.kind}.txt")


def outlet_of(settings: Settings) -> Outlet:
    """The outlet that a game's settings name: its forum, or folders on this machine. Raises SourceError."""
    if settings.thread.url is None:
        return Folders(settings)
    from publisher.forum import open_outlet

    return open_outlet(settings)


def fingerprint(body: str) -> str:
    """What tells a body from any other, whatever a forum makes of its blanks."""
    return hashlib.sha256(" ".join(body.split()).encode()).hexdigest()[:16]


def deliver(record: Record, outlet: Outlet, report: Report) -> None:
    """Send what is approved, in the order made. What a crash left in mid-sending is looked for before it is sent again.

    An edit is simply made again. A draft that cannot be sent keeps its place and stops those behind it, so that the thread stays
    in order.
    """
    for draft in record.drafts("approved", "sending"):
        try:
            sent = outlet.find(draft) if draft.state == "sending" and draft.post is None else None
            if sent is not None and sent[0] in {one.post for one in record.drafts("posted") if one.post}:
                sent = None  # an earlier post of ours with the same words
            if sent is None:
                record.change_draft(draft.id, state="sending", attempts=draft.attempts + 1, error=None)
                sent = outlet.send(draft, draft.post)
        except SourceError as error:
            text = f"{error} {error.advice}".strip()
            record.change_draft(draft.id, error=text)
            report.trouble.append(text)
            return
        record.change_draft(draft.id, state="posted", post=sent[0], link=sent[1], error=None)
        report.sent.append(draft.title)
