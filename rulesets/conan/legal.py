"""What a player may order now: every order that would be entered, for help and for games played at random."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from rulesets.conan.actions import DISGUISE, Action, actions
from rulesets.conan.cast import facts, label_at, roles
from rulesets.conan.deeds import CHARGES, VERBS, Question
from rulesets.conan.draft import Draft
from rulesets.conan.permission import as_meant, barred, why_not
from rulesets.conan.wording import dated, wording
from rulesets.conan.work import Scene

OF_SENDER = ("no_ability", "wrong_phase", "dead", "arrested", "detained", "injured", "suspended", "abroad", "asleep", "used_up")
"""Reasons that no other target changes."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Orders of one form: each is one choice of every part, the parts one after another."""

    parts: tuple[tuple[str, ...], ...]

    def texts(self) -> Iterator[str]:
        """All of them."""
        return (" ".join(part for part in chosen if part) for chosen in product(*self.parts))

    def one(self, rng: random.Random) -> str:
        """Any of them."""
        return " ".join(part for part in (rng.choice(options) for options in self.parts) if part)


def legal_orders(scene: Scene, player: str) -> list[str]:
    """All orders that would be entered if `player` sent them now, as text. Lists of players are given once, as an example."""
    return [text for offer in offers(scene, player) for text in offer.texts()]


def offers(scene: Scene, player: str) -> list[Offer]:
    """The same, each form of order once with what may stand in its places."""
    return [offer for action in open_actions(scene, player) for offer in offers_of(scene, player, action)]


def open_actions(scene: Scene, player: str) -> list[Action]:
    """The actions that nothing about `player` forbids in this phase."""
    return [action for action in actions().values() if barred(scene, Draft(player, action)) is None]


def offers_of(scene: Scene, player: str, action: Action) -> list[Offer]:
    """The forms of order for one of those actions; none where nothing and nobody is left to name."""
    return [offer for offer in _offers(scene, Draft(player, action)) if all(offer.parts)]


def _offers(scene: Scene, draft: Draft) -> Iterable[Offer]:
    action = draft.action
    if action.id in _SPECIAL:
        return _SPECIAL[action.id](scene, draft)
    if action.aim in ("none", "text"):
        return [_words(_plain(action))] if _enters(scene, draft) else []
    if action.aim == "role":
        wearable = tuple(role for role in roles() if _enters(scene, draft.with_role(role)))
        return [_words(_plain(action), wearable)]
    if action.aim == "player":
        return [_words(_plain(action), _targets(scene, draft))]
    return []


def _words(*parts: str | Iterable[str]) -> Offer:
    return Offer(tuple((part,) if isinstance(part, str) else tuple(part) for part in parts))


def _plain(action: Action) -> str:
    """The words before the first slot of the canonical phrase."""
    return action.phrases[0].partition("{")[0].strip()


def _enters(scene: Scene, draft: Draft) -> bool:
    return not isinstance(why_not(scene, as_meant(scene, draft)), str)


def _targets(scene: Scene, draft: Draft) -> tuple[str, ...]:
    """Whom the order may name; nobody as soon as a reason lies with the sender."""
    found = []
    for name in scene.state.game.names:
        refused = why_not(scene, as_meant(scene, draft.naming(name)))
        if refused in OF_SENDER and refused != "used_up":
            return ()
        if not isinstance(refused, str):
            found.append(name)
    return tuple(found)


def _asked(scene: Scene, draft: Draft, objects: Iterable[str], whens: Iterable[str]) -> Iterator[Offer]:
    """Questions: whoever may be asked about, with every deed and object."""
    names, whens = tuple(objects), tuple(whens)
    example = names[0] if names else None
    when = whens[0] or None if whens else None
    doers = tuple(
        name for name in scene.state.game.names
        if whens and example is not None and _enters(scene, draft.asking(Question(name, "heal", example, when)))
    )  # fmt: skip
    said = [dated(one) for one in whens]
    for kind, things in (("player", names), ("role", tuple(roles())), ("none", ("",))):
        if kind != "player" and draft.action.id == "follow_up":
            continue
        verbs = [wording()["does"][deed] for deed in VERBS if VERBS[deed][0] == kind]
        yield _words(_plain(draft.action), doers, verbs, things, said)


