"""A database that was put back, or whose chain was made anew, is found by what has seen it before."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from clubs import league, send_to
from commands import arena
from commands import league as tournament
from forging import forge
from leagues import joined
from msgspec import json
from verifying import audited, runner

from arena.errors import InputError, StoreError
from arena.league import folder as leagues
from arena.league import show, submit
from arena.league.play import LeagueObserver, StopRule, run
from arena.league.rules.events import Retired, encode
from arena.league.show import export
from arena.moments import later, moment, now
from arena.roster.entrant import Entered
from arena.runs.witnesses import RolledBackError, accept, check_not_emptied, differences, links_named, testimonies
from arena.store import chain
from arena.store.chain import SeenLink
from arena.store.folder import Folder
from arena.store.store import Store
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
    return submit.retire(path, "a", "slow")


def seen(path: Path) -> list[int]:
    return [json.decode(line)["count"] for line in (path / chain.NAME).read_bytes().splitlines()]


def test_a_league_that_was_put_back_is_not_written_to_and_says_how_to_continue(path: Path) -> None:
    put_back(path, retired)
    message = r"ends with link 7, but witness\.jsonl has seen its link 8 at .*: it was rolled back to an older copy"
    with pytest.raises(RolledBackError, match=message):
        run(path, runner(), StopRule(rounds=1), LeagueObserver(), None)
    with pytest.raises(RolledBackError, match=message):
        retired(path)
    assert verified(path)[0].endswith("it was rolled back to an older copy; they agree up to link 7, of " + last(path, 7))
    assert show.report(path, None, moment("1d", now())).changes  # who only reads it may


def last(path: Path, count: int) -> str:
    lines = [json.decode(line) for line in (path / chain.NAME).read_bytes().splitlines()]
    return str([line["at"] for line in lines if line["count"] == count][-1])


def test_a_league_that_went_on_from_an_older_copy_is_found_too(path: Path) -> None:
    put_back(path, retired)
    log = (path / chain.NAME).read_bytes()
    (path / chain.NAME).unlink()  # the program would refuse
    for name in ("a", "b"):
        submit.retire(path, name, "for another reason")
    (path / chain.NAME).write_bytes(log)
    assert "another link 8" in verified(path)[0]
    with pytest.raises(RolledBackError):
        submit.reinstate(path, "a")


def test_a_refusal_leaves_the_witness_as_it_was(path: Path) -> None:
    put_back(path, retired)
    for _ in range(2):
        with pytest.raises(RolledBackError):
            retired(path)


def test_a_rollback_is_found_also_if_a_program_that_does_not_look_has_stored_something_since(path: Path) -> None:
    put_back(path, lambda path: [submit.retire(path, name, "slow") for name in ("a", "b")])
    with Store(path / "arena.sqlite", write=True) as store:
        store.add_event(encode(Retired(at=now(), version="b@1")))
    with pytest.raises(RolledBackError, match="has seen its link 9"):
        retired(path)


@pytest.mark.parametrize(
    ("statement", "agree"),
    [
        ("UPDATE event SET content = replace(content, 'slow', 'weak') WHERE id = 8", 7),
        ("DELETE FROM event WHERE id = 8", 7),
        ("UPDATE event SET content = replace(content, '00Z', '01Z') WHERE id = 2", None),
    ],
)
def test_a_chain_that_was_made_anew_is_found_and_located(path: Path, statement: str, agree: int | None) -> None:
    retired(path)
    submit.retire(path, "b", "slow")
    forge(path, statement)
    found = verified(path)[0]
    assert "witness.jsonl has seen its link" in found
    assert ("they agree up to link 7" in found) == (agree == 7), found


def test_a_database_of_other_facts_is_that_of_another_run(path: Path) -> None:
    forge(path, "UPDATE run SET value = 'Monday' WHERE key = 'title'")
    assert "is that of another run: witness.jsonl has seen 7 links of the one before it" in verified(path)[0]
    with pytest.raises(RolledBackError):
        retired(path)


def test_a_witness_behind_the_database_or_without_it_or_moved_with_it_is_no_contradiction(path: Path, tmp_path: Path) -> None:
    retired(path)
    lines = (path / chain.NAME).read_bytes().splitlines(keepends=True)
    (path / chain.NAME).write_bytes(b"".join(lines[:-1]))  # killed between the two
    submit.reinstate(path, "a")
    assert len(verified(path)) == 3
    shutil.copytree(path, tmp_path / "copy")
    path.rename(tmp_path / "moved")
    for place in ("copy", "moved"):
        submit.retire(tmp_path / place, "b", "")
        assert "witness.jsonl has seen link 10" in verified(tmp_path / place)[1]
    (tmp_path / "moved" / chain.NAME).unlink()
    assert len(verified(tmp_path / "moved")) == 2
    submit.reinstate(tmp_path / "moved", "b")
    assert seen(tmp_path / "moved") == [11]


def test_a_rollback_that_is_accepted_is_on_record_and_the_league_continues(path: Path) -> None:
    with pytest.raises(InputError, match="there is no rollback to accept"):
        accept(Folder(path))
    put_back(path, lambda path: [submit.retire(path, name, "slow") for name in ("a", "b")])
    event = accept(Folder(path), "restored the backup of Monday")
    assert event.count == 9
    (path / chain.NAME).write_bytes(b"".join((path / chain.NAME).read_bytes().splitlines(keepends=True)[:-1]))  # killed then
    submit.retire(path, "b", "late")
    assert show.report(path, None, moment("1d", now())).changes[-2:] == (
        "a rollback was accepted: what was stored after, up to link 9, is given up: restored the backup of Monday",
        "b@1 was retired: late",
    )
    message = verified(path)
    assert f"rollback accepted at {event.at}: links 8 to 9 were given up: restored the backup of Monday" in message
    put_back(path, lambda path: submit.reinstate(path, "b"))  # the next one is not accepted with it
    with pytest.raises(RolledBackError):
        submit.reinstate(path, "b")


def test_a_link_that_was_seen_after_a_rollback_was_accepted_is_not_given_up_with_it(path: Path) -> None:
    put_back(path, lambda path: [submit.retire(path, name, "slow") for name in ("a", "b")])
    event = accept(Folder(path))
    with Store(path / "arena.sqlite") as store:
        run = store.link_at(0)
    seen_later = SeenLink(run=run, count=event.count, link="0" * 64, at=later(now(), timedelta(seconds=60)))
    chain.WitnessLog(path / chain.NAME, beside=True).add(seen_later)
    with pytest.raises(RolledBackError, match="has seen its link 9"):
        submit.reinstate(path, "b")
    assert accept(Folder(path)).at == seen_later.at  # although the clock is behind it
    submit.retire(path, "b", "slow")
    assert len([line for line in verified(path) if line.startswith("rollback accepted")]) == 2


def test_a_rollback_is_accepted_up_to_the_highest_link_that_any_witness_has_seen(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(chain.VARIABLE, str(tmp_path / "seen.jsonl"))
    earlier = (path / "arena.sqlite").read_bytes()
    retired(path)
    log = (path / chain.NAME).read_bytes()
    submit.retire(path, "b", "slow")
    (path / chain.NAME).write_bytes(log)
    (path / "arena.sqlite").write_bytes(earlier)
    assert accept(Folder(path)).count == 9
    retired(path)


def test_no_rollback_is_accepted_in_a_database_whose_run_was_lost(path: Path) -> None:
    (path / "arena.sqlite").unlink()
    with Store(path / "arena.sqlite", write=True):
        pass
    with pytest.raises(InputError, match="its database is empty; put it back, or name a new folder for a new run"):
        accept(Folder(path))
    with Store(path / "arena.sqlite") as store:
        assert list(store.events()) == []


@pytest.mark.parametrize("lost", ["emptied", "deleted", "new"])
def test_no_run_begins_where_the_database_of_another_was_lost(path: Path, lost: str) -> None:
    database = path / "arena.sqlite"
    for one in path.glob("arena.sqlite*"):
        one.unlink()
    if lost == "emptied":
        database.touch()
    if lost == "new":
        (path / chain.NAME).unlink()
    with Store(database, write=True) as store:
        if lost == "new":
            check_not_emptied(store)
            return
        with pytest.raises(StoreError, match=r"missing or empty, but witness.jsonl has seen 7 links of a run until .*; put the"):
            check_not_emptied(store)


def test_a_whole_folder_that_was_put_back_is_found_by_a_witness_elsewhere(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(chain.VARIABLE, str(tmp_path / "seen.jsonl"))
    retired(path)
    shutil.copytree(path, tmp_path / "backup")
    submit.reinstate(path, "a")
    shutil.rmtree(path)
    (tmp_path / "backup").rename(path)
    with pytest.raises(RolledBackError, match=rf"ends with link 8, but {tmp_path}/seen.jsonl has seen its link 9"):
        submit.reinstate(path, "a")


def test_an_export_ends_before_its_league_and_is_a_witness_of_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(chain.VARIABLE, str(tmp_path / "seen.jsonl"))
    export(path, tmp_path / "public", now(), now())
    expected = links_named(str(tmp_path / "public"), 16)
    assert (
        expected
        == links_named(str(tmp_path / "public" / "witness.json"), 16)
        == links_named(str(tmp_path / "public" / "index.html"), 16)
    )
    retired(path)
    assert verified(path, *expected)[0].endswith("; the one expected is link 7 of the chain")  # records and events
    assert "seen.jsonl has seen link 8" in verified(tmp_path / "public")[1]
    forge(path, "UPDATE event SET content = replace(content, '00Z', '01Z') WHERE id = 2")
    for log in (path / chain.NAME, tmp_path / "seen.jsonl"):
        log.unlink()  # who can write everything
    assert len(verified(path)) == 2
    assert "expected" in verified(path, *expected)[0]


def test_the_receipt_of_an_upload_names_the_link_and_is_a_witness(path: Path) -> None:
    receipt = send_to(path).receipt
    assert receipt
    assert receipt.count == 7
    retired(path)
    later = send_to(path)
    assert later.receipt
    assert links_named(str(path / "uploads" / later.id / "upload.json"), 16) == (later.receipt.link,)
    with Store(path / "arena.sqlite", write=True, witnessed=False) as store:
        store.cut(7)
    (path / chain.NAME).unlink()
    assert verified(path)[0].startswith("the database ends with link 7, but uploads/000002/upload.json has seen its link 8")


def test_what_names_no_link_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing")
    for text, message in (("abc", "or 16 to 64 hexadecimal digits"), (str(tmp_path / "notes.md"), "names no link")):
        with pytest.raises(InputError, match=message):
            links_named(text, 16)


@pytest.mark.process
def test_a_tournament_that_was_put_back_continues_when_that_is_accepted(tmp_path: Path) -> None:
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
    assert "ends with link 1, but witness.jsonl has seen its link 2" in refused.stderr.splitlines()[-1]
    assert refused.stderr.splitlines()[-1].endswith("`arena run SPEC --accept-rollback`")
    found = arena("verify", folder)
    assert (found.returncode, found.stdout.startswith("difference: the database ends with link 1")) == (1, True)
    again = arena("run", spec, "--results", folder, "--accept-rollback")
    assert again.returncode == 0, again.stderr
    assert "rollback at link 2: accepted at" in (folder / "report.md").read_text()
    checked = arena("verify", folder)
    assert checked.returncode == 0, checked.stdout
    assert "rollback accepted at" in checked.stdout
    assert arena("verify", folder, "--expect", expected).returncode == 1


def test_links_that_are_stored_while_a_run_is_verified_are_no_rollback(path: Path) -> None:
    seen = testimonies(Folder(path))
    with Store(path / "arena.sqlite") as store:
        store.begin_snapshot()
        assert store.facts()
        with leagues.open_league(path, write=True) as opened:
            opened.store.add_event(encode(Retired(at=now(), version="a@1")))
        assert list(differences(Folder(path), store, seen)) == []
