"""The commands that read a run: report, replay, verify; and the list of bots."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from commands import arena, document, filed, league
from msgspec import json

from arena.store.store import Store


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run; not to be changed."""
    folder = tmp_path_factory.mktemp("reading")
    assert arena("run", league(folder, "format: {pairs: 2}"), "--results", folder / "run", "--seed", "s").returncode == 0
    return folder / "run"


@pytest.fixture
def copied(run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(run, tmp_path / "run")


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        database.executescript(statement)


def test_a_report_is_made_again_from_the_database_alone(copied: Path) -> None:
    before = {name: (copied / name).read_text() for name in ("report.md", "results.json", "standings.csv")}
    for name in (*before, "spec.yaml", "arena.log"):
        (copied / name).unlink()
    done = arena("report", copied)
    assert done.returncode == 0
    assert "Standings" in done.stdout
    assert {name: (copied / name).read_text() for name in before} == before


def test_numbers_of_a_report_are_those_of_the_records(run: Path) -> None:
    records = filed(run).values()
    report = json.decode((run / "results.json").read_bytes())
    assert report["matches"] == len(records) == 4
    assert report["hands"] == sum(len(record.hands) for record in records)
    points = {row["entrant"]: row["counts"]["points_for"] for row in report["standings"]}
    for name, scored in points.items():
        assert scored == sum(
            hand.points
            for record in records
            for hand in record.hands
            if hand.winner is not None and record.fixture.seats[hand.winner] == name
        )


def test_the_only_run_in_a_folder_of_runs_is_meant(run: Path) -> None:
    assert arena("verify", run.parent).stdout.endswith(" hands, 0 differences\n")


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE hand SET points = points + 1 WHERE match = 2 AND number = 0", "one:two/"),
        ("UPDATE match SET winner = 1 - winner WHERE id = 3", "one:two/"),
        ("UPDATE game SET total0 = total0 + 1 WHERE match = 1", "one:two/"),
        ("UPDATE run SET value = 'another seed' WHERE key = 'seed'", "run: seed: changed since the run began"),
        ("DELETE FROM hand WHERE match = 4 AND number = 0", "one:two/"),
        ("UPDATE match SET usage = '[{},{}]' WHERE id = 1", "one:two/"),
        ("DELETE FROM hand WHERE match = 4; DELETE FROM game WHERE match = 4; DELETE FROM match WHERE id = 4", "run: finished: "),
    ],
)
def test_whatever_was_changed_in_the_database_is_found(copied: Path, statement: str, told: str) -> None:
    change(copied, statement)
    done = arena("verify", copied)
    assert done.returncode == 1
    assert done.stdout.startswith(f"difference: {told}")


def test_a_run_is_shown_from_above(run: Path) -> None:
    fixtures = arena("replay", run).stdout.splitlines()
    assert [line.partition(": ")[0] for line in fixtures] == sorted(filed(run))
    record = filed(run)["one:two/0/0"]
    hands = arena("replay", run, "one:two/0/0").stdout.splitlines()
    assert [line.partition(":")[0] for line in hands] == [f"{hand.game}.{hand.hand}" for hand in record.hands]
    turns = arena("replay", run, "one:two/0/0", "0.0").stdout.splitlines()
    assert turns[0].startswith("one:two/0/0, game 0, hand 0; ")
    assert turns[1].startswith("upcard ")
    assert len(turns) > 5
    assert any(re.search(r"   \d+\.\d\d ms$", turn) for turn in turns)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nobody",), "no fixture 'nobody' on record"),
        (("one:two/0/0", "9.9"), "no hand '9.9' in one:two/0/0; expected 0.0 to 0."),
        (("one:two/0/0", "x"), "no hand 'x' in one:two/0/0"),
    ],
)
def test_what_is_not_on_record_is_told(run: Path, arguments: tuple[str, ...], told: str) -> None:
    done = arena("replay", run, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_of_a_newer_arena_is_refused(copied: Path) -> None:
    change(copied, "PRAGMA user_version = 99")
    for name in ("report", "replay", "verify"):
        done = arena(name, copied)
        assert (done.returncode, done.stdout) == (2, "")
        assert "made by a newer arena" in done.stderr


def test_a_run_that_has_not_begun_is_told(tmp_path: Path) -> None:
    with Store(tmp_path / "arena.sqlite", write=True):
        pass
    for name in ("report", "verify"):
        done = arena(name, tmp_path)
        assert done.returncode == 2
        assert done.stderr == f"arena: {tmp_path}/arena.sqlite: holds a run that has not begun; arena run begins it\n"


def test_bots_are_listed_as_one_document_or_as_lines() -> None:
    bots = document("bots", "list", "--json")
    assert {"greedy", "cautious", "random-legal"} <= {bot["name"] for bot in bots}
    assert all(len(bot["digest"]) == 64 for bot in bots if "error" not in bot)  # a guest whose program is not installed
    lines = arena("bots", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [bot["name"] for bot in bots]
