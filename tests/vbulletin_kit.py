"""A small vBulletin for tests: one board that looks as 3 or 4 does, by the public record, in a language of its own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from html import escape
from urllib.parse import parse_qs, parse_qsl

import requests

from tests.practice_kit import Clock

SITE = "https://forum.example/v/"
Reply = tuple[int, dict[str, str], str]


@dataclass
class Item:
    """A post, or the copy of a message that lies in its owner's folder."""

    id: int
    by: str
    text: str
    at: datetime
    edited: datetime | None = None
    reason: str = ""
    state: str = ""  # "deleted", "ignored"
    subject: str = ""
    to: str = ""
    owner: str = ""
    smilies: bool = True


def v3_post(post: Item, number: int, date: str, edited: str, body: str) -> str:
    """A post as vBulletin 3 shows it."""
    head = (
        f'<div id="edit{post.id}" style="padding:0px"><table class="tborder" id="post{post.id}" width="100%"><tr><td class="thead">'
        f'<a name="post{post.id}"><img class="inlineimg" src="images/statusicon/post_old.gif" alt="Alt" border="0" /></a>\n\t\t{date}\n'
        f'</td><td class="thead" align="right">&nbsp;#<a href="showpost.php?p={post.id}&amp;postcount={number}" target="new" '
        f'id="postcount{post.id}" name="{number}"><strong>{number}</strong></a></td></tr>'
    )
    user = f'<a class="bigusername" href="member.php?u=4">{escape(post.by)}</a><script type="text/javascript"> vbmenu("x"); </script>'
    if post.state:
        gone = '<a href="profile.php?do=removelist&amp;userlist=ignore&amp;u=4">weg</a>' if post.state == "ignored" else "gelöscht"
        return f'{head}<tr><td><div id="postmenu_{post.id}">{user}</div>{gone}</td></tr></table></div>'
    reason = f". Grund: {escape(post.reason)}" if post.reason else ""
    note = f'<div class="smallfont"><hr size="1" /><em>Geändert von {escape(post.by)}; {edited}.{reason}</em></div>' if edited else ""
    return (
        f'{head}<tr valign="top"><td class="alt2" width="175"><div id="postmenu_{post.id}">{user}</div><div class="smallfont">Neu</div>'
        f'</td><td class="alt1" id="td_post_{post.id}"><div class="smallfont"><strong>Titel</strong></div><hr size="1" />'
        f'<div id="post_message_{post.id}">{body}</div><div>__________________<br /><b><font color="red">Vote: Anna</font></b></div>'
        f"{note}</td></tr></table></div>"
    )


def v4_post(post: Item, number: int, date: str, edited: str, body: str) -> str:
    """A post as vBulletin 4 shows it."""
    kind = {"deleted": "postbitdeleted", "ignored": "postbitignored"}.get(post.state, "postbitlegacy postbitim postcontainer old")
    day, _, hour = date.rpartition(" ")
    head = (
        f'<li class="{kind}" id="post_{post.id}"><div class="posthead"><span class="postdate old"><span class="date">{day}&nbsp;'
        f'<span class="time">{hour}</span></span></span><span class="nodecontrols"><a name="post{post.id}" class="postcounter" '
        f'href="showthread.php?7-T&amp;p={post.id}&amp;viewfull=1#post{post.id}">#{number}</a><a id="postcount{post.id}" '
        f'name="{number}"></a></span></div><div class="username_container"><div class="popupmenu memberaction"><a rel="nofollow" '
        f'class="username offline popupctrl" href="member.php?4-X" title="x"><strong>{escape(post.by)}</strong></a></div></div>'
    )
    if post.state:
        return f"{head}</li>"
    reason = f'<span class="reason">Grund:</span> {escape(post.reason)}' if post.reason else ""
    note = f'<blockquote class="postcontent lastedited">Geändert von {escape(post.by)}; {edited}. {reason}</blockquote>' if edited else ""
    return (
        f'{head}<div class="postbody"><div class="content"><div id="post_message_{post.id}"><blockquote class="postcontent restore ">'
        f'{body}</blockquote></div></div>{note}<blockquote class="signature restore"><div class="signaturecontainer"><b>'
        f'<font color="red">Vote: Anna</font></b></div></blockquote></div></li>'
    )


