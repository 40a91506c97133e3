"""A GM's template may do what it likes: the draft waits with the error and the built-in text, and the tick goes on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from publisher.render import Context, opening_post

NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)


def context(templates: Path | None, title: str = "School") -> Context:
    return Context(
        title=title, ruleset="danganronpa", dialect="phpbb", now=NOW, deadline=None, timezone="UTC", thread_url=None, links={},
        options={}, players=("Ann", "Bo"), living=("Ann", "Bo"), commitment="c0ffee", seed=None, templates=templates,
        facts={"talents": {}, "regulations": {1: "No running."}, "places": ()}, words={},
    )  # fmt: skip


BAD = {
    "does not parse": "{{ title",
    "unknown name": "one\n{{ nobody }}",
    "goes round": "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}",
    "calls itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "doubles": "{% set n = namespace(x='xxxxxxxxxxxxxxxx') %}{% for i in range(40) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "adds": "{% set n = namespace(x='xxxxxxxxxxxxxxxx') %}{% for i in range(40) %}{% set n.x = n.x + n.x %}{% endfor %}",
    "grows a list": "{% set n = namespace(x=[1, 2]) %}{% for i in range(40) %}{% set n.x = n.x + n.x %}{% endfor %}",
    "replaces": "{% set n = namespace(x='x') %}{% for i in range(9) %}{% set n.x = n.x|replace('x', 'xxxxxxxxxx') %}{% endfor %}",
    "multiplies": "{{ 'x' * 999999999 }}",
    "powers": "{{ 9 ** 9 ** 9 }}",
    "pads": "{{ 'x'|center(999999999) }}",
    "pads by method": "{{ 'x'.ljust(999999999) }}",
    "formats": "{{ '{:>999999999}'.format(1) }}",
    "formats by sign": "{{ '%999999999d' % 1 }}",
    "writes on": "{% for i in range(90000) %}" + "x" * 100 + "{% endfor %}",
    "writes on in a block": "{% set x %}{% for i in range(90000) %}" + "x" * 100 + "{% endfor %}{% endset %}",
    "doubles a list": "{% set l = [1] %}{% for i in range(40) %}{% set _ = l.extend(l) %}{% endfor %}",
    "piles up lists": "{% set l = [] %}{% for i in range(999) %}{% set _ = l.append(range(999) | list) %}{% endfor %}",
    "writes lists in lists": "{% set n = namespace(x=[1]) %}{% for i in range(40) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
    "compares lists in lists": "{% set n = namespace(x=[1], y=[1]) %}{% for i in range(40) %}{% set n.x = [n.x, n.x] %}"
    "{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}",
    "keys of pairs of pairs": "{% set n = namespace(x=(1,)) %}{% for i in range(40) %}{% set n.x = (n.x, n.x) %}{% endfor %}{{ {n.x: 1} }}",
    "pairs by call": "{% set n = namespace(x=[1]) %}{% macro m() %}{% set n.x = varargs %}{% endmacro %}"
    "{% for i in range(40) %}{{ m(n.x, n.x) }}{% endfor %}{{ n.x == [n.x] }}",
    "pairs by append": "{% set n = namespace(x=[1]) %}{% for i in range(40) %}{% set l = [] %}{% set _ = l.append(n.x) %}"
    "{% set _ = l.append(n.x) %}{% set n.x = l %}{% endfor %}{{ n.x }}",
    "pads bytes": "{{ 'x'.encode().ljust(9999999999) }}",
    "pads a number": "{{ (1).to_bytes(9999999999, 'big') }}",
    "looks long": "{{ range(99999) | select('in', range(99999) | list) | list | length }}",
    "changes the game": "{% set _ = links.update({'post 1': 'https://elsewhere.example'}) %}{{ title }}",
    "empties the game": "{% set _ = options.clear() %}{{ title }}",
    "looks inside": "{{ title.__class__.__mro__ }}",
    "reads another file": "{% include '../../pyproject.toml' %}",
}


@pytest.mark.parametrize("bad", BAD)
def test_the_built_in_text_stands_in_for_a_template_that_fails(bad: str, tmp_path: Path) -> None:
    (tmp_path / "opening.j2").write_text(BAD[bad], "utf-8")
    post = opening_post(context(tmp_path))
    assert post.error is not None
    assert "opening.j2" in post.error
    assert "built-in text" in post.error
    assert post.body == opening_post(context(None)).body


def test_the_error_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "opening.j2").write_text("one\ntwo\n{{ nobody }}", "utf-8")
    error = opening_post(context(tmp_path)).error
    assert error is not None
    assert "opening.j2:3" in error
    assert "nobody" in error


def test_a_gm_may_put_words_around_the_built_in_ones(tmp_path: Path) -> None:
    (tmp_path / "opening.j2").write_text("Good morning, {{ names(players) }}!\n{% include 'built-in/opening.j2' %}", "utf-8")
    post = opening_post(context(tmp_path))
    assert post.error is None
    assert post.body.startswith("Good morning, Ann and Bo!")
    assert "I am Monokuma" in post.body


def test_words_put_together_stay_plain(tmp_path: Path) -> None:
    (tmp_path / "opening.j2").write_text("{{ '[' ~ 'b]' ~ title }} {% macro m(x) %}{{ x }}{% endmacro %}{{ m('[i]') }}", "utf-8")
    body = opening_post(context(tmp_path, title="[u]{{ 7 * 7 }}")).body
    assert "[b]" not in body
    assert "[i]" not in body
    assert "[u]" not in body
    assert "{{ 7 * 7 }}" in body
