"""Our own posts say nothing to a reader of votes and orders: not as they stand, not quoted, not with hostile names in them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.choices import Choices, commitment
from engine.inputs import OrderInput, PhaseInputs
from engine.play import play
from engine.posts import Language
from parser.declarations import stretches
from parser.votelines import vote_lines
from publisher.markup import DIALECTS, clean, dialect_of
from publisher.render import (
    Context,
    Rendered,
    digest_text,
    emptied_post,
    nudge,
    opening_post,
    phase_post,
    player_message,
    reminder_post,
    tally_post,
)  # fmt: skip
from tests.test_render import BBCODE, END, GOLDEN, HOSTILE, NAMES, RULES, context, hostile, private, public

FORUMS = ("phpbb", "smf", "mybb", "fluxbb")
QUOTES = ("[quote]{}[/quote]", '[quote="Monokuma" post_id=7 time=1 user_id=2]{}[/quote]\nLook!', "[quote=Monokuma]\n{}\n[/quote]")


def says_nothing(bbcode: str, names: tuple[str, ...] = NAMES) -> bool:
    """Whether no ruleset's reader finds a vote or a declaration: neither colours, nor vote lines, nor a name alone in bold."""
    known = {clean(name).strip().casefold() for name in names}
    bold = {text.casefold() for line in vote_lines(bbcode, bold_name_alone=True, loud=True) for text in line.names}
    return not stretches(bbcode) and not vote_lines(bbcode, loud=True) and not bold & known


@pytest.mark.parametrize("file", [file for forum in FORUMS for file in sorted((GOLDEN / forum).glob("*.txt"))], ids=lambda file: f"{file.parent.name}-{file.stem}")  # fmt: skip
def test_no_post_of_ours_votes_or_declares(file: Path) -> None:
    text = file.read_text("utf-8")
    assert says_nothing(text)
    for quote in QUOTES:
        assert says_nothing(quote.format(text))


def test_the_check_finds_what_it_looks_for() -> None:
    for text in ("[b][color=red]x[/color][/b]", "[b]vote: Zed[/b]", "[b]Ann[/b]", "##vote Zed"):
        assert not says_nothing(text)


@pytest.mark.parametrize("forum", FORUMS)
def test_a_player_who_quotes_his_messages_orders_nothing(forum: str) -> None:
    game = RULES.game({"Ann": "ultimate_hypnotist", "Bo": {"role": "ultimate_nurse", "black": "black_slasher"}, "Cy": "ultimate_lawyer"})
    game = replace(game, start="daily life 1")
    state, label = RULES.begin(game), RULES.first_label(game)
    sheet = (GOLDEN / forum / "role.txt").read_text("utf-8")
    for quote in QUOTES:
        orders = (OrderInput("o1", "Ann", quote.format(sheet).removesuffix("\nLook!")),)
        events = play(RULES, state, label, PhaseInputs(orders=orders), Choices()).events
        assert not [one for one in events if one.source == "o1"]


def posts(names: list[str], seen: Context) -> list[Rendered]:
    """Every kind of post, with these names and texts in every place that takes a stranger's."""
    a, b, c = names
    seen = replace(seen, players=tuple(names), living=tuple(names), title=a)
    count = {"published": {a: 2}, "votes": {a: [b, c]}, "not_voting": [a], "unclear": [{"player": b, "text": c}], "posts": {}}
    told = [private("result", a, action="read", target=b, value="actors", actors=[b, c]), private("notice", a, topic="deadchat", players=names)]
    message = player_message(a, told, seen)
    assert message is not None
    facts = {
        "begun": True, "came_in": {"posts": 1, "messages": 2}, "not_acted": {"vote": names}, "question": c, "in_review": [a], "goes_out": [b],
    }  # fmt: skip
    deaths = [public("death", player=name, cause="murder") for name in names]
    regulation = public("announce", topic="regulation", number=9, text=c)
    following = public("announce", topic="next_phase", label="daily life 2")
    return [
        opening_post(seen), reminder_post("trial 1", seen), tally_post(count, "trial 1", seen), message, emptied_post(seen),
        *(nudge(name, what, "trial 1", seen) for name in names for what in ("vote", "order", "investigation", c)),
        phase_post([*deaths, regulation, following], "daily life 1", seen), phase_post([public("lynch", player=a), following], "trial 1", seen),
        digest_text("trial 1", facts, seen),
    ]  # fmt: skip


