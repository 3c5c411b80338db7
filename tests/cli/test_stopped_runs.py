"""What a run that was stopped says in every format: who leads so far, how sure that is, and the command that plays on."""

import shlex
from functools import partial
from pathlib import Path

import pytest
from support.commands.calls import arena
from support.commands.runs import matches_stored
from support.sizes import mostly_nightly

from arena.errors import RunStoppedError
from arena.plugins import manager
from arena.records import MatchRecord
from arena.reports import tables
from arena.reports.report import Report
from arena.results.publish import report_of, write_reports
from arena.results.so_far import answer_so_far
from arena.runs import planning, starts
from arena.runs.play import Observer, play_run
from arena.runs.runner import Runner
from arena.store.folder import Folder

FORMATS = {
    "round robin": "{name: round-robin, pairs: 50}",
    "batches": "{name: batches, hands: 200, leg: 15}",
    "knockout": "{name: knockout, pairs: 50}",
    "double elimination": "{name: knockout, elimination: double, pairs: 50}",
    "Swiss": "{name: swiss, rounds: 2, pairs: 50}",
    "divisions": "{name: divisions, pairs: 50}",
    "stages": "{name: stages, stages: [{format: {name: round-robin, pairs: 50}}, {format: {name: knockout}, top: 2}]}",
    "stages of both": "{name: stages, stages: [{format: {name: round-robin, pairs: 50}}, {format: {name: batches}, top: 2}]}",
    "gauntlet": "{name: gauntlet, hands: 4000}",
    "race": "{name: race, hands: 8000}",
    "duel": "{name: duel, hands: 4000}",
}
OF_ALL = {
    "round robin": "60 of 600 matches,",
    "batches": " of 1,200 hands",
    "knockout": "60 of at least 300 matches,",
    "double elimination": "60 of at least 600 matches,",
    "Swiss": "60 of 400 matches,",
    "divisions": "60 of 400 matches,",
    "stages": "60 of at least 602 matches,",
    "stages of both": "60 matches,",
    "gauntlet": " of at most 4,000 hands",
    "race": " of at most 8,000 hands",
    "duel": " of at most 4,000 hands",
}


class StopAfter(Observer):
    """Stops the run, as a user does, after so many records."""

    def __init__(self, records: int) -> None:
        self.left = records

    def record(self, record: MatchRecord) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def stopped(folder: Path, form: str, records: int = 60) -> tuple[Folder, RunStoppedError]:
    """Play some of a format, stop, and return the folder of the run and the error."""
    bots = "greedy, cautious" if "duel" in form else "greedy, cautious, random-legal, two-way"
    spec = folder / "spec.yaml"
    spec.write_text(f"title: Stopped\nbots: [{bots}]\nrules: {{target: 10, best_of: 1}}\nformat: {form}\n", encoding="utf-8")
    plan = planning.from_path(spec, "s", lambda _: None, print)
    runner = Runner(manager.load(), executor="serial", workers=1)
    with pytest.raises(RunStoppedError) as error:
        play_run(starts.find_start(plan, folder / "run"), runner, StopAfter(records), partial(write_reports, as_json=True))
    return Folder(folder / "run"), error.value


@pytest.mark.process
@pytest.mark.parametrize("name", mostly_nightly(FORMATS, "round robin", "knockout", "race", "duel"))
def test_a_stopped_run_says_who_leads_how_sure_that_is_and_how_it_goes_on(tmp_path: Path, name: str) -> None:
    folder, error = stopped(tmp_path, FORMATS[name])
    report = report_of(folder)
    leads = [f"{one} leads" for one in (*names(report), "Nobody")]
    assert any(lead in f"{report.answer.who}, {report.answer.how}" for lead in leads), report.answer.lines
    assert report.answer.certainty
    assert report.answer.command == f"arena run {folder.spec} --results {folder.path}"
    assert OF_ALL[name] in tables.amount_played(report)
    assert error.folder == folder.path
    assert answer_so_far(folder) == report.answer.statements, "a terminal says the same as the report"


def names(report: Report) -> list[str]:
    return [row.entrant for row in report.standings]


@pytest.mark.process
@pytest.mark.parametrize("which", ["round robin", "duel"])
def test_the_command_that_a_stopped_run_names_plays_on(tmp_path: Path, which: str) -> None:
    folder, _ = stopped(tmp_path, FORMATS[which].replace("50", "8").replace("4000", "80"), 10)
    before = matches_stored(folder.path)
    done = arena(*shlex.split(report_of(folder).answer.command)[1:])
    assert done.returncode == 0, done.stderr
    assert matches_stored(folder.path) > before
    after = report_of(folder).answer
    assert after.finished
    assert after.command.startswith("arena duel ") or not after.command


@pytest.mark.process
def test_a_run_that_is_being_played_names_no_command_that_would_play_it(tmp_path: Path) -> None:
    folder, _ = stopped(tmp_path, FORMATS["round robin"])
    with folder.lock():
        assert not report_of(folder).answer.command
