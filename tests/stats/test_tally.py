from itertools import permutations

import pytest
from msgspec.structs import replace
from support.matches.records import batch, counted, match

from arena.gin.score import Ending
from arena.records import Fault, FaultKind, MatchRecord, Usage
from arena.stats.ratings import BradleyTerry
from arena.stats.tally import Counts, Faults


def league() -> list[MatchRecord]:
    return [
        match("a", "b", deals="ab", winner=0, games=[0, 1, 0, 0], points=[20, -8, 0, 31]),
        match("b", "a", deals="ab", winner=1, games=[1, 1, 1], points=[-40, 10]),
        match("a", "c", deals="ac", winner=1, games=[1, 1, 1], points=[-5]),
        match("c", "a", deals="ac", winner=1, games=[1, 0, 1, 0, 1], points=[-7, 6]),
    ]


def test_matches_games_and_points_are_counted_from_both_sides() -> None:
    tally = counted(league())
    a = tally.of("a")
    assert (a.matches_won, a.matches_lost, a.games_won, a.games_lost) == (3, 1, 9, 6)
    assert (a.points_for, a.points_against, a.hands) == (98, 29, 9)
    assert tally.between("b", "a").points_for == tally.between("a", "b").points_against


def test_pairs_are_won_drawn_and_lost() -> None:
    tally = counted(league())
    assert (tally.of("a").pairs_won, tally.of("a").pairs_drawn, tally.of("a").pairs_lost) == (1, 0, 1)
    assert (tally.of("c").pairs_won, tally.of("c").pairs) == (1, 1)


def test_a_drawn_pair_is_drawn_for_both() -> None:
    tally = counted([match("a", "b", winner=0, games=[0, 0, 0]), match("b", "a", winner=0, games=[0, 0, 0])])
    assert tally.of("a").pairs_drawn == tally.of("b").pairs_drawn == 1


def test_a_batch_is_not_a_match_but_its_pair_is_won_by_points() -> None:
    tally = counted([batch("a", "b", [20, -5]), batch("b", "a", [-10, 3])])
    a = tally.of("a")
    assert (a.matches_won, a.matches_lost, a.pairs_won, a.net_points, a.points_a_hand) == (0, 0, 1, 22, 5.5)


def test_endings_count_for_the_entrant_that_caused_them() -> None:
    endings = [Ending.GIN, Ending.BIG_GIN, Ending.KNOCK, Ending.UNDERCUT, Ending.DEAD, Ending.UNDERCUT]
    tally = counted([match("a", "b", points=[40, -50, 9, -30, 0, 27], endings=endings)])
    a, b = tally.of("a"), tally.of("b")
    assert (a.gins, a.big_gins, a.knocks, a.undercuts, a.undercut, a.dead) == (1, 0, 1, 1, 1, 1)
    assert (b.gins, b.big_gins, b.knocks, b.undercuts, b.undercut, b.dead) == (0, 1, 0, 1, 1, 1)


def test_without_hands_there_is_no_mean() -> None:
    assert counted([match("a", "b")]).of("a").points_a_hand is None
    assert Counts().cpu_a_decision is None


def fault(seat: int, kind: FaultKind) -> Fault:
    return Fault(seat=seat, kind=kind, game=0, hand=0, detail="")


def test_faults_are_counted_by_kind_and_the_cost_of_answers_by_decision() -> None:
    faults = [fault(0, "timeout"), fault(0, "timeout"), fault(0, "memory"), fault(1, "illegal")]
    tally = counted([match("a", "b", faults=faults, usage=(Usage(decisions=4, cpu=2.0), Usage(decisions=1)))])
    assert tally.of("a").faults == Faults(timeout=2, memory=1)
    assert tally.of("b").faults.total == 1
    assert tally.of("a").cpu_a_decision == 0.5


def test_a_forfeit_counts_for_the_seat_that_made_it() -> None:
    tally = counted([replace(record, forfeit=0) for record in league()[:2]])
    assert (tally.of("a").forfeits, tally.of("b").forfeits) == (1, 1)
    assert counted([replace(league()[0], forfeit=1)]).of("b").forfeits == 1


def test_the_tally_does_not_depend_on_the_order_of_play() -> None:
    first = counted(league())
    assert all(counted(order) == first for order in permutations(league()))


def test_a_record_of_an_entrant_against_itself_is_left_out() -> None:
    assert counted([match("a", "a")]).entrants == []


@pytest.mark.parametrize("entrant", ["a", "b", "c"])
def test_the_total_of_an_entrant_is_the_sum_over_its_opponents(entrant: str) -> None:
    tally = counted(league())
    assert tally.of(entrant) == sum(tally.crosstable[entrant].values(), Counts())
    assert tally.of("nobody") == tally.between(entrant, "nobody") == Counts()


def test_a_match_ended_at_a_level_score_is_half_a_win_for_each() -> None:
    level = [match("a", "b", winner=None, points=[0]), match("b", "a", winner=None, points=[0])]
    counts = counted(level).of("a")
    assert (counts.matches_won, counts.matches_drawn, counts.matches_lost, counts.pairs_drawn) == (0, 2, 0, 1)
    ratings = BradleyTerry().rate([*level, match("a", "b", deals="e"), match("b", "a", deals="e", winner=1)])
    assert ratings["a"].value > 0 > ratings["b"].value


def test_a_field_is_a_star_if_one_of_more_than_two_was_in_every_pairing() -> None:
    pairings = ("ab", "ac", "bc")
    stars = [counted([match(*pair) for pair in pairings[:played]]).is_star for played in range(4)]
    assert stars == [False, False, True, False]
    assert not counted([match("a", "b"), match("c", "d"), match("a", "c")]).is_star


def test_a_tie_that_scores_nothing_counts_as_a_hand_that_nobody_won() -> None:
    record = match("a", "b", winner=0, games=[0, 0, 0], points=[10, 5, 7])
    tied = replace(record.hands[0], ending=Ending.KNOCK, winner=None)
    tally = counted([replace(record, hands=(tied, *record.hands[1:]))])
    assert (tally.of("a").dead, tally.of("b").dead, tally.of("a").knocks) == (1, 1, counted([record]).of("a").knocks - 1)
