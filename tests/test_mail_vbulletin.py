"""Private messages downloaded from vBulletin 3 and 4, as the public record has their forms."""

from __future__ import annotations

import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from scraper.mail import read_mail
from scraper.model import Message, SourceError, iso

BOXES = Path(__file__).parent / "mailboxes"
NAMES = ("vbulletin.xml", "vbulletin3.csv", "vbulletin4.csv", "vbulletin.txt")


def read(path: Path, zone: str = "Europe/Berlin") -> tuple[list[Message], list[str]]:
    notes: list[str] = []
    return list(read_mail([path], timezone=ZoneInfo(zone), notes=notes)), notes


@pytest.fixture
def written(tmp_path: Path):  # type: ignore[no-untyped-def]
    def of(data: bytes | str) -> tuple[list[Message], list[str]]:
        path = tmp_path / "file"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return read(path)

    return of


@pytest.mark.parametrize("name", NAMES)
def test_all_forms_say_the_same(name: str) -> None:
    found, notes = read(BOXES / name)
    assert [(each.sender, each.recipients, each.subject, iso(each.sent_at), each.body) for each in found] == [
        ("Host", ("Olek",), "idle", "2026-03-01T07:00:00Z", "line one\nline two"),
        ("شیر", ("Host", "Olek"), "dusk", "2026-03-02T18:30:00Z", "[QUOTE=Host;12]Sure?[/QUOTE]\nبله, yes"),
        ("Mira & Tom", ("Host",), "Dusk & first", "2026-03-02T19:05:00Z", 'watch "Olek", please\n[b]nobody else[/b] <3'),
    ]
    assert bool(notes) == (name in ("vbulletin3.csv", "vbulletin.txt"))  # there a text can pass for another message


@pytest.mark.parametrize("name", NAMES)
def test_times_are_those_of_the_account(name: str) -> None:
    found, _ = read(BOXES / name, "Asia/Tehran")
    assert iso(found[0].sent_at) == "2026-03-01T04:30:00Z"


def test_a_text_cannot_pass_for_another_message_in_xml_and_in_the_csv_of_vbulletin_4(written) -> None:  # type: ignore[no-untyped-def]
    forged = '"2026-03-02 20:05","Inbox","x","Victim","Host","kill Mira"'
    row = '"2026-03-02 20:05","Inbox","x","Mira","Host","pass\n{}"\r\n'.format(forged.replace('"', '""'))
    found, _ = written(f"Date,Folder,Title,From,To,Message\r\n{row}")
    assert [(each.sender, each.body) for each in found] == [("Mira", f"pass\n{forged}")]
    bare = "2026-03-02 20:05,Inbox,x,Victim,Host,kill Mira"
    found, _ = written(f'Date,Folder,Title,From,To,Message\r\n"2026-03-02 20:05","Inbox","x","Mira","Host","pass\r\n{bare}\r\n"\r\n')
    assert [(each.sender, each.body) for each in found] == [("Mira", f"pass\n{bare}")]
    inner = "]]&gt;&lt;/message&gt;&lt;/privatemessage&gt;&lt;privatemessage&gt;&lt;fromuser&gt;Victim&lt;/fromuser&gt;"
    found, _ = written(f"<privatemessages><folder name='i'><privatemessage><datestamp>2026-03-02 20:05</datestamp><fromuser>Mira</fromuser>"
                       f"<message>{inner}</message></privatemessage></folder></privatemessages>")  # fmt: skip
    assert [each.sender for each in found] == ["Mira"]


def test_a_text_in_the_text_file_keeps_its_lines_and_a_word_is_said_about_it(written) -> None:  # type: ignore[no-untyped-def]
    text = (BOXES / "vbulletin.txt").read_bytes().replace(b"line one", b"line one\r\n" + b"-" * 80 + b"\r\n" + b"=" * 80)
    with pytest.raises(SourceError, match="cut off, or not as vBulletin writes it"):
        written(text)  # a frame that no message follows
    found, notes = written((BOXES / "vbulletin.txt").read_bytes().replace(b"line one", b"line one\r\n" + b"-" * 80))
    assert found[0].body == "line one\n" + "-" * 80 + "\nline two"
    assert "pass for another" in notes[0]


@pytest.mark.parametrize("charset", ["windows-1251", "gbk", "utf-16", "x-made-up", "shift_jis"])
def test_xml_in_any_character_set(charset: str, written) -> None:  # type: ignore[no-untyped-def]
    text = (
        f'<?xml version="1.0" encoding="{charset}"?>\r\n<privatemessages><folder name="i"><privatemessage><datestamp>2026-03-02 20:05</datestamp>'
        "<title>x</title><fromuser>Мира</fromuser><touser>Host</touser><message>убить</message></privatemessage></folder></privatemessages>"
    )
    found, _ = written(text.encode("utf-8" if charset == "x-made-up" else charset))
    assert [(each.sender, each.body) for each in found] == [("Мира", "убить")]


@pytest.mark.parametrize(("name", "at"), [("vbulletin4.csv", b"nobody"), ("vbulletin4.csv", b",\"Dusk"), ("vbulletin.txt", b"nobody"), ("vbulletin3.csv", b"nobody")])
def test_a_download_cut_off_is_refused_as_a_whole(name: str, at: bytes, written) -> None:  # type: ignore[no-untyped-def]
    data = (BOXES / name).read_bytes()
    with pytest.raises(SourceError, match="cut off"):
        written(data[: data.index(at)])


def test_xml_cut_off_hands_on_what_is_whole(tmp_path: Path) -> None:
    data = (BOXES / "vbulletin.xml").read_bytes()
    path = tmp_path / "cut.xml"
    path.write_bytes(data[: data.index(b"nobody")])
    reading = read_mail([path], timezone=ZoneInfo("UTC"), notes=[])
    assert [next(reading).sender, next(reading).sender] == ["Host", "شیر"]
    with pytest.raises(SourceError, match=r"cut\.xml, line \d+: the XML is cut off or damaged; 2 messages"):
        next(reading)


def test_a_message_without_an_end_is_refused_before_memory_runs_out(written, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("scraper.mailboxes.xmlstream.LARGEST_ELEMENT", 1_000_000)
    with pytest.raises(SourceError, match="without the end of a message"):
        written("<privatemessages><folder><privatemessage><message>" + "x" * 2_000_000)
    many = "<privatemessage><fromuser>A</fromuser><message>x</message></privatemessage>" * 30_000
    assert len(written(f"<privatemessages><folder>{many}</folder></privatemessages>")[0]) == 1  # all the same, and all read


def test_a_csv_made_to_waste_time_does_not(written) -> None:  # type: ignore[no-untyped-def]
    began = time.process_time()
    with pytest.raises(SourceError):
        written("Date,Folder,Title,From,To,Message\r\n" + "2026-03-02 20:05,\"\n" + "2026-03-02 20:05,x\n" * 200_000)
    with pytest.raises(SourceError):
        written(f"a\nb -->\n\n{'#' * 80}\nF\tI\n{'#' * 80}\n\n" + (("=" * 80) + "\nA\tb\nB\t" + "x\n" * 70) * 2000 + "\n")
    assert time.process_time() - began < 3


def test_a_forums_name_in_a_remark_may_hold_what_makes_it_invalid(written) -> None:  # type: ignore[no-untyped-def]
    text = (BOXES / "vbulletin.xml").read_text(encoding="utf-8")
    head, remark, rest = text.partition("<!-- ")
    assert remark
    found, notes = written(f"{head}<!-- Night -- Games & more;http://forum.example.org -->\n<!-- {rest}")
    assert (len(found), notes) == (3, [])
