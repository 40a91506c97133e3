"""Orders as players write them: both languages, every spelling of Persian, digits of three kinds, politeness (PER-TEXT-08)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.choices import Choices
from engine.inputs import OrderInput, PhaseInputs, PostInput
from engine.play import play, so_far
from parser.names import Found, Unknown
from parser.orders import ReadOrder
from rulesets.persian.actions import actions, language, of_roles
from rulesets.persian.cast import roles
from rulesets.persian.orders import role_called
from rulesets.persian.orders import written as as_written
from rulesets.persian.work import Act, Town
from tests.persian_games import RULES

PLAYERS = {
    "نیلوفر": "innocent", "کیوان": "guard", "Ali": "godfather", "Reza90": "doctor", "Sara": "tailor", "Ghazal": "prince",
    "Mina": "psychopath", "Omid": "poisoner", "Nima": "infiltrator", "Laleh": "sorcerer", "Dara": "exorcist", "Pari": "terrorist",
    "Babak": "yakuza", "Roya": "actor", "Hamid": "doctor_lecter", "Farid": "magician", "Ziba": "surgeon", "Arash": "detective",
    "Yas": "police", "Taha": "hunter", "Golnar": "protector", "Shirin": "lawyer", "Behrouz": "executioner", "Kian": "fugitive",
    "Navid": "public_prosecutor", "Parisa": "fisher", "Vahid": "marksman", "Sam Bakhtiar": "innocent",
}  # fmt: skip
HOLDERS = {role: name for name, role in reversed(PLAYERS.items())}


def arrived(player: str, text: str, *, start: str = "night 2", **setup: Any) -> Town:
    """The phase after one message."""
    game = RULES.game(PLAYERS, seed="1", start=start, setup=setup)
    phase = RULES.new_phase(RULES.first_label(game), RULES.begin(game), PhaseInputs(), Choices())
    assert isinstance(phase, Town)
    RULES.arrive(phase, OrderInput("o", player, text))
    return phase


def standing(town: Town, player: str) -> list[Act]:
    return [*town.orders.get(player, {}).values(), *(act for act in town.guesses if act.actor == player)]


def read(player: str, text: str, **more: Any) -> tuple[str, tuple[str, ...], str | None]:
    """The one order that a message comes to: action, targets, role."""
    town = arrived(player, text, **more)
    acts = standing(town, player)
    assert len(acts) == 1, [event.data for event in town.events]
    return acts[0].id, acts[0].targets, acts[0].role


ENGLISH = [
    ("Ali", "Kill Reza90", "kill", ("Reza90",), None),
    ("Ghazal", "imprison Sam Bakhtiar", "imprison", ("Sam Bakhtiar",), None),
    ("Ghazal", "I'd like to imprison sam bakhtiar and poison, please", "prince_poison", ("Sam Bakhtiar",), None),
    ("Ghazal", "imprison Sam Bakhtiar & poison", "prince_poison", ("Sam Bakhtiar",), None),
    ("Sara", "Dress Reza90 as the guard", "dress", ("Reza90",), "guard"),
    ("Sara", "dress Reza90 as an actor", "dress", ("Reza90",), "actor"),
    ("Sara", "dress Reza90 as a doctor", "dress", ("Reza90",), "doctor"),
    ("Ali", "guess that Sam Bakhtiar is a police", "guess", ("Sam Bakhtiar",), "police"),
    ("Arash", "question Reza90, shoot", "question_shoot", ("Reza90",), None),
    ("Omid", "poison Reza90, stage the scene", "stage", ("Reza90",), None),
    ("Taha", "set a trap for Reza90", "trap", ("Reza90",), None),
    ("Sara", "special dress Ali as bulletproof monk", "special_dress", ("Ali",), "bulletproof_monk"),
    ("Sara", "special-dress Ali as die-hard", "special_dress", ("Ali",), "die_hard"),
    ("Pari", "Sacrifice myself to kill Taha", "blast", ("Taha",), None),
    ("Babak", "sacrifice myself to recruit Taha.", "yakuza_recruit", ("Taha",), None),
    ("Roya", "play doctor Lecter", "play", (), "doctor_lecter"),
    ("Roya", "cast Ali as public prosecutor", "cast", ("Ali",), "public_prosecutor"),
    ("Hamid", "save myself tonight", "lecter_save", ("Hamid",), None),
    ("Ali", "guess Reza90 is doctor", "guess", ("Reza90",), "doctor"),
    ("Ali", 'guess Reza90 is doctor because "I healed"', "guess", ("Reza90",), "doctor"),
    ("Laleh", "recruit Nima", "recruit", ("Nima",), None),
    ("Laleh", "bewitch Taha", "bewitch", ("Taha",), None),
    ("Dara", "possess Taha", "possess", ("Taha",), None),
    ("Nima", "guess sorcerer Taha", "find_sorcerer", ("Taha",), None),
    ("Nima", "guess sorcerer: Taha", "find_sorcerer", ("Taha",), None),
    ("Mina", "INFECT TAHA", "infect", ("Taha",), None),
    ("Mina", "swap Taha", "swap", ("Taha",), None),
    ("Omid", "poison Taha", "poison", ("Taha",), None),
    ("Omid", "poison Taha and stage the scene", "stage", ("Taha",), None),
    ("Omid", "probe Taha", "probe", ("Taha",), None),
    ("Farid", "conjure!", "conjure", (), None),
    ("Ziba", "rescue me", "rescue", ("Ziba",), None),
    ("Reza90", "protect Taha and myself", "protect", ("Taha", "Reza90"), None),
    ("Arash", "question Taha and shoot", "question_shoot", ("Taha",), None),
    ("Yas", "question Taha", "question", ("Taha",), None),
    ("Taha", "trap Yas", "trap", ("Yas",), None),
    ("کیوان", "guard Yas", "guard", ("Yas",), None),
    ("Golnar", "shield Yas", "shield", ("Yas",), None),
    ("Kian", "hide with Yas", "hide", ("Yas",), None),
    ("Behrouz", "forecast Yas, Taha", "forecast", ("Yas", "Taha"), None),
    ("Behrouz", "forecast Yas and Taha", "forecast", ("Yas", "Taha"), None),
    ("Parisa", "forecast Yas", "forecast", ("Yas",), None),
]
PERSIAN = [
    ("Ali", "قتل نیلوفر", "kill", ("نیلوفر",), None),
    ("Ghazal", "زندانی کردن نیلوفر", "imprison", ("نیلوفر",), None),
    ("Ghazal", "زندانی کردن نیلوفر و سم دادن", "prince_poison", ("نیلوفر",), None),
    ("Sara", "لباس رویین‌تن برای نیلوفر", "dress", ("نیلوفر",), "invulnerable"),
    ("Sara", "لباس ویژه کارآگاه برای Ali", "special_dress", ("Ali",), "detective"),
    ("Sara", "لباس خاص جان‌سخت برای Ali", "special_dress", ("Ali",), "die_hard"),
    ("Pari", "فدا کردن جان برای کشتن نیلوفر", "blast", ("نیلوفر",), None),
    ("Babak", "فدا کردن جان برای جذب نیلوفر", "yakuza_recruit", ("نیلوفر",), None),
    ("Roya", "ایفای نقش روان‌پریش", "play", (), "psychopath"),
    ("Roya", "تعویض نقش Ali به سم‌شناس", "cast", ("Ali",), "poisoner"),
    ("Hamid", "نجات خودم", "lecter_save", ("Hamid",), None),
    ("Ali", "حدس: نقش کیوان نگهبان است", "guess", ("کیوان",), "guard"),
    ("Ali", "حدس: نقش نیلوفر بی‌گناه بی‌نقش است", "guess", ("نیلوفر",), "innocent"),
    ("Ali", "حدس نقش کیوان نگهبان است چون «نگهبانی داد»", "guess", ("کیوان",), "guard"),
    ("Ali", "حدس می‌زنم نقش کیوان نگهبان است", "guess", ("کیوان",), "guard"),
    ("Arash", "پرسش از نیلوفر، شلیک", "question_shoot", ("نیلوفر",), None),
    ("Laleh", "جذب نیلوفر", "recruit", ("نیلوفر",), None),
    ("Laleh", "جادوی نیلوفر", "bewitch", ("نیلوفر",), None),
    ("Dara", "تسخیر نیلوفر", "possess", ("نیلوفر",), None),
    ("Nima", "حدس جادوگر: نیلوفر", "find_sorcerer", ("نیلوفر",), None),
    ("Mina", "آلوده کردن نیلوفر", "infect", ("نیلوفر",), None),
    ("Mina", "تعویض نقش اعدامی نیلوفر", "swap", ("نیلوفر",), None),
    ("Omid", "مسموم کردن نیلوفر", "poison", ("نیلوفر",), None),
    ("Omid", "مسموم کردن نیلوفر و صحنه‌سازی", "stage", ("نیلوفر",), None),
    ("Omid", "بررسی نیلوفر", "probe", ("نیلوفر",), None),
    ("Farid", "شعبده‌بازی", "conjure", (), None),
    ("Ziba", "ناجی نیلوفر", "rescue", ("نیلوفر",), None),
    ("Reza90", "حمایت از نیلوفر و خودم", "protect", ("نیلوفر", "Reza90"), None),
    ("Arash", "پرسش از نیلوفر و شلیک", "question_shoot", ("نیلوفر",), None),
    ("Arash", "پرسش نیلوفر", "question", ("نیلوفر",), None),
    ("Taha", "تله برای نیلوفر", "trap", ("نیلوفر",), None),
    ("کیوان", "نگهبانی از نیلوفر", "guard", ("نیلوفر",), None),
    ("Golnar", "محافظت از نیلوفر", "shield", ("نیلوفر",), None),
    ("Kian", "مخفی شدن نزد نیلوفر", "hide", ("نیلوفر",), None),
    ("Behrouz", "حدس اعدامی: نیلوفر، کیوان", "forecast", ("نیلوفر", "کیوان"), None),
    ("Parisa", "حدس اعدامی نیلوفر", "forecast", ("نیلوفر",), None),
]
SPELLINGS = {
    "as listed": lambda text: text,
    "Arabic letters": lambda text: text.replace("ی", "ي").replace("ک", "ك"),
    "a blank for the half-space": lambda text: text.replace("\u200c", " "),
    "no half-space": lambda text: text.replace("\u200c", ""),
    "harakat and tatweel": lambda text: text.replace("ن", "ن\u064e").replace("ر", "ر\u0640"),
    "no madda and no hamza": lambda text: text.replace("آ", "ا").replace("أ", "ا"),
    "politely": lambda text: f"سلام، لطفاً {text}. ممنون",
    "to the GM by name": lambda text: f"سلام گاد، {text} گاد جان",
    "as a wish": lambda text: f"گاد عزیز من می‌خواهم برای امشب {text}. با تشکر",
    "announced": lambda text: f"شب ۲: دستور من: {text}، ممنونم",
    "with thanks on a line": lambda text: f"سلام گاد عزیز،\n{text}\nبا تشکر",
    "direction marks": lambda text: f"\u200f{text}\u200e",
}


@pytest.mark.clause("PER-TEXT-01")
@pytest.mark.parametrize("code", ["en", "fa"])
def test_what_stands_is_shown_as_the_language_would_order_it(code: str) -> None:
    """A receipt's words can be sent back as they are."""
    for player, text, action, targets, role in PERSIAN:
        town = arrived(player, text)
        (shown,) = [as_written(act, code) for act in standing(town, player)]
        assert read(player, shown) == (action, targets, role), shown
        for name in targets:
            shown = shown.replace(name, "")
        assert shown.isascii() == (code == "en"), shown


