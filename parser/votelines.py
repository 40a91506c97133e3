"""Vote lines: votes that are written out, as reading.md ("A vote line") says, for rulesets whose votes are not only a colour."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from parser.names import NO_SMILEY, Ambiguous, Found, Match, Roster, Unknown
from parser.own import Line, OwnText

Kind = Literal["vote", "unvote", "nobody", "empty", "back"]


@dataclass(frozen=True, slots=True)
class VoteLine:
    """One vote or withdrawal as written. `names` are the texts to try as the name, in order; empty for a plain withdrawal.
    `back` is a withdrawal written as a vote, `vote: unvote`.

    `worded` is whether a vote word stands with it; a bold text without one is a vote only if it is a name. `start` and `end`
    are its place in the post's source.
    """

    kind: Kind
    names: tuple[str, ...]
    text: str
    start: int
    end: int
    spoiler: bool = False
    worded: bool = True


@dataclass(frozen=True, slots=True)
class Settled:
    """What a vote line comes to with these players.

    `vote` and `unvote` have a `name` (an unvote of any vote has none); `ambiguous` has `candidates`; `unreadable` may have
    the `nearest` name. `nothing` is bold text that nobody need be told of.
    """

    kind: Literal["vote", "unvote", "nobody", "empty", "ambiguous", "unreadable", "nothing"]
    name: str | None = None
    candidates: tuple[str, ...] = ()
    nearest: str | None = None


_LONGEST = 400
"""A name and its closing remark are looked at so far."""
_SEPARATOR = rf"(?:{NO_SMILEY}[\s:=>→.\-–—])*"
_VOTE = (
    r"(?:(?:i(?:\s+am|['’‘`´]?m)?\s+)?(?:vote|voting)(?!\s*-?\s*(?:count|tally|history|list)\b)(?:\s+to)?(?:\s+lynch)?(?:\s+for\b)?"
    r"|my\s+vote(?:\s+(?:is|goes))?(?:\s+(?:to|for|on))?|(?:i\s+)?lynch"
    r"|(?:من\s+)?ر[اأآ][یيى](?:م|\u200cام|\s+(?:من|خود|خودم))?(?:\s+را)?(?:\s+م[یي][\s\u200c]?(?:دهم|دم))?(?:\s+به)?)"
)
_UNVOTE = (
    r"(?:(?:i(?:\s+am|['’‘`´]?m)?\s+)?un[-\s]?vot(?:e|ing)"
    r"|(?:i\s+)?(?:cancel|withdraw|take\s+back)\s+(?:my\s+)?vote|لغو\s+ر[اأآ][یيى](?:\s+(?:من|به))*)"
)
_REMARK = re.compile(
    r"\s*(?:[-–—(\[].*|[,;.]?\s*(?:because|b/c|bc|for\s+now|now|please|pls|again|everyone|چون|فعلا)(?![^\W_]).*)?[\s.!,;:]*",
    re.IGNORECASE | re.DOTALL,
)
"""What may stand behind a withdrawal of any vote."""
_SMILING = re.compile(r"(?:^|(?<=\s))[:;=]['-]?[DPOp)(3/|]$")
_MINE = re.compile(r"my\s+vote\s+(?!(?:is|goes)\s)\w", re.IGNORECASE)
_WORD_END = r"(?![^\W_])"
_STARTS_VOTE = re.compile(rf"[\W_]*{_VOTE}{_WORD_END}{_SEPARATOR}", re.IGNORECASE)
_STARTS_UNVOTE = re.compile(rf"[\W_]*(?P<word>{_UNVOTE}){_WORD_END}(?:{NO_SMILEY}[\s:=>→.])*", re.IGNORECASE)
_NEXT = re.compile(
    r"(?:^|[\s,;.!/&])(?:and\s+|then\s+)?(?=(?:un-?)?vote\s*:)|(?:^|\s(?:and|then)\s+)(?=un-?vote(?![^\W_]))"
    r"|(?:[,;.!/&]|\s(?:[-–—=]+>?|→))\s*(?:and\s+|then\s+)?(?=(?:un-?)?vote(?![^\W_]))"
    r"|[\s،؛,;.!/&](?:و\s+)?(?=ر[اأآ][یيى]\s*:)"
    r"|(?:[،؛,;.!/&]|\s(?:[-–—=]+>?|→|و(?=\s)))\s*(?:و\s+)?(?=لغو\s+ر[اأآ][یيى]|ر[اأآ][یيى]\s+به\s)",
    re.IGNORECASE,
)
"""Where another vote or withdrawal begins in the same line."""
_VOTING = (
    r"(?:(?:and|then|و)\s+)?(?=(?:(?:i(?:\s+am|['’‘`´]?m)?\s+)?(?:vot(?:e|ing)|lynch)|my\s+vote\s+(?:is|goes)|ر[اأآ][یيى])(?![^\W_])"
    r"|no[\s-]?(?:lynch|kill|vote|execution)(?![^\W_])[\W_]*$)"
)
_NOW_ON = r"(?!\s*\(\s*my\s+vote\s+is(?![^\W_]))"  # `unvote (my vote is on X)`: on whom it was, or will be?
_THEN = re.compile(rf"{_NOW_ON}\s*(?:[.,،؛;!/&+|>→(–—-]+\s*|(?=(?:and|then|و)\s)){_VOTING}", re.IGNORECASE)
"""What may stand between a withdrawal of any vote and the vote that follows it."""
_THEN_OF = re.compile(rf"{_NOW_ON}(?:\s[-–—=]+>?|[→(])\s*{_VOTING}", re.IGNORECASE)
"""The same behind a withdrawal of a vote for somebody, where a remark would begin."""
_REMARK_BEGINS = re.compile(r"\s[-–—=]|[→(\[—–]|(?<![^\W_])(?:because|b/c|bc|cuz|coz|چون|زیرا)(?![^\W_])", re.IGNORECASE)
_APART = re.compile(r"[,،؛;!?&+/|]|\.\s|\s(?:and|then|so|but|و)\s", re.IGNORECASE)
_MAY_VOTE = re.compile(rf"(?:\s[-–—=]+>?|[→(.,،؛;!])\s*{_VOTING}", re.IGNORECASE)
"""The same within the remark, `unvote X - if Y lies, I vote Y`: not counted, and the GM is told."""
_ENDS_VOTE = re.compile(r"[\W_]*(?:من\s+)?به\s+\S.*\sر[اأآ][یيى]\s+م[یي][\s\u200c]?(?:دهم|دم)[\W_]*", re.DOTALL)
"""A vote said the other way round, «به X رای می‌دهم»: the name is not behind the word, but nor is it mere talk."""
_HASH = re.compile(
    r"(?P<word>(?<![\w#&/=])#{1,6}\s?(?P<un>un[- ]?)?(?:vote|lynch)(?![^\W_]))" rf"(?:{NO_SMILEY}[ \t:=>\-–])*", re.IGNORECASE
)
_HASH_NOBODY = re.compile(r"(?<![\w#&/=])#{1,6}no[ -]?(?:lynch|vote|kill)(?![^\W_])", re.IGNORECASE)
_TAG = re.compile(
    r"\[(?P<un>un)?vote(?:=[\"']?(?P<given>[^\[\]\"'\n]{1,100})[\"']?)?\](?:(?P<name>[^\[\]]{0,200})\[/(?:un)?vote\])?",
    re.IGNORECASE,
)
_BENT = re.compile(
    r"[\W_]*(?:(?!not|never|no|why|who|whoever|if|would|should|could|don|didn|won|isn)[^\W\d_][\w'’]*[\s:,.!–-]+){0,3}?"
    r"(?:vot(?:e[sd]?|ing)|re-?vote)(?:\s+(?:to|for|on|is|goes|lynch))*(?![^\W_])[\s:=>→.–—-]*"
    r"|#+\s?(?:un)?vote[sd]?:?\s*(?!count|tally|$)",
    re.IGNORECASE,
)
"""The vote word in another form, or with up to three words before it: `Final vote: X`, `Votes: X`, `##voteX`."""
_BOTCHED = re.compile(r"[\[{(<]\s*/?(?:b|strong|bold)\s*[\]})>]\s*(?=(?:un)?vote(?![^\W_]))", re.IGNORECASE)
"""What was to make the vote behind it bold and does not, as in `{b]vote: X[/b]`."""
_VOTE_WORD = re.compile(r"vot[ei]|lynch|ر[اأآ][یيى]|[^\x00-\x7f]", re.IGNORECASE)
"""What any vote word holds, or full-width letters may hide: most posts have none."""
_TAG_ENDS = re.compile(r"\s*[\[{(<][/\\].*", re.DOTALL)
_LOUD = re.compile(r"[\W_]*(?:UN-?)?VOTE(?![^\W_])")
_SURELY_NOBODY = re.compile(r"no[\s-]?(?:lynch|kill|execution|vote)(?:ing)?", re.IGNORECASE)
_NOBODY = re.compile(
    r"no[\s-]?(?:lynch|kill|execution|vote|one)(?:ing)?|nobody|none|nl|هیچ[\s\u200c]?کس|هیچ[\s\u200c]?کدام", re.IGNORECASE
)
_TRAILING = (
    re.compile(r"\s*[(\[{]\s*l\s*-\s*\d+\s*[)\]}]$|\s+l\s*-\s*\d+$", re.IGNORECASE),
    re.compile(r"\s*[(\[{][^()\[\]{}]*[)\]}]$"),
    re.compile(r"(?:['’`´]\s*s?|s['’])?\s+(?:slot|seat|replacement)$", re.IGNORECASE),
    re.compile(r"[\s,;.]+(?:because|b/c|bc|cuz|coz|چون|زیرا)(?![^\W_]).*$", re.IGNORECASE | re.DOTALL),
    re.compile(r"\s*(?:\s[-–—]+\s|[–—]|--).*$", re.DOTALL),
)
_MAY_TRAIL = re.compile(r"[^\w\s]|\s(?:l|slot|seat|replacement|because|bc|cuz|coz|چون|زیرا)(?![^\W_])", re.IGNORECASE)
"""What any of the above needs, so that most names are looked at once."""


def vote_lines(bbcode: str, *, bold_name_alone: bool = False, loud: bool = False) -> list[VoteLine]:
    """The vote lines of a post in the order they stand, those in spoiler boxes marked. The last one holds.

    `bold_name_alone`: bold text without a vote word may be a vote too. `loud`: a line in a larger size, and one that begins
    with the vote word in capitals, is as good as bold (ACE-VOTE-03).
    """
    own = OwnText(bbcode)
    marked = list(_marked(own))
    found = [line for _, _, line in marked]
    starts = [at for at, _, _ in marked]
    for line in _joined(own, own.lines(lambda run: ("bold",) if run.bold or (loud and run.large) else None)):
        number = bisect_left(starts, line.at)
        begun = number > 0 and marked[number - 1][1] > line.at
        until = min(starts[number], line.until) if number < len(starts) else line.until
        if until > line.at and not begun:
            found.extend(_written(own, line.at, until, bold_name_alone))
    if loud:
        for line in own.lines(lambda run: ("plain",) if not (run.bold or run.large) else None):
            alone = line.at == 0 or own.text[line.at - 1 : line.at].isspace()
            number = bisect_left(starts, line.at)
            if _LOUD.match(line.text) and alone and not (number < len(starts) and starts[number] < line.until):
                found.extend(_written(own, line.at, line.until, False))
    return sorted(found, key=lambda line: line.start)


def _joined(own: OwnText, lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, a vote word with the name behind it where only a blank between them is not bold: `<b>Vote:</b> <b>Anna</b>`."""
    word: Line | None = None
    for line in lines:
        if word is not None:
            between = own.text[word.until : line.at]
            another = _STARTS_VOTE.match(line.text) or _STARTS_UNVOTE.match(line.text)
            if between.isspace() and "\n" not in between and not another:
                yield word._replace(text=own.text[word.at : line.until], until=line.until, end=line.end)
                word = None
                continue
            yield word
        word = line if _STARTS_VOTE.fullmatch(line.text[:_LONGEST]) else None
        if word is None:
            yield line
    if word is not None:
        yield word


