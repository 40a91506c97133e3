"""Phases that end early, the calendar file, and notices to the GM."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner
from icalendar import Calendar

from desk.commands import command
from desk.outgoing import handle
from desk.settings import SettingsRefused
from desk.table import Table
from desk.views import answer, status_facts, status_lines
from nightpost import cli
from publisher.agenda import calendar_of
from publisher.pager import Send, page
from scheduler import Report, resolve_now, start, tick
from scraper.forum import NotAllowed, Refused, Uncertain
from scraper.model import Message, SourceError
from store.record import Draft
from tests.test_tick import GAME, T0, Forum, red

PLAYERS = ("Anna", "Boris", "Cleo", "Dmitri", "Elena")


def after(hours: float) -> datetime:
    return T0 + timedelta(hours=hours)


def game(folder: Path, more: str) -> Path:
    (folder / "game.toml").write_text(GAME + more, encoding="utf-8")
    table = Table.at(folder)
    start(table, T0)
    table.record.close()
    return folder


@pytest.mark.parametrize("early", [True, False])
def test_a_vote_in_which_everybody_has_voted_ends_early_where_the_gm_wants_it(tmp_path: Path, early: bool) -> None:
    folder, forum = game(tmp_path, f"[clock]\nearly = {str(early).lower()}\n"), Forum()
    for voter in PLAYERS[:-1]:
        forum.post(voter, red("Vote: Elena"), after(1))
    assert tick(folder, now=after(2), outlet=forum).closed == []
    forum.post("Elena", red("Vote: Anna"), after(3))
    assert tick(folder, now=after(4), outlet=forum).closed == (["trial 1"] if early else [])
    assert tick(folder, now=after(5), outlet=forum).closed == []


def test_an_answer_says_that_a_phase_in_which_all_have_voted_is_closed_by_the_next_tick(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME.replace(', "tie"', "") + "[clock]\nearly = true\n", encoding="utf-8")
    start(Table.at(tmp_path), T0)
    forum = Forum()
    for voter, target in zip(PLAYERS, ("Elena", "Elena", "Anna", "Anna", "Boris"), strict=True):
        forum.post(voter, red(f"Vote: {target}"), after(1))
    (question,) = tick(tmp_path, now=after(2), outlet=forum).questions
    said = answer(tmp_path, "1", question.choices[0], after(3))
    assert "trial 1 stays open until it is due, until all have done their part, or until `nightpost resolve`" in said
    assert tick(tmp_path, now=after(3.1), outlet=forum).closed == ["trial 1"]


@pytest.mark.parametrize("early", ["true", '"all"'])
def test_a_night_in_which_everybody_has_acted_ends_early_only_where_the_gm_wants_that_too(tmp_path: Path, early: str) -> None:
    orders = {"godfather": "kill Elena", "prince": "imprison Dmitri", "doctor": "protect Dmitri", "police": "question Boris", "innocent": ""}
    seats = dict(zip(PLAYERS, orders.items(), strict=True))
    players = "\n".join(f'{name} = "{role}"' for name, (role, _) in seats.items())
    (tmp_path / "game.toml").write_text(
        'ruleset = "persian"\ntitle = "T"\nhost = "Gad"\nseed = "1"\n[thread]\nsaved = "saved"\nkind = "phpbb"\n'
        f'[players]\n{players}\n[options]\nfirst_phase = "night"\n[clock]\nearly = {early}\n', encoding="utf-8",
    )  # fmt: skip
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0)
    table.record.close()
    assert tick(tmp_path, now=after(1), outlet=forum).closed == []
    for name, (_, order) in seats.items():
        if order:
            forum.inbox.append(Message(name, name, ("Gad",), after(2), "", order, "pm"))
    assert tick(tmp_path, now=after(3), outlet=forum).closed == (["night 1"] if early == '"all"' else [])


@pytest.mark.parametrize("counts_from", ["announcement", "deadline"])
def test_hours_count_from_the_report_where_the_gm_reads_it_first(tmp_path: Path, counts_from: str) -> None:
    folder, forum = game(tmp_path, f'[clock]\ncounts_from = "{counts_from}"\ntimezone = "Europe/Berlin"\n'), Forum()
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    assert tick(folder, now=after(49), outlet=forum).closed == ["trial 1"]
    table = Table.at(folder)
    (report,) = [one for one in table.record.drafts("review") if one.kind == "report"]
    phase = table.current()
    assert phase is not None
    assert phase.deadline is not None
    hours = table.settings.hours(phase.label.kind)
    if counts_from == "deadline":
        assert phase.deadline == after(48 + hours)
        assert len(list(handle(folder, "approve", [report.id], lambda body: body, after(60)))) == 1
        assert table.current() == phase
        return
    assert phase.deadline == after(49 + hours)
    command(folder, "extend 6h", after(50))
    held = tick(folder, now=after(49 + hours + 7), outlet=forum)
    assert held.closed == []
    assert "its hours count from that" in held.held[0]
    late = 49 + hours + 10
    old = after(49 + hours).astimezone(ZoneInfo("Europe/Berlin"))
    assert f"{old:%H:%M}" in report.body
    _, told = handle(folder, "approve", [report.id], lambda body: body, after(late))
    moved = table.current()
    assert moved is not None
    assert moved.deadline == after(late + hours + 6)
    assert "its hours count from this report" in told
    (report,) = [one for one in table.record.drafts("approved") if one.kind == "report"]
    assert f"{moved.deadline.astimezone(ZoneInfo('Europe/Berlin')):%H:%M}" in report.body
    assert tick(folder, now=after(late), outlet=forum).held == []


def test_the_hosts_own_deadline_stands_when_the_report_is_approved_and_approving_twice_moves_none(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, '[clock]\ncounts_from = "announcement"\n'), Forum()
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    tick(folder, now=after(49), outlet=forum)
    table = Table.at(folder)
    (report,) = table.record.drafts("review")

    def approved(hours: float) -> float:
        list(handle(folder, "approve", [report.id], lambda body: None, after(hours)))
        phase = table.current()
        assert phase is not None
        assert phase.deadline is not None
        return (phase.deadline - T0) / timedelta(hours=1)

    assert [approved(50), approved(60)] == [74, 74]
    table.record.change_draft(report.id, state="review")
    forum.post("Monokuma", "##deadline 48h", after(61))
    tick(folder, now=after(61.1), outlet=forum)
    assert approved(62) == 109
    table.record.close()


def test_a_phase_that_could_end_early_but_is_over_by_now_ends_at_its_deadline(tmp_path: Path) -> None:
    """The last vote comes a minute before the deadline, the tick a minute after it: what lies between is of the next phase."""
    folder, forum = game(tmp_path, "[clock]\nearly = true\n"), Forum()
    for voter in PLAYERS[:-1]:
        forum.post(voter, red("Vote: Elena"), after(1))
    forum.post("Elena", red("Vote: Anna"), after(47.99))
    forum.post("Boris", red("gym").replace("red", "green"), after(48.01))
    for hours in (48.02, 48.1):
        tick(folder, now=after(hours), outlet=forum)
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    assert (phase.opened_at, [post.id for post in table.inputs(phase).posts]) == (after(48), ["post 6"])


@pytest.mark.parametrize("early", ["true", '"all"'])
def test_a_deadly_life_in_which_everybody_investigates_in_the_thread_ends_early(tmp_path: Path, early: str) -> None:
    start_ = 'start = "deadly life 1"\n'
    more = f'[setup]\ndead = ["Elena"]\n[clock]\nearly = {early}\n'
    (tmp_path / "game.toml").write_text(start_ + GAME + more, encoding="utf-8")
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0)
    table.record.close()
    living = [name for name in PLAYERS if name != "Elena"]
    for name in living[:-1]:
        forum.post(name, "[b][color=blue]gym[/color][/b]", after(1))
    assert tick(tmp_path, now=after(2), outlet=forum).closed == []
    forum.post(living[-1], "[b][color=blue]lounge[/color][/b]", after(3))
    assert tick(tmp_path, now=after(4), outlet=forum).closed == (["deadly life 1"] if early == '"all"' else [])


def test_a_phase_whose_report_waits_does_not_end_early_either(tmp_path: Path) -> None:
    roles = ("godfather", "prince", "doctor", "police", "innocent")
    players = "\n".join(f'{name} = "{role}"' for name, role in zip(PLAYERS, roles, strict=True))
    (tmp_path / "game.toml").write_text(
        'ruleset = "persian"\ntitle = "T"\nhost = "Gad"\nseed = "1"\nwaive = "all"\n[thread]\nsaved = "saved"\nkind = "phpbb"\n'
        f'[players]\n{players}\n[options]\nfirst_phase = "day"\n[clock]\nearly = "all"\ncounts_from = "announcement"\n', encoding="utf-8",
    )  # fmt: skip
    table, forum = Table.at(tmp_path), Forum()
    start(table, T0)
    phase = table.current()
    assert phase is not None
    assert phase.deadline is not None
    ends = phase.deadline
    assert len(tick(tmp_path, now=ends + timedelta(hours=1), outlet=forum).closed) == 1
    later = ends + timedelta(hours=2)
    for name, order in zip(PLAYERS, ("kill Elena", "imprison Dmitri", "protect Dmitri", "question Boris"), strict=False):
        forum.inbox.append(Message(name, name, ("Gad",), later, "", order, "pm"))
    assert tick(tmp_path, now=later + timedelta(hours=1), outlet=forum).closed == []
    reports = [one.id for one in table.record.drafts("review") if one.kind == "report"]
    list(handle(tmp_path, "approve", reports, lambda body: body, later))
    assert tick(tmp_path, now=later + timedelta(hours=1), outlet=forum).closed == ["night 1"]
    table.record.close()


def test_the_command_that_approves_the_report_says_when_the_phase_ends_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nightpost._now", lambda: after(60))
    folder = game(tmp_path, '[clock]\ncounts_from = "announcement"\n')
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    tick(folder, now=after(49), outlet=Forum())
    for kind, said in (("report", True), ("all", False)):
        shown = CliRunner().invoke(cli, ["outbox", "approve", kind, str(folder)])
        assert ("its hours count from this report" in shown.output) == said
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    assert phase.deadline is not None
    assert phase.deadline == after(60 + table.settings.hours(phase.label.kind))


def test_hours_count_from_when_the_gm_drops_the_report_to_post_it_by_hand(tmp_path: Path) -> None:
    folder = game(tmp_path, '[clock]\ncounts_from = "announcement"\n')
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    tick(folder, now=after(49), outlet=Forum())
    table = Table.at(folder)
    (report,) = [one for one in table.record.drafts("review") if one.kind == "report"]
    _, told = handle(folder, "drop", [report.id], lambda body: body, after(90))
    assert "ends at" in told
    assert tick(folder, now=after(91), outlet=Forum()).closed == []
    (phase,) = [one for one in table.record.phases() if one.closed_at is None]
    assert phase.deadline == after(90 + table.settings.hours(phase.label.kind))


def test_the_calendar_has_each_deadline_and_follows_it(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, '[clock]\ncalendar = "deadlines.ics"\nreminders = [24]\n'), Forum()
    tick(folder, now=after(1), outlet=forum)
    file = folder / "deadlines.ics"
    (event,) = Calendar.from_ical(file.read_bytes()).walk("VEVENT")
    assert event.decoded("dtend") == after(48)
    assert str(event["summary"]) == "A School Trip: trial 1"
    assert str(event["description"]) == "trial 1 ends at Wednesday 4 November 2026, 20:00 UTC"
    (alarm,) = event.walk("VALARM")
    assert alarm.decoded("trigger") == timedelta(hours=-24)
    table = Table.at(folder)
    table.record.move_deadline(1, after(60))
    tick(folder, now=after(2), outlet=forum)
    (moved,) = Calendar.from_ical(file.read_bytes()).walk("VEVENT")
    assert moved.decoded("dtend") == after(60)
    assert moved["uid"] == event["uid"]


@pytest.mark.parametrize("blocked", [False, True])
def test_a_calendar_that_cannot_be_written_stops_nothing(tmp_path: Path, blocked: bool) -> None:
    folder, forum = game(tmp_path, '[clock]\ncalendar = "dates/deadlines.ics"\n'), Forum()
    if blocked:
        (folder / "dates").write_text("a file", encoding="utf-8")
    tick(folder, now=after(1), outlet=forum)
    assert (folder / "dates" / "deadlines.ics").exists() != blocked
    told = [text for _, text in Table.at(folder).record.notices()]
    assert any("deadlines.ics cannot be written" in text for text in told) == blocked


@pytest.mark.parametrize(("more", "hours"), [("24h", 25), ("1d 12h", 37), ("6h", 6)])
def test_more_hours_are_those_on_the_wall_too(tmp_path: Path, more: str, hours: int) -> None:
    folder = game(tmp_path, '[clock]\ntimezone = "Europe/Berlin"\nends = 2026-11-04T20:00:00\n')
    table = Table.at(folder)
    ends = datetime(2026, 10, 24, 20, tzinfo=ZoneInfo("Europe/Berlin"))  # clocks go back in the night
    table.record.move_deadline(1, ends)
    command(folder, f"extend {more}", T0)
    phase = table.current()
    assert phase is not None
    assert phase.deadline is not None
    assert phase.deadline - ends == timedelta(hours=hours)


def test_a_deadline_moved_too_late_is_told_to_be_past(tmp_path: Path) -> None:
    folder = game(tmp_path, "")
    assert "past already" in command(folder, "extend 1h", after(50))
    assert "past already" not in command(folder, "extend 2h", after(50))


def test_an_event_of_the_calendar_stays_the_same_whatever_the_game_is_called_and_its_end_is_told_anew(tmp_path: Path) -> None:
    folder = game(tmp_path, "")
    (event,) = Calendar.from_ical(calendar_of(Table.at(folder), after(1))).walk("VEVENT")
    command(folder, "extend 6h", after(1))
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace("A School Trip", "Another title"), "utf-8")
    (moved,) = Calendar.from_ical(calendar_of(Table.at(folder), after(2))).walk("VEVENT")
    assert moved["uid"] == event["uid"]
    assert (event["sequence"], moved["sequence"]) == (0, 1)
    resolve_now(folder, now=after(10), outlet=Forum())
    closed, opened = Calendar.from_ical(calendar_of(Table.at(folder), after(11))).walk("VEVENT")
    assert closed.decoded("dtend") == after(10), "a phase that was closed early is over"
    assert closed["sequence"] == 2
    assert opened["uid"] != closed["uid"]
    assert opened.decoded("dtstart") == after(10)


def test_the_calendar_holds_nothing_that_a_calendar_file_may_not(tmp_path: Path) -> None:
    folder = game(tmp_path, '[clock]\nreminders = [24, 0.5]\n')
    text = (folder / "game.toml").read_text(encoding="utf-8")
    title = r"\u0007\u001b[31mA \"long\" title; with, signs \\ and \u202e letters é ש ۹ " + "and more " * 20
    (folder / "game.toml").write_text(text.replace("A School Trip", title), encoding="utf-8")
    written = calendar_of(Table.at(folder), after(1))
    assert written.endswith("END:VCALENDAR\r\n")
    lines = written.split("\r\n")
    assert max(len(line.encode()) for line in lines) <= 75
    assert all(sign.isprintable() for line in lines for sign in line)
    assert "\n" not in written.replace("\r\n", "")
    (event,) = Calendar.from_ical(written).walk("VEVENT")
    assert str(event["summary"]).startswith('[31mA "long" title; with, signs \\ and  letters é ש ۹ and')
    assert [alarm.decoded("trigger") for alarm in event.walk("VALARM")] == [timedelta(hours=-24), timedelta(hours=-0.5)]


@pytest.mark.parametrize("name", ["game.toml", "game.db", "saved"])
def test_a_calendar_is_not_written_over_another_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsRefused, match=r"game\.toml:\d+: .*ends in \.ics"):
        game(tmp_path, f'[clock]\ncalendar = "{name}"\n')


def test_a_hostile_title_stays_a_title(tmp_path: Path) -> None:
    folder = game(tmp_path, "")
    text = (folder / "game.toml").read_text(encoding="utf-8")
    (folder / "game.toml").write_text(text.replace("A School Trip", r"A\nEND:VEVENT\nX; , \\"), encoding="utf-8")
    (event,) = Calendar.from_ical(calendar_of(Table.at(folder), after(1))).walk("VEVENT")
    assert str(event["summary"]).startswith("A END:VEVENT X; , \\: trial 1")


def into(told: list[str]) -> Send:
    """The GM's address, whose notices all arrive: their texts are put into `told`."""

    def arrives(title: str, body: str) -> bool:
        told.append(body)
        return True

    return arrives


