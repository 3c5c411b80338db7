"""The pairings of each round, decided from what is on record, and decided again to check them."""

from collections.abc import Iterable, Iterator, Sequence

from arena.league.rules import pairing
from arena.league.rules.events import RoundOpened
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History
from arena.league.rules.meetings import Meetings, Pairing
from arena.league.rules.ratings import pairing_strengths
from arena.league.rules.rounds import round_of
from arena.league.rules.spec import LeagueSpec
from arena.stats.pairs import Pair


def decide_pairings(field: LeagueField, played: Sequence[Pair], number: int, spec: LeagueSpec) -> tuple[Pairing, ...]:
    """Return the pairings of a round; ``played`` are the results of all rounds before it."""
    strengths = pairing_strengths(played, field.versions, spec.rating_terms)
    return pairing.pairings(field.active, Meetings(played), strengths, number, spec.pairing, spec.aim)


def apart(field: LeagueField, chosen: Iterable[Pairing]) -> tuple[str, ...]:
    """Return the versions of some pairings that read while they play, by name."""
    playing = {name for both in chosen for name in both}
    return tuple(sorted(version.id for version in field.active if version.reads_while_playing and version.id in playing))


def differences(history: History, spec: LeagueSpec) -> Iterator[str]:
    """Yield each round whose pairings do not follow from the events and results before it. Raises: DamagedError."""
    results = ResultsByRound(history.played)
    field = LeagueField()
    for event in history.events:
        if isinstance(event, RoundOpened) and event.method == pairing.METHOD:
            yield from _difference(event, decide_pairings(field, results.before(event.round), event.round, spec))
        field = field.after(event)


class ResultsByRound:
    """Results in the order of their rounds."""

    def __init__(self, played: Sequence[Pair]) -> None:
        self._left = sorted(played, key=lambda pair: round_of(pair.deals), reverse=True)
        self._before: list[Pair] = []

    def before(self, number: int) -> list[Pair]:
        """Return the results of the rounds before one; the numbers that are asked for rise."""
        while self._left and round_of(self._left[-1].deals) < number:
            self._before.append(self._left.pop())
        return self._before


def _difference(opened: RoundOpened, expected: tuple[Pairing, ...]) -> Iterator[str]:
    found = set(opened.pairings)
    for one, other in sorted(found ^ set(expected)):
        state = "was played, but does not follow" if (one, other) in found else "is missing, but follows"
        yield f"round {opened.round}: {one} against {other} {state} from the events and results before it"
