"""The options of the rules as the kernel reads them.

Source: R2-R8.

The engine itself fills the tables of terms and scores, so the kernel computes none, and follows the functions of a plugin's
ruleset too: as for hands at the beginning of a match, because the kernel knows no score. Options of games and matches (R9) have
no effect within a hand.
"""

from functools import lru_cache

from arena.gin.facts import HandFacts
from arena.gin.rules import Rules, base_result, possible_facts
from arena.gin.rules import terms_of as terms_of_hand
from arena.gin.score import Ending, Showdown
from arena.train.engine import ENDINGS
from arena.train.native import DEADWOODS, NO_UPCARD, KernelTerms, ScoreTable

_CALLED = (Ending.KNOCK, Ending.GIN, Ending.BIG_GIN, Ending.SHOWDOWN)  # in the order of the calls in native.py
_FIRST_TURN = ("upcard", "draw", "eleven")
_STOCK_OUT = ("dead", "showdown", "last_take")
_NEXT_DEALER = ("alternate", "loser", "winner")


@lru_cache(maxsize=32)
def terms_of(rules: Rules) -> KernelTerms:
    """Return the terms of a ruleset. They are shared: do not change them. Raises: PluginError."""
    terms = KernelTerms(
        max_takes=rules.max_takes,
        return_taken=rules.return_taken,
        first_turn=_FIRST_TURN.index(rules.first_turn),
        any_pile=rules.after_two_passes == "any",
        two_ended=rules.stock == "two-ended",
        big_gin=rules.plays_big_gin,
        layoff_on_gin=rules.layoff_on_gin,
        stock_out=_STOCK_OUT.index(rules.stock_out),
        next_dealer=_NEXT_DEALER.index(rules.next_dealer),
    )
    tables: dict[bytes, int] = {}
    highest = rules.limits[-1]
    for facts in possible_facts(rules):
        place = NO_UPCARD if facts.upcard is None else facts.upcard
        of_hand = terms_of_hand(rules, facts)
        terms.knock_limits[facts.dealer][place] = of_hand.knock_limit
        terms.multipliers[facts.dealer][place] = of_hand.multiplier
        if not tables or type(rules).score is not Rules.score:  # only a plugin's scores may depend on the facts
            terms.tables[facts.dealer][place] = tables.setdefault(bytes(_score_table(rules, facts, highest)), len(tables))
    terms.scores = (ScoreTable * len(tables)).from_buffer_copy(b"".join(tables))
    return terms


def _score_table(rules: Rules, facts: HandFacts, highest: int) -> ScoreTable:
    """Return the scores of a hand, without those of a knock above the ``highest`` limit of all hands."""
    table = ScoreTable()
    most = {Ending.KNOCK: highest, Ending.SHOWDOWN: DEADWOODS - 1 if rules.stock_out == "showdown" else 0}
    for number, called in enumerate(_CALLED):
        for mine in range(most.get(called, 0) + 1):
            for theirs in range(DEADWOODS):
                result = base_result(rules, Showdown(called, 0, (mine, theirs), facts))
                place = table.scores[number][mine][theirs]
                place.points = result.points
                place.ending = ENDINGS.index(result.ending)
                place.won = -1 if result.winner is None else result.winner
    return table
