"""Numbers as text, by a table of examples that the scripts of pages follow too: tests/web/test_estimates_js.py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from arena.reports import numbers
from arena.reports.numbers import typeset

EXAMPLES: list[tuple[str, list[Any], str]] = json.decode(Path(__file__).with_name("numbers.json").read_bytes())
WRITE: dict[str, Callable[..., str]] = {
    "whole": lambda value: f"{value:,}",
    "signed": lambda value, digits: numbers.number(value, f"+z.{digits}f"),
    "count": numbers.count,
    "share": numbers.share,
    "hand": lambda name, alone: numbers.hand_words(name, alone=alone),
    "interval": lambda value, half, digits: (
        numbers.number(value, f"+z.{digits}f") + ("" if half is None else f" ± {half:.{digits}f}")
    ),
}


@pytest.mark.parametrize(("name", "values", "expected"), EXAMPLES)
def test_python_writes_the_examples_for_pages(name: str, values: list[Any], expected: str) -> None:
    assert typeset(WRITE[name](*values)) == expected


@pytest.mark.parametrize(
    ("plain", "shown"),
    [
        ("-0.3 against greedy", "−0.3 against greedy"),
        ("+215 (-12 to +3), [-0.5, 0.2]", "+215 (−12 to +3), [−0.5, 0.2]"),
        ("at 2026-11-24, by gpt-4 in 9-3", "at 2026-11-24, by gpt-4 in 9-3"),
        ("as of 2026-01-31T09:05:00Z", "as of 31 January 2026, 09:05:00 UTC"),
        ("+0.33 ± 3.90", "+0.33\u00a0±\u00a03.90"),
        ("49 % to 59 %", "49\u00a0% to 59\u00a0%"),
    ],
)
def test_a_page_has_true_minus_signs_numbers_that_do_not_break_and_moments_in_words(plain: str, shown: str) -> None:
    assert typeset(plain) == shown
