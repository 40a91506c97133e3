"""A small SMF for tests: one topic, forms, a feed and folders of messages that behave as SMF 2.1 does, in no known language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from urllib.parse import parse_qsl, unquote

import requests

from tests.practice_kit import Clock

SITE = "https://forum.example/f/"
INDEX = SITE + "index.php"
TOPIC = "7"
Reply = tuple[int, dict[str, str], str]

_TAGS = (
    (r"\[b\](.*?)\[/b\]", r"<b>\1</b>"),
    (r"\[color=(\w+)\](.*?)\[/color\]", r'<span style="color: \1;" class="bbc_color">\2</span>'),
    (r":\)", '<img src="smile.png" alt="&#58;&#41;" class="smiley">'),
    (r"\[url\](\S*?)\[/url\]", r'<a href="\1" class="bbc_link">\1</a>'),
    (r"\n", "<br>"),
)


@dataclass
class Item:
    """A post, or a message: `to` is then who got it."""

    id: int
    by: str
    text: str
    at: datetime
    subject: str = ""
    to: str = ""
    shown: bool = True  # to others than its author: approved


@dataclass
class Board:
    """How it behaves. `people` are shown names with sign-in names; the position is the member number. `zone` is how many hours
    the account's clock is ahead of UTC. `gone_to` are addresses of forms sent, `asked` all that was asked."""

    clock: Clock = field(default_factory=Clock)
    people: dict[str, str] = field(default_factory=lambda: {"The Host": "host", "Anna": "anna", "O'Brien & Sons": "obrien"})
    posts: list[Item] = field(default_factory=list)
    mail: list[Item] = field(default_factory=list)
    user: str = ""
    size: int = 15
    falling: bool = False
    zone: float = 0
    has_clock: bool = True
    greets: bool = False  # in its head, with a clock, as 2.0 does
    token: tuple[str, str] = ("c9d1e77", "0f" * 16)
    locked: bool = False
    held: bool = False
    captcha: bool = False
    flood: int = 5
    an_hour: int = 20
    deaf: tuple[str, ...] = ()
    feed: bool = True
    suggests: bool = True
    view: int = 0  # of messages: all, one at a time, or one with all that was said to and fro
    wait_login: int = 0
    second_proof: bool = False
    named_errors: bool = True  # since 2.1
    asked: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    last: dict[str, datetime] = field(default_factory=dict)
    charset: str = "UTF-8"
    forms: int = 0
    first_id: int = 100
    before: Callable[[str], object] = lambda _: None  # what happens just before a form arrives
    lose: Callable[[str], object] = lambda _: False  # whether the answer to a form gets lost

    def __call__(self, request: requests.PreparedRequest) -> Reply:
        url = (request.url or "").partition("#")[0]
        asked = dict(pair.partition("=")[::2] for pair in re.split("[;&]", url.partition("?")[2]))
        asked = {name: unquote(value) for name, value in asked.items()}
        action = asked.get("action", "")
        self.asked.append(f"{request.method} {action or 'topic'}{' ' + asked['sa'] if 'sa' in asked else ''}")
        if request.method == "GET":
            return self.get(action, asked)
        self.before(action)
        answer = self.take(action, asked, _sent(request))
        if self.lose(action):
            raise requests.exceptions.ReadTimeout
        return answer

    # -- what it holds ------------------------------------------------------------------------------------------------

    def say(self, by: str, text: str) -> Item:
        """Somebody posts."""
        item = Item(max([self.first_id, *(post.id for post in self.posts)]) + 1, by, text, self.clock.now(), "Re: The Lamp")
        self.posts.append(item)
        return item

    def write(self, by: str, to: str, subject: str, text: str, at: datetime | None = None) -> Item:
        """Somebody sends a message."""
        item = Item(len(self.mail) + 1, by, text, at or self.clock.now(), subject, to)
        self.mail.append(item)
        return item

    def number(self, name: str) -> int:
        return list(self.people).index(name) + 2 if name in self.people else 0

    # -- pages --------------------------------------------------------------------------------------------------------

    def get(self, action: str, asked: dict[str, str]) -> Reply:
        if action == "login":
            return 200, {}, self.page(self.login_form())
        if action == ".xml":
            return 200, {}, self.feed_page(asked)
        if action == "suggest":
            return self.suggest(asked)
        if action in ("pm", "post") and not self.user:
            return 200, {}, self.page(self.login_form())
        if action == "post":
            return self.post_form(asked)
        if action == "pm":
            return self.pm_page(asked)
        if "topic" in asked or "msg" in asked:
            return self.topic(asked.get("topic", f"{TOPIC}.msg{asked.get('msg')}"))
        return 200, {}, self.page("")

    def login_form(self, said: str = "") -> str:
        old = "" if self.named_errors else f'<p class="error">{said}</p><input type="checkbox" name="cookieneverexp">'
        return (
            f'<form id="frmLogin" action="{INDEX}?PHPSESSID=99aa&amp;action=login2" method="post">{old}<input name="user"><input '
            f'type="password" name="passwrd"><select name="cookielength"><option value="60">1</option></select><input type="hidden" '
            f'name="b2a91f3" value="6f55"><input type="hidden" name="{self.token[0]}" value="{self.token[1]}"></form>'
        )

    def post_form(self, asked: dict[str, str]) -> Reply:
        number = asked["topic"].partition(".")[0]
        post = next((post for post in self.posts if str(post.id) == asked.get("msg")), None)
        if number != TOPIC or ("msg" in asked and post is None):
            return self.error("topic_gone", "Xyz qrs")
        if self.locked:
            return self.error("topic_locked", "Xyz tuv")
        if post is not None and post.by != self.user:
            return self.error("cannot_modify_any", "Xyz vwx")
        text, subject = (post.text, post.subject) if post else ("", "Re: The Lamp")
        return 200, {}, self.page(self.form("post2" + (f";msg={post.id}" if post else ""), text, subject))

    def form(self, action: str, text: str = "", subject: str = "", said: str = "", more: str = "", before: str = "") -> str:
        self.forms += 1
        last = max([0, *(post.id for post in self.posts)])
        held = '<div class="noticebox">Fgh<input type="hidden" name="not_approved" value="1"></div>' if self.held else ""
        captcha = '<div class="post_verification"><input name="pm_vv[code]"></div>' if self.captcha else ""
        return (
            f'{before}<form action="{INDEX}?action={action}" method="post" name="postmodify" id="postmodify" '
            f'accept-charset="{self.charset}" enctype="multipart/form-data"><div id="errors"><dl><dd class="error" id="error_list">{said}</dd></dl></div>{held}{more}'
            f'<input type="text" name="subject" value="{escape(subject)}"><textarea name="message">\n{escape(text)}</textarea>{captcha}'
            f'<input type="hidden" name="message_mode" value="1"><input type="checkbox" name="goback" value="1"><input type="submit" '
            f'name="post" value="Pbfg"><input type="submit" name="preview" value="Cerivrj"><input type="hidden" name="last_msg" '
            f'value="{last}"><input type="hidden" name="{self.token[0]}" value="{self.token[1]}"><input type="hidden" name="seqnum" '
            f'value="{self.forms}"></form>'
        )

    def topic(self, asked: str) -> Reply:
        number, _, place = asked.partition(".")
        rows = [post for post in self.posts if post.shown or post.by == self.user]
        rows = rows[::-1] if self.falling else rows
        if number != TOPIC or (place.startswith("msg") and place[3:] not in {str(post.id) for post in rows}):
            return self.error("topic_gone", "Xyz qrs")
        at = [str(post.id) for post in rows].index(place[3:]) if place.startswith("msg") else min(int(place or 0), len(rows))
        start = at // self.size * self.size  # past posts that fill their pages this is a page without any
        links = "".join(
            f'<span class="current_page">{n + 1}</span>' if n == start // self.size
            else f'<a class="nav_page" href="{INDEX}?topic={TOPIC}.{n * self.size}">{n + 1}</a>'
            for n in range((len(rows) - 1) // self.size + 1)
        )  # fmt: skip
        shown = "".join(
            self.post(post, len(rows) - n if self.falling else n)
            for n, post in enumerate(rows[start : start + self.size], start)
        )
        tools = "" if self.locked or not self.user else f'<a href="{INDEX}?action=post;topic={TOPIC}.0;last_msg=1">Ercyl</a>'
        return 200, {}, self.page(
            f'{tools}<div class="pagelinks">{links}</div><div id="forumposts"><form id="quickModForm">{shown}</form></div>'
        )

    def post(self, post: Item, number: int) -> str:
        when = (post.at + timedelta(hours=self.zone)).strftime("%d.%m.%Y, %H:%M:%S")
        return (
            f'<div class="windowbg" id="msg{post.id}"><div class="post_wrapper"><div class="poster"><h4>{self.link(post.by)}</h4></div>'
            f'<div class="postarea"><div class="keyinfo"><span class="page_number">#{number}</span><div class="postinfo">'
            f'<a href="{INDEX}?msg={post.id}" class="smalltext">{when}</a></div></div><div class="post"><div class="inner" '
            f'id="msg_{post.id}">{_html(post.text)}</div></div></div></div></div>'
        )

    def link(self, name: str) -> str:
        return f'<a href="{INDEX}?action=profile;u={self.number(name)}">{escape(name)}</a>'

    def error(self, code: str, words: str) -> Reply:
        named = f'id="{code}" ' if self.named_errors else ""
        box = f'<div id="fatal_error"><h3>Reebe</h3><div class="windowbg"><div {named}class="padding">{words}</div></div></div>'
        return 403, {}, self.page(box)

    def page(self, body: str) -> str:
        now = self.clock.now()
        clock = (
            f'<time datetime="{now:%Y-%m-%dT%H:%M:%SZ}">{now + timedelta(hours=self.zone):%d.%m.%Y, %H:%M:%S}</time>'
            if self.has_clock else ""
        )  # fmt: skip
        if self.greets and self.user:
            unread = f'<li><a href="{INDEX}?action=unread">12 Arhr</a></li>'
            shown = f"{now + timedelta(hours=self.zone):%d.%m.%Y, %H:%M:%S}"
            clock = f'<ul><li class="greeting">Unyyb <span>{escape(self.user)}</span></li>{unread}<li>{shown}</li>\n</ul>'
        known = (
            f'<a id="profile_menu_top" href="{INDEX}?action=profile"><span class="textmenu">{escape(self.user)}</span></a>'
            f'<a href="{INDEX}?action=logout;aa=bb">Ybt bhg</a>' if self.user else ""
        )  # fmt: skip
        number = f"var smf_member_id = {self.number(self.user)};" if self.named_errors else ""  # not in 2.0
        return (
            f'<html lang="de-DE"><head><title>T</title><link rel="canonical" href="{INDEX}?topic={TOPIC}.0"><script>'
            f'var smf_scripturl = "{INDEX}"; {number}</script></head><body>{clock}{known}{body}'
            "</body></html>"
        )

    # -- forms --------------------------------------------------------------------------------------------------------

    def take(self, action: str, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if action == "login2":
            return self.login(sent)
        if not self.user:
            return 200, {}, self.page(self.login_form())
        if action == "post2":
            return self.take_post(asked, sent)
        return self.take_mail(sent)

    def login(self, sent: dict[str, str]) -> Reply:
        if self.wait_login:
            self.wait_login -= 1
            return self.error("login_WaitTime_broken", "Hij 2 klm")
        name = next((shown for shown, name in self.people.items() if name == sent.get("user", "").lower()), None)
        fair = sent.get("b2a91f3") == "6f55" and sent.get(self.token[0]) == self.token[1]
        stays = sent.get("cookielength") == "3153600" and (self.named_errors or sent.get("cookieneverexp") == "on")
        if name and sent.get("passwrd") == "secret" and fair and stays:
            if self.second_proof:
                return 302, {"Location": f"{INDEX}?action=logintfa"}, ""
            self.user = name
            return 302, {"Location": INDEX}, ""
        error = '<div class="errorbox">Abc def</div>' if self.named_errors else ""
        return 200, {}, self.page(error + self.login_form("Abc def"))

    def take_post(self, asked: dict[str, str], sent: dict[str, str]) -> Reply:
        if sent["seqnum"] in self.used:
            return self.error("error_form_already_submitted", "Xyz yza")
        self.used.add(sent["seqnum"])
        action = "post2" + (f";msg={asked['msg']}" if "msg" in asked else "")
        text, subject = sent["message"], sent["subject"]
        assert (sent["message_mode"], sent["ns"]) == ("0", "NS")
        assert "preview" not in sent
        if self.locked:
            return self.error("topic_locked", "Xyz tuv")
        if sent.get(self.token[0]) != self.token[1]:
            return 200, {}, self.page(self.form(action, text, subject, "Opq"))
        if int(sent["last_msg"]) < max(post.id for post in self.posts) and "msg" not in asked:
            return 200, {}, self.page(self.form(action, text, subject, "Rst"))
        if not text.strip():
            return 200, {}, self.page(self.form(action, text, subject, "Uvw"))
        if "msg" in asked:
            post = next(post for post in self.posts if str(post.id) == asked["msg"])
            post.text, post.subject = text, subject
            return 302, {"Location": f"{INDEX}?topic={TOPIC}.msg{post.id}#msg{post.id}"}, ""
        if early := self.early("post"):
            return early
        item = self.say(self.user, text)
        item.subject, item.shown = subject, not self.held
        return 302, {"Location": f"{INDEX}?topic={TOPIC}.new#new"}, ""

    def early(self, what: str) -> Reply | None:
        before, self.last[what] = self.last.get(what), self.clock.now()
        if before and self.clock.now() - before < timedelta(seconds=self.flood):
            return self.error(f"{what}_WaitTime_broken", f"Lmn {self.flood} opq")
        return None

    def take_mail(self, sent: dict[str, str]) -> Reply:
        if sum(item.by == self.user and item.at > self.clock.now() - timedelta(hours=1) for item in self.mail) >= self.an_hour:
            return self.error("pm_too_many_per_hour", f"Rst {self.an_hour} uvw")
        if sent.get(self.token[0]) != self.token[1]:
            return 200, {}, self.page(self.form("pm;sa=send2", sent["message"], sent["subject"], "Opq"))
        to = next((name for name in self.people if str(self.number(name)) == sent.get("recipient_to[]")), None)
        plain = (name for name in self.people if re.fullmatch(r"[\w ]+", name))  # it does not find others by their names
        to = to or next((name for name in plain if name == sent.get("to", "").strip('"')), None)
        if to is None:
            wrong = '<dt><span class="error" id="caption_to">Na</span></dt>'
            return 200, {}, self.page(self.form("pm;sa=send2", sent["message"], sent["subject"], "Xyz", wrong))
        if to in self.deaf:
            log = '<div class="windowbg"><span class="error">Oybpxrq</span><br></div>'
            return 200, {}, self.page(self.form("pm;sa=send2", sent["message"], sent["subject"], before=log))
        if early := self.early("pm"):
            return early
        assert sent["outbox"] == "1"
        self.write(self.user, to, sent["subject"], sent["message"])
        return 302, {"Location": f"{INDEX}?action=pm;f=inbox;l=-1;done=sent"}, ""

    # -- messages -----------------------------------------------------------------------------------------------------

    def suggest(self, asked: dict[str, str]) -> Reply:
        if not self.suggests or asked.get(self.token[0]) != self.token[1]:
            return 403, {}, ""
        wanted = re.compile(".*".join(map(re.escape, asked["search"].split("*"))), re.IGNORECASE)
        items = "".join(
            f'<item id="{self.number(name)}"><![CDATA[{escape(name).replace("&amp;", "&#038;")}]]></item>'
            for name in self.people if wanted.match(escape(name))
        )  # fmt: skip
        return 200, {}, f'<?xml version="1.0" encoding="UTF-8"?><smf><items>{items}</items></smf>'

    def lying(self, folder: str) -> list[Item]:
        """The messages of a folder or (empty) of both, newest first."""
        places = {item.id: {"inbox" if item.to == self.user else "", "sent" if item.by == self.user else ""} for item in self.mail}
        return [item for item in self.mail[::-1] if (folder in places[item.id] if folder else places[item.id] != {""})]

    def recent(self, limit: int) -> str:
        """The newest posts of all boards as Atom, under a forum's name that is no XML."""
        entries = "".join(
            f'<entry><title>It</title><link rel="alternate" type="text/html" href="{INDEX}?topic={TOPIC}.msg{post.id}#msg{post.id}" />'
            f'<summary type="html"><![CDATA[<entry><link href="{INDEX}?topic=1.msg{post.id + 1}"/><published>1999-01-01T00:00:00Z</published>'
            f"</entry>]]></summary><published>{post.at:%Y-%m-%dT%H:%M:%SZ}</published><updated>2031-01-01T00:00:00Z</updated></entry>"
            for post in self.posts[::-1][:limit]
        )
        return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Q & A</title>{entries if self.feed else ""}</feed>'

    def feed_page(self, asked: dict[str, str]) -> str:
        if asked.get("type") == "atom":
            return self.recent(int(asked["limit"]))
        ours = self.user and asked.get("u") == str(self.number(self.user)) and asked.get("sa") == "personal_messages"
        entries = "".join(
            f'<personal_message label="Cz"><id>{item.id}</id><sent_date UTC="{item.at:%Y-%m-%d %H:%M:%S}">Znag</sent_date>'
            f"<subject><![CDATA[{escape(item.subject)}]]></subject><body><![CDATA[{_stored(item.text)}]]></body><sender><name>"
            f"<![CDATA[{escape(item.by)}]]></name><id>{self.number(item.by)}</id></sender><recipient><name><![CDATA[{escape(item.to)}]]>"
            f"</name><id>{self.number(item.to)}</id></recipient></personal_message>"
            for item in self.lying("")[: int(asked.get("limit", 5))] if ours
        )  # fmt: skip
        kind = "personal_messages" if self.feed else "recent"
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<smf:xml-feed xml:lang="de" xmlns:smf="http://www.simplemachines.org/xml/{kind}" '
            f'title="<![CDATA[Q & A]]>">{entries if self.feed else ""}</smf:xml-feed>'
        )

    def pm_page(self, asked: dict[str, str]) -> Reply:
        if asked.get("sa") == "send":
            return 200, {}, self.page(self.form("pm;sa=send2", more='<input name="to"><input name="bcc">'))
        folder, start = asked.get("f", "inbox"), int(asked.get("start", 0))
        rows = self.lying(folder)[start : start + self.size]
        if "pmsg" in asked:
            rows = [item for item in self.lying("") if str(item.id) == asked["pmsg"]]
        whole = rows if self.view == 0 or "pmsg" in asked else rows[:1]
        if self.view == 2 and whole:
            people = {whole[0].by, whole[0].to}
            whole = [item for item in self.mail if {item.by, item.to} == people]
        listed = "".join(f'<a href="{INDEX}?action=pm;f={folder};pmsg={item.id}">{escape(item.subject)}</a>' for item in rows)
        links = "".join(
            f'<a class="nav_page" href="{INDEX}?action=pm;f={folder};sort=date;desc;start={at}">{at}</a>'
            for at in range(0, len(self.lying(folder)), self.size) if at != start
        )  # fmt: skip
        return 200, {}, self.page(f'<div class="pagelinks">{links}</div>{listed if self.view else ""}{"".join(map(self.letter, whole))}')

    def letter(self, item: Item) -> str:
        when = f"{item.at + timedelta(hours=self.zone):%d.%m.%Y, %H:%M:%S}"
        if item.at.date() == self.clock.now().date():
            when = f"<strong>Heute</strong> um {item.at + timedelta(hours=self.zone):%H:%M:%S}"
        return (
            f'<div class="windowbg" id="msg{item.id}"><div class="post_wrapper"><div class="poster"><h4>{self.link(item.by)}</h4></div>'
            f'<div class="postarea"><div class="keyinfo"><div id="subject_{item.id}"><h5>{escape(item.subject)}</h5></div><div '
            f'class="postinfo"><span class="smalltext"><strong> Na:</strong> {self.link(item.to)} <strong> nz:</strong> {when}</span>'
            f'</div></div><div class="post"><div class="inner" id="msg_{item.id}">{_html(item.text)}</div></div></div></div></div>'
        )


def _html(text: str) -> str:
    shown = escape(text, quote=False)
    for tag, put in _TAGS:
        shown = re.sub(tag, put, shown, flags=re.DOTALL)
    return shown


def _stored(text: str) -> str:
    return re.sub(r"@(Anna)", r"[member=3]\1[/member]", escape(text)).replace("\n", "<br>").replace("  ", "&nbsp; ")


def _sent(request: requests.PreparedRequest) -> dict[str, str]:
    body = request.body.decode() if isinstance(request.body, bytes) else str(request.body or "")
    if "multipart" in request.headers.get("Content-Type", ""):
        return dict(re.findall(r'name="([^"]+)"\r\n\r\n(.*?)\r\n--', body, re.DOTALL))
    return dict(parse_qsl(body, keep_blank_values=True))
