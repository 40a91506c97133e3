"""The votes and the lynching (CON-VOTE, CON-SAB, CON-VOA, CON-ACCOMP)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from rulesets.conan.killing import die, hurt, judo, lovey_dovey_lost
from rulesets.conan.orders import reject
from rulesets.conan.work import Act, Scene

STOPS = ("voice_of_reason", "lovey_dovey", "protect", "judo")


@dataclass(slots=True)
class Count:
    """The count on its way: the votes as published, and what each of the three powers adds to it or takes off."""

    votes: dict[str, list[str]] = field(default_factory=dict)
    shown: Counter[str] = field(default_factory=Counter)
    sabotage: Counter[str] = field(default_factory=Counter)
    accusation: Counter[str] = field(default_factory=Counter)
    accompany: Counter[str] = field(default_factory=Counter)

    def final(self, without: str = "") -> Counter[str]:
        """The votes after Sabotage, Voice of Accusation and Accompany; or as if `without` had not been used."""
        counts = Counter(self.shown)
        for power in ("sabotage", "accusation"):
            if power != without:
                counts += getattr(self, power)
        return counts if without == "accompany" else counts - self.accompany

    def leaders(self, without: str = "") -> list[str]:
        """Who has most votes in the end."""
        return top(self.final(without))


def may_vote(scene: Scene, voter: str) -> bool:
    """Whether a vote counts at the lynching: not of the jailed, dead, abroad or frightened.  CON-VOTE-02 -05"""
    out = voter in scene.jailed_now or voter in scene.dead_now or voter in scene.abroad_now
    return not out and voter not in scene.frightened


def votes_cast(scene: Scene) -> list[Act]:
    """Each voter's last vote, in the order sent, abstentions left out; a token is another's.  CON-VOTE-13, CON-INACT-11"""
    last: dict[tuple[str, str], Act] = {}
    for act in scene.acts:
        if act.id in ("vote", "abstain", "token"):
            key = ("token" if act.id == "token" else "vote", act.to)
            last.pop(key, None)
            last[key] = act
    return [act for act in last.values() if act.id != "abstain"]


def voter_of(act: Act) -> str:
    """Under which name a vote is listed."""
    return "Token" if act.id == "token" else act.to


def owners(scene: Scene, act: Act) -> list[str]:
    """Whose vote it is: the voter's own, or of a token the inactive players'.  CON-INACT-05 -13"""
    if act.id != "token":
        return [act.to]
    return [name for name, split in scene.state.inactive.items() if split.get("votes") == act.to]


def counts(scene: Scene, act: Act) -> bool:
    """Whether a vote counts; a token is stopped by whatever stops its sender or the inactive player.  CON-INACT-08 -09"""
    return all(may_vote(scene, voter) for voter in (act.to, *owners(scene, act)))


def count(scene: Scene) -> Count:
    """Steps 1 to 4 of CON-VOTE-17."""
    found = Count()
    for act in votes_cast(scene):
        if counts(scene, act) and act.target is not None:
            found.votes.setdefault(act.target, []).append(voter_of(act))
    found.votes = dict(sorted(found.votes.items(), key=lambda row: -len(row[1])))
    found.shown = Counter({target: len(voters) for target, voters in found.votes.items()})
    sabotages(scene, found)
    accusations(scene, found)
    accompaniments(scene, found)
    return found


def sabotages(scene: Scene, found: Count) -> None:
    """Each counts one vote more for a player who is tied for the most before anything is added.  CON-SAB-01 -02 -06"""
    tied = top(found.shown)
    if len(tied) > 1:
        found.sabotage.update(player for player in scene.state.sabotaged if player in tied)


def accusations(scene: Scene, found: Count) -> None:
    """Kujou's vote counts twice.  CON-VOA-01 -06 -09"""
    for act in scene.of("voice_of_accusation"):
        vote = accused(scene, act)
        if vote is not None and act.early and counts(scene, vote):
            found.accusation[str(vote.target)] += 1


