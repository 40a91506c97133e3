"""`[mail]` in `game.toml`: servers among the paths, whose word is taken, and what of it reaches the record."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from desk.settings import Settings, SettingsRefused, read_settings
from desk.sources import reached
from publisher.delivery import Folders
from scraper.imap import Place
from scraper.model import SourceError
from store.record import Record
from tests.imap_kit import Box, imap_server

NOW = datetime(2026, 12, 2, 12, tzinfo=UTC)
GAME = """\
ruleset = "danganronpa"
host = "Monokuma"
seed = "s3cret"
[thread]
saved = "pages"
[players]
Ann = { role = "ultimate_detective", account = ["annie", "ann@example.org"] }
Boris = { role = "ultimate_nurse", black = "black_slasher", aliases = ["Bo"], account = "boris_77" }
Cleo = "ultimate_journalist"
[mail]
"""


def game(mail: str, folder: Path = Path(".")) -> Settings:
    return read_settings(GAME + mail, folder)


def mail(number: int, sender: str, text: str) -> str:
    date = "Wed, 02 Dec 2026 11:00:00 +0000"
    return f"From a Wed Dec  2 11:00:00 2026\nFrom: {sender}\nDate: {date}\nMessage-ID: <{number}@x>\n\n{text}\n\n"


def test_servers_stand_among_the_paths() -> None:
    kept = game('paths = ["box", "imaps://gm@mail.example.org/Forum"]\ntrust = "all"\nforum_from = ["forum@example.org"]').mail
    assert (kept.paths, kept.servers) == ((Path("box"),), (Place("mail.example.org", 993, "gm", "Forum"),))
    assert (kept.trust, kept.forum_from) == ("all", ("forum@example.org",))
    assert game('paths = ["imaps://gm@mail.example.org"]').mail.paths == (Path("mail"),)
    assert game("").mail.trust == "review"


@pytest.mark.parametrize(
    ("line", "reason"),
    [('paths = ["imaps://gm:secret@x/y"]', "holds a password"), ('paths = ["https://x"]', "no address of a mail folder"), ('trust = "some"', "it may be review, exports, all")],
)
def test_mistakes_are_named_with_their_line(line: str, reason: str) -> None:
    with pytest.raises(SettingsRefused, match=reason) as refused:
        game(line)
    assert "game.toml:11: " in str(refused.value)
    assert "secret" not in str(refused.value)


def test_what_a_mail_says_counts_for_its_address_and_a_file_for_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "box.mbox").write_text(
        mail(1, "Ann <ann@example.org>", "detect Boris") + mail(2, "annie <eve@example.org>", "detect Cleo") + mail(3, "boris_77 <b@x>", "pass")
    )
    (folder / "Bo - night 1.txt").write_text("heal Ann\n")
    (folder / "Cleo.txt").write_text("2026-12-02 10:00\nwatch Ann\n")
    settings = game("", tmp_path)
    record = Record(tmp_path / "game.db")
    found = record.add_messages(Folders(settings).messages(record, NOW), NOW)
    assert {each.body: settings.seat_of(each.sender) for each in found} == {
        "detect Boris": "Ann", "detect Cleo": None, "pass": None, "heal Ann": "Boris", "watch Ann": "Cleo",
    }  # fmt: skip
    told = " ".join(text for _, text in record.notices())
    assert "detect Cleo" in told
    assert 'gm "order Boris: …"' in told
    record.close()


def test_after_a_replacement_a_file_under_the_players_name_is_the_new_accounts(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "Boris.txt").write_text("heal Ann\n")
    record = Record(tmp_path / "game.db")
    record.add_entry("replace", "Newcomer", NOW, key="Boris")
    (only,) = Folders(game("", tmp_path)).messages(record, NOW)
    assert only.sender == "Newcomer"
    record.close()


def test_a_server_that_is_away_stops_the_reading_before_anything_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTPOST_IMAP_PASSWORD", "secret word")
    record = Record(tmp_path / "game.db")
    with imap_server(Box({1: mail(1, "Ann <ann@example.org>", "detect Boris").partition("\n")[2].encode()})) as port:
        settings = game(f'paths = ["imap://gm@127.0.0.1:{port}/Forum"]', tmp_path)
        (only,) = record.add_messages(Folders(settings).messages(record, NOW), NOW)
        assert settings.seat_of(only.sender) == "Ann"
        look = reached(settings, NOW)
        assert "Mail: imap gm@127.0.0.1/Forum can be read; 1 mails since yesterday." in look.told
    with pytest.raises(SourceError):
        Folders(settings).messages(record, NOW)
    assert reached(settings, NOW).unreachable
    record.close()
