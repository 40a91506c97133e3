"""A recount of a day of 2,000 votes among 30 players with nothing cached, beside what one would write by hand (quality.md, "Speed").

The two by hand know one form of a vote only, take quoted votes for none by cutting quotes out, and look names up as they are
written. Ours reads every form of DAN-POST, refers what fits two players to the GM, and makes the tally of the rules.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from bs4 import BeautifulSoup
from rich.console import Console
from rich.table import Table

from engine.choices import Choices
from engine.inputs import PhaseInputs, PostInput
from engine.play import so_far
from engine.ruleset import load
from parser import colour
from parser.names import Person, Roster
from rulesets.danganronpa import reading

RULES = load("danganronpa")
VOTES = 2_000
NAMES = [f"{first} {last}" for first in ("Anna", "Bert", "Cleo", "Dmitri", "Elena", "Farid") for last in "Lake Moor Reed Hill Wood".split()]
TALENTS = [{"id": f"ultimate_{name.split()[0].lower()}_{name.split()[1].lower()}", "colour": "white", "abilities": []} for name in NAMES[1:]]
FIRST = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)
WORDS = "I do not think that the lamp was out when Bert came up the stairs, and nobody has asked him about the boat. "
FORMS = (
    "[b][color=red]Vote: {name}[/color][/b]",
    "{words}\n\n[color=#FF0000][b]{name}[/b][/color]",
    "[quote={other}]{words}[b][color=red]Vote: {other}[/color][/b][/quote]\n{words}{words}\n[b][color=red]vote {small}[/color][/b] for [i]now[/i]",
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
    for cached in (reading._stretches, reading._roster, colour.family, colour.is_colour):
        cached.cache_clear()


def ours() -> Callable[[Sequence[PostInput]], object]:
    """The standing count of a trial, from the posts."""
    roles = ["ultimate_detective", *(talent["id"] for talent in TALENTS)]
    players = {name: {"role": role} for name, role in zip(NAMES, roles, strict=True)}
    players[NAMES[0]]["black"] = "black_slasher"
    game = RULES.game(players, start="trial 1", setup={"talents": TALENTS})
    state, label = RULES.begin(game), RULES.first_label(game)

    def count(made: Sequence[PostInput]) -> object:
        forget()
        return so_far(RULES, state, label, PhaseInputs(tuple(made)), Choices()).tally

    return count


def by_regex(made: Sequence[PostInput]) -> Counter[str]:
    """A tally as one would write it in an evening: one expression for quotes, one for votes."""
    known = {name.casefold(): name for name in NAMES}
    standing = {}
    for post in made:
        for found in BY_HAND.finditer(QUOTE.sub("", post.text)):
            if (name := known.get(found[1].casefold())) is not None:
                standing[post.by] = name
    return Counter(standing.values())


def by_soup(made: Sequence[str]) -> int:
    """The same over the posts' HTML with BeautifulSoup: quotes taken out, bold that holds red."""
    votes = 0
    for body in made:
        tree = BeautifulSoup(body, "html.parser")
        for quote in tree.find_all("blockquote"):
            quote.decompose()
        votes += len(tree.select('b > span[style*="red"], b > span[style*="FF0000"], span[style*="FF0000"] > b'))
    return votes


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
    hand = milliseconds(lambda: by_regex(made))
    soup = milliseconds(lambda: by_soup(pages), rounds=2)
    spent = milliseconds(lambda: count(made))
    table = Table(title=f"a recount of {VOTES:,} votes, {len(NAMES)} players, nothing cached")
    for column in ("ours, ms", "a regex, ms", "BeautifulSoup, ms", "ours : regex", "BeautifulSoup : ours", "unmatched name, ms"):
        table.add_column(column, justify="right")
    table.add_row(
        f"{spent:.1f} (< 50)", f"{hand:.1f}", f"{soup:.0f}", f"{spent / hand:.1f}", f"{soup / spent:.1f}",
        f"{unmatched():.3f} (< 0.5)",
    )  # fmt: skip
    Console().print(table)


if __name__ == "__main__":
    main()
