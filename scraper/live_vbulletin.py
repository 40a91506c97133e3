"""A live vBulletin 3 or 4: topics, posts, edits and private messages through its own pages and forms.

Written from the public record and tried on no running forum. What tells success from refusal is never a word: after success
vBulletin leads on (by a redirect, or by a page that moves on), a refusal gives the form back with a list of errors, and where
there is nothing to be done there is a notice in place of the form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from hashlib import md5
from types import ModuleType
from typing import ClassVar

from lxml import html

from scraper import vbulletin
from scraper.addresses import split
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
from scraper.live import LiveForum, Tree, form_action, form_fields, onward, words_of
from scraper.model import Message, NotTheTopic, SourceError
from scraper.session import Answer, TryAgain, Uncertain
from scraper.topicpage import charset_of, numbers_in, query, visible
from scraper.vbulletin_mail import INBOX, SENT, Mailbox

TRIES = 4  # of sending one form
LONGEST_WAIT = 180  # seconds that are waited out at once; boards ask for thirty, some for a minute
LONGEST_FLOOD = 3600  # more seconds than any board asks for: larger numbers in a complaint mean something else
TWICE = timedelta(minutes=10)  # for less than that a text is not taken again, and the forum leads to the topic as if it were
FAR = 9999  # past the end of any topic: the last page is shown
_PLAIN = {"wysiwyg": "0", "disablesmilies": "1", "parseurl": "0"}
"""A text is BBCode and not HTML; "Night:Dmitri" holds a smiley; addresses in it have been made links where they should be."""
_LOOK = "It is looked for before anything is sent again."
_CHARSET = re.compile(r"<meta[^>]+charset=[\"']?\s*([\w-]+)", re.IGNORECASE)
_FOOT = re.compile(
    r"""<div[^>]*(?:\bid=["']footer_time["']|\bclass=["']smallfont["'][^>]*\balign=["']center["'])[^>]*>"""
    r"""[^<>]*<span class=["']time["']>\s*(\d{1,2})\s?[:.h]\s?(\d{2})\s*(?P<half>[ap]\.?m)?""",
    re.IGNORECASE,
)


