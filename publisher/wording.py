"""Templates to text: which folders a wording is looked for in, what a template may call, and what stopped one."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser

import templates
from engine.posts import Language
from publisher.markup import Dialect, clean, dialect_of
from publisher.sandbox import Sandbox
from publisher.times import in_digits

BUILT_IN = Path(templates.__file__).parent
_LINES = 200_000
"""How many lines a template may run through before it counts as going round in circles."""
_HELPERS = ("name", "names", "listed", "bold", "italic", "colour", "heading", "quote", "code", "link", "bullets", "table")


class Pick(Extension):
    """`{% pick %}one wording{% or %}another{% endpick %}`: one of them, by a draw that comes out the same each time.

    The draw is named by the words themselves, and by `about` where the tag has it: `{% pick about player %}`.
    """

    tags = {"pick"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        """The tag as a chain of conditions on the draw."""
        line = next(parser.stream).lineno
        about: nodes.Expr = nodes.Const("")
        if parser.stream.skip_if("name:about"):
            about = parser.parse_expression()
        bodies = []
        while True:
            bodies.append(parser.parse_statements(("name:or", "name:endpick")))
            if not parser.stream.skip_if("name:or"):
                break
        parser.stream.expect("name:endpick")
        said = [piece.data for body in bodies for node in body for piece in node.find_all(nodes.TemplateData)]
        name = hashlib.sha256("\n".join(said).encode()).hexdigest()[:12]
        drawn = nodes.Call(nodes.Name("_drawn", "load"), [nodes.Const(name), nodes.Const(len(bodies)), about], [], None, None)
        chosen: list[nodes.Node] = []
        for number, body in reversed(list(enumerate(bodies))):
            test = nodes.Compare(drawn, [nodes.Operand("eq", nodes.Const(number))])
            chosen = [nodes.If(test, body, [], chosen)]
        return chosen[0].set_lineno(line)


def markup_in(dialect: str, language: Language) -> Dialect:
    """The markup of a dialect for text in that language."""
    return dialect_of(dialect).in_language(language)


def filled(ruleset: str, dialect: str, language: Language, own: Path | None, template: str, values: Mapping[str, Any]) -> str:
    """The text of a template: the GM's own where `own` is the folder of it, else the built-in one."""
    environment = _built_in(ruleset, dialect, language) if own is None else environment_of(ruleset, dialect, language, own)
    words: Mapping[str, str] = values.get("_words", {})
    body = environment.get_template(template).render({"_words": words, "_drawn": _first} | dict(values))
    return dialect_of(dialect).finish(body)


def _first(name: str, count: int, about: object) -> int:
    return 0


@lru_cache(maxsize=64)
def _built_in(ruleset: str, dialect: str, language: Language) -> Sandbox:
    return environment_of(ruleset, dialect, language, None)


def environment_of(ruleset: str, dialect: str, language: Language, own: Path | None) -> Sandbox:
    """Where templates are looked for, the GM's own folder `own` first, and what they may call."""
    rooms = [BUILT_IN / ruleset, BUILT_IN / "common"]
    built_in = jinja2.FileSystemLoader([folder for room in rooms for folder in (room / language.code, room)])
    common = jinja2.FileSystemLoader([BUILT_IN / "common" / language.code, BUILT_IN / "common"])
    loaders: list[jinja2.BaseLoader] = [built_in, jinja2.PrefixLoader({"built-in": built_in, "common": common})]
    if own is not None:
        loaders.insert(0, jinja2.FileSystemLoader([own / language.code, own]))
    markup = markup_in(dialect, language)

    def shown(value: object) -> str:
        number = isinstance(value, int) and not isinstance(value, bool)
        return markup.safe(in_digits(str(value), language) if number else value)

    environment = Sandbox(
        loader=jinja2.ChoiceLoader(loaders), undefined=jinja2.StrictUndefined, finalize=shown, extensions=[Pick],
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False,
    )  # fmt: skip
    for helper in _HELPERS:
        environment.globals[helper] = getattr(markup, helper)
    environment.globals["dialect_name"] = dialect
    environment.globals["count"] = lambda number, thing, things=None: in_digits(_count(number, thing, things), language)
    environment.filters["words"] = _words
    environment.filters["digits"] = lambda value: in_digits(str(value), language)
    return environment


def word(id_: object, words: Mapping[str, str]) -> str:
    """An id as one says it: by its word, else with blanks for underscores. A number behind it stays: `trial 2`."""
    text = str(id_)
    if text in words:
        return words[text]
    kind, _, number = text.rpartition(" ")
    if number.isdecimal() and kind in words:
        return f"{words[kind]} {number}"
    return text.replace("_", " ")


@jinja2.pass_context
def _words(context: jinja2.runtime.Context, id_: object) -> str:
    return word(id_, context["_words"])


def _count(number: int, thing: str, things: str | None = None) -> str:
    """A number with its noun: `1 vote`, `2 votes`."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"


@contextmanager
def bounded() -> Iterator[None]:
    """Stop a template that goes round in circles, after so many lines of it, or ten times as many calls of anything.

    The lines of Jinja itself do not count: a template is compiled when it is first used.
    """
    lines, calls = 0, 0

    def line(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        nonlocal lines, calls
        own = frame.f_code.co_filename.endswith(".j2")
        lines += own
        calls += event == "call"
        if lines > _LINES or calls > 10 * _LINES:
            raise RuntimeError("it goes round in circles and was stopped")
        return line if own else None

    before = sys.gettrace()
    sys.settrace(line)
    try:
        yield
    finally:
        sys.settrace(before)


def explained(problem: Exception, folder: Path, template: str) -> str:
    """What is wrong with the GM's template and where, for a GM who is no programmer."""
    where, what = what_and_where(problem, template)
    return f"{folder.name}/{where}: {what}. The built-in text stands here instead; change the template, or let this text go out."


def what_and_where(problem: BaseException, template: str) -> tuple[str, str]:
    """The file and line of a template at which `problem` came up, and what it says."""
    where = template
    if isinstance(problem, jinja2.TemplateSyntaxError):
        where = f"{Path(problem.filename or problem.name or template).name}:{problem.lineno}"
    else:
        step = problem.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename.endswith(".j2"):
                where = f"{Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}"
            step = step.tb_next
    return where, clean(str(problem) or type(problem).__name__)[:300].rstrip(".")
