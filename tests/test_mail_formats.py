"""What each kind of mailbox and export says, as messages."""

from __future__ import annotations

import csv
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from scraper.mail import read_mail
from scraper.mailboxes.records import Reading
from scraper.mailboxes.rfc822 import LARGEST_MAIL
from scraper.model import BadInput, Message, SourceError, iso

BOXES = Path(__file__).parent / "mailboxes"


def read(path: Path, zone: str = "UTC") -> tuple[list[Message], list[str]]:
    notes: list[str] = []
    return list(read_mail([path], timezone=ZoneInfo(zone), notes=notes)), notes


@pytest.fixture
def written(tmp_path: Path):  # type: ignore[no-untyped-def]
    def of(data: bytes | str, zone: str = "UTC") -> tuple[list[Message], list[str]]:
        path = tmp_path / "file"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return read(path, zone)

    return of


def one(written, headers: str, body: bytes | str = "kill Olek\n") -> Message:  # type: ignore[no-untyped-def]
    data = f"From: Mira <mira@example.org>\nDate: Mon, 02 Mar 2026 19:05:00 +0000\nMessage-ID: <1@x>\n{headers}\n".encode()
    found, _ = written(data + b"\n" + (body if isinstance(body, bytes) else body.encode()))
    assert len(found) == 1
    return found[0]


# -- mail -------------------------------------------------------------------------------------------------------------


def test_an_mbox_with_parts_encodings_and_unknown_character_sets() -> None:
    found, _ = read(BOXES / "night.mbox")
    first, second, third = found
    assert first.as_json() == {
        "id": "<one@example.org>", "sender": "Mira", "recipients": ["Host", "شهریار"], "sent_at": "2026-03-02T19:05:00Z",
        "subject": "Nächtliches", "body": "protect Olek, please\nFrom me to you", "source": "night.mbox:message 1",
    }  # fmt: skip
    assert second.sender == "olek@example.org"
    assert second.body == "I would like to guard Mira tonight.\n> and who else?\n-- \nOlek"
    assert third.sender == "Zoé"
    assert third.body == "kill [b]Mira[/b]\n[quote]spare me[/quote]"
    assert third.id.startswith("mail-")


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_from_lines_inside_a_mail(ends: bytes, written) -> None:  # type: ignore[no-untyped-def]
    lines = [
        b"From a Mon Mar  2 19:05:00 2026", b"From: A <a@x>", b"Message-ID: <1@x>", b"", b"x", b"", b"From now on I vote Anna.", b">From here",
        b">>From there", b"From b Mon Mar  2 19:05:00 2026 stands right below a line", b"", b"From b Mon Mar  2 19:05:00 2026", b"From: B <b@x>",
        b"Message-ID: <2@x>", b"", b"y", b"",
    ]  # fmt: skip
    found, _ = written(ends.join(lines))
    assert [each.sender for each in found] == ["A", "B"]
    assert (
        found[0].body
        == "x\n\nFrom now on I vote Anna.\nFrom here\n>From there\nFrom b Mon Mar  2 19:05:00 2026 stands right below a line"
    )


def test_a_length_counts_only_where_the_file_bears_it_out(written) -> None:  # type: ignore[no-untyped-def]
    body = b"x\n\nFrom c Mon Mar  2 19:05:00 2026\nFrom: C <c@x>\n\nkill Mira\n"
    second = b"\nFrom b Mon Mar  2 19:05:00 2026\nFrom: B <b@x>\n\ny\n"
    for length, senders in ((len(body), ["A", "B"]), (len(body) + 5, ["A", "C", "B"]), (10**11, ["A", "C", "B"])):
        head = b"From a Mon Mar  2 19:05:00 2026\nFrom: A <a@x>\nContent-Length: %d\n\n" % length
        assert [each.sender for each in written(head + body + second)[0]] == senders


