"""The brackets of a draw, as reports show them."""

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from arena.stats.details import Bracket, BracketRound, Slot, Tie
from arena.tournament.formats.draw import NOBODY, KnockoutDraw, PlayedTie
from arena.tournament.formats.elimination import Source


def brackets(draw: KnockoutDraw) -> list[Bracket]:
    """Return the brackets of a draw; a decider is left out unless it is played."""
    shown = [tie for tie in draw.ties if tie.meeting or not tie.plan.decider]
    titles = list(dict.fromkeys(tie.plan.bracket for tie in shown))
    return [_bracket(title, [tie for tie in shown if tie.plan.bracket == title], draw) for title in titles]


def _bracket(title: str, ties: Sequence[PlayedTie], draw: KnockoutDraw) -> Bracket:
    in_rounds = groupby(ties, lambda tie: tie.plan.title)
    return Bracket(title, [BracketRound(name, [_tie(tie, draw) for tie in several]) for name, several in in_rounds])


def _tie(tie: PlayedTie, draw: KnockoutDraw) -> Tie:
    one, other = (_slot(tie, side, draw) for side in (0, 1))
    decided = tie.decision if tie.meeting else None
    winner: Literal[0, 1] | None = None if decided is None else 0 if decided.winner == tie.entrants[0] else 1
    return Tie(slots=(one, other), winner=winner, note=decided.by if decided else "")


def _slot(tie: PlayedTie, side: int, draw: KnockoutDraw) -> Slot:
    entrant = tie.entrants[side]
    if entrant is None:
        return Slot(label=_label(tie.plan.sources[side], draw))
    if entrant == NOBODY:
        return Slot(label="bye" if any(tie.entrants) else "")
    score = str(tie.meeting.matches[side]) if tie.meeting and tie.meeting.legs else ""
    return Slot(entrant=entrant, seed=draw.field.index(entrant) + 1, score=score)


def _label(source: Source, draw: KnockoutDraw) -> str:
    """Return where an entrant will come from; nothing for a winner, whose way is drawn as a line."""
    if source.kind != "loser":
        return ""
    return f"loser, {draw.ties[source.number].plan.title.lower()}"
