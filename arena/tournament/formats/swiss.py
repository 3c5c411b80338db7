"""A Swiss tournament: in each round entrants of about the same score meet, and as few as possible of them have met before.

The order in a round is that of the scores, then of the spec. Within a score the upper half meets the lower half, the first of one
against the first of the other; who is left over meets the next score. If the number is odd, one entrant has a bye. It is chosen
among those with the fewest byes: the one whose absence forces the fewest rematches, of several the last in order. Then the others
are paired with the fewest rematches possible (:mod:`arena.tournament.formats.matching`). So a rematch is played where only an
unfair bye, or another pairing of an earlier round, could have avoided it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import ceil, log2
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.reports.numbers import count
from arena.stats.pairs import Meeting, meeting
from arena.stats.standings import TIE_BREAKS, Details, Places, PlaceTable, Scores, TieBreak, how_decided, place_table
from arena.tournament.formats import matching
from arena.tournament.formats.base import Format, leg_by_leg

# Matchups: two entrants who meet in a round, the fixtures that they play, and what is known of them.
#
# The formats that play in rounds share one rule. A round is asked for as a whole, and the next one when all of it has been played,
# so its fixtures follow from complete rounds alone. Therefore the same fixtures are played after any interruption and on any number
# of workers, and ``arena verify`` can ask for them again.

Pairs = Annotated[int, Meta(ge=1, le=100_000)]
TieBreaks = Annotated[tuple[TieBreak, ...], Meta(max_length=20)]


class Matchup(Struct, frozen=True):
    """Two entrants who meet in a round; names and numbers of rounds cannot contain a colon or a slash, so keys are unique."""

    round: int  # from 1
    one: str
    other: str

    @property
    def key(self) -> str:
        """Return the common beginning of the ids and deals of its fixtures."""
        return f"r{self.round}/{self.one}:{self.other}"

    def leg(self, pair: int, leg: int) -> Fixture:
        """Return one fixture; the two legs of a pair share their deals and swap the seats."""
        seats = (self.other, self.one) if leg else (self.one, self.other)
        return Fixture(f"{self.key}/{pair}/{leg}", seats, f"{self.key}/{pair}")


class Book:
    """The results that are known."""

    def __init__(self, played: Iterable[Result]) -> None:
        self._done: dict[str, Result] = {}
        self._by_matchup = defaultdict[str, list[Result]](list)
        for result in played:
            self._done[result.fixture.id] = result
            self._by_matchup[result.fixture.deals.rpartition("/")[0]].append(result)

    def missing(self, matchups: Sequence[Matchup], pairs: range) -> list[Fixture]:
        """Return the fixtures of some pairs that have not been played, neighbours with different deals as far as possible."""
        legs = leg_by_leg([matchup.leg(pair, leg) for leg in (0, 1)] for pair in pairs for matchup in matchups)
        return [leg for leg in legs if leg.id not in self._done]

    def meeting(self, matchup: Matchup) -> Meeting:
        """Return the sum of a matchup's results so far."""
        return meeting(matchup.one, matchup.other, self._by_matchup[matchup.key])

    def meetings(self, matchups: Iterable[Matchup], pairs: int) -> list[Meeting]:
        """Return the meetings that are complete."""
        return [met for met in map(self.meeting, matchups) if met.legs == 2 * pairs]


def check_once(tie_breaks: Sequence[TieBreak]) -> None:
    """Raise ValueError for a tie-break that is named twice."""
    names = [one.name for one in tie_breaks]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"tie_breaks: {name!r} is named {names.count(name)} times; expected once")


class SwissRound(Struct, frozen=True):
    """Who meets whom in a round."""

    matchups: tuple[Matchup, ...]
    bye: str | None = None


