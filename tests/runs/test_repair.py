"""What is lost in the folder of a league is found, named, and repaired, so that the league is played and verifies."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from clubs import send_to
from commands import arena, stored
from learners import SPEC, enter, of_two, play
from msgspec import json
from msgspec.structs import replace
from sizes import size
from syscalls import Interruption, interrupted_everywhere, needs_ptrace
from verifying import audited, runner

from arena.cli.league import Repairs
from arena.errors import InputError, RosterError, StoreError
from arena.league import folder as leagues
from arena.league import submit, uploads
from arena.league.inspection import FolderDifference
from arena.league.intake.scratch import scratch
from arena.league.repair import ACTIONS, differences, repair
from arena.league.rules.events import StateLost, Withdrawn
from arena.league.uploads import UploadLimits
from arena.players.state import EMPTY_DIGEST
from arena.results.stored import StoredRun
from arena.results.verify import Replays
from arena.store.folder import Folder
from arena.store.store import Store


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league of two bots that have learned in two rounds, and have played one match of the third."""
    league = of_two(tmp_path_factory.mktemp("repair"), SPEC.replace("learning: {", "learning: {rounds: 2, "))
    play(league, 5)
    return league


@pytest.fixture
def league(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "league"))


def found(league: Path, *sources: Path) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.name, one.remedies) for one in differences(league, sources)]


def applied(league: Path, *sources: Path) -> list[tuple[str, str]]:
    """Apply the usual remedies, and return what was done."""
    return [(one.name, one.done or one.problem) for one in repair(league, sources, {}, usual=True)]


def verified(league: Path) -> str:
    difference, audit = audited(league)
    return difference or audit.league_difference()


def digests(league: Path) -> dict[str, str]:
    with leagues.open_league(league) as opened:
        return {version.id: version.digest for version in leagues.field(opened.store).versions}


def states(league: Path) -> dict[int, dict[str, str]]:
    """Return what each version has learned, by round."""
    with leagues.open_league(league) as opened:
        return {one.round: dict(one.learned) for one in leagues.history(opened.folder, opened.store).calendar().closed}


def delete(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def truncate(path: Path) -> None:
    file = next(path.rglob("*.py")) if path.is_dir() else path
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-2])


def flip_a_bit(path: Path) -> None:
    file = next(path.rglob("*.py")) if path.is_dir() else path
    file.chmod(0o644)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


@pytest.mark.process
def test_a_league_that_is_as_its_chain_says_has_no_differences_and_a_repair_changes_nothing(league: Path) -> None:
    before = (league / "arena.sqlite").read_bytes()
    assert (found(league), applied(league)) == ([], [])
    assert verified(league) == ""
    assert (league / "arena.sqlite").read_bytes() == before


@pytest.mark.process
@pytest.mark.parametrize("spoil", [delete, truncate, flip_a_bit])
def test_a_copy_of_a_bot_is_restored_from_a_backup_from_its_file_or_by_submitting_it_again(
    league: Path, played: Path, spoil: Callable[[Path], None]
) -> None:
    copy = league / "bots" / digests(league)["a@1"]
    for restore in (
        lambda: applied(league, played),
        lambda: applied(league, league.parent, played.parent / "b.py", played.parent / "a.py"),
        lambda: enter_again(league, played),
    ):
        spoil(copy)
        assert found(league) == [("bot:a@1", ("withdraw",))]
        assert verified(league).startswith("bot:a@1: ")
        assert f"see `arena league repair {league}`" in verified(league)
        restore()
        assert found(league) == []
    play(league, 1)
    assert verified(league) == ""


def enter_again(league: Path, played: Path) -> None:
    shutil.copy(played.parent / "a.py", league.parent)
    with pytest.raises(AssertionError):  # it is known
        enter(league, "a")


@pytest.mark.process
def test_a_bot_whose_copy_is_lost_for_good_is_withdrawn_and_comes_back_if_it_is_found(league: Path, played: Path) -> None:
    delete(league / "bots" / digests(league)["a@1"])
    assert applied(league) == [("bot:a@1", "withdraw")]
    assert (found(league), applied(league)) == ([], [])
    assert verified(league) == ""
    with leagues.open_league(league) as opened:
        assert isinstance(leagues.events_of(opened.store)[-1], Withdrawn)
        assert leagues.field(opened.store).version("a@1").state == "withdrawn"
        again = Replays(Folder(league), opened.store, intact_run(league), runner(), "none")
        assert (again.first_difference(lambda _, __: None), again.skipped) == ("", 5)
    with pytest.raises(RosterError, match=r"no file 'bot\.py'"):
        submit.reinstate(league, "a")
    shutil.copytree(played / "bots" / digests(league)["a@1"], league / "bots" / digests(league)["a@1"])
    assert submit.reinstate(league, "a").state == "active"
    assert verified(league) == ""


