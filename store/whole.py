"""Halves of signs: what a page or mail may tell, and no file can hold."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

from scraper.model import Message, Post

_Read = TypeVar("_Read", Post, Message)


def storable(one: _Read) -> _Read:
    """What was read, without halves of signs: JSON can hold them, and no file can."""
    halved = {
        field.name: whole(value) for field in fields(one)
        if isinstance(value := getattr(one, field.name), str) and not value.isascii() and whole(value) != value
    }  # fmt: skip
    if isinstance(one, Message) and any(whole(name) != name for name in one.recipients):
        halved["recipients"] = tuple(map(whole, one.recipients))  # type: ignore[assignment]
    return replace(one, **halved) if halved else one  # type: ignore[arg-type]


def whole(text: str) -> str:
    """The text with a question mark for each half of a sign."""
    return text.encode("utf-8", "replace").decode("utf-8")
