"""What the Persian mafia's posts say, in Persian and in English, and what they keep to themselves."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.choices import Choices
from engine.events import Event
from engine.inputs import OrderInput, PhaseInputs, PostInput
from engine.play import Outcome, play
from engine.ruleset import load
from parser.normal import fold
from publisher.markup import DIALECTS
from publisher.render import (
    Context,
    digest_text,
    glossary,
    nudge,
    opening_post,
    phase_post,
    player_message,
    receipt,
    reminder_post,
    rules_post,
    tally_post,
)
from publisher.times import left, moment
from rehearsal.run import rehearse
from rulesets.persian.actions import actions, wording
from rulesets.persian.cast import roles
from rulesets.persian.posts import interplay, order_book
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
    return re.sub("^\u200f\u2067|\u2069$", "", body, flags=re.MULTILINE)


def said(text: str, says: str, **more: Any) -> Event:
    return Event("announce", "night 1", "public", (), {"topic": "night_report", "text": text, "number": 1, "says": says, **more})


STATEMENTS = [
    (said("A", "died", player="Ann"), "\u2068Ann\u2069 دیشب کشته شد.", "Ann was killed last night."),
    (
        said("A", "died_as", player="آرش", role="samurai"),
        "\u2068آرش\u2069 دیشب با نقش سامورایی کشته شد.",
        "\u2068آرش\u2069 was killed last night, as samurai.",
    ),
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
    assert f"\u200f\u2067{persian}\u2069" in body.splitlines()
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

def private(topic: str, to: str = "Ann", **more: Any) -> Event:
    return Event("notice", "night 1", "private", (), {"to": to, "topic": topic, **more})


def told(events: list[Event], to: str = "Ann", **changed: Any) -> str:
    message = player_message(to, events, seen(**changed))
    assert message is not None
    assert message.error is None
    return message.body


@pytest.mark.clause("PER-NIGHT-08")
def test_a_role_message_lists_the_roles_that_name_it() -> None:
    body = told([private("role", role="surgeon")])
    assert "در شرح این نقش‌ها نام نقش شما آمده است: روان‌پریش، سم‌شناس و سامورایی." in body
    assert "بخوانید و هر ابهام یا اشتباهی را به گاد بگویید" in body
    assert "The rules of these roles name yours: psychopath, poisoner and samurai." in body
    devotee = told([private("role", role="devotee")])
    assert "نام نقش شما آمده است: خیاط." in devotee  # and the tailor, not knowing of any, is no less told so in every game


def test_a_persian_role_message_holds_no_id() -> None:
    for role in roles():
        body = told([private("role", role=role)], languages=BOTH[:1])
        assert not re.findall("[A-Za-z_]{2,}", re.sub(r"\[[^]]*\]|\u2068Ann", "", body)), role


@pytest.mark.clause("PER-NIGHT-08")
def test_whoever_names_a_role_is_named_in_its_message() -> None:
    """The list is the other way round than the rules have it: each role of `named.toml` stands in the lists of those it names."""
    named = tomllib.loads((RULES.folder / "named.toml").read_text("utf-8"))["roles"]
    for role, others in named.items():
        for other in others:
            for one in ("psychopath", "poisoner") if other == "killers" else (other,):
                assert role in interplay()[one]["by_name"], (role, one)


@pytest.mark.clause("PER-NIGHT-08", "PER-KILL-25")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_rules_post_asks_to_read_closely_and_names_the_source(dialect: str) -> None:
    post = rules_post(RULES, {**DEFAULTS, "language": "both"}, dialect)
    persian, english = post.replace("\\", "").split("The rules of this game")
    assert persian.index("به‌دقت بخوانید") < persian.index("گروه‌ها")
    assert "حق انتشار نقش‌های روان‌پریش و سم‌شناس از آنِ آرش عزیز است" in persian
    assert "برای توازن این دور" in persian
    assert "belongs to Arash Aziz" in english
    for role in roles().values():
        assert role.persian in persian
        assert role.english.casefold() in english.casefold()


@pytest.mark.parametrize("option", [name for name, option in RULES.options.items() if option.others and name not in ("digits", "language", "report_wording")])
def test_every_option_with_a_choice_changes_the_rules_post(option: str) -> None:
    for language in ("fa", "en"):
        posts = {rules_post(RULES, {**DEFAULTS, "language": language, option: value}, "phpbb") for value in RULES.options[option].values}
        assert len(posts) == len(RULES.options[option].values), (option, language)


def test_every_number_of_the_options_stands_in_the_rules_post() -> None:
    for name, option in RULES.options.items():
        if option.numeric and name not in ("report_true_minimum",):
            for language in ("fa", "en"):
                assert "777" in fold(rules_post(RULES, {**DEFAULTS, "language": language, name: 777}, "phpbb")), (name, language)


def test_the_orders_in_a_role_message_can_be_sent_as_they_stand() -> None:
    for role, orders in order_book().items():
        for order in orders:
            for written in order["written"].values():
                text = re.sub(r"[,،] Z", "", written).replace("Y", "Omid").replace("X", "Sara").replace("R", "samurai")
                players = {"Ali": role, "Sara": "innocent", "Omid": "innocent", "Reza": "doctor"}
                game = RULES.game(players, start=f"{order['when'][0].replace('defence', 'day')} 2")
                outcome = play(RULES, RULES.begin(game), RULES.first_label(game), PhaseInputs(orders=(OrderInput("o", "Ali", text),)), Choices(waived="all"))
                assert not [event for event in outcome.events if event.get("topic") == "unreadable"], (role, text)
                assert not [event for event in outcome.events if event.get("reason") == "not_yours"], (role, text)


@pytest.mark.clause("PER-INFIL-05")
def test_who_joins_and_the_cult_are_told_of_each_other() -> None:
    assert "به گروه فرقه پیوستید" in told([private("joined", player="Ann")])
    assert "\u2068آرش\u2069 به گروه فرقه پیوست." in told([private("joined", player="آرش")])
    alone = told([private("role", role="infiltrator")])
    assert "هم‌تیمی" not in alone
    assert "team" not in alone.casefold()


@pytest.mark.clause("PER-HARD-02")
def test_the_die_hard_and_the_killer_are_told() -> None:
    assert "یک فاز دیگر زنده می‌مانید و در پایان شب بعد می‌میرید" in told([private("dying")])
    last = told([replace(private("dying"), phase="night 6")])  # after which no night comes (PER-HARD-04)
    assert "در پایان روز بعد می‌میرید" in last
    assert "at the end of the next day" in last
    delayed = Event("result", "night 1", "private", (), {"to": "Ann", "action": "kill", "target": "آرش", "value": "delayed"})
    assert "قتل \u2068آرش\u2069: [b]به هدف نشست، اما او یک فاز دیگر زنده می‌ماند[/b]." in told([delayed])


@pytest.mark.clause("PER-INV-04")
def test_who_loses_the_feature_by_an_execution_is_told() -> None:
    body = told([private("powerless")])
    assert "نقش شما ویژگی خود را به‌طور کامل از دست داد." in body
    assert "Your role has fully lost its feature." in body


@pytest.mark.clause("PER-GUARD-07", "PER-NIGHT-13", "PER-KILL-15")
def test_an_attacker_sees_only_that_it_failed() -> None:
    events = [Event("result", "night 1", "private", (), {"to": "Ann", "action": action, "target": "آرش", "value": "failed"}) for action in ("kill", "infect", "poison", "recruit", "stab")]
    body = told(events)
    for line in ("قتل \u2068آرش\u2069: [b]ناموفق[/b].", "آلوده کردن \u2068آرش\u2069: [b]ناموفق[/b].", "جذب \u2068آرش\u2069: [b]ناموفق[/b]."):
        assert line in body
    assert "نگهبان" not in body
    assert "guard" not in body


@pytest.mark.clause("PER-VOTE-07")
def test_the_tally_leaves_out_the_semi_minor() -> None:
    game = RULES.game({"Ali": "godfather", "Sara": "doctor", "Omid": "innocent", "Nima": "marksman", "Kian": "sheriff"}, start="day 2")
    votes = [("Ali", "Sara"), ("Nima", "Sara"), ("Sara", "Nima"), ("Omid", "Ali"), ("Kian", "Ali")]
    posts = tuple(PostInput(f"p{number}", by, f"[b]رای: {target}[/b]") for number, (by, target) in enumerate(votes))
    outcome = play(RULES, RULES.begin(game), RULES.first_label(game), PhaseInputs(posts=posts), Choices())
    known = replace(contexts(RULES, outcome), deadline=None)
    count = next(event for event in outcome.events if event.kind == "tally")
    body = tally_post(count.data, "day 2", known).body
    assert "\u2068Sara\u2069 – ۱ – \u2068Ali\u2069" in body
    assert "Nima" not in body
    assert "Kian" not in body


@pytest.mark.clause("PER-DISG-07")
@pytest.mark.parametrize(("role", "full"), [("prince", "مافیا و شازده"), ("exorcist", "فرقه و جن‌گیر"), ("poisoner", "قاتل و سم‌شناس"), ("joker", "نقش فرعی و جوکر"), ("samurai", "بی‌گناه و سامورایی"), ("innocent", "بی‌گناه بی‌نقش")])
def test_the_side_words_of_the_full_role(role: str, full: str) -> None:
    events = [
        Event("lynch", "day 1", "public", (), {"player": "Ann", "reason": "votes"}),
        Event("announce", "day 1", "public", (), {"topic": "reveal", "player": "Ann", "role": role}),
        Event("announce", "day 1", "public", (), {"topic": "magic_exposed", "player": "آرش", "role": role}),
    ]
    body = phase_post(events, "day 1", seen()).body
    assert f"نقش او: {full}." in body
    assert f"نقش واقعی \u2068آرش\u2069: {full}." in body


def test_every_reason_value_and_option_has_words_in_both_languages() -> None:
    glossary = (RULES.folder / "clauses.md").read_text("utf-8")
    reasons = re.search(r"with `reason`: (.*?); where several", glossary)
    assert reasons is not None
    for reason in re.findall(r"`(\w+)`", reasons[1]):
        assert reason in wording()["reasons"]["fa"], reason
        assert reason in wording()["reasons"]["en"], reason
    assert set(actions()) <= set(wording()["actions"]["fa"]) == set(wording()["actions"]["en"])
    assert set(RULES.options) == set(wording()["options"]["fa"])
    words = {value for option in RULES.options.values() for value in option.values if isinstance(value, str)}
    assert words <= set(wording()["values"]["fa"]), words - set(wording()["values"]["fa"])
    assert set(wording()["values"]["fa"]) - {"true", "false"} <= words
    for name, option in RULES.options.items():
        for value in option.values if option.others else [option.default]:
            changed = Event("announce", "day 1", "public", (), {"topic": "options_changed", "option": name, "value": value})
            body = phase_post([changed], "day 1", seen(languages=BOTH[:1])).body
            assert f"«{wording()['options']['fa'][name]}» از این پس [b]" in body


VARIED = {**DEFAULTS, "report_wording": "varied"}


def report_of(truths: str, **changed: Any) -> str:
    """A report of sixteen statements; `truths` are the false counts that the GM knows of, which the thread does not."""
    kinds = [("died", {"player": "Ann"}), ("died_as", {"player": "آرش", "role": "samurai"}), ("role_died", {"role": "doctor"}), ("count", {"count": 3})]
    events = [
        Event("announce", "night 1", "public", (), {"topic": "night_report", "text": letter, "number": number, "says": says, **more})
        for letter in "ABCD" for number, (says, more) in enumerate(kinds, 1)
    ]  # fmt: skip
    secret = [Event("notice", "night 1", "gm", (), {"to": "gm", "topic": "report_key", "text": letter, "false_statements": int(false)}) for letter, false in zip("ABCD", truths, strict=True)]
    return phase_post([*secret, *events, *secret], "night 1", seen(options=VARIED, **changed)).body


@pytest.mark.clause("PER-REPORT-21")
def test_how_a_statement_is_worded_hangs_on_its_place_alone() -> None:
    assert report_of("0123") == report_of("3210") == report_of("2031")
    assert report_of("0123") != report_of("0123", commitment="another")
    alike = [len({line for line in without_marks(report_of("0123", commitment=str(number))).splitlines() if "\u2068Ann\u2069" in line}) for number in range(20)]
    assert max(alike) == 3  # the same said in two texts need not be in the same words
    lines = Counter[str]()
    for number in range(60):
        lines.update(without_marks(report_of("0123", commitment=str(number), languages=BOTH[:1])).splitlines())
    for kind, player, role in (("died", "\u2068Ann\u2069", ""), ("died_as", "\u2068آرش\u2069", "سامورایی"), ("role_died", "", "دکتر")):
        used = [lines[form.replace("{player}", player).replace("{role}", role)] for form in wording()["statements"]["fa"][kind]]
        assert min(used) > 40, kind  # each of three about 80 times in 240


@pytest.mark.clause("PER-REPORT-21")
def test_the_wordings_of_a_kind_are_alike_in_length_and_in_nothing_else_than_order() -> None:
    for kinds in wording()["statements"].values():
        for kind, forms in kinds.items():
            assert len(set(forms)) == len(forms) == 3, kind
            assert max(map(len, forms)) - min(map(len, forms)) <= 8, kind
            assert len({tuple(sorted(re.findall(r"\{\w+\}", form))) for form in forms}) == 1


def test_a_day_in_the_solar_hijri_calendar() -> None:
    solar = tuple(replace(language, calendar="solar_hijri") for language in BOTH)
    at = datetime(2026, 11, 30, 20, 30, tzinfo=UTC)
    assert moment(at, "UTC", solar[0]) == "دوشنبه ۹ آذر ۱۴۰۵، ساعت ۲۰:۳۰ به وقت هماهنگ جهانی"
    assert moment(at, "Asia/Tehran", solar[0]) == "سه‌شنبه ۱۰ آذر ۱۴۰۵، ساعت ۰۰:۰۰ به وقت تهران (دوشنبه ۲۰:۳۰ به وقت هماهنگ جهانی)"
    assert moment(at, "UTC", solar[1]) == "Monday 9 Azar 1405, 20:30 UTC"
    assert moment(at, "UTC", BOTH[0]) == "دوشنبه ۳۰ نوامبر ۲۰۲۶، ساعت ۲۰:۳۰ به وقت هماهنگ جهانی"
    # The last day of a leap year, and the first of the next.
    assert moment(datetime(2025, 3, 20, 12, tzinfo=UTC), "UTC", solar[0]).startswith("پنجشنبه ۳۰ اسفند ۱۴۰۳،")
    assert moment(datetime(2025, 3, 21, 12, tzinfo=UTC), "UTC", solar[0]).startswith("جمعه ۱ فروردین ۱۴۰۴،")
    assert left(timedelta(days=1, hours=3), BOTH[0]) == "۱ روز و ۳ ساعت"
    opening = opening_post(seen(languages=solar, deadline=at))
    assert "۹ آذر ۱۴۰۵" in opening.body
    assert "9 Azar 1405" in opening.body


def test_the_opening_introduces_the_semi_minor_roles() -> None:
    facts = {**seen().facts, "introduced": [{"player": "Ann", "role": "sheriff"}]}
    body = opening_post(seen(languages=BOTH[:1], facts=facts)).body
    assert "\u2068Ann\u2069 – کلانتر" in body


@pytest.mark.parametrize(("dialect", "before", "after"), [("phpbb", "", ""), ("smf", "[right]\u200f\u2067", "\u2069[/right]"), ("mybb", "[align=right]", "[/align]"), ("vbulletin", "[right]", "[/right]"), ("html", '<div dir="rtl" lang="fa">', "</div>")])
def test_a_persian_post_runs_from_right_to_left(dialect: str, before: str, after: str) -> None:
    events = [Event("announce", "day 1", "public", (), {"topic": "left_game", "player": "Ann"}), said("A", "died", player="Ann")]
    body = phase_post(events, "day 1", seen(languages=BOTH[:1], dialect=dialect)).body
    assert body.startswith(before)
    assert body.endswith(after)
    name = "<bdi>Ann</bdi>" if dialect == "html" else "\u2068Ann\u2069"
    line = f"{name} از بازی کنار رفت."
    assert (line if dialect == "html" else f"\u200f\u2067{line}\u2069") in re.sub("<br>", "", body).splitlines()
    english = phase_post(events, "day 1", seen(languages=BOTH[1:], dialect=dialect)).body
    assert "\u2067" not in english


FOLDER = Path(__file__).parent.parent / "templates" / "persian" / "fa"
WRONG = {
    "an Arabic letter": "[يكىة]", "a Latin comma, semicolon or question mark": r"[\u0600-\u06ff][,;?]",
    "a blank for a half-space": r"(?<![\u0600-\u06ff])(?:می|نمی) [\u0600-\u06ff]|[\u0600-\u06ff] (?:ها|های|هایی|ترین)(?![\u0600-\u06ff])",
    "no half-space at all": r"(?<![\u0600-\u06ff])(?:ن?می)(?:شو|کن|کش|توان|گیر|مان|میر|ده|باش|خور)[\u0600-\u06ff]*|بیگناه|بینقش|رویینتن|سمشناس|روانپریش|جنگیر|جانسخت|شعبدهباز|تکتیرانداز",
    "quotation marks of another script": "[“”\"']", "a blank before a sign": r" [،؛؟.:!»]|« ", "two blanks": r"\S  +\S", "digits of another script": "[0-9٠-٩]",
    "hamza left out": r"(?<![\u0600-\u06ff])(?:رای|کاراگاه)(?![\u0600-\u06ff])|[\u0600-\u06ff]ه‌ی(?![\u0600-\u06ff])",
}  # fmt: skip


def persian_of(source: str) -> Iterator[str]:
    """The Persian sentences of a template: what stands outside of its tags, and the texts in them."""
    source = re.sub(r"\{#.*?#\}", "", source, flags=re.DOTALL)
    for inside in re.findall(r"\{[%{](.*?)[%}]\}", source, flags=re.DOTALL):
        yield from (text for text in re.findall(r'"([^"]*)"', inside) if re.search("[\u0600-\u06ff]", text) and "[b]" not in text)
    yield from re.sub(r"\{%.*?%\}", "\n", re.sub(r"\{\{.*?\}\}", "\u2068\u2069", source, flags=re.DOTALL), flags=re.DOTALL).splitlines()


@pytest.mark.clause("PER-TEXT-01")
@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.j2")), ids=lambda file: file.name)
def test_persian_as_it_is_written(file: Path) -> None:
    for text in persian_of(file.read_text("utf-8")):
        for what, pattern in WRONG.items():
            found = re.search(pattern, re.sub("nightpost|SHA-256", "X", text))
            assert found is None, (what, found and found[0], text)


def test_receipts_reminders_and_the_digest_in_persian() -> None:
    known = seen(languages=BOTH[:1], timezone="Asia/Tehran")
    facts = {
        "read": ["قتل Omid"], "gone": ["قتل Reza"], "stands": ["قتل Omid"], "unread": ["[b]چه؟[/b]"],
        "refused": [{"action": "question", "reason": "not_yours"}, {"action": "kill", "reason": "dead_target"}],
    }  # fmt: skip
    post = receipt("Ann", facts, known)
    assert post.title.endswith(": رسید پیام شما")
    assert "پیام شما این‌گونه خوانده شد:" in post.body
    assert "«پرسش»: این کار از نقش شما برنمی‌آید" in post.body
    assert "«قتل»: هدف دیگر در بازی نیست" in post.body
    assert "[b]چه" not in post.body
    assert "هنوز در [b]روز ۲[/b] رأی نداده‌اید." in nudge("Ann", "vote", "day 2", known).body
    assert "رو به پایان است" in reminder_post("day 2", known).body
    waiting = {"begun": True, "came_in": {"posts": 12, "messages": 3}, "not_acted": {"vote": ["Ann", "آرش"]}, "question": None, "in_review": ["4: x"], "goes_out": []}
    digest = digest_text("day 2", waiting, known).body
    assert "تاکنون رسیده است: ۱۲ پست و ۳ پیام خصوصی." in digest
    assert "هنوز رأی نداده‌اند (۲ نفر): \u2068Ann\u2069 و \u2068آرش\u2069" in digest


@pytest.mark.clause("PER-INFIL-06", "PER-SEMI-04", "PER-FISH-02", "PER-SHER-01")
def test_what_the_rules_ask_of_conduct_stands_in_the_rules_post() -> None:
    post = rules_post(RULES, {**DEFAULTS, "language": "both"}, "html")
    assert "نفوذی تا پیش از شب ششم هم، عضو شده یا نشده، باید به سود فرقه بازی کند." in post
    assert "هر نقش شبه‌فرعی در هر فاز حداکثر یک پست می‌فرستد." in post
    assert "An infiltrator works for the cult before night 6 too" in post
    assert "نظر خود را دربارهٔ همهٔ بازیکنان بگوید" in post


def test_the_end_of_a_game_names_the_winners_and_opens_the_seed() -> None:
    win = Event("win", "day 4", "public", (), {"sides": ["cult"], "players": ["Ann", "آرش"]})
    post = phase_post([win], "day 4", seen(languages=BOTH, seed="s3cret"))
    assert post.title.endswith(": پایان بازی")
    assert "برنده: فرقهٔ جادوگری" in post.body
    assert "برندگان دیگر: \u2068Ann\u2069 و \u2068آرش\u2069" in post.body
    assert "Winner: the sorcery cult" in post.body
    assert post.body.count("[code]nightpost:s3cret[/code]") == 2
    nobody = phase_post([Event("win", "day 4", "public", (), {"sides": [], "players": []})], "day 4", seen(languages=BOTH)).body
    assert "این بازی برنده‌ای ندارد." in nobody
    assert "s3cret" not in nobody


def test_the_glossary_puts_the_ids_that_game_toml_takes_beside_the_persian_names() -> None:
    lines = without_marks(glossary(RULES, "phpbb")).splitlines()
    assert "دکتر لکتر – doctor_lecter – مافیا" in lines
    assert "tie – رأی برابر" in lines


def test_an_example_of_a_vote_keeps_its_brackets_in_a_page_from_right_to_left() -> None:
    page = rules_post(RULES, DEFAULTS, "html")
    assert '<code dir="auto">[b]رای: نام بازیکن[/b]</code>' in page
    assert "<code>" not in page


def test_who_is_executed_is_not_told_of_a_killing_and_who_wins_besides_stands_behind_the_side() -> None:
    assert "شما دیگر در بازی نیستید: کشته شدید." in told([private("killed")])
    by_day = told([replace(private("killed"), phase="day 2")])
    assert "شما دیگر در بازی نیستید." in by_day
    assert "You are out of the game." in by_day
    win = Event("win", "day 4", "public", (), {"sides": ["innocents"], "players": ["Ann"]})
    body = phase_post([win], "day 4", seen()).body
    assert "برندهٔ دیگر: \u2068Ann\u2069" in body
    assert "Also winner: Ann" in body
    alone = phase_post([replace(win, data={"sides": [], "players": ["Ann"]})], "day 4", seen()).body
    assert "\u2067برنده: \u2068Ann\u2069" in alone
    assert "Winner: Ann" in alone
