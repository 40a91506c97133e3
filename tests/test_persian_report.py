"""The night report: every rule of it held against many nights by a checker of its own, and no clue to the true text."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

import pytest

from engine.choices import Choices, UnknownChoice
from engine.events import Event
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.play import play
from engine.state import Label
from rulesets.persian.cast import PerState, roles
from tests.persian_games import NAMES, RULES, Played, random_game

Said = tuple[str, str | None, str | None, int | None]
DEATHS = ("died", "died_as", "role_died")


def texts_of(events: Sequence[Event]) -> dict[str, list[Said]]:
    """The statements of each text in their order."""
    found: dict[str, list[tuple[int, Said]]] = defaultdict(list)
    for event in events:
        if event.get("topic") == "night_report" and "says" in event.data:
            said = (event["says"], event.get("player"), event.get("role"), event.get("count"))
            found[event["text"]].append((event["number"], said))
    for rows in found.values():
        assert [number for number, _ in rows] == list(range(1, len(rows) + 1))
    return {letter: [said for _, said in rows] for letter, rows in sorted(found.items())}


def holds(said: Said, record: dict[str, str]) -> bool:
    """PER-REPORT-07: measured by who died and the role announced."""
    says, player, role, count = said
    return {
        "died": player in record,
        "died_as": record.get(player or "") == role and role is not None,
        "role_died": role in record.values(),
        "count": count == len(record),
        "survived": player not in record,
    }[says]


def some_night_would_fit(text: Sequence[Said], alive: Sequence[str], told: Sequence[str]) -> bool:
    """PER-REPORT-10, by trying: give each role that must have died to somebody who may have."""
    dead: dict[str, str | None] = {}
    for says, player, role, _ in text:
        if says in ("died", "died_as"):
            assert player is not None
            if role is not None and dead.get(player) not in (None, role):
                return False
            dead[player] = role or dead.get(player)
    survivors = {player for says, player, _, _ in text if says == "survived"}
    counts = {count for says, _, _, count in text if says == "count"}
    wanted = {role for says, _, role, _ in text if says == "role_died"}
    if survivors & set(dead) or len(counts) > 1 or not wanted <= set(told):
        return False

    def fits(dead: dict[str, str | None], left: list[str]) -> bool:
        if not left:
            most = len(alive) - len(survivors)
            return len(dead) <= most and all(len(dead) <= (count or 0) <= most for count in counts)
        role, rest = left[0], left[1:]
        if role in dead.values():
            return fits(dead, rest)
        unsettled = [name for name, has in dead.items() if has is None]
        others = [name for name in alive if name not in dead and name not in survivors]
        return any(fits({**dead, name: role}, rest) for name in [*unsettled, *others[:1]])

    return fits(dead, sorted(role for role in wanted if role))


def nights(seeds: range, **options: Any) -> Iterator[Played]:
    for seed in seeds:
        for played in random_game(random.Random(seed), phases=9, night_report=True, **options):
            if any(event.get("topic") == "night_report" for event in played.outcome.events):
                yield played


def check(played: Played) -> int:
    """Everything that the clauses say of a report. The number of deaths of the night."""
    state, events = played.outcome.state, played.outcome.events
    assert isinstance(state, PerState)
    options = state.game.options
    alive = [name for name in state.game.names if played.before.here(name)]
    deaths = [event for event in events if event.get("topic") == "death_record"]
    record = {event["player"]: event["role"] for event in deaths}
    hidden = {event["player"]: event["true_role"] for event in deaths if event["true_role"] != event["role"]}
    texts, told = texts_of(events), options["report_roles"] or [role for role in roles() if role != "devotee"]
    key = {event["text"]: (event["false_statements"], event["true_statements"]) for event in events if event.get("topic") == "report_key"}
    head = next(event for event in events if event.get("topic") == "night_report" and "texts" in event.data)
    warned = any(event.get("topic") == "report_warning" and "per_text" not in event["text"] for event in events)

    assert list(texts) == list("ABCD")  # PER-REPORT-02
    assert (head["night"], head["texts"], head["true_texts"]) == (played.outcome.label.number, 4, 1)
    published = options["false_counts_published"]
    assert head.get("false_counts") == (None if published == "none" else sorted([0, *options["false_counts"]]))
    beside = {event["text"]: event["false_statements"] for event in events if event.kind == "announce" and "false_statements" in event.data}
    assert beside == ({letter: false for letter, (false, _) in key.items()} if published == "per_text" else {})  # PER-REPORT-05
    assert len({len(text) for text in texts.values()}) == 1  # PER-REPORT-08
    size = len(texts["A"])
    if warned:  # a night of very few players, or one of which too much is left out: the GM looks it over (PER-REPORT-20)
        assert len(alive) < 4 or played.town.omitted
        return len(record)
    silent = set(played.town.omitted) & set(record)
    truths = [("count", None, None, len(record)), *(("survived", name, None, None) for name in alive if name not in record)]
    kept = {role for name, role in record.items() if name not in silent}
    for name, role in record.items():
        if name not in silent:
            truths.append(("died", name, None, None))
            if role in told and hidden.get(name) != role:
                truths.append(("died_as", name, role, None))
    banned = {role for role in hidden.values() if role not in record.values()}
    truths += [("role_died", None, role, None) for role in kept if role in told and role not in banned]
    assert size == max(min(options["statements_per_text"], len(truths) - 1), max(options["false_counts"]))
    assert len({frozenset(text) for text in texts.values()}) == 4
    assert sorted(false for false, _ in key.values()) == sorted([0, *options["false_counts"]])  # PER-REPORT-04
    leaving = {name for name in alive if "left_game" in state.conditions[name]}
    for letter, text in texts.items():
        assert len(set(text)) == len(text)
        false = [said for said in text if not holds(said, record)]
        assert key[letter] == (len(false), len(text) - len(false))  # PER-REPORT-19
        assert some_night_would_fit(text, alive, told), text
        for says, player, role, _ in text:
            assert says in (*DEATHS, "count", "survived")  # PER-REPORT-06
            assert player is None or player in alive  # PER-REPORT-16
            assert role is None or (role in told and role != "devotee")  # PER-REPORT-13 -14
            assert not (says in ("died", "died_as") and player in leaving and player not in record)
            assert not (says == "died_as" and hidden.get(player or "") == role)  # PER-REPORT-11
            assert not (says == "role_died" and role in banned)
            if says == "died_as" and player not in record and player is not None:  # PER-REPORT-12
                shown = [*state.dressed.get(player, {}).values()]
                if player in state.played and str(played.outcome.label) in state.played[player][1]:
                    shown.append(state.played[player][0])
                assert role not in (played.before.role(player), state.role(player), *shown)
        if not false:  # PER-REPORT-03 -09
            about = [said for said in text if said[0] in DEATHS]
            there = sum(said[0] in DEATHS for said in truths)
            assert len(about) >= min(options["report_true_minimum"], there)
            assert not any(said[1] in silent for said in text)
    return len(record)


@pytest.mark.clause(
    "PER-REPORT-02", "PER-REPORT-03", "PER-REPORT-04", "PER-REPORT-06", "PER-REPORT-07", "PER-REPORT-08", "PER-REPORT-09",
    "PER-REPORT-10", "PER-REPORT-11", "PER-REPORT-12", "PER-REPORT-13", "PER-REPORT-14", "PER-REPORT-16", "PER-REPORT-18",
    "PER-REPORT-19",
)  # fmt: skip
def test_every_report_of_many_nights_keeps_the_rules() -> None:
    deaths = Counter(check(played) for played in nights(range(50)))
    assert deaths[0] > 15
    assert deaths[1] > 12
    assert sum(deaths[number] for number in deaths if number > 2) > 2


def test_the_checker_finds_what_is_wrong() -> None:
    """A statement put in, taken out or turned round does not pass."""
    played = next(one for one in nights(range(20)) if any(e.get("topic") == "death_record" for e in one.outcome.events))
    events = list(played.outcome.events)
    at = next(n for n, event in enumerate(events) if event.get("says") == "survived")
    wrong = Event("announce", events[at].phase, "public", (), {**events[at].data, "says": "died"})
    for broken in (events[:at] + events[at + 1 :], [*events[:at], wrong, *events[at + 1 :]]):
        outcome = type(played.outcome)(played.outcome.label, tuple(broken), played.outcome.state, None)
        with pytest.raises(AssertionError):
            check(Played(played.before, played.town, outcome, played.inputs, played.choices))


def a_night(
    seed: str, orders: dict[str, str], *, players: dict[str, str] | None = None, pins: dict[str, Any] | None = None,
    commands: tuple[str, ...] = (), **options: Any,
) -> tuple[Event, ...]:  # fmt: skip
    """The events of one night 2 with these orders."""
    dealt = players or dict(zip(NAMES, ("godfather", "prince", "tailor", "doctor", "police", "guard", *["innocent"] * 6), strict=False))
    game = RULES.game(dealt, seed=seed, options=options, start="night 2")
    sent = tuple(OrderInput(f"o{n}", name, text) for n, (name, text) in enumerate(orders.items()))
    inputs = PhaseInputs(orders=sent, commands=tuple(CommandInput(f"c{n}", text) for n, text in enumerate(commands)))
    return play(RULES, RULES.begin(game), Label("night", 2, "night"), inputs, Choices(seed, pins or {})).events


def shape(text: Sequence[Said]) -> tuple[int, int, int]:
    return (
        sum(said[0] in DEATHS for said in text), sum(said[0] == "count" for said in text), sum(said[0] == "survived" for said in text)
    )  # fmt: skip


def repeated(text: Sequence[Said]) -> int:
    """How often a text speaks twice of one victim: by the same name, or by the same role."""
    told = [(said[1], said[2]) for said in text if said[0] in DEATHS]
    return sum(one[0] == other[0] is not None or one[1] == other[1] is not None for one, other in combinations(told, 2))


Night = tuple[str, dict[str, str], dict[str, list[Said]]]


@pytest.fixture(scope="module")
def mixed() -> list[Night]:
    """Many nights without a death, with one and with two: the letter of the true text, who died as what, and all texts."""
    found = []
    for seed in range(600):
        victims = [("Omid", "police"), ("Nima", "guard"), ("Mina", "doctor")]
        victims = random.Random(seed).sample(victims, (0, 1, 1, 2)[seed % 4])
        sent = [("Ali", f"kill {name}") if place == 0 else ("Sara", f"guess {name} is {role}") for place, (name, role) in enumerate(victims)]
        orders = dict(sent)
        events = a_night(f"s{seed}", orders)
        record = {event["player"]: event["role"] for event in events if event.get("topic") == "death_record"}
        assert record == dict(victims)
        key = {event["text"]: event["false_statements"] for event in events if event.get("topic") == "report_key"}
        found.append((next(letter for letter, false in key.items() if not false), record, texts_of(events)))
    return found


def even(counts: Sequence[int]) -> bool:
    """Whether counts could come of fair dice: chi square below what one try in a thousand exceeds (3 degrees: 16.3)."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts) < 16.3


