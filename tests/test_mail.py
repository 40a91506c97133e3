"""`read_mail`: kinds told by content, folders, zips, copies, and what is said about files that are not read."""

from __future__ import annotations

import io
import os
import shutil
import tracemalloc
import zipfile
from datetime import UTC
from pathlib import Path

import pytest

from scraper.mail import DEEPEST_ZIP, read_mail
from scraper.model import BadInput, Message, SourceError

BOXES = Path(__file__).parent / "mailboxes"
KINDS = {
    "night.mbox": 3, "notices.mbox": 4, "phpbb.xml": 3, "phpbb.csv": 3, "phpbb-tab.csv": 3, "phpbb-excel.csv": 3, "phpbb-sent.xml": 1,
    "phpbb-sent.csv": 1, "mybb.csv": 3, "mybb.txt": 3, "mybb.html": 3, "mybb-german.csv": 2, "smf.xml": 1, "discord.json": 3,
    "vbulletin.xml": 3, "vbulletin3.csv": 3, "vbulletin4.csv": 3, "vbulletin.txt": 3, "discourse.json": 3,
}  # fmt: skip


VBULLETIN = ("vbulletin.xml", "vbulletin3.csv", "vbulletin4.csv", "vbulletin.txt")


def read(*paths: Path) -> tuple[list[Message], list[str]]:
    notes: list[str] = []
    return list(read_mail(paths, timezone=UTC, notes=notes)), notes


def read_until_error(*paths: Path) -> tuple[list[Message], SourceError, list[str]]:
    notes: list[str] = []
    found: list[Message] = []
    reading = read_mail(paths, timezone=UTC, notes=notes)
    try:
        for each in reading:
            found.append(each)
    except SourceError as error:
        return found, error, notes
    raise AssertionError(f"no error, but {found}")


def mail(number: int, text: str = "kill Olek") -> bytes:
    return (
        f"From: Mira <mira@example.org>\nTo: host@example.org\nSubject: Night {number}\nDate: Mon, 02 Mar 2026 19:05:00 +0000\n"
        f"Message-ID: <{number}@example.org>\n\n{text}\n"
    ).encode()


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(("name", "count"), KINDS.items())
def test_a_kind_is_told_by_content_whatever_the_name(name: str, count: int, tmp_path: Path) -> None:
    disguised = tmp_path / "thumbnail.jpg"
    shutil.copy(BOXES / name, disguised)
    found, _ = read(disguised)
    assert len(found) == count
    assert all(each.source.startswith("thumbnail.jpg:message ") for each in found)


def test_every_file_here_has_a_test() -> None:
    assert {path.name for path in BOXES.iterdir()} == set(KINDS)


def test_messages_come_in_the_order_of_the_file_with_its_name() -> None:
    found, _ = read(BOXES / "night.mbox")
    assert [each.source for each in found] == [f"night.mbox:message {number}" for number in (1, 2, 3)]


def test_notes_may_be_a_function(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG....")
    said: list[str] = []
    assert not list(read_mail([tmp_path], timezone=UTC, notes=said.append))
    assert "photo.png" in said[0]


# -- what is not read -------------------------------------------------------------------------------------------------


def test_a_missing_path_is_named_with_the_nearest_name_at_once(tmp_path: Path) -> None:
    (tmp_path / "inbox.mbox").write_bytes(b"")
    with pytest.raises(BadInput, match=r"inbx\.mbox does not exist.*'inbox\.mbox'"):
        read_mail([tmp_path / "inbx.mbox"], timezone=UTC, notes=[])


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"hello there", "no mailbox or export of a known kind"),
        (b"\x1f\x8b\x08....", "gzip"),
        (b"<!DOCTYPE html><html><body>a topic</body></html>", "nightpost read"),
        (b'{"a": 1}', "DiscordChatExporter"),
        (b"<?xml version='1.0'?><rss></rss>", "XML"),
        (b"name,role\nAnna,baker\n", "known kind"),
        (b"\x00" * 100, "known kind"),
    ],
)
def test_a_file_of_no_known_kind_is_refused_with_what_is_read(data: bytes, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    path.write_bytes(data)
    with pytest.raises(BadInput, match="thing") as caught:
        read_mail([path], timezone=UTC, notes=[])
    assert hint in str(caught.value)
    assert "mbox" in str(caught.value)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n", b"\r\n"])
def test_the_mark_that_an_editor_puts_at_the_start_hides_no_mail(mark: bytes, tmp_path: Path) -> None:
    separator = b"From ann@example.org Mon Mar  2 19:05:00 2026\n"
    (tmp_path / "one.eml").write_bytes(mark + mail(1))
    (tmp_path / "two.mbox").write_bytes(mark + separator + mail(2) + b"\n\n" + mark + separator + mail(3) + b"\n")
    found, notes = read(tmp_path)
    assert ([one.subject for one in found], notes) == (["Night 1", "Night 2", "Night 3"], [])


def test_an_empty_mailbox_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "empty.mbox"
    path.write_bytes(b"")
    found, notes = read(path)
    assert not found
    assert "empty.mbox is empty." in notes


def test_a_device_or_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="neither a file nor a folder"):
        read_mail([tmp_path / "pipe"], timezone=UTC, notes=[])
    assert read(tmp_path)[0] == []


