"""How posts are read piece by piece: comparable texts, colours, runs, candidates, rosters, and what hostile text must not do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parser.colour import family, is_colour, reddish
from parser.declarations import candidates, stretches
from parser.markup import Run, runs
from parser.message import orders
from parser.names import Ambiguous, Found, Person, Roster, Unknown
from parser.normal import fold, key, look_alike
from parser.orders import AmbiguousOrder, Language, Phrase, ReadOrder, UnreadableOrder
from parser.votelines import near_votes, settle, vote_lines

PIECES = st.sampled_from(
    ["[b]", "[/b]", "[color=red]", "[/color]", "[color=#00f]", "[s]", "[/s]", "[quote=x]", "[quote]", "[/quote]", "[code]",
     "[/code]", "[spoiler]", "[/spoiler]", "Anna", "Bert", "vote: ", "##vote ", "[vote]", "[/vote]", "unvote", "\n", " ", "[",
     "]", "<b>", "</b>", "<", ">", "\u200b", "é", "İ", "رای: ", "(L-1)", ";", "'s slot", "[img]", "[/img]", "[*]", "\"", "="]
)  # fmt: skip
POSTS = st.lists(PIECES, max_size=40).map("".join)
ROSTER = Roster([Person("Anna", ("Annie",)), Person("Bert"), Person("Annabel", alive=False)])


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert key(key(text)) == key(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"), ("İpek", "ipek"), ("Ａｎｎａ　Ｂ", "anna b"), ("a\u200bb\u200fc", "abc"), ("a \t\u00a0 b", "a b"),
        ("علي", "علی"), ("كتاب", "کتاب"), ("فاطمة", "فاطمه"), ("أحمد", "احمد"), ("عـلـی", "علی"), ("مُحَمَّد", "محمد"),
        ("رویین\u200cتن", "رویینتن"), ("۱۲٣४", "1234"), ("ﷺ", "صلی الله علیه وسلم"),
    ],
)  # fmt: skip
def test_forms_of_a_text_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_key_keeps_letters_digits_and_emoji_only() -> None:
    assert key("J. Doe-47!") == "jdoe47"
    assert key("Zoë") == "zoe"
    assert key("Cat🐱") != key("Cat🐶")
    assert key("$?!") == ""
    assert look_alike("Аnnа") == "anna"


@pytest.mark.clause("DAN-POST-03")
@pytest.mark.parametrize(
    ("colour", "wanted"),
    [
        ("hsl(345,100%,50%)", "red"), ("hsl(15,100%,50%)", "red"), ("hsl(344,100%,50%)", None), ("hsl(16,100%,50%)", None),
        ("hsl(80,100%,50%)", "green"), ("hsl(165,100%,50%)", "green"), ("hsl(79,100%,50%)", None), ("hsl(166,100%,50%)", None),
        ("hsl(190,100%,50%)", "blue"), ("hsl(260,100%,50%)", "blue"), ("hsl(189,100%,50%)", None), ("hsl(261,100%,50%)", None),
        ("hsl(0,50%,50%)", "red"), ("hsl(0,49%,50%)", None), ("hsl(0,100%,15%)", "red"), ("hsl(0,100%,14%)", None),
        ("hsl(0,100%,75%)", "red"), ("hsl(0,100%,76%)", None),
        ("#ff0000", "red"), ("#f00", "red"), ("rgb(255,0,0)", "red"), ("darkred", "red"), ("#cc0000", "red"), ("RED", "red"),
        (" Red ", "red"), ('"red"', "red"), ("#ff0000ff", "red"), ("rgba(255, 0, 0, .5)", "red"), ("rgb(100%,0%,0%)", "red"),
        ("orange", None), ("pink", None), ("purple", None), ("green", "green"), ("lime", "green"), ("navy", "blue"),
        ("blue", "blue"),
        ("bad", None), ("", None), ("#", None), ("rgb(1)", None), ("rgb(a,b,c)", None), ("#12345", None),
    ],
)  # fmt: skip
def test_families_of_colours(colour: str, wanted: str | None) -> None:
    assert family(colour) == wanted


@pytest.mark.clause("DAN-POST-03")
@pytest.mark.parametrize(
    ("colour", "looks_red"),
    [
        ("orangered", True), ("pink", True), ("#330000", True), ("coral", True), ("red", False), ("orange", False), ("chocolate", False),
        ("hotpink", False), ("white", False), ("grey", False), ("green", False), ("purple", False), ("bad", False),
    ],
)  # fmt: skip
def test_colours_that_look_like_red_and_are_none(colour: str, looks_red: bool) -> None:
    assert reddish(colour) is looks_red


@given(st.text(max_size=30))
def test_any_text_may_stand_for_a_colour(text: str) -> None:
    assert family(text) is None or is_colour(text)


def _bold(bbcode: str) -> str:
    return "".join(run.text for run in runs(bbcode) if run.bold)


def test_styles_of_runs() -> None:
    plain, bold, coloured = Run("a", 0, 1), Run("b", 4, 5, bold=True), Run("c", 16, 17, bold=True, colour="Red")
    assert runs("a[b]b[color=Red]c[/color][/b]") == (plain, bold, coloured)
    assert _bold("[b]a[B]b[/b]c[/B]d") == "abc"
    assert _bold("[b]a[/b][/b]b[b]c") == "ac"
    assert [run.quoted for run in runs("[quote]a[quote]b[/quote]c[/quote]d")] == [True, True, True, False]
    assert [run.code for run in runs("[code]a[b][/code]b")] == [True, False]
    assert [run.text for run in runs("[wat]a[/wat]")] == ["[wat]a[/wat]"]
    assert [run.spoiler for run in runs("[spoiler=a b]a[/spoiler]b")] == [True, False]
    assert [run.large for run in runs("[size=200]a[/size][size=8pt]b[/size]")] == [True, False]


@given(POSTS)
def test_runs_stand_where_they_say(bbcode: str) -> None:
    place = 0
    for run in runs(bbcode):
        assert run.text == bbcode[run.start : run.end] or (run.text == "\n" and run.start == run.end)
        assert place <= run.start <= run.end <= len(bbcode)
        place = run.end


@given(POSTS)
def test_declarations_and_votes_come_from_own_text_in_order(bbcode: str) -> None:
    hidden = [range(run.start, run.end) for run in runs(bbcode) if run.quoted or run.code or run.struck]
    declared = stretches(bbcode)
    assert [one.start for one in declared] == sorted(one.start for one in declared)
    for stretch in declared:
        assert not any(stretch.start in place or stretch.end - 1 in place for place in hidden)
        assert bbcode[stretch.start : stretch.end].split()[0][0] == stretch.text[0]
        assert bbcode[stretch.end - 1] == stretch.text[-1]
    for line in vote_lines(bbcode, bold_name_alone=True, loud=True):
        assert not any(line.start in place for place in hidden)
        assert line.start < line.end <= len(bbcode)
        settle(line, ROSTER)


@pytest.mark.clause("DAN-POST-05", "DAN-POST-06", "DAN-POST-07")
@given(POSTS)
def test_nothing_is_declared_in_quotes_code_or_struck_text(bbcode: str) -> None:
    sealed = bbcode
    for tag in ("quote", "code", "s"):
        sealed = sealed.replace(f"[/{tag}]", "").replace(f"[{tag}]", "")
    sealed = sealed.replace("[quote=x]", "")
    for tag in ("quote", "code", "s"):
        inside = f"[{tag}]{sealed}[/{tag}]"
        assert stretches(inside) == []
        assert vote_lines(inside, bold_name_alone=True, loud=True) == []


@given(POSTS, st.lists(st.sampled_from(["Anna", "J. Doe", "Abs.", "😀", "("]), max_size=3))
def test_any_message_can_be_read(body: str, names: list[str]) -> None:
    patterns = ("vote {player}", "give (the) {item...} to {player}", "will: {text}")
    language = Language([Phrase(pattern[:4], pattern) for pattern in patterns])
    language.message(body, {"player": ROSTER.match, "item": ROSTER.match}, names=names)


@given(st.text(max_size=80))
def test_any_text_may_stand_for_a_name(text: str) -> None:
    assert isinstance(ROSTER.match(text), Found | Ambiguous | Unknown)
    assert isinstance(ROSTER.first(candidates(text)), Found | Ambiguous | Unknown)


@pytest.mark.parametrize(
    "hostile",
    [
        "[b]", "[/b]", "[b", "[quote=", '[quote="', "[quote=[", "[color=red]", "[b][/b]", "[code]", "[img]", "<b ", '<b "',
        "<span style='",
        "[quote author=", "[color='", "[b][color=red]a[/color][/b]", "[b]##vote a[/b] ", "[vote]", "[b]vote: a[/b]\n", "[quote]",
        "the ", "vote ", " ", "(", "xd", ":)", "-", ".", "[s]a[/s]", "[color=red]a", "[quote][b]", "a;", "\u200b", "é",
    ],
)  # fmt: skip
def test_much_of_anything_is_read(hostile: str) -> None:
    """Where a step grew with the square of the text, these would take minutes together."""
    post = hostile * (30_000 // len(hostile))
    for text in (post + "[/b][/color][/quote]" * 1000, f"[b][color=red]{post}[/color][/b]"):
        for stretch in stretches(text)[:50]:
            ROSTER.first(candidates(stretch.text))
        for line in vote_lines(text, bold_name_alone=True, loud=True)[:50]:
            settle(line, ROSTER)
        for line in near_votes(text)[:50]:
            settle(line, ROSTER)
    pieces = orders(post)
    Language([Phrase("kill", "kill {player} for {player}")]).read(pieces[0].text if pieces else post, {"player": ROSTER.match})


def test_depth_has_no_limit() -> None:
    deep = "[quote]" * 5000 + "[b][color=red]Anna[/color][/b]" + "[/quote]" * 5000 + "[b][color=red]Bert[/color][/b]"
    assert [one.text for one in stretches(deep)] == ["Bert"]


@pytest.mark.clause("DAN-POST-09")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("vote Anna", "Anna"), ("Vote: Anna", "Anna"), ("vote for Anna!", "Anna"), ("I vote Anna", "Anna"),
        ("I vote for @Anna", "Anna"),
        ("voting Anna", "Anna"), ("voting for Anna", "Anna"), ("Execute Anna.", "Anna"), ("hang out Anna", "Anna"),
        ("Hangout: gym", "gym"),
        ("hanging out with Anna", "Anna"), ("hang out with Anna", "Anna"), ("I hang out in the gym", "gym"),
        ("investigate Anna", "Anna"),
        ("investigating the gym", "gym"), ("at the gym", "gym"), ("with Anna", "Anna"), ("@Anna", "Anna"), ("…Anna…", "Anna"),
        ("ＶＯＴＥ: Anna", "ＶＯＴＥ: Anna"), ("Devoted", "Devoted"), ("vote", "vote"), ("votes", "votes"),
        ("Theodor", "Theodor"),
    ],
)  # fmt: skip
def test_leading_words_are_dropped(text: str, name: str) -> None:
    assert candidates(text)[-1] == name


def test_the_whole_text_is_tried_first() -> None:
    roster = Roster([Person("The Doctor"), Person("Doctor Who"), Person("Vote"), Person("Anna")])
    assert candidates("The Doctor")[0] == "The Doctor"
    assert roster.first(candidates("The Doctor")) == Found("The Doctor")
    assert roster.first(candidates("vote: The Doctor!")) == Found("The Doctor")
    assert roster.first(candidates("vote")) == Found("Vote")
    assert roster.first(candidates("vote vote")) == Found("Vote")


@pytest.mark.clause("DAN-POST-10")
def test_whole_names_are_matched_among_living_and_dead_and_parts_among_the_living_first() -> None:
    roster = Roster([Person("Anna", alive=False), Person("Annabel"), Person("Boris"), Person("Doris", alive=False)])
    assert roster.match("ANNA") == Found("Anna", "name")
    assert roster.match("Ann") == Found("Annabel", "part")
    assert roster.match("xoris") == Found("Boris", "typing error")
    assert roster.match("Dor") == Found("Doris", "part")
    assert roster.match("ann", prefer={"Anna"}) == Found("Anna", "part")
    assert roster.match("An") == Unknown("Anna")


def test_an_ambiguous_step_is_not_tried_further() -> None:
    roster = Roster([Person("Annika"), Person("Annabel"), Person("Anne Nord", ("Ann X",))])
    assert roster.match("ann") == Ambiguous(("Annika", "Annabel", "Anne Nord"), "part")


def test_nearest_phrases_and_names_are_proposed() -> None:
    language = Language([Phrase("murder", "murder {player}"), Phrase("hypnotise", "hypnotise {player} to {player}")])
    slots = {"player": ROSTER.match}
    assert language.read("murdr Anna", slots) == UnreadableOrder("murdr Anna", "phrase", "murder {player}")
    assert language.read("murder Brt", slots) == UnreadableOrder("murder Brt", "name", "murder Bert")
    assert language.read("hypnotize Anna to Bert", slots) == UnreadableOrder(
        "hypnotize Anna to Bert", "phrase", "hypnotise {player} to {player}"
    )
    assert language.read("hypnotise Anna to Bert", slots) == ReadOrder("hypnotise", ("Anna", "Bert"), "hypnotise Anna to Bert")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Anna because he lies", "Anna"), ("Final vote: Jon Snow!", "Jon Snow"), ("not Jon Snow, Anna", "Jon Snow"),
        ("anna or bert", "Anna"), ("Annabel Le", "Annabel Lee"), ("O’Brien and his sons", None), ("xyzzy", None),
    ],
)  # fmt: skip
def test_the_nearest_name_is_one_that_stands_in_the_text(text: str, name: str | None) -> None:
    people = ("Annabel Lee", "Anna", "Bert", "Jon", "Jon Snow")
    assert Roster([Person(one) for one in people]).nearest(text) == name


def test_a_phrase_is_proposed_only_where_one_is_near() -> None:
    heads = ("murder {player}", "object {player}", "put down {player}", "bolt door", "withdraw read")
    language = Language([Phrase(pattern, pattern) for pattern in heads])
    near = {
        "murdr Anna": "murder {player}", "bolt the door": "bolt door", "put Anna down": "put down {player}",
        "text nobody can read": None, "protect Anna": None, "hello there": None, "": None,
    }  # fmt: skip
    for text, phrase in near.items():
        assert language.nearest(text) == phrase, text


def test_an_order_that_names_two_possible_players_is_not_guessed() -> None:
    roster = Roster([Person("Maria"), Person("Mario")])
    language = Language([Phrase("murder", "murder {player}")])
    reading = language.read("murder mari", {"player": roster.match})
    assert isinstance(reading, AmbiguousOrder)
    assert reading.candidates == ("Maria", "Mario")


@pytest.mark.clause("DAN-POST-09")
def test_a_smiley_is_no_player_whose_name_it_ends_with() -> None:
    roster = Roster([Person("D"), Person("Anna"), Person("(Ghost)")])
    for text in ("Vote: :D", "vote :D", ":D", "=D"):
        assert isinstance(roster.first(candidates(text)), Unknown), text
        lines = vote_lines(f"[b]vote {text.removeprefix('Vote: ').removeprefix('vote ')}[/b] ##vote {text[-2:]}")
        assert {settle(line, roster).kind for line in lines} == {"unreadable"}, text
    for text in ("vote D", "vote:D", "D :D", "Vote: D"):
        assert roster.first(candidates(text)) == Found("D"), text
    assert roster.first(candidates(":) Anna")) == Found("Anna")
    assert roster.first(candidates("Vote: (Ghost)")) == Found("(Ghost)")
    assert [settle(line, roster).kind for line in vote_lines("[b]unvote :D[/b]")] == ["unvote"]


@pytest.mark.parametrize(
    ("post", "meant"),
    [
        ("Vote: Anna", ["vote Anna"]), ("hm\nI vote for anna!", ["vote Anna"]), ("**Vote: Anna**", ["vote Anna"]), ("unvote", ["unvote"]),
        ("Unvote: Bert", ["unvote Bert"]), ("unvote, then I vote Anna", ["unvote", "vote Anna"]), ("Unvote Bert, I vote Anna", ["unvote Bert", "vote Anna"]), ("so {b]unvote Bert - vote Anna[/b}", ["unvote Bert", "vote Anna"]),
        ("[b]Votes: Anna[/b] and [b]Final vote: Bert[/b]", ["vote Anna", "vote Bert"]), ("[b]EDIT: vote: Bert[/b]", ["vote Bert"]),
        ("[b]I change my vote to Bert[/b]", ["vote Bert"]), ("##voteAnna\n##votes Bert", ["vote Anna", "vote Bert"]),
        ("I say [noparse][b][/noparse]vote: Anna[noparse][/b][/noparse] to this", ["vote Anna"]), ("so {b]vote: Anna", ["vote Anna"]),
        ("[b]Cross fingers, vote Anna.[/b]", ["vote Anna"]), ("[b]FoS: Anna, Vote: Bert[/b]", ["vote Bert"]),
        ("[b]Vote: Anna[/b]", []), ("[b]I will not vote Anna[/b]", []), ("[b]who votes Anna?[/b]", []), ("[b]Vote count 1.2[/b]", []),
        ("[quote]Vote: Anna[/quote][s]Vote: Bert[/s][code]Vote: Bert[/code]", []), ("I think I vote Anna", []), ("##votecount", []),
        ("[b]your vote on Bert is bad[/b]", []), ("I see [b]it[/b], vote Anna", []),
    ],
)  # fmt: skip
def test_what_may_have_been_meant_as_a_vote_and_is_none(post: str, meant: list[str]) -> None:
    settled = [settle(line, ROSTER) for line in near_votes(post)]
    assert [" ".join(filter(None, (one.kind, one.name))) for one in settled if one.kind in ("vote", "unvote")] == meant
