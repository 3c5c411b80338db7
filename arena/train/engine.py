"""Converts between the engine and the kernel: rules, decks, hands, views and actions."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.gin.actions import Action, BigGin, Discard, Draw, IllegalActionError, Kind, Knock, Pass, Phase, Take
from arena.gin.cards import Cards, each
from arena.gin.cards import bits as set_of
from arena.gin.deal import Deals
from arena.gin.facts import HandFacts
from arena.gin.match import Hand
from arena.gin.rules import HandTerms, Rules, base_result, possible_facts
from arena.gin.rules import terms_of as terms_of_hand
from arena.gin.score import Ending, HandResult, Showdown
from arena.gin.view import View
from arena.train import checks, native
from arena.train.native import DEADWOODS, NO_UPCARD, KernelTerms, ScoreTable

PHASES, _ENDINGS = list(Phase), list(Ending)  # in the order of the kernel's numbers
_KINDS: dict[int, type[Pass | Take | Draw | BigGin]] = {
    native.PASS: Pass,
    native.TAKE: Take,
    native.DRAW: Draw,
    native.BIG_GIN: BigGin,
}
_NUMBERS: dict[Kind, int] = {action.kind: number for number, action in _KINDS.items()}


def hand_of(state: Any, rules: Rules) -> Hand:  # noqa: ANN401 - a row of a structured array
    """Return the hand of a state; at the end, without the melds that were laid."""
    winner, ended = int(state["winner"]), state["ending"] >= 0
    upcard = None if rules.first_turn == "eleven" else int(state["deck"][20])
    return Hand(
        rules,
        HandFacts(int(state["dealer"]), upcard),
        HandTerms(int(state["knock_limit"]), int(state["multiplier"])),
        tuple(state["deck"].tolist()),
        PHASES[state["phase"]],
        int(state["seat"]),
        _pair(state["held"]),
        tuple(state["pile"][: state["pile_count"]].tolist()),
        top=int(state["top"]),
        bottom=int(state["bottom"]),
        drawn=int(state["drawn"]) if state["drawn"] >= 0 else None,
        taken=bool(state["taken"]),
        passes=int(state["passes"]),
        takes=int(state["takes"]),
        took=_pair(state["took"]),
        threw=_pair(state["threw"]),
        result=HandResult(_ENDINGS[state["ending"]], None if winner < 0 else winner, int(state["points"]), _pair(state["deadwood"]))
        if ended
        else None,
    )


def _pair(both: Any) -> tuple[int, int]:  # noqa: ANN401
    zero, one = both.tolist()
    return zero, one


def state_of(view: View, theirs: Cards) -> NDArray[np.void]:
    """Return a state (an array of 1) of the hand in a view: the viewer at seat 0, the cards ``theirs`` at seat 1, no stock yet.

    The caller writes the stock into ``deck``. A card that a seat took twice counts once towards the limit of takes (R5.3).
    """
    found = np.zeros(1, native.HandState)
    found["held"], found["took"], found["threw"] = (view.cards, theirs), view.took, view.threw
    found["piled"], found["pile_count"] = set_of(view.pile), len(view.pile)
    found["pile"][0, : len(view.pile)] = view.pile
    found["top"], found["bottom"], found["dealer"] = 52 - view.stock, 52, 0 if view.dealer else 1
    found["phase"] = PHASES.index(view.phase)
    found["drawn"] = -1 if view.drawn is None else view.drawn
    found["taken"] = view.drawn is not None and bool(view.took[0] >> view.drawn & 1)
    found["passes"] = view.phase is Phase.UPCARD and view.dealer  # the non-dealer passed first
    found["takes"] = sum(cards.bit_count() for cards in view.took)
    found["knock_limit"], found["multiplier"] = view.knock_limit, view.multiplier
    found["ending"] = found["winner"] = -1
    return found


def action_of(number: int) -> Action:
    """Return the action with a number from 0 to 107. Raises: ValueError."""
    number = checks.number("action", number, 0, native.ACTIONS - 1)
    if number < native.KNOCK:
        return Discard(number)
    return Knock(number - native.KNOCK) if number < native.PASS else _KINDS[number]()


def number_of(action: Action) -> int:
    """Return the number of an action; declared melds are ignored. Raises: ValueError, for a lay-off."""
    if isinstance(action, Discard):
        return action.card
    if isinstance(action, Knock):
        return native.KNOCK + action.card
    if action.kind not in _NUMBERS:
        raise ValueError(f"action: {action}; expected one with a number, which lay-offs have not")
    return _NUMBERS[action.kind]


def look_at(view: View) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return what ``Hands.look`` returns for a seat with this view: its observation (1 x 8) and legal actions (1 x 108).

    No action is legal for the seat that waits, or when lay-offs are asked for.
    """
    upcard = view.upcard + 1 if view.pile else 0
    drawn, taken = (0, 0) if view.drawn is None else (view.drawn + 1, view.took[0] >> view.drawn & 1)
    scalars = PHASES.index(view.phase) | upcard << 4 | drawn << 10 | taken << 16 | view.stock << 17 | view.dealer << 23
    scalars |= view.knock_limit << 24 | view.multiplier << 31
    sets = (view.cards, set_of(view.pile), view.opponent_holds, *view.took, *view.threw)
    legal = [_NUMBERS[kind] for kind in view.may if kind in _NUMBERS]
    legal += each(view.may_discard) if "discard" in view.may else ()
    legal += (native.KNOCK + card for card in each(view.may_knock))
    mask = np.zeros((1, native.ACTIONS), np.uint8)
    mask[0, legal] = 1
    return np.array([[*sets, scalars]], np.int64), mask


def why_illegal(state: Any, rules: Rules, number: int) -> IllegalActionError:  # noqa: ANN401
    """Return the engine's error for an illegal action."""
    try:
        hand_of(state, rules).play(action_of(number))
    except IllegalActionError as error:
        return error
    raise AssertionError(f"the engine plays {action_of(number)}, which the kernel refuses")


# The options of the rules as the kernel reads them. Source: R2-R8.
#
# The engine itself fills the tables of terms and scores, so the kernel computes none, and follows the functions of a plugin's
# ruleset too: as for hands at the beginning of a match, because the kernel knows no score. Options of games and matches (R9) have
# no effect within a hand.

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
                place.ending = _ENDINGS.index(result.ending)
                place.won = -1 if result.winner is None else result.winner
    return table


# The decks of arena's own runs. Source: R2.1-R2.3.

Bytes = NDArray[np.uint8]


def arena_decks(seed: str, key: str, count: int, game: int = 0) -> tuple[Bytes, Bytes]:
    """Return the decks (count x 52, in the order of dealing) and dealers of the first hands of a game, as a referee deals them.

    ``seed`` is the run seed, which a run publishes at its end, ``key`` that of a pair of legs, ``game`` is counted from 0. The
    dealers alternate, so with another ``next_dealer`` only the first one is that of the game.
    """
    deals = Deals(seed, key)
    count = checks.number("count", count, 0)
    decks = np.array([deals.deck(game, hand) for hand in range(count)], np.uint8).reshape(count, 52)
    return decks, ((deals.first_dealer(game) + np.arange(count)) % 2).astype(np.uint8)
