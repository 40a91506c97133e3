"""What of a private message is its sender's own, and where one order ends and the next begins (reading.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from parser.markup import runs
from parser.normal import fold


@dataclass(frozen=True, slots=True)
class Piece:
    """One order's worth of a message, as written, the number of the line it stands on, from 1, and that whole line."""

    text: str
    line: int
    of: str = ""


_HEADINGS = (
    r"on .{4,200} wrote", r"am .{4,200} schrieb.{0,80}", r"le .{4,200} a [ée]crit", r"el .{4,200} escribi[óo]",
    r"il .{4,200} ha scritto", r"em .{4,200} escreveu", r"op .{4,200} schreef.{0,80}", r".{4,200} napisał(?:\(a\))?",
    r".{4,200} написал(?:\(а\)|а)?", r"در .{4,200} نوشت(?:ه است)?",
)  # fmt: skip
_REPLY_HEADING = re.compile(
    rf"\s*(?:(?:{'|'.join(_HEADINGS)})\s*:\s*$|-{{2,}}\s*(?:original|forwarded) message\s*-*"
    r"|-{3,}.{0,60}(?:reply|original|forward)"
    r"|begin forwarded message|(?:from|von|de|od|от): .{0,80}@)",
    re.IGNORECASE,
)
_HEADING_BEGINS = re.compile(r"\s*(?:on|am|le|el|il|em|op|در)\s", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(
    r"(?!.*\d[:.]\d\d)(?!.*(?<!\d)20\d\d(?!\d))(?:.*(?<!\d\s)(?<!\d\.\s)(?<![^\W_])[^\W\d_]{4,}|.*\))[.!?]\s*$"
)
"""A line that ends as a sentence and tells no time or year: `On Mon, 2 Mar 2026 at 18:00 The Host!` goes on with `wrote:`."""
_SIGNATURE = re.compile(r"--\s?$")
_SENT_FROM = re.compile(
    r"(?:sent (?:from|via|with|using)|get outlook for|(?:gesendet )?von mei\w+|gesendet (?:von|mit)"
    r"|envoyé (?:de|depuis|à partir d[eu])|enviado (?:desde|do|de|via)|inviato da\w*|verstuurd vanaf|verzonden vanaf"
    r"|skickat från|sendt fra|lähetetty|wysłan[eo] z|отправлено [сиз]+)"
    r"[\w ]{0,40}\b(?:iphone|ipad|ios|android|samsung|galaxy|huawei|xiaomi|nokia|blackberry|outlook|yahoo mail|gmail|aol"
    r"|windows mail|airmail|smartphone|handy|mobile|mobil\w*|phone|proton ?mail|телефона)"
    r"(?:['’]?\w{0,3}| [a-z]+\d{1,2}\w{0,4}| device| phone| gesendet"
    r"|(?: app)? (?:on|for|auf|für|pour|para|per) [\w ]{2,20})?(?:\s?<[^<>\s]{0,200}>)?[.!]?",
    re.IGNORECASE,
)
"""What phones and mail programs put below every mail."""
_QUOTED = (">", "&gt;", "＞", "»")
_MOST = 500
"""Nobody sends more orders at once: what is beyond comes back as one piece, which the GM is shown."""
_FENCE, _STRIKE, _EMPTY_LINE = re.compile("```"), re.compile(r"(?<!~)~~(?!~)"), re.compile(r"\n[^\S\n]*\n")
"""Markdown's marks around code and struck text, which Discord's exports, text files and mails hold as they were typed."""
_EMPHASIS = re.compile(
    r"(?<![\w*])(\*{1,3})(?=[^\s*])([^\n]{0,200}?[^\s*])\1(?![\w*])"
    r"|(?<![\w_])(_{1,3})(?=[^\s_])([^\n]{0,200}?[^\s_])\3(?![\w_])"
)
_BULLET = re.compile(r"\s*(?:\(?\d{1,2}\s?[.)]|#\d{1,2}[.:)]?|[a-f]\)|[-*•–—])\s+")
_BREAK = re.compile(r"[;؛]|[.!?؟](?=\s)")
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|dear|greetings|good (?:morning|evening|day|night|luck)|thanks|thank you|thx|ty|cheers|regards|best"
    r"|best regards|bye|see you|please|ok|okay|lol|sorry|سلام|درود|ممنونم?|مرسی|متشکرم|(?:با )?تشکر|سپاس|خداحافظ|گاد)(?![^\W_]))"
    r"(?:[\s,،!.]+(?:gm|host|mod|all|everyone|there|again|monokuma|you|a lot|so much|very much|in advance"
    r"|for (?:hosting|the game)|گاد|عزیز|جان|گرامی|همگی|دوستان))*[\s,،!.:)(]*"
)


