"""Private orders: read, and entered or rejected as they arrive (CON-GEN-07 to -16, CON-ACT-06, -07)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache

from engine.inputs import OrderInput
from parser.message import own_lines
from parser.names import Ambiguous, Found, Person, Roster, Unknown
from parser.normal import fold, key
from parser.orders import AmbiguousOrder, Reading, ReadOrder, UnreadableOrder
from rulesets.conan import deeds
from rulesets.conan.actions import Action, abilities_by_word, actions, language
from rulesets.conan.cast import facts, roles
from rulesets.conan.deeds import Question
from rulesets.conan.draft import Draft
from rulesets.conan.permission import PASSES_ON, actor_of, as_meant, called_by_phase, stood_in_for, ways, why_not, word_of
from rulesets.conan.wording import ASKED, CHARGED, wording
from rulesets.conan.work import Scene

Named = Found | Ambiguous | Unknown


_MYSELF = frozenset(("myself", "me", "self", "himself", "herself"))
_MOST_PARTS = 6
"""Orders that one writes in one sentence; with more it is hardly a list of orders."""
_HEADING = re.compile(r"\W*(?P<kind>night|day|n|d)\s*(?P<number>\d{1,3})(?: (?:actions?|orders?))?\W*", re.IGNORECASE)
"""A line that says for which phase those below it are."""
_BEFORE = re.compile(r"\W*(?P<kind>night|day|n|d)\s*(?P<number>\d{1,3})(?!\w)", re.IGNORECASE)
"""The same before an order."""
_RANK = re.compile(r"^(?:dr|doctor|prof|professor|inspector|assistant inspector|sergeant|officer|detective|agent|attorney)\.? ")
"""What may stand before a character's name."""
_BETWEEN_ORDERS = re.compile(r"(\s*[,&+/]\s*(?:and\s+)?|\s+and\s+)", re.IGNORECASE)
_SEVERAL = ("investigate", "special_investigate", "slander", "more")
"""What may be ordered several times in a phase, so that two of them in one sentence do not contradict each other."""


def roster_of(scene: Scene) -> Roster:
    """The names by which the players are known in this phase, the living preferred."""
    if scene.roster is None:
        state = scene.state
        scene.roster = _roster(
            tuple(
                Person(seat.name, (*seat.aliases, *state.later_names(seat.name)), state.alive(seat.name))
                for seat in state.game.seats
            )
        )
    return scene.roster


@cache
def _roster(people: tuple[Person, ...]) -> Roster:
    return Roster(people)


@cache
def _role_words() -> Mapping[str, frozenset[str]]:
    """Every name of a character → the roles it may be: id, name, other spellings, the full name either way, a family name."""
    found: dict[str, set[str]] = {}
    second = wording()["second_names"]
    for role in roles().values():
        names = [role.id, role.name]
        if role.id in second:
            names += [f"{role.name} {second[role.id]}", f"{second[role.id]} {role.name}", second[role.id]]
        for name in names:
            found.setdefault(key(name), set()).add(role.id)
    for spelling, id_ in wording()["spellings"].items():
        found.setdefault(key(spelling), set()).add(id_)
    return {word: frozenset(ids) for word, ids in found.items()}


@cache
def _kinds_of_role() -> frozenset[str]:
    """The words of titles and groups, by which a kind of role is named and no character."""
    return frozenset(key(word) for role in roles().values() for word in (*role.title.split(), role.side, role.group))


def role_called(text: str) -> Named:
    """The role of that id or name; a kind of role is read too, so that its sender hears why it is not enough (CON-DETECT-02)."""
    plain = re.sub(r"^\s*(?:the|an?)\s+", "", fold(text))
    words = (key(text), key(plain), key(_RANK.sub("", plain)))
    found = next((_role_words()[word] for word in words if word in _role_words()), frozenset[str]())
    if not found and key(plain) in _kinds_of_role():
        return Found(f"any {key(plain)}", "role")
    if len(found) > 1:
        return Ambiguous(tuple(role.name for role in roles().values() if role.id in found))
    return Found(next(iter(found)), "role") if found else Unknown()


