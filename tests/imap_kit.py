"""A small IMAP server on this machine: enough of the protocol to read a folder, and told to misbehave where a test wants it."""

from __future__ import annotations

import re
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Box:
    """What the server has and how it behaves. `mails` by number; `said` is every command it got, passwords included."""

    mails: dict[int, bytes] = field(default_factory=dict)
    arrived: str = "02-Mar-2026 19:05:30 +0000"
    validity: int = 7
    folder: str = '"Forum"'
    password: str = "secret word"
    said: list[str] = field(default_factory=list)
    silent_at: str = ""
    close_at: str = ""
    answer: dict[str, bytes] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        box: Box = self.server.box  # type: ignore[attr-defined]
        if box.tls is not None:
            try:
                self.request = box.tls.wrap_socket(self.request, server_side=True)
            except (ssl.SSLError, OSError):
                return
            self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", 0)  # type: ignore[assignment]
        self.wfile.write(box.answer.get("GREETING", b"* OK ready\r\n"))
        try:
            while line := self.rfile.readline():
                tag, _, command = line.decode("utf-8", "replace").strip().partition(" ")
                box.said.append(command)
                word = " ".join(command.split()[:2]).upper() if command.upper().startswith("UID") else command.split()[0].upper()
                if word == box.silent_at:
                    self.server.let_go.wait(5)  # type: ignore[attr-defined]
                    return
                if word == box.close_at:
                    return
                if word in box.answer:
                    self.wfile.write(box.answer[word].replace(b"TAG", tag.encode()))
                    continue
                self._answer(box, tag, word, command)
                if word == "LOGOUT":
                    return
        except (OSError, ValueError):
            return

    def _answer(self, box: Box, tag: str, word: str, command: str) -> None:
        out, ok = b"", f"{tag} OK done\r\n".encode()
        if word == "CAPABILITY":
            out = b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n"
        elif word == "LOGIN":
            if f'"{box.password}"' not in command:
                ok = f"{tag} NO no\r\n".encode()
        elif word == "AUTHENTICATE":
            self.wfile.write(b"+ \r\n")
            box.said.append(self.rfile.readline().decode().strip())
        elif word == "EXAMINE":
            if command.split(" ", 1)[1] != box.folder:
                ok = f"{tag} NO no such folder\r\n".encode()
            else:
                out = f"* {len(box.mails)} EXISTS\r\n* OK [UIDVALIDITY {box.validity}] ok\r\n".encode()
        elif word == "LIST":
            out = f'* LIST (\\HasNoChildren) "/" {box.folder}\r\n* LIST () "/" INBOX\r\n'.encode()
        elif word == "UID SEARCH":
            low = int(re.search(r"UID (\d+):\*", command)[1])  # type: ignore[index]
            found = [uid for uid in box.mails if uid >= low] or sorted(box.mails)[-1:]
            out = f"* SEARCH {' '.join(map(str, found))}\r\n".encode()
        elif word == "UID FETCH":
            out = self._fetched(box, command)
        else:
            ok = f"{tag} BAD {word}\r\n".encode()
        self.wfile.write(out + ok)

    def _fetched(self, box: Box, command: str) -> bytes:
        out = b""
        for uid in map(int, command.split()[2].split(",")):
            data = box.mails.get(uid)
            if data is None:
                continue
            if "RFC822.SIZE" in command:
                out += f'* {uid} FETCH (UID {uid} RFC822.SIZE {len(data)} INTERNALDATE "{box.arrived}")\r\n'.encode()
            else:
                data = data[: int(re.search(r"<0\.(\d+)>", command)[1])]  # type: ignore[index]
                out += f"* {uid} FETCH (UID {uid} BODY[]<0> {{{len(data)}}}\r\n".encode() + data + b")\r\n"
        return out


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def imap_server(box: Box) -> Iterator[int]:
    """The server while it runs; its port."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.box, server.let_go = box, threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.let_go.set()  # type: ignore[attr-defined]
            server.shutdown()
            thread.join()
