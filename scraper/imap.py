"""A folder on a mail server, such as the one a forum's notices of private messages are sorted into, read over IMAP.

Read only: the folder is opened with EXAMINE and mails are fetched with PEEK, so that none is marked as read. Only what is
new since a bookmark is fetched, mail by mail. The certificate is checked; without TLS only a server on this machine is
asked, such as a bridge that some mail providers have. The password comes from NIGHTPOST_IMAP_PASSWORD or the system keyring
(service `nightpost-imap`, under `user@host`), never from an address or `game.toml`.
"""

from __future__ import annotations

import base64
import imaplib
import os
import re
import socket
import ssl
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from scraper.mailboxes.records import Reading, in_utc
from scraper.mailboxes.rfc822 import LARGEST_MAIL, read_one
from scraper.model import BadInput, Message, SourceError

PASSWORD = "NIGHTPOST_IMAP_PASSWORD"
KEYRING = "nightpost-imap"
AT_ONCE = 200
"""How many mails' sizes and times are asked for with one command; the mails themselves come one by one."""
_HERE = ("localhost", "127.0.0.1", "::1")
_UNTOLD = re.compile(r"[\x00-\x1f\x7f]")
_FETCHED = re.compile(rb"\bUID (\d+)")
_SIZE = re.compile(rb"\bRFC822\.SIZE (\d+)")
_ARRIVED = re.compile(rb'\bINTERNALDATE "\s?(\d{1,2})-([A-Za-z]{3})-(\d{4}) (\d\d:\d\d:\d\d) ([+-]\d{4})"')
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LATER = "Nothing is lost: the next tick goes on from here."

Bookmark = Mapping[str, int]
"""How far a folder was read: `validity`, the folder's own mark that its numbers still hold, and `uid`, the last number read."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder of an account: `imaps://user@host/Folder`. `secure` is whether TLS is spoken from the first byte."""

    host: str
    port: int
    user: str
    folder: str
    secure: bool = True

    @property
    def name(self) -> str:
        """What the folder is called in messages and bookmarks; no secret is in it."""
        return f"imap {self.user}@{self.host}/{self.folder}"


def place_of(address: str) -> Place:
    """The folder that `address` names; INBOX where it names none. Raises BadInput with what is wrong and how it is written."""
    shape = "write it as imaps://user@mail.example.org/Folder"
    try:
        parts = urlsplit(address.strip())
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise BadInput(f"the address of the mail folder cannot be read; {shape}.") from None
    if parts.scheme not in ("imaps", "imap"):
        raise BadInput(f"{parts.scheme or address[:40]!r} is no address of a mail folder; {shape}.")
    if parts.password is not None:
        raise BadInput(f"the address holds a password: take it out, and set {PASSWORD} or use the keyring ({KEYRING}); {shape}.")
    user, folder = unquote(parts.username or ""), unquote(parts.path.strip("/")) or "INBOX"
    if not host or not user:
        raise BadInput(f"the address of the mail folder lacks its {'user' if host else 'server'}; {shape}.")
    if parts.query or parts.fragment or _UNTOLD.search(user + folder + host):
        raise BadInput(f"the address of the mail folder holds signs that none may hold; {shape}.")
    secure = parts.scheme == "imaps"
    if not secure and host not in _HERE:
        raise BadInput(f"imap:// sends the password in the clear, which is done on this machine only; {shape}.")
    return Place(host, port or (993 if secure else 143), user, folder, secure)


def password_for(place: Place) -> str:
    """The password from the environment or the keyring. Raises SourceError where there is none."""
    if found := os.environ.get(PASSWORD):
        return found
    import keyring
    import keyring.errors

    try:
        kept = keyring.get_password(KEYRING, f"{place.user}@{place.host}")
    except (keyring.errors.KeyringError, RuntimeError):
        kept = None
    if kept:
        return str(kept)
    raise SourceError(
        f"{place.name}: no password for the mail server.",
        advice=f"Set {PASSWORD}, or store it: keyring set {KEYRING} {place.user}@{place.host}. With many providers it is an "
        "app password that you make in the account's settings.",
    )


