"""A live MyBB 1.8: topics, posts, edits and private messages through its own pages and forms, in any language.

What tells success from refusal is never a word: after success MyBB leads on (by a redirect, or by a page that moves on),
a refusal gives the form back with a list of errors, and where there is nothing to be done there is no form at all.

Two replies in a row of one author within an hour are made one: the second text is put behind the first post's, after a
line `[hr]`. Such a text of ours has the id `61/2`: the second part of post 61. Editing it leaves the other parts alone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from types import ModuleType
from typing import ClassVar

from scraper import mybb
from scraper.addresses import join
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
    same_words,
)
from scraper.live import LiveForum, Tree, but_for, form_action, form_fields, one_line, signed_in, words_of
from scraper.mailboxes.mybb_export import looks_like_csv, read_csv
from scraper.mailboxes.records import Reading
from scraper.markup import read_markup
from scraper.model import Message, NotTheTopic, Page, Post, SourceError
from scraper.session import Answer, TryAgain, Uncertain
from scraper.topicpage import language_of, numbers_in, visible

TRIES = 5  # of sending one form
LONGEST_WAIT = 120  # seconds that are waited out at once; boards ask for sixty
INBOX, SENT = "1", "2"  # MyBB's numbers of its folders
_MYBBS_OWN = {"0", INBOX, SENT, "3", "4"}  # the inbox by another number, drafts and what was thrown away
_FOLDER = re.compile(r"private\.php\?fid=(\d+)")
_MERGED = "\n[hr]\n"  # what MyBB puts between two texts; `_apart` keeps it out of each
_LANGUAGE = re.compile(r"<html[^>]*\blang=[\"']([\w-]+)")
_NO_SMILIES = {"postoptions[disablesmilies]": "1"}  # "Night:Dmitri" holds one
_LOOK = "It is looked for before anything is sent again."


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a message folder: `person` is the sender of a received, the recipient of a sent message."""

    id: str
    subject: str
    person: str
    when: DateText
    url: str


