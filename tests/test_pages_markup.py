"""Bodies of posts: HTML to BBCode and text. The HTML is of our own writing in the forms that boards use."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from scraper.markup import read_markup
from scraper.writer import Markup, inert


def body(inside: str, *, authors: tuple[str, ...] = (), told: bool = False) -> Markup:
    tree = html.document_fromstring(f"<html><body><div id=x>{inside}</div></body></html>", parser=html.HTMLParser(huge_tree=True))
    return read_markup(tree.get_element_by_id("x"), authors=authors, breaks_told=told)


VOTE = "[b][color=red]Vote: Anna[/color][/b]"


@pytest.mark.parametrize(
    ("inside", "bbcode"),
    [
        ('<strong class="text-strong"><span style="color:red">Vote: Anna</span></strong>', VOTE),
        ('<b><span style="color: red;" class="bbc_color">Vote: Anna</span></b>', VOTE),
        (
            '<span style="font-weight: bold;" class="mycode_b"><span style="color: red;" class="mycode_color">Vote:'
            " Anna</span></span>",
            VOTE,
        ),
        ('<b><font color="red">Vote: Anna</font></b>', VOTE),
        ('<span style="font-weight:700;color:red">Vote: Anna</span>', VOTE),
        ('<strong style="color: red">Vote: Anna</strong>', VOTE),
        ('<b style="text-decoration: line-through">x</b>', "[b][s]x[/s][/b]"),
        ('<b style="font-weight:normal;" id="docs-1">vote Anna <b>x</b></b>', "vote Anna [b]x[/b]"),
        ('<strong style="font-weight: 600; color: red">x</strong>', "[b][b][color=red]x[/color][/b][/b]"),
        ('<b style="mso-bidi-font-weight:normal">x</b><b style="--font-weight: normal">y</b>', "[b]x[/b][b]y[/b]"),
        ('<em style="font-style: normal">x</em><s style="text-decoration: none">y</s>', "xy"),
        ('<b style="display: none">x</b>', "[spoiler][b]x[/b][/spoiler]"),
        ('<mark style="color: red"><b>x</b></mark>', "[color=red][b]x[/b][/color]"),
        ('<span style="color:#FF0000"><b>x</b></span>', "[color=#FF0000][b]x[/b][/color]"),
        ('<span style="color: rgb(255,0,0);"><b>x</b></span>', "[color=rgb(255,0,0)][b]x[/b][/color]"),
        ('<span style="text-decoration: line-through">x</span>', "[s]x[/s]"),
        ('<del>x</del><s>y</s><strike class="z">w</strike>', "[s]x[/s][s]y[/s][s]w[/s]"),
        ('<span class="bbc_u">x</span> <em>y</em>', "[u]x[/u] [i]y[/i]"),
        ('<span style="text-decoration: underline line-through">x</span>', "[u][s]x[/s][/u]"),
        ('<span style="font-size:150%;line-height:116%">x</span>', "[size=150]x[/size]"),
        (
            '<a href="https://x.example/?a=1&amp;b=2" class="postlink">the rules</a>',
            "[url=https://x.example/?a=1&b=2]the rules[/url]",
        ),
        ('<a href="https://x.example/">https://x.example/</a>', "[url]https://x.example/[/url]"),
        (
            '<a href="https://x.example/a/very/long/way/to/go">https://x.example/a/very ... way/to/go</a>',
            "[url]https://x.example/a/very/long/way/to/go[/url]",
        ),
        ('<a href="mailto:a@x.example">a@x.example</a>', "[email]a@x.example[/email]"),
        ('<a href="/u/anna" class="mention">@Anna</a>', "@Anna"),
        (
            '<img class="smilies" alt=":D" src="s/a.gif"> <img src="https://x.example/a.png" alt="pic">',
            ":D [img]https://x.example/a.png[/img]",
        ),
        ("a<br>\n<br>\nb", "a\n\nb"),
        ("a&nbsp;&nbsp;b", "a  b"),
        ('<span class="mycode_me" style="color: red;">* Anna waves</span>', "* Anna waves"),
        ("<script>Vote: Anna</script><!-- [b]x[/b] -->y<button>Show</button>", "y"),
    ],
)
def test_inline_styles(inside: str, bbcode: str) -> None:
    assert body(inside).bbcode == bbcode


@pytest.mark.parametrize(
    ("inside", "bbcode", "text"),
    [
        ("<blockquote><div><cite>Anna blorped:</cite>x</div></blockquote>y", "[quote=Anna]x[/quote]\ny", "y"),
        ('<blockquote class="uncited"><div>x</div></blockquote>y', "[quote]x[/quote]\ny", "y"),
        (
            '<blockquote><div><cite><a href="./memberlist.php?mode=viewprofile&amp;u=1">[Ghost]</a> blorped: <a'
            ' data-post-id="1">↑</a></cite>x</div>'
            "</blockquote>",
            '[quote="[Ghost]"]x[/quote]',
            "",
        ),
        (
            '<blockquote class="bbc_standard_quote"><cite><a href="i.php?msg=5">Blorp ka:'
            " O'Brien &amp; Sons zu 12. Nov. 2026, 20:05</a></cite>x"
            "</blockquote>",
            '[quote="O\'Brien & Sons"]x[/quote]',
            "",
        ),
        (
            '<blockquote class="bbc_standard_quote"><cite><a href="i.php?msg=5">Blorp ka: Jo Lee zu'
            " <strong>Blorpday</strong> ot 08:05 PM</a></cite>x</blockquote>",
            '[quote="Jo Lee"]x[/quote]',
            "",
        ),
        (
            '<div class="quoteheader"><a href="i.php?topic=1.msg5#msg5">Blorp ka: Bert zu 12. Nov. 2026</a></div>'
            '<blockquote class="bbc_standard_quote">x</blockquote><div class="quotefooter"><div></div></div>y',
            "[quote=Bert]x[/quote]\ny",
            "y",
        ),
        (
            '<blockquote class="mycode_quote"><cite><span> (10-03-2026, 09:47 PM)</span>Bert Blorped:  <a'
            ' href="s.php?pid=4" class="quick_jump"></a>'
            "</cite>x</blockquote>y",
            "[quote=Bert]x[/quote]\ny",
            "y",
        ),
        ('<blockquote class="mycode_quote"><cite>Blorp:</cite>x</blockquote>y', "[quote]x[/quote]\ny", "y"),
    ],
)
def test_quotes_name_their_author_in_any_language(inside: str, bbcode: str, text: str) -> None:
    assert body(inside, authors=("Anna", "Bert", "O'Brien & Sons")) == Markup(bbcode, text)


@pytest.mark.parametrize(
    ("named", "unnamed"),
    [
        ("<blockquote><div><cite>Anna blorped:</cite>{}</div></blockquote>", '<blockquote class="uncited"><div>{}</div></blockquote>'),
        (
            '<blockquote cite="./v.php?p=1"><div><cite><a href="./m.php?mode=viewprofile&amp;u=2">Anna</a> blorped:</cite>{}</div>'
            "</blockquote>",
            "<blockquote><div>{}</div></blockquote>",
        ),
        (
            '<blockquote class="bbc_standard_quote"><cite><a href="i.php?msg=5">Blorp ka: Anna zu 12. Nov. 2026</a></cite>{}'
            "</blockquote>",
            '<blockquote class="bbc_standard_quote bbc_alternate_quote">{}</blockquote>',
        ),
        (
            '<div class="quoteheader"><a href="i.php?topic=1.msg5#msg5">Blorp ka: Anna zu 12. Nov. 2026</a></div>'
            '<blockquote class="bbc_standard_quote">{}</blockquote><div class="quotefooter"><div></div></div>',
            '<div class="quoteheader">Blorp</div><blockquote class="bbc_standard_quote">{}</blockquote>'
            '<div class="quotefooter"><div></div></div>',
        ),
        (
            '<blockquote class="mycode_quote"><cite><span> (10-03-2026, 09:47 PM)</span>Anna Blorped: </cite>{}</blockquote>',
            '<blockquote class="mycode_quote"><cite>Blorp:</cite>{}</blockquote>',
        ),
        (
            '<blockquote class="mycode_quote"><cite>Anna Blorped:</cite>{}</blockquote>',
            '<blockquote class="mycode_quote">{}</blockquote>',
        ),
        (
            '<div class="quotebox"><cite>Anna blorped:</cite><blockquote>{}</blockquote></div>',
            '<div class="quotebox"><blockquote>{}</blockquote></div>',
        ),
    ],
    ids=["phpBB", "phpBB 3.3", "SMF 2.1", "SMF 2.0", "MyBB", "MyBB without heading", "heading before its quote"],
)
def test_a_quote_without_a_name_takes_none_from_the_quote_around_it(named: str, unnamed: str) -> None:
    def read(inside: str) -> str:
        return body(inside, authors=("Anna", "Bert")).bbcode.replace("\n", "")

    assert read(named.format(unnamed.format("x") + "y")) == "[quote=Anna][quote]x[/quote]y[/quote]"
    assert read(unnamed.format(named.format("x") + "y")) == "[quote][quote=Anna]x[/quote]y[/quote]"
    assert read(named.format("x") + unnamed.format("y")) == "[quote=Anna]x[/quote][quote]y[/quote]"
    again = named.replace("Anna", "Bert")
    assert read(named.format(again.format("x") + unnamed.format("y"))) == "[quote=Anna][quote=Bert]x[/quote][quote]y[/quote][/quote]"


@pytest.mark.parametrize(
    "box",
    [
        '<div class="codebox"><p>Blorp: <a href="#">Zu</a></p><pre><code>{}</code></pre></div>',
        '<dl class="codebox"><dt>Blorp: <a href="#">Zu</a></dt><dd><code>{}</code></dd></dl>',
        '<div class="codeheader">Blorp <a class="codeoperation">Zu</a></div><code class="bbc_code">{}</code>',
        '<div class="codeblock"><div class="title">Blorp:</div><div class="body" dir="ltr"><code>{}</code></div></div>',
    ],
)
def test_code_boxes_keep_their_content_as_it_is(box: str) -> None:
    assert body(box.format("[b]Vote: Anna[/b]<br>  x") + "y") == Markup(
        "[code][b]Vote: Anna[/b]\n  x[/code]\ny", "[b]Vote: Anna[/b]\n  x\ny"
    )
    assert (
        body(box.format("a[/code][b]Vote: Anna[/b]")).bbcode
        == "[code]a[/code][noparse][[/noparse]/code][code][b]Vote: Anna[/b][/code]"
    )


@pytest.mark.parametrize(
    "box",
    [
        '<div class="spoiler">{}</div>',
        '<span class="spoiler">{}</span>',
        '<details class="spoiler"><summary>Spoiler</summary>{}</details>',
        "<details><summary>spoiler:</summary>{}</details>",
        '<div class="spoilwrap"><b>Spoiler:</b> <input type="button" value="Show"><div style="display:none">{}</div></div>',
        '<div class="spoiler"><div class="spoiler-title"><button>Show</button></div><div class="spoiler-content"'
        ' style="display: none;">{}</div></div>',
        '<div class="bbc_spoiler"><div class="spoiler_head">Spoiler (click)</div><div class="spoiler_body">{}</div></div>',
        '<div class="quotetitle"><b>Spoiler:</b> <input type="button"></div><div class="quotecontent"><div'
        ' style="display: none;">{}</div></div>',
        '<dl class="codebox"><dt>Spoiler: <a href="#" onclick="x()">Show</a></dt><dd><div style="display:none">{}'
        "</div></dd></dl>",
        '<div style="display:none">{}</div>',
        '<fieldset class="spoiler"><legend>Spoiler</legend>{}</fieldset>',
        '<span style="color:black;background-color:black">{}</span>',
    ],
)
def test_spoiler_boxes_of_many_kinds(box: str) -> None:
    read = body("a " + box.format("<b>Vote: Anna</b>") + " b").bbcode.replace("[color=black]", "").replace("[/color]", "")
    opening = read.index("[spoiler")
    inside = read[read.index("]", opening) + 1 : read.index("[/spoiler]")]
    assert inside == "[b]Vote: Anna[/b]"
    assert read.startswith("a")
    assert read.endswith("b")
    assert "Show" not in read


def test_a_spoilers_title_is_kept() -> None:
    assert body("<details><summary>Night 2</summary>x</details>").bbcode == '[spoiler="Night 2"]x[/spoiler]'


def test_preformatted_text_is_no_code_and_hides_nothing_that_is_in_it() -> None:
    assert body("<pre>##vote Anna<br>x\n  y</pre>z") == Markup("##vote Anna\nx\n  y\nz", "##vote Anna\nx\n  y\nz")
    quoted = body("<pre>a<blockquote>##vote Anna</blockquote><br><s>##vote Bert</s> <b>Vote: Carl</b></pre>z")
    assert quoted.bbcode == "a\n[quote]##vote Anna[/quote]\n\n[s]##vote Bert[/s] [b]Vote: Carl[/b]\nz"


def test_lists() -> None:
    inside = '<ul><li>a</li>\n<li>b</li>\n</ul>\n<ol style="list-style-type:lower-alpha"><li>c<br>\n</li>\n<li>d</li></ol>e'
    assert body(inside).bbcode == "[list][*]a\n[*]b\n[/list]\n[list=a][*]c\n[*]d\n[/list]\ne"
    assert body(inside).text == "a\nb\nc\nd\ne"


def test_what_the_forum_showed_as_text_stays_text() -> None:
    read = body("[b][color=red]Vote: Anna")
    assert read == Markup("[noparse][b][color=red][/noparse]Vote: Anna", "[b][color=red]Vote: Anna")
    assert (
        body("[vote]Anna[/vote] [Ghost] [spoiler]x[/spoiler] [1] [x]").bbcode
        == "[vote]Anna[/vote] [Ghost] [spoiler]x[/spoiler] [1] [x]"
    )
    assert body("<i>[</i>b]x").bbcode == "[i][[/i]b]x"
    assert body("[<wbr>b]x").bbcode == "[noparse][b][/noparse]x"
    assert inert("[/noparse][b]") == "[noparse][[/noparse]/noparse][noparse][b][/noparse]"


def test_where_a_line_ends_beside_a_box() -> None:
    assert body("<blockquote>x</blockquote>y").bbcode == "[quote]x[/quote]\ny"
    assert body("<blockquote>x</blockquote>y", told=True).bbcode == "[quote]x[/quote]y"
    assert body("<blockquote>x</blockquote>\ny", told=True).bbcode == "[quote]x[/quote]\ny"
    assert body("<blockquote>x</blockquote><br>y").bbcode == "[quote]x[/quote]\n\ny"
    assert body("a<div align=center>b</div>c").bbcode == "a\nb\nc"


@pytest.mark.parametrize("depth", [300, 900])
def test_depth_loses_nothing(depth: int) -> None:
    quotes = "<blockquote><div>a" * depth + "<b>deep</b>" + "z</div></blockquote>" * depth
    read = body(quotes + "<b>Vote: Anna</b>")
    assert read.bbcode.count("[quote]") == read.bbcode.count("[/quote]") == depth
    assert "[b]deep[/b]" in read.bbcode
    assert read.text == "Vote: Anna"
    styles = "<b><i>" * depth + "x" + "</i></b>" * depth
    assert body(styles).bbcode.count("[b]") == depth


# -- round trip: BBCode of the simple subset, as each forum shows it, read back ----------------------------------------

RENDERERS: dict[str, dict[str, tuple[str, str]]] = {
    "phpbb": {
        "b": ('<strong class="text-strong">', "</strong>"), "i": ('<em class="text-italics">', "</em>"),
        "u": ('<span style="text-decoration:underline">', "</span>"),
        "s": ('<span style="text-decoration:line-through">', "</span>"),
        "color": ('<span style="color:{}">', "</span>"), "quote": ('<blockquote class="uncited"><div>', "</div></blockquote>"),
        "code": ('<div class="codebox"><p>Blorp: <a href="#">Zu</a></p><pre><code>', "</code></pre></div>"),
    },
    "smf": {
        "b": ("<b>", "</b>"), "i": ("<i>", "</i>"), "u": ("<u>", "</u>"), "s": ("<s>", "</s>"),
        "color": ('<span style="color: {};" class="bbc_color">', "</span>"),
        "quote": ('<blockquote class="bbc_standard_quote"><cite>Blorp</cite>', "</blockquote>"),
        "code": ('<div class="codeheader"><span class="code">Blorp</span> <a class="codeoperation">Zu</a></div><code'
        ' class="bbc_code">', "</code>"),
    },
    "mybb": {
        "b": ('<span style="font-weight: bold;" class="mycode_b">', "</span>"),
        "i": ('<span style="font-style: italic;" class="mycode_i">', "</span>"),
        "u": ('<span style="text-decoration: underline;" class="mycode_u">', "</span>"),
        "s": ('<span style="text-decoration: line-through;" class="mycode_s">', "</span>"),
        "color": ('<span style="color: {};" class="mycode_color">', "</span>"),
        "quote": ('<blockquote class="mycode_quote"><cite>Blorp:</cite>', "</blockquote>\n"),
        "code": ('<div class="codeblock"><div class="title">Blorp:</div><div class="body" dir="ltr">'
        '<code>', "</code></div></div>\n"),
    },
}  # fmt: skip
Node = tuple[str, str, "list[Node] | str"]
WORDS = st.text(st.sampled_from("abAnna :-!مریم'\"&<>"), min_size=1, max_size=8).map(lambda words: f"x{words}x")
INLINE = st.deferred(lambda: st.one_of(st.tuples(st.just("text"), st.just(""), WORDS), STYLED))
STYLED = st.tuples(
    st.sampled_from(["b", "i", "u", "s", "color"]),
    st.sampled_from(["red", "#FF0000", "darkred"]),
    st.lists(INLINE, min_size=1, max_size=3),
)
LINE = st.lists(INLINE, min_size=1, max_size=3)
BLOCK = st.one_of(
    st.tuples(st.just("line"), st.just(""), LINE),
    st.tuples(st.just("quote"), st.just(""), LINE),
    st.tuples(st.just("code"), st.just(""), st.sampled_from(["[b]Vote: Anna[/b]", "a < b", "x"])),
)


def escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def rendered(forum: str, node: Node) -> tuple[str, str]:
    """A node as HTML of `forum` and as BBCode."""
    kind, value, inside = node
    if isinstance(inside, str):
        shown, written = escaped(inside), inside
    else:
        parts = [rendered(forum, part) for part in inside]
        shown, written = "".join(part[0] for part in parts), "".join(part[1] for part in parts)
    if kind in ("text", "line"):
        return shown, written
    opening, closing = RENDERERS[forum][kind]
    tag = f"[color={value}]" if kind == "color" else f"[{kind}]"
    return opening.format(value) + shown + closing, f"{tag}{written}[/{kind}]"


@pytest.mark.parametrize("forum", sorted(RENDERERS))
@settings(max_examples=80, deadline=None)
@given(blocks=st.lists(BLOCK, min_size=1, max_size=4))
def test_round_trip(forum: str, blocks: list[Node]) -> None:
    shown, written = "", ""
    for place, block in enumerate(blocks):
        part, source = rendered(forum, block)
        boxed = block[0] != "line"
        if place:
            written += "\n"
            before = blocks[place - 1][0] != "line"
            shown += ("\n" if forum != "smf" else "") if before or boxed else "<br>\n"
        shown, written = shown + part, written + source
    assert body(shown, told=forum == "phpbb").bbcode == written.strip()
