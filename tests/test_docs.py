"""The documentation holds every command, option, key and kind that the program has."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from desk import settings
from desk.reading import PUBLISHED, TALLY_MODES
from nightpost import cli

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_and_option_is_documented_and_has_help(name: str) -> None:
    command = cli.commands[name]
    text = (DOCS / "commands.md").read_text("utf-8")
    section = re.search(rf"^## `{name}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"docs/commands.md has no section for `{name}`"
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts[0]} has no help"
            if option.name != "verbose":
                assert any(f"`{one}" in section[0] for one in option.opts), f"{name} {option.opts[0]} is not documented"


def test_no_section_is_of_a_command_that_is_not_there() -> None:
    text = (DOCS / "commands.md").read_text("utf-8")
    assert set(re.findall(r"^## `(\w+)", text, re.MULTILINE)) == set(cli.commands)


def test_every_key_of_the_game_file_is_documented() -> None:
    text = (DOCS / "game-file.md").read_text("utf-8")
    source = Path(settings.__file__).read_text("utf-8")
    keys = set(re.findall(r"\.(?:text|texts|flag|number|choice|zone|moment|hour)\(\"(\w+)\"", source))
    assert len(keys) > 15
    for word in (*keys, *PUBLISHED, *TALLY_MODES, *settings.FORUMS, "players", "options", "setup", "deal"):
        assert re.search(rf"\b{word}\b", text), f"docs/game-file.md does not tell of `{word}`"


@pytest.mark.parametrize("name", ["forums.md", "commands.md"])
def test_every_forum_program_is_in_the_documents_that_list_them(name: str) -> None:
    text = (DOCS / name).read_text("utf-8")
    assert [kind for kind in settings.FORUMS if f"`{kind}`" not in text] == []


def test_the_example_in_the_documentation_is_a_game() -> None:
    text = (DOCS / "game-file.md").read_text("utf-8")
    example = re.search(r"```toml\n(ruleset.*?)```", text, re.DOTALL)
    assert example
    assert settings.read_settings(example[1], Path(".")).game.names
