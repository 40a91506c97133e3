"""Mail on its way into the record: for whom it may speak, and read once together with its bookmark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desk.table import Table
from desk.views import review_facts
from publisher.mailing import MailSource, believed, from_files, from_servers
from scheduler import start, tick
from scraper.imap import Place
from scraper.mail import read_mail
from scraper.model import Message, SourceError
from store.record import Record
from tests.imap_kit import Box, imap_server
from tests.test_tick import GAME, T0

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


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("Subject: care Boris\n", ""), ("Subject: care Boris\n", "-- \nAnn\n"), ("Auto-Submitted: auto-replied\n", "I am away. Anna takes care.\n"),
        ("Auto-Submitted: auto-generated\nX-Auto-Response-Suppress: All\n", "Away until Monday.\n"), ("X-Autoreply: yes\n", "Away.\n"),
        ("Content-Type: multipart/mixed; boundary=B\n", "--B\nContent-Type: application/ms-tnef\n\nAAAA\n--B--\n"),
        ("Content-Type: multipart/encrypted; boundary=B\n", "--B\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--B--\n"),
        ("Content-Type: multipart/mixed; boundary=B\n", "--B\nContent-Type: message/rfc822\n\nFrom: x@y\nSubject: s\n\ncare Cleo\n--B--\n"),
        ("", "On Mon, 2 Nov 2026 at 21:00, GM wrote:\n\ncare Cleo\n"),
    ],
)  # fmt: skip
def test_a_message_without_words_is_no_order_and_the_gm_is_told(head: str, body: str, tmp_path: Path) -> None:
    text = GAME.replace('Anna = "ultimate_detective"', 'Anna = { role = "ultimate_detective", account = ["Anna", "ann@example.org"] }')
    (tmp_path / "game.toml").write_text(text, encoding="utf-8")
    (tmp_path / "mail").mkdir()
    table = Table.at(tmp_path)
    start(table, T0)
    mail = f"From: Ann <ann@example.org>\nDate: Mon, 02 Nov 2026 21:05:00 +0000\n{head}\n{body}"
    (tmp_path / "mail/a.eml").write_text(mail, encoding="utf-8")
    tick(tmp_path, now=T0 + timedelta(hours=2))
    phase = table.current()
    assert phase is not None
    assert [order.text for order in table.inputs(phase).orders] == []
    assert [text for _, text in table.record.notices() if "has no words of the sender's own" in text and "order Anna: …" in text]
    doubts = review_facts(tmp_path, T0 + timedelta(hours=2))["doubts"]
    assert [(one["topic"], one["player"]) for one in doubts] == [("wordless", "Anna")]
    table.record.close()


def test_a_mail_of_a_list_or_a_persons_own_is_no_automatic_answer(tmp_path: Path) -> None:
    for head in ("Auto-Submitted: no\n", "Auto-Submitted: auto-generated\nList-Id: <game.example.org>\n", "Precedence: bulk\n"):
        (tmp_path / "a.eml").write_text(f"From: Ann <ann@example.org>\n{head}\nkill Olek\n", encoding="utf-8")
        (found,) = read_mail([tmp_path / "a.eml"], timezone=UTC, notes=[])
        assert found.body == "kill Olek"