def test_an_mbox_cut_off_in_its_last_message_hands_on_the_others_then_says_so(tmp_path: Path) -> None:
    path = tmp_path / "cut.mbox"
    whole = (BOXES / "night.mbox").read_bytes()
    path.write_bytes(whole[: whole.index(b"spare")])
    reading = read_mail([path], timezone=UTC, notes=[])
    assert next(reading).sender == "Mira"
    assert next(reading).sender == "olek@example.org"
    with pytest.raises(SourceError, match=r"cut\.mbox ends in the middle of a line") as caught:
        next(reading)
    assert "empty line" in caught.value.advice


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\r\n\r\n"])
def test_a_mail_of_which_only_the_beginning_is_looked_at_says_so(before: bytes, written) -> None:  # type: ignore[no-untyped-def]
    mail = b"From: A <a@x>\nDate: Mon, 02 Mar 2026 19:05:00 +0000\n\n" + b"kill Anna\n" * 500_000
    found, notes = written(before + mail)
    assert len(found) == 1
    assert "larger than 4 MB; only its first part" in notes[0]
    assert "larger" not in str(written(before + mail[: 4 * 2**20 - len(before)])[1])


def test_a_mail_that_ends_inside_its_text_is_not_half_read(written) -> None:  # type: ignore[no-untyped-def]
    head = b"From: A <a@x>\nDate: Mon, 02 Mar 2026 19:05:00 +0000\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
    found, notes = written(head + b"kill An\n")
    assert not found
    assert "ends inside its text" in notes[0]
    with pytest.raises(SourceError, match="cut off"):
        written(head + b"kill An")
    found, _ = written(head + b"kill Anna\n--b\nContent-Type: image/png\n\nxxxx")
    assert [each.body for each in found] == ["kill Anna"]


@pytest.mark.parametrize(
    ("charset", "data"),
    [
        ("utf-8", "kill Zoë"), ("iso-8859-1", "kill Zoë".encode("latin-1")), ("us-ascii", "kill Zoë"), ("iso-8859-1", "kill Zoë"),
        ("utf-8", "kill Zoë".encode("latin-1")), ("x-made-up", "kill Zoë"), ("rot13", "kill Zoë"), ("zlib", "kill Zoë"), ("utf-16", "kill Zoë!"),
        ("windows-1252", "kill Zoë".encode("cp1252")), ('"utf-8"', "kill Zoë"), ("", "kill Zoë"), ("punycode", "kill Zoë"),
    ],
)  # fmt: skip
def test_a_wrong_or_unknown_character_set_costs_no_message(charset: str, data: bytes | str, written) -> None:  # type: ignore[no-untyped-def]
    assert one(written, f"Content-Type: text/plain; charset={charset}", data).body.startswith(("kill Zoë", "楫汬"))


def test_the_sender_is_the_shown_name_else_the_address(written) -> None:  # type: ignore[no-untyped-def]
    for line, sender in (
        ('"Doe, Jane" <j@x>', "Doe, Jane"), ("j@x", "j@x"), ("<j@x>", "j@x"), ("=?utf-8?q?Do=2C_Re?= <j@x>", "Do, Re"),
        ("=?utf-8?b?44Oe44OV44Kj44Ki?= <j@x>", "マフィア"), ("Zoë <j@x>", "Zoë"), ("j@x (Jane)", "Jane"), ("=?utf-8?q?a=0Ab?= <j@x>", "a b"),
    ):  # fmt: skip
        found, _ = written(f"From: {line}\nDate: Mon, 02 Mar 2026 19:05:00 +0000\n\nx\n")
        assert found[0].sender == sender


