"""Mail on its way into the record: for whom it may speak, and read once together with its bookmark."""

from __future__ import annotations

import mailbox
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import scheduler
from desk.table import Table
from desk.views import review_facts
from engine.state import Label
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


def test_what_was_said_of_a_mail_is_not_said_again_whenever_another_one_comes(tmp_path: Path, record: Record) -> None:
    late = "Received: by b; Mon, 2 Mar 2026 23:00:00 +0000\nDate: Mon, 2 Mar 2026 20:00:00 +0000\nMessage-ID: <{0}@x>\n"
    mail = "From x@y Mon Mar  2 20:00:00 2026\nFrom: Ann <ann@example.org>\n" + late + "\nkill Olek\n\n"
    text, file = "", tmp_path / "in.mbox"
    for number in range(3):
        text += mail.format(number)
        file.write_text(text, encoding="utf-8")
        record.add_messages(from_files(post(file), record, NOW), NOW)
    assert len(record.message_ids()) == 3
    assert [text for text in told(record) if "came on" in text] == told(record)
    assert len(told(record)) == 3
    record.open_phase(Label("night", 1, "night"), NOW, None)
    file.write_text(text + "\n", encoding="utf-8")
    record.add_messages(from_files(post(file), record, NOW), NOW)
    assert len(told(record)) == 6, "in another phase it may be about other orders"


def test_a_file_that_cannot_be_read_is_told_of_whenever_it_has_changed_and_a_leaflet_beside_it_once(tmp_path: Path, record: Record) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "leaflet.pdf").write_bytes(b"%PDF-1.7\n\0\1\2")
    for number in range(3):
        (folder / "export.dat").write_bytes(b"\0\1\2" * (number + 1))
        (folder / "Ann.txt").write_text(f"kill Olek {number}\n")
        record.add_messages(from_files(post(folder), record, NOW), NOW)
    assert sum("export.dat was left out" in text for text in told(record)) == 3
    assert sum("leaflet.pdf was left out" in text for text in told(record)) == 1


def test_what_a_mail_program_keeps_beside_the_mails_is_not_told_of_with_each_mail(tmp_path: Path, record: Record) -> None:
    for folder in ("cur", "new"):
        (tmp_path / "mail" / folder).mkdir(parents=True)
    names = ("dovecot-uidlist", "dovecot.index.log", "courierimapuiddb", ".mbsyncstate", ".uidvalidity", "Inbox.msf")
    for number in range(3):
        for name in names:
            (tmp_path / "mail" / name).write_text(f"1 {number}\n")
        (tmp_path / f"mail/cur/{number}.host:2,S").write_text(f"{EVE}Message-ID: <{number}@x>\n\nkill {number}\n")
        record.add_messages(from_files(post(tmp_path / "mail"), record, NOW), NOW)
    assert told(record) == []


def test_a_mail_in_the_place_of_another_is_told_of_too(tmp_path: Path, record: Record) -> None:
    """A GM who exports only what is new, under the same name each time: each file's first mail has its order below the quote."""
    head = "From x@y Mon Mar  2 20:00:00 2026\nFrom: Ann <ann@example.org>\nDate: Mon, 2 Mar 2026 20:0{0}:00 +0000\n\n"
    below = head + "Am 02.11.2026 um 20:00 schrieb GM:\n> what?\n\nkill Olek\n\n"
    for number in (1, 2):
        (tmp_path / "in.mbox").write_text(below.format(number))
        record.add_messages(from_files(post(tmp_path / "in.mbox"), record, NOW), NOW)
    first, second = told(record)
    assert "of 2026-03-02 20:01:00 UTC has words below" in first
    assert "of 2026-03-02 20:02:00 UTC has words below" in second


def test_every_file_that_cannot_be_read_is_told_of_each_time(tmp_path: Path, record: Record) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    for number in range(2):
        for name in ("a", "b"):
            (folder / f"{name}.zip").write_bytes(b"PK\3\4" + b"broken" * (number + 1))
        record.add_messages(from_files(post(folder), record, NOW), NOW)
    for text in told(record):
        assert "mail/a.zip is a damaged or cut off zip; nothing was read from it. Copy it again. mail/b.zip is a damaged" in text
        assert text.endswith("Copy it again. The other exports were read.")
    record.notice(NOW, "something else")
    (folder / "b.zip").write_bytes(b"PK\3\4broken once more")
    record.add_messages(from_files(post(folder), record, NOW), NOW)
    assert len(told(record)) == 3


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


