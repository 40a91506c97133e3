"""What is wrong with a GM's own templates, before the game: read, and tried once with samples under the sandbox's limits."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import meta, nodes

from engine.game import nearest
from engine.ruleset import Ruleset, load
from publisher.markup import PLAIN
from publisher.sandbox import Sandbox
from publisher.wording import BUILT_IN, bounded, environment_of, what_and_where

_EVERYWHERE = frozenset((
    "title", "ruleset", "dialect", "now", "deadline", "timezone", "thread_url", "links", "options", "players", "living",
    "commitment", "seed", "kind", "name_list", "thing_name", "things", "deadline_text", "time_left", "language", "_words",
    "_drawn",
))  # fmt: skip
_OF_JINJA = frozenset(("self", "super", "caller", "varargs", "kwargs", "loop"))
_GIVEN: Mapping[str, frozenset[str]] = {
    template: frozenset(names.split())
    for template, names in {
        "phase.j2": "label events announced died lynch final_count following win",
        "tally.j2": "label vote_links published votes not_voting unclear",
        "message.j2": "player phase role notices results",
        "opening.j2": "label",
        "reminder.j2": "label player awaited",
        "nudge.j2": "label player awaited",
        "receipt.j2": "label player read gone stands unread refused",
        "emptied.j2": "label",
    }.items()
}
"""What `publisher.render` hands to each template besides; what a template has in its built-in wording is known as well."""
_BUILT_IN_ALWAYS = ("rules.j2", "glossary.j2")
_LAST = 4
"""So deep in samples there are no more of them: a template that goes down into what it is given comes to an end."""
_AT_FAULT = (jinja2.exceptions.SecurityError, RecursionError, OverflowError, MemoryError)


def template_mistakes(ruleset: str, dialect: str, folder: Path, facts: Collection[str] = ()) -> list[str]:
    """What is wrong with the GM's own templates in `folder`: file, line, what, and the nearest right spelling.

    Syntax, names that no template is given (`facts` are those that the ruleset adds in this game), options and files that are
    not there, what may not be reached, and texts without end. Nothing is written, and a template that harms is stopped.
    """
    if not folder.is_dir():
        return []
    proof = _Proof(load(ruleset), dialect, folder, frozenset(facts))
    return [mistake for path in sorted(folder.rglob("*.j2")) for mistake in proof.mistakes(path)]


class _Proof:
    """One look at a folder of templates."""

    def __init__(self, ruleset: Ruleset, dialect: str, folder: Path, facts: frozenset[str]) -> None:
        self._ruleset, self._dialect, self._folder = ruleset, dialect, folder
        rooms = [BUILT_IN / room for room in ("common", ruleset.id)]
        self._built_in = [path for room in rooms for path in sorted(room.rglob("*.j2"))]
        posts = ruleset.posts
        self._languages = posts.languages({name: option.default for name, option in ruleset.options.items()})
        self._facts = facts | set(posts.report([]))
        self._used: dict[str, set[str]] = {}
        environment = environment_of(ruleset.id, dialect, self._languages[0], None)
        for path in self._built_in:
            tree = environment.parse(path.read_text(encoding="utf-8"))
            self._used.setdefault(path.name, set()).update(meta.find_undeclared_variables(tree))

    def mistakes(self, path: Path) -> Iterator[str]:
        """What is wrong with one file."""
        shown = f"templates/{path.relative_to(self._folder).as_posix()}"
        if path.name not in self._used:
            yield f"{shown}: no post is made from it{_hint(path.name, self._used)}"
            return
        if path.name in _BUILT_IN_ALWAYS:
            yield f"{shown}: this text is always the built-in one; yours is not used"
            return
        spoken = path.parent.name if path.parent != self._folder else None
        language = next((one for one in self._languages if one.code == spoken), self._languages[0])
        environment = environment_of(self._ruleset.id, self._dialect, language, self._folder)
        try:
            tree = environment.parse(path.read_text(encoding="utf-8"))
            names = meta.find_undeclared_variables(tree)
        except UnicodeDecodeError:
            yield f"{shown}: is not UTF-8 text"
            return
        except jinja2.TemplateSyntaxError as error:
            yield f"{shown}:{error.lineno}: {error.message}{_near_filter(error.message or '', environment)}"
            return
        except RecursionError:
            yield f"{shown}: it is nested too deep"
            return
        unknown = self._unknown(path.name, tree, names, environment)
        told = sorted({*unknown, *_forbidden(tree), *_colours(tree), *self._no_files(tree, environment)})
        yield from (f"{shown}:{line}: {what}" for line, what in told)
        if not told and (fault := self._tried(path.name, environment)):
            yield f"templates/{fault}"

    def _unknown(self, template: str, tree: nodes.Template, names: set[str], environment: Sandbox) -> Iterator[tuple[int, str]]:
        """Names that the template is not given, and options that the ruleset has not."""
        known = _EVERYWHERE | self._facts | self._used[template] | _GIVEN.get(template, frozenset())
        if template not in _GIVEN:  # a piece of others, which has all that these have
            known = known.union(*_GIVEN.values(), *self._used.values())
        for name in names - known - _OF_JINJA - set(environment.globals):
            line = min(one.lineno for one in tree.find_all(nodes.Name) if one.name == name)
            yield line, f"`{name}` is not known here{_hint(name, {*known, *environment.globals} - _OF_JINJA)}"
        for line, of, name in _reached(tree):
            if of == "options" and name not in self._ruleset.options and name not in _METHODS:
                yield line, f"`options.{name}`: {self._ruleset.id} has no option of this name{_hint(name, self._ruleset.options)}"

    def _no_files(self, tree: nodes.Template, environment: Sandbox) -> Iterator[tuple[int, str]]:
        """Templates that are named and not there."""
        for one in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
            named = one.template  # type: ignore[attr-defined]
            if isinstance(named, nodes.Const) and isinstance(named.value, str) and not getattr(one, "ignore_missing", False):
                try:
                    assert environment.loader is not None
                    environment.loader.get_source(environment, named.value)
                except jinja2.TemplateNotFound:
                    yield one.lineno, f"`{named.value}`: there is no such template{_hint(named.value, self._used)}"
                except UnicodeDecodeError:
                    continue  # told where that file is looked at

    def _tried(self, template: str, environment: Sandbox) -> str | None:
        """What stops the template when it is filled with samples, if that is its own fault and not the samples'."""
        options = {name: option.default for name, option in self._ruleset.options.items()}
        known = {*_EVERYWHERE, *self._facts, *set().union(*_GIVEN.values(), *self._used.values())} - set(environment.globals)
        values: dict[str, Any] = {name: _Sample() for name in known}
        values |= dict.fromkeys(("title", "label", "phase", "player", "ruleset", "kind", "language"), "sample")
        values |= {"players": ["Ann", "Bo"], "living": ["Ann", "Bo"], "options": options, "links": {}, "votes": {"Ann": "Bo"}}
        values |= {"_words": {}, "_drawn": lambda name, count, about: 0}
        try:
            with bounded():
                environment.get_template(template).render(values)
        except _AT_FAULT as problem:
            return _told(problem, template)
        except RuntimeError as problem:
            return _told(problem, template) if "circles" in str(problem) else None
        except Exception:  # samples are no real game: whatever else they lead to says nothing of the template
            return None
        return None


