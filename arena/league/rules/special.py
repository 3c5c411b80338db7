"""Matches of a league beside its rounds: events, as a knockout of the best of the table, and rated matches of people.

An event, in the code a ``SpecialEvent``, is a tournament with its own seed and database, and changes no rating. The entries of the
league's chain, which are called events too, have its entrants and result.

A match of a person is one leg of single hands on deals of its own, against one version of a bot. The entry that opens it is stored
before its first card, so a result cannot decide what counts: every opened match counts, except those that the server could not
play. A person who leaves, or makes no move in time, loses all remaining hands by faults.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import InputError
from arena.league.rules.events import AnyEvent, PersonClosed, PersonOpened, SpecialClosed, SpecialOpened, bot_name
from arena.league.rules.field import LeagueField

METHOD = 1  # by which the entrants are taken from the table; the entry that opens an event names it


class SpecialEvent(Struct, frozen=True):
    """A tournament of a league beside its rounds."""

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


class PeopleTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What people may play."""

    hands: Annotated[int, Meta(ge=2, le=1000)] = 30  # of a match
    a_day: Annotated[int, Meta(ge=1, le=1000)] = 10  # matches of a person, in a day of UTC


class PersonMatch(Struct, frozen=True):
    """A rated match of a person."""

    opened: PersonOpened
    closed: PersonClosed | None = None  # None: it is being played

    @property
    def counts(self) -> bool:
        """Tell whether it is over, and not void."""
        return self.closed is not None and not self.closed.void

    @property
    def points_a_hand(self) -> float:
        """Return the person's points a hand, less luck; 0 while there are none."""
        adjusted = self.closed.adjusted if self.closed else ()
        return sum(adjusted) / max(len(adjusted), 1)


def person_matches(events: Iterable[AnyEvent]) -> dict[int, PersonMatch]:
    """Return the rated matches of people by their numbers, in the order in which they were opened."""
    found: dict[int, PersonMatch] = {}
    for event in events:
        match event:
            case PersonOpened():
                found[event.match] = PersonMatch(event)
            case PersonClosed() if event.match in found:
                found[event.match] = PersonMatch(found[event.match].opened, event)
    return found


def with_rank(field: LeagueField, first: Mapping[str, int], closed: int) -> list[str]:
    """Return the active versions with a result in the first ``closed`` rounds; ``first`` is the first round of each."""
    return [version.id for version in field.active if first.get(version.id, closed + 1) <= closed]


def check(
    event: PersonOpened, before: Sequence[PersonMatch], field: LeagueField, ranked: Sequence[str], terms: PeopleTerms
) -> None:
    """Check that a match may be opened after others. Raises: InputError."""
    mine = [one for one in before if one.opened.person == event.person]
    if any(one.closed is None for one in mine):
        raise InputError(f"a match of {event.person} is not over; expected it to be played first")
    if event.version not in ranked:
        raise InputError(f"{event.version} does not play, or has no rating yet; expected one of {', '.join(ranked) or 'none'}")
    if field.version(event.version).author == event.person:
        raise InputError(f"{event.version} is a bot of {event.person}; expected one of another author")
    day = event.at[:10]
    if (today := sum(one.opened.at[:10] == day for one in mine)) >= terms.a_day:
        raise InputError(f"{event.person} has begun {today} rated matches on {day} UTC; expected at most {terms.a_day}")