def _investigate(scene: Scene, draft: Draft) -> Iterator[Offer]:
    return _asked(scene, draft, scene.state.game.names, ("",))


def _special_investigate(scene: Scene, draft: Draft) -> Iterator[Offer]:
    past = [label_at(place) for place in range(scene.place) if place % 2 or place == 0]
    return _asked(scene, draft, scene.state.game.names, past)


def _follow_up(scene: Scene, draft: Draft) -> Iterator[Offer]:
    last = f"night {scene.label.number}"
    watched = [
        deed.targets[0] for _, deed in scene.state.done(actor=draft.sender, action="stake_out") if deed.phase == last
    ]  # fmt: skip
    return _asked(scene, draft, watched, ("",))


def _charges(scene: Scene, draft: Draft, whens: Iterable[str], deeds: Iterable[str]) -> Iterator[Offer]:
    whens = tuple(whens)
    if not whens:
        return
    for kind, things in (("player", scene.state.game.names), ("role", tuple(roles())), ("none", ("",))):
        named = [deed for deed in deeds if CHARGES[deed][0] == kind]
        gerunds = [f"for {wording()['charges'][deed]}" for deed in named]
        if not named:
            continue
        question = Question(None, named[0], things[0] or None, whens[0].removeprefix("on ").removeprefix("in ") or None)
        yield _words(_plain(draft.action), _targets(scene, draft.asking(question)), gerunds, things, whens)


def _arrest(scene: Scene, draft: Draft) -> Iterator[Offer]:
    past = [dated(label_at(place)) for place in range(max(0, scene.place - 4), scene.place)]
    return _charges(scene, draft, past, CHARGES)


def _frame(scene: Scene, draft: Draft) -> Iterator[Offer]:
    at_night = [deed for deed in CHARGES if deed not in ("aptx", "drug")]
    return _charges(scene, draft, ("",), at_night)


def _named_role(scene: Scene, draft: Draft) -> Iterator[Offer]:
    """`aptx X as Ran`, `identify X as Sonoko`."""
    draft = draft.with_role("ran")
    yield _words(_plain(draft.action), _targets(scene, draft), ("as",), roles())


def _observe(scene: Scene, draft: Draft) -> Iterator[Offer]:
    yield _words(_plain(draft.action), _targets(scene, draft))


def _research(scene: Scene, draft: Draft) -> Iterator[Offer]:
    yield _words("research", (id_.replace("_", " ") for id_ in (*actions(), DISGUISE) if _enters(scene, draft.saying(id_))))


def _ordered_kill(scene: Scene, draft: Draft) -> Iterator[Offer]:
    words = "to kill" if draft.action.id == "order_kill" else "to bribe: kill"
    for member in scene.state.members():
        victims = [name for name in scene.state.game.names if _enters(scene, draft.naming(member).naming(name))]
        yield _words("order", (member,), words, victims)


def _handed(scene: Scene, draft: Draft) -> Iterator[Offer]:
    """`give suitcase to X, else Y` and its like."""
    receivers = _targets(scene, draft)
    words = {"black_suitcase": "give suitcase to", "lend_bowtie": "lend bow-tie to", "lend_watch": "lend watch to"}
    yield _words(words[draft.action.id], receivers)
    if len(receivers) > 1:
        yield _words(words[draft.action.id], [f"{one}, else {other}" for one, other in pairwise(receivers)])


