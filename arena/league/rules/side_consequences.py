"""What matches beside the rounds must be by the history before them, for ``arena verify``."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from arena.errors import InputError
from arena.league.rules.events import AnyEvent, RoundClosed, SideClosed, SideOpened
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.rounds import first_rounds
from arena.league.rules.side_matches import METHOD, PeopleTerms, SideMatch, add_event, check, open_person, with_rank
from arena.league.rules.table_making import best_of_table
from arena.tournament.seeds import commitment


def side_differences(history: History, rating: RatingTerms, people: PeopleTerms | None) -> Iterator[str]:
    """Yield the first problem of each entry of a match beside the rounds that does not follow from the events before it.

    Raises: DamagedError.
    """
    checking = _SideCheck(history, rating, people)
    for event in history.events:
        if isinstance(event, SideOpened | SideClosed) and (problem := checking.problem(event)):
            yield f"{event.run}: {problem}"
        checking.add(event)


class _SideCheck:
    """Checks events one after another; keeps what was before the next one."""

    def __init__(self, history: History, rating: RatingTerms, people: PeopleTerms | None) -> None:
        self._history = history
        self._rating = rating
        self._people = people
        self._first = first_rounds(history.played)
        self._field = LeagueField()
        self._events = self._closed = 0  # numbers of events, and of closed rounds, so far
        self._before: dict[str, SideMatch] = {}

    def add(self, event: AnyEvent) -> None:
        """Add an event."""
        self._events += 1
        self._field.add(event)
        self._closed += isinstance(event, RoundClosed)
        add_event(self._before, event)

    def problem(self, event: SideOpened | SideClosed) -> str:
        """Return why the next event cannot be; empty: it can."""
        if isinstance(event, SideClosed):
            return self._result_problem(event)
        if event.run in self._before:
            return "it was decided twice"
        if event.method != METHOD:
            return f"its method {event.method} is not known"
        if event.rounds != self._closed:
            return f"names {event.rounds} closed rounds; found {self._closed} before it"
        return self._person_problem(event) if event.person else self._entrants_problem(event)

    def _entrants_problem(self, event: SideOpened) -> str:
        """Return the difference between a cup's entrants and the table before it."""
        history = replace(self._history, events=self._history.events[: self._events])
        best = best_of_table(history, self._rating)[: len(event.entrants)]
        expected = tuple((version, self._field.version(version).digest) for version in best)
        return "" if event.entrants == expected else f"{_names(event.entrants)} take part; by the table {_names(expected)} do"

    def _person_problem(self, event: SideOpened) -> str:
        """Return why a person's match could not be opened, or its first difference from what should have been."""
        if self._people is None:
            return "was opened in a league in which people do not play"
        before = [one for one in self._before.values() if one.opened.person]
        try:
            check(event, before, self._field, with_rank(self._field, self._first, self._closed), self._people)
        except InputError as error:
            return f"cannot have been opened: {error}"
        version, number = self._field.version(event.version), len(before) + 1
        expected = open_person(event.person, version, number, self._closed, self._people, event.at, event.commitment)
        values = ((name, getattr(event, name), getattr(expected, name)) for name in event.__struct_fields__)
        return next((f"has {name} {found!r}; expected {due!r}" for name, found, due in values if found != due), "")

    def _result_problem(self, event: SideClosed) -> str:
        """Return why a result does not fit its opening."""
        match = self._before.get(event.run)
        if match is None or match.closed:
            return "has a result, but was not open"
        opened, hands = match.opened, self._people.hands if self._people and match.opened.person else 0
        if event.void:
            return "" if opened.person else "is void; only a match of a person can be"
        if commitment(event.seed or "") != opened.commitment:
            return "its seed is not the one that was committed to"
        if event.link is None:
            return "does not name the end of the chain of its run"
        if sorted(name for place in event.places for name in place) != sorted(name for name, _ in opened.entrants):
            return "its places are not those of the entrants"
        return f"has {len(event.adjusted)} hands; expected {hands}" if len(event.adjusted) != hands else ""


def _names(entrants: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{version} ({digest[:12]})" for version, digest in entrants)
