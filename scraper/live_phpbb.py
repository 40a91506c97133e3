"""A live phpBB 3.2 or 3.3: topics, posts, edits and private messages through its own pages and forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from types import ModuleType
from typing import ClassVar
from urllib.parse import parse_qsl, urljoin
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from lxml import html

from scraper import phpbb
from scraper.addresses import join, split
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
)
from scraper.live import LiveForum, Tree, form_action, form_fields, is_login, one_line, signed_in, words_of
from scraper.markup import read_markup
from scraper.model import Message, NotTheTopic, Page, Post, SourceError
from scraper.session import Answer, Session, TryAgain, Uncertain
from scraper.topicpage import language_of, visible

TRIES = 4  # of sending one form
FLOOD_WAIT = 15.0  # seconds, the board's default; boards do not tell theirs
FAR = 9_999_990  # past the end of any topic: phpBB then shows the last page
_IN_ORDER = "&st=0&sk=t&sd=a"
_OF_A_YEAR = "&st=365&sk=t&sd=a"
_ANY = "&f=1"  # before 3.3.5 a forum must be named, whichever: the topic's own is taken
_EMOJI = re.compile("[\U00010000-\U0010ffff]")
_OFFSET = re.compile(r"""<span title=["'][^"'<>]*["']>(?:UTC|GMT)(?:(?P<hours>[+-]\d\d):(?P<minutes>\d\d))?</span>""")
"""“All times are UTC+05:30”, in the foot of each page since 3.1, in any language."""
_POST = re.compile(r"[?&]p=(\d+)")
_PLACE = re.compile(r"[?&]([tp]=\d+)")
_OWN_FOLDER = re.compile(r"\bi=pm&folder=(\d+)\b")
_CAPTCHA = (
    "//form[@id='login']//*[contains(@class, 'captcha') or @name='confirm_code' or starts-with(@name, 'qa_')"
    " or starts-with(@name, 'recaptcha')]"
)
# What a form says that may simply be sent again: in English, German and French. In other languages every complaint is taken for
# one of these at first.
_FLOOD = re.compile("so soon after|so schnell nach|devez patienter", re.IGNORECASE)
_STALE = re.compile("form was invalid|form has expired|formular war ungültig|formulaire est invalide", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a message folder: `people` are the sender of a received, the recipients of a sent message."""

    id: str
    subject: str
    people: tuple[str, ...]
    when: str
    url: str


