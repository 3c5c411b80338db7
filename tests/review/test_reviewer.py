"""Prices of decisions: what is obviously wrong is priced and named, and nothing else about it changes."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from planted import NeverLaysOff, OwnPlay, Plain
from support.bots.self_play import self_play

from arena.gin.actions import Action, Discard, Draw, Knock, LayOff, Take
from arena.gin.cards import each
from arena.gin.match import Phase
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.review import habits
from arena.review.hand_walks import NOWHERE, HandStep
from arena.review.marks import mark
from arena.review.prices import Price, PricedDecision, TriedAction
from arena.review.reviewer import Reviewer
from arena.review.rollouts import ordered_throws
from arena.review.summary import decision_price
from arena.sdk import Bot
from arena_bots.greedy import Greedy

RULES = Rules()


def hands(bot: type[Bot], count: int) -> list[list[HandStep]]:
    return list(self_play((bot("a"), Greedy("b")), count, "pricing"))


def prices(steps: Sequence[HandStep], seed: str = "seed") -> list[PricedDecision]:
    return Reviewer(RULES, seed, walks=12).prices([steps], steps[0].seat, habits.usual_habits())[0]


def instead(step: HandStep, action: Action) -> PricedDecision:
    """Return the price of another action at a decision."""
    return prices([replace(step, action=action)])[0]


def gin() -> HandStep:
    """Return a decision at which a bot calls gin."""
    for played in hands(Plain, 200):
        for one in played:
            if one.hand.phase is Phase.DISCARD and isinstance(one.action, Knock):
                after = one.hand.play(one.action)
                laid = after.laid[one.seat]
                if laid and laid.deadwood == 0:
                    return one
    raise AssertionError("no gin in 200 hands")


def test_gin_costs_nothing() -> None:
    found = prices([gin()])[0]
    assert found.total == Price(0.0, 0.0)
    assert decision_price(found).kind == "knock"


def test_gin_that_is_missed_and_broken_up_is_a_blunder() -> None:
    step = gin()
    assert isinstance(step.action, Knock)
    broken = next(card for card in each(step.view.without(step.action.card)) if step.view.may_discard >> card & 1)
    found = instead(step, Discard(broken))
    assert found.best == step.action
    assert mark(found.total) == "blunder"
    assert found.kinds["discard"].points + found.kinds["knock"].points == pytest.approx(found.total.points)
    assert found.errors["discard"].points + found.errors["knock"].points > 8


def test_a_lay_off_that_is_not_made_is_priced_exactly() -> None:
    for played in hands(NeverLaysOff, 100):
        last = played[-1]
        if last.seat == 0 and last.hand.phase is Phase.LAY_OFF:
            found = prices([last])[0]
            results = [last.hand.play(action).result for action in (LayOff(), last.action)]
            zero, one = (0 if end is None or end.winner is None else (-1) ** end.winner * end.points for end in results)
            assert found.total == Price(float(zero - one), 0.0)
            if found.total.points:
                assert found.kinds == {"lay_off": found.total}
                return
    raise AssertionError("nothing to lay off in 100 hands")


@pytest.mark.process
def test_the_policy_of_the_rollouts_has_no_error() -> None:
    reviewer = Reviewer(RULES, "seed", walks=12)
    found = [one for priced in reviewer.prices(hands(OwnPlay, 3), 0, habits.usual_habits()) for one in priced]
    assert {part for one in found for part in one.errors.values()} == {Price(0.0, 0.0)}


def test_the_best_throw_instead_of_an_early_knock_is_an_error_of_knocking_alone() -> None:
    step = next(one for played in hands(Plain, 100) for one in played if one.turn < 8 and isinstance(one.action, Knock))
    found = instead(step, Discard(ordered_throws([step.view])[0][0])).errors
    assert found["discard"] == Price(0.0, 0.0)
    assert found["knock"].se > 0


@pytest.mark.process
def test_a_hand_is_priced_the_same_again_and_in_any_company() -> None:
    played = hands(Plain, 1)[0]
    together = prices(played)
    assert prices(played) == together
    mine = [one for one in played if one.seat == played[0].seat]
    assert {one.turn: one for one in prices(mine[2:4])}.items() <= {one.turn: one for one in together}.items()
    several = [hand for hand in hands(Plain, 4) if hand[0].seat == played[0].seat]
    assert Reviewer(RULES, "seed", walks=12).prices(several, played[0].seat, habits.usual_habits())[0] == together


@pytest.mark.process
def test_errors_alone_are_those_of_a_whole_review() -> None:
    several = hands(Plain, 3)
    whole, alone = (
        [
            {one.turn: sum(part.points for part in one.errors.values()) for one in some}
            for some in Reviewer(RULES, "seed", walks=12, errors_only=errors_only).prices(several, 0, habits.usual_habits())
        ]
        for errors_only in (False, True)
    )
    assert all(found.items() <= every.items() for found, every in zip(alone, whole, strict=True))
    assert [sum(found.values()) for found in alone] == [sum(every.values()) for every in whole]
    assert any(sum(found.values()) for found in alone)


@pytest.mark.process
def test_another_seed_samples_other_worlds() -> None:
    played = hands(Plain, 1)[0]
    assert [one.turn for one in prices(played, "one")] == [one.turn for one in prices(played, "two")]
    assert prices(played, "one") != prices(played, "two")


def test_a_price_depends_on_what_the_seat_saw_alone() -> None:
    played = hands(Plain, 1)[0]
    step = next(one for one in played if one.hand.phase is Phase.DISCARD)
    hidden = step.hand.deck[step.hand.top : step.hand.bottom]
    swapped = {step.hand.deck.index(hidden[0]): hidden[1], step.hand.deck.index(hidden[1]): hidden[0]}
    deck = tuple(swapped.get(place, card) for place, card in enumerate(step.hand.deck))
    other = replace(step.hand, deck=deck)
    assert see(other, NOWHERE) == step.view
    assert prices([replace(step, hand=other)]) == prices([step])


def test_marks_need_points_and_certainty() -> None:
    assert [mark(Price(points, 0.5)) for points in (1.9, 2.0, 3.9, 4.0, 7.9, 8.0)] == [
        "",
        "inaccuracy",
        "inaccuracy",
        "mistake",
        "mistake",
        "blunder",
    ]
    assert mark(Price(7.0, 3.5)) == ""


def test_a_mark_is_that_of_the_price_as_it_is_stored() -> None:
    for total in (Price(1.9996, 0.5), Price(2.0004, 1.0001)):
        tried = (TriedAction(Draw(), Price(0.0, 0.0)), TriedAction(Take(), total))
        stored = decision_price(PricedDecision(1, Take(), total, {"draw": total}, Draw(), {}, 0.0, tried))
        assert stored.mark == mark(total)
        assert bool(stored.tried) == bool(stored.mark)
