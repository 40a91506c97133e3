"""Private orders, judged as they arrive (PER-NIGHT-05 to -17, Glossary)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from engine.inputs import OrderInput
from parser.names import Ambiguous, Found, Person, Roster, Unknown
from parser.normal import key
from parser.orders import AmbiguousOrder, Reading, ReadOrder, UnreadableOrder
from parser.votelines import vote_lines
from rulesets.persian.actions import Action, actions, language, of_roles, wording
from rulesets.persian.cast import facts, roles
from rulesets.persian.work import Act, Town, last_night, night_follows

_MYSELF = frozenset(map(key, ("myself", "me", "self", "خودم", "خود", "من")))


def roster_of(town: Town) -> Roster:
    """The names by which the players are known; dead is who is known to be: reading tells nothing else (PER-REPORT-23)."""
    state = town.state
    if town.roster is None or town.roster[0] != len(state.publicly_gone):
        people = tuple(Person(seat.name, seat.aliases, seat.name not in state.publicly_gone) for seat in state.game.seats)
        town.roster = (len(state.publicly_gone), _roster(people))
    return town.roster[1]


@lru_cache(maxsize=64)
def _roster(people: tuple[Person, ...]) -> Roster:
    return Roster(people)


@cache
def _role_words() -> Mapping[str, str]:
    words = {key(word): role.id for role in roles().values() for word in (role.id, role.english, role.persian)}
    english, persian = (wording()["of_side"][code] for code in ("en", "fa"))
    for role in roles().values():  # the full role: «بی‌گناه و رویین‌تن» (PER-TAILOR-07)
        words[key(f"{english[role.side]} and {role.english}")] = words[key(f"{persian[role.side]} و {role.persian}")] = role.id
    return words | {key("plain innocent"): "innocent", key("بی‌گناه"): "innocent", key("بی‌نقش"): "innocent"}


def role_called(text: str) -> Found | Unknown:
    """The role of that id, English or Persian name."""
    word, words = key(text), _role_words()
    bare = (word, *(word.removeprefix(article) for article in ("the", "an", "a")))
    found = next((words[one] for one in bare if one in words), None)
    return Found(found, "role") if found else Unknown()


def arrive(town: Town, order: OrderInput) -> None:
    """A message arrives: each order in it is taken, refused with its reason, or shown to the GM as unreadable."""
    state, player = town.state, order.by
    if not _may_write(town, player):
        return
    for reading in _readings(roster_of(town), player, of_roles(*state.abilities(player)), order.text):
        match reading:
            case ReadOrder(id_, values):
                _take(town, order, id_.split(), values)
            case AmbiguousOrder(text, _, candidates):
                _unreadable(town, player, text, " / ".join(candidates))
            case UnreadableOrder(text, _, nearest):
                _unreadable(town, player, text, nearest)


@lru_cache(maxsize=4096)
def _readings(roster: Roster, player: str, own: tuple[str, ...], text: str) -> tuple[Reading, ...]:
    """Everything a message orders, in order. It is remembered: each tick and each preview reads the phase's messages again."""

    def named(written: str) -> Found | Ambiguous | Unknown:
        return Found(player, "name") if key(written) in _MYSELF else roster.match(written)

    slots = {"player": named, "role": role_called, "text": lambda written: Found(written, "text")}
    return tuple(language(*own).message(text, slots, names=roster.spelled))


def _may_write(town: Town, player: str) -> bool:
    """A dead player's orders are void, but for the mafia's last guess (PER-NIGHT-10, PER-GUESS-12)."""
    return (player in town.present and player not in town.removed) or town.state.last_guess == player


def _unreadable(town: Town, player: str, text: str, nearest: str | None) -> None:
    shown = nearest and nearest.replace("{player...}", "X").replace("{player}", "X").replace("{role}", "R")
    town.notice("gm", "unreadable", "PER-VOTE-08", player=player, text=text, nearest=shown)


