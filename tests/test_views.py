"""What the desk shows: tally with links, history, chart, log and why."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from desk.records import opened, sources_of
from desk.stories import log_facts, story_lines, why_facts
from desk.tallies import chart, history, history_facts, history_lines, tally_facts, tally_lines
from engine.choices import Choices
from engine.inputs import PhaseInputs, PostInput
from engine.play import play, so_far
from engine.ruleset import load
from scraper.model import BadInput, Post
from store.record import Record

RULES = load("danganronpa")
JERRY = "Tom & <Jerry>"
CAST = {"Ann": "ultimate_nurse", JERRY: "ultimate_lawyer", "Cy": {"role": "ultimate_surgeon", "black": "black_slasher"}}
GAME = RULES.game(CAST)
START = datetime(2026, 12, 1, 20, tzinfo=UTC)


def vote(number: int, by: str, target: str) -> PostInput:
    text = f"[b][color=red]{target}[/color][/b]"
    return PostInput(f"p{number}", by, text, START + timedelta(hours=number), link=f"https://forum.example/p{number}")


POSTS = (vote(1, "Ann", "Cy"), replace(vote(2, "Cy", "x"), text="hello"), vote(3, "Cy", "Ann"), vote(4, "Ann", "unvote"))


def test_each_counted_vote_has_the_link_of_its_post() -> None:
    tally = so_far(RULES, RULES.begin(GAME), RULES.first_label(GAME), PhaseInputs(POSTS[:3]), Choices()).tally
    assert tally is not None
    facts = tally_facts(tally, POSTS)
    assert facts["not_voting"] == [JERRY]
    (for_cy,) = [row for row in facts["counts"] if row["target"] == "Cy"]
    assert for_cy["votes"] == 1
    assert for_cy["voters"] == [
        {"name": "Ann", "post": "p1", "url": "https://forum.example/p1", "at": "2026-12-01T21:00:00Z"},
    ]  # fmt: skip
    assert "Cy: 1 - Ann (https://forum.example/p1)" in list(tally_lines(facts))


def test_the_history_has_every_change_and_nothing_else() -> None:
    counts = history(RULES, RULES.begin(GAME), RULES.first_label(GAME), PhaseInputs(POSTS), Choices())
    assert [row["post"] for row in history_facts(counts)] == ["p1", "p3", "p4"]
    assert history_facts(counts)[-1]["votes"] == {"Ann": ["Cy"]}


def test_the_history_keeps_a_vote_that_was_not_clear_and_was_replaced() -> None:
    cast = {"Jon Hill": "ultimate_nurse", "Jon Lake": "ultimate_lawyer", "Cy": {"role": "ultimate_surgeon", "black": "black_slasher"}}
    game, posts = RULES.game(cast), (vote(1, "Cy", "Jon"), vote(2, "Cy", "Jon Lake"))
    counts = history(RULES, RULES.begin(game), RULES.first_label(game), PhaseInputs(posts), Choices())
    assert [row["unclear"] for row in history_facts(counts)] == [[{"player": "Cy", "text": "Jon"}], []]
    first, second = history_lines(counts, "Europe/Berlin")
    assert first == '2026-12-01 22:00 Europe/Berlin Cy https://forum.example/p1: no votes; not clear: Cy for "Jon"'
    assert second.endswith("Jon Lake 1 (Cy)")
    assert list(history_lines([], "UTC")) == ["No vote has been cast."]


def test_the_chart_is_a_picture_with_names_as_text() -> None:
    posts = (*POSTS, vote(5, "Ann", JERRY))
    counts = history(RULES, RULES.begin(GAME), RULES.first_label(GAME), PhaseInputs(posts), Choices())
    picture = ElementTree.fromstring(chart(counts, "trial 1 <script>"))
    texts = [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Ann", "Cy", JERRY, "trial 1 <script>"} <= set(texts)
    assert len(list(picture.iter("{http://www.w3.org/2000/svg}path"))) == 3
    ElementTree.fromstring(chart([], "no votes"))


def test_why_leads_from_a_death_to_the_votes_behind_it() -> None:
    events = play(RULES, RULES.begin(GAME), RULES.first_label(GAME), PhaseInputs(POSTS[:1]), Choices()).events
    sources = {post.id: post for post in POSTS}
    kinds = [row["kind"] for row in why_facts(events, "cy", sources)]
    assert "lynch" in kinds
    assert "tally" in kinds
    (number,) = [row["event"] for row in log_facts(events, sources) if row["kind"] == "death"]
    chain = why_facts(events, str(number), sources)
    assert chain[-1]["kind"] == "death"
    assert any(row["kind"] == "tally" for row in chain)
    assert why_facts(events, "nobody here", sources) == []
    assert any("lynch" in line for line in story_lines(chain))


def test_log_and_why_are_told_from_the_record(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nightpost new"):
        opened(tmp_path)
    (tmp_path / "game.toml").touch()
    with pytest.raises(BadInput, match="nightpost start"):
        opened(tmp_path)
    record = Record(tmp_path / "game.db")
    seen = Post("1", 1, "Ann", None, START, None, "https://forum.example/p1", POSTS[0].text, "Cy")
    record.add_posts([seen], START)
    record.open_phase(RULES.first_label(GAME), START, None)
    outcome = play(RULES, RULES.begin(GAME), RULES.first_label(GAME), PhaseInputs(POSTS[:1]), Choices())
    record.close_phase(1, START, outcome.events, {})
    record.close()
    again = opened(tmp_path)
    told = log_facts(again.events(), sources_of(again))
    assert [row["kind"] for row in told] == [event.kind for event in outcome.events]
    assert sources_of(again)["post 1"].text == POSTS[0].text
    again.close()
