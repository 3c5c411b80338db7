"""A hand of the kernel as a hand of the engine: for messages, for tests, and for bots that want a ``View``."""

from typing import Any

from arena.gin.actions import Action, BigGin, Discard, Draw, IllegalActionError, Knock, Pass, Phase, Take
from arena.gin.hand import Hand
from arena.gin.rules import Rules
from arena.gin.score import Ending, HandResult
from arena.train import native

_PHASES, _ENDINGS = list(Phase), list(Ending)
_KINDS: dict[int, type[Pass | Take | Draw | BigGin]] = {
    native.PASS: Pass,
    native.TAKE: Take,
    native.DRAW: Draw,
    native.BIG_GIN: BigGin,
}


def hand_of(state: Any, rules: Rules) -> Hand:  # noqa: ANN401 - a row of a structured array
    """Return the hand of a state; at the end, without the melds that were laid."""
    winner, ended = int(state["winner"]), state["ending"] >= 0
    return Hand(
        rules,
        tuple(state["deck"].tolist()),
        int(state["dealer"]),
        _PHASES[state["phase"]],
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


def action_of(number: int) -> Action:
    """Return the action of a number from 0 to 107."""
    if number < native.KNOCK:
        return Discard(number)
    return Knock(number - native.KNOCK) if number < native.PASS else _KINDS[number]()


def why_illegal(state: Any, rules: Rules, number: int) -> IllegalActionError:  # noqa: ANN401
    """Return the engine's error for an illegal action."""
    try:
        hand_of(state, rules).play(action_of(number))
    except IllegalActionError as error:
        return error
    raise AssertionError(f"the engine plays {action_of(number)}, which the kernel refuses")
