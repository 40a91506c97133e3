"""The worker: what is read counts once, what is sent is sent once, wherever it is killed (quality.md, bad days)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desk.commands import command
from desk.table import Table
from desk.teaching import teach
from desk.views import answer, preview_posts, previewed, review_facts, tally_at
from publisher.delivery import LOOKED, THREAD
from scheduler import Report, alone, replay, resolve_now, start, tick
from scraper.model import BadInput, Message, Post, SourceError
from store.record import Draft, Record

T0 = datetime(2026, 11, 2, 20, 0, tzinfo=UTC)
GAME = """
ruleset = "danganronpa"
title = "A School Trip"
host = "Monokuma"
seed = "17"
waive = ["regulation", "name", "tie"]
[thread]
saved = "saved"
kind = "phpbb"
[players]
Anna = "ultimate_detective"
Boris = { role = "ultimate_nurse", black = "black_slasher" }
Cleo = "ultimate_journalist"
Dmitri = "ultimate_electrician"
Elena = { role = "ultimate_archivist", account = ["Elena", "Professor"] }
[publish]
rules = "auto"
opening = "auto"
role = "auto"
tally = "auto"
report = "auto"
private = "auto"
"""


class Killed(BaseException):
    """The process dies here."""


class Forum:
    """An outlet in memory. It dies after `life` steps, and may lose answers: then it has done as asked."""

    def __init__(self) -> None:
        self.thread: list[Post] = []
        self.inbox: list[Message] = []
        self.sent: list[tuple[str, str, str]] = []
        self.edits = 0
        self.life: int | None = None
        self.down = False
        self.record: Record | None = None

    def step(self) -> None:
        if self.life is not None:
            self.life -= 1
            if self.life < 0:
                raise Killed

    def post(self, by: str, text: str, at: datetime) -> None:
        number = len(self.thread) + 1
        self.thread.append(Post(str(number), number, by, None, at, None, f"http://forum/{number}", text, text))

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        self.record = record
        self.step()
        if self.down:
            raise SourceError("the forum is down", advice="wait")
        for post in list(self.thread):
            yield post
            self.step()

    def known_until(self, now: datetime) -> datetime:
        return now

    def accounts(self, player: str) -> tuple[str, ...]:
        taken = [one.text for one in self.record.entries() if one.kind == "replace" and one.key == player] if self.record else []
        return ((taken or [player])[-1],)

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        self.step()
        return list(self.inbox)

    def find(self, draft: Draft) -> tuple[str, str] | None:
        self.step()
        found = next((n for n, one in enumerate(self.sent) if one == (draft.audience, draft.title, draft.body)), None)
        return None if found is None else (f"own {found}", "link")

    def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
        self.step()
        if standing is None:
            self.sent.append((draft.audience, draft.title, draft.body))
            number = len(self.sent) - 1
        else:
            number = int(standing.split()[1])
            self.sent[number] = (draft.audience, draft.title, draft.body)
            self.edits += 1
        self.step()
        return f"own {number}", "link"


def red(text: str) -> str:
    return f"[b][color=red]{text}[/color][/b]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    table.record.close()
    return tmp_path


def played(forum: Forum) -> None:
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=1))
    forum.post("Professor", red("Boris"), T0 + timedelta(hours=2))
    forum.post("A stranger", red("Anna"), T0 + timedelta(hours=3))
    forum.post("Cleo", red("Anna"), T0 + timedelta(hours=49))
    forum.inbox.append(Message("m1", "Cleo", ("Monokuma",), T0 + timedelta(hours=1), "x", "stake out Anna", "inbox"))


def run_on(folder: Path, forum: Forum, hours: float) -> Report:
    return tick(folder, now=T0 + timedelta(hours=hours), outlet=forum)


def test_a_game_runs_from_its_posts(folder: Path) -> None:
    forum = Forum()
    played(forum)
    report = run_on(folder, forum, 3)
    assert (report.posts, report.messages) == (4, 1)
    tally = next(body for _, title, body in forum.sent if "Boris" in body and "trial 1" in title.lower())
    assert "Anna" in tally
    assert any(to == "Cleo" and "stake" in body.lower() for to, _, body in forum.sent)  # refused, told at once
    report = run_on(folder, forum, 50)
    assert report.closed == ["trial 1"]
    table = Table.at(folder)
    assert table.state().winner == ["white"]
    assert table.current() is None
    assert replay(folder) == []


def test_nothing_new_sends_nothing(folder: Path) -> None:
    forum = Forum()
    played(forum)
    run_on(folder, forum, 3)
    before, edits = list(forum.sent), forum.edits
    report = run_on(folder, forum, 4)
    assert (report.posts, report.messages, report.sent) == (0, 0, [])
    assert (forum.sent, forum.edits) == (before, edits)


def test_a_name_that_the_gm_has_taught_is_in_the_tally_with_the_next_tick(folder: Path) -> None:
    forum = Forum()
    run_on(folder, forum, 1)
    forum.post("Anna", red("Vote: Bo the Nurse"), T0 + timedelta(hours=2))
    run_on(folder, forum, 3)
    assert not any("Boris – 1 – " in body for _, _, body in forum.sent)
    teach(folder, "Boris", "Bo the Nurse")
    run_on(folder, forum, 4)
    assert any("Boris – 1 – " in body for _, _, body in forum.sent)
    edits = forum.edits
    run_on(folder, forum, 5)
    assert forum.edits == edits


def test_role_messages_are_sent_once(folder: Path) -> None:
    forum = Forum()
    run_on(folder, forum, 1)
    run_on(folder, forum, 50)
    roles = [to for to, _, body in forum.sent if to != THREAD and "ltimate" in body]
    assert sorted(roles) == sorted(set(roles))


def test_killed_at_any_step_it_ends_the_same(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    calm = Forum()
    played(calm)
    run_on(folder, calm, 3)
    run_on(folder, calm, 50)
    kills = 0
    for life in range(0, 80, 3):
        again = tmp_path_factory.mktemp("killed")
        (again / "game.toml").write_text(GAME, encoding="utf-8")
        table = Table.at(again)
        start(table, T0)
        table.record.close()
        forum = Forum()
        played(forum)
        for hours in (3, 50):
            forum.life = life
            try:
                run_on(again, forum, hours)
            except Killed:
                kills += 1
            forum.life = None
            run_on(again, forum, hours)
        assert sorted(forum.sent) == sorted(calm.sent), life
        table = Table.at(again)
        assert table.state().winner == ["white"]
        table.record.close()
    assert kills > 10


def test_a_forum_that_is_down_is_not_read_as_no_posts(folder: Path) -> None:
    forum = Forum()
    played(forum)
    forum.down = True
    report = run_on(folder, forum, 50)
    assert report.status == 3
    assert report.closed == []
    table = Table.at(folder)
    assert "the forum is down" in table.record.notices()[-1][1]
    table.record.close()
    forum.down = False
    assert run_on(folder, forum, 51).closed == ["trial 1"]


def test_two_ticks_at_once(folder: Path) -> None:
    with alone(folder) as free:
        assert free
        report = run_on(folder, Forum(), 3)
    assert report.busy
    assert report.status == 0


def test_off_over_several_deadlines(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Dmitri"), T0 + timedelta(hours=1))
    forum.post("Cleo", "[b][color=green]gym[/color][/b]", T0 + timedelta(hours=2))
    forum.post("Cleo", red("Anna"), T0 + timedelta(hours=48, seconds=1))
    report = run_on(folder, forum, 24 * 5 + 1)
    assert report.closed == ["trial 1", "daily life 1", "daily life 2", "daily life 3"]
    table = Table.at(folder)
    trial = table.record.events(1)
    assert next(event for event in trial if event.kind == "tally")["published"] == {"Dmitri": 1}
    assert replay(folder) == []


def test_an_edited_post_keeps_both_contents(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Dmitri"), T0 + timedelta(hours=1))
    run_on(folder, forum, 2)
    before = forum.thread[0]
    forum.thread[0] = Post(before.id, 1, "Anna", None, before.posted_at, T0 + timedelta(hours=3), before.url, red("Cleo"), "Cleo")
    run_on(folder, forum, 4)
    table = Table.at(folder)
    outcome = table.play(close=False)
    assert outcome.tally is not None
    assert outcome.tally["published"] == {"Cleo": 1}
    phase = table.current()
    assert phase is not None
    post = table.inputs(phase).posts[0]
    assert (post.text, post.edits[0].text, post.edits[0].at) == (red("Dmitri"), red("Cleo"), T0 + timedelta(hours=3))
    table.record.close()


def tallies(forum: Forum) -> int:
    return sum("votes in trial" in title.lower() for _, title, _ in forum.sent)


def test_a_new_tally_every_so_many_posts(folder: Path) -> None:
    (folder / "game.toml").write_text(GAME + '[tally]\nmode = "new"\nevery_posts = 3\n', encoding="utf-8")
    forum = Forum()
    run_on(folder, forum, 1)
    assert tallies(forum) == 1
    for number, expected in ((1, 1), (2, 1), (3, 2), (4, 2)):
        forum.post("Anna", red("Boris" if number % 2 else "Cleo"), T0 + timedelta(hours=1, minutes=number))
        run_on(folder, forum, 2 + number)
        assert tallies(forum) == expected, number
    assert forum.edits == 0


def test_a_new_tally_is_due_after_so_many_posts_though_no_vote_has_changed(folder: Path) -> None:
    (folder / "game.toml").write_text(GAME + '[tally]\nmode = "new"\nevery_posts = 3\nevery_hours = 1\n', encoding="utf-8")
    forum = Forum()
    forum.post("Anna", red("Boris"), T0)
    run_on(folder, forum, 1)
    for number, expected in ((1, 1), (2, 1), (3, 2), (4, 2)):
        forum.post("Cleo", "just talk", T0 + timedelta(hours=1, minutes=number))
        run_on(folder, forum, 2 + number)
        assert tallies(forum) == expected, number
    bodies = [body for _, title, body in forum.sent if "votes in trial" in title.lower()]
    assert bodies[0] == bodies[1]


def test_a_tally_when_a_player_asks(folder: Path) -> None:
    (folder / "game.toml").write_text(GAME + '[tally]\nmode = "request"\n', encoding="utf-8")
    forum = Forum()
    forum.post("Anna", red("Boris") + " the votecount is close", T0 + timedelta(hours=1))
    run_on(folder, forum, 2)
    assert tallies(forum) == 0
    forum.post("Cleo", "[quote][b]votecount[/b][/quote] no", T0 + timedelta(hours=2))
    run_on(folder, forum, 3)
    assert tallies(forum) == 0
    forum.post("Cleo", "[b]Votecount![/b]", T0 + timedelta(hours=3))
    run_on(folder, forum, 4)
    run_on(folder, forum, 5)
    assert tallies(forum) == 1


def test_a_new_tally_every_so_many_hours_though_nothing_more_is_posted(folder: Path) -> None:
    (folder / "game.toml").write_text(GAME + '[tally]\nmode = "new"\nevery_hours = 6\n', encoding="utf-8")
    forum = Forum()
    run_on(folder, forum, 1)
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=2))
    for hour, expected in ((3, 1), (6.9, 1), (7, 2), (8, 2), (20, 2)):
        run_on(folder, forum, hour)
        assert tallies(forum) == expected, hour


def test_own_posts_and_edits_are_none_of_the_posts_after_which_a_tally_is_due(folder: Path) -> None:
    (folder / "game.toml").write_text(GAME + '[tally]\nmode = "new"\nevery_posts = 2\n', encoding="utf-8")
    forum = Forum()
    run_on(folder, forum, 1)
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=2))
    forum.post("Monokuma", "The count so far", T0 + timedelta(hours=2))
    run_on(folder, forum, 3)
    forum.thread[0] = replace(forum.thread[0], bbcode=red("Boris") + "!", edited_at=T0 + timedelta(hours=3))
    run_on(folder, forum, 4)
    assert tallies(forum) == 1
    forum.post("Cleo", "so", T0 + timedelta(hours=4))
    run_on(folder, forum, 5)
    assert tallies(forum) == 2


def test_who_asked_in_an_earlier_phase_asks_no_more(folder: Path) -> None:
    players = "\n".join(f'P{number} = "{role}"' for number, role in enumerate(("godfather", "doctor", "police", "innocent", "innocent")))
    (folder / "game.toml").write_text(
        f'ruleset = "persian"\ntitle = "T"\nhost = "Gad"\nseed = "1"\nwaive = "all"\n[thread]\nsaved = "saved"\nkind = "phpbb"\n'
        f'[players]\n{players}\n[options]\nfirst_phase = "day"\n[publish]\nreport = "auto"\n[tally]\nmode = "request"\n', encoding="utf-8",
    )  # fmt: skip
    (folder / "game.db").unlink()
    start(Table.at(folder), T0)
    forum, asked = Forum(), {}
    for hour in range(1, 200, 6):
        if hour == 7:
            forum.post("P3", "[b]votecount[/b]", T0 + timedelta(hours=hour))
        run_on(folder, forum, hour)
        table = Table.at(folder)
        phase = table.current()
        if phase is not None and phase.label.kind == "day" and hour > 7:
            asked[str(phase.label)] = len(table.record.parts_of(f"tally {phase.seq}"))
        table.record.close()
    assert len(asked) > 1
    assert list(asked.values()) == [1, *[0] * (len(asked) - 1)]


def test_roles_changed_in_mid_game_stop_the_worker(folder: Path) -> None:
    table = Table.at(folder)
    table.record.set_fact("began with", json.dumps(table.settings.parts))
    table.record.close()
    run_on(folder, Forum(), 1)
    (folder / "game.toml").write_text(GAME.replace("ultimate_detective", "ultimate_lawyer"), encoding="utf-8")
    with pytest.raises(BadInput, match="no longer as the game began"):
        run_on(folder, Forum(), 2)


def test_a_seed_changed_in_mid_game_is_all_that_is_named(folder: Path) -> None:
    table = Table.at(folder)
    table.record.set_fact("began with", json.dumps(table.settings.parts))
    table.record.close()
    (folder / "game.toml").write_text(GAME.replace('seed = "17"', 'seed = "18"'), encoding="utf-8")
    with pytest.raises(BadInput, match=r"as the game began: seed\. Set it back"):
        Table.at(folder)


def test_an_overdue_phase_shows_no_late_votes(folder: Path) -> None:
    (folder / "game.toml").write_text(GAME.replace('waive = ["regulation", "name", "tie"]', "waive = []"), encoding="utf-8")
    forum = Forum()
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=1))
    forum.post("Cleo", red("Dmitri"), T0 + timedelta(hours=2))
    forum.post("Elena", red("Dmitri"), T0 + timedelta(hours=60))
    late = T0 + timedelta(hours=70)
    report = run_on(folder, forum, 70)
    assert [question.question for question in report.questions] == ["tie"]
    assert {row["target"]: row["votes"] for row in tally_at(folder, None, late)["counts"]} == {"Boris": 1, "Dmitri": 1}
    assert [one["question"] for one in review_facts(folder, late)["questions"]][:1] == ["tie"]


def test_what_came_in_the_minute_of_the_deadline_is_told_as_the_phase_is_closed(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=47))
    forum.post("Cleo", red("Boris"), T0 + timedelta(hours=48))
    forum.post("Dmitri", "Just in time.", T0 + timedelta(hours=48))
    forum.post("Elena", red("Boris"), T0 + timedelta(hours=48, minutes=1))
    run_on(folder, forum, 48.1)
    told = [text for _, text in Table.at(folder).record.notices() if "very minute" in text]
    assert len(told) == 1
    assert told[0].startswith("Cleo wrote in the very minute in which trial 1 ended.")
    assert told[0].endswith("http://forum/2")


def test_a_message_in_the_minute_of_a_deadline_with_seconds_is_told(folder: Path) -> None:
    forum = Forum()
    run_on(folder, forum, 49)
    ends = T0 + timedelta(hours=72, seconds=40)
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    table.record.move_deadline(phase.seq, ends)
    table.record.close()
    at = ends.replace(second=0)
    forum.inbox.append(Message("m1", "Anna", ("Monokuma",), at, "", "shadow Cleo", "https://forum/m1"))
    forum.inbox.append(Message("m2", "Boris", ("Monokuma",), at - timedelta(minutes=1), "", "care Cleo", "https://forum/m2"))
    run_on(folder, forum, 72.2)
    told = [text for _, text in Table.at(folder).record.notices() if "very minute" in text]
    assert [text.partition(" ")[0] for text in told] == ["Anna"]


def test_the_review_shows_what_is_doubtful_before_the_close(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("nobody we know"), T0 + timedelta(hours=1))
    forum.post("Profesor", red("Boris"), T0 + timedelta(hours=2))
    forum.post("Cleo", red("Boris"), T0 + timedelta(hours=48))
    forum.post("Monokuma", "Night falls.", T0 + timedelta(hours=48))
    run_on(folder, forum, 3)
    doubts = {(one["topic"], one["player"]) for one in review_facts(folder, T0 + timedelta(hours=49))["doubts"]}
    assert {("unreadable", "Anna"), ("stranger", "Profesor"), ("deadline_minute", "Cleo")} == doubts


def test_one_damaged_export_stops_nothing(folder: Path) -> None:
    (folder / "mail").mkdir()
    (folder / "mail" / "broken.zip").write_bytes(b"PK\x03\x04 cut off")
    (folder / "mail" / "good.eml").write_text(
        "From: Cleo <c@example.org>\nTo: gm@example.org\nDate: Mon, 02 Nov 2026 21:00:00 +0000\nMessage-ID: <1@example.org>\n"
        "Subject: x\n\nstake out Anna\n", encoding="utf-8",
    )  # fmt: skip
    (folder / "game.toml").write_text(GAME + '[mail]\npaths = ["mail"]\n', encoding="utf-8")
    report = tick(folder, now=T0 + timedelta(hours=3))
    assert (report.messages, report.trouble) == (1, [])
    table = Table.at(folder)
    assert "broken.zip" in table.record.notices()[-1][1]
    table.record.close()


def test_a_vote_that_fits_two_shows_as_such(folder: Path) -> None:
    (folder / "game.toml").write_text(GAME.replace('Dmitri = "', 'Annabel = "'), encoding="utf-8")
    forum = Forum()
    forum.post("Cleo", red("Ann"), T0 + timedelta(hours=1))
    run_on(folder, forum, 2)
    assert tally_at(folder, None, T0 + timedelta(hours=2))["unclear"] == [{"player": "Cleo", "text": "Ann"}]
    assert any("Not counted" in body and "“Ann”" in body for _, title, body in forum.sent if "votes in trial" in title.lower())


def test_a_preview_shows_each_post_and_keeps_nothing(folder: Path) -> None:
    forum = Forum()
    played(forum)
    run_on(folder, forum, 3)
    now = T0 + timedelta(hours=4)
    outcome, _ = previewed(folder, [], now)
    table = Table.at(folder)
    drafts = len(table.record.drafts())
    posts = dict(preview_posts(folder, outcome, now))
    assert len(table.record.drafts()) == drafts
    table.record.close()
    thread = next(body for title, body in posts.items() if title.startswith("in the thread"))
    assert "Boris is executed" in thread
    assert not any("your talents" in title for title in posts)  # told at the start


def test_a_refused_log_in_is_not_tried_at_every_tick(folder: Path) -> None:
    from scraper.forum import LoginFailed

    class Refusing(Forum):
        def posts(self, record: Record, now: datetime) -> Iterable[Post]:
            self.edits += 1
            raise LoginFailed("The password is wrong.", advice="Set it anew.")

    forum = Refusing()
    asked = [tick(folder, now=T0 + timedelta(minutes=minute), outlet=forum).status for minute in range(0, 60, 5)]
    assert asked == [3] * 12
    assert forum.edits == 3  # at once, after a quarter of an hour, and after half an hour more
    assert tick(folder, now=T0 + timedelta(hours=3), outlet=Forum()).status == 0
    assert Table.at(folder).record.bookmark("login refused") is None


@pytest.mark.parametrize("hours", [1, 49.1])
def test_a_log_in_refused_after_the_thread_was_read_is_tried_once_and_what_was_read_is_told(folder: Path, hours: float) -> None:
    """The thread may be read by anybody, the private messages not; at the deadline both are read twice."""
    from scraper.forum import LoginFailed

    class Refusing(Forum):
        tried = 0
        lets_in = 0

        def messages(self, record: Record, now: datetime) -> Iterable[Message]:
            if self.lets_in:
                self.lets_in -= 1
                return []
            self.tried += 1
            raise LoginFailed("The password is wrong.")

        def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
            self.tried += 1
            raise LoginFailed("The password is wrong.")

    forum = Refusing()
    at = T0 + timedelta(hours=hours)
    tick(folder, now=T0 + timedelta(minutes=5), outlet=(opened := Forum()))
    forum.thread = opened.thread
    ours = next(draft for draft in Table.at(folder).record.drafts() if draft.post and draft.audience == "thread")
    forum.post("Monokuma", ours.body, at)
    forum.lets_in = hours > 48
    record = Table.at(folder).record
    record.add_draft("more", "report", "thread", "More", "And more.", "approved", at, None)
    record.set_bookmark(LOOKED, T0.isoformat())
    record.close()
    assert tick(folder, now=at, outlet=forum).status == 3
    assert forum.tried == 1
    assert sum("stands twice in the thread" in text for _, text in Table.at(folder).record.notices()) == 1


def test_what_a_phase_brings_for_the_gm_alone_is_told_and_is_no_doubt(tmp_path: Path) -> None:
    roles = {"Anna": "godfather", "Boris": "prince", "Cleo": "doctor", "Dmitri": "police", "Elena": "innocent"}
    players = "\n".join(f'{name} = "{role}"' for name, role in roles.items())
    (tmp_path / "game.toml").write_text(
        f'ruleset = "persian"\ntitle = "T"\nhost = "Gad"\nseed = "1"\n[thread]\nsaved = "saved"\nkind = "phpbb"\n'
        f'[players]\n{players}\n[options]\nfirst_phase = "night"\n', encoding="utf-8",
    )  # fmt: skip
    start(Table.at(tmp_path), T0)
    assert review_facts(tmp_path, T0 + timedelta(hours=1))["doubts"] == []
    forum = Forum()
    forum.inbox.append(Message("m", "Anna", ("Gad",), T0 + timedelta(hours=2), "", "kill Elena", "pm"))
    tick(tmp_path, now=T0 + timedelta(hours=25), outlet=forum)
    told = [text for _, text in Table.at(tmp_path).record.notices()]
    assert sum("night 1, report key: text" in text for text in told) == 4
    assert any("death record: player Elena, role innocent" in text for text in told)


def test_a_phase_is_not_closed_on_pages_saved_before_its_deadline(tmp_path: Path) -> None:
    import os
    import shutil

    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    start(Table.at(tmp_path), T0)
    due = T0 + timedelta(hours=49)
    held = tick(tmp_path, now=due)
    assert held.closed == []
    assert held.status == 1
    (tmp_path / "saved").mkdir()
    page = tmp_path / "saved" / "page.html"
    shutil.copy(Path(__file__).parent / "pages" / "phpbb-3.0.html", page)
    early, late = ((T0 + timedelta(hours=hours)).timestamp() for hours in (30, 48.5))
    os.utime(page, (early, early))
    assert tick(tmp_path, now=due).closed == []
    assert "save the topic's last pages once more" in held.held[0]
    os.utime(page, (late, late))
    assert tick(tmp_path, now=due + timedelta(minutes=1)).closed == ["trial 1"]


def test_what_is_sent_as_the_game_opens_counts_and_what_is_older_is_told(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Vote: Boris"), T0)
    forum.post("Cleo", red("Vote: Boris"), T0 - timedelta(hours=1))
    tick(folder, now=T0 + timedelta(hours=1), outlet=forum)
    outcome = Table.at(folder).play(close=False)
    assert outcome.tally is not None
    assert outcome.tally["votes"] == {"Boris": ["Anna"]}
    assert any("by Cleo" in text and "older than the game" in text for _, text in Table.at(folder).record.notices())


def test_a_post_first_read_after_it_was_edited_after_the_deadline_is_the_gms_to_judge(folder: Path) -> None:
    from dataclasses import replace

    from desk.views import open_questions

    forum = Forum()
    forum.post("Cleo", red("Vote: Elena"), T0 + timedelta(hours=1))
    forum.post("Dmitri", red("Vote: Anna"), T0 + timedelta(hours=47.9))
    forum.thread[1] = replace(forum.thread[1], edited_at=T0 + timedelta(hours=48.02))
    now = T0 + timedelta(hours=49)
    report = tick(folder, now=now, outlet=forum)
    assert report.closed == []
    assert report.questions[0].question == "edited_late"
    assert [one.question for one in open_questions(Table.at(folder), now)][:1] == ["edited_late"]
    answer(folder, "1", "void", now)
    assert tick(folder, now=now, outlet=forum).closed == ["trial 1"]
    (lynch,) = [event for event in Table.at(folder).record.events(1) if event.kind == "lynch"]
    assert lynch["player"] == "Elena"
    assert replay(folder) == []


@pytest.mark.parametrize("command", ["resolve", "gm", "status"])
def test_a_game_that_has_become_another_is_refused_by_every_command(tmp_path: Path, command: str) -> None:
    from desk.commands import command as given
    from desk.dealing import begin
    from desk.views import status_facts
    from scheduler import resolve_now

    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    begin(tmp_path, T0)
    (tmp_path / "game.toml").write_text(GAME.replace('"ultimate_detective"', '"ultimate_lawyer"'), encoding="utf-8")
    now = T0 + timedelta(hours=1)
    does = {
        "resolve": lambda: resolve_now(tmp_path, now=now), "gm": lambda: given(tmp_path, "vote Cleo for Anna", now),
        "status": lambda: status_facts(tmp_path, now),
    }  # fmt: skip
    with pytest.raises(BadInput, match=r"players\.Anna"):
        does[command]()


def test_resolve_reads_first_and_closes_nothing_where_it_cannot(folder: Path) -> None:
    from scheduler import resolve_now

    forum = Forum()
    forum.post("Anna", red("Vote: Elena"), T0 + timedelta(hours=1))
    forum.down = True
    now = T0 + timedelta(hours=2)
    assert resolve_now(folder, now=now, outlet=forum).status == 3
    forum.down = False
    report = resolve_now(folder, now=now, outlet=forum)
    assert (report.posts, report.closed) == (1, ["trial 1"])


def test_what_nobodys_account_says_is_told_with_who_it_may_be(folder: Path) -> None:
    from dataclasses import replace

    forum = Forum()
    forum.post("Anna", red("Vote: Elena"), T0 + timedelta(hours=1))
    forum.post("Annika", red("Vote: Boris"), T0 + timedelta(hours=2))
    forum.thread = [replace(post, author_id="7") for post in forum.thread]
    forum.inbox.append(Message("m", "Somebody", ("Monokuma",), T0 + timedelta(hours=2), "", "murder Anna", "pm"))
    tick(folder, now=T0 + timedelta(hours=3), outlet=forum)
    notices = [text for _, text in Table.at(folder).record.notices()]
    assert any("by Annika" in text and "was called Anna" in text for text in notices)
    assert any("message by Somebody" in text for text in notices)


def test_an_option_changed_in_the_first_phase_holds_for_posts_and_deadlines(tmp_path: Path) -> None:
    """PER-NIGHT-09: what is announced is done, in the posts that come after and in the hours of the phases."""
    roles = {"Anna": "godfather", "Boris": "prince", "Cleo": "doctor", "Dmitri": "police", "Elena": "innocent"}
    players = "\n".join(f'{name} = "{role}"' for name, role in roles.items())
    (tmp_path / "game.toml").write_text(
        f'ruleset = "persian"\ntitle = "T"\nhost = "Gad"\nseed = "1"\n[thread]\nsaved = "saved"\nkind = "phpbb"\n'
        f'[players]\n{players}\n[options]\nfirst_phase = "night"\n[publish]\nreport = "auto"\n', encoding="utf-8",
    )  # fmt: skip
    start(Table.at(tmp_path), T0)
    for words in ("option language en", "option day_hours 30"):
        command(tmp_path, words, T0 + timedelta(hours=1))
    forum = Forum()
    assert tick(tmp_path, now=T0 + timedelta(hours=25), outlet=forum).closed == ["night 1"]
    table = Table.at(tmp_path)
    phase = table.current()
    assert phase is not None
    assert phase.deadline == T0 + timedelta(hours=24 + 30)
    (report,) = [draft for draft in table.record.drafts() if draft.kind == "report"]
    assert "Text A" in report.body
    assert "متن" not in report.body


@pytest.mark.parametrize(
    ("sent", "counts"),
    [(-125, False), (-90, True), (5, True), (7, True), (8, True), (0, True)],
    ids=["before", "by a slow clock", "just before", "in the same second", "after", "of that minute, without seconds"],
)
def test_what_is_sent_as_a_phase_is_closed_by_hand_is_never_lost_without_a_word(folder: Path, sent: float, counts: bool) -> None:
    """Read only after the phase was closed at 7 seconds past: it counts in the next phase, or the GM is told that it does not."""
    forum, minute = Forum(), T0 + timedelta(hours=5)
    assert resolve_now(folder, now=minute + timedelta(seconds=7.4), outlet=forum).closed == ["trial 1"]
    at = minute + timedelta(seconds=sent)
    forum.inbox.append(Message("late", "Cleo", ("Monokuma",), at, "", "stake_out Anna", "pm"))
    tick(folder, now=minute + timedelta(minutes=2), outlet=forum)
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    told = [text for _, text in table.record.notices() if "was read only after trial 1" in text]
    assert [one.id for one in table.inputs(phase).orders] == (["message 1"] if counts else [])
    assert len(told) == (not counts)


def test_what_was_sent_in_a_phase_but_read_two_phases_later_is_told(folder: Path) -> None:
    forum, minute = Forum(), T0 + timedelta(hours=5)
    for hours in (0, 1):
        assert resolve_now(folder, now=minute + timedelta(hours=hours, seconds=7), outlet=forum).closed
    forum.inbox.append(Message("late", "Cleo", ("Monokuma",), minute + timedelta(seconds=7), "", "stake_out Anna", "pm"))
    tick(folder, now=minute + timedelta(hours=2), outlet=forum)
    assert sum("had been resolved" in text for _, text in Table.at(folder).record.notices()) == 1


@pytest.mark.parametrize("given", ["Cleo", "Elena", "none"])
def test_an_answer_to_a_tie_is_none_to_another_tie(tmp_path: Path, given: str) -> None:
    """Between the GM's look and the close all pages are read again: who had most votes then may not be among the tied now."""
    (tmp_path / "game.toml").write_text(GAME.replace(', "tie"]', "]"), encoding="utf-8")
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0)
    forum.post("Anna", red("Elena"), T0 + timedelta(hours=1))
    forum.post("Boris", red("Cleo"), T0 + timedelta(hours=1))
    run_on(tmp_path, forum, 47)
    answer(tmp_path, "1", given, T0 + timedelta(hours=48))
    forum.thread[1] = replace(forum.thread[1], bbcode=red("Dmitri"), edited_at=T0 + timedelta(hours=47.5))
    report = run_on(tmp_path, forum, 48.1)
    assert (report.closed, [one.choices for one in report.questions]) == ([], [("Dmitri", "Elena")])
    answer(tmp_path, "1", "Elena", T0 + timedelta(hours=49))
    assert run_on(tmp_path, forum, 49.1).closed == ["trial 1"]
    assert [event["player"] for event in table.record.events() if event.kind == "lynch"] == ["Elena"]
    assert replay(tmp_path) == []


