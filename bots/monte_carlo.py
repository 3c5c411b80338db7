"""Monte Carlo: doubts its first idea, and leaves it only for a throw that is better in sampled worlds, and surely so.

The first idea is Challenger's throw. Its rivals, the next best, are tried in the same 24 worlds that agree with all that was
seen; both sides play these out quickly. A hand's points vary by 25 and throws differ by one, so the best mean is mostly
luck, and following it plays worse than Greedy. Hence the gate: a rival must be ahead by two standard errors of the
paired difference. (Determinised search: Ginsberg's GIB, 2001; the gate is our own.)

Measured on paired deals of the tournament rules: +3.7 ± 1.6 points a hand against Greedy, -0.2 ± 1.4 against
Challenger (600 hands each): no better than the idea it doubts.
"""

from math import sqrt

from arena.sdk import Bot, Card, Discard, View, each
from arena.sdk.odds import danger, expected, turn
from arena.sdk.simulate import playout, points, sample_hand

WORLDS = 24
RIVALS = 2
SURE = 2.0  # standard errors
BEST = 7  # draws that count
WEIGHT, DECAY = 18.0, 0.9  # of deadwood to come, and what is left of that each turn
MELD = 20.0  # of a meld that the opponent may make with the discard
EARLY = 3  # turns in which a knock is good


class Quick(Bot):
    """Plays the worlds out: least deadwood, an early knock or gin."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock early or not at all."""
        return turn(view) < EARLY


class MonteCarlo(Bot):
    """Tries throws out before it makes them."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock before the opponent can be ready for it."""
        return turn(view) < EARLY

    def throws(self, view: View) -> Card:
        """Throw the first idea, or the rival that is surely better and most so."""
        weight = WEIGHT * DECAY ** turn(view)
        ideas = sorted(each(view.may_discard), key=lambda card: weight * expected(view, card, BEST) + MELD * danger(view, card))
        first, *rivals = ideas[: 1 + RIVALS]
        outcomes = self.try_out(view, (first, *rivals))
        gains = {rival: sure_gain(outcomes[first], outcomes[rival]) for rival in rivals}
        best = max(gains, key=lambda rival: gains[rival], default=first)
        return best if gains and gains[best] >= SURE else first

    def try_out(self, view: View, cards: tuple[Card, ...]) -> dict[Card, list[int]]:
        """Return the points that throwing each card brings in each of the same worlds."""
        answer = Quick().answer
        worlds = [sample_hand(view, self.random) for _ in range(WORLDS)]
        return {card: [points(playout(world.play(Discard(card)), answer, answer)) for world in worlds] for card in cards}


def sure_gain(first: list[int], rival: list[int]) -> float:
    """Return by how many standard errors ``rival`` is ahead of ``first``."""
    differences = [other - one for one, other in zip(first, rival, strict=True)]
    mean = sum(differences) / len(differences)
    spread = sum((one - mean) ** 2 for one in differences) / (len(differences) - 1)
    return mean / sqrt(spread / len(differences)) if spread else 0.0
