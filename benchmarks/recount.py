"""A recount of 2,000 votes among 30 players with nothing cached, beside what one would write by hand (quality.md, "Speed").

The two by hand know one form of a vote only, take quoted votes for none by cutting quotes out, and look names up as they are
written. Ours reads every form of DAN-POST, refers what fits two players to the GM, and makes the tally of the rules.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from bs4 import BeautifulSoup
from rich.console import Console
from rich.table import Table

from engine.choices import Choices
from engine.inputs import PhaseInputs, PostInput
from engine.play import so_far
from engine.ruleset import load
from parser import colour, markup
from parser.names import Person, Roster
from rulesets.danganronpa import reading

RULES = load("danganronpa")
VOTES = 2_000
FIRSTS, LASTS = ("Anna", "Bert", "Cleo", "Dmitri", "Elena", "Farid"), ("Lake", "Moor", "Reed", "Hill", "Wood")
NAMES = [f"{first} {last}" for first in FIRSTS for last in LASTS]
TALENTS = [
    {"id": f"ultimate_{first}_{last}".lower(), "colour": "white", "abilities": []} for first in FIRSTS for last in LASTS
]  # fmt: skip
FIRST = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)
WORDS = "I do not think that the lamp was out when Bert came up the stairs, and nobody has asked him about the boat. "
FORMS = (
    "[b][color=red]Vote: {name}[/color][/b]",
    "{words}\n\n[color=#FF0000][b]{name}[/b][/color]",
    "[quote={other}]{words}[b][color=red]Vote: {other}[/color][/b][/quote]\n{words}{words}\n"
    "[b][color=red]vote {small}[/color][/b] for [i]now[/i]",
    "{words}[b][color=red]{name}[/color][/b] {words}\n[quote]{words}[/quote] [url=http://a.example/]as I said[/url]",
)
BY_HAND = re.compile(r"\[b\]\[color=(?:red|#f00|#ff0000)\](?:vote:? )?([^\[\]]+)\[/color\]\[/b\]", re.IGNORECASE)
QUOTE = re.compile(r"\[quote[^\]]*\].*?\[/quote\]", re.IGNORECASE | re.DOTALL)


def posts() -> list[PostInput]:
    """A day of votes in four forms, no two posts alike: alone, in a sentence, behind a quote that holds a vote."""
    made = []
    for place in range(VOTES):
        name, other = NAMES[(place * 7 + 3) % len(NAMES)], NAMES[(place + 11) % len(NAMES)]
        text = FORMS[place % len(FORMS)].format(name=name, small=name.lower(), other=other, words=WORDS)
        made.append(PostInput(str(place), NAMES[place % len(NAMES)], f"{text}\n({place})", FIRST + timedelta(seconds=place)))
    return made


def forget() -> None:
    """Empty every cache on the way, so that each round starts cold."""
    for cached in (reading._stretches, reading._roster, colour.family, colour.is_colour, markup._meaning):
        cached.cache_clear()


def ours() -> Callable[[Sequence[PostInput]], int]:
    """A function that makes the standing count of a trial from the posts, and says how many votes it read."""
    players = {name: {"role": talent["id"]} for name, talent in zip(NAMES, TALENTS, strict=True)}
    players[NAMES[0]]["black"] = "black_slasher"
    game = RULES.game(players, start="trial 1", setup={"talents": TALENTS})
    state, label = RULES.begin(game), RULES.first_label(game)

    def count(made: Sequence[PostInput]) -> int:
        forget()
        outcome = so_far(RULES, state, label, PhaseInputs(tuple(made)), Choices())
        assert outcome.tally is not None
        assert len(outcome.tally["posts"]) == len(NAMES)
        return len(made) - len([one for one in outcome.events if one.kind == "notice" and one["topic"] == "unreadable"])

    return count


def by_regex(made: Sequence[PostInput]) -> int:
    """The votes found as one would write it in an evening: one expression for quotes, one for votes."""
    known = {name.casefold(): name for name in NAMES}
    read = 0
    for post in made:
        for found in BY_HAND.finditer(QUOTE.sub("", post.text)):
            read += known.get(found[1].casefold()) is not None
    return read


def by_soup(made: Sequence[str]) -> int:
    """The same over the posts' HTML with BeautifulSoup: quotes taken out, red that is bold, with a name in it."""
    read = 0
    for body in made:
        tree = BeautifulSoup(body, "html.parser")
        for quote in tree.find_all("blockquote"):
            quote.decompose()
        for found in tree.select('b > span[style*="red"], span[style*="FF0000"] > b'):
            words = found.get_text().casefold()
            read += any(name.casefold() in words for name in NAMES)
    return read


def as_html(text: str) -> str:
    """A post of `posts` as a forum shows it."""
    text = re.sub(r"\[quote[^\]]*\]", "<blockquote>", text).replace("[/quote]", "</blockquote>")
    text = re.sub(r"\[color=([^\]]*)\]", r'<span style="color: \1">', text).replace("[/color]", "</span>")
    return re.sub(r"\[(/?[biu])\]", r"<\1>", text).replace("\n", "<br>")


def milliseconds(work: Callable[[], object], rounds: int = 7) -> float:
    """The CPU time of the best of `rounds` runs."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, (time.process_time() - start) * 1000)
    return best


def unmatched() -> float:
    """Milliseconds for a name that fits nobody, with its nearest, the first time it is asked."""
    roster = Roster([Person(name) for name in NAMES])
    asked = [f"Zorblax the {number}th" for number in range(1000)]
    start = time.process_time()
    for text in asked:
        roster.match(text)
    return time.process_time() - start  # seconds for a thousand are milliseconds for one


def main() -> None:
    """Print the times side by side."""
    made, count = posts(), ours()
    pages = [as_html(post.text) for post in made]
    spent = milliseconds(lambda: count(made))
    table = Table(title=f"a recount of {VOTES:,} votes, {len(NAMES)} players, nothing cached")
    for column in ("", "ms of CPU", "votes read", ": ours"):
        table.add_column(column, justify="right")
    table.add_row("ours (< 50)", f"{spent:.1f}", str(count(made)), "1.0")
    for name, work, rounds in (
        ("regular expression", partial(by_regex, made), 7),
        ("BeautifulSoup", partial(by_soup, pages), 2),
    ):
        taken = milliseconds(work, rounds)
        table.add_row(name, f"{taken:.1f}", str(work()), f"{taken / spent:.2f}")
    Console().print(table, f"A name that fits nobody: {unmatched():.3f} ms (< 0.5)")


if __name__ == "__main__":
    main()
