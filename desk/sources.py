"""`read` and `mail`: what the GM names on the command line, found and handed to the readers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from scraper.model import BadInput
from scraper.saved import SavedThread, read_saved


def saved_posts(sources: Sequence[str], *, forum: str | None, timezone: str, now: str | None) -> SavedThread:
    """The posts of the topic whose saved pages `sources` are; a folder stands for the HTML files in it.

    `now` is ISO 8601, in `timezone` where it has no offset; without it the newest file's time counts. Raises BadInput, and
    SourceError for a page that is not of the topic.
    """
    zone = zone_called(timezone)
    pages = [page for source in sources for page in _pages(source)]
    return read_saved(pages, forum=forum, timezone=zone, now=_moment(now, zone) if now else _written(pages))


def zone_called(name: str) -> ZoneInfo:
    """The time zone of that name. Raises BadInput."""
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise BadInput(f"no time zone is called `{name}`; write it as in Europe/Berlin") from None


def _pages(source: str) -> list[Path]:
    if source.startswith(("https://", "http://")):
        raise BadInput(f"{source}: save the topic's pages with your browser and give the files; reading by address comes later")
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
