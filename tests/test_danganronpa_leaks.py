"""Random Danganronpa games put into posts: nothing that the thread or a player reads tells what only others may know."""

from __future__ import annotations

import random
import re

import pytest

from engine.play import Outcome
from engine.state import State
from publisher.render import opening_post, phase_post, player_message, reminder_post, tally_post
from rulesets.danganronpa.talents import starter_talents
from tests.games import RULES, random_game
from tests.test_ruleset_posts import contexts

Games = list[list[tuple[State, Outcome]]]
TALENTS = {talent.id: talent.id.replace("_", " ").title() for talent in starter_talents().values()}


@pytest.fixture(scope="module")
def games() -> Games:
    return [list(random_game(random.Random(seed))) for seed in range(25)]


def test_the_thread_is_told_what_public_events_hold_and_no_more(games: Games) -> None:
    told = 0
    for game in games:
        for _, outcome in game:
            known, label = contexts(RULES, outcome), str(outcome.label)
            public = tuple(shown for event in outcome.events if (shown := event.for_public()) is not None)
            post = phase_post(outcome.events, label, known)
            assert post.error is None
            assert post.body == phase_post(public, label, known).body
            for event in outcome.events:
                if event.kind == "tally":
                    seen = event.for_public()
                    assert seen is not None
                    assert tally_post(event.data, label, known).body == tally_post(seen.data, label, known).body
            told += 1
    assert told > 60


def test_no_post_names_a_talent_that_is_not_revealed(games: Games) -> None:
    named = 0
    for game in games:
        shown: set[str] = set()
        for _, outcome in game:
            known, label = contexts(RULES, outcome), str(outcome.label)
            for event in outcome.events:
                if event.visibility == "public":
                    shown |= {TALENTS[one] for one in event.get("talents", ()) or ()}
            if outcome.following is None:
                break  # the game is over: who was who is told
            for body in (
                phase_post(outcome.events, label, known).body, opening_post(known).body, reminder_post(label, known).body,
                *(tally_post(event.data, label, known).body for event in outcome.events if event.kind == "tally"),
            ):  # fmt: skip
                found = {talent for talent in TALENTS.values() if re.search(rf"\b{talent}\b", body)}
                assert found <= shown, body
                named += len(found)
    assert named > 10


def test_a_players_message_is_the_same_whatever_else_happened(games: Games) -> None:
    told = 0
    for game in games[:15]:
        for _, outcome in game:
            known = contexts(RULES, outcome)
            for name in known.players:
                own = [event for event in outcome.events if event.for_player(name) is not None]
                whole, alone = player_message(name, outcome.events, known), player_message(name, own, known)
                assert (whole and whole.body) == (alone and alone.body)
                told += whole is not None
    assert told > 60
