"""Detective Conan, played: prep, nights and days, and what belongs to the end of each (CON-PHASE, CON-ORDER)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.choices import Choices
from engine.game import Game, SetupRefused, nearest
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.phase import Phase
from engine.ruleset import Ruleset
from engine.state import Label, State
from rulesets.conan import (
    bureau,
    choosing,
    commands,
    conduct,
    day,
    dealing,
    endings,
    inactivity,
    night,
    opening,
    orders,
    prep,
    results,
    setup,
)
from rulesets.conan.actions import actions
from rulesets.conan.cast import DISGUISERS, ConState, label_of, roles
from rulesets.conan.posts import ConanPosts
from rulesets.conan.wording import wording, written
from rulesets.conan.work import Scene


class Conan(Ruleset):
    """The ruleset `conan`."""

    id = "conan"
    votes_in_thread = False  # CON-GEN-04
    posts = ConanPosts()

    def begin(self, game: Game) -> State:
        """The state as the first phase opens. Raises SetupRefused."""
        return setup.begin(game, self.first_label(game))

    def first_label(self, game: Game) -> Label:
        """`night 1` with prep done by the set-up, or the game's own `start` (glossary, "first phase")."""
        if game.start is None:
            return Label("night", 1, "night")
        text = " ".join(str(game.start).lower().split())
        if not re.fullmatch(r"prep|(?:night|day) [1-9]\d{0,3}", text):
            known = ["prep", "night 1", "day 1"]
            raise SetupRefused(
                f"unknown phase `{game.start}`; phases are called prep, night 1, day 1", ("start",), nearest(text, known)
            )
        return self._label(text)

    def next_label(self, state: State, closed: Label) -> Label:
        """Prep, night 1, day 1, night 2, … (CON-PHASE-01)."""
        if closed.kind == "night":
            return Label("day", closed.number, "day")
        return Label("night", closed.number + 1, "night")

    def _label(self, text: str) -> Label:
        return Label("prep", 0, "prep") if text == "prep" else label_of(text)

    def new_phase(self, label: Label, state: State, inputs: PhaseInputs, choices: Choices) -> Scene:
        """A phase that knows who is alive, who is in jail and who leads as it opens (CON-HIER-09, CON-INACT-05)."""
        assert isinstance(state, ConState)
        leader = next((name for name in state.members() if state.at_work(name)), None)
        return Scene(
            label, state, inputs, choices, present=tuple(state.living()), leader=leader,
            in_jail=frozenset(name for name in state.living() if state.jailed(name)),
        )  # fmt: skip

    def open(self, phase: Phase[Any]) -> None:
        """What a phase opens with; then the GM's commands, before any order (glossary, "GM commands")."""
        assert isinstance(phase, Scene)
        opening.open_phase(phase)
        for command in phase.inputs.commands:
            with phase.about(command.id):
                commands.command(phase, command)

    def arrive(self, phase: Phase[Any], order: OrderInput) -> None:
        """A private order, judged as it arrives."""
        assert isinstance(phase, Scene)
        orders.arrive(phase, order)

    def command(self, phase: Phase[Any], command: CommandInput) -> None:
        """A command of the GM's has been carried out as the phase opened."""

    def close(self, phase: Phase[Any]) -> None:
        """Resolve the phase: the order of action, deaths, releases, missed phases, victory, what follows."""
        assert isinstance(phase, Scene)
        conduct.dead_posts(phase)
        self._votes(phase)
        choosing.choose(phase)
        self._wills(phase)
        if phase.kind == "prep":
            prep.resolve(phase)
        elif phase.kind == "night":
            night.play(phase)
            results.night(phase)
        else:
            day.resolve(phase)
        endings.deaths(phase)
        if phase.kind == "night":
            bureau.report(phase)
        self._abroad(phase)
        if phase.kind != "prep":
            endings.releases(phase)
        inactivity.close(phase)
        if (phase.kind == "prep" and phase.ended is None) or not endings.victory(phase):
            phase.announce("next_phase", "CON-PHASE-01", label=str(self.next_label(phase.state, phase.label)))
        commands.unasked(phase)

    def _votes(self, phase: Scene) -> None:
        """A scenario's votes stand for private vote orders; in a real game posts are no votes (CON-GEN-04)."""
        for post in phase.inputs.posts:
            if not post.id.startswith("post "):
                orders.arrive(phase, OrderInput(post.id, post.by, post.text, post.at))

    def _wills(self, phase: Scene) -> None:
        for act in phase.acts:
            if act.id == "will":
                phase.record("will", "CON-GEN-05", player=act.to, text=act.more.get("text", ""))
        for player, text in phase.dropped_wills.items():
            phase.record("censored", "CON-GEN-06", player=player, text=text)

    def _abroad(self, phase: Scene) -> None:
        for player in phase.state.in_seat_order(phase.abroad_now):
            if phase.state.alive(player) and not phase.state.has(player, "abroad"):
                phase.emit("condition", "gm", "CON-TRAVEL-01", player=player, condition="abroad", on=True, until=phase.name)

    def tally(self, phase: Phase[Any]) -> Mapping[str, Any] | None:
        """None: votes are private orders and are shown when the day ends (CON-VOTE-04)."""
        return None

    def secret_count(self, phase: Phase[Any]) -> Mapping[str, Any] | None:
        """The votes sent so far, for the GM's eyes (CON-VOTE-13)."""
        assert isinstance(phase, Scene)
        if phase.kind != "day":
            return None
        self._votes(phase)
        entered = [act for own in phase.entered.values() for act in own if act.id in ("vote", "abstain")]
        last = {act.to: act for act in sorted(entered, key=lambda act: act.sent)}
        votes: dict[str, list[str]] = {}
        for act in sorted(last.values(), key=lambda act: act.sent):
            if act.id == "vote" and act.target is not None:
                votes.setdefault(act.target, []).append(act.to)
        return {
            "published": {target: len(voters) for target, voters in votes.items()}, "votes": votes,
            "not_voting": [name for name in phase.present if name not in last], "unclear": [],
            "posts": {act.to: act.source for act in last.values()},
        }  # fmt: skip

    def standing(self, phase: Phase[Any], player: str) -> list[str]:
        """The orders entered that no later one of the same ability has replaced, as they were read (CON-GEN-07 -11)."""
        assert isinstance(phase, Scene)
        entered = choosing.last_sent(phase, sorted(phase.entered.get(player, []), key=lambda act: act.sent))
        return [written(act) for act in entered if act.id != "cover"]  # a Cover is told with what is covered

    def vote_post(self, target: str) -> str:
        """The ordinary way to vote: a private order."""
        return "abstain" if target in ("unvote", "abstain", "no vote") else f"vote {target}"

    def awaited(self, phase: Phase[Any], tally: Mapping[str, Any] | None) -> Mapping[str, str]:
        """Who has sent nothing in this phase and is counted: in prep only whoever has something to choose.  CON-INACT-01 -19"""
        assert isinstance(phase, Scene)
        state, word = phase.state, "vote" if phase.kind == "day" else "order"
        idle = {name for name in phase.present if phase.kind == "prep" and not _chooses(state.role_of[name])}
        by_hand = {post.by for post in phase.inputs.posts if not post.id.startswith("post ")}
        waived = idle | by_hand | phase.spoken | phase.excused | state.inactive.keys()
        return {name: word for name in phase.present if name not in waived and state.free(name)}

    def role_ids(self) -> list[tuple[str, str]]:
        """Every role, and its side and group."""
        return [(role.id, role.side if role.side == role.group else f"{role.side}, {role.group}") for role in roles().values()]

    def warnings(self, game: Game) -> list[str]:
        """A deal outside `bo_share`, one without the BO, and roles that lack what they live on.  CON-GEN-02"""
        return setup.warnings(setup.begin(game, self.first_label(game)))

    def check_option(self, name: str, value: Any) -> None:
        """As every option, but the BO's rank may be a list of its roles, and its share is a pair.  CON-HIER-06, CON-GEN-02"""
        members: list[str] = self.facts["hierarchy"]
        if name == "bo_share" and setup.shares(value) is None:
            raise SetupRefused("`bo_share` is the least and the greatest share of the BO, as in [0.25, 0.34]", ("options", name))
        if name != "bo_hierarchy" or not isinstance(value, list):
            super().check_option(name, value)
        elif (wrong := next((role for role in value if role not in members), None)) is not None:
            raise SetupRefused(f"`{wrong}` is no role of the Black Organization", ("options", name), nearest(wrong, members))

    def deck(self, players: int, held: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Sequence[str]]:
        """Roles that may be in one game with those given by hand, with so many of the BO as without those.  CON-ROLE-23"""
        return {"role": dealing.offered(players, held)}

    def deal(
        self, seats: Sequence[str], deck: Mapping[str, Sequence[str]], held: Mapping[str, Mapping[str, Any]],
        options: Mapping[str, Any], seed: str,
    ) -> Mapping[str, Mapping[str, str]]:  # fmt: skip
        """Roles that may be in one game, the BO's share of them.  CON-GEN-02, CON-ROLE-23"""
        return dealing.deal(seats, deck, held, options, seed)

    def drawn(self, game: Game) -> Mapping[str, Any]:
        """Friend and lovers, unless prep is played, in which they are chosen.  CON-BEFRIEND-05, CON-AMOR-05"""
        first = self.first_label(game)
        return {} if first.kind == "prep" else dealing.drawn(setup.begin(game, first))

    def check_draw(self, game: Game, name: str) -> str | None:
        """None where `name` is a draw of this game, else the nearest right name."""
        known = [draw.replace("<player>", player) for draw in self.facts["draws"] for player in game.names]
        return None if name in known else nearest(name, known) or ""

    def order_phrases(self) -> list[tuple[str, str, str]]:
        """How private orders are written, when, and by whom (Glossary, "Actions")."""
        rows = []
        for action in actions().values():
            for phrase in action.phrases[:1] if not action.only and action.id != "order_other" else ():  # that is always refused
                who = wording()["holders"][action.open] if action.open else _holders(action.ability)
                rows.append((orders.shown(phrase) or phrase, ", ".join(action.when), who))
        return [*rows, ("cancel <action>", "any", "everybody")]


def _chooses(role: str) -> bool:
    """Whether a role has something to choose in prep."""
    return role not in DISGUISERS and bool(roles()[role].sheet["prep"])


def _holders(word: str) -> str:
    found = [
        role.id for role in roles().values()
        if any(word in {ability.word for one in group for ability in one} for sheet in role.sheet.values() for group in sheet)
    ]  # fmt: skip
    return ", ".join(found)


RULESET = Conan(Path(__file__).parent)
