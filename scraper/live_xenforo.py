"""A live XenForo 2.0 to 2.3: topics, posts, edits and conversations through its pages and forms, or its REST API with a key.

What is posted is BBCode. Private messages are conversations ("direct messages" since 2.3), each read as if every message in it
were one of its own. Written from compiled templates and documentation, not tried on a forum.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import datetime
from types import ModuleType
from typing import Any, ClassVar

from scraper import xenforo
from scraper.addresses import join
from scraper.boxes import of_class
from scraper.forum import (
    Containing,
    FloodLimit,
    LoginFailed,
    NeedsApproval,
    NotAllowed,
    PostRef,
    Refused,
    TopicLocked,
    Where,
)
from scraper.live import LiveForum, Tree, but_for, form_action, form_fields, words_of
from scraper.model import Message, NotTheTopic, Page, SourceError
from scraper.session import Answer, TryAgain, Uncertain
from scraper.talks import Talk, Talks, backwards
from scraper.topicpage import language_of, visible
from scraper.xenforo_api import Api

TRIES = 4  # of sending one form
_STALE = re.compile("security error|sicherheitsfehler|erreur de sécurité", re.IGNORECASE)
_NAV = re.compile(r"[/?](?:members|forums|whats-new|login|account|conversations|direct-messages)/")
_POSTED = re.compile(r"[/?](?:post-|posts/)(\d+)(?:[/?#&]|$)")
_TALK = re.compile(r"(?:conversations|direct-messages)/(?:[^/?#&]*\.)?(\d+)(?:/|$)")
_UNSURE = "It is looked for before anything is sent again."


class LiveXenforo(LiveForum):
    """See Forum. Addresses are asked for in the form that works on every board, until a page shows the board's own."""

    reader: ClassVar[ModuleType] = xenforo
    takes_key: ClassVar[bool] = True
    _needs_page_size: ClassVar[bool] = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._api: Api | None = None
        self._route, self._learnt = f"{self.base_url}index.php?", False
        self._mailbox: str | None = None
        self._talks = Talks()

    # ------------------------------------------------------------------ signing in

    def use_key(self, name: str, key: str, shown: str | None = None) -> None:
        """See Forum.use_key. A key of a single user acts as that one, one for all users as `name`."""
        self._shown = shown or name
        self._api = Api(self.base_url, self.session, name, key)

    def _front_name(self) -> str | None:
        if self._api is not None:
            return self._api.name()
        return self._name_on(self._tree(self.session.get(self.base_url)))

    def _name_on(self, tree: Tree) -> str | None:
        self._learn(tree)
        if not _is_member(tree):
            return None
        link = next(iter(of_class(tree, "p-navgroup-link--user")), None)
        name = next(iter(of_class(link, "p-navgroup-linkText")), link) if link is not None else None
        if name is not None:
            return visible(name)
        return self._shown or (self._account[0] if self._account else "")  # a style of its own: somebody is, and who else

    def _learn(self, tree: Tree) -> None:
        """How this board writes its addresses, and where its conversations are, by the links in its head."""
        if self._learnt and (self._mailbox or not _is_member(tree)):
            return
        for link in tree.iter("a"):
            href, classes = link.get("href") or "", link.get("class") or ""
            if "p-navgroup-link--conversations" in classes and href:
                self._mailbox = join(self.base_url, href)
            if "p-nav" in classes and _NAV.search(href):
                self._route = f"{self.base_url}index.php?" if "index.php?" in href else self.base_url
                self._learnt = True

    def _log_in(self, name: str, password: str) -> str:
        answer = self.session.get(f"{self._route}login/")
        tree = self._tree(answer)
        form = next((form for form in tree.iter("form") if "login/login" in (form.get("action") or "")), None)
        if form is None:
            raise TryAgain(f"The forum shows no form to log in. It says: {_told(tree)}")
        fields = form_fields(form, login=name, password=password, remember="1")
        answer = self.session.post(form_action(form, answer.url), fields, harmless=True)
        tree = self._tree(answer)
        if any("two-step" in address for address in (*answer.hops, answer.url)):
            raise LoginFailed(
                f"The forum asks {name} for a second step at login, which Nightpost cannot give.",
                advice="Use an API key (NIGHTPOST_API_KEY), or an account without two-step verification.",
            )
        shown = self._name_on(tree)
        if shown is not None:
            return shown or name
        said = xenforo.notice_of(tree)
        asked = any("captcha" in " ".join(e.attrib.values()).lower() for e in tree.iter("div", "script", "iframe"))
        raise LoginFailed(
            f"The forum did not accept the login of {name}" + (f": {said}" if said else "."),
            advice="Log in once with a browser, which answers the CAPTCHA; then check name and password here."
            if asked else "Check the name and the password. After a few wrong ones the forum asks for a CAPTCHA or a pause.",
        )  # fmt: skip

    def _fetch(self, url: str) -> Tree:
        return self._members_page(url)[0]

    def _members_page(self, url: str) -> tuple[Tree, Answer]:
        """A page that members see; signs in again once where it was shown to a guest or to somebody else."""
        for attempt in range(2):
            answer = self.session.get(url)
            tree = self._tree(answer)
            name = self._name_on(tree)
            if name is not None and self._is_me(name):
                return tree, answer
            if attempt == 0:
                self._again_signed_in()
        raise LoginFailed("The forum asks for a login again and again.", advice="Try it in a browser. Nothing was posted.")

    def _is_me(self, name: str | None) -> bool:
        return super()._is_me(name) or (self._account is None and name is not None)

    # ------------------------------------------------------------------ reading

    def page(self, topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        """See Forum.page."""
        if self._api is not None:
            return self._api.page(topic, where)
        return super().page(topic, where, per_page=per_page)

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self._route}posts/{where.post_id}/"
        number = 1 if where == "last" else int(where)  # the last is known only once a page has told how many there are
        return f"{self._route}threads/{topic}/" + (f"page-{number}" if number > 1 else "")

    def _page_in(self, topic: str, answer: Answer) -> Page:
        if answer.status == 200 and not self._learnt:
            self._learn(self._tree(answer))
        return super()._page_in(topic, answer)

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. A reply has no subject."""
        if self._api is not None:
            return self._api.reply(topic, bbcode)
        hop = self._submit(f"{self._route}threads/{topic}/reply", "add-reply", {"message": bbcode}, topic)
        if "pending_approval" in hop:
            raise NeedsApproval
        found = _POSTED.findall(hop)
        return PostRef(found[-1], f"{self._route}posts/{found[-1]}/") if found else PostRef(None, None)

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit. `subject` counts only for the first post of a topic."""
        if self._api is not None:
            return self._api.edit(post_id, bbcode)
        given = {"message": bbcode} | ({"title": subject} if subject else {})
        self._submit(f"{self._route}posts/{post_id}/edit", "/edit", given, None)
        return PostRef(post_id, f"{self._route}posts/{post_id}/")

    def _submit(self, url: str, action: str, given: dict[str, str], topic: str | None) -> str:
        """Fill in the form at `url` that is sent to `action`, and send it until it is taken; where the forum leads then."""
        wait, said = 0.0, ""
        for _ in range(TRIES):
            if wait:
                self.session.sleep(wait)
            tree, answer = self._members_page(url)
            form = next((form for form in tree.iter("form") if action in (form.get("action") or "")), None)
            if form is None:
                raise self._refusal(xenforo.notice_of(tree), topic)
            fields = [(name, value) for name, value in form_fields(form, **given) if name != "message_html"]
            answer = self.session.post(form_action(form, answer.url), fields, follow=False)
            if answer.hops and not re.search(r"(?:^|[/?])login(?:/|$)", answer.hops[0]):
                return answer.hops[0]
            if answer.hops:
                self._again_signed_in()
                continue
            try:
                tree = self._tree(answer)
            except SourceError as broken:
                raise Uncertain(f"After sending: {broken}", advice=_UNSURE) from None
            said = xenforo.notice_of(tree)
            if not _is_member(tree) and self._account is not None:
                self._again_signed_in()
                continue
            if not said:
                raise Uncertain("The forum answered what was sent with some other page.", advice=_UNSURE)
            wait = xenforo.wait_told(but_for(given.get("recipients", ""), said), language_of(tree))
            if wait > xenforo.MOST_WAIT or not (wait or _STALE.search(said)):
                break
        if wait:
            raise FloodLimit(f"The forum still says that it is too soon: {said}", wait=wait)
        raise self._refusal(said, topic, sent=True)

    def _refusal(self, said: str, topic: str | None, *, sent: bool = False) -> SourceError:
        """What a notice in place of what was asked for means. Whether the topic is closed, its own page tells."""
        if topic is not None:
            try:
                if self._page(topic, self._address(topic, 1, None)).locked:
                    return TopicLocked(
                        f"The topic is closed. The forum says: {said or 'nothing'}",
                        advice="Ask a moderator to open it. Nothing was posted, the draft stays.",
                    )
            except NotTheTopic as gone:
                return NotAllowed(str(gone), advice="Check the topic's address in game.toml. Nothing was posted.")
        if sent:
            return Refused(f"The forum refused the text: {said}", advice="Change the draft (`nightpost outbox edit`).")
        asks = "Check the account's rights on the forum. Nothing was posted."
        return NotAllowed(f"The forum says: {said or 'nothing, and shows no form'}", advice=asks)

    # ------------------------------------------------------------------ private messages

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """See Forum.send_message."""
        if self._api is not None:
            return self._api.send(to, subject, bbcode)
        if "," in to or not to.strip():
            raise _nobody(to, "")
        given = {"recipients": to, "title": subject, "message": bbcode}
        try:
            self._submit(f"{self._box()}add", "/add", given, None)
        except Refused as refused:
            if to.casefold() in str(refused).casefold():  # in whatever language: nothing else names the addressee
                raise _nobody(to, str(refused)) from None
            raise
        return None

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """See Forum.messages. One request where there is nothing new. A conversation that is read counts as read on the forum."""
        me = self.who_am_i()
        return (message for message in self._all(since) if message.sender != me and message.id not in known)

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """See Forum.sent_messages."""
        me = self.who_am_i()
        return (message for message in self._all(since) if message.sender == me)

    def _all(self, since: datetime | None) -> list[Message]:
        if self._api is not None:
            return self._talks.messages(self._api.talks(), self._api.messages, since)
        return self._talks.messages(self._lists(), self._read, since)

    def _box(self) -> str:
        """The address of the conversations; it has another name since 2.3."""
        if self._mailbox is None:
            self._fetch(self.base_url)
        return self._mailbox or f"{self._route}conversations/"

    def _lists(self) -> Iterator[list[Talk]]:
        number, pages = 1, 1
        while number <= pages:
            url = self._box() + (f"page-{number}" if number > 1 else "")
            tree = self._fetch(url)
            pages = xenforo.place_of(tree)[1]
            rows = of_class(tree, "structItem--conversation")
            if not rows and tree.get("data-template") not in ("conversation_list", "direct_message_list"):
                raise TryAgain(f"The forum shows no mailbox. It says: {_told(tree)}")
            yield [talk for talk in (self._talk(row) for row in rows) if talk is not None]
            number += 1

    def _talk(self, row: Tree) -> Talk | None:
        links = [a for title in of_class(row, "structItem-title") for a in title.iter("a")]  # in 2.0 the title is itself one
        link = next((a for a in links if _TALK.search(a.get("href") or "")), None)
        found = _TALK.search(link.get("href") or "") if link is not None else None
        if link is None or found is None:
            return None
        latest = next((time for cell in of_class(row, "structItem-cell--latest") for time in cell.iter("time")), None)
        when = xenforo.moment_of(latest)
        people = [visible(e) for cell in of_class(row, "structItem-cell--main") for e in of_class(cell, "username")]
        url = join(self.base_url, (link.get("href") or "")[: found.end()].rstrip("/") + "/") or self.base_url
        replies = " ".join(words_of(cell) for cell in of_class(row, "structItem-cell--meta"))
        return Talk(found[1], words_of(link), url, when.exact, f"{replies} {when.exact}", tuple(dict.fromkeys(people)))

    def _read(self, talk: Talk, since: datetime | None) -> list[Message]:
        tree = self._fetch(talk.url)

        def part(tree: Tree) -> list[Message]:
            return [message for message in (_message(e, talk) for e in of_class(tree, "message--conversationMessage")) if message]

        first = part(tree)
        if not first:
            raise TryAgain(f"The conversation “{talk.title[:80]}” could not be opened.")
        return list(backwards(xenforo.place_of(tree)[1], first, lambda n: part(self._fetch(f"{talk.url}page-{n}")), since))


