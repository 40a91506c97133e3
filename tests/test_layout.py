"""Imports point one way (docs/architecture.md), and no module is too long to be read in one sitting."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("scraper", "parser", "engine", "rulesets", "store", "publisher", "templates", "rehearsal", "desk", "demo")
OURS = {*ROOMS, "scheduler", "nightpost"}
ALLOWED = {
    "parser": {"parser"},
    "scraper": {"scraper"},
    "engine": {"engine", "parser"},
    "rulesets": {"rulesets", "engine", "parser"},
    "templates": {"templates"},
    "rehearsal": {"rehearsal", "engine", "rulesets", "parser", "scraper"},
    "store": {"store", "engine", "scraper"},
    "publisher": {"publisher", "templates", "store", "scraper", "engine", "parser"},
}
"""What the modules of a room may import of ours; what is not listed may import what it likes but the command line."""


def modules() -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((ROOT / room).rglob("*.py"))
    yield from (ROOT / "scheduler.py", ROOT / "nightpost.py")


def imported(module: Path) -> set[str]:
    found = set()
    tree = ast.parse(module.read_text("utf-8"))
    for_types = {
        inner for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }  # fmt: skip
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            found.add(node.module or "")
    return {name.split(".")[0] for name in found} & OURS


@pytest.mark.parametrize("module", list(modules()), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way_and_modules_are_short(module: Path) -> None:
    room = module.relative_to(ROOT).parts[0].removesuffix(".py")
    assert imported(module) <= ALLOWED.get(room, OURS - {"nightpost"}), f"{module.relative_to(ROOT)} imports {imported(module)}"
    assert len(module.read_text("utf-8").splitlines()) <= 600
