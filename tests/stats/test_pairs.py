from support.matches.records import batch, match

from arena.records import Fixture, lost_record
from arena.stats.comparisons import Measure
from arena.stats.estimates import matches
from arena.stats.pairs import LegMatcher, one_leg, pairs


def test_two_legs_on_the_same_deals_with_swapped_seats_are_a_pair() -> None:
    records = [match("a", "b", winner=0, points=[10, -5]), match("b", "a", winner=0, points=[8])]
    [pair] = pairs(records)
    assert (pair.legs, pair.matches, pair.points, pair.hands) == (2, (1, 1), (10, 13), 3)


def test_legs_on_different_deals_or_in_the_same_seat_are_not_paired() -> None:
    records = [match("a", "b", deals="1"), match("b", "a", deals="2"), match("a", "c", deals="1"), match("a", "c", deals="3")]
    assert [pair.legs for pair in pairs(records)] == [1, 1, 1, 1]


def test_a_leg_that_was_lost_is_no_leg() -> None:
    lost, matcher = lost_record(Fixture("1", ("b", "a"), "one"), "the worker ended"), LegMatcher()
    assert (matcher.add(lost), matcher.add(match("a", "b", deals="one"))) == (None, None)
    assert [leg.legs for leg in matcher.single_legs()] == [1]


def test_a_pair_is_from_the_view_of_the_entrant_whose_name_sorts_first() -> None:
    leg = one_leg(match("zoe", "amy", winner=0, points=[30, -4], games=[0, 1, 0]))
    assert (leg.entrant, leg.matches, leg.games, leg.points, leg.capped_points) == ("amy", (0, 1), (1, 2), (4, 30), -26)


def test_a_pair_is_won_by_matches_then_by_games() -> None:
    split = [match("a", "b", winner=0, games=[0, 0, 0]), match("b", "a", winner=0, games=[0, 0, 1, 1, 0])]
    [pair] = pairs(split)
    assert pair.matches == (1, 1)
    assert pair.games == (5, 3)
    assert pair.outcome == 1


def test_matches_won_by_a_forfeit_outweigh_the_games_lost_before_it() -> None:
    [pair] = pairs([match("a", "b", winner=0, games=[1, 1]), match("b", "a", winner=1, games=[0, 0])])
    assert (pair.games, pair.outcome) == ((0, 4), 1)


def test_a_drawn_match_is_half_a_win_for_each() -> None:
    assert matches(one_leg(match("a", "b", winner=None))) == Measure(1, 0.5, 0.5)
    [pair] = pairs([match("a", "b", winner=None), match("b", "a", winner=1)])
    assert matches(pair) == Measure(2, 1.5, 0.5)


def test_a_pair_of_batches_is_won_by_points() -> None:
    [pair] = pairs([batch("a", "b", [20, -10]), batch("b", "a", [15, 0])])
    assert pair.outcome == -1


def test_a_hand_counts_at_most_forty_points() -> None:
    leg = one_leg(batch("a", "b", [103, 50, -80, 10, 0]))
    assert leg.capped_points == 40 + 40 - 40 + 10


def test_an_entrant_against_itself_is_left_out() -> None:
    assert list(pairs([match("a", "a"), match("a", "a")])) == []


def test_only_legs_without_a_partner_are_kept() -> None:
    matcher = LegMatcher()
    for number in range(50):
        matcher.add(match("a", "b", deals=str(number)))
        matcher.add(match("b", "a", deals=str(number)))
    assert matcher.single_legs() == []


def test_two_legs_that_have_different_deals_on_purpose_are_a_pair() -> None:
    [pair] = pairs([match("a", "b", deals="r1/a:b/0~0"), match("b", "a", deals="r1/a:b/0~1")])
    assert (pair.legs, pair.deals) == (2, "r1/a:b/0")