class LiveMybb(LiveForum):
    """See Forum. Addresses name pages by number, whatever a page holds; an account set to threads is shown pages all the same."""

    reader: ClassVar[ModuleType] = mybb
    _needs_page_size: ClassVar[bool] = False

    # ------------------------------------------------------------------ signing in

    def _name_on(self, tree: Tree) -> str | None:
        for link in tree.xpath("//*[contains(@class, 'welcome')]//a[contains(@href, 'uid=') or contains(@href, 'user-')]"):
            return visible(link)
        return None

    def _log_in(self, name: str, password: str) -> str:
        answer = self.session.get(f"{self.base_url}member.php?action=login")
        form = next((f for f in self._tree(answer).iter("form") if f.find(".//input[@name='username']") is not None), None)
        if form is None:
            said = mybb.notice_of(self._tree(answer))
            raise LoginFailed(
                f"The forum shows no login form: {said or 'it may have locked it for a while.'}",
                advice="After ten wrong passwords MyBB lets nobody in for a quarter of an hour. Nothing was sent.",
            )
        fields = form_fields(form, username=name, password=password, remember="yes", submit="Login")
        answer = self.session.post(form_action(form, answer.url), fields, harmless=True)
        tree = self._tree(answer)
        if _onward(answer):
            if not signed_in(tree):  # the page after a good login names nobody; the next one does
                tree = self._tree(self.session.get(f"{self.base_url}index.php"))
            if signed_in(tree):
                return self._name_on(tree) or name
        said = "; ".join(_errors(tree)) or mybb.notice_of(tree)
        if tree.find(".//input[@name='imagestring']") is not None:
            raise LoginFailed(
                f"The forum wants a CAPTCHA before {name} may log in: there were too many wrong passwords.",
                advice="Log in once with a browser, which resets the count; then correct the password here.",
            )
        raise LoginFailed(
            f"The forum did not accept the login of {name}" + (f": {said}" if said else "."),
            advice="Check the name and the password. After ten wrong ones MyBB lets nobody in for a quarter of an hour.",
        )

    # ------------------------------------------------------------------ reading

    def page(self, topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        """See Forum.page. A page past the end is answered with the first: then the last is fetched.

        MyBB's own address of the newest post is not used: it leads to one post only where the account is set to threads.
        """
        page = super().page(topic, 1 if where == "last" else where, per_page=per_page)
        past = where == "last" or (isinstance(where, int) and where > page.pages)
        return super().page(topic, page.pages) if past and 1 == page.page < page.pages else page

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self.base_url}showthread.php?tid={topic}&mode=linear&pid={where.post_id.partition('/')[0]}"
        number = 1 if where == "last" else int(where)
        return f"{self.base_url}showthread.php?tid={topic}&mode=linear" + (f"&page={number}" if number > 1 else "")

    def _zone(self, text: str) -> tzinfo:
        """By the clock on the page: MyBB knows hours and a switch for summer, which accounts have set rightly or not."""
        told = _LANGUAGE.search(text[:2000])
        return self._zone_by(mybb.clock_in(text), told[1] if told else "")

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. The id tells where our words stand, also when the forum has put them behind earlier ones."""
        given = {"message": _apart(bbcode), **_NO_SMILIES} | ({"subject": subject} if subject else {})
        url = f"{self.base_url}newreply.php?tid={topic}"
        try:
            onward = self._submit(url, given, "submit")
        except NotAllowed as refusal:
            raise self._why(refusal, topic, bbcode) from None
        post = re.search(r"#pid(\d+)", onward)
        if post is not None:
            try:
                return self._ref(self._placed(post[1], bbcode) or post[1], topic)
            except SourceError:
                return PostRef(None, None)  # it was taken; where in the post it stands is asked again later
        if re.search(rf"(?:\btid=|thread-){topic}\b", onward):
            raise NeedsApproval  # it was taken, and the forum leads to the topic and not to the post
        raise Uncertain("After sending, the forum led to some other page.", advice=_LOOK)

    def _why(self, refusal: NotAllowed, topic: str, bbcode: str) -> SourceError:
        """What a notice in place of the form means: the topic tells, whatever the notice's language."""
        closed = self._closed(refusal, self._address(topic, 1, None))
        with suppress(NotTheTopic):
            if closed is refusal and self.find_own_post(topic, bbcode) is not None:
                return Uncertain(f"{refusal} A post with these words is there.", advice=_LOOK)
        return closed

    def _closed(self, refusal: NotAllowed, address: str) -> SourceError:
        """The refusal, or TopicLocked where the topic's page at `address` says so."""
        try:
            page = self.reader.read_page(self.session.get(address).text, timezone=self.timezone, now=self.now())
        except NotTheTopic:
            return refusal
        advice = "Ask a moderator to open the topic. Nothing was posted, the draft stays."
        return TopicLocked(str(refusal), advice=advice) if page.locked else refusal

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit. Of a post that was made of several texts only the one meant is replaced."""
        post, _, place = post_id.partition("/")
        try:
            tree, parts = self._source(post)
        except NotAllowed as refusal:
            raise self._closed(refusal, f"{self.base_url}showthread.php?pid={post}&mode=linear") from None
        at = int(place or 1) - 1
        if at >= len(parts):
            raise NotAllowed(
                f"Post {post} no longer has a part {at + 1}, so nothing in it was changed.",
                advice="Look at it on the forum; if it was edited by hand, do this edit by hand too.",
            )
        self._save(post, tree, [*parts[:at], _apart(bbcode), *parts[at + 1 :]], subject)
        return self._ref(post_id, None)

    def find_own_post(self, topic: str, bbcode: str, after: str | None = None) -> Post | None:
        """See Forum.find_own_post. Also words that the forum has put behind earlier ones of ours, with the id of the part."""
        newest = 0 if after is None else int(after.partition("/")[0])
        above = [] if after is None else self.own_posts(topic, str(newest - 1))  # by now they may be far more than three pages
        own = {post.id: post for post in (*above, *self.own_posts(topic))}
        for post in sorted(own.values(), key=lambda post: int(post.id), reverse=True):
            placed = self._placed(post.id, bbcode, shown=post.bbcode)
            # What stood before can only have grown.
            if placed is not None and ("/" in placed or int(post.id) > newest):
                return replace(post, id=placed)
        return None

    def _ref(self, post_id: str, topic: str | None) -> PostRef:
        post = post_id.partition("/")[0]
        return PostRef(post_id, f"{self.base_url}showthread.php?" + (f"tid={topic}&" if topic else "") + f"pid={post}#pid{post}")

    def _source(self, post: str) -> tuple[Tree, list[str]]:
        """The page with an own post's edit form, and the texts that the post is made of."""
        tree = self._member_page(f"{self.base_url}editpost.php?pid={post}")
        source = str(dict(self._form(tree).form_values()).get("message") or "")
        return tree, source.replace("\r\n", "\n").strip().split(_MERGED)

    def _save(self, post: str, tree: Tree, parts: list[str], subject: str | None = None) -> None:
        given = {"message": _MERGED.join(parts), **_NO_SMILIES} | ({"subject": subject} if subject else {})
        self._submit(f"{self.base_url}editpost.php?pid={post}", given, "submitbutton", tree)

    def _placed(self, post: str, bbcode: str, *, shown: str | None = None) -> str | None:
        """Where in an own post these words stand as a text of their own: the post's id, `61/2` for the second text in it.

        The post's source tells, for a page shows pictures where there were signs. `shown` is what a page shows of a post that may
        or may not hold the words: it must do where the post may no longer be edited.
        """
        try:
            tree, parts = self._source(post)
        except NotAllowed:
            tree, parts = None, (shown or "").split(_MERGED)
        at = next((number for number in reversed(range(len(parts))) if same_words(parts[number], bbcode)), None)
        own = _apart(bbcode).strip()
        if tree is not None and at is None and parts[-1].endswith(f"\n{own}") and (shown is None or len(own) > 40):
            # This board has a separator of its own: put ours in its place, so that the text can be found for an edit.
            before = parts[-1].removesuffix(f"\n{own}").rpartition("\n")[0]
            parts = [*parts[:-1], before, own]
            self._save(post, tree, parts)
            at = len(parts) - 1
        if at is None:
            return None
        return f"{post}/{at + 1}" if at else post

    # ------------------------------------------------------------------ sending a form

    def _member_page(self, url: str) -> Tree:
        """A page as our account sees it: some boards would let a guest post, under no name."""
        tree = self._fetch(url)
        if not signed_in(tree):
            self._again_signed_in()
            tree = self._fetch(url)
        return tree

    def _form(self, tree: Tree) -> Tree:
        form = _find_form(tree)
        if form is None:
            raise self._refusal(mybb.notice_of(tree))
        return form

    def _refusal(self, said: str) -> SourceError:
        """What a notice in place of what was asked for means. One that the front page shows too is no answer to us."""
        if not said:
            return TryAgain("The forum's page has no form to write in.")
        if said == mybb.notice_of(self._tree(self.session.get(f"{self.base_url}index.php"))):
            return TryAgain(f"The forum says to everybody: {said}")
        return NotAllowed(f"The forum says: {said}", advice="Check the account's rights on the forum. Nothing was sent.")

    def _submit(self, url: str, given: dict[str, str], button: str, tree: Tree = None) -> str:
        """Fill in the form at `url` (on the page `tree` if that is at hand) and send it until it is taken: where the forum
        then leads. Waits as the forum demands. Raises NotAllowed where there is no form, Refused where errors stay."""
        tree = self._member_page(url) if tree is None else tree
        refused = said = ""
        for _ in range(TRIES):
            form = self._form(tree)
            fields = form_fields(form, **given, **{button: "1"})
            answer = self.session.post(form_action(form, url), fields, multipart=True, follow=False)
            onward = _onward(answer)
            if onward:
                return onward
            try:
                tree = self._tree(answer)
            except SourceError as broken:
                raise Uncertain(f"After sending: {broken}", advice=_LOOK) from None
            if not signed_in(tree):
                self._again_signed_in()
                tree = self._member_page(url)
            elif _find_form(tree) is not None:
                said, before = "; ".join(_errors(tree)), said
                self._wait(said, but_for(given.get("to", ""), said), again=said == before)
            else:  # a notice: the form was out of date, or the same was sent already, or the topic has just been closed
                notice = mybb.notice_of(tree) or "(no words)"
                if notice == refused:
                    raise self._refusal(notice)
                refused, tree = notice, self._member_page(url)
        raise TryAgain(f"The forum gave the form back again and again: {said or refused or 'without a reason.'}")

    def _wait(self, said: str, told: str, *, again: bool) -> None:
        """Wait as long as a list of errors may be asking for: in `told`, which is `said` without the addressee's name.

        One that stays the same after that is no matter of time.
        """
        seconds = numbers_in(told)
        if again or len(seconds) > 1:
            raise Refused(f"The forum refused the text: {said}", advice="Change the draft (`nightpost outbox edit`).")
        wait = seconds[0] if seconds else 1
        if wait > LONGEST_WAIT:
            raise FloodLimit(f"The forum says: {said}", wait=wait)
        self.session.sleep(wait + 1)

    # ------------------------------------------------------------------ private messages

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """See Forum.send_message. A copy is kept among the sent ones, where it is looked for if the answer is lost."""
        if "," in to:
            raise NotAllowed(f"“{to}” is no name of one account: MyBB would take it for several.", advice="Mend game.toml.")
        given = {"to": to, "bcc": "", "subject": subject, "message": bbcode}
        given |= {"options[savecopy]": "1", "options[disablesmilies]": "1"}
        try:
            onward = self._submit(f"{self.base_url}private.php?action=send", given, "submit")
        except Refused as refusal:
            raise NotAllowed(
                f"The message to {to} was not sent. {refusal}",
                advice="Check the name in game.toml, that the player takes messages, and that there is room in the mailbox.",
            ) from None
        except NotAllowed as refusal:
            if any(_is_copy(one, to, subject, bbcode) for one in self.sent_messages(self.now() - timedelta(hours=6))):
                raise Uncertain(f"{refusal} The same message is among those sent.", advice=_LOOK) from None
            raise
        if "private.php" not in onward:
            raise Uncertain("After sending, the forum led to some other page.", advice=_LOOK)

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """See Forum.messages, those in folders of the account's own too; what is read stays unread on the forum.

        One request for each folder where there is nothing new.
        """
        inbox = self._folder(INBOX)
        found = self._messages(INBOX, since, known, inbox)
        links = " ".join(str(link.get("href")) for link in inbox.iter("a"))
        for folder in sorted(set(_FOLDER.findall(links)) - _MYBBS_OWN, key=int):
            found += self._messages(folder, since, known, self._folder(folder))
        return iter(sorted(found, key=lambda message: int(message.id)))

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """See Forum.sent_messages."""
        return iter(self._messages(SENT, since, (), self._folder(SENT)))

    def _folder(self, folder: str, page: int = 1) -> Tree:
        """A page of a message folder, the newest first."""
        address = f"{self.base_url}private.php?fid={folder if folder != INBOX else '0'}&sortby=dateline&order=desc"
        tree = self._member_page(address + (f"&page={page}" if page > 1 else ""))
        if page == 1 and _post_key(tree) is None:
            raise self._refusal(mybb.notice_of(tree))
        return tree

    def _messages(self, folder: str, since: datetime | None, known: Collection[str], tree: Tree) -> list[Message]:
        """What is new in the folder whose first page is `tree`."""
        number, rows, listed, fresh = 1, list[_Row](), set[str](), set[str]()
        times: dict[str, datetime | None] = {}
        while True:
            tree = self._folder(folder, number) if number > 1 else tree
            found = [row for row in _rows(tree, self.base_url) if row.id not in listed]
            times |= self._times(tree, found)
            new = {row.id for row in found if row.id not in known and not _before(times[row.id], since)}
            rows, listed, fresh, number = rows + found, listed | {row.id for row in found}, fresh | new, number + 1
            if not found or len(new) < len(found) or not tree.xpath("//*[contains(@class, 'pagination_next')]"):
                break
        bodies = self._bodies(tree, folder, rows, since) if fresh else {}
        me = self._name_on(tree) or (self._account or ("",))[0]
        read = [self._message(row, me, folder, times[row.id], bodies.get(row.id)) for row in reversed(rows) if row.id in fresh]
        return sorted(read, key=lambda message: int(message.id))

    def _times(self, tree: Tree, rows: list[_Row]) -> dict[str, datetime | None]:
        """When the messages of a list were sent, to the minute. The page's own clock tells the order of day and month."""
        clock, language = mybb.clock_of(tree), language_of(tree)
        dates = DateReader(timezone=self._zone_by(clock, language), now=self.now(), languages=(language,))
        dates.learn([row.when for row in reversed(rows)], [(clock, self.now())] if clock else [])
        return {row.id: dates.read(row.when) for row in rows}

    def _bodies(self, tree: Tree, folder: str, rows: list[_Row], since: datetime | None) -> dict[str, str]:
        """The source of the messages in `rows` (newest first), from the folder's own export, where it tells which is which."""
        span = [("dayway", "disregard")]
        if since is not None:
            span = [("dayway", "newer"), ("daycut", str((self.now() - since).days + 2))]
        fields = [
            ("action", "do_export"), ("my_post_key", _post_key(tree) or ""), ("exporttype", "csv"), ("exportfolders[]", folder),
            ("exportunread", "1"), ("deletepms", "0"), *span,
        ]  # fmt: skip
        text = self.session.post(f"{self.base_url}private.php", fields, harmless=True).text
        if not looks_like_csv(text.removeprefix("\ufeff")[:4000]):
            return {}
        reading = Reading(self.timezone, self.now(), lambda _: None)
        left = list(read_csv(io.BytesIO(text.encode()), "export", reading))
        bodies = {}
        for row in rows:
            person = (lambda one: one.sender) if folder != SENT else (lambda one: "".join(one.recipients))
            match = next((one for one in left if (one_line(one.subject), person(one)) == (row.subject, row.person)), None)
            if match is not None:
                left.remove(match)
                bodies[row.id] = match.body
        return bodies

    def _message(self, row: _Row, me: str, folder: str, sent_at: datetime | None, body: str | None) -> Message:
        if body is None:
            tree = self._member_page(row.url)
            shown = next((div for div in tree.iter("div") if (div.get("id") or "").startswith("pid_")), None)
            if shown is None:
                raise TryAgain(f"The message “{row.subject[:80]}” could not be opened.")
            body = read_markup(shown, authors=()).bbcode
        sender, to = (row.person, me) if folder != SENT else (me, row.person)
        return Message(row.id, sender, (to,), sent_at, row.subject, body, row.url)


