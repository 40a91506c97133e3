"""Markup of posts in a forum's dialect. Every plain string is a stranger's text: it comes out as it reads, never as markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from copy import copy
from typing import ClassVar, Self
from urllib.parse import quote as percent
from urllib.parse import urlsplit

from engine.posts import Language
from parser.colour import family, is_colour

JOINER = "\u2060"
"""WORD JOINER: shows as nothing, parts what would be a tag, and is skipped where names are read (parser/own.py).

phpBB and MyBB keep it; SMF does wherever it stands beside a sign that is no letter or digit, as it always does here.
"""
_ISOLATED = "\u2068{}\u2069"
"""A text that goes its own way among text of the other direction: FIRST STRONG ISOLATE … POP DIRECTIONAL ISOLATE."""
_TURNED = "\u200f\u2067{}\u2069"
"""A line that runs from right to left whatever stands around it: RIGHT-TO-LEFT ISOLATE … POP DIRECTIONAL ISOLATE.

The RIGHT-TO-LEFT MARK before it is for boards that look at a line's first letter, and not into what is isolated.
"""
_LINE = re.compile(r"((?:\[\*\]|\[li\]|- |#+ |> )*)(.*?)((?:\[/li\]|\[/\*\])?[ \t]*)")
"""What begins a line of a list, a heading or a quote, its text, and what ends it."""
_LEFT_ALONE = re.compile(r"\[(?:code|table|tr)\]|[`|]|[^\u0590-\u08ff]*$")
"""Lines that keep their own way: code, rows of tables, and what has no letter that runs from right to left."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""A letter after which a number would turn to its left side: “مریم – 1”."""
_SPACES = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_BBCODE_SIGNS = re.compile(
    r"\[|<(?=[a-z/!?]|$)|&(?=[#a-z]|$)|;(?=\S)|:(?=\S)(?!\d\d)|@|(?<=www)(?=\.)|=(?=[()|d])|8(?=-?\))|\?(?=\?)|\^(?=-\^)",
    re.IGNORECASE,
)
"""What may begin a tag, an entity, a mention, a link, or a smiley of one of the forum programs."""
_MARKDOWN_SIGNS = re.compile(r"[\\`*_{}\[\]()#+\-.!|<>~&:@=$^]")


class Safe(str):
    """Finished markup. Whatever is done to it (joined, sliced, put in upper case) gives a plain string again."""

    __slots__ = ()


def clean(text: str) -> str:
    """The text on one line, without control and direction marks. The joiners that scripts and emoji need stay."""
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", _SPACES.sub(" ", text)))


