"""The outbox on its way out, exactly once whatever happens (product.md, "Posting")."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from scraper.model import Message, Post, SourceError, iso
from scraper.words import same_words
from store.record import Draft, Record
from store.seats import Seats, is_one_of

if TYPE_CHECKING:
    from desk.settings import Settings
    from scheduler import Report
    from scraper.saved import SavedThread

THREAD = "thread"
"""The audience of what everybody may read; any other audience is the player who gets a message."""

FORUM_HOST = "forum host"
"""The fact that tells from which forum the thread has been read."""
LOOKED = "phase read again"
"""The bookmark that tells when all pages of the open phase were last read; None to have them read again."""

SAVED = "saved thread"
"""The bookmark that tells which saved pages were read, and up to when the thread is known from them."""


@dataclass(frozen=True, slots=True)
class Attempt(Draft):
    """A draft as it was when it was sent, and where it can stand: above the id `after`, not before `since` (UTC).

    `to` are the accounts of whom a message is for, of which the first gets it. `held` says that the forum took it and keeps it
    for a moderator; `beside` that it may wait as well, beside one that is held, and the GM was told so; `again` that it had been
    sent before, without an answer; `refused` that the moderator did not let it through, as the GM says: it is sent once more
    where it does not stand.
    """

    after: str | None = None
    since: datetime | None = None
    held: bool = False
    beside: bool = False
    again: bool = False
    refused: bool = False
    to: tuple[str, ...] = ()


class Outlet(Protocol):
    """Where a game is read from and written to: a forum, or folders on this machine. `now` is by the forum's clock."""

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        """The posts that are new or changed. Raises SourceError where the thread cannot be read."""

    def known_until(self, now: datetime) -> datetime | None:
        """Up to when the thread is known after it has been read at `now`; None where nothing of it is."""

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        """The messages that may be new. Raises SourceError where they cannot be read."""

    def accounts(self, player: str) -> tuple[str, ...]:
        """The accounts of who has the player's seat at this moment; the first gets its messages."""

    def find(self, attempt: Attempt) -> tuple[str, str] | None:
        """The id and address of what was sent, where it stands: what settles a crash in mid-sending.

        Raises NeedsApproval where it waits for a moderator, as a forum may show to its author.
        """

    def send(self, draft: Attempt, standing: str | None) -> tuple[str, str]:
        """Post, edit (`standing` is the post to edit) or message it; its id and address. Raises SourceError."""


