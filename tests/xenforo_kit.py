"""A small XenForo 2 for tests: threads, forms, conversations and the REST API, in the shape of its templates and documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from html import escape
from typing import Any
from urllib.parse import parse_qsl, unquote

import requests

from tests.practice_kit import Clock

SITE = "https://forum.example/x/"
KEY = "xfk3y" * 6
Reply = tuple[int, dict[str, str], str]
SIGNATURE = '<aside class="message-signature"><div class="bbWrapper"><b>Vote: Me</b></div></aside>'


@dataclass
class Item:
    """A post, or a message of a conversation."""

    id: int
    by: str
    text: str
    at: datetime
    edited: datetime | None = None
    state: str = "visible"


@dataclass
class Talk:
    """A conversation."""

    id: int
    title: str
    people: tuple[str, ...]
    items: list[Item] = field(default_factory=list)


@dataclass
class Board:
    """How it behaves. `old` is 2.0, `friendly` whether addresses do without `index.php?`; `words` are its sentences."""

    clock: Clock = field(default_factory=Clock)
    title: str = "The Lighthouse"
    posts: list[Item] = field(default_factory=list)
    talks: list[Talk] = field(default_factory=list)
    users: tuple[str, ...] = ("Host", "Anna", "Bert")
    user: str = ""
    language: str = "en-US"
    old: bool = False
    friendly: bool = True
    box: str = "conversations"
    size: int = 20
    token: str = "1,aa"
    flood: int = 0
    locked: bool = False
    held: bool = False
    two_step: bool = False
    captcha: bool = False
    thread: int = 55
    late: bool = False
    guests_see: bool = True
    super_key: bool = False
    me: str = "Host"
    seen_by_staff: bool = False
    stale: int = 0
    asked: list[str] = field(default_factory=list)
    heads: list[Any] = field(default_factory=list)
    lose: Callable[[str], bool] = lambda _: False
    broken: str = ""
    ids: int = 500
    last: datetime | None = None

    # what tests do by hand

    def say(self, by: str, text: str) -> Item:
        """Somebody posts."""
        self.ids += 1
        self.posts.append(Item(self.ids, by, text, self.clock.now()))
        return self.posts[-1]

    def write(self, people: tuple[str, ...], title: str, text: str) -> Talk:
        """The first of `people` writes to the others."""
        self.talks.append(Talk(70 + len(self.talks), title, people))
        self.add(self.talks[-1], people[0], text)
        return self.talks[-1]

    def add(self, talk: Talk, by: str, text: str) -> None:
        """One more message in a conversation."""
        self.ids += 1
        talk.items.append(Item(self.ids, by, text, self.clock.now()))

    # answers

    def __call__(self, request: requests.PreparedRequest) -> Reply:
        whole = unquote((request.url or "").partition("#")[0].removeprefix(SITE))
        body = request.body.decode() if isinstance(request.body, bytes) else str(request.body or "")
        sent = dict(parse_qsl(body, keep_blank_values=True)) if request.method == "POST" else {}
        self.asked.append(f"{request.method} {whole}")
        self.heads.append(dict(request.headers))
        heads = {"Date": format_datetime(self.clock.now(), usegmt=True)}
        if self.broken:
            return 200, heads, self.broken
        if whole.startswith("api/"):
            status, told = self.api(str(request.method), whole.removeprefix("api/"), sent, request.headers)
            answer: Reply = status, {}, json.dumps(told)
        elif self.friendly and whole.startswith("index.php?"):
            answer = self.onward(whole.removeprefix("index.php?"), 301)
        else:
            answer = self.answer(whole.removeprefix("index.php?"), sent)
        if sent and self.lose(whole):
            raise requests.exceptions.ReadTimeout
        return answer[0], answer[1] | heads, answer[2]

    def answer(self, path: str, sent: dict[str, str]) -> Reply:
        if sent and sent.get("_xfToken") != self.token:
            return self.error("Security error: the token is stale.", 400)
        if path.startswith("login"):
            return self.login(path, sent)
        if found := re.fullmatch(r"threads/(?:[^/]*\.)?(\d+)/(?:page-(\d+))?", path):
            return self.topic(int(found[1]), int(found[2] or 1))
        if found := re.fullmatch(r"posts/(\d+)/", path):
            place = next((n for n, post in enumerate(self.posts) if post.id == int(found[1])), None)
            if place is None:
                return self.error("This post could not be found.", 404)
            return self.onward(f"threads/lighthouse.{self.thread}/page-{place // self.size + 1}#post-{found[1]}", 301)
        if not path:
            return self.page("forum_list", "Board")
        if not self.user:
            return self.form_page("login", "login/login", {"login": "", "password": ""}, "You must be logged-in to do that.", 403)
        if found := re.fullmatch(r"threads/(?:[^/]*\.)?(\d+)/(?:add-)?reply", path):
            return self.reply(sent) if found[1] == str(self.thread) else self.error("This thread could not be found.", 404)
        if found := re.fullmatch(r"posts/(\d+)/edit", path):
            return self.edit(int(found[1]), sent)
        if path.startswith(("conversations", "direct-messages")):
            return self.conversations(path, sent)
        return self.error("This page could not be found.", 404)

    # pages

    def link(self, path: str) -> str:
        return f"/x/{'' if self.friendly else 'index.php?'}{path}"

    def onward(self, path: str, status: int = 303) -> Reply:
        return status, {"Location": SITE + ("" if self.friendly else "index.php?") + path}, ""

    def page(self, template: str, body: str, *, status: int = 200, key: str = "", head: str = "") -> Reply:
        who = (
            f'<a href="{self.link("account/")}" class="p-navgroup-link p-navgroup-link--iconic p-navgroup-link--user">'
            f'<span class="avatar"></span><span class="p-navgroup-linkText">{escape(self.user)}</span></a>'
            f'<a href="{self.link(self.box + "/")}" class="p-navgroup-link p-navgroup-link--conversations">In</a>'
            if self.user else f'<a href="{self.link("login/")}" class="p-navgroup-link p-navgroup-link--logIn">Log in</a>'
        )  # fmt: skip
        return status, {}, (
            f'<!DOCTYPE html><html id="XF" lang="{self.language}" dir="LTR" data-app="public" data-template="{template}" '
            f'data-content-key="{key}" data-logged-in="{"true" if self.user else "false"}" data-cookie-prefix="xf_"><head>'
            f'<title>{escape(self.title)} | Board</title>{head}</head><body><div class="p-navgroup">{who}</div>'
            f'<div class="blockMessage blockMessage--important">A notice for all, 15 days old</div>{body}</body></html>'
        )

    def error(self, words: str, status: int) -> Reply:
        return self.page("error", f'<h1 class="p-title-value">Oops!</h1><div class="blockMessage">{escape(words)}</div>', status=status)

    def form_page(self, template: str, action: str, fields: dict[str, str], wrong: str = "", status: int = 200) -> Reply:
        box = f'<div class="blockMessage blockMessage--error blockMessage--iconic">{escape(wrong)}</div>' if wrong else ""
        inputs = "".join(f'<input type="{"password" if name == "password" else "text"}" name="{name}" value="{escape(value)}">' for name, value in fields.items())
        editor = '<textarea name="message_html"></textarea><noscript><textarea name="message"></textarea></noscript>' if "message" in fields else ""
        captcha = '<div data-xf-init="re-captcha"></div>' if self.captcha and template == "login" else ""
        return self.page(
            template,
            f'{box}<form action="/x/search/search"><input name="keywords"></form><form action="{self.link(action)}" method="post" class="block">'
            f'{inputs}{editor}{captcha}<input type="hidden" name="_xfToken" value="{self.token}"><button type="submit" class="button">Go</button></form>',
            status=status,
        )

    def time(self, at: datetime) -> str:
        stamp = int(at.timestamp())
        told = f'data-time="{stamp}"' if self.old else f'data-timestamp="{stamp}" data-time="{at:%I:%M %p}"'
        return f'<time class="u-dt" dir="auto" datetime="{at:%Y-%m-%dT%H:%M:%S}+0000" {told} title="Nov 12, 2026 at {at:%I:%M %p}">Today</time>'

    def nav(self, number: int, pages: int) -> str:
        if pages == 1:
            return ""
        items = "".join(
            f'<li class="pageNav-page{" pageNav-page--current" if n == number else ""}"><a href="#">{n}</a></li>'
            for n in sorted({1, number, pages})
        )
        return f'<nav class="pageNavWrapper"><div class="pageNav"><ul class="pageNav-main">{items}</ul></div><input class="js-pageJumpPage" max="{pages}" value="2"></nav>'

    def login(self, path: str, sent: dict[str, str]) -> Reply:
        if not sent:
            return self.form_page("login", "login/login", {"login": "", "password": ""})
        if sent["password"] != "secret" or self.captcha:
            return self.form_page("login", "login/login", {"login": "", "password": ""}, "Incorrect password.", 400)
        if self.two_step:
            return self.onward("login/two-step?_xfRedirect=x&remember=1") if "two-step" not in path else self.page("login_two_step", "x")
        self.user = sent["login"].capitalize()
        return self.onward("")

    # threads

    def topic(self, id_: int, number: int) -> Reply:
        if id_ != self.thread:
            return self.error("This thread could not be found.", 404)
        if not (self.user or self.guests_see):
            return self.form_page("login", "login/login", {"login": "", "password": ""}, "You must be logged-in to do that.", 403)
        shown = [post for post in self.posts if post.state == "visible" or self.seen_by_staff]
        pages = max(1, -(-len(shown) // self.size))
        if number > pages:
            return self.onward(f"threads/lighthouse.{id_}/page-{pages}")
        rows = "".join(self.post(post, shown.index(post) + 1) for post in shown[(number - 1) * self.size : number * self.size])
        shut = '<dl class="blockStatus"><dd class="blockStatus-message blockStatus-message--locked">Not open for further replies.</dd></dl>' if self.locked else ""
        form = f'<form action="{self.link(f"threads/lighthouse.{id_}/add-reply")}" method="post" class="block js-quickReply"></form>' if self.user and not self.locked else ""
        title = f'<h1 class="p-title-value"><span class="label label--red">Game</span><span class="label-append">&nbsp;</span>{escape(self.title)}</h1>'
        return self.page(
            "thread_view", f"{title}{self.nav(number, pages)}{shut}{rows}{form}", key=f"thread-{id_}",
            head=f'<link rel="canonical" href="https://forum.example{self.link(f"threads/lighthouse.{id_}/")}">',
        )  # fmt: skip

    def post(self, post: Item, number: int) -> str:
        notice = f'<div class="messageNotice messageNotice--{post.state}">x</div>' if post.state != "visible" else ""
        edit = f'<div class="message-lastEdit">Last edited: {self.time(post.edited)}</div>' if post.edited else ""
        link = self.link(f"threads/lighthouse.{self.thread}/post-{post.id}")
        head = f'<a href="{link}" class="u-concealed">{self.time(post.at)}</a>'
        if not self.old:
            head = f'<ul class="message-attribution-main listInline"><li class="u-concealed">{head}</li></ul>'
        return (
            f'<article class="message message--post js-post js-inlineModContainer" data-author="{escape(post.by)}" data-content="post-{post.id}" '
            f'id="js-post-{post.id}"><span class="u-anchorTarget" id="post-{post.id}"></span><div class="message-inner"><h4 class="message-name">'
            f'<a href="/x/members/{uid(post.by)}/" class="username" data-user-id="{uid(post.by)}"><span>{escape(post.by)}</span></a></h4>'
            f'<header class="message-attribution">{head}<ul class="message-attribution-opposite"><li><a href="{link}" rel="nofollow">#{number:,}</a></li></ul>'
            f'</header><div class="message-content js-messageContent">{notice}<article class="message-body js-selectToQuote"><div class="bbWrapper">{html_of(post.text)}</div>'
            f'<div class="js-selectToQuoteEnd">&nbsp;</div></article>{edit}{SIGNATURE}</div></div></article>'
        )

    def limit(self) -> Reply | None:
        left = self.flood - int((self.clock.now() - self.last).total_seconds()) if self.last else 0
        if left <= 0:
            return None
        words = {"en-US": f"You must wait at least {left} seconds before another.", "fi-FI": f"Odota vielä {left} sekuntia."}
        return self.error(words[self.language], 400)

    def wrong(self, sent: dict[str, str]) -> Reply | None:
        if self.stale:
            self.stale, self.token = self.stale - 1, self.token + "a"
            return self.error("Security error: the token is stale.", 400)
        if "message_html" in sent:
            return self.error("Please enter a valid message.", 400)
        return self.error("Too short: at least 5 characters.", 400) if len(sent["message"].strip()) < 5 else self.limit()

    def reply(self, sent: dict[str, str]) -> Reply:
        if self.locked:
            return self.error("You may not reply here.", 403)
        if not sent:
            return self.form_page("thread_reply", f"threads/lighthouse.{self.thread}/add-reply", {"message": "", "attachment_hash": "h"})
        if refused := self.wrong(sent):
            return refused
        self.last = self.clock.now()
        if self.held:
            return self.onward(f"threads/post-9-lives.{self.thread}/?pending_approval=1")
        return self.onward(f"threads/post-9-lives.{self.thread}/post-{self.say(self.user, sent['message']).id}")

    def edit(self, id_: int, sent: dict[str, str]) -> Reply:
        post = next((one for one in self.posts if one.id == id_), None)
        if post is None:
            return self.error("This post could not be found.", 404)
        if post.by != self.user or self.late:
            return self.error("Only for 10 minutes may one edit.", 403)
        if not sent:
            return self.form_page("post_edit", f"posts/{id_}/edit", {"message": post.text})
        if refused := self.wrong(sent):
            return refused
        post.text, post.edited = sent["message"], self.clock.now()
        return self.onward(f"threads/lighthouse.{self.thread}/post-{id_}")

    # conversations

    def conversations(self, path: str, sent: dict[str, str]) -> Reply:
        rest = path.partition("/")[2]
        if path.partition("/")[0] != self.box:
            return self.error("This page could not be found.", 404)
        if rest.startswith("add"):
            return self.new_talk(sent)
        if found := re.fullmatch(r"(?:[^/]*\.)?(\d+)/(?:page-(\d+))?", rest):
            talk = next((one for one in self.talks if one.id == int(found[1]) and self.user in one.people), None)
            return self.talk(talk, int(found[2] or 1)) if talk else self.error("This talk could not be found.", 404)
        number = int((re.fullmatch(r"page-(\d+)", rest) or ["", "1"])[1])
        mine = sorted((talk for talk in self.talks if self.user in talk.people), key=lambda talk: talk.items[-1].at, reverse=True)
        rows = "".join(self.row(talk) for talk in mine[(number - 1) * 5 : number * 5])
        return self.page("conversation_list", self.nav(number, max(1, -(-len(mine) // 5))) + (rows or '<div class="blockMessage">There are none.</div>'))

    def row(self, talk: Talk) -> str:
        unread = f"{self.link(self.box)}/{'post-1.' if self.old else 't.'}{talk.id}/unread"
        title = f'<a href="{unread}" class="structItem-title">{escape(talk.title)}</a>' if self.old else f'<div class="structItem-title"><a href="{unread}">{escape(talk.title)}</a></div>'
        people = "".join(f'<li><a href="/x/members/1/" class="username">{escape(name)}</a></li>' for name in talk.people)
        return (
            f'<div class="structItem structItem--conversation" data-author="{escape(talk.people[0])}"><div class="structItem-cell structItem-cell--main">'
            f'{title}<div class="structItem-minor"><ul class="listInline listInline--comma">{people}</ul></div></div><div class="structItem-cell structItem-cell--meta">'
            f'<dl class="pairs"><dt>Replies</dt><dd>{len(talk.items) - 1}</dd></dl></div><div class="structItem-cell structItem-cell--latest">'
            f'{self.time(talk.items[-1].at)}<div class="structItem-minor"><a class="username">{escape(talk.items[-1].by)}</a></div></div></div>'
        )

    def talk(self, talk: Talk, number: int) -> Reply:
        pages = max(1, -(-len(talk.items) // self.size))
        rows = "".join(
            f'<article class="message message--conversationMessage js-message" data-author="{escape(item.by)}"><span class="u-anchorTarget" id="convMessage-{item.id}"></span>'
            f'<header class="message-attribution"><a href="#">{self.time(item.at)}</a></header><article class="message-body js-selectToQuote"><div class="bbWrapper">{html_of(item.text)}</div>'
            f"</article>{SIGNATURE}</article>" for item in talk.items[(number - 1) * self.size : number * self.size]
        )  # fmt: skip
        return self.page("conversation_view", self.nav(number, pages) + rows)

    def new_talk(self, sent: dict[str, str]) -> Reply:
        if not sent:
            return self.form_page("conversation_add", f"{self.box}/add", {"recipients": "", "title": "", "message": ""})
        unknown = [name for name in sent["recipients"].split(",") if name.strip().casefold() not in map(str.casefold, self.users)]
        if unknown:
            return self.error(f"Nobody is called {', '.join(unknown)}.", 400)
        if refused := self.wrong(sent):
            return refused
        self.last = self.clock.now()
        name = next(one for one in self.users if one.casefold() == sent["recipients"].casefold())
        return self.onward(f"{self.box}/{self.write((self.user, name), sent['title'], sent['message']).id}/")

    # the REST API

    def api(self, method: str, path: str, sent: dict[str, str], heads: Any) -> tuple[int, Any]:
        if heads.get("XF-Api-Key") != KEY:
            return 401, oops("api_key_not_found", "No such API key.")
        me = (self.me if heads.get("XF-Api-User") == str(uid(self.me)) else "") if self.super_key else self.me
        path, _, query = path.partition("?")
        asked = dict(parse_qsl(query))
        if path == "me/":
            return 200, {"me": {"user_id": uid(me), "username": me}}
        if path == "users/find-name":
            name = next((one for one in self.users if one.casefold() == asked["username"].casefold()), None)
            return 200, {"exact": {"user_id": uid(name), "username": name} if name else None, "recommendations": [{"user_id": 9, "username": "Annabel"}]}
        if found := re.fullmatch(r"threads/(\d+)/", path):
            return self.api_thread(int(found[1]), int(asked["page"]))
        if path == "posts/":
            return self.api_reply(sent, me)
        if found := re.fullmatch(r"posts/(\d+)/", path):
            return self.api_post(int(found[1]), method, sent, me)
        if path == "conversations/" and method == "GET":
            mine = sorted((talk for talk in self.talks if me in talk.people), key=lambda talk: talk.items[-1].at, reverse=True)
            rows = [
                {"conversation_id": talk.id, "title": talk.title, "username": talk.people[0], "recipients": dict(enumerate(talk.people)),
                 "last_message_date": int(talk.items[-1].at.timestamp()), "last_message_id": talk.items[-1].id, "reply_count": len(talk.items) - 1}
                for talk in mine
            ]  # fmt: skip
            return 200, {"conversations": rows[int(asked["page"]) * 5 - 5 : int(asked["page"]) * 5], "pagination": {"current_page": int(asked["page"]), "last_page": max(1, -(-len(rows) // 5))}}
        if path == "conversations/":
            if len(sent["message"]) < 5:
                return 400, oops("message_too_short", "Too short: at least 5 characters.")
            to = next(name for name in self.users if str(uid(name)) == sent["recipient_ids[]"])
            self.write((me, to), sent["title"], sent["message"])
            return 200, {"success": True, "conversation": {"conversation_id": self.talks[-1].id}}
        if found := re.fullmatch(r"conversations/(\d+)/messages", path):
            talk, number = next(one for one in self.talks if one.id == int(found[1])), int(asked["page"])
            rows = [
                {"message_id": item.id, "username": item.by, "message_date": int(item.at.timestamp()), "message": item.text, "message_parsed": html_of(item.text)}
                for item in talk.items
            ]
            return 200, {"messages": rows[(number - 1) * 20 : number * 20], "pagination": {"current_page": number, "last_page": max(1, -(-len(rows) // 20))}}
        return 404, oops("endpoint_not_found", "No such endpoint.")

    def api_thread(self, id_: int, number: int) -> tuple[int, Any]:
        if id_ != self.thread:
            return 404, oops("requested_thread_not_found", "This thread could not be found.")
        pages = max(1, -(-len(self.posts) // self.size))
        if number > pages:
            return 400, oops("invalid_page", "There is no such page.")
        shown = self.posts[(number - 1) * self.size : number * self.size]
        rows = [self.api_item(post) for post in shown]
        thread = {"thread_id": id_, "title": self.title, "discussion_open": not self.locked, "can_reply": not self.locked}
        place = {"current_page": number, "last_page": pages, "per_page": self.size, "total": len(self.posts)}
        return 200, {"thread": thread, "posts": rows, "pagination": place}

    def api_item(self, post: Item) -> dict[str, Any]:
        return {
            "post_id": post.id, "thread_id": self.thread, "username": post.by, "user_id": uid(post.by), "position": self.posts.index(post) if post in self.posts else 0,
            "post_date": int(post.at.timestamp()), "last_edit_date": int(post.edited.timestamp()) if post.edited else 0, "message": post.text,
            "message_parsed": html_of(post.text), "message_state": post.state, "view_url": f"{SITE}posts/{post.id}/",
        }  # fmt: skip

    def api_reply(self, sent: dict[str, str], me: str) -> tuple[int, Any]:
        left = self.flood - int((self.clock.now() - self.last).total_seconds()) if self.last else 0
        if left > 0:
            return 400, oops("flooding", f"You must wait at least {left} seconds before another.")
        if sent["thread_id"] != str(self.thread) or self.locked:
            return 403, oops("no_permission", "This is not for you.")
        if len(sent["message"]) < 5:
            return 400, oops("message_too_short", "Too short: at least 5 characters.")
        self.last = self.clock.now()
        if self.held:
            return 200, {"success": True, "post": self.api_item(Item(999, me, sent["message"], self.clock.now(), state="moderated"))}
        return 200, {"success": True, "post": self.api_item(self.say(me, sent["message"]))}

    def api_post(self, id_: int, method: str, sent: dict[str, str], me: str) -> tuple[int, Any]:
        post = next((one for one in self.posts if one.id == id_), None)
        if post is None:
            return 404, oops("requested_post_not_found", "This post could not be found.")
        if method == "POST":
            if post.by != me:
                return 403, oops("no_permission", "This is not for you.")
            post.text, post.edited = sent["message"], self.clock.now()
        return 200, {"success": True, "post": self.api_item(post)}


def html_of(text: str) -> str:
    """A text as XenForo shows it: bold, colours and line ends carried out."""
    out = escape(text, quote=False).replace("\n", "<br />\n").replace("[b]", "<b>").replace("[/b]", "</b>")
    out = re.sub(r"\[quote=(\w+)\](.*?)\[/quote\]", r'<blockquote data-quote="\1" class="bbCodeBlock bbCodeBlock--quote"><div class="bbCodeBlock-title">\1 said:</div><div class="bbCodeBlock-content">\2</div></blockquote>', out, flags=re.DOTALL)
    return re.sub(r"\[color=(\w+)\](.*?)\[/color\]", r'<span style="color: \1">\2</span>', out, flags=re.DOTALL)


def uid(name: str) -> int:
    """The number of an account."""
    return ord(name[0]) if name else 0


def oops(code: str, words: str) -> dict[str, Any]:
    """An error of the API."""
    return {"errors": [{"code": code, "message": words, "params": []}]}