class Dialect:
    """BBCode as phpBB has it, and what the other dialects say otherwise.

    The methods take plain strings, which are escaped, or markup made here before, which is not.
    """

    heading_size: ClassVar[str] = "150"
    item: ClassVar[tuple[str, str]] = ("[*]", "")
    joiner: ClassVar[str] = JOINER
    aligned: ClassVar[tuple[str, str]] = ("", "")
    """Tags around a text that runs from right to left, where the forum has any."""
    names_apart: bool = False
    """Whether every name keeps its own direction, or only one that runs from right to left."""
    comma: str = ", "

    def in_language(self, language: Language) -> Self:
        """The dialect for text in a language: in one that runs from right to left each name keeps its own direction."""
        twin = copy(self)
        twin.names_apart, twin.comma = language.right_to_left, language.comma
        return twin

    def directed(self, text: str, language: Language) -> str:
        """The text of a whole post in a language, with its direction: a mark at both ends of each line, and the forum's own tags.

        With the marks a line reads rightly on a board whose pages run the other way.
        """
        if not language.right_to_left:
            return text
        before, after = self.aligned
        return before + "\n".join(map(_turned, text.split("\n"))) + after

    def escape(self, text: str) -> str:
        """Plain text that the forum shows as it stands: nothing in it becomes a tag, a link, a mention or an entity."""
        return _BBCODE_SIGNS.sub(lambda found: found[0] + self.joiner, clean(text))

    def safe(self, value: object) -> Safe:
        """Markup as it is; anything else as escaped text."""
        return value if isinstance(value, Safe) else Safe(self.escape(str(value)))

    def name(self, value: object) -> Safe:
        """The name of a player."""
        shown = self.safe(clean(str(value)).strip() or "?")
        return Safe(_ISOLATED.format(shown)) if self._goes_apart(shown) and not isinstance(value, Safe) else shown

    def _goes_apart(self, name: str) -> bool:
        return self.names_apart or _RIGHT_TO_LEFT.search(name) is not None

    def names(self, values: Iterable[object], last: str = "and") -> Safe:
        """Names of players in a row: `Ann, Bo and Cy`."""
        return self.listed([value if isinstance(value, Safe) else self.name(value) for value in values], last)

    def listed(self, values: Iterable[object], last: str = "and") -> Safe:
        """Words in a row: `gym, lounge and cafeteria`."""
        all_ = [self.safe(value) for value in values]
        if len(all_) < 2:
            return Safe("".join(all_))
        return Safe(f"{self.comma.join(all_[:-1])} {self.safe(last)} {all_[-1]}")

    def bold(self, value: object) -> Safe:
        """Bold text."""
        return Safe(f"[b]{self.safe(value)}[/b]")

    def italic(self, value: object) -> Safe:
        """Slanted text."""
        return Safe(f"[i]{self.safe(value)}[/i]")

    def colour(self, value: object, colour: str) -> Safe:
        """Coloured text. Raises ValueError for no colour, and for red, green and blue, in which players declare (DAN-POST-03)."""
        if not is_colour(colour):
            raise ValueError(f"`{colour}` is no colour")
        if family(colour) is not None:
            raise ValueError(f"`{colour}` is {family(colour)}: red, green and blue are left to the players' declarations")
        return self._coloured(self.safe(value), colour)

    def _coloured(self, text: Safe, colour: str) -> Safe:
        return Safe(f"[color={colour}]{text}[/color]")

    def heading(self, value: object) -> Safe:
        """A heading on a line of its own."""
        return Safe(f"[size={self.heading_size}][b]{self.safe(value)}[/b][/size]")

    def quote(self, value: object) -> Safe:
        """Text set apart."""
        return Safe(f"[quote]{self.safe(value)}[/quote]")

    def code(self, text: str) -> Safe:
        """Text to be copied as it stands: an example of what to write."""
        shown = clean(text)
        if "[/code" in shown.lower():
            shown = shown.replace("[/", f"[{self.joiner}/")
        return Safe(f"[code]{shown}[/code]")

    def link(self, value: object, url: str | None) -> Safe:
        """A link, or the text alone where the address is none that a reader should follow."""
        address = web_address(url)
        return self.safe(value) if address is None else self._linked(self.safe(value), address)

    def _linked(self, text: Safe, address: str) -> Safe:
        return Safe(f"[url={address}]{text}[/url]")

    def bullets(self, values: Iterable[object]) -> Safe:
        """A list with one point for each value; nothing where there is none."""
        before, after = self.item
        points = [f"{before}{self.safe(value)}{after}" for value in values]
        return Safe("\n".join(["[list]", *points, "[/list]"]) if points else "")

    def table(self, header: Sequence[object], rows: Iterable[Sequence[object]]) -> Safe:
        """A table; a list of lines where the forum has no tables."""
        lines = [" – ".join(self.safe(cell) for cell in row) for row in rows]
        return Safe("\n".join([self.bold(Safe(" – ".join(self.safe(cell) for cell in header))), *lines]))

    def finish(self, body: str) -> str:
        """The whole post: no more than one empty line in a row, none at the ends."""
        return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", body)).strip()


def _turned(line: str) -> str:
    if _LEFT_ALONE.match(line):
        return line
    found = _LINE.fullmatch(line)
    assert found is not None
    return f"{found[1]}{_TURNED.format(found[2])}{found[3]}"


def web_address(url: str | None) -> str | None:
    """The address with everything quoted that could end a tag; None where it is no web address."""
    if not url:
        return None
    try:
        parts = urlsplit(clean(url).strip())
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc or re.search(r"[^\w.:\-]", parts.netloc):
        return None
    return percent(parts.geturl(), safe=":/?#@!$&*+,;=%~-._")


class Smf(Dialect):
    """BBCode as Simple Machines has it."""

    heading_size = "14pt"
    item = ("[li]", "[/li]")
    aligned = ("[right]", "[/right]")
    """Not `[rtl]`, which turns every sign, digits too: 12:14 would read 41:21."""

    def table(self, header: Sequence[object], rows: Iterable[Sequence[object]]) -> Safe:
        """A table."""
        lines = [[self.bold(cell) for cell in header], *([self.safe(cell) for cell in row] for row in rows)]
        body = "\n".join("[tr]" + "".join(f"[td]{cell}[/td]" for cell in line) + "[/tr]" for line in lines)
        return Safe(f"[table]\n{body}\n[/table]")


