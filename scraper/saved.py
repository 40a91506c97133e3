"""Saved pages of one topic, in any order, overlapping or not, made into the thread's posts.

Where two pages show the same post differently, the page saved later holds: the one with the later clock of its own, else
the one whose file is newer, else the one given later. A post that is whole on one page and a placeholder on the other
(deleted in between) is taken as the later page shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, tzinfo
from itertools import pairwise
from pathlib import Path

from scraper import discourse, fluxbb, invision, mybb, phpbb, smf, vbulletin, xenforo
from scraper.model import BadInput, NotTheTopic, Page, Post, SourceError
from scraper.others import other_software
from scraper.topicpage import DraftPage, decode, finish, reader_for

FORUMS = {
    module.KIND: module for module in (discourse, xenforo, fluxbb, vbulletin, phpbb, smf, mybb, invision)
}  # who is surest of its own pages first


@dataclass(frozen=True, slots=True)
class SavedThread:
    """A thread as its saved pages tell it.

    `posts` are the standing posts in thread order, `deleted` the placeholders and the posts marked as deleted. `notes`
    says in plain sentences what the GM should know: missing pages, dates that could not be read, a clock that disagrees.
    `until` is up to when the thread is known: when the page that ends it was saved, or its newest post where that is later.
    `holes` are the posts on either side of numbers that none has.
    """

    forum: str
    topic_id: str | None
    title: str
    posts: tuple[Post, ...]
    deleted: tuple[Post, ...] = ()
    notes: tuple[str, ...] = ()
    until: datetime | None = None
    holes: tuple[tuple[Post, Post], ...] = ()


def detect(page: str | bytes) -> str | None:
    """Which forum a page comes from (a name in FORUMS); None when it cannot be told."""
    return next(_looks_like(page), None)


def _looks_like(page: str | bytes) -> Iterator[str]:
    """Which forums a page may come from, the likeliest first: a theme may borrow another's looks, and a post speak of another."""
    text = decode(page)
    return (kind for kind, module in FORUMS.items() if module.looks_like(text))


def read_saved(
    paths: Sequence[Path], *, forum: str | None, timezone: tzinfo, now: datetime, base_url: str | None = None, dated: bool = False
) -> SavedThread:
    """All posts of the one topic that `paths` are pages of.

    `forum` is detected when None. `timezone` is that of the account that saved the pages, `now` (aware) when they were
    saved; with `dated` each was when its file was written, where that was before. Raises BadInput when a file cannot be
    read or the forum is unknown, NotTheTopic, naming the file, when one of them is no topic page or belongs to another
    topic; then nothing is taken from any.
    """
    if not paths:
        raise BadInput("No pages were given.")
    if forum is not None and forum not in FORUMS:
        raise BadInput(f"“{forum}” is no forum that can be read from saved pages; there are: {', '.join(FORUMS)}.")
    drafts: list[DraftPage] = []
    for path in paths:
        content = _bytes(path)
        kinds = [forum or drafts[0].forum] if forum or drafts else list(_looks_like(content))
        if not kinds:
            raise _named(path, content) or NotTheTopic(
                f"{path.name}: this does not look like a page of any forum known here.",
                advice=f"Name the forum with --forum ({', '.join(FORUMS)}), or save the page again. Nothing was read.",
            )
        drafts.append(_draft(path, content, kinds, base_url))
    _same_topic(paths, drafts)
    reader = reader_for(drafts, timezone=timezone, now=now)
    written = [datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in paths]
    finished: dict[int, Page] = {}
    before: datetime | None = None
    for place in sorted(range(len(drafts)), key=lambda place: min(int(post.id) for post in drafts[place].posts)):
        page = finished[place] = finish(drafts[place], reader, after=before, now=min(now, written[place]) if dated else None)
        before = max((post.posted_at for post in page.posts if post.posted_at), default=before)
    saved_at = [draft.clock_exact or at for at, draft in zip(written, drafts, strict=True)]
    merged: dict[str, Post] = {}
    for place in sorted(range(len(drafts)), key=lambda place: (saved_at[place], place)):
        for post in finished[place].posts:
            merged[post.id] = _newer(merged.get(post.id), post)
    posts = sorted(merged.values(), key=_thread_order(drafts[0].forum))
    notes = [*_gaps(drafts, posts), *_clock_notes(drafts, reader.off_by), *_date_notes(posts, reader.doubtful)]
    notes += dict.fromkeys(note for draft in drafts for note in draft.notes)
    first = min(drafts, key=lambda draft: draft.page)
    return SavedThread(
        forum=first.forum, topic_id=first.topic_id, title=first.title, posts=tuple(post for post in posts if not post.deleted),
        deleted=tuple(post for post in posts if post.deleted), notes=tuple(notes), until=_until(written, drafts, posts),
        holes=tuple(_holes(posts)) if first.forum != discourse.KIND else (),
    )  # fmt: skip


def _until(saved: Sequence[datetime], drafts: Sequence[DraftPage], posts: Sequence[Post]) -> datetime | None:
    """See SavedThread."""
    turns = [int(draft.posts[0].id) - int(draft.posts[-1].id) for draft in drafts]
    newest_on_top = sum(turn > 0 for turn in turns) > sum(turn < 0 for turn in turns)
    ending = [when for when, draft in zip(saved, drafts, strict=True) if _ends_the_thread(draft, newest_on_top)]
    known = max([*ending, *(post.posted_at for post in posts if post.posted_at)], default=None)
    return known and min(known, max(saved))


