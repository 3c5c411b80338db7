"""The compiled kernel is equal to the engine and to its interpreted source, and makes no error of memory."""

import shutil
from pathlib import Path

import pytest
from support.kernel.compiled import SANITIZE, build, compare, copy, review_numbers, run_tests_of_refusals, sanitizers
from support.repository.installing import shared
from support.sizes import size

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared(tmp_path_factory, "kernel", build)


def test_the_compiled_kernel_is_equal_to_the_engine(built: Path) -> None:
    hands = size(30, 3000)
    found = compare(built, hands)
    assert found["compiled"]
    for seen in found["seen"].values():
        assert sum(seen.get(ending, 0) for ending in ("knock", "undercut", "gin", "big_gin", "dead", "showdown")) == hands


def test_the_compiled_kernel_makes_the_same_choices_as_its_source(built: Path, tmp_path: Path) -> None:
    source, compiled = compare(copy(tmp_path / "source"), 2), compare(built, 2)
    assert (source["compiled"], compiled["compiled"]) == (False, True)
    assert source["seen"] == compiled["seen"]


def test_a_review_has_the_same_numbers_whether_the_kernel_is_compiled_or_not(built: Path, tmp_path: Path) -> None:
    source, compiled = review_numbers(copy(tmp_path / "source")), review_numbers(built)
    assert (source["compiled"], compiled["compiled"]) == (False, True)
    assert source["numbers"] == compiled["numbers"]


@pytest.mark.nightly
def test_the_compiled_kernel_makes_no_error_of_memory(tmp_path: Path) -> None:
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    folder, variables = build(tmp_path, SANITIZE), sanitizers()
    assert compare(folder, size(12, 500), variables)["compiled"]
    assert review_numbers(folder, variables)["compiled"]
    run_tests_of_refusals(folder, variables)


def test_a_kernel_whose_source_has_changed_since_it_was_compiled_is_its_source(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(built, folder)
    with (folder / "arena" / "train" / "melds.py").open("a", encoding="utf-8") as source:
        source.write("# changed\n")
    assert not compare(folder, 1)["compiled"]
