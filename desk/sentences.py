"""An event as a sentence that a GM can read aloud: for kinds that all rulesets share one of their own, else the plain fields.

What ids mean is in each ruleset's glossary; here they are shown with blanks for underscores. `--json` gives every field as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from desk.notes import ended
from engine.events import Event

Fields = Mapping[str, Any]
_ID = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
_NAMES = frozenset(
    ("player", "players", "to", "target", "targets", "final", "actor", "by", "voter", "friend", "pair", "pairs", "caught",
     "hunter", "receiver", "victim", "text", "before", "after", "nearest", "from", "name")
)  # fmt: skip
"""Fields in which players' names or their own words stand: these are shown as they are."""


_SECRET = {"by": "by whom", "cause": "of what", "reason": "why", "final": "the count in truth"}


def told(event: Event) -> str:
    """The event in one line: who sees it, what happened, and at the end the clauses behind it."""
    return told_of(event.as_json(), event.secret)


def told_of(row: Fields, secret: Sequence[str] = ()) -> str:
    """The same of an event's facts, as `Event.as_json` gives them. `secret` are the fields that only the GM may see."""
    seen = {"public": "everyone", "private": str(row.get("to", row.get("player")))}.get(str(row["visibility"]), "GM")
    data = {key: value for key, value in row.items() if key not in ("kind", "phase", "visibility", "why")}
    same = data.get("final") == data.get("published")  # then the count in truth is the one that all see
    kept = [_SECRET.get(one, word(one)) for one in secret if data.get(one) and not (one == "final" and same)]
    note = f" Only you see this: {listed(kept)}." if kept and row["visibility"] != "gm" else ""
    clauses = f"  ({', '.join(row['why'])})" if row["why"] else ""
    return f"[{seen}] {ended(_sentence(str(row['kind']), data))}{note}{clauses}"


def _sentence(kind: str, data: Fields) -> str:
    try:
        return _SAID[kind](data)
    except KeyError:  # a kind, or a form of one, that only its ruleset knows
        return f"{word(kind)}{_rest(data)}"


def word(id_: Any) -> str:
    """An id as words."""
    return str(id_).replace("_", " ")


def listed(values: Sequence[Any]) -> str:
    """Things in a row: `Ann, Bo and Cy`."""
    words = [shown(value) for value in values]
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part) if words else "none"


