"""What goes out: the words of each post, and that no stranger's text is ever markup in it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.events import Event
from engine.ruleset import load
from parser.declarations import stretches
from parser.markup import runs
from publisher.markup import DIALECTS, JOINER, Dialect, Safe, clean, dialect_of
from publisher.page import as_html, thread_page
from publisher.render import (
    Context,
    Rendered,
    emptied_post,
    glossary,
    nudge,
    opening_post,
    phase_post,
    player_message,
    reminder_post,
    rules_post,
    tally_post,
)  # fmt: skip
from rulesets.danganronpa.cast import PLACES
from rulesets.danganronpa.talents import Talent, declare, starter_talents

GOLDEN = Path(__file__).parent / "golden"
RULES = load("danganronpa")
OPTIONS = {name: option.default for name, option in RULES.options.items()}
NAMES = ("Ann", "[b]Bo[/b]", "*Cy*", "<script>alert(1)</script>", "{{7*7}}", "Eve\n\u202eAdam")
HOSTILE = (
    "[b][color=red]Ann[/color][/b]", "**Ann**", "_Ann_", "[url=https://a.example]x[/url]", "<img src=x onerror=alert(1)>", "&#91;b]",
    "`x`", "# x", "- x", "| x |", "[/quote]", "[/code]", "{% raw %}", "{{ seed }}", "@everyone", "http://a.example", "[", "<", "\\", ":)",
    "![x](http://a.example)", "<b>Ann</b>", "a\u2028b", "\u2066x", "[*]", "</bdi>", "~~x~~", "1. x",
)  # fmt: skip
BBCODE = [DIALECTS[name] for name in ("phpbb", "smf", "mybb", "fluxbb")]


REGULATIONS = {1: "Interfering with Monokuma is forbidden.", 2: "Attempting to escape is forbidden.", 3: "No *running*."}


def knowing(talents: dict[str, Talent]) -> dict[str, Any]:
    """What Danganronpa adds to a context."""
    words = {id_: talent.name for id_, talent in talents.items()}
    return {"facts": {"talents": talents, "regulations": REGULATIONS, "places": PLACES}, "words": {"en": words}}


def context(dialect: str = "phpbb", **changed: Any) -> Context:
    given_ = Context(
        title="Hope's Peak", ruleset="danganronpa", dialect=dialect, now=datetime(2026, 3, 1, 12, tzinfo=UTC),
        deadline=datetime(2026, 3, 2, 19, tzinfo=UTC), timezone="Europe/Helsinki", thread_url="https://forum.example/t/1",
        links={"post 7": "https://forum.example/p/7"}, options=OPTIONS, players=NAMES, living=NAMES[1:], commitment="c0ffee",
        seed=None, templates=None, **knowing(starter_talents()),
    )  # fmt: skip
    return replace(given_, **changed)


def public(kind: str, phase: str = "daily life 1", secret: tuple[str, ...] = (), **data: Any) -> Event:
    return Event(kind, phase, "public", ("DAN-PHASE-01",), data, secret)


def private(kind: str, to: str, phase: str = "daily life 1", **data: Any) -> Event:
    return Event(kind, phase, "private", ("DAN-TAL-11",), {"to": to, **data})


def death(player: str, cause: str, **more: Any) -> Event:
    return public("death", secret=("by", "cause"), player=player, cause=cause, by=["Zoe"], reveal=None, **more)


def revealed(player: str, team: str, *talents: str) -> Event:
    return public("announce", topic="reveal", player=player, team=team, talents=list(talents))


DAILY = [death("Ann", "murder"), death("*Cy*", "punish"), public("announce", topic="next_phase", label="deadly life 1")]
TRIAL = [
    public("lynch", player="Ann", reason="tie"),
    public("death", secret=("by",), player="Ann", cause="lynch", by=[], reveal=None),
    revealed("Ann", "black", "ultimate_nurse", "black_slasher"),
    public("announce", topic="revived", player="*Cy*"),
    public("announce", topic="regulation", number=3, text="No *running*."),
    public("announce", topic="hangout", location="gym", players=list(NAMES[1:3])),
    public("announce", topic="sulking", players=list(NAMES[3:])),
    public("announce", topic="next_phase", label="daily life 2"),
]
DEADLY = [revealed("Ann", "white", "ultimate_nurse"), public("announce", topic="next_phase", label="trial 2")]
CAST = [{"player": name, "team": "white", "talents": ["ultimate_nurse"], "blackened": name == "Ann"} for name in NAMES]
END = [public("lynch", player=None, reason="no_votes"), public("win", sides=["black"], players=["*Cy*"], cast=CAST)]
COUNT = {
    "published": {"Ann": 2, "*Cy*": 1}, "votes": {"Ann": [NAMES[4], NAMES[1]], "*Cy*": ["Ann"]}, "not_voting": [NAMES[3], NAMES[5]],
    "posts": {NAMES[4]: "post 7", NAMES[1]: "post 8", "Ann": "command 3"}, "final": {"Zoe": 99},
}  # fmt: skip
ROLE = [
    private("notice", "Ann", topic="talent", team="black", talents=["ultimate_hypnotist", "black_executioner"], blackened=True),
    private("notice", "Ann", topic="wolfchat", players=["Ann", NAMES[1]]),
]
TOLD = [
    private("notice", "Ann", topic="blackened"),
    private("notice", "Ann", topic="action_cancelled", action="short_circuit"),
    private("notice", "Ann", topic="deadchat", players=["Ann"]),
    private("result", "Ann", action="investigate", target="gym", value="traced", player="*Cy*", targets=["{{7*7}}"]),
    private("result", "Ann", action="investigate", target="*Cy*", value="location", location="gym"),
    private("result", "Ann", action="investigate", target="black_slasher", value="target", player=NAMES[1]),
    private("result", "Ann", action="shadow", target="*Cy*", value="targets", targets=[NAMES[3], "lounge"]),
    private("result", "Ann", action="stake_out", target="*Cy*", value="actors", actors=[NAMES[5]]),
    private("result", "Ann", action="read", target="*Cy*", value="blackened", blackened=True),
    private("result", "Ann", action="read", target="*Cy*", value="team", team="grey"),
    private("result", "Ann", action="read", target="*Cy*", value="talent", talents=["grey_martyr"]),
    private("result", "Ann", action="watch", target="*Cy*", value="action", actions=["put_down"]),
    private("result", "Ann", action="shadow", target="*Cy*", value="nothing"),
    private("result", "Ann", action="care", target="*Cy*", value="invalid", reason="not_in_group"),
]


def message(events: list[Event], **changed: Any) -> Rendered:
    made = player_message("Ann", events, context(**changed))
    assert made is not None
    assert made.error is None
    return made


POSTS: dict[str, Callable[[str], str]] = {
    "daily": lambda d: phase_post(DAILY, "daily life 1", context(d)).body,
    "trial": lambda d: phase_post(TRIAL, "trial 1", context(d)).body,
    "deadly": lambda d: phase_post(DEADLY, "deadly life 1", context(d)).body,
    "end": lambda d: phase_post(END, "trial 2", context(d, seed="hush", deadline=None)).body,
    "tally": lambda d: tally_post(COUNT, "trial 1", context(d)).body,
    "role": lambda d: message(ROLE, dialect=d).body,
    "told": lambda d: message(TOLD, dialect=d).body,
    "opening": lambda d: opening_post(context(d)).body,
    "reminder": lambda d: reminder_post("trial 1", context(d)).body,
    "nudges": lambda d: "\n\n".join(nudge(NAMES[1], what, "deadly life 1", context(d)).body for what in ("vote", "order", "investigation")),
    "emptied": lambda d: emptied_post(context(d)).body,
    "unclear": lambda d: tally_post({"unclear": [{"player": NAMES[1], "text": NAMES[3]}]}, "trial 1", context(d)).body,
    "rules": lambda d: rules_post(RULES, OPTIONS, d),
    "glossary": lambda d: glossary(RULES, d),
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("post", POSTS)
def test_each_post_is_as_on_file(post: str, dialect: str) -> None:
    """`NIGHTPOST_GOLDEN=write` writes the files anew; then read what has changed."""
    file = GOLDEN / dialect / f"{post}.txt"
    body = POSTS[post](dialect) + "\n"
    if os.environ.get("NIGHTPOST_GOLDEN") == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")
    assert body == file.read_text(encoding="utf-8")


def plain(body: str) -> str:
    """The text of a BBCode post as one reads it."""
    return " ".join("".join(run.text for run in runs(body)).replace(JOINER, "").split())


@pytest.mark.clause("DAN-WIN-12")
def test_the_end_publishes_everybodys_team_talents_and_blackening() -> None:
    body = phase_post(END, "trial 2", context("html", seed="hush")).body
    rows = [[cell.get_text() for cell in row.find_all("td")] for row in BeautifulSoup(body, "lxml").find_all("tr")]
    assert [*rows[1:]] == [
        [clean(name), "White", "Ultimate Nurse", "blackened" if name == "Ann" else "not blackened"] for name in NAMES
    ]
    assert "hush" in body


def test_the_seed_is_in_no_post_before_the_end() -> None:
    for post in (phase_post(TRIAL, "trial 1", context()), opening_post(context())):
        assert "seed" not in post.body or "is published when the game is over" in post.body


@pytest.mark.clause("DAN-PUN-06", "DAN-PHASE-07")
def test_the_punished_are_announced_like_any_other_dead() -> None:
    bodies = {phase_post([death("Ann", cause), DAILY[2]], "daily life 1", context()).body for cause in ("murder", "punish")}
    assert len(bodies) == 1
    body = plain(bodies.pop())
    assert "Ann is dead" in body
    assert not re.search("Zoe|murder|punish|White|Black|Grey", body.replace("Ultimate talent", ""))


@pytest.mark.clause("DAN-TAL-13", "DAN-INV-08")
def test_a_fruitless_result_is_worded_alike_whatever_the_reason() -> None:
    wordings = set()
    for why in ("DAN-EFF-06", "DAN-FMT-08", "DAN-INV-06", "DAN-INV-12", "DAN-INV-24"):
        event = Event("result", "deadly life 1", "private", (why,), {"to": "Ann", "action": "investigate", "target": "*Cy*", "value": "nothing"})  # fmt: skip
        wordings.add(message([event]).body)
    assert len(wordings) == 1
    assert not re.search("block|disrupt|redirect|prevent|protect", wordings.pop())


@pytest.mark.clause("DAN-TAL-13")
def test_what_happened_to_an_action_unseen_makes_no_message() -> None:
    deed = Event("deed", "daily life 1", "gm", ("DAN-EFF-03",), {"actor": "Ann", "action": "care", "fate": "blocked"})
    assert player_message("Ann", [deed], context()) is None
    assert player_message("Ann", [private("result", "Bo", action="read", value="nothing")], context()) is None


@pytest.mark.clause("DAN-TEAM-08")
def test_a_result_never_states_of_the_player_named_what_is_true_of_another() -> None:
    """After a redirection the facts are another player's than the one named (DAN-EFF-21): so they are not said of that one."""
    body = plain(message(TOLD).body)
    assert "*Cy* is" not in body
    assert "Your “read” (*Cy*) leads to somebody who is blackened" in body


