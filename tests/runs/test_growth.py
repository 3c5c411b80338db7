"""A spec that grew: the run continues, and nothing that was played changes."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import json
from support.bots.inline import install_files
from support.commands.runs import stored
from support.records.verifying import audited, runner

from arena.errors import OutOfTimeError, RosterError, StoreError
from arena.plugins.manager import installed_kinds
from arena.records import Fixture, MatchRecord, Result
from arena.reports.report import Report
from arena.results.hands import header
from arena.results.publish import write_reports
from arena.results.replays import Replays
from arena.runs import planning, starts
from arena.runs.open_run import OpenRun
from arena.runs.play import Observer, play_run
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder
from arena.store.store import Store
from arena.tournament.completeness import first_on_known_deals
from arena.tournament.seeds import run_seed
from arena.web.watched_run import WatchedRun

BOT = """
from arena.sdk import Bot

class Mine(Bot):
    '''{0}'''
"""
ROUND_ROBIN = "{pairs: 1}"
SWISS = "{name: stages, stages: [{format: {name: swiss, rounds: 1}}, {format: {name: round-robin}, top: 2}]}"
SEED = "a seed that is long enough"


def result(fixture: Fixture) -> Result:
    return Result(fixture=fixture, winner=0, games=(1, 0), points=(10, 0), hands=1)


class StoppingObserver(Observer):
    """Keeps the warnings, and stops after some matches."""

    def __init__(self, most: int | None) -> None:
        self.lines: list[str] = []
        self._most, self._played = most, 0

    def warning(self, text: str) -> None:
        self.lines.append(text)

    def record(self, record: MatchRecord) -> None:
        self._played += 1
        if self._played == self._most:
            raise OutOfTimeError


class Work:
    """A folder with a spec, its bots and its run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = Folder(folder / "run")
        self.spec = folder / "spec.yaml"

    def write(self, bots: str = "ab", form: str = ROUND_ROBIN, rules: str = "{target: 10, best_of: 1}", **more: object) -> None:
        for name in bots:
            path = self.folder / f"{name}.py"
            path.write_text(path.read_text() if path.exists() else BOT.replace("{0}", name))
        listed = ", ".join(f"{{bot: '{name}.py:Mine', name: {name}}}" for name in bots)
        extra = "".join(f"{key}: {value}\n" for key, value in more.items())
        self.spec.write_text(
            f"title: Grown\nbots: [{listed}]\nrules: {rules}\nformat: {form}\nsandbox: none\nreports: [console, json]\n{extra}"
        )

    def play(self, most: int | None = None, conclude: Callable[[OpenRun], object] = write_reports) -> list[str]:
        """Play at most some matches, and return the warnings."""
        observer = StoppingObserver(most)
        plan = planning.from_file(self.spec, installed_kinds(), None)
        play_run(starts.RunStart(plan=plan, folder=self.run), runner(), observer, conclude, None)
        return observer.lines

    def finish(self) -> str:
        """Play to the end, and return the link that the report shows."""
        self.play()
        self.run.mark_reported()
        return self.report().provenance["link"]

    def report(self) -> Report:
        return json.decode((self.run.path / "results.json").read_bytes(), type=Report)

    def records(self) -> dict[str, MatchRecord]:
        return stored(self.run.path)

    def audited(self, expect: str | None = None) -> list[str]:
        """Return the message of an audit, or its first difference."""
        found, audit = audited(self.run.path, *([expect] if expect else ()))
        return [found] if found else list(audit.message())

    def verified(self, expect: str | None = None) -> list[str]:
        """Return the message of an audit after its matches were played again."""
        with Store(self.run.database) as store:
            replays = Replays(store, stored_run(self.run, store, installed_kinds()), runner(), "none")
            assert replays.first_difference(lambda _, __: None) == ""
        return self.audited(expect)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    install_files(monkeypatch, BOT.partition("{0}")[0])
    made = Work(tmp_path)
    made.write()
    return made


@pytest.mark.process
def test_more_pairs_continue_a_finished_run_with_another_seed_and_its_earlier_link_can_be_checked(work: Work) -> None:
    old = work.finish()
    before = work.records()
    work.write(form="{pairs: 2}")
    [line] = work.play()[1:]
    assert "the spec has grown: format.pairs was 1, and is 2 now; 2 results stay as on file; the seed is revealed" in line
    assert {name: record for name, record in work.records().items() if name in before} == before
    assert len(work.records()) == 4
    link, seen, hands = work.verified()
    assert "0 differences" in hands
    assert seen.startswith("witness: witness.jsonl has seen link 5 at ")
    assert (
        work.audited(old)[0]
        == f"{link}; the one expected is that of the run as it was finished, with 2 matches; it has grown since"
    )
    assert work.audited("0" * 16) == [f"the last link is {link.split()[1]}; expected {'0' * 16}"]
    shown = work.report().provenance
    assert shown["spec 2"].endswith(f"after 2 matches; the link was {old}")
    assert len({shown["seed"], shown["seed 2"]}) == 2
    assert "pairs: 2" in shown["spec"]


