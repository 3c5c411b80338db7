import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple, replace

from arena.stats.confidence_sequence import estimate
from arena.stats.duels import (
    NOT_WEAKER,
    STRONGER,
    Judgement,
    MatchDuelState,
    Question,
    SequentialTest,
    Verdict,
    against_field,
    guarantee_of_race,
    of_hands,
    of_matches,
    of_same_program,
)
from arena.stats.scales import EQUITY, Interval
from arena.stats.wealth import Block, DealScore, Observations, bets

SCORES = st.lists(st.floats(-40, 40), min_size=1, max_size=60)


def after(scores: list[float], test: SequentialTest) -> Judgement:
    return test.judge(Observations.of([Block((DealScore(score),)) for score in scores]))


def test_deals_with_lost_legs_do_not_count_as_the_same() -> None:
    played, lost = Block((DealScore(1.0),)), Block((DealScore(0.0),), lost=1.0)
    assert against_field([played], [played]).same == 1
    assert against_field([lost], [lost]).same == 0


@pytest.mark.process
@pytest.mark.parametrize(
    ("question", "score", "verdict"),
    [
        (STRONGER, 2.0, Verdict.BETTER),
        (STRONGER, -1.0, Verdict.NOT_AS_GOOD),
        (NOT_WEAKER, 1.0, Verdict.BETTER),
        (NOT_WEAKER, -2.0, Verdict.NOT_AS_GOOD),
    ],
)
def test_a_constant_score_leads_to_a_verdict(question: Question, score: float, verdict: Verdict) -> None:
    assert after([score] * 2000, SequentialTest(question=question)).verdict is verdict


def test_the_guarantee_of_a_race_states_its_level_in_percent() -> None:
    assert guarantee_of_race(0.05).startswith("The answer is wrong with a chance of at most 5 %, ")


def test_a_test_without_blocks_has_no_evidence() -> None:
    assert after([], SequentialTest()) == Judgement()


@pytest.mark.parametrize(("within", "blocks", "least"), [(0.5, 247, 235), (1.0, 126, 117), (2.0, 64, 58)])
def test_a_bot_that_plays_as_its_baseline_takes_hardly_more_blocks_than_any_test_must(
    within: float, blocks: int, least: int
) -> None:
    test = SequentialTest(question=Question(-within, 0.0))
    found = test.judge(Observations.of([Block((DealScore(0.0),) * 2)] * 1000))
    assert (found.verdict, found.blocks) == (Verdict.BETTER, blocks)
    assert least == int(40 * np.log(19) / within)


def test_an_undecided_test_continues_until_its_limit_of_hands() -> None:
    test = SequentialTest(most_hands=10)
    assert after([0.25] * 4, test).verdict is Verdict.CONTINUE
    assert after([0.25] * 5, test).verdict is Verdict.UNDECIDED


def test_a_verdict_is_final() -> None:
    found = after([3.0] * 1000, SequentialTest())
    assert found.verdict is Verdict.BETTER
    assert after([3.0] * 1000 + [-30.0] * 200, SequentialTest()) == found
    assert after([3.0] * found.blocks, SequentialTest()) == found
    assert after([3.0] * (found.blocks - 1), SequentialTest()).verdict is Verdict.CONTINUE


def test_a_test_until_its_limit_is_judged_once() -> None:
    test = SequentialTest(question=NOT_WEAKER, most_hands=1000, until="limit")
    assert after([20.0] * 499, test).verdict is Verdict.CONTINUE
    assert after([20.0, 20.0, -20.0] * 167, test).verdict is Verdict.BETTER
    assert after([-20.0, -20.0, 20.0] * 167, test).verdict is Verdict.NOT_AS_GOOD
    assert after([5.0, -5.5] * 250, test).verdict is Verdict.UNDECIDED


def test_at_its_limit_the_larger_evidence_decides() -> None:
    rng = np.random.default_rng(1)
    for mean, verdict in ((-0.1, Verdict.BETTER), (-0.4, Verdict.NOT_AS_GOOD)):
        scores = rng.normal(0, 1, 5000)
        test = SequentialTest(question=NOT_WEAKER, most_hands=10_000, until="limit")
        found = after((scores - scores.mean() + mean).tolist(), test)
        assert min(found.better, found.worse) > np.log(20)
        assert found.verdict is verdict


@pytest.mark.parametrize("bounds", [(0.5, 0.0), (0.0, 0.0), (-40.0, 0.0), (0.0, 40.0), (0.0, float("nan"))])
def test_invalid_bounds_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="the first below the second"):
        Question(*bounds)


@given(SCORES)
def test_negating_every_score_swaps_the_two_sides(scores: list[float]) -> None:
    there = after(scores, SequentialTest(question=STRONGER))
    back = after([-score for score in scores], SequentialTest(question=NOT_WEAKER))
    assert there.better == pytest.approx(back.worse)
    assert there.worse == pytest.approx(back.better)


def test_a_state_counts_what_was_played_after_the_verdict_and_judges_without_it() -> None:
    test = SequentialTest(most_hands=4)
    found = of_hands(test, [Block((DealScore(1.0), DealScore(-1.0)))], "points a hand")
    assert (found.verdict, found.decided, found.blocks) == (Verdict.UNDECIDED, 4, 1)
    later = of_hands(test, [Block((DealScore(1.0), DealScore(-1.0))), Block((DealScore(40.0),))], "points a hand")
    assert (later.verdict, later.better, later.worse, later.blocks) == (found.verdict, found.better, found.worse, found.blocks)
    assert (later.decided, later.hands, later.plain) == (4, 6, 40 / 3)


