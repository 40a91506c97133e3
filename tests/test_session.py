"""The polite session: how often, how long, what again, and what never shows."""

from __future__ import annotations

import io
import logging
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import requests
import responses
from hypothesis import given
from hypothesis import strategies as st

from scraper.model import SourceError
from scraper.session import MOST_BYTES, TryAgain, Uncertain, WrongHost, scrub, site_of
from tests.practice_kit import Clock

URL = "https://forum.example/viewtopic.php?t=1"


@pytest.fixture
def web() -> Iterator[responses.RequestsMock]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock


def test_says_who_asks(web: responses.RequestsMock) -> None:
    web.get(URL, body="x")
    Clock().session(contact="https://example.org/me\r\nX-Evil: 1").get(URL)
    assert web.calls[0].request.headers["User-Agent"].startswith("Nightpost/")
    assert web.calls[0].request.headers["User-Agent"].endswith("(+https://example.org/me X-Evil: 1)")


def test_one_request_a_second(web: responses.RequestsMock) -> None:
    web.get(URL, body="x")
    clock = Clock()
    session = clock.session()
    for _ in range(3):
        session.get(URL)
    assert clock.slept == [1.0, 1.0]
    clock.moment += clock.moment - clock.moment.replace(hour=1)
    session.get(URL)
    assert clock.slept == [1.0, 1.0]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 522])
def test_trouble_is_tried_again_ever_later(web: responses.RequestsMock, status: int) -> None:
    web.get(URL, status=status)
    web.get(URL, status=status)
    web.get(URL, body="here")
    clock = Clock()
    assert clock.session(seconds_between=0).get(URL).text == "here"
    assert clock.slept == [1.0, 2.0]


@pytest.mark.parametrize("header", ["7", "Thu, 12 Nov 2026 18:00:07 GMT"])
def test_retry_after_is_honoured(web: responses.RequestsMock, header: str) -> None:
    web.get(URL, status=429, headers={"Retry-After": header})
    web.get(URL, body="here")
    clock = Clock()
    clock.session().get(URL)
    assert clock.slept == [7.0]


def test_retry_after_beyond_patience_gives_up_at_once(web: responses.RequestsMock) -> None:
    web.get(URL, status=503, headers={"Retry-After": "3600"})
    clock = Clock()
    with pytest.raises(TryAgain) as caught:
        clock.session().get(URL)
    assert caught.value.wait == 3600
    assert clock.slept == []


@pytest.mark.parametrize("header", ["soon", "-5", "Thu, 99 Nov 2026", ""])
def test_senseless_retry_after_is_nothing(web: responses.RequestsMock, header: str) -> None:
    web.get(URL, status=503, headers={"Retry-After": header})
    web.get(URL, body="here")
    assert Clock().session().get(URL).text == "here"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_answers_for_the_caller_are_not_tried_again(web: responses.RequestsMock, status: int) -> None:
    web.get(URL, status=status)
    assert Clock().session().get(URL).status == status
    assert len(web.calls) == 1


@pytest.mark.parametrize(
    "error",
    [
        requests.exceptions.ReadTimeout("late"),
        requests.exceptions.ConnectionError("Connection aborted."),
        requests.exceptions.ChunkedEncodingError("IncompleteRead"),
        requests.exceptions.ContentDecodingError("zip"),
    ],
)
def test_a_form_sent_without_an_answer_is_uncertain_and_not_sent_again(web: responses.RequestsMock, error: Exception) -> None:
    web.post(URL, body=error)
    with pytest.raises(Uncertain):
        Clock().session().post(URL, [("message", "hi")])
    assert len(web.calls) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_form_answered_by_trouble_is_uncertain(web: responses.RequestsMock, status: int) -> None:
    web.post(URL, status=status)
    with pytest.raises(Uncertain):
        Clock().session().post(URL, [("message", "hi")])
    assert len(web.calls) == 1


