"""Who a message may speak for: forums know their accounts, mails only claim."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from scraper.mail import read_mail
from scraper.model import Message
from scraper.trust import standing

SEATS = {"Ann": "Anna", "ann@example.org": "Anna", "Bob": "Bert", "bob@example.org": "Bert"}
FORUM = ("forum@example.org",)


def claimed(sender: str, origin: str) -> Message:
    return Message("1", sender, (), datetime(2026, 3, 2, tzinfo=UTC), "", "kill Bob", "here", origin)


def test_forums_their_exports_and_the_gms_own_files_are_believed() -> None:
    for origin in ("", "file"):
        for trust in ("review", "exports", "all"):
            assert standing(claimed("ANN", origin), SEATS, trust=trust) == standing(claimed("Ann", origin), SEATS)
            assert standing(claimed("Ann", origin), SEATS, trust=trust).sure
    assert standing(claimed("Nobody", ""), SEATS).player is None


@pytest.mark.parametrize(
    ("sender", "origin", "player", "sure"),
    [
        ("Ann", "mail ann@example.org", "Anna", True),
        ("Annie B.", "mail ANN@example.org", "Anna", True), ("ann@example.org", "mail ann@example.org", "Anna", True),
        ("Ann", "mail evil@example.org", "Anna", False), ("Ann", "mail", "Anna", False), ("Bob", "mail ann@example.org", "Anna", False),
        ("ann@example.org", "mail evil@example.org", "Anna", False), ("Annie", "doubted-mail ann@example.org", "Anna", False),
        ("Nobody", "mail evil@example.org", None, True), ("Ann", "notice forum@example.org", "Anna", True), ("Ann", "notice evil@example.org", "Anna", False),
        ("Ann", "doubted-notice forum@example.org", "Anna", False), ("Ann", "notice ann@example.org", "Anna", False),
    ],
)  # fmt: skip
def test_a_mail_is_believed_for_its_address_only(sender: str, origin: str, player: str | None, sure: bool) -> None:
    found = standing(claimed(sender, origin), SEATS, forum_addresses=FORUM)
    assert (found.player, found.sure) == (player, sure)
    assert bool(found.why) == (not sure)
    assert "None" not in found.why
    if player is not None:
        assert not standing(claimed(sender, origin), SEATS, trust="exports", forum_addresses=FORUM).sure
        assert standing(claimed(sender, origin), SEATS, trust="all").sure


def test_readers_say_where_a_sender_is_known_from(tmp_path: Path) -> None:
    boxes = Path(__file__).parent / "mailboxes"
    for path in boxes.iterdir():
        kinds = {each.origin.partition(" ")[0] for each in read_mail([path], timezone=UTC, notes=[])}
        assert kinds <= ({"mail", "notice"} if path.suffix == ".mbox" else {""}), path
    heads = "Date: Mon, 02 Mar 2026 19:05:00 +0000\n\nkill Bob\n"
    for number, (top, origin) in enumerate(
        [
            ("From: Ann <Ann@Example.org>\n", "mail ann@example.org"), ("From: Ann <ann@x>, Bob <bob@x>\n", "doubted-mail ann@x"),
            ("From: Ann <ann@x>\nFrom: Eve <eve@x>\n", "doubted-mail ann@x"), ("From: Ann\n", "mail Ann"),
            ("From: Ann <ann@x>\nAuthentication-Results: mx; spf=pass; dmarc=fail\n", "doubted-mail ann@x"),
            ("From: Ann <ann@x>\nAuthentication-Results: mx; dkim=fail; dmarc=pass\n", "mail ann@x"),
            ("Authentication-Results: mx; dmarc=fail\nAuthentication-Results: mx; dmarc=pass\nFrom: Ann <ann@x>\n", "doubted-mail ann@x"),
            ("X-Mailer: MyBB\nFrom: F <f@x>\nSubject: s\n", "mail f@x"),
        ]
    ):  # fmt: skip
        path = tmp_path / f"{number}.eml"
        path.write_text(top + heads)
        (found,) = read_mail([path], timezone=UTC, notes=[])
        assert found.origin.lower() == origin.lower(), top
