"""A day and its defence: bullet, trial, vote, execution and all that hangs on it (PER-VOTE, PER-NIGHT-06, PER-TERR-01 …)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.choices import Question
from rulesets.persian import votes
from rulesets.persian.actions import actions
from rulesets.persian.cast import facts
from rulesets.persian.dawn import deed, void
from rulesets.persian.disguise import announced_at_execution
from rulesets.persian.endings import dead_of_the_phase, exposed_magic, offices
from rulesets.persian.night import phases_of_role
from rulesets.persian.votes import Vote
from rulesets.persian.work import Act, Town, last_night, night_follows


def resolve(town: Town) -> None:
    """A day or a defence, from the bullet to the deaths."""
    standing = votes.standing(town)
    roles_played(town)
    bullets(town)
    trials(town)
    cast = [vote for vote in standing if vote.voter not in town.removed and vote.target not in town.removed]  # PER-MARK-05
    for player, target in votes.symbolic(town).items() if town.kind == "day" else ():
        town.record("symbolic", "PER-SHER-02", player=player, target=target)
    count = votes.published(town, cast)
    town.emit("tally", "public", "PER-VOTE-02 PER-VOTE-07", final=count["published"], **count)
    if town.kind == "day" and (defendants := defence(town, cast)):
        town.announce("defence", "PER-VOTE-04", players=defendants)
        if town.state.option("defence_vote") != "never":
            town.record("defendants", "PER-VOTE-04", players=defendants)
            put_off(town)
            return
    execution(town, cast)


def roles_played(town: Town) -> None:
    """The actor's role, given by day.  PER-ACTOR-04"""
    for act in town.acts("play", "cast"):
        act.blocked = town.state.has(act.actor, "powerless")
        act.extra["phases"] = phases_of_role(town, 2 if act.id == "play" else 1)
        deed(town, act)


def bullets(town: Town) -> None:
    """The marksman's bullet is settled before the votes are counted.  PER-MARK-01 -02 -03 -05"""
    for act in town.acts("shoot"):
        state, lawyer = town.state, act.target or ""
        act.blocked = state.has(act.actor, "powerless")
        hit = not act.blocked and state.role(lawyer) == "lawyer"
        act.value = "success" if hit else "failed"
        town.result(act.actor, "shoot", act.value, "PER-MARK-02", target=act.target)
        deed(town, act)
        if hit:
            town.announce("personal_win", "PER-MARK-03", player=act.actor, role="marksman")
            town.announce("left_game", "PER-MARK-03", player=act.actor)
            if state.option("marksman_kills_lawyer"):
                town.removed.append(lawyer)
                town.doom(lawyer, "shot", "PER-MARK-03", by=act.actor)


def trials(town: Town) -> None:
    """Whom the prosecutor brings to trial.  PER-PROS-02"""
    for act in town.acts("accuse"):
        town.announce("accused", "PER-PROS-02", players=list(act.targets))


def defence(town: Town, cast: list[Vote]) -> list[str]:
    """The defendants: those sent first, then who leads the vote; none where no defence is held.  PER-VOTE-04, PER-PROS-03"""
    sent = [act.target for act in town.acts("send") if act.target and act.target not in town.removed]
    if not sent and town.state.option("defence_vote") != "always":
        return []
    return list(dict.fromkeys([*sent, *votes.leading(cast, town.state.game.names)]))


def put_off(town: Town) -> None:
    """The execution and what is tied to it wait for the defence; whom the day has killed otherwise is dead.  PER-VOTE-05"""
    for act in town.acts("bewitch", "swap", "forecast", "disguise", "frame", "hunt"):
        act.about = act.about or town.number
        keep(town, act)
    dead_of_the_phase(town, {})
    close_of_day(town)


def keep(town: Town, act: Act) -> None:
    """An order that waits for the execution it is about, in the record."""
    act.value = "kept"
    deed(town, act, spent=False)


def close_of_day(town: Town) -> None:
    """What no execution has asked for is on record too, and offices pass on."""
    for act in town.acts("accuse", "send"):
        act.value = "done"
        deed(town, act)
    void(town)
    offices(town)
    exposed_magic(town)


def meant(town: Town, *ids: str) -> Iterator[Act]:
    """The orders about this execution: those of the phase, else those that came before it; their authors still here."""
    for id_ in ids:
        given = {act.actor: act for act in town.acts(id_) if act.about in (None, town.number)}
        waiting = {
            player: (targets, role)
            for (player, action), (day, targets, role) in town.state.kept.items() if action == id_ and day == town.number
        }  # fmt: skip
        for player in town.state.in_seat_order({*given, *waiting}):
            if player not in town.present or player in town.removed:
                continue
            if (act := given.get(player)) is None:
                targets, role = waiting[player]
                act = Act(player, actions()[id_], targets, town.sent(player, None), None, role, about=town.number)
            act.blocked = town.state.has(player, "powerless")
            yield act


