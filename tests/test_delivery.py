"""Nothing read is lost, nothing said counts in two phases, and words said before are not taken for a post that was sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from desk import views
from desk.commands import command
from desk.outgoing import handle
from desk.settings import Settings
from desk.table import Table
from publisher.delivery import ATTEMPTS, Attempt, Folders, deliver
from scheduler import LEASE, Report, preview, replay, resolve_now, start, tick
from scraper.forum import FloodLimit, LoginFailed, NotAllowed, NotYet, Refused, TopicLocked, TryAgain, Uncertain
from scraper.model import BadInput, Post, SourceError
from scraper.saved import SavedThread
from store.record import Draft, Record
from tests.test_tick import GAME, T0, Forum, red

TRIAL = timedelta(hours=48)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    table.record.close()
    return tmp_path


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    kept = Record(tmp_path / "other.db")
    yield kept
    kept.close()


def test_what_the_gm_says_after_the_deadline_counts_once_and_in_the_phase_that_waits(folder: Path) -> None:
    table = Table.at(folder)
    table.record.add_entry("command", "modkill Anna", T0 + TRIAL + timedelta(minutes=1))
    table.record.add_entry("command", "vote Boris for Cleo", T0 + TRIAL + timedelta(minutes=1))
    table.record.close()
    tick(folder, now=T0 + TRIAL + timedelta(minutes=3), outlet=Forum())
    tick(folder, now=T0 + TRIAL + timedelta(hours=25), outlet=Forum())
    table = Table.at(folder)
    trial, life, *_ = table.record.phases()
    assert {e["player"] for e in table.record.events(trial.seq) if e.kind == "death"} == {"Anna", "Cleo"}
    assert not [e for e in table.record.events(life.seq) if e.get("topic") == "refused"]
    table.record.close()
    assert replay(folder) == []


def test_late_posts_do_not_count_when_the_gm_resolves_or_looks_ahead(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Vote: Cleo"), T0 + timedelta(hours=1))
    forum.post("Anna", red("Vote: Boris"), T0 + TRIAL + timedelta(minutes=1))
    tick(folder, now=T0 + TRIAL + timedelta(minutes=1, seconds=30), outlet=forum)
    now = T0 + TRIAL + timedelta(minutes=1, seconds=40)
    died = [event["player"] for event in preview(folder, now=now).events if event.kind == "death"]
    assert died == ["Cleo"]
    resolve_now(folder, now=now)
    table = Table.at(folder)
    assert [e["player"] for e in table.record.events() if e.kind == "death"] == ["Cleo"]
    table.record.close()


def test_saved_pages_count_as_read_only_with_their_posts(
    folder: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "saved").mkdir()
    (folder / "saved" / "page.html").write_text("x")
    post = Post("1", 1, "Anna", None, T0, None, None, "hello", "hello")
    monkeypatch.setattr("scraper.saved.read_saved", lambda *_, **__: SavedThread("phpbb", "7", "It", (post,)))
    outlet = Folders(Table.at(folder).settings)

    def cut_off() -> Iterator[Post]:
        yield from outlet.posts(record, T0)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record.add_posts(cut_off(), T0)
    assert [one.id for one in record.add_posts(outlet.posts(record, T0), T0)] == ["1"]
    assert record.add_posts(outlet.posts(record, T0), T0) == []


def test_a_message_to_send_by_hand_says_to_whom_it_goes(folder: Path, record: Record) -> None:
    outlet = Folders(Table.at(folder).settings)
    record.add_entry("replace", "Farid", T0, key="Boris")
    list(outlet.posts(record, T0))
    for player, first in (("Anna", "To: Anna"), ("Boris", "To: Farid"), ("thread", "The title")):
        to = () if player == "thread" else outlet.accounts(player)
        draft = Attempt(7, "k", "role", player, "The title", "The body", "approved", None, None, 0, None, to=to)
        _, place = outlet.send(draft, None)
        assert Path(place).read_text("utf-8").splitlines()[0] == first


def test_saved_pages_that_show_a_deletion_or_another_topic_are_told_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "saved").mkdir()
    post = Post("5", 1, "Anna", None, T0 + timedelta(hours=1), None, None, red("Boris"), "Boris")
    unknown = replace(post, id="9", deleted=True)
    thread = SavedThread("mybb", "7", "The Trip", (post,), (unknown,))
    shown = [thread, thread, replace(thread, posts=(), deleted=(replace(post, bbcode="", text="", deleted=True), unknown))]
    shown += [shown[2], replace(shown[2], topic_id="8", title="The Pier")]
    monkeypatch.setattr("scraper.saved.read_saved", lambda *_, **__: shown.pop(0))
    told = []
    for hour in range(5):
        (folder / "saved" / "page.html").write_text("x" * (hour + 1))
        tick(folder, now=T0 + timedelta(hours=2 + hour))
        record = Table.at(folder).record
        told.append([text for _, text in record.notices() if "stand no more" in text or "another topic" in text])
        assert [len(versions) for versions in record.posts(None, None)] == [1 if hour < 2 else 2]
        record.close()
    assert [len(one) for one in told] == [0, 0, 1, 1, 2]
    assert "The Pier" in told[-1][-1]


def test_an_earlier_post_with_the_same_words_is_not_taken_for_this_one(record: Record) -> None:
    forum = Forum()
    for key in ("first", "second"):
        record.add_draft(key, "report", "thread", "Nothing happened", "Nobody died.", "approved", T0, None)
        if key == "first":
            deliver(record, forum, Report(), T0)
    record.change_draft(2, state="sending")
    deliver(record, forum, Report(), T0)
    assert len(forum.sent) == 2


def test_an_older_file_is_copied_whole_before_it_is_changed(tmp_path: Path) -> None:
    kept = Record(tmp_path / "game.db")
    kept.set_fact("title", "kept")
    kept.db.execute("delete from _sqlite_migrations where name = 'last_entry_of_a_phase'")
    kept.db.execute("alter table phases drop column last_entry")
    kept.db.conn.commit()
    kept.close()
    Record(tmp_path / "game.db").close()
    copy = Record(tmp_path / "game.db.before-update")
    assert copy.fact("title") == "kept"
    assert (tmp_path / "game.db.before-update").stat().st_mode & 0o077 == 0
    copy.close()


def test_two_machines_on_one_folder(folder: Path) -> None:
    table = Table.at(folder)
    assert table.record.lease("elsewhere", T0, T0 + LEASE)
    assert tick(folder, now=T0 + timedelta(minutes=1), outlet=Forum()).busy
    assert not tick(folder, now=T0 + LEASE, outlet=Forum()).busy, "a machine that died is not waited for any longer"
    assert table.record.lease("elsewhere", T0 + LEASE, T0 + 2 * LEASE), "a tick lets go when it ends"
    table.record.close()


def test_undo_leaves_what_is_resolved(folder: Path) -> None:
    command(folder, "extend 1h", T0 + timedelta(hours=1))
    tick(folder, now=T0 + TRIAL + timedelta(hours=2), outlet=Forum())
    table = Table.at(folder)
    ends = table.record.phases()[-1].deadline
    with pytest.raises(BadInput, match="nothing to undo"):
        command(folder, "undo", T0 + TRIAL + timedelta(hours=3))
    assert table.record.phases()[-1].deadline == ends
    table.record.close()


def test_a_pick_answers_the_question_that_was_open_and_none_that_arises_later(tmp_path: Path) -> None:
    """A vote that fits the picked player and another one comes after the pick: the GM has not been asked about it."""
    text = GAME.replace(', "name", "tie"', "").replace('Cleo = "', '"Ella Bell" = "').replace("Elena =", '"Ella Moor" =')
    (tmp_path / "game.toml").write_text(text, encoding="utf-8")
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0)
    forum.post("Anna", red("Ella Moor"), T0 + timedelta(hours=1))
    forum.post("Professor", red("Anna"), T0 + timedelta(hours=1))
    tick(tmp_path, now=T0 + timedelta(hours=2), outlet=forum)
    assert command(tmp_path, "pick ella moor", T0 + timedelta(hours=3)).startswith("Noted: Ella Moor is the answer to `tie`.")
    assert table.choices(table.record.phases()[0]).answers == {"tie:trial 1:Anna, Ella Moor": "Ella Moor"}
    forum.post("Dmitri", red("Ella"), T0 + timedelta(hours=4))
    report = tick(tmp_path, now=T0 + timedelta(hours=48.1), outlet=forum)
    assert (report.closed, [one.question for one in report.questions]) == ([], ["name"])
    assert "the answer to tie" in command(tmp_path, "undo", T0 + timedelta(hours=49))
    table.record.close()


class Doubtful(Folders):
    """Loses the answer to the first try, and answers the others with `error`; what has gone out shows only when `shown`."""

    def __init__(self, settings: Settings, error: SourceError) -> None:
        super().__init__(settings)
        self.error, self.tries, self.shown, self.closed = error, 0, False, False

    def find(self, attempt: Attempt) -> tuple[str, str] | None:
        if self.closed:
            raise TryAgain("The forum says: closed for an hour.")
        return ("7", "there") if self.shown else None

    def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
        self.tries += 1
        raise Uncertain("No answer came.") if self.tries == 1 else self.error


def approved(folder: Path, error: SourceError) -> tuple[Table, Doubtful]:
    """A table with one post to send, and an outlet that is in doubt about it."""
    table = Table.at(folder)
    for draft in table.record.drafts():
        table.record.change_draft(draft.id, state="dropped")
    table.record.add_draft("more", "report", "thread", "More", "And more.", "approved", T0, None)
    return table, Doubtful(table.settings, error)


@pytest.mark.parametrize("error", [FloodLimit("Too soon.", wait=60), LoginFailed("No."), TopicLocked("Locked."), Refused("No.")])
def test_what_was_sent_without_an_answer_is_looked_for_though_a_later_try_was_refused(folder: Path, error: SourceError) -> None:
    table, outlet = approved(folder, error)
    for hours in (1, 2):
        deliver(table.record, outlet, Report(), T0 + timedelta(hours=hours))
    outlet.shown = True
    if isinstance(error, Refused):
        list(handle(folder, "approve", [table.record.drafts()[-1].id], lambda body: body, T0))
    deliver(table.record, outlet, Report(), T0 + timedelta(hours=3))
    draft = table.record.drafts()[-1]
    assert (draft.state, draft.post, outlet.tries) == ("posted", "7", 2)
    table.record.close()


def test_what_an_earlier_version_has_sent_without_an_answer_is_looked_for(folder: Path) -> None:
    """It kept no account that a message was for: without it no tick would end, and nothing be posted any more."""
    table, outlet = approved(folder, FloodLimit("Too soon.", wait=60))
    draft = table.record.drafts()[-1]
    table.record.change_draft(draft.id, audience="Anna")
    deliver(table.record, outlet, Report(), T0 + timedelta(hours=1))
    kept = table.record.bookmark(ATTEMPTS)
    del kept[str(draft.id)]["to"]
    table.record.set_bookmark(ATTEMPTS, kept)
    outlet.shown = True
    deliver(table.record, outlet, Report(), T0 + timedelta(hours=2))
    assert (table.record.draft(draft.id).state, outlet.tries) == ("posted", 1)
    table.record.close()


@pytest.mark.parametrize("error", [FloodLimit("Too soon.", wait=60), LoginFailed("No."), TopicLocked("Locked."), NotAllowed("No."), Refused("No.")])
@pytest.mark.parametrize("audience", ["thread", "Anna"])
def test_what_the_gm_drops_while_it_is_being_sent_stays_dropped_where_it_is_refused(
    folder: Path, error: SourceError, audience: str
) -> None:
    """A message may wait a minute for the flood limit: what was dropped in it went out with the next tick."""
    table, _ = approved(folder, error)
    id_ = table.record.drafts()[-1].id
    table.record.change_draft(id_, audience=audience)

    class Dropping(Forum):
        tries = 0

        def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
            self.tries += 1
            list(handle(folder, "drop", [id_], lambda body: body, T0))
            raise error

    forum = Dropping()
    for hours in (1, 2):
        deliver(table.record, forum, Report(), T0 + timedelta(hours=hours))
    assert (table.record.draft(id_).state, forum.tries) == ("dropped", 1)
    assert "approved" in next(handle(folder, "approve", [id_], lambda body: body, T0)), "it can be taken back"
    table.record.close()


def test_the_same_words_again_on_a_forum_without_messages_stop_no_posts(record: Record) -> None:
    """There is no folder of sent messages in which to look for the first: all that was to be posted waited."""

    class Without(Forum):
        def find(self, draft: Draft) -> tuple[str, str] | None:
            if draft.audience == "thread":
                return super().find(draft)
            raise NotYet("FluxBB has no private messages.")

        def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
            if draft.audience == "thread":
                return super().send(draft, standing)
            raise NotYet("FluxBB has no private messages.", advice="Mail it by hand.")

    forum = Without()
    for key in ("first", "second"):
        record.add_draft(key, "private", "Anna", "Your night", "You were blocked.", "approved", T0, None)
        record.add_draft(f"after the {key}", "report", "thread", "More", f"After the {key}.", "approved", T0, None)
        deliver(record, forum, Report(), T0)
    assert [(one.state, (one.error or "")[-16:]) for one in record.drafts()] == [("review", "Mail it by hand."), ("posted", "")] * 2


def test_what_the_forum_has_already_is_not_sent_until_the_gm_says_that_it_is_not_there(folder: Path) -> None:
    table, outlet = approved(folder, NotAllowed("The forum says: you have posted this already."))
    for hours in (1, 2, 3, 4):
        deliver(table.record, outlet, Report(), T0 + timedelta(hours=hours))
    draft = table.record.drafts()[-1]
    assert outlet.tries == 2
    assert f"nightpost outbox approve {draft.id}" in (draft.error or "")
    outlet.closed = True  # the board is closed for an hour: what the GM is to do is said all the same
    deliver(table.record, outlet, Report(), T0 + timedelta(hours=4.5))
    outlet.closed = False
    assert f"nightpost outbox approve {draft.id}" in (table.record.draft(draft.id).error or "")
    assert any("not known to stand in the forum: 1" in line for line in views.status_lines(views.status_facts(folder, T0)))
    list(handle(folder, "approve", [draft.id], lambda body: body, T0))
    deliver(table.record, outlet, Report(), T0 + timedelta(hours=5))
    assert outlet.tries == 3
    outlet.shown = True
    deliver(table.record, outlet, Report(), T0 + timedelta(hours=6))
    assert table.record.draft(draft.id).state == "posted"
    table.record.close()