@pytest.mark.parametrize("given", ["Jon Snow", "none"])
def test_an_answer_to_what_a_post_said_is_none_to_what_it_says_after_an_edit(tmp_path: Path, given: str) -> None:
    text = GAME.replace(', "name"', "").replace("Cleo", '"Jon Snow"').replace("Dmitri", '"Jon Arryn"').replace("Boris", "Annabel")
    (tmp_path / "game.toml").write_text(text, encoding="utf-8")
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0)
    forum.post("Elena", red("Vote: Jon"), T0 + timedelta(hours=1))
    run_on(tmp_path, forum, 2)
    answer(tmp_path, "1", given, T0 + timedelta(hours=3))
    forum.thread[0] = replace(forum.thread[0], bbcode=red("Vote: Ann"), edited_at=T0 + timedelta(hours=4))
    run_on(tmp_path, forum, 5)
    report = run_on(tmp_path, forum, 48.1)
    assert (report.closed, [one.choices for one in report.questions]) == ([], [("Anna", "Annabel")])
    answer(tmp_path, "1", "Anna", T0 + timedelta(hours=49))
    assert run_on(tmp_path, forum, 49.1).closed == ["trial 1"]
    assert [event["player"] for event in table.record.events() if event.kind == "lynch"] == ["Anna"]