class Folders:
    """An outlet on this machine: saved pages in, files out, for a forum that cannot be reached.

    A post becomes a file under `posted/`, written beside and then moved into place, so it stands whole or not at all.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.out = settings.folder / "posted"
        self.record: Record | None = None

    def posts(self, record: Record, now: datetime) -> Iterable[Post]:
        """All posts of the saved pages, where they have changed since they were last read."""
        self.record = record
        from zoneinfo import ZoneInfo

        from scraper.saved import read_saved

        saved, pages = self.settings.thread.saved, self._pages()
        if saved is None:
            return
        mark = [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in pages]
        if not pages or mark == (record.bookmark(SAVED) or [None])[0]:
            return
        zone = ZoneInfo(self.settings.thread.timezone)
        newest = datetime.fromtimestamp(max(path.stat().st_mtime for path in pages), UTC)
        # "Today" on a page means the day on which it was saved.
        thread = read_saved(pages, forum=self.settings.thread.kind, timezone=zone, now=min(now, newest), dated=True)
        gone = record.standing(post.id for post in thread.deleted)
        for note in (*thread.notes, *self._otherwise(thread, gone, record)):
            record.notice(now, note)
        record.set_fact("forum", thread.forum)
        yield from thread.posts
        yield from (replace(post, deleted=True) for post in thread.deleted if post.id in gone)
        holes = [
            (iso(before.posted_at), iso(after.posted_at))
            for before, after in thread.holes
            if before.posted_at and after.posted_at and _missing(record, before, after, thread.deleted)
        ]
        record.set_bookmark(SAVED, [mark, iso(thread.until), holes])  # together with the posts, or not at all

    def _otherwise(self, thread: SavedThread, gone: Collection[str], record: Record) -> Iterator[str]:
        """What is otherwise than when pages were last read, in sentences: the topic, and posts that stand no more."""
        known = record.bookmark("saved topic")
        if thread.topic_id is not None and known != thread.topic_id:
            record.set_bookmark("saved topic", thread.topic_id)
            if known is not None:
                yield f"The saved pages are of another topic now: “{thread.title}”. Its posts count as the game's; is that right?"
        if gone:
            yield f"{len(gone)} posts that were read stand no more: deleted. The record keeps them."

    def known_until(self, now: datetime) -> datetime | None:
        """When the page that ends the thread was saved, or a later post was written: what came after that is not there yet. Where
        posts of the open phase are missing before that, when the one above them was written.
        """
        read = self.record.bookmark(SAVED) if self.record is not None else None
        if self.record is None or read is None or read[1] is None:
            return None
        opened = self.record.phases()[-1].opened_at
        holes = [(datetime.fromisoformat(before), datetime.fromisoformat(after)) for before, after in read[2]]
        return min([datetime.fromisoformat(read[1]), *(before for before, after in holes if after > opened)])

    def _pages(self) -> list[Path]:
        saved = self.settings.thread.saved
        if saved is None or not saved.is_dir():
            return []
        return sorted(path for path in saved.iterdir() if path.is_file() and not path.name.startswith("."))

    def messages(self, record: Record, now: datetime) -> Iterable[Message]:
        """What is new on mail servers, which are asked before this returns, and in the mail folders. Raises SourceError."""
        from publisher.mailing import MailSource, from_files, from_servers

        mail, players = self.settings.mail, self.settings.players
        tenures = Seats.of(players, record.entries()).tenures
        seats = {one.account: one.player for one in tenures if one.until is not None}
        for one in reversed([one for one in tenures if one.until is None]):  # the newest last, and of these the first
            seats.pop(one.account, None)
            seats[one.account] = one.player
        names = {name: player.name for player in players for name in (player.name, *player.aliases)}
        source = MailSource(mail.paths, mail.servers, mail.timezone, seats, mail.trust, mail.forum_from, names)
        return chain(from_servers(source, record, now), from_files(source, record, now))

    def accounts(self, player: str) -> tuple[str, ...]:
        """Those in `game.toml`, or of who has taken over since."""
        return accounts_of(self.settings, self.record, player)

    def find(self, attempt: Attempt) -> tuple[str, str] | None:
        """The file of a draft that was written before a crash."""
        path = self._path(attempt, None)
        return (path.name, str(path)) if path.exists() else None

    def send(self, draft: Attempt, standing: str | None) -> tuple[str, str]:
        """Write the file; an edit replaces it. Of a message it tells first to whom it goes, for the GM who sends it by hand."""
        path = self._path(draft, standing)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part")
        beside.unlink(missing_ok=True)
        # Messages tell roles: for their owner's eyes only.
        with open(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            to = f"To: {draft.to[0]}\n" if draft.to else ""
            file.write(f"{to}{draft.title}\n\n{draft.body}\n")
        beside.replace(path)
        return path.name, str(path)

    def _path(self, draft: Draft, standing: str | None) -> Path:
        where = self.out if draft.audience == THREAD else self.out / "private"
        again = f"-{len(draft.reached()) + 1}" if draft.reached() else ""  # a message to who took over is a file of its own
        return where / (standing or f"{draft.id:04d}-{draft.kind}{again}.txt")


def _missing(record: Record, before: Post, after: Post, deleted: Iterable[Post]) -> bool:
    """Whether posts between these two, by the thread's own numbers, are neither kept from earlier pages nor told as deleted."""
    kept = {str(versions[0]["post"]).partition("/")[0] for versions in record.posts(before.posted_at, after.posted_at)}
    kept |= {post.id for post in deleted if post.number is None and int(before.id) < int(post.id) < int(after.id)}
    return len(kept - {before.id, after.id}) < (after.number or 0) - (before.number or 0) - 1


def accounts_of(settings: Settings, record: Record | None, player: str) -> tuple[str, ...]:
    """The accounts of who has the seat at this moment: it may have changed hands since the tick began."""
    return Seats.of(settings.players, record.entries() if record is not None else ()).holding(player)


