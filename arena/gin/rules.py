"""The options of the rules, and the functions of them that a ruleset may override. Source: R1-R9.

A ruleset must repeat a field's type with its new default. Without the type, msgspec treats the line as a class attribute that
hides the field, and a value from a spec has no effect. ``arena.plugins.held_parts`` refuses such a class.

Four functions decide what a ruleset may decide otherwise: ``terms`` of a hand, its ``score``, and of a game ``ended_by`` and
``totals``. They are pure. Everything else asks them through the functions below the class, which check what a plugin returned.
"""

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.json import encode
from msgspec.structs import replace

from arena.errors import PluginError
from arena.gin.cards import VALUES, Card
from arena.gin.facts import GameScore, HandFacts, Seat
from arena.gin.score import Ending, HandResult, Showdown

MOST_DEADWOOD = 100  # the largest limit of a knock, in points; ten cards have no more (R1.2), so every knock is legal with it
MOST_MULTIPLIER = 100
MOST_POINTS = 10_000  # of a bonus
SPADES: Final = range(39, 52)

Deadwood = Annotated[int, Meta(ge=0, le=MOST_DEADWOOD)]
Points = Annotated[int, Meta(ge=0, le=MOST_POINTS)]
Target = Annotated[int, Meta(ge=1, le=100_000)]
Games = Annotated[int, Meta(ge=1, le=99)]
KnockLimit = Deadwood | Literal["upcard"]
Ace = Literal["gin", "one"]
Double = Literal["none", "spades"]
Hands = Annotated[int, Meta(ge=1, le=1_000_000)]
Takes = Annotated[int, Meta(ge=1, le=1000)]
Tie = Literal["undercut", "nothing"]
FirstTurn = Literal["upcard", "draw", "eleven"]
AfterTwoPasses = Literal["stock", "any"]
Stock = Literal["top", "two-ended"]
StockOut = Literal["dead", "showdown", "last_take"]
NextDealer = Literal["alternate", "loser", "winner"]
HandBonusAdded = Literal["end", "at_once"]
Shutout = Points | Literal["none", "double", "hands", "bonus"]
GameWinner = Literal["target", "total"]


class HandTerms(Struct, frozen=True):
    """What the rules may set for each hand (R2.5)."""

    knock_limit: int  # points of deadwood that a knock may leave, at most; 0: gin only
    multiplier: int = 1  # the points of the hand count so many times


