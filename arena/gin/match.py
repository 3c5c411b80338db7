"""A hand of a match, and the match: hands and games until it is won."""

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from arena.gin import moves
from arena.gin.actions import Action, Kind, Laid, Phase
from arena.gin.cards import Cards, bits
from arena.gin.deal import Deal, Deals
from arena.gin.facts import GameScore, HandFacts, Scoreline, Seat, SeatNumber, Total
from arena.gin.rules import Rules, end_of, terms_of, totals_of
from arena.gin.score import HandResult
from arena.gin.situation import Situation

__all__ = ["Batch", "Contest", "FinishedGame", "Game", "Hand", "Laid", "Match", "Phase", "Scoreline", "replay", "walk"]

_FIRST_PHASES = {"upcard": Phase.UPCARD, "draw": Phase.DRAW, "eleven": Phase.DISCARD}  # by ``first_turn`` (R3.5)

# One hand, from the deal to its result. Source: R2-R8.
#
# A hand is an immutable value: ``hand.play(action)`` returns the next one or raises IllegalActionError. So a replay is a fold
# over the actions, and a bot can search with the referee's own engine. ``arena.gin.moves`` has the rules of each action.


class Hand(Situation, frozen=True):
    """A hand at one moment, with its legal actions."""

    @staticmethod
    def start(deal: Deal, rules: Rules) -> "Hand":
        """Deal ten cards each, the non-dealer first, and turn the upcard, or deal it to the non-dealer. Rule: R2.1, R3.5."""
        dealer, first = deal.dealer, 1 - deal.dealer
        upcards = deal.deck[20:21] if rules.first_turn != "eleven" else ()
        held = bits(deal.deck[0:20:2] if upcards else deal.deck[0:21:2]), bits(deal.deck[1:20:2])
        facts = HandFacts(dealer, upcards[0] if upcards else None, deal.before)
        phase = _FIRST_PHASES[rules.first_turn]
        cards = held if first == 0 else (held[1], held[0])
        return Hand(rules, facts, terms_of(rules, facts), deal.deck, phase, first, cards, upcards)

    @property
    def stock(self) -> int:
        """Return the number of cards in the stock."""
        return self.bottom - self.top

    def play(self, action: Action) -> "Hand":
        """Return the hand after ``action`` of the acting seat. Raises: IllegalActionError, with the clause."""
        return moves.play(self, action)

    def may(self) -> tuple[Kind, ...]:
        """Return the kinds of action that are legal now, each for at least one card."""
        return moves.may(self)

    def may_discard(self) -> Cards:
        """Return the cards that may be discarded, openly or with a knock, in phases DISCARD and LAST_KNOCK. Rule: R4.2, R4.3."""
        return moves.may_discard(self)


def walk(deal: Deal, rules: Rules, actions: Iterable[Action]) -> Iterator[Hand]:
    """Yield a hand as it was dealt, then after each action. Raises: IllegalActionError, after the states before that action."""
    return accumulate(actions, moves.play, initial=Hand.start(deal, rules))


def replay(deal: Deal, rules: Rules, actions: Iterable[Action]) -> Hand:
    """Return the hand after ``actions`` from ``deal``. Raises: IllegalActionError."""
    return reduce(moves.play, actions, Hand.start(deal, rules))


# Hands up to the target, then the bonuses. Source: R2.3, R9.1, R9.3, R9.4, R9.6.


class Game(Struct, frozen=True):
    """A game at one moment, or three games at once (R9.6); ``add`` gives the next."""

    dealer: Seat  # of the next hand
    hands: int = 0  # played
    columns: tuple[GameScore, ...] = (GameScore(),)  # one, or those of three games at once

    @staticmethod
    def start(dealer: Seat, rules: Rules, score: tuple[int, int] = (0, 0)) -> "Game":
        """Return a game before its first hand; with a ``score``, as in the middle of it."""
        return Game(dealer, columns=(GameScore(score), *[GameScore()] * (2 if rules.hollywood else 0)))

    def add(self, result: HandResult, rules: Rules) -> "Game":
        """Return the game after one more hand."""
        dealer = _next_dealer(self.dealer, result.winner, rules)
        return Game(dealer, self.hands + 1, tuple(_add_hand(self.columns, result, rules)))

    def standing(self, number: int, won: tuple[int, int], rules: Rules) -> Scoreline:
        """Return the score before the next hand of the game with a ``number``; ``won`` are the games of the match."""
        if len(self.columns) == 1:
            return Scoreline(number, self.hands, self.columns[0].points, won)
        current = next((column for column in self.columns if end_of(rules, column) is None), self.columns[-1])
        return Scoreline(number, self.hands, current.points, won, self.columns)

    def winner(self, rules: Rules) -> Seat | None:
        """Return the winner, or None while a game is not over. Rule: R9.1, R9.4, R9.6."""
        ended_by = [end_of(rules, column) for column in self.columns]
        if None in ended_by:
            return None
        zero, one = self.totals(rules)
        by_games = 0 if ended_by.count(0) > ended_by.count(1) else 1
        if rules.game_winner == "target" or zero == one:
            return by_games
        return 0 if zero > one else 1

    def totals(self, rules: Rules) -> tuple[int, int]:
        """Return both seats' points, with the bonuses of a game that is over; of three at once their sums. Rule: R9.3, R9.6."""
        zero, one = zip(*(totals_of(rules, column) for column in self.columns), strict=True)
        return sum(zero), sum(one)