@pytest.mark.parametrize(("player", "text", "action", "targets", "role"), ENGLISH, ids=[row[1] for row in ENGLISH])
def test_english_orders(player: str, text: str, action: str, targets: tuple[str, ...], role: str | None) -> None:
    for written in (text, text.upper(), f"Hi, please {text}", f"  {text}  ", f"[b]{text}[/b]", f"{text}\n\n> kill Sara\n-- \nkill Sara"):
        assert read(player, written) == (action, targets, role), written


@pytest.mark.clause("PER-TEXT-08")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_persian_orders_in_every_spelling(spelling: str) -> None:
    for player, text, action, targets, role in PERSIAN:
        written = SPELLINGS[spelling](text)
        assert read(player, written) == (action, targets, role), written


@pytest.mark.clause("PER-TEXT-08")
@pytest.mark.parametrize(
    ("player", "text", "action", "targets", "role"),
    [
        ("Sara", "لباس ویژه‌ی کارآگاه برای Ali", "special_dress", ("Ali",), "detective"),
        ("Sara", "لباس ویژهٔ کارآگاه برای Ali", "special_dress", ("Ali",), "detective"),
        ("Ali", "شب دوم: قتل نیلوفر", "kill", ("نیلوفر",), None),
        ("Reza90", "حمایت Taha و خودم", "protect", ("Taha", "Reza90"), None),
        ("Laleh", "جادو نیلوفر", "bewitch", ("نیلوفر",), None),
        ("Kian", "مخفی شدن پیش نیلوفر", "hide", ("نیلوفر",), None),
        ("Arash", "پرسش نیلوفر + شلیک", "question_shoot", ("نیلوفر",), None),
        ("Ghazal", "زندانی نیلوفر + سم", "prince_poison", ("نیلوفر",), None),
        ("Omid", "مسموم کردن نیلوفر + صحنه سازی", "stage", ("نیلوفر",), None),
    ],
)
def test_orders_as_they_are_said(player: str, text: str, action: str, targets: tuple[str, ...], role: str | None) -> None:
    assert read(player, text) == (action, targets, role)


