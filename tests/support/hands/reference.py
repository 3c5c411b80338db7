"""The policy of the rollouts and a player with habits, played by the referee's engine one hand at a time."""

import numpy as np
from msgspec.structs import replace

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.cards import DECK, VALUES, Card, Cards, bits, each
from arena.gin.deal import Deal
from arena.gin.match import Hand, Phase, Scoreline
from arena.gin.melds import completes, deadwood, melds_in, partners, union
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.review.arrays import Floats
from arena.review.rollouts import NOISE
from arena.train.checks import States
from arena.train.hands import Hands
from arena.train.native import NOISES, TURNS

NOWHERE = Scoreline()


def features(held: Cards, card: Card, dead: Cards, known: Cards) -> tuple[int, ...]:
    """Return the features of a throw from eleven cards, counted case by case."""
    kept = held & ~(1 << card)
    hidden, melded = DECK & ~(held | dead), union(melds_in(kept))
    live, others = hidden & ~known, kept & ~melded
    pairs = [two for two in partners(card) if two & ~hidden == 0]
    ways = sum(two & ~others == 0 for one in each(live) for two in partners(one))
    outs = (completes(kept) & live).bit_count()
    informed = sum(two & known != 0 for two in pairs)
    return deadwood(kept), outs, len(pairs), informed, VALUES[card], melded.bit_count(), ways


def cost(matter: tuple[int, ...]) -> int:
    """Return the cost of a throw to the policy, in thousandths of a point."""
    left, outs, pairs, known_pairs, value, *_ = matter
    return 1000 * left - 600 * outs + 75 * pairs + 800 * known_pairs - 60 * value


class Reference:
    """Plays one hand; the dealer's opponent is the reviewed seat, which draws from the top of a two-ended stock."""

    def __init__(self, rules: Rules, knocking: Floats, habit: Floats, chance: Floats) -> None:
        self._rules, self._knocking, self._throwing, self._chance = rules, knocking, habit, chance

    def points(self, deal: Deal) -> int:
        """Return the points of the dealer's opponent."""
        return self.finish(Hand.start(deal, self._rules))

    def finish(self, hand: Hand) -> int:
        """Return the points of the dealer's opponent, if the hand is played on."""
        while hand.result is None:
            hand = hand.play(self.answer(hand, see(hand, NOWHERE)))
        winner = hand.result.winner
        return 0 if winner is None else hand.result.points if winner != hand.dealer else -hand.result.points

    def answer(self, hand: Hand, view: View) -> Action:
        """Return what the seat to move does."""
        match hand.phase:
            case Phase.UPCARD:
                return Take() if self._wants(view) else Pass()
            case Phase.DRAW:
                return Take() if self._wants(view) else Draw()
            case Phase.FIRST_DRAW:
                return Draw()
            case Phase.LAST_TAKE:
                return Take() if "take" in view.may else Pass()
            case Phase.LAY_OFF:
                return LayOff()
            case _:
                return self._throws(hand, view)

    def _wants(self, view: View) -> bool:
        if not completes(view.cards) >> view.upcard & 1:
            return False
        with_it = view.cards | 1 << view.upcard
        left = [deadwood(with_it ^ 1 << card) for card in range(52) if view.cards >> card & 1]
        return min(left) < deadwood(view.cards)

    def _throws(self, hand: Hand, view: View) -> Action:
        judged = {card: features(view.cards, card, bits(view.pile), view.opponent_holds) for card in each(view.may_discard)}
        least = min(judged, key=lambda card: judged[card][0])
        left = judged[least][0]
        if left <= view.knock_limit and self._calls(hand, view, left):
            return BigGin() if "big_gin" in view.may else Knock(least)
        if hand.seat != hand.dealer:
            return Discard(min(judged, key=lambda card: cost(judged[card])))
        noise = NOISE[int(self._chance[min(view.threw[0].bit_count(), TURNS - 1)] * (1 << 24)) % NOISES]
        return Discard(max(judged, key=lambda card: sum(np.multiply(self._throwing, judged[card]).tolist()) + noise[card]))

    def _calls(self, hand: Hand, view: View, left: int) -> bool:
        turn = min(view.threw[0].bit_count(), TURNS - 1)
        habit = 0 if hand.seat != hand.dealer else 1
        return left == 0 or hand.phase is Phase.LAST_KNOCK or self._chance[turn] < self._knocking[habit, turn, left]


def starts(deals: list[Deal], rules: Rules) -> States:
    """Return the beginning of hands that seat 1 deals, so that seat 0 is the reviewed one."""
    hands = Hands(len(deals), replace(rules, stock="two-ended"), autoreset=False)
    hands.deal([deal.deck for deal in deals], [deal.dealer for deal in deals])
    return np.array(hands.states)
