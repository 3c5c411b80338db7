"""The answer of a league."""

from arena.reports.answer import answer_of_league
from arena.stats.estimate import Estimate


def test_a_leader_by_its_standing_alone_is_compared_by_a_duel() -> None:
    estimates = {name: Estimate(value, value - 1, value + 1, "", ranks, (0.2, 0.4), contends=True) for name, value, ranks in LEVEL}
    found = answer_of_league(["ann@1", "ben@1"], estimates, {"ann@1": 4, "ben@1": 4}, "points")
    assert found
    assert (found.how, found.sure, found.surer) == (
        "after 4 matches",
        "Weak as evidence of strength",
        "more rounds in which ann@1 and ben@1 meet",
    )


LEVEL = (("ann@1", 1.0, (0.3, 0.7)), ("ben@1", 1.5, (0.7, 0.3)))
