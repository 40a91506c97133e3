"""Texts made comparable: what reading.md, "The text that is looked at", point 2 says. Texts are shown as written."""

from __future__ import annotations

import re
import unicodedata

_PERSIAN = str.maketrans("يىےئكةەہۀٱؤ", "یییىکههههاو".replace("ى", "ی"))
_BLANKS = "\u3164\u115f\u1160\uffa0\u2800"
"""Letters and signs that show as a blank: Hangul fillers, the empty braille cell."""
_MARKS = re.compile("[\u034f\u064b-\u065f\u0670\u06d6-\u06ed\u0640\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Harakat and hamza over a letter, tatweel, signs that choose another shape."""
_CONTROLS = {number: None for number in range(128) if not (chr(number).isprintable() or chr(number).isspace())}
_SIGNS = {number: None for number in range(128) if not chr(number).isalnum()}
_DOTTED_I = re.compile("i\u0307+")

_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԚԜЗаеѕіјкмнорстухԛԝһԁӏёїΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχγωη",
    "ABESIJKMHOPCTYXQW3aesijkmhopctyxqwhdleiABEZHIKMNOPTYXaeikvoptuxywn",
)


def fold(text: str) -> str:
    """`text` for comparing: NFKC, case folded, invisible marks gone, every blank one blank, letters and digits of one form."""
    if text.isascii():
        return " ".join((text if text.isprintable() else text.translate(_CONTROLS)).lower().split())
    text = unicodedata.normalize("NFKD", _visible(unicodedata.normalize("NFKD", text)).casefold())
    text = _visible(unicodedata.normalize("NFKD", text.casefold()))
    text = _DOTTED_I.sub("i", text.translate(_PERSIAN))
    return " ".join(unicodedata.normalize("NFC", text).split())


def _visible(text: str) -> str:
    kept = []
    for sign in _MARKS.sub("", text):
        category = unicodedata.category(sign)
        if sign in _BLANKS or category[0] == "Z" or (category == "Cc" and sign.isspace()):
            kept.append(" ")
        elif category == "Nd":
            kept.append(str(unicodedata.digit(sign)))
        elif category not in ("Cf", "Cc"):
            kept.append(sign)
    return "".join(kept)


def key(text: str) -> str:
    """`fold`, without accents, blanks and punctuation; an emoji stays. Empty for a text of punctuation alone."""
    folded = fold(text)
    if folded.isascii():
        return folded.translate(_SIGNS)
    return "".join(sign for sign in unicodedata.normalize("NFKD", folded) if sign.isalnum() or is_emoji(sign))


def is_emoji(sign: str) -> bool:
    """Whether a sign is an emoji or another picture, or a skin tone that belongs to one."""
    return unicodedata.category(sign) == "So" or "\U0001f3fb" <= sign <= "\U0001f3ff"


def without_emoji(text: str) -> str:
    """`text` with its emoji and other pictures left out."""
    return text if text.isascii() else "".join(sign for sign in text if not is_emoji(sign))


def look_alike(text: str) -> str:
    """`key`, with Cyrillic and Greek letters taken for the Latin ones they look like, capitals by the shape of capitals."""
    return key(unicodedata.normalize("NFKC", text).translate(_LOOK_ALIKES))
