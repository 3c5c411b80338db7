"""Shows that a league's server bears a crowd: authors who submit at once and watchers of live pages, while it plays.

    PYTHONPATH=tests python tests/studies/crowding.py 40 500 200 60 FOLDER

In a league of 200 bots, 40 authors send another each at the same moment, 500 watchers hold an event stream open, and pages are
asked for during 60 seconds. Prints what was received, how long pages took and what was played. ``FOLDER`` is new, and is the league
afterwards.
"""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from statistics import quantiles

from msgspec import json
from support.commands.calls import arena
from support.leagues.admitting import admitting
from support.leagues.sites import BOT
from support.servers.serving import ask, started

from arena.league import submit as submitting
from arena.league.tokens import issue

SHOWN = ("arena_matches", "arena_auditions_total", "arena_uploads_waiting", "arena_request_errors", "arena_active_bots")
LONGEST = 1 << 24  # bytes of an event
QUIET = 30.0  # seconds of play before the crowd comes, to compare
PAGES = ("/", "/table.json", "/health", "/bots/bot-0", "/pairs/bot-0@1/bot-1@1")
SPEC = "{title: ConnectionLimits, rules: {target: 30, best_of: 1}, audition: {hands: 8}}"


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def populate(path: Path, bots: int) -> None:
    """Have bots join a league without auditions, which would take most of the time."""
    with admitting():
        for number in range(bots):
            file = path.parent / "bot.py"
            file.write_bytes(BOT + f"# number {number}\n".encode())
            assert submitting.submit_bot(path, str(file), f"owner-{number}", f"bot-{number}", lambda _: None).joined


async def watch(host: str, port: int, counts: list[int], number: int) -> None:
    """Hold an event stream open, and count its events."""
    own = (f"127.0.2.{number % 250 + 1}", 0)  # few live pages of one address are allowed
    reader, writer = await asyncio.open_connection(host, port, limit=LONGEST, local_addr=own)
    writer.write(f"GET /events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    try:
        while line := await reader.readline():
            counts[number] += line.startswith(b"data: ")
    finally:
        writer.close()


async def page(host: str, port: int, path: str) -> float:
    """Return the seconds that a page took."""
    began = time.monotonic()
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200"), answer[:100]
    return time.monotonic() - began


async def send(host: str, port: int, token: str, name: str) -> int:
    """Send a bot, and return the status."""
    body = BOT + f"# of {name}\n".encode()
    reader, writer = await asyncio.open_connection(host, port)
    head = f"POST /api/uploads?file=mine.py&name={name} HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {token}\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
    answer = await reader.read()
    writer.close()
    return int(answer.split()[1])


async def crowd(address: str, tokens: dict[str, str], watchers: int, seconds: float) -> None:
    """Have everybody come at once, and print what happened."""
    host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
    counts = [0] * watchers
    watching = [asyncio.create_task(watch(host, int(port), counts, number)) for number in range(watchers)]
    statuses = await asyncio.gather(*(send(host, int(port), text, name) for name, text in tokens.items()))
    show(f"{statuses.count(201)} of {len(tokens)} uploads were received")
    took: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        took += [await page(host, int(port), path) for path in PAGES]
        await asyncio.sleep(0.1)
    for one in watching:
        one.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    median, late = (1000 * quantiles(took, n=20)[place] for place in (9, 18))
    show(f"{len(took)} pages: median {median:.0f} ms, 95th percentile {late:.0f} ms, longest {1000 * max(took):.0f} ms")
    show(f"{sum(count > 0 for count in counts)} of {watchers} watchers had events, {sum(counts)} in all")
    kept = [json.decode(ask(address, "/api/uploads", Authorization=f"Bearer {text}").body) for text in tokens.values()]
    states = Counter(upload["state"] for uploads in kept for upload in uploads)
    show(f"{sum(len(uploads) == 1 for uploads in kept)} of {len(tokens)} authors find their upload: {dict(states)}")


def played(address: str) -> int:
    """Return how many matches are on record."""
    lines = ask(address, "/metrics").body.decode().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("arena_matches_total ")), 0)


@contextmanager
def paced(address: str, when: str) -> Iterator[None]:
    """Print how much is played meanwhile."""
    before, start = played(address), time.monotonic()
    yield
    pace = 60 * (played(address) - before) / (time.monotonic() - start)
    show(f"{pace:.0f} matches a minute {when}")


def main(authors: int, watchers: int, bots: int, seconds: float, folder: Path) -> None:
    """Make a league, and have a crowd come."""
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "crowd.yaml").write_text(SPEC)
    path = folder / "crowd"
    assert arena("league", "new", path, "--spec", folder / "crowd.yaml").returncode == 0
    populate(path, bots)
    tokens = {f"author-{number}": issue(path, f"author-{number}", timedelta(days=1)).text for number in range(authors)}
    with started("serve", path, "--submit", "--play", "--workers", 1, "--port", 0) as (_, address):
        while ask(address, "/").status != 200:
            time.sleep(0.2)
        while not played(address):  # every bot is started once before the first match
            time.sleep(0.2)
        with paced(address, "before the crowd came"):
            time.sleep(QUIET)
        with paced(address, "while it was there"):
            asyncio.run(crowd(address, tokens, watchers, seconds))
        numbers = ask(address, "/metrics").body.decode()
    for line in numbers.splitlines():
        if line.startswith(SHOWN):
            show(line)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), Path(sys.argv[5]))
