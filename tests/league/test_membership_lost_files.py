"""What is lost in the folder of a league is named by `arena verify`, and a bot whose files are lost for good can be withdrawn."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.leagues.learners import SPEC, enter, of_two, play
from support.records.verifying import audited, runner

from arena.errors import RosterError, StoreError
from arena.league import leagues, membership
from arena.league.inspection import differences
from arena.plugins.manager import installed_kinds
from arena.results.replays import Replays
from arena.runs.confined_reading import confined_reader
from arena.runs.named_parts import sandbox
from arena.runs.stored import StoredRun
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder
from arena.store.store import Store


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league of two bots that have learned in two rounds, and have played one match of the third."""
    league = of_two(tmp_path_factory.mktemp("lost"), SPEC.replace("learning: {", "learning: {rounds: 2, "))
    play(league, 5)
    return league


@pytest.fixture
def league(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "league"))


def found(league: Path) -> list[str]:
    with leagues.open_league(league) as opened:
        return [one.name for one in differences(opened)]


def verified(league: Path) -> str:
    difference, audit = audited(league)
    return difference or audit.difference_beside()


def intact_run(league: Path) -> StoredRun:
    difference, audit = audited(league)
    assert difference == ""
    return audit.run


def copy_of(league: Path, version: str) -> Path:
    with leagues.open_league(league) as opened:
        return league / "bots" / leagues.field(opened.store).version(version).digest


def states(league: Path) -> dict[int, dict[str, str]]:
    """Return what each version has learned, by round."""
    with leagues.open_league(league) as opened:
        return {one.round: dict(one.learned) for one in leagues.history(opened.folder, opened.store).calendar().closed}


def delete(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def truncate(path: Path) -> None:
    file = next(path.rglob("*.py")) if path.is_dir() else path
    file.chmod(0o644)
    file.write_bytes(file.read_bytes()[:-1])


@pytest.mark.process
def test_nothing_is_missing_in_a_league_that_is_whole(league: Path) -> None:
    assert (found(league), verified(league)) == ([], "")


@pytest.mark.process
@pytest.mark.parametrize("spoil", [delete, truncate])
def test_a_copy_that_was_lost_is_named_and_comes_back_when_its_bot_is_submitted_again(
    league: Path, played: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(copy_of(league, "a@1"))
    assert verified(league).startswith("bot:a@1: ")
    assert verified(league).endswith("; a backup restores it")
    shutil.copy(played.parent / "a.py", league.parent)
    with pytest.raises(AssertionError):  # it is known
        enter(league, "a")
    assert verified(league) == ""


@pytest.mark.process
def test_a_bot_whose_copy_is_lost_for_good_is_withdrawn_and_comes_back_if_it_is_found(league: Path, played: Path) -> None:
    delete(copy_of(league, "a@1"))
    assert membership.withdraw(league, "a", "lost with a disk").state == "withdrawn"
    assert (found(league), verified(league)) == ([], "")
    with Store(league / "arena.sqlite") as store:
        again = Replays(store, intact_run(league), runner(), "none")
        assert (again.first_difference(lambda _, __: None), again.skipped) == ("", 5)
    with pytest.raises(RosterError, match=r"no file 'bot\.py'"):
        membership.reinstate(league, "a")
    shutil.copytree(copy_of(played, "a@1"), copy_of(league, "a@1"))
    assert membership.reinstate(league, "a").state == "active"
    assert verified(league) == ""


@pytest.mark.process
def test_a_withdrawn_bot_whose_copy_is_still_there_is_asked_what_it_would_play(league: Path) -> None:
    membership.withdraw(league, "a", "its author has asked for it")
    with Store(league / "arena.sqlite") as store, confined_reader(sandbox("none", [])) as reader:
        run = stored_run(Folder(league), store, installed_kinds())
        number = run.names.index("a@1")
        found, stand_in = run.find_bot(number, reader).launch, run.bot_of_replay(number, reader).launch
        assert found.folder == str(copy_of(league, "a@1"))
        assert "it was withdrawn" in " ".join(stand_in.command)


@pytest.mark.process
def test_a_spec_of_the_organisers_own_in_the_folder_of_a_league_is_no_difference(league: Path) -> None:
    (league / "spec.yaml").write_text("title: A cup\n")
    assert verified(league) == ""


@pytest.mark.process
def test_a_bot_whose_state_is_lost_is_withdrawn_and_begins_with_nothing_if_it_plays_again(league: Path) -> None:
    delete(league / "states" / states(league)[2]["a@1"])  # that of b, too: both have learned the same
    assert found(league) == ["state:a@1", "state:b@1"]
    with pytest.raises(StoreError, match=states(league)[2]["a@1"]):
        play(league, 1)
    for name in ("a", "b"):
        membership.withdraw(league, name)
    assert (found(league), verified(league)) == ([], "")
    play(league, 1)  # the rest of the round that was open
    for name in ("a", "b"):
        membership.reinstate(league, name)
    play(league, 2)
    assert verified(league) == ""


@pytest.mark.process
def test_a_state_with_which_an_earlier_round_began_is_named(league: Path) -> None:
    delete(league / "states" / states(league)[1]["b@1"])
    assert [name[:13] for name in found(league)] == ["old-state:a@1", "old-state:b@1"]
    play(league, 1)
    assert verified(league).startswith("old-state:a@1:")


@pytest.mark.process
def test_a_state_that_was_left_in_the_open_round_is_named(league: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KilledError):
        patch.setattr("arena.league.play._Play._close", killed)
        play(league, 1)
    with Store(league / "arena.sqlite") as store:
        *_, (_, lost) = [one for states in store.left_states() for one in states.by_name()]
    delete(league / "states" / lost)
    assert found(league) == ["next-state:a@1", "next-state:b@1"]


class KilledError(BaseException):
    """Stands for SIGKILL."""


def killed(*_: object) -> None:
    raise KilledError


@pytest.mark.process
@pytest.mark.parametrize("spoil", [delete, lambda path: path.write_text("0" * 64)])
def test_the_secret_of_a_season_is_named_and_the_season_can_be_closed_between_two_rounds(
    league: Path, spoil: Callable[[Path], None]
) -> None:
    play(league, 1)
    spoil(league / "season-1.secret")
    assert found(league) == ["secret:1"]
    membership.end_season(league, "its secret is lost")
    play(league, 1)
    assert (found(league), verified(league)) == ([], "")


@pytest.mark.process
def test_a_spec_and_tokens_that_cannot_be_read_are_named(league: Path) -> None:
    (league / "tokens.json").write_text("{")
    (league / "league.yaml").write_bytes(b"\xff")
    assert found(league) == ["file:league.yaml", "file:tokens.json"]


@pytest.mark.process
def test_what_has_no_copies_is_only_a_database_and_is_verified_as_such(league: Path, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    play(league, 1)  # the seed of an open round is not in the database
    shutil.copy(league / "arena.sqlite", tmp_path / "alone")
    assert verified(tmp_path / "alone") == ""


@pytest.mark.process
def test_the_command_withdraws_a_bot(league: Path) -> None:
    done = arena("league", "withdraw", league, "a", "--reason", "lost with a disk")
    assert (done.returncode, done.stdout) == (0, "a@1 is withdrawn\n")
    assert arena("league", "withdraw", league, "a").returncode == 2