def _before(sent_at: datetime | None, since: datetime | None) -> bool:
    """Whether a message is surely older: its own time has no seconds."""
    return since is not None and sent_at is not None and sent_at + timedelta(minutes=1) < since


def _is_copy(message: Message, to: str, subject: str, bbcode: str) -> bool:
    named = to.casefold() in {name.casefold() for name in message.recipients}
    return named and message.subject == one_line(subject) and same_words(message.body, bbcode)


def _apart(bbcode: str) -> str:
    """A text in which no line is the one that MyBB puts between two texts."""
    return re.sub(r"(?m)^\[hr\]$", "[hr] ", bbcode.replace("\r\n", "\n"))


def _onward(answer: Answer) -> str:
    """Where the forum leads after taking something: by a redirect, or a page that moves on. Empty where it took nothing."""
    if answer.hops:
        return answer.hops[-1]
    told = re.search(r"<meta\s+http-equiv=[\"']refresh[\"']\s+content=[\"']\d+;\s*url=([^\"']+)", answer.text, re.IGNORECASE)
    return (join(answer.url, told[1].replace("&amp;", "&")) or "") if told else ""


def _find_form(tree: Tree) -> Tree:
    """The form that takes a text: the one with a box for it and a key."""
    forms = (f for f in tree.iter("form") if f.find(".//textarea[@name='message']") is not None)
    return next((form for form in forms if form.find(".//input[@name='my_post_key']") is not None), None)


