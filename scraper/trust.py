"""How sure it is who sent a message: an order in somebody else's name must not count because a mail says so.

A forum and its exports know their accounts. A mail's From line is written by whoever writes the mail: its display name
(`Ann <anybody@example.org>`) is proof of nothing, its address is a little, where the mail server checks it. A forum's notice
of a private message is a mail like any other, so it vouches for a sender only if it comes from the forum's own address.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from scraper.model import Message

TRUST = ("review", "exports", "all")
"""What may be chosen. `review`: mails from known addresses count, others wait for the GM. `exports`: all that comes by mail
waits for the GM. `all`: whatever name a mail gives is believed."""
UNPROVEN = "unproven"
"""Under this and its address a mail is kept that does not vouch for its sender: nobody's account."""


@dataclass(frozen=True, slots=True)
class Standing:
    """For which player a message speaks, None for a stranger's; whether that is sure, and if not, why not."""

    player: str | None
    sure: bool
    why: str = ""


def standing(
    message: Message, seats: Mapping[str, str], *, trust: str = "review", forum_addresses: Collection[str] = ()
) -> Standing:
    """Who sends `message`. `seats` are the players' accounts, names and e-mail addresses, each with its player.

    `trust` is one of TRUST, `forum_addresses` those from which the forum sends its notices. Case does not count. An address
    counts before a name: a mail from Ann's address is Ann's, whatever name it shows.
    """
    kind, _, address = message.origin.partition(" ")
    doubted, kind = kind.startswith("doubted-"), kind.removeprefix("doubted-")
    known = {account.casefold(): player for account, player in seats.items()}
    named, addressed = known.get(message.sender.casefold()), known.get(address.casefold()) if kind == "mail" else None
    player = addressed or named
    if kind not in ("mail", "notice") or player is None or trust == "all":
        return Standing(player, True)
    why = _doubt(kind, address or "no address", named, addressed, forum_addresses)
    if trust == "exports":
        why = f"It came by mail ({address or 'no address'}), and only the forum's exports are trusted."
    elif doubted:
        why = f"Its From line ({address or 'no address'}) is in doubt: the mail may be forged."
    return Standing(player, not why, why)


def _doubt(kind: str, address: str, named: str | None, addressed: str | None, forum_addresses: Collection[str]) -> str:
    """Why a mail from `address` does not vouch for its sender; empty where it does."""
    if kind == "notice":
        known = address.casefold() in {each.casefold() for each in forum_addresses}
        return "" if known else f"It looks like a notice of the forum, but {address} is not known as its address."
    if addressed is None:
        return f"It came by mail from {address}, which is not among {named}'s accounts."
    return f"It came from {addressed}'s address but gives {named} as its sender." if named not in (None, addressed) else ""
