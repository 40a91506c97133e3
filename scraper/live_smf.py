"""A live SMF 2.0 or 2.1: topics, posts, edits and private messages through its own pages, forms and feeds.

What the forum means is read from its pages' structure and never from its words, which are in the account's language: an error
page of 2.1 carries the error's name as an id, a form that comes back carries what has changed since it was loaded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta, timezone, tzinfo
from html import unescape
from types import ModuleType
from typing import ClassVar
from urllib.parse import quote
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from lxml import html

from scraper import smf
from scraper.addresses import split
from scraper.dates import DateReader, DateText
from scraper.feeds import minutes_only, published
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
    same_words,
)
from scraper.live import LiveForum, Tree, form_action, form_fields, is_login, signed_in, words_of
from scraper.model import Message, NotTheTopic, Page, Post, SourceError
from scraper.session import Answer, TryAgain, Uncertain
from scraper.smf_mail import Folder, Letter, read_feed, read_folder
from scraper.topicpage import language_of, number_in, one_line, utc, visible

FAR = 9_999_990  # past the end of any topic: SMF then shows the last page
TRIES = 4  # of sending one form
FLOOD_WAIT = 5.0  # seconds, the board's default, where the forum does not tell
LOGIN_WAIT = 30.0  # seconds at most
HOUR = 3600.0
FEW, MOST = 50, 255  # messages asked of the feed; it gives no more than the latter

_SESSION_NAME = re.compile(r"[0-9a-z]{6,14}")
_SESSION_VALUE = re.compile(r"[0-9a-f]{20,64}")
_OWN_NUMBER = re.compile(r"smf_member_id\s*=\s*'?(\d+)")
_CAPTCHA = (
    "boolean(.//*[starts-with(@id, 'verification_control') or contains(@class, 'post_verification') or contains(@name, '_vv[')])"
)
_MESSAGE = re.compile(r"\.msg(\d+)")
_CLOCK = re.compile(r"""<time\s+datetime=["']([^"']+)["'][^>]*>([^<]*)</time>""")
_LANGUAGE = re.compile(r"""<html[^>]*\slang=["']([\w-]+)""")
_LOOK = "It is looked for before anything is sent again."

Fields = list[tuple[str, str]]


