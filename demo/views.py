"""The practice forum's pages: what a request asks for, and the answer that phpBB would give."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha1
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.sax.saxutils import escape as xml_escape

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from demo.bbcode import render, shown_time
from demo.board import Board, BoardMessage, BoardPost, Topic, User, Visit

LOCKED = "This topic is locked: no more answers, no more changes."
INVALID = "The form was invalid: too old, too new, or of another visit. Fill it in again."
FLOOD = "Not so soon after your last one; wait a little."
LOGIN_FIRST = "Come in first to write here."
WRONG_NAME = "Nobody here has that name (incorrect username)."
WRONG_PASSWORD = "That is an incorrect password."
TOO_MANY = "Too many wrong passwords in a row: from now on a CAPTCHA is asked for as well."
HELD = "Thank you. Until a moderator has approved this post, others do not see it."
NO_POST = "That post does not exist."
NO_TOPIC = "That topic does not exist."
MESSAGES_A_PAGE = 25
FOLDERS = {"inbox": 0, "sentbox": -1, "outbox": -2}


@dataclass(slots=True)
class Response:
    """A status, headers and a body."""

    status: int
    body: str
    headers: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Asked:
    """A request: `query` and `form` hold one value a name; `visit` is the session it belongs to once that is known."""

    method: str
    path: str
    query: dict[str, str]
    form: dict[str, str]
    cookies: dict[str, str]
    agent: str
    match: str
    visit: Visit

    @classmethod
    def of(cls, method: str, path: str, headers: dict[str, str], form: dict[str, str]) -> Asked:
        """Take a request apart."""
        named = {name.lower(): value for name, value in headers.items()}
        jar = SimpleCookie(named.get("cookie", ""))
        cookies = {name: morsel.value for name, morsel in jar.items()}
        query = dict(parse_qsl(urlsplit(path).query, keep_blank_values=True))
        visit = Visit("", None, datetime.min)
        return cls(method, path, query, form, cookies, named.get("user-agent", ""), named.get("if-none-match", ""), visit)

    @property
    def script(self) -> str:
        """The page asked for, such as `viewtopic.php`."""
        return urlsplit(self.path).path.strip("/") or "index.php"

    def number(self, name: str, default: int = 0) -> int:
        """A whole number from the address; `default` where there is none."""
        value = self.query.get(name, "")
        return int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else default


class Pages:
    """Answers requests from what the board holds."""

    def __init__(self, board: Board, site: str, *, marks: bool) -> None:
        self.board, self.site, self.marks = board, site, marks
        self._jinja = Environment(
            loader=FileSystemLoader(Path(__file__).with_name("pages")), autoescape=True, undefined=StrictUndefined
        )
        self._jinja.globals.update(
            render=lambda text: Markup(render(text)), shown_time=shown_time, iso=lambda at: at.isoformat(timespec="seconds"),
            site=site, locked_words=LOCKED,
        )  # fmt: skip

    def enter(self, asked: Asked) -> None:
        """Find out whose request it is."""
        asked.visit = self.board.visit(asked.cookies.get("practice_sid", ""), asked.cookies.get("practice_k", ""))

    def answer(self, asked: Asked) -> Response:
        """The page asked for."""
        scripts = {"viewtopic.php": self._topic, "posting.php": self._posting, "ucp.php": self._panel, "index.php": self._index}
        handle = scripts.get(asked.script)
        return handle(asked) if handle else self._words(asked, "There is nothing at this address.", 404)

    def canned(self, kind: str, asked: Asked) -> Response | None:
        """The answer of a fault that does not look at what was asked; None for the others."""
        check = "<html><head><title>Just a moment...</title></head><body><script>check()</script></body></html>"
        plain: dict[str, tuple[int, str, list[tuple[str, str]]]] = {
            "error": (500, "Internal Server Error", []),
            "bad_gateway": (502, "Bad Gateway", []),
            "busy": (503, "Service Unavailable", [("Retry-After", "2")]),
            "too_many": (429, "Too Many Requests", [("Retry-After", "3")]),
            "challenge": (403, check, []),
            "challenge_503": (503, check, []),
            "empty": (200, "", []),
            "elsewhere": (302, "", [("Location", "http://elsewhere.invalid/viewtopic.php?t=3")]),
        }
        if kind in plain:
            status, body, headers = plain[kind]
            return Response(status, body, [("Content-Type", "text/html; charset=UTF-8"), *headers])
        if kind == "maintenance":
            return self._words(asked, "Closed for maintenance.", 503)
        if kind == "login_page":
            return self._login_form(asked, heading=LOGIN_FIRST)
        if kind == "other_topic":
            others = [topic for topic in self.board.topics.values() if str(topic.id) != asked.query.get("t")]
            return self._topic_page(asked, others[-1], others[-1].shown(), 0) if others else None
        return None

    # ------------------------------------------------------------------ common parts

    def _page(self, asked: Asked, template: str, *, status: int = 200, **given: Any) -> Response:
        body = self._jinja.get_template(template).render(user=asked.visit.user, sid=asked.visit.sid, **given)
        return Response(status, body, [("Content-Type", "text/html; charset=UTF-8"), *self._cookies(asked)])

    def _cookies(self, asked: Asked) -> list[tuple[str, str]]:
        user = asked.visit.user
        told = {"practice_u": str(user.id if user else 1), "practice_sid": asked.visit.sid}
        told.setdefault("practice_k", asked.cookies.get("practice_k", "") if user else "")
        return [
            ("Set-Cookie", f"{name}={value}; path=/; HttpOnly")
            for name, value in told.items()
            if asked.cookies.get(name) != value
        ]

    def _form_fields(self, asked: Asked, form: str) -> Markup:
        created = int(self.board.clock().timestamp())
        token = self.board.token(asked.visit, form, created)
        fields = {"creation_time": created, "form_token": token}
        return Markup("\n").join(
            Markup('<input type="hidden" name="{}" value="{}" />').format(name, value) for name, value in fields.items()
        )

    def _valid(self, asked: Asked, form: str) -> bool:
        return self.board.form_holds(asked.visit, form, asked.form.get("creation_time", ""), asked.form.get("form_token", ""))

    def _words(self, asked: Asked, words: str, status: int = 200, *, refresh: str = "", back: str = "") -> Response:
        return self._page(asked, "message.html", status=status, words=words, refresh=refresh, back=back or refresh)

    def _redirect(self, asked: Asked, to: str) -> Response:
        return Response(302, "", [("Location", f"{self.site}{to}"), *self._cookies(asked)])

    def _index(self, asked: Asked) -> Response:
        return self._page(asked, "index.html", topics=list(self.board.topics.values()))

    # ------------------------------------------------------------------ topics

    def _topic(self, asked: Asked) -> Response:
        if asked.number("p"):
            try:
                post = self.board.find_post(asked.number("p"))
            except KeyError:
                return self._words(asked, NO_POST, 404)
            topic, posts = self._sorted(asked, post.topic)
            start = posts.index(post) // self.board.per_page * self.board.per_page if post in posts else 0
            return self._topic_page(asked, topic, posts, start)
        if asked.number("t") not in self.board.topics:
            return self._words(asked, NO_TOPIC, 404)
        topic, posts = self._sorted(asked, asked.number("t"))
        start = asked.number("start")
        if start >= len(posts):
            start = (max(len(posts), 1) - 1) // self.board.per_page * self.board.per_page
        return self._topic_page(asked, topic, posts, start)

    def _sorted(self, asked: Asked, number: int) -> tuple[Topic, list[BoardPost]]:
        topic = self.board.topics[number]
        posts = topic.shown(asked.visit.user)
        return topic, posts[::-1] if self._falling(asked) else posts

    def _falling(self, asked: Asked) -> bool:
        user = asked.visit.user
        return asked.query.get("sd", "d" if user and user.newest_first else "a") == "d"

    def _topic_page(self, asked: Asked, topic: Topic, posts: list[BoardPost], start: int) -> Response:
        size = self.board.per_page
        if not posts:
            return self._words(asked, NO_TOPIC, 404)
        order = {name: asked.query[name] for name in ("st", "sk", "sd") if name in asked.query}
        ordered = order not in ({}, {"st": "0", "sk": "t", "sd": "a"})
        page = self._page(
            asked, "topic.html", topic=topic, posts=posts[start : start + size], start=start, page=start // size + 1,
            pages=(len(posts) - 1) // size + 1, per_page=size, total=len(posts), newest_first=self._falling(asked),
            sort=Markup("".join(f"&amp;{name}={'d' if value == 'd' else value[:1]}" for name, value in order.items()))
            if ordered else "",
        )  # fmt: skip
        if self.marks:
            mark = '"' + sha1(page.body.encode()).hexdigest() + '"'
            page.headers.append(("ETag", mark))
            if asked.match == mark:
                return Response(304, "", [("ETag", mark)])
        return page

    # ------------------------------------------------------------------ posting

    def _posting(self, asked: Asked) -> Response:
        user = asked.visit.user
        if user is None:
            return self._login_form(asked, heading=LOGIN_FIRST)
        mode = asked.query.get("mode")
        if mode == "reply" and asked.number("t") in self.board.topics:
            return self._reply(asked, user, self.board.topics[asked.number("t")])
        if mode == "edit":
            try:
                return self._edit(asked, user, self.board.find_post(asked.number("p")))
            except KeyError:
                return self._words(asked, NO_POST, 404)
        return self._words(asked, NO_TOPIC, 404)

    def _reply(self, asked: Asked, user: User, topic: Topic) -> Response:
        if topic.locked:
            return self._words(asked, LOCKED)
        newest = topic.shown()[-1].id
        form = asked.form
        meanwhile: list[BoardPost] = []
        error = ""
        if "post" in form:
            if not self._valid(asked, "posting"):
                error = INVALID
            elif self.board.too_soon(user.last_post):
                error = FLOOD
            elif not form.get("message", "").strip():
                error = "Nothing to post: too few characters."
            elif form.get("topic_cur_post_id", "") != str(newest):
                seen = int(form["topic_cur_post_id"]) if form.get("topic_cur_post_id", "").isdecimal() else 0
                meanwhile = [post for post in topic.shown() if post.id > seen]
            if not error and not meanwhile:
                return self._posted(asked, user, topic)
        return self._page(
            asked, "posting.html", heading="Answer", action=f"./posting.php?mode=reply&t={topic.id}", multipart=True,
            meanwhile=meanwhile, error=error, subject=form.get("subject", f"Re: {topic.title}"), text=form.get("message", ""),
            newest=newest, form_fields=self._form_fields(asked, "posting"),
        )  # fmt: skip

    def _posted(self, asked: Asked, user: User, topic: Topic) -> Response:
        now = self.board.clock()
        post = self.board.add_post(topic, user, asked.form.get("subject") or f"Re: {topic.title}", asked.form["message"], now)
        user.last_post = now
        if not post.approved:
            return self._words(asked, HELD, refresh=f"./viewtopic.php?t={topic.id}")
        return self._redirect(asked, f"viewtopic.php?p={post.id}#p{post.id}")

    def _edit(self, asked: Asked, user: User, post: BoardPost) -> Response:
        if post.author is not user:
            return self._words(asked, "You cannot edit what another wrote.")
        if self.board.topics[post.topic].locked:
            return self._words(asked, LOCKED)
        form, error = asked.form, ""
        if "post" in form:
            if self._valid(asked, "posting"):
                self.board.change_post(post, form.get("message", ""), self.board.clock(), form.get("subject"))
                return self._redirect(asked, f"viewtopic.php?p={post.id}#p{post.id}")
            error = INVALID
        return self._page(
            asked, "posting.html", heading="Change a post", action=f"./posting.php?mode=edit&p={post.id}", multipart=True,
            meanwhile=[], error=error, subject=form.get("subject", post.subject), text=form.get("message", post.text),
            newest="", form_fields=self._form_fields(asked, "posting"),
        )  # fmt: skip

    # ------------------------------------------------------------------ the control panel: login and private messages

    def _panel(self, asked: Asked) -> Response:
        if asked.query.get("mode") == "login":
            return self._login(asked) if asked.method == "POST" else self._login_form(asked)
        if asked.query.get("mode") == "logout" and asked.query.get("sid") == asked.visit.sid:
            asked.visit = self.board.open(None)
            return self._redirect(asked, "index.php")
        user = asked.visit.user
        if user is None:
            return self._login_form(asked, heading="Come in first to see your mailbox.")
        if asked.query.get("mode") == "compose":
            return self._compose(asked, user)
        if asked.query.get("mode") == "view" and asked.query.get("action") != "view_folder":
            return self._private(asked, user)
        numbers = {str(number): name for name, number in FOLDERS.items()}
        name = asked.query.get("folder") or numbers.get(asked.query.get("f", "0"), "inbox")
        return self._folder(asked, user, name if name in FOLDERS else "inbox")

    def _login_form(self, asked: Asked, *, heading: str = "Come in", error: str = "", captcha: bool = False) -> Response:
        return self._page(
            asked, "login.html", heading=heading, error=error, captcha=captcha, redirect="." + asked.path,
            form_fields=self._form_fields(asked, "login"),
        )  # fmt: skip

    def _login(self, asked: Asked) -> Response:
        if not self._valid(asked, "login"):
            return self._login_form(asked, error=INVALID)
        try:
            user = self.board.user(asked.form.get("username", ""))
        except KeyError:
            return self._login_form(asked, error=WRONG_NAME)
        if user.wrong >= 3:
            return self._login_form(asked, error=TOO_MANY, captcha=True)
        if asked.form.get("password") != user.password:
            user.wrong += 1
            return self._login_form(asked, error=WRONG_PASSWORD)
        user.wrong = 0
        asked.visit = self.board.open(user)
        response = self._redirect(asked, f"index.php?sid={asked.visit.sid}")
        if "autologin" in asked.form:
            key = sha1(asked.visit.sid.encode()).hexdigest()[:16]
            self.board.keys[key] = user
            response.headers.append(("Set-Cookie", f"practice_k={key}; path=/; HttpOnly"))
        return response

    def _folder(self, asked: Asked, user: User, name: str) -> Response:
        everything = self.board.folder(user, name)
        start = asked.number("start")
        shown = everything[start : start + MESSAGES_A_PAGE]
        if "submit_export" in asked.form and asked.form.get("export_option") == "XML":
            if not self._valid(asked, "ucp_pm_view"):
                return self._words(asked, INVALID)
            return self._export(shown, sent=name != "inbox")
        further = f"&start={start}" if start else ""
        return self._page(
            asked, "folder.html", name=name, number=FOLDERS[name], messages=shown, total=len(everything), start=start,
            here=f"i=pm&mode=view&action=view_folder&f={FOLDERS[name]}{further}",
            page=start // MESSAGES_A_PAGE + 1, pages=(max(len(everything), 1) - 1) // MESSAGES_A_PAGE + 1,
            per_page=MESSAGES_A_PAGE, form_fields=self._form_fields(asked, "ucp_pm_view"),
        )  # fmt: skip

    def _export(self, messages: list[BoardMessage], *, sent: bool) -> Response:
        rows = []
        for message in messages:
            to = "".join(f'\t\t<recipient type="to" status="u">{xml_escape(u.name)}</recipient>\n' for u in message.recipients)
            rows.append(
                f"\t<privmsg>\n\t\t<subject>{xml_escape(message.subject)}</subject>\n"
                f"\t\t<sender>{xml_escape(message.sender.name)}</sender>\n{to if sent else ''}"
                f"\t\t<date>{message.at.isoformat(timespec='seconds')}</date>\n"
                f"\t\t<message>{xml_escape(message.text)}</message>\n\t</privmsg>\n"
            )
        body = '<?xml version="1.0"?>\n<phpbb>\n' + "".join(rows) + "</phpbb>\n"
        return Response(200, body, [("Content-Type", "text/xml"), ("Content-Disposition", 'attachment; filename="pm.xml"')])

    def _private(self, asked: Asked, user: User) -> Response:
        message = self.board.messages.get(asked.number("p"))
        if message is None or user not in (message.sender, *message.recipients):
            return self._words(asked, "No such letter in your mailbox.")
        if user in message.recipients:
            message.read_by.add(user.id)
        return self._page(asked, "private.html", message=message)

    def _compose(self, asked: Asked, user: User) -> Response:
        form, error = asked.form, ""
        chosen = [int(n) for name in form if (n := name.removeprefix("address_list[u][").rstrip("]")).isdecimal()]
        people = [self.board.users[number] for number in chosen if number in self.board.users]
        if "add_to" in form:
            for name in filter(None, (line.strip() for line in form.get("username_list", "").split("\n"))):
                try:
                    people.append(self.board.user(name))
                except KeyError:
                    error = "Nobody here has that name."
        elif "post" in form:
            error = self._refused(asked, user, people)
            if not error:
                now = self.board.clock()
                self.board.add_message(user, tuple(people), form["subject"], form["message"], now)
                user.last_message = now
                return self._words(asked, "Sent with success.", refresh="./ucp.php?i=pm&folder=inbox")
        return self._page(
            asked, "posting.html", heading="A new letter",
            action=f"./ucp.php?i=pm&mode=compose&action=post&sid={asked.visit.sid}",
            multipart=False, meanwhile=[], error=error, to=people, subject=form.get("subject", ""), text=form.get("message", ""),
            newest="", form_fields=self._form_fields(asked, "ucp_pm_compose"),
        )  # fmt: skip

    def _refused(self, asked: Asked, user: User, people: list[User]) -> str:
        if not self._valid(asked, "ucp_pm_compose"):
            return INVALID
        if self.board.too_soon(user.last_message):
            return FLOOD
        if not people:
            return "To whom? No recipient is named."
        if not asked.form.get("subject") or not asked.form.get("message"):
            return "A letter needs a subject and a message."
        return ""