@pytest.mark.clause("PER-REPORT-21")
def test_the_true_text_stands_anywhere_equally_often(mixed: list[Night]) -> None:
    assert even([sum(true == letter for true, _, _ in mixed) for letter in "ABCD"])


@pytest.mark.clause("PER-REPORT-21")
def test_kinds_places_and_length_give_the_true_text_away_to_nobody(mixed: list[Night]) -> None:
    """A reader who knows how often each shape, and each kind at each place, is true does no better than by the dice."""
    half = len(mixed) // 2

    def guessed(by: Any) -> float:
        seen: Counter[Any] = Counter()
        true: Counter[Any] = Counter()
        for letter, _, texts in mixed[:half]:
            for other, text in texts.items():
                seen[by(text)] += 1
                true[by(text)] += other == letter
        hits = 0.0
        for letter, _, texts in mixed[half:]:
            chance = {other: (true[by(text)] + 1) / (seen[by(text)] + 4) for other, text in texts.items()}
            best = [other for other, value in chance.items() if value == max(chance.values())]
            hits += (letter in best) / len(best)
        return hits / (len(mixed) - half)

    limit = 0.25 + 3.3 * (0.25 * 0.75 / half) ** 0.5
    assert guessed(shape) < limit
    assert guessed(lambda text: tuple(said[0] in DEATHS for said in text)) < limit
    assert guessed(lambda text: text[0][0]) < limit
    assert guessed(lambda text: text[-1][0]) < limit
    assert guessed(len) < limit
    assert guessed(repeated) < limit
    assert guessed(lambda text: (shape(text), repeated(text))) < limit
    silent = [sum(not shape(text)[0] for text in texts.values()) for _, _, texts in mixed]
    assert set(silent) == {1}  # whether a night was quiet shows in nothing


