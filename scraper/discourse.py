"""Topics of Discourse: what its JSON tells (`/t/ID.json`), and the same as it lies in a saved page.

A post is an object with `id`, `post_number`, `username` and `cooked`, its HTML. Times are exact and in UTC. `version` rises with
each edit that left a trace; one within the first minutes leaves none. `post_stream.stream` has the ids of all posts, by which a
page is known to be the third of eight. Written from the public source and documentation of Discourse, not tried on a forum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime
from html import unescape
from typing import Any

from lxml import etree

from scraper.boxes import as_link, as_quote, as_spoiler, drop, has, innermost_first
from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.model import NotTheTopic
from scraper.topicpage import DraftPage, DraftPost, decode, one_line, page_reader, parse, refuse, utc
from scraper.writer import Markup

KIND = "discourse"
NAME = "Discourse"
CHUNK = 20  # posts a page

Topic = Mapping[str, Any]

_GENERATOR = re.compile(r"""<meta[^>]{0,40}name=["']generator["'][^>]{0,40}content=["']Discourse""", re.IGNORECASE)
_PRELOADED = re.compile(r"""\bdata-preloaded=(?:"([^"]*)"|'([^']*)')""")
_CANONICAL = re.compile(r"""<link[^>]{0,80}rel=["']canonical["'][^>]{0,80}href=["'](https?://[^"']+?/)t/""", re.IGNORECASE)
_SLUG = re.compile(r"[\w%.-]+")
_STYLED = {"bbcode-b": "b", "bbcode-i": "i", "bbcode-u": "u", "bbcode-s": "s"}
_NOT_SAID = frozenset(("meta", "quote-controls", "poll", "poll-outer", "lightbox-meta", "excerpt_hidden"))
_SILENT = (3, 4)  # what the forum notes itself ("closed this topic"), and whispers, which players do not see


def looks_like(page: str | bytes) -> bool:
    """Whether the page, or JSON, comes from Discourse, be it a topic or not."""
    text = decode(page)
    if text.lstrip("\ufeff \r\n\t").startswith("{"):
        return '"post_stream"' in text
    return _GENERATOR.search(text) is not None or ("data-preloaded=" in text and "discourse" in text.lower())


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates as the forum tells them; see `ReadPage` for what it raises."""
    text = decode(page)
    if text.lstrip("\ufeff \r\n\t").startswith("{"):
        return draft_of(topic_in(text), base_url)
    found = _PRELOADED.search(text)
    topic = _preloaded(unescape(found[1] or found[2] or "")) if found else None
    if topic is None:
        raise _no_topic(text)
    home = _CANONICAL.search(text)
    return draft_of(topic, base_url or (unescape(home[1]) if home else None))


read_page = page_reader(draft_page)
"""See `ReadPage`. `timezone` does not matter: Discourse tells times in UTC."""


def topic_in(text: str) -> Topic:
    """The topic that JSON holds. Raises NotTheTopic where it holds none; the forum's own words where it says why."""
    try:
        told = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise NotTheTopic("This JSON breaks off in the middle or is none.", advice="Save it again; nothing of it was read.")
    return topic_of(told)


def topic_of(told: Topic) -> Topic:
    """The same of an object already read."""
    if not isinstance(told.get("post_stream"), dict):
        said = words_in(told)
        raise NotTheTopic(
            "The forum shows no topic here" + (f" and says: {said}" if said else "."),
            advice="Log in if it asks for that; if the topic has gone, put its new address in game.toml. Nothing was read.",
        )
    return told


def words_in(told: object) -> str:
    """What an answer says that tells of an error, on one line."""
    if not isinstance(told, dict):
        return ""
    errors = told.get("errors")
    said = errors if isinstance(errors, list) else [told.get("error") or told.get("message") or ""]
    return "".join(sign for sign in one_line(" ".join(str(each) for each in said)) if sign.isprintable())[:300]


def _preloaded(text: str) -> Topic | None:
    """The topic among what a page brings along for its script: each of these is JSON within JSON."""
    try:
        parts = json.loads(text)
        for name, part in parts.items() if isinstance(parts, dict) else ():
            if re.fullmatch(r"topic_\d+", name) and isinstance(part, str):
                return topic_in(part)
    except (ValueError, RecursionError):
        return None
    return None


def _no_topic(text: str) -> NotTheTopic:
    tree = parse(text, NAME)
    for form in [e for e in tree.iter("form") if e.get("id") == "hidden-login-form"]:
        drop(form)  # on every page, a topic's as well
    wrong = refuse(tree, NAME)
    return NotTheTopic(
        str(wrong),
        advice=f"{wrong.advice} A page of Discourse holds but the posts it came with: save the topic's address with .json "
        "behind it instead, page by page (https://…/t/55.json?page=2).",
    )


