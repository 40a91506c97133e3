"""What stands in a mail below the sender's own words: the mail that is answered or passed on, marked as a quote line by line.

Mail programs put a heading above it, in the language of the account: `On … wrote:`, `-----Original Message-----`, or the
lines From, Sent, To and Subject. All below such a heading is somebody else's (reading.md, "A private order"). Where the words
are of a language that is not known here, the form tells: an address and a time in a line that ends with a colon, or in three
lines that each begin with a label; or a quote just below.
"""

from __future__ import annotations

import re
from itertools import takewhile

_TAGS = re.compile(r"\[/?[a-z*]{1,8}(?:=[^\[\]\n]{0,100})?\]", re.IGNORECASE)
_LABEL = re.compile(r"\s*[*_]{0,2}(?P<word>[^\W\d_][^:：\n]{0,24}?)[*_]{0,2}(?:\s:(?!//)|\s?：|\s?:[*_]{0,2}(?:\s|$))")
_CLOSE_LABEL = re.compile(r"\s*[*_]{0,2}(?P<word>[^\W\d_][^:：\n]{0,24}?)[*_]{0,2}\s?[:：](?!//)")
"""A label, and one without a blank behind the colon: a time of day such as `At 6:00` looks like that, too."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split("|"))


_FROM = _words(
    "from|von|de|da|van|från|fra|od|lähettäjä|feladó|kimden|gönderen|от|від|από|de la|מאת"
    "|من|از|فرستنده|发件人|寄件者|差出人|보낸 사람"
)
_SENT = _words(
    "sent|date|gesendet|datum|envoyé|envoyé le|enviado|enviado el|fecha|inviato|data|verzonden"
    "|enviada|enviada em|enviado em|skickat|sendt|dato|lähetetty|päivämäärä|wysłano|wysłane|odesláno|elküldve|dátum"
    "|gönderildi|tarih|отправлено|дата|надіслано|στάλθηκε|ημερομηνία|trimis"
    "|נשלח|תאריך|التاريخ|تاريخ الإرسال|تاریخ|ارسال شده"
    "|发送时间|发送日期|日期|寄件日期|送信日時|日時|날짜|보낸 날짜"
)
_SUBJECT = _words(
    "to|an|à|para|a|aan|till|til|do|komu|vastaanottaja|címzett|kime|кому|προς|către|אל|إلى|به|گیرنده|收件人|收件者|宛先|받는 사람"
    "|subject|betreff|objet|asunto|oggetto|onderwerp|assunto|ämne|emne|aihe|temat|předmět|tárgy|konu|тема|θέμα|subiect|נושא|الموضوع|موضوع"
    "|主题|主旨|件名|제목"
)
_LINE = re.compile(
    r"\s*(?:-{2,}|_{2,}|={2,})\s*(?:original message|original e-?mail|forwarded message|forwarded by .{0,60}|reply message"
    r"|ursprüngliche nachricht|originalnachricht|weitergeleitete nachricht|message d['’]origine|message original"
    r"|message transféré|mensaje original"
    r"|mensaje reenviado|messaggio originale|messaggio inoltrato|mensagem original|mensagem encaminhada"
    r"|oorspronkelijk bericht|doorgestuurd bericht|ursprungligt meddelande|vidarebefordrat meddelande|oprindelig meddelelse"
    r"|oprindelig besked|opprinnelig melding|alkuperäinen viesti|wiadomość oryginalna|oryginalna wiadomość|původní zpráva"
    r"|eredeti üzenet|orijinal mesaj|özgün ileti|исходное сообщение|пересылаемое сообщение|оригінальне повідомлення"
    r"|αρχικό μήνυμα|mesaj original|הודעה מקורית|الرسالة الأصلية"
    r"|پیام اصلی|پیام هدایت ?شده|原始邮件|原始郵件|元のメッセージ|원본 메시지)"
    r"\s*(?:-{2,}|_{2,}|={2,})\s*",
    re.IGNORECASE,
)
_WROTE = re.compile(
    r"wrote|schrieb|a [ée]crit|escribi[óo]|ha scritto|escreveu|schreef|skrev|kirjoitti"
    r"|writes|napisał|pisze|napsal|napísal|napisa[lo]|írta|yazdı|написал|пише|написа|έγραψε|a scris|כתב|كتب|نوشت"
    r"|写道|寫道|書きました|さんは|님이|작성",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"\s*(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message réexpédié)\s*:\s*", re.IGNORECASE
)
_SAID = re.compile(
    r"(?=.*\b20\d\d\b)(?=.*\d:\d\d)(?:on|at)\s.{0,200}(?<!\bi)(?<!\bwe)\s(?:said|says)\s?:", re.IGNORECASE
)
"""People speak so themselves: `At 21:45 you said:`. A mail program tells the year and the time."""
_ALONE = re.compile(
    r"-{2,}\s*on\s.{6,200}\bwrote\s*-{2,}"
    r"|(?:on|at|am|le|el|il|den)\s.{4,200}>\s*(?:wrote|schrieb|a [ée]crit|escribi[óo]|ha scritto|skrev)"
    r"|\d{4}-\d\d-\d\d \d{1,2}:\d\d GMT[+-]\d\d:\d\d \S.{0,100}"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\s.{1,100}<[^\s<>()@]+@[^\s<>()@]+>",
    re.IGNORECASE,
)
"""Headings of one line that end without a colon."""
_TORN = re.compile(rf">\)?\s*(?:{_WROTE.pattern})?\s*[:：]", re.IGNORECASE)
"""The end of a heading that broke behind an address; the `>` is the address's."""
_BEGINS = re.compile(
    r"\s*(?:(?:on|am|le|el|il|em|op|den|på|dne|dnia|w dniu|в|در)\s"
    r"|(?:[^\W\d_]{1,12}[.,]{0,2}\s*)?\d.*(?<!\d)20\d\d(?!\d)"
    r"|(?:[^\W\d_]{1,12}[.,]{0,2}\s*)?20\d\d(?!\d)"
    r"|.*(?<!\d)\d{4}(?!\d).*\d[:.]\d\d)", re.IGNORECASE
)
"""With such a word or a date, or with a year and a time, begins a heading that is broken over two lines."""
_DIRECTION = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_ADDRESS = re.compile(r"[^\s<>()@:：]+@[^\s<>()@]+")
_DATED = re.compile(r"(?<!\d)(?:\d{1,2}[:.]\d\d|\d{4})(?!\d)")
_DAY = re.compile(r"(?<!\d)(?:\d{4}|\d{1,2}[./-]\d{1,2}[./-]\d\d)(?!\d)")
_SENTENCE_ENDS = re.compile(r"(?:(?<![^\W_])(?<!\d\s)(?:[^\W\d_]{4,}|\d{4})|\))\.$")
"""A sentence, and neither `2 Sept.` nor a name that ends with `!`."""
_ANY_NUMBER = re.compile(r"\d")
_MOST_LINES = 4  # over which a heading may be broken
_LONGEST = 300