@given(st.lists(hostile, min_size=3, max_size=3, unique=True), st.sampled_from(FORUMS))
@settings(max_examples=40, deadline=None)
def test_no_name_speaks_in_any_post(names: list[str], forum: str) -> None:
    for post in posts(names, context(forum)):
        assert post.error is None
        assert "\n" not in post.title
        if post.kind == "digest":
            continue  # plain text, for the GM's eyes: it is never posted
        assert stretches(post.body) == []
        # Bold vote words in a name stand in no bold of ours; only `##vote` in a name would be read, and that in no quote.
        assert stretches(f"[quote]{post.body}[/quote]") == []
        assert vote_lines(f"[quote]{post.body}[/quote]", bold_name_alone=True, loud=True) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_makes_a_tag_in_the_new_posts(name: str) -> None:
    plain = posts(["Ann", "Bo", "Cy"], context("phpbb"))
    for ours, theirs in zip(plain, posts(["Ann", name, "Cy"], context("phpbb")), strict=True):
        tags = [re.findall(r"\[/?\w+[^\]]*\]", post.body) for post in (ours, theirs)]
        assert [tag for tag in tags[1] if "\u2060" not in tag] == tags[0] or ours.kind == "digest"


@given(hostile)
@settings(max_examples=90, deadline=None)
def test_the_sign_that_parts_a_tag_is_one_that_the_forum_keeps(name: str) -> None:
    """FluxBB takes every U+2060 out of a post; SMF puts U+FFFD for one between two letters or digits."""
    assert "\u2060" not in DIALECTS["fluxbb"].escape(name)
    for dialect in BBCODE:
        assert not re.search(r"\w\u2060\w", dialect.escape(name))


def test_the_pledge_can_be_checked_with_what_the_last_post_says() -> None:
    seed = "a long secret: é"
    body = phase_post(END, "trial 2", context("markdown", seed=seed, commitment=commitment(seed), deadline=None)).body
    codes = re.findall(r"`([^`]+)`", body)
    assert codes == [seed, commitment(seed), f"nightpost:{seed}"]
    assert hashlib.sha256(codes[2].encode()).hexdigest() == codes[1]


PICK = """{% for player in players %}
{% pick about player %}one {{ bold(player) }}{% or %}two{% or %}three{% endpick %}

{% endfor %}"""


def test_wordings_are_drawn_by_the_pledge_the_phase_and_what_they_are_about(tmp_path: Path) -> None:
    (tmp_path / "tally.j2").write_text(PICK, "utf-8")
    players = tuple(f"p{number}" for number in range(30))

    def drawn(label: str = "trial 1", **changed: str | None) -> list[str]:
        post = tally_post({}, label, context(templates=tmp_path, players=players, **changed))
        assert post.error is None
        return [line.split()[0] for line in post.body.splitlines() if line]

    assert drawn() == drawn() == drawn(seed="known at last")
    assert set(drawn()) == {"one", "two", "three"}
    assert drawn() != drawn("trial 2")
    assert drawn() != drawn(commitment="another")


def test_a_name_in_a_wording_is_no_markup(tmp_path: Path) -> None:
    (tmp_path / "tally.j2").write_text("{% pick %}{{ players[1] }}{% or %}{{ players[1] }}!{% endpick %}", "utf-8")
    assert tally_post({}, "trial 1", context(templates=tmp_path)).body.rstrip("!") == "[\u2060b]Bo[\u2060/b]"


