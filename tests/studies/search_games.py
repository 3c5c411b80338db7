"""``python tests/studies/search_games.py [--pairs N] [--worlds N] [--close N] [--simple]``: what search gains Professor in games.

A player plays as Professor, except for discards and knocks that Professor's networks find close. For these, hands that the
opponent may hold are sampled by the habits of players in general, and played on after each of the actions, by the policy and the
habits of reviews (:mod:`arena.review.rollouts`) or by Professor at both seats. It takes the action of which the networks' value
and the points of these rollouts have the highest mean. It plays Professor, or the simple bot of OpenSpiel, and every deal from both
seats.

What it gains over Professor is estimated in two ways: by the points of the hands, less those of Professor on the same deals; and by
the sum over the changed actions of what each is worth against the cards that the opponent really held, over other orders of the
stock, if Professor plays on. Both have the same mean (Kakade and Langford, 2002: the performance difference lemma), and the sum
contains less luck.
"""

import argparse
import time

import numpy as np
from endgames import professor
from msgspec import Struct
from numpy.typing import NDArray

from arena.gin.match import Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.review.habits import usual_habits
from arena.review.rollouts import Rollouts
from arena.review.sights import sight
from arena.review.worlds import SAMPLES, sample
from arena.sdk import deadwood
from arena.sdk.bot import least_left
from arena.train import Hands, calls
from arena.train.checks import STATE
from arena.train.engine import hand_of
from arena.train.native import AT_DISCARD, BIG_GIN, KNOCK, PASS, SCHOLAR, SIMPLE, TURNS
from arena.train.rule_tables import terms_of
from arena_bots.professor import Professor
from arena_bots.training.measure import half_interval

RULES = Rules(stock="two-ended")
ORDERS = 32  # of the stock, over which an action is judged
AT_ONCE = 25  # deals

States = NDArray[np.void]
Floats = NDArray[np.float64]


class Search(Struct, frozen=True):
    """How a decision is searched."""

    worlds: int
    close: float  # points by the networks that a searched action may be worth less than the best
    by_professor: bool  # Professor plays the rollouts; by default the policy and the usual habits of reviews


