"""Tests of my-part: run them with ``python -m pytest``."""

import pytest
from my_part import MyPart

from arena.errors import SandboxError
from arena.roster.entrant import Launch

BOT = Launch(command=("/usr/bin/env",), folder="/usr", files=("/usr/bin/env",), environment=(("MINE", "1"),))


def test_the_variable_is_added_to_those_of_the_bot() -> None:
    assert dict(MyPart(threads_of_libraries=2).with_variable(BOT).environment) == {"OMP_NUM_THREADS": "2", "MINE": "1"}


def test_the_bot_is_confined() -> None:
    try:
        wrapped = MyPart().wrap(BOT)
    except SandboxError as error:
        pytest.skip(str(error))
    assert wrapped.command != BOT.command
    assert MyPart().assurance().isolated
