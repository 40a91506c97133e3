"""Exports and notification mails of real forums, against what is known to have been written."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from scraper.mail import read_mail
from scraper.model import Message, iso

CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES") or Path(__file__).parents[2] / "shared" / "captures")
pytestmark = pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captures here")
GAME_MASTER = "Game Master"


def read(*paths: Path) -> list[Message]:
    return list(read_mail(paths, timezone=UTC, notes=[]))


def truth(folder: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = json.loads((CAPTURES / folder / "truth.json").read_text(encoding="utf-8"))[
        "private_messages"
    ]
    return messages


def facts(message: Message, fineness: int) -> tuple[str, str, str, str]:
    return (
        message.sender,
        message.subject,
        (iso(message.sent_at) or "")[:fineness],
        re.sub(r"quote=['\"]([^'\"]*)['\"]", r"quote=\1", message.body),
    )


def known(entry: dict[str, Any], fineness: int) -> tuple[str, str, str, str]:
    body = re.sub(r"quote=['\"]([^'\"]*)['\"]", r"quote=\1", entry["source"])
    return entry["from"], entry["subject"], entry["sent_at"][:fineness], body


@pytest.mark.parametrize(
    ("folder", "names", "fineness"),
    [
        ("phpbb-3.3.10", ("pm-export-xml.xml", "pm-export-sentbox.xml"), 20),
        ("phpbb-3.3.10", ("pm-export-csv.csv", "pm-export-sentbox.xml"), 20),
        ("phpbb-3.3.10", ("pm-export-csv_excel.csv", "pm-export-sentbox.xml"), 20),
        ("mybb-1.8.37", ("pm-export.csv",), 16),
        ("mybb-1.8.37", ("pm-export.txt",), 16),
        ("mybb-1.8.37", ("pm-export.html",), 16),
        ("smf-2.1.5", ("pm-feed.xml",), 20),
    ],
)
def test_an_export_says_what_was_written(folder: str, names: tuple[str, ...], fineness: int) -> None:
    found = read(*(CAPTURES / folder / name for name in names))
    assert sorted(facts(each, fineness) for each in found) == sorted(known(entry, fineness) for entry in truth(folder))
    if folder != "phpbb-3.3.10":
        to = {entry["subject"]: entry["to"] for entry in truth(folder) if entry["subject"] != "Re: Your night"}
        assert all(each.recipients[0] in to.get(each.subject, [GAME_MASTER]) for each in found)


def test_all_formats_of_a_forum_together_give_each_message_once() -> None:
    for folder in ("phpbb-3.3.10", "mybb-1.8.37"):
        exports = [
            path
            for path in sorted((CAPTURES / folder).glob("pm-export*"))
            if "form" not in path.name and "prompt" not in path.name
        ]
        assert len(exports) > 2
        assert len(read(*exports)) == len(truth(folder))


def test_notifications_tell_author_and_subject_and_where_it_stands_the_text() -> None:
    for folder in ("phpbb-3.3.10", "mybb-1.8.37", "smf-2.1.5"):
        entries = {(entry["from"], entry["subject"]): entry for entry in truth(folder)}
        for each in read(CAPTURES / folder / "notifications.mbox"):
            entry = entries[each.sender, each.subject]
            if folder.startswith("phpbb"):
                assert each.sent_at is not None
                assert iso(each.sent_at) == entry["sent_at"]
                assert all(line.startswith(">") for line in each.body.splitlines())
            else:
                assert each.body == re.sub(r"\[/?b\]", "", entry["source"])
