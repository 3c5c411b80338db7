"""What the page of a table shows, as values: a turn, a wait, the end of a hand. All words come from ``arena.human``."""

from typing import Any

from msgspec.structs import replace

from arena.gin.actions import Discard, Knock
from arena.gin.cards import NAMES, each, names, with_signs
from arena.gin.melds import arrange, deadwood
from arena.gin.view import Outcome, View
from arena.human.choices import Hint, Move, breaks_meld, hint, knocks
from arena.protocol.notation import laid, meld_names
from arena.reports.describe import PHASES, defence, lay_off_lines, no_lay_off, opponent_did, standing


def turn_shown(view: View, before: View | None, legal: dict[str, Move], opponent: str) -> dict[str, Any]:
    """Return the page's state in a turn."""
    return {
        **_table(view, opponent),
        "kind": "turn",
        "text": PHASES[view.phase.value],
        "did": [with_signs(did) for did in opponent_did(before, view)],
        "moves": {name: with_signs(move.message) for name, move in legal.items()},
        "knocks": [f"knock:{NAMES[card]}" for card in knocks(view)] if "knock" in view.may else [],
        "breaks": [NAMES[card] for card in each(view.may_discard) if breaks_meld(view, card)],
        "hint": hint_shown(hint(view)),
    }


def hint_shown(advice: Hint) -> dict[str, Any]:
    """Return a hint as the page shows it."""
    return {"move": advice.move.name, "text": with_signs(advice.move.message), "why": with_signs(advice.why)}


def wait_shown(view: View, done: Move, opponent: str) -> dict[str, Any]:
    """Return the page's state after a move until the next question: the table as the move left it."""
    return watch_shown(_after(view, done), opponent)


def watch_shown(view: View, opponent: str) -> dict[str, Any]:
    """Return the page's state of a hand while the opponent is to act."""
    return _table(view, opponent) | waiting(opponent) | {"did": [], "moves": {}, "knocks": [], "breaks": []}


def waiting(opponent: str) -> dict[str, Any]:
    """Return the page's state while only the opponent's turn is known."""
    return {"kind": "wait", "text": f"Waiting for {opponent}."}


def _after(view: View, done: Move) -> View:
    """Return a view after one's own move, as far as it is known."""
    match done.action:
        case Discard(card):
            return replace(view, cards=view.without(card), drawn=None, pile=(*view.pile, card))
        case Knock(card):
            return replace(view, cards=view.without(card), drawn=None)
        case _:
            return view


def _table(view: View, opponent: str) -> dict[str, Any]:
    return {
        "standing": f"{standing(view, opponent)}.",
        "dealer": view.dealer,
        "cards": names(view.cards),
        "melds": meld_names(arrange(view.cards)),
        "deadwood": deadwood(view.cards),
        "drawn": None if view.drawn is None else NAMES[view.drawn],
        "pile": [NAMES[card] for card in view.pile],
        "stock": view.stock,
        "known": names(view.opponent_holds),
        "knock": _knock(view),
    }


def _knock(view: View) -> dict[str, Any] | None:
    """Return the melds of an opponent who knocked, and the best defence; None if the opponent has not knocked."""
    if view.knocker is None:
        return None
    own, lay_offs, left = defence(view)
    why = [*lay_off_lines(lay_offs, view.knocker.melds), *filter(None, [no_lay_off(view)])]
    return {
        "melds": meld_names(view.knocker.melds),
        "deadwood": view.knocker.deadwood,
        "own": meld_names(own),
        "lay_offs": laid(lay_offs),
        "left": left,
        "why": [with_signs(line) for line in why],
    }


def hand_over_shown(outcome: Outcome, text: str) -> dict[str, Any]:
    """Return the page's state at the end of a hand, which ``text`` tells."""
    return {
        "kind": "hand_over",
        "standing": f"Hand {outcome.game}.{outcome.hand}; score {outcome.score[0]} to {outcome.score[1]},"
        f" games {outcome.games[0]} to {outcome.games[1]}.",
        "text": text,
        "cards": [[NAMES[card] for card in each(cards)] for cards in outcome.cards],
        "melds": [meld_names(melds) for melds in outcome.melds],
        "lay_offs": laid(outcome.lay_offs),
        "deadwood": outcome.deadwood,
    }
