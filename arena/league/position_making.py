"""Makes a set of positions that tell policies apart."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from arena.gin.actions import Action, Discard, write_actions
from arena.gin.deal import Deals
from arena.gin.facts import Seat
from arena.gin.match import Batch, Hand, Phase
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.league import leagues
from arena.league.position_answers import action_word
from arena.league.positions import ID, POSITIONS_FILE, PositionSet, StoredHand, StoredSet, load, read, text
from arena.sdk import Bot, Card, deadwood, each
from arena.sdk.odds import danger, expected, turn
from arena.tournament.seeds import random_seed

TRIED, HANDS, MOST = 64, 20, 400  # hands that are played; those that are chosen; positions that are chosen in them
ENOUGH = 20  # positions that separate two policies, after which a hand is chosen for others
KNOCKS = 0.15  # probability that a knock is played


def load_or_make(league: Path, rules: Rules) -> PositionSet:
    """Return the set of a league; without one, a new set, which is stored. Raises: StoreError."""
    if known := load(league, rules):
        return known
    made = make(rules)
    leagues.write_private(league / POSITIONS_FILE, text(made))
    return made


class NeverTakes(Bot):
    """Draws from the stock whenever it may."""

    def wants(self, view: View) -> bool:
        """Refuse every upcard."""
        del view
        return False


class TakesMore(Bot):
    """Takes a card that is hardly useful."""

    def wants(self, view: View) -> bool:
        """Take a card that costs less than five points."""
        return deadwood(view.cards | 1 << view.upcard) < deadwood(view.cards) + 5


class NeverKnocks(Bot):
    """Waits for gin."""

    def knocks(self, view: View, left: int) -> bool:
        """Wait."""
        del view, left
        return False


class KnocksLow(Bot):
    """Knocks with little deadwood."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock with five points or less."""
        del view
        return left <= 5


class KnocksEarly(Bot):
    """Knocks early or never."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock in the first three turns."""
        del left
        return turn(view) < 3


class KnocksToWin(KnocksEarly):
    """Knocks late only to win the game."""

    def knocks(self, view: View, left: int) -> bool:
        """Knock as early, or if ten points more win the game."""
        return super().knocks(view, left) or view.score[0] + 10 - left >= view.rules.target


class LooksAhead(Bot):
    """Throws for the next draw, and against the opponent."""

    def throws(self, view: View) -> Card:
        """Discard the card with the lowest sum of expected deadwood and danger."""
        return min(each(view.may_discard), key=lambda card: expected(view, card) + 2 * danger(view, card))


class Hopes(Bot):
    """Throws for its best draws."""

    def throws(self, view: View) -> Card:
        """Discard as for the seven best draws."""
        return min(each(view.may_discard), key=lambda card: expected(view, card, draws=7) + 2 * danger(view, card))


POLICIES: Sequence[type[Bot]] = (
    *(Bot, NeverTakes, TakesMore, NeverKnocks, KnocksLow, KnocksEarly, KnocksToWin),
    *(LooksAhead, Hopes),
)
PAIRS = tuple(combinations(range(len(POLICIES)), 2))
Separations = NDArray[np.float64]  # a row for each decision: for each pair of policies 1 where they answer differently, else 0


class _PlayedHand(Struct, frozen=True):
    """A hand, and its decisions but laying off."""

    hand: StoredHand
    places: list[tuple[Seat, int]]  # seat and turn
    separates: Separations


def make(rules: Rules, seed: str = "") -> PositionSet:
    """Return a new set; ``seed``: empty: a random one. It takes about a second."""
    secret = seed or random_seed()
    batch = Batch(rules, Deals(seed=secret, key=ID), TRIED, scored=True)
    played = [_play(replace(batch, played=number), Random(f"{secret}/{number}")) for number in range(TRIED)]  # noqa: S311 - the seed is secret
    chosen = [played[number] for number in _choose_hands(played)]
    places = [(seat, number, turn) for number, one in enumerate(chosen) for seat, turn in one.places]
    kept = _choose_places(np.concatenate([one.separates for one in chosen]))
    return read(StoredSet(tuple(one.hand for one in chosen), tuple(sorted(places[place] for place in kept))), rules)


def _play(batch: Batch, chance: Random) -> _PlayedHand:
    """Return a hand in which a random policy answers at each turn."""
    deal, before = batch.deal(), batch.standing
    policies = [[policy(ID) for policy in POLICIES] for _ in (0, 1)]
    hand, actions, places, separates = Hand.start(deal, batch.rules), list[Action](), list[tuple[Seat, int]](), []
    while hand.result is None:
        view = see(hand, before)
        if hand.phase is Phase.LAY_OFF:  # which bots may leave to the referee
            action = policies[hand.seat][0].answer(view)
        else:
            answers = [policy.answer(view) for policy in policies[hand.seat]]
            words = list(map(action_word, answers))
            places.append((hand.seat, len(actions)))
            separates.append([float(words[one] != words[other]) for one, other in PAIRS])
            action = _chosen(answers, chance)
        actions.append(action)
        hand = hand.play(action)
    stored = StoredHand(tuple(deal.deck), deal.dealer, before.score, write_actions(tuple(actions)))
    return _PlayedHand(stored, places, np.array(separates).reshape(-1, len(PAIRS)))


def _chosen(answers: Sequence[Action], chance: Random) -> Action:
    """Return one of the answers at random, rarely a knock if another is a discard."""
    discards = [one for one in answers if isinstance(one, Discard)]
    return chance.choice(discards if discards and chance.random() > KNOCKS else answers)


def _choose_hands(played: Sequence[_PlayedHand]) -> list[int]:
    """Return the hands that separate policies which others separate least; a long hand must separate more."""
    sums = np.array([one.separates.sum(axis=0) for one in played])
    lengths = np.sqrt([len(one.places) for one in played])
    total, chosen = np.zeros(len(PAIRS)), list[int]()
    while len(chosen) < HANDS:
        gains = (np.minimum(total + sums, ENOUGH) - np.minimum(total, ENOUGH)).sum(axis=1) / lengths
        gains[chosen] = -1.0
        chosen.append(int(gains.argmax()))
        total += sums[chosen[-1]]
    return chosen


def _choose_places(separates: Separations) -> list[int]:
    """Return the decisions that separate policies which others separate least, at most MOST."""
    total, chosen = np.zeros(len(PAIRS)), list[int]()
    while len(chosen) < MOST:
        gains = separates @ (1.0 / (1.0 + total) ** 2)
        gains[chosen] = 0.0
        best = int(gains.argmax())
        if gains[best] <= 0:
            break
        chosen.append(best)
        total += separates[best]
    return chosen
