"""One polite way to talk to a forum: who we are, how often we ask, what is tried again and what never leaves our hands."""

from __future__ import annotations

import logging
import os
import random
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http.cookiejar import LoadError, MozillaCookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import requests
from requests.cookies import RequestsCookieJar
from requests.structures import CaseInsensitiveDict

from scraper.addresses import join
from scraper.model import BadInput, SourceError
from scraper.topicpage import charset_of, decode

VERSION = "0.1"
MOST_BYTES = 8 * 1024 * 1024
MOST_REDIRECTS = 5
KEPT_PAGES = 16

Fields = Iterable[tuple[str, str | bytes]]

_SECRET = re.compile(
    r"(?i)\b(sid|phpsessid|form_token|creation_time|my_post_key|logoutkey|token|hash|confirm_key|confirm_id|sess|seqnum"
    r"|password|passwrd|csrf_token|securitytoken|api_key|[0-9a-f]{7,16})=[^&;#\s\"']+"
)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")


class TryAgain(SourceError):
    """The forum did not answer, or is busy or closed for now. Nothing was done; the next tick may try again.

    `wait` is how many seconds the forum asked for, where it said.
    """

    def __init__(self, message: str, *, advice: str = "", wait: float | None = None) -> None:
        super().__init__(message, advice=advice or "Nothing is lost: the next tick goes on from here.")
        self.wait = wait


class Uncertain(SourceError):
    """Something was sent and no answer came: it may have been taken. Look for it on the forum before sending again."""


class WrongHost(SourceError):
    """The forum tried to send a signed-in reader to another address: refused, so that no password or cookie gets there."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: `url` is where it came from after redirects, `hops` the addresses on the way (unscrubbed: not for
    showing), `text` the body decoded as the answer says. `unchanged` means the forum said so and the kept page is given."""

    url: str
    status: int
    text: str
    headers: Mapping[str, str]
    hops: tuple[str, ...] = ()
    unchanged: bool = False


def scrub(url: str) -> str:
    """`url` fit for messages and logs: without session ids, form tokens, passwords and user information."""
    return _SECRET.sub(r"\1=…", _USER_INFO.sub("", url))


