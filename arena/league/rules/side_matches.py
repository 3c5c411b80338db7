"""Matches of a league beside its rounds: cups, as a knockout of the best of the table, and rated matches of people.

Each is a run of its own, with its own seed and database, and changes no rating of a bot. Two entries of the league's chain, which
are called events too, have its entrants and its result. The first is stored before the first card.

A match of a person is one leg of single hands on deals of its own, against one version of a bot. A result cannot decide what
counts: every opened match counts, except those that the server could not play. A person who leaves, or makes no move in time, loses
all remaining hands by faults.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from arena.errors import InputError
from arena.league.rules.events import AnyEvent, SideClosed, SideKind, SideOpened
from arena.league.rules.field import LeagueField, Version
from arena.moments import Moment
from arena.roster.entrant import NAME_PATTERN, NO_DIGEST

METHOD = 1  # by which the entrants are taken from the table; the entry that opens a cup names it


class SideMatch(Struct, frozen=True):
    """A cup, or a rated match of a person."""

    opened: SideOpened
    closed: SideClosed | None = None  # None: its result is not stored

    @property
    def label(self) -> str:
        """Return what it is, in words."""
        return f"match {self.opened.name} of people" if self.opened.person else f"cup {self.opened.name}"

    @property
    def entrants(self) -> dict[str, str]:
        """Return the versions, and the person, by the names under which they play in its run, in the order of its entry."""
        return names_in_run([name for name, _ in self.opened.entrants])

    @property
    def winners(self) -> str:
        """Return who won, in words; empty: it is not known yet."""
        return winners_of(self.closed) if self.closed else ""

    @property
    def counts(self) -> bool:
        """Tell whether it is over, and not void."""
        return self.closed is not None and not self.closed.void

    @property
    def points_a_hand(self) -> float:
        """Return the person's points a hand, less luck; 0 while there are none."""
        adjusted = self.closed.adjusted if self.closed else ()
        return sum(adjusted) / max(len(adjusted), 1)


def winners_of(closed: SideClosed) -> str:
    """Return who won, in words; empty: it is void."""
    return " and ".join(closed.places[0]) if closed.places else ""


def side_matches(events: Iterable[AnyEvent], kind: SideKind | None = None) -> dict[str, SideMatch]:
    """Return the matches beside the rounds, or those of a kind, by the folders of their runs, in the order of their opening."""
    found: dict[str, SideMatch] = {}
    for event in events:
        add_event(found, event)
    return {run: one for run, one in found.items() if kind in (None, one.opened.kind)}


def add_event(found: dict[str, SideMatch], event: AnyEvent) -> None:
    """Add an event to the matches that the events before it have opened, by the folders of their runs."""
    if isinstance(event, SideOpened):
        found[event.run] = SideMatch(event)
    elif isinstance(event, SideClosed) and event.run in found:
        found[event.run] = SideMatch(found[event.run].opened, event)


def names_in_run(entrants: Sequence[str]) -> dict[str, str]:
    """Return versions, and people, by the names under which they play beside the rounds.

    A version has the name of its bot, unless another entrant has that too: then with the version's number.
    """
    plain = [one.partition("@")[0] for one in entrants]
    return {
        _own_name(one) if "@" in one and plain.count(name) > 1 else name: one for one, name in zip(entrants, plain, strict=True)
    }


def _own_name(version: str) -> str:
    name, _, number = version.partition("@")
    return f"{name[:40]}-{number}"


class PeopleTerms(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What people may play."""

    hands: Annotated[int, Meta(ge=2, le=1000)] = 30  # of a match
    a_day: Annotated[int, Meta(ge=1, le=1000)] = 10  # matches of a person, in a day of UTC


def open_person(
    person: str, version: Version, number: int, rounds: int, terms: PeopleTerms, at: Moment, commitment: str
) -> SideOpened:
    """Return the entry that opens the match of a person with a ``number``, after so many closed ``rounds``."""
    title = f"Rated match {number}"
    return SideOpened(
        at=at,
        kind="people",
        name=str(number),
        title=title,
        spec=f"{{title: {title}, format: {{name: single, hands: {terms.hands}}}, reports: []}}",
        rounds=rounds,
        entrants=((person, NO_DIGEST), (version.id, version.digest)),
        commitment=commitment,
        method=METHOD,
    )


def with_rank(field: LeagueField, first: Mapping[str, int], closed: int) -> list[str]:
    """Return the active versions with a result in the first ``closed`` rounds; ``first`` is the first round of each."""
    return [version.id for version in field.active if first.get(version.id, closed + 1) <= closed]


def check(event: SideOpened, before: Iterable[SideMatch], field: LeagueField, ranked: Sequence[str], terms: PeopleTerms) -> None:
    """Check that a person's match may be opened after others. Raises: InputError."""
    if not re.match(NAME_PATTERN, event.person):
        raise InputError(f"the person is called {event.person!r}; expected at most 50 letters, digits and _.-")
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
