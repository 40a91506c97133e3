"""Topic pages of vBulletin 3 and 4, in any language. Written from the public record, not from a running forum.

The words of a post are `div#post_message_<ID>` in both. Around them stand, in 3, `div#edit<ID>` with `table#post<ID>`, the author
in `div#postmenu_<ID>`, and the date behind the anchor `post<ID>`; in 4, `li#post_<ID>` with `.username` and `span.date`. Numbers
are the name of `#postcount<ID>`. A post without words is one that was deleted, or whose author the reader ignores.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from scraper.dates import DateText
from scraper.markup import Element, read_markup
from scraper.topicpage import (
    DraftPage,
    DraftPost,
    apart,
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
    visible,
)
from scraper.vbulletin_boxes import words_of_post
from scraper.whole import whole
from scraper.writer import Markup

KIND = "vbulletin"
NAME = "vBulletin"
STYLE = "the forum's default style"

_LOOKS = re.compile(
    r"""<meta name=["']generator["'] content=["']vBulletin [34]|\bSECURITYTOKEN\s*=\s*["']"""
    r"""|<script[^>]+src=["'][^"']*clientscript/vbulletin[_-]"""
)
_TOKEN = re.compile(r"""\bSECURITYTOKEN\s*=\s*["']([^"']*)["']""")
_HOLDER = re.compile(r"(?:post_?|edit)(\d{1,12})")
_USER = re.compile(r"member\.php\?(?:[^#]*&)?u=(\d+)|member\.php[?/](\d+)|/?members/(\d+)-")
_TOPIC = re.compile(r"showthread\.php\?(?:[^#]*&)?t=(\d+)|showthread\.php[?/](\d+)(?:-|$|&)|(?:^|/)threads/(\d+)-")
_TOPIC_TOOLS = re.compile(r"(?:printthread|sendmessage|subscription|threadrate|showthread)\.php\?(?:[^#]*[&;])?t=(\d+)")
_CLOCK = re.compile(r"\d{1,2}[:.h]\d{2}")
_AGO = re.compile(r"\b(?:second|minute|hour)s?\b.*\bago\b|\bago\b.*\b(?:minute|hour)", re.IGNORECASE)
_SENTENCE = re.compile(r"^.*?\d{1,2}:\d{2}(?:\s?[ap]\.?m\.?)?[^.]*(?=\.)", re.IGNORECASE)


def looks_like(page: str | bytes) -> bool:
    """Whether the page comes from vBulletin 3 or 4, be it a topic or not."""
    return _LOOKS.search(decode(page)) is not None


def page_url(base: str, topic_id: str, page: int, per_page: int) -> str:
    """The address of a page of a topic, not threaded whatever the reader has set."""
    return f"{base}showthread.php?t={topic_id}&mode=linear" + (f"&page={page}" if page > 1 else "")


def draft_page(page: bytes | str, *, base_url: str | None = None) -> DraftPage:
    """The page with its dates still as text; see `ReadPage` for what it raises."""
    text = decode(page)
    tree = parse(text, NAME)
    holders = _holders(tree)
    apart(list(holders.values()))
    if not holders or tree.find(".//*[@id='posts']") is None:
        raise refuse(tree, NAME, said=notice_of(tree))
    canonical = next((link.get("href") for link in tree.iter("link") if link.get("rel") == "canonical"), None)
    base = base_of(tree, base_url, [canonical if canonical and ".php" in canonical else None])
    parts = [_parts(number, holder) for number, holder in holders.items()]
    names = [_author(part.author) for part in parts]
    authors = {name for name, _ in names}
    posts = tuple(_post(part, name, base, authors) for part, name in zip(parts, names, strict=True))
    number, pages, per_page = _place(tree)
    member = signed_in(text)
    draft = DraftPage(
        forum=KIND, topic_id=_topic_id(tree, canonical, list(holders.values())), title=_title(tree), page=number, pages=pages,
        posts=posts, per_page=per_page, signed_in=member, locked=_locked(tree, member), language=language_of(tree),
        one_offset=True, notes=tuple(_notes(parts)),
    )  # fmt: skip
    hidden = {name for part, (name, _) in zip(parts, names, strict=True) if part.ignored}
    # Where not one of several has words, they were not all deleted.
    wordless = [part.id for part in parts] if len(parts) > 1 and not any(part.body is not None for part in parts) else []
    return whole(draft, STYLE, wordless=wordless, hidden=hidden)


