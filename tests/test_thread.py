"""Following a topic: what a look brings, and how many requests it costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scraper.forum import Forum, Where
from scraper.model import NotTheTopic, Page, Post
from scraper.session import TryAgain
from scraper.thread import Bookmark, Followed, follow
from tests.practice_kit import Table


@pytest.fixture
def table() -> Iterator[Table]:
    laid = Table()
    yield laid
    laid.forum.stop()


def look(table: Table, bookmark: Bookmark | None = None, since: str | None = None) -> tuple[Followed, int]:
    before = len(table.forum.requests)
    seen = follow(table.live, table.t, bookmark, since=since)
    return seen, len(table.forum.requests) - before


def ids(posts: tuple[Post, ...]) -> list[str]:
    return [post.id for post in posts]


def kept(bookmark: Bookmark) -> Bookmark:
    """The bookmark as it comes back from a file."""
    return Bookmark.from_json(json.loads(json.dumps(bookmark.as_json())))


def test_first_look_reads_every_page_once(table: Table) -> None:
    posted = table.talk(34)
    seen, cost = look(table)
    assert ids(seen.new) == ["3", *posted]
    assert cost == 4
    assert (seen.changed, seen.gone, seen.shifted) == ((), (), 0)


@pytest.mark.parametrize("length", [0, 4, 9, 10, 34, 39])
def test_nothing_new_costs_one_request_whatever_the_length(table: Table, length: int) -> None:
    table.talk(length)
    seen, _ = look(table)
    table.live._per_page.clear()  # as in another run
    again, cost = look(table, kept(seen.bookmark))
    assert cost == 1
    assert again.bookmark == seen.bookmark
    assert (again.new, again.changed, again.gone) == ((), (), ())


def test_new_posts_cost_their_own_pages(table: Table) -> None:
    table.talk(24)
    seen, _ = look(table)
    posted = table.talk(17)
    again, cost = look(table, kept(seen.bookmark))
    assert ids(again.new) == posted
    assert cost == 3  # page 3 again, then 4 and 5


def test_last_page_exactly_full_is_followed_by_the_next_only_when_there_is_one(table: Table) -> None:
    table.talk(9)
    seen, _ = look(table)
    again, cost = look(table, seen.bookmark)
    assert (cost, again.page.pages) == (1, 1)
    posted = table.talk(1)
    again, cost = look(table, again.bookmark)
    assert (ids(again.new), cost) == (posted, 2)


def test_a_style_that_hides_its_list_of_pages_is_refused_and_not_taken_for_one_page(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.talk(9)
    page = table.live.page

    def unlisted(topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        return replace(page(topic, where, per_page=per_page), page=1, pages=1)

    monkeypatch.setattr(table.live, "page", unlisted)
    seen, _ = look(table)
    assert len(seen.new) == 10
    table.talk(1)
    _, cost = look(table, seen.bookmark)
    assert cost == 1  # nothing on the page is new: it is looked at closely when the phase is read again
    for bookmark, since in ((None, None), (seen.bookmark, seen.new[0].id)):
        with pytest.raises(NotTheTopic, match="its list of pages is not understood"):
            look(table, bookmark, since)


def test_edit_and_deletion_on_the_last_page_are_noticed(table: Table) -> None:
    posted = table.talk(15)
    seen, _ = look(table)
    table.forum.edit(int(posted[12]), "other words")
    table.forum.delete(int(posted[13]))
    again, cost = look(table, seen.bookmark)
    assert [(post.id, post.text, post.edited) for post in again.changed] == [(posted[12], "other words", True)]
    assert again.gone == (posted[13],)
    assert cost == 1
    third, _ = look(table, again.bookmark)
    assert (third.changed, third.gone) == ((), ())


def test_silent_edit_of_the_newest_post_is_noticed(table: Table) -> None:
    posted = table.talk(2)
    seen, _ = look(table)
    table.forum.edit(int(posted[-1]), "[b]Vote: Host[/b]")
    again, _ = look(table, seen.bookmark)
    assert [(post.bbcode, post.edited) for post in again.changed] == [("[b]Vote: Host[/b]", False)]


def test_edit_on_an_older_page_is_noticed_when_asked_for(table: Table) -> None:
    posted = table.talk(34)
    seen, _ = look(table)
    table.forum.edit(int(posted[15]), "other words")
    again, _ = look(table, seen.bookmark)
    assert again.changed == ()
    again, cost = look(table, again.bookmark, since=posted[12])
    assert ids(again.changed) == [posted[15]]
    assert cost == 3


def test_first_post_of_the_last_page_deleted(table: Table) -> None:
    posted = table.talk(24)
    seen, _ = look(table)
    table.forum.delete(int(posted[19]))  # number 21
    again, cost = look(table, seen.bookmark)
    assert (again.gone, again.changed, again.new) == ((posted[19],), (), ())
    assert cost == 2


def test_deletion_far_back_is_found_by_the_shift(table: Table) -> None:
    posted = table.talk(44)
    seen, _ = look(table)
    table.forum.delete(int(posted[13]))
    again, cost = look(table, seen.bookmark)
    assert (again.gone, again.new, again.changed, again.shifted) == ((posted[13],), (), (), 0)
    assert cost == 4


def test_shrunk_by_pages_while_new_posts_came(table: Table) -> None:
    posted = table.talk(42)
    seen, _ = look(table)
    for post in posted[11:34]:
        table.forum.delete(int(post))
    fresh = table.talk(15)
    again, _ = look(table, seen.bookmark)
    assert ids(again.new) == fresh
    assert sorted(again.gone, key=int) == posted[11:34]
    again, cost = look(table, again.bookmark)
    assert (again.new, again.gone, cost) == ((), (), 1)


def test_split_away_end_of_the_topic(table: Table) -> None:
    posted = table.talk(33)
    seen, _ = look(table)
    other = table.forum.add_topic("Split off", "Anna", "here")
    table.forum.move([int(post) for post in posted[14:]], other)
    again, _ = look(table, seen.bookmark)
    assert sorted(again.gone, key=int) == posted[14:]
    assert again.new == ()


def test_posts_merged_into_an_older_page_are_new(table: Table) -> None:
    other = table.forum.add_topic("Other", "Anna", "hm")
    posted = table.talk(14)
    moved = table.forum.post(other, "O'Brien & Sons", "from elsewhere")
    posted += table.talk(20)
    seen, _ = look(table)
    table.forum.move([moved], table.topic)
    again, _ = look(table, seen.bookmark)
    assert ids(again.new) == [str(moved)]
    assert again.gone == ()


def test_post_approved_late_is_new(table: Table) -> None:
    table.forum.moderate("O'Brien & Sons")
    table.talk(3)
    held = table.forum.post(table.topic, "O'Brien & Sons", "in time")
    posted = table.talk(3)
    seen, _ = look(table)
    assert str(held) not in ids(seen.new)
    table.forum.approve(table.topic)
    again, _ = look(table, seen.bookmark)
    assert ids(again.new) == [str(held)]
    assert posted[0] not in ids(again.changed)


def test_other_page_size(table: Table) -> None:
    table.talk(34)
    seen, _ = look(table)
    table.forum.board.per_page = 6
    posted = table.talk(2)
    again, _ = look(table, kept(seen.bookmark))
    assert ids(again.new) == posted
    assert (again.gone, again.changed, again.shifted) == ((), (), 0)
    assert again.bookmark.per_page == 6
    again, cost = look(table, again.bookmark)
    assert cost == 1


def test_account_that_sees_the_newest_first_makes_no_difference(table: Table) -> None:
    table.forum.newest_first("Host")
    table.live.log_in("Host", "secret")
    posted = table.talk(12)
    seen, _ = look(table)
    assert ids(seen.new) == ["3", *posted]
    assert not seen.bookmark.falling


@pytest.mark.parametrize("kind", ["login_page", "other_topic", "half_page", "empty", "challenge"])
def test_what_is_not_the_topic_changes_nothing(table: Table, kind: str) -> None:
    table.forum.add_topic("Another", "Anna", "elsewhere")
    table.talk(14)
    seen, _ = look(table)
    posted = table.talk(2)
    table.forum.fault(kind, path="viewtopic", times=9)
    with pytest.raises(NotTheTopic) as caught:
        look(table, seen.bookmark)
    assert caught.value.advice
    table.forum.clear_faults()
    again, _ = look(table, seen.bookmark)
    assert ids(again.new) == posted


@pytest.mark.parametrize("kind", ["error", "busy", "too_many", "maintenance", "challenge_503", "hang_up", "broken_page"])
def test_a_forum_that_falters_is_asked_again_and_then_given_up(table: Table, kind: str) -> None:
    table.forum.fault(kind, times=2)
    seen, _ = look(table)
    assert ids(seen.new) == ["3"]
    table.forum.fault(kind, times=9)
    with pytest.raises(TryAgain):
        look(table, seen.bookmark)


def test_trouble_in_the_middle_of_many_pages_gives_nothing(table: Table) -> None:
    table.talk(30)
    table.forum.fault("half_page", path="start=20", times=9)
    with pytest.raises(NotTheTopic):
        look(table)


class Falling:
    """A stand-in for a forum whose account sees the newest post first and cannot choose."""

    def __init__(self, count: int, size: int = 5) -> None:
        self.posts = [self.make(number) for number in range(1, count + 1)]
        self.size, self.asked, self.falling = size, 0, True

    @staticmethod
    def make(number: int) -> Post:
        return Post(str(100 + number), number, "Anna", "1", None, None, None, f"w{number}", f"w{number}")

    def page(self, topic: str, where: object, *, per_page: int | None = None) -> Page:
        self.asked += 1
        listed = [Post(p.id, at + 1, p.author, "1", None, None, None, p.bbcode, p.text) for at, p in enumerate(self.posts)]
        listed = listed[::-1] if self.falling else listed
        pages = (len(listed) - 1) // self.size + 1
        if not isinstance(where, int):
            wanted = getattr(where, "post_id", listed[-1].id)
            place = next((at for at, post in enumerate(listed) if post.id == wanted), None)
            if place is None:
                raise NotTheTopic("There is no such post.")
            where = place // self.size + 1
        number = min(where, pages)
        return Page("smf", topic, "t", number, pages, tuple(listed[(number - 1) * self.size :][: self.size]), self.size)


def test_newest_first_pages() -> None:
    forum = Falling(13)
    live: Forum = forum  # type: ignore[assignment]
    seen = follow(live, "9")
    assert [post.number for post in seen.new] == list(range(1, 14))
    forum.asked = 0
    again = follow(live, "9", kept(seen.bookmark))
    assert (again.new, again.gone, again.changed, forum.asked) == ((), (), (), 1)
    forum.posts += [forum.make(number) for number in range(14, 22)]
    again = follow(live, "9", again.bookmark)
    assert [post.id for post in again.new] == [str(100 + number) for number in range(14, 22)]
    del forum.posts[18]
    again = follow(live, "9", again.bookmark)
    assert again.gone == ("119",)


def test_account_turned_round_in_the_middle_of_a_game() -> None:
    forum = Falling(13)
    live: Forum = forum  # type: ignore[assignment]
    seen = follow(live, "9")
    forum.falling = False
    forum.posts.append(forum.make(14))
    again = follow(live, "9", seen.bookmark)
    assert ([post.id for post in again.new], again.gone, again.bookmark.falling) == (["114"], (), False)
    forum.falling = True
    forum.posts.append(forum.make(15))
    again = follow(live, "9", again.bookmark)
    assert ([post.id for post in again.new], again.gone, again.bookmark.falling) == (["115"], (), True)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 9)),
        st.tuples(st.just("delete"), st.integers(0, 60)),
        st.tuples(st.just("move in"), st.integers(0, 60)),
        st.tuples(st.just("turn"), st.just(0)),
        st.tuples(st.just("resize"), st.integers(2, 7)),
        st.tuples(st.just("look"), st.just(0)),
    ),
    max_size=25,
)


@settings(max_examples=90, deadline=None)
@given(steps)
def test_whatever_happens_no_post_is_lost(happenings: list[tuple[str, int]]) -> None:
    forum = Falling(1)
    forum.falling = False
    live: Forum = forum  # type: ignore[assignment]
    bookmark: Bookmark | None = None
    known: set[str] = set()
    number = 1
    for what, count in [*happenings, ("look", 0)]:
        if what == "add":
            forum.posts += [forum.make(number + step) for step in range(1, count + 1)]
            number += count
        elif what == "delete" and len(forum.posts) > 1:
            del forum.posts[count % len(forum.posts)]
        elif what == "move in":  # from another topic, with a newer or older id, anywhere behind the post read again from
            number += 1
            forum.posts.insert(1 + count % len(forum.posts), forum.make(number if count % 2 else 5000 + number))
        elif what == "turn":
            forum.falling = not forum.falling
        elif what == "resize":
            forum.size = count
        elif what == "look":
            seen = follow(live, "9", kept(bookmark) if bookmark else None)
            assert not known & set(ids(seen.new))
            known = (known | set(ids(seen.new))) - set(seen.gone)
            bookmark = seen.bookmark
            if not any(what == "move in" for what, _ in happenings):  # one moved in for one deleted shows nothing later
                assert known >= {post.id for post in forum.posts}
    whole = follow(live, "9", bookmark, since="101")
    known = (known | set(ids(whole.new))) - set(whole.gone)
    assert known == {post.id for post in forum.posts}
