"""The commands that read a run: report, replay, verify; and the list of bots."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import json
from support.commands.calls import arena, document
from support.commands.runs import finished_run, stored
from support.records.forging import forge, remove_witness

from arena.store.store import Store


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run; not to be changed."""
    return finished_run(tmp_path_factory.mktemp("reading"), "format: {pairs: 2}")


@pytest.fixture
def copied(run: Path, tmp_path: Path) -> Path:
    return shutil.copytree(run, tmp_path / "run")


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "arena.sqlite")) as database, database:
        database.executescript(statement)


@pytest.mark.process
def test_a_report_is_made_again_from_the_database_alone(copied: Path) -> None:
    before = {name: (copied / name).read_text() for name in ("report.md", "results.json", "standings.csv")}
    for name in (*before, "spec.yaml", "arena.log"):
        (copied / name).unlink()
    done = arena("report", copied)
    assert done.returncode == 0
    assert "Standings" in done.stdout
    assert {name: (copied / name).read_text() for name in before} == before


@pytest.mark.process
def test_numbers_of_a_report_are_those_of_the_records(run: Path) -> None:
    records = stored(run).values()
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
    ("statement", "message"),
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
def test_whatever_was_changed_in_the_database_is_found(copied: Path, statement: str, message: str) -> None:
    change(copied, statement)
    done = arena("verify", copied)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"difference: {message}")
    assert len(done.stdout.splitlines()) == 1


def test_a_run_is_shown_from_above(run: Path) -> None:
    fixtures = arena("replay", run).stdout.splitlines()
    assert [line.partition(": ")[0] for line in fixtures] == sorted(stored(run))
    record = stored(run)["one:two/0/0"]
    hands = arena("replay", run, "one:two/0/0").stdout.splitlines()
    assert [line.partition(":")[0] for line in hands] == [f"{hand.game}.{hand.hand}" for hand in record.hands]
    turns = arena("replay", run, "one:two/0/0", "0.0").stdout.splitlines()
    assert turns[0].startswith("one:two/0/0, hand 0.0; ")
    assert turns[1].startswith("upcard ")
    assert len(turns) > 5
    assert any(re.search(r"   \d+\.\d\d ms$", turn) for turn in turns)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody",), "fixture 'nobody' not found"),
        (("one:two/0/0", "9.9"), "no hand '9.9' in one:two/0/0; expected 0.0 to 0."),
        (("one:two/0/0", "x"), "no hand 'x' in one:two/0/0"),
    ],
)
def test_what_is_not_on_record_is_shown(run: Path, arguments: tuple[str, ...], message: str) -> None:
    done = arena("replay", run, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_of_a_newer_arena_is_refused(copied: Path) -> None:
    change(copied, "PRAGMA user_version = 99")
    for name in ("report", "replay", "verify"):
        done = arena(name, copied)
        assert (done.returncode, done.stdout) == (2, "")
        assert "made by a newer arena" in done.stderr


def test_a_run_that_has_not_begun_is_shown(tmp_path: Path) -> None:
    with Store(tmp_path / "arena.sqlite", write=True):
        pass
    for name in ("report", "verify"):
        done = arena(name, tmp_path)
        assert done.returncode == 2
        assert done.stderr == f"arena: {tmp_path}/arena.sqlite: the run has not begun; arena run begins it\n"


@pytest.mark.process
def test_bots_are_listed_as_one_document_or_as_lines() -> None:
    bots = document("bots", "list", "--json")["bots"]
    assert {"greedy", "cautious", "random-legal"} <= {bot["name"] for bot in bots}
    assert all(len(bot["digest"]) == 64 for bot in bots if "error" not in bot)  # a guest whose program is not installed
    lines = arena("bots", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [bot["name"] for bot in bots]


def lines(*arguments: object) -> tuple[int, list[str]]:
    """Return the exit code and the lines of a command that has nothing to say on standard error."""
    done = arena(*arguments)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


UNFINISHED = "DELETE FROM run WHERE key = 'finished';"
LAST = "DELETE FROM hand WHERE match > 3; DELETE FROM game WHERE match > 3; DELETE FROM match WHERE id > 3;"

COPY = """
    CREATE TEMP TABLE copied AS SELECT * FROM {0} WHERE {1} = 1; UPDATE copied SET {1} = 9{2};
    INSERT INTO {0} SELECT * FROM copied; DROP TABLE copied;
"""
COPIES = (("match", "id", ", fixture = 'again'"), ("game", "match", ""), ("hand", "match", ""))
TWICE = LAST + "".join(COPY.format(*one) for one in COPIES)

SWAP = """
    UPDATE entrant SET name = 'x' WHERE name = 'one'; UPDATE entrant SET name = 'one' WHERE name = 'two';
    UPDATE entrant SET name = 'two' WHERE name = 'x'
"""


@pytest.mark.process
def test_a_match_or_an_end_that_is_missing_is_shown_as_unfinished(copied: Path) -> None:
    remove_witness(copied)  # which would show that the last match was removed
    change(copied, UNFINISHED)
    code, (link, unfinished, judged) = lines("verify", copied)
    assert (code, unfinished) == (3, "unfinished: 4 of 4 matches are on record, but not that the run is over")
    change(copied, LAST)
    code, (link, unfinished, judged) = lines("verify", copied)
    assert link.startswith("link ")
    assert (code, unfinished) == (3, "unfinished: 3 of 4 matches are on record")
    assert judged.endswith(" hands, 0 differences")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (LAST, r"one:two/\d/\d: not on record, and the run is said to be finished; 3 of 4 matches are on record"),
        ("UPDATE match SET fixture = 'one:two/7/0' WHERE fixture = 'one:two/1/0'", "one:two/7/0: .* instead of one:two/1/0"),
        (
            "UPDATE run SET value = replace(value, 'pairs: 2', 'pairs: 1')",
            "one:two/1/0: on record, but the format does not ask for it",
        ),
        (TWICE, r"again: a second record of one:two/\d/\d"),
    ],
)
def test_records_are_compared_with_the_fixtures_even_if_the_chain_was_made_anew(copied: Path, statement: str, message: str) -> None:
    forge(copied, statement)
    remove_witness(copied)
    code, (line,) = lines("verify", copied)
    assert code == 1
    assert re.fullmatch(f"difference: {message}", line), line


