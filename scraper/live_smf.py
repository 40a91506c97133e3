"""A live SMF 2.0 or 2.1: its topics, as a guest or signed in. Posting is still done by hand."""

from __future__ import annotations

from types import ModuleType
from typing import ClassVar

from scraper import smf
from scraper.forum import Containing, LoginFailed, Where
from scraper.live import LiveForum, Tree, form_action, form_fields, signed_in, words_of

FAR = 9_999_990  # past the end of any topic: SMF then shows the last page


class LiveSmf(LiveForum):
    """See Forum. A reader's own number of posts a page decides the steps between pages, and it may be newest first."""

    reader: ClassVar[ModuleType] = smf

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self.base_url}index.php?topic={topic}.msg{where.post_id}"
        offset = FAR if where == "last" else (int(where) - 1) * (per_page or 0)
        return f"{self.base_url}index.php?topic={topic}.{offset}"

    def _name_on(self, tree: Tree) -> str | None:
        for place in tree.xpath("//a[@id='profile_menu_top'] | //*[@id='top_info']//a[contains(@href, 'action=profile')]"):
            if words_of(place):
                return words_of(place)
        greeting = tree.xpath("//li[contains(@class, 'greeting')]//span")  # SMF 2.0
        return words_of(greeting[0]) if greeting else None

    def _log_in(self, name: str, password: str) -> str:
        answer = self.session.get(f"{self.base_url}index.php?action=login")
        form = next((form for form in self._tree(answer).iter("form") if form.get("id") == "frmLogin"), None)
        if form is None:
            raise LoginFailed("The forum shows no login form.", advice="Try to log in with a browser. Nothing was sent.")
        # The hidden fields' names differ each time; they are sent as they stand.
        fields = form_fields(form, user=name, passwrd=password, cookielength="3153600")
        answer = self.session.post(form_action(form, answer.url), fields, harmless=True)
        tree = self._tree(answer)
        if signed_in(tree):
            return self._name_on(tree) or name
        errors = tree.xpath("//div[contains(@class, 'errorbox')] | //div[@id='fatal_error']")
        said = f": {words_of(errors[0])}" if errors else "."
        if "action=reminder" in answer.url:
            said = ": it offers a new password instead, as after too many wrong ones."
        raise LoginFailed(
            f"The forum did not accept the login of {name}{said}",
            advice="Check the name that is used to sign in (it may differ from the one shown) and the password.",
        )
