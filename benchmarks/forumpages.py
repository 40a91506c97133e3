"""Topic pages of our own writing in the shape of each forum, for benchmarks and tests.

Only what a reader of pages could stumble over is there: the containers, classes and ids of the forum, profile columns,
buttons, signatures with votes in them, page links. Words of the forum's own are in no real language, on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

# what stands around every post on a real page: contact menus, buttons, icons
CLUTTER = "".join(
    f'<div class="dropdown-container"><a href="./x.php?mode=blorp&amp;n={number}" class="button icon" title="Zu'
    f' blorp {number}">'
    f'<i class="icon fa-blorp fa-fw" aria-hidden="true"></i><span class="sr-only">Blorp</span></a></div>'
    for number in range(12)
)
SIGNATURE = '<b>Vote: nobody</b> <a href="https://forum.example/sig">sig</a>'


@dataclass(frozen=True, slots=True)
class Sample:
    """One post to be put on a page. `author_id` None makes a guest; `edited` shows an edit note; `body` is HTML."""

    id: int
    author: str
    author_id: int | None
    posted: datetime
    body: str
    edited: datetime | None = None
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its posts, where it stands, and how the account that reads has times shown."""

    posts: Sequence[Sample]
    shown: Callable[[datetime], str]
    page: int = 1
    pages: int = 1
    per_page: int = 10
    total: int = 0
    topic: int = 7
    title: str = "Night 7: the pier"
    language: str = "en"
    now: datetime = datetime(2026, 11, 29, 20, 15, tzinfo=UTC)
    falling: bool = False

    @property
    def start(self) -> int:
        """How many posts stand before this page, in the order of showing."""
        return (self.page - 1) * self.per_page


def phpbb(sheet: Sheet, *, exact_times: bool = True) -> str:
    """A page of phpBB 3.2 or later; without `exact_times`, as 3.0 and 3.1 made them."""
    where = f"./viewtopic.php?t={sheet.topic}"
    links = "".join(
        f'<li><a class="button" href="{where}&amp;start={(n - 1) * sheet.per_page}">{n}</a></li>' for n in _others(sheet)
    )
    jump = (
        f'<input type="number" data-per-page="{sheet.per_page}" data-base-url="{where}" data-start-name="start">'
        if sheet.pages > 1
        else ""
    )
    sort = f'<select name="sd"><option value="a"{"" if sheet.falling else " selected"}>A</option>' + (
        f'<option value="d"{" selected" if sheet.falling else ""}>Z</option></select>'
    )
    posts = "".join(_phpbb_post(sheet, post, exact_times) for post in sheet.posts)
    start = f"&amp;start={sheet.start}" if sheet.start else ""
    return (
        f'<!DOCTYPE html><html dir="ltr" lang="{sheet.language}"><head><meta charset="utf-8"><title>(3)'
        f" {escape(sheet.title)} - Forum</title>"
        f'<link rel="canonical" href="https://forum.example/viewtopic.php?t={sheet.topic}{start}"></head>'
        f'<body id="phpbb" class="nojs notouch section-viewtopic ltr"><div id="wrap"><a'
        f' href="./ucp.php?mode=logout&amp;sid=1">Zo</a>'
        f'<div id="page-body"><h2 class="topic-title"><a href="{where}">{escape(sheet.title)}</a></h2>'
        f'<div class="action-bar"><div class="pagination">{sheet.total or len(sheet.posts)} wug <ul><li><a href="#"><span>Pag '
        f"<strong>{sheet.page}</strong> os <strong>{sheet.pages}</strong></span></a>{jump}</li>"
        f'<li class="active"><span>{sheet.page}</span></li>{links}</ul></div></div>{posts}'
        f'<div class="action-bar">{sort}</div></div></div></body></html>'
    )


def _phpbb_post(sheet: Sheet, post: Sample, exact: bool) -> str:
    link = f"./memberlist.php?mode=viewprofile&amp;u={post.author_id}"
    name = escape(post.author)
    who = f'<a href="{link}" class="username">{name}</a>' if post.author_id else f'<span class="username">{name}</span>'
    shown = escape(sheet.shown(post.posted))
    when = f'<time datetime="{post.posted.astimezone(UTC).isoformat()}">{shown}</time>' if exact else shown
    note = f'<div class="notice">Zul {who} ti {escape(sheet.shown(post.edited))}, mo 1 ga kle.</div>' if post.edited else ""
    return (
        f'<div id="p{post.id}" class="post has-profile bg2{" deleted" if post.deleted else ""}"><div class="inner">'
        f'<dl class="postprofile" id="profile{post.id}"><dt>{who}</dt><dd class="profile-posts"><strong>Wug:'
        f"</strong> 12{CLUTTER}</dd></dl>"
        f'<div class="postbody"><div id="post_content{post.id}"><h3><a'
        f' href="./viewtopic.php?p={post.id}#p{post.id}">Re</a></h3>'
        f'<ul class="post-buttons"><li><a href="./posting.php?mode=quote&amp;p={post.id}">Q</a></li></ul>'
        f'<p class="author"><a href="./viewtopic.php?p={post.id}#p{post.id}"><i class="icon"></i></a>'
        f"<span>zo <strong>{who}</strong> &raquo; </span>{when}</p>"
        f'<div class="content">{post.body}</div>{note}<div id="sig{post.id}" class="signature">{SIGNATURE}</div>'
        f"</div></div></div></div>"
    )


