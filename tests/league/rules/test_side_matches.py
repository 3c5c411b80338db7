"""Events of a league beside its rounds: who takes part follows from the table, and the result from what was decided."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from support.leagues.events import joined, moment, pair

from arena.errors import InputError
from arena.league.rules.events import (
    AnyEvent,
    Reason,
    Reinstated,
    Retired,
    RoundClosed,
    SeasonOpened,
    SideClosed,
    SideOpened,
    Suspended,
    bot_name,
    decode,
    encode,
)
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.side_consequences import side_differences
from arena.league.rules.side_matches import side_matches
from arena.league.rules.table_making import best_of_table
from arena.league.side_matches import read_request
from arena.stats.ratings import PointsRating
from arena.tournament.seeds import commitment

TERMS = RatingTerms(rating=PointsRating())
SEED = "7" * 64
POINTS = {"ann@2": 400, "ann@1": 300, "ben@1": 100, "cat@1": 0, "dan@1": -200, "eve@1": -300}


def before() -> list[AnyEvent]:
    """Return the events of a league: ann's first version plays again, cat's bot is suspended, and eve's retired."""
    events: list[AnyEvent] = [
        SeasonOpened(at=moment(0), season=1, rounds=9, commitment="0" * 64),
        *(event for name in ("ann", "ben", "cat", "dan", "eve") for event in joined(name)),
        *joined("ann", 2),
        Reinstated(at=moment(1), version="ann@1"),
        Suspended(at=moment(2), version="cat@1", reason=Reason("slow")),
        Retired(at=moment(3), version="eve@1"),
        RoundClosed(at=moment(4), round=1, seed="1" * 64),
    ]
    return events


def history(events: Sequence[AnyEvent]) -> History:
    names = sorted(POINTS)
    played = tuple(
        pair(one, other, 1, points=POINTS[one] - POINTS[other])
        for place, one in enumerate(names)
        for other in names[place + 1 :]
        if bot_name(one) != bot_name(other)
    )
    later = pair("dan@1", "ben@1", 2, points=9000)  # of a round that is open
    return History(events=tuple(events), played=(*played, later), faults=())


def decided(*versions: str) -> SideOpened:
    entrants = tuple((version, commitment(version)) for version in versions)
    return SideOpened(
        at=moment(5), kind="events", name="cup", title="Cup", spec="", rounds=1, entrants=entrants, commitment=commitment(SEED)
    )


CUP = decided("ann@2", "ben@1")
RESULT = SideClosed(at=moment(6), kind="events", name="cup", seed=SEED, places=(("ben@1",), ("ann@2",)), link="2" * 64)


def test_the_best_version_of_each_bot_takes_part_and_none_that_does_not_play() -> None:
    assert best_of_table(history(before()), TERMS) == ["ann@2", "ben@1", "dan@1"]


def test_an_event_is_known_by_its_name_with_its_result_and_events_are_stored_as_text() -> None:
    assert [decode(encode(one)) for one in (CUP, RESULT)] == [CUP, RESULT]
    [(run, found)] = side_matches([*before(), CUP, RESULT]).items()
    assert (run, found.winners, found.entrants) == ("events/cup", "ben@1", {"ann": "ann@2", "ben": "ben@1"})
    assert side_matches([CUP])["events/cup"].winners == ""
    assert side_matches([RESULT]) == side_matches([CUP], "people") == {}


def differing(*events: AnyEvent) -> list[str]:
    return list(side_differences(history([*before(), *events]), TERMS, None))


@pytest.mark.parametrize(
    ("events", "difference"),
    [
        ((CUP, RESULT), ""),
        ((decided("ann@1", "ben@1"),), "by the table ann@2"),
        ((decided("ben@1", "ann@2"),), "by the table ann@2"),
        ((decided("ann@2", "ben@1", "cat@1"),), "by the table ann@2"),
        ((replace(CUP, entrants=(("ann@2", "3" * 64), CUP.entrants[1])),), "ann@2 (333333333333)"),
        ((replace(CUP, rounds=2),), "names 2 closed rounds; found 1"),
        ((CUP, CUP), "was decided twice"),
        ((RESULT,), "has a result, but was not open"),
        ((CUP, RESULT, RESULT), "has a result, but was not open"),
        ((CUP, replace(RESULT, seed="8" * 64)), "its seed is not the one"),
        ((CUP, replace(RESULT, places=(("ben@1",),))), "its places are not those"),
        ((CUP, replace(RESULT, void="rain")), "is void; only a match of a person can be"),
        ((replace(decided("dan@1"), method=9),), "events/cup: its method 9 is not known"),
    ],
)
def test_what_does_not_follow_is_found(events: Sequence[AnyEvent], difference: str) -> None:
    found = differing(*events)
    assert any(difference in one for one in found) if difference else found == []


def test_no_event_has_the_name_of_the_file_with_the_seed_of_another(tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text("title: Cup\n")
    with pytest.raises(InputError, match=r"'cup.secret'; expected a name that does not end in .secret"):
        read_request(tmp_path / "cup.yaml", 2, "cup.secret")
