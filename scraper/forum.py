"""What every forum can do for us, in one shape; and which forum an address belongs to."""

from __future__ import annotations

import importlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import ClassVar, Literal, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from scraper.model import BadInput, Message, NotTheTopic, Page, Post, SourceError
from scraper.session import Session, TryAgain, Uncertain, WrongHost
from scraper.words import same_words, within

__all__ = [
    "Containing", "FloodLimit", "Forum", "LoginFailed", "NeedsApproval", "NotAllowed", "NotYet", "PostRef", "Refused",
    "TopicAddress", "TopicLocked", "TryAgain", "Uncertain", "WrongHost", "from_url", "newest_first", "open_forum", "same_words",
    "within",
]  # fmt: skip


class LoginFailed(SourceError):
    """The forum did not let us in: wrong name or password, a CAPTCHA, too many tries. Trying again at once makes it worse."""


class FloodLimit(SourceError):
    """Too soon after the last post or message, even after waiting. `wait` is how many seconds to wait, as far as known."""

    def __init__(self, message: str, *, wait: float, advice: str = "") -> None:
        super().__init__(message, advice=advice or "The draft stays and is sent at the next tick.")
        self.wait = wait


class NeedsApproval(SourceError):
    """The post was taken but waits for a moderator. It must not be sent again."""

    def __init__(self, message: str = "The post waits for a moderator.") -> None:
        super().__init__(message, advice="Ask a moderator to approve it. It is not sent again.")


class TopicLocked(SourceError):
    """The topic takes no replies. Nothing was posted."""


class NotAllowed(SourceError):
    """The account may not do this here, or the thing is not there. Nothing was posted."""


class Refused(SourceError):
    """The forum refused the text and said why, in its own words. Nothing was posted."""


class NotYet(SourceError):
    """Nightpost cannot do this on this kind of forum."""


@dataclass(frozen=True, slots=True)
class PostRef:
    """A post just sent or edited. `id` is None where the forum does not tell: look with `find_own_post`."""

    id: str | None
    url: str | None


@dataclass(frozen=True, slots=True)
class Containing:
    """The page of a topic that holds this post."""

    post_id: str


Where = int | Literal["last"] | Containing


