"""A hand of a match, and the match: hands and games until it is won."""

from msgspec import Struct
from msgspec.structs import replace

from arena.gin import moves
from arena.gin.actions import Action, Kind, Laid, Phase
from arena.gin.cards import Cards, bits
from arena.gin.deal import Deal, Deals, Seat
from arena.gin.rules import Rules
from arena.gin.score import HandResult, Situation

__all__ = ["Batch", "Contest", "FinishedGame", "Game", "Hand", "Laid", "Match", "Phase", "Scoreline", "replay"]

# One hand, from the deal to its result. Source: R2-R8.
#
# A hand is an immutable value: ``hand.play(action)`` returns the next one or raises IllegalActionError. So a replay is a fold
# over the actions, and a bot can search with the referee's own engine. ``arena.gin.moves`` has the rules of each action.


class Hand(Situation, frozen=True):
    """A hand at one moment, with its legal actions."""

    @staticmethod
    def start(deal: Deal, rules: Rules) -> "Hand":
        """Deal ten cards each, the non-dealer first, and turn the upcard. Rule: R2.1, R3.5."""
        first = 1 - deal.dealer
        held = {first: bits(deal.deck[0:20:2]), deal.dealer: bits(deal.deck[1:20:2])}
        phase = Phase.UPCARD if rules.first_turn == "upcard" else Phase.DRAW
        return Hand(rules, deal.deck, deal.dealer, phase, first, (held[0], held[1]), deal.deck[20:21])

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


def replay(deal: Deal, rules: Rules, actions: tuple[Action, ...]) -> Hand:
    """Return the hand after ``actions`` from ``deal``. Raises: IllegalActionError."""
    hand = Hand.start(deal, rules)
    for action in actions:
        hand = hand.play(action)
    return hand


# Hands up to the target, then the bonuses. Source: R2.3, R9.1, R9.3, R9.4.


class Game(Struct, frozen=True):
    """A game at one moment; ``add`` gives the next."""

    dealer: Seat  # of the next hand
    hands: int = 0  # played
    score: tuple[int, int] = (0, 0)  # points of seat 0 and 1
    won: tuple[int, int] = (0, 0)  # hands, of seat 0 and 1

    def add(self, result: HandResult, rules: Rules) -> "Game":
        """Return the game after one more hand."""
        dealer = _next_dealer(self.dealer, result.winner, rules)
        if result.winner is None:
            return replace(self, dealer=dealer, hands=self.hands + 1)
        points = (result.points, 0) if result.winner == 0 else (0, result.points)
        score = (self.score[0] + points[0], self.score[1] + points[1])
        won = (self.won[0] + (result.winner == 0), self.won[1] + (result.winner == 1))
        return Game(dealer, self.hands + 1, score, won)

    def winner(self, rules: Rules) -> Seat | None:
        """Return the winner of the game, or None while no seat has reached the target. Rule: R9.1, R9.4."""
        first = self._first_to_target(rules)
        if first is None:
            return None
        zero, one = self.totals(rules)
        if rules.game_winner == "target" or zero == one:
            return first
        return 0 if zero > one else 1

    def totals(self, rules: Rules) -> tuple[int, int]:
        """Return both seats' points, with all bonuses once a seat has reached the target. Rule: R9.3.

        The game bonus goes to the seat that reached the target. A shutout doubles the total of that seat if the other won no hand.
        """
        first = self._first_to_target(rules)
        if first is None:
            return self.score
        totals = [self.score[seat] + rules.hand_bonus * self.won[seat] for seat in (0, 1)]
        totals[first] += rules.game_bonus
        if rules.shutout == "double" and self.won[1 - first] == 0:
            totals[first] *= 2
        return totals[0], totals[1]

    def _first_to_target(self, rules: Rules) -> Seat | None:
        """Return the seat that has reached the target; only one scores in a hand, so only one can. Rule: R9.1."""
        return next((seat for seat in (0, 1) if self.score[seat] >= rules.target), None)


def _next_dealer(dealer: Seat, winner: Seat | None, rules: Rules) -> Seat:
    """Return the dealer of the next hand of a game. Rule: R2.3."""
    if rules.next_dealer == "alternate":
        return 1 - dealer
    if winner is None:
        return dealer
    return winner if rules.next_dealer == "winner" else 1 - winner


class Scoreline(Struct, frozen=True):
    """The score of a match before a hand, by default before its first."""

    game: int = 0  # counted from 0
    hand: int = 0  # of the game, counted from 0
    score: tuple[int, int] = (0, 0)  # points in this game, of seat 0 and 1
    games: tuple[int, int] = (0, 0)  # games won, of seat 0 and 1


class FinishedGame(Struct, frozen=True):
    """A game that is over."""

    winner: Seat
    totals: tuple[int, int]  # of seat 0 and 1; with bonuses, unless a fault ended it before the target was reached


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
        return Match(rules, deals, Game(deals.first_dealer()))

    @property
    def standing(self) -> Scoreline:
        """Return the score before the next hand."""
        return Scoreline(len(self.games), self.game.hands, self.game.score, self.won)

    @property
    def winner(self) -> Seat | None:
        """Return the winner of the match, or None while it is in progress or if it is drawn. Rule: R9.2, R9.5."""
        if max(self.won) < self.rules.games_to_win and not self._cut_short:
            return None
        zero, one = (self.won[0], self.game.score[0]), (self.won[1], self.game.score[1])
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
        return Deal(self.deals.deck(len(self.games), self.game.hands), self.game.dealer)

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
        following = Game(self.deals.first_dealer(len(games)))
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
        return Scoreline(self.played, score=score)

    @property
    def over(self) -> bool:
        """Tell whether all hands are played."""
        return self.played >= self.hands

    def deal(self) -> Deal:
        """Return the next hand's deal."""
        return Deal(self.deals.deck(self.played, 0), self.deals.first_dealer(self.played))

    def add(self, _: HandResult) -> "Batch":
        """Return the batch after one more hand."""
        return replace(self, played=self.played + 1)

    def lose_game(self, _: Seat) -> "Batch":
        """Return the batch unchanged: every hand is a separate game, and this one is over."""
        return self


Contest = Match | Batch  # the hands that the referee plays one after the other
