"""``python tests/studies/ranks.py [chances] [settled] [--leagues N]``: how true it is who is called the strongest.

Round robins are simulated; in a ring only neighbours meet, in two parts only bots of one part, and the first part is looked at.
In a cycle three kinds of bots each win more against the next. Errors are those of a rating difference after all pairs.

*Chances*: the bot with the largest stated chance to be the strongest is called the leader. *From* and *to* are the means of the
range of that chance, *learned* is the mean of its chance of the first rank, *true* the share of leagues whose leader is the
strongest (one of k equal bots counts 1 / k), *likely* the share in which it is called likely. *Places* is the share of bots whose
interval of places contains a place that they have. A second table sorts all leaders by what was stated.

*Settled*: a look after each pair of every two bots, as reports take it. *Settled* is the share of leagues in which one bot alone
was left at some look, *wrong* that in which it was not the only strongest, *lost* that in which no strongest bot was left.
"""

import argparse
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from math import sqrt

import numpy as np
from msgspec import Struct

from arena.reports.answer import LIKELY_FROM
from arena.stats.comparisons import Array, Comparisons
from arena.stats.estimates import PRIOR, estimates, fit_matches, fit_points
from arena.stats.fit import logistic
from arena.stats.ranks import normal
from arena.stats.ratings import GAP_LOGITS, GAP_POINTS, TableFit, contending
from arena.stats.strengths import rank_interval
from arena.stats.strongest import look_ends

DEVIATION = 12.0  # points a hand, of a pair of hands
MIRRORED = 0.4  # of the luck of a match: the share that its other leg has with the opposite sign
FAR = 40.0  # points a hand
CYCLE = 3.0  # points a hand, that one kind of bot in a cycle wins more against the next
BINS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)

Chance = np.random.Generator
Meeting = tuple[int, int]


class Field(Struct, frozen=True):
    """A kind of league."""

    name: str
    size: int
    pairs: int  # between every two bots that meet
    strengths: Callable[[Chance, float], Array]  # from chance and the error of a difference; in points a hand, or logits
    elo: bool = False
    meet: Callable[[int, int], bool] = lambda _, __: True
    cyclic: bool = False

    @property
    def error(self) -> float:
        """Return the standard error of a rating difference after all pairs."""
        return DEVIATION / sqrt(self.pairs * self.size / 2)

    @property
    def meetings(self) -> list[Meeting]:
        """Return every two bots that meet."""
        return [both for both in combinations(range(self.size), 2) if self.meet(*both)]

    @property
    def fit(self) -> TableFit:
        """Return the fit of its rating."""
        return (lambda names, table: fit_matches(names, table, PRIOR)) if self.elo else fit_points


def normally(size: int, spread: float) -> Field:
    """Return a field whose strengths are normal, so many errors apart."""
    name = f"{size} equal" if not spread else f"{size}, {spread:g} apart"
    return Field(name, size, 50 if size < 9 else 10, lambda chance, error: chance.normal(0, spread * error / sqrt(2), size))


def ahead(count: int, size: int, errors: float) -> Field:
    """Return a field in which some equal bots are ahead of the others, which are equal too."""
    name = f"{count} ahead of {size - count} by {errors:g}"
    return Field(name, size, 50 if size < 9 else 10, lambda _, error: np.repeat([errors * error, 0.0], [count, size - count]))


def elo(name: str, pairs: int, *strengths: float) -> Field:
    """Return a field whose matches count."""
    return Field(f"Elo: {name}", len(strengths), pairs, lambda *_: np.array(strengths), elo=True)