def _take(town: Town, order: OrderInput, id_: list[str], values: tuple[str, ...]) -> None:
    player = order.by
    if id_[0] == "withdraw":
        _withdraw(town, player, actions()[id_[1]])
        return
    action, slots = actions()[id_[0]], id_[1:]
    role = next((value for slot, value in zip(slots, values, strict=False) if slot == "role"), None)
    cited = "text" in slots
    others = len(values) - len(slots) + 1
    if "player" in slots:
        start = slots.index("player")
        targets = values[start : start + others]
    else:
        targets = ()
    act = Act(player, action, tuple(dict.fromkeys(targets)), town.sent(player, order.at), order.id, role)
    act.about = _day_meant(town, action, order) if action.forecast else None
    act.keeps_quota = action.office is not None and town.state.holder(action.office) != player
    reason = _why_not(town, act, cited)
    if reason is not None:
        more: dict[str, Any] = {"target": targets[0]} if targets else {}
        town.result(player, action.id, "invalid", _WHY.get(reason, "PER-NIGHT-05"), reason=reason, **more)
    elif action.id == "guess":
        town.guesses.append(act)
    else:
        own = town.orders.setdefault(player, {})
        own.pop(action.family, None)
        own[action.family] = act


def _withdraw(town: Town, player: str, action: Action) -> None:
    if action.id == "guess":
        town.guesses = [act for act in town.guesses if act.actor != player]
        return
    own = town.orders.get(player, {})
    if action.family in own:
        del own[action.family]  # the one that stands of those that are one action (PER-NIGHT-07)
    elif (player, action.id) in town.state.kept:
        town.record("withdrawn", "PER-NIGHT-07", player=player, action=action.id)


_WHY = {
    "wrong_phase": "PER-NIGHT-03", "too_late": "PER-NIGHT-06", "dead_target": "PER-NIGHT-10", "self_target": "PER-NIGHT-11",
    "cannot_wear": "PER-TAILOR-07", "consecutive_night": "PER-MAGI-02", "partner_alive": "PER-KILL-23",
    "not_guessable": "PER-GUESS-09", "not_identified": "PER-POL-07 PER-PROS-05",
}  # fmt: skip


def _why_not(town: Town, act: Act, cited: bool) -> str | None:
    """The first reason why an order may not be given, in the order of the glossary; None where it may."""
    reasons = set(_reasons(town, act, cited))
    return next((reason for reason in ORDER_OF_REASONS if reason in reasons), None)


ORDER_OF_REASONS = (
    "not_yours", "no_uses", "wrong_phase", "too_late", "dead_target", "self_target", "repeat_target", "consecutive_night",
    "same_team", "not_identified", "partner_alive", "partner_dead", "cannot_wear", "not_guessable", "no_such_target",
)  # fmt: skip


def _reasons(town: Town, act: Act, cited: bool) -> Iterator[str]:
    state, player, action = town.state, act.actor, act.action
    if action.id == "guess" and state.last_guess == player:
        yield from _last_guess(town, act)
        return
    if not town.may(player, action) or player not in town.present:
        yield "not_yours"
        return
    left = town.left(player, action)
    if left == 0 or _spent(town, act):
        yield "no_uses"
    if town.kind not in _phases(town, act):
        yield "wrong_phase"
    if action.forecast and act.about is None:
        yield "too_late"
    if any(target not in town.present or target in town.removed for target in act.targets):
        yield "dead_target"
    if player in act.targets and not action.self:
        yield "self_target"
    yield from _RULES.get(action.id, _nothing)(town, act)
    if action.id == "guess":
        yield from _guess(town, act, cited)


def _phases(town: Town, act: Act) -> tuple[str, ...]:
    """The kinds of phase in which it may be given; magic ends with day 6 (PER-SORC-11)."""
    state, action = town.state, act.action
    if action.only:
        return tuple(when for role, when in action.only.items() if role in state.abilities(act.actor))
    if action.id == "bewitch" and (act.about or town.number) > last_night():
        return ()
    if action.id == "execute":
        return action.when if state.choosing == act.actor else ()
    return action.when


def _day_meant(town: Town, action: Action, order: OrderInput) -> int | None:
    """The day a forecast is about; None where it comes too late, its day having begun.  PER-NIGHT-06"""
    following = town.number + 1
    if town.kind == "night":
        return town.number if town.state.game.options["first_phase"] == "night" else following
    begins = town.inputs.begins
    if town.kind == "day" and (order.at is None or begins is None or order.at <= begins):
        return town.number
    if town.kind == "day" and action.id == "swap" and not _has_been_voted(town, order):
        return town.number
    return None if night_follows(town) else following  # the phase before the next day, where no night lies between


