"""What happens in a hand, in words: for terminals, the log of a table, the replay on pages, and the tables of reports.

All sentences are in the past tense, whose verbs are the same for every name and for ``you``; alternatives, which were not played,
are in the present tense.
"""

from collections.abc import Iterator

from msgspec import Struct

from arena.gin.actions import Action, Discard, Draw, Knock, LayOff, Take
from arena.gin.cards import NAMES, Card, Cards, LayOffs, Melds, names
from arena.gin.facts import Seat
from arena.gin.match import Phase
from arena.gin.melds import deadwood, is_set, union
from arena.gin.rules import HandTerms, Rules
from arena.gin.score import Ending
from arena.gin.view import Knocker, Outcome, View
from arena.records import MatchRecord, Result, points_scored
from arena.reports.numbers import count, hand_words
from arena.reports.replay_words import DEALT, DID, THROWING, laid_down, score_words
from arena.sdk.view_words import columns_in_words, terms_in_words, times_in_words
from arena.suggestions import capital

STOCK = 31  # cards, at the deal (R2.1)
ENDED_WITH = {
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

    sign: str  # +, −, or × for a hand that counts several times; empty: the first
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
    parts = [hand_title(view.game, view.hand), dealt, f"{score}, games {view.games[0]} to {view.games[1]}", *hand_terms(view)]
    return "; ".join(parts)


def hand_terms(view: View) -> Iterator[str]:
    """Yield what is special about a hand: the scores of three games at once, the limit of a knock, how often the hand counts."""
    if view.columns:
        yield columns_in_words(view.columns)
    if terms := terms_in_words(view.rules, HandTerms(view.knock_limit, view.multiplier)):
        yield terms


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
    threw_words = _knock_words(now.knocker) if now.knocker else DID["discard"].format(card=NAMES[now.upcard])
    if now.stock < (last.stock if last else STOCK):
        return [DID["draw_unseen"], threw_words]
    taken = _taken_card(last, now)  # none, if it threw one of eleven dealt cards (R3.5)
    return [DID["take"].format(card=" ".join(names(taken))), threw_words] if taken else [threw_words]


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
    ending = f"The hand ended with {ENDED_WITH[outcome.ending]}"
    if outcome.won is None:
        return f"{score_words(ending, None, 0)}."
    sum_ = _sum(outcome, rules) if rules else ""
    return f"{score_words(ending, 'you' if outcome.won else opponent, f'{sum_}{outcome.points}')}."


def _sum(outcome: Outcome, rules: Rules) -> str:
    """Return the sum behind the points, ``24 − 2 = `` or ``(24 − 2) × 2 = ``; nothing where deadwood does not count."""
    # the opponent's name stands in ``what``, which is not shown
    terms = score_terms(outcome, "", rules)
    words = [f"{term.sign} {term.points}{' bonus' if term.sign == '+' else ''}".strip() for term in terms if term.sign != "×"]
    counted = f"({' '.join(words)})" if 1 < len(words) < len(terms) else " ".join(words)
    times = f" × {outcome.multiplier}" if len(words) < len(terms) else ""
    return f"{counted}{times} = " if len(terms) > 1 else ""


def score_terms(outcome: Outcome, opponent: str, rules: Rules) -> tuple[ScoreTerm, ...]:
    """Return the terms of the points of a hand; none where there are no points, or for a fault. Rule: R5.2, R6.5 to R8.1."""
    deadwood_counts = {Ending.GIN: rules.gin_deadwood, Ending.BIG_GIN: rules.big_gin_deadwood}
    if outcome.won is None or outcome.ending is Ending.FAULT:
        return ()
    winner = 0 if outcome.won else 1
    whose = ("your deadwood", f"{opponent}'s deadwood")
    more, less = outcome.deadwood[1 - winner], outcome.deadwood[winner]
    deadwood_terms = (ScoreTerm("", more, whose[1 - winner]), ScoreTerm("−", less, whose[winner]))
    points = outcome.points // outcome.multiplier
    times = (ScoreTerm("×", outcome.multiplier, times_in_words(outcome.multiplier)),) if outcome.multiplier > 1 else ()
    if not deadwood_counts.get(outcome.ending, True):
        return (ScoreTerm("", points, BONUSES[outcome.ending]), *times)
    bonus = points - (more - less)
    named = (ScoreTerm("+" if bonus > 0 else "−", abs(bonus), BONUSES.get(outcome.ending, "bonus")),) if bonus else ()
    return (*deadwood_terms, *named, *times)


def fixture_ended(one: Result | MatchRecord) -> tuple[Seat, str]:
    """Return the seat that is named first, and what stands between its name and the other one's: ``beat``, ``drew with``.

    Only a match has a winner, or is drawn (R9.5). In a batch of single hands the points decide, whatever its winner.
    """
    scored = one.points if isinstance(one, Result) else points_scored(one)
    if one.lost:
        return 0, "did not get to play"
    if one.winner is not None:
        return one.winner, "beat"
    if one.fixture.hands is None:
        return 0, "drew with"
    return int(scored[1] > scored[0]), "scored more than" if scored[0] != scored[1] else "scored as much as"


def ended_words(one: Result | MatchRecord) -> str:
    """Return how a fixture ended, in words: ``ann beat ben``; who forfeited it is named."""
    first, did = fixture_ended(one)
    seats = one.fixture.seats
    forfeit = one.forfeit if isinstance(one, MatchRecord) else None
    because = "" if forfeit is None else f", because {seats[forfeit]} forfeited"
    return f"{seats[first]} {did} {seats[1 - first]}{because}"


def margin_words(one: Result) -> str:
    """Return the games, if a match was played, and the points, those first of the seat that ``fixture_ended`` names first."""
    first, _ = fixture_ended(one)
    games = "" if one.fixture.hands else f"{one.games[first]}–{one.games[1 - first]} in games, "
    return f"{games}{one.points[first]:,}–{one.points[1 - first]:,} points"


def match_ended(opponent: str, *, won: bool | None, games: tuple[int, int], hands: int | None = None) -> str:
    """Return the winner of the match in words; no winner, if it was drawn (R9.5), or is a batch of ``hands``."""
    if hands is not None:
        return f"The {count(hands, 'hand is', 'hands are')} over."
    message = "The match was drawn" if won is None else f"{'You' if won else opponent} won the match"
    winners, losers = reversed(games) if won is False else games
    return f"{message}, {count(winners, 'game')} to {losers}."
