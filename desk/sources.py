"""`read`, `mail` and `check`: what the GM names, found and handed to the readers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from desk.settings import Settings
from scraper.model import BadInput, Post
from scraper.saved import SavedThread, read_saved
from store.record import Record


def saved_posts(sources: Sequence[str], *, forum: str | None, timezone: str, now: str | None) -> SavedThread:
    """The posts of the topic whose saved pages `sources` are; a folder stands for the HTML files in it.

    `now` is ISO 8601, in `timezone` where it has no offset; without it the newest file's time counts. Raises BadInput, and
    SourceError for a page that is not of the topic.
    """
    zone = zone_called(timezone)
    pages = [page for source in sources for page in _pages(source)]
    return read_saved(pages, forum=forum, timezone=zone, now=_moment(now, zone) if now else _written(pages))


def is_address(source: str) -> bool:
    """Whether `source` is a topic's address and no file."""
    return source.startswith(("https://", "http://"))


def live_posts(url: str, *, timezone: str) -> Iterator[Post]:
    """The posts of the topic at `url`, page by page as they are read, each once.

    Signed in as NIGHTPOST_USER where NIGHTPOST_PASSWORD is set, else as a guest. Raises BadInput and SourceError.
    """
    from scraper.forum import open_forum
    from scraper.session import Session

    forum, topic = open_forum(url, Session(), timezone=zone_called(timezone))
    user, password = os.environ.get("NIGHTPOST_USER"), os.environ.get("NIGHTPOST_PASSWORD")
    if user and password:
        forum.log_in(user, password)
    number, per_page, seen = 1, None, set[str]()
    while True:
        page = forum.page(topic, number, per_page=per_page)
        for post in page.posts:
            if post.id not in seen and not post.deleted:
                seen.add(post.id)
                yield post
        if page.page >= page.pages or page.page < number:
            return
        number, per_page = page.page + 1, page.per_page or per_page


def reached(settings: Settings) -> list[str]:
    """What of the game's thread and mail can be reached, in sentences; those that begin with "!" are for the GM to mend.

    Raises SourceError where the forum cannot be reached or does not let us in.
    """
    told = [_mail_found(path) for path in settings.mail.paths]
    if settings.thread.url is None:
        saved = settings.thread.saved
        assert saved is not None
        if not saved.is_dir() or not any(saved.iterdir()):
            return [f"! There are no saved pages in {saved} yet.", *told]
        thread = saved_posts([str(saved)], forum=settings.thread.kind, timezone=settings.thread.timezone, now=None)
        return [f"Saved pages: {thread.title}, {len(thread.posts)} posts.", *(f"! {note}" for note in thread.notes), *told]
    from publisher.forum import open_outlet

    outlet = open_outlet(settings)
    page = outlet.forum.page(outlet.topic)
    me = outlet.forum.who_am_i()
    told = [f"Thread: {page.title}, {page.pages} pages.", *told]
    if me is None:
        told.append("! Not signed in: set NIGHTPOST_USER and NIGHTPOST_PASSWORD, so that posts can be made and messages read.")
    elif me.casefold() != settings.host.casefold():
        told.append(f"! Signed in as {me}, but `host` in game.toml is {settings.host}.")
    if page.locked:
        told.append("! The topic is locked for this account.")
    return told


def changed_since_start(settings: Settings) -> list[str]:
    """A sentence for the GM where what began as one game has become another in `game.toml`."""
    if not settings.database.exists():
        return []
    record = Record(settings.database)
    kept = record.fact("fingerprint")
    record.close()
    if kept is None or kept == settings.fingerprint:
        return []
    return ["! Roles, options, set-up or seed in game.toml have changed since the game began: put them back."]


def _mail_found(path: Path) -> str:
    return f"Mail: {path}" if path.exists() else f"Mail: {path} is not there yet; exports dropped there will be read."


def zone_called(name: str) -> ZoneInfo:
    """The time zone of that name. Raises BadInput."""
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise BadInput(f"no time zone is called `{name}`; write it as in Europe/Berlin") from None


def _pages(source: str) -> list[Path]:
    path = Path(source)
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.iterdir() if one.suffix.lower() in (".html", ".htm", ".xhtml", ".php"))
    if not found:
        raise BadInput(f"{source}: there are no saved pages (.html) in this folder")
    return found


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--now is a date and time such as 2026-11-29T20:15:00Z, not `{text}`") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


def _written(pages: Sequence[Path]) -> datetime:
    try:
        return datetime.fromtimestamp(max(page.stat().st_mtime for page in pages), UTC)
    except OSError as error:
        raise BadInput(f"{error.filename}: this file cannot be read ({error.strerror})") from None
