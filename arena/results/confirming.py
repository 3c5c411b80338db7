"""Prices marked decisions again, by rollouts of scholar.

The policy of the rollouts is quick and prefers its own way to play. So a mark is confirmed by a stronger player, scholar, which
continues after the chosen action and after the better one. The worlds are new, so this price is not biased by the choice of the
better action.
"""

from collections.abc import Sequence

from arena.gin.actions import Action
from arena.gin.rules import Rules
from arena.review import price_estimate, reviewer
from arena.review.alternatives import Choice, alternative
from arena.review.habits import Habits
from arena.review.hand_walks import HandStep
from arena.review.prices import Price
from arena.review.rollouts import Rollouts
from arena.review.sights import sight
from arena.review.worlds import random_numbers, sample
from arena.runs.review_cache import CONFIRMING_VERSION

WALKS = 12  # of the sampler: scholar plays on after each of the two actions in SAMPLES worlds of each


def scholars_prices(alternatives: Sequence[tuple[HandStep, Action]], rules: Rules, seed: str, opponent: Habits) -> list[Price]:
    """Return for each step the points that the given action gains over the recorded one; the opponent plays by its habits.

    ``seed`` decides which worlds are sampled for each position.
    """
    randoms = [random_numbers(CONFIRMING_VERSION, seed, step.view) for step, _ in alternatives]
    worlds = sample([sight(step.view) for step, _ in alternatives], opponent, WALKS, randoms)
    # the group plays no part: only these two are compared
    pairs = [tuple(alternative(step.view, action, "end") for action in (step.action, better)) for step, better in alternatives]
    choices = [Choice(step, pair, chosen=0, reference=1) for (step, _), pair in zip(alternatives, pairs, strict=True)]
    trial = reviewer.TriedChoices(choices, worlds, Rollouts(rules, opponent, as_scholar=True), WALKS)
    trial.run(slice(0, WALKS))
    return [price_estimate.price(better - chosen) for chosen, better in trial.values]
