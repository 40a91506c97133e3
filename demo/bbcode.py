"""BBCode to HTML for the practice forum, in the shapes that phpBB's default style gives it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

SMILIES = {
    ":)": "smile", ":D": "biggrin", ";)": "wink", ":(": "sad", ":P": "razz", "8)": "cool", ":lol:": "lol", ":!:": "exclaim",
}  # fmt: skip

_TAG = re.compile(
    r"\[(/?)(b|i|u|s|color|size|quote|code|url|img|list|\*|spoiler)(?:[= ]([^\[\]\n]*|\"[^\"\n]*\"[^\[\]\n]*))?\]", re.I
)
_CODE_END = re.compile(r"\[/code\]", re.I)
_COLOUR = re.compile(r"[a-z]{3,20}|#[0-9a-f]{3}(?:[0-9a-f]{3})?|rgb\(\d{1,3}, ?\d{1,3}, ?\d{1,3}\)", re.I)
_QUOTE = re.compile(r"(?:\"(?P<quoted>[^\"]*)\"|(?P<plain>.*?))(?P<rest>(?: [a-z_]+=\S+)*)$")
_INLINE = re.compile(
    r"https?://[^\s\[\]<>\"]+|" + "|".join(rf"(?<!\S){re.escape(code)}(?!\S)" for code in sorted(SMILIES, key=len, reverse=True))
)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BLOCKS = frozenset({"quote", "list", "*", "code"})


@dataclass(slots=True)
class _Open:
    name: str
    close: str


def render(text: str) -> str:
    """`text` as HTML. Crossed and unclosed tags are mended, unknown ones stay as text; HTML in it stays text too."""
    return _Renderer(text.replace("\r\n", "\n").replace("\0", "").strip("\n")).run()


class _Renderer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[str] = []
        self.open: list[_Open] = []
        self.mended: list[str] = []  # closed early; their own closing tags are dropped
        self.after_block = False

    def run(self) -> str:
        place = 0
        while match := _TAG.search(self.text, place):
            self._words(self.text[place : match.start()])
            place = match.end()
            name, argument = match[2].lower(), (match[3] or "").strip()
            if match[1]:
                self._close(name, match[0])
            elif name == "code":
                end = _CODE_END.search(self.text, place)
                self._code(self.text[place : end.start() if end else None])
                place = end.end() if end else len(self.text)
            elif name in ("url", "img"):
                place = self._address(name, argument, place, match[0])
            elif opened := _opening(name, argument):
                self._enter(name, *opened)
            else:
                self._words(match[0])
        self._words(self.text[place:])
        while self.open:
            self._leave()
        return "".join(self.out)

    def _enter(self, name: str, start: str, close: str) -> None:
        if name == "*":
            if not any(tag.name == "list" for tag in self.open):
                return self._words("[*]")
            while self.open[-1].name != "list":
                self._leave()
        self.out.append(start)
        self.open.append(_Open(name, close))
        self.after_block = False
        return None

    def _leave(self) -> _Open:
        tag = self.open.pop()
        if tag.name == "*" and self.out[-1].endswith("<br>\n"):
            self.out[-1] = self.out[-1][: -len("<br>\n")]
            tag.close += "\n"
        self.out.append(tag.close)
        self.after_block = tag.name in _BLOCKS
        return tag

    def _close(self, name: str, typed: str) -> None:
        if not any(tag.name == name for tag in self.open):
            if name in self.mended:
                self.mended.remove(name)
            else:
                self._words(typed)
            return
        while (tag := self._leave()).name != name:
            if tag.name != "*":
                self.mended.append(tag.name)

    def _code(self, content: str) -> None:
        self.out.append(
            f'<div class="codebox"><p>Code: <a href="#">Select all</a></p><pre><code>{escape(content, False)}</code></pre></div>'
        )
        self.after_block = True

    def _address(self, name: str, argument: str, place: int, typed: str) -> int:
        end = re.compile(rf"\[/{name}\]", re.I).search(self.text, place)
        inner = self.text[place : end.start()] if end else ""
        target = argument or inner
        if not end or not re.fullmatch(r"https?://[^\s\"<>]+", target):
            self._words(typed)
            return place
        if name == "img":
            self.out.append(f'<img src="{escape(target)}" class="postimage" alt="Image">')
        elif argument:
            self.out.append(f'<a href="{escape(target)}" class="postlink">')
            self.open.append(_Open("url", "</a>"))
            return place
        else:
            self.out.append(f'<a href="{escape(target)}" class="postlink">{escape(target)}</a>')
        return end.end()

    def _words(self, words: str) -> None:
        if not words:
            return
        html = _INLINE.sub(lambda found: f"\0{found[0]}\0", words)
        pieces = html.split("\0")
        done = "".join(_inline(piece) if at % 2 else escape(piece, False) for at, piece in enumerate(pieces))
        if self.after_block and done.startswith("\n"):
            self.out.append("\n")
            done = done[1:]
        self.after_block = False
        if done:
            self.out.append(done.replace("\n", "<br>\n"))


def _inline(words: str) -> str:
    if words in SMILIES:
        return f'<img class="smilies" src="./images/smilies/{SMILIES[words]}.gif" alt="{escape(words)}" title="{SMILIES[words]}">'
    return f'<a href="{escape(words)}" class="postlink">{escape(words)}</a>'


def _opening(name: str, argument: str) -> tuple[str, str] | None:
    simple = {
        "b": ('<strong class="text-strong">', "</strong>"),
        "i": ('<em class="text-italics">', "</em>"),
        "u": ('<span style="text-decoration:underline">', "</span>"),
        "s": ('<span style="text-decoration:line-through">', "</span>"),
        "*": ("<li>", "</li>"),
        "list": ('<ol style="list-style-type:decimal">', "</ol>") if argument else ("<ul>", "</ul>"),
        "spoiler": (
            '<div class="spoilwrap"><b>Spoiler:</b> <input value="Show" type="button"><div style="display:none">',
            "</div></div>",
        ),
    }
    valued: dict[str, Callable[[str], tuple[str, str] | None]] = {"color": _colour, "size": _size, "quote": _quote}
    return valued[name](argument) if name in valued else simple[name]


def _colour(argument: str) -> tuple[str, str] | None:
    return (f'<span style="color:{argument}">', "</span>") if _COLOUR.fullmatch(argument) else None


def _size(argument: str) -> tuple[str, str] | None:
    if not argument.isascii() or not argument.isdecimal() or not 1 <= int(argument) <= 200:
        return None
    return f'<span style="font-size:{argument}%;line-height:116%">', "</span>"


def _quote(argument: str) -> tuple[str, str] | None:
    if not argument:
        return '<blockquote class="uncited"><div>', "</div></blockquote>"
    match = _QUOTE.match(argument)
    name = (match["quoted"] if match["quoted"] is not None else match["plain"]) if match else argument
    told = dict(pair.split("=", 1) for pair in match["rest"].split()) if match else {}
    post, when, user = told.get("post_id", ""), told.get("time", ""), told.get("user_id", "")
    author = escape(name, False)
    if user.isdecimal():
        author = f'<a href="./memberlist.php?mode=viewprofile&amp;u={user}">{author}</a>'
    heading, cite = f"{author} wrote:", ""
    if post.isdecimal():
        cite = f' cite="./viewtopic.php?p={post}#p{post}"'
        heading += f' <a href="./viewtopic.php?p={post}#p{post}" data-post-id="{post}">↑</a>'
    if when.isdecimal() and len(when) < 12:
        heading += f'<span class="responsive-hide">{shown_time(datetime.fromtimestamp(int(when), UTC))}</span>'
    return f"<blockquote{cite}><div><cite>{heading}</cite>", "</div></blockquote>"


def shown_time(moment: datetime) -> str:
    """`moment` as the practice forum shows it, in UTC: `Sun Nov 15, 2026 12:53 am`."""
    hour = moment.hour % 12 or 12
    return (
        f"{_DAYS[moment.weekday()]} {_MONTHS[moment.month - 1]} {moment.day:02}, {moment.year} "
        f"{hour}:{moment.minute:02} {'am' if moment.hour < 12 else 'pm'}"
    )