SETTLED = (
    *(normally(size, 0.0) for size in (2, 8, 30)),
    *(normally(size, spread) for size in (2, 8) for spread in (1.0, 2.0, 4.0)),
    normally(30, 1.0),
    *(ahead(2, 8, errors) for errors in (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)),
    *(ahead(3, 8, errors) for errors in (2.0, 4.0)),
    ahead(2, 30, 4.0),
    *(ahead(1, 8, errors) for errors in (2.0, 3.0, 4.0, 5.0, 6.0)),
    Field("9 equal in a cycle", 9, 50, lambda *_: np.zeros(9), cyclic=True),
    elo("2 equal", 24, 0.0, 0.0),
    elo("8 equal", 10, *[0.0] * 8),
    elo("2 ahead of 4 by 1.5 logits", 12, 1.5, 1.5, 0.0, 0.0, 0.0, 0.0),
    elo("0, 0, -0.9, -8", 6, 0.0, 0.0, -0.9, -8.0),
    Field("Elo: a ladder, 4 logits apart", 6, 8, lambda chance, _: chance.normal(0, 4, 6), elo=True),
)
CHANCES = (
    *SETTLED,
    Field("9 equal, one far behind", 9, 50, lambda *_: np.array([*[0.0] * 8, -FAR])),
    Field("9, 1 apart, one far ahead", 9, 50, lambda chance, error: np.array([*chance.normal(0, error / sqrt(2), 8), FAR])),
    Field(
        "a ring, 2 ahead of 6",
        8,
        20,
        lambda *_: np.array([8.0, 8, 0, 0, 0, 0, 0, 0]),
        meet=lambda one, two: (two - one) % 8 in {1, 7},
    ),
    Field(
        "two parts, 1 apart",
        9,
        50,
        lambda chance, error: chance.normal(0, error, 9),
        meet=lambda one, two: (one < 4) == (two < 4),
    ),
)


class Results(Struct, frozen=True):
    """The results of a league, pair by pair: a row for each meeting."""

    field: Field
    strengths: Array
    scores: Array  # net points of a pair of hands of the first bot, or its matches won of two

    def after(self, pairs: int) -> Comparisons:
        """Return the table after the first pairs of every two bots."""
        scores, tables = self.scores[:, :pairs], np.zeros((6, self.field.size, self.field.size))
        for (one, two), row in zip(self.field.meetings, scores, strict=True):
            for at, own in (((one, two), row), ((two, one), (2 - row) if self.field.elo else -row)):
                tables[:, at[0], at[1]] = 2 * pairs, own.sum(), 4 * pairs, 2 * own.sum(), (own**2).sum(), pairs
        return Comparisons(*tables)


def play(field: Field, chance: Chance) -> Results:
    """Return the results of a league."""
    strengths, kinds = field.strengths(chance, field.error), chance.permutation(field.size) % 3
    shape = (len(field.meetings), field.pairs)
    leads = np.array([strengths[one] - strengths[two] for one, two in field.meetings])[:, None]
    if field.cyclic:
        leads = leads + np.array([[(0.0, CYCLE, -CYCLE)[(kinds[one] - kinds[two]) % 3]] for one, two in field.meetings])
    if not field.elo:
        return Results(field, strengths, 2 * chance.normal(leads, DEVIATION, shape))
    shared = sqrt(MIRRORED) * chance.normal(size=shape)
    legs = (normal(sign * shared + sqrt(1 - MIRRORED) * chance.normal(size=shape)) for sign in (1, -1))
    return Results(field, strengths, np.add(*(leg < logistic(leads) for leg in legs), dtype=float))


class StatedChance(Struct, frozen=True):
    """What was stated of the leader of one league."""

    low: float  # end of the range of its chance to be the strongest
    stated: float
    high: float
    true: float  # 1 if it is the strongest, 1 / k if it is one of k strongest, else 0
    places: float  # share of the bots whose interval of places is right


def chances(field: Field, leagues: int) -> list[StatedChance]:
    """Return what is stated at the end of leagues."""
    return [_stated(play(field, np.random.default_rng([1, number]))) for number in range(leagues)]


def _stated(played: Results) -> StatedChance:
    rated = played.field.fit([f"{place:02}" for place in range(played.field.size)], played.after(played.field.pairs))
    found, part = estimates(rated), rated.parts[0].names
    leader = max(part, key=lambda name: found[name].ranks[0])
    here = {name: played.strengths[int(name)] for name in part}
    best = [name for name in here if here[name] >= max(here.values()) - 1e-9]
    right = [_is_right(rank_interval(found[name].ranks), here[name], here.values()) for name in here]
    low, high = found[leader].first or (0.0, 1.0)
    return StatedChance(low, found[leader].ranks[0], high, (leader in best) / len(best), float(np.mean(right)))