def _has_been_voted(town: Town, order: OrderInput) -> bool:
    """Whether the first vote of the day was posted before that order."""
    before = [post for post in town.inputs.posts if post.at is not None and order.at is not None and post.at < order.at]
    voters = [post for post in before if post.by in town.present and not town.state.semi_minor(post.by)]
    return any(line.kind == "vote" for post in voters for line in vote_lines(post.text))


def _spent(town: Town, act: Act) -> bool:
    """Abilities that are gone for another reason than their number."""
    state, player = town.state, act.actor
    if act.id == "guess":
        side = state.side(player)
        return state.wrong_guesses[side] >= (3 if side == "mafia" else 1)
    if act.id in ("infect", "stab"):
        return state.uses[player, "stab"] > 0  # PER-PSY-08
    if act.id == "disguise":
        return state.uses[player, "swap"] > 0  # PER-PSY-05
    if act.id == "bewitch":
        return town.left(player, actions()["recruit"]) == 0  # PER-SORC-09
    if act.id == "cult_kill":
        guessed = any(deed.actor == player and deed.action == "find_sorcerer" and deed.fate == "right" for deed in state.deeds)
        return not guessed and player not in state.guessed_sorcerer
    if act.id == "prince_poison":
        return town.left(player, actions()["imprison"]) == 0  # PER-PRINCE-13
    return False


def _nothing(town: Town, act: Act) -> Iterator[str]:
    return iter(())


def _same_team(side: str, *, joined: bool = False) -> Any:
    def rule(town: Town, act: Act) -> Iterator[str]:
        state = town.state
        if any(state.side(target) == side and (side != "cult" or target in state.team("cult")) for target in act.targets):
            yield "same_team"

    return rule


def _clothes(town: Town, act: Act) -> Iterator[str]:
    if act.role in facts()["no_clothes"]:
        yield "cannot_wear"
    if act.id == "special_dress" and act.target is not None and town.state.side(act.target) != "mafia":
        yield "no_such_target"


def _cast(town: Town, act: Act) -> Iterator[str]:
    if act.target is not None and town.state.side(act.target) != "mafia":
        yield "no_such_target"


def _attack(town: Town, act: Act) -> Iterator[str]:
    state = town.state
    if any(state.role(target) in ("psychopath", "poisoner") and state.side(target) == "killers" for target in act.targets):
        yield "same_team"  # PER-KILL-22
    if act.id == "stab" and state.with_role("poisoner"):
        yield "partner_alive"
    if act.id == "overdose" and state.with_role("psychopath"):
        yield "partner_alive"


def _conjure(town: Town, act: Act) -> Iterator[str]:
    tried = {deed.phase for deed in town.state.deeds if deed.actor == act.actor and deed.action == "conjure"}
    if f"night {town.number - 1}" in tried:
        yield "consecutive_night"


def _rescue(town: Town, act: Act) -> Iterator[str]:
    if act.target in town.state.targets.get((act.actor, "rescue"), []):
        yield "repeat_target"
    if act.target == act.actor and not town.state.option("surgeon_self"):
        yield "self_target"


def _protect(town: Town, act: Act) -> Iterator[str]:
    before = town.state.targets.get((act.actor, "protect"), [])
    if any(before.count(target) >= 2 for target in act.targets):
        yield "repeat_target"
    if len(act.targets) > 2 or (len(act.targets) == 2 and act.actor not in act.targets):
        yield "no_such_target"  # PER-DOC-07


def _once_a_target(town: Town, act: Act) -> Iterator[str]:
    if act.target in town.state.targets.get((act.actor, act.id), []):
        yield "repeat_target"


def _shoot(town: Town, act: Act) -> Iterator[str]:
    if "police" not in town.state.abilities(act.actor):
        return
    night = town.state.identified.get(act.actor, {}).get(act.target or "")
    window = town.state.option("police_shot_window")
    if night is None or (window == "next_night" and night != town.number - 1):
        yield "not_identified"


def _forecast(town: Town, act: Act) -> Iterator[str]:
    early = town.state.role(act.actor) == "executioner" and (act.about or town.number) <= 3
    if len(act.targets) > (town.state.option("early_forecasts") if early else 1):
        yield "no_such_target"