def test_a_state_counts_all_blocks_and_leaves_lost_ones_out_of_its_mean() -> None:
    blocks = [Block((DealScore(2.0),)), Block((DealScore(0.0),)), Block((DealScore(0.0),), lost=1.0)]
    found = of_hands(SequentialTest(), blocks, "points a hand")
    assert (found.blocks, found.plain, found.pairs) == (3, 1.0, 3)
    assert of_hands(SequentialTest(), blocks[2:], "points a hand").plain is None


def test_the_outcome_of_a_duel_on_hands_is_that_of_its_test() -> None:
    test = SequentialTest(question=NOT_WEAKER, alpha=0.05, beta=0.1, scale=EQUITY)
    blocks = [Block((DealScore(1.0), DealScore(2.0))), Block((DealScore(9.0),))]
    found, judged = of_hands(test, blocks, "points a hand"), test.judge(Observations.of(blocks))
    assert found.difference == estimate(bets(Observations.of(blocks), EQUITY), EQUITY, (0.05, 0.1))
    assert (found.plain, found.proof, found.bounds) == (4.0, (20.0, 10.0), (-0.5, 0.0))
    assert (found.better, found.worse) == pytest.approx((np.exp(judged.better), np.exp(judged.worse)))
    assert (found.hands, found.pairs, found.blocks, found.capped, found.lost) == (6, 3, 2, 0, 0)
    assert of_hands(test, [], "points a hand").difference is None


def test_a_duel_on_matches_has_a_difference_once_both_ends_of_its_interval_are_known() -> None:
    state = MatchDuelState(bounds=(0.0, 5.0), alpha=0.05, beta=0.1, most_hands=1000, counts=(1, 2, 3, 4, 5), hands=300)
    found, sprt = of_matches(state), state.sprt
    assert found.difference is not None
    assert sprt.llr is not None
    assert astuple(found.difference) == (sprt.elo, *sprt.elo_interval)
    assert (found.better, 1 / found.worse) == pytest.approx([np.exp(sprt.llr)] * 2)
    assert found.proof == pytest.approx((18.0, 9.5))
    assert (found.hands, found.pairs, found.decided) == (300, 15, None)
    for counts in [(0, 0, 0, 0, 0), (0, 0, 0, 0, 9), (9, 0, 0, 0, 0)]:
        assert of_matches(replace(state, counts=counts)).difference is None
    assert of_matches(replace(state, counts=(0, 0, 0, 0, 0))).better == 1.0


def test_the_pair_that_decides_a_duel_on_matches_is_its_last() -> None:
    state = MatchDuelState(bounds=(0.0, 200.0), alpha=0.05, beta=0.05, most_hands=1000)
    while not state.verdict.is_final:
        state = state.add(4, 20)
    later = state.add(0, 20)
    assert (state.verdict, state.decided, sum(state.counts)) == (Verdict.BETTER, state.hands, state.counts[4])
    assert (later.verdict, later.decided, later.hands) == (Verdict.BETTER, state.hands, state.hands + 20)
    assert state.hands > 20


def test_a_duel_on_matches_counts_each_pair_by_its_half_matches_until_the_limit_of_hands() -> None:
    state = MatchDuelState(bounds=(0.0, 5.0), alpha=0.05, beta=0.05, most_hands=100)
    for halves in range(5):
        assert (state.verdict, state.decided) == (Verdict.CONTINUE, None)
        state = state.add(halves, 20)
    assert (state.counts, state.verdict, state.decided) == ((1, 1, 1, 1, 1), Verdict.UNDECIDED, 100)
    beaten = MatchDuelState(bounds=(0.0, 200.0), alpha=0.05, beta=0.05, most_hands=100, counts=(30, 5, 5, 5, 5))
    assert beaten.add(0, 20).verdict is Verdict.NOT_AS_GOOD


def test_the_score_of_a_deal_against_a_field_is_the_mean_difference_over_all_opponents() -> None:
    candidate = [Block((DealScore(6.0, 1.0), DealScore(5.0, 2.0))), Block((DealScore(-4.0, 3.0), DealScore(1.0)))]
    baseline = [Block((DealScore(2.0, -1.0), DealScore(5.0, 2.0))), Block((DealScore(3.0), DealScore(1.0)))]
    same = DealScore(0.0, 0.0, 8, same=True)
    assert against_field(candidate, baseline) == Block((DealScore(-1.5, 2.5, 8), same))
    lost = [candidate[0], replace(candidate[1], lost=0.5)]
    assert against_field(lost, baseline) == Block((DealScore(-1.5, 2.5, 8), replace(same, same=False)), 0.125)


@pytest.mark.parametrize(("low", "verdict"), [(-0.5, Verdict.BETTER), (0.0, Verdict.NOT_AS_GOOD)])
def test_the_same_program_is_not_weaker_and_not_stronger_without_any_play(low: float, verdict: Verdict) -> None:
    found = of_same_program((low, low + 0.5), (0.05, 0.1), "points a hand")
    assert (found.verdict, found.difference, found.proof) == (verdict, Interval(0.0, 0.0, 0.0), (20.0, 10.0))
    assert (found.hands, found.decided, found.pairs, found.capped) == (0, 0, 0, 0)


def test_a_test_of_two_bots_that_play_alike_ends_after_as_many_blocks_as_are_foreseen() -> None:
    test = SequentialTest(question=Question(-0.11, 0.0), most_hands=2)
    needed = test.blocks_if_alike(1)
    assert needed > 1000
    for blocks, verdict in [(needed - 1, Verdict.CONTINUE), (needed, Verdict.BETTER)]:
        assert replace(test, most_hands=1 << 60).judge(Observations.zeros(blocks, 1)).verdict is verdict
