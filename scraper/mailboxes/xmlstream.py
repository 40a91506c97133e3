"""XML as a stream of elements, without entities, in any character set, and without the characters that make it invalid."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element, TreeBuilder

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser, iterparse

from scraper.mailboxes.mailtext import text_codec
from scraper.model import SourceError

_ILLEGAL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)])
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_REMARKS = re.compile(rb"\A(\s*(?:<\?xml[^>]{0,200}\?>)?)(?:\s*<!--.{0,2000}?-->)+", re.DOTALL)
"""Remarks above all else: a forum's name in one may hold what makes it invalid (`--`)."""

LARGEST_ELEMENT = 32 * 1024 * 1024
"""Bytes of the largest message, with all that stands between it and the one before."""


class _TooLarge(Exception):
    """Nothing ends for so long that memory would run out."""


class _Cleaned:
    """A stream as UTF-8 without the characters that XML forbids and players can type.

    Bytes that do not fit the declared character set become a mark each, so that one wrong letter costs no message.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.held = 0
        self._stream = stream
        self._decoder: codecs.IncrementalDecoder | None = None

    def read(self, size: int = -1) -> bytes:
        while data := self._stream.read(size):
            self.held += len(data)
            if self.held > LARGEST_ELEMENT:
                raise _TooLarge
            if self._decoder is None:
                data = self._begin(data)
            assert self._decoder is not None
            kept = self._decoder.decode(data).translate(_ILLEGAL)
            if kept:
                return kept.encode("utf-8")
        return b""

    def _begin(self, data: bytes) -> bytes:
        """Settle the character set by the first bytes; what is left of them without a byte order mark."""
        told = _DECLARED.match(data.lstrip()[:400])
        name = text_codec(told[1].decode("ascii")) if told else ""
        for mark, encoding in _MARKS:
            if data.startswith(mark):
                name, data = encoding, data[len(mark) :]
        self._decoder = codecs.getincrementaldecoder(name or "utf-8")("replace")
        return _REMARKS.sub(rb"\1", data)


def elements(stream: BinaryIO, name: str, tag: str) -> Iterator[Element]:
    """Each element `tag` below the root, forgotten once the next is asked for.

    Raises SourceError where the file declares a document type or entities, which no export does and a bomb must. A
    ParseError of the XML library means that the file is cut off or damaged.
    """
    cleaned = _Cleaned(stream)
    parser = XMLParser(target=TreeBuilder(), encoding="utf-8", forbid_dtd=True)
    open_now: list[Element] = []
    within = 0  # how many elements `tag` are open
    try:
        for event, element in iterparse(cleaned, events=("start", "end"), parser=parser):
            if event == "start":
                open_now.append(element)
                within += element.tag == tag
                continue
            open_now.pop()
            if element.tag == tag:
                within -= 1
                yield element
            if not within:
                cleaned.held = 0
                for above in open_now:
                    above.clear()
    except DefusedXmlException:
        raise SourceError(
            f"{name} declares a document type or entities of its own, as no forum's export does; reading it was refused.",
            advice="Export the folder again from the forum itself.",
        ) from None
    except _TooLarge:
        raise SourceError(
            f"{name}: {LARGEST_ELEMENT // 2**20} MB without the end of a message, as no export has; reading it was refused.",
            advice="Export the folder again from the forum itself.",
        ) from None