class Rules(Struct, frozen=True, kw_only=True, tag_field="name", tag="tournament", forbid_unknown_fields=True, omit_defaults=False):
    """The options; the defaults are the ``tournament`` ruleset: 250 points, best of five (S0, S2)."""

    target: Target = 250  # R9.1: points
    best_of: Games = 5  # R9.2: games; an odd number
    knock_limit: KnockLimit = 10  # R6.1: points of deadwood; upcard: its value (R6.7)
    ace: Ace = "gin"  # R6.7: the limit by an ace: gin only, or one point
    gin_bonus: Points = 25  # R7.1
    undercut_bonus: Points = 25  # R6.6
    tie: Tie = "undercut"  # R6.6: the result of equal deadwood
    tie_bonus: Points | None = None  # R6.6: None: the undercut bonus
    big_gin_bonus: Points | None = 31  # R8.1: None: big gin is not played
    gin_deadwood: bool = True  # R7.1: gin scores the defender's deadwood too
    big_gin_deadwood: bool = True  # R8.1: big gin scores the defender's deadwood too
    double: Double = "none"  # R2.6: a hand whose upcard is a spade counts twice
    layoff_on_gin: bool = False  # R7.2
    return_taken: bool = False  # R4.3: a card taken from the discard pile may be discarded in the same turn
    first_turn: FirstTurn = "upcard"  # R3.5
    after_two_passes: AfterTwoPasses = "stock"  # R3.3
    stock: Stock = "top"  # R2.4
    stock_out: StockOut = "dead"  # R5.2
    max_takes: Takes = 50  # R5.3: takes after which the next discard makes a hand dead
    next_dealer: NextDealer = "alternate"  # R2.3
    game_bonus: Points = 0  # R9.3: to the seat that reached the target
    hand_bonus: Points = 0  # R9.3: for every hand won
    hand_bonus_added: HandBonusAdded = "end"  # R9.3: or with each hand, so that it counts towards the target
    shutout: Shutout = "none"  # R9.3: what the seat that reached the target gets if the other won no hand
    game_winner: GameWinner = "target"  # R9.4
    hollywood: bool = False  # R9.6: three games at once
    max_hands: Hands = 1000  # R9.5: hands after which a match is over

    def __post_init__(self) -> None:
        """Raise ValueError if a match has an even number of games, or an option needs an upcard and none is turned."""
        if self.best_of % 2 == 0:
            raise ValueError(f"best_of: {self.best_of} can end in a tie; expected an odd number")
        if self.first_turn == "eleven" and (self.knock_limit == "upcard" or self.double == "spades"):
            needs = "knock_limit: upcard" if self.knock_limit == "upcard" else "double: spades"
            raise ValueError(f"first_turn: found 'eleven', which turns no upcard; expected upcard or draw with {needs}")

    @property
    def name(self) -> str:
        """Return the name of the ruleset."""
        return str(type(self).__struct_config__.tag)

    @property
    def text(self) -> str:
        """Return these rules as a spec has them: their name, or a mapping with the options that differ from the ruleset's."""
        return self.text_beside(type(self)())

    def text_beside(self, usual: "Rules") -> str:
        """Return these rules as a spec has them, with the options that differ from others of the same ruleset."""
        changed = {field: value for field in self.__struct_fields__ if (value := getattr(self, field)) != getattr(usual, field)}
        options = (f"{field}: {encode(value).decode()}" for field, value in changed.items())
        return f"{{{', '.join((f'name: {self.name}', *options))}}}" if changed else self.name

    @property
    def games_to_win(self) -> int:
        """Return the number of games that win a match. Rule: R9.2."""
        return games_to_win(self.best_of)

    @property
    def plays_big_gin(self) -> bool:
        """Tell whether big gin can be declared. Rule: R8.1."""
        return self.big_gin_bonus is not None

    @property
    def limits(self) -> tuple[int, ...]:
        """Return the limits of knocks that hands can have, ascending, as far as they do not depend on the score. Rule: R6.1."""
        return tuple(sorted({terms.knock_limit for terms in possible_terms(self)}))

    @property
    def most_multiplier(self) -> int:
        """Return the largest multiplier that a hand can have, as far as it does not depend on the score. Rule: R2.5."""
        return max(terms.multiplier for terms in possible_terms(self))

    # What a ruleset may override.

    def terms(self, facts: HandFacts) -> HandTerms:
        """Return the terms of a hand. Rule: R2.5, R2.6, R6.1, R6.7."""
        limit = upcard_limit(facts.upcard, self.ace) if self.knock_limit == "upcard" else self.knock_limit
        return HandTerms(limit, 2 if self.double == "spades" and facts.upcard in SPADES else 1)

    def score(self, show: Showdown) -> HandResult:
        """Return the result of a hand whose melds are laid, before its points are multiplied. Rule: R5.2, R6.5-R8.1."""
        defender_deadwood = show.deadwood[1 - show.caller]
        match show.called:
            case Ending.SHOWDOWN:
                return self._compare(show)
            case Ending.GIN:
                extra = defender_deadwood if self.gin_deadwood else 0
                return HandResult(Ending.GIN, show.caller, self.gin_bonus + extra, show.deadwood)
            case Ending.BIG_GIN:
                extra = defender_deadwood if self.big_gin_deadwood else 0
                return HandResult(Ending.BIG_GIN, show.caller, (self.big_gin_bonus or 0) + extra, show.deadwood)
            case _:
                return self._knock(show)

    def ended_by(self, game: GameScore) -> Seat | None:
        """Return the seat that has ended a game by reaching the target; only one scores in a hand, so only one can. Rule: R9.1."""
        zero, one = game.points
        return 0 if zero >= self.target else 1 if one >= self.target else None

    def totals(self, game: GameScore, ended_by: Seat) -> tuple[int, int]:
        """Return both seats' points with all bonuses, once ``ended_by`` has ended the game. Rule: R9.3."""
        bonuses = self.hand_bonus * game.won[0], self.hand_bonus * game.won[1]
        added = bonuses if self.hand_bonus_added == "end" else (0, 0)
        totals = [game.points[seat] + added[seat] for seat in (0, 1)]
        totals[ended_by] += self.game_bonus
        if game.won[1 - ended_by] == 0:
            of_hands = game.points[ended_by] + added[ended_by] - bonuses[ended_by]
            totals[ended_by] += self._shutout(of_hands, totals[ended_by])
        return totals[0], totals[1]

    # How the options decide.

    def _knock(self, show: Showdown) -> HandResult:
        """Score the difference to the knocker, or to the defender after an undercut. Rule: R6.5, R6.6."""
        margin = show.deadwood[1 - show.caller] - show.deadwood[show.caller]
        if margin > 0:
            return HandResult(Ending.KNOCK, show.caller, margin, show.deadwood)
        if margin < 0:
            return HandResult(Ending.UNDERCUT, 1 - show.caller, self.undercut_bonus - margin, show.deadwood)
        if self.tie == "nothing":
            return HandResult(Ending.KNOCK, None, 0, show.deadwood)
        bonus = self.undercut_bonus if self.tie_bonus is None else self.tie_bonus
        return HandResult(Ending.UNDERCUT, 1 - show.caller, bonus, show.deadwood)

    def _compare(self, show: Showdown) -> HandResult:
        """Score the difference to the seat with less deadwood, plus the gin bonus if its deadwood is 0. Rule: R5.2."""
        zero, one = show.deadwood
        if zero == one:
            return HandResult(Ending.SHOWDOWN, None, 0, show.deadwood)
        winner = 0 if zero < one else 1
        bonus = 0 if show.deadwood[winner] else self.gin_bonus
        return HandResult(Ending.SHOWDOWN, winner, abs(zero - one) + bonus, show.deadwood)

    def _shutout(self, of_hands: int, total: int) -> int:
        """Return the points for a shutout; ``of_hands`` are those of the hands alone. Rule: R9.3."""
        if isinstance(self.shutout, int):
            return self.shutout
        return {"none": 0, "double": total, "hands": of_hands, "bonus": self.game_bonus}[self.shutout]


