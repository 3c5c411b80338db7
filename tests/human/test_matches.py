"""A person's match that a signal, the end of input or a crash stops is not lost: the command that is named continues it."""

import shlex
import signal
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import decode, encode
from support.commands.calls import arena
from support.commands.runs import stored
from support.servers.serving import ask, events, started

from arena.errors import DamagedError
from arena.human.stopped_match import UnfinishedMatch
from arena.records import HandAction, MatchSoFar
from arena.store.folder import Folder
from arena.web.person import SentMove

OPTIONS = ("--target", 10, "--best-of", 1)
STANDING = ("standing", "cards", "pile", "stock", "known")  # what a turn shows of the hand
Shown = dict[str, Any]


def turn(link: str, moves: int = 0) -> Shown:
    """Make some moves by the hint, and return the next turn that the page shows."""
    site, key = link.rstrip("/").rsplit("/", 1)
    answered = 0
    for line in events(site, f"/{key}/events"):
        state: Shown = decode(line)
        if state["kind"] not in ("turn", "hand_over") or state["state"] <= answered:
            continue
        if state["kind"] == "turn" and moves == 0:
            return state
        answered = state["state"]
        moves -= state["kind"] == "turn"
        move = SentMove(answered, state["hint"]["move"] if state["kind"] == "turn" else "next")
        assert ask(site, f"/{key}/act", "POST", body=encode(move), Origin=site).status == 204
    raise AssertionError("the events have ended")


@pytest.mark.process
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_match_in_a_browser_continues_where_it_was_stopped(tmp_path: Path, how: signal.Signals) -> None:
    command = ("play", "greedy", "--web", *OPTIONS, "--results", tmp_path / "match")
    with started(*command, "--seed", "abc") as (server, link):
        before = turn(link, 3)
        server.send_signal(how)
        assert server.wait(60) == (-how if how is signal.SIGKILL else 3)
        said = server.stderr.read() if server.stderr else ""
    assert stored(tmp_path / "match") == {}
    if how is not signal.SIGKILL:
        again = shlex.join(["arena", *map(str, command)])
        assert said.splitlines()[-1] == f"stopped; the match is kept: `{again}` continues it"
    with started(*command) as (_, link):
        after = turn(link)
    assert {name: after[name] for name in STANDING} == {name: before[name] for name in STANDING}


@pytest.mark.process
def test_a_match_in_a_terminal_that_is_stopped_by_the_end_of_input_is_played_to_its_end(tmp_path: Path) -> None:
    command = ("play", "greedy", *OPTIONS, "--results", tmp_path / "match")
    begun = arena(*command, "--seed", "s", typed="p\n")
    assert (begun.returncode, stored(tmp_path / "match")) == (3, {})
    assert begun.stderr.endswith("continues it\n")
    done = arena(*command, typed="q\n")
    assert done.returncode == 0, done.stderr
    (record,) = stored(tmp_path / "match").values()
    assert record.hands[0].actions.startswith("pass ")
    assert {fault.detail for fault in record.faults} == {"left the table"}
    assert not Folder(tmp_path / "match").unfinished_match.exists()
    assert arena("verify", tmp_path / "match").returncode == 0


def test_a_file_that_is_damaged_or_of_another_run_is_named(tmp_path: Path) -> None:
    match = UnfinishedMatch(Folder(tmp_path), "one")
    kept = MatchSoFar(actions=(HandAction("pass", 1, "a note"),))
    assert match.read() == MatchSoFar()
    match.keep(kept)
    assert match.read() == kept
    expected = r"belongs to another run; expected that of the commitment [0-9a-f]{12}…"
    with pytest.raises(DamagedError, match=rf"unfinished\.json: {expected}"):
        UnfinishedMatch(Folder(tmp_path), "two").read()
    Folder(tmp_path).unfinished_match.write_text("{", encoding="utf-8")
    with pytest.raises(DamagedError, match=r"unfinished\.json: Input data was truncated"):
        match.read()
