"""Rehearsals: reading scenario files, playing them, checking what they expect, and showing what came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from desk.sentences import told
from engine.commands import sort_out
from engine.events import Event
from engine.game import Game, Seat
from engine.inputs import CommandInput, OrderInput, PhaseInputs, PostInput
from rehearsal.expect import matches, nearest_events, same, shown
from rehearsal.loader import read
from rehearsal.report import simulate
from rehearsal.run import Rehearsal, inputs_of, rehearse
from rehearsal.tree import Item, Word, grow
from scraper.model import BadInput

PLAYERS = """\
ruleset: danganronpa
players:
  Ann: ultimate_detective
  Boris: {role: ultimate_nurse, black: black_poisoner}
  Cleo: ultimate_journalist
  Dmitri: ultimate_electrician
  Elena: ultimate_archivist
"""


def written(folder: Path, text: str, head: str = PLAYERS) -> Path:
    file = folder / "scenario.yaml"
    file.write_text(head + dedent(text), encoding="utf-8")
    return file


def played(folder: Path, text: str, head: str = PLAYERS) -> Rehearsal:
    return rehearse(written(folder, text, head))


def tree(folder: Path, text: str) -> Item:
    return grow(written(folder, text, head=""))


MISTAKES = [
    ("phasess: []", ":8: unknown key `phasess` in the file (did you mean `phases`?)"),
    ("phases: [{phase: trial 1, vote: {}}]", "unknown key `vote` in item 1 of `phases` (did you mean `votes`?)"),
    ("phases:\n  - phase: trial 1\n    expect: {death: []}", ":10: unknown key `death` in `expect` (did you mean `deaths`?)"),
    ("phases:\n  - posts: [{by: Ann, txt: hello}]", ":9: unknown key `txt` in item 1 of `posts` (did you mean `text`?)"),
    ("phases:\n  - orders: {Ann: {text: shadow Cleo, when: now}}", "unknown key `when`"),
    ("phases: [{}]\nphases: [{}]", ":9: `phases` stands twice in the file, first in line 8"),
    ("covers: [DAN-VOTE-99]\nphases: []", ":8: unknown clause `DAN-VOTE-99` (did you mean `DAN-VOTE-"),
    ("options: {sulker: group}\nphases: []", ":8: unknown option `sulker` (did you mean `sulkers`?)"),
    ("setup: {deads: [Ann]}\nphases: []", ":8: unknown setup key `deads` (did you mean `dead`?)"),
    ("setup:\n  dead:\n    - Anne\nphases: []", ":10: unknown player `Anne`"),
    ("seed: many\nphases: []", ":8: `seed` must be a whole number, not `many`"),
    ("phases:\n  - votes: {Anne: Boris}", ":9: unknown player `Anne` (did you mean `Ann`?)"),
    ("phases:\n  - orders:\n      Borys: poison Ann", ":10: unknown player `Borys` (did you mean `Boris`?)"),
    ("phases:\n  - expect: {deaths: [Elen]}", ":9: unknown player `Elen` (did you mean `Elena`?)"),
    ("phases:\n  - expect: {conditions: {Ann: alife}}", ":9: unknown condition `alife` (did you mean `alive`?)"),
    ("phases:\n  - expect: {one_of: [{lynched: An}]}", "unknown player `An`"),
    ("phases:\n  - expect: {absent: [{kind: anounce}]}", ":9: unknown kind `anounce` (did you mean `announce`?)"),
    ("phases:\n  - expect: {notices: [{to: Clea}]}", ":9: unknown player `Clea` (did you mean `Cleo`?)"),
    ("phases:\n  - expect: {winner: [whyte]}", ":9: unknown side or player `whyte` (did you mean `white`?)"),
    ("phases:\n  - expect: {tally: {Ann: two}}", ":9: the votes for Ann must be a number"),
    ("phases:\n  - ends: tomorrow", ":9: `ends` must be a time such as 2026-03-01T20:00:00Z, not `tomorrow`"),
    (
        "phases:\n  - phase: trial 1\n  - phase: trial 2",
        ":10: `trial 2` does not come next: the phase that comes here is `daily life 1`",
    ),
    ("phases:\n  - pins: {'place:Anne': gym}", ":9: unknown draw `place:Anne` (did you mean `place:Ann`?)"),
    ("phases:\n  - {}\n  - gm: [end game white]\n  - {}", ":11: the game was over after daily life 1; no phase follows it"),
    ("phases:\n  - posts: [{by: Ann, text: [b]}]", ":9: `text` must be a text"),
    ("phases:\n  - posts: [{by: Ann, text: [b}]", ":9: is not YAML here"),
    ("start: daily lives 1\nphases: [{}]", ":8: "),
    ("title: nothing to play", "needs either `phases`, or `refused`"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[message[:40] for _, message in MISTAKES])
def test_mistake_is_named_with_its_line_and_the_nearest_right_spelling(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        played(tmp_path, text)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "scenario.yaml"))


def test_unknown_ruleset_and_role_are_mistakes_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r":1: unknown ruleset `danganropa` \(did you mean `danganronpa`"):
        played(tmp_path, "phases: []", PLAYERS.replace("danganronpa", "danganropa"))
    with pytest.raises(BadInput, match=r":3: .*`ultimate_detectiv`.*did you mean `ultimate_detective`"):
        played(tmp_path, "phases: []", PLAYERS.replace("ultimate_detective", "ultimate_detectiv"))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"a: &a [*a, *a]\n", b"- !!python/object:os.system {}\n" + b"[" * 50_000])
def test_file_that_is_no_scenario_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_bytes(content)
    with pytest.raises(BadInput):
        read(file)


def test_aliases_cannot_make_a_few_lines_endless(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(BadInput, match="holds too much"):
        tree(tmp_path, "\n".join(lines))


def test_draw_cannot_yield_the_pinned_value(tmp_path: Path) -> None:
    text = """
    options: {no_previous_hangout: random}
    phases:
      - phase: trial 1
        pins:
          place:Ann: attic
    """
    with pytest.raises(BadInput, match=r":13: the draw `place:Ann` cannot yield 'attic'; it is among: cafeteria, lounge, gym"):
        played(tmp_path, text)


def test_names_that_yaml_takes_for_something_else_stay_names(tmp_path: Path) -> None:
    head = "ruleset: danganronpa\nplayers:\n" + "".join(
        f"  {name}: {{role: {role}, aliases: [Yes{number}, 0x1{number}]}}\n"
        for number, (name, role) in enumerate(
            {
                "No": "ultimate_detective", "On": "ultimate_nurse", "Null": "ultimate_surgeon", "1": "ultimate_lawyer",
                "2e3": "ultimate_pollster", "2020-01-01": "ultimate_diplomat",
            }.items()
        )
    )  # fmt: skip
    text = """
    setup: {dead: [1]}
    phases:
      - phase: trial 1
        votes: {No: On, Null: On, 2e3: No, 2020-01-01: No, On: [Null, No]}
        gm: [pick No]
        expect:
          tally: {No: 3, On: 2}
          lynched: No
          deaths: [No]
          causes: {No: lynch}
          announces: [{topic: reveal, player: No}]
          conditions: {1: dead, On: alive}
    """
    rehearsal = played(tmp_path, text, head)
    assert rehearsal.failures == ()
    assert rehearsal.phases[0].state.game.names == ("No", "On", "Null", "1", "2e3", "2020-01-01")


def test_phase_inputs_are_as_the_file_has_them(tmp_path: Path) -> None:
    text = """
    phases:
      - phase: trial 1
        ends: 2026-03-01T20:00:00+01:00
        posts:
          - {by: Visitor, text: hello, at: 2026-03-01 18:00:00, edited: {at: 2026-03-01T18:30:00Z, text: bye}}
          - {by: Ann, text: hello, deleted: 2026-03-01T19:00:00Z}
          - {by: Ann, text: hello, deleted: 2026-03-01T19:00:01Z}
        votes: {Ann: [Boris, unvote]}
        orders: {Ann: [shadow Cleo, {text: shadow Boris, at: 2026-03-01T17:00:00Z}]}
        gm: [modkill Ann, order Ann: shadow Cleo]
    """
    scenario = read(written(tmp_path, text))
    inputs = inputs_of(scenario, scenario.phases[0])
    assert [post.by for post in inputs.posts] == ["Visitor", "Ann", "Ann", "Ann", "Ann"]
    assert str(inputs.posts[0].at) == "2026-03-01 18:00:00+00:00"
    assert inputs.posts[0].edits[0].text == "bye"
    assert [post.deleted for post in inputs.posts] == [False, True, False, False, False]
    assert inputs.posts[4].text == "[b][color=red]unvote[/color][/b]"
    assert inputs.posts[0].link == f"{scenario.file}:13"
    assert [(order.text, order.at is None) for order in inputs.orders] == [("shadow Cleo", True), ("shadow Boris", False)]
    assert [command.text for command in inputs.commands] == ["modkill Ann", "order Ann: shadow Cleo"]
    assert str(inputs.ends) == "2026-03-01 19:00:00+00:00"
    ids = [*(post.id for post in inputs.posts), *(order.id for order in inputs.orders), *(one.id for one in inputs.commands)]
    assert len(set(ids)) == len(ids)


def test_refused_set_up_passes_only_with_its_text(tmp_path: Path) -> None:
    head = PLAYERS.replace("ultimate_journalist", "ultimate_detective")
    assert played(tmp_path, "refused: ultimate_detective", head).failures == ()
    assert played(tmp_path, "refused: ultimate_detective", head).phases == ()
    (other,) = played(tmp_path, "refused: too many players", head).failures
    assert "was refused with: " in str(other)
    assert "(line 8)" in str(other)
    (none,) = played(tmp_path, "refused: ultimate_detective").failures
    assert "was not refused" in str(none)


WRONG = {
    "deaths: [Ann]": "expected deaths [Ann], but deaths came out as [Cleo]",
    "deaths: []": "expected deaths [], but",
    "causes: {Cleo: murder}": "expected Cleo to die of murder, but Cleo died of poison",
    "causes: {Ann: [poison, punish]}": "but Ann did not die",
    "conditions: {Cleo: [dead, blackened]}": "expected Cleo to be `blackened`, but Cleo is dead, sulking",
    "not_conditions: {Cleo: [blackened, dead]}": "expected Cleo not to be `dead`",
    "lynched: Ann": "expected lynched [Ann], but lynched came out as null",
    "tally: {Ann: 1}": "expected tally {Ann: 1}, but tally came out as {}",
    "final_tally: {Ann: 1}": "expected final_tally",
    "results: [{to: Ann, value: success}]": "expected result {to: Ann, value: success}; nearest: {kind: result, to: Ann",
    "notices: [{to: Dmitri}]": "expected notice {to: Dmitri}; no such event came",
    "announces: [{topic: next_phase, label: trial 2}]": "nearest: {kind: announce, topic: next_phase, label: deadly life 1}",
    "asks: [{question: tie}]": "expected ask {question: tie}; no such event came",
    "results: [{too: Ann, value: odd}]": "no such event came; did you mean `to` instead of `too`?",
    "asks: [{question: tei}]": "did you mean `tie` instead of `tei`?",
    "events: [{kind: death, player: Ann}]": "expected an event {kind: death, player: Ann}; nearest: {kind: death, player: Cleo",
    "absent: [{kind: death}]": "expected no event {kind: death}, but there is {kind: death, player: Cleo",
    "one_of: [{deaths: [Ann]}, {deaths: []}]": "expected one of several, but none holds: expected deaths [Ann]",
    "winner: white": "expected winner [white], but winner came out as null",
}
RIGHT = [
    "deaths: [Cleo]", "causes: {Cleo: poison}", "causes: {Cleo: [poison]}", "conditions: {Cleo: dead, Ann: [alive, sulking]}",
    "not_conditions: {Cleo: alive, Ann: [dead, blackened]}", "lynched: null", "lynched: []", "tally: {}", "final_tally: {}",
    "results: [{to: Ann, action: shadow, value: invalid, reason: not_in_group}]", "announces: [{topic: next_phase}]",
    "events: [{kind: death, player: Cleo, cause: poison}, {kind: announce, topic: next_phase}]", "absent: [{kind: lynch}]",
    "one_of: [{deaths: [Ann]}, {deaths: [Cleo], winner: null}]", "winner: null", "asks: []",
]  # fmt: skip
PHASE = """
start: daily life 1
phases:
  - phase: daily life 1
    orders: {{Ann: shadow Cleo, Boris: poison Cleo}}
    expect:
      {}
