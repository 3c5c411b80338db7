"""``arena judge``: hands from anywhere, played by the referee's own engine."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from arena.cli.cases import JudgeCase
    from arena.gin.actions import Action
    from arena.gin.deal import Deal
    from arena.gin.hand import Hand
    from arena.gin.rules import Rules


def judge(
    file: Annotated[str, typer.Argument(help="A file of lines; - for standard input.")] = "-",
    *,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read and write JSON lines, the one form there is.")] = True,  # noqa: ARG001
) -> None:
    """Judge hands: each line is a deck, a dealer and actions, and is answered by how the hand ends.

    Example: arena judge --jsonl hands.jsonl

    A line {"id": 1, "rules": "standard", "deck": [52 cards], "dealer": 0, "actions": [{"seat": 1, "kind": "pass"}, ...]}
    is answered by its "ending", "winner", "points" and "deadwood"; by "illegal" with the action, the clause and a detail;
    or by "unfinished".
    """
    from arena.cli.cases import JudgeCase, read
    from arena.cli.lines import answer_lines

    rulesets = _Rulesets()
    answer_lines(file, lambda line: judged(case := read(line, JudgeCase), rulesets.of(case.rules)))


def judged(case: "JudgeCase", rules: "Rules") -> dict[str, Any]:
    """Return the answer to a case. Raises: ValueError, for cards that are none and a deck that is none."""
    from arena.gin.actions import IllegalAction, LayOff
    from arena.gin.hand import Hand, Phase
    from arena.protocol.messages import Answer
    from arena.protocol.notation import action

    hand = Hand.start(_deal(case), rules)
    for number, said in enumerate(case.actions):
        move = action(Answer(said.kind, said.card, said.melds, said.lay_offs))
        try:
            hand = _played(hand, said.seat, move)
        except IllegalAction as error:
            detail = f"{error.detail}; allowed: {', '.join(hand.may()) or 'nothing, for the hand is over'}"
            return {"id": case.id, "illegal": {"action": number, "clause": error.clause, "detail": detail}}
    if hand.phase is Phase.LAY_OFF:
        hand = hand.play(LayOff())
    return {"id": case.id, **_ended(hand)}


def _played(hand: "Hand", seat: int, move: "Action") -> "Hand":
    """Return the hand after a move of ``seat``. Raises: IllegalAction, also if it is not that seat's turn."""
    from arena.gin.actions import IllegalAction
    from arena.gin.hand import clause_of

    if seat != hand.seat:
        raise IllegalAction(clause_of(hand), f"seat {seat} acts; it is for seat {hand.seat}")
    return hand.play(move)


def _ended(hand: "Hand") -> dict[str, Any]:
    result = hand.result
    if result is None:
        return {"unfinished": {"phase": hand.phase, "seat": hand.seat}}
    return {"ending": result.ending, "winner": result.winner, "points": result.points, "deadwood": result.deadwood}


def _deal(case: "JudgeCase") -> "Deal":
    from arena.gin.cards import DECK, card, cards
    from arena.gin.deal import Deal

    if cards(case.deck) != DECK:
        raise ValueError(f"a deck of {len(case.deck)} cards; expected all 52")
    return Deal(tuple(card(name) for name in case.deck), case.dealer)


class _Rulesets:
    """Every ruleset there is; one named without options is built once."""

    def __init__(self) -> None:
        from arena.plugins.manager import kinds, load
        from arena.tournament.spec import any_of

        self._kind = any_of(kinds(load()).rules)
        self._named: dict[str, Rules] = {}

    def of(self, rules: str | dict[str, Any]) -> "Rules":
        """Return the rules of a case. Raises: ValueError."""
        from msgspec import ValidationError, convert

        try:
            if isinstance(rules, dict):
                return cast("Rules", convert({"name": "tournament", **rules}, self._kind))
            if rules not in self._named:
                self._named[rules] = convert({"name": rules}, self._kind)
        except ValidationError as error:
            raise ValueError(f"rules: {error}") from None
        return self._named[rules]
