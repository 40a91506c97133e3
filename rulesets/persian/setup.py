"""The state as the first phase opens: roles, and what the set-up says of the time before (Glossary, "Setup keys")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from engine.game import Game, SetupRefused, nearest
from engine.state import Label
from parser.names import Found
from rulesets.persian.actions import actions
from rulesets.persian.cast import PerState, facts, roles
from rulesets.persian.orders import role_called
from rulesets.persian.work import last_night

Path = tuple[str | int, ...]


def begin(game: Game, first: Label) -> PerState:
    """The state as `first` opens. Raises SetupRefused (PER-INFIL-13, PER-ORDER-15, PER-REPORT-04)."""
    check_options(game.options)
    state = PerState(game)
    for seat in game.seats:
        path = ("players", seat.name, "role") if len(seat.given) > 1 else ("players", seat.name)
        role = str(seat.given["role"])
        if role not in roles():
            raise SetupRefused(f"{seat.name}: unknown role `{role}`", path, _nearest_role(role))
        for word in seat.given:
            if word not in ("role", "side"):
                known = ["role", "side", "aliases"]
                raise SetupRefused(f"{seat.name}: unknown key `{word}`", (*path[:2], word), nearest(word, known))
        if "side" in seat.given:
            state.side_given[seat.name] = _prosecutor(str(seat.given["side"]), role, ("players", seat.name, "side"))
        state.role_of[seat.name] = role
    _numbers(state)
    nights_first = game.options["first_phase"] == "night"
    nights = first.number - (0 if first.kind == "day" and nights_first else 1)
    days = first.number - (0 if first.kind == "night" and not nights_first else 1)
    state.begun.update(day=days, night=nights, defence=0)
    for key, value in game.setup.items():
        _SETUP[key](state, value, ("setup", key))
    state.guessed_sorcerer.update(
        name for name, row in game.setup.get("quotas", {}).items() if "cult_kill" in row and state.has(name, "joined")
    )
    state.first_played = str(first)
    _already_over(state)
    for side in ("mafia", "cult"):
        if (holder := state.holder(side)) is not None:
            state.holders[side] = holder
    return state


def _already_over(state: PerState) -> None:
    """What the phases before the start have ended; and the executioner who is among the last three as the game opens.

    PER-INFIL-08, PER-SEMI-03, PER-FUG-05, PER-FISH-01, PER-SHER-03, PER-JOKER-03, PER-EXEC-09
    """
    nights_over = state.begun["night"] >= last_night()
    if nights_over:
        for player in state.with_role("infiltrator"):
            state.conditions[player].discard("found")
            state.conditions[player].add("joined")
    for player in state.present():
        role = state.role(player)
        if nights_over and (role == "fugitive" or (role == "fisher" and state.forecast(player, "right") >= 3)):
            state.personal.append(player)
        if role == "joker" and state.begun["day"] > last_night():
            state.lost.add(player)
        if state.semi_minor(player) and (nights_over or (role == "sheriff" and state.begun["day"] >= last_night())):
            state.conditions[player].add("left_game")
            state.publicly_gone.add(player)
    if len(state.counted()) == 3:
        state.choosing = next(iter(state.with_role("executioner")), None)


def check_options(options: Mapping[str, Any]) -> None:
    """Options that hang together. Raises SetupRefused (PER-ORDER-15, PER-REPORT-04 -24)."""
    order, counts = options["action_order"], options["false_counts"]
    if not all(type(one) is int for one in order) or sorted(order) != list(range(1, 9)):
        raise SetupRefused("`action_order` lists the steps 1 to 8, each once (PER-ORDER-15)", ("options", "action_order"))
    if len(counts) != 3 or not all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in counts):
        told = "`false_counts` are three numbers above 0, e.g. [1, 2, 3] (PER-REPORT-04)"
        raise SetupRefused(told, ("options", "false_counts"))
    if options["statements_per_text"] < max(counts):
        raise SetupRefused(
            f"`statements_per_text` is at least the largest of `false_counts`, {max(counts)} (PER-REPORT-24)",
            ("options", "statements_per_text"),
        )
    if "devotee" in options["report_roles"]:
        number = list(options["report_roles"]).index("devotee")
        told = "no text of the report names a `devotee`: leave it out of `report_roles` (PER-REPORT-13)"
        raise SetupRefused(told, ("options", "report_roles", number), "innocent")
    for key in ("gm_leave_roles", "report_roles"):
        for number, role in enumerate(options[key]):
            if not isinstance(role, str) or role not in roles():
                raise SetupRefused(f"unknown role `{role}`", ("options", key, number), _nearest_role(role))


def _numbers(state: PerState) -> None:
    held = Counter(state.role_of.values())
    if held["infiltrator"] > 2:
        raise SetupRefused("there are at most two infiltrators in a game (PER-INFIL-13)", ("players",))
    for role in facts()["unique"]:
        if held[role] > 1:
            raise SetupRefused(f"there is one {role} in a game at most (PER-INFIL-13)", ("players",))


def _prosecutor(side: str, role: str, path: Path) -> str:
    if role != "public_prosecutor":
        raise SetupRefused("only a public prosecutor has a `side` of his own (PER-PROS-01)", path)
    if side not in ("innocents", "guilty"):
        raise SetupRefused(f"`side` is innocents or guilty, not `{side}`", path, nearest(side, ["innocents", "guilty"]))
    return side


def _player(state: PerState, name: object, path: Path) -> str:
    if str(name) not in state.role_of:
        raise SetupRefused(f"unknown player `{name}`", path, nearest(name, list(state.role_of)))
    return str(name)


def _row(given: Any, path: Path, known: Iterable[str]) -> Mapping[str, Any]:
    """A map whose keys are among the known ones."""
    words = list(known)
    if not isinstance(given, Mapping):
        raise SetupRefused(f"`{path[-1]}` is a map of {', '.join(words[:4])}{' …' if len(words) > 4 else ''}", path)
    for word in given:
        if word not in words:
            raise SetupRefused(f"unknown key `{word}`", (*path, str(word)), nearest(word, words))
    return given


def _map(state: PerState, given: Any, path: Path) -> Iterable[tuple[str, Any]]:
    if not isinstance(given, Mapping):
        raise SetupRefused(f"`{path[-1]}` maps players to values", path)
    return [(_player(state, name, (*path, str(name))), value) for name, value in given.items()]


def _names(state: PerState, given: Any, path: Path) -> list[str]:
    listed = given if isinstance(given, list) else [given]
    return [_player(state, name, (*path, number)) for number, name in enumerate(listed)]


def _number(given: Any, path: Path) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise SetupRefused(f"`{path[-1]}` is a whole number, not `{given}`", path)
    return given


def _role(given: Any, path: Path) -> str:
    if str(given) not in roles():
        raise SetupRefused(f"unknown role `{given}`", path, _nearest_role(given))
    return str(given)


def _nearest_role(given: Any) -> str | None:
    """The id of a role that is called by its Persian or English name, else the nearest id."""
    called = role_called(str(given))
    return called.name if isinstance(called, Found) else nearest(given, list(roles()))


def _of_role(state: PerState, name: str, able: Iterable[str], path: Path) -> None:
    """Refuse what is said of a player whose role, as dealt, has no use for it; `path` ends with what is said."""
    dealt = {seat.name: str(seat.given["role"]) for seat in state.game.seats}
    if dealt[name] in able:
        return
    fit = [other for other, role in dealt.items() if role in able]
    raise SetupRefused(
        f"`{path[-1] if path[-1] != name else path[-2]}` is for {' or '.join(able)}, and {name} is {dealt[name]}",
        path, nearest(name, fit) or next(iter(fit), None),
    )  # fmt: skip


def _quotas(state: PerState, given: Any, path: Path) -> None:
    for name, row in _map(state, given, path):
        for action, left in _row(row, (*path, name), actions()).items():
            _number(left, (*path, name, action))
            if not actions()[action].office:
                _of_role(state, name, actions()[action].roles, (*path, name, action))


def _deputies(state: PerState, given: Any, path: Path) -> None:
    for side, names in _row(given, path, ["mafia"]).items():
        _names(state, names, (*path, side))


def _conditions(state: PerState, given: Any, path: Path) -> None:
    for name, listed in _map(state, given, path):
        for condition in listed if isinstance(listed, list) else [listed]:
            if str(condition) not in facts()["conditions"]:
                known = list(facts()["conditions"])
                raise SetupRefused(f"unknown condition `{condition}`", (*path, name), nearest(condition, known))
            role = facts()["condition_of"].get(condition)
            if role is not None and state.role(name) != role:
                raise SetupRefused(f"{name} cannot be `{condition}`; only this role can: {role}", (*path, name))
            state.conditions[name].add(condition)
            if condition == "plain":
                state.role_of[name] = "innocent"
            elif condition == "dead":
                state.conditions[name].discard("alive")
                state.publicly_gone.add(name)
            elif condition == "left_game":
                state.publicly_gone.add(name)
            elif condition in ("infected", "poisoned"):
                state.first_marks[name] = "psychopath" if "infected" in state.conditions[name] else "poisoner"


def _marked_first(state: PerState, given: Any, path: Path) -> None:
    for name, role in _map(state, given, path):
        if role not in ("psychopath", "poisoner"):
            raise SetupRefused(f"`{role}` marks nobody: psychopath or poisoner", (*path, name))
        state.first_marks[name] = role


def _dead(state: PerState, given: Any, path: Path) -> None:
    for name, role in _map(state, given, path):
        state.conditions[name].discard("alive")
        state.conditions[name].add("dead")
        state.publicly_gone.add(name)
        state.shown[name] = _role(role, (*path, name))


def _counts(of: Callable[[PerState], Counter[str]]) -> Callable[[PerState, Any, Path], None]:
    def take(state: PerState, given: Any, path: Path) -> None:
        for name, number in _map(state, given, path):
            of(state)[name] = _number(number, (*path, name))

    return take


def _wrong_guesses(state: PerState, given: Any, path: Path) -> None:
    for side, number in _row(given, path, ("mafia", "cult", "killers")).items():
        state.wrong_guesses[side] = _number(number, (*path, side))


def _forecasts(state: PerState, given: Any, path: Path) -> None:
    for name, what in _map(state, given, path):
        _of_role(state, name, ("executioner", "fisher"), (*path, name))
        row = _row(what, (*path, name), ("right", "wrong"))
        state.forecasts[name] = Counter({word: _number(row.get(word, 0), (*path, name, word)) for word in ("right", "wrong")})


def _traps(state: PerState, given: Any, path: Path) -> None:
    for name, what in _map(state, given, path):
        _of_role(state, name, ("hunter",), (*path, name))
        row = _row(what, (*path, name), ("successful", "targets", "caught"))
        state.trap_successes[name] = _number(row.get("successful", 0), (*path, name, "successful"))
        state.targets.setdefault((name, "trap"), []).extend(_names(state, row.get("targets", []), (*path, name, "targets")))
        state.caught[name] = _names(state, row.get("caught", []), (*path, name, "caught"))


def _hides(state: PerState, given: Any, path: Path) -> None:
    for name, what in _map(state, given, path):
        _of_role(state, name, ("fugitive",), (*path, name))
        row = _row(what, (*path, name), ("failed", "last"))
        state.unsheltered[name] = _number(row.get("failed", 0), (*path, name, "failed"))
        known = ["hidden", "not_hidden"]
        if row.get("last", "hidden") not in known:
            told = f"`last` is hidden or not_hidden, not `{row['last']}`"
            raise SetupRefused(told, (*path, name, "last"), nearest(str(row["last"]), known))
        if "last" in row:
            state.last_shelter[name] = row["last"] == "hidden"


def _symbolic(state: PerState, given: Any, path: Path) -> None:
    for name, names in _map(state, given, path):
        _of_role(state, name, ("sheriff",), (*path, name))
        state.symbolic[name] = _names(state, names, (*path, name))


def _identified(state: PerState, given: Any, path: Path) -> None:
    for name, names in _map(state, given, path):
        _of_role(state, name, ("police",), (*path, name))
        night = state.begun["night"]
        state.identified[name] = dict.fromkeys(_names(state, names, (*path, name)), night)


def _past_targets(state: PerState, given: Any, path: Path) -> None:
    for name, names in _map(state, given, path):
        for action in actions().values():
            if set(action.roles) & {state.role(name)}:
                state.targets.setdefault((name, action.id), []).extend(_names(state, names, (*path, name)))


def _successful_kills(state: PerState, given: Any, path: Path) -> None:
    state.killers_successes = _number(given, path)


def _clothed_kills(state: PerState, given: Any, path: Path) -> None:
    state.clothed_kills = _number(given, path)


def _executions(state: PerState, given: Any, path: Path) -> None:
    state.executions = _number(given, path)


def _prosecutor_side(state: PerState, given: Any, path: Path) -> None:
    side = _prosecutor(str(given), "public_prosecutor", path)
    for name, role in state.role_of.items():
        if role == "public_prosecutor":
            state.side_given.setdefault(name, side)


_SETUP: Mapping[str, Callable[[PerState, Any, Path], None]] = {
    "quotas": _quotas, "deputies": _deputies, "conditions": _conditions, "marked_first": _marked_first, "dead": _dead,
    "executions": _executions, "votes_received": _counts(lambda state: state.votes_received), "forecasts": _forecasts,
    "wrong_guesses": _wrong_guesses, "traps": _traps, "hides": _hides, "symbolic_votes": _symbolic,
    "ward_hits": _counts(lambda state: state.ward_hits), "identified": _identified, "past_targets": _past_targets,
    "plunder_hits": _counts(lambda state: state.plunder_hits), "successful_kills": _successful_kills,
    "clothed_kills": _clothed_kills, "prosecutor_side": _prosecutor_side,
}  # fmt: skip