def intact_run(league: Path) -> StoredRun:
    difference, audit = audited(league)
    assert difference == ""
    return audit.run


@pytest.mark.process
@pytest.mark.parametrize("spoil", [delete, truncate])
def test_a_state_is_restored_from_a_backup_or_from_its_file(league: Path, played: Path, spoil: Callable[[Path], None]) -> None:
    lost = states(league)[2]["a@1"]
    for source in (played, played / "states" / lost):
        spoil(league / "states" / lost)  # that of b, too: both have learned the same
        assert found(league) == [("state:a@1", ("earlier", "empty")), ("state:b@1", ("earlier", "empty"))]
        with pytest.raises(StoreError, match=lost):
            play(league, 1)
        assert applied(league, source) == [("state:a@1", "restore"), ("state:b@1", "restore")]
        assert found(league) == []
    play(league, 1)
    assert verified(league) == ""


@pytest.mark.process
@pytest.mark.parametrize("remedy", ["earlier", "empty"])
def test_a_bot_that_has_lost_its_state_begins_with_an_earlier_one_and_the_league_verifies_and_is_replayed(
    league: Path, remedy: str
) -> None:
    first, lost = states(league)[1]["a@1"], states(league)[2]["a@1"]
    delete(league / "states" / lost)
    one, other = repair(league, [], {"state:a@1": remedy}, usual=False)
    assert (one.done, other.done) == (remedy, "")
    assert applied(league) == [("state:b@1", "earlier")]
    assert found(league) == []
    with leagues.open_league(league) as opened:
        event = leagues.events_of(opened.store)[-2]
    assert isinstance(event, StateLost)
    assert (event.state, event.instead) == (lost, first if remedy == "earlier" else EMPTY_DIGEST)
    play(league, 3)  # the rest of the round that was open, and the next
    assert verified(league) == ""
    with Store(league / "arena.sqlite") as store:
        again = Replays(Folder(league), store, intact_run(league), runner(), "none")
        assert again.first_difference(lambda _, __: None) == ""
        assert again.alike + again.skipped == len(stored(league)) == 8
        assert again.alike >= 3


@pytest.mark.process
def test_a_state_that_only_earlier_rounds_began_with_is_done_without(league: Path) -> None:
    delete(league / "states" / states(league)[1]["b@1"])
    lost = found(league)
    assert [(name[:13], remedies) for name, remedies in lost] == [("old-state:a@1", ("forget",)), ("old-state:b@1", ("forget",))]
    assert applied(league) == [(name, "forget") for name, _ in lost]
    play(league, 1)
    assert (found(league), verified(league)) == ([], "")


@pytest.mark.process
def test_a_state_that_was_left_in_the_open_round_is_replaced_when_the_round_is_closed(league: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KilledError):
        patch.setattr("arena.league.play._Play._close", killed)
        play(league, 1)
    with Store(league / "arena.sqlite") as store:
        *_, (_, lost) = [one for states in store.left_states() for one in states.by_name()]
    delete(league / "states" / lost)
    assert [one for one, _ in found(league)] == ["next-state:a@1", "next-state:b@1"]
    assert applied(league) == [("next-state:a@1", "earlier"), ("next-state:b@1", "earlier")]
    play(league, 2)
    assert (found(league), verified(league)) == ([], "")


class KilledError(BaseException):
    """Stands for SIGKILL."""


def killed(*_: object) -> None:
    raise KilledError


