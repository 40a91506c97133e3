"""`nightpost demo`: a whole small game on a practice forum on this machine, in under a minute.

Players post and send orders, some in odd ways; the worker ticks, tallies in the thread, asks the GM one question, resolves,
announces, and ends with the winner. The thread is left as an HTML page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from demo.practice import PracticeForum
from desk.table import Table
from publisher.forum import ForumOutlet
from scheduler import Report, start, tick
from scraper.live_phpbb import LivePhpbb
from scraper.session import Session

HOST = "Monokuma"
PLAYERS = {
    "Anna": 'role = "ultimate_detective"',
    "Boris": 'role = "ultimate_nurse", black = "black_slasher"',
    "Cleo": 'role = "ultimate_journalist"',
    "Dmitri": 'role = "ultimate_electrician"',
    "Elena": 'role = "ultimate_archivist", aliases = ["Professor"]',
    "Farid": 'role = "ultimate_surgeon"',
    "Gita": 'role = "ultimate_lawyer"',
}
START = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)


class Clock:
    """The demo's time: it moves when told to, and when the worker waits."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> datetime:
        """The present moment of the demo."""
        return self.moment

    def go(self, **by: float) -> None:
        """Let time pass."""
        self.moment += timedelta(**by)

    def sleep(self, seconds: float) -> None:
        """Waiting costs no real time."""
        self.go(seconds=seconds)


def red(text: str) -> str:
    """Bold red, as votes are written."""
    return f"[b][color=red]{text}[/color][/b]"


def green(text: str) -> str:
    """Bold green, as hangout plans are written."""
    return f"[color=green][b]{text}[/b][/color]"


def blue(text: str) -> str:
    """Bold blue, as investigations are written."""
    return f"[b][color=blue]{text}[/color][/b]"


class Stage:
    """The practice forum, the game folder, and what happens on them."""

    def __init__(self, folder: Path, forum: PracticeForum, clock: Clock, say: Callable[[str], None]) -> None:
        self.folder, self.forum, self.clock, self.say = folder, forum, clock, say
        for name in (HOST, *PLAYERS):
            forum.add_user(name)
        self.topic = forum.add_topic("A School Trip", HOST, "Welcome to Hope's Peak. Sign-ups are closed.")
        forum.start()
        session = Session(seconds_between=0, clock=lambda: clock.now().timestamp(), sleep=clock.sleep, now=clock.now)
        self.live = LivePhpbb(forum.url, session, now=clock.now)
        self.live.log_in(HOST, "secret")
        (folder / "game.toml").write_text(_game_toml(forum.url, self.topic), encoding="utf-8")

    def outlet(self) -> ForumOutlet:
        """The forum as the worker sees it."""
        from desk.settings import load_settings

        return ForumOutlet(load_settings(self.folder), self.live, str(self.topic), member=True)

    def post(self, by: str, text: str) -> None:
        """A player posts in the thread."""
        self.clock.go(minutes=7)
        self.forum.post(self.topic, by, text)
        self.say(f"  {by} posts: {text}")

    def message(self, by: str, text: str) -> None:
        """A player writes to the GM."""
        self.clock.go(minutes=7)
        self.forum.send_pm(by, HOST, "my order", text)
        self.say(f"  {by} writes to the GM: {text}")

    def tick(self) -> Report:
        """One run of the worker."""
        self.clock.go(minutes=20)
        report = tick(self.folder, now=self.clock.now(), outlet=self.outlet())
        self.say(f"tick at {self.clock.now():%d %b %H:%M} UTC: {report.posts} posts and {report.messages} messages read")
        for label in report.closed:
            self.say(f"  closed {label}")
        for title in report.sent:
            self.say(f"  sent: {title}")
        for text in report.trouble:
            self.say(f"  trouble: {text}")
        return report

    def deadline(self) -> Report:
        """Wait until the phase is over, and tick."""
        table = Table.at(self.folder)
        phase = table.current()
        table.record.close()
        assert phase is not None
        assert phase.deadline is not None
        self.clock.moment = max(self.clock.now(), phase.deadline)
        return self.tick()


