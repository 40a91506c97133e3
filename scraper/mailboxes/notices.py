"""Mails in which a forum says that a private message has come: whose it is, and what of it the mail holds.

Told only where it is sure: the program names itself in a header line, and its own English words stand around the name. In
another language the mail stays a mail of the forum, whose words are nobody's order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scraper.mailboxes.records import quoted_lines, tidy

_PHPBB = re.compile(
    r'private\s+message\s+from\s+"(?P<sender>.+(?:\n.+)?)"\s+to\s+your\s+account\s+on\s+".+(?:\n.+)?"\s+with\s+the\s+following\s+subject'
    r"(?:\s+has\s+arrived)?:"
    r"\s*\n(?P<subject>[^\n]*)\n"
)
_PHPBB_LINK = re.compile(r"ucp\.php\?\S*\bi=pm\b\S*\bp=\d+")
_RULE = "-" * 42
_HEADING = re.compile(r"^>? ?(?:Quote:?|.{1,120} [Ww]rote:.*)\s*$")
_SMF_QUOTE = re.compile(r"^(?:Quote from: .{1,200}|Quote)\s*$", re.MULTILINE)
_NEAR = 3000  # how far from the top a forum's own words stand


@dataclass(frozen=True, slots=True)
class Notice:
    """The private message behind a mail. `body` is what its author wrote; all of the mail, quoted, if it holds none."""

    sender: str
    subject: str
    body: str
    cut: bool = False
    """Whether the mail leaves open where a quote ends, so that all from it on is taken for the quote."""


def read_notice(heads: Mapping[str, str], *, sender: str, subject: str, text: str) -> Notice | None:
    """The message that a forum's mail is about; None for any other mail, or where it cannot be told for sure.

    `sender` is the forum's name as the mail gives it, `heads` the header lines by lower-case name.
    """
    program = heads.get("x-mailer", "").strip().lower()
    text = tidy(text)
    if program.startswith("phpbb") or "x-phpbb-origin" in heads:
        return _phpbb(text)
    if program == "mybb":
        return _mybb(sender, subject, text)
    if program == "smf":
        return _smf(sender, subject, text)
    return None


def _phpbb(text: str) -> Notice | None:
    """phpBB tells author and subject; the text must be read on the forum."""
    told = _PHPBB.search(text[:_NEAR])
    if told is None or not _PHPBB_LINK.search(text, told.end(), told.end() + _NEAR):
        return None
    return Notice(" ".join(told["sender"].split()), told["subject"].strip(), quoted_lines(text))  # phpBB breaks long lines


def _mybb(site: str, subject: str, text: str) -> Notice | None:
    told = re.search(rf"new private message on {re.escape(site)} from (?P<sender>[^\n]+?)(?::\s*\n|\. To view)", text[:_NEAR])
    if told is None:
        return None
    subject = subject.removeprefix(f"New Private Message at {site} - ")
    start, end = text.find(f"\n{_RULE}\n", told.end() - 1), text.rfind(f"\n{_RULE}\n")
    if start < 0 or end <= start:
        return Notice(told["sender"], subject, quoted_lines(text))
    return Notice(told["sender"], subject, *_unquoted(text[start + len(_RULE) + 2 : end]))


def _unquoted(text: str) -> tuple[str, bool]:
    """A text in which MyBB has flattened quotes (a heading, `--`, what was said, `--`) with those as quoted lines."""
    lines = text.split("\n")
    out: list[str] = []
    depth = 0
    for line in lines:
        if line.strip() != "--":
            out.append(f"> {line}" if depth else line)
            continue
        heading = next((at for at in range(len(out) - 1, -1, -1) if out[at].strip(" >")), None)
        if heading is not None and _HEADING.search(out[heading]):
            depth += 1
            out[heading] = out[heading] if out[heading].startswith(">") else f"> {out[heading]}"
            out.append("> --")
        elif depth:
            depth -= 1
            out.append("> --")
        else:
            out.append(line)
    return "\n".join(out), depth > 0


def _smf(site: str, subject: str, text: str) -> Notice | None:
    told = re.match(rf"\s*[^\n]{{0,40}}? personal message by (?P<sender>[^\n]+) on {re.escape(site)}\.\s*\n", text)
    if told is None:
        return None
    subject = subject.removeprefix("New Personal Message: ")
    lead = "\nThe message they sent you was:\n"
    start, end = text.find(lead, told.end() - 1), text.rfind("\nReply to this Personal Message here: ")
    if start < 0 or end <= start:
        return Notice(told["sender"], subject, quoted_lines(text))
    body = text[start + len(lead) : end]
    quote = _SMF_QUOTE.search(body)
    if quote is None:
        return Notice(told["sender"], subject, body)
    return Notice(told["sender"], subject, f"{body[: quote.start()]}{quoted_lines(body[quote.start() :])}", True)
