"""A game in its folder, looked at and handled from the desk while it goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import scheduler
from desk import views
from desk.commands import command
from desk.dealing import begin
from desk.outgoing import handle, means_drafts, outbox_facts, outbox_lines, picked
from desk.settings import load_settings
from desk.sources import changed_since_start, may_not_work, reached
from desk.stories import log_facts, story_lines
from desk.table import Table
from desk.teaching import teach
from desk.why import why
from engine.events import Event
from engine.inputs import OrderInput
from scraper.model import BadInput, Message, Post

OPENS = datetime(2026, 12, 1, 20, tzinfo=UTC)
GAME = """\
ruleset = "danganronpa"
title = "A small school"
host = "Monokuma"
seed = "s3cret"
[thread]
saved = "saved"
[clock]
opens = 2026-12-01T20:00:00
[players]
Ann = "ultimate_detective"
Boris = { role = "ultimate_nurse", black = "black_slasher", account = "boris_77" }
Cleo = "ultimate_journalist"
Dora = "ultimate_lawyer"
[options]
no_votes = "monokuma"
"""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    (tmp_path / "game.toml").write_text(GAME, "utf-8")
    table = Table.at(tmp_path)
    scheduler.start(table, OPENS)
    yield table
    table.record.close()


def after(hours: float) -> datetime:
    return OPENS + timedelta(hours=hours)


def vote(table: Table, hours: float, by: str, target: str) -> None:
    id_ = str(int(hours * 10))
    text = f"[b][color=red]{target}[/color][/b]"
    post = Post(id_, None, by, None, after(hours), None, f"https://forum.example/p{id_}", text, target)
    table.record.add_posts([post], after(hours))


def folder(table: Table) -> Path:
    return table.settings.folder


def test_status_tells_phase_time_count_and_who_is_silent(table: Table) -> None:
    vote(table, 1, "boris_77", "Ann")
    message = Message("m1", "Ann", (), after(2), "", "withdraw shadow", "inbox")
    table.record.add_messages([message], after(2))
    facts = views.status_facts(folder(table), after(24))
    assert facts["phase"] == "trial 1"
    assert facts["seconds_left"] == 24 * 3600
    assert facts["tally"]["counts"][0]["voters"][0]["url"] == "https://forum.example/p10"
    assert facts["tally"]["not_voting"] == ["Ann", "Cleo", "Dora"]
    assert facts["not_ordered"] == []  # a trial waits for votes
    assert "trial 1, until 2026-12-03 20:00 UTC (1 day left)" in list(views.status_lines(facts))


def test_status_says_since_when_a_phase_is_over_and_what_to_do(table: Table) -> None:
    vote(table, 1, "boris_77", "Ann")
    lines = list(views.status_lines(views.status_facts(folder(table), after(48 + 394.5))))
    assert "trial 1, over since 2026-12-03 20:00 UTC (16 days 10 hours ago)" in lines
    assert any("waits for your answer" in line for line in lines)
    views.answer(folder(table), "1", "No hats.", after(2))
    lines = list(views.status_lines(views.status_facts(folder(table), after(48.1))))
    assert "trial 1, over since 2026-12-03 20:00 UTC (6 minutes ago)" in lines
    assert any("nightpost tick" in line for line in lines)


def test_status_says_a_notice_once(table: Table) -> None:
    read = "What is read: mbox files, zips."
    notes = [f"a.txt was left out: no mailbox. {read}", "Locked.", f"b.txt was left out: no mailbox. {read}", "Locked."]
    for number, text in enumerate(notes):
        table.record.notice(after(number), text)
    texts = [one["text"] for one in views.status_facts(folder(table), after(5))["notices"]]
    assert texts == [f"a.txt was left out: no mailbox. {read}", "b.txt was left out: no mailbox.", "Locked."]


def test_a_notice_keeps_what_it_is_about_and_what_no_shown_one_says(table: Table) -> None:
    mails = [f"A mail that calls itself Ann's does not count. It says: “kill {one}”. Count it by hand." for one in ("Bo", "Cy", "Di")]
    others = ["Locked.", "Moved.", "Split off.", "Merged."]
    for number, text in enumerate([mails[0], *others, *mails[1:]]):
        table.record.notice(after(number), text)
    texts = [one["text"] for one in views.status_facts(folder(table), after(9))["notices"]]
    assert texts == [*others[1:], mails[1], "A mail that calls itself Ann's does not count. It says: “kill Di”."]


def test_status_folds_notices_of_a_kind_and_shows_times_of_the_games_zone(table: Table) -> None:
    file = folder(table) / "game.toml"
    file.write_text(file.read_text("utf-8").replace("[clock]", '[clock]\ntimezone = "Asia/Tehran"'), "utf-8")
    table.record.notice(after(0), "The forum is down.")
    for number, name in enumerate(("Ann", "Boris", "Cleo", "Dora", "Ann", "Boris", "Cleo")):
        saved = f"taken as sent when the file was last saved, 2026-12-0{number + 1} 20:30 UTC"
        table.record.notice(after(number + 1), f"{name} - night {number}.txt: {number} of 7 orders of {name} without day and hour; {saved}.")
    table.record.notice(after(9), "A post by Ann of 2026-12-01T20:00:00Z is older than the game. https://forum.example/p3")
    table.record.notice(after(10), "A post by Dora of 2026-12-01T20:10:00Z is older than the game. https://forum.example/p4")
    facts = views.status_facts(folder(table), after(11))
    assert [one["more"] for one in facts["notices"]] == [0, 6, 1]
    lines = list(views.status_lines(facts))
    assert lines[-3].endswith("Asia/Tehran: The forum is down.")
    assert lines[-2].endswith("last saved, 2026-12-08 00:00 Asia/Tehran. (and 6 more of the kind)")
    assert "of 2026-12-01 23:40 Asia/Tehran is older" in lines[-1]


def test_what_was_replaced_is_no_question_and_no_doubt(table: Table) -> None:
    file = folder(table) / "game.toml"
    file.write_text(file.read_text("utf-8").replace('Dora = "', '"Ann Lee" = "ultimate_stuntman"\nDora = "'), "utf-8")
    vote(table, 1, "Cleo", "Nobodyknown")
    vote(table, 2, "Cleo", "An")
    vote(table, 3, "Dora", "Lee, Boris")
    assert {one["text"] for one in views.review_facts(folder(table), after(4))["doubts"]} == {"Nobodyknown", "An", "Lee, Boris"}
    assert any("https://forum.example/p10)" in line for line in views.review_lines(views.review_facts(folder(table), after(4))))
    vote(table, 5, "Cleo", "Boris")
    assert {one["text"] for one in views.review_facts(folder(table), after(6))["doubts"]} == {"Lee, Boris"}
    assert views.status_facts(folder(table), after(6))["doubts"] == 1


def test_a_vote_that_is_only_bold_or_only_red_is_shown_for_review(table: Table) -> None:
    said = [
        ("Dora", "[b]Vote: Cleo[/b]"), ("Dora", "I suspect [b]Cleo[/b], and would vote Cleo."), ("Cleo", "[color=red]Boris[/color]"),
        ("Cleo", "[color=red]blood on the floor[/color] [quote][b]Vote: Dora[/b][/quote]"), ("boris_77", "[b]Vote: Boris[/b]"),
        ("boris_77", "vote Dora"), ("Ann", "[b][color=orangered]Vote: Dora[/color][/b] and [b][color=orange]Cleo[/color][/b]"),
    ]  # fmt: skip
    posts = [
        Post(f"{number}", number, author, None, after(number), None, None, text, text)
        for number, (author, text) in enumerate(said, 11)
    ]
    table.record.add_posts(posts, after(20))
    doubts = views.review_facts(folder(table), after(20))["doubts"]
    assert [(one["topic"], one["player"], one["text"], one["nearest"]) for one in doubts] == [
        ("half_vote", "Dora", "Vote: Cleo", "Cleo"), ("half_vote", "Cleo", "Boris", "Boris"), ("half_vote", "Boris", "vote Dora", "Dora"),
        ("half_vote", "Ann", "Vote: Dora", "Dora"),
    ]  # fmt: skip
    vote(table, 21, "Dora", "Cleo")
    assert [one["player"] for one in views.review_facts(folder(table), after(22))["doubts"]] == ["Cleo", "Boris", "Ann"]
    table.record.add_posts([Post("23", 23, "Dora", None, after(23), None, None, "[b]Unvote[/b]", "Unvote")], after(23))
    assert ("Unvote", None) in [(one["text"], one["nearest"]) for one in views.review_facts(folder(table), after(24))["doubts"]]


def test_a_vote_that_is_no_line_of_its_own_in_bold_is_shown_for_review(tmp_path: Path) -> None:
    roles = {"Ann": "godfather", "Boris": "prince", "Cleo": "doctor", "Dora": "police", "Emil": "innocent"}
    players = "\n".join(f'{name} = "{role}"' for name, role in roles.items())
    game = GAME[: GAME.index("[players]")].replace("danganronpa", "persian")
    (tmp_path / "game.toml").write_text(f'{game}[players]\n{players}\n[options]\nfirst_phase = "day"\n', "utf-8")
    table = Table.at(tmp_path)
    scheduler.start(table, OPENS)
    said = [
        ("Ann", "Vote: Boris"), ("Boris", "[b]Final vote: Ann[/b]"), ("Boris", "so [b]I will not vote Cleo[/b]"), ("Cleo", "[b]vote: Dora[/b]"),
        ("Cleo", "unvote"), ("Dora", "**vote: Emil**"), ("Dora", "[b]vote: Emil[/b]"), ("Dora", "Unvote: Emil"), ("Dora", "unvote XYZ"), ("Emil", "unvote"), ("Emil", "Vote: Emil"), ("Emil", "[b]FoS: Ann, Vote: XYZ[/b]"),
    ]  # fmt: skip
    posts = [Post(f"{n}", n, author, None, after(n), None, None, text, text) for n, (author, text) in enumerate(said, 1)]
    table.record.add_posts(posts, after(20))
    facts = views.review_facts(tmp_path, after(20))
    assert [(one["topic"], one["player"], one["text"], one["nearest"]) for one in facts["doubts"]] == [
        ("near_vote", "Ann", "Vote: Boris", "Boris"), ("near_vote", "Boris", "Final vote: Ann", "Ann"), ("near_vote", "Cleo", "unvote", None),
        ("near_vote", "Dora", "Unvote: Emil", None), ("near_vote", "Emil", "FoS: Ann, Vote: XYZ", None),
    ]  # fmt: skip
    lines = "\n".join(views.review_lines(facts))
    assert '"Vote: Boris" by Ann is not bold with the vote word first, and so no vote; was one for Boris meant?' in lines
    assert '"unvote" by Cleo is not bold with the vote word first, and so no vote; was a withdrawal meant?' in lines
    assert '"FoS: Ann, Vote: XYZ" by Emil is not bold with the vote word first, and so no vote; was one meant?' in lines
    table.record.close()


def test_a_message_by_nobody_known_is_shown_for_review(table: Table) -> None:
    sent = [Message(f"m{number}", sender, (), after(2), "", "object Ann", "x") for number, sender in enumerate(("Doraa", "Dora", "Monokuma"))]
    table.record.add_messages(sent, after(2))
    (doubt,) = views.review_facts(folder(table), after(3))["doubts"]
    assert (doubt["topic"], doubt["player"], doubt["nearest"], doubt["from"]) == ("stranger", "Doraa", "Dora", "message 1")
    assert any("nobody's account" in line for line in views.review_lines(views.review_facts(folder(table), after(3))))


def test_of_a_strangers_many_messages_the_last_ones_are_shown_for_review(table: Table) -> None:
    senders = ("News", "Doraa", *["News"] * 6, "Shop")
    sent = [Message(f"m{number}", sender, (), after(2), "", f"Number {number}", "x") for number, sender in enumerate(senders)]
    table.record.add_messages(sent, after(2))
    facts = views.review_facts(folder(table), after(3))
    assert [(one["player"], one["text"], one["more"]) for one in facts["doubts"]] == [
        ("News", "Number 3", 2), *(("News", f"Number {number}", 0) for number in range(4, 8)),
        ("Doraa", "Number 1", 0), ("Shop", "Number 8", 0),
    ]  # fmt: skip
    lines = "\n".join(views.review_lines(facts))
    assert 'News, who is nobody\'s account in game.toml, writes "Number 3". It had written 2 before. (message 4)' in lines


def test_messages_without_an_author_are_each_shown_since_they_may_be_anybodys(table: Table) -> None:
    sent = [Message(f"m{number}", "", (), after(2), "", f"Number {number}", "x") for number in range(7)]
    table.record.add_messages(sent, after(2))
    doubts = views.review_facts(folder(table), after(3))["doubts"]
    assert [(one["player"], one["text"], one["more"]) for one in doubts] == [("", f"Number {number}", 0) for number in range(7)]


def test_a_mail_that_proves_no_sender_is_not_called_a_strangers(table: Table) -> None:
    sent = [
        Message(f"m{sender}", sender, (), after(2), "", "object Ann", "x") for sender in ("unproven ann@example.org", "unproven")
    ]
    table.record.add_messages(sent, after(2))
    first, second = views.review_facts(folder(table), after(3))["doubts"]
    assert (first["topic"], first["player"], first["nearest"]) == ("unproven", "ann@example.org", None)
    assert (second["topic"], second["player"]) == ("unproven", "no address")
    lines = list(views.review_lines(views.review_facts(folder(table), after(3))))
    assert (
        '- It is not proven who sent the mail from ann@example.org: it counts for nothing. It says "object Ann". (message 1)'
        in lines
    )
    assert not any("nobody's account" in line for line in lines)


VILLAGE = GAME[: GAME.index("[players]")].replace("danganronpa", "persian") + """
[players]
Ann = { role = "godfather", account = "annie" }
Boris = "sorcerer"
Cleo = "detective"
Dora = "innocent"
[options]
language = "en"
"""


def test_votes_written_as_lines_are_shown_for_review_and_why_as_coloured_ones_are(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(VILLAGE, "utf-8")
    table = Table.at(tmp_path)
    scheduler.start(table, OPENS)
    said = [("Ann", "[b]Vote: Dora[/b]"), ("Cleo", "##vote qqqq"), ("Cleo", "well, ##vote Dora"), ("Boris", "I would vote Dora")]
    posts = [
        Post(f"{number}", number, author, None, after(number), None, None, text, text)
        for number, (author, text) in enumerate(said, 1)
    ]
    table.record.add_posts(posts, after(5))
    doubts = views.review_facts(tmp_path, after(6))["doubts"]
    assert [(one["topic"], one["player"], one["text"]) for one in doubts] == [("stranger", "Ann", "Vote: Dora")]
    assert [row["text"] for row in why(tmp_path, "Cleo", after(6)) if row["kind"] == "declared"] == ["##vote qqqq", "##vote Dora"]
    table.record.close()


def test_a_name_in_letters_of_another_script_is_counted_and_marked(table: Table) -> None:
    vote(table, 1, "Cleo", "Аnn")
    vote(table, 2, "Dora", "Ann, это")
    (doubt,) = [one for one in views.review_facts(folder(table), after(3))["doubts"] if one["topic"] == "look_alike"]
    assert (doubt["player"], doubt["nearest"], doubt["from"]) == ("Cleo", "Ann", "post 10")
    assert '- "Аnn" by Cleo has letters of another script in it that look like those of Ann.' in "\n".join(
        views.review_lines(views.review_facts(folder(table), after(3)))
    )


def test_the_tally_at_a_time_and_at_a_post(table: Table) -> None:
    vote(table, 1, "boris_77", "Ann")
    vote(table, 2, "Cleo", "Ann")
    vote(table, 3, "boris_77", "Cleo")
    assert views.tally_at(folder(table), None, after(5))["counts"][0]["votes"] == 1
    (row,) = views.tally_at(folder(table), "2026-12-01T22:30:00Z", after(5))["counts"]
    assert (row["target"], row["votes"]) == ("Ann", 2)
    assert views.tally_at(folder(table), "20", after(5))["counts"] == [row]
    label, counts, zone = views.tally_history(folder(table), after(5))
    assert (label, len(counts), zone) == ("trial 1", 3, "UTC")
    with pytest.raises(BadInput, match="number of a post"):
        views.tally_at(folder(table), "yesterday", after(5))


def test_a_question_is_listed_answered_and_gone(table: Table) -> None:
    facts = views.review_facts(folder(table), after(24))
    keys = [one["question"] for one in facts["questions"]]
    assert "no_votes" in keys
    number = str(keys.index("no_votes") + 1)
    with pytest.raises(BadInput, match="choices are"):
        views.answer(folder(table), number, "Zoe", after(24))
    said = views.answer(folder(table), number, "cleo", after(24))
    assert "trial 1 stays open" in said  # nobody need wait for a tick that closes it
    others = list(views.question_lines(views.review_facts(folder(table), after(24))["questions"]))
    assert others[0].startswith("1. ")
    assert said.split("\n")[1:] == ["Still open, each with its number from now on:", *others]
    assert "no_votes" not in [one["question"] for one in views.review_facts(folder(table), after(25))["questions"]]
    outcome, _ = views.previewed(folder(table), [], after(25))
    assert [event["player"] for event in outcome.events if event.kind == "death"] == ["Cleo"]


def test_a_command_counts_can_be_taken_back_and_is_refused(table: Table) -> None:
    command(folder(table), "modkill Dora", after(1))
    assert "Dora" not in views.status_facts(folder(table), after(2))["alive"]
    command(folder(table), "undo", after(3))
    assert "Dora" in views.status_facts(folder(table), after(4))["alive"]
    vote(table, 1, "boris_77", "Ann")
    refusals = {
        "": "in quotes", "modkil Ann": "`modkill X`", "frobnicate": "The commands are", "modkill Zoe": "nobody is called `Zoe`",
        "modkill Dorra, please": "nobody is called", "punish Ann": "in a daily life", "violation Ann 9": "in force are 1, 2",
        "end game blue": "`end game white`", "vote Ann Boris": "`vote X for Y`", "vote Zoe for Ann": "the players are Ann",
        "vote Anna for Boris": "did you mean Ann", "vote Ann for Nobodyknown": "nobody is called `Nobodyknown`",
        "vote Ann for Ann": "Ann cannot be voted for by Ann", "unvote Cleo": "no vote that stands",
        "order Ann shadow Boris": "`order X: …`", "order Ana: shadow Boris": "did you mean Ann",
        "order Ann: text nobody can read": "rules danganronpa --glossary", "order Ann: shadw Boris": "nearest: shadow X",
        "order Ann: care Boris": "not yours", "order Ann: shadow Boris": "wrong phase", "pick Cleo": "no question",
        "extend 5": "extend 24h", "extend -5h": "extend 24h", "replace Ann": "replace Ann with New Name",
    }  # fmt: skip
    for words, said in refusals.items():
        with pytest.raises(BadInput) as refused:
            command(folder(table), words, after(5))
        assert said in str(refused.value), (words, str(refused.value))
    assert [entry.text for entry in table.record.entries()] == []


def test_a_command_says_what_it_does(table: Table) -> None:
    assert "Boris votes for Ann." in command(folder(table), "vote boris for ANN", after(1))
    assert "Boris's vote is taken back" in command(folder(table), "unvote Boris", after(2))
    assert "Dora orders: object Ann" in command(folder(table), "order dora: object Ann", after(3))
    command(folder(table), "modkill Cleo", after(4))
    for words, said in {"vote Cleo for Ann": "does not vote", "vote Ann for Cleo": "cannot be voted for"}.items():
        with pytest.raises(BadInput, match=said):
            command(folder(table), words, after(5))


def test_a_preview_writes_nothing_and_shows_what_a_late_order_changes(table: Table) -> None:
    before = json.dumps([list(map(str, table.record.phases())), len(table.record.events())])
    outcome, _ = views.previewed(folder(table), [], after(10))
    assert any(event.kind == "announce" for event in outcome.events)
    _, difference = views.previewed(folder(table), ["Ann: shadow Boris"], after(10))
    assert any(event.get("to") == "Ann" for event in difference.new)
    assert difference.gone == ()
    for order, said in {"shadow Boris": "Player: order", "Anm: x": "did you mean Ann", "Ann: xyz": "could not be read"}.items():
        with pytest.raises(BadInput, match=said):
            views.previewed(folder(table), [order], after(10))
    assert json.dumps([list(map(str, table.record.phases())), len(table.record.events())]) == before


def test_a_preview_shows_what_another_reading_changes(table: Table) -> None:
    vote(table, 1, "boris_77", "Ann")
    vote(table, 2, "Ann", "Nobodyknown")
    vote(table, 3, "Dora", "Cleo")
    facts = views.preview_facts(folder(table), after(10), [], ["20: Cleo"])
    changed = {(change, event.kind, event.get("player")) for change, event in facts["events"]}
    assert {("gone", "death", "Ann"), ("new", "death", "Cleo")} <= changed
    lines = "\n".join(views.preview_lines(facts))
    assert "- [everyone] Ann is executed" in lines
    assert "+ [everyone] Cleo is executed" in lines
    assert any("Cleo is executed" in body for body in facts["posts"].values())
    nothing = views.preview_facts(folder(table), after(10), [], ["post 10: Ann"])
    assert list(views.preview_lines(nothing)) == ["Nothing would differ."]
    table.record.add_messages([Message("m1", "Dora", (), after(4), "", "objct Cleo", "inbox")], after(4))
    assert any("objct Cleo" in line and "(message 1, inbox)" in line for line in views.review_lines(views.review_facts(folder(table), after(9))))
    facts = views.preview_facts(folder(table), after(10), [], ["message 1: object Cleo"])
    assert ("new", "deed") in {(change, event.kind) for change, event in facts["events"]}
    for reading, said in {"999: Ann": "no post or message `999`", "Ann": "POST: text"}.items():
        with pytest.raises(BadInput, match=said):
            views.previewed(folder(table), [], after(10), [reading])


def test_a_preview_shows_the_messages_that_the_close_brings(table: Table) -> None:
    file = folder(table) / "game.toml"
    text = file.read_text("utf-8").replace('Ann = "ultimate_detective"', 'Ann = "ultimate_fortune_teller"')
    file.write_text(text.replace('seed =', 'start = "daily life 2"\nseed ='), "utf-8")
    (folder(table) / "game.db").unlink()
    again = Table.at(folder(table))
    scheduler.start(again, OPENS)
    facts = views.preview_facts(folder(table), after(1), ["Ann: read Ann"], [])
    (title,) = [one for one in facts["posts"] if one.startswith("to ")]
    assert title.startswith("to Ann: ")


def test_a_late_order_counts_in_a_preview_after_the_deadline(table: Table) -> None:
    _, difference = views.previewed(folder(table), ["Dora: object Ann"], after(60))
    assert any(event.kind == "deed" for event in difference.new)


def test_drafts_are_shown_approved_edited_and_dropped_but_not_once_posted(table: Table) -> None:
    for number in (1, 2, 3, 4):
        table.record.add_draft(f"k{number}", "report", "thread", f"Post {number}", "old", "review", OPENS, None)
    one, two, three, four = (draft.id for draft in table.record.drafts()[-4:])
    table.record.change_draft(four, state="posted", link="https://forum.example/p9")
    list(handle(folder(table), "approve", [one], lambda body: body, OPENS))
    list(handle(folder(table), "edit", [two], lambda body: body.replace("old", "new"), OPENS))
    list(handle(folder(table), "drop", [three], lambda body: body, OPENS))
    facts = outbox_facts(folder(table))
    assert [(fact["state"], fact["body"]) for fact in facts[-4:]] == [
        ("approved", "old"), ("review", "new"), ("dropped", "old"), ("posted", "old"),
    ]  # fmt: skip
    assert any("https://forum.example/p9" in line for line in outbox_lines(facts))
    with pytest.raises(BadInput, match="posted already"):
        list(handle(folder(table), "drop", [two, four], lambda body: body, OPENS))
    with pytest.raises(BadInput, match="no draft 999"):
        list(handle(folder(table), "approve", [999], lambda body: body, OPENS))
    assert outbox_facts(folder(table)) == facts
    with pytest.raises(BadInput, match="dropped already"):
        list(handle(folder(table), "drop", [three], lambda body: body, OPENS))
    for error in (None, "The forum refused it."):
        table.record.change_draft(three, error=error, state="review")
        list(handle(folder(table), "drop", [three], lambda body: body, OPENS))
        assert "approved" in " ".join(handle(folder(table), "approve", [three], lambda body: body, OPENS))  # dropped by mistake
    table.record.change_draft(three, state="dropped", error="no longer needed; it was not sent")
    with pytest.raises(BadInput, match="dropped already"):
        list(handle(folder(table), "approve", [three], lambda body: body, OPENS))


def test_drafts_are_picked_by_number_range_kind_and_all(table: Table) -> None:
    for draft in table.record.drafts():
        table.record.change_draft(draft.id, state="dropped")
    for number, kind in enumerate(("role", "role", "report", "role")):
        table.record.add_draft(f"k{number}", kind, "thread", "Post", "text", "review", OPENS, None)
    one, two, three, four = (draft.id for draft in table.record.drafts("review"))
    table.record.change_draft(two, state="posted")
    here = folder(table)
    assert picked(here, "approve", ["all"]) == [one, three, four]
    assert picked(here, "drop", [str(four), "role"]) == [four, one]
    assert picked(here, "approve", [f"{two}-{four}"]) == [three, four]
    assert picked(here, "edit", [str(two)]) == [two]
    with pytest.raises(BadInput, match="no draft of the kind `tally` waits"):
        picked(here, "approve", ["tally"])
    with pytest.raises(BadInput, match="no draft from 900 to 901"):
        picked(here, "approve", ["900-901"])
    with pytest.raises(BadInput, match="takes the numbers of drafts"):
        picked(here, "edit", ["all"])
    assert [means_drafts(word) for word in ("12", "3-9", "all", "role", "my-game", "3-", "./role")] == [True] * 4 + [False] * 3


def test_a_phase_is_prolonged_and_the_deadline_comes_back_with_undo(table: Table) -> None:
    command(folder(table), "extend 1d 6h", after(1))
    assert views.status_facts(folder(table), after(1))["deadline"] == "2026-12-05T02:00:00Z"
    command(folder(table), "undo", after(2))
    assert views.status_facts(folder(table), after(2))["deadline"] == "2026-12-03T20:00:00Z"
    for wrong in ("extend", "extend soon"):
        with pytest.raises(BadInput, match="Nothing was changed"):
            command(folder(table), wrong, after(3))


@pytest.mark.parametrize("player", ["Ann", "Boris", "Cleo", "Dora"])
def test_an_alias_is_taught_and_the_rest_of_the_file_stays(table: Table, player: str) -> None:
    file = folder(table) / "game.toml"
    cleo = 'Cleo = { aliases = ["Cle"], role = "ultimate_journalist" }'
    text = file.read_text("utf-8").replace('Cleo = "ultimate_journalist"', cleo)
    file.write_text("# mine\n" + text, "utf-8")
    teach(folder(table), player, 'The "One"')
    settings = load_settings(folder(table))
    assert settings.called('the "one"') == player
    assert settings.called("Cle") == "Cleo"
    assert file.read_text("utf-8").startswith("# mine\n")
    with pytest.raises(BadInput, match="already means"):
        teach(folder(table), "Ann", 'The "One"')
    with pytest.raises(BadInput, match="nobody is called"):
        teach(folder(table), "Zoe", "Z")


def test_a_game_that_has_become_another_is_told(tmp_path: Path) -> None:
    file = tmp_path / "game.toml"
    file.write_text(GAME, "utf-8")
    assert begin(tmp_path, OPENS)["failed"] == []
    assert changed_since_start(load_settings(tmp_path)) == []
    file.write_text(GAME.replace("s3cret", "other"), "utf-8")
    assert len(changed_since_start(load_settings(tmp_path))) == 1


def test_why_tells_before_the_first_close_what_is_known_so_far(table: Table) -> None:
    vote(table, 1, "boris_77", "Ann")
    vote(table, 2, "Cleo", "Nobodyknown")
    table.record.add_messages([Message("m1", "Ann", (), after(2), "", "withdraw shadow", "inbox")], after(2))
    told = why(folder(table), "ann", after(3))
    assert all(row["provisional"] for row in told)
    assert {row["kind"] for row in told} == {"notice", "order", "result", "vote"}
    (voted,) = [row for row in told if row["kind"] == "vote"]
    assert (voted["player"], voted["target"], voted["source"]["url"]) == ("Boris", "Ann", "https://forum.example/p10")
    assert "trial 1, so far (provisional: the phase is open)" in list(story_lines(told))
    assert "Nobodyknown" in [row["text"] for row in why(folder(table), "cleo", after(3)) if row["kind"] == "declared"]
    assert why(folder(table), str(voted["event"]), after(3))[-1]["kind"] == "vote"
    assert why(folder(table), "boris_77", after(3))[-1]["player"] == "Boris"


def test_why_knows_nobody_of_that_name(table: Table) -> None:
    for asked, said in {"Annn": "did you mean Ann", "Zzz": "the players are Ann", "": "nobody", "999": "no event 999"}.items():
        with pytest.raises(BadInput, match=said):
            why(folder(table), asked, after(1))


def test_what_is_resolved_is_not_provisional(table: Table) -> None:
    vote(table, 1, "boris_77", "Ann")
    scheduler.preview(folder(table), now=after(1))
    views.answer(folder(table), "1", "No hats.", after(2))
    assert scheduler.resolve_now(folder(table), now=after(3)).closed
    told = why(folder(table), "Ann", after(4))
    assert [row["provisional"] for row in told if row["kind"] == "death"] == [False]
    assert {row["phase"] for row in told if row["provisional"]} <= {"daily life 1"}


def test_start_tells_at_once_of_a_template_that_fails(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, "utf-8")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "opening.j2").write_text("{{ no_such_name }}", "utf-8")
    facts = begin(tmp_path, OPENS)
    (told,) = facts["failed"]
    assert "opening.j2" in told
    assert "built-in text" in told
    (draft,) = [one for one in outbox_facts(tmp_path) if one["kind"] == "opening"]
    assert f"draft {draft['id']} " in told
    assert draft["state"] == "review"


def test_check_tries_every_source_and_names_senders_that_are_nobody(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, "utf-8")
    settings = load_settings(tmp_path)
    assert "There are no saved pages" in reached(settings, OPENS).told[0]
    box = tmp_path / "mail"
    box.mkdir()
    assert "is empty" in reached(settings, OPENS).told[-1]
    for number, sender in enumerate(("Cleo", "Borris_77", "Borris_77")):
        (box / f"{number}.eml").write_text(
            f"From: {sender}\nTo: gm\nSubject: x\nDate: Tue, 01 Dec 2026 21:0{number}:00 +0000\nMessage-ID: <{number}@x>\n\nhi\n", "utf-8"
        )
    (box / "a.json").write_text('{"shopping": "list"}', "utf-8")
    (box / "b.json").write_text('["another"]', "utf-8")
    (box / "c.zip").write_bytes(b"PK\x03\x04 broken")
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "x.html").write_text("<html><form>Log in</form></html>", "utf-8")
    look = reached(settings, OPENS)
    assert look.unreachable
    text = "\n".join(look.told)
    assert "3 messages" in text
    assert "Borris_77 writes messages (2), and is nobody's account; is it Boris?" in text
    assert 'into the braces of Boris\'s line under [players]: account = ["boris_77", "Borris_77"]' in text
    assert text.count("What is read:") == 1
    assert "c.zip is a damaged" in text
    assert look.told[0].startswith("! ")


def test_check_names_the_address_by_which_a_mail_would_count(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME.replace("boris_77", "boris@example.org"), "utf-8")
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "1.eml").write_text(
        "From: Ann <ann@example.org>\nTo: gm\nSubject: x\nDate: Tue, 01 Dec 2026 21:00:00 +0000\nMessage-ID: <1@x>\n\nhi\n", "utf-8"
    )
    text = "\n".join(reached(load_settings(tmp_path), OPENS).told)
    assert "ann@example.org writes messages (1), and is nobody's account; is it Ann?" in text
    assert '"ann@example.org"]' in text
    (tmp_path / "game.toml").write_text(f'{GAME}\n[mail]\ntrust = "all"\n', "utf-8")
    assert "nobody's account" not in "\n".join(reached(load_settings(tmp_path), OPENS).told)


def test_check_warns_of_what_cannot_work(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text(GAME, "utf-8")
    assert may_not_work(load_settings(tmp_path), OPENS) == []
    (late,) = may_not_work(load_settings(tmp_path), after(49))
    assert "which is past" in late
    (tmp_path / "game.toml").write_text(GAME.replace(', black = "black_slasher"', ""), "utf-8")
    (told,) = may_not_work(load_settings(tmp_path), OPENS)
    assert "Black team" in told


def test_what_an_event_says_of_from_whom_stays_in_the_log() -> None:
    event = Event("notice", "day 1", "private", (), {"to": "Ann", "topic": "charm", "from": "kazuha"}, (), "message 1")
    (row,) = log_facts([event], {"message 1": OrderInput("message 1", "Boris", "charm Ann")})
    assert (row["from"], row["source"]["by"]) == ("kazuha", "Boris")
    assert any("kazuha" in line for line in story_lines([row]))
