"""Events of a league beside its rounds, as a knockout of the best: their entrants, results and checks.

An event is a tournament with its own seed and database, and changes no rating. The chain of the league has its entrants and result.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.league.rules.events import AnyEvent, RoundClosed, SpecialClosed, SpecialOpened, bot_name
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.table import table
from arena.tournament.seeds import commitment

METHOD = 1  # by which the entrants are taken from the table; an event names it


class SpecialEvent(Struct, frozen=True):
    """An event of a league."""

    opened: SpecialOpened
    closed: SpecialClosed | None = None  # None: its result is not stored

    @property
    def name(self) -> str:
        """Return its name."""
        return self.opened.name

    @property
    def versions(self) -> dict[str, str]:
        """Return the version that plays in it under each bot's name, the best of the table first."""
        return {bot_name(version): version for version, _ in self.opened.entrants}

    @property
    def winners(self) -> str:
        """Return who won, in words; empty: it is not known yet."""
        return " and ".join(self.closed.places[0]) if self.closed else ""


def special_events(events: Iterable[AnyEvent]) -> tuple[SpecialEvent, ...]:
    """Return the events of a league beside its rounds, in the order in which they were opened."""
    found: dict[str, SpecialEvent] = {}
    for event in events:
        if isinstance(event, SpecialOpened):
            found[event.name] = SpecialEvent(event)
        elif isinstance(event, SpecialClosed) and event.name in found:
            found[event.name] = SpecialEvent(found[event.name].opened, event)
    return tuple(found.values())


def best_of_table(history: History, terms: RatingTerms) -> list[str]:
    """Return the versions that may take part, best first: those with a rank by the closed rounds, of each bot its best version."""
    best: dict[str, str] = {}
    for version in table(history.closed_rounds(), terms).ranking:
        best.setdefault(bot_name(version), version)
    return list(best.values())


def differences(history: History, terms: RatingTerms) -> Iterator[str]:
    """Yield the entrants and results that do not follow from the events before them. Raises: DamagedError."""
    before: dict[str, SpecialEvent] = {}
    for number, event in enumerate(history.events):
        if isinstance(event, SpecialOpened):
            if event.name in before:
                yield f"event {event.name}: it was decided twice"
            before[event.name] = SpecialEvent(event)
            if event.method == METHOD:
                yield from _entrant_differences(event, replace(history, events=history.events[:number]), terms)
            else:
                yield f"event {event.name}: its method {event.method} is not known"
        elif isinstance(event, SpecialClosed):
            found = before.get(event.name)
            yield from _result_differences(event, found)
            if found:
                before[event.name] = SpecialEvent(found.opened, event)


def _entrant_differences(event: SpecialOpened, history: History, terms: RatingTerms) -> Iterator[str]:
    """Yield the differences between an event's entrants and the table before it."""
    closed = sum(isinstance(one, RoundClosed) for one in history.events)
    if event.rounds != closed:
        yield f"event {event.name}: names {event.rounds} closed rounds; found {closed} before it"
    digests = {version.id: version.digest for version in history.field().versions}
    expected = [(version, digests[version]) for version in best_of_table(history, terms)[: len(event.entrants)]]
    if list(event.entrants) != expected:
        yield f"event {event.name}: {_names(event.entrants)} take part; by the table {_names(expected)} do"


def _result_differences(event: SpecialClosed, before: SpecialEvent | None) -> Iterator[str]:
    """Yield why the result of an event does not fit its opening."""
    if before is None or before.closed:
        yield f"event {event.name}: has a result, but was not open"
    elif commitment(event.seed) != before.opened.commitment:
        yield f"event {event.name}: its seed is not the one that was committed to"
    elif sorted(name for place in event.places for name in place) != sorted(name for name, _ in before.opened.entrants):
        yield f"event {event.name}: its places are not those of the bots that take part"


def _names(entrants: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{version} ({digest[:12]})" for version, digest in entrants)
