"""A name that the user chose among some."""

import pytest

from arena.errors import InputError
from arena.runs.chosen import choose


def test_where_there_is_nothing_to_choose_the_message_lists_no_names() -> None:
    with pytest.raises(InputError, match=r"^fixture: found 'x'; there is none to choose from$"):
        choose({}, "x", "fixture")
    with pytest.raises(InputError, match=r"^fixture: found 'x'; expected one of one, two$"):
        choose({"two": 2, "one": 1}, "x", "fixture")
