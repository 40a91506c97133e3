"""Where templates run: Jinja's sandbox, kept from filling the memory as well."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jinja2
from jinja2.sandbox import SandboxedEnvironment
from jinja2.visitor import NodeTransformer

_LONGEST = 200_000
"""No post, and no text made on the way to one, is longer than this many characters."""
_TOO_LONG = f"the text comes to more than {_LONGEST} characters"
_FILTERS = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "first", "int", "items", "last", "length", "list", "lower", "map",
    "max", "min", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "title", "trim", "unique", "upper",
)  # fmt: skip
"""The filters of Jinja that a template may use; the others can make a text without end, or markup of their own."""
_GROWING = frozenset(
    ("center", "encode", "expandtabs", "format", "format_map", "join", "ljust", "replace", "rjust", "translate", "zfill"),
)
"""Methods that make a long text of a short one, or bytes, which have such methods again."""
_MOST = 10_000
"""So many things are held in a list, one in another counted too: lists in lists double as fast as texts do."""
_LONGEST_RANGE = 1000
_METHODS = {dict: ("get", "items", "keys", "values"), list: ("count", "index"), tuple: ("count", "index"), int: (), bytes: ()}
"""What may be called of these: nothing that changes them, for they may be the game's own."""


class Sandbox(SandboxedEnvironment):
    """Jinja's sandbox, in which no text grows without end either: a template of a few letters could fill the memory."""

    intercepted_binops = frozenset(("*", "**", "+", "%"))

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters = {name: self.filters[name] for name in _FILTERS} | {"join": _join, "replace": _replace}
        self.globals = {
            "range": _range, "namespace": self.globals["namespace"], "_joined": _joined, "_held": _held,
        }  # fmt: skip

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Refuse large products and sums."""
        if operator == "+":
            sizes = [len(side) for side in (left, right) if isinstance(side, (str, list, tuple))]
            if sum(sizes) > _LONGEST:
                raise jinja2.exceptions.SecurityError(_TOO_LONG)
        elif not all(isinstance(side, int) and abs(side) < 100_000 for side in (left, right)) or operator == "**":
            raise jinja2.exceptions.SecurityError(f"`{operator}` is for small whole numbers here")
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Without the methods that make a long text of a short one, or change what the template has not made itself."""
        if (type(obj), attr) in ((_OwnList, "append"), (_OwnMap, "update")):
            return True
        for kind, methods in _METHODS.items():
            if isinstance(obj, kind) and callable(value):
                return attr in methods
        return super().is_safe_attribute(obj, attr, value) and not (isinstance(obj, str) and attr in _GROWING)

    def call(self, context: Any, called: Any, *given: Any, **named: Any) -> Any:
        """Refuse to hand on, or to put into a list, what holds too much."""
        _held([getattr(called, "__self__", None), *given, *named.values()])
        return super().call(context, called, *given, **named)

    def wrap_str_format(self, value: Any) -> None:
        """No `format` of texts: a width of a milliard is a short thing to write."""
        return

    def _parse(self, source: str, name: str | None, filename: str | None) -> jinja2.nodes.Template:
        tree: jinja2.nodes.Template = _Bounds().visit(super()._parse(source, name, filename))
        return tree

    @staticmethod
    def concat(parts: Iterable[str]) -> str:
        """The pieces of a text in one, as long as they make no more than a post can be."""
        held, length = [], 0
        for part in parts:
            held.append(part)
            length += len(part)
            if length > _LONGEST:
                raise jinja2.exceptions.SecurityError(_TOO_LONG)
        return "".join(held)


class _OwnList(list[Any]):
    """A list that a template has made: it may add to that."""


class _OwnMap(dict[Any, Any]):
    """A map that a template has made: it may add to that."""


class _Bounds(NodeTransformer):
    """Turns each `a ~ b` into a call of `_joined`, and what makes a list into one of `_held`, which know when to stop."""

    def visit_Concat(self, node: jinja2.nodes.Concat) -> jinja2.nodes.Node:  # noqa: N802
        self.generic_visit(node)
        called = jinja2.nodes.Name("_joined", "load", lineno=node.lineno)
        return jinja2.nodes.Call(called, node.nodes, [], None, None, lineno=node.lineno)

    def _made(self, node: Any) -> jinja2.nodes.Node:
        self.generic_visit(node)
        if getattr(node, "ctx", "load") != "load":  # `{% set a, b = … %}`
            return node  # type: ignore[no-any-return]
        called = jinja2.nodes.Name("_held", "load", lineno=node.lineno)
        return jinja2.nodes.Call(called, [node], [], None, None, lineno=node.lineno)

    visit_List = visit_Tuple = visit_Dict = _made  # noqa: N815


def _held(made: Any) -> Any:
    """The list, tuple or map as it is, where it holds no more than it may."""
    open_, count = [made], 0
    while open_:
        one = open_.pop()
        count += 1
        if isinstance(one, dict):
            open_ += [*one.keys(), *one.values()]
        elif isinstance(one, (list, tuple)):
            open_ += one
        if count + len(open_) > _MOST:
            raise jinja2.exceptions.SecurityError(f"a list or map holds more than {_MOST} things")
    kinds: dict[type, type] = {list: _OwnList, dict: _OwnMap}
    own = kinds.get(type(made))
    return own(made) if own else made


def _range(*numbers: int) -> range:
    found = range(*numbers)
    if len(found) > _LONGEST_RANGE:
        raise jinja2.exceptions.SecurityError(f"`range` counts {_LONGEST_RANGE} numbers at most")
    return found


def _joined(*parts: object) -> str:
    return Sandbox.concat(map(str, parts))


def _join(values: Iterable[object], between: str = "") -> str:
    pieces = [piece for value in values for piece in (between, str(value))]
    return Sandbox.concat(pieces[1:])


def _replace(text: object, old: str, new: str) -> str:
    shown = str(text)
    if len(shown) + shown.count(old) * len(new) > _LONGEST:
        raise jinja2.exceptions.SecurityError(_TOO_LONG)
    return shown.replace(old, new)
