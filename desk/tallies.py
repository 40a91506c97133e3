"""The tally as the GM sees it: a link to each counted post, every change, and votes over time as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from html import escape
from typing import Any

from desk.places import local
from engine.choices import Choices
from engine.inputs import PhaseInputs, PostInput
from engine.play import so_far
from engine.ruleset import Ruleset
from engine.state import Label, State
from scraper.model import iso


@dataclass(frozen=True, slots=True)
class Count:
    """The count after the post `post` (None before any): target → voters. `at` is that post's time (UTC).

    `unclear` are the votes that fit several players and count for nobody as yet: who voted, and the text.
    """

    post: PostInput | None
    votes: Mapping[str, Sequence[str]]
    unclear: tuple[tuple[str, str], ...] = ()

    @property
    def at(self) -> datetime | None:
        """When the post stood in the thread."""
        return self.post.at if self.post else None


def tally_facts(tally: Mapping[str, Any], posts: Sequence[PostInput]) -> dict[str, Any]:
    """A tally with where each vote stands: `{"counts": [{"target", "votes", "voters": [{"name", "post", "url", "at"}]}], …}`."""
    by_id = {post.id: post for post in posts}

    def voter(name: str) -> dict[str, Any]:
        source = tally.get("posts", {}).get(name)
        post = by_id.get(source)
        return {"name": name, "post": source, "url": post.link if post else None, "at": iso(post.at) if post else None}

    counts = [
        {"target": target, "votes": tally["published"].get(target, 0), "voters": [voter(name) for name in voters]}
        for target, voters in tally["votes"].items()
    ]
    return {"counts": counts, "not_voting": list(tally.get("not_voting", [])), "unclear": list(tally.get("unclear", []))}


def tally_lines(facts: Mapping[str, Any]) -> Iterator[str]:
    """The same to read."""
    if not facts["counts"]:
        yield "Nobody has a vote."
    for row in facts["counts"]:
        voters = ", ".join(f"{one['name']} ({one['url'] or one['post']})" for one in row["voters"])
        yield f"{row['target']}: {row['votes']} - {voters}"
    if facts["not_voting"]:
        yield f"Not voting: {', '.join(facts['not_voting'])}"
    for one in facts["unclear"]:
        yield f"Not clear: {one['player']} for \"{one['text']}\" (see nightpost review)"



def history(ruleset: Ruleset, before: State, label: Label, inputs: PhaseInputs, choices: Choices) -> list[Count]:
    """Every change of the count in this phase, each recounted from the record. Empty where nothing is voted on.

    Posts without markup are passed over: a vote of any ruleset stands in a tag or after a vote word.
    """
    counts: list[Count] = []
    kept: list[PostInput] = []
    for post in inputs.posts_in_order(before.game.names):
        kept.append(post)
        if not _may_vote(post):
            continue
        tally = so_far(ruleset, before, label, replace(inputs, posts=tuple(kept)), choices).tally
        if tally is None:
            return []
        votes = {target: tuple(voters) for target, voters in tally["votes"].items()}
        unclear = tuple((one["player"], one["text"]) for one in tally.get("unclear", ()))
        if (votes, unclear) != ((counts[-1].votes, counts[-1].unclear) if counts else ({}, ())):
            counts.append(Count(post, votes, unclear))
    return counts


def history_facts(counts: Sequence[Count]) -> list[dict[str, Any]]:
    """The changes as data: `{"post", "by", "url", "at", "votes", "unclear"}` each."""
    return [
        {
            "post": one.post.id if one.post else None, "by": one.post.by if one.post else None,
            "url": one.post.link if one.post else None, "at": iso(one.at),
            "votes": {target: list(voters) for target, voters in one.votes.items()},
            "unclear": [{"player": player, "text": text} for player, text in one.unclear],
        }
        for one in counts
    ]  # fmt: skip


def history_lines(counts: Sequence[Count], zone: str) -> Iterator[str]:
    """The same to read, with the times of the GM's clock."""
    for one in counts:
        count = "; ".join(f"{target} {len(voters)} ({', '.join(voters)})" for target, voters in one.votes.items())
        unclear = "".join(f'; not clear: {player} for "{text}"' for player, text in one.unclear)
        by, where = (one.post.by, one.post.link or one.post.id) if one.post else ("", "")
        yield f"{local(one.at, zone) if one.at else ''} {by} {where}: {count or 'no votes'}{unclear}".strip()
    if not counts:
        yield "No vote has been cast."


_COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#b8860b", "#4a4a4a", "#d1478c", "#008b8b")
_WIDTH, _HEIGHT, _LEFT, _ROW = 720, 300, 40, 18


def chart(counts: Sequence[Count], title: str) -> str:
    """Votes over time as an SVG picture: a step line for each who ever had a vote. Names are text, never markup."""
    targets = list(dict.fromkeys(target for one in counts for target in one.votes))
    most = max((len(voters) for one in counts for voters in one.votes.values()), default=1)
    places = _places(counts)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH + 200}" height="{max(_HEIGHT, _ROW * len(targets)) + 60}" '
        f'font-family="sans-serif" font-size="12">',
        f'<title>{_shown(title)}</title><text x="{_LEFT}" y="18" font-size="15">{_shown(title)}</text>',
    ]
    for votes in range(most + 1):
        y = _y(votes, most)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y}" y2="{y}" stroke="#ddd"/><text x="14" y="{y + 4}">{votes}</text>')
    for number, target in enumerate(targets):
        colour = _COLOURS[number % len(_COLOURS)]
        path = f"M{_LEFT} {_y(0, most)}"
        for place, one in zip(places, counts, strict=True):
            path += f" H{place} V{_y(len(one.votes.get(target, ())), most)}"
        parts.append(f'<path d="{path} H{_WIDTH}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{_WIDTH + 12}" y="{40 + _ROW * number}" fill="{colour}">{_shown(target)}</text>')
    return "\n".join((*parts, "</svg>\n"))


def _places(counts: Sequence[Count]) -> list[int]:
    """How far to the right each change stands: by its time where all have one, else evenly."""
    times = [one.at.timestamp() for one in counts if one.at]
    if len(times) < len(counts) or not times or times[-1] <= times[0]:
        times = [float(number) for number in range(len(counts))]
    span = (times[-1] - times[0]) or 1.0 if times else 1.0
    return [round(_LEFT + (_WIDTH - _LEFT - 10) * (one - times[0]) / span) for one in times]


def _y(votes: int, most: int) -> int:
    return round(_HEIGHT + 30 - (_HEIGHT - 10) * votes / most)


def _shown(text: str) -> str:
    return escape("".join(letter for letter in text if letter.isprintable()))


def _may_vote(post: PostInput) -> bool:
    return any("[" in text or "#" in text or ":" in text for text in (post.text, *(edit.text for edit in post.edits)))
