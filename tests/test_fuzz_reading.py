"""Names, votes, orders and our own posts under any text: never a crash, and what we write ourselves is read as it was meant."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.choices import Choices
from engine.inputs import OrderInput, PhaseInputs, PostInput
from engine.play import so_far
from engine.ruleset import load
from parser.declarations import candidates, stretches
from parser.message import orders
from parser.names import Ambiguous, Found, Person, Roster, Unknown
from parser.normal import fold, key, look_alike
from parser.orders import Language, Phrase, ReadOrder
from parser.votelines import settle, vote_lines
from publisher.render import tally_post
from rulesets.danganronpa.orders import legal_orders
from rulesets.danganronpa.talents import starter_talents
from tests.test_sandbox import context

RULES = load("danganronpa")
SIGNS = st.characters(codec=None, categories=None)
NAMES = st.one_of(
    st.text(SIGNS, min_size=1, max_size=12),
    st.text(st.sampled_from("aAnN bB.'-_[]()@ıİßéکيك۱\u200c\u202e\u0301😀:D"), min_size=1, max_size=10),
    st.sampled_from(
        ["Anna", "Ann", "Anna B", "The Doctor", "vote", "No Lynch", "me", "O'Brien", "[Ghost]", "J. Doe", "$?!", "نيلوفر"]
    ),
)
ROSTERS = st.lists(NAMES, min_size=1, max_size=6, unique=True)


@given(ROSTERS, NAMES, st.data())
@settings(max_examples=90, deadline=None)
@example(["\0"], "\ud800", None)
def test_any_name_is_found_ambiguous_or_unknown(names: list[str], text: str, data: st.DataObject | None) -> None:
    roster = Roster([Person(name, alive=place % 3 > 0) for place, name in enumerate(names)])
    asked = text if data is None else data.draw(st.sampled_from([text, *names, text + names[0], names[0][:3]]))
    for match in (roster.match(asked), roster.first(candidates(asked)), roster.match(asked, prefer={names[0]})):
        match match:
            case Found(name):
                assert name in names
            case Ambiguous(fitting):
                assert len(fitting) > 1
                assert set(fitting) <= set(names)
            case Unknown(nearest):
                assert nearest is None or nearest in names


@given(ROSTERS)
@settings(max_examples=90, deadline=None)
def test_a_whole_name_is_never_taken_for_another(names: list[str]) -> None:
    roster = Roster([Person(name) for name in names])
    for name in names:
        match = roster.match(name)
        alike = [other for other in names if key(other) == key(name)]
        if key(name) and len(alike) == 1 and roster.whole(name):
            assert match == Found(name)
        if isinstance(match, Found) and key(name):
            assert match.name in alike or not roster.whole(name)


@given(st.text(SIGNS, max_size=60))
@settings(deadline=None)
def test_any_text_is_made_comparable(text: str) -> None:
    assert key(fold(text)) == key(text)
    assert look_alike(text) == key(look_alike(text))
    assert len(candidates(text)) <= len(text) + 1


VOTES = st.lists(
    st.one_of(
        st.sampled_from(["vote", "Vote: ", "unvote", "##vote ", "##unvote", "[vote]", "[/vote]", "[b]", "[/b]", "Anna", "Bert", "Ａ", "رای: ", "\n",
                         " ", ", ", "(L-1)", " - ", "because", "no lynch", "my vote is ", "'s slot", "[size=7]", "[/size]", "[quote]", "[/quote]"]),
        st.text(SIGNS, max_size=4),
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(VOTES, st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_vote_lines_stand_where_they_say_and_can_be_settled(post: str, alone: bool, loud: bool) -> None:
    roster = Roster([Person("Anna"), Person("Bert"), Person("No Lynch", alive=False)])
    lines = vote_lines(post, bold_name_alone=alone, loud=loud)
    assert [line.start for line in lines] == sorted(line.start for line in lines)
    for line in lines:
        assert 0 <= line.start < line.end <= len(post)
        assert settle(line, roster).name in (None, "Anna", "Bert", "No Lynch")


# -- orders ---------------------------------------------------------------------------------------------------------------

MESSAGES = st.lists(
    st.one_of(
        st.sampled_from(["murder ", "Anna", "Bert", " to ", "please ", "\n", "; ", ". ", "> ", "-- \n", "On Monday Anna wrote:\n", "[quote]",
                         "[/quote]", "withdraw ", "[s]", "[/s]", "\r", "hi GM,", "will: ", "[code]", "\0", "\u202e"]),
        st.text(SIGNS, max_size=5),
    ),
    max_size=20,
).map("".join)  # fmt: skip
PHRASES = [
    Phrase("murder", "murder {player}"),
    Phrase("move", "move {player} to {player}"),
    Phrase("will", "will: {text}"),
    Phrase("off", "withdraw {act}"),
]
LANGUAGE = Language(PHRASES)


@given(MESSAGES)
@settings(max_examples=90, deadline=None)
def test_any_message_is_read_to_known_names_or_to_nothing(body: str) -> None:
    roster = Roster([Person("Anna"), Person("Bert")])
    for read in LANGUAGE.message(body, {"player": roster.match, "act": lambda text: Found(text)}, names=["Anna", "Bert"]):
        if isinstance(read, ReadOrder) and read.id in ("murder", "move"):
            assert set(read.values) <= {"Anna", "Bert"}


@given(MESSAGES.filter(lambda text: "[" not in text), st.sampled_from(["quote", "s", "code"]))
@settings(max_examples=100, deadline=None)
def test_no_order_is_taken_from_quotes_struck_text_or_code(body: str, tag: str) -> None:
    assert orders(f"[{tag}]{body}murder Anna[/{tag}]") == ()


STUDENTS = [
    "Ann Lee",
    "O'Brien",
    "[Ghost]",
    "مریم",
    "Boris",
    "J. Doe",
    "Zoë",
    "Mr. X",
    "The Doctor",
    "a_b",
    "47",
    "Ａｄａ",
    "😀 Joy",
    "Ivan;",
    "To",
]


@pytest.mark.parametrize("start", ["trial 1", "daily life 1", "deadly life 1"])
def test_every_legal_order_is_read_as_it_was_meant(start: str) -> None:
    """Every order that a student may send, plain and with politeness, markup and other people's words around it."""
    held = {
        colour: [one.id for one in starter_talents().values() if one.colour == colour] for colour in ("white", "black", "grey")
    }
    players = {name: {"role": role} for name, role in zip(STUDENTS, held["white"], strict=True)}
    for colour in ("black", "grey"):
        for name, role in zip(STUDENTS[5 * (colour == "grey") :], held[colour], strict=False):
            players[name][colour] = role
    game = RULES.game(players, start=start)
    state, label = RULES.begin(game), RULES.first_label(game)
    legal = {name: legal_orders(RULES.new_phase(label, state.copy(), PhaseInputs(), Choices()), name) for name in game.names}  # type: ignore[arg-type]
    sent = [(player, order) for player, orders in legal.items() for order in orders]
    polite = [(player, f"Hi GM,\n[b]please {order} tonight[/b].\n> murder nobody\n-- \nby hand") for player, order in sent]
    assert len(sent) > 3
    for player, body in random.Random(start).sample(sent + polite, min(80, 2 * len(sent))):
        events = so_far(RULES, state, label, PhaseInputs(orders=(OrderInput("o", player, body),)), Choices()).events
        assert [event["text"] for event in events if event.kind == "notice" and event["topic"] == "unreadable"] == [], body


