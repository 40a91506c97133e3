"""Orders as players write them: what each text is read as, what waits for the GM, and what later orders replace."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine.inputs import OrderInput
from engine.state import Label
from parser.orders import AmbiguousOrder, ReadOrder, UnreadableOrder
from rulesets.conan import orders, wording
from rulesets.conan.actions import actions, language
from rulesets.conan.cast import label_of, roles
from rulesets.conan.deeds import CHARGES, VERBS
from rulesets.conan.draft import Draft
from rulesets.conan.work import Act, Scene
from tests.conan_games import RULES, opened, random_game

PLAYERS = {
    "Abs": "gin", "Kleene": {"role": "heiji", "aliases": ["Kle"]}, "Jd-": "araide", "Parkur": "camel", "Dr. K": "vodka",
    "Ann and Bo": "kir", "O'Brien": "eri", "Mr. Mustard": "sonoko", 'The "Duke"': "ran", "PhoenixTears": "eisuke",
    "xpon": "kaitou_kid", "Conia": "megure", "Me": "shinichi",
}  # fmt: skip
TEXTS = Path(__file__).parent / "conan_orders.txt"
"""One text a line (⏎ for a line end) and what it is read as: action, targets, roles, [doer deed object phase], «text», (order)."""


def scene(start: str = "night 2", players: dict[str, object] | None = None, **setup: object) -> Scene:
    game = RULES.game(players or PLAYERS, start=start, setup=setup)
    return opened(RULES.begin(game), RULES.first_label(game))


def said(draft: Draft) -> str:
    parts = [f"cancel {draft.action.id}" if draft.cancel else draft.action.id]
    parts += ["|".join(draft.targets)] if draft.targets else []
    parts += ["as " + "|".join(draft.roles)] if draft.roles else []
    if draft.question is not None:
        asked = draft.question
        thing = "+".join(asked.object) if isinstance(asked.object, tuple) else asked.object
        parts.append(f"[{asked.doer or '-'} {asked.deed} {thing or '-'} {asked.when or '-'}]")
    parts += [f"«{draft.text}»"] if draft.text is not None else []
    parts += [f"({said(draft.inner)})"] if draft.inner is not None else []
    return " ".join(parts)


def readings(text: str, at: Scene, sender: str = "Me") -> list[str]:
    found: list[str] = []
    last: Draft | None = None
    for reading in orders.readings(orders.roster_of(at), sender, text):
        match reading:
            case ReadOrder(id_, values, written):
                draft = orders._draft(sender, id_.split(), values, last)
                found.append(f"?? {written}" if draft is None else said(draft))
                last = draft if draft is not None and not draft.cancel else last
            case AmbiguousOrder(written, _, candidates):
                found.append(f"Ambig {written} -> {' / '.join(candidates)}")
            case UnreadableOrder(written, _, nearest):
                found.append(f"Unrea {written} -> {orders.shown(nearest)}")
    return found


WILLS = {
    "will:\nI interrogated Abs N1: BO\nKleene heals Abs: true\n- Trust Jd-. Thanks!\n\nsee you in May\nkill Abs": [
        "will «I interrogated Abs N1: BO\nKleene heals Abs: true\n- Trust Jd-. Thanks!»", "kill Abs",
    ],
    "kill Abs. will: I was x. He was y; kill Jd-.\nheal Xerxes": ["kill Abs", "will «I was x. He was y; kill Jd-.\nheal Xerxes»"],
    "will: a\nKleene healed Abs on N1\ninterrogate Abs": ["will «a\nKleene healed Abs on N1»", "interrogate Abs"],
    "will:\n\nThanks for all, see you": ["will"],
}


@pytest.mark.clause("CON-GEN-05", "CON-GEN-07")
@pytest.mark.parametrize("text", WILLS)
def test_a_will_goes_on_with_the_lines_right_below_it_that_order_nothing(text: str) -> None:
    read = readings(text, scene())
    assert [one for one in read if not one.startswith("Unrea ")] == WILLS[text]


def test_what_could_be_an_order_below_a_will_is_shown_to_the_gm_besides() -> None:
    assert "Unrea heal Xerxes -> heal X" in readings("will: a\nheal Xerxes", scene())


def test_each_text_is_read_as_on_file() -> None:
    at = scene()
    lines = [line.split("  =>  ") for line in TEXTS.read_text(encoding="utf-8").splitlines() if line]
    assert len(lines) > 400
    wrong = [(text, came) for text, wanted in lines if (came := " & ".join(readings(text.replace(" ⏎ ", "\n"), at))) != wanted]
    assert wrong == []


FILLED = {
    "player": "Kleene", "player...": "Abs, Dr. K and Ann and Bo", "role": "Kaitou Kid", "role...": "Ran, Heiji, Eri",
    "question": "Jd- heals Parkur", "past": "Jd- healed Parkur on night 1", "charge": "killing Jd- on night 1",
    "last": "Jd- healed Parkur", "number": "2", "blame": "killing Jd-", "order": "interrogate Kleene", "ability": "heal",
    "item": "gun", "text": "a word",
}  # fmt: skip


def test_the_canonical_order_of_every_action_is_read_as_that_action() -> None:
    at = scene()
    for action in actions().values():
        for phrase in action.phrases:
            text = re.sub(r"\{([\w.]+)\}", lambda slot: FILLED[slot[1]], re.sub(r"\(([^(){}]*)\) ?", r"\1 ", phrase))
            for written in (text, text.capitalize(), f"  {text} please. ", text.replace(" ", "  ", 1)):
                read = readings(written, at)
                assert len(read) == 1, (written, read)
                wanted = "interrogate" if action.id == "stand_in" else action.id  # what is sent for an inactive player is that order
                assert read[0].split(" ")[0] == wanted, (written, read)


EVERYBODY = {
    "Abs": {"role": "anokata", "town_role": "tome"}, "Kleene": "gin", "Jd-": "araide", "Parkur": "camel", "Dr. K": "vodka", "Conia": "megure",
    "Me": "shinichi", "Kaz": "kazuha", "Aga": "agasa", "Gen": "genta", "Yuk": "yukiko", "Son": "sonoko", "Yum": "yumi", "Kuj": "kujou",
    "Eri": "eri", "Cal": "calvados", "Hak": "hakuba", "Kid": "kaitou_kid", "Pis": "pisco", "Akai": "akai", "Nak": "nakamori", "Ran": "ran",
}  # fmt: skip


@pytest.mark.parametrize("start", ["prep", "night 1", "night 2", "day 1"])
def test_whoever_sends_whatever_can_be_read_is_heard_and_nothing_breaks(start: str) -> None:
    at = scene(start, EVERYBODY, suitcase="Abs", bowtie="Me", lovers=[["Eri", "Kuj"]], friend={"Son": "Jd-"})
    filled = {**FILLED, "player...": "Abs, Dr. K and Kleene", "order": "heal Kleene"}
    order = OrderInput("one", "Abs", "")
    for phrase in language().phrases:
        text = re.sub(r"\{([\w.]+)\}", lambda slot: filled[slot[1]], re.sub(r"\(([^(){}]*)\) ?", r"\1 ", phrase.pattern))
        for reading in orders.readings(orders.roster_of(at), "Abs", text):
            if isinstance(reading, ReadOrder) and not reading.id.startswith("more"):
                draft = orders._draft("Abs", reading.id.split(), reading.values, None)
                assert draft is not None
                if draft.innermost.action.aim != "question" or draft.innermost.question is not None:
                    for sender in EVERYBODY:
                        orders._enter(at, order, replace(draft, sender=sender))
    assert len(at.entered) > 12 or start == "prep"
    RULES.close(at)


FORMS = {"player": "Dr. K", "role": "kid", "none": "", "ability": "first aid", "players": "Abs and Ann and Bo"}


def forms(pattern: str) -> list[str]:
    """Texts that a pattern of verbs matches: each of its alternatives without and with what may be left out."""
    found = []
    for one in re.split(r"\|(?![^(]*\))", pattern):
        plain = one.replace("(?:", "(")
        short = re.sub(r"\(([^()|]*)(?:\|[^()]*)?\)(?!\?)", r"\1", re.sub(r"(?:\([^()]*\)|\[[^\]]*\]|\w)\?", "", plain))
        found.append(re.sub(r"\[([^\]])[^\]]*\]", r"\1", short))
    found += ["special investigates", "investigated", "lends the bow-tie to", "lent bowtie to", "travelled", "traveled abroad"]
    return [text for text in found if re.fullmatch(pattern, text)]


@pytest.mark.parametrize("deed", VERBS)
def test_every_verb_asks_for_its_deed(deed: str) -> None:
    at = scene()
    kind, pattern = VERBS[deed]
    tried = forms(pattern)
    assert tried
    for verb in tried:
        for doer in ("Jd-", "Ann and Bo", 'The "Duke"'):
            text = f"{doer} {verb} {FORMS[kind]}".strip()
            for written, when in ((f"investigate {text}", "-"), (f"SI: {text} on night 1", "night 1"), (f"si {text} N1", "night 1")):
                (read,) = readings(written, at)
                assert f"[{doer} {deed} " in read, (written, read)
                assert read.endswith(f" {when}]"), (written, read)


@pytest.mark.parametrize("crime", CHARGES)
def test_every_gerund_charges_with_its_crime(crime: str) -> None:
    at = scene()
    kind, pattern = CHARGES[crime]
    for gerund in forms(pattern):
        for officer in ("Dr. K", "Ann and Bo", "O'Brien"):
            for when, label in (("on night 1", "night 1"), ("N1", "night 1"), (", D1", "day 1"), ("in prep", "prep")):
                text = f"arrest {officer} for {gerund} {FORMS[kind]} {when}"
                (read,) = readings(text, at)
                assert read.startswith(f"arrest {officer} [- {crime} "), (text, read)
                assert read.endswith(f" {label}]"), (text, read)


@pytest.mark.parametrize("role", roles())
def test_every_role_by_id_and_name(role: str) -> None:
    at = scene()
    for word in (role, roles()[role].name, roles()[role].name.upper(), role.replace("_", " ")):
        assert readings(f"detect {word}", at) == [f"detect as {role}"]
        assert readings(f"aptx Ann and Bo as {word}", at) == [f"aptx Ann and Bo as {role}"]


@pytest.mark.parametrize("name", PLAYERS)
def test_every_name_in_every_writing(name: str) -> None:
    at = scene()
    for written in (name, name.lower(), name.upper(), f'"{name}"', f"@{name}", f"{name}.", f" {name} "):
        assert readings(f"heal {written}", at) == [f"heal {name}"], written
    assert readings(f"kill {name}. Slander {name}; steal from {name}", at) == [f"kill {name}", f"slander {name}", f"steal {name}"]
    assert readings(f"order {name} to kill Kleene", at) == [f"order_kill {name}|Kleene"]
    assert readings(f"give suitcase to {name}, else Abs", at) == [f"black_suitcase {name}|Abs"]


def sent(at: Scene, player: str, *texts: str) -> list[str]:
    """What is entered after these messages."""
    for number, text in enumerate(texts):
        RULES.arrive(at, OrderInput(f"{player} {number}", player, text))
    return [f"{act.id} {act.target or act.role or ''}".strip() for act in at.entered.get(player, [])]


def told(at: Scene, topic: str) -> list[tuple[str, str | None]]:
    return [(event["text"], event["nearest"]) for event in at.events if event.get("topic") == topic]


@pytest.mark.clause("CON-GEN-10", "CON-GEN-16")
def test_what_cannot_be_read_waits_for_the_gm_with_the_nearest_phrase() -> None:
    at = scene()
    assert sent(at, "Jd-", "heal Zoe", "heel Kleene", "I think Abs is Gin", "Kleene kills Abs", "heal Kleene") == ["heal Kleene"]
    assert told(at, "unreadable") == [
        ("heal Zoe", "heal X"), ("heel Kleene", "heal X"), ("I think Abs is Gin", None), ("Kleene kills Abs", "investigate X heals Y"),
    ]  # fmt: skip


def test_a_heading_with_nothing_below_it_waits_too() -> None:
    at = scene()
    assert sent(at, "Me", "Investigate:", "Investigate:\n- Jd- heals Parkur\n- Abs kills Jd-") == ["investigate Jd-", "investigate Abs"]
    assert told(at, "unreadable") == [("investigate", "investigate X heals Y")]


@pytest.mark.clause("CON-BACKUP-05")
def test_questions_go_on_below_one_that_is_refused() -> None:
    at = scene(conditions={"Conia": "dead"})
    assert sent(at, "Me", "investigate Conia heals Parkur; Jd- heals Parkur; Abs kills Jd-") == ["investigate Jd-", "investigate Abs"]


def test_an_order_taken_back_is_gone_and_others_stay() -> None:
    at = scene(players={**PLAYERS, "Parkur": "camel"})
    assert sent(at, "Abs", "kill Kleene; slander Jd-; steal from xpon", "cancel steal; withdraw my kill") == ["slander Jd-"]
    assert sent(at, "Parkur", "age-observe Abs", "cancel observe") == []


@pytest.mark.clause("CON-GEN-07", "CON-GEN-08")
def test_later_orders_replace_earlier_ones_when_the_phase_closes() -> None:
    at = scene()
    sent(at, "Jd-", "heal Kleene", "heal Abs")
    sent(at, "Me", "investigate Jd- heals Abs; Jd- heals Me", "interrogate Abs")
    RULES.close(at)
    assert [(act.to, act.id, act.target) for act in at.acts] == [("Jd-", "heal", "Abs"), ("Me", "interrogate", "Abs")]
    refused = [event["action"] for event in at.events if event.get("topic") == "order_rejected" and event["to"] == "Me"]
    assert refused == ["investigate", "investigate"]


def same(act: Act) -> tuple[object, ...]:
    more = {key: value for key, value in act.more.items() if key not in ("ordered", "as")}
    return (act.actor, act.to, act.id, act.targets, act.role, act.question, act.via, str(more))


@pytest.mark.parametrize("seed", range(2))
def test_an_order_as_a_receipt_has_it_is_that_order(seed: int) -> None:
    tried = 0
    for state, outcome, inputs in random_game(random.Random(seed), days=4):
        phase = outcome.events[0].phase
        label = Label("prep", 0, "prep") if phase == "prep" else label_of(phase)
        at = opened(state, label)
        for order in inputs.orders:
            RULES.arrive(at, order)
        for player, acts in at.entered.items():
            costumes = [act for act in acts if act.id == "choose_costumes"]
            for act in [act for act in acts if act.id not in ("cover", "choose_costumes")]:
                again = opened(state, label)
                again.entered[player] = list(costumes)
                RULES.arrive(again, OrderInput("again", player, wording.written(act)))
                read = [one for one in again.entered[player][len(costumes) :] if one.id != "cover"]
                assert list(map(same, read)) == [same(act)], wording.written(act)
                tried += 1
    assert tried > 200


@pytest.mark.parametrize(
    ("sender", "sent", "shown"),
    [
        ("Abs", "give the suitcase to Kle or else Jd-", ["give suitcase to Kleene, else Jd-"]),
        ("Abs", "APTX: kleene = heiji", ["aptx Kleene as Heiji"]),
        ("Conia", "Arrest Abs (killing kle, N1)", ["arrest Abs for killing Kleene on night 1"]),
        ("Conia", "Arrest Abs for being the boss of the BO", ["arrest Abs for being a BO member"]),
        ("Conia", "arrest Abs for being gin", ["arrest Abs for being Gin"]),
        ("Conia", "arrest Abs for helping Kle to kill", ["arrest Abs for helping"]),
        ("Conia", "arrest Abs for cross examining Kle N1", ["arrest Abs for interrogating Kleene on night 1"]),
        ("Jd-", "will: I am Araide. Trust Kle!", ["will: I am Araide. Trust Kle!"]),
    ],
)  # fmt: skip
def test_a_receipt_says_orders_as_players_write_them(sender: str, sent: str, shown: list[str]) -> None:
    at = scene("day 2")
    RULES.arrive(at, OrderInput("one", sender, sent))
    assert RULES.standing(at, sender) == shown


@pytest.mark.parametrize(
    ("text", "entered", "waits"),
    [
        ("Night 2:\nkill Kle\nNight 3:\nkill Jd-", ["kill Kleene"], ["Night 3:\nkill Jd-"]),
        ("N3: kill Kle", [], ["N3: kill Kle"]),
        ("N2: kill Kle\nD2: vote Kle", ["kill Kleene"], ["D2: vote Kle"]),
        ("[quote]Night 1\nkill xpon[/quote]kill Jd-", ["kill Jd-"], []),
        ("use arrest on Kleene", [], ["use arrest on Kleene"]),
        ("use my kill on Kleene", ["kill Kleene"], []),
    ],
)
def test_what_is_sent_for_another_phase_waits(text: str, entered: list[str], waits: list[str]) -> None:
    at = scene()
    assert sent(at, "Abs", text) == entered
    assert [said for said, _ in told(at, "unreadable")] == waits


@pytest.mark.clause("CON-FU-09", "CON-ROLE-39")
def test_pofa_is_a_player_and_no_role() -> None:
    assert "pofa" not in roles()
    assert readings("detect pofa", scene()) == ["Unrea detect pofa -> detect R"]


@pytest.mark.clause("CON-GEN-04")
def test_what_is_written_in_the_thread_is_no_order_and_no_vote() -> None:
    from engine.choices import Choices
    from engine.inputs import PhaseInputs, PostInput
    from engine.play import play

    game = RULES.game(PLAYERS, start="day 1")
    posts = tuple(PostInput(f"post {n}", name, "[b]vote Abs[/b]") for n, name in enumerate(PLAYERS))
    outcome = play(RULES, RULES.begin(game), RULES.first_label(game), PhaseInputs(posts=posts), Choices())
    lynch = next(event for event in outcome.events if event.kind == "lynch")
    assert lynch["player"] is None
    assert lynch["reason"] == "no_votes"


_SAMPLES = {
    "player": "Kleene", "role": "Ran", "item": "gun", "ability": "heal", "text": "words", "question": "Jd- heals Abs",
    "past": "Jd- healed Abs on night 1", "last": "Jd- healed Kleene", "charge": "killing Jd- on night 1", "blame": "stealing from Jd-",
}  # fmt: skip


def _written(pattern: str, order: str = "heal Kleene") -> str:
    return re.sub(r"\{(\w+)(?:\.\.\.)?\}", lambda slot: _SAMPLES.get(slot[1], order), pattern)


@pytest.mark.clause("CON-GEN-10", "CON-GEN-13")
@pytest.mark.parametrize("share", range(3))
def test_no_order_stops_the_game_however_it_is_nested(share: int) -> None:
    """Each order by itself in each kind of phase, and half of them in every other in one of them."""
    start = ("prep", "night 2", "day 2")[share]
    players = PLAYERS | {"Parkur": "calvados"}
    setup = {} if start != "night 2" else {"suitcase": "Parkur", "bowtie": "Parkur"}
    at = scene(start, players, **setup)
    ways = {phrase.id: phrase.pattern for phrase in language().phrases}
    holding = [action.phrases[0] for action in actions().values() if action.aim == "order"]
    texts = [_written(pattern) for pattern in ways.values()]
    texts += [_written(outer, inner) for outer in holding for inner in texts[share::6]]
    assert len(holding) == 6
    for number, text in enumerate(texts):
        orders.arrive(at, OrderInput(f"order {number}", "Parkur", text))
