"""Topic pages of SMF 2.0 and 2.1: the default themes and those built on them, in any language.

A post's words are `div.inner#msg_<ID>`; around it stand `.poster h4` (the author), the date line and `#modified_<ID>`
(the edit note). SMF orders a thread by id. The reply counter leaves the first post out when the thread is shown oldest
first and counts it when it is shown newest first; `number` counts the first post as 1 either way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime, tzinfo

from lxml import etree

from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.model import Page
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    address,
    base_of,
    decode,
    finish,
    language_of,
    number_in,
    one_line,
    parse,
    query,
    reader_for,
    refuse,
    utc,
    visible,
)

KIND = "smf"
NAME = "SMF"

_BODIES = etree.XPath("//*[starts-with(@id, 'msg_') and number(substring(@id, 5)) > 0][self::div]")
_PLACE = etree.XPath("boolean(//*[@id='forumposts'] | //form[@id='quickModForm'])")
_PAGE_LINKS = etree.XPath("//*[contains(concat(' ', @class, ' '), ' pagelinks ')]")
_COUNTER = re.compile(r"#\s*([\d.,\s]*\d)")
_TOPIC = re.compile(r"[?;&]topic=(\d+)|/topic,(\d+)|[-/.]t(\d+)[./]")
_JS_TOPIC = re.compile(r"(?:iTopicId|smf_topic|iTopicID)\s*[:=]\s*'?(\d+)")
_JS_FORUM = re.compile(r"""smf_scripturl\s*=\s*["'](https?:[^"']+)["']""")
_BY_NAME = re.compile(r"\s+\S+\s*$")


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from SMF, be it a topic or not."""
    text = decode(page)
    return "smf_scripturl" in text or ("simplemachines.org" in text and ("topic=" in text or "action=" in text))


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic, in steps of the reader's own posts per page."""
    return f"{base}index.php?topic={topic_id}.{(page - 1) * per_page}"


def read_page(page: bytes | str, *, timezone: tzinfo, now: datetime, base_url: str | None = None) -> Page:
    """The posts of one topic page as an account in `timezone` saw it at `now` (aware).

    SMF 2.1 says on each page when it was made; that moment is taken in place of `now`. Raises NotTheTopic for anything
    else that an SMF forum, or something before it, may send.
    """
    draft = draft_page(page, base_url=base_url)
    return finish(draft, reader_for([draft], timezone=timezone, now=now))


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; raises NotTheTopic as `read_page` does."""
    tree = parse(page, NAME)
    bodies = [body for body in _BODIES(tree) if body.get("id")[4:].isdigit() and _has(body, "inner")]
    if not bodies or not _PLACE(tree):
        raise refuse(tree, NAME)
    canonical = next((link.get("href") for link in tree.iter("link") if link.get("rel") == "canonical"), None)
    script = " ".join(
        text for text in (element.text or "" for element in tree.iter("script")) if "smf_scripturl" in text or "opicI" in text
    )
    forum = _JS_FORUM.search(script)
    base = base_of(tree, base_url, (forum.group(1) if forum else None, canonical))
    blocks = [(body, _block(body)) for body in bodies]
    names = [_author(block) for _, block in blocks]
    authors = {name for name, _ in names}
    numbers = _numbers(blocks)
    posts = tuple(
        _post(body, block, name, uid, number, base, authors)
        for (body, block), (name, uid), number in zip(blocks, names, numbers, strict=True)
    )
    number, pages, per_page = _place(tree)
    clock = next(
        (e for e in tree.iter("time") if e.get("datetime") and not any(True for a in e.iterancestors() if _has(a, "inner"))), None
    )
    signed_in = bool(tree.xpath("boolean(//a[contains(@href, 'action=logout')])"))
    return DraftPage(
        forum=KIND, topic_id=_topic_id(tree, canonical, script), title=_title(tree), page=number, pages=pages, posts=posts,
        per_page=per_page, signed_in=signed_in, locked=signed_in and not _can_reply(tree), language=language_of(tree),
        clock=visible(clock), clock_exact=utc(clock.get("datetime")) if clock is not None else None,
    )  # fmt: skip


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _block(body: Element) -> Element:
    """The element that holds one post whole: the nearest one that has an author in it."""
    for above in body.iterancestors("div"):
        if _has(above, "post_wrapper"):
            return above
        if next((e for e in above.iter("div") if _has(e, "poster")), None) is not None:
            return above
    return body


def _author(block: Element) -> tuple[str, str | None]:
    """The author's shown name and the number in the profile link (None for guests and deleted accounts)."""
    poster = next((e for e in block.iter("div") if _has(e, "poster")), None)
    heading = None if poster is None else next(poster.iter("h4"), poster)
    if heading is None:
        return "", None
    links = [a for a in heading.iter("a") if visible(a)]
    if links:
        link = next((a for a in links if "action=profile" in a.get("href", "")), links[-1])
        uid = query(link.get("href", "")).get("u", "") or (re.findall(r"[;,&?]u[=,](\d+)", link.get("href", "")) or [""])[0]
        return visible(link), uid or None
    return visible(heading), None


