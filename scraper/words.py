"""What two texts say, whatever a forum did to tags, addresses, blanks and signs in between."""

from __future__ import annotations

import re

_TAG = re.compile(
    r"\[/?(?:b|i|u|s|color|size|font|url|email|img|quote|code|noparse|list|li|\*|table|tr|td|spoiler|center|left|right|align|rtl|ltr"
    r"|hr|h)(?:[= ][^\[\]]*)?\]"
    r"|(?:https?://|www\.)\S*?(?=[\s\[]|$)",
    re.IGNORECASE,
)


def essence(bbcode: str) -> str:
    """The letters and digits of a text, without tags and addresses."""
    bare = _TAG.sub("", bbcode)
    return "".join(letter for letter in bare if letter.isalnum())


def same_words(one: str, other: str) -> bool:
    """Whether two texts say the same."""
    return essence(one) == essence(other)


def within(part: str, whole: str) -> bool:
    """Whether a text says what another says, and perhaps more."""
    return essence(part) in essence(whole)