class LiveSmf(LiveForum):
    """See Forum. A reader's own number of posts a page decides the steps between pages, and it may be newest first."""

    reader: ClassVar[ModuleType] = smf
    _own: str | None = None  # our member number, once a page has told it

    # ------------------------------------------------------------------ signing in

    def _name_on(self, tree: Tree) -> str | None:
        for place in tree.xpath("//a[@id='profile_menu_top'] | //*[@id='top_info']//a[contains(@href, 'action=profile')]"):
            if visible(place):
                return visible(place)
        greeting = tree.xpath("//li[contains(@class, 'greeting')]//span")  # SMF 2.0
        return visible(greeting[0]) if greeting else None

    def _tree(self, answer: Answer) -> Tree:
        told = _OWN_NUMBER.search(answer.text)
        if told and told[1] != "0":
            self._own = told[1]
        return super()._tree(answer)

    def _log_in(self, name: str, password: str) -> str:
        said = "."
        for _ in range(3):
            answer = self.session.get(f"{self.base_url}index.php?action=login")
            form = next((form for form in self._tree(answer).iter("form") if form.get("id") == "frmLogin"), None)
            if form is None:
                raise LoginFailed("The forum shows no login form.", advice="Try to log in with a browser. Nothing was sent.")
            # The hidden fields' names differ each time; they are sent as they stand.
            stay = {"cookielength": "3153600"}  # minutes
            if form.find(".//input[@name='cookieneverexp']") is not None:
                stay["cookieneverexp"] = "on"  # 2.0 takes no number as large
            fields = form_fields(form, user=name, passwrd=password, **stay)
            answer = self.session.post(form_action(form, answer.url), fields, harmless=True)
            tree = self._tree(answer)
            if signed_in(tree):
                return self._name_on(tree) or name
            if any("action=logintfa" in hop for hop in answer.hops):
                raise LoginFailed(
                    f"The forum asks {name} for a second proof besides the password.",
                    advice="Nightpost cannot give it: use an account without two-factor login for the game.",
                )
            code, words = _fatal(tree) or ("", "")
            said = f": {words}" if words else "."
            if code != "login_WaitTime_broken" and (code or number_in(words) is None):  # 2.0 does not name its errors
                break
            self.session.sleep(min(_wait(words, 2.0), LOGIN_WAIT))  # somebody at this address has just tried to log in
        errors = tree.xpath("//div[contains(@class, 'errorbox')] | //*[@id='frmLogin']//p[contains(@class, 'error')]")
        if errors and said == ".":
            said = f": {words_of(errors[0])}"
        if "action=reminder" in answer.url:
            said = ": it offers a new password instead, as after too many wrong ones."
        raise LoginFailed(
            f"The forum did not accept the login of {name}{said}",
            advice="Check the password, and the name that is used to sign in: it may differ from the one shown, and has no "
            "& ' \" < > = \\ in it.",
        )

    # ------------------------------------------------------------------ reading

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self.base_url}index.php?topic={topic}.msg{where.post_id}"
        offset = FAR if where == "last" else (int(where) - 1) * (per_page or 0)
        return f"{self.base_url}index.php?topic={topic}.{offset}"

    def _page(self, topic: str, address: str) -> Page:
        try:
            return super()._page(topic, address)
        except NotTheTopic:
            # Where the posts fill their pages exactly, an address past the end gives a page without posts.
            asked = re.search(r"\.(\d+)$", address)
            if asked is None or asked[1] == "0":
                raise
            first = super()._page(topic, self._address(topic, 1, None))
            end = (first.pages - 1) * (first.per_page or 0)
            if int(asked[1]) <= end:
                raise
            return super()._page(topic, f"{self.base_url}index.php?topic={topic}.{end}") if end else first

    def _zone(self, text: str) -> tzinfo:
        """By the clock in the head of a page. That of 2.1 tells the moment both in UTC and as the account is shown it, that of
        2.0 only the latter."""
        languages = _LANGUAGE.findall(text[:2000])[:1]
        told = _CLOCK.search(text)
        moment = utc(told[1]) if told else None
        if told is None or moment is None:
            old = smf.clock_in(text)
            return self._zone_by(old, "".join(languages)) if old else self.timezone
        dates = DateReader(timezone=self.timezone, now=moment, languages=languages)
        shown = DateText(one_line(unescape(told[2])))
        dates.learn([shown], [(shown.text, moment)])
        local = dates.read(shown)
        ahead = (local - moment) / timedelta(minutes=15) if local is not None else 0.0
        if not round(ahead) or abs(ahead) > 60 or abs(ahead - round(ahead)) > 0.1:
            return self.timezone
        offset = (moment.astimezone(self.timezone).utcoffset() or timedelta(0)) + round(ahead) * timedelta(minutes=15)
        return timezone(offset)

    def exact_times(self, topic: str, posts: Collection[Post]) -> Mapping[str, datetime]:
        """See Forum.exact_times. The feed is that of all boards which the account sees."""
        if not minutes_only(posts):
            return {}
        limit = min(MOST, FEW + 2 * len(posts))
        with suppress(SourceError):
            feed = self.session.get(f"{self.base_url}index.php?action=.xml;sa=recent;type=atom;limit={limit}")
            return published(feed.text, _MESSAGE)
        return {}

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. Sent again by itself when somebody else posted meanwhile: then nothing was posted yet.

        The forum does not tell the new post's id: it is looked for among our posts newer than the form.
        """
        form = f"{self.base_url}index.php?action=post;topic={topic}.0"
        told = dict(self._submit(form, _filled(bbcode, subject), taken=("topic", "board")))
        if "not_approved" in told:
            raise NeedsApproval("The post waits for a moderator, as all posts of this account in that board do.")
        found = self._posted(topic, bbcode, told.get("last_msg"))
        return PostRef(None, None) if found is None else self._ref(topic, found)

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit."""
        topic = self._topic_of(post_id)
        form = f"{self.base_url}index.php?action=post;msg={post_id};topic={topic}"
        self._submit(form, _filled(bbcode, subject), taken=("topic", "board"))
        return self._ref(topic, post_id)

    def _ref(self, topic: str, post_id: str) -> PostRef:
        return PostRef(post_id, f"{self.base_url}index.php?topic={topic}.msg{post_id}#msg{post_id}")

    def _posted(self, topic: str, bbcode: str, after: str | None) -> str | None:
        """The post just sent: ours, newer than the form it was written in. None where it does not show."""
        try:
            own = self.own_posts(topic, after if (after or "").isdecimal() else None)
        except SourceError:
            return None  # it was taken; where it stands is asked again later
        same = [post.id for post in own if same_words(post.bbcode, bbcode)]
        if not same and len(own) == 1 and (after or "").isdecimal():
            return own[0].id  # the forum has changed words: a censored one, a name after an @
        return same[-1] if same else None

    def _topic_of(self, post_id: str) -> str:
        answer = self.session.get(f"{self.base_url}index.php?msg={post_id}")
        if is_login(self._tree(answer)):
            self._again_signed_in()
            answer = self.session.get(f"{self.base_url}index.php?msg={post_id}")
        fatal = _fatal(self._tree(answer))
        if fatal:
            raise _refusal(*fatal)
        page: Page = self.reader.read_page(answer.text, timezone=self.timezone, now=self.now(), base_url=self.base_url)
        if page.topic_id is None or post_id not in {post.id for post in page.posts}:
            raise NotAllowed(
                f"The forum does not show post {post_id}.",
                advice="It may have been deleted or moved out of sight. Nothing was changed.",
            )
        return page.topic_id

    def _submit(self, url: str, given: dict[str, str], *, taken: tuple[str, ...], tree: Tree = None) -> Fields:
        """Fill in the form at `url` (on the page `tree` if that is at hand) and send it until it is taken; what was sent last.

        The forum tells that it has taken something by leading on to an address with one of the parameters `taken`.
        Waits as the forum demands.
        """
        tree = self._fetch(url) if tree is None else tree
        problem: SourceError = TryAgain("The forum gave the form back again and again: posts come in, or it loses the session.")
        for _ in range(TRIES):
            form = self._form(tree)
            fields = _in_charset(form, form_fields(form, **given))
            multipart = "multipart" in (form.get("enctype") or "")
            answer = self.session.post(form_action(form, url), fields, multipart=multipart, follow=False)
            if answer.hops and _leads_to(answer.hops[0], taken):
                return fields
            if answer.hops and "login" not in answer.hops[0]:
                raise Uncertain("The forum answered what was sent with some other page.", advice=_LOOK)
            tree = None if answer.hops else self._after_sending(answer)
            if tree is None or is_login(tree):
                self._again_signed_in()
                tree = self._fetch(url)
            elif fatal := _fatal(tree):
                problem = _flood(*fatal)
                if not isinstance(problem, FloodLimit) or problem.wait > self.session.longest_wait:
                    raise problem
                self.session.sleep(problem.wait)
                tree = self._fetch(url)  # the form that came too soon counts as used
            else:
                self._check_returned(tree, fields)
        raise problem

    def _after_sending(self, answer: Answer) -> Tree:
        try:
            return self._tree(answer)
        except SourceError as broken:
            raise Uncertain(f"After sending: {broken}", advice=_LOOK) from None

    def _check_returned(self, tree: Tree, sent: Fields) -> None:
        """Whether a form that came back may simply be sent again: there are new posts, or a new session. Raises if not."""
        form = next((form for form in tree.iter("form") if form.get("id") == "postmodify"), None)
        if form is None:
            raise Uncertain("The forum answered what was sent with some other page.", advice=_LOOK)
        fresh = set(form_fields(form)) - set(sent)
        if any(name == "last_msg" or _is_session(name, value) for name, value in fresh):
            return
        refused = words_of(next(iter(tree.xpath("//*[@id='error_list']")), html.Element("p")))
        failed = [words_of(e) for e in tree.xpath("//form[@id='postmodify']/preceding::span[@class='error']")]  # who gets it not
        if failed or form.xpath("boolean(.//*[@id='caption_to']/descendant-or-self::*[contains(@class, 'error')])"):
            raise NotAllowed(
                f"The forum does not send this message: {' '.join([*failed, refused]).strip()}",
                advice="Check the spelling in game.toml, and that the player accepts private messages. Nothing was sent.",
            )
        if refused:
            raise Refused(f"The forum refused the text: {refused}", advice="Change the draft (`nightpost outbox edit`).")

    def _form(self, tree: Tree) -> Tree:
        if fatal := _fatal(tree):
            raise _refusal(*fatal)
        form = next((form for form in tree.iter("form") if form.get("id") == "postmodify"), None)
        if form is None:
            raise TryAgain("The forum's page has no form for writing.")
        if form.xpath(_CAPTCHA):
            raise NotAllowed(
                "The forum asks this account for a CAPTCHA before it may write.",
                advice="By default it does so for private messages of accounts with less than five posts: write these by hand "
                "first, or ask the board's owner to lift it. Nothing was sent.",
            )
        return form

    # ------------------------------------------------------------------ private messages

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """See Forum.send_message. The forum is first asked for the member of exactly this shown name."""
        url = f"{self.base_url}index.php?action=pm;sa=send"
        tree = self._fetch(url)
        session = next(((name, value) for name, value in form_fields(self._form(tree)) if _is_session(name, value)), None)
        members = self._members(to, session) if session else None
        if members is None:
            addressee = {"to": f'"{to}"' if '"' not in to else to}
        elif len(members) == 1:
            addressee = {"to": "", "recipient_to[]": members[0]}
        else:
            raise NotAllowed(
                f"The forum knows {'nobody' if not members else 'more than one member'} called “{to}”.",
                advice="Give the name that the forum shows beside the player's posts, in game.toml. Nothing was sent.",
            )
        # 2.0 keeps a copy only where it is told to: what was sent is looked for there.
        given = {**addressee, "bcc": "", "subject": subject, "message": bbcode, "message_mode": "0", "outbox": "1"}
        self._submit(url, given, taken=("done",), tree=tree)

    def _members(self, name: str, session: tuple[str, str]) -> list[str] | None:
        """The numbers of the members with this shown name, as the forum's own form looks them up; None where it does not."""
        # Signs are kept as HTML by the forum, in several ways: any number of letters may stand for each.
        pattern = re.sub(r"[^\w\s]+|_+", "*", name.casefold())
        answer = self.session.get(
            f"{self.base_url}index.php?action=suggest;suggest_type=member;search={quote(pattern)};{session[0]}={session[1]};xml"
        )
        try:
            root = fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", answer.text).encode(), forbid_dtd=True)
        except (ParseError, DefusedXmlException, ValueError):
            return None
        if answer.status != 200 or root.find(".//items") is None:
            return None
        # A name that itself looks like HTML ("&amp;" after a bad move of the board) is right as first decoded.
        once = [(str(item.get("id")), unescape(item.text or "").strip()) for item in root.iter("item")]
        twice = [(number, unescape(shown).strip()) for number, shown in once]
        folded = [(number, shown.casefold()) for number, shown in twice]
        tries = ((once, name), (twice, name), (folded, name.casefold()))
        return next((hits for found, to in tries if (hits := [number for number, shown in found if shown == to])), [])

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """See Forum.messages. One request where there is nothing new; nothing is marked as read in 2.1."""
        return iter(self._messages("inbox", since, known))

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """See Forum.sent_messages."""
        return iter(self._messages("sent", since, ()))

    def _messages(self, folder: str, since: datetime | None, known: Collection[str]) -> list[Message]:
        first = self._fetch(self._listing(folder, 0)) if self._own is None else None  # 2.0 tells our number nowhere
        letters = self._fed(folder, since, known)
        if letters is None:
            letters = self._turned_over(folder, since, known, first)
        found = {
            letter.id: letter for letter in letters
            if letter.id not in known and (since is None or letter.sent_at is None or letter.sent_at >= since)
        }  # fmt: skip
        return [self._message(found[number], folder) for number in sorted(found, key=int)]

    def _message(self, letter: Letter, folder: str) -> Message:
        source = f"{self.base_url}index.php?action=pm;f={folder};pmsg={letter.id}"
        people = tuple(name for _, name in letter.people)
        return Message(letter.id, letter.sender, people, letter.sent_at, letter.subject, letter.body, source)

    def _fed(self, folder: str, since: datetime | None, known: Collection[str]) -> list[Letter] | None:
        """A folder's messages from the forum's feed of both folders; None where there is no such feed, or too much in it."""
        # A busy board keeps an answer for some minutes: another number is another question.
        other = int(self.now().timestamp()) % 50
        for limit in (FEW + other, MOST - other) if self._own else ():
            url = f"{self.base_url}index.php?action=.xml;sa=personal_messages;type=smf;u={self._own};limit={limit}"
            letters = read_feed(self.session.get(url).text)
            if letters == []:  # an empty mailbox, or a session that ended
                self._fetch(f"{self.base_url}index.php?action=pm")
                letters = read_feed(self.session.get(url).text)
            if letters is None:
                return None
            ours = [one for one in letters if self._lies_in(one, folder)]
            if len(letters) < limit or any(self._old(one, since, known) for one in ours):
                return ours
        return None

    def _lies_in(self, letter: Letter, folder: str) -> bool:
        if folder == "sent":
            return letter.sender_id == self._own
        return any(number == self._own for number, _ in letter.people)

    @staticmethod
    def _old(letter: Letter, since: datetime | None, known: Collection[str]) -> bool:
        """Whether everything before this message has been read, or is too old: a day more, whatever zone a page shows."""
        return letter.id in known or (
            since is not None and letter.sent_at is not None and letter.sent_at < since - timedelta(days=1)
        )

    def _listing(self, folder: str, start: int) -> str:
        return f"{self.base_url}index.php?action=pm;f={folder};sort=date;desc;start={start}"

    def _turned_over(self, folder: str, since: datetime | None, known: Collection[str], first: Tree) -> list[Letter]:
        """A folder's messages from its pages, newest first, opened where a page shows only their subjects. `first` is the first
        page, None where it is not at hand.
        """
        letters: dict[str, Letter] = {}
        start: int | None = 0
        while start is not None:
            tree = first if start == 0 and first is not None else self._fetch(self._listing(folder, start))
            page = self._listed(tree, start)
            shown = {letter.id: letter for letter in page.letters}
            for number in page.ids:
                if number not in known and number not in shown:
                    opened = self._fetch(f"{self.base_url}index.php?action=pm;f={folder};pmsg={number}")
                    shown |= {one.id: one for one in self._listed(opened, 0).letters}
            if not shown and any(number not in known for number in page.ids):
                raise SourceError(
                    "Private messages are shown in a style that cannot be read: none was found where there are some.",
                    advice=f"Choose {smf.STYLE} in the profile of the host's account. No message is lost.",
                )
            letters |= shown
            done = any(number in known for number in page.ids) or any(self._old(one, since, known) for one in shown.values())
            start = None if done else page.following
        me = self.who_am_i()
        return [one for one in letters.values() if (one.sender == me) == (folder == "sent")]

    def _listed(self, tree: Tree, start: int) -> Folder:
        """The messages on a page. Its own clock tells the order of day and month."""
        text = html.tostring(tree, encoding="unicode")
        told = _CLOCK.search(text)
        clock = one_line(unescape(told[2])) if told else smf.clock_in(text)
        dates = DateReader(timezone=self._zone(text), now=self.now(), languages=(language_of(tree),))
        return read_folder(tree, dates, start, [(clock, self.now())] if clock else [])


