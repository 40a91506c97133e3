"""docs/templates.md names every template, every helper and every filter that a GM may use, and its examples work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import templates
from publisher.render import opening_post, reminder_post
from publisher.sandbox import Sandbox
from tests.test_sandbox import context

TEXT = (Path(__file__).parent.parent / "docs" / "templates.md").read_text("utf-8")
FOLDER = Path(templates.__file__).parent


@pytest.mark.parametrize("name", sorted({path.name for path in FOLDER.rglob("*.j2")}))
def test_every_template_is_documented(name: str) -> None:
    assert f"`{name}`" in TEXT


def test_every_helper_is_documented_and_there(tmp_path: Path) -> None:
    helpers = re.findall(r"^\| (?:`\w+\([^`]*\)`,? ?)+", TEXT, re.MULTILINE)
    named = set(re.findall(r"`(\w+)\(", "".join(helpers)))
    assert {"name", "names", "bold", "italic", "colour", "heading", "quote", "code", "link", "bullets", "table", "count"} == named
    (tmp_path / "opening.j2").write_text("".join(f"{{% if {name} is not callable %}}{name} {{% endif %}}" for name in named))
    post = opening_post(context(tmp_path))
    assert (post.error, post.body.strip()) == (None, "")


def test_every_filter_is_documented() -> None:
    missing = [name for name in Sandbox().filters if f"`{name}`" not in TEXT and name != "d"]
    assert not missing


def test_the_examples_work(tmp_path: Path) -> None:
    first, second = re.findall(r"```jinja\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "reminder.j2").write_text(first.replace("deadline_text", "title"), "utf-8")
    (tmp_path / "opening.j2").write_text(second.replace("phase.j2", "opening.j2"), "utf-8")
    assert reminder_post("trial 1", context(tmp_path)).error is None
    assert "Good morning, class." in opening_post(context(tmp_path)).body
