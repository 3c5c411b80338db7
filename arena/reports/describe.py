"""Sentences about a hand and a match for the person who plays them, and cards as a terminal shows them."""

from collections.abc import Iterator

from msgspec import Struct

from arena.gin.actions import Action, Discard, Draw, Knock, LayOff, Take
from arena.gin.cards import NAMES, Card, Cards, LayOffs, Melds, each, names, with_signs
from arena.gin.match import Phase
from arena.gin.melds import deadwood, is_set, union
from arena.gin.rules import Rules
from arena.gin.score import Ending
from arena.gin.view import Knocker, Outcome, View
from arena.reports.numbers import count, hand_words
from arena.reports.prices import DEALT, DID, THROWING, laid_down, score_words
from arena.text import capital

STOCK = 31  # cards, at the deal (R2.1)
ENDINGS = {
    Ending.KNOCK: "a knock",
    Ending.GIN: "gin",
    Ending.BIG_GIN: "big gin",
    Ending.UNDERCUT: "an undercut",
    Ending.DEAD: "a dead hand",
    Ending.SHOWDOWN: "a showdown",
    Ending.FAULT: "a fault",
}
BONUSES = {
    Ending.GIN: "gin bonus",
    Ending.BIG_GIN: "big gin bonus",
    Ending.UNDERCUT: "undercut bonus",
    Ending.SHOWDOWN: "gin bonus",
}


class ScoreTerm(Struct, frozen=True):
    """A term of the sum that makes the points of a hand."""

    sign: str  # + or −; empty: the first
    points: int
    what: str


def match_words(rules: Rules) -> str:
    """Return the rules and the goal of a match."""
    games = f", the best of {count(rules.best_of, 'game')}" if rules.best_of > 1 else ""
    return f"Gin rummy by {rules.name} rules: first to {count(rules.target, 'point')}{games}."


def hand_title(game: int, hand: int) -> str:
    """Return a hand of a match as a title, ``Game 1, hand 3``; both are numbers from 0."""
    return capital(hand_words(f"{game}.{hand}", alone=False))


def standing(view: View, opponent: str) -> str:
    """Return the hand, who dealt it, and the score."""
    dealt = DEALT.format(name="you" if view.dealer else opponent)
    score = f"score {view.score[0]} to {view.score[1]} (first to {view.rules.target})"
    return f"{hand_title(view.game, view.hand)}; {dealt}; {score}, games {view.games[0]} to {view.games[1]}"


def you_did(view: View, action: Action) -> str:
    """Return a sentence about a person's action in a turn."""
    match action:
        case Take():
            return DID["take"].format(card=NAMES[view.upcard])
        case Draw():
            return DID["draw_unseen"]
        case Discard(card):
            return DID["discard"].format(card=NAMES[card])
        case Knock(card):
            left = deadwood(view.without(card))
            return f"{DID['knock' if left else 'gin'].format(left=left)}{THROWING.format(card=NAMES[card])}"
        case LayOff(melds, lay_offs):
            return laid_down(melds or (), lay_offs or (), view.knocker.melds if view.knocker else ())
        case _:
            return DID[action.kind]


def opponent_did(before: View | None, now: View) -> list[str]:
    """Return sentences about the opponent's visible actions since one's own last turn."""
    threw = now.threw[1] and now.phase in (Phase.DRAW, Phase.LAST_TAKE)  # then its card lies on top
    if not threw and not now.knocker:
        return []
    last = before if before and (before.game, before.hand) == (now.game, now.hand) else None
    drew = now.stock < (last.stock if last else STOCK)
    did = [DID["draw_unseen"] if drew else DID["take"].format(card=" ".join(names(_taken_card(last, now))))]
    return [*did, _knock_words(now.knocker) if now.knocker else DID["discard"].format(card=NAMES[now.upcard])]


def _taken_card(last: View | None, now: View) -> Cards:
    """Return the card that the opponent took from the pile, as a set of one.

    If it is not among the cards taken before, it is the new one there; else it is one's own last throw, taken again.
    """
    if last is None:
        return now.took[1]
    return now.took[1] & ~last.took[1] or last.cards & ~now.cards