def test_a_form_that_cannot_have_arrived_is_sent_again(web: responses.RequestsMock) -> None:
    web.post(URL, body=requests.exceptions.ConnectTimeout("no"))
    web.post(URL, status=429)
    web.post(URL, body="taken")
    assert Clock().session().post(URL, [("message", "hi")]).text == "taken"


def test_nobody_listening_is_no_uncertainty() -> None:
    with pytest.raises(TryAgain, match="could not be reached"):
        Clock().session().post("http://127.0.0.1:9/", [("message", "hi")])


def test_a_harmless_form_is_sent_again(web: responses.RequestsMock) -> None:
    web.post(URL, status=502)
    web.post(URL, body="in")
    assert Clock().session().post(URL, [("password", "x")], harmless=True).text == "in"


def test_certificate_trouble_is_said_and_not_tried_again(web: responses.RequestsMock) -> None:
    web.get(URL, body=requests.exceptions.SSLError("CERTIFICATE_VERIFY_FAILED sid=abc"))
    with pytest.raises(SourceError, match=r"certificate of forum\.example") as caught:
        Clock().session().get(URL)
    assert "abc" not in str(caught.value)
    assert len(web.calls) == 1


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/", "http://forum.example/", "https://forum.example:8443/", "//evil.example/x", "ftp://forum.example/",
        "https://forum.example.evil.example/",
    ],
)  # fmt: skip
def test_signed_in_is_never_sent_elsewhere(web: responses.RequestsMock, target: str) -> None:
    web.get(URL, status=302, headers={"Location": target})
    session = Clock().session()
    session.private = True
    with pytest.raises(WrongHost):
        session.get(URL)
    assert len(web.calls) == 1


def test_redirects_at_home_are_followed(web: responses.RequestsMock) -> None:
    web.get("http://forum.example/a", status=301, headers={"Location": "https://forum.example/b"})
    web.get("https://forum.example/b", status=302, headers={"Location": "c?sid=1#x"})
    web.get("https://forum.example/c?sid=1", body="here")
    session = Clock().session()
    session.private = True
    answer = session.get("http://forum.example/a")
    assert (answer.text, answer.hops) == ("here", ("https://forum.example/b", "https://forum.example/c?sid=1#x"))


def test_a_guest_may_be_sent_on(web: responses.RequestsMock) -> None:
    web.get(URL, status=302, headers={"Location": "https://www.forum.example/"})
    web.get("https://www.forum.example/", body="here")
    assert Clock().session().get(URL).text == "here"


def test_circles_end(web: responses.RequestsMock) -> None:
    web.get(URL, status=302, headers={"Location": URL})
    with pytest.raises(SourceError, match="circles"):
        Clock().session().get(URL)


def test_a_form_is_not_sent_on_by_a_redirect(web: responses.RequestsMock) -> None:
    web.post(URL, status=307, headers={"Location": "https://forum.example/new?sid=secret1"})
    web.get("https://forum.example/new", body="a page, as if it had been posted")
    with pytest.raises(SourceError) as caught:
        Clock().session().post(URL, [("message", "hi")])
    assert "secret1" not in str(caught.value)


def test_a_flood_of_bytes_is_refused(web: responses.RequestsMock) -> None:
    web.get(URL, body=b"x" * (MOST_BYTES + 1))
    with pytest.raises(SourceError, match="larger"):
        Clock().session().get(URL)


def test_an_answer_that_only_trickles_in_is_given_up(web: responses.RequestsMock) -> None:
    clock = Clock()

    class Trickle(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, room: bytearray) -> int:  # type: ignore[override]
            clock.moment += timedelta(seconds=0.1)
            room[:] = b"x" * len(room)
            return len(room)

    web.get(URL, body=io.BufferedReader(Trickle()))
    with pytest.raises(TryAgain, match="no answer within"):
        clock.session(retries=0).get(URL)
    assert clock.moment - Clock().moment < timedelta(seconds=5)