def _numbers(blocks: Sequence[tuple[Element, Element]]) -> list[int | None]:
    """Places in the thread, the first post 1. Newest first, the counter itself; oldest first, one more than it."""
    ids = [int(body.get("id")[4:]) for body, _ in blocks]
    counters = [_counter(block, body.get("id")[4:]) for body, block in blocks]
    falling = len(ids) > 1 and ids[0] > ids[-1]
    told = [counter for counter in counters if counter is not None]
    if not told:
        return [1 if place == 0 else None for place in range(len(ids))] if len(ids) == 1 else [None] * len(ids)
    numbers: list[int | None] = []
    for counter in counters:
        if falling or (len(ids) == 1 and counter == 1):
            numbers.append(counter)
        else:
            numbers.append(1 if counter is None else counter + 1)
    return numbers


def _counter(block: Element, post_id: str) -> int | None:
    shown = next((e for e in block.iter("span") if _has(e, "page_number")), None)
    if shown is not None:
        return number_in(visible(shown))
    line = _date_line(block, post_id)
    if line is None:
        return None
    own_link = next((a for a in line.iter("a") if a.get("title")), None)
    words = own_link.get("title", "") if own_link is not None else visible(next(line.iter("strong"), None))
    match = _COUNTER.match(words) or re.match(r"[^-–#]*?#\s*([\d.,]*\d)", words)
    return number_in(match.group(1)) if match else None


def _date_line(block: Element, post_id: str) -> Element | None:
    """Where the date of a post stands: `.postinfo` in 2.1, the small text below the subject in 2.0."""
    for element in block.iter("div"):
        if _has(element, "postinfo"):
            return element
    holder = next((e for e in block.iter("div") if _has(e, "keyinfo")), block)
    return next((e for e in holder.iter("div") if _has(e, "smalltext") and not _has(e, "modified")), None)


def _posted(block: Element, post_id: str) -> tuple[DateText, str | None]:
    """The post's date and its own link."""
    line = _date_line(block, post_id)
    subject = next((e for e in block.iter("h5", "div") if e.get("id") == f"subject_{post_id}"), None)
    subject_link = None if subject is None else next((a.get("href") for a in subject.iter("a") if a.get("href")), None)
    if line is None:
        return DateText(""), subject_link
    marked = next(line.iter("time"), None)
    own = next(
        (
            a
            for a in line.iter("a")
            if _has(a, "smalltext") or f"msg{post_id}" in a.get("href", "") or f"msg={post_id}" in a.get("href", "")
        ),
        None,
    )
    if marked is not None and utc(marked.get("datetime")):
        return DateText(visible(marked), exact=utc(marked.get("datetime"))), own.get("href") if own is not None else subject_link
    if own is not None and visible(own):
        return DateText(visible(own)), own.get("href")
    strong = next(line.iter("strong"), None)
    if strong is None:
        return DateText(visible(line).strip("«» ")), subject_link
    words = [strong.tail or ""]  # SMF 2.0: « Reply #3 on: DATE », where today is in bold once more
    for part in strong.itersiblings():
        words.append("".join(part.itertext()) + (part.tail or ""))
    return DateText(one_line("".join(words)).strip("«» ")), subject_link


