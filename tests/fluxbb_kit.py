"""A small FluxBB for tests: one board of topics and forms that behaves as FluxBB 1.5 does, in any language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from html import escape
from urllib.parse import parse_qs, parse_qsl, urlsplit

import requests

from tests.practice_kit import Clock

SITE = "https://forum.example/x/"
Reply = tuple[int, dict[str, str], str]
NO = "Kein Zutritt."


@dataclass
class Item:
    """A post."""

    id: int
    by: str
    text: str
    at: datetime
    edited: datetime | None = None
    smilies: bool = True


@dataclass
class Board:
    """How it behaves. `zone` is the hours that the account has set, `size` its posts a page; its sentences are in its own language."""

    clock: Clock = field(default_factory=Clock)
    posts: list[Item] = field(default_factory=list)
    user: str = ""
    pages_that_move_on: bool = True
    flood: int = 30
    flood_words: str = "Mindestens {0} Sekunden, noch {1} Sekunden."
    locked: bool = False
    guests_write: bool = False
    closed: bool = False
    zone: float = 0
    dst: bool = False
    date: str = "%Y-%m-%d %H:%M:%S"
    near: bool = False
    size: int = 10
    refuse: str = ""
    asked: list[str] = field(default_factory=list)
    sent: dict[str, str] = field(default_factory=dict)
    last_post: datetime | None = None
    lose: Callable[[str], bool] = lambda _: False
    half: Callable[[str], bool] = lambda _: False
    ids: int = 60

    def __call__(self, request: requests.PreparedRequest) -> Reply:
        path, _, query = (request.url or "").removeprefix(SITE).partition("?")
        asked = dict(parse_qsl(query.partition("#")[0]))
        sent = {name: values[-1] for name, values in parse_qs(str(request.body or ""), keep_blank_values=True).items()}
        self.asked.append(f"{request.method} {path}")
        if sent:
            self.sent = sent
            referrer = urlsplit(request.headers.get("Referer", ""))
            if path in ("post.php", "edit.php") and (referrer.hostname, referrer.path) != ("forum.example", f"/x/{path}"):
                return self.notice("Falscher Referrer.")
        answer = self.answer(path, asked, sent)
        if sent and self.lose(path):
            raise requests.exceptions.ReadTimeout
        status, headers, body = answer
        if sent and self.half(path):
            body = body[: len(body) // 3]
        return status, headers | {"Date": format_datetime(self.clock.now(), usegmt=True)}, body

    def answer(self, path: str, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if self.closed:
            return self.notice("Wartung.")
        if path == "login.php":
            return self.login(sent)
        if path == "viewtopic.php":
            return self.topic(asked)
        if path == "profile.php":
            return self.profile(asked)
        if path == "post.php":
            return self.reply(asked, sent)
        if path == "edit.php":
            return self.edit(asked, sent)
        return self.page("pun" + path.removesuffix(".php"), "")

    # pages

    def page(self, name: str, body: str, head: str = "") -> Reply:
        known = '<li id="navlogin"><a href="login.php">An</a></li>'
        welcome = '<p class="conl">Du bist niemand.</p>'
        if self.user:
            known = (
                '<li id="navprofile"><a href="profile.php?id=2">Profil</a></li>'
                '<li id="navlogout"><a href="login.php?action=out&amp;id=2&amp;csrf_token=aa">Ab</a></li>'
            )
            welcome = f'<ul class="conl"><li><span>Du bist <strong>{escape(self.user)}</strong></span></li></ul>'
        return 200, {}, (
            f'<html lang="de"><head><title>T</title>{head}</head><body><div id="{name}" class="pun"><div id="brdmenu"><ul>{known}</ul></div>'
            f'<div id="brdwelcome">{welcome}</div>{body}<a href="https://fluxbb.org/">FluxBB</a></div></body></html>'
        )  # fmt: skip

    def notice(self, text: str, status: int = 200) -> Reply:
        return status, {}, self.page("punpost", f'<div id="msg" class="block"><h2>Info</h2><p>{text}</p><p>Zurück</p></div>')[2]

    def onward(self, url: str) -> Reply:
        if not self.pages_that_move_on:
            return 302, {"Location": SITE + url}, ""
        head = f'<meta http-equiv="refresh" content="1;URL={escape(SITE + url)}" />'
        return 200, {}, f'<html><head>{head}</head><body><div id="punredirect" class="pun">weiter</div></body></html>'

    def form(self, name: str, action: str, fields: dict[str, str], errors: list[str]) -> Reply:
        box = "".join(f"<li><strong>{escape(error)}</strong></li>" for error in errors)
        box = f'<div id="posterror"><p>Bitte:</p><ul class="error-list">{box}</ul></div>' if errors else ""
        message = fields.pop("req_message")
        hidden = "".join(f'<input type="hidden" name="{key}" value="{escape(value)}">' for key, value in fields.items())
        guest = "" if self.user else '<input type="text" name="req_username">'
        return self.page(
            "punpost",
            f'{box}<form id="{name}" method="post" action="{action}">{hidden}{guest}<input type="hidden" name="form_sent" value="1">'
            f'<textarea name="req_message">\n{escape(message)}</textarea><input type="checkbox" name="hide_smilies" value="1">'
            '<input type="checkbox" name="subscribe" value="1" checked="checked"><input type="submit" name="submit" value="Ab">'
            '<input type="submit" name="preview" value="Vorschau"></form>',
        )

    def shown(self, at: datetime) -> str:
        local, today = (moment + timedelta(hours=self.zone + self.dst) for moment in (at, self.clock.now()))
        if self.near and (today.date() - local.date()).days < 2:
            return f"{'Heute' if today.date() == local.date() else 'Gestern'} {local:%H:%M:%S}"
        return local.strftime(self.date)

    # signing in

    def login(self, sent: dict[str, str]) -> Reply:
        form = (
            '<form id="login" method="post" action="login.php?action=in"><input type="hidden" name="form_sent" value="1">'
            f'<input type="hidden" name="redirect_url" value="{SITE}index.php"><input type="hidden" name="csrf_token" value="c1">'
            '<input name="req_username"><input type="password" name="req_password"><input type="checkbox" name="save_pass" value="1">'
            '<input type="submit" name="login" value="An"></form>'
        )
        if not sent:
            return self.page("punlogin", form)
        assert (sent["csrf_token"], sent["form_sent"], sent["save_pass"]) == ("c1", "1", "1")
        if sent["req_password"] == "secret":
            self.user = sent["req_username"]
            return self.onward("index.php")
        return self.page("punlogin", f'<div id="posterror"><ul class="error-list"><li>Falsch.</li></ul></div>{form}')

    def profile(self, asked: dict[str, str]) -> Reply:
        if asked.get("id") != "2" or not self.user:
            return self.notice(NO, 403)
        options = "".join(
            f'<option value="{zone:g}"{" selected" if zone == self.zone else ""}>x</option>' for zone in (-8, 0, 1, 3.5, 5.75, 13)
        )
        dst = " checked" if self.dst else ""
        return self.page(
            "punprofile",
            f'<form id="profile1"><select name="form[timezone]">{options}</select><input type="checkbox" name="form[dst]" value="1"{dst}></form>',
        )

    # the topic, number 7

    def topic(self, asked: dict[str, str]) -> Reply:
        place = next((n for n, post in enumerate(self.posts) if str(post.id) == asked.get("pid")), None)
        if asked.get("id") != "7" and place is None:
            return self.notice("Falsche Adresse.", 404)
        pages = max(1, (len(self.posts) + self.size - 1) // self.size)
        number = int(asked.get("p", "1")) if place is None else place // self.size + 1
        number = number if number <= pages else 1
        links = " ".join(
            f"<strong>{n}</strong>" if n == number else f'<a href="viewtopic.php?id=7&amp;p={n}">{n}</a>' for n in range(1, pages + 1)
        )
        rows = "".join(self.post(post) for post in self.posts[(number - 1) * self.size : number * self.size])
        answer = "Zu." if self.locked else '<a href="post.php?tid=7">Antwort</a>'
        return self.page(
            "punviewtopic",
            f'<ol class="crumbs"><li><a href="viewtopic.php?id=7">The Lamp</a></li></ol><p class="pagelink conl">Seiten: {links}</p>'
            f'<p class="postlink conr">{answer}</p>{rows}',
        )

    def post(self, post: Item) -> str:
        note = f'<p class="postedit"><em>Geändert von {escape(post.by)} ({self.shown(post.edited)})</em></p>' if post.edited else ""
        body = re.sub(r"\[/?(?:b|h)\]", "", escape(post.text, quote=False)).replace("\n", "<br />")
        body = body.replace(":D", '<img src="https://forum.example/x/img/smilies/big_smile.png" alt="big_smile" />') if post.smilies else body
        return (
            f'<div id="p{post.id}" class="blockpost"><h2><span><span class="conr">#{self.posts.index(post) + 1}</span> '
            f'<a href="viewtopic.php?pid={post.id}#p{post.id}">{self.shown(post.at)}</a></span></h2><dl><dt><strong>'
            f'<a href="profile.php?id=3">{escape(post.by)}</a></strong></dt></dl><div class="postmsg"><p>{body}</p>{note}</div>'
            '<div class="postsignature postmsg"><hr />Anna, Boris, Host</div></div>'
        )

    def say(self, by: str, text: str) -> Item:
        """Somebody posts. Joiners are taken out, and signs beyond the first plane become question marks."""
        self.ids += 1
        text = re.sub("[\u200b-\u200f\u2060]", "", text)
        text = "".join("?" if ord(sign) > 0xFFFF else sign for sign in text)
        self.posts.append(Item(self.ids, by, text, self.clock.now()))
        return self.posts[-1]

    def reply(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if asked.get("tid") != "7":
            return self.notice("Falsche Adresse.", 404)
        if self.locked or not (self.user or self.guests_write):
            return self.notice(NO, 403)
        fields, action = {"req_message": sent.get("req_message", "")}, "post.php?action=post&amp;tid=7"
        if "submit" not in sent:
            return self.form("post", action, fields, [])
        now = self.clock.now()
        left = 0 if self.last_post is None else self.flood - int((now - self.last_post).total_seconds())
        errors = [self.flood_words.format(self.flood, left)] if left > 0 else []
        errors += [self.refuse] if self.refuse else []
        if errors:
            return self.form("post", action, fields, errors)
        post = self.say(self.user, sent["req_message"].replace("\r\n", "\n").strip())
        post.smilies, self.last_post = "hide_smilies" not in sent, now
        return self.onward(f"viewtopic.php?pid={post.id}#p{post.id}")

    def edit(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        post = next((one for one in self.posts if str(one.id) == asked.get("id")), None)
        if post is None:
            return self.notice("Falsche Adresse.", 404)
        if post.by != self.user or self.locked:
            return self.notice(NO, 403)
        if "submit" not in sent:
            fields = {"req_message": post.text} | ({"req_subject": "The Lamp"} if post is self.posts[0] else {})
            return self.form("edit", f"edit.php?id={post.id}&amp;action=edit", fields, [])
        if self.refuse:
            return self.form("edit", f"edit.php?id={post.id}&amp;action=edit", {"req_message": sent["req_message"]}, [self.refuse])
        post.text, post.edited, post.smilies = sent["req_message"].replace("\r\n", "\n"), self.clock.now(), "hide_smilies" not in sent
        return self.onward(f"viewtopic.php?pid={post.id}#p{post.id}")