def item_called(text: str) -> Named:
    """The item of that name."""
    wanted = key(text).removeprefix("the")
    found = next((item for item in facts()["items"] if key(item) == wanted), None)
    return Found(found, "item") if found else Unknown()


def ability_called(text: str) -> Named:
    """The ability of that name."""
    found = abilities_by_word().get(key(text))
    return Found(found, "ability") if found else Unknown()


def slots(roster: Roster, sender: str) -> dict[str, Callable[[str], Named]]:
    """What each slot of a phrase may hold."""

    def player(text: str) -> Named:
        return Found(sender, "name") if key(text) in _MYSELF else roster.match(text)

    def order(text: str) -> Named:
        read = language().read(text, found)
        match read:
            case ReadOrder(id_, values) if id_.split()[0] in actions():
                return Found("\x1d".join((id_, *values)))
            case ReadOrder():  # a withdrawal, or a question that does not say by which ability it is asked
                return Unknown("investigate X heals Y" if read.id.startswith("more") else None)
            case AmbiguousOrder(candidates=candidates):
                return Ambiguous(candidates)
        return Unknown(read.nearest)

    found: dict[str, Callable[[str], Named]] = {
        "player": player,
        "role": role_called,
        "item": item_called,
        "ability": ability_called,
        "text": lambda text: Found(text),
        "number": lambda text: Found(text) if text.strip("(#.)").isdecimal() else Unknown(),
        "question": lambda text: deeds.question(text, player, role_called, ability_called, dated=False),
        "past": lambda text: deeds.question(text, player, role_called, ability_called, dated=True),
        "last": lambda text: deeds.question(text, player, role_called, ability_called, dated=True),
        "charge": lambda text: deeds.charge(text, player, role_called),
        "blame": lambda text: deeds.charge(text, player, role_called),
        "order": order,
    }
    return found


def arrive(scene: Scene, order: OrderInput) -> None:
    """A message arrives: each order in it is entered, rejected with its reason, or shown to the GM as unreadable."""
    state, sender = scene.state, order.by
    if sender not in state.role_of:
        return
    scene.spoken.add(sender)
    if sender in state.inactive:
        scene.notice(sender, "inactive", "CON-INACT-16", phases=state.missed_in.get(sender, []))
        return
    last: Draft | None = None
    opened: Draft | None = None
    own, elsewhere = _by_phase(scene, order.text)
    for text in elsewhere:
        _unreadable(scene, sender, text, None)
    for reading in readings(roster_of(scene), sender, own):
        match reading:
            case ReadOrder(id_, _, text) if not id_.startswith("more") and _of_another(scene, _BEFORE.match(text)):
                _unreadable(scene, sender, text, None)
            case ReadOrder(id_, values, text):
                draft = _going_on(scene, _draft(sender, id_.split(), values, last), last)
                if draft is None:
                    _unreadable(scene, sender, text, "investigate X heals Y")
                elif draft.doer is not None and draft.doer not in stood_in_for(scene, sender):
                    _unreadable(scene, sender, text, "for the inactive player: …")
                elif draft.doer is not None and not _has(scene, draft.doer, draft.action):
                    reject(scene, sender, draft.named, "no_ability", order.id)
                elif draft.innermost.action.aim == "question" and draft.innermost.question is None:
                    opened, last = draft, draft  # `Investigate:` on a line of its own, the questions below it
                else:
                    _enter(scene, order, draft)
                    opened, last = None, draft if not draft.cancel else last
            case AmbiguousOrder(text, _, candidates):
                _unreadable(scene, sender, text, " / ".join(candidates))
            case UnreadableOrder(text, _, nearest):
                _unreadable(scene, sender, text, shown(nearest))
    if opened is not None:
        _unreadable(scene, sender, opened.action.id.replace("_", " "), "investigate X heals Y")


def _by_phase(scene: Scene, body: str) -> tuple[str, list[str]]:
    """What of a message is for this phase; and what stands below the heading of another, which waits for the GM."""
    parts: list[list[str]] = [[]]
    for _, line in own_lines(body):
        if _HEADING.fullmatch(line) is not None:
            parts.append([])
        parts[-1].append(line)
    if len(parts) == 1:
        return body, []
    now, elsewhere = parts[0], []
    for heading, *lines in parts[1:]:
        if not _of_another(scene, _HEADING.fullmatch(heading)):
            now += lines
        else:
            elsewhere.append("\n".join((heading, *lines)))
    return "\n".join(now), elsewhere


