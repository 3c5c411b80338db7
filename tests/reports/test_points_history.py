"""Points a hand over the run."""

from random import Random

import pytest

from arena.reports.points_history import POINTS_SHOWN, EntrantLine, HistoryPoint, thin_out


def test_the_interval_is_the_ratio_estimates() -> None:
    line = EntrantLine()
    for net, hands in [(10, 5), (-2, 10), (7, 15)]:
        line.add("x", net, hands)
    # the mean is 15 / 30; the residuals are 7.5, -7 and -0.5: 4.303 * sqrt(105.5 * 3 / 2) / 30
    assert line.points()[-1].points_a_hand == pytest.approx(0.5)
    assert line.points()[-1].half == pytest.approx(4.303 * (105.5 * 1.5) ** 0.5 / 30)


def test_one_match_against_each_opponent_says_nothing_of_chance() -> None:
    line = EntrantLine()
    line.add("x", 10, 5)
    line.add("y", -20, 5)
    assert line.points()[-1].half is None


def test_a_few_equal_results_say_nothing_about_the_scatter_and_many_do() -> None:
    line = EntrantLine()
    for _ in range(24):
        line.add("b", 10, 2)
    assert line.points()[-1].half is None
    line.add("b", 10, 2)
    assert line.points()[-1].half == 0


def test_a_weak_opponent_does_not_widen_the_interval() -> None:
    chance, one, two = Random(1), EntrantLine(), EntrantLine()
    for _ in range(50):
        for opponent, worth in (("x", 0), ("y", 5000)):
            net = round(chance.gauss(0, 100))
            one.add(opponent, net, 50)
            two.add(opponent, net + worth, 50)
    assert two.points()[-1].half == pytest.approx(one.points()[-1].half)


@pytest.mark.process
def test_the_interval_covers_the_truth_nineteen_times_in_twenty() -> None:
    chance, covered = Random(2), 0
    for _ in range(400):
        line = EntrantLine()
        for _ in range(10):
            hands = chance.randrange(20, 80)
            line.add("x", round(sum(chance.gauss(1, 20) for _ in range(hands))), hands)
        last = line.points()[-1]
        assert last.half
        covered += abs(last.points_a_hand - 1) <= last.half
    assert 0.92 <= covered / 400 <= 0.98


def test_opponents_count_in_turn_whatever_the_order_of_play() -> None:
    one, two = EntrantLine(), EntrantLine()
    for opponent, net in [("x", 10), ("x", 20), ("x", 30), ("y", 400), ("y", 500), ("y", 600)]:
        one.add(opponent, net, 10)
    for opponent, net in [("x", 10), ("y", 400), ("x", 20), ("y", 500), ("x", 30), ("y", 600)]:
        two.add(opponent, net, 10)
    assert one.points() == two.points()
    assert [point.points_a_hand for point in one.points()] == pytest.approx([1, 20.5, 43 / 3, 23.25, 19.2, 26])


def test_a_line_is_thinned_and_ends_where_it_ended() -> None:
    line = [HistoryPoint(hands, 0.0) for hands in range(1000)]
    assert len(thin_out(line)) <= POINTS_SHOWN
    assert thin_out(line)[-1] == line[-1]
