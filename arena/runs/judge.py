"""Judges hands of other programs with the referee's engine, for ``arena judge``; computes melds, for ``arena melds``."""

from typing import Any

from arena.gin.actions import Action, IllegalActionError, LayOff, read_actions
from arena.gin.cards import DECK, cards, in_order
from arena.gin.deal import Deal
from arena.gin.match import Hand, Phase
from arena.gin.moves import clause_of
from arena.gin.rules import Rules
from arena.plugins.manager import installed_kinds
from arena.protocol.notation import action
from arena.runs.judge_cases import JudgeCase
from arena.tournament.spec import MistakeError, any_of, convert_section


def judge_case(case: JudgeCase, rules: Rules) -> dict[str, Any]:
    """Return the answer to a case; if its actions end with a knock, the best defence follows.

    Raises: ValueError, for an invalid card, deck or word.
    """
    hand = Hand.start(_deal(case), rules)
    for number, given in enumerate(case.actions):
        seat, move = (hand.seat, _read_word(given)) if isinstance(given, str) else (given.seat, action(given))
        try:
            hand = _play(hand, seat, move)
        except IllegalActionError as error:
            detail = f"{error.detail}; allowed: {', '.join(hand.may()) or 'nothing, for the hand is over'}"
            return {"id": case.id, "illegal": {"action": number, "clause": error.clause, "detail": detail}}
    if hand.phase is Phase.LAY_OFF:
        hand = hand.play(LayOff())
    return {"id": case.id, **_ending(hand)}


def _read_word(word: str) -> Action:
    """Return the action of a word. Raises: ValueError."""
    found = read_actions(word)
    if len(found) != 1:
        raise ValueError(f"{word!r} is not an action: expected one word")
    return found[0]


def _play(hand: Hand, seat: int, move: Action) -> Hand:
    """Return the hand after a move of ``seat``. Raises: IllegalActionError, also if it is not that seat's turn."""
    if seat != hand.seat:
        raise IllegalActionError(clause_of(hand), f"seat {seat} acts; it is for seat {hand.seat}")
    return hand.play(move)


def _ending(hand: Hand) -> dict[str, Any]:
    result = hand.result
    if result is None:
        return {"unfinished": {"phase": hand.phase, "seat": hand.seat}}
    return {"ending": result.ending, "winner": result.winner, "points": result.points, "deadwood": result.deadwood}


def _deal(case: JudgeCase) -> Deal:
    if cards(case.deck) != DECK:
        raise ValueError(f"a deck of {len(case.deck)} cards; expected all 52")
    return Deal(in_order(case.deck), case.dealer)


class Rulesets:
    """The rulesets of cases; a ruleset that is named without options is built once."""

    def __init__(self) -> None:
        self._known = installed_kinds()
        self._kind = any_of(self._known.rules)
        self._named: dict[str, Rules] = {}

    def of(self, rules: str | dict[str, Any]) -> Rules:
        """Return the rules of a case: a name, or options, by default of the ruleset ``tournament``. Raises: ValueError."""
        if isinstance(rules, dict):
            return self._make(rules)
        if rules not in self._named:
            self._named[rules] = self._make(rules)
        return self._named[rules]

    def _make(self, rules: str | dict[str, Any]) -> Rules:
        try:
            made: Rules = convert_section("rules", rules, self._kind, lambda _: None, self._known.not_loaded)
        except MistakeError as error:
            raise ValueError(str(error.problem)) from None
        return made
