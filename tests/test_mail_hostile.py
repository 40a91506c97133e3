"""Mangled mailboxes: whatever the bytes, what comes is messages, BadInput or SourceError, and soon."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scraper.mail import read_mail
from scraper.model import BadInput, Message, SourceError

SAMPLES = sorted(path for path in (Path(__file__).parent / "mailboxes").iterdir())
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def survive(data: bytes) -> list[Message]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        found: list[Message] = []
        try:
            for each in read_mail([path], timezone=UTC, notes=[]):
                found.append(each)
        except (BadInput, SourceError):
            pass
    for each in found:
        json.dumps(each.as_json(), ensure_ascii=False).encode()  # no half characters
        assert each.id
        assert "\n" not in each.sender + each.subject
        assert each.sent_at is None or each.sent_at.utcoffset() is not None
    return found


@QUICK
@given(
    sample=st.sampled_from(SAMPLES),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), st.binary(max_size=12)), min_size=1, max_size=6),
)
def test_bytes_changed_anywhere(sample: Path, cuts: list[tuple[float, int, bytes]]) -> None:
    data = sample.read_bytes()
    for place, removed, added in cuts:
        at = int(place * len(data))
        data = data[:at] + added + data[at + removed :]
    survive(data)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_cut_off_anywhere_no_message_is_half_read(sample: Path) -> None:
    data = sample.read_bytes()
    whole = {each.id for each in survive(data)}
    for at in range(0, len(data), max(1, len(data) // 60)):
        found = survive(data[:at])
        if not data[:at].endswith(b"\n") or not (sample.suffix == ".mbox" or sample.name == "vbulletin3.csv"):
            assert {each.id for each in found} <= whole, at


@QUICK
@given(
    heads=st.lists(
        st.tuples(
            st.sampled_from(
                ["From", "To", "Date", "Subject", "Content-Type", "Content-Transfer-Encoding", "Message-ID", "X-Mailer"]
            ),
            st.one_of(
                st.text(max_size=60),
                st.sampled_from(
                    ["multipart/mixed; boundary=b", "text/html; charset=\udcff", "=?utf-8?b?=?=", "base64", "MyBB", "phpBB3"]
                ),
            ),
        ),
        min_size=1,
        max_size=8,
    ),
    body=st.one_of(st.binary(max_size=200), st.just(b"--b\n\nx\n--b\n")),
)
def test_headers_of_any_kind(heads: list[tuple[str, str]], body: bytes) -> None:
    lines = b"".join(
        f"{key}: {value}\n".encode("utf-8", "surrogateescape" if "\udcff" in value else "replace") for key, value in heads
    )
    survive(b"From: a@x\n" + lines + b"\n" + body)


@QUICK
@given(texts=st.lists(st.text(max_size=40), min_size=3, max_size=3))
def test_players_texts_come_through_an_export_unchanged(texts: list[str]) -> None:
    def stored(text: str) -> str:
        kept = "".join(sign for sign in text if sign.isprintable())
        return kept.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")

    rows = "".join(
        ",".join(
            f'"{stored(field)}"' if "," in stored(field) else stored(field)
            for field in ("s", f"A{n}", "2026-03-02T20:00:00Z", "", text)
        )
        + ",\r\n"
        for n, text in enumerate(texts)
    )
    found = survive(rows.encode())
    assert [each.body for each in found] == ["".join(sign for sign in text if sign.isprintable()) for text in texts]
