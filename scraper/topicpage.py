"""What the page readers of all forums share: bytes to a tree, a page half read (its dates still text), and its finishing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode, urlunsplit

from lxml import etree

from scraper.addresses import join, split
from scraper.dates import SLACK, DateReader, DateText
from scraper.markup import Element
from scraper.model import NotTheTopic, Page, Post

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_SESSION = frozenset(("sid", "PHPSESSID", "s", "highlight", "hilit"))
_BESIDE = re.compile(r"\w+\.php\b")  # a link to a neighbour in the same folder
_SESSION_MARKS = ("sid=", "PHPSESSID=", "s=", "hilit=", "highlight=")
_LOGIN_PAGE = 3000  # letters: a form, a heading and the foot of a page
_DIGITS = re.compile(r"\d+")
_SEPARATOR = re.compile(r"(?<=\d)[.,'’٬\s\u00a0\u202f](?=\d{3}(?!\d))")


@dataclass(frozen=True, slots=True)
class DraftPost:
    """A post with its dates still as the page wrote them. `edited` is None where there is no edit mark."""

    id: str
    number: int | None
    author: str
    author_id: str | None
    posted: DateText
    edited: DateText | None
    url: str | None
    bbcode: str
    text: str
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class DraftPage:
    """A topic page with its dates still as text.

    `clock` is the page's own idea of the present moment in the reader's format, `clock_exact` the same for a machine,
    where the forum shows them. `one_offset` says that the forum shows all times as far from UTC as the account is when the page
    is made, those before a change of the clocks too. `notes` says what the GM should know about this page.
    """

    forum: str
    topic_id: str | None
    title: str
    page: int
    pages: int
    posts: tuple[DraftPost, ...]
    per_page: int | None = None
    signed_in: bool = False
    locked: bool = False
    language: str = ""
    clock: str = ""
    clock_exact: datetime | None = None
    one_offset: bool = False
    notes: tuple[str, ...] = field(default=())


def charset_of(name: str) -> str:
    """What a character set's name means to browsers: many forums name the set that theirs has grown from."""
    grown = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "iso-8859-9": "cp1254", "utf8": "utf-8"}
    return grown.get(name.lower(), name.lower())


