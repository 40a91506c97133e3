"""Who speaks for whom, from when until when (reading.md: former players; product.md: `replace X with Y`)."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from demo.practice import PracticeForum
from desk import views
from desk.commands import command
from desk.outgoing import handle
from desk.replacing import replaced
from desk.settings import load_settings
from desk.sources import reached
from desk.table import Table
from desk.teaching import teach
from scheduler import replay, resolve_now, tick
from scraper.forum import Uncertain
from scraper.model import BadInput, Message, SourceError
from store.record import Draft
from store.seats import Seats
from tests.live_game import LiveGame
from tests.practice_kit import Clock
from tests.test_tick import T0, Forum, folder, red

__all__ = ["folder"]


def after(hours: float) -> datetime:
    return T0 + timedelta(hours=hours)


def votes(folder: Path, hours: float) -> dict[str, list[str]]:
    """Who votes for whom in the standing count."""
    outcome = Table.at(folder).play(until=after(hours), close=False)
    assert outcome.tally is not None
    found: dict[str, list[str]] = outcome.tally["votes"]
    return found


def test_check_knows_who_has_taken_over_a_seat(folder: Path) -> None:
    replaced(Table.at(folder), "replace Dmitri with Annabel", after(1))
    (folder / "mail").mkdir(exist_ok=True)
    (folder / "mail" / "Annabel - night.txt").write_text("pass", "utf-8")
    (folder / "mail" / "1.eml").write_text(
        "From: Annabel\nTo: gm\nSubject: x\nDate: Tue, 01 Dec 2026 21:00:00 +0000\nMessage-ID: <1@x>\n\nhi\n", "utf-8"
    )
    text = "\n".join(reached(load_settings(folder), after(2)).told)
    assert "2 messages" in text
    assert "left out" not in text
    assert "nobody's account" not in text


def test_a_replaced_player_declares_nothing_any_more_and_his_name_means_the_seat(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Vote: Boris"), after(1))
    forum.post("Newcomer", red("Vote: Cleo"), after(1.5))
    tick(folder, now=after(2), outlet=forum)
    assert votes(folder, 2) == {"Boris": ["Anna"]}
    replaced(Table.at(folder), "replace anna with Newcomer", after(3))
    forum.post("Anna", red("Vote: Dmitri"), after(4))
    forum.post("Cleo", red("Vote: Anna"), after(4))
    forum.post("Dmitri", red("Vote: Newcomer"), after(4))
    tick(folder, now=after(5), outlet=forum)
    assert votes(folder, 5) == {"Anna": ["Cleo", "Dmitri"], "Boris": ["Anna"]}
    doubts = views.review_facts(folder, after(5))["doubts"]
    assert {(one["topic"], one["player"]) for one in doubts} == {("replaced", "Anna"), ("replaced", "Newcomer")}
    assert any("Anna, who has been replaced" in line for line in views.review_lines(views.review_facts(folder, after(5))))
    forum.post("Newcomer", red("Vote: Elena"), after(6))
    tick(folder, now=after(7), outlet=forum)
    assert votes(folder, 7) == {"Anna": ["Cleo", "Dmitri"], "Elena": ["Anna"]}


def test_a_replaced_player_changes_no_old_post(folder: Path) -> None:
    text = (folder / "game.toml").read_text(encoding="utf-8")
    (folder / "game.toml").write_text(text + '[options]\nedits = "last"\n', encoding="utf-8")
    (folder / "game.db").unlink()
    from scheduler import start

    start(Table.at(folder), T0)
    forum = Forum()
    forum.post("Anna", red("Vote: Boris"), after(1))
    tick(folder, now=after(2), outlet=forum)
    replaced(Table.at(folder), "replace Anna by Newcomer", after(3))
    from dataclasses import replace

    forum.thread[0] = replace(forum.thread[0], bbcode=red("Vote: Dmitri"), edited_at=after(4))
    tick(folder, now=after(5), outlet=forum)
    assert votes(folder, 5) == {"Boris": ["Anna"]}


def test_what_a_new_player_writes_in_the_minute_of_the_change_counts(folder: Path) -> None:
    """The page tells 21:00, the command came at 21:00:30, and a new player has written nothing before it."""
    forum = Forum()
    tick(folder, now=after(0.9), outlet=forum)
    replaced(Table.at(folder), "replace Anna with Newcomer", after(1) + timedelta(seconds=30))
    forum.post("Newcomer", red("Vote: Boris"), after(1))
    tick(folder, now=after(2), outlet=forum)
    assert votes(folder, 2) == {"Boris": ["Anna"]}
    tick(folder, now=after(48.1), outlet=forum)
    assert replay(folder) == []


def test_orders_and_messages_go_with_the_seat(folder: Path) -> None:
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    told = [one for one in forum.sent if one[0] == "Anna"]
    assert told
    assert "told before: 1" in replaced(Table.at(folder), "replace Anna with Newcomer", after(2))
    assert Table.at(folder).seats().account("Anna") == "Newcomer"
    tick(folder, now=after(3), outlet=forum)
    assert [one for one in forum.sent if one[0] == "Anna"] == told * 2
    forum.inbox.append(Message("m1", "Anna", ("Monokuma",), after(4), "", "detect Boris", "pm"))
    forum.inbox.append(Message("m2", "Newcomer", ("Monokuma",), after(4), "", "detect Cleo", "pm"))
    tick(folder, now=after(5), outlet=forum)
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    assert [(order.by, order.text) for order in table.inputs(phase).orders] == [("Anna", "detect Cleo")]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("replace Ana with Newcomer", "did you mean Anna"),
        ("replace Xyzzy with Newcomer", "the players are Anna, "),
        ("replace Anna with Professor", "Elena's account already"),
        ("replace Anna with monokuma", "the host's account"),
        ("replace Anna", "write it as"),
    ],
)
def test_what_cannot_be_replaced_changes_nothing(folder: Path, words: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        replaced(Table.at(folder), words, after(1))
    assert Table.at(folder).record.entries() == []


def test_an_undone_replacement_is_none(folder: Path) -> None:
    table = Table.at(folder)
    replaced(table, "replace Anna with Newcomer", after(1))
    entry = table.record.entries()[-1]
    table.record.add_entry("undo", entry.text, after(2), key=str(entry.seq))
    assert table.seats().seat_of("Newcomer", after(3)) is None
    assert table.seats().seat_of("Anna", after(3)) == "Anna"


def test_an_undone_replacement_sends_the_seat_nothing_twice(folder: Path) -> None:
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    told = [one for one in forum.sent if one[0] == "Anna"]
    assert told
    command(folder, "replace Anna with Newcomer", after(2))
    assert command(folder, "undo", after(2)) == "Taken back: replace Anna with Newcomer."
    tick(folder, now=after(3), outlet=forum)
    assert [one for one in forum.sent if one[0] == "Anna"] == told
    command(folder, "replace Anna with Newcomer", after(4))
    tick(folder, now=after(5), outlet=forum)
    assert command(folder, "undo", after(6)) == "Taken back: replace Anna with Newcomer. Newcomer has 1 message of Anna's already."


def _newcomer_told_a_result(folder: Path) -> Forum:
    """Three hours after the start: Anna's seat has gone to Newcomer, who then was told a result that Anna never had."""
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    command(folder, "replace Anna with Newcomer", after(2))
    record = Table.at(folder).record
    record.add_draft("a result", "private", "Anna", "News", "The result.", "approved", after(2), None)
    record.close()
    tick(folder, now=after(3), outlet=forum)
    return forum