EVE = "From: Eve <eve@example.org>\nDate: Tue, 03 Mar 2026 08:00:00 +0000\n"
FORGED = (
    "From ann@example.org Tue Mar  3 08:00:00 2026\nFrom: Ann <ann@example.org>\nDate: Tue, 03 Mar 2026 08:00:00 +0000\n\n"
    "kill Olek\n"
)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_mail_within_a_mails_text_is_nobodys_order(tmp_path: Path, record: Record, mark: str) -> None:
    """The server escapes a line that begins with `From `; behind the mark of an encoding it does not begin with it."""
    box = mailbox.mbox(tmp_path / "in.mbox")
    more = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nHello\n\n"
    box.add((EVE + more + mark + FORGED).encode())
    box.flush()
    kept = record.add_messages(from_files(post(tmp_path), record, NOW), NOW)
    assert "Ann" not in [one.sender for one in kept]
    assert any("calls itself Anna's does not count" in text for text in told(record)) == bool(mark)


def test_a_false_length_that_ends_within_a_line_makes_no_mail_of_the_rest(tmp_path: Path, record: Record) -> None:
    """Eve's own Content-Length ends just behind the sign with which the server escapes the `From ` line in her text."""
    box = mailbox.mbox(tmp_path / "in.mbox")
    box.add(f"{EVE}Content-Length: {len('Hello..>')}\n\nHello\n\n{FORGED}".encode())
    box.flush()
    kept = record.add_messages(from_files(post(tmp_path), record, NOW), NOW)
    assert [one.sender for one in kept] == ["Eve"]


@pytest.mark.parametrize("forged", ["7", "phpbb-7", "<7>"])
def test_a_mail_that_calls_itself_by_the_number_of_a_message_to_come_is_not_taken_for_it(
    tmp_path: Path, record: Record, forged: str
) -> None:
    (tmp_path / "a.eml").write_text(f"{EVE}Message-ID: {forged}\n\nHello\n", encoding="utf-8")
    record.add_messages(from_files(post(tmp_path), record, NOW), NOW)
    number = forged.strip("<>")
    assert number not in record.message_ids(), "the forum is not asked for what is known"
    kept = record.add_messages([Message(number, "Ann", ("GM",), NOW, "", "kill Olek", "http://forum/7")], NOW)
    assert [one.sender for one in kept] == ["Ann"]


def test_a_mail_that_an_earlier_version_kept_under_an_id_without_brackets_is_not_kept_again(tmp_path: Path, record: Record) -> None:
    (tmp_path / "a.eml").write_text(f"{EVE}Message-ID: 7@x\n\nHello\n", encoding="utf-8")
    (found,) = read_mail([tmp_path / "a.eml"], timezone=UTC, notes=[])
    record.add_messages([replace(found, id="7@x")], NOW)
    assert record.add_messages([found], NOW) == []


@pytest.mark.parametrize("kind", ["mbox", "maildir", "eml"])
def test_three_orders_of_one_minute_are_three_though_the_last_has_the_words_of_the_first(
    tmp_path: Path, record: Record, kind: str
) -> None:
    head = "From: Ann <ann@example.org>\nDate: Tue, 03 Mar 2026 08:00:{0}0 +0000\nMessage-ID: <{0}@x>\n\n{1}\n"
    mails = [head.format(number, words) for number, words in enumerate(("kill Olek", "kill Bob", "kill Olek"))]
    for folder in ("cur", "new") if kind == "maildir" else ():
        (tmp_path / "in" / folder).mkdir(parents=True)
    (tmp_path / "in").mkdir(exist_ok=True)
    if kind == "mbox":
        (tmp_path / "in/in.mbox").write_text("".join(f"From a@b Mon Mar  2 20:00:00 2026\n{mail}\n" for mail in mails))
    for number, mail in enumerate(mails if kind != "mbox" else []):
        (tmp_path / (f"in/cur/{number}.host:2,S" if kind == "maildir" else f"in/{number}.eml")).write_text(mail)
    kept = record.add_messages(from_files(post(tmp_path / "in"), record, NOW), NOW)
    assert [one.body for one in kept] == ["kill Olek", "kill Bob", "kill Olek"]


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