# -- folders ----------------------------------------------------------------------------------------------------------


def test_a_folder_is_read_with_all_below_it_in_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.eml").write_bytes(mail(2))
    (tmp_path / "a.eml").write_bytes(mail(1))
    (tmp_path / "c.md").write_text("shopping list")
    (tmp_path / ".DS_Store").write_bytes(b"junk")
    (tmp_path / "b" / "round").symlink_to(tmp_path)
    found, notes = read(tmp_path)
    assert [each.source.partition("/")[2] for each in found] == ["a.eml:message 1", "b/two.eml:message 1"]
    assert [note for note in notes if "c.md" in note]
    assert not [note for note in notes if "DS_Store" in note]


def test_a_maildir_is_read_but_for_what_is_still_being_delivered(tmp_path: Path) -> None:
    for part, number in (("cur", 1), ("new", 2), ("tmp", 3), (".Sent/cur", 4), (".Sent/new", 5)):
        (tmp_path / part).mkdir(parents=True)
        (tmp_path / part / f"1700000000.M{number}P1.host:2,S").write_bytes(mail(number))
    assert sorted(each.subject for each in read(tmp_path)[0]) == ["Night 1", "Night 2", "Night 4", "Night 5"]


def test_one_damaged_file_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and nothing more")
    (tmp_path / "b.xml").write_bytes((BOXES / "phpbb.xml").read_bytes()[:500])
    (tmp_path / "c.eml").write_bytes(mail(1))
    found, error, notes = read_until_error(tmp_path)
    assert found[-1].subject == "Night 1"
    assert "a.zip is a damaged or cut off zip" in str(error)
    assert "b.xml, line 20: the XML is cut off or damaged" in str(error)
    assert notes == []


# -- the same message twice -------------------------------------------------------------------------------------------


def test_the_same_file_twice_is_read_once() -> None:
    for name, count in KINDS.items():
        assert len(read(BOXES / name, BOXES / name)[0]) == count


def test_formats_of_one_forum_give_the_same_ids() -> None:
    for group in (("phpbb.xml", "phpbb.csv", "phpbb-tab.csv", "phpbb-excel.csv"), ("mybb.csv", "mybb.txt", "mybb.html"), VBULLETIN):
        ids = [[each.id for each in read(BOXES / name)[0]] for name in group]
        assert all(each == ids[0] for each in ids)
        assert len(read(*(BOXES / name for name in group))[0]) == len(ids[0])


def test_a_zip_and_its_folder_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(mail(1))
    zipped(tmp_path / "all.zip", {"one.eml": mail(1), "two.eml": mail(2)})
    assert sorted(each.subject for each in read(tmp_path)[0]) == ["Night 1", "Night 2"]


def test_mails_without_an_id_differ_by_what_they_say(tmp_path: Path) -> None:
    for number, text in enumerate(("kill [Ghost]", "kill [Anna]", "kill [Ghost]")):
        (tmp_path / f"{number}.eml").write_bytes(
            b"From: Mira <m@example.org>\nDate: Mon, 02 Mar 2026 19:05:00 +0000\n\n" + text.encode()
        )
    assert [each.body for each in read(tmp_path)[0]] == ["kill [Ghost]", "kill [Anna]"]


