"""What events beside the rounds and rated matches of people must be by the history before them, for ``arena verify``."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from arena.errors import InputError
from arena.league.rules import special
from arena.league.rules.events import PersonClosed, PersonOpened, RoundClosed, SpecialClosed, SpecialOpened
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History
from arena.league.rules.ratings import RatingTerms
from arena.league.rules.rounds import first_rounds
from arena.league.rules.special import PeopleTerms, PersonMatch, SpecialEvent
from arena.league.rules.table import best_of_table
from arena.tournament.seeds import commitment


def special_differences(history: History, terms: RatingTerms) -> Iterator[str]:
    """Yield the entrants and results that do not follow from the events before them. Raises: DamagedError."""
    before: dict[str, SpecialEvent] = {}
    for number, event in enumerate(history.events):
        if isinstance(event, SpecialOpened):
            if event.name in before:
                yield f"event {event.name}: it was decided twice"
            before[event.name] = SpecialEvent(event)
            if event.method == special.METHOD:
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


def people_differences(history: History, terms: PeopleTerms | None) -> Iterator[str]:
    """Yield the events of people's matches that were not possible. Raises: DamagedError."""
    first, field, closed = first_rounds(history.played), LeagueField(), 0
    before: dict[int, PersonMatch] = {}
    for event in history.events:
        match event:
            case PersonOpened():
                if problem := _opening_problem(event, before, field, special.with_rank(field, first, closed), terms):
                    yield f"people/{event.match}: {problem}"
                before[event.match] = PersonMatch(event)
            case PersonClosed():
                found = before.get(event.match)
                if problem := _closing_problem(event, found):
                    yield f"people/{event.match}: {problem}"
                if found:
                    before[event.match] = PersonMatch(found.opened, event)
            case RoundClosed():
                closed = event.round
        field.add(event)


def _opening_problem(
    event: PersonOpened, before: Mapping[int, PersonMatch], field: LeagueField, ranked: Sequence[str], terms: PeopleTerms | None
) -> str:
    if terms is None or (event.match, event.hands) != (len(before) + 1, terms.hands):
        expected = f"match {len(before) + 1} of {terms.hands} hands" if terms else "none: in this league people do not play"
        return f"match {event.match} of {event.hands} hands was opened; expected {expected}"
    try:
        special.check(event, list(before.values()), field, ranked, terms)
    except InputError as error:
        return f"cannot have been opened: {error}"
    return ""


def _closing_problem(event: PersonClosed, match: PersonMatch | None) -> str:
    if match is None or match.closed:
        return "has a result, but was not open"
    if event.void:
        return ""
    if commitment(event.seed or "") != match.opened.commitment:
        return "its seed is not the one that was committed to"
    if len(event.adjusted) != match.opened.hands:
        return f"has {len(event.adjusted)} hands; expected {match.opened.hands}"
    return ""
