"""What must never leave our hands: passwords, cookies and tokens, and who may read what is kept (quality.md, "Nobody gets in")."""

from __future__ import annotations

import http.server
import logging
import os
import shutil
import ssl
import stat
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
import requests
import responses

from demo.practice import PracticeForum
from desk.settings import load_settings
from desk.table import Table
from publisher.delivery import Attempt, Folders
from publisher.forum import COOKIES, ForumOutlet, open_outlet
from scheduler import Report, tick
from scraper.live_phpbb import LivePhpbb
from scraper.model import BadInput, SourceError
from scraper.session import WrongHost
from tests.live_game import TRIAL, LiveGame
from tests.practice_kit import Clock

PASSWORD = "correct-horse-battery"


@pytest.fixture
def game(tmp_path: Path) -> Iterator[LiveGame]:
    clock = Clock()
    with PracticeForum(clock=clock.now) as forum:
        made = LiveGame(tmp_path / "game", forum, clock, password=PASSWORD).begin()
        made.vote("Anna", "Boris", 1)
        made.order("Cleo", "stake out Anna", 2)
        yield made.at(3)


def secrets(game: LiveGame) -> list[str]:
    """Everything that opens a door: the password, session ids, remembered logins, tokens of forms."""
    board = game.forum.board
    visits = [sid for sid, visit in board.visits.items() if visit.user is not None]
    return [PASSWORD, *visits, *board.keys]


def test_no_secret_is_kept_or_told(game: LiveGame, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    game.forum.fault("lost_answer", path="mode=reply", method="POST")
    game.forum.fault("error", 99, path="mode=compose")
    told = str(game.tick())
    game.forum.clear_faults()
    for kind in ("login_page", "challenge", "elsewhere", "half_page"):
        game.forum.fault(kind, 99)
        told += str(game.tick())
        game.forum.clear_faults()
    told += str(game.at(50).tick())
    told += caplog.text + "".join(capfd.readouterr())
    kept = {path: path.read_bytes() for path in game.folder.rglob("*") if path.is_file()}
    assert len(secrets(game)) > 2
    for secret in secrets(game):
        assert secret not in told
        for path, content in kept.items():
            assert path.name == COOKIES or secret.encode() not in content, path
    assert PASSWORD.encode() not in kept[game.folder / COOKIES]


def test_what_is_kept_is_for_its_owner_only(game: LiveGame) -> None:
    old = os.umask(0)
    try:
        for path in game.folder.glob("game.db*"):
            path.unlink()
        game.begin().at(3).tick()
        settings = Table.at(game.folder).settings
        draft = next(one for one in Table.at(game.folder).record.drafts() if one.kind == "role")
        Folders(settings).send(Attempt(**asdict(draft)), None)
    finally:
        os.umask(old)
    private = [COOKIES, "game.db", *(str(path.relative_to(game.folder)) for path in (game.folder / "posted").rglob("*.txt"))]
    assert len(private) == 3
    for name in private:
        assert stat.S_IMODE((game.folder / name).stat().st_mode) == 0o600, name
    for path in game.folder.glob("game.db-*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_no_password_or_cookie_goes_to_another_host(game: LiveGame) -> None:
    """The forum leads every request to another server, which writes down what it gets."""
    asked: list[dict[str, str]] = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(dict(self.headers.items()))
            self.send_response(200)
            self.end_headers()

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        live = LivePhpbb(game.forum.url, game.clock.session(cookie_file=game.folder / COOKIES), now=game.clock.now)
        live.log_in("Monokuma", PASSWORD)
        with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
            web.add_passthru(f"http://127.0.0.1:{server.server_port}")
            for method in ("GET", "POST"):
                web.add(method, game.forum.url + "x.php", status=302, headers={"Location": f"http://127.0.0.1:{server.server_port}/"})
            with pytest.raises(WrongHost):
                live.session.get(game.forum.url + "x.php")
            with pytest.raises(WrongHost):
                live.session.post(game.forum.url + "x.php", [("password", PASSWORD)])
        later = game.clock.session(cookie_file=game.folder / COOKIES)
        assert later.private, "cookies of an earlier run count as well"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert asked == []


def test_cookies_of_the_forum_are_not_shown_to_its_neighbours(game: LiveGame) -> None:
    game.tick()
    session = game.clock.session(cookie_file=game.folder / COOKIES)
    request = requests.Request("GET", "http://localhost.example/", cookies=session.cookies)
    assert "Cookie" not in session._http.prepare_request(request).headers


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_certificates_are_checked(tmp_path: Path) -> None:
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*command, "-keyout", tmp_path / "key", "-out", tmp_path / "cert"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        with pytest.raises(SourceError, match=r"certificate of 127\.0\.0\.1"):
            Clock().session().get(f"https://127.0.0.1:{server.server_port}/")
    finally:
        server.shutdown()
        server.server_close()


def test_the_account_comes_from_the_environment_and_stays_there(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTPOST_USER", "Monokuma")
    monkeypatch.setenv("NIGHTPOST_PASSWORD", PASSWORD)
    outlet = open_outlet(Table.at(game.folder).settings)
    assert outlet.member
    outlet.forum.session.sleep = game.clock.sleep  # type: ignore[attr-defined]
    assert outlet.forum.who_am_i() == "Monokuma"
    mode = stat.S_IMODE((game.folder / COOKIES).stat().st_mode)
    assert mode == 0o600
    assert PASSWORD not in (game.folder / COOKIES).read_text()


def test_a_players_account_is_never_used_for_the_hosts(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTPOST_USER", "anna")
    monkeypatch.setenv("NIGHTPOST_PASSWORD", PASSWORD)
    with pytest.raises(BadInput, match="the account of Anna, who plays"):
        open_outlet(Table.at(game.folder).settings)


def test_a_guest_keeps_no_cookies(game: LiveGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NIGHTPOST_PASSWORD", raising=False)
    monkeypatch.setattr("publisher.forum._keyring", lambda user: None)
    outlet = open_outlet(Table.at(game.folder).settings)
    outlet.forum.page(outlet.topic)
    assert not outlet.member
    assert not (game.folder / COOKIES).exists()


def test_without_a_password_no_phase_is_closed_without_its_orders(game: LiveGame) -> None:
    """Cron knows no password: a guest sees the votes and none of the private orders."""

    def tick_as_a_guest() -> Report:
        live = LivePhpbb(game.forum.url, game.clock.session(), now=game.clock.now)
        outlet = ForumOutlet(load_settings(game.folder), live, str(game.topic))
        return tick(game.folder, now=game.clock.now(), outlet=outlet)

    game.at(TRIAL + 1)
    report = tick_as_a_guest()
    assert (report.closed, report.status) == ([], 3)
    assert "no password" in report.trouble[0]
    assert "`forum = false`" in report.trouble[0]
    file = game.folder / "game.toml"
    asked = file.read_text("utf-8")
    file.write_text(f"{asked}\n[mail]\nforum = false\n", "utf-8")
    assert not any("no password" in trouble for trouble in tick_as_a_guest().trouble)
