"""The Persian mafia, played: phases, what each opens with, and how each is closed (PER-NIGHT, PER-ORDER)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.choices import Choices
from engine.game import Game, SetupRefused, nearest
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.phase import Phase
from engine.ruleset import Ruleset
from engine.state import Label, State
from rulesets.persian import commands, conduct, dawn, day, endings, orders, setup, votes
from rulesets.persian.actions import actions
from rulesets.persian.cast import PerState, roles
from rulesets.persian.posts import PersianPosts
from rulesets.persian.report import warn_of_evident_truth
from rulesets.persian.work import Town, last_night, night_follows


class Persian(Ruleset):
    """The ruleset `persian`."""

    id = "persian"
    posts = PersianPosts()

    def begin(self, game: Game) -> State:
        """The state as the first phase opens. Raises SetupRefused."""
        return setup.begin(game, self.first_label(game))

    def first_label(self, game: Game) -> Label:
        """`day 1`, or `night 1` by option, or the game's own `start` (PER-NIGHT-02)."""
        if game.start is None:
            return self._label(game.options["first_phase"], 1)
        word, _, number = " ".join(game.start.split()).rpartition(" ")
        if word not in ("day", "night") or not number.isdecimal() or int(number) < 1:
            known = ["day 1", "night 1"]
            raise SetupRefused(
                f"unknown phase `{game.start}`; a game starts with a day or a night", ("start",), nearest(game.start, known)
            )
        if word == "night" and int(number) > last_night():
            raise SetupRefused(f"there is no night after night {last_night()} (PER-NIGHT-01)", ("start",))
        return self._label(word, int(number))

    def next_label(self, state: State, closed: Label) -> Label:
        """Day, defence where one is held, night; after night 6 days follow each other (PER-NIGHT-01 -02)."""
        assert isinstance(state, PerState)
        number = closed.number
        if closed.kind == "day" and state.defendants:
            return self._label("defence", number)
        nights_first = state.game.options["first_phase"] == "night"
        if closed.kind == "night":
            return self._label("day", number if nights_first else number + 1)
        following = number + 1 if nights_first else number
        return self._label("night", following) if following <= last_night() else self._label("day", number + 1)

    def _label(self, kind: str, number: int) -> Label:
        return Label(kind, number, self.facts["phases"][kind]["word"])

    def new_phase(self, label: Label, state: State, inputs: PhaseInputs, choices: Choices) -> Town:
        """A phase that knows who is in the game as it opens, whose orders are lost, and which deaths fall due."""
        assert isinstance(state, PerState)
        town = Town(label, state, inputs, choices, present=tuple(state.present()))
        if label.kind == "night":
            town.lost_tonight = frozenset(name for name in town.present if state.has(name, "plundered"))
        if label.kind == "night" or not night_follows(town):
            for name in town.present:
                for condition, cause in (("overdosed", "overdose"), ("dying", state.delayed.get(name, "kill"))):
                    if state.has(name, condition):
                        town.due.setdefault(name, (condition, cause))
        return town

    def open(self, phase: Phase[Any]) -> None:
        """What is told at the start, and what the opening of a phase brings."""
        assert isinstance(phase, Town)
        if phase.name == phase.state.first_played:
            setup_told(phase)
        for player in phase.present:
            for condition in ("imprisoned", "possessed", "hidden"):
                phase.condition(player, condition, "PER-PRINCE-01", on=False)
            if phase.kind == "night" and phase.state.has(player, "found"):
                dawn.join(phase, player)  # PER-EXOR-04

    def arrive(self, phase: Phase[Any], order: OrderInput) -> None:
        """A private order, judged as it arrives."""
        assert isinstance(phase, Town)
        orders.arrive(phase, order)

    def command(self, phase: Phase[Any], command: CommandInput) -> None:
        """A command of the GM's."""
        assert isinstance(phase, Town)
        commands.command(phase, command, self.options)

    def close(self, phase: Phase[Any]) -> None:
        """Resolve the phase, judge the game, open what follows."""
        assert isinstance(phase, Town)
        if phase.state.defendants and phase.kind == "day":
            phase.record("defendants", "PER-VOTE-04", players=[])
        guessing = phase.state.last_guess
        over = endings.executioner_chooses(phase)
        conduct.watch(phase)
        if over:
            dawn.void(phase)
        else:
            for player in phase.removed:
                phase.doom(player, "modkill", "PER-NIGHT-10")
            (dawn.resolve if phase.kind == "night" else day.resolve)(phase)
            if phase.kind != "night":
                day.last_member(phase)
            over = endings.last_guess(phase, guessing) or endings.victory(phase)
        if phase.kind == "defence":
            phase.record("defendants", "PER-VOTE-04", players=[])
        if not over:
            phase.announce("next_phase", "PER-NIGHT-02", label=str(self.next_label(phase.state, phase.label)))

    def tally(self, phase: Phase[Any]) -> Mapping[str, Any] | None:
        """The votes so far; None in a night."""
        assert isinstance(phase, Town)
        return None if phase.kind == "night" else votes.published(phase, votes.standing(phase))

    def standing(self, phase: Phase[Any], player: str) -> list[str]:
        """The orders that stand, and the guesses sent (PER-NIGHT-07), in each language of the posts."""
        assert isinstance(phase, Town)
        own = [*phase.orders.get(player, {}).values(), *(act for act in phase.guesses if act.actor == player)]
        spoken = phase.state.option("language")
        codes = ("fa", "en") if spoken == "both" else (spoken,)
        return [" / ".join(orders.written(act, code) for code in codes) for act in own]

    def awaited(self, phase: Phase[Any], tally: Mapping[str, Any] | None) -> Mapping[str, str]:
        """Votes by day; by night the orders of those whose role has one to give."""
        assert isinstance(phase, Town)
        if phase.kind != "night":
            return super().awaited(phase, tally)
        silent = [name for name in phase.present if name not in phase.removed and not phase.orders.get(name)]
        return {name: "order" for name in silent if orders.may_order(phase, name)}

    def vote_post(self, target: str) -> str:
        """The ordinary way to vote, as a post."""
        return f"[b]{target}[/b]" if target == "unvote" else f"[b]vote: {target}[/b]"

    def check_draw(self, game: Game, name: str) -> str | None:
        """None where `name` is a draw of this ruleset, else the nearest right name."""
        return None if name in self.facts["draws"] else nearest(name, list(self.facts["draws"])) or ""

    def role_ids(self) -> list[tuple[str, str]]:
        """Every role, and its side."""
        return [(role.id, f"{role.side}, semi-minor" if role.semi_minor else role.side) for role in roles().values()]

    def order_phrases(self) -> list[tuple[str, str, str]]:
        """How private orders are written, when, and by whom (Glossary, "Orders")."""
        rows = []
        for action in actions().values():
            for phrase in action.phrases:
                shown = re.sub(r"\{player(\.\.\.)?\}", "X", phrase).replace("{role}", "R").replace("{text}", "…")
                rows.append((shown, ", ".join(action.when), ", ".join(action.roles or action.teams)))
        return [*rows, ("withdraw <action>", "any", "everybody"), ("لغو <action>", "any", "everybody")]