def _add_hand(columns: Sequence[GameScore], result: HandResult, rules: Rules) -> Iterator[GameScore]:
    """Yield the games after one more hand: it counts where its winner has one already, and in the next game. Rule: R9.6."""
    is_first = True
    for column in columns:
        if end_of(rules, column) is not None:
            yield column
        elif result.winner is None or not (column.won[result.winner] or is_first):
            yield GameScore(column.points, column.won, column.hands + 1)
        else:
            is_first = is_first and column.won[result.winner] > 0
            yield _with_hand(column, result.winner, result.points, rules)


def _with_hand(column: GameScore, winner: Seat, points: int, rules: Rules) -> GameScore:
    """Return a game in which one more hand counts. Rule: R9.1, R9.3."""
    scored = points + (rules.hand_bonus if rules.hand_bonus_added == "at_once" else 0)
    zero, one = column.points
    won = (column.won[0] + (winner == 0), column.won[1] + (winner == 1))
    return GameScore((zero + scored, one) if winner == 0 else (zero, one + scored), won, column.hands + 1)


def after_hand(before: Scoreline, result: HandResult, rules: Rules) -> Scoreline:
    """Return the score of a game with one more hand; the numbers of game and hand, and the games won, are those before it."""
    columns = tuple(_add_hand(before.columns or (GameScore(before.score),), result, rules))
    return Game(0, before.hand, columns).standing(before.game, before.games, rules)


def _next_dealer(dealer: Seat, winner: Seat | None, rules: Rules) -> Seat:
    """Return the dealer of the next hand of a game. Rule: R2.3."""
    if rules.next_dealer == "alternate":
        return 1 - dealer
    if winner is None:
        return dealer
    return winner if rules.next_dealer == "winner" else 1 - winner


class FinishedGame(Struct, frozen=True, gc=False):
    """A game that is over."""

    winner: SeatNumber
    totals: tuple[Total, Total]  # of seat 0 and 1; with bonuses, unless a fault ended it before the target was reached


class Match(Struct, frozen=True):
    """A best-of-N match at one moment; ``add`` gives the next."""

    rules: Rules
    deals: Deals
    game: Game
    games: tuple[FinishedGame, ...] = ()
    won: tuple[int, int] = (0, 0)  # games, of seat 0 and 1
    hands: int = 0  # played

    @staticmethod
    def start(rules: Rules, deals: Deals) -> "Match":
        """Return a match before its first hand. Rule: R2.2."""
        return Match(rules, deals, Game.start(deals.first_dealer(), rules))

    @property
    def standing(self) -> Scoreline:
        """Return the score before the next hand."""
        return self.game.standing(len(self.games), self.won, self.rules)

    @property
    def winner(self) -> Seat | None:
        """Return the winner of the match, or None while it is in progress or if it is drawn. Rule: R9.2, R9.5."""
        if max(self.won) < self.rules.games_to_win and not self._cut_short:
            return None
        points = self.game.totals(self.rules)
        zero, one = (self.won[0], points[0]), (self.won[1], points[1])
        return None if zero == one else 0 if zero > one else 1

    @property
    def over(self) -> bool:
        """Tell whether no further hand is dealt."""
        return self.winner is not None or self._cut_short

    @property
    def _cut_short(self) -> bool:
        """Rule: R9.5."""
        return self.hands >= self.rules.max_hands

    def deal(self) -> Deal:
        """Return the next hand's deal. Rule: R2.1-R2.3."""
        return Deal(self.deals.deck(len(self.games), self.game.hands), self.game.dealer, self.standing)

    def add(self, result: HandResult) -> "Match":
        """Return the match after one more hand; the games alternate the first dealer. Rule: R2.2."""
        game = self.game.add(result, self.rules)
        winner = game.winner(self.rules)
        after = replace(self, game=game, hands=self.hands + 1)
        return after if winner is None else after.lose_game(1 - winner)

    def lose_game(self, seat: Seat) -> "Match":
        """Return the match after ``seat`` has lost the current game, by the score or by a fault."""
        games = (*self.games, FinishedGame(1 - seat, self.game.totals(self.rules)))
        won = (self.won[0] + (seat == 1), self.won[1] + (seat == 0))
        following = Game.start(self.deals.first_dealer(len(games)), self.rules)
        return replace(self, game=following, games=games, won=won)


class Batch(Struct, frozen=True):
    """A fixed number of single hands with alternating dealers, used to measure strength."""

    rules: Rules
    deals: Deals
    hands: int
    scored: bool = False  # each hand begins at a score drawn from the deals' key, as in mid-game; False: at 0-0
    played: int = 0
    games: tuple[FinishedGame, ...] = ()  # always empty: single hands belong to no game
    winner: None = None  # always: a batch has no winner

    @property
    def standing(self) -> Scoreline:
        """Return a score in which every hand is a separate game."""
        score = self.deals.score(self.played, self.rules.target) if self.scored else (0, 0)
        return Game.start(0, self.rules, score).standing(self.played, (0, 0), self.rules)

    @property
    def over(self) -> bool:
        """Tell whether all hands are played."""
        return self.played >= self.hands

    def deal(self) -> Deal:
        """Return the next hand's deal."""
        return Deal(self.deals.deck(self.played, 0), self.deals.first_dealer(self.played), self.standing)

    def add(self, _: HandResult) -> "Batch":
        """Return the batch after one more hand."""
        return replace(self, played=self.played + 1)

    def lose_game(self, _: Seat) -> "Batch":
        """Return the batch unchanged: every hand is a separate game, and this one is over."""
        return self


Contest = Match | Batch  # the hands that the referee plays one after the other