def marked(text: str) -> str:
    """`text` with all from the first such heading on as quoted lines; unchanged where there is none."""
    lines = text.split("\n")
    bare = [_bare(line[:_LONGEST]) for line in lines]
    found = (start for at in range(len(lines)) if (start := _heading(bare, at)) is not None)
    start = next(found, None)
    if start is None:
        return text
    return "\n".join(lines[:start] + [line if line.startswith(">") else f"> {line}" for line in lines[start:]])


def answers_below(text: str) -> bool:
    """Whether the sender seems to have written below what is answered: behind lines marked as quoted stand others."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(marked(text).split("\n")) if line != lines[at]), len(lines))
    quoted, depth = False, 0
    for line in lines[start:]:
        if line.rstrip() == "--":
            return False
        of_quote = line.startswith((">", "[quote")) or depth > 0
        if quoted and line.strip() and not of_quote:
            return True
        quoted = quoted or of_quote
        depth = max(0, depth + line.count("[quote") - line.count("[/quote]"))
    return False


def _bare(line: str) -> str:
    """A line without markup and marks of direction; a quote in markup as a quoted line."""
    line = line if line.isascii() else _DIRECTION.sub("", line)
    if "[" not in line:
        return line
    return f"> {line}" if line.lstrip().startswith("[quote") else _TAGS.sub("", line.replace(":[", ": ["))  # `From:[/b]Host`


def _heading(lines: list[str], at: int) -> int | None:
    """The line on which a heading begins that is known by line `at`: by its first line, or where somebody wrote by its last."""
    line = lines[at].strip()
    if _TORN.fullmatch(line) and at and lines[at - 1][:1] not in ("", ">"):
        return max((above for above in range(max(0, at - _MOST_LINES), at) if _ADDRESS.search(lines[above])), default=at)
    if not line or line[0] == ">":
        return None
    if _ALONE.fullmatch(line):
        return at
    if line.endswith((":", "：")):
        start = _wrote(lines, at)
        if start is not None:
            return start
        if _FORWARDED.fullmatch(line):
            return at
    if line.startswith(("--", "__", "==")):
        return at if _LINE.fullmatch(line) else None
    return _title(lines, at) if (":" in line or "：" in line) and fields_begin(lines, at) else None


def _label(line: str, kind: re.Pattern[str] = _LABEL) -> str:
    found = kind.match(line)
    return found["word"].strip().casefold() if found else ""


def fields_begin(lines: list[str], at: int) -> bool:
    """Whether the lines From, Sent, To or Subject begin at line `at`."""
    if _from_begins(lines, at):
        return True
    labelled = list(takewhile(_label, lines[at : at + 6]))
    if len(labelled) < 3 or not _addressed_and_dated(labelled):
        return False
    known = _label(lines[at]) in _FROM | _SENT | _SUBJECT
    return known or not any(_from_begins(lines, below) for below in range(at + 1, at + len(labelled)))  # `Kill: X` above it


def _from_begins(lines: list[str], at: int) -> bool:
    """Whether line `at` says From, and Sent and Subject stand in those below it."""
    told = [line for line in lines[at : at + 6] if line.strip()]
    kind = _CLOSE_LABEL if _addressed_and_dated(told) else _LABEL
    if _label(lines[at], kind) not in _FROM:
        return False
    labels = list(takewhile(lambda label: label not in _FROM, (_label(line, kind) for line in told[1:])))
    return any(label in _SENT for label in labels) and any(label in _SUBJECT for label in labels)


def _addressed_and_dated(lines: list[str]) -> bool:
    """Whether there are a mail address and, elsewhere, a time or a year."""
    told = " ".join(lines)
    return _ADDRESS.search(told) is not None and _DATED.search(_ADDRESS.sub("", told)) is not None


def _title(lines: list[str], at: int) -> int:
    """Where the title above the labelled lines at `at` stands: a line of dashes, or one that ends with a colon; else `at`."""
    above = next((number for number in range(at - 1, max(-1, at - 3), -1) if lines[number].strip()), at)
    return above if lines[above].strip().startswith(("--", "__", "==")) or lines[above].rstrip().endswith((":", "：")) else at


def _wrote(lines: list[str], end: int) -> int | None:
    """Where the heading begins that names a date and somebody who wrote, and ends with line `end`; None if none does."""
    last = lines[end].strip()
    if (_ADDRESS.search(last) and _WROTE.search(last)) or _SAID.fullmatch(last):
        broken = end and _DATED.search(last) is None and _DATED.search(lines[end - 1]) and _begun(lines[end - 1])
        return end - 1 if broken else end
    return _worded(lines, end) if (start := _formal(lines, end)) is None else start


def _begun(line: str) -> bool:
    """Whether a heading may have begun with a line, and not the sender's words have ended with it."""
    return _BEGINS.match(line) is not None or _ADDRESS.search(line) is not None