def decode(page: bytes | str) -> str:
    """A page's text by its byte order mark, its `<meta charset>`, as UTF-8, else as Windows-1252, as browsers do."""
    if isinstance(page, str):
        return page
    if page[:3] == b"\xef\xbb\xbf":
        return page[3:].decode("utf-8", "replace")
    if page[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return page.decode("utf-16", "replace")
    named = _CHARSET.search(page[:8192])
    name = charset_of(named.group(1).decode("ascii", "replace") if named else "utf-8")
    try:
        return page.decode(name)
    except (LookupError, UnicodeDecodeError):
        pass
    try:
        return page.decode("utf-8")
    except UnicodeDecodeError:
        return page.decode(name if name.startswith(("utf", "cp12", "iso", "windows")) else "cp1252", "replace")


def parse(page: bytes | str, what: str) -> Element:
    """The tree of a whole page. `what` names the forum for messages.

    Raises NotTheTopic for an empty page, one that breaks off in the middle, and one nested too deep to be read whole.
    """
    text = decode(page)
    if not text.strip():
        raise NotTheTopic("This page is empty.", advice="Save it again, or wait: it is fetched again at the next tick.")
    if text.rfind("</html") < 0 and text.rfind("</HTML") < 0:
        raise NotTheTopic(
            f"This page breaks off in the middle, or is no page of {what} at all.",
            advice="Save the whole page again; nothing of it was read.",
        )
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = etree.fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotTheTopic(f"This page cannot be read as HTML: {error}.", advice="Save it again as HTML.") from error
    if tree is None:
        raise NotTheTopic("This page is empty.", advice="Save it again, or wait: it is fetched again at the next tick.")
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise NotTheTopic(
            "This page is nested more than two thousand deep and cannot be read whole.",
            advice="Look for a post made of nothing but quotes, and ask its author to shorten it.",
        )
    return tree


def apart(posts: Sequence[Element]) -> None:
    """Take posts out of one another: behind an element that is never closed, the parser puts all that follows into it."""
    known = set(posts)
    for post in posts:
        around = next((e for e in post.iterancestors() if e in known), None)
        if around is not None:
            around.addnext(post)


def around(numbered: Sequence[Element], leading: Callable[[Element], bool], posts: Collection[Element]) -> Element | None:
    """What holds the first link that is `leading` to another page and stands outside of `posts`.

    That is an element with several of the `numbered` links to pages of the topic, where one without a post has them, else one
    with another number in it.
    """
    holding = {above for post in posts for above in post.iterancestors()}
    for link in filter(leading, numbered):
        above = list(link.iterancestors())
        if not any(e in posts for e in above):
            bare = [e for e in above if e not in holding]
            several = (e for e in bare if len([a for a in e.iter("a") if a in numbered]) > 1)
            beside = (e for e in bare if len(numbers_in(visible(e))) > 1)  # of two pages only the other one is linked
            return next(several, next(beside, above[0]))
    return None


def one_line(words: str) -> str:
    """`words` on one line, with single plain blanks."""
    return " ".join(words.replace("\xa0", " ").split())


def visible(element: Element | None) -> str:
    """The text inside `element` on one line."""
    return "" if element is None else one_line("".join(element.itertext()))


def title_of(tree: Element) -> str:
    """What stands in the window's head, without a counter of what is unread: "(10) Lights out - Board"."""
    return re.sub(r"^\(\d+\+?\)\s+", "", visible(next(tree.iter("title"), None)))


def number_in(text: str) -> int | None:
    """The first whole number in `text`, digits of any script, thousands grouped in any way: "#1,234" is 1234."""
    match = _DIGITS.search(_SEPARATOR.sub("", text))
    return int(match.group()) if match and len(match.group()) < 12 else None


def numbers_in(text: str) -> list[int]:
    """All whole numbers in `text`, digits of any script."""
    return [int(number) for number in _DIGITS.findall(_SEPARATOR.sub("", text)) if len(number) < 12]


def query(address: str) -> dict[str, str]:
    """The parameters of an address, whether `&` or `;` parts them."""
    return dict(parse_qsl(split(address).query.replace(";", "&"), keep_blank_values=True))


def address(link: str | None, base: str | None) -> str | None:
    """`link` as a whole address without the session in it; None where the page does not tell which forum it is from."""
    if not link:
        return None
    if not any(name in link for name in _SESSION_MARKS):
        if link.startswith(("http://", "https://")):
            return link
        if base and base.endswith("/") and _BESIDE.match(link):
            return base + link
    whole = join(base, link) if base else link
    parts = split(whole or "")
    if parts.scheme not in ("http", "https"):
        return None
    separator = ";" if ";" in parts.query else "&"
    if any(name in parts.query for name in _SESSION_MARKS):
        kept = [
            (name, value)
            for name, value in parse_qsl(parts.query.replace(";", "&"), keep_blank_values=True)
            if name not in _SESSION
        ]
        return urlunsplit(parts._replace(query=urlencode(kept).replace("&", separator)))
    return whole


def base_of(tree: Element, given: str | None, absolute_links: Sequence[str | None]) -> str | None:
    """The forum's own address: as given, else from `<base>`, else the folder of the first absolute link that is the forum's."""
    if given:
        return given if given.endswith(("/", ".php")) else given + "/"
    named = next(tree.iter("base"), None)
    links = [named.get("href") if named is not None else None, *absolute_links]
    for link in links:
        if link and link.startswith(("http://", "https://")):
            return join(link, "./")
    return None


def language_of(tree: Element) -> str:
    """What the page calls its language."""
    return tree.get("lang") or tree.get("{http://www.w3.org/XML/1998/namespace}lang") or tree.get("xml:lang") or ""


def reader_for(drafts: Sequence[DraftPage], *, timezone: tzinfo, now: datetime) -> DateReader:
    """A date reader that has looked at all dates of `drafts`, pages that one account saved of one topic."""
    languages = dict.fromkeys(draft.language for draft in drafts if draft.language)
    reader = DateReader(timezone=timezone, now=now, languages=tuple(languages))
    posts = sorted((post for draft in drafts for post in draft.posts), key=lambda post: int(post.id))
    dates = [post.posted for post in posts if post.posted.exact is None and (post.posted.text or post.posted.title)]
    clocks = {draft.clock: draft.clock_exact or now for draft in drafts if draft.clock}
    clocks |= {post.posted.text: post.posted.exact for post in posts if post.posted.exact is not None and post.posted.text}
    reader.learn(dates or [DateText(post.posted.text) for post in posts], clocks.items())
    return reader


def finish(draft: DraftPage, reader: DateReader, *, after: datetime | None = None, now: datetime | None = None) -> Page:
    """The page with its dates read. A date that cannot be read becomes None, never a guess.

    `after` is the moment of the post before the page's first, where it is known; `now` when the page was shown, where it
    does not tell and that is not the reader's.
    """
    if draft.one_offset:
        reader = reader.at_one_offset(DateText(draft.clock))
    shown = draft.clock_exact or now
    moments: dict[str, tuple[datetime | None, datetime | None]] = {}
    before = after
    for post in sorted(draft.posts, key=lambda post: int(post.id)):
        posted = reader.read(post.posted, after=before, now=shown)
        edited = None
        if post.edited is not None:
            edited = reader.find(post.edited, after=posted, now=shown)
            if edited is not None and edited > (shown or reader.now) + SLACK:
                edited = None  # not yet: this is no date, or of another zone
        moments[post.id] = posted, edited
        before = posted or before
    posts = tuple(
        Post(
            id=post.id,
            number=post.number,
            author=post.author,
            author_id=post.author_id,
            posted_at=moments[post.id][0],
            edited_at=moments[post.id][1],
            url=post.url,
            bbcode=post.bbcode,
            text=post.text,
            edited=post.edited is not None,
            deleted=post.deleted,
        )
        for post in draft.posts
    )
    return Page(
        forum=draft.forum, topic_id=draft.topic_id, title=draft.title, page=draft.page, pages=draft.pages, posts=posts,
        per_page=draft.per_page, signed_in=draft.signed_in, locked=draft.locked, notes=draft.notes,
    )  # fmt: skip


class ReadPage(Protocol):
    """Reads a page, or a part of it, into posts."""

    def __call__(self, page: bytes | str, *, timezone: tzinfo, now: datetime, base_url: str | None = None) -> Page:
        """The posts of one topic page as an account in `timezone` saw it at `now` (aware).

        Raises NotTheTopic for anything else that such a forum, or something before it, may send.
        """


class ReadDraft(Protocol):
    """Reads a page with its dates still as text."""

    def __call__(self, page: bytes | str, *, base_url: str | None = None) -> DraftPage:
        """See `ReadPage`."""


def page_reader(draft_page: ReadDraft) -> ReadPage:
    """How a forum's pages are read one by one, by what reads them with their dates still as text."""

    def read_page(page: bytes | str, *, timezone: tzinfo, now: datetime, base_url: str | None = None) -> Page:
        draft = draft_page(page, base_url=base_url)
        return finish(draft, reader_for([draft], timezone=timezone, now=now))

    return read_page


def refuse(tree: Element, what: str, *, said: str = "") -> NotTheTopic:
    """The error for a page that is no topic page: tells what the forum `said` on it, else what it looks like."""
    if said:
        return NotTheTopic(
            f"The forum shows no topic here and says: {said}",
            advice="Log in if it asks for that; if the topic has gone, put its new address in game.toml. Nothing was read.",
        )
    title = visible(tree.find(".//title"))[:80]
    named = f" (its title is “{title}”)" if title else ""
    body = tree.find(".//body")
    words = len(visible(body)) if body is not None else 0
    if tree.find(".//input[@type='password']") is not None:
        if words > _LOGIN_PAGE:  # many boards show guests a form to log in on every page
            return NotTheTopic(
                f"This is no topic page of {what}{named}.",
                advice="It may be another part of the forum, or the topic may be closed to guests: nobody is logged in on it."
                " Nothing of it was read.",
            )
        return NotTheTopic(
            f"This is a login page and not a page of the topic{named}.",
            advice="The session has ended, or the topic is closed to guests: log in and try again.",
        )
    scripts: Any = tree.iter("script")
    if words < 400 and (next(scripts, None) is not None or tree.find(".//noscript") is not None) and tree.find(".//form") is None:
        return NotTheTopic(
            f"This looks like a browser check or an empty shell and not like a page of the topic{named}.",
            advice="Open the topic in a browser, pass the check, and save the page from there.",
        )
    return NotTheTopic(
        f"This is not a topic page of {what}{named}.",
        advice="It may be an error, a maintenance notice, a form or another part of the forum. Nothing of it was read.",
    )


def utc(moment: str | None) -> datetime | None:
    """A machine-readable moment with its offset, in UTC; None if it is not one."""
    if not moment:
        return None
    try:
        parsed = datetime.fromisoformat(moment.strip())
    except ValueError:
        return None
    return parsed.astimezone(UTC) if parsed.tzinfo else None
