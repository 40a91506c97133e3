"""What a phase opens with: roles told at the start, conditions that end, tickets, the kill cycle, things lent (CON-GEN-03)."""

from __future__ import annotations

from engine.events import Event
from rulesets.conan import disguises
from rulesets.conan.cast import DISGUISERS, EXPIRING, facts
from rulesets.conan.permission import ways
from rulesets.conan.prep import befriend, tell_lovers
from rulesets.conan.setup import share_warning
from rulesets.conan.work import Scene


def open_phase(scene: Scene) -> None:
    """In order: what is told at the start, what ends, what begins."""
    expire(scene)
    first = scene.name == scene.state.first_played
    if first:
        told_at_the_start(scene)
        disguises.give(scene)
        for sonoko, friend in scene.state.friend.items():
            befriend(scene, sonoko, friend)
    disguises.open_phase(scene)
    if first:
        statuses_told(scene)
    lent(scene)
    if scene.kind == "night":
        asleep_and_frightened(scene, "asleep", "sleeping_pill", f"day {scene.label.number - 1}")
        cycle(scene)
        tickets(scene)
        start_abroad(scene)
    elif scene.kind == "day":
        asleep_and_frightened(scene, "frightened", "frighten", f"night {scene.label.number}")
        sabotaged(scene)
    scene.frightened = frozenset(name for name in scene.present if scene.state.has(name, "frightened"))


def expire(scene: Scene) -> None:
    """Conditions whose last phase is over.  CON-COND-12, glossary ("Conditions")"""
    for player in scene.state.game.names:
        for condition in EXPIRING:
            until = scene.state.until.get((player, condition))
            if until is not None and until < scene.place:
                scene.condition(player, condition, "CON-COND-12", on=False)


def told_at_the_start(scene: Scene) -> None:
    """Roles, BO members, the Detective Boys, and lovers of the set-up.  CON-GEN-03, CON-KILL-02, CON-GROUP-01"""
    state = scene.state
    for player in state.game.names:
        town = {"town_role": state.town_role[player]} if player in state.town_role else {}
        scene.notice(player, "role", "CON-GEN-03", role=state.role_of[player], **town)
    members = state.members()
    for player in members:
        others = [name for name in members if name != player]
        ranks = [state.role_of[name] for name in others]
        scene.notice(player, "bo_members", "CON-KILL-02", players=others, roles=ranks, leader=scene.leader)
    boys = [name for name in state.game.names if state.role_of[name] in facts()["boys"]]
    for player in boys if len(boys) > 1 else []:
        others = [name for name in boys if name != player]
        scene.notice(player, "group", "CON-GROUP-01", players=others, roles=[state.role_of[name] for name in others])
    for pair in state.lovers:
        tell_lovers(scene, pair)
    if (warning := share_warning(state)) is not None:
        scene.notice("gm", "bo_share", "CON-GEN-02", text=warning)


def statuses_told(scene: Scene) -> None:
    """What James and Rena are told at the start.  CON-FBI-01 to -03 -12, CON-NOC-01 -02"""
    state = scene.state
    faces = {
        name: state.worn.get(name) or state.to_wear.get(name) for name in state.game.names if state.role_of[name] in DISGUISERS
    }
    subordinates = facts()["subordinates"]
    real = [name for name in state.game.names if state.own_role(name) in subordinates]
    false = [name for name, face in faces.items() if face in subordinates]
    for player in state.game.names:
        face = faces.get(player)
        if "james" in (state.own_role(player), face):
            scene.notice(player, "fbi_count", "CON-FBI-01", count=len({*real, *false}), strange=bool(false))
        if "mizunashi_rena" in (state.own_role(player), face):
            scene.notice(player, "noc_count", "CON-NOC-01", count=len(state.members()))


def lent(scene: Scene) -> None:
    """Things lent for this night; the suitcase is Anokata's on night 1.  CON-ROLE-03 -09, CON-BS-14, CON-GADGET-01"""
    state = scene.state
    if scene.kind != "night":
        if state.lent:
            scene.record("held", "CON-BS-14", held={})
        return
    held = dict(state.lent_next)
    anokata = state.with_role("anokata")
    if scene.name == "night 1" and "suitcase" not in held and anokata is not None and "suitcase" not in state.game.setup:
        held["suitcase"] = anokata
    if held or state.lent:
        scene.record("held", "CON-BS-05", held=held)


def asleep_and_frightened(scene: Scene, condition: str, action: str, phase: str) -> None:
    """What a pill of the day, or a fright of the night, puts in force now; none of the set-up's.  CON-PILL-01, CON-FRIGHT-01"""
    if scene.name == scene.state.first_played:
        return
    for _, deed in scene.state.done(action=action):
        if deed.phase == phase and deed.more.get("via") not in ("fake", "frame"):
            player = deed.targets[0]
            if scene.state.alive(player):
                scene.emit(
                    "condition", "gm", "CON-PILL-01 CON-FRIGHT-01", player=player, condition=condition, on=True, until=scene.name
                )  # fmt: skip


def sabotaged(scene: Scene) -> None:
    """Whom a Sabotage of last night concerns today, once for each.  CON-SAB-01 -06"""
    last = f"night {scene.label.number}"
    players = [
        deed.targets[0]
        for _, deed in scene.state.done(action="sabotage")
        if deed.phase == last and deed.more.get("via") != "frame"
    ]
    if players:
        scene.record("sabotaged", "CON-SAB-01", players=players)


def cycle(scene: Scene) -> None:
    """When every member in the cycle has killed, a new one begins with this night.  CON-KILL-03 to -05 -15, CON-INACT-05"""
    state = scene.state
    inside = [name for name in state.members() if state.at_work(name)]
    if inside and all(name in state.killed_in_cycle for name in inside):
        scene.record("cycle", "CON-KILL-05")


def tickets(scene: Scene) -> None:
    """A further ticket every so many cycles of night and day.  CON-TRAVEL-10"""
    every = int(scene.state.option("travel_ticket_every"))
    if scene.label.number <= 1 or (scene.label.number - 1) % every:
        return
    for player in scene.state.tickets:
        scene.record("ticket", "CON-TRAVEL-10", player=player)
        if scene.state.alive(player) and travels_himself(scene, player):
            scene.notice(player, "ticket", "CON-TRAVEL-10", left=scene.state.tickets[player])


def travels_himself(scene: Scene, player: str) -> bool:
    """Whether Travel is a player's own, by role or by the face worn.  CON-TRAVEL-14"""
    return any(via != "friendship" for via in ways(scene, player, "travel", "night"))


def start_abroad(scene: Scene) -> None:
    """Travellers may begin abroad, during night 1.  CON-COND-02, CON-TRAVEL-02"""
    state = scene.state
    if scene.name != "night 1" or not state.option("travellers_start_abroad"):
        return
    for player in [name for name in state.tickets if state.alive(name) and travels_himself(scene, name)]:
        scene.emit("condition", "gm", "CON-TRAVEL-02", player=player, condition="abroad", on=True, until=scene.name)
        # To questions it is a journey of prep (CON-TRAVEL-02).
        journey = {
            "actor": player, "action": "travel", "group": "travel", "targets": [], "final": [], "fate": "done", "spent": False,
            "crime": None, "via": None, "role": None,
        }  # fmt: skip
        scene.events.append(Event("deed", "prep", "gm", ("CON-TRAVEL-02",), journey))
        scene.state.apply(scene.events[-1])
