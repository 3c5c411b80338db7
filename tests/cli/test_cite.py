"""``arena cite``: one small file that names a result, and a run that is checked against it."""

import json
from pathlib import Path

import pytest
from commands import arena, league


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cited")
    arena("run", league(folder, "format: {name: round-robin, pairs: 1}", "seed: fixed"), "--results", folder / "run")
    return folder / "run"


def test_a_citation_names_bots_rules_seed_and_link_and_the_run_is_checked_against_it(run: Path, tmp_path: Path) -> None:
    done = arena("cite", run)
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "result.json").write_text(done.stdout)
    found = json.loads(done.stdout)
    assert found["schema"] == "arena/citation/1"
    assert [bot["name"] for bot in found["bots"]] == ["one", "two"]
    assert all(len(bot["digest"]) == 64 for bot in found["bots"])
    assert (found["matches"], found["rules"]["target"], found["finished"]) == (2, 30, True)
    assert len(found["seed"]) == len(found["link"]) == 64

    checked = arena("verify", run, "--expect", tmp_path / "result.json")
    assert checked.returncode == 0, checked.stdout
    assert found["verify"].startswith(f"arena verify {run} --expect {found['link'][:16]}")


def test_another_run_is_not_the_cited_one(run: Path, tmp_path: Path) -> None:
    cited = arena("cite", run)
    (tmp_path / "result.json").write_text(cited.stdout.replace(json.loads(cited.stdout)["link"], "0" * 64))
    refused = arena("verify", run, "--expect", tmp_path / "result.json")
    assert refused.returncode == 1
    assert refused.stdout.startswith("difference: ")


def test_a_folder_without_a_run_is_one_line(tmp_path: Path) -> None:
    refused = arena("cite", tmp_path)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