def test_the_trial_is_written_with_either_ezafe() -> None:
    for text in ("محاکمه‌ی Ali، Sara و Yas", "محاکمهٔ Ali، Sara و Yas"):
        assert read("Navid", text, start="day 2") == ("accuse", ("Ali", "Sara", "Yas"), None)


def after_votes(*texts: str) -> tuple[list[str], list[str]]:
    """Who has Ali's vote, and what of his votes the GM is told of."""
    game = RULES.game(PLAYERS, seed="1", start="day 2")
    posts = tuple(PostInput(f"p{number}", "Ali", text) for number, text in enumerate(texts))
    events = play(RULES, RULES.begin(game), RULES.first_label(game), PhaseInputs(posts=posts), Choices(waived="all")).events
    tally = next(event for event in events if event.kind == "tally")
    return list(tally["published"]), [event["text"] for event in events if event.get("topic") == "unreadable"]


@pytest.mark.clause("PER-VOTE-08")
def test_a_vote_said_the_other_way_round_is_not_lost_without_a_word() -> None:
    for text in ("به نیلوفر رای می‌دهم", "من به نیلوفر رأی میدم!", "به نیلوفر راي مي دهم."):
        assert after_votes("[b]رای: کیوان[/b]", f"[b]{text}[/b]") == (["کیوان"], [text])
    for text in ("[b]به نظرم فردا رای‌گیری است[/b]", "به نیلوفر رای می‌دهم", "[b]به کی رای بدهم؟[/b]"):
        assert after_votes("[b]رای: کیوان[/b]", text) == (["کیوان"], [])