read_page = page_reader(draft_page)
"""See `ReadPage`."""


def signed_in(text: str) -> bool:
    """Whether a page was shown to a member: its forms carry a token that is not the guests'."""
    told = _TOKEN.search(text)
    return told[1] not in ("", "guest") if told else re.search(r"login\.php\?[^\"'>]*do=logout", text) is not None


def notice_of(tree: Element) -> str:
    """What a page says that holds nothing but a notice, on one line; empty for all other pages.

    Guests get a form to log in below it; in 3 the notice is a panel, in 4 a block of its own.
    """
    places = tree.xpath(
        "//div[contains(@class, 'standard_error')]//*[contains(@class, 'blockrow')]"
        " | //td[contains(@class, 'panelsurround')]//div[contains(@class, 'panel')]"
    )
    if not places or tree.find(".//textarea[@name='message']") is not None:
        return ""
    words = "".join(_shown_text(places[0]))
    return "".join(letter for letter in one_line(words) if letter.isprintable())[:300]


def _shown_text(element: Element) -> list[str]:
    """The texts inside an element, without those of forms and scripts."""
    words = [element.text or ""]
    for part in element:
        if part.tag not in ("form", "script", "style", "fieldset", "table"):
            words += _shown_text(part)
        words.append(part.tail or "")
    return words


def account_in(link: str) -> str | None:
    """The account's number in a link to a profile; None where it names none."""
    told = _USER.search(link)
    return next((group for group in told.groups() if group), None) if told else None


class _Parts(NamedTuple):
    """The elements of one post that tell something."""

    id: str
    number: int | None
    author: Element | None
    date: DateText
    body: Element | None
    note: Element | None  # of the last edit
    ignored: bool


def _holders(tree: Element) -> dict[str, Element]:
    """The outermost element of each post, by the post's id, in the order of the page."""
    found: dict[str, Element] = {}
    for element in tree.iter("table", "li", "div"):
        named = _HOLDER.fullmatch(element.get("id") or "")
        if named and int(named[1]) > 0:
            found.setdefault(named[1], element)
    return found


def _has(element: Element, name: str) -> bool:
    return name in element.get("class", "").split()


def _parts(post: str, holder: Element) -> _Parts:
    found: dict[str, Element] = {}
    ignored = _has(holder, "postbitignored")
    for part in holder.iter("div", "a", "span", "blockquote", "td"):
        ident, classes = part.get("id") or "", part.get("class", "").split()
        if ident == f"post_message_{post}":
            found.setdefault("body", part)
        elif ident == f"postmenu_{post}":
            found.setdefault("author", part)
        elif ident == f"postcount{post}":
            found.setdefault("count", part)
        elif ident.startswith("td_post_"):
            found.setdefault("cell", part)
        elif part.tag == "a" and part.get("name") == f"post{post}":
            found.setdefault("anchor", part)
        if part.tag == "a" and "do=removelist" in part.get("href", ""):
            ignored = True
        for name in ("username", "date", "postcounter", "lastedited", "thead"):
            if name in classes and "body" not in found:
                found.setdefault(name, part)
        if "lastedited" in classes:
            found.setdefault("lastedited", part)
    counted = found.get("count")
    number = number_in(counted.get("name") or visible(counted)) if counted is not None else None
    if number is None and "postcounter" in found:
        number = number_in(visible(found["postcounter"]))
    note = found.get("lastedited", _note(found.get("cell")))
    return _Parts(
        post, number, found.get("author", found.get("username")), _date(found), found.get("body"), note,
        ignored and "body" not in found,
    )  # fmt: skip


def _note(cell: Element | None) -> Element | None:
    """In 3, the small slanted sentence that stands beside the words in the post's own cell."""
    for part in [] if cell is None else cell.iterchildren("div"):
        if _has(part, "smallfont"):
            slanted = part.find("em")
            if slanted is not None:
                return slanted
    return None


def _date(found: dict[str, Element]) -> DateText:
    if "date" in found:
        return _dated(visible(found["date"]))
    anchor = found.get("anchor")
    if anchor is not None:
        words = [anchor.tail or ""]
        for part in anchor.itersiblings():
            if part.tag not in ("span", "strong", "b", "em", "i", "font"):
                break
            words.append("".join(part.itertext()) + (part.tail or ""))
        if one_line("".join(words)):
            return _dated(one_line("".join(words)))
    return _dated(visible(found.get("thead")))