def games_to_win(best_of: int) -> int:
    """Return the number of games that win a match of the best of ``best_of``. Rule: R9.2."""
    return best_of // 2 + 1


def upcard_limit(upcard: Card | None, ace: Ace) -> int:
    """Return the limit of a knock by the value of the upcard. Rule: R6.7."""
    assert upcard is not None  # rules without an upcard are refused when they are made
    value = VALUES[upcard]
    return 0 if value == 1 and ace == "gin" else value


# What everything else asks: the functions of a ruleset, with checks of what the types of their values do not say.


def terms_of(rules: Rules, facts: HandFacts) -> HandTerms:
    """Return the terms of a hand. Raises: PluginError, if they are impossible. Rule: R2.5."""
    terms = rules.terms(facts)
    if not _is_whole(terms.knock_limit, 0, MOST_DEADWOOD):
        raise _wrong(rules, "terms", terms, f"a knock_limit from 0 to {MOST_DEADWOOD}")
    if not _is_whole(terms.multiplier, 1, MOST_MULTIPLIER):
        raise _wrong(rules, "terms", terms, f"a multiplier from 1 to {MOST_MULTIPLIER}")
    return terms


def possible_terms(rules: Rules) -> tuple[HandTerms, ...]:
    """Return the terms that hands can have at the beginning of a match, by all upcards and dealers; each once."""
    return tuple(dict.fromkeys(terms_of(rules, facts) for facts in possible_facts(rules)))


def possible_facts(rules: Rules) -> Iterable[HandFacts]:
    """Yield the facts that hands can have at the beginning of a match."""
    upcards = [None] if rules.first_turn == "eleven" else range(52)
    return (HandFacts(dealer, upcard) for dealer in (0, 1) for upcard in upcards)


def result_of(rules: Rules, show: Showdown, terms: HandTerms) -> HandResult:
    """Return the result of a hand whose melds are laid. Raises: PluginError, if it is impossible. Rule: R2.5, R5.2, R6.5-R8.1."""
    result = base_result(rules, show)
    return result if terms.multiplier == 1 else replace(result, points=result.points * terms.multiplier)


def base_result(rules: Rules, show: Showdown) -> HandResult:
    """Return the result of a hand before its points are multiplied. Raises: PluginError, if it is impossible."""
    result = rules.score(show)
    if result.winner not in {None, 0, 1} or result.deadwood != show.deadwood:
        raise _wrong(rules, "score", result, f"the winner None, 0 or 1, and the deadwood {show.deadwood}")
    most = 2 * MOST_POINTS if result.winner is not None else 0
    if not _is_whole(result.points, 0, most):
        raise _wrong(rules, "score", result, f"points from 0 to {most}")
    return result


def end_of(rules: Rules, game: GameScore) -> Seat | None:
    """Return the seat that has ended a game, or None. Raises: PluginError, if it is impossible. Rule: R9.1."""
    seat = rules.ended_by(game)
    if seat not in {None, 0, 1}:
        raise _wrong(rules, "ended_by", seat, "None, 0 or 1")
    return seat


def totals_of(rules: Rules, game: GameScore) -> tuple[int, int]:
    """Return both seats' points in a game, with all bonuses once it is over. Raises: PluginError. Rule: R9.3."""
    seat = end_of(rules, game)
    if seat is None:
        return game.points
    totals = rules.totals(game, seat)
    if not all(_is_whole(points, 0, 1 << 40) for points in totals):
        raise _wrong(rules, "totals", totals, "whole numbers from 0 on")
    return totals


def _is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _wrong(rules: Rules, function: str, found: object, expected: str) -> PluginError:
    return PluginError(f"ruleset {rules.name!r}: {function}() returned {found!r:.200}; expected {expected}")
