"""Topic pages of XenForo 2.0 to 2.3, in any language and style built on the default one.

A post is `article.message[data-author]` with the id `js-post-<ID>`, its words `div.bbWrapper` in `article.message-body` (the
signature has a `div.bbWrapper` too), its time `time[datetime]` with a number for machines, its place `#12`. A deleted post is
shown only to those who may see it. Written from compiled templates and documentation, not tried on a forum.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, datetime

from lxml import etree

from scraper.boxes import as_link, as_quote, as_spoiler, as_words, drop, has, innermost_first, of_class
from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    address,
    apart,
    decode,
    language_of,
    number_in,
    one_line,
    page_reader,
    parse,
    refuse,
    title_of,
    utc,
    visible,
)
from scraper.whole import styled, whole
from scraper.writer import Markup

KIND = "xenforo"
NAME = "XenForo 2"
STYLE = "the forum's default style"

_TOPIC = re.compile(r"(?:^|[/?])threads/(?:[^/?#&]*\.)?(\d+)(?:[/?#&]|$)")
_PLACE = re.compile(r"^(https?://.*?/)(?:index\.php\?)?(?:threads|posts|forums)/")
_POST = re.compile(r"js-post-(\d+)")
_NUMBER = re.compile(r"(?:^|\s)#\s?\d")
_MEMBER = re.compile(r"members/(?:[^/?#]*\.)?(\d+)/")
_FLOOD = re.compile(r"(?:at least|mindestens|au moins)\s+(\d{1,6})\s+(?:sec|sek)", re.IGNORECASE)
_UNDERSTOOD = ("en", "de", "fr")
MOST_WAIT = 120.0  # seconds; a forum that asks for more is left for the next tick
_ROOT = re.compile(r"""<html[^>]{0,2000}\bid=["']XF["']""", re.IGNORECASE)


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from XenForo 2, be it a topic or not."""
    return _ROOT.search(decode(page)[:10_000]) is not None


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; see `ReadPage` for what it raises."""
    text = decode(page)
    tree = parse(text, NAME)
    marked = [e for e in tree.iter("article", "div", "li") if _POST.fullmatch(e.get("id") or "")]
    found = [e for e in marked if has(e, "message")]
    if len(found) < len(marked):
        raise styled("posts were not found", STYLE)
    apart(found)
    topic_id = _topic_id(tree)
    if not found or topic_id is None:
        asks = tree.find(".//input[@type='password']") is not None
        raise refuse(tree, NAME, said="" if asks else notice_of(tree))
    base = _base(tree, base_url)
    authors = {post.get("data-author") or "" for post in found}
    number, pages = place_of(tree)
    posts = tuple(_post(post, base, authors) for post in found)
    if number > 1 and len(posts) > 1 and posts[0].number == 1:
        posts = posts[1:]  # a first post that is pinned stands above every page
    draft = DraftPage(
        forum=KIND, topic_id=topic_id, title=_title(tree), page=number, pages=pages, posts=posts,
        per_page=len(posts) if number < pages else None, signed_in=tree.get("data-logged-in") == "true", locked=_locked(tree),
        language=language_of(tree),
    )  # fmt: skip
    silent = {post.id for post in posts if not (post.bbcode or post.deleted)}
    bodiless = (post.get("id").removeprefix("js-post-") for post in found if silent and body_of(post) is None)
    return whole(draft, STYLE, wordless=silent.intersection(bodiless))


read_page = page_reader(draft_page)
"""See `ReadPage`. `timezone` matters only where a style has taken the exact times out."""


def notice_of(tree: Element) -> str:
    """What a page says that holds nothing but a notice, or a form that was given back; empty where it says nothing.

    Notices of the whole forum stand elsewhere on its pages.
    """
    boxes = of_class(tree, "blockMessage")
    wrong = [box for box in boxes if has(box, "blockMessage--error")]
    if not wrong and tree.get("data-template") == "error":
        wrong = [box for box in boxes if "blockMessage--" not in box.get("class")] or boxes
    return "".join(sign for sign in visible(wrong[0]) if sign.isprintable())[:300] if wrong else ""


def wait_told(said: str, language: str = "en") -> float:
    """How many seconds a notice says to wait; nothing where it does not. Of other languages only the number is understood."""
    told = _FLOOD.search(said)
    if told:
        return float(told[1]) + 1
    numbers = [int(number) for number in re.findall(r"\d{1,6}", said)]
    unknown = language.lower()[:2] not in _UNDERSTOOD
    return numbers[0] + 1.0 if unknown and len(numbers) == 1 and 0 < numbers[0] <= MOST_WAIT else 0.0


def place_of(tree: Element) -> tuple[int, int]:
    """Which page this is and how many there are."""
    bar = next(iter(of_class(tree, "pageNav")), None)
    if bar is None:
        return 1, 1
    current = next((number_in(visible(e)) for e in of_class(bar, "pageNav-page--current")), None) or 1
    listed = [number_in(visible(e)) or 1 for e in of_class(bar, "pageNav-page") if not has(e, "pageNav-page--skip")]
    jumps = [number_in(e.get("max") or "") or 1 for e in of_class(tree, "js-pageJumpPage")]
    return current, max([current, *listed, *jumps])


def moment_of(element: Element | None) -> DateText:
    """The date in a `time` element: exact by its number or its machine-readable attribute, else what is shown."""
    if element is None:
        return DateText("")
    for name in ("data-timestamp", "data-time"):  # since 2.3 the latter is the hour as shown
        value = element.get(name) or ""
        if re.fullmatch(r"\d{8,11}", value, re.ASCII):
            return DateText(visible(element), exact=datetime.fromtimestamp(int(value), UTC))
    return DateText(visible(element), element.get("title") or "", utc(element.get("datetime")))


def time_in(element: Element | None) -> Element | None:
    """The first date in an element."""
    return None if element is None else next(element.iter("time"), None)


def _post(post: Element, base: str | None, authors: Collection[str]) -> DraftPost:
    id_ = post.get("id").removeprefix("js-post-")
    parts = _parts(post)
    head: Element = parts.get("message-attribution", post)
    body = _words(parts.get("message-body"))
    markup = markup_of(body, authors) if body is not None else Markup("", "")
    edited = parts.get("message-lastEdit")
    beside = {parts[name] for name in ("message-body", "message-lastEdit", "message-signature") if name in parts}
    told = [e for e in head.iter("a", "time", "meta") if beside.isdisjoint(e.iterancestors())]
    links = [e for e in told if e.get("href")]
    words = [visible(e) for e in links if not _MEMBER.search(e.get("href"))]  # a member may be called "Agent #47"
    place = next((each[found.start() :] for each in words if (found := _NUMBER.search(each))), "")
    link = next((a.get("href") for a in links if re.search(rf"(?:post-|posts/){id_}\b", a.get("href"))), None)
    name, user_id = _author(post, parts.get("message-name"))
    gone = any(name in parts for name in ("message--deleted", "messageNotice--deleted", "messageNotice--moderated"))
    return DraftPost(
        id=id_, number=number_in(place), author=name, author_id=user_id,
        posted=_posted(told) or _posted([e for e in post.iter("time") if beside.isdisjoint(e.iterancestors())]) or DateText(""),
        edited=moment_of(time_in(edited)) if edited is not None else None, url=address(link, base), bbcode=markup.bbcode,
        text=markup.text, deleted=gone,
    )  # fmt: skip


def _author(post: Element, place: Element | None) -> tuple[str, str | None]:
    """The author's name and number (None for guests), where a style names them: on the post itself, else beside it."""
    shown = [e for e in post.iter("a", "span") if has(e, "username")]
    user = next((e for e in shown if e.get("data-user-id")), None)
    if user is None:
        user = next((e for e in shown if place is not None and place in e.iterancestors()), None)
    if user is None:
        return one_line(post.get("data-author") or ""), None
    linked = _MEMBER.search(user.get("href") or "")
    number = user.get("data-user-id") or (linked[1] if linked else "0")
    return one_line(post.get("data-author") or visible(user)), number if number.isdecimal() and number != "0" else None


def _posted(told: list[Element]) -> DateText | None:
    """When a post was made: the first date beside its words, else what is there for search engines alone; None without one."""
    shown = next((e for e in told if e.tag == "time"), None)
    if shown is not None:
        return moment_of(shown)
    marked = next((e for e in told if e.get("itemprop") == "datePublished"), None)
    return DateText("", exact=utc(marked.get("content"))) if marked is not None else None


def _parts(post: Element) -> dict[str, Element]:
    """The first element of each class."""
    found: dict[str, Element] = {}
    for element in post.iter(etree.Element):
        for name in (element.get("class") or "").split():
            found.setdefault(name, element)
    return found


def body_of(message: Element) -> Element | None:
    """The element with a message's own words, never its signature: that is in no `message-body`."""
    return _words(next(iter(of_class(message, "message-body")), None))


def _words(holder: Element | None) -> Element | None:
    return None if holder is None else next(iter(of_class(holder, "bbWrapper")), None)


def markup_of(body: Element, authors: Collection[str] = ()) -> Markup:
    """What a `div.bbWrapper` says, as BBCode and as text. Changes the tree."""
    shape(body)
    return read_markup(body, authors=authors)


def shape(body: Element) -> None:
    """Bring XenForo's boxes into the shape that `read_markup` knows."""
    for element in innermost_first([e for e in body.iter() if isinstance(e.tag, str) and e.get("class")]):
        if element.getparent() is None:
            continue  # the body itself, or in a box that has gone
        if has(element, "bbCodeBlock--quote"):
            for part in of_class(element, "bbCodeBlock-title", "bbCodeBlock-expandLink", "messageNotice"):
                drop(part)
            as_quote(element, element.get("data-quote") or "")
        elif has(element, "bbCodeSpoiler"):
            title = next(iter(of_class(element, "bbCodeSpoiler-button-title")), None)
            hidden = next(iter(of_class(element, "bbCodeBlock-content", "bbCodeSpoiler-content")), None)
            inner = None if hidden is None else next(iter(of_class(hidden, "bbCodeBlock-content")), hidden)
            as_spoiler(element, inner, visible(title) if title is not None else "")
        elif has(element, "bbCodeBlock--unfurl"):
            as_link(element, element.get("data-url") or "")
        elif has(element, "bbCodeBlock-title") and has(element.getparent(), "bbCodeBlock--code"):
            drop(element)
        elif has(element, "username") and element.tag == "a":
            as_words(element)
        elif has(element, "js-selectToQuoteEnd"):
            drop(element)


def _topic_id(tree: Element) -> str | None:
    told = re.fullmatch(r"thread-(\d+)", tree.get("data-content-key") or "")
    if told:
        return told[1]
    links = [link.get("href") for link in tree.iter("link") if link.get("rel") == "canonical"]
    links += [form.get("action") for form in tree.iter("form") if "add-reply" in (form.get("action") or "")]
    return next((found[1] for found in map(_TOPIC.search, filter(None, links)) if found), None)


def _base(tree: Element, given: str | None) -> str | None:
    if given:
        return given if given.endswith("/") else given + "/"
    links = [link.get("href") or "" for link in tree.iter("link") if link.get("rel") == "canonical"]
    links += [meta.get("content") or "" for meta in tree.iter("meta") if meta.get("property") == "og:url"]
    return next((found[1] for found in map(_PLACE.match, links) if found), None)


def _title(tree: Element) -> str:
    title = next((e for e in tree.iter("h1") if has(e, "p-title-value")), None)
    if title is None:
        return title_of(tree)
    for label in of_class(title, "label", "labelLink", "label-append"):  # “Game” and the like before the title itself
        if label.getparent() is not None:
            drop(label)
    return visible(title)


def _locked(tree: Element) -> bool:
    shut = of_class(tree, "blockStatus-message--locked")
    return bool(shut) and not any("add-reply" in (form.get("action") or "") for form in tree.iter("form"))
