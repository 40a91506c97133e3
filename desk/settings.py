"""The game folder and its `game.toml`: read, checked as a whole, and handed on as one frozen record.

Every mistake is found at once and named with its line and the nearest right thing (`design/quality.md`, bad days). Nothing is
started while one is left.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desk.clock import Clock, read_clock
from desk.deck import CannotDeal, deal
from desk.places import Mistake, toml_line, yaml_line
from desk.questions import COMMON
from desk.reading import PUBLISHED, TALLY_MODES, Table, did_you_mean
from desk.tomlfile import read_toml
from engine.game import Game, SetupRefused, nearest
from engine.ruleset import Ruleset, load
from parser.normal import fold
from publisher.splitting import LEAST
from scraper.model import BadInput
from scraper.trust import TRUST

if TYPE_CHECKING:
    from scraper.imap import Place

NAME = "game.toml"
FORUMS = ("phpbb", "smf", "mybb", "fluxbb", "vbulletin", "discourse", "xenforo", "invision")
"""The forum programs that can be read; all but Invision's can be written to."""


class SettingsRefused(BadInput):
    """`game.toml` cannot be used. `mistakes` holds all that is wrong with it; the text has one on a line."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        super().__init__("\n".join(map(str, mistakes)))
        self.mistakes = tuple(mistakes)


@dataclass(frozen=True, slots=True)
class Player:
    """A seat as the GM wrote it. `accounts` are the names under which the player posts and writes, the first gets the messages.

    `given` is what the ruleset is told: role and whatever it needs besides.
    """

    name: str
    accounts: tuple[str, ...]
    aliases: tuple[str, ...]
    given: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Thread:
    """Where the game is played: a topic's URL, or a folder of saved pages for a forum that cannot be reached.

    `kind` is the forum program, None to find out. `timezone` is that of the account which reads or saved the pages. `longest` is
    how many characters a post may have, None for as many as on a board as it is installed. `moved_from` is where the forum was
    when the game began, where it has moved since.
    """

    url: str | None = None
    kind: str | None = None
    saved: Path | None = None
    timezone: str = "UTC"
    longest: int | None = None
    moved_from: str | None = None


@dataclass(frozen=True, slots=True)
class TallyPosts:
    """How the tally is kept in the thread: one post edited (`edit`), a `new` one every so often, or on `request` only."""

    mode: str = "edit"
    every_posts: int | None = None
    every_hours: float | None = None


@dataclass(frozen=True, slots=True)
class Mailbox:
    """Where private orders come from: the forum's own messages, files or folders of exports, and folders on mail servers.

    `trust` is how far a mail's sender is believed, `forum_from` the addresses of the forum's own mails (`scraper.trust`).
    """

    forum: bool = True
    paths: tuple[Path, ...] = ()
    timezone: str = "UTC"
    servers: tuple[Place, ...] = ()
    trust: str = "review"
    forum_from: tuple[str, ...] = ()
    receipts: bool = False
    """Whether each message with orders is answered with how it was read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that the GM wrote, checked. `game` is ready to be played: roles dealt, every option filled in."""

    folder: Path
    title: str
    host: str
    game: Game
    players: tuple[Player, ...]
    thread: Thread
    clock: Clock
    publish: Mapping[str, str]
    """Kind of post → `auto` or `review`, a value for every kind."""
    tally: TallyPosts
    mail: Mailbox
    waived: frozenset[str]
    """The kinds of question whose default holds unasked."""
    contact: str | None
    dealt: bool

    @property
    def seed(self) -> str:
        """What keys the dice; secret until the game is over."""
        return self.game.seed

    @property
    def database(self) -> Path:
        """The game's record."""
        return self.folder / "game.db"

    @property
    def templates(self) -> Path:
        """The GM's own wording, where there is any."""
        return self.folder / "templates"

    @property
    def parts(self) -> dict[str, str]:
        """What may not change once the game has begun, part by part, each as a hash that tells nothing of it."""
        facts: dict[str, Any] = {"ruleset": self.game.ruleset, "seed": self.seed, "start": self.game.start}
        facts |= {f"players.{seat.name}": dict(seat.given) for seat in self.game.seats}
        facts |= {f"options.{name}": value for name, value in self.game.options.items()}
        facts |= {f"setup.{name}": value for name, value in self.game.setup.items()}
        facts["the order of players"] = self.game.names
        text = {name: json.dumps([self.seed, name, value], sort_keys=True, default=str) for name, value in facts.items()}
        return {name: hashlib.sha256(one.encode()).hexdigest()[:16] for name, one in text.items()}

    def changed_since(self, began: Mapping[str, str]) -> list[str]:
        """What is no longer as in `began`, the parts kept when the game began: `players.Ann`, `options.edits`, `seed`."""
        now = self.parts
        if began.get("seed") != now["seed"]:
            return ["seed"]  # the others' hashes hold it, so nothing is known of them
        return sorted(key for key in {*began, *now} if began.get(key) != now.get(key))

    def ruleset(self) -> Ruleset:
        """The rules that this game is played by."""
        return load(self.game.ruleset)

    def hours(self, kind: str, options: Mapping[str, Any] | None = None) -> float:
        """How long a phase of that kind lasts by `options`, or by those that the game begins with."""
        return float((options or self.game.options)[self.ruleset().facts["phases"][kind]["hours"]])

    def seat_of(self, account: str) -> str | None:
        """The player who posts or writes under `account` (regardless of case); None for a stranger."""
        wanted = account.casefold()
        for player in self.players:
            if wanted in map(str.casefold, player.accounts):
                return player.name
        return None

    def called(self, name: str) -> str | None:
        """The player whom the GM means by `name`: a player's name, alias or account, regardless of case; None for nobody."""
        wanted = name.strip().casefold()
        for player in self.players:
            if wanted in map(str.casefold, (player.name, *player.aliases)):
                return player.name
        return self.seat_of(name.strip())


