"""Every reader of mailboxes, fed with what nobody would write: messages, BadInput or SourceError with the file, and soon."""

from __future__ import annotations

import io
import json
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scraper.fingerprint import fingerprint
from scraper.mail import read_mail
from scraper.mailboxes.kinds import READERS
from scraper.mailboxes.records import Reading
from scraper.mailboxes.rfc822 import read_one
from scraper.model import BadInput, Message, SourceError
from scraper.trust import standing

BOXES = sorted((Path(__file__).parent / "mailboxes").iterdir())
QUICK = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
SCRAPS = [
    b"From x Mon Mar  2 19:05:00 2026\n", b"From: a@x\n", b"Date: Mon, 02 Mar 2026 19:05:00 +0000\n", b"Content-Type: multipart/mixed; boundary=b\n\n", b"--b\n",
    b"=?utf-8?b?", b"<privatemessages>", b"<privatemessage><message>", b"</privatemessage>", b"<![CDATA[", b"]]>", b"&#1605;", b"&#99999999999;", b"&#xD800;",
    b"<?xml version='1.0' encoding='", b"utf-7'?>", b"utf-32'?>", b"<phpbb>", b"<privmsg>", b'"2026-03-02 19:05",', b"2026-03-02 19:05,", b'""', b'","', b"\r\n",
    b"Date,Folder,Title,From,To,Message\r\n", b"#" * 80 + b"\n", b"=" * 80 + b"\n", b"-" * 80 + b"\n", b"a\tb\n", b"x -->\n", b"#" * 71 + b"\n", b"---\n",
    b'{"post_stream": {"posts": [', b'{"topic_list": {"topics": [', b'{"channel": {}, "messages": [', b'{"id": 1, "username": "a", "cooked": "<aside class=quote>"}', b"]}}",
    b"2026-13-45 99:99\n", b"31 February 2026 10:00\n", b"9999-12-31T23:59:59-23:59\n", b"0001-01-01 00:00\n", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\0", b"\xff", b"PK\x03\x04",
    b"[quote]", b"[/quote]", b"> ", b"-- \n", b"On 2 x wrote:\n", b"From: a\nSent: b\nTo: c\n",
]  # fmt: skip
scrambled = st.one_of(
    st.lists(st.one_of(st.sampled_from(SCRAPS), st.binary(max_size=8), st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace"))), max_size=25).map(b"".join),
    st.tuples(st.sampled_from(BOXES), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 200), st.sampled_from(SCRAPS)), min_size=1, max_size=5)).map(
        lambda drawn: _spoiled(drawn[0].read_bytes(), drawn[1])
    ),
)


def _spoiled(data: bytes, cuts: list[tuple[float, int, bytes]]) -> bytes:
    for place, removed, added in cuts:
        at = int(place * len(data))
        data = data[:at] + added + data[at + removed :]
    return data


def drained(reading: Callable[[], Iterable[Message]]) -> tuple[list[Message], str]:
    """What is read, and what a BadInput or SourceError says, if one ends it."""
    found: list[Message] = []
    try:
        found.extend(reading())
    except (BadInput, SourceError) as error:
        return found, str(error)
    return found, ""


def sound(found: list[Message]) -> None:
    """What holds for every message whatever it was read from."""
    for each in found:
        json.dumps(each.as_json(), ensure_ascii=False).encode()
        assert each.id
        assert not set("\r\n\0") & set(each.sender + each.subject)
        assert each.sent_at is None or each.sent_at.utcoffset() is not None
        assert len(fingerprint(each)) == 32
        standing(each, {"a": "A"})


@QUICK
@given(kind=st.sampled_from(sorted(READERS)), data=scrambled)
@example(kind="vbulletin-csv", data=b"a,b,c,d,e,f\r\n2026-03-02 19:05,\r\n")
@example(kind="text", data=b"\xff\xfe\x00")
@example(kind="discourse-topic", data=b'{"post_stream": {"stream": [{}], "posts": [[]]}}')
@example(kind="phpbb-xml", data=b"<?xml version='1.0' encoding='utf-7'?><phpbb><privmsg/></phpbb>")
def test_each_reader_whatever_it_is_given(kind: str, data: bytes) -> None:
    notes: list[str] = []
    found, told = drained(lambda: READERS[kind](io.BytesIO(data), "box/Ann.txt", Reading(UTC, None, notes.append)))
    assert not told or "Ann.txt" in told
    sound(found)
    assert all(isinstance(note, str) and note for note in notes)


@QUICK
@given(data=scrambled, name=st.sampled_from(["Ann.txt", "box.mbox", "a.xml", "b.json", "c.csv"]), packed=st.booleans())
def test_a_file_or_zip_whatever_is_in_it(data: bytes, name: str, packed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        if packed:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(name, data)
        else:
            path.write_bytes(data)
        found, told = drained(lambda: read_mail([path], timezone=UTC, notes=[], players=("Ann",)))
        assert not told or name in told
        sound(found)


@QUICK
@given(data=scrambled)
def test_a_mail_from_a_server(data: bytes) -> None:
    found, _ = drained(lambda: filter(None, [read_one(data, "imap:uid 1", Reading(UTC, None, [].append))]))
    sound(found)


@pytest.mark.parametrize("kind", sorted(READERS))
def test_no_reader_hangs_on_one_scrap_said_over_and_over(kind: str) -> None:
    began = time.process_time()
    for scrap in (*SCRAPS, b"(", b'"', b"<", b"[", b":", b" ", b"a"):
        data = scrap * (20_000 // len(scrap))
        drained(lambda data=data: READERS[kind](io.BytesIO(data), "box/Ann.txt", Reading(UTC, None, [].append)))  # type: ignore[misc]
    assert time.process_time() - began < 5