class ImapFolder:
    """One folder, read from a bookmark on. `bookmark` afterwards says how far; keep it together with the messages.

    `timeout` is how many seconds the server may be silent. `context` can be given for a server with a certificate of its own.
    """

    def __init__(self, place: Place, password: str, *, timeout: float = 30, context: ssl.SSLContext | None = None) -> None:
        if not password or _UNTOLD.search(password):
            raise SourceError(f"{place.name}: the password is empty or holds line ends.", advice=f"Set {PASSWORD} anew.")
        self.place, self._password, self._timeout, self._context = place, password, timeout, context
        self.bookmark: dict[str, int] = {}

    def messages(
        self,
        bookmark: Bookmark | None,
        *,
        timezone: tzinfo,
        note: Callable[[str], None],
        since: datetime | None = None,
        players: Collection[str] = (),
    ) -> Iterator[Message]:
        """The messages that came after `bookmark`, in the order they arrived; all where there is none or it no longer holds.

        Of a folder read for the first time only mails that arrived on or after the day before `since` (aware) are looked at.
        A mail without a readable date gets its time of arrival. `players` are as in `Reading`. Raises SourceError where the
        server cannot be reached or refuses, and in the middle if the connection breaks: `bookmark` then names the last message
        handed on.
        """
        reading = Reading(timezone, None, note, tuple(players))
        self.bookmark = dict(bookmark or {})
        with _Told(self.place, self._password):
            server = self._open()
            try:
                validity = self._examine(server)
                if bookmark and bookmark.get("validity") != validity:
                    note(f"{self.place.name}: the server has numbered the folder anew; all of it was read again.")
                if not bookmark or bookmark.get("validity") != validity:
                    self.bookmark = {"validity": validity, "uid": 0}
                yield from self._after(server, reading, since if self.bookmark["uid"] == 0 else None)
            finally:
                _close(server)

    def _open(self) -> imaplib.IMAP4:
        if self.place.secure:
            context = self._context or ssl.create_default_context()
            server: imaplib.IMAP4 = _BoundedTls(self.place.host, self.place.port, ssl_context=context, timeout=self._timeout)
        else:
            server = _Bounded(self.place.host, self.place.port, timeout=self._timeout)
        try:
            if self._password.isascii() and self.place.user.isascii():
                server.login(_string(self.place.user), self._password)
            else:
                server.authenticate("PLAIN", lambda _: f"\0{self.place.user}\0{self._password}".encode())
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            _close(server)
            raise SourceError(
                f"{self.place.name}: the mail server refused the name or the password.",
                advice=f"Check {PASSWORD} or the keyring ({KEYRING}). Many providers want an app password here, or IMAP to be "
                "switched on in the account's settings.",
            ) from None
        return server

    def _examine(self, server: imaplib.IMAP4) -> int:
        """Open the folder for reading only; its UIDVALIDITY. Raises SourceError if there is no such folder."""
        status, _ = server.select(_quoted(self.place.folder), readonly=True)
        if status != "OK":
            near = _near(server, self.place.folder)
            raise SourceError(f"{self.place.name}: there is no such folder, or it cannot be opened.{near}")
        _, told = server.response("UIDVALIDITY")
        value = told[0] if told else None
        return int(value) if isinstance(value, bytes) and value.isdigit() else 0

    def _after(self, server: imaplib.IMAP4, reading: Reading, since: datetime | None) -> Iterator[Message]:
        last = self.bookmark["uid"]
        criteria = ["UID", f"{last + 1}:*"]
        if since is not None:
            day = since - timedelta(days=1)
            criteria += ["SINCE", f"{day.day:02}-{_MONTHS[day.month - 1]}-{day.year}"]
        status, found = server.uid("SEARCH", *criteria)
        if status != "OK":
            raise SourceError(f"{self.place.name}: the mail server would not search the folder.", advice=_LATER)
        words = b" ".join(each for each in found if isinstance(each, bytes)).split()
        # `9:*` names the last mail even where all numbers are below nine
        uids = sorted({int(word) for word in words if word.isdigit() and int(word) > last})
        for start in range(0, len(uids), AT_ONCE):
            some = uids[start : start + AT_ONCE]
            facts = self._facts(server, some)
            for uid in some:
                message = self._fetch(server, uid, *facts.get(uid, (0, None)), reading)
                if message is not None:
                    yield message
                self.bookmark["uid"] = uid

    def _facts(self, server: imaplib.IMAP4, uids: list[int]) -> dict[int, tuple[int, datetime | None]]:
        """Number → size in bytes and time of arrival, of those of `uids` that are still there."""
        status, rows = server.uid("FETCH", ",".join(map(str, uids)), "(UID RFC822.SIZE INTERNALDATE)")
        if status != "OK":
            raise SourceError(f"{self.place.name}: the mail server would not list the mails.", advice=_LATER)
        facts: dict[int, tuple[int, datetime | None]] = {}
        for row in rows:
            line = b" ".join(row) if isinstance(row, tuple) else row
            uid = _FETCHED.search(line) if isinstance(line, bytes) else None
            if uid is not None:
                size, when = _SIZE.search(line), _ARRIVED.search(line)
                facts[int(uid[1])] = (int(size[1]) if size else 0, _arrival(when) if when else None)
        return facts

    def _fetch(
        self, server: imaplib.IMAP4, uid: int, size: int, arrived: datetime | None, reading: Reading
    ) -> Message | None:
        """One message; None where the mail is gone or cannot be read, which a note says."""
        place = f"{self.place.name}:uid {uid}"
        status, rows = server.uid("FETCH", str(uid), f"(UID BODY.PEEK[]<0.{LARGEST_MAIL}>)")
        if status != "OK":
            raise SourceError(f"{place}: the mail server would not hand the mail over.", advice=_LATER)
        data = next((row[1] for row in rows if isinstance(row, tuple) and len(row) > 1 and isinstance(row[1], bytes)), None)
        if data is None:
            return None  # deleted since
        return read_one(data.replace(b"\r\n", b"\n"), place, reading, long=size > LARGEST_MAIL, arrived=arrived)


