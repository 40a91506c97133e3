"""Following a topic: what is new, changed or gone since last time, with as few pages as can tell it.

Nothing new costs one request, whatever the topic's length: the last page known is read again, and pages after it only if it
says that there are some. Pages before it are read again where the numbers of known posts have shifted, where known posts
have left the page, or from a post on that the caller names.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from scraper.forum import Containing, Forum, newest_first
from scraper.model import NotTheTopic, Page, Post

KEPT = 400  # posts whose fingerprints are kept: a phase of a busy game
SMALLEST = 5  # posts on a full page, of all sizes that forums offer


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


def follow(
    forum: Forum, topic: str, bookmark: Bookmark | None = None, *, since: str | None = None, most: int | None = None
) -> Followed:
    """Read what is new in a topic. `since` is a post from which on everything is read again, to notice edits and deletions.
    `most` is how many pages are read forward at once: then `page` may not be the last, and the next call goes on from there.

    Raises what `Forum.page` raises (NotTheTopic, TryAgain, …): then the bookmark given still holds. Ids must be numbers that
    rise with the time of writing, as all forums' do.
    """
    bookmark = bookmark or Bookmark(topic)
    pages = _Pages(forum, bookmark, since, most)
    pages.read()
    return _compare(bookmark, pages)


def fingerprint(post: Post) -> str:
    """Sixteen letters that differ when author, words, edit mark or deletion of a post differ."""
    told = (post.author_id or post.author, post.bbcode, post.edited, post.deleted)
    return blake2b(repr(told).encode(), digest_size=8).hexdigest()


class _Pages:
    """The stretch of a topic that is read, from some page to the newest post."""

    def __init__(self, forum: Forum, bookmark: Bookmark, since: str | None, most: int | None) -> None:
        self.forum, self.bookmark, self.since, self.most = forum, bookmark, since, most
        self.per_page = bookmark.per_page
        self.falling = bookmark.falling
        self.posts: dict[str, Post] = {}
        self.read_pages: list[Page] = []  # in thread order
        self.places = {seen.id: place for place, seen in enumerate(bookmark.seen)}

    @property
    def first(self) -> Page:
        """The page read that lies nearest to the topic's beginning."""
        return self.read_pages[0]

    @property
    def last(self) -> Page:
        """The page with the newest post."""
        return self.read_pages[-1]

    def read(self) -> None:
        """Read what may be new, and back from there as far as something has moved."""
        page = self._at(1 if self.bookmark.falling else self.bookmark.page)
        self.falling = newest_first(page, self.bookmark.falling)
        if self.falling:
            self._take(page if page.page == 1 else self._at(1))
        else:
            if self.bookmark.falling or page.page != self.bookmark.page or self._other_size(page):
                page = self._find_again(page)
            self._take(page)
            while self.last.page < self.last.pages and (self.most is None or len(self.read_pages) < self.most):
                following = self._at(self.last.page + 1)
                if following.page <= self.last.page:
                    break  # the topic has shrunk in between; what is there has been read
                self._take(following)
        looks_closely = self.since is not None or not self.posts.keys() <= self.places.keys()
        if self.last.pages == 1 and len(self.posts) >= SMALLEST and looks_closely:
            self._must_be_all()
        step = 1 if self.falling else -1
        while not self.reaches_start() and self._must_go_back():
            before = self._at(self.first.page + step)
            if (before.page - self.first.page) * step <= 0:
                break
            self._take(before, in_front=True)

    def _must_be_all(self) -> None:
        """A forum's style may show its list of pages in a way of its own: then other posts stand where page two would."""
        try:
            beyond = self.forum.page(self.bookmark.topic, 2, per_page=self.per_page or len(self.posts))
        except NotTheTopic:
            return
        if beyond.pages == 1 and beyond.posts and self.posts.keys().isdisjoint(post.id for post in beyond.posts):
            raise NotTheTopic(
                "The topic has more pages than this forum's style lets Nightpost see: its list of pages is not understood.",
                advice="Give the host's account another style in its profile, best the forum's default. Nothing was counted.",
            )

    def reaches_start(self) -> bool:
        """Whether the topic has been read from its first post on."""
        return self.first.page == (self.first.pages if self.falling else 1)

    def in_order(self) -> list[Post]:
        """The posts read, in thread order."""
        ordered: dict[str, Post] = {}
        for page in self.read_pages:
            for post in reversed(page.posts) if self.falling else page.posts:
                ordered.setdefault(post.id, self.posts[post.id])
        return list(ordered.values())

    def first_known(self) -> int | None:
        """Where in the bookmark the earliest known post stands that was read; None if none was."""
        return min((self.places[post] for post in self.posts if post in self.places), default=None)

    def shifted(self) -> int:
        """By how many places the earliest known post read has moved up."""
        place = self.first_known()
        if place is None:
            return 0
        was, now = self.bookmark.seen[place].number, self.posts[self.bookmark.seen[place].id].number
        return 0 if was is None or now is None else was - now

    def _at(self, number: int) -> Page:
        page = self.forum.page(self.bookmark.topic, number, per_page=self.per_page)
        if not page.posts:
            raise NotTheTopic(
                f"Page {number} of the topic shows no posts.", advice="Look at it in a browser. What was read before stays."
            )
        return page

    def _take(self, page: Page, *, in_front: bool = False) -> None:
        self.posts.update({post.id: post for post in page.posts})
        self.per_page = page.per_page or self.per_page
        self.read_pages.insert(0 if in_front else len(self.read_pages), page)

    def _other_size(self, page: Page) -> bool:
        return None not in (page.per_page, self.bookmark.per_page) and page.per_page != self.bookmark.per_page

    def _find_again(self, page: Page) -> Page:
        """The page asked for is not where it was: the topic has shrunk, or its pages have another size."""
        if page.page == page.pages and not self._other_size(page):
            return page
        if self.bookmark.last_post is not None:
            with suppress(NotTheTopic):  # that very post may be gone
                return self.forum.page(self.bookmark.topic, Containing(self.bookmark.last_post))
        return self.forum.page(self.bookmark.topic, "last")

    def _must_go_back(self) -> bool:
        """Whether posts before the pages read so far may have to be read to lose nothing."""
        if not self.bookmark.seen:
            return True
        first = self.first_known()
        if first is None:
            newest_here = max(int(post.id) for post in self.first.posts)
            return newest_here >= min(int(post) for post in self.places)
        if self.since is not None and self._before(self.since, first):
            return True
        if self.shifted() != 0 and (first > 0 or not _reaches_back(self.bookmark)):
            return True
        return first > 0 and self._left(first)

    def _before(self, post: str, first: int) -> bool:
        """Whether a post lies before the pages read."""
        if post in self.posts:
            return False
        if post in self.places:
            return self.places[post] < first
        return all(int(post) < int(shown) for shown in self.posts)

    def _left(self, first: int) -> bool:
        """Whether known posts that stood on the page read again now lie before it, or are gone."""
        numbers = [post.number for post in self.first.posts if post.number is not None]
        before = self.bookmark.seen[first - 1].number
        return bool(numbers) and before is not None and before >= min(numbers)