class LivePhpbb(LiveForum):
    """See Forum. Addresses need the board's posts per page, which its pages tell."""

    reader: ClassVar[ModuleType] = phpbb

    def __init__(
        self,
        base_url: str,
        session: Session,
        *,
        timezone: tzinfo = UTC,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(base_url, session, timezone=timezone, now=now)
        self._held: set[str] = set()  # topics in which a post of ours waits for approval

    # ------------------------------------------------------------------ signing in

    def _name_on(self, tree: Tree) -> str | None:
        return _account_name(tree)

    def _log_in(self, name: str, password: str) -> str:
        for _ in range(2):
            answer = self.session.get(f"{self.base_url}ucp.php?mode=login")
            form = self._form(self._tree(answer), "login")
            self.session.sleep(1.0)  # a form sent in the second it was made is refused
            fields = form_fields(form, username=name, password=password, autologin="on", login="Login")
            answer = self.session.post(form_action(form, answer.url), fields, harmless=True)
            tree = self._tree(answer)
            if signed_in(tree):
                self._check_cookies(name)
                return _account_name(tree) or name
            error = tree.find(".//div[@class='error']")
            said = words_of(error) if error is not None else _words(tree)
            if tree.xpath(_CAPTCHA) or "captcha" in said.lower():
                raise LoginFailed(
                    f"The forum wants a CAPTCHA before {name} may log in: there were too many wrong passwords.",
                    advice="Log in once with a browser, which resets the count; then correct the password here.",
                )
            if "invalid" not in said.lower():
                break
            self.session.forget()
            self.session.private = True
        raise LoginFailed(
            f"The forum did not accept the login of {name}" + (f": {said}" if said else "."),
            advice="Check the name and the password. After three wrong ones the forum asks for a CAPTCHA.",
        )

    def _check_cookies(self, name: str) -> None:
        """Whether the login holds on the next page: its first page is told who we are in the address as well."""
        if not signed_in(self._tree(self.session.get(f"{self.base_url}index.php"))):
            raise LoginFailed(
                f"The forum let {name} in and forgets it on the next page: its cookies are not meant for {self.base_url}.",
                advice="Put the topic's address into game.toml exactly as the forum's own links have it: https or http, with or "
                "without www.",
            )

    # ------------------------------------------------------------------ reading

    def _page(self, topic: str, address: str) -> Page:
        """See LiveForum. While a post of ours waits for approval, phpBB counts the topic without it and shows it all the same:
        later pages stand one place off, and one post on none of them. Asked for the posts of a year it counts them all."""
        page = super()._page(topic, address)
        if topic in self._held or not any(post.deleted and self._is_me(post.author) for post in page.posts):
            return page
        self._held.add(topic)
        return super()._page(topic, address.replace(_IN_ORDER, _OF_A_YEAR))

    def _zone(self, text: str) -> tzinfo:
        """By the page's foot: edits, and messages in a list, are dated in the account's zone, with no moment for machines."""
        *_, told = None, *_OFFSET.finditer(text)  # the last: posts stand before it
        if told is None:
            return self.timezone
        hours, minutes = int(told["hours"] or 0), int(told["minutes"] or 0)
        offset = timedelta(hours=hours, minutes=-minutes if (told["hours"] or "").startswith("-") else minutes)
        return self.timezone if self.now().astimezone(self.timezone).utcoffset() == offset else timezone(offset)

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        order = _OF_A_YEAR if topic in self._held else _IN_ORDER
        if isinstance(where, Containing):
            return f"{self.base_url}viewtopic.php?p={where.post_id}{order}"
        start = FAR if where == "last" else (int(where) - 1) * (per_page or 0)
        return f"{self.base_url}viewtopic.php?t={topic}" + (f"&start={start}" if start else "") + order

    def exact_times(self, topic: str, posts: Collection[Post]) -> Mapping[str, datetime]:
        """See Forum.exact_times. Pages tell seconds since 3.2.9; a feed, where there is one, has the newest fifteen posts."""
        if not minutes_only(posts):
            return {}
        with suppress(SourceError):
            return published(self.session.get(f"{self.base_url}app.php/feed/topic/{topic}").text, _POST)
        return {}

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. Sent again by itself when somebody else posted meanwhile: then nothing was posted yet."""
        given = {"message": bbcode} | ({"subject": subject} if subject else {})
        return self._post(f"{self.base_url}posting.php?mode=reply&t={topic}{_ANY}", given)

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit."""
        given = {"message": bbcode} | ({"subject": subject} if subject else {})
        return self._post(f"{self.base_url}posting.php?mode=edit&p={post_id}{_ANY}", given)

    def _post(self, url: str, given: dict[str, str]) -> PostRef:
        answer = self._submit(url, given, multipart=True)
        post_id = _new_post(answer)
        if post_id is None:  # taken, but told in words and not by leading to the post
            said = "the forum took it and does not show it." if _leads_past(answer) else _words(self._tree(answer))
            raise NeedsApproval(f"The post waits for a moderator: {said}")
        return PostRef(post_id, f"{self.base_url}viewtopic.php?p={post_id}#p{post_id}")

    def _submit(self, url: str, given: dict[str, str], *, multipart: bool, tree: Tree = None) -> Answer:
        """Fill in the form at `url` (on the page `tree` if that is at hand) and send it until it is taken; the answer that
        says so. Waits as the forum demands."""
        tree = self._fetch(url) if tree is None else tree
        said = ""
        for _ in range(TRIES):
            if said and not _is_token(said):
                self.session.sleep(FLOOD_WAIT)
            form = self._form(tree, "postform", url)
            self._pause(form)
            fields = form_fields(form, **given, post="Submit")
            if "subject" not in given and "mode=reply" in url:  # the topic's title, with signs that not every account may use
                fields = [(name, _EMOJI.sub("", value) if name == "subject" else value) for name, value in fields]
            answer = self.session.post(form_action(form, url), fields, multipart=multipart, follow=False)
            if _new_post(answer) or _leads_past(answer):
                return answer
            try:
                tree = self._tree(answer)
            except SourceError as broken:
                raise Uncertain(f"After sending: {broken}", advice="It is looked for before anything is sent again.") from None
            said = ""
            if is_login(tree):
                self._again_signed_in()
                tree = self._fetch(url)
                continue
            if _words(tree):
                if not _accepted(tree):
                    raise self._refusal(_words(tree), url)
                return answer
            if tree.find(".//form[@id='postform']") is None:
                raise Uncertain(
                    "The forum answered what was sent with some other page.",
                    advice="It is looked for before anything is sent again.",
                )
            said = _complaint(tree)
            if said and _is_understood(tree) and not _is_flood(said) and not _is_token(said):
                break
        raise _given_back(said)

    def _pause(self, form: Tree) -> None:
        """Wait as long as a form has to lie: one sent in the second it was made is refused. Before 3.2.4 it takes two, and what
        is sent sooner is answered as if it had been taken."""
        self.session.sleep(1.0 if form.find(".//input[@name='lastclick']") is None else 2.1)

    def _form(self, tree: Tree, name: str, url: str = "") -> Tree:
        form = next((form for form in tree.iter("form") if form.get("id") == name), None)
        if form is None and _words(tree):
            raise self._refusal(_words(tree), url)
        if form is None:
            raise TryAgain(f"The forum's page has no form “{name}”: its title is “{_title(tree)}”.")
        return form

    def _refusal(self, said: str, url: str) -> SourceError:
        """What a notice in place of what was asked for means. In what language it may be: the topic's own page tells."""
        place = _PLACE.search(url)
        if place:
            answer = self.session.get(f"{self.base_url}viewtopic.php?{place[1]}")
            try:
                page = phpbb.read_page(answer.text, timezone=self.timezone, now=self.now(), base_url=self.base_url)
            except NotTheTopic:
                if answer.status < 400:  # neither missing nor forbidden: the whole forum is closed
                    return TryAgain(f"The forum says: {said}")
            else:
                if page.locked:
                    asks = "Ask a moderator to open the topic. Nothing was posted, the draft stays."
                    return TopicLocked(f"The forum says: {said}", advice=asks)
        return NotAllowed(f"The forum says: {said}", advice="Check the account's rights on the forum. Nothing was posted.")

    # ------------------------------------------------------------------ private messages

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """See Forum.send_message. The name is given first, so that nothing is written to somebody the forum does not know."""
        url = f"{self.base_url}ucp.php?i=pm&mode=compose"
        tree = self._addressed(url, to)
        if is_login(tree):
            self._again_signed_in()
            tree = self._addressed(url, to)
        fields = form_fields(self._form(tree, "postform"))
        chosen = {name: value for name, value in fields if name.startswith("address_list[")}
        if len(chosen) != 1:
            said = _complaint(tree)
            raise NotAllowed(
                f"The forum knows nobody called “{to}” to whom this account may write." + (f" It says: {said}" if said else ""),
                advice="Check the spelling in game.toml, and that the player accepts private messages. Nothing was sent.",
            )
        given = {**chosen, "subject": subject, "message": bbcode, "username_list": ""}
        self._submit(url, given, multipart=False, tree=tree)

    def _addressed(self, url: str, to: str) -> Tree:
        """The form of a new message once a name has been given in it."""
        form = self._form(self._fetch(url), "postform")
        self._pause(form)
        fields = form_fields(form, username_list=to, add_to="Add")
        return self._tree(self.session.post(form_action(form, url), fields, harmless=True))

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """See Forum.messages. One request for each folder where there is nothing new: the account's own folders are read too,
        since filters and full inboxes move messages there. Raises SourceError where the forum holds messages back."""
        url = f"{self.base_url}ucp.php?i=pm&folder=inbox"
        inbox = self._released(self._folder(url), url)
        found = self._messages("inbox", since, known, inbox)
        for folder in sorted(set(_OWN_FOLDER.findall(" ".join(str(a.get("href")) for a in inbox.iter("a"))))):
            found += self._messages(folder, since, known)
        once = {message.id: message for message in found}  # pages overlap where something came in between
        return iter(sorted(once.values(), key=lambda message: int(message.id)))

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """See Forum.sent_messages. Those that nobody has opened yet are in a folder of their own."""
        found = {m.id: m for folder in ("sentbox", "outbox") for m in self._messages(folder, since, ())}
        return iter(sorted(found.values(), key=lambda message: int(message.id)))

    def _folder(self, url: str) -> Tree:
        """A page of a message folder, and nothing else."""
        tree = self._fetch(url)
        if tree.find(".//form[@id='viewfolder']") is None:
            raise TryAgain(f"The forum shows no mailbox. It says: {_words(tree) or _title(tree)}")
        return tree

    def _released(self, tree: Tree, url: str) -> Tree:
        """The folder with the messages in it that did not fit before, if they do by now."""
        release = _release_link(tree)
        if release is None:
            return tree
        tree = self._folder(join(url, str(release.get("href"))) or url)
        release = _release_link(tree)
        if release is not None:
            raise SourceError(
                f"The mailbox is full, and the forum holds back what came since: {words_of(release.getparent())}",
                advice="Delete messages or move them to a folder of your own in a browser, as many as are held back. Until they "
                "can be read nothing is counted or resolved; nothing is lost.",
            )
        return self._folder(url)

    def _messages(self, folder: str, since: datetime | None, known: Collection[str], first: Tree = None) -> list[Message]:
        url: str | None = f"{self.base_url}ucp.php?i=pm&folder={folder}"
        found: list[Message] = []
        while url:
            tree = self._folder(url) if first is None else first
            first = None
            rows = _rows(tree, url)
            language = language_of(tree)
            fresh = [row for row in rows if row.id not in known and not self._older(row, since, language)]
            read = self._read(tree, url, fresh, folder) if fresh else []
            news = [message for message in read if since is None or message.sent_at is None or message.sent_at >= since]
            found += news
            older = next((str(a.get("href")) for a in tree.iter("a") if a.get("rel") == "next"), None)
            url = join(url, older) if older and news and len(fresh) == len(rows) else None
        return sorted(found, key=lambda message: int(message.id))

    def _older(self, row: _Row, since: datetime | None, language: str) -> bool:
        """Whether the list's own date is well before `since`: a day, whatever zone the account may be in."""
        moments = self._moments(row.when, language, self.timezone)
        return since is not None and bool(moments) and max(moments) < since - timedelta(days=1)

    def _moments(self, words: str, language: str, zone: tzinfo) -> set[datetime]:
        """What a date in a list may mean: 5/11 is in May or in November, as the account has chosen."""
        now = self.now()
        readers = (DateReader(timezone=zone, now=now, languages=order) for order in ((language, "en"), ("en",), ("en-gb", "en")))
        found = [reader.find(DateText(words)) for reader in readers]
        return {moment for moment in found if moment is not None}

    def _read(self, tree: Tree, url: str, rows: list[_Row], folder: str) -> list[Message]:
        """The messages of `rows`: exact time and source from the folder's own export, else from their pages."""
        form = self._form(tree, "viewfolder")
        self.session.sleep(1.0)
        fields = form_fields(form, export_option="XML", submit_export="Go")
        exported = _exported(self.session.post(form_action(form, url), fields, harmless=True).text)
        me = self._name_on(tree) or ""
        sent = folder in ("sentbox", "outbox")
        out: list[Message] = []
        at = 0
        for row in rows:
            match = next((i for i in range(at, len(exported)) if _same(row, exported[i], sent)), None)
            if match is None:
                out.append(self._open(row, me, sent))
                continue
            at = match + 1
            entry = exported[match]
            to = row.people if sent else (me,)
            out.append(Message(row.id, entry.sender, to, entry.sent_at, entry.subject, entry.body, row.url))
        return out

    def _open(self, row: _Row, me: str, sent: bool) -> Message:
        tree = self._fetch(row.url)
        post = next((div for div in tree.iter("div") if div.get("id") == f"post-{row.id}"), None)
        content = None if post is None else next((div for div in post.iter("div") if div.get("class") == "content"), None)
        if content is None:
            raise TryAgain(f"The message “{row.subject[:80]}” could not be opened.")
        body = read_markup(content, authors=(), breaks_told=True).bbcode
        moments = self._moments(row.when, language_of(tree), self._zone(html.tostring(tree, encoding="unicode")))
        sent_at = moments.pop() if len(moments) == 1 else None
        sender, to = (me, row.people) if sent else (row.people[0], (me,))
        return Message(row.id, sender, to, sent_at, row.subject, body, row.url)


def _account_name(tree: Tree) -> str | None:
    """Whose page this is: the name in the head's menu."""
    for place in tree.xpath("//*[@id='username_logged_in']"):
        named = next((e for e in place.iter("span", "a") if (e.get("class") or "").startswith("username")), None)
        if named is not None:
            return visible(named)
    link = next((a for a in tree.iter("a") if "mode=logout" in (a.get("href") or "")), None)
    found = re.search(r"\[ (.+) \]", visible(link)) if link is not None else None  # 3.0: "Logout [ Name ]"
    return found[1] if found else None


def _new_post(answer: Answer) -> str | None:
    """The id of the post that the forum sends us on to after taking what was sent, whatever host it thinks it is."""
    for hop in answer.hops:
        parts = split(hop)
        named = dict(parse_qsl(parts.query)).get("p") or re.sub(r"^p", "", parts.fragment)
        if parts.path.endswith("viewtopic.php") and named.isdecimal():
            return named
    return None


def _leads_past(answer: Answer) -> bool:
    """Whether the forum took what was sent and leads to the topic or forum instead of the post: nobody may see it yet, such as an
    edit of a post that waits for a moderator still.
    """
    here = split(answer.url).netloc
    hops = [split(hop) for hop in answer.hops]
    return not answer.text.strip() and any(
        hop.netloc == here and hop.path.endswith(("viewtopic.php", "viewforum.php")) for hop in hops
    )


def _words(tree: Tree) -> str:
    """What a page says that holds nothing but a notice; empty for all other pages."""
    notice = tree.find(".//div[@id='message']")
    if notice is None:
        return ""
    paragraph = notice.find(".//p")
    return words_of(paragraph if paragraph is not None else notice) or "(no words)"


def _accepted(tree: Tree) -> bool:
    """Whether a notice after sending tells of success: in any language it then moves on by itself."""
    return tree.find(".//meta[@http-equiv='refresh']") is not None or "success" in _words(tree).lower()


def _complaint(tree: Tree) -> str:
    """What a form says that was given back; empty where it only shows what others have posted meanwhile."""
    error = tree.find(".//form[@id='postform']//p[@class='error']")
    return words_of(error) if error is not None else ""


def _given_back(said: str) -> SourceError:
    """Why a form was given back every time. In other languages than these only the forum's words can tell."""
    if _is_flood(said):
        return FloodLimit("The forum still says that it is too soon for another post.", wait=FLOOD_WAIT)
    if not said or _is_token(said):
        return TryAgain(f"The forum gave the form back again and again. It says: {said or 'nothing'}")
    return Refused(f"The forum refused the text: {said}", advice="Change the draft (`nightpost outbox edit`).")


def _is_flood(said: str) -> bool:
    return _FLOOD.search(said) is not None


def _is_token(said: str) -> bool:
    return _STALE.search(said) is not None


def _is_understood(tree: Tree) -> bool:
    return language_of(tree).lower()[:2] in ("en", "de", "fr")


def _title(tree: Tree) -> str:
    title = tree.find(".//title")
    return words_of(title)[:100] if title is not None else ""


def _release_link(tree: Tree) -> Tree:
    return next((a for a in tree.iter("a") if "release=1" in (a.get("href") or "")), None)


def _rows(tree: Tree, url: str) -> list[_Row]:
    rows: list[_Row] = []
    for line in tree.iter("dl"):
        if "row-item" not in (line.get("class") or "").split():
            continue
        title = next((a for a in line.iter("a") if "topictitle" in (a.get("class") or "").split()), None)
        named = dict(parse_qsl(split(title.get("href") or "").query)).get("p", "") if title is not None else ""
        if title is None or not named.isdecimal():
            continue
        people = tuple(visible(e) for e in line.iter("a", "span") if (e.get("class") or "").startswith("username"))
        # The date stands last, behind the names; a subject may hold numbers too.
        when = visible(line).rpartition(people[-1] if people else "»")[2].rpartition("»")[2].strip()
        rows.append(_Row(named, words_of(title), people or ("",), when, urljoin(url, f"ucp.php?i=pm&mode=view&p={named}")))
    return rows


@dataclass(frozen=True, slots=True)
class _Exported:
    subject: str
    sender: str
    sent_at: datetime | None
    body: str


def _exported(text: str) -> list[_Exported]:
    """The messages of an XML export, in the folder's order; none where the answer is no export."""
    try:
        root = fromstring(text.encode(), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return []
    out = []
    for entry in root.iter("privmsg"):
        told = {part.tag: part.text or "" for part in entry}
        try:
            sent_at = datetime.fromisoformat(told.get("date", "").strip())
        except ValueError:
            return []
        if sent_at.tzinfo is None:
            return []
        out.append(_Exported(told.get("subject", ""), told.get("sender", ""), sent_at, told.get("message", "")))
    return out


def _same(row: _Row, entry: _Exported, sent: bool) -> bool:
    if not sent and row.people[0] != entry.sender:
        return False
    return row.subject == one_line(entry.subject)
