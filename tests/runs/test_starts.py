import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from arena.compare import dueling
from arena.compare.dueling import DuelTerms
from arena.errors import DamagedError, StoreError
from arena.plugins.manager import installed_kinds
from arena.runs import agreement, chosen, starts
from arena.runs.stored_kinds import stored_run
from arena.store.folder import Folder


def test_a_duel_that_was_judged_by_another_method_is_refused_in_one_line_by_each_command() -> None:
    plan, here = dueling.duel(chosen.resolve(("greedy", "cautious"), ("", "")), DuelTerms(sandbox="none")), Folder(Path("here"))
    agreement.check_method(here, agreement.plan_text(plan))
    then = json.encode(json.decode(agreement.plan_text(plan)) | {"method": 3}).decode()
    refused = r"^here: made by method 3, unsupported here \(method 4\); rerun in a new folder\Z"
    with pytest.raises(StoreError, match=refused):
        agreement.check_same(plan, here, {}, (), then)
    with pytest.raises(StoreError, match=refused):
        agreement.check_method(here, then)


@pytest.mark.process
def test_a_run_that_began_without_a_coin_goes_on_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = dueling.duel(chosen.resolve(("greedy", "cautious"), ("", "")), DuelTerms(sandbox="none"))
    older = starts.facts_of  # without the fact, as an older arena has stored them
    monkeypatch.setattr(
        starts, "facts_of", lambda *given: {key: fact for key, fact in older(*given).items() if key != agreement.LEGS}
    )
    for name, coin in (("older", False), ("new", True)):
        start = starts.RunStart(plan=plan, folder=Folder(tmp_path / name))
        with starts.open_run(start.folder) as store:
            for _ in range(2):  # it begins, and resumes
                played = starts.begin(starts.decide(start, store), store, plan.spec.sandbox.assurance())
            assert played.coin is coin
            assert stored_run(start.folder, store, installed_kinds()).coin_decides("greedy:cautious/0") is coin
        monkeypatch.undo()


def run_of(results: Path, name: str, age: int) -> Folder:
    path = results / name
    path.mkdir()
    (path / "arena.sqlite").touch()
    then = time.time() - age
    os.utime(path, (then, then))
    return Folder(path)


def test_a_run_resumes_in_the_newest_folder_of_its_title_or_in_a_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "RESULTS", tmp_path)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    older = run_of(tmp_path, "winter-league-2026-01-30", 100)
    newer = run_of(tmp_path, f"winter-league-{today}", 10)
    run_of(tmp_path, "summer-league-2026-01-31", 0)
    begun = tmp_path / "winter-league-2026-02-01"  # by a run that was killed before it had a database
    begun.mkdir()
    (begun / "arena.lock").touch()
    other = tmp_path / "winter-league-2026-02-02"
    other.mkdir()
    (other / "notes.txt").touch()
    assert list(starts.candidate_folders("Winter League!")) == [
        Folder(begun),
        newer,
        older,
        Folder(tmp_path / f"winter-league-{today}-2"),
    ]


def test_the_first_run_needs_no_results_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "RESULTS", tmp_path / "results")
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert list(starts.candidate_folders("League")) == [Folder(tmp_path / "results" / f"league-{today}")]


@given(st.text(max_size=200))
def test_any_title_gives_a_safe_folder_name(title: str) -> None:
    *_, folder = starts.candidate_folders(title)
    assert folder.path.parent == starts.RESULTS
    assert folder.path.name.isascii()
    assert not set(folder.path.name) & set("/\\ *?[]\x00.")


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"bots": [], "format": 3}', '{"bots": [], "format": {}}', '{"format": {"name": "batches"}}']
)
def test_a_damaged_plan_is_not_an_error_of_arena(text: str) -> None:
    with pytest.raises(DamagedError, match=r"^plan: "):
        agreement.plan_parts(text)
