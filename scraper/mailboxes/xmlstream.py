"""XML as a stream of elements, without entities, and without the control characters that make a forum's XML invalid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO
from xml.etree.ElementTree import Element

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from scraper.model import SourceError

_ILLEGAL = bytes([*range(9), 11, 12, *range(14, 32)])


class _Cleaned:
    """A stream without the bytes that XML forbids and players can type."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._wide = False
        self._first = True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        if self._first:
            self._first, self._wide = False, data[:2] in (b"\xff\xfe", b"\xfe\xff")
        while data and not self._wide:
            kept = data.translate(None, _ILLEGAL)
            if kept:
                return kept
            data = self._stream.read(size)
        return data


def elements(stream: BinaryIO, name: str, tag: str) -> Iterator[Element]:
    """Each element `tag` below the root, forgotten once the next is asked for.

    Raises SourceError where the file declares a document type or entities, which no export does and a bomb must. A
    ParseError of the XML library means that the file is cut off or damaged.
    """
    root: Element | None = None
    try:
        for event, element in iterparse(_Cleaned(stream), events=("start", "end"), forbid_dtd=True):
            if root is None:
                root = element
            elif event == "end" and element.tag == tag:
                yield element
                root.clear()
    except DefusedXmlException:
        raise SourceError(
            f"{name} declares a document type or entities of its own, as no forum's export does; reading it was refused.",
            advice="Export the folder again from the forum itself.",
        ) from None
