"""``tests/studies/endgames.py``: the worlds that are searched."""

import numpy as np
from endgames import LATE, RULES, possible_worlds

from arena.gin.cards import DECK, bits
from arena.train import Hands
from arena.train.native import AT_DRAW


def late_state() -> np.void:
    """Return a state before a draw with a small stock, from hands that are played at random."""
    hands = Hands(16, RULES)
    hands.reset(3)
    while True:
        states = hands.states
        late = (states["phase"] == AT_DRAW) & (states["bottom"] - states["top"] <= LATE)
        if late.any():
            found: np.void = states[late][0].copy()
            return found
        hands.step(hands.choose("random"))


def test_the_worlds_are_all_hands_and_orders_that_agree_with_what_the_player_sees() -> None:
    state = late_state()
    worlds, mine = possible_worlds(state), int(state["seat"])
    stocks = worlds["deck"][:, state["top"] : state["bottom"]]
    seen = int(state["held"][mine]) | int(state["piled"])
    known = int(state["took"][1 - mine] & state["held"][1 - mine])
    for stock, theirs in zip(stocks.tolist(), worlds["held"][:, 1 - mine].tolist(), strict=True):
        assert theirs & known == known
        assert theirs.bit_count() == 10
        assert (theirs | bits(stock) | seen, theirs & bits(stock)) == (DECK, 0)
    distinct = {(theirs, *stock[:-2]) for stock, theirs in zip(stocks.tolist(), worlds["held"][:, 1 - mine].tolist(), strict=True)}
    assert len(distinct) == len(worlds)
    assert int(state["held"][1 - mine]) in worlds["held"][:, 1 - mine]
