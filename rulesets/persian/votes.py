"""The votes of a day or a defence, as they are read and counted (PER-VOTE)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.choices import Question
from engine.inputs import PostInput
from parser.votelines import Settled, VoteLine, settle, vote_lines
from rulesets.persian.orders import roster_of
from rulesets.persian.work import Town


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote that stands, and the post it stands in."""

    voter: str
    target: str
    post: str


@lru_cache(maxsize=16384)
def _lines(text: str) -> tuple[VoteLine, ...]:
    return tuple(vote_lines(text))


def standing(town: Town) -> list[Vote]:
    """The votes that stand, in the order in which they were cast; each player's last one.  PER-VOTE-01 -06"""
    votes: dict[str, Vote] = {}
    for voter, settled, line, post in _read(town):
        if settled.kind == "unvote":
            if settled.name is None or (voter in votes and votes[voter].target == settled.name):
                votes.pop(voter, None)
            else:
                _tell(town, voter, line, settled.name, "other_vote")
        elif settled.name is not None and may_be_voted_for(town, voter, settled.name):
            if voter not in votes or votes[voter].target != settled.name:
                votes.pop(voter, None)
                votes[voter] = Vote(voter, settled.name, post.id)
        else:
            _tell(town, voter, line, settled.name or settled.nearest, _why_not(town, voter, settled.name))
    return list(votes.values())


def symbolic(town: Town) -> dict[str, str]:
    """The sheriff's symbolic vote of the day, recorded and not counted.  PER-SHER-02"""
    last: dict[str, str] = {}
    for post in town.inputs.posts_as_listed():
        if post.by in town.present and town.state.role(post.by) == "sheriff":
            for line in _lines(post.text):
                settled = settle(line, roster_of(town))
                if settled.kind == "vote" and settled.name is not None:
                    last[post.by] = settled.name
    return last


def may_be_voted_for(town: Town, voter: str, target: str) -> bool:
    """A counted player who is in the game, not oneself; in a defence a defendant.  PER-VOTE-01 -04"""
    state = town.state
    there = target in town.present and target not in town.removed and not state.semi_minor(target)
    return there and target != voter and (town.kind != "defence" or target in state.defendants)


def _why_not(town: Town, voter: str, named: str | None) -> str | None:
    """Why a player who is named for sure can't be voted for.  PER-VOTE-01 -04"""
    if named is None:
        return None
    if named == voter:
        return "self_target"
    if not town.state.alive(named):
        return "dead_target"
    return "no_defendant" if town.kind == "defence" and named not in town.state.defendants else "not_counted"


def _read(town: Town) -> Iterator[tuple[str, Settled, VoteLine, PostInput]]:
    """Each vote line of a counted player, settled; what fits several is the GM's to decide.  PER-VOTE-08"""
    state, roster = town.state, roster_of(town)
    for post in town.inputs.posts_as_listed():
        voter = post.by
        if voter not in town.present or voter in town.removed or state.semi_minor(voter):
            continue  # PER-SEMI-02, PER-NIGHT-10
        with town.about(post.id):
            if post.edits and [one.text for one in _lines(post.edits[-1].text)] != [one.text for one in _lines(post.text)]:
                before, after = (" / ".join(one.text for one in _lines(text)) for text in (post.text, post.edits[-1].text))
                town.notice("gm", "edited", "PER-VOTE-08", player=voter, text=after, before=before, after=after)
            for number, line in enumerate(_lines(post.text)):
                if line.spoiler:
                    town.notice("gm", "in_spoiler", "PER-VOTE-08", player=voter, text=line.text)
                    if state.option("spoilers") == "ignore":
                        continue
                settled = settle(line, roster)
                if settled.kind == "ambiguous":
                    settled = _which(town, settled, line, post, number)
                if settled.kind != "nothing":
                    yield voter, settled, line, post


def _which(town: Town, settled: Settled, line: VoteLine, post: PostInput, number: int) -> Settled:
    question = Question(
        f"name:{post.id}:{number}:{line.text}", "name", settled.candidates, None,
        {"player": post.by, "text": line.text, "post": post.id},
    )
    answer = town.ask(question, "PER-VOTE-08")
    return Settled("nothing") if answer is None else Settled("vote", answer)


def _tell(town: Town, player: str, line: VoteLine, nearest: str | None, reason: str | None) -> None:
    town.notice("gm", "unreadable", "PER-VOTE-08", player=player, text=line.text, nearest=nearest, reason=reason)


def table(votes: list[Vote]) -> dict[str, list[str]]:
    """Target → voters in the order in which they voted, most votes first."""
    found: dict[str, list[str]] = {}
    for vote in votes:
        found.setdefault(vote.target, []).append(vote.voter)
    return dict(sorted(found.items(), key=lambda row: -len(row[1])))


def published(town: Town, votes: list[Vote]) -> dict[str, Any]:
    """The count as everybody may see it; whom the night has taken unknown to all is still among those not voting."""
    state, found = town.state, table(votes)
    voted = {vote.voter for vote in votes}
    known = [name for name in state.game.names if name not in state.publicly_gone and not state.semi_minor(name)]
    waiting = [event for event in town.events if event.kind == "ask" and event["question"] == "name" and event["answer"] is None]
    return {
        "published": {target: len(voters) for target, voters in found.items()},
        "votes": found,
        "not_voting": [name for name in known if name not in voted],
        "unclear": [{"player": event["player"], "text": event["text"]} for event in waiting],
        "posts": {vote.voter: vote.post for vote in votes},
    }


def leader(town: Town, votes: list[Vote]) -> tuple[str | None, str]:
    """Who is executed, and the reason in a word.  PER-VOTE-02 -03"""
    leaders = leading(votes, town.state.game.names)
    if not leaders:
        return None, "no_votes"
    if len(leaders) == 1:
        return leaders[0], "votes"
    match town.state.option("tie"):
        case "random":
            return str(town.draw("tie", leaders, "PER-VOTE-03")), "tie"
        case "ask":
            question = Question(f"tie:{', '.join(leaders)}", "tie", (*leaders, "nobody"), "nobody", {"players": leaders})
            answer = town.ask(question, "PER-VOTE-03")
            return (None, "tie") if answer in (None, "nobody") else (answer, "tie")
    return None, "tie"


def leading(votes: list[Vote], names: tuple[str, ...]) -> list[str]:
    """Those with most votes, in the order of players."""
    found = table(votes)
    most = max((len(voters) for voters in found.values()), default=0)
    return [name for name in names if most and len(found.get(name, [])) == most]