@pytest.mark.clause("PER-VOTE-08")
@pytest.mark.parametrize("text", ["رایم به نیلوفر", "رأیم: نیلوفر", "رای‌ام به نیلوفر"])
def test_my_vote_may_be_one_word(text: str) -> None:
    assert after_votes(f"[b]{text}[/b]") == (["نیلوفر"], [])


@pytest.mark.parametrize("line", ["سلام گاد", "درود، گاد عزیز!", "سلام همگی", "با تشکر", "ممنونم گاد جان", "سپاس"])
def test_greetings_on_a_line_of_their_own_ask_nothing_of_the_gm(line: str) -> None:
    town = arrived("Ali", f"{line}\nقتل نیلوفر\n{line}")
    assert [event["topic"] for event in town.events if event.kind == "notice"] == []
    assert len(standing(town, "Ali")) == 1


@pytest.mark.parametrize("action", actions())
def test_every_phrase_means_its_action_to_whoever_may_give_it(action: str) -> None:
    roster = {name: Found(name) for name in ("ali", "sara", "mina")}
    slots = {
        "player": lambda text: roster.get(text.strip(), Unknown()), "role": role_called, "text": lambda text: Found(text, "text"),
    }  # fmt: skip
    for role in actions()[action].roles or ("godfather", "sorcerer", "poisoner"):
        for phrase in actions()[action].phrases:
            text = phrase.replace("{player...}", "Ali, Sara").replace("{player}", "Ali").replace("{role}", "guard").replace("{text}", "so")
            reading = language(*of_roles(role)).read(text, slots)
            assert isinstance(reading, ReadOrder), text
            assert reading.id.split()[0] == action, text
            assert set(reading.values) <= {"ali", "sara", "guard", "so"}


