"""The page of ``import arena`` has every field of every result."""

import pytest
from python_page import BEGIN, generated
from readmes import ROOT

PAGE = ROOT / "arena" / "PYTHON.md"


def test_the_fields_of_results_on_the_page_are_those_of_the_classes(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    wanted = text.partition(BEGIN)[0] + generated()
    if request.config.getoption("--update-golden"):
        PAGE.write_text(wanted, encoding="utf-8")
    else:
        assert text == wanted, "a field of a result has changed: pytest --update-golden tests/test_python_page.py"