class Study:
    """Searches for seat 0 against ``other``, a player of the kernel."""

    def __init__(self, other: int, search: Search, seed: int) -> None:
        self._networks, self._bot, self._other, self._options = professor(), Professor(""), other, search
        self._habitual = Rollouts(RULES, usual_habits())
        self._chance = np.random.default_rng(seed)
        self.decisions = self.searched = self.changed = 0
        self.seconds = list[float]()  # of processor time, for each discard

    def play(self, decks: NDArray[np.integer], *, searches: bool) -> tuple[Floats, Floats]:
        """Play each deck with each dealer; return the points of seat 0, and what its changed actions are worth (2 x decks)."""
        hands = Hands(2 * len(decks), RULES, autoreset=False)
        hands.deal(np.tile(decks, (2, 1)), np.repeat([0, 1], len(decks)))
        points, worth = np.zeros(len(hands)), np.zeros(len(hands))
        while not hands.done.all():
            states, over = hands.states.copy(), hands.done.copy()
            actions = self._choices(states)
            mine = ~over & (states["seat"] == 0) & searches
            self.decisions += int(mine.sum())
            for row in np.flatnonzero(mine & (states["phase"] == AT_DISCARD)):
                own, actions[row] = actions[row], self.better(states[row], int(actions[row]))
                if actions[row] != own:
                    worth[row] += self._worth(states[row], [int(own), int(actions[row])])
            rewards, done = hands.step(actions)
            points[done & ~over] = rewards[done & ~over, 0]
        return points.reshape(2, -1), worth.reshape(2, -1)

    def better(self, state: np.void, own: int) -> int:
        """Return the action that is best by networks and rollouts together, where others are close to Professor's ``own``."""
        before = time.process_time()
        view = see(hand_of(state, RULES), Scoreline())
        best = own if is_gin(view, own) else self._search(view, state, own)
        self.seconds.append(time.process_time() - before)
        return best

    def _search(self, view: View, state: np.void, own: int) -> int:
        values = self._close(view)
        if len(values) == 1:
            return own
        means = self._rollouts(view, state, list(values)).mean(axis=0)
        best = list(values)[int(np.argmax(means + list(values.values())))]
        self.searched += 1
        self.changed += best != own
        return best

    def _close(self, view: View) -> dict[int, float]:
        """Return the actions whose values by the networks are close to the highest, with these values."""
        values = {card: value for value, card in self._bot.throw_values(view, view.cards, view.may_discard)}
        if view.may_knock:
            knock = least_left(view)
            values[KNOCK + knock] = self._bot.knock_value(view, deadwood(view.without(knock)))
        least = max(values.values()) - self._options.close
        return {action: value for action, value in values.items() if value >= least}

    def _rollouts(self, view: View, state: np.void, actions: list[int]) -> Floats:
        """Return the points of each action (columns) in sampled worlds (rows)."""
        (found,) = sample([sight(view)], usual_habits(), self._options.worlds // SAMPLES, [self._chance])
        worlds = worlds_of(state, found.theirs.view(np.uint64), found.stock.astype(np.uint8))
        if self._options.by_professor:
            return self._points(worlds, actions, SCHOLAR)
        places, first = np.repeat(np.arange(len(worlds)), len(actions)), np.tile(actions, len(worlds))
        return self._habitual.points(worlds, found.chance, places, first).reshape(len(worlds), len(actions))

    def _worth(self, state: np.void, actions: list[int]) -> float:
        """Return the points that the second action is worth more than the first, against the opponent's cards."""
        stock = state["deck"][int(state["top"]) : int(state["bottom"])]
        orders = np.array([self._chance.permutation(stock) for _ in range(ORDERS)])
        points = self._points(worlds_of(state, np.full(ORDERS, state["held"][1]), orders), actions, self._other)
        return float((points[:, 1] - points[:, 0]).mean())

    def _choices(self, states: States) -> NDArray[np.int32]:
        """Return the actions of the acting seats; for a hand that is over, any."""
        actions = np.zeros(len(states), np.int32)
        arrays = {"states": states, "actions": actions, "places": np.zeros(len(states), np.int64)}
        calls.ask(arrays, terms_of(RULES), self._networks, size=len(states), player=SCHOLAR, other=self._other)
        return np.maximum(actions, 0)

    def _points(self, worlds: States, actions: list[int], other: int) -> Floats:
        """Return the points of seat 0 in each world (rows) after each action (columns)."""
        points = np.zeros(len(worlds) * len(actions))
        arrays = {
            "states": worlds,
            "scratch": np.zeros(1, STATE),
            "places": np.repeat(np.arange(len(worlds)), len(actions)),
            "actions": np.tile(np.array(actions, np.int32), len(worlds)),
            "chance": np.zeros((len(worlds), TURNS)),
            "knocking": np.zeros((2, TURNS, 101)),
            "points": points,
        }
        calls.play_out(arrays, terms_of(RULES), self._networks, size=len(points), player=SCHOLAR, other=other)
        return points.reshape(len(worlds), len(actions))


def is_gin(view: View, action: int) -> bool:
    """Tell whether an action goes gin."""
    return action == BIG_GIN or (KNOCK <= action < PASS and deadwood(view.without(action - KNOCK)) == 0)


def worlds_of(state: np.void, theirs: NDArray[np.uint64], stocks: NDArray[np.uint8]) -> States:
    """Return a state with each of some hands of seat 1 and orders of the stock."""
    worlds = np.repeat(np.array([state], STATE), len(theirs))
    worlds["deck"][:, int(state["top"]) : int(state["bottom"])] = stocks
    worlds["held"][:, 1] = theirs
    return worlds


def main() -> None:
    """Play pairs of hands, and print what search gains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1000, help="of hands, with the same deck")
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--close", type=float, default=4.0, help="points by the networks that another action may be worth less")
    parser.add_argument("--by-professor", action="store_true", help="Professor plays the rollouts")
    parser.add_argument("--simple", action="store_true", help="against OpenSpiel's simple bot; by default Professor")
    parser.add_argument("--seed", type=int, default=51)
    args = parser.parse_args()
    study = Study(SIMPLE if args.simple else SCHOLAR, Search(args.worlds, args.close, args.by_professor), args.seed)
    deals = np.random.default_rng(args.seed)
    results, worths = list[float](), list[float]()
    while len(results) < args.pairs:
        decks = np.array([deals.permutation(52) for _ in range(min(AT_ONCE, args.pairs - len(results)))])
        (points, worth), (usual, _) = study.play(decks, searches=True), study.play(decks, searches=False)
        results += (points - usual).mean(axis=0).tolist()
        worths += worth.mean(axis=0).tolist()
        print(  # noqa: T201
            f"{len(results)} pairs: {np.mean(results):+.2f} ± {half_interval(results):.2f} points a hand by results,"
            f" {np.mean(worths):+.2f} ± {half_interval(worths):.2f} by changed actions; {costs(study)}",
            flush=True,
        )


def costs(study: Study) -> str:
    """Return how often a study searched, and its times."""
    share, changed = study.searched / study.decisions, study.changed / study.decisions
    mean, most = 1000 * sum(study.seconds) / study.decisions, 1000 * np.quantile(study.seconds, 0.99)
    return f"{share:.0%} of decisions searched, {changed:.1%} changed; {mean:.0f} ms a decision, 99 % of discards in {most:.0f} ms"


if __name__ == "__main__":
    main()