@pytest.mark.process
def test_every_report_shows_the_last_link_and_verify_checks_it(copied: Path) -> None:
    code, (first, *_) = lines("verify", copied)
    link = first.removeprefix("link ")
    assert (code, len(link)) == (0, 64)
    assert json.decode((copied / "results.json").read_bytes())["provenance"]["link"] == link
    for name in ("report.md", "report.html"):
        assert link in (copied / name).read_text()
    assert f"link {link}" in arena("report", copied).stdout.splitlines()
    for expected in (link, link[:16], link.upper()):
        code, (first, *_) = lines("verify", copied, "--expect", expected)
        assert (code, first) == (0, f"link {link}, as expected")
    code, (line,) = lines("verify", copied, "--expect", "0" * 16)
    assert (code, line) == (1, f"difference: the last link is {link}; expected {'0' * 16}")


@pytest.mark.parametrize("expected", ["0" * 15, "0" * 65, "x" * 16])
def test_what_can_be_no_link_is_shown(run: Path, expected: str) -> None:
    done = arena("verify", run, "--expect", expected)
    assert done.returncode == 2
    assert done.stderr == (
        f"arena: --expect {expected!r}: no such file; expected a report, a receipt, a citation or an export,"
        " or 16 to 64 hexadecimal digits, as a report shows them after `link`\n"
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE hand SET luck = 1.5 WHERE match = 1 AND number = 0;",
        "UPDATE entrant SET digest = replace(digest, 'a', 'b');",
        "UPDATE entrant SET version = 'other';",
        "UPDATE run SET value = replace(value, '\"profile\":\"', '\"profile\":\"X') WHERE key = 'walls';",
        "UPDATE run SET value = '9' WHERE key = 'arena';",
        "UPDATE entrant SET digest = (SELECT digest FROM entrant AS other WHERE other.place = 1) WHERE place = 0;",
    ],
)
def test_a_forger_who_removes_the_witness_too_is_found_by_the_link_of_a_report(copied: Path, statement: str) -> None:
    link = json.decode((copied / "results.json").read_bytes())["provenance"]["link"]
    forge(copied, statement)
    assert lines("verify", copied)[0] == 1
    remove_witness(copied)
    assert lines("verify", copied)[0] == 0
    code, (line,) = lines("verify", copied, "--expect", link[:20])
    assert code == 1
    assert line.endswith(f"; expected {link[:20]}")


def test_swapped_names_are_found_even_without_it(copied: Path) -> None:
    forge(copied, SWAP)
    remove_witness(copied)
    assert lines("verify", copied)[0] == 1


@pytest.mark.process
def test_the_link_of_a_report_that_was_made_while_the_run_went_on_is_found_in_the_chain(copied: Path, tmp_path: Path) -> None:
    early = shutil.copytree(copied, tmp_path / "early")
    change(early, UNFINISHED + LAST)
    assert arena("report", early).returncode == 0
    link = json.decode((early / "results.json").read_bytes())["provenance"]["link"]
    code, (first, *_) = lines("verify", copied, "--expect", link)
    assert code == 0
    assert first.endswith("; the one expected is link 3 of the chain")


@pytest.mark.process
def test_records_that_a_damaged_write_ahead_log_has_lost_are_shown(copied: Path, tmp_path: Path) -> None:
    left = tmp_path / "left"
    with Store(copied / "arena.sqlite") as whole, Store(tmp_path / "arena.sqlite", write=True) as store:
        store.begin({key: value for key, value in whole.facts().items() if key != "finished"}, whole.field())
        for record in whole.records():
            store.add(record)
        shutil.copytree(tmp_path, left, ignore=shutil.ignore_patterns("run", "left"))
    assert lines("verify", left)[0] == 3
    log = left / "arena.sqlite-wal"
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)
    code, (line,) = lines("verify", left)
    assert code == 1
    assert line.startswith("difference: the database lacks link 4, which witness.jsonl has seen at "), line
