"""What hypothesis draws from: cards, deals, rules and hands played to their end by chance."""

from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace
from support.hands.builders import RULESETS
from support.hands.by_chance import play_out

from arena.gin.actions import Action
from arena.gin.cards import Card, Cards, bits
from arena.gin.deal import Deal
from arena.gin.match import Hand
from arena.gin.rules import Rules

PlayOut = tuple[list[Hand], tuple[Action, ...]]

a_card: st.SearchStrategy[Card] = st.integers(0, 51)
seats = st.integers(0, 1)


def cards(least: int = 0, most: int = 52) -> st.SearchStrategy[Cards]:
    """Return sets of cards of some sizes."""
    return st.sets(a_card, min_size=least, max_size=most).map(bits)


def close_cards(count: int) -> st.SearchStrategy[Cards]:
    """Return sets of cards crowded into a few ranks, where sets and runs compete for the same cards."""
    ranks = st.integers(0, 9)
    crowded = ranks.flatmap(
        lambda low: st.sets(st.sampled_from([s * 13 + low + r for s in range(4) for r in range(4)]), max_size=count)
    )
    filled = st.tuples(crowded, st.permutations(range(52)))
    return filled.map(lambda both: bits([*both[0], *(one for one in both[1] if one not in both[0])][:count]))


decks = st.permutations(range(52)).map(tuple)
deals = st.builds(Deal, decks, seats)
rulesets = st.sampled_from(list(RULESETS.values()))

_STOCK_OUT = st.sampled_from(["dead", "showdown", "last_take"])  # always drawn: few hands reach it
_OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "knock_limit": st.integers(0, 30) | st.just("upcard"),
    "ace": st.sampled_from(["gin", "one"]),
    "double": st.sampled_from(["none", "spades"]),
    "gin_deadwood": st.booleans(),
    "big_gin_bonus": st.none() | st.just(31),
    "big_gin_deadwood": st.booleans(),
    "layoff_on_gin": st.booleans(),
    "return_taken": st.booleans(),
    "first_turn": st.sampled_from(["upcard", "draw", "eleven"]),
    "after_two_passes": st.sampled_from(["stock", "any"]),
    "stock": st.sampled_from(["top", "two-ended"]),
    "max_takes": st.sampled_from([50, 50, 50, 2]),  # 2: dead early, so not too often
    "tie": st.sampled_from(["undercut", "nothing"]),
}


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Return a ruleset, some options of a hand's course overridden."""
    options = draw(st.fixed_dictionaries({"stock_out": _STOCK_OUT}, optional=_OPTIONS))
    ruleset = draw(rulesets)
    if options.get("first_turn") == "eleven":  # there is no upcard
        options |= {"double": "none", "knock_limit": 10}
    return replace(ruleset, **options)


@st.composite
def play_outs(draw: st.DrawFn) -> PlayOut:
    """Return every state of a hand played to its end by chance, and the actions."""
    return play_out(draw(deals), draw(rules()), draw(st.randoms(use_true_random=False)).getrandbits(32))
