"""Private messages of a Discourse forum, as its pages with `.json` give them."""

from __future__ import annotations

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from parser.message import own_lines
from scraper.mail import read_mail
from scraper.model import Message, SourceError, iso

BOXES = Path(__file__).parent / "mailboxes"


def read(path: Path) -> tuple[list[Message], list[str]]:
    notes: list[str] = []
    return list(read_mail([path], timezone=UTC, notes=notes)), notes


@pytest.fixture
def written(tmp_path: Path):  # type: ignore[no-untyped-def]
    def of(data: Any) -> tuple[list[Message], list[str]]:
        path = tmp_path / "t.json"
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return read(path)

    return of


def test_a_private_topic() -> None:
    found, notes = read(BOXES / "discourse.json")
    assert [(each.id, each.sender, each.recipients, each.subject, iso(each.sent_at), each.body) for each in found] == [
        ("discourse-71", "mira", ("host", "olek"), "Night 1", "2026-03-02T19:05:00.123000Z", "protect **olek**"),
        ("discourse-72", "host", ("mira", "olek"), "Night 1", "2026-03-02T19:06:00Z", "Are you sure?"),
        ("discourse-74", "mira", ("host", "olek"), "Night 1", "2026-03-02T19:09:00Z", "[quote=host]Are you sure?\n[/quote]\nyes, kill [b]olek[/b] :smile:"),
    ]  # fmt: skip
    assert [line for _, line in own_lines(found[2].body)] == ["yes, kill olek :smile:"]
    assert any("1 of the topic's messages are not in this file" in note and "post_ids[]=75" in note for note in notes)
    assert any("by 'mira' was edited, last on 2026-03-02 20:00 UTC" in note for note in notes)
    assert any("by 'olek' was deleted or hidden" in note for note in notes)


def test_a_list_says_what_to_save(written) -> None:  # type: ignore[no-untyped-def]
    found, notes = written({"users": [], "topic_list": {"per_page": 30, "topics": [{"id": 5, "title": "x"}, {"id": 9}, {}, 3]}})
    assert (found, len(notes)) == ([], 1)
    assert "lists 2 messages without their texts" in notes[0]
    assert "5, 9" in notes[0]


def test_a_public_topic_is_no_private_message(written) -> None:  # type: ignore[no-untyped-def]
    found, notes = written({"post_stream": {"posts": [{"id": 1, "username": "a", "cooked": "kill b"}]}, "archetype": "regular"})
    assert not found
    assert "no private message" in notes[0]


def test_raw_text_keeps_its_quotes_as_quotes(written) -> None:  # type: ignore[no-untyped-def]
    raw = '[quote="host, post:2, topic:5"]\nAre you sure?\n[/quote]\n\n> kill all\n\nyes'
    found, _ = written({"post_stream": {"posts": [{"id": 1, "username": "a", "created_at": "2026-03-02T19:05:00Z", "raw": raw}]}})
    assert [line for _, line in own_lines(found[0].body)] == ["yes"]


@pytest.mark.parametrize(
    "post",
    [
        {"raw": "yes\n\n<details class='elided'>\n<summary title='Show'>&#183;&#183;&#183;</summary>\n\nOn Monday Host wrote:\nkill all\n\n</details>"},
        {"cooked": '<p>yes</p><details class="elided"><summary title="Show">···</summary><p>Host, Montag:</p><p>kill all</p></details>'},
    ],
)
def test_what_an_answer_by_mail_has_below_is_a_quote(post: dict[str, str], written) -> None:  # type: ignore[no-untyped-def]
    found, _ = written({"post_stream": {"posts": [{"id": 1, "username": "a", "created_at": "2026-03-02T19:05:00Z", **post}]}})
    assert [line for _, line in own_lines(found[0].body)] == ["yes"]
    assert "kill all" in found[0].body


@pytest.mark.parametrize("text", ['{"post_stream": {"posts": [', '{"post_stream": {' + "[" * 100_000, '{"post_stream": {"posts": [{"id": ' + "9" * 10_000 + "}]}}"])
def test_a_file_cut_off_or_hostile_is_refused_with_its_place(text: str, written) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SourceError, match=r"t\.json.*cut off or damaged"):
        written(text)


@pytest.mark.parametrize(
    "topic",
    [
        {"post_stream": {"posts": 5, "stream": "x"}}, {"post_stream": {"posts": [1, None, {}], "stream": [True, {}, "7"]}, "details": {"allowed_users": 3}},
        {"post_stream": {"posts": [{"id": "x", "username": {}, "created_at": 7, "raw": [], "cooked": 3, "version": "2"}]}},
        {"post_stream": {"posts": [{"id": 1, "post_type": 3, "cooked": "closed"}, {"id": 2, "action_code": "invited_user"}]}},
    ],
)  # fmt: skip
def test_values_of_other_kinds_cost_nothing(topic: dict[str, Any], written) -> None:  # type: ignore[no-untyped-def]
    assert all(not each.body for each in written(topic)[0])