def _dated(words: str) -> DateText:
    """A date; only beside it, as a tooltip, what counts days or weeks back and tells no hour."""
    return DateText(words) if _CLOCK.search(words) or _AGO.search(words) else DateText("", words)


def _author(place: Element | None) -> tuple[str, str | None]:
    """The author's name and the number in the profile link (None for guests)."""
    if place is None:
        return "", None
    link = place if place.tag == "a" else next((a for a in place.iter("a") if visible(a)), None)
    if link is not None:
        return visible(link), account_in(link.get("href", ""))
    return one_line("".join(_shown_text(place))), None


def _post(part: _Parts, author: tuple[str, str | None], base: str | None, authors: Collection[str]) -> DraftPost:
    markup = Markup("", "")
    if part.body is not None:
        markup = read_markup(words_of_post(part.body), authors=authors)
    return DraftPost(
        id=part.id, number=part.number, author=author[0], author_id=author[1], posted=part.date,
        edited=_edited(part.note) if part.note is not None else None,
        url=f"{base}showthread.php?p={part.id}#post{part.id}" if base else None, bbcode=markup.bbcode, text=markup.text,
        deleted=part.body is None,
    )  # fmt: skip


def _edited(note: Element) -> DateText:
    """The date in the note of an edit: behind the name, which holds no semicolon, and before the reason, which may hold any."""
    words = [note.text or ""]
    for part in note:
        if _has(part, "reason"):
            break
        words.append("".join(part.itertext()) + (part.tail or ""))
    sentence = one_line("".join(words))
    sentence = sentence.partition(";")[2].strip() or sentence
    whole = _SENTENCE.search(sentence)
    return DateText(whole[0] if whole else sentence)


def _notes(parts: Sequence[_Parts]) -> list[str]:
    if any(not part.date.text for part in parts if part.body is not None):
        return ["The board tells only how many days ago a post was made: save pages while they are new."]
    return []


def _place(tree: Element) -> tuple[int, int, int | None]:
    """Which page this is, how many there are, and how many posts a page has."""
    bars = [e for e in tree.iter("div", "form") if _has(e, "pagenav") or _has(e, "pagination")]
    if not bars:
        return 1, 1, None
    bar = bars[0]
    page, pages = 1, 1
    for place in bar.iter("td", "a", "span"):
        numbers = numbers_in(visible(place)) if _has(place, "vbmenu_control") or _has(place, "popupctrl") else []
        if len(numbers) == 2:
            page, pages = min(numbers), max(numbers)
            break
    spans = [numbers_in(e.get("title"))[-3:] for e in bar.iter("a", "span") if e.get("title")]
    per_page = next((last - first + 1 for first, last, total in (s for s in spans if len(s) == 3) if first <= last < total), None)
    return page, pages, per_page


def _topic_id(tree: Element, canonical: str | None, holders: Sequence[Element]) -> str | None:
    """From the page's own address and its tools; links inside posts are not looked at."""
    told = _TOPIC.search(canonical or "")
    if told:
        return next(group for group in told.groups() if group)
    inside = set(holders)
    links = (
        *(e.get("value", "") for e in tree.iter("input") if e.get("name") == "t" and e.get("value", "").isdecimal()),
        *(a.get("href", "") for a in tree.iter("a") if ".php" in a.get("href", "") and inside.isdisjoint(a.iterancestors())),
    )
    for link in links:
        found = _TOPIC_TOOLS.search(link)
        if found or link.isdecimal():
            return found[1] if found else link
    for place in tree.iter("span"):
        for a in place.iter("a") if _has(place, "threadtitle") else ():
            named = _TOPIC.search(a.get("href", ""))
            if named:
                return next(group for group in named.groups() if group)
    return None


def _title(tree: Element) -> str:
    named = next((e for e in tree.iter("span") if _has(e, "threadtitle")), None)
    if named is None:
        bar = next((e for e in tree.iter("td") if _has(e, "navbar") and e.find("strong") is not None), None)
        named = bar.find("strong") if bar is not None else None
    return visible(named) if named is not None else title_of(tree)


def _locked(tree: Element, member: bool) -> bool:
    """Whether the topic's button says so: in 3 by its picture, in 4 by words without the plus sign and without a form below."""
    if any("threadclosed" in (image.get("src") or "") for image in tree.iter("img")):
        return True
    button = next((a for a in tree.iter("a") if (a.get("id") or "").startswith("newreplylink")), None)
    return button is not None and member and "+" not in visible(button) and tree.find(".//textarea[@name='message']") is None
