"""``python tests/studies/resubmitting.py [--leagues N] [--rounds N]``: what it is worth to submit a bot again until it is lucky.

Leagues of eight equal bots of eight authors are simulated (``simulated.py``). The first author has a strategy: whenever its bot
does not stand first, and it has waited some rounds, it submits again, at most eight times. Printed is how often the author stands
first at the end, next to that of an honest author with as many bots.

Then a version joins that is stronger or weaker than the one before it, and plays two rounds: by how much its rating is too high,
and how often its interval is right. Last, a new bot that is stronger than all others joins after twelve rounds: the median number
of rounds until it stands first.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct
from simulated import AIMS, FIELDS, SimulatedLeague

from arena.league.rules.league_table import LeagueTable
from arena.stats import ranks

SIZE = 8
TRIES = 8
ME, FRIEND = "author0", "friend"  # accounts of the same person
LONGEST = 24  # rounds that a new bot has to lead
DRAWS = 200  # of chances of ranks, which decide nothing here


class Strategy(Struct, frozen=True, kw_only=True):
    """What an author does whose bot does not stand first."""

    name: str
    again: Callable[[SimulatedLeague, LeagueTable, int], object]  # submits; receives the table, and the number of the submission
    wait: int = 1  # rounds after each submission
    accounts: tuple[str, ...] = ("author0",)  # of the person, one for each of its first bots
    alike: bool = False  # whether all bots of this person decide alike
    honest: bool = False  # whether nothing is submitted again


def mine(league: SimulatedLeague) -> list[str]:
    """Return the active bots of the person."""
    return [
        name
        for account in (ME, FRIEND, *(f"{FRIEND}{number}" for number in range(1, TRIES + 1)))
        for name in league.active(account)
    ]


def worst(league: SimulatedLeague, shown: LeagueTable) -> str:
    """Return the last of the person's bots in a table."""
    return [row.id for row in shown.rows if row.id in mine(league)][-1]


def version(league: SimulatedLeague, shown: LeagueTable, number: int) -> None:
    """Submit a new version."""
    league.submit(worst(league, shown).partition("@")[0], ME, 0.0, f"answers {number}")


def same_version(league: SimulatedLeague, shown: LeagueTable, number: int) -> None:
    """Submit a new version that decides as the last one."""
    del number
    league.submit(worst(league, shown).partition("@")[0], ME, 0.0, "answers 0")


def other_name(league: SimulatedLeague, shown: LeagueTable, number: int) -> None:
    """Retire a bot, and submit it under another name; some answers are changed on purpose."""
    last = worst(league, shown)
    account = ME if last in league.active(ME) else FRIEND
    league.retire(last)
    league.submit(f"new{number}", account, 0.0, f"answers {number}")


def other_account(league: SimulatedLeague, shown: LeagueTable, number: int) -> None:
    """Retire a bot, and submit another one under a new account."""
    league.retire(worst(league, shown))
    league.submit(f"new{number}", f"{FRIEND}{number}", 0.0, f"answers {number}")


def same_bot(league: SimulatedLeague, shown: LeagueTable, number: int) -> None:
    """Retire a bot, and submit the same under another name."""
    league.retire(worst(league, shown))
    league.submit(f"new{number}", ME, 0.0, "answers 0")


def copy(league: SimulatedLeague, shown: LeagueTable, number: int) -> None:
    """Retire a bot, and submit a copy of the first in the table."""
    league.retire(worst(league, shown))
    first = shown.ranking[0]
    league.submit(f"new{number}", ME, league.true[first], f"answers of {first}")


STRATEGIES = (
    Strategy(name="none", again=version, honest=True),
    Strategy(name="a version each round", again=version),
    Strategy(name="a version every third round", again=version, wait=3),
    Strategy(name="a version that decides alike, each round", again=same_version, alike=True),
    Strategy(name="another name each round", again=other_name),
    Strategy(name="another name every third round", again=other_name, wait=3),
    Strategy(name="another name for the same bot, every third round", again=same_bot, wait=3, alike=True),
    Strategy(name="a copy of the first, every third round", again=copy, wait=3),
    Strategy(name="two honest bots", again=version, accounts=(ME, FRIEND), honest=True),
    Strategy(name="a second account with the same bot", again=version, accounts=(ME, FRIEND), alike=True, honest=True),
    Strategy(name="two bots, another name for the worse each round", again=other_name, accounts=(ME, ME)),
    Strategy(name="two bots, a version of the worse each round", again=version, accounts=(ME, ME)),
    Strategy(name="two accounts, another name for the worse each round", again=other_name, accounts=(ME, FRIEND)),
    Strategy(name="two accounts, another name for the worse every third round", again=other_name, accounts=(ME, FRIEND), wait=3),
    Strategy(name="a new account each round", again=other_account),
    Strategy(name="two bots, a new account for the worse each round", again=other_account, accounts=(ME, FRIEND)),
    Strategy(name="two bots, a new account for the worse every third round", again=other_account, accounts=(ME, FRIEND), wait=3),
)