def _formal(lines: list[str], end: int) -> int | None:
    """The same, told by its form alone."""
    last = lines[end]
    if not (_ADDRESS.search(last) or _DATED.search(last)):
        return None
    if _addressed_and_dated([last]):
        return end
    if end and lines[end - 1][:1] not in ("", ">") and _addressed_and_dated(lines[end - 1 : end + 1]):
        entire = _DATED.search(last) and _WROTE.search(last)
        return end - 1 if _begun(lines[end - 1]) and not entire else end
    return end if _quote_below(lines, end) else None


def _quote_below(lines: list[str], end: int) -> bool:
    return next((line for line in lines[end + 1 : end + 4] if line.strip()), "").startswith(">")


def _worded(lines: list[str], end: int) -> int | None:
    """The same, told by its words. Without a quote just below, a number is no date: `You wrote of 2 shots. My order:`."""
    told, below, entire = "", _quote_below(lines, end), _WROTE.search(lines[end]) is not None
    for at in range(end, max(-1, end - _MOST_LINES), -1):
        line = lines[at].strip()
        if not line or line[0] == ">" or (at < end and not below and _SENTENCE_ENDS.search(line)):
            return None
        told = f"{line} {told}"
        dated = _ANY_NUMBER.search(told) if below else _DATED.search(told) or _DAY.search(told)
        if len(told) < 16 or dated is None or _WROTE.search(told) is None:
            continue
        if at == end:
            return at
        if below or _DAY.search(told) or _ADDRESS.search(told):
            return at if _begun(line) or not entire else end
    return None