def accompaniments(scene: Scene, found: Count) -> None:
    """One vote less for each Accompany that nothing hinders.  CON-ACCOMP-01, CON-BEFRIEND-12, CON-FAIL-04"""
    for act in scene.of("accompany"):
        if act.early:
            found.accompany[str(act.target)] += 1


def accused(scene: Scene, act: Act) -> Act | None:
    """The vote that a Voice of Accusation doubles: for somebody whom Kujou or a friend of hers has cross-examined.

    CON-VOA-01 -02 -07, CON-BEFRIEND-10
    """
    vote = next((one for one in votes_cast(scene) if one.to == act.to and one.id == "vote"), None)
    state = scene.state
    both = {act.actor, state.friend.get(act.actor), *(name for name, friend in state.friend.items() if friend == act.actor)}
    examined = {
        deed.targets[0] for name in both if name for _, deed in state.done(actor=name, action="cross_examine")
        if deed.more.get("via") != "fake"
    }  # fmt: skip
    return vote if vote is not None and vote.target in examined else None


def top(counts: Counter[str]) -> list[str]:
    """Those with most votes."""
    most = max(counts.values(), default=0)
    return [name for name, number in counts.items() if number == most and most > 0]


def refuse_accusations(scene: Scene) -> None:
    """A Voice of Accusation without such a vote is not entered.  CON-VOA-02"""
    for act in scene.of("voice_of_accusation"):
        if accused(scene, act) is None:
            scene.acts.remove(act)
            reject(scene, act.to, "voice_of_accusation", "bad_target", act.source)


def lynch(scene: Scene) -> None:
    """Work out the lynching.  CON-VOTE-17 -18"""
    stand(scene)
    found = count(scene)
    leaders = found.leaders()
    lynched, reason, note = None, "no_votes", None
    if len(leaders) == 1:
        player = leaders[0]
        taken = taken_out(scene, player)
        if taken is not None:
            reason, note = taken, taken
        elif stopped(scene, player):
            reason = "stopped"
        else:
            lynched, reason = player, "votes"
    elif found.shown:
        reasons = [taken for name in leaders if (taken := taken_out(scene, name)) is not None]
        note = next((word for word in ("arrested", "aptx") if word in reasons), None)
        reason = note or "tie"
        note = note or _tie_note(found)
    hidden = reason == "stopped"
    _publish(scene, found, hidden)
    scene.emit("lynch", "public", "CON-VOTE-01", player=lynched, reason=reason)
    if note is not None:
        scene.emit("announce", "public", "CON-VOTE-06 CON-VOTE-15", secret=("reason",), topic="lynch_failed", reason=note)
    _notes(scene, found, lynched, hidden)
    _frightened_voters(scene, hidden)
    if lynched is not None:
        _lynched(scene, lynched)


def stand(scene: Scene) -> None:
    """What bears on the lynching, and the charm before it, has taken effect: no injury by it undoes that.  CON-COND-28"""
    for act in scene.of("charm", "accompany", "voice_of_accusation", *STOPS):
        act.early = act.early or not scene.hindered(act)


def taken_out(scene: Scene, player: str) -> str | None:
    """`arrested` or `aptx` for one who was taken out in this phase.  CON-VOTE-08 -18"""
    if player in scene.jailed_now:
        return "arrested"
    return "aptx" if player in scene.dead_now else None


def _tie_note(found: Count) -> str:
    """Which power made the tie: the first without which there would have been none.  CON-VOTE-18"""
    powers = {"accompany": "accompany", "sabotage": "sabotage", "accusation": "voice_of_accusation"}
    return next((word for power, word in powers.items() if len(found.leaders(power)) == 1), "tie")