def stands_first(strategy: Strategy, aim: str, rounds: int, chance: np.random.Generator) -> bool:
    """Return whether the person stands first after a league."""
    league = SimulatedLeague([], aim, chance)
    for number in range(1, SIZE):
        league.submit(f"bot{number}", f"author{number}", 0.0, f"answers of bot{number}@1")
    for place, account in enumerate(strategy.accounts):
        league.submit(f"mine{place}", account, 0.0, "answers 0" if strategy.alike else f"answers of mine{place}")
    last, tries = 0, 0
    for number in range(1, rounds + 1):
        league.play()
        if not strategy.honest and tries < TRIES and last + strategy.wait <= number < rounds:
            shown = league.table()
            if shown.ranking[0] not in mine(league):
                last, tries = number, tries + 1
                strategy.again(league, shown, tries)
    return league.table().ranking[0] in mine(league)


def share_first(strategy: Strategy, aim: str, rounds: int, leagues: int) -> str:
    """Return how often the person stands first, with the standard error."""
    share = np.mean([stands_first(strategy, aim, rounds, np.random.default_rng(seed)) for seed in range(leagues)])
    return f"{share:.3f} ± {(share * (1 - share) / leagues) ** 0.5:.3f}"


def after_a_change(change: float, aim: str, leagues: int) -> tuple[float, float, float]:
    """Return by how much a changed version is rated too high after two rounds, how often its interval is right, and half of it."""
    chance, seen = np.random.default_rng(11), []
    for _ in range(leagues):
        league = SimulatedLeague(FIELDS["normal, 2.5 apart"](SIZE, chance), aim, chance)
        league.play(12)
        new = league.submit("bot3", "author3", league.true["bot3@1"] + change)
        league.play(2)
        row = league.table().row(new)
        assert row is not None
        assert row.rating is not None
        assert row.low is not None
        assert row.high is not None
        true = league.true[new] - float(np.mean(list(league.true.values())))
        seen.append((row.rating - true, row.low <= true <= row.high, (row.high - row.low) / 2))
    excess, right, half = np.mean(seen, axis=0).tolist()
    return excess, right, half


def rounds_to_lead(ahead: float, aim: str, leagues: int) -> float:
    """Return the median number of rounds that a new bot plays until it stands first, which is so much stronger than equal ones."""
    chance, needed = np.random.default_rng(12), []
    for _ in range(leagues):
        league = SimulatedLeague(FIELDS["equal"](SIZE, chance), aim, chance)
        league.play(12)
        new = league.submit("new", "another", ahead)
        league.play()
        while league.rounds < 12 + LONGEST and league.table().ranking[0] != new:
            league.play()
        needed.append(league.rounds - 12)
    return float(np.median(needed))


def lines(rounds: int, leagues: int, wanted: Sequence[str] = ()) -> Iterator[str]:
    """Yield the tables."""
    yield f"| strategy | {' | '.join(AIMS)} |\n|---|{'--:|' * len(AIMS)}"
    for strategy in (one for one in STRATEGIES if not wanted or one.name in wanted):
        yield f"| {strategy.name} | {' | '.join(share_first(strategy, aim, rounds, leagues) for aim in AIMS)} |"
    if wanted:
        return
    yield f"\n| change | {' | '.join(f'{aim}: too high by, right, half' for aim in AIMS)} |\n|---|{'--:|' * len(AIMS)}"
    for change in (-6.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 6.0):
        cells = ("{:+.2f}, {:.3f}, {:.2f}".format(*after_a_change(change, aim, leagues)) for aim in AIMS)
        yield f"| {change:+.0f} | {' | '.join(cells)} |"
    yield f"\n| points ahead | {' | '.join(f'{aim}: rounds to lead' for aim in AIMS)} |\n|---|{'--:|' * len(AIMS)}"
    for ahead in (1.0, 2.0, 4.0):
        yield f"| {ahead:.0f} | {' | '.join(f'{rounds_to_lead(ahead, aim, leagues):.0f}' for aim in AIMS)} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--strategy", action="append", default=[], help="one of the first column, instead of all")
    options = parser.parse_args()
    ranks.DRAWS = DRAWS
    for line in lines(options.rounds, options.leagues, options.strategy):
        print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
