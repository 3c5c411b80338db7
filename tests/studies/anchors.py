"""``python tests/studies/anchors.py``: measure the anchors of ``arena rate`` and write ``arena/extras/rate/scale_1.json``.

Each anchor plays the two that follow it on 1,200 paired deals, the strong ones on 600, without time limits. The ratings are the
least squares fit of all differences, with greedy at 0. A published scale is never changed: other anchors are a new version.
"""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from msgspec import Struct, json

from arena.extras.rate.rating import RatingScale, ScaleAnchor
from arena.roster.finder import find
from arena.sdk.loading import bot_class
from arena_bots.training.measure import Measurement, measure

STEPS = (
    0.94, 0.88, 0.82, 0.77, 0.73, 0.69, 0.65, 0.615, 0.58, 0.55, 0.52,
    0.48, 0.44, 0.4, 0.36, 0.32, 0.28, 0.24, 0.2, 0.15, 0.1, 0.05,
)  # fmt: skip
STRONG = ("greedy", "card-counter", "two-way", "early-bird", "challenger", "professor(haste=-0.34)", "scholar", "professor")
ANCHORS = ("random-kind", *(f"diluted(share={share})" for share in STEPS), *STRONG)
ZERO = "greedy"


class Meeting(Struct, frozen=True):
    """Two anchors by their places, and what the stronger one won."""

    lower: int
    upper: int
    won: Measurement


def meet(lower: int, upper: int) -> Meeting:
    """Return the meeting of two anchors."""
    pairs = 600 if ANCHORS[lower] in STRONG else 1_200
    one, other = (bot_class(find(ANCHORS[place]).launch.command[-1])("anchors") for place in (upper, lower))
    return Meeting(lower, upper, measure(one, other, 2 * pairs, f"anchors {ANCHORS[lower]} {ANCHORS[upper]}"))


def fit(meetings: list[Meeting]) -> list[tuple[float, float]]:
    """Return the rating of each anchor with its standard error, relative to ``ZERO``."""
    rows = np.zeros((len(meetings), len(ANCHORS)))
    weights = np.array([1.96 / one.won.error for one in meetings])
    for row, one in zip(rows, meetings, strict=True):
        row[one.upper], row[one.lower] = 1, -1
    free = [place for place, name in enumerate(ANCHORS) if name != ZERO]
    weighted = rows[:, free] * weights[:, None]
    covariance = np.linalg.inv(weighted.T @ weighted)
    found = covariance @ weighted.T @ (np.array([one.won.mean for one in meetings]) * weights)
    ratings = dict(zip(free, zip(found.tolist(), np.sqrt(np.diag(covariance)).tolist(), strict=True), strict=True))
    return [ratings.get(place, (0.0, 0.0)) for place in range(len(ANCHORS))]


def called(bot: str) -> str:
    """Return the name of an anchor in a run: ``diluted-0.35`` for ``diluted(share=0.35)``."""
    name, _, values = bot.rstrip(")").partition("(")
    return f"{name}-{values.partition('=')[2].lstrip('-')}" if values else name


def main() -> None:
    """Measure, and write the scale."""
    places = [(lower, upper) for lower in range(len(ANCHORS)) for upper in (lower + 1, lower + 2) if upper < len(ANCHORS)]
    with ProcessPoolExecutor(2) as pool:
        meetings = list(pool.map(meet, *zip(*places, strict=True)))
    anchors = [
        ScaleAnchor(name=called(bot), bot=bot, digest=find(bot).digest, rating=round(rating, 2), error=round(error, 2))
        for bot, (rating, error) in sorted(zip(ANCHORS, fit(meetings), strict=True), key=lambda one: one[1])
    ]
    text = json.format(json.encode(RatingScale(version=1, anchors=tuple(anchors)))).decode()
    Path("arena/extras/rate/scale_1.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