@pytest.mark.clause("PER-TEXT-08")
@pytest.mark.parametrize("joined", ["زندانی‌کردن نیلوفر", "زندانيكردن نيلوفر", "زندانی  کردن نیلوفر", "زندانی_کردن نیلوفر"])
def test_persian_words_of_an_order_may_be_joined(joined: str) -> None:
    assert read("Ghazal", joined) == ("imprison", ("نیلوفر",), None)


@pytest.mark.clause("PER-TEXT-08")
@pytest.mark.parametrize("name", ["Reza90", "Reza۹۰", "reza٩٠", "REZA 90"])
def test_digits_of_three_kinds(name: str) -> None:
    assert read("Ali", f"قتل {name}") == ("kill", ("Reza90",), None)


@pytest.mark.parametrize("role", roles())
def test_every_role_is_known_by_id_and_both_names(role: str) -> None:
    row = roles()[role]
    for word in (role, row.english, row.persian, row.persian.replace("\u200c", " "), row.persian.replace("ی", "ي")):
        assert read("Ali", f"guess Sam Bakhtiar is {word}") == ("guess", ("Sam Bakhtiar",), role)
        assert read("Ali", f"حدس: نقش Sam Bakhtiar {word} است") == ("guess", ("Sam Bakhtiar",), role), word


def test_by_day() -> None:
    """Orders that belong to a day, in both languages."""
    for player, text, action, targets, role in (
        ("Mina", "disguise as guard", "disguise", (), "guard"),
        ("Mina", "تعویض نقش خود به نگهبان", "disguise", (), "guard"),
        ("Taha", "hunt Ali", "hunt", ("Ali",), None),
        ("Taha", "شکار Ali", "hunt", ("Ali",), None),
        ("Shirin", "frame Yas", "frame", ("Yas",), None),
        ("Shirin", "پاپوش برای نیلوفر", "frame", ("نیلوفر",), None),
        ("Vahid", "shoot Shirin", "shoot", ("Shirin",), None),
        ("Vahid", "شليك به Shirin", "shoot", ("Shirin",), None),
        ("Navid", "try Ali, Sara and Yas", "accuse", ("Ali", "Sara", "Yas"), None),
        ("Navid", "محاکمه نیلوفر، کیوان و Ali", "accuse", ("نیلوفر", "کیوان", "Ali"), None),
    ):
        assert read(player, text, start="day 2") == (action, targets, role)
    town = arrived("Navid", "محاکمه نیلوفر، کیوان، Ali\nارسال کیوان به دفاعیه", start="day 2")
    assert [act.id for act in standing(town, "Navid")] == ["accuse", "send"]
    assert standing(town, "Navid")[1].targets == ("کیوان",)


def test_the_deputy_and_the_infiltrator_mean_their_own_kill() -> None:
    assert read("Ghazal", "kill Yas", dead={"Ali": "godfather"})[0] == "kill"
    town = arrived("Nima", "kill Yas")
    assert [event["action"] for event in town.events if event.get("value") == "invalid"] == ["cult_kill"]