def _of_another(scene: Scene, named: re.Match[str] | None) -> bool:
    """Whether that names another phase than the open one."""
    return named is not None and f"{named['kind'][0].lower()}{int(named['number'])}" != f"{scene.kind[0]}{scene.label.number}"


def _has(scene: Scene, inactive: str, action: Action) -> bool:
    """Whether it is that inactive player who has the action, of all whose actions the sender has."""
    if action.open in PASSES_ON:
        return scene.state.bo(inactive)
    return bool(ways(scene, inactive, word_of(action, scene.kind), scene.kind))


@lru_cache(maxsize=4096)
def readings(roster: Roster, sender: str, text: str) -> tuple[Reading, ...]:
    """Everything a message orders, in order. It is remembered: each tick and each preview reads the phase's messages again."""
    found = slots(roster, sender)
    read = language().message(text, found, names=("Dr.", *roster.spelled))
    return tuple(part for reading in read for part in _one_by_one(reading, found))


def _one_by_one(reading: Reading, found: Mapping[str, Callable[[str], Named]]) -> list[Reading]:
    """`steal from A, protect B and abstain`: orders of different kinds in one sentence, where all of it is orders for sure."""
    if isinstance(reading, ReadOrder):
        return [reading]
    pieces = _BETWEEN_ORDERS.split(reading.text)
    parts: list[ReadOrder] = []
    while pieces and len(pieces) < 2 * _MOST_PARTS:
        for end in range(len(pieces), 0, -2):  # the longest that is an order: "and" may stand in a name
            part = language().order("".join(pieces[:end]).strip(), found)
            if isinstance(part, ReadOrder):
                parts.append(part)
                pieces = pieces[end + 1 :]
                break
        else:
            return [reading]
    once = [part.id.split()[0] for part in parts if part.id.split()[0] not in _SEVERAL]
    return list(parts) if parts and not pieces and len(set(once)) == len(once) else [reading]


def _unreadable(scene: Scene, sender: str, text: str, nearest: str | None) -> None:
    """What cannot be read for sure waits for the GM, with the nearest phrase."""
    scene.notice("gm", "unreadable", "CON-GEN-16", player=sender, text=text, nearest=nearest)


_SHOWN = {
    "{player...}": "X, Y, Z", "{role}": "R", "{role...}": "R, R, R", "{question}": "X heals Y", "{past}": "X healed Y on night 1",
    "{last}": "X healed Y", "{charge}": "killing Y on night 1", "{blame}": "killing Y", "{order}": "…", "{text}": "…",
    "{ability}": "heal", "{item}": "gun",
}  # fmt: skip


def shown(phrase: str | None) -> str | None:
    """A phrase with examples in its slots, as a player or the GM is shown it."""
    if phrase is None:
        return None
    phrase = re.sub(r"\([^()]*\)\s?", "", phrase).replace("{player}", "X", 1).replace("{player}", "Y", 1)
    for slot, words in _SHOWN.items():
        phrase = phrase.replace(slot, words)
    return phrase


def _draft(sender: str, id_: list[str], values: tuple[str, ...], last: Draft | None) -> Draft | None:
    """What was read, as a draft of an order; a bare question goes on with the questions before it (CON-BACKUP-05)."""
    if id_[0] == "cancel":
        return Draft(sender, actions()[id_[1]], cancel=True)
    if id_[0] == "more":
        if last is None or last.innermost.action.aim != "question":
            return None
        return last.asking(Question.read(values[0]))
    return draft_of(sender, id_, values)


def _going_on(scene: Scene, draft: Draft | None, last: Draft | None) -> Draft | None:
    """`backup Rye: investigate …; investigate …`: the second goes the way of the first, where its sender has no such ability
    himself.  CON-BACKUP-05, CON-COVER-16
    """
    if draft is None or last is None or draft.question is None or draft.cancel or last.inner is None or draft.inner is not None:
        return draft
    same = draft.action is last.innermost.action and draft.action.aim == "question"
    return last.asking(draft.question) if same and actor_of(scene, draft) is None else draft


