"""Converts between the engine and the kernel: rules, decks, hands, views and actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.gin.actions import Action, BigGin, Discard, Draw, IllegalActionError, Kind, Knock, Pass, Phase, Take
from arena.gin.cards import Cards, each
from arena.gin.cards import bits as set_of
from arena.gin.facts import HandFacts
from arena.gin.match import Hand
from arena.gin.rules import HandTerms, Rules
from arena.gin.score import Ending, HandResult
from arena.gin.view import View
from arena.train import checks, native

PHASES, ENDINGS = list(Phase), list(Ending)  # in the order of the kernel's numbers
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
        result=HandResult(ENDINGS[state["ending"]], None if winner < 0 else winner, int(state["points"]), _pair(state["deadwood"]))
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
