"""A small forum on this machine that speaks HTTP as phpBB 3.3 does, as far as a reader and poster can see.

For tests, rehearsals and `nightpost demo`. It keeps everything in memory, takes its time from whoever starts it, and goes
wrong on demand. `python -m demo.practice --port 8080 --user Host:secret --topic "A game"` runs it as a process of its own.
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

from demo.board import Board, BoardMessage, BoardPost, now_utc
from demo.views import Asked, Pages, Response

FAULTS = {
    "error": "answers 500",
    "busy": "answers 503 with Retry-After",
    "too_many": "answers 429 with Retry-After",
    "maintenance": "answers 503 with the board's own notice",
    "challenge": "answers 403 with a browser check",
    "challenge_503": "answers 503 with a browser check",
    "login_page": "answers a login form in place of the page",
    "other_topic": "answers with a page of another topic",
    "half_page": "answers with the first half of the page, as if it were whole",
    "broken_page": "breaks the connection in the middle of the page",
    "empty": "answers 200 with nothing",
    "no_answer": "does nothing and says nothing until the asker has given up",
    "hang_up": "does nothing and breaks the connection",
    "lost_answer": "does as asked and then breaks the connection without an answer",
    "error_after": "does as asked and then answers 502",
    "form_again": "takes nothing and gives the form back without a word",
    "late_answer": "does as asked and then says nothing until the asker has given up",
    "expired": "forgets all sessions first",
    "elsewhere": "redirects to another host",
}
PATIENCE = 5.0  # seconds that a silent answer is kept silent at most


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came in: `user` is who was signed in, None for guests."""

    method: str
    path: str
    user: str | None
    agent: str


@dataclass(slots=True)
class _Fault:
    kind: str
    times: int
    path: str
    method: str
    spare: int


