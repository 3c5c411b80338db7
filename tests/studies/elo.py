"""``PYTHONPATH=tests python tests/studies/elo.py [formats] [perfect] [--runs N]``: how right Elo ratings are.

*Formats*: tournaments of bots of known strength are played by simulation, each match an independent toss. Printed is the share of
the 95 % intervals that hold the true rating, of all bots and of the one that is rated first, the mean half of an interval, and by
how much the rating of the first is too high, if it has two ends; in brackets the same of ratings as measured, with 1.96 standard
errors on either side.

*Perfect*: round robins with bots that lose or win everything. The group are those that won and lost among themselves, whose mean
is 0; of the others an interval has one end. In brackets stands the half that ratings with mean 0 of all bots have.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, nan

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from ranks import Chance, Field, elo, play
from support.matches.outcomes import all_results, won
from support.matches.records import match

from arena.records import Fixture, MatchRecord, Result
from arena.stats.comparisons import Array, sum_pairs
from arena.stats.estimates import ELO, PRIOR, Corrected, Rated, corrected_estimates, fit_matches, matches, measured_ratings
from arena.stats.fit import logistic
from arena.stats.pairs import pairs
from arena.tournament.formats.base import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.swiss import Swiss

WIDTH = 1.96  # standard errors, of an interval of the ratings as measured


class Tournament(Struct, frozen=True):
    """A kind of tournament."""

    name: str
    form: Format
    strengths: Callable[[Chance], Array]  # logits


def equal(size: int) -> Callable[[Chance], Array]:
    """Return equal strengths."""
    return lambda _: np.zeros(size)


def normal(size: int, deviation: float) -> Callable[[Chance], Array]:
    """Return normal strengths."""
    return lambda chance: chance.normal(0, deviation, size)


FORMATS = (
    Tournament("knockout, 8 equal", Knockout(pairs=2), equal(8)),
    Tournament("knockout, 8, 1 logit apart", Knockout(pairs=2), normal(8, 1.0)),
    Tournament("knockout, 16, 0.5 logits apart", Knockout(pairs=2), normal(16, 0.5)),
    Tournament("double elimination, 16 equal", Knockout(pairs=2, elimination="double"), equal(16)),
    Tournament("Swiss of 5 rounds, 8 equal", Swiss(rounds=5, pairs=2), equal(8)),
    Tournament("Swiss of 7 rounds, 16 equal", Swiss(rounds=7, pairs=2), equal(16)),
    Tournament("Swiss of 7 rounds, 16, 0.5 logits apart", Swiss(rounds=7, pairs=2), normal(16, 0.5)),
    Tournament("round robin, 8 equal", RoundRobin(pairs=3), equal(8)),
)


class SeenRatings(Struct, frozen=True):
    """How right the ratings of one tournament are, in Elo points."""

    covered: float  # share of the intervals
    first: bool  # whether that of the first by rating is right
    half: float  # mean half of an interval
    excess: float  # by how much the rating of the first is too high


Interval = tuple[float, float, float]  # value and ends


def judge(found: Mapping[str, Interval], true: Mapping[str, float]) -> SeenRatings:
    """Return how right ratings are; ``true`` are on the same scale."""
    right = {name: low <= true[name] <= high for name, (_, low, high) in found.items()}
    best = max(found, key=lambda name: found[name][0])
    halves = [(high - low) / 2 for _, low, high in found.values() if isfinite(high - low)]
    value, low, high = found[best]
    excess = value - true[best] if isfinite(high - low) else nan
    return SeenRatings(float(np.mean(list(right.values()))), right[best], float(np.mean(halves)), excess)


def tournaments(kind: Tournament, runs: int) -> list[tuple[SeenRatings, SeenRatings]]:
    """Return for each tournament how right its ratings are, as shown and as measured."""
    seen = []
    for number in range(runs):
        chance = np.random.default_rng([3, number])
        strengths = kind.strengths(chance)
        field = [f"b{place:02}" for place in range(len(strengths))]
        logits = dict(zip(field, strengths.tolist(), strict=True))
        rated = _rated(_records(all_results(kind.form, field, _tossed(logits, chance))))
        shown = corrected_estimates(rated, {}, (), field)
        part = rated.parts[0]
        zero = float(np.mean([logits[part.names[place]] for place in part.rated.reference]))
        true = {name: ELO * (strength - zero) for name, strength in logits.items()}
        measured = {
            name: (value, value - WIDTH * error, value + WIDTH * error) for name, value, error in measured_ratings(rated, {})
        }
        seen.append((judge({name: _ends(one) for name, one in shown.items()}, true), judge(measured, true)))
    return seen


def _ends(one: Corrected) -> Interval:
    return one.estimate.value, one.estimate.low, one.estimate.high


def _tossed(logits: Mapping[str, float], chance: Chance) -> Callable[[Fixture], Result]:
    def play_one(fixture: Fixture) -> Result:
        one, other = fixture.seats
        return won(fixture, int(chance.random() >= float(logistic(np.array(logits[one] - logits[other])))))

    return play_one


def _records(results: Sequence[Result]) -> Iterator[MatchRecord]:
    for one in results:
        yield replace(match(*one.fixture.seats, deals="x/0", winner=one.winner), fixture=one.fixture)


def _rated(records: Iterator[MatchRecord]) -> Rated:
    return fit_matches(*sum_pairs(pairs(records), matches), PRIOR)


def format_table(runs: int) -> Iterator[str]:
    """Yield the table of formats."""
    yield "| format | all | rated first | half | first too high by |"
    yield "|---|--:|--:|--:|--:|"
    for kind in FORMATS:
        both = list(zip(*tournaments(kind, runs), strict=True))
        cells = []
        for name, digits in (("covered", ".3f"), ("first", ".3f"), ("half", ".0f"), ("excess", "+.0f")):
            shown, measured = (float(np.nanmean([getattr(one, name) for one in several])) for several in both)
            cells.append(f"{shown:{digits}} ({measured:{digits}})")
        yield f"| {kind.name} | {' | '.join(cells)} |"


PERFECT = (
    elo("0, 0, -0.9, -8, 2 pairs", 2, 0.0, 0.0, -0.9, -8.0),
    elo("2 equal and one at -8, 8 pairs", 8, 0.0, 0.0, -8.0),
    elo("2 equal and one at -8, 30 pairs", 30, 0.0, 0.0, -8.0),
    elo("5 equal and one at +8, 8 pairs", 8, *[0.0] * 5, 8.0),
    elo("two groups of 3, 8 apart, 6 pairs", 6, 4.0, 4.0, 4.0, -4.0, -4.0, -4.0),
    elo("a ladder with steps of 3, 4 pairs", 4, *np.linspace(7.5, -7.5, 6).tolist()),
    elo("6 within 1, 6 pairs", 6, 0.5, 0.3, 0.1, -0.1, -0.3, -0.5),
)


def perfect(field: Field, runs: int) -> tuple[Array, Array, float, float]:
    """Return whether intervals are right, of the group and of the others, and the mean halves of the group, also as measured."""
    names, group, others = [f"{place:02}" for place in range(field.size)], list[bool](), list[bool]()
    halves, old = list[float](), list[float]()
    for number in range(runs):
        played = play(field, np.random.default_rng([8, number]))
        rated = fit_matches(names, played.after(field.pairs), PRIOR)
        shown = corrected_estimates(rated, {}, (), names)
        reference = [names[place] for place in rated.parts[0].rated.reference]
        zero = float(np.mean([played.strengths[int(name)] for name in reference]))
        for name, one in shown.items():
            true = ELO * (played.strengths[int(name)] - zero)
            (group if name in reference else others).append(one.estimate.low <= true <= one.estimate.high)
        halves += [(shown[name].estimate.high - shown[name].estimate.low) / 2 for name in reference]
        everybody = fit_matches(names, played.after(field.pairs), 3.0).parts[0].rated.fit
        old += [WIDTH * ELO * float(everybody.errors[int(name)]) for name in reference]
    return np.array(group), np.array(others), float(np.mean(halves)), float(np.mean(old))


def perfect_table(runs: int) -> Iterator[str]:
    """Yield the table of bots that lose or win everything."""
    yield "| field | the group | half | the others |"
    yield "|---|--:|--:|--:|"
    for field in PERFECT:
        group, others, half, old = perfect(field, runs)
        outside = f"{others.mean():.3f}" if len(others) else "–"
        yield f"| {field.name.removeprefix('Elo: ')} | {group.mean():.3f} | {half:.0f} ({old:.0f}) | {outside} |"


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=["formats", "perfect", []], help="both, if none is named")
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    for name, table in (("formats", format_table), ("perfect", perfect_table)):
        if not options.tables or name in options.tables:
            for line in table(options.runs):
                print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
