"""Markup of any kind: read as a plain model of it says, never a crash, never a hang, nothing from quotes, struck text or code."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parser.colour import family, is_colour
from parser.declarations import stretches
from parser.markup import runs
from parser.normal import fold
from parser.own import OwnText
from parser.votelines import vote_lines

# -- a model: trees of tags, whose styling is plain to see, written out and read back -------------------------------------

STYLES = {
    "b": ("[b]", "[/b]"), "B": ("[B]", "[/B]"), "strong": ("<strong>", "</strong>"), "s": ("[s]", "[/s]"), "del": ("<del>", "</del>"),
    "quote": ("[quote]", "[/quote]"), "named quote": ('[quote="a] b"]', "[/quote]"), "blockquote": ("<blockquote>", "</blockquote>"),
    "spoiler": ("[spoiler=x y]", "[/spoiler]"), "big": ("[size=7]", "[/size]"), "u": ("[u]", "[/u]"), "url": ("[url=//x.y]", "[/url]"),
    "red": ("[color=red]", "[/color]"), "green": ('[COLOR="#080"]', "[/COLOR]"), "blue": ("[blue]", "[/blue]"),
    "none": ("[color=blorp]", "[/color]"), "code": ("[code]", "[/code]"), "img": ("[img]", "[/img]"),
    "bold red": ('<span style="font-weight:bold;color:red">', "</span>"), "font": ("<font color=blue>", "</font>"),
}  # fmt: skip
BOLD, STRUCK, QUOTED = {"b", "B", "strong", "bold red"}, {"s", "del"}, {"quote", "named quote", "blockquote"}
COLOURS = {"red": "red", "green": "#080", "blue": "blue", "bold red": "red", "font": "blue"}
Tree = list["str | tuple[str, Tree]"]
WORDS = st.text(st.sampled_from("aé ۱\u202e'.;"), min_size=1, max_size=4)
TREES: st.SearchStrategy[Tree] = st.recursive(
    st.lists(WORDS, max_size=2),
    lambda inner: st.lists(st.one_of(WORDS, st.tuples(st.sampled_from(sorted(STYLES)), inner)), max_size=4),
    max_leaves=12,
)


def written(tree: Tree) -> str:
    return "".join(part if isinstance(part, str) else written(part[1]).join(STYLES[part[0]]) for part in tree)


def styled(tree: Tree, within: tuple[str, ...] = ()) -> list[tuple[str, bool, str | None, bool, bool, bool, bool, bool]]:
    """Each letter shown, with its styling: bold, colour, struck, quoted, code, spoiler, large."""
    if "img" in within:
        return []
    if "code" in within:
        return [(sign, False, None, False, False, True, False, False) for sign in written(tree)]
    shown = []
    around = set(within)
    colour = next((COLOURS[name] for name in reversed(within) if name in COLOURS), None)
    for part in tree:
        if isinstance(part, tuple):
            shown += styled(part[1], (*within, part[0]))
            continue
        looks = (
            bool(around & BOLD),
            colour,
            bool(around & STRUCK),
            bool(around & QUOTED),
            False,
            "spoiler" in around,
            "big" in around,
        )
        shown += [(sign, *looks) for sign in part]
    return shown


def nested_verbatim(tree: Tree, within: tuple[str, ...] = ()) -> bool:
    """Whether code stands in code or an image in an image, where the first closing tag ends both."""
    inner = [part for part in tree if isinstance(part, tuple)]
    return any(
        name in within or nested_verbatim(part, (*within, name) if name in ("code", "img") else within) for name, part in inner
    )


@given(TREES)
@settings(max_examples=80, deadline=None)
def test_runs_are_styled_as_a_plain_model_says(tree: Tree) -> None:
    if nested_verbatim(tree):
        return
    read = [(sign, *run[3:]) for run in runs(written(tree)) if run.end > run.start for sign in run.text]
    assert read == styled(tree)


# -- what is crossed, left open, or no markup at all ----------------------------------------------------------------------

PIECES = st.one_of(
    st.sampled_from([part for tags in STYLES.values() for part in tags]),
    st.sampled_from(
        ["Anna", "vote: Bert", "##vote Anna", "[vote]", "\n", "[", "]", "<", "/>", "<br>", "[*]", "[/", "=", "\0", "\ud800"]
    ),
    st.text(max_size=3),
)
JUNK = st.lists(PIECES, max_size=30).map("".join)


COLOURING = st.sampled_from(
    ["[color=red]", "[COLOUR=#0f0]", "[red]", "[Green]", "[blue]", "[red=x]", "<font color=red>", "<P STYLE='COLOR:blue'>", "[style color=red]",
     "<span style='x:y;color : #f00'>", "[div colour=red]", "[size=3 color=blue]", "[color= lime ]", "[black]"]
)  # fmt: skip


@given(st.lists(st.one_of(COLOURING, st.sampled_from(["[b]", "<b>", "Anna", "Bert"]), PIECES), max_size=12).map("".join))
@settings(max_examples=90, deadline=None)
def test_a_post_that_is_not_read_for_want_of_colour_declares_nothing(bbcode: str) -> None:
    declared = [
        run
        for run in runs(bbcode)
        if run.bold and run.colour and family(run.colour) and fold(run.text) and not (run.quoted or run.struck or run.code)
    ]
    assert bool(stretches(bbcode)) == bool(declared)


@given(JUNK)
@settings(max_examples=80, deadline=None)
def test_own_text_is_a_part_of_the_post_and_every_place_in_it_is_true(bbcode: str) -> None:
    own = OwnText(bbcode)
    for at, sign in enumerate(own.text):
        run = own.run(at)
        assert sign == "\n" if run is None or run.start == run.end else bbcode[own.source(at)] == sign
        assert run is None or not (run.quoted or run.struck or run.code)


HIDING = {"quote": "[/quote]", "quote=Anna": "[/quote]", "s": "[/s]", "code": "[/code]", "blockquote": "[/blockquote]"}


@pytest.mark.clause("DAN-POST-05", "DAN-POST-06", "DAN-POST-07")
@given(st.lists(st.sampled_from(sorted(HIDING)), min_size=1, max_size=6), JUNK, JUNK)
@settings(max_examples=80, deadline=None)
def test_no_vote_is_ever_taken_from_within(around: list[str], before: str, inside: str) -> None:
    """What stands in well-closed quotes, struck text or code is no vote, whatever is left open before it or in it."""
    closings = {closing.lower() for closing in HIDING.values()} | {"</blockquote>", "</del>", "[/img]"}
    for closing in closings:
        inside = "".join(part for part in inside.split(closing))
    if any(opening in before.lower() for opening in ("[code", "[img")) or any(closing in inside.lower() for closing in closings):
        return
    head = before + "".join(f"[{name}]" for name in around)
    vote = "[b][color=red]Anna[/color][/b][vote]Anna[/vote] ##vote Anna"
    post = head + inside + vote + "".join(HIDING[name] for name in reversed(around))
    hidden = range(len(head), len(head) + len(inside) + len(vote))
    if any(name in inside.lower() for name in ("[img", "[quote", "[s]", "[blockquote", "[code", "<del", "<blockquote")):
        return  # these would take a closing tag for theirs
    found = [one.start for one in stretches(post)] + [one.start for one in vote_lines(post, bold_name_alone=True, loud=True)]
    assert [start for start in found if start in hidden] == []


def test_what_is_left_open_in_a_quote_ends_with_it_however_deep() -> None:
    vote = "[color=red]Anna[/color]"
    assert stretches(f"[quote][b]x[/quote]{vote}") == []
    assert stretches(f"[quote][blockquote][b]x[/quote]{vote}") == []
    assert stretches(f"[blockquote][quote][quote][b]x[/blockquote]{vote}") == []
    assert [one.text for one in stretches(f"[quote][blockquote]x[/quote][b]{vote}")] == ["Anna"]
    assert [one.text for one in stretches(f"[quote][b]x[/quote]{vote}[/b]")] == ["Anna"]  # crossed: both cover it


# -- made to take long ----------------------------------------------------------------------------------------------------

VOTE = "[b][color=red]Anna[/color][/b]"
LARGE = {
    "opened": "[b]" * 100_000, "closed": "[/b]" * 100_000, "quotes": "[quote]" * 10_000 + VOTE + "[/quote]" * 10_000,
    "open quotes": "[quote]" * 50_000 + VOTE, "cut quotes": "[quote=" * 15_000, "brackets": "[" * 100_000, "angles": "<b " * 30_000,
    "quote marks": "<b x='" * 15_000, "open in quotes": "[quote][b][/quote]" * 10_000,
    "open in open": "[quote]" + "[blockquote][b]" * 10_000 + "[/quote]", "crossed": "[b][color=red][s]" * 9_000 + "[/b][/color][/s]" * 9_000,
    "open code": "[code]" * 50_000, "code": "[code][/code]" * 10_000, "addresses": "[img]" * 100_000, "NUL": "\0" * 100_000,
    "surrogates": "\ud800" * 50_000, "right to left": f"\u202e{VOTE}\u202c" * 3_000, "no width": "[b][color=red]" + "\u200b" * 50_000 + "x",
    "a colour": f"[b][color={'9' * 100_000}]Anna", "colours": "".join(f"[color=#{number:06x}]x" for number in range(10_000)),
    "rgb": f"[color=rgb({'9' * 380})]x[/color]" * 200, "lines": "[b][color=red]" + "Anna\n" * 10_000, "marks": "[b][color=red]" + "a\u0301" * 50_000,
    "a word": f"[b][color=red]{'a' * 100_000}", "votes": "[b]vote: Anna\n" * 5_000, "commands": "##vote " * 10_000, "tags": "[vote]" * 15_000,
    "vote words": "[b]" + "unvote, vote: " * 8_000, "Persian vote words": "[b]" + "رای: " * 20_000,
    "blanks": "[b]my vote" + " " * 100_000 + "is", "dots": "[b]vote: " + "." * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("post", LARGE.values(), ids=LARGE)
def test_nothing_takes_long(post: str) -> None:
    """Each takes a few tenths of a second; where its time grew with the square of the text, it would hang for minutes."""
    start = time.process_time()
    runs(post)
    stretches(post)
    vote_lines(post, bold_name_alone=True, loud=True)
    assert time.process_time() - start < 5


@given(st.one_of(st.text(max_size=60), st.from_regex(r"(rgb|hsl)a?\([-+0-9.%,/ deg]{0,40}\)", fullmatch=True)))
@settings(deadline=None)
@example("rgb(" + "9" * 9 + "," + "9" * 9 + ",0)")
@example("hsl(999999999.999999999deg,1%,1%)")
@example("#" + "f" * 100_000)
def test_any_text_may_be_a_colour(text: str) -> None:
    assert family(text) in (None, "red", "green", "blue")
    assert is_colour(text) or family(text) is None