def _inner(scene: Scene, draft: Draft, prefix: str, inner_ids: Iterable[str]) -> Iterator[Offer]:
    """Orders done through another: each simple action with a target that would be entered so."""
    for id_ in inner_ids:
        action = actions()[id_]
        plain = Draft(draft.sender, action)
        if action.aim == "player" and "{player}" in action.phrases[0]:
            named = [name for name in scene.state.game.names if _enters(scene, draft.holding(plain.naming(name)))]
            yield _words(prefix, _plain(action), named)
        elif action.aim == "role":
            named = [role for role in roles() if _enters(scene, draft.holding(plain.with_role(role)))]
            yield _words(prefix, _plain(action), named)
        elif id_ == "investigate":
            asked = (Question(name, "heal", draft.sender, None) for name in scene.state.game.names)
            doers = [one.doer or "" for one in asked if _enters(scene, draft.holding(plain.asking(one)))]
            yield _words(prefix, "investigate", doers, ("heals", "kills", "protects", "steals from"), scene.state.game.names)


def _bowtie(scene: Scene, draft: Draft) -> Iterator[Offer]:
    return _inner(scene, draft, "bow-tie", ("investigate", "interrogate"))


def _fake(scene: Scene, draft: Draft) -> Iterator[Offer]:
    return _inner(scene, draft, "fake", [id_ for ids in facts()["fakes"].values() for id_ in ids])


def _cover(scene: Scene, draft: Draft) -> Iterator[Offer]:
    example = Draft(draft.sender, actions()["detect"]).with_role("ran")
    known = dict.fromkeys((*scene.state.members(), scene.state.lover_of(draft.sender)))
    allies = [ally for ally in known if ally is not None and _enters(scene, draft.naming(ally).holding(example))]
    coverable = [action.id for action in actions().values() if action.cover]
    for offer in _inner(scene, draft.naming(allies[0]), "cover", coverable) if allies else ():
        # What may be named does not hang on the ally.
        yield Offer((("cover",), tuple(f"{ally}:" for ally in allies), *offer.parts[1:]))


def _backup(scene: Scene, draft: Draft) -> Iterator[Offer]:
    for role in roles().values():
        if role.side == "black_org" and not scene.state.in_game(role.id):
            words = {ability.word for group in role.sheet["night"] for together in group for ability in together}
            ids = [action.id for action in actions().values() if action.ability in words]
            yield from _inner(scene, draft.with_role(role.id), f"backup {role.name}:", ids)


def _choose_costumes(scene: Scene, draft: Draft) -> Iterator[Offer]:
    for offered in scene.state.offered.values():
        chosen = combinations(offered, int(scene.state.option("costumes_chosen")))
        fitting = []
        for listed in chosen:
            named = draft
            for role in listed:
                named = named.with_role(role)
            if _enters(scene, named):
                fitting.append(", ".join(listed))
        yield _words("choose costumes:", fitting)


def _listed(scene: Scene, draft: Draft) -> Iterator[Offer]:
    """`befriend A, B, C` and `lovers: A, B, C, D, E, F`: one example."""
    names = scene.state.game.names[: 6 if draft.action.id == "amor" else int(scene.state.option("friend_list_size"))]
    for name in names:
        draft = draft.naming(name)
    if _enters(scene, draft):
        yield _words("lovers:" if draft.action.id == "amor" else "befriend", [", ".join(names)])


def _will(scene: Scene, draft: Draft) -> Iterator[Offer]:
    if _enters(scene, draft.saying("text")):
        yield _words("will: I did what I could")


def _order_other(scene: Scene, draft: Draft) -> Iterator[Offer]:
    return iter(())


_SPECIAL = {
    "investigate": _investigate, "special_investigate": _special_investigate, "follow_up": _follow_up, "arrest": _arrest,
    "frame": _frame, "aptx": _named_role, "identify": _named_role, "observe_age": _observe, "observe_gender": _observe,
    "research": _research, "order_kill": _ordered_kill, "order_bribe": _ordered_kill, "order_other": _order_other,
    "black_suitcase": _handed, "lend_bowtie": _handed, "lend_watch": _handed, "bowtie": _bowtie, "fake": _fake, "cover": _cover,
    "backup": _backup, "choose_costumes": _choose_costumes, "friendship": _listed, "amor": _listed, "will": _will,
}  # fmt: skip