def stopped(scene: Scene, player: str) -> bool:
    """Whether an ability saves the one about to be lynched; the highest in the order counts.  CON-PRIO-13, CON-TRAVEL-06"""
    if player in scene.abroad_now:
        return True
    for kind in STOPS:
        rank = [act for act in scene.of(kind) if act.early and kind in ("voice_of_reason", _aimed(act, player))]
        if not rank:
            continue
        chosen = rank[0]
        if len(rank) > 1 and kind in ("protect", "judo"):
            name = scene.draw(f"protector.{player}", [act.actor for act in rank], "CON-PRIO-10")
            chosen = next(act for act in rank if act.actor == name)
        _saved(scene, chosen, player)
        return True
    return False


def _aimed(act: Act, player: str) -> str | None:
    return act.id if act.target == player else None


def _saved(scene: Scene, act: Act, player: str) -> None:
    told = act.value == "saved"  # from poison, at the step before
    act.early, act.value = True, "success" if act.id == "voice_of_reason" else "saved"
    if act.id == "protect":
        hurt(scene, act, "CON-PROTECT-03")
    if act.id == "judo":
        judo(scene, player, act)
    if act.id == "lovey_dovey":
        lovey_dovey_lost(scene, act)
    if act.id in ("judo", "lovey_dovey") and not told:  # a day's Protect is not told (CON-PROTECT-05)
        scene.notice(player, "saved", "CON-JUDO-04 CON-LD-02")


def _publish(scene: Scene, found: Count, hidden: bool) -> None:
    if hidden:
        scene.announce("votes_hidden", "CON-VOTE-04")
    shown: dict[str, Any] = {
        "published": dict(found.shown),
        "votes": found.votes,
        "final": dict(found.final()),
    }
    scene.emit("tally", "gm" if hidden else "public", "CON-VOTE-04 CON-VOTE-12", secret=("final",), **shown)


def _notes(scene: Scene, found: Count, lynched: str | None, hidden: bool) -> None:
    """The Accompany and the Voice of Accusation notes.  CON-ACCOMP-02, CON-VOA-03 -04"""
    about = found.leaders("accompany")
    if not hidden and len(about) == 1 and found.accompany[about[0]]:
        scene.announce("vote_reduced", "CON-ACCOMP-02")
    if lynched is None or found.leaders("accusation") == [lynched]:
        return
    scene.announce("vote_increased", "CON-VOA-04")
    for act in scene.of("voice_of_accusation"):
        vote = accused(scene, act)
        if vote is not None and vote.target == lynched and act.early:
            scene.record("no_more", "CON-VOA-03", player=act.actor, ability="voice_of_accusation")


def _frightened_voters(scene: Scene, hidden: bool) -> None:
    """A frightened voter is told that the vote failed, when votes are shown.  CON-FRIGHT-03 -04"""
    for act in votes_cast(scene):
        if act.to in scene.frightened and not hidden and not scene.gone(act.to) and act.to not in scene.jailed_now:
            scene.notice(act.to, "vote_failed", "CON-FRIGHT-03")


def _lynched(scene: Scene, player: str) -> None:
    """The death, and what Revenge and Vengeance make of it.  CON-REVENGE-01 -04 -05, CON-VENG-01 -05 -10"""
    state = scene.state
    voted = next((act.target for act in votes_cast(scene) if player in owners(scene, act) and counts(scene, act)), None)
    die(scene, player, "lynch", "CON-VOTE-01")
    if voted is None or out_of_reach(scene, voted):
        return
    if scene.avenges(player, "vengeance"):
        die(scene, voted, "vengeance", "CON-VENG-01", by=player)
        scene.announce("vengeance", "CON-VENG-01")
    elif scene.avenges(player, "revenge"):
        phases = int(state.option("revenge_lynch_phases"))
        if phases:
            scene.injure(voted, phases, "CON-REVENGE-01", public=True)


def out_of_reach(scene: Scene, player: str) -> bool:
    """Whom neither Vengeance nor Revenge reaches: the dead, the jailed, the abroad.  CON-COND-03 -18, CON-VENG-10"""
    return scene.gone(player) or player in scene.jailed_now or player in scene.abroad_now
