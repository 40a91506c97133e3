"""Pages of any kind: never a crash, never a hang, and no vote from quotes, struck text, code, signatures or buttons."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from parser.declarations import stretches
from parser.markup import runs
from scraper import mybb, phpbb, smf
from scraper.markup import read_markup
from scraper.model import NotTheTopic
from scraper.saved import detect
from scraper.writer import Markup, inert

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
FORUMS: dict[str, ModuleType] = {"phpbb": phpbb, "smf": smf, "mybb": mybb}
MAKERS: dict[str, Callable[[Sheet], str]] = {"phpbb": forumpages.phpbb, "smf": forumpages.smf, "mybb": forumpages.mybb}


def page(forum: str, *bodies: str) -> str:
    posts = [
        Sample(40 + place, "Anna", 2, datetime(2026, 11, 12, 17, place % 60, tzinfo=UTC), body)
        for place, body in enumerate(bodies)
    ]
    return MAKERS[forum](Sheet(posts, lambda moment: moment.strftime("%b %d, %Y, %I:%M %p")))


def bodies_read(forum: str, *bodies: str) -> list[str]:
    return [post.bbcode for post in FORUMS[forum].read_page(page(forum, *bodies), timezone=UTC, now=NOW).posts]


def body(inside: str) -> Markup:
    tree = html.document_fromstring(f"<html><body><div id=x>{inside}</div></body></html>", parser=html.HTMLParser(huge_tree=True))
    return read_markup(tree.get_element_by_id("x"))


# -- what hides a vote, nested in any way, as each forum shows it ----------------------------------------------------------

VOTE = '<b><span style="color:red">Anna</span></b>'
HIDING = {
    "phpBB quote": ("<blockquote><div><cite>Bert blorped:</cite>", "</div></blockquote>"), "plain quote": ("<blockquote><div>", "</div></blockquote>"),
    "SMF quote": ('<blockquote class="bbc_standard_quote"><cite><a href="i.php?msg=5">Blorp ka: Bert zu 12. Nov. 2026</a></cite>', "</blockquote>"),
    "SMF 2.0 quote": ('<div class="quoteheader">Blorp</div><blockquote class="bbc_standard_quote">', "</blockquote>"),
    "MyBB quote": ('<blockquote class="mycode_quote"><cite>Bert Blorped:</cite>', "</blockquote>"),
    "s": ("<s>", "</s>"), "del": ("<del>", "</del>"), "struck": ('<span style="text-decoration: line-through">', "</span>"),
    "MyBB struck": ('<span style="text-decoration: line-through;" class="mycode_s">', "</span>"),
    "code": ('<div class="codebox"><p>Zu</p><pre><code>', "</code></pre></div>"), "script": ("<button>", "</button>"),
}  # fmt: skip
PLAIN = {
    "i": ("<i>", "</i>"), "div": ("<div>", "</div>"), "centre": ('<div style="text-align:center">', "</div>"), "list": ("<ul><li>", "</li></ul>"),
    "link": ('<a href="https://a.example/">', "</a>"), "size": ('<span style="font-size:150%">', "</span>"),
    "spoiler": ('<div class="spoiler"><div class="spoiler-content">', "</div></div>"),
}  # fmt: skip
BOXES = HIDING | PLAIN
LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


@pytest.mark.clause("DAN-POST-05", "DAN-POST-06", "DAN-POST-07")
@given(st.lists(st.sampled_from(sorted(BOXES)), min_size=1, max_size=5), LETTERS, st.sampled_from(sorted(FORUMS)))
@settings(max_examples=90, deadline=None)
def test_a_vote_counts_unless_something_around_it_hides_it(around: list[str], words: str, forum: str) -> None:
    inside = "".join(BOXES[name][0] for name in around) + VOTE + "".join(BOXES[name][1] for name in reversed(around))
    read = bodies_read(forum, f"{escape(words)} {inside} {escape(words)}", "x")
    assert len(read) == 2
    assert [one.text for one in stretches(read[0])] == ([] if set(around) & HIDING.keys() else ["Anna"])


@given(
    st.lists(
        st.one_of(
            LETTERS, st.sampled_from(["[b]", "[color=red]", "[quote]", "[/quote]", "[/noparse]", "[noparse]", "[code]", "Anna"])
        ),
        max_size=8,
    )
)
@settings(max_examples=90, deadline=None)
def test_letters_on_a_page_are_letters(pieces: list[str]) -> None:
    """Tags that a forum shows in letters style nothing when the BBCode is read, and every letter comes through."""
    words = "".join(pieces)
    shown = inert(words)
    assert stretches(f"{shown}") == []
    assert not any(run.bold or run.colour or run.quoted or run.struck for run in runs(shown))
    assert stretches(body(escape(f"x{words}x[b][color=red]Anna[/color][/b]")).bbcode) == []


# -- pages that are mangled or hostile -------------------------------------------------------------------------------------

TAGS = [
    "b",
    "i",
    "s",
    "span",
    "div",
    "blockquote",
    "cite",
    "code",
    "pre",
    "dl",
    "dd",
    "details",
    "summary",
    "ul",
    "li",
    "a",
    "img",
    "p",
    "td",
    "font",
    "br",
]
ATTRIBUTES = [
    "", ' class="spoiler"', ' class="quotecontent"', ' class="codebox"', ' class="quoteheader"', ' style="display:none"', ' style="color:red;;:;font-size:"',
    ' style="font-weight:99999999999"', ' href="http://[x"', ' href="mailto:"', ' src="data:x"', ' src="[b]"', " class='quotebox mycode_me'", ' color="["', ' id="post_1"',
]  # fmt: skip
SOUP = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)).map(lambda made: f"<{made[0]}{made[1]}>"),
        st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"),
        LETTERS.map(escape),
        st.sampled_from(
            ["\n", "&nbsp;", "&#0;", "&#xD800;", "<!--", "-->", "<", "Anna wrote:", "[b]", "\u202e", "<![CDATA[", "<?x"]
        ),
    ),
    max_size=25,
).map("".join)


@given(SOUP)
@settings(max_examples=90, deadline=None)
def test_any_body_can_be_read(inside: str) -> None:
    read = body(inside)
    read.bbcode.encode()
    runs(read.bbcode)
    assert "\0" not in read.bbcode + read.text


@given(SOUP, st.sampled_from(sorted(FORUMS)))
@settings(max_examples=80, deadline=None)
def test_any_page_is_read_or_refused(inside: str, forum: str) -> None:
    made = page(forum, inside, "y")
    detect(made)
    try:
        read = FORUMS[forum].read_page(made, timezone=UTC, now=NOW)
    except NotTheTopic:
        return
    assert all(post.id.isdigit() and (post.posted_at is None or post.posted_at.tzinfo) for post in read.posts)


@given(st.binary(max_size=200), st.sampled_from(sorted(FORUMS)))
@settings(max_examples=100, deadline=None)
def test_bytes_that_are_no_page_are_refused(data: bytes, forum: str) -> None:
    for made in (data, data + b"</html>", b"\xff\xfe" + data + "</html>".encode("utf-16-le")):
        with pytest.raises(NotTheTopic):
            FORUMS[forum].read_page(made, timezone=UTC, now=NOW)


LARGE = {
    "bold": "<b>x</b>" * 10_000, "open bold": "<b>" * 600 + VOTE, "quotes": "<blockquote><div><cite>A b:</cite>x" * 400,
    "spoilers": '<div class="spoiler"><div class="spoiler-head">x</div>' * 900, "quotes side by side": "<blockquote>x</blockquote>" * 8_000,
    "spans": '<span style="color:red">' * 600, "styles": "".join(f'<span style="color:#{n:06x}">x</span>' for n in range(6_000)),
    "a style": f'<span style="{"color:red;" * 20_000}">x</span>', "a class": f'<div class="{"quote " * 30_000}">x</div>',
    "a word": "x" * 500_000, "brackets": "[" * 200_000, "letters like tags": "[b]" * 50_000, "blanks": " " * 300_000, "lines": "x<br>\n" * 30_000,
    "links": '<a href="http://a.example/">a.example/ ... </a>' * 5_000, "code ends": "<code>[/code]</code>" * 5_000, "marks": "\u202e\u200b" * 50_000,
    "dots": f'<a href="http://a.example/x">{"." * 100_000}</a>', "a heading": f'<blockquote><cite>{"x " * 50_000}:</cite>y</blockquote>',
}  # fmt: skip


@pytest.mark.parametrize("inside", LARGE.values(), ids=LARGE)
def test_no_body_hangs(inside: str) -> None:
    start = time.process_time()
    runs(body(inside).bbcode)
    assert time.process_time() - start < 5
