"""phpBB live on real pages: forms, refusals and folders as the engine sends them, where captures are at hand."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import responses

from scraper.forum import FloodLimit, LoginFailed, NotAllowed, TopicLocked, TryAgain, Uncertain
from scraper.live_phpbb import LivePhpbb
from scraper.thread import follow
from tests.practice_kit import Clock

SITE = "https://forum.example/"
PAGES = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures")) / "phpbb-3.3.10"
pytestmark = pytest.mark.skipif(not PAGES.is_dir(), reason="no captured pages here")


class Stage:
    """Answers each address with the next of the pages set for it; the last one stays."""

    def __init__(self, web: responses.RequestsMock) -> None:
        self.web, self.clock = web, Clock()
        self.live = LivePhpbb(SITE, self.clock.session(), now=self.clock.now)

    def set(self, method: str, address: str, *names: str, status: int = 200, to: str = "") -> None:
        for name in names or ("",):
            body = (PAGES / name).read_bytes() if name else b""
            self.web.add(method, SITE + address, body=body, status=status, headers={"Location": to} if to else {})

    def sent(self, at: int = -1) -> str:
        posts = [call.request for call in self.web.calls if call.request.method == "POST"]
        body = posts[at].body
        return body.decode() if isinstance(body, bytes) else str(body)


@pytest.fixture
def stage() -> Iterator[Stage]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        yield Stage(web)


SENT = "posting.php?mode=reply&t=6"
REPLY = SENT + "&f=1"


def test_whole_topic(stage: Stage) -> None:
    truth = json.loads((PAGES / "truth.json").read_text(encoding="utf-8"))["posts"]
    for number in range(7):
        start = f"&start={number * 10}" if number else ""
        stage.set("GET", f"viewtopic.php?t=3{start}&st=0&sk=t&sd=a", f"topic-0{number + 1}.html")
    seen = follow(stage.live, "3")
    assert [(post.id, post.author) for post in seen.new] == [(str(post["post_id"]), post["author"]) for post in truth]
    assert len(stage.web.calls) == 7
    assert follow(LivePhpbb(SITE, stage.clock.session()), "3", seen.bookmark).new == ()
    assert len(stage.web.calls) == 8


def test_name(stage: Stage) -> None:
    stage.set("GET", "index.php", "index.html")
    assert stage.live.who_am_i() == "Game Master"
    stage.web.replace("GET", SITE + "index.php", body=(PAGES / "index-guest.html").read_bytes())
    assert LivePhpbb(SITE, stage.clock.session()).who_am_i() is None


def test_login(stage: Stage) -> None:
    stage.set("GET", "ucp.php?mode=login", "login-form.html")
    stage.set("POST", "ucp.php", "login-ok.html")
    stage.set("GET", "index.php", "index.html")
    stage.live.log_in("Kaitou Kid", "pw")
    assert stage.live.who_am_i() == "Kaitou Kid"
    for part in (
        "username=Kaitou+Kid",
        "password=pw",
        "autologin=on",
        "login=Login",
        "form_token=7cf173",
        "creation_time=1794951002",
    ):
        assert part in stage.sent()
    assert "viewonline" not in stage.sent()
    assert stage.sent().count("redirect=") == 2


@pytest.mark.parametrize(
    ("page", "said"),
    [("login-wrong-password.html", "incorrect password"), ("login-unknown-user.html", "incorrect username"), ("login-too-many.html", "CAPTCHA")],
)  # fmt: skip
def test_login_refused(stage: Stage, page: str, said: str) -> None:
    stage.set("GET", "ucp.php?mode=login", "login-form.html")
    stage.set("POST", "ucp.php", page)
    with pytest.raises(LoginFailed, match=said):
        stage.live.log_in("Kaitou Kid", "pw")
    assert len([call for call in stage.web.calls if call.request.method == "POST"]) == 1


def test_login_with_a_stale_form_is_tried_once_more(stage: Stage) -> None:
    stage.set("GET", "ucp.php?mode=login", "login-form.html")
    stage.set("POST", "ucp.php", "login-bad-token.html", "login-ok.html")
    stage.set("GET", "index.php", "index.html")
    stage.live.log_in("Kaitou Kid", "pw")


def test_reply(stage: Stage) -> None:
    stage.set("GET", REPLY, "reply-form.html")
    stage.set("POST", SENT, status=302, to=SITE + "viewtopic.php?p=77#p77")
    assert stage.live.reply("6", "[b]in[/b] مریم").id == "77"
    for part in ('name="topic_cur_post_id"\r\n\r\n76', 'name="message"\r\n\r\n[b]in[/b] مریم', 'name="post"\r\n\r\nSubmit',
                 'name="subject"\r\n\r\nRe: Sign-ups for the next game', 'name="attach_sig"', 'name="show_panel"', 'name="icon"\r\n\r\n0'):  # fmt: skip
        assert part in stage.sent()
    for part in (
        'name="preview"',
        'name="save"',
        'name="add_file"',
        'name="disable_bbcode"',
        'name="notify"',
        'name="fileupload"',
    ):
        assert part not in stage.sent()


def test_reply_meanwhile_flood_and_stale_form(stage: Stage) -> None:
    stage.set("GET", REPLY, "reply-form.html")
    stage.set("POST", SENT, "posting-new-reply-meanwhile.html", "error-form-expired.html", "error-flood.html")
    stage.set("POST", SENT, status=302, to=SITE + "viewtopic.php?p=79#p79")
    assert stage.live.reply("6", "in").id == "79"
    assert 'name="topic_cur_post_id"\r\n\r\n78' in stage.sent(1)
    assert 'name="message"\r\n\r\nin\r\n' in stage.sent()
    assert 15.0 in stage.clock.slept


def test_reply_flood_without_end(stage: Stage) -> None:
    stage.set("GET", REPLY, "reply-form.html")
    stage.set("POST", SENT, "error-flood.html")
    with pytest.raises(FloodLimit):
        stage.live.reply("6", "in")


def test_reply_invalid_without_end(stage: Stage) -> None:
    stage.set("GET", REPLY, "reply-form.html")
    stage.set("POST", SENT, "error-invalid-token.html")
    with pytest.raises(TryAgain, match="form was invalid"):
        stage.live.reply("6", "in")


def test_reply_to_a_locked_or_missing_topic(stage: Stage) -> None:
    stage.set("GET", REPLY, "error-locked-reply.html")
    stage.set("GET", "viewtopic.php?t=6", "topic-locked.html")
    with pytest.raises(TopicLocked, match="This topic is locked"):
        stage.live.reply("6", "in")
    stage.set("GET", "posting.php?mode=edit&p=5&f=1", "edit-form-not-own.html")
    stage.set("GET", "viewtopic.php?p=5", "topic-01.html")
    with pytest.raises(NotAllowed, match="cannot edit posts"):
        stage.live.edit("5", "x")


def test_reply_after_the_session_ended(stage: Stage) -> None:
    stage.live.use_account("Kaitou Kid", "pw")
    stage.set("GET", REPLY, "error-guest-reply.html", "reply-form.html")
    stage.set("POST", SENT, "error-session-expired.html")
    stage.set("POST", SENT, status=302, to=SITE + "viewtopic.php?p=79#p79")
    stage.set("GET", "ucp.php?mode=login", "login-form.html")
    stage.set("POST", "ucp.php", "login-ok.html")
    stage.set("GET", "index.php", "index.html")
    assert stage.live.reply("6", "in").id == "79"


def test_a_forum_that_takes_itself_for_another_host_has_taken_the_post(stage: Stage) -> None:
    stage.live.use_account("Kaitou Kid", "pw")
    stage.set("GET", REPLY, "reply-form.html")
    stage.set("POST", SENT, status=302, to="http://localhost/viewtopic.php?p=77#p77")
    ref = stage.live.reply("6", "in")
    assert (ref.id, ref.url) == ("77", SITE + "viewtopic.php?p=77#p77")


def test_edit(stage: Stage) -> None:
    stage.set("GET", "posting.php?mode=edit&p=36&f=1", "edit-form.html")
    stage.set("POST", "posting.php?mode=edit&p=36", status=302, to="./viewtopic.php?p=36#p36")
    assert stage.live.edit("36", "Vote count 1.2").id == "36"
    assert "Vote count 1.1" not in stage.sent()


def test_inbox(stage: Stage) -> None:
    truth = json.loads((PAGES / "truth.json").read_text(encoding="utf-8"))["private_messages"]
    stage.set("GET", "ucp.php?i=pm&folder=inbox", "pm-inbox.html")
    stage.set("POST", "ucp.php?i=pm&mode=view&action=view_folder&f=0", "pm-export-xml.xml")
    messages = list(stage.live.messages())
    assert len(messages) == 13
    assert "export_option=XML" in stage.sent()
    wanted = {message["sent_at"][:19] for message in truth}
    for message in messages:
        assert message.sent_at is not None
        assert message.sent_at.isoformat()[:19] in wanted
        assert message.recipients == ("Game Master",)
    assert messages[3].sender == "O'Brien & Sons"
    assert messages[3].subject == "O'Brien & Sons <order>"
    assert len({message.id for message in messages}) == 13


def test_sentbox(stage: Stage) -> None:
    stage.set("GET", "ucp.php?i=pm&folder=sentbox", "pm-sentbox.html")
    stage.set("GET", "ucp.php?i=pm&folder=outbox", "pm-outbox.html")
    stage.set("POST", "ucp.php?i=pm&mode=view&action=view_folder&f=-1", "pm-export-sentbox.xml")
    (message,) = stage.live.sent_messages()
    assert (message.id, message.sender, message.recipients, message.subject) == ("7", "Game Master", ("Abs.",), "Your night")


def test_opened_message_when_there_is_no_export(stage: Stage) -> None:
    stage.set("GET", "ucp.php?i=pm&folder=inbox", "pm-inbox.html")
    stage.set("POST", "ucp.php?i=pm&mode=view&action=view_folder&f=0", "pm-missing.html")
    stage.set("GET", "ucp.php?i=pm&mode=view&p=4", "pm-04.html")
    known = [str(number) for number in range(1, 15) if number != 4]
    (message,) = stage.live.messages(known=known)
    assert message.body == 'guard "PT" & nobody else <3'
    assert message.sent_at is not None
    assert message.sent_at.isoformat() == "2026-11-13T22:07:00+00:00"


def test_message_to_nobody(stage: Stage) -> None:
    stage.set("GET", "ucp.php?i=pm&mode=compose", "pm-compose.html")
    stage.set("POST", "ucp.php", "pm-error-unknown-recipient.html")
    with pytest.raises(NotAllowed, match="nobody called"):
        stage.live.send_message("Nobody", "x", "y")
    assert "add_to=Add" in stage.sent()


def test_what_another_engine_would_answer_is_not_taken_for_success(stage: Stage) -> None:
    stage.set("GET", REPLY, "reply-form.html")
    stage.set("POST", SENT, "index.html")
    with pytest.raises(Uncertain):
        stage.live.reply("6", "in")


def test_addresses_of_requests_hold_no_session(stage: Stage) -> None:
    stage.set("GET", "index.php", "index.html")
    stage.live.who_am_i()
    request: requests.PreparedRequest = stage.web.calls[0].request
    assert "sid" not in (request.url or "")
