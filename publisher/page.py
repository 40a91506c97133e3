"""Posts in BBCode as a web page of their own, for reading a game offline. Whatever a post holds, the page stays a page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from parser.colour import is_colour
from publisher.markup import web_address

_TAG = re.compile(r"\[(/?)([a-z]{1,10}|\*)(?:=([^\[\]\n]{0,300}))?\]", re.IGNORECASE)
_PLAIN = {
    "b": "b", "i": "i", "u": "u", "s": "s", "h": "h3", "quote": "blockquote", "list": "ul", "table": "table", "tr": "tr",
    "td": "td", "code": "code", "center": "div", "spoiler": "details",
}  # fmt: skip
_CSS = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 Georgia, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid #8886; border-radius: .4rem; margin: 1rem 0; padding: .6rem 1rem; overflow-wrap: anywhere; }
article > header { display: flex; justify-content: space-between; border-bottom: 1px solid #8886; margin-bottom: .6rem; }
time { opacity: .7; font-size: .9rem; }
.body { white-space: pre-line; }
.body, .body li, .body td, .body blockquote { unicode-bidi: plaintext; }
.body ul { white-space: normal; }
blockquote { border-left: 3px solid #8888; margin: .4rem 0; padding-left: .8rem; }
td { padding: .1rem .6rem; border: 1px solid #8886; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def thread_page(posts: Iterable[tuple[str, str, str]], title: str) -> str:
    """A page with these posts (author, time as text, BBCode). It loads nothing, and runs nothing."""
    articles = "\n".join(
        f"<article>\n<header><b><bdi>{html.escape(author)}</bdi></b> <time>{html.escape(time)}</time></header>\n"
        f'<div class="body">{as_html(bbcode)}</div>\n</article>'
        for author, time, bbcode in posts
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n<h1>{html.escape(title)}</h1>\n"
        f"{articles}\n</body>\n</html>\n"
    )


def as_html(bbcode: str) -> str:
    """The post as HTML: the tags that are known, opened and closed in order; everything else as text."""
    out: list[str] = []
    open_: list[tuple[str, str]] = []
    place = 0
    for found in _TAG.finditer(bbcode):
        if found.start() < place:
            continue
        closing, name, value = bool(found[1]), found[2].lower(), found[3]
        inside_code = bool(open_) and open_[-1][0] == "code" and not (closing and name == "code")
        made = None if inside_code else _closed(name, open_) if closing else _opened(name, value, open_)
        out.append(html.escape(bbcode[place : found.start()]))
        out.append(html.escape(found[0]) if made is None else made)
        place = found.end()
    out.append(html.escape(bbcode[place:]))
    out += [end for _, end in reversed(open_)]
    return "".join(out)


def _opened(name: str, value: str | None, open_: list[tuple[str, str]]) -> str | None:
    """The HTML that opens this tag; None where it is none of ours."""
    within = [one for one, _ in open_]
    if len(within) > 50 or (name in ("tr", "td", "*", "li") and not {"list", "table"} & set(within)):
        return None
    value = (value or "").strip().strip("\"'")
    if name in ("*", "li"):
        ends = ""
        if within[-1] == "*":
            ends = open_.pop()[1]
        open_.append((name, "</li>"))
        return ends + "<li>"
    if name == "color" and is_colour(value):
        start, end = f'<span style="color: {html.escape(value)}">', "</span>"
    elif name == "size":
        start, end = "<big>", "</big>"
    elif name == "url" and (address := web_address(value)) is not None:
        start, end = f'<a rel="nofollow noopener noreferrer" href="{html.escape(address)}">', "</a>"
    elif name == "right" or (name == "align" and value in ("right", "left", "center")):
        start, end = f'<div style="text-align: {value if name == "align" else "right"}">', "</div>"
    elif name in _PLAIN:
        start, end = f"<{_PLAIN[name]}>", f"</{_PLAIN[name]}>"
    else:
        return None
    open_.append((name, end))
    return start


def _closed(name: str, open_: list[tuple[str, str]]) -> str | None:
    """The HTML that closes this tag and those left open in it; None where it was never opened."""
    if name not in [one for one, _ in open_]:
        return None
    ends = []
    while True:
        one, end = open_.pop()
        ends.append(end)
        if one == name:
            return "".join(ends)
