"""Posts that a forum has made of several: MyBB puts a second reply in a row behind the first, after a line `[hr]`.

So a vote can stand in a post that is older than the vote. What was put behind counts from when the forum marks the post as
changed, or else from when it was seen; what stood before keeps its own time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SEPARATOR = "\n[hr]\n"


def texts_of(versions: Sequence[Mapping[str, Any]]) -> list[list[dict[str, Any]]]:
    """The versions of one post (rows of the record, in the order seen) as the versions of each text that it was made of.

    The first text keeps the post's id and time. The second has the id `61/2`, and as `posted_at` the moment it was added. A line
    that the author typed into a post that was never changed parts nothing. Where a line was taken out again, the first text
    is all that is left, and the others are empty from then on.
    """
    first = versions[0]
    pieces = first["bbcode"].split(SEPARATOR)
    merged = bool(first["edited_at"]) and len(pieces) > 1
    lengths = [1] * len(pieces) if merged else [len(pieces)]  # of how many pieces each text is made
    texts = [[_part(first, number, text)] for number, text in enumerate(_divide(first["bbcode"], lengths))]
    for version in versions[1:]:
        more = version["bbcode"].count(SEPARATOR) + 1 - sum(lengths)
        if not version["deleted"]:
            lengths += [1] * more
        told = _divide(version["bbcode"], lengths) if more >= 0 else [version["bbcode"]] + [""] * (len(lengths) - 1)
        for number in range(len(lengths)):
            text = told[number] if not version["deleted"] else version["bbcode"]
            if number == len(texts):
                texts.append([_part(version, number, text)])
            elif version["deleted"] or texts[number][-1]["deleted"] or text != texts[number][-1]["bbcode"]:
                texts[number].append(_part(version, number, text, texts[number][0]["posted_at"]))
    return texts


def _divide(bbcode: str, lengths: Sequence[int]) -> list[str]:
    """`bbcode` as texts of so many pieces each."""
    pieces = bbcode.split(SEPARATOR)
    ends = [sum(lengths[: number + 1]) for number in range(len(lengths))]
    return [SEPARATOR.join(pieces[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def _part(row: Mapping[str, Any], number: int, text: str, posted_at: str | None = None) -> dict[str, Any]:
    if number == 0:
        return {**row, "bbcode": text}
    added = posted_at or row["edited_at"] or row["seen_at"]
    return {**row, "post": f"{row['post']}/{number + 1}", "bbcode": text, "posted_at": added}
