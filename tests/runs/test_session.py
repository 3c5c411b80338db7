from pathlib import Path

import pytest
from msgspec import json

from arena.errors import StoreError
from arena.runs import agreement, compare, resolve
from arena.runs.compare import Terms
from arena.store.folder import Folder


def test_a_duel_that_was_judged_by_another_method_is_refused_in_one_line() -> None:
    plan = compare.duel(resolve.resolve(("greedy", "cautious"), ("", "")), Terms(sandbox="none"))
    then = json.decode(agreement.played_by(plan))
    del then["method"]  # runs of the first method have none
    with pytest.raises(
        StoreError, match=r"^here: holds a run by method 1 of its format; this arena has method 2: play it anew in"
    ) as raised:
        agreement.check_same(plan, Folder(Path("here")), {}, (), json.encode(then).decode())
    assert "\n" not in str(raised.value)
