"""A verdict in words: what was decided, and what it assumes."""

import pytest
from msgspec.structs import replace
from support.matches import comparisons

from arena.gin.score import Ending
from arena.records import Fault, Fixture, HandRecord, MatchRecord
from arena.reports.comparison_answer import answer_of_comparison
from arena.reports.comparison_report import ComparisonReport
from arena.reports.fallbacks import ModelPlay
from arena.reports.head_to_head import HeadToHead
from arena.reports.verdict import decision_words, describe, evidence, few_hands, guarantee, limits, progress_line
from arena.stats.duels import ComparisonOutcome, Implied, Verdict
from arena.stats.game_chances import InGames
from arena.stats.pairs import CAP
from arena.stats.scales import Interval
from arena.stats.statements import DECIDED, VERDICT

GUARANTEE = VERDICT(held="±40 points")


@pytest.mark.parametrize(
    ("bounds", "above", "below"),
    [
        ((-0.5, 0.0), "not weaker by 0.5 or more", "weaker"),
        ((0.0, 0.5), "stronger", "not stronger by 0.5 or more"),
        ((-0.2, 0.3), "not weaker by 0.2 or more", "not stronger by 0.3 or more"),
        ((1.0, 2.0), "stronger by more than 1", "not stronger by 2 or more"),
        ((-2.0, -1.0), "not weaker by 2 or more", "weaker by more than 1"),
    ],
)
def test_a_verdict_says_what_was_decided_and_no_more(bounds: tuple[float, float], above: str, below: str) -> None:
    assert decision_words(Verdict.BETTER, bounds) == above
    assert decision_words(Verdict.NOT_AS_GOOD, bounds) == below
    assert decision_words(Verdict.UNDECIDED, bounds) == "undecided"
    assert decision_words(Verdict.CONTINUE, bounds) == "not decided yet"


def compared(**found: object) -> ComparisonOutcome:
    """Return the outcome of a test "not weaker" that was passed after 366 fresh blocks, or with other facts."""
    passed = {"verdict": Verdict.BETTER, "bounds": (-0.5, 0.0), "better": 20.0, "worse": 0.1}
    counts = {"hands": 1464, "decided": 1464, "pairs": 732, "blocks": 366}
    return comparisons.compared(**{**passed, **counts, **found})


RARE = "366 fresh blocks: this test would miss a bot that plays differently in fewer than 0.82 % of its blocks."


def test_every_not_weaker_says_how_rare_a_mood_it_cannot_exclude() -> None:
    assert list(limits(compared())) == [RARE]
    assert list(limits(compared(bounds=(0.0, 0.5)))) == [], "stronger"
    assert list(limits(compared(verdict=Verdict.NOT_AS_GOOD))) == [], "weaker"


def test_a_verdict_on_equity_states_the_guarantee_about_hands_held_in_its_unit() -> None:
    equity = compared(unit="% of a game a hand", bounds=(0.0, 0.15))
    assert guarantee(equity) == GUARANTEE.replace("±40 points", "±20 % of a game")
    assert "±40" not in guarantee(equity)


def test_the_guarantee_is_stated_for_errors_of_one_in_twenty() -> None:
    assert guarantee(compared()) == GUARANTEE
    assert guarantee(compared(proof=(10.0, 20.0))) == ""
    assert guarantee(compared(blocks=None, unit="Elo")) == "", "a duel on matches"


@pytest.mark.rule("R2.5")
def test_where_hands_may_count_twice_the_bounds_of_a_hand_are_twice_as_large() -> None:
    doubled = compared(capped=5, most=2 * CAP)
    assert next(iter(limits(doubled))) == f"0.3 % of hands were worth more than {2 * CAP} points, and count as {2 * CAP}."
    assert f"the mean of hands held to ±{2 * CAP} points, if" in guarantee(doubled)


def test_the_evidence_of_a_verdict_is_that_for_its_own_side() -> None:
    for verdict, chance in ((Verdict.BETTER, "5 %"), (Verdict.NOT_AS_GOOD, "1 %")):
        shown = ComparisonReport(first="a", second="b", most_hands=2000, outcome=compared(verdict=verdict, proof=(20.0, 100.0)))
        assert answer_of_comparison(shown, finished=True).why == DECIDED(chance=chance)


