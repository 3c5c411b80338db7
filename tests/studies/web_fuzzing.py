"""Sends random requests to a league's server, as anybody, as authors and as an organiser, while it tests and plays what it is sent.

    PYTHONPATH=tests python tests/studies/web_fuzzing.py 60 FOLDER

It ends after 60 minutes, or at once where something is wrong: a status that no request should get, a traceback in the server's
output, or a word of ben's bot in an answer to somebody else. ``FOLDER`` is new, and is the league afterwards. Each minute it prints
how many requests got each status.
"""

import asyncio
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from support.commands.calls import arena, command
from support.hostile.random_requests import RandomRequest, RequestSource
from support.leagues.sites import BOT, ClubSite, club, form_key, league, token
from support.servers.asgi import Endpoint
from support.servers.serving import ask

SHOWN = ("arena_matches_total", "arena_auditions_total", "arena_uploads_waiting")
CLOSED = 0  # in place of a status: the connection ended without an answer
EXPECTED = {CLOSED, 200, 201, 303, 307, 400, 401, 403, 404, 405, 408, 409, 413, 421, 429, 507}
AT_ONCE = 4  # connections
PATIENCE = 40.0  # seconds for an answer; the server's own patience is shorter
STREAM = 0.2  # seconds that an event stream is read
SECRET = "the-secret-of-ben"  # noqa: S105 - what only ben and the organiser may read
BENS = BOT.replace(
    b"    pass\n",
    b"""    def discard(self, view):
        if view.score != (0, 0):
            raise ValueError("the-secret-of-" + "ben")
        return super().discard(view)
""",
)
SPEC = "{title: Fuzzed, rules: {target: 30, best_of: 1}, audition: {hands: 8}, suspension: {share: 1}, limits: {per_author: 5}}"
LIMITS = ("--an-hour", "1000", "--waiting", "5", "--free-mib", "0", "--upload-mib", "1")


class WebFuzzError(AssertionError):
    """The server did what it must not do."""


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def endpoints(folder: Path) -> list[Endpoint]:
    """Return what a league's server answers."""
    folder.mkdir()
    with club(league(folder)) as made:
        return ClubSite(made).endpoints


class WebFuzz:
    """Sends requests, and checks the answers."""

    def __init__(self, address: str, requests: RequestSource, bens: frozenset[str], chance: Random) -> None:
        """``bens`` are headers with which ben's secret may be read."""
        self._host, _, self._port = address.removeprefix("http://").rstrip("/").partition(":")
        self._requests = requests
        self._bens = bens
        self._chance = chance
        self.statuses = Counter[int]()

    async def until(self, end: float) -> None:
        """Send one request after another."""
        while time.monotonic() < end:
            await self.send(self._requests.draw())

    async def send(self, request: RandomRequest) -> None:
        """Send a request, and check what comes back. Raises: WebFuzzError."""
        answer = b""
        with suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(STREAM if request.target.partition("?")[0].endswith("events") else PATIENCE):
                answer = await self._answer(request)
        status = int(answer.split(maxsplit=2)[1]) if answer.startswith(b"HTTP/1.1 ") else CLOSED
        self.statuses[status] += 1
        forbidden = [] if self._bens & set(request.headers.values()) else [SECRET]
        if not {"authorization", "cookie"} & request.headers.keys():
            forbidden.append("Traceback")  # an author reads that of an own bot
        if status not in EXPECTED and not (status == 503 and request.target.startswith("/ready")):
            raise WebFuzzError(f"{request}: {answer[:1000]!r}")
        if any(text.encode() in answer for text in forbidden):
            raise WebFuzzError(f"{request}: {answer!r}")

    async def _answer(self, request: RandomRequest) -> bytes:
        reader, writer = await asyncio.open_connection(self._host, int(self._port))
        try:
            writer.write(self._head(request))
            for part in request.parts:
                writer.write(part)
                await writer.drain()
            if self._chance.random() < 0.1:
                return b""  # it goes away before the answer
            return await reader.read()
        finally:
            writer.close()

    def _head(self, request: RandomRequest) -> bytes:
        length = str(sum(map(len, request.parts)))
        headers = {"host": f"{self._host}:{self._port}", "content-length": length, "connection": "close", **request.headers}
        lines = [f"{request.method} {request.target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"


@contextmanager
def served(path: Path, errors: Path) -> Iterator[str]:
    """Yield the address of a server whose errors go to a file."""
    called = command("serve", path, "--submit", "--play", "--workers", 1, "--port", 0, *LIMITS)
    with errors.open("w") as out, subprocess.Popen(called, stdout=out, stderr=out) as server:
        try:
            while not (found := re.search(r"http://127\.0\.0\.1:\d+", errors.read_text())):
                if server.poll() is not None:
                    raise WebFuzzError(errors.read_text())
                time.sleep(0.1)
            while ask(found[0], "/").status != 200:
                time.sleep(0.1)
            yield found[0]
        finally:
            server.send_signal(2)
            server.wait()


def prepared(folder: Path) -> Path:
    """Return a new league with a bot of ann and one of ben, which fails in play."""
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "fuzzed.yaml").write_text(SPEC)
    path = folder / "league"
    assert arena("league", "new", path, "--spec", folder / "fuzzed.yaml").returncode == 0
    for author, text in (("ann", BOT), ("ben", BENS)):
        (folder / f"{author}.py").write_bytes(text + f"# of {author}\n".encode())
        done = arena("league", "submit", path, folder / f"{author}.py", "--author", author, "--name", f"{author}-bot")
        assert done.returncode == 0, done.stderr
    return path


