"""What types cannot say about the values of the methods of parts, by the method."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from math import isfinite

from msgspec import Struct

from arena.confinement.profiles import Sandbox
from arena.plugins.checked_calls import Given, Meaning
from arena.plugins.source import UnexpectedError
from arena.plugins.typed import shown
from arena.records import Fixture
from arena.roster.entrant import Launch
from arena.stats.estimate import Estimate, Rating
from arena.stats.format_details import Details
from arena.tournament.executors import Executor
from arena.tournament.formats.base import Format


def _new_fixtures(fixtures: Iterator[Fixture], given: Given) -> Iterator[Fixture]:
    """Yield fixtures of the field, each with an id of its own."""
    field, known = set(given["field"]), {one.fixture.id for one in given["played"]}
    for fixture in fixtures:
        if fixture.id in known:
            raise UnexpectedError(f"fixture {fixture.id!r} again", "an id that is not repeated and was not played")
        if strangers := set(fixture.seats) - field:
            raise UnexpectedError(f"{min(strangers)!r} in fixture {fixture.id!r}", f"one of {_names(given['field'])}")
        if not (fixture.id and fixture.deals):
            raise UnexpectedError(shown(fixture), "an id and a key of the deals")
        known.add(fixture.id)
        yield fixture


def _whole_ranking(places: Sequence[Sequence[str]] | None, given: Given) -> Sequence[Sequence[str]] | None:
    """Return a ranking with each entrant once."""
    if places is not None and sorted(name for place in places for name in place) != sorted(given["field"]):
        found = " > ".join(" = ".join(place) for place in places)
        raise UnexpectedError(f"the ranking {found or 'of nobody'}", f"each of {_names(given['field'])} once")
    return places


def _known_details(found: Details | None, given: Given) -> Details | None:
    """Return details about entrants of the field; each column of a table has a cell for each of its entrants."""
    field = set(given["field"])
    for table in found.tables if found else ():
        if strangers := set(table.order) - field:
            raise UnexpectedError(f"{min(strangers)!r} in table {table.title!r}", f"one of {_names(given['field'])}")
        for column in table.columns:
            if missing := [name for name in table.order if name not in column.cells]:
                raise UnexpectedError(f"no cell for {missing[0]!r} in column {column.name!r}", "one for each entrant of the table")
    for bracket in found.brackets if found else ():
        if not (bracket.rounds and all(one.ties for one in bracket.rounds)):
            raise UnexpectedError(f"bracket {bracket.title!r} without a tie", "at least one in each round")
    return found


def _sound_ratings(ratings: dict[str, Estimate], given: Given) -> dict[str, Estimate]:
    """Return estimates of entrants that played, with finite numbers; an interval may be open on a side."""
    records = given["records"]
    deque(records, maxlen=0)  # those that the rating did not read
    for name, one in ratings.items():
        if name not in records.names:
            raise UnexpectedError(f"an estimate of {name!r}", f"one of the players: {_names(sorted(records.names))}")
        numbers = (one.value, *one.ranks, *(one.first or ()), one.out_after or 0.0)
        if not all(map(isfinite, numbers)):
            raise UnexpectedError(f"{one.value} [{one.low}, {one.high}] for {name!r}", "finite numbers")
        if not one.low <= one.value <= one.high:
            raise UnexpectedError(f"{one.value} [{one.low}, {one.high}] for {name!r}", "a value between its ends")
    return ratings


def _with_command(launch: Launch, given: Given) -> Launch:
    """Return a launch that starts a process."""
    del given
    if not launch.command:
        raise UnexpectedError("a launch without a command", "a launch that starts the same bot")
    return launch


def _at_least(least: int, number: int, given: Given) -> int:
    del given
    if number < least:
        raise UnexpectedError(str(number), f"{least} or more")
    return number


MEANINGS: Mapping[type[Struct], Mapping[str, Meaning]] = {  # by the base class of a part and the method
    Format: {
        "fixtures": _new_fixtures,
        "ranking": _whole_ranking,
        "details": _known_details,
        "least": partial(_at_least, 0),
    },
    Rating: {"rate": _sound_ratings, "rate_scheduled": _sound_ratings},
    Sandbox: {"wrap": _with_command},
    Executor: {"workers": partial(_at_least, 1)},
}


def _names(names: Sequence[str]) -> str:
    return ", ".join((*islice(names, 10), *(["…"] if len(names) > 10 else [])))