# -- zips -------------------------------------------------------------------------------------------------------------


def test_a_zip_of_anything_is_read_without_unpacking_it(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep.mbox", (BOXES / "night.mbox").read_bytes())
    path = zipped(
        tmp_path / "export.zip",
        {
            "../../../etc/evil.eml": mail(1), "/etc/abs.eml": mail(2), "C:\\x.eml": mail(3), "dir/phpbb.xml": (BOXES / "phpbb.xml").read_bytes(),
            "inner.zip": inner.getvalue(), "__MACOSX/._x.eml": mail(9), "Box/cur/1": mail(4), "Box/tmp/2": mail(8), "tmp/3": mail(5),
        },
    )  # fmt: skip
    found, _ = read(path)
    subjects = {each.subject for each in found}
    assert {f"Night {number}" for number in (1, 2, 3, 4, 5)} <= subjects
    assert not {"Night 8", "Night 9"} & subjects
    assert {"html", "idle"} <= subjects
    assert [each.name for each in tmp_path.iterdir()] == ["export.zip"]
    assert any(each.source == "export.zip/inner.zip/deep.mbox:message 1" for each in found)


@pytest.mark.parametrize("nested", [False, True])
def test_a_bomb_is_refused_with_the_reason(nested: bool, tmp_path: Path) -> None:
    data = b"From x Mon Mar  2 19:05:00 2026\n\n" + bytes(20_000_000)
    path = zipped(tmp_path / "bomb.zip", {"a.mbox": data, "b.eml": mail(1)})
    if nested:
        path = zipped(tmp_path / "outer.zip", {"bomb.zip": path.read_bytes()})
    found, error, _ = read_until_error(path)
    assert not found
    assert "200 times its size" in str(error)
    assert error.advice


def test_a_zip_that_says_it_is_too_large_or_too_many_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zipped(tmp_path / "many.zip", {f"{number}.eml": mail(number) for number in range(20)})
    monkeypatch.setattr("scraper.mail.MOST_MEMBERS", 19)
    monkeypatch.setattr("scraper.mail._Budget.__init__.__defaults__", (19, 4 * 1024**3))
    assert "more than 19 files" in str(read_until_error(path)[1])
    monkeypatch.setattr("scraper.mail._Budget.__init__.__defaults__", (100, 1000))
    assert "would unpack to more than" in str(read_until_error(path)[1])


def test_zips_within_zips_end_somewhere(tmp_path: Path) -> None:
    data = zipped(tmp_path / "0.zip", {"x.eml": mail(1)}).read_bytes()
    for depth in range(1, DEEPEST_ZIP + 1):
        data = zipped(tmp_path / f"{depth}.zip", {f"{depth}.zip": data}).read_bytes()
    assert len(read(tmp_path / f"{DEEPEST_ZIP - 1}.zip")[0]) == 1
    assert "within zips" in str(read_until_error(tmp_path / f"{DEEPEST_ZIP}.zip")[1])


def test_an_encrypted_member_is_named_and_the_rest_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "locked.zip", {"a.eml": mail(1), "b.eml": mail(2)})
    data = bytearray(path.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    path.write_bytes(data)
    found, error, _ = read_until_error(path)
    assert [each.subject for each in found] == ["Night 2"]
    assert "a.eml is encrypted" in str(error)


def test_a_damaged_member_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.xml", (BOXES / "phpbb.xml").read_bytes())
    data = bytearray(path.read_bytes())
    at = data.index(b"line two")
    data[at : at + 4] = b"xxxx"
    path.write_bytes(data)
    found, error, _ = read_until_error(path)
    assert "bad.zip/a.xml: damaged within the zip" in str(error)
    assert "line one\nxxxx two" not in [each.body for each in found] or error


def test_memory_does_not_grow_with_the_mailbox(tmp_path: Path) -> None:
    path = tmp_path / "large.mbox"
    attachment = (b"x" * 76 + b"\n") * 4000
    with path.open("wb") as box:
        for number in range(40):
            box.write(b"From a Mon Mar  2 19:05:00 2026\n" + mail(number, "kill Olek\n" + attachment.decode()) + b"\n")
    size = path.stat().st_size
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_mail([path], timezone=UTC, notes=[]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 40
    assert peak < size / 2
