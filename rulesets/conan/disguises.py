"""Disguises and costumes: given, chosen, worn and taken off (CON-DISG, CON-COST, CON-TDISG)."""

from __future__ import annotations

from rulesets.conan.cast import COSTUMED, DISGUISERS, ConState, roles
from rulesets.conan.setup import may_be_disguise
from rulesets.conan.work import Scene


def give(scene: Scene) -> None:
    """Vermouth and Kid are told their disguise as the first phase opens; drawn where the set-up has none.  CON-DISG-01 -02 -05"""
    state = scene.state
    for player in state.game.names:
        if state.role_of[player] not in DISGUISERS or not state.alive(player):
            continue
        role = state.to_wear.get(player)
        if role is None:
            role = draw_disguise(scene, player)
            if role is None:
                continue
            scene.record("to_wear", "CON-DISG-01", player=player, role=role)
        scene.notice(player, "disguise_given", "CON-DISG-01", disguise=role)


def draw_disguise(scene: Scene, player: str) -> str | None:
    """A role nobody plays; after a pinch another than the one pinched off.  CON-ROLE-10, CON-PINCH-07"""
    among = [
        role for role in roles()
        if may_be_disguise(scene.state, role) and role != scene.state.pinched_off.get(player)
    ]  # fmt: skip
    return str(scene.draw(f"disguise.{player}", among, "CON-DISG-02")) if among else None


def offer(scene: Scene, owner: str) -> None:
    """A list of costumes to choose of.  CON-COST-01 -02"""
    among = [role.id for role in roles().values() if role.side == "town" and role.may_be_worn]
    player = scene.state.dresser(owner)
    listed = draw_several(scene, f"costumes.{player}", among, int(scene.state.option("costumes_offered")), "CON-COST-01")
    scene.record("offered", "CON-COST-01", player=owner, roles=listed)
    scene.notice(player, "costumes_offered", "CON-COST-01", costumes=listed)


def draw_several(scene: Scene, name: str, among: list[str], count: int, why: str) -> list[str]:
    """A draw of a list: different values, each of them among those (CON-GEN-17)."""
    from engine.choices import UnknownChoice, cast_die

    if name in scene.choices.pins:
        chosen = [str(one) for one in scene.choices.pins[name]]
        if not set(chosen) <= set(among) or len(set(chosen)) != len(chosen):
            raise UnknownChoice(name, chosen, among)
    else:
        left, chosen = list(among), []
        for number in range(min(count, len(left))):
            chosen.append(left.pop(cast_die(scene.choices.seed, scene.name, f"{name}:{number}", len(left))))
    scene.emit("draw", "gm", why, name=name, among=list(among), chosen=chosen)
    return chosen


def open_phase(scene: Scene) -> None:
    """What a phase opens with: costumes come off, new lists are offered, costumes and disguises go on."""
    state = scene.state
    for player, until in list(state.worn_until.items()):
        if until < scene.place:
            off(scene, player, "CON-TDISG-03")
    for owner in state.wardrobes():
        if list_due(scene, owner):
            offer(scene, owner)
            if scene.kind == "night":  # prep was not played: its choice counts as not made
                take_first(scene, owner)
        elif scene.kind == "prep" and owner in state.offered:
            scene.notice(owner, "costumes_offered", "CON-COST-01", costumes=state.offered[owner])
    for player, role in list(state.to_wear.items()):
        by_day = scene.kind == "day" and (scene.name == state.first_played or state.role_of[player] in DISGUISERS)
        if scene.kind == "night" or by_day:
            wear(scene, player, role)


def list_due(scene: Scene, owner: str) -> bool:
    """Whether a list is offered now: in prep, or on the day after the last costume was worn, or after a release from a pinch.

    CON-COST-01 -08, CON-PINCH-07
    """
    state = scene.state
    if not state.alive(state.dresser(owner)) or owner in state.offered or state.costumes.get(owner) or owner in state.to_wear:
        return False
    if scene.name == state.first_played:
        return owner not in state.costumes
    return scene.kind == "day"


def unchosen(state: ConState, owner: str) -> list[str]:
    """What is taken where nothing valid was chosen: the first of the list.  CON-COST-04"""
    return state.offered[owner][: int(state.option("costumes_chosen"))]


