"""my-bot: plays by a linear policy, whose weights train.py learns and my_bot.npz holds."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.sdk import Action, Bot, Parameter, View
from arena.train import action_of, beside, completing, deadwoods, look_at, scalars

WEIGHTS = Path(__file__).with_suffix(".npz")
ALL = 2**52 - 1
KNOCK, PASS, TAKE, DRAW, BIG_GIN = 52, 104, 105, 106, 107

# the weights before training: for deadwood, for cards that make a meld, for danger and for a draw from the stock two each, one at
# the deal and one that is added for every ten cards drawn; then the most deadwood to knock with: after 0 to 3 cards drawn, after 4
# to 7, and so on
START = np.array([1, 0, 0, 0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 10], float)
SPREAD = np.array([0.2, 0.2, 0.5, 0.5, 0.3, 0.3, 3, 3, 5, 5, 5, 5, 5, 5])  # standard deviations with which train.py begins

Array = NDArray[np.int64]


class MyBot(Bot):
    """Chooses as in training: ``look_at`` gives the numbers that ``Hands.look`` gave there."""

    # arena tune finds the best values
    boldness = Parameter(0.0, low=-10.0, high=25.0, step=1.0)  # points of deadwood more to knock with
    caution = Parameter(0.0, low=0.0, high=1.0, step=0.05)  # danger counts for so much more

    def __init__(self, seed: str = "") -> None:
        super().__init__(seed)
        self.weights = np.load(WEIGHTS)["weights"]
        self.weights[8:] += self.boldness
        self.weights[4] += self.caution

    def act(self, view: View) -> Action:
        """Return the action that the weights choose."""
        return action_of(int(choose(*look_at(view), self.weights)[0]))

    upcard = draw = discard = act


def choose(bits: Array, mask: NDArray[np.uint8], weights: NDArray[np.float64]) -> Array:
    """Return an action for each row (n); ``weights`` are the same for all (14), or each row's own (n x 14)."""
    weights = np.broadcast_to(weights, (len(bits), len(START)))
    w = weights.T[:, :, None]
    own, pile, known, seen = bits[:, 0], bits[:, 1], bits[:, 2], scalars(bits)
    drawn = 31 - seen.stock  # the stock has 31 cards at the deal
    turn = drawn[:, None] / 10
    unseen = (ALL & ~(own | pile | known))[:, None]

    def worth(cards: Array) -> NDArray[np.float64]:
        outs = np.bitwise_count(completing(cards) & unseen)
        return (w[2] + w[3] * turn) * outs - (w[0] + w[1] * turn) * deadwoods(cards)

    takes = mask[:, TAKE] == 1  # then the question is what would be thrown after the take
    upcard = np.where(takes, np.int64(1) << np.maximum(seen.upcard, 0), 0)
    eleven = own | upcard
    throws = each_alone(eleven)
    cards = np.bitwise_count(throws - 1)  # the number of each
    near = beside(throws)
    danger = np.bitwise_count(near & unseen) + 3.0 * np.bitwise_count(near & known[:, None])
    legal = np.take_along_axis(mask[:, :KNOCK] | mask[:, KNOCK:PASS], cards, axis=1) == 1
    legal = np.where(takes[:, None], throws != upcard[:, None], legal)
    value = np.where(legal, worth(eleven[:, None] ^ throws) - (w[4] + w[5] * turn) * danger, -np.inf)
    left = np.where(legal, deadwoods(eleven[:, None] ^ throws), 999)

    rows = np.arange(len(bits))
    least = left.argmin(axis=1)
    limit = weights[rows, 8 + np.minimum(drawn // 4, 5)]
    late = ~mask[:, :KNOCK].any(axis=1)  # the last discard was taken, so only a knock is legal
    knocks = (left[rows, least] == 0) | (left[rows, least] <= limit) | late
    knocks &= mask[:, KNOCK:PASS].any(axis=1)
    action = np.where(knocks, KNOCK + cards[rows, least], cards[rows, value.argmax(axis=1)]).astype(np.int64)
    stays = (worth(own[:, None]) + w[6] + w[7] * turn)[:, 0]
    action = np.where(mask[:, PASS] == 1, PASS, np.where(mask[:, DRAW] == 1, DRAW, action))
    action = np.where(takes & (value.max(axis=1) > stays), TAKE, action)
    return np.where(mask[:, BIG_GIN] == 1, BIG_GIN, action)


def each_alone(sets: Array) -> Array:
    """Return the cards of each set, of eleven at most, as sets of one card (n x 11); 0 where there are fewer."""
    found = np.zeros((len(sets), 11), np.int64)
    for place in range(11):
        found[:, place] = sets & -sets
        sets = sets & sets - 1
    return found
