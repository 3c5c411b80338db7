from arena.stats.field import components


def test_groups_are_those_who_reach_each_other_both_ways() -> None:
    assert components([{1}, {0, 2}, {3}, {2}]) == [[0, 1], [2, 3]]


def test_a_chain_is_as_many_groups_as_links() -> None:
    assert components([{1}, {2}, set()]) == [[0], [1], [2]]


def test_a_ring_is_one_group_and_nobody_is_none() -> None:
    assert components([{1}, {2}, {0}]) == [[0, 1, 2]]
    assert components([]) == []


def test_the_biggest_group_comes_first() -> None:
    assert components([set(), {2}, {1}]) == [[1, 2], [0]]