def take_first(scene: Scene, owner: str) -> None:
    """Nothing valid was chosen: the first of the list are taken, and whoever is to wear them is told which.  CON-COST-04"""
    roles_taken = unchosen(scene.state, owner)
    scene.record("chosen", "CON-COST-04", player=owner, roles=roles_taken)
    scene.notice(scene.state.dresser(owner), "costumes_taken", "CON-COST-04", costumes=roles_taken)


def wear(scene: Scene, player: str, role: str) -> None:
    """Put it on: for good, or a costume for the night (and the day after, by option).  CON-TDISG-03

    A dead Yukiko's costume is used by Sonoko, who is not disguised by it (CON-BEFRIEND-21 -22).
    """
    state = scene.state
    costume, until = state.role_of[player] in COSTUMED, None
    if costume:
        longer = scene.kind == "night" and state.option("temporary_disguise_lasts") == "night_and_day"
        until = scene.after(1 if longer else 0)
    items = items_of_disguise(state, player, role)
    scene.record("wear", "CON-TDISG-03", player=player, role=role, until=until, costume=costume, items=items)
    if state.alive(player):
        scene.condition(player, "disguised", "CON-DISG-06")


def off(scene: Scene, player: str, why: str) -> None:
    """The disguise is off, and its items with it."""
    worn = scene.state.worn[player]
    scene.record("unwear", why, player=player, items=items_of_disguise(scene.state, player, worn))
    scene.condition(player, "disguised", why, on=False)


def items_of_disguise(state: ConState, player: str, role: str) -> list[str]:
    """What a disguise adds to the inventory: nothing for Irish, nor where the set-up names the inventory.  CON-ITEM-02 -06"""
    if state.role_of[player] == "irish" or player in state.game.setup.get("items", {}):
        return []
    return list(roles()[role].items)


def deeds_of_disguise(scene: Scene) -> None:
    """A disguise is a crime of every night in which it is worn, and of prep when put on there.  CON-CRIME-08, CON-TDISG-06"""
    for player, role in list(scene.state.worn.items()):
        if scene.state.alive(player):
            disguise_deed(scene, player, role)


def disguise_deed(scene: Scene, player: str, role: str) -> None:
    """One entry in the record: disguised as that role in this phase."""
    scene.emit(
        "deed", "gm", "CON-CRIME-08", actor=player, action="disguise", group="disguise", targets=[], final=[], fate="done",
        spent=False, role=role, crime="disguise", via=None,
    )  # fmt: skip


def choose(scene: Scene) -> None:
    """The choices of prep, or of a day with a new list; with none the first of the list.  CON-COST-04 -06 -09"""
    state = scene.state
    for owner in list(state.offered):
        acts = [act for act in scene.of("choose_costumes") if state.wardrobe_of(act.actor) == owner]
        for act in [act for act in acts if scene.author_hindered(act)]:
            scene.fail(act, "CON-GEN-13")
        acts = [act for act in acts if not act.failed]
        if not acts:
            take_first(scene, owner)
            continue
        chosen = list(acts[-1].more["roles"])
        scene.record("chosen", "CON-COST-04", player=owner, roles=chosen)
        scene.tell(acts[-1], "success", "CON-COST-01", costumes=chosen)
        scene.emit(
            "deed", "gm", "CON-COST-05", actor=acts[-1].actor, action="choose_costumes", group="choose_costumes", targets=[],
            final=[], fate="done", spent=False, role=None, crime=None, via=None,
        )  # fmt: skip


def put_on(scene: Scene) -> None:
    """A costume ordered in prep or by day, worn from the next night on.  CON-TDISG-01 -02 -07, CON-COST-07"""
    state = scene.state
    for act in scene.of("temporary_disguise"):
        owner = state.wardrobe_of(act.actor)
        assert owner is not None
        frightened = bool({act.actor, act.to} & scene.frightened)
        if frightened or scene.author_hindered(act) or act.role not in state.costumes[owner]:
            scene.fail(act, "CON-TDISG-07")
            continue
        scene.tell(act, "success", "CON-TDISG-01", disguise=act.role)
        scene.record("to_wear", "CON-TDISG-01", player=owner, role=act.role)
        if scene.kind == "prep":
            disguise_deed(scene, act.actor, act.role)
