"""Discourse: a private message is a topic; read is the saved answer to `/t/ID.json`, best with `?include_raw=1`.

Written from the public record, not from a running forum. Ids and times (UTC) are the forum's own. The list of messages
(`/topics/private-messages/NAME.json`) holds no texts: what it names and no file holds is said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from scraper.mailboxes.records import Reading, iso_moment, message, quoted_lines, whole
from scraper.model import Message, SourceError

_WRITTEN = 1  # the post type of what people write; others are the forum's own remarks and whispers among its staff
_ELIDED = re.compile(r"<details\b[^>]{0,200}\belided\b[^>]{0,200}>(.{0,100000}?)</details>", re.DOTALL | re.IGNORECASE)
"""What a mail answered, where somebody answers by mail: a quote."""


def looks_like_topic(head: str) -> bool:
    """Whether a JSON file is a topic with its posts, or some of them."""
    return re.search(r'"post_stream"\s*:\s*\{', head) is not None


def looks_like_list(head: str) -> bool:
    """Whether a JSON file is a list of topics."""
    return re.search(r'"topic_list"\s*:\s*\{', head) is not None


def read_topic(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """The messages of a saved private topic, in their order. Raises SourceError if the file is cut off or damaged."""
    topic = _json(stream, name)
    kind = _text(topic, "archetype")
    if kind not in ("", "private_message"):
        reading.note(f"{name} is a topic of the forum and no private message; it was left out.")
        return
    posts = _object(topic, "post_stream")
    entries = _objects(posts, "posts")
    stream_ids = posts.get("stream")
    ids = {each for each in stream_ids if type(each) is int} if isinstance(stream_ids, list) else set()
    missing = ids - {entry["id"] for entry in entries if _whole(entry, "id")}
    if missing:
        reading.note(
            f"{name}: {len(missing)} of the topic's messages are not in this file; save the rest with "
            f"/t/ID/posts.json?include_raw=true&post_ids[]={min(missing)} and so on."
        )
    for number, entry in enumerate(entries, start=1):
        found = _message(entry, topic, f"{name}:message {number}", reading)
        if found is not None:
            yield found


def read_list(stream: BinaryIO, name: str, reading: Reading) -> Iterator[Message]:
    """No message: says which topics the list names, as their texts stand elsewhere."""
    topics = _objects(_object(_json(stream, name), "topic_list"), "topics")
    ids = [str(topic["id"]) for topic in topics if _whole(topic, "id")]
    if ids:
        shown = ", ".join(ids[:20]) + (" and so on" if len(ids) > 20 else "")
        reading.note(f"{name} lists {len(ids)} messages without their texts. Save each, as /t/ID.json?include_raw=1: {shown}.")
    yield from ()


def _json(stream: BinaryIO, name: str) -> dict[str, Any]:
    try:
        value = json.loads(whole(stream, name))
    except (ValueError, RecursionError) as problem:
        line = f", line {problem.lineno}" if isinstance(problem, json.JSONDecodeError) else ""
        raise SourceError(f"{name}{line}: cut off or damaged; nothing was read from it.", advice="Save the page again.") from None
    return value if isinstance(value, dict) else {}


def _message(entry: dict[str, Any], topic: dict[str, Any], place: str, reading: Reading) -> Message | None:
    from scraper.discourse import markup_of

    if entry.get("post_type", _WRITTEN) != _WRITTEN or entry.get("action_code"):
        return None
    sender = _text(entry, "username")
    if entry.get("deleted_at") or entry.get("user_deleted") or entry.get("hidden"):
        reading.note(f"{place} by {sender!r} was deleted or hidden; it was left out.")
        return None
    sent_at = iso_moment(_text(entry, "created_at"))
    if sent_at is None:
        reading.note(f"{place}: no time of sending that could be read.")
    if _whole(entry, "version") and entry["version"] > 1:
        edited = iso_moment(_text(entry, "updated_at"))
        when = f", last on {edited:%Y-%m-%d %H:%M} UTC" if edited else ""
        reading.note(f"{place} by {sender!r} was edited{when}; what it said before is not known.")
    raw = _ELIDED.sub(lambda found: f"\n{quoted_lines(found[1])}\n", _text(entry, "raw"))
    body = raw or markup_of(_text(entry, "cooked")).bbcode
    names = [_text(user, "username") for user in _objects(_object(topic, "details"), "allowed_users")]
    return message(
        "discourse",
        place,
        sender=sender,
        recipients=tuple(name for name in names if name != sender),
        sent_at=sent_at,
        subject=_text(topic, "title"),
        body=body,
        id=f"discourse-{entry['id']}" if _whole(entry, "id") else "",
    )


def _object(entry: dict[str, Any], key: str) -> dict[str, Any]:
    value = entry.get(key)
    return value if isinstance(value, dict) else {}


def _objects(entry: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = entry.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _whole(entry: dict[str, Any], key: str) -> bool:
    return type(entry.get(key)) is int
