"""Prep: friendship, then lovers; costumes are chosen and put on (CON-BEFRIEND, CON-AMOR)."""

from __future__ import annotations

from engine.choices import Question
from rulesets.conan import disguises, record
from rulesets.conan.setup import may_befriend, may_love
from rulesets.conan.work import Scene


def resolve(scene: Scene) -> None:
    """Friendship takes precedence over Amor (CON-BEFRIEND-04)."""
    friendship(scene)
    amor(scene)
    disguises.choose(scene)
    disguises.put_on(scene)
    record.enter(scene)


def friendship(scene: Scene) -> None:
    """One eligible player of Sonoko's list becomes her friend.  CON-BEFRIEND-01 -02 -05"""
    state = scene.state
    sonoko = state.with_role("sonoko")
    if sonoko is None or sonoko in state.friend or not state.alive(sonoko):
        return
    eligible = [name for name in state.game.names if may_befriend(state, name)]
    acts = scene.of("friendship")
    listed = list(acts[-1].targets[-int(state.option("friend_list_size")) :]) if acts else []
    among = [name for name in eligible if name in listed]
    if not among:
        question = Question("friend_route", "friend_route", ("draw", "none"), "draw", {"player": sonoko})
        if not eligible or scene.ask(question, "CON-BEFRIEND-05") != "draw":
            return
        among = eligible
    befriend(scene, sonoko, str(scene.draw("friend", among, "CON-BEFRIEND-02")))
    scene.emit(
        "deed", "gm", "CON-BEFRIEND-06", actor=sonoko, action="friendship", group="befriend", targets=[state.friend[sonoko]],
        final=[state.friend[sonoko]], fate="done", spent=False, crime=None, via=None, role=None,
    )  # fmt: skip


def befriend(scene: Scene, sonoko: str, friend: str) -> None:
    """Each is told of the other; of a disguised friend she learns the disguise only.  CON-FRIEND-02, CON-BEFRIEND-02"""
    state = scene.state
    if sonoko not in state.friend:
        scene.record("friend", "CON-FRIEND-01", player=sonoko, friend=friend)
    shown = state.role_of[friend]
    if shown == "kaitou_kid":
        shown = state.worn.get(friend) or state.to_wear.get(friend, shown)
    scene.notice(sonoko, "friend", "CON-FRIEND-02", player=friend, role=shown)
    scene.notice(friend, "friend", "CON-FRIEND-02", player=sonoko, role="sonoko")


def amor(scene: Scene) -> None:
    """Pairs of lovers among Yumi's six.  CON-AMOR-01 to -05"""
    state = scene.state
    yumi = state.with_role("yumi")
    if yumi is None or state.lovers or not state.alive(yumi):
        return
    eligible = [name for name in state.game.names if may_love(state, name)]
    acts = scene.of("amor")
    among = [name for name in eligible if acts and name in acts[-1].targets[-6:]]
    if len(among) < 2:
        question = Question("lovers_route", "lovers_route", ("draw", "none"), "draw", {"player": yumi})
        if len(eligible) < 2 or scene.ask(question, "CON-AMOR-05") != "draw":
            return
        among = eligible
    pairs = _pairs(scene, among)
    scene.record("lovers", "CON-LOVER-01", pairs=pairs)
    for pair in pairs:
        tell_lovers(scene, (pair[0], pair[1]))


def _pairs(scene: Scene, among: list[str]) -> list[list[str]]:
    """As many pairs as the GM set; no cross pair where those are not allowed."""
    from engine.choices import UnknownChoice, cast_die

    state = scene.state
    count = min(int(state.option("lover_pairs")), len(among) // 2)
    if "lovers" in scene.choices.pins:
        pairs = [[str(name) for name in pair] for pair in scene.choices.pins["lovers"]]
        named = [name for pair in pairs for name in pair]
        if not set(named) <= set(among) or len(set(named)) != len(named):
            raise UnknownChoice("lovers", pairs, among)
    else:
        pairs, left = [], list(among)
        while left and len(pairs) < count:
            first = left.pop(cast_die(state.game.seed, scene.name, f"lovers:{len(pairs)}:1", len(left)))
            fitting = [name for name in left if state.option("allow_cross_lovers") or state.bo(name) == state.bo(first)]
            if not fitting:
                continue
            second = fitting[cast_die(state.game.seed, scene.name, f"lovers:{len(pairs)}:2", len(fitting))]
            left.remove(second)
            pairs.append([first, second])
    scene.emit("draw", "gm", "CON-AMOR-01", name="lovers", among=list(among), chosen=pairs)
    return pairs


def tell_lovers(scene: Scene, pair: tuple[str, str]) -> None:
    """Lovers know each other's true role.  CON-LOVER-02"""
    state = scene.state
    for one, other in (pair, pair[::-1]):
        town = {"town_role": state.town_role[other]} if other in state.town_role else {}
        scene.notice(one, "lover", "CON-LOVER-02", player=other, role=state.role_of[other], **town)
