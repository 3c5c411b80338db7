"""A league and a table whose servers have 1,024 descriptors work for everybody else while 2,800 connections are held open."""

import re
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import json
from support.hostile.flooding import REQUESTS, Source, drip, health, held, many_addresses, one_address
from support.leagues.sites import BOT, isolated, token
from support.processes.waiting import until
from support.servers.serving import ask, events, started

HELD = 1400  # connections of each attack
ATTACKS = ("half a head", "event streams")
OTHER = "127.0.0.77"  # the address of everybody else
DESCRIPTORS = 1024

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not shutil.which("prlimit"), reason="prlimit is not installed"),
]


@pytest.fixture(autouse=True)
def enough_descriptors() -> None:
    """Let this process hold both attacks open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2 * HELD + 500:
        pytest.skip(f"this process may have {hard} descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@contextmanager
def attacked(address: str, source: Source) -> Iterator[None]:
    """Hold both attacks open."""
    one, other = (REQUESTS[name] for name in ATTACKS)
    with held(address, one, HELD, source) as lines, held(address, other, HELD, source):
        drip(lines)
        yield


def numbers(address: str) -> dict[str, float]:
    """Return the metrics of a league."""
    lines = ask(address, "/metrics", source=OTHER).text.splitlines()
    return {name: float(value) for name, value in (line.split() for line in lines if not line.startswith("#"))}


@pytest.mark.parametrize("source", [one_address, many_addresses])
def test_an_author_submits_and_health_answers_while_strangers_hold_connections_open(tmp_path: Path, source: Source) -> None:
    path = isolated(tmp_path)
    text = token(path, "ann")
    with started("serve", path, "--submit", "--free-mib", 0, "--port", 0, descriptors=DESCRIPTORS) as (server, address):
        until(lambda: ask(address, "/").status == 200)
        with attacked(address, source):
            signed = f"Bearer {text}"
            sent = ask(address, "/api/uploads?file=mine.py", "POST", body=BOT, source=OTHER, Authorization=signed)
            assert sent.status == 201
            assert health(address) < float("inf")
            assert health(address, OTHER) < float("inf")
            until(lambda: b'"joined"' in ask(address, "/api/uploads/000001", source=OTHER, Authorization=signed).body)
            found = numbers(address)
            assert found["arena_connections"] <= found["arena_connections_most"] < DESCRIPTORS
            assert len(list(Path(f"/proc/{server.pid}/fd").iterdir())) < DESCRIPTORS
        assert server.poll() is None
        server.send_signal(2)
        server.wait()
        assert server.stderr
        assert server.stderr.read() == ""


def test_a_person_plays_while_strangers_hold_connections_open() -> None:
    message = r"(http://127\.0\.0\.1:\d+/[\w-]+/)"
    with started("play", "greedy", "--web", "--port", 0, message=message, descriptors=DESCRIPTORS) as (_, place):
        address, key = re.fullmatch(r"(http://[^/]+/)(.*)", place).groups()  # type: ignore[union-attr]
        with attacked(address, many_addresses):
            shown = events(address, f"/{key}events")
            state = json.decode(next(shown))
            while not state.get("moves"):
                state = json.decode(next(shown))
            body = json.encode({"state": state["state"], "move": next(iter(state["moves"]))})
            assert ask(address, f"/{key}act", "POST", body=body, Origin=address.rstrip("/")).status == 204
            assert json.decode(next(shown))["state"] > state["state"]
