"""Forum software whose pages are not read, known by marks of its own, so that a page of it is refused by its name."""

from __future__ import annotations

import re

from scraper.model import NotTheTopic
from scraper.topicpage import decode

READ = "phpBB 3, SMF 2, MyBB 1.8, FluxBB 1.5, vBulletin 3 and 4, Discourse, XenForo 2 and Invision Community 4"

_MARKS = {
    "XenForo 1": r"""<html[^>]{0,300} id=["']XenForo["']""",
    "vBulletin 5": r"""window\.vBulletin\s*=|class=["']b-post[ "']|content=["']vBulletin [56]""",
    "Forumotion": r"illiweb\.com/|forumotion\.com",
    "phpBB 2": r"""(?s)\A(?!.*\bstyles/[\w-]+/(?:theme|imageset)/).*(?:<span class=["']postbody["']>|templates/subSilver/)""",
    "SMF 1": r"smf_template_body_edit|Powered by SMF 1\.",
    "Invision Power Board 3": r"\bipb\.(?:vars|topic)\b",
    "Invision Community 5": r"""class=["'][^"']*\bipsEntry__content\b""",
    "WoltLab": r"\bWCF_PATH\b|\bWSC_API_URL\b",
    "NodeBB": r"""component=["']post/""",
    "Flarum": r"""id=["']flarum-""",
    "Vanilla": r"gdn\.(?:meta|definition)\b",
    "Discuz!": r"\bdiscuz_uid\b",
    "ProBoards": r"\bproboards\.(?:com|data)\b",
    "bbPress": r"""class=["'][^"']*\bbbp-reply""",
}
_OTHERS = {name: re.compile(marks) for name, marks in _MARKS.items()}


def other_software(page: str | bytes) -> NotTheTopic | None:
    """The error for a page of software that is not read; None where it is not known as one.

    Only for pages that could not be read: a post may quote any of the marks.
    """
    text = decode(page)
    name = next((name for name, marks in _OTHERS.items() if marks.search(text)), None)
    if name is None:
        return None
    return NotTheTopic(
        f"this looks like a page of {name}, which cannot be read.", advice=f"What can be read: {READ}. Nothing was read."
    )
