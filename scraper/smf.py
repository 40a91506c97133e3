"""Topic pages of SMF 2.0 and 2.1: the default themes and those built on them, in any language.

A post's words are `div.inner#msg_<ID>`; around it stand `.poster h4` (the author), the date line and `#modified_<ID>`
(the edit note). SMF orders a thread by id. The reply counter leaves the first post out when the thread is shown oldest
first and counts it when it is shown newest first; `number` counts the first post as 1 either way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import unescape
from typing import NamedTuple

from lxml import etree

from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    address,
    apart,
    around,
    base_of,
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

KIND = "smf"
NAME = "SMF"
STYLE = "the default theme of SMF 2"

_BODIES = etree.XPath("//div[starts-with(@id, 'msg_') and number(substring(@id, 5)) > 0]")
_WRAPPERS = etree.XPath("//div[contains(@class, 'post_wrapper')]")
_POST_MARK = re.compile(r"""id=["']msg_?\d+_signature["']|id=["']subject_\d+["']""")
"""What belongs to a post in whatever theme."""
_SIGNED_IN = re.compile(r"""href=["'][^"']*action=logout""")
_REPLY = [  # apart, since each alone is looked for by the word that it begins with
    re.compile("button_strip_reply"),
    re.compile("""id=["']?postmodify"""),
    re.compile(r"""href=["'][^"']*action=post;topic=[\d.]+(?:;last_msg=\d+)?["']"""),
]
_USER = re.compile(r"[;,&?]u[=,](\d+)")
_COUNTER = re.compile(r"[^-–#]*?#\s*([\d.,]*\d)")
_TOPIC = re.compile(r"[?;&]topic=(\d+)|/topic,(\d+)|[-/.]t(\d+)[./]")
_OLD_CLOCKS = (  # in Curve, in Core
    re.compile(r"""class=["']greeting["'].{1,4000}?<li>([^<>]*\d[^<>]*)</li>\s*</ul>""", re.DOTALL),
    re.compile(r"""<li id=["']time["'][^<>]*>([^<>]*\d[^<>]*)<"""),
)
_JS_TOPIC = re.compile(r"(?:iTopicId|smf_topic|iTopicID)\s*[:=]\s*'?(\d+)")
_JS_FORUM = re.compile(r"""smf_scripturl\s*=\s*["'](https?:[^"']+)["']""")
_ASIDE = re.compile("reportlinks|attachments")
_BY_NAME = re.compile(r"\s+\S+\s*$")


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from SMF, be it a topic or not."""
    text = decode(page)
    return "smf_scripturl" in text or ("simplemachines.org" in text and ("topic=" in text or "action=" in text))


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic, in steps of the reader's own posts per page."""
    return f"{base}index.php?topic={topic_id}.{(page - 1) * per_page}"


def notice_of(tree: Element) -> str:
    """What a page says that holds nothing but an error, on one line; empty for all other pages."""
    boxes = tree.xpath("//*[@id='fatal_error']//div[contains(concat(' ', @class, ' '), ' padding ')]")
    return "".join(letter for letter in visible(boxes[0] if boxes else None) if letter.isprintable())[:300]


