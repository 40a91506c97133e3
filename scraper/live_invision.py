"""A live Invision Community 4: topics are read, as a guest sees them. Posts and messages go by hand.

Its editor sends HTML that it has checked itself, and nothing is known for sure of how; so nothing is sent.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, ClassVar

from scraper import invision
from scraper.forum import Containing, Where
from scraper.live import LiveForum, Tree
from scraper.model import Page
from scraper.session import Answer, TryAgain


class LiveInvision(LiveForum):
    """See Forum. An account is of no use here: everything is read as a guest."""

    reader: ClassVar[ModuleType] = invision
    _needs_page_size: ClassVar[bool] = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._places: dict[str, str] = {}  # the topics' own addresses

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
        place = self._places.get(topic) or self._any_form(topic)
        if isinstance(where, Containing):
            return f"{self._any_form(topic)}&do=findComment&comment={where.post_id}"
        number = 1 if where == "last" else int(where)  # the last is known only once a page has told how many there are
        return place + (f"page/{number}/" if number > 1 else "")

    def _any_form(self, topic: str) -> str:
        """An address that works on every board: the words behind the number do not count, and it leads to the board's own."""
        return f"{self.base_url}index.php?/topic/{topic}-t/"

    def _page(self, topic: str, address: str) -> Page:
        asked = re.search(r"page/(\d+)/$", address)
        page = super()._page(topic, address)
        if asked and page.page != int(asked[1]) <= page.pages:  # before 4.3 pages were counted in another way
            page = super()._page(topic, f"{address[: asked.start()]}?page={asked[1]}")
            if page.page != int(asked[1]):
                raise TryAgain(f"The forum shows page {page.page} of the topic when asked for page {asked[1]}.")
        return page

    def _page_in(self, topic: str, answer: Answer) -> Page:
        page = super()._page_in(topic, answer)
        own = re.match(r"https?://[^?#]*/topic/\d+[^/?#]*/", answer.url)
        if own and own[0].startswith(self.base_url):
            self._places[topic] = own[0]
        return page
