"""Checks that the records of a run are the ones that its format asks for.

The format is called as in play: for a round, and for the next one if all of that is on record. It receives only results of
fixtures that it asked for, so a record that does not belong to the run cannot change what is expected.
"""

from collections.abc import Collection, Sequence
from itertools import islice

from msgspec import Struct

from arena.errors import DamagedError
from arena.records import Fixture, Result
from arena.tournament.plan import Plan
from arena.tournament.spec import Spec

MAX_MISSING = 1_000_000  # missing fixtures that are counted; a spec can ask for any number

Content = tuple[tuple[str, str], str, int | None, bool]


class Completeness(Struct, frozen=True, kw_only=True):
    """The records of a run compared with its fixtures."""

    played: int  # fixtures that the format asks for and that are on record
    missing: int  # fixtures that the format asks for now and that are not on record; at most MAX_MISSING
    first_missing: str | None  # id; None: none is missing
    wrong: tuple[str, ...]  # a line for each record that the format does not ask for

    @property
    def summary(self) -> str:
        """Return the counts as text."""
        more = "at least " if self.missing == MAX_MISSING else ""
        return f"{self.played} of {more}{self.played + self.missing} matches are on record"


def compare(spec: Spec, field: Sequence[str], results: Sequence[Result], earlier: Sequence[Result] = ()) -> Completeness:
    """Return the comparison of ``results`` with the fixtures of the format, which receives those of ``earlier`` runs too.

    Raises: DamagedError, for another number of entrants than in the spec.
    """
    if len(field) != len(spec.bots):
        raise DamagedError(f"{len(field)} entrants on record; expected the {len(spec.bots)} of the spec")
    comparison = _Comparison(results, earlier)
    while comparison.ask(spec, field):
        pass
    return comparison.result()


def first_on_known_deals(plan: Plan, results: Sequence[Result], before: Collection[str]) -> Fixture | None:
    """Return the first fixture, of those that are next, in which a bot that was added plays deals on record; None: none.

    ``before``: the bots of the run before it grew. An added one could know the cards.
    """
    dealt = {result.fixture.deals for result in results}
    asked = plan.spec.format.fixtures(plan.names, results)
    return next((one for one in asked if one.deals in dealt and not set(one.seats) <= set(before)), None)


class _Comparison:
    """The fixtures that the format asked for so far, and the records found for them."""

    def __init__(self, results: Sequence[Result], earlier: Sequence[Result]) -> None:
        self._results = results
        self._earlier = earlier
        self._stored = {result.fixture.id: result.fixture for result in results}
        self._contents = {_content(result.fixture): result.fixture.id for result in results}
        self._found: dict[str, Fixture] = {}  # fixtures asked for and on record, by id
        self._missing = 0
        self._first: str | None = None
        self._displaced: dict[Content | str, Fixture] = {}  # missing fixtures whose content or id another record has

    def ask(self, spec: Spec, field: Sequence[str]) -> bool:
        """Compare one more round; True: it has fixtures and all are on record, so that another round may follow."""
        played = [*self._earlier, *(result for result in self._results if result.fixture.id in self._found)]
        before = len(self._found)
        new = (fixture for fixture in spec.format.fixtures(field, played) if fixture.id not in self._found)
        for fixture in islice(new, len(self._results) + MAX_MISSING):
            if self._stored.get(fixture.id) == fixture:
                self._found[fixture.id] = fixture
            else:
                self._miss(fixture)
        return not self._missing and len(self._found) > before

    def _miss(self, fixture: Fixture) -> None:
        self._missing = min(self._missing + 1, MAX_MISSING)
        self._first = self._first or fixture.id
        if _content(fixture) in self._contents:
            self._displaced[_content(fixture)] = fixture
        if fixture.id in self._stored:
            self._displaced[fixture.id] = fixture

    def result(self) -> Completeness:
        """Return the result of the comparison."""
        found = {_content(fixture): fixture.id for fixture in self._found.values()}
        wrong = (result.fixture for result in self._results if result.fixture.id not in self._found)
        return Completeness(
            played=len(self._found),
            missing=self._missing,
            first_missing=self._first,
            wrong=tuple(self._reason(fixture, found) for fixture in wrong),
        )

    def _reason(self, fixture: Fixture, found: dict[Content, str]) -> str:
        """Return a line on why a record does not belong to the run."""
        if expected := self._displaced.get(fixture.id):
            return f"{fixture.id}: on record with {_fixture_words(fixture)}; expected {_fixture_words(expected)}"
        if renamed := self._displaced.get(_content(fixture)):
            return f"{fixture.id}: on record under this id instead of {renamed.id}"
        if original := found.get(_content(fixture)):
            return f"{fixture.id}: a second record of {original}"
        return f"{fixture.id}: on record, but the format does not ask for it"


def _content(fixture: Fixture) -> Content:
    """Return all of a fixture except its id."""
    return fixture.seats, fixture.deals, fixture.hands, fixture.scored


def _fixture_words(fixture: Fixture) -> str:
    hands = "" if fixture.hands is None else f", {fixture.hands} hands{' at different scores' * fixture.scored}"
    return f"{fixture.seats[0]} and {fixture.seats[1]} on deals {fixture.deals}{hands}"