def clock_in(text: str) -> str:
    """The present moment as a page of 2.0 shows it to its reader; empty where it does not."""
    found = next((found for found in (clock.search(text) for clock in _OLD_CLOCKS) if found), None)
    return one_line(unescape(found[1])) if found else ""


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; see `ReadPage` for what it raises."""
    text = decode(page)
    tree = parse(text, NAME)
    bodies = [body for body in _BODIES(tree) if body.get("id")[4:].isdecimal() and _has(body, "inner")]
    if not bodies or not re.search(r"""id=["']?(?:forumposts|quickModForm)\b""", text):
        raise styled("posts were not found", STYLE) if _POST_MARK.search(text) else refuse(tree, NAME, said=notice_of(tree))
    apart(_WRAPPERS(tree))
    canonical = next((link.get("href") for link in tree.iter("link") if link.get("rel") == "canonical"), None)
    script = " ".join(
        text for text in (element.text or "" for element in tree.iter("script")) if "smf_scripturl" in text or "opicI" in text
    )
    forum = _JS_FORUM.search(script)
    base = base_of(tree, base_url, (forum.group(1) if forum else None, canonical))
    parts = [_parts(body) for body in bodies]
    names = [_author(part.poster) for part in parts]
    authors = {name for name, _ in names}
    posts = tuple(
        _post(part, name, number, base, authors) for part, name, number in zip(parts, names, _numbers(parts), strict=True)
    )
    topic = _topic_id(tree, canonical, script)
    number, pages, per_page = _place(tree, topic, canonical)
    clock = next(
        (e for e in tree.iter("time") if e.get("datetime") and not any(True for a in e.iterancestors() if _has(a, "inner"))), None
    )
    old_clock = clock_in(text) if clock is None else ""
    signed_in = _SIGNED_IN.search(text) is not None and _offers_logout(tree)
    locked = signed_in and not any(reply.search(text) for reply in _REPLY)
    draft = DraftPage(
        forum=KIND, topic_id=topic, title=_title(tree), page=number, pages=pages, posts=posts,
        per_page=per_page, signed_in=signed_in, locked=locked, language=language_of(tree),
        clock=visible(clock) or old_clock, clock_exact=utc(clock.get("datetime")) if clock is not None else None,
        one_offset=clock is None and old_clock != "",
    )  # fmt: skip
    return whole(draft, STYLE)


read_page = page_reader(draft_page)
"""See `ReadPage`.

SMF 2.1 says on each page when it was made; that moment is taken in place of `now`.
"""


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _offers_logout(tree: Element) -> bool:
    """Whether the page itself, and not a link in somebody's post, offers to sign out."""
    links = (a for a in tree.iter("a") if "action=logout" in a.get("href", ""))
    return any(not any(above.get("id") in ("forumposts", "quickModForm") for above in a.iterancestors()) for a in links)


class _Parts(NamedTuple):
    """The elements of one post that tell something."""

    id: str
    body: Element
    poster: Element | None
    line: Element | None  # where the date stands: `.postinfo` in 2.1, the small text below the subject in 2.0, or a bare `time`
    subject: Element | None
    note: Element | None  # of the last edit
    counter: Element | None


def _parts(body: Element) -> _Parts:
    post_id = body.get("id")[4:]
    note_id, subject_id = f"modified_{post_id}", f"subject_{post_id}"
    found: dict[str, Element] = {}
    block = _block(body)
    posters = [e for e in block.iter("div") if _has(e, "poster") and e is not block]  # it is where one is never closed
    beside = {inner for poster in posters for inner in poster.iterdescendants()}
    for part in block.iter("div", "span", "h5", "time"):
        ident, names = part.get("id"), part.get("class")
        if part in beside:
            continue  # what is told of the author, with words as small as the date's
        if part.tag == "time" and body not in part.iterancestors():
            found.setdefault("time", part)
        if part is body or (not ident and not names) or (names and _ASIDE.search(names)):
            continue
        if ident == note_id:
            found["note"] = part
        elif ident == subject_id:
            found["subject"] = part
        elif names and ("poster" in names or "postinfo" in names or "smalltext" in names or "page_number" in names):
            for name in names.split():
                found.setdefault(name, part)
    line = found.get("postinfo", found.get("smalltext", found.get("time")))
    return _Parts(post_id, body, found.get("poster"), line, found.get("subject"), found.get("note"), found.get("page_number"))


def _block(body: Element) -> Element:
    """The element that holds one post whole: the nearest one that has an author in it."""
    for above in body.iterancestors("div"):
        if _has(above, "post_wrapper") or next((e for e in above.iter("div") if _has(e, "poster")), None) is not None:
            return above
    return body


