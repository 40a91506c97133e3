"""Long posts in parts: none too long, none cut inside a tag, every part whole markup, no word lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ruleset import load
from parser.declarations import stretches
from publisher.markup import DIALECTS, dialect_of
from publisher.render import rules_post
from publisher.splitting import split

LINES = st.lists(st.text(alphabet="abc de[]/:*<>`\n", max_size=60), min_size=1, max_size=60)


def words(text: str) -> str:
    return "".join(re.sub(r"\[/?[a-z]+(?:=[^\]\n]*)?\]|\[\*\]|```\w*|\s", "", text).split())


@settings(max_examples=60, deadline=None)
@given(LINES, st.sampled_from(["phpbb", "smf", "mybb", "markdown"]), st.integers(500, 900))
def test_no_part_is_too_long_and_nothing_is_lost(lines: list[str], kind: str, limit: int) -> None:
    dialect = DIALECTS[kind]
    text = "\n\n".join(
        [dialect.quote(dialect.bold(line)) if number % 3 == 0 else dialect.safe(line) for number, line in enumerate(lines)]
    )
    parts = split(text, limit, kind)
    assert all(0 < len(part) <= limit for part in parts)
    assert words("".join(parts)) == words(text)


@pytest.mark.parametrize("kind", ["phpbb", "smf", "mybb"])
def test_every_part_closes_what_it_opens(kind: str) -> None:
    dialect = DIALECTS[kind]
    rows = [[dialect.bold(f"player {number}"), "votes " * 8] for number in range(60)]
    text = f"{dialect.quote(dialect.table(['Player', 'Votes'], rows))}\n\n{dialect.bullets(map(str, range(300)))}"
    parts = split(text, 600, kind)
    assert len(parts) > 3
    for part in parts:
        for tag in ("b", "quote", "table", "tr", "td", "list", "li"):
            assert len(re.findall(rf"\[{tag}\]", part)) == len(re.findall(rf"\[/{tag}\]", part)), (tag, part)


def test_a_word_in_brackets_that_closes_nowhere_is_no_tag() -> None:
    text = "[OOC] All is well. [i]Quiet[/i], [Ghost]!\n" * 40
    parts = split(text, 600, "phpbb")
    assert len(parts) > 2
    assert "\n".join(parts).strip() == text.strip()


def test_an_empty_line_is_the_best_place() -> None:
    text = "\n\n".join(["word " * 30] * 12)
    for part in split(text, 700, "phpbb")[:-1]:
        assert part.endswith("word ")
        assert len(part.split("\n\n")) == 4


def test_code_goes_on_as_code_and_is_no_declaration() -> None:
    text = "[code]\n" + "[b][color=red]Ann[/color][/b]\n" * 60 + "[/code]"
    parts = split(text, 500, "phpbb")
    assert len(parts) > 2
    assert all(part.startswith("[code]") and part.endswith("[/code]") for part in parts)
    assert not any(stretches(part) for part in parts)


def test_a_fence_goes_on_in_the_next_part() -> None:
    parts = split("```text\n" + "a line of the example\n" * 60 + "```", 500, "markdown")
    assert all(part.count("```") == 2 for part in parts)


def test_the_head_of_a_table_does_not_go_on_behind_it() -> None:
    table = DIALECTS["markdown"].table(["Player", "Votes"], [[f"p{number}", "x"] for number in range(40)])
    first, *others = split(f"{table}\n\n" + "word " * 400, 600, "markdown")
    assert "| Player | Votes |" in first
    assert not any("Player" in part for part in others if "| p" not in part)
    assert len(others) > 2


def test_what_fits_stays_one_and_a_silly_limit_is_refused() -> None:
    assert split("[b]short[/b]", 500, "phpbb") == ["[b]short[/b]"]
    with pytest.raises(ValueError, match="500 or more"):
        split("text", 20, "phpbb")


@pytest.mark.parametrize("kind", DIALECTS)
def test_a_rules_post_in_parts_reads_on(kind: str) -> None:
    ruleset = load("danganronpa")
    text = rules_post(ruleset, {name: option.default for name, option in ruleset.options.items()}, kind)
    parts = split(text, 1500, kind)
    assert len(parts) > 2
    assert all(len(part) <= 1500 for part in parts)
    if kind != "markdown":
        assert not any(stretches(part) for part in parts)
    if kind == "html":
        for part in parts:
            assert part.count("<ul>") == part.count("</ul>")
            assert part.count("<li>") == part.count("</li>")


@pytest.mark.parametrize("kind", ["smf", "xenforo", "html", "discourse"])
def test_a_table_that_goes_on_has_its_head_in_every_part(kind: str) -> None:
    dialect = dialect_of(kind)
    rows = [[dialect.bold(f"player {number}"), "votes " * 4] for number in range(40)]
    text = f"Before.\n\n{dialect.table(['Player', 'Votes'], rows)}\n\nBehind."
    parts = split(text, 900, kind)
    assert len(parts) > 2
    assert all(len(part) <= 900 for part in parts)
    head = re.search(r".*Votes.*\n(?:\|.*---.*\n)?", text)
    assert head is not None
    assert all(head[0] in part for part in parts if "player" in part)
    assert [f"player {number}" for number in range(40)] == re.findall(r"player \d+", "".join(parts))
    assert parts[-1].endswith("Behind.")
