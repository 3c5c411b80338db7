"""A database that was put back, or whose chain was made anew, is found by what has seen it before."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import json
from support.commands.calls import arena
from support.commands.runs import league as tournament
from support.leagues.events import joined
from support.leagues.sites import league, send_to
from support.records.forging import forge, remove_witness
from support.records.verifying import audited, runner

from arena.errors import InputError, StoreError
from arena.league import leagues, membership, show
from arena.league.exported import export
from arena.league.observing import LeagueObserver
from arena.league.play import StopRule, play_rounds
from arena.league.rules.events import encode
from arena.moments import moment, now
from arena.results.links import links_named
from arena.roster.entrant import Entered
from arena.store.store import Store
from arena.store.witness import WITNESS_FILE
from arena.tournament.seeds import commitment


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a league with two bots, whose database ends with link 7."""
    path = league(tmp_path)
    with leagues.open_league(path, write=True) as opened:
        for name in ("a", "b"):
            submitted, *others = joined(name, author=name)
            opened.store.add_event(encode(submitted), Entered(f"{name}@1", "1", "bot.yaml", commitment(f"{name}@1")))
            leagues.add(opened.store, *others)
    return path


def verified(path: Path, *expected: str) -> list[str]:
    """Return the message of `arena verify`, or the first difference."""
    difference, audit = audited(path, *expected)
    return [difference] if difference else list(audit.message())


def put_back(path: Path, change: Callable[[Path], object]) -> None:
    """Change a league, and put its earlier database back."""
    earlier = (path / "arena.sqlite").read_bytes()
    change(path)
    (path / "arena.sqlite").write_bytes(earlier)


def retired(path: Path) -> object:
    return membership.retire(path, "a", "slow")


def test_a_league_that_was_put_back_is_not_written_to_until_its_witness_is_removed(path: Path) -> None:
    put_back(path, retired)
    message = r"the database lacks link 8, which witness\.jsonl has seen at .*; put the newer one back, or remove witness\.jsonl"
    for _ in range(2):  # a refusal changes nothing
        with pytest.raises(StoreError, match=message):
            play_rounds(path, runner(), StopRule(rounds=1), LeagueObserver(), None)
        with pytest.raises(StoreError, match=message):
            retired(path)
    assert "lacks link 8" in verified(path)[0]
    assert show.league_report(path, None, moment("1d", now())).changes  # who only reads it may
    remove_witness(path)
    retired(path)
    assert "witness.jsonl has seen link 8" in verified(path)[1]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET content = replace(content, 'slow', 'weak') WHERE id = 8",
        "DELETE FROM event WHERE id = 8",
        "UPDATE event SET content = replace(content, '00Z', '01Z') WHERE id = 2",
        "UPDATE run SET value = 'Monday' WHERE key = 'title'",
    ],
)
def test_a_chain_that_was_made_anew_is_found(path: Path, statement: str) -> None:
    retired(path)
    forge(path, statement)
    assert "lacks link 8, which witness.jsonl has seen" in verified(path)[0]
    with pytest.raises(StoreError, match="lacks link 8"):
        membership.retire(path, "b", "slow")


def test_a_witness_behind_the_database_or_without_it_or_moved_with_it_is_no_contradiction(path: Path, tmp_path: Path) -> None:
    retired(path)
    lines = (path / WITNESS_FILE).read_bytes().splitlines(keepends=True)
    (path / WITNESS_FILE).write_bytes(b"".join(lines[:-1]))  # killed between the two
    membership.reinstate(path, "a")
    assert len(verified(path)) == 3
    shutil.copytree(path, tmp_path / "copy")
    path.rename(tmp_path / "moved")
    for place in ("copy", "moved"):
        membership.retire(tmp_path / place, "b", "")
        assert "witness.jsonl has seen link 10" in verified(tmp_path / place)[1]
    (tmp_path / "moved" / WITNESS_FILE).unlink()
    assert len(verified(tmp_path / "moved")) == 2
    membership.reinstate(tmp_path / "moved", "b")
    assert [json.decode(line)["count"] for line in (tmp_path / "moved" / WITNESS_FILE).read_bytes().splitlines()] == [11]


def test_the_link_of_an_export_shows_that_chain_and_witness_of_its_league_were_made_anew(path: Path, tmp_path: Path) -> None:
    export(path, tmp_path / "public", now(), now())
    expected = links_named(str(tmp_path / "public"))
    assert (
        expected == links_named(str(tmp_path / "public" / "witness.json")) == links_named(str(tmp_path / "public" / "index.html"))
    )
    retired(path)
    assert verified(path, *expected)[0].endswith("; the one expected is link 7 of the chain")  # records and events
    forge(path, "UPDATE event SET content = replace(content, '00Z', '01Z') WHERE id = 2")
    remove_witness(path)
    assert len(verified(path)) == 2
    assert "expected" in verified(path, *expected)[0]


def test_the_receipt_of_an_upload_names_the_link(path: Path) -> None:
    receipt = send_to(path).receipt
    assert receipt
    assert receipt.count == 7
    retired(path)
    later = send_to(path)
    assert later.receipt
    expected = links_named(str(path / "jobs" / later.id / "job.json"))
    assert expected == (later.receipt.link,)
    assert verified(path, *expected)[0].endswith(", as expected")
    with Store(path / "arena.sqlite", write=True, witnessed=False) as store:
        store.cut(7)
    remove_witness(path)
    assert "expected" in verified(path, *expected)[0]


def test_what_names_no_link_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing")
    for text, message in (("abc", "or 16 to 64 hexadecimal digits"), (str(tmp_path / "notes.md"), "names no link")):
        with pytest.raises(InputError, match=message):
            links_named(text)


@pytest.mark.process
def test_a_tournament_that_was_put_back_is_refused_and_continues_without_its_witness(tmp_path: Path) -> None:
    spec, folder = tournament(tmp_path, "sandbox: none"), tmp_path / "run"
    assert arena("run", spec, "--results", folder).returncode == 0
    for report in ("results.json", "report.md", "report.html"):
        assert arena("verify", folder, "--expect", folder / report).returncode == 0
    with Store(folder / "arena.sqlite") as store:
        expected = store.last_link()
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        database.execute("DELETE FROM run WHERE key = 'finished'")
        for table, column in (("hand", "match"), ("game", "match"), ("match", "id")):
            database.execute(f"DELETE FROM {table} WHERE {column} = 2")  # noqa: S608 - names from above
    refused = arena("run", spec, "--results", folder)
    assert refused.returncode == 2
    assert "the database lacks link 2, which witness.jsonl has seen" in refused.stderr.splitlines()[-1]
    found = arena("verify", folder)
    assert (found.returncode, found.stdout.startswith("difference: the database lacks link 2")) == (1, True)
    remove_witness(folder)
    again = arena("run", spec, "--results", folder)
    assert again.returncode == 0, again.stderr
    assert arena("verify", folder).returncode == 0
    assert arena("verify", folder, "--expect", expected).returncode == 1