def outlet_of(settings: Settings) -> Outlet:
    """The outlet that a game's settings name: its forum, or folders on this machine. Raises SourceError."""
    if settings.thread.url is None:
        return Folders(settings)
    from publisher.forum import open_outlet

    return open_outlet(settings)


def stays_on_its_forum(settings: Settings, record: Record) -> None:
    """Raises SourceError where `game.toml` names another forum than the game has been read from: its posts would be taken for
    those known by the same numbers, and a secret would go to whoever has the player's name there.
    """
    host, known = forum_host(settings), record.fact(FORUM_HOST)
    may = {one.removeprefix("www.") for one in (host, settings.thread.moved_from) if one}
    if host and known and known.removeprefix("www.") not in may:
        raise SourceError(
            f"The game was begun on {known}, and `url` in game.toml is on {host} now.",
            advice="A game stays on its forum: set the address back. Only where the whole forum has moved, with its posts and "
            f'accounts, write `moved_from = "{known}"` under [thread]. Nothing was read or posted.',
        )


def forum_host(settings: Settings) -> str:
    """Where the forum is that a game's settings name; empty where they name none."""
    return urlsplit(settings.thread.url or "").netloc


_LONG = 2_000
"""From so many characters on a post may be refused for its length."""
_LOOK_FOR_IT = "No answer came to an earlier try: look whether it is there. If not, send it anew with: nightpost outbox approve"
_BESIDE = (
    "No answer came to it while another post of yours waits for a moderator: it may wait there as well. It is sent once that one "
    "stands or is dropped, where it does not stand by then; if you know that it does not wait, at once with: "
    "nightpost outbox approve"
)
_TOO_LONG = (
    " If it is too long, give the forum's limit as `longest` in [thread] of game.toml: longer posts then go out in parts, this "
    "one too once you approve it."
)

GOING_OUT = ("approved", "sending")
"""The states of a draft that the next tick sends, or looks for where it was sent and not heard of."""
PERSISTENT = 4
"""After so many tries, where one without an answer counts as two, the GM is told that a draft does not go out: a forum that was
away once is no news.
"""
ATTEMPTS = "attempts"
"""The bookmark that holds what was sent and not yet heard of: draft id → what of it an Attempt knows besides the draft."""


def deliver(record: Record, outlet: Outlet, report: Report, now: datetime) -> None:
    """Send what is approved, in the order made. What may have gone out already is looked for before it is sent again.

    An edit is simply made again. What the forum refuses waits for the GM, and stops only what goes to the same readers after
    it, so that the thread stays in order; a limit of messages stops all messages and no posts; any other trouble stops all until
    the next tick.
    """
    stopped: set[str] = set()
    for listed in record.drafts(*GOING_OUT):
        draft = record.draft(listed.id)  # the GM may have changed or dropped it since
        if draft.audience in stopped or draft.state not in GOING_OUT:
            continue
        try:
            if _delivered(record, outlet, draft, now):
                report.sent.append(draft.title)
        except SourceError as error:
            text = f"{error} {error.advice}{_said_of_again(record, draft, error)}".strip()
            if text not in report.trouble:  # reading may have met the same
                report.trouble.append(text)
            waiting = _note(record, draft.id, error, text)
            if waiting is None:
                return
            stopped |= waiting


def _said_of_again(record: Record, draft: Draft, error: SourceError) -> str:
    """What is to be said of a post that waits for a moderator, perhaps twice: nothing had told before that posts are held."""
    from scraper.forum import NeedsApproval

    if not isinstance(error, NeedsApproval) or draft.post:
        return ""
    again = " It was sent before, and no answer came: it may wait there twice. Have only one approved."
    twice = again if _was_sent_before(record, draft.id) else ""
    return f"{twice} If it is refused, have it sent anew with: nightpost outbox approve {draft.id}"


def went_to(record: Record, id_: int) -> str | None:
    """The account to which a message went of which no answer came: the seat may have changed hands since."""
    return next(iter(_kept(record, id_).get("to", ())), None)


