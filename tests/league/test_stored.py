"""Runs beside the rounds of a league are compared with its chain."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.league.rules.events import SideClosed, SideOpened
from arena.league.rules.side_matches import SideMatch
from arena.league.stored import result_difference
from arena.roster.entrant import NO_DIGEST
from arena.tournament.formats.round_robin import Single

AT = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("said", "difference"),
    [
        ({}, ""),
        ({"points": 9}, "ends with points 0; the chain of the league says 9"),
        ({"adjusted": (1.0,)}, "ends with adjusted (); the chain of the league says (1.0,)"),
        ({"places": ()}, "ends with places (('cat', 'ann@1'),); the chain of the league says ()"),
        ({"seed": "8" * 64}, "its seed is not the one in the chain of the league"),
        ({"entrants": (("cat", NO_DIGEST), ("ann@1", "8" * 64))}, "others have played than the chain of the league names"),
    ],
)
def test_all_of_a_result_beside_the_rounds_is_compared_with_its_run(said: dict[str, Any], difference: str) -> None:
    closed = {"seed": "7" * 64, "places": (("cat", "ann@1"),)} | said
    entrants = closed.pop("entrants", (("cat", NO_DIGEST), ("ann@1", NO_DIGEST)))
    known: dict[str, Any] = {"at": AT, "kind": "people", "name": "1"}
    opened = SideOpened(**known, title="", spec="", rounds=1, entrants=entrants, commitment="0" * 64)
    field = [SimpleNamespace(name=name, digest=NO_DIGEST) for name in ("cat", "ann")]
    run = SimpleNamespace(field=field, facts={"seed": "7" * 64}, spec=SimpleNamespace(format=Single()), names=("cat", "ann"))
    result = SideClosed(**known, **closed)
    assert result_difference(SideMatch(opened, result), result, cast("Any", run), []) == difference