def near_votes(bbcode: str) -> list[VoteLine]:
    """Lines that are no vote and may have been meant as one: not bold, or in bold with the vote word bent or behind others.

    Those in quotes, code, struck text and spoiler boxes are left out.
    """
    if not _VOTE_WORD.search(bbcode):
        return []
    own = OwnText(bbcode)
    read = vote_lines(bbcode)
    starts = [line.start for line in read]
    found: list[VoteLine] = []
    for line in own.lines(lambda run: None if run.spoiler else ("bold",) if run.bold else ("plain",)):
        number = bisect_left(starts, line.end)
        if number and read[number - 1].end > line.start:
            continue
        text, begins = _plain(line.text[:_LONGEST]), line.at
        if line.group == ("plain",):
            botched = _BOTCHED.search(text)
            if botched is None and own.text[own.text.rfind("\n", 0, line.at) + 1 : line.at].strip():
                continue
            if botched is not None:
                text, begins = _TAG_ENDS.sub("", text[botched.end() :]), begins + botched.end()
        word = _STARTS_VOTE.match(text) or (_BENT.match(text) if line.group == ("bold",) or "#" in text else None)
        if word is not None and _bare(text[word.end() :]):
            found.append(_line(own, "vote", _names(text[word.end() :]), line.at, line.until))
        elif _STARTS_UNVOTE.match(text):
            found.extend(_for_review(line) for line in _written(own, begins, begins + len(text), False))
    return found