@dataclass
class Board:
    """How it behaves. `zone` is the hours that the account's clock is ahead of UTC; its sentences are in its own language."""

    version: int = 4
    clock: Clock = field(default_factory=Clock)
    posts: list[Item] = field(default_factory=list)
    mail: list[Item] = field(default_factory=list)
    user: str = ""
    token: str = "1700000000-abcdef"
    charset: str = "utf-8"
    redirects: bool = False
    greets: bool = True
    flood: int = 30
    locked: bool = False
    held: bool = False
    closed: bool = False
    falling: bool = False
    threads: bool = False
    zone: float = 0
    date: str = "%m-%d-%Y, %I:%M %p"
    near: bool = False
    size: int = 10
    refuse: str = ""
    exports: bool = True
    dead_token: bool = False
    asked: list[str] = field(default_factory=list)
    sent: dict[str, str] = field(default_factory=dict)
    last_post: datetime | None = None
    last_mail: datetime | None = None
    lose: Callable[[str], bool] = lambda _: False
    ids: int = 60

    def __call__(self, request: requests.PreparedRequest) -> Reply:
        path, _, query = (request.url or "").removeprefix(SITE).partition("?")
        asked = dict(parse_qsl(query.partition("#")[0], keep_blank_values=True))
        body = request.body.decode("ascii") if isinstance(request.body, bytes) else str(request.body or "")
        sent = {name: values[-1] for name, values in parse_qs(body, keep_blank_values=True, encoding=self.letters).items()}
        sent = {name: re.sub(r"&#(\d+);", lambda number: chr(int(number[1])), value) for name, value in sent.items()}
        action = sent.get("do") or asked.get("do", "")
        self.asked.append(f"{request.method} {path} {action}".strip())
        self.sent = sent or self.sent
        status, headers, text = self.answer(path, asked, sent)
        if sent and self.lose(action):
            raise requests.exceptions.ReadTimeout
        headers = {"Content-Type": f"text/html; charset={self.charset}", "Date": format_datetime(self.clock.now(), usegmt=True)} | headers
        return status, headers, text.encode(self.letters, "xmlcharrefreplace")  # type: ignore[return-value]

    def answer(self, path: str, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if self.closed:
            return self.notice("Wartung.")
        if path == "login.php":
            return self.login(sent)
        if path == "showthread.php":
            return self.topic(asked)
        if not self.user:
            return self.notice("Kein Zutritt.")
        if sent and (sent.get("securitytoken") != self.token or self.dead_token):
            self.dead_token = False
            return self.notice("Das Kennzeichen ist abgelaufen.")
        if path == "newreply.php":
            return self.reply(asked, sent)
        if path == "editpost.php":
            return self.edit(asked, sent)
        if path == "private.php":
            return self.private(asked, sent)
        return self.page("")

    # pages

    @property
    def letters(self) -> str:
        """The character set that browsers take the board's for."""
        return "cp1252" if self.charset == "iso-8859-1" else self.charset

    def page(self, body: str, head: str = "") -> Reply:
        token = self.token if self.user else "guest"
        name = escape(self.user)
        if not self.user:
            greeting = '<form action="login.php?do=login" method="post"><input name="vb_login_username"><input type="password" name="vb_login_password"></form>'
        elif self.version == 3:
            strong = f'<strong>Hallo, <a href="member.php?u=2">{name}</a>.</strong>' if self.greets else ""
            greeting = f'<td class="alt2"><div class="smallfont">{strong}</div></td><a href="login.php?do=logout&amp;logouthash=1">Ab</a>'
        else:
            hello = f'<li class="welcomelink">Hallo, <a href="member.php?2-Host">{name}</a></li>' if self.greets else ""
            greeting = f'<div id="toplinks"><ul class="isuser"><li><a href="login.php?do=logout&amp;logouthash=1">Ab</a></li>{hello}</ul></div>'
        hour = (self.clock.now() + timedelta(hours=self.zone)).strftime("%I:%M %p" if "%p" in self.date else "%H:%M")
        foot = f'<div class="smallfont" align="center">Zeiten in WEZ. Es ist <span class="time">{hour}</span>.</div>'
        if self.version == 4:
            foot = f'<div id="footer_time" class="shade footer_time">Zeiten in WEZ. Es ist <span class="time">{hour}</span>.</div>'
        return 200, {}, (
            f'<html lang="de"><head><meta name="generator" content="vBulletin {self.version}.8" /><title>T - Board</title>{head}'
            f'<script type="text/javascript"> var SESSIONURL = ""; var SECURITYTOKEN = "{token}"; </script></head><body>{greeting}{body}'
            f"{foot}</body></html>"
        )  # fmt: skip

    def notice(self, text: str) -> Reply:
        login = "" if self.user else '<form action="login.php"><fieldset>Name <input type="password"></fieldset></form>'
        if self.version == 3:
            inside = f'<table class="tborder"><tr><td class="tcat">vBulletin</td></tr><tr><td class="panelsurround"><div class="panel"><div>{text}{login}</div></div></td></tr></table>'
        else:
            inside = f'<div class="standard_error"><form class="block vbform"><h2 class="blockhead">vBulletin</h2><div class="blockbody"><div class="blockrow restore">{text}</div></div></form>{login}</div>'
        return self.page(inside)

    def onward(self, url: str, *, forced: bool = False) -> Reply:
        if self.redirects and not forced:
            return 302, {"Location": SITE + url}, ""
        return self.page('<div class="panel">Danke!</div>', f'<meta http-equiv="Refresh" content="2; URL={escape(url)}" />')

    def form(self, action: str, fields: dict[str, str], errors: list[str]) -> Reply:
        box = "".join(f"<li>{escape(error)}</li>" for error in errors)
        if box and self.version == 3:
            box = f'<table><tr><td class="tcat">Bitte:</td></tr><tr><td class="panelsurround"><div class="panel"><div><ol>{box}</ol></div></div></td></tr></table>'
        elif box:
            box = f'<div class="blockbody errorblock"><div class="blockrow error">Bitte:<ol>{box}</ol></div></div>'
        message = fields.pop("message")
        hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields.items())
        backup = '<input type="hidden" name="message_backup" value="">' if self.version == 4 else ""
        return self.page(
            f'<a href="private.php">PN</a>{box}<form action="{action}" method="post" name="vbform"><input type="hidden" name="s" value="">'
            f'<input type="hidden" name="securitytoken" value="{self.token}"><input type="hidden" name="wysiwyg" value="1">{hidden}{backup}'
            f'<textarea name="message">\n{escape(message)}</textarea><input type="checkbox" name="parseurl" value="1" checked="checked">'
            '<input type="checkbox" name="disablesmilies" value="1"><input type="submit" name="sbutton" value="Ab">'
            '<input type="submit" name="preview" value="Vorschau"></form>'
        )

    def shown(self, at: datetime) -> str:
        local, today = (moment + timedelta(hours=self.zone) for moment in (at, self.clock.now()))
        if self.near and (today.date() - local.date()).days < 2:
            return f"{'Heute' if today.date() == local.date() else 'Gestern'}, {local:%H:%M}"
        return local.strftime(self.date)

    # signing in

    def login(self, sent: dict[str, str]) -> Reply:
        if not sent:
            return self.notice("Bitte anmelden.")
        secrets = [[hashlib.md5(word.encode()).hexdigest() for word in words] for words in (("secret",) * 2, ("geh&#228;im", "gehäim"))]
        assert (sent["vb_login_password"], sent["securitytoken"]) == ("", "guest")
        if [sent["vb_login_md5password"], sent["vb_login_md5password_utf"]] in secrets and sent["cookieuser"] == "1":
            self.user = sent["vb_login_username"]
            return self.onward("usercp.php")
        self.user = ""
        return self.notice("Falsch. 1 von 5 Versuchen.")

    # the topic, number 7

    def topic(self, asked: dict[str, str]) -> Reply:
        place = next((n for n, post in enumerate(self.posts) if str(post.id) == asked.get("p")), None)
        if asked.get("t") != "7" and place is None:
            return self.notice("Kein solches Thema.")
        order = self.posts[::-1] if self.falling else self.posts
        place = None if place is None else order.index(self.posts[place])
        pages = max(1, (len(order) + self.size - 1) // self.size)
        number = min(pages, int(asked.get("page", "1"))) if place is None else place // self.size + 1
        shown = order[(number - 1) * self.size : number * self.size]
        if self.threads and asked.get("mode") != "linear":
            shown = shown[:1]  # one post and a tree
        make = v3_post if self.version == 3 else v4_post
        rows = "".join(
            make(post, self.posts.index(post) + 1, self.shown(post.at), self.shown(post.edited) if post.edited else "", self.body(post))
            for post in shown
        )
        closed = "threadclosed" if self.locked else "reply"
        button = f'<a href="newreply.php?do=newreply&amp;p=1"><img src="images/buttons/{closed}.gif" alt="x" /></a>'
        if self.version == 4:
            button = f'<a href="newreply.php?p=1" id="newreplylink_top" class="newcontent_textcontrol">{"Zu" if self.locked else "<span>+</span> Antwort"}</a>'
        posts = f'<div id="posts">{rows}</div>' if self.version == 3 else f'<div id="postlist"><ol id="posts" class="posts">{rows}</ol></div>'
        title = '<td class="navbar"><strong>The Lamp</strong></td>' if self.version == 3 else '<h1><span class="threadtitle"><a href="showthread.php?7-T">The Lamp</a></span></h1>'
        return self.page(
            f'{title}{button}{self.bar(number, pages, len(order))}{posts}<a href="printthread.php?t=7">Drucken</a>'
        )

    def bar(self, number: int, pages: int, total: int) -> str:
        if pages == 1:
            return ""
        spans = {n: f"Beiträge {(n - 1) * self.size + 1} bis {min(n * self.size, total)} von {total}" for n in range(1, pages + 1)}
        links = "".join(f'<a href="showthread.php?t=7&amp;page={n}" title="{spans[n]}">{n}</a>' for n in (1, 2, pages) if n != number)
        if self.version == 3:
            return f'<div class="pagenav" align="right"><table><tr><td class="vbmenu_control">Seite {number} von {pages}</td><td>{links}</td></tr></table></div>'
        return f'<div id="pagination_top"><form class="pagination popupmenu"><span><a href="#" class="popupctrl">Seite {number} von {pages}</a></span>{links}</form></div>'

    def body(self, post: Item) -> str:
        text = escape(post.text, quote=False)
        text = re.sub(r"\[(/?)b\]", r"<\1b>", re.sub(r"\[/?size(?:=\d)?\]", "", text)).replace("\n", "<br />\n")
        return text.replace(":D", '<img src="images/smilies/g.gif" border="0" alt="" title="Grins" class="inlineimg" />') if post.smilies else text

    def say(self, by: str, text: str) -> Item:
        self.ids += 1
        self.posts.append(Item(self.ids, by, text, self.clock.now()))
        return self.posts[-1]

    def left(self, last: datetime | None) -> list[str]:
        passed = self.flood if last is None else int((self.clock.now() - last).total_seconds())
        return [f"Nur alle {self.flood} Sekunden; noch {self.flood - passed} Sekunden."] if passed < self.flood else []

    def reply(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if (sent or asked).get("t") != "7":
            return self.notice("Kein solches Thema.")
        if self.locked:
            return self.notice("Das Thema ist zu.")
        fields = {"do": "postreply", "t": "7", "p": "", "specifiedpost": "0", "posthash": "h", "poststarttime": "1", "loggedinuser": "2"}
        action = "newreply.php?do=postreply&amp;t=7"
        if sent.get("do") != "postreply":
            return self.form(action, fields | {"message": "", "title": ""}, [])
        text = sent["message"].replace("\r\n", "\n").strip()
        last = next((post for post in reversed(self.posts) if post.by == self.user), None)
        if last is not None and last.text == text:
            return self.onward("showthread.php?t=7&goto=newpost", forced=True)
        errors = self.left(self.last_post) + ([self.refuse] if self.refuse else [])
        if errors:
            return self.form(action, fields | {"message": text, "title": ""}, errors)
        self.last_post = self.clock.now()
        if self.held:
            return self.onward("forumdisplay.php?f=2", forced=True)
        post = self.say(self.user, text)
        post.smilies = sent.get("disablesmilies") != "1"
        if self.version == 4 and self.redirects:
            return self.onward(f"showthread.php?7-T&p={post.id}#post{post.id}")
        return self.onward(f"showthread.php?p={post.id}#post{post.id}")

    def edit(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        post = next((one for one in self.posts if str(one.id) == (sent or asked).get("p")), None)
        if post is None or post.by != self.user or self.locked:
            return self.notice("Das geht nicht.")
        if sent.get("do") != "updatepost":
            fields = {"do": "updatepost", "p": str(post.id), "posthash": "", "poststarttime": "1", "title": "", "message": post.text}
            return self.form(f"editpost.php?do=updatepost&amp;p={post.id}", fields, [])
        post.text, post.edited = sent["message"].replace("\r\n", "\n"), self.clock.now()
        return self.onward(f"showthread.php?p={post.id}#post{post.id}")

    # messages

    def send(self, by: str, to: str, subject: str, text: str) -> None:
        """Somebody writes to somebody: a copy for each."""
        for owner in (to, by):
            self.ids += 1
            self.mail.append(Item(self.ids, by, text, self.clock.now(), subject=subject, to=to, owner=owner))

    def private(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        action = sent.get("do") or asked.get("do", "")
        if action == "newpm":
            return self.form("private.php?do=insertpm&amp;pmid=", {"do": "insertpm", "pmid": "", "recipients": "", "bccrecipients": "", "title": "", "message": ""}, [])
        if action == "insertpm":
            return self.insert(sent)
        if action == "downloadpm":
            return self.download(asked)
        if action == "showpm":
            return self.show(next(one for one in self.mail if str(one.id) == asked["pmid"]))
        person = "to" if asked.get("folderid") == "0" else "by"
        found = [one for one in reversed(self.mail) if one.owner == self.user == getattr(one, person)]
        number = int(asked.get("page", "1"))
        rows = "".join(self.row(one, one.by if person == "to" else one.to) for one in found[(number - 1) * 20 : number * 20])
        more = f'<a rel="next" href="private.php?folderid={asked.get("folderid")}&amp;sort=date&amp;page={number + 1}">&gt;</a>' if number * 20 < len(found) else ""
        return self.page(f'<a href="private.php?do=newpm">Neu</a><table>{rows}</table>{more}')

    def row(self, one: Item, person: str) -> str:
        day, _, hour = self.shown(one.at).partition(", ")
        link = f'<a href="private.php?do=showpm&amp;pmid={one.id}" class="title">{escape(one.subject)}</a>'
        if self.version == 4:
            return f'<li class="blockrow pmbit" id="pm_{one.id}"><span class="unread">{link}</span><ol class="commalist"><li><a class="username understate" href="member.php?4-X">{escape(person)}</a></li></ol><span class="date">{day} <span class="time">{hour}</span></span></li>'
        return (
            f'<tr><td class="alt1Active" id="m{one.id}"><div><span style="float:right" class="smallfont">{day}</span>{link}</div><div><span '
            f'style="float:right" class="time">{hour}</span><span style="cursor:pointer" onclick="window.open(\'member.php?u=4\', \'_self\')">'
            f'{escape(person)}</span></div></td><td class="alt2"><input type="checkbox" name="pm[{one.id}]"></td></tr>'
        )

    def show(self, one: Item) -> Reply:
        return self.page(f'<li class="postcontainer" id="post_"><div id="post_message_"><blockquote class="postcontent restore">{self.body(one)}</blockquote></div></li><form name="vbform"><textarea name="message">[QUOTE={escape(one.by)}]{escape(one.text)}[/QUOTE]\n</textarea></form>')

    def insert(self, sent: dict[str, str]) -> Reply:
        errors = self.left(self.last_mail) + ([] if sent["recipients"] in ("Anna", "Boris", "Jörg O'Brien") else [f"Unbekannt: {sent['recipients']}"])
        if errors:
            return self.form("private.php?do=insertpm&amp;pmid=", {"do": "insertpm", "recipients": sent["recipients"], "title": sent["title"], "message": sent["message"]}, errors)
        assert sent["savecopy"] == "1"
        self.send(self.user, sent["recipients"], sent["title"], sent["message"])
        self.last_mail = self.clock.now()
        return self.onward("private.php")

    def download(self, asked: dict[str, str]) -> Reply:
        if not self.exports:
            return self.notice("Kein Export.")
        assert asked["dowhat"] == "xml"
        own = [one for one in reversed(self.mail) if one.owner == self.user]
        entries = "".join(
            f"<privatemessage><datestamp>{one.at + timedelta(hours=self.zone):%Y-%m-%d %H:%M}</datestamp><title><![CDATA[{escape(one.subject)}]]></title>"
            f"<fromuser><![CDATA[{escape(one.by)}]]></fromuser><touser>{escape(escape(one.to))}</touser><message>{escape(one.text)}</message></privatemessage>"
            for one in own
        )
        declared = f'<?xml version="1.0" encoding="{self.charset}"?>\r\n\r\n'
        return 200, {"Content-Type": "text/xml"}, f"{declared}<privatemessages><folder name=\"F\">{entries}</folder></privatemessages>"