def smf(sheet: Sheet, *, version: str = "2.1") -> str:
    """A page of SMF 2.1, or of 2.0 in its default theme."""
    where = f"https://forum.example/index.php?topic={sheet.topic}."
    links = " ".join(f'<a class="nav_page navPages" href="{where}{(n - 1) * sheet.per_page}">{n}</a>' for n in _others(sheet))
    current = f'<span class="current_page">{sheet.page}</span>' if version == "2.1" else f"[<strong>{sheet.page}</strong>]"
    clock = (
        f'<time datetime="{sheet.now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}">{escape(sheet.shown(sheet.now))}</time>'
        if version == "2.1"
        else ""
    )
    make = _smf21_post if version == "2.1" else _smf20_post
    posts = "".join(make(sheet, post, place) for place, post in enumerate(sheet.posts))
    subject = escape(sheet.title) if version == "2.1" else f"Wug: {escape(sheet.title)} &nbsp;(Kle 1234 ga)"
    return (
        f'<!DOCTYPE html><html lang="{sheet.language}"><head><meta charset="UTF-8"><title>{escape(sheet.title)}</title>'
        f'<script>var smf_scripturl = "https://forum.example/index.php";</script><link rel="canonical"'
        f' href="{where}{sheet.start}"></head>'
        f'<body><ul><li>{clock}</li><li><a href="https://forum.example/index.php?action=logout;x=1">Zo</a></li></ul>'
        f'<div id="display_head"><h2><span id="top_subject">{subject}</span></h2></div><div class="pagelinks">Pag:'
        f" {current} {links}</div>"
        f'<div id="forumposts"><form id="quickModForm" action="{where}{sheet.start}">{posts}</form></div>'
        f'<form id="postmodify"><input type="hidden" name="topic" value="{sheet.topic}"></form></body></html>'
    )


def _smf_author(post: Sample) -> str:
    name, link = escape(post.author), f"https://forum.example/index.php?action=profile;u={post.author_id}"
    return f"<h4>{f'<a href={chr(34)}{link}{chr(34)} title={chr(34)}Gu{chr(34)}>{name}</a>' if post.author_id else name}</h4>"


def _smf_count(sheet: Sheet, place: int) -> int:
    return sheet.total - sheet.start - place if sheet.falling else sheet.start + place


def _smf21_post(sheet: Sheet, post: Sample, place: int) -> str:
    count = _smf_count(sheet, place)
    number = f'<span class="page_number floatright">#{count}</span>' if count else ""
    note = (
        f'<span class="lastedit">Zul</span>: {escape(sheet.shown(post.edited))} zo {escape(post.author)}' if post.edited else ""
    )
    link = f"https://forum.example/index.php?msg={post.id}"
    return (
        f'<div class="windowbg" id="msg{post.id}"><div class="post_wrapper"><div class="poster">{_smf_author(post)}'
        f'<ul class="user_info"><li class="postcount">Wug: 7{CLUTTER}</li></ul></div><div class="postarea"><div'
        f' class="keyinfo">'
        f'<div id="subject_{post.id}" class="subject_title"><a href="{link}">Re: #99 of it</a></div>{number}<div'
        f' class="postinfo">'
        f'<a href="{link}" title="Kle #{count} - Re: #99 of it" class="smalltext">{escape(sheet.shown(post.posted))}</a>'
        f'<span class="smalltext modified floatright" id="modified_{post.id}">{note}</span></div></div>'
        f'<div class="post"><div class="inner" data-msgid="{post.id}" id="msg_{post.id}">\n\t\t{post.body}\n\t'
        f"</div></div></div>"
        f'<div class="moderatorbar"><div class="signature" id="msg_{post.id}_signature">{SIGNATURE}</div></div></div></div>'
        f'<hr class="post_separator">'
    )