class Swiss(Format, frozen=True, kw_only=True, tag="swiss"):
    """In each round every entrant plays ``pairs`` pairs of matches against one of about the same score, if possible a new opponent.

    A pairing is won by more matches, then more games, and scores 1, a draw a half, a bye 1. ``rounds`` is by default just enough
    for one entrant to have won all its pairings: three rounds for 5 to 8 entrants. Entrants of equal score are separated by
    ``tie_breaks``.
    """

    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    pairs: Pairs = 1
    tie_breaks: TieBreaks = TIE_BREAKS

    def __post_init__(self) -> None:
        """Raise ValueError for a tie-break that is named twice."""
        check_once(self.tie_breaks)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round. Raises: SpecError, for more rounds than there are opponents."""
        self._check(len(field))
        book = Book(played)
        return book.missing(self._rounds(field, book)[-1].matchups, range(self.pairs))

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the order by score and tie-breaks, on the pairings that are complete."""
        return self._table(field, played).places

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the ranking with its tie-breaks."""
        table = self._table(field, played)
        return Details(decided=how_decided(table), tables=[table])

    def least(self, size: int) -> int:
        """Return the number of fixtures."""
        return 2 * self.pairs * (size // 2) * self._count(size)

    def explain(self, size: int) -> Iterator[str]:
        """Yield what is played, and what it can tell."""
        bye = ", and one entrant has a bye" if size % 2 else ""
        each = f"{count(self.pairs, 'pair')} of matches"
        rounds = self._count(size)
        played = f"{count(rounds, 'round')} of {count(size // 2, 'pairing')}"
        yield f"{played}, each {each}{bye}; a round begins when the one before it is over"
        met = f"{self._opponent_count(size)} of its {count(size - 1, 'opponent')}"
        yield f"each entrant meets {met}: the first and the last places are the most reliable"

    def _opponent_count(self, size: int) -> str:
        """Return the number of opponents of an entrant, if none meet again; the number of byes differs by at most one."""
        rounds = self._count(size)
        if size % 2 == 0:
            return f"{rounds}"
        return f"{rounds - 1}" if rounds == size else f"{rounds}, or {rounds - 1} and has a bye,"

    def _count(self, size: int) -> int:
        return self.rounds or max(1, ceil(log2(size)))

    def _check(self, size: int) -> None:
        most = size - 1 + size % 2
        if self._count(size) > most:
            found = f"{self.rounds} rounds for {size} bots"
            raise SpecError(f"format swiss: {found}; expected at most {most}, in which all can meet once")

    def _rounds(self, field: Sequence[str], book: Book) -> list[SwissRound]:
        """Return the rounds whose pairings are known: those that are over, and the one in play."""
        rounds: list[SwissRound] = []
        for number in range(1, self._count(len(field)) + 1):
            known = self._scores(field, rounds, book)
            rounds.append(_next(number, field, known, rounds))
            if book.missing(rounds[-1].matchups, range(self.pairs)):
                break
        return rounds

    def _scores(self, field: Sequence[str], rounds: Sequence[SwissRound], book: Book) -> Scores:
        meetings = book.meetings((one for each in rounds for one in each.matchups), self.pairs)
        return Scores(field, meetings, Counter(each.bye for each in rounds if each.bye))

    def _table(self, field: Sequence[str], played: Sequence[Result]) -> PlaceTable:
        book = Book(played)
        rounds = self._rounds(field, book)
        title = f"Swiss, round {len(rounds)} of {self._count(len(field))}"
        return place_table(title, self._scores(field, rounds, book), self.tie_breaks)


def _next(number: int, field: Sequence[str], scores: Scores, rounds: Sequence[SwissRound]) -> SwissRound:
    """Return the pairings of the next round."""
    order = sorted(field, key=lambda name: -scores.score(name))  # stable: equal scores stay in the order of the spec
    fresh = _fresh(order, rounds)
    entrants = list(range(len(order)))
    bye = _bye(order, fresh, rounds) if len(order) % 2 else None
    entrants = [one for one in entrants if one != bye]
    half_points = [scores.score(name) for name in order]
    pairs = matching.pair_up(fresh, entrants, lambda first, others: _preference(half_points, first, others))
    return SwissRound(tuple(Matchup(number, order[one], order[other]) for one, other in pairs), None if bye is None else order[bye])


def _fresh(order: Sequence[str], rounds: Sequence[SwissRound]) -> list[int]:
    """Return for each place in the order the bits of the entrants that it has not met."""
    place = {name: at for at, name in enumerate(order)}
    fresh = [(1 << len(order)) - 1 - (1 << at) for at in range(len(order))]
    for met in (matchup for each in rounds for matchup in each.matchups):
        fresh[place[met.one]] &= ~(1 << place[met.other])
        fresh[place[met.other]] &= ~(1 << place[met.one])
    return fresh


def _bye(order: Sequence[str], fresh: Sequence[int], rounds: Sequence[SwissRound]) -> int:
    """Return who has a bye: of those with the fewest byes the last without whom the rest can be paired."""
    byes = Counter(each.bye for each in rounds)
    fewest = min(byes[name] for name in order)
    candidates = [at for at in reversed(range(len(order))) if byes[order[at]] == fewest]
    return matching.odd_one_out(fresh, range(len(order)), candidates)


def _preference(scores: Sequence[int], first: int, others: Sequence[int]) -> list[int]:
    """Return the opponents in the order in which the first entrant prefers them.

    Of its own score it prefers the first of the lower half, then those nearest to it; then come the other scores in their order.
    """
    same = sum(scores[one] == scores[first] for one in others)
    middle = (same - 1) // 2
    own = sorted(range(same), key=lambda at: abs(at - middle))
    return [others[at] for at in own] + list(others[same:])