def must_be_game(folder: Path) -> None:
    """Raises BadInput where there is no game in `folder`."""
    if not (folder / NAME).is_file():
        raise BadInput(
            f"there is no {NAME} in the folder `{folder}`. The game's folder stands last in a command; "
            f"`nightpost new {folder}` makes a game there."
        )


def load_settings(folder: Path) -> Settings:
    """Read and check the `game.toml` in `folder`. Raises SettingsRefused with every mistake in it, BadInput if there is none."""
    must_be_game(folder)
    file = folder / NAME
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 text: {error}. Save it as UTF-8; nothing was changed.") from None
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from None
    return read_settings(text, folder)


def read_settings(text: str, folder: Path) -> Settings:
    """The settings written in `text`, for a game in `folder`. Raises SettingsRefused with every mistake in it."""
    data, unreadable = read_toml(NAME, text)
    if unreadable and not data:
        raise SettingsRefused(unreadable)
    renamed: dict[tuple[str, ...], str] = {}
    while True:
        check = _Check(text, folder, data, renamed)
        settings = check.settings()
        if not (spelt := check.misspelt):
            break
        # A word spelt wrong does not hide what is wrong below it: read once more, as if it were spelt right.
        for path, right in spelt.items():
            _rename(data, path, right)
            renamed[*path[:-1], right] = path[-1]
    if settings is not None and not unreadable and not check.mistakes:
        return settings
    told = {one.line for one in unreadable}
    found = [*unreadable, *(one for one in check.mistakes if one.file != NAME or one.line not in told)]
    if unreadable:  # what stands on an unreadable line is not missing
        found = [one for one in found if one in unreadable or not re.match(r"`\w+` is missing", one.message)]
    raise SettingsRefused(sorted(found, key=lambda one: (one.file != NAME, one.file, one.line or 0)))


def _rename(data: dict[str, Any], path: tuple[str, ...], right: str) -> None:
    """Give the key at the end of `path` the name `right`."""
    for key in path[:-1]:
        data = data[key]
    data[right] = data.pop(path[-1])