def _errors(tree: Tree) -> list[str]:
    """The errors that stand above a form that was given back."""
    box = next((e for e in tree.iter("div") if "error" in (e.get("class") or "").split()), None)
    if box is None:
        return []
    return [words_of(item) for item in box.iter("li")] or [words_of(box)]


def _post_key(tree: Tree) -> str | None:
    """The key that a message folder's own form carries."""
    keys = tree.xpath("//form[.//input[@name='action' and @value='do_stuff']]//input[@name='my_post_key']")
    return str(keys[0].get("value")) if keys else None


def _rows(tree: Tree, base: str) -> list[_Row]:
    rows = []
    for line in tree.iter("tr"):
        cells = line.findall("td")
        links = [(a, re.search(r"[?&;]pmid=(\d+)", a.get("href") or "")) for a in line.iter("a")]
        title = next(((a, told[1]) for a, told in links if told and "action=read" in a.get("href")), None)
        if title is None or len(cells) < 5 or line.find(".//tr") is not None:
            continue
        link, number = title
        date = cells[-2].find("./span") if cells[-2].find("./span") is not None else cells[-2]
        near = date.find(".//span[@title]")
        when = DateText(one_line("".join(date.itertext())), near.get("title") if near is not None else "")
        rows.append(_Row(number, words_of(link), visible(cells[-3]), when, f"{base}private.php?action=read&pmid={number}"))
    return rows
