"""A page is taken whole or not at all: where it does not tell who wrote, when and what, it is refused and says why."""

from __future__ import annotations

from collections.abc import Collection

from scraper.model import NotTheTopic
from scraper.topicpage import DraftPage


def whole(draft: DraftPage, style: str, *, wordless: Collection[str] = (), hidden: Collection[str] = ()) -> DraftPage:
    """The page, where it tells of all its posts what counts.

    `wordless` are the ids of standing posts whose words were not found, `hidden` the authors whose posts the forum keeps from
    this account; `style` is the one that can be read. Raises NotTheTopic.
    """
    if hidden:
        raise NotTheTopic(
            f"The posts of {', '.join(sorted(hidden))} are hidden on this page: the account ignores them.",
            advice="Take them off the account's list of ignored members (foes), so that no vote is lost. Nothing was read.",
        )
    standing = [post for post in draft.posts if not post.deleted]
    named = any(post.author for post in standing)
    dated = any(post.posted.text or post.posted.title or post.posted.exact for post in standing)
    if wordless:
        raise styled("what a post says was not found", style)
    if standing and not named:
        raise styled("who wrote a post was not found", style)
    if standing and not dated:
        raise styled("when a post was written was not found", style)
    return draft


def styled(missing: str, style: str) -> NotTheTopic:
    """The error for a topic in a style whose pages cannot be read: `missing` says what of it."""
    return NotTheTopic(
        f"This topic is shown in a style that cannot be read: {missing}.",
        advice=f"Choose {style} in the settings of the account that reads. Nothing was read.",
    )