def _accuse(town: Town, act: Act) -> Iterator[str]:
    if len(act.targets) != 3 or any(town.state.semi_minor(target) for target in act.targets):
        yield "no_such_target"


def _send(town: Town, act: Act) -> Iterator[str]:
    accused = town.orders.get(act.actor, {}).get("accuse")
    if accused is None or act.target not in accused.targets:
        yield "not_identified"


def _guess(town: Town, act: Act, cited: bool) -> Iterator[str]:
    state, target = town.state, act.target
    side = state.side(act.actor)
    if target is not None and target in state.team(side):
        yield "same_team"
    if target is not None and (state.semi_minor(target) or target in state.shown):
        yield "not_guessable"
    if state.option("guess_citation") == "required" and not cited:
        yield "no_such_target"


def _execute(town: Town, act: Act) -> Iterator[str]:
    """One of the two others among the last three.  PER-EXEC-09"""
    if act.target is not None and town.state.semi_minor(act.target):
        yield "no_such_target"


def _find_sorcerer(town: Town, act: Act) -> Iterator[str]:
    """Whoever has joined in another way has no ability.  PER-INFIL-03"""
    if town.state.has(act.actor, "joined"):
        yield "no_uses"


def _last_guess(town: Town, act: Act) -> Iterator[str]:
    if act.target not in town.present:
        yield "dead_target"
    elif town.state.semi_minor(act.target):
        yield "not_guessable"


_RULES = {
    "kill": _same_team("mafia"), "imprison": _same_team("mafia"), "prince_poison": _same_team("mafia"),
    "blast": _same_team("mafia"), "yakuza_recruit": _same_team("mafia"), "recruit": _same_team("cult"),
    "possess": _same_team("cult"), "cult_kill": _same_team("cult"), "dress": _clothes, "special_dress": _clothes, "cast": _cast,
    "infect": _attack, "stab": _attack, "poison": _attack, "stage": _attack, "overdose": _attack, "conjure": _conjure,
    "rescue": _rescue, "protect": _protect, "trap": _once_a_target, "guard": _once_a_target, "shoot": _shoot,
    "forecast": _forecast, "accuse": _accuse, "send": _send, "execute": _execute, "find_sorcerer": _find_sorcerer,
}  # fmt: skip


def may_order(town: Town, player: str) -> bool:
    """Whether `player` has an order of a role to give tonight. Who lost the feature unknowingly is asked like the others."""
    own = [action for action in actions().values() if action.roles and not action.forecast and town.may(player, action)]
    open_ = [action for action in own if town.kind in _phases(town, Act(player, action, (), (False, 0.0, 0, 0), None))]
    return any(town.left(player, action) != 0 for action in open_)


def legal_orders(town: Town, player: str) -> list[str]:
    """Orders that `player` may give now, as they would be written: one for each target, role by role where one is named."""
    found = []
    if not _may_write(town, player):
        return []
    for action in actions().values():
        if not town.may(player, action) or action.id in ("accuse", "send"):
            continue
        phrase = action.phrases[0]
        slots = [slot for slot in ("{player...}", "{player}", "{role}") if slot in phrase]
        for target in town.present if "{player}" in slots or "{player...}" in slots else [None]:
            for role in list(roles()) if "{role}" in slots else [None]:
                targets = (target,) if target else ()
                act = Act(player, action, targets, (False, 0.0, 0, 0), None, role)
                act.about = _day_meant(town, action, OrderInput("", player, "")) if action.forecast else None
                if _why_not(town, act, True) is None:
                    filled = {"{player...}": target or "", "{player}": target or "", "{role}": role or "", "{text}": "of a post"}
                    text = phrase
                    for slot, value in filled.items():
                        text = text.replace(slot, value)
                    found.append(text)
    return found


def written(act: Act, code: str) -> str:
    """An order as the rules would write it in that language, `fa` or `en`.  PER-TEXT-01"""
    english = code == "en"
    phrase = next((one for one in act.action.phrases if one.isascii() == english and "{text}" not in one), act.action.phrases[0])
    named = (" and " if english else " و ").join(act.targets)
    role = "" if act.role is None else act.role if english else roles()[act.role].persian
    return phrase.replace("{player...}", named).replace("{player}", named).replace("{role}", role)