def main(*, say: Callable[[str], None] = print, page: Path = Path("demo-thread.html")) -> int:
    """Play the demo; returns 0 when the game ended as it should."""
    with _stage(say) as stage:
        table = Table.at(stage.folder)
        start(table, stage.clock.now())
        table.record.close()
        stage.tick()
        _first_trial(stage)
        _nights(stage)
        winner = _last_trial(stage)
        _write_page(stage, page)
    say(f"The winner: {', '.join(winner or ['nobody'])}. The thread as it stands: {page}")
    return 0 if winner == ["white"] else 1


def _first_trial(stage: Stage) -> None:
    stage.post("Anna", f"Morning! {red('Vote: Boris')} {green('gym')}")
    stage.post("Boris", f"[quote=Anna]{red('Vote: Boris')}[/quote] How rude. {red('professor')} {green('Anna')}")
    stage.post("Cleo", f"[s]{red('Anna')}[/s] hm. {green('the Gym')}")
    stage.tick()
    stage.post("Dmitri", f"[color=#cc0000]I would say [b]Elena[/b][/color]. {green('lounge')}")
    stage.post("Elena", f"{red('Dmitri')} no wait {red('I vote for Boirs!')} {green('lounge')}")
    stage.post("Farid", f"{red('somebody else')} {green('gym')}")
    stage.post("Gita", green("Farid"))
    stage.tick()
    report = stage.deadline()
    for question in report.questions:
        stage.say(f"  the worker asks the GM: {question.question}? one of {', '.join(question.choices)}")
        table = Table.at(stage.folder)
        table.record.add_entry("answer", "Elena", stage.clock.now(), key=question.key)
        table.record.close()
        stage.say("  the GM answers: Elena")
    stage.tick()


def _nights(stage: Stage) -> None:
    stage.message("Boris", "Hello! Please murder Cleo tonight.\n\nThanks\n-- \nvote Anna")
    stage.message("Anna", "I'd like to shadow boris")
    stage.message("Dmitri", "short circut Boris")
    stage.tick()
    stage.deadline()
    stage.post("Anna", blue("Cleo"))
    stage.post("Farid", blue("the gym"))
    stage.post("Gita", blue("Black Slasher"))
    stage.deadline()


def _last_trial(stage: Stage) -> list[str] | None:
    for name in ("Anna", "Dmitri", "Farid"):
        stage.post(name, red("Boris"))
    stage.post("Boris", red("Gita"))
    stage.tick()
    stage.deadline()
    table = Table.at(stage.folder)
    winner = table.state().winner
    table.record.close()
    return winner


@contextmanager
def _stage(say: Callable[[str], None]) -> Iterator[Stage]:
    clock = Clock()
    forum = PracticeForum(clock=clock.now)
    with TemporaryDirectory(prefix="nightpost-demo-") as folder:
        stage = Stage(Path(folder), forum, clock, say)
        try:
            yield stage
        finally:
            forum.stop()


def _write_page(stage: Stage, page: Path) -> None:
    from publisher.render import thread_page

    posts = [(post.author.name, f"{post.at:%Y-%m-%d %H:%M} UTC", post.text) for post in stage.forum.posts(stage.topic)]
    page.write_text(thread_page(posts, "A School Trip"), encoding="utf-8")


def _game_toml(url: str, topic: int) -> str:
    players = "\n".join(f"{name} = {{ {given} }}" for name, given in PLAYERS.items())
    return f"""
ruleset = "danganronpa"
title = "A School Trip"
host = "{HOST}"
seed = "a seed for the demo"
waive = ["regulation", "name"]
[thread]
url = "{url}viewtopic.php?t={topic}"
kind = "phpbb"
[players]
{players}
[publish]
rules = "auto"
opening = "auto"
role = "auto"
tally = "auto"
report = "auto"
private = "auto"
"""
