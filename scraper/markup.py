"""The body of a post, from HTML back to BBCode and to plain text.

One walk over the tree, without recursion, so that a body nested three hundred deep loses nothing. What styles a run of
text decides (`style`, `class`, tag), never the words around it, so that the language of the page does not matter.

Tags that come out: `b i u s color size url email img quote spoiler code list *` and `hr`. Signatures, buttons, scripts
and headings of quotes and code boxes never come out.

Literal brackets. What the forum showed as text stays text. A tag that every forum knows and would have carried out
(`[b]`, `[color=red]`, `[quote]`, `[code]`, ...) but that the page shows in letters was not carried out: it stands as
`[noparse][b][/noparse]` in the BBCode, so that nobody takes it for markup. Every other bracket, such as `[vote]`,
`[spoiler]` or a name like `[Ghost]`, is passed on as it is: players type those where the board has no such tag, and mean it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

from scraper.writer import BLANKS, Markup, Span, Writer

Element = Any  # an lxml element: lxml has no types of its own

_DROPPED = frozenset((
    "script", "style", "noscript", "button", "input", "select", "textarea", "option", "template", "object",
    "iframe", "embed", "audio", "video", "svg", "head", "title", "meta", "link", "summary", "legend",
))  # fmt: skip
_SPOILER = re.compile(r"spoil|\bsp[-_]?wrap\b", re.IGNORECASE)
_HEADING = re.compile(r"head|title|button|btn|toggle|label|caption|switch|link|show|hide", re.IGNORECASE)
_CONTENT = re.compile(r"content|body|inner|text|hidden|data", re.IGNORECASE)
_SMILEY = re.compile(r"smil|emoji|emoticon", re.IGNORECASE)
_STYLED_CLASS = {
    "bbc_u": "u", "mycode_u": "u", "mycode_b": "b", "mycode_i": "i", "mycode_s": "s", "bbc_strike": "s", "text-strong": "b",
    "text-italics": "i", "text-underline": "u", "text-strike": "s", "bbu": "u", "bbs": "s",
    # What boards for these games make of bold and of a tag for votes, which brings its word along: phpBB, Discourse.
    "noboldsig": "b", "bbvote": "b", "vote": "b",
}  # fmt: skip
_LIST_STYLES = {
    "decimal": "1", "decimal-leading-zero": "1", "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A",
    "lower-roman": "i", "upper-roman": "I", "1": "1", "a": "a", "A": "A", "i": "i", "I": "I",
}  # fmt: skip
_TAGS = {tag: Span(f"[{tag}]", f"[/{tag}]") for tag in "bius"}
_SIMPLE = {
    "b": _TAGS["b"], "strong": _TAGS["b"], "i": _TAGS["i"], "em": _TAGS["i"], "u": _TAGS["u"], "ins": _TAGS["u"], "s": _TAGS["s"],
    "strike": _TAGS["s"], "del": _TAGS["s"],
}  # fmt: skip


_UNDONE = {
    "[b]": re.compile(r"(?<![\w-])font-weight\s*:\s*(?:normal|[1-5]00)\b", re.IGNORECASE),
    "[i]": re.compile(r"(?<![\w-])font-style\s*:\s*normal\b", re.IGNORECASE),
    "[u]": re.compile(r"(?<![\w-])text-decoration(?:-line)?\s*:\s*none\b", re.IGNORECASE),
    "[s]": re.compile(r"(?<![\w-])text-decoration(?:-line)?\s*:\s*none\b", re.IGNORECASE),
}
"""The styles that take from an element what its tag does: what is pasted from some editors stands in such a `b` as a whole."""
_SIMPLE_NAME = re.compile(r"""[^\s\[\]"'=]+""")
_PLAIN = Span()
_LID = 100
"""What a box hides begins within so many elements of it; boxes in boxes would take long without this."""
_LINE = Span(kind="line")