def execution(town: Town, cast: list[Vote]) -> None:
    """The execution, what was foretold of it, and what it leads to."""
    state = town.state
    executed, reason = votes.leader(town, cast)
    town.record("votes_received", "PER-LAW-12", votes={target: len(by) for target, by in votes.table(cast).items()})
    before = state.executions
    magic = spells(town, executed)
    swapped = swaps(town, executed)
    disguised = disguises(town, executed)
    forecasts(town, executed, cast)
    town.emit("lynch", "public", "PER-VOTE-02", player=executed, reason=reason)
    announced: dict[str, str] = {}
    if executed is None:
        town.announce("no_execution", "PER-VOTE-02")
    else:
        announced[executed] = announced_at_execution(town, executed, magic, swapped, disguised)
        town.doom(executed, "lynch", "PER-VOTE-02")
        consequences(town, executed, cast, before)
    waiting_deaths(town)
    dead_of_the_phase(town, announced)
    for act in town.acts("bewitch", "swap", "forecast"):
        if act.about not in (None, town.number):
            keep(town, act)
    if executed is not None:
        _after(town, executed, magic)
    if state.dressed:
        town.record("clothes", "PER-TAILOR-13", worn={})
    close_of_day(town)
    lone_victories(town)


# What was foretold


def spells(town: Town, executed: str | None) -> bool:
    """The sorcerer's magic.  PER-SORC-08 -09 -12 -14"""
    works = False
    for act in meant(town, "bewitch"):
        there = (town.left(act.actor, actions()["recruit"]) or 0) > 0  # PER-SORC-09
        right = executed is not None and act.target == executed and not act.blocked and there
        spoilt = right and town.state.role(executed or "") in facts()["no_magic"]
        act.value = "not_bewitchable" if spoilt else "right" if right else "wrong"
        act.keeps_quota = spoilt
        town.result(act.actor, "bewitch", act.value, "PER-SORC-08", target=act.target)
        if not spoilt:
            town.emit("spend", "gm", "PER-SORC-09", player=act.actor, ability="recruit")
        works = works or (right and not spoilt)
        deed(town, act)
    return works


def swaps(town: Town, executed: str | None) -> bool:
    """The psychopath makes the executed appear as himself.  PER-PSY-01 -04 -06"""
    works = False
    for act in meant(town, "swap"):
        right = executed is not None and act.target == executed and not act.blocked
        spoilt = right and town.state.role(executed or "") in facts()["no_swap"]
        act.value = "failed" if spoilt else "right" if right else "wrong"
        town.result(act.actor, "swap", act.value, "PER-PSY-01", target=act.target)
        works = works or (right and not spoilt)
        deed(town, act)
    return works


def disguises(town: Town, executed: str | None) -> str | None:
    """The psychopath's own disguise, on the day of his own execution.  PER-PSY-05, PER-NIGHT-17"""
    for act in meant(town, "disguise"):
        if act.actor == executed and not act.blocked and not town.state.uses[act.actor, "swap"]:
            deed(town, act)
            return act.role
    return None


def forecasts(town: Town, executed: str | None, cast: list[Vote]) -> None:
    """The executioner's needs his vote besides; the fisher's does not.  PER-EXEC-02 -03, PER-FISH-03"""
    for act in meant(town, "forecast"):
        right = executed is not None and executed in act.targets and not act.blocked
        if town.state.role(act.actor) == "executioner":
            right = right and any(vote.voter == act.actor and vote.target == executed for vote in cast)
        act.value = "no_execution" if executed is None else "right" if right else "wrong"
        town.result(act.actor, "forecast", act.value, "PER-EXEC-02 PER-FISH-03", target=act.target)
        deed(town, act)


# What an execution leads to


def consequences(town: Town, executed: str, cast: list[Vote], before: int) -> None:
    """What the true role of the executed brings about, whatever is announced."""
    state = town.state
    able = not state.has(executed, "powerless")
    match state.role(executed):
        case "terrorist" if able:
            last = next((vote.voter for vote in reversed(cast) if vote.target == executed), None)
            if last is not None:
                town.doom(last, "terrorist", "PER-TERR-01 PER-TERR-02 PER-TERR-03", by=executed)
        case "invulnerable" if able:
            guilty = [vote.voter for vote in cast if vote.target == executed and state.guilty(vote.voter)]
            if guilty:
                town.condition(guilty[-1], "powerless", "PER-INV-02")
                town.notice(guilty[-1], "powerless", "PER-INV-04")
        case "lawyer":
            trick(town, executed, cast)
        case "hunter":
            last_hunt(town, executed, cast)
        case "joker" if able and executed not in state.lost:
            won = before >= 2
            topic = "personal_win" if won else "personal_loss"
            town.announce(topic, "PER-JOKER-01" if won else "PER-JOKER-02", player=executed, role="joker")


