"""Topic pages of phpBB 3.0 to 3.3: prosilver, subsilver2 and styles built on them, in any language.

A post is `div#p<ID>.post`, its words `div.content`, its time `time[datetime]` (3.2 and later) or the text behind the
author's name. Numbers come from the place on the page where posts run by time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from lxml import etree

from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.subsilver import as_prosilver
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    apart,
    around,
    base_of,
    decode,
    language_of,
    number_in,
    numbers_in,
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

KIND = "phpbb"
NAME = "phpBB"
STYLE = "prosilver"

_LOOKS = ("phpbb.com/", "styles/prosilver/theme/", "styles/subsilver2/theme/")
_POSTS = etree.XPath(
    "//div[contains(concat(' ', @class, ' '), ' post ')][starts-with(@id, 'p') and number(substring(@id, 2)) > 0"
    " and not(contains(concat(' ', @class, ' '), ' pm '))]"
)
_PROFILE = etree.XPath(".//dl[contains(@class, 'postprofile')]/dt")
_TOPIC_LINKS = etree.XPath("//a[contains(@href, 'mode=reply') or contains(@href, 'viewtopic')]/@href | //input/@data-base-url")
_REPLY = etree.XPath("//a[contains(@href, 'mode=reply') or contains(@class, 'locked')]")
_SIGNED_IN = re.compile(r"""href=["'][^"']*mode=logout""")
_SECTION = re.compile(r"section-(\w+)")
_POST_MARK = re.compile(r"""<\w+ (?:name|id)=["']p\d+["']""")
"""Where a post begins, in whatever style."""
_USER = re.compile(r"[?&;]u=(\d+)")
_TOPIC = re.compile(r"[?&;]t=(\d+)")
_START = re.compile(r"[?&;]start=(\d+)")
_SEO_TOPIC = re.compile(r"[-/]t(\d+)(?:-(\d+))?(?:\.html|/|$)")  # .../a-title-t3-10.html, as search engine add-ons write it
_ONE_OFFSET = re.compile(r"\bUTC [+-] \d[^<>]*(?:<abbr[^<>]*>[^<>]*</abbr>[^<>]*)?<(?!/span)")
"""How 3.0 tells at the foot of its zone, "UTC + 1 hour [ DST ]"; later ones know of each moment how far it was from UTC."""
_FOOT = 4000  # letters from the end
_YEAR = 365  # days: the most that can be chosen, and more than a game lasts
_HOME = re.compile(r"""href=["'](https?://[^"'?#]*/)(?:viewtopic|memberlist|ucp|index)\.php""")


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from phpBB, be it a topic or not."""
    text = decode(page)
    if 'id="phpbb"' in text:
        return True
    return any(mark in text for mark in _LOOKS) and ("viewtopic.php" in text or "viewforum.php" in text)


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic, oldest posts first whatever the reader has set."""
    start = f"&start={(page - 1) * per_page}" if page > 1 else ""
    return f"{base}viewtopic.php?t={topic_id}{start}&st=0&sk=t&sd=a"


def notice_of(tree: Element) -> str:
    """What a page says that holds nothing but a notice, on one line; empty for all other pages."""
    box = tree.find(".//div[@id='message']")
    paragraph = box.find(".//p") if box is not None else None
    return "".join(letter for letter in visible(paragraph) if letter.isprintable())[:300]


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; see `ReadPage` for what it raises."""
    text = decode(page)
    tree = parse(text, NAME)
    if "postauthor" in text:
        as_prosilver(tree)
    found = _POSTS(tree)
    apart(found)
    body = tree.find("body")
    section = _SECTION.search(body.get("class", "")) if body is not None else None
    other = section is not None and section.group(1) != "viewtopic"
    if not found and not other and _POST_MARK.search(text):
        raise styled("posts were not found", STYLE)
    if not found or other:
        raise refuse(tree, NAME, said=notice_of(tree))
    heads = {link.get("rel"): link.get("href") for link in tree.iter("link")}
    home = _HOME.search(text)
    base = base_of(tree, base_url, (heads.get("canonical"), home.group(1) if home else None, heads.get("alternate")))
    place = _place(tree, heads.get("canonical"), found)
    parts = [_parts(post) for post in found]
    names = [_author(post, part.line) for post, part in zip(found, parts, strict=True)]
    authors = {name for name, _ in names}
    posts = tuple(
        _post(post, part, name, number, base and base.partition("app.php/")[0], authors)
        for post, part, name, number in zip(found, parts, names, _numbers(tree, found, place), strict=True)
    )
    wordless = [post for post, part in zip(found, parts, strict=True) if part.content is None]
    ignored = [visible(fold.find("strong")) or "somebody" for fold in map(_ignored, wordless) if fold is not None]
    days = number_in(_chosen(tree).get("st", "")) or _YEAR
    notes = (f"the page shows only posts of the last {days} days: choose all posts at its foot and save it again",)
    draft = DraftPage(
        forum=KIND, topic_id=_topic_id(tree, heads.get("canonical")), title=_title(tree), page=place.page, pages=place.pages,
        posts=posts, per_page=place.per_page, signed_in=_SIGNED_IN.search(text) is not None,
        locked=("locked" in text or "fa-lock" in text) and _locked(tree), language=language_of(tree),
        one_offset=_ONE_OFFSET.search(text[-_FOOT:]) is not None, notes=notes if days < _YEAR else (),
    )  # fmt: skip
    return whole(draft, STYLE, wordless=[post.get("id") for post in wordless], hidden=ignored)


read_page = page_reader(draft_page)
"""See `ReadPage`."""


def _ignored(post: Element) -> Element | None:
    """In 3.0, what stands in place of a post whose author the account ignores."""
    return next((part for part in post.iter("div") if part.get("class") == "ignore"), None)


def _chosen(tree: Element) -> dict[str, str]:
    """Which posts the page shows (`st`, in days; 0 is all), by what they are sorted (`sk`), and which way (`sd`)."""
    chosen: dict[str, str] = {}
    for select in tree.iter("select"):
        if select.get("name") in ("st", "sk", "sd"):
            chosen |= {select.get("name"): o.get("value", "") for o in select.iter("option") if o.get("selected") is not None}
    return chosen


class _Place(NamedTuple):
    """Where the page stands in its topic: `start` posts stand before it, `total` in all, as far as it tells."""

    page: int = 1
    pages: int = 1
    per_page: int | None = None
    start: int | None = 0
    total: int | None = None


def _bar(tree: Element, found: list[Element], topic: str | None) -> Element | None:
    """What tells the pages of the topic: by its name, else the lines around a numbered link to another page, outside of posts."""
    for tags in (("div", "li"), ("ul", "nav", "span", "p")):
        named = next((e for e in tree.iter(*tags) if "pagination" in (e.get("class") or "").split()), None)
        if named is not None:
            return named
    linked = ((a, _TOPIC.search(a.get("href", ""))) for a in tree.iter("a"))
    numbered = [a for a, told in linked if told and told[1] == topic and visible(a).isdecimal()]
    return around(numbered, lambda link: _START.search(link.get("href", "")) is not None, set(found))


def _place(tree: Element, canonical: str | None, found: list[Element]) -> _Place:
    beginning: int | None = None
    if canonical and (_TOPIC.search(canonical) or _SEO_TOPIC.search(canonical)):
        told = _START.search(canonical) or _SEO_TOPIC.search(canonical)
        beginning = int(told[told.lastindex or 1] or 0) if told and (told.re is _START or told.lastindex == 2) else 0
    heading = _heading(tree)
    for link in heading.iter("a") if beginning is None and heading is not None else ():
        told = _START.search(link.get("href", ""))
        beginning = int(told[1]) if told else None
    bar = _bar(tree, found, _topic_id(tree, canonical))
    if bar is None:
        if beginning:
            raise styled("which page of the topic it is was not found", STYLE)
        return _Place()
    bold = [number for number in (number_in(visible(e)) for e in bar.iter("strong")) if number]
    active = next((e for e in bar.iter("li") if "active" in e.get("class", "").split()), None)
    links = [(number_in(visible(a)), _START.search(a.get("href", ""))) for a in bar.iter("a")]
    page, pages = (min(bold[:2]), max(bold[:2])) if len(bold) >= 2 else (1, 1)
    step = next((e.get("data-per-page") for e in bar.iter("input") if e.get("data-per-page")), "")
    steps = [int(start[1]) // (number - 1) for number, start in links if number and number > 1 and start]
    per_page = number_in(step) or (steps[0] if steps else None)
    if active is not None:
        page = number_in(visible(active)) or page
    elif len(bold) < 2 and beginning and per_page:
        page = beginning // per_page + 1
    elif len(bold) < 2 and any(number == 1 for number, _ in links):
        raise styled("which page of the topic it is was not found", STYLE)  # not the first, which is linked
    pages = max([page, pages, *[number for number, start in links if number and start]])
    if per_page is None and page > 1 and beginning and beginning % (page - 1) == 0:
        per_page = beginning // (page - 1)
    counted = numbers_in(" ".join([bar.text or "", *[e.tail or "" for e in bar if isinstance(e.tag, str)]]))
    start = beginning
    if start is None and page == 1:
        start = 0
    elif start is None and per_page:
        start = (page - 1) * per_page
    return _Place(page, pages, per_page, start, counted[0] if counted else None)


def _topic_id(tree: Element, canonical: str | None) -> str | None:
    told = _TOPIC.search(canonical or "") or _SEO_TOPIC.search(canonical or "")
    if told:
        return told[1]
    heading = _heading(tree)
    links = [a.get("href", "") for a in heading.iter("a")] if heading is not None else []  # others may lie above it
    return next((found[1] for found in (_TOPIC.search(link) for link in [*links, *_TOPIC_LINKS(tree)]) if found), None)


def _heading(tree: Element) -> Element | None:
    for heading in tree.iter("h2"):
        if "topic-title" in heading.get("class", "") or next((a for a in heading.iter("a") if a.get("href")), None) is not None:
            return heading
    return None


def _title(tree: Element) -> str:
    heading = _heading(tree)
    return visible(heading) if heading is not None else title_of(tree)


def _locked(tree: Element) -> bool:
    """Whether the topic is shown as locked and offers no quoting, as it still does to moderators, who may reply."""
    for link in tree.iter("a"):
        if "mode=quote" not in link.get("href", ""):
            continue
        if not any("content" in above.get("class", "").split() for above in link.iterancestors()):
            return False
    for link in _REPLY(tree):
        if "locked" in link.get("class", "") or any("fa-lock" in icon.get("class", "") for icon in link.iter("i", "span")):
            return True
        if any("topic_locked" in image.get("src", "") for image in link.iter("img")):
            return True
        parent = link.getparent()
        if parent is not None and "locked" in parent.get("class", ""):
            return True
    return False


def _numbers(tree: Element, found: list[Element], place: _Place) -> list[int | None]:
    """Each post's place in the thread, where the page shows all posts by time."""
    chosen = _chosen(tree)
    unknown: list[int | None] = [None] * len(found)
    if chosen.get("sk", "t") != "t" or chosen.get("st", "0") != "0" or place.start is None:
        return unknown
    ids = [int(post.get("id")[1:]) for post in found]
    falling = chosen["sd"] == "d" if "sd" in chosen else len(ids) > 1 and ids[0] > ids[-1]
    if not falling:
        return [place.start + step + 1 for step in range(len(found))]
    return unknown if place.total is None else [place.total - place.start - step for step in range(len(found))]


class _Parts(NamedTuple):
    """The elements of one post that tell something."""

    line: Element | None
    content: Element | None
    notices: list[Element]
    held: bool  # for a moderator to approve: only its author and moderators see it


def _parts(post: Element) -> _Parts:
    line = content = None
    held = False
    notices: list[Element] = []
    for part in post.iter("p", "div"):
        names = part.get("class")
        if not names:
            continue
        if names == "author" or "author" in names.split():
            line = part if line is None else line
        elif names == "content" or "content" in names.split():
            content = part if content is None else content
        elif "unapproved" in names.split():
            held = True
        elif "notice" in names.split() and not _bumped(part):
            notices.append(part)
    return _Parts(line, content, notices, held)


def _bumped(notice: Element) -> bool:
    """Whether a notice says that the topic was bumped: phpBB sets it off by breaks, which no note of an edit begins with."""
    return len(notice) > 0 and notice[0].tag == "br" and not (notice.text or "").strip()


def _author(post: Element, line: Element | None) -> tuple[str, str | None]:
    """The author's name and the number in the profile link (None for guests and deleted accounts)."""
    places = [*([] if line is None else [line]), *_PROFILE(post)]
    for named in _names(places):
        link = named if named.tag == "a" else next(named.iter("a"), None)
        uid = _USER.search(link.get("href", "")) if link is not None else None
        return visible(named), uid[1] if uid else None
    return next((visible(place) for place in places[line is not None :] if visible(place)), ""), None


def _names(places: list[Element]) -> Iterator[Element]:
    """What may be the author's name, best first: by class; in 3.0 a link to the profile, else bold that is no post's number."""
    for place in places:
        yield from (e for e in place.iter("a", "span") if "username" in (e.get("class") or "") and visible(e))
    for place in places:
        yield from (a for a in place.iter("a") if "viewprofile" in a.get("href", "") and visible(a))
    for place in places:
        yield from (e for e in place.iter("strong") if not re.fullmatch(r"#?[\d.,]*", visible(e)))


def _post(
    post: Element, parts: _Parts, author: tuple[str, str | None], number: int | None, base: str | None, authors: Collection[str]
) -> DraftPost:
    post_id = post.get("id")[1:]
    markup = read_markup(parts.content, authors=authors, breaks_told=True) if parts.content is not None else Markup("", "")
    marks = [notice for notice in parts.notices if "deleted" not in notice.get("class")]
    return DraftPost(
        id=post_id, number=number, author=author[0], author_id=author[1], posted=_posted(parts.line),
        edited=_edited(marks[0]) if marks else None, url=f"{base}viewtopic.php?p={post_id}#p{post_id}" if base else None,
        bbcode=markup.bbcode, text=markup.text,
        deleted=parts.held or len(marks) < len(parts.notices) or "deleted" in post.get("class").split(),
    )  # fmt: skip


def _posted(line: Element | None) -> DateText:
    if line is None:
        return DateText("")
    marked = next(line.iter("time"), None)
    if marked is not None:
        return DateText(visible(marked), exact=utc(marked.get("datetime")))
    words = visible(line)
    own = next((a for a in line.iter("a") if visible(a) and "#p" in a.get("href", "")), None)
    if own is not None and visible(own) == words and re.search(r"\d", words) and not re.fullmatch(r"#?\s?\d+", words):
        return DateText(words)  # who wrote it stands elsewhere
    if re.search("[»«]", words):
        return DateText(re.split("[»«]", words)[-1].strip(" •|-"))
    named = next(_names([line]), None)  # a name may hold numbers, too
    behind = "" if named is None else _behind(line, named)
    if not re.search(r"\d", behind):
        first = next((visible(e) for e in line.iter("strong", "a", "span") if visible(e)), "")
        behind = words.rpartition(first)[2] if first else words
    return DateText(behind.strip(" •|-"))


def _behind(line: Element, part: Element) -> str:
    """The words of `line` that follow those of `part`."""
    words: list[str] = []
    while part is not line:
        words.append(part.tail or "")
        words += [(visible(each) + " " + (each.tail or "")) for each in part.itersiblings()]
        part = part.getparent()
    return one_line(" ".join(words))


def _edited(notice: Element) -> DateText:
    """The edit note's sentence behind the editor's name, up to the reason; in front of it, where the date stands there."""
    link = next(
        (e for e in notice.iter("a", "span") if "viewprofile" in e.get("href", "") or "username" in e.get("class", "")), None
    )
    started = link is None
    words: list[str] = [notice.text or ""] if started else []
    for part in notice:
        if part.tag in ("br", "strong", "em") and started:
            break
        if part is link or (link is not None and link in part.iter()):
            started = True
        if started:
            words.append(part.tail or "")
    behind, before = one_line("".join(words)), one_line(notice.text or "")
    if len(numbers_in(before)) > max(1, len(numbers_in(behind))):
        return DateText(before)
    return DateText(behind or before or visible(notice))
