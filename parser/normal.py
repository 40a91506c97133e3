"""Texts made comparable: what reading.md, "The text that is looked at", point 2 says. Texts are shown as written."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_ARABIC = str.maketrans(
    {"ي": "ی", "ى": "ی", "ئ": "ی", "ك": "ک", "ة": "ه", "ۀ": "ه", "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ؤ": "و", "ـ": None}
)
_HARAKAT = range(0x064B, 0x0660)
_LOOK_ALIKES = str.maketrans(
    "абвгеёзіїјкмнорсѕтуухьαβγεζηικμνορτυχωԁԛԝһӏ",
    "a6bree3iijkmhopcstyyxbabyezhikmvoptuxwdqwhl",
)


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """`text` for comparing: NFKC, case folded, invisible marks gone, every blank one blank, letters and digits of one form."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("i̇", "i")
    text = unicodedata.normalize("NFKC", text).translate(_ARABIC)
    kept = []
    for sign in text:
        category = unicodedata.category(sign)
        if category in ("Cf", "Cc", "Zs", "Zl", "Zp"):
            kept.append(" " if sign.isspace() else "")
        elif category == "Nd":
            kept.append(str(unicodedata.digit(sign)))
        elif ord(sign) not in _HARAKAT and not 0xFE00 <= ord(sign) <= 0xFE0F:
            kept.append(sign)
    return " ".join("".join(kept).split())


@lru_cache(maxsize=65536)
def key(text: str) -> str:
    """`fold`, without accents, blanks and punctuation. Empty for a text of punctuation alone."""
    plain = unicodedata.normalize("NFKD", fold(text))
    return "".join(sign for sign in plain if unicodedata.category(sign)[0] in "LNS" or ord(sign) > 0x1F000)


@lru_cache(maxsize=65536)
def look_alike(text: str) -> str:
    """`key`, with Cyrillic and Greek letters taken for the Latin ones they look like."""
    return key(text).translate(_LOOK_ALIKES)