class Forum(ABC):
    """One forum, read and written as one account (or as a guest, until `log_in`).

    `kind` is its software, `base_url` the address it lies under, with a slash at the end. Ids are strings. All methods
    raise a SourceError with words for the GM when they cannot do what they say; then nothing was taken or sent, except
    for Uncertain (it may have been) and NeedsApproval (it was).
    """

    kind: str
    base_url: str
    takes_key: ClassVar[bool] = False
    """Whether this kind of forum can be used with an API key."""

    def use_key(self, name: str, key: str, shown: str | None = None) -> None:
        """Read and post as this account by an API key that the forum's owner gave out. No request.

        `shown` is as for `use_account`. Raises NotYet where this kind of forum has none.
        """
        raise NotYet(
            f"{self.base_url} is used with a name and a password and takes no API key.",
            advice="Take NIGHTPOST_API_KEY out of the environment.",
        )

    @abstractmethod
    def use_account(self, name: str, password: str, shown: str | None = None) -> None:
        """Read and post as this account, and sign in only when the forum first takes us for somebody else. No request.

        `shown` is what the forum calls the account, where it signs in by another name.
        """

    @abstractmethod
    def log_in(self, name: str, password: str) -> None:
        """Sign in. Kept in mind, so that a session that ends in the middle is renewed. Raises LoginFailed."""

    @abstractmethod
    def who_am_i(self) -> str | None:
        """The name the forum knows us by; None for a guest. Asks the forum once."""

    @abstractmethod
    def page(self, topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        """One page of a topic. Pages count from 1; a number past the end may give another page: see `Page.page`.

        `per_page` is what earlier pages said, for forums whose addresses need it. Raises NotTheTopic for anything that is
        not a whole page of this topic.
        """

    @abstractmethod
    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """Post a reply, waiting out flood control. Raises TopicLocked, NeedsApproval, FloodLimit, Refused, Uncertain."""

    @abstractmethod
    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """Replace the text of an own post. Editing twice to the same text does no harm."""

    @abstractmethod
    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """Send a private message to the account of this name. Raises NotAllowed where there is none."""

    @abstractmethod
    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """Messages received at or after `since` whose ids are not in `known`, oldest first."""

    @abstractmethod
    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """Messages that we sent at or after `since`, oldest first: to see whether one has gone out."""

    def clock_shift(self) -> timedelta | None:
        """How far the forum's clock is ahead of ours (below zero: behind), by its last answer; None where it does not tell."""
        return None

    def exact_times(self, topic: str, posts: Collection[Post]) -> Mapping[str, datetime]:
        """When these posts, new in the topic, were made to the second, as far as a feed tells more than pages. Never raises."""
        return {}

    def own_posts(self, topic: str, after: str | None = None, *, pages: int = 3) -> list[Post]:
        """Our own posts of a topic, oldest first: all with ids above `after`, or those on its `pages` newest pages."""
        name = self.who_am_i()
        if name is None:
            raise LoginFailed("Nobody is signed in, so no post can be found as our own.", advice="Log in first.")
        if after is not None:
            after = after.partition("/")[0]  # a part of a post has the post's own id before the stroke
        page = self.page(topic, "last")
        found = {post.id: post for post in page.posts}
        step = 1 if newest_first(page) else -1
        read = 1
        while all(int(post.id) > int(after) for post in page.posts) if after is not None else read < pages:
            number = page.page + step
            if not 1 <= number <= page.pages:
                break
            read += 1
            page = self.page(topic, number, per_page=page.per_page)
            found.update({post.id: post for post in page.posts})
        own = [post for post in found.values() if post.author == name and (after is None or int(post.id) > int(after))]
        return sorted(own, key=lambda post: int(post.id))

    def find_own_post(self, topic: str, bbcode: str, after: str | None = None) -> Post | None:
        """Our post with these words and an id above `after`, if it is there: asked before anything is sent again.

        `deleted` is one that only we and moderators see; one that all see is found before it.
        """
        own = reversed(self.own_posts(topic, after))  # the newest: an earlier one may have said the same
        found = [post for post in own if same_words(post.bbcode, bbcode)]
        return next((post for post in found if not post.deleted), found[0] if found else None)


def newest_first(page: Page, before: bool = False) -> bool:
    """Whether a page shows its newest post first. The only post of a topic cannot tell: then as `before`."""
    if len(page.posts) < 2:
        return before if page.pages == 1 or not page.posts else page.posts[0].number == 1
    top, bottom = page.posts[0], page.posts[-1]
    if top.number is not None and bottom.number is not None:
        return top.number > bottom.number
    return int(top.id) > int(bottom.id)


# ---------------------------------------------------------------------- addresses


@dataclass(frozen=True, slots=True)
class TopicAddress:
    """What an address says. `kind` is None where it does not tell the software; `topic_id` where only a post is named."""

    kind: str | None
    base_url: str
    topic_id: str | None
    post_id: str | None = None


_SCRIPTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    # script: (kind, parameter of the topic, parameter of the post), the first whose parameters are there
    "viewtopic.php": (("fluxbb", "id", "pid"), ("phpbb", "t", "p")),  # of FluxBB's the page is called p
    "showthread.php": (("mybb", "tid", "pid"), ("vbulletin", "t", "p")),
}
_FRIENDLY = (
    ("smf", re.compile(r"^(?P<base>.*/)index\.php[/?]topic,(?P<topic>\d+)(?:\.(?:msg(?P<post>\d+)|\w+))?")),
    ("smf", re.compile(r"^(?P<base>.*/)topic,(?P<topic>\d+)\.(?:msg(?P<post>\d+)|\w+)\.html")),
    ("mybb", re.compile(r"^(?P<base>.*/)(?:archive/index\.php\?)?thread-(?P<topic>\d+)(?:-post-(?P<post>\d+))?[-.]")),
    ("phpbb", re.compile(r"^(?P<base>.*?/)(?:[^/]+-f\d+/)?[^/]*[-/]t(?P<topic>\d+)(?:-\d+|-s\d+)*(?:\.html|/|$)")),
    ("phpbb", re.compile(r"^(?P<base>.*/)(?:[^/]+-f\d+/)?topic(?P<topic>\d+)(?:-\d+)?\.html")),
    ("discourse", re.compile(r"^(?P<base>.*?/)t/(?:(?!\d+/)[^/]+/)?(?P<topic>\d+)(?:\.json|/\d+)?/?(?:\?|$)")),
    ("vbulletin", re.compile(r"^(?P<base>.*/)showthread\.php[?/](?P<topic>\d+)(?:[-/&]|$)(?:.*?[?&]p=(?P<post>\d+))?")),
    ("vbulletin", re.compile(r"^(?P<base>.*?/)threads/(?P<topic>\d+)-(?![^/?]*\.\d+(?:/|$))(?:.*?[?&]p=(?P<post>\d+))?")),
    ("vbulletin", re.compile(r"^(?P<base>.*?/)threads/(?P<topic>\d+)(?:/page\d+)?(?:\?(?:.*&)?p=(?P<post>\d+).*|\?.*)?$")),
    ("xenforo", re.compile(r"^(?P<base>.*?/)(?:index\.php\?)?threads/(?:[^/]*\.)?(?P<topic>\d+)(?:/(?:post-(?P<post>\d+))?|$)")),
    ("invision", re.compile(r"^(?P<base>.*?/)(?:index\.php\?/)?topic/(?P<topic>\d+)(?:-|/|$)(?:.*[?&]comment=(?P<post>\d+))?")),
)
_ADVICE = "Copy the address of the game's topic from the browser into game.toml."