def _compare(bookmark: Bookmark, pages: _Pages) -> Followed:
    order = pages.in_order()
    first = 0 if pages.reaches_start() else pages.first_known()
    known = {seen.id: seen for seen in bookmark.seen}
    new: list[Post] = []
    changed: list[Post] = []
    gone: list[str] = []
    far_back = _reaches_back(bookmark)
    for post in order:
        seen = known.get(post.id)
        if seen is not None:
            far_back = False
            if seen.print != fingerprint(post):
                gone.append(post.id) if post.deleted else changed.append(post)
        elif not post.deleted:
            (changed if far_back else new).append(post)
    first = len(bookmark.seen) if first is None else first
    gone += [seen.id for seen in bookmark.seen[first:] if seen.id not in pages.posts]
    kept = (*bookmark.seen[:first], *(Seen(post.id, fingerprint(post), post.number) for post in order))[-KEPT:]
    size = pages.last.per_page or pages.per_page
    after = Bookmark(bookmark.topic, 1 if pages.falling else pages.last.page, size, pages.falling, kept)
    shifted = 0 if pages.reaches_start() else pages.shifted()
    return Followed(tuple(new), tuple(changed), tuple(gone), shifted, pages.last, after)


def _reaches_back(bookmark: Bookmark) -> bool:
    """Whether the thread began before the earliest post of the bookmark: then what lies before it is not new."""
    if not bookmark.seen:
        return False
    number = bookmark.seen[0].number
    return len(bookmark.seen) >= KEPT if number is None else number > 1
