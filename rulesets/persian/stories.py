"""Four nights that could have been, and a text from each (PER-REPORT-21).

Besides the night that was, three others are drawn as nights come about: how many died, who, and as what. Each text tells of one
of the four and is wholly true of it, and of each the other texts are as false as they are of the night that was: once, twice and
three times, or as `false_counts` says. So nothing in the four texts tells which of these nights it was.

Who reads the texts may still know what is likelier: that nobody dies, or this many, or somebody with this role. The nights that
are made up keep to that as well as can be known beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import contains
from random import Random

from rulesets.persian.statements import DEATHS, Night, Statement, fits

Text = tuple[Statement, ...]
Record = Mapping[str, str]
"""Whoever died in a night → the role announced."""
Row = tuple[int, ...]
"""How many statements of a text are false of each of the four nights, that which was being the first."""

TRIES, DRAWS = 30, 24
"""How often four nights are drawn, and how many texts of each."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a text may tell of one of the nights: beginnings by how false they are of each night, and who fills them up.

    That somebody survived of whom no other night tells is so in all four, so it changes nothing in a row.
    """

    begun: Mapping[Row, Sequence[Text]]
    survivors: Sequence[Statement]

    def text(self, dice: Random, begun: Text, size: int) -> Text:
        """A whole text that begins so, in any order."""
        text = [*begun, *dice.sample(self.survivors, size - len(begun))]
        dice.shuffle(text)
        return tuple(text)


def four_texts(dice: Random, night: Night, counts: Sequence[int], size: int, given: Mapping[int, Text]) -> list[Text]:
    """Texts of which so many statements are false, beside those that are given, by their places."""
    single: dict[int, list[Text]] = {count: [] for count in counts}
    for _ in range(TRIES):
        records = _records(dice, night)
        nights = [_told_of(dice, night, records, place, size) for place in range(4)]
        chosen = None if given else _together(dice, [told.begun for told in nights], counts)
        if chosen is not None:
            texts = [
                (row[0], told.text(dice, dice.choice(told.begun[row]), size)) for row, told in zip(chosen, nights, strict=True)
            ]
            if len({frozenset(text) for _, text in texts}) == len(texts):
                dice.shuffle(texts)  # which of the other nights a place tells of is as open as which is true
                return [texts.pop(next(n for n, (false, _) in enumerate(texts) if false == count))[1] for count in counts]
        for told in nights:
            for row, several in told.begun.items():
                if row[0] in single:
                    single[row[0]] += [told.text(dice, begun, size) for begun in several]
    best = dict(given)
    for place, count in enumerate(counts):
        if place not in best:
            whole = [text for text in single[count] if fits(night, text, size, count, list(best.values()))]
            best[place] = dice.choice(whole) if whole else _any_text(dice, night, size, count, list(best.values()))
    return [best[place] for place in range(4)]


def _records(dice: Random, night: Night) -> list[Record]:
    """The night that was, and three that were not."""
    numbers = _numbers(dice, len(night.record))
    others = [name for name in night.alive if name not in night.record and name not in night.leaving]
    wanted = max(*numbers, (len(night.record) + sum(numbers)) * 3 // 4 + 1) - len(night.record)
    pool = [*night.record, *dice.sample(others, min(len(others), max(0, wanted)))]
    spoken = [role for role in night.record.values() if role in night.roles]
    return [night.record, *(_made_up(dice, night, dice.sample(pool, min(number, len(pool))), spoken) for number in numbers)]


def _numbers(dice: Random, died: int) -> list[int]:
    """How many die in the three other nights: in one of the four nobody, in the others as many, or one more or less in some.

    One more is taken to be half as likely.
    """
    like = died or dice.choice((1, 1, 2))
    fewer, more = sorted((like, max(1, like + dice.choice((-1, 1)))))
    others = [dice.choice((fewer, fewer, more)) for _ in range(2)]
    return [0 if died else like, *others]


def _made_up(dice: Random, night: Night, victims: Sequence[str], spoken: list[str]) -> Record:
    """What these victims may be said to have been: a role drawn afresh, or as likely each one spoken of already."""
    record: dict[str, str] = {}
    for name in victims:
        free = {role: weight for role, weight in night.likely.items() if _may_be(night, name, role, record)}
        again = dice.choice([None, *spoken])
        if name in night.introduced:
            record[name] = night.introduced[name]
        elif again is not None and again in free:
            record[name] = again
        else:
            record[name] = dice.choices(list(free), list(free.values()))[0] if free else ""
        spoken.append(record[name])
    return record


def _may_be(night: Night, name: str, role: str, record: Record) -> bool:
    """Whether a text may say that this player died with that role, and no other in this night has it."""
    alone = role == "innocent" or role not in record.values()
    return alone and all(map(night.allowed, (Statement("died_as", name, role), Statement("role_died", role=role))))


def _told_of(dice: Random, night: Night, records: Sequence[Record], place: int, size: int) -> Told:
    """What texts may tell that are wholly true of one of the nights."""
    record = records[place]
    told = [one for one in night.truths(record) if place or not night.kept_silent(one)]
    deaths = [one for one in told if one.says in DEATHS]
    number = [one for one in told if one.says == "count"]
    victims = {name for other in records for name in other}
    spoken_of = [one for one in told if one.says == "survived" and one.player in victims]
    survivors = [one for one in told if one.says == "survived" and one.player not in victims]
    least = min(max(1, night.minimum), len(deaths), size)
    news = [one for one in deaths if not (one.says == "died_as" and one.player in night.introduced)]  # the role is known
    deaths = news if len(news) >= least else deaths
    most = max(least, min(3, len(deaths), size))
    false_of = {one: [not one.true_of(other) for other in records] for one in (*deaths, *number, *spoken_of)}
    found: dict[Row, list[Text]] = {}
    for _ in range(DRAWS):
        text = [*dice.sample(deaths, dice.randint(least, most)), *dice.choice(([], number))][:size]
        left = size - len(text)
        text += dice.sample(spoken_of, dice.randint(0, min(left, len(spoken_of))))
        if size - len(text) <= len(survivors):
            row = tuple(map(sum, zip(*[false_of[one] for one in text], strict=True))) if text else (0,) * len(records)
            found.setdefault(row, []).append(tuple(text))
    return Told(found, survivors)


def _together(dice: Random, rows: Sequence[Mapping[Row, Sequence[Text]]], counts: Sequence[int]) -> list[Row] | None:
    """One row for each night, so that of each of them the texts are as false as of the others."""
    places = list(range(4))
    dice.shuffle(places)
    tried = {place: [row for row in rows[place] if all(row[other] for other in range(4) if other != place)] for place in places}
    for found in tried.values():
        dice.shuffle(found)

    def further(chosen: dict[int, Row], left: Sequence[Row]) -> dict[int, Row] | None:
        """`left` is, for each night, how false of it the texts still to be chosen are."""
        if len(chosen) == 4:
            return chosen
        place = places[len(chosen)]
        for row in tried[place]:
            if all(map(contains, left, row)):
                found = further({**chosen, place: row}, [_without(*pair) for pair in zip(left, row, strict=True)])
                if found is not None:
                    return found
        return None

    chosen = further({}, [tuple(counts)] * 4)
    return None if chosen is None else [chosen[place] for place in range(4)]


def _without(counts: Row, count: int) -> Row:
    at = counts.index(count)
    return (*counts[:at], *counts[at + 1 :])


def _any_text(dice: Random, night: Night, size: int, false: int, before: Sequence[Text]) -> Text:
    """The first text that fits in a search through all statements; where none does, the GM is warned of what does not hold."""
    said = [one for one in _everything(night) if night.allowed(one)]
    truths = [one for one in said if night.true(one) and (false or not night.kept_silent(one))]
    lies = [one for one in said if not night.true(one)]
    dice.shuffle(truths)
    dice.shuffle(lies)
    best: Text = (*lies[:false], *truths[: size - false])
    for _ in range(2000):
        text = (*dice.sample(lies, min(false, len(lies))), *dice.sample(truths, min(size - false, len(truths))))
        if fits(night, text, size, false, before):
            return text
    return best


def _everything(night: Night) -> list[Statement]:
    found = [Statement("count", count=number) for number in range(min(len(night.alive), len(night.record) + 4) + 1)]
    found += [Statement("role_died", role=role) for role in night.roles]
    for name in night.alive:
        found += [Statement("died", name), Statement("survived", name)]
        found += [Statement("died_as", name, role) for role in night.roles]
    return found