def _edited(block: Element, post_id: str, authors: Collection[str]) -> DateText | None:
    """The edit note without the reason and without the name at its end."""
    note = next((e for e in block.iter("span", "div") if e.get("id") == f"modified_{post_id}"), None)
    if note is None or not visible(note).strip("«» "):
        return None
    words = [note.text or ""]
    for part in note:
        if part.get("id") == "reason":
            break
        words.append("".join(part.itertext()) + (part.tail or ""))
    sentence = one_line("".join(words)).strip("«» ")
    for name in sorted((name for name in authors if name), key=len, reverse=True):
        if sentence.endswith(" " + name):
            sentence = _BY_NAME.sub("", sentence[: -len(name)].rstrip())
            break
    label, colon, rest = sentence.partition(": ")
    return DateText(rest if colon and not re.search(r"\d", label) else sentence)


def _post(
    body: Element, block: Element, name: str, uid: str | None, number: int | None, base: str | None, authors: Collection[str]
) -> DraftPost:
    post_id = body.get("id")[4:]
    markup = read_markup(body, authors=authors)
    posted, link = _posted(block, post_id)
    return DraftPost(
        id=post_id, number=number, author=name, author_id=uid, posted=posted, edited=_edited(block, post_id, authors),
        url=address(link, base), bbcode=markup.bbcode, text=markup.text,
    )  # fmt: skip


def _place(tree: Element) -> tuple[int, int, int | None]:
    """Which page this is, how many there are, and how many posts a page has."""
    bar = next(iter(_PAGE_LINKS(tree)), None)
    if bar is None:
        return 1, 1, None
    current = next(
        (
            e
            for e in bar.iter("span", "strong")
            if _has(e, "current_page") or (e.tag == "strong" and visible(e).strip("[] ").isdigit())
        ),
        None,
    )
    page = number_in(visible(current)) if current is not None else 1
    links = [a for a in bar.iter("a") if visible(a).isdigit()]
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
    return page or 1, pages, steps[0] if steps else None


def _offset(link: str) -> int | None:
    found = re.search(r"topic[=,]\d+\.(\d+)", link)
    return int(found.group(1)) if found else None


def _topic_id(tree: Element, canonical: str | None, script: str) -> str | None:
    links = [canonical or "", *[form.get("action", "") for form in tree.iter("form")]]
    links += [a.get("href", "") for a in tree.iter("a") if "button_strip" in a.get("class", "") or "topic=" in a.get("href", "")]
    for link in links:
        found = _TOPIC.search(link)
        if found:
            return next(group for group in found.groups() if group)
    named = _JS_TOPIC.search(script)
    if named:
        return named.group(1)
    hidden = tree.find(".//input[@name='topic']")
    return hidden.get("value") if hidden is not None else None


def _title(tree: Element) -> str:
    subject = tree.find(".//*[@id='top_subject']")
    if subject is None:
        return visible(tree.find(".//title"))
    words = visible(subject)
    # SMF 2.0: "Topic: Title  (Read 123 times)"
    counted = re.match(r"[^:]+:\s*(.*?)\s*\([^()]*\d[^()]*\)$", words)
    return counted.group(1) if counted else words


def _can_reply(tree: Element) -> bool:
    return any(
        "button_strip_reply" in a.get("class", "")
        or re.search(r"action=post;(?:[^\"]*;)?topic=[\d.]+(?:;last_msg=\d+)?$", a.get("href", ""))
        for a in tree.iter("a")
    ) or any(form.get("id") == "postmodify" for form in tree.iter("form"))