@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("Mon, 02 Mar 2026 23:30:00 +0330", "2026-03-02T20:00:00Z"), ("Mon, 02 Mar 2026 20:00:00 -0000", "2026-03-02T20:00:00Z"),
        ("2 Mar 2026 20:00 GMT", "2026-03-02T20:00:00Z"), ("yesterday", None), ("Mon, 02 Mar 99999 20:00:00 +0000", None), ("", None),
        ("Mon, 99 Mar 2026 20:00:00 +0000", None),
    ],
)  # fmt: skip
def test_the_time_is_that_of_sending_in_utc(line: str, moment: str | None, written) -> None:  # type: ignore[no-untyped-def]
    found, notes = written(f"Received: by x; Mon, 02 Mar 2026 20:10:00 +0000\nFrom: a@x\nDate: {line}\n\nx\n")
    assert iso(found[0].sent_at) == (moment or "2026-03-02T20:10:00Z")
    assert bool(notes) == (moment is None)
    found, notes = written(f"From: a@x\nDate: {line}\n\nx\n")
    assert iso(found[0].sent_at) == moment
    assert bool(notes) == (moment is None)


def test_the_text_of_several_inline_parts_is_one_text_and_attachments_are_none_of_it(written) -> None:  # type: ignore[no-untyped-def]
    body = (
        "--b\nContent-Type: text/plain\n\nkill Anna\n--b\nContent-Type: image/png\n\nxxxx\n--b\nContent-Type: text/plain\n\nor nobody\n"
        "--b\nContent-Type: message/rfc822\n\nFrom: c@x\n\nkill Zoe\n--b\nContent-Disposition: attachment\n\nkill Bert\n--b--\n"
    )
    assert one(written, "Content-Type: multipart/mixed; boundary=b", body).body == "kill Anna\nor nobody"


def test_an_empty_plain_part_gives_way_to_the_html(written) -> None:  # type: ignore[no-untyped-def]
    body = (
        "--b\nContent-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>kill <i>Anna</i><script>x</script></p>\n--b--\n"
    )
    assert one(written, "Content-Type: multipart/alternative; boundary=b", body).body == "kill [i]Anna[/i]"


def test_a_mail_larger_than_any_text_is_read_as_far_as_its_text_goes(tmp_path: Path) -> None:
    path = tmp_path / "big.mbox"
    head = b"From a Mon Mar  2 19:05:00 2026\nFrom: A <a@x>\nDate: Mon, 02 Mar 2026 19:05:00 +0000\nContent-Type: multipart/mixed; boundary=b\n\n"
    text = b"--b\nContent-Type: text/plain\n\nkill Anna\n--b\nContent-Type: image/png\n\n"
    path.write_bytes(
        head + text + b"x" * 76 + (b"\n" + b"x" * 76) * (LARGEST_MAIL // 70) + b"\n--b--\n\n" + head + b"--b\n\nlater\n--b--\n\n"
    )
    found, notes = read(path)
    assert [each.body for each in found] == ["kill Anna", "later"]
    assert "only its first part" in notes[0]


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Type: text/plain; charset=\"" + ";" * 60000, "Content-Type: text/plain; " + "a*0*=x;" * 8000, "Subject: " + "=?utf-8?q?" * 6000,
        "To: " + "(" * 60000, "Content-Type: text/plain; format=flowed",
    ],
)  # fmt: skip
def test_a_mail_made_to_waste_time_does_not(headers: str, written) -> None:  # type: ignore[no-untyped-def]
    began = time.process_time()
    written(f"From: a@x\nDate: Mon, 02 Mar 2026 19:05:00 +0000\n{headers}\n\n" + "a \n[b=" * 30000)
    assert time.process_time() - began < 3  # the library alone takes minutes over some of these


# -- mails that forums send -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "board"), [("Mira", "The Old\nLighthouse"), ("Kaitou\nKid", "Board"), ("Mira", "Board")])
def test_a_notice_of_phpbb_is_known_wherever_it_breaks_its_lines(name: str, board: str, written) -> None:  # type: ignore[no-untyped-def]
    text = f'A new private message from "{name}" to your account on "{board}"\nwith the following subject has arrived:\nkill Olek\n'
    head = "From: Board <b@example.org>\nDate: Mon, 02 Mar 2026 19:05:00 +0000\nX-Mailer: phpBB3\n\nHello Host,\n\n"
    found, _ = written(f"{head}{text}\nView it:\n\nhttps://forum.example/ucp.php?i=pm&mode=view&p=12\n")
    assert (found[0].sender, found[0].subject) == (" ".join(name.split()), "kill Olek")