def read_markup(body: Element, *, authors: Collection[str] = (), breaks_told: bool = False) -> Markup:
    """The BBCode and the visible text of `body`, an lxml element that holds a post's words and nothing else.

    `authors` are the names known from the page: they tell where a quoted name ends in a heading of any language.
    `breaks_told` says that the page shows by a raw newline whether a line was broken beside a box (phpBB does); elsewhere
    every box stands on lines of its own.
    """
    out = Writer(breaks_told)
    out.text(body.text)
    stack: list[tuple[Element, Iterator[Element], Span]] = [(body, iter(body), _PLAIN)]
    while True:
        element, children, span = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if not stack:
                return out.result()
            out.close(span)
            out.text(element.tail)
            continue
        entered = _enter(child, out, authors)
        if entered is None:
            out.text(child.tail)
            continue
        inside, span = entered
        out.open(span)
        out.text(inside.text)
        if len(inside):
            stack.append((child, iter(inside), span))
        else:
            out.close(span)
            out.text(child.tail)


def _enter(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    """Where to go on inside `element` and how to write it; None when all there is to it has been written or is left out."""
    tag = element.tag
    if not isinstance(tag, str) or tag in _DROPPED:
        return None
    if tag == "br":
        out.line_break()
        return None
    simple = _SIMPLE.get(tag)
    if simple is not None:
        return element, _with_style(element, simple)
    special = _SPECIAL.get(tag)
    if special is not None:
        entered: tuple[Element, Span] | None = special(element, out, authors)
        return entered
    return element, _with_style(element, _PLAIN)


def _with_style(element: Element, span: Span) -> Span:
    """What an element stands for by its tag, with what its `style` adds to it."""
    style = element.get("style", "")
    if not style:
        return span
    opening, closing, hidden = _styled(style)
    if span.opening in _UNDONE and _UNDONE[span.opening].search(style):
        span = _PLAIN
    opening, closing = span.opening + opening, closing + span.closing
    return Span(f"[spoiler]{opening}", f"{closing}[/spoiler]") if hidden else Span(opening, closing)


def _span(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    classes, style = element.get("class", ""), element.get("style", "")
    if classes and _SPOILER.search(classes):
        return _spoiler(element)
    if style and "mycode_me" not in classes:  # the red of MyBB's /me is the board's, not the player's
        opening, closing, hidden = _styled(style)
        if hidden:
            return element, Span(f"[spoiler]{opening}", f"{closing}[/spoiler]")
        if opening:
            return element, Span(opening, closing)
    for name in classes.split():
        tag = _STYLED_CLASS.get(name)
        if tag is not None:
            return element, _TAGS[tag]
    return element, _PLAIN


def _font(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span]:
    span = Span(*_styled(element.get("style", ""))[:2])
    for name in ("color", "size"):
        value = _argument(element.get(name, ""))
        if value:
            span = Span(f"[{name}={value}]{span.opening}", f"{span.closing}[/{name}]")
    return element, span


def _div(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    classes = element.get("class", "")
    if classes:
        names = classes.split()
        if "quoteheader" in names or "quotetitle" in names:
            out.quoted = quoted_name(element, authors)
            return None
        if "codeheader" in names or "quotefooter" in names:
            return None
        if "codebox" in names or "codeblock" in names:
            return _code(element, out, authors)
        if _SPOILER.search(classes):
            return _spoiler(element)
        if "quotecontent" in names:
            hidden = _hidden_part(element)
            return (hidden, Span("[spoiler]", "[/spoiler]", "box")) if hidden is not None else _quote(element, out, authors)
    style = element.get("style", "")
    if style:
        opening, closing, hidden = _styled(style)
        if hidden:
            return element, Span(f"[spoiler]{opening}", f"{closing}[/spoiler]", "box")
        return element, Span(opening, closing, "line")
    parent = element.getparent()
    return element, _PLAIN if parent is not None and parent.tag == "blockquote" else _LINE


def _quote(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span]:
    name, out.quoted = out.quoted, ""
    heading = next((cite for cite in element.iter("cite", "blockquote") if cite is not element), None)
    if heading is not None and heading.tag == "cite" and _box_of(heading) in (element, None):
        name = quoted_name(heading, authors)
    elif not name:
        before = element.getprevious()
        # Right behind the heading of the quote around it stands a quote without a name, not that one's author again.
        if before is not None and before.tag == "cite" and getattr(_box_of(before), "tag", None) != "blockquote":
            name = quoted_name(before, authors)
    return element, Span(f"[quote={_quoted(name)}]" if name else "[quote]", "[/quote]", "quote")


def _box_of(cite: Element) -> Element | None:
    """The quote whose heading a `cite` is, or the box around heading and quote; None for a `cite` that heads none."""
    box = cite.getparent()
    if box is not None and box.tag == "div" and "quotebox" not in box.get("class", ""):
        box = box.getparent()
    return box if box is not None and (box.tag == "blockquote" or "quotebox" in box.get("class", "")) else None


def _cite(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    return (element, _PLAIN) if _box_of(element) is None else None


def _code(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    inside = element if element.tag == "code" else next(element.iter("code"), None)
    if inside is None:
        if element.tag == "pre" and all(part.tag == "br" for part in element):
            out.code(_raw_text(element), tagged=False)
            return None
        return element, _LINE
    out.code(_raw_text(inside), tagged=True)
    return None


def _definitions(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    if "codebox" in element.get("class", "").split():
        if next(element.iter("code"), None) is not None:
            return _code(element, out, authors)
        content = next(element.iter("dd"), element)  # a box borrowed for a spoiler
        hidden = _hidden_part(content)
        return content if hidden is None else hidden, Span("[spoiler]", "[/spoiler]", "box")
    return (_spoiler(element)) if _SPOILER.search(element.get("class", "")) else (element, _LINE)


def _spoiler(element: Element) -> tuple[Element, Span] | None:
    """A box that hides its content until it is clicked, in any of the ways that boards build one."""
    classes = element.get("class", "")
    above = element.getparent()
    inner = above is not None and bool(_SPOILER.search(above.get("class", "")))
    if inner and _HEADING.search(classes) and not _CONTENT.search(classes):
        return None
    inline = element.tag in ("span", "a")
    content = _hidden_part(element)
    if content is None:
        content = next((e for e in islice(element.iterdescendants(), _LID) if _is_content(e)), None)
    if content is None:
        if inner and _CONTENT.search(classes):
            return element, _LINE
        content = element
    title = _spoiler_title(element, content)
    opening = f"[spoiler={_quoted(title)}]" if title else "[spoiler]"
    return content, Span(opening, "[/spoiler]", "inline" if inline else "box")


def _is_content(element: Element) -> bool:
    classes = element.get("class", "") if isinstance(element.tag, str) else ""
    return bool(_SPOILER.search(classes)) and bool(_CONTENT.search(classes))


def _hidden_part(element: Element) -> Element | None:
    for inner in islice(element.iterdescendants("div", "span", "dd", "p", "blockquote", "td", "tbody"), _LID):
        style = inner.get("style", "")
        if style and _styled(style)[2]:
            return inner
    return None


def _spoiler_title(element: Element, content: Element) -> str:
    """What stands on the lid of the box, without the word spoiler itself and without its buttons."""
    if content is element:
        lid = next((e for e in element.iter("summary", "legend")), None)
        words = "" if lid is None else " ".join(lid.itertext())
    else:
        parts: list[str] = []
        skipping: Element | None = None
        for inner in element.iter():
            if inner is content:
                break
            if not isinstance(inner.tag, str) or inner.tag in ("button", "input", "script", "style", "a"):
                skipping = inner
                continue
            if skipping is not None and skipping in inner.iterancestors():
                continue
            parts.append(inner.text or "")
        words = " ".join(parts)
    words = re.sub(r"\W*spoilers?\W*", " ", words, flags=re.IGNORECASE) if "spoiler" in words.casefold() else words
    return " ".join(words.split()).strip(" :")[:80]


def _details(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span]:
    title = _spoiler_title(element, element)
    return element, Span(f"[spoiler={_quoted(title)}]" if title else "[spoiler]", "[/spoiler]", "box")


def _link(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    target = (element.get("href") or "").strip()
    classes = element.get("class", "")
    if _SPOILER.search(classes):
        return None  # the lid of a spoiler box
    if not target or target.startswith("#") or "mention" in classes or target.lower().startswith("javascript:"):
        return element, _PLAIN
    shown = "".join(element.itertext()).strip()
    target = _argument(target)
    if target.startswith("mailto:"):
        address = target[7:]
        return _whole_link(element, out, "email", address, shown)
    return _whole_link(element, out, "url", target, shown)


def _whole_link(element: Element, out: Writer, tag: str, target: str, shown: str) -> tuple[Element, Span] | None:
    def bare(address: str) -> str:
        return re.sub(r"^(?:https?:)?//", "", address).rstrip("/")

    cut = re.split(r"\s*(?:…|\.\.\.)\s*", shown, maxsplit=1)
    whole = bare(shown) == bare(target)
    if whole and not len(element):
        return element, Span(f"[{tag}]", f"[/{tag}]")
    if (
        not whole
        and len(cut) == 2
        and cut[0]
        and bare(target).startswith(bare(cut[0]))
        and target.rstrip("/").endswith(cut[1].rstrip("/"))
    ):
        out.tag(f"[{tag}]{target}[/{tag}]")  # an address that the page shortens
        out.words_only(shown)
        return None
    return element, Span(f"[{tag}={target}]", f"[/{tag}]")


def _image(element: Element, out: Writer, authors: Collection[str]) -> None:
    alt, source = element.get("alt") or "", element.get("src") or element.get("data-src") or ""
    if _SMILEY.search(element.get("class", "")) or (alt and _SMILEY.search(source)):
        out.text(alt)
    elif source and not source.startswith("data:"):
        out.tag(f"[img]{_argument(source)}[/img]")


def _list(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span]:
    match = re.search(r"list-style(?:-type)?\s*:\s*([\w-]+)", element.get("style", ""))
    kind = _LIST_STYLES.get(match.group(1) if match else element.get("type", ""), "1" if element.tag == "ol" else "")
    return element, Span(f"[list={kind}]" if kind else "[list]", "[/list]", "list")


def _item(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span]:
    return element, Span("[*]", "", "item")


def _rule(element: Element, out: Writer, authors: Collection[str]) -> None:
    out.open(Span("", "[hr]", "box"))
    out.close(Span("", "[hr]", "box"))


def _line(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span] | None:
    if _SPOILER.search(element.get("class", "")):
        return _spoiler(element)
    opening, closing, hidden = _styled(element.get("style", ""))
    return element, Span(f"[spoiler]{opening}", f"{closing}[/spoiler]", "box") if hidden else Span(opening, closing, "line")


def _cell(element: Element, out: Writer, authors: Collection[str]) -> tuple[Element, Span]:
    return element, Span(kind="cell")


_SPECIAL: dict[str, Any] = {
    "span": _span, "font": _font, "div": _div, "blockquote": _quote, "cite": _cite, "code": _code, "pre": _code,
    "dl": _definitions,
    "details": _details, "a": _link, "img": _image, "ul": _list, "ol": _list, "li": _item, "hr": _rule, "td": _cell, "th": _cell,
} | dict.fromkeys(
    ("p", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "center", "dt", "dd", "fieldset", "section"), _line
)  # fmt: skip


@lru_cache(maxsize=4096)
def _styled(style: str) -> tuple[str, str, bool]:
    """The tags that a `style` attribute stands for, opening and closing, and whether it hides the element."""
    tags: list[str] = []
    hidden, colour, ground = False, "", ""
    for part in style.split(";"):
        name, _, value = part.partition(":")
        name, value = name.strip().lower(), _argument(value)
        plain = value.lower()
        if not value:
            continue
        if name == "color":
            colour = value
            tags.append(f"color={value}")
        elif name in ("background-color", "background"):
            ground = plain
        elif name == "font-size":
            tags.append(f"size={value.removesuffix('%')}")
        elif name == "font-weight" and (plain in ("bold", "bolder") or (plain.isdecimal() and int(plain[:4]) >= 600)):
            tags.append("b")
        elif name == "font-style" and plain in ("italic", "oblique"):
            tags.append("i")
        elif name in ("text-decoration", "text-decoration-line"):
            tags += ["u"] * ("underline" in plain) + ["s"] * ("line-through" in plain)
        elif (name == "display" and plain == "none") or (name == "visibility" and plain == "hidden"):
            hidden = True
    if colour and ground and colour.lower() == ground:
        hidden = True
    closing = "".join(f"[/{tag.partition('=')[0]}]" for tag in reversed(tags))
    return "".join(f"[{tag}]" for tag in tags), closing, hidden


def _argument(value: str) -> str:
    """A value as it may stand after `=` in a tag: brackets and line ends would end the tag early."""
    return re.sub(r"\s+", " ", value).strip().replace("[", "%5B").replace("]", "%5D").replace("!important", "").strip()


def _quoted(name: str) -> str:
    """A name as the argument of a tag: bare when it is simple, else in quote marks."""
    name = " ".join(name.split())
    if _SIMPLE_NAME.fullmatch(name):
        return name
    if '"' not in name:
        return f'"{name}"'
    return f"'{name}'" if "'" not in name else '"' + name.replace('"', "'") + '"'


def quoted_name(heading: Element, authors: Collection[str]) -> str:
    """Whom a quote's heading names, in whatever language it says "wrote" or "Quote from"; empty when it names nobody.

    A profile link says it outright. Else a known author that the heading begins or goes on with, else what is left
    without the first words up to a colon and the date (SMF), or without the verb at the end (phpBB, MyBB).
    """
    for link in heading.iter("a"):
        target = link.get("href") or ""
        if ("viewprofile" in target or "action=profile" in target) and "".join(link.itertext()).strip():
            return "".join(link.itertext()).strip()
    words: list[str] = [heading.text or ""]
    for part in heading:
        if isinstance(part.tag, str) and part.tag != "span" and "data-post-id" not in part.attrib:
            words.append("".join(part.itertext()))
        words.append(part.tail or "")
    text = " ".join("".join(words).replace("\xa0", " ").split())
    _, colon, after = text.partition(": ")
    known = sorted((name for name in authors if name), key=len, reverse=True)
    for name in known:
        if (colon and after.startswith(name)) or (text.startswith(name) and text[len(name) : len(name) + 1] in ("", " ", ":")):
            return name
    near = heading.find(".//strong")
    named, _, _ = after.rpartition(" " + "".join(near.itertext())) if near is not None else ("", "", "")
    if named:  # SMF: "Ann Lee on **Today** at 9:00"
        return named.rpartition(" ")[0]
    if colon and after:
        dated = re.match(r"(.+?)\s+\S+\s+(?:[^\W\d]+\.?\s+)?\d{1,4}\W.*$", after)
        return dated.group(1) if dated else after
    said = re.match(r"(.+?)\s+(?:a écrit|ha scritto|hat geschrieben|\S+)\s*:?$", text.rstrip())
    return said.group(1) if said and text.rstrip().endswith(":") else ""


def _raw_text(element: Element) -> str:
    """The text of a code box, line ends kept: `<br>` and newline are each one, together one."""
    parts: list[str] = [element.text or ""]
    for inner in element.iterdescendants():
        if inner.tag == "br":
            parts.append("\n" + (inner.tail or "").removeprefix("\r").removeprefix("\n"))
        else:
            parts.append((inner.text or "" if isinstance(inner.tag, str) else "") + (inner.tail or ""))
    return "".join(parts).translate(BLANKS).strip("\n")
