"""Mail on its way into the record: for whom it may speak, and read once together with its bookmark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from publisher.mailing import MailSource, believed, from_files, from_servers
from scraper.imap import Place
from scraper.model import Message, SourceError
from store.record import Record
from tests.imap_kit import Box, imap_server

NOW = datetime(2026, 3, 3, tzinfo=UTC)
SEATS = {"Ann": "Anna", "ann@example.org": "Anna", "Bob": "Bert"}


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    kept = Record(tmp_path / "game.db")
    yield kept
    kept.close()


def post(*paths: Path, places: tuple[Place, ...] = (), **chosen: object) -> MailSource:
    return MailSource(paths, places, "UTC", SEATS, **chosen)  # type: ignore[arg-type]


def told(record: Record) -> list[str]:
    return [text for _, text in record.notices()]


def claimed(sender: str, origin: str, id: str = "1") -> Message:
    return Message(id, sender, (), NOW, "", "kill\nOlek", "a.mbox:message 1", origin)


@pytest.mark.parametrize(
    ("sender", "origin", "kept_as"),
    [
        ("Ann", "", "Ann"), ("Ann", "file", "Ann"), ("Ann", "mail ann@example.org", "Ann"), ("Annie", "mail ANN@example.org", "ANN@example.org"),
        ("Stranger", "mail x@example.org", "Stranger"), ("Bob", "mail ann@example.org", "unproven ann@example.org"),
        ("Ann", "mail eve@example.org", "unproven eve@example.org"), ("Ann", "notice forum@example.org", "unproven forum@example.org"), ("Ann", "mail", "unproven"),
    ],
)  # fmt: skip
def test_a_message_is_kept_under_the_account_it_may_speak_for(sender: str, origin: str, kept_as: str, record: Record) -> None:
    (found,) = believed(post(), [claimed(sender, origin)], record, NOW)
    assert found.sender == kept_as
    assert bool(told(record)) == kept_as.startswith("unproven")


def test_the_gm_is_told_once_what_it_says_and_how_to_count_it(record: Record) -> None:
    both = [claimed("Ann", "mail eve@example.org"), claimed("Bob", "mail eve@example.org", id="2")]
    for _ in range(2):
        record.add_messages(believed(post(), both, record, NOW), NOW)
    only, _ = told(record)
    assert "calls itself Anna's" in only
    assert "“kill Olek”" in only
    assert 'gm "order Anna: …"' in only


def test_a_forums_notice_counts_from_its_own_address(record: Record) -> None:
    (found,) = believed(post(forum_addresses=("forum@example.org",)), [claimed("Ann", "notice forum@example.org")], record, NOW)
    assert found.sender == "Ann"


def test_files_are_read_again_only_when_one_has_changed(tmp_path: Path, record: Record) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "Ann.txt").write_text("kill Olek\n")
    (folder / "shopping.txt").write_text("bread\n")
    assert [each.sender for each in record.add_messages(from_files(post(folder), record, NOW), NOW)] == ["Ann"]
    assert list(from_files(post(folder), record, NOW)) == []
    (folder / "Ann.txt").write_text("kill Olek\n---\npass\n")
    assert [each.body for each in record.add_messages(from_files(post(folder), record, NOW), NOW)] == ["pass"]
    assert any("shopping.txt" in text for text in told(record))


def test_a_folder_on_a_server_is_read_once_and_with_its_bookmark(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTPOST_IMAP_PASSWORD", "secret word")
    head = "From: Ann <ann@example.org>\r\nDate: Mon, 02 Mar 2026 19:05:00 +0000\r\nMessage-ID: <{}@x>\r\n\r\nkill Olek\r\n"
    box = Box({number: head.format(number).encode() for number in (1, 2)})
    with imap_server(box) as port:
        mail = post(places=(Place("127.0.0.1", port, "gm", "Forum", secure=False),))
        assert [each.sender for each in record.add_messages(from_servers(mail, record, NOW), NOW)] == ["Ann", "Ann"]
        assert record.bookmark("imap gm@127.0.0.1/Forum") == {"validity": 7, "uid": 2}
        box.said.clear()
        assert record.add_messages(from_servers(mail, record, NOW), NOW) == []
        assert not any("BODY" in line for line in box.said)
        box.close_at = "UID SEARCH"
        with pytest.raises(SourceError, match="broke off"):
            from_servers(mail, record, NOW)
    assert record.bookmark("imap gm@127.0.0.1/Forum") == {"validity": 7, "uid": 2}