def was_refused(record: Record, id_: int) -> bool:
    """Let a post that waits for a moderator, or may wait beside another, be sent anew, where it does not stand by then; False
    where it waits for none.
    """
    kept = _kept(record, id_)
    waits = bool(kept.get("held") or kept.get("beside"))
    if waits:
        _keep(record, id_, kept | {"held": False, "beside": False, "refused": True})
    return waits


def _delivered(record: Record, outlet: Outlet, draft: Draft, now: datetime) -> bool:
    """Whether the draft stands as it should now. Raises SourceError."""
    to = _addressed(outlet, draft)
    attempt = _attempt(record, draft, to)
    post, link = draft.post, draft.link
    if attempt is not None and not post:
        found = _looked_for(outlet, attempt)
        passed_on = draft.audience != THREAD and not is_one_of(attempt.to, to)  # it was sent to who had the seat before
        if found is not None and not _is_of_another(record, draft, found[0]):
            record.set_bookmark("counted", None)  # a tally that waited for this may be brought up to date
            settled = _gone_out(draft, attempt, to, found)
            _settle(record, draft.id, **settled)
            if settled["state"] == "posted":
                return True
            draft = record.draft(draft.id)
            post, link = draft.post, draft.link
        elif not passed_on and (
            attempt.held or (draft.audience == THREAD and not attempt.refused and _thread_is_moderated(record))
        ):
            if not attempt.held:
                _waits_beside(record, draft)
            return False
        attempt = None if passed_on else attempt
    if attempt is None and not post and _waits_already(record, draft):
        return False
    if is_one_of(draft.reached(), to):
        _settle(record, draft.id, state="posted")
        return False
    sent = replace(_sent(draft), to=to)
    kept = None if post else _about_to_send(record, outlet, sent, attempt, now)
    with record.together():
        if (now_is := record.draft(draft.id)).state not in GOING_OUT or _addressed(outlet, draft) != to:
            return False  # the GM has just dropped it, or taken it back, or given the seat to another
        sent = replace(sent, title=now_is.title, body=now_is.body)
        kept = kept and {**kept, "title": sent.title, "body": sent.body}
        _keep(record, draft.id, kept)
        record.change_draft(draft.id, state="sending", attempts=draft.attempts + 1, error=None)
    told, address = outlet.send(sent, post or None)
    if not (told or post) and draft.audience == THREAD and kept is not None:
        told, address = _looked_for(outlet, _as_sent(draft, kept)) or _not_shown()
    with record.together():
        found = (told or post or "", address or link or "")
        _settle(record, draft.id, **_gone_out(record.draft(draft.id), sent, _addressed(outlet, draft), found))
    return True


def _addressed(outlet: Outlet, draft: Draft) -> tuple[str, ...]:
    """The accounts of whom a message is for, at this moment."""
    return () if draft.audience == THREAD else outlet.accounts(draft.audience)


def _waits_beside(record: Record, draft: Draft) -> None:
    """Tell the GM of a post without an answer that may wait unseen, beside one that is seen to wait for a moderator."""
    with record.together():
        if record.draft(draft.id).state in GOING_OUT:
            kept = _kept(record, draft.id)
            _keep(record, draft.id, kept and kept | {"beside": True})
            record.change_draft(draft.id, error=f"{_BESIDE} {draft.id}", attempts=draft.attempts + 1)


def _thread_is_moderated(record: Record) -> bool:
    """Whether a post of ours waits for a moderator: then another one of which no answer came may wait unseen as well."""
    return any(_kept(record, one.id).get("held") for one in record.drafts(*GOING_OUT) if one.audience == THREAD)


def waiting_for_the_gm(record: Record) -> list[Draft]:
    """What does not go out by itself: it waits for a moderator, or has been refused again and again."""
    tried = [one for one in record.drafts(*GOING_OUT) if one.error]
    return [one for one in tried if one.attempts >= PERSISTENT or _kept(record, one.id).get("held")]


def _waits_already(record: Record, draft: Draft) -> bool:
    """Whether a post with the words of `draft` waits for a moderator: let through together, the two could not be told apart."""
    if draft.audience != THREAD:
        return False
    others = [one for one in record.drafts(*GOING_OUT) if one.audience == THREAD and one.id != draft.id]
    kept = [({"body": one.body} | _kept(record, one.id)) for one in others]
    return any(one.get("held") and same_words(str(one["body"]), draft.body) for one in kept)