class MyBB(Dialect):
    """BBCode as MyBB has it."""

    heading_size = "x-large"
    aligned = ("[align=right]", "[/align]")


class VBulletin(Dialect):
    """BBCode as vBulletin has it: sizes run from 1 to 7."""

    heading_size = "4"
    aligned = ("[right]", "[/right]")


class FluxBB(Dialect):
    """BBCode as FluxBB has it."""

    item = ("[*]", "[/*]")
    joiner = "\ufe0e"
    """VARIATION SELECTOR-15, which shows as nothing too: FluxBB takes every word joiner out of a post (remove_bad_characters)."""

    def heading(self, value: object) -> Safe:
        """A heading on a line of its own."""
        return Safe(f"[h]{self.safe(value)}[/h]")


class XenForo(Dialect):
    """BBCode as XenForo 2 has it."""

    heading_size = "6"
    aligned = ("[right]", "[/right]")

    def table(self, header: Sequence[object], rows: Iterable[Sequence[object]]) -> Safe:
        """A table."""
        lines = [f"[tr]{''.join(f'[th]{self.safe(cell)}[/th]' for cell in header)}[/tr]"]
        lines += [f"[tr]{''.join(f'[td]{self.safe(cell)}[/td]' for cell in row)}[/tr]" for row in rows]
        return Safe("\n".join(["[table]", *lines, "[/table]"]))


class Markdown(Dialect):
    """Markdown, as CommonMark reads it. It has no colours."""

    def escape(self, text: str) -> str:
        """Plain text with every sign escaped that could mean something."""
        return _MARKDOWN_SIGNS.sub(lambda found: "\\" + found[0], clean(text))

    def bold(self, value: object) -> Safe:
        """Bold text."""
        return Safe(f"**{self.safe(value)}**")

    def italic(self, value: object) -> Safe:
        """Slanted text."""
        return Safe(f"*{self.safe(value)}*")

    def _coloured(self, text: Safe, colour: str) -> Safe:
        return text

    def heading(self, value: object) -> Safe:
        """A heading on a line of its own."""
        return Safe(f"## {self.safe(value)}")

    def quote(self, value: object) -> Safe:
        """Text set apart."""
        return Safe("\n".join(f"> {line}" for line in self.safe(value).splitlines()))

    def code(self, text: str) -> Safe:
        """Text to be copied as it stands."""
        fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
        pad = " " if "`" in text else ""
        return Safe(f"{fence}{pad}{clean(text)}{pad}{fence}")

    def _linked(self, text: Safe, address: str) -> Safe:
        return Safe(f"[{text}](<{address}>)")

    def bullets(self, values: Iterable[object]) -> Safe:
        """A list with one point for each value."""
        return Safe("\n".join(f"- {self.safe(value)}" for value in values))

    def table(self, header: Sequence[object], rows: Iterable[Sequence[object]]) -> Safe:
        """A table."""
        lines = [header, ["---" for _ in header], *rows]
        cells = [[Safe(cell) if cell == "---" else self.safe(cell) for cell in line] for line in lines]
        return Safe("\n".join("| " + " | ".join(line) + " |" for line in cells))

    def finish(self, body: str) -> str:
        """The whole post. A line that goes on in the next one is broken there, as it is on a forum."""
        text = super().finish(body)
        return re.sub(r"^(?![#>|-])(.+)\n(?=[^\n#>|-])", r"\1  \n", text, flags=re.MULTILINE)


