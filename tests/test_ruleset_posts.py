"""What a ruleset says of its posts is enough for the hardest of them: a night told in four texts, in two languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.events import Event
from engine.play import Outcome
from engine.posts import Language, Posts
from engine.ruleset import RULESETS, Ruleset, load
from engine.state import State
from parser.declarations import stretches
from parser.votelines import vote_lines
from publisher.render import Context, opening_post, phase_post, player_message, reminder_post, tally_post
from rehearsal.run import rehearse
from tests.test_sandbox import context

PERSIAN = Language("fa", "۰۱۲۳۴۵۶۷۸۹")
WORDS = {
    "fa": {"night": "شب", "day": "روز", "samurai": "سامورایی", "A": "متن الف", "B": "متن ب", "C": "متن ج", "D": "متن د"},
    "en": {letter: f"Text {letter}" for letter in "ABCD"},
}
REPORT = """{{ heading(label | words | digits) }}
{% for letter, statements in texts.items() %}
{{ bold(letter | words) }}
{% for said in statements %}
{% if said.data.says == "died_as" %}DIED{% elif said.data.says == "count" %}COUNT{% endif %}

{% endfor %}
{% endfor %}"""
FA = ("{{ name(said.data.player) }} دیشب با نقش {{ said.data.role | words }} کشته شد.", "دیشب {{ said.data['count'] }} نفر کشته شدند.")
EN = ("{{ name(said.data.player) }} was killed last night, as {{ said.data.role | words }}.", "{{ said.data['count'] }} players were killed last night.")


class Told(Posts):
    """A ruleset's word on its posts, as a night in four texts needs it."""

    def languages(self, options: Mapping[str, Any]) -> tuple[Language, ...]:
        return {"fa": (PERSIAN,), "en": (Language(),), "both": (PERSIAN, Language())}[options["language"]]

    def words(self, state: State, language: Language) -> Mapping[str, str]:
        return WORDS[language.code]

    def report(self, events: Sequence[Event]) -> Mapping[str, Any]:
        told = [event for event in events if event.get("topic") == "night_report" and "says" in event.data]
        letters = sorted({event["text"] for event in told})
        return {"texts": {letter: [event for event in told if event["text"] == letter] for letter in letters}}


def said(text: str, says: str, **more: Any) -> Event:
    return Event("announce", "night 1", "public", ("PER-REPORT-18",), {"topic": "night_report", "text": text, "number": 1, "says": says, **more})


NIGHT = [
    *(said(letter, "died_as", player=name, role="samurai") for letter, name in zip("DCBA", ("Ann", "[b]Bo[/b]", "آرش", "Cy"), strict=True)),
    said("A", "count", count=3),
    Event("notice", "night 1", "gm", ("PER-REPORT-19",), {"to": "gm", "topic": "report_key", "text": "A", "false_statements": 0}),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("publisher.render.load", lambda ruleset: SimpleNamespace(posts=Told()))
    (tmp_path / "fa").mkdir()
    (tmp_path / "fa" / "phase.j2").write_text(REPORT.replace("DIED", FA[0]).replace("COUNT", FA[1]), "utf-8")
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "phase.j2").write_text(REPORT.replace("DIED", EN[0]).replace("COUNT", EN[1]), "utf-8")
    return tmp_path


def seen(folder: Path, **changed: Any) -> Any:
    languages = Told().languages({"language": changed.pop("language", "both")})
    return replace(context(folder), words=WORDS, languages=languages, players=("Ann", "[b]Bo[/b]", "آرش", "Cy"), **changed)


def test_a_night_in_four_texts_and_two_languages(folder: Path) -> None:
    post = phase_post(NIGHT, "night 1", seen(folder))
    assert post.error is None
    persian, english = post.body.split("[size=150][b]night 1[/b][/size]")
    assert "[b]شب ۱[/b]" in persian
    assert [persian.index(WORDS["fa"][letter]) for letter in "ABCD"] == sorted(persian.index(WORDS["fa"][letter]) for letter in "ABCD")
    assert "\u2068Cy\u2069 دیشب با نقش سامورایی کشته شد." in persian
    assert "دیشب ۳ نفر کشته شدند." in persian
    assert "[\u2060b]Bo[\u2060/b] was killed last night, as samurai." in english
    assert "3 players were killed last night." in english
    assert "report_key" not in post.body
    assert "false" not in post.body