def _gone_out(draft: Draft, sent: Attempt, to: Sequence[str], stands: tuple[str, str]) -> dict[str, Any]:
    """What becomes of a draft that was sent as `sent` and `stands` there, whatever the GM did with it meanwhile.

    `to` are the accounts of whom it is for now.
    """
    had = list(dict.fromkeys([*draft.reached(), *sent.to[:1]]))
    is_there = {"post": stands[0] or None, "link": stands[1] or None, "had": json.dumps(had)}
    if draft.state == "dropped":
        said = "It was on its way when you dropped it, and has gone out."
        return {**is_there, "state": "posted", "body": sent.body, "error": said}
    if draft.audience != THREAD and not is_one_of(had, to):  # it went to who had the seat before: who has it now gets it too
        return {"state": "approved", "post": None, "link": None, "had": is_there["had"]}
    if draft.body == sent.body:
        return {**is_there, "state": "posted", "error": None, "attempts": 1}  # what is tried from now on is an edit
    if draft.audience == THREAD:
        return {**is_there, "state": draft.state if draft.state == "review" else "approved"}  # an edit follows
    said = "It was on its way when you changed it, and has gone out as it was."
    return {**is_there, "state": "posted", "body": sent.body, "error": said}


def _looked_for(outlet: Outlet, attempt: Attempt) -> tuple[str, str] | None:
    """Where it stands. Raises Uncertain where the forum lets us not look: then it stays open whether it has gone out; and
    NeedsApproval where it is seen to wait for a moderator, which is told once.
    """
    from scraper.forum import NeedsApproval, NotYet, Uncertain

    try:
        return outlet.find(attempt)
    except NotYet:  # what is not to be had on this kind of forum cannot have gone out
        return None
    except NeedsApproval:
        if attempt.held:
            return None
        raise
    except SourceError as error:
        raise Uncertain(str(error), advice=error.advice) from error


def _is_of_another(record: Record, draft: Draft, found: str) -> bool:
    """Whether this post or message is known to be another draft's. Posts and messages are numbered apart."""
    return any(
        one.post == found and one.id != draft.id and (one.audience == THREAD) == (draft.audience == THREAD)
        for one in record.drafts()
    )


def _not_shown() -> tuple[str, str]:
    from scraper.forum import Uncertain

    raise Uncertain("The forum took a post and does not show it yet.", advice="The next tick looks for it again.")


def _attempt(record: Record, draft: Draft, to: tuple[str, ...]) -> Attempt | None:
    """What was sent of this draft before and never heard of. Whom it is for may have another name since: any may be shown."""
    kept = _kept(record, draft.id)
    if not kept:
        return replace(_sent(draft), to=to) if draft.state == "sending" else None
    attempt = _as_sent(draft, {"to": to} | kept)  # an earlier version did not keep whom it was for
    return replace(attempt, to=(*attempt.to, *to)) if is_one_of(attempt.to, to) else attempt


def _as_sent(draft: Draft, kept: dict[str, Any]) -> Attempt:
    return replace(_sent(draft), **(kept | {"since": datetime.fromisoformat(kept["since"]), "to": tuple(kept["to"])}))


def _sent(draft: Draft) -> Attempt:
    return Attempt(**asdict(draft))


def _about_to_send(record: Record, outlet: Outlet, draft: Attempt, before: Attempt | None, now: datetime) -> dict[str, Any]:
    """What is about to be sent, and what stands before it: only a post or message above that can be this one."""
    if before is not None and before.since is not None:
        after, since = before.after, before.since
    else:
        after, since = _newest(record, outlet, draft), now
    again = before is not None
    where = {"after": after, "since": iso(since), "to": draft.to}
    return {"title": draft.title, "body": draft.body, **where, "held": False, "again": again}


