from arena.stats.components import components, parts


def test_the_members_of_a_group_reach_each_other_both_ways() -> None:
    assert components([{1}, {0, 2}, {3}, {2}]) == [[0, 1], [2, 3]]


def test_each_member_of_a_chain_is_its_own_group() -> None:
    assert components([{1}, {2}, set()]) == [[0], [1], [2]]


def test_a_cycle_is_one_group_and_an_empty_graph_has_none() -> None:
    assert components([{1}, {2}, {0}]) == [[0, 1, 2]]
    assert components([]) == []


def test_the_largest_group_comes_first() -> None:
    assert components([set(), {2}, {1}]) == [[1, 2], [0]]


def test_where_every_edge_leads_both_ways_the_parts_are_the_components() -> None:
    graph = [{2}, {4}, {0, 3}, {2}, {1}, set()]
    assert parts(graph) == components(graph) == [[0, 2, 3], [1, 4], [5]]
