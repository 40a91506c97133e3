"""Whatever players put into vBulletin posts: a vote in a quote or a code box never counts as the post's own, and pages are read fast."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parser.markup import runs
from scraper import fluxbb, vbulletin
from scraper.model import NotTheTopic
from tests.test_pages_vbulletin import BARE_3, BARE_4, CODE_3, CODE_4, QUOTE_3, QUOTE_4
from tests.vbulletin_kit import Board

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
VOTE = '<b><font color="red">Vote: Anna</font></b>'
HIDING = {"quote 3": QUOTE_3, "quote 4": QUOTE_4, "bare 3": BARE_3, "bare 4": BARE_4, "code 3": CODE_3, "code 4": CODE_4}
PLAIN = {
    "i": "<i>{text}</i>", "centre": '<div align="center">{text}</div>', "list": "<ul><li>{text}</li></ul>", "size": '<font size="5">{text}</font>',
    "link": '<a href="http://a.example/" target="_blank">{text}</a>', "indent": '<blockquote>{text}</blockquote>',
    "table": '<table class="cms_table"><tr><td>{text}</td></tr></table>',
}  # fmt: skip
LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="\0<>&{}\r"), max_size=6)
SOUP = st.lists(
    st.sampled_from([
        "<div>", "</div>", '<div class="smallfont">', "<table>", "<tr><td>", "</td></tr></table>", "<strong>", "</strong>", "<pre>", "</pre>",
        '<div class="bbcode_container">', '<div class="bbcode_quote">', '<div class="bbcode_postedby">', '<div class="message">',
        '<pre class="bbcode_code">', "<blockquote>", "</blockquote>", VOTE, "x", "<br />", '<img class="inlineimg" title="a">', "</li>", "</html>",
        '<div id="post_message_9">', '<li id="post_9">', '<input type="button">', "<a href='member.php?u='>", "<em>",
    ]), max_size=14,
).map("".join)  # fmt: skip


def page(version: int, inside: str) -> str:
    board = Board(version=version)
    board.say("Anna", "HERE")
    board.say("Boris", "y")
    return board.topic({"t": "7"})[2].replace("HERE", inside)


@given(st.lists(st.sampled_from(sorted({**HIDING, **PLAIN})), min_size=1, max_size=5), LETTERS, st.sampled_from([3, 4]))
@settings(max_examples=90, deadline=None)
def test_a_vote_is_hidden_by_what_hides_it_however_it_is_nested(boxes: list[str], letters: str, version: int) -> None:
    inside, hidden = VOTE, False
    for name in boxes:
        if "code" in name:  # these boards escape whatever stands in a code box: it holds text alone
            inside, hidden = "Vote: Anna", False
        inside, hidden = {**HIDING, **PLAIN}[name].format(name="Bo", text=f"{letters}{inside}{letters}"), hidden or "quote" in name or "bare" in name
    post = vbulletin.read_page(page(version, inside), timezone=UTC, now=NOW).posts[0]
    coded = any("code" in name for name in boxes)
    assert coded or ("Vote: Anna" in post.text) == (not hidden)
    assert not coded or "[code]" in post.bbcode
    counted = [run for run in runs(post.bbcode) if "Vote: Anna" in run.text and not run.quoted and not run.code]
    assert bool(counted) == (not hidden and not coded)


@given(SOUP, st.sampled_from([3, 4]))
@settings(max_examples=90, deadline=None)
def test_any_page_is_read_or_refused(inside: str, version: int) -> None:
    try:
        read = vbulletin.read_page(page(version, inside), timezone=UTC, now=NOW)
    except NotTheTopic:
        return
    assert all(post.id.isdigit() for post in read.posts)


@given(st.binary(max_size=200), st.sampled_from([fluxbb, vbulletin]))
@settings(max_examples=60, deadline=None)
def test_bytes_that_are_no_page_are_refused(data: bytes, reader: object) -> None:
    for made in (data, data + b"</html>"):
        with pytest.raises(NotTheTopic):
            reader.read_page(made, timezone=UTC, now=NOW)  # type: ignore[attr-defined]


def nested(box: str, count: int) -> str:
    text = VOTE
    for _ in range(count):
        text = box.format(name="Bo", text=text)
    return text


@pytest.mark.parametrize(
    "inside",
    [
        nested(QUOTE_3, 150), nested(QUOTE_4, 150), nested(BARE_3, 150), nested(BARE_4, 150), QUOTE_3.format(name="Bo", text="x") * 2_000,
        QUOTE_4.format(name="Bo", text="x") * 2_000, CODE_3.format(text="x") * 3_000, "<div>" * 900 + VOTE, "<div>x</div>" * 20_000,
        '<img class="inlineimg" title="x">' * 20_000,
    ],
    ids=["deep 3", "deep 4", "deep bare 3", "deep bare 4", "side by side 3", "side by side 4", "codes", "open divs", "divs", "smilies"],
)  # fmt: skip
@pytest.mark.parametrize("version", [3, 4])
def test_large_posts_are_read_fast(inside: str, version: int) -> None:
    made = page(version, inside)
    began = time.process_time()
    read = vbulletin.read_page(made, timezone=UTC, now=NOW)
    assert time.process_time() - began < 5
    assert len(read.posts) == 2
