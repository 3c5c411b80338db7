"""Leagues of bots of known strength, played by simulation through the pairings, ratings and tables of arena.

The result of a pairing is the difference of two strengths with a standard error of 2.7 points a hand, that of 20 deals from both
seats. Everything else is what ``arena league`` does: events, pairings, ratings, the table.
"""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from arena.league.rules.aims import Aim, TopAim
from arena.league.rules.events import Activated, Answered, AnyEvent, Auditioned, Retired, Submitted
from arena.league.rules.field import LeagueField
from arena.league.rules.focused_pairings import RatedStrength
from arena.league.rules.history import History
from arena.league.rules.league_table import LeagueTable
from arena.league.rules.meetings import Meetings, between
from arena.league.rules.pairing import PairingPolicy, pairings
from arena.league.rules.ratings import LeagueRatings, RatingTerms, help_signs, pairing_strengths, rate
from arena.league.rules.table_making import make_table
from arena.stats.help import Surplus
from arena.stats.pairs import Pair
from arena.stats.ratings import PointsRating

Array = NDArray[np.float64]

MOMENT = "2026-01-01T00:00:00Z"
ERROR = 2.7  # points a hand, of the result of a pairing
HANDS = 40  # of a pairing
TERMS = RatingTerms(rating=PointsRating())
POLICY = PairingPolicy()
AIMS: Mapping[str, Aim] = {"order": "order", "top: 1": TopAim(1)}


def result(one: str, other: str, deals: str, net: float, hands: int = HANDS) -> Pair:
    """Return a pair of batches in which ``one`` scored ``net`` points a hand more."""
    sign = 1 if one < other else -1
    points = sign * round(net * hands)
    return Pair(
        entrant=min(one, other),
        opponent=max(one, other),
        deals=deals,
        batch=True,
        legs=2,
        matches=(0, 0),
        games=(0, 0),
        points=(max(points, 0), max(-points, 0)),
        capped_points=points,
        hands=hands,
    )


class SimulatedLeague:
    """A league, its bots' true strengths, and what two bots score against each other beyond them."""

    def __init__(self, strengths: Iterable[float], aim: str, chance: np.random.Generator) -> None:
        self.true: dict[str, float] = {}
        self.extra: dict[tuple[str, str], float] = {}  # points a hand that the first scores more against the second
        self.rounds = 0
        self._aim = AIMS[aim]
        self._chance = chance
        self._events: list[AnyEvent] = []
        self._field = LeagueField()
        self._played: list[Pair] = []
        self._met = Meetings()
        for number, strength in enumerate(strengths):
            self.submit(f"bot{number}", f"author{number}", strength)

    def submit(self, name: str, author: str, strength: float, answers: str = "") -> str:
        """Have the next version of a bot join, in the place of the one before it, and return its name."""
        before = self._field.of(name)
        version = f"{name}@{len(before) + 1}"
        self._add(Submitted(at=MOMENT, version=version, author=author, digest="0" * 64, entry="bot.yaml"))
        self._add(Auditioned(at=MOMENT, version=version, passed=True))
        if before and before[-1].state == "active":
            self.retire(before[-1].id)
        self._add(Activated(at=MOMENT, version=version))
        if answers:
            self._add(Answered(at=MOMENT, version=version, positions="0" * 64, answers=answers))
        self.true[version] = strength
        return version

    def retire(self, version: str) -> None:
        """Retire a version."""
        self._add(Retired(at=MOMENT, version=version))

    def _add(self, event: AnyEvent) -> None:
        self._events.append(event)
        self._field = self._field.after(event)

    def play(self, rounds: int = 1) -> None:
        """Play some rounds."""
        for _ in range(rounds):
            self.rounds += 1
            for one, other in pairings(self._field.active, self._met, self.measured(), self.rounds, POLICY, self._aim):
                lead = self.true[one] - self.true[other] + self.extra.get((one, other), 0.0) - self.extra.get((other, one), 0.0)
                net = lead + self._chance.normal(0, ERROR)
                self._played.append(result(one, other, f"r{self.rounds}/{one}:{other}/0", net))
                self._met.add(between(one, other), self.rounds)

    def ratings(self) -> LeagueRatings:
        """Return the ratings of the table."""
        return rate(self._played, self._field.versions, TERMS)

    def table(self) -> LeagueTable:
        """Return the table."""
        return make_table(History(events=tuple(self._events), played=tuple(self._played), faults=()), TERMS)

    def signs_of_help(self) -> list[Surplus]:
        """Return the results that look like help."""
        return help_signs(self._played, self._field.versions)

    def measured(self) -> Mapping[str, RatedStrength]:
        """Return the ratings as measured, with their standard errors."""
        return pairing_strengths(self._played, self._field.versions, TERMS)

    def active(self, author: str) -> list[str]:
        """Return the active versions of an author."""
        return [version.id for version in self._field.by(author)]


FIELDS: Mapping[str, Callable[[int, np.random.Generator], Array]] = {
    "equal": lambda size, _: np.zeros(size),
    "normal, 0.3 apart": lambda size, chance: chance.normal(0, 0.3, size),
    "normal, 0.6 apart": lambda size, chance: chance.normal(0, 0.6, size),
    "normal, 1.2 apart": lambda size, chance: chance.normal(0, 1.2, size),
    "normal, 2.5 apart": lambda size, chance: chance.normal(0, 2.5, size),
    "equal but one, 0.6 ahead": lambda size, _: _one_apart(size, 0.6),
    "equal but one, 1.2 ahead": lambda size, _: _one_apart(size, 1.2),
    "equal but one, 2.4 ahead": lambda size, _: _one_apart(size, 2.4),
    "equal but one, 40 behind": lambda size, _: _one_apart(size, -40.0),
    "two groups, 20 apart": lambda size, _: np.repeat([20.0, 0.0], [size // 2, size - size // 2]),
    "a ladder with steps of 0.5": lambda size, _: np.linspace(0.0, 0.5 * (size - 1), size),
}


def _one_apart(size: int, ahead: float) -> Array:
    return np.array([ahead, *[0.0] * (size - 1)])