"""


@pytest.mark.parametrize(("expect", "message"), WRONG.items())
def test_expectation_that_does_not_hold_fails_and_says_what_came(tmp_path: Path, expect: str, message: str) -> None:
    failures = played(tmp_path, PHASE.format(expect)).failures
    assert len(failures) == 1
    assert str(failures[0]).startswith("phase daily life 1: ")
    assert message in str(failures[0])
    assert failures[0].line == 14


@pytest.mark.parametrize("expect", RIGHT)
def test_expectation_that_holds_passes(tmp_path: Path, expect: str) -> None:
    assert played(tmp_path, PHASE.format(expect)).failures == ()


def test_winner_is_compared_as_a_set(tmp_path: Path) -> None:
    text = "phases:\n  - gm: [end game {}]\n    expect: {{winner: {}}}\n"
    assert played(tmp_path, text.format("white", "white")).failures == ()
    assert played(tmp_path, text.format("white", "[white]")).failures == ()
    for wanted in ("black", "[white, Ann]", "null", "[]"):
        assert len(played(tmp_path, text.format("white", wanted)).failures) == 1


def event(kind: str = "result", **data: Any) -> Event:
    return Event(kind, "trial 1", "private", (), data)


VALUES: list[tuple[str, Any, bool]] = [
    ("true", True, True), ("true", "true", True), ("false", "true", False), ("false", False, True), ("yes", "true", True),
    ("3", 3, True), ("3", "3", True), ("3", 4, False), ("3", True, False), ("1", True, False), ("0", False, False),
    ("gym", "gym", True), ("gym", "Gym", False), ("null", None, True), ("null", "null", True), ("gym", None, False),
    ("[A, B]", ["B", "A"], True), ("[A, B]", ["A"], False), ("[A]", ["A", "B"], False), ("[A]", "A", False), ("A", ["A"], False),
    ("[]", [], True), ("{x: 1, y: [b, a]}", {"y": ["a", "b"], "x": 1}, True), ("{x: 1}", {"x": 1, "y": 2}, False),
    ("{x: 1}", {"x": 2}, False), ("No", "No", True), ("No", False, True), ("'3'", "3", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "came", "equal"), VALUES)
def test_values_of_the_file_and_of_events_compare(tmp_path: Path, text: str, came: Any, equal: bool) -> None:
    assert same(tree(tmp_path, text).value(), came) is equal


def test_pattern_needs_each_of_its_keys_and_the_kind_asked_for() -> None:
    pattern: Mapping[str, Any] = {"to": Word("Ann", "Ann"), "value": Word("gym", "gym")}
    assert matches(pattern, event(to="Ann", value="gym", more=1), "result")
    assert not matches(pattern, event(to="Ann", value="gym"), "notice")
    assert not matches(pattern, event(to="Ann"))
    near = nearest_events(pattern, [event(to="Boris", value="gym"), event(to="Ann", value="gym"), event(to="Cleo")], "result")
    assert [one["to"] for one in near] == ["Ann", "Boris"]


def test_value_is_shown_as_a_file_would_have_it() -> None:
    assert shown({"a": [True, None, 3], "b": {}, "c": "x"}) == "{a: [true, null, 3], b: {}, c: x}"


GAME = Game("danganronpa", (Seat("Ann", aliases=("Annie",)), Seat("Bo for Short"), Seat("Cleo", aliases=("Annie B",))), {})


def commanded(*texts: str, inputs: PhaseInputs | None = None) -> tuple[PhaseInputs, list[str]]:
    given = inputs or PhaseInputs()
    commands = tuple(CommandInput(f"gm {number}", text) for number, text in enumerate(texts))
    return sort_out(GAME, PhaseInputs(given.posts, given.orders, commands, given.ends), lambda target: f"<{target}>")


def test_common_commands_become_posts_orders_and_picks() -> None:
    inputs, picks = commanded(
        "vote ANN for Cleo", "unvote annie", "Order cleo:  look at Ann: now ", "pick Cleo", "PICK  two words", "punish Ann",
        "vote Zoe for Ann", "order Zoe: wait", "vote Bo for Short for Ann",
    )  # fmt: skip
    assert [(post.by, post.text) for post in inputs.posts] == [
        ("Ann", "<Cleo>"), ("Ann", "<unvote>"), ("Bo for Short", "<Ann>"),
    ]  # fmt: skip
    assert [(order.by, order.text) for order in inputs.orders] == [("Cleo", "look at Ann: now")]
    assert picks == ["Cleo", "two words"]
    assert [command.text for command in inputs.commands] == ["punish Ann", "vote Zoe for Ann", "order Zoe: wait"]


def test_vote_by_hand_comes_after_all_others() -> None:
    posts = (PostInput("1", "Ann", "late"), PostInput("2", "Cleo", "late"))
    inputs, _ = commanded("vote Ann for Cleo", inputs=PhaseInputs(posts, (OrderInput("3", "Ann", "x"),)))
    assert [post.text for post in inputs.posts_in_order(GAME.names)] == ["late", "late", "<Cleo>"]


def test_votes_and_orders_by_hand_in_a_scenario(tmp_path: Path) -> None:
    text = """
    phases:
      - phase: trial 1
        votes: {Ann: Boris, Cleo: Boris}
        gm: [vote ann for Elena, unvote Cleo, vote Zoe for Ann, "order Boris: poison Ann"]
        expect:
          tally: {Elena: 1}
          notices: [{to: gm, topic: refused, text: vote Zoe for Ann}]
          results: [{to: Boris, action: poison, value: invalid, reason: wrong_phase}]
    """
    assert played(tmp_path, text).failures == ()


def shown_by(paths: list[Path], *, as_json: bool = False) -> tuple[int, list[str], list[str]]:
    out: list[str] = []
    err: list[str] = []
    return simulate(paths, as_json=as_json, out=out.append, err=err.append, told=told), out, err


def test_json_has_one_object_for_each_file(tmp_path: Path) -> None:
    for name, text in {
        "a-good": "phases:\n  - phase: trial 1\n    orders: {Ann: dance}\n",
        "b-failing": "phases:\n  - expect: {deaths: [Ann]}\n",
        "c-wrong": "phases:\n  - expct: {}\n",
    }.items():
        (tmp_path / f"{name}.yaml").write_text(PLAYERS + text, encoding="utf-8")
    status, out, err = shown_by([tmp_path], as_json=True)
    good, failing, wrong = map(json.loads, out)
    assert status == 2
    assert list(good) == ["file", "ruleset", "passed", "failures", "phases"]
    assert good["file"] == str(tmp_path / "a-good.yaml")
    assert (good["ruleset"], good["passed"], good["failures"]) == ("danganronpa", True, [])
    (phase,) = good["phases"]
    assert list(phase) == ["phase", "events", "conditions", "winner"]
    assert phase["conditions"]["Boris"] == ["alive", "blackened", "sulking"]
    assert all({"kind", "phase", "visibility", "why"} <= set(one) for one in phase["events"])
    assert failing["passed"] is False
    assert failing["failures"][0].startswith("phase trial 1: expected deaths [Ann]")
    assert list(wrong) == ["file", "error"]
    assert wrong["error"].endswith("c-wrong.yaml:9: unknown key `expct` in item 1 of `phases` (did you mean `expect`?)")
    assert any("a-good.yaml:10: warning: phase trial 1: could not be read: Ann: 'dance'" in line for line in err)


def test_exit_status_is_the_worst_of_all_files(tmp_path: Path) -> None:
    assert shown_by([written(tmp_path, "phases: [{}]")])[0] == 0
    assert shown_by([written(tmp_path, "phases: [{expect: {deaths: [Ann]}}]")])[0] == 1
    assert shown_by([tmp_path / "nowhere.yaml"], as_json=True)[0] == 2
    empty = tmp_path / "empty"
    empty.mkdir()
    status, out, err = shown_by([empty])
    assert (status, out) == (2, [])
    assert err == [f"{empty}: there is no scenario file (*.yaml) in this folder"]


def test_view_for_people_shows_phases_failures_and_no_terminal_escapes(tmp_path: Path) -> None:
    text = """
    title: "A \\e[31mred\\e[0m title"
    phases:
      - phase: trial 1
        votes: {Ann: Boris}
        orders: {Cleo: "\\e]0;owned\\a"}
        expect: {deaths: []}
    """
    status, out, err = shown_by([written(tmp_path, text)])
    assert status == 1
    shown_text = "\n".join(out)
    assert "  trial 1" in out
    assert "[everyone] Boris is executed (votes)." in shown_text
    assert "FAILED phase trial 1: expected deaths [], but deaths came out as [Boris] (line 14)" in shown_text
    assert "The game is over. Winner: white" in shown_text
    assert not any("\x1b" in line or "\x07" in line for line in (*out, *err))


def test_pinned_draw_that_was_not_made_is_pointed_out(tmp_path: Path) -> None:
    rehearsal = played(tmp_path, "phases: [{pins: {'place:Ann': gym}}]")
    assert rehearsal.passed
    assert "the draw `place:Ann` is pinned but was not made" in rehearsal.warnings[0]
