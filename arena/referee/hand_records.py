"""The record of a hand, from its actions and its result."""

from collections.abc import Sequence

from arena import records
from arena.gin.actions import Action, BigGin, Knock, LayOff
from arena.gin.facts import Seat
from arena.gin.match import Laid, Scoreline
from arena.gin.score import HandResult


def as_laid(action: Action, laid: Laid | None) -> Action:
    """Return an action with the melds and lay-offs that it left to the referee.

    So a record can be replayed under rules that would arrange ties otherwise.
    """
    match action:
        case Knock(card) if laid:
            return Knock(card, laid.melds)
        case BigGin() if laid:
            return BigGin(laid.melds)
        case LayOff() if laid:
            return LayOff(laid.melds, laid.lay_offs)
        case _:
            return action


def hand_record(
    standing: Scoreline, dealer: Seat, played: Sequence[records.HandAction], result: HandResult, *, scored: bool
) -> records.HandRecord:
    """Return the record of a hand."""
    return records.HandRecord(
        game=standing.game,
        hand=standing.hand,
        dealer=dealer,
        actions=" ".join(turn.word for turn in played),
        ending=result.ending,
        winner=result.winner,
        points=result.points,
        deadwood=result.deadwood,
        score=standing.score if scored else None,
        spent=tuple(turn.spent for turn in played) if any(turn.spent for turn in played) else (),
        notes=tuple(records.Note(number, turn.note) for number, turn in enumerate(played) if turn.note),
    )
