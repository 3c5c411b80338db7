"""Bots that learn from round to round in a league, as processes without a sandbox."""

import re
import shutil
import tempfile
from pathlib import Path

import pytest
from support.commands.runs import stored
from support.leagues.learners import SPEC, enter, of_two, play
from support.records.forging import forge
from support.records.verifying import audited, first_difference, runner
from support.servers.clusters import cluster, skip_without_dask

from arena.errors import SpecError, StoreError, WorkerLostError
from arena.league import leagues, show
from arena.league.exported import export
from arena.league.observing import LeagueObserver
from arena.league.play import StopRule, play_rounds
from arena.league.rules.events import RoundClosed
from arena.moments import moment, now
from arena.players.kept_states import KeptStates
from arena.players.state import unpack
from arena.plugins import manager
from arena.plugins.manager import installed_kinds
from arena.results.replays import Replays
from arena.roster.entrant import StateLimits
from arena.runs.runner import Runner
from arena.store.store import Store
from arena.tournament import spec as specs

LOST = "because a bot, or what it had learned before, is no longer kept"


def rounds_closed(league: Path) -> list[RoundClosed]:
    with leagues.open_league(league) as opened:
        return [event for event in leagues.events_of(opened.store) if isinstance(event, RoundClosed)]


def rounds_learned_from(league: Path) -> list[dict[str, int]]:
    """Return how many rounds each version that has learned in a round knows after it."""
    kept = KeptStates(league / "states", StateLimits(size_mb=1, files=3))
    return [{name: _rounds(kept.state(state)) for name, state in event.learned} for event in rounds_closed(league)]


def _rounds(state: bytes) -> int:
    (entry,) = unpack(state, StateLimits())
    return len(entry.content or b"")


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_two(tmp_path_factory.mktemp("learning"))


@pytest.fixture(scope="module")
def played(entered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league after three rounds of a pair."""
    league = Path(shutil.copytree(entered, tmp_path_factory.mktemp("played") / "league"))
    play(league, 6)
    return league


@pytest.fixture
def league(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "league"))


@pytest.mark.process
def test_a_bot_learns_once_a_round_and_all_fixtures_of_a_round_begin_alike(league: Path) -> None:
    assert rounds_learned_from(league) == [{"a@1": number, "b@1": number} for number in (1, 2, 3)]
    assert not any(record.faults for record in stored(league).values())


@pytest.mark.process
def test_a_league_that_is_stopped_in_every_round_has_the_same_records(entered: Path, played: Path, tmp_path: Path) -> None:
    league = Path(shutil.copytree(entered, tmp_path / "league"))
    for _ in range(6):
        (league / "states").mkdir(exist_ok=True)
        (league / "states" / "of a fixture that was killed").write_bytes(b"")
        play(league, 1)
    assert stored(league) == stored(played)
    assert not (league / "states" / "of a fixture that was killed").exists()


@pytest.mark.process
def test_a_league_is_verified_and_played_again_from_the_states_that_were_kept(league: Path) -> None:
    difference, audit = audited(league)
    assert difference == ""
    with Store(league / "arena.sqlite") as store:
        again = Replays(store, audit.run, runner(), "none")
        assert again.first_difference(lambda _, __: None) == ""
        assert again.alike == 6
        shutil.rmtree(league / "states")
        with pytest.raises(StoreError, match="cannot be read as the state of a bot"):
            again.first_difference(lambda _, __: None)


@pytest.mark.process
def test_a_record_of_a_round_that_was_never_opened_is_a_difference(league: Path) -> None:
    forge(league, "UPDATE match SET fixture = replace(fixture, 'r3/', 'r9/'), deals = replace(deals, 'r3/', 'r9/')")
    assert re.search(r"r9/a@1:b@1/0/[01]: round 9 was never opened$", first_difference(league))


@pytest.mark.process
def test_states_that_nothing_needs_are_removed_and_the_rounds_that_began_with_others_can_be_played_again(tmp_path: Path) -> None:
    league = of_two(tmp_path, SPEC.replace("files: 3", "files: 3, rounds: 1"))
    play(league, 8)
    kept = {path.name for path in (league / "states").iterdir()}
    assert kept == {state for event in rounds_closed(league)[2:] for _, state in event.learned}
    difference, audit = audited(league)
    assert difference == ""
    with Store(league / "arena.sqlite") as store:
        again = Replays(store, audit.run, runner(), "none")
        assert again.first_difference(lambda _, __: None) == ""
        lines = again.message()
    assert lines[0] == f"2 matches played again, action for action; 6 not, {LOST}"


@pytest.mark.process
def test_a_state_that_is_missing_or_was_changed_stops_the_league_with_one_line(league: Path) -> None:
    for path in (league / "states").iterdir():
        path.write_bytes(b"changed")
    with pytest.raises(StoreError, match=r"states/\w+: was changed; expected the state of a bot with this digest"):
        play(league, 1)


@pytest.mark.process
def test_a_machine_without_room_for_a_state_stops_the_league_with_one_line_and_it_goes_on_afterwards(
    league: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        monkeypatch.context() as patch,
        pytest.raises(WorkerLostError, match=r"legs in a row were lost, the last: no room"),
    ):
        patch.setattr(tempfile, "tempdir", str(league / "missing"))
        play(league, 20)
    assert [one.lost is not None for one in stored(league).values()] == [False] * 6 + [True] * 10
    play(league, 2)
    assert rounds_learned_from(league)[-1] == {"a@1": 4, "b@1": 4}


@pytest.mark.process
def test_a_bot_is_shown_with_its_state(league: Path) -> None:
    state = dict(rounds_closed(league)[-1].learned)["a@1"]
    assert f"  has the state {state[:12]} since round 3; number of rounds in which it has learned: 3" in show.bot_lines(
        show.bot_report(league, "a")
    )


@pytest.mark.process
def test_a_new_version_begins_with_an_empty_folder_and_an_export_has_no_states(league: Path, tmp_path: Path) -> None:
    learning = {finding.step: finding.summary for finding in enter(league, "a", "again")}["learning"]
    assert learning == "its state after 12 hands: 1 bytes, entries: 1"
    play(league, 2)
    assert rounds_learned_from(league)[3] == {"a@2": 1, "b@1": 4}
    export(league, tmp_path / "out", now(), moment("1d", now()))
    assert "states" not in {path.name for path in (tmp_path / "out").iterdir()}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_bots_learn_the_same_on_a_cluster(entered: Path, played: Path, tmp_path: Path) -> None:
    skip_without_dask()
    league = Path(shutil.copytree(entered, tmp_path / "league"))
    with cluster(tmp_path / "cluster", workers=2) as two:
        there = Runner(manager.load(entry_points=False), two.executor)
        play_rounds(league, there, StopRule(matches=6), LeagueObserver(), None)
        assert not [*two.copies.parent.rglob("rounds")]  # nothing of it is left on a worker's machine
    assert stored(league) == stored(played)
    assert rounds_learned_from(league) == rounds_learned_from(played)


def test_a_tournament_has_no_rounds_to_learn_from() -> None:
    with pytest.raises(SpecError, match="learning: only the spec of a league has it"):
        specs.parse_spec("bots: [greedy, cautious]\nlearning: {}\n", installed_kinds(), "spec.yaml")
