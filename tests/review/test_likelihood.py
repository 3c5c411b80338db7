"""How likely a hand is: what is counted of it, and what the counts say (point 3b of reviews)."""

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace
from sampled import hands, related
from self_play import self_play

from arena.gin.actions import DRAW, UPCARD, Pass
from arena.gin.cards import VALUES, Cards, each
from arena.gin.deal import Deal
from arena.gin.hand import Hand
from arena.gin.melds import completes, melds_in, union
from arena.gin.rules import FirstTurn, Rules
from arena.gin.seeing import see
from arena.review import fitting, habits, sights
from arena.review.behaviour import Behaviour, observations
from arena.review.habits import TURNS
from arena.review.sights import Sight, sight, walk_sights, weigh
from arena.review.walking import NOWHERE, HandStep
from arena.review.worlds import Walk
from arena.train.rollout_memory import FACTS
from arena_bots.greedy import Greedy

SIGHTS = [one.sight for played in self_play((Greedy("a"), Greedy("b")), 12, "likelihood") for one in observations(played, 0)]


def counted(sight: Sight, held: Cards) -> list[int]:
    """Return the facts of a hand, card by card."""
    useful, in_melds = completes(held), union(melds_in(held))
    other = [*each(held & ~in_melds)]
    last, before = (VALUES[sight.latest[age]] if age < len(sight.latest) else 10 for age in (0, 1))
    return [
        *((useful & mask).bit_count() for mask in (*sight.refused, *sight.thrown)),
        sum(sight.known >> card & 1 for card in other),
        (useful & sight.live).bit_count(),
        in_melds.bit_count(),
        sum(VALUES[card] > last for card in other),
        sum(VALUES[card] > before for card in other),
        sum(any(one != card and one % 13 == card % 13 for one in other) for card in other),
        sum(any(one != card and one // 13 == card // 13 and abs(one - card) <= 2 for one in other) for card in other),
        sum(card % 13 >= 9 for card in other),
        sum(card % 13 <= 1 for card in other),
        sum(goes_with(card, sight.dropped) for card in other),
        sum(goes_with(card, sight.shown) for card in each(held)),
    ]


def goes_with(card: int, cards: Cards) -> bool:
    """Return whether a card can be in one meld with one of some others."""
    return not cards >> card & 1 and any(related(card, one) for one in each(cards))


def test_the_facts_of_a_hand_are_counts_of_its_cards() -> None:
    held = list(hands(10, len(SIGHTS)))
    _, found = weigh(walk_sights(SIGHTS, habits.usual()), np.array(held))
    assert found.tolist() == [counted(*pair) for pair in zip(SIGHTS, held, strict=True)]
    assert all(found.sum(axis=0) > 0), "every fact is seen"
    assert len(sights.FACTS) == FACTS


def test_what_a_fact_says_changes_in_equal_steps_over_the_turns() -> None:
    outs = tuple(2.0 if "outs" in fact else 0.0 for fact in sights.FACTS)
    player = replace(fitting.flat(), evidence=((0.0,) * FACTS, outs))
    held = next(iter(hands(10, 1)))
    several = [replace(SIGHTS[-1], turn=turn) for turn in (0, 3, 6, TURNS - 1, 30)]
    found, _ = weigh(walk_sights(several, player), np.array([held] * len(several)))
    live = (completes(held) & SIGHTS[-1].live).bit_count()
    assert live
    assert found == pytest.approx([-2 * live * share for share in (0, 0.25, 0.5, 1, 1)])


def test_a_card_in_the_hand_of_a_seat_is_live_for_the_other_unless_it_saw_it_taken() -> None:
    for played in self_play((Greedy("a"), Greedy("b")), 12, "live"):
        for step, one in zip(_draws(played), observations(played, 0), strict=True):
            unknown = step.view.cards & ~step.view.took[0]
            assert one.sight.live == one.sight.unseen | unknown
            assert one.sight.shown == step.view.cards & ~unknown


def _draws(played: Sequence[HandStep]) -> list[HandStep]:
    return [step for step in played if step.seat == 1 and step.view.phase in (UPCARD, DRAW)]


@pytest.mark.process
def test_a_player_that_throws_its_dearest_card_is_sampled_without_dearer_ones() -> None:
    seen = [one for played in self_play((Greedy("a"), Greedy("b")), 60, "dearest") for one in observations(played, 0)]
    player = fitting.fit(Behaviour(seen, [], []), habits.usual(), np.random.default_rng(1))
    column = sights.FACTS.index("other cards dearer than its last throw")

    def dearer(believed: habits.Habits) -> float:
        walk = Walk(SIGHTS, believed, 1, [np.random.default_rng(2)] * len(SIGHTS))
        walk.go(200)
        return float(weigh(walk.known, walk.held)[1][:, column].mean())

    assert dearer(player) < dearer(fitting.flat()) / 5


def test_fitted_tables_have_no_second_peak_in_which_a_walk_would_stay() -> None:
    tables = np.array(habits.usual().weights)
    assert (np.diff(tables[fitting.FALLING], axis=1) <= 0).all()


@pytest.mark.parametrize(("first_turn", "refused"), [("upcard", True), ("draw", False)])
def test_the_first_upcard_was_refused_only_where_the_other_seat_could_take_it(first_turn: FirstTurn, *, refused: bool) -> None:
    rules = Rules(first_turn=first_turn)
    deal = Deal(tuple(range(52)), dealer=1)
    hand = Hand.start(deal, rules)
    for action in (Pass(), Pass()) if refused else ():
        hand = hand.play(action)
    view = see(hand, NOWHERE)
    assert view.dealer is False
    assert bool(sight(view).refused[0] >> view.pile[0] & 1) is refused
