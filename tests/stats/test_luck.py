"""The luck of the draw: mean zero for any value function, and always within its bound."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import table_policy
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.hands.by_chance import play_out
from support.sizes import mostly_nightly, size
from table_policy import PAIRED, SEED, TablePolicy

from arena.errors import InputError, StoreError
from arena.gin.actions import Draw, read_actions
from arena.gin.cards import bits, each
from arena.gin.deal import Deal, Deals
from arena.gin.facts import HandFacts, Scoreline
from arena.gin.match import replay
from arena.gin.melds import completes, deadwood
from arena.gin.rules import SPADES, HandTerms, Rules, Stock
from arena.records import SingleHand, net
from arena.stats import equity, luck, luck_1
from arena.stats.games import Array
from arena.stats.luck import StockDraw, Value

STOCKS = [Rules(), PAIRED]


def random_value(seed: int, scale: float = 20.0) -> Value:
    """Return an arbitrary value function: a network with random weights."""
    chance = np.random.default_rng(seed)
    weights, out = chance.normal(size=(luck_1.INPUTS, 8)), chance.normal(size=8)
    return partial(luck.values_of_inputs, lambda inputs: scale * np.tanh(np.tanh(inputs @ weights) @ out))


def lucky_hands(one: str, two: str, hands: int, *values: Value) -> tuple[Array, Array]:
    """Return the luck of seat 0 in some hands between two bots, a row for each value, and its points."""
    bots, key = (TablePolicy(one).build(), TablePolicy(two).build()), f"test/{one}:{two}"
    found = []
    for hand in table_policy.hands(bots, key, 0, hands):
        deal = Deal(Deals(SEED, key).deck(hand.game, 0), hand.dealer)
        chances = list(luck.draws(deal, PAIRED, read_actions(hand.actions)))
        found.append((*(luck.luck(chances, value) for value in values), net(hand, 0)))
    columns = np.array(found).T
    return columns[:-1], columns[-1]


def standard_errors(values: Array) -> float:
    return float(values.mean() / (values.std() / np.sqrt(len(values))))


@pytest.mark.parametrize("rules", STOCKS, ids=lambda rules: rules.stock)
@given(seed=st.integers(0, 10_000))
def test_the_possible_cards_are_those_of_the_stock(rules: Rules, seed: int) -> None:
    deal = Deal(Deals("luck", str(seed)).deck(0, 0), seed & 1)
    states, actions = play_out(deal, rules, seed)
    chances = list(luck.draws(deal, rules, actions))
    drawn = [
        (before, after) for before, after, action in zip(states, states[1:], actions, strict=False) if isinstance(action, Draw)
    ]
    assert len(chances) == len(drawn)
    for chance, (before, after) in zip(chances, drawn, strict=True):
        stock = sorted(before.deck[before.top : before.bottom])
        assert chance.possible == stock
        assert len(stock) == before.stock
        assert chance.came == after.drawn
        assert chance.sign == (1 if before.seat == 0 else -1)


@pytest.mark.process
@settings(max_examples=size(10, 300))
@given(seed=st.integers(0, 10_000))
def test_inputs_say_what_each_card_leaves_and_what_the_other_seat_waits_for(seed: int) -> None:
    deal = Deal(Deals("luck", str(seed)).deck(0, 0), seed & 1)
    states, actions = play_out(deal, PAIRED, seed)
    for before, action in zip(states, actions, strict=False):
        if isinstance(action, Draw):
            cards = before.cards[before.seat]
            for card in before.deck[before.top : before.bottom]:
                eleven = cards | 1 << card
                left = {thrown: deadwood(eleven ^ 1 << thrown) for thrown in each(eleven)}
                least = min(left.values())
                points, theirs, live, outs, waits, gin, knocks, gain, gives, turn = luck_1.inputs(before, card)
                other = before.cards[1 - before.seat]
                against, stock = deadwood(other), bits(before.deck[before.top : before.bottom])
                assert (waits, turn) == (
                    (completes(other) & stock & ~(1 << card)).bit_count() / 5,
                    before.threw[before.seat].bit_count() / 10,
                )
                assert (points, theirs, live) == pytest.approx((least / 20, against / 20, (before.stock - 1) / 20))
                assert card != before.deck[before.top] or (outs, gives) in [
                    ((completes(eleven ^ 1 << one) & stock & ~(1 << card)).bit_count() / 5, bool(completes(other) & 1 << one))
                    for one, points_left in left.items()
                    if points_left == least
                ], "by one of the best discards"
                assert gain == pytest.approx(0 if not knocks else -1 if against <= least else (against - least) / 20)
                assert (gin, knocks) == (least == 0, 0 < least <= before.terms.knock_limit)


@settings(max_examples=size(10, 300))
@given(seed=st.integers(0, 2_000), value=st.integers(0, 50))
def test_the_luck_of_a_draw_sums_to_zero_over_all_possible_cards(seed: int, value: int) -> None:
    deal = Deal(Deals("luck", str(seed)).deck(0, 0), seed & 1)
    _, actions = play_out(deal, PAIRED, seed)
    for chance in list(luck.draws(deal, PAIRED, actions))[:3]:
        every = [luck.luck([StockDraw(chance.hand, came)], random_value(value)) for came in chance.possible]
        assert sum(every) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.process
@settings(max_examples=size(10, 300))
@given(scale=st.floats(1.0, 1000.0), seed=st.integers(0, 500))
def test_luck_stays_within_sixty_points_and_is_never_clipped(scale: float, seed: int) -> None:
    deal = Deal(Deals("luck", str(seed)).deck(0, 0), seed & 1)
    _, actions = play_out(deal, PAIRED, 2)
    chances = list(luck.draws(deal, PAIRED, actions))
    found = luck.luck(chances, random_value(1, scale))
    assert abs(found) <= 60
    one_by_one = [luck.luck(chances[:number], random_value(1, scale)) for number in range(len(chances) + 1)]
    gains = random_value(1, scale)(chances) if chances else []
    for (before, after), could, chance in zip(pairwise(one_by_one), gains, chances, strict=True):
        whole = chance.sign * (could[chance.possible.index(chance.came)] - could.mean())
        furthest = abs(before) + np.abs(could - could.mean()).max()
        assert after - before == pytest.approx(whole if furthest <= 60 else 0.0, abs=1e-9), "all of it or nothing, known beforehand"


class Rising(Rules, frozen=True, kw_only=True, tag="rising"):
    """Every game counts once more."""

    stock: Stock = "two-ended"

    def terms(self, facts: HandFacts) -> HandTerms:
        return HandTerms(10, 1 + facts.before.game)


@pytest.mark.rule("R2.5")
@given(seed=st.integers(0, 1_000))
def test_the_luck_of_a_hand_counts_as_often_as_its_points_but_within_the_bound_of_the_rules(seed: int) -> None:
    deal = Deal(Deals("luck", str(seed)).deck(0, 0), seed & 1)
    _, actions = play_out(deal, PAIRED, seed)
    plain, doubled, later = (
        luck.luck(list(luck.draws(one, rules, actions)), luck.value())
        for one, rules in ((deal, PAIRED), (deal, replace(PAIRED, double="spades")), (replace(deal, before=Scoreline(2)), Rising()))
    )
    assert doubled == plain * (2 if deal.deck[20] in SPADES else 1)
    assert later == plain, "a bound that was fixed before the match holds"


@pytest.mark.process
@given(seed=st.integers(0, 1_000))
def test_a_hand_has_its_luck_and_a_value_before_and_after_each_draw(seed: int) -> None:
    deal = Deal(Deals("luck", str(seed)).deck(0, 0), seed & 1)
    states, actions = play_out(deal, PAIRED, seed)
    chances = list(luck.draws(deal, PAIRED, actions))
    worth, found = luck.hand_values(states)
    assert found == pytest.approx(luck.luck(chances, luck.value()))
    for chance, could in zip(chances, luck.value()(chances) if chances else (), strict=True):
        pair = (chance.sign * could.mean(), chance.sign * could[chance.possible.index(chance.came)])
        assert any(at == pytest.approx(pair) for at in pairwise(worth))


@given(seed=st.integers(0, 1_000))
def test_swapping_the_seats_changes_the_sign_to_the_last_bit(seed: int) -> None:
    deck = Deals("luck", str(seed)).deck(0, 0)
    _, actions = play_out(Deal(deck, 0), PAIRED, seed)
    replay(Deal(deck, 1), PAIRED, actions)
    one, other = (luck.luck(list(luck.draws(Deal(deck, dealer), PAIRED, actions)), luck.value()) for dealer in (0, 1))
    assert one == -other


@pytest.mark.process
def test_the_shipped_value_function_correlates_with_points() -> None:
    (lucky,), points = lucky_hands("greedy", "cautious", 600, luck.value())
    assert np.corrcoef(lucky, points)[0, 1] > 0.4


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("one", "two", "hands"),
    mostly_nightly(
        [
            ("greedy", "cautious", 50_000),
            ("random-legal", "greedy", 20_000),
            ("cautious", "cautious", 26_000),
            ("two-way", "greedy", 4_000),
        ],
        ("random-legal", "greedy", 20_000),
    ),
)
def test_luck_has_mean_zero_for_any_bots_and_any_value_function(one: str, two: str, hands: int) -> None:
    hands = size(hands // 20, hands)
    rows, points = lucky_hands(one, two, hands, luck.value(), random_value(7), random_value(8))
    for lucky in rows:
        assert abs(standard_errors(lucky)) < 3.5
        assert np.mean(points - 0.85 * lucky) == pytest.approx(np.mean(points), abs=3.5 * 0.85 * lucky.std() / np.sqrt(hands))


@pytest.mark.parametrize(
    ("points", "score", "gain"),
    [(250, (0, 0), 50), (-250, (0, 0), -50), (1, (249, 249), 50), (-1, (249, 249), -50), (0, (9, 80), 0)],
)
def test_the_equity_of_a_hand_is_the_change_of_the_chance_to_win_between_equal_bots(
    points: int, score: tuple[int, int], gain: float
) -> None:
    assert equity.gain(SingleHand(points, score=score)) == pytest.approx(gain)


@pytest.mark.parametrize("score", [(250, 0), (0, 250)])
def test_a_game_that_is_over_has_no_equity(score: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=rf"^score {score[0]} to {score[1]}: the equity table covers games to 250$"):
        equity.gain(SingleHand(1, score=score))


def test_a_hand_without_a_draw_has_no_luck() -> None:
    assert luck.luck([], luck.value()) == 0.0
    assert not list(luck.draws(Deal(Deals("luck", "x").deck(0, 0), 0), PAIRED, ()))


class Rollouts:
    """A value that needs the whole state: what a V by rollouts will be."""

    def values(self, draws: Sequence[StockDraw]) -> list[Array]:
        """Return values that depend on both players' cards, and on neither the card that came nor the order of the stock."""
        return [np.array([hash((draw.hand.cards, card)) % 1000 / 100 for card in draw.possible]) for draw in draws]


@given(seed=st.integers(0, 200))
def test_any_value_of_the_whole_state_gives_luck_with_mean_zero(seed: int) -> None:
    deal = Deal(Deals("luck", str(seed)).deck(0, 0), seed & 1)
    _, actions = play_out(deal, PAIRED, seed)
    for draw in list(luck.draws(deal, PAIRED, actions))[:3]:
        every = [luck.luck([StockDraw(draw.hand, came)], Rollouts().values) for came in draw.possible]
        assert sum(every) == pytest.approx(0.0, abs=1e-9)


def test_a_version_that_is_not_known_is_refused() -> None:
    with pytest.raises(StoreError, match=r"luck: version 2; this arena has 1: install a newer one"):
        luck.value(2)