@pytest.mark.process
def test_the_pairs_of_a_grown_run_are_dealt_from_the_seed_in_force_then(work: Work) -> None:
    work.write(seed=SEED)
    work.finish()
    work.write(form="{pairs: 2}", seed=SEED)
    work.finish()
    with Store(work.run.database) as store:
        run = stored_run(work.run, store, installed_kinds())
        assert header(store, run).seed is None  # there are two
    assert [run.seed_of(name) for name in ("a:b/0/0", "a:b/1/0")] == [run_seed(SEED), run_seed(f"{SEED} 1")]


@pytest.mark.process
@pytest.mark.parametrize("bots", ["abc", "cab", "acb"])
def test_a_bot_more_continues_a_run_wherever_it_stands_in_the_spec(bots: str, work: Work) -> None:
    work.play(1)
    before = work.records()
    work.write(bots)
    [line] = work.play()[1:]
    assert f"bots was ['a', 'b'], and is {list(bots)!r} now; 1 result stays as on file" in line
    assert before.items() <= work.records().items()
    assert len(work.records()) == 6
    assert {row.entrant for row in work.report().standings} == set("abc")
    assert "0 differences" in work.verified()[-1]


@pytest.mark.process
def test_an_unfinished_run_that_grows_is_the_run_that_had_this_spec_from_the_beginning(work: Work, tmp_path: Path) -> None:
    work.write(seed=SEED)
    work.play(1)
    work.write("abc", "{pairs: 2}", seed=SEED)
    work.finish()
    (tmp_path / "whole").mkdir()
    whole = Work(tmp_path / "whole")
    whole.write("abc", "{pairs: 2}", seed=SEED)
    whole.finish()
    assert work.records() == whole.records()


@pytest.mark.process
def test_a_later_stage_continues_a_finished_run(work: Work) -> None:
    work.write("abc", SWISS)
    work.finish()
    before = work.records()
    work.write("abc", SWISS.replace("top: 2}]", "top: 2}, {format: {name: knockout}, top: 2}]"))
    work.finish()
    assert before.items() < work.records().items()
    assert {name[:2] for name in work.records()} == {"s1", "s2", "s3"}
    assert "0 differences" in work.verified()[-1]


@pytest.mark.process
def test_a_run_may_grow_again_and_again(work: Work) -> None:
    links = [work.finish()]
    for number in (2, 3):
        work.write("abc"[: number + 1], f"{{pairs: {number}}}")
        links.append(work.finish())
    for count, link in zip((2, 12), links, strict=False):
        assert f"with {count} matches; it has grown since" in work.audited(link)[0]
    assert work.verified(links[-1])[0].endswith("as expected")
    assert len(work.records()) == 18


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": "{target: 20, best_of: 1}"}, r"rules\.target was 10, and is 20 now"),
        ({"bots": "abc", "rules": "{target: 20, best_of: 1}"}, r"holds a run of another spec: bots was .*'c'"),
        ({"faults": "{at_most: 5}"}, r"faults\.at_most was 3, and is 5 now"),
        ({"time": "{per_turn: 7}"}, r"time\.per_turn was .*, and is 7"),
        ({"bots": "ac"}, r"bots was \['a', 'b'\], and is \['a', 'c'\] now; it may only grow"),
        ({"bots": "ba"}, r"bots was \['a', 'b'\], and is \['b', 'a'\] now: that would change what was played: a:b/0/0"),
        ({"form": "{name: batches, hands: 20}"}, r"format\.name was 'round-robin', and is 'batches' now; it may only grow"),
        ({"form": "{name: swiss, rounds: 1}"}, r"it may only grow"),
    ],
)
def test_what_would_change_results_on_file_is_refused_with_both_values(change: dict[str, str], message: str, work: Work) -> None:
    work.finish()
    link = work.audited()[0]
    work.write(**change)
    with pytest.raises(StoreError, match=message) as refusal:
        work.play()
    assert len(str(refusal.value).splitlines()) == 1
    assert work.audited()[0] == link


def test_a_fixture_of_a_new_bot_on_deals_that_were_played_is_found() -> None:
    known, new = Fixture("a:b/0", ("a", "b"), "deals"), Fixture("a:c/0", ("a", "c"), "deals")
    plan: Any = SimpleNamespace(names=("a", "b", "c"), spec=SimpleNamespace(format=SimpleNamespace(fixtures=lambda *_: [new])))
    assert first_on_known_deals(plan, [result(known)], ["a", "b"]) == new
    assert first_on_known_deals(plan, [result(known)], ["a", "b", "c"]) is None


