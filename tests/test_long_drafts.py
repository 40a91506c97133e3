"""What is longer than the forum takes goes into the outbox in parts, in order, and each of them once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from desk.outgoing import handle
from desk.settings import load_settings
from desk.table import Table
from publisher.drafts import _draft
from publisher.render import Rendered
from publisher.splitting import LONGEST
from scheduler import start
from scraper.model import BadInput
from tests.test_sandbox import NOW
from tests.test_tick import GAME, T0, Forum, red, run_on


class Outbox:
    """Keeps drafts by key, as the record does."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[Any, ...]] = {}

    def add_draft(self, key: str, *row: Any) -> None:
        self.rows.setdefault(key, row)


def test_a_long_post_is_drafted_in_parts() -> None:
    outbox = Outbox()
    settings = SimpleNamespace(publish={"report": "auto"}, thread=SimpleNamespace(kind=None, url="https://f.example/index.php?topic=5.0", longest=None))
    table: Any = SimpleNamespace(settings=settings, record=outbox)
    body = "[b]A line of the report.[/b]\n\n" * 1000
    for _ in range(2):
        _draft(table, "report 1", "report", "thread", Rendered("report", "Report", body, None), NOW)
    assert list(outbox.rows) == ["report 1", "report 1 part 2"]
    assert [row[2] for row in outbox.rows.values()] == ["Report", "Report (2/2)"]
    texts = [row[3] for row in outbox.rows.values()]
    assert all(len(text) <= LONGEST["smf"] for text in texts)
    assert "".join(texts).count("[b]A line of the report.[/b]") == 1000


