"""What the GM is told of conduct: one post a phase for the semi-minor roles, and whom the sheriff has left out."""

from __future__ import annotations

import re

from engine.inputs import PostInput
from parser.normal import fold
from rulesets.persian.work import Town


def watch(town: Town) -> None:
    """Look through the posts of the phase; it is the GM who decides what to do.  PER-SEMI-04, PER-FISH-02, PER-SHER-01"""
    state = town.state
    for player in town.present:
        if not state.semi_minor(player):
            continue
        posts = [post for post in town.inputs.posts_as_listed() if post.by == player]
        if len(posts) > 1:
            town.notice("gm", "second_post", "PER-SEMI-04", player=player, posts=len(posts))
        if posts and state.role(player) == "sheriff" and (left_out := not_mentioned(town, player, posts)):
            town.notice("gm", "not_mentioned", "PER-SHER-01", player=player, players=left_out)


def not_mentioned(town: Town, sheriff: str, posts: list[PostInput]) -> list[str]:
    """Players in the game whom no post of the sheriff's names. Who has died unknown to all is in the game (PER-REPORT-23)."""
    said = fold("\n".join(post.text for post in posts))
    return [
        seat.name for seat in town.state.game.seats
        if seat.name != sheriff and seat.name not in town.state.publicly_gone
        and not any(re.search(rf"(?<![^\W_]){re.escape(fold(name))}(?![^\W_])", said) for name in (seat.name, *seat.aliases))
    ]  # fmt: skip