def own_lines(body: str) -> Iterator[tuple[int, str]]:
    """The sender's own lines with their numbers: no quotes, struck or coded text, signature, or what follows a reply heading;
    nor the line that a phone puts below.
    """
    parts: list[str] = []
    for run in runs(_without_marks(body)):
        own = not (run.quoted or run.struck or run.code)
        if not own and not run.struck and parts and parts[-1][-1:] != "\n":
            parts.append("\r")  # a quote parts what stands before it from what stands behind it
        if run.end > run.start:
            parts.append(run.text if own else "\n" * run.text.count("\n"))
        elif own:
            parts.append("\r")
    lines = "".join(parts).replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        following = lines[number] if number < len(lines) else ""
        if _SIGNATURE.fullmatch(line) or _REPLY_HEADING.match(line):
            return
        whole = following.lstrip().startswith(_QUOTED) or _REPLY_HEADING.match(following) or _SENTENCE_ENDS.match(line)
        if _HEADING_BEGINS.match(line) and not whole and _REPLY_HEADING.match(f"{line} {following}"):
            return
        if line.lstrip().startswith(_QUOTED):
            continue
        for part in line.split("\r"):
            if part.strip() and not _SENT_FROM.fullmatch(part.strip()):
                yield number, part.strip()


def has_words(body: str) -> bool:
    """Whether anything in a message is the sender's own."""
    return next(own_lines(body), None) is not None


def _without_marks(body: str) -> str:
    """A message without Markdown's marks of emphasis and what it strikes or calls code; lines stay where they are."""
    for mark in (_FENCE, _STRIKE):
        body = _without_inside(mark, body)
    return _EMPHASIS.sub(lambda found: found[2] or found[4], body) if "*" in body or "_" in body else body


def _without_inside(mark: re.Pattern[str], body: str) -> str:
    """The text without what stands between two of a mark; struck text has no blank at its ends and no empty line in it."""
    first, *pieces = mark.split(body)
    kept, at = [first], 0
    while at < len(pieces):
        inside = pieces[at]
        paired = at + 1 < len(pieces) and (mark is _FENCE or (inside.strip() == inside and not _EMPTY_LINE.search(inside)))
        if paired:
            kept += ["\n" * inside.count("\n") or " ", pieces[at + 1]]
        else:
            kept += ["```" if mark is _FENCE else "~~", inside]
        at += 2 if paired else 1
    return "".join(kept)


@lru_cache(maxsize=64)
def _with_breaks(names: tuple[str, ...]) -> re.Pattern[str] | None:
    """Finds those of the names that hold a sign which parts orders; None where there are none such."""
    dotted = sorted((name for name in names if _BREAK.search(name + " ")), key=len, reverse=True)
    return re.compile("|".join(rf"(?<![^\W_]){re.escape(name)}" for name in dotted), re.IGNORECASE) if dotted else None


def orders(body: str, *, names: tuple[str, ...] = (), whole: tuple[str, ...] = ()) -> tuple[Piece, ...]:
    """The orders of a message, one a line, sentence or `;`. A sign inside a player's name (`Abs.`) parts nothing.

    What begins with one of `whole` (such as `will:`) is one order to the end of its line. Greetings and thanks that stand alone
    are no orders, nor are bullets and numbers before one.
    """
    inside = _with_breaks(names)
    found: list[Piece] = []
    surplus: list[str] = []
    for number, line in own_lines(body):
        bullet = _BULLET.match(line)
        written = line
        line = line[bullet.end() :] if bullet else line
        hidden = inside.sub(lambda name: "\x00" * len(name[0]), line) if inside else line
        start = 0
        for cut, after in [*((match.start(), match.end()) for match in _BREAK.finditer(hidden)), (len(line), len(line))]:
            if whole and fold(line[start : start + 200]).replace(" :", ":").startswith(whole):
                found.append(Piece(line[start:].strip(), number, written))
                break
            text = line[start:cut].strip(" ,")
            start = after
            if any(sign.isalnum() for sign in text) and not _GREETING.fullmatch(fold(text[:200])):
                if len(found) < _MOST:
                    found.append(Piece(text, number, written))
                else:
                    surplus.append(text)
    return (*found, Piece("; ".join(surplus), found[-1].line)) if surplus else tuple(found)
