"""``arena seat --mcp``: a scripted client plays a match over standard input and output."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from commands import arena, command, stored
from serving import started

if not find_spec("mcp"):  # to import it takes a second
    pytest.skip("the extra mcp is not installed here", allow_module_level=True)


class Client:
    """One conversation in lines of JSON-RPC. Source: modelcontextprotocol.io, the transport stdio."""

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server = server
        self._number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "script", "version": "1"}}
        self.server = self.request("initialize", **hello)
        self._send({"method": "notifications/initialized"})

    def request(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        assert self._server.stdout
        answer = json.loads(self._server.stdout.readline())
        assert answer["id"] == self._number
        return answer["result"]

    def call(self, tool: str, **arguments: str | int) -> str:
        (content,) = self.request("tools/call", name=tool, arguments=arguments)["content"]
        return str(content["text"])

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._server.stdin.flush()


@contextmanager
def seated(*words: object) -> Iterator[Client]:
    """Play at a seat until the client closes the connection."""
    with subprocess.Popen(command("seat", *words, "--mcp"), stdin=-1, stdout=-1, text=True, encoding="utf-8") as server:
        yield Client(server)


def play_to_the_end(client: Client, end: str) -> str:
    """Knock or make the last move until an end is named; return all that was said."""
    said = [client.call("look")]
    while end not in said[-1]:
        moves = re.findall(r"^\d+\. (\S+):", said[-1], re.MULTILINE)
        move = next((name for name in moves if name.startswith("knock")), moves[-1] if moves else "")
        said.append(client.call("act", move=move, why="it is legal") if move else client.call("look"))
    return "\n".join(said)


@pytest.mark.process
def test_a_program_plays_a_match_that_is_kept_when_it_leaves_and_stored_when_it_is_over(tmp_path: Path) -> None:
    played = tmp_path / "played"
    words = ("greedy", "--target", "10", "--results", played, "--seed", "a seat for a program")
    with seated(*words) as client:
        assert client.server["serverInfo"]["name"] == "arena"
        assert [tool["name"] for tool in client.request("tools/list")["tools"]] == ["rules", "look", "act"]
        assert "The first to reach 10 points ends the game" in client.call("rules")
        before = client.call("look")
        assert "'Zz' is not possible now; expected a number from 1 to" in client.call("act", move="Zz")
        assert "'99' is not possible now; expected a number from 1 to" in client.call("act", move=99)
    with seated(*words) as client:
        assert before.partition("Your cards")[2] == client.call("look").partition("Your cards")[2]
        assert "The hand ended with" in play_to_the_end(client, "The match is over")
        assert "not your turn" in client.call("act", move="1")
    (record,) = stored(played).values()
    assert record.fixture.seats[0] == "agent"
    assert {note.text for hand in record.hands for note in hand.notes} == {"it is legal"}
    assert "unconfined: who answered for agent cannot be checked" in arena("verify", played).stdout


@pytest.mark.process
def test_a_program_plays_at_the_tables_of_a_server(tmp_path: Path) -> None:
    pytest.importorskip("websockets", reason="the extra remote is not installed here")
    games = tmp_path / "games"
    with started("serve", games, "--remote", "--house", "greedy", "--hands", 1, "--wait", 0, "--port", 0) as (_, address):
        token = arena("invite", games, "ann").stdout.strip()
        with seated(address, "--token", token, "--name", "player") as client:
            said = play_to_the_end(client, "Played 1 game.")
    assert "against greedy" in said
    assert re.search(r"is over: [+-]?\d+ points", said)
    (record,) = stored(games).values()
    assert "ann.player" in record.fixture.seats
    assert "1 hands, 0 differences" in arena("verify", games).stdout


def test_a_seat_needs_a_protocol_and_at_a_server_a_token(tmp_path: Path) -> None:
    assert "--mcp: missing" in arena("seat", "greedy", folder=tmp_path).stderr
    assert "--token: missing" in arena("seat", "http://127.0.0.1:9", "--mcp", folder=tmp_path).stderr