def _knock_words(knocker: Knocker) -> str:
    if _is_big_gin(knocker):
        return DID["big_gin"]
    return DID["knock" if knocker.deadwood else "gin"].format(left=knocker.deadwood)


def _is_big_gin(knocker: Knocker) -> bool:
    """Tell whether a knock was big gin: all eleven cards are melded. Rule: R8.1."""
    return union(knocker.melds).bit_count() == 11


def lay_off_lines(lay_offs: LayOffs, table: Melds) -> Iterator[str]:
    """Yield a line for each lay-off: the card, the meld of ``table``, and the reason why it fits."""
    for card, number in lay_offs:
        yield f"{NAMES[card]} on {' '.join(names(table[number]))}: {_why_it_fits(card, table[number])}"


def _why_it_fits(card: Card, meld: Cards) -> str:
    return f"the fourth {NAMES[card][0]} of the set" if is_set(meld) else "it carries the run on"


def no_lay_off(view: View) -> str:
    """Return the reason why lay-offs are forbidden; empty: they are allowed, or the opponent has not knocked."""
    if view.knocker is None or view.knocker.lay_offs:
        return ""
    return "nothing may be laid off on big gin" if _is_big_gin(view.knocker) else "nothing may be laid off on gin"


def ending_words(outcome: Outcome, opponent: str, rules: Rules | None) -> str:
    """Return the ending of a hand in words: who scores how much, and as which sum under ``rules``; None: without the sum."""
    ending = f"The hand ended with {ENDINGS[outcome.ending]}"
    if outcome.won is None:
        return f"{score_words(ending, None, 0)}."
    sum_ = _sum(outcome, rules) if rules else ""
    return f"{score_words(ending, 'you' if outcome.won else opponent, f'{sum_}{outcome.points}')}."


def _sum(outcome: Outcome, rules: Rules) -> str:
    """Return the sum behind the points, ``24 − 2 = ``; nothing where deadwood does not count."""
    terms = [f"{term.sign} {term.points}{' bonus' if term.sign == '+' else ''}" for term in score_terms(outcome, "", rules)]
    return f"{' '.join(terms).strip()} = " if len(terms) > 1 else ""


def score_terms(outcome: Outcome, opponent: str, rules: Rules) -> tuple[ScoreTerm, ...]:
    """Return the terms of the points of a hand; none where there are no points, or for a fault. Rule: R5.2, R6.5 to R8.1."""
    counted = {Ending.GIN: rules.gin_deadwood, Ending.BIG_GIN: rules.big_gin_deadwood}
    if outcome.won is None or outcome.ending is Ending.FAULT:
        return ()
    winner = 0 if outcome.won else 1
    whose = ("your deadwood", f"{opponent}'s deadwood")
    more, less = outcome.deadwood[1 - winner], outcome.deadwood[winner]
    deadwood_terms = (ScoreTerm("", more, whose[1 - winner]), ScoreTerm("−", less, whose[winner]))
    if not counted.get(outcome.ending, True):
        return (ScoreTerm("", outcome.points, BONUSES[outcome.ending]),)
    bonus = outcome.points - (more - less)
    return (*deadwood_terms, ScoreTerm("+", bonus, BONUSES[outcome.ending])) if bonus else deadwood_terms


def match_ended(opponent: str, *, won: bool | None, games: tuple[int, int]) -> str:
    """Return the winner of the match in words; no winner, if it was drawn (R9.5)."""
    message = "The match was drawn" if won is None else f"{'You' if won else opponent} won the match"
    winners, losers = reversed(games) if won is False else games
    return f"{message}, {count(winners, 'game')} to {losers}."


# Cards as a terminal shows them, with signs of their suits; if its encoding lacks the signs, ``human/player.py`` writes letters.


def card_sign(card: Card) -> str:
    """Return a card with its suit's sign: ``7♥``."""
    return with_signs(NAMES[card])


def in_order(held: Cards) -> str:
    """Return some cards in deck order."""
    return " ".join(map(card_sign, each(held)))


def arrangement(melds: Melds, held: Cards) -> str:
    """Return melds first, then the rest, ``3♣ 4♣ 5♣ | K♦``."""
    parts = [*map(in_order, melds), in_order(held & ~union(melds))]
    return " | ".join(part for part in parts if part)
