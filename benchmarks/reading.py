"""Reading saved topic pages into posts: this project's readers beside bare lxml and BeautifulSoup, and a long thread whole.

The bare reader parses the same pages with `lxml.html` and picks the same fields: id, author, author's number, date text,
edit note, and the body's text. The BeautifulSoup one does the same over `html.parser`. Both are told nothing about dates
and write no BBCode, so ours does more work in the time. Pages are our own, as full as real ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bs4 import BeautifulSoup
from lxml import html
from rich.console import Console
from rich.table import Table

from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from benchmarks.mail import peak_megabytes
from scraper import mybb, phpbb, smf
from scraper.saved import read_saved

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
FIRST = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
WORDS = "I do not think that the lamp was out when Bert came up the stairs, and nobody has asked him about the boat. " * 3
BODY = (
    "<blockquote{quote}><cite>Bert blorped:</cite>{words}<br>\n<b>Vote: Carol</b></blockquote>{words}<br>\n<br>\n{words}"
    '<b><span style="color: red;">Vote: Anna</span></b> <i>for now</i> <img class="smilies" alt=":)" src="s.gif">'
)
PICKS = {
    # post, author, link of the author, date, edit note, body
    "phpbb": (
        "//div[contains(@class, 'post ')][starts-with(@id, 'p')]",
        ".//p[@class='author']//strong",
        ".//time",
        ".//div[@class='notice']",
        ".//div[@class='content']",
    ),
    "smf": (
        "//div[@class='windowbg']",
        ".//div[@class='poster']/h4",
        ".//a[@class='smalltext']",
        ".//span[contains(@class, 'modified')]",
        ".//div[@class='inner']",
    ),
    "mybb": (
        "//div[starts-with(@id, 'post_') and contains(@class, 'post ')]",
        ".//span[@class='largetext']",
        ".//span[@class='post_date']",
        ".//span[@class='post_edit']",
        ".//div[contains(@class, 'post_body')]",
    ),
}
SOUP_PICKS = {
    "phpbb": ("div.post", "p.author strong", "time", "div.notice", "div.content"),
    "smf": ("div.windowbg", "div.poster h4", "a.smalltext", "span.modified", "div.inner"),
    "mybb": ("div.post", "span.largetext", "span.post_date", "span.post_edit", "div.post_body"),
}
MAKERS: dict[str, Callable[[Sheet], str]] = {"phpbb": forumpages.phpbb, "smf": forumpages.smf, "mybb": forumpages.mybb}
READERS = {"phpbb": phpbb.read_page, "smf": smf.read_page, "mybb": mybb.read_page}
PADDING = "".join(
    f'<li><a href="./index.php?x={number}" class="button"><span>Blorp {number}</span></a></li>' for number in range(120)
)


def pages(forum: str, posts: int, per_page: int = 15) -> list[str]:
    """A thread of `posts` posts as pages of `forum`, as large as real ones."""
    made: list[str] = []
    count = -(-posts // per_page)
    for page in range(1, count + 1):
        samples = [
            Sample(
                id=1000 + place,
                author=("Anna", "Bert", "Carol", "[Ghost]")[place % 4],
                author_id=place % 4 + 2,
                posted=FIRST + timedelta(minutes=31 * place),
                body=BODY.format(words=WORDS, quote=' class="uncited"' if place % 3 else ""),
                edited=FIRST + timedelta(minutes=31 * place + 5) if place % 20 == 0 else None,
            )
            for place in range((page - 1) * per_page, min(page * per_page, posts))
        ]
        sheet = Sheet(samples, shown, page=page, pages=count, per_page=per_page, total=posts)
        made.append(MAKERS[forum](sheet).replace("</body>", f"<ul>{PADDING}</ul></body>"))
    return made


def shown(moment: datetime) -> str:
    """A date as the reading account has it shown."""
    return moment.strftime("%b %d, %Y, %I:%M %p")


def bare(page: bytes, forum: str) -> list[tuple[str, ...]]:
    """What one would write by hand with lxml: the same fields, dates and body as plain text."""
    post_path, *paths = PICKS[forum]
    rows = []
    for post in html.document_fromstring(page).xpath(post_path):
        found = [next(iter(post.xpath(path)), None) for path in paths]
        link = found[0].find(".//a") if found[0] is not None else None
        texts = ["" if element is None else element.text_content().strip() for element in found]
        rows.append((post.get("id"), link.get("href", "") if link is not None else "", *texts))
    return rows


def soup(page: bytes, forum: str) -> list[tuple[str, ...]]:
    """The same with BeautifulSoup over the standard library's parser."""
    post_rule, *rules = SOUP_PICKS[forum]
    rows = []
    for post in BeautifulSoup(page, "html.parser").select(post_rule):
        found = [post.select_one(rule) for rule in rules]
        link = found[0].select_one("a") if found[0] is not None else None
        texts = ["" if element is None else element.get_text().strip() for element in found]
        rows.append((str(post.get("id")), str(link.get("href")) if link is not None else "", *texts))
    return rows