def _filled(bbcode: str, subject: str | None) -> dict[str, str]:
    """What a post's form is given: the text is BBCode and has no smileys (“(8)” is a number), and we come back to the topic."""
    return {"message": bbcode, "message_mode": "0", "ns": "NS", "goback": "1"} | ({"subject": subject} if subject else {})


def _in_charset(form: Tree, fields: Fields) -> Fields:
    """Fields as a form's character set takes them: on a board of 2.0 that has no UTF-8, other letters go as references."""
    if (form.get("accept-charset") or "utf-8").lower().startswith("utf"):
        return fields
    return [(name, value.encode("ascii", "xmlcharrefreplace").decode()) for name, value in fields]


def _fatal(tree: Tree) -> tuple[str, str] | None:
    """The name (of 2.1; else empty) and the words of an error page; None for all other pages."""
    box = tree.find(".//*[@id='fatal_error']")
    if box is None:
        return None
    inner = next((e for e in box.iter("div") if "padding" in (e.get("class") or "").split()), box)
    named = next((e for e in box.iterdescendants("div") if e.get("id")), None)
    return ("", words_of(inner)) if named is None else (str(named.get("id")), words_of(named))


def _flood(code: str, said: str) -> SourceError:
    """What an error page after sending means: a FloodLimit with the seconds to wait, or what `_refusal` says."""
    seconds = number_in(said)
    if code.endswith("_WaitTime_broken") or (not code and seconds is not None):
        return FloodLimit(f"The forum says: {said}", wait=_wait(said, FLOOD_WAIT))
    if not code:  # 2.0 does not name its errors: this may as well say that it has the post already
        return Uncertain(f"The forum says: {said}", advice=_LOOK)
    return _refusal(code, said)


