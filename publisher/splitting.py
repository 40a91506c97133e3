"""Long posts in parts that a forum takes, each whole markup: no tag is cut, and what is open is closed and opened again.

A table that goes on in the next part has its head there too.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

_BBCODE = re.compile(r"\[(/?)([a-z][a-z0-9]*)(?:=[^\[\]\n]*)?\]", re.IGNORECASE)
_HTML = re.compile(r"<(/?)([a-z][a-z0-9]*)(?:\s[^<>\n]*)?>", re.IGNORECASE)
_SINGLE = frozenset(["hr", "br", "img", "li"])
"""Tags that need no end, or whose end stands on their own line."""
_ROW = re.compile(r"[\[<]tr[\]>].*[\[<]/tr[\]>]\n", re.IGNORECASE)
_RULED = re.compile(r"\|(?: *:?-+:? *\|)+\n")
"""Below the head of a table in Markdown."""
_WORD = re.compile(r"\[[^\[\]\n]*\]|<[^<>\n]*>|[^\s\[<]+|\s+|[\[<]")
LEAST = 500
"""The shortest limit that a post can be split for."""
LONGEST = {
    "phpbb": 60_000, "smf": 20_000, "mybb": 16_000, "fluxbb": 16_000, "vbulletin": 10_000, "discourse": 32_000, "xenforo": 10_000,
}  # fmt: skip
"""How many characters a post may have on a board as it is installed.

MyBB and FluxBB take 65,535 bytes, and a sign has up to four.
"""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line, or part of one, and what is open behind it, outermost first: tags (with a table's goes its head), in Markdown a
    fence or a table's head.
    """

    text: str
    open: tuple[str, ...]

    @property
    def apart(self) -> bool:
        """Whether a part ends well here: behind an empty line, with nothing open."""
        return not self.open and not self.text.strip()


def split(text: str, limit: int, dialect: str) -> list[str]:
    """`text` in parts of at most `limit` characters, in the dialect's own markup; one part where it fits.

    A part ends at an empty line where there is one in its second half, else at the end of a line, else between two words; only
    a word longer than the limit allows is cut. Raises ValueError for a limit under 500.
    """
    if limit < LEAST:
        raise ValueError(f"a post of {limit} characters is too short to hold anything; the limit must be {LEAST} or more")
    if len(text) <= limit:
        return [text]
    tag = _HTML if dialect == "html" else None if dialect in ("markdown", "discourse", "plain") else _BBCODE
    pieces = list(_pieces(text, limit // 3, tag))
    parts: list[str] = []
    first = 0
    while first < len(pieces):
        before = pieces[first - 1].open if first else ()
        end = _end(pieces, first, before, limit, tag)
        parts.append(_part(pieces, first, end, before, tag))
        first = end
    return [part for part in parts if part.strip()]


def _pieces(text: str, longest: int, tag: re.Pattern[str] | None) -> Iterator[_Piece]:
    if tag is None:
        yield from _plain_pieces(text, longest)
        return
    open_: list[str] = []
    closed = {found[2].lower() for found in tag.finditer(text) if found[1]}
    for line in text.splitlines(keepends=True):
        for chunk in _chunks(line, longest):
            for found in tag.finditer(chunk):
                _follow(found, open_, closed)
            if open_ and re.fullmatch(r"[\[<]table[\]>]", open_[-1], re.IGNORECASE) and _ROW.fullmatch(chunk):
                open_[-1] += f"\n{chunk}"
            yield _Piece(chunk, tuple(open_))


def _plain_pieces(text: str, longest: int) -> Iterator[_Piece]:
    """The same of Markdown. A table's head and the line below it are one piece."""
    open_: tuple[str, ...] = ()
    lines = text.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        line, following = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        at += 1
        if not open_ and line.startswith("|") and _RULED.fullmatch(following) and len(line) + len(following) <= longest:
            open_ = (line + following,)
            yield _Piece(open_[0], open_)
            at += 1
            continue
        if line.startswith("```"):
            open_ = () if open_ else (line.strip() + "\n",)
        elif open_ and open_[0].startswith("|") and not following.startswith("|"):
            open_ = ()
        for chunk in _chunks(line, longest):
            yield _Piece(chunk, open_)


def _follow(found: re.Match[str], open_: list[str], closed: Container[str]) -> None:
    """What is open after this tag. In code nothing opens, nor does what is `closed` nowhere: it is a word in brackets, or has no
    end; and what was never opened does not close.
    """
    name = found[2].lower()
    inside = _name(open_[-1]) if open_ else ""
    if inside in ("code", "pre") and not (found[1] and name == inside):
        return
    if not found[1]:
        if name in closed and name not in _SINGLE:
            open_.append(found[0])
    elif name in map(_name, open_):
        while _name(open_.pop()) != name:
            pass


def _name(tag: str) -> str:
    return re.split(r"[=\s\]>]", tag[1:].lower(), maxsplit=1)[0]


def _chunks(line: str, longest: int) -> Iterator[str]:
    """The line, or where it is too long as many words of it at a time as fit. A tag is one word."""
    if len(line) <= longest:
        yield line
        return
    held = ""
    for word in _WORD.findall(line):
        if held and len(held) + len(word) > longest:
            yield held
            held = ""
        if len(word) > longest and word[0] not in "[<":
            *whole, word = [word[at : at + longest] for at in range(0, len(word), longest)]
            yield from whole
        held += word
    if held:
        yield held


def _ends(open_: tuple[str, ...], tag: re.Pattern[str] | None) -> str:
    if tag is None:
        return "```\n" if open_ and open_[0].startswith("```") else ""
    return "".join(f"</{_name(one)}>" if tag is _HTML else f"[/{_name(one)}]" for one in reversed(open_))


def _part(pieces: list[_Piece], first: int, end: int, before: tuple[str, ...], tag: re.Pattern[str] | None) -> str:
    body = "".join(piece.text for piece in pieces[first:end])
    last = pieces[end - 1].open
    return "".join(before) + (body if last and tag is None else body.rstrip("\n")) + _ends(last, tag)


def _end(pieces: list[_Piece], first: int, before: tuple[str, ...], limit: int, tag: re.Pattern[str] | None) -> int:
    """Behind which piece the part ends that begins with `first`: at least one piece, so that it always goes on."""
    size = len("".join(before))
    end, good = first + 1, 0
    for number in range(first, len(pieces)):
        size += len(pieces[number].text)
        if size + len(_ends(pieces[number].open, tag)) > limit:
            break
        end = number + 1
        if pieces[number].apart and size > limit // 2:
            good = end
    return end if end == len(pieces) or not good else good
