"""A live FluxBB 1.5: topics, posts and edits through its own pages and forms, in any language. It has no private messages.

What tells success from refusal is never a word: after success FluxBB leads on, a refusal gives the form back with a list of
errors, and where there is nothing to be done there is a notice in place of the form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta, timezone, tzinfo
from types import ModuleType
from typing import ClassVar

from scraper import fluxbb
from scraper.addresses import split
from scraper.forum import (
    Containing,
    FloodLimit,
    LoginFailed,
    NotAllowed,
    NotYet,
    PostRef,
    Refused,
    TopicLocked,
    Where,
)
from scraper.live import LiveForum, Tree, form_action, form_fields, onward, signed_in, words_of
from scraper.model import Message, NotTheTopic, Page, SourceError
from scraper.session import TryAgain, Uncertain
from scraper.topicpage import numbers_in, query

TRIES = 4  # of sending one form
LONGEST_WAIT = 120  # seconds that are waited out at once; boards ask for thirty
LONGEST_FLOOD = 3600  # more seconds than any board asks for: a larger number in a complaint is something else
_LOOK = "It is looked for before anything is sent again."


class LiveFluxbb(LiveForum):
    """See Forum. Addresses name pages by number, whatever a page holds; the account's profile tells the zone of its times."""

    reader: ClassVar[ModuleType] = fluxbb
    _needs_page_size: ClassVar[bool] = False
    _own_zone: tzinfo | None = None

    # ------------------------------------------------------------------ signing in

    def _name_on(self, tree: Tree) -> str | None:
        return fluxbb.account_of(tree)

    def _log_in(self, name: str, password: str) -> str:
        answer = self.session.get(f"{self.base_url}login.php")
        form = next((form for form in self._tree(answer).iter("form") if form.get("id") == "login"), None)
        if form is None:
            said = fluxbb.notice_of(self._tree(answer))
            raise LoginFailed(
                "The forum shows no login form" + (f" and says: {said}" if said else "."),
                advice="Try to log in with a browser. Nothing was sent.",
            )
        fields = form_fields(form, req_username=name, req_password=password, save_pass="1", login="Login")
        answer = self.session.post(form_action(form, answer.url), fields, harmless=True)
        self._own_zone = None
        if onward(answer):  # the page after a good login names nobody; the next one does
            tree = self._tree(self.session.get(f"{self.base_url}index.php"))
            if signed_in(tree):
                return self._name_on(tree) or name
            raise LoginFailed(
                f"The forum let {name} in and forgets it on the next page: its cookies are not meant for {self.base_url}.",
                advice="Put the topic's address into game.toml exactly as the forum's own links have it.",
            )
        said = "; ".join(_errors(self._tree(answer))) or fluxbb.notice_of(self._tree(answer))
        raise LoginFailed(
            f"The forum did not accept the login of {name}" + (f": {said}" if said else "."),
            advice="Check the name and the password.",
        )

    # ------------------------------------------------------------------ reading

    def page(self, topic: str, where: Where = 1, *, per_page: int | None = None) -> Page:
        """See Forum.page. A page past the end is answered with the first: then the last is fetched."""
        page = super().page(topic, 1 if where == "last" else where, per_page=per_page)
        past = where == "last" or (isinstance(where, int) and where > page.pages)
        return super().page(topic, page.pages) if past and 1 == page.page < page.pages else page

    def _address(self, topic: str, where: Where, per_page: int | None) -> str:
        if isinstance(where, Containing):
            return f"{self.base_url}viewtopic.php?pid={where.post_id}"
        return fluxbb.page_url(self.base_url, topic, 1 if where == "last" else int(where), 0)

    def _zone(self, text: str) -> tzinfo:
        """As the account has set it in its profile: hours, and one more by a switch that nobody but the account moves."""
        if 'id="navlogout"' not in text:
            return self.timezone
        if self._own_zone is None:
            self._own_zone = self._zone_of(fluxbb.account_in(text)) or self.timezone
        return self._own_zone

    def _zone_of(self, number: str) -> tzinfo | None:
        tree = self._tree(self.session.get(f"{self.base_url}profile.php?section=essentials&id={number}"))
        form = next((form for form in tree.iter("form") if form.find(".//select[@name='form[timezone]']") is not None), None)
        if form is None:
            return None
        chosen = dict(form.form_values())
        try:
            hours = float(str(chosen.get("form[timezone]"))) + float(str(chosen.get("form[dst]") or 0))
            return timezone(timedelta(hours=hours))
        except ValueError:
            return None

    # ------------------------------------------------------------------ posting

    def reply(self, topic: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.reply. A reply has no title of its own."""
        return self._post(f"{self.base_url}post.php?tid={topic}", bbcode, None)

    def edit(self, post_id: str, bbcode: str, subject: str | None = None) -> PostRef:
        """See Forum.edit. `subject` is the topic's, and only its first post has it."""
        return self._post(f"{self.base_url}edit.php?id={post_id}", bbcode, subject)

    def _post(self, url: str, bbcode: str, subject: str | None) -> PostRef:
        target = self._submit(url, bbcode, subject)
        post = query(target).get("pid", "")
        if not split(target).path.endswith("viewtopic.php") or not post.isdecimal():
            raise Uncertain("After sending, the forum led to some other page.", advice=_LOOK)
        return PostRef(post, f"{self.base_url}viewtopic.php?pid={post}#p{post}")

    def _submit(self, url: str, bbcode: str, subject: str | None) -> str:
        """Fill in the form at `url` and send it until it is taken: where the forum then leads. Waits as it demands."""
        tree = self._member_page(url)
        problem: SourceError = TryAgain("The forum gave the form back again and again.")
        for _ in range(TRIES):
            form = _form(tree)
            if form is None:
                raise self._refusal(tree, url)
            given = {"req_message": bbcode, "hide_smilies": "1", "submit": "Submit"}
            if subject and form.find(".//input[@name='req_subject']") is not None:
                given["req_subject"] = subject
            answer = self.session.post(form_action(form, url), form_fields(form, **given), follow=False)
            target = onward(answer)
            if target:
                return target
            try:
                tree = self._tree(answer)
            except SourceError as broken:
                raise Uncertain(f"After sending: {broken}", advice=_LOOK) from None
            if not signed_in(tree):
                self._again_signed_in()
                tree = self._member_page(url)
                continue
            problem = _complaint(_errors(tree))
            if isinstance(problem, Refused) or (isinstance(problem, FloodLimit) and problem.wait > LONGEST_WAIT):
                raise problem
            if isinstance(problem, FloodLimit):
                self.session.sleep(problem.wait)
        raise problem

    def _member_page(self, url: str) -> Tree:
        """A page as our account sees it: some boards would let a guest post, under no name."""
        tree = self._fetch(url)
        if not signed_in(tree):
            self._again_signed_in()
            tree = self._fetch(url)
        return tree

    def _refusal(self, tree: Tree, url: str) -> SourceError:
        """What a page without a form means. FluxBB has one sentence for all that is not allowed: the topic's page tells more."""
        said = fluxbb.notice_of(tree)
        if not said:
            return TryAgain("The forum's page has no form to write in.")
        if said == fluxbb.notice_of(self._tree(self.session.get(f"{self.base_url}index.php"))):
            return TryAgain(f"The forum says to everybody: {said}")
        asked = query(url)
        place = f"id={asked['tid']}" if "tid" in asked else f"pid={asked.get('id', '')}"
        answer = self.session.get(f"{self.base_url}viewtopic.php?{place}")
        try:
            page = fluxbb.read_page(answer.text, timezone=self.timezone, now=self.now())
        except NotTheTopic:
            pass
        else:
            if page.locked:
                asks = "Ask a moderator to open the topic. Nothing was posted, the draft stays."
                return TopicLocked(f"The forum says: {said}", advice=asks)
        return NotAllowed(
            f"The forum says: {said}",
            advice="Check the account's rights on the forum, and that the address in game.toml is the one in the forum's "
            "own links. Nothing was posted.",
        )

    # ------------------------------------------------------------------ private messages: there are none

    def send_message(self, to: str, subject: str, bbcode: str) -> None:
        """Not on this kind of forum."""
        raise NotYet(
            "FluxBB has no private messages.",
            advice="Mail it by hand, then take it out with `nightpost outbox drop`. Where `role`, `private` and `reminder` are "
            '"review" in [publish], such drafts wait.',
        )

    def messages(self, since: datetime | None = None, known: Collection[str] = ()) -> Iterator[Message]:
        """Not on this kind of forum."""
        raise _no_messages()

    def sent_messages(self, since: datetime | None = None) -> Iterator[Message]:
        """Not on this kind of forum."""
        raise _no_messages()


def _no_messages() -> NotYet:
    return NotYet(
        "FluxBB has no private messages.",
        advice="Let players send their orders by e-mail (see docs/mail.md), or put them as files into the game's mail/ folder; "
        "and write `forum = false` under [mail].",
    )


def _form(tree: Tree) -> Tree:
    return next((form for form in tree.iter("form") if form.find(".//textarea[@name='req_message']") is not None), None)


def _errors(tree: Tree) -> list[str]:
    """The complaints that stand above a form that was given back."""
    boxes = tree.xpath("//*[@id='posterror']//ul[contains(@class, 'error-list')]/li | //*[@id='posterror']//ul/li")
    return [words_of(line) for line in boxes]


def _complaint(errors: list[str]) -> SourceError:
    """What a form that was given back means, in any language: only the wait between posts is told in small plain numbers."""
    numbers = [numbers_in(line) for line in errors if "[" not in line]  # one that names a tag is about the text
    waits = [min(found) for found in numbers if found and max(found) <= LONGEST_FLOOD]
    said = "; ".join(errors)
    if not errors:
        return TryAgain("The forum gave the form back without a reason.")
    if len(waits) < len(errors):
        return Refused(f"The forum refused the text: {said}", advice="Change the draft (`nightpost outbox edit`).")
    return FloodLimit(f"The forum says: {said}", wait=max(waits) + 1.0)