class _Check:
    """One reading of `game.toml`, collecting mistakes as it goes.

    `renamed` are the keys that were spelt wrong and have been put right in `data`: path → as it is in the file.
    """

    def __init__(self, text: str, folder: Path, data: dict[str, Any], renamed: Mapping[tuple[str, ...], str]) -> None:
        self.text, self.folder, self.data, self.renamed = text, folder, data, renamed
        self.mistakes: list[Mistake] = []
        self.misspelt: dict[tuple[str, ...], str] = {}
        """Keys nobody asked for, each with the key that was meant and is not there itself."""
        self.undealt = False
        """Whether roles were to be dealt and could not be."""
        self.yaml: dict[str, tuple[str, str, tuple[str, ...]]] = {}
        """Set-up key → the YAML file it came from: its name, its text, and where in it the value stands."""
        for path, wrong in renamed.items():
            where = f" in [{'.'.join(path[:-1])}]" if path[:-1] else ""
            what = "option" if path[0] == "options" and len(path) > 1 else "key"
            self.wrong(path, f"unknown {what} `{wrong}`{where} (did you mean `{path[-1]}`?)")

    def wrong(self, path: tuple[str | int, ...], message: str) -> None:
        """Note a mistake at `path`."""
        if len(path) > 1 and path[0] == "setup" and str(path[1]) in self.yaml:
            name, text, before = self.yaml[str(path[1])]
            self.mistakes.append(Mistake(name, yaml_line(text, (*before, *path[2:])), message))
            return
        written = list(path)
        for right, wrong in self.renamed.items():
            if tuple(path[: len(right)]) == right:
                written[len(right) - 1] = wrong
        self.mistakes.append(Mistake(NAME, toml_line(self.text, tuple(written)), message))

    def misspelling(self, path: tuple[str, ...], known: Iterable[str]) -> bool:
        """Whether the key at `path` is one of the `known` ones spelt wrong; then it is read so the next time."""
        table: Any = self.data
        for key in path[:-1]:
            table = table[key]
        near = nearest(path[-1], [one for one in known if one not in table and one not in self.misspelt.values()])
        if near is not None:
            self.misspelt[path] = near
        return near is not None

    def table(self, *path: str) -> Table:
        """The table at `path`, empty where there is none."""
        value: Any = self.data
        for key in path:
            value = value.get(key, {}) if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            self.wrong(path, f"`{'.'.join(path)}` is a table: write [{'.'.join(path)}] and its keys below")
            value = {}
        return Table(value, path, self.wrong, self.misspelling)

    def settings(self) -> Settings | None:
        """The settings; None where they make no game, and then `mistakes` says why."""
        top = self.table()
        ruleset = self._ruleset(top)
        title = top.text("title") or "A game without a title"
        host = top.text("host", needed="the forum account that posts for you")
        contact = top.text("contact")
        seed = self._seed(top)
        start = top.text("start")
        for section in ("thread", "clock", "players", "deal", "options", "setup", "publish", "tally", "mail"):
            top.seen.add(section)
        waived = self._waived(top, ruleset)
        top.close()
        thread, clock, tally, mail, publish = self._thread(), self._clock(), self._tally(), self._mail(), self._publish()
        players, dealt = self._players(ruleset, seed, host or ""), "deal" in self.data
        game = self._game(ruleset, players, seed, start)
        if self.mistakes or game is None:
            return None
        return Settings(
            self.folder, title, host or "", game, tuple(players), thread, clock, publish, tally, mail, waived, contact, dealt
        )

    def _ruleset(self, top: Table) -> Ruleset | None:
        name = top.text("ruleset", needed="which rules are played, e.g. \"danganronpa\"")
        if name is None:
            return None
        try:
            return load(name)
        except SetupRefused as error:
            self.wrong(("ruleset",), str(error))
            return load(error.nearest) if error.nearest else None

    def _seed(self, top: Table) -> str:
        seed = top.data.get("seed")
        top.seen.add("seed")
        if seed is None or isinstance(seed, bool) or not str(seed).strip():
            self.wrong(("seed",), "`seed` is missing: a long secret text that keys the dice; `nightpost new` makes one")
            return ""
        return str(seed)

    def _waived(self, top: Table, ruleset: Ruleset | None) -> frozenset[str]:
        known = (*ruleset.facts.get("asks", ()), *COMMON) if ruleset else ()
        asked = top.data.get("waive", [])
        top.seen.add("waive")
        if asked == "all":
            return frozenset(known)
        names = top.texts("waive")
        for name in names:
            if ruleset and name not in known:
                self.wrong(("waive",), f"no question is called `{name}`{did_you_mean(name, known)}")
        return frozenset(names)

    def _thread(self) -> Thread:
        table = self.table("thread")
        url, kind, saved = table.text("url"), table.choice("kind", FORUMS), table.text("saved")
        zone, longest, moved_from = table.zone("timezone"), table.number("longest", whole=True), table.text("moved_from")
        table.close()
        if url is None and saved is None and not table.data.keys() & {"url", "saved"}:
            self.wrong(("thread",), "[thread] needs `url`, the topic's address, or `saved`, a folder of saved pages")
        if url is not None and not re.match(r"https?://[^\s/]+(/\S*)?$", url):
            self.wrong(("thread", "url"), f"`url` is the topic's address and starts with https://, not {url!r}")
        if url is not None and "@" in url.split("://")[-1].split("/")[0]:
            self.wrong(("thread", "url"), "the address holds a name or password: take it out, and see docs/forums.md")
        if longest is not None and longest < LEAST:
            self.wrong(("thread", "longest"), f"a post of {longest:g} characters holds nothing: `longest` is {LEAST} or more")
            longest = None
        return Thread(url, kind, self.folder / saved if saved else None, zone, int(longest) if longest else None, moved_from)

    def _clock(self) -> Clock:
        return read_clock(self.table("clock"), self.folder)

    def _tally(self) -> TallyPosts:
        table = self.table("tally")
        mode = table.choice("mode", TALLY_MODES) or "edit"
        posts, hours = table.number("every_posts", whole=True), table.number("every_hours")
        table.close()
        if mode == "new" and not table.data.keys() & {"every_posts", "every_hours"}:
            self.wrong(("tally", "mode"), "`mode = \"new\"` needs `every_posts = 30` or `every_hours = 12` beside it")
        return TallyPosts(mode, int(posts) if posts else None, hours)

    def _mail(self) -> Mailbox:
        table = self.table("mail")
        forum, paths, zone = table.flag("forum", True), table.texts("paths"), table.zone("timezone")
        trust, forum_from = table.choice("trust", TRUST) or TRUST[0], table.texts("forum_from")
        for one in forum_from:
            if "@" not in one:
                table.wrong("forum_from", f"`{one}` is no mail address; it is written as in noreply@forum.example")
        receipts = table.flag("receipts", False)
        table.close()
        servers = [place for one in paths if "://" in one and (place := self._server(one)) is not None]
        files = [one for one in paths if "://" not in one] or ["mail"]
        return Mailbox(forum, tuple(self.folder / one for one in files), zone, tuple(servers), trust, tuple(forum_from), receipts)

    def _server(self, address: str) -> Place | None:
        from scraper.imap import place_of

        try:
            return place_of(address)
        except BadInput as error:
            self.wrong(("mail", "paths"), str(error))
            return None

    def _publish(self) -> dict[str, str]:
        table = self.table("publish")
        chosen = {kind: table.choice(kind, ("auto", "review")) or default for kind, (default, _) in PUBLISHED.items()}
        table.close()
        return chosen

    def _players(self, ruleset: Ruleset | None, seed: str, host: str) -> list[Player]:
        table = self.table("players")
        players = [player for name, what in table.data.items() if (player := self._player(name, what))]
        if not table.data:
            self.wrong(("players",), "[players] is empty: one line a player, e.g. Ann = \"ultimate_detective\"")
        taken: dict[str, str] = {}
        for player in players:
            for shown in (player.name, *player.accounts, *player.aliases):
                if not any(sign.isprintable() and not sign.isspace() for sign in fold(shown)):
                    self.wrong(("players", player.name), f"{shown!r} is a name that nobody can see: write it anew by hand")
            for account in player.accounts:
                other = taken.setdefault(account.casefold(), player.name)
                if other != player.name:
                    self.wrong(("players", player.name), f"{other} and {player.name} share the account `{account}`")
                if account.casefold() == host.casefold():
                    self.wrong(("players", player.name), f"{player.name}'s account `{account}` is the `host`, who cannot play")
        called: dict[str, str] = {}
        for player in players:
            for name in (player.name, *player.aliases):
                other = called.setdefault(fold(name), player.name)
                if other != player.name:
                    twice = f"{other} and {player.name} are both called `{name}`: nobody could tell whom a vote for it means"
                    self.wrong(("players", player.name), twice)
        if "deal" not in self.data:
            return players
        hands = self._deal(ruleset, players, seed)
        return [
            Player(one.name, one.accounts, one.aliases, {**hands.get(one.name, {}), **one.given}) for one in players
        ]

    def _player(self, name: str, what: Any) -> Player | None:
        if isinstance(what, str):
            return Player(name, (name,), (), {"role": what} if what else {})
        if not isinstance(what, dict):
            self.wrong(("players", name), f"{name} is a role in quotes or a table, e.g. {{ role = \"…\", aliases = [\"…\"] }}")
            return None
        table = Table(what, ("players", name), self.wrong, self.misspelling)
        accounts = [what["account"]] if isinstance(what.get("account"), str) else table.texts("account")
        aliases = table.texts("aliases")
        for key in what:
            table.refuse_secret(key)
        own = ("role", "account", "aliases")
        misspelt = [key for key in what if key not in own and self.misspelling(("players", name, key), own)]
        given = {key: value for key, value in what.items() if key not in ("account", "aliases", *misspelt)}
        return Player(name, tuple(accounts or [name]), tuple(aliases), given)

    def _deal(self, ruleset: Ruleset | None, players: list[Player], seed: str) -> Mapping[str, Mapping[str, str]]:
        """What the players without a role are dealt; a card that somebody holds already is not in the deck."""
        table = self.table("deal")
        deck = {name: table.texts(name) for name in table.data}
        seats = [player.name for player in players if "role" not in player.given]
        given = {player.name: player.given for player in players if "role" in player.given}
        held = Counter(value for player in players for value in player.given.values() if isinstance(value, str))
        try:
            by_rules = ruleset.deal(seats, deck, given, self.table("options").data, seed) if ruleset and seats else None
            if by_rules is not None:
                return by_rules
            known = tuple(ruleset.deck(len(players), {})) if ruleset and seats else tuple(deck)
            for name in [name for name in deck if name not in known]:
                if not self.misspelling(("deal", name), known):
                    self.wrong(("deal", name), f"unknown key `{name}` in [deal]{did_you_mean(name, known)}")
            left = {name: list((Counter(deck[name]) - held).elements()) for name in deck if name in known}
            return deal(seats, left, seed)
        except CannotDeal as error:
            self.wrong(("deal", error.field), str(error))
        except SetupRefused as error:
            self.wrong(error.path, str(error))
        self.undealt = True
        return {}

    def _setup(self, ruleset: Ruleset) -> dict[str, Any]:
        setup = dict(self.table("setup").data)
        for key, value in setup.items():
            if isinstance(value, str) and value.endswith((".yaml", ".yml")):
                setup[key] = self._yaml(key, value)
        known = list(ruleset.facts["setup"])
        for key in [key for key in setup if key not in known]:
            if not self.misspelling(("setup", key), known):
                self.wrong(("setup", key), f"unknown key `{key}` in [setup]{did_you_mean(key, known)}")
            del setup[key]
        return setup

    def _yaml(self, key: str, name: str) -> Any:
        import yaml

        try:
            text = (self.folder / name).read_text(encoding="utf-8-sig")
            value = yaml.safe_load(text)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            self.wrong(("setup", key), f"the file {name} cannot be read: {reason}")
            return []
        except yaml.YAMLError as error:
            mark, place = getattr(error, "problem_mark", None), getattr(error, "position", None)
            line = mark.line + 1 if mark else text.count("\n", 0, place) + 1 if place is not None else None
            what = getattr(error, "problem", None) or getattr(error, "reason", None) or "this is not YAML"
            self.mistakes.append(Mistake(name, line, f"{what}; mind the spaces at the line's start"))
            return []
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):  # `!!int x`, `[[[[…`
            told = "a value in it cannot be read as it is written: put it in quotes"
            self.mistakes.append(Mistake(name, yaml_line(text, (key,)), told))
            return []
        inside = isinstance(value, dict) and list(value) == [key]
        self.yaml[key] = (name, text, (key,) if inside else ())
        return value[key] if inside else value

    def _options(self, ruleset: Ruleset) -> dict[str, Any]:
        options = dict(self.table("options").data)
        for name in list(options):
            try:
                ruleset.check_option(name, options[name])
            except SetupRefused as error:
                if name in ruleset.options or not self.misspelling(("options", name), ruleset.options):
                    self.wrong(("options", name), str(error))
                del options[name]
        return options

    def _game(self, ruleset: Ruleset | None, players: list[Player], seed: str, start: str | None) -> Game | None:
        """The game, tried out: whatever the ruleset refuses is a mistake at its place, and the next ones are looked for."""
        if ruleset is None:
            return None
        options, setup = self._options(ruleset), self._setup(ruleset)
        seats: dict[str, Any] = {one.name: {**one.given, "aliases": list(one.aliases)} for one in players}
        for name in [name for name, given in seats.items() if "role" not in given]:
            if not self.undealt:
                self.wrong(("players", name), f"{name} has no role: write one, or add a [deal] table to have them dealt")
            del seats[name]
        tried = _Trial(seats, setup, start)
        while tried.seats:
            try:
                game = ruleset.game(tried.seats, options=options, setup=tried.setup, seed=seed, start=tried.start)
                ruleset.begin(game)
                ruleset.first_label(game)
                return replace(game, setup={**ruleset.drawn(game), **game.setup}) if "deal" in self.data else game
            except SetupRefused as error:
                if not tried.follows(error):
                    self.wrong(tried.place(error.path), str(error))
                if not tried.without(error):
                    return None
        return None