class Html(Dialect):
    """HTML, for a page of its own."""

    def directed(self, text: str, language: Language) -> str:
        """The text of a whole post in a language, with its direction; an example in it has that of its own first letter."""
        if not language.right_to_left:
            return text
        turned = text.replace("<code>", '<code dir="auto">')
        return f'<div dir="rtl" lang="{language.code}">\n{turned}\n</div>'

    def escape(self, text: str) -> str:
        """Plain text."""
        return html.escape(clean(text))

    def name(self, value: object) -> Safe:
        """The name of a player, kept from turning the line around it."""
        return value if isinstance(value, Safe) else Safe(f"<bdi>{self.safe(clean(str(value)).strip() or '?')}</bdi>")

    def bold(self, value: object) -> Safe:
        """Bold text."""
        return Safe(f"<b>{self.safe(value)}</b>")

    def italic(self, value: object) -> Safe:
        """Slanted text."""
        return Safe(f"<i>{self.safe(value)}</i>")

    def _coloured(self, text: Safe, colour: str) -> Safe:
        return Safe(f'<span style="color: {html.escape(colour)}">{text}</span>')

    def heading(self, value: object) -> Safe:
        """A heading."""
        return Safe(f"<h2>{self.safe(value)}</h2>")

    def quote(self, value: object) -> Safe:
        """Text set apart."""
        return Safe(f"<blockquote>{self.safe(value)}</blockquote>")

    def code(self, text: str) -> Safe:
        """Text to be copied as it stands."""
        return Safe(f"<code>{html.escape(clean(text))}</code>")

    def _linked(self, text: Safe, address: str) -> Safe:
        return Safe(f'<a rel="nofollow noopener" href="{html.escape(address)}">{text}</a>')

    def bullets(self, values: Iterable[object]) -> Safe:
        """A list with one point for each value; nothing where there is none."""
        points = [f"<li>{self.safe(value)}</li>" for value in values]
        return Safe("\n".join(["<ul>", *points, "</ul>"]) if points else "")

    def table(self, header: Sequence[object], rows: Iterable[Sequence[object]]) -> Safe:
        """A table."""
        lines = ["".join(f"<th>{self.safe(cell)}</th>" for cell in header)]
        lines += ["".join(f"<td>{self.safe(cell)}</td>" for cell in row) for row in rows]
        return Safe("\n".join(["<table>", *(f"<tr>{line}</tr>" for line in lines), "</table>"]))

    def finish(self, body: str) -> str:
        """The whole post: a line end that is no block's is a new line."""
        parts = re.split(r"\n*(<(h2|ul|table|blockquote)>.*?</\2>)\n*", super().finish(body), flags=re.DOTALL)
        # Of every three parts the first is text between blocks, the second a block, the third the block's tag.
        pieces = [part.replace("\n", "<br>\n") if at % 3 == 0 else part for at, part in enumerate(parts) if at % 3 != 2]
        return "\n".join(piece for piece in pieces if piece)


class Plain(Dialect):
    """No markup at all: for the titles of posts, and for what is shown to the GM."""

    def directed(self, text: str, language: Language) -> str:
        """The text as it is."""
        return text

    def _goes_apart(self, name: str) -> bool:
        return self.names_apart

    def escape(self, text: str) -> str:
        """The text on one line, without control and direction marks."""
        return clean(text)

    def bold(self, value: object) -> Safe:
        """The text as it is."""
        return self.safe(value)

    def italic(self, value: object) -> Safe:
        """The text as it is."""
        return self.safe(value)

    def _coloured(self, text: Safe, colour: str) -> Safe:
        return text

    def heading(self, value: object) -> Safe:
        """The text as it is."""
        return self.safe(value)

    def quote(self, value: object) -> Safe:
        """The text as it is."""
        return self.safe(value)

    def code(self, text: str) -> Safe:
        """The text as it is."""
        return Safe(clean(text))

    def _linked(self, text: Safe, address: str) -> Safe:
        return Safe(f"{text} ({address})")

    def bullets(self, values: Iterable[object]) -> Safe:
        """A line for each value."""
        return Safe("\n".join(f"- {self.safe(value)}" for value in values))


PLAIN = Plain()
DIALECTS: dict[str, Dialect] = {
    "phpbb": Dialect(), "smf": Smf(), "mybb": MyBB(), "fluxbb": FluxBB(), "vbulletin": VBulletin(), "xenforo": XenForo(),
    "markdown": Markdown(), "html": Html(),
}  # fmt: skip
"""The dialects by the name of the forum program, or of the format."""
_WRITES = {"discourse": "markdown"}


def dialect_of(name: str) -> Dialect:
    """The dialect of that name, `plain` and every forum program included; phpBB's for an unknown one."""
    name = _WRITES.get(name, name)
    return PLAIN if name == "plain" else DIALECTS.get(name, DIALECTS["phpbb"])