@pytest.mark.process
@pytest.mark.parametrize("spoil", [delete, flip_a_bit])
def test_the_secret_of_a_season_is_restored_or_the_open_round_is_taken_out(
    league: Path, played: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(league / "season-1.secret")
    assert found(league) == [("secret:1", ("take-out",))]
    assert applied(league, played / "season-1.secret") == [("secret:1", "restore")]
    spoil(league / "season-1.secret")
    enter(league, "c")  # while the round is open
    first, *others = applied(league)
    assert first == ("secret:1", "take-out")
    assert all(name.startswith("orphan:states/") and done == "remove" for name, done in others)  # learned in the open round
    assert (found(league), len(stored(league))) == ([], 4)
    assert verified(league) == ""
    assert "c@1" in digests(league)
    play(league, 3)
    assert verified(league) == ""


@pytest.mark.process
def test_a_season_between_two_rounds_whose_secret_is_lost_is_ended(league: Path) -> None:
    play(league, 1)
    delete(league / "season-1.secret")
    assert found(league) == [("secret:1", ("end-season",))]
    assert applied(league) == [("secret:1", "end-season")]
    play(league, 1)
    assert (found(league), verified(league)) == ([], "")


@pytest.mark.process
def test_a_rollback_is_accepted_first_and_then_the_rest_is_compared_with_what_is_left(league: Path) -> None:
    earlier = (league / "arena.sqlite").read_bytes()
    enter(league, "c")
    copy = league / "bots" / digests(league)["c@1"]
    (league / "arena.sqlite").write_bytes(earlier)
    (league / "league.yaml").write_text("title: Monday\n")
    with pytest.raises(InputError, match="nothing else is repaired before that is accepted: --remedy witness:rollback=accept"):
        repair(league, [], {"file:league.yaml": "rewrite"}, usual=False)
    assert applied(league) == [
        ("witness:rollback", "accept"),
        ("file:league.yaml", "rewrite"),
        (f"orphan:bots/{copy.name}", "remove"),
    ]
    play(league, 1)
    assert (found(league), verified(league)) == ([], "")


@pytest.mark.process
def test_files_that_nothing_needs_are_named_and_removed_but_not_those_of_a_submission_under_way(league: Path) -> None:
    strange = [
        "bots/mine",
        "bots/.new-abc",
        "environments/x",
        "states/notes.txt",
        "states/folder",
        ".league.yaml.new",
        ".publishing",
    ]
    for name in strange:
        path = league / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("") if path.suffix else path.mkdir()
    assert {name for name, _ in found(league)} == {f"orphan:{name}" for name in strange}
    play(league, 1)  # a folder among the states stops nobody
    assert {done for _, done in applied(league)} == {"remove"}
    assert found(league) == []
    with leagues.open_league(league) as opened, scratch(opened.bots):
        assert found(league) == []


@pytest.mark.process
def test_a_copy_that_was_an_orphan_stays_if_its_bot_has_been_submitted_since(league: Path) -> None:
    copy = Path("bots", next(iter(digests(league).values())))
    orphan = FolderDifference("orphan", str(copy), str(copy), "nothing", "none", ("remove",))
    with leagues.open_league(league) as opened:
        ACTIONS["remove"](opened, orphan)
    assert (league / copy).is_dir()


@pytest.mark.process
def test_uploads_that_are_lost_stop_no_server(league: Path) -> None:
    numbers = [send_to(league).id for _ in range(3)]
    folders = [league / "uploads" / number for number in numbers]
    shutil.copytree(league, league.parent / "backup")
    truncate(folders[0] / "upload.json")
    delete(folders[1] / "body" / "mine.py")
    joined = json.decode((folders[2] / "upload.json").read_bytes(), type=uploads.Upload)
    joined = replace(joined, state="joined", version="zoe@1", ended=joined.at)
    (folders[2] / "upload.json").write_bytes(json.encode(joined))
    with pytest.raises(StoreError, match="arena league repair"), uploads.open_inbox(league, UploadLimits()):
        pass
    assert [remedies for _, remedies in found(league)] == [("set-aside",), ("refuse",), ("refuse",)]
    assert found(league, league) == found(league), "no source is better"
    first = repair(league, [league.parent / "backup"], {"upload:000001": "restore"}, usual=False)[0]
    assert first.done == "restore"
    truncate(folders[0] / "upload.json")
    assert [done for _, done in applied(league)] == ["set-aside", "refuse", "refuse"]
    assert found(league) == []
    with uploads.open_inbox(league, UploadLimits()) as inbox:
        assert [(one.id, one.state) for one in inbox.all()] == [("000002", "refused"), ("000003", "refused")]
    assert (league / "uploads" / "lost-1-000001" / "body" / "mine.py").exists()


@pytest.mark.process
def test_other_files_are_written_again_or_set_aside(league: Path) -> None:
    (league / "tokens.json").write_text("{")
    (league / "results.cache").write_bytes(b"")
    (league / "league.yaml").write_bytes(b"\xff")
    assert differences(league, ())[0].found == "another text"
    assert applied(league) == [("file:league.yaml", "rewrite"), ("file:tokens.json", "set-aside")]
    assert (league / "lost-1-league.yaml").read_bytes() == b"\xff"
    assert found(league) == []


@pytest.mark.process
def test_a_spec_that_is_not_the_leagues_and_tokens_that_cannot_be_read_do_not_verify(league: Path) -> None:
    spec = league / "league.yaml"
    spec.write_bytes(spec.read_bytes()[:-20])
    assert verified(league).startswith("file:league.yaml: another text; ")
    repair(league, (), {"file:league.yaml": "rewrite"}, usual=False)
    assert verified(league) == ""
    (league / "tokens.json").write_text("[")
    assert verified(league).startswith("file:tokens.json: ")


def test_a_database_that_was_changed_is_repaired_by_nobody(league: Path) -> None:
    with closing(sqlite3.connect(league / "arena.sqlite")) as database, database:
        database.execute("UPDATE hand SET points = points + 1 WHERE match = (SELECT max(id) FROM match)")
    [(name, remedies)] = found(league)
    assert (name, remedies) == ("database:arena.sqlite", ())
    assert applied(league) == [(name, "")]


@pytest.mark.process
def test_only_a_remedy_that_is_offered_is_applied(league: Path) -> None:
    delete(league / "bots" / digests(league)["a@1"])
    for name, remedy, message in (
        ("bot:a@1", "empty", "expected one of withdraw"),
        ("bot:z@1", "withdraw", "expected one of bot:a@1"),
    ):
        with pytest.raises(InputError, match=message):
            repair(league, [], {name: remedy}, usual=False)


@pytest.mark.process
def test_what_has_no_copies_is_only_a_database_and_is_verified_as_such(league: Path, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    play(league, 1)  # the seed of an open round is not in the database
    shutil.copy(league / "arena.sqlite", tmp_path / "alone")
    assert verified(tmp_path / "alone") == ""


@pytest.fixture
def in_memory(league: Path) -> Iterator[Path]:
    with TemporaryDirectory(dir="/dev/shm") as folder:
        yield Path(shutil.copytree(league, Path(folder, "league")))


@needs_ptrace
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("how", Interruption)
def test_a_repair_that_is_interrupted_anywhere_is_continued_by_the_same_command(
    in_memory: Path, played: Path, how: Interruption
) -> None:
    everything_wrong(in_memory, played, how, step=size(48, 1))


def everything_wrong(league: Path, played: Path, how: Interruption, step: int) -> None:
    """Damage a league in many ways, and interrupt its repair at every ``step``-th system call."""
    names, learned = digests(league), states(league)
    delete(league / "bots" / names["a@1"])
    flip_a_bit(league / "bots" / names["b@1"])
    delete(league / "states" / learned[2]["a@1"])
    delete(league / "states" / learned[1]["b@1"])
    delete(league / "season-1.secret")
    (league / "states" / "x").mkdir()
    (league / "league.yaml").unlink()
    spoiled = league.with_name("spoiled")
    league.rename(spoiled)

    def prepare() -> None:
        shutil.rmtree(league, ignore_errors=True)
        shutil.copytree(spoiled, league)

    def work() -> None:
        assert all(one.done for one in repair(league, [played.parent / "b.py"], {}, usual=True))

    for stop in interrupted_everywhere(work, prepare, how, step):
        repair(league, [played.parent / "b.py"], {}, usual=True)
        assert found(league) == [], stop
        assert verified(league) == "", stop


@pytest.mark.process
def test_the_command_lists_repairs_and_ends_with_what_is_left(league: Path) -> None:
    whole = arena("league", "repair", league)
    assert (whole.returncode, whole.stdout) == (0, f"{league}: the folder is as the chain says\n")
    delete(league / "bots" / digests(league)["a@1"])
    listed = arena("league", "repair", league, "--json")
    (one,) = json.decode(listed.stdout, type=Repairs).differences
    assert (listed.returncode, one.name, one.remedies, one.done) == (1, "bot:a@1", ("withdraw",), "")
    checked = arena("verify", league)
    assert (checked.returncode, checked.stdout.startswith("difference: bot:a@1: ")) == (1, True)
    shown = arena("league", "repair", league).stdout.splitlines()
    assert "  remedy: withdraw: have the version play no more; that is stored in the chain" in shown
    assert shown[-1] == "1 difference; --apply applies the first remedy of each, --remedy NAME=REMEDY another"
    done = arena("league", "repair", league, "--remedy", "bot:a@1=withdraw")
    assert (done.returncode, "  done: withdraw: " in done.stdout) == (0, True)
    with Folder(league).lock():
        busy = arena("league", "repair", league, "--apply")
        assert (busy.returncode, "is playing it already" in busy.stderr) == (3, True)
