"""Following a topic: what is new, changed or gone since last time, with as few pages as can tell it.

Nothing new costs one request, whatever the topic's length: the last page known is read again, and pages after it only if it
says that there are some. Pages before it are read again where the numbers of known posts have shifted, where known posts
have left the page, or from a post on that the caller names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from scraper.forum import Containing, Forum, newest_first
from scraper.model import NotTheTopic, Page, Post

KEPT = 400  # posts whose fingerprints are kept: a phase of a busy game


@dataclass(frozen=True, slots=True)
class Seen:
    """A post as it was when last read: its place in the thread, and a fingerprint of what may be edited."""

    id: str
    print: str
    number: int | None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """How far a topic has been read: the last page known, its size, and the newest posts as they were.

    `falling` says that this reader's account shows the newest post first; then the page is always the first.
    """

    topic: str
    page: int = 1
    per_page: int | None = None
    falling: bool = False
    seen: tuple[Seen, ...] = ()

    @property
    def last_post(self) -> str | None:
        """The newest post known."""
        return self.seen[-1].id if self.seen else None

    def as_json(self) -> dict[str, Any]:
        """A small object to keep; `from_json` takes it back."""
        return {
            "topic": self.topic, "page": self.page, "per_page": self.per_page, "falling": self.falling,
            "seen": [[post.id, post.print, post.number] for post in self.seen],
        }  # fmt: skip

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Bookmark:
        """The bookmark that `as_json` gave."""
        seen = tuple(Seen(str(post), str(mark), number) for post, mark, number in kept["seen"])
        return cls(str(kept["topic"]), int(kept["page"]), kept["per_page"], bool(kept["falling"]), seen)


@dataclass(frozen=True, slots=True)
class Followed:
    """What a look at a topic brought. Posts stand in thread order.

    `changed` are known posts that read differently now, and posts read again so far back that no fingerprint of them is
    kept. `gone` are ids of known posts that stand no more: deleted or moved. `shifted` is by how many places known posts
    have moved up (below zero: down) for reasons that lie before the pages read. `page` is the last page read, as it was.
    """

    new: tuple[Post, ...]
    changed: tuple[Post, ...]
    gone: tuple[str, ...]
    shifted: int
    page: Page
    bookmark: Bookmark


def follow(forum: Forum, topic: str, bookmark: Bookmark | None = None, *, since: str | None = None) -> Followed:
    """Read what is new in a topic. `since` is a post from which on everything is read again, to notice edits and deletions.

    Raises what `Forum.page` raises (NotTheTopic, TryAgain, …): then the bookmark given still holds. Ids must be numbers that
    rise with the time of writing, as all forums' do.
    """
    bookmark = bookmark or Bookmark(topic)
    pages = _Pages(forum, bookmark, since)
    pages.read()
    return _compare(bookmark, pages)


def fingerprint(post: Post) -> str:
    """Sixteen letters that differ when author, words, edit mark or deletion of a post differ."""
    told = (post.author_id or post.author, post.bbcode, post.edited, post.deleted)
    return blake2b(repr(told).encode(), digest_size=8).hexdigest()


class _Pages:
    """The stretch of a topic that is read, from some page to the newest post."""

    def __init__(self, forum: Forum, bookmark: Bookmark, since: str | None) -> None:
        self.forum, self.bookmark, self.since = forum, bookmark, since
        self.per_page = bookmark.per_page
        self.posts: dict[int, Post] = {}
        self.known = {int(seen.id): seen for seen in bookmark.seen}
        self.first: Page
        self.last: Page

    def read(self) -> None:
        page = self._at(1 if self.bookmark.falling else self.bookmark.page)
        if newest_first(page, self.bookmark.falling):
            self._read_falling(page if page.page == 1 else self._at(1))
            return
        if self.bookmark.falling or page.page != self.bookmark.page or self._other_size(page):
            page = self._find_again(page)
        self.first = self.last = self._take(page)
        while self.last.page < self.last.pages:
            following = self._at(self.last.page + 1)
            if following.page <= self.last.page:
                break  # the topic has shrunk in between; what is there has been read
            self.last = self._take(following)
        while self.first.page > 1 and self._must_go_back():
            before = self._at(self.first.page - 1)
            if before.page >= self.first.page:
                break
            self.first = self._take(before)

    def _read_falling(self, page: Page) -> None:
        """An account that sees the newest first: from the first page on, until what is known is reached."""
        self.first = self.last = self._take(page)
        while self.first.page < self.first.pages and self._must_go_back():
            before = self._at(self.first.page + 1)
            if before.page <= self.first.page:
                break
            self.first = self._take(before)

    def _at(self, number: int) -> Page:
        page = self.forum.page(self.bookmark.topic, number, per_page=self.per_page)
        if not page.posts:
            raise NotTheTopic(
                f"Page {number} of the topic shows no posts.", advice="Look at it in a browser. What was read before stays."
            )
        return page

    def _take(self, page: Page) -> Page:
        self.posts.update({int(post.id): post for post in page.posts})
        self.per_page = page.per_page or self.per_page
        return page

    def _other_size(self, page: Page) -> bool:
        return None not in (page.per_page, self.bookmark.per_page) and page.per_page != self.bookmark.per_page

    def _find_again(self, page: Page) -> Page:
        """The page asked for is not where it was: the topic has shrunk, or its pages have another size."""
        if page.page == page.pages and not self._other_size(page):
            return page
        if self.bookmark.last_post is not None:
            try:
                found = self.forum.page(self.bookmark.topic, Containing(self.bookmark.last_post))
            except NotTheTopic:
                pass  # that very post is gone
            else:
                return found
        return self.forum.page(self.bookmark.topic, "last")

    def _must_go_back(self) -> bool:
        """Whether posts before the pages read so far may have to be read to lose nothing."""
        lowest = min(self.posts)
        if self.since is not None and lowest > int(self.since):
            return True
        if not self.known:
            return True
        shown = [number for number in self.known if number in self.posts]
        if not shown and lowest > max(self.known):
            return True
        edge = {int(post.id) for post in self.first.posts}
        return bool(self._left(edge)) or (self._shift(edge) != 0 and lowest > min(self.known))

    def _left(self, edge: set[int]) -> list[int]:
        """Known posts of the page read again that now lie before it, or are gone."""
        numbers = [self.posts[post].number for post in edge]
        start = min((number for number in numbers if number is not None), default=None)
        lowest = min(self.posts)
        return [
            post
            for post, seen in self.known.items()
            if post < lowest and start is not None and seen.number is not None and seen.number >= start
        ]

    def _shift(self, edge: set[int]) -> int:
        """By how many places the earliest known post on the edge has moved up."""
        for post in sorted(edge & self.known.keys()):
            was, now = self.known[post].number, self.posts[post].number
            if was is not None and now is not None:
                return was - now
        return 0

    def shifted(self) -> int:
        """The shift left unexplained by the pages read."""
        return self._shift({int(post.id) for post in self.first.posts})


def _compare(bookmark: Bookmark, pages: _Pages) -> Followed:
    order = _in_order(pages.posts.values())
    newest_known = max(pages.known, default=0)
    oldest_known = min(pages.known, default=0)
    lowest = min(pages.posts)
    new: list[Post] = []
    changed: list[Post] = []
    gone: list[str] = []
    for post in order:
        seen = pages.known.get(int(post.id))
        if seen is None:
            if post.deleted:
                continue
            far_back = int(post.id) < oldest_known and newest_known > 0
            (changed if far_back else new).append(post)
        elif seen.print != fingerprint(post):
            if post.deleted:
                gone.append(post.id)
            else:
                changed.append(post)
    whole = pages.first.page == (pages.first.pages if newest_first(pages.first, bookmark.falling) else 1)
    gone += [str(post) for post in pages.known if post not in pages.posts and (whole or post > lowest)]
    before = [seen for seen in bookmark.seen if int(seen.id) < lowest and not whole]
    kept = (*before, *(Seen(post.id, fingerprint(post), post.number) for post in order))[-KEPT:]
    falling = newest_first(pages.last, bookmark.falling)
    after = Bookmark(
        bookmark.topic, 1 if falling else pages.last.page, pages.last.per_page or bookmark.per_page, falling, tuple(kept)
    )
    shifted = 0 if whole else pages.shifted()
    return Followed(tuple(new), tuple(changed), tuple(gone), shifted, pages.last, after)


def _in_order(posts: Iterable[Post]) -> list[Post]:
    """Thread order: by number where all have one, else by id."""
    listed = list(posts)
    if all(post.number is not None for post in listed):
        return sorted(listed, key=lambda post: (post.number or 0, int(post.id)))
    return sorted(listed, key=lambda post: int(post.id))
