"""The outcome of a search: only values that a duel found stronger are recommended."""

import pytest
from msgspec.structs import asdict
from support.matches.comparisons import compared

from arena.cli.terminal import PLAIN
from arena.compare.dueling import DuelAnswer
from arena.extras.tuner.outcome import LEVELS, LearnedParameter, Tuning, advice, lines
from arena.stats.duels import Verdict


def tuned(verdict: Verdict) -> Tuning:
    """Return the outcome of a search, with the verdict of its duel."""
    outcome = asdict(compared(verdict=verdict))
    duel = DuelAnswer(**outcome, a="mine-tuned", b="mine", answer="", results="out/verdict", seed="s", parts=())
    one = LearnedParameter(name="fear", start=2.0, best=0.0, gain=None, curve=[])
    best = "mine(fear=0.0)" if verdict is Verdict.BETTER else "mine"
    return Tuning(
        bot="mine",
        best=best,
        parameters=[one],
        gain=None,
        ended="budget",
        hands=9,
        rounds=[],
        seed="s",
        results="out",
        verdict=duel,
    )


@pytest.mark.parametrize("verdict", [one for one in Verdict if one is not Verdict.BETTER])
def test_values_that_the_duel_did_not_find_stronger_are_not_recommended(verdict: Verdict) -> None:
    found = tuned(verdict)
    assert advice(found) == "Keep your values: a duel has not found the others stronger."
    assert "Expected gain: not known, fewer than 400 results differ" in list(lines(found))[1]


def test_values_that_the_duel_found_stronger_are_recommended() -> None:
    assert advice(tuned(Verdict.BETTER)) == "Play it as 'mine(fear=0.0)', or write the values into its code."


def test_a_unit_and_a_curve_can_be_read_without_the_characters_that_an_encoding_lacks() -> None:
    assert {*LEVELS, *"µ"} <= {*PLAIN}
    assert len({PLAIN[level] for level in LEVELS}) == len(LEVELS)