def _for_review(line: VoteLine) -> VoteLine:
    """A vote that the GM would only be told of may as well be looked at as one where nothing counts."""
    word = _STARTS_VOTE.match(line.text) if line.kind == "empty" else None
    return replace(line, kind="vote", names=_names(line.text[word.end() :])) if word else line


def settle(line: VoteLine, roster: Roster, *, prefer: Collection[str] | None = None) -> Settled:
    """What a vote line comes to: a player named by one of these words is still reached by the exact name."""
    if line.kind == "vote" or line.kind == "unvote":
        if not line.names:
            return Settled("unvote")
        match = roster.first(line.names, prefer=prefer)
        again = _STARTS_VOTE.match(line.names[0]) if line.kind == "unvote" and isinstance(match, Unknown) else None
        if again is not None:  # `unvote vote X`
            meant = roster.first(_names(line.names[0][again.end() :]), prefer=prefer)
            if isinstance(meant, Found):
                return Settled("unvote" if _MINE.match(line.names[0]) else "vote", meant.name)  # `unvote my vote for X`
        return _named(line.kind, match, line.worded)
    exact = next((name for name in line.names if roster.whole(name)), None)
    if exact is None:
        return Settled("unvote" if line.kind == "back" else line.kind)
    return _named("vote", roster.match(exact, prefer=prefer), line.worded)