def test_notices_are_read_as_the_message_they_are_about() -> None:
    found, _ = read(BOXES / "notices.mbox")
    phpbb, mybb, smf, foreign = found
    assert (phpbb.sender, phpbb.subject) == ('Mira "M" T', "kill Olek")
    assert all(line.startswith(">") for line in phpbb.body.splitlines())
    assert "mode=view&p=12" in phpbb.body
    assert (mybb.sender, mybb.subject) == ("Olek from Ohio", "Dusk")
    assert mybb.body == "protect Mira\n------------------------------------------\nreally"
    assert (smf.sender, smf.subject, smf.body) == ("Zoe on Stage", "Dusk", "investigate Mira")
    assert (foreign.sender, foreign.subject) == ("Brett", "Neue private Nachricht")
    assert "kill Olek" in foreign.body


# -- phpBB ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["phpbb.xml", "phpbb.csv", "phpbb-tab.csv", "phpbb-excel.csv"])
def test_phpbb_exports(name: str) -> None:
    found, notes = read(BOXES / name)
    assert [(each.sender, each.subject, iso(each.sent_at), each.body) for each in found] == [
        ("Mira & Tom", "Dusk; first", "2026-03-02T19:00:00Z", 'watch "Olek", please\n[b]nobody else[/b] <3'),
        ("شیرین", "dusk", "2026-03-02T18:30:00Z", '[quote="Host"]Sure?[/quote]\n=SUM(A1), yes'),
        ("Olek", "idle", "2026-03-01T07:00:00Z", "line one\nline two"),
    ]
    assert all(each.recipients == () for each in found)
    assert bool(notes) == (name in ("phpbb.csv", "phpbb-tab.csv"))  # there a text can pass for another message