@pytest.mark.parametrize("template", ["{% pick %}one", "{% pick %}one{% or %}", "{% or %}", "{% pick about %}x{% endpick %}"])
def test_a_wording_that_is_not_finished_is_named(tmp_path: Path, template: str) -> None:
    (tmp_path / "tally.j2").write_text(f"\n{template}", "utf-8")
    assert "tally.j2:2" in str(tally_post({}, "trial 1", context(templates=tmp_path)).error)


PERSIAN = Language("fa", "۰۱۲۳۴۵۶۷۸۹")


def test_a_post_in_two_languages_has_each_in_its_own_words_digits_and_direction(tmp_path: Path) -> None:
    (tmp_path / "fa").mkdir()
    (tmp_path / "fa" / "tally.j2").write_text("{{ heading(label | words | digits) }}\n{{ names(players[:2], 'و') }} {{ 12 }} {{ deadline_text }}", "utf-8")
    (tmp_path / "tally.j2").write_text("{{ label | words }}: {{ names(players[:2]) }} {{ 12 }} {{ time_left }}", "utf-8")
    words = {"fa": {"trial": "دادگاه"}, "en": {}}
    for forum, start, end in (("html", '<div dir="rtl" lang="fa">', "</div>"), ("smf", "[right]\u200f\u2067[size", "\u2069[/right]"), ("phpbb", "\u200f\u2067[size", "\u2069")):
        seen = context(forum, templates=tmp_path, languages=(PERSIAN, Language()), words=words, players=("Ann", "Bo"))
        post = tally_post({}, "trial 1", seen)
        assert post.error is None
        persian, english = post.body.split("\n\n")
        assert persian.startswith(start)
        assert persian.endswith(end)
        assert "دادگاه ۱" in persian
        assert "۱۲" in persian
        assert "دوشنبه ۲ مارس ۲۰۲۶، ساعت ۲۱:۰۰" in persian
        assert ("<bdi>Ann</bdi>" if forum == "html" else "\u2068Ann\u2069 ") in persian
        assert english.startswith("trial 1:")
        assert "12 1 day 7 hours" in english
        assert post.title.startswith("Hope's Peak: ")


def test_the_plain_dialect_marks_nothing() -> None:
    plain = dialect_of("plain")
    assert plain.bold("[b]x[/b]\u202e") == "[b]x[/b]"
    assert plain.bullets(["a", "b"]) == "- a\n- b"
    assert plain.link("x", "https://a.example/") == "x (https://a.example/)"
    assert plain.table(["A", "B"], [["1", "2"]]) == "A – B\n1 – 2"

SMILEYS = {
    "smf": (":)", ";)", ":D", ";D", ">:(", ":(", ":o", "8)", "???", "::)", ":P", ":-[", ":-X", ":-\\", ":-*", ":'(", ">:D", "^-^", "C:-)", "O:-)"),
    "phpbb": (":D", ":-)", ";-)", ":shock:", ":?", "8-)", ":x", ":!:", ":?:", ":|", ":mrgreen:"),
    "mybb": (":)", ";)", ":cool:", ":D", ":angel:"),
    "fluxbb": (":)", "=)", ":|", "=|", "=(", "=D", ":/", ":rolleyes:"),
}  # fmt: skip


@pytest.mark.parametrize("forum", FORUMS)
def test_a_name_is_no_smiley_and_no_number_of_ours_is_one(forum: str) -> None:
    for smiley in SMILEYS[forum]:
        shown = dialect_of(forum).name(smiley)
        assert smiley not in shown
        assert shown.replace(dialect_of(forum).joiner, "") == smiley
    names = tuple(f"Player{number}" for number in range(8))
    seen = context(forum, players=names, living=names)
    count = {"published": {names[0]: 8}, "votes": {names[0]: list(names)}, "not_voting": list(names)}
    closing = [public("announce", topic="next_phase", label="trial 8")]
    for post in (tally_post(count, "trial 8", seen), phase_post(closing, "trial 7", seen), opening_post(seen)):
        assert not any(smiley in re.sub(r"https?:\S+", "", post.body) for smiley in SMILEYS[forum]), post.body
