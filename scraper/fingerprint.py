"""One message told by two sources: the same print whether it came from an export, the live forum or a mail about it.

The sources of one forum write a private message differently. phpBB's CSV and XML, its live page, MyBB's CSV, TXT and HTML and
a mail of notice differ in markup, quotes, blanks, line ends, smilies, links and seconds. What they share is who sent it, in
which minute, and the sender's own words in their order.

What is decided, and why:

- **The minute, in UTC.** Some sources give no seconds, so seconds never count. A source whose zone is set wrong tells another
  minute, and the message shows twice. That costs the GM a look. Taking hours for equal would lose the second of two nights'
  `pass`, and that costs an order.
- **A message without a time is only ever itself.** Its print holds its id.
- **Words, not signs.** Letters and digits, case and width folded, in one string: formats wrap lines and set blanks as they
  like. Where somebody wrote only signs (`✓`), the signs count.
- **Quotes are left out**, as tags or as `>` lines, since each format heads and indents them in its own way. Where nothing but
  quotes is left, all of the text counts.

- **Smilies are left out** where they are told by what was typed (`:)`, `:lol:`). MyBB's pages tell them by a name (`Sad`),
  which cannot be told from a word: there such a message has another print than in MyBB's exports.

Two messages with the same words by one player in one minute have one print. Two ids of one source are two messages all the
same: compare prints only across sources (`Kill A`, `Kill B`, `Kill A` within a minute is three orders).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from datetime import UTC

from scraper.model import Message

_TAG = re.compile(
    r"\[/?(?:b|i|u|s|color|colour|size|font|align|left|right|center|indent|quote|code|php|noparse|list|li|url|email|img|hr|spoiler"
    r"|youtube|sub|sup|table|tr|td|\*)(?:[= ](?:\[[^\[\]\n]{0,80}\]|[^\[\]\n]){0,300})?\]",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\(?\s?\b(?:https?|ftp)://[^\s\[\]]{1,2000}")
_SMILEY = re.compile(r"(?<!\w)(?::[a-z_]{2,20}:|[:;=8x][-']?[dpo)(|/\\3]+)(?!\w)", re.IGNORECASE)


def fingerprint(message: Message) -> str:
    """What tells this message from any other and is the same for its copies in other sources: 32 hexadecimal digits.

    Made of the sender's name folded, the minute of sending in UTC and the sender's own words; see above for what that takes
    as equal. The id counts only where the time is not known, and the subject only where there is no word in the body.
    """
    when = message.sent_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M") if message.sent_at else f"id {message.id}"
    said = _words(_own(message.body)) or _words(message.body) or f"subject {_words(message.subject)}"
    content = "\0".join((" ".join(_folded(message.sender).split()), when, said))
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:32]


def _own(body: str) -> str:
    """`body` without what stands in quotes at any depth; a quote that is not closed goes on to the end."""
    kept: list[str] = []
    depth = at = 0
    for tag in _TAG.finditer(body):
        name = tag[0][1:7].lower()
        if not name.startswith(("quote", "/quote")):
            continue
        if not depth:
            kept.append(body[at : tag.start()])
        depth = max(0, depth - 1) if name == "/quote" else depth + 1
        at = tag.end()
    if not depth:
        kept.append(body[at:])
    lines = "\n".join(kept).split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith(">"))


def _words(text: str) -> str:
    """The letters and digits of `text` in one string, without markup, addresses and smilies; only signs where it has none."""
    bare = _ADDRESS.sub(" ", _TAG.sub(" ", text))
    folded = _folded(_SMILEY.sub(" ", bare))
    words = "".join(sign for sign in folded if sign.isalnum() or unicodedata.category(sign)[0] == "M")
    return words or "".join(_folded(bare).split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