def _wait(said: str, default: float) -> float:
    """How many seconds an error page asks for, and one more."""
    return float(number_in(said) or default) + 1.0


def _refusal(code: str, said: str) -> SourceError:
    if code == "topic_locked" or (not code and "lock" in said.lower()):
        return TopicLocked(
            f"The forum says: {said}", advice="Ask a moderator to open the topic. Nothing was posted, the draft stays."
        )
    if code == "error_form_already_submitted":
        return Uncertain(f"The forum says: {said}", advice=_LOOK)
    if code == "pm_too_many_per_hour":
        return FloodLimit(
            f"The forum says: {said}",
            wait=HOUR,
            advice="The rest goes out at later ticks, as the hour allows. The board's owner can raise the number.",
        )
    if code == "modify_post_time_passed":
        return NotAllowed(
            f"The forum says: {said}", advice="Ask the board's owner for leave to edit old posts. Nothing was changed."
        )
    return NotAllowed(f"The forum says: {said}", advice="Check the account's rights on the forum. Nothing was posted.")


def _leads_to(address: str, names: tuple[str, ...]) -> bool:
    """Whether an address has one of these parameters, written in any of the forum's ways."""
    parts = split(address)
    return any(re.search(rf"(?:^|[?;&/]){name}[=,]", f"{parts.path}?{parts.query}") for name in names)


def _is_session(name: str, value: str) -> bool:
    """Whether a hidden field is the form's session: its name and its value are drawn at random."""
    return bool(_SESSION_NAME.fullmatch(name) and _SESSION_VALUE.fullmatch(value))
