"""The compiled kernel is equal to the engine and to its interpreted source, and makes no error of memory."""

import shutil
from pathlib import Path

import pytest
from compiled_kernel import SANITIZE, build, compare, review_numbers, run_tests_of_refusals, sanitizers
from kernel_games import everything
from review_numbers import numbers
from sizes import size

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]


def test_the_compiled_kernel_is_equal_to_the_engine(tmp_path: Path) -> None:
    hands = size(500, 3000)
    found = compare(build(tmp_path), hands)
    assert found["compiled"]
    for seen in found["seen"].values():
        assert sum(seen.get(ending, 0) for ending in ("knock", "undercut", "gin", "big_gin", "dead", "showdown")) == hands


def test_the_compiled_kernel_makes_the_same_choices_as_its_source(tmp_path: Path) -> None:
    assert compare(build(tmp_path), 5)["seen"] == everything(5)


def test_a_review_has_the_same_numbers_whether_the_kernel_is_compiled_or_not(tmp_path: Path) -> None:
    assert review_numbers(build(tmp_path)) == {"compiled": True, "numbers": numbers()}


def test_the_compiled_kernel_makes_no_error_of_memory(tmp_path: Path) -> None:
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed")
    folder, variables = build(tmp_path, SANITIZE), sanitizers()
    assert compare(folder, size(50, 500), variables)["compiled"]
    assert review_numbers(folder, variables)["compiled"]
    run_tests_of_refusals(folder, variables)
