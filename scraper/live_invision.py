"""A live Invision Community 4: topics are read, as a guest sees them. Posts and messages go by hand.

Its editor sends HTML that it has checked itself, and nothing is known for sure of how; so nothing is sent.
"""

from __future__ import annotations

from types import ModuleType
from typing import ClassVar

from scraper import invision
from scraper.forum import Containing, Where
from scraper.live import LiveForum, Tree


class LiveInvision(LiveForum):
    """See Forum. An account is of no use here: everything is read as a guest."""

    reader: ClassVar[ModuleType] = invision
    _needs_page_size: ClassVar[bool] = False

    def use_account(self, name: str, password: str, shown: str | None = None) -> None:
        """See Forum.use_account. Nothing is done with it: the password is not sent."""

    def log_in(self, name: str, password: str) -> None:
        """See Forum.log_in. Nothing is done with it, as above."""

    def who_am_i(self) -> str | None:
        """See Forum.who_am_i: always a guest."""
        return None

    def _name_on(self, tree: Tree) -> str | None:
        return None

    def _log_in(self, name: str, password: str) -> str:
        return name

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        # The words behind the number do not count, and this form of address works whether or not the board rewrites them.
        place = f"{self.base_url}index.php?/topic/{topic}-t/"
        if isinstance(where, Containing):
            return f"{place}&do=findComment&comment={where.post_id}"
        number = 1 if where == "last" else int(where)  # the last is known only once a page has told how many there are
        return place + (f"page/{number}/" if number > 1 else "")