def _named(kind: Literal["vote", "unvote"], match: Match, worded: bool) -> Settled:
    match match:
        case Found(name):
            return Settled(kind, name)
        case Ambiguous(candidates):
            return Settled("ambiguous", candidates=candidates)
        case Unknown(nearest):
            return Settled("unreadable" if worded else "nothing", nearest=nearest)


def _marked(own: OwnText) -> Iterator[tuple[int, int, VoteLine]]:
    """Votes that need no bold, `##vote X` and `[vote]X[/vote]`, each with its place in the own text."""
    if "#" not in own.text and "[" not in own.text:
        return
    places = sorted(
        [*_HASH.finditer(own.text), *_HASH_NOBODY.finditer(own.text), *_TAG.finditer(own.text)], key=lambda found: found.start()
    )
    for number, found in enumerate(places):
        if found.re is _TAG:
            yield _tag(own, found)
            continue
        end = own.text.find("\n", found.end())
        end = len(own.text) if end < 0 else end
        if number + 1 < len(places):
            end = min(end, places[number + 1].start())
        end = _bold_end(own, found, end)
        if found.re is _HASH_NOBODY:
            yield found.start(), found.end(), _line(own, "nobody", (), found.start(), found.end())
        else:
            later = _later(own.text, found, bool(found["un"]), end)
            stop = max(later.ends, found.end("word")) if later else end
            yield found.start(), stop, _of(own, bool(found["un"]), own.text[found.end() : stop], found.start(), stop)
            if later is not None and later.told:
                yield stop, end, _line(own, "empty", (), later.begins, end)
            elif later is not None:
                yield from ((stop, end, line) for line in _written(own, later.begins, end, False))