@pytest.mark.clause("DAN-TEAM-08")
def test_an_execution_is_not_given_a_reason_that_is_not_known() -> None:
    bodies = {phase_post([public("lynch", player="Ann", reason=why)], "trial 1", context()).body for why in ("votes", "tie", "no_votes")}  # fmt: skip
    assert len(bodies) == 1


@pytest.mark.clause("DAN-VOTE-07")
def test_the_final_tally_is_in_no_post_and_no_gm_template_can_reach_it(tmp_path: Path) -> None:
    final = public("tally", secret=("final",), **COUNT)
    assert "Zoe" not in tally_post(COUNT, "trial 1", context()).body
    assert "Zoe" not in phase_post([final, *TRIAL], "trial 1", context()).body
    (tmp_path / "tally.j2").write_text("{{ final }}")
    (tmp_path / "phase.j2").write_text("{{ events[0].data }}")
    assert "'final' is undefined" in str(tally_post(COUNT, "trial 1", context(templates=tmp_path)).error)
    shown = phase_post([final, *TRIAL], "trial 1", context(templates=tmp_path))
    assert shown.error is None
    assert "99" not in shown.body


@pytest.mark.clause("DAN-VOTE-19")
def test_the_tally_has_voters_in_order_with_links_and_who_has_not_voted() -> None:
    body = tally_post(COUNT, "trial 1", context()).body
    assert "Ann – 2 – [url=https://forum.example/p/7]{{7*7}}[/url] and [\u2060b]Bo[\u2060/b]" in body
    assert "Not voting (2 players): <\u2060script>alert(1)<\u2060/script> and Eve Adam" in body
    assert "Votes count until Monday 2 March 2026, 21:00 Europe/Helsinki (19:00 UTC)." in body
    assert stretches(body) == []