def test_a_vote_in_the_very_second_of_resolve_counts(folder: Path) -> None:
    """This machine's clock has fractions of a second, the forum's posts have none."""
    forum = Forum()
    forum.post("Anna", red("Elena"), T0 + timedelta(hours=1))
    run_on(folder, forum, 2)
    now = T0 + timedelta(hours=5, seconds=5, microseconds=300_000)
    for voter in ("Boris", "Cleo"):
        forum.post(voter, red("Anna"), now.replace(microsecond=0))
    assert resolve_now(folder, now=now, outlet=forum).closed == ["trial 1"]
    assert [event["player"] for event in Table.at(folder).record.events() if event.kind == "lynch"] == ["Anna"]
    assert replay(folder) == []


def test_what_comes_half_a_second_after_a_full_minute_is_of_the_next_phase(folder: Path) -> None:
    """Discourse tells milliseconds."""
    forum, at = Forum(), T0 + timedelta(hours=48, milliseconds=500)
    forum.post("Anna", red("Elena"), T0 + timedelta(hours=1))
    forum.post("Boris", red("Anna"), at)
    forum.inbox.append(Message("m1", "Cleo", ("Monokuma",), at, "x", "stake out Anna", "inbox"))
    run_on(folder, forum, 49)
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    inputs = table.inputs(phase)
    assert ([post.id for post in inputs.posts], [order.by for order in inputs.orders]) == (["post 2"], ["Cleo"])


