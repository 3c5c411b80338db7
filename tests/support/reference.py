"""The policy of the rollouts, played by the referee's engine one hand at a time."""

import numpy as np
from msgspec.structs import replace

from arena.gin.actions import Action, BigGin, Discard, Draw, Knock, LayOff, Pass, Take
from arena.gin.deal import Deal
from arena.gin.hand import Hand, Phase
from arena.gin.match import Scoreline
from arena.gin.melds import completes, deadwood
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.review import policy
from arena.review import policy as throwing
from arena.review.vectors import Floats, after_throws, each
from arena.train.checks import States
from arena.train.hands import Hands
from arena.train.rollout_memory import TURNS

NOWHERE = Scoreline(0, 0, (0, 0), (0, 0))


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
        held = np.array([view.cards])
        cards = each(held, 11)
        left = after_throws(held, cards)
        if hand.taken and not self._rules.return_taken:
            left[cards == view.drawn] = policy.FORBIDDEN
        place = int(left[0].argmin())
        if self._rules.may_knock_with(int(left[0, place])) and self._calls(hand, view, int(left[0, place])):
            return BigGin() if "big_gin" in view.may else Knock(int(cards[0, place]))
        dead = np.array([sum(1 << card for card in view.pile)])
        judged_by = (held, cards, left, dead, np.array([view.opponent_holds]))
        if hand.seat != hand.dealer:
            return Discard(int(cards[0, policy.throws(*judged_by).costs()[0].argmin()]))
        random_part = throwing.random_part(self._chance[[min(view.threw[0].bit_count(), TURNS - 1)]], cards)
        liked = throwing.likings(self._throwing, throwing.matters(*judged_by), random_part)
        return Discard(int(cards[0, liked[0].argmax()]))

    def _calls(self, hand: Hand, view: View, left: int) -> bool:
        turn = min(view.threw[0].bit_count(), TURNS - 1)
        habit = 0 if hand.seat != hand.dealer else 1
        return left == 0 or hand.phase is Phase.LAST_KNOCK or self._chance[turn] < self._knocking[habit, turn, left]


def starts(deals: list[Deal], rules: Rules) -> States:
    """Return the beginning of hands that seat 1 deals, so that seat 0 is the reviewed one."""
    hands = Hands(len(deals), replace(rules, stock="two-ended"), autoreset=False)
    hands.deal([deal.deck for deal in deals], [deal.dealer for deal in deals])
    return np.array(hands.states)
