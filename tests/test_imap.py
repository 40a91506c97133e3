"""A folder on a mail server: what is read, what is never done to it, and what a GM hears when it does not work."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scraper.imap import ImapFolder, Place, password_for, place_of
from scraper.mail import read_mail
from scraper.mailboxes.rfc822 import LARGEST_MAIL
from scraper.model import BadInput, Message, SourceError, iso
from tests.imap_kit import Box, imap_server

Reader = Callable[..., ImapFolder]


def mail(number: int, text: str = "kill Olek", date: str = "Mon, 02 Mar 2026 19:05:00 +0000") -> bytes:
    return (
        f"From: Mira <mira@example.org>\r\nTo: host@example.org\r\nSubject: Night {number}\r\nDate: {date}\r\n"
        f"Message-ID: <{number}@example.org>\r\n\r\n{text}\r\n"
    ).encode()


@pytest.fixture
def box() -> Box:
    return Box({3: mail(3), 5: mail(5), 9: mail(9)})


@pytest.fixture
def folder(box: Box) -> Iterator[Reader]:
    with imap_server(box) as port:

        def opened(name: str = "Forum", password: str = "secret word", user: str = "gm", timeout: float = 5) -> ImapFolder:
            return ImapFolder(Place("127.0.0.1", port, user, name, secure=False), password, timeout=timeout)

        yield opened


def read(reader: ImapFolder, bookmark: dict[str, int] | None = None, since: datetime | None = None) -> tuple[list[Message], list[str]]:
    notes: list[str] = []
    return list(reader.messages(bookmark, timezone=UTC, note=notes.append, since=since)), notes


def test_a_folder_is_read_once_and_from_then_on_what_is_new(box: Box, folder: Reader) -> None:
    reader = folder()
    found, notes = read(reader)
    assert [(each.id, each.sender, iso(each.sent_at), each.body, each.origin) for each in found][:1] == [
        ("<3@example.org>", "Mira", "2026-03-02T19:05:00Z", "kill Olek", "mail mira@example.org")
    ]
    assert [each.source for each in found] == [f"imap gm@127.0.0.1/Forum:uid {uid}" for uid in (3, 5, 9)]
    assert (notes, reader.bookmark) == ([], {"validity": 7, "uid": 9})
    assert read(folder(), reader.bookmark) == ([], [])
    box.mails[12] = mail(12)
    later = folder()
    assert [each.subject for each in read(later, reader.bookmark)[0]] == ["Night 12"]
    assert later.bookmark == {"validity": 7, "uid": 12}


def test_nothing_is_changed_on_the_server(box: Box, folder: Reader) -> None:
    read(folder())
    words = {line.split()[0].upper() for line in box.said}
    assert words <= {"CAPABILITY", "LOGIN", "EXAMINE", "UID", "LOGOUT"}
    assert all("PEEK" in line for line in box.said if "BODY" in line)


def test_a_folder_numbered_anew_is_read_from_the_start_with_the_same_ids(box: Box, folder: Reader) -> None:
    before = [each.id for each in read(folder())[0]]
    reader = folder()
    found, notes = read(reader, {"validity": 6, "uid": 900})
    assert [each.id for each in found] == before
    assert "numbered the folder anew" in notes[0]
    assert reader.bookmark == {"validity": 7, "uid": 9}


def test_the_first_time_only_mails_since_the_game_began_are_asked_for(box: Box, folder: Reader) -> None:
    reader = folder()
    read(reader, since=datetime(2026, 3, 1, 5, tzinfo=UTC))
    assert any("SINCE 28-Feb-2026" in line for line in box.said)
    box.said.clear()
    read(folder(), reader.bookmark, since=datetime(2026, 3, 1, 5, tzinfo=UTC))
    assert not any("SINCE" in line for line in box.said)


def test_the_same_mail_in_an_mbox_is_the_same_message(tmp_path: Path, box: Box, folder: Reader) -> None:
    path = tmp_path / "saved.mbox"
    path.write_bytes(b"".join(b"From a Mon Mar  2 19:05:00 2026\n" + each.replace(b"\r\n", b"\n") + b"\n" for each in box.mails.values()))
    here = list(read_mail([path], timezone=UTC, notes=[]))
    there, _ = read(folder())
    assert [replace(each, source="") for each in there] == [replace(each, source="") for each in here]


def test_a_forums_notice_is_read_as_the_message_it_is_about(box: Box, folder: Reader) -> None:
    rule = "-" * 42
    text = f"Host,\r\n\r\nYou have received a new private message on Forum from Ann:\r\n\r\n{rule}\r\nprotect Bob\r\n{rule}\r\n"
    head = "From: Forum <forum@example.org>\r\nX-Mailer: MyBB\r\nSubject: New Private Message at Forum - Dusk\r\nDate: Mon, 02 Mar 2026 19:05:00 +0000\r\n\r\n"
    box.mails = {1: (head + text).encode()}
    ((only,), _) = read(folder())
    assert (only.sender, only.subject, only.body, only.origin) == ("Ann", "Dusk", "protect Bob", "notice forum@example.org")


def test_times_of_arrival(box: Box, folder: Reader) -> None:
    box.mails = {1: mail(1, date="nonsense"), 2: mail(2, date="Mon, 02 Mar 2026 12:00:00 +0000"), 3: mail(3, date="Mon, 02 Mar 2026 22:00:00 +0000")}
    found, notes = read(folder())
    assert [iso(each.sent_at) for each in found] == ["2026-03-02T19:05:30Z", "2026-03-02T12:00:00Z", "2026-03-02T19:05:30Z"]
    assert "so that of arrival counts" in notes[0]
    assert [note for note in notes[1:] if "but came on 2026-03-02 19:05 UTC" in note] == notes[1:]
    assert len(notes) == 3


def test_a_large_mail_is_asked_for_in_part_only(box: Box, folder: Reader) -> None:
    head = b"From: A <a@x>\r\nDate: Mon, 02 Mar 2026 19:05:00 +0000\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nkill Olek\r\n--b\r\nContent-Type: image/png\r\n\r\n"
    box.mails = {1: head + b"x" * (LARGEST_MAIL + 10)}
    found, notes = read(folder())
    assert [each.body for each in found] == ["kill Olek"]
    assert "only its first part" in notes[0]


def test_names_in_any_script_and_signs_that_end_nothing(box: Box, folder: Reader) -> None:
    box.folder = '"&BjQGKA- &- \\"x\\""'
    assert len(read(folder('شب & "x"', password="secret word", user='g"m x'))[0]) == 3
    assert 'LOGIN "g\\"m x" "secret word"' in box.said
    box.said.clear()
    read(folder('شب & "x"', password="пароль"))
    assert any(line.startswith("AUTHENTICATE PLAIN") for line in box.said)


# -- what goes wrong --------------------------------------------------------------------------------------------------


def failing(reader: ImapFolder) -> SourceError:
    with pytest.raises(SourceError) as caught:
        read(reader)
    assert "secret" not in f"{caught.value} {caught.value.advice}"
    assert caught.value.__cause__ is None
    return caught.value


def test_a_wrong_password_is_said_without_it(folder: Reader) -> None:
    error = failing(folder(password="secret other"))
    assert "refused the name or the password" in str(error)
    assert "NIGHTPOST_IMAP_PASSWORD" in error.advice


def test_a_missing_folder_is_said_with_those_there_are(folder: Reader) -> None:
    error = failing(folder("Forums"))
    assert "Is it 'Forum'? Folders there: Forum, INBOX." in str(error)


@pytest.mark.parametrize("where", ["LOGIN", "EXAMINE", "UID SEARCH", "UID FETCH", "CAPABILITY"])
def test_a_silent_or_lost_server_is_given_up(where: str, box: Box, folder: Reader) -> None:
    box.silent_at = where
    assert "did not answer in time" in str(failing(folder(timeout=0.1)))
    box.silent_at, box.close_at = "", where
    error = failing(folder())
    assert "broke off" in str(error) or "refused" in str(error)


def test_what_came_before_the_line_broke_is_kept_and_the_rest_comes_next_time(box: Box, folder: Reader) -> None:
    box.mails[4] = b"x" * 10
    reader = folder()
    reading = reader.messages(None, timezone=UTC, note=[].append)
    assert next(reading).subject == "Night 3"
    box.close_at = "UID FETCH"
    with pytest.raises(SourceError, match="broke off"):
        list(reading)
    assert reader.bookmark == {"validity": 7, "uid": 3}
    box.close_at = ""
    assert [each.subject for each in read(folder(), reader.bookmark)[0]] == ["Night 5", "Night 9"]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("UID FETCH", b"* 1 FETCH (UID 3 BODY[] {99999999999}\r\n"), ("UID SEARCH", b"TAG NO busy\r\n"), ("UID FETCH", b"TAG NO busy\r\n"), ("GREETING", b"HTTP/1.1 400\r\n"),
        ("UID SEARCH", b"* SEARCH 3 x 9 -4 99999999999999999999\r\nTAG BAD x\r\n"), ("EXAMINE", b"\xff\xfe\r\n"), ("CAPABILITY", b"TAG OK\r\n"),
        ("EXAMINE", b"* BYE you said secret word\r\n"), ("LOGIN", b"TAG NO not secret word\r\n"),
        ("UID SEARCH", b"* SEARCH " + b"9" * 2_000_000 + b"\r\n"),
    ],
)  # fmt: skip
def test_a_server_that_talks_nonsense_is_given_up(command: str, answer: bytes, box: Box, folder: Reader) -> None:
    box.answer = {command: answer}
    failing(folder(timeout=0.5))


def test_a_mail_deleted_meanwhile_is_passed_over(box: Box, folder: Reader) -> None:
    box.answer = {"UID FETCH": b"TAG OK none\r\n"}
    reader = folder()
    assert read(reader) == ([], [])
    assert reader.bookmark["uid"] == 9


def test_no_server_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        error = failing(ImapFolder(Place("127.0.0.1", taken.getsockname()[1], "gm", "x", secure=False), "secret"))
    assert "broke off" in str(error)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_a_certificate_that_nobody_vouches_for_is_refused_before_the_password_is_sent(tmp_path: Path, box: Box) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    box.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    box.tls.load_cert_chain(certificate, key)
    with imap_server(box) as port:
        error = failing(ImapFolder(Place("localhost", port, "gm", "Forum"), "secret word", timeout=5))
        assert "certificate" in str(error)
        assert box.said == []
        context = ssl.create_default_context(cafile=str(certificate))
        assert len(read(ImapFolder(Place("localhost", port, "gm", "Forum"), "secret word", timeout=5, context=context))[0]) == 3


def test_tls_to_a_server_without_it(box: Box) -> None:
    with imap_server(box) as port:
        error = failing(ImapFolder(Place("127.0.0.1", port, "gm", "Forum"), "secret word", timeout=5))
    assert "does not speak TLS" in str(error)


# -- addresses and passwords -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("imaps://gm@mail.example.org/Forum", Place("mail.example.org", 993, "gm", "Forum")), ("imaps://gm@mail.example.org", Place("mail.example.org", 993, "gm", "INBOX")),
        ("imaps://gm%40example.org@mail.example.org:1993/A/B%20C/", Place("mail.example.org", 1993, "gm@example.org", "A/B C")),
        ("imaps://gm@example.org@mail.example.org/x", Place("mail.example.org", 993, "gm@example.org", "x")),
        ("imap://gm@localhost:1143/x", Place("localhost", 1143, "gm", "x", secure=False)),
    ],
)  # fmt: skip
def test_addresses(address: str, place: Place) -> None:
    assert place_of(address) == place


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("imaps://gm:secret@mail.example.org/x", "holds a password"), ("imap://gm@mail.example.org/x", "in the clear"), ("https://mail.example.org", "no address of a mail folder"),
        ("imaps://mail.example.org/x", "lacks its user"), ("imaps://gm@/x", "lacks its server"), ("imaps://gm@mail.example.org/a%0d%0ab", "signs"),
        ("imaps://gm@mail.example.org:port/x", "cannot be read"), ("imaps://[gm", "cannot be read"), ("imaps://gm@mail.example.org/x?y", "signs"),
    ],
)  # fmt: skip
def test_an_address_that_will_not_do(address: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as caught:
        place_of(address)
    assert "secret" not in str(caught.value)
    assert "imaps://user@mail.example.org/Folder" in str(caught.value)


def test_the_password_comes_from_the_environment_or_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place("mail.example.org", 993, "gm", "x")
    monkeypatch.setenv("NIGHTPOST_IMAP_PASSWORD", "one")
    assert password_for(place) == "one"
    monkeypatch.delenv("NIGHTPOST_IMAP_PASSWORD")
    monkeypatch.setattr("keyring.get_password", lambda service, name: {("nightpost-imap", "gm@mail.example.org"): "two"}.get((service, name)))
    assert password_for(place) == "two"
    monkeypatch.setattr("keyring.get_password", lambda service, name: None)
    with pytest.raises(SourceError) as caught:
        password_for(place)
    assert "NIGHTPOST_IMAP_PASSWORD" in caught.value.advice
    with pytest.raises(SourceError, match="line ends"):
        ImapFolder(place, "a\r\nb")
