"""``python tests/studies/rollout_gains.py [--hands N] [--positions N] [--worlds N] [--simple]``: what search would gain Professor.

Professor plays itself, or the simple bot of OpenSpiel, in the kernel. Of a sample of its decisions each is searched: hands that the
opponent may hold are sampled by the habits of players in general (:mod:`arena.review.worlds`), and played on by Professor at both
seats after each of its best actions. Another action is chosen if it is better by a standard error. It is judged without a look at
the search: against the cards that the opponent really held, over other orders of the stock. So the gain of one decision is unbiased
if Professor plays on; what a bot gains that searches all its decisions is near their sum, as far as the gains are independent.
"""

import argparse

import numpy as np
from endgames import professor
from numpy.typing import NDArray

from arena.gin.match import Phase, Scoreline
from arena.gin.rules import Rules
from arena.gin.seeing import see
from arena.gin.view import View
from arena.review.sights import sight
from arena.review.worlds import Walk, usual_habits
from arena.sdk import deadwood
from arena.sdk.bot import least_left
from arena.sdk.odds import completes
from arena.train import Hands, calls
from arena.train.checks import STATE
from arena.train.engine import hand_of
from arena.train.native import AT_DISCARD, AT_DRAW, AT_UPCARD, BIG_GIN, DRAW, KNOCK, PASS, SCHOLAR, SIMPLE, TAKE, TURNS
from arena.train.rule_tables import terms_of
from arena_bots.professor import Professor
from arena_bots.training.measure import half_interval

RULES = Rules(stock="two-ended")
THROWS = 4  # discards that are compared, the best by Professor's values
STEPS = 150  # of the walk to each sampled hand
ORDERS = 32  # of the stock, over which an action is judged

States = NDArray[np.void]
Floats = NDArray[np.float64]


class Study:
    """Plays and judges decisions of seat 0 against ``other``, a player of the kernel."""

    def __init__(self, other: int, worlds: int, seed: int) -> None:
        self._networks, self._bot, self._other, self._worlds = professor(), Professor(""), other, worlds
        self._chance = np.random.default_rng(seed)

    def decisions(self, count: int, seed: int) -> States:
        """Play ``count`` hands and return the states of all decisions of seat 0."""
        hands = Hands(count, RULES, autoreset=False)
        hands.reset(seed)
        found = [np.zeros(0, STATE)]
        while not hands.done.all():
            states = hands.states.copy()
            mine = ~hands.done & (states["seat"] == 0) & np.isin(states["phase"], (AT_UPCARD, AT_DRAW, AT_DISCARD))
            found.append(states[mine])
            hands.step(self._choices(states))
        return np.concatenate(found)

    def gain(self, state: np.void) -> float:
        """Return the points that the searched action gains over Professor's; 0 if that is kept."""
        view = see(hand_of(state, RULES), Scoreline())
        own = int(self._choices(np.array([state], STATE))[0])
        actions = [own, *(number for number in self._candidates(view) if number != own)]
        if len(actions) == 1 or is_gin(view, own):
            return 0.0
        more = self._points(self._likely(view, state), actions, SCHOLAR)
        more -= more[:, :1].copy()
        lead = more.mean(axis=0) - more.std(axis=0) / len(more) ** 0.5
        best = int(lead.argmax())  # 0: Professor's own, whose lead is 0
        if best == 0:
            return 0.0
        points = self._points(self._real(state), [own, actions[best]], self._other)
        return float((points[:, 1] - points[:, 0]).mean())

    def _candidates(self, view: View) -> list[int]:
        if view.phase is not Phase.DISCARD:
            useful = "take" in view.may and completes(view.cards) >> view.upcard & 1
            return [TAKE, PASS if view.phase is Phase.UPCARD else DRAW] if useful else []
        throws = [card for _, card in self._bot.throw_values(view, view.cards, view.may_discard)[:THROWS]]
        return [*throws, *([KNOCK + least_left(view)] if view.may_knock else [])]

    def _likely(self, view: View, state: np.void) -> States:
        walk = Walk([sight(view)], usual_habits(), self._worlds, [self._chance])
        walk.go(STEPS)
        (found,) = walk.worlds()
        return worlds_of(state, found.theirs.view(np.uint64), found.stock.astype(np.uint8))

    def _real(self, state: np.void) -> States:
        stock = state["deck"][int(state["top"]) : int(state["bottom"])]
        orders = np.array([self._chance.permutation(stock) for _ in range(ORDERS)])
        return worlds_of(state, np.full(ORDERS, state["held"][1]), orders)

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
    """Search a sample, and print what it gains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=2000)
    parser.add_argument("--positions", type=int, default=3000)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--simple", action="store_true", help="against OpenSpiel's simple bot; by default Professor")
    parser.add_argument("--seed", type=int, default=51)
    args = parser.parse_args()
    study = Study(SIMPLE if args.simple else SCHOLAR, args.worlds, args.seed)
    decisions = study.decisions(args.hands, args.seed)
    chosen = np.random.default_rng(args.seed).permutation(len(decisions))[: args.positions]
    gains: list[float] = []
    for place in chosen:
        gains.append(study.gain(decisions[place]))
        if len(gains) % 250 == 0 or len(gains) == len(chosen):
            of_hand = len(decisions) / args.hands
            mean, error, changed = np.mean(gains), half_interval(gains), np.mean([gain != 0 for gain in gains])
            print(  # noqa: T201
                f"{len(gains)} of {of_hand:.1f} decisions a hand: {changed:.1%} changed, {mean:+.3f} ± {error:.3f} points each,"
                f" {of_hand * mean:+.2f} ± {of_hand * error:.2f} a hand",
                flush=True,
            )


if __name__ == "__main__":
    main()
