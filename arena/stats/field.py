"""Which entrants can be compared: the strongly connected components of a graph over the field.

Source: Ford (1957), Solution of a ranking problem from binary comparisons.
"""

from collections.abc import Sequence

Graph = Sequence[set[int]]  # for each entrant, the entrants that its edges lead to
Groups = list[list[int]]


def components(graph: Graph) -> Groups:
    """Return the strongly connected components, the largest first, then by lowest member.

    With an edge between all entrants that met, these are the parts of the field that never met each other. With an edge from each
    loser to its winner, a maximum likelihood rating exists exactly if there is one component (Ford).
    """
    reached = [_reached(graph, start) for start in range(len(graph))]
    groups = {tuple(sorted(other for other in reach if start in reached[other])) for start, reach in enumerate(reached)}
    return sorted(map(list, groups), key=lambda group: (-len(group), group))


def parts(graph: Graph) -> Groups:
    """Return the same for edges that lead both ways, with each edge followed once."""
    groups: list[list[int]] = []
    left = set(range(len(graph)))
    while left:
        groups.append(sorted(_reached(graph, min(left))))
        left.difference_update(groups[-1])
    return sorted(groups, key=lambda group: (-len(group), group))


def _reached(graph: Graph, start: int) -> set[int]:
    seen, left = {start}, [start]
    while left:
        following = graph[left.pop()] - seen
        seen |= following
        left.extend(following)
    return seen
