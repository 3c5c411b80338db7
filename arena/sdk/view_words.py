"""A view, and what is special about its hand, as texts."""

from collections.abc import Iterable, Iterator

from arena.gin.cards import NAMES, Cards, names
from arena.gin.melds import arrange, deadwood
from arena.gin.rules import HandTerms, Rules
from arena.gin.view import View
from arena.suggestions import capital

PHASES = {
    "upcard": "Take the upcard, or pass.",
    "first_draw": "Both passed: draw from the stock.",
    "draw": "Draw from the stock, or take the discard.",
    "discard": "Throw a card.",
    "last_take": "The stock is out: take the last discard to knock with it, or pass.",
    "last_knock": "You took the last discard: knock.",
    "lay_off": "Lay down your melds, and lay off what fits.",
}


def view_in_words(view: View) -> str:
    """Return what matters of a view and the decision to make, a line for each subject."""
    return "\n".join(filter(None, _view_lines(view)))


def _view_lines(view: View) -> Iterator[str]:
    dealt = "you dealt" if view.dealer else "the opponent dealt"
    yield f"Game {view.game + 1}, hand {view.hand + 1}; {dealt}."
    yield f"Points in this game: you {view.score[0]}, the opponent {view.score[1]}. Games won: {view.games[0]} and {view.games[1]}."
    yield f"{capital(columns_in_words(view.columns))}." if view.columns else ""
    terms = terms_in_words(view.rules, HandTerms(view.knock_limit, view.multiplier))
    yield f"In this hand {terms}." if terms else ""
    melds = arrange(view.cards)
    yield f"Your cards: {_cards(view.cards)}."
    yield f"Your melds: {', '.join(map(_cards, melds)) or 'none'}; deadwood: {deadwood(view.cards)} points."
    yield "" if view.drawn is None else _new_card(view, NAMES[view.drawn])
    yield f"Discard pile, the top last: {' '.join(NAMES[card] for card in view.pile) or 'empty'}. Cards in the stock: {view.stock}."
    yield f"The opponent holds these, which it took from the pile: {_cards(view.opponent_holds)}." if view.opponent_holds else ""
    yield f"The opponent has thrown: {_cards(view.threw[1])}." if view.threw[1] else ""
    yield f"You have thrown: {_cards(view.threw[0])}." if view.threw[0] else ""
    if view.knocker:
        yield f"The opponent laid {', '.join(map(_cards, view.knocker.melds))} and keeps {view.knocker.deadwood} points."
    no_lay_offs = view.knocker and not view.knocker.lay_offs
    yield "Lay down your melds; nothing may be laid off." if no_lay_offs else PHASES[view.phase.value]


def terms_in_words(rules: Rules, terms: HandTerms) -> str:
    """Return the limit of a knock and the multiplier of a hand; empty: they are the same in every hand. Rule: R2.5."""
    limit = f"a knock may leave at most {terms.knock_limit} points" if terms.knock_limit else "only gin may be called"
    varies = rules.limits != (terms.knock_limit,)
    return " and ".join(filter(None, [limit if varies else "", times_in_words(terms.multiplier)]))


def times_in_words(multiplier: int) -> str:
    """Return how often the points of a hand count; empty: once. Rule: R2.5."""
    if multiplier == 1:
        return ""
    return f"the points count {'twice' if multiplier == 2 else f'{multiplier} times'}"


def columns_in_words(columns: Iterable[tuple[int, int]]) -> str:
    """Return the scores of three games at once. Rule: R9.6."""
    return f"three games at once: {', '.join(f'{mine}–{theirs}' for mine, theirs in columns)}"


def _new_card(view: View, card: str) -> str:
    may_return = view.drawn is not None and view.may_discard >> view.drawn & 1
    if may_return:
        return f"The card that you got in this turn: {card}."
    return f"You took {card}, which you may not throw in this turn."


def _cards(held: Cards) -> str:
    return " ".join(names(held))
