"""Deaths told, releases, and who wins (CON-GEN-05, -15, CON-DETAIN, CON-WIN)."""

from __future__ import annotations

from typing import Any

from engine.choices import Question
from rulesets.conan.cast import DISGUISERS
from rulesets.conan.results import will_of
from rulesets.conan.work import Scene


def deaths(scene: Scene) -> None:
    """Carry out the deaths of the phase; roles and wills are shown unless the body was erased.  CON-GEN-15, CON-ERASE-05"""
    state = scene.state
    hidden = scene.erased if state.option("erase_hides") == "player" else None
    told = [player for player in state.in_seat_order(list(scene.doomed)) if player != hidden]
    if hidden is not None and hidden in scene.doomed:
        marks = {hidden: scene.doomed.pop(hidden)}
        others, scene.doomed = scene.doomed, marks
        scene.carry_out_deaths(lambda player: None, seen="gm")
        scene.doomed = others
    scene.carry_out_deaths(lambda player: reveal(scene, player))
    if scene.erased is not None:
        shown: dict[str, Any] = {} if hidden is not None else {"player": scene.erased}
        scene.announce("erased", "CON-ERASE-05", **shown)
    if not told and hidden is None:
        scene.announce("no_death", "CON-GEN-15")
    for player in told:
        if player != scene.erased:
            publish_will(scene, player)


def reveal(scene: Scene, player: str) -> Any:
    """The role shown at a death: empty for an erased body."""
    state = scene.state
    if player == scene.erased or not state.option("reveal_role_on_death"):
        return None
    shown = {"role": state.role_of[player]}
    return shown | ({"town_role": state.town_role[player]} if player in state.town_role else {})


def publish_will(scene: Scene, player: str) -> None:
    """The dead player's will, as the GM lets it pass.  CON-GEN-05 -06"""
    text = will_of(scene, player)
    if player in scene.dropped_wills:
        text = scene.dropped_wills[player]
    if text is None:
        return
    if scene.state.option("wills_need_approval"):
        question = Question(f"will:{player}", "will", ("publish", "censor", "drop"), "publish", {"player": player, "text": text})
        if scene.ask(question, "CON-GEN-06") == "drop":
            return
    scene.announce("will", "CON-GEN-05", player=player, text=text)


def release(scene: Scene, player: str, why: str, *, erase: bool = False) -> None:
    """Out of prison, publicly; the crime of the arrest erased by a lawsuit.  CON-LAWSUIT-02 -04, CON-DETAIN-02"""
    state = scene.state
    scene.condition(player, "arrested", why, on=False, seen="public")
    scene.condition(player, "detained", why, on=False, seen="public")
    scene.record("freed", why, player=player, erase=erase)
    scene.announce("released", why, player=player)
    scene.notice(player, "released", why)
    if player in state.pinched:
        _new_face(scene, player)


def _new_face(scene: Scene, player: str) -> None:
    """Who was pinched gets a new disguise, or a new list of costumes as the next day opens.  CON-PINCH-07"""
    from rulesets.conan.disguises import draw_disguise

    state = scene.state
    scene.record("unpinched", "CON-PINCH-07", player=player)
    if state.role_of[player] not in DISGUISERS:
        scene.record("chosen", "CON-PINCH-07", player=player, roles=[])
        scene.record("offer_due", "CON-PINCH-07", player=player)
        return
    role = draw_disguise(scene, player)
    if role is not None:
        scene.record("to_wear", "CON-PINCH-07", player=player, role=role)
        scene.notice(player, "disguise_given", "CON-PINCH-07", disguise=role)


def releases(scene: Scene) -> None:
    """Detentions that end with this phase, or with the officer's death.  CON-DETAIN-02 -04"""
    state = scene.state
    for player in state.game.names:
        if not state.has(player, "detained") or not state.alive(player):
            continue
        officer = state.detained_by.get(player)
        due = state.until.get((player, "detained"), scene.place) <= scene.place
        if due or (officer is not None and not state.alive(officer)):
            release(scene, player, "CON-DETAIN-02 CON-DETAIN-04")


# Winning


def victory(scene: Scene) -> bool:
    """Who has won, at the end of the phase; checked in the order lovers, town, BO.  CON-WIN-01 to -12"""
    state = scene.state
    if scene.ended not in (None, "continue"):
        return _win(scene, str(scene.ended))
    at_large = [name for name in state.game.names if state.free(name)]
    for pair in state.cross_pairs():
        if any(map(state.alive, pair)) and all(name in pair for name in at_large):
            return _win(scene, "lovers", list(pair))
    bo = [name for name in at_large if state.bo(name)]
    if not bo:
        return _win(scene, "town")
    if 2 * len(bo) > len(at_large):
        return _bo_wins(scene, at_large)
    return False


def _bo_wins(scene: Scene, at_large: list[str]) -> bool:
    """The BO outnumbers the town: at once, or as the GM says where the town could still turn it.  CON-WIN-02 -03"""
    ask = scene.state.option("bo_win") == "ask"
    if not ask and not hope(scene, at_large):
        return _win(scene, "black_org")
    if scene.ended == "continue":
        return False
    default = "win" if ask else "continue"
    question = Question(f"bo_win:{scene.name}", "bo_win", ("win", "continue"), default, {})
    return scene.ask(question, "CON-WIN-03") == "win" and _win(scene, "black_org")


def hope(scene: Scene, at_large: list[str]) -> bool:
    """Whether the town can still take a BO member out or get somebody back."""
    state = scene.state
    jailers = {"arrest", "house_search", "detain", "face_pinch"}

    def words(player: str) -> set[str]:
        return {
            ability.word for role, via in state.sheets(player) if via != "friendship"
            for kind in ("night", "day") for group in role.sheet[kind] for alternative in group for ability in alternative
        }  # fmt: skip

    town = [name for name in at_large if not state.bo(name)]
    jailed_town = [name for name in state.game.names if state.alive(name) and state.jailed(name) and not state.bo(name)]
    if any(words(name) & jailers for name in town):
        return True
    lawsuit = any("lawsuit" in words(name) and (name, "lawsuit") not in state.no_more for name in at_large)
    return (lawsuit and bool(jailed_town)) or any(state.has(name, "detained") for name in jailed_town)


def _win(scene: Scene, side: str, players: list[str] | None = None) -> bool:
    """A side wins with all its players but cross-lovers.  CON-WIN-08"""
    winners = players or [name for name in scene.state.game.names if scene.state.side(name) == side]
    scene.emit("win", "public", "CON-WIN-01 CON-WIN-02 CON-WIN-05", sides=[side], players=[], winners=winners)
    return True