class LiveVbulletin(LiveForum):
    """See Forum. Addresses name pages by number, whatever a page holds. The clock at a page's foot tells the account's zone."""

    reader: ClassVar[ModuleType] = vbulletin
    _needs_page_size: ClassVar[bool] = False

    # ------------------------------------------------------------------ signing in

    def _front_name(self) -> str | None:
        """The name on the account's own page: the forum's front page has another address on every board."""
        answer = self.session.get(f"{self.base_url}usercp.php")
        tree = self._tree(answer)
        if not vbulletin.signed_in(answer.text):
            return None
        return self._name_on(tree) or self._shown or (self._account[0] if self._account else None)

    def _name_on(self, tree: Tree) -> str | None:
        """The name in the head's greeting: in 4 it has a class; in 3 it is the first profile link in strong letters, which is
        ours where the cookies say so too. None where a style has no greeting."""
        for link in tree.xpath("//li[contains(@class, 'welcomelink')]//a"):
            return visible(link) or None
        own = {str(cookie.value) for cookie in self.session.cookies if cookie.name.endswith("userid")}
        for link in tree.xpath("//strong/a[contains(@href, 'member.php') or contains(@href, 'members/')]"):
            number = vbulletin.account_in(link.get("href"))
            if visible(link) and (not own or number in own):
                return visible(link)
            if not own:
                break
        return None

    def _log_in(self, name: str, password: str) -> str:
        charset = _charset(self.session.get(f"{self.base_url}usercp.php"))
        secret = md5(_html(password).encode()).hexdigest()
        fields = [
            ("do", "login"), ("s", ""), ("securitytoken", "guest"), ("url", f"{self.base_url}usercp.php"), ("cookieuser", "1"),
            ("vb_login_username", name), ("vb_login_password", ""), ("vb_login_md5password", secret),
            ("vb_login_md5password_utf", md5(password.strip().encode()).hexdigest()),
        ]  # fmt: skip
        answer = self.session.post(f"{self.base_url}login.php?do=login", _encoded(fields, charset), harmless=True)
        said = "" if onward(answer) else vbulletin.notice_of(self._tree(answer))
        front = self.session.get(f"{self.base_url}usercp.php")
        if vbulletin.signed_in(front.text):
            return self._name_on(self._tree(front)) or name
        if not said and onward(answer):
            raise LoginFailed(
                f"The forum let {name} in and forgets it on the next page: its cookies are not meant for {self.base_url}.",
                advice="Put the topic's address into game.toml exactly as the forum's own links have it.",
            )
        raise LoginFailed(
            f"The forum did not accept the login of {name}" + (f": {said}" if said else "."),
            advice="Check the name and the password. After five wrong ones vBulletin lets nobody in for a quarter of an hour.",
        )

    def _fetch(self, url: str) -> Tree:
        """A page as our account sees it. Guests have a form to log in on every page, so the forms' token is what tells."""
        answer = self.session.get(url)
        tree = self._tree(answer)
        name = self._name_on(tree)
        if not vbulletin.signed_in(answer.text) or (name is not None and not self._is_me(name)):
            self._again_signed_in()
            answer = self.session.get(url)
            tree = self._tree(answer)
            if not vbulletin.signed_in(answer.text):
                raise LoginFailed(
                    "The forum asks for a login again and again.", advice="Try it in a browser. Nothing was posted."
                )
        tree.set("data-charset", _charset(answer))
        return tree

    # ------------------------------------------------------------------ reading

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self.base_url}showthread.php?p={where.post_id}&mode=linear"
        return vbulletin.page_url(self.base_url, topic, FAR if where == "last" else int(where), 0)

    def _zone(self, text: str) -> tzinfo:
        """By the clock at the foot of the page, which tells hours and minutes: the zone given settles which day it is there."""
        told = _FOOT.search(text)
        if told is None:
            return self.timezone
        now = (self.now() + (self.session.clock_shift or timedelta(0))).astimezone(UTC)
        hour = int(told[1]) if not told["half"] else int(told[1]) % 12 + 12 * told["half"].lower().startswith("p")
        if hour > 23 or int(told[2]) > 59:
            return self.timezone
        ahead = round(((hour - now.hour) * 60 + int(told[2]) - now.minute) / 15) * 15
        given = (now.astimezone(self.timezone).utcoffset() or timedelta(0)).total_seconds() / 60
        minutes = min((ahead + day for day in (-1440, 0, 1440) if -720 <= ahead + day <= 840), key=lambda m: abs(m - given))
        return timezone(timedelta(minutes=minutes))

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. The same text twice in a row is not taken by vBulletin: then it is there already."""
        given = {"message": bbcode} | ({"title": subject} if subject else {})
        target = self._submit(f"{self.base_url}newreply.php?do=newreply&noquote=1&t={topic}", given)
        post = _post_in(target)
        if post is not None:
            return self._ref(post)
        now = self.now() + (self.session.clock_shift or timedelta(0))
        with suppress(NotTheTopic):
            found = self.find_own_post(topic, bbcode)
            if found is not None and (found.posted_at is None or now - found.posted_at < TWICE):
                raise Uncertain("The forum leads to the topic, where a post of ours has these words already.", advice=_LOOK)
        raise NeedsApproval("The post waits for a moderator: the forum took it and does not show it.")

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit."""
        given = {"message": bbcode} | ({"title": subject} if subject else {})
        self._submit(f"{self.base_url}editpost.php?do=editpost&p={post_id}", given)
        return self._ref(post_id)

    def _ref(self, post_id: str) -> PostRef:
        return PostRef(post_id, f"{self.base_url}showthread.php?p={post_id}#post{post_id}")

    def _submit(self, url: str, given: dict[str, str]) -> str:
        """Fill in the form at `url` and send it until it is taken: where the forum then leads. Waits as it demands."""
        tree = self._fetch(url)
        refused = said = ""
        for _ in range(TRIES):
            form = _form(tree)
            if form is None:
                raise self._refusal(vbulletin.notice_of(tree), url)
            kept = {"message_backup": given["message"]} if form.find(".//*[@name='message_backup']") is not None else {}
            fields = form_fields(form, **given, **kept, **_PLAIN, sbutton="Submit")
            encoded = _encoded(fields, str(tree.get("data-charset") or "utf-8"))
            answer = self.session.post(form_action(form, url), encoded, follow=False)
            target = onward(answer)
            if target and "login.php" not in target:
                return target
            try:
                tree = self._tree(answer)
            except SourceError as broken:
                raise Uncertain(f"After sending: {broken}", advice=_LOOK) from None
            tree.set("data-charset", _charset(answer))
            if target or not vbulletin.signed_in(answer.text):
                self._again_signed_in()
                tree = self._fetch(url)
            elif _form(tree) is not None:
                errors = _errors(tree)
                self._wait(errors, again="; ".join(errors) == said)
                said = "; ".join(errors)
            else:  # a notice: the form's token was out of date, or the topic has just been closed
                notice = vbulletin.notice_of(tree) or "(no words)"
                if notice == refused:
                    raise self._refusal(notice, url)
                refused, tree = notice, self._fetch(url)
        raise TryAgain(f"The forum gave the form back again and again: {said or refused or 'without a reason.'}")

    def _wait(self, errors: list[str], *, again: bool) -> None:
        """Wait as long as a list of errors may be asking for: the wait between posts is told with what is left of it."""
        said = "; ".join(errors)
        numbers = [numbers_in(line) for line in errors]
        waits = [min(found) for found in numbers if len(found) == 2 and max(found) <= LONGEST_FLOOD]
        if again or not errors or len(waits) < len(errors):
            raise Refused(
                f"The forum refused the text: {said or 'without a reason.'}", advice="Change the draft (`nightpost outbox edit`)."
            )
        if max(waits) > LONGEST_WAIT:
            raise FloodLimit(f"The forum says: {said}", wait=max(waits) + 1.0)
        self.session.sleep(max(waits) + 1.0)

    def _refusal(self, said: str, url: str) -> SourceError:
        """What a notice in place of a form means. In what language it may be: the topic's own page tells."""
        if not said:
            return TryAgain("The forum's page has no form to write in.")
        if said == vbulletin.notice_of(self._tree(self.session.get(f"{self.base_url}usercp.php"))):
            return TryAgain(f"The forum says to everybody: {said}")
        asked = query(url)
        place = next((f"{name}={asked[name]}" for name in ("t", "p") if name in asked), "")
        if place:
            answer = self.session.get(f"{self.base_url}showthread.php?{place}&mode=linear")
            with suppress(NotTheTopic):
                if vbulletin.read_page(answer.text, timezone=self.timezone, now=self.now()).locked:
                    asks = "Ask a moderator to open the topic. Nothing was posted, the draft stays."
                    return TopicLocked(f"The forum says: {said}", advice=asks)
        return NotAllowed(f"The forum says: {said}", advice="Check the account's rights on the forum. Nothing was sent.")

    # ------------------------------------------------------------------ private messages

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """See Forum.send_message. A copy is kept among the sent ones, where it is looked for if the answer is lost."""
        if ";" in to:
            raise NotAllowed(f"“{to}” is no name of one account: vBulletin would take it for several.", advice="Mend game.toml.")
        given = {"recipients": to, "bccrecipients": "", "title": subject, "message": bbcode, "savecopy": "1", "receipt": "0"}
        try:
            self._submit(f"{self.base_url}private.php?do=newpm", given)
        except Refused as refusal:
            raise NotAllowed(
                f"The message to {to} was not sent. {refusal}",
                advice="Check the name in game.toml, that the player takes messages, and that there is room in both mailboxes.",
            ) from None

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """See Forum.messages. One request where there is nothing new; what is read stays unread on the forum where its own
        download of messages tells all."""
        return iter(self._mailbox().messages(INBOX, since, known))

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """See Forum.sent_messages."""
        return iter(self._mailbox().messages(SENT, since, ()))

    def _mailbox(self) -> Mailbox:
        return Mailbox(self.base_url, self._fetch, self._download, self._mail_zone, self._name, self.now)

    def _mail_zone(self, tree: Tree) -> tzinfo:
        return self._zone(html.tostring(tree, encoding="unicode"))

    def _name(self) -> str:
        return self._me or self._shown or self.who_am_i() or ""

    def _download(self) -> str:
        return self.session.get(f"{self.base_url}private.php?do=downloadpm&dowhat=xml").text