@dataclass(slots=True)
class _Trial:
    """A set-up being tried out, from which what was refused is taken, so that one mistake does not hide the next."""

    seats: dict[str, Any]
    setup: dict[str, Any]
    start: str | None
    gone: list[str] = field(default_factory=list)
    """Words that mean nothing any more because what they name was taken out."""
    taken: dict[str, list[int]] = field(default_factory=dict)
    """By set-up key, the places of what was taken out of its list, as they are in the file."""

    def follows(self, error: SetupRefused) -> bool:
        """Whether the refusal only follows from what was taken out."""
        return any(f"`{word}`" in str(error) for word in self.gone)

    def place(self, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
        """The path as it is in the file."""
        if len(path) < 3 or path[0] != "setup" or not isinstance(path[2], int):
            return path
        number = path[2]
        for before in sorted(self.taken.get(str(path[1]), ())):
            number += before <= number
        return (*path[:2], number, *path[3:])

    def without(self, error: SetupRefused) -> bool:
        """Take out what was refused; False where that cannot be told."""
        path = error.path
        if path[:1] == ("start",):
            self.start = None
            return True
        if len(path) > 1 and path[0] == "players" and path[1] in self.seats:
            del self.seats[str(path[1])]
            self.gone.append(str(path[1]))
            return True
        if len(path) < 2 or path[0] != "setup" or path[1] not in self.setup:
            return False
        key = str(path[1])
        inside = self.setup[key]
        if len(path) > 2 and isinstance(path[2], int) and isinstance(inside, list) and path[2] < len(inside):
            self.taken.setdefault(key, []).append(int(self.place(path)[2]))
            self.setup[key] = [one for number, one in enumerate(inside) if number != path[2]]
            lost = inside[path[2]]
            self.gone += [str(lost["id"])] if isinstance(lost, dict) and "id" in lost else []
        elif len(path) > 2 and isinstance(inside, dict) and path[2] in inside:
            self.setup[key] = {name: value for name, value in inside.items() if name != path[2]}
        else:
            del self.setup[key]
        return True