def _is_right(interval: tuple[int, int] | None, strength: float, field: Collection[float]) -> bool:
    """Return whether an interval of places has one of those that a bot of this strength has in its field."""
    first, last = 1 + sum(one > strength for one in field), sum(one >= strength for one in field)
    return interval is not None and interval[0] <= last and first <= interval[1]


class SettledLeague(Struct, frozen=True):
    """Who was left of one league after its looks."""

    settled: bool
    wrong: bool
    lost: bool


def settled(field: Field, leagues: int) -> list[SettledLeague]:
    """Return who was left at the end of leagues, which contains what was said at every look."""
    return [_settled(play(field, np.random.default_rng([2, number]))) for number in range(leagues)]


def _settled(played: Results) -> SettledLeague:
    field = played.field
    tables = (played.after(end) for end in look_ends(field.pairs, field.size))
    found = contending([f"{place:02}" for place in range(field.size)], tables, field.fit, GAP_LOGITS if field.elo else GAP_POINTS)
    left = [int(name) for name, (contends, _) in found.items() if contends]
    best = np.flatnonzero(played.strengths >= played.strengths.max() - 1e-9).tolist()
    return SettledLeague(len(left) == 1, len(left) == 1 and left != best, not set(left) & set(best))


def chance_table(found: Iterable[tuple[Field, Sequence[StatedChance]]]) -> Iterator[str]:
    """Yield the table of what is stated in each field, then that of all leaders by what is stated."""
    yield "| field | from | learned | to | true | likely | places |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    every = list[StatedChance]()
    for field, several in found:
        every += several
        low, stated, high, true = (np.mean([getattr(one, name) for one in several]) for name in ("low", "stated", "high", "true"))
        likely, places = np.mean([one.low >= LIKELY_FROM for one in several]), np.mean([one.places for one in several])
        yield f"| {field.name} | {low:.2f} | {stated:.2f} | {high:.2f} | {true:.2f} | {likely:.2f} | {places:.3f} |"
    yield ""
    yield "| stated between | learned | true | from | true |"
    yield "|---|--:|--:|--:|--:|"
    for bottom, top in pairwise(BINS):
        cells = [cell for name in ("stated", "low") for cell in _of_bin(every, name, bottom, top)]
        yield f"| {bottom:g} and {top:g} | {' | '.join(cells)} |"


def _of_bin(every: Sequence[StatedChance], name: str, bottom: float, top: float) -> tuple[str, str]:
    """Return the mean of what was stated in a bin, with the number of leaders, and how often it was true."""
    inside = [one for one in every if bottom < getattr(one, name) <= top]
    if not inside:
        return "–", "–"
    return (
        f"{np.mean([getattr(one, name) for one in inside]):.2f} ({len(inside):,})",
        f"{np.mean([one.true for one in inside]):.2f}",
    )


def settled_table(found: Iterable[tuple[Field, Sequence[SettledLeague]]]) -> Iterator[str]:
    """Yield the table of what was settled."""
    yield "| field | looks | settled | wrong | lost |"
    yield "|---|--:|--:|--:|--:|"
    for field, several in found:
        cells = (float(np.mean([getattr(one, name) for one in several])) for name in ("settled", "wrong", "lost"))
        looks = len(list(look_ends(field.pairs, field.size)))
        yield f"| {field.name} | {looks} | {' | '.join(f'{cell:.3f}' for cell in cells)} |"


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=["chances", "settled", []], help="both, if none is named")
    parser.add_argument("--leagues", type=int, default=200)
    options = parser.parse_args()
    asked = options.tables or ["chances", "settled"]
    if "chances" in asked:
        for line in chance_table((field, chances(field, options.leagues)) for field in CHANCES):
            print(line, flush=True)  # noqa: T201
    if "settled" in asked:
        for line in settled_table((field, settled(field, options.leagues)) for field in SETTLED):
            print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