class PracticeForum:
    """The forum and the server before it. Names stand for users, numbers for topics and posts.

    clock: the forum's time, aware. flood_seconds: the least time between two posts, and between two messages, of one user.
    per_page: posts a page. marks: whether topic pages carry an ETag (phpBB's do not).
    """

    def __init__(
        self,
        *,
        clock: Callable[[], datetime] = now_utc,
        flood_seconds: float = 15.0,
        per_page: int = 10,
        marks: bool = False,
        port: int = 0,
    ) -> None:
        self.board = Board(clock, flood_seconds=flood_seconds, per_page=per_page)
        self.requests: list[Request] = []
        self._faults: list[_Fault] = []
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._pages = Pages(self.board, self.url, marks=marks)

    @property
    def url(self) -> str:
        """Where the forum lies: `http://127.0.0.1:PORT/`."""
        return f"http://127.0.0.1:{self._server.server_port}/"

    def start(self) -> PracticeForum:
        """Serve from a thread of its own."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving; what the forum holds stays."""
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> PracticeForum:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # ------------------------------------------------------------------ what people do

    def add_user(self, name: str, password: str = "secret", *, signature: str = "") -> int:
        """Register somebody; the id of the new account."""
        with self._lock:
            return self.board.add_user(name, password, signature).id

    def add_topic(self, title: str, by: str, text: str, at: datetime | None = None) -> int:
        """Begin a topic; its id."""
        with self._lock:
            topic = self.board.add_topic(title)
            self.board.add_post(topic, self.board.user(by), title, text, at or self.board.clock())
            return topic.id

    def post(self, topic: int, by: str, text: str, at: datetime | None = None) -> int:
        """A reply by somebody else than the one under test: no flood limit; the new post's id."""
        with self._lock:
            room = self.board.topics[topic]
            return self.board.add_post(room, self.board.user(by), f"Re: {room.title}", text, at or self.board.clock()).id

    def edit(self, post: int, text: str, at: datetime | None = None) -> None:
        """Edit a post as its author would."""
        with self._lock:
            self.board.change_post(self.board.find_post(post), text, at or self.board.clock())

    def delete(self, post: int) -> None:
        """Delete a post without trace, as a moderator would."""
        with self._lock:
            self.board.topics[self.board.find_post(post).topic].posts.remove(self.board.find_post(post))

    def move(self, posts: list[int], topic: int) -> None:
        """Move posts to another topic, as a moderator does when he splits or merges."""
        with self._lock:
            for number in posts:
                post = self.board.find_post(number)
                self.board.topics[post.topic].posts.remove(post)
                post.topic = topic
                self.board.topics[topic].posts.append(post)

    def send_pm(self, sender: str, to: str | list[str], subject: str, text: str, at: datetime | None = None) -> int:
        """A private message; its id."""
        with self._lock:
            names = [to] if isinstance(to, str) else to
            people = tuple(self.board.user(name) for name in names)
            return self.board.add_message(self.board.user(sender), people, subject, text, at or self.board.clock()).id

    # ------------------------------------------------------------------ what the one under test may look at

    def posts(self, topic: int) -> list[BoardPost]:
        """The posts of a topic that players see, oldest first."""
        with self._lock:
            return list(self.board.topics[topic].shown())

    def messages(self, to: str) -> list[BoardMessage]:
        """What is in somebody's inbox, newest first."""
        with self._lock:
            return self.board.folder(self.board.user(to), "inbox")

    def asked(self, path: str, method: str = "") -> int:
        """How many requests had `path` in their address."""
        return sum(path in request.path and method in ("", request.method) for request in list(self.requests))

    # ------------------------------------------------------------------ what moderators and bad luck do

    def lock(self, topic: int, locked: bool = True) -> None:
        """Close a topic to replies, or open it again."""
        with self._lock:
            self.board.topics[topic].locked = locked

    def moderate(self, name: str, moderated: bool = True, *, shown: bool = True) -> None:
        """Hold this user's posts back until they are approved; `shown` to their author, as phpBB does by default since 3.3."""
        with self._lock:
            user = self.board.user(name)
            user.moderated, user.shows_held = moderated, shown

    def approve(self, topic: int) -> None:
        """Let all held posts of a topic be seen."""
        with self._lock:
            for post in self.board.topics[topic].posts:
                post.approved = True

    def newest_first(self, name: str) -> None:
        """Let this reader's topics show the newest posts on top, as a preference can."""
        with self._lock:
            self.board.user(name).newest_first = True

    def clear(self) -> None:
        """Forget everything, as if newly begun."""
        with self._lock:
            self.board.clear()
            self.requests.clear()
            self._faults.clear()

    def memory(self) -> dict[str, Any]:
        """All that the forum holds now."""
        with self._lock:
            return self.board.memory()

    def recall(self, memory: dict[str, Any]) -> None:
        """Hold again what it held when `memory` gave this, and go wrong no more."""
        with self._lock:
            self.board.recall(memory)
            self._faults.clear()

    def expire(self) -> None:
        """Forget all sessions and remembered logins."""
        with self._lock:
            self.board.visits.clear()
            self.board.keys.clear()

    def fault(self, kind: str, times: int = 1, path: str = "", method: str = "", *, spare: int = 0) -> None:
        """Go wrong in this way (a key of FAULTS) for the next `times` requests whose address holds `path`, after `spare`."""
        if kind not in FAULTS:
            raise ValueError(f"There is no fault “{kind}”; there are {', '.join(FAULTS)}.")
        with self._lock:
            self._faults.append(_Fault(kind, times, path, method, spare))

    def clear_faults(self) -> None:
        """Go wrong no more."""
        with self._lock:
            self._faults.clear()

    def _fault_for(self, method: str, path: str) -> str:
        for fault in self._faults:
            if fault.times > 0 and fault.path in path and fault.method in ("", method):
                if fault.spare:
                    fault.spare -= 1
                    continue
                fault.times -= 1
                return fault.kind
        return ""

    # ------------------------------------------------------------------ serving

    def _answer(self, asked: Asked) -> tuple[Response | None, str]:
        """What to answer, and the fault to play out at the wire; None for no answer at all."""
        with self._lock:
            self._pages.enter(asked)
            user = asked.visit.user.name if asked.visit.user else None
            self.requests.append(Request(asked.method, asked.path, user, asked.agent))
            kind = self._fault_for(asked.method, asked.path)
            if kind == "expired":
                self.expire()
                self._pages.enter(asked)
            if kind in ("no_answer", "hang_up"):
                return None, kind
            if kind == "form_again":
                asked.form.pop("post", None)
            canned = self._pages.canned(kind, asked)
            answer = canned or self._pages.answer(asked)
            return (self._pages.canned("bad_gateway", asked) if kind == "error_after" else None) or answer, kind

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        forum = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30
            disable_nagle_algorithm = True  # head and body go out at once

            def handle(self) -> None:
                with suppress(ConnectionError):  # whoever asked has gone
                    super().handle()

            def do_GET(self) -> None:
                self._serve({})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self._serve(_form(self.headers.get("Content-Type") or "", body))

            def _serve(self, form: dict[str, str]) -> None:
                asked = Asked.of(self.command, self.path, dict(self.headers.items()), form)
                response, kind = forum._answer(asked)
                if response is None or kind in ("lost_answer", "late_answer"):
                    self.close_connection = True
                    if kind in ("no_answer", "late_answer"):
                        forum._stopped.wait(PATIENCE)
                    return
                self._send(response, kind)

            def _send(self, response: Response, kind: str) -> None:
                body = response.body.encode()
                if kind == "half_page":
                    body = body[: len(body) // 2]
                self.send_response(response.status)
                for name, value in response.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if kind == "broken_page":
                    self.close_connection = True
                    body = body[: len(body) // 2]
                self.wfile.write(body)

            def date_time_string(self, timestamp: float | None = None) -> str:
                """The forum's own time, whatever the machine's clock says."""
                return super().date_time_string(forum.board.clock().timestamp() if timestamp is None else timestamp)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing: `PracticeForum.requests` is the log."""

        return Handler


def _form(kind: str, body: bytes) -> dict[str, str]:
    """A form's fields, sent in either of the two ways browsers have."""
    if "boundary=" not in kind:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    fields: dict[str, str] = {}
    for part in body.split(b"--" + kind.partition("boundary=")[2].strip('"').encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = head.partition(b'name="')[2].partition(b'"')[0].decode("utf-8", "replace")
        fields[name] = content.removesuffix(b"\r\n").decode("utf-8", "replace")
    return fields


def main() -> None:
    """Serve until interrupted; the first line printed is the forum's address."""
    arguments = argparse.ArgumentParser(prog="python -m demo.practice", description="A practice forum on this machine.")
    arguments.add_argument("--port", type=int, default=0, help="0 takes any free one")
    arguments.add_argument("--flood", type=float, default=15.0, help="seconds between two posts of one user")
    arguments.add_argument("--user", action="append", default=[], metavar="NAME:PASSWORD")
    arguments.add_argument("--topic", action="append", default=[], metavar="TITLE", help="begun by the first user")
    given = arguments.parse_args()
    people = [entry.partition(":") for entry in given.user] or [("Host", ":", "secret")]
    with PracticeForum(port=given.port, flood_seconds=given.flood) as forum:
        for name, _, password in people:
            forum.add_user(name, password)
        print(forum.url, flush=True)
        for title in given.topic:
            number = forum.add_topic(title, people[0][0], "Welcome.")
            print(f"{forum.url}viewtopic.php?t={number}", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