def test_the_gm_is_told_once_and_again_only_where_it_did_not_arrive(tmp_path: Path) -> None:
    table = Table.at(game(tmp_path, ""))
    sent: list[tuple[str, str]] = []
    table.record.notice(after(1), "The topic is locked.")
    report = Report(closed=["trial 1"])

    def lost(title: str, body: str) -> bool:
        return False

    def arrives(title: str, body: str) -> bool:
        sent.append((title, body))
        return True

    page(table, report, after(1), lost)
    page(table, report, after(1), lost)
    assert sum("did not arrive" in text for _, text in table.record.notices()) == 1  # `status` shows it
    page(table, report, after(1), arrives)
    assert len(sent) == 1
    assert "The topic is locked." in sent[0][1]
    assert "Resolved: trial 1" in sent[0][1]
    page(table, report, after(2), arrives)
    assert len(sent) == 1
    table.record.notice(after(3), "Something else.")
    page(table, Report(), after(3), arrives)
    assert sent[1][1] == "Something else."


def test_the_gm_is_told_once_of_a_message_that_is_refused_at_every_tick_and_status_shows_it(tmp_path: Path) -> None:
    """A seat given to an account that the forum does not know: nothing but the outbox said so."""

    class Unknown(Forum):
        def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
            if draft.audience == "Anna":
                raise NotAllowed("The forum knows nobody called “Anna”.")
            return super().send(draft, standing)

    folder, forum = game(tmp_path, ""), Unknown()
    told: list[str] = []
    arrives = into(told)
    for hours in (1, 2, 3, 4, 5):
        report = tick(folder, now=after(hours), outlet=forum)
        page(Table.at(folder), report, after(hours), arrives)
    assert sum(body.count("knows nobody called") for body in told) == 1
    assert "A School Trip: your talents, to Anna. The forum knows nobody" in "\n".join(told)
    lines = "\n".join(status_lines(status_facts(folder, after(5))))
    assert "Not out yet: A School Trip: your talents (to Anna). The forum knows nobody" in lines


