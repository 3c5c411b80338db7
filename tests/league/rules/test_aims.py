"""The aim of a league: when it is known."""

from itertools import pairwise

from support.leagues.events import pair, versions

from arena.league.rules.aims import TopAim, certainty


def test_the_aim_is_known_when_every_comparison_is() -> None:
    field, ranked = versions(3), ["b000@1", "b001@1", "b002@1"]
    played = [pair(one, other, number, points=400) for number in range(40) for one, other in pairwise(ranked)]
    found = certainty(field, ranked, played, TopAim(1), 0.95)
    assert (found.comparisons, found.decided, found.sure) == (2, 1, False)
    played += [pair("b000@1", "b002@1", number, points=400) for number in range(40)]
    assert certainty(field, ranked, played, TopAim(1), 0.95).sure
    assert certainty(field, ranked, played, "order", 0.95).decided == 3


def test_nothing_is_known_of_an_empty_field() -> None:
    assert not certainty((), (), (), "order", 0.95).sure
