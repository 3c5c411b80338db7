"""Formats in rounds as a user plays them: planned, killed, resumed by other workers, verified and reported."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.commands.calls import arena, command, document
from support.commands.runs import BOT, matches_stored, stored
from support.processes.waiting import until

SEED = "a seed for formats in rounds"
NAMES = ("one", "two", "three", "four", "five")
STAGES = "{name: stages, stages: [{format: {name: swiss, rounds: 2}}, {format: {name: knockout, third_place: yes}, top: 4}]}"


def cup(folder: Path, form: str = STAGES) -> Path:
    """Write a spec for short matches of five bots, and return its path."""
    folder.chmod(0o755)  # for root plays its bots as somebody else
    (folder / "mine.py").write_text(BOT, encoding="utf-8")
    path = folder / "cup.yaml"
    bots = ", ".join(f"{{bot: 'mine.py:Mine', name: {name}}}" for name in NAMES)
    path.write_text(f"title: Cup\nbots: [{bots}]\nformat: {form}\nrules: {{target: 30, best_of: 1}}\n", encoding="utf-8")
    return path


def kill_after(matches: int, spec: Path, run: Path) -> None:
    """Begin a run and kill it as soon as some of its matches are stored."""
    asked = command("run", spec, "--results", run, "--seed", SEED, "--workers", "2")
    with subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as director:
        until(lambda: matches_stored(run) >= matches or director.poll() is not None)
        director.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="the default sandbox needs Linux")
@pytest.mark.slow
def test_a_killed_tournament_in_stages_ends_as_one_that_was_not(tmp_path: Path) -> None:
    spec, killed, whole = cup(tmp_path), tmp_path / "killed", tmp_path / "whole"
    for matches in (3, 10):
        kill_after(matches, spec, killed)
    resumed = arena("run", spec, "--results", killed, "--seed", SEED)
    assert arena("run", spec, "--results", whole, "--seed", SEED, "--executor", "serial").returncode == 0
    assert resumed.returncode == 0
    assert "Stage 2: Knockout" in resumed.stdout
    assert stored(killed) == stored(whole)
    assert arena("verify", killed).returncode == 0


@pytest.mark.process
@pytest.mark.parametrize(
    ("form", "fixtures", "lines"),
    [
        (
            "{name: swiss, rounds: 3}",
            12,
            [
                "3 rounds of 2 pairings, each 1 pair of matches, and one entrant has a bye",
                "each entrant meets 3, or 2 and has a bye, of its 4 opponents",
            ],
        ),
        (STAGES, 16, ["stage 1: swiss, with all", "stage 2: knockout, with the best 4", "stage 2: single elimination of 4"]),
    ],
    ids=["swiss", "stages"],
)
def test_a_plan_explains_what_will_be_played(tmp_path: Path, form: str, fixtures: int, lines: list[str]) -> None:
    shown = document("plan", cup(tmp_path, form), "--json", "--seconds", "0.3")
    assert shown["fixtures"] >= fixtures
    assert shown["by_results"] == (shown["fixtures"] > fixtures), "the number is exact unless ties are replayed"
    assert [line for line in lines if not any(one.startswith(line) for one in shown["explanation"])] == []


def test_options_that_do_not_fit_the_field_are_refused_before_there_is_a_run(tmp_path: Path) -> None:
    spec = cup(tmp_path, "{name: stages, stages: [{format: swiss}, {format: knockout, top: 6}]}")
    done = arena("run", spec, "--results", tmp_path / "run")
    line = f"arena: {spec}: format stages: stage 2 has top: 6 of 5 entrants; expected 2 to 5\n"
    assert (done.returncode, done.stderr) == (2, line)
    assert not (tmp_path / "run").exists()
