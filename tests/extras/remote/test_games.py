"""Many bots elsewhere, behind a proxy that breaks, delays and doubles, at a server that is killed: no game is lost."""

import asyncio
import os
import re
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from random import Random
from socket import socket
from typing import Any

import pytest
from msgspec import Struct
from msgspec.json import decode
from support.commands.calls import command
from support.processes.waiting import until
from support.servers.wire import line_of
from support.sizes import size

from arena.extras.remote.record import chronicle
from arena.league.tokens import add_token
from arena.protocol import codec, messages, notation
from arena.store.store import Store

pytest.importorskip("websockets", reason="needs the extra `remote`")

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

BOTS, SECONDS = size(8, 50), int(os.environ.get("ARENA_REMOTE_SECONDS", size(24, 60)))
THINK = float(os.environ.get("ARENA_REMOTE_THINK", "0"))  # seconds before each answer
KILLED = min(SECONDS / 2, 60)  # seconds after the beginning
SETTLED = 300  # seconds after which a server takes no more memory than before
BREAKS, DOUBLES, LONGEST_DELAY = 0.004, 0.05, 0.02  # of frames; seconds
SESSION_OVER = 4404  # code of a close


class Server:
    """A server of unconfined games as its owner starts it."""

    def __init__(self, folder: Path) -> None:
        with socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._folder = folder
        self.start()

    def start(self) -> None:
        line = command("tables", self._folder, "--port", self.port, "--wait", 2, "--own-bot", "cautious")
        self._log = self._folder.with_suffix(".log")
        self._log.touch()
        began = self._log.read_text().count("Ctrl-C")
        with self._log.open("a") as log:
            self.process = subprocess.Popen(line, stderr=log)
        until(lambda: self._log.read_text().count("Ctrl-C") > began)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def memory(self) -> int:
        """Return its resident size, in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0])


async def relay(client: ServerConnection, port: int, chance: Random) -> None:
    """Pass frames on between a client and the server."""
    assert client.request
    header = {"Authorization": client.request.headers["Authorization"]}
    try:
        async with connect(f"ws://127.0.0.1:{port}{client.request.path}", additional_headers=header, proxy=None) as server:
            ways = [asyncio.create_task(pass_on(*way, chance)) for way in ((client, server), (server, client))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
    except InvalidStatus as error:
        await client.close(SESSION_OVER if error.response.status_code == 404 else 1013)
    except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
        pass


async def pass_on(source: Any, target: Any, chance: Random) -> None:
    try:
        async for frame in source:
            if chance.random() < BREAKS:
                return
            await asyncio.sleep(chance.random() * LONGEST_DELAY)
            for _ in range(1 + (chance.random() < DOUBLES)):
                await target.send(frame)
    except ConnectionClosed:
        return


def answer_of(hello: str, question: str) -> str:
    """Return the answer of the bot to a question; ``hello`` is the last one."""
    message = codec.decode_message(question.encode())
    if isinstance(message, messages.Turn):
        begun = codec.decode_message(hello.encode())
        assert isinstance(begun, messages.Hello)
        return line_of(notation.view(message, begun.rules))
    return '{"type":"ready","protocol":1}'


class Elsewhere(Struct):
    """A bot that speaks to the socket itself."""

    name: str
    token: str
    over: list[str] = []
    session: str = ""
    received: int = 0
    last: str = ""
    game: str = ""
    hello: str = ""
    broken: int = 0

    async def play(self, port: int, end: "End") -> None:
        header = {"Authorization": f"Bearer {self.token}"}
        while not end.passed() or (self.game and not end.passed(30)):
            address = f"ws://127.0.0.1:{port}/remote/socket?bot={self.name}&session={self.session}&received={self.received}"
            try:
                async with connect(address, additional_headers=header, proxy=None) as line:
                    if self.last:
                        await line.send(self.last)
                    async for frame in line:
                        await self.take(line, str(frame))
                        if not self.game and end.passed():
                            return
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError) as error:
                if isinstance(error, ConnectionClosed) and error.rcvd and error.rcvd.code == SESSION_OVER:
                    self.session, self.received, self.last, self.game = "", 0, "", ""
            self.broken += 1
            await asyncio.sleep(0.2)

    async def take(self, line: ClientConnection, frame: str) -> None:
        number, _, text = frame.partition(" ")
        message = decode(text)
        if number == "0":
            if message["type"] == "welcome":
                self.session = message["session"]
                await line.send('0 {"type":"seek"}')
            return
        if int(number) <= self.received:
            return
        self.received = int(number)
        match message["type"]:
            case "game":
                self.game = message["game"]
            case "hello":
                self.hello = text
            case "game_over" | "void":
                self.over += [self.game] if message["type"] == "game_over" else []
                self.game = ""
                await line.send('0 {"type":"seek"}')
        if message["type"] in ("hello", "turn"):
            await asyncio.sleep(THINK)
            self.last = f"{number} {answer_of(self.hello, text)}"
            await line.send(self.last)


class End:
    """The end of play: it moves while fewer games are over than wanted, as on a busy machine."""

    def __init__(self, bots: list[Elsewhere]) -> None:
        self.bots, self.at = bots, time.monotonic() + SECONDS

    def passed(self, seconds: float = 0) -> bool:
        """Tell whether the end was at least ``seconds`` ago."""
        now = time.monotonic()
        if now > self.at and len({game for bot in self.bots for game in bot.over}) < len(self.bots) // 2:
            self.at = now
        return now > self.at + seconds


async def play_all(server: Server, bots: list[Elsewhere]) -> list[int]:
    """Have all bots play; return the memory of the server, in KiB, every minute from when it takes no more."""
    chance, end = Random(1), End(bots)

    async def handle(client: ServerConnection) -> None:
        await relay(client, server.port, chance)

    async with serve(handle, "127.0.0.1", 0) as proxy:
        port = next(iter(proxy.sockets)).getsockname()[1]
        playing = asyncio.gather(*(bot.play(port, end) for bot in bots))
        await asyncio.sleep(KILLED)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        sizes = list[int]()
        await asyncio.sleep(min(SETTLED - KILLED, SECONDS - KILLED))
        while not end.passed(-60):
            sizes.append(server.memory)
            sys.stdout.write(
                f"{SECONDS - end.at + time.monotonic():.0f} s: {sizes[-1]} KiB, {sum(len(bot.over) for bot in bots)} seats over\n"
            )
            sys.stdout.flush()
            await asyncio.sleep(60)
        await playing
        return [*sizes, server.memory]


@pytest.mark.slow
def test_no_game_of_many_bots_is_lost_or_counted_twice(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    server = Server(folder)
    try:
        tokens = [add_token(folder, f"author{number}", timedelta(days=1)).text for number in range(-(-BOTS // 3))]
        bots = [Elsewhere(name=f"bot{number}", token=tokens[number // 3]) for number in range(BOTS)]
        memory = asyncio.run(play_all(server, bots))
    finally:
        server.process.terminate()
        server.process.wait()

    with Store(folder / "arena.sqlite") as store:
        known, recorded = chronicle(store), [fixture.id for fixture in store.fixtures()]
    verified = subprocess.run(command("verify", folder), capture_output=True, text=True, check=False)
    sys.stdout.write(
        f"{BOTS} bots, {len(recorded)} games, {len(known.void)} void, {sum(bot.broken for bot in bots)} connections broken,"
        f" {memory[0]} to {memory[-1]} KiB\n"
    )
    assert "0 differences" in verified.stdout
    assert memory[-1] < 1.1 * memory[0]
    assert len(set(recorded)) == len(recorded) >= BOTS // 2
    assert set(recorded).isdisjoint(known.void)
    assert "Traceback" not in folder.with_suffix(".log").read_text()
    for bot in bots:
        assert len(set(bot.over)) == len(bot.over)
        assert set(bot.over) <= set(recorded)
    left = set(known.opened) - set(recorded) - set(known.void)
    assert len(left) <= BOTS // 2  # that were in play at the end


SLOW = """
import time
from arena.sdk import Bot

