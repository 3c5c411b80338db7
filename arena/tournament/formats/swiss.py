"""A Swiss tournament: in each round entrants of about the same score meet, and as few as possible of them have met before.

The order in a round is that of the scores, then of the spec. Within a score the upper half meets the lower half, the first of one
against the first of the other; who is left over meets the next score. If the number is odd, one entrant has a bye. It is chosen
among those with the fewest byes: the one whose absence forces the fewest rematches, of several the last in order. Then the others
are paired with the fewest rematches possible (``pair_up``). Where more than half of the possible rounds are played, a round is also
paired so that the later ones need no rematch (:mod:`arena.tournament.formats.lookahead`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import ceil, log2
from typing import Annotated, ClassVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.errors import SpecError
from arena.records import Fixture, Result
from arena.reports.numbers import count
from arena.stats.format_details import Details, Encounter, Encounters, PlaceTable, how_decided
from arena.stats.score_ranking import TIE_BREAKS, Scores, place_table
from arena.stats.standings import Places
from arena.tournament.formats import lookahead
from arena.tournament.formats.base import Format
from arena.tournament.formats.lookahead import Pairing
from arena.tournament.formats.matching import odd_one_out, pair_up, unmet_masks
from arena.tournament.formats.matchups import Matchup, MatchupIndex, Pairs, TieBreaks, check_once


class SwissRound(Struct, frozen=True):
    """The pairings of a round."""

    matchups: tuple[Matchup, ...]
    bye: str | None = None  # the entrant that has it; None: the number of entrants is even


class Swiss(Format, frozen=True, kw_only=True, tag="swiss"):
    """In each round every entrant plays ``pairs`` pairs of matches against one of about the same score, if possible a new opponent.

    A pairing is won by more matches, then more games, and scores 1, a draw a half, a bye 1. There are by default as many ``rounds``
    as in a knockout: three for 5 to 8 entrants. Entrants of equal score are separated by ``tie_breaks``.
    """

    is_fixed: ClassVar[bool] = True

    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    pairs: Pairs = 1
    tie_breaks: TieBreaks = TIE_BREAKS

    def __post_init__(self) -> None:
        """Raise ValueError for a tie-break that is named twice."""
        check_once(self.tie_breaks)

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the rest of the current round, or the next round. Raises: SpecError, for too many rounds."""
        self._check(len(field))
        index = MatchupIndex(played)
        return index.missing(self._rounds(field, index)[-1].matchups, range(self.pairs))

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places:
        """Return the order by score and tie-breaks, on the pairings that are complete."""
        return self._table(field, played).places

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details:
        """Return the ranking with its rounds and tie-breaks."""
        table = self._table(field, played)
        stage = f"round {len(table.encounters)} of {self._count(len(field))}"
        return Details(decided=how_decided(table), stage=stage, title="Rounds", tables=[table])

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
        often = "" if lookahead.avoids_rematches(size + size % 2, rounds) else "at most "
        met = f"{often}{self._opponent_count(size)} of its {count(size - 1, 'opponent')}"
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

    def _rounds(self, field: Sequence[str], index: MatchupIndex) -> list[SwissRound]:
        """Return the rounds whose pairings are known: those that are over, and the one in play."""
        rounds: list[SwissRound] = []
        for number in range(1, self._count(len(field)) + 1):
            known = self._scores(field, rounds, index)
            rounds.append(_pair_round(number, field, known, rounds, self._count(len(field))))
            if index.missing(rounds[-1].matchups, range(self.pairs)):
                break
        return rounds

    def _scores(self, field: Sequence[str], rounds: Sequence[SwissRound], index: MatchupIndex) -> Scores:
        meetings = index.meetings((one for each in rounds for one in each.matchups), self.pairs)
        return Scores(field, meetings, Counter(each.bye for each in rounds if each.bye))

    def _table(self, field: Sequence[str], played: Sequence[Result]) -> PlaceTable:
        index = MatchupIndex(played)
        rounds = self._rounds(field, index)
        title = f"Swiss, round {len(rounds)} of {self._count(len(field))}"
        met = [Encounters(f"round {number}", self._met(one, index)) for number, one in enumerate(rounds, 1)]
        return replace(place_table(title, self._scores(field, rounds, index), self.tie_breaks), encounters=met)

    def _met(self, played: SwissRound, index: MatchupIndex) -> dict[str, Encounter]:
        """Return the meetings of a round by entrant."""
        bye = {played.bye: Encounter("", outcome=1)} if played.bye else {}
        return bye | {name: met for one in played.matchups for name, met in index.encounters(one, self.pairs).items()}


