"""What the live adapters of the HTML forums share: fetching and checking topic pages, renewing a session, filling forms."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from html import unescape
from types import ModuleType
from typing import Any, ClassVar

from lxml import html

from scraper.addresses import join
from scraper.dates import DateReader, DateText
from scraper.forum import Forum, LoginFailed, NotAllowed, NotYet, PostRef, Where, newest_first
from scraper.model import Message, NotTheTopic, Page, SourceError
from scraper.session import Answer, Session, TryAgain, scrub

Tree = Any  # lxml's elements; it has no types of its own


class LiveForum(Forum):
    """A forum read page by page through a `Session`. `timezone` is the account's, `now` tells the present moment, aware."""

    reader: ClassVar[ModuleType]

    def __init__(
        self,
        base_url: str,
        session: Session,
        *,
        timezone: tzinfo = UTC,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.base_url, self.session, self.timezone, self.now = base_url, session, timezone, now
        self.kind = str(self.reader.KIND)
        self._account: tuple[str, str] | None = None
        self._me: str | None = None
        self._shown: str | None = None  # what the forum calls who has logged in, where that differs from the login
        self._per_page: dict[str, int] = {}

    def clock_shift(self) -> timedelta | None:
        """See Forum.clock_shift."""
        return self.session.clock_shift

    # ------------------------------------------------------------------ signing in

    def use_account(self, name: str, password: str, shown: str | None = None) -> None:
        """See Forum.use_account. Cookies kept from an earlier run spare the login."""
        self._account = name, password
        self._shown = shown or self._shown
        self.session.private = True

    def log_in(self, name: str, password: str) -> None:
        """Sign in and keep name and password in memory for when the session ends."""
        self.use_account(name, password)
        self._me = None
        self.session.forget()
        self.session.private = True
        self._me = self._shown = self._log_in(name, password)

    def who_am_i(self) -> str | None:
        """See Forum.who_am_i."""
        if self._me is None:
            self._me = self._front_name()
        if self._account and not self._is_me(self._me):
            self.log_in(*self._account)
        return self._me

    def _is_me(self, name: str | None) -> bool:
        if self._account is None or name is None:
            return self._account is None
        return name == self._shown or name.casefold() == self._account[0].casefold()

    def _front_name(self) -> str | None:
        """The name that the forum's front page shows; None for a guest."""
        tree = self._tree(self.session.get(f"{self.base_url}index.php"))
        return self._name_on(tree) if signed_in(tree) else None

    @abstractmethod
    def _name_on(self, tree: Tree) -> str | None:
        """Whose page this is, as its head says."""

    @abstractmethod
    def _log_in(self, name: str, password: str) -> str:
        """Go through the forum's own login; the name it then shows. Raises LoginFailed."""

    def _again_signed_in(self) -> None:
        """The session has ended: open a new one, or say that there is nobody to sign in."""
        if self._account is None:
            raise LoginFailed(
                "The forum asks for a login.",
                advice="Set NIGHTPOST_USER and NIGHTPOST_PASSWORD where Nightpost is started; cron knows only what its "
                "own table says. Nothing was read or posted, and nothing is lost.",
            )
        self.log_in(*self._account)

    def _fetch(self, url: str) -> Tree:
        """A page that only members see; signs in again once where the forum asks for it."""
        tree = self._tree(self.session.get(url))
        if is_login(tree) or (signed_in(tree) and not self._is_me(self._name_on(tree))):
            self._again_signed_in()
            tree = self._tree(self.session.get(url))
            if is_login(tree):
                raise LoginFailed(
                    "The forum asks for a login again and again.", advice="Try it in a browser. Nothing was posted."
                )
        return tree

    def _tree(self, answer: Answer) -> Tree:
        """The answer as a tree. Raises TryAgain for what is no whole page of a forum."""
        text = answer.text
        if "</html" not in text.lower():
            raise TryAgain(f"The forum sent only part of a page ({scrub(answer.url)}).")
        parser = html.HTMLParser(encoding="utf-8")
        tree = html.document_fromstring(text.replace("\0", "").encode(), parser=parser, base_url=answer.url)
        if answer.status == 403 and tree.find(".//script") is not None and not self.reader.looks_like(text):
            raise TryAgain(
                "Something before the forum asks for a browser check (403).",
                advice="Open the forum in a browser from this machine's network, or ask its owner to let Nightpost in.",
            )
        return tree

    # ------------------------------------------------------------------ reading topics

    def page(self, topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        """See Forum.page. Signs in again where an account was given and the page was shown to a guest."""
        size = per_page or self._per_page.get(topic)
        if isinstance(where, int) and where > 1 and size is None and self._needs_page_size:
            size = self._as_account(topic, self._address(topic, 1, None)).per_page
        page = self._as_account(topic, self._address(topic, where, size))
        if where == "last" and page.page < page.pages and not newest_first(page):
            return self._as_account(topic, self._address(topic, page.pages, page.per_page or size))
        if where == "last" and page.page > 1 and newest_first(page):
            return self._as_account(topic, self._address(topic, 1, size))
        return page

    def _as_account(self, topic: str, address: str) -> Page:
        try:
            page = self._page(topic, address)
            if page.signed_in or self._account is None:
                return page
        except NotTheTopic:
            if self._account is None or self._signed_in():
                raise
        self._again_signed_in()
        return self._page(topic, address)

    _needs_page_size: ClassVar[bool] = True

    @abstractmethod
    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        """Where a page of a topic is, oldest posts first if the forum lets us choose."""

    def _page(self, topic: str, address: str) -> Page:
        return self._page_in(topic, self.session.get(address))

    def _page_in(self, topic: str, answer: Answer) -> Page:
        """The page of this topic that an answer is. Raises NotTheTopic for anything else."""
        if answer.status == 404:
            raise NotTheTopic(
                f"The forum says that there is no topic {topic} (404).",
                advice="It may have been moved, merged or deleted. What was read of it stays.",
            )
        zone = self._zone(answer.text)
        now = self.now() + (self.session.clock_shift or timedelta(0))
        page: Page = self.reader.read_page(answer.text, timezone=zone, now=now, base_url=self.base_url)
        if page.topic_id is not None and page.topic_id != topic:
            raise NotTheTopic(
                f"The forum sent a page of topic {page.topic_id} (“{page.title}”) when asked for topic {topic}.",
                advice="If the game's topic was merged or moved, put its new address in game.toml. Nothing of this was read.",
            )
        if page.per_page:
            self._per_page[topic] = page.per_page
        return page

    def _zone(self, text: str) -> tzinfo:
        """The zone that the times of a page are in: as given, where the page itself does not tell."""
        return self.timezone

    def _zone_by(self, clock: str, language: str) -> tzinfo:
        """The zone in which it is now as late as the forum's `clock` says, in quarters of an hour."""
        now = self.now() + (self.session.clock_shift or timedelta(0))
        dates = DateReader(timezone=UTC, now=now, languages=(language,))
        dates.learn([DateText(clock)], [(clock, now)])
        moment = dates.read(DateText(clock)) if clock else None
        if moment is None or abs(moment - now) > timedelta(hours=15):
            return self.timezone
        return timezone(timedelta(minutes=15 * round((moment - now) / timedelta(minutes=15))))

    def _signed_in(self) -> bool:
        """Whether the forum's front page still knows us: tells an ended session from a page that is no topic."""
        try:
            return self._front_name() is not None
        except SourceError:
            return True

    # ------------------------------------------------------------------ writing: not on every forum

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """Not on this kind of forum."""
        raise self._not_yet("posts")

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """Not on this kind of forum."""
        raise self._not_yet("edits")

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """Not on this kind of forum."""
        raise self._not_yet("private messages")

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """Not on this kind of forum."""
        raise self._not_yet("the mailbox")

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """Not on this kind of forum."""
        raise self._not_yet("the mailbox")

    def _not_yet(self, what: str) -> NotYet:
        return NotYet(
            f"Nightpost reads topics on {self.reader.NAME}, but {what} must still go by hand there.",
            advice="Copy drafts from `nightpost outbox`; put exports of the mailbox into the game's mail/ folder.",
        )


def is_login(tree: Tree) -> bool:
    """Whether a page is a login form in place of what was asked for."""
    return tree.find(".//input[@type='password']") is not None and not signed_in(tree)


def signed_in(tree: Tree) -> bool:
    """Whether a page was shown to somebody who is signed in: it offers to sign out."""
    return bool(tree.xpath("boolean(//a[contains(@href, 'logout')] | //li[@id='navlogout'])"))


def form_fields(form: Tree, **given: str) -> list[tuple[str, str]]:
    """A form's fields as a browser would send them, with `given` in place of what stood there; buttons only if given."""
    fields = [(str(name), str(value)) for name, value in form.form_values() if name not in given]
    return fields + list(given.items())


def form_action(form: Tree, page_url: str) -> str:
    """Where a form is to be sent: seen from where its page was found, which `page_url` may have led on to. From http to https a
    form that is sent to the old address is led on as well, and arrives there empty.
    """
    at = form.base_url or page_url
    return join(at, str(form.get("action") or at)) or at


def onward(answer: Answer) -> str:
    """Where a forum leads after taking something: by a redirect, or a page that moves on. Empty where it took nothing."""
    if answer.hops:
        return answer.hops[-1]
    head = answer.text[: answer.text.lower().find("<body")]
    told = re.search(r"<meta\s+http-equiv=[\"']?refresh[\"']?\s+content=[\"']\d+;\s*url=([^\"'>]+)", head, re.IGNORECASE)
    return (join(answer.url, unescape(told[1]).strip()) or "") if told else ""


def moved(answer: Answer) -> NotAllowed:
    """What it means when a forum's interface for programs sends us elsewhere with what was to be posted."""
    return NotAllowed(
        f"The forum wants what is sent to go to another address: {scrub(answer.hops[-1])}.",
        advice="Nothing was posted. Put the topic's address into game.toml as a browser shows it, with its https and its www.",
    )


def words_of(element: Tree) -> str:
    """An element's text on one line, for showing: no control characters, at most 300 letters."""
    return one_line("".join(element.itertext()))


def but_for(name: str, said: str) -> str:
    """What a forum has said without the name in it: a number in a player's name is no time to wait."""
    return re.sub(re.escape(name), "", said, flags=re.IGNORECASE) if name else said


def one_line(text: str) -> str:
    """`text` on one line, for showing and comparing: no control characters, at most 300 letters."""
    return "".join(letter for letter in " ".join(text.split()) if letter.isprintable())[:300]
