"""How fast, and in how much memory, large mailboxes and exports are read: the kinds that are read as a stream.

Run `python -m benchmarks.mail`. The size in MB is NIGHTPOST_BENCH_MB (default 64; 1024 for the promise of a gigabyte). Each
row is a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

MEGABYTE = 1024 * 1024


def mails(size: int, attachment: int, seed: int = 1) -> Iterator[bytes]:
    """Mails as an mbox holds them, `size` bytes in all, each with an attachment of `attachment` bytes if that is not 0."""
    draw = random.Random(seed)
    bodies = [_body(draw, attachment) for _ in range(20)]
    written = number = 0
    while written < size:
        number += 1
        body = bodies[number % len(bodies)]
        mail = (
            f"From player@example.org Mon Nov 16 10:02:00 2026\nFrom: Player {number % 30} <player@example.org>\n"
            f"To: gm@example.org\nSubject: Night {number}\nDate: Mon, 16 Nov 2026 10:02:00 +0000\n"
            f"Message-ID: <{number}@example.org>\nMIME-Version: 1.0\n{body}\n"
        ).encode()
        written += len(mail)
        yield mail


def _body(draw: random.Random, attachment: int) -> str:
    """The lower headings and the text of a mail, with an attachment of random bytes if it is to have one."""
    words = " ".join(draw.choice(("kill", "protect", "please", "tonight", "Anna", "Bert", "Carla")) for _ in range(200))
    text = f"Content-Type: text/plain; charset=utf-8\n\n{words}\n"
    if not attachment:
        return text
    lines = b64encode(draw.randbytes(attachment)).decode()
    packed = "\n".join(lines[at : at + 76] for at in range(0, len(lines), 76))
    return (
        f'Content-Type: multipart/mixed; boundary="=_b"\n\n--=_b\n{text}--=_b\n'
        f"Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment\n\n{packed}\n--=_b--\n"
    )


_WORDS = "kill protect please tonight Anna Bert Carla " * 25


def vbulletin(size: int) -> Iterator[bytes]:
    """A download from vBulletin as XML, `size` bytes in all."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\r\n<privatemessages>\r\n<folder name="Inbox">\r\n'
    written = number = 0
    while written < size:
        number += 1
        entry = (
            f"<privatemessage><datestamp>2026-03-{number % 28 + 1:02} {number % 24:02}:{number % 60:02}</datestamp>"
            f"<title>Night {number}</title><fromuser>Player {number % 30}</fromuser><fromuserid>7</fromuserid>"
            f"<touser>Host</touser><message><![CDATA[[b]{number}[/b] {_WORDS}]]></message></privatemessage>\r\n"
        ).encode()
        written += len(entry)
        yield entry
    yield b"</folder>\r\n</privatemessages>"


def phpbb(size: int) -> Iterator[bytes]:
    """phpBB's export as XML, `size` bytes in all."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<phpbb>\n'
    written = number = 0
    while written < size:
        number += 1
        entry = (
            f"<privmsg><subject>Night {number}</subject><sender>Player {number % 30}</sender>"
            f"<date>2026-03-02T19:05:00+00:00</date><message>{number} {_WORDS}</message></privmsg>\n"
        ).encode()
        written += len(entry)
        yield entry
    yield b"</phpbb>\n"


def discord(size: int) -> Iterator[bytes]:
    """A saved Discord channel, `size` bytes in all."""
    yield b'{"channel": {"type": "GuildTextChat", "name": "night"}, "messages": ['
    written = number = 0
    while written < size:
        number += 1
        entry = (
            f'{", " if number > 1 else ""}{{"id": "{number}", "type": "Default", "timestamp": "2026-03-02T19:05:00+00:00", '
            f'"content": "{number} {_WORDS}", "author": {{"id": "{number % 30}", "name": "player{number % 30}"}}}}'
        ).encode()
        written += len(entry)
        yield entry
    yield b"]}"


def measure(path: Path) -> tuple[int, float, float]:
    """Messages, seconds of CPU and peak megabytes of a fresh process that reads `path`."""
    done = subprocess.run([sys.executable, "-m", "benchmarks.mail", str(path)], check=True, capture_output=True, text=True)
    count, seconds, peak = done.stdout.split()
    return int(count), float(seconds), float(peak)


def peak_megabytes() -> float:
    """This process's own peak of memory; where the system does not tell it, that of its parent may be in it."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError, ValueError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read_one(path: Path) -> None:
    """Read `path` and print the number of messages, the CPU it took and the peak of memory."""
    from scraper.mail import read_mail

    began = time.process_time()
    count = sum(1 for _ in read_mail([path], timezone=UTC, notes=[]))
    print(count, time.process_time() - began, peak_megabytes())


def main() -> None:
    """Print a row for each kind of mailbox."""
    size = int(os.environ.get("NIGHTPOST_BENCH_MB", "64"))
    table = Table("mailbox", "MB", "messages", "CPU s", "MB/s", "peak MB", title="Reading mailboxes")
    with tempfile.TemporaryDirectory() as folder:
        for name, megabytes, made in (
            ("mbox, short mails", size // 8, partial(mails, attachment=0)),
            ("mbox, short mails", size, partial(mails, attachment=0)),
            ("mbox, attachments of 200 KB", size, partial(mails, attachment=200_000)),
            ("mbox, attachments of 8 MB", size, partial(mails, attachment=8_000_000)),
            ("phpBB, XML", size, phpbb),
            ("vBulletin, XML", size, vbulletin),
            ("Discord, JSON", size, discord),
        ):
            path = Path(folder) / "box"
            with path.open("wb") as box:
                box.writelines(made(megabytes * MEGABYTE))
            count, seconds, peak = measure(path)
            table.add_row(name, str(megabytes), f"{count:,}", f"{seconds:.1f}", f"{megabytes / seconds:.0f}", f"{peak:.0f}")
    Console().print(table)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        read_one(Path(sys.argv[1]))
    else:
        main()