class Slow(Bot):
    def answer(self, view):
        time.sleep(0.02)
        return super().answer(view)
"""


@pytest.mark.process
def test_a_signed_game_continues_after_its_server_was_killed_with_the_same_signatures(tmp_path: Path) -> None:
    # given a signed game, of which some answers are kept
    (tmp_path / "slow.py").write_text(SLOW)
    server = Server(tmp_path / "games")
    try:
        token = add_token(tmp_path / "games", "ann", timedelta(days=1)).text
        line = command("join", f"http://127.0.0.1:{server.port}", "slow.py:Slow", "--token", token, "--games", 1, "--key", "key")
        joining = subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        unfinished = tmp_path / "games" / "games" / "g1.json"
        until(lambda: unfinished.is_file() and max(map(len, decode(unfinished.read_bytes())["answers"])) > 5)
        # when the server is killed and started again
        server.kill()
        server.start()
        said, _ = joining.communicate(timeout=100)
    finally:
        server.process.terminate()
        server.process.wait()
    # then the game is played to its end, and its signatures fit
    verified = subprocess.run(command("verify", tmp_path / "games"), capture_output=True, text=True, check=False).stdout
    assert "g1 is over" in said
    assert said.count("g1 against cautious") == 2
    assert "answers in 1 of 1 game of ann.Slow by the key" in verified
    assert "0 differences" in verified