def _author(poster: Element | None) -> tuple[str, str | None]:
    """The author's shown name and the number in the profile link (None for guests and deleted accounts)."""
    if poster is None:
        return "", None
    heading = next(poster.iter("h4"), poster)
    links = [(a, words) for a in heading.iter("a") if (words := visible(a))]
    if not links:
        return visible(heading), None
    link, words = next((pair for pair in links if "action=profile" in pair[0].get("href", "")), links[-1])
    uid = _USER.search(link.get("href", ""))
    return words, uid[1] if uid else None


def _numbers(parts: Sequence[_Parts]) -> list[int | None]:
    """Places in the thread, the first post 1. Newest first, the counter itself; oldest first, one more than it."""
    ids = [int(part.id) for part in parts]
    counters = [_counter(part) for part in parts]
    if all(counter is None for counter in counters):
        return [1] if len(ids) == 1 else [None] * len(ids)
    falling = ids[0] > ids[-1] or (len(ids) == 1 and counters[0] == 1)
    return [counter if falling else 1 if counter is None else counter + 1 for counter in counters]


def _counter(part: _Parts) -> int | None:
    if part.counter is not None:
        return number_in(visible(part.counter))
    if part.line is None:
        return None
    titled = next((a for a in part.line.iter("a") if a.get("title")), None)
    words = titled.get("title", "") if titled is not None else visible(next(part.line.iter("strong"), None))
    match = _COUNTER.match(words)
    return number_in(match.group(1)) if match else None


def _posted(part: _Parts) -> tuple[DateText, str | None]:
    """The post's date and its own link."""
    subject = next((a.get("href") for a in part.subject.iter("a") if a.get("href")), None) if part.subject is not None else None
    if part.line is None:
        return DateText(""), subject
    own = next(
        (a for a in part.line.iter("a") if f"msg{part.id}" in a.get("href", "") or f"msg={part.id}" in a.get("href", "")), None
    )
    marked = next(part.line.iter("time"), None)
    if marked is not None and (marked is part.line or utc(marked.get("datetime"))):
        return DateText(visible(marked), exact=utc(marked.get("datetime"))), own.get("href") if own is not None else subject
    if own is None:
        own = next((a for a in part.line.iter("a") if _has(a, "smalltext")), None)
    if own is not None and visible(own):
        return DateText(visible(own)), own.get("href")
    strong = next(part.line.iter("strong"), None)
    if strong is None:
        return DateText(visible(part.line).strip("«» ")), subject
    words = [strong.tail or ""]  # SMF 2.0: « Reply #3 on: DATE », where today is in bold once more
    for piece in strong.itersiblings():
        words.append("".join(piece.itertext()) + (piece.tail or ""))
    return DateText(one_line("".join(words)).strip("«» ")), subject


def _edited(note: Element | None, authors: Collection[str]) -> DateText | None:
    """The edit note without the reason and without the name at its end."""
    if note is None:
        return None
    words = [note.text or ""]
    for piece in note:
        if piece.get("id") == "reason":
            break
        words.append("".join(piece.itertext()) + (piece.tail or ""))
    sentence = one_line("".join(words)).strip("«» ")
    if not sentence:
        return None
    for name in sorted((name for name in authors if name), key=len, reverse=True):
        if sentence.endswith(" " + name):
            sentence = _BY_NAME.sub("", sentence[: -len(name)].rstrip())
            break
    label, colon, rest = sentence.partition(": ")
    return DateText(rest if colon and not re.search(r"\d", label) else sentence)


def _held(body: Element) -> bool:
    """Whether a post waits for a moderator's approval: only they and its author see it."""
    return any(_has(above, "approvebg") or _has(above, "approvebg2") for above in body.iterancestors("div"))


def _post(
    part: _Parts, author: tuple[str, str | None], number: int | None, base: str | None, authors: Collection[str]
) -> DraftPost:
    markup = read_markup(part.body, authors=authors)
    posted, link = _posted(part)
    return DraftPost(
        id=part.id, number=number, author=author[0], author_id=author[1], posted=posted, edited=_edited(part.note, authors),
        url=address(link, base), bbcode=markup.bbcode, text=markup.text, deleted=_held(part.body),
    )  # fmt: skip


