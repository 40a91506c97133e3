"""Mailboxes and exports of private messages, whatever their kind, as one stream of messages.

A path may be a file of any kind that `scraper.mailboxes` reads, a Maildir, a folder with any of these in it at any depth, or
a zip of them. The kind is told by the content. Memory does not grow with the size of a mailbox, but for a few bytes of each
message seen.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, cast

from scraper.mailboxes.kinds import HEAD, READERS, kind_of, unknown
from scraper.mailboxes.records import Reading
from scraper.model import BadInput, Message, SourceError, iso

LARGEST_UNPACKED = 4 * 1024**3
"""Bytes that one zip may hold unpacked, all in all."""
MOST_MEMBERS = 50_000
"""Files that one zip may hold, those in zips within it included."""
DENSEST = 200
"""How many times larger than packed a zip may be: text packs ten to thirty times, a bomb a thousand."""
LARGEST_INNER_ZIP = 16 * 1024 * 1024
"""Bytes of a zip within a zip; it is read into memory."""
DEEPEST_ZIP = 3
_SMALL = 1024 * 1024
_TOLD = 10
"""How many of the things that went wrong are told."""
_IGNORED_NAMES = ("__macosx", ".ds_store", "thumbs.db", "desktop.ini")
_INDEX = re.compile(
    r".+\.msf|dovecot(?:-uid|-keywords|\.index|\.list|\.mailbox).*|courierimap.*|\.(?:mbsyncstate|isyncuidmap|uidvalidity).*"
)
"""What mail programs and servers keep beside the mails, and change with each."""
_ZIP_TROUBLE = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError,
    EOFError, NotImplementedError, RuntimeError, OSError, ValueError,
)  # fmt: skip


def read_mail(
    paths: Sequence[Path],
    *,
    timezone: tzinfo,
    notes: list[str] | Callable[[str], None],
    now: datetime | None = None,
    players: Collection[str] = (),
) -> Iterator[Message]:
    """The messages in `paths`, each once, in the order of the paths and of each file (folders by name): not sorted by time.

    `timezone` is that of the account whose exports these are; it matters where a format writes local times (MyBB). `now`
    (aware) is when they were made, if known. `players` are the names and accounts after which text files may be called; where
    none are given, any name will do. `notes` takes a sentence about everything that was left out or is doubtful.

    A message that comes again, in a second copy, an overlapping export or another format of the same forum, is left out. It
    is known by its id, and one without an id by its content.

    Raises BadInput at once for a path that does not exist or a file of no known kind. What is found while reading (cut off,
    damaged, encrypted, a bomb) raises SourceError, but only after everything whole has been handed on, from the other files
    too; several such errors are raised as one.
    """
    note = notes.append if isinstance(notes, list) else notes
    for path in paths:
        _check(path)
    return _Walk(Reading(timezone, now, note, tuple(players))).messages(paths)


def _check(path: Path) -> None:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return
        if not stat.S_ISREG(mode):
            raise BadInput(f"{path} is neither a file nor a folder.")
        with path.open("rb") as stream:
            head = stream.read(HEAD)
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist.{_near(path)}") from None
    except (OSError, ValueError) as problem:
        raise BadInput(f"{path} cannot be read: {_reason(problem)}.") from None
    if head and kind_of(head, path.name) is None:
        raise BadInput(f"{path}: {unknown(head)}")


def _near(path: Path) -> str:
    """A hint at a file of nearly that name."""
    from difflib import get_close_matches

    try:
        names = sorted(os.listdir(path.parent))
    except (OSError, ValueError):
        return ""
    close = get_close_matches(path.name, names, n=1)
    return f" Is it {close[0]!r}?" if close else ""


def _reason(problem: Exception) -> str:
    return problem.strerror or type(problem).__name__ if isinstance(problem, OSError) else str(problem)


@dataclass(slots=True)
class _Budget:
    """What a zip, with all zips in it, may still cost."""

    members: int = MOST_MEMBERS
    unpacked: int = LARGEST_UNPACKED


class _Seen:
    """The ids met so far, in eight bytes each: a set would take a hundred, for a million mails too much."""

    def __init__(self) -> None:
        self._shelves = [array("Q") for _ in range(4096)]

    def is_new(self, id: str) -> bool:
        """Whether `id` is met for the first time."""
        key = int.from_bytes(blake2b(id.encode(), digest_size=8).digest(), "big")
        shelf = self._shelves[key % len(self._shelves)]
        if key in shelf:
            return False
        shelf.append(key)
        return True


class _Walk:
    """One reading of some paths: what was seen, and what went wrong on the way."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._seen = _Seen()
        self._failed: list[SourceError] = []
        self._known = 0  # files of a kind that is read

    def messages(self, paths: Sequence[Path]) -> Iterator[Message]:
        """All new messages; then raises what went wrong on the way, if anything did."""
        for path in paths:
            found = self._folder(path, path.name) if path.is_dir() else self._file(path, path.name)
            for each in found:
                # bad programs give one Message-ID to many mails: those of two times are two
                if self._seen.is_new(f"{each.id} {iso(each.sent_at)}" if each.id.startswith("<") else each.id):
                    yield each
        if not self._known and not self._failed:
            self._reading.note(f"No mailbox or export was found in {', '.join(path.name or str(path) for path in paths)}.")
        if self._failed:
            *others, last = self._failed[:_TOLD]
            more = len(self._failed) - _TOLD
            advice = last.advice + (f" There are {more} more like these." if more > 0 else "")
            raise SourceError(" ".join([*(f"{one} {one.advice}".rstrip() for one in others), str(last)]), advice=advice.lstrip())

    def _folder(self, folder: Path, shown: str) -> Iterator[Message]:
        try:
            entries = sorted(folder.iterdir())
        except OSError as problem:
            self._failed.append(SourceError(f"{shown} cannot be read: {_reason(problem)}."))
            return
        maildir = {"cur", "new"} <= {entry.name for entry in entries}
        for entry in entries:
            if _ignored(entry.name) or (maildir and entry.name == "tmp"):
                continue
            name = f"{shown}/{entry.name}" if shown else entry.name  # `.` has no name of its own
            if entry.is_dir():
                if not entry.is_symlink():
                    yield from self._folder(entry, name)
            elif entry.is_file():
                yield from self._file(entry, name)

    def _file(self, path: Path, shown: str) -> Iterator[Message]:
        try:
            with path.open("rb") as stream:
                yield from self._stream(stream, shown, _Budget(), depth=0)
        except OSError as problem:
            self._failed.append(SourceError(f"{shown} cannot be read: {_reason(problem)}."))

    def _stream(self, stream: BinaryIO, shown: str, budget: _Budget, depth: int) -> Iterator[Message]:
        """The messages of one file of any kind. What goes wrong is kept for the end."""
        stream.seek(0)
        head = stream.read(HEAD)
        stream.seek(0)
        kind = kind_of(head, shown)
        if kind is None:
            self._reading.note(f"{shown} was left out: {unknown(head)}" if head else f"{shown} is empty.")
            return
        self._known += kind != "zip"
        try:
            if kind == "zip":
                yield from self._zip(stream, shown, budget, depth)
            else:
                yield from READERS[kind](stream, shown, self._reading)
        except SourceError as problem:
            self._failed.append(problem)

    # -- zips ---------------------------------------------------------------------------------------------------------

    def _zip(self, stream: BinaryIO, shown: str, budget: _Budget, depth: int) -> Iterator[Message]:
        """The messages in a zip, read from within it: nothing is ever unpacked to disk, so names in it can do no harm."""
        if depth >= DEEPEST_ZIP:
            raise SourceError(f"{shown}: zips within zips within zips; reading it was refused.", advice="Unpack it by hand.")
        try:
            archive = zipfile.ZipFile(stream)
        except _ZIP_TROUBLE:
            raise SourceError(
                f"{shown} is a damaged or cut off zip; nothing was read from it.", advice="Copy it again."
            ) from None
        with archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _refuse_bomb(members, stream, shown, budget)
            folders = {os.path.dirname(member.filename) for member in members}
            for member in sorted(members, key=lambda each: each.filename):
                parent, _, base = member.filename.rpartition("/")
                above, _, last = parent.rpartition("/")
                beside = {f"{above}/{each}".lstrip("/") for each in ("cur", "new")}
                in_tmp = last == "tmp" and bool(beside & folders)
                if not in_tmp and not any(map(_ignored, member.filename.split("/"))) and base:
                    yield from self._member(archive, member, shown, budget, depth)

    def _member(
        self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, shown: str, budget: _Budget, depth: int
    ) -> Iterator[Message]:
        name = f"{shown}/{member.filename}"
        if member.flag_bits & 1:
            self._failed.append(SourceError(f"{name} is encrypted; it was not read.", advice="Unpack the zip with its password."))
            return
        try:
            with archive.open(member) as packed:
                stream = cast(BinaryIO, packed)
                if kind_of(packed.read(4)) == "zip":
                    if member.file_size > LARGEST_INNER_ZIP:
                        raise SourceError(f"{name}: a large zip within a zip; it was not read.", advice="Unpack it by hand.")
                    packed.seek(0)
                    stream = io.BytesIO(packed.read(LARGEST_INNER_ZIP))
                yield from self._stream(stream, name, budget, depth + 1)
        except SourceError as problem:
            self._failed.append(problem)
        except _ZIP_TROUBLE as problem:
            self._failed.append(
                SourceError(
                    f"{name}: damaged within the zip ({problem}); what was whole before that was read.",
                    advice="Copy the zip again.",
                )
            )


