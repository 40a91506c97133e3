"""The trial: the tally as published, the manipulations, the execution (DAN-VOTE)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from engine.choices import Question
from rulesets.danganronpa.effects import cancel, targeted
from rulesets.danganronpa.work import Act, School


@dataclass(slots=True)
class Ballot:
    """One vote on its way from being cast to being counted."""

    voter: str
    against: str
    weight: int = 1


def as_cast(school: School) -> dict[str, list[str]]:
    """The votes before manipulation: target → voters in the order in which they voted.  DAN-VOTE-06 -19"""
    table: dict[str, list[str]] = {}
    for voter, act in school.cast_votes.items():
        if school.acting(voter) and school.acting(act.targets[0]):
            table.setdefault(act.targets[0], []).append(voter)
    return dict(sorted(table.items(), key=lambda row: -len(row[1])))


def published(school: School, table: dict[str, list[str]], hidden: set[str]) -> dict[str, Any]:
    """The count as everyone may see it, with the post of each vote shown, and who has not voted. `hidden` are voters."""
    shown = {target: [voter for voter in voters if voter not in hidden] for target, voters in table.items()}
    shown = {target: voters for target, voters in shown.items() if voters}
    voted = {voter for voters in table.values() for voter in voters}
    return {
        "published": {target: len(voters) for target, voters in shown.items()},
        "votes": shown,
        "not_voting": [name for name in school.state.living() if name not in voted],
        "unclear": unclear(school),
        "posts": {voter: school.cast_votes[voter].source for voters in shown.values() for voter in voters},
    }


def unclear(school: School) -> list[dict[str, Any]]:
    """The votes that fit several players and wait for Monokuma: who voted, and the text.  DAN-POST-11"""
    waiting = [
        event for event in school.events if event.kind == "ask" and event["question"] == "name" and event["answer"] is None
    ]
    return [{"player": event["player"], "text": event["text"]} for event in waiting if event["colour"] == "red"]


def hidden(school: School, table: dict[str, list[str]]) -> set[str]:
    """The voters whose votes the published tally leaves out.  DAN-VOTE-17"""
    targets = {act.spot for act in school.standing("hide_votes")} | {holder for holder, _ in school.always("hide_votes")}
    voters = {voter for target, voted in table.items() if target in targets for voter in voted}
    return voters | {vote.actor for _, _, vote in targeted(school, "hide_votes", "unblockable", _is_vote)}


def cancelled_votes(school: School) -> None:
    """Votes cancelled by an ability: dropped, and the voter told.  DAN-VOTE-13, DAN-SET-06"""
    against = {act.spot for act in school.standing("cancel_vote")} | {holder for holder, _ in school.always("cancel_vote")}
    for vote in school.of_group("vote"):
        free = vote.ignores("uncancellable", school.granted(vote.actor))
        if vote.actor in against and not vote.cancelled and not free:
            cancel(school, vote, "DAN-EFF-02")
    for _, _, vote in targeted(school, "cancel_vote", "uncancellable", _is_vote):
        cancel(school, vote, "DAN-EFF-02")


def swayed_votes(school: School) -> None:
    """Votes redirected: the vote itself moves, so that what comes after, traces included, sees it where it ends.  DAN-VOTE-16"""
    for sway in sorted(school.standing("redirect_vote"), key=lambda act: act.sent):
        for vote in school.of_group("vote"):
            if vote.actor == sway.aim and vote.stands and not vote.ignores("unredirectable", school.granted(vote.actor)):
                vote.final[0] = sway.final[1]
    for holder, ability, vote in targeted(school, "redirect_vote", "unredirectable", _is_vote):
        vote.final[0] = vote.actor if ability.to == "actor" else holder


def _is_vote(ability: object, act: Act) -> bool:
    return act.group == "vote"


def manipulated(school: School) -> Counter[str]:
    """The final tally: redirected, multiplied, added, removed, in this order.  DAN-VOTE-13 -14 -15 -16"""
    cancelled_votes(school)
    swayed_votes(school)
    ballots = [Ballot(act.actor, act.final[0]) for act in school.of_group("vote") if act.stands]
    for doubling in school.standing("multiply_vote"):
        _weigh(ballots, doubling.spot, doubling.ability.factor if doubling.ability else 1)
    for holder, ability in school.always("multiply_vote"):
        _weigh(ballots, holder, ability.factor)
    for _, ability, vote in targeted(school, "multiply_vote", "unblockable", _is_vote):
        _weigh(ballots, vote.actor, ability.factor)
    count: Counter[str] = Counter()
    for ballot in ballots:
        if school.acting(ballot.against):
            count[ballot.against] += ballot.weight
    for sign, primitive in ((1, "add_votes"), (-1, "remove_votes")):
        for target, amount in _amounts(school, primitive):
            count[target] = max(0, count[target] + sign * amount)
    return Counter({name: count[name] for name in school.state.game.names if count[name] > 0})


def _weigh(ballots: list[Ballot], voter: str | None, factor: int) -> None:
    for ballot in ballots:
        if ballot.voter == voter:
            ballot.weight *= factor


def _amounts(school: School, primitive: str) -> list[tuple[str, int]]:
    orders = [(act.spot, act.ability.amount) for act in school.standing(primitive) if act.ability and act.spot]
    always = [(holder, ability.amount) for holder, ability in school.always(primitive)]
    aimed = [(holder, ability.amount) for holder, ability, _ in targeted(school, primitive, "unblockable", _is_vote)]
    return [(target, amount) for target, amount in (*orders, *always, *aimed) if school.acting(target)]


def trial(school: School) -> None:
    """Count, publish, execute.  DAN-VOTE-03 -04 -06 -07 -11 -12 -18"""
    table = as_cast(school)
    final = manipulated(school)
    count = published(school, table, hidden(school, table))
    school.emit("tally", "public", "DAN-VOTE-06 DAN-VOTE-17", secret=("final",), **count, final=dict(final))
    most = max(final.values(), default=0)
    leaders = [name for name in school.state.game.names if final[name] == most and most]
    reason = "votes"
    if not leaders and school.state.game.options["no_votes"] == "monokuma":
        leaders, reason = [name for name in school.state.living() if school.acting(name)], "no_votes"
    elif not leaders:
        school.emit("lynch", "public", "DAN-VOTE-11", player=None, reason="no_votes")
        return
    executed: str | None = leaders[0]
    if len(leaders) > 1 or reason == "no_votes":
        reason = "tie" if reason == "votes" else reason
        among = ", ".join(leaders)  # an answer to another tie is none to this one
        question = Question(f"{reason}:{school.name}:{among}", reason, tuple(leaders), best_for_black(school, leaders))
        executed = school.ask(question, "DAN-VOTE-04")
    if executed is not None:
        school.emit("lynch", "public", "DAN-VOTE-03", player=executed, reason=reason)
        school.doom(executed, "lynch", "DAN-VOTE-03")


def best_for_black(school: School, players: list[str]) -> str:
    """Monokuma's default: neither Black nor blackened, else not Black, else Black; the first of equals.  DAN-VOTE-04"""
    state = school.state

    def worth(player: str) -> int:
        if state.team(player) == "black":
            return 2
        return 1 if state.has(player, "blackened") else 0

    return min(players, key=worth)
