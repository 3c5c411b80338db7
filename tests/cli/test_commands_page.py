"""The page of the commands says what their help says."""

import pytest
from commands_page import BEGIN, generated
from every_command import leaves
from readmes import ROOT

from arena.cli.commands import TAKES_INSIDE

PAGE = ROOT / "arena" / "cli" / "README.md"


def test_the_page_of_the_commands_is_generated_from_their_help(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    written, _, _ = text.partition(BEGIN)
    wanted = written + generated()
    if request.config.getoption("--update-golden"):
        PAGE.write_text(wanted, encoding="utf-8")
    else:
        assert text == wanted, "the help of a command has changed: pytest --update-golden tests/cli/test_commands_page.py"


def test_a_time_is_given_for_commands_that_exist_alone() -> None:
    assert set(TAKES_INSIDE) <= set(leaves())
