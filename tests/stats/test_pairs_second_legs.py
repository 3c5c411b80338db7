"""Whether a bot plays better in the legs that it plays second: never flagged without cause, and soon with one."""

from collections.abc import Iterable
from itertools import product
from math import prod, tanh
from random import Random

import pytest
from support.matches.records import batch, match

from arena.records import MatchRecord
from arena.stats.pairs import LegMatcher, Pair
from arena.stats.second_leg_test import THRESHOLD, SecondLegs, SecondLegsBuilder, evidence


def pairs_of(records: Iterable[MatchRecord]) -> list[Pair]:
    matcher = LegMatcher()
    return [pair for record in records if (pair := matcher.add(record))]


def found(records: Iterable[MatchRecord]) -> dict[str, SecondLegs]:
    builder = SecondLegsBuilder()
    for pair in pairs_of(records):
        builder.add(pair)
    return builder.gains()


def legs(first: list[int], second: list[int], number: int = 0) -> list[MatchRecord]:
    """Return two batches of ``a`` and ``b``, the first one first, with the points of ``a``."""
    return [batch("a", "b", first, deals=f"a:b/{number}"), batch("b", "a", [-one for one in second], deals=f"a:b/{number}")]


@pytest.mark.parametrize("gains", [[10.0], [0.0, 1e9, -3.0], [2000.0] * 6, [1.0, 700.0, 40.0, -1e4, 3.5, 90.0, 250.0]])
def test_over_all_results_of_the_coins_the_mean_evidence_is_one_whatever_the_gains_are(gains: list[float]) -> None:
    coins = list(product([1, -1], repeat=len(gains)))
    total = sum(evidence([coin * gain for coin, gain in zip(some, gains, strict=True)]) for some in coins)
    assert total / len(coins) == pytest.approx(1, rel=1e-5)


def test_evidence_is_the_mean_wealth_of_three_bettors() -> None:
    gains = [900.0, -250.0, 0.0, 130.0, 2400.0]
    wealth = [prod(1 + tanh(k * gain) for gain in gains) for k in (1 / 2048, 1 / 512, 1 / 128)]  # as README.md of arena/stats says
    assert evidence(gains) == pytest.approx(sum(wealth) / 3, rel=1e-5)


def test_what_one_gains_in_second_legs_the_other_loses() -> None:
    played = found(leg for number in range(20) for leg in legs([-30, -10], [40, 20], number))
    assert (played["a"].pairs, played["a"].hands, played["a"].gain) == (20, 80, 50.0)
    assert played["b"].gain == -50.0
    assert played["a"].is_flagged
    assert played["b"].evidence < 0.2


def test_the_order_in_which_legs_were_played_counts_and_not_that_in_which_they_are_read() -> None:
    first, second = legs([-30], [40])
    for order in ([(0, first), (1, second)], [(1, second), (0, first)]):
        matcher = LegMatcher()
        _, pair = (matcher.add(record, place) for place, record in order)
        assert pair
        assert pair.by_leg == ((-30, 1), (40, 1))


def test_legs_of_different_length_are_compared_by_points_a_hand() -> None:
    long = found(legs([10] * 40, [20] * 10))
    assert long["a"].gain == 10.0
    assert long["a"].evidence == found(legs([0] * 16, [10] * 16))["a"].evidence  # 16 is the harmonic mean of 10 and 40


def test_legs_without_the_other_one_say_nothing() -> None:
    assert found([match("a", "b", deals="a:b/0"), match("a", "b", deals="a:b/1")]) == {}


def test_on_deals_that_pairings_share_only_the_first_pair_of_a_bot_counts() -> None:
    played = [("a", "b"), ("b", "a"), ("c", "a"), ("a", "c"), ("c", "b"), ("b", "c")]
    records = [batch(zero, one, [number], deals="all/0") for number, (zero, one) in enumerate(played)]
    assert {name: one.gain for name, one in found(records).items()} == {"a": -1.0, "b": 1.0, "c": -5.0}
    matcher, builder = LegMatcher(), SecondLegsBuilder()
    for place, record in reversed(list(enumerate(records))):  # also when they are read in another order
        if pair := matcher.add(record, place):
            builder.add(pair)
    assert builder.gains() == found(records)


def test_the_order_of_the_pairs_changes_no_bit() -> None:
    played = pairs_of(leg for number in range(300) for leg in legs([number % 7], [number % 11], number))
    shown = set[tuple[float, float]]()
    for seed in range(5):
        Random(seed).shuffle(played)
        builder = SecondLegsBuilder()
        for pair in played:
            builder.add(pair)
        shown.add((builder.gains()["a"].gain, builder.gains()["a"].evidence))
    assert len(shown) == 1


def test_entrants_of_one_name_are_counted_together_and_not_against_each_other() -> None:
    builder = SecondLegsBuilder(lambda name: name[0])
    for names in (("a1", "b1"), ("a2", "b1"), ("a1", "a2")):
        deals = ":".join(names)
        for pair in pairs_of([batch(*names, [1], deals=deals), batch(*names[::-1], [-4], deals=deals)]):
            builder.add(pair)
    assert {name: (one.pairs, one.gain) for name, one in builder.gains().items()} == {"a": (2, 3.0), "b": (2, -3.0)}


def moody(chance: Random, mood: float, gain: float) -> list[float]:
    """Return the gains of 400 pairs of 50 hands, with a mood of -50 points a hand in some processes."""

    def leg() -> float:
        return chance.gauss(0, 160) - (2500 if chance.random() < mood else 0)

    return [leg() + gain * 50 - leg() for _ in range(400)]


@pytest.mark.parametrize("mood", [0.0, 0.01, 0.05, 0.2])
def test_an_honest_bot_with_terrible_moods_is_not_flagged(mood: float) -> None:
    chance = Random(1)
    ends = [evidence(moody(chance, mood, gain=0)) for _ in range(300)]
    assert sum(one >= 20 for one in ends) <= 15 + 12  # at most one in twenty, and three standard errors
    assert max(ends) < THRESHOLD


def test_a_cheat_is_flagged_within_the_stated_number_of_hands() -> None:
    chance = Random(1)
    flagged = [evidence(moody(chance, 0.0, gain=2.5)[:250]) >= THRESHOLD for _ in range(100)]
    assert sum(flagged) >= 95  # 25,000 hands
