"""Danganronpa, played: the phases, and the order of action of each (DAN-PHASE, DAN-TAL-09)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.choices import Choices
from engine.game import Game, SetupRefused, nearest
from engine.inputs import CommandInput, OrderInput, PhaseInputs
from engine.phase import Phase
from engine.ruleset import Ruleset
from engine.state import Label, State
from parser.normal import key
from rulesets.danganronpa import cast, effects, endings, hangouts, investigation, monokuma, orders, reading, vote
from rulesets.danganronpa.posts import DanganronpaPosts
from rulesets.danganronpa.talents import starter_talents
from rulesets.danganronpa.work import School

Step = Callable[[School], None]

EFFECTS: list[Step] = [effects.cancels, effects.redirects, effects.blocks, investigation.block_disrupted, effects.protections]
OUTCOMES: list[Step] = [endings.murders, endings.blackenings, endings.record, endings.deaths_and_revivals]
TOLD: list[Step] = [endings.learning, endings.tracing]

ORDER_OF_ACTION: dict[str, list[Step]] = {
    "trial": [*EFFECTS, vote.trial, *OUTCOMES, *TOLD],
    "daily_life": [*EFFECTS, *OUTCOMES, *TOLD],
    "deadly_life": [investigation.disrupted, *EFFECTS, investigation.investigate, *OUTCOMES, *TOLD],
}
"""The steps of each kind of phase, in order (DAN-TAL-09)."""


class Danganronpa(Ruleset):
    """The ruleset `danganronpa`."""

    id = "danganronpa"
    posts = DanganronpaPosts()

    def begin(self, game: Game) -> State:
        """The state as the first phase opens. Raises SetupRefused."""
        regulations = self.facts["regulations"]
        return cast.begin(game, self.first_label(game), regulations["defaults"], regulations["first"])

    def first_label(self, game: Game) -> Label:
        """`trial 1`, or `daily life 1` by option, or the game's own `start` (DAN-PHASE-03, -12)."""
        if game.start is None:
            return self._label(game.options["first_phase"], 1)
        word, _, number = " ".join(game.start.split()).rpartition(" ")
        kinds = {row["word"]: kind for kind, row in self.facts["phases"].items()}
        if word not in kinds or not number.isdecimal() or int(number) < 1:
            known = [f"{one} 1" for one in kinds]
            raise SetupRefused(
                f"unknown phase `{game.start}`; phases are called {', '.join(known)}", ("start",), nearest(game.start, known)
            )
        return self._label(kinds[word], int(number))

    def next_label(self, state: State, closed: Label) -> Label:
        """Trial, daily life, and a deadly life after each daily life in which somebody died (DAN-PHASE-01, -02, -04)."""
        kind = _following(state, closed)
        return self._label(kind, state.begun[kind] + 1)

    def _label(self, kind: str, number: int) -> Label:
        return Label(kind, number, self.facts["phases"][kind]["word"])

    def new_phase(self, label: Label, state: State, inputs: PhaseInputs, choices: Choices) -> School:
        """A phase that knows who is present as it opens."""
        assert isinstance(state, cast.DanState)
        return School(label, state, inputs, choices, present=frozenset(state.living()))

    def open(self, phase: Phase[Any]) -> None:
        """The role messages, in the game's very first phase only (DAN-TEAM-07, DAN-CHAT-01)."""
        state: cast.DanState = phase.state
        if phase.label.number != 1 or phase.label.kind != state.game.options["first_phase"]:
            return
        for student in state.cast.students.values():
            phase.notice(
                student.name, "talent", "DAN-TEAM-07",
                team=student.team, talents=[talent.id for talent in student.talents],
                blackened=state.has(student.name, "blackened"),
            )  # fmt: skip
        black = [name for name in state.game.names if state.team(name) == "black"]
        for name in black:
            phase.notice(name, "wolfchat", "DAN-CHAT-01", players=black)

    def arrive(self, phase: Phase[Any], order: OrderInput) -> None:
        """A private order, judged as it arrives (DAN-TAL-11)."""
        assert isinstance(phase, School)
        orders.arrive(phase, order)

    def command(self, phase: Phase[Any], command: CommandInput) -> None:
        """A command of Monokuma's (DAN-TAL-15)."""
        assert isinstance(phase, School)
        monokuma.command(phase, command)

    def close(self, phase: Phase[Any]) -> None:
        """Read what was declared, run the order of action, judge the game, open what follows."""
        assert isinstance(phase, School)
        plans: dict[str, str] = {}
        if phase.cut_short is None:
            plans = self._declared(phase)
            for player, standing in phase.orders.items():
                if phase.acting(player):
                    phase.acts.extend(act for act in standing if act.action != "disrupt")
            for step in ORDER_OF_ACTION[phase.kind]:
                step(phase)
        else:
            endings.deaths_and_revivals(phase)
        over = endings.victory(phase)
        if not over:
            self._open_next(phase, plans)
        endings.deadchat(phase, over=over)

    def _declared(self, phase: School) -> dict[str, str]:
        """Turn what was declared into acts: the last of each kind counts, `cancel` takes it back."""
        last: dict[tuple[str, str], reading.Declared] = {}
        for said in reading.declarations(phase, self.facts["declarations"]):
            last.pop((said.by, said.colour), None)
            if said.what != reading.CANCEL:
                last[said.by, said.colour] = said
        phase.acts.extend(reading.act(phase, said) for said in last.values())
        phase.cast_votes = {act.actor: act for act in phase.of_group("vote")}
        return {by: said.what for (by, colour), said in last.items() if colour == "green"}

    def _open_next(self, phase: School, plans: dict[str, str]) -> None:
        """What the post that opens the next phase shows (DAN-PHASE-06, DAN-REG-02, DAN-HANG-16)."""
        following = self.next_label(phase.state, phase.label)
        if following.kind == "trial":
            endings.reveals(phase)
        elif following.kind == "daily_life":
            setup = [str(text) for text in phase.state.game.setup.get("regulations", [])]
            monokuma.new_regulation(phase, setup, self.facts["regulations"]["defaults"])
            hangouts.groups(phase, plans)
        phase.announce("next_phase", "DAN-PHASE-01 DAN-PHASE-02", label=str(following))

    def tally(self, phase: Phase[Any]) -> Mapping[str, Any] | None:
        """The votes as cast so far; None outside a trial (DAN-VOTE-06)."""
        assert isinstance(phase, School)
        if phase.kind != "trial":
            return None
        self._declared(phase)
        return vote.published(phase, vote.as_cast(phase), set())

    def role_ids(self) -> list[tuple[str, str]]:
        """The starter talents and their colours (DAN-SET-01)."""
        return [(talent.id, talent.colour) for talent in starter_talents().values()]

    def deck(self, players: int, held: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
        """All White talents for `role`, and Black ones until a quarter of the players have one (DAN-TAL-02)."""
        white, black = ([id_ for id_, one in starter_talents().items() if one.colour == colour] for colour in ("white", "black"))
        given = {str(talents["black"]) for talents in held.values() if "black" in talents}
        free = [talent for talent in black if talent not in given]
        return {"role": white, "black": free[: max(0, max(1, players // 4) - len(given))], "grey": []}

    def order_phrases(self) -> list[tuple[str, str, str]]:
        """How private orders are written: the starter set's, and what everybody may send (Glossary, "Talent orders")."""
        found = {"disrupt": ({"deadly_life"}, ["everybody"])}
        for talent in starter_talents().values():
            for one in talent.abilities:
                if not one.passive:
                    phrase = " to ".join((f"{one.id} X", "Y")[: one.targets]) or one.id
                    phases, holders = found.setdefault(phrase, (set(), []))
                    phases.update(one.phases)
                    holders.append(talent.id)
        found["withdraw <ability>"] = (set(self.facts["phases"]), ["everybody"])
        words = {kind: row["word"] for kind, row in self.facts["phases"].items()}
        return [
            (phrase, ", ".join(word for kind, word in words.items() if kind in phases), ", ".join(holders))
            for phrase, (phases, holders) in found.items()
        ]

    def warnings(self, game: Game) -> list[str]:
        """A cast that has won before anything happens, or names that cannot be voted for (DAN-WIN-01 to -03, DAN-POST-10)."""
        state = self.begin(game)
        assert isinstance(state, cast.DanState)
        living = state.living()
        black = [name for name in living if state.team(name) == "black"]
        blackened = [name for name in living if state.has(name, "blackened")]
        told = []
        if not black:
            told.append(
                "Nobody living is of the Black team: White wins when the first phase ends (DAN-WIN-01). "
                'Give somebody a Black talent, e.g. { role = "…", black = "black_slasher" }.'
            )
        elif 2 * len(black) >= len(living):
            told.append(
                f"{len(black)} of {len(living)} players are of the Black team: Black wins when the first phase ends, "
                "unless White gains on it (DAN-WIN-02)."
            )
        elif 3 * len(blackened) >= 2 * len(living):
            share = f"{len(blackened)} of {len(living)}"
            told.append(f"{share} players are blackened: Black wins when the first phase ends (DAN-WIN-03).")
        words = {key(word) for row in self.facts["declarations"].values() for word in (*row["cancel"], *row.get("sulking", ()))}
        words |= {key(place) for place in cast.PLACES}
        told += [
            f"The player {seat.name} is called like a word of the game ({word}): give a second name under `aliases`."
            for seat in game.seats for word in (seat.name, *seat.aliases) if key(word) in words
        ]  # fmt: skip
        return told

    def awaited(self, phase: Phase[Any], tally: Mapping[str, Any] | None) -> Mapping[str, str]:
        """Votes in a trial, investigations in a deadly life; in a daily life the orders of those with an ability to use."""
        assert isinstance(phase, School)
        if phase.kind == "trial":
            return super().awaited(phase, tally)
        if phase.kind == "deadly_life":
            self._declared(phase)
            done = {act.actor for act in phase.of_group("investigation")} | {name for name, acts in phase.orders.items() if acts}
            return {name: "investigation" for name in phase.state.living() if name not in done}
        return {name: "order" for name in phase.state.living() if not phase.orders.get(name) and orders.may_order(phase, name)}

    def standing(self, phase: Phase[Any], player: str) -> list[str]:
        """The talent orders that stand, and a disruption (DAN-TAL-10)."""
        assert isinstance(phase, School)
        return [" ".join((act.action, " to ".join(act.targets))).strip() for act in phase.orders.get(player, [])]

    def vote_post(self, target: str) -> str:
        """The ordinary way to vote, as a post (DAN-POST-17)."""
        return f"[b][color=red]{target}[/color][/b]"

    def check_draw(self, game: Game, name: str) -> str | None:
        """None where `name` is a draw of this game, else the nearest right name."""
        known = [draw.replace("<player>", player) for draw in self.facts["draws"] for player in game.names]
        return None if name in known else nearest(name, known) or ""


def _following(state: State, closed: Label) -> str:
    if closed.kind == "trial":
        return "daily_life"
    if closed.kind == "deadly_life":
        return "trial"
    died = any(death.phase == str(closed) for death in state.deaths)
    return "deadly_life" if died else "daily_life"


RULESET = Danganronpa(Path(__file__).parent)