def _ends_the_thread(draft: DraftPage, newest_on_top: bool) -> bool:
    """Whether this page holds the newest post. Discourse can give several pages as one."""
    if newest_on_top:
        return draft.page == 1
    return draft.page + (len(draft.posts) - 1) // (draft.per_page or len(draft.posts)) >= draft.pages


def _draft(path: Path, content: bytes, kinds: Sequence[str], base_url: str | None) -> DraftPage:
    """The page as the first of the forums reads it that can; what the first of all says where none can."""
    refused: list[SourceError] = []
    for kind in kinds:
        try:
            page: DraftPage = FORUMS[kind].draft_page(content, base_url=base_url)
            return page
        except SourceError as error:
            refused.append(error)
    raise _named(path, content) or NotTheTopic(f"{path.name}: {refused[0]}", advice=refused[0].advice) from refused[0]


def _named(path: Path, content: bytes) -> NotTheTopic | None:
    """The error for a page of software that is not read at all, with the file's name."""
    error = other_software(content)
    return error and NotTheTopic(f"{path.name}: {error}", advice=error.advice)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: this file cannot be read ({error.strerror or error}).") from error


def _same_topic(paths: Sequence[Path], drafts: Sequence[DraftPage]) -> None:
    known = [(path, draft) for path, draft in zip(paths, drafts, strict=True) if draft.topic_id is not None]
    for path, draft in known[1:]:
        if draft.topic_id != known[0][1].topic_id:
            raise NotTheTopic(
                f"{path.name}: this is a page of topic {draft.topic_id} (“{draft.title}”), but {known[0][0].name} is one of "
                f"topic {known[0][1].topic_id} (“{known[0][1].title}”).",
                advice="Give the pages of one topic only. Nothing was read.",
            )


def _newer(before: Post | None, post: Post) -> Post:
    """The post as the later page shows it, with what only the earlier one told."""
    if before is None:
        return post
    if post.deleted and not post.bbcode and before.bbcode:
        return replace(before, deleted=True, number=post.number)
    return replace(
        post, posted_at=post.posted_at or before.posted_at, url=post.url or before.url,
        number=post.number if post.number is not None else before.number,
    )  # fmt: skip


def _thread_order(forum: str) -> Callable[[Post], tuple[float, int]]:
    """By time, then id; SMF and FluxBB by id alone; Discourse by its numbers, which it never gives twice."""
    if forum in (smf.KIND, fluxbb.KIND):
        return lambda post: (0.0, int(post.id))
    if forum == discourse.KIND:
        return lambda post: (float(post.number or 0), int(post.id))
    return lambda post: (post.posted_at.timestamp() if post.posted_at else 0.0, int(post.id))


def _holes(posts: Sequence[Post]) -> Iterator[tuple[Post, Post]]:
    """See SavedThread; none where as many posts have no number."""
    numbered = sorted((post for post in posts if post.number is not None), key=lambda post: post.number or 0)
    holes = [pair for pair in pairwise(numbered) if (pair[1].number or 0) - (pair[0].number or 0) > 1]
    missing = sum((after.number or 0) - (before.number or 0) - 1 for before, after in holes)
    if missing > len(posts) - len(numbered):
        yield from holes


def _gaps(drafts: Sequence[DraftPage], posts: Sequence[Post]) -> list[str]:
    """Which pages are missing, told by the posts' numbers where there are any, else by the pages' own."""
    notes: list[str] = []
    pages = max(draft.pages for draft in drafts)
    numbers = sorted({post.number for post in posts if post.number is not None})
    # Discourse leaves out the number of a deleted post for ever.
    if numbers and all(d.posts for d in drafts) and drafts[0].forum != discourse.KIND:
        missing = sorted(set(range(1, numbers[-1])) - set(numbers))
        spare = sum(post.number is None for post in posts)
        if len(missing) > spare:
            notes.append(f"{len(missing) - spare} posts are missing, numbers {_ranges(missing)}: a page was not saved.")
    last = next((draft for draft in drafts if draft.page == draft.pages == pages), None)
    steps = {draft.pages for draft in drafts}
    if len(steps) == 1 and pages > 1:
        seen = {draft.page for draft in drafts}
        absent = sorted(set(range(1, pages + 1)) - seen)
        if absent and not (notes and last is not None):
            notes.append(f"Of {pages} pages, {_ranges(absent)} {'was' if len(absent) == 1 else 'were'} not among the files.")
    elif last is None and pages > 1:
        notes.append(f"The last page (of {pages}) was not among the files.")
    return notes


def _ranges(numbers: Sequence[int]) -> str:
    """1, 2, 3, 7 as "1-3, 7"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def _clock_notes(drafts: Sequence[DraftPage], off_by: Callable[[str, datetime], float | None]) -> list[str]:
    """A moment that a page shows both as text and for machines tells whether the zone given is the account's."""
    for draft in drafts:
        told = [(draft.clock, draft.clock_exact), *[(post.posted.text, post.posted.exact) for post in draft.posts[:3]]]
        for text, exact in told:
            hours = off_by(text, exact) if text and exact is not None else None
            if hours:
                return [f"The pages' own clock is {hours:+g} hours off the time zone given: see --timezone, or [thread]."]
    return []


def _date_notes(posts: Sequence[Post], doubtful: date | None) -> Iterator[str]:
    if doubtful is not None:
        yield (
            f"Whether day or month comes first in the dates cannot be told: the month was taken, as in {doubtful:%d %B %Y}."
            " If that is wrong, give more pages of the topic together, or have the account show dates with the month's name."
        )
    undated = [post.id for post in posts if post.posted_at is None and not post.deleted]
    if undated:
        shown = ", ".join(undated[:5]) + (" and more" if len(undated) > 5 else "")
        yield f"The date of {len(undated)} posts could not be read ({shown})."
