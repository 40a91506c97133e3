"""Random games put into posts: nothing that the thread reads tells what only the GM or one player may know (PER-REPORT-23)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from engine.events import Event
from engine.play import Outcome
from publisher.render import Context, opening_post, phase_post, player_message, reminder_post, rules_post, tally_post
from rulesets.persian.cast import roles
from tests.persian_games import RULES, Played, random_game
from tests.test_ruleset_posts import contexts

SEEDS = range(40)
QUIET = {"night_report": True, "night_deaths": "statements"}


@pytest.fixture(scope="module")
def games() -> list[list[Played]]:
    return [list(random_game(random.Random(seed), **QUIET)) for seed in SEEDS]


def nights(games: list[list[Played]]) -> Iterator[Played]:
    """Nights whose deaths stand in the four texts only, and after which the game goes on."""
    for game in games:
        for played in game:
            if played.outcome.label.kind == "night" and not played.town.cut_short and played.outcome.following is not None:
                yield played


def body_of(outcome: Outcome, known: Context) -> str:
    post = phase_post(outcome.events, str(outcome.label), known)
    assert post.error is None
    return post.body


def test_the_thread_is_told_what_public_events_hold_and_no_more(games: list[list[Played]]) -> None:
    """With all that is secret taken out, or put in another order, each post reads the same."""
    for game in games:
        for played in game:
            known = contexts(RULES, played.outcome)
            public = tuple(shown for event in played.outcome.events if (shown := event.for_public()) is not None)
            assert body_of(played.outcome, known) == body_of(replace(played.outcome, events=public), known)


@pytest.mark.clause("PER-REPORT-17", "PER-REPORT-23")
def test_outside_of_the_four_texts_a_night_names_nobody_who_died(games: list[list[Played]]) -> None:
    dead_seen = 0
    for played in nights(games):
        events = played.outcome.events
        announced = {
            name for event in events if event.visibility == "public" and event.get("topic") != "night_report"
            for name in (event.get("player"), *event.get("players", ())) if name
        }  # fmt: skip
        rest = tuple(event for event in events if event.get("topic") != "night_report")
        body = body_of(replace(played.outcome, events=rest), contexts(RULES, played.outcome))
        dead = {event["player"] for event in events if event.kind == "death"}
        dead_seen += len(dead)
        for name in dead - announced:
            assert not re.search(rf"(?<!\w){name}(?!\w)", body), (name, body)
        said = {event.get("role") for event in rest if event.visibility == "public"}
        quiet = re.sub(r"\[code\].*?\[/code\]", "", body)
        for role in roles().values():
            if role.id not in said and role.id not in ("doctor", "innocent"):  # words of other roles' names too
                assert role.persian not in quiet, (role.id, body)
    assert dead_seen > 50


@pytest.mark.clause("PER-REPORT-23")
def test_no_post_after_a_night_differs_by_who_died(games: list[list[Played]]) -> None:
    """No list of the living; what the templates may know is the same before and after; so are opening and reminder."""
    for played in nights(games):
        before = Outcome(played.outcome.label, (), played.before, played.outcome.following)
        known, earlier = contexts(RULES, played.outcome), contexts(RULES, before)
        assert known.living is None
        assert known.facts == earlier.facts
        assert known.words == earlier.words
        label = str(played.outcome.label)
        assert opening_post(known).body == opening_post(earlier).body
        assert reminder_post(label, known).body == reminder_post(label, earlier).body


@pytest.mark.clause("PER-REPORT-23", "PER-VOTE-07")
def test_the_tally_of_a_day_goes_on_naming_the_dead_of_the_night(games: list[list[Played]]) -> None:
    checked = 0
    for game in games:
        for night, day in pairwise(game):
            tally = next((event for event in day.outcome.events if event.kind == "tally"), None)
            if night.outcome.label.kind != "night" or night.town.cut_short or tally is None:
                continue
            # It is the count as the day closes, before its own deaths: the dead of the night stand among those not voting.
            fresh = {event["player"] for event in night.outcome.events if event.kind == "death"}
            told = {event.get("player") for event in night.outcome.events if event.visibility == "public" and event.get("topic") == "left_game"}
            body = tally_post(tally.data, str(day.outcome.label), contexts(RULES, day.outcome)).body
            for name in fresh - told:
                if not roles()[day.before.role(name)].semi_minor:
                    assert re.search(rf"(?<!\w){name}(?!\w)", body), (name, body)
                    checked += 1
    assert checked > 20


@pytest.mark.clause("PER-TEXT-07")
def test_a_players_messages_tell_of_nobody_elses_events(games: list[list[Played]]) -> None:
    for game in games[:20]:
        for played in game:
            known = contexts(RULES, played.outcome)
            for player in known.players:
                own = tuple(event for event in played.outcome.events if event.for_player(player) is not None)
                message, alone = (player_message(player, events, known) for events in (played.outcome.events, own))
                assert (message and message.body) == (alone and alone.body)
                if message is None:
                    continue
                named = {
                    name for event in own for field in ("player", "target", "players", "caught")
                    for name in ([event[field]] if isinstance(event.get(field), str) else event.get(field) or ())
                }  # fmt: skip
                for name in set(known.players) - named - {player}:
                    assert not re.search(rf"(?<!\w){name}(?!\w)", message.body), (name, message.body)


def test_a_role_message_is_the_same_in_every_game() -> None:
    """What a role message says of other roles is from the rules: which of them are played it does not tell."""
    seen = set()
    for others in (["tailor", "innocent"], ["devotee", "joker"], ["samurai", "poisoner"]):
        game = RULES.game(dict(zip(("Ali", "Sara", "Omid"), ["lawyer", *others], strict=True)))
        state = RULES.begin(game)
        outcome = Outcome(RULES.first_label(game), (), state, None)
        role = Event("notice", "day 1", "private", (), {"to": "Ali", "topic": "role", "role": "lawyer"})
        message = player_message("Ali", [role], contexts(RULES, outcome))
        assert message is not None
        seen.add(message.body)
    assert len(seen) == 1
    assert "Ali" not in rules_post(RULES, game.options, "phpbb")
