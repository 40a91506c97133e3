"""phpBB live, against what a real board was seen to answer and the practice forum does not: other languages, other rights.

Every page here is written for the test, in the shape of the board's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import escape
from zoneinfo import ZoneInfo

import pytest
import responses

from scraper import phpbb
from scraper.forum import FloodLimit, LoginFailed, NeedsApproval, NotAllowed, Refused, TopicLocked, TryAgain
from scraper.live_phpbb import FLOOD_WAIT, TRIES, LivePhpbb
from scraper.model import SourceError
from tests.practice_kit import Clock

SITE = "http://forum.example/board/"
REPLY = "posting.php?mode=reply&t=6&f=1"
EDIT = "posting.php?mode=edit&p=36&f=1"
INBOX = "ucp.php?i=pm&folder=inbox"
COMPOSE = "ucp.php?i=pm&mode=compose"
LOGIN = "ucp.php?mode=login"


def page(body: str, *, name: str | None = "Host", lang: str = "en", kind: str = "username", head: str = "") -> str:
    """A page as `name` sees it; None is a guest."""
    menu = (
        f'<ul><li id="username_logged_in"><a href="./ucp.php"><span class="{kind}">{name}</span></a></li>'
        '<li><a href="./ucp.php?mode=logout&amp;sid=1">Logout</a></li></ul>'
        if name
        else '<ul><li><a href="./ucp.php?mode=login">Login</a></li></ul>'
    )
    return f'<!DOCTYPE html><html lang="{lang}"><head><title>Board</title>{head}</head><body id="phpbb">{menu}{body}</body></html>'


def notice(words: str, *, name: str | None = "Host", lang: str = "en", head: str = "") -> str:
    body = f'<div class="panel" id="message"><div class="inner"><h2>Information</h2><p>{words}</p></div></div>'
    return page(body, name=name, lang=lang, head=head)


def form(error: str = "", *, lang: str = "en", more: str = "", to: str = REPLY) -> str:
    said = f'<p class="error">{error}</p>' if error else ""
    return page(
        f'<form id="postform" method="post" action="./{escape(to)}">{said}<input name="subject" value="Re: x">'
        f'<textarea name="message"></textarea><input type="hidden" name="form_token" value="t">{more}'
        '<input type="submit" name="post" value="Submit"></form>',
        lang=lang,
    )


def login(*, error: str = "", more: str = "") -> str:
    said = f'<div class="error">{error}</div>' if error else ""
    return page(
        f'<form id="login" method="post" action="./{LOGIN}">{said}<input name="username"><input type="password" name="password">'
        f"{more}</form>",
        name=None,
    )


def topic(*, locked: bool = False, post: str = "") -> str:
    icon, words = ("fa-lock", "Locked") if locked else ("fa-reply", "Reply")
    return page(
        f'<h2 class="topic-title"><a href="./viewtopic.php?t=6">A topic</a></h2><a href="./posting.php?mode=reply&amp;t=6" '
        f'class="button"><span>{words}</span><i class="icon {icon}"></i></a>'
        '<div id="p36" class="post bg2"><dl class="postprofile"><dt><a class="username" href="./memberlist.php?u=2">Host</a></dt></dl>'
        '<div class="postbody"><p class="author">by <a class="username" href="./memberlist.php?u=2">Host</a> » '
        f'<time datetime="2026-11-12T17:00:00+00:00">then</time></p>{post}<div class="content">words</div></div></div>'
    ).replace('<body id="phpbb">', '<body id="phpbb" class="section-viewtopic">')


def folder(rows: str = "", *, more: str = "", lang: str = "en", kind: str = "username") -> str:
    return page(
        f'{more}<form id="viewfolder" method="post" action="./ucp.php?i=pm&amp;mode=view&amp;action=view_folder">{rows}</form>',
        lang=lang, kind=kind,
    )  # fmt: skip


def row(id_: int, subject: str = "order", sender: str = "Anna", when: str = "Thu Nov 12, 2026 5:00 pm") -> str:
    return (
        f'<dl class="row-item pm_read"><dt><a href="./ucp.php?i=pm&amp;mode=view&amp;f=0&amp;p={id_}" class="topictitle">{subject}</a>'
        f'<br> by <a class="username">{sender}</a> » {when}</dt></dl>'
    )


def export(*entries: tuple[str, str, str]) -> str:
    """An export with the subject, moment and text of each message."""
    body = "".join(
        f"<privmsg><subject>{subject}</subject><sender>Anna</sender><date>{at}</date><message>{text}</message></privmsg>"
        for subject, at, text in entries
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<phpbb>{body}</phpbb>'


class Stage:
    """Answers each address with the next of the pages set for it; the last one stays."""

    def __init__(self, web: responses.RequestsMock) -> None:
        self.web, self.clock = web, Clock()
        self.live = LivePhpbb(SITE, self.clock.session(retries=0), now=self.clock.now)
        self.live.use_account("Host", "secret")

    def set(self, method: str, address: str, *bodies: str, status: int = 200) -> None:
        for body in bodies:
            self.web.add(method, SITE + address, body=body, status=status, content_type="text/html; charset=utf-8")

    def taken(self, address: str = REPLY, post: int = 77) -> None:
        to = f"{SITE}viewtopic.php?p={post}#p{post}"
        self.web.add("POST", SITE + address, status=302, headers={"Location": to})

    def posted(self) -> int:
        return sum(call.request.method == "POST" for call in self.web.calls)

    def asked(self, part: str) -> int:
        return sum(part in (call.request.url or "") for call in self.web.calls)


@pytest.fixture
def stage() -> Iterator[Stage]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as web:
        yield Stage(web)


# ---------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("foot", "zone", "utc"),
    [
        ('Alle Zeiten sind <span title="Asien/Kalkutta">UTC+05:30</span>', "Europe/Berlin", "16:39"),
        ('All times are <span title="America/Caracas">UTC-04:30</span>', "Europe/Berlin", "02:39"),
        ('All times are <span title="UTC">UTC</span>', "Europe/Berlin", "22:09"),
        ('All times are <span title="Europe/Berlin">UTC+01:00</span>', "Europe/Berlin", "21:09"),
        ('<span title="a post">UTC-09:00</span> <span title="UTC">UTC</span>', "Europe/Berlin", "22:09"),
        ("no times here", "Asia/Kolkata", "16:39"),
    ],
)
def test_an_edit_is_dated_in_the_zone_of_the_page(stage: Stage, foot: str, zone: str, utc: str) -> None:
    mark = '<div class="notice">Last edited by <a class="username" href="./memberlist.php?u=2">Host</a> on 11.11.2026, 22:09.</div>'
    stage.set("GET", "viewtopic.php", topic(post=mark).replace("</body>", f"<ul><li>{foot}</li></ul></body>"))
    stage.live.timezone = ZoneInfo(zone)
    edited = stage.live.page("6").posts[0].edited_at
    assert edited is not None
    assert f"{edited:%H:%M}" == utc


# ---------------------------------------------------------------------- forms that are given back


@pytest.mark.parametrize(
    ("lang", "said", "waited"),
    [
        ("de", "Du kannst einen Beitrag nicht so schnell nach deinem letzten schreiben.", True),
        ("de", "Sie können einen Beitrag nicht so schnell nach Ihrem letzten schreiben.", True),
        ("fr", "Vous devez patienter quelques instants.", True),
        ("fa", "صبر کنید", True),
        ("de", "Das übermittelte Formular war ungültig.", False),
        ("en", "That form was invalid.", False),
    ],
)
def test_what_may_simply_be_sent_again_is_in_any_language(stage: Stage, lang: str, said: str, waited: bool) -> None:
    stage.set("GET", REPLY, form(lang=lang))
    stage.set("POST", REPLY, form(said, lang=lang))
    stage.taken()
    assert stage.live.reply("6", "text").id == "77"
    assert (FLOOD_WAIT in stage.clock.slept) is waited


@pytest.mark.parametrize(("lang", "sent"), [("en", 1), ("de-x-sie", 1), ("fa", TRIES)])
def test_a_text_that_is_refused_is_told_in_the_forums_words(stage: Stage, lang: str, sent: int) -> None:
    stage.set("GET", REPLY, form(lang=lang))
    stage.set("POST", REPLY, form("Zu kurz!", lang=lang))
    with pytest.raises(Refused, match="Zu kurz"):
        stage.live.reply("6", "text")
    assert stage.posted() == sent


def test_a_flood_limit_beyond_patience_is_one_in_german_too(stage: Stage) -> None:
    stage.set("GET", REPLY, form(lang="de"))
    stage.set("POST", REPLY, form("Nicht so schnell nach deinem letzten!", lang="de"))
    with pytest.raises(FloodLimit):
        stage.live.reply("6", "text")
    assert stage.clock.slept.count(FLOOD_WAIT) == TRIES - 1  # none after the last


def test_a_titles_emoji_does_not_keep_an_account_from_replying(stage: Stage) -> None:
    stage.set("GET", REPLY, form().replace("Re: x", "Re: A trip 🎲 & tea"))
    stage.taken()
    stage.live.reply("6", "dice 🎲")
    sent = stage.web.calls[-1].request.body
    assert isinstance(sent, bytes)
    assert 'name="subject"\r\n\r\nRe: A trip  & tea\r\n' in sent.decode()
    assert "dice 🎲" in sent.decode()
    stage.set("GET", EDIT, form(to=EDIT).replace("Re: x", "A trip 🎲"))
    stage.taken(EDIT, 36)
    stage.live.edit("36", "first post")
    sent = stage.web.calls[-1].request.body
    assert isinstance(sent, bytes)
    assert "A trip 🎲" in sent.decode()  # what the topic is called stays


def test_older_boards_are_given_two_seconds(stage: Stage) -> None:
    stage.set("GET", REPLY, form(more='<input type="hidden" name="lastclick" value="1">'))
    stage.taken()
    stage.live.reply("6", "text")
    assert 2.1 in stage.clock.slept


# ---------------------------------------------------------------------- notices in place of a form


@pytest.mark.parametrize(
    ("said", "shown", "status", "error"),
    [
        ("Dieses Thema ist gesperrt.", topic(locked=True), 200, TopicLocked),
        ("Editing this post is over.", topic(), 200, NotAllowed),
        ("Du kannst diesen Beitrag nicht mehr ändern.", topic(), 200, NotAllowed),
        ("Back soon", notice("Back soon"), 200, TryAgain),
        ("No such post does exist.", notice("No such post does exist."), 404, NotAllowed),
    ],
)
def test_what_a_refusal_means_is_seen_on_the_topic(
    stage: Stage, said: str, shown: str, status: int, error: type[SourceError]
) -> None:
    stage.set("GET", EDIT, notice(said, lang="de"))
    stage.set("GET", "viewtopic.php?p=36", shown, status=status)
    with pytest.raises(error, match=said.replace(".", r"\.")):
        stage.live.edit("36", "text")
    assert stage.posted() == 0


# ---------------------------------------------------------------------- the account


def test_a_coloured_name_is_a_name(stage: Stage) -> None:
    stage.set("GET", INBOX, folder(row(3), kind="username-coloured"))
    stage.set("POST", "ucp.php?i=pm&mode=view&action=view_folder", export(("order", "2026-11-12T17:00:00+00:00", "kill Bo")))
    (message,) = stage.live.messages()
    assert message.recipients == ("Host",)
    assert stage.asked("mode=login") == 0


def test_cookies_that_do_not_come_back_are_named(stage: Stage) -> None:
    stage.set("GET", LOGIN, login())
    stage.set("POST", LOGIN, page("welcome"))
    stage.set("GET", "index.php", page("hello, guest", name=None))
    with pytest.raises(LoginFailed, match="cookies") as caught:
        stage.live.log_in("Host", "secret")
    assert "www" in caught.value.advice


def test_a_banned_account_is_told_why(stage: Stage) -> None:
    stage.set("GET", LOGIN, login())
    stage.set("POST", LOGIN, notice("You have been permanently banned from this board.", name=None))
    with pytest.raises(LoginFailed, match="permanently banned"):
        stage.live.log_in("Host", "secret")


@pytest.mark.parametrize(
    "asked",
    [
        '<input name="confirm_code">',
        '<input name="qa_answer"><input type="hidden" name="qa_confirm_id" value="1">',
        '<div class="g-recaptcha"></div>',
        '<input type="hidden" name="recaptcha_token" value="">',
    ],
)
def test_every_captcha_is_one(stage: Stage, asked: str) -> None:
    stage.set("GET", LOGIN, login())
    stage.set("POST", LOGIN, login(error="Zu viele Versuche.", more=asked))
    with pytest.raises(LoginFailed, match="CAPTCHA"):
        stage.live.log_in("Host", "secret")
    assert stage.posted() == 1


# ---------------------------------------------------------------------- private messages

EXPORT = "ucp.php?i=pm&mode=view&action=view_folder"
HELD = '<div class="notice"><p>60 messages are held back: the folder is full.<br><a href="./ucp.php?i=ucp_pm&amp;mode=view&amp;folder=0&amp;release=1">Release</a></p></div>'


def test_a_notice_is_no_empty_mailbox(stage: Stage) -> None:
    stage.set("GET", INBOX, notice("Back soon"))
    with pytest.raises(TryAgain, match="Back soon"):
        list(stage.live.messages())


def test_messages_that_a_full_mailbox_holds_back_are_not_passed_over(stage: Stage) -> None:
    stage.set("GET", INBOX, folder(row(3), more=HELD))
    stage.set("GET", "ucp.php?i=ucp_pm&mode=view&folder=0&release=1", folder(row(3), more=HELD))
    with pytest.raises(SourceError, match="60 messages are held back") as caught:
        list(stage.live.messages())
    assert "in a browser" in caught.value.advice


def test_messages_that_fit_by_now_are_released_and_read(stage: Stage) -> None:
    stage.set("GET", INBOX, folder(row(3), more=HELD), folder(row(4, "late") + row(3)))
    stage.set("GET", "ucp.php?i=ucp_pm&mode=view&folder=0&release=1", folder(row(3)))
    at = "2026-11-12T17:00:00+00:00"
    stage.set("POST", EXPORT, export(("late", at, "two"), ("order", at, "one")))
    assert [message.body for message in stage.live.messages()] == ["one", "two"]


def test_the_accounts_own_folders_are_read_too_and_each_message_once(stage: Stage) -> None:
    own = '<a href="./ucp.php?i=pm&amp;folder=7">Game</a> <a href="./ucp.php?i=pm&amp;folder=sentbox">Sent</a>'
    at = "2026-11-12T17:00:00+00:00"
    stage.set("GET", INBOX, folder(row(5, "new") + row(3), more=own))
    stage.set("GET", "ucp.php?i=pm&folder=7", folder(row(4, "moved") + row(3), more=own))
    stage.set("POST", EXPORT, export(("new", at, "c"), ("order", at, "a")), export(("moved", at, "b"), ("order", at, "a")))
    found = list(stage.live.messages())
    assert [(message.id, message.body) for message in found] == [("3", "a"), ("4", "b"), ("5", "c")]
    assert {message.sender for message in found} == {"Anna"}
    assert stage.asked("sentbox") == 0


@pytest.mark.parametrize(
    ("lang", "when", "exported"),
    [
        ("en", "10/11/2026 17:00", True),  # the tenth of November or the eleventh of October: not passed over
        ("en", "10/10/2026 17:00", False),
        ("de", "10. Okt 2026, 17:00", False),
        ("de", "Heute, 17:00", True),
        ("fa", "دیروز", True),
    ],
)
def test_only_a_date_that_is_surely_old_spares_a_look(stage: Stage, lang: str, when: str, exported: bool) -> None:
    stage.set("GET", INBOX, folder(row(3, when=when), lang=lang))
    stage.set("POST", EXPORT, export(("order", "2026-11-10T17:00:00+00:00", "kill Bo")))
    since = datetime(2026, 11, 10, 12, tzinfo=UTC)
    assert [message.body for message in stage.live.messages(since)] == (["kill Bo"] if exported else [])
    assert stage.posted() == int(exported)


def test_a_date_that_may_mean_two_days_is_left_open(stage: Stage) -> None:
    stage.set("GET", INBOX, folder(row(3, when="10/11/2026 17:00")))
    stage.set("POST", EXPORT, page("no export here"))
    stage.set("GET", "ucp.php?i=pm&mode=view&p=3", page('<div id="post-3" class="post pm"><div class="content">kill Bo</div></div>'))
    (message,) = stage.live.messages()
    assert (message.body, message.sent_at) == ("kill Bo", None)


def test_a_session_that_ends_while_the_addressee_is_named_is_renewed(stage: Stage) -> None:
    chosen = '<input type="hidden" name="address_list[u][5]" value="to">'
    stage.set("GET", COMPOSE, form(to=COMPOSE))
    stage.set("POST", COMPOSE, login(), form(to=COMPOSE, more=chosen))
    stage.set("GET", LOGIN, login())
    stage.set("POST", LOGIN, page("welcome"))
    stage.set("GET", "index.php", page("index"))
    sent = notice("Nachricht gesendet.", lang="de", head='<meta http-equiv="refresh" content="3;url=./ucp.php">')
    stage.set("POST", COMPOSE, sent)
    stage.live.send_message("Anna", "Results", "nothing")
    assert stage.asked("mode=compose") == 5


def test_why_nobody_can_be_written_to_is_told(stage: Stage) -> None:
    stage.set("GET", COMPOSE, form(to=COMPOSE))
    stage.set("POST", COMPOSE, form("Some users have switched messages off.", to=COMPOSE))
    with pytest.raises(NotAllowed, match="switched messages off"):
        stage.live.send_message("Anna", "Results", "nothing")
    assert stage.posted() == 1


# ---------------------------------------------------------------------- posts that only some see


def test_a_post_that_waits_for_approval_does_not_stand_yet() -> None:
    now = datetime(2026, 11, 12, 18, tzinfo=UTC)
    held = '<p class="post-notice unapproved"><strong>This post is not visible.</strong></p>'
    (seen,) = phpbb.read_page(topic(post=held), timezone=UTC, now=now).posts
    (plain,) = phpbb.read_page(topic(), timezone=UTC, now=now + timedelta(hours=1)).posts
    assert (seen.deleted, plain.deleted) == (True, False)


def test_while_our_own_post_waits_pages_are_counted_with_it(stage: Stage) -> None:
    held = '<p class="post-notice unapproved"><strong>This post is not visible.</strong></p>'
    stage.set("GET", "viewtopic.php?t=6&st=0&sk=t&sd=a", topic(post=held))
    stage.set("GET", "viewtopic.php?t=6&st=365&sk=t&sd=a", topic(post=held))
    assert stage.live.page("6").posts[0].deleted
    assert (stage.asked("st=0"), stage.asked("st=365")) == (1, 1)
    stage.live.page("6")
    assert (stage.asked("st=0"), stage.asked("st=365")) == (1, 2)
    stage.set("GET", "viewtopic.php?t=7&st=0&sk=t&sd=a", topic().replace("t=6", "t=7"))
    stage.live.page("7")
    assert stage.asked("st=365") == 2


def test_an_edit_of_a_post_that_waits_for_a_moderator_is_taken(stage: Stage) -> None:
    """phpBB leads to the topic then. Taken for half a page it would keep all else from being posted, for as long as it waits."""
    stage.set("GET", EDIT, form(to=EDIT))
    stage.web.add("POST", SITE + EDIT, status=302, headers={"Location": f"{SITE}viewtopic.php?t=6"})
    with pytest.raises(NeedsApproval, match="does not show it"):
        stage.live.edit("36", "text")
    assert stage.posted() == 1