def _newest(record: Record, outlet: Outlet, draft: Attempt) -> str | None:
    """The newest post known, or the newest message with the very words of `draft` where one like it may have gone out before."""
    earlier = [one for one in record.drafts() if one.id != draft.id and one.audience == draft.audience]
    if draft.audience != THREAD:
        like = [one for one in earlier if one.attempts and same_words(one.body, draft.body)]
        phases = record.phases()
        began = phases[0].opened_at if phases else None
        found = _looked_for(outlet, replace(draft, since=began)) if like else None
        return None if found is None else found[0]
    kept = record.bookmark(THREAD) or {"seen": []}
    ids = [str(seen[0]) for seen in kept["seen"]] + [one.post for one in earlier if one.post]
    return max((one for one in ids if number_of(one)), key=number_of, default=None)


def number_of(id_: str) -> int:
    """The number of an id, which rises with the time of writing; 0 where it has none."""
    found = re.search(r"\d+", id_)
    return int(found[0]) if found else 0


def _kept(record: Record, id_: int) -> dict[str, Any]:
    """What was sent of that draft and not yet heard of; nothing where nothing is open."""
    return dict((record.bookmark(ATTEMPTS) or {}).get(str(id_), {}))


def _keep(record: Record, id_: int, attempt: dict[str, Any] | None) -> None:
    kept = record.bookmark(ATTEMPTS) or {}
    kept.pop(str(id_), None)
    record.set_bookmark(ATTEMPTS, kept | ({str(id_): attempt} if attempt else {}))


def _settle(record: Record, id_: int, **changes: object) -> None:
    """Nothing is open about this draft any more."""
    with record.together():
        record.change_draft(id_, **changes)
        _keep(record, id_, None)


def _was_sent_before(record: Record, id_: int) -> bool:
    """Whether an earlier try may have gone out: no answer came to it, and it was not found where it would stand."""
    return bool(_kept(record, id_).get("again"))


def _not_sent(record: Record, id_: int, **changes: object) -> None:
    """This try did not go out. An earlier one that may have is still looked for before the next.

    What the GM has dropped or taken back meanwhile stays so.
    """
    with record.together():
        if record.draft(id_).state in GOING_OUT:
            record.change_draft(id_, **changes)
        if not _was_sent_before(record, id_):
            _keep(record, id_, None)


def _note(record: Record, id_: int, error: SourceError, text: str) -> set[str] | None:
    """Note why a draft did not go out, and say who else gets nothing in this tick; None for everybody."""
    from scraper.forum import FloodLimit, LoginFailed, NeedsApproval, NotAllowed, NotYet, Refused, TopicLocked, Uncertain

    draft = record.draft(id_)
    if isinstance(error, NeedsApproval):  # the forum has it
        if draft.post:
            _settle(record, id_, state="posted", error=text)
            return set()
        with record.together():
            record.change_draft(id_, error=text)
            _keep(record, id_, _kept(record, id_) | {"held": True})
        return set()
    if isinstance(error, NotAllowed) and draft.post:
        again = f"{error} What stands at {draft.link} cannot be edited: approve this to have it posted anew."
        _settle(record, id_, state="review", post=None, link=None, error=again)
        return set()
    if isinstance(error, (Refused, NotYet)):  # it would be refused again: the GM must change it, or send it by hand
        _not_sent(record, id_, state="review", error=text + (_TOO_LONG if len(draft.body) > _LONG else ""))
        return {draft.audience}
    if isinstance(error, NotAllowed) and _was_sent_before(record, id_):  # perhaps because it is there already
        with record.together():
            record.change_draft(id_, error=f"{text} {_LOOK_FOR_IT} {id_}")
            _keep(record, id_, _kept(record, id_) | {"held": True})
        return {draft.audience}
    if isinstance(error, (NotAllowed, TopicLocked)):
        _not_sent(record, id_, state="approved", error=text)
        return {draft.audience}
    if isinstance(error, FloodLimit) and draft.audience != THREAD:  # so many messages an hour: the thread has a limit of its own
        _not_sent(record, id_, state="approved", error=text)
        return {one.audience for one in record.drafts("approved", "sending")} - {THREAD}
    if isinstance(error, (FloodLimit, LoginFailed)):
        _not_sent(record, id_, state="approved", error=text)
    elif not _kept(record, id_).get("held"):  # what the GM is to do about one that is held stays
        tries = draft.attempts + isinstance(error, Uncertain)  # to look for it is a try as well
        record.change_draft(id_, error=text, attempts=tries)  # it may have gone out: it is looked for first
    return None
