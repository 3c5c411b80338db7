"""A planted weakness is found, priced and named (point 3d of reviews)."""

from collections.abc import Iterator

import pytest
from self_play import points, self_play

from arena.gin.phases import LAY_OFF
from arena.gin.rules import Rules
from arena.review import habits
from arena.review.estimates import Price
from arena.review.pricing import WALKS, Reviewer, exact
from arena.review.summary import KINDS, Place, ReviewedHand, mean, review, stored
from arena.review.walking import HandStep
from arena.sdk import Bot
from arena.studies.planted import BreaksPairs, KnocksLow, NeverLaysOff, Plain, ThrowsBadly
from arena_bots.greedy import Greedy

RULES = Rules()


def reviewed(bot: type[Bot], count: int, walks: int = WALKS) -> list[ReviewedHand]:
    """Return the reviews of a bot's hands against Greedy; every bot gets the same deals."""
    return list(_reviewed(bot, count, walks))


def _reviewed(bot: type[Bot], count: int, walks: int) -> Iterator[ReviewedHand]:
    reviewer = Reviewer(RULES, "planted", walks)
    for number, played in enumerate(self_play((bot("a"), Greedy("b")), count, "planted")):
        prices = reviewer.prices(played, 0, habits.usual())
        yield ReviewedHand(
            place=Place("planted", number, 0),
            bot=bot.__name__,
            seat=0,
            points=points(played, 0),
            luck=0.0,
            decisions=tuple(map(stored, prices)),
        )


def lost(hands: list[ReviewedHand]) -> list[float]:
    return [sum(one.price for one in hand.decisions) for hand in hands]


PLANTED = {ThrowsBadly: "discard", BreaksPairs: "discard"}


def rises(bot: type[Bot], count: int, walks: int = WALKS) -> tuple[Price, dict[str, float]]:
    """Return what a bot's prices are higher than those of ``Plain`` on the same deals, in all and by kind."""
    plain, weak = reviewed(Plain, count, walks), reviewed(bot, count, walks)
    kinds = [review(hands).bots[hands[0].bot].kinds for hands in (plain, weak)]
    total = mean([one - other for one, other in zip(lost(weak), lost(plain), strict=True)])
    return total, {kind: kinds[1][kind] - kinds[0][kind] for kind in KINDS}


def test_lay_offs_that_are_never_made_cost_in_each_hand_what_play_loses() -> None:
    both = (self_play((one("a"), Greedy("b")), 40, "lay-offs") for one in (Plain, NeverLaysOff))
    found = [(points(plain, 0) - points(weak, 0), defended(weak)) for plain, weak in zip(*both, strict=True)]
    assert sum(cost for _, cost in found) > 0
    assert [by_play for by_play, _ in found] == [cost for _, cost in found]


def defended(played: list[HandStep]) -> float:
    """Return what the defence of seat 0 costs in a hand."""
    return sum(exact(one).total.points for one in played if one.seat == 0 and one.hand.phase is LAY_OFF)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("bot", "kind"), PLANTED.items())
def test_the_planted_kind_rises_most(bot: type[Bot], kind: str) -> None:
    _, kinds = rises(bot, 60, walks=24)
    assert max(kinds, key=lambda one: kinds[one]) == kind


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_bot_that_differs_without_being_weaker_is_not_blamed() -> None:
    total, _ = rises(KnocksLow, 60, walks=24)
    assert total.points <= 2 * total.se