def _bar(tree: Element, topic: str | None) -> Element | None:
    """What tells the pages of the topic: by its name, else the lines around a numbered link to another page, outside of posts."""
    named = next((e for e in tree.iter("div", "td", "span") if "pagelinks" in (e.get("class") or "").split()), None)
    if named is not None:
        return named
    posts = {e for e in tree.iter("div") if _has(e, "post_wrapper") or _has(e, "inner")}
    return around([a for a in tree.iter("a") if visible(a).isdecimal() and _leads_on(a, topic)], lambda link: True, posts)


def _leads_on(link: Element, topic: str | None) -> bool:
    """Whether a link is one to a page of the topic."""
    told = _TOPIC.search(link.get("href", ""))
    return told is not None and topic in told.groups() and _offset(link.get("href", "")) is not None


def _place(tree: Element, topic: str | None, canonical: str | None) -> tuple[int, int, int | None]:
    """Which page this is, how many there are, and how many posts a page has."""
    bar, beginning = _bar(tree, topic), _offset(canonical or "")
    if bar is None:
        if beginning:
            raise styled("which page of the topic it is was not found", STYLE)
        return 1, 1, None
    current = next(
        (
            e
            for e in bar.iter("span", "strong", "li")
            if _has(e, "current_page")
            or (e.tag == "strong" and visible(e).strip("[] ").isdecimal())
            or (e.tag == "li" and _has(e, "active"))
        ),
        None,
    )
    page = number_in(visible(current)) if current is not None else None
    listed = [a for a in bar.iter("a") if visible(a).isdecimal()]
    links = [a for a in listed if _leads_on(a, topic)] or listed
    pages = max([page or 1, *[number_in(visible(a)) or 1 for a in links]])
    steps = sorted({offset for a in links for offset in [_offset(a.get("href", ""))] if offset})
    for element in bar.iter("span"):
        gap = re.search(r",\s*(\d+),\s*(\d+),\s*(\d+)\)", element.get("onclick", ""))
        if gap:
            steps = [int(gap.group(3)), *steps]
            break
    if steps and len(links) > 1:
        numbered = [(number_in(visible(a)) or 1, _offset(a.get("href", ""))) for a in links]
        exact = [offset // (shown - 1) for shown, offset in numbered if offset and shown > 1 and offset % (shown - 1) == 0]
        steps = [exact[0], *steps] if exact else steps
    if page is None and beginning and steps:
        page = beginning // steps[0] + 1
    if page is None and any(visible(a) == "1" for a in links):  # then it is not the first
        chosen = (e for e in bar.iter("strong", "span") if _has(e, "current_page") or (e.tag == "strong" and visible(e)))
        if any(next(e.iterancestors("a"), None) is None for e in chosen):
            return 1, 1, None  # all posts on one page
        raise styled("which page of the topic it is was not found", STYLE)
    return page or 1, max(pages, page or 1), steps[0] if steps else None


def _offset(link: str) -> int | None:
    found = re.search(r"topic[=,]\d+\.(\d+)", link)
    return int(found.group(1)) if found else None


def _topic_id(tree: Element, canonical: str | None, script: str) -> str | None:
    told = _TOPIC.search(canonical or "")
    if not told:
        links = (link.get("action", "") or link.get("href", "") for tag in ("form", "a") for link in tree.iter(tag))
        told = next((found for found in (_TOPIC.search(link) for link in links) if found), None)
    if told:
        return next(group for group in told.groups() if group)
    named = _JS_TOPIC.search(script)
    return named.group(1) if named else None


def _title(tree: Element) -> str:
    subject = next((e for e in tree.iter("span", "h2", "h3", "strong") if e.get("id") == "top_subject"), None)
    if subject is None:
        return title_of(tree)
    words = visible(subject)
    # SMF 2.0: "Topic: Title  (Read 123 times)"
    counted = re.match(r"[^:]+:\s*(.*?)\s*\([^()]*\d[^()]*\)$", words)
    return counted.group(1) if counted else words
