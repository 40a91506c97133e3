"""Prep: friendship, then lovers; costumes are chosen and put on (CON-BEFRIEND, CON-AMOR)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, count

from engine.choices import Question, UnknownChoice, cast_die
from rulesets.conan import disguises
from rulesets.conan.cast import ConState
from rulesets.conan.setup import may_befriend, may_love
from rulesets.conan.work import Scene


def resolve(scene: Scene) -> None:
    """Friendship takes precedence over Amor (CON-BEFRIEND-04)."""
    friendship(scene)
    amor(scene)
    disguises.choose(scene)
    disguises.put_on(scene)


def friendship(scene: Scene) -> None:
    """One eligible player of Sonoko's list becomes her friend.  CON-BEFRIEND-01 -02 -05"""
    state = scene.state
    sonoko = state.with_role("sonoko")
    if sonoko is None or sonoko in state.friend or scene.gone(sonoko):
        return
    eligible = [name for name in state.living() if may_befriend(state, name) and not scene.gone(name)]
    acts = scene.of("friendship")
    listed = list(acts[-1].targets[-int(state.option("friend_list_size")) :]) if acts else []
    among = [name for name in eligible if name in listed]
    if not among:
        question = Question("friend_route", "friend_route", ("draw", "none"), "draw", {"player": sonoko})
        if not eligible or scene.ask(question, "CON-BEFRIEND-05") != "draw":
            return
        among = eligible
    befriend(scene, sonoko, str(scene.draw("friend", among, "CON-BEFRIEND-02")))
    _deed(scene, sonoko, "friendship", "befriend", [state.friend[sonoko]], "CON-BEFRIEND-06")


def _deed(scene: Scene, actor: str, action: str, group: str, targets: list[str], why: str) -> None:
    scene.emit(
        "deed", "gm", why, actor=actor, action=action, group=group, targets=targets, final=targets, fate="done", spent=False,
        crime=None, via=None, role=None,
    )  # fmt: skip


def befriend(scene: Scene, sonoko: str, friend: str) -> None:
    """Each is told of the other; of a disguised friend she learns the disguise only.  CON-FRIEND-02, CON-BEFRIEND-02"""
    state = scene.state
    if sonoko not in state.friend:
        scene.record("friend", "CON-FRIEND-01", player=sonoko, friend=friend)
    own = state.role_of[friend]
    shown = state.to_wear.get(friend, own) if own == "kaitou_kid" else own
    scene.notice(sonoko, "friend", "CON-FRIEND-02", player=friend, role=shown)
    scene.notice(friend, "friend", "CON-FRIEND-02", player=sonoko, role="sonoko")


def amor(scene: Scene) -> None:
    """Pairs of lovers among Yumi's six.  CON-AMOR-01 to -05"""
    state = scene.state
    yumi = state.with_role("yumi")
    if yumi is None or state.lovers or scene.gone(yumi):
        return
    eligible = [name for name in state.living() if may_love(state, name) and not scene.gone(name)]
    acts = scene.of("amor")
    among = [name for name in eligible if acts and name in acts[-1].targets[-6:]]
    if not _some_pair(state, among):
        question = Question("lovers_route", "lovers_route", ("draw", "none"), "draw", {"player": yumi})
        if not _some_pair(state, eligible) or scene.ask(question, "CON-AMOR-05") != "draw":
            return
        among = eligible
    pairs = _pairs(scene, among)
    if not pairs:
        return
    scene.record("lovers", "CON-LOVER-01", pairs=pairs)
    _deed(scene, yumi, "amor", "amor", [name for pair in pairs for name in pair], "CON-AMOR-01")
    for pair in pairs:
        tell_lovers(scene, (pair[0], pair[1]))


def _some_pair(state: ConState, among: Sequence[str]) -> bool:
    """Whether a pair can be made of them: names of both sides that may not be one are no more than too few.  CON-AMOR-05"""
    return any(_may_pair(state, one, other) for one, other in combinations(among, 2))


def _pairs(scene: Scene, among: list[str]) -> list[list[str]]:
    """As many pairs as the GM set; no cross pair where those are not allowed.  CON-AMOR-01 -02"""
    if "lovers" in scene.choices.pins:
        pairs = [[str(name) for name in pair] for pair in scene.choices.pins["lovers"]]
        named = [name for pair in pairs for name in pair]
        wrong = any(len(pair) != 2 or not _may_pair(scene.state, *pair) for pair in pairs)
        if wrong or not set(named) <= set(among) or len(set(named)) != len(named):
            raise UnknownChoice("lovers", pairs, among)
    else:
        throws = count()
        pairs = draw_pairs(
            scene.state, among, lambda sides: cast_die(scene.choices.seed, scene.name, f"lovers:{next(throws)}", sides)
        )
    if pairs:
        scene.emit("draw", "gm", "CON-AMOR-01", name="lovers", among=list(among), chosen=pairs)
    return pairs


def draw_pairs(state: ConState, among: Sequence[str], throw: Callable[[int], int]) -> list[list[str]]:
    """Pairs among these players, drawn with `throw`, which yields a number below its argument."""
    pairs, left = list[list[str]](), list(among)
    while left and len(pairs) < int(state.option("lover_pairs")):
        first = left.pop(throw(len(left)))
        fitting = [name for name in left if _may_pair(state, first, name)]
        if fitting:
            second = fitting[throw(len(fitting))]
            left.remove(second)
            pairs.append([first, second])
    return pairs


def _may_pair(state: ConState, one: str, other: str) -> bool:
    return bool(state.option("allow_cross_lovers")) or state.bo(one) == state.bo(other)


def tell_lovers(scene: Scene, pair: tuple[str, str]) -> None:
    """Lovers know each other's true role.  CON-LOVER-02"""
    state = scene.state
    for one, other in (pair, pair[::-1]):
        town = {"town_role": state.town_role[other]} if other in state.town_role else {}
        scene.notice(one, "lover", "CON-LOVER-02", player=other, role=state.role_of[other], **town)