def test_of_two_posts_of_one_minute_the_last_in_the_thread_holds_though_it_was_read_first(folder: Path) -> None:
    """A moderator let the first one through later (cases.md 89)."""
    forum = Forum()
    forum.post("Anna", red("Elena"), T0 + timedelta(hours=1))
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=1))
    whole = list(forum.thread)
    for hours, shown in ((2, whole[1:]), (3, whole)):
        forum.thread[:] = shown
        run_on(folder, forum, hours)
    run_on(folder, forum, 48.1)
    assert [event["player"] for event in Table.at(folder).record.events() if event.kind == "lynch"] == ["Boris"]


def test_a_post_of_the_first_moment_that_was_first_read_after_a_late_edit_is_asked_about(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Elena"), T0)
    forum.thread[0] = replace(forum.thread[0], edited_at=T0 + timedelta(hours=49))
    assert [one.question for one in run_on(folder, forum, 50).questions] == ["edited_late"]


def test_a_post_keeps_its_time_though_the_forum_shows_another_one_later(folder: Path) -> None:
    """An account's zone was changed: what counted in one phase does not count again in the next."""
    forum = Forum()
    forum.post("Anna", red("Elena"), T0 + timedelta(hours=47.5))
    run_on(folder, forum, 49)
    forum.thread[0] = replace(forum.thread[0], posted_at=T0 + timedelta(hours=48.5), bbcode=red("Elena") + "!")
    run_on(folder, forum, 50)
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    assert table.inputs(phase).posts == ()