def test_what_only_the_new_account_was_told_is_told_to_the_player_when_the_replacement_is_undone(folder: Path) -> None:
    forum = _newcomer_told_a_result(folder)
    told = command(folder, "undo", after(4))
    assert told == (
        "Taken back: replace Anna with Newcomer. Newcomer has 2 messages of Anna's already. "
        "Put in the outbox for Anna, who has not had them: 1."
    )
    tick(folder, now=after(5), outlet=forum)
    assert [body for to, _, body in forum.sent if to == "Anna"].count("The result.") == 2
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 4


def test_who_takes_over_from_a_replacement_gets_each_message_once(folder: Path) -> None:
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    for number, hours in enumerate((2, 4)):
        assert "told before: 1" in command(folder, f"replace Anna with Newcomer{number}", after(hours))
        tick(folder, now=after(hours + 1), outlet=forum)
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 3


def test_two_replacements_in_a_row_send_each_message_once_and_undoing_one_sends_it_to_the_other(folder: Path) -> None:
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    for name in ("Newcomer", "Latecomer"):
        command(folder, f"replace Anna with {name}", after(2))
    tick(folder, now=after(3), outlet=forum)
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 2
    command(folder, "undo", after(4))
    for hours in (5, 6):
        tick(folder, now=after(hours), outlet=forum)
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 3