def test_a_board_may_take_fewer_characters_than_such_boards_do(tmp_path: Path) -> None:
    text = GAME.replace("[thread]", "[thread]\nlongest = 900")
    (tmp_path / "game.toml").write_text(text, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    drafts = table.record.drafts()
    table.record.close()
    assert max(len(draft.body) for draft in drafts) <= 900
    assert any("(2/" in draft.title for draft in drafts)
    (tmp_path / "game.toml").write_text(text.replace("900", "90"), encoding="utf-8")
    with pytest.raises(BadInput, match="`longest` is 500 or more"):
        load_settings(tmp_path)


LONG = """{% for target, voters in votes.items() %}
{{ table(["Target", "Voters"], [[bold(target), names(voters)]]) }}

{% endfor %}
{% for target in votes %}
{% for number in range(25) %}
[quote]Line {{ number }} of {{ target }} by {{ votes[target] | join(" ") }}.[/quote]
{% endfor %}
{% endfor %}"""
"""A tally whose length goes by the number of those voted for."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(LONGEST, "phpbb", 1500)
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "tally.j2").write_text(LONG, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    table.record.close()
    return tmp_path


def tallies(forum: Forum) -> list[str]:
    return [body for _, title, body in forum.sent if "votes in" in title]


def test_a_standing_tally_grows_into_further_posts_and_shrinks_without_stale_votes(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=1))
    run_on(folder, forum, 1)
    assert len(tallies(forum)) == 1
    forum.post("Cleo", red("Dmitri"), T0 + timedelta(hours=2))
    forum.post("Elena", red("Anna"), T0 + timedelta(hours=2))
    run_on(folder, forum, 2)
    grown = tallies(forum)
    assert len(grown) == 3
    assert all(len(body) <= 1500 and body.count("[quote]") == body.count("[/quote]") for body in grown)
    assert sum(body.count("of Anna by Elena") for body in grown) == 25
    forum.post("Cleo", red("Boris"), T0 + timedelta(hours=3))
    forum.post("Elena", red("unvote"), T0 + timedelta(hours=3))
    run_on(folder, forum, 3)
    shrunk = tallies(forum)
    assert len(shrunk) == 3
    assert "Dmitri" not in "".join(shrunk)
    assert "Line" not in shrunk[1] + shrunk[2]
    assert "see the first part above" in shrunk[1]
    edits = forum.edits
    run_on(folder, forum, 4)
    assert forum.edits == edits
    forum.post("Elena", red("Dmitri"), T0 + timedelta(hours=4))
    run_on(folder, forum, 5)
    again = tallies(forum)
    assert len(again) == 3
    assert "".join(again).count("of Dmitri by Elena") == 25


def test_parts_that_never_went_out_stay_away_and_come_back(folder: Path) -> None:
    text = (folder / "game.toml").read_text(encoding="utf-8").replace('tally = "auto"', 'tally = "review"')
    (folder / "game.toml").write_text(text, encoding="utf-8")
    forum = Forum()
    states = []
    for hour, target in ((1, "Boris"), (2, "unvote"), (3, "Cleo")):
        forum.post("Anna", red(target), T0 + timedelta(hours=hour))
        forum.post("Elena", red(target.replace("Cleo", "Dmitri").replace("Boris", "Dmitri")), T0 + timedelta(hours=hour))
        run_on(folder, forum, hour)
        table = Table.at(folder)
        states.append([one.state for one in table.record.drafts() if one.kind == "tally"])
        table.record.close()
    assert states == [["review", "review"], ["review", "dropped"], ["review", "review"]]
    assert tallies(forum) == []


def test_what_may_be_on_its_way_out_keeps_its_words(folder: Path) -> None:
    """After a crash in mid-sending a post is looked for by its text, so a new count must wait until it is found."""
    forum = Forum()
    forum.post("Anna", red("Boris"), T0 + timedelta(hours=1))
    run_on(folder, forum, 1)
    table = Table.at(folder)
    draft = next(one for one in table.record.drafts() if one.kind == "tally")
    table.record.change_draft(draft.id, state="sending", post=None)
    table.record.close()
    forum.post("Cleo", red("Boris"), T0 + timedelta(hours=2))
    run_on(folder, forum, 2)
    assert len(tallies(forum)) == 1
    forum.post("Elena", red("Boris"), T0 + timedelta(hours=3))
    run_on(folder, forum, 3)
    assert len(tallies(forum)) == 1
    assert "Anna Cleo Elena" in tallies(forum)[0]


def test_the_last_tally_of_a_phase_names_no_deadline(folder: Path) -> None:
    """The deadline known by then is that of the next phase."""
    (folder / "templates" / "tally.j2").unlink()
    forum = Forum()
    forum.post("Anna", red("Dmitri"), T0 + timedelta(hours=1))
    run_on(folder, forum, 2)
    assert "Votes count until" in tallies(forum)[0]
    forum.post("Cleo", red("Dmitri"), T0 + timedelta(hours=47))
    run_on(folder, forum, 48.1)
    assert len(tallies(forum)) == 1
    assert "Dmitri – 2 – [url=http://forum/1]Anna[/url] and [url=http://forum/2]Cleo[/url]" in tallies(forum)[0]
    assert "Votes count until" not in tallies(forum)[0]


def test_the_last_tally_goes_out_though_another_may_be_on_its_way(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Dmitri"), T0 + timedelta(hours=1))
    run_on(folder, forum, 1)
    table = Table.at(folder)
    draft = next(one for one in table.record.drafts() if one.kind == "tally")
    table.record.change_draft(draft.id, state="sending", post=None)
    table.record.close()
    forum.post("Cleo", red("Dmitri"), T0 + timedelta(hours=47))
    run_on(folder, forum, 48.1)
    assert "of Dmitri by Anna." in tallies(forum)[0]
    assert "of Dmitri by Anna Cleo." in tallies(forum)[-1]


def test_a_standing_tally_waits_while_its_template_is_broken_and_then_goes_on(folder: Path) -> None:
    forum = Forum()
    wording = folder / "templates" / "tally.j2"
    states = []
    for hour, (target, text) in enumerate([("Boris", "fine {{ votes }}"), ("Cleo", "{{ broken"), ("Dmitri", "mended")], 1):
        wording.write_text(text, encoding="utf-8")
        forum.post("Anna", red(target), T0 + timedelta(hours=hour))
        run_on(folder, forum, hour)
        table = Table.at(folder)
        states.append(next(one.state for one in table.record.drafts() if one.kind == "tally"))
        table.record.close()
    assert states == ["posted", "review", "posted"]
    assert tallies(forum) == ["mended"]


def test_what_was_too_long_goes_out_in_parts_once_the_limit_is_given(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    rules = next(draft for draft in table.record.drafts() if draft.kind == "rules")
    table.record.change_draft(rules.id, state="review", error="The forum refused the text.")
    table.record.close()
    (tmp_path / "game.toml").write_text(GAME.replace("[thread]", "[thread]\nlongest = 3000"), encoding="utf-8")
    (told,) = handle(tmp_path, "approve", [rules.id], lambda body: body, T0)
    forum = Forum()
    run_on(tmp_path, forum, 1)
    table = Table.at(tmp_path)
    parts = table.record.parts_of("rules")
    assert f"in {len(parts)} parts" in told
    assert len(parts) > 1
    assert {part.state for part in parts} == {"posted"}
    assert max(len(part.body) for part in parts) <= 3000
    assert [part.title for part in parts][1] == f"{rules.title} (2/{len(parts)})"
    table.record.close()


def test_a_long_message_to_a_player_whose_name_reads_like_a_part_stays_apart(tmp_path: Path) -> None:
    """Keys of reminders end in the player's name."""
    twins = '[players]\n"Anna part 2" = "ultimate_surgeon"\n"Anna part two" = "ultimate_hypnotist"'
    settings = GAME.replace("[thread]", "[thread]\nlongest = 500").replace("[players]", twins)
    (tmp_path / "game.toml").write_text(settings, encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    long = "\n".join(f"{number}. Words of the GM's." for number in range(100))
    for player in ("Anna", "Anna part 2", "Anna part two"):
        table.record.add_draft(f"reminder to {player}", "reminder", player, "Reminder", f"{player}\n{long}", "review", T0, None)
    ids = [one.id for one in table.record.drafts() if one.kind == "reminder"]
    table.record.close()
    list(handle(tmp_path, "approve", ids[1:], lambda body: body, T0))
    table = Table.at(tmp_path)
    drafts = [one for one in table.record.drafts() if one.kind == "reminder"]
    table.record.close()
    for player in ("Anna part 2", "Anna part two"):
        text = "\n".join(one.body for one in drafts if one.audience == player)
        assert text.splitlines() == [player, *long.splitlines()]
    assert [one.body for one in drafts if one.audience == "Anna"] == [f"Anna\n{long}"]


@pytest.mark.parametrize("chosen", [[0], [0, 1]])
def test_what_the_gm_adds_to_the_first_of_two_parts_takes_no_words_from_either(tmp_path: Path, chosen: list[int]) -> None:
    (tmp_path / "game.toml").write_text(GAME.replace("[thread]", "[thread]\nlongest = 3000"), encoding="utf-8")
    table = Table.at(tmp_path)
    start(table, T0)
    parts = table.record.parts_of("rules")
    before = [one.body for one in parts]
    for one in parts:
        table.record.change_draft(one.id, state="review")
    added = "\n".join(f"{number}. Further words of the GM's." for number in range(100))
    table.record.change_draft(parts[0].id, body=f"{before[0]}\n{added}")
    table.record.close()
    list(handle(tmp_path, "approve", [parts[number].id for number in chosen], lambda body: body, T0))
    table = Table.at(tmp_path)
    now = table.record.parts_of("rules")
    text = "\n".join(one.body for one in now)
    table.record.close()
    assert [one.state for one in now] == ["approved", *(["approved" if 1 in chosen else "review"] * (len(now) - 1))]
    assert len(now) > len(parts)
    lines = [line for part in (before[0], added, *before[1:]) for line in part.splitlines()]
    at = -1
    for line in lines:
        at = text.index(line, at + 1)
