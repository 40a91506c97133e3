"""What the Persian mafia's posts say, in Persian and in English, and what they keep to themselves."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.events import Event
from engine.play import Outcome
from engine.ruleset import load
from publisher.render import Context, phase_post, player_message, tally_post
from rehearsal.run import rehearse
from tests.test_ruleset_posts import contexts
from tests.test_sandbox import context

RULES = load("persian")
SCENARIOS = Path(__file__).parent / "scenarios" / "persian"
DEFAULTS = {name: option.default for name, option in RULES.options.items()}
BOTH = RULES.posts.languages({**DEFAULTS, "language": "both"})


@cache
def outcomes() -> tuple[Outcome, ...]:
    return tuple(outcome for file in sorted(SCENARIOS.glob("*.yaml")) for outcome in rehearse(file).phases)


def seen(**changed: Any) -> Context:
    outcome = next(one for one in outcomes() if one.label.kind == "night")
    words = {language.code: RULES.posts.words(outcome.state, language) for language in BOTH}
    known = replace(contexts(RULES, outcome), languages=BOTH, words=words, players=("Ann", "آرش"), deadline=context(None).deadline)
    return replace(known, **changed)


def without_marks(body: str) -> str:
    """The text without the marks that turn each Persian line."""
    return re.sub("^\u2067|\u2069$", "", body, flags=re.MULTILINE)


def said(text: str, says: str, **more: Any) -> Event:
    return Event("announce", "night 1", "public", (), {"topic": "night_report", "text": text, "number": 1, "says": says, **more})


STATEMENTS = [
    (said("A", "died", player="Ann"), "\u2068Ann\u2069 دیشب کشته شد.", "Ann was killed last night."),
    (said("A", "died_as", player="آرش", role="samurai"), "\u2068آرش\u2069 دیشب با نقش سامورایی کشته شد.", "آرش was killed last night, as samurai."),
    (said("A", "role_died", role="poisoner"), "دیشب کسی با نقش سم‌شناس کشته شد.", "Somebody with the role poisoner was killed last night."),
    (said("A", "count", count=0), "دیشب کسی کشته نشد.", "Nobody was killed last night."),
    (said("A", "count", count=1), "دیشب یک نفر کشته شد.", "One player was killed last night."),
    (said("A", "count", count=12), "دیشب ۱۲ نفر کشته شدند.", "12 players were killed last night."),
    (said("A", "survived", player="Ann"), "\u2068Ann\u2069 دیشب کشته نشد.", "Ann was not killed last night."),
]


@pytest.mark.clause("PER-TEXT-03", "PER-TEXT-04", "PER-TEXT-02", "PER-TEXT-01")
@pytest.mark.parametrize(("event", "persian", "english"), STATEMENTS)
def test_each_statement_as_the_rules_word_it(event: Event, persian: str, english: str) -> None:
    body = phase_post([event], "night 1", seen()).body
    assert f"\u2067{persian}\u2069" in body.splitlines()
    assert english in body.splitlines()
    assert body.index(persian) < body.index(english)


@pytest.mark.clause("PER-TEXT-05", "PER-REPORT-05")
def test_the_report_opens_as_the_rules_say() -> None:
    head = Event("announce", "night 1", "public", (), {"topic": "night_report", "night": 1, "texts": 4, "true_texts": 1, "false_counts": [0, 1, 2, 3]})
    texts = [said(letter, "count", count=1) for letter in "ABCD"]
    body = phase_post([head, *texts], "night 1", seen()).body
    assert "از چهار متن زیر فقط یکی صحیح است و سه متن دیگر گمراه‌کننده‌اند.\nتعداد گزاره‌های غلط متن‌ها (بدون ترتیب): ۰، ۱، ۲ و ۳\n" in without_marks(body)
    places = [body.index(f"[b]متن {letter}[/b]") for letter in ("الف", "ب", "ج", "د")]
    assert places == sorted(places)
    false = [Event("announce", "night 1", "public", (), {"topic": "night_report", "text": letter, "false_statements": 2}) for letter in "ABCD"]
    assert "[b]متن الف[/b] (تعداد گزاره‌های غلط: ۲)" in phase_post([head, *false, *texts], "night 1", seen()).body


@pytest.mark.clause("PER-TEXT-06", "PER-DISG-07")
@pytest.mark.parametrize(("role", "side", "full"), [("invulnerable", "innocents", "بی‌گناه و رویین‌تن"), ("innocent", "innocents", "بی‌گناه بی‌نقش"), ("public_prosecutor", "guilty", "گناهکار و دادستان")])
def test_an_execution_with_the_full_role(role: str, side: str, full: str) -> None:
    events = [
        Event("lynch", "day 1", "public", (), {"player": "Ann", "reason": "votes"}),
        Event("death", "day 1", "public", (), {"player": "Ann", "cause": "lynch", "reveal": {"role": role, "side": side}}),
        Event("announce", "day 1", "public", (), {"topic": "reveal", "player": "Ann", "role": role}),
    ]
    assert f"\u2068Ann\u2069 اعدام شد؛ نقش او: {full}." in phase_post(events, "day 1", seen()).body


@pytest.mark.clause("PER-REPORT-23")
def test_no_post_lists_the_living_while_deaths_stand_in_the_texts_only() -> None:
    known = seen()
    assert known.living is None
    following = Event("announce", "night 1", "public", (), {"topic": "next_phase", "label": "day 2"})
    body = phase_post([following], "night 1", known).body
    assert "بازماندگان" not in body
    assert "Still alive" not in body
    assert "[b]Now: day 2[/b]" in body


TOLD_TO_NOBODY = ("imprisoned", "possessed", "infected", "poisoned", "dressed", "plundered", "guarded", "trapped", "shielded")
"""What was done to a player in the night and is kept from that player (PER-TEXT-07)."""
TOLD_TO_NOBODY_FA = ("زندانی شد", "تسخیر شد", "آلوده شد", "مسموم شد", "لباس پوشاند", "غارت شد", "نگهبانی شد", "محافظت شد")


@pytest.mark.clause("PER-REPORT-15", "PER-TEXT-07", "PER-PRINCE-03", "PER-TAILOR-03", "PER-EXOR-03", "PER-KILL-14", "PER-GUARD-07")
def test_no_night_of_any_example_tells_how_or_who() -> None:
    for outcome in outcomes():
        known = replace(contexts(RULES, outcome), languages=BOTH, words={one.code: RULES.posts.words(outcome.state, one) for one in BOTH})
        if outcome.label.kind == "night":
            body = phase_post(outcome.events, str(outcome.label), known).body
            for word in (*TOLD_TO_NOBODY, *TOLD_TO_NOBODY_FA, "cause", "report_key"):
                assert word not in body
        for player in known.players:
            message = player_message(player, [event for event in outcome.events if event.get("topic") != "role"], known)
            for word in (*TOLD_TO_NOBODY, *TOLD_TO_NOBODY_FA):
                assert message is None or word not in message.body


def test_persian_messages_hold_no_english_and_latin_digits_by_option() -> None:
    latin = RULES.posts.languages({**DEFAULTS, "digits": "latin"})
    assert [language.digits for language in latin] == ["0123456789"]
    known = seen(languages=BOTH[:1])
    told = [
        Event("result", "night 1", "private", (), {"to": "Ann", "action": "question", "target": "آرش", "value": "guilty"}),
        Event("result", "night 1", "private", (), {"to": "Ann", "action": "kill", "value": "invalid", "reason": "no_uses"}),
        Event("notice", "night 1", "private", (), {"to": "Ann", "topic": "innocent_roles", "roles": ["doctor", "police", "guard"]}),
    ]
    message = player_message("Ann", told, known)
    assert message is not None
    assert "پاسخ پرسش شما دربارهٔ \u2068آرش\u2069: [b]گناهکار[/b]." in message.body
    assert "دستور «قتل» پذیرفته نشد: سهمیه‌ای برای آن نمانده است." in message.body
    assert "دکتر، پلیس و نگهبان" in message.body
    assert not [word for word in message.body.replace("[b]", "").replace("[/b]", "").replace("Ann", "").split() if word.isascii() and word.isalpha()]
    tally = tally_post({"published": {"Ann": 3}, "votes": {"Ann": ["آرش"]}}, "day 2", known)
    assert "\u2068Ann\u2069 – ۳ – \u2068آرش\u2069" in tally.body
    assert tally.title.endswith("شمارش آرا، روز ۲")