@pytest.mark.parametrize("action", [action for action in actions() if any(row[2] == action for row in ENGLISH)])
def test_orders_are_withdrawn_by_their_id(action: str) -> None:
    row = next(row for row in ENGLISH if row[2] == action)
    for verb in ("withdraw", "لغو"):
        assert standing(arrived(row[0], f"{row[1]}\n{verb} {action}"), row[0]) == []


@pytest.mark.clause("PER-NIGHT-07")
@pytest.mark.parametrize(
    ("player", "order", "back"),
    [
        ("Ali", "قتل Yas", "لغو قتل"), ("Yas", "پرسش از Ali", "لغو پرسش"), ("Kian", "hide with Yas", "لغو مخفی‌شدن"), ("Ali", "حدس: نقش Yas پلیس است", "لغو حدس نقش"),
        ("Ghazal", "زندانی کردن Yas", "لغو زندانی کردن و سم دادن"), ("Ghazal", "imprison Yas", "withdraw prince_poison"), ("Arash", "question Yas and shoot", "لغو پرسش"),
    ],
)  # fmt: skip
def test_an_order_is_withdrawn_by_its_persian_name_and_by_that_of_its_kin(player: str, order: str, back: str) -> None:
    """What a role message gives as the example, «لغو زندانی کردن و سم دادن», takes back a plain imprisonment too."""
    assert standing(arrived(player, order), player)
    assert standing(arrived(player, f"{order}\n{back}"), player) == []


def test_several_orders_in_one_message() -> None:
    town = arrived("Sara", "Dress Yas as guard; special dress Ali as police. Thanks")
    assert [(act.id, act.targets) for act in standing(town, "Sara")] == [("dress", ("Yas",)), ("special_dress", ("Ali",))]


@pytest.mark.parametrize(
    ("text", "nearest"),
    [("kill Taha or Yas", None), ("kill", "kill X"), ("kil Taha", "kill X"), ("murder everybody", None), ("guess Taha is wizard", "guess Taha is R")],
)
def test_what_cannot_be_read_is_shown_to_the_gm(text: str, nearest: str | None) -> None:
    town = arrived("Ali", text)
    assert standing(town, "Ali") == []
    told = [event for event in town.events if event.get("topic") == "unreadable"]
    assert [event.visibility for event in told] == ["gm"]
    assert told[0]["player"] == "Ali"
    assert nearest is None or told[0]["nearest"] == nearest


def test_a_name_that_fits_two_is_not_guessed() -> None:
    game = RULES.game({"Ali": "godfather", "Anna": "innocent", "Anne": "innocent", "Sara": "doctor"}, start="night 1")
    phase = RULES.new_phase(RULES.first_label(game), RULES.begin(game), PhaseInputs(), Choices())
    assert isinstance(phase, Town)
    RULES.arrive(phase, OrderInput("o", "Ali", "kill Ann"))
    assert phase.orders == {}
    assert [event["nearest"] for event in phase.events if event.get("topic") == "unreadable"] == ["Anna / Anne"]


MORNING = datetime(2026, 3, 1, 8, tzinfo=UTC)


@pytest.mark.clause("PER-NIGHT-06")
@pytest.mark.parametrize(
    ("text", "player", "hours", "first_vote", "reason"),
    [
        ("forecast Yas", "Behrouz", 0, None, None),
        ("forecast Yas", "Behrouz", 1, None, "too_late"),
        ("bewitch Yas", "Laleh", -1, None, None),
        ("bewitch Yas", "Laleh", 1, None, "too_late"),
        ("swap Yas", "Mina", 1, None, None),
        ("swap Yas", "Mina", 1, 2, None),
        ("swap Yas", "Mina", 3, 2, "too_late"),
    ],
)
def test_forecasts_by_the_clock(text: str, player: str, hours: int, first_vote: int | None, reason: str | None) -> None:
    game = RULES.game(PLAYERS, seed="1", start="day 2")
    posts = (PostInput("p", "Yas", "no votes here", MORNING),)
    if first_vote is not None:
        posts = (*posts, PostInput("v", "Yas", "[b]vote: Ali[/b]", MORNING + timedelta(hours=first_vote)))
    phase = RULES.new_phase(RULES.first_label(game), RULES.begin(game), PhaseInputs(posts=posts, begins=MORNING), Choices())
    assert isinstance(phase, Town)
    RULES.arrive(phase, OrderInput("o", player, text, MORNING + timedelta(hours=hours)))
    refused = [event["reason"] for event in phase.events if event.get("value") == "invalid"]
    assert refused == ([] if reason is None else [reason])
    assert len(standing(phase, player)) == (reason is None)


