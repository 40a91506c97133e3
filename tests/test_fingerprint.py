"""One message in two sources has one print; two messages have two."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from scraper.fingerprint import fingerprint
from scraper.mail import read_mail
from scraper.markup import read_markup
from scraper.model import Message

BOXES = Path(__file__).parent / "mailboxes"
CAPTURES = Path(os.environ.get("NIGHTPOST_CAPTURES") or Path(__file__).parents[2] / "shared" / "captures")
AT = datetime(2026, 3, 2, 19, 5, 31, tzinfo=UTC)


def sent(body: str, **changes: object) -> Message:
    return replace(Message("1", "Mira T", (), AT, "Night", body, "here"), **changes)  # type: ignore[arg-type]


def prints(*paths: Path) -> set[str]:
    return {fingerprint(each) for path in paths for each in read_mail([path], timezone=UTC, notes=[])}


@pytest.mark.parametrize(
    "other",
    [
        sent("Kill [b]Olek[/b], please"), sent("kill Olek\nplease\n"), sent("Kill\u00a0Olek,  please"), sent("KILL Olek, please :)"),
        sent("Kill Olek, please :lol: \U0001f600"), sent("[color=#f00][size=150]Kill [b]Olek[/color][/b][/size], please"),
        sent("> are you sure?\nKill Olek, please"), sent("[quote=\"[Ghost] 's\" post_id=3]nobody [quote]x[/quote] at all[/quote]\nKill Olek, please"),
        sent("[quote author=O'Brien & Sons link=msg=55 date=1794513000]no[/quote]Kill Olek, please"),
        sent("Kill Olek, please", id="x", recipients=("Host",), subject="Re: Night", source="there"),
        sent("Kill Olek, please", sent_at=AT.replace(second=0)),
        sent("Kill Olek, please", sent_at=AT.astimezone(timezone(timedelta(hours=3, minutes=30)))),
        sent("Kill Olek, please", sender="mira  t"), sent("Ｋill Olek, please"), sent("[list][*]Kill Olek, [/list]please"),
        sent("Kill [url=http://x.example/u?7]Olek[/url], please"), sent("Kill Olek (http://x.example/u?7), please"),
    ],
)  # fmt: skip
def test_how_a_source_writes_it_does_not_matter(other: Message) -> None:
    assert fingerprint(other) == fingerprint(sent("Kill Olek, please"))


@pytest.mark.parametrize(
    "other",
    [
        sent("Kill Mira, please"), sent("please kill Olek"), sent("Kill Olek, please", sender="Mira"), sent("Kill [Ghost], please"),
        sent("Kill Olek, please", sent_at=AT + timedelta(minutes=1)), sent("Kill Olek, please", sent_at=AT + timedelta(days=1)),
        sent("Kill Olek, please", sent_at=None), sent(""), sent("[quote]Kill Olek, please[/quote]\nno"), sent("Kill Olek, please 2"),
    ],
)  # fmt: skip
def test_another_message_has_another_print(other: Message) -> None:
    assert fingerprint(other) != fingerprint(sent("Kill Olek, please"))


def test_what_has_no_word_is_told_by_its_signs_its_quotes_or_its_subject() -> None:
    assert fingerprint(sent("✓")) != fingerprint(sent("✗"))
    assert fingerprint(sent("> kill Olek")) != fingerprint(sent("> kill Mira"))
    assert fingerprint(sent("", subject="kill Olek")) != fingerprint(sent("", subject="kill Mira"))


def test_without_a_time_a_message_is_only_itself() -> None:
    one = sent("pass", sent_at=None)
    assert fingerprint(one) == fingerprint(one)
    assert fingerprint(one) != fingerprint(replace(one, id="2"))


def test_formats_of_one_forum_give_the_same_prints() -> None:
    for group in (
        ("phpbb.xml", "phpbb.csv", "phpbb-tab.csv", "phpbb-excel.csv"),
        ("mybb.csv", "mybb.txt", "mybb.html"),
        ("vbulletin.xml", "vbulletin3.csv", "vbulletin4.csv", "vbulletin.txt"),
    ):
        each = [prints(BOXES / name) for name in group]
        assert all(found == each[0] for found in each)
        assert len(each[0]) == 3


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captures here")
@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("phpbb-3.3.10", ("pm-export-xml.xml", "pm-export-csv.csv", "pm-export-csv_excel.csv")),
        ("mybb-1.8.37", ("pm-export.csv", "pm-export.txt", "pm-export.html")),
    ],
)
def test_formats_of_a_real_forum_give_the_same_prints(folder: str, names: tuple[str, ...]) -> None:
    each = [prints(CAPTURES / folder / name) for name in names]
    assert all(found == each[0] for found in each)
    assert len(each[0]) > 10


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captures here")
@pytest.mark.parametrize(("folder", "export"), [("mybb-1.8.37", "pm-export.csv"), ("smf-2.1.5", "pm-feed.xml")])
def test_a_mail_of_notice_has_the_print_of_its_message(folder: str, export: str) -> None:
    exported = list(read_mail([CAPTURES / folder / export], timezone=UTC, notes=[]))
    notices = list(read_mail([CAPTURES / folder / "notifications.mbox"], timezone=UTC, notes=[]))
    assert notices
    for notice in notices:  # at the export's time: the mail's own was set when it was captured
        assert any(fingerprint(replace(notice, sent_at=each.sent_at)) == fingerprint(each) for each in exported)


@pytest.mark.skipif(not CAPTURES.is_dir(), reason="no captures here")
@pytest.mark.parametrize(
    ("folder", "body", "export", "smilies"),
    [
        ("phpbb-3.3.10", "//div[@class='content']", "pm-export-xml.xml", ()),
        ("mybb-1.8.37", "//*[contains(@class, 'post_body')]", "pm-export.csv", ("pm-22.html", "pm-28.html")),
        ("smf-2.1.5", "//div[starts-with(@id, 'msg_')][contains(@class, 'inner')]", "pm-feed.xml", ()),
    ],
)
def test_a_forums_page_of_a_message_has_the_words_of_its_export(folder: str, body: str, export: str, smilies: tuple[str, ...]) -> None:
    exported = {fingerprint(replace(each, sender="", sent_at=AT)) for each in read_mail([CAPTURES / folder / export], timezone=UTC, notes=[])}
    pages = [page for page in sorted((CAPTURES / folder).glob("pm-[0-9]*.html")) if page.name not in smilies]
    assert len(pages) > 3
    for page in pages:
        element = html.fromstring(page.read_bytes()).xpath(body)[0]
        assert fingerprint(sent(read_markup(element).bbcode, sender="")) in exported, page.name


@given(st.text(), st.text())
def test_any_text_has_a_print(sender: str, body: str) -> None:
    found = fingerprint(sent(body, sender=sender))
    assert len(found) == 32
    assert found == fingerprint(sent(f"[b]{body}[/b]" if body.strip() and ">" not in body else body, sender=sender))


def test_a_text_made_to_waste_time_does_not() -> None:
    for body in ("[quote=" * 20_000, "[b=\"" * 20_000, "[quote]" * 20_000, ":" * 100_000, "http://" * 20_000, "[url='" + "'" * 100_000):
        fingerprint(sent(body))