@pytest.mark.clause("DAN-FMT-15")
@pytest.mark.parametrize(
    ("ability", "words"),
    [
        ({"id": "object", "does": "cancel_vote"}, "Cancels X’s vote; X is told."),
        ({"id": "mute", "kind": "passive", "does": "cancel_vote", "phases": ["trial"]}, "Cancels your vote; you are told."),
        ({"id": "sway", "does": "redirect_vote"}, "Redirects X’s vote: it counts against Y. In a trial. X may not be you. Once per phase."),
        ({"id": "a", "does": "murder", "uses": 2, "unblockable": True, "no_revival": True, "per_phase": 3},
         "Murders X. In a daily life. X must be in your own hangout group. X may not be you. Up to 3 times per phase. "
         "2 uses in the game. It cannot be blocked. Whoever dies of it cannot be revived."),
        ({"id": "a", "does": "protect", "targets": 0, "uses": 1, "phases": ["trial", "deadly_life"]},
         "Protects you: blocks every murder aimed at you in the phase. In a trial or a deadly life. It can only be used on yourself."),
        ({"id": "a", "does": "trace", "of": "target", "learns": ["actors", "talent"], "affects": ["talent", "investigation"], "restricted": False},
         "Traces talent actions and investigations (disruptions included) aimed at X in the phase and tells you who did them and a talent "
         "of whoever did them. In a daily life. It reaches every hangout group."),
        ({"id": "a", "does": "revive"}, "Brings X back to life. In a daily life. X must be dead."),
        ({"id": "a", "kind": "passive", "grants": ["unblockable"]}, "(works by itself): All your actions are unblockable. In every phase."),
        ({"id": "a", "kind": "passive", "does": "redirect", "trigger": "targeted"}, "aimed at you: back on whoever acted."),
        ({"id": "a", "does": "block", "text": "Off goes the [b]light[/b]."}, "a: Off goes the [b]light[/b]."),
    ],
)  # fmt: skip
def test_an_ability_in_words_from_its_declaration(ability: dict[str, Any], words: str) -> None:
    talents = declare([{"id": "mine", "colour": "white", "abilities": [ability]}], ())
    role = private("notice", "Ann", topic="talent", team="white", talents=["mine"], blackened=False)
    assert words in plain(message([role], **knowing(talents)).body)


