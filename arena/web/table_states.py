"""The states of a table's page as values: a turn, a wait, the end of a hand.

The page knows no rules: it is sent the order of the cards, the number that the opponent holds and the sum of the deadwood.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.actions import Discard, Knock
from arena.gin.cards import DECK, NAMES, Cards, LayOffs, Melds, each, names, parse, with_signs
from arena.gin.match import Phase
from arena.gin.melds import arrange, deadwood, laid_cards, points, union
from arena.gin.rules import Rules
from arena.gin.view import Outcome, View
from arena.human.advice import Hint, hint
from arena.protocol.notation import meld_names
from arena.reports.describe import (
    ScoreTerm,
    ending_words,
    hand_terms,
    hand_title,
    lay_off_lines,
    no_lay_off,
    opponent_did,
    score_terms,
)
from arena.sdk.named_moves import Move, defence, knocks
from arena.sdk.view_words import PHASES, columns_in_words

Names = tuple[str, ...]  # of cards, in the order in which they are shown
HELD = 10  # cards of a player that is not in its turn


class Panel(Struct, frozen=True, kw_only=True):
    """What is known of a player in the match."""

    name: str
    score: int  # points in this game
    target: int  # points that win it
    games: str  # won, of the number that wins the match; empty: the match is one game
    dealer: bool  # False at the end of a hand
    note: str = ""  # about its cards


class LaidMeld(Struct, frozen=True):
    """A meld on the table."""

    cards: Names
    laid_off: Names  # the other player's cards on it


class ShownKnock(Struct, frozen=True, kw_only=True):
    """The melds of an opponent who knocked, and the best defence."""

    melds: tuple[LaidMeld, ...]
    deadwood: int
    own: tuple[Names, ...]  # the melds of the defence
    laid_off: Names
    left: int  # points of deadwood after the defence
    why: tuple[str, ...]


class LaidHand(Struct, frozen=True):
    """The cards of a player at the end of a hand."""

    melds: tuple[LaidMeld, ...]
    loose: Names  # its deadwood
    gone: Names  # laid off on the other player's melds
    deadwood: str  # as a sum


class CountedScore(Struct, frozen=True):
    """The points of a hand, counted."""

    terms: tuple[ScoreTerm, ...]
    points: int
    whose: str


def turn_shown(view: View, before: View | None, legal: dict[str, Move], opponent: str) -> dict[str, Any]:
    """Return the page's state in a turn."""
    did = [with_signs(did) for did in opponent_did(before, view)]
    return {
        **_table(view, opponent),
        "kind": "turn",
        "text": PHASES[view.phase.value],
        "did": did,
        "step": _step(view, f"{opponent} {did[0]}.") if len(did) > 1 else None,  # it drew or took, and then threw or knocked
        "moves": {name: with_signs(move.message) for name, move in legal.items()},
        "throws": bool(view.may_discard),
        "knock_rule": f"with deadwood {view.knock_limit} or less" if view.knock_limit else "with gin only",
        "knocks": [f"knock:{NAMES[card]}" for card in knocks(view)] if "knock" in view.may else [],
        # throws that would cost a meld: they leave more deadwood than there is before
        "breaks": [NAMES[card] for card in each(view.may_discard) if deadwood(view.without(card)) > deadwood(view.cards)],
        "hint": hint_shown(hint(view)),
    }


def _step(view: View, text: str) -> dict[str, Any]:
    """Return the middle of the table at the moment after the opponent drew, before it threw a card or knocked."""
    threw = view.phase in (Phase.DRAW, Phase.LAST_TAKE)
    return {"text": text, **_middle(replace(view, pile=view.pile[:-1] if threw else view.pile), HELD + 1)}


def hint_shown(advice: Hint) -> dict[str, Any]:
    """Return a hint as the page shows it."""
    ranked = [{"move": one.move.name, "text": with_signs(one.words), "loss": one.loss, "half": 2 * one.se} for one in advice.ranked]
    return {"move": advice.move.name, "text": with_signs(advice.move.message), "why": with_signs(advice.why), "ranked": ranked}


def wait_shown(view: View, done: Move, opponent: str) -> dict[str, Any]:
    """Return the page's state from a move until the next question: the table as the move ``done`` left it."""
    return watch_shown(_after(view, done), opponent)


def watch_shown(view: View, opponent: str) -> dict[str, Any]:
    """Return the page's state of a hand while the opponent is to act."""
    return _table(view, opponent) | waiting(opponent) | {"did": [], "moves": {}, "throws": False, "knocks": [], "breaks": []}


