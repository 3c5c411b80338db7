"""Numbers as text, by a table of examples that the scripts of pages follow too: tests/web/test_estimates_js.py."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from arena.reports import numbers
from arena.reports.answer_card import Strip, axis
from arena.reports.describe import fixture_words
from arena.reports.numbers import typeset
from arena.stats.estimate import Estimate

EXAMPLES: list[tuple[str, list[Any], str]] = json.decode(Path(__file__).with_name("numbers.json").read_bytes())
WRITE: dict[str, Callable[..., str]] = {
    "whole": lambda value: f"{value:,}",
    "signed": lambda value, digits: numbers.number(value, f"+z,.{digits}f"),
    "count": numbers.count,
    "share": numbers.share,
    "fixture": fixture_words,
    "hand": lambda name, alone: numbers.hand_words(name, alone=alone),
    "interval": lambda value, half, digits: (
        numbers.number(value, f"+z,.{digits}f") + ("" if half is None else f" ± {half:,.{digits}f}")
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
        ("started 2026-01-31 09:05:00 UTC", "started 31 January 2026, 09:05:00 UTC"),
        ("friday-2026-01-31", "friday-2026-01-31"),
        ("+0.33 ± 3.90", "+0.33\u00a0±\u00a03.90"),
        ("49 % to 59 %", "49\u00a0% to 59\u00a0%"),
    ],
)
def test_a_page_has_true_minus_signs_numbers_that_do_not_break_and_moments_in_words(plain: str, shown: str) -> None:
    assert typeset(plain) == shown


def test_every_number_with_a_sign_has_commas() -> None:
    """A format without them is right until a bot is 1,000 points ahead."""
    folder = Path(numbers.__file__).parents[1]
    files = [file for part in ("reports", "web", "human", "tournament/formats") for file in (folder / part).rglob("*")]
    texts = {file: file.read_text(encoding="utf-8") for file in files if file.suffix in (".py", ".html")}
    without = {file.name: found for file, text in texts.items() if (found := re.findall(r"\+z?\.\df", text))}
    assert len(texts) > 100
    assert without == {}
    assert numbers.rating(Estimate(1420, 1000, 1840)) == "+1,420 ± 420"
    assert [text for _, text in axis([Strip("", 1420, 1000, 1840, "")]).labels][-1] == "+1,500"
