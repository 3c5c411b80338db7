"""A best-of-N match, and a batch of single hands; each deals its next hand. Source: R2.2, R9.2."""

from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from arena.gin.deal import Deal, Deals, Seat
from arena.gin.game import Game
from arena.gin.rules import Rules
from arena.gin.score import HandResult


class Scoreline(Struct, frozen=True):
    """The score of a match before a hand."""

    game: int  # counted from 0
    hand: int  # of the game, counted from 0
    score: tuple[int, int]  # points in this game, of seat 0 and 1
    games: tuple[int, int]  # games won, of seat 0 and 1


class Contest(Protocol):
    """A match or a batch: the hands that the referee plays one after the other."""

    @property
    def winner(self) -> Seat | None:
        """Return the winner, or None."""

    @property
    def games(self) -> tuple["FinishedGame", ...]:
        """Return the games that are over."""

    @property
    def over(self) -> bool:
        """Return whether no further hand is dealt."""

    @property
    def standing(self) -> Scoreline:
        """Return the score before the next hand."""

    def deal(self) -> Deal:
        """Return the next hand's deal."""

    def add(self, result: HandResult) -> "Contest":
        """Return the contest after one more hand."""

    def concede(self, seat: Seat) -> "Contest":
        """Return the contest after ``seat`` has lost the current game."""


class FinishedGame(Struct, frozen=True):
    """A game that is over."""

    winner: Seat
    totals: tuple[int, int]  # of seat 0 and 1, bonuses included


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
        """Return whether no further hand is dealt."""
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
        return after if winner is None else after.concede(1 - winner)

    def concede(self, seat: Seat) -> "Match":
        """Return the match after ``seat`` has lost the current game, whatever the score."""
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
        return Scoreline(self.played, 0, score, (0, 0))

    @property
    def over(self) -> bool:
        """Return whether all hands are played."""
        return self.played >= self.hands

    def deal(self) -> Deal:
        """Return the next hand's deal."""
        return Deal(self.deals.deck(self.played, 0), self.deals.first_dealer(self.played))

    def add(self, _: HandResult) -> "Batch":
        """Return the batch after one more hand."""
        return replace(self, played=self.played + 1)

    def concede(self, _: Seat) -> "Batch":
        """Return the batch unchanged: every hand is a separate game, and this one is over."""
        return self