def test_every_starter_talent_has_words_of_its_own() -> None:
    for talent in starter_talents().values():
        role = private("notice", "Ann", topic="talent", team=talent.colour, talents=[talent.id], blackened=talent.blackened)
        body = message([role]).body
        assert talent.name in body
        assert all(f"[code]{ability.id}" in body for ability in talent.abilities if not ability.passive)


@pytest.mark.clause("DAN-CHAT-01", "DAN-CHAT-02")
def test_the_role_message_names_the_private_chats() -> None:
    body = plain(message(ROLE).body)
    assert "This is your private chat with Monokuma: here you get your talents, take notes and send your actions" in body
    assert "wolfchat. Its members: Ann and [b]Bo[/b]" in body
    assert "deadchat. Its members: Ann" in plain(message(TOLD).body)


RULE_SENTENCES = [
    pytest.param("Every student has a private chat with Monokuma, to get the role, take notes and send actions.", marks=pytest.mark.clause("DAN-CHAT-02")),
    pytest.param("The Black team shares a private wolfchat.", marks=pytest.mark.clause("DAN-CHAT-01")),
    pytest.param("No other private communication about the game is allowed.", marks=pytest.mark.clause("DAN-CHAT-03")),
    pytest.param("You need not cross out your previous vote, hangout plan or investigation, but it is encouraged.", marks=pytest.mark.clause("DAN-POST-16")),
    pytest.param("Nothing stops you from breaking one. It is not advisable", marks=pytest.mark.clause("DAN-REG-06")),
]  # fmt: skip


@pytest.mark.parametrize("sentence", RULE_SENTENCES)
@pytest.mark.parametrize("dialect", ["phpbb", "html"])
def test_the_rules_post_says_it(sentence: str, dialect: str) -> None:
    assert sentence in rules_post(RULES, OPTIONS, dialect)


@pytest.mark.parametrize(
    "option", [name for name, option in RULES.options.items() if option.others and name != "talent_trace_scope"]
)
def test_every_option_with_a_choice_changes_the_rules_post(option: str) -> None:
    texts = {
        rules_post(RULES, {**OPTIONS, option: value}, "phpbb")
        for value in (OPTIONS[option], *(RULES.options[option].others or ()))
    }
    assert len(texts) == 1 + len(RULES.options[option].others or ())