def test_few_hands_say_nothing_and_name_how_many_are_needed_instead_of_chances() -> None:
    all_won = Implied(games=Interval(1.0, 0.0, 1.0), matches=Interval(1.0, 0.0, 1.0), match_wins=883.0)
    few = compared(verdict=Verdict.UNDECIDED, decided=None, bounds=(0.0, 0.5), hands=4, pairs=2, implied=all_won)
    shown = ComparisonReport(first="a", second="b", most_hands=4, outcome=few)
    needed = "to find a difference of 0.5 points a hand takes about 3,300 hands, a larger one fewer."
    about = "about who is stronger:"
    assert few_hands(shown) == f"4 hands say nothing {about} {needed}"
    assert answer_of_comparison(shown, finished=True).why == "4 hands say nothing about who is stronger"
    assert "883" not in " ".join(describe(shown))
    wide, narrow = (InGames(Interval(0.5, low, 1 - low), all_won.matches) for low in (0.01, 0.1))
    assert (
        few_hands(replace(shown, outcome=replace(few, pairs=20, hands=40), in_games=wide))
        == f"40 hands say nothing {about} {needed}"
    )
    assert few_hands(replace(shown, outcome=replace(few, pairs=20, hands=40), in_games=narrow)) == ""
    for other in (replace(few, pairs=20), replace(few, pairs=0), replace(few, verdict=Verdict.BETTER, decided=4)):
        assert few_hands(replace(shown, outcome=other)) == ""


def test_a_lost_leg_is_named_with_how_it_counts() -> None:
    assert (
        next(limits(compared(lost=2))) == "2 legs lost with the worker that played: counted as the worst for each side of the test."
    )


@pytest.mark.parametrize(
    ("found", "proof", "text"),
    [
        (0.001, 20, "less than 0.01 (needs 20)"),
        (99.7, 20, "100 (needs 20)"),
        (3, 1000, "3 (needs 1,000)"),
        (2e6, 20, "more than 1,000,000 (needs 20)"),
    ],
)
def test_evidence_is_written_without_powers_of_ten(found: float, proof: float, text: str) -> None:
    assert evidence(found, proof) == text


def test_progress_names_the_evidence_that_decides_for_each_side() -> None:
    assert progress_line(compared(better=123.4, proof=(1000.0, 20.0))).endswith("123, weaker 0.1; decided at 1,000 and 20")
    assert progress_line(compared()).endswith("20, weaker 0.1; decided at 20")


def test_an_open_comparison_says_in_one_short_sentence_what_is_not_decided() -> None:
    asked = ComparisonReport(first="a", second="b", most_hands=2000, outcome=compared(verdict=Verdict.UNDECIDED, decided=None))
    answer = answer_of_comparison(asked, finished=True)
    said = "Not decided whether a is weaker than b by 0.5 points a hand or more"
    assert (answer.who, answer.how) == (said, "after 1,464 hands")
    gauntlet = answer_of_comparison(replace(asked, opponents=("c", "d")), finished=True)
    assert (gauntlet.who, gauntlet.how) == (said, "both against c and d, after 1,464 hands")


def test_a_hand_of_equal_deadwood_that_scores_nothing_is_no_dead_hand() -> None:
    ended = (Ending.DEAD, Ending.KNOCK, Ending.SHOWDOWN)
    hands = tuple(
        HandRecord(game=number, hand=0, dealer=0, actions="", ending=ending, winner=None, points=0, deadwood=(5, 5))
        for number, ending in enumerate(ended)
    )
    record = MatchRecord(fixture=Fixture("1", ("a", "b"), "1", 3), winner=None, hands=hands, games=())
    undecided = [line.strip() for line in HeadToHead(("a", "b"), "seed", (record,)).lines() if "nobody" in line]
    assert undecided == ["nobody  1 dead hand", "nobody  2 hands of equal deadwood"]


def test_a_leg_that_was_played_alone_has_no_deal_from_both_seats() -> None:
    hand = HandRecord(game=0, hand=0, dealer=0, actions="", ending=Ending.KNOCK, winner=0, points=5, deadwood=(0, 5))
    hands = (hand, replace(hand, game=1))
    one = MatchRecord(fixture=Fixture("1", ("a", "b"), "1", 2), winner=None, hands=hands, games=())
    other = replace(one, fixture=Fixture("2", ("b", "a"), "1", 2))
    assert "2 hands, 0 deals from both seats" in list(HeadToHead(("a", "b"), "seed", (one,)).lines())[1]
    assert "4 hands, 2 deals from both seats" in list(HeadToHead(("a", "b"), "seed", (one, other)).lines())[1]