def test_a_mail_sent_days_before_the_first_phase_opens_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has got the role may send the first order at once."""
    monkeypatch.setenv("NIGHTPOST_IMAP_PASSWORD", "secret word")
    (tmp_path / "game.toml").write_text(f"{GAME}\n[clock]\nopens = 2026-11-09T20:00:00\n", encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    with imap_server(box := Box()) as port:
        list(from_servers(post(places=(Place("127.0.0.1", port, "gm", "Forum", secure=False),)), table.record, T0))
    table.record.close()
    assert any("SINCE 01-Nov-2026" in line for line in box.said)


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


def mbox(*mails: tuple[str, str, str]) -> str:
    return "".join(f"From x Mon Mar 02 19:05:00 2026\nFrom: {sender}\n{head}\n{body}\n\n" for sender, head, body in mails)


def test_two_mails_under_one_message_id_are_two_and_a_copy_is_one(tmp_path: Path, record: Record) -> None:
    ann = "Ann <ann@example.org>"
    one, two = (f"Date: Mon, 02 Mar 2026 {hour}:05:00 +0000\nMessage-ID: <1@x>\n" for hour in (19, 20))
    empty = [f"Date: Mon, 02 Mar 2026 {hour}:05:00 +0000\nMessage-ID: <>\n" for hour in (21, 22)]
    (tmp_path / "a.mbox").write_text(mbox((ann, one, "kill Olek"), (ann, one, "kill Olek"), (ann, two, "pass"), *((ann, head, "x") for head in empty)))
    source = post(tmp_path)
    assert [each.body for each in record.add_messages(from_files(source, record, NOW), NOW)] == ["kill Olek", "pass", "x", "x"]
    (tmp_path / "0.mbox").write_text(mbox((ann, two, "pass"), (ann, one, "kill Olek"), (ann, one.replace("19:05", "23:05"), "kill Mira")))
    assert [each.body for each in record.add_messages(from_files(source, record, NOW), NOW)] == ["kill Mira"]


@pytest.mark.parametrize("date", ["", "Date: 2. Marts 2026\n"])
def test_a_mail_without_a_date_counts_when_it_came(date: str, tmp_path: Path) -> None:
    head = f"{date}Received: from a by mine; Mon, 2 Mar 2026 20:05:00 +0100 (CET)\nReceived: from b by a; Mon, 2 Mar 2026 07:00:00 +0000\n"
    (tmp_path / "a.mbox").write_text(mbox(("Ann <ann@example.org>", head, "kill Olek")))
    notes: list[str] = []
    (found,) = read_mail([tmp_path / "a.mbox"], timezone=UTC, notes=notes)
    assert (found.sent_at, len(notes)) == (datetime(2026, 3, 2, 19, 5, tzinfo=UTC), 1)
    assert "that of arrival counts" in notes[0]


def test_a_mail_in_a_file_that_came_long_after_its_date_is_told(tmp_path: Path) -> None:
    head = "Date: Mon, 02 Mar 2026 19:05:00 +0000\nReceived: from a by mine; Tue, 3 Mar 2026 07:05:00 +0000\n"
    (tmp_path / "a.mbox").write_text(mbox(("Ann <ann@example.org>", head, "kill Olek")))
    notes: list[str] = []
    (found,) = read_mail([tmp_path / "a.mbox"], timezone=UTC, notes=notes)
    assert found.sent_at == datetime(2026, 3, 2, 19, 5, tzinfo=UTC)
    assert "was sent on 2026-03-02 19:05, but came on 2026-03-03 07:05 UTC." in notes[0]
    (tmp_path / "a.mbox").write_text(mbox(("Ann <ann@example.org>", head.replace("02 Mar 2026 19", "03 Mar 2026 12"), "kill Olek")))
    (found,) = read_mail([tmp_path / "a.mbox"], timezone=UTC, notes=notes)
    assert found.sent_at == datetime(2026, 3, 3, 7, 5, tzinfo=UTC)  # a clock is wrong: nothing is sent after it came
    assert "but came on 2026-03-03 07:05 UTC, which counts." in notes[1]


def test_a_whole_mailbox_leaves_no_strangers_of_years_ago_and_no_word_about_them(tmp_path: Path, record: Record) -> None:
    record.open_phase(Label("night", 1, "night"), NOW, None)
    below = "On Mon, 2 Mar 2026 at 18:00, GM wrote:\n> so?\n\nkill Olek"
    old, young = "Date: Mon, 06 May 2019 19:05:00 +0000\n", "Date: Tue, 03 Mar 2026 19:05:00 +0000\n"
    mails = [(f"{name} <{name}@example.org>", head, below) for head in (old, young) for name in ("eve", "ann")]
    (tmp_path / "a.mbox").write_text(mbox(*mails))
    kept = record.add_messages(from_files(post(tmp_path), record, NOW), NOW)
    assert [(each.sender, each.sent_at.year) for each in kept if each.sent_at] == [("ann", 2019), ("eve", 2026), ("ann", 2026)]
    assert [text for text in told(record) if "'eve'" in text] == []
    assert len([text for text in told(record) if "words below" in text]) == 2


def test_a_stranger_who_writes_after_the_start_and_days_before_the_first_phase_opens_is_shown(tmp_path: Path, record: Record) -> None:
    record.set_fact("started", (NOW - timedelta(days=6)).isoformat())
    record.open_phase(Label("night", 1, "night"), NOW, None)
    date = (NOW - timedelta(days=5)).strftime("Date: %a, %d %b %Y %H:%M:%S +0000\n")
    (tmp_path / "a.mbox").write_text(mbox(("eve <eve@example.org>", date, "kill Olek")))
    assert [each.sender for each in record.add_messages(from_files(post(tmp_path), record, NOW), NOW)] == ["eve"]


def test_a_mail_that_names_nobody_is_told(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    (tmp_path / "mail").mkdir()
    table = Table.at(tmp_path)
    start(table, T0)
    (tmp_path / "mail/a.eml").write_text("From: \nSubject: x\n\ncare Boris\n")
    tick(tmp_path, now=T0 + timedelta(hours=2))
    assert any("A message names no author" in text and "a.eml" in text for _, text in table.record.notices())
    assert any("no time of sending" in text for _, text in table.record.notices())
    table.record.close()


def test_of_a_stranger_who_writes_often_the_gm_is_told_once_however_much_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "AT_ONCE", 2)
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    (tmp_path / "mail").mkdir()
    table = Table.at(tmp_path)
    start(table, T0)
    head = "Date: Mon, 02 Nov 2026 21:0{}:00 +0000\n"
    (tmp_path / "mail/Sent").write_text(mbox(*(("Joe <joe@example.org>", head.format(n), f"you are {n}") for n in range(5))))
    assert tick(tmp_path, now=T0 + timedelta(hours=2)).messages == 5
    assert len([text for _, text in table.record.notices() if "A message by Joe" in text]) == 1
    assert len(review_facts(tmp_path, T0 + timedelta(hours=2))["doubts"]) == 5
    table.record.close()


def test_of_strangers_mails_on_a_server_the_gm_hears_nothing_but_their_names(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTPOST_IMAP_PASSWORD", "secret word")
    mail = "From: {} <{}@example.org>\r\nDate: nonsense\r\nMessage-ID: <{}@x>\r\n\r\nkill Olek\r\n"
    with imap_server(Box({number: mail.format(name, name, name).encode() for number, name in enumerate(("eve", "ann"), start=1)})) as port:
        source = post(places=(Place("127.0.0.1", port, "gm", "Forum", secure=False),))
        assert [each.sender for each in record.add_messages(from_servers(source, record, NOW), NOW)] == ["eve", "ann"]
    (only,) = told(record)
    assert "uid 2: no time of sending" in only
