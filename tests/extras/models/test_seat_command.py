"""``arena seat --mcp``: the official client of the protocol plays a match over standard input and output."""

import asyncio
import os
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support.commands.calls import arena, command
from support.commands.runs import stored
from support.servers.serving import started

if not find_spec("mcp"):
    pytest.skip("the extra mcp is not installed here", allow_module_level=True)


class Client:
    """A session of the official client."""

    def __init__(self, session: Any) -> None:
        self.session = session

    async def call(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool that was called without an error."""
        result = await self.session.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        return str(result.content[0].text)

    async def error(self, tool: str, **arguments: Any) -> str:
        """Return the text of a tool whose call is an error."""
        result = await self.session.call_tool(tool, arguments)
        assert result.is_error, result.content[0].text
        return str(result.content[0].text)


@asynccontextmanager
async def seated(*words: object) -> AsyncIterator[Client]:
    """Play at a seat until the client closes the connection."""
    from mcp import ClientSession, StdioServerParameters, stdio_client  # noqa: PLC0415 - takes a second

    program, *arguments = command("seat", *words, "--mcp")
    server = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with stdio_client(server, errlog=subprocess.DEVNULL) as (read, write), ClientSession(read, write) as session:
        known = await session.initialize()
        assert known.server_info.name == "arena"
        yield Client(session)


async def play_to_the_end(client: Client, end: str) -> str:
    """Knock or make the last move until an end is named; return all that was said."""
    said = [await client.call("look")]
    while end not in said[-1]:
        moves = re.findall(r"^\d+\. (\S+):", said[-1], re.MULTILINE)
        move = next((name for name in moves if name.startswith("knock")), moves[-1] if moves else "")
        said.append(await (client.call("act", move=move, why="it is legal") if move else client.call("look")))
    return "\n".join(said)


@pytest.mark.process
def test_a_program_plays_a_match_that_is_kept_when_it_leaves_and_stored_when_it_is_over(tmp_path: Path) -> None:
    played = tmp_path / "played"
    words = ("greedy", "--target", "10", "--results", played, "--seed", "a seat for a program")

    async def begin() -> str:
        async with seated(*words) as client:
            assert [tool.name for tool in (await client.session.list_tools()).tools] == ["rules", "look", "act"]
            assert "The first to reach 10 points ends the game" in await client.call("rules")
            return await client.call("look")

    async def play_on() -> str:
        async with seated(*words) as client:
            return await play_to_the_end(client, "The match is over")

    before = asyncio.run(begin())
    said = asyncio.run(play_on())
    assert before.partition("Your cards")[2] in said
    assert "The hand ended with" in said
    (record,) = stored(played).values()
    assert record.fixture.seats[0] == "agent"
    assert {note.text for hand in record.hands for note in hand.notes} == {"it is legal"}
    assert "unconfined: who answered for agent cannot be checked" in arena("verify", played).stdout


@pytest.mark.process
def test_a_move_that_is_not_possible_is_an_error_of_the_protocol_and_changes_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        async with seated("greedy", "--target", "10", "--results", tmp_path / "played") as client:
            await client.call("look")  # what the opponent did is said once
            seen = await client.call("look")
            for move in ("Zz", 99, 0, -1, 1.5, "", "knock:Zz"):
                assert "is not possible now; expected a number from 1 to" in await client.error("act", move=move)
            for wrong in ({"move": True}, {"move": None}, {"move": ["pass"]}, {}):
                assert await client.error("act", **wrong)
            assert await client.call("look") == seen
            assert await client.call("act", move=1.0, why=None) != seen
            await play_to_the_end(client, "The match is over")
            assert "The match is over" in await client.error("act", move="1")
            assert "The match is over" in await client.call("look")

    asyncio.run(play())


@pytest.mark.process
def test_a_program_plays_at_the_tables_of_a_server(tmp_path: Path) -> None:
    pytest.importorskip("websockets", reason="the extra remote is not installed here")
    games = tmp_path / "games"

    async def play(address: str, token: str) -> str:
        async with seated(address, "--token", token, "--name", "player") as client:
            return await play_to_the_end(client, "Played 1 game.")

    with started("tables", games, "--own-bot", "greedy", "--hands", 1, "--wait", 0, "--port", 0) as (_, address):
        said = asyncio.run(play(address, arena("invite", games, "ann").stdout.strip()))
    assert "against greedy" in said
    assert re.search(r"is over: [+-]?\d+ points", said)
    (record,) = stored(games).values()
    assert "ann.player" in record.fixture.seats
    assert "1 hands, 0 differences" in arena("verify", games).stdout


@pytest.mark.process
def test_a_seat_needs_a_protocol_and_at_a_server_a_token(tmp_path: Path) -> None:
    assert "--mcp: missing" in arena("seat", "greedy", folder=tmp_path).stderr
    assert "--token: missing" in arena("seat", "http://127.0.0.1:9", "--mcp", folder=tmp_path).stderr
