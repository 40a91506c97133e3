"""What students declare in the thread: votes in red, hangout plans in green, investigations in blue (DAN-POST)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from engine.choices import Question
from engine.inputs import PostInput
from parser.declarations import Stretch, candidates, stretches
from parser.names import Ambiguous, Found, Person, Roster
from parser.normal import key
from rulesets.danganronpa.cast import PLACES, SULKING, DanState
from rulesets.danganronpa.work import Act, School

CANCEL = "cancel"
INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Unsure:
    """A declaration that names nobody for sure: the players it fits, none where it fits nobody that may be declared.

    `named` is the player it names for sure where that one may not be declared.
    """

    candidates: tuple[str, ...] = ()
    named: str | None = None


NOT_READ = Unsure()


@dataclass(slots=True)
class Reader:
    """Reads the declarations of one phase; asks the GM what fits two players (DAN-POST-11)."""

    school: School
    colours: dict[str, dict[str, list[str]]]
    roster: Roster
    talents: dict[str, str]
    """Every way to write a talent's name → its id (DAN-INV-05)."""
    words: dict[str, dict[str, str]] = field(init=False)
    """By colour, the words that are no names: those that cancel, `sulking`, and in green the places."""
    whole_names: frozenset[str] = field(init=False)
    _known: dict[tuple[str, str], str | Found | Unsure] = field(default_factory=dict)
    """What each text says, by its colour: many declare the same."""

    def __post_init__(self) -> None:
        self.words = {
            colour: {key(word): CANCEL for word in row["cancel"]}
            | {key(word): SULKING for word in row.get("sulking", [])}
            | ({key(place): place for place in PLACES} if colour == "green" else {})
            for colour, row in self.colours.items()
        }
        self.whole_names = frozenset(person.name.casefold() for person in self.roster.people)

    def reads(self, colour: str) -> bool:
        """Whether declarations of that colour count in this kind of phase (DAN-POST-12)."""
        return colour in self.colours and self.school.kind in self.colours[colour]["phases"]

    def meaning(self, stretch: Stretch, post: PostInput) -> str | Unsure:
        """What one declaration says: a player, place or talent, `cancel`, `sulking`, or what is not sure of it."""
        asked = stretch.colour, stretch.text
        if (said := self._known.get(asked)) is None:
            said = self._known[asked] = self._says(*asked)
        if isinstance(said, Found):
            return said.name if self._allowed(said.name, post, stretch.colour) else Unsure(named=said.name)
        return said

    def _says(self, colour: str, stretch: str) -> str | Found | Unsure:
        """What a text says, whoever wrote it.

        It is tried in the order of DAN-POST-19, whole, after the leading words of DAN-POST-09.
        """
        words = self.words[colour]
        tried = candidates(stretch)
        for text in tried:
            # A player called by one of the words that cancel is still reached by the exact name (reading.md).
            if colour == "red" and text.casefold() in self.whole_names:
                break
            if key(text) in words:
                return words[key(text)]
        bodies = set(self.school.state.bodies)
        found = self.roster.first(tried, prefer=bodies if colour == "blue" else None)
        if isinstance(found, Found) and (colour != "blue" or found.name in bodies):
            return found
        if colour == "blue":
            for text in tried:
                if (named := self._place_or_talent(text)) is not None:
                    return named
        if isinstance(found, Ambiguous) and (colour != "blue" or bodies & set(found.candidates)):
            return Unsure(found.candidates)
        return Unsure(named=found.name) if isinstance(found, Found) else NOT_READ

    def settled(self, said: str | Unsure, stretch: Stretch, post: PostInput, number: int) -> str | None:
        """The meaning once the GM has been asked what fits several players; None for what is no declaration (DAN-POST-11)."""
        if isinstance(said, str):
            return said
        with self.school.about(post.id):
            if said.candidates:
                answer = self.school.ask(self.question(said, stretch, post, number), "DAN-POST-11")
                if not answer or self._allowed(answer, post, stretch.colour):
                    return answer or None
                self._unreadable(post, stretch, answer)
            else:
                self._unreadable(post, stretch, said.named)
        return INVALID if stretch.colour == "green" else None

    def question(self, said: Unsure, stretch: Stretch, post: PostInput, number: int) -> Question:
        """Which of several players the post means."""
        choices = tuple(self.school.state.in_seat_order(list(said.candidates)))
        about = {"player": post.by, "text": stretch.text, "post": post.id, "colour": stretch.colour}
        return Question(f"name:{post.id}:{number}:{stretch.text}", "name", choices, None, about)  # an edit asks anew

    def answered(self, said: Unsure, stretch: Stretch, post: PostInput, number: int) -> bool:
        """Whether the GM has said by now which player that is, one who may be declared."""
        answer = self.school.choices.answers.get(self.question(said, stretch, post, number).key)
        return bool(answer) and self._allowed(str(answer), post, stretch.colour)

    def _place_or_talent(self, text: str) -> str | None:
        wanted = key(text)
        for place in PLACES:
            if wanted == key(place):
                return place
        return ultimate_talent(text, self.talents)

    def _allowed(self, name: str, post: PostInput, colour: str) -> bool:
        """Whether that player may be declared: for a vote only a living other, for a body only one of the last daily life."""
        state = self.school.state
        return name in state.bodies if colour == "blue" else name != post.by and self.school.acting(name)

    def _unreadable(self, post: PostInput, stretch: Stretch, named: str | None) -> None:
        """Tell the GM of it: the player it names and why that one may not be declared, or whose name is nearest."""
        nearest = named or next(filter(None, map(self.roster.nearest, reversed(candidates(stretch.text)))), None)
        reason = self._why_not(named, post, stretch.colour) if named else None
        clauses = "DAN-VOTE-10 DAN-HANG-10"
        self.school.notice("gm", "unreadable", clauses, player=post.by, text=stretch.text, nearest=nearest, reason=reason)

    def _why_not(self, named: str, post: PostInput, colour: str) -> str:
        if colour == "blue":
            return "no_body"
        return "self_target" if named == post.by else "dead_target"


