"""Monte Carlo: plays Challenger's discard unless another is significantly better in sampled worlds.

Challenger's two next best discards, the rivals, are tried in the same 24 sampled worlds, all consistent with the view; a quick bot
plays both sides to the end. The points of a hand vary by 25 and discards differ by about one, so the best mean is mostly luck,
and a bot that follows it plays worse than Greedy. So a rival must be ahead by two standard errors of the paired difference.
(Determinised search: Ginsberg's GIB, 2001; the threshold is not from there.)

Measured on paired deals of the tournament rules: +3.7 ± 1.6 points a hand against Greedy, -0.2 ± 1.4 against
Challenger (600 hands each): no better than Challenger alone.
"""

from math import sqrt

from arena.sdk import Bot, Card, Discard, View, each
from arena.sdk.odds import danger, expected, turn
from arena.sdk.simulate import playout, points, sample_hand

WORLDS = 24
RIVALS = 2
LEAD = 2.0  # standard errors by which a rival must be ahead
BEST = 7  # draws that count
WEIGHT, DECAY = 18.0, 0.9  # of expected deadwood, and the factor by which that falls each turn
MELD = 20.0  # of one meld that the opponent may make with the discard
EARLY = 3  # turns in which a knock is good


class Quick(Bot):
    """Plays sampled worlds: keeps the least deadwood, and knocks early or goes gin."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock early or not at all."""
        return turn(view) < EARLY


class MonteCarlo(Bot):
    """Simulates its best discards before it chooses."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock early, while the opponent still has much deadwood."""
        return turn(view) < EARLY

    def throws(self, view: View) -> Card:
        """Discard Challenger's choice, or the best rival if it is significantly better."""
        weight = WEIGHT * DECAY ** turn(view)
        ranked = sorted(each(view.may_discard), key=lambda card: weight * expected(view, card, BEST) + MELD * danger(view, card))
        first, *rivals = ranked[: 1 + RIVALS]
        outcomes = self.try_out(view, (first, *rivals))
        gains = {rival: lead(outcomes[first], outcomes[rival]) for rival in rivals}
        best = max(gains, key=lambda rival: gains[rival], default=first)
        return best if gains and gains[best] >= LEAD else first

    def try_out(self, view: View, cards: tuple[Card, ...]) -> dict[Card, list[int]]:
        """Return the points of each discard in each of the same worlds."""
        answer = Quick().answer
        worlds = [sample_hand(view, self.random) for _ in range(WORLDS)]
        return {card: [points(playout(world.play(Discard(card)), answer, answer)) for world in worlds] for card in cards}


def lead(first: list[int], rival: list[int]) -> float:
    """Return the mean lead of ``rival`` over ``first`` in standard errors; 0 if its variance is 0."""
    differences = [theirs - ours for ours, theirs in zip(first, rival, strict=True)]
    mean = sum(differences) / len(differences)
    variance = sum((one - mean) ** 2 for one in differences) / (len(differences) - 1)
    return mean / sqrt(variance / len(differences)) if variance else 0.0