def could_be(told: Sequence[tuple[Said, bool]], alive: int) -> bool:
    """Whether there is a night in which just these statements are true and those false."""
    dead: dict[str | None, str | None] = {}
    not_as: dict[str | None, set[str | None]] = defaultdict(set)
    living, named, unnamed, numbers = set(), set(), set(), {True: set[int | None](), False: set[int | None]()}
    for (says, player, role, count), true in told:
        if says == "count":
            numbers[true].add(count)
        elif says == "role_died":
            (named if true else unnamed).add(role)
        elif says == "died_as" and true:
            if dead.get(player) not in (None, role):
                return False
            dead[player] = role
        elif says == "died_as":
            not_as[player].add(role)
        elif (says == "died") == true:
            dead.setdefault(player, None)
        else:
            living.add(player)
    if named & unnamed or living & dead.keys() or len(numbers[True]) > 1:
        return False
    if any(role in unnamed or role in not_as[player] for player, role in dead.items() if role):
        return False
    free = [player for player, role in dead.items() if role is None]
    more = 0
    for role in named - set(dead.values()):
        fitting = next((player for player in free if role not in not_as[player]), None)
        more += fitting is None
        free = [player for player in free if player != fitting]
    possible = set(range(len(dead) + more, alive - len(living) + 1)) - numbers[False]
    return bool(possible & numbers[True] if numbers[True] else possible)