def ultimate_talent(text: str, known: dict[str, str]) -> str | None:
    """The id of the talent that `text` names; one that nobody plays is its text in lower_snake (DAN-INV-05)."""
    wanted = key(text).removeprefix("the")
    found = known.get(key(text)) or known.get(wanted) or known.get(wanted.removeprefix("ultimate"))
    if found is not None:
        return found
    words = "".join(sign if sign.isalnum() else " " for sign in text.casefold()).split()
    words = words[1:] if words[:1] == ["the"] else words
    return "_".join(words) if len(words) > 1 and words[0] == "ultimate" else None


@dataclass(frozen=True, slots=True)
class Declared:
    """One declaration that stands: who made it, of which colour, what it says, and where."""

    by: str
    colour: str
    what: str
    post: PostInput


def roster_of(state: DanState) -> Roster:
    """The names by which the students are known; the living are preferred to the dead (DAN-POST-10)."""
    people = [Person(seat.name, aliases=seat.aliases, alive=state.alive(seat.name)) for seat in state.game.seats]
    return _roster(tuple(people))


@lru_cache(maxsize=256)
def _roster(people: tuple[Person, ...]) -> Roster:
    """Every spelling of every name made comparable once, not once for each order."""
    return Roster(people)


def declarations(school: School, colours: dict[str, dict[str, list[str]]]) -> Iterator[Declared]:
    """What was declared in this phase, post by post in the order sent: the last of each colour in a post (DAN-POST-08)."""
    state = school.state
    reader = Reader(school, colours, roster_of(state), state.cast.talent_names)
    read: list[_Read] = []
    # DAN-POST-13: the dead, strangers and Monokuma declare nothing.
    posts = [post for post in school.inputs.posts_in_order(state.game.names) if school.acting(post.by)]
    for post in posts:
        _stretches(post.text)  # all are read in one go, which takes a third less time than one here and one there
    for post in posts:
        for colour, found in _standing(school, reader, post).items():
            sayings = [(number, stretch, reader.meaning(stretch, post)) for number, stretch in found]
            read.append(_Read(post, colour, sayings))
    moot = _moot(reader, read)
    for one in read:
        said: str | None = None
        for number, stretch, meaning in one.sayings:
            if (one.post.id, number) not in moot:
                said = reader.settled(meaning, stretch, one.post, number) or said
        if said is not None:
            yield Declared(one.post.by, one.colour, said, one.post)


