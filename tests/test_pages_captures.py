"""Pages of real forums, where some are at hand: every post as typed, at its minute, and nothing else read as posts."""

from __future__ import annotations

import itertools
import json
import os
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scraper import mybb, phpbb, smf
from scraper.model import NotTheTopic
from scraper.saved import FORUMS, read_saved

CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures"))
READERS = {"phpbb": phpbb, "smf": smf, "mybb": mybb}
SETS = {path.name: path for kind in READERS for path in sorted(CAPTURES.glob(f"{kind}-*")) if (path / "truth.json").exists()}
SMILEY_NAMES = {":D": "Big Grin", ":)": "Smile", ";)": "Wink", ":(": "Sad", ":P": "Tongue"}  # MyBB tells names only
SHOWN_AFTER = ("after-edit.html", "after-posting.html", "after-edit-topic.html")  # the topic itself, shown after an act
pytestmark = pytest.mark.skipif(not SETS, reason="no captures of forums at hand")


@cache
def truth(name: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((SETS[name] / "truth.json").read_text(encoding="utf-8"))
    return told


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def kind(name: str) -> str:
    return name.split("-")[0]


def topic_pages() -> list[tuple[str, str]]:
    return [(name, path.name) for name, folder in SETS.items() for path in sorted(folder.glob("topic-*.html"))]


def simplified(source: str, forum: str) -> str:
    """A typed source with what no page can show taken out: ids in quotes, spelling of tags, smilies' codes in MyBB."""
    source = re.sub(r"\[quote author=(.*?)(?: link=msg=\d+ date=\d+)?\]", r"[quote=\1]", source)
    source = re.sub(r"""\[quote=(["'])(.*?)\1(?: pid='\d+' dateline='\d+')?\]""", r"[quote=\2]", source)
    source = re.sub(r'\[quote="?(.*?)"?(?: post_id=\d+ time=\d+ user_id=\d+)\]', r"[quote=\1]", source)
    source = re.sub(r'\[quote="(.*?)"\]', r"[quote=\1]", source)
    source = re.sub(r"\[me=(.*?)\](.*?)\[/me\]", r"* \1 \2", source)
    source = source.replace("[li]", "[*]").replace("[/li]", "").replace("[list type=decimal]", "[list=1]")
    source = re.sub(r"\[(/?)(url|email)\]", "", re.sub(r'\[url="(.*?)"\]', r"[url=\1]", source))
    source = re.sub(r"\[(/?[A-Z]+)", lambda match: match.group().lower(), source)
    if forum == "mybb":
        for code, name in SMILEY_NAMES.items():
            source = source.replace(code, name) if code != ":D" or ":D" in source else source
    return re.sub(r"\s+", "", source)


@pytest.mark.parametrize(("name", "page"), topic_pages())
def test_every_post_of_a_page(name: str, page: str) -> None:
    told = truth(name)
    raw = (SETS[name] / page).read_bytes()
    reader = READERS[kind(name)]
    assert reader.looks_like(raw) or "print" in page
    if "print" in page or "archive" in page:
        with pytest.raises(NotTheTopic):
            reader.read_page(raw, timezone=UTC, now=moment(told["captured_at"]))
        return
    read = reader.read_page(raw, timezone=UTC, now=moment(told["captured_at"]))
    known = {str(post["post_id"]): post for post in told["posts"]}
    gone = {str(post["post_id"]) for post in told["deleted_posts"]}
    if read.topic_id == told["thread"]["topic_id"]:
        assert read.title == told["thread"]["title"]
        assert {post.id for post in read.posts} <= known.keys() | gone
    for post in read.posts:
        if post.id in gone:
            assert post.deleted
        if post.id not in known:
            continue
        wanted = known[post.id]
        assert (post.author, post.author_id) == (wanted["author"], told["accounts"][wanted["author"]]["user_id"])
        fine = post.posted_at if kind(name) == "phpbb" else moment(wanted["posted_at"]).replace(second=0)
        assert post.posted_at == fine
        assert kind(name) != "phpbb" or post.posted_at == moment(wanted["posted_at"])
        if post.edited and wanted.get("edited_at"):
            assert post.edited_at == moment(wanted["edited_at"]).replace(second=0)
        if not re.search("crossed|unclosed|odd spacing|curly", wanted["tags"]) and "/me" not in wanted["source"]:
            assert simplified(post.bbcode, "") == simplified(wanted["edit_form_source"], kind(name))


@pytest.mark.parametrize("name", sorted(SETS))
def test_the_whole_thread_from_its_pages(name: str) -> None:
    told = truth(name)
    pages = sorted(SETS[name].glob("topic-0*.html"), reverse=True)
    thread = read_saved(pages, forum=None, timezone=UTC, now=moment(told["captured_at"]))
    order = (lambda post: post["post_id"]) if kind(name) == "smf" else (lambda post: (post["posted_at"][:16], post["post_id"]))
    if kind(name) == "phpbb":
        order = lambda post: (post["posted_at"], post["post_id"])  # noqa: E731
    assert [post.id for post in thread.posts] == [str(post["post_id"]) for post in sorted(told["posts"], key=order)]
    assert thread.notes == ()


@pytest.mark.parametrize("name", sorted(SETS))
def test_every_edit_that_the_pages_tell(name: str) -> None:
    """phpBB tells none made while the post was the newest; MyBB marks what it has merged, at the time of the second post."""
    told = truth(name)
    posts = sorted(told["posts"], key=lambda post: (post["posted_at"], post["post_id"]))
    next_one = {post["post_id"]: after["posted_at"] for post, after in itertools.pairwise(posts)}
    wanted = {
        str(post["post_id"]): post["edited_at"][:16]
        for post in posts
        if post["edited"] and not (kind(name) == "phpbb" and post["edited_at"] < next_one[post["post_id"]])
    }
    merged = {str(post["post_id"]) for post in posts if "merged_posts" in post}
    thread = read_saved(sorted(SETS[name].glob("topic-0*.html")), forum=None, timezone=UTC, now=moment(told["captured_at"]))
    assert {post.id for post in thread.posts if post.edited} == wanted.keys() | merged
    found = {post.id: f"{post.edited_at:%Y-%m-%dT%H:%M}" for post in thread.posts if post.edited and post.id not in merged}
    assert found == wanted


@pytest.mark.parametrize("name", sorted(SETS))
def test_nothing_else_is_a_topic(name: str) -> None:
    reader = FORUMS[kind(name)]
    others = [
        path for path in sorted(SETS[name].glob("*.html"))
        if not path.name.startswith("topic-") and path.name not in SHOWN_AFTER
    ]  # fmt: skip
    for path in others:
        with pytest.raises(NotTheTopic):
            reader.read_page(path.read_bytes(), timezone=UTC, now=moment(truth(name)["captured_at"]))
