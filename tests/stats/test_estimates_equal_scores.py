"""Two bots with the same score against the same opponents: the same rating, and nearly the same chances."""

from itertools import combinations

import pytest
from support.matches.records import match

from arena.records import MatchRecord
from arena.stats.ratings import BradleyTerry

# the winners of the legs of two pairs of (a, b) or of a or b with another; all other matches of both are won
SCORES = {
    "single matches, to a middling bot and to the last": {"ab": ("ab", "ab"), "ac": ("aa", "ac"), "bf": ("bb", "bf")},
    "a pair each to the other, and a match": {"ab": ("aa", "bb"), "ac": ("aa", "ac"), "bf": ("bb", "bf")},
    "three matches, to one bot and to three": {"ab": ("ab", "aa"), "ac": ("aa", "ac"), "ad": ("aa", "ad")},
}


def played(lost: dict[str, tuple[str, str]]) -> list[MatchRecord]:
    """Return two pairs of every two of six bots, of which a and b win 17 of 20 matches; the others win from later ones."""
    records = []
    for one, other in combinations("abcdef", 2):
        usual = (one + one, one + one) if one in "ab" else (one + other, one + one)
        for number, winners in enumerate(lost.get(one + other, usual)):
            for seats, winner in zip(((one, other), (other, one)), winners, strict=True):
                records.append(match(*seats, deals=f"{one}{other}/{number}", winner=0 if winner == seats[0] else 1))
    return records


@pytest.mark.parametrize("lost", SCORES.values(), ids=SCORES)
def test_two_bots_with_one_score_have_the_same_elo_and_nearly_the_same_chances(lost: dict[str, tuple[str, str]]) -> None:
    records = played(lost)
    for bot in "ab":
        mine = [record for record in records if bot in record.fixture.seats]
        assert (len(mine), sum(record.winner == record.fixture.seats.index(bot) for record in mine)) == (20, 17)
    found = BradleyTerry().rate(records)
    first, second = found["a"], found["b"]
    assert first.value == pytest.approx(second.value, abs=3)  # Elo
    assert first.first == pytest.approx(second.first, abs=0.04)