@dataclass(frozen=True, slots=True)
class _Read:
    """The declarations of one colour in a post, each with its number in the post and what it says."""

    post: PostInput
    colour: str
    sayings: list[tuple[int, Stretch, str | Unsure]]


def _moot(reader: Reader, read: list[_Read]) -> set[tuple[str, int]]:
    """What fits several players and was replaced for sure by a later declaration: nobody is asked, no answer changes anything."""
    moot: set[tuple[str, int]] = set()
    replaced: set[tuple[str, str]] = set()
    for one in reversed(read):
        where = (one.post.by, one.colour)
        for number, stretch, meaning in reversed(one.sayings):
            if isinstance(meaning, str):
                replaced.add(where)
            elif not meaning.candidates:
                if one.colour == "green":
                    replaced.add(where)  # DAN-HANG-10: an invalid plan is a plan
            elif where in replaced:
                moot.add((one.post.id, number))
            elif reader.answered(meaning, stretch, one.post, number):
                replaced.add(where)
    return moot


def _standing(school: School, reader: Reader, post: PostInput) -> dict[str, list[tuple[int, Stretch]]]:
    """The stretches of a post that count, by colour: which of its contents is read, and what of it (DAN-POST-14, -18)."""
    option = school.state.game.options
    contents = [post.text, *(edit.text for edit in post.edits if school.inputs.in_time(edit.at))]
    if post.deleted:
        contents.append("")  # it stands no more; the record keeps what was seen
    chosen = contents[0] if option["edits"] == "first" else contents[-1]
    stands: dict[str, list[tuple[int, Stretch]]] = {}
    for number, stretch in enumerate(_stretches(chosen)):
        if not reader.reads(stretch.colour):
            continue
        if stretch.spoiler:
            with school.about(post.id):
                school.notice("gm", "in_spoiler", "DAN-POST-18", player=post.by, text=stretch.text)
            if option["spoilers"] == "ignore":
                continue
        stands.setdefault(stretch.colour, []).append((number, stretch))
    if post.edits or post.deleted:
        for colour in filter(reader.reads, reader.colours):
            with school.about(post.id):
                _report_edit(school, post, colour)
            if option["edits"] == "void" and _texts(contents[0], colour) != _texts(contents[-1], colour):
                stands.pop(colour, None)
    return stands


def _report_edit(school: School, post: PostInput, colour: str) -> None:
    """Tell the GM where an edit, be it late, or a deletion has changed the declarations of a colour (DAN-POST-14)."""
    before = _texts(post.text, colour)
    after = [] if post.deleted else _texts(post.edits[-1].text, colour)
    if before != after:
        school.notice(
            "gm", "edited", "DAN-POST-14",
            player=post.by, text=" / ".join(after), before=" / ".join(before), after=" / ".join(after),
        )  # fmt: skip


@lru_cache(maxsize=16384)
def _stretches(text: str) -> tuple[Stretch, ...]:
    return tuple(stretches(text))


def _texts(text: str, colour: str) -> list[str]:
    return [stretch.text for stretch in _stretches(text) if stretch.colour == colour]


def act(school: School, said: Declared) -> Act:
    """A declaration as an act of its kind, with the declared player, place or talent as its target."""
    groups = {"red": ("vote", "vote"), "green": ("hangout", "hangout"), "blue": ("investigate", "investigation")}
    action, group = groups[said.colour]
    targets = () if said.what in (SULKING, INVALID) else (said.what,)
    return Act(said.by, action, group, targets, school.sent(said.by, said.post.at), said.post.id)
