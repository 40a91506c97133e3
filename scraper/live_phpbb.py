"""A live phpBB 3.2 or 3.3: topics, posts, edits and private messages through its own pages and forms."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import ModuleType
from typing import ClassVar
from urllib.parse import parse_qsl, urljoin
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from scraper import phpbb
from scraper.addresses import join, split
from scraper.dates import DateReader, DateText
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
from scraper.model import Message, SourceError
from scraper.session import Answer, TryAgain, Uncertain

TRIES = 4  # of sending one form
FLOOD_WAIT = 15.0  # seconds, the board's default; boards do not tell theirs
FAR = 9_999_990  # past the end of any topic: phpBB then shows the last page
_IN_ORDER = "&st=0&sk=t&sd=a"


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
                return _account_name(tree) or name
            error = tree.find(".//div[@class='error']")
            said = words_of(error) if error is not None else ""
            if tree.find(".//*[@name='confirm_code']") is not None or "captcha" in said.lower():
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

    # ------------------------------------------------------------------ reading

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self.base_url}viewtopic.php?p={where.post_id}{_IN_ORDER}"
        start = FAR if where == "last" else (int(where) - 1) * (per_page or 0)
        return f"{self.base_url}viewtopic.php?t={topic}" + (f"&start={start}" if start else "") + _IN_ORDER

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. Sent again by itself when somebody else posted meanwhile: then nothing was posted yet."""
        given = {"message": bbcode} | ({"subject": subject} if subject else {})
        return self._post(f"{self.base_url}posting.php?mode=reply&t={topic}", given)

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit."""
        given = {"message": bbcode} | ({"subject": subject} if subject else {})
        return self._post(f"{self.base_url}posting.php?mode=edit&p={post_id}", given)

    def _post(self, url: str, given: dict[str, str]) -> PostRef:
        answer = self._submit(url, given, multipart=True)
        post_id = _new_post(answer)
        if post_id is None:  # taken, but told in words and not by leading to the post
            raise NeedsApproval(
                f"The post waits for a moderator: {_words(self._tree(answer))}",
                advice="Ask a moderator to approve it. It is not sent again.",
            )
        return PostRef(post_id, f"{self.base_url}viewtopic.php?p={post_id}#p{post_id}")

    def _submit(self, url: str, given: dict[str, str], *, multipart: bool, tree: Tree = None) -> Answer:
        """Fill in the form at `url` (on the page `tree` if that is at hand) and send it until it is taken; the answer that
        says so. Waits as the forum demands."""
        tree = self._fetch(url) if tree is None else tree
        said = ""
        for _ in range(TRIES):
            form = self._form(tree, "postform")
            self.session.sleep(1.0)  # a form sent in the second it was made is refused
            fields = form_fields(form, **given, post="Submit")
            answer = self.session.post(form_action(form, url), fields, multipart=multipart, follow=False)
            if _new_post(answer):
                return answer
            try:
                tree = self._tree(answer)
            except SourceError as broken:
                raise Uncertain(f"After sending: {broken}", advice="It is looked for before anything is sent again.") from None
            if is_login(tree):
                self._again_signed_in()
                tree = self._fetch(url)
                continue
            if _words(tree):
                if not _accepted(tree):
                    raise _refusal(_words(tree))
                return answer
            if tree.find(".//form[@id='postform']") is None:
                raise Uncertain(
                    "The forum answered what was sent with some other page.",
                    advice="It is looked for before anything is sent again.",
                )
            error = tree.find(".//form[@id='postform']//p[@class='error']")
            said = words_of(error) if error is not None else ""
            if _is_flood(said):
                self.session.sleep(FLOOD_WAIT)
            elif said and not _is_token(said):
                raise Refused(f"The forum refused the text: {said}", advice="Change the draft (`nightpost outbox edit`).")
        if _is_flood(said):
            raise FloodLimit("The forum still says that it is too soon for another post.", wait=FLOOD_WAIT)
        raise TryAgain(
            "The forum gave the form back again and again without a reason." if not said else f"The forum says: {said}"
        )

    def _form(self, tree: Tree, name: str) -> Tree:
        form = next((form for form in tree.iter("form") if form.get("id") == name), None)
        if form is None:
            raise _refusal(_words(tree)) if _words(tree) else TryAgain(f"The forum's page has no form “{name}”.")
        return form

    # ------------------------------------------------------------------ private messages

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """See Forum.send_message. The name is given first, so that nothing is written to somebody the forum does not know."""
        url = f"{self.base_url}ucp.php?i=pm&mode=compose"
        form = self._form(self._fetch(url), "postform")
        self.session.sleep(1.0)
        answer = self.session.post(form_action(form, url), form_fields(form, username_list=to, add_to="Add"), harmless=True)
        tree = self._tree(answer)
        fields = form_fields(self._form(tree, "postform"))
        chosen = {name: value for name, value in fields if name.startswith("address_list[")}
        if len(chosen) != 1:
            raise NotAllowed(
                f"The forum knows nobody called “{to}” to whom this account may write.",
                advice="Check the spelling in game.toml, and that the player accepts private messages. Nothing was sent.",
            )
        given = {**chosen, "subject": subject, "message": bbcode, "username_list": ""}
        self._submit(url, given, multipart=False, tree=tree)

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """See Forum.messages. One request where there is nothing new."""
        return iter(self._messages("inbox", since, known))

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """See Forum.sent_messages. Those that nobody has opened yet are in a folder of their own."""
        found = {m.id: m for folder in ("sentbox", "outbox") for m in self._messages(folder, since, ())}
        return iter(sorted(found.values(), key=lambda message: int(message.id)))

    def _messages(self, folder: str, since: datetime | None, known: Collection[str]) -> list[Message]:
        url: str | None = f"{self.base_url}ucp.php?i=pm&folder={folder}"
        found: list[Message] = []
        while url:
            tree = self._fetch(url)
            rows = _rows(tree, url)
            fresh = [row for row in rows if row.id not in known and not self._older(row, since)]
            if fresh:
                read = self._read(tree, url, fresh, folder)
                found += [message for message in read if since is None or message.sent_at is None or message.sent_at >= since]
            older = next((str(a.get("href")) for a in tree.iter("a") if a.get("rel") == "next"), None)
            url = join(url, older) if older and len(fresh) == len(rows) else None
        return sorted(found, key=lambda message: int(message.id))

    def _older(self, row: _Row, since: datetime | None) -> bool:
        """Whether the list's own date is well before `since`: a day, whatever zone the account may be in."""
        sent_at = self._moment(row.when)
        return since is not None and sent_at is not None and sent_at < since - timedelta(days=1)

    def _moment(self, words: str) -> datetime | None:
        dates = DateReader(timezone=self.timezone, now=self.now(), languages=("en",))
        return dates.find(DateText(words))

    def _read(self, tree: Tree, url: str, rows: list[_Row], folder: str) -> list[Message]:
        """The messages of `rows`: exact time and source from the folder's own export, else from their pages."""
        form = self._form(tree, "viewfolder")
        self.session.sleep(1.0)
        fields = form_fields(form, export_option="XML", submit_export="Go")
        exported = _exported(self.session.post(form_action(form, url), fields, harmless=True).text)
        me = self._name_on(tree) or ""
        out: list[Message] = []
        at = 0
        for row in rows:
            match = next((i for i in range(at, len(exported)) if _same(row, exported[i], folder)), None)
            if match is None:
                out.append(self._open(row, me, folder))
                continue
            at = match + 1
            entry = exported[match]
            to = row.people if folder != "inbox" else (me,)
            out.append(Message(row.id, entry.sender, to, entry.sent_at, entry.subject, entry.body, row.url))
        return out

    def _open(self, row: _Row, me: str, folder: str) -> Message:
        tree = self._fetch(row.url)
        post = next((div for div in tree.iter("div") if div.get("id") == f"post-{row.id}"), None)
        content = None if post is None else next((div for div in post.iter("div") if div.get("class") == "content"), None)
        if content is None:
            raise TryAgain(f"The message “{row.subject[:80]}” could not be opened.")
        body = read_markup(content, authors=(), breaks_told=True).bbcode
        sent_at = self._moment(row.when)
        sender, to = (row.people[0], (me,)) if folder == "inbox" else (me, row.people)
        return Message(row.id, sender, to, sent_at, row.subject, body, row.url)


