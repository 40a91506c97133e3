"""Times to the second from a forum's feed (Atom), where its pages tell but minutes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from scraper.model import Post
from scraper.topicpage import utc


def published(text: str, number: re.Pattern[str]) -> dict[str, datetime]:
    """When the posts of a feed were made, by their ids, which `number` finds in their addresses; nothing where it is no feed."""
    first, end = text.find("<entry>"), text.rfind("</feed>")
    if not 0 <= first < end:
        return {}
    try:  # the head is left out: a forum's name with an & in it makes it no XML
        root = fromstring(f"<feed>{text[first:end]}</feed>".encode(), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError):
        return {}
    times: dict[str, datetime] = {}
    for entry in root.iter("entry"):
        link, made = entry.find("link"), utc(entry.findtext("published"))
        told = number.search(link.get("href") or "") if link is not None else None
        if told and made is not None:
            times[told[1]] = made
    return times


def minutes_only(posts: Iterable[Post]) -> bool:
    """Whether the times of these posts seem to lack their seconds, or a time is missing."""
    times = [post.posted_at for post in posts if not post.deleted]
    return bool(times) and all(time is None or not (time.second or time.microsecond) for time in times)
