"""Shows that a league's server bears a crowd: authors who submit at once and watchers of live pages, while it plays.

    python tests/support/crowding.py 40 500 60 FOLDER

40 authors send a bot each at the same moment, 500 watchers hold an event stream open, and pages are asked for during 60 seconds.
Prints what was received and how long pages took. ``FOLDER`` is new, and is the league afterwards.
"""

import asyncio
import sys
import time
from datetime import timedelta
from pathlib import Path
from statistics import quantiles

from clubs import BOT
from commands import arena
from serving import ask, started

from arena.runs.leagues.tokens import issue

SHOWN = ("arena_matches", "arena_auditions_total", "arena_uploads_waiting", "arena_request_errors")
SPEC = "{title: Crowd, rules: {target: 30, best_of: 1}, audition: {hands: 8}}"


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def watch(host: str, port: int, counts: list[int], number: int) -> None:
    """Hold an event stream open, and count its events."""
    reader, writer = await asyncio.open_connection(host, port)
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
        took += [await page(host, int(port), path) for path in ("/", "/table.json", "/health")]
        await asyncio.sleep(0.1)
    for one in watching:
        one.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    median, late = (1000 * quantiles(took, n=20)[place] for place in (9, 18))
    show(f"{len(took)} pages: median {median:.0f} ms, 95th percentile {late:.0f} ms, longest {1000 * max(took):.0f} ms")
    show(f"{sum(count > 0 for count in counts)} of {watchers} watchers had events, {sum(counts)} in all")


def main(authors: int, watchers: int, seconds: float, folder: Path) -> None:
    """Make a league, and have a crowd come."""
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "crowd.yaml").write_text(SPEC)
    path = folder / "crowd"
    assert arena("league", "new", path, "--spec", folder / "crowd.yaml").returncode == 0
    tokens = {f"author-{number}": issue(path, f"author-{number}", timedelta(days=1)).text for number in range(authors)}
    with started("serve", path, "--submit", "--play", "--workers", 1, "--port", 0) as (_, address):
        while ask(address, "/").status != 200:
            time.sleep(0.2)
        asyncio.run(crowd(address, tokens, watchers, seconds))
        numbers = ask(address, "/metrics").body.decode()
    for line in numbers.splitlines():
        if line.startswith(SHOWN):
            show(line)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