def test_fewer_pairs_are_refused_although_they_would_change_no_result(work: Work) -> None:
    work.write(form="{pairs: 3}")
    work.play(2)
    work.write(form="{pairs: 2}")
    with pytest.raises(StoreError, match=r"format\.pairs was 3, and is 2 now; it may only grow"):
        work.play()


def test_a_bot_with_other_content_is_refused_also_where_the_spec_has_grown(work: Work) -> None:
    work.finish()
    (work.folder / "a.py").write_text(BOT.replace("{0}", "other"))
    work.write("abc")
    with pytest.raises(StoreError, match=r"bot 'a' has changed since this run began: [0-9a-f]{12} then"):
        work.play()


@pytest.mark.process
def test_a_new_bot_that_does_not_start_leaves_the_run_as_it_was(work: Work) -> None:
    old = work.finish()
    (work.folder / "c.py").write_text(f"raise ValueError\n{BOT}")
    work.write("abc")
    with pytest.raises(RosterError, match="a bot cannot be started"):
        work.play()
    assert work.verified(old)[0].endswith("as expected")
    (work.folder / "c.py").write_text(BOT)
    work.finish()
    assert len(work.records()) == 6


@pytest.mark.parametrize(
    ("where", "name"),
    [
        (starts, "store_growth"),
        pytest.param(Folder, "write", marks=pytest.mark.process),
        pytest.param(starts, "in_force", marks=pytest.mark.process),
    ],
)
def test_a_run_that_is_killed_as_it_grows_grows_at_the_next_start(
    where: object, name: str, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.finish()
    work.write("abc")

    def killed(*_: object) -> None:
        raise KeyError

    with monkeypatch.context() as patch, suppress(KeyError):
        patch.setattr(where, name, killed)
        work.play()
    work.finish()
    assert len(work.records()) == 6
    assert "0 differences" in work.verified()[-1]
    assert "bot: 'c.py:Mine'" in work.run.spec.read_text()


@pytest.mark.process
def test_a_run_is_killed_after_each_match_that_it_plays_since_it_has_grown(work: Work) -> None:
    work.finish()
    work.write("abc", "{pairs: 2}")
    while len(work.records()) < 12:
        work.play(1)
        assert starts.find_start(planning.from_file(work.spec, installed_kinds(), None), work.run.path).folder == work.run
    work.finish()
    assert "0 differences" in work.verified()[-1]


@pytest.mark.process
def test_the_same_command_finds_the_run_that_its_spec_has_grown_from(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work.folder)
    found = starts.find_start(planning.from_file(work.spec, installed_kinds(), None), None).folder
    work.run = Folder(found.path.resolve())
    work.finish()
    assert starts.find_start(planning.from_file(work.spec, installed_kinds(), None), None).folder != found  # it is over
    work.write("abc")
    assert starts.find_start(planning.from_file(work.spec, installed_kinds(), None), None).folder == found
    work.write("abc", rules="{target: 20, best_of: 1}")
    assert starts.find_start(planning.from_file(work.spec, installed_kinds(), None), None).folder != found


@pytest.mark.process
def test_a_watched_run_shows_the_field_that_has_grown(work: Work) -> None:
    work.finish()
    watched = WatchedRun(work.run, installed_kinds())
    watched.poll()
    assert watched.snapshot.state == "finished"
    work.write("abc")
    work.play(1)
    watched.poll()
    assert (watched.snapshot.state, watched.snapshot.played, watched.snapshot.total) == ("stopped", 3, 6)
    assert watched.snapshot.report
    assert {row.entrant for row in watched.snapshot.report.standings} == set("abc")
    work.finish()
    watched.poll()
    assert (watched.snapshot.state, watched.snapshot.report) == ("finished", work.report())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "UPDATE event SET content = replace(content, '\"matches\":2', '\"matches\":3')",
            "event 3: altered after it was written",
        ),
        ("DELETE FROM event", "does not match the last record|a row belongs to no event"),
        ("UPDATE entrant SET digest = 'x' WHERE name = 'c'", "event 3: altered after it was written"),
        ("DELETE FROM entrant WHERE name = 'c'", "event 3: altered after it was written"),
    ],
)
def test_a_revision_that_was_changed_afterwards_is_found(change: str, message: str, work: Work) -> None:
    work.finish()
    work.write("abc")
    work.finish()
    with sqlite3.connect(work.run.database) as database:
        database.execute(change)
    database.close()
    [found] = work.audited()
    assert re.search(message, found)


@pytest.mark.process
def test_every_bot_of_a_run_that_has_grown_is_started_once_before_the_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(tmp_path)
    work.write("ab")
    work.play()
    work.write("abc")
    monkeypatch.setattr("arena.runs.play.check_starts", lambda plan: list(plan.names))
    assert [line for line in work.play() if line in {"a", "b", "c"}] == ["a", "b", "c"]
