"""All that a league has on record, now or as it was at an earlier moment."""

from collections import Counter
from collections.abc import Mapping
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from arena.league.rules.events import Answered, AnyEvent, RoundClosed, RoundOpened
from arena.league.rules.field import LeagueField, fold
from arena.league.rules.rounds import Calendar, calendar, round_of
from arena.league.rules.suspension import Faulty
from arena.moments import Moment
from arena.stats.pairs import Pair
from arena.stats.second_legs import SecondLegs, SecondLegsBuilder


class History(Struct, frozen=True, kw_only=True):
    """Events and results, in the order in which they were stored."""

    events: tuple[AnyEvent, ...]
    played: tuple[Pair, ...]  # also pairs of which one leg is missing
    faults: tuple[Faulty, ...]

    def until(self, moment: Moment) -> "History":
        """Return the history as it was at a moment, with the results of the rounds that were closed by then.

        It ends before the first later event, so that it is complete also where the clock was set back.
        """
        return replace(self, events=tuple(takewhile(lambda event: event.at <= moment, self.events))).closed_rounds()

    def closed_rounds(self) -> "History":
        """Return the history without the results of a round that is open."""
        closed = sum(isinstance(event, RoundClosed) for event in self.events)
        return replace(
            self,
            played=tuple(pair for pair in self.played if round_of(pair.deals) <= closed),
            faults=tuple(faulty for faulty in self.faults if round_of(faulty.fixture) <= closed),
        )

    def field(self) -> LeagueField:
        """Return the field. Raises: DamagedError."""
        return fold(self.events)

    def calendar(self) -> Calendar:
        """Return the seasons and rounds. Raises: DamagedError."""
        return calendar(self.events)

    def answers(self) -> Mapping[str, str]:
        """Return each version's answers in the fixed positions, with the digest of these."""
        answered = (event for event in self.events if isinstance(event, Answered))
        return {event.version: f"{event.positions} {event.answers}" for event in answered}

    def matches(self) -> Mapping[str, int]:
        """Return the number of matches of each version that has played."""
        found: Counter[str] = Counter()
        for pair in self.played:
            for name in (pair.entrant, pair.opponent):
                found[name] += pair.legs
        return found


# Whether a bot plays better in the legs that it plays second: over all rounds and seasons, and all of its versions together.
#
# A new version does not begin anew, or a bot could end the evidence against it by submitting the same files again.


def second_legs(history: History) -> dict[str, SecondLegs]:
    """Return the gains of every bot in the legs that it played second, in the rounds in which a coin decided which these are."""
    drawn = {event.round for event in history.events if isinstance(event, RoundOpened) and event.coin}
    builder = SecondLegsBuilder(lambda version: version.rpartition("@")[0])
    for pair in history.played:
        if round_of(pair.deals) in drawn:
            builder.add(pair)
    return builder.gains()