class _Sample:
    """Stands for a value of any kind: an event, a name, a number, a list of two."""

    unsafe_callable = alters_data = False  # what the sandbox asks before it lets a template call something

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth

    def __getattr__(self, name: str) -> _Sample:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Sample(self._depth + 1)

    def __getitem__(self, key: object) -> _Sample:
        return _Sample(self._depth + 1)

    def __call__(self, *given: object, **named: object) -> _Sample:
        return _Sample(self._depth + 1)

    def __iter__(self) -> Iterator[_Sample]:
        return iter([_Sample(self._depth + 1)] * len(self))

    def __len__(self) -> int:
        return 2 if self._depth < _LAST else 0

    def __str__(self) -> str:
        return "sample"

    def __int__(self) -> int:
        return 2

    def __lt__(self, other: object) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__


_METHODS = frozenset(dir(dict))


def _colours(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Colours that no post may have, where the template names them."""
    for call in tree.find_all(nodes.Call):
        what, named = getattr(call.node, "name", None), call.args[1] if len(call.args) > 1 else None
        if what == "colour" and isinstance(named, nodes.Const):
            try:
                PLAIN.colour("", str(named.value))
            except ValueError as problem:
                yield call.lineno, str(problem)


def _reached(tree: nodes.Template) -> Iterator[tuple[int, str, str]]:
    """Each `of.name` and `of["name"]`: its line, what it is of (empty where that is no plain name), and the name."""
    for one in tree.find_all((nodes.Getattr, nodes.Getitem)):
        of = one.node.name if isinstance(one.node, nodes.Name) else ""  # type: ignore[attr-defined]
        name = one.attr if isinstance(one, nodes.Getattr) else getattr(one.arg, "value", None)  # type: ignore[attr-defined]
        if isinstance(name, str):
            yield one.lineno, of, name


def _forbidden(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    for line, _, name in _reached(tree):
        if name.startswith("__"):
            yield line, f"`{name}` may not be used in a template"


def _hint(name: str, known: Collection[str]) -> str:
    near = nearest(name, list(known))
    return f" (did you mean `{near}`?)" if near else ""


def _near_filter(message: str, environment: Sandbox) -> str:
    quoted = message.split("'")
    return _hint(quoted[1], environment.filters) if message.startswith("No filter") and len(quoted) > 2 else ""


def _told(problem: BaseException, template: str) -> str:
    where, what = what_and_where(problem, template)
    return f"{where}: {what if not isinstance(problem, RecursionError) else 'it calls itself without end'}"