# -- the library, bounded ----------------------------------------------------------------------------------------------


class _Bounded(imaplib.IMAP4):
    """The library's client, which would take any size a server names."""

    def read(self, size: int) -> bytes:
        if size > LARGEST_MAIL + 1024:
            raise self.abort("the server sent more than was asked for")
        return super().read(size)


class _BoundedTls(imaplib.IMAP4_SSL):
    def read(self, size: int) -> bytes:
        if size > LARGEST_MAIL + 1024:
            raise self.abort("the server sent more than was asked for")
        return super().read(size)


class _Told:
    """What goes wrong in talking to a mail server, as a SourceError that says what to do and holds no password."""

    def __init__(self, place: Place, secret: str) -> None:
        self._place, self._secret = place, secret

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, problem: BaseException | None, trace: Any) -> None:
        name, where = self._place.name, f"{self._place.host}, port {self._place.port}"
        if isinstance(problem, ssl.SSLCertVerificationError):
            raise SourceError(
                f"{name}: the certificate of {where} is not to be trusted ({problem.verify_message}); nothing was sent to it.",
                advice="Check the server's name and this computer's clock. The password was not sent.",
            ) from None
        if isinstance(problem, ssl.SSLError):
            advice = "Is it the port for imaps, 993?"
            raise SourceError(f"{name}: {where} does not speak TLS as it should.", advice=advice) from None
        if isinstance(problem, socket.gaierror):
            advice = "Check the address and your network."
            raise SourceError(f"{name}: no server is called {self._place.host}.", advice=advice) from None
        if isinstance(problem, TimeoutError):
            raise SourceError(f"{name}: {where} did not answer in time.", advice=_LATER) from None
        if isinstance(problem, imaplib.IMAP4.error | OSError | EOFError | UnicodeError):
            reason = " ".join(str(problem).replace(self._secret, "…").split())[:200]
            raise SourceError(f"{name}: the talk with {where} broke off ({reason}).", advice=_LATER) from None


def _close(server: imaplib.IMAP4) -> None:
    try:
        server.logout()
    except (imaplib.IMAP4.error, OSError, ValueError):
        server.shutdown()


def _quoted(folder: str) -> str:
    """A folder's name as it is sent: in the UTF-7 of IMAP (RFC 3501, 5.1.3), in quote marks."""
    out: list[str] = []
    for part in re.findall(r"[\x20-\x7e]+|[^\x20-\x7e]+", folder):
        if " " <= part[0] <= "~":
            out.append(part.replace("&", "&-"))
        else:
            packed = base64.b64encode(part.encode("utf-16-be")).decode().rstrip("=").replace("/", ",")
            out.append(f"&{packed}-")
    return _string("".join(out))


def _string(text: str) -> str:
    """A text without control characters in quote marks, as the protocol wants it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _near(server: imaplib.IMAP4, folder: str) -> str:
    """The folders that there are, the nearest first."""
    from difflib import get_close_matches

    status, rows = server.list()
    if status != "OK":
        return ""
    told = [re.search(r'"([^"]*)"\s*$|(\S+)\s*$', row.decode("ascii", "replace")) for row in rows if isinstance(row, bytes)]
    names = [name[1] or name[2] for name in told if name is not None]
    close = get_close_matches(folder, names, n=1)
    listed = f" Folders there: {', '.join(names[:20])}." if names else ""
    return f" Is it {close[0]!r}?{listed}" if close else listed


def _arrival(told: re.Match[bytes]) -> datetime | None:
    day, month, year, clock, zone = (part.decode("ascii") for part in told.groups())
    try:
        return in_utc(parsedate_to_datetime(f"{day} {month} {year} {clock} {zone}"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
