"""Judges hands from anywhere by the referee's engine, for ``arena judge``."""

from typing import Any, cast

from msgspec import ValidationError, convert

from arena.gin.actions import Action, IllegalActionError, LayOff
from arena.gin.cards import DECK, cards, in_order
from arena.gin.deal import Deal
from arena.gin.hand import Hand, Phase
from arena.gin.moves import clause_of
from arena.gin.rules import Rules
from arena.plugins.manager import kinds, load
from arena.protocol.notation import action
from arena.runs.cases import JudgeCase
from arena.tournament.spec import any_of


def judged(case: JudgeCase, rules: Rules) -> dict[str, Any]:
    """Return the answer to a case. Raises: ValueError, for an invalid card or deck."""
    hand = Hand.start(_deal(case), rules)
    for number, said in enumerate(case.actions):
        move = action(said)
        try:
            hand = _played(hand, said.seat, move)
        except IllegalActionError as error:
            detail = f"{error.detail}; allowed: {', '.join(hand.may()) or 'nothing, for the hand is over'}"
            return {"id": case.id, "illegal": {"action": number, "clause": error.clause, "detail": detail}}
    if hand.phase is Phase.LAY_OFF:
        hand = hand.play(LayOff())
    return {"id": case.id, **_ended(hand)}


def _played(hand: Hand, seat: int, move: Action) -> Hand:
    """Return the hand after a move of ``seat``. Raises: IllegalActionError, also if it is not that seat's turn."""
    if seat != hand.seat:
        raise IllegalActionError(clause_of(hand), f"seat {seat} acts; it is for seat {hand.seat}")
    return hand.play(move)


def _ended(hand: Hand) -> dict[str, Any]:
    result = hand.result
    if result is None:
        return {"unfinished": {"phase": hand.phase, "seat": hand.seat}}
    return {"ending": result.ending, "winner": result.winner, "points": result.points, "deadwood": result.deadwood}


def _deal(case: JudgeCase) -> Deal:
    if cards(case.deck) != DECK:
        raise ValueError(f"a deck of {len(case.deck)} cards; expected all 52")
    return Deal(in_order(case.deck), case.dealer)


class Rulesets:
    """All rulesets; one that is named without options is built once."""

    def __init__(self) -> None:
        self._kind = any_of(kinds(load()).rules)
        self._named: dict[str, Rules] = {}

    def of(self, rules: str | dict[str, Any]) -> Rules:
        """Return the rules of a case. Raises: ValueError."""
        try:
            if isinstance(rules, dict):
                return cast("Rules", convert({"name": "tournament", **rules}, self._kind))
            if rules not in self._named:
                self._named[rules] = convert({"name": rules}, self._kind)
        except ValidationError as error:
            raise ValueError(f"rules: {error}") from None
        return self._named[rules]
