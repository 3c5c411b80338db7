"""``python tests/studies/requesting.py [--leagues N] [--rounds N]``: what matches on request do to ratings.

Leagues of ten bots are simulated (``simulated.py``), and the author of the first asks for rated matches, of which each round takes
five. Either bots play alike, or each scores a normal amount of its own more against each other one (``helping.py``): its true
rating is the mean over all others. Printed is the mean error of the first bot's rating in points a hand, by results alone, and the
root mean square of that error in standard errors, which is 1 where these say the truth; then the latter of all other bots. Weights
are those of ``arena.league.rules.challenges``, and in the last columns all equal.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from unittest import mock

import numpy as np
from helping import STYLES
from simulated import ERROR, Array, SimulatedLeague, result

from arena.league.rules import challenges

SIZE = 10
MINE = "bot0@1"
A_ROUND = 5
MOST = 100


class RequestedLeague(SimulatedLeague):
    """A league in which the author of the first bot asks for matches, with what bots score against each other beyond strength."""

    def __init__(self, chance: np.random.Generator, more: Array) -> None:
        super().__init__(chance.normal(0, 2.5, SIZE).tolist(), "order", chance)
        self.names = list(self.true)
        self.extra = {(self.names[one], self.names[other]): float(more[one, other]) for one, other in np.ndindex(more.shape)}
        self.luck: dict[str, list[float]] = {name: [] for name in self.names[1:]}  # of the matches on request, by opponent

    def style(self, one: str, other: str) -> float:
        """Return what a bot scores more against another beyond their strengths."""
        return self.extra[one, other] - self.extra[other, one]

    def request(self, opponent: str) -> None:
        """Play a match on request."""
        luck, lead = self._chance.normal(0, ERROR), self.true[MINE] - self.true[opponent] + self.style(MINE, opponent)
        self.luck[opponent].append(luck)
        self._played.append(result(MINE, opponent, f"r{self.rounds}/{MINE}:{opponent}/q{self.asked}", lead + luck))

    @property
    def asked(self) -> int:
        """Return the number of matches on request."""
        return sum(map(len, self.luck.values()))

    def errors(self) -> tuple[Array, Array]:
        """Return the error of each bot's rating, and the same in standard errors."""
        truth = np.array([self.true[one] + sum(self.style(one, other) for other in self.names) / SIZE for one in self.names])
        found = self.measured()
        off = np.array([found[one].value for one in self.names]) - (truth - truth.mean())
        return off, off / np.array([found[one].error for one in self.names])


def ask_nothing(league: RequestedLeague) -> None:
    """Ask for nothing."""


def ask_one(league: RequestedLeague) -> None:
    """Ask for the same opponent, again and again."""
    league.request(league.names[1])


def ask_suitable(league: RequestedLeague) -> None:
    """Ask for the opponent that suits the bot best."""
    league.request(max(league.names[1:], key=lambda other: league.style(MINE, other)))


def ask_until_lucky(league: RequestedLeague) -> None:
    """Ask for an opponent against which the bot was not lucky so far; if it was against all, for none."""
    unlucky = [name for name, luck in league.luck.items() if sum(luck) <= 0]
    if unlucky:
        league.request(min(unlucky, key=lambda name: len(league.luck[name])))


POLICIES: Mapping[str, Callable[[RequestedLeague], None]] = {
    "none": ask_nothing,
    "one opponent": ask_one,
    "the opponent that suits best": ask_suitable,
    "each opponent until lucky": ask_until_lucky,
}


def simulate(ask: Callable[[RequestedLeague], None], more: Array, rounds: int, chance: np.random.Generator) -> RequestedLeague:
    """Play a league in which at most ``MOST`` matches are asked for."""
    league = RequestedLeague(chance, more)
    for _ in range(rounds):
        league.play()
        for _ in range(min(A_ROUND, MOST - league.asked)):
            ask(league)
    return league


def row(ask: Callable[[RequestedLeague], None], rounds: int, leagues: int, *, alike: bool) -> tuple[float, ...]:
    """Return the numbers of one kind of league: of the first bot, of all others, and of the first with equal weights."""
    chance, found = np.random.default_rng(7), list[tuple[float, float, float, float, float]]()
    for _ in range(leagues):
        league = simulate(ask, np.triu(chance.normal(0, 0.0 if alike else STYLES, (SIZE, SIZE)), 1), rounds, chance)
        off, in_errors = league.errors()
        with mock.patch.object(challenges, "weights", return_value={}):
            equal, equal_in_errors = league.errors()
        found.append((off[0], in_errors[0] ** 2, float(np.mean(in_errors[1:] ** 2)), equal[0], equal_in_errors[0] ** 2))
    bias, own, others, equal_bias, equal_own = np.mean(found, axis=0).tolist()
    return bias, own**0.5, others**0.5, equal_bias, equal_own**0.5


def lines(rounds: int, leagues: int) -> Iterator[str]:
    """Yield the table."""
    yield "| bots, requests | error | in s.e. | others, in s.e. | equal weights: error | in s.e. |\n|---|--:|--:|--:|--:|--:|"
    for alike in (True, False):
        for name, ask in POLICIES.items():
            bias, own, others, equal_bias, equal_own = row(ask, rounds, leagues, alike=alike)
            kind = "alike" if alike else "of styles"
            yield f"| {kind}, {name} | {bias:+.2f} | {own:.2f} | {others:.2f} | {equal_bias:+.2f} | {equal_own:.2f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    for line in lines(options.rounds, options.leagues):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