def _smf20_post(sheet: Sheet, post: Sample, place: int) -> str:
    count = _smf_count(sheet, place)
    said = f"Kle #{count} ti:" if count else " ti:"
    note = f"&#171; <em>Zul: {escape(sheet.shown(post.edited))} zo {escape(post.author)}</em> &#187;" if post.edited else ""
    link = f"https://forum.example/index.php?topic={sheet.topic}.msg{post.id}#msg{post.id}"
    return (
        f'<a id="msg{post.id}"></a><div class="windowbg2"><span class="topslice"><span></span></span><div class="post_wrapper">'
        f'<div class="poster">{_smf_author(post)}<ul class="reset smalltext" id="msg_{post.id}_extra_info">'
        f"<li>Wug: 7{CLUTTER}</li></ul></div>"
        f'<div class="postarea"><div class="flow_hidden"><div class="keyinfo"><h5 id="subject_{post.id}"><a'
        f' href="{link}">Re: it</a></h5>'
        f'<div class="smalltext">&#171; <strong>{said}</strong> {escape(sheet.shown(post.posted))} &#187;</div></div></div>'
        f'<div class="post"><div class="inner" id="msg_{post.id}">{post.body}</div></div></div>'
        f'<div class="moderatorbar"><div class="smalltext modified" id="modified_{post.id}">{note}</div>'
        f'<div class="signature" id="msg_{post.id}_signature">{SIGNATURE}</div></div></div></div><hr class="post_separator" />'
    )


def mybb(sheet: Sheet, *, classic: bool = False, near: Callable[[datetime], str] | None = None) -> str:
    """A page of MyBB 1.8. `near` makes the HTML of a date where it is not just text (near dates have a tooltip)."""
    where = f"showthread.php?tid={sheet.topic}"
    links = " ".join(f'<a href="{where}&amp;page={n}" class="pagination_page">{n}</a>' for n in _others(sheet))
    bar = f'<div class="pagination"><span class="pagination_current">{sheet.page}</span> {links}</div>' if sheet.pages > 1 else ""
    posts = "".join(_mybb_post(sheet, post, place, classic, near) for place, post in enumerate(sheet.posts))
    return (
        f'<!DOCTYPE html><!-- start: showthread --><html xml:lang="{sheet.language}" lang="{sheet.language}"><head>'
        f'<meta charset="utf-8"><title>{escape(sheet.title)}</title>'
        f'<link rel="alternate" href="https://forum.example/syndication.php"><script>var my_post_key = "1";'
        f"</script></head><body>"
        f'<a href="https://forum.example/member.php?action=logout&amp;k=1">Zo</a><div id="content"><div class="navigation">'
        f'<span class="active">{escape(sheet.title)}</span></div>{bar}<a href="newreply.php?tid={sheet.topic}"'
        f' class="new_reply_button">Kle</a>'
        f'<table><tr><td id="posts_container"><div id="posts">{posts}</div></td></tr></table></div>'
        f'<div id="footer"><span id="current_time"><strong>Ti:</strong> {escape(sheet.shown(sheet.now))}</span>'
        f"</div></body></html>"
    )


def _mybb_post(sheet: Sheet, post: Sample, place: int, classic: bool, near: Callable[[datetime], str] | None) -> str:
    link = f"https://forum.example/member.php?action=profile&amp;uid={post.author_id}"
    who = f'<a href="{link}">{escape(post.author)}</a>' if post.author_id else escape(post.author)
    if post.deleted:
        return (
            f'<div class="post deleted_post_hidden" id="post_{post.id}"><div class="deleted_post_author"><strong>'
            f'<span class="largetext">'
            f'{who}</span></strong></div><div class="post_content"><em>Ga.</em></div></div>'
        )
    date = near or (lambda moment: escape(sheet.shown(moment)))
    note = f'<span class="edited_post">(Zul: {date(post.edited)} zo {who}.)</span>' if post.edited else ""
    here = f"showthread.php?tid={sheet.topic}&amp;pid={post.id}#pid{post.id}"
    return (
        f'<a name="pid{post.id}" id="pid{post.id}"></a><div class="post {"classic" if classic else ""}" style=""'
        f' id="post_{post.id}">'
        f'<div class="post_author"><div class="author_avatar"><a href="{link}"><img src="images/a.png" alt=""></a></div>'
        f'<div class="author_information"><strong><span class="largetext">{who}</span></strong><br><span'
        f' class="smalltext">Wug</span></div></div>'
        f'<div class="post_content"><div class="post_head"><div class="float_right"><strong><a'
        f' href="{here}">#{sheet.start + place + 1}</a></strong>'
        f'</div><span class="post_date">{date(post.posted)} <span class="post_edit"'
        f' id="edited_by_{post.id}">{note}</span></span></div>'
        f'<div class="post_body scaleimages" id="pid_{post.id}">\n\t\t{post.body}\n\t</div><div class="signature'
        f' scaleimages">{SIGNATURE}</div>'
        f'<div class="post_meta" id="post_meta_{post.id}">{CLUTTER}</div></div></div>'
    )


def _others(sheet: Sheet) -> list[int]:
    shown = {1, sheet.page - 1, sheet.page + 1, sheet.page + 2, sheet.pages}
    return sorted(number for number in shown if 1 <= number <= sheet.pages and number != sheet.page)
