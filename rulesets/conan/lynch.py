"""The votes and the lynching (CON-VOTE, CON-SAB, CON-VOA, CON-ACCOMP)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from rulesets.conan.killing import die, lovey_dovey_lost
from rulesets.conan.orders import reject
from rulesets.conan.work import Act, Scene

STOPS = ("voice_of_reason", "lovey_dovey", "protect", "judo")


@dataclass(slots=True)
class Count:
    """The count on its way: the votes shown, and what Sabotage, Voice of Accusation and Accompany made of it."""

    votes: dict[str, list[str]] = field(default_factory=dict)
    shown: Counter[str] = field(default_factory=Counter)
    final: Counter[str] = field(default_factory=Counter)
    sabotage: bool = False
    accused: Act | None = None
    accompanied: bool = False
    without_voice: list[str] = field(default_factory=list)
    before_accompany: list[str] = field(default_factory=list)


def may_vote(scene: Scene, voter: str) -> bool:
    """Whether a vote counts at the lynching: not of the jailed, dead, abroad or frightened.  CON-VOTE-02 -05"""
    out = voter in scene.jailed_now or voter in scene.dead_now or voter in scene.abroad_now
    return not out and voter not in scene.frightened and voter in scene.present


def votes_cast(scene: Scene) -> list[Act]:
    """Each voter's last vote, in the order sent, abstentions left out; a token is another's.  CON-VOTE-13, CON-INACT-11"""
    last: dict[str, Act] = {}
    for act in scene.acts:
        if act.id in ("vote", "abstain"):
            last.pop(act.to, None)
            last[act.to] = act
        elif act.id == "token":
            last.pop("Token", None)
            last["Token"] = act
    return [act for act in last.values() if act.id != "abstain"]


def voter_of(act: Act) -> str:
    """Under which name a vote is listed."""
    return "Token" if act.id == "token" else act.to


def count(scene: Scene) -> Count:
    """Steps 1 to 4 of CON-VOTE-17."""
    found = Count()
    for act in votes_cast(scene):
        inactive = next((name for name, split in scene.state.inactive.items() if split.get("votes") == act.to), None)
        counts = may_vote(scene, act.to) and (act.id != "token" or inactive is None or may_vote(scene, inactive))
        if counts and act.target is not None:
            found.votes.setdefault(act.target, []).append(voter_of(act))
    found.votes = dict(sorted(found.votes.items(), key=lambda row: -len(row[1])))
    found.shown = Counter({target: len(voters) for target, voters in found.votes.items()})
    found.final = Counter(found.shown)
    tied = top(found.final)
    for player in dict.fromkeys(scene.state.sabotaged):
        if len(tied) > 1 and player in tied:
            found.final[player] += 1
            found.sabotage = True
    found.without_voice = top(found.final)
    for act in scene.of("voice_of_accusation"):
        target = accused(scene, act)
        if target is not None and not scene.author_hindered(act) and may_vote(scene, act.to):
            found.final[target] += 1
            found.accused = act
    found.before_accompany = top(found.final)
    for act in scene.of("accompany"):
        if not hindered_accompany(scene, act) and act.target is not None and found.final[act.target] > 0:
            found.final[act.target] -= 1
            found.accompanied = True
    return found


def hindered_accompany(scene: Scene, act: Act) -> bool:
    """Kazuha taken out, or her charge in jail or abroad.  CON-FAIL-04, CON-VOTE-17"""
    return scene.author_hindered(act) or act.target in scene.jailed_now or act.target in scene.abroad_now


def accused(scene: Scene, act: Act) -> str | None:
    """Whom the voter votes for, if the voter or a friend has cross-examined him.  CON-VOA-01 -02 -07, CON-BEFRIEND-10"""
    vote = next((one for one in votes_cast(scene) if one.to == act.to and one.id == "vote"), None)
    state = scene.state
    both = {act.to, state.friend.get(act.to), *(name for name, friend in state.friend.items() if friend == act.to)}
    examined = {deed.targets[0] for name in both if name for _, deed in state.done(actor=name, action="cross_examine")}
    return vote.target if vote is not None and vote.target in examined else None


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
    found = count(scene)
    leaders = top(found.final)
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
    elif leaders:
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


def taken_out(scene: Scene, player: str) -> str | None:
    """`arrested` or `aptx` for one who was taken out in this phase.  CON-VOTE-08 -18"""
    if player in scene.jailed_now or player in scene.stripped:
        return "arrested"
    return "aptx" if player in scene.dead_now else None


def _tie_note(found: Count) -> str:
    if found.accompanied and len(found.before_accompany) == 1:
        return "accompany"
    if found.sabotage and len(top(found.shown)) < 2:
        return "sabotage"
    if found.accused is not None and len(found.without_voice) == 1:
        return "voice_of_accusation"
    return "accompany" if found.accompanied and found.sabotage else "tie"


def stopped(scene: Scene, player: str) -> bool:
    """Whether an ability saves the one about to be lynched; the highest in the order counts.  CON-PRIO-13, CON-TRAVEL-06"""
    if player in scene.abroad_now:
        return True
    for kind in STOPS:
        rank = [
            act
            for act in scene.of(kind)
            if not scene.author_hindered(act) and (kind == "voice_of_reason" or act.target == player)
        ]
        if not rank:
            continue
        if kind == "protect" and len(rank) > 1:
            chosen = scene.draw(f"protector.{player}", [act.actor for act in rank], "CON-PRIO-10")
            rank = [act for act in rank if act.actor == chosen]
        _saved(scene, rank[0], player)
        return True
    return False


def _saved(scene: Scene, act: Act, player: str) -> None:
    act.early, act.value = True, "success" if act.id == "voice_of_reason" else "saved"
    if act.id in ("protect", "judo"):
        scene.injure(act.to, 2, "CON-PROTECT-03 CON-JUDO-03")
    if act.id == "judo":
        scene.judoed.add(player)
    if act.id == "lovey_dovey":
        lovey_dovey_lost(scene, act)


def _publish(scene: Scene, found: Count, hidden: bool) -> None:
    if hidden:
        scene.announce("votes_hidden", "CON-VOTE-04")
    shown: dict[str, Any] = {
        "published": dict(found.shown),
        "votes": found.votes,
        "final": {k: v for k, v in found.final.items() if v},
    }
    scene.emit("tally", "gm" if hidden else "public", "CON-VOTE-04 CON-VOTE-12", secret=("final",), **shown)


def _notes(scene: Scene, found: Count, lynched: str | None, hidden: bool) -> None:
    """The Accompany and the Voice of Accusation notes.  CON-ACCOMP-02, CON-VOA-03 -04"""
    charges = {act.target for act in scene.of("accompany") if not hindered_accompany(scene, act)}
    if not hidden and found.accompanied and len(found.before_accompany) == 1 and found.before_accompany[0] in charges:
        scene.announce("vote_reduced", "CON-ACCOMP-02")
    voice = found.accused
    if voice is None:
        return
    target = accused(scene, voice)
    without = Counter(found.final)
    if target is not None:
        without[target] -= 1
    decided = lynched is not None and lynched == target and top(without) != [lynched]
    if decided:
        scene.announce("vote_increased", "CON-VOA-04")
        scene.record("no_more", "CON-VOA-03", player=voice.actor, ability="voice_of_accusation")


def _frightened_voters(scene: Scene, hidden: bool) -> None:
    """A frightened voter is told that the vote failed, when votes are shown.  CON-FRIGHT-03 -04"""
    for act in votes_cast(scene):
        if act.to in scene.frightened and not hidden and not scene.gone(act.to) and act.to not in scene.jailed_now:
            scene.notice(act.to, "vote_failed", "CON-FRIGHT-03")


def _lynched(scene: Scene, player: str) -> None:
    """The death, and what Revenge and Vengeance make of it.  CON-REVENGE-01, CON-VENG-01"""
    state = scene.state
    vote = next((act for act in votes_cast(scene) if act.to == player and act.id == "vote"), None)
    voted = vote.target if vote is not None and player not in scene.frightened else None
    die(scene, player, "lynch", "CON-VOTE-01")
    if voted is None or voted == player or player in scene.frightened:
        return
    if (
        state.has_passive(player, "vengeance")
        and voted not in scene.jailed_now
        and voted not in scene.abroad_now
        and not scene.gone(voted)
    ):
        die(scene, voted, "vengeance", "CON-VENG-01", by=player)
        scene.announce("vengeance", "CON-VENG-01")
    elif state.has_passive(player, "revenge") and not scene.gone(voted):
        phases = int(state.option("revenge_lynch_phases"))
        if phases and voted not in scene.jailed_now:
            scene.injure(voted, phases, "CON-REVENGE-01", public=True)
