"""``arena plan``: what a spec will play, what that takes, and what it will tell."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
from support.commands.calls import arena, document
from support.commands.runs import BOT, league

from arena.runs import forecast
from arena.stats.schedule_time import Pace
from arena.tournament.dry_run import DryRun

SHORT = ("--seconds", "0.3")


@pytest.mark.process
def test_a_plan_shows_fixtures_hands_time_and_what_can_be_shown(tmp_path: Path) -> None:
    done = arena("plan", league(tmp_path, "format: {pairs: 50}"), "--resolve", "0.5", *SHORT)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("League: 2 bots, 100 matches, about ")
    assert " with " in lines[1]
    assert lines[2].startswith("resolves ")
    assert lines[3].startswith("to resolve 0.5 points a hand: ")
    assert lines[4].startswith("estimated from ")
    assert not list(tmp_path.glob("results*"))


@pytest.mark.process
def test_a_plan_for_programs(tmp_path: Path) -> None:
    message = document("plan", league(tmp_path, "format: {pairs: 50}"), "--resolve", "1", "--json", *SHORT)
    assert (message["fixtures"], message["format"], message["matches"], message["by_results"]) == (100, "round-robin", True, False)
    assert message["hands"] >= 100
    assert message["seconds"] > 0
    assert message["resolves"]["elo"] > 0
    again = message["wanted"]
    assert again["times"] == pytest.approx((message["resolves"]["points"] / 1) ** 2)
    assert again["fixtures"] == pytest.approx(100 * again["times"], abs=1)
    assert message["calibration"]["hands"] >= 2
    assert set(message["calibration"]["pace"]["bots"]) == {"one", "two"}


@pytest.mark.process
def test_four_times_the_pairs_resolve_half_the_difference(tmp_path: Path) -> None:
    def resolved(pairs: int) -> float:
        message = document("plan", league(tmp_path, f"format: {{pairs: {pairs}}}"), "--json", "--seconds", "2")
        points: float = message["resolves"]["points"]
        return points

    assert resolved(400) == pytest.approx(resolved(100) / 2, rel=0.4)


@pytest.mark.process
def test_a_duel_is_planned_as_one_between_equals(tmp_path: Path) -> None:
    spec = league(tmp_path, "format: {name: duel, hands: 2000}", "rules: {stock: two-ended}")
    message = document("plan", spec, "--json", *SHORT)
    assert message["by_results"]
    assert not message["matches"]
    assert 40 <= message["fixtures"] <= 1000
    assert message["hands"] == 2 * message["fixtures"]
    assert "later fixtures depend on results" in arena("plan", spec, *SHORT).stdout


@pytest.mark.process
def test_a_bot_that_cannot_start_is_shown_in_one_line_and_the_run_begins_once_it_can(tmp_path: Path) -> None:
    spec, run = league(tmp_path), tmp_path / "run"
    sound = (tmp_path / "two.py").read_text()
    (tmp_path / "two.py").write_text(f"import nothing_of_that_name\n{sound}")
    line = (
        "arena: a bot cannot be started: 'two': ended with exit code 1 without an answer:"
        " ModuleNotFoundError: No module named 'nothing_of_that_name'; `arena bots check` shows where\n"
    )
    planned, refused = arena("plan", spec), arena("run", spec, "--results", run)
    assert (planned.returncode, planned.stdout, planned.stderr) == (2, "", line)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.endswith(f"\n{line}")
    (tmp_path / "two.py").write_text(sound)
    assert arena("run", spec, "--results", run).returncode == 0


LOOKS = """
import sqlite3
if not sqlite3.connect({database!r}).execute("SELECT value FROM run WHERE key = 'commitment'").fetchall():
    raise SystemExit("the seed could still be chosen")
"""


@pytest.mark.process
@pytest.mark.parametrize("command", ["run", "duel"])
def test_the_seed_is_committed_before_the_first_bot_starts(tmp_path: Path, command: str) -> None:
    run = tmp_path / "run"
    spec = league(tmp_path, "format: {pairs: 1}", "sandbox: none", text=LOOKS.format(database=str(run / "arena.sqlite")) + BOT)
    duel = (tmp_path / "one.py:Mine", "greedy", "--hands", 40, "--sandbox", "none")
    asked = (spec,) if command == "run" else duel
    done = arena(command, *asked, "--results", run)
    assert done.returncode in (0, 5), done.stderr  # a duel of so few hands is undecided
    assert "seed committed as " in done.stderr


def test_the_first_batch_begins_before_all_pairings_are_ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    def ordered(pairings: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        yield pairings[0]
        pytest.fail("a second pairing was wanted")

    monkeypatch.setattr(forecast, "_spread_out", ordered)
    assert next(forecast.calibration_fixtures([("a", "b"), ("a", "c")])).seats == ("a", "b")


def test_every_sweep_of_a_calibration_has_the_order_of_the_first() -> None:
    pairings = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    seats = [fixture.seats for fixture in islice(forecast.calibration_fixtures(pairings), 16)]
    assert seats[:8] == seats[8:]
    assert {*seats} == {both for a, b in pairings for both in ((a, b), (b, a))}


def test_the_time_of_a_schedule_has_the_waits_at_the_ends_of_its_rounds() -> None:
    pace = Pace(start=1.0, referee=0.1, bots={"a": 0.0, "b": 0.0})
    four = DryRun(Counter({(("a", "b"), 10): 4}), rounds=2, deals=4)
    assert forecast.play_time(four, pace, 20.0, 1) == pytest.approx(8.0)
    assert forecast.play_time(four, pace, 20.0, 2) == pytest.approx(4.0 + 2 * 2.0 / 4)
    assert forecast.play_time(DryRun(Counter({(("a", "b"), 10): 4}), rounds=2, deals=1), pace, 20.0, 2) == pytest.approx(8.0)