def not_ruled_out(texts: dict[str, list[Said]], alive: int) -> set[str]:
    """The texts that a reader who knows the numbers 0, 1, 2, 3 cannot show to be misleading by reasoning alone."""
    ways = {
        (letter, false): [[(said, place not in lies) for place, said in enumerate(text)] for lies in combinations(range(len(text)), false)]
        for letter, text in texts.items() for false in range(4)
    }  # fmt: skip

    def further(told: list[tuple[Said, bool]], rest: Sequence[tuple[str, int]]) -> bool:
        return could_be(told, alive) and (not rest or any(further([*told, *way], rest[1:]) for way in ways[rest[0]]))

    return {letters[0] for letters in permutations(texts) if further([], list(zip(letters, range(4), strict=True)))}


@pytest.mark.clause("PER-REPORT-21")
def test_no_reasoning_about_the_numbers_rules_a_text_out(mixed: list[Night]) -> None:
    """Each of the four texts tells of a night of which the others are false once, twice and three times."""
    left = [not_ruled_out(texts, 12) for _, _, texts in mixed[:80]]
    assert all(true in found for (true, _, _), found in zip(mixed, left, strict=False))
    assert sum(found == set("ABCD") for found in left) == len(left)


@pytest.mark.clause("PER-REPORT-21")
def test_the_true_text_is_contradicted_and_confirmed_as_often_as_others(mixed: list[Night]) -> None:
    """By what the other three say of those whom a text calls dead or alive."""
    counted: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for true, _, texts in mixed:
        for letter, text in texts.items():
            dead = {said[1] for said in text if said[0] in ("died", "died_as")}
            if not shape(text)[0] or not dead:
                continue
            others = [said for other in texts if other != letter for said in texts[other]]
            counted[letter == true]["texts"] += 1
            counted[letter == true]["denied"] += sum(said[0] == "survived" and said[1] in dead for said in others)
            counted[letter == true]["said too"] += sum(said[0] in ("died", "died_as") and said[1] in dead for said in others)
    for way in ("denied", "said too"):
        true, lied = (counted[which][way] / counted[which]["texts"] for which in (True, False))
        assert 0.8 < true / lied < 1.25, way