def _account_name(tree: Tree) -> str | None:
    """Whose page this is: the name in the head's menu."""
    for place in tree.xpath("//*[@id='username_logged_in']"):
        named = next((e for e in place.iter("span", "a") if "username" in (e.get("class") or "").split()), None)
        if named is not None:
            return words_of(named)
    link = next((a for a in tree.iter("a") if "mode=logout" in (a.get("href") or "")), None)
    found = re.search(r"\[ (.+) \]", words_of(link)) if link is not None else None  # 3.0: "Logout [ Name ]"
    return found[1] if found else None


def _new_post(answer: Answer) -> str | None:
    """The id of the post that the forum sends us on to after taking what was sent, whatever host it thinks it is."""
    for hop in answer.hops:
        parts = split(hop)
        named = dict(parse_qsl(parts.query)).get("p") or re.sub(r"^p", "", parts.fragment)
        if parts.path.endswith("viewtopic.php") and named.isdecimal():
            return named
    return None


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


def _refusal(said: str) -> SourceError:
    if "lock" in said.lower():
        return TopicLocked(
            f"The forum says: {said}", advice="Ask a moderator to open the topic. Nothing was posted, the draft stays."
        )
    return NotAllowed(f"The forum says: {said}", advice="Check the account's rights on the forum. Nothing was posted.")


def _is_flood(said: str) -> bool:
    return "so soon after" in said.lower()


def _is_token(said: str) -> bool:
    return "form was invalid" in said.lower() or "form has expired" in said.lower()


def _rows(tree: Tree, url: str) -> list[_Row]:
    rows: list[_Row] = []
    for line in tree.iter("dl"):
        if "row-item" not in (line.get("class") or "").split():
            continue
        title = next((a for a in line.iter("a") if "topictitle" in (a.get("class") or "").split()), None)
        named = dict(parse_qsl(split(title.get("href") or "").query)).get("p", "") if title is not None else ""
        if title is None or not named.isdecimal():
            continue
        people = tuple(words_of(e) for e in line.iter("a", "span") if (e.get("class") or "").startswith("username"))
        # The date stands last, behind the names; a subject may hold numbers too.
        when = words_of(line).rpartition(people[-1] if people else "»")[2].rpartition("»")[2].strip()
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


def _same(row: _Row, entry: _Exported, folder: str) -> bool:
    if folder == "inbox" and row.people[0] != entry.sender:
        return False
    return row.subject == one_line(entry.subject)