@pytest.mark.parametrize(("language", "there", "not_there"), [("fa", "دیشب", "last night"), ("en", "last night", "دیشب")])
def test_one_language_alone(folder: Path, language: str, there: str, not_there: str) -> None:
    body = phase_post(NIGHT, "night 1", seen(folder, language=language)).body
    assert there in body
    assert not_there not in body


def contexts(rules: Ruleset, outcome: Outcome) -> Context:
    game, state = outcome.state.game, outcome.state
    languages = rules.posts.languages(game.options)
    assert len({language.code for language in languages}) == len(languages) > 0
    assert all(len(language.digits) == 10 for language in languages)
    return replace(
        context(None), ruleset=rules.id, options=game.options, players=game.names, living=rules.posts.living(state), languages=languages,
        facts=rules.posts.facts(state), words={one.code: rules.posts.words(state, one) for one in languages},
    )  # fmt: skip


@pytest.mark.parametrize("ruleset", RULESETS)
def test_worked_examples_can_be_posted(ruleset: str) -> None:
    """Whatever comes of a phase, its templates have words for it, and they say nothing that a reader of votes would take up."""
    files = sorted((Path(__file__).parent / "scenarios" / ruleset).rglob("*.yaml"))[::2]
    assert files
    for file in files:
        for outcome in rehearse(file).phases:
            known = contexts(load(ruleset), outcome)
            made = [phase_post(outcome.events, str(outcome.label), known), opening_post(known), reminder_post(str(outcome.label), known)]
            made += [message for name in known.players if (message := player_message(name, outcome.events, known)) is not None]
            made += [tally_post(event.data, str(outcome.label), known) for event in outcome.events if event.kind == "tally"]
            for post in made:
                assert post.body.strip(), file
                assert "_" not in re.sub(r"\[code\].*?\[/code\]|\[url=[^\]]*\]", "", post.body), (file, post.body)
                assert not stretches(post.body), file
                assert not vote_lines(post.body, loud=True), file
                for secret in ("None", "Event(", "{'", "['"):
                    assert secret not in post.body, (file, post.body)


def test_a_ruleset_without_templates_has_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is common to all: it reads stiffly, but nothing fails and nothing is left out."""
    monkeypatch.setattr("publisher.render.load", lambda ruleset: SimpleNamespace(posts=Posts()))
    plain = replace(context(None), ruleset="none_such", facts={}, words={})
    events = [
        Event("lynch", "day 1", "public", (), {"player": "Ann", "reason": "votes"}),
        Event("death", "day 1", "public", (), {"player": "Ann", "cause": "lynch", "reveal": None}),
        Event("death", "day 1", "public", (), {"player": "Bo", "cause": "kill", "reveal": None}),
        Event("announce", "day 1", "public", (), {"topic": "reveal", "player": "Bo", "role": "town_doctor"}),
        Event("announce", "day 1", "public", (), {"topic": "next_phase", "label": "night 1"}),
    ]
    body = phase_post(events, "day 1", plain).body
    assert "Ann is executed." in body
    assert body.count("Ann") == 2  # executed, and among the living of this context
    assert "Bo was [b]town doctor[/b]." in body
    assert "Now: night 1" in body
    assert tally_post({"published": {"Bo": 1}, "votes": {"Bo": ["Ann"]}}, "day 1", plain).title == "School: votes in day 1"
    private = [
        Event("notice", "day 1", "private", (), {"to": "Ann", "topic": "role", "role": "gun_smith"}),
        Event("notice", "day 1", "private", (), {"to": "Ann", "topic": "team", "players": ["Bo", "Cy"]}),
        Event("result", "day 1", "private", (), {"to": "Ann", "action": "probe", "target": "Bo", "value": "not_guilty"}),
    ]
    message = player_message("Ann", private, plain)
    assert message is not None
    assert message.kind == "role"
    assert "you are [b]gun smith[/b]." in message.body
    assert "team: players Bo and Cy" in message.body
    assert "Your probe (Bo): [b]not guilty[/b]." in message.body
    over = [Event("win", "day 2", "public", (), {"sides": ["black_org"], "players": ["Cy"]})]
    end = phase_post(over, "day 2", replace(plain, seed="x")).body
    assert "Winner: black org" in end
    assert "Winners: Cy" in end
    assert "nightpost:x" in end
