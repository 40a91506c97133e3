"""Addresses as pages hold them: strangers write some, so a broken one is no address, never an error."""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit


def split(address: str) -> SplitResult:
    """The parts of an address; all of them empty where it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def join(base: str, link: str) -> str | None:
    """Where `link` leads from the page `base`; None where one of them is no address."""
    try:
        return urljoin(base, link)
    except ValueError:
        return None