def from_url(url: str) -> TopicAddress:
    """Which forum, topic and post an address names. Session ids and page numbers in it are of no account.

    Raises BadInput where it is no web address at all. An address that tells nothing gives a TopicAddress without `kind`.
    """
    url = url.strip()
    if "://" not in url:
        url = "https://" + url
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    except ValueError:
        host = ""
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s\\<>\"]", host):
        raise BadInput(f"“{url[:200]}” is no address of a forum topic. {_ADVICE}")
    site = f"{parts.scheme}://{host}"
    folder, _, script = (parts.path or "/").rpartition("/")
    query = {name.lower(): value for name, value in parse_qsl(parts.query.replace(";", "&"))}
    for kind, topic_name, post_name in _SCRIPTS.get(script.lower(), ()):
        topic, post = _digits(query.get(topic_name)), _digits(query.get(post_name))
        if topic or post:
            post = post or _digits(re.sub(r"^(?:pid|post|p)", "", parts.fragment))
            return TopicAddress(kind, f"{site}{folder}/", topic, post)
    if script.lower() in ("", "index.php") and ("topic" in query or _digits(query.get("msg"))):
        topic, _, place = query.get("topic", "").partition(".")
        post = _digits(query.get("msg")) or _digits(place.removeprefix("msg") if place.startswith("msg") else "")
        return TopicAddress("smf", f"{site}{folder}/", _digits(topic), post)
    whole = unquote(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    for kind, shape in _FRIENDLY:
        found = shape.match(whole)
        if found:
            named = found.groupdict()
            return TopicAddress(kind, site + named["base"], named["topic"], named.get("post"))
    return TopicAddress(None, f"{site}{folder}/", None)


def _digits(value: str | None) -> str | None:
    found = re.match(r"\d{1,12}", value or "", re.ASCII)
    return found[0] if found else None


LIVE = {
    "phpbb": ("scraper.live_phpbb", "LivePhpbb"),
    "smf": ("scraper.live_smf", "LiveSmf"),
    "mybb": ("scraper.live_mybb", "LiveMybb"),
    "fluxbb": ("scraper.live_fluxbb", "LiveFluxbb"),
    "discourse": ("scraper.live_discourse", "LiveDiscourse"),
    "xenforo": ("scraper.live_xenforo", "LiveXenforo"),
    "invision": ("scraper.live_invision", "LiveInvision"),
    "vbulletin": ("scraper.live_vbulletin", "LiveVbulletin"),
}


def open_forum(
    url: str,
    session: Session,
    *,
    kind: str | None = None,
    timezone: tzinfo = UTC,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> tuple[Forum, str]:
    """The forum that `url` lies on, and the id of its topic. Asks the forum only where the address does not tell both.

    `kind` is the forum's software where that is known better than the address tells. `timezone` is that of the account, for
    forums that show times in words; `now` tells the present moment, aware. Raises BadInput for an address that is none, NotYet
    for software that cannot be read live, NotTheTopic.
    """
    told = from_url(url)
    kind, topic, base = kind or told.kind, told.topic_id, told.base_url
    if kind not in LIVE and kind is not None:
        raise NotYet(
            f"{url[:200]} looks like a {kind} forum, which Nightpost cannot read live.",
            advice=f"It reads {', '.join(LIVE)}.",
        )
    if kind is None or topic is None:
        answer = session.get(url if "://" in url else "https://" + url)
        from scraper.others import other_software
        from scraper.saved import FORUMS, detect

        kind = kind or detect(answer.text)
        if kind is None:
            other = other_software(answer.text)
            said = f": {other}" if other else " does not look like a topic of any forum known here."
            raise NotTheTopic(f"{url[:200]}{said}", advice=other.advice if other else _ADVICE)
        page = FORUMS[kind].read_page(answer.text, timezone=timezone, now=now(), base_url=base)
        topic = topic or page.topic_id
        if told.kind is None and page.posts and page.posts[0].url:
            base = from_url(page.posts[0].url).base_url
    if topic is None:
        raise NotTheTopic(f"The page at {url[:200]} does not tell which topic it belongs to.", advice=_ADVICE)
    module, name = LIVE[kind]
    make = getattr(importlib.import_module(module), name)
    return cast(Forum, make(base, session, timezone=timezone, now=now)), topic