def shown(value: Any, key: str = "") -> str:
    """A value of any field, for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{shown(name, 'name')} {shown(inner, key)}" for name, inner in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        inner = [f"({shown(one, key)})" if isinstance(one, (list, tuple, Mapping)) else shown(one, key) for one in value]
        return ", ".join(inner) or "none"
    if value is None or value == "":
        return "none"
    text = " ".join(part for part in re.split(r"[\x00-\x1f]+", str(value)) if part)
    return word(text) if key not in _NAMES and _ID.fullmatch(text) else text


def _rest(data: Fields, *done: str) -> str:
    """The fields that a sentence has not used, in brackets; those that hold nothing are left out."""
    left = {
        key: value for key, value in data.items()
        if key not in done and value is not None and value is not False and value not in ("", [], {})
    }  # fmt: skip
    return f" ({'; '.join(f'{word(key)}: {shown(value, key)}' for key, value in left.items())})" if left else ""


def _deed(data: Fields) -> str:
    action, targets, final = data["action"], list(data["targets"]), list(data["final"])
    on = f" on {_some(targets)}" if targets else ""
    came_to = f", which came to {_some(final)} in the end" if final != targets else ""
    role = f" as {word(data['role'])}" if data.get("role") else ""
    value = data.get("value")
    fate = word(data["fate"]) if value in (None, data["fate"], "success") else f"{word(data['fate'])}, {shown(value)}"
    why = f" ({word(data['reason'])})" if data.get("reason") else ""
    done = ("actor", "action", "group", "targets", "final", "role", "value", "fate", "reason", "spent")
    if action == "vote":
        return f"{data['actor']} voted for {_some(final)}: {fate}{why}{_rest(data, *done)}"
    return f"{data['actor']} used {word(action)}{on}{role}{came_to}: {fate}{why}{_rest(data, *done)}"


def _some(names: Sequence[Any]) -> str:
    return listed([shown(name, "name") for name in names]) if names else "nobody"


def _draw(data: Fields) -> str:
    what, _, whose = re.sub(r"[:.]", "\x1f", str(data["name"]), count=1).partition("\x1f")
    among = len(data["among"])
    of = "the only one possible" if among == 1 else f"one of {among} possible"
    return f"The dice for {word(what)}{f' ({whose})' if whose else ''} chose {shown(data['chosen'])}, {of}"


def _death(data: Fields) -> str:
    causes = [data["cause"]] if isinstance(data["cause"], str) else list(data["cause"])
    by = f", by {_some(data['by'])}" if data.get("by") else ""
    shows = data.get("reveal")
    parts = list(shows.values()) if isinstance(shows, Mapping) else [shows]
    was = f", and was {', '.join(map(shown, parts))}" if shows else ""
    more = _rest(data, "player", "cause", "by", "reveal")
    return f"{data['player']} is dead: {listed([word(one) for one in causes])}{by}{was}{more}"


def _condition(data: Fields) -> str:
    until = f", until {data['until']}" if data.get("until") else ""
    turn = "is now" if data["on"] else "is no longer"
    return f"{data['player']} {turn}: {word(data['condition'])}{until}{_rest(data, 'player', 'condition', 'on', 'until')}"


def _result(data: Fields) -> str:
    to, action, value = data["to"], word(data["action"]), data["value"]
    at = f" on {data['target']}" if data.get("target") else ""
    if value == "invalid":
        return f"{to}'s order {action}{at} does not count: {word(data.get('reason') or 'not allowed')}"
    return f"{to} learns of {action}{at}: {shown(value)}{_rest(data, 'to', 'action', 'value', 'target')}"


_MAY_NOT = {
    "dead_target": "{} is dead", "self_target": "{} is who wrote it", "no_body": "there is no body of {} to investigate",
    "no_defendant": "{} is not on trial", "not_counted": "{} can't be voted for", "other_vote": "there was no vote for {}",
}  # fmt: skip
"""Why the player named for sure may not be named there."""


def noticed(data: Fields) -> str:
    """A notice as a sentence, without the full stop."""
    topic, to, who, text = data["topic"], data["to"], data.get("player") or "somebody", data.get("text")
    near = f" (nearest: {data['nearest']})" if data.get("nearest") else ""
    match topic:
        case "unreadable" if data.get("reason") in _MAY_NOT:
            return f'"{text}" by {who} counts for nothing: {_MAY_NOT[data["reason"]].format(data["nearest"])}'
        case "unreadable":
            return f'"{text}" by {who} could not be read and counts for nothing{near}'
        case "refused":
            return f"Your command `{text}` was refused: {data.get('reason') or 'it is not allowed'}"
        case "in_spoiler":
            return f'"{text}" by {who} stands in a spoiler box'
        case "edited":
            if not data.get("after"):
                return f'{who} has taken back what a post said, "{data.get("before")}": edited out, or the post is deleted'
            return f'{who} has edited a post: "{data.get("before")}" became "{data.get("after")}"'
        case "order_rejected":
            return f"{to}'s order {word(data['action'])} is not entered: {word(data['reason'])}"
        case "role":
            return f"{to} is told the role: {word(data['role'])}{_rest(data, 'to', 'topic', 'role')}"
    told_to = "You are told" if to == "gm" else f"{to} is told"
    return f"{told_to}: {word(topic)}{_rest(data, 'to', 'topic')}"


def _announced(data: Fields) -> str:
    match data["topic"]:
        case "next_phase":
            return f"Next comes {data['label']}"
        case "regulation":
            return f"Regulation {data['number']}: {data['text']}"
        case "night_report" if "says" in data:
            said = _rest(data, "topic", "text", "number", "says")
            return f"Night report, text {data['text']}, statement {data['number']}: {word(data['says'])}{said}"
        case topic:
            return f"Announced: {word(topic)}{_rest(data, 'topic')}"


def _tally(data: Fields) -> str:
    counts, votes, final = data.get("published") or {}, data.get("votes") or {}, data.get("final")
    rows = [f"{one} {number} ({', '.join(votes.get(one, ())) or 'nobody'})" for one, number in counts.items()]
    rows += [f"{one} ({', '.join(voters)})" for one, voters in votes.items() if one not in counts]
    said = f"Votes: {', '.join(rows) or 'none'}"
    if final is not None and dict(final) != dict(counts):
        said += f"; in truth: {', '.join(f'{one} {number}' for one, number in final.items()) or 'none'}"
    silent = f"; not voting: {', '.join(data['not_voting'])}" if data.get("not_voting") else ""
    unclear = "".join(f'; not clear: {one["player"]} for "{one["text"]}"' for one in data.get("unclear", ()))
    return said + silent + unclear + _rest(data, "published", "votes", "final", "not_voting", "unclear", "posts")


def _lynch(data: Fields) -> str:
    player, reason = data["player"], word(data["reason"])
    if not player:
        return f"Nobody is executed ({reason})"
    who = _some([player] if isinstance(player, str) else player)
    return f"{who} {'is' if isinstance(player, str) else 'are'} executed ({reason}){_rest(data, 'player', 'reason')}"


def _win(data: Fields) -> str:
    winners = listed([*map(word, data["sides"]), *data["players"]])
    return f"The game is won by {winners}{_rest(data, 'sides', 'players', 'cast')}"


def _ask(data: Fields) -> str:
    answer = shown(data["answer"], "text")
    how = ", as by default" if data["answer"] == data["default"] else ""
    about = _rest(data, "question", "choices", "default", "answer", "key")
    return f"You were asked: {word(data['question'])}{about}; answer{how}: {answer}"


_SAID: Mapping[str, Callable[[Fields], str]] = {
    "deed": _deed, "draw": _draw, "death": _death, "condition": _condition, "result": _result, "notice": noticed,
    "announce": _announced, "tally": _tally, "lynch": _lynch, "win": _win, "ask": _ask,
    "record": lambda data: f"Kept for later: {word(data['what'])}{_rest(data, 'what')}",
    "spend": lambda data: f"{data['player']} has used up one {word(data['ability'])}{_rest(data, 'player', 'ability')}",
    "order": lambda data: f"{data['player']} orders: {data['text']}",
    "declared": lambda data: f"{data['player']} declares: {data['text']}",
    "vote": lambda data: f"{data['player']} votes for {data['target']}",
}  # fmt: skip
