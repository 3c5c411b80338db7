"""Rated matches of people: who may begin one, the checks of their events, and the people's ratings.

A match is one leg of single hands on deals of its own, against one version of a bot. The event that opens it is stored before its
first card, so a result cannot decide what counts: every opened match counts, except those that the server could not play. A person
who leaves, or makes no move in time, loses all remaining hands by faults.

A person's rating is the mean over its hands of the rating of the opponent and the points of the hand, less the luck of its draws.
It is on the scale of the bots' ratings and changes none of them: a person's matches are no results of the league.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import InputError
from arena.league.rules.events import AnyEvent, PersonClosed, PersonOpened, RoundClosed
from arena.league.rules.field import LeagueField
from arena.league.rules.history import History, first_rounds
from arena.stats.resolution import of_observations
from arena.tournament.seeds import commitment


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


def differences(history: History, terms: PeopleTerms | None) -> Iterator[str]:
    """Yield the events of people's matches that were not possible. Raises: DamagedError."""
    first, field, closed = first_rounds(history.played), LeagueField(), 0
    before: dict[int, PersonMatch] = {}
    for event in history.events:
        match event:
            case PersonOpened():
                if problem := _opening_problem(event, before, field, with_rank(field, first, closed), terms):
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
        field = field.after(event)


def _opening_problem(
    event: PersonOpened, before: Mapping[int, PersonMatch], field: LeagueField, ranked: Sequence[str], terms: PeopleTerms | None
) -> str:
    if terms is None or (event.match, event.hands) != (len(before) + 1, terms.hands):
        expected = f"match {len(before) + 1} of {terms.hands} hands" if terms else "none: in this league people do not play"
        return f"match {event.match} of {event.hands} hands was opened; expected {expected}"
    try:
        check(event, list(before.values()), field, ranked, terms)
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


# The ratings.


class PersonRow(Struct, frozen=True, kw_only=True):
    """A person in the table of people."""

    person: str
    rating: float | None  # None: the league's scale is not points a hand, or an opponent has no rating
    low: float | None  # end of the 95 % interval, which leaves out the errors of the opponents' ratings
    high: float | None
    points_a_hand: float  # net, less luck
    matches: int
    hands: int
    kind: str = "person"


def people_rows(events: Iterable[AnyEvent], ratings: Mapping[str, float]) -> tuple[PersonRow, ...]:
    """Return the people who have played, best first.

    ``ratings`` are those of the versions in points a hand; empty: the league has another scale.
    """
    mine: dict[str, list[PersonMatch]] = {}
    for one in person_matches(events).values():
        if one.counts:
            mine.setdefault(one.opened.person, []).append(one)
    rows = [_row(person, several, ratings) for person, several in mine.items()]
    return tuple(sorted(rows, key=lambda row: (-(row.points_a_hand if row.rating is None else row.rating), row.person)))


def _row(person: str, matches: Sequence[PersonMatch], ratings: Mapping[str, float]) -> PersonRow:
    hands = [(one.opened.version, points) for one in matches if one.closed for points in one.closed.adjusted]
    rated = all(version in ratings for version, _ in hands)
    found = of_observations([(ratings[version] if rated else 0.0) + points for version, points in hands])
    return PersonRow(
        person=person,
        rating=found.mean if rated else None,
        low=found.low if rated else None,
        high=found.high if rated else None,
        points_a_hand=sum(points for _, points in hands) / len(hands),
        matches=len(matches),
        hands=len(hands),
    )
