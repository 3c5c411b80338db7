"""The base class of formats: a format is a pure function of the field and the results.

It is called again after each round and each interruption, so a run is resumed without any other state.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import ClassVar

from msgspec import Struct

from arena.gin.rules import Rules
from arena.records import Fixture, Result
from arena.stats.format_details import Details
from arena.stats.standings import Places

UNTESTED = 1  # the method of a format whose results no test judges
GROUP = 1000  # sets that ``leg_by_leg`` lists leg by leg before it reads the next ones


def leg_by_leg(sets: Iterable[Sequence[Fixture]]) -> Iterator[Fixture]:
    """Yield the first fixture of each set, then the second of each, and so on, for one group of GROUP sets after another.

    The fixtures of a set share their deals; the sets are of equal size.
    """
    left = iter(sets)
    while some := list(islice(left, GROUP)):
        for legs in zip(*some, strict=True):
            yield from legs


def pair_of_legs(one: str, other: str, deals: str, hands: int | None = None, *, scored: bool = False) -> list[Fixture]:
    """Return two fixtures with the same deals and the seats swapped; ``hands`` None: matches."""
    return [Fixture(f"{deals}/{leg}", seats, deals, hands, scored) for leg, seats in enumerate([(one, other), (other, one)])]


class Format(Struct, frozen=True, kw_only=True, tag_field="name", forbid_unknown_fields=True):
    """A format. The fields of a subclass are its options in a spec; its docstring is its manual."""

    usual_rating: ClassVar[str] = "bradley-terry"  # of a spec that names none: it is of what the format counts
    grows: ClassVar[bool] = True  # whether a run continues when its spec has grown: more bots, or larger options
    # whether every two entrants play pairs that no result changes, and that the last part of their key numbers from 0
    scheduled: ClassVar[bool] = False
    is_fixed: ClassVar[bool] = False  # whether ``least`` is the number of all fixtures, whatever the results

    def under(self, rules: Rules) -> "Format":
        """Return the format for rules, whose bounds of a hand a test needs."""
        del rules
        return self

    @property
    def judged_by(self) -> int:
        """Return the version of the rules by which results are judged; a run keeps the one with which it began."""
        return UNTESTED

    @property
    def counts_lost(self) -> bool:
        """Tell whether a fixture is a result (``Result.lost``) the first time that it is lost; else it is played again, twice."""
        return False

    def fixtures(self, field: Sequence[str], played: Sequence[Result]) -> Iterable[Fixture]:
        """Return the fixtures that can be played now, given the results; none when the tournament is over.

        It is called again when all of them have been played, and when a run is resumed. Ids must be unique and depend only on the
        field and the results. Fixtures with the same ``deals`` are never in play at once, so list fixtures with different ``deals``
        next to each other to keep several workers busy, but the two legs of a pair at most 10,000 fixtures apart: a coin decides
        which of them is played first (:mod:`arena.tournament.director`). ``leg_by_leg`` does both.
        """
        raise NotImplementedError

    def ranking(self, field: Sequence[str], played: Sequence[Result]) -> Places | None:
        """Return the field in places, first place first; None ranks it by what was won (:mod:`arena.stats.standings`).

        Entrants in one place share its rank. Every entrant must be in exactly one place, even before all matches are played.
        """
        del field, played
        return None

    def details(self, field: Sequence[str], played: Sequence[Result]) -> Details | None:
        """Return the details of a report besides the standings, such as tie-breaks and brackets; None: none."""
        del field, played
        return None

    def least(self, size: int) -> int:
        """Return the least number of fixtures of ``size`` entrants, as far as it is known before any result; 0: not known."""
        del size
        return 0

    def most_hands(self, size: int) -> int:
        """Return the hands of all batches of ``size`` entrants, which results may end before; 0: it plays none, or not known."""
        del size
        return 0

    def explain(self, size: int) -> Iterable[str]:
        """Return sentences on what ``size`` entrants play and what that can tell, for ``arena plan``."""
        del size
        return ()


def places(chosen: Format, field: Sequence[str], played: Callable[[], Sequence[Result]]) -> Places | None:
    """Return the ranking of a format, or None.

    ``played`` is called only if the format defines a ranking, because the results of a long run take time and memory to read.
    """
    if type(chosen).ranking is Format.ranking:
        return None
    return chosen.ranking(field, played())


def plays_batches(chosen: Format, field: Sequence[str]) -> bool:
    """Tell whether the format plays batches of single hands instead of matches, by its first fixture."""
    return any(fixture.hands is not None for fixture in islice(chosen.fixtures(field, ()), 1))


def details(chosen: Format, field: Sequence[str], played: Callable[[], Sequence[Result]]) -> Details | None:
    """Return a format's details besides the standings, or None; ``played`` as for ``places``."""
    if type(chosen).details is Format.details:
        return None
    return chosen.details(field, played())
