"""A view, the rules and the legal moves in plain words, for a person or a language model. Source: R1 to R9."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from arena.gin.actions import PLAIN, Action, BigGin, Discard, Knock, Laid, LayOff
from arena.gin.cards import NAMES, Card, Cards, each, names
from arena.gin.melds import arrange, deadwood, defend
from arena.gin.moves import lay
from arena.gin.rules import HandTerms, Rules, upcard_limit
from arena.gin.view import View
from arena.suggestions import capital

_PLAIN = PLAIN | {"big_gin": BigGin()}
MESSAGES = {"pass": "pass", "take": "take {card}", "draw": "draw from the stock", "big_gin": "big gin: lay all eleven cards"}
PHASES = {
    "upcard": "Take the upcard, or pass.",
    "first_draw": "Both passed: draw from the stock.",
    "draw": "Draw from the stock, or take the discard.",
    "discard": "Throw a card.",
    "last_take": "The stock is out: take the last discard to knock with it, or pass.",
    "last_knock": "You took the last discard: knock.",
    "lay_off": "Lay down your melds, and lay off what fits.",
}
# numbers in words: more moves than these are rare, and each has a number in digits
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")
_BESIDE_NUMBER = re.compile(r"\b(?:the|move|option|number|no|nr)\b|#")
_SUITS = str.maketrans("♣♧♦♢♥♡♠♤", "ccddhhss")


class Move(Struct, frozen=True):
    """A legal action with a name and a description."""

    name: str  # what is typed or sent to choose it: pass, take, draw, Kd, knock:Kd, big_gin, lay_off
    action: Action
    message: str


def moves(view: View) -> dict[str, Move]:
    """Return the legal moves by name. Knocks and lay-offs are those with the best melds only (R6.2, R6.4)."""
    return {move.name: move for move in _moves(view)}


def numbered(several: Iterable[Move]) -> list[str]:
    """Return a line for each move, with its number from 1."""
    return [f"{number}. {move.name}: {move.message}" for number, move in enumerate(several, 1)]


def named(text: str, legal: Mapping[str, Move]) -> Move | None:
    """Return the move that a text means; None: it means none, or may mean several."""
    found = meant(text, legal)
    return found[0] if len(found) == 1 else None


def meant(text: str, legal: Mapping[str, Move]) -> list[Move]:
    """Return the moves that a text may mean: by name, in whatever case, by number from 1, or by description.

    ``Kd``, ``kd``, ``K♦``, ``discard Kd``, ``3``, ``#3``, ``3.0``, ``third`` and ``3. Kd`` mean one; ``knock`` may mean several.
    """
    if text in legal:
        return [legal[text]]
    several = list(legal.values())
    if number := _number(text):
        return several[number - 1 : number]
    key = _key(text)
    return [move for number, move in enumerate(several, 1) if key in set(map(_key, _forms(number, move)))]


def _number(text: str) -> int:
    """Return the number that a text is, in digits or words; 0: another text."""
    plain = _BESIDE_NUMBER.sub(" ", text.casefold()).strip(" .")
    if digits := re.fullmatch(r"([0-9]{1,3})(?:\.0+|st|nd|rd|th)?", plain):
        return int(digits[1])
    return next((words.index(plain) + 1 for words in (NUMBERS, ORDINALS) if plain in words), 0)


def _key(text: str) -> str:
    """Return the letters and digits of a text in lower case; cards are as in notation: ``10♦`` is ``td``."""
    plain = text.casefold().translate(_SUITS)
    return re.sub(r"[^a-z0-9]", "", re.sub(r"(?<![0-9])10(?=[cdhs]\b)", "t", plain))


def _forms(number: int, move: Move) -> Iterator[str]:
    """Yield the names and descriptions of a move."""
    yield from (move.name, move.message, move.message.partition(":")[0])
    yield from (f"{number}. {move.name}", f"{number}. {move.name}: {move.message}")
    match move.action:
        case Discard(card):
            yield f"discard {NAMES[card]}"
        case Knock(card):
            yield from ("knock", f"knock with {NAMES[card]}", f"knock throwing {NAMES[card]}", move.message.partition(",")[0])


def expected(legal: Mapping[str, Move]) -> str:
    """Return the numbers and names that legal moves have, for a message."""
    return f"expected a number from 1 to {len(legal)} or one of {', '.join(legal)}"


def _moves(view: View) -> Iterator[Move]:
    for kind in view.may:
        match kind:
            case "discard":
                yield from (Move(NAMES[card], Discard(card), _throws(view, card)) for card in each(view.may_discard))
            case "knock":
                yield from (Move(f"knock:{NAMES[card]}", Knock(card), _knocks(view, card)) for card in knocks(view))
            case "lay_off":
                laid = defence(view)
                yield Move("lay_off", LayOff(laid.melds, laid.lay_offs), f"lay down: {laid.deadwood} points left")
            case _:
                yield Move(kind, _PLAIN[kind], MESSAGES[kind].format(card=NAMES[view.upcard] if kind == "take" else ""))


def knocks(view: View) -> list[Card]:
    """Return the cards that may be discarded with a knock, by the deadwood that is left, lowest first. Rule: R6.1."""
    return sorted(each(view.may_knock), key=lambda card: (deadwood(view.without(card)), card))


def _throws(view: View, card: Card) -> str:
    return f"throw {NAMES[card]}: {deadwood(view.without(card))} points of deadwood"


def _knocks(view: View, card: Card) -> str:
    left = deadwood(view.without(card))
    return f"gin, throwing {NAMES[card]}" if left == 0 else f"knock with {left}, throwing {NAMES[card]}"


def defence(view: View) -> Laid:
    """Return the melds and lay-offs that leave the defender the fewest points. Rule: R6.4."""
    table = view.knocker.melds if view.knocker and view.knocker.lay_offs else ()
    return lay(view.cards, *defend(view.cards, table))


# The view and the rules as texts.


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


def rules_in_words(rules: Rules) -> str:
    """Return the rules in force that matter most for a player's decisions, a line for each subject."""
    return "\n".join(filter(None, _rule_lines(rules)))