@pytest.mark.clause("PER-REPORT-21")
def test_where_false_statements_stand_follows_no_system(mixed: list[Night]) -> None:
    places: Counter[int] = Counter()
    for letter, record, texts in mixed:
        for other, text in texts.items():
            if other != letter:
                places.update(place for place, said in enumerate(text) if not holds(said, record))
    assert even([places[place] for place in range(4)])


@pytest.mark.clause("PER-REPORT-21")
def test_the_same_seed_gives_the_same_report_and_another_one_another() -> None:
    one, again, other = (texts_of(a_night(seed, {"Ali": "kill Omid"})) for seed in ("1", "1", "2"))
    assert one == again
    assert one != other


@pytest.mark.clause("PER-REPORT-21")
def test_a_quiet_night_does_not_betray_its_true_text() -> None:
    """Its true text tells of survivors only; the others tell of as many deaths as their lies, and so do those of other nights."""
    for seed in range(60):
        for quiet in (True, False):
            events = a_night(f"q{seed}", {} if quiet else {"Ali": "kill Omid"})
            texts = texts_of(events).values()
            assert sorted(sum(not holds(said, {}) for said in text) for text in texts) == [0, 1, 2, 3]


@pytest.mark.clause("PER-REPORT-24")
@pytest.mark.parametrize("wrong", [[0, 0, 1, 2], [1, 2, 3, 4], [0, 1, 2], "A", [0, 1, 3, 3]])
def test_a_pinned_order_must_be_an_arrangement_of_the_counts(wrong: Any) -> None:
    with pytest.raises(UnknownChoice):
        a_night("1", {}, pins={"night_report_order": wrong})


@pytest.mark.clause("PER-REPORT-24", "PER-REPORT-20")
def test_a_pinned_text_must_keep_the_rules() -> None:
    names = {"night_report_order": [0, 1, 2, 3]}
    lie = [{"says": "died", "player": "Ali"}, {"says": "count", "count": 1}, {"says": "died", "player": "Omid"}, {"says": "survived", "player": "Sara"}]
    for wrong in (lie, lie[:2], [{"says": "nonsense", "thing": 1}]):
        with pytest.raises(UnknownChoice):
            a_night("1", {"Ali": "kill Omid"}, pins={**names, "night_report_statements:A": wrong})


@pytest.mark.clause("PER-REPORT-06", "PER-REPORT-24")
@pytest.mark.parametrize(
    "wrong",
    [
        {"says": "was_saved", "player": "Sara"}, {"says": "survived"}, {"says": "survived", "player": "Sara", "role": "guard"},
        {"says": "survived", "player": ["Sara"]}, {"says": ["died"], "player": "Sara"}, {"says": "count", "count": "one"},
        {"says": "count", "count": True}, {}, "Sara", None,
    ],
)  # fmt: skip
def test_a_pinned_statement_is_of_one_of_the_five_kinds(wrong: Any) -> None:
    said = [{"says": "died", "player": "Omid"}, {"says": "survived", "player": "Ali"}, {"says": "count", "count": 1}]
    names = {"night_report_order": [0, 1, 2, 3]}
    a_night("1", {"Ali": "kill Omid"}, pins={**names, "night_report_statements:A": [*said, {"says": "survived", "player": "Sara"}]})
    with pytest.raises(UnknownChoice):
        a_night("1", {"Ali": "kill Omid"}, pins={**names, "night_report_statements:A": [*said, wrong]})
    with pytest.raises(UnknownChoice):
        a_night("1", {"Ali": "kill Omid"}, pins={**names, "night_report_statements:A": wrong})


