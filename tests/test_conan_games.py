"""What must hold in every Conan game, whatever is played: no crash, no leak, the state a fold, one fate for each act."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from engine.choices import Choices
from engine.inputs import OrderInput, PhaseInputs
from engine.play import Outcome, play
from engine.posts import Language
from engine.state import State
from publisher.render import phase_post, player_message
from rulesets.conan.cast import roles
from rulesets.conan.legal import legal_orders, offers
from tests.conan_games import RULES, opened, random_game, random_inputs
from tests.test_ruleset_posts import contexts

SEEDS = range(12)
ANNOUNCED: dict[str, set[str]] = {
    "arrested": {"player"}, "detained": {"player"}, "officer_suspended": {"count"}, "officer_injured": {"count"},
    "injured": {"player"}, "released": {"player"}, "erased": {"player"}, "will": {"player", "text"}, "no_death": set(),
    "lynch_failed": set(), "votes_hidden": set(), "vote_reduced": set(), "vote_increased": set(),
    "replacement": {"player", "by"}, "vengeance": set(), "next_phase": {"label"},
}  # fmt: skip
PUBLIC: dict[str, set[str]] = {
    "death": {"player", "cause", "reveal", "town_role"}, "lynch": {"player", "reason"}, "tally": {"published", "votes"},
    "condition": {"player", "condition", "on", "until"}, "win": {"sides", "players", "cast"},
}  # fmt: skip
"""Every public kind of event with the fields it may have (glossary)."""
PRIVATE: dict[str, set[str]] = {
    "role": {"role", "town_role"}, "saved": set(), "injured": {"until"}, "suspended": {"until"}, "arrested": {"until"},
    "detained": {"until"}, "released": set(), "pinched": set(), "stolen": {"item", "rivals"}, "followed": set(), "asleep": set(),
    "bowtie": {"from"}, "watch": {"from"}, "charm": {"from"}, "suitcase": {"from"}, "watch_broken": set(), "charm_used": set(),
    "disguise_given": {"disguise"}, "costumes_offered": {"costumes"}, "costumes_taken": {"costumes"}, "friend": {"player", "role", "town_role"},
    "lover": {"player", "role", "town_role"}, "group": {"players", "roles"}, "bo_members": {"players", "roles", "town_roles", "leader"},
    "noc_count": {"count"}, "fbi_count": {"count", "strange"}, "vote_failed": set(), "order_rejected": {"action", "reason", "played"},
    "ticket": {"left"}, "inactive": {"phases"}, "inactive_actions": {"what", "night", "day", "passive"}, "inactive_lost": set(),
    "inactive_warning": {"count"},
}  # fmt: skip
RESULT = {
    "action", "value", "target", "deed", "object", "when", "via", "role", "item", "rivals", "left", "disguise", "costumes", "victim",
    "will", "killer_gender", "receiver", "crimes", "ability", "town_role", "faked",
}  # fmt: skip


@pytest.fixture(scope="module")
def games() -> list[list[tuple[State, Outcome, PhaseInputs]]]:
    return [list(random_game(random.Random(seed), size=size)) for seed, size in zip(SEEDS, [24, 8, 16] * 4, strict=True)]


Games = list[list[tuple[State, Outcome, PhaseInputs]]]


def test_the_state_is_a_fold_and_a_replay_comes_out_the_same(games: Games) -> None:
    for game in games:
        for before, outcome, inputs in game:
            folded = before.copy()
            folded.begun[outcome.label.kind] = outcome.label.number
            for event in outcome.events:
                folded.apply(type(event).from_record(event.to_record()))
            for field in type(folded).__dataclass_fields__:
                assert getattr(folded, field) == getattr(outcome.state, field), (str(outcome.label), field)
            again = play(RULES, before, outcome.label, inputs, Choices(before.game.seed))
            assert again.events == outcome.events


def test_each_act_has_one_fate(games: Games) -> None:
    for game in games:
        for before, outcome, _ in game:
            deeds = [event for event in outcome.events if event.kind == "deed"]
            own = Counter(
                (event.source, event["actor"], event["action"], *event["targets"], event.get("role"), event.get("question"), event.get("via"))
                for event in deeds
                if event.source and event.get("via") != "frame"
            )  # fmt: skip
            assert not [key for key, number in own.items() if number > 1], str(outcome.label)
            assert all(event["fate"] in ("done", "failed") for event in deeds)
            assert all(before.alive(outcome.state.seat_of(event["actor"])) for event in deeds if event.get("via") != "friendship")


def test_whoever_is_told_of_an_act_hears_of_it_once(games: Games) -> None:
    for game in games:
        for _, outcome, _ in game:
            told = Counter(
                (event["to"], event["action"], *(str(event.get(key)) for key in ("target", "deed", "object", "when", "role", "via")))
                for event in outcome.events
                if event.kind == "result"
            )
            assert not [key for key, number in told.items() if number > 1], str(outcome.label)


def test_every_event_names_clauses_that_exist(games: Games) -> None:
    texts = "".join((RULES.folder / name).read_text(encoding="utf-8") for name in ("clauses.md", "clauses_actions.md"))
    cited = {clause for game in games for _, outcome, _ in game for event in outcome.events for clause in event.why}
    assert len(cited) > 60
    assert [clause for clause in sorted(cited) if f"- `{clause}` [" not in texts] == []


def test_nobody_dies_twice(games: Games) -> None:
    for game in games:
        for before, outcome, _ in game:
            deaths = [event["player"] for event in outcome.events if event.kind == "death"]
            assert len(deaths) == len(set(deaths))
            assert all(before.alive(outcome.state.seat_of(player)) for player in deaths)


def test_public_and_private_events_hold_nothing_but_what_they_may(games: Games) -> None:
    for game in games:
        for _, outcome, _ in game:
            for event in outcome.events:
                seen = event.for_public()
                if seen is not None:
                    allowed = ANNOUNCED[event["topic"]] | {"topic"} if event.kind == "announce" else PUBLIC[event.kind]
                    assert set(seen.data) <= allowed, seen
                    if event.kind == "condition":
                        assert event["condition"] in ("arrested", "detained")
                elif event.visibility == "private":
                    known = RESULT if event.kind == "result" or event["topic"] == "fbi_result" else PRIVATE[event["topic"]]
                    told = event.for_player(str(event.reader))
                    assert told is not None
                    assert set(told.data) <= known | {"to", "topic"}, told


def test_a_report_names_no_role_but_that_of_the_dead_and_no_secret(games: Games) -> None:
    names = {role.name: role.id for role in roles().values()}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    for game in games:
        for _, outcome, _ in game:
            known = contexts(RULES, outcome)
            post = phase_post(outcome.events, str(outcome.label), known)
            assert post.error is None
            body = post.body
            deaths = [event for event in outcome.events if event.kind == "death"]
            shown = {event.get(field) for event in deaths for field in ("reveal", "town_role")}
            shown |= set(names.values()) if outcome.following is None else set()  # the game is over: who was who
            assert {names[word] for word in pattern.findall(body)} <= shown, body
            for word in ("APTX", "snipe", "bribe", "suicide", "poison", "Token (", "None"):
                assert word not in body
            assert "[\u2060" not in body, body  # markup of ours that was taken for a stranger's text


def test_a_message_names_only_what_its_reader_was_told(games: Games) -> None:
    """Another's message, or a hidden event, put into the same phase changes no word of one's own."""
    for game in games[:3]:
        for _, outcome, _ in game:
            known = contexts(RULES, outcome)
            for name in known.players[:6]:
                own = [event for event in outcome.events if event.for_player(name) is not None]
                whole = player_message(name, outcome.events, known)
                alone = player_message(name, own, replace(known, words={"en": RULES.posts.words(outcome.state, Language())}))
                assert (whole is None) == (alone is None)
                if whole is not None and alone is not None:
                    assert "[\u2060" not in whole.body, whole.body
                    assert whole.body == alone.body


def test_what_is_offered_is_entered() -> None:
    """Every order that a player may give is read and entered, when it is the only one."""
    rng = random.Random(7)
    tried = 0
    for seed in range(6):
        for before, outcome, _ in random_game(random.Random(seed), size=20, days=3):
            scene = opened(before, outcome.label)
            for player in before.game.names:
                for offer in offers(scene, player):
                    text = offer.one(rng)
                    tried += 1
                    fresh = opened(before, outcome.label)
                    RULES.arrive(fresh, OrderInput("one", player, text))
                    told = [event for event in fresh.events if event.source == "one" or event.get("topic") == "unreadable"]
                    assert told == [], (player, text, [event.data for event in told])
    assert tried > 2000


def test_legal_orders_are_texts_of_every_ability() -> None:
    rng = random.Random(3)
    game = RULES.game({"Ann": "ran", "Bo": "gin", "Cy": "heiji", "Di": "araide", "Eve": "eri"}, start="night 1")
    scene = opened(RULES.begin(game), RULES.first_label(game))
    assert "protect Bo" in legal_orders(scene, "Ann")
    assert "protect Ann" not in legal_orders(scene, "Ann")
    assert {"kill Ann", "slander Bo", "steal from Cy", "investigate Ann heals Bo"} <= set(legal_orders(scene, "Bo"))
    assert "kill Bo" not in legal_orders(scene, "Bo")
    assert "interrogate Di" in legal_orders(scene, "Cy")
    assert not [text for text in legal_orders(scene, "Di") if text.startswith(("kill", "vote"))]
    assert random_inputs(rng, RULES.begin(game), RULES.first_label(game)).orders