def setup_told(town: Town) -> None:
    """Roles, teams, the tailor's knowledge and the semi-minor roles; a guilty prosecutor learns that he is.

    PER-NIGHT-18, PER-SIDE-06, PER-TAILOR-01, PER-SEMI-01, PER-PROS-01
    """
    state = town.state
    dealt = {seat.name: str(seat.given["role"]) for seat in state.game.seats}
    for player, role in dealt.items():
        given = {"side": "guilty"} if state.side(player) == "guilty" else {}
        town.notice(player, "role", "PER-NIGHT-18 PER-PROS-01" if given else "PER-NIGHT-18", role=role, **given)
    for knowing in (
        [name for name, role in dealt.items() if roles()[role].side == "mafia"],
        [name for name, role in dealt.items() if role in ("sorcerer", "exorcist")],
        [name for name, role in dealt.items() if roles()[role].side == "killers"],
    ):
        for player in knowing if len(knowing) > 1 else []:
            town.notice(player, "team", "PER-SIDE-06", players=[name for name in knowing if name != player])
    innocents = {
        name: "innocent" if role == "devotee" else role for name, role in dealt.items() if roles()[role].side == "innocents"
    }
    for tailor in [name for name, role in dealt.items() if role == "tailor"]:
        if state.option("tailor_knows") == "roles":
            town.notice(
                tailor, "innocent_roles", "PER-TAILOR-01 PER-DEV-05", roles=sorted(innocents.values(), key=list(roles()).index)
            )
        else:
            for player, role in innocents.items():
                town.notice(tailor, "innocent_roles", "PER-TAILOR-01 PER-DEV-05", player=player, role=role)
    for player, role in dealt.items():
        if roles()[role].semi_minor:
            town.announce("introduction", "PER-SEMI-01", player=player, role=role)
    warn_of_evident_truth(town)


RULESET = Persian(Path(__file__).parent)