def _bold_end(own: OwnText, found: re.Match[str], end: int) -> int:
    """Where the command's bold ends, if its name stands in the bold with it; `<b>##vote</b> Anna` goes on."""
    run = own.run(found.start())
    if run is None or not run.bold:
        return end
    for start, later in own.pieces_from(found.start()):
        if start >= end:
            break
        if not later.bold:
            return start if own.text[found.end() : start].strip() else end
    return end


def _tag(own: OwnText, found: re.Match[str]) -> tuple[int, int, VoteLine]:
    name = found["name"] if found["given"] is None else " ".join(filter(None, (found["given"], found["name"])))
    if name is None:
        # Unclosed: no vote, but the GM is told, as of an empty one.
        line = _line(own, "empty", (), found.start(), found.end())
    else:
        line = _of(own, bool(found["un"]), name, found.start(), found.end())
    return found.start(), found.end(), line


def _written(own: OwnText, at: int, until: int, bold_name_alone: bool) -> Iterator[VoteLine]:
    """The votes of one bold line: `unvote, vote: X` are two."""
    whole, first = _plain(own.text[at:until]), at
    while at < until:
        text = whole[at - first :]
        unvote = _STARTS_UNVOTE.match(text)
        vote = None if unvote else _STARTS_VOTE.match(text)
        word = unvote or vote
        if word is None:
            yield from _unworded(own, text, at, until, bold_name_alone)
            return
        later = _later(text, word, unvote is not None, len(text))
        if later is not None and later.begins <= word.start():
            later = None
        end = later.ends if later else len(text)
        rest = text[word.end() : end] if end > word.end() else ""
        place = at + later.begins if later and len(text) == until - at else until
        stop = place if later else until
        if not _bare(rest) and vote and not later:
            yield _line(own, "empty", (text,) if bold_name_alone else (), at, stop)
        else:
            yield _of(own, unvote is not None, rest, at, at + end if len(text) == until - at else until)
        at = place
        if later is not None and later.told and at < until:
            yield _line(own, "empty", (), at, until)
            return


class _Later(NamedTuple):
    """Where a vote or withdrawal ends, as another begins behind it; or what may be one, of which the GM is only `told`."""

    ends: int
    begins: int
    told: bool = False


def _later(text: str, word: re.Match[str], unvote: bool, end: int) -> _Later | None:
    """Where another vote or withdrawal begins behind a vote word."""
    start = word.end("word") if unvote else word.end() - (word.re is _HASH)
    found = _THEN.match(text, start, end) if unvote else _NEXT.search(text, start, end)
    if unvote and found is None:
        following = _NEXT.search(text, word.end() - 1, end)
        remark = _REMARK_BEGINS.search(text, start, following.start() if following else end)
        alone = remark is not None and _APART.search(text, start, remark.start()) is None
        found = (_THEN_OF.match(text, remark.start(), end) if remark and alone else None) or following
        if found is None and (may := _MAY_VOTE.search(text, start, end)):
            return _Later(min(may.start(), remark.start()) if remark else may.start(), may.end(), told=True)
    return _Later(found.start(), found.end()) if found else None