@pytest.mark.parametrize("name", ["phpbb-sent.xml", "phpbb-sent.csv"])
def test_phpbb_names_recipients_in_folders_of_sent_messages(name: str) -> None:
    assert [each.recipients for each in read(BOXES / name)[0]] == [("Olek", "Mira & Tom", "Spy")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_phpbb_csv_that_a_spreadsheet_saved_again(encoding: str, written) -> None:  # type: ignore[no-untyped-def]
    text = 'Night;Mira;2026-03-02T20:00:00+01:00;;"kill ""Zoë""; now\nplease";\nx;Olek;2026-03-02T20:00:00+01:00;;pass;\n'
    assert [each.body for each in written(text.encode(encoding))[0]] == ['kill "Zoë"; now\nplease', "pass"]


def test_a_phpbb_text_cannot_pass_for_another_message_in_the_excel_kind(written) -> None:  # type: ignore[no-untyped-def]
    forged = "pass,\n\r\nNight,Victim,2026-03-02T20:00:00+01:00,,kill Mira,"
    found, _ = written(f'\ufeffx,Mira,2026-03-02T20:00:00+01:00,,"{forged}",\r\ny,Olek,2026-03-02T20:00:00+01:00,,pass,\r\n')
    assert [each.sender for each in found] == ["Mira", "Olek"]


@pytest.mark.parametrize("name", ["phpbb.csv", "phpbb-excel.csv"])
def test_a_phpbb_csv_cut_off_is_refused_as_a_whole(name: str, written) -> None:  # type: ignore[no-untyped-def]
    data = (BOXES / name).read_bytes()
    with pytest.raises(SourceError, match="cut off"):
        written(data[: data.index(b"Sure?")])


def test_xml_with_entities_is_refused(written) -> None:  # type: ignore[no-untyped-def]
    layers = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    for data in (
        f'<?xml version="1.0"?><!DOCTYPE phpbb [<!ENTITY l0 "kill">{layers}]><phpbb><privmsg><message>&l8;</message></privmsg></phpbb>',
        '<?xml version="1.0"?><!DOCTYPE phpbb [<!ENTITY x SYSTEM "file:///etc/passwd">]><phpbb><privmsg><message>&x;</message></privmsg></phpbb>',
        '<!DOCTYPE phpbb SYSTEM "http://example.org/x.dtd"><phpbb></phpbb>',
    ):
        with pytest.raises(SourceError, match="refused"):
            written(data)


def test_control_characters_do_not_make_an_xml_export_unreadable(written) -> None:  # type: ignore[no-untyped-def]
    data = (
        "<phpbb><privmsg><sender>A</sender><date>2026-03-02T20:00:00Z</date><message>k\x0bill\x1b[31m</message></privmsg></phpbb>"
    )
    assert written(data)[0][0].body == "kill[31m"


# -- MyBB -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mybb.csv", "mybb.txt", "mybb.html"])
def test_mybb_exports(name: str) -> None:
    found, notes = read(BOXES / name, "Asia/Tehran")
    assert [(each.sender, each.recipients, each.subject, iso(each.sent_at), each.body) for each in found] == [
        ("Mira + Tom", ("Host",), "Dusk - first", "2026-03-02T16:35:00Z", 'watch "Olek", please\n-nobody else'),
        ("شیرین", ("Host",), "=SUM(A1)", "2026-03-02T16:00:00Z", "[b]stay[/b] home"),
        ("Host", ("Olek",), "Your role", "2026-02-27T03:30:00Z", "You are the baker"),
    ]
    assert any("draft" in note for note in notes) == (name == "mybb.csv")
    assert any("pass for another" in note for note in notes) == (name == "mybb.txt")


def test_the_owner_of_a_mybb_text_export_is_called_as_in_the_other_exports(written) -> None:  # type: ignore[no-untyped-def]
    text = (BOXES / "mybb.txt").read_text(encoding="utf-8")
    owner = text.partition("\n")[0].removeprefix("\ufeff").removeprefix("Private Messages for ")
    found, _ = written(text.replace(f"for {owner}", "for The &quot;GM&quot;", 1))
    assert {'The "GM"'} <= {found[0].sender, *found[0].recipients}


@pytest.mark.parametrize(("month", "hour"), [("11", 19), ("09", 18)])
def test_all_times_of_a_mybb_export_are_as_far_from_utc_as_the_newest(month: str, hour: int, written) -> None:  # type: ignore[no-untyped-def]
    rows = [f'2026-{month}-20 at 20:00,"Inbox","b","Gm","Ann","two"', '2026-08-03 at 20:00,"Inbox","a","Gm","Ann","one"']
    found, _ = written("Date,Folder,Subject,To,From,Message\n" + "\n".join(rows) + "\n", "Europe/Berlin")
    assert [one.sent_at for one in found] == [datetime(2026, int(month), 20, hour, tzinfo=UTC), datetime(2026, 8, 3, hour, tzinfo=UTC)]


def test_a_small_export_of_mybb_leaves_other_files_alone() -> None:
    read(BOXES / "mybb.csv")
    assert next(csv.reader(["x" * 100_000])) == ["x" * 100_000]


def test_mybb_in_another_language_with_another_order_of_day_and_month() -> None:
    found, _ = read(BOXES / "mybb-german.csv")
    assert [(each.sender, iso(each.sent_at)) for each in found] == [
        ("Mira", "2026-03-02T20:05:00Z"),
        ("Olek", "2026-02-05T07:30:00Z"),
    ]


@pytest.mark.parametrize(
    ("name", "at"), [("mybb.csv", b"home"), ("mybb.csv", b'"Your role"'), ("mybb.txt", b"the baker"), ("mybb.html", b"baker")]
)
def test_a_mybb_export_cut_off_is_refused_as_a_whole(name: str, at: bytes, written) -> None:  # type: ignore[no-untyped-def]
    data = (BOXES / name).read_bytes()
    with pytest.raises(SourceError, match="cut off"):
        written(data[: data.index(at)])


def test_a_mybb_text_export_in_an_unknown_language_is_not_guessed(written) -> None:  # type: ignore[no-untyped-def]
    text = (BOXES / "mybb.txt").read_text(encoding="utf-8").replace("From: ", "Lat: ")
    with pytest.raises(SourceError, match="'Lat'") as caught:
        written(text)
    assert "CSV" in caught.value.advice


# -- SMF and Discord --------------------------------------------------------------------------------------------------


def test_an_smf_feed() -> None:
    (each,) = read(BOXES / "smf.xml")[0]
    assert (each.id, each.sender, each.recipients, iso(each.sent_at)) == (
        "smf-31",
        "Mira & Tom",
        ("Host",),
        "2026-03-02T19:05:00Z",
    )
    assert each.body == 'watch "Olek"\n[b]please[/b] <3'


def test_a_discord_export() -> None:
    found, notes = read(BOXES / "discord.json")
    assert [(each.id, each.sender, each.recipients, iso(each.sent_at), each.body) for each in found] == [
        ("discord-901", "mira.t", (), "2026-03-02T19:05:00.123000Z", "protect **olek**\n> are you sure?\n> yes"),
        ("discord-902", "host", ("Mira",), "2026-03-02T19:06:00Z", "noted"),
        ("discord-905", "olek", (), "2026-03-02T19:09:00Z", "kill mira\n> kill everybody"),
    ]
    assert "edited at 2026-03-03 07:00 UTC" in notes[0]


def test_a_discord_channel_is_the_recipient_and_a_cut_off_one_says_so(written) -> None:  # type: ignore[no-untyped-def]
    text = (
        (BOXES / "discord.json")
        .read_text(encoding="utf-8")
        .replace("DirectTextChat", "GuildTextChat")
        .replace('"name": "Mira"', '"name": "night"')
    )
    assert {each.recipients for each in written(text)[0]} == {("#night",)}
    with pytest.raises(SourceError, match="cut off or damaged; the 2 messages"):
        written(text[: text.index("you rolled")])


OTHER_DISCORD = {
    "Mira.txt": "{0}\nGuild: Direct Messages\nChannel: Private / Mira\n{0}\n\n[3/2/2026 7:05 PM] host\nkill olek?\n\n"
    "[3/2/2026 7:06 PM] mira.t\nprotect olek\n\n\n{0}\nExported 2 message(s)\n{0}\n".format("=" * 62),
    "Mira.csv": '\ufeffAuthorID,Author,Date,Content,Attachments,Reactions\n"3","mira.t","2026-03-02T19:06:00+00:00","protect olek","",""\n',
    "Mira.html": '<!DOCTYPE html><html lang="en"><head><title>Direct Messages - Mira</title></head><body><div class="chatlog">'
    '<div class="chatlog__message-group"><div class="chatlog__content">protect olek</div></div></div></body></html>',
}


@pytest.mark.parametrize("name", OTHER_DISCORD)
def test_a_discord_export_in_another_format_is_nobodys_orders(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(OTHER_DISCORD[name], encoding="utf-8")
    with pytest.raises(BadInput, match="DiscordChatExporter writes it as text, CSV or a web page; export the channel as JSON"):
        list(read_mail([path], timezone=UTC, notes=[], players=["Mira", "Olek"]))


def test_a_reader_never_needs_the_clock() -> None:
    assert Reading(UTC, None, print).now is None
    now = datetime(2026, 3, 3, tzinfo=UTC)
    with_now = list(read_mail([BOXES / "mybb.csv"], timezone=UTC, notes=[], now=now))
    assert with_now == list(read_mail([BOXES / "mybb.csv"], timezone=UTC, notes=[]))


def test_dates_that_can_be_taken_two_ways_are_said_to_be(written) -> None:  # type: ignore[no-untyped-def]
    head = "\ufeffDate,Folder,Subject,To,From,Message\n"
    found, notes = written(head + '03-02-2026 at 08:05 PM,"Inbox","s","Host","Mira","x"\n')
    assert iso(found[0].sent_at) == "2026-03-02T20:05:00Z"
    assert "'03-02-2026 at 08:05 PM' was taken for 2 March" in notes[0]
    found, notes = written(
        head + '03-02-2026 at 08:05 PM,"Inbox","s","Host","Mira","x"\n28-01-2026 at 08:05 PM,"Inbox","s","Host","Mira","x"\n'
    )
    assert [iso(each.sent_at) for each in found] == ["2026-02-03T20:05:00Z", "2026-01-28T20:05:00Z"]
    assert not notes


@pytest.mark.parametrize(
    ("charset", "written_in", "text"),
    [
        ("", "cp1251", "убить Боба, пожалуйста"), ("", "cp1256", "کشتن مريم لطفا".replace("ک", "ك")), ("", "cp1252", "kill Zoë"), ("gb2312", "gbk", "杀 镕"),
        ("ks_c_5601-1987", "cp949", "죽이다 똠"), ("shift_jis", "cp932", "殺す ①"),
    ],
)  # fmt: skip
def test_a_set_is_guessed_where_none_is_named_and_wider_ones_go_by_the_name_of_narrow_ones(
    charset: str, written_in: str, text: str, written
) -> None:  # type: ignore[no-untyped-def]
    told = f"; charset={charset}" if charset else ""
    assert one(written, f"Content-Type: text/plain{told}", text.encode(written_in)).body == text


def test_an_encoding_with_a_blank_behind_it_is_known(written) -> None:  # type: ignore[no-untyped-def]
    assert one(written, "Content-Type: text/plain\nContent-Transfer-Encoding: Base64 ", "a2lsbCBPbGVr\n").body == "kill Olek"


@pytest.mark.parametrize("named", ["Content-Type: text/plain; name=log.txt", "Content-Type: text/plain\nContent-Disposition: inline; filename=log.txt"])
def test_a_text_with_a_files_name_is_a_file_and_not_what_the_sender_wrote(named: str, written) -> None:  # type: ignore[no-untyped-def]
    body = f"--b\nContent-Type: text/plain\n\nkill Olek\n--b\n{named}\n\nkill Mira\n--b--\n"
    assert one(written, "Content-Type: multipart/mixed; boundary=b", body).body == "kill Olek"
    assert one(written, "Content-Type: multipart/mixed; boundary=b", f"--b\n{named}\n\nkill Mira\n--b--\n").body == "kill Mira"


def test_that_a_mail_was_read_is_nothing_that_its_sender_wrote(written) -> None:  # type: ignore[no-untyped-def]
    body = "--b\nContent-Type: text/plain\n\nYour message was read.\n--b\nContent-Type: message/disposition-notification\n\nX: y\n--b--\n"
    assert one(written, "Content-Type: multipart/report; boundary=b", body).body == "> Your message was read."


def test_an_export_whose_first_subject_is_an_answer_is_no_mail(written) -> None:  # type: ignore[no-untyped-def]
    rows = 'Re: Dusk,Mira,2026-03-02T19:05:00+00:00,,"To: Olek\nDate: with him\nkill Anna",\r\nDawn,Olek,2026-03-02T19:06:00+00:00,,pass,\r\n'
    found, _ = written(rows)
    assert [(each.sender, each.body) for each in found] == [("Mira", "To: Olek\nDate: with him\nkill Anna"), ("Olek", "pass")]
