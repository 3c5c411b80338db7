"""A person plays rated matches at a league's server: with the same cards after a kill, and leaving never pays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from clubs import entered, isolated, play, token
from commands import arena
from msgspec import json
from serving import ask, events, started
from waiting import until

from arena.league import show
from arena.moments import now
from arena.web.person import SentMove

State = dict[str, Any]
STANDING = ("cards", "pile", "stock", "standing")


def played_until(site: str, table: str, over: Callable[[State], bool]) -> State:
    """Make the first move of each turn until a state is shown, and return it."""
    for line in events(site, f"{table}events"):
        state: State = json.decode(line)
        if over(state):
            return state
        if state["kind"] in ("turn", "hand_over"):
            assert "hint" not in state
            act(site, table, SentMove(state["state"], next(iter(state["moves"])) if state["kind"] == "turn" else "next"))
    raise AssertionError("the events have ended")


def act(site: str, table: str, move: SentMove) -> None:
    assert ask(site, f"{table}act", "POST", body=json.encode(move)).status == 204


def bots(path: Path) -> bytes:
    return json.encode(show.report(path, None, now()).now.rows)


@pytest.mark.process
def test_a_rated_match_goes_on_after_a_kill_counts_for_the_person_alone_and_is_verified(tmp_path: Path) -> None:
    path = entered(tmp_path, lambda folder: isolated(folder, ", people: {hands: 3}"))
    play(path, 2)
    before, bearer = bots(path), f"Bearer {token(path, 'cat')}"
    serve = ("serve", path, "--submit", "--free-mib", 0, "--port", 0)

    def begin(site: str) -> str:
        answer = ask(site, "/people", "POST", body=b"version=ann-bot", Authorization=bearer)
        assert answer.status == 303, answer.text
        return answer.headers["location"]

    with started(*serve) as (server, site):
        until(lambda: ask(site, "/people").status == 200)
        table = begin(site)
        turns = iter(range(4))
        shown = played_until(site, table, lambda state: state["kind"] == "turn" and next(turns) == 3)
        server.kill()
        server.wait()
    with started(*serve) as (_, site):
        until(lambda: ask(site, "/people", Authorization=bearer).status == 200)
        page = ask(site, "/people", Authorization=bearer).text
        key = page.partition('href="/people/at/')[2].partition('"')[0]
        table = f"/people/at/{key}"
        again = played_until(site, table, lambda state: state["kind"] == "turn")
        assert {name: again[name] for name in STANDING} == {name: shown[name] for name in STANDING}
        assert ask(site, "/people", "POST", body=b"version=ben-bot", Authorization=bearer).status == 409
        assert ask(site, "/people/matches/1").status == 403
        assert "counts" in played_until(site, table, lambda state: state["kind"] == "match_over")["text"]
        act(site, begin(site), SentMove(0, "leave"))
        until(lambda: '"matches": 2' in ask(site, "/people.json").text or '"matches":2' in ask(site, "/people.json").text)
        [row] = json.decode(ask(site, "/people.json").body)
        assert (row["person"], row["kind"], row["hands"], row["low"] < row["rating"] < row["high"]) == ("cat", "person", 6, True)
        assert "\N{MINUS SIGN}150" in ask(site, "/people/of/cat").text
        assert "/people/of/cat" in ask(site, "/").text
        assert ask(site, "/people/matches/1").status == 200
        assert len(json.decode(ask(site, "/people/matches/1/hands").body)["hands"]) == 3
    assert bots(path) == before
    verified = arena("verify", path)
    assert (verified.returncode, "match 1 of people: 3 hands, 0 differences" in verified.stdout) == (0, True)
    assert "moves no bot's rating" in arena("league", "table", path).stdout.replace("\n", " ")
    assert arena("league", "export", path, tmp_path / "public").returncode == 0
    assert (tmp_path / "public" / "people" / "1" / "arena.sqlite").is_file()
    assert arena("verify", tmp_path / "public").returncode == 0
