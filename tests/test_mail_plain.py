"""Text files that the GM saved under a player's name."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from parser.message import own_lines
from scraper.mail import read_mail
from scraper.mailboxes.playerfile import whose
from scraper.model import BadInput, Message, SourceError, iso

PLAYERS = ("Ann", "Anna", "Kaitou Kid", "xX_Wolf_Xx", "Jd-", "Abs.", "[Ghost]", "مریم")
SAVED = datetime(2026, 3, 3, 6, 0, tzinfo=UTC).timestamp()


def read(path: Path, players: tuple[str, ...] = PLAYERS, zone: str = "UTC") -> tuple[list[Message], list[str]]:
    notes: list[str] = []
    return list(read_mail([path], timezone=ZoneInfo(zone), notes=notes, players=players)), notes


def save(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (SAVED, SAVED))
    return path


@pytest.mark.parametrize(
    ("name", "player", "rest"),
    [
        ("Ann.txt", "Ann", ""), ("ann.TXT", "Ann", ""), ("Anna.txt", "Anna", ""), ("Kaitou Kid - night 2.txt", "Kaitou Kid", "night 2"),
        ("Kaitou Kid night 2.txt", "Kaitou Kid", "night 2"), ("mail/Ann/night 1.txt", "Ann", "night 1"), ("mail/Ann (1).txt", "Ann", "1"),
        ("xX_Wolf_Xx_2.txt", "xX_Wolf_Xx", "2"), ("Jd-.txt", "Jd-", ""), ("Jd- - night 1.txt", "Jd-", "night 1"), ("Abs..txt", "Abs.", ""),
        ("[Ghost].txt", "[Ghost]", ""), ("مریم - شب ۱.txt", "مریم", "شب ۱"), ("Annette.txt", "", "Annette"), ("notes.txt", "", "notes"),
        ("box.zip/Ann/1.txt", "Ann", "1"),
    ],
)  # fmt: skip
def test_whose_a_file_is_where_the_players_are_known(name: str, player: str, rest: str) -> None:
    assert whose(name, PLAYERS) in ((player, rest), (player.casefold() if player == "Ann" else player, rest))


@pytest.mark.parametrize(
    ("name", "player"),
    [
        ("Ann.txt", "Ann"), ("Kaitou Kid - night 2.txt", "Kaitou Kid"), ("Kaitou Kid night 2.txt", "Kaitou Kid"), ("Ann (1).txt", "Ann"),
        ("mail/Ann/night 1.txt", "Ann"), ("mail/Ann/2026-03-02.txt", "Ann"), ("Jd-.txt", "Jd-"), ("[Ghost].txt", "[Ghost]"), ("Mr. Day.txt", "Mr. Day"),
    ],
)  # fmt: skip
def test_whose_a_file_is_where_they_are_not(name: str, player: str) -> None:
    assert whose(name)[0] == player


def test_orders_are_parted_by_rules_and_dated_headings(tmp_path: Path) -> None:
    path = save(tmp_path, "Ann - week 1.txt", (
        "kill Olek\n\n---\n\nprotect Mira\nat all cost\n== 2026-03-02 20:05 ==\npass\n\nMon, 02 Mar 2026 19:05:00 +0000\nkill Bert\n"
        "[2 March 2026, 21:00]\nwait\nNight 2 (2026-03-03T01:00+03:30)\nkill Anna\n02.03.2026\nno hour\n***\n---\n"
    ))  # fmt: skip
    found, notes = read(path, zone="Europe/Berlin")
    assert [(each.sender, iso(each.sent_at), each.body, each.source.rpartition("line ")[2]) for each in found] == [
        ("Ann", "2026-03-03T06:00:00Z", "kill Olek", "1"),
        ("Ann", "2026-03-03T06:00:00Z", "protect Mira\nat all cost", "4"),
        ("Ann", "2026-03-02T19:05:00Z", "pass", "7"),
        ("Ann", "2026-03-02T19:05:00Z", "kill Bert", "10"),
        ("Ann", "2026-03-02T20:00:00Z", "wait", "12"),
        ("Ann", "2026-03-02T21:30:00Z", "kill Anna", "14"),
        ("Ann", "2026-03-03T06:00:00Z", "no hour", "16"),
    ]
    assert found[0].subject == "week 1"
    assert found[5].subject == "Night 2 (2026-03-03T01:00+03:30"
    assert notes == [
        "Ann - week 1.txt: 3 of 7 orders of Ann without day and hour; taken as sent when the file was last saved, 2026-03-03 06:00 UTC."
    ]
    assert {each.origin for each in found} == {"file"}


@pytest.mark.parametrize("heading", ["۲۰۲۶-۱۱-۰۲ ۲۱:۰۰", "٢٠٢٦-١١-٠٢ ٢١:٠٠", "2026/11/02، 21:00", "۱۴۰۵/۸/۱۱ ساعت ۲۱:۰۰"])
def test_a_heading_in_the_digits_of_another_script(heading: str, tmp_path: Path) -> None:
    (found,), notes = read(save(tmp_path, "Ann.txt", f"{heading}\nkill Olek\n"))
    assert found.sent_at == datetime(2026, 11, 2, 21, tzinfo=UTC)
    assert not notes


@pytest.mark.parametrize(
    "line", ["kill Ann at 10:30 on 2 March 2026", "2 votes", "kill 2026-03-02 20:05", "--", "-- ", "Ann: 20:05", "investigate 12.03", "12:30", "a" * 100]
)
def test_an_order_is_no_heading(line: str, tmp_path: Path) -> None:
    found, _ = read(save(tmp_path, "Ann.txt", f"first\n{line}\nlast\n"))
    assert [each.body for each in found] == [f"first\n{line}\nlast"]


def test_an_order_keeps_its_id_when_others_are_added(tmp_path: Path) -> None:
    path = save(tmp_path, "Ann.txt", "pass\n---\nkill Olek\n")
    before = [each.id for each in read(path)[0]]
    save(tmp_path, "Ann.txt", "pass\n---\nkill Olek\n---\npass\n")
    os.utime(path, (SAVED + 86400, SAVED + 86400))
    after = [each.id for each in read(path)[0]]
    assert after[:2] == before
    assert len(set(after)) == 3  # the second pass is another order


def test_a_folder_for_each_player_and_strange_files(tmp_path: Path) -> None:
    save(tmp_path, "mail/Ann/night 1.txt", "kill Olek")
    save(tmp_path, "mail/Kaitou Kid/n2.txt", "pass")
    save(tmp_path, "mail/shopping.txt", "bread")
    save(tmp_path, "mail/photo.txt", b"\x89PNG\0\0\0")
    found, notes = read(tmp_path / "mail")
    assert [(each.sender, each.subject, each.body) for each in found] == [
        ("Ann", "night 1", "kill Olek"), ("Kaitou Kid", "n2", "pass"),
    ]  # fmt: skip
    assert any("mail/shopping.txt was left out: its name begins with no player's name." in note for note in notes)
    assert any("photo.txt was left out" in note for note in notes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "cp1251", "cp1256"])
def test_any_character_set(encoding: str, tmp_path: Path) -> None:
    text = {"cp1251": "защитить Олега, а ночью спать", "cp1256": "نجات دادن سارا و بعد از آن خواب", "cp1252": "protéger Zoë"}.get(encoding, "protect Zoë, مریم")
    found, _ = read(save(tmp_path, "Ann.txt", f"{text}\r\n---\r\nkill {text}".encode(encoding)))
    assert [each.body for each in found] == [text, f"kill {text}"]


def test_inside_a_zip_the_time_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Ann.txt", "kill Olek\n")
    found, notes = read(path)
    assert [(each.sender, each.sent_at) for each in found] == [("Ann", None)]
    assert "when it is first read" in notes[0]


def test_only_a_text_file_may_be_named_so(tmp_path: Path) -> None:
    for name in ("Ann", "Ann.md", "Ann.doc"):
        with pytest.raises(BadInput, match=r"text files named after a player"):
            read(save(tmp_path, name, "kill Olek"))


def test_a_file_too_large_and_one_with_too_many_orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, notes = read(save(tmp_path, "Ann.txt", "x\n---\n" * 3000))
    assert len(found) == 2000
    assert "more than 2000" in notes[-1]
    monkeypatch.setattr("scraper.mailboxes.records.LARGEST_EXPORT", 1000)
    with pytest.raises(SourceError, match=r"Ann\.txt is larger"):
        read(tmp_path / "Ann.txt")


def test_a_name_is_the_same_in_the_letters_of_a_mac(tmp_path: Path) -> None:
    for spelled, called in (("Zoe\u0308 - night 1.txt", "Zoë"), ("Zoë.txt", "Zoe\u0308")):
        assert whose(spelled, (called,))[0] == called


HEAD = "Von: Host <h@example.org>\nGesendet: Montag, 2. März 2026 18:00\nAn: Ann\nBetreff: Nacht\n\nkill Mira\n"


@pytest.mark.parametrize("quote", [HEAD, "пн, 2 мар. 2026 г. в 18:00, Host <h@example.org>:\n\nkill Mira\n", "Host wrote on 2 Mar 2026 18:00:\n> kill Mira\n"])
def test_a_mail_that_is_answered_in_a_text_file_is_a_quote(quote: str, tmp_path: Path) -> None:
    found, _ = read(save(tmp_path, "Ann.txt", f"2026-03-02 20:05\nkill Olek\n\n{quote}---\n2026-03-02 21:05\npass\n"))
    assert [[line for _, line in own_lines(each.body)] for each in found] == [["kill Olek"], ["pass"]]


def test_a_players_own_mail_pasted_with_its_head_is_no_quote(tmp_path: Path) -> None:
    own = "pass\n\nFrom: Ann <a@example.org>\nSent: Monday, 2 March 2026 18:00\nTo: Host\nSubject: Night\n\nkill Mira\n"
    found, _ = read(save(tmp_path, "Ann.txt", own))
    assert found[-1].sent_at == datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
    assert "kill Mira" in [line for _, line in own_lines(found[-1].body)]


def test_a_list_in_json_is_no_export_of_phpbb(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="it is JSON, but not as"):
        read(save(tmp_path, "a.json", '[{"id": "1", "content": "kill", "author": "Ann", "at": "2026-03-02T19:05:00Z", "x": ""}]'))
