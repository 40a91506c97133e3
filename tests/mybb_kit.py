"""A small MyBB for tests: one board of topics, forms and messages that behaves as MyBB 1.8 does, in any language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from html import escape
from urllib.parse import parse_qs, parse_qsl

import requests

from tests.practice_kit import Clock

SITE = "https://forum.example/m/"
Reply = tuple[int, dict[str, str], str]


@dataclass
class Item:
    """A post, or the copy of a message that lies in a folder (`owner`: whose)."""

    id: int
    by: str
    text: str
    at: datetime
    edited: datetime | None = None
    subject: str = ""
    to: str = ""
    owner: str = ""
    folder: str = ""
    smilies: bool = True


@dataclass
class Board:
    """How it behaves. `zone` is the hours that the account's clock is ahead of UTC; `words` are its sentences, in its language."""

    clock: Clock = field(default_factory=Clock)
    posts: list[Item] = field(default_factory=list)
    mail: list[Item] = field(default_factory=list)
    user: str = ""
    tries: int = 0
    pages_that_move_on: bool = True
    separator: str = "\n[hr]\n"
    merges: bool = True
    flood: int = 60
    locked: bool = False
    guests_write: bool = False
    edits_end: bool = False
    held: bool = False
    zone: float = 0
    date: str = "%m-%d-%Y"
    exports: bool = True
    key: str = "key1"
    threads: bool = False
    asked: list[str] = field(default_factory=list)
    last_post: datetime | None = None
    last_mail: datetime | None = None
    lose: Callable[[str], bool] = lambda _: False
    ids: int = 60

    def __call__(self, request: requests.PreparedRequest) -> Reply:
        path, _, query = (request.url or "").removeprefix(SITE).partition("?")
        asked = dict(parse_qsl(query.partition("#")[0]))
        sent = _sent(request) if request.method == "POST" else {}
        self.asked.append(f"{request.method} {path} {sent.get('action') or asked.get('action', '')}".strip())
        answer = self.answer(path, asked, sent)
        if sent and self.lose(sent.get("action", "")):
            raise requests.exceptions.ReadTimeout
        return answer[0], answer[1] | {"Date": format_datetime(self.clock.now(), usegmt=True)}, answer[2]

    def answer(self, path: str, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if path == "member.php":
            return self.login(sent)
        if path == "showthread.php":
            return self.topic(asked)
        if path in ("newreply.php", "editpost.php", "private.php") and not (self.user or self.guests_write):
            return self.page('<table><tr><td class="trow1">Kein Zutritt</td></tr></table><input type="password">')
        if sent and sent.get("my_post_key") != self.key:
            return self.notice("Schlüssel falsch")
        if path == "newreply.php":
            return self.reply(asked, sent)
        if path == "editpost.php":
            return self.edit(asked, sent)
        if path == "private.php":
            return self.private(asked, sent)
        return self.page("")

    # pages

    def page(self, body: str) -> Reply:
        quick = '<form><table><tr><td class="trow1">Name</td></tr></table><input type="password" name="quick_password"></form>'
        head = "" if self.guests_write else quick
        if self.user:
            head = (
                f'<span class="welcome"><strong>Hallo, <a href="{SITE}member.php?action=profile&amp;uid=2">{escape(self.user)}</a>'
                f'</strong> <a href="{SITE}member.php?action=logout&amp;logoutkey=aa">Tschüs</a></span>'
            )
        choice = f'<form action="/private.php" id="lang"><input type="hidden" name="my_post_key" value="{self.key}"></form>'
        clock = f'{choice}<span id="current_time"><strong>Es ist:</strong> {self.shown(self.clock.now())}</span>'
        return 200, {}, f'<html lang="de"><head><script src="jscripts/general.js"></script></head><body>{head}{body}{clock}<a href="https://mybb.com">MyBB</a></body></html>'

    def notice(self, text: str) -> Reply:
        return self.page(f'<table class="tborder"><tr><td class="thead">Board</td></tr><tr><td class="trow1">{text}</td></tr></table>')

    def onward(self, url: str) -> Reply:
        if not self.pages_that_move_on:
            return 302, {"Location": SITE + url}, ""
        return 200, {}, f'<html><head><meta http-equiv="refresh" content="2;URL={escape(url)}" /></head><body>weiter</body></html>'

    def form(self, action: str, fields: dict[str, str], errors: list[str]) -> Reply:
        box = "".join(f"<li>{error}</li>" for error in errors)
        box = f'<div class="error"><p><em>Bitte</em></p><ul>{box}</ul></div>' if errors else ""
        message = fields.pop("message")
        hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields.items())
        return self.page(
            f'<form action="search.php"><input name="keywords"></form>{box}<form action="{action}" method="post" name="input">'
            f'<input type="hidden" name="my_post_key" value="{self.key}">{hidden}'
            f'<textarea name="message">\n{escape(message)}</textarea><input type="submit" name="previewpost" value="P"></form>'
        )

    def shown(self, at: datetime) -> str:
        return (at + timedelta(hours=self.zone)).strftime(f"{self.date}, %H:%M")

    # signing in

    def login(self, sent: dict[str, str]) -> Reply:
        if self.tries >= 10 and sent:
            return self.notice("Warte 0h 14m 57s")
        captcha = '<input name="imagestring">' if self.tries > 3 else ""
        forms = (
            '<form action="member.php"><input name="quick_username"><input type="password" name="quick_password"></form>'
            '<form action="member.php" method="post"><table><tr><td class="trow1">Name</td></tr></table><input name="username">'
            '<input type="password" name="password"><input type="checkbox" name="remember" checked="checked" value="yes">'
            f'<input type="hidden" name="action" value="do_login"><input type="hidden" name="my_post_key" value="k1">{captcha}</form>'
        )
        if not sent:
            return self.page(forms)
        if (sent.get("password"), sent.get("my_post_key"), sent.get("remember")) == ("secret", "k1", "yes"):
            self.user, self.tries = sent["username"], 0
            return self.onward("index.php")
        self.tries, self.user = self.tries + 1, ""
        return self.page(f'<div class="error"><p><em>Bitte</em></p><ul><li>Falsches Kennwort</li></ul></div>{forms}')

    # the topic, number 7

    def topic(self, asked: dict[str, str]) -> Reply:
        if asked.get("tid", "7") != "7":
            return self.notice("Kein Thema")
        if self.threads and asked.get("mode") != "linear":
            shown, number, pages = self.posts[-1:], 1, 1
        else:
            pages = max(1, (len(self.posts) + 9) // 10)
            place = next((n for n, post in enumerate(self.posts) if str(post.id) == asked.get("pid")), None)
            number = int(asked.get("page", "1")) if place is None else place // 10 + 1
            number = number if number <= pages else 1
            shown = self.posts[number * 10 - 10 : number * 10]
        mode = f"&amp;mode={asked['mode']}" if "mode" in asked else ""
        links = "".join(
            f'<span class="pagination_current">{n}</span>' if n == number
            else f'<a href="showthread.php?tid=7&amp;page={n}{mode}" class="pagination_page">{n}</a>' for n in range(1, pages + 1)
        )  # fmt: skip
        other = "threaded" if asked.get("mode") == "linear" or not self.threads else "linear"
        links += f'<a href="showthread.php?mode={other}&amp;tid=7">anders</a>'
        rows = "".join(self.post(post) for post in shown)
        closed = ' class="button closed_button"' if self.locked else ""
        return self.page(
            f'{FORUM_PAGES}<div class="pagination">{links}</div><div id="posts">{rows}</div><a href="newreply.php?tid=7"{closed}>Antwort</a>'
        )

    def post(self, post: Item) -> str:
        edit = f'<span class="edited_post">(geändert: {self.shown(post.edited)} von <a href="#">{post.by}</a>.)</span>' if post.edited else ""
        body = escape(post.text, quote=False).replace("[hr]", "<hr>").replace("\n", "<br>\n")
        body = body.replace(":D", '<img class="smilie" alt="Grins" src="g.png">') if post.smilies else body
        return (
            f'<div class="post" id="post_{post.id}"><div class="author_information"><span class="largetext">'
            f'<a href="{SITE}member.php?action=profile&amp;uid=3">{escape(post.by)}</a></span></div><div class="post_head"><strong>'
            f'<a href="showthread.php?tid=7&amp;pid={post.id}#pid{post.id}">#{self.posts.index(post) + 1}</a></strong>'
            f'<span class="post_date">{self.shown(post.at)} <span class="post_edit" id="edited_by_{post.id}">{edit}</span></span></div>'
            f'<div class="post_body" id="pid_{post.id}">{body}</div></div>'
        )

    def say(self, by: str, text: str) -> Item:
        """Somebody posts; right behind the own last post it is put into that."""
        now = self.clock.now()
        last = self.posts[-1] if self.posts else None
        if self.merges and last and last.by == by and now - last.at < timedelta(hours=1):
            last.text, last.edited = f"{last.text}{self.separator}{text}", now
            return last
        self.ids += 1
        self.posts.append(Item(self.ids, by, text, now))
        return self.posts[-1]

    def reply(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if asked.get("tid") != "7":
            return self.notice("Kein Thema")
        if self.locked:
            return self.notice("Geschlossen")
        fields = {"action": "do_newreply", "tid": "7", "subject": "RE: T", "message": sent.get("message", "")}
        action = "newreply.php?tid=7&amp;processed=1"
        if not sent:
            return self.form(action, fields, [])
        text, now = sent["message"].replace("\r\n", "\n").strip(), self.clock.now()
        if any((post.by, post.text) == (self.user, text) for post in self.posts):
            return self.notice("Schon gesendet")
        merging = bool(self.merges and self.posts and self.posts[-1].by == self.user)
        if len(text) < 5:
            return self.form(action, fields, ["Mindestens 5 Zeichen"])
        left = self.left(self.last_post)
        if left and not merging:
            return self.form(action, fields, [f"Noch {left} Sekunden warten"])
        if self.held:
            return self.onward("showthread.php?tid=7")
        post = self.say(self.user, text)
        post.smilies = sent.get("postoptions[disablesmilies]") != "1"
        self.last_post = now
        return self.onward(f"showthread.php?tid=7&pid={post.id}#pid{post.id}")

    def left(self, last: datetime | None) -> int:
        """How many seconds are still to be waited."""
        passed = self.flood + 1 if last is None else int((self.clock.now() - last).total_seconds())
        return max(0, self.flood - passed + 1)

    def edit(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        post = next((one for one in self.posts if str(one.id) == asked.get("pid")), None)
        if post is None or post.by != self.user or self.locked or self.edits_end:
            return self.notice("Geht nicht")
        if not sent:
            return self.form(f"editpost.php?pid={post.id}", {"action": "do_editpost", "message": post.text}, [])
        post.text, post.edited = sent["message"].replace("\r\n", "\n"), self.clock.now()
        return self.onward(f"showthread.php?tid=7&pid={post.id}#pid{post.id}")

    # messages

    def send(self, by: str, to: str, subject: str, text: str) -> None:
        """Somebody writes to somebody: a copy for each."""
        for owner in (to, by):
            self.ids += 1
            self.mail.append(Item(self.ids, by, text, self.clock.now(), subject=subject, to=to, owner=owner))

    def folder(self, number: str) -> list[Item]:
        mail = [one for one in reversed(self.mail) if one.owner == self.user]
        if number in ("1", "2"):
            return [one for one in mail if not one.folder and self.user == getattr(one, "to" if number == "1" else "by")]
        return [one for one in mail if one.folder == number]

    def private(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        action = sent.get("action") or asked.get("action", "")
        if action == "send":
            return self.form("private.php", {"action": "do_send", "to": "", "bcc": "", "subject": "", "message": ""}, [])
        if action == "do_send":
            return self.do_send(sent)
        if action == "do_export":
            return self.export(sent)
        if action == "read":
            one = next(item for item in self.mail if str(item.id) == asked["pmid"])
            return self.page(f'<div class="post" id="post_0"><div id="pid_0">{escape(one.text)}</div></div>')
        folder = {"0": "1"}.get(asked.get("fid", "0"), asked.get("fid", "0"))
        found, number = self.folder(folder), int(asked.get("page", "1"))
        rows = "".join(
            f'<tr><td>o</td><td></td><td><a class="new_pm" href="private.php?action=read&amp;pmid={one.id}">{escape(one.subject)}</a></td>'
            f'<td><a href="member.php?uid=4">{escape(one.to if folder == "2" else one.by)}</a></td><td><span class="smalltext">'
            f'<span title="{self.shown(one.at)}">gerade eben</span></span></td><td><input type="checkbox" name="check[{one.id}]"></td></tr>'
            for one in found[number * 20 - 20 : number * 20]
        )
        own = "".join(f'<a href="private.php?fid={n}">x</a>' for n in sorted({"1", "2", "3", "4"} | {one.folder for one in self.mail} - {""}))
        more = f'<a class="pagination_next" href="private.php?page={number + 1}">mehr</a>' if number * 20 < len(found) else ""
        return self.page(
            f'{own}<form action="private.php" method="post"><input type="hidden" name="my_post_key" value="{self.key}"><table>{rows}</table>'
            f'<input type="hidden" name="action" value="do_stuff"></form>{more}'
        )

    def do_send(self, sent: dict[str, str]) -> Reply:
        to, text = sent["to"], sent["message"]
        if any((one.to, one.subject, one.text) == (to, sent["subject"], text) for one in self.mail if one.by == self.user):
            return self.notice("Schon gesendet")
        left = self.left(self.last_mail)
        errors = [f"Noch {left} Sekunden warten"] if left else []
        errors += [f"Unbekannt: {to}"] if to not in ("Anna", "Boris", "Jörg O'Brien") else []
        if errors:
            fields = {"action": "do_send", "to": to, "bcc": "", "subject": sent["subject"], "message": text}
            return self.form("private.php", fields, errors)
        assert sent.get("options[savecopy]") == "1"
        self.send(self.user, to, sent["subject"], text)
        self.last_mail = self.clock.now()
        return self.onward("private.php")

    def export(self, sent: dict[str, str]) -> Reply:
        if not self.exports:
            return self.notice("Kein Export")
        assert (sent["exporttype"], sent["deletepms"], sent["exportunread"]) == ("csv", "0", "1")
        lines = "".join(
            f"{self.shown(one.at)},\"Ordner\",\"{_cell(one.subject)}\",\"{_cell(one.to)}\",\"{_cell(one.by)}\",\"{_cell(one.text)}\"\r\n"
            for one in self.folder(sent["exportfolders[]"])
        )
        return 200, {"Content-Type": "application/octet-stream"}, "\ufeffDatum,Ordner,Betreff,An,Von,Text\r\n" + lines


FORUM_PAGES = (
    '<div id="breadcrumb_multipage_popup" class="pagination pagination_breadcrumb" style="display: none;"><a href="forumdisplay.php?fid=2"'
    ' class="pagination_current">1</a><a href="forumdisplay.php?fid=2&amp;page=2" class="pagination_page">2</a></div>'
)
"""The pages of the forum that a topic stands in: hidden above each of the topic's own pages where there are several."""


def _cell(text: str) -> str:
    """A cell as MyBB writes it: with an apostrophe before what a spreadsheet would calculate."""
    text = re.sub(r"(?<=[,;:|^\n\t ])(?=[=+\-@])", "'", text)
    return (f"'{text}" if text[:1] in tuple("=+-@,;:|^\n\t ") and text else text).replace('"', '""')


def _sent(request: requests.PreparedRequest) -> dict[str, str]:
    body = request.body
    if isinstance(body, bytes):
        parts = re.findall(r'name="([^"]+)"\r\n\r\n(.*?)\r\n--', body.decode(), re.DOTALL)
        return dict(parts)
    return {name: values[-1] for name, values in parse_qs(str(body or ""), keep_blank_values=True).items()}