def _each(read: Callable[[bytes], object], made: Sequence[bytes]) -> None:
    for page in made:
        read(page)


def seconds(work: Callable[[], object], rounds: int = 5) -> float:
    """The CPU time of the best of `rounds` runs."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def own_pages() -> Iterator[tuple[str, str, list[bytes]]]:
    """Forum, label and pages of our own, 15 posts each."""
    for forum in READERS:
        yield forum, forum, [page.encode() for page in pages(forum, 150)]


def captured_pages() -> Iterator[tuple[str, str, list[bytes]]]:
    """The same for pages of real forums, where some are at hand."""
    folder = Path(os.environ.get("NIGHTPOST_CAPTURES", Path(__file__).parents[2] / "shared" / "captures"))
    for forum in READERS:
        found = sorted(folder.glob(f"{forum}-*/topic-0*.html"))
        if found:
            yield forum, f"{forum}, real", [path.read_bytes() for path in found]


def compare(console: Console) -> None:
    """One table: milliseconds a page for bare lxml, this project and BeautifulSoup, and the ratios."""
    table = Table(title="a topic page → posts (ms a page)")
    for column in ("pages", "size", "lxml", "ours", "soup", "ours : lxml (≤ 2)", "soup : ours (≥ 10)"):
        table.add_column(column, justify="right")
    for forum, name, made in [*own_pages(), *captured_pages()]:
        read, count = READERS[forum], len(made)
        assert len(bare(made[0], forum)) == len(soup(made[0], forum)) == len(read(made[0], timezone=UTC, now=NOW).posts)
        lxml_time = seconds(partial(_each, partial(bare, forum=forum), made)) / count
        ours = seconds(partial(_each, partial(read, timezone=UTC, now=NOW), made)) / count
        soup_time = seconds(partial(_each, partial(soup, forum=forum), made), rounds=2) / count
        table.add_row(
            name, f"{len(made[0]) // 1024} kB", f"{lxml_time * 1000:.2f}", f"{ours * 1000:.2f}", f"{soup_time * 1000:.1f}",
            f"{ours / lxml_time:.2f}", f"{soup_time / ours:.1f}",
        )  # fmt: skip
    console.print(table)


def long_thread(console: Console, posts: int = 10_000) -> None:
    """A whole thread from saved pages, each in a process of its own: seconds of CPU and its own peak of memory."""
    table = Table(title=f"a thread of {posts:,} posts from saved pages")
    for column in ("forum", "CPU s (< 5)", "peak MB (< 150)"):
        table.add_column(column, justify="right")
    for forum in MAKERS:
        with tempfile.TemporaryDirectory() as folder:
            for number, page in enumerate(pages(forum, posts)):
                (Path(folder) / f"{number:04}.html").write_text(page, encoding="utf-8")
            result = subprocess.run(
                [sys.executable, "-m", "benchmarks.reading", forum, folder], capture_output=True, text=True, check=True
            )
        spent, peak, found = result.stdout.split()
        assert int(found) == posts, f"{found} posts of {posts}"
        table.add_row(forum, spent, peak)
    console.print(table)


def read_folder(forum: str, folder: str) -> None:
    """Read the pages in `folder`; print seconds of CPU, peak megabytes and how many posts."""
    start = time.process_time()
    thread = read_saved(sorted(Path(folder).iterdir()), forum=forum, timezone=UTC, now=NOW)
    spent = time.process_time() - start
    print(f"{spent:.2f} {peak_megabytes():.0f} {len(thread.posts)}")


def main() -> None:
    """Print both tables."""
    console = Console()
    compare(console)
    long_thread(console)


if __name__ == "__main__":
    read_folder(*sys.argv[1:3])