@pytest.mark.clause("DAN-REG-06")
def test_the_regulations_in_force_are_listed_as_a_daily_life_opens() -> None:
    body = plain(phase_post(TRIAL, "trial 1", context()).body)
    assert "1. Interfering with Monokuma is forbidden. 2. Attempting to escape is forbidden. 3. No *running*. (new)" in body


hostile = st.one_of(
    st.text(max_size=40), st.sampled_from(HOSTILE), st.lists(st.sampled_from([*HOSTILE, "[b]", "[/b]", "=", "]", "x"]), max_size=5).map("".join)
)  # fmt: skip


@given(hostile, st.sampled_from(BBCODE))
@settings(max_examples=90, deadline=None)
def test_no_name_is_ever_markup_in_bbcode(name: str, dialect: Dialect) -> None:
    text = dialect.escape(name)
    assert [run[3:] for run in runs(text)] in ([], [runs("x")[0][3:]])
    assert "".join(run.text for run in runs(text)).replace(dialect.joiner, "") == clean(name).replace(dialect.joiner, "")
    assert BeautifulSoup(f"<p>{as_html(text)}</p>", "html.parser").find_all(True)[1:] == []
    for made, tag in (
        (dialect.bold(name), "b"),
        (dialect.link(name, "https://a.example/1"), "a"),
        (dialect.quote(name), "blockquote"),
    ):
        assert [one.name for one in BeautifulSoup(as_html(made), "html.parser").find_all(True)] == [tag]


@pytest.mark.parametrize("forum", ["phpbb", "smf", "mybb"])
def test_a_name_that_runs_from_right_to_left_leaves_its_line_in_order(forum: str) -> None:
    assert dialect_of(forum).name("مریم") == "\u2068مریم\u2069"  # else “مریم – 1” shows as “1 – مریم”
    assert dialect_of(forum).name("Ann 1") == "Ann 1"
    assert dialect_of("plain").name("مریم") == "مریم"


@given(st.lists(hostile, min_size=3, max_size=3, unique=True))
@settings(max_examples=40, deadline=None)
def test_no_name_is_a_declaration_in_a_post(names: list[str]) -> None:
    count = {"published": {names[0]: 1}, "votes": {names[0]: [names[1]]}, "not_voting": [names[2]]}
    for dialect in ("phpbb", "smf"):
        made = [
            tally_post(count, "trial 1", context(dialect)),
            phase_post([death(name, "murder") for name in names], "daily life 1", context(dialect, living=tuple(names))),
        ]
        assert [post.error for post in made] == [None, None]
        assert [stretches(post.body) for post in made] == [[], []]


@given(hostile)
@settings(max_examples=90, deadline=None)
def test_no_name_is_ever_markup_in_markdown_or_html(name: str) -> None:
    shown = clean(name).strip()
    page = BeautifulSoup(DIALECTS["html"].bold(name), "html.parser")
    assert [tag.name for tag in page.find_all(True)] == ["b"]
    reader = MarkdownIt("gfm-like", {"linkify": False})
    tokens = reader.parse(f"Dead: {DIALECTS['markdown'].escape(shown)} x")
    inline = [token for token in tokens if token.type == "inline"]
    assert len(inline) == 1
    assert {child.type for child in inline[0].children or []} == {"text"}
    assert "".join(child.content for child in inline[0].children or []) == " ".join(f"Dead: {shown} x".split(" "))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a.example/[/url]", "https://a.example/\"><b>", "data:x", "//a", "http://[x", None])  # fmt: skip
def test_an_address_cannot_end_its_tag(url: str | None) -> None:
    for dialect in DIALECTS.values():
        made = dialect.link("x", url)
        assert "[/url]x" not in made
        assert not re.search(r"javascript:|data:|<b>|\]\[/url\]\[", made)


def test_red_green_and_blue_are_left_to_the_players() -> None:
    for colour in ("red", "#00ff00", "rgb(0,0,255)"):
        with pytest.raises(ValueError, match="left to the players"):
            DIALECTS["phpbb"].colour("x", colour)
    assert DIALECTS["phpbb"].colour("[b]", "purple") == "[color=purple][\u2060b][/color]"


def test_markup_that_is_worked_on_is_plain_text_again() -> None:
    assert not isinstance(Safe("[b]x[/b]") + "", Safe)
    assert not isinstance(Safe("[b]x[/b]").upper(), Safe)