@pytest.mark.clause("PER-REPORT-14", "PER-REPORT-09", "PER-REPORT-08")
def test_options_of_the_report() -> None:
    told = ["guard", "doctor", "samurai", "joker", "police"]
    for seed in range(20):
        events = a_night(f"o{seed}", {"Ali": "kill Omid"}, report_roles=told, report_true_minimum=2, statements_per_text=5, false_counts=[2, 2, 2])
        texts = texts_of(events)
        used = {said[2] for text in texts.values() for said in text if said[2]}
        assert used <= set(told)
        key = {event["text"]: event["false_statements"] for event in events if event.get("topic") == "report_key"}
        assert sorted(key.values()) == [0, 2, 2, 2]
        true = next(texts[letter] for letter, false in key.items() if not false)
        assert shape(true)[0] >= 2
        assert {len(text) for text in texts.values()} == {5}
    played = {"godfather", "prince", "tailor", "doctor", "police", "guard", "innocent"}
    named = {said[2] for seed in range(20) for text in texts_of(a_night(f"r{seed}", {"Ali": "kill Omid"})).values() for said in text}
    assert named - played - {None}  # a role that nobody has may occur in a false statement


@pytest.mark.clause("PER-REPORT-09")
def test_the_death_of_one_whose_role_is_known_is_told_as_often_as_is_asked_for() -> None:
    """It is told once, by name or by role, while that is enough."""
    players = dict(zip(NAMES, ("godfather", "prince", "tailor", "marksman", "police", "guard", *["innocent"] * 6), strict=False))
    for seed in range(12):
        for least, counts, size in ((1, [1, 2, 3], 4), (3, [3, 3, 3], 3), (9, [2, 3, 4], 4)):
            events = a_night(
                f"m{seed}", {"Ali": "kill Mina"}, players=players, report_true_minimum=least, false_counts=counts, statements_per_text=size
            )
            key = {event["text"]: event["false_statements"] for event in events if event.get("topic") == "report_key"}
            true = next(texts_of(events)[letter] for letter, false in key.items() if not false)
            assert sum(said[0] in DEATHS for said in true) >= min(least, 3)
            assert least > 2 or not any(said[0] == "died_as" for said in true)
            assert not any(event.get("topic") == "report_warning" for event in events)


@pytest.mark.clause("PER-REPORT-11", "PER-REPORT-12", "PER-REPORT-13", "PER-REPORT-15")
def test_disguises_are_kept_by_all_texts() -> None:
    """The dressed victim's true role, a devotee, and clothes on the living are named by no text."""
    players = dict(zip(NAMES, ("godfather", "prince", "tailor", "doctor", "police", "guard", "devotee", *["innocent"] * 4), strict=False))
    for seed in range(40):
        events = a_night(f"d{seed}", {"Ali": "kill Omid", "Reza": "dress Omid as exorcist"}, players=players)
        for text in texts_of(events).values():
            assert not any(said[1] == "Omid" and said[2] == "police" for said in text)
            assert not any(said[0] == "role_died" and said[2] in ("police", "devotee") for said in text)
            assert not any(said[1] == "Ali" and said[2] == "godfather" for said in text)
        assert not any(set(event.data) - {"topic", "text", "number", "says", "player", "role", "count", "night", "texts", "true_texts", "false_counts"}
                       for event in events if event.get("topic") == "night_report")  # fmt: skip