def _ignored(name: str) -> bool:
    """Whether a name is of what systems leave lying about. Names in a Maildir that begin with a dot are folders of it."""
    name = name.lower()
    return name in _IGNORED_NAMES or name.startswith("._") or _INDEX.fullmatch(name) is not None


def _refuse_bomb(members: Sequence[zipfile.ZipInfo], stream: BinaryIO, shown: str, budget: _Budget) -> None:
    """Raises SourceError for a zip that would unpack to more than any mailbox; takes what it costs from `budget`.

    Judged by what the zip says of itself, which holds: Python's zipfile hands out no more of a member than that.
    """
    packed = stream.seek(0, os.SEEK_END)
    unpacked = sum(member.file_size for member in members)
    budget.members -= len(members)
    budget.unpacked -= unpacked
    advice = "Unpack it by hand if you trust it."
    if budget.members < 0:
        raise SourceError(f"{shown} holds more than {MOST_MEMBERS:,} files; nothing was read from it.", advice=advice)
    if budget.unpacked < 0:
        raise SourceError(
            f"{shown} would unpack to more than {LARGEST_UNPACKED // 2**30} GB; nothing was read from it.", advice=advice
        )
    dense = [
        member for member in members if member.file_size > _SMALL and member.file_size > DENSEST * max(1, member.compress_size)
    ]
    if dense or (unpacked > _SMALL and unpacked > DENSEST * packed):
        raise SourceError(
            f"{shown} unpacks to more than {DENSEST} times its size, as a zip bomb does; nothing was read from it.", advice=advice
        )
