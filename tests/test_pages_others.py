"""Forum software that is not read is named, and another part of a forum with a form to log in is no login page."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import forumpages
from benchmarks.forumpages import Sample, Sheet
from scraper import phpbb, smf
from scraper.model import NotTheTopic
from scraper.saved import read_saved

NOW = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)

OTHERS = {
    "XenForo 1": '<html id="XenForo" lang="en"><body><li id="post-5" class="message" data-author="Ann"><blockquote>hi</blockquote>',
    "vBulletin 5": '<html><body><script>window.vBulletin = window.vBulletin || {};</script><li class="b-post" data-node-id="5">hi',
    "phpBB 2": '<html><body><a href="http://www.phpbb.com/">phpBB</a> <a href="viewtopic.php?p=5#5">5</a><a name="5"></a>'
    '<span class="name"><b>Ann</b></span><span class="postbody">hi</span>',
    "SMF 1": "<html><head><script>var smf_scripturl = 'http://b/index.php'; var smf_template_body_edit = '';</script></head><body>"
    '<div id="subject_5">Re: It</div><div class="post">hi</div>',
    "Invision Power Board 3": '<html><body><script>ipb.vars["member_id"] = 0; ipb.topic = 1;</script><div id="post_id_5">hi</div>',
    "Invision Community 5": '<html><body><div class="ipsLayout_container"><article id="elComment_5" class="ipsEntry"><div class="ipsEntry__content'
    ' js-ipsEntry__content">hi</div></article></div>',
    "WoltLab": '<html><body data-template="thread"><script>var WCF_PATH = "/";</script><article id="post5">hi</article>',
    "NodeBB": '<html><body><li component="post" data-pid="5"><div component="post/content">hi</div></li>',
    "Flarum": '<html><body><div id="flarum-content">hi</div><script id="flarum-json-payload">{}</script>',
    "Forumotion": '<html><head><script src="http://illiweb.com/rs3/1.js"></script></head><body><div class="postbody">hi</div>',
}


def told(tmp_path: Path, page: str, forum: str | None = None) -> NotTheTopic:
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    with pytest.raises(NotTheTopic) as error:
        read_saved([path], forum=forum, timezone=UTC, now=NOW)
    return error.value


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("form", ["", '<form><input type="password"></form>'])
def test_what_is_not_read_is_named(name: str, form: str, tmp_path: Path) -> None:
    error = told(tmp_path, OTHERS[name] + form + "</body></html>")
    assert str(error) == f"page.html: this looks like a page of {name}, which cannot be read."
    assert "phpBB 3, SMF 2" in error.advice
    assert "Nothing was read" in error.advice


def test_what_is_not_read_is_named_where_another_forum_was_given(tmp_path: Path) -> None:
    error = told(tmp_path, OTHERS["XenForo 1"] + "</body></html>", forum="xenforo")
    assert "looks like a page of XenForo 1" in str(error)


def test_an_old_style_of_phpbb_3_is_not_taken_for_phpbb_2(tmp_path: Path) -> None:
    page = '<html><head><link href="./styles/subsilver2/theme/stylesheet.css"></head><body><a href="./viewtopic.php?t=7">It</a>'
    page += '<a name="p5"></a><b class="postauthor">Ann</b><span class="postbody">hi</span></body></html>'
    error = told(tmp_path, page)
    assert str(error) == "page.html: This topic is shown in a style that cannot be read: posts were not found."


def test_a_page_that_can_be_read_may_speak_of_others(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    words = "ipb.vars, flarum-json-payload and illiweb.com"
    sheet = Sheet([Sample(100, "Ann", 2, NOW, words)], lambda moment: moment.strftime("%d-%m-%Y, %H:%M"), total=1)
    path.write_text(forumpages.smf(sheet), encoding="utf-8")
    assert read_saved([path], forum=None, timezone=UTC, now=NOW).posts[0].text == words


@pytest.mark.parametrize("rows", [2, 200])
def test_a_list_of_topics_with_a_form_to_log_in_is_no_login_page(rows: int, tmp_path: Path) -> None:
    page = "<html><head><title>The board</title><script>var smf_scripturl = 'http://b/index.php';</script></head><body><form>"
    page += '<input name="user"><input type="password" name="passwrd"></form>'
    page += "".join(f'<a href="http://b/index.php?topic={n}.0">A topic of some length, number {n}</a> by Ann<br>' for n in range(rows))
    error = told(tmp_path, page + "</body></html>")
    assert ("login page" in str(error)) is (rows == 2)
    if rows > 2:
        assert str(error) == "page.html: This is no topic page of SMF (its title is “The board”)."
        assert "nobody is logged in" in error.advice


def second_page(bar: str, *, canonical: bool = True) -> str:
    posts = [Sample(100 + n, "Ann", 2, NOW.replace(hour=n), f"words {n}") for n in range(10, 20)]
    sheet = Sheet(posts, lambda moment: moment.strftime("%d-%m-%Y, %H:%M"), page=2, pages=3, total=25)
    page = forumpages.phpbb(sheet)
    head, _, rest = page.partition('<div class="action-bar"><div class="pagination">')
    page = f'{head}<div class="action-bar">{bar}</div>{rest.partition("</ul></div></div>")[2]}'
    return page if canonical else re.sub('<link rel="canonical"[^>]*>', "", page)


LINK = '<a href="./viewtopic.php?f=1&amp;t=7{}">{}</a>'
BARS = {
    "a list": f'<ul class="pagination"><li>{LINK.format("", 1)}</li><li class="active"><span>2</span></li>'
    f'<li>{LINK.format("&amp;start=20", 3)}</li></ul>',
    "a line": f'<span class="pages">Pag <strong>2</strong> os <strong>3</strong> {LINK.format("", 1)}'
    f' {LINK.format("&amp;start=20", 3)}</span>',
    "other names": f'<div class="steps"><b>{LINK.format("", 1)}</b> <em>2</em> <b>{LINK.format("&amp;start=20", 3)}</b></div>',
}


@pytest.mark.parametrize("bar", BARS)
def test_a_style_of_phpbb_may_call_its_pages_otherwise(bar: str) -> None:
    others = f"<p>{LINK.format('', 1).replace('t=7', 't=9')} {LINK.format('&amp;start=60', 7).replace('t=7', 't=9')}</p>"
    page = phpbb.read_page(second_page(others + BARS[bar]), timezone=UTC, now=NOW)
    assert (page.page, page.pages, page.per_page) == (2, 3, 10)
    assert [post.number for post in page.posts] == list(range(11, 21))


@pytest.mark.parametrize("canonical", [True, False])
def test_a_page_that_does_not_tell_its_place_is_refused(canonical: bool) -> None:
    bar = "" if canonical else BARS["other names"]
    with pytest.raises(NotTheTopic, match="which page of the topic"):
        phpbb.read_page(second_page(bar, canonical=canonical), timezone=UTC, now=NOW)


STEP = '<a href="https://forum.example/index.php?topic=7.{}">{}</a>'
STEPS = {
    "a list": f'<ul class="pager"><li>{STEP.format(0, 1)}</li><li class="active"><span>2</span></li><li>{STEP.format(20, 3)}</li></ul>',
    "a line": f'<p>Pag: {STEP.format(0, 1)} [<strong>2</strong>] {STEP.format(20, 3)}</p>',
    "other names": f'<div class="steps"><b>{STEP.format(0, 1)}</b> <em>2</em> <b>{STEP.format(20, 3)}</b></div>',
}


def second_page_of_smf(bar: str, *, canonical: bool = True) -> str:
    posts = [Sample(100 + n, "Ann", 2, NOW.replace(hour=n), f"words {n}") for n in range(10, 20)]
    page = forumpages.smf(Sheet(posts, lambda moment: moment.strftime("%d-%m-%Y, %H:%M"), page=2, pages=3, total=25))
    page = re.sub('<div class="pagelinks">.*?</div>', bar, page)
    return page if canonical else re.sub('<link rel="canonical"[^>]*>', "", page)


@pytest.mark.parametrize("bar", STEPS)
def test_a_theme_of_smf_may_call_its_pages_otherwise(bar: str) -> None:
    page = smf.read_page(second_page_of_smf(STEPS[bar].replace("7.", "9.") + STEPS[bar]), timezone=UTC, now=NOW)
    assert (page.page, page.pages, page.per_page) == (2, 3, 10)


@pytest.mark.parametrize("canonical", [True, False])
def test_a_page_of_smf_that_does_not_tell_its_place_is_refused(canonical: bool) -> None:
    bar = "" if canonical else STEPS["other names"]
    with pytest.raises(NotTheTopic, match="which page of the topic"):
        smf.read_page(second_page_of_smf(bar, canonical=canonical), timezone=UTC, now=NOW)


@pytest.mark.parametrize("mark", ["[<strong>Alle</strong>]", '<span class="current_page">Alle</span>'])
def test_a_topic_of_smf_shown_whole_is_one_page(mark: str) -> None:
    bar = f'<div class="pagelinks">Pag: {STEP.format(0, 1)} {STEP.format(10, 2)} {STEP.format(20, 3)} {mark} <a href="#e"><b>x</b></a></div>'
    page = smf.read_page(second_page_of_smf(bar, canonical=False), timezone=UTC, now=NOW)
    assert (page.page, page.pages) == (1, 1)