class Session:
    """Everything asked of one forum goes through here, one request at a time.

    contact: an address (web or mail) that tells the forum's owner who runs this.
    seconds_between: the least time between two requests. retries: how often a failed one is tried again.
    timeout: seconds for the whole of one request, with its answer.
    cookie_file: where cookies stay between runs, readable by its owner only; without one they stay in memory.
    `clock_shift` tells after an answer how far the forum's clock is ahead of `now`, to the second; None where it does not say.
    clock (seconds, never backwards), sleep, chance (0 to 1) and now (for a Retry-After that names a date) can be given.
    """

    def __init__(
        self,
        *,
        contact: str = "",
        seconds_between: float = 1.0,
        retries: int = 3,
        timeout: float = 30.0,
        longest_wait: float = 120.0,
        cookie_file: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.seconds_between, self.retries, self.timeout, self.longest_wait = (
            seconds_between, retries, timeout, longest_wait,
        )  # fmt: skip
        self.sleep, self._clock, self._chance, self._now = sleep, clock, chance, now
        self.private = False
        self._signed = False
        self.clock_shift: timedelta | None = None
        self._last: float | None = None
        self._kept: OrderedDict[str, Answer] = OrderedDict()
        self._http = requests.Session()
        self._http.headers["User-Agent"] = f"Nightpost/{VERSION}" + (f" (+{_one_line(contact)})" if contact else "")
        self._http.headers["Accept-Language"] = "en"
        self._cookie_file = cookie_file
        self._saved: list[tuple[str, str, str, str]] = []
        # Its debug lines hold whole addresses, session ids and all.
        logging.getLogger("urllib3").setLevel(logging.INFO)
        if cookie_file:
            self._load_cookies(cookie_file)

    @property
    def cookies(self) -> RequestsCookieJar:
        """The cookies held now."""
        return self._http.cookies

    def forget(self) -> None:
        """Drop all cookies and kept pages, as before the first request."""
        self._http.cookies.clear()
        self._kept.clear()
        self.private = self._signed
        self.save_cookies()

    def sign(self, headers: Mapping[str, str]) -> None:
        """Send these headers, which hold a key, with every request from now on; no redirect to another address is followed."""
        self._http.headers.update(headers)
        self._kept.clear()
        self.private = self._signed = True

    def get(self, url: str) -> Answer:
        """The page at `url`, asked for again when the forum falters. A page the forum marks is asked for conditionally.

        A web page that breaks off however often it is asked for is given as it came: what reads it says so.

        Raises TryAgain when it stays away, WrongHost for a redirect elsewhere while signed in, SourceError when the
        answer cannot be used (certificate, size). Answers of 4xx other than 408 and 429 are the caller's to judge.
        """
        kept = self._kept.get(url)
        answer = self._again("GET", url, headers=_conditions(kept))
        if answer.status == 304 and kept:
            self._kept.move_to_end(url)
            return replace(kept, unchanged=True)
        if answer.status == 200 and _conditions(answer):
            self._kept[url] = answer
            while len(self._kept) > KEPT_PAGES:
                self._kept.popitem(last=False)
        return answer

    def post(self, url: str, fields: Fields, *, multipart: bool = False, harmless: bool = False, follow: bool = True) -> Answer:
        """Send a form. Tried again only where it cannot have been taken: no connection, or "too many requests".

        `harmless` says that sending it twice does no harm (a login, an export): then it is repeated like a page.
        With `follow` false a redirect is told (in `Answer.hops`) and not gone after.
        Raises Uncertain when it was sent and no usable answer came, else as `get`.
        """
        body: dict[str, object] = {"data": list(fields)}
        if multipart:
            body = {"files": [(name, (None, value)) for name, value in fields]}
        headers = {"Referer": url}  # FluxBB takes no form that does not tell where it was filled in
        return self._again("POST", url, once=not harmless, follow=follow, headers=headers, **body)

    def put(self, url: str, fields: Fields) -> Answer:
        """Replace what is at `url`: sending it twice does no harm. Raises as `get` does."""
        return self._again("PUT", url, follow=False, data=list(fields))

    # ------------------------------------------------------------------ trying again

    def _again(self, method: str, url: str, *, once: bool = False, **how: Any) -> Answer:
        for attempt in range(self.retries + 1):
            problem, wait = "", None
            try:
                answer = self._follow(method, url, **how)
            except requests.exceptions.SSLError:
                raise SourceError(
                    f"The certificate of {urlsplit(url).hostname} could not be checked.",
                    advice="Open the forum in a browser: a warning there means it is broken for all. Nothing was sent.",
                ) from None
            except requests.exceptions.ConnectTimeout:
                problem = "could not be reached"
            except requests.exceptions.Timeout:
                problem = f"gave no answer within {self.timeout:.0f} seconds"
                self._uncertain(once, url, problem)
            except requests.exceptions.RequestException as error:
                if _never_sent(error):
                    problem = "could not be reached"
                else:
                    problem = "broke off in the middle of its answer"
                    self._uncertain(once, url, problem)
            else:
                if answer.status not in (408, 429) and answer.status < 500:
                    if method == "GET" and attempt < self.retries and _breaks_off(answer):
                        self._pause(attempt)
                        continue
                    return answer
                problem = _busy(answer.status)
                wait = self._asked_wait(answer.headers.get("Retry-After") or _told_wait(answer))
                if answer.status != 429:
                    self._uncertain(once, url, problem)
                if wait is not None and wait > self.longest_wait:
                    break
            if attempt < self.retries:
                self._pause(attempt, wait)
        raise TryAgain(f"The forum at {urlsplit(url).hostname} {problem}.", wait=wait)

    def _pause(self, attempt: int, wait: float | None = None) -> None:
        self.sleep(wait if wait is not None else 2**attempt * (0.5 + self._chance()))

    def _uncertain(self, once: bool, url: str, problem: str) -> None:
        if once:
            raise Uncertain(
                f"Something was sent to {urlsplit(url).hostname}, and then the forum {problem}.",
                advice="It is looked for on the forum before anything is sent again.",
            ) from None

    def _asked_wait(self, header: str | None) -> float | None:
        if header and header.strip().isdecimal():
            return float(header)
        moment = _http_date(header)
        return None if moment is None else max(0.0, (moment - self._now()).total_seconds())

    def _compare_clocks(self, header: str | None) -> None:
        moment = _http_date(header)
        if moment is not None:
            self.clock_shift = moment - self._now()

    # ------------------------------------------------------------------ one request with its redirects

    def _follow(self, method: str, url: str, *, follow: bool = True, **how: Any) -> Answer:
        hops: list[str] = []
        while True:
            answer = self._once(method, url, **how)
            self.save_cookies()
            target = answer.headers.get("Location")
            if answer.status not in (301, 302, 303, 307, 308) or not target:
                return replace(answer, hops=tuple(hops))
            target = join(url, target) or ""
            if not target:
                raise SourceError("The forum sends us to an address that is none.", advice="Nothing was taken.")
            if not follow:
                return replace(answer, hops=(target,))
            self._check_target(url, target)
            if method == "POST" and answer.status in (307, 308):
                raise SourceError(
                    f"The forum wants what was sent to go to another address: {scrub(target)}.",
                    advice="Nothing was posted. Put the forum's new address in game.toml.",
                )
            hops.append(target)
            if len(hops) > MOST_REDIRECTS:
                raise SourceError(f"The forum sends us in circles at {scrub(target)}.", advice="Nothing was taken.")
            method, url, how = "GET", target, {}

    def _check_target(self, url: str, target: str) -> None:
        here, there = urlsplit(url), urlsplit(target)
        same = (here.hostname, _port(here)) == (there.hostname, _port(there)) and here.scheme == there.scheme
        safer = here.scheme == "http" and there.scheme == "https" and here.hostname == there.hostname
        if there.scheme not in ("http", "https") or (self.private and not same and not safer):
            raise WrongHost(
                f"{here.hostname} sends a signed-in reader on to {scrub(target)}. That was not followed.",
                advice="If the forum has moved, put its new address in game.toml; no password or cookie has left.",
            )

    def _once(self, method: str, url: str, **how: Any) -> Answer:
        self._wait_turn()
        until = self._clock() + self.timeout
        response = self._http.request(
            method, url, timeout=self.timeout, allow_redirects=False, stream=True, verify=True, **how,
        )  # fmt: skip
        self._compare_clocks(response.headers.get("Date"))
        with response:
            body = bytearray()
            for chunk in response.iter_content(65536):
                body += chunk
                if len(body) > MOST_BYTES:
                    raise SourceError(
                        f"The answer from {scrub(url)} is larger than {MOST_BYTES // 2**20} MB: that is no forum page.",
                        advice="Check the address in game.toml. Nothing was taken from it.",
                    )
                if self._clock() > until:
                    raise requests.exceptions.ReadTimeout
        return Answer(url, response.status_code, _decoded(bytes(body), response.headers), response.headers)

    def _wait_turn(self) -> None:
        if self._last is not None:
            pause = self._last + self.seconds_between - self._clock()
            if pause > 0:
                self.sleep(pause)
        self._last = self._clock()

    # ------------------------------------------------------------------ cookies on disk

    def _load_cookies(self, path: Path) -> None:
        jar = MozillaCookieJar(path)
        try:
            if path.stat().st_mode & 0o077:
                path.chmod(0o600)
            jar.load(ignore_discard=True)
        except FileNotFoundError:
            return
        except (LoadError, UnicodeDecodeError):
            return  # a damaged file costs one login
        except OSError as error:
            raise BadInput(f"The cookie file {path} cannot be used: {error.strerror}.") from None
        for cookie in jar:
            self._http.cookies.set_cookie(cookie)
        self._saved = self._cookie_lines()
        self.private = len(jar) > 0

    def save_cookies(self) -> None:
        """Write the cookies to their file, if there is one: whole or not at all, for its owner's eyes only."""
        lines = self._cookie_lines()
        if not self._cookie_file or lines == self._saved:
            return
        fresh = self._cookie_file.with_name(f"{self._cookie_file.name}.{os.getpid()}")
        jar = MozillaCookieJar(fresh)
        for cookie in self._http.cookies:
            jar.set_cookie(cookie)
        with suppress(OSError):  # a full disk costs one login later, not the reading now
            fresh.unlink(missing_ok=True)
            os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            jar.save(ignore_discard=True)
            fresh.replace(self._cookie_file)
            self._saved = lines

    def _cookie_lines(self) -> list[tuple[str, str, str, str]]:
        return sorted((cookie.name, cookie.value or "", cookie.domain, cookie.path) for cookie in self._http.cookies)


def _never_sent(error: requests.exceptions.RequestException) -> bool:
    """Whether the request failed before any of it could reach the forum: no such host, nobody listening."""
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return type(reason).__name__ in ("NewConnectionError", "NameResolutionError", "ConnectTimeoutError")


def _http_date(header: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(header).astimezone(UTC) if header else None
    except (ValueError, OverflowError):
        return None


def _breaks_off(answer: Answer) -> bool:
    """Whether a web page came without its end: the forum fell silent in the middle of it."""
    return answer.status == 200 and "text/html" in answer.headers.get("Content-Type", "") and "</html" not in answer.text.lower()


def _busy(status: int) -> str:
    if status == 429:
        return "says that it is asked too often (429)"
    if status == 503:
        return "is closed for maintenance or overloaded (503)"
    return f"has trouble of its own (error {status})"


def _told_wait(answer: Answer) -> str | None:
    """How long a "too many requests" in JSON says to wait (Discourse)."""
    found = re.search(r'"wait_seconds"\s*:\s*(\d{1,6})\b', answer.text) if answer.status == 429 else None
    return found[1] if found else None


def _conditions(answer: Answer | None) -> dict[str, str]:
    if answer is None:
        return {}
    pairs = (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified"))
    return {ask: answer.headers[told] for ask, told in pairs if told in answer.headers}


def _decoded(body: bytes, headers: CaseInsensitiveDict[str]) -> str:
    named = re.search(r"charset=[\"']?([\w-]+)", headers.get("Content-Type", ""), re.IGNORECASE)
    try:
        return body.decode(charset_of(named[1]), errors="replace") if named else decode(body)
    except LookupError:
        return decode(body)


def _port(parts: object) -> int:
    port = getattr(parts, "port", None)
    return port or (443 if getattr(parts, "scheme", "") == "https" else 80)


def _one_line(text: str) -> str:
    return re.sub(r"[^\x21-\x7e]+", " ", text).strip()


def site_of(url: str) -> str:
    """The address of the folder the forum lies in: `https://example.org/forum/` for any page in it."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rpartition("/")[0] + "/", "", ""))
