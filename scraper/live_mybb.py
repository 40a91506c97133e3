"""A live MyBB 1.8: its topics, as a guest or signed in. Posting is still done by hand."""

from __future__ import annotations

from types import ModuleType
from typing import ClassVar

from scraper import mybb
from scraper.forum import Containing, LoginFailed, Where
from scraper.live import LiveForum, Tree, form_action, form_fields, signed_in, words_of
from scraper.model import Page


class LiveMybb(LiveForum):
    """See Forum. Addresses name pages by number, whatever a page holds; an account set to threads is shown pages all the same."""

    reader: ClassVar[ModuleType] = mybb
    _needs_page_size: ClassVar[bool] = False

    def page(self, topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        """See Forum.page. A page past the end is answered with the first: then the last is fetched."""
        page = super().page(topic, where, per_page=per_page)
        if isinstance(where, int) and where > 1 and page.page == 1 and page.pages < where and page.pages > 1:
            return super().page(topic, page.pages)
        return page

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self.base_url}showthread.php?tid={topic}&mode=linear&pid={where.post_id}"
        if where == "last":
            return f"{self.base_url}showthread.php?tid={topic}&mode=linear&action=lastpost"
        return f"{self.base_url}showthread.php?tid={topic}&mode=linear" + (f"&page={where}" if int(where) > 1 else "")

    def _name_on(self, tree: Tree) -> str | None:
        for link in tree.xpath("//*[contains(@class, 'welcome')]//a[contains(@href, 'action=profile')]"):
            return words_of(link)
        return None

    def _log_in(self, name: str, password: str) -> str:
        answer = self.session.get(f"{self.base_url}member.php?action=login")
        tree = self._tree(answer)
        form = next((f for f in tree.iter("form") if f.find(".//input[@name='username']") is not None), None)
        if form is None:
            error = next((div for div in tree.iter("div", "td") if "error" in (div.get("class") or "")), None)
            said = f": {words_of(error)}" if error is not None else ", as for a quarter of an hour after ten wrong passwords."
            raise LoginFailed(f"The forum shows no login form{said}", advice="Wait, then check the password. Nothing was sent.")
        fields = form_fields(form, username=name, password=password, remember="yes", submit="Login")
        tree = self._tree(self.session.post(form_action(form, answer.url), fields, harmless=True))
        # A good login answers with a page that moves on; only the next page shows who is signed in.
        if tree.find(".//meta[@http-equiv='refresh']") is not None:
            front = self._tree(self.session.get(f"{self.base_url}index.php"))
            if signed_in(front):
                return self._name_on(front) or name
        error = next((div for div in tree.iter("div") if "error" in (div.get("class") or "").split()), None)
        said = f": {words_of(error)}" if error is not None else "."
        raise LoginFailed(
            f"The forum did not accept the login of {name}{said}",
            advice="Check the name and the password. After ten wrong ones MyBB lets nobody in for a quarter of an hour.",
        )