def draft_of(sender: str, id_: list[str], values: tuple[str, ...]) -> Draft:
    """The order with that phrase id and these values, nested ones included."""
    action, kinds = actions()[id_[0]], id_[1:]
    if kinds and kinds[-1] in ("player", "role") and len(values) > len(kinds):
        kinds = [*kinds, *[kinds[-1]] * (len(values) - len(kinds))]
    draft = Draft(sender, action)
    for kind, value in zip(kinds, values, strict=False):
        if kind == "player":
            draft = draft.naming(value)
        elif kind == "role":
            draft = draft.with_role(value)
        elif kind == "number":  # which of his questions it is says nothing
            continue
        elif kind in ASKED + CHARGED:
            draft = draft.asking(Question.read(value))
        elif kind == "order":
            inner_id, *inner_values = value.split("\x1d")
            draft = draft.holding(draft_of(sender, inner_id.split(), tuple(inner_values)))
        else:
            draft = draft.saying(value)
    return _unwrapped(draft)


def _unwrapped(draft: Draft) -> Draft:
    """A leader's order for a member that is a kill or a bribe, however it was written; what is sent for an inactive player."""
    inner = draft.inner
    if draft.action.id == "stand_in" and inner is not None:
        return replace(inner, stands_in=True, doer=next(iter(draft.targets), None))
    if draft.action.id != "order_other" or inner is None or inner.action.id not in ("kill", "snipe", "bribe"):
        return draft
    kind = actions()["order_bribe" if inner.action.id == "bribe" else "order_kill"]
    return Draft(draft.sender, kind, (*draft.targets, *inner.targets))


def _enter(scene: Scene, order: OrderInput, draft: Draft) -> Draft | None:
    """Enter an order, or tell its sender why it cannot be; the draft where it was entered."""
    draft = as_meant(scene, draft)
    if draft.cancel:
        kept = scene.entered.get(draft.sender, [])
        scene.entered[draft.sender] = [act for act in kept if not _takes_back(draft.action, str(act.more.get("ordered")))]
        return None
    refused = why_not(scene, draft)
    if isinstance(refused, str):
        plain = _plain_kill(draft) if refused in ("no_ability", "used_up") else None
        entered = plain is not None and not isinstance(why_not(scene, as_meant(scene, plain)), str)
        called = called_by_phase(draft.named, scene.kind)
        reject(scene, draft.sender, called, refused, order.id, **({"played": "kill"} if entered else {}))
        if plain is None:
            return None
        return _enter(scene, order, plain)
    for act in refused:
        act.sent = scene.sent(draft.sender, order.at)
        act.source = order.id
        act.more.setdefault("ordered", draft.action.id)
        scene.entered.setdefault(draft.sender, []).append(act)
    return draft


def _plain_kill(draft: Draft) -> Draft | None:
    """Without suitcase or bribe left a bribe is an ordinary kill of the same target.  CON-BRIBE-10"""
    kind = {"bribe": "kill", "order_bribe": "order_kill"}.get(draft.action.id)
    return replace(draft, action=actions()[kind]) if kind is not None else None


def _takes_back(cancelled: Action, ordered: str) -> bool:
    """Whether an order is of the kind taken back: a leader's kill with `kill`, the lending of the watch, both observations."""
    own = (cancelled.id, f"lend_{cancelled.id}", f"order_{cancelled.id}")
    return ordered in own or (cancelled.id == "observe" and ordered.startswith("observe_"))


def reject(scene: Scene, player: str, action: str, reason: str, source: str | None = None, **more: str) -> None:
    """Tell the sender that an order is not entered, and why; {played} is what it is entered as instead.  CON-GEN-13"""
    with scene.about(source or ""):
        scene.notice(player, "order_rejected", "CON-GEN-13 CON-ACT-06", action=action, reason=reason, **more)


def named(action: Action) -> str:
    """The id by which a rejection calls an action.  CON-ACT-07"""
    return {"order_kill": "kill", "order_bribe": "bribe", "suitcase_slander": "slander", "override": "kill"}.get(
        action.id, action.id
    )