def _pair_round(
    number: int, field: Sequence[str], scores: Scores, rounds: Sequence[SwissRound], total: int | None = None
) -> SwissRound:
    """Return the pairings of the next round of ``total``, by default as many as possible."""
    order = sorted(field, key=lambda name: -scores.score(name))  # stable: equal scores stay in the order of the spec
    ahead = _look_ahead(number, field, order, scores, rounds, total or len(field) - 1 + len(field) % 2)
    if ahead is not None:
        return ahead
    unmet = unmet_masks(order, ((one.one, one.other) for each in rounds for one in each.matchups))
    bye = _bye(order, unmet, rounds) if len(order) % 2 else None
    entrants = [one for one in range(len(order)) if one != bye]
    half_points = [scores.score(name) for name in order]
    pairs = pair_up(unmet, entrants, lambda first, others: _preference(half_points, first, others))
    return SwissRound(tuple(Matchup(number, order[one], order[other]) for one, other in pairs), None if bye is None else order[bye])


def _look_ahead(
    number: int, field: Sequence[str], order: Sequence[str], scores: Scores, rounds: Sequence[SwissRound], total: int
) -> SwissRound | None:
    """Return a round after which the others need no rematch; None: any will do, or none was found.

    The vertices are the places in the field, and one more for the bye if the field is odd.
    """
    place = {name: at for at, name in enumerate(field)}
    size = len(field) + len(field) % 2
    played = [_pairing(each, place) for each in rounds]
    if not lookahead.is_needed(size, number, total):
        return None
    half_points = [scores.score(name) for name in field]
    entrants, byes = [place[name] for name in order], Counter(each.bye for each in rounds)

    def prefer(first: int, others: Sequence[int]) -> list[int]:
        return _preference(half_points, first, others)

    def candidates(unmet: Sequence[int]) -> Iterator[Pairing]:
        if len(field) == size:
            yield from map(lookahead.as_pairing, lookahead.pairings(unmet, entrants, prefer))
            return
        for bye in (one for one in reversed(entrants) if not byes[field[one]]):
            found = lookahead.pairings(unmet, [one for one in entrants if one != bye], prefer)
            yield from (lookahead.as_pairing([*pairs, (bye, len(field))]) for pairs in islice(found, lookahead.TRIED_A_BYE))

    def cost(pairing: Pairing) -> object:
        known = [*half_points, -1]  # a bye costs the more, the higher the score
        return sum((known[one] - known[other]) ** 2 for one, other in pairing), sorted(pairing)

    chosen = lookahead.choose(size, played, total - number, candidates, cost)
    if chosen is None:
        return None
    rank = {one: at for at, one in enumerate(entrants)}
    bye = next((field[one] for one, other in chosen if other == len(field)), None)
    pairs = sorted(sorted(pair, key=rank.__getitem__) for pair in chosen if max(pair) < len(field))
    pairs.sort(key=lambda pair: rank[pair[0]])
    return SwissRound(tuple(Matchup(number, field[one], field[other]) for one, other in pairs), bye)


def _pairing(each: SwissRound, place: Mapping[str, int]) -> Pairing:
    bye = [(place[each.bye], len(place))] if each.bye else []
    return lookahead.as_pairing([*bye, *((place[one.one], place[one.other]) for one in each.matchups)])


def _bye(order: Sequence[str], unmet: Sequence[int], rounds: Sequence[SwissRound]) -> int:
    """Return the place of the bye: of those with the fewest byes the last one whose absence leaves the fewest rematches."""
    byes = Counter(each.bye for each in rounds)
    fewest = min(byes[name] for name in order)
    candidates = [at for at in reversed(range(len(order))) if byes[order[at]] == fewest]
    return odd_one_out(unmet, range(len(order)), candidates)


def _preference(scores: Sequence[int], first: int, others: Sequence[int]) -> list[int]:
    """Return the opponents in the order in which the first entrant prefers them.

    Of its own score it prefers the first of the lower half, then those nearest to it; then come the other scores in their order.
    """
    same = sum(scores[one] == scores[first] for one in others)
    middle = (same - 1) // 2
    own = sorted(range(same), key=lambda at: abs(at - middle))
    return [others[at] for at in own] + list(others[same:])