def _html(password: str) -> str:
    """A password as vBulletin's script hashes it: letters beyond the first 256 as references."""
    return "".join(letter if ord(letter) < 128 else f"&#{ord(letter)};" for letter in password.strip())


def _charset(answer: Answer) -> str:
    """The character set of a page, in which it wants its forms back."""
    named = re.search(r"charset=[\"']?([\w-]+)", answer.headers.get("Content-Type", ""), re.IGNORECASE)
    named = named or _CHARSET.search(answer.text[:4000])
    return charset_of(named[1]) if named else "utf-8"


def _encoded(fields: list[tuple[str, str]], charset: str) -> list[tuple[str, str | bytes]]:
    """Fields as a browser sends them: in the page's character set, what it lacks as references."""
    try:
        return [(name, value.encode(charset, "xmlcharrefreplace")) for name, value in fields]
    except LookupError:
        return [(name, value) for name, value in fields]


def _form(tree: Tree) -> Tree:
    """The form that takes a text; a page of a message has a small one for answers too, which does as well."""
    return next((form for form in tree.iter("form") if form.find(".//textarea[@name='message']") is not None), None)


def _errors(tree: Tree) -> list[str]:
    """The complaints that stand above a form that was given back: a numbered list in a panel (3) or a block of errors (4)."""
    boxes = tree.xpath(
        "//div[contains(@class, 'errorblock') or contains(@class, 'blockrow error')]//ol/li"
        " | //td[contains(@class, 'panelsurround')]//div[contains(@class, 'panel')]//ol/li"
    )
    return [words_of(line) for line in boxes]


def _post_in(target: str) -> str | None:
    """The post that an address leads to, in whatever way the board writes its addresses."""
    parts = split(target)
    named = re.fullmatch(r"post(\d+)", parts.fragment)
    if named:
        return named[1]
    post = query(target).get("p", "")
    return post if post.isdecimal() and ("showthread" in parts.path or "/threads/" in parts.path) else None
