"""What is longer than the forum takes goes into the outbox in parts, in order, and each of them once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from publisher.drafts import _draft
from publisher.render import Rendered
from publisher.splitting import LONGEST
from tests.test_sandbox import NOW


class Outbox:
    """Keeps drafts by key, as the record does."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[Any, ...]] = {}

    def add_draft(self, key: str, *row: Any) -> None:
        self.rows.setdefault(key, row)


def test_a_long_post_is_drafted_in_parts() -> None:
    outbox = Outbox()
    settings = SimpleNamespace(publish={"report": "auto"}, thread=SimpleNamespace(kind="smf"))
    table: Any = SimpleNamespace(settings=settings, record=outbox)
    body = "[b]A line of the report.[/b]\n\n" * 1000
    for _ in range(2):
        _draft(table, "report 1", "report", "thread", Rendered("report", "Report", body, None), NOW)
    assert list(outbox.rows) == ["report 1", "report 1 part 2"]
    assert [row[2] for row in outbox.rows.values()] == ["Report", "Report (2/2)"]
    texts = [row[3] for row in outbox.rows.values()]
    assert all(len(text) <= LONGEST["smf"] for text in texts)
    assert "".join(texts).count("[b]A line of the report.[/b]") == 1000