def _message(element: Tree, talk: Talk) -> Message | None:
    anchor = next((e.get("id") for e in element.iter("span") if (e.get("id") or "").startswith("convMessage-")), None)
    id_ = (anchor or element.get("id") or "").rpartition("-")[2]
    body = xenforo.body_of(element)
    if not id_.isdecimal() or body is None:
        return None
    head = next((e for e in of_class(element, "message-attribution")), element)
    sender = " ".join((element.get("data-author") or "").split())
    sent_at = xenforo.moment_of(xenforo.time_in(head)).exact
    to = tuple(name for name in talk.people if name != sender)
    return Message(id_, sender, to, sent_at, talk.title, xenforo.markup_of(body).bbcode, talk.url)


def _is_member(tree: Tree) -> bool:
    return bool(tree.get("data-logged-in") == "true")


def _told(tree: Tree) -> str:
    """What a page says that is not the one asked for: its notice, else its title."""
    title = tree.find(".//title")
    return xenforo.notice_of(tree) or (words_of(title)[:100] if title is not None else "nothing")


def _nobody(to: str, said: str) -> NotAllowed:
    return NotAllowed(
        f"The forum knows nobody called “{to}” to whom this account may write." + (f" {said}" if said else ""),
        advice="Check the spelling in game.toml, and that the player accepts private messages. Nothing was sent.",
    )