def _unworded(own: OwnText, text: str, at: int, until: int, bold_name_alone: bool) -> Iterator[VoteLine]:
    bare = _bare(text)
    if _SURELY_NOBODY.fullmatch(bare) or (bold_name_alone and _NOBODY.fullmatch(bare)):
        yield _line(own, "nobody", (text,) if bold_name_alone else (), at, until, worded=False)
    elif bold_name_alone and bare:
        names = (text, _TRAILING[0].sub("", text))
        yield _line(own, "vote", tuple(dict.fromkeys(names)), at, until, worded=False)
    elif _ENDS_VOTE.fullmatch(text[:_LONGEST]):
        yield _line(own, "empty", (), at, until)
    elif bare and (word := _word_before(own, at, until)) is not None:
        yield _line(own, "empty", (), word, until)


def _word_before(own: OwnText, at: int, until: int) -> int | None:
    """Where a vote word stands that is not bold as the name behind it is: `Vote: <b>Anna</b>` is no vote, and no talk."""
    begins = own.text.rfind("\n", 0, at) + 1
    ends = own.text.find("\n", until)
    behind = own.text[until : ends if ends >= 0 else len(own.text)]
    return begins if not _bare(behind) and _STARTS_VOTE.fullmatch(_plain(own.text[begins:at][:_LONGEST])) else None


def _of(own: OwnText, unvote: bool, rest: str, at: int, until: int) -> VoteLine:
    """A vote line whose word has been read; `rest` is what stands behind the word."""
    bare = _bare(rest)
    if unvote:
        remark = _REMARK.fullmatch(_SMILING.sub("", " ".join(_plain(rest[:_LONGEST]).split())))
        return _line(own, "unvote", () if remark else tuple(name for name in _names(rest) if _bare(name)), at, until)
    if not bare and not rest.strip():
        return _line(own, "empty", (), at, until)
    if _STARTS_UNVOTE.fullmatch(rest.strip()):
        return _line(own, "back", (rest,), at, until)
    names = _names(rest)
    if again := _STARTS_VOTE.match(rest[:_LONGEST]):  # `[vote]VOTE: X[/vote]`
        names = tuple(dict.fromkeys((*names, *_names(rest[again.end() :]))))
    if any(_NOBODY.fullmatch(_bare(name)) for name in names):
        return _line(own, "nobody", names, at, until)
    return _line(own, "vote", names, at, until)


def _names(rest: str) -> tuple[str, ...]:
    """The texts that may be the name: the whole, then without one after another of what may trail."""
    text = " ".join(_plain(rest[:_LONGEST]).split())
    found = [text]
    changed = _MAY_TRAIL.search(text) is not None
    while changed:
        changed = False
        for trailing in _TRAILING:
            shorter = trailing.sub("", text.rstrip(" .,;:!?"), count=1).strip()
            if shorter != text:
                changed = True
                text = shorter
                found.append(text)
    return tuple(dict.fromkeys(found))


def _plain(text: str) -> str:
    """`text` with full-width and other forms of a sign as plain ones, letter for letter."""
    if text.isascii():
        return text
    return "".join(_sign(sign) for sign in text)


def _sign(sign: str) -> str:
    form = unicodedata.normalize("NFKC", sign)
    return form if len(form) == 1 else sign


def _bare(text: str) -> str:
    return text.strip(" \t\r\n.,;:!?\"'“”„‘’«»()[]{}*_~|/\\#=@،؛؟-–—…")


def _line(own: OwnText, kind: Kind, names: tuple[str, ...], at: int, until: int, *, worded: bool = True) -> VoteLine:
    text = own.text[at:until]
    until = at + len(text.rstrip())
    run = own.run(at)
    return VoteLine(
        kind, names, text.strip(), own.source(at), own.source(until - 1) + 1, bool(run and run.spoiler), worded
    )
