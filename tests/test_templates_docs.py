"""docs/templates.md names every template and helper that a GM may use, and its example works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import templates
from publisher.render import opening_post, tally_post
from tests.test_sandbox import context

TEXT = (Path(__file__).parent.parent / "docs" / "templates.md").read_text("utf-8")
FOLDER = Path(templates.__file__).parent


@pytest.mark.parametrize("name", sorted({path.name for path in FOLDER.rglob("*.j2")}))
def test_every_template_is_documented(name: str) -> None:
    assert f"`{name}`" in TEXT


def test_every_helper_named_is_there_and_every_one_there_is_named(tmp_path: Path) -> None:
    cells = re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE)
    named = set(re.findall(r"`(\w+)\(", " ".join(cells)))
    assert {"name", "names", "bold", "italic", "colour", "heading", "quote", "code", "link", "bullets", "table", "count"} <= named
    (tmp_path / "opening.j2").write_text("".join(f"{{% if {name} is not callable %}}{name} {{% endif %}}" for name in named))
    post = opening_post(context(tmp_path))
    assert (post.error, post.body.strip()) == (None, "")


def test_the_example_works(tmp_path: Path) -> None:
    example = re.findall(r"```jinja\n(.*?)```", TEXT, re.DOTALL)[0]
    (tmp_path / "tally.j2").write_text(example, "utf-8")
    post = tally_post({"published": {"Bo": 1}, "votes": {"Bo": ["Ann"]}, "not_voting": ["Bo"]}, "trial 1", context(tmp_path))
    assert post.error is None
    assert "The count so far:" in post.body
    assert "Not voting (1 player): Bo" in post.body
