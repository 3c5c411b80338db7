from pathlib import Path

import pytest
from msgspec import json

from arena.compare import duel
from arena.compare.duel import Terms
from arena.errors import StoreError
from arena.results.stored import stored_run
from arena.runs import plans, session
from arena.runs import session as agreement
from arena.runs.plans import kinds
from arena.store.folder import Folder


def test_a_duel_that_was_judged_by_another_method_is_refused_in_one_line() -> None:
    plan = duel.duel(plans.resolve(("greedy", "cautious"), ("", "")), Terms(sandbox="none"))
    then = json.decode(agreement.played_by(plan))
    del then["method"]  # runs of the first method have none
    with pytest.raises(
        StoreError, match=r"^here: holds a run by method 1 of its format; this arena has method 3: play it anew in"
    ) as raised:
        agreement.check_same(plan, Folder(Path("here")), {}, (), json.encode(then).decode())
    assert "\n" not in str(raised.value)


def test_a_run_that_began_without_a_coin_goes_on_without_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = duel.duel(plans.resolve(("greedy", "cautious"), ("", "")), Terms(sandbox="none"))
    older = session._facts  # noqa: SLF001 - as an older arena has stored them
    monkeypatch.setattr(
        session, "_facts", lambda *given: {key: fact for key, fact in older(*given).items() if key != agreement.LEGS}
    )
    for name, coin in (("older", False), ("new", True)):
        start = session.RunStart(plan=plan, folder=Folder(tmp_path / name))
        with session.open_run(start.folder) as store:
            for _ in range(2):  # it begins, and resumes
                played = session.begin(session.decide(start, store), store, plan.spec.sandbox.assurance())
            assert played.coin is coin
            assert stored_run(start.folder, store, kinds()).coin_decides("greedy:cautious/0") is coin
        monkeypatch.undo()
