"""An order as it was read, before it is known whether it may be entered."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rulesets.conan.actions import Action
from rulesets.conan.deeds import Question


@dataclass(frozen=True, slots=True)
class Draft:
    """An order as it was read, before it is known whether it may be entered."""

    sender: str
    action: Action
    targets: tuple[str, ...] = ()
    role: str | None = None
    roles: tuple[str, ...] = ()
    question: Question | None = None
    text: str | None = None
    inner: Draft | None = None
    cancel: bool = False
    stands_in: bool = False
    """Whether it is expressly sent for an inactive player (CON-INACT-05)."""
    doer: str | None = None
    """Which inactive player that is, where the words have settled it."""

    @property
    def innermost(self) -> Draft:
        """The order itself, without what it is done through."""
        return self.inner.innermost if self.inner is not None else self

    @property
    def named(self) -> str:
        """The id by which a rejection calls it.  CON-ACT-07"""
        if self.action.id == "order_other":
            return self.innermost.named
        renamed = {"order_kill": "kill", "order_bribe": "bribe", "suitcase_slander": "slander", "override": "kill"}
        return renamed.get(self.action.id, self.action.id)

    def naming(self, player: str) -> Draft:
        """The same with a further player named."""
        return replace(self, targets=(*self.targets, player))

    def with_role(self, role: str) -> Draft:
        """The same with a (further) role named."""
        return replace(self, role=role, roles=(*self.roles, role))

    def saying(self, text: str) -> Draft:
        """The same with a text, ability or item."""
        return replace(self, text=text)

    def asking(self, question: Question) -> Draft:
        """The same with a question or charge, in the order itself."""
        if self.inner is not None:
            return replace(self, inner=self.inner.asking(question))
        return replace(self, question=question)

    def holding(self, inner: Draft) -> Draft:
        """The same around another order."""
        return replace(self, inner=inner)
