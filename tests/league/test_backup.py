"""A copy of a league that is made while it is played is consistent, and is continued elsewhere and by a later version."""

import shutil
from pathlib import Path

import pytest
from support.leagues.learners import SPEC, of_two, play
from support.leagues.sites import send_to
from support.records.verifying import audited, runner

from arena.errors import InputError, StoreError
from arena.league import leagues
from arena.league.backup import Backup, back_up
from arena.league.inspection import differences
from arena.league.observing import LeagueObserver
from arena.league.play import StopRule, play_rounds
from arena.league.tokens import FILE, SESSIONS
from arena.records import MatchRecord
from arena.store.folder import DATABASE


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league of two bots that learn, in its third round."""
    league = of_two(tmp_path_factory.mktemp("backup"), SPEC.replace("learning: {", "learning: {rounds: 1, "))
    play(league, 5)
    return league


@pytest.fixture
def league(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "league"))


def problems(league: Path) -> list[str]:
    difference, audit = audited(league)
    with leagues.open_league(league) as opened:
        return [*(one.name for one in differences(opened)), *filter(None, (difference, audit.difference_beside()))]


class BacksUp(LeagueObserver):
    """Makes a copy after each record, while the league is played."""

    def __init__(self, league: Path) -> None:
        self.league = league
        self.made: list[Backup] = []

    def record(self, record: MatchRecord) -> None:
        """Make a copy."""
        del record
        self.made.append(back_up(self.league, self.league.with_name(f"copy-{len(self.made)}")))


@pytest.mark.process
def test_a_copy_that_is_made_while_the_league_is_played_is_that_of_one_moment(league: Path) -> None:
    observer = BacksUp(league)
    play_rounds(league, runner(), StopRule(matches=2), observer, None)
    assert [(one.matches, one.differences) for one in observer.made] == [(matches, ()) for matches in (6, 7)]
    with leagues.open_league(league) as opened:
        links = {opened.store.link_at(number) for number in range(200)}
    assert {one.link for one in observer.made} <= links


@pytest.mark.process
def test_a_copy_is_continued_elsewhere_when_the_original_is_gone(league: Path, tmp_path: Path) -> None:
    upload = send_to(league)
    with leagues.open_league(league) as opened:
        before = opened.store.results()
    assert back_up(league, tmp_path / "copy").differences == ()
    shutil.rmtree(league)
    moved = Path(shutil.move(tmp_path / "copy", tmp_path / "elsewhere"))
    play(moved, 3)
    with leagues.open_league(moved) as opened:
        assert set(before) < set(opened.store.results())
        assert opened.store.count() == len(before) + 3
    assert (moved / "jobs" / upload.id / "job.json").is_file()
    assert problems(moved) == []


@pytest.mark.parametrize("content", [b"", b"not a database" * 500])
def test_a_practice_match_that_is_not_begun_or_damaged_is_left_out_of_a_copy(league: Path, tmp_path: Path, content: bytes) -> None:
    run = league / "jobs" / "000001" / "run"
    run.mkdir(parents=True)
    (run / "arena.sqlite").write_bytes(content)
    (run.parent / "job.json").write_text("{}")
    back_up(league, tmp_path / "copy")
    assert [one.name for one in (tmp_path / "copy" / "jobs" / "000001").iterdir()] == ["job.json"]


def test_a_copy_has_what_is_private_and_only_its_owner_may_read_it(league: Path, tmp_path: Path) -> None:
    for name in (FILE, SESSIONS):
        leagues.write_private(league / name, "[]")
    back_up(league, tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700
    for name in (FILE, SESSIONS, "season-1.secret"):
        assert (tmp_path / "copy" / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.process
def test_a_league_that_lacks_something_is_copied_with_a_word_of_what(league: Path, tmp_path: Path) -> None:
    (league / "season-1.secret").unlink()
    (lost,) = back_up(league, tmp_path / "copy").differences
    assert lost.name == "secret:1"
    assert (tmp_path / "copy" / DATABASE).is_file()


def test_a_copy_is_made_outside_of_the_league_in_a_new_folder(league: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lies in the league's folder; expected a folder outside of it"):
        back_up(league, league / "copy")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with pytest.raises(StoreError, match="holds 'notes'; expected a new or empty folder"):
        back_up(league, tmp_path / "full")
    assert (tmp_path / "full" / "notes").read_text() == "mine"
