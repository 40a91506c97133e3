"""What a mail's sender wrote, as text: of its parts, encodings and character sets, however wrongly declared."""

from __future__ import annotations

import codecs
import re
from email import errors
from email.message import Message as Mail

from scraper.mailboxes.records import decoded

_DEEPEST = 40
_NO_TEXT_CODECS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"})
_VAGUE = frozenset({"ascii", "iso8859-1", "cp1252"})
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932"}
"""Sets under whose names programs write letters of a wider one."""
_CUT = (errors.CloseBoundaryNotFoundDefect, errors.StartBoundaryNotFoundDefect)


class NoText(Exception):
    """The mail's text is not all there, or stands where nobody would look for it."""


def own_text(mail: Mail, *, may_be_cut: bool) -> str:
    """The text of a mail: its plain part where there is one, else the words of its HTML; attachments are left out.

    `may_be_cut` says that nothing stands behind the mail in its file. Raises NoText if it then ends inside the part that
    holds the text; elsewhere a missing closing line is only a sloppy mail program's.
    """
    text = _text(mail, 0, may_be_cut)
    return "" if text is None else text


def _text(part: Mail, depth: int, may_be_cut: bool) -> str | None:
    """The text of a part; None if it holds none."""
    if depth > _DEEPEST:
        raise NoText("its parts are nested too deep")
    if part.is_multipart() and part.get_content_maintype() == "multipart":
        return _of_parts(part, depth, may_be_cut)
    if part.is_multipart() or _attached(part):
        return None
    kind = part.get_content_type()
    if part.get_content_maintype() == "multipart":
        if may_be_cut and any(isinstance(defect, errors.StartBoundaryNotFoundDefect) for defect in part.defects):
            raise NoText("it is cut off before its text")
        kind = "text/plain"
    if kind == "text/html":
        return html_text(_decoded(part))
    if kind == "text/plain":
        return _flowed(_decoded(part), part)
    return None


def _of_parts(part: Mail, depth: int, may_be_cut: bool) -> str | None:
    children = [child for child in part.get_payload() if isinstance(child, Mail)]
    texts = [(child, _text(child, depth + 1, may_be_cut)) for child in children]
    found = [(child, text) for child, text in texts if text is not None]
    if may_be_cut and found and found[0][0] is children[-1] and any(isinstance(defect, _CUT) for defect in part.defects):
        raise NoText("it ends inside its text, without its closing line")
    kind = part.get_content_subtype()
    if kind == "alternative":
        said = [(child, text) for child, text in found if text.strip()]
        plain = [text for child, text in said if child.get_content_type() != "text/html"]
        return next(iter(plain or [text for _, text in said or found]), None)
    if kind in ("related", "report", "signed", "encrypted"):
        return found[0][1] if found else None
    written = [text for child, text in found if not child.get_filename()] or [text for _, text in found]  # the others are files
    return "\n".join(text.rstrip("\n") for text in written) if found else None


def _attached(part: Mail) -> bool:
    return str(part.get("content-disposition", "")).strip().lower().startswith("attachment")


def _decoded(part: Mail) -> str:
    encoding = str(part.get("content-transfer-encoding", ""))
    if encoding != encoding.strip():  # the library knows it by its bare name only
        part.replace_header("content-transfer-encoding", encoding.strip())
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        charset = str(part.get_param("charset", "") or "")
    except (ValueError, TypeError, LookupError):
        charset = ""
    return charset_text(data, charset) if charset else decoded(data)


def charset_text(data: bytes, charset: str) -> str:
    """`data` as text in the declared character set; where that is unknown, vague or does not fit, in the likeliest one."""
    declared = text_codec(charset)
    likely = ("utf-8", "cp1252") if not declared or declared in _VAGUE else (declared, "utf-8", "cp1252")
    for name in likely:
        try:
            return data.decode(name)
        except (UnicodeError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def text_codec(charset: str) -> str:
    """The name by which Python knows a character set; empty for one that it does not know or that is none."""
    try:
        name = codecs.lookup(charset.strip().strip("\"'")[:40]).name if charset else ""
    except (LookupError, ValueError, UnicodeError):
        return ""
    if name.replace("_", "-") in _NO_TEXT_CODECS:
        return ""
    try:
        b"text".decode(name, "replace")
    except LookupError:  # a codec between bytes, such as zlib
        return ""
    return _WIDER.get(name, name)


def _flowed(text: str, part: Mail) -> str:
    """`format=flowed` (RFC 3676) undone: a line that ends in a blank goes on in the next, as long as both are quoted alike."""
    try:
        told = str(part.get_param("format", "") or "").lower(), str(part.get_param("delsp", "") or "").lower()
    except (ValueError, TypeError, LookupError):
        return text
    if told[0] != "flowed":
        return text
    lines: list[list[str]] = []
    open_depth = -1  # how deep the line before was quoted, if it goes on
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        bare = bare.removeprefix(" ")
        goes_on = bare.endswith(" ") and bare != "-- "
        kept = bare[:-1] if goes_on and told[1] == "yes" else bare
        if open_depth == depth and bare != "-- ":
            lines[-1].append(kept)
        else:
            lines.append(["> " * depth + kept])
        open_depth = depth if goes_on else -1
    return "\n".join(map("".join, lines))


_ANSWERED = (
    "//div[contains(concat(' ', @class, ' '), ' gmail_quote ') or contains(@class, 'yahoo_quoted')"
    " or contains(@class, 'protonmail_quote') or contains(@class, 'zmail_extra')"
    " or @id='divRplyFwdMsg' or @id='mail-editor-reference-message-container']"
    " | //*[@id='OLK_SRC_BODY_SECTION']"
)
"""Where mail programs put the mail that is answered, whatever the language of the heading above it."""


def html_text(source: str) -> str:
    """An HTML mail's words as BBCode: bold, quotes and the like can be told from the sender's plain words."""
    from lxml import etree, html

    from scraper.markup import read_markup

    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", source.replace("\0", ""))
    if not source.strip():
        return ""
    try:
        tree = html.document_fromstring(source)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return source
    boxes = (box for box in tree.xpath(_ANSWERED) if next(box.iterancestors("blockquote"), None) is None)
    answered = next((box for box in boxes if "".join(box.itertext()).strip()), None)
    if answered is not None and answered.getparent() is not None:
        heading = etree.Element("div")
        heading.text = "-----Original Message-----"
        answered.addprevious(heading)
    body = tree.find("body")
    return read_markup(tree if body is None else body).bbcode