def test_pages_are_asked_for_conditionally(web: responses.RequestsMock) -> None:
    web.get(URL, body="old", headers={"ETag": '"1"', "Last-Modified": "Thu, 12 Nov 2026 18:00:07 GMT"})
    web.get(URL, status=304)
    session = Clock().session()
    assert not session.get(URL).unchanged
    again = session.get(URL)
    assert (again.text, again.status, again.unchanged) == ("old", 200, True)
    assert web.calls[1].request.headers["If-None-Match"] == '"1"'
    assert web.calls[1].request.headers["If-Modified-Since"] == "Thu, 12 Nov 2026 18:00:07 GMT"


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ("سلام".encode(), "text/html; charset=UTF-8", "سلام"),
        ("é".encode("latin-1"), "text/html; charset=iso-8859-1", "é"),
        (b"<meta charset=windows-1256>" + "سلام".encode("cp1256"), "text/html", "<meta charset=windows-1256>سلام"),
        (b"x", "text/html; charset=no-such", "x"),
    ],
)
def test_text_is_decoded_as_told(web: responses.RequestsMock, body: bytes, kind: str, text: str) -> None:
    web.get(URL, body=body, content_type=kind)
    assert Clock().session().get(URL).text == text


def test_cookies_in_a_file_are_for_its_owner_only(web: responses.RequestsMock, tmp_path: Path) -> None:
    path = tmp_path / "cookies"
    web.get(URL, body="x", headers={"Set-Cookie": "sid=topsecret; path=/"})
    Clock().session(cookie_file=path).get(URL)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["cookies"]
    path.chmod(0o644)
    later = Clock().session(cookie_file=path)
    later.get(URL)
    assert web.calls[1].request.headers["Cookie"] == "sid=topsecret"
    assert later.private
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    later.forget()
    assert "topsecret" not in path.read_text()


def test_a_damaged_cookie_file_costs_only_a_login(web: responses.RequestsMock, tmp_path: Path) -> None:
    path = tmp_path / "cookies"
    path.write_bytes(b"\xff\xfe not cookies")
    web.get(URL, body="x")
    assert Clock().session(cookie_file=path).get(URL).text == "x"


def test_secrets_stay_out_of_messages_and_logs(web: responses.RequestsMock, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    url = "https://user:pw1@forum.example/ucp.php?sid=topsecret&form_token=tok9&t=3"
    web.get(url, status=500)
    web.get(url.replace("user:pw1@", ""), status=500)
    with pytest.raises(TryAgain) as caught:
        Clock().session().get(url)
    seen: BaseException | None = caught.value
    told = caplog.text
    while seen is not None:
        told += str(seen)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    for secret in ("topsecret", "tok9", "pw1"):
        assert secret not in told


def test_scrub() -> None:
    dirty = "https://u:p@f.example/index.php?PHPSESSID=aa&topic=3.0;b2a91f3de846=6f55;my_post_key=k&sid=1#p7"
    assert scrub(dirty) == "https://f.example/index.php?PHPSESSID=…&topic=3.0;b2a91f3de846=…;my_post_key=…&sid=…#p7"


@given(st.text(alphabet="abcdef0123456789", min_size=8, max_size=32), st.sampled_from(["sid", "form_token", "PHPSESSID", "hash"]))
def test_no_secret_survives_scrubbing(secret: str, name: str) -> None:
    assert secret not in scrub(f"https://f.example/x.php?t=3&{name}={secret}&p=4")


def test_site_of() -> None:
    assert site_of("https://f.example/forum/viewtopic.php?t=3#p1") == "https://f.example/forum/"
    assert site_of("https://f.example") == "https://f.example/"


def test_what_the_forum_says_ends_as_a_sentence_before_the_advice() -> None:
    assert str(SourceError("It says: The title of a page", advice="Wait.")) == "It says: The title of a page."
    assert str(SourceError("It says: Wait!", advice="Wait.")) == "It says: Wait!"
    assert str(SourceError("no topic")) == "no topic"
