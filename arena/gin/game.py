"""Hands up to the target, then the bonuses. Source: R2.3, R9.1, R9.3, R9.4."""

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.deal import Seat
from arena.gin.rules import Rules
from arena.gin.score import HandResult


class Game(Struct, frozen=True):
    """A game at one moment; ``add`` gives the next."""

    dealer: Seat  # of the next hand
    hands: int = 0  # played
    score: tuple[int, int] = (0, 0)  # points of seat 0 and 1
    won: tuple[int, int] = (0, 0)  # hands in which the seat scored

    def add(self, result: HandResult, rules: Rules) -> "Game":
        """Return the game after one more hand."""
        dealer = _next_dealer(self.dealer, result.winner, rules)
        if result.winner is None:
            return replace(self, dealer=dealer, hands=self.hands + 1)
        points = (result.points, 0) if result.winner == 0 else (0, result.points)
        score = (self.score[0] + points[0], self.score[1] + points[1])
        won = (self.won[0] + (result.winner == 0), self.won[1] + (result.winner == 1))
        return Game(dealer, self.hands + 1, score, won)

    def winner(self, rules: Rules) -> Seat | None:
        """Return the winner of the game, or None while no seat has reached the target. Rule: R9.1, R9.4."""
        first = self._first_to_target(rules)
        if first is None:
            return None
        zero, one = self.totals(rules)
        if rules.game_winner == "target" or zero == one:
            return first
        return 0 if zero > one else 1

    def totals(self, rules: Rules) -> tuple[int, int]:
        """Return both seats' points with all bonuses, once a seat has reached the target. Rule: R9.3.

        The game bonus goes to the seat that reached the target. A shutout doubles the total of that seat if the other won no hand.
        """
        first = self._first_to_target(rules)
        if first is None:
            return self.score
        totals = [self.score[seat] + rules.hand_bonus * self.won[seat] for seat in (0, 1)]
        totals[first] += rules.game_bonus
        if rules.shutout == "double" and self.won[1 - first] == 0:
            totals[first] *= 2
        return totals[0], totals[1]

    def _first_to_target(self, rules: Rules) -> Seat | None:
        """Return the seat that has reached the target; only one scores in a hand, so only one can. Rule: R9.1."""
        return next((seat for seat in (0, 1) if self.score[seat] >= rules.target), None)


def _next_dealer(dealer: Seat, winner: Seat | None, rules: Rules) -> Seat:
    """Return the dealer of the next hand of a game. Rule: R2.3."""
    if rules.next_dealer == "alternate":
        return 1 - dealer
    if winner is None:
        return dealer
    return winner if rules.next_dealer == "winner" else 1 - winner