@pytest.mark.parametrize(
    ("template", "place", "what"),
    [
        ("one\n{% if %}", "tally.j2:2", "Expected an expression"),
        ("one\n\n{{ nobody }}", "tally.j2:3", "'nobody' is undefined"),
        ("{{ ''.__class__.__mro__ }}", "tally.j2:1", "unsafe"),
        ("{% for a in range(999) %}\n{% for b in range(999) %}{% set c = 1 %}\n{% endfor %}{% endfor %}", "tally.j2", "round in circles"),
        ("{{ 'x' * 1000000000 }}", "tally.j2:1", "small whole numbers"),
        ("{{ 2 ** 99999 }}", "tally.j2:1", "small whole numbers"),
        ("{% include 'tally.j2' %}", "tally.j2:1", "recursion"),
        ("{{ colour('x', 'red') }}", "tally.j2:1", "left to the players"),
        ("{% include '../secret.txt' %}", "tally.j2:1", "secret.txt"),
    ],
)  # fmt: skip
def test_a_gm_template_that_fails_leaves_the_built_in_text(tmp_path: Path, template: str, place: str, what: str) -> None:
    (tmp_path / "tally.j2").write_text(template)
    made = tally_post(COUNT, "trial 1", context(templates=tmp_path))
    assert made.body == tally_post(COUNT, "trial 1", context()).body
    assert place in str(made.error)
    assert what in str(made.error)


def test_a_gm_template_says_it_and_may_build_on_ours(tmp_path: Path) -> None:
    (tmp_path / "tally.j2").write_text("Hear, {{ not_voting[0] }}!\n{% include 'built-in/tally.j2' %}")
    (tmp_path / "notice.j2").write_text("[b]Psst.[/b]")
    made = tally_post(COUNT, "trial 1", context(templates=tmp_path))
    assert made.error is None
    assert made.body == "Hear, <\u2060script>alert(1)<\u2060/script>!\n" + tally_post(COUNT, "trial 1", context()).body
    assert "[b]Psst.[/b]" in message(TOLD, templates=tmp_path).body


def test_a_thread_page_is_read_as_text_and_runs_nothing() -> None:
    bad = "[url=javascript:alert(1)]x[/url][b]<script>alert(1)</script>[quote]open [color=red;x]y[/color] [*]z [code][b]q[/code]"
    page = thread_page([("<i>Eve</i>", "<now>", bad)], "<title>")
    soup = BeautifulSoup(page, "lxml")
    assert soup.find("script") is None
    assert [tag.name for tag in soup.select(".body *")] == ["b", "blockquote", "code"]
    assert soup.find("a") is None
    assert soup.title is not None
    assert soup.title.get_text() == "<title>"
    assert as_html("[list][*]a[*]b[/list] [b]c") == "<ul><li>a</li><li>b</li></ul> <b>c</b>"


def test_every_template_helper_and_value_is_documented() -> None:
    root = Path(__file__).parent.parent
    text = (root / "docs" / "templates.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z_]+\.j2)`", text))
    assert named == {file.name for file in (root / "templates").rglob("*.j2")}
    # Values and helpers as the templates use them: what one may use, one can look up.
    helpers = {
        name for file in (root / "templates").rglob("*.j2") for name in re.findall(r"\b([a-z_]+)\(", file.read_text("utf-8"))
    }
    own = {found for file in (root / "templates").rglob("*.j2") for found in re.findall(r"{% macro (\w+)\(", file.read_text("utf-8"))}
    assert helpers - own - {"append", "get", "items", "join", "map", "selectattr", "startswith", "update"} <= set(re.findall(r"`([a-z_]+)\(", text))
    values = set(Context.__dataclass_fields__) - {"dialect", "templates", "facts", "words", "languages"}
    assert {value for value in values if f"`{value}`" not in text} == set()


def test_mistakes_in_a_gms_templates_are_named_before_the_game(tmp_path: Path) -> None:
    from publisher.proofreading import template_mistakes

    (tmp_path / "tallly.j2").write_text("hello", encoding="utf-8")
    (tmp_path / "opening.j2").write_text("one\n{% for name in players %}\n", encoding="utf-8")
    (tmp_path / "tally.j2").write_text("{{ label }}", encoding="utf-8")
    found = template_mistakes("danganronpa", "phpbb", tmp_path)
    assert [line.split(" ")[0] for line in found] == ["templates/opening.j2:2:", "templates/tallly.j2:"]
    assert "did you mean `tally.j2`" in found[1]
    assert template_mistakes("danganronpa", "phpbb", tmp_path / "none") == []
