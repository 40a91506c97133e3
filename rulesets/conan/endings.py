"""Deaths told, releases, and who wins (CON-GEN-05, -15, CON-DETAIN, CON-WIN)."""

from __future__ import annotations

from typing import Any

from engine.choices import Question
from rulesets.conan.cast import DISGUISERS, roles
from rulesets.conan.jail import detention_seen
from rulesets.conan.permission import used_up_together, ways
from rulesets.conan.results import will_of
from rulesets.conan.work import Scene

JAILERS = ("arrest", "house_search", "detain", "face_pinch")
"""What takes a player out of play without a vote."""


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
    scene.carry_out_deaths(lambda player: reveal(scene, player), more=lambda player: town_role_shown(scene, player))
    if scene.erased is not None:
        shown: dict[str, Any] = {} if hidden is not None else {"player": scene.erased}
        scene.announce("erased", "CON-ERASE-05", **shown)
    if not told and hidden is None and scene.kind != "prep":
        scene.announce("no_death", "CON-GEN-15")
    for player in told:
        if player != scene.erased:
            publish_will(scene, player)


def reveal(scene: Scene, player: str) -> str | None:
    """The role shown at a death, never a disguise: none for an erased body.  CON-GEN-15"""
    shown = player != scene.erased and scene.state.option("reveal_role_on_death")
    return scene.state.role_of[player] if shown else None


def town_role_shown(scene: Scene, player: str) -> dict[str, str]:
    """With an Anokata's role that on which he was dealt.  CON-GEN-15"""
    known = player in scene.state.town_role and reveal(scene, player) is not None
    return {"town_role": scene.state.town_role[player]} if known else {}


def publish_will(scene: Scene, player: str) -> None:
    """The dead player's will, as the GM lets it pass.  CON-GEN-05 -06"""
    text = will_of(scene, player)
    decided = player in scene.state.censored
    if text is None:
        return
    if scene.state.option("wills_need_approval") and not decided:
        key = f"will:{player}:{text}"  # the word on one will is none on the next
        question = Question(key, "will", ("publish", "censor", "drop"), "publish", {"player": player, "text": text})
        if scene.ask(question, "CON-GEN-06") != "publish":
            return  # a censored will is published with the text of `censor will`, which leaves nothing to ask
    scene.announce("will", "CON-GEN-05", player=player, text=text)


def release(scene: Scene, player: str, why: str, *, erase: bool = False) -> None:
    """Out of prison, publicly save for a secret detention; the arrest's crime erased by a lawsuit.

    CON-LAWSUIT-02 -04, CON-DETAIN-02 -12
    """
    state = scene.state
    seen = "public" if state.has(player, "arrested") else detention_seen(scene)
    scene.condition(player, "arrested", why, on=False, seen="public")
    scene.condition(player, "detained", why, on=False, seen=detention_seen(scene))
    scene.record("freed", why, player=player, erase=erase)
    if seen == "public":
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
        until = state.until.get((player, "detained"))  # None by a set-up that does not say: for the rest of the game
        due = until is not None and until <= scene.place
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
    key = f"bo_win:{scene.name}:{', '.join(at_large)}"
    question = Question(key, "bo_win", ("win", "continue"), default, {})
    return scene.ask(question, "CON-WIN-03") == "win" and _win(scene, "black_org")


def hope(scene: Scene, at_large: list[str]) -> bool:
    """Whether the town can still take a BO member out or get somebody back.  CON-WIN-03"""
    state = scene.state
    if any(can_ever(scene, name, *JAILERS) for name in at_large if not state.bo(name)):
        return True
    jailed_town = [name for name in state.living() if state.jailed(name) and not state.bo(name)]
    lawsuit = any(can_ever(scene, name, "lawsuit") and not used_up_together(scene, name, "lawsuit") for name in at_large)
    return (lawsuit and bool(jailed_town)) or any(state.has(name, "detained") for name in jailed_town)


def can_ever(scene: Scene, player: str, *words: str) -> bool:
    """Whether one of these abilities is the player's, now or when an injury or suspension is over."""
    state = scene.state
    if state.has(player, "injured") and (player, "injured") not in state.until:
        return False
    at_hand = [roles()[role] for role in state.costumes.get(player, [])]
    costumed = any(word in role.words("night", "day") for role in at_hand for word in words)
    return costumed or any(ways(scene, player, word, kind) for word in words for kind in ("night", "day"))


def _win(scene: Scene, side: str, players: list[str] | None = None) -> bool:
    """A side wins with all its players but cross-lovers.  CON-WIN-08"""
    state = scene.state
    winners = players or [name for name in state.game.names if state.side(name) == side]
    towns = {name: {"town_role": town} for name, town in state.town_role.items()}
    cast = [{"player": name, "role": state.role_of[name], **towns.get(name, {})} for name in state.game.names]
    scene.emit("win", "public", "CON-WIN-01 CON-WIN-02 CON-WIN-05", sides=[side], players=winners, cast=cast)
    return True
