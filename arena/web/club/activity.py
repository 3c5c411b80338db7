"""How much was played in a league, as bars."""

from collections import Counter

from msgspec import Struct

from arena.league.rules.rounds import round_of
from arena.web.club.watch import LeagueSnapshot

BARS = 24  # rounds whose matches are shown


class Bar(Struct, frozen=True):
    """The matches of a round."""

    round: int
    matches: int
    height: float  # per cent of the highest


def activity(snapshot: LeagueSnapshot) -> list[Bar]:
    """Return the matches of the last rounds."""
    counted: Counter[int] = Counter()
    for pair in snapshot.history.played:
        counted[round_of(pair.deals)] += pair.legs
    rounds = sorted(counted)[-BARS:]
    most = max((counted[one] for one in rounds), default=1)
    return [Bar(one, counted[one], round(100 * counted[one] / most, 1)) for one in rounds]
