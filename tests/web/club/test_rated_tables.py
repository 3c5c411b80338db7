"""A person plays rated matches at a league's server: with the same cards after a kill, and leaving never pays."""

import asyncio
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from support.commands.calls import arena
from support.leagues.events import joined, versions
from support.leagues.sites import ClubSite, club, entered, isolated, league, play, token
from support.processes.waiting import until
from support.records.reviewed_hands import reviewed_hand
from support.servers.asgi import asked
from support.servers.serving import ask, events, started

from arena.errors import StoreError
from arena.gin.deal import Deal
from arena.gin.match import Hand, Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.shuffling import shuffle
from arena.league import show, side_matches
from arena.league.rules.events import NO_REASON, SideOpened
from arena.league.rules.side_matches import PeopleTerms, SideMatch, open_person
from arena.league.side_matches import matches_of_people, run_folder
from arena.moments import now
from arena.players.base import PlayerFaultError
from arena.runs.review_cache import keep
from arena.store.store import Store
from arena.web.club import people, rated_tables
from arena.web.club.rated_tables import MOST_TABLES, RatedPlace, RatedTables
from arena.web.connection_limits import ConnectionLimits
from arena.web.person import SentMove

State = dict[str, Any]
(VERSION,) = versions(1)
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
    return json.encode(show.league_report(path, None, now()).now.rows)


def keep_review(path: Path) -> None:
    """Keep a review of the first match, as the button on its page does."""
    folder = run_folder(path, matches_of_people(path)[0].opened)
    with Store(folder.database) as store:
        [result] = store.results()
        keep(folder, store.fact("commitment"), "review", [reviewed_hand(result.fixture.id, "cat")])


def opened(number: int = 1, person: str = "cat") -> SideOpened:
    return open_person(person, VERSION, number, 0, PeopleTerms(hands=3), now(), "0" * 64)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ClubSite]:
    """A server of a league in which people play, at tables where nothing is played and stored."""
    numbers = count(1)
    monkeypatch.setattr(people, "open_match", lambda _, person, __: SideMatch(opened(next(numbers), person)))
    monkeypatch.setattr(rated_tables, "play_rated", lambda *_: None)
    monkeypatch.setattr(RatedTables, "_play", lambda *_: None)
    with club(league(tmp_path)) as made:
        made.tables = RatedTables(made.context.path, ConnectionLimits(), lambda: NO_REASON, lambda: None)
        yield ClubSite(made)


def test_no_more_people_begin_at_the_same_moment_than_there_are_tables(site: ClubSite) -> None:
    tokens = [token(site.path, f"person-{number}") for number in range(MOST_TABLES + 2)]

    async def begin() -> list[int]:
        asking = [asked(site.app, "POST", "/people", [b"version=ann-bot"], authorization=f"Bearer {one}") for one in tokens]
        return [answer.status for answer in await asyncio.gather(*asking)]

    assert sorted(asyncio.run(begin())) == [303] * MOST_TABLES + [503] * 2


def test_the_secret_of_a_table_is_not_in_the_access_log(site: ClubSite) -> None:
    table = site.send("/people", b"version=ann-bot", site.ann).headers["location"]
    assert site.get(table).status == 200
    assert site.get(f"{table}hint/1").status == 404
    logged = (site.path / "logs" / "access.jsonl").read_text(encoding="utf-8")
    assert table not in logged
    assert [json.decode(line)["path"] for line in logged.splitlines()] == ["/people", "/people/at/…/", "/people/at/…/hint/1"]


def test_a_number_in_an_address_that_is_too_long_is_not_found(site: ClubSite) -> None:
    table = site.send("/people", b"version=ann-bot", site.ann).headers["location"]
    for address in ("/people/matches/", f"{table}hint/"):
        assert site.get(address + "9" * 5000).status == 404


def test_a_move_whose_sender_closes_the_connection_is_no_error_of_arena(site: ClubSite) -> None:
    table = site.send("/people", b"version=ann-bot", site.ann).headers["location"]
    assert site.send(f"{table}act", b"{", site.ann, ends="closed").status == 400


def test_who_makes_no_move_in_time_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rated_tables, "MOVE_SECONDS", 0.01)
    person, hand = RatedPlace(opened(), ConnectionLimits()).rated, Hand.start(Deal(shuffle("clock"), 0), Rules())
    with pytest.raises(PlayerFaultError, match="left the table"):
        person.ask(see(hand, Scoreline(game=0, hand=0, score=(0, 0), games=(0, 0))))


def test_a_link_to_a_match_is_shown_when_the_pages_know_that_it_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(rated_tables, "play_rated", lambda *_: done.append("stored"))
    tables = RatedTables(tmp_path, ConnectionLimits(), lambda: NO_REASON, lambda: done.append("read"))
    place = RatedPlace(opened(), ConnectionLimits())
    monkeypatch.setattr(place.rated, "finish", lambda _, link: done.append(link))
    tables._play(place)  # noqa: SLF001
    assert done == ["stored", "read", "/people/matches/1"]


def test_a_match_that_cannot_be_played_or_made_void_is_not_said_to_be_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("the disk is full")

    shown: list[str] = []
    monkeypatch.setattr(rated_tables, "play_rated", fail)
    monkeypatch.setattr(rated_tables, "void_match", fail)
    place = RatedPlace(opened(), ConnectionLimits())
    monkeypatch.setattr(place.rated, "finish", lambda text, _: shown.append(text))
    RatedTables(tmp_path, ConnectionLimits(), lambda: NO_REASON, lambda: None)._play(place)  # noqa: SLF001
    assert shown == ["The server cannot play this match now; it continues when the server is started again."]


def test_a_match_whose_seed_cannot_be_stored_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = league(tmp_path, *joined("ann-bot"))
    monkeypatch.setattr(side_matches, "with_rank", lambda *_: ["ann-bot@1"])
    (path / "people").write_text("a file in its place")
    with pytest.raises(StoreError, match="people: cannot be written: File exists"):
        side_matches.open_match(path, "cat", "ann-bot")
    assert matches_of_people(path) == []


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
        keep_review(path)
        assert [one["mark"] for one in json.decode(ask(site, "/people/matches/1/hands").body)["review"]] == ["blunder"]
    assert bots(path) == before
    verified = arena("verify", path)
    assert (verified.returncode, "match 1 of people: 3 hands, 0 differences" in verified.stdout) == (0, True)
    assert "moves no bot's rating" in arena("league", "table", path).stdout.replace("\n", " ")
    assert arena("league", "export", path, tmp_path / "public").returncode == 0
    assert (tmp_path / "public" / "people" / "1" / "arena.sqlite").is_file()
    assert arena("verify", tmp_path / "public").returncode == 0