def trick(town: Town, lawyer: str, cast: list[Vote]) -> None:
    """The lawyer's frame.  PER-LAW-05 -06 -07 -12"""
    state = town.state
    for act in (one for one in meant(town, "frame") if one.actor == lawyer):
        target = act.target or ""
        for_lawyer = any(vote.voter == target and vote.target == lawyer for vote in cast)
        works = (
            not act.blocked and state.innocent(target) and state.role(target) != "invulnerable"
            and state.votes_received[target] >= 3 and for_lawyer
        )  # fmt: skip
        act.value = "success" if works else "failed"
        if works:
            town.doom(target, "frame", "PER-LAW-05", by=lawyer)
            town.record("trick", "PER-LAW-07", player=lawyer)
        town.result(act.actor, "frame", act.value, "PER-LAW-05", target=act.target)
        deed(town, act)


def last_hunt(town: Town, hunter: str, cast: list[Vote]) -> None:
    """The executed hunter takes one of those caught in his traps.  PER-HUNT-07 -08 -09"""
    state = town.state
    for act in (one for one in meant(town, "hunt") if one.actor == hunter):
        target = act.target or ""
        voted = any(vote.voter == target and vote.target == hunter for vote in cast)
        works = (
            not act.blocked and town.number > last_night() and state.trap_successes[hunter] >= 3
            and target in state.caught.get(hunter, []) and voted and state.guilty(target)
        )  # fmt: skip
        act.value = "success" if works else "failed"
        if works:
            town.doom(target, "hunt", "PER-HUNT-07", by=hunter)
        town.result(act.actor, "hunt", act.value, "PER-HUNT-07", target=act.target)
        deed(town, act)


def waiting_deaths(town: Town) -> None:
    """What falls due by day when no night is left.  PER-HARD-04, PER-EXEC-04"""
    state = town.state
    if night_follows(town):
        return
    for player, (_, cause) in town.due.items():
        if player not in town.doomed:
            town.doom(player, cause, "PER-HARD-04")
    for player in state.with_role("executioner"):
        if state.forecast(player, "wrong") >= 3 and player not in town.doomed:
            town.doom(player, "wrong_forecasts", "PER-EXEC-04")


def _after(town: Town, executed: str, magic: bool) -> None:
    state = town.state
    role = state.role(executed)
    if role == "godfather":
        town.record("kill_lost", "PER-GODF-07")
    if role == "devotee" and not state.has(executed, "powerless") and night_follows(town):
        town.record("blessing", "PER-DEV-03", saves="all")
    if magic:
        town.record("bewitched", "PER-SORC-08", player=executed)


def lone_victories(town: Town) -> None:
    """Single winners and losers of the day, and who leaves.  PER-EXEC-05 -06 -13, PER-FISH-01, PER-JOKER-03, PER-SHER-03"""
    state = town.state
    for player in state.with_role("executioner"):
        right, wrong = (state.forecast(player, word) for word in ("right", "wrong"))
        if right >= 3 + wrong and wrong < 3:
            town.announce("personal_win", "PER-EXEC-05", player=player, role="executioner")
            town.announce("left_game", "PER-EXEC-06", player=player)
    for player in state.with_role("fisher"):
        if state.forecast(player, "right") >= 3 and player not in state.personal:
            town.announce("personal_win", "PER-FISH-01", player=player, role="fisher")
    if town.number >= 7:
        for player in state.with_role("joker"):
            if player not in state.lost:
                town.announce("personal_loss", "PER-JOKER-03", player=player, role="joker")
    if town.number == last_night():
        for player in state.with_role("sheriff"):
            town.announce("left_game", "PER-SHER-03", player=player)


def last_member(town: Town) -> None:
    """The last of the mafia, removed by day through a claim, may still guess.  PER-GUESS-11 -12 -16"""
    state = town.state
    gone = [death.player for death in state.deaths if death.phase == town.name and state.side(death.player) == "mafia"]
    if not gone or state.team("mafia"):
        return
    allowed = {"always": "allow", "never": "refuse"}.get(state.option("last_mafia_guess"), town.allowed)
    if allowed is None:
        key = f"last_mafia_guess:{gone[-1]}"
        question = Question(key, "last_mafia_guess", ("allow", "refuse"), "refuse", {"player": gone[-1]})
        allowed = town.ask(question, "PER-GUESS-11 PER-GUESS-16")
    if allowed == "allow":
        town.record("last_guess", "PER-GUESS-12", player=gone[-1])