# -- our own posts --------------------------------------------------------------------------------------------------------


@pytest.mark.clause("DAN-POST-17")
@given(st.lists(NAMES.filter(lambda name: name.strip() == name and key(name) != ""), min_size=3, max_size=3, unique_by=key))
@settings(max_examples=60, deadline=None)
def test_the_vote_post_is_a_vote_and_the_tally_is_none(names: list[str]) -> None:
    roster = Roster([Person(name) for name in names])
    for dialect in ("phpbb", "smf", "mybb"):
        count = {
            "published": {names[0]: 1},
            "votes": {names[0]: [names[1]]},
            "not_voting": [names[2]],
            "posts": {},
            "unclear": [],
        }
        post = tally_post(count, "trial 1", replace(context(None), dialect=dialect))
        assert post.error is None
        assert stretches(post.body) == []
        assert [settle(line, roster) for line in vote_lines(post.body)] == []
    for name in names:
        read = stretches(RULES.vote_post(name))
        if not any(sign in name for sign in "[]<>\n\r\v\f\x85\u2028\u2029"):
            assert [one.colour for one in read] == ["red"]
            assert roster.first(candidates(read[0].text)) == roster.first(candidates(" ".join(name.split())))


def test_nobody_votes_by_quoting_a_vote_and_a_recount_never_changes() -> None:
    players = {
        "Ann": {"role": "ultimate_detective", "black": "black_slasher"},
        "Bo": {"role": "ultimate_nurse"},
        "Cy": {"role": "ultimate_lawyer"},
    }
    game = RULES.game(players, start="trial 1")
    state, label = RULES.begin(game), RULES.first_label(game)
    vote = RULES.vote_post("Bo")
    posts = [PostInput(str(place), by, text) for place, (by, text) in enumerate([
        ("Ann", vote), ("Cy", f"[quote=Ann]{vote}[/quote] no"), ("Bo", f"[s]{vote}[/s][code]{vote}[/code]"), ("Zed", vote),
    ])]  # fmt: skip
    first, again = (so_far(RULES, state, label, PhaseInputs(tuple(posts)), Choices()).tally for _ in range(2))
    assert first == again
    assert first is not None
    assert first["votes"] == {"Bo": ["Ann"]}


LONG = {
    "a name": "a" * 100_000, "dots": "." * 100_000, "blanks": " " * 100_000, "accents": "a\u0301" * 50_000, "emoji": "😀" * 50_000,
    "smileys": ":D " * 30_000, "a ligature": "\ufdfa" * 10_000, "surrogates": "\ud800" * 50_000, "leading words": "vote for the " * 8_000,
    "orders": "murder Anna;" * 8_000, "lines": "on x\n" * 20_000, "greetings": "hi all " * 10_000, "headings": ("on " + "x" * 150 + " ") * 500,
    "quoted lines": "> murder Anna\n" * 8_000,
}  # fmt: skip


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_no_long_text_hangs(text: str) -> None:
    roster = Roster([Person("Anna"), Person("Bert Moor")])
    start = time.process_time()
    roster.first(candidates(text))
    roster.nearest(text)
    LANGUAGE.message(text, {"player": roster.match, "act": lambda part: Found(part)}, names=["A. B."])
    assert time.process_time() - start < 5