@pytest.mark.clause("PER-NIGHT-06")
def test_after_the_last_night_a_forecast_of_the_day_is_for_the_next() -> None:
    game = RULES.game(PLAYERS, seed="1", start="day 7")
    phase = RULES.new_phase(RULES.first_label(game), RULES.begin(game), PhaseInputs(begins=MORNING), Choices())
    assert isinstance(phase, Town)
    RULES.arrive(phase, OrderInput("o", "Behrouz", "forecast Yas", MORNING + timedelta(hours=1)))
    assert [act.about for act in standing(phase, "Behrouz")] == [8]


@pytest.mark.clause("PER-NIGHT-06", "PER-EXEC-02")
def test_such_a_forecast_is_answered_by_the_next_days_execution() -> None:
    game = RULES.game(PLAYERS, seed="1", start="day 7")
    late = OrderInput("o", "Behrouz", "forecast Yas", MORNING + timedelta(hours=1))
    first = play(RULES, RULES.begin(game), RULES.first_label(game), PhaseInputs(orders=(late,), begins=MORNING), Choices("1"))
    assert not [event for event in first.events if event.kind == "result" and event["to"] == "Behrouz"]
    assert first.following is not None
    vote = PostInput("v", "Behrouz", "[b]vote: Yas[/b]", MORNING + timedelta(days=1, hours=1))
    second = play(RULES, first.state, first.following, PhaseInputs(posts=(vote,), begins=MORNING + timedelta(days=1)), Choices("1"))
    assert [event["value"] for event in second.events if event.get("action") == "forecast" and event.kind == "result"] == ["right"]


@pytest.mark.clause("PER-NIGHT-06")
def test_what_the_dead_write_is_no_first_vote() -> None:
    game = RULES.game(PLAYERS, seed="1", start="day 2", setup={"dead": {"Yas": "innocent"}})
    posts = (PostInput("v", "Yas", "[b]vote: Ali[/b]", MORNING + timedelta(hours=1)),)
    phase = RULES.new_phase(RULES.first_label(game), RULES.begin(game), PhaseInputs(posts=posts, begins=MORNING), Choices())
    assert isinstance(phase, Town)
    RULES.arrive(phase, OrderInput("o", "Mina", "swap Ali", MORNING + timedelta(hours=2)))
    assert len(standing(phase, "Mina")) == 1


def test_what_stands_and_who_is_awaited() -> None:
    """A player is shown the own orders; by night those are reminded whose role has an order to give, emptied or not."""
    game = RULES.game(PLAYERS, seed="1", start="night 2", options={"language": "en"}, setup={"conditions": {"Taha": "powerless"}})
    orders = (OrderInput("o", "Ali", "kill Taha\nguess Yas is police"), OrderInput("p", "Reza90", "protect Taha and myself"))
    outcome = so_far(RULES, RULES.begin(game), RULES.first_label(game), PhaseInputs(orders=orders), Choices())
    assert list(outcome.standing["Ali"]) == ["kill Taha", "guess Yas is police"]
    both = RULES.game(PLAYERS, seed="1", start="night 2", options={"language": "both"})
    told = so_far(RULES, RULES.begin(both), RULES.first_label(both), PhaseInputs(orders=orders), Choices())
    assert list(told.standing["Ali"]) == ["قتل Taha / kill Taha", "حدس: نقش Yas پلیس است / guess Yas is police"]
    assert set(outcome.awaited.values()) == {"order"}
    assert {"Taha", "Yas", "کیوان"} <= set(outcome.awaited)
    assert not {"Ali", "Reza90", "نیلوفر", "Shirin", "Behrouz", "Parisa", "Vahid"} & set(outcome.awaited)