def _rule_lines(rules: Rules) -> Iterator[str]:
    yield (
        "Gin rummy for two. A card is its rank, A23456789TJQK, and its suit, c d h s. Each player holds ten cards. A meld is three"
        " or four cards of one rank, or three or more in sequence in one suit; the ace is low. A card is in one meld only. Cards in"
        " no meld are deadwood: an ace is 1 point, J, Q and K are 10, others their number."
    )
    yield "In a turn you draw from the stock or take the top of the discard pile, and then throw a card."
    if rules.first_turn == "eleven":
        yield "The player who does not deal gets eleven cards and throws one first; no upcard is turned."
    yield "" if rules.return_taken else "A card taken from the discard pile may not be thrown in the same turn."
    yield _knocking(rules)
    yield _bonuses(rules)
    yield (
        "If the upcard that is turned at the deal is a spade, the points of the hand count twice."
        if rules.double == "spades"
        else ""
    )
    yield _stock_out(rules)
    yield _goal(rules)


def _knocking(rules: Rules) -> str:
    if rules.limits == (0,):
        return "You may not knock with deadwood: only gin ends a hand before the stock is out."
    return (
        f"Instead of throwing a card openly you may knock with it, if the other ten leave at most {_limit(rules)} of"
        " deadwood. The opponent then lays its melds and lays off on yours what fits. You score the difference of deadwood."
        f" If the opponent's is less{' or equal' if rules.tie == 'undercut' else ''}, it has undercut you: it scores the difference"
        f" and {rules.undercut_bonus} points more{_tie(rules)}."
    )


def _limit(rules: Rules) -> str:
    """Return the limit of a knock in words. Rule: R6.1, R6.7."""
    if len(rules.limits) == 1:
        return f"{rules.limits[0]} points"
    if rules.limits == tuple(sorted({upcard_limit(card, rules.ace) for card in range(13)})):
        ace = "an ace allows only gin" if rules.ace == "gin" else "an ace is 1"
        return f"as many points as the upcard that is turned at the deal is worth ({ace})"
    return f"{rules.limits[-1]} points, or fewer if the hand says so,"


def _tie(rules: Rules) -> str:
    if rules.tie == "nothing":
        return "; if both are equal, there are no points"
    return "" if rules.tie_bonus is None else f", or {rules.tie_bonus} if both are equal"


def _bonuses(rules: Rules) -> str:
    theirs = "the opponent's deadwood and "
    gin = f"No deadwood after the throw is gin: it scores {theirs if rules.gin_deadwood else ''}{rules.gin_bonus} points"
    gin += ", after lay-offs." if rules.layoff_on_gin else ", and nothing may be laid off on it."
    if not rules.plays_big_gin:
        return gin
    more = theirs if rules.big_gin_deadwood else ""
    return f"{gin} All eleven cards in melds are big gin: {more}{rules.big_gin_bonus} points, without a throw."


def _stock_out(rules: Rules) -> str:
    end = {
        "dead": "the hand is dead: no points",
        "showdown": "both lay their melds, and the lower deadwood scores the difference",
        "last_take": "the other player may take that card to knock with it at once; otherwise there are no points",
    }
    return f"When two cards are left in the stock after a throw, {end[rules.stock_out]}."


def _goal(rules: Rules) -> str:
    by_total = rules.game_winner == "total"
    match = f", and a match is the best of {rules.best_of} games" if rules.best_of > 1 else ""
    goal = f"The first to reach {rules.target} points ends the game{'' if by_total or rules.hollywood else ' and wins it'}{match}."
    last = "The higher total wins the game." if by_total and not rules.hollywood else ""
    return " ".join(filter(None, (goal, *_game_bonuses(rules), _shutout(rules), _hollywood(rules), last)))


def _game_bonuses(rules: Rules) -> Iterator[str]:
    """Rule: R9.3."""
    hands = f"{rules.hand_bonus} points for each hand won" if rules.hand_bonus else ""
    at_once = rules.hand_bonus_added == "at_once"
    game = f"{rules.game_bonus} points for reaching {rules.target} first" if rules.game_bonus else ""
    bonuses = " and ".join(filter(None, ("" if at_once else hands, game)))
    yield f"Then {bonuses} are added." if bonuses else ""
    yield f"{capital(hands)} are added at once." if hands and at_once else ""


def _shutout(rules: Rules) -> str:
    """Rule: R9.3."""
    if isinstance(rules.shutout, int):
        return f"That player gets {rules.shutout} points more if the other has won no hand." if rules.shutout else ""
    what = {
        "double": "The total of that player counts",
        "hands": "The hands of that player count",
        "bonus": "The bonus for the game counts",
    }
    return f"{what[rules.shutout]} twice if the other has won no hand." if rules.shutout in what else ""


def _hollywood(rules: Rules) -> str:
    """Rule: R9.6."""
    if not rules.hollywood:
        return ""
    wins = "the higher sum of their totals wins" if rules.game_winner == "total" else "who has ended more of them wins"
    return (
        "Three games are played at once: the first hand that a player wins counts in the first, the second in the first two, every"
        f" later one in all three, as far as they are not over. When all three are over, {wins}."
    )
