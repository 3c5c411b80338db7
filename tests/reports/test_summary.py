"""The first sentence of a league's report."""

import pytest

from arena.reports.numbers import names, percent
from arena.reports.report import summary
from arena.stats.estimate import Estimate
from arena.stats.standings import Standing
from arena.stats.tally import Counts, Tally

MET = Counts(matches_won=6, matches_lost=4, pairs_won=3, pairs_lost=2, games_won=20, games_lost=15, hands=300)


def field(first: float, **ahead: float) -> list[Standing]:
    """Return a leader with its chance to be first and to be ahead of each other bot, and the others."""
    leader = Estimate(50.0, 10.0, 90.0, ranks=(first, 1 - first), ahead=ahead)
    rest = [Standing(rank, name, MET, Estimate(0.0, -40.0, 40.0)) for rank, name in enumerate(ahead, 2)]
    return [Standing(1, "ann", MET, leader), *rest]


def said(rows: list[Standing], met: Counts = MET, *, ranked: bool = True, won: bool = False) -> str:
    everyone = [row.entrant for row in rows]
    return summary(
        rows, Tally({one: {two: met for two in everyone if two != one} for one in everyone}), "Elo", ranked=ranked, won=won
    )


def test_a_leader_that_is_separated_from_all_others_is_called_so() -> None:
    assert said(field(0.98, bob=0.98, cid=0.999)) == (
        "ann leads, with a chance of 98 % to be the strongest by Elo; it is separated from all others."
    )


def test_the_bots_that_are_not_separated_are_named_with_the_pairs_that_would_do() -> None:
    # 1.645 standard errors are wanted and 0.772 measured: 4.5 times the 5 pairs
    assert said(field(0.77, bob=0.78, cid=0.99)) == (
        "ann leads, with a chance of 77 % to be the strongest by Elo. bob is not separated from it; "
        "about 18 more pairs between every two bots would separate it."
    )


def test_bots_that_are_nearly_equal_get_no_advice_to_play_for_ever() -> None:
    assert said(field(0.4, bob=0.52, cid=0.9)).endswith(
        "bob and cid are not separated from it; more than 20 times as many pairs would be needed to separate them."
    )


def test_a_leader_by_matches_that_is_behind_by_rating_is_not_separated() -> None:
    assert "more than 20 times" in said(field(0.3, bob=0.3))


def test_a_winner_by_the_format_that_another_bot_is_stronger_than_is_not_called_strongest() -> None:
    rows = field(0.2, bob=0.3)
    rows[1] = Standing(2, "bob", MET, Estimate(80.0, 0.0, 160.0, ranks=(0.8, 0.2), ahead={"ann": 0.7}))
    assert said(rows) == (
        "ann leads, but by Elo another bot is more likely the strongest: bob, with a chance of 80 %; ann has 20 %."
    )


def test_the_winner_of_a_format_that_is_over_has_won_and_leads_no_more() -> None:
    assert said(field(0.98, bob=0.98), won=True) == (
        "ann won, with a chance of 98 % to be the strongest by Elo; it is separated from all others."
    )
    rows = field(0.2, bob=0.3)
    rows[1] = Standing(2, "bob", MET, Estimate(80.0, 0.0, 160.0, ranks=(0.8, 0.2), ahead={"ann": 0.7}))
    assert said(rows, won=True).startswith("ann won, but by Elo another bot is more likely the strongest: bob, with")


def test_single_hands_are_counted_in_hands() -> None:
    assert "about 1,100 more hands between every two bots" in said(field(0.77, bob=0.78), Counts(pairs_won=1, hands=300))


def test_equal_results_share_the_lead() -> None:
    rows = [Standing(1, name, MET, Estimate(0.0, -1.0, 1.0, ranks=(0.5, 0.5), ahead={})) for name in ("ann", "bob")]
    assert said(rows) == "ann and bob share the lead with equal results."


@pytest.mark.parametrize(
    ("won", "lost", "text"),
    [
        (Counts(matches_won=1, hands=4), Counts(matches_lost=1, hands=4), "ann won the only match"),
        (Counts(matches_drawn=1, hands=4), Counts(matches_drawn=1, hands=4), "The only match was drawn"),
    ],
)
def test_of_a_single_match_only_the_result_is_said(won: Counts, lost: Counts, text: str) -> None:
    rows = [Standing(1, "ann", won, Estimate(50.0, 10.0, 90.0, ranks=(0.7, 0.3), ahead={"you": 0.7})), Standing(2, "you", lost)]
    assert said(rows) == f"{text}; a single match does not tell who is stronger."


def test_nothing_played_and_nobody_ranked_are_said() -> None:
    rows = [Standing(1, "ann", Counts())]
    assert said(rows) == "Nothing has been played yet."
    assert said(field(0.9, bob=0.9), ranked=False) == "The bots played without a sandbox, so nobody is ranked."


def test_a_rating_without_chances_says_only_who_leads() -> None:
    assert said([Standing(1, "ann", MET), Standing(2, "bob", MET)]) == "ann leads; how likely it is the strongest, is not known."


@pytest.mark.parametrize(
    ("chance", "text"), [(0.0, "less than 1 %"), (0.004, "less than 1 %"), (0.77, "77 %"), (0.999, "more than 99 %")]
)
def test_a_chance_is_never_shown_as_certain(chance: float, text: str) -> None:
    assert percent(chance) == text


def test_of_many_bots_only_the_number_is_shown() -> None:
    assert names("abcde") == "5 bots"
    assert names("abc") == "a, b and c"
    assert names("a") == "a"
