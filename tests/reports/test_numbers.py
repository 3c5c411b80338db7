"""Numbers as text, by a table of examples that the scripts of pages follow too: tests/web/test_estimates_js.py."""

import re
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from arena.reports import numbers
from arena.reports.answer_card import Strip, axis
from arena.reports.numbers import typeset
from arena.stats.estimate import Estimate

EXAMPLES: list[tuple[str, list[Any], str]] = json.decode(Path(__file__).with_name("numbers.json").read_bytes())
WRITE: dict[str, Callable[..., str]] = {
    "whole": lambda value: f"{value:,}",
    "signed": lambda value, digits: numbers.number(value, f"+z,.{digits}f"),
    "count": numbers.count,
    "share": numbers.share,
    "hand": lambda name, alone: numbers.hand_words(name, alone=alone),
    "interval": numbers.signed,
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


def sources() -> dict[str, str]:
    """Return the texts of arena's own modules, templates and scripts by path, without those that it writes for people."""
    folder = Path(numbers.__file__).parents[1]
    files = [file for suffix in ("py", "html", "js") for file in folder.rglob(f"*.{suffix}")]
    shown = [file for file in files if not {"vendor", "runs/templates"} & {*file.parts, "/".join(file.parts[-4:-2])}]
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in shown}


def test_every_number_with_a_sign_has_commas() -> None:
    """A format without them is right until a bot is 1,000 points ahead."""
    without = {path: found for path, text in sources().items() if (found := re.findall(r"\+z?\.\df", text))}
    assert len(sources()) > 500
    assert without == {}
    assert numbers.rating(Estimate(1420, 1000, 1840)) == "+1,420 ± 420"
    assert [text for _, text in axis([Strip("", 1420, 1000, 1840, "")]).labels][-1] == "+1,500"


def test_an_interval_is_written_in_one_place() -> None:
    """As ``± half`` or ``(low to high)``, with commas; statements have their words."""
    one_place = {"reports/numbers.py", "reports/page/numbers.js", "stats/statements.py"}
    written = {path for path, text in sources().items() if re.search(r"± (\$?\{(?!RATING)|%)|\[\{[^}]*low[^}]*\}, \{", text)}
    assert written - one_place - {"plugins/part_meanings.py"} == set()  # the last refuses what is no interval
    assert numbers.signed(-1234.5, 1000.25) == "-1,234.50 ± 1,000.25"
    assert numbers.signed(-0.001) == "+0.00"


def test_a_level_below_certainty_is_never_written_as_certain() -> None:
    assert [numbers.level(proof) for proof in (20, 1 / 0.03, 39, 1000, 1e6, inf)] == [
        *("95 %", "97 %", "97.43 %", "99.9 %", "99.9999 %", "99.9999999 %")
    ]
