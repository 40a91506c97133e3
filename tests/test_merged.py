"""Posts that MyBB made of several: each text counts from when it came."""

from __future__ import annotations

from typing import Any

from store.merged import texts_of


def row(bbcode: str, seen: int, edited: int | None = None, *, deleted: bool = False) -> dict[str, Any]:
    return {
        "post": "61", "author": "Anna", "posted_at": "T10", "bbcode": bbcode, "deleted": int(deleted),
        "seen_at": f"T{seen}", "edited_at": f"T{edited}" if edited else None, "url": None,
    }  # fmt: skip


def told(*versions: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    return [(text[0]["post"], text[0]["posted_at"], [one["bbcode"] for one in text]) for text in texts_of(versions)]


def test_a_plain_post_and_its_edits_stay_one() -> None:
    assert told(row("a", 11), row("b", 12, 12)) == [("61", "T10", ["a", "b"])]


def test_what_is_put_behind_counts_from_then() -> None:
    grown = row("a\n[hr]\nVote: B", 21, 20)
    assert told(row("a", 11), grown) == [("61", "T10", ["a"]), ("61/2", "T20", ["Vote: B"])]
    grown["edited_at"] = None  # a board that shows no edit notes
    assert told(row("a", 11), grown)[1] == ("61/2", "T21", ["Vote: B"])


def test_an_added_text_can_be_edited_and_added_to() -> None:
    versions = [row("a", 11), row("a\n[hr]\nb", 21, 20), row("a\n[hr]\nB", 23, 22), row("a2\n[hr]\nB\n[hr]\nc", 31, 30)]
    assert told(*versions) == [("61", "T10", ["a", "a2"]), ("61/2", "T20", ["b", "B"]), ("61/3", "T30", ["c"])]
    assert [one["edited_at"] for one in texts_of(versions)[1]] == ["T20", "T22"]


def test_a_post_first_seen_when_it_was_made_of_two() -> None:
    assert told(row("a\n[hr]\nb", 21, 20)) == [("61", "T10", ["a"]), ("61/2", "T20", ["b"])]


def test_a_line_typed_by_the_author_parts_nothing() -> None:
    assert told(row("a\n[hr]\nb", 11)) == [("61", "T10", ["a\n[hr]\nb"])]
    grown = row("a\n[hr]\nb\n[hr]\nc", 21, 20)
    assert told(row("a\n[hr]\nb", 11), grown) == [("61", "T10", ["a\n[hr]\nb"]), ("61/2", "T20", ["c"])]


def test_a_line_taken_out_leaves_the_others_empty() -> None:
    versions = [row("a", 11), row("a\n[hr]\nb", 21, 20), row("a b", 23, 22)]
    assert told(*versions) == [("61", "T10", ["a", "a b"]), ("61/2", "T20", ["b", ""])]


def test_deleted_and_back_again() -> None:
    versions = [row("a", 11), row("a\n[hr]\nb", 21, 20), row("", 22, deleted=True), row("a\n[hr]\nb", 23, 20)]
    texts = texts_of(versions)
    assert [[one["deleted"] for one in text] for text in texts] == [[0, 1, 0], [0, 1, 0]]
    assert [text[-1]["bbcode"] for text in texts] == ["a", "b"]