def test_undoing_a_replacement_sends_all_that_waited_for_the_account_before(folder: Path) -> None:
    forum = _newcomer_told_a_result(folder)
    for words in ("undo", "replace Anna with Latecomer", "undo"):
        command(folder, words, after(4))
    tick(folder, now=after(5), outlet=forum)
    assert [body for to, _, body in forum.sent if to == "Anna"].count("The result.") == 2


def test_what_game_toml_says_later_changes_no_closed_phase(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Vote: Bobby"), after(1))
    forum.post("Cleo", red("Vote: Dmitri"), after(1))
    tick(folder, now=after(2), outlet=forum)
    resolve_now(folder, now=after(3))
    assert replay(folder) == []
    teach(folder, "Boris", "Bobby")
    assert replay(folder) == []


def test_seats_are_kept_as_they_were(folder: Path) -> None:
    table = Table.at(folder)
    replaced(table, "replace Anna with Newcomer", after(1))
    assert Seats.from_json(table.seats().as_json()) == table.seats()


def test_what_is_read_after_its_phase_was_resolved_is_told(folder: Path) -> None:
    forum = Forum()
    tick(folder, now=after(2), outlet=forum)
    resolve_now(folder, now=after(3))
    forum.post("Anna", red("Vote: Boris"), after(2.5))
    forum.post("Cleo", "only talk", after(2.6))
    forum.inbox.append(Message("m1", "Elena", ("Monokuma",), after(2.7), "", "an order", "pm"))
    tick(folder, now=after(4), outlet=forum)
    notices = [text for _, text in Table.at(folder).record.notices()]
    assert sum("post by Anna" in text and "http://forum/1" in text for text in notices) == 1
    assert sum("message by Elena" in text for text in notices) == 1
    assert not any("Cleo" in text for text in notices)
    tick(folder, now=after(5), outlet=forum)
    assert [text for _, text in Table.at(folder).record.notices()] == notices


def test_one_message_told_by_two_sources_counts_once(folder: Path) -> None:
    record = Table.at(folder).record
    live = Message("77", "Anna", ("Monokuma",), after(1), "night", "detect [b]Boris[/b]", "https://forum.example/pm?p=77")
    export = Message("phpbb-x", "anna", ("Monokuma",), after(1), "night", "detect Boris", "mail/pm.csv:message 3")
    again = Message("78", "Anna", ("Monokuma",), after(1), "night", "detect Boris", "https://forum.example/pm?p=78")
    assert record.add_messages([live], after(2)) == [live]
    assert record.add_messages([export], after(2)) == []
    assert record.add_messages([again], after(2)) == [again]


def test_a_post_of_the_closing_minute_counts_in_the_next_phase_where_pages_tell_no_seconds(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Vote: Elena"), after(1))
    tick(folder, now=after(2), outlet=forum)
    closed = after(3) + timedelta(seconds=30)
    resolve_now(folder, now=closed)
    forum.post("Cleo", "said in the same minute", after(3))
    tick(folder, now=after(4), outlet=forum)
    table = Table.at(folder)
    phase = table.current()
    assert phase is not None
    assert [post.text for post in table.inputs(phase).posts] == ["said in the same minute"]
    assert table.record.notices() == []
    assert replay(folder) == []


def test_what_mybb_puts_behind_an_older_post_counts_from_then(folder: Path) -> None:
    from dataclasses import replace

    forum = Forum()
    Table.at(folder).record.set_fact("forum", "mybb")
    forum.post("Anna", red("Vote: Boris"), after(1))
    tick(folder, now=after(2), outlet=forum)
    old = forum.thread[0]
    forum.thread[0] = replace(old, bbcode=f"{old.bbcode}\n[hr]\n{red('Vote: Cleo')}", edited_at=after(2.5))
    tick(folder, now=after(3), outlet=forum)
    assert votes(folder, 3) == {"Cleo": ["Anna"]}
    assert votes(folder, 2.2) == {"Boris": ["Anna"]}
    assert any("wrote again" in text for _, text in Table.at(folder).record.notices())


def test_what_is_posted_while_a_tick_reads_is_counted_by_the_next_one(folder: Path) -> None:
    forum = Forum()
    forum.post("Anna", red("Vote: Boris"), after(2) + timedelta(seconds=3))
    tick(folder, now=after(2), outlet=forum)
    tick(folder, now=after(2.1), outlet=forum)
    (tally,) = [body for _, title, body in forum.sent if "Anna" in body and "trial 1" in title.lower()]
    assert "Boris" in tally


def test_an_account_that_is_changed_in_game_toml_drops_no_vote_in_silence(folder: Path) -> None:
    forum, file = Forum(), folder / "game.toml"
    forum.post("Anna", red("Vote: Boris"), T0 + timedelta(hours=1))
    tick(folder, now=T0 + timedelta(hours=2), outlet=forum)
    text = file.read_text("utf-8")
    file.write_text(text.replace('Anna = "', 'Anna = { account = "anna_77", role = "', 1).replace('"\nBoris', '" }\nBoris', 1), "utf-8")
    table = Table.at(folder)
    assert table.seats().seat_of("anna_77", None) == "Anna"
    table.record.close()
    for hour in (3, 4):
        tick(folder, now=T0 + timedelta(hours=hour), outlet=forum)
    told = [text for _, text in Table.at(folder).record.notices() if "nobody's account in game.toml any more" in text]
    (notice,) = told
    assert "Anna is" in notice
    assert "1 of its posts and messages in trial 1 count for nothing now" in notice


def test_a_name_that_another_account_has_taken_is_told_once(folder: Path) -> None:
    forum = Forum()

    def post(by: str, account: str | None, hours: float) -> None:
        forum.post(by, red("Vote: Dmitri"), after(hours))
        forum.thread[-1] = dataclasses.replace(forum.thread[-1], author_id=account)
        tick(folder, now=after(hours + 0.1), outlet=forum)

    post("Anna", "12", 1)
    post("Boris", "15", 2)
    post("Anna", None, 3)  # the page does not tell
    assert not any("another account" in text for _, text in Table.at(folder).record.notices())
    for hours in (4, 5):
        post("Anna", "15", hours)
    (told,) = [text for _, text in Table.at(folder).record.notices() if "another account" in text]
    assert "number is 15, and was 12" in told
    assert "called Boris before" in told
    post("Anna of old", "12", 6)
    told = Table.at(folder).record.notices()[-1][1]
    assert "It is the account that was called Anna. If it is a player, write" in told
    assert '`account = ["Anna of old", "Anna"]`: messages go to the first' in told


def test_who_took_over_and_has_another_name_since_speaks_for_the_seat(folder: Path) -> None:
    forum = Forum()

    def post(by: str, target: str, hours: float) -> None:
        forum.post(by, red(f"Vote: {target}"), after(hours))
        forum.thread[-1] = dataclasses.replace(forum.thread[-1], author_id="12" if by == "Anna" else "15")
        tick(folder, now=after(hours + 0.1), outlet=forum)

    post("Anna", "Boris", 1)
    replaced(Table.at(folder), "replace Anna with Newcomer", after(2))
    post("Newcomer", "Cleo", 3)
    post("Newly Called", "Dmitri", 4)
    told = Table.at(folder).record.notices()[-1][1]
    assert '`account = ["Newly Called", "Newcomer", "Anna"]`' in told
    text = (folder / "game.toml").read_text(encoding="utf-8")
    text = text.replace('\nAnna = "ultimate_detective"', '\nAnna = { role = "ultimate_detective", '
                        'account = ["Newly Called", "Newcomer", "Anna"] }', 1)  # fmt: skip
    (folder / "game.toml").write_text(text, encoding="utf-8")
    assert votes(folder, 5) == {"Dmitri": ["Anna"]}
    assert Table.at(folder).seats().account("Anna") == "Newly Called"
    post("Anna", "Elena", 6)  # who was replaced says nothing for the seat any more
    assert votes(folder, 7) == {"Dmitri": ["Anna"]}


def test_a_players_name_goes_before_another_players_account_of_that_name(folder: Path) -> None:
    """Else Boris's role message would go to Anna, who writes as Boris on the forum."""
    text = (folder / "game.toml").read_text(encoding="utf-8")
    text = text.replace('\nAnna = "', '\nAnna = { account = "Boris", role = "', 1)
    head, line, rest = text.partition("\nAnna = {")
    own, rest = rest.split("\n", 1)
    rest = rest.replace("Boris = { ", 'Boris = { account = "Robert", ', 1)
    (folder / "game.toml").write_text(f"{head}{line}{own} }}\n{rest}", encoding="utf-8")
    (folder / "game.db").unlink()
    from scheduler import start

    table = Table.at(folder)
    start(table, T0)
    told = [draft.audience for draft in table.record.drafts() if draft.kind == "role"]
    assert sorted(told) == sorted(table.settings.game.names)
    assert command(folder, "modkill boris", after(1)).startswith("Noted")


def test_nobody_takes_over_under_another_players_name(folder: Path) -> None:
    text = (folder / "game.toml").read_text(encoding="utf-8")
    (folder / "game.toml").write_text(text.replace("Boris = { ", 'Boris = { account = "Robert", ', 1), encoding="utf-8")
    with pytest.raises(BadInput, match="another player's name"):
        replaced(Table.at(folder), "replace Anna with boris", after(1))


def test_who_takes_over_again_after_an_undo_gets_each_message_once(folder: Path) -> None:
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    for hours, words in enumerate(("replace Anna with Newcomer", "undo", "replace Anna with Newcomer"), 2):
        said = command(folder, words, after(hours))
        tick(folder, now=after(hours + 0.5), outlet=forum)
    assert said == "Newcomer now plays Anna, who had all your messages already."
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 2


def test_a_message_whose_answer_was_lost_reaches_each_account_of_its_seat_once(tmp_path: Path) -> None:
    clock = Clock()
    with PracticeForum(clock=clock.now, flood_seconds=0) as forum:
        game = LiveGame(tmp_path / "game", forum, clock).begin()
        forum.add_user("Newcomer")
        forum.fault("lost_answer", path="mode=compose", method="POST")
        game.at(1).tick()  # Anna's role went out, unheard
        for hours, words in enumerate(("replace Anna with Newcomer", "undo", "replace Anna with Newcomer"), 2):
            game.at(hours)
            command(game.folder, words, clock.moment)
            if hours == 2:
                forum.fault("lost_answer", path="mode=compose", method="POST")
                game.tick()  # Newcomer's copy went out, unheard
        for hours in (5, 6):
            game.at(hours).tick()
        assert len(game.letters_of("Anna")) == 1
        assert len(game.letters_of("Newcomer")) == 1


def test_the_new_name_alone_will_do_for_who_took_over_and_ends_with_the_next_replacement(folder: Path) -> None:
    forum, file = Forum(), folder / "game.toml"
    forum.post("Anna", red("Vote: Boris"), after(1))
    tick(folder, now=after(2), outlet=forum)
    command(folder, "replace Anna with Newcomer", after(3))
    forum.post("Newer", red("Vote: Cleo"), after(4))
    tick(folder, now=after(5), outlet=forum)
    assert votes(folder, 5) == {"Boris": ["Anna"]}
    text = file.read_text("utf-8")
    file.write_text(text.replace('Anna = "', 'Anna = { account = "Newer", role = "', 1).replace('"\nBoris', '" }\nBoris', 1), "utf-8")
    assert votes(folder, 3.5) == {"Boris": ["Anna"]}
    assert votes(folder, 5) == {"Cleo": ["Anna"]}
    assert Table.at(folder).seats().holding("Anna") == ("Newer", "Newcomer")
    command(folder, "replace Anna with Latecomer", after(6))
    assert Table.at(folder).seats().holding("Anna") == ("Latecomer",)
    tick(folder, now=after(48.1), outlet=forum)
    assert replay(folder) == []


def test_a_player_comes_back_to_his_own_seat_and_to_no_other(folder: Path) -> None:
    forum = _newcomer_told_a_result(folder)
    resolve_now(folder, now=after(4), outlet=forum)
    said = command(folder, "replace Anna with Anna", after(5))
    assert said == "Anna now plays Anna. Put in the outbox for Anna, of what Anna was told before: 1."
    with pytest.raises(BadInput, match="Anna's account already"):
        command(folder, "replace Boris with Anna", after(5))
    seats = Table.at(folder).seats()
    assert [seats.seat_of("Anna", after(hours)) for hours in (1, 3, 6)] == ["Anna", None, "Anna"]
    assert seats.seat_of("Newcomer", after(6)) is None
    tick(folder, now=after(6), outlet=forum)
    told = [body for to, _, body in forum.sent if to == "Anna"]
    assert (len(told), told.count("The result.")) == (4, 2)


def test_what_the_gm_did_not_let_go_to_one_account_goes_to_the_next(folder: Path) -> None:
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    command(folder, "replace Anna with Newcomer", after(2))
    (waiting,) = [one.id for one in Table.at(folder).record.drafts("approved")]
    list(handle(folder, "drop", [waiting], lambda body: body, after(2)))
    tick(folder, now=after(3), outlet=forum)
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 1
    assert "told before: 1" in command(folder, "replace Anna with Latecomer", after(4))
    tick(folder, now=after(5), outlet=forum)
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 2


def test_what_is_approved_says_whom_it_goes_to(folder: Path) -> None:
    """Every role message has the same title, and that of a seat that changed hands goes to who has it now."""
    tick(folder, now=after(1), outlet=Forum())
    replaced(Table.at(folder), "replace Anna with Newcomer", after(2))
    (draft,) = Table.at(folder).record.drafts("approved")
    for action in ("approve", "drop"):
        (said,) = handle(folder, action, [draft.id], lambda body: body, after(3))
        assert "(to Anna, account Newcomer)" in said


def test_the_gm_is_told_that_an_order_is_of_a_replaced_player(folder: Path) -> None:
    forum = Forum()
    command(folder, "replace Anna with Newcomer", after(2))
    forum.inbox.append(Message("m1", "Anna", ("Monokuma",), after(3), "", "detect Boris", "pm"))
    tick(folder, now=after(4), outlet=forum)
    (line,) = views.review_lines(views.review_facts(folder, after(4)))
    assert line.startswith('- Anna, who has been replaced or is not in the game yet, writes "detect Boris"; it counts for nothing.')


@pytest.mark.parametrize(("copy", "words", "more"), [
    (None, ("replace Anna with Newcomer", "undo"), 1),
    ("posted", ("undo",), 0),
    ("posted", ("replace Anna with Latecomer",), 1),
    ("approved", ("undo",), 0),
    ("approved", ("replace Anna with Latecomer", "undo"), 2),
])  # fmt: skip
def test_what_an_earlier_version_told_a_seat_is_told_to_nobody_twice(
    folder: Path, copy: str | None, words: tuple[str, ...], more: int
) -> None:
    """It kept not whom a message had reached, and copied what it had sent for whoever took the seat over."""
    forum = Forum()
    tick(folder, now=after(1), outlet=forum)
    record = Table.at(folder).record
    (role,) = [one for one in record.drafts() if one.audience == "Anna"]
    record.change_draft(role.id, had=None)
    if copy is not None:
        entry = record.add_entry("replace", "Newcomer", after(2), key="Anna")
        record.add_draft(f"handover {entry} {role.id}", role.kind, "Anna", role.title, role.body, copy, after(2), None)
    record.close()
    for hours, one in enumerate(words, 3):
        said = command(folder, one, after(hours))
        tick(folder, now=after(hours + 0.5), outlet=forum)
    assert len([one for one in forum.sent if one[0] == "Anna"]) == 1 + more
    assert copy != "posted" or words != ("undo",) or said.endswith("Newcomer has 1 message of Anna's already.")


def test_a_message_that_went_out_without_an_answer_is_looked_for_where_it_went(folder: Path) -> None:
    """Anna's role was sent as the connection broke; then the seat is another's, and the GM drops it."""

    class Away(Forum):
        def send(self, draft: Draft, standing: str | None) -> tuple[str, str]:
            sent = super().send(draft, standing)
            if draft.audience == "Anna":
                raise Uncertain("The forum hung up.")
            return sent

        def find(self, draft: Draft) -> tuple[str, str] | None:
            raise SourceError("The forum is away.")

    tick(folder, now=after(1), outlet=Away())
    table = Table.at(folder)
    replaced(table, "replace Anna with Newcomer", after(2))
    (sent,) = table.record.drafts("sending")
    (said,) = handle(folder, "drop", [sent.id], lambda body: body, after(3))
    assert "(to Anna, account Newcomer). It was sent to Anna, and no answer came" in said