@pytest.mark.parametrize(("detail", "limit"), [("no answer; idle for 2.000 s", "stall"), ("no answer within 2.000 s", "per_turn")])
def test_a_match_against_a_bot_that_answers_late_names_the_option_that_gives_it_time(detail: str, limit: str) -> None:
    found = played_alike(2)
    late = [replace(one, faults=(Fault(seat=0, kind="timeout", game=0, hand=0, detail=detail),)) for one in found.records]
    reason = next(iter(HeadToHead(("a", "b"), "seed", tuple(late)).lines()))
    assert reason.endswith(f"a and b had too many faults; --time '{{{limit}: 60}}' allows 60 s for an answer")


def played_alike(pairs: int, models: tuple[ModelPlay, ...] = ()) -> HeadToHead:
    """Return a match in which ``a`` won 5 points in each hand."""
    hand = HandRecord(game=0, hand=0, dealer=0, actions="", ending=Ending.KNOCK, winner=0, points=5, deadwood=(0, 5))
    legs = (
        MatchRecord(
            fixture=Fixture(f"{pair}/{seat}", seats, f"{pair}", 1), winner=None, hands=(replace(hand, winner=seat),), games=()
        )
        for pair in range(pairs)
        for seat, seats in enumerate((("a", "b"), ("b", "a")))
    )
    return HeadToHead(("a", "b"), "seed", tuple(legs), models)


def test_few_equal_results_of_a_match_have_no_interval_in_any_form() -> None:
    few, enough = played_alike(24), played_alike(25)
    assert next(few.lines()).startswith("a +5.00 points a hand against b, the same result on every deal: too few hands")
    assert few.document().points_a_hand is None
    assert next(enough.lines()) == "a +5.00 points a hand against b, 95 % interval +5.00 to +5.00: a is stronger"
    assert enough.document().points_a_hand == enough.margin


def test_a_match_that_is_no_comparison_claims_nothing_about_moods() -> None:
    without = ModelPlay(bot="a", decisions=9, fallbacks=9)
    assert "would miss" in [*played_alike(25).lines()][-1]
    assert "would miss" not in " ".join(played_alike(25, (without,)).lines())


@pytest.mark.parametrize(
    ("better", "worse", "why"),
    [
        (0.5, 19.6, "the evidence that a is not stronger than b by 0.5 points a hand or more is 19.6 (needs 20)"),
        (18.2, 0.1, "the evidence that a is stronger than b is 18 (needs 20)"),
        (9691.0, 0.1, "it is judged after the last hand"),
    ],
)
def test_an_open_comparison_names_the_answer_that_is_nearest(better: float, worse: float, why: str) -> None:
    outcome = compared(verdict=Verdict.CONTINUE, decided=None, bounds=(0.0, 0.5), better=better, worse=worse)
    shown = ComparisonReport(first="a", second="b", most_hands=20_000, outcome=outcome)
    assert answer_of_comparison(shown, finished=False).why == why


@pytest.mark.parametrize(
    ("low", "blocks", "lead"), [(0.056, 30, "stronger by at least 0.05 points a hand; "), (0.003, 30, ""), (0.5, None, "")]
)
def test_the_least_lead_of_a_passed_test_is_never_rounded_up_nor_stated_of_matches(
    low: float, blocks: int | None, lead: str
) -> None:
    outcome = compared(verdict=Verdict.BETTER, difference=Interval(1.0, low, 2.0), blocks=blocks)
    shown = ComparisonReport(first="a", second="b", most_hands=2000, outcome=outcome)
    assert answer_of_comparison(shown, finished=True).how.partition("decided")[0] == f"passed; {lead}"


@pytest.mark.parametrize(
    ("verdict", "low", "how"),
    [
        (Verdict.BETTER, -1.0, "passed; "),
        (Verdict.NOT_AS_GOOD, -1.0, "failed; "),
        (Verdict.BETTER, 0.0, ""),
        (Verdict.CONTINUE, -1.0, ""),
    ],
)
def test_a_test_of_not_weaker_says_in_a_word_how_it_ended(verdict: Verdict, low: float, how: str) -> None:
    outcome = compared(verdict=verdict, bounds=(low, 0.5), decided=None if verdict is Verdict.CONTINUE else 80)
    shown = ComparisonReport(first="a", second="b", most_hands=20_000, outcome=outcome)
    assert answer_of_comparison(shown, finished=True).how.startswith((f"{how}decided after", f"{how}after"))