def waiting(opponent: str) -> dict[str, Any]:
    """Return the page's state while the opponent is to act and nothing of the hand is known."""
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
    knock = _knock(view)
    melds = knock.own if knock else _by_length(arrange(view.cards))
    note = f"deadwood {knock.left} at best" if knock else f"deadwood {deadwood(view.cards)}"
    laid = f"deadwood {knock.deadwood}" if knock else ""
    return {
        "standing": "; ".join((_standing(view.game, view.hand, view.rules), *hand_terms(view))),
        "players": (
            _panel("You", view.score[0], view.games[0], view.rules, dealer=view.dealer, note=note),
            _panel(opponent, view.score[1], view.games[1], view.rules, dealer=not view.dealer, note=laid),
        ),
        "cards": names(view.cards),
        "orders": _orders(view.cards, melds),
        "melds": melds,
        "drawn": None if view.drawn is None else NAMES[view.drawn],
        **_middle(view, HELD if knock else DECK.bit_count() - view.cards.bit_count() - len(view.pile) - view.stock),
        "knock": knock,
    }


def _middle(view: View, held: int) -> dict[str, Any]:
    """Return the piles, and the opponent's cards, of which it holds ``held``."""
    known = names(view.opponent_holds)
    return {"pile": [NAMES[card] for card in view.pile], "stock": view.stock, "known": known, "hidden": held - len(known)}


def _standing(game: int, hand: int, rules: Rules) -> str:
    of = f", best of {rules.best_of}" if rules.best_of > 1 else ""
    return f"{hand_title(game, hand)}; first to {rules.target}{of}"


def _panel(name: str, score: int, games: int, rules: Rules, *, dealer: bool, note: str = "") -> Panel:
    won = f"{games} of {rules.games_to_win} games" if rules.best_of > 1 else ""
    return Panel(name=name, score=score, target=rules.target, games=won, dealer=dealer, note=note)


def _by_length(melds: Melds) -> tuple[Names, ...]:
    """Return the melds in notation, the longest first: then eleven cards need the fewest rows on a phone."""
    return meld_names(tuple(sorted(melds, key=int.bit_count, reverse=True)))


def _by_rank(held: Cards) -> Names:
    return tuple(NAMES[card] for card in sorted(each(held), key=lambda card: (card % 13, card)))


def _orders(held: Cards, melds: tuple[Names, ...]) -> dict[str, Names]:
    """Return the cards in each order that the page offers."""
    by_rank = _by_rank(held)
    melded = tuple(name for meld in melds for name in meld)
    return {"melds": (*melded, *(name for name in by_rank if name not in melded)), "suit": names(held), "rank": by_rank}


def _knock(view: View) -> ShownKnock | None:
    """Return the melds of an opponent who knocked, and the best defence; None if the opponent has not knocked."""
    if view.knocker is None:
        return None
    best = defence(view)
    why = [*lay_off_lines(best.lay_offs, view.knocker.melds), *filter(None, [no_lay_off(view)])]
    return ShownKnock(
        melds=_laid_melds(view.knocker.melds, best.lay_offs),
        deadwood=view.knocker.deadwood,
        own=_by_length(best.melds),
        laid_off=names(laid_cards(best.lay_offs)),
        left=best.deadwood,
        why=tuple(map(with_signs, why)),
    )


def _laid_melds(melds: Melds, lay_offs: LayOffs) -> tuple[LaidMeld, ...]:
    laid_off = [tuple(NAMES[card] for card, to in lay_offs if to == at) for at in range(len(melds))]
    return tuple(LaidMeld(names(meld), on) for meld, on in zip(melds, laid_off, strict=True))


def hand_over_shown(outcome: Outcome, opponent: str, rules: Rules) -> dict[str, Any]:
    """Return the page's state at the end of a hand: both hands laid out, and the points counted."""
    terms = score_terms(outcome, opponent, rules)
    players = zip(("You", opponent), outcome.score, outcome.games, strict=True)
    return {
        "kind": "hand_over",
        "standing": "; ".join((_standing(outcome.game, outcome.hand, rules), *_columns(outcome))),
        "players": [_panel(name, score, games, rules, dealer=False) for name, score, games in players],
        "text": ending_words(outcome, opponent, None),
        "hands": (_laid_hand(outcome, 0), _laid_hand(outcome, 1)),
        "score": CountedScore(terms, outcome.points, "you" if outcome.won else opponent) if terms else None,
    }


def _columns(outcome: Outcome) -> Iterator[str]:
    if outcome.columns:
        yield columns_in_words(outcome.columns)


def _laid_hand(outcome: Outcome, whose: int) -> LaidHand:
    """Return the cards of a player as they were laid down.

    If no melds were laid, they are arranged by the best melds, if these leave the deadwood that was counted; else all are loose.
    """
    held, left = outcome.cards[whose], outcome.deadwood[whose]
    melds = outcome.melds[whose] or (arrange(held) if deadwood(held) == left else ())
    gone = laid_cards(outcome.lay_offs) & held
    loose = held & ~union(melds) & ~gone
    laid_off = () if gone else outcome.lay_offs  # on the melds of this player, unless it laid off itself
    shown = _by_rank(loose)
    values = [str(points(parse(name))) for name in shown]
    counted = f"{' + '.join(values)} = {left}" if len(values) > 1 and points(loose) == left else str(left)
    return LaidHand(_laid_melds(melds, laid_off), shown, names(gone), counted)