def signed_in(address: str, text: str) -> tuple[str, str]:
    """Return the cookie of a browser that has signed in, and the key of its forms."""
    page = ask(address, "/sign-in")
    cookie = page.headers["set-cookie"].partition(";")[0]
    body = f"form_key={form_key(page)}&token={text}".encode()
    answer = ask(address, "/sign-in", "POST", body=body, Cookie=cookie, Origin=address)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    return cookie, form_key(ask(address, "/me", Cookie=cookie))


def check_server(address: str, errors: Path) -> None:
    """Raise WebFuzzError, if the server is not well."""
    said = errors.read_text().splitlines()[1:]
    if any("Traceback" in line or "ended with code" in line for line in said):
        raise WebFuzzError("\n".join(said[-100:]))
    if ask(address, "/health").status != 200 or b"\narena_request_errors_total 0\n" not in ask(address, "/metrics").body:
        raise WebFuzzError("the server has answered with an error")


def measured(address: str) -> str:
    """Return how much was tested and played."""
    lines = ask(address, "/metrics").body.decode().splitlines()
    return ", ".join(line for line in lines if line.startswith(SHOWN))


async def fuzz(address: str, fuzzes: Sequence[WebFuzz], length: float, errors: Path) -> None:
    """Send requests for a length of time in minutes. Raises: WebFuzzError."""
    end = began = time.monotonic()
    end += 60 * length
    while time.monotonic() < end:
        until = min(end, time.monotonic() + 60)
        await asyncio.gather(*(one.until(until) for one in fuzzes))
        await asyncio.to_thread(check_server, address, errors)
        statuses = sum((one.statuses for one in fuzzes), Counter[int]())
        seconds = time.monotonic() - began
        show(f"{seconds / 60:.0f} min, {statuses.total()} requests, {dict(sorted(statuses.items()))}; {measured(address)}")


def main(length: float, folder: Path, seed: str) -> None:
    """Send requests for a length of time in minutes."""
    path = prepared(folder)
    known = endpoints(folder / "endpoints")
    texts = {name: token(path, name, organiser=name == "olga") for name in ("ann", "ben", "olga")}
    errors = folder / "errors.txt"
    with served(path, errors) as address:
        cookie, key = signed_in(address, texts["ann"])
        bearers = {name: {"authorization": f"Bearer {text}"} for name, text in texts.items()}
        signed = [{}, {"cookie": cookie}, *[bearers["ann"]] * 3, bearers["ben"], bearers["olga"], {"authorization": "Bearer x"}]
        bens = frozenset(bearers[name]["authorization"] for name in ("ben", "olga"))
        fuzzes = []
        for number in range(AT_ONCE):
            chance = Random(f"{seed} {number}")
            fuzzes.append(WebFuzz(address, RequestSource(known, signed, address, key, chance), bens, chance))
        asyncio.run(fuzz(address, fuzzes, length, errors))
    if arena("verify", path).returncode not in (0, 3):  # 3: its last round is open
        raise WebFuzzError("the league is damaged")
    show("nothing was found, and the chain of the league is whole")


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