def test_the_gm_is_told_anew_where_what_was_approved_is_refused_once_more(tmp_path: Path) -> None:
    class Refusing(Forum):
        def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
            if draft.kind == "opening":
                raise Refused("The forum refused the text: too many pictures.")
            return super().send(draft, standing)

    folder, forum = game(tmp_path, ""), Refusing()
    told: list[str] = []
    arrives = into(told)
    for hours in (1, 2, 3, 4):
        report = tick(folder, now=after(hours), outlet=forum)
        table = Table.at(folder)
        page(table, report, after(hours), arrives)
        waiting = [draft.id for draft in table.record.drafts("review")]
        table.record.close()
        if hours == 2:
            list(handle(folder, "approve", waiting, lambda body: body, after(hours)))
    assert sum(body.count("To look over: A School Trip: the game begins") for body in told) == 2


@pytest.mark.parametrize("edits", [0, 5])
def test_the_gm_is_told_once_of_what_goes_out_no_more_however_often_it_was_edited_before(tmp_path: Path, edits: int) -> None:
    """An answer that is lost, and no looking for it: all that follows waits. One hiccup is no news, a second trouble is."""

    class Silent(Forum):
        lost = False

        def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
            if self.lost:
                raise Uncertain("The forum hung up.")
            return super().send(draft, standing)

        def find(self, draft: Draft) -> tuple[str, str] | None:
            if self.lost:
                raise Uncertain("The forum hung up.")
            return super().find(draft)

    folder, forum = game(tmp_path, ""), Silent()
    told: list[str] = []
    arrives = into(told)
    def run(hours: Iterable[float], lost: bool) -> int:
        told.clear()
        forum.lost = lost
        for hour in hours:
            forum.post("Anna", red(f"Vote: {PLAYERS[1 + int(hour) % 4]}"), after(hour))
            report = tick(folder, now=after(hour), outlet=forum)
            page(Table.at(folder), report, after(hour), arrives)
        return "\n".join(told).count("Not out yet")

    assert run([1 + number for number in range(edits + 1)], lost=False) == 0
    assert run([10], lost=True) == 0
    assert run(range(11, 17), lost=True) == 1
    assert run([17, 18], lost=False) == 0
    assert run(range(19, 25), lost=True) == 1