def draft_of(topic: Topic, base: str | None) -> DraftPage:
    """A page made of a topic's JSON."""
    told = topic["post_stream"]
    if told.get("isMegaTopic"):
        raise NotTheTopic(
            "This topic has grown so long that the forum no longer lists its posts, and some could be missed.",
            advice="Go on in a new topic, and put its address into game.toml. Nothing was read.",
        )
    posts = [post for post in _list(told.get("posts")) if isinstance(post, dict) and _number(post.get("id"))]
    topic_id = _number(topic.get("id")) or next((_number(post.get("topic_id")) for post in posts), None)
    if not posts or topic_id is None:
        raise NotTheTopic("The forum shows no posts of this topic.", advice="Look at it in a browser. What was read stays.")
    stream = [id_ for id_ in map(_number, _list(told.get("stream"))) if id_]
    size = _number(topic.get("chunk_size")) or CHUNK
    first = int(posts[0]["id"])
    count = len(stream) or _number(topic.get("posts_count")) or len(posts)
    place = stream.index(first) if first in stream else 0
    slug = str(topic.get("slug") or "")
    home = f"{base}t/{slug if _SLUG.fullmatch(slug) else '-'}/{topic_id}" if base else None
    authors = {str(post.get("username") or "") for post in posts}
    return DraftPage(
        forum=KIND, topic_id=str(topic_id), title=one_line(str(topic.get("title") or "")), page=place // size + 1,
        pages=max(1, -(-count // size)), posts=tuple(_post(post, home, authors) for post in posts), per_page=size,
        signed_in=_number(topic.get("draft_sequence")) is not None, locked=is_locked(topic),
    )  # fmt: skip


def is_locked(topic: Topic) -> bool:
    """Whether a topic takes no replies from the reader."""
    details = topic.get("details")
    may = isinstance(details, dict) and details.get("can_create_post") is True
    return bool(topic.get("closed") or topic.get("archived")) and not may


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _post(post: Topic, home: str | None, authors: Collection[str]) -> DraftPost:
    """A post that others put away (flagged and hidden) or its author took back is a placeholder, as one deleted is."""
    silent = post.get("post_type") in _SILENT
    gone = silent or any(post.get(mark) for mark in ("deleted_at", "user_deleted", "hidden", "cooked_hidden"))
    markup = Markup("", "") if silent else markup_of(str(post.get("cooked") or ""), authors)
    number, author_id = _number(post.get("post_number")), _number(post.get("user_id"))
    edited = DateText("", exact=_moment(post.get("updated_at"))) if (_number(post.get("version")) or 1) > 1 else None
    return DraftPost(
        id=str(post["id"]), number=number, author=one_line(str(post.get("username") or "")),
        author_id=None if author_id is None else str(author_id), posted=DateText("", exact=_moment(post.get("created_at"))),
        edited=edited, url=f"{home}/{number}" if home and number else None, bbcode=markup.bbcode, text=markup.text, deleted=gone,
    )  # fmt: skip


def _moment(value: object) -> datetime | None:
    return utc(value) if isinstance(value, str) else None


def markup_of(cooked: str, authors: Collection[str] = ()) -> Markup:
    """What a post's HTML says, as BBCode and as text."""
    if not cooked.strip():
        return Markup("", "")
    body = etree.fromstring(
        f"<html><body>{cooked}</body></html>".replace("\0", "").encode("utf-8", "replace"),
        etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True),
    ).find("body")
    if body is None:
        return Markup("", "")
    shape(body)
    return read_markup(body, authors=authors)


def shape(body: Element) -> None:
    """Bring Discourse's boxes into the shape that `read_markup` knows. Previews of other pages become links."""
    for element in innermost_first([e for e in body.iter() if isinstance(e.tag, str) and e.get("class")]):
        if element.getparent() is None:
            continue  # in a box that has gone
        styled = next((tag for name, tag in _STYLED.items() if has(element, name)), None)
        if element.tag == "aside" and has(element, "quote"):
            name = element.get("data-username") or ""
            for part in list(element):
                if has(part, "title"):
                    drop(part)
            _lift(element)
            as_quote(element, name)
        elif element.tag == "details" and has(element, "elided"):  # what a mail answered, where somebody answers by mail
            for part in element.findall("summary"):
                drop(part)
            as_quote(element, "")
        elif has(element, "onebox") and element.tag == "aside":
            as_link(element, element.get("data-onebox-src") or "")
        elif element.tag == "a" and (has(element, "onebox") or has(element, "inline-onebox")):
            for part in list(element):
                element.remove(part)
            element.text = element.get("href") or ""
        elif styled:
            element.tag = styled
        elif any(name in _NOT_SAID for name in (element.get("class") or "").split()):
            drop(element)
        elif has(element, "spoiler") and element.tag == "div":
            as_spoiler(element, None)


def _lift(quote: Element) -> None:
    """The words of a quote stand in a `<blockquote>` in the box: one box is enough."""
    inner = next((e for e in quote if e.tag == "blockquote"), None)
    if inner is not None:
        inner.tag = "div"
        inner.attrib.clear()
