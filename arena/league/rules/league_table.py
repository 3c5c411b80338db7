"""The table of a league, as a value; :mod:`arena.league.rules.table_making` makes it from a history."""

from functools import cached_property

from msgspec import Struct

from arena.league.rules.field import VersionState
from arena.reports.answer_card import AnswerCard, Strip
from arena.reports.numbers import signed
from arena.stats.second_leg_test import SecondLegs


class TableRow(Struct, frozen=True, kw_only=True):
    """A version in the table."""

    rank: int | None  # None: it does not play, or has no rating
    name: str
    author: str
    version: int
    digest: str
    rating: float | None  # None: it has no result that counts
    low: float | None  # end of the 95 % interval; None, but not ``high``: it is below ``high``
    high: float | None  # end of the 95 % interval; None, but not ``low``: it is above ``low``
    places: tuple[int, int] | None = None  # the 95 % interval of the rank that it may deserve; None: it has none
    matches: int
    faults: int  # matches in which it was at fault
    state: VersionState
    second_legs: SecondLegs | None = None  # of all versions of the bot; None: it has not played a pair of legs
    reads_while_playing: bool = False  # whether it is never sealed

    @property
    def id(self) -> str:
        """Return the entrant's name."""
        return f"{self.name}@{self.version}"

    @property
    def strip(self) -> Strip | None:
        """Return the rating with its interval, to be drawn; None: it is not known."""
        if self.rating is None or self.low is None or self.high is None:
            return None
        return Strip(self.id, self.rating, self.low, self.high, signed(self.rating))


class PersonRow(Struct, frozen=True, kw_only=True):
    """A person in the table of people.

    The rating is the mean over the hands of the rating of the opponent and the points of the hand, less the luck of its draws: on
    the scale of the bots' ratings, of which it changes none.
    """

    person: str
    rating: float | None  # None: the league's scale is not points a hand, or an opponent has no rating
    low: float | None  # end of the 95 % interval, which leaves out the errors of the opponents' ratings; None: few matches
    high: float | None
    points_a_hand: float  # net, less luck
    matches: int
    hands: int
    kind: str = "person"


class LeagueTable(Struct, frozen=True, dict=True):  # dict: for what is computed once
    """The rows of the table, and notes on the ratings."""

    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()  # each with the versions that it concerns
    answer: AnswerCard | None = None  # the leader and how sure that is; None: fewer than two bots have a rank
    people: tuple[PersonRow, ...] = ()  # people who have played rated matches, best first; these change no rating of a bot

    def row(self, id: str) -> TableRow | None:  # noqa: A002 - the name of the value
        """Return the row of a version; None: it is not in the table."""
        return self._by_id.get(id)

    @cached_property
    def _by_id(self) -> dict[str, TableRow]:
        return {row.id: row for row in self.rows}

    @property
    def second_legs(self) -> dict[str, SecondLegs]:
        """Return each bot's gains in the legs that it played second."""
        return {row.name: row.second_legs for row in self.rows if row.second_legs}

    @property
    def ranking(self) -> list[str]:
        """Return the versions with a rank, best first."""
        return [row.id for row in self.rows if row.rank is not None]