def test_the_gm_is_told_where_the_forum_cannot_even_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, sent = game(tmp_path, ""), []

    def shut(settings: object) -> Forum:
        raise SourceError("The forum wants a browser check.", advice="Open it in a browser.")

    monkeypatch.setattr("publisher.delivery.outlet_of", shut)
    monkeypatch.setattr("publisher.pager._apprise", lambda: lambda title, body: sent.append(body) or True)
    assert tick(folder, now=after(1)).status == 3
    assert "browser check" in sent[0]


def test_what_has_not_gone_out_yet_and_the_standing_tally_name_the_deadline_that_holds(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    table = Table.at(folder)

    def opening(kind: str) -> str:
        return next(one.body for one in table.record.drafts("review", "approved") if one.kind == kind)

    assert "4 November 2026, 20:00 UTC" in opening("opening")
    command(folder, "extend 6h", after(1))
    assert "4 November 2026, 20:00" not in opening("opening")
    assert "5 November 2026, 02:00 UTC" in opening("opening")
    command(folder, "undo", after(1))
    assert "4 November 2026, 20:00 UTC" in opening("opening")
    forum.post("Anna", red("Cleo"), after(2))
    tick(folder, now=after(3), outlet=forum)
    tick(folder, now=after(3.1), outlet=forum)
    command(folder, "extend 24h", after(4))
    tick(folder, now=after(4), outlet=forum)
    (tally,) = [body for _, title, body in forum.sent if "Votes in" in body]
    assert "5 November 2026, 20:00 UTC" in tally
    assert tick(folder, now=after(73), outlet=forum).closed == ["trial 1"]
    assert sum("Votes in trial 1" in body for _, _, body in forum.sent) == 1, "nothing new is to be counted at the end"
    assert "6 November 2026, 20:00 UTC" in opening("report")
    command(folder, "extend 1h", after(74))
    assert "6 November 2026, 21:00 UTC" in opening("report")


def test_an_extension_taken_back_after_the_report_was_approved_takes_only_itself_back(tmp_path: Path) -> None:
    folder = game(tmp_path, '[clock]\ncounts_from = "announcement"\n')
    file = folder / "game.toml"
    file.write_text(file.read_text("utf-8").replace('report = "auto"', 'report = "review"'), "utf-8")
    tick(folder, now=after(49), outlet=Forum())
    command(folder, "extend 6h", after(50))
    table = Table.at(folder)
    (report,) = [one for one in table.record.drafts("review") if one.kind == "report"]
    list(handle(folder, "approve", [report.id], lambda body: body, after(100)))
    command(folder, "undo", after(101))
    phase = table.current()
    assert phase is not None
    assert phase.deadline == after(100 + table.settings.hours(phase.label.kind))


def test_many_drafts_that_wait_are_told_of_once(tmp_path: Path) -> None:
    table, sent = Table.at(game(tmp_path, "")), list[str]()
    arrives = into(sent)
    for number in range(450):
        table.record.add_draft(f"k{number}", "private", "Anna", f"Note {number}", "…", "review", after(1), None)
        if number in (300, 449):
            page(table, Report(), after(1), arrives)
    page(table, Report(), after(2), arrives)
    assert [len(body.splitlines()) for body in sent] == [301, 149]


def test_nothing_is_sent_where_no_address_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NIGHTPOST_NOTIFY", raising=False)
    table = Table.at(game(tmp_path, ""))
    table.record.notice(after(1), "Something.")
    page(table, Report(), after(1))
    assert table.record.bookmark("paged") is None


def test_of_several_addresses_one_that_works_is_enough_and_none_is_told_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[str] = []

    class Box:
        def __init__(self, address: str) -> None:
            self.works = address == "good://"

        def notify(self, body: str, **more: object) -> bool:
            if self.works:
                got.append(body)
            return self.works

    monkeypatch.setattr("apprise.Apprise", Box)
    monkeypatch.setenv("NIGHTPOST_NOTIFY", "bad:// good:// bad://")
    table = Table.at(game(tmp_path, ""))
    table.record.notice(after(1), "Something.")
    for _ in range(3):
        page(table, Report(), after(1))
    assert len(got) == 1


def test_check_tells_of_an_address_that_is_none_and_keeps_it_to_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTPOST_NOTIFY", "json://localhost/ nonsense-s3cret")
    shown = CliRunner().invoke(cli, ["check", "--offline", str(game(tmp_path, ""))]).output
    assert "NIGHTPOST_NOTIFY: address 2 is none that apprise knows" in shown
    assert "s3cret" not in shown


def test_a_post_that_declares_and_names_no_author_is_told_of(tmp_path: Path) -> None:
    folder, forum = game(tmp_path, ""), Forum()
    forum.post("", red("Boris"), after(1))
    tick(folder, now=after(2), outlet=forum)
    assert any("names no author" in text for _, text in Table.at(folder).record.notices())
